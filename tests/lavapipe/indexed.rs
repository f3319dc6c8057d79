// SPDX-License-Identifier: MIT

//! Draws with indices: the other back ends draw over the list of their vertices, with the same captures as the extension, and the
//! same picture.

use crate::gpu::{floats, from_bytes, read, ssbo, words, Gpu};
use crate::stages::{fragment, pulled, shader};
use crate::support;
use ntv::capture::{self, emission_list, fitting, BackEnd, CaptureState, DrawList};
use ntv::capture::{ProvokingVertex, Topology, BUFFER_BINDING, LIST_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::{EmitOptions, Options, Target, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Indices, Resource, Resources};

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// The words of each vertex in the two buffers.
const STRIDES: [usize; 2] = [3, 6];

/// The contents of a buffer where nothing was written, and the words before and after the range of transform feedback.
const NOTHING: u32 = 0xdead_beef;
const MARGIN: usize = 3;

/// The number of words before the list.
const LIST_FIRST: usize = 5;

/// `VAR0` is the sum of an attribute of the vertex, which is also the position, and one of the instance. `VAR1` has GL's numbers
/// of the vertex.
const VERTEX: &str = "\
    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32x4 %2 = @load_input (%0) (base=1, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC1 slots=1)
    32x4 %3 = fadd %1, %2
    32 %4 = load_const (0x3f800000)
    32 %5 = @load_vertex_id
    32 %6 = @load_instance_id
    32 %7 = @load_base_vertex
    32 %8 = @load_vertex_id_zero_base
    32x4 %9 = vec4 %5, %6, %7, %8
    32 %10 = @load_is_indexed_draw
    32 %11 = @load_base_instance
    32x2 %12 = vec2 %10, %11
    @store_output (%4, %0) (base=3, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PSIZ slots=1)
    @store_output (%3, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    @store_output (%9, %0) (base=2, range=1, wrmask=xyzw, component=0, src_type=uint32, io location=VARYING_SLOT_VAR1 slots=1)
    @store_output (%12, %0) (base=4, range=1, wrmask=xy, component=0, src_type=uint32, io location=VARYING_SLOT_VAR2 slots=1)
    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
";

const CAPTURES: &str = "\
// ntv: xfb=VAR0.xyz:0+0/12
// ntv: xfb=VAR1.xyzw:1+0/24
// ntv: xfb=VAR2.xy:1+16/24
";

/// The number of vertices.
const VERTICES: u32 = 24;

/// The position of a vertex, and the addend of an instance: sums are exact.
fn of_vertex(number: u32) -> [f32; 4] {
    let eighth = |number: u32| (number % 8) as f32 * 0.25 - 0.875;
    [eighth(5 * number), eighth(3 * number + number / 8), 0.5, 1.]
}

fn of_instance(number: u32) -> [f32; 4] {
    [5., 7., 11., 13.].map(|lane| lane * (1 + number) as f32)
}

#[derive(Clone, Debug)]
struct Case {
    topology: Topology,
    provoking: ProvokingVertex,
    /// All indices of the buffer; the first ones are not drawn.
    indices: Vec<u32>,
    first_index: u32,
    index_bytes: usize,
    restart: bool,
    base_vertex: i32,
    instances: u32,
    first_instance: u32,
    /// The number of primitives that fit.
    room: usize,
    /// Transform feedback is not paused.
    is_active: bool,
}

impl Case {
    fn restart_index(&self) -> Option<u32> {
        self.restart.then(|| u32::MAX >> (32 - 8 * self.index_bytes))
    }

    fn drawn(&self) -> &[u32] {
        &self.indices[self.first_index as usize..]
    }

    /// The list of the draw, with the base vertex.
    fn list(&self) -> Vec<u32> {
        let list = emission_list(self.topology, self.provoking, self.drawn(), self.restart_index());
        list.into_iter().map(|index| index.wrapping_add_signed(self.base_vertex)).collect()
    }

    fn corners(&self) -> usize {
        self.topology.vertices_per_primitive() as usize
    }

    /// The size of each buffer in bytes: the second one has one byte too few for another primitive.
    fn sizes(&self) -> [usize; 2] {
        let [first, second] = STRIDES.map(|words| 4 * words * self.corners());
        [first * self.room, second * (self.room + 1) - 4]
    }

    fn state(&self) -> CaptureState {
        let buffers = STRIDES.iter().zip(self.sizes()).map(|(words, bytes)| (4 * *words as u32, bytes as u64));
        CaptureState {
            is_active: self.is_active,
            topology: self.topology.list(),
            provoking: self.provoking,
            list: Some(DrawList { first_word: LIST_FIRST as u32, base_vertex: self.base_vertex as u32 }),
            vertices: self.list().len() as u32,
            first_instance: self.first_instance,
            instances: self.instances,
            primitives_most: fitting(self.topology, buffers),
            first_words: [MARGIN as u32; 4],
            ..CaptureState::INACTIVE
        }
    }

    /// The expected captures, from the first byte of transform feedback on.
    fn model(&self) -> [Vec<u32>; 2] {
        let mut buffers = self.sizes().map(|bytes| vec![NOTHING; bytes / 4]);
        let list = if self.is_active { self.list() } else { Vec::new() };
        let vertices = (0..self.instances).flat_map(|instance| list.iter().map(move |vertex| (instance, *vertex)));
        for (place, (instance, vertex)) in vertices.take(self.room * self.corners()).enumerate() {
            let (p, v) = (of_vertex(vertex), of_instance(instance + self.first_instance));
            let sum = [0, 1, 2].map(|c| (p[c] + v[c]).to_bits());
            let base = self.base_vertex as u32;
            let told = [vertex, instance, base, vertex.wrapping_sub(base), u32::MAX, self.first_instance];
            buffers[0][STRIDES[0] * place..][..STRIDES[0]].copy_from_slice(&sum);
            buffers[1][STRIDES[1] * place..][..STRIDES[1]].copy_from_slice(&told);
        }
        buffers
    }

    /// The topology of the draw with indices, if Vulkan has it.
    fn indexed_as(&self) -> Option<vk::PrimitiveTopology> {
        Some(match self.topology {
            Topology::LineLoop => return None,
            Topology::LineStrip => vk::PrimitiveTopology::LINE_STRIP,
            Topology::TriangleStrip => vk::PrimitiveTopology::TRIANGLE_STRIP,
            Topology::TriangleFan => vk::PrimitiveTopology::TRIANGLE_FAN,
            Topology::Points | Topology::Lines | Topology::Triangles => self.listed_as(),
        })
    }

    fn listed_as(&self) -> vk::PrimitiveTopology {
        match self.corners() {
            1 => vk::PrimitiveTopology::POINT_LIST,
            2 => vk::PrimitiveTopology::LINE_LIST,
            _ => vk::PrimitiveTopology::TRIANGLE_LIST,
        }
    }

    /// The attributes of all vertices and instances.
    fn vertex_buffers(&self) -> [Vec<u8>; 2] {
        let places: Vec<f32> = (0..VERTICES).flat_map(of_vertex).collect();
        let values: Vec<f32> = (0..self.first_instance + self.instances).flat_map(of_instance).collect();
        [floats(&places), floats(&values)]
    }
}

/// Every topology in both orders, with indices of all widths, with and without restarts, instances, base vertices, small buffers.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for topology in Topology::ALL {
        for provoking in [ProvokingVertex::Last, ProvokingVertex::First] {
            for index_bytes in [1, 2, 4] {
                let cut = u32::MAX >> (32 - 8 * index_bytes);
                let plain = Case {
                    topology,
                    provoking,
                    indices: vec![9, 4, 7, 6, 4, 8, 3, 9, 2, 10],
                    first_index: 0,
                    index_bytes,
                    restart: false,
                    base_vertex: 0,
                    instances: 1,
                    first_instance: 0,
                    room: 60,
                    is_active: true,
                };
                let runs = vec![
                    9, cut, 4, 5, 6, 7, 8, cut, cut, 9, 2, cut, 3, 7, 5, cut, 12, cut, 3, 4, 5, 6, 7, 9, 11, 8, cut,
                ];
                let cut = Case { indices: runs, restart: true, ..plain.clone() };
                cases.push(Case { base_vertex: -2, ..cut.clone() });
                cases.push(Case { first_index: 3, base_vertex: 7, instances: 2, first_instance: 3, ..cut.clone() });
                cases.push(Case { instances: 3, room: 7, ..cut.clone() });
                cases.push(Case { first_index: 1, base_vertex: 3, ..plain.clone() });
                cases.push(Case { instances: 2, first_instance: 1, room: 5, ..plain.clone() });
                cases.push(Case { restart: true, indices: vec![1], ..plain });
            }
        }
    }
    cases
}

