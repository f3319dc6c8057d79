// SPDX-License-Identifier: MIT

//! A program for every back end of transform feedback, and draws of it in every topology.

use crate::gpu::{floats, from_bytes, read, ssbo, words, Gpu};
use crate::stages::{fragment, pulled, shader};
use ntv::capture::{BackEnd, CaptureState, ProvokingVertex, Topology};
use ntv::capture::{BUFFER_BINDING, LIST_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::{EmitOptions, Key, Module, Options, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Counts, Draw, Part, Queries, Resource, Resources};

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// All back ends.
pub(crate) const BACK_ENDS: [BackEnd; 3] = [BackEnd::Extension, BackEnd::Storage, BackEnd::Compute];

/// The contents of a captured buffer where nothing was written: no vertex has this value.
pub(crate) const NOTHING: u32 = 0xdead_beef;

/// The value of a pixel where nothing was drawn: no vertex has it.
pub(crate) const CLEAR: f32 = 0.75;

const SIZE: [u32; 2] = [8, 8];

/// `VAR0` and the position are an attribute.
const VERTEX: &str = "\
    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32 %2 = load_const (POINT_SIZE)
    @store_output (%2, %0) (base=2, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PSIZ slots=1)
    @store_output (%1, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
";

/// Five words of a vertex: the y of `VAR0`, and the position.
const CAPTURES: &str = "// ntv: xfb=VAR0.y:0+0/20\n// ntv: xfb=POS.xyzw:0+4/20\n";

/// The number of words of a vertex in the captured buffer.
pub(crate) const WORDS: usize = 5;

/// The position of a vertex: distributed over the picture. No number is 0.
fn place(vertex: u32) -> [f32; 4] {
    let angle = 0.5 + 2.4 * vertex as f32;
    [0.9 * angle.cos(), 0.9 * angle.sin(), 0.5, 1.]
}

/// A draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) topology: Topology,
    pub(crate) vertices: u32,
    pub(crate) instances: u32,
    /// The number of primitives that fit into the buffer.
    pub(crate) most: u32,
    pub(crate) is_active: bool,
    /// The end of the primitives.
    pub(crate) end: End,
    /// The parameters of the draw are in a buffer on the device.
    pub(crate) is_indirect: bool,
}

/// The way in which primitives end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Drawn,
    /// Triangles are culled, both sides.
    Culled,
    /// GL's viewport has no size.
    NoArea,
    /// Discarded by the pipeline.
    Discarded,
}

impl Case {
    pub(crate) fn new(topology: Topology) -> Case {
        Case { topology, vertices: 7, instances: 1, most: 50, is_active: true, end: End::Drawn, is_indirect: false }
    }

    pub(crate) fn state(&self) -> CaptureState {
        CaptureState {
            is_active: self.is_active,
            topology: self.topology,
            provoking: ProvokingVertex::First,
            vertices: self.vertices,
            instances: self.instances,
            primitives_most: self.most,
            ..CaptureState::INACTIVE
        }
    }

    /// The number of words of the captured buffer.
    fn room(&self) -> usize {
        WORDS * (self.most * self.topology.vertices_per_primitive()) as usize
    }

    /// The expected captures.
    pub(crate) fn model(&self) -> Vec<u32> {
        let (_, captured) = self.state().primitives();
        let corners = self.topology.vertices_per_primitive() as usize;
        let of_instance = self.topology.primitives(self.vertices);
        let mut all = Vec::new();
        for primitive in 0..captured {
            let vertices = self.topology.vertices(primitive % of_instance, self.vertices, ProvokingVertex::First);
            for vertex in &vertices[..corners] {
                let place = place(*vertex).map(f32::to_bits);
                all.extend([place[1]].into_iter().chain(place));
            }
        }
        all.resize(self.room(), NOTHING);
        all
    }

    /// The number of vertices of the Vulkan draw. Vulkan has no line loops: the first vertex is repeated, and the number of
    /// primitives is the same.
    pub(crate) fn drawn_vertices(&self) -> u32 {
        self.vertices + u32::from(self.topology == Topology::LineLoop && self.vertices > 1)
    }

    fn vertex_buffer(&self) -> Vec<u8> {
        let places = (0..self.drawn_vertices().max(1)).map(|vertex| place(vertex % self.vertices.max(1)));
        floats(&places.flatten().collect::<Vec<f32>>())
    }
}

/// The modules of the program for one back end: with a compute shader before the draw if the back end has one.
pub(crate) struct Scene {
    back_end: BackEnd,
    stages: Vec<Module>,
    compute: Option<Module>,
}

/// The results of a draw.
pub(crate) struct Seen {
    pub(crate) captured: Vec<u32>,
    pub(crate) counts: Counts,
    pub(crate) pixels: Vec<f32>,
}

impl Scene {
    /// The program with captures.
    pub(crate) fn new(gpu: &Gpu, back_end: BackEnd) -> Scene {
        Scene::with(gpu, back_end, true, 1.)
    }

