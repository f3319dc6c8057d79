// SPDX-License-Identifier: MIT

//! Loads the lower halves of 64-bit numbers of uniform blocks, where nothing else of them is used.
//!
//! A compiler that loads numbers of 64 bits as such splits them after it has merged loads, if at all: see `docs/spirv-shapes.md`.
//!
//! Before:
//!
//! ```text
//! 64     %3 = @load_ubo (%0 (0x0), %1 (0x8))
//! 32     %4 = u2u32 %3
//! ```
//!
//! After:
//!
//! ```text
//! 32     %5 = @load_ubo (%0 (0x0), %1 (0x8))
//! ```

use crate::ir::{rewrite, Builder, Def, Edit, Inst, InstKind, Shader};
use crate::op::{AluOp, Facts, Index, Intrinsic};
use rustc_hash::FxHashSet;

/// The operations that read the lower half of a number.
const LOWER: [AluOp; 3] = [AluOp::u2u32, AluOp::i2i32, AluOp::unpack_64_2x32_split_x];

/// Changes such loads at constant offsets. `read` is memory for the values of which more is read.
pub(super) fn load_lower_halves(shader: &mut Shader, read: &mut FxHashSet<Def>) {
    if !shader.facts().contains(Facts::BITS_64) || !shader.order.iter().any(|inst| is_load(shader, *inst)) {
        return;
    }
    read.clear();
    for inst in &shader.order {
        if lower_half(shader, *inst).is_none() {
            shader.for_each_src(*inst, |def| {
                if shader.bit_size(def) == 64 {
                    read.insert(def);
                }
            });
        }
    }
    if shader.order.iter().all(|inst| !is_load(shader, *inst) || read.contains(&inst.def())) {
        return;
    }
    rewrite(shader, |b, inst| {
        if is_load(b.shader, inst) && !read.contains(&inst.def()) {
            return Edit::Remove;
        }
        match lower_half(b.shader, inst).filter(|load| is_load(b.shader, *load) && !read.contains(&load.def())) {
            Some(load) => Edit::Replace(load_half(b, load, inst)),
            None => Edit::Keep,
        }
    });
}

/// Whether it loads numbers of 64 bits at a constant offset.
fn is_load(shader: &Shader, inst: Inst) -> bool {
    shader.insts[inst].bit_size == 64
        && shader.as_intrinsic(inst).is_some_and(|(op, srcs)| {
            op == Intrinsic::load_ubo && srcs.iter().all(|src| shader.as_const_scalar(*src).is_some())
        })
}

/// The instruction of the numbers whose lower halves `inst` is.
fn lower_half(shader: &Shader, inst: Inst) -> Option<Inst> {
    let InstKind::Alu { op, .. } = shader.insts[inst].kind else { return None };
    let (_, srcs) = shader.as_alu(inst.def()).filter(|_| LOWER.contains(&op))?;
    Some(srcs[0].def.inst())
}

/// The value of `inst`, which is the lower halves of some of the numbers that `load` loads.
fn load_half(b: &mut Builder<'_>, load: Inst, inst: Inst) -> Def {
    let count = b.shader.insts[inst].num_components;
    let swizzle = b.shader.as_alu(inst.def()).map(|(_, srcs)| srcs[0].swizzle);
    let srcs = b.shader.as_intrinsic(load).map(|(_, srcs)| [srcs[0], srcs[1]]);
    let (Some(swizzle), Some([block, offset])) = (swizzle, srcs) else { return inst.def() };
    let start = b.shader.as_const_scalar(offset).unwrap_or(0) as u32;
    let [access, mul, align, base, range] =
        [Index::access, Index::align_mul, Index::align_offset, Index::range_base, Index::range]
            .map(|index| b.shader.index(load, index));
    b.vec_of(count, |b, component| {
        let ahead = 8 * u32::from(swizzle.get(usize::from(component)));
        let offset = if ahead == 0 { offset } else { b.imm32(start.wrapping_add(ahead)) };
        let align = align.wrapping_add(ahead) % mul.max(1);
        let indices = [
            (Index::access, access),
            (Index::align_mul, mul),
            (Index::align_offset, align),
            (Index::range_base, base),
            (Index::range, range),
        ];
        b.intrinsic_with(Intrinsic::load_ubo, 1, 32, &[block, offset], &indices).def()
    })
}