/// The attributes of a shader that fetches them itself.
fn attributes() -> Vec<capture::Attribute> {
    vec![pulled(0, None), pulled(1, Some(1))]
}

fn modules(target: &Target, captures: BackEnd) -> Vec<Vec<u32>> {
    let attributes = if captures == BackEnd::Extension { Vec::new() } else { attributes() };
    let options = Options::default().target(target.clone()).captures(captures).attributes(attributes);
    let mut translator = Translator::new(options);
    let stages = [shader("VERTEX", CAPTURES, VERTEX), fragment()];
    let words = |mut shader| {
        let words = translator.translate(&mut shader, &EmitOptions::default()).expect("a module").words;
        support::spirv_val(&words, target).unwrap_or_else(|problem| panic!("{captures:?}: {problem}"));
        words
    };
    stages.into_iter().map(words).collect()
}

/// A picture and the buffers of transform feedback.
type Drawn = (Vec<Vec<u8>>, [Vec<u32>; 2]);

/// The results of the draw with indices, with the extension.
fn indexed(gpu: &Gpu, case: &Case, topology: vk::PrimitiveTopology, modules: &[Vec<u32>]) -> Drawn {
    let bytes = case.indices.iter().flat_map(|index| index.to_le_bytes()[..case.index_bytes].to_vec());
    let bytes: Vec<u8> = bytes.collect();
    let ty = match case.index_bytes {
        1 => vk::IndexType::UINT8_EXT,
        2 => vk::IndexType::UINT16,
        _ => vk::IndexType::UINT32,
    };
    let [places, values] = case.vertex_buffers();
    let attribute = |location, bytes, per_instance| Attribute { location, format: FORMAT, bytes, per_instance };
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let draw = Draw {
        modules: &modules,
        topology,
        provoking_last: case.provoking == ProvokingVertex::Last,
        vertices: case.drawn().len() as u32,
        instances: case.instances,
        first: [case.first_index, case.first_instance],
        indices: Some(Indices { ty, bytes: &bytes, restart: case.restart, base_vertex: case.base_vertex }),
        attributes: &[attribute(0, &places, false), attribute(1, &values, true)],
        // The draw has indices.
        push_constants: &1u32.to_le_bytes(),
        size: [8, 8],
        attachments: &[Attachment { format: FORMAT, clear: floats(&[0.; 4]) }],
        captures: &case.sizes(),
        ..Draw::default()
    };
    let drawn = gpu.draw(&draw, &mut Resources::new());
    (drawn.attachments, [0, 1].map(|buffer| from_bytes(&drawn.captures[buffer])))
}

