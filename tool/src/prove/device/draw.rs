// SPDX-License-Identifier: MIT

//! Draws with one vertex shader, or with one fragment shader; `primitives` has the other stages.

use super::feeder::Number;
use super::interface::{Interface, Kind, Variable};
use super::primitives::{self, PATCH};
use super::{capture, feeder, reason};
use crate::run::device::run_with;
use ntv::ir::Stage;
use ntv::op::names::varying;
use ntv::op::Intrinsic;
use ntv_driver::headless::{self, vk, Attachment, Attribute, Device, Indices};
use ntv_interp::{Inputs as Invocations, Slot};
use ntv_prove::witness::Cell;
use ntv_prove::world::Space;
use ntv_report::run::inputs::Inputs;
use ntv_report::run::Ran;
use rspirv::binary::Assemble as _;
use spirv::{BuiltIn, ExecutionMode, StorageClass};

/// A draw of a point or of a triangle over four pixels.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    /// The first vertex and the first instance.
    first: [u32; 2],
    /// TessCoord of the vertex that is looked at.
    corner: [f32; 3],
}

/// What a draw gave.
pub(super) struct Drawn {
    pub(super) ran: Ran,
    /// The numbers that the output that was asked for has: one, but none if the fragment was discarded, and several of several vertices.
    pub(super) values: Vec<Value>,
    pub(super) is_discarded: bool,
}

/// A number of an output.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) bits: u32,
    pub(super) is_float: bool,
}

/// Width and height of the picture: a quad.
pub(super) const SIZE: [u32; 2] = [2, 2];

/// The colour attachments that Mesa's drivers have at most.
const MOST_COLOURS: usize = 8;

/// The built-in inputs that are known of a draw.
const OF_VERTICES: &[BuiltIn] =
    &[BuiltIn::VertexIndex, BuiltIn::InstanceIndex, BuiltIn::BaseVertex, BuiltIn::BaseInstance, BuiltIn::DrawIndex];
const OF_FRAGMENTS: &[BuiltIn] = &[
    BuiltIn::FragCoord,
    BuiltIn::FrontFacing,
    BuiltIn::SampleId,
    BuiltIn::SamplePosition,
    BuiltIn::SampleMask,
    BuiltIn::HelperInvocation,
    BuiltIn::PrimitiveId,
    BuiltIn::Layer,
    BuiltIn::ViewportIndex,
];

/// The built-in inputs that are known of a draw in tessellation and geometry shaders, and those that the stage before writes.
const OF_PATCHES: &[BuiltIn] = &[
    BuiltIn::TessCoord,
    BuiltIn::PatchVertices,
    BuiltIn::PrimitiveId,
    BuiltIn::TessLevelOuter,
    BuiltIn::TessLevelInner,
    BuiltIn::Position,
    BuiltIn::PointSize,
    BuiltIn::ClipDistance,
    BuiltIn::CullDistance,
];
const OF_PRIMITIVES: &[BuiltIn] = &[
    BuiltIn::InvocationId,
    BuiltIn::PrimitiveId,
    BuiltIn::Position,
    BuiltIn::PointSize,
    BuiltIn::ClipDistance,
    BuiltIn::CullDistance,
];

