// SPDX-License-Identifier: MIT

//! Arithmetic on 64-bit integers as pairs of 32-bit ones. All of it works on vectors, component by component.

use crate::ir::{AluFlags, AluSrc, Builder, Def, Swizzle};
use crate::op::AluOp::{self, *};

/// The halves of 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) low: Def,
    pub(super) high: Def,
}

/// Builds operations on pairs.
pub(super) struct Pairs<'a, 'b> {
    pub(super) b: &'a mut Builder<'b>,
}

impl Pairs<'_, '_> {
    pub(super) fn unary(&mut self, op: AluOp, x: Def) -> Def {
        self.b.alu(op, &[x])
    }

    pub(super) fn binary(&mut self, op: AluOp, x: Def, y: Def) -> Def {
        self.b.alu(op, &[x, y])
    }

    /// `op` on `x` and a constant.
    pub(super) fn with(&mut self, op: AluOp, x: Def, value: u32) -> Def {
        let y = self.int(x, value);
        self.binary(op, x, y)
    }

    /// `value` in as many components as `like` has.
    pub(super) fn int(&mut self, like: Def, value: u32) -> Def {
        let components = usize::from(self.b.shader.num_components(like));
        self.b.constant(32, &[u64::from(value); 16][..components])
    }

    /// Numbers of 32 bits as pairs.
    pub(super) fn extend(&mut self, low: Def) -> Pair {
        Pair { low, high: self.int(low, 0) }
    }

    /// Signed numbers of 32 bits as pairs.
    pub(super) fn sign_extend(&mut self, low: Def) -> Pair {
        Pair { low, high: self.sign(low) }
    }

    /// -1 for negative numbers, else 0.
    pub(super) fn sign(&mut self, high: Def) -> Def {
        self.with(ishr, high, 31)
    }

    pub(super) fn is_negative(&mut self, x: Pair) -> Def {
        self.with(ilt, x.high, 0)
    }

    /// 1 for true, else 0.
    fn bit(&mut self, cond: Def) -> Def {
        self.unary(b2i32, cond)
    }

    pub(super) fn is_zero(&mut self, x: Pair) -> Def {
        let any = self.binary(ior, x.low, x.high);
        self.with(ieq, any, 0)
    }

    pub(super) fn select(&mut self, cond: Def, x: Pair, y: Pair) -> Pair {
        let mut half = |x, y| self.b.alu(bcsel, &[cond, x, y]);
        Pair { low: half(x.low, y.low), high: half(x.high, y.high) }
    }

    /// `op` on each half.
    pub(super) fn halves(&mut self, op: AluOp, x: Pair, y: Pair) -> Pair {
        Pair { low: self.binary(op, x.low, y.low), high: self.binary(op, x.high, y.high) }
    }

    pub(super) fn not(&mut self, x: Pair) -> Pair {
        Pair { low: self.unary(inot, x.low), high: self.unary(inot, x.high) }
    }

    pub(super) fn add(&mut self, x: Pair, y: Pair) -> Pair {
        let low = self.binary(iadd, x.low, y.low);
        let carry = self.binary(ult, low, x.low);
        let carry = self.bit(carry);
        let high = self.binary(iadd, x.high, y.high);
        Pair { low, high: self.binary(iadd, high, carry) }
    }

    pub(super) fn sub(&mut self, x: Pair, y: Pair) -> Pair {
        let low = self.binary(isub, x.low, y.low);
        let borrow = self.binary(ult, x.low, y.low);
        let borrow = self.bit(borrow);
        let high = self.binary(isub, x.high, y.high);
        Pair { low, high: self.binary(isub, high, borrow) }
    }

    pub(super) fn neg(&mut self, x: Pair) -> Pair {
        let zero = self.int(x.low, 0);
        self.sub(Pair { low: zero, high: zero }, x)
    }

    /// `x`, or `-x` where `cond` is true.
    pub(super) fn neg_if(&mut self, cond: Def, x: Pair) -> Pair {
        let negated = self.neg(x);
        self.select(cond, negated, x)
    }

    pub(super) fn abs(&mut self, x: Pair) -> Pair {
        let negative = self.is_negative(x);
        self.neg_if(negative, x)
    }

    /// -1, 0 or 1.
    pub(super) fn signum(&mut self, x: Pair) -> Pair {
        let sign = self.sign(x.high);
        let any = self.binary(ior, x.low, x.high);
        let any = self.with(ine, any, 0);
        let any = self.bit(any);
        Pair { low: self.binary(ior, sign, any), high: sign }
    }

    /// The product of two 32-bit numbers.
    fn product(&mut self, x: Def, y: Def) -> Pair {
        Pair { low: self.binary(imul, x, y), high: self.binary(umul_high, x, y) }
    }

