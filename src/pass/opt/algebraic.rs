// SPDX-License-Identifier: MIT

//! Removes operations that change nothing.
//!
//! **What.** A rule matches an operation and the instructions that made its operands, and returns a value or a simpler
//! operation that gives the same result for all inputs, bit by bit, so `exact` does not prevent it.
//!
//! **Why.** NIR is optimized, but lowerings add offsets of 0, shift values back that they have shifted, and pack values that
//! the next instruction unpacks.
//!
//! Rules whose benefit depends on the hardware are not here: drivers have them. In the example below, the mask is removed too
//! if the upper bits of the index are known to be clear. Constants that rules make are inserted before all other instructions.
//!
//! Before:
//!
//! ```text
//! 32     %3 = ishl %2, %1 (0x4)
//! 32     %4 = ushr %3, %1 (0x4)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %0 = load_const (0x0fffffff = 268435455)
//! ...
//! 32    %4 = ishl %3, %2 (0x4)
//! 32    %5 = iand %3, %0 (0xfffffff)
//! ```

use crate::analysis::known_bits::Known;
use crate::ir::{AluFlags, AluSrc, InstData, Shader};
use crate::op::fold::{from_float, mask, to_float};
use crate::op::AluOp::{self, *};
use crate::op::{Base, Form};
use std::cell::Cell;

/// The replacement of an operation.
pub(super) enum New {
    /// A value that exists.
    Value(AluSrc),
    /// A constant with this number in each component.
    Const(u64),
    /// Another operation, on the first of these operands.
    Op(AluOp, [AluSrc; 3]),
    /// Another operation on a value and the same number for each component.
    WithConst(AluOp, AluSrc, u64),
}

