// SPDX-License-Identifier: MIT

//! The numbers of names: opcodes, intrinsics and image formats are indices into ntv's own lists.
//!
//! A writer looks up the number of each name once, so it may be of any version of NIR, and a wire has no names. A new opcode is a
//! new row at the end of its table, and gets the next number: [`Numbers`] keeps the numbers of today. A new format is a new row at
//! the end of its list. Neither needs another version of the wire. Another order of the rows, or other indices of an existing
//! intrinsic, does.

use super::format::Table;
use crate::ir::Stage;
use crate::op::names::FORMATS;
use crate::op::old::{self, OldAlu, OldIntrinsic};
use crate::op::{AluOp, Index, Intrinsic, IntrinsicInfo};

/// The numbers of a table of opcodes: the rows that it had in version 6 of the wire come first, names of older releases next,
/// and rows that were added since then last.
struct Numbers {
    /// Rows in version 6.
    first: usize,
    /// Names of older releases.
    old: usize,
}

const ALU: Numbers = Numbers { first: 424, old: 8 };
const INTRINSICS: Numbers = Numbers { first: 194, old: 126 };

impl Numbers {
    /// The number of the row at `place`.
    const fn of_row(&self, place: usize) -> usize {
        if place < self.first {
            place
        } else {
            place + self.old
        }
    }

    /// The number of the older name at `place`.
    const fn of_old(&self, place: usize) -> usize {
        self.first + place
    }

    /// The place of the row with this number.
    fn row(&self, number: usize) -> Option<usize> {
        match number.checked_sub(self.first) {
            None => Some(number),
            Some(after) => Some(self.first + after.checked_sub(self.old)?),
        }
    }

    /// The place of the older name with this number.
    fn old(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.first).filter(|place| *place < self.old)
    }
}

/// The ALU opcodes whose number is their index.
pub(super) const FIRST_ALU: &[AluOp] = AluOp::ALL.split_at(ALU.first).0;

/// The intrinsics whose number is their index.
pub(super) const FIRST_INTRINSICS: &[Intrinsic] = Intrinsic::ALL.split_at(INTRINSICS.first).0;

/// The number of an ALU opcode.
pub(super) fn alu_number(op: AluOp) -> u32 {
    ALU.of_row(op as usize) as u32
}

/// The number of an intrinsic.
pub(super) fn intrinsic_number(op: Intrinsic) -> u32 {
    INTRINSICS.of_row(op as usize) as u32
}

/// The ALU opcode of today with this number.
pub(super) fn alu(number: u32) -> Option<AluOp> {
    AluOp::ALL.get(ALU.row(number as usize)?).copied()
}

/// The intrinsic of today with this number.
pub(super) fn intrinsic(number: u32) -> Option<Intrinsic> {
    Intrinsic::ALL.get(INTRINSICS.row(number as usize)?).copied()
}

/// The number of `name`; `None` if ntv does not have this name.
pub fn number(table: Table, name: &str) -> Option<u32> {
    match table {
        Table::Alu => {
            let old = || old::alu_number(name).map(|place| ALU.of_old(place) as u32);
            AluOp::from_name(name).map(alu_number).or_else(old)
        }
        Table::Intrinsic => {
            let old = || old::intrinsic_number(name).map(|place| INTRINSICS.of_old(place) as u32);
            Intrinsic::from_name(name).map(intrinsic_number).or_else(old)
        }
        Table::Format => FORMATS.iter().position(|row| row.0 == name).map(|place| place as u32),
    }
}

/// The number of indices in a record of intrinsic `number`; 0 if there is no such intrinsic.
pub fn num_indices(number: u32) -> usize {
    info(number).map_or(0, |info| info.indices.len())
}

/// The position of the index called `name` among the indices of a record of intrinsic `number`.
pub fn index_slot(number: u32, name: &str) -> Option<usize> {
    info(number)?.indices.iter().position(|index| index.name() == name)
}

/// The row of a current or older intrinsic.
fn info(number: u32) -> Option<&'static IntrinsicInfo> {
    let today = intrinsic(number);
    let old = || old::intrinsic(INTRINSICS.old(number as usize)?, false).map(|old| old.op);
    today.or_else(old).map(Intrinsic::info)
}

/// The current form of an ALU opcode of an older release.
pub(super) fn old_alu(number: u32) -> Option<OldAlu> {
    ALU.old(number as usize).and_then(old::alu)
}

