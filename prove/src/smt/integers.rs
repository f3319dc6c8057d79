// SPDX-License-Identifier: MIT

//! Rows of NIR's table with integers, as SMT-LIB defines them.
//!
//! These are the rows that terms do not define by other operations. A test compares each with its fold.

use super::script::Script;
use super::text::{Bits, Condition};
use ntv::op::AluOp::{self, *};

/// The value of a row with operands, with a result of this width, where it is not open.
type Define = fn(&mut Script, &[Bits], u32) -> Bits;

/// The definition of the row of `op` with a result of `width` bits, if it is a row of integers.
pub(super) fn definition(op: AluOp, width: u32) -> Option<Define> {
    Some(match op {
        // Of few bits, these are the operand.
        isign | urol | uror if width == 1 => |_, x, _| x[0].clone(),
        extract_u8 | extract_i8 | extract_u16 | extract_i16 | insert_u8 | insert_u16 if width <= 8 => {
            |_, x, _| x[0].clone()
        }
        // Of more bits, it is a shift.
        udiv_aligned_4 if width == 1 => |_, _, width| Bits::number(0, width),
        udiv => |_, x, _| x[0].with("bvudiv", &x[1]),
        umod => |_, x, _| x[0].with("bvurem", &x[1]),
        idiv => |_, x, _| x[0].with("bvsdiv", &x[1]),
        irem => |_, x, _| x[0].with("bvsrem", &x[1]),
        imod => |_, x, _| x[0].with("bvsmod", &x[1]),
        iadd_sat => |script, x, width| {
            let sum = x[0].fit_signed(width + 1).plus(&x[1].fit_signed(width + 1));
            saturated_signed(script, &sum, width)
        },
        isub_sat => |script, x, width| {
            let difference = x[0].fit_signed(width + 1).minus(&x[1].fit_signed(width + 1));
            saturated_signed(script, &difference, width)
        },
        ihadd => |_, x, width| half_of_sum(x, width, Bits::fit_signed, 0),
        irhadd => |_, x, width| half_of_sum(x, width, Bits::fit_signed, 1),
        uhadd => |_, x, width| half_of_sum(x, width, Bits::fit, 0),
        urhadd => |_, x, width| half_of_sum(x, width, Bits::fit, 1),
        umul_high => |_, x, width| high_of_product(x, width, Bits::fit),
        imul_high => |_, x, width| high_of_product(x, width, Bits::fit_signed),
        _ => return of_single_bits(op).or_else(|| of_fields(op)).or_else(|| of_vectors(op)),
    })
}

/// Rows that search, count or reverse bits.
fn of_single_bits(op: AluOp) -> Option<Define> {
    Some(match op {
        bitfield_reverse => |_, x, _| {
            let bits = (1..x[0].width).map(|at| x[0].part(at, 1));
            bits.fold(x[0].part(0, 1), |reversed, bit| reversed.above(&bit))
        },
        bit_count => |_, x, width| {
            let bits = (0..x[0].width).map(|at| x[0].part(at, 1).fit(width));
            bits.fold(Bits::number(0, width), |sum, bit| sum.plus(&bit))
        },
        find_lsb => |_, x, width| first(&x[0], 0..x[0].width, |at| at, width),
        ufind_msb => |_, x, width| first(&x[0], (0..x[0].width).rev(), |at| at, width),
        ufind_msb_rev => |_, x, width| {
            let top = x[0].width - 1;
            first(&x[0], (0..x[0].width).rev(), |at| top - at, width)
        },
        ifind_msb => |script, x, width| {
            let bits = without_sign_bits(script, &x[0]);
            first(&bits, (0..bits.width).rev(), |at| at, width)
        },
        ifind_msb_rev => |script, x, width| {
            let bits = without_sign_bits(script, &x[0]);
            let top = bits.width - 1;
            first(&bits, (0..bits.width).rev(), |at| top - at, width)
        },
        _ => return None,
    })
}

