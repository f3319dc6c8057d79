// SPDX-License-Identifier: MIT

//! Transform feedback writes the output of the shader, without the changes that a key makes to the position afterwards.

use crate::gpu::{floats, from_bytes, read, ssbo, words, Gpu};
use crate::stages::{fragment, pulled, shader};
use ntv::capture::{BackEnd, CaptureState, Topology};
use ntv::capture::{BUFFER_BINDING, COUNTS_BINDING, LIST_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::link::link;
use ntv::module::{ShaderStage, OPTIONS};
use ntv::variant::{NumberedModule, Program};
use ntv::{EmitOptions, Key, Module, Options, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Drawn, Resource, Resources};

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// The clear value of a pixel, which no fragment has.
const CLEAR: f32 = 0.75;

/// The attributes of the vertices of a triangle: `p`, whose numbers are all different, and `v`, which has no negative numbers.
const PLACES: [[f32; 4]; 3] = [[-1., -0.75, 0.25, 1.5], [3., -1.25, 0.5, 2.5], [-0.5, 3.5, 0.125, 4.5]];
const VALUES: [[f32; 4]; 3] = [[1., 2., 3., 4.], [5., 6., 7., 8.], [9., 10., 11., 12.]];

/// Reads `p` and `v` into `%1` and `%2`.
const INPUTS: &str = "\
    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32x4 %2 = @load_input (%0) (base=1, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC1 slots=1)
";

/// Stores `value` to a slot, with the captures `xfb`.
fn store(value: &str, base: u32, mask: &str, slot: &str, xfb: &str) -> String {
    format!("    @store_output ({value}, %0) (base={base}, range=1, wrmask={mask}, component=0, src_type=float32, io location=VARYING_SLOT_{slot} slots=1, {xfb})\n")
}

/// A struct that is captured completely, followed by the position.
const STRUCT: &str = "\
// ntv: struct=S { vec4 a offset=0, vec2 b offset=16 }
decl_var shader_out INTERP_MODE_NONE none vec4 gl_Position (VARYING_SLOT_POS.xyzw, 4294967295, 0)  // ntv: xfb(buffer=0 stride=40 offset=24)
decl_var shader_out INTERP_MODE_NONE none S s (VARYING_SLOT_VAR1.xyzw, 1, 0)  // ntv: xfb(buffer=0 stride=40 offset=0)
";

/// Stores `v`, and two numbers of `p`, to its members.
const STRUCT_STORES: &str = "\
    32 %4 = deref_var &s (shader_out S)
    32 %5 = deref_struct &%4->a (shader_out vec4)
    @store_deref (%5, %2) (wrmask=xyzw, access=none)
    32 %6 = deref_struct &%4->b (shader_out vec2)
    32x2 %7 = mov %1.xy
    @store_deref (%6, %7) (wrmask=xy, access=none)
";

/// Elements, columns, members and halves of values that are wider than a word, in another order.
const PARTS: &str = "\
// ntv: struct=S { float a offset=0, vec3 b offset=16 }
// ntv: xfb=VAR2.x:0+0/40
// ntv: xfb=VAR1.x:0+4/40
// ntv: xfb=VAR4.yz:0+8/40
// ntv: xfb=VAR7.z:0+16/40
// ntv: xfb=POS.w:0+20/40
// ntv: xfb=VAR8.zw:0+24/40
// ntv: xfb=POS.x:0+32/40
decl_var shader_out INTERP_MODE_NONE none float[2] a (VARYING_SLOT_VAR1.x, 1, 0)
decl_var shader_out INTERP_MODE_NONE none mat3 m (VARYING_SLOT_VAR3.xyz, 3, 0)
decl_var shader_out INTERP_MODE_NONE none S s (VARYING_SLOT_VAR6.xyzw, 6, 0)
decl_var shader_out INTERP_MODE_FLAT none dvec2 d (VARYING_SLOT_VAR8.xyzw, 8, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 gl_Position (VARYING_SLOT_POS.xyzw, 4294967295, 0)
";

const PARTS_STORES: &str = "\
    32 %4 = deref_var &a (shader_out float[2])
    32 %5 = deref_array &(*%4)[0] (shader_out float)
    32 %6 = mov %2.x
    @store_deref (%5, %6) (wrmask=x, access=none)
    32 %7 = deref_array &(*%4)[1] (shader_out float)
    32 %8 = mov %2.y
    @store_deref (%7, %8) (wrmask=x, access=none)
    32 %9 = deref_var &m (shader_out mat3)
    32 %10 = deref_array &(*%9)[1] (shader_out vec3)
    32x3 %11 = mov %2.xyz
    @store_deref (%10, %11) (wrmask=xyz, access=none)
    32 %12 = deref_var &s (shader_out S)
    32 %13 = deref_struct &%12->b (shader_out vec3)
    32x3 %14 = mov %2.yzw
    @store_deref (%13, %14) (wrmask=xyz, access=none)
    32 %15 = deref_var &d (shader_out dvec2)
    32x2 %16 = mov %2.zw
    64x2 %17 = f2f64 %16
    @store_deref (%15, %17) (wrmask=xy, access=none)
    32 %18 = deref_var &gl_Position (shader_out vec4)
    @store_deref (%18, %1) (wrmask=xyzw, access=none)
";

/// A case of captures.
struct Case {
    name: &'static str,
    /// The number of floats of a vertex in the buffer.
    stride: usize,
    /// Declarations of outputs.
    outputs: &'static str,
    /// The vertex shader's code, which uses `p` and `v`.
    body: String,
    /// The expected captures for `p` and `v`.
    want: fn([f32; 4], [f32; 4]) -> Vec<f32>,
}

fn cases() -> Vec<Case> {
    let whole = |offset: u32| format!("xfb(components=0..3 buffer=0 offset={offset}), xfb2()");
    let position = |xfb: &str| store("%1", 0, "xyzw", "POS", xfb);
    let case = |name, stride, body: String, want| Case { name, stride, outputs: "", body, want };
    vec![
        case("all of gl_Position", 4, position(&whole(0)), |p, _| p.to_vec()),
        case("a part of gl_Position", 2, position("xfb(components=1..2 buffer=0 offset=0), xfb2()"), |p, _| {
            vec![p[1], p[2]]
        }),
        case(
            "parts of gl_Position apart",
            4,
            position("xfb(component=0 buffer=0 offset=12), xfb2(components=2..3 buffer=0 offset=0)"),
            |p, _| vec![p[2], p[3], 0., p[0]],
        ),
        case(
            "gl_Position between others",
            9,
            "    32 %3 = mov %2.x\n".to_string()
                + &store("%2", 1, "xyzw", "VAR0", &whole(0))
                + &position(&whole(16))
                + &store("%3", 2, "x", "PSIZ", "xfb(component=0 buffer=0 offset=32), xfb2()"),
            |p, v| [&v[..], &p, &v[..1]].concat(),
        ),
        case(
            "arrays",
            12,
            store("%2", 1, "xyzw", "CLIP_DIST0", &whole(32))
                + &position(&whole(16))
                + &store("%2", 2, "xyzw", "VAR3", &whole(0)),
            |p, v| [v, p, v].concat(),
        ),
        Case {
            name: "a struct and gl_Position, as variables",
            stride: 10,
            outputs: STRUCT,
            body: format!("{}{STRUCT_STORES}", "    32 %3 = deref_var &gl_Position (shader_out vec4)\n    @store_deref (%3, %1) (wrmask=xyzw, access=none)\n"),
            want: |p, v| [&v[..], &p[..2], &p[..]].concat(),
        },
        Case {
            name: "parts of variables, and gl_Position",
            stride: 10,
            outputs: PARTS,
            body: PARTS_STORES.into(),
            want: |p, v| {
                let wide = f64::from(v[3]).to_bits();
                let halves = [wide as u32, (wide >> 32) as u32].map(f32::from_bits);
                [&[v[1], v[0], v[1], v[2], v[3], p[3]], &halves[..], &[p[0], 0.]].concat()
            },
        },
    ]
}

/// Copies a triangle, and captures the position: of the vertices, and of their mirror images.
fn geometry() -> ntv::Shader {
    let header = "xfb_stride: {4, 0, 0, 0}\nhas_transform_feedback_varyings: true\ninput_primitive: TRIANGLES\noutput_primitive: TRIANGLE_STRIP\nvertices_in: 3\nvertices_out: 6\ninvocations: 1\nactive_stream_mask: 0x1\n";
    let (mut body, mut id) = (String::new(), 1);
    for mirrored in [false, true] {
        for vertex in 0..3 {
            let (value, result) = (id + 1, if mirrored { id + 2 } else { id + 1 });
            body += &format!("    32 %{id} = load_const (0x0000000{vertex})\n    32x4 %{value} = @load_per_vertex_input (%{id}, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_POS slots=1)\n");
            if mirrored {
                body += &format!("    32x4 %{result} = fneg %{value}\n");
            }
            body += &store(&format!("%{result}"), 0, "xyzw", "POS", "xfb(components=0..3 buffer=0 offset=0), xfb2()");
            body += "    @emit_vertex (stream_id=0)\n";
            id += 3;
        }
        body += "    @end_primitive (stream_id=0)\n";
    }
    shader("GEOMETRY", header, &body)
}

/// A fragment shader without inputs and outputs.
fn blank() -> ntv::Shader {
    let body = "    32x4 %1 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)\n    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n";
    shader("FRAGMENT", "", body)
}

/// Modules of a pipeline, with all late options.
fn modules(gpu: &Gpu, back_end: BackEnd, stages: Vec<ntv::Shader>) -> Vec<Module> {
    let options = EmitOptions::default().offer(u64::MAX).linkable(true).names(true);
    let has_geometry = stages.iter().any(|shader| shader.stage() == ntv::ir::Stage::Geometry);
    let instance_location = has_geometry.then_some(9);
    let mut translator = Translator::new(
        Options::default().target(gpu.target().clone()).captures(back_end).instance_location(instance_location),
    );
    stages.into_iter().map(|mut shader| translator.translate(&mut shader, &options).expect("a module")).collect()
}

/// The captures of a triangle that `modules` draw for `key`, with the wanted number of floats.
fn captured(gpu: &Gpu, back_end: BackEnd, modules: &[Module], key: &Key, floats_wanted: usize) -> Vec<f32> {
    let shaders = modules.iter().zip(0..).map(|(module, id)| NumberedModule { id, module: module.clone().into() });
    let program = Program::new(shaders.collect()).expect("a program");
    let mut instances = Vec::new();
    for (shader, key) in program.keys(key).expect("a key that it takes") {
        let mut own = Vec::new();
        shader.module.instantiate(&key, &mut own).expect("a key that it takes");
        instances.push(own);
    }
    let instances: Vec<&[u32]> = instances.iter().map(Vec::as_slice).collect();
    let [places, values] = [PLACES, VALUES].map(|it| floats(&it.concat()));
    let attribute = |location, bytes| Attribute { location, format: FORMAT, bytes, per_instance: false };
    let is_tessellated = modules.iter().any(|module| module.stage == ShaderStage::TessEval);
    let topology =
        if is_tessellated { vk::PrimitiveTopology::PATCH_LIST } else { vk::PrimitiveTopology::TRIANGLE_LIST };
    let draw = Draw {
        modules: &instances,
        topology,
        attributes: &[attribute(0, &places), attribute(1, &values)],
        size: [4, 4],
        attachments: &[Attachment { format: FORMAT, clear: floats(&[CLEAR; 4]) }],
        ..Draw::default()
    };
    let words_captured = match back_end {
        BackEnd::Extension => {
            let captures = &[4 * floats_wanted];
            let drawn = gpu.draw(&Draw { captures, ..draw }, &mut Resources::new());
            check_picture(&drawn, key);
            from_bytes(&drawn.captures[0])
        }
        BackEnd::Storage | BackEnd::Compute => {
            let has_geometry = modules.iter().any(|module| module.stage == ShaderStage::Geometry);
            stored(gpu, &draw, key, (floats_wanted, has_geometry))
        }
    };
    let floats: Vec<f32> = words_captured.into_iter().map(f32::from_bits).collect();
    // The tessellator chooses the order of the corners of a patch.
    if is_tessellated {
        in_order(&floats)
    } else {
        floats
    }
}

/// The parameters of the triangle for a shader that writes captures itself.
const STATE: CaptureState = CaptureState {
    is_active: true,
    topology: Topology::Triangles,
    vertices: 3,
    instances: 1,
    primitives_most: 1,
    ..CaptureState::INACTIVE
};

/// The captures that the shader writes for `draw`, unless `key` disables them. A geometry shader has space for its maximum
/// output; the output of the first invocation is already at its final place.
fn stored(gpu: &Gpu, draw: &Draw<'_>, key: &Key, (words_wanted, has_geometry): (usize, bool)) -> Vec<u32> {
    let state = CaptureState { is_active: key.bits & Key::NO_CAPTURE == 0, ..STATE };
    let mut resources = Resources::new();
    resources.insert(ssbo(STATE_BINDING), words(&state.words()));
    resources.insert(ssbo(BUFFER_BINDING), words(&vec![0; if has_geometry { 2 * words_wanted } else { words_wanted }]));
    if has_geometry {
        resources.insert(ssbo(COUNTS_BINDING), words(&[0; 4]));
    }
    check_picture(&gpu.draw(draw, &mut resources), key);
    let mut captured = read(&resources, ssbo(BUFFER_BINDING));
    captured.truncate(words_wanted);
    captured
}

/// Checks that nothing is drawn if the key discards, and that something is drawn without a key.
fn check_picture(drawn: &Drawn, key: &Key) {
    let is_clear = drawn.attachments[0] == floats(&[CLEAR; 4]).repeat(16);
    if key.bits & Key::DISCARD != 0 {
        assert!(is_clear, "`{key}` draws something");
    }
    assert!(key.bits != 0 || !is_clear, "nothing is drawn");
}

/// Positions in ascending order.
fn in_order(floats: &[f32]) -> Vec<f32> {
    let mut positions: Vec<&[f32]> = floats.chunks(4).collect();
    positions.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    positions.concat()
}

/// No option, each alone, each pair of them, and all, of the options of a vertex stage.
fn keys() -> Vec<Key> {
    let vertex = OPTIONS.iter().filter(|row| row.stages & ShaderStage::Vertex.bit() != 0 && row.mask != 0);
    let bits: Vec<u64> = vertex.map(|row| row.mask).collect();
    let pairs = bits.iter().flat_map(|first| bits.iter().map(move |second| first | second));
    let all = bits.iter().filter(|bit| **bit != Key::NO_CAPTURE).fold(0, |all, bit| all | bit);
    let mut keys: Vec<u64> = [0, all].into_iter().chain(pairs).collect();
    keys.sort_unstable();
    keys.dedup();
    assert!(keys.len() > 30, "{} keys", keys.len());
    keys.into_iter().map(|bits| Key { size: [4, 4], ..Key::new(bits) }).collect()
}

/// For every key: the buffer has the output of the `stages` before a fragment shader, or nothing if captures are disabled. The
/// fragment shader reads nothing, or it reads VAR0 and the stages are linked.
fn assert_captured(gpu: &Gpu, back_end: BackEnd, name: &str, stages: &[ntv::Shader], want: &[f32]) {
    let with = |fragment: ntv::Shader| modules(gpu, back_end, stages.iter().cloned().chain([fragment]).collect());
    let linked = link(&with(fragment()).iter().collect::<Vec<_>>(), Vec::new()).expect("a link").modules;
    let modules = with(blank());
    let nothing = vec![0.; want.len()];
    // Shaders that store captures themselves do not clamp colours: they have stored them before their end.
    let refused = if back_end == BackEnd::Extension { 0 } else { Key::CLAMP_COLORS };
    for key in keys() {
        let key = Key { bits: key.bits & !refused, ..key };
        let want = if key.bits & Key::NO_CAPTURE == 0 { want } else { &nothing };
        for (form, modules) in [("as it is", &modules), ("linked", &linked)] {
            let found = captured(gpu, back_end, modules, &key, want.len());
            assert_eq!(found, want, "{back_end:?}, {name}, {form}, key `{key}`");
        }
    }
}

#[test]
fn captures_are_the_outputs_of_the_vertex_shader() {
    let gpu = Gpu::open();
    for Case { name, stride, outputs, body, want } in cases() {
        let header = format!("xfb_stride: {{{stride}, 0, 0, 0}}\nhas_transform_feedback_varyings: true\nclip_distance_array_size: 4\n{outputs}");
        let vertex = shader("VERTEX", &header, &format!("{INPUTS}{body}"));
        let want: Vec<f32> = PLACES.into_iter().zip(VALUES).flat_map(|(place, value)| want(place, value)).collect();
        for back_end in [BackEnd::Extension, BackEnd::Storage] {
            assert_captured(&gpu, back_end, name, std::slice::from_ref(&vertex), &want);
        }
        assert_eq!(dispatched(&gpu, vertex, want.len()), want, "{name}, dispatched");
    }
}

/// The captures of a compute shader for three vertices: `floats_wanted` floats.
fn dispatched(gpu: &Gpu, mut vertex: ntv::Shader, floats_wanted: usize) -> Vec<f32> {
    let attributes = vec![pulled(0, None), pulled(1, None)];
    let options = Options::default().target(gpu.target().clone()).captures(BackEnd::Compute).attributes(attributes);
    let module = Translator::new(options).translate(&mut vertex, &EmitOptions::default()).expect("a module");
    let mut resources = Resources::new();
    resources.insert(ssbo(STATE_BINDING), words(&STATE.dispatch_words(&[0; 2])));
    resources.insert(ssbo(LIST_BINDING), words(&[0]));
    resources.insert(ssbo(BUFFER_BINDING), words(&vec![0; floats_wanted]));
    for (binding, values) in (VERTEX_BUFFER_BINDING..).zip([PLACES, VALUES]) {
        resources.insert(ssbo(binding), Resource::Buffer(floats(&values.concat())));
    }
    gpu.dispatch(&module.words, [1; 3], &mut resources);
    read(&resources, ssbo(BUFFER_BINDING)).into_iter().map(f32::from_bits).collect()
}

/// Makes one triangle of a patch, and captures the coordinates in the patch as the position.
fn tessellation() -> [ntv::Shader; 2] {
    let control = "    32 %1 = load_const (0x3f800000)\n    32x4 %2 = vec4 %1, %1, %1, %1\n    32x2 %3 = vec2 %1, %1\n"
        .to_string()
        + &store("%2", 1, "xyzw", "TESS_LEVEL_OUTER", "xfb(), xfb2()")
        + &store("%3", 2, "xy", "TESS_LEVEL_INNER", "xfb(), xfb2()");
    let evaluation =
        "    32x3 %1 = @load_tess_coord\n    32 %2 = load_const (0x3fc00000)\n    32x4 %3 = vec4 %1.x, %1.y, %1.z, %2\n"
            .to_string() + &store("%3", 0, "xyzw", "POS", "xfb(components=0..3 buffer=0 offset=0), xfb2()");
    let captures = "xfb_stride: {4, 0, 0, 0}\nhas_transform_feedback_varyings: true\n";
    let header = format!("{captures}primitive_mode: 1\ntcs_vertices_out: 3\nspacing: 1\nccw: true\n");
    [shader("TESS_CTRL", "tcs_vertices_out: 3\n", &control), shader("TESS_EVAL", &header, &evaluation)]
}

#[test]
fn captures_are_the_outputs_of_the_evaluation_shader() {
    let gpu = Gpu::open();
    let vertex = shader("VERTEX", "", &format!("{INPUTS}{}", store("%1", 0, "xyzw", "POS", "xfb(), xfb2()")));
    let [control, evaluation] = tessellation();
    let want = [[0., 0., 1., 1.5], [0., 1., 0., 1.5], [1., 0., 0., 1.5]].concat();
    assert_captured(&gpu, BackEnd::Extension, "tessellation", &[vertex, control, evaluation], &want);
}

#[test]
fn captures_are_the_vertices_of_the_geometry_shader() {
    let gpu = Gpu::open();
    let vertex = shader("VERTEX", "", &format!("{INPUTS}{}", store("%1", 0, "xyzw", "POS", "xfb(), xfb2()")));
    let mirrored = PLACES.map(|place| place.map(|number| -number));
    let want = [PLACES, mirrored].concat().concat();
    for back_end in [BackEnd::Extension, BackEnd::Storage] {
        assert_captured(&gpu, back_end, "a geometry shader", &[vertex.clone(), geometry()], &want);
    }
}