type RuleFn = fn(&Operation<'_>) -> Option<New>;

/// Conditions of a rule, one bit each, so that most rules are not tried: an operand is a constant,
pub(super) const NUMBER: u8 = 1 << 0;
/// two operands in a row read the same value,
pub(super) const SAME: u8 = 1 << 1;
/// an operand is the result of arithmetic.
pub(super) const MADE: u8 = 1 << 2;

/// The rules: their conditions, and the opcodes that they are for. They are tried in this order.
const RULES: &[(u8, &[AluOp], RuleFn)] = &[
    (NUMBER, &[iadd, ior, ixor, umax], |x| x.commuted.filter(|(_, c)| *c == 0).map(|(y, _)| New::Value(y))),
    (NUMBER, &[iand, umin], |x| x.commuted.filter(|(_, c)| *c == x.ones()).map(|(y, _)| New::Value(y))),
    (NUMBER, &[iand, umin, imul], |x| x.commuted.filter(|(_, c)| *c == 0).map(|_| New::Const(0))),
    (NUMBER, &[ior, umax], |x| x.commuted.filter(|(_, c)| *c == x.ones()).map(|_| New::Const(x.ones()))),
    (NUMBER, &[imul], |x| x.commuted.filter(|(_, c)| *c == 1).map(|(y, _)| New::Value(y))),
    (NUMBER, &[isub], |x| (x.second? == 0).then_some(New::Value(x.srcs[0]))),
    (NUMBER, &[ishl, ishr, ushr], |x| (x.shift_count()? == 0).then_some(New::Value(x.srcs[0]))),
    (SAME, &[iand, ior, imin, imax, umin, umax], |x| x.is_same(0, 1).then_some(New::Value(x.srcs[0]))),
    (SAME, &[isub, ixor], |x| x.is_same(0, 1).then_some(New::Const(0))),
    (MADE, &[inot, ineg, fneg], |x| x.made_by(0, x.op).map(|inner| New::Value(inner[0]))),
    (MADE, &[fabs], |x| x.made_by(0, fneg).or(x.made_by(0, fabs)).map(|inner| New::Op(fabs, [inner[0]; 3]))),
    (NUMBER | MADE, &[iadd], |x| merge_constants(x, u64::wrapping_add)),
    (NUMBER | MADE, &[iand], |x| merge_constants(x, |a, b| a & b)),
    (NUMBER | MADE, &[iand], |x| {
        let (y, kept) = x.commuted?;
        (x.possible_bits(y, DEPTH) & !kept == 0).then_some(New::Value(y))
    }),
    (NUMBER | MADE, &[ushr], |x| (x.possible_bits(x.srcs[0], DEPTH) >> x.shift_count()? == 0).then_some(New::Const(0))),
    (NUMBER | MADE, &[ishl, ushr], same_shifts),
    (NUMBER | MADE, &[ishl, ushr], opposite_shifts),
    (NUMBER | MADE, &[ishl, ushr], shift_of_masked),
    (NUMBER, &[ieq, ine, feq, fneu], compare_with_bool),
    (SAME, &[bcsel], |x| x.is_same(1, 2).then_some(New::Value(x.srcs[1]))),
    (MADE, &[bcsel], |x| x.made_by(0, inot).map(|inner| New::Op(bcsel, [inner[0], x.srcs[2], x.srcs[1]]))),
    (NUMBER, &[bcsel], |x| match (x.bits, x.constant(x.srcs[1])?, x.constant(x.srcs[2])?) {
        (1, 1, 0) => Some(New::Value(x.srcs[0])),
        (1, 0, 1) => Some(New::Op(inot, [x.srcs[0]; 3])),
        _ => None,
    }),
    (MADE, &[unpack_32_4x8], |x| x.undone(pack_32_4x8)),
    (MADE, &[unpack_32_2x16], |x| x.undone(pack_32_2x16)),
    (MADE, &[unpack_64_2x32], |x| x.undone(pack_64_2x32)),
    (MADE, &[unpack_64_4x16], |x| x.undone(pack_64_4x16)),
    (MADE, &[pack_32_4x8], |x| x.undone(unpack_32_4x8)),
    (MADE, &[pack_32_2x16], |x| x.undone(unpack_32_2x16)),
    (MADE, &[pack_64_2x32], |x| x.undone(unpack_64_2x32)),
    (MADE, &[pack_64_4x16], |x| x.undone(unpack_64_4x16)),
    // Narrowing removes the bits that widening added, whatever they were.
    (MADE, &[i2i8, i2i16, i2i32, u2u8, u2u16, u2u32], |x| {
        let widened = [i2i16, i2i32, i2i64, u2u16, u2u32, u2u64].iter().find_map(|op| x.made_by(0, *op))?[0];
        let width = x.shader.bit_size(widened.def);
        (width == x.bits && width < x.src_bits()).then_some(New::Value(widened))
    }),
];

/// A bit for each rule for an opcode.
const RULES_FOR: [u64; AluOp::ALL.len()] = {
    let mut rules = [0; AluOp::ALL.len()];
    let mut rule = 0;
    while rule < RULES.len() {
        let mut at = 0;
        while at < RULES[rule].1.len() {
            rules[RULES[rule].1[at] as usize] |= 1 << rule;
            at += 1;
        }
        rule += 1;
    }
    rules
};

/// A bit for each rule whose conditions are among these.
const RULES_WITH: [u64; 8] = {
    let mut rules = [0; 8];
    let mut at = 0;
    while at < 8 * RULES.len() {
        let (there, rule) = (at % 8, at / 8);
        if RULES[rule].0 as usize & !there == 0 {
            rules[there] |= 1 << rule;
        }
        at += 1;
    }
    rules
};

/// The number of instructions through which known bits are traced.
const DEPTH: u32 = 6;

/// The rules, a bit for each, for operations that meet the conditions `there`.
#[inline(always)]
pub(super) fn rules(op: AluOp, there: u8) -> u64 {
    RULES_FOR[op as usize] & RULES_WITH[usize::from(there)]
}

/// The result of the first of these rules that matches.
pub(super) fn first_replacement(
    shader: &Shader,
    mut rules: u64,
    data: &InstData,
    op: AluOp,
    srcs: &[AluSrc],
) -> Option<New> {
    let components = usize::from(data.num_components);
    let mut operation = Operation { shader, op, srcs, components, bits: data.bit_size, second: None, commuted: None };
    if let [a, b] = *srcs {
        operation.second = operation.constant(b);
        operation.commuted = match operation.second {
            Some(number) => Some((a, number)),
            None => operation.constant(a).map(|number| (b, number)),
        };
    }
    while rules != 0 {
        let (_, _, rule) = RULES[rules.trailing_zeros() as usize];
        if let Some(new) = rule(&operation) {
            return Some(new);
        }
        rules &= rules - 1;
    }
    None
}

/// The operation that a rule examines.
struct Operation<'a> {
    shader: &'a Shader,
    op: AluOp,
    srcs: &'a [AluSrc],
    components: usize,
    bits: u8,
    /// The second operand, if it is a constant and there are two.
    second: Option<u64>,
    /// The other operand and the constant, if one of two operands is a constant.
    commuted: Option<(AluSrc, u64)>,
}

