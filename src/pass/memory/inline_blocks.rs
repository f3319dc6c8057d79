// SPDX-License-Identifier: MIT

//! Reads uniform blocks from push constants if the plan puts them there.
//!
//! **What.** `load_ubo` and `load_ubo_vec4` from a block of [`Class::PushConstant`] become `load_push_constant`, whose base is the
//! offset of the block.
//!
//! **Why.** A driver that has the bytes of a small block when it draws, such as its own state or GL's loose uniforms, need not
//! write them to a buffer and bind it. [`plan`](crate::plan) chooses the blocks that fit; it chooses none that is read at
//! unknown offsets. If a caller does so nevertheless, these offsets are clamped to the block.
//! [`refused_placement`](crate::plan::refused_placement) names the blocks for which this is not possible.
//!
//! Before:
//!
//! ```text
//! 32     %0 = load_const (0x00000001)
//! 32     %1 = load_const (0x00000008)
//! 32     %2 = @load_ubo (%0, %1) (access=none, align_mul=16, align_offset=8, range_base=0, range=16)
//! ```
//!
//! After:
//!
//! ```text
//! 32     %2 = @load_push_constant (%1 (0x8)) (base=16, range=16, align_mul=16, align_offset=8)
//! ```

use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, Shader};
use crate::op::{AluOp, Facts, Index, Intrinsic};
use crate::pass::{Context, Pass};
use crate::plan::{Class, Placement};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "inline_blocks",
    about: "reads uniform blocks from push constants if the plan puts them there",
    facts: Facts::UBO_OFFSETS,
    met_by: |context| Facts::all_if(!context.placements.has_push_constants()),
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    rewrite(shader, |b, inst| match inlined(b.shader, context, inst) {
        Some((offset, inlined)) => Edit::Replace(load(b, inst, offset, inlined)),
        None => Edit::Keep,
    })
}

/// The range of a block in push constants.
struct PushConstantRange {
    /// The first byte of the block.
    base: u32,
    /// The number of bytes of the block, 0 if unknown.
    range: u32,
}

/// The offset of a load from a block in push constants, and the range of the block.
fn inlined(shader: &Shader, context: &Context, inst: Inst) -> Option<(Def, PushConstantRange)> {
    let (Intrinsic::load_ubo | Intrinsic::load_ubo_vec4, &[block, offset]) = shader.as_intrinsic(inst)? else {
        return None;
    };
    let block = shader.as_const_index(ArrayIndex::Def(block))?;
    match context.placements.of(block) {
        Placement { class: Class::PushConstant { offset: base }, range, .. } => {
            Some((offset, PushConstantRange { base, range }))
        }
        _ => None,
    }
}

fn load(b: &mut Builder<'_>, inst: Inst, offset: Def, PushConstantRange { base, range }: PushConstantRange) -> Def {
    let (components, bits) = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
    let bytes = u32::from(components) * u32::from(bits) / 8;
    let index = |index| b.shader.index(inst, index);
    let is_vec4 = matches!(b.shader.as_intrinsic(inst), Some((Intrinsic::load_ubo_vec4, _)));
    let align = match is_vec4 {
        true => (16, (index(Index::component) * u32::from(bits) / 8) % 16),
        false => (index(Index::align_mul), index(Index::align_offset)),
    };
    let vec4s = index(Index::base);
    let end = |range_base: u32, range: u32| range_base.checked_add(range).filter(|_| range != 0 && range != u32::MAX);
    let end = end(index(Index::range_base), index(Index::range)).unwrap_or(range);
    let offset = if is_vec4 { byte_of_vec4(b, offset, (vec4s, align.1)) } else { offset };
    let offset = match b.shader.as_const_scalar(offset) {
        None if range != 0 => {
            let (offset, last) = (b.channel(offset, 0), b.imm32(range.saturating_sub(bytes)));
            b.alu(AluOp::umin, &[offset, last])
        }
        _ => offset,
    };
    let indices =
        [(Index::base, base), (Index::range, end), (Index::align_mul, align.0), (Index::align_offset, align.1)];
    b.intrinsic_with(Intrinsic::load_push_constant, components, bits, &[offset], &indices).def()
}

/// The offset in bytes of byte `start` of a vec4, from a number to which `base` is added.
fn byte_of_vec4(b: &mut Builder<'_>, number: Def, (base, start): (u32, u32)) -> Def {
    let number = b.channel(number, 0);
    if let Some(number) = b.shader.as_const_scalar(number) {
        return b.imm32((number as u32).wrapping_add(base).wrapping_mul(16).wrapping_add(start));
    }
    let number = b.iadd_imm(number, base.into());
    let byte = b.ishl_imm(number, 4);
    b.iadd_imm(byte, start.into())
}
