// SPDX-License-Identifier: MIT

//! Byte offsets and indices of arrays, split into a constant part and a scaled part, with their known bits.
//!
//! ```text
//! 32    %1 = ishl %0, 4
//! 32    %2 = iadd %1, 24      split(%2, 4): (16 * %0 >> 4) + 1, and the low four bits are 8
//! 32    %3 = ushr %2, 2       split(%3, 2): the same vec4, as dwords were counted
//! ```
//!
//! Offsets are numbers modulo 2^32, so `%0` above is 0x10000000 if `%2` is to be 24, too. A [`Split`] is exact for every value
//! of its variable: a constant that cannot be moved out of the shift, because a sum may have wrapped, is added before it.
//!
//! One analysis serves all memories: uniform and storage blocks by byte offset and by zink's typed derefs, push constants,
//! shared memory, scratch.

use super::known_bits::{Known, KnownBits};
use crate::ir::{AluFlags, AluSrc, Def, InstKind, Shader};
use crate::op::AluOp;

/// A component of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// The value.
    pub def: Def,
    /// The component.
    pub component: u8,
}

/// `value >> shift` as `((scale * x + before) >> shift) + after`, where the product and the first sum wrap at 2^32, and the
/// second sum does not wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// `None` if the value is constant: then it is `after`.
    pub term: Option<Term>,
    /// Added after the shift.
    pub after: u32,
}

/// The part of a [`Split`] that is not constant: `(scale * x + before) >> shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The variable.
    pub x: Scalar,
    /// The factor.
    pub scale: u32,
    /// Added before the shift, modulo 2^32.
    pub before: u32,
    /// The shift to the right.
    pub shift: u32,
}

/// A [`Split`] with additional information.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// The quotient.
    pub split: Split,
    /// A value of the shader that is `scale * x + inner` modulo 2^32, except for bits that are shifted out.
    pub scaled: Scalar,
    /// See there.
    pub inner: u32,
    /// `scale * x + before` does not exceed 2^32, so that its parts may be shifted one by one.
    pub is_whole: bool,
}

/// The maximum number of instructions that are traced: Mesa's chains have a handful.
const MOST_STEPS: u32 = 32;

/// The offsets of a shader.
#[derive(Debug, Default)]
pub struct Offsets {
    known: KnownBits,
    /// Whether the shader was analysed.
    is_known: bool,
}

impl Offsets {
    /// Computes the known bits of the values of `shader`, once: it may be called for each offset that is not constant.
    pub fn analyse(&mut self, shader: &Shader) {
        if !self.is_known {
            self.known.analyse(shader);
            self.is_known = true;
        }
    }

    /// Forgets the shader, and frees large tables.
    pub(crate) fn forget(&mut self, shader: &Shader) {
        self.known.shrink(shader);
        self.is_known = false;
    }

    /// The known properties of a scalar.
    pub fn known(&self, shader: &Shader, value: Def) -> Known {
        self.known.of(shader, value)
    }

    /// Splits `(value + plus) >> shift`. `low` has the known lowest bits of the sum: their number, and their value.
    pub fn split(&self, shader: &Shader, (value, plus): (Def, u32), shift: u32, low: (u32, u32)) -> Parts {
        let mut walk = Walk::new(self, shader, value, plus, shift);
        (0..MOST_STEPS).any(|_| !walk.step());
        walk.finish(low)
    }
}

fn low_mask(bits: u32) -> u32 {
    u32::MAX.checked_shl(bits).map_or(u32::MAX, |high| !high)
}

/// The walk from a value to the values that it depends on: `value >> shift` is `(scale * at + constant) >> shift`, all but the
/// shift modulo 2^32.
struct Walk<'a> {
    offsets: &'a Offsets,
    shader: &'a Shader,
    at: Scalar,
    scale: u32,
    constant: u32,
    shift: u32,
    /// The last value at which the scale was 1, and the constant there.
    scaled: (Scalar, u32),
    /// Whether there were only sums and products so far.
    is_exact: bool,
    /// Whether no product and no sum so far wraps.
    is_whole: bool,
}

