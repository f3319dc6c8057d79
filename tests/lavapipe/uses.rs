// SPDX-License-Identifier: MIT

//! Captures that shaders write are used in the same batch of commands: in every way that GL has for a buffer, with one barrier
//! each, and with synchronization validation.

use crate::gpu::{floats, read, ssbo, translate, words, Gpu};
use crate::stages::{shader, vertex};
use crate::support;
use ntv::capture::{self, AttributeFormat, BackEnd, CaptureState};
use ntv::capture::{BUFFER_BINDING, LIST_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::{text, EmitOptions, Options, Translator};
use ntv_driver::headless::{
    vk, Attachment, Attribute, Dispatch, Draw, Drawn, Indices, Part, Resource, Resources, Slot, Step,
};
use std::rc::Rc;

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// The number of captured vertices, of four words each.
const VERTICES: u32 = 5;

const BYTES: usize = 16 * VERTICES as usize;

/// The captures: a command that draws three vertices, indices of three, and a triangle that covers the picture.
fn captured() -> Vec<u32> {
    let triangle = [[-1., -1., 0.5, 1.], [3., -1., 0.5, 1.], [-1., 3., 0.5, 1.]].concat();
    [3, 1, 0, 0, 0, 1, 2, 0].into_iter().chain(triangle.into_iter().map(f32::to_bits)).collect()
}

/// `VAR0` is an attribute.
const VERTEX: &str = "\
    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=uint32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32x4 %2 = vec4 %0, %0, %0, %0
    32 %3 = load_const (0x3f800000)
    @store_output (%3, %0) (base=2, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PSIZ slots=1)
    @store_output (%1, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=uint32, io location=VARYING_SLOT_VAR0 slots=1)
    @store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
";

/// Writes 1 everywhere.
fn white() -> ntv::Shader {
    let body = "    32x4 %1 = load_const (0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000)\n    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n";
    shader("FRAGMENT", "", body)
}

/// A program whose shader writes captures to a buffer on the device.
struct Producer {
    back_end: BackEnd,
    modules: Vec<Vec<u32>>,
    /// The attribute of each vertex.
    bytes: Vec<u8>,
}

impl Producer {
    fn new(gpu: &Gpu, back_end: BackEnd) -> Producer {
        let format = AttributeFormat::from_name("R32G32B32A32_UINT").expect("a format");
        let attribute = capture::Attribute { location: 0, format, binding: 0, offset: 0, stride: 16, divisor: None };
        let attributes = if back_end == BackEnd::Compute { vec![attribute] } else { Vec::new() };
        let options = Options::default().target(gpu.target().clone()).captures(back_end).attributes(attributes);
        let mut translator = Translator::new(options);
        let mut stages = vec![shader("VERTEX", "// ntv: xfb=VAR0.xyzw:0+0/16\n", VERTEX)];
        if back_end == BackEnd::Storage {
            stages.push(white());
        }
        let words = |mut shader| translator.translate(&mut shader, &EmitOptions::default()).expect("a module").words;
        Producer { back_end, modules: stages.into_iter().map(words).collect(), bytes: support::bytes(&captured()) }
    }

    /// The stage and access of its writes, for a barrier.
    fn writes(&self) -> (vk::PipelineStageFlags, vk::AccessFlags) {
        let stage = match self.back_end {
            BackEnd::Compute => vk::PipelineStageFlags::COMPUTE_SHADER,
            _ => vk::PipelineStageFlags::VERTEX_SHADER,
        };
        (stage, vk::AccessFlags::SHADER_WRITE)
    }

    /// The resources to capture `vertices` from `first` on, after `before` others, to `buffer`.
    fn resources(&self, buffer: &Rc<[u8]>, first: u32, vertices: u32, before: Option<u32>) -> Resources {
        let state = CaptureState {
            is_active: before.is_some(),
            first_vertex: first,
            vertices,
            instances: 1,
            primitives_before: before.unwrap_or(0),
            primitives_most: VERTICES,
            ..CaptureState::INACTIVE
        };
        Resources::from([
            (ssbo(STATE_BINDING), words(&state.dispatch_words(&[0]))),
            (ssbo(BUFFER_BINDING), Resource::Part(Part { bytes: Rc::clone(buffer), offset: 0, len: BYTES })),
            (ssbo(LIST_BINDING), words(&[0])),
            (ssbo(VERTEX_BUFFER_BINDING), Resource::Buffer(self.bytes.clone())),
        ])
    }

    /// Calls `act` with the step that captures.
    fn step<T>(&self, first: u32, vertices: u32, resources: &mut Resources, act: impl FnOnce(Step<'_>) -> T) -> T {
        let modules: Vec<&[u32]> = self.modules.iter().map(Vec::as_slice).collect();
        let format = vk::Format::R32G32B32A32_UINT;
        let attributes = [Attribute { location: 0, format, bytes: &self.bytes, per_instance: false }];
        let attachments = [Attachment { format: FORMAT, clear: floats(&[0.; 4]) }];
        let mut drawn = Drawn::default();
        act(match self.back_end {
            BackEnd::Compute => {
                Step::Dispatch(Dispatch { module: modules[0], groups: [1; 3], push_constants: &[] }, resources)
            }
            _ => {
                let draw = Draw {
                    modules: &modules,
                    topology: vk::PrimitiveTopology::POINT_LIST,
                    vertices,
                    first: [first, 0],
                    attributes: &attributes,
                    size: [4, 4],
                    attachments: &attachments,
                    ..Draw::default()
                };
                Step::Draw(draw, resources, &mut drawn)
            }
        })
    }
}

/// A way to use a captured buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Uniform,
    Storage,
    Texels,
    Copied,
    Vertices,
    Indices,
    Command,
}

const USES: [Use; 7] =
    [Use::Uniform, Use::Storage, Use::Texels, Use::Copied, Use::Vertices, Use::Indices, Use::Command];

impl Use {
    /// The stage and access of its reads of the buffer.
    fn reads(self) -> (vk::PipelineStageFlags, vk::AccessFlags) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        match self {
            Use::Uniform => (Stage::COMPUTE_SHADER, Access::UNIFORM_READ),
            Use::Storage | Use::Texels => (Stage::COMPUTE_SHADER, Access::SHADER_READ),
            Use::Copied => (Stage::TRANSFER, Access::TRANSFER_READ),
            Use::Vertices => (Stage::VERTEX_INPUT, Access::VERTEX_ATTRIBUTE_READ),
            Use::Indices => (Stage::VERTEX_INPUT, Access::INDEX_READ),
            Use::Command => (Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
        }
    }
}

/// A compute shader that copies words, one per invocation, which `load` loads.
fn reader(gpu: &Gpu, declaration: &str, load: &str) -> Vec<u32> {
    let text = format!(
        "shader: MESA_SHADER_COMPUTE\nname: read\nworkgroup_size: {}, 1, 1\nnum_ubos: 2\nnum_ssbos: 2\nwrites_memory: true\n\
         {declaration}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:\n    32 %0 = load_const (0x00000000)\n    \
         32 %1 = load_const (0x00000001)\n    32 %2 = load_const (0x00000002)\n    32x3 %3 = @load_local_invocation_id\n    \
         32 %4 = mov %3.x\n    32 %5 = ishl %4, %2\n{load}    \
         @store_ssbo (%6, %1, %5) (wrmask=x, access=none, align_mul=4, align_offset=0)\n    block b1:\n}}\n",
        BYTES / 4
    );
    translate(&mut text::parse(&text).expect("a shader"), gpu.target()).expect("a module")
}

const UBO: [&str; 2] = [
    "decl_var ubo INTERP_MODE_NONE none uvec4[5] words (1, 1, 1)\n",
    "    32 %6 = @load_ubo (%1, %5) (access=none, align_mul=4, align_offset=0, range_base=0, range=80)\n",
];
const SSBO: [&str; 2] = ["", "    32 %6 = @load_ssbo (%0, %5) (access=readonly, align_mul=4, align_offset=0)\n"];
const TEXELS: [&str; 2] = [
    "decl_var uniform INTERP_MODE_NONE none usamplerBuffer words (0, 0, 0)\n",
    "    32 %7 = deref_var &words (uniform usamplerBuffer)\n    32x4 %8 = (uint32)txf %7 (texture_deref), %7 (sampler_deref), %4 (coord), %0 (lod)\n    32 %6 = mov %8.x\n",
];

/// Captures, uses the captures after a barrier or without one, and returns the result: the words, or the pixels of a triangle.
fn play(gpu: &Gpu, producer: &Producer, how: Use, has_barrier: bool) -> Vec<u32> {
    let buffer: Rc<[u8]> = vec![0; BYTES].into();
    let copy: Rc<[u8]> = vec![0; BYTES].into();
    let mut resources = producer.resources(&buffer, 0, VERTICES, Some(0));
    producer.step(0, VERTICES, &mut resources, |capture| {
        let mut steps = vec![capture];
        if has_barrier {
            steps.push(Step::Barrier(producer.writes(), how.reads()));
        }
        match how {
            Use::Vertices | Use::Indices | Use::Command => draw(gpu, steps, how, &buffer),
            Use::Uniform | Use::Storage | Use::Texels | Use::Copied => {
                let [declaration, load] = match how {
                    Use::Uniform => UBO,
                    Use::Texels => TEXELS,
                    _ => SSBO,
                };
                if how == Use::Copied {
                    steps.push(Step::Copy { from: Rc::clone(&buffer), to: Rc::clone(&copy) });
                    let written = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
                    steps.push(Step::Barrier(written, Use::Storage.reads()));
                }
                let bytes = if how == Use::Copied { &copy } else { &buffer };
                let part = Resource::Part(Part { bytes: Rc::clone(bytes), offset: 0, len: BYTES });
                let texels = Resource::TexelPart(vk::Format::R32_UINT, Rc::clone(bytes));
                let slot = |set, binding| Slot { set, binding, element: 0 };
                let mut given = Resources::from([
                    (slot(1, 1), part.clone()),
                    (slot(2, 0), texels),
                    (ssbo(0), part),
                    (ssbo(1), words(&[0; BYTES / 4])),
                ]);
                let module = reader(gpu, declaration, load);
                let dispatch = Dispatch { module: &module, groups: [1; 3], push_constants: &[] };
                steps.push(Step::Dispatch(dispatch, &mut given));
                gpu.run(&mut steps);
                drop(steps);
                read(&given, ssbo(1))
            }
        }
    })
}

/// Draws the triangle with the captures used in this way; other data comes from the host.
fn draw(gpu: &Gpu, before: Vec<Step<'_>>, how: Use, buffer: &Rc<[u8]>) -> Vec<u32> {
    let own = support::bytes(&captured());
    let of = |this: Use| if how == this { &buffer[..] } else { &own[..] };
    let mut steps: Vec<Step<'_>> = before;
    let modules = [vertex(&[]), white()].map(|mut shader| translate(&mut shader, gpu.target()).expect("a module"));
    let modules = [&modules[0][..], &modules[1][..]];
    let attributes = [Attribute { location: 0, format: FORMAT, bytes: &of(Use::Vertices)[32..], per_instance: false }];
    let indices =
        Indices { ty: vk::IndexType::UINT32, bytes: &of(Use::Indices)[16..28], restart: false, base_vertex: 0 };
    let (mut drawn, mut none) = (Drawn::default(), Resources::new());
    let draw = Draw {
        modules: &modules,
        indirect: (how == Use::Command).then(|| Part { bytes: Rc::clone(buffer), offset: 0, len: 16 }),
        indices: (how == Use::Indices).then_some(indices),
        attributes: &attributes,
        size: [4, 4],
        attachments: &[Attachment { format: FORMAT, clear: floats(&[0.; 4]) }],
        ..Draw::default()
    };
    steps.push(Step::Draw(draw, &mut none, &mut drawn));
    gpu.run(&mut steps);
    drop(steps);
    drawn.attachments[0].chunks_exact(4).map(|lane| u32::from_le_bytes(lane.try_into().expect("4 bytes"))).collect()
}

#[test]
fn captured_buffers_are_used_in_every_way() {
    let gpu = Gpu::open_synchronized();
    for producer in [BackEnd::Storage, BackEnd::Compute].map(|back_end| Producer::new(&gpu, back_end)) {
        for how in USES {
            let found = play(&gpu, &producer, how, true);
            let name = format!("{:?}, {how:?}", producer.back_end);
            match how {
                Use::Vertices | Use::Indices | Use::Command => {
                    assert!(found.iter().all(|lane| *lane == 1f32.to_bits()), "{name}: {found:x?}");
                }
                _ => assert_eq!(found, captured(), "{name}"),
            }
            assert_eq!(gpu.take_messages(), [""; 0], "{name}");
            play(&gpu, &producer, how, false);
            let said = gpu.take_messages().join("\n");
            assert!(said.contains("SYNC-HAZARD-READ-AFTER-WRITE"), "{name} without a barrier: {said}");
        }
    }
}

/// Captures, is paused, draws with another program, captures to another buffer, and continues in the first: each draw has its own
/// rendering.
#[test]
fn a_resumed_capture_continues_in_its_buffer() {
    let gpu = Gpu::open_synchronized();
    let other = [vertex(&[]), white()].map(|mut shader| translate(&mut shader, gpu.target()).expect("a module"));
    let module = reader(&gpu, SSBO[0], SSBO[1]);
    for producer in [BackEnd::Storage, BackEnd::Compute].map(|back_end| Producer::new(&gpu, back_end)) {
        let buffers = [0, 1].map(|_| Rc::<[u8]>::from(vec![0; BYTES]));
        let capture =
            |buffer: usize, first, vertices, before| producer.resources(&buffers[buffer], first, vertices, before);
        let mut first = capture(0, 0, 2, Some(0));
        let mut paused = capture(0, 1, 3, None);
        let mut second = capture(1, 3, 2, Some(0));
        let mut resumed = capture(0, 2, 3, Some(2));
        let mut found = buffers.each_ref().map(|buffer| {
            let part = Part { bytes: Rc::clone(buffer), offset: 0, len: BYTES };
            Resources::from([(ssbo(0), Resource::Part(part)), (ssbo(1), words(&[0; BYTES / 4]))])
        });
        let writes = producer.writes();
        let again = || Step::Barrier(writes, writes);
        let (mut none, mut drawn) = (Resources::new(), Drawn::default());
        let places = support::bytes(&captured());
        let attributes = [Attribute { location: 0, format: FORMAT, bytes: &places[32..], per_instance: false }];
        let draw = Draw {
            modules: &[&other[0], &other[1]],
            attributes: &attributes,
            size: [4, 4],
            attachments: &[Attachment { format: FORMAT, clear: floats(&[0.; 4]) }],
            ..Draw::default()
        };
        let [of_first, of_second] = &mut found;
        producer.step(0, 2, &mut first, |first| {
            producer.step(1, 3, &mut paused, |paused| {
                producer.step(3, 2, &mut second, |second| {
                    producer.step(2, 3, &mut resumed, |resumed| {
                        let read = Dispatch { module: &module, groups: [1; 3], push_constants: &[] };
                        let mut steps = [
                            first,
                            Step::Draw(draw, &mut none, &mut drawn),
                            again(),
                            paused,
                            second,
                            again(),
                            resumed,
                            Step::Barrier(writes, Use::Storage.reads()),
                            Step::Dispatch(read, of_first),
                            Step::Dispatch(read, of_second),
                        ];
                        gpu.run(&mut steps);
                    });
                });
            });
        });
        let all = captured();
        let mut last = all[12..].to_vec();
        last.resize(all.len(), 0);
        assert_eq!(read(&found[0], ssbo(1)), all, "{:?}", producer.back_end);
        assert_eq!(read(&found[1], ssbo(1)), last, "{:?}", producer.back_end);
        assert!(drawn.attachments[0] == floats(&[1.; 64]), "the other program draws");
        assert_eq!(gpu.take_messages(), [""; 0], "{:?}", producer.back_end);
    }
}
