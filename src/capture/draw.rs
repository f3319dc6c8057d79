//! What a draw captures: how vertices become primitives, and what a shader that captures by itself is told of a draw.

/// How the vertices of a draw become primitives: the topologies of GL without adjacency, in the order of their numbers there.
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

/// The vertex of a primitive that flat outputs come from, which has to do with the order in which strips and fans are captured. Their
/// numbers are what shaders are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProvokingVertex {
    /// GL's default.
    #[default]
    Last = 0,
    /// Vulkan's default.
    First = 1,
}

impl Topology {
    /// All of them.
    pub const ALL: [Topology; 7] = [
        Topology::Points,
        Topology::Lines,
        Topology::LineLoop,
        Topology::LineStrip,
        Topology::Triangles,
        Topology::TriangleStrip,
        Topology::TriangleFan,
    ];

    /// Vertices of a primitive as it is captured.
    pub fn vertices_per_primitive(self) -> u32 {
        match self {
            Topology::Points => 1,
            Topology::Lines | Topology::LineLoop | Topology::LineStrip => 2,
            Topology::Triangles | Topology::TriangleStrip | Topology::TriangleFan => 3,
        }
    }

    /// Primitives of an instance that has so many vertices. What is left of them makes none.
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

    /// Which vertices of an instance, of so many, a primitive has, in the order in which they are captured; only the first
    /// [`vertices_per_primitive`](Topology::vertices_per_primitive) count. (OpenGL 4.6, 10.1 and 13.3; Vulkan 1.3, 20.1.)
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

/// What a shader that writes its captures to storage buffers is told of a draw. The driver writes
/// [`words`](CaptureState::words) to a storage buffer, at [`STATE_BINDING`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureState {
    /// Whether transform feedback is active and not paused. If not, the shader writes nothing, and the rest does not matter but to
    /// shaders that read attributes themselves, and to draws over a list.
    pub is_active: bool,
    /// How vertices become primitives.
    pub topology: Topology,
    /// The order of the vertices of strips and fans.
    pub provoking: ProvokingVertex,
    /// The list that the draw goes over, if it was made of one with indices.
    pub list: Option<DrawList>,
    /// What Vulkan's VertexIndex counts from: `firstVertex`.
    pub first_vertex: u32,
    /// Vertices of an instance.
    pub vertices: u32,
    /// What Vulkan's InstanceIndex counts from: `firstInstance`.
    pub first_instance: u32,
    /// How many instances there are.
    pub instances: u32,
    /// GL's gl_DrawID. What is drawn has it from the device; a compute shader has it from here.
    pub draw: u32,
    /// Primitives that were captured before, since transform feedback began.
    pub primitives_before: u32,
    /// Primitives that fit into the buffers: see [`fitting`].
    pub primitives_most: u32,
    /// Words from where each storage buffer is bound to where transform feedback writes it: GL binds at any multiple of 4
    /// bytes, Vulkan at its alignments.
    pub first_words: [u32; 4],
}

/// The list of a draw that was made of one with indices: its vertex `i` is what the list has at `i`. An
/// [`emission_list`](super::emission_list), or what [`Kernel::EmissionList`](super::kernels::Kernel::EmissionList) wrote, with the
/// base vertex added to each index. It is a storage buffer at [`LIST_BINDING`].
///
/// The draw has as many vertices as the list, and the topology is that of the [list](Topology::list). What is captured goes by the
/// place in the list. gl_VertexID is the index, and gl_BaseVertex the base vertex, as in the draw with indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawList {
    /// Words from where the storage buffer is bound to where the list begins.
    pub first_word: u32,
    /// The base vertex of the draw with indices: `vertexOffset`.
    pub base_vertex: u32,
}

/// Words of [`CaptureState::words`].
pub const STATE_WORDS: usize = 24;

/// The places of words in the state.
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

/// The first of four bindings of the buffers that transform feedback writes, in the set of storage blocks.
pub const BUFFER_BINDING: u32 = 64;

/// The binding of the [state](CaptureState) of the draw, in the same set.
pub const STATE_BINDING: u32 = BUFFER_BINDING + 4;

/// The binding of the [list](DrawList) of a draw that was made of one with indices, in the same set. Only shaders that ask for the
/// number of the vertex, or read attributes themselves, have it. They do not read it if the state says that there is no list.
pub const LIST_BINDING: u32 = STATE_BINDING + 1;

impl Default for CaptureState {
    fn default() -> CaptureState {
        CaptureState::INACTIVE
    }
}

impl CaptureState {
    /// A draw that captures nothing, of no points.
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

    /// What the shader reads, as a block `uint state[24]`.
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

    /// What a geometry shader reads that only counts: transform feedback is paused, or not active, while a query counts primitives.
    /// The word that says whether it is active is 2 in place of 0 or 1.
    pub fn counting_words(&self) -> [u32; STATE_WORDS] {
        let mut words = self.words();
        words[word::ACTIVE as usize] = 2;
        words
    }

    /// What a shader reads that reads attributes itself: the same, and for each vertex buffer the bytes from where the storage buffer is
    /// bound to where the vertex buffer begins. GL begins anywhere, Vulkan binds at its alignments.
    pub fn dispatch_words(&self, vertex_buffers: &[u32]) -> Vec<u32> {
        [&self.words()[..], vertex_buffers].concat()
    }

    /// Primitives that the instances make, and how many of them are captured: what the queries
    /// `PRIMITIVES_GENERATED` and `TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN` count.
    pub fn primitives(&self) -> (u32, u32) {
        let made = self.topology.primitives(self.vertices).saturating_mul(self.instances);
        let room = self.primitives_most.saturating_sub(self.primitives_before);
        (made, if self.is_active { made.min(room) } else { 0 })
    }
}

/// Primitives that fit into buffers: of each that is written, the bytes from one vertex to the next and those that it has from where
/// transform feedback begins. The gap after what a last vertex captures has to fit, too.
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
    fn primitives_have_the_vertices_that_gl_says() {
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