/// The resources of a shader that writes captures itself.
fn resources(case: &Case) -> Resources {
    let mut resources = Resources::new();
    resources.insert(ssbo(STATE_BINDING), words(&case.state().dispatch_words(&[0; 2])));
    let list: Vec<u32> = std::iter::repeat(NOTHING).take(LIST_FIRST).chain(case.list()).collect();
    resources.insert(ssbo(LIST_BINDING), words(&list));
    for (binding, bytes) in (BUFFER_BINDING..).zip(case.sizes()) {
        resources.insert(ssbo(binding), words(&vec![NOTHING; bytes / 4 + 2 * MARGIN]));
    }
    for (binding, bytes) in (VERTEX_BUFFER_BINDING..).zip(case.vertex_buffers()) {
        resources.insert(ssbo(binding), Resource::Buffer(bytes));
    }
    resources
}

/// The contents of the buffers after such a shader.
fn captured(resources: &Resources) -> [Vec<u32>; 2] {
    [0, 1].map(|buffer| {
        let words = read(resources, ssbo(BUFFER_BINDING + buffer));
        let (before, rest) = words.split_at(MARGIN);
        let (own, after) = rest.split_at(rest.len() - MARGIN);
        assert_eq!([before, after], [[NOTHING; MARGIN]; 2], "words around buffer {buffer}");
        own.to_vec()
    })
}

