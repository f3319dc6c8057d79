// SPDX-License-Identifier: MIT

//! Compares the back ends of transform feedback with a model on the CPU: all give the same bytes for every draw.

use crate::gpu::{floats, from_bytes, read, ssbo, words, Gpu};
use crate::stages::{fragment, pulled, shader};
use crate::support;
use ntv::capture::{self, fitting, BackEnd, CaptureState, ProvokingVertex, Topology};
use ntv::capture::{BUFFER_BINDING, LIST_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::{EmitOptions, Options, Target, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Resource, Resources};

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// The words of each vertex in the two buffers.
const STRIDES: [usize; 2] = [4, 3];

/// The contents of a buffer where nothing was written.
const NOTHING: u32 = 0xdead_beef;

/// `VAR0` is the sum, and `VAR1` the product, of an attribute of the vertex, which is also the position, and one of the instance.
const VERTEX: &str = "\
    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32x4 %2 = @load_input (%0) (base=1, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC1 slots=1)
    32x4 %3 = fadd %1, %2
    32x4 %4 = fmul %1, %2
    32 %5 = load_const (0x3f800000)
    @store_output (%5, %0) (base=3, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PSIZ slots=1)
    @store_output (%3, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    @store_output (%4, %0) (base=2, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR1 slots=1)
    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
";

const CAPTURES: &str = "\
// ntv: xfb=VAR0.xyz:0+0/16
// ntv: xfb=VAR1.y:0+12/16
// ntv: xfb=POS.w:1+0/12
// ntv: xfb=POS.x:1+4/12
// ntv: xfb=VAR1.x:1+8/12
";

/// The attribute of a vertex, or of an instance: small numbers, so that sums and products are exact.
fn of_vertex(number: u32) -> [f32; 4] {
    [1., 2., 3., 4.].map(|lane| lane + 8. * number as f32)
}

fn of_instance(number: u32) -> [f32; 4] {
    [5., 7., 11., 13.].map(|lane| lane * (1 + number) as f32)
}

/// The words of a vertex in each buffer.
fn captured(vertex: u32, instance: u32) -> [Vec<f32>; 2] {
    let (p, v) = (of_vertex(vertex), of_instance(instance));
    [vec![p[0] + v[0], p[1] + v[1], p[2] + v[2], p[1] * v[1]], vec![p[3], p[0], p[0] * v[0]]]
}

#[derive(Clone, Copy, Debug)]
struct Case {
    topology: Topology,
    provoking: ProvokingVertex,
    vertices: u32,
    instances: u32,
    /// First vertex and first instance.
    first: [u32; 2],
    /// The size of each buffer in bytes, from the start of transform feedback.
    sizes: [usize; 2],
    /// The number of words before that.
    skipped: [u32; 2],
    /// The number of primitives that were captured before.
    before: u32,
    is_active: bool,
}

impl Case {
    fn state(&self) -> CaptureState {
        let buffers = STRIDES.iter().zip(self.sizes).map(|(words, bytes)| (4 * *words as u32, bytes as u64));
        CaptureState {
            is_active: self.is_active,
            topology: self.topology,
            provoking: self.provoking,
            first_vertex: self.first[0],
            vertices: self.vertices,
            first_instance: self.first[1],
            instances: self.instances,
            primitives_before: self.before,
            primitives_most: fitting(self.topology, buffers),
            first_words: [self.skipped[0], self.skipped[1], 0, 0],
            ..CaptureState::INACTIVE
        }
    }

    /// The contents of the buffers before the draw.
    fn buffers(&self) -> [Vec<u32>; 2] {
        [0, 1].map(|buffer| vec![NOTHING; self.skipped[buffer] as usize + self.sizes[buffer] / 4])
    }

    /// The contents after it, by the rules of GL.
    fn model(&self) -> [Vec<u32>; 2] {
        let mut buffers = self.buffers();
        if !self.is_active {
            return buffers;
        }
        let corners = self.topology.vertices_per_primitive() as usize;
        let mut number = self.before as usize;
        for instance in 0..self.instances {
            for primitive in 0..self.topology.primitives(self.vertices) {
                let vertices = self.topology.vertices(primitive, self.vertices, self.provoking);
                let ends = STRIDES.map(|stride| 4 * stride * corners * (number + 1));
                if ends[0] <= self.sizes[0] && ends[1] <= self.sizes[1] {
                    for (corner, vertex) in vertices[..corners].iter().enumerate() {
                        let words = captured(vertex + self.first[0], instance + self.first[1]);
                        for buffer in [0, 1] {
                            let at = self.skipped[buffer] as usize + STRIDES[buffer] * (number * corners + corner);
                            let words = words[buffer].iter().map(|word| word.to_bits());
                            buffers[buffer][at..at + STRIDES[buffer]].copy_from_slice(&words.collect::<Vec<_>>());
                        }
                    }
                }
                number += 1;
            }
        }
        buffers
    }

    /// The topology of the Vulkan draw: Vulkan has no line loops.
    fn drawn_as(&self) -> vk::PrimitiveTopology {
        match self.topology {
            Topology::Points => vk::PrimitiveTopology::POINT_LIST,
            Topology::Lines => vk::PrimitiveTopology::LINE_LIST,
            Topology::LineLoop | Topology::LineStrip => vk::PrimitiveTopology::LINE_STRIP,
            Topology::Triangles => vk::PrimitiveTopology::TRIANGLE_LIST,
            Topology::TriangleStrip => vk::PrimitiveTopology::TRIANGLE_STRIP,
            Topology::TriangleFan => vk::PrimitiveTopology::TRIANGLE_FAN,
        }
    }
}

/// Every topology with few and with more vertices, both orders, instances, other first vertices and instances, buffers that are
/// too small by one byte or by much, offsets in buffers, and earlier primitives.
fn cases() -> Vec<Case> {
    let plain = Case {
        topology: Topology::Points,
        provoking: ProvokingVertex::Last,
        vertices: 7,
        instances: 1,
        first: [0; 2],
        sizes: [4096; 2],
        skipped: [0; 2],
        before: 0,
        is_active: true,
    };
    let mut cases = Vec::new();
    for topology in Topology::ALL {
        for provoking in [ProvokingVertex::Last, ProvokingVertex::First] {
            let plain = Case { topology, provoking, ..plain };
            cases.extend((0..8).map(|vertices| Case { vertices, ..plain }));
            cases.push(Case { instances: 3, ..plain });
            cases.push(Case { instances: 3, first: [5, 2], ..plain });
            let primitive = 16 * topology.vertices_per_primitive() as usize;
            cases.push(Case { instances: 2, sizes: [primitive * 3 - 4, 4096], ..plain });
            cases.push(Case { instances: 2, sizes: [4096, primitive * 3 / 16 * 12 - 4], ..plain });
            cases.push(Case { sizes: [4; 2], ..plain });
        }
    }
    cases
}

/// Cases only for shaders that write captures themselves: the extension starts at the beginning of its buffers.
fn resumed() -> Vec<Case> {
    let mut all = Vec::new();
    for case in cases().into_iter().filter(|case| case.vertices == 7) {
        all.push(Case { skipped: [3, 1], before: 2, ..case });
        all.push(Case { is_active: false, ..case });
    }
    all
}

/// The attributes, for a compute shader.
fn attributes() -> Vec<capture::Attribute> {
    vec![pulled(0, None), pulled(1, Some(1))]
}

/// The modules of a pipeline with the back end `captures`.
fn modules(target: &Target, captures: BackEnd, is_captured: bool) -> Vec<Vec<u32>> {
    // Vertex fetch reads the attributes of a draw.
    let attributes = if captures == BackEnd::Compute { attributes() } else { Vec::new() };
    let options = Options::default().target(target.clone()).captures(captures).attributes(attributes);
    let mut translator = Translator::new(options);
    let header = if is_captured { CAPTURES } else { "" };
    let stages = [shader("VERTEX", header, VERTEX), fragment()];
    let words = |mut shader| translator.translate(&mut shader, &EmitOptions::default()).expect("a module").words;
    stages.into_iter().map(words).collect()
}

/// The vertex buffers of the attributes.
fn vertex_buffers(case: &Case) -> [Vec<u8>; 2] {
    let places: Vec<f32> = (0..case.first[0] + case.vertices.max(1)).flat_map(of_vertex).collect();
    let values: Vec<f32> = (0..case.first[1] + case.instances).flat_map(of_instance).collect();
    [floats(&places), floats(&values)]
}

/// Draws `case`. Returns the picture and the captures of the extension.
fn draw(
    gpu: &Gpu,
    case: &Case,
    modules: &[Vec<u32>],
    captures: &[usize],
    resources: &mut Resources,
) -> [Vec<Vec<u8>>; 2] {
    let [places, values] = vertex_buffers(case);
    let attribute = |location, bytes, per_instance| Attribute { location, format: FORMAT, bytes, per_instance };
    let all: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let draw = Draw {
        modules: &all,
        topology: case.drawn_as(),
        vertices: case.vertices,
        instances: case.instances,
        first: case.first,
        attributes: &[attribute(0, &places, false), attribute(1, &values, true)],
        size: [8, 8],
        attachments: &[Attachment { format: FORMAT, clear: floats(&[0.; 4]) }],
        captures,
        ..Draw::default()
    };
    let drawn = gpu.draw(&draw, resources);
    [drawn.attachments, drawn.captures]
}

/// The captures that a shader wrote to the buffers, and the picture.
fn stored(gpu: &Gpu, case: &Case, modules: &[Vec<u32>]) -> ([Vec<u32>; 2], Vec<Vec<u8>>) {
    let mut resources = Resources::new();
    resources.insert(ssbo(STATE_BINDING), words(&case.state().words()));
    for (binding, buffer) in (BUFFER_BINDING..).zip(case.buffers()) {
        resources.insert(ssbo(binding), words(&buffer));
    }
    let [picture, _] = draw(gpu, case, modules, &[], &mut resources);
    ([0, 1].map(|buffer| read(&resources, ssbo(BUFFER_BINDING + buffer))), picture)
}

/// The captures of a compute shader.
fn dispatched(gpu: &Gpu, case: &Case, module: &[u32]) -> [Vec<u32>; 2] {
    let mut resources = Resources::new();
    resources.insert(ssbo(STATE_BINDING), words(&case.state().dispatch_words(&[0; 2])));
    for (binding, buffer) in (BUFFER_BINDING..).zip(case.buffers()) {
        resources.insert(ssbo(binding), words(&buffer));
    }
    resources.insert(ssbo(LIST_BINDING), words(&[0]));
    for (binding, bytes) in (VERTEX_BUFFER_BINDING..).zip(vertex_buffers(case)) {
        resources.insert(ssbo(binding), Resource::Buffer(bytes));
    }
    // One instance too many, which must have no effect.
    gpu.dispatch(module, [case.vertices.div_ceil(64), case.instances + 1, 1], &mut resources);
    [0, 1].map(|buffer| read(&resources, ssbo(BUFFER_BINDING + buffer)))
}

#[test]
fn compute_shader_captures_agree_with_the_model() {
    let gpu = Gpu::open();
    let module = modules(gpu.target(), BackEnd::Compute, true).swap_remove(0);
    // More vertices than a workgroup has invocations.
    let many = |case: &Case| Case { vertices: 150, instances: 2, ..*case };
    let large: Vec<Case> = cases().iter().filter(|case| case.vertices == 7).map(many).collect();
    for case in cases().into_iter().chain(resumed()).chain(large) {
        assert_eq!(dispatched(&gpu, &case, &module), case.model(), "{case:?}");
    }
}

#[test]
fn captures_agree_with_the_model_and_draws_do_not_change() {
    let cases: Vec<Case> = cases().into_iter().chain(resumed()).collect();
    assert!(cases.len() > 250, "{} cases", cases.len());
    let chunks: Vec<Vec<Case>> = cases.chunks(cases.len().div_ceil(2)).map(<[Case]>::to_vec).collect();
    let wrong = support::in_parallel(chunks, |cases| {
        let gpu = Gpu::open();
        let storing = modules(gpu.target(), BackEnd::Storage, true);
        let plain = modules(gpu.target(), BackEnd::Storage, false);
        let mut wrong = Vec::new();
        for case in cases {
            let (found, picture) = stored(&gpu, &case, &storing);
            if found != case.model() {
                wrong.push(format!("{case:?}: {found:x?}, not {:x?}", case.model()));
            }
            let [expected, _] = draw(&gpu, &case, &plain, &[], &mut Resources::new());
            if picture != expected {
                wrong.push(format!("{case:?}: another picture"));
            }
        }
        wrong
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} of all:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}

#[test]
fn captures_of_the_extension_agree_with_the_model() {
    let gpu = Gpu::open();
    let captured = modules(gpu.target(), BackEnd::Extension, true);
    // Vulkan's order, and its topologies.
    let known = |case: &Case| case.provoking == ProvokingVertex::First && case.topology != Topology::LineLoop;
    for case in cases().into_iter().filter(known) {
        let [_, buffers] = draw(&gpu, &case, &captured, &case.sizes, &mut Resources::new());
        let found = buffers.iter().map(|bytes| from_bytes(bytes));
        // The driver's buffers start as zeros.
        let zeroed = |words: Vec<u32>| words.into_iter().map(|word| if word == NOTHING { 0 } else { word }).collect();
        let model: [Vec<u32>; 2] = case.model().map(zeroed);
        assert_eq!(found.collect::<Vec<Vec<u32>>>(), model, "{case:?}");
    }
}
