// SPDX-License-Identifier: MIT

//! Draws with one geometry shader, or with one tessellation evaluation shader.
//!
//! The stage before gives each vertex its inputs. Transform feedback captures one output of all vertices that are made: each may be the one
//! that differs.

use super::draw::{find, word, Drawn, Value, SIZE};
use super::feeder::{self, Number};
use super::interface::{Interface, Kind};
use super::{capture, reason};
use crate::run::device::run_with;
use ntv::ir::Stage;
use ntv_driver::headless::{self, vk, Device, Queries};
use ntv_prove::witness::Cell;
use ntv_report::run::inputs::Inputs;
use rspirv::binary::Assemble as _;
use spirv::{ExecutionMode, StorageClass};

/// The vertices of a patch: as many as each device has.
pub(super) const PATCH: u32 = 32;

/// Locations of a patch on Mesa's drivers, which may crash beyond.
const MOST_OF_PATCH: u64 = 30;

/// The most vertices that are captured.
const MOST_VERTICES: usize = 1 << 12;

/// The primitives that a geometry shader gets, with their numbers of vertices.
const GIVEN: [(ExecutionMode, vk::PrimitiveTopology, u32); 5] = [
    (ExecutionMode::InputPoints, vk::PrimitiveTopology::POINT_LIST, 1),
    (ExecutionMode::InputLines, vk::PrimitiveTopology::LINE_LIST, 2),
    (ExecutionMode::Triangles, vk::PrimitiveTopology::TRIANGLE_LIST, 3),
    (ExecutionMode::InputLinesAdjacency, vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY, 4),
    (ExecutionMode::InputTrianglesAdjacency, vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY, 6),
];

/// The primitives that a shader makes, with their numbers of vertices. Without one of these, they are triangles.
const MADE: [(ExecutionMode, u64); 4] = [
    (ExecutionMode::OutputPoints, 1),
    (ExecutionMode::PointMode, 1),
    (ExecutionMode::OutputLineStrip, 2),
    (ExecutionMode::Isolines, 2),
];

/// Draws a primitive or a patch, and captures the output.
pub(super) fn draw(
    device: &Device,
    (stage, interface): (Stage, &Interface),
    (given, number): (&Inputs, &mut Number<'_>),
    cell: Option<&Cell>,
) -> Result<Drawn, String> {
    let (before, topology, vertices) = match stage {
        Stage::TessEval => {
            let inputs = interface.variables(StorageClass::Input);
            let locations = inputs.iter().filter(|it| it.is_patch && it.builtin.is_none()).map(|it| it.cell / 4);
            if let Some(location) = locations.max().filter(|it| *it >= MOST_OF_PATCH) {
                return Err(format!("a patch has an input at Location {location}, which is beyond those of a device"));
            }
            let control = feeder::of_vertices(interface, (PATCH, true), number)?;
            (vec![feeder::nothing()?, control], vk::PrimitiveTopology::PATCH_LIST, 1)
        }
        _ => {
            let row = GIVEN.iter().find(|row| interface.has_mode(row.0)).ok_or("the primitive is not known")?;
            (vec![feeder::of_vertices(interface, (row.2, false), number)?], row.1, row.2)
        }
    };
    let output = cell.map(|cell| find(interface, cell)).transpose()?;
    let (words, sizes) = match &output {
        Some(output) => {
            let words = capture::captured(interface, &output.variable, output.bytes);
            (words, vec![MOST_VERTICES * output.bytes as usize])
        }
        None => (interface.module.assemble(), Vec::new()),
    };
    let modules: Vec<&[u32]> = before.iter().chain([&words]).map(Vec::as_slice).collect();
    let draw = headless::Draw {
        modules: &modules,
        topology,
        vertices,
        patch_vertices: 1,
        push_constants: &given.push_constants,
        size: SIZE,
        discard: true,
        captures: &sizes,
        queries: Queries { feedback: output.is_some() && device.queries().feedback, ..Queries::default() },
        ..headless::Draw::default()
    };
    let mut written = None;
    let ran = run_with(device, given, |resources| {
        let drawn = device.draw(&draw, resources)?;
        written = drawn.counts.feedback.map(|counts| counts.written);
        Ok(drawn)
    });
    let ran = ran.map_err(reason)?;
    let Some(output) = output else { return Ok(Drawn { ran, values: Vec::new(), is_discarded: false }) };
    let primitives = written.ok_or("it does not count what is captured")?;
    let of_each = MADE.iter().find(|row| interface.has_mode(row.0)).map_or(3, |row| row.1);
    let is_float = output.kind == Kind::Float;
    let captured = ran.captures.first().map_or(&[][..], Vec::as_slice);
    let at = (0..primitives * of_each).map(|vertex| vertex as usize * output.bytes as usize + output.offset);
    let values = at.filter_map(|at| Some(Value { bits: word(captured, at)?, is_float })).collect();
    Ok(Drawn { ran, values, is_discarded: false })
}
