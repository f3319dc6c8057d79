// SPDX-License-Identifier: MIT

//! Offsets of shared memory and scratch that count elements become offsets in bytes.
//!
//! Before its translator, zink divides the offsets of loads and stores of shared memory and scratch, but not of atomics, by the size of
//! the element, and a dump has no mark for this. zink does the same to blocks, whose accesses become derefs of variables: in a shader
//! with such accesses, offsets are elements; in one with blocks by byte offset, bytes; in one with neither, elements if a constant
//! offset contradicts its alignment. The directive `// ntv: shared_offset_units=bytes` (or `elements`) in the header of the dump
//! overrides the rule.

use super::place::{within_memory, BUFFERS};
use crate::ir::{rewrite, Builder, Def, Directive, Edit, Inst, InstKind, Shader};
use crate::op::meaning::{MemoryAccess, MemoryKind, MemoryOperation, OffsetUnit};
use crate::op::{AluOp, Facts, Index};

/// Whether `shader` has such offsets that count elements.
pub(super) fn is_needed(shader: &Shader) -> bool {
    shader.inventory().may_have(Facts::MEMORY_OFFSETS) && are_elements(shader)
}

pub(super) fn raise(shader: &mut Shader) {
    if !is_needed(shader) {
        return;
    }
    shader.info.say(Directive::OffsetsInBytes);
    rewrite(shader, |b, inst| match memory(b.shader, inst) {
        Some((access, srcs)) if is_divided(access) => {
            let srcs = srcs.to_vec();
            in_bytes(b, inst, access, srcs)
        }
        _ => Edit::Keep,
    });
}

/// The access with its offset in bytes.
fn in_bytes(b: &mut Builder<'_>, inst: Inst, access: MemoryAccess, mut srcs: Vec<Def>) -> Edit {
    let bits = match access.operation {
        MemoryOperation::Store => b.shader.bit_size(srcs[0]),
        _ => b.shader.insts[inst].bit_size,
    };
    let (Some(at), count @ 1..) = (access.offset, (bits / 8).trailing_zeros()) else { return Edit::Keep };
    let count = b.imm32(count);
    srcs[usize::from(at)] = within_memory(b, AluOp::ishl, srcs[usize::from(at)], count);
    let data = b.shader.insts[inst];
    let InstKind::Intrinsic { op, indices, .. } = data.kind else { return Edit::Keep };
    let srcs = b.shader.srcs.push(&srcs);
    let new = b.inst(data.num_components, data.bit_size, InstKind::Intrinsic { op, srcs, indices });
    match data.has_def() {
        true => Edit::Replace(new.def()),
        false => Edit::Remove,
    }
}

/// Adds the directive about the unit of these offsets, which the interpreter needs for a shader that is not raised.
pub fn say_offset_units(shader: &mut Shader) {
    let unit = if are_elements(shader) { Directive::OffsetsInElements } else { Directive::OffsetsInBytes };
    shader.info.say(unit);
}

fn memory(shader: &Shader, inst: Inst) -> Option<(MemoryAccess, &[Def])> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    Some((op.info().memory?, srcs))
}

/// Whether zink divides the offsets of such accesses, if it divides any.
fn is_divided(access: MemoryAccess) -> bool {
    matches!(access.kind, MemoryKind::Shared | MemoryKind::Scratch) && !access.operation.is_atomic()
}

/// Whether the offsets count elements: see the [module](self).
fn are_elements(shader: &Shader) -> bool {
    if shader.info.says(Directive::OffsetsInElements) || shader.info.says(Directive::OffsetsInBytes) {
        return shader.info.says(Directive::OffsetsInElements);
    }
    let accesses = || shader.order.iter().filter_map(|inst| Some((*inst, memory(shader, *inst)?)));
    let is_by_offset =
        |access: MemoryAccess| access.block.is_some() && access.offset.is_some() && access.unit == OffsetUnit::Bytes;
    if accesses().any(|(_, (access, _))| is_by_offset(access)) {
        return false;
    }
    let is_of_zinks_block = |srcs: &[Def]| {
        let var = srcs.first().and_then(|src| shader.deref_var(*src));
        var.is_some_and(|var| BUFFERS.contains(shader.vars[var].mode))
    };
    if accesses().any(|(_, (access, srcs))| access.kind == MemoryKind::Deref && is_of_zinks_block(srcs)) {
        return true;
    }
    accesses().filter(|(_, (access, _))| is_divided(*access)).any(|(inst, (access, srcs))| {
        let [multiple, rest, base] =
            [Index::align_mul, Index::align_offset, Index::base].map(|index| shader.index(inst, index));
        let offset = access.offset.and_then(|at| shader.as_const_scalar(srcs[usize::from(at)]));
        offset.is_some_and(|offset| multiple != 0 && (offset as u32).wrapping_add(base) % multiple != rest)
    })
}
