// SPDX-License-Identifier: MIT

//! Draws points: runs the stages of a pipeline one after the other. Each vertex covers one pixel, and is written to the buffers
//! of transform feedback.
//!
//! Points need no rasterizer, and all stages can be used: a geometry shader may emit points for points, and a patch that is
//! tessellated in point mode with all levels 1 has one point in each corner. A fragment has no neighbours, so derivatives are
//! undefined. A mesh shader may make points, too.

use crate::format::{Format, Texel};
use crate::{
    run, Bits, Buffer, Captured, Fault, Floats, Inputs, Invocation, Launch, Limits, Meshlet, Outcome, Outputs,
    Resources, Slot,
};
use ntv::ir::{InstKind, Shader, Stage};
use ntv::op::names::{frag_result, varying, vert_attrib, IoSemantics};
use ntv::op::{slots, Index, Intrinsic, Modes};
use std::collections::BTreeMap;

/// A draw of one pipeline.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The stages, in any order.
    pub shaders: &'a [Shader],
    /// The number of vertices; of workgroups if there is a mesh shader.
    pub vertices: u32,
    /// The number of instances.
    pub instances: u32,
    /// The number of vertices of a patch, if there are tessellation shaders.
    pub patch_vertices: u32,
    /// The attributes of the vertex shader: the Location, and four words for each vertex.
    pub attributes: &'a [(u32, Vec<[u32; 4]>)],
    /// The width and height of the targets.
    pub size: [u32; 2],
    /// The render targets in the order of their Locations. Fragment shaders may read them.
    pub targets: &'a [Target],
    /// The size in bytes of each buffer of transform feedback.
    pub captures: &'a [usize],
    /// The rules for floats.
    pub floats: Floats,
}

/// The most workgroups of a mesh shader that a workgroup of a task shader may start.
const MOST_WORKGROUPS: u64 = 1 << 16;

/// A render target.
#[derive(Clone, Debug)]
pub struct Target {
    /// The format of a texel.
    pub format: Format,
    /// The bytes of every texel before the draw.
    pub clear: Vec<u8>,
}

/// The results of a draw.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// The fragments in the order of drawing: pixel, and the outputs of the fragment shader.
    pub fragments: Vec<([u32; 2], Outputs)>,
    /// The buffers of transform feedback.
    pub captures: Vec<Vec<u8>>,
    /// The faults, each with the index of its shader.
    pub faults: Vec<(usize, Fault)>,
}

/// The outputs of a stage for one vertex.
type Vertex = Outputs;

