// SPDX-License-Identifier: MIT

//! Compute shaders that count and sort captures, so that no number has to be read back from the device.
//!
//! The captures of a draw follow those of the draws before it, so a driver needs the number of primitives that these captured. For
//! direct draws it can count them on the CPU, see [`CaptureState::primitives`]. For indirect draws and the draws of
//! `glDrawTransformFeedback`, only the device has the numbers. A [`Kernel`] is a compute shader that computes them there. It is a
//! text of NIR that is parsed and translated like any other shader:
//!
//! ```
//! use ntv::capture::kernels::Kernel;
//!
//! let mut shader = ntv::text::parse(Kernel::BeginDraw.nir())?;
//! let module = ntv::Translator::new(ntv::Options::default()).translate(&mut shader, &ntv::EmitOptions::default())?;
//! assert_eq!(module.words[0], 0x0723_0203);
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! All kernels run as **one workgroup**, and all blocks are storage blocks of words. There has to be a barrier between a kernel and
//! the next kernel that reads its results, before the draw whose vertex shader reads the state, and before an indirect draw that
//! reads the command.
//!
//! | for | kernels |
//! |-|-|
//! | a draw without indices | [`BeginDraw`](Kernel::BeginDraw), then the draw |
//! | a draw with indices | [`EmissionList`](Kernel::EmissionList); `BeginDraw` with the command that it wrote; a draw with that
//! command, whose vertex `i` is the list's word `i` |
//! | `glDrawTransformFeedback` | [`DrawFeedback`](Kernel::DrawFeedback), then an indirect draw |
//! | a draw with a geometry shader that captures | the draw; then [`Compact`](Kernel::Compact) for each stream, see below |
//! | `glBeginTransformFeedback` | the counter `written` is set to 0 |
//! | pause, resume | `is_active` in the block of the feedback object changes; `BeginDraw` runs for paused draws too, which generate primitives |
//!
//! # Geometry shaders
//!
//! The number of primitives that a geometry shader makes is not known before the draw, so its captures are first written to other
//! memory. `N` is the number of invocations of a draw: input primitives, times instances, times invocations for each. `M`,
//! `corners` and `invocations` are values of [`GeometryOutput`].
//!
//! | binding of the draw | contents | bytes |
//! |-|-|-|
//! | [`BUFFER_BINDING`] `+ b` | scratch, for each captured buffer `b`: vertex `corner` of primitive `p` of invocation `n` begins at
//! word `((n * M + p) * corners + corner) * stride` | [`scratch_bytes`](super::GeometryOutput::scratch_bytes): `N * M * corners *
//! stride` |
//! | [`STATE_BINDING`] | the [state](CaptureState) of the draw | 96 |
//! | [`COUNTS_BINDING`] | counts: the number of primitives of stream `s` that invocation `n` made is at word `4 * n + s` |
//! [`count_bytes`](super::GeometryOutput::count_bytes): `16 * N` |
//!
//! The words of a vertex have the same positions in scratch as in the buffer of transform feedback, with the same stride. Words
//! that are not captured are not written. Each scratch buffer is bound at its beginning.
//!
//! The shader reads four words of the state. The CPU has them, except for indirect draws.
//!
//! | word | |
//! |-|-|
//! | 0 | 1: it captures and counts. 2: it only counts, see [`counting_words`](CaptureState::counting_words). 0: it writes nothing |
//! | 2 | the [provoking vertex](ProvokingVertex), for the order of every other triangle of a strip |
//! | 6 | the number of input primitives of an instance. The input topology may be any: one with adjacency, for example, can be
//! written as `Points` with as many vertices as there are primitives |
//! | 9 | instances |
//!
//! Invocations beyond these numbers write nothing, and neither do invocations beyond the end of the counts: `Compact` does not read
//! their captures. If a draw may have more invocations than there is memory for, the bound counts and scratch buffers hold the same
//! number of invocations. There may be fewer primitives than word 6 says if the counts are filled with 0 before the draw. With
//! indices, restarts reduce the number of primitives, so `EmissionList` is not needed.
//!
//! The steps of a draw:
//!
//! 1. Translate with [`Options::instance_location`](crate::Options::instance_location), the same for the vertex shader and the
//!    geometry shader, if draws may have several instances.
//! 2. Fill counts with 0 if word 6 may be more than the primitives that there are. Barrier: transfer writes, then geometry shader.
//! 3. Write the state. If the draw is indirect, `BeginDraw` writes it; bind counters to it that are not used otherwise, as it
//!    counts the input primitives. Barrier: compute shader writes, then geometry shader reads. For memory that an earlier draw
//!    used: compute shader reads, then geometry shader writes.
//! 4. Draw, outside of transform feedback. End the render pass before the next step. One render pass may have several draws if each
//!    has its own memory.
//! 5. Barrier: geometry shader writes, then compute shader reads.
//! 6. Run `Compact` for each stream that is captured or whose primitives a query counts, in the order of the draws. It reads the
//!    same state, whose words 12 to 15 are the beginnings of the buffers. The number of primitives written before and the number
//!    that fits come from the counters and the parameters of the stream, not from words 7 and 8. A barrier between two draws: compute
//!    shader writes, then compute shader reads and writes. Two streams of a draw write no common memory.
//! 7. Barrier: compute shader writes, then any reads of the buffers and the counters.
//!
//! After tessellation, the input primitives are those of the tessellator, in its order. Word 6 is then an upper bound, and
//! primitives beyond it are not captured. This is for devices where gl_PrimitiveIDIn counts these primitives and not patches, as
//! Vulkan says. The instance is known only if the tessellation shaders pass it on, which they do not: such a draw has one instance.
//!
//! A shader without captures writes no counts.
//!
//! [`GeometryOutput`]: super::GeometryOutput
//! [`BUFFER_BINDING`]: super::BUFFER_BINDING
//! [`STATE_BINDING`]: super::STATE_BINDING
//! [`COUNTS_BINDING`]: super::COUNTS_BINDING

