// SPDX-License-Identifier: MIT

//! Operations on numbers that are carried in 32 bits: reading operands, computing, and truncating results.

use super::{Carriers, Lacks};
use crate::ir::{AluFlags, AluSrc, Builder, Def, Inst, Shader};
use crate::op::AluOp::{self, *};
use crate::op::{Base, Form, Operand, Props};

/// Operations that read their integers as signed.
const SIGNED: &[AluOp] = &[idiv, irem, imod, imin, imax, iabs, isign, ishr, ilt, ige, imul_high];

/// Operations whose result needs no truncation if the operands are truncated; a quotient, unless it is [open](is_open).
const IN_RANGE: &[AluOp] = &[iand, ior, ixor, ushr, umin, umax, udiv, umod];

/// Builds operations on carried numbers.
pub(super) struct Narrow<'a, 'b> {
    pub(super) b: &'a mut Builder<'b>,
}

impl Narrow<'_, '_> {
    fn with(&mut self, op: AluOp, x: Def, value: u32) -> Def {
        let components = usize::from(self.b.shader.num_components(x));
        let y = self.b.constant(32, &[u64::from(value); 16][..components]);
        self.b.alu(op, &[x, y])
    }

    /// The results of `make` for each component.
    fn each(&mut self, x: Def, mut make: impl FnMut(&mut Builder<'_>, Def) -> Def) -> Def {
        let components = self.b.shader.num_components(x);
        let scalars: Vec<Def> = (0..components)
            .map(|c| {
                let scalar = self.b.channel(x, c);
                make(self.b, scalar)
            })
            .collect();
        self.b.vec(&scalars)
    }

    /// Converts carried 16-bit floats to 32-bit ones.
    pub(super) fn float_of(&mut self, bits: Def) -> Def {
        self.each(bits, |b, scalar| {
            let both = b.alu(unpack_half_2x16, &[scalar]);
            b.channel(both, 0)
        })
    }

    /// The bits of native 16-bit floats.
    pub(super) fn bits_of_half(&mut self, half: Def) -> Def {
        self.each(half, |b, scalar| {
            let zero = b.imm(16, 0);
            let both = b.vec(&[scalar, zero]);
            b.alu(pack_32_2x16, &[both])
        })
    }

    /// Native 16-bit floats from their bits.
    pub(super) fn half_of_bits(&mut self, bits: Def) -> Def {
        self.each(bits, |b, scalar| {
            let both = b.alu(unpack_32_2x16, &[scalar]);
            b.channel(both, 0)
        })
    }

    /// Sign-extends carried integers of `bits` bits.
    fn sign_extend(&mut self, x: Def, bits: u8) -> Def {
        let unused = 32 - u32::from(bits);
        let top = self.with(ishl, x, unused);
        self.with(ishr, top, unused)
    }

    /// 32-bit results as carried numbers of `bits` bits.
    pub(super) fn cut(&mut self, x: Def, base: Base, bits: u8) -> Def {
        match base {
            Base::Float => self.each(x, |b, scalar| {
                let zero = b.imm(32, 0);
                let both = b.vec(&[scalar, zero]);
                b.alu(pack_half_2x16, &[both])
            }),
            _ => self.with(iand, x, (1 << bits) - 1),
        }
    }
}

impl Carriers {
    /// The result of `op`: the carrier, or the value itself if the target has its width.
    pub(super) fn alu(&mut self, b: &mut Builder<'_>, inst: Inst, op: AluOp, srcs: &[AluSrc]) -> Def {
        let info = op.info();
        let components = b.shader.insts[inst].num_components;
        let size = |operand: &Operand| operand.components(components);
        if info.moves_bits() {
            return self.moved(b, inst, op, srcs);
        }
        let bits = b.shader.insts[inst].bit_size;
        let src_bits = b.shader.bit_size(srcs[0].def);
        let mut operands = Vec::with_capacity(srcs.len());
        for (src, operand) in srcs.iter().zip(info.srcs) {
            operands.push(self.operand(b, op, *src, operand, size(operand)));
        }
        let lacks = self.lacks;
        let op32 = at_32_bits(lacks, op, bits);
        let result_bits = if lacks.number(info.dest.ty.base, bits) { 32 } else { bits };
        let mut n = Narrow { b };
        let result = match src_bits {
            64 if op32 == f2f32 && op != f2f32 => n.rounded_to_odd(operands[0]),
            _ => n.compute(op32, &mut operands, (src_bits, components, result_bits)),
        };
        // A quotient by 0 may be any number of 32 bits.
        let divides_by_0 = matches!(op, udiv | umod) && !is_never_0(n.b.shader, srcs[1], components);
        let cut = lacks.number(info.dest.ty.base, bits) && (!IN_RANGE.contains(&op) || divides_by_0);
        if !cut {
            return result;
        }
        n.cut(result, info.dest.ty.base, bits)
    }