    pub(super) fn mul(&mut self, x: Pair, y: Pair) -> Pair {
        let low = self.product(x.low, y.low);
        let cross = [self.binary(imul, x.low, y.high), self.binary(imul, x.high, y.low)];
        let high = self.binary(iadd, low.high, cross[0]);
        Pair { high: self.binary(iadd, high, cross[1]), ..low }
    }

    /// The high 64 bits of the product of 128.
    pub(super) fn mul_high(&mut self, x: Pair, y: Pair) -> Pair {
        let low = self.product(x.low, y.low);
        let cross = [self.product(x.low, y.high), self.product(x.high, y.low)];
        let high = self.product(x.high, y.high);
        // Bits 32 to 63, whose carry is added to the high half.
        let mut middle = self.extend(low.high);
        for part in cross {
            let part = self.extend(part.low);
            middle = self.add(middle, part);
        }
        [middle.high, cross[0].high, cross[1].high].into_iter().fold(high, |sum, part| {
            let part = self.extend(part);
            self.add(sum, part)
        })
    }

    /// The high 64 bits of the product of two signed numbers.
    pub(super) fn signed_mul_high(&mut self, x: Pair, y: Pair) -> Pair {
        let zero = self.int(x.low, 0);
        let zero = Pair { low: zero, high: zero };
        let high = self.mul_high(x, y);
        // A negative number was read as one that is greater by 2^64.
        [(x, y), (y, x)].into_iter().fold(high, |high, (a, b)| {
            let negative = self.is_negative(a);
            let excess = self.select(negative, b, zero);
            self.sub(high, excess)
        })
    }

    pub(super) fn equal(&mut self, x: Pair, y: Pair) -> Def {
        let halves = self.halves(ieq, x, y);
        self.binary(iand, halves.low, halves.high)
    }

    /// `x < y`, the high halves compared by `less`: `ult` or `ilt`.
    pub(super) fn less(&mut self, less: AluOp, x: Pair, y: Pair) -> Def {
        let high = self.binary(less, x.high, y.high);
        // No number is less than a low half of zeros.
        if self.b.shader.as_const(y.low).is_some_and(|values| values.iter().all(|value| *value == 0)) {
            return high;
        }
        let same = self.binary(ieq, x.high, y.high);
        let low = self.binary(ult, x.low, y.low);
        let low = self.binary(iand, same, low);
        self.binary(ior, high, low)
    }

    /// `x` shifted by `count` modulo 64: `ishl`, `ishr` or `ushr`.
    pub(super) fn shift(&mut self, op: AluOp, x: Pair, count: Def) -> Pair {
        let far = self.with(iand, count, 32);
        let far = self.with(ine, far, 0);
        // Bits that cross the halves are shifted in two steps, because a count of 32 is taken as 0.
        let rest = self.with(ixor, count, 31);
        if op == ishl {
            let low = self.binary(ishl, x.low, count);
            let above = self.binary(ishl, x.high, count);
            let crossing = self.with(ushr, x.low, 1);
            let crossing = self.binary(ushr, crossing, rest);
            let near = Pair { low, high: self.binary(ior, above, crossing) };
            let beyond = Pair { low: self.int(low, 0), high: low };
            return self.select(far, beyond, near);
        }
        let high = self.binary(op, x.high, count);
        let below = self.binary(ushr, x.low, count);
        let crossing = self.with(ishl, x.high, 1);
        let crossing = self.binary(ishl, crossing, rest);
        let near = Pair { low: self.binary(ior, below, crossing), high };
        let filling = if op == ishr { self.sign(x.high) } else { self.int(high, 0) };
        self.select(far, Pair { low: high, high: filling }, near)
    }

    /// The swizzled components of both halves.
    pub(super) fn swizzle(&mut self, x: Pair, components: &[u8]) -> Pair {
        Pair { low: self.b.swizzle(x.low, components), high: self.b.swizzle(x.high, components) }
    }

    /// The halves of a vector or scalar that is a float.
    pub(super) fn unpack(&mut self, whole: Def) -> Pair {
        let components = self.b.shader.num_components(whole);
        let parts: Vec<Def> = (0..components)
            .map(|c| {
                let src = AluSrc { def: whole, swizzle: Swizzle::splat(c) };
                self.b.alu_with(unpack_64_2x32, AluFlags::empty(), &[src], Some((2, 32)))
            })
            .collect();
        let [low, high] = [0, 1].map(|half| {
            let scalars: Vec<Def> = parts.iter().map(|part| self.b.channel(*part, half)).collect();
            self.b.vec(&scalars)
        });
        Pair { low, high }
    }

    /// Packs halves to 64-bit values.
    pub(super) fn pack(&mut self, x: Pair) -> Def {
        let components = self.b.shader.num_components(x.low);
        let wholes: Vec<Def> = (0..components)
            .map(|c| {
                let halves = [self.b.channel(x.low, c), self.b.channel(x.high, c)];
                let pair = self.b.vec(&halves);
                self.b.alu(pack_64_2x32, &[pair])
            })
            .collect();
        self.b.vec(&wholes)
    }
}