/// Rows of bit fields whose places are operands.
fn of_fields(op: AluOp) -> Option<Define> {
    Some(match op {
        bitfield_insert => |script, x, width| {
            // Shifted by the width, all bits are gone, so that a field of all bits needs no rule of its own.
            let ones = Bits::number(1, width).left(&x[3]).minus(&Bits::number(1, width));
            let field = script.name(&ones.left(&x[2]));
            x[0].and(&field.not()).or(&x[1].left(&x[2]).and(&field))
        },
        ubitfield_extract => |script, x, _| field(script, x, false),
        ibitfield_extract => |script, x, _| field(script, x, true),
        ubfe => |script, x, _| limited_field(script, x, false),
        ibfe => |script, x, _| limited_field(script, x, true),
        bfi => |script, x, width| {
            let lowest = first(&x[0], 0..width, |at| at, width);
            let moved = script.name(&x[1].left(&lowest));
            x[0].is_number(0).choose(&x[2], &moved.and(&x[0]).or(&x[2].and(&x[0].not())))
        },
        _ => return None,
    })
}

/// Rows of several numbers in one.
fn of_vectors(op: AluOp) -> Option<Define> {
    Some(match op {
        pack_uint_2x16 => |_, x, _| {
            let most = Bits::number(0xffff, 32);
            let [low, high] = [0, 1].map(|i: usize| most.below(&x[i]).choose(&most, &x[i]).part(0, 16));
            high.above(&low)
        },
        pack_sint_2x16 => |script, x, _| {
            let low = saturated_signed(script, &x[0], 16);
            saturated_signed(script, &x[1], 16).above(&low)
        },
        pack_uvec4_to_uint => |_, x, width| {
            let moved = (0..4).map(|i| x[i].left(&Bits::number(8 * i as u64, width)));
            moved.fold(Bits::number(0, width), |all, part| all.or(&part))
        },
        sdot_4x8_iadd => |_, x, width| dot(x, 8, [true, true], width).plus(&x[2]),
        udot_4x8_uadd => |_, x, width| dot(x, 8, [false, false], width).plus(&x[2]),
        sudot_4x8_iadd => |_, x, width| dot(x, 8, [true, false], width).plus(&x[2]),
        sdot_2x16_iadd => |_, x, width| dot(x, 16, [true, true], width).plus(&x[2]),
        udot_2x16_uadd => |_, x, width| dot(x, 16, [false, false], width).plus(&x[2]),
        sdot_4x8_iadd_sat => |script, x, _| saturated_dot(script, x, 8, [true, true]),
        sudot_4x8_iadd_sat => |script, x, _| saturated_dot(script, x, 8, [true, false]),
        sdot_2x16_iadd_sat => |script, x, _| saturated_dot(script, x, 16, [true, true]),
        udot_4x8_uadd_sat => |script, x, _| saturated_dot(script, x, 8, [false, false]),
        udot_2x16_uadd_sat => |script, x, _| saturated_dot(script, x, 16, [false, false]),
        _ => return None,
    })
}

/// Whether the result of a row of integers is open; `None` if it never is.
pub(super) fn is_open(op: AluOp, x: &[Bits]) -> Option<Condition> {
    Some(match op {
        udiv | umod => x[1].is_number(0),
        idiv | irem | imod => {
            let least = x[0].is_number(1 << (x[0].width - 1));
            x[1].is_number(0).or(&x[1].is_number(u64::MAX).and(&least))
        }
        bitfield_insert | ubitfield_extract | ibitfield_extract => {
            let [offset, bits] = [x.len() - 2, x.len() - 1].map(|i| x[i].fit(33));
            Bits::number(32, 33).below(&offset.plus(&bits))
        }
        _ => return None,
    })
}

