// SPDX-License-Identifier: MIT

//! Lowers subgroup operations to forms that the target has.
//!
//! **What, and why.** NIR's subgroup operations take any width and any number of components; SPIR-V's ballots are four words of
//! 32 bits, and widths other than 32 bits are a feature (`shaderSubgroupExtendedTypes`). Some operations have an instruction
//! only with a newer Vulkan or another feature (rotations, votes of quads, broadcasts from an invocation that is not constant).
//! Before SPIR-V 1.3 there are only votes on booleans, ballots, and broadcasts of 32-bit scalars; see `old`. Each operation is
//! expressed here by operations that exist.
//!
//! Before:
//!
//! ```text
//! 64    %3 = @ballot (%2)
//! ```
//!
//! After:
//!
//! ```text
//! 32x4  %3 = @ballot (%2)
//! 32x2  %4 = mov %3.xy
//! 64    %5 = pack_64_2x32 %4
//! ```
//!
//! The result of a rule is lowered again. This ends: rules split vectors first, then widths, then operations.

mod moves;
mod old;

use crate::ir::{rewrite, Builder, Def, Edit, Inst, Shader};
use crate::op::meaning::IntrinsicForm;
use crate::op::Intrinsic::{self, *};
use crate::op::{AluOp, Base, Facts, Index};
use crate::pass::{Context, Pass};
use crate::target::{Feature, Target};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_subgroups",
    about: "lowers subgroup operations to forms that the target has",
    facts: Facts::SUBGROUPS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    rewrite(shader, |builder, inst| {
        let Some(call) = Call::of(builder.shader, inst) else { return Edit::Keep };
        let mut lower = Lower { builder, target: &context.target };
        lower.lowered(&call).map_or(Edit::Keep, Edit::Replace)
    })
}

/// A subgroup operation: its opcode, the shape of its result, its operands and indices.
#[derive(Clone, Copy, Debug)]
struct Call {
    op: Intrinsic,
    components: u8,
    bits: u8,
    /// The value operand; the last operand if there is none.
    value: Def,
    /// The invocation, distance or bit.
    other: Option<Def>,
    /// Indices `reduction_op` and `cluster_size`.
    reduction: u32,
    cluster: u32,
}

impl Call {
    fn of(shader: &Shader, inst: Inst) -> Option<Call> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        if !op.info().facts.contains(Facts::SUBGROUPS) {
            return None;
        }
        Some(Call {
            op,
            components: shader.insts[inst].num_components,
            bits: shader.insts[inst].bit_size,
            value: srcs.first().copied().unwrap_or(inst.def()),
            other: srcs.get(1).copied(),
            reduction: shader.index(inst, Index::reduction_op),
            cluster: shader.index(inst, Index::cluster_size),
        })
    }

    fn reduction_op(&self) -> Option<AluOp> {
        AluOp::ALL.get(self.reduction as usize).copied()
    }
}

/// Whether it is a mask of invocations: no other built-in input is a subgroup operation.
fn is_mask(op: Intrinsic) -> bool {
    matches!(op.info().form, IntrinsicForm::BuiltIn(..))
}

/// Whether it is a vote on whether numbers are equal.
fn is_vote(op: Intrinsic) -> bool {
    matches!(op.info().form, IntrinsicForm::Vote(_, _, Base::Float | Base::Uint))
}

fn is_reduction(op: Intrinsic) -> bool {
    matches!(op.info().form, IntrinsicForm::Reduction(_))
}

/// Builds subgroup operations that the target has.
struct Lower<'a, 'b> {
    builder: &'a mut Builder<'b>,
    target: &'a Target,
}

impl Lower<'_, '_> {
    /// The result of a call, built from operations that the target has; `None` if the target has the call itself.
    fn lowered(&mut self, call: &Call) -> Option<Def> {
        match call.op {
            ballot | ballot_relaxed => self.ballot_shape(call),
            op if is_mask(op) => self.ballot_shape(call),
            inverse_ballot if self.shape(call.value) != (4, 32) => {
                let words = self.four_words(call.value);
                Some(self.call(&Call { value: words, ..*call }))
            }
            // A reduction over four invocations by definition.
            quad_vote_any => Some(self.quad_vote(call, AluOp::ior)),
            quad_vote_all => Some(self.quad_vote(call, AluOp::iand)),
            reduce if call.cluster == 1 => Some(call.value),
            op if is_reduction(op) => self.reduction_width(call),
            op if is_vote(op) => self.vote_width(call).or_else(|| self.old_vote(call)),
            op if op.moves_between_invocations() => self.moved(call),
            _ if self.is_old() => self.old_query(call),
            _ => None,
        }
    }

    /// Emits a call, or its lowered form.
    fn call(&mut self, call: &Call) -> Def {
        if let Some(result) = self.lowered(call) {
            return result;
        }
        let takes = call.op.info().srcs.len();
        let srcs = [call.value, call.other.unwrap_or(call.value)];
        let indices = [(Index::reduction_op, call.reduction), (Index::cluster_size, call.cluster)];
        self.builder.intrinsic_with(call.op, call.components, call.bits, &srcs[..takes], &indices).def()
    }

    /// An operation on a value without indices.
    fn simple(&mut self, op: Intrinsic, components: u8, bits: u8, value: Def) -> Def {
        self.call(&Call { op, components, bits, value, other: None, reduction: 0, cluster: 0 })
    }

    /// An intrinsic without operands, and with one component.
    fn system_value(&mut self, op: Intrinsic) -> Def {
        self.builder.intrinsic(op, 1, 32, &[]).def()
    }

