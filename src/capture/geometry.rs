// SPDX-License-Identifier: MIT

//! The output of a geometry shader with captures: its limits, and the buffers that it writes before the captures are compacted.
//!
//! A geometry shader makes a variable number of primitives, so the position of the captures of an invocation is only known when all
//! invocations before it are done. It writes them to *scratch* buffers, where each invocation has a part of its own, and writes
//! their number. A [kernel](super::kernels::Kernel::Compact) then copies them to the buffers of transform feedback without gaps.
//!
//! Invocations are numbered: `n = (instance * primitives + gl_PrimitiveIDIn) * invocations + gl_InvocationID`, where `primitives`
//! is that word of the draw's [state](super::CaptureState) and `instance` comes from the vertex shader. The order of these numbers
//! is the order in which OpenGL captures.

use super::draw::Topology;
use crate::ir::{ShaderInfo, XfbInfo};

/// The binding of the counts that a geometry shader writes, in the set of storage blocks: `counts[4 * n + stream]` is the number of
/// whole primitives that invocation `n` has made in a stream. The shader writes all four.
pub const COUNTS_BINDING: u32 = super::STATE_BINDING + 2;

/// The output layout of a geometry shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeometryOutput {
    /// `Points`, `LineStrip` or `TriangleStrip`.
    pub topology: Topology,
    /// The most vertices that an invocation emits: `max_vertices`.
    pub vertices: u32,
    /// The number of invocations for each input primitive, at least 1.
    pub invocations: u32,
}

impl GeometryOutput {
    /// The output layout in `info`.
    pub fn of(info: &ShaderInfo) -> GeometryOutput {
        let topology = match info.output_primitive.as_str() {
            name if name.ends_with("POINTS") => Topology::Points,
            name if name.ends_with("LINE_STRIP") => Topology::LineStrip,
            _ => Topology::TriangleStrip,
        };
        GeometryOutput { topology, vertices: info.vertices_out, invocations: info.invocations.max(1) }
    }

    /// The most primitives that an invocation emits. The scratch buffers have space for so many.
    pub fn primitives(self) -> u32 {
        self.topology.primitives(self.vertices)
    }

    /// The number of vertices of a captured primitive.
    pub fn corners(self) -> u32 {
        self.topology.vertices_per_primitive()
    }

    /// The number of invocations for `primitives` input primitives of all instances.
    pub fn invocations_of(self, primitives: u64) -> u64 {
        primitives.saturating_mul(self.invocations.into())
    }

    /// The size in bytes of the counts of `invocations` invocations.
    pub fn count_bytes(self, invocations: u64) -> u64 {
        invocations.saturating_mul(16)
    }

    /// The size in bytes of the scratch buffer of `invocations` invocations, for a buffer of transform feedback with `stride` bytes
    /// for each vertex.
    pub fn scratch_bytes(self, invocations: u64, stride: u32) -> u64 {
        let vertices = u64::from(self.primitives()) * u64::from(self.corners());
        invocations.saturating_mul(vertices).saturating_mul(stride.into())
    }
}

/// The parameters of [`Kernel::Compact`](super::kernels::Kernel::Compact) for a stream, a block of
/// [`words`](CompactParameters::words). Only `primitives_most` depends on the bound buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactParameters {
    /// The output layout of the geometry shader.
    pub output: GeometryOutput,
    /// The stream.
    pub stream: u32,
    /// The number of primitives that fit into the buffers of this stream since transform feedback began: see
    /// [`fitting`](super::fitting).
    pub primitives_most: u32,
    /// The buffers.
    pub buffers: [CompactBuffer; XfbInfo::BUFFERS],
}

/// A buffer of a [stream](CompactParameters).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactBuffer {
    /// The number of words of a vertex, at most 512; 0 if the buffer has no captures of the stream: the kernel does not use the
    /// buffer then.
    pub stride: u32,
    /// A bit for each of these words that is captured: bit `w % 32` of element `w / 32`. The other words keep their values.
    pub captured: [u32; 16],
}

/// The number of words of [`CompactParameters::words`].
pub const COMPACT_WORDS: usize = 8 + 17 * XfbInfo::BUFFERS;

impl CompactParameters {
    /// The parameters for `stream` of the captures `info`.
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

    /// The words that the kernel reads:
    ///
    /// | word | |
    /// |-|-|
    /// | 0 | invocations for each input primitive |
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
