// SPDX-License-Identifier: MIT

//! Known properties of numbers for all inputs of the shader: bits that are always 0 or 1, and an upper bound.
//!
//! ```text
//! 32    %1 = iand %0, 0xff    bits 8 to 31 are 0, at most 255
//! 32    %2 = ishl %1, 4       bits 0 to 3 and 12 to 31 are 0, at most 4080
//! 32    %3 = iadd %2, 20      bits 0 to 3 are 0100, at most 4100
//! ```
//!
//! [`Known::of_alu`] has the effects of all opcodes on these properties. They hold for every result that SPIR-V permits: a
//! result that it leaves undefined ([`is_open`](crate::op::open::is_open)) may be any number of its width, so a quotient has a
//! bound only if the divisor cannot be 0.
//!
//! [`KnownBits`] has the properties of all values of a shader. A
//! phi of a loop starts with the properties of the value from outside the loop; the walk is repeated, with weaker assumptions
//! about the phi, until the value from the loop agrees, a few times at most (`MOST_WALKS`): the time stays linear in the size
//! of the shader.

use super::counters;
use crate::entity::SideTable;
use crate::ir::{AluSrc, Def, Inst, InstKind, Shader};
use crate::op::fold::mask;
use crate::op::{AluOp, Base, Form, Intrinsic};

/// The known properties of a number of up to 64 bits. Bits above its width are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Bits that are 0.
    pub zeros: u64,
    /// Bits that are 1.
    pub ones: u64,
    /// An upper bound.
    pub max: u64,
}

impl Known {
    /// A number of `bits` bits without known properties.
    pub fn nothing(bits: u8) -> Known {
        let max = mask(u64::MAX, bits);
        Known { zeros: !max, ones: 0, max }
    }

    /// A constant.
    pub fn number(value: u64) -> Known {
        Known { zeros: !value, ones: value, max: value }
    }

    /// A number that is at most `max`.
    pub fn up_to(max: u64) -> Known {
        Known { zeros: !all_below(max), ones: 0, max }
    }

    /// The number, if there is only one possible value.
    pub fn as_number(self) -> Option<u64> {
        (self.zeros | self.ones == u64::MAX).then_some(self.ones)
    }

    /// The number of lowest bits that are known, and their value.
    pub fn low_bits(self) -> (u32, u64) {
        let count = (self.zeros | self.ones).trailing_ones();
        (count, mask(self.ones, count as u8))
    }

    /// The number of lowest bits that are 0.
    pub fn trailing_zeros(self) -> u32 {
        self.zeros.trailing_ones()
    }

    /// The bits that may be 1.
    pub fn possible(self) -> u64 {
        !self.zeros
    }

    /// The known properties of a number that is one of two.
    pub fn or(self, other: Known) -> Known {
        Known { zeros: self.zeros & other.zeros, ones: self.ones & other.ones, max: self.max.max(other.max) }
    }

    /// Derives bits from the bound, and the bound from bits.
    #[inline(never)]
    fn settled(self, bits: u8) -> Known {
        let zeros = self.zeros | !all_below(self.max) | !mask(u64::MAX, bits);
        Known { zeros, ones: self.ones & !zeros, max: self.max.min(!zeros) }
    }

    /// The sum with `carry`, without the bits above 64.
    #[inline(never)]
    fn plus(self, other: Known, carry: bool) -> Known {
        let carry = u64::from(carry);
        // The sums of the least and of the greatest numbers: where both have the same carry, every sum has it.
        let least = self.ones.wrapping_add(other.ones).wrapping_add(carry);
        let most = self.possible().wrapping_add(other.possible()).wrapping_add(carry);
        let carried_zero = !(most ^ self.zeros ^ other.zeros);
        let carried_one = least ^ self.ones ^ other.ones;
        let known = (self.zeros | self.ones) & (other.zeros | other.ones) & (carried_zero | carried_one);
        Known { zeros: !least & known, ones: least & known, max: u64::MAX }
    }

    #[inline(never)]
    fn times(self, other: Known) -> Known {
        let (a, b) = (self.low_bits(), other.low_bits());
        // Unknown bits of one number are multiplied at least by the zeros at the end of the other.
        let count = (a.0 + other.trailing_zeros()).min(b.0 + self.trailing_zeros()).min(64);
        let low = mask(u64::MAX, count as u8);
        let product = a.1.wrapping_mul(b.1);
        Known { zeros: !product & low, ones: product & low, max: u64::MAX }
    }

