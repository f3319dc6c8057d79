// SPDX-License-Identifier: MIT

//! Reads of the framebuffer: loads of a fragment shader's outputs by slot, and through variables with that flag.
//!
//! ```text
//! 32x4  %1 = @load_output (%0) (..., io location=FRAG_RESULT_DATA1 slots=1 fbfetch)      colour 1
//! 32    %2 = deref_var &gl_LastFragDepthARM (shader_out float)                           fb_fetch_output
//! 32    %3 = @load_deref (%2)                                                            depth
//! ```

use crate::ir::{ArrayIndex, Def, DerefKind, Directive, Inst, Shader, Stage, TypeData, VarFlags, Variable};
use crate::op::names::{frag_result, unpack_alu_type, IoFlags, IoSemantics};
use crate::op::{Base, Index, Intrinsic, Modes};
use crate::target::attachment_number;

/// A load that reads attachments of the framebuffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramebufferRead {
    /// The first slot that may be read.
    pub slot: u32,
    /// The number of slots that may be read: one, or several colours.
    pub count: u32,
    /// The index, if one of several is read.
    pub index: Option<Def>,
    /// The first component that is read.
    pub component: u8,
    /// The component after it that is read, if the index is dynamic.
    pub lane: Option<Def>,
    /// The type of the components of a texel.
    pub base: Base,
}

impl FramebufferRead {
    /// The read of the framebuffer by `inst`; `None` if it does not read it, or if there is no attachment to read.
    pub fn new(shader: &Shader, inst: Inst) -> Option<FramebufferRead> {
        let (op, srcs) = shader.as_intrinsic(inst).filter(|_| shader.stage() == Stage::Fragment)?;
        match op {
            Intrinsic::load_output => FramebufferRead::of_slot(shader, inst, srcs[0]),
            Intrinsic::load_deref => FramebufferRead::of_pointer(shader, srcs[0]),
            _ => None,
        }
    }

    fn of_slot(shader: &Shader, inst: Inst, offset: Def) -> Option<FramebufferRead> {
        let io = IoSemantics::unpack(shader.index(inst, Index::io_semantics));
        let (slot, count) = (io.location, io.num_slots.max(1));
        let component = u8::try_from(shader.index(inst, Index::component)).ok()?;
        let base = unpack_alu_type(shader.index(inst, Index::dest_type)).base;
        let mut read = FramebufferRead { slot, count, index: None, component, lane: None, base };
        read.step(shader, ArrayIndex::Def(offset));
        (have_attachments(slot, count) && !io.flags.contains(IoFlags::DUALSRC)).then_some(read)
    }

    fn of_pointer(shader: &Shader, pointer: Def) -> Option<FramebufferRead> {
        let variable = &shader.vars[shader.deref_var(pointer)?];
        if !variable.flags.contains(VarFlags::FB_FETCH_OUTPUT) || !is_readable_output(shader, variable) {
            return None;
        }
        let (slot, count) = (variable.location?, shader.types.slots(variable.ty));
        let (scalar, _) = shader.types.as_vector(shader.types.without_arrays(variable.ty))?;
        let component = variable.location_frac;
        let mut read = FramebufferRead { slot, count, index: None, component, lane: None, base: scalar.base };
        let mut at = pointer;
        while let DerefKind::Array { parent, index } = shader.as_deref(at)?.kind {
            match shader.types.get(shader.as_deref(parent)?.ty) {
                TypeData::Array { .. } => read.step(shader, index),
                _ => read.pick(shader, index),
            }
            at = parent;
        }
        Some(read)
    }

    /// Adds an index to the slot. An index beyond the last slot may read anything.
    fn step(&mut self, shader: &Shader, index: ArrayIndex) {
        match constant(shader, index) {
            Ok(number) => (self.slot, self.count) = (self.slot + number.min(self.count - 1), 1),
            Err(index) => self.index = Some(index),
        }
    }

    /// Selects one component.
    fn pick(&mut self, shader: &Shader, index: ArrayIndex) {
        match constant(shader, index) {
            Ok(number) => self.component += number.min(3) as u8,
            Err(index) => self.lane = Some(index),
        }
    }
}

/// The constant index, or the value.
fn constant(shader: &Shader, index: ArrayIndex) -> Result<u32, Def> {
    let number = match index {
        ArrayIndex::Imm(number) => number as u64,
        ArrayIndex::Def(def) => shader.as_const_scalar(def).ok_or(def)?,
    };
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}

/// True if the framebuffer can have attachments for `count` slots: one, or several colours.
fn have_attachments(slot: u32, count: u32) -> bool {
    let last = slot.saturating_add(count - 1);
    [slot, last].iter().all(|slot| attachment_number(*slot).is_some()) && (count == 1 || slot >= frag_result::DATA0)
}

/// True if `variable` is an output with attachments in the framebuffer: one, or an array of colours. The second colour of
/// dual-source blending has none, and neither has the sample mask.
pub fn is_readable_output(shader: &Shader, variable: &Variable) -> bool {
    let element = shader.types.as_array(variable.ty).map_or(variable.ty, |(element, _)| element);
    let count = shader.types.slots(variable.ty);
    shader.types.as_vector(element).is_some()
        && (count > 0 && variable.location.is_some_and(|slot| have_attachments(slot, count)))
        && (variable.mode == Modes::SHADER_OUT && variable.index == 0 && variable.location_frac < 4)
}

/// True if the framebuffer that `shader` reads has several samples per pixel.
pub fn is_multisample(shader: &Shader) -> bool {
    shader.info.says(Directive::Multisample)
}
