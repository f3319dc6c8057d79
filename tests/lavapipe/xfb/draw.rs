// SPDX-License-Identifier: MIT

//! A draw, and its captures in GL.

use super::program::{value, Program};
use super::wish::Wish;
use ntv::capture::{fitting, CaptureState, DrawList, ProvokingVertex, Topology};
use ntv_driver::headless::vk;

/// The contents of a buffer where nothing was written.
pub(super) const NOTHING: u32 = 0xdead_beef;

/// Vertices and instances have numbers below this.
pub(super) const NUMBERS: u32 = 64;

/// The source of the vertices of a draw.
#[derive(Clone, Debug)]
pub(super) enum Vertices {
    /// `count` vertices, from the first on.
    Array { first: u32, count: u32 },
    /// From an index buffer, from the first index on.
    Indexed { indices: Vec<u32>, first: u32, bytes: usize, restart: bool, base_vertex: u32 },
}

/// A draw.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) topology: Topology,
    pub(super) provoking: ProvokingVertex,
    pub(super) vertices: Vertices,
    pub(super) first_instance: u32,
    pub(super) instances: u32,
    /// The number of primitives that were captured before.
    pub(super) before: u32,
    /// The size of each buffer in bytes, a multiple of 4, from the start of transform feedback.
    pub(super) sizes: [u32; 4],
    /// The number of words before and after them.
    pub(super) margins: [[u32; 2]; 4],
    /// A shader that captures while it draws reads attributes itself, as it must in draws with indices.
    pub(super) pulls: bool,
    /// Bytes before each vertex buffer for such a shader.
    pub(super) skipped: [u32; 2],
}

/// A draw with few captures, at the start of buffers with enough space.
pub(super) const PLAIN: Case = Case {
    topology: Topology::Points,
    provoking: ProvokingVertex::Last,
    vertices: Vertices::Array { first: 0, count: 5 },
    first_instance: 0,
    instances: 1,
    before: 0,
    sizes: [1 << 14; 4],
    margins: [[0; 2]; 4],
    pulls: false,
    skipped: [0; 2],
};

impl Case {
    /// Vertices of a primitive as it is captured.
    pub(super) fn corners(&self) -> u32 {
        match self.topology {
            Topology::Points => 1,
            Topology::Lines | Topology::LineLoop | Topology::LineStrip => 2,
            Topology::Triangles | Topology::TriangleStrip | Topology::TriangleFan => 3,
        }
    }

    /// The numbers of the vertices in runs, gl_VertexID, of an instance.
    fn runs(&self) -> Vec<Vec<u32>> {
        match &self.vertices {
            Vertices::Array { first, count } => vec![(*first..first + count).collect()],
            Vertices::Indexed { indices, first, bytes, restart, base_vertex } => {
                let cut = restart.then(|| u32::MAX >> (32 - 8 * bytes));
                let runs = indices[*first as usize..].split(|index| Some(*index) == cut);
                runs.map(|run| run.iter().map(|index| index + base_vertex).collect()).collect()
            }
        }
    }

    /// The vertices of each primitive of an instance, in the order in which they are captured (OpenGL 4.6, 10.1 and table 10.1).
    pub(super) fn primitives(&self) -> Vec<Vec<u32>> {
        self.runs().iter().flat_map(|run| primitives(self.topology, self.provoking, run)).collect()
    }

    /// The contents of the buffers in GL, with their margins, if they start with `nothing`. Unused buffers have no words.
    pub(super) fn model(&self, program: &Program, wish: &Wish, nothing: u32) -> [Vec<u32>; 4] {
        let mut buffers = [0, 1, 2, 3].map(|buffer| match wish.strides[buffer] {
            0 => Vec::new(),
            _ => vec![nothing; (self.margins[buffer].iter().sum::<u32>() + self.sizes[buffer] / 4) as usize],
        });
        let primitives = self.primitives();
        let all = (0..self.instances).flat_map(|instance| primitives.iter().map(move |vertices| (instance, vertices)));
        for (number, (instance, vertices)) in (self.before..).zip(all) {
            let ends = wish.strides.map(|stride| stride * self.corners() * (number + 1));
            if ends.iter().zip(self.sizes).any(|(end, size)| *end > size) {
                break;
            }
            let instance = if program.reads_attributes { self.first_instance + instance } else { instance };
            for (corner, vertex) in (0..).zip(vertices) {
                for place in &wish.places {
                    let start = (number * self.corners() + corner) * wish.strides[place.buffer] + place.offset;
                    let at = self.margins[place.buffer][0] + start / 4;
                    buffers[place.buffer][at as usize] = value(place.word, *vertex, instance);
                }
            }
        }
        buffers
    }

