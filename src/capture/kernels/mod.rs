//! Shaders that count and sort what is captured, so that no number has to come back from the device.
//!
//! A draw captures after those before it, so a driver has to know how many primitives these captured. For direct draws it counts
//! along, see [`CaptureState::primitives`]. For indirect draws, and for what `glDrawTransformFeedback` draws, the numbers are on the
//! device only. A [`Kernel`] is a compute shader that works on them there. It comes as a text of NIR; parsing and translating it is as
//! with any other shader:
//!
//! ```
//! use ntv::capture::kernels::Kernel;
//!
//! let mut shader = ntv::text::parse(Kernel::BeginDraw.nir()).remove(0).shader?;
//! let module = ntv::Translator::new(ntv::Options::default()).translate(&mut shader, &ntv::EmitOptions::default())?;
//! assert_eq!(module.words[0], 0x0723_0203);
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! All run as **one workgroup**, and all blocks are storage blocks of words. What a kernel writes and the next reads needs a barrier,
//! and so does the state that a draw reads in the vertex shader and the command that an indirect draw reads.
//!
//! | for | kernels |
//! |-|-|
//! | a draw without indices | [`BeginDraw`](Kernel::BeginDraw), then the draw |
//! | a draw with indices | [`EmissionList`](Kernel::EmissionList); `BeginDraw` on the command that it wrote; a draw of that command, of which vertex `i` is what the list has at `i` |
//! | `glDrawTransformFeedback` | [`DrawFeedback`](Kernel::DrawFeedback), then an indirect draw |
//! | a draw with a geometry shader that captures | the draw; then [`Compact`](Kernel::Compact) for each stream, see below |
//! | `glBeginTransformFeedback` | the counter `written` is set to 0 |
//! | pause, resume | `is_active` in the block of the feedback object changes; `BeginDraw` runs for paused draws too, which generate primitives |
//!
//! # Geometry shaders
//!
//! Nobody knows before the draw how many primitives a geometry shader makes, so its captures go through memory of their own. `N` is how
//! many invocations a draw has: primitives that go in, times instances, times invocations for each. `M`, `corners` and `invocations`
//! are what [`GeometryOutput`] says.
//!
//! | binding of the draw | what is there | bytes |
//! |-|-|-|
//! | [`BUFFER_BINDING`] `+ b` | scratch, for each buffer `b` that is captured: vertex `corner` of primitive `p` of invocation `n` begins at word `((n * M + p) * corners + corner) * stride` | [`scratch_bytes`](super::GeometryOutput::scratch_bytes): `N * M * corners * stride` |
//! | [`STATE_BINDING`] | the [state](CaptureState) of the draw | 96 |
//! | [`COUNTS_BINDING`] | counts: how many primitives of stream `s` invocation `n` made is at word `4 * n + s` | [`count_bytes`](super::GeometryOutput::count_bytes): `16 * N` |
//!
//! Scratch holds words of a vertex where its buffer of transform feedback has them, with the same stride. What is not captured is not
//! written. Each is bound from where it begins.
//!
//! The shader reads four words of the state. They are known on the CPU, but for indirect draws.
//!
//! | word | |
//! |-|-|
//! | 0 | 1: it captures and counts. 2: it only counts, see [`counting_words`](CaptureState::counting_words). 0: it writes nothing |
//! | 2 | the [provoking vertex](ProvokingVertex), for the order of every other triangle of a strip |
//! | 6 | primitives that go in, of an instance. The topology that goes in may be any: one with adjacency, say, is as well written as `Points` with as many vertices as there are primitives |
//! | 9 | instances |
//!
//! Invocations beyond what these words say write nothing, and neither do those for which the block of counts has no room: `Compact`
//! does not look for them. What is bound there ends where scratch does, if a draw may have more invocations than there is memory for.
//! There may be fewer primitives than word 6 says, if counts are filled with 0 before the draw: with indices, restarts make some fewer,
//! so `EmissionList` is not needed.
//!
//! The steps of a draw:
//!
//! 1. Translate with [`Options::instance_location`](crate::Options::instance_location), the same for the vertex shader and the
//!    geometry shader, if draws may have several instances.
//! 2. Fill counts with 0 if word 6 may be more than the primitives that there are. Barrier: transfer writes, then geometry shader.
//! 3. Write the state. If the draw is indirect `BeginDraw` does; bind other counters to it, which nobody needs, as it counts what goes
//!    in. Barrier: compute shader writes, then geometry shader reads. Memory that a draw before used: compute shader reads, then geometry
//!    shader writes.
//! 4. Draw, outside of transform feedback. End the render pass before the next step; several draws in one are fine if each has memory
//!    of its own.
//! 5. Barrier: geometry shader writes, then compute shader reads.
//! 6. `Compact` for each stream that is captured, or whose primitives a query counts, in the order of the draws. It reads the same
//!    state, of which words 12 to 15 say where the buffers begin. What is written before, and how much fits, comes from the counters
//!    and the parameters of the stream, and not from words 7 and 8. A barrier between two draws: compute shader writes, then compute
//!    shader reads and writes. Two streams of a draw share nothing that they write.
//! 7. Barrier: compute shader writes, then whatever reads the buffers and the counters.
//!
//! After tessellation, primitives are those that it makes, in the order in which it makes them. So word 6 is a bound, and what
//! is beyond is not captured; it is for devices where gl_PrimitiveIDIn counts these and not patches, as Vulkan says. Instances are
//! known only if the tessellation shaders pass the instance on, which they do not: such a draw has one.
//!
//! A shader without captures writes no counts.
//!
//! [`GeometryOutput`]: super::GeometryOutput
//! [`BUFFER_BINDING`]: super::BUFFER_BINDING
//! [`STATE_BINDING`]: super::STATE_BINDING
//! [`COUNTS_BINDING`]: super::COUNTS_BINDING