use super::draw::{CaptureState, ProvokingVertex, Topology};

/// A compute shader of ntv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Writes the [state](CaptureState) of a draw, and counts its primitives. One invocation. See [`begin_draw`].
    BeginDraw,
    /// Writes the command that draws what was captured. One invocation. See [`draw_feedback`].
    DrawFeedback,
    /// Writes the list of vertices that an indexed draw captures, in order. 64 invocations. See [`emission_list`].
    EmissionList,
    /// Copies the captures of geometry shaders to the buffers of transform feedback and counts them, for one stream. 64
    /// invocations. See [`compact`].
    Compact,
}

impl Kernel {
    /// All kernels.
    pub const ALL: [Kernel; 4] = [Kernel::BeginDraw, Kernel::DrawFeedback, Kernel::EmissionList, Kernel::Compact];

    /// The text of the shader, which begins with a description.
    pub fn nir(self) -> &'static str {
        match self {
            Kernel::BeginDraw => include_str!("begin_draw.nir"),
            Kernel::DrawFeedback => include_str!("draw_feedback.nir"),
            Kernel::EmissionList => include_str!("emission_list.nir"),
            Kernel::Compact => include_str!("compact.nir"),
        }
    }
}

/// Bindings of [`Kernel::BeginDraw`].
pub mod begin_draw {
    /// Reads a `VkDrawIndirectCommand`: the draw. If there is a list, a fifth word follows: the base vertex.
    pub const COMMAND: u32 = 0;
    /// Reads [`CaptureState::feedback_words`](crate::capture::CaptureState::feedback_words), which are the same for all draws
    /// except for `is_active`.
    pub const FEEDBACK: u32 = 1;
    /// Changes the [counters](super::counter).
    pub const COUNTERS: u32 = 2;
    /// Writes [`CaptureState::words`](crate::capture::CaptureState::words), with the number of primitives that were written before.
    pub const STATE: u32 = 3;
}

/// Bindings of [`Kernel::DrawFeedback`].
pub mod draw_feedback {
    /// Reads the [counters](super::counter).
    pub const COUNTERS: u32 = 0;
    /// Reads two words: [`Topology::vertices_per_primitive`](crate::capture::Topology::vertices_per_primitive) of the captures, and
    /// the number of instances to draw.
    pub const PARAMETERS: u32 = 1;
    /// Writes a `VkDrawIndirectCommand`.
    pub const COMMAND: u32 = 2;
}

