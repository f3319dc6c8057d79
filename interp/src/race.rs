// SPDX-License-Identifier: MIT

//! Races: two invocations access the same byte, one of them writes, and there is no barrier between the accesses that orders memory of
//! that kind.
//!
//! A write that does not change the byte counts as a read: if all invocations store the same value, the order has no effect.

use crate::memory::MemoryRegion;
use ntv::op::Modes;
use rustc_hash::FxHashMap;

/// The effect of an access on a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
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

/// The kinds of memory that a barrier may order by themselves.
const KINDS: [Modes; 3] = [Modes::SHARED.union(Modes::TASK_PAYLOAD), Modes::SSBO.union(Modes::GLOBAL), Modes::IMAGE];

/// The number of the kind of a region.
fn kind(memory: MemoryRegion) -> usize {
    match memory {
        MemoryRegion::Image(_) => 2,
        MemoryRegion::Storage(_) | MemoryRegion::Global => 1,
        _ => 0,
    }
}

/// The accesses to memory that invocations share.
pub(crate) struct Races {
    /// The number of barriers that ordered each kind of memory, plus 1.
    epochs: [u32; KINDS.len()],
    /// The kinds of memory that barriers without control have ordered since the last one with it.
    ordered: Modes,
    bytes: FxHashMap<(MemoryRegion, i64), Byte>,
}

impl Races {
    pub(crate) fn new() -> Races {
        Races { epochs: [1; KINDS.len()], ordered: Modes::empty(), bytes: FxHashMap::default() }
    }

    /// Orders memory; if invocations wait for each other, earlier accesses to it are separated from later ones.
    pub(crate) fn barrier(&mut self, modes: Modes, waits: bool) {
        self.ordered |= modes;
        if waits {
            let ordered = std::mem::replace(&mut self.ordered, Modes::empty());
            let epochs = self.epochs.iter_mut().zip(KINDS);
            epochs.filter(|(_, kind)| ordered.intersects(*kind)).for_each(|(epoch, _)| *epoch += 1);
        }
    }

    /// Records an access; true if it races with an earlier one.
    pub(crate) fn record(&mut self, memory: MemoryRegion, byte: i64, lane: usize, what: Use) -> bool {
        let epoch = self.epochs[kind(memory)];
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
