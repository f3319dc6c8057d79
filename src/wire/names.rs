//! The numbers of names: opcodes, intrinsics and image formats are indices into ntv's own lists.
//!
//! A writer looks up the number of each name once, so it may be of any version of NIR, and a wire has no names. The names of older
//! releases follow the current lists. Another order of a list is another version of the format.

use super::format::Table;
use crate::ir::Stage;
use crate::op::names::FORMATS;
use crate::op::old::{self, OldAlu, OldIntrinsic};
use crate::op::{AluOp, Index, Intrinsic, IntrinsicInfo};

/// The number of `name`; `None` if ntv does not have this name.
pub fn number(table: Table, name: &str) -> Option<u32> {
    let number = match table {
        Table::Alu => {
            AluOp::from_name(name).map(|op| op as usize).or_else(|| Some(AluOp::ALL.len() + old::alu_number(name)?))
        }
        Table::Intrinsic => Intrinsic::from_name(name)
            .map(|op| op as usize)
            .or_else(|| Some(Intrinsic::ALL.len() + old::intrinsic_number(name)?)),
        Table::Format => FORMATS.iter().position(|row| row.0 == name),
    };
    number.map(|number| number as u32)
}

/// The number of sources of the current ALU opcode `number`; 0 if there is no such opcode.
pub fn num_sources(number: u32) -> usize {
    AluOp::ALL.get(number as usize).map_or(0, |op| op.info().srcs.len())
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
    let number = number as usize;
    let today = Intrinsic::ALL.get(number).copied();
    Some(today.or_else(|| Some(old::intrinsic(number.checked_sub(Intrinsic::ALL.len())?, false)?.op))?.info())
}

/// The current form of an ALU opcode of an older release.
pub(super) fn old_alu(number: u32) -> Option<OldAlu> {
    (number as usize).checked_sub(AluOp::ALL.len()).and_then(old::alu)
}

/// The current form of an intrinsic of an older release, in a shader of this stage.
pub(super) fn old_intrinsic(number: u32, stage: Stage) -> Option<OldIntrinsic> {
    let number = (number as usize).checked_sub(Intrinsic::ALL.len())?;
    old::intrinsic(number, stage == Stage::TessCtrl)
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

/// Whether an index may have this value: some are numbers of names themselves.
pub(super) fn is_value(index: Index, value: u32) -> bool {
    let count = match index {
        Index::reduction_op => AluOp::ALL.len(),
        Index::format => FORMATS.len(),
        _ => return true,
    };
    (value as usize) < count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::old::intrinsic;
    use crate::wire::VERSION;

    /// All names by their numbers, one on a line.
    fn names() -> String {
        let mut names = String::new();
        let mut add = |name: &str| {
            names += name;
            names += "\n";
        };
        AluOp::ALL.iter().for_each(|op| add(op.name()));
        (0..).map_while(old::alu_name).for_each(&mut add);
        for op in Intrinsic::ALL {
            add(op.name());
            op.info().indices.iter().for_each(|index| add(index.name()));
        }
        (0..).map_while(old::intrinsic_name).for_each(|name| add(&name));
        FORMATS.iter().for_each(|row| add(row.0));
        names
    }

    #[test]
    fn numbers_are_those_of_the_version() {
        let hash = names()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        assert_eq!(
            (VERSION, hash),
            (6, 16_689_457_585_047_782_440),
            "other lists of names are another version of the wire"
        );
    }

    #[test]
    fn every_name_has_its_number() {
        for (at, op) in AluOp::ALL.iter().enumerate() {
            assert_eq!(number(Table::Alu, op.name()), Some(at as u32));
        }
        for (at, op) in Intrinsic::ALL.iter().enumerate() {
            assert_eq!(number(Table::Intrinsic, op.name()), Some(at as u32));
            for (slot, index) in op.info().indices.iter().enumerate() {
                assert_eq!(index_slot(at as u32, index.name()), Some(slot));
            }
        }
        for (at, name) in (0..).map_while(old::intrinsic_name).enumerate() {
            // Some still exist, with more sources.
            if Intrinsic::from_name(&name).is_some() {
                continue;
            }
            let number = number(Table::Intrinsic, &name).expect("a number");
            assert_eq!(number as usize, Intrinsic::ALL.len() + at, "{name}");
            assert_eq!(num_indices(number), intrinsic(at, false).expect("an intrinsic").op.info().indices.len());
        }
        for at in (0..).take_while(|at| old::alu_name(*at).is_some()) {
            let name = old::alu_name(at).expect("a name");
            assert_eq!(number(Table::Alu, name), Some((AluOp::ALL.len() + at) as u32), "{name}");
        }
        assert_eq!(number(Table::Format, "r32_uint").map(|at| FORMATS[at as usize].0), Some("r32_uint"));
        assert_eq!(number(Table::Intrinsic, "of_the_future"), None);
        assert_eq!(index_slot(u32::MAX, "base"), None);
    }
}