    /// An operand in the form that `op` reads.
    fn operand(&mut self, b: &mut Builder<'_>, op: AluOp, src: AluSrc, operand: &Operand, components: u8) -> Def {
        let bits = b.shader.bit_size(src.def);
        let base = operand.ty.base;
        if !self.lacks.number(base, bits) {
            let def = self.restored(b, src.def);
            let picks: Vec<u8> = src.swizzle.components(usize::from(components)).collect();
            return b.swizzle(def, &picks);
        }
        let value = self.source(b, src, components);
        let mut n = Narrow { b };
        let signed = SIGNED.contains(&op) || op.info().props.contains(Props::CONVERSION);
        match base {
            Base::Float => n.float_of(value),
            Base::Int if signed => n.sign_extend(value, bits),
            _ => value,
        }
    }

    /// Operations that move bits: selections and vectors of carriers, parts packed and unpacked by shifts.
    fn moved(&mut self, b: &mut Builder<'_>, inst: Inst, op: AluOp, srcs: &[AluSrc]) -> Def {
        let info = op.info();
        let components = b.shader.insts[inst].num_components;
        if info.form != Form::Bitcast {
            let is_carried = self.is_carried[inst.def()];
            let values: Vec<AluSrc> = srcs
                .iter()
                .map(|src| {
                    let narrow = matches!(b.shader.bit_size(src.def), 8 | 16);
                    let def = match narrow {
                        true if is_carried => self.carrier(b, src.def),
                        true => self.restored(b, src.def),
                        false => src.def,
                    };
                    AluSrc { def, ..*src }
                })
                .collect();
            let bits = if is_carried { 32 } else { b.shader.insts[inst].bit_size };
            return b.alu_with(op, AluFlags::empty(), &values, Some((components, bits)));
        }
        let operand = info.srcs[0];
        let value = self.source(b, srcs[0], operand.size);
        let result = match op {
            pack_32_2x16 => join(b, value, 16),
            pack_32_4x8 => join(b, value, 8),
            pack_64_4x16 => {
                let halves = [[0, 1], [2, 3]].map(|picks| {
                    let pair = b.swizzle(value, &picks);
                    join(b, pair, 16)
                });
                let pair = b.vec(&halves);
                b.alu(pack_64_2x32, &[pair])
            }
            unpack_32_2x16 => split(b, value, 16),
            unpack_32_4x8 => split(b, value, 8),
            _ => {
                let halves = b.alu(unpack_64_2x32, &[value]);
                let parts: Vec<Def> = (0..2)
                    .flat_map(|half| {
                        let word = b.channel(halves, half);
                        let parts = split(b, word, 16);
                        [0, 1].map(|c| b.channel(parts, c))
                    })
                    .collect();
                b.vec(&parts)
            }
        };
        // A value that is unpacked to a width that the target has is restored.
        let bits = b.shader.insts[inst].bit_size;
        if matches!(bits, 8 | 16) && !self.is_carried[inst.def()] {
            let lacks_int16 = self.lacks.int16;
            return match bits {
                8 => b.alu(u2u8, &[result]),
                _ if lacks_int16 => Narrow { b }.half_of_bits(result),
                _ => b.alu(u2u16, &[result]),
            };
        }
        result
    }
}

impl Narrow<'_, '_> {
    /// A 64-bit float as a 32-bit one that rounds to the same 16-bit float. What lies between two 32-bit floats becomes the one with
    /// the last bit set, which is not between two 16-bit floats in equal distance.
    fn rounded_to_odd(&mut self, x: Def) -> Def {
        let near = self.b.alu(f2f32, &[x]);
        let back = self.b.alu(f2f64, &[near]);
        let [size, back_size] = [x, back].map(|value| self.b.alu(fabs, &[value]));
        let is_away = self.b.alu(flt, &[size, back_size]);
        let before = self.with(iadd, near, u32::MAX);
        let below = self.b.alu(bcsel, &[is_away, before, near]);
        let odd = self.with(ior, below, 1);
        let is_inexact = self.b.alu(fneu, &[back, x]);
        self.b.alu(bcsel, &[is_inexact, odd, below])
    }

