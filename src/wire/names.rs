//! What the writer's numbers mean: each opcode, intrinsic, index and format that a wire uses has its name in it.
//!
//! Drivers write shader after shader with the same numbers, so what a number meant in the last wire is tried first: naming one
//! again costs a comparison of strings, not a search. A name that is not known is an error only where the number is used.

use super::format::{Table, TABLE_SIZE};
use super::record::{error, Record};
use crate::error::Error;
use crate::op::names::FORMATS;
use crate::op::old::{old_alu, old_intrinsic, OldAlu};
use crate::op::{AluOp, Index, IndexKind, Intrinsic};

/// The most indices that an intrinsic of any writer has.
const MAX_INDICES: usize = 16;

/// The meanings of all numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) alu: Numbers<AluRow>,
    pub(super) intrinsics: Numbers<IntrinsicRow>,
    indices: Numbers<Index>,
    formats: Numbers<u32>,
    /// Counts the wires.
    epoch: u64,
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

    /// An old one is looked up again each time.
    fn is_called(self, name: &[u8]) -> bool {
        matches!(self, AluRow::Op(op) if op.name().as_bytes() == name)
    }
}

/// An intrinsic with the indices of its records.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntrinsicRow {
    pub(super) op: Intrinsic,
    num_indices: u8,
    /// Where each index of a record stands in the IR, and of what kind it is; `None` for those that the opcode's row lacks.
    indices: [Option<(u8, IndexKind)>; MAX_INDICES],
    /// The name is that of an older release: sources at the end that it did not have, and indices, by where they stand in the
    /// IR, that it implied.
    pub(super) missing_srcs: u8,
    pub(super) implied: [Option<(u8, u32)>; 4],
}

impl IntrinsicRow {
    /// What each index of a record is.
    pub(super) fn indices(&self) -> &[Option<(u8, IndexKind)>] {
        &self.indices[..usize::from(self.num_indices)]
    }
}

impl Names {
    /// Forgets the last wire.
    pub(super) fn clear(&mut self) {
        self.epoch += 1;
    }

    /// Reads a record that names a number, in a shader of tessellation control or another.
    pub(super) fn define(&mut self, record: &mut Record<'_>, text: &mut Vec<u8>, tess_ctrl: bool) -> Result<(), Error> {
        let table = record.pick("a table", Table::from_number)?;
        let number = record.pick("a number below 1024", |number| (number < TABLE_SIZE).then_some(number))?;
        let at = record.at();
        let Some(name) = record.bytes(text)? else { return Err(record.behind(format_args!("expected a name"))) };
        let epoch = self.epoch;
        let is = |known: &str| known.as_bytes() == name;
        match table {
            Table::Alu => {
                self.alu.define(number, at, epoch, |row| row.is_called(name), || AluRow::from_name(text_of(name)))
            }
            Table::Index => self.indices.define(number, at, epoch, |index| is(index.name()), || index(text_of(name))),
            Table::Format => {
                self.formats.define(number, at, epoch, |f| is(FORMATS[f as usize].0), || format(text_of(name)));
            }
            Table::Intrinsic => {
                let known = self.intrinsics.known(number).map(|row| row.op).filter(|op| is(op.name()));
                let row = match known.or_else(|| Intrinsic::from_name(text_of(name))) {
                    Some(op) => Some(self.intrinsic_row(op, record)?),
                    None => self.old_intrinsic_row(text_of(name), tess_ctrl, record)?,
                };
                self.intrinsics.set(number, at, epoch, row);
                return Ok(());
            }
        }
        record.end()
    }

    /// The indices that follow the name of an intrinsic.
    fn intrinsic_row(&self, op: Intrinsic, record: &mut Record<'_>) -> Result<IntrinsicRow, Error> {
        let numbers = record.words(record.left())?;
        if numbers.len() > MAX_INDICES {
            let message = format_args!("`{}` has {} indices, more than {MAX_INDICES}", op.name(), numbers.len());
            return Err(record.behind(message));
        }
        let num_indices = numbers.len() as u8;
        let indices = [None; MAX_INDICES];
        let mut row = IntrinsicRow { op, num_indices, indices, missing_srcs: 0, implied: [None; 4] };
        for (index, number) in row.indices.iter_mut().zip(numbers) {
            let Some(entry) = self.indices.entry(*number, self.epoch) else {
                return Err(record.behind(format_args!("an index of `{}` has no name: {number}", op.name())));
            };
            *index = entry.value.and_then(|known| Some((op.info().index_slot(known)? as u8, known.kind())));
        }
        Ok(row)
    }