/// The current form of an intrinsic of an older release, in a shader of this stage.
pub(super) fn old_intrinsic(number: u32, stage: Stage) -> Option<OldIntrinsic> {
    old::intrinsic(INTRINSICS.old(number as usize)?, stage == Stage::TessCtrl)
}

/// Whether the values of some indices of an intrinsic are numbers of names.
#[inline(always)]
pub(super) fn has_names(info: &IntrinsicInfo) -> bool {
    info.has_index(Index::format) || info.has_index(Index::reduction_op)
}

/// The first index of an intrinsic whose value has no name, and the name of the index.
pub(super) fn value_without_name(op: Intrinsic, values: &[u32]) -> Option<(usize, &'static str)> {
    let mut pairs = op.info().indices.iter().zip(values).enumerate();
    pairs.find_map(|(at, (index, value))| (!is_value(*index, *value)).then(|| (at, index.name())))
}

/// Whether an index may have this value: some are numbers of names themselves. Opcodes that came later reduce nothing.
pub(super) fn is_value(index: Index, value: u32) -> bool {
    let count = match index {
        Index::reduction_op => ALU.first,
        Index::format => FORMATS.len(),
        _ => return true,
    };
    (value as usize) < count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::VERSION;

    /// All names by their numbers, one on a line.
    fn names() -> String {
        let mut names = String::new();
        let mut add = |name: &str| {
            names += name;
            names += "\n";
        };
        FIRST_ALU.iter().for_each(|op| add(op.name()));
        (0..).map_while(old::alu_name).for_each(&mut add);
        for op in FIRST_INTRINSICS {
            add(op.name());
            op.info().indices.iter().for_each(|index| add(index.name()));
        }
        (0..).map_while(old::intrinsic_name).for_each(|name| add(&name));
        FORMATS[..FIRST_FORMATS].iter().for_each(|row| add(row.0));
        names
    }

    /// Formats in version 7.
    const FIRST_FORMATS: usize = 42;

    #[test]
    fn numbers_are_those_of_the_version() {
        let hash = names()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        assert_eq!(
            (VERSION, hash),
            (7, 8_536_924_512_164_865_194),
            "other numbers are another version of the wire; new rows belong at the end of their table"
        );
        assert_eq!((0..).map_while(old::alu_name).count(), ALU.old);
        assert_eq!((0..).map_while(old::intrinsic_name).count(), INTRINSICS.old);
    }

    #[test]
    fn new_rows_get_new_numbers() {
        let numbers = Numbers { first: 3, old: 2 };
        let rows = [0, 1, 2, 3, 4].map(|place| numbers.of_row(place));
        assert_eq!((rows, [0, 1].map(|place| numbers.of_old(place))), ([0, 1, 2, 5, 6], [3, 4]));
        assert_eq!([2, 3, 4, 5].map(|number| numbers.row(number)), [Some(2), None, None, Some(3)]);
        assert_eq!([2, 3, 4, 5].map(|number| numbers.old(number)), [None, Some(0), Some(1), None]);
    }

    #[test]
    fn every_name_has_its_number() {
        for op in AluOp::ALL {
            assert_eq!(number(Table::Alu, op.name()).and_then(alu), Some(*op));
        }
        for op in Intrinsic::ALL {
            let at = number(Table::Intrinsic, op.name()).expect("a number");
            assert_eq!(super::intrinsic(at), Some(*op));
            for (slot, index) in op.info().indices.iter().enumerate() {
                assert_eq!(index_slot(at, index.name()), Some(slot));
            }
        }
        for (at, name) in (0..).map_while(old::intrinsic_name).enumerate() {
            // Some still exist, with more sources.
            if Intrinsic::from_name(&name).is_some() {
                continue;
            }
            let number = number(Table::Intrinsic, &name).expect("a number");
            assert_eq!(number as usize, INTRINSICS.of_old(at), "{name}");
            assert_eq!(num_indices(number), old::intrinsic(at, false).expect("an intrinsic").op.info().indices.len());
        }
        for at in (0..).take_while(|at| old::alu_name(*at).is_some()) {
            let name = old::alu_name(at).expect("a name");
            assert_eq!(number(Table::Alu, name), Some(ALU.of_old(at) as u32), "{name}");
        }
        assert_eq!(number(Table::Format, "r32_uint").map(|at| FORMATS[at as usize].0), Some("r32_uint"));
        assert_eq!(number(Table::Intrinsic, "of_the_future"), None);
        assert_eq!(index_slot(u32::MAX, "base"), None);
    }
}