    fn shifted_left(self, count: u32) -> Known {
        Known { zeros: !(self.possible() << count), ones: self.ones << count, max: u64::MAX }
    }

    fn shifted_right(self, count: u32) -> Known {
        Known { zeros: !(self.possible() >> count), ones: self.ones >> count, max: self.max >> count }
    }

    /// The lowest `bits` bits.
    #[inline(never)]
    fn cut(self, bits: u8) -> Known {
        let low = mask(u64::MAX, bits);
        Known { zeros: self.zeros | !low, ones: self.ones & low, max: self.max.min(low) }
    }

    /// The known properties of the result of `op`, which has `bits` bits, from those of its operands, which have `src_bits`
    /// bits.
    pub fn of_alu(op: AluOp, bits: u8, src_bits: u8, src: &dyn Fn(usize) -> Known) -> Known {
        use AluOp::*;
        match op {
            mov => src(0),
            vec2 | vec3 | vec4 | vec5 | vec8 | vec16 => {
                (1..op.info().srcs.len()).fold(src(0), |known, i| known.or(src(i)))
            }
            bcsel => src(1).or(src(2)),
            iadd | isub | imul | imad | umul24 | umad24 | umul_32x16 | umul24_relaxed | imul24_relaxed
            | umad24_relaxed => Known::of_sum_or_product(op, bits, src),
            iand | ior | ixor | inot | ishl | ushr | ishr => Known::of_bits(op, bits, src),
            imin | imax | umin | umax | udiv | umod => Known::of_order(op, bits, src),
            u2u8 | u2u16 | u2u32 | u2u64 => src(0).in_width(bits, Some(src(0).max)),
            // Narrowing keeps the low bits, and a number that is not negative keeps its value.
            i2i8 | i2i16 | i2i32 | i2i64 if src_bits >= bits || !src(0).may_be_negative(src_bits) => {
                src(0).in_width(bits, Some(src(0).max))
            }
            extract_u8 => Known::up_to(255),
            extract_u16 => Known::up_to(65535),
            ubfe => Known::of_field(src(2), 0),
            ubitfield_extract => Known::of_field(src(2), src(1).max),
            bit_count => Known::up_to(64),
            _ if op.info().form == Form::SelectOne && op.info().dest.ty.base == Base::Int => Known::up_to(1),
            _ => Known::nothing(bits),
        }
    }

    /// The known lowest `bits` bits of a result, which is at most `max` unless that exceeds the width.
    #[inline(never)]
    fn in_width(self, bits: u8, max: Option<u64>) -> Known {
        let all = mask(u64::MAX, bits);
        Known { max: max.filter(|max| *max <= all).unwrap_or(all), ..self.cut(bits) }.settled(bits)
    }

    fn may_be_negative(self, bits: u8) -> bool {
        self.max > mask(u64::MAX, bits) >> 1
    }

    /// A field of 32 bits that starts at the bit `most_offset` or below.
    fn of_field(width: Known, most_offset: u64) -> Known {
        match width.as_number() {
            Some(width) if width < 32 && width + most_offset <= 32 => Known::up_to(mask(u64::MAX, width as u8)),
            _ => Known::nothing(32),
        }
    }

    #[inline(never)]
    fn of_sum_or_product(op: AluOp, bits: u8, src: &dyn Fn(usize) -> Known) -> Known {
        use AluOp::*;
        let sum = |a: Known, b: Known| a.plus(b, false).in_width(bits, a.max.checked_add(b.max));
        let product = |a: Known, b: Known| a.times(b).in_width(bits, a.max.checked_mul(b.max));
        match op {
            iadd => sum(src(0), src(1)),
            isub => {
                let subtracted = src(1);
                let inverse = Known { zeros: subtracted.ones, ones: subtracted.zeros, max: u64::MAX };
                src(0).plus(inverse, true).in_width(bits, None)
            }
            umul24 => product(src(0).cut(24), src(1).cut(24)),
            umul_32x16 => product(src(0), src(1).cut(16)),
            umad24 => sum(product(src(0).cut(24), src(1).cut(24)), src(2)),
            imad | umad24_relaxed => sum(product(src(0), src(1)), src(2)),
            _ => product(src(0), src(1)),
        }
    }

