// SPDX-License-Identifier: MIT

//! Operations whose result may be undefined: divisions by 0, bit fields that end beyond the operand, floats that fit no integer.
//!
//! Their result is some number nevertheless. Here it becomes an index or a condition, after operations that bound it: an access
//! must stay within its memory for every result.

use super::{Generator, Kind, Purpose};
use arbitrary::Result;
use ntv::ir::{AluFlags, AluSrc, Def};
use ntv::op::AluOp::{self, *};

/// The operations. A driver may divide the least number by -1 with the instruction of the CPU, which fails, and LLVM makes
/// conversions of constants poison.
const OPS: &[AluOp] =
    &[udiv, umod, udiv, umod, ubitfield_extract, idiv, irem, imod, ibitfield_extract, bitfield_insert, f2u32, f2i32];

impl Generator<'_, '_, '_> {
    /// A number of 32 bits that is undefined for some inputs.
    pub(super) fn open_number(&mut self) -> Result<Def> {
        let ops = if self.purpose == Purpose::Driver { &OPS[..5] } else { OPS };
        let op = self.choose(ops)?;
        let mut srcs = Vec::with_capacity(4);
        for i in 0..op.info().srcs.len() {
            let kind = if matches!(op, f2u32 | f2i32) { Kind::Float } else { Kind::Int };
            let (src, _) = self.source(Some(kind), 32, 1)?;
            // Half of the divisors are 0, half of the fields end beyond 32 bits, and a dividend may have few bits.
            let mask = match (op, i) {
                (f2u32 | f2i32, _) => u32::MAX,
                (udiv | umod | idiv | irem | imod, 0) => self.choose(&[0xf, 0xff, 0xffff, 0x7fff_ffff])?,
                (udiv | umod | idiv | irem | imod, _) => self.choose(&[1, 7, 31, u32::MAX])?,
                (ubitfield_extract | ibitfield_extract, 0) | (bitfield_insert, 0 | 1) => u32::MAX,
                // A field of a known width is bounded, if it is within the operand.
                (_, i) if i + 1 == op.info().srcs.len() && self.chance(2)? => {
                    srcs.push(self.b.imm32(7).into());
                    continue;
                }
                _ => 63,
            };
            srcs.push(if mask == u32::MAX { src } else { self.masked(src, mask) });
        }
        Ok(self.raw_alu(op, AluFlags::empty(), &srcs, (1, 32)))
    }

    /// An index below `end`, a power of two, that may be undefined.
    pub(super) fn array_index(&mut self, end: u32) -> Result<Def> {
        if !self.chance(16)? {
            return self.small_index(end);
        }
        let number = self.open_number()?;
        Ok(self.b.iand_imm(number, u64::from(end - 1)))
    }

    /// A condition that is undefined for some inputs, although some of its bits are known.
    pub(super) fn open_condition(&mut self) -> Result<Def> {
        let number = self.open_number()?;
        let mask = self.choose(&[0xf, 0xff, 0xffff])?;
        let low = self.masked(number.into(), mask);
        let limit = self.b.imm32(mask.wrapping_add(self.u.int_in_range(0..=2)?).wrapping_sub(1));
        let op = self.choose(&[ult, uge, ieq, ilt])?;
        Ok(self.raw_alu(op, AluFlags::empty(), &[low, limit.into()], (1, 1)))
    }

    fn masked(&mut self, src: AluSrc, mask: u32) -> AluSrc {
        let mask = self.b.imm32(mask).into();
        self.raw_alu(iand, AluFlags::empty(), &[src, mask], (1, 32)).into()
    }
}
