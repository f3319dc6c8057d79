// SPDX-License-Identifier: MIT

//! ALU instructions: the fold of the opcode's row, applied to undefined bits too.
//!
//! An operation that moves bits is folded several times, with the undefined bits of its operands filled differently; the
//! bits of the result that differ are undefined. Any other operation on an undefined bit has an undefined result.
//!
//! Results that NIR and SPIR-V leave undefined are undefined too: the quotient by 0, a float that does not fit an integer. The
//! run continues with [`OPEN`] for them.

use crate::float::{self, Floats};
use crate::{Bits, Operand};
use ntv::ir::builder::evaluate_alu;
use ntv::ir::Swizzle;
use ntv::op::fold::mask;
use ntv::op::open::is_open;
use ntv::op::{AluOp, Form};

/// The number that an open result is, cut to its width. It is beyond the bounds that hold for other results.
const OPEN: u64 = u64::MAX;

/// The components of `op` on `operands`; `None` if a swizzle selects a component that its operand lacks.
pub(crate) fn evaluate(
    op: AluOp,
    operands: &[Operand<'_>],
    (num_components, bits): (u8, u8),
    floats: Floats,
) -> Option<[Bits; 16]> {
    let values = fold(op, operands, num_components, bits, None)?;
    let mut result = values.map(Bits::new);
    for (c, out) in result[..usize::from(num_components)].iter_mut().enumerate() {
        let is_undef = |i: usize| read(op, operands, num_components, i, c).any(|bits| !bits.is_defined());
        let undef: u8 = (0..operands.len()).filter(|i| is_undef(*i)).map(|i| 1 << i.min(7)).fold(0, |a, b| a | b);
        if is_open(op, &|i| value(operands[i], c)) {
            *out = Bits::some(OPEN, bits);
        } else if undef & !moved_operands(op) != 0
            || floats == Floats::Vulkan && float::is_open(op, operands, c, (values[c], bits))
        {
            *out = Bits::some(values[c], bits);
        } else if undef != 0 {
            out.undef = bits_that_vary(op, operands, (num_components, bits), (c, values[c]))?;
        }
    }
    Some(result)
}

/// Whether a component of the result of `op` is open.
pub(crate) fn is_any_open(op: AluOp, operands: &[Operand<'_>], num_components: u8) -> bool {
    (0..usize::from(num_components)).any(|c| is_open(op, &|i| value(operands[i], c)))
}

/// The bits of component `c` of an operand, and its width.
fn value((components, swizzle, bits): Operand<'_>, c: usize) -> (u64, u8) {
    (components.get(usize::from(swizzle.get(c))).map_or(0, |bits| bits.value), bits)
}

/// The fold of `op`, with the undefined bits of operand i set if bit `i % 3` of `fill` is set, otherwise cleared.
fn fold(op: AluOp, operands: &[Operand<'_>], n: u8, bits: u8, fill: Option<u32>) -> Option<[u64; 16]> {
    let mut components = [[0u64; 16]; 16];
    for (i, (from, _, _)) in operands.iter().enumerate() {
        for (to, from) in components[i].iter_mut().zip(*from) {
            *to = match fill {
                Some(fill) if fill >> (i % 3) & 1 != 0 => from.value | from.undef,
                Some(_) => from.value & !from.undef,
                None => from.value,
            };
        }
    }
    let mut filled: [(&[u64], Swizzle, u8); 16] = [(&[], Swizzle::IDENTITY, 0); 16];
    for (i, (from, swizzle, width)) in operands.iter().enumerate() {
        filled[i] = (&components[i][..from.len().min(16)], *swizzle, *width);
    }
    evaluate_alu(op, &filled[..operands.len()], n, bits)
}

/// The components of operand `i` that component `c` of the result depends on.
fn read<'a>(op: AluOp, operands: &[Operand<'a>], n: u8, i: usize, c: usize) -> impl Iterator<Item = Bits> + 'a {
    let (components, swizzle, _) = operands[i];
    let range = match op.info().srcs.get(i).map_or(0, |operand| operand.size) {
        0 => c..c + 1,
        // Component n of a vector is operand n.
        1 if op.info().form == Form::Construct && n > 1 => 0..usize::from(i == c),
        size => 0..usize::from(size),
    };
    range.filter_map(move |c| components.get(usize::from(swizzle.get(c))).copied())
}

/// A mask of the operands whose bits `op` only moves, or computes with one by one.
fn moved_operands(op: AluOp) -> u8 {
    use AluOp::*;
    const ALL: u8 = u8::MAX;
    let info = op.info();
    if info.moves_bits() {
        return ALL;
    }
    match op {
        iand | ior | ixor | inot | bitfield_select | u2u8 | u2u16 | u2u32 | u2u64 | i2i8 | i2i16 | i2i32 | i2i64 => ALL,
        pack_64_2x32_split | pack_32_2x16_split | pack_32_4x8_split => ALL,
        unpack_64_2x32_split_x | unpack_64_2x32_split_y | unpack_32_2x16_split_x | unpack_32_2x16_split_y => ALL,
        ishl | ishr | ushr | urol | uror => 1,
        extract_u8 | extract_i8 | extract_u16 | extract_i16 | insert_u8 | insert_u16 => 1,
        ubitfield_extract | ibitfield_extract | ubfe | ibfe => 1,
        bitfield_insert => 0b11,
        bfi => 0b110,
        _ => 0,
    }
}

/// The bits of component `c` that depend on undefined bits of the operands.
fn bits_that_vary(op: AluOp, operands: &[Operand<'_>], (n, bits): (u8, u8), (c, first): (usize, u64)) -> Option<u64> {
    let mut varying = 0;
    for fill in 0..8 {
        varying |= fold(op, operands, n, bits, Some(fill))?[c] ^ first;
    }
    Some(varying)
}

/// `op` on scalars of `bits` bits.
pub(crate) fn scalar(op: AluOp, operands: [Bits; 2], bits: u8) -> Bits {
    let operands = [(&operands[..1], Swizzle::IDENTITY, bits), (&operands[1..], Swizzle::IDENTITY, bits)];
    let width = match op.info().dest.ty.bits {
        0 => bits,
        width => width,
    };
    let result = evaluate(op, &operands[..op.info().srcs.len().min(2)], (1, width), Floats::Nir);
    result.map_or(Bits::undef(width), |result| result[0])
}

/// `value`, which is wholly undefined if any of `inputs` has undefined bits.
pub(crate) fn all_or_nothing(value: u64, bits: u8, inputs: &[Bits]) -> Bits {
    if inputs.iter().all(|input| input.is_defined()) {
        Bits::new(mask(value, bits))
    } else {
        Bits::some(value, bits)
    }
}
