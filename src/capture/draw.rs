// SPDX-License-Identifier: MIT

//! Topologies, and the state of a draw that shaders with captures read.

/// The topology of a draw: GL's topologies without adjacency, in the order of GL's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topology {
    /// `GL_POINTS`.
    Points,
    /// `GL_LINES`.
    Lines,
    /// `GL_LINE_LOOP`.
    LineLoop,
    /// `GL_LINE_STRIP`.
    LineStrip,
    /// `GL_TRIANGLES`.
    Triangles,
    /// `GL_TRIANGLE_STRIP`.
    TriangleStrip,
    /// `GL_TRIANGLE_FAN`.
    TriangleFan,
}

/// The vertex of a primitive whose flat outputs are used. It determines the order in which vertices of strips and fans are
/// captured. Shaders read these numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProvokingVertex {
    /// GL's default.
    #[default]
    Last = 0,
    /// Vulkan's default.
    First = 1,
}

impl Topology {
    /// All topologies.
    pub const ALL: [Topology; 7] = [
        Topology::Points,
        Topology::Lines,
        Topology::LineLoop,
        Topology::LineStrip,
        Topology::Triangles,
        Topology::TriangleStrip,
        Topology::TriangleFan,
    ];

    /// The number of vertices of a captured primitive.
    pub fn vertices_per_primitive(self) -> u32 {
        match self {
            Topology::Points => 1,
            Topology::Lines | Topology::LineLoop | Topology::LineStrip => 2,
            Topology::Triangles | Topology::TriangleStrip | Topology::TriangleFan => 3,
        }
    }

    /// The number of primitives of an instance with `vertices` vertices. Vertices that do not complete a primitive are ignored.
    pub fn primitives(self, vertices: u32) -> u32 {
        match self {
            Topology::Points => vertices,
            Topology::Lines => vertices / 2,
            Topology::LineLoop if vertices < 2 => 0,
            Topology::LineLoop => vertices,
            Topology::LineStrip => vertices.saturating_sub(1),
            Topology::Triangles => vertices / 3,
            Topology::TriangleStrip | Topology::TriangleFan => vertices.saturating_sub(2),
        }
    }

    /// The vertices of a primitive of an instance that has `vertices` vertices, in the order in which they are captured. Only the
    /// first [`vertices_per_primitive`](Topology::vertices_per_primitive) count. (OpenGL 4.6, 10.1 and 13.3; Vulkan 1.3, 20.1.)
    pub fn vertices(self, primitive: u32, vertices: u32, provoking: ProvokingVertex) -> [u32; 3] {
        let p = primitive;
        let first = provoking == ProvokingVertex::First;
        match self {
            Topology::Points => [p, 0, 0],
            Topology::Lines => [2 * p, 2 * p + 1, 0],
            Topology::LineLoop if p + 1 == vertices => [p, 0, 0],
            Topology::LineLoop | Topology::LineStrip => [p, p + 1, 0],
            Topology::Triangles => [3 * p, 3 * p + 1, 3 * p + 2],
            Topology::TriangleStrip if p % 2 == 0 => [p, p + 1, p + 2],
            Topology::TriangleStrip if first => [p, p + 2, p + 1],
            Topology::TriangleStrip => [p + 1, p, p + 2],
            Topology::TriangleFan if first => [p + 1, p + 2, 0],
            Topology::TriangleFan => [0, p + 1, p + 2],
        }
    }
}

/// The state of a draw for shaders that write their captures to storage buffers. The driver writes [`words`](CaptureState::words)
/// to a storage buffer at [`STATE_BINDING`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureState {
    /// Whether transform feedback is active and not paused. If not, the shader captures nothing, and only shaders that read vertex
    /// buffers and draws with a list need the other fields.
    pub is_active: bool,
    /// The topology.
    pub topology: Topology,
    /// The order of the vertices of strips and fans.
    pub provoking: ProvokingVertex,
    /// The list of vertices, if the draw replaces a draw with indices.
    pub list: Option<DrawList>,
    /// `firstVertex`, the first value of Vulkan's VertexIndex.
    pub first_vertex: u32,
    /// The number of vertices of an instance.
    pub vertices: u32,
    /// `firstInstance`, the first value of Vulkan's InstanceIndex.
    pub first_instance: u32,
    /// The number of instances.
    pub instances: u32,
    /// GL's gl_DrawID, for compute shaders. Other stages have it from the device.
    pub draw: u32,
    /// The number of primitives that were captured since transform feedback began, before this draw.
    pub primitives_before: u32,
    /// The number of primitives that fit into the buffers: see [`fitting`].
    pub primitives_most: u32,
    /// For each buffer, the number of words from the beginning of the bound range to the place where transform feedback writes. GL
    /// binds buffers at multiples of 4 bytes, Vulkan at its alignments.
    pub first_words: [u32; 4],
}