/// Runs `draw`. The shaders write to the storage blocks of `resources`.
///
/// It is an error to draw primitives other than points, or to tessellate with levels other than 1.
pub fn draw(draw: &Draw<'_>, resources: &mut Resources, limits: Limits) -> Result<Drawn, &'static str> {
    let captures = draw.captures.iter().map(|size| vec![0; *size]).collect();
    let drawn = Drawn { captures, ..Drawn::default() };
    let mut pipeline = Pipeline { draw, resources, limits, drawn, captured: [0; 4], pixels: BTreeMap::new() };
    for instance in 0..draw.instances {
        pipeline.instance(instance)?;
    }
    Ok(pipeline.drawn)
}

struct Pipeline<'a, 'r> {
    draw: &'a Draw<'a>,
    resources: &'r mut Resources,
    limits: Limits,
    drawn: Drawn,
    /// Vertices of each stream that transform feedback has captured.
    captured: [usize; 4],
    /// The texels of the targets at pixels that were drawn to.
    pixels: BTreeMap<[u32; 2], Vec<[Bits; 4]>>,
}

impl Pipeline<'_, '_> {
    fn instance(&mut self, instance: u32) -> Result<(), &'static str> {
        if self.stage(Stage::Mesh).is_some() {
            let points = self.mesh_stage()?;
            (0..).zip(&points).for_each(|(number, point)| self.fragment(number, point));
            return Ok(());
        }
        let mut vertices = self.vertex_stage(instance)?;
        if self.stage(Stage::TessEval).is_some() {
            vertices = self.tessellate(&vertices)?;
        }
        let vertices = match self.stage(Stage::Geometry) {
            Some(_) => self.geometry_stage(&vertices)?,
            None => vertices.into_iter().map(|vertex| (0, vertex)).collect(),
        };
        let last = [Stage::Geometry, Stage::TessEval, Stage::Vertex].into_iter().find_map(|stage| self.stage(stage));
        let captures = last.map_or(Vec::new(), |(_, shader)| Captured::of(shader));
        for (stream, vertex) in &vertices {
            self.capture(vertex, &captures, *stream);
        }
        // Only the first stream is drawn.
        for (number, (_, vertex)) in vertices.iter().filter(|(stream, _)| *stream == 0).enumerate() {
            self.fragment(number as u32, vertex);
        }
        Ok(())
    }

    fn stage(&self, stage: Stage) -> Option<(usize, &Shader)> {
        self.draw.shaders.iter().enumerate().find(|(_, shader)| shader.stage() == stage)
    }

    /// Runs the shader of `stage`, if there is one.
    fn run(&mut self, stage: Stage, invocations: Vec<Invocation>) -> Outcome {
        self.run_with(stage, Inputs { invocations, floats: self.draw.floats, ..Inputs::default() })
    }

    fn run_with(&mut self, stage: Stage, inputs: Inputs) -> Outcome {
        let shaders = self.draw.shaders;
        let Some((number, shader)) = shaders.iter().enumerate().find(|(_, shader)| shader.stage() == stage) else {
            return Outcome::default();
        };
        let mut outcome = run(shader, self.resources, &inputs, self.limits);
        self.drawn.faults.extend(outcome.faults.drain(..).map(|fault| (number, fault)));
        outcome
    }

    fn vertex_stage(&mut self, instance: u32) -> Result<Vec<Vertex>, &'static str> {
        let (_, shader) = self.stage(Stage::Vertex).ok_or("a draw needs a vertex shader")?;
        let slots = attribute_slots(shader);
        let invocation = |vertex: u32| {
            let given = |(location, slot): &(u32, u32)| {
                let (_, values) = self.draw.attributes.iter().find(|attribute| attribute.0 == *location)?;
                Some((Slot::new(*slot), *values.get(vertex as usize)?))
            };
            let system = [
                (Intrinsic::load_vertex_id, vertex),
                (Intrinsic::load_instance_id, instance),
                (Intrinsic::load_first_vertex, 0),
                (Intrinsic::load_base_instance, 0),
                (Intrinsic::load_is_indexed_draw, 0),
                (Intrinsic::load_draw_id, 0),
            ];
            Invocation {
                slots: slots.iter().filter_map(given).collect(),
                system: numbers(&system),
                ..Default::default()
            }
        };
        // One run for each vertex, because vertices share nothing.
        let invocations: Vec<Invocation> = (0..self.draw.vertices).map(invocation).collect();
        let outcomes = invocations.into_iter().map(|invocation| self.run(Stage::Vertex, vec![invocation]));
        Ok(outcomes.flat_map(|outcome| outcome.outputs).collect())
    }

    fn tessellate(&mut self, vertices: &[Vertex]) -> Result<Vec<Vertex>, &'static str> {
        let (_, control) =
            self.stage(Stage::TessCtrl).ok_or("a draw of patches needs a tessellation control shader")?;
        let (_, evaluation) =
            self.stage(Stage::TessEval).ok_or("a draw of patches needs a tessellation evaluation shader")?;
        if !evaluation.info.point_mode && !control.info.point_mode {
            return Err("patches must be tessellated in point mode");
        }
        let corners = corners(evaluation.info.primitive_mode).or_else(|| corners(control.info.primitive_mode));
        let corners = corners.ok_or("patches must be triangles or quads")?;
        let vertices_out = control.info.tcs_vertices_out.clamp(1, 32);
        let mut points = Vec::new();
        for (number, patch) in vertices.chunks_exact(self.draw.patch_vertices.max(1) as usize).enumerate() {
            let system = [
                (Intrinsic::load_primitive_id, number as u32),
                (Intrinsic::load_patch_vertices_in, self.draw.patch_vertices),
            ];
            let invocation = given(&arrayed(patch), numbers(&system));
            let outcome = self.run(Stage::TessCtrl, vec![invocation; vertices_out as usize]);
            let slots = outcome.outputs.first().cloned().unwrap_or_default();
            if !levels_are_one(&slots) {
                return Err("tessellation levels must be 1");
            }
            for corner in corners {
                let mut system = numbers(&system);
                system.insert(Intrinsic::load_patch_vertices_in, vec![vertices_out.into()]);
                system.insert(Intrinsic::load_tess_coord, corner.map(|c| u64::from(c.to_bits())).to_vec());
                system.insert(Intrinsic::load_tess_coord_xy, corner[..2].iter().map(|c| c.to_bits().into()).collect());
                let invocation = given(&slots, system);
                points.extend(self.run(Stage::TessEval, vec![invocation]).outputs);
            }
        }
        Ok(points)
    }

    /// The emitted vertices, each with its stream.
    fn geometry_stage(&mut self, vertices: &[Vertex]) -> Result<Vec<(u32, Vertex)>, &'static str> {
        let (_, shader) = self.stage(Stage::Geometry).ok_or("there is no geometry shader")?;
        if shader.info.vertices_in > 1 || !shader.info.output_primitive.contains("POINTS") {
            return Err("geometry shaders must take and emit points");
        }
        let invocations = shader.info.invocations.clamp(1, 32) as usize;
        let mut points = Vec::new();
        for (number, vertex) in vertices.iter().enumerate() {
            let system = numbers(&[(Intrinsic::load_primitive_id, number as u32)]);
            let invocation = given(&arrayed(std::slice::from_ref(vertex)), system);
            let outcome = self.run(Stage::Geometry, vec![invocation; invocations]);
            let emitted = outcome.vertices.into_iter().flatten();
            points.extend(emitted.filter_map(|(stream, outputs)| Some((stream, outputs?))));
        }
        Ok(points)
    }

    /// The points of the workgroups of the mesh shader, which the draw or a task shader starts, with the values of their primitives.
    fn mesh_stage(&mut self) -> Result<Vec<Vertex>, &'static str> {
        let (_, shader) = self.stage(Stage::Mesh).ok_or("there is no mesh shader")?;
        if slots::primitive_indices(&shader.info.primitive_type).map(|(vertices, _)| vertices) != Some(1) {
            return Err("mesh shaders must make points");
        }
        let (draw, groups) = (self.draw, [self.draw.vertices, 1, 1]);
        if draw.instances != 1 || !draw.attributes.is_empty() || !draw.captures.is_empty() {
            return Err("a draw with a mesh shader has no instances, attributes or captures");
        }
        let grid = |workgroups| Inputs { workgroups, floats: draw.floats, ..Inputs::default() };
        let launches = match self.stage(Stage::Task) {
            Some(_) => self.run_with(Stage::Task, grid(groups)).launches,
            None => vec![Some(Launch { workgroups: groups, payload: Buffer::default() })],
        };
        let mut points = Vec::new();
        for Launch { workgroups, payload } in launches.into_iter().flatten() {
            if workgroups.iter().map(|count| u64::from(*count)).product::<u64>() > MOST_WORKGROUPS {
                return Err("a task shader starts too many workgroups");
            }
            self.resources.payload = payload;
            let made = self.run_with(Stage::Mesh, grid(workgroups)).meshlets;
            points.extend(made.iter().flat_map(|meshlet| (0..meshlet.primitives).filter_map(|at| point(meshlet, at))));
        }
        Ok(points)
    }

    /// Appends a vertex of `stream` to the buffers of transform feedback that have room for it.
    fn capture(&mut self, vertex: &Vertex, captures: &[Captured], stream: u32) {
        let Some(count) = self.captured.get_mut(stream as usize) else { return };
        for capture in captures.iter().filter(|capture| capture.stream == stream) {
            let Some(buffer) = self.drawn.captures.get_mut(capture.buffer) else { continue };
            let start = *count * capture.stride;
            if start + capture.stride > buffer.len() {
                continue;
            }
            if let Some(bytes) = buffer.get_mut(start + capture.offset..start + capture.offset + 4) {
                bytes.copy_from_slice(&(capture.word(vertex).value as u32).to_le_bytes());
            }
        }
        *count += 1;
    }

    /// Runs the fragment shader for the point at `vertex`, unless it is clipped.
    fn fragment(&mut self, number: u32, vertex: &Vertex) {
        let position = vertex.get(&Slot::new(varying::POS)).copied().unwrap_or_default();
        let [x, y, z, w] = position.map(|word| f32::from_bits(word.value as u32));
        let inside = x.abs() < w && y.abs() < w && (0.0..=w).contains(&z);
        if !inside || has_negative_distance(vertex) {
            return;
        }
        let pixel = [(x, self.draw.size[0]), (y, self.draw.size[1])]
            .map(|(c, size)| ((c / w + 1.0) / 2.0 * size as f32) as u32);
        let middle = pixel.map(|c| c as f32 + 0.5);
        let mut system = numbers(&[
            (Intrinsic::load_front_face, 1),
            (Intrinsic::load_primitive_id, number),
            (Intrinsic::load_sample_id, 0),
            (Intrinsic::load_sample_mask_in, 1),
        ]);
        let coordinates = [middle[0], middle[1], z / w, 1.0 / w];
        system.insert(Intrinsic::load_frag_coord, coordinates.map(|c| u64::from(c.to_bits())).to_vec());
        system.insert(Intrinsic::load_point_coord, vec![0.5f32.to_bits().into(); 2]);
        let mut invocation = given(vertex, system);
        invocation.framebuffer = self.pixels.get(&pixel).cloned().unwrap_or_else(|| self.cleared());
        let outcome = self.run(Stage::Fragment, vec![invocation]);
        if outcome.discarded == [false] {
            for outputs in outcome.outputs {
                self.write_pixel(pixel, &outputs);
                self.drawn.fragments.push((pixel, outputs));
            }
        }
    }

    /// The texels of a pixel before the draw.
    fn cleared(&self) -> Vec<[Bits; 4]> {
        let texel = |target: &Target| {
            let value = target.clear.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
            target.format.decode(Texel { value, undef: 0 }, self.draw.floats)
        };
        self.draw.targets.iter().map(texel).collect()
    }

    /// Writes the colours of a fragment to the targets.
    fn write_pixel(&mut self, pixel: [u32; 2], outputs: &Outputs) {
        let mut texels = self.pixels.remove(&pixel).unwrap_or_else(|| self.cleared());
        for ((number, target), texel) in (0..).zip(self.draw.targets).zip(&mut texels) {
            if let Some(words) = outputs.get(&Slot::new(frag_result::DATA0 + number)) {
                *texel = target.format.decode(target.format.encode(words, self.draw.floats), self.draw.floats);
            }
        }
        self.pixels.insert(pixel, texels);
    }
}