    #[inline(never)]
    fn of_bits(op: AluOp, bits: u8, src: &dyn Fn(usize) -> Known) -> Known {
        use AluOp::*;
        let a = src(0);
        let b = || src(1);
        let known = |zeros, ones| Known { zeros, ones, max: 0 };
        let count = || b().as_number().map(|count| count as u32 & (u32::from(bits) - 1));
        match op {
            inot => known(a.ones, a.zeros).in_width(bits, None),
            iand => known(a.zeros | b().zeros, a.ones & b().ones).in_width(bits, Some(a.max.min(b().max))),
            ior => known(a.zeros & b().zeros, a.ones | b().ones).in_width(bits, a.max.checked_add(b().max)),
            ixor => {
                let (zeros, ones) = (a.zeros & b().zeros | a.ones & b().ones, a.zeros & b().ones | a.ones & b().zeros);
                known(zeros, ones).in_width(bits, a.max.checked_add(b().max))
            }
            ishl => match count() {
                Some(count) => a.shifted_left(count).in_width(bits, a.max.checked_mul(1 << count)),
                None => known(mask(u64::MAX, a.trailing_zeros() as u8), 0).in_width(bits, None),
            },
            ishr if a.may_be_negative(bits) => Known::nothing(bits),
            _ => match count() {
                Some(count) => a.shifted_right(count),
                None => Known::up_to(a.max),
            },
        }
    }

    #[inline(never)]
    fn of_order(op: AluOp, bits: u8, src: &dyn Fn(usize) -> Known) -> Known {
        use AluOp::*;
        let (a, b) = (src(0), src(1));
        let negative = [a, b].map(|known| known.may_be_negative(bits));
        match (op, negative) {
            (umin, _) | (imin, [false, false]) => a.or(b).in_width(bits, Some(a.max.min(b.max))),
            (umax, _) | (imax, [false, false]) => a.or(b),
            // The greater of two numbers is not negative if one of them is not.
            (imax, [false, _] | [_, false]) => Known::up_to(Known::nothing(bits).max >> 1),
            // The divisor is at least the number that its known bits are.
            (udiv, _) if b.ones != 0 => Known::up_to(a.max / b.ones),
            (umod, _) if b.ones != 0 => Known::up_to(a.max.min(b.max - 1)),
            _ => Known::nothing(bits),
        }
    }
}

/// All bits up to the highest of `max`.
fn all_below(max: u64) -> u64 {
    u64::MAX.checked_shr(max.leading_zeros()).unwrap_or(0)
}

/// The maximum number of walks over the instructions of a shader with loops. After the last but one, nothing is assumed about
/// phis of loops.
const MOST_WALKS: usize = 5;

/// The known properties of each value of a shader; for a vector, those that all its components have.
#[derive(Debug, Default)]
pub struct KnownBits {
    of: SideTable<Def, Option<Known>>,
    /// Phis with an operand that is defined later, and the assumptions about them.
    phis: Vec<(Inst, Known)>,
    bounds: counters::Bounds,
}

impl KnownBits {
    /// Computes the properties of the values of `shader`, and forgets those of the previous one.
    pub fn analyse(&mut self, shader: &Shader) {
        self.phis.clear();
        self.bounds.find(shader);
        for walk in 1..=MOST_WALKS {
            self.of.reset(shader.num_defs());
            let mut phis = 0;
            for inst in &shader.order {
                self.visit(shader, *inst, &mut phis);
            }
            if self.check_assumptions(shader, walk + 1 == MOST_WALKS) {
                return;
            }
        }
    }

    /// Frees large tables, until the next shader.
    pub(crate) fn shrink(&mut self, shader: &Shader) {
        self.of.clear_to(shader.most_kept());
    }

    /// The known properties of `def`.
    pub fn of(&self, shader: &Shader, def: Def) -> Known {
        self.of[def].unwrap_or(Known::nothing(shader.bit_size(def)))
    }

    /// The known properties of the component that a scalar operand reads.
    pub fn of_src(&self, shader: &Shader, src: AluSrc) -> Known {
        shader.as_const_src(src).map_or_else(|| self.of(shader, src.def), Known::number)
    }