/// The list of a draw that replaces a draw with indices: vertex `i` of the draw is the list's word `i`. The list is the result of
/// [`emission_list`](super::emission_list) or [`Kernel::EmissionList`](super::kernels::Kernel::EmissionList), with the base vertex
/// added to each index. It is in a storage buffer at [`LIST_BINDING`].
///
/// The draw has as many vertices as the list, and its topology is that of the [list](Topology::list). The position of a captured
/// vertex depends on the position in the list. gl_VertexID is the index, and gl_BaseVertex the base vertex, as in the draw with
/// indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawList {
    /// The number of words from the beginning of the bound range to the beginning of the list.
    pub first_word: u32,
    /// The base vertex of the draw with indices: `vertexOffset`.
    pub base_vertex: u32,
}

/// The number of words of [`CaptureState::words`].
pub const STATE_WORDS: usize = 24;

/// The indices of the words of the state.
pub(crate) mod word {
    pub(crate) const ACTIVE: u32 = 0;
    pub(crate) const TOPOLOGY: u32 = 1;
    pub(crate) const PROVOKING: u32 = 2;
    pub(crate) const FIRST_VERTEX: u32 = 3;
    pub(crate) const VERTICES: u32 = 4;
    pub(crate) const FIRST_INSTANCE: u32 = 5;
    pub(crate) const PRIMITIVES: u32 = 6;
    pub(crate) const BEFORE: u32 = 7;
    pub(crate) const MOST: u32 = 8;
    pub(crate) const INSTANCES: u32 = 9;
    pub(crate) const DRAW: u32 = 10;
    pub(crate) const LIST: u32 = 11;
    pub(crate) const FIRST_WORDS: u32 = 12;
    pub(crate) const BASE_VERTEX: u32 = 16;
    pub(crate) const LIST_FIRST: u32 = 17;
    pub(crate) const VERTEX_BUFFERS: u32 = super::STATE_WORDS as u32;
}

/// The first of the four bindings of the buffers that transform feedback writes, in the set of storage blocks.
pub const BUFFER_BINDING: u32 = 64;

/// The binding of the [state](CaptureState) of the draw, in the same set.
pub const STATE_BINDING: u32 = BUFFER_BINDING + 4;

/// The binding of the [list](DrawList) of a draw that replaces a draw with indices, in the same set. Only shaders that use the
/// vertex index or read vertex buffers have it. They do not read it if the state has no list.
pub const LIST_BINDING: u32 = STATE_BINDING + 1;

impl Default for CaptureState {
    fn default() -> CaptureState {
        CaptureState::INACTIVE
    }
}

impl CaptureState {
    /// The state of a draw without vertices while transform feedback is not active.
    pub const INACTIVE: CaptureState = CaptureState {
        is_active: false,
        topology: Topology::Points,
        provoking: ProvokingVertex::Last,
        first_vertex: 0,
        vertices: 0,
        first_instance: 0,
        instances: 0,
        draw: 0,
        primitives_before: 0,
        primitives_most: 0,
        first_words: [0; 4],
        list: None,
    };

