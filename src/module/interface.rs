//! What a module wants from outside and gives to it: descriptors, inputs, outputs.

use super::decisions::refused;
use crate::error::Error;

/// The stage of an entry point, in the order of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessCtrl,
    /// Tessellation evaluation.
    TessEval,
    /// Geometry.
    Geometry,
    /// Fragment.
    Fragment,
    /// Compute, which has no other stage beside it.
    #[default]
    Compute,
}

impl Stage {
    /// All stages, in the order of their numbers.
    pub const ALL: [Stage; 6] =
        [Stage::Vertex, Stage::TessCtrl, Stage::TessEval, Stage::Geometry, Stage::Fragment, Stage::Compute];

    /// The name that files and options have.
    pub fn name(self) -> &'static str {
        ["vertex", "tess_ctrl", "tess_eval", "geometry", "fragment", "compute"][self as usize]
    }

    /// This stage as a set of one, for columns of stages.
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The stages that can be the next one in a pipeline, a bit each (Vulkan, `VkGraphicsPipelineCreateInfo`: tessellation has both
    /// of its stages or none).
    pub const fn next(self) -> u8 {
        match self {
            Stage::Vertex => Stage::TessCtrl.bit() | Stage::Geometry.bit() | Stage::Fragment.bit(),
            Stage::TessCtrl => Stage::TessEval.bit(),
            Stage::TessEval => Stage::Geometry.bit() | Stage::Fragment.bit(),
            Stage::Geometry => Stage::Fragment.bit(),
            Stage::Fragment | Stage::Compute => 0,
        }
    }

    /// An error unless a pipeline can have these stages one after the other. There may be more before and after them.
    pub fn check_order(stages: &[Stage]) -> Result<(), Error> {
        if stages.is_empty() {
            return Err(refused("there are no stages"));
        }
        match stages.windows(2).find(|pair| pair[0].next() & pair[1].bit() == 0) {
            Some(pair) => {
                let [first, second] = [pair[0], pair[1]].map(Stage::name);
                Err(refused(format!("no pipeline has a {second} stage right after a {first} stage")))
            }
            None => Ok(()),
        }
    }
}

/// Descriptors at one place that a module uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binding {
    /// DescriptorSet.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// What they are.
    pub kind: DescriptorKind,
    /// How many there are, 1 if they are no array.
    pub count: u32,
    /// Uniform blocks, in whatever buffers: bytes that a bound range has at least for every load of the shader to be in bounds that was in NIR.
    /// Where it has less, a device with robust buffer access may answer zeros for bytes that are there (Vulkan, "Robust
    /// Buffer Access"). 0 where that is not known, and for all else.
    pub min_range: u32,
}

/// What a descriptor is: the kinds of `VkDescriptorType` that shaders of GL use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum DescriptorKind {
    UniformBuffer,
    StorageBuffer,
    CombinedImageSampler,
    SampledImage,
    Sampler,
    UniformTexelBuffer,
    StorageImage,
    StorageTexelBuffer,
    InputAttachment,
}

impl DescriptorKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [DescriptorKind; 9] = {
        use DescriptorKind::*;
        [
            UniformBuffer,
            StorageBuffer,
            CombinedImageSampler,
            SampledImage,
            Sampler,
            UniformTexelBuffer,
            StorageImage,
            StorageTexelBuffer,
            InputAttachment,
        ]
    };
}

/// Where transform feedback writes an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// XfbBuffer.
    pub buffer: u32,
    /// XfbStride.
    pub stride: u32,
    /// Offset.
    pub offset: u32,
}

/// An input or output that another stage, the fixed function or a vertex buffer sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Varying {
    /// An output; else an input.
    pub is_output: bool,
    /// Once for a patch, not for each vertex.
    pub patch: bool,
    /// The built-in that it is. It then has no location.
    pub builtin: Option<u32>,
    /// Its first location.
    pub location: u32,
    /// How many it takes.
    pub locations: u32,
    /// The first component that it has in each location.
    pub component: u8,
    /// How many it has there, in 32-bit units.
    pub components: u8,
    /// RelaxedPrecision.
    pub relaxed: bool,
    /// A link may take it away: the tables say how.
    pub removable: bool,
    /// A link took it away.
    pub removed: bool,
    /// Transform feedback writes it.
    pub capture: Option<Capture>,
    /// A copy of a captured built-in, or of a part of one. Transform feedback alone reads it: no other stage does.
    pub is_copy: bool,
}
