// SPDX-License-Identifier: MIT

//! Residency codes of sparse textures and images become separate values.
//!
//! **What.** NIR appends the code to the texels, in the last component of the result. Here the result keeps only the texels,
//! and `sparse_residency_code` returns the code that belongs to it.
//!
//! **Why.** SPIR-V returns a struct of code and texel, of different types (OpImageSparseSampleImplicitLod). And it has no
//! instruction for the code of two reads: the code of two reads is the one that is not resident, if any.
//!
//! Before:
//!
//! ```text
//! 32x5   %2 = (float32)tex %1 (texture_deref), %0 (coord), sparse
//! 32     %3 = mov %2.e
//! 1      %4 = @is_sparse_texels_resident (%3)
//! ```
//!
//! After:
//!
//! ```text
//! 32x4   %2 = (float32)tex %1 (texture_deref), %0 (0.500000, 0.500000) (coord), 0 (sampler), sparse
//! 32     %3 = @sparse_residency_code (%2)
//! ...
//! 32x5   %8 = vec5 %4, %5, %6, %7, %3
//! 32     %9 = mov %8.e
//! 1     %10 = @is_sparse_texels_resident (%9)
//! ```

use crate::ir::{rewrite, Builder, Def, Edit, Inst, InstKind, Shader};
use crate::op::{AluOp, Facts, Intrinsic};
use crate::pass::{Context, Pass};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_sparse",
    about: "splits residency codes from texels",
    facts: Facts::JOINED_RESIDENCY,
    removes: Facts::JOINED_RESIDENCY,
    run,
    ..Pass::IDLE
};

/// Intrinsics whose source is a vector of texels and residency code.
fn run(shader: &mut Shader, _: &Context) -> bool {
    rewrite(shader, |b, inst| match (b.shader.as_intrinsic(inst), is_sparse_read(b.shader, inst)) {
        (_, true) => Edit::Replace(split(b, inst)),
        (Some((Intrinsic::is_sparse_resident_zink, &[texels])), _) => {
            let code = b.channel(texels, b.shader.num_components(texels) - 1);
            Edit::Replace(is_resident(b, code))
        }
        (Some((Intrinsic::sparse_residency_code_and, &[x, y])), _) => {
            let first_is_resident = is_resident(b, x);
            Edit::Replace(b.alu(AluOp::bcsel, &[first_is_resident, y, x]))
        }
        _ => Edit::Keep,
    })
}

fn is_resident(b: &mut Builder<'_>, code: Def) -> Def {
    b.intrinsic(Intrinsic::is_sparse_texels_resident, 1, 1, &[code]).def()
}

/// True for a read whose result ends in a residency code: it has five components, or two if one is the result of a comparison.
fn is_sparse_read(shader: &Shader, inst: Inst) -> bool {
    let n = shader.insts[inst].num_components;
    match shader.insts[inst].kind {
        InstKind::Tex(tex) => shader.texs[tex].joins_residency(n),
        InstKind::Intrinsic { op, .. } => op == Intrinsic::image_deref_sparse_load && n == 5,
        _ => false,
    }
}

/// The texels of `inst`, followed by its code, each from an instruction of its own.
fn split(b: &mut Builder<'_>, inst: Inst) -> Def {
    let data = b.shader.insts[inst];
    let n = data.num_components - 1;
    let texels = b.inst(n, data.bit_size, data.kind).def();
    let code = b.intrinsic(Intrinsic::sparse_residency_code, 1, 32, &[texels]).def();
    b.vec_of(n + 1, |b, c| match data.bit_size {
        _ if c < n => b.channel(texels, c),
        // A component of the result has its width; codes are small numbers for the shader.
        32 => code,
        16 => b.alu(AluOp::u2u16, &[code]),
        _ => b.alu(AluOp::u2u64, &[code]),
    })
}
