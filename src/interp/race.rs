//! Races: two invocations use the same byte, one of them writes, and no barrier stands between.
//!
//! An access that leaves the byte as it is counts as a read: where all invocations store the same, nobody can tell.

use super::memory::Memory;
use rustc_hash::FxHashMap;

/// What an access does to a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Reads it, or writes what it holds.
    Read,
    /// Changes it.
    Write,
    /// Reads and changes it, in turn with others that do.
    Atomic,
}

/// Who used a byte last, and between which barriers.
#[derive(Clone, Copy, Default)]
struct Byte {
    written: Mark,
    read: Mark,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Mark {
    /// Barriers until then, from 1; 0 for never.
    epoch: u32,
    who: Who,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Who {
    #[default]
    Nobody,
    Lane(u32),
    /// Several, or some in turn.
    Several,
}

/// The uses of memory that invocations share.
pub(super) struct Races {
    epoch: u32,
    bytes: FxHashMap<(Memory, i64), Byte>,
}

impl Races {
    pub(super) fn new() -> Races {
        Races { epoch: 1, bytes: FxHashMap::default() }
    }

    /// Everyone waits for everyone.
    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Notes a use; true if it races with an earlier one.
    pub(super) fn note(&mut self, memory: Memory, byte: i64, lane: usize, what: Use) -> bool {
        let epoch = self.epoch;
        let own = Who::Lane(lane as u32);
        let Byte { written, read } = self.bytes.entry((memory, byte)).or_default();
        let other = |mark: &Mark| mark.epoch == epoch && mark.who != own;
        let races = match what {
            Use::Read => other(written),
            Use::Write => other(written) || other(read),
            Use::Atomic => other(written) && written.who != Who::Several || other(read),
        };
        match what {
            Use::Read if other(read) => read.who = Who::Several,
            Use::Read => *read = Mark { epoch, who: own },
            Use::Write => *written = Mark { epoch, who: own },
            Use::Atomic => *written = Mark { epoch, who: Who::Several },
        }
        races
    }
}