impl Draw {
    /// The draws that are tried: a vertex that is not the first, and each corner of a patch.
    pub(super) fn all(stage: Stage, interface: &Interface) -> Vec<Draw> {
        let is_triangle = interface.has_mode(ExecutionMode::Triangles);
        let corners: &[[f32; 3]] = match (stage, is_triangle) {
            (Stage::TessEval, true) => &[[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]],
            (Stage::TessEval, false) => &[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 0.]],
            _ => &[[0.; 3]],
        };
        let firsts: &[[u32; 2]] = if stage == Stage::Vertex { &[[0; 2], [5, 3]] } else { &[[0; 2]] };
        firsts.iter().flat_map(|first| corners.iter().map(|corner| Draw { first: *first, corner: *corner })).collect()
    }

    /// Puts the inputs that a driver makes in place of the chosen ones.
    pub(super) fn fit(&self, stage: Stage, inputs: &mut Invocations) {
        let [vertex, instance] = self.first.map(u64::from);
        let (patch, one) = (PATCH.into(), u64::from(1f32.to_bits()));
        let corner = self.corner.map(|c| u64::from(c.to_bits()));
        let system = match stage {
            Stage::Vertex => vec![
                (Intrinsic::load_vertex_id, vec![vertex]),
                (Intrinsic::load_vertex_id_zero_base, vec![0]),
                (Intrinsic::load_first_vertex, vec![vertex]),
                (Intrinsic::load_base_vertex, vec![vertex]),
                (Intrinsic::load_instance_id, vec![0]),
                (Intrinsic::load_base_instance, vec![instance]),
                (Intrinsic::load_draw_id, vec![0]),
            ],
            Stage::TessEval => vec![
                (Intrinsic::load_tess_coord, corner.to_vec()),
                (Intrinsic::load_tess_coord_xy, corner[..2].to_vec()),
                (Intrinsic::load_primitive_id, vec![0]),
                (Intrinsic::load_patch_vertices_in, vec![patch]),
                (Intrinsic::load_tess_level_outer, vec![one; 4]),
                (Intrinsic::load_tess_level_inner, vec![one; 2]),
            ],
            Stage::Geometry => vec![(Intrinsic::load_primitive_id, vec![0])],
            _ => return Draw::fit_quad(inputs),
        };
        for it in &mut inputs.invocations {
            it.system.extend(system.clone());
            for slot in [varying::TESS_LEVEL_OUTER, varying::TESS_LEVEL_INNER] {
                it.slots.insert(Slot::new(slot), [1f32.to_bits(); 4]);
            }
            it.slots.insert(Slot::new(varying::PRIMITIVE_ID), [0; 4]);
        }
        if stage != Stage::Geometry {
            inputs.invocations.truncate(1);
        }
    }

    /// Gives each fragment of a quad its place; its other inputs are those of the first.
    fn fit_quad(inputs: &mut Invocations) {
        let Some(first) = inputs.invocations.first().cloned() else { return };
        inputs.invocations = vec![first; (SIZE[0] * SIZE[1]) as usize];
        for (number, it) in (0u32..).zip(&mut inputs.invocations) {
            let [x, y] = [number % SIZE[0], number / SIZE[0]].map(|c| c as f32 + 0.5);
            let place = [x, y, 0., 1.].map(f32::to_bits);
            it.slots.insert(Slot::new(varying::POS), place);
            let half = u64::from(0.5f32.to_bits());
            it.system.extend([
                (Intrinsic::load_frag_coord, place.map(u64::from).to_vec()),
                (Intrinsic::load_front_face, vec![1]),
                (Intrinsic::load_sample_id, vec![0]),
                (Intrinsic::load_sample_pos, vec![half; 2]),
                (Intrinsic::load_sample_mask_in, vec![1]),
                (Intrinsic::load_helper_invocation, vec![0]),
                (Intrinsic::load_primitive_id, vec![0]),
                (Intrinsic::load_layer_id, vec![0]),
            ]);
            for slot in [varying::PRIMITIVE_ID, varying::LAYER, varying::VIEWPORT] {
                it.slots.insert(Slot::new(slot), [0; 4]);
            }
        }
    }

    /// Draws with a module. `number` has its inputs.
    ///
    /// # Errors
    /// The reason why the device cannot run it.
    pub(super) fn run(
        &self,
        device: &Device,
        (stage, interface): (Stage, &Interface),
        (given, number): (&Inputs, &mut Number<'_>),
        cell: Option<&Cell>,
    ) -> Result<Drawn, String> {
        let known = match stage {
            Stage::Vertex => OF_VERTICES,
            Stage::TessEval => OF_PATCHES,
            Stage::Geometry => OF_PRIMITIVES,
            _ => OF_FRAGMENTS,
        };
        let inputs = interface.variables(StorageClass::Input);
        if let Some(builtin) = inputs.iter().filter_map(|it| it.builtin).find(|it| !known.contains(it)) {
            return Err(format!("the driver makes the input {builtin:?}"));
        }
        match stage {
            Stage::Vertex => self.vertex(device, interface, (given, number), cell),
            Stage::Fragment => fragment(device, interface, (given, number), cell),
            _ => primitives::draw(device, (stage, interface), (given, number), cell),
        }
    }

    /// Draws a point, and captures the output.
    fn vertex(
        &self,
        device: &Device,
        interface: &Interface,
        (given, number): (&Inputs, &mut Number<'_>),
        cell: Option<&Cell>,
    ) -> Result<Drawn, String> {
        let mut rows: Vec<(u32, vk::Format, Vec<u8>)> = Vec::new();
        for input in interface.variables(StorageClass::Input).iter().filter(|it| it.builtin.is_none()) {
            for scalar in interface.scalars(input)? {
                let location = (scalar.cell / 4) as u32;
                if rows.iter().any(|row| row.0 == location) {
                    continue;
                }
                let vertex = (0..4).flat_map(|c| number(input, None, scalar.cell / 4 * 4 + c).to_le_bytes());
                // The first vertices are not drawn.
                let bytes = vertex.collect::<Vec<u8>>().repeat(self.first[0] as usize + 1);
                rows.push((location, format(scalar.kind), bytes));
            }
        }
        let attributes: Vec<Attribute<'_>> = rows
            .iter()
            .map(|(location, format, bytes)| Attribute {
                location: *location,
                format: *format,
                bytes,
                per_instance: false,
            })
            .collect();
        let output = cell.map(|cell| find(interface, cell)).transpose()?;
        let (words, sizes) = match &output {
            Some(output) => {
                (capture::captured(interface, &output.variable, output.bytes), vec![2 * output.bytes as usize])
            }
            None => (interface.module.assemble(), Vec::new()),
        };
        // A point needs a size. Without one, it is a line from the vertex to itself.
        let has_size =
            interface.variables(StorageClass::Output).iter().any(|it| it.builtin == Some(BuiltIn::PointSize));
        let [vertex, instance] = self.first;
        let (ty, base_vertex) = (vk::IndexType::UINT32, vertex as i32);
        let (topology, vertices, first, indices) = match has_size {
            true => (vk::PrimitiveTopology::POINT_LIST, 1, self.first, None),
            false => {
                let indices = Indices { ty, bytes: &[0; 8], restart: false, base_vertex };
                (vk::PrimitiveTopology::LINE_LIST, 2, [0, instance], Some(indices))
            }
        };
        let draw = headless::Draw {
            modules: &[&words],
            topology,
            vertices,
            first,
            indices,
            attributes: &attributes,
            push_constants: &given.push_constants,
            size: SIZE,
            discard: true,
            captures: &sizes,
            ..headless::Draw::default()
        };
        let ran = run_with(device, given, |resources| Ok(device.draw(&draw, resources)?)).map_err(reason)?;
        let value: Option<Value> = output.and_then(|output| {
            let bits = word(ran.captures.first()?, output.offset)?;
            Some(Value { bits, is_float: output.kind == Kind::Float })
        });
        Ok(Drawn { ran, values: value.into_iter().collect(), is_discarded: false })
    }
}

/// Covers four pixels, twice, with different colours before. What is the same after both was written.
fn fragment(
    device: &Device,
    interface: &Interface,
    (given, number): (&Inputs, &mut Number<'_>),
    cell: Option<&Cell>,
) -> Result<Drawn, String> {
    let (vertex, words) = (feeder::of_fragment(interface, number)?, capture::flat(interface));
    let outputs = interface.variables(StorageClass::Output);
    let colours: Vec<&Variable> = outputs.iter().filter(|it| it.builtin.is_none()).collect();
    if colours.iter().any(|it| it.index != 0) {
        return Err("an output is a source of blending, which no attachment has".to_owned());
    }
    let mut formats = vec![vk::Format::D32_SFLOAT];
    for output in &colours {
        for scalar in interface.scalars(output)? {
            let place = 1 + (scalar.cell / 4) as usize;
            if place > MOST_COLOURS {
                return Err(format!("an output is at Location {}, which has no attachment", place - 1));
            }
            formats.resize(formats.len().max(place + 1), vk::Format::R32G32B32A32_SFLOAT);
            formats[place] = format(scalar.kind);
        }
    }
    let corners: Vec<u8> = feeder::CORNERS.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let corners = Attribute { location: 0, format: format(Kind::Float), bytes: &corners, per_instance: false };
    let draw = |clear: f32| {
        let bytes = |format| clear.to_le_bytes().repeat(if format == vk::Format::D32_SFLOAT { 1 } else { 4 });
        let attachment = |format: &vk::Format| Attachment { format: *format, clear: bytes(*format) };
        let attachments: Vec<Attachment> = formats.iter().map(attachment).collect();
        let draw = headless::Draw {
            modules: &[&vertex, &words],
            attributes: &[corners],
            push_constants: &given.push_constants,
            size: SIZE,
            attachments: &attachments,
            ..headless::Draw::default()
        };
        run_with(device, given, |resources| Ok(device.draw(&draw, resources)?)).map_err(reason)
    };
    let [first, second] = [draw(0.25)?, draw(0.75)?];
    let texels = |target: usize, at: usize| {
        [&first, &second].map(|ran| ran.targets.get(target).and_then(|target| word(target, at)))
    };
    let is_written = |output: &&Variable| {
        let [a, b] = texels(1 + (output.cell / 4) as usize, 4 * (output.cell % 4) as usize);
        a == b
    };
    let is_discarded = match &colours[..] {
        [] => texels(0, 0)[0] != texels(0, 0)[1],
        colours => !colours.iter().any(is_written),
    };
    let mut value: Option<Value> = None;
    if let Some(cell) = cell {
        let output = find(interface, cell)?;
        let (target, at) = match output.variable.builtin {
            None => (1 + (cell.cell / 4) as usize, 16 * cell.invocation + 4 * (cell.cell % 4) as usize),
            Some(BuiltIn::FragDepth) => (0, 4 * cell.invocation),
            Some(builtin) => return Err(format!("no attachment shows the output {builtin:?}")),
        };
        let is_float = output.kind == Kind::Float;
        value = texels(target, at)[0].filter(|_| !is_discarded).map(|bits| Value { bits, is_float });
    }
    Ok(Drawn { ran: first, values: value.into_iter().collect(), is_discarded })
}

/// An output with a cell, and its place among its numbers.
pub(super) struct Output {
    pub(super) variable: Variable,
    pub(super) kind: Kind,
    /// Bytes before the cell.
    pub(super) offset: usize,
    /// Bytes of all of it.
    pub(super) bytes: u32,
}

/// The output that has a cell.
pub(super) fn find(interface: &Interface, cell: &Cell) -> Result<Output, String> {
    for variable in interface.variables(StorageClass::Output) {
        let is_it = match cell.output {
            Space::BuiltIn(builtin) => variable.builtin.is_some_and(|it| it as u32 == builtin),
            Space::Output(_, index) => variable.builtin.is_none() && variable.index == index,
            _ => false,
        };
        if !is_it {
            continue;
        }
        let scalars = interface.scalars(&variable)?;
        if let Some(number) = scalars.iter().position(|it| it.cell == cell.cell) {
            let (kind, bytes) = (scalars[number].kind, 4 * scalars.len() as u32);
            return Ok(Output { variable, kind, offset: 4 * number, bytes });
        }
    }
    Err("the module does not have the output that differs".to_owned())
}

/// The format of four numbers.
fn format(kind: Kind) -> vk::Format {
    match kind {
        Kind::Float => vk::Format::R32G32B32A32_SFLOAT,
        Kind::Int => vk::Format::R32G32B32A32_SINT,
        Kind::Uint => vk::Format::R32G32B32A32_UINT,
    }
}

pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
