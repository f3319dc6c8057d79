// SPDX-License-Identifier: MIT

//! The number of instructions that passes make. A pass cannot fail, so a shader of which passes would make too many is refused
//! before they run: a few lines of NIR must not take seconds, nor memory without a bound.
//!
//! | made of | instructions |
//! |-|-|
//! | an operation on doubles, without `shaderFloat64` | [`DOUBLE`] for each component |
//! | an operation on 64-bit integers, without `shaderInt64` | [`INT64`] for each component |
//! | an access to one of several blocks, without the feature for its index | those of the access, for each block: see [`block_picks`](super::block_picks) |

use super::feature_check::FeatureCheck;
use crate::ir::{Inst, InstKind, Shader};
use crate::op::meaning::MemoryOperation;
use crate::op::{Base, Facts, Index};
use crate::target::Feature;

/// The most instructions that passes may make of accesses, by ifs: 0.2 s and 30 MB, whatever the size of the shader.
pub(super) const MOST_OF_ACCESSES: usize = 1 << 18;

/// The most instructions that passes may make of operations. The size of a shader is a bound, too, so that more are useful.
const MOST_OF_OPERATIONS: usize = 1 << 21;

/// The most instructions of an operation on one number (`flrp`, `irem`).
const DOUBLE: usize = 800;
const INT64: usize = 220;

/// The instructions for a 32-bit word of an access, and for a byte of a store at an offset that may be in the middle of a word.
const WORD: usize = 6;
const BYTE: usize = 7;

impl FeatureCheck<'_> {
    /// Reports the operation on numbers of 64 bits from which on passes would make too many instructions.
    pub(super) fn check_growth(&mut self) {
        let shader = self.report.shader;
        let lacks = |feature| !self.target.has(feature);
        let costs = [(Feature::shaderFloat64, DOUBLE), (Feature::shaderInt64, INT64)].map(|(feature, cost)| {
            if lacks(feature) {
                cost
            } else {
                0
            }
        });
        if costs == [0; 2] || !shader.inventory().may_have(Facts::widths(64)) {
            return;
        }
        let mut made = 0;
        for inst in &shader.order {
            made += made_of(shader, *inst, costs);
            if made > MOST_OF_OPERATIONS {
                let what = "this and the operations before would become";
                return self
                    .report
                    .at(*inst, format_args!("{what} {made} instructions, {MOST_OF_OPERATIONS} are the most"));
            }
        }
    }
}

/// The number of instructions that an operation on numbers of 64 bits becomes, by the costs of one on a double and an integer.
fn made_of(shader: &Shader, inst: Inst, [double, integer]: [usize; 2]) -> usize {
    let InstKind::Alu { op, srcs, .. } = shader.insts[inst].kind else { return 0 };
    let data = shader.insts[inst];
    let info = op.info();
    let srcs =
        shader.alu_srcs[srcs].iter().zip(info.srcs).map(|(src, operand)| (shader.bit_size(src.def), operand.ty.base));
    let wide = srcs.chain([(data.bit_size, info.dest.ty.base)]).filter(|(bits, _)| *bits == 64);
    let costs = wide.map(|(_, base)| if base == Base::Float { double } else { integer });
    usize::from(data.num_components) * costs.max().unwrap_or(0)
}

/// The number of instructions of an access to memory.
pub(super) fn made_of_access(shader: &Shader, inst: Inst) -> usize {
    let data = shader.insts[inst];
    let (op, srcs) = shader.as_intrinsic(inst).expect("an access is an intrinsic");
    let (n, bits) = match op.info().value.filter(|_| !data.has_def()) {
        Some(value) => (shader.num_components(srcs[usize::from(value)]), shader.bit_size(srcs[usize::from(value)])),
        None => (data.num_components, data.bit_size),
    };
    let bytes = (usize::from(n) * usize::from(bits)).div_ceil(8);
    let is_store = op.info().memory.is_some_and(|memory| memory.operation == MemoryOperation::Store);
    let is_split = op.info().has_index(Index::align_mul)
        && (shader.index(inst, Index::align_mul) % 4 != 0 || shader.index(inst, Index::align_offset) % 4 != 0);
    if is_store && (is_split || bits < 32) {
        BYTE * bytes
    } else {
        WORD * bytes.div_ceil(4) * if is_split { 2 } else { 1 }
    }
}