    /// The parameters for a shader that writes captures itself.
    pub(super) fn state(&self, wish: &Wish) -> CaptureState {
        let used = wish.strides.iter().zip(self.sizes).filter(|(stride, _)| **stride != 0);
        let most = fitting(self.topology, used.map(|(stride, size)| (*stride, size.into())));
        let (topology, first_vertex, vertices, list) = match &self.vertices {
            Vertices::Array { first, count } => (self.topology, *first, *count, None),
            Vertices::Indexed { base_vertex, .. } => {
                let list = DrawList { first_word: 2, base_vertex: *base_vertex };
                (self.topology.list(), 0, self.list().len() as u32, Some(list))
            }
        };
        CaptureState {
            is_active: true,
            topology,
            provoking: self.provoking,
            list,
            first_vertex,
            vertices,
            first_instance: self.first_instance,
            instances: self.instances,
            primitives_before: self.before,
            primitives_most: most,
            first_words: self.margins.map(|margin| margin[0]),
            ..CaptureState::INACTIVE
        }
    }

    /// The vertices of all primitives, one after the other.
    pub(super) fn list(&self) -> Vec<u32> {
        self.primitives().concat()
    }

    /// Vulkan's topology, if it has it.
    pub(super) fn drawn_as(&self) -> Option<vk::PrimitiveTopology> {
        Some(match self.topology {
            Topology::Points => vk::PrimitiveTopology::POINT_LIST,
            Topology::Lines => vk::PrimitiveTopology::LINE_LIST,
            Topology::LineLoop => return None,
            Topology::LineStrip => vk::PrimitiveTopology::LINE_STRIP,
            Topology::Triangles => vk::PrimitiveTopology::TRIANGLE_LIST,
            Topology::TriangleStrip => vk::PrimitiveTopology::TRIANGLE_STRIP,
            Topology::TriangleFan => vk::PrimitiveTopology::TRIANGLE_FAN,
        })
    }
}

fn primitives(topology: Topology, provoking: ProvokingVertex, run: &[u32]) -> Vec<Vec<u32>> {
    let is_first = provoking == ProvokingVertex::First;
    let of = |size: usize| run.chunks_exact(size).map(<[u32]>::to_vec).collect::<Vec<_>>();
    let next_to = |size: usize| run.windows(size).map(<[u32]>::to_vec).collect::<Vec<_>>();
    match topology {
        Topology::Points => of(1),
        Topology::Lines => of(2),
        Topology::LineStrip => next_to(2),
        Topology::LineLoop => {
            let mut lines = next_to(2);
            if let ([first, _, ..], Some(last)) = (run, run.last()) {
                lines.push(vec![*last, *first]);
            }
            lines
        }
        Topology::Triangles => of(3),
        Topology::TriangleStrip => {
            let mut triangles = next_to(3);
            // The provoking vertex keeps its place.
            let others = if is_first { (1, 2) } else { (0, 1) };
            triangles.iter_mut().skip(1).step_by(2).for_each(|triangle| triangle.swap(others.0, others.1));
            triangles
        }
        Topology::TriangleFan => {
            let triangle = |pair: &[u32]| match is_first {
                true => vec![pair[0], pair[1], run[0]],
                false => vec![run[0], pair[0], pair[1]],
            };
            run.get(1..).unwrap_or_default().windows(2).map(triangle).collect()
        }
    }
}
