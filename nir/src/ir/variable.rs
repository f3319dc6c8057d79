// SPDX-License-Identifier: MIT

//! Variables: the shader's inputs, outputs, buffers, textures and memory.

use super::types::Type;
use crate::entity::{entity, Slice, Str};
use crate::op::names::InterpMode;
use crate::op::{Access, Modes};
use bitflags::bitflags;

entity!(
    /// A variable.
    Var,
    "var"
);

bitflags! {
    /// Qualifiers that a declaration prints before the mode, and `compact`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct VarFlags: u32 {
        /// It holds handles.
        const BINDLESS = 1 << 0;
        /// It is interpolated at the centroid.
        const CENTROID = 1 << 1;
        /// It is interpolated per sample.
        const SAMPLE = 1 << 2;
        /// It has one value per patch.
        const PATCH = 1 << 3;
        /// Its bits do not depend on the rest of the shader.
        const INVARIANT = 1 << 4;
        /// It has one value per view.
        const PER_VIEW = 1 << 5;
        /// It has one value per primitive.
        const PER_PRIMITIVE = 1 << 6;
        /// It is a ray query.
        const RAY_QUERY = 1 << 7;
        /// Reads of it read the framebuffer.
        const FB_FETCH_OUTPUT = 1 << 8;
        /// Its array elements share slots, four to each.
        const COMPACT = 1 << 9;
        /// The second half of a vertex attribute of three or four doubles, whose location both halves have.
        const HIGH_DVEC2 = 1 << 10;
    }
}

impl VarFlags {
    /// The flags printed before the mode, in printed order.
    pub const NAMES: &'static [(VarFlags, &'static str)] = &[
        (VarFlags::BINDLESS, "bindless"),
        (VarFlags::CENTROID, "centroid"),
        (VarFlags::SAMPLE, "sample"),
        (VarFlags::PATCH, "patch"),
        (VarFlags::INVARIANT, "invariant"),
        (VarFlags::PER_VIEW, "per_view"),
        (VarFlags::PER_PRIMITIVE, "per_primitive"),
        (VarFlags::RAY_QUERY, "ray_query"),
        (VarFlags::FB_FETCH_OUTPUT, "fb_fetch_output"),
    ];
}

/// GLSL's precision qualifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Unspecified.
    #[default]
    None,
    /// `highp`.
    High,
    /// `mediump`.
    Medium,
    /// `lowp`.
    Low,
}

/// The buffer and offset to which transform feedback writes an output; all in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capture {
    /// The buffer, 0 to 3.
    pub buffer: u32,
    /// The stride of a vertex in the buffer.
    pub stride: u32,
    /// The offset of the variable from the start of the vertex.
    pub offset: u32,
}

/// A variable: NIR's `nir_variable`.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, unique in a dump.
    pub name: Str,
    /// Its type.
    pub ty: Type,
    /// Its mode: exactly one.
    pub mode: Modes,
    /// Interpolation of an input.
    pub interp: InterpMode,
    /// Memory qualifiers.
    pub access: Access,
    /// GLSL's precision.
    pub precision: Precision,
    /// Other qualifiers.
    pub flags: VarFlags,
    /// I/O: the slot, in the numbering of [`SlotKind`](crate::op::names::SlotKind); others: GL's uniform location. `None` for
    /// NIR's -1.
    pub location: Option<u32>,
    /// The first component within the slot.
    pub location_frac: u8,
    /// I/O: SPIR-V's Location; buffers: the first block index of the variable.
    pub driver_location: u32,
    /// Descriptor binding.
    pub binding: u32,
    /// Descriptor set; text does not have it, see `Target::descriptor_set`.
    pub descriptor_set: Option<u32>,
    /// Uniform blocks, in any buffers: the minimum number of bytes of the range that is bound to it, so that accesses that are
    /// in bounds in NIR are in bounds in SPIR-V, which may load more at a time. 0 if unknown. A pass computes it; it is neither
    /// in text nor in the wire format.
    pub min_range: u32,
    /// Dual-source blending index, or input attachment.
    pub index: u32,
    /// Outputs: the capture by transform feedback.
    pub capture: Option<Capture>,
    /// Outputs of geometry shaders: the stream.
    pub stream: u32,
    /// Image format, an index into [`FORMATS`](crate::op::names::FORMATS).
    pub image_format: u32,
    /// The initializer in the syntax of the dump, from `=` on.
    pub initializer: Option<Str>,
    /// The initial value, if known: all scalars in order, in [`Shader::consts`](super::Shader::consts).
    pub values: Option<Slice>,
}

/// Driver location of variables that have no SPIR-V Location: built-ins.
pub const NO_LOCATION: u32 = u32::MAX;

impl Variable {
    /// A variable with only a name, a type and a mode.
    pub fn new(name: Str, ty: Type, mode: Modes) -> Variable {
        Variable {
            name,
            ty,
            mode,
            interp: InterpMode::none,
            access: Access::empty(),
            precision: Precision::None,
            flags: VarFlags::empty(),
            location: None,
            location_frac: 0,
            driver_location: 0,
            binding: 0,
            descriptor_set: None,
            min_range: 0,
            index: 0,
            capture: None,
            stream: 0,
            image_format: 0,
            initializer: None,
            values: None,
        }
    }
}
