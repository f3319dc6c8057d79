// SPDX-License-Identifier: MIT

//! Meshes, which are generated: corners with positions, normals and texture coordinates, and indices.
//!
//! Corners of front faces are in counterclockwise order. Texture coordinates range from 0 to 1 over a surface, or repeat as
//! `tiles` says.

use glam::{Vec2, Vec3};
use serde::Deserialize;
use std::f32::consts::TAU;

/// The most corners that a mesh may have.
const MOST_CORNERS: u64 = 1 << 22;

/// The parts of a corner: their names, their offsets in bytes, and the numbers of their floats.
pub(crate) const PARTS: [(&str, u32, u32); 3] = [("position", 0, 3), ("normal", 12, 3), ("texcoord", 24, 2)];

/// The size of a corner in bytes.
pub(crate) const STRIDE: u32 = 32;

/// The generator of a mesh: one of these.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Generator {
    /// A plane in x and z that faces upwards.
    Grid(Grid),
    /// From -1 to 1 in x and y, facing z.
    Quad(Tiles),
    Cube(Cube),
    Sphere(Sphere),
    Torus(Torus),
    TorusKnot(TorusKnot),
    /// A prism or a cone around y, from 0 to 1, with lids.
    Column(Column),
    /// Patches of four corners: a cube's sides, each divided, for tessellation.
    CubePatches(CubePatches),
}

/// The number of times that the texture coordinates repeat the range from 0 to 1.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tiles {
    pub(crate) tiles: [f32; 2],
}