impl Operation<'_> {
    fn ones(&self) -> u64 {
        mask(u64::MAX, self.bits)
    }

    fn src_bits(&self) -> u8 {
        self.shader.bit_size(self.srcs[0].def)
    }

    /// The constant that all components of `src` have.
    fn constant(&self, src: AluSrc) -> Option<u64> {
        let values = self.shader.as_const(src.def)?;
        let read = |c| values[usize::from(src.swizzle.get(c))];
        let first = read(0);
        (1..self.components).all(|c| read(c) == first).then_some(first)
    }

    /// The other operand and the constant, if one of the two is a constant.
    fn with_constant(&self, srcs: [AluSrc; 2]) -> Option<(AluSrc, u64)> {
        let second = self.constant(srcs[1]).map(|value| (srcs[0], value));
        second.or_else(|| self.constant(srcs[0]).map(|value| (srcs[1], value)))
    }

    fn shift_count(&self) -> Option<u64> {
        Some(self.second? & (u64::from(self.bits) - 1))
    }

    fn is_same(&self, i: usize, j: usize) -> bool {
        let (a, b) = (self.srcs[i], self.srcs[j]);
        a.def == b.def && a.swizzle.is_same(b.swizzle, self.components)
    }

    /// The operands of the `op` that made `src`, component by component; a single operand is given twice.
    fn operands(&self, src: AluSrc, op: AluOp) -> Option<[AluSrc; 2]> {
        let (made_by, srcs) = self.shader.as_alu(src.def)?;
        let through = |inner: &AluSrc| AluSrc { def: inner.def, swizzle: src.swizzle.compose(inner.swizzle) };
        (made_by == op).then(|| [through(&srcs[0]), through(&srcs[srcs.len().min(2) - 1])])
    }

    /// [`operands`](Self::operands) of operand `i`.
    fn made_by(&self, i: usize, op: AluOp) -> Option<[AluSrc; 2]> {
        self.operands(self.srcs[i], op)
    }

    /// The value that `op` packed or unpacked, if all of its result is read in order.
    fn undone(&self, op: AluOp) -> Option<New> {
        let (made_by, srcs) = self.shader.as_alu(self.srcs[0].def)?;
        let whole = self.srcs[0].swizzle.is_identity(usize::from(self.op.info().srcs[0].size));
        (made_by == op && whole).then(|| New::Value(srcs[0]))
    }

    /// The bits that may be set in a component of `src`.
    fn possible_bits(&self, src: AluSrc, depth: u32) -> u64 {
        self.known(src, depth).possible()
    }

    /// The known bits of the components of `src` that are read.
    fn known(&self, src: AluSrc, depth: u32) -> Known {
        if let Some(values) = self.shader.as_const(src.def) {
            let mut read = src.swizzle.components(self.components).map(|c| Known::number(values[usize::from(c)]));
            let first = read.next().unwrap_or(Known::nothing(64));
            return read.fold(first, Known::or);
        }
        let bits = self.shader.bit_size(src.def);
        let (Some((op, srcs)), true) = (self.shader.as_alu(src.def), depth > 0) else { return Known::nothing(bits) };
        if op.info().form == Form::Construct {
            return Known::nothing(bits);
        }
        // Each operand is examined once, and only if the operation has known result bits.
        let looked_at: [Cell<Option<Known>>; 3] = Default::default();
        Known::of_alu(op, bits, self.shader.bit_size(srcs[0].def), &|i| {
            let (Some(operand), Some(src_known)) = (srcs.get(i), looked_at.get(i)) else { return Known::nothing(64) };
            let through = AluSrc { def: operand.def, swizzle: src.swizzle.compose(operand.swizzle) };
            let known = src_known.get().unwrap_or_else(|| self.known(through, depth - 1));
            src_known.set(Some(known));
            known
        })
    }
}