    fn visit(&mut self, shader: &Shader, inst: Inst, phis: &mut usize) {
        let data = &shader.insts[inst];
        if !data.has_def() {
            return;
        }
        let known = match data.kind {
            InstKind::Alu { op, srcs, .. } => {
                let srcs = &shader.alu_srcs[srcs];
                let src_bits = srcs.first().map_or(0, |src| shader.bit_size(src.def));
                let width = usize::from(data.num_components);
                Known::of_alu(op, data.bit_size, src_bits, &|i| match (width, srcs.get(i)) {
                    (1, Some(src)) => self.of_src(shader, *src),
                    (_, Some(src)) => self.of(shader, src.def),
                    (_, None) => Known::nothing(64),
                })
            }
            InstKind::Const(values) => {
                let values = &shader.consts[values];
                values.iter().skip(1).fold(Known::number(values[0]), |known, v| known.or(Known::number(*v)))
            }
            InstKind::Phi(_) => self.phi(shader, inst, phis),
            InstKind::Intrinsic { op, .. } => of_intrinsic(shader, op, data.bit_size),
            _ => return,
        };
        self.of.set(inst.def(), Some(known));
    }

    /// The known properties of a phi: the assumptions, or those that all operands have which are defined before it.
    fn phi(&mut self, shader: &Shader, inst: Inst, phis: &mut usize) -> Known {
        if let Some((_, believed)) = self.phis.get(*phis).filter(|(phi, _)| *phi == inst) {
            *phis += 1;
            return *believed;
        }
        let is_first_walk = *phis == self.phis.len();
        let (known, is_whole) = self.join(shader, inst);
        if !is_whole && is_first_walk {
            self.phis.push((inst, known));
            *phis += 1;
        }
        known
    }

    /// The properties that the known operands of a phi share, and whether all operands are known.
    fn join(&self, shader: &Shader, inst: Inst) -> (Known, bool) {
        let bits = shader.insts[inst].bit_size;
        let (mut all, mut is_whole) = (None, true);
        for src in shader.phi(inst).unwrap_or(&[]) {
            let is_made = self.of[src.def].is_some() || is_never_known(&shader.def(src.def).kind);
            is_whole &= is_made;
            if is_made && src.def != inst.def() {
                let known = self.of(shader, src.def);
                all = Some(all.map_or(known, |all: Known| all.or(known)));
            }
        }
        let known = all.unwrap_or(Known::nothing(bits));
        let max = self.bounds.of(inst.def()).map_or(known.max, |bound| known.max.min(bound));
        (Known { max, ..known }.settled(bits), is_whole)
    }

    /// Compares the assumptions about phis of loops with the results of the loops. Returns true if all hold.
    fn check_assumptions(&mut self, shader: &Shader, is_last: bool) -> bool {
        let mut phis = std::mem::take(&mut self.phis);
        let mut holds = true;
        for (phi, believed) in &mut phis {
            let bits = shader.insts[*phi].bit_size;
            let (known, _) = self.join(shader, *phi);
            let both = believed.or(known);
            if both == *believed {
                continue;
            }
            holds = false;
            // A property that changed once may change again: only the low bits, and a proven bound, are still assumed.
            let (count, low) = both.low_bits();
            let mask = mask(u64::MAX, count as u8);
            let max = self.bounds.of(phi.def()).unwrap_or(u64::MAX);
            *believed =
                Known { zeros: !low & mask, ones: low & mask, max: max.min(Known::nothing(bits).max) }.settled(bits);
        }
        if is_last && !holds {
            phis.iter_mut().for_each(|(phi, believed)| *believed = Known::nothing(shader.insts[*phi].bit_size));
        }
        self.phis = phis;
        holds
    }
}

/// Whether values of this kind have no entry.
fn is_never_known(kind: &InstKind) -> bool {
    !matches!(kind, InstKind::Alu { .. } | InstKind::Const(_) | InstKind::Phi(_) | InstKind::Intrinsic { .. })
}

