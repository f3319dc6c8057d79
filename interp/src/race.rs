// SPDX-License-Identifier: MIT

//! Races: two invocations access the same byte, one of them writes, and nothing [orders](crate::order) one access before the other.
//!
//! A write that does not change the byte counts as a read: if all invocations store the same value, the order has no effect.

use crate::memory::MemoryRegion;
use crate::order::{is_of_device, Invocation, Mark, Order};
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

/// The last accesses to a byte.
#[derive(Clone, Copy, Default)]
struct Byte {
    written: Mark,
    is_atomic: bool,
    read: Mark,
}

/// The accesses to memory that invocations share.
#[derive(Default)]
pub(crate) struct Races {
    pub(crate) order: Order,
    bytes: FxHashMap<(MemoryRegion, i64), Byte>,
}

impl Races {
    /// Starts the next workgroup: its memory of its own is new.
    pub(crate) fn start_workgroup(&mut self) {
        self.bytes.retain(|(memory, _), _| is_of_device(*memory));
        self.order.start_workgroup();
    }

    /// Records an access; true if it races with an earlier one.
    pub(crate) fn record(&mut self, memory: MemoryRegion, at: i64, by: Invocation, what: Use) -> bool {
        let byte = self.bytes.entry((memory, at)).or_default();
        let order = &mut self.order;
        let now = order.mark(memory, by);
        let [after_write, after_read] = [&byte.written, &byte.read].map(|earlier| order.is_after(&now, earlier));
        let races = match what {
            Use::Read => !after_write,
            Use::Write => !after_write || !after_read,
            Use::Atomic => !after_write && !byte.is_atomic || !after_read,
        };
        match what {
            Use::Read => byte.read = order.joined(byte.read, now),
            Use::Write => (byte.written, byte.is_atomic) = (now, false),
            // Several may do it before one that does something else.
            Use::Atomic if byte.is_atomic => byte.written = order.joined(byte.written, now),
            Use::Atomic => (byte.written, byte.is_atomic) = (now, true),
        }
        if what == Use::Atomic {
            order.synchronize((memory, at));
        }
        races
    }
}