use super::draw::{CaptureState, ProvokingVertex, Topology};

/// A compute shader that comes with ntv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Writes the [state](CaptureState) of a draw, and counts its primitives. One invocation. See [`begin_draw`].
    BeginDraw,
    /// Writes the command that draws what was captured. One invocation. See [`draw_feedback`].
    DrawFeedback,
    /// Writes which vertices an indexed draw captures, in their order. 64 invocations. See [`emission_list`].
    EmissionList,
    /// Copies what geometry shaders captured to the buffers of transform feedback, and counts it, for one stream. 64 invocations. See
    /// [`compact`].
    Compact,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Kernel; 4] = [Kernel::BeginDraw, Kernel::DrawFeedback, Kernel::EmissionList, Kernel::Compact];

    /// The shader, with what it does at its head.
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
    /// Reads a `VkDrawIndirectCommand`: what is drawn. If there is a list, a fifth word follows: the base vertex.
    pub const COMMAND: u32 = 0;
    /// Reads [`CaptureState::feedback_words`](crate::capture::CaptureState::feedback_words): what does not change from draw to
    /// draw, but for `is_active`.
    pub const FEEDBACK: u32 = 1;
    /// Changes the [counters](super::counter).
    pub const COUNTERS: u32 = 2;
    /// Writes [`CaptureState::words`](crate::capture::CaptureState::words), with the primitives that were written before.
    pub const STATE: u32 = 3;
}

/// Bindings of [`Kernel::DrawFeedback`].
pub mod draw_feedback {
    /// Reads the [counters](super::counter).
    pub const COUNTERS: u32 = 0;
    /// Reads two words: [`Topology::vertices_per_primitive`](crate::capture::Topology::vertices_per_primitive) of what was captured,
    /// and how many instances are drawn.
    pub const PARAMETERS: u32 = 1;
    /// Writes a `VkDrawIndirectCommand`.
    pub const COMMAND: u32 = 2;
}

