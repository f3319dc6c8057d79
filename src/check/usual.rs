//! Instructions that are like most: what they have can be seen at once to be sound, and to have a translation whatever the
//! target.
//!
//! That is arithmetic on numbers, constants, pointers to variables and their parts, and loads and stores through these. All
//! others are left to the rules of their kind.

use super::glance::Passed;
use super::report::Report;
use super::{alu, deref, shape, support};
use crate::ir::{AluSrc, ArrayIndex, Def, Deref, DerefKind, Inst, InstData, InstKind, Shader, Swizzle};
use crate::op::{Access, AluOp, Base, Intrinsic, Modes};

/// What an instruction looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It makes a value. As with the next two, nothing is wrong with it, it sees all that it uses, and it has a translation.
    Value,
    /// It makes a pointer.
    Pointer,
    /// It makes nothing.
    Store,
    /// The rules have to tell.
    Unusual,
}

/// Looks at an instruction, and reports what is wrong with a pointer.
#[inline(always)]
pub(super) fn look(report: &mut Report<'_>, passed: &Passed, inst: Inst, data: &InstData, odd_modes: Modes) -> Look {
    let shader = report.shader;
    let (is_usual, look) = match data.kind {
        InstKind::Alu { op, srcs, .. } => (look_at_alu(passed, data, op, &shader.alu_srcs[srcs]), Look::Value),
        InstKind::Const(values) => (shape::is_sound_const(data, &shader.consts[values]), Look::Value),
        InstKind::Deref(deref) if (data.num_components, data.bit_size) == (1, 32) => {
            let deref = &shader.derefs[deref];
            deref::check_step(report, inst, data, deref);
            (look_at_deref(shader, passed, deref, odd_modes), Look::Pointer)
        }
        InstKind::Intrinsic { op: Intrinsic::load_deref, srcs, indices } => {
            (look_at_load(shader, passed, data, &shader.srcs[srcs], &shader.indices[indices]), Look::Value)
        }
        InstKind::Intrinsic { op: Intrinsic::store_deref, srcs, indices } => {
            (look_at_store(shader, passed, data, &shader.srcs[srcs], &shader.indices[indices]), Look::Store)
        }
        _ => (false, Look::Unusual),
    };
    if is_usual {
        look
    } else {
        Look::Unusual
    }
}

#[inline(always)]
fn look_at_alu(passed: &Passed, data: &InstData, op: AluOp, srcs: &[AluSrc]) -> bool {
    let (info, components) = (op.info(), data.num_components);
    let has_shape = info.dest.size == 0 || info.dest.size == components;
    if !has_shape || !shape::is_legal(data) || srcs.len() != info.srcs.len() {
        return false;
    }
    let (mut free, mut reads_booleans) = (None, false);
    for (src, operand) in srcs.iter().zip(info.srcs) {
        let Some(known) = passed.see(src.def) else { return false };
        let read = operand.components(components);
        let is_there = src.swizzle == Swizzle::IDENTITY && read <= known.num_components
            || !src.swizzle.reads_beyond(read, known.num_components);
        if !known.is_value || !is_there || !alu::fits_width(known.bit_size, operand.ty, &mut free) {
            return false;
        }
        reads_booleans |= known.bit_size == 1 && operand.ty.base != Base::Bool;
    }
    alu::fits_width(data.bit_size, info.dest.ty, &mut free) && (!reads_booleans || support::takes_booleans(op))
}

#[inline(always)]
fn look_at_deref(shader: &Shader, passed: &Passed, deref: &Deref, odd_modes: Modes) -> bool {
    const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO);
    if deref.modes.intersects(odd_modes) {
        return false;
    }
    match deref.kind {
        DerefKind::Var(var) => {
            let variable = &shader.vars[var];
            variable.values.is_none() && variable.initializer.is_none()
        }
        DerefKind::Array { parent, index: ArrayIndex::Imm(_) } | DerefKind::Struct { parent, .. } => {
            passed.see(parent).is_some()
        }
        // Which of several buffers is not known may need a feature.
        DerefKind::Array { parent, index: ArrayIndex::Def(index) } => {
            let is_value = passed.see(index).is_some_and(|known| known.is_value);
            is_value && passed.see(parent).is_some() && !deref.modes.intersects(BUFFERS)
        }
        DerefKind::ArrayWildcard { .. } | DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => false,
    }
}

#[inline(always)]
fn look_at_load(shader: &Shader, passed: &Passed, data: &InstData, srcs: &[Def], indices: &[u32]) -> bool {
    let ([pointer], [access]) = (srcs, indices) else { return false };
    shape::is_legal(data)
        && data.num_components <= 4
        && passed.see(*pointer).is_some()
        && Access::from_bits(*access).is_some()
        && deref::holds(shader, *pointer, data.num_components, data.bit_size).is_some()
}

#[inline(always)]
fn look_at_store(shader: &Shader, passed: &Passed, data: &InstData, srcs: &[Def], indices: &[u32]) -> bool {
    let ([pointer, value], [write_mask, access]) = (srcs, indices) else { return false };
    let (Some(known), Some(_)) = (passed.see(*value), passed.see(*pointer)) else { return false };
    !data.has_def()
        && known.is_value
        && write_mask >> known.num_components == 0
        && Access::from_bits(*access).is_some()
        && deref::holds(shader, *pointer, known.num_components, known.bit_size).is_some_and(deref::is_writable)
}

/// Whether SPIR-V has a value for the result of such an instruction: not for pointers, nor for what only says where an input
/// is read.
pub(super) fn is_value(kind: &InstKind) -> bool {
    match kind {
        InstKind::Deref(_) => false,
        InstKind::Intrinsic { op, .. } => !support::BARYCENTRICS.contains(*op),
        _ => true,
    }
}