    /// `op` on 32-bit operands, for an operation whose operands have `src_bits` bits.
    fn compute(&mut self, op: AluOp, operands: &mut [Def], (src_bits, components, bits): (u8, u8, u8)) -> Def {
        let narrow = matches!(src_bits, 8 | 16);
        match op {
            // The count is taken modulo the width.
            ishl | ishr | ushr if narrow => operands[1] = self.with(iand, operands[1], u32::from(src_bits) - 1),
            umul_high | imul_high if narrow => {
                let product = self.b.alu(imul, operands);
                return self.with(if op == imul_high { ishr } else { ushr }, product, src_bits.into());
            }
            uadd_carry if narrow => {
                let sum = self.b.alu(iadd, operands);
                return self.with(ushr, sum, src_bits.into());
            }
            // The operand has 32 bits already.
            u2u32 | i2i32 | f2f32 if self.b.shader.bit_size(operands[0]) == 32 => return operands[0],
            _ => {}
        }
        let srcs: Vec<AluSrc> = operands.iter().map(|def| AluSrc::from(*def)).collect();
        self.b.alu_with(op, AluFlags::empty(), &srcs, Some((components, bits)))
    }
}

/// Whether no component of `src` that is read can be 0.
fn is_never_0(shader: &Shader, src: AluSrc, components: u8) -> bool {
    let values = shader.as_const(src.def);
    values.is_some_and(|values| src.swizzle.components(usize::from(components)).all(|c| values[usize::from(c)] != 0))
}

/// The opcode with a 32-bit result that replaces `op` with a result of `bits` bits that the target lacks.
fn at_32_bits(lacks: Lacks, op: AluOp, bits: u8) -> AluOp {
    let dest = op.info().dest.ty;
    if dest.bits == 0 || !lacks.number(dest.base, bits) {
        return op;
    }
    match op {
        f2fmp | f2f16 | f2f16_rtne => f2f32,
        i2imp => i2i32,
        f2imp => f2i32,
        f2ump => f2u32,
        i2fmp => i2f32,
        u2fmp => u2f32,
        op => {
            let stem = op.name().trim_end_matches(|c: char| c.is_ascii_digit());
            AluOp::from_name(&format!("{stem}32")).unwrap_or(op)
        }
    }
}

/// Joins parts of `width` bits, the first lowest.
fn join(b: &mut Builder<'_>, parts: Def, width: u32) -> Def {
    let count = b.shader.num_components(parts);
    let first = b.channel(parts, 0);
    (1..count).fold(first, |all, c| {
        let part = b.channel(parts, c);
        let part = b.ishl_imm(part, u32::from(c) * width);
        b.alu(ior, &[all, part])
    })
}

/// Splits a word into parts of `width` bits.
fn split(b: &mut Builder<'_>, word: Def, width: u32) -> Def {
    let count = 32 / width;
    let parts: Vec<Def> = (0..count)
        .map(|c| {
            let low = b.ushr_imm(word, c * width);
            if c + 1 == count {
                low
            } else {
                b.iand_imm(low, (1 << width) - 1)
            }
        })
        .collect();
    b.vec(&parts)
}