    /// The program with captures and points of this size.
    pub(crate) fn with_point_size(gpu: &Gpu, back_end: BackEnd, size: f32) -> Scene {
        Scene::with(gpu, back_end, true, size)
    }

    /// The program without captures.
    pub(crate) fn without_captures(gpu: &Gpu) -> Scene {
        Scene::with(gpu, BackEnd::Extension, false, 1.)
    }

    fn with(gpu: &Gpu, back_end: BackEnd, is_captured: bool, point_size: f32) -> Scene {
        let body = VERTEX.replace("POINT_SIZE", &format!("{:#010x}", point_size.to_bits()));
        let attribute = pulled(0, None);
        // With storage buffers, vertex fetch reads them.
        let attributes = if back_end == BackEnd::Compute { vec![attribute] } else { Vec::new() };
        let options = Options::default().target(gpu.target().clone()).captures(back_end).attributes(attributes);
        let mut translator = Translator::new(options);
        let all = EmitOptions::default().offer(u64::MAX);
        let mut module = |mut shader| translator.translate(&mut shader, &all).expect("a module");
        let captures = if is_captured { CAPTURES } else { "" };
        let by_draw = if back_end == BackEnd::Compute { "" } else { captures };
        let stages = vec![module(shader("VERTEX", by_draw, &body)), module(fragment())];
        let compute = (back_end == BackEnd::Compute).then(|| module(shader("VERTEX", captures, &body)));
        Scene { back_end, stages, compute }
    }

    /// Draws `case` with the words for `key`.
    pub(crate) fn draw(&self, gpu: &Gpu, case: &Case, key: &Key) -> Seen {
        let (mut resources, vertices) = (Resources::new(), case.vertex_buffer());
        let state = case.state().dispatch_words(&[0]);
        resources.insert(ssbo(STATE_BINDING), words(&state));
        resources.insert(ssbo(BUFFER_BINDING), words(&vec![NOTHING; case.room().max(1)]));
        resources.insert(ssbo(LIST_BINDING), words(&[0]));
        resources.insert(ssbo(VERTEX_BUFFER_BINDING), Resource::Buffer(vertices.clone()));
        if let Some(compute) = &self.compute {
            let mut words = Vec::new();
            compute.instantiate(key, &mut words).expect("a key that it takes");
            gpu.dispatch(&words, [case.vertices.div_ceil(64), case.instances, 1], &mut resources);
        }
        let mut stages = vec![Vec::new(); self.stages.len()];
        for (module, words) in self.stages.iter().zip(&mut stages) {
            module.instantiate(key, words).expect("a key that it takes");
        }
        let stages: Vec<&[u32]> = stages.iter().map(Vec::as_slice).collect();
        let captures = [4 * case.room().max(1)];
        let by_device = self.back_end == BackEnd::Extension && case.is_active && key.bits & Key::NO_CAPTURE == 0;
        let numbers = [case.drawn_vertices(), case.instances, 0, 0];
        let command: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let command = Part { len: command.len(), bytes: command.into(), offset: 0 };
        let draw = Draw {
            modules: &stages,
            topology: drawn_as(case.topology),
            vertices: numbers[0],
            instances: numbers[1],
            indirect: case.is_indirect.then_some(command),
            attributes: &[Attribute { location: 0, format: FORMAT, bytes: &vertices, per_instance: false }],
            size: SIZE,
            attachments: &[Attachment { format: FORMAT, clear: floats(&[CLEAR; 4]) }],
            captures: if by_device { &captures } else { &[] },
            discard: case.end == End::Discarded,
            cull_mode: match case.end {
                End::Culled => vk::CullModeFlags::FRONT_AND_BACK,
                _ => vk::CullModeFlags::NONE,
            },
            scissor: (case.end == End::NoArea).then_some([0; 2]),
            queries: Queries::ALL,
            ..Draw::default()
        };
        let drawn = gpu.draw(&draw, &mut resources);
        let mut captured = read(&resources, ssbo(BUFFER_BINDING));
        if let Some(bytes) = drawn.captures.first() {
            // The driver's buffers start as zeros, which no vertex has.
            captured = from_bytes(bytes);
            captured.iter_mut().filter(|word| **word == 0).for_each(|word| *word = NOTHING);
        }
        captured.truncate(case.room());
        let pixels = from_bytes(&drawn.attachments[0]).into_iter().map(f32::from_bits).collect();
        Seen { captured, counts: drawn.counts, pixels }
    }
}

/// The topology of the Vulkan draw.
pub(crate) fn drawn_as(topology: Topology) -> vk::PrimitiveTopology {
    match topology {
        Topology::Points => vk::PrimitiveTopology::POINT_LIST,
        Topology::Lines => vk::PrimitiveTopology::LINE_LIST,
        Topology::LineLoop | Topology::LineStrip => vk::PrimitiveTopology::LINE_STRIP,
        Topology::Triangles => vk::PrimitiveTopology::TRIANGLE_LIST,
        Topology::TriangleStrip => vk::PrimitiveTopology::TRIANGLE_STRIP,
        Topology::TriangleFan => vk::PrimitiveTopology::TRIANGLE_FAN,
    }
}
