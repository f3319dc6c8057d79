// SPDX-License-Identifier: MIT

//! Operations on floats of 16 bits, for a target without them: operations on floats of 32 bits, whose result is rounded to 16.
//!
//! That is what the operations mean, for each of them for one of these reasons:
//!
//! | operations | reason |
//! |-|-|
//! | comparisons, conversions to integers and to wider floats | a float of 16 bits is one of 32 bits |
//! | minimum, maximum, integers nearby, signs | the result is a float of 16 bits, so it is not rounded |
//! | sum, difference, product, quotient, square root | to round to 24 bits and then to 11 is to round to 11, as 24 >= 2 · 11 + 2 (Figueroa, "When is double rounding innocuous?") |
//! | conversions from integers | one that is not a float of 32 bits is infinite in 16, and so is what it is rounded to |
//! | `ffma`, products of vectors, sine, ... | Vulkan allows a greater error than that of both roundings |
//!
//! The sign and the payload of a NaN are not defined.

use super::Operation;
use crate::term::{Arena, Op, Term};
use ntv::op::fold::{from_float, to_float};
use ntv::op::AluOp::{self, *};
use ntv::op::{Base, Operand};

/// The conversion itself, operations that depend on the width of a float, and those that are made of operations that are rounded one by
/// one.
const AS_THEY_ARE: &[AluOp] = &[f2f32, fisnormal, fsum2, fsum3, fsum4, fdph, fdph_replicated];

/// Operations that SPIR-V has on floats of 32 bits only.
pub(super) const IN_32_BITS: &[AluOp] = &[fquantize2f16, pack_unorm_2x16, pack_snorm_2x16];

fn has_any_width(operand: &Operand) -> bool {
    operand.ty.base == Base::Float && operand.ty.bits == 0
}

impl Arena {
    /// Computes operations on floats of 16 bits in 32 bits, or as they are.
    pub fn set_halves_in_32_bits(&mut self, are_in_32_bits: bool) {
        self.halves_in_32_bits = are_in_32_bits;
    }

    /// An operation on floats of 16 bits in 32 bits. `None` for one without such operands, and for one that only moves them.
    pub(super) fn in_32_bits(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, component, srcs, .. } = *x;
        let info = op.info();
        let is_half = |arena: &Arena, i: usize| has_any_width(&info.srcs[i]) && arena.width(srcs[i][0]) == 16;
        let is_moved = info.moves_bits() || info.dest.ty.base == Base::Float && info.dest.ty.bits == 16;
        if is_moved || AS_THEY_ARE.contains(&op) || !(0..srcs.len()).any(|i| is_half(self, i)) {
            return None;
        }
        let mut wide = srcs.to_vec();
        for (i, src) in wide.iter_mut().enumerate() {
            if is_half(self, i) {
                src.iter_mut().for_each(|term| *term = self.scalar(f2f32, 32, &[*term]));
            }
        }
        if !has_any_width(&info.dest) {
            return Some(self.alu(op, width, component, &wide));
        }
        let result = self.alu(op, 32, component, &wide);
        Some(self.scalar(f2f16, 16, &[result]))
    }

    /// A conversion of a float that was converted before, if it is one conversion.
    pub(super) fn converted_twice(&mut self, x: &Operation<'_>) -> Option<Term> {
        let inner = self.node(x.args[0]).clone();
        match (x.op, inner.op) {
            (f2f16, Op::Alu(i2f32)) => Some(self.scalar(i2f16, 16, &inner.args)),
            (f2f16, Op::Alu(u2f32)) => Some(self.scalar(u2f16, 16, &inner.args)),
            // A side that is known, or undefined, stays so.
            (f2f16, Op::Ite) if inner.args[1..].iter().any(|side| self.is_known(*side)) => {
                let [yes, no] = [inner.args[1], inner.args[2]].map(|side| match self.is_undefined(side) {
                    true => self.undefined(16),
                    false => self.scalar(f2f16, 16, &[side]),
                });
                Some(self.ite(inner.args[0], yes, no))
            }
            (f2f32, Op::Alu(f2f16)) => Some(inner.args[0]).filter(|value| self.is_half(*value, 8)),
            _ => None,
        }
    }

    fn is_known(&self, term: Term) -> bool {
        self.as_const(term).is_some() || self.is_undefined(term)
    }

    /// Whether a float of 32 bits is one of 16, looking through `depth` operations. A NaN is the one of the folds.
    fn is_half(&self, term: Term, depth: u32) -> bool {
        if self.width(term) != 32 {
            return false;
        }
        if let Some(value) = self.as_const(term) {
            let half = from_float(to_float(value, 32), 16);
            return from_float(to_float(half, 16), 32) == value;
        }
        let node = self.node(term);
        let of = |i: usize| depth > 0 && self.is_half(node.args[i], depth - 1);
        match node.op {
            Op::Ite => of(1) && of(2),
            Op::Mask => node.immediates[0] == 0x7fff_ffff && of(0),
            Op::Alu(f2f32) => self.width(node.args[0]) == 16,
            Op::Alu(fmin | fmax) => of(0) && of(1),
            Op::Alu(ffloor | fceil | ftrunc | fround_even) => of(0),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs;
    use crate::rows::Row;
    use ntv::op::Props;

    /// Whether the result is the nearest float of 16 bits, and so has to be the same.
    fn is_nearest(op: AluOp) -> bool {
        matches!(op, fdiv | frcp | fsqrt | ffract) || !op.info().props.contains(Props::IMPRECISE)
    }

    /// The result of a row for numbers.
    fn result(row: Row, numbers: &[u64], in_32_bits: bool) -> Option<u64> {
        let arena = &mut Arena::new();
        let mut numbers = numbers.iter().copied();
        let mut source = |(count, bits): (u8, u8)| -> Vec<Term> {
            numbers.by_ref().take(count.into()).map(|number| arena.constant(bits, number)).collect()
        };
        let srcs: Vec<Vec<Term>> = row.op.info().srcs.iter().map(|src| source(row.shape(src))).collect();
        let (op, width) = (row.op, row.result().1);
        let args: Vec<Term> = srcs.iter().map(|src| src[0]).collect();
        let term = match in_32_bits {
            true => arena.in_32_bits(&Operation { op, width, component: 0, srcs: &srcs, args: &args })?,
            false => arena.alu(op, width, 0, &srcs),
        };
        arena.as_const(term)
    }

    /// The most cases of a row, of the many of one short operand.
    const CASES: usize = 1000;

    /// Rounding twice gives what rounding once gives, for special and random inputs.
    #[test]
    fn rounding_twice_is_innocent() {
        let mut compared = 0;
        for row in Row::all().into_iter().filter(|row| row.width == 16 && is_nearest(row.op)) {
            let bits = row.result().1;
            let is_nan = |value| bits > 8 && to_float(value, bits).is_nan();
            let cases = inputs::cases(row, 2000);
            let every = (cases.len() / CASES).max(1);
            for case in cases.into_iter().step_by(every) {
                let Some(found) = result(row, &case, true) else { continue };
                let Some(expected) = result(row, &case, false) else { continue };
                let is_same = found == expected || is_nan(found) && is_nan(expected);
                assert!(is_same, "{} of {case:x?}: {found:#x}, not {expected:#x}", row.name());
                compared += 1;
            }
        }
        assert!(compared > 50_000, "{compared}");
    }
}