/// `(y op c) op d` as `y op (c combined with d)`.
fn merge_constants(x: &Operation<'_>, combine: fn(u64, u64) -> u64) -> Option<New> {
    let (inner, outer_value) = x.commuted?;
    let (y, inner_value) = x.with_constant(x.operands(inner, x.op)?)?;
    let both = mask(combine(inner_value, outer_value), x.bits);
    let is_neutral = both == if x.op == iand { x.ones() } else { 0 };
    Some(if is_neutral { New::Value(y) } else { New::WithConst(x.op, y, both) })
}

/// The operand and count of the shift by a constant that makes operand 0.
fn inner_shift(x: &Operation<'_>, op: AluOp) -> Option<(AluSrc, u64)> {
    let [y, count] = x.made_by(0, op)?;
    Some((y, x.constant(count)? & (u64::from(x.bits) - 1)))
}

fn same_shifts(x: &Operation<'_>) -> Option<New> {
    let (y, inner) = inner_shift(x, x.op)?;
    let total = inner + x.shift_count()?;
    Some(if total < u64::from(x.bits) { New::WithConst(x.op, y, total) } else { New::Const(0) })
}

/// `value` shifted as `op` shifts it.
fn shifted(x: &Operation<'_>, op: AluOp, value: u64, count: u64) -> u64 {
    if op == ishl {
        mask(value << count, x.bits)
    } else {
        value >> count
    }
}

/// A shift of a shift in the other direction: one shift if no bits are lost, a mask if the counts are the same.
fn opposite_shifts(x: &Operation<'_>) -> Option<New> {
    let other = if x.op == ishl { ushr } else { ishl };
    let (y, there) = inner_shift(x, other)?;
    let back = x.shift_count()?;
    let there_and_back = |value| shifted(x, x.op, shifted(x, other, value, there), there);
    let possible = x.possible_bits(y, DEPTH);
    let is_said_whole = x.op == ushr && x.shader.alu_flags(x.srcs[0].def).contains(AluFlags::NO_UNSIGNED_WRAP);
    if is_said_whole || there_and_back(possible) == possible {
        return Some(match there.cmp(&back) {
            std::cmp::Ordering::Equal => New::Value(y),
            std::cmp::Ordering::Greater => New::WithConst(other, y, there - back),
            std::cmp::Ordering::Less => New::WithConst(x.op, y, back - there),
        });
    }
    (there == back).then(|| New::WithConst(iand, y, there_and_back(x.ones())))
}

/// A mask of bits that are shifted out.
fn shift_of_masked(x: &Operation<'_>) -> Option<New> {
    let (y, kept) = x.with_constant(x.made_by(0, iand)?)?;
    let count = x.shift_count()?;
    let is_moot = shifted(x, x.op, kept, count) == shifted(x, x.op, x.ones(), count);
    is_moot.then_some(New::WithConst(x.op, y, count))
}

/// A comparison of a constant with a constant that depends only on a boolean.
fn compare_with_bool(x: &Operation<'_>) -> Option<New> {
    let (number, value) = x.commuted?;
    let width = x.shader.bit_size(number.def);
    let (boolean, if_true, if_false) = two_numbers(x, number, width)?;
    let is_equal = |number| match x.op {
        feq | fneu => to_float(number, width) == to_float(value, width),
        _ => number == value,
    };
    let outcome = |number| is_equal(number) == matches!(x.op, ieq | feq);
    Some(match (outcome(if_true), outcome(if_false)) {
        (true, false) => New::Value(boolean),
        (false, true) => New::Op(inot, [boolean; 3]),
        (always, _) => New::Const(always.into()),
    })
}