impl<'a> Walk<'a> {
    fn new(offsets: &'a Offsets, shader: &'a Shader, value: Def, constant: u32, shift: u32) -> Walk<'a> {
        let (at, is_whole) = (Scalar { def: value, component: 0 }, constant == 0);
        Walk { offsets, shader, at, scale: 1, constant, shift, scaled: (at, constant), is_exact: true, is_whole }
    }

    fn operand(&self, src: AluSrc) -> Scalar {
        Scalar { def: src.def, component: src.swizzle.get(usize::from(self.at.component)) }
    }

    fn number(&self, src: AluSrc) -> Option<u32> {
        let Scalar { def, component } = self.operand(src);
        self.shader.as_const(def).map(|values| values[usize::from(component)] as u32)
    }

    fn known(&self, scalar: Scalar) -> Known {
        match self.shader.as_const(scalar.def) {
            Some(values) => Known::number(values[usize::from(scalar.component)]),
            None => self.offsets.known.of(self.shader, scalar.def),
        }
    }

    /// The other operand and the constant, if one of two is a constant.
    fn with_number(&self, srcs: &[AluSrc]) -> Option<(Scalar, u32)> {
        let [a, b] = *srcs else { return None };
        let second = self.number(b).map(|number| (self.operand(a), number));
        second.or_else(|| self.number(a).map(|number| (self.operand(b), number)))
    }

    /// Continues with an operand of the current value's instruction. False if there is none to continue with.
    fn step(&mut self) -> bool {
        let InstKind::Alu { op, srcs, flags } = self.shader.def(self.at.def).kind else { return false };
        let srcs = &self.shader.alu_srcs[srcs];
        let is_said_whole = flags.contains(AluFlags::NO_UNSIGNED_WRAP);
        if self.shader.bit_size(self.at.def) != 32 {
            return false;
        }
        match op {
            AluOp::mov => {
                self.continue_at(self.operand(srcs[0]));
                true
            }
            AluOp::iadd | AluOp::ior => self.with_number(srcs).is_some_and(|(x, number)| {
                let known = self.known(x);
                let is_sum = op == AluOp::iadd || known.possible() & u64::from(number) == 0;
                is_sum && {
                    self.is_whole &= is_said_whole || known.max + u64::from(number) <= u32::MAX.into();
                    self.add(x, number)
                }
            }),
            AluOp::isub => self.number(srcs[1]).is_some_and(|number| {
                self.is_whole = false;
                self.add(self.operand(srcs[0]), number.wrapping_neg())
            }),
            AluOp::ishl => self
                .number(srcs[1])
                .is_some_and(|count| self.multiply(self.operand(srcs[0]), 1 << (count & 31), is_said_whole)),
            AluOp::imul | AluOp::umul24_relaxed | AluOp::imul24_relaxed => {
                self.with_number(srcs).is_some_and(|(x, number)| self.multiply(x, number, is_said_whole))
            }
            AluOp::umul24 => self.with_number(srcs).is_some_and(|(x, number)| {
                self.known(x).max >> 24 == 0 && number >> 24 == 0 && self.multiply(x, number, false)
            }),
            AluOp::ushr => self.number(srcs[1]).is_some_and(|count| {
                let (x, count) = (self.operand(srcs[0]), count & 31);
                self.divide_and_multiply(x, count) || self.shift_more(x, count)
            }),
            AluOp::iand => self.with_number(srcs).is_some_and(|(x, kept)| self.look_through_mask(x, kept)),
            _ => false,
        }
    }

    fn continue_at(&mut self, at: Scalar) {
        self.at = at;
        if self.scale == 1 {
            self.scaled = (at, self.constant);
        }
    }

    fn add(&mut self, x: Scalar, number: u32) -> bool {
        self.constant = self.constant.wrapping_add(self.scale.wrapping_mul(number));
        self.continue_at(x);
        true
    }

    fn multiply(&mut self, x: Scalar, number: u32, is_said_whole: bool) -> bool {
        self.is_whole &= is_said_whole || self.known(x).max.saturating_mul(number.into()) <= u32::MAX.into();
        self.scale = self.scale.wrapping_mul(number);
        self.continue_at(x);
        true
    }

    /// `(x >> count) * scale` is one product if `scale` is a multiple of `1 << count`, and no bit that is set is shifted out.
    fn divide_and_multiply(&mut self, x: Scalar, count: u32) -> bool {
        let (bits, low) = self.known(x).low_bits();
        let is_exact = bits >= count && low as u32 & low_mask(count) == 0;
        let is_product = is_exact && self.scale.trailing_zeros() >= count;
        if is_product {
            self.scale >>= count;
            self.continue_at(x);
        }
        is_product
    }

    /// `(x >> count) >> shift` is one shift, unless a constant was added in between.
    fn shift_more(&mut self, x: Scalar, count: u32) -> bool {
        let is_bare = self.scale == 1 && self.constant == 0 && self.shift + count < 32;
        if is_bare {
            self.shift += count;
            self.is_exact &= count == 0;
            self.continue_at(x);
        }
        is_bare
    }

    /// Skips a mask that clears only bits that are shifted out, or are 0 anyway.
    fn look_through_mask(&mut self, x: Scalar, kept: u32) -> bool {
        let cleared = self.known(x).possible() as u32 & !kept;
        let is_moot = cleared == 0 || self.scale == 1 && self.constant == 0 && cleared >> self.shift == 0;
        if is_moot {
            self.is_exact &= cleared == 0;
            self.continue_at(x);
        }
        is_moot
    }

    /// The result of the walk.
    fn finish(self, low: (u32, u32)) -> Parts {
        let Walk { at, scale, constant, shift, scaled, is_exact, is_whole, .. } = self;
        if let Some(value) = self.as_number() {
            let split = Split { term: None, after: value >> shift };
            return Parts { split, scaled: at, inner: 0, is_whole: true };
        }
        // The number of low bits of the product that are known, and their value.
        let x = self.known(at);
        let (mut bits, own) = Known::of_alu(AluOp::imul, 32, 32, &|i| [x, Known::number(scale.into())][i]).low_bits();
        let mut own = own as u32;
        if bits < shift && is_exact && low.0 >= shift {
            (bits, own) = (low.0, low.1.wrapping_sub(constant) & low_mask(low.0));
        }
        // Bits below the known bits of the product do not carry out of them if those are 0.
        let safe = low_mask(if own == 0 { bits } else { shift });
        let own = own & low_mask(shift);
        let (before, after) = match is_whole {
            _ if bits < shift => (constant, 0),
            true => (0, constant.wrapping_add(own)),
            false => (constant.wrapping_add(own) & !safe, constant.wrapping_add(own) & safe),
        };
        let split = Split { term: Some(Term { x: at, scale, before, shift }), after: after >> shift };
        let most = x.max.saturating_mul(scale.into()).saturating_add(before.into());
        let (scaled, outer) = scaled;
        let inner = constant.wrapping_sub(outer);
        Parts { split, scaled, inner, is_whole: is_whole || most <= u32::MAX.into() }
    }

    fn as_number(&self) -> Option<u32> {
        let known = match self.scale {
            0 => 0,
            _ => self.known(self.at).as_number()? as u32,
        };
        Some(self.scale.wrapping_mul(known).wrapping_add(self.constant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Builder;

    /// The split of the last value that `make` makes, shifted by `shift`, the bits that are shifted out if known, and the
    /// variable.
    fn split(shift: u32, make: impl FnOnce(&mut Builder<'_>, Def) -> Def) -> (Parts, Option<u32>, Def) {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let value = make(&mut b, x);
        let mut offsets = Offsets::default();
        offsets.analyse(&shader);
        let (bits, low) = offsets.known(&shader, value).low_bits();
        let remainder = (bits >= shift).then_some(low as u32 & low_mask(shift));
        (offsets.split(&shader, (value, 0), shift, (bits.min(32), low as u32)), remainder, x)
    }

    fn term(x: Def, scale: u32, before: u32, shift: u32) -> Option<Term> {
        Some(Term { x: Scalar { def: x, component: 0 }, scale, before, shift })
    }

    #[test]
    fn constants_below_the_alignment_are_added_after_the_shift() {
        let (parts, remainder, x) = split(4, |b, x| {
            let up = b.ishl_imm(x, 6);
            b.iadd_imm(up, 0x28)
        });
        assert_eq!(parts.split, Split { term: term(x, 64, 0, 4), after: 2 });
        assert_eq!((remainder, parts.is_whole), (Some(8), false));
    }

    #[test]
    fn other_constants_are_added_before_the_shift() {
        let (parts, remainder, x) = split(4, |b, x| {
            let up = b.ishl_imm(x, 4);
            b.iadd_imm(up, 0xffff_ffd4)
        });
        assert_eq!(parts.split, Split { term: term(x, 16, 0xffff_ffd0, 4), after: 0 });
        assert_eq!(remainder, Some(4));
    }

    #[test]
    fn other_constants_are_added_after_the_shift_if_the_sum_cannot_wrap() {
        let (parts, _, x) = split(4, |b, x| {
            let small = b.iand_imm(x, 0xff);
            let up = b.ishl_imm(small, 4);
            b.iadd_imm(up, 0x104)
        });
        let small = parts.split.term.map(|term| term.x.def);
        assert_ne!(small, Some(x), "the mask is of use");
        assert_eq!((parts.split.after, parts.is_whole), (16, true));
    }

    #[test]
    fn dwords_are_counted_back_to_bytes() {
        let (parts, remainder, x) = split(2, |b, x| {
            let up = b.ishl_imm(x, 4);
            let sum = b.iadd_imm(up, 12);
            b.ushr_imm(sum, 2)
        });
        assert_eq!(parts.split, Split { term: term(x, 16, 0, 4), after: 0 });
        assert_eq!(remainder, Some(3));
    }

    #[test]
    fn bytes_that_were_divided_and_multiplied_are_the_same_bytes() {
        let (parts, remainder, x) = split(4, |b, x| {
            let up = b.ishl_imm(x, 4);
            let sum = b.iadd_imm(up, 12);
            let dwords = b.ushr_imm(sum, 2);
            b.ishl_imm(dwords, 2)
        });
        assert_eq!((parts.split, remainder), (Split { term: term(x, 16, 0, 4), after: 0 }, Some(12)));
        let (parts, _, x) = split(4, |b, x| {
            let dwords = b.ushr_imm(x, 2);
            b.ishl_imm(dwords, 2)
        });
        assert_ne!(parts.split.term.map(|term| term.x.def), Some(x), "two bits are lost");
    }

    #[test]
    fn sums_of_disjoint_bits_may_be_written_as_or() {
        let (parts, remainder, x) = split(4, |b, x| {
            let up = b.ishl_imm(x, 5);
            let bits = b.imm32(0x14);
            b.alu(AluOp::ior, &[up, bits])
        });
        assert_eq!((parts.split, remainder), (Split { term: term(x, 32, 0, 4), after: 1 }, Some(4)));
        let (parts, _, _) = split(2, |b, x| {
            let up = b.ishl_imm(x, 2);
            let bits = b.imm32(8);
            b.alu(AluOp::ior, &[up, bits])
        });
        assert_eq!(parts.split.term.map(|term| term.scale), Some(1), "these bits overlap");
    }

    #[test]
    fn other_operations_are_the_variable() {
        let (parts, remainder, x) = split(4, |b, x| {
            let sum = b.iadd_imm(x, 5);
            b.iadd_imm(sum, 3)
        });
        assert_eq!((parts.split, remainder), (Split { term: term(x, 1, 8, 4), after: 0 }, None));
    }

    #[test]
    fn constants_have_no_variable() {
        let (parts, remainder, _) = split(4, |b, x| {
            let none = b.iand_imm(x, 0);
            let up = b.ishl_imm(none, 3);
            b.iadd_imm(up, 0x34)
        });
        assert_eq!((parts.split, remainder), (Split { term: None, after: 3 }, Some(4)));
    }
}
