// SPDX-License-Identifier: MIT

//! The vertices that a draw with indices captures, for indices that are known on the CPU.

use super::draw::{ProvokingVertex, Topology};

impl Topology {
    /// The topology of the captured primitives: points, lines or triangles that share no vertices.
    pub fn list(self) -> Topology {
        match self.vertices_per_primitive() {
            1 => Topology::Points,
            2 => Topology::Lines,
            _ => Topology::Triangles,
        }
    }
}

/// The vertices that a draw of `indices` captures, in order. A draw of these vertices as a [list](Topology::list), without indices,
/// captures the same.
///
/// The index `restart` begins a new run of vertices. Vertices of a run that do not complete a primitive are left out, and each loop
/// is closed. The caller adds the base vertex: it does not affect restarts.
/// [`Kernel::EmissionList`](super::kernels::Kernel::EmissionList) does the same on the device.
///
/// ```
/// use ntv::capture::{emission_list, ProvokingVertex, Topology};
///
/// let indices = [4, 5, 6, 7, 0xffff, 0xffff, 1, 2, 3];
/// let list = emission_list(Topology::TriangleStrip, ProvokingVertex::Last, &indices, Some(0xffff));
/// assert_eq!(list, [4, 5, 6, 6, 5, 7, 1, 2, 3]);
/// ```
pub fn emission_list(
    topology: Topology,
    provoking: ProvokingVertex,
    indices: &[u32],
    restart: Option<u32>,
) -> Vec<u32> {
    let corners = topology.vertices_per_primitive() as usize;
    let mut list = Vec::new();
    for run in indices.split(|index| Some(*index) == restart) {
        let vertices = u32::try_from(run.len()).unwrap_or(u32::MAX);
        for primitive in 0..topology.primitives(vertices) {
            let places = topology.vertices(primitive, vertices, provoking);
            list.extend(places[..corners].iter().filter_map(|place| run.get(*place as usize)));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_split() {
        let list = |topology, indices: &[u32]| emission_list(topology, ProvokingVertex::Last, indices, Some(9));
        assert_eq!(list(Topology::Points, &[9, 1, 9, 9, 2, 9]), [1, 2]);
        assert_eq!(list(Topology::Lines, &[1, 2, 3, 9, 4, 5]), [1, 2, 4, 5]);
        assert_eq!(list(Topology::LineLoop, &[1, 2, 3, 9, 4, 9, 5, 6]), [1, 2, 2, 3, 3, 1, 5, 6, 6, 5]);
        assert_eq!(list(Topology::LineStrip, &[1, 2, 3, 9, 4, 5]), [1, 2, 2, 3, 4, 5]);
        assert_eq!(list(Topology::Triangles, &[1, 2, 9, 3, 4, 5, 6]), [3, 4, 5]);
        assert_eq!(list(Topology::TriangleFan, &[1, 2, 3, 4, 9, 5, 6, 7]), [1, 2, 3, 1, 3, 4, 5, 6, 7]);
        let first = emission_list(Topology::TriangleStrip, ProvokingVertex::First, &[1, 9, 3, 4], None);
        assert_eq!(first, [1, 9, 3, 9, 4, 3]);
    }
}