/// The boolean that `number` depends on, and the values of `number` if that is true and if it is false.
fn two_numbers(x: &Operation<'_>, number: AluSrc, width: u8) -> Option<(AluSrc, u64, u64)> {
    if width == 1 {
        return Some((number, 1, 0));
    }
    let (op, srcs) = x.shader.as_alu(number.def)?;
    let through = |i: usize| AluSrc { def: srcs[i].def, swizzle: number.swizzle.compose(srcs[i].swizzle) };
    match (op.info().form, op.info().dest.ty.base) {
        _ if op == bcsel => Some((through(0), x.constant(through(1))?, x.constant(through(2))?)),
        _ if x.shader.bit_size(srcs[0].def) != 1 => None,
        (Form::SelectOne, Base::Float) => Some((through(0), from_float(1.0, width), 0)),
        (Form::SelectOne, _) => Some((through(0), 1, 0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Def, InstKind, Swizzle};
    use crate::pass::opt::clean_up::{run_rules, Rules};
    use crate::pass::testing::store;

    #[test]
    fn constants_are_inserted_after_phis_of_the_first_block() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.phi(1, 32, &[]);
        let four = b.imm32(4);
        let left = b.alu(ishl, &[x, four]);
        let right = b.alu(ushr, &[left, four]);
        store(&mut b, right);
        assert!(run_rules(&mut shader, Rules::ALGEBRA));
        assert_eq!(shader.order[0], x.inst());
        assert!(matches!(shader.insts[shader.order[1]].kind, InstKind::Const(_)));
    }

    /// The result for the operation that `make` appends: the value that is stored.
    fn simplified(make: impl FnOnce(&mut Builder<'_>, Def, Def) -> Def) -> (Shader, Def) {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let (x, y) = (b.undef(1, 32), b.undef(1, 32));
        let value = make(&mut b, x, y);
        let user = store(&mut b, value);
        run_rules(&mut shader, Rules::ALGEBRA);
        let (_, srcs) = shader.as_intrinsic(user).unwrap();
        let def = srcs[0];
        (shader, def)
    }

    const X: usize = 0;
    const Y: usize = 1;

    fn assert_becomes_input(input: usize, make: impl FnOnce(&mut Builder<'_>, Def, Def) -> Def) {
        let (_, def) = simplified(make);
        assert_eq!(crate::entity::Id::index(def), input);
    }

    /// Asserts that the result is `op` of x and a constant.
    fn assert_becomes(op: AluOp, number: u64, make: impl FnOnce(&mut Builder<'_>, Def, Def) -> Def) {
        let (shader, def) = simplified(make);
        let (made_by, srcs) = shader.as_alu(def).unwrap();
        assert_eq!((made_by, crate::entity::Id::index(srcs[0].def)), (op, X));
        assert_eq!(shader.as_const_scalar(srcs[1].def), Some(number));
    }

    fn with(b: &mut Builder<'_>, op: AluOp, x: Def, value: u64) -> Def {
        let bits = if op.info().srcs[1].ty.bits == 0 { b.shader.bit_size(x) } else { 32 };
        let value = b.imm(bits, value);
        b.alu(op, &[x, value])
    }

    #[test]
    fn neutral_operands_are_removed() {
        for (op, value) in [(iadd, 0), (isub, 0), (ior, 0), (ixor, 0), (imul, 1), (iand, u64::MAX), (umin, u64::MAX)] {
            assert_becomes_input(X, |b, x, _| with(b, op, x, value));
        }
        for op in [ishl, ishr, ushr] {
            assert_becomes_input(X, |b, x, _| with(b, op, x, 32));
        }
        assert_becomes_input(Y, |b, _, y| {
            let zero = b.imm32(0);
            b.iadd(zero, y)
        });
    }

    #[test]
    fn shifts_there_and_back() {
        assert_becomes(iand, 0x0fff_ffff, |b, x, _| {
            let left = with(b, ishl, x, 4);
            with(b, ushr, left, 4)
        });
        assert_becomes_input(X, |b, x, _| {
            let four = b.imm32(4);
            let left = b.alu_with(ishl, AluFlags::NO_UNSIGNED_WRAP, &[x.into(), four.into()], None);
            with(b, ushr, left, 4)
        });
        assert_becomes(iand, 0xffff_fff0, |b, x, _| {
            let right = with(b, ushr, x, 4);
            with(b, ishl, right, 4)
        });
        let (shader, def) = simplified(|b, x, _| {
            let small = with(b, iand, x, 0xffff);
            let left = with(b, ishl, small, 4);
            with(b, ushr, left, 2)
        });
        let (op, srcs) = shader.as_alu(def).unwrap();
        assert_eq!((op, shader.as_const_scalar(srcs[1].def)), (ishl, Some(2)));
        let (shader, def) = simplified(|b, x, _| {
            let small = with(b, iand, x, 0xffff);
            let left = with(b, ishl, small, 2);
            with(b, ushr, left, 5)
        });
        let (op, srcs) = shader.as_alu(def).unwrap();
        assert_eq!((op, shader.as_const_scalar(srcs[1].def)), (ushr, Some(3)));
        assert_becomes(ushr, 7, |b, x, _| {
            let once = with(b, ushr, x, 3);
            with(b, ushr, once, 4)
        });
    }

    #[test]
    fn masks_that_clear_nothing_are_removed() {
        assert_becomes(ushr, 28, |b, x, _| {
            let top = with(b, ushr, x, 28);
            with(b, iand, top, 15)
        });
        assert_becomes(ushr, 4, |b, x, _| {
            let aligned = with(b, iand, x, 0xffff_fff0);
            with(b, ushr, aligned, 4)
        });
        assert_becomes(iand, 0x10, |b, x, _| {
            let once = with(b, iand, x, 0xf0);
            with(b, iand, once, 0x1f)
        });
    }

    #[test]
    fn booleans_are_not_made_numbers_and_back() {
        for (to_number, zero) in [(b2i32, ine), (b2f32, fneu)] {
            let (shader, def) = simplified(|b, x, y| {
                let cond = b.alu(ult, &[x, y]);
                let number = b.alu(to_number, &[cond]);
                with(b, zero, number, 0)
            });
            assert_eq!(shader.as_alu(def).unwrap().0, ult);
        }
        // A comparison is not replaced by its opposite, as its other uses would remain.
        for (number, becomes) in [(7, ult), (9, inot)] {
            let (shader, def) = simplified(|b, x, y| {
                let cond = b.alu(ult, &[x, y]);
                let (seven, nine) = (b.imm32(7), b.imm32(9));
                let selected = b.alu(bcsel, &[cond, seven, nine]);
                let is_number = with(b, ine, selected, number);
                b.alu(inot, &[is_number])
            });
            assert_eq!(shader.as_alu(def).unwrap().0, becomes, "{number}");
        }
    }

    #[test]
    fn packed_values_are_unpacked() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(4, 32);
        let halves = AluSrc { def: x, swizzle: Swizzle::new(&[2, 1]) };
        let packed = b.alu_with(pack_64_2x32, AluFlags::empty(), &[halves], None);
        let unpacked = b.alu(unpack_64_2x32, &[packed]);
        let user = b.alu(inot, &[unpacked]);
        assert!(run_rules(&mut shader, Rules::ALGEBRA));
        let moved = shader.as_alu(user).unwrap().1[0].def;
        assert_eq!(shader.as_alu(moved).unwrap(), (mov, &[halves][..]));
    }

    #[test]
    fn exact_stays_exact() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let negative = b.alu(fneg, &[x]);
        b.alu_with(fabs, AluFlags::EXACT, &[negative.into()], None);
        assert!(run_rules(&mut shader, Rules::ALGEBRA));
        let last = shader.insts[*shader.order.last().unwrap()];
        assert!(matches!(last.kind, InstKind::Alu { op: fabs, flags: AluFlags::EXACT, .. }));
    }
}