    /// The same for an intrinsic of an older release; `None` if there never was one of this name.
    fn old_intrinsic_row(
        &self,
        name: &str,
        tess_ctrl: bool,
        record: &mut Record<'_>,
    ) -> Result<Option<IntrinsicRow>, Error> {
        let Some(old) = old_intrinsic(name, tess_ctrl) else { return Ok(None) };
        let mut row = self.intrinsic_row(old.op, record)?;
        row.missing_srcs = old.missing_srcs as u8;
        row.implied = old.indices.map(|(index, value)| Some((old.op.info().index_slot(index)? as u8, value)));
        Ok(Some(row))
    }

    /// What ALU opcode `number`, which stands at `at`, is.
    pub(super) fn alu(&self, number: u32, at: usize, wire: &[u32]) -> Result<AluRow, Error> {
        self.alu.get(number, self.epoch).map_err(|problem| problem.error("ALU opcode", number, at, wire))
    }

    /// What intrinsic `number`, which stands at `at`, is.
    pub(super) fn intrinsic(&self, number: u32, at: usize, wire: &[u32]) -> Result<IntrinsicRow, Error> {
        self.intrinsics.get(number, self.epoch).map_err(|problem| problem.error("intrinsic", number, at, wire))
    }

    /// What image format `number`, which stands at `at`, is: an index into [`FORMATS`]. 0 needs no name.
    pub(super) fn format(&self, number: u32, at: usize, wire: &[u32]) -> Result<u32, Error> {
        if number == 0 {
            return Ok(0);
        }
        self.formats.get(number, self.epoch).map_err(|problem| problem.error("image format", number, at, wire))
    }
}

/// A name as text; nothing is called by what is no text.
fn text_of(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}

fn index(name: &str) -> Option<Index> {
    Index::ALL.iter().copied().find(|index| index.name() == name)
}

fn format(name: &str) -> Option<u32> {
    FORMATS.iter().position(|row| row.0 == name).map(|at| at as u32)
}

/// The numbers of one table.
#[derive(Clone, Debug)]
pub(super) struct Numbers<T> {
    entries: Vec<Entry<T>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    /// The wire that named it last.
    epoch: u64,
    /// Where in that wire the name stands.
    at: usize,
    /// `None` if the name is not known.
    value: Option<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { entries: Vec::new() }
    }
}

impl<T: Copy> Numbers<T> {
    /// What `number` meant in whatever wire named it last.
    fn known(&self, number: u32) -> Option<T> {
        self.entries.get(number as usize)?.value
    }

    fn define(
        &mut self,
        number: u32,
        at: usize,
        epoch: u64,
        is_same: impl Fn(T) -> bool,
        look_up: impl Fn() -> Option<T>,
    ) {
        let value = self.known(number).filter(|value| is_same(*value)).or_else(look_up);
        self.set(number, at, epoch, value);
    }

    fn set(&mut self, number: u32, at: usize, epoch: u64, value: Option<T>) {
        let slot = number as usize;
        if slot >= self.entries.len() {
            self.entries.resize(slot + 1, Entry { epoch: 0, at: 0, value: None });
        }
        self.entries[slot] = Entry { epoch, at, value };
    }

    fn entry(&self, number: u32, epoch: u64) -> Option<&Entry<T>> {
        self.entries.get(number as usize).filter(|entry| entry.epoch == epoch)
    }

    fn get(&self, number: u32, epoch: u64) -> Result<T, Problem> {
        let entry = self.entry(number, epoch).ok_or(Problem::Unnamed)?;
        entry.value.ok_or(Problem::Unknown(entry.at))
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
                let name = Record::new(&wire[*name_at..], *name_at).string(&mut text);
                let name = name.ok().flatten().unwrap_or_default();
                error(at, format_args!("unknown {what} `{name}`"))
            }
        }
    }
}
