// SPDX-License-Identifier: MIT

//! Arithmetic of floats: signs, comparisons, and what is composed of others.

use super::{float_one, limits, Operation};
use crate::term::{Arena, Op, Term};
use ntv::op::fold::to_float;
use ntv::op::AluOp::{self, *};

impl Arena {
    /// Opcodes of floats that other operations define.
    pub(super) fn floats(&mut self, x: &Operation<'_>) -> Option<Term> {
        let parts = [Arena::arithmetic, Arena::float_comparisons, Arena::float_conversions];
        parts.iter().find_map(|part| part(self, x))
    }

    /// Signs, and what is composed of other operations.
    fn arithmetic(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, srcs, args, .. } = *x;
        let sign = 1u64 << (self.width(args[0]) - 1);
        Some(match op {
            fneg => self.negated(args[0]),
            fabs => {
                let inner = self.without_sign(args[0]);
                self.mask(inner, sign - 1)
            }
            fsub => {
                let negated = self.negated(args[1]);
                self.scalar(fadd, width, &[args[0], negated])
            }
            // The sign of a product is apart: -a · b is -(a · b).
            fmul => {
                let ([a, b], is_negative) = self.apart([args[0], args[1]]);
                if is_negative {
                    let product = self.scalar(fmul, width, &[a, b]);
                    return Some(self.negated(product));
                }
                let one = float_one(width);
                if self.as_const(b) == Some(one) {
                    return Some(a);
                }
                if self.as_const(a) == Some(one) {
                    return Some(b);
                }
                return None;
            }
            fdiv => {
                let ([a, b], is_negative) = self.apart([args[0], args[1]]);
                if is_negative {
                    let quotient = self.scalar(fdiv, width, &[a, b]);
                    return Some(self.negated(quotient));
                }
                return None;
            }
            // A product with 0 is 0, even if the other factor is infinite or NaN.
            fmulz | ffmaz => {
                let zero = self.constant(width, 0);
                let [a, b] = [0, 1].map(|i: usize| self.scalar(feq, 1, &[args[i], zero]));
                let is_zero = self.either(a, b);
                let (none, product) = match op {
                    fmulz => (zero, self.scalar(fmul, width, args)),
                    _ => (self.scalar(fadd, width, &[args[2], zero]), self.scalar(ffma, width, args)),
                };
                self.ite(is_zero, none, product)
            }
            frcp => {
                let one = self.constant(width, float_one(width));
                self.scalar(fdiv, width, &[one, args[0]])
            }
            // NaN has the sign 0.
            fsign => {
                let number = self.scalar(feq, 1, &[args[0], args[0]]);
                let sign = self.row(fsign, width, 0, srcs);
                let zero = self.constant(width, 0);
                self.ite(number, sign, zero)
            }
            ffract => {
                let floor = self.scalar(ffloor, width, &[args[0]]);
                self.scalar(fsub, width, &[args[0], floor])
            }
            _ => return None,
        })
    }

    /// The first number if all components of two sources are equal floats, and the second if not.
    fn by_equality(&mut self, srcs: &[Vec<Term>], width: u8, numbers: [u64; 2]) -> Term {
        let mut same = self.boolean(true);
        for (a, b) in srcs[0].iter().zip(&srcs[1]) {
            let equal = self.scalar(feq, 1, &[*a, *b]);
            same = self.both(same, equal);
        }
        let [equal, different] = numbers.map(|value| self.constant(width, value));
        self.ite(same, equal, different)
    }

    /// `made` if all of these floats are numbers, and undefined if one is NaN.
    pub(crate) fn of_numbers(&mut self, floats: &[Term], made: Term) -> Term {
        let mut all = self.boolean(true);
        for float in floats {
            let is_number = self.scalar(feq, 1, &[*float, *float]);
            all = self.both(all, is_number);
        }
        let undefined = self.undefined(self.width(made));
        self.ite(all, made, undefined)
    }

    /// Comparisons.
    fn float_comparisons(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, srcs, args, .. } = *x;
        let source_width = self.width(args[0]);
        Some(match op {
            feq if args[0] == args[1] && self.is_number(args[0], 8) => self.boolean(true),
            fneu => self.not_scalar(feq, args),
            fltu => self.not_scalar(fge, args),
            fgeu => self.not_scalar(flt, args),
            fequ => self.not_scalar(fneo, args),
            funord | ford => {
                let [a, b] = [args[0], args[1]].map(|arg| self.scalar(feq, 1, &[arg, arg]));
                let ordered = self.both(a, b);
                if op == ford {
                    ordered
                } else {
                    self.not(ordered)
                }
            }
            fisfinite | fisnormal => {
                let magnitude = self.scalar(fabs, source_width, &[args[0]]);
                let (infinity, least) = limits(source_width);
                let [infinity, least] = [infinity, least].map(|value| self.constant(source_width, value));
                let finite = self.scalar(flt, 1, &[magnitude, infinity]);
                if op == fisfinite {
                    return Some(finite);
                }
                let enough = self.scalar(fge, 1, &[magnitude, least]);
                self.both(enough, finite)
            }
            fall_equal2 | fall_equal3 | fall_equal4 | fall_equal5 | fall_equal8 | fall_equal16 => {
                self.by_equality(srcs, width, [float_one(width), 0])
            }
            fany_nequal2 | fany_nequal3 | fany_nequal4 | fany_nequal5 | fany_nequal8 | fany_nequal16 => {
                self.by_equality(srcs, width, [0, float_one(width)])
            }
            slt | sge | seq | sne => {
                let compare = [(slt, flt), (sge, fge), (seq, feq), (sne, fneu)].iter().find(|pair| pair.0 == op)?.1;
                let condition = self.scalar(compare, 1, args);
                let [one, zero] = [float_one(width), 0].map(|value| self.constant(width, value));
                self.ite(condition, one, zero)
            }
            fcsel | fcsel_gt | fcsel_ge => {
                let zero = self.constant(width, 0);
                let condition = match op {
                    fcsel => self.scalar(fneu, 1, &[args[0], zero]),
                    fcsel_gt => self.scalar(flt, 1, &[zero, args[0]]),
                    _ => self.scalar(fge, 1, &[args[0], zero]),
                };
                self.ite(condition, args[1], args[2])
            }
            _ => return None,
        })
    }

    /// Limits and conversions.
    fn float_conversions(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, srcs, args, .. } = *x;
        let sign = 1u64 << (self.width(args[0]) - 1);
        Some(match op {
            fsat | fsat_signed | fclamp_pos => {
                let one = float_one(width);
                let low = if op == fsat_signed { one | sign } else { 0 };
                let [low, high] = [low, one].map(|value| self.constant(width, value));
                let above = self.scalar(fmax, width, &[args[0], low]);
                if op == fclamp_pos {
                    return Some(above);
                }
                self.scalar(fmin, width, &[above, high])
            }
            f2f16 | f2f32 | f2f64 if self.width(args[0]) == width => args[0],
            i2f16 | i2f32 | i2f64 | u2f16 | u2f32 | u2f64 if self.width(args[0]) < 32 => {
                let wide = self.extended(args[0], 32, matches!(op, i2f16 | i2f32 | i2f64));
                self.scalar(op, width, &[wide])
            }
            f2f16 | f2f32 => self.converted_twice(x)?,
            f2f16_rtne | f2fmp => self.scalar(f2f16, width, &[args[0]]),
            f2imp => self.scalar(f2i16, width, &[args[0]]),
            f2ump => self.scalar(f2u16, width, &[args[0]]),
            i2fmp => self.scalar(i2f16, width, &[args[0]]),
            u2fmp => self.scalar(u2f16, width, &[args[0]]),
            pack_half_2x16 => {
                let halves = [0, 1].map(|c| self.scalar(f2f16, 16, &[srcs[0][c]]));
                self.joined(&halves)
            }
            pack_half_2x16_split => {
                let vector = vec![args[0], args[1]];
                self.alu(pack_half_2x16, width, 0, &[vector])
            }
            unpack_half_2x16 => {
                let half = self.part(args[0], 16 * x.component as u8, 16);
                self.scalar(f2f32, 32, &[half])
            }
            unpack_half_2x16_split_x | unpack_half_2x16_split_y => {
                let component = usize::from(op == unpack_half_2x16_split_y);
                self.alu(unpack_half_2x16, width, component, &[vec![args[0]]])
            }
            f2f16_rtz if self.width(args[0]) == width => args[0],
            // The nearest number, or the one before it if that is farther from 0.
            f2f16_rtz => {
                let nearest = self.scalar(f2f16, 16, &[args[0]]);
                let wide = self.width(args[0]);
                let back = self.scalar(if wide == 64 { f2f64 } else { f2f32 }, wide, &[nearest]);
                let [value, back] = [args[0], back].map(|number| self.scalar(fabs, wide, &[number]));
                let is_away = self.scalar(flt, 1, &[value, back]);
                let before = self.plus(nearest, 0xffff);
                self.ite(is_away, before, nearest)
            }
            pack_half_2x16_rtz_split => {
                let halves = [0, 1].map(|i| self.scalar(f2f16_rtz, 16, &[args[i]]));
                self.joined(&halves)
            }
            f2i1 | f2u1 => {
                let wide = self.scalar(if op == f2i1 { f2i32 } else { f2u32 }, 32, &[args[0]]);
                self.trunc(wide, 1)
            }
            fsum2 | fsum3 | fsum4 => self.sum_of_floats(width, &srcs[0]),
            fdph | fdph_replicated => {
                let products: Vec<Term> = (0..3).map(|c| self.scalar(fmul, width, &[srcs[0][c], srcs[1][c]])).collect();
                let first = self.scalar(fadd, width, &products[..2]);
                let dot = self.scalar(fadd, width, &[first, products[2]]);
                self.scalar(fadd, width, &[dot, srcs[1][3]])
            }
            fdot2_replicated | fdot3_replicated | fdot4_replicated => {
                let dot = [(fdot2_replicated, fdot2), (fdot3_replicated, fdot3), (fdot4_replicated, fdot4)];
                let dot = dot.iter().find(|pair| pair.0 == op)?.1;
                self.alu(dot, width, 0, srcs)
            }
            _ => return None,
        })
    }

    /// The sum of floats in NIR's order: halves in pairs, then their sums.
    fn sum_of_floats(&mut self, width: u8, parts: &[Term]) -> Term {
        let mut parts = parts.to_vec();
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => self.scalar(fadd, width, &[*a, *b]),
                    _ => pair[0],
                })
                .collect();
        }
        parts[0]
    }

    /// Whether a float is certainly not NaN, looking through `depth` operations.
    fn is_number(&self, term: Term, depth: u32) -> bool {
        if let Some(value) = self.as_const(term) {
            return !to_float(value, self.width(term)).is_nan();
        }
        let node = self.node(term);
        let of = |i: usize| depth > 0 && self.is_number(node.args[i], depth - 1);
        let sign = 1u64 << (node.width - 1);
        match node.op {
            Op::Ite => of(1) && of(2),
            Op::Sum => matches!(*node.immediates, [constant, 1] if constant == sign) && of(0),
            Op::Mask => node.immediates[0] == sign - 1 && of(0),
            Op::Alu(fmin | fmax) => of(0) || of(1),
            Op::Alu(i2f16 | i2f32 | i2f64 | u2f16 | u2f32 | u2f64) => true,
            Op::Alu(ffloor | fceil | ftrunc | fround_even | fsign | f2f32 | f2f64) => of(0),
            _ => false,
        }
    }

    fn not_scalar(&mut self, op: AluOp, args: &[Term]) -> Term {
        let condition = self.scalar(op, 1, args);
        self.not(condition)
    }

    /// `term` with the other sign: the sign bit is one of the sum, where carries do not matter.
    pub fn negated(&mut self, term: Term) -> Term {
        let width = self.width(term);
        self.combination(width, 1 << (width - 1), &[(term, 1)])
    }

    /// The term of which `term` is the negation, if it is written as one.
    fn as_negated(&self, term: Term) -> Option<Term> {
        let width = self.width(term);
        let sign = 1u64 << (width - 1);
        let node = self.node(term);
        match (node.op, &*node.immediates, &*node.args) {
            (Op::Sum, [constant, 1], [inner]) if *constant == sign => Some(*inner),
            _ => None,
        }
    }

    /// A term with the same absolute value as a float, without a negation.
    fn without_sign(&self, term: Term) -> Term {
        self.as_negated(term).unwrap_or(term)
    }

    /// Factors without negations, and whether their number was odd. Of constants, the sign is taken, too.
    fn apart(&mut self, factors: [Term; 2]) -> ([Term; 2], bool) {
        let mut is_negative = false;
        let factors = factors.map(|factor| {
            if let Some(inner) = self.as_negated(factor) {
                is_negative = !is_negative;
                return inner;
            }
            let width = self.width(factor);
            match self.as_const(factor) {
                Some(value) if value >> (width - 1) & 1 != 0 => {
                    is_negative = !is_negative;
                    self.constant(width, value ^ 1 << (width - 1))
                }
                _ => factor,
            }
        });
        (factors, is_negative)
    }
}
