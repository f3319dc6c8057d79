//! What the writer's numbers mean: each opcode, intrinsic, index and format that a wire uses has its name in it.
//!
//! Drivers write shader after shader with the same numbers and the same names: a record that is word for word that which named
//! the number in an earlier wire is not read again. A name that is not known is an error only where the number is used.

use super::format::{Table, TABLE_SIZE};
use super::record::{error, Record};
use crate::error::Error;
use crate::op::names::FORMATS;
use crate::op::old::{old_alu, old_intrinsic, OldAlu};
use crate::op::{AluOp, Index, IndexKind, Intrinsic};
use std::ops::Range;

/// The most indices that an intrinsic of any writer has.
const MAX_INDICES: usize = 16;

/// The memory that records of names may take from one wire to the next, in words.
const MAX_KEPT: usize = 1 << 16;

/// The meanings of all numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    alu: Numbers<AluRow>,
    intrinsics: Numbers<IntrinsicRow>,
    indices: Numbers<Index>,
    formats: Numbers<u32>,
    /// The records that gave the numbers their meaning.
    records: Vec<u32>,
    /// Counts the wires.
    epoch: u64,
    /// Counts the changes to what the numbers of indices mean.
    changes: u64,
}

/// An ALU opcode: one of the table, or what one of an older release has become.
#[derive(Clone, Copy, Debug)]
pub(super) enum AluRow {
    Op(AluOp),
    Old(OldAlu),
}

impl AluRow {
    fn from_name(name: &str) -> Option<AluRow> {
        AluOp::from_name(name).map(AluRow::Op).or_else(|| old_alu(name).map(AluRow::Old))
    }
}

/// An intrinsic with the indices of its records.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntrinsicRow {
    pub(super) op: Intrinsic,
    /// Each index of a record is itself, and stands where it stands in the IR.
    pub(super) is_plain: bool,
    num_indices: u8,
    /// Where each index of a record stands in the IR, and of what kind it is; `None` for those that the opcode's row lacks.
    indices: [Option<(u8, IndexKind)>; MAX_INDICES],
    /// The name is that of an older release: sources at the end that it did not have, and indices, by where they stand in the
    /// IR, that it implied.
    pub(super) missing_srcs: u8,
    pub(super) implied: [Option<(u8, u32)>; 4],
    /// How often the meaning of indices had changed before.
    changes: u64,
}

impl IntrinsicRow {
    /// How many sources a record has.
    pub(super) fn num_srcs(&self) -> usize {
        self.op.info().srcs.len() - usize::from(self.missing_srcs)
    }

    /// What each index of a record is.
    pub(super) fn indices(&self) -> &[Option<(u8, IndexKind)>] {
        &self.indices[..usize::from(self.num_indices)]
    }
}

impl Names {
    /// Forgets the last wire.
    pub(super) fn clear(&mut self) {
        if self.records.len() > MAX_KEPT {
            *self = Names { epoch: self.epoch, changes: self.changes, ..Names::default() };
        }
        self.epoch += 1;
    }

    /// Reads a record that names a number, in a shader of tessellation control or another.
    #[inline(always)]
    pub(super) fn define(&mut self, record: Record<'_>, text: &mut Vec<u8>, tess_ctrl: bool) -> Result<(), Error> {
        match self.is_again(Naming { words: record.rest(), at: record.at() + 2, epoch: self.epoch }) {
            true => Ok(()),
            false => self.define_anew(record, text, tess_ctrl),
        }
    }

    /// Whether a number is named as before, and so means the same.
    #[inline(always)]
    fn is_again(&mut self, naming: Naming<'_>) -> bool {
        let &[table, number, ..] = naming.words else { return false };
        match Table::from_number(table) {
            Some(Table::Alu) => self.alu.name_again(number, naming, &self.records).is_some(),
            Some(Table::Index) => self.indices.name_again(number, naming, &self.records).is_some(),
            Some(Table::Format) => self.formats.name_again(number, naming, &self.records).is_some(),
            Some(Table::Intrinsic) => {
                let Some(row) = self.intrinsics.name_again(number, naming, &self.records) else { return false };
                let Some(row) = row.as_ref().filter(|row| row.changes == self.changes) else { return false };
                let (_, indices) = naming.words.split_at(naming.words.len() - usize::from(row.num_indices));
                indices.iter().all(|index| self.indices.entry(*index, self.epoch).is_some())
            }
            None => false,
        }
    }