/// Bindings of [`Kernel::EmissionList`].
pub mod emission_list {
    /// Reads a `VkDrawIndexedIndirectCommand`: the draw. All its indices must be in the buffer.
    pub const INDEXED: u32 = 0;
    /// Reads [`EmissionParameters::words`](super::EmissionParameters::words).
    pub const PARAMETERS: u32 = 1;
    /// Reads the index buffer as whole words: the bound range ends at a multiple of 4 bytes.
    pub const INDICES: u32 = 2;
    /// Writes the list: a word for each vertex, the index with the base vertex added.
    pub const LIST: u32 = 3;
    /// Writes a `VkDrawIndirectCommand` with as many vertices as the list has, and the instances of the indexed command. The base
    /// vertex follows it.
    pub const COMMAND: u32 = 4;
}

/// Bindings of [`Kernel::Compact`]. All twelve are bound; buffers without captures may have any contents.
pub mod compact {
    /// Reads [`CaptureState::words`](crate::capture::CaptureState::words), the same as the geometry shader: whether transform
    /// feedback is active, primitives of an instance, instances, and the beginnings of the buffers.
    pub const STATE: u32 = 0;
    /// Reads [`CompactParameters::words`](crate::capture::CompactParameters::words).
    pub const PARAMETERS: u32 = 1;
    /// Reads the counts that the geometry shader wrote, see [`COUNTS_BINDING`](crate::capture::COUNTS_BINDING).
    pub const COUNTS: u32 = 2;
    /// Changes the [counters](super::counter) of the stream.
    pub const COUNTERS: u32 = 3;
    /// Reads the first of the four scratch buffers that the geometry shader wrote, each with the range that the draw had.
    pub const SCRATCH: u32 = 4;
    /// Writes the first of the four buffers of transform feedback.
    pub const BUFFERS: u32 = 8;
}

/// The indices of words in the block of counters. A driver may have one block for each feedback object, and for geometry shaders
/// one for each stream.
pub mod counter {
    /// The number of captured primitives since transform feedback began.
    pub const WRITTEN: u32 = 0;
    /// The number of generated primitives, also while transform feedback was paused. It wraps: queries use the difference, see
    /// [`Query`](crate::capture::Query).
    pub const GENERATED: u32 = 1;
    /// The number of primitives generated while transform feedback was active, with those that did not fit. It wraps.
    pub const NEEDED: u32 = 2;
    /// The number of words.
    pub const WORDS: usize = 3;
}

/// The number of words of [`CaptureState::feedback_words`].
pub const FEEDBACK_WORDS: usize = 10;

impl CaptureState {
    /// The words of a feedback object that [`Kernel::BeginDraw`] reads: topology, provoking vertex, whether it is active, the most
    /// primitives, the beginnings of the buffers, whether there is a list, and its beginning. The other fields are not used.
    ///
    /// The topology is that of the draw; for a draw with indices, that of the [list](Topology::list).
    pub fn feedback_words(&self) -> [u32; FEEDBACK_WORDS] {
        let [a, b, c, d] = self.first_words;
        let (topology, provoking) = (self.topology as u32, self.provoking as u32);
        let (list, first) = (u32::from(self.list.is_some()), self.list.map_or(0, |list| list.first_word));
        [topology, provoking, u32::from(self.is_active), self.primitives_most, a, b, c, d, list, first]
    }
}

/// The parameters of [`Kernel::EmissionList`] besides the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmissionParameters {
    /// The topology.
    pub topology: Topology,
    /// The order of the vertices of strips and fans.
    pub provoking: ProvokingVertex,
    /// Bytes of an index: 1, 2 or 4.
    pub index_bytes: u32,
    /// The index that begins a new run, if restarts are enabled.
    pub restart: Option<u32>,
    /// The number of primitives that fit into the list. The kernel drops primitives beyond it. The number of primitives of `n`
    /// indices is at most [`Topology::primitives`] of `n` vertices, with any restarts.
    pub primitives_most: u32,
}

/// The number of words of [`EmissionParameters::words`].
pub const EMISSION_WORDS: usize = 6;

impl EmissionParameters {
    /// The words that the kernel reads.
    pub fn words(&self) -> [u32; EMISSION_WORDS] {
        let (topology, provoking) = (self.topology as u32, self.provoking as u32);
        let restarts = u32::from(self.restart.is_some());
        [topology, provoking, self.index_bytes, restarts, self.restart.unwrap_or(0), self.primitives_most]
    }
}
