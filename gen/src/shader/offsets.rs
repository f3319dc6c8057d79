// SPDX-License-Identifier: MIT

//! Byte offsets in the form in which Mesa computes them for arrays, structs and matrices.
//!
//! An offset is a sum of scaled indices and constants, in one of the many forms that algebraic passes produce. Its range and its
//! remainder are tracked, so that it is within the bounds by construction.

use super::{Generator, Shape};
use arbitrary::Result;
use ntv::ir::{AluFlags, AluSrc, Def, PhiSrc, Swizzle};
use ntv::op::{AluOp, Intrinsic};

/// Bytes from one element to the next.
const STRIDES: &[u32] = &[16, 16, 16, 4, 8, 12, 20, 24, 32, 48, 64, 80, 96];

/// The largest index of a term.
const MOST: u32 = 31;

/// A number of 32 bits, and its properties.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub src: AluSrc,
    pub min: u32,
    pub max: u32,
    /// It is `rem` modulo `mul`, a power of two.
    pub mul: u32,
    pub rem: u32,
}

impl Number {
    /// A number up to `max`.
    pub(super) fn up_to(max: u32, src: impl Into<AluSrc>) -> Number {
        Number { src: src.into(), min: 0, max, mul: 1, rem: 0 }
    }

    /// Whether it is a multiple of `divisor`, a power of two.
    pub(super) fn is_multiple_of(self, divisor: u32) -> bool {
        self.mul.is_multiple_of(divisor) && self.rem.is_multiple_of(divisor)
    }

    pub(super) fn is_constant(self) -> bool {
        self.min == self.max
    }

    /// Whether no bit can be set in both.
    fn has_other_bits_than(self, other: Number) -> bool {
        let is_below = |a: Number, b: Number| b.is_multiple_of((a.max + 1).next_power_of_two());
        is_below(self, other) || is_below(other, self)
    }

    /// The properties of the sum of both.
    fn plus(self, other: Number, src: AluSrc) -> Number {
        let mul = self.mul.min(other.mul);
        let (min, max) = (self.min + other.min, self.max + other.max);
        Number { src, min, max, mul, rem: (self.rem + other.rem) % mul }
    }

    /// The properties of the product with `factor`.
    fn times(self, factor: u32, src: AluSrc) -> Number {
        let shift = factor.trailing_zeros();
        let mul = self.mul << shift;
        Number { src, min: self.min * factor, max: self.max * factor, mul, rem: self.rem * factor % mul }
    }
}