impl Default for Tiles {
    fn default() -> Tiles {
        Tiles { tiles: [1.0; 2] }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Grid {
    pub(crate) cells: [u32; 2],
    /// Its extents in x and z, around the origin.
    pub(crate) size: [f32; 2],
    pub(crate) tiles: [f32; 2],
}

impl Default for Grid {
    fn default() -> Grid {
        Grid { cells: [1; 2], size: [2.0; 2], tiles: [1.0; 2] }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Cube {
    /// Its extents, around the origin.
    pub(crate) size: [f32; 3],
}

impl Default for Cube {
    fn default() -> Cube {
        Cube { size: [1.0; 3] }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sphere {
    pub(crate) radius: f32,
    pub(crate) segments: u32,
    pub(crate) rings: u32,
    pub(crate) tiles: [f32; 2],
}

impl Default for Sphere {
    fn default() -> Sphere {
        Sphere { radius: 1.0, segments: 48, rings: 24, tiles: [1.0; 2] }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Torus {
    pub(crate) radius: f32,
    pub(crate) tube: f32,
    pub(crate) segments: u32,
    pub(crate) sides: u32,
    pub(crate) tiles: [f32; 2],
}

impl Default for Torus {
    fn default() -> Torus {
        Torus { radius: 1.0, tube: 0.4, segments: 96, sides: 32, tiles: [1.0; 2] }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TorusKnot {
    /// The number of turns around the axis, and around the tube of the torus.
    pub(crate) p: u32,
    pub(crate) q: u32,
    pub(crate) radius: f32,
    pub(crate) tube: f32,
    pub(crate) segments: u32,
    pub(crate) sides: u32,
    pub(crate) tiles: [f32; 2],
}

impl Default for TorusKnot {
    fn default() -> TorusKnot {
        TorusKnot { p: 2, q: 3, radius: 1.0, tube: 0.3, segments: 256, sides: 32, tiles: [1.0; 2] }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Column {
    pub(crate) sides: u32,
    /// Radius below and above.
    pub(crate) radius: [f32; 2],
    /// Sides are flat.
    pub(crate) flat: bool,
}

impl Default for Column {
    fn default() -> Column {
        Column { sides: 24, radius: [0.5; 2], flat: false }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CubePatches {
    /// Along each edge.
    pub(crate) cells: u32,
}

impl Default for CubePatches {
    fn default() -> CubePatches {
        CubePatches { cells: 4 }
    }
}

/// A corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    pub(crate) position: Vec3,
    pub(crate) normal: Vec3,
    pub(crate) texcoord: Vec2,
}

/// Corners, and the indices of primitives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) corners: Vec<Corner>,
    pub(crate) indices: Vec<u32>,
}

impl Mesh {
    /// The corners as a vertex buffer has them.
    pub(crate) fn vertex_bytes(&self) -> Vec<u8> {
        let floats = |corner: &Corner| {
            let (p, n, t) = (corner.position, corner.normal, corner.texcoord);
            [p.x, p.y, p.z, n.x, n.y, n.z, t.x, t.y]
        };
        self.corners.iter().flat_map(floats).flat_map(f32::to_le_bytes).collect()
    }

    /// The indices as an index buffer has them.
    pub(crate) fn index_bytes(&self) -> Vec<u8> {
        self.indices.iter().flat_map(|index| index.to_le_bytes()).collect()
    }

    /// A surface over u and v from 0 to 1, `columns` by `rows` cells, and the indices of two triangles in each.
    fn surface([columns, rows]: [u32; 2], tiles: [f32; 2], at: impl Fn(f32, f32) -> (Vec3, Vec3)) -> Mesh {
        let mut mesh = Mesh::default();
        for row in 0..=rows {
            for column in 0..=columns {
                let (u, v) = (column as f32 / columns as f32, row as f32 / rows as f32);
                let (position, normal) = at(u, v);
                mesh.corners.push(Corner { position, normal, texcoord: Vec2::new(u * tiles[0], v * tiles[1]) });
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let a = row * (columns + 1) + column;
                let b = a + columns + 1;
                mesh.indices.extend([a, a + 1, b + 1, a, b + 1, b]);
            }
        }
        mesh
    }

    /// Two triangles over four corners.
    fn flat(&mut self, corners: [Vec3; 4], normal: Vec3, tiles: [f32; 2]) {
        let first = self.corners.len() as u32;
        for (position, uv) in corners.into_iter().zip([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]) {
            let texcoord = Vec2::new(uv[0] * tiles[0], uv[1] * tiles[1]);
            self.corners.push(Corner { position, normal, texcoord });
        }
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|index| first + index));
    }
}

impl Generator {
    /// Makes the mesh.
    ///
    /// # Errors
    /// The mesh has no cells, or too many.
    pub(crate) fn mesh(&self) -> Result<Mesh, String> {
        let cells = self.cells();
        if cells.contains(&0) {
            return Err("a mesh needs more than 0 corners".to_string());
        }
        let corners = cells.iter().fold(6, |all: u64, cells| all.saturating_mul(u64::from(*cells) + 1));
        if corners > MOST_CORNERS {
            return Err(format!("{corners} corners are more than {MOST_CORNERS}"));
        }
        Ok(match self {
            Generator::Grid(grid) => grid.mesh(),
            Generator::Quad(Tiles { tiles }) => {
                let mut mesh = Mesh::default();
                let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
                mesh.flat(corners, Vec3::Z, *tiles);
                mesh
            }
            Generator::Cube(cube) => cube.mesh(),
            Generator::Sphere(sphere) => sphere.mesh(),
            Generator::Torus(torus) => torus.mesh(),
            Generator::TorusKnot(knot) => knot.mesh(),
            Generator::Column(column) => column.mesh(),
            Generator::CubePatches(patches) => patches.mesh(),
        })
    }

    /// The numbers of its parts in two directions.
    fn cells(&self) -> [u32; 2] {
        match self {
            Generator::Grid(grid) => grid.cells,
            Generator::Quad(_) | Generator::Cube(_) => [1; 2],
            Generator::Sphere(sphere) => [sphere.segments, sphere.rings],
            Generator::Torus(torus) => [torus.segments, torus.sides],
            Generator::TorusKnot(knot) => [knot.segments, knot.sides],
            Generator::Column(column) => [column.sides, 1],
            Generator::CubePatches(patches) => [patches.cells; 2],
        }
    }
}

impl Grid {
    fn mesh(&self) -> Mesh {
        Mesh::surface(self.cells, self.tiles, |u, v| {
            (Vec3::new((u - 0.5) * self.size[0], 0.0, (0.5 - v) * self.size[1]), Vec3::Y)
        })
    }
}

/// The sides of a cube: the normal, the vector to the right and the vector upwards, as seen from outside.
const SIDES: [[Vec3; 3]; 6] = [
    [Vec3::X, Vec3::NEG_Z, Vec3::Y],
    [Vec3::NEG_X, Vec3::Z, Vec3::Y],
    [Vec3::Y, Vec3::X, Vec3::NEG_Z],
    [Vec3::NEG_Y, Vec3::X, Vec3::Z],
    [Vec3::Z, Vec3::X, Vec3::Y],
    [Vec3::NEG_Z, Vec3::NEG_X, Vec3::Y],
];

impl Cube {
    fn mesh(&self) -> Mesh {
        let mut mesh = Mesh::default();
        for [facing, right, above] in SIDES {
            let half = Vec3::from_array(self.size) * 0.5;
            let corner = |x: f32, y: f32| (facing + right * x + above * y) * half;
            mesh.flat([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], facing, [1.0; 2]);
        }
        mesh
    }
}

impl Sphere {
    fn mesh(&self) -> Mesh {
        Mesh::surface([self.segments, self.rings], self.tiles, |u, v| {
            let (around, up) = (u * TAU, (v - 0.5) * TAU * 0.5);
            let normal = Vec3::new(up.cos() * around.sin(), up.sin(), up.cos() * around.cos());
            (normal * self.radius, normal)
        })
    }
}

impl Torus {
    fn mesh(&self) -> Mesh {
        Mesh::surface([self.segments, self.sides], self.tiles, |u, v| {
            let (around, ring) = (u * TAU, v * TAU);
            let out = Vec3::new(around.sin(), 0.0, around.cos());
            let normal = out * ring.cos() + Vec3::Y * ring.sin();
            (out * self.radius + normal * self.tube, normal)
        })
    }
}

impl TorusKnot {
    /// The middle of the tube at `u`.
    fn middle(&self, u: f32) -> Vec3 {
        let around = u * TAU * self.p as f32;
        let ring = u * TAU * self.q as f32;
        let out = self.radius * (2.0 + ring.cos()) / 3.0;
        Vec3::new(out * around.cos(), out * around.sin(), self.radius * ring.sin() / 3.0)
    }

    fn mesh(&self) -> Mesh {
        Mesh::surface([self.segments, self.sides], self.tiles, |u, v| {
            let middle = self.middle(u);
            let ahead = (self.middle(u + 1e-3) - self.middle(u - 1e-3)).normalize_or_zero();
            // The direction from the axis of the torus, without its component along the tube.
            let around = u * TAU * self.p as f32;
            let core = Vec3::new(around.cos(), around.sin(), 0.0) * self.radius * 2.0 / 3.0;
            let out = (middle - core).reject_from_normalized(ahead).normalize_or_zero();
            let side = out.cross(ahead);
            let ring = v * TAU;
            let normal = out * ring.cos() + side * ring.sin();
            (middle + normal * self.tube, normal)
        })
    }
}

impl Column {
    fn mesh(&self) -> Mesh {
        let [below, above] = self.radius;
        let out = |side: u32, part: f32| {
            let around = (side as f32 + part) / self.sides as f32 * TAU;
            Vec3::new(around.sin(), 0.0, around.cos())
        };
        let mut mesh = Mesh::default();
        let slope = Vec3::Y * (below - above);
        for side in 0..self.sides {
            let (left, right) = (out(side, 0.0), out(side, 1.0));
            let middle = (out(side, 0.5) + slope).normalize_or_zero();
            let first = mesh.corners.len();
            let corners = [left * below, right * below, right * above + Vec3::Y, left * above + Vec3::Y];
            mesh.flat(corners, middle, [1.0; 2]);
            if !self.flat {
                let normals = [left, right, right, left].map(|out| (out + slope).normalize_or_zero());
                mesh.corners[first..].iter_mut().zip(normals).for_each(|(corner, normal)| corner.normal = normal);
            }
            for (radius, height, normal) in [(above, Vec3::Y, Vec3::Y), (below, Vec3::ZERO, Vec3::NEG_Y)] {
                let first = mesh.corners.len() as u32;
                let fan = [Vec3::ZERO, left * radius, right * radius].map(|at| at + height);
                mesh.corners.extend(fan.map(|position| Corner { position, normal, texcoord: Vec2::ZERO }));
                let order = if normal.y > 0.0 { [0, 1, 2] } else { [0, 2, 1] };
                mesh.indices.extend(order.map(|index| first + index));
            }
        }
        mesh
    }
}

impl CubePatches {
    fn mesh(&self) -> Mesh {
        let mut mesh = Mesh::default();
        let step = 2.0 / self.cells as f32;
        for [facing, right, above] in SIDES {
            for (row, column) in (0..self.cells).flat_map(|row| (0..self.cells).map(move |column| (row, column))) {
                for (x, y) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                    let (x, y) = ((column + x) as f32 * step - 1.0, (row + y) as f32 * step - 1.0);
                    // Equal angles make cells of about the same size on a sphere.
                    let [x, y] = [x, y].map(|along| (along * TAU / 8.0).tan());
                    let position = facing + right * x + above * y;
                    let texcoord = Vec2::new(x, y) * 0.5 + 0.5;
                    mesh.indices.push(mesh.corners.len() as u32);
                    mesh.corners.push(Corner { position, normal: position.normalize(), texcoord });
                }
            }
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Generator> {
        vec![
            Generator::Grid(Grid { cells: [3, 2], ..Grid::default() }),
            Generator::Quad(Tiles::default()),
            Generator::Cube(Cube::default()),
            Generator::Sphere(Sphere::default()),
            Generator::Torus(Torus::default()),
            Generator::TorusKnot(TorusKnot::default()),
            Generator::Column(Column::default()),
            Generator::Column(Column { sides: 6, radius: [0.7, 0.2], flat: true }),
        ]
    }

    #[test]
    fn faces_face_where_their_normals_do() {
        for generator in all() {
            let mesh = generator.mesh().expect("a mesh");
            let mut faces = 0;
            for triangle in mesh.indices.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|at| mesh.corners[triangle[at] as usize]);
                let facing = (b.position - a.position).cross(c.position - a.position);
                if facing.length() > 1e-6 {
                    faces += 1;
                    let normal = a.normal + b.normal + c.normal;
                    assert!(facing.dot(normal) > 0.0, "{generator:?}: {a:?} {b:?} {c:?}");
                }
            }
            assert!(faces > 1, "{generator:?}");
            assert!(mesh.corners.iter().all(|corner| (corner.normal.length() - 1.0).abs() < 1e-3), "{generator:?}");
            assert_eq!(mesh.vertex_bytes().len(), mesh.corners.len() * STRIDE as usize);
        }
    }

    #[test]
    fn patches_of_a_cube_meet_at_their_corners() {
        let mesh = Generator::CubePatches(CubePatches { cells: 3 }).mesh().expect("a mesh");
        assert_eq!(mesh.indices.len(), 6 * 9 * 4);
        let key = |corner: &Corner| corner.position.to_array().map(|x| (x * 1000.0).round() as i32);
        let mut keys: Vec<[i32; 3]> = mesh.corners.iter().map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 6 * 9 + 2, "as many as a cube of 3 by 3 by 3 has at its surface");
    }

    #[test]
    fn counts_that_are_zero_or_too_large_are_refused() {
        let sphere = |segments| Generator::Sphere(Sphere { segments, ..Sphere::default() }).mesh();
        assert!(sphere(0).is_err() && sphere(u32::MAX).is_err());
    }
}