/// The vertex of a point of a mesh shader with the values of the point, unless it is culled.
fn point(meshlet: &Meshlet, number: u32) -> Option<Vertex> {
    let mut own = meshlet.primitive(number);
    let mut word = |slot| own.remove(&Slot::new(slot)).map_or(0, |words| words[0].value);
    let (is_culled, vertex) = (word(varying::CULL_PRIMITIVE) != 0, word(varying::PRIMITIVE_INDICES));
    let mut all = meshlet.vertex(vertex as u32);
    all.append(&mut own);
    (!is_culled).then_some(all)
}

/// Whether a clip or cull distance of a point is negative, so that it is not drawn (Vulkan, "Primitive Clipping").
fn has_negative_distance(vertex: &Vertex) -> bool {
    let distances =
        (varying::CLIP_DIST0..=varying::CULL_DIST1).filter_map(|slot| vertex.get(&Slot::new(slot))).flatten();
    distances.filter(|word| word.is_defined()).any(|word| f32::from_bits(word.value as u32) < 0.0)
}

/// The Locations and slots of the attributes that a vertex shader reads.
fn attribute_slots(shader: &Shader) -> Vec<(u32, u32)> {
    let mut slots: Vec<(u32, u32)> = Vec::new();
    for variable in shader.vars.values().filter(|variable| variable.mode == Modes::SHADER_IN) {
        let first = variable.location.unwrap_or(vert_attrib::GENERIC0);
        slots.extend((0..shader.types.slots(variable.ty).min(32)).map(|n| (variable.driver_location + n, first + n)));
    }
    for inst in &shader.order {
        if let InstKind::Intrinsic { op: Intrinsic::load_input, .. } = shader.insts[*inst].kind {
            let io = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
            let base = shader.index(*inst, Index::base);
            slots.extend((0..io.num_slots.min(32)).map(|n| (base.saturating_add(n), io.location + n)));
        }
    }
    slots
}