    #[inline(never)]
    fn define_anew(&mut self, mut record: Record<'_>, text: &mut Vec<u8>, tess_ctrl: bool) -> Result<(), Error> {
        let words = record.rest();
        let table = record.pick("a table", Table::from_number)?;
        let number = record.pick("a number below 1024", |number| (number < TABLE_SIZE).then_some(number))?;
        let naming = Naming { words, at: record.at(), epoch: self.epoch };
        let Some(name) = record.string(text) else { return Err(record.behind(format_args!("expected a name"))) };
        let row = match table {
            Table::Intrinsic => self.any_intrinsic_row(&name, tess_ctrl, &mut record)?,
            _ => None,
        };
        record.end()?;
        match table {
            Table::Alu => self.alu.name(number, AluRow::from_name(&name), naming, &mut self.records),
            Table::Intrinsic => self.intrinsics.name(number, row, naming, &mut self.records),
            Table::Format => self.formats.name(number, format(&name), naming, &mut self.records),
            Table::Index => {
                self.changes += 1;
                self.indices.name(number, index(&name), naming, &mut self.records);
            }
        }
        Ok(())
    }

    /// What an intrinsic of this name is, now or in an older release; `None` if there never was one.
    fn any_intrinsic_row(
        &self,
        name: &str,
        tess_ctrl: bool,
        record: &mut Record<'_>,
    ) -> Result<Option<IntrinsicRow>, Error> {
        if let Some(op) = Intrinsic::from_name(name) {
            return self.intrinsic_row(op, record).map(Some);
        }
        let Some(old) = old_intrinsic(name, tess_ctrl) else {
            record.words(record.left());
            return Ok(None);
        };
        let mut row = self.intrinsic_row(old.op, record)?;
        row.missing_srcs = old.missing_srcs as u8;
        row.implied = old.indices.map(|(index, value)| Some((old.op.info().index_slot(index)? as u8, value)));
        row.is_plain = false;
        // The stage has its say as well: never taken to be the same again.
        row.changes = u64::MAX;
        Ok(Some(row))
    }

    /// The indices that follow the name of an intrinsic.
    fn intrinsic_row(&self, op: Intrinsic, record: &mut Record<'_>) -> Result<IntrinsicRow, Error> {
        let numbers = record.words(record.left());
        if numbers.len() > MAX_INDICES {
            let message = format_args!("`{}` has {} indices, more than {MAX_INDICES}", op.name(), numbers.len());
            return Err(record.behind(message));
        }
        let mut indices = [None; MAX_INDICES];
        for (index, number) in indices.iter_mut().zip(numbers) {
            let Some(entry) = self.indices.entry(*number, self.epoch) else {
                return Err(record.behind(format_args!("an index of `{}` has no name: {number}", op.name())));
            };
            *index = entry.value.and_then(|known| Some((op.info().index_slot(known)? as u8, known.kind())));
        }
        let is_plain = |(at, index): (usize, &Option<(u8, IndexKind)>)| {
            index.is_some_and(|(slot, kind)| {
                usize::from(slot) == at && !matches!(kind, IndexKind::AluOp | IndexKind::Format)
            })
        };
        let all_plain = indices[..numbers.len()].iter().enumerate().all(is_plain);
        Ok(IntrinsicRow {
            op,
            is_plain: all_plain && numbers.len() == op.info().indices.len(),
            num_indices: numbers.len() as u8,
            indices,
            missing_srcs: 0,
            implied: [None; 4],
            changes: self.changes,
        })
    }