/// The known properties of numbers from the device.
fn of_intrinsic(shader: &Shader, op: Intrinsic, bits: u8) -> Known {
    let size = shader.info.workgroup_size;
    let is_open = size.contains(&0) || shader.info.workgroup_size_variable;
    let most = match op {
        Intrinsic::load_local_invocation_index if !is_open => size.iter().map(|n| u64::from(*n)).product::<u64>() - 1,
        Intrinsic::load_local_invocation_id if !is_open => u64::from(size.into_iter().max().unwrap_or(1)) - 1,
        // Vulkan, "Limits": maxSubgroupSize is 128 at most.
        Intrinsic::load_subgroup_invocation => 127,
        _ => return Known::nothing(bits),
    };
    Known::up_to(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::builder::evaluate_alu;
    use crate::ir::{Builder, PhiSrc, Swizzle};
    use crate::op::open::{is_open, may_be_open};

    /// Numbers that look random and are the same every time.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        /// A number of this width, which is often small or has few bits.
        fn number(&mut self, bits: u8) -> u64 {
            let (a, b, shift) = (self.next(), self.next(), self.next() % 64);
            mask(
                match self.next() % 4 {
                    0 => a,
                    1 => a & b,
                    2 => a | b,
                    _ => a >> shift,
                },
                bits,
            )
        }

        /// Properties that `value` has.
        fn truth(&mut self, value: u64, bits: u8) -> Known {
            let unknown = self.number(bits);
            let unknown = if self.next() % 4 == 0 { 0 } else { unknown };
            let max = value.saturating_add(self.number(bits)).min(mask(u64::MAX, bits));
            Known { zeros: !value & !unknown, ones: value & !unknown, max }.settled(bits)
        }
    }

    /// The opcodes with an integer result and operands that are numbers, component by component.
    fn opcodes() -> Vec<AluOp> {
        let is_scalar = |op: &AluOp| {
            let info = op.info();
            info.srcs.iter().chain([&info.dest]).all(|operand| operand.size == 0 && operand.ty.base != Base::Bool)
        };
        AluOp::ALL.iter().copied().filter(|op| is_scalar(op) && op.info().dest.ty.base != Base::Float).collect()
    }

    /// Tests what is said about `op` on operands of these values and widths, of which `known` is known.
    fn check(op: AluOp, operands: &[(u64, u8)], known: &[Known], bits: u8) {
        let said = Known::of_alu(op, bits, operands[0].1, &|i| known[i]);
        let about = || format!("{op:?}@{bits} of {operands:x?}, of which {known:x?}");
        if is_open(op, &|i| operands[i]) {
            assert_eq!(said, Known::nothing(bits), "{} may be anything", about());
            return;
        }
        let values: Vec<[u64; 1]> = operands.iter().map(|(value, _)| [*value]).collect();
        let list: Vec<(&[u64], Swizzle, u8)> =
            values.iter().zip(operands).map(|(v, (_, bits))| (&v[..], Swizzle::IDENTITY, *bits)).collect();
        let result = evaluate_alu(op, &list, 1, bits).unwrap()[0];
        let is_true = result & said.zeros == 0 && result & said.ones == said.ones && result <= said.max;
        assert!(is_true, "{} is {result:#x}, not {said:x?}", about());
    }

    #[test]
    fn known_properties_hold() {
        let (mut random, ops) = (Random(1), opcodes());
        for round in 0..1_000_000 {
            let op = ops[round % ops.len()];
            let info = op.info();
            let free = [8, 16, 32, 64][random.next() as usize % 4];
            let operands: Vec<(u64, u8)> =
                info.srcs.iter().map(|src| (random.number(src.bits(free)), src.bits(free))).collect();
            let known: Vec<Known> = operands.iter().map(|(value, bits)| random.truth(*value, *bits)).collect();
            check(op, &operands, &known, info.dest.bits(free));
        }
    }

    /// The numbers at which results are undefined, or nearly, for each operand: all 0 to 40, and the limits.
    #[test]
    fn known_properties_hold_for_every_result_that_spirv_permits() {
        let values: Vec<u64> = (0..=40).chain([0x7f, 0x80, 0xff, 0x8000_0000, 0xffff_ffff]).collect();
        let known = |value: u64, bits: u8| {
            let value = mask(value, bits);
            let multiple = Known { zeros: mask(u64::MAX, value.trailing_zeros() as u8), ones: 0, max: u64::MAX };
            [Known::number(value), Known::up_to(value), multiple.in_width(bits, None), Known::nothing(bits)]
        };
        for op in opcodes().into_iter().filter(|op| may_be_open(*op)) {
            let bits = [8, 32].map(|free| op.info().dest.bits(free));
            for ((a, b), bits) in
                values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))).zip(bits.into_iter().cycle())
            {
                let operands: Vec<(u64, u8)> = op
                    .info()
                    .srcs
                    .iter()
                    .zip([b, a, b, a])
                    .map(|(src, value)| (mask(value, src.bits(bits)), src.bits(bits)))
                    .collect();
                for which in 0..16 {
                    let of = |i: usize| known(operands[i].0, operands[i].1)[if i == 1 { which % 4 } else { which / 4 }];
                    check(op, &operands, &(0..operands.len()).map(of).collect::<Vec<_>>(), bits);
                }
            }
        }
    }

    #[test]
    fn quotients_have_bounds_if_the_divisor_is_not_0() {
        let of = |op, divisor: Known| Known::of_alu(op, 32, 32, &|i| [Known::up_to(100), divisor][i]).max;
        assert_eq!((of(AluOp::udiv, Known::number(7)), of(AluOp::umod, Known::number(7))), (14, 6));
        let odd = Known { ones: 1, ..Known::up_to(15) };
        assert_eq!((of(AluOp::udiv, odd), of(AluOp::umod, odd)), (100, 14));
        let any = Known::up_to(15);
        assert_eq!((of(AluOp::udiv, any), of(AluOp::umod, any)), (u32::MAX.into(), u32::MAX.into()));
    }

    #[test]
    fn numbers_are_computed() {
        let of = |op, values: &[u64]| Known::of_alu(op, 32, 32, &|i| Known::number(values[i])).as_number();
        assert_eq!(of(AluOp::iadd, &[0xffff_fff0, 0x24]), Some(0x14));
        assert_eq!(of(AluOp::isub, &[3, 5]), Some(0xffff_fffe));
        assert_eq!(of(AluOp::imul, &[12, 7]), Some(84));
        assert_eq!(of(AluOp::ishl, &[5, 33]), Some(10));
    }

    #[test]
    fn products_and_sums_have_low_bits() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let (three, twenty) = (b.imm32(3), b.imm32(20));
        let up = b.ishl_imm(x, 2);
        let product = b.alu(AluOp::imul, &[up, twenty]);
        let sum = b.iadd_imm(product, 6);
        let small = b.alu(AluOp::umod, &[x, three]);
        let mut known = KnownBits::default();
        known.analyse(&shader);
        assert_eq!(known.of(&shader, product).low_bits(), (4, 0));
        assert_eq!(known.of(&shader, sum).low_bits(), (4, 6));
        assert_eq!(known.of(&shader, small).max, 2);
    }

    /// A loop whose counter starts at 0 and grows by `step` until it is no longer below `limit`, if there is a limit.
    fn counter(step: u32, limit: Option<u32>) -> (Shader, Def) {
        let mut shader = Shader::default();
        let entry = shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let (start, unknown) = (b.imm32(0), b.undef(1, 1));
        b.begin_loop();
        let head = b.current_block();
        let src = PhiSrc { pred: entry, def: start };
        let phi = b.phi(1, 32, &[src, src]);
        let cond = match limit {
            Some(limit) => {
                let limit = b.imm32(limit);
                b.alu(AluOp::ige, &[phi, limit])
            }
            None => unknown,
        };
        b.break_if(cond);
        let next = b.iadd_imm(phi, step.into());
        let last = b.current_block();
        b.set_phi_src(phi, 1, PhiSrc { pred: last, def: next });
        b.end_loop();
        assert_ne!(head, last);
        (shader, phi)
    }

    #[test]
    fn counters_keep_low_bits_and_bounds() {
        let known = |step, limit| {
            let (shader, phi) = counter(step, limit);
            let mut known = KnownBits::default();
            known.analyse(&shader);
            known.of(&shader, phi)
        };
        assert_eq!(known(16, None).low_bits(), (4, 0));
        assert_eq!(known(16, None).max, 0xffff_fff0);
        assert_eq!(known(1, Some(10)).max, 10);
        assert_eq!((known(3, Some(10)).max, known(12, Some(96)).low_bits().0), (12, 2));
        // It may wrap, or count down.
        assert_eq!(known(u32::MAX, Some(10)).max, u64::from(u32::MAX));
        assert_eq!(known(1, Some(u32::MAX)).max, u64::from(u32::MAX));
    }

    #[test]
    fn phis_that_depend_on_each_other_are_analysed_in_linear_time() {
        let mut shader = Shader::default();
        let entry = shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let (first, cond) = (b.imm32(64), b.undef(1, 1));
        b.begin_loop();
        let src = PhiSrc { pred: entry, def: first };
        let phis: Vec<Def> = (0..20).map(|_| b.phi(1, 32, &[src, src])).collect();
        b.break_if(cond);
        let last = b.current_block();
        for (i, phi) in phis.iter().enumerate() {
            // Each depends on fewer bits of the next one.
            let half = b.ushr_imm(phis[(i + 1) % phis.len()], 1);
            b.set_phi_src(*phi, 1, PhiSrc { pred: last, def: half });
        }
        b.end_loop();
        let mut known = KnownBits::default();
        known.analyse(&shader);
        assert_eq!(known.of(&shader, phis[0]).low_bits().0, 0);
    }
}
