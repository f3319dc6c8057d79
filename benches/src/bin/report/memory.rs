// SPDX-License-Identifier: MIT

//! Allocations and peak memory of the translation from a driver's words to SPIR-V.

use anyhow::{Context, Result};
use ntv_benches::{Set, Worker};

/// The memory and the words of a set.
pub(crate) struct MemoryUse {
    /// Words of SPIR-V.
    pub(crate) words: usize,
    /// The number of allocations, with the memory of earlier shaders.
    pub(crate) allocations: u64,
    /// The largest peak memory of one shader in bytes: its IR, all tables, and the result.
    pub(crate) peak: usize,
    /// The sum of the peaks of all its shaders.
    pub(crate) peaks: usize,
}

/// The number of translations of a set before allocations are counted.
const BEFORE: usize = 3;

/// Counts over the shaders of `set`.
pub(crate) fn measure(set: &Set) -> Result<MemoryUse> {
    let wires: Vec<Vec<u32>> = set.wires();
    let mut memory = MemoryUse { words: 0, allocations: 0, peak: 0, peaks: 0 };
    let mut kept = Worker::default();
    // After these all memory is allocated: buffers are swapped, and each must become large enough.
    for _ in 0..BEFORE {
        for wire in &wires {
            kept.translate(wire).with_context(|| set.name.clone())?;
        }
    }
    for wire in &wires {
        let (words, stats) = watched(|| Ok(kept.translate(wire)?.words.len()))?;
        memory.words += words;
        memory.allocations += stats.total_blocks;
        let (_, stats) = watched(|| Ok(Worker::default().translate(wire).map(drop)?))?;
        memory.peak = memory.peak.max(stats.max_bytes);
        memory.peaks += stats.max_bytes;
    }
    Ok(memory)
}

/// Runs `work` and returns its heap statistics.
fn watched<R>(work: impl FnOnce() -> Result<R>) -> Result<(R, dhat::HeapStats)> {
    let profiler = dhat::Profiler::builder().testing().build();
    let result = work();
    let stats = dhat::HeapStats::get();
    drop(profiler);
    Ok((result?, stats))
}
