// SPDX-License-Identifier: MIT

//! Races: two invocations access the same byte, one of them writes, and there is no barrier between the accesses.
//!
//! A write that does not change the byte counts as a read: if all invocations store the same value, the order has no effect.

use super::memory::MemoryRegion;
use rustc_hash::FxHashMap;

/// The effect of an access on a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Reads it, or writes the value that it has.
    Read,
    /// Changes it.
    Write,
    /// Reads and changes it atomically.
    Atomic,
}

/// The last write and the last read of a byte.
#[derive(Clone, Copy, Default)]
struct Byte {
    written: Mark,
    read: Mark,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Mark {
    /// The number of barriers before the access, plus 1; 0 if there was no access.
    epoch: u32,
    by: Accessor,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Accessor {
    #[default]
    None,
    Lane(u32),
    /// Several, or any number of them atomically.
    Several,
}

/// The accesses to memory that invocations share.
pub(super) struct Races {
    epoch: u32,
    bytes: FxHashMap<(MemoryRegion, i64), Byte>,
}

impl Races {
    pub(super) fn new() -> Races {
        Races { epoch: 1, bytes: FxHashMap::default() }
    }

    /// Separates earlier accesses from later ones.
    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Records an access; true if it races with an earlier one.
    pub(super) fn record(&mut self, memory: MemoryRegion, byte: i64, lane: usize, what: Use) -> bool {
        let epoch = self.epoch;
        let own = Accessor::Lane(lane as u32);
        let Byte { written, read } = self.bytes.entry((memory, byte)).or_default();
        let other = |mark: &Mark| mark.epoch == epoch && mark.by != own;
        let races = match what {
            Use::Read => other(written),
            Use::Write => other(written) || other(read),
            Use::Atomic => other(written) && written.by != Accessor::Several || other(read),
        };
        match what {
            Use::Read if other(read) => read.by = Accessor::Several,
            Use::Read => *read = Mark { epoch, by: own },
            Use::Write => *written = Mark { epoch, by: own },
            Use::Atomic => *written = Mark { epoch, by: Accessor::Several },
        }
        races
    }
}
