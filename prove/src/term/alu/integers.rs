// SPDX-License-Identifier: MIT

//! Arithmetic of integers.

use super::Operation;
use crate::term::{Arena, Op, Term};
use ntv::op::fold::mask;
use ntv::op::AluOp::{self, *};

impl Arena {
    /// Opcodes of integers that other operations of terms define.
    pub(super) fn integers(&mut self, x: &Operation<'_>) -> Option<Term> {
        let parts = [Arena::moves, Arena::sums, Arena::carries, Arena::products];
        parts.iter().find_map(|part| part(self, x)).or_else(|| self.numbers_of_bits(x))
    }

    /// Moves and selections.
    fn moves(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, component, srcs, args, .. } = *x;
        let arg = |i: usize| args[i];
        Some(match op {
            mov => arg(0),
            vec2 | vec3 | vec4 | vec5 | vec8 | vec16 => srcs[component][0],
            bcsel => self.ite(arg(0), arg(1), arg(2)),
            b8csel | b16csel | b32csel => {
                let zero = self.is_zero(arg(0));
                self.ite(zero, arg(2), arg(1))
            }
            icsel_eqz => {
                let zero = self.is_zero(arg(0));
                self.ite(zero, arg(1), arg(2))
            }
            i32csel_gt | i32csel_ge => {
                let zero = self.constant(32, 0);
                let (low, high) = if op == i32csel_gt { (zero, arg(0)) } else { (arg(0), zero) };
                let less = self.slt(low, high);
                let (yes, no) = if op == i32csel_gt { (arg(1), arg(2)) } else { (arg(2), arg(1)) };
                self.ite(less, yes, no)
            }
            _ => return None,
        })
    }

    /// Sums, differences, and choices of the smaller or greater number.
    fn sums(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, args, .. } = *x;
        let arg = |i: usize| args[i];
        Some(match op {
            ineg => self.combination(width, 0, &[(arg(0), u64::MAX)]),
            iadd | isub | imul | amul | imul24_relaxed | umul24_relaxed if width == 1 => {
                let op = if op == iadd || op == isub { Op::Xor } else { Op::And };
                self.bitwise(op, arg(0), arg(1))
            }
            iadd => self.add(arg(0), arg(1)),
            isub => self.sub(arg(0), arg(1)),
            iadd3 => self.combination(width, 0, &[(arg(0), 1), (arg(1), 1), (arg(2), 1)]),
            iabs => {
                let negative = self.is_negative(arg(0));
                let negated = self.combination(width, 0, &[(arg(0), u64::MAX)]);
                self.ite(negative, negated, arg(0))
            }
            isign if width > 1 => {
                let negative = self.is_negative(arg(0));
                let zero = self.is_zero(arg(0));
                let [minus, none, one] = [u64::MAX, 0, 1].map(|value| self.constant(width, value));
                let rest = self.ite(zero, none, one);
                self.ite(negative, minus, rest)
            }
            imin | imax | umin | umax => {
                // The operands in the order of their terms, so that one form is left.
                let (a, b) = (arg(0).min(arg(1)), arg(0).max(arg(1)));
                let less = if matches!(op, imin | imax) { self.slt(a, b) } else { self.ult(a, b) };
                match op {
                    imin | umin => self.ite(less, a, b),
                    _ => self.ite(less, b, a),
                }
            }
            uabs_usub | uabs_isub => {
                let less = if op == uabs_usub { self.ult(arg(0), arg(1)) } else { self.slt(arg(0), arg(1)) };
                let [up, down] = [(1, 0), (0, 1)].map(|(a, b)| self.sub(arg(a), arg(b)));
                self.ite(less, up, down)
            }
            _ => return None,
        })
    }

    /// What becomes of a carry.
    fn carries(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, args, .. } = *x;
        let all = mask(u64::MAX, width);
        let arg = |i: usize| args[i];
        Some(match op {
            uadd_sat => {
                let sum = self.add(arg(0), arg(1));
                let carry = self.ult(sum, arg(0));
                let most = self.constant(width, all);
                self.ite(carry, most, sum)
            }
            usub_sat => {
                let difference = self.sub(arg(0), arg(1));
                let borrow = self.ult(arg(0), arg(1));
                let zero = self.constant(width, 0);
                self.ite(borrow, zero, difference)
            }
            iadd_sat | isub_sat if width > 1 => self.saturated(op, width, arg(0), arg(1)),
            ihadd | irhadd | uhadd | urhadd if width > 1 && width < 64 => {
                let signed = matches!(op, ihadd | irhadd);
                let rounded = matches!(op, irhadd | urhadd);
                let [a, b] = [0, 1].map(|i| self.extended(arg(i), width + 1, signed));
                let sum = self.combination(width + 1, rounded.into(), &[(a, 1), (b, 1)]);
                // The low `width` bits of the sum without its lowest bit: the width of `sum` is not a power of two.
                self.top_bits(sum, width)
            }
            uadd_carry => {
                let sum = match width {
                    1 => self.differ(arg(0), arg(1)),
                    _ => self.add(arg(0), arg(1)),
                };
                let carry = self.ult(sum, arg(0));
                self.zext(carry, width)
            }
            usub_borrow => {
                let borrow = self.ult(arg(0), arg(1));
                self.zext(borrow, width)
            }
            _ => return None,
        })
    }

    /// Products.
    fn products(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, args, .. } = *x;
        let arg = |i: usize| args[i];
        Some(match op {
            imul | amul | umul24_relaxed | imul24_relaxed => self.mul(arg(0), arg(1)),
            imad | umad24_relaxed => {
                let product = self.mul(arg(0), arg(1));
                self.add(product, arg(2))
            }
            umul_low => {
                let [a, b] = [0, 1].map(|i| self.mask(arg(i), 0xffff));
                self.mul(a, b)
            }
            umul_32x16 => {
                let low = self.mask(arg(1), 0xffff);
                self.mul(arg(0), low)
            }
            imul_32x16 => {
                let low = self.sign_of_bits(arg(1), 16);
                self.mul(arg(0), low)
            }
            umul24 | umad24 => {
                let [a, b] = [0, 1].map(|i| self.mask(arg(i), 0xff_ffff));
                let product = self.mul(a, b);
                match args.get(2) {
                    Some(sum) => self.add(product, *sum),
                    None => product,
                }
            }
            imul24 => {
                let [a, b] = [0, 1].map(|i| self.sign_of_bits(arg(i), 24));
                self.mul(a, b)
            }
            umul_2x32_64 | imul_2x32_64 => {
                let [a, b] = [0, 1].map(|i| self.extended(arg(i), 64, op == imul_2x32_64));
                self.mul(a, b)
            }
            umul_high | imul_high if width <= 32 && width > 1 => {
                let [a, b] = [0, 1].map(|i| self.extended(arg(i), 2 * width, op == imul_high));
                let product = self.mul(a, b);
                self.part(product, width, width)
            }
            // A quotient of few bits is that of the same numbers with 32.
            udiv | idiv | umod | imod | irem if matches!(width, 8 | 16) => {
                let [a, b] = [0, 1].map(|i| self.extended(arg(i), 32, !matches!(op, udiv | umod)));
                let wide = self.scalar(op, 32, &[a, b]);
                self.trunc(wide, width)
            }
            udiv_aligned_4 if width > 2 => {
                let two = self.constant(width, 2);
                self.lshr(arg(0), two)
            }
            _ => return None,
        })
    }

    fn is_negative(&mut self, term: Term) -> Term {
        let zero = self.constant(self.width(term), 0);
        self.slt(term, zero)
    }

    /// The low `bits` bits of `term` as a signed number of its width.
    fn sign_of_bits(&mut self, term: Term, bits: u8) -> Term {
        let width = self.width(term);
        let low = self.trunc(term, bits);
        self.sext(low, width)
    }

    /// A sum or difference that stays at the end of the range that it leaves.
    fn saturated(&mut self, op: AluOp, width: u8, a: Term, b: Term) -> Term {
        let sign = 1u64 << (width - 1);
        let sum = if op == iadd_sat { self.add(a, b) } else { self.sub(a, b) };
        let [a_negative, b_negative, sum_negative] = [a, b, sum].map(|term| self.is_negative(term));
        let alike = self.equal(a_negative, b_negative);
        let may = if op == iadd_sat { alike } else { self.not(alike) };
        let turned = self.differ(a_negative, sum_negative);
        let overflows = self.both(may, turned);
        let [least, most] = [sign, sign - 1].map(|value| self.constant(width, value));
        let end = self.ite(a_negative, least, most);
        self.ite(overflows, end, sum)
    }

    /// The upper `width` bits of a term that is one bit wider.
    fn top_bits(&mut self, term: Term, width: u8) -> Term {
        let wide = if width < 32 { 32 } else { 64 };
        let term = self.zext(term, wide);
        self.part(term, 1, width)
    }
}