impl Generator<'_, '_, '_> {
    pub(super) fn imm_number(&mut self, value: u32) -> Number {
        let src = self.b.imm32(value).into();
        Number { src, min: value, max: value, mul: 1 << 20, rem: value % (1 << 20) }
    }

    /// A scalar of 32 bits, not folded.
    fn scalar(&mut self, op: AluOp, srcs: &[AluSrc]) -> AluSrc {
        self.raw_alu(op, AluFlags::empty(), srcs, (1, 32)).into()
    }

    fn with_imm(&mut self, op: AluOp, src: AluSrc, imm: u32) -> AluSrc {
        let imm = self.b.imm32(imm).into();
        self.scalar(op, &[src, imm])
    }

    /// A value of which all bits may be set, mostly the upper ones.
    fn any_bits(&mut self) -> Result<AluSrc> {
        if self.chance(16)? {
            return Ok(self.open_number()?.into());
        }
        let (src, _) = self.source(Some(super::Kind::Int), 32, 1)?;
        Ok(if self.chance(3)? { src } else { self.with_imm(AluOp::imul, src, 0x9e37_79b9) })
    }

    /// An offset up to `most`.
    pub(super) fn offset_up_to(&mut self, most: u32) -> Result<Number> {
        let mut sum = self.term(most)?;
        for _ in 0..self.choose(&[0, 0, 1, 1, 2])? {
            let left = most - sum.max;
            let next = if self.chance(3)? { self.constant_up_to(left)? } else { self.term(left)? };
            sum = self.sum(sum, next)?;
        }
        if self.chance(6)? {
            return self.one_of_two(sum, most);
        }
        self.respelled(sum)
    }

    /// A constant, mostly a multiple of 4.
    pub(super) fn constant_up_to(&mut self, most: u32) -> Result<Number> {
        let step = self.choose(&[4, 4, 4, 4, 16, 16, 16, 1])?;
        let value = self.u.int_in_range(0..=most / step)? * step;
        Ok(self.imm_number(value))
    }

    /// A scaled index up to `most`.
    pub(super) fn term(&mut self, most: u32) -> Result<Number> {
        let stride = self.choose(STRIDES)?;
        if stride > most {
            return self.constant_up_to(most);
        }
        let bits = self.u.int_in_range(1..=(most / stride + 1).min(MOST + 1).ilog2())?;
        if stride.is_power_of_two() && self.chance(4)? {
            return self.cut_and_scaled(bits, stride.trailing_zeros());
        }
        let index = self.index(bits)?;
        if self.chance(4)? {
            // (i + n) * stride - n * stride.
            let ahead = self.u.int_in_range(1..=5)?;
            let src = self.with_imm(AluOp::iadd, index.src, ahead);
            let scaled = self.scaled(Number { src, ..index }, stride)?;
            let src = self.with_imm(AluOp::iadd, scaled.src, (ahead * stride).wrapping_neg());
            return Ok(Number { src, ..scaled });
        }
        let scaled = self.scaled(index, stride)?;
        if stride.is_power_of_two() && self.chance(4)? {
            // Bits that may be set in both: the or is not a sum.
            let also = self.u.int_in_range(1..=index.max)? * stride;
            let src = self.with_imm(AluOp::ior, scaled.src, also);
            return Ok(Number { src, ..scaled });
        }
        Ok(scaled)
    }

    /// A number of `bits` bits.
    pub(super) fn index(&mut self, bits: u32) -> Result<Number> {
        let any = self.any_bits()?;
        let mask = (1 << bits) - 1;
        let src = match self.u.int_in_range(0..=10)? {
            0 => self.with_imm(AluOp::ushr, any, 32 - bits),
            1 => {
                let up = self.with_imm(AluOp::ishl, any, 32 - bits);
                self.with_imm(AluOp::ushr, up, 32 - bits)
            }
            2 => self.with_imm(AluOp::umin, any, mask),
            3 => self.widened(any, (AluOp::u2u8, AluOp::u2u32, 8), mask),
            4 => self.widened(any, (AluOp::u2u16, AluOp::u2u32, 16), mask),
            // The sign bit is not set.
            5 => self.widened(any, (AluOp::i2i16, AluOp::i2i32, 16), mask),
            6 => {
                let (first, count) = (self.b.imm32(32 - bits).into(), self.b.imm32(bits).into());
                self.scalar(AluOp::ubitfield_extract, &[any, first, count])
            }
            7 => self.lane_of_vector(any, mask)?,
            // No mask is needed: a workgroup has no more invocations.
            8 if bits >= 3 && self.b.shader.stage().is_compute() => {
                self.b.intrinsic(Intrinsic::load_local_invocation_index, 1, 32, &[]).def().into()
            }
            _ => self.with_imm(AluOp::iand, any, mask),
        };
        Ok(Number::up_to(mask, src))
    }

    /// `src & mask`, in fewer bits and then widened again.
    fn widened(&mut self, src: AluSrc, (narrow, wide, bits): (AluOp, AluOp, u8), mask: u32) -> AluSrc {
        let narrowed = self.raw_alu(narrow, AluFlags::empty(), &[src], (1, bits));
        let mask = self.b.imm(bits, mask.into());
        let cut = self.raw_alu(AluOp::iand, AluFlags::empty(), &[narrowed.into(), mask.into()], (1, bits));
        self.scalar(wide, &[cut.into()])
    }

    /// `src & mask`, as a component of a vector.
    fn lane_of_vector(&mut self, src: AluSrc, mask: u32) -> Result<AluSrc> {
        let lane = self.u.int_in_range(0..=2u8)?;
        let other = self.any_bits()?;
        let srcs = [0, 1, 2].map(|c| if c == lane { src } else { other });
        let vector = self.raw_alu(AluOp::vec3, AluFlags::empty(), &srcs, (3, 32));
        let mask = self.b.constant(32, &[mask.into(); 3]);
        let cut = self.raw_alu(AluOp::iand, AluFlags::empty(), &[vector.into(), mask.into()], (3, 32));
        Ok(AluSrc { def: cut, swizzle: Swizzle::splat(lane) })
    }

    /// A number of `bits` bits, shifted left by `shift`; the mask follows the shift.
    fn cut_and_scaled(&mut self, bits: u32, shift: u32) -> Result<Number> {
        let any = self.any_bits()?;
        let mask = (1 << bits) - 1;
        let src = if self.chance(2)? {
            let up = self.with_imm(AluOp::ishl, any, 32 - bits);
            self.with_imm(AluOp::ushr, up, 32 - bits - shift)
        } else {
            let up = self.with_imm(AluOp::ishl, any, shift);
            self.with_imm(AluOp::iand, up, mask << shift)
        };
        Ok(Number::up_to(mask, src).times(1 << shift, src))
    }

    /// `index * stride`.
    fn scaled(&mut self, index: Number, stride: u32) -> Result<Number> {
        let shift = stride.trailing_zeros();
        let imm: AluSrc = self.b.imm32(stride).into();
        let src = match self.u.int_in_range(0..=11)? {
            0 => self.scalar(AluOp::imul, &[index.src, imm]),
            1 => self.scalar(AluOp::amul, &[imm, index.src]),
            2 => self.scalar(AluOp::umul24, &[index.src, imm]),
            3 => {
                let zero = self.b.imm32(0).into();
                let op = self.choose(&[AluOp::imad, AluOp::umad24])?;
                self.scalar(op, &[index.src, imm, zero])
            }
            4 => self.scalar(AluOp::umul_32x16, &[index.src, imm]),
            _ if stride.is_power_of_two() => self.with_imm(AluOp::ishl, index.src, shift),
            _ => {
                // Two bits of the stride are set.
                let high = self.with_imm(AluOp::ishl, index.src, stride.ilog2());
                let low = self.with_imm(AluOp::ishl, index.src, shift);
                self.scalar(AluOp::iadd, &[low, high])
            }
        };
        Ok(index.times(stride, src))
    }

    /// `a + b`.
    pub(super) fn sum(&mut self, a: Number, b: Number) -> Result<Number> {
        if a.is_constant() && b.is_constant() {
            return Ok(self.imm_number(a.max + b.max));
        }
        let (a, b) = if self.chance(2)? { (a, b) } else { (b, a) };
        let src = match self.u.int_in_range(0..=6)? {
            0 | 1 if a.has_other_bits_than(b) => self.scalar(AluOp::ior, &[a.src, b.src]),
            2 if b.is_constant() => {
                let negative = self.b.imm32(b.max.wrapping_neg()).into();
                self.scalar(AluOp::isub, &[a.src, negative])
            }
            3 => {
                let negative = self.scalar(AluOp::ineg, &[b.src]);
                self.scalar(AluOp::isub, &[a.src, negative])
            }
            4 => {
                let too_much = self.u.int_in_range(1..=8)? * 4;
                let ahead = self.with_imm(AluOp::iadd, a.src, too_much);
                let sum = self.scalar(AluOp::iadd, &[ahead, b.src]);
                self.with_imm(AluOp::iadd, sum, too_much.wrapping_neg())
            }
            5 => {
                let one = self.b.imm32(1).into();
                let op = self.choose(&[AluOp::imad, AluOp::umad24])?;
                self.scalar(op, &[a.src, one, b.src])
            }
            _ => self.scalar(AluOp::iadd, &[a.src, b.src]),
        };
        Ok(a.plus(b, src))
    }

    /// The number, or a smaller multiple of a power of two, after operations that clear bits.
    fn respelled(&mut self, n: Number) -> Result<Number> {
        if n.is_constant() {
            return Ok(n);
        }
        let masked = |n: Number, src, step: u32| match n.is_multiple_of(step) {
            true => Number { src, ..n },
            false => Number { src, min: 0, mul: step, rem: 0, ..n },
        };
        let form = self.u.int_in_range(0..=15)?;
        let src = match form {
            0 => self.with_imm(AluOp::iand, n.src, 0x3fff_ffff),
            1 => self.with_imm(AluOp::iand, n.src, 0x0fff_ffff),
            2 | 3 => {
                let noise = self.any_bits()?;
                let noise = self.with_imm(AluOp::ishl, noise, 28);
                let noisy = self.choose(&[AluOp::ior, AluOp::iadd])?;
                let noisy = self.scalar(noisy, &[n.src, noise]);
                if form == 2 {
                    self.with_imm(AluOp::iand, noisy, 0x0fff_ffff)
                } else {
                    let up = self.with_imm(AluOp::ishl, noisy, 4);
                    self.with_imm(AluOp::ushr, up, 4)
                }
            }
            4 => self.with_imm(AluOp::iand, n.src, !3),
            5 => self.with_imm(AluOp::iand, n.src, !15),
            6 => self.with_imm(AluOp::iand, n.src, 0x0fff_fff0),
            7 | 8 => {
                let shift = if form == 7 { 2 } else { 4 };
                let down = self.with_imm(AluOp::ushr, n.src, shift);
                self.with_imm(AluOp::ishl, down, shift)
            }
            9 => {
                let short = self.raw_alu(AluOp::u2u16, AluFlags::empty(), &[n.src], (1, 16));
                self.scalar(AluOp::u2u32, &[short.into()])
            }
            _ => return Ok(n),
        };
        Ok(match form {
            4 | 7 => masked(n, src, 4),
            5 | 6 | 8 => masked(n, src, 16),
            _ => Number { src, ..n },
        })
    }

    /// This number or another up to `most`, depending on a condition: by a select, or by a phi.
    fn one_of_two(&mut self, one: Number, most: u32) -> Result<Number> {
        let cond = self.value_of(Shape::CONDITION)?;
        let (src, other) = if self.chance(2)? {
            let other = self.term(most)?;
            (self.scalar(AluOp::bcsel, &[cond.into(), one.src, other.src]), other)
        } else {
            let one = self.def_of(one);
            self.b.begin_if(cond);
            let other = self.term(most)?;
            let there = self.def_of(other);
            let then = self.b.current_block();
            self.b.begin_else();
            let otherwise = self.b.current_block();
            self.b.end_if();
            let srcs = [PhiSrc { pred: then, def: there }, PhiSrc { pred: otherwise, def: one }];
            (self.b.phi(1, 32, &srcs).into(), other)
        };
        let mul = one.mul.min(other.mul);
        let apart = one.rem.abs_diff(other.rem) % mul;
        let mul = if apart == 0 { mul } else { 1 << apart.trailing_zeros() };
        let (min, max) = (one.min.min(other.min), one.max.max(other.max));
        Ok(Number { src, min, max, mul, rem: one.rem % mul })
    }

    /// The number as a scalar.
    pub(super) fn def_of(&mut self, n: Number) -> Def {
        let AluSrc { def, swizzle } = n.src;
        self.b.channel(def, swizzle.get(0))
    }

    /// Starts a loop of `count` iterations whose counter advances by `stride`, which [`end_walk`](Self::end_walk) ends.
    pub(super) fn begin_walk(&mut self, count: u32, stride: u32) -> Number {
        let zero = self.b.imm32(0);
        let end = self.b.imm32(count * stride);
        let pred = self.b.current_block();
        self.depth += 1;
        self.b.begin_loop();
        let at = self.b.phi(1, 32, &[PhiSrc { pred, def: zero }; 2]);
        let done = self.b.alu(AluOp::uge, &[at, end]);
        self.b.break_if(done);
        Number::up_to(count - 1, at).times(stride, at.into())
    }

    pub(super) fn end_walk(&mut self, counter: Number, stride: u32) {
        let at = counter.src.def;
        let def = self.b.iadd_imm(at, stride.into());
        let pred = self.b.current_block();
        self.b.set_phi_src(at, 1, PhiSrc { pred, def });
        self.b.end_loop();
        self.depth -= 1;
    }
}