/// Bindings of [`Kernel::EmissionList`].
pub mod emission_list {
    /// Reads a `VkDrawIndexedIndirectCommand`: what is drawn. All its indices must be in the buffer.
    pub const INDEXED: u32 = 0;
    /// Reads [`EmissionParameters::words`](super::EmissionParameters::words).
    pub const PARAMETERS: u32 = 1;
    /// Reads the index buffer, as whole words: what is bound ends at a multiple of 4 bytes.
    pub const INDICES: u32 = 2;
    /// Writes the list: a word for each vertex, the index with the base vertex added.
    pub const LIST: u32 = 3;
    /// Writes a `VkDrawIndirectCommand` with as many vertices as the list has, and the instances of the indexed command. After it
    /// comes the base vertex.
    pub const COMMAND: u32 = 4;
}

/// Bindings of [`Kernel::Compact`]. All twelve are bound; where nothing is captured, to anything.
pub mod compact {
    /// Reads [`CaptureState::words`](crate::capture::CaptureState::words), those that the geometry shader had: whether it is active,
    /// primitives of an instance, instances, and where the buffers begin.
    pub const STATE: u32 = 0;
    /// Reads [`CompactParameters::words`](crate::capture::CompactParameters::words).
    pub const PARAMETERS: u32 = 1;
    /// Reads the counts that the geometry shader wrote, see [`COUNTS_BINDING`](crate::capture::COUNTS_BINDING).
    pub const COUNTS: u32 = 2;
    /// Changes the [counters](super::counter) of the stream.
    pub const COUNTERS: u32 = 3;
    /// Reads the first of the four scratch buffers that the geometry shader wrote, each from where it was bound.
    pub const SCRATCH: u32 = 4;
    /// Writes the first of the four buffers of transform feedback.
    pub const BUFFERS: u32 = 8;
}

/// The places of words in the block of counters. A driver may keep one for each feedback object, and for geometry shaders one for each
/// stream of it.
pub mod counter {
    /// Primitives that were captured since transform feedback began.
    pub const WRITTEN: u32 = 0;
    /// Primitives that were made, also while transform feedback was paused. It wraps: what a query counts is the
    /// difference, see [`Query`](crate::capture::Query).
    pub const GENERATED: u32 = 1;
    /// Primitives that were made while transform feedback was active, whether they fit or not. It wraps.
    pub const NEEDED: u32 = 2;
    /// How many words there are.
    pub const WORDS: usize = 3;
}

/// Words of [`CaptureState::feedback_words`].
pub const FEEDBACK_WORDS: usize = 10;

impl CaptureState {
    /// What [`Kernel::BeginDraw`] reads of a feedback object: topology, provoking vertex, whether it is active, the most primitives,
    /// where the buffers begin, whether there is a list and where it begins. The other fields do not matter.
    ///
    /// The topology is that of the draw: of one with indices, that of the [list](Topology::list).
    pub fn feedback_words(&self) -> [u32; FEEDBACK_WORDS] {
        let [a, b, c, d] = self.first_words;
        let (topology, provoking) = (self.topology as u32, self.provoking as u32);
        let (list, first) = (u32::from(self.list.is_some()), self.list.map_or(0, |list| list.first_word));
        [topology, provoking, u32::from(self.is_active), self.primitives_most, a, b, c, d, list, first]
    }
}

/// What [`Kernel::EmissionList`] is told besides the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmissionParameters {
    /// How vertices become primitives.
    pub topology: Topology,
    /// The order of the vertices of strips and fans.
    pub provoking: ProvokingVertex,
    /// Bytes of an index: 1, 2 or 4.
    pub index_bytes: u32,
    /// The index that begins a new run, if restarts are enabled.
    pub restart: Option<u32>,
    /// Primitives that fit into the list. What is beyond is left out. So many indices never make more than
    /// [`Topology::primitives`] of so many vertices, whatever the restarts.
    pub primitives_most: u32,
}

/// Words of [`EmissionParameters::words`].
pub const EMISSION_WORDS: usize = 6;

impl EmissionParameters {
    /// What the kernel reads.
    pub fn words(&self) -> [u32; EMISSION_WORDS] {
        let (topology, provoking) = (self.topology as u32, self.provoking as u32);
        let restarts = u32::from(self.restart.is_some());
        [topology, provoking, self.index_bytes, restarts, self.restart.unwrap_or(0), self.primitives_most]
    }
}
