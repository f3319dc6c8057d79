//! What a context did: for tests, for benchmarks, and for who wants to know why something is slow.

use crate::pipeline::{PipelineCounters, TransitionCounters};
use crate::state;
use std::time::Duration;

/// Counts since the context was made. Those of programs, modules and pipelines are of all contexts of the device.
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
    /// Time that handlers took, by [`Phase`](super::Phase), if [`ContextOptions::time_phases`](super::ContextOptions) says so.
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
    /// Bytes that went through upload memory.
    pub uploaded_bytes: u64,
    /// Storages of buffers and textures that were replaced.
    pub replaced_storages: u64,
    /// Times that a derived value was computed.
    pub derived: u64,
    /// Transitions between pipelines.
    pub transitions: TransitionCounters,
    /// Pipelines of the device.
    pub pipelines: PipelineCounters,
    /// Pipelines that the device keeps now.
    pub pipelines_kept: usize,
    /// Blend states and vertex elements that there are now.
    pub states: usize,
    /// Modules of the device.
    pub modules: ntv::variant::Counters,
    /// How long Vulkan took to make modules: vkCreateShaderModule.
    pub module_time: Duration,
    /// Programs that the device has now.
    pub programs: usize,
    /// Programs that were translated and linked.
    pub programs_built: u64,
}