    /// The words that the shader reads, as a block `uint state[24]`.
    pub fn words(&self) -> [u32; STATE_WORDS] {
        let mut words = [0; STATE_WORDS];
        let primitives = self.topology.primitives(self.vertices);
        let list = self.list.unwrap_or_default();
        let rows = [
            (word::ACTIVE, u32::from(self.is_active)),
            (word::TOPOLOGY, self.topology as u32),
            (word::PROVOKING, self.provoking as u32),
            (word::FIRST_VERTEX, self.first_vertex),
            (word::VERTICES, self.vertices),
            (word::FIRST_INSTANCE, self.first_instance),
            (word::PRIMITIVES, primitives),
            (word::BEFORE, self.primitives_before),
            (word::MOST, self.primitives_most),
            (word::INSTANCES, self.instances),
            (word::DRAW, self.draw),
            (word::LIST, u32::from(self.list.is_some())),
            (word::BASE_VERTEX, list.base_vertex),
            (word::LIST_FIRST, list.first_word),
        ];
        rows.iter().for_each(|(at, value)| words[*at as usize] = *value);
        words[word::FIRST_WORDS as usize..][..4].copy_from_slice(&self.first_words);
        words
    }

    /// The words for a geometry shader that counts primitives without capturing them: a query counts primitives while transform
    /// feedback is paused or not active. The word for `is_active` is 2 instead of 0 or 1.
    pub fn counting_words(&self) -> [u32; STATE_WORDS] {
        let mut words = self.words();
        words[word::ACTIVE as usize] = 2;
        words
    }

    /// The words for a shader that reads vertex buffers: [`words`](CaptureState::words), then for each vertex buffer the number of
    /// bytes from the beginning of the bound range to the beginning of the vertex buffer. GL has no alignment for vertex buffers,
    /// Vulkan has one for bindings.
    pub fn dispatch_words(&self, vertex_buffers: &[u32]) -> Vec<u32> {
        [&self.words()[..], vertex_buffers].concat()
    }

    /// The number of primitives of all instances, and the number of captured ones: the values that the queries
    /// `PRIMITIVES_GENERATED` and `TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN` count.
    pub fn primitives(&self) -> (u32, u32) {
        let made = self.topology.primitives(self.vertices).saturating_mul(self.instances);
        let room = self.primitives_most.saturating_sub(self.primitives_before);
        (made, if self.is_active { made.min(room) } else { 0 })
    }
}

/// The number of primitives that fit into `buffers`: for each written buffer, the stride in bytes and the number of bytes from the
/// place where transform feedback begins. The gap after the captures of the last vertex has to fit, too.
pub fn fitting(topology: Topology, buffers: impl IntoIterator<Item = (u32, u64)>) -> u32 {
    let fits = |(stride, bytes): (u32, u64)| match u64::from(stride) * u64::from(topology.vertices_per_primitive()) {
        0 => u32::MAX,
        primitive => u32::try_from(bytes / primitive).unwrap_or(u32::MAX),
    };
    buffers.into_iter().map(fits).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_have_the_vertices_of_gl() {
        let all = |topology: Topology, vertices, provoking| -> Vec<u32> {
            let count = topology.vertices_per_primitive() as usize;
            let of = |p| topology.vertices(p, vertices, provoking)[..count].to_vec();
            (0..topology.primitives(vertices)).flat_map(of).collect()
        };
        let last = |topology, vertices| all(topology, vertices, ProvokingVertex::Last);
        assert_eq!(last(Topology::Points, 3), [0, 1, 2]);
        assert_eq!(last(Topology::Lines, 5), [0, 1, 2, 3]);
        assert_eq!(last(Topology::LineLoop, 3), [0, 1, 1, 2, 2, 0]);
        assert_eq!(last(Topology::LineLoop, 1), [0; 0]);
        assert_eq!(last(Topology::LineStrip, 3), [0, 1, 1, 2]);
        assert_eq!(last(Topology::Triangles, 5), [0, 1, 2]);
        assert_eq!(last(Topology::TriangleStrip, 5), [0, 1, 2, 2, 1, 3, 2, 3, 4]);
        assert_eq!(last(Topology::TriangleFan, 4), [0, 1, 2, 0, 2, 3]);
        assert_eq!(all(Topology::TriangleStrip, 4, ProvokingVertex::First), [0, 1, 2, 1, 3, 2]);
        assert_eq!(all(Topology::TriangleFan, 4, ProvokingVertex::First), [1, 2, 0, 2, 3, 0]);
    }

    #[test]
    fn whole_primitives_fit() {
        assert_eq!(fitting(Topology::Triangles, [(8, 71), (4, 1000)]), 2);
        assert_eq!(fitting(Topology::Lines, [(8, 0), (4, 1000)]), 0);
        assert_eq!(fitting(Topology::Lines, []), 0);
    }
}
