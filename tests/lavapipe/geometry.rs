// SPDX-License-Identifier: MIT

//! Geometry shaders that write captures themselves, the kernel that compacts these, the extension, and a model on the CPU: all
//! give the same bytes.

use crate::compact::Compacted;
use crate::counters::runner;
use crate::gpu::{self, floats, from_bytes, read, ssbo, words, Gpu};
use crate::stages::{fragment, shader};
use ntv::capture::{fitting, BackEnd, CaptureState, CompactParameters, GeometryOutput, ProvokingVertex, Topology};
use ntv::capture::{BUFFER_BINDING, COUNTS_BINDING, STATE_BINDING};
use ntv::ir::{XfbInfo, XfbRow};
use ntv::{text, EmitOptions, Options, Target, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Resources};
use std::fmt::Write as _;

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// The contents of a buffer where nothing was written.
const NOTHING: u32 = 0xdead_beef;

/// The maximum number of vertices of one of three strips.
const LENGTH: u32 = 4;

/// The captures with one stream, and with four: all `VAR`s have the same value. No buffer ends with words that are not captured:
/// lavapipe's extension counts these as free.
const ONE: &[&str] = &["VAR0.xyz:0+0/20", "VAR0.w:0+16/20", "VAR1.zw:1+4/12"];
const FOUR: &[&str] = &[
    "VAR0.xy:0+0/20",
    "VAR0.zw:0+12/20",
    "VAR1.yzw:1+4/16,stream=1",
    "VAR2.zw:2+0/8,stream=2",
    "VAR3.w:3+0/4,stream=3",
];