    /// What ALU opcode `number`, which stands at `at`, is.
    pub(super) fn alu(&self, number: u32, at: usize, wire: &[u32]) -> Result<&AluRow, Error> {
        self.alu.get(number, self.epoch).map_err(|problem| problem.error("ALU opcode", number, at, wire))
    }

    /// What intrinsic `number`, which stands at `at`, is.
    pub(super) fn intrinsic(&self, number: u32, at: usize, wire: &[u32]) -> Result<&IntrinsicRow, Error> {
        self.intrinsics.get(number, self.epoch).map_err(|problem| problem.error("intrinsic", number, at, wire))
    }

    /// What image format `number`, which stands at `at` and is not 0, is: an index into [`FORMATS`].
    pub(super) fn format(&self, number: u32, at: usize, wire: &[u32]) -> Result<u32, Error> {
        self.formats.get(number, self.epoch).copied().map_err(|problem| problem.error("image format", number, at, wire))
    }
}

fn index(name: &str) -> Option<Index> {
    Index::ALL.iter().copied().find(|index| index.name() == name)
}

fn format(name: &str) -> Option<u32> {
    FORMATS.iter().position(|row| row.0 == name).map(|at| at as u32)
}

/// A record that names a number.
#[derive(Clone, Copy)]
struct Naming<'a> {
    words: &'a [u32],
    /// Where the name stands in the wire.
    at: usize,
    epoch: u64,
}

/// The numbers of one table.
#[derive(Clone, Debug)]
struct Numbers<T> {
    entries: Vec<Entry<T>>,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    /// The wire that named it last.
    epoch: u64,
    /// Where in that wire the name stands.
    at: usize,
    /// The words of the record among those that are kept.
    record: Range<usize>,
    /// `None` if the name is not known.
    value: Option<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { entries: Vec::new() }
    }
}

impl<T: Clone> Numbers<T> {
    /// What `number` means if the record is that which named it last.
    fn name_again(&mut self, number: u32, naming: Naming<'_>, records: &[u32]) -> Option<&Option<T>> {
        let entry = self.entries.get_mut(number as usize)?;
        if records[entry.record.clone()] != *naming.words {
            return None;
        }
        (entry.epoch, entry.at) = (naming.epoch, naming.at);
        Some(&entry.value)
    }

    /// Gives `number` another meaning.
    fn name(&mut self, number: u32, value: Option<T>, naming: Naming<'_>, records: &mut Vec<u32>) {
        let slot = number as usize;
        if slot >= self.entries.len() {
            self.entries.resize(slot + 1, Entry { epoch: 0, at: 0, record: 0..0, value: None });
        }
        let start = records.len();
        records.extend_from_slice(naming.words);
        self.entries[slot] = Entry { epoch: naming.epoch, at: naming.at, record: start..records.len(), value };
    }

    fn entry(&self, number: u32, epoch: u64) -> Option<&Entry<T>> {
        self.entries.get(number as usize).filter(|entry| entry.epoch == epoch)
    }

    fn get(&self, number: u32, epoch: u64) -> Result<&T, Problem> {
        let entry = self.entry(number, epoch).ok_or(Problem::Unnamed)?;
        entry.value.as_ref().ok_or(Problem::Unknown(entry.at))
    }
}

/// Why a number means nothing.
enum Problem {
    /// The wire gives it no name.
    Unnamed,
    /// Its name, which stands there, is not known.
    Unknown(usize),
}

impl Problem {
    #[cold]
    fn error(&self, what: &str, number: u32, at: usize, wire: &[u32]) -> Error {
        match self {
            Problem::Unnamed => error(at, format_args!("{what} {number} has no name")),
            Problem::Unknown(name_at) => {
                let mut text = Vec::new();
                let name = Record::new(wire, *name_at).string(&mut text);
                let name = name.unwrap_or_default();
                error(at, format_args!("unknown {what} `{name}`"))
            }
        }
    }
}
