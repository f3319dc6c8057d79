// SPDX-License-Identifier: MIT

//! Counts of a context's work, for tests, for benchmarks, and for performance analysis.

use crate::pipeline::{PipelineCounters, TransitionCounters};
use crate::state;
use std::time::Duration;

/// Counts since the context was created. Those of programs, modules and pipelines include all contexts of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Draws that were recorded.
    pub draws: u64,
    /// Dispatches that were recorded.
    pub dispatches: u64,
    /// Commands other than draws and dispatches that were recorded: state, descriptors, barriers, copies.
    pub commands: u64,
    /// Dirty bits and handlers.
    pub sync: state::walk::Counters,
    /// The time that handlers took, by [`Phase`](super::Phase), with [`ContextOptions::time_phases`](super::ContextOptions).
    pub phases: [Duration; 3],
    /// Renderings that were begun.
    pub renderings: u64,
    /// Barriers that were recorded.
    pub barriers: u64,
    /// Submissions to the queue.
    pub submissions: u64,
    /// Descriptor sets that were found by their contents.
    pub set_hits: u64,
    /// Descriptor sets that were written.
    pub sets_written: u64,
    /// Uploads of uniforms that were given by value.
    pub uniform_uploads: u64,
    /// Bytes that were copied to upload memory.
    pub uploaded_bytes: u64,
    /// Storages of buffers and textures that were replaced.
    pub replaced_storages: u64,
    /// Computations of derived values.
    pub derived: u64,
    /// Transitions between pipelines.
    pub transitions: TransitionCounters,
    /// Pipelines of the device.
    pub pipelines: PipelineCounters,
    /// Pipelines that the device keeps now.
    pub pipelines_kept: usize,
    /// Blend states and vertex elements that exist now.
    pub states: usize,
    /// Modules of the device.
    pub modules: ntv::variant::CacheCounters,
    /// The time that Vulkan took to create modules: vkCreateShaderModule.
    pub module_time: Duration,
    /// Programs that the device has now.
    pub programs: usize,
    /// Programs that were translated and linked.
    pub programs_built: u64,
}