/// `VAR0` is an attribute of the instance.
const VERTEX: &str = "\
    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32x4 %2 = @load_input (%0) (base=1, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC1 slots=1)
    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
    @store_output (%2, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
";

/// The start of a geometry shader: three strips, of `(5 * primitive + 3 * invocation + instance + 2 * strip) % 5` vertices.
const GEOMETRY: &str = "\
    block b0:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000001)
    32 %2 = load_const (0x00000002)
    32 %3 = load_const (0x00000003)
    32 %4 = load_const (0x00000005)
    32 %5 = load_const (0x3e4ccccd)
    32 %6 = load_const (0x3f800000)
    32 %7 = @load_primitive_id
    32 %8 = @load_invocation_id
    32x4 %9 = @load_per_vertex_input (%0, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_POS slots=1)
    32x4 %10 = @load_per_vertex_input (%0, %0) (base=1, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32 %11 = f2u32 %10.x
    32 %12 = imul %7, %4
    32 %13 = imul %8, %3
    32 %14 = iadd %12, %13
    32 %15 = iadd %14, %11
    32 %16 = u2f32 %7
    32 %17 = u2f32 %8
    loop {
        block b1:
        32 %20 = phi b0: %0, b90: %91
        32 %21 = phi b0: %0, b90: %31
        1 %22 = uge %20, %3
        if %22 {
            block b2:
            break
        } else {
            block b3:
        }
        block b4:
        32 %23 = ishl %20, %1
        32 %24 = iadd %15, %23
        32 %25 = umod %24, %4
        loop {
            block b5:
            32 %30 = phi b4: %0, b80: %81
            32 %31 = phi b4: %21, b80: %82
            1 %32 = uge %30, %25
            if %32 {
                block b6:
                break
            } else {
                block b7:
            }
            block b8:
            32 %33 = u2f32 %31
            32x4 %34 = vec4 %16, %17, %10.x, %33
            32 %35 = u2f32 %30
            32 %36 = ffma %35, %5, %9.x
            32 %37 = ffma %33, %5, %9.y
            32x4 %38 = vec4 %36, %37, %9.z, %9.w
            32 %39 = iadd %31, %7
";

/// The end: the second strip continues the first if that is not ended.
const END: &str = "\
            32 %81 = iadd %30, %1
            32 %82 = iadd %31, %1
        }
        block b81:
        1 %90 = ine %20, %1
        if %90 {
            block b82:
            @end_primitive (stream_id=0)
        } else {
            block b83:
        }
        block b90:
        32 %91 = iadd %20, %1
    }
    block b91:
    block b92:
}
";

#[derive(Clone, Copy, Debug)]
struct Case {
    /// The input and the output topology.
    input: Topology,
    output: Topology,
    /// The number of streams: 1 or 4.
    streams: u32,
    invocations: u32,
    vertices: u32,
    instances: u32,
    first: [u32; 2],
    provoking: ProvokingVertex,
    /// The size of each buffer in bytes, from the start of transform feedback.
    size: usize,
    /// The number of words before that.
    skipped: u32,
    /// The number of primitives of each stream that were captured before.
    before: u32,
    /// 0 for nothing, 1 for captures, 2 for counts.
    is_active: u32,
    /// The number of invocations with memory.
    room: usize,
}

/// An emitted vertex.
type Vertex = [f32; 4];

/// The contents of the buffers after the draw, and the counters of each stream.
type Captured = ([Vec<u32>; 4], Vec<Vec<u32>>);

impl Case {
    fn rows(&self) -> &'static [&'static str] {
        if self.streams == 1 {
            ONE
        } else {
            FOUR
        }
    }

    fn info(&self) -> XfbInfo {
        let mut info = XfbInfo::default();
        self.rows().iter().for_each(|row| info.add_row(row.parse::<XfbRow>().expect(row)));
        info
    }

    fn shape(&self) -> GeometryOutput {
        GeometryOutput { topology: self.output, vertices: 3 * LENGTH, invocations: self.invocations }
    }

    fn primitives(&self) -> u32 {
        self.input.primitives(self.vertices)
    }

    /// The geometry shader.
    fn shader(&self) -> ntv::Shader {
        let (input, vertices_in) = match self.input.list() {
            Topology::Points => ("POINTS", 1),
            Topology::Lines => ("LINES", 2),
            _ => ("TRIANGLES", 3),
        };
        let output = match self.output {
            Topology::Points => "POINTS",
            Topology::LineStrip => "LINE_STRIP",
            _ => "TRIANGLE_STRIP",
        };
        let mut text = String::from("shader: MESA_SHADER_GEOMETRY\nname: test\n");
        self.rows().iter().for_each(|row| writeln!(text, "// ntv: xfb={row}").unwrap());
        let streams = (1 << self.streams) - 1;
        let _ = write!(
            text,
            "input_primitive: {input}\noutput_primitive: {output}\nvertices_in: {vertices_in}\nvertices_out: {}\n\
             invocations: {}\nactive_stream_mask: {streams:#x}\ndecl_function main () (entrypoint)\n\nimpl main {{\n\
             {}",
            3 * LENGTH,
            self.invocations,
            GEOMETRY.replace("b80", &format!("b{}", 9 + 3 * self.streams))
        );
        (0..self.streams).for_each(|stream| self.emit(stream, &mut text));
        text += END;
        text::parse(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
    }

    /// Emits the vertex to `stream`, if the case has it at this place.
    fn emit(&self, stream: u32, text: &mut String) {
        let [id, block] = [100 + 2 * stream, 10 + 3 * stream];
        let turns = self.streams - 1;
        let _ = writeln!(
            text,
            "32 %{} = load_const ({turns:#010x})\n32 %{} = load_const ({stream:#010x})\n32 %{} = iand %39, %{}\n\
             1 %{} = ieq %{}, %{}\nif %{} {{\nblock b{block}:",
            id + 100,
            id + 101,
            id,
            id + 100,
            id + 1,
            id,
            id + 101,
            id + 1,
        );
        let mut store = |value: &str, slot: &str, mask: &str, base: u32| {
            let _ = writeln!(
                text,
                "@store_output ({value}, %0) (base={base}, range=1, wrmask={mask}, component=0, src_type=float32, \
                 io location=VARYING_SLOT_{slot} slots=1 gs_streams(x={stream} y={stream} z={stream} w={stream}), \
                 xfb(), xfb2())"
            );
        };
        if stream == 0 {
            store("%38", "POS", "xyzw", 0);
            store("%6", "PSIZ", "x", 1);
        }
        store("%34", &format!("VAR{stream}"), "xyzw", 2 + stream);
        if self.streams == 1 {
            store("%34", "VAR1", "xyzw", 3);
        }
        let (other, next) = (block + 1, block + 2);
        let _ = writeln!(text, "@emit_vertex (stream_id={stream})\n}} else {{\nblock b{other}:\n}}\nblock b{next}:");
    }

    /// The strips of an invocation in a stream.
    fn strips(&self, stream: u32, [instance, primitive, invocation]: [u32; 3]) -> Vec<Vec<Vertex>> {
        let mut strips = vec![Vec::new()];
        let mut emitted = 0;
        for strip in 0..3 {
            for _ in 0..(5 * primitive + 3 * invocation + instance + 2 * strip) % (LENGTH + 1) {
                if (emitted + primitive) % self.streams == stream {
                    let numbers = [primitive, invocation, instance, emitted];
                    strips.last_mut().expect("a strip").push(numbers.map(|number| number as f32));
                }
                emitted += 1;
            }
            if strip != 1 && stream == 0 {
                strips.push(Vec::new());
            }
        }
        strips
    }

    /// The primitives of a stream, in their order.
    fn captured(&self, stream: u32) -> Vec<Vec<Vertex>> {
        let corners = self.output.vertices_per_primitive() as usize;
        let mut all = Vec::new();
        let mut invocations = 0;
        for instance in self.first[1]..self.first[1] + self.instances {
            for primitive in 0..self.primitives() {
                for invocation in 0..self.invocations {
                    invocations += 1;
                    if invocations > self.room {
                        break;
                    }
                    for strip in self.strips(stream, [instance, primitive, invocation]) {
                        for number in 0..self.output.primitives(strip.len() as u32) {
                            let places = self.output.vertices(number, strip.len() as u32, self.provoking);
                            all.push(places[..corners].iter().map(|place| strip[*place as usize]).collect());
                        }
                    }
                }
            }
        }
        all
    }

    /// The maximum number of primitives of a stream.
    fn most(&self, stream: u32) -> u32 {
        let info = self.info();
        let own = info.buffers.iter().filter(|row| row.is_used && row.stream == stream);
        fitting(self.output, own.map(|row| (row.stride, self.size as u64)))
    }

    fn buffers(&self) -> [Vec<u32>; 4] {
        self.info().buffers.map(|row| match row.is_used {
            true => vec![NOTHING; self.skipped as usize + self.size / 4],
            false => Vec::new(),
        })
    }

    /// The expected contents of the buffers after the draw, and the counters of each stream.
    fn model(&self) -> Captured {
        let (info, mut buffers, mut counters) = (self.info(), self.buffers(), Vec::new());
        let corners = self.output.vertices_per_primitive();
        for stream in 0..self.streams {
            let primitives = self.captured(stream);
            let made = primitives.len() as u32;
            let room = self.most(stream).saturating_sub(self.before);
            let fit = if self.is_active == 1 { made.min(room) } else { 0 };
            let counted = |is_counted| if is_counted { made } else { 0 };
            counters.push(vec![self.before + fit, counted(self.is_active != 0), counted(self.is_active == 1)]);
            for (number, primitive) in (self.before..).zip(&primitives[..fit as usize]) {
                for (vertex, value) in (number * corners..).zip(primitive) {
                    for run in info.outputs.iter().filter(|run| info.buffers[run.buffer as usize].stream == stream) {
                        let stride = info.buffers[run.buffer as usize].stride;
                        let at = (self.skipped + (vertex * stride + run.offset) / 4) as usize;
                        for component in 0..run.num_components {
                            let word = value[usize::from(run.component + component)].to_bits();
                            buffers[run.buffer as usize][at + usize::from(component)] = word;
                        }
                    }
                }
            }
        }
        (buffers, counters)
    }

    fn state(&self) -> [u32; 24] {
        let state = CaptureState {
            is_active: self.is_active == 1,
            topology: self.input,
            provoking: self.provoking,
            first_vertex: self.first[0],
            vertices: self.vertices,
            first_instance: self.first[1],
            instances: self.instances,
            first_words: [self.skipped; 4],
            ..CaptureState::INACTIVE
        };
        if self.is_active == 2 {
            state.counting_words()
        } else {
            state.words()
        }
    }
}

/// The text of a geometry shader depends on the case; modules are made once for all cases with the same text.
fn modules(target: &Target, captures: BackEnd, case: &Case, is_captured: bool) -> Vec<Vec<u32>> {
    let options = Options::default().target(target.clone()).captures(captures).instance_location(Some(5));
    let mut translator = Translator::new(options);
    let mut geometry = case.shader();
    if !is_captured {
        geometry.xfb_info = XfbInfo::default();
    }
    let stages = [shader("VERTEX", "", VERTEX), geometry, fragment()];
    let words = |mut shader| translator.translate(&mut shader, &EmitOptions::default()).expect("a module").words;
    stages.into_iter().map(words).collect()
}

/// Draws `case`. Returns the picture and the captures of the extension.
fn draw(
    gpu: &Gpu,
    case: &Case,
    modules: &[Vec<u32>],
    captures: &[usize],
    resources: &mut Resources,
) -> [Vec<Vec<u8>>; 2] {
    let places = floats(
        &(0..case.first[0] + case.vertices.max(1))
            .flat_map(|number| [0.25 * (number % 8) as f32 - 0.95, 0.2 * (number / 2) as f32 - 0.9, 0.5, 1.])
            .collect::<Vec<_>>(),
    );
    let values = floats(&(0..case.first[1] + case.instances).flat_map(|number| [number as f32; 4]).collect::<Vec<_>>());
    let attribute = |location, bytes, per_instance| Attribute { location, format: FORMAT, bytes, per_instance };
    let all: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let topology = match case.input {
        Topology::Points => vk::PrimitiveTopology::POINT_LIST,
        Topology::LineStrip => vk::PrimitiveTopology::LINE_STRIP,
        _ => vk::PrimitiveTopology::TRIANGLE_STRIP,
    };
    let draw = Draw {
        modules: &all,
        topology,
        vertices: case.vertices,
        instances: case.instances,
        first: case.first,
        attributes: &[attribute(0, &places, false), attribute(1, &values, true)],
        size: [16, 16],
        attachments: &[Attachment { format: FORMAT, clear: floats(&[-1.; 4]) }],
        captures,
        ..Draw::default()
    };
    let drawn = gpu.draw(&draw, resources);
    [drawn.attachments, drawn.captures]
}

/// The captures that a shader wrote to scratch buffers, compacted; the counters; and the picture.
fn stored(gpu: &Gpu, case: &Case, modules: &[Vec<u32>]) -> (Captured, Vec<Vec<u8>>) {
    let (info, shape, state) = (case.info(), case.shape(), case.state());
    let invocations = shape.invocations_of(u64::from(case.primitives()) * u64::from(case.instances));
    let invocations = invocations.min(case.room as u64);
    let sized = |bytes: u64| vec![NOTHING; bytes as usize / 4 + 2];
    let mut resources = Resources::new();
    resources.insert(ssbo(STATE_BINDING), words(&state));
    resources.insert(ssbo(COUNTS_BINDING), words(&sized(shape.count_bytes(invocations))));
    for (binding, row) in (BUFFER_BINDING..).zip(info.buffers) {
        resources.insert(ssbo(binding), words(&sized(shape.scratch_bytes(invocations, row.stride))));
    }
    let [picture, _] = draw(gpu, case, modules, &[], &mut resources);
    let scratch = [0, 1, 2, 3].map(|buffer| read(&resources, ssbo(BUFFER_BINDING + buffer)));
    let counts = read(&resources, ssbo(COUNTS_BINDING));
    for words in scratch.iter().chain([&counts]) {
        assert_eq!(words[words.len() - 2..], [NOTHING; 2], "{case:?}: written beyond the end");
    }
    let (mut buffers, mut counters) = (case.buffers(), Vec::new());
    for stream in 0..case.streams {
        let mut compacted = Compacted {
            state: state.into(),
            parameters: CompactParameters::new(shape, &info, stream, case.most(stream)),
            counts: counts.clone(),
            counters: vec![case.before, 0, 0],
            scratch: scratch.clone(),
            buffers,
        };
        compacted.run(&mut runner(gpu));
        counters.push(compacted.counters);
        buffers = compacted.buffers;
    }
    ((buffers, counters), picture)
}

const PLAIN: Case = Case {
    input: Topology::Points,
    output: Topology::Points,
    streams: 1,
    invocations: 1,
    vertices: 7,
    instances: 1,
    first: [0; 2],
    provoking: ProvokingVertex::First,
    size: 8192,
    skipped: 0,
    before: 0,
    is_active: 1,
    room: usize::MAX,
};

/// All output topologies with all input topologies, with one and several invocations; and streams.
fn shaders() -> Vec<Case> {
    let mut all = Vec::new();
    for output in [Topology::Points, Topology::LineStrip, Topology::TriangleStrip] {
        for input in [Topology::Points, Topology::LineStrip, Topology::TriangleStrip] {
            for invocations in [1, 3] {
                all.push(Case { input, output, invocations, ..PLAIN });
            }
        }
    }
    all.push(Case { streams: 4, ..PLAIN });
    all.push(Case { streams: 4, invocations: 2, ..PLAIN });
    all
}

/// Few and more vertices, instances, other first vertices and instances, buffers that are too small.
fn draws(plain: &Case) -> Vec<Case> {
    let small = plain.output.vertices_per_primitive() as usize * 20 * 5;
    vec![
        *plain,
        Case { vertices: 0, ..*plain },
        Case { vertices: 3, ..*plain },
        Case { instances: 3, ..*plain },
        Case { instances: 3, first: [4, 2], ..*plain },
        Case { instances: 2, size: small, ..*plain },
        Case { instances: 2, size: small - 4, ..*plain },
        Case { size: 4, ..*plain },
    ]
}

/// Cases that are not possible with the extension: other offsets in buffers, draws without captures, GL's order.
fn resumed(plain: &Case) -> Vec<Case> {
    let last = Case { provoking: ProvokingVertex::Last, ..*plain };
    vec![
        last,
        Case { instances: 2, skipped: 3, before: 2, ..last },
        Case { instances: 2, is_active: 2, ..*plain },
        Case { is_active: 0, ..*plain },
        Case { instances: 2, room: 9, ..*plain },
    ]
}

#[test]
fn geometry_captures_agree_with_the_model_and_draws_do_not_change() {
    let gpu = Gpu::open();
    let mut wrong = Vec::new();
    for plain in shaders() {
        let storing = modules(gpu.target(), BackEnd::Storage, &plain, true);
        let without = modules(gpu.target(), BackEnd::Storage, &plain, false);
        for case in draws(&plain).into_iter().chain(resumed(&plain)) {
            let (found, picture) = stored(&gpu, &case, &storing);
            let model = case.model();
            if found != model {
                wrong.push(format!("{case:?}: {:?}, not {:?}", found.1, model.1));
            }
            let [expected, _] = draw(&gpu, &case, &without, &[], &mut Resources::new());
            if picture != expected {
                wrong.push(format!("{case:?}: another picture"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(9)].join("\n"));
}

#[test]
fn geometry_captures_of_the_extension_agree_with_the_model() {
    let gpu = Gpu::open();
    let mut wrong = Vec::new();
    for plain in shaders() {
        let captured = modules(gpu.target(), BackEnd::Extension, &plain, true);
        for case in draws(&plain) {
            let sizes: Vec<usize> =
                case.buffers().iter().map(|buffer| 4 * buffer.len()).filter(|size| *size > 0).collect();
            let [_, buffers] = draw(&gpu, &case, &captured, &sizes, &mut Resources::new());
            let found: Vec<Vec<u32>> = buffers.iter().map(|bytes| from_bytes(bytes)).collect();
            // The driver's buffers start as zeros.
            let zeroed =
                |words: Vec<u32>| words.into_iter().map(|word| if word == NOTHING { 0 } else { word }).collect();
            let model: Vec<Vec<u32>> =
                case.model().0.map(zeroed).into_iter().filter(|buffer: &Vec<u32>| !buffer.is_empty()).collect();
            if found != model {
                wrong.push(format!("{case:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(9)].join("\n"));
}

/// Makes six triangles of each patch. A vertex has its coordinates in the patch, and the number of the patch.
fn tessellation() -> [ntv::Shader; 2] {
    let store = |value: &str, base: u32, mask: &str, slot: &str| {
        format!("    @store_output ({value}, %0) (base={base}, range=1, wrmask={mask}, component=0, src_type=float32, io location=VARYING_SLOT_{slot} slots=1, xfb(), xfb2())\n")
    };
    let control = "    32 %1 = load_const (0x40000000)\n    32x4 %2 = vec4 %1, %1, %1, %1\n    32x2 %3 = vec2 %1, %1\n"
        .to_string()
        + &store("%2", 1, "xyzw", "TESS_LEVEL_OUTER")
        + &store("%3", 2, "xy", "TESS_LEVEL_INNER");
    let evaluation = "    32x3 %1 = @load_tess_coord\n    32 %2 = @load_primitive_id\n    32 %3 = u2f32 %2\n    \
        32x4 %4 = vec4 %1.x, %1.y, %1.z, %3\n"
        .to_string()
        + &store("%4", 0, "xyzw", "POS");
    let header = "primitive_mode: 1\ntcs_vertices_out: 3\nspacing: 1\nccw: true\n";
    [shader("TESS_CTRL", "tcs_vertices_out: 3\n", &control), shader("TESS_EVAL", header, &evaluation)]
}

/// Copies triangles, and captures them.
fn passing() -> ntv::Shader {
    let header = "// ntv: xfb=POS.xyzw:0+0/16\noutput_primitive: TRIANGLE_STRIP\ninput_primitive: TRIANGLES\n\
        vertices_out: 3\ninvocations: 1\nvertices_in: 3\nactive_stream_mask: 0x1\n";
    let mut body = String::new();
    for vertex in 0..3 {
        let (id, value) = (2 * vertex + 1, 2 * vertex + 2);
        let _ = write!(
            body,
            "    32 %{id} = load_const (0x0000000{vertex})\n    \
             32x4 %{value} = @load_per_vertex_input (%{id}, %0) (base=0, range=1, component=0, dest_type=float32, \
             io location=VARYING_SLOT_POS slots=1)\n    \
             @store_output (%{value}, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, \
             io location=VARYING_SLOT_POS slots=1, xfb(), xfb2())\n    @emit_vertex (stream_id=0)\n"
        );
    }
    shader("GEOMETRY", header, &body)
}

/// Word 6 of the state is then a bound. gl_PrimitiveIDIn counts the primitives of tessellation, as in Vulkan.
#[test]
fn geometry_shaders_after_tessellation_capture_as_the_extension_does() {
    const BOUND: u32 = 40;
    let gpu = Gpu::open();
    let places = floats(&(0..9).flat_map(|number| [number as f32; 4]).collect::<Vec<_>>());
    let black =
        "    32x4 %1 = vec4 %0, %0, %0, %0\n    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, \
        src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n";
    let captured = [BackEnd::Extension, BackEnd::Storage].map(|captures| {
        let options = Options::default().target(gpu.target().clone()).captures(captures);
        let mut translator = Translator::new(options);
        let [control, evaluation] = tessellation();
        let vertex = shader("VERTEX", "", &VERTEX[..VERTEX.rfind("    @").unwrap_or(0)]);
        let stages = [vertex, control, evaluation, passing(), shader("FRAGMENT", "", black)];
        let words = |mut shader| translator.translate(&mut shader, &EmitOptions::default()).expect("a module").words;
        let modules = stages.map(words);
        let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
        let attribute = |location| Attribute { location, format: FORMAT, bytes: &places, per_instance: false };
        let draw = Draw {
            modules: &modules,
            topology: vk::PrimitiveTopology::PATCH_LIST,
            vertices: 9,
            attributes: &[attribute(0), attribute(1)],
            attachments: &[Attachment { format: FORMAT, clear: floats(&[0.; 4]) }],
            ..Draw::default()
        };
        const BYTES: usize = 48 * BOUND as usize;
        if captures == BackEnd::Extension {
            return from_bytes(&gpu.draw(&Draw { captures: &[BYTES], ..draw }, &mut Resources::new()).captures[0]);
        }
        let shape = GeometryOutput { topology: Topology::TriangleStrip, vertices: 3, invocations: 1 };
        let state = Case { vertices: BOUND, ..PLAIN }.state();
        let mut resources = Resources::new();
        resources.insert(ssbo(STATE_BINDING), gpu::words(&state));
        resources.insert(ssbo(COUNTS_BINDING), gpu::words(&[0; 4 * BOUND as usize]));
        resources.insert(ssbo(BUFFER_BINDING), gpu::words(&[NOTHING; BYTES / 4]));
        gpu.draw(&draw, &mut resources);
        let mut info = XfbInfo::default();
        info.add_row("POS.xyzw:0+0/16".parse::<XfbRow>().expect("a row"));
        let mut compacted = Compacted {
            state: state.into(),
            parameters: CompactParameters::new(shape, &info, 0, BOUND),
            counts: read(&resources, ssbo(COUNTS_BINDING)),
            counters: vec![0; 3],
            scratch: [read(&resources, ssbo(BUFFER_BINDING)), vec![], vec![], vec![]],
            buffers: [vec![0; BYTES / 4], vec![], vec![], vec![]],
        };
        compacted.run(&mut runner(&gpu));
        assert_eq!(compacted.counters, [18; 3]);
        std::mem::take(&mut compacted.buffers[0])
    });
    assert_eq!(captured[0], captured[1]);
}
