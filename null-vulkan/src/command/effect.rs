// SPDX-License-Identifier: MIT

//! The effects of commands when their submission completes: fills and copies of buffers, queries and events.

use crate::State;
use ash::vk;
use std::sync::OnceLock;
use std::time::Instant;

/// The effect of a command.
#[derive(Clone)]
pub(crate) enum Effect {
    /// A copy from a buffer into another.
    Copy { from: vk::Buffer, to: vk::Buffer, regions: Vec<(u64, u64, u64)> },
    /// A write of bytes into a buffer, from an offset on.
    Update { to: vk::Buffer, offset: u64, bytes: Vec<u8> },
    /// A fill of a part of a buffer with a word.
    Fill { to: vk::Buffer, offset: u64, size: u64, word: u32 },
    /// Queries become available, with the result 0, or unavailable.
    Queries { pool: vk::QueryPool, first: u32, count: u32, available: bool },
    /// The current time becomes the result of a query.
    Timestamp { pool: vk::QueryPool, query: u32 },
    /// A copy of query results into a buffer.
    Results {
        queries: (vk::QueryPool, u32, u32),
        to: vk::Buffer,
        offset: u64,
        stride: u64,
        flags: vk::QueryResultFlags,
    },
    /// An event is set or reset.
    Event(vk::Event, bool),
}

/// The number of nanoseconds since the first call.
fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

impl Effect {
    pub(super) fn run(&self, state: &mut State) {
        let call = "vkQueueSubmit";
        match self {
            Effect::Copy { from, to, regions } => {
                for (source, target, size) in regions {
                    let from = state.buffer_bytes(call, *from, *source, *size);
                    let to = state.buffer_bytes(call, *to, *target, *size);
                    if let (Some((from, len)), Some((to, _))) = (from, to) {
                        // SAFETY: both have `len` bytes.
                        unsafe { std::ptr::copy(from, to, len) };
                    }
                }
            }
            Effect::Update { to, offset, bytes } => {
                if let Some((to, len)) = state.buffer_bytes(call, *to, *offset, bytes.len() as u64) {
                    // SAFETY: both have `len` bytes.
                    unsafe { std::ptr::copy(bytes.as_ptr(), to, len) };
                }
            }
            Effect::Fill { to, offset, size, word } => {
                if let Some((to, len)) = state.buffer_bytes(call, *to, *offset, *size) {
                    for i in 0..len / 4 {
                        // SAFETY: there are `len` bytes.
                        unsafe { to.cast::<u32>().add(i).write_unaligned(*word) };
                    }
                }
            }
            Effect::Queries { pool, first, count, available } => {
                state.set_queries(call, *pool, (*first, *count), available.then_some(0));
            }
            Effect::Timestamp { pool, query } => state.set_queries(call, *pool, (*query, 1), Some(now())),
            Effect::Results { queries, to, offset, stride, flags } => {
                if let Some((at, len)) = state.buffer_bytes(call, *to, *offset, vk::WHOLE_SIZE) {
                    // SAFETY: there are `len` bytes.
                    unsafe { state.write_results(*queries, (at.cast(), len as u64), *stride, *flags) };
                }
            }
            Effect::Event(event, value) => state.set_event(call, *event, *value),
        }
    }
}

impl State {
    /// A part of a buffer.
    fn buffer_bytes(&mut self, call: &str, buffer: vk::Buffer, offset: u64, size: u64) -> Option<(*mut u8, usize)> {
        let buffer = self.get(buffer, call)?;
        let size = if size == vk::WHOLE_SIZE { buffer.size.checked_sub(offset)? } else { size };
        let fits = offset.checked_add(size).is_some_and(|end| end <= buffer.size);
        let place = buffer.place.clone();
        let at = place.and_then(|place| place.bytes.at(place.offset + offset, size)).filter(|_| fits);
        if at.is_none() {
            self.report(format!("{call}: a command accesses {size} bytes at {offset} outside of a buffer"));
        }
        at.map(|at| (at, size as usize))
    }
}