/// The position of the first bit in `order` that is set, as `shown` counts it; -1 if there is none.
fn first(bits: &Bits, order: impl DoubleEndedIterator<Item = u32>, shown: impl Fn(u32) -> u32, width: u32) -> Bits {
    let none = Bits::number(u64::MAX, width);
    order.rev().fold(none, |rest, at| bits.bit(at).choose(&Bits::number(shown(at).into(), width), &rest))
}

/// The bits that differ from the sign.
fn without_sign_bits(script: &mut Script, bits: &Bits) -> Bits {
    let flipped = bits.is_negative().choose(&bits.not(), bits);
    script.name(&flipped)
}

/// A number, or the nearest signed one of `width` bits.
fn saturated_signed(script: &mut Script, number: &Bits, width: u32) -> Bits {
    let number = script.name(number);
    let most = Bits::number((1 << (width - 1)) - 1, number.width);
    let least = most.not();
    let above = most.below_signed(&number).choose(&most, &number);
    number.below_signed(&least).choose(&least, &above).part(0, width)
}

/// Half of the sum of two operands, and of `more`.
fn half_of_sum(x: &[Bits], width: u32, extend: fn(&Bits, u32) -> Bits, more: u64) -> Bits {
    let sum = extend(&x[0], width + 2).plus(&extend(&x[1], width + 2)).plus(&Bits::number(more, width + 2));
    sum.part(1, width)
}

fn high_of_product(x: &[Bits], width: u32, extend: fn(&Bits, u32) -> Bits) -> Bits {
    extend(&x[0], 2 * width).times(&extend(&x[1], 2 * width)).part(width, width)
}

/// `[base, offset, bits]`: a field that is within the base.
fn field(script: &mut Script, x: &[Bits], signed: bool) -> Bits {
    let width = x[0].width;
    let above = script.name(&Bits::number(width.into(), width).minus(&x[1]).minus(&x[2]));
    let unused = script.name(&Bits::number(width.into(), width).minus(&x[2]));
    let top = script.name(&x[0].left(&above));
    let moved = if signed { top.right_signed(&unused) } else { top.right(&unused) };
    x[2].is_number(0).choose(&Bits::number(0, width), &moved)
}

/// A field with its place modulo the width, which ends at the top of the base.
fn limited_field(script: &mut Script, x: &[Bits], signed: bool) -> Bits {
    let width = x[0].width;
    let low = Bits::number(u64::from(width) - 1, width);
    let offset = script.name(&x[1].and(&low));
    let bits = script.name(&x[2].and(&low));
    let most = script.name(&Bits::number(width.into(), width).minus(&offset));
    let bits = script.name(&bits.below(&most).choose(&bits, &most));
    field(script, &[x[0].clone(), offset, bits], signed)
}

/// The dot product of two operands as vectors of integers of `part` bits, each signed or not, in `width` bits.
fn dot(x: &[Bits], part: u32, signed: [bool; 2], width: u32) -> Bits {
    let factor = |i: usize, at: u32| {
        let bits = x[i].part(at * part, part);
        if signed[i] {
            bits.fit_signed(width)
        } else {
            bits.fit(width)
        }
    };
    let products = (0..32 / part).map(|at| factor(0, at).times(&factor(1, at)));
    products.fold(Bits::number(0, width), |sum, product| sum.plus(&product))
}

/// A dot product plus the third operand, in the range of 32 bits.
fn saturated_dot(script: &mut Script, x: &[Bits], part: u32, signed: [bool; 2]) -> Bits {
    // No sum needs more bits.
    const WIDE: u32 = 40;
    let product = dot(x, part, signed, WIDE);
    if signed[0] {
        let sum = product.plus(&x[2].fit_signed(WIDE));
        return saturated_signed(script, &sum, 32);
    }
    let sum = script.name(&product.plus(&x[2].fit(WIDE)));
    let most = Bits::number(u32::MAX.into(), WIDE);
    most.below(&sum).choose(&most, &sum).part(0, 32)
}