/// System values that have one component.
fn numbers(values: &[(Intrinsic, u32)]) -> BTreeMap<Intrinsic, Vec<u64>> {
    values.iter().map(|(op, value)| (*op, vec![u64::from(*value)])).collect()
}

/// An invocation whose inputs are the outputs of another stage.
fn given(vertex: &Vertex, system: BTreeMap<Intrinsic, Vec<u64>>) -> Invocation {
    let words = |part: fn(Bits) -> u64| {
        vertex.iter().map(|(slot, words)| (*slot, words.map(|word| part(word) as u32))).collect()
    };
    Invocation { slots: words(|word| word.value), undef: words(|word| word.undef), system, ..Default::default() }
}

/// The outputs of several vertices as per-vertex inputs.
fn arrayed(vertices: &[Vertex]) -> Vertex {
    let each = vertices.iter().enumerate();
    let slots = each.flat_map(|(number, vertex)| {
        vertex.iter().map(move |(slot, words)| (Slot { vertex: number as u32, ..*slot }, *words))
    });
    slots.collect()
}

/// Whether all tessellation levels that were written are 1.
fn levels_are_one(slots: &Vertex) -> bool {
    let level = |slot, count: usize| match slots.get(&Slot::new(slot)) {
        Some(words) => words[..count].iter().all(|word| *word == Bits::new(1f32.to_bits().into())),
        None => false,
    };
    level(varying::TESS_LEVEL_OUTER, 3)
}

/// The points of a patch with levels of 1, by `primitive_mode`: 1 for triangles, 2 for quads.
fn corners(primitive_mode: u32) -> Option<&'static [[f32; 3]]> {
    match primitive_mode {
        1 => Some(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        2 => Some(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]),
        _ => None,
    }
}