    /// Whether SPIR-V has no subgroups in its core.
    fn is_old(&self) -> bool {
        self.target.spirv_version() < (1, 3)
    }

    /// Whether operations take integers of this width.
    fn takes_width(&self, bits: u8) -> bool {
        matches!(bits, 1 | 32) || !self.is_old() && self.target.has(Feature::shaderSubgroupExtendedTypes)
    }

    fn shape(&self, def: Def) -> (u8, u8) {
        (self.builder.shader.num_components(def), self.builder.shader.bit_size(def))
    }

    /// Lowers a ballot or mask that is not a vector of up to four words of 32 bits.
    fn ballot_shape(&mut self, call: &Call) -> Option<Def> {
        if call.bits != 64 {
            return None;
        }
        let words = self.simple_like(call, 4, 32);
        Some(self.builder.vec_of(call.components, |b, c| match c {
            0 | 1 => {
                let pair = b.swizzle(words, &[2 * c, 2 * c + 1]);
                b.alu(AluOp::pack_64_2x32, &[pair])
            }
            // A ballot has 128 bits.
            _ => b.imm(64, 0),
        }))
    }

    fn simple_like(&mut self, call: &Call, components: u8, bits: u8) -> Def {
        self.call(&Call { components, bits, ..*call })
    }

    /// A ballot of any shape as four words.
    fn four_words(&mut self, value: Def) -> Def {
        let (components, bits) = self.shape(value);
        let mut words = Vec::with_capacity(8);
        for c in 0..components {
            let part = self.builder.channel(value, c);
            if bits == 64 {
                words.push(self.builder.alu(AluOp::unpack_64_2x32_split_x, &[part]));
                words.push(self.builder.alu(AluOp::unpack_64_2x32_split_y, &[part]));
            } else {
                words.push(self.builder.alu(AluOp::u2u32, &[part]));
            }
        }
        while words.len() < 4 {
            words.push(self.builder.imm32(0));
        }
        self.builder.vec(&words[..4])
    }

    fn quad_vote(&mut self, call: &Call, op: AluOp) -> Def {
        let (reduction, cluster) = (op as u32, 4);
        self.call(&Call { op: reduce, components: 1, bits: 1, value: call.value, other: None, reduction, cluster })
    }

    /// The results of `per_component` for each component of a value, as a vector.
    fn per_component(&mut self, value: Def, mut per_component: impl FnMut(&mut Self, Def) -> Def) -> Def {
        let parts: Vec<Def> = (0..self.shape(value).0)
            .map(|c| {
                let part = self.builder.channel(value, c);
                per_component(self, part)
            })
            .collect();
        self.builder.vec(&parts)
    }

    /// Applies `half` to the two halves of a 64-bit scalar, and packs the results to 64 bits.
    fn by_halves(&mut self, value: Def, mut half: impl FnMut(&mut Self, Def) -> Def) -> Def {
        let [low, high] = self.halves(value).map(|part| half(self, part));
        self.builder.alu(AluOp::pack_64_2x32_split, &[low, high])
    }

    fn halves(&mut self, value: Def) -> [Def; 2] {
        let low = self.builder.alu(AluOp::unpack_64_2x32_split_x, &[value]);
        [low, self.builder.alu(AluOp::unpack_64_2x32_split_y, &[value])]
    }

    /// A reduction of a width that the target does not take: small numbers in 32 bits, bitwise operations on 64 bits by halves.
    /// `check` refused other 64-bit integers; doubles need no feature.
    fn reduction_width(&mut self, call: &Call) -> Option<Def> {
        if self.takes_width(call.bits) {
            return None;
        }
        let op = call.reduction_op()?;
        if call.bits == 64 {
            if !matches!(op, AluOp::iand | AluOp::ior | AluOp::ixor) {
                return None;
            }
            return Some(self.per_component(call.value, |l, part| {
                l.by_halves(part, |l, half| l.call(&Call { components: 1, bits: 32, value: half, ..*call }))
            }));
        }
        let (widen, narrow) = match op {
            AluOp::fadd | AluOp::fmul | AluOp::fmin | AluOp::fmax => (AluOp::f2f32, AluOp::f2f16),
            AluOp::imin | AluOp::imax => (AluOp::i2i32, narrow_int(call.bits)),
            _ => (AluOp::u2u32, narrow_int(call.bits)),
        };
        let wide = self.builder.alu(widen, &[call.value]);
        let result = self.call(&Call { bits: 32, value: wide, ..*call });
        Some(self.builder.alu(narrow, &[result]))
    }

    /// A vote on values of a width that the target does not take.
    fn vote_width(&mut self, call: &Call) -> Option<Def> {
        let (components, bits) = self.shape(call.value);
        let is_double = bits == 64 && call.op == vote_feq;
        if self.takes_width(bits) || is_double && !self.is_old() {
            return None;
        }
        if bits != 64 {
            let widen = if call.op == vote_feq { AluOp::f2f32 } else { AluOp::u2u32 };
            let wide = self.builder.alu(widen, &[call.value]);
            return Some(self.call(&Call { value: wide, ..*call }));
        }
        if is_double {
            return None;
        }
        let mut all = self.builder.imm(1, 1);
        for c in 0..components {
            let part = self.builder.channel(call.value, c);
            for half in self.halves(part) {
                let equal = self.call(&Call { value: half, ..*call });
                all = self.builder.alu(AluOp::iand, &[all, equal]);
            }
        }
        Some(all)
    }
}

/// The conversion of a 32-bit integer to `bits`.
fn narrow_int(bits: u8) -> AluOp {
    if bits == 8 {
        AluOp::u2u8
    } else {
        AluOp::u2u16
    }
}