/// The results of the draw over the list.
fn listed(gpu: &Gpu, case: &Case, modules: &[Vec<u32>]) -> Drawn {
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let draw = Draw {
        modules: &modules,
        topology: case.listed_as(),
        vertices: case.list().len() as u32,
        instances: case.instances,
        first: [0, case.first_instance],
        // The state of a draw with indices.
        push_constants: &0u32.to_le_bytes(),
        size: [8, 8],
        attachments: &[Attachment { format: FORMAT, clear: floats(&[0.; 4]) }],
        ..Draw::default()
    };
    let mut resources = resources(case);
    let drawn = gpu.draw(&draw, &mut resources);
    (drawn.attachments, captured(&resources))
}

/// The captures of a dispatch over the list.
fn dispatched(gpu: &Gpu, case: &Case, module: &[u32]) -> [Vec<u32>; 2] {
    let mut resources = resources(case);
    gpu.dispatch(module, [case.list().len().div_ceil(64) as u32, case.instances, 1], &mut resources);
    captured(&resources)
}

/// The errors of the draws of `cases`.
fn differences(cases: Vec<Case>) -> Vec<String> {
    let gpu = Gpu::open();
    let [extension, storage, compute] =
        [BackEnd::Extension, BackEnd::Storage, BackEnd::Compute].map(|captures| modules(gpu.target(), captures));
    let mut wrong = Vec::new();
    for case in cases {
        let model = case.model();
        // The buffers of the extension start as zeros.
        let zeroed = |words: &Vec<u32>| words.iter().map(|word| if *word == NOTHING { 0 } else { *word }).collect();
        let zeroed: [Vec<u32>; 2] = model.each_ref().map(zeroed);
        let (picture, own) = listed(&gpu, &case, &storage);
        let mut check = |name: &str, found: [Vec<u32>; 2], want: &[Vec<u32>; 2]| {
            if found != *want {
                wrong.push(format!("{name}, {case:?}: {found:x?}, not {want:x?}"));
            }
        };
        check("storage", own, &model);
        check("compute", dispatched(&gpu, &case, &compute[0]), &model);
        if let Some(topology) = case.indexed_as() {
            let (expected, own) = indexed(&gpu, &case, topology, &extension);
            check("extension", own, &zeroed);
            let paused = Case { is_active: false, ..case.clone() };
            let (picture_of_paused, own) = listed(&gpu, &paused, &storage);
            check("paused", own, &paused.model());
            if [picture, picture_of_paused].iter().any(|picture| *picture != expected) {
                wrong.push(format!("{case:?}: another picture"));
            }
        }
    }
    wrong
}

#[test]
fn draws_over_a_list_equal_indexed_draws() {
    let cases = cases();
    let chunks: Vec<Vec<Case>> = cases.chunks(cases.len().div_ceil(2)).map(<[Case]>::to_vec).collect();
    let wrong: Vec<String> = support::in_parallel(chunks, differences).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} of all:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}

/// A shader that uses no value that the list changes has no binding for it.
#[test]
fn only_shaders_that_read_the_list_have_a_binding_for_it() {
    let gpu = Gpu::open();
    let store = "    @store_output (%1, %0) (base=0, range=1, wrmask=x, component=0, src_type=uint32, io location=VARYING_SLOT_VAR0 slots=1)\n";
    let input =
        "@load_input (%0) (base=0, range=1, component=0, dest_type=uint32, io location=VERT_ATTRIB_GENERIC0 slots=1)";
    let rows = [
        ("@load_vertex_id", false, true),
        ("@load_vertex_id_zero_base", false, true),
        ("@load_base_vertex", false, false),
        ("@load_instance_id", true, false),
        (input, false, false),
        (input, true, true),
    ];
    for (value, pulls, expected) in rows {
        let body = format!("    32 %1 = {value}\n{store}");
        let mut shader = shader("VERTEX", "// ntv: xfb=VAR0.x:0+0/4\n", &body);
        let attributes = if pulls { attributes() } else { Vec::new() };
        let options = Options::default().target(gpu.target().clone()).captures(BackEnd::Storage).attributes(attributes);
        let module = Translator::new(options).translate(&mut shader, &EmitOptions::default()).expect("a module");
        let is_there = module.bindings.iter().any(|binding| binding.binding == LIST_BINDING);
        assert_eq!(is_there, expected, "{value}, {pulls}");
    }
}
