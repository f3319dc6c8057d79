//! What a geometry shader captures that writes its captures itself: how much it may make, and where that goes before it is compacted.
//!
//! A geometry shader makes as many primitives as it likes, so nobody knows where those of an invocation go until all before it are
//! done. It writes them to *scratch* buffers, where each invocation has a part of its own, and says how many there are. A
//! [kernel](super::kernels::Kernel::Compact) then copies them to the buffers of transform feedback, one after the other.
//!
//! Invocations have numbers: `n = (instance * primitives + gl_PrimitiveIDIn) * invocations + gl_InvocationID`, where `primitives` is
//! that word of the draw's [state](super::CaptureState) and `instance` comes from the vertex shader. So the order of the numbers is
//! that in which OpenGL captures.

use super::draw::Topology;
use crate::ir::{ShaderInfo, XfbInfo};

/// The binding of the counts that a geometry shader writes, in the set of storage blocks: `counts[4 * n + stream]` is how many whole
/// primitives invocation `n` has made of a stream. It writes all four.
pub const COUNTS_BINDING: u32 = super::STATE_BINDING + 2;

/// What a geometry shader may make: its output layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeometryOutput {
    /// `Points`, `LineStrip` or `TriangleStrip`.
    pub topology: Topology,
    /// The most vertices of an invocation: `max_vertices`.
    pub vertices: u32,
    /// Invocations for each primitive that goes in, 1 at least.
    pub invocations: u32,
}

impl GeometryOutput {
    /// What a geometry shader says of itself.
    pub fn of(info: &ShaderInfo) -> GeometryOutput {
        let topology = match info.output_primitive.as_str() {
            name if name.ends_with("POINTS") => Topology::Points,
            name if name.ends_with("LINE_STRIP") => Topology::LineStrip,
            _ => Topology::TriangleStrip,
        };
        GeometryOutput { topology, vertices: info.vertices_out, invocations: info.invocations.max(1) }
    }

    /// The most primitives of an invocation: it has room for so many in scratch buffers.
    pub fn primitives(self) -> u32 {
        self.topology.primitives(self.vertices)
    }

    /// Vertices of a primitive as it is captured.
    pub fn corners(self) -> u32 {
        self.topology.vertices_per_primitive()
    }

    /// How many invocations there are where so many primitives go in, those of all instances.
    pub fn invocations_of(self, primitives: u64) -> u64 {
        primitives.saturating_mul(self.invocations.into())
    }

    /// Bytes of the counts of so many invocations.
    pub fn count_bytes(self, invocations: u64) -> u64 {
        invocations.saturating_mul(16)
    }

    /// Bytes of the scratch buffer of so many invocations, for a buffer of transform feedback that has `stride` bytes of each vertex.
    pub fn scratch_bytes(self, invocations: u64, stride: u32) -> u64 {
        let vertices = u64::from(self.primitives()) * u64::from(self.corners());
        invocations.saturating_mul(vertices).saturating_mul(stride.into())
    }
}

/// What [`Kernel::Compact`](super::kernels::Kernel::Compact) is told of a stream. A block of [`words`](CompactParameters::words);
/// only `primitives_most` depends on what is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactParameters {
    /// What the geometry shader may make.
    pub output: GeometryOutput,
    /// Which stream.
    pub stream: u32,
    /// Primitives that fit into the buffers of this stream since transform feedback began: see [`fitting`](super::fitting).
    pub primitives_most: u32,
    /// The buffers.
    pub buffers: [CompactBuffer; XfbInfo::BUFFERS],
}

/// A buffer of a [stream](CompactParameters).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactBuffer {
    /// Words of a vertex, at most 512; 0 if nothing of the stream goes there, and then the buffer is not touched.
    pub stride: u32,
    /// Which of these words are captured: bit `w % 32` of number `w / 32`. The others stay as they are.
    pub captured: [u32; 16],
}

/// Words of [`CompactParameters::words`].
pub const COMPACT_WORDS: usize = 8 + 17 * XfbInfo::BUFFERS;

impl CompactParameters {
    /// Those of `stream`, of which `info` is captured.
    pub fn new(output: GeometryOutput, info: &XfbInfo, stream: u32, primitives_most: u32) -> CompactParameters {
        let mut buffers = [CompactBuffer::default(); XfbInfo::BUFFERS];
        for (buffer, row) in buffers.iter_mut().zip(info.buffers) {
            if row.is_used && row.stream == stream {
                buffer.stride = row.stride / 4;
            }
        }
        for run in &info.outputs {
            let first = run.offset / 4;
            for word in first..first.saturating_add(run.num_components.into()) {
                let Some(buffer) = buffers.get_mut(run.buffer as usize).filter(|buffer| word < buffer.stride) else {
                    continue;
                };
                if let Some(bits) = buffer.captured.get_mut(word as usize / 32) {
                    *bits |= 1 << (word % 32);
                }
            }
        }
        CompactParameters { output, stream, primitives_most, buffers }
    }

    /// What the kernel reads:
    ///
    /// | word | |
    /// |-|-|
    /// | 0 | invocations for each primitive that goes in |
    /// | 1 | the most primitives of an invocation: [`GeometryOutput::primitives`] |
    /// | 2 | vertices of a primitive |
    /// | 3 | the stream |
    /// | 4 | the most primitives that fit into the buffers |
    /// | 5 to 7 | 0 |
    /// | 8 + 17 b | words of a vertex in buffer `b`, or 0 |
    /// | 9 + 17 b, and 15 after it | which of them are captured, a bit each |
    pub fn words(&self) -> [u32; COMPACT_WORDS] {
        let mut words = [0; COMPACT_WORDS];
        let GeometryOutput { invocations, .. } = self.output;
        let head = [invocations, self.output.primitives(), self.output.corners(), self.stream, self.primitives_most];
        words[..head.len()].copy_from_slice(&head);
        for (words, buffer) in words[8..].chunks_exact_mut(17).zip(&self.buffers) {
            words[0] = buffer.stride;
            words[1..].copy_from_slice(&buffer.captured);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::XfbRow;

    #[test]
    fn only_captured_words_of_the_stream_are_named() {
        let mut info = XfbInfo::default();
        for row in ["VAR0.xy:0+4/16", "VAR0.z:1+128/132,stream=1", "VAR1.x:0+12/16"] {
            info.add_row(row.parse::<XfbRow>().expect(row));
        }
        let output = GeometryOutput { topology: Topology::TriangleStrip, vertices: 5, invocations: 2 };
        let words = CompactParameters::new(output, &info, 0, 7).words();
        assert_eq!((&words[..10], words[25]), (&[2, 3, 3, 0, 7, 0, 0, 0, 4, 0b1110][..], 0));
        let words = CompactParameters::new(output, &info, 1, 7).words();
        assert_eq!((words[8], &words[25..28]), (0, &[33, 0, 1][..]));
        assert_eq!((output.invocations_of(5), output.scratch_bytes(10, 16)), (10, 10 * 3 * 3 * 16));
    }
}
