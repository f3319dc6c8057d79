// SPDX-License-Identifier: MIT

//! Operations whose results may differ within bounds, such as a division: each is put on record and judged separately.
//!
//! A record is a slot of storage block 3: the operation, its operands, and its result. So an error is measured for exactly these
//! operands, and does not propagate, because no other instruction uses the result.

pub(crate) use super::memory::RECORDS_BLOCK;
use super::{Generator, Purpose};
use crate::precision::{judge, Case, Row};
use arbitrary::Result;
use ntv::ir::{AluFlags, Def};
use ntv::op::{AluOp, Index, Intrinsic, Operand, Props};
use std::sync::OnceLock;

/// The size of a record in bytes: a word for the operation, and words of operands and results.
const BYTES: u32 = 128;

/// The number of records of an invocation.
const COUNT: u32 = 4;

/// Components of operations on any number of them: three operands and a result of doubles fit.
const COMPONENTS: &[u8] = &[1, 1, 2, 3];

/// The opcodes to choose from: the frequent ones, which work on each component separately, and the others.
fn opcodes() -> &'static [Vec<AluOp>; 2] {
    static OPCODES: OnceLock<[Vec<AluOp>; 2]> = OnceLock::new();
    OPCODES.get_or_init(|| {
        let imprecise = || super::alu::drawn().filter(|op| op.info().props.contains(Props::IMPRECISE));
        [true, false].map(|each| imprecise().filter(|op| (op.info().dest.size == 0) == each).collect())
    })
}

impl Generator<'_, '_, '_> {
    /// An operation that is put on record; at most [`COUNT`] in a shader.
    pub(super) fn recorded(&mut self) -> Result<()> {
        let own = match self.purpose {
            Purpose::Driver if self.records < COUNT => self.own_bytes(BYTES * COUNT, true)?,
            _ => None,
        };
        let Some(own) = own else { return self.arithmetic() };
        let group = self.u.int_in_range(0..=1usize)?;
        let op = self.choose(&opcodes()[group])?;
        let info = op.info();
        let free = self.free_width(op)?;
        let n = if info.dest.size == 0 { self.choose(COMPONENTS)? } else { info.dest.size };
        let row = Row { op, free, n };
        let mut srcs = Vec::with_capacity(3);
        for operand in info.srcs {
            let (bits, components) = row.shape(operand);
            let (src, _) = self.source(Some(super::alu::kind(operand)), bits, components)?;
            let components: Vec<u8> = src.swizzle.components(components.into()).collect();
            srcs.push(self.b.swizzle(src.def, &components));
        }
        let (bits, _) = row.shape(&info.dest);
        let operands: Vec<_> = srcs.iter().map(|src| (*src).into()).collect();
        let result = self.raw_alu(op, AluFlags::empty(), &operands, (n, bits));
        let mut words = vec![self.b.imm32(header(row))];
        srcs.iter().chain([&result]).for_each(|def| self.words(*def, &mut words));
        let start = self.b.iadd_imm(own, u64::from(BYTES * self.records));
        self.store_words(start, &words);
        self.records += 1;
        Ok(())
    }

    fn store_words(&mut self, start: Def, words: &[Def]) {
        for (at, words) in words.chunks(4).enumerate() {
            let offset = self.b.iadd_imm(start, 16 * at as u64);
            let (value, block) = (self.b.vec(words), self.b.imm32(RECORDS_BLOCK));
            let mask = (1 << words.len()) - 1;
            let indices = [(Index::write_mask, mask), (Index::align_mul, 16), (Index::align_offset, 0)];
            self.b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[value, block, offset], &indices);
        }
    }
}

/// The first word of a record, which is not 0.
fn header(row: Row) -> u32 {
    (row.op as u32 + 1) | u32::from(row.free) << 16 | u32::from(row.n) << 24
}

fn row(header: u32) -> Option<Row> {
    let op = AluOp::ALL.get((header & 0xffff).checked_sub(1)? as usize)?;
    let row = Row { op: *op, free: (header >> 16) as u8, n: (header >> 24) as u8 };
    ([8, 16, 32, 64].contains(&row.free) && (1..=4).contains(&row.n)).then_some(row)
}

/// The first result on record in `block` that is outside of its bounds.
pub fn problem(block: &[u8]) -> Option<String> {
    let slots = block.chunks_exact(BYTES as usize);
    slots.enumerate().find_map(|(number, record)| {
        let mut words =
            record.chunks_exact(4).map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte)));
        let row = row(words.next()?)?;
        let info = row.op.info();
        let mut value = |operand: &Operand| -> Vec<u64> {
            let (bits, n) = row.shape(operand);
            let mut word = || u64::from(words.next().unwrap_or(0));
            (0..n).map(|_| if bits == 64 { word() | word() << 32 } else { word() }).collect()
        };
        let operands: Vec<Vec<u64>> = info.srcs.iter().map(&mut value).collect();
        let got = value(&info.dest);
        let case = Case { row, operands: &operands };
        let expected = judge(&case, &got).err().filter(|_| case.is_finite())?;
        let Row { op, free, .. } = row;
        Some(format!("record {number}: {}@{free} of {operands:x?} gives {got:x?}, not {expected}", op.name()))
    })
}
