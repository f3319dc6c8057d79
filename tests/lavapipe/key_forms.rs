// SPDX-License-Identifier: MIT

//! Keys over the forms of inputs and outputs: programs that say the same in different ways give the same picture with each key and
//! each pair of keys, or do not offer the key.

use crate::gpu::{floats, Gpu};
use crate::stages::shader;
use crate::variants::{assert_close, draw_with, emit_with, window, write, Pixels};
use crate::variants::{CLEAR, POINT_SIZE, PUSHED, SIZE, TRIANGLE};
use ntv::variant::{NumberedModule, Program};
use ntv::{Key, Module, PushConstants};

/// A stage of a form: lines of the header and of the code, with `;` between them.
#[derive(Clone, Copy)]
struct Code(&'static str, &'static str);

/// A form: its name, its lines, and the options that it does not offer.
type Form = (&'static str, Code, &'static str);

/// The reference of the test of alpha, in the push constants.
const REFERENCE: f32 = 0.5;

/// Attributes 0 and 1, the position and a plane over the picture.
const ATTRIBUTES: &str = "32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1);32x4 %2 = @load_input (%0) (base=1, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC1 slots=1)";

/// The position and VAR0, TEX0 or COL0 as slots.
const POSITION: &str = "@store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)";

const VARYING: &str = "32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_NONE);32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_SLOT slots=1)";

const ARRAY_OUT: Code = Code(
    "decl_var shader_out INTERP_MODE_NONE none vec4 p (VARYING_SLOT_POS.xyzw, 0, 0);decl_var shader_out INTERP_MODE_NONE none vec4[2] t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)",
    "32 %3 = deref_var &p (shader_out vec4);@store_deref (%3, %1) (wrmask=xyzw, access=none);32 %4 = deref_var &t (shader_out vec4[2]);32 %5 = deref_array &(*%4)[0] (shader_out vec4);@store_deref (%5, %2) (wrmask=xyzw, access=none);32 %6 = deref_array &(*%4)[1] (shader_out vec4);@store_deref (%6, %2) (wrmask=xyzw, access=none)",
);

/// Writes `%2` to the first colour.
const OUTPUTS: &[Form] = &[
    ("slot", Code("", "@store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)"), ""),
    ("variable", Code("decl_var shader_out INTERP_MODE_NONE none vec4 c (FRAG_RESULT_DATA0.xyzw, 0, 0)", "32 %3 = deref_var &c (shader_out vec4);@store_deref (%3, %2) (wrmask=xyzw, access=none)"), ""),
    ("alpha of its own", Code("decl_var shader_out INTERP_MODE_NONE none vec3 c (FRAG_RESULT_DATA0.xyz, 0, 0);decl_var shader_out INTERP_MODE_NONE none float a (FRAG_RESULT_DATA0.w, 0, 0)", "32 %3 = deref_var &c (shader_out vec3);32x3 %4 = mov %2.xyz;@store_deref (%3, %4) (wrmask=xyz, access=none);32 %5 = deref_var &a (shader_out float);32 %6 = mov %2.w;@store_deref (%5, %6) (wrmask=x, access=none)"), ""),
    ("two halves", Code("decl_var shader_out INTERP_MODE_NONE none vec2 c (FRAG_RESULT_DATA0.xy, 0, 0);decl_var shader_out INTERP_MODE_NONE none vec2 d (FRAG_RESULT_DATA0.zw, 0, 0)", "32 %3 = deref_var &c (shader_out vec2);32x2 %4 = mov %2.xy;@store_deref (%3, %4) (wrmask=xy, access=none);32 %5 = deref_var &d (shader_out vec2);32x2 %6 = mov %2.zw;@store_deref (%5, %6) (wrmask=xy, access=none)"), ""),
    ("masks", Code("decl_var shader_out INTERP_MODE_NONE none vec4 c (FRAG_RESULT_DATA0.xyzw, 0, 0)", "32 %3 = deref_var &c (shader_out vec4);@store_deref (%3, %2) (wrmask=xw, access=none);@store_deref (%3, %2) (wrmask=yz, access=none)"), ""),
    ("all draw buffers", Code("", "@store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_COLOR slots=1)"), ""),
    ("16 bits", Code("", "16x4 %3 = f2f16 %2;@store_output (%3, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float16, io location=FRAG_RESULT_DATA0 slots=1)"), ""),
    ("array", Code("decl_var shader_out INTERP_MODE_NONE none vec4[2] c (FRAG_RESULT_DATA0.xyzw, 0, 0)", "32 %3 = deref_var &c (shader_out vec4[2]);32 %4 = deref_array &(*%3)[0] (shader_out vec4);@store_deref (%4, %2) (wrmask=xyzw, access=none)"), "dual_source,clamp_colors,alpha_test,dither"),
    ("dynamic index", Code("", "32x4 %3 = @load_frag_coord;32 %4 = mov %3.w;32 %5 = f2u32 %4;32 %6 = isub %5, %5;@store_output (%2, %6) (base=0, range=2, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=2)"), "dual_source,clamp_colors,alpha_test,dither"),
];

/// Reads SLOT, whose Location is LOCATION, to `%2`.
const INPUTS: &[Form] = &[
    ("slot", Code("", VARYING), ""),
    ("variable", Code("decl_var shader_in INTERP_MODE_NONE none vec4 t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4);32x4 %2 = @load_deref (%1) (access=none)"), ""),
    ("two halves", Code("decl_var shader_in INTERP_MODE_NONE none vec2 t (VARYING_SLOT_SLOT.xy, LOCATION, 0);decl_var shader_in INTERP_MODE_NONE none vec2 u (VARYING_SLOT_SLOT.zw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec2);32x2 %3 = @load_deref (%1) (access=none);32 %4 = deref_var &u (shader_in vec2);32x2 %5 = @load_deref (%4) (access=none);32x4 %2 = vec4 %3.x, %3.y, %5.x, %5.y"), ""),
    ("components", Code("decl_var shader_in INTERP_MODE_NONE none vec4 t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4);32 %3 = deref_array &(*%1)[1] (shader_in float);32 %4 = @load_deref (%3) (access=none);32x4 %5 = @load_deref (%1) (access=none);32x4 %2 = vec4 %5.x, %4, %5.z, %5.w"), ""),
    ("at the centroid", Code("decl_var shader_in INTERP_MODE_NONE none vec4 t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4);32x4 %2 = @interp_deref_at_centroid (%1)"), ""),
    ("centroid by slot", Code("", "32x2 %1 = @load_barycentric_centroid (interp_mode=INTERP_MODE_NONE);32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_SLOT slots=1)"), ""),
    ("at an offset of 0", Code("", "32x2 %3 = load_const (0x00000000, 0x00000000);32x2 %1 = @load_barycentric_at_offset (%3) (interp_mode=INTERP_MODE_NONE);32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_SLOT slots=1)"), ""),
    ("a component at an offset of 0", Code("decl_var shader_in INTERP_MODE_NONE none vec4 t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4);32 %3 = deref_array &(*%1)[1] (shader_in float);32x2 %4 = load_const (0x00000000, 0x00000000);32 %5 = @interp_deref_at_offset (%3, %4);32x4 %6 = @interp_deref_at_centroid (%1);32x4 %2 = vec4 %6.x, %5, %6.z, %6.w"), ""),
    ("at the own sample", Code("decl_var shader_in INTERP_MODE_NONE none vec4 t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4);32 %3 = @load_sample_id;32x4 %2 = @interp_deref_at_sample (%1, %3)"), ""),
];

/// Forms of an input of two slots, both of which a vertex shader writes.
const ARRAY_INPUTS: &[Form] = &[
    ("first element", Code("decl_var shader_in INTERP_MODE_NONE none vec4[2] t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4[2]);32 %3 = deref_array &(*%1)[0] (shader_in vec4);32x4 %2 = @load_deref (%3) (access=none)"), ""),
    ("second element", Code("decl_var shader_in INTERP_MODE_NONE none vec4[2] t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4[2]);32 %3 = deref_array &(*%1)[1] (shader_in vec4);32x4 %2 = @load_deref (%3) (access=none)"), ""),
    ("second element at the centroid", Code("decl_var shader_in INTERP_MODE_NONE none vec4[2] t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4[2]);32 %3 = deref_array &(*%1)[1] (shader_in vec4);32x4 %2 = @interp_deref_at_centroid (%3)"), ""),
    ("dynamic index", Code("decl_var shader_in INTERP_MODE_NONE none vec4[2] t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)", "32 %1 = deref_var &t (shader_in vec4[2]);32x4 %4 = @load_frag_coord;32 %5 = mov %4.w;32 %6 = f2u32 %5;32 %8 = load_const (0x00000001);32 %7 = ushr %6, %8;32 %3 = deref_array &(*%1)[%7] (shader_in vec4);32x4 %2 = @load_deref (%3) (access=none)"), "point_sprites"),
];

/// Writes `%1` to the position, and `%2` to VAR0.
const POSITIONS: &[Form] = &[
    ("slot", Code("", POSITION), ""),
    ("variable", Code("decl_var shader_out INTERP_MODE_NONE none vec4 p (VARYING_SLOT_POS.xyzw, 4294967295, 0)", "32 %3 = deref_var &p (shader_out vec4);@store_deref (%3, %1) (wrmask=xyzw, access=none)"), ""),
    ("components", Code("", "32 %3 = mov %1.x;32x3 %4 = mov %1.yzw;@store_output (%3, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1);@store_output (%4, %0) (base=0, range=1, wrmask=xyz, component=1, src_type=float32, io location=VARYING_SLOT_POS slots=1)"), ""),
];

/// A slot between the stages, and its Location.
type Slot = (&'static str, &'static str);

/// The lines of a dump, for a slot.
fn lines(code: &str, (slot, location): Slot) -> String {
    let all = code.split(';').filter(|line| !line.is_empty()).map(|line| format!("{line}\n"));
    all.collect::<String>()
        .replace("SLOT_SLOT", &format!("SLOT_{slot}"))
        .replace("LOCATION, ", &format!("{location}, "))
}

fn stage(gpu: &Gpu, name: &str, code: &[Code], slot: Slot, more: &str) -> Module {
    let [header, body] = [|code: &Code| code.0, |code: &Code| code.1]
        .map(|part| code.iter().map(|code| lines(part(code), slot)).collect::<String>());
    let pushed = PushConstants { alpha_reference: (name == "FRAGMENT").then_some(4), point_size: None };
    let header = if name == "FRAGMENT" { format!("{PUSHED}{header}") } else { header };
    emit_with(gpu, &mut shader(name, &header, &format!("{body}{more}")), pushed)
}

/// A vertex shader that writes the position and `slot`.
fn vertex(gpu: &Gpu, slot: Slot, more: &str) -> Module {
    let store = "@store_output (%2, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_SLOT slots=1)";
    stage(gpu, "VERTEX", &[Code("", ATTRIBUTES), Code("", POSITION), Code("", store)], slot, more)
}

/// The picture of a key; `None` if a stage does not offer it.
fn draw(gpu: &Gpu, stages: [&Module; 2], key: &Key, places: &[[f32; 4]]) -> Option<Pixels> {
    let shaders = stages.into_iter().zip(0..).map(|(module, id)| NumberedModule { id, module: module.clone().into() });
    let program = Program::new(shaders.collect()).expect("a program");
    program.keys(key).ok().map(drop)?;
    Some(draw_with(gpu, stages, key, places, key.size, &floats(&[-7., REFERENCE])))
}

/// Each key, and each pair of keys.
fn keys(names: &[&str]) -> Vec<Key> {
    let pairs = names.iter().enumerate().flat_map(|(at, a)| names[at..].iter().map(move |b| format!("{a},{b}")));
    let keys = pairs.map(|pair| Key::parse(&pair).expect("a key"));
    keys.map(|key| Key { size: window(&key), ..key }).collect()
}

/// The names of the options that both stages offer all of, of those of their stage.
fn withdrawn(stages: [&Module; 2]) -> String {
    let bits = stages.iter().fold(0, |bits, module| bits | Key::of_stage(module.stage) & !module.offered);
    Key::option_names(bits)
}

/// Draws all programs with all keys: the pictures are those of the first program, or there are none because the program does
/// not offer an option of the key.
fn compare(gpu: &Gpu, programs: &[(&str, [Module; 2], &str)], names: &[&str], places: &[[f32; 4]]) {
    let (_, first, _) = &programs[0];
    for (name, stages, refused) in programs {
        assert_eq!(withdrawn(stages.each_ref()), *refused, "{name}");
    }
    for key in keys(names) {
        let expected = draw(gpu, first.each_ref(), &key, places).expect("the first form offers all keys");
        for (name, stages, refused) in &programs[1..] {
            let refuses = Key::options(key.bits).any(|option| refused.split(',').any(|name| name == option.name()));
            let drawn = draw(gpu, stages.each_ref(), &key, places);
            assert_eq!(drawn.is_none(), refuses, "{name}, {key}");
            if let Some(drawn) = drawn {
                let exact = if *name == "16 bits" { 64. } else { 1. };
                let [drawn, expected] = [&drawn, &expected].map(|pixels| scaled(pixels, exact));
                assert_close(&format!("{name}, {key}"), &drawn, &expected);
            }
        }
    }
}

fn scaled(pixels: &[[f32; 4]], by: f32) -> Pixels {
    pixels.iter().map(|pixel| pixel.map(|value| value / by)).collect()
}

#[test]
fn keys_change_all_forms_of_a_colour() {
    let gpu = Gpu::open();
    let slot = ("VAR0", "0");
    let program = |(name, code, refused): &Form| {
        let fragment = stage(&gpu, "FRAGMENT", &[Code("", VARYING), *code], slot, "");
        (*name, [vertex(&gpu, slot, ""), fragment], *refused)
    };
    let programs: Vec<_> = OUTPUTS.iter().map(program).collect();
    let keys = ["clamp_colors", "dither0=565", "alpha_test=gequal", "alpha_test=never", "flip_y", "sample_shading"];
    compare(&gpu, &programs, &keys, &TRIANGLE);
}

/// A colour without alpha, and a shader without a colour: nothing passes a test that never passes.
#[test]
fn no_alpha_passes_never() {
    let gpu = Gpu::open();
    let slot = ("VAR0", "0");
    let depth = Code("", "32 %3 = mov %2.z;@store_output (%3, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DEPTH slots=1)");
    let colour = Code("", "32x3 %4 = mov %2.xyz;@store_output (%4, %0) (base=0, range=1, wrmask=xyz, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)");
    let fragment = stage(&gpu, "FRAGMENT", &[Code("", VARYING), depth, colour], slot, "");
    let stages = [&vertex(&gpu, slot, ""), &fragment];
    let is_empty = ["alpha_test=never", "alpha_test=less", "alpha_test=never,clamp_colors,dither0=565"].map(|key| {
        let key = Key { size: SIZE, ..Key::parse(key).expect("a key") };
        let drawn = draw(&gpu, stages, &key, &TRIANGLE).expect("a key that it offers");
        drawn.iter().all(|pixel| *pixel == [CLEAR; 4])
    });
    assert_eq!(is_empty, [true, false, true]);
}

/// No built-in has the point coordinate at a sample that the shader numbers.
#[test]
fn a_coordinate_at_a_numbered_sample_is_not_replaced() {
    let gpu = Gpu::open();
    let code = Code(
        "decl_var shader_in INTERP_MODE_NONE none vec4 t (VARYING_SLOT_SLOT.xyzw, LOCATION, 0)",
        "32 %1 = deref_var &t (shader_in vec4);32x4 %2 = @interp_deref_at_sample (%1, %0)",
    );
    let [first, second] = ["TEX0", "TEX1"].map(|slot| {
        let fragment = stage(&gpu, "FRAGMENT", &[code], (slot, "35"), &write("%2", 0));
        Key::POINT_SPRITES & !fragment.offered
    });
    assert_eq!([first, second], [Key::point_sprite(0), Key::point_sprite(1)]);
}

#[test]
fn keys_change_all_forms_of_a_texture_coordinate() {
    let gpu = Gpu::open();
    let slot = ("TEX0", "35");
    let point = POINT_SIZE.replace("%3", "%9");
    let fragment = |code: &Code| stage(&gpu, "FRAGMENT", &[*code], slot, &write("%2", 0));
    let program = |(name, code, refused): &Form| (*name, [vertex(&gpu, slot, &point), fragment(code)], *refused);
    let arrays = |(name, code, refused): &Form| {
        let size = "decl_var shader_out INTERP_MODE_NONE none float s (VARYING_SLOT_PSIZ.x, 4294967295, 0)";
        let stored = "32 %7 = deref_var &s (shader_out float);32 %8 = load_const (0x40c00000);@store_deref (%7, %8) (wrmask=x, access=none)";
        let vertex = stage(&gpu, "VERTEX", &[Code("", ATTRIBUTES), ARRAY_OUT, Code(size, stored)], slot, "");
        (*name, [vertex, fragment(code)], *refused)
    };
    let programs: Vec<_> = INPUTS.iter().map(program).chain(ARRAY_INPUTS.iter().map(arrays)).collect();
    // Without the option, lavapipe has no value for an input at a place of the shader's choice in a point.
    let keys =
        ["", "flip_point_coord", "flip_y", "swap_xy", "sample_shading"].map(|key| format!("sprite0,sprite1,{key}"));
    compare(&gpu, &programs, &keys.each_ref().map(String::as_str), &[[0., 0., 0.25, 1.]]);
}

/// The point has six pixels.
#[test]
fn a_point_coordinate_is_moved_by_an_offset() {
    let gpu = Gpu::open();
    let slot = ("TEX0", "35");
    let moved = Code("", "32x2 %3 = load_const (0x3e800000, 0xbe000000);32x2 %1 = @load_barycentric_at_offset (%3) (interp_mode=INTERP_MODE_NONE);32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_TEX0 slots=1)");
    // 1/24 and -1/48.
    let added = Code("", "32x2 %3 = load_const (0x3d2aaaab, 0xbcaaaaab);32x2 %4 = @load_point_coord;32x2 %5 = fadd %3, %4;32 %6 = load_const (0x3f800000);32x4 %2 = vec4 %5.x, %5.y, %0, %6");
    let vertex = vertex(&gpu, slot, &POINT_SIZE.replace("%3", "%9"));
    let [moved, added] = [moved, added].map(|code| stage(&gpu, "FRAGMENT", &[code], slot, &write("%2", 0)));
    for key in keys(&["sprite0", "flip_x", "flip_y", "swap_xy"]) {
        let key = Key { bits: key.bits | Key::point_sprite(0), ..key };
        let [moved, added] =
            [&moved, &added].map(|fragment| draw(&gpu, [&vertex, fragment], &key, &[[0., 0., 0.25, 1.]]));
        assert_close(&key.to_string(), &moved.expect("a picture"), &added.expect("a picture"));
    }
}

#[test]
fn keys_change_all_forms_of_a_colour_between_stages() {
    let gpu = Gpu::open();
    let slot = ("COL0", "32");
    let fragment = |code: &Code| stage(&gpu, "FRAGMENT", &[*code], slot, &write("%2", 0));
    let program = |(name, code, _): &Form| (*name, [vertex(&gpu, slot, ""), fragment(code)], "");
    let arrays = |(name, code, _): &Form| {
        let vertex = stage(&gpu, "VERTEX", &[Code("", ATTRIBUTES), ARRAY_OUT], slot, "");
        (*name, [vertex, fragment(code)], "clamp_colors")
    };
    let programs: Vec<_> = INPUTS.iter().map(program).chain(ARRAY_INPUTS.iter().map(arrays)).collect();
    compare(&gpu, &programs, &["flat_shading", "sample_shading", "flip_x", "early_fragment_tests"], &TRIANGLE);
    compare(&gpu, &programs[..INPUTS.len()], &["flat_shading", "clamp_colors"], &TRIANGLE);
}

#[test]
fn keys_change_all_forms_of_a_position() {
    let gpu = Gpu::open();
    let slot = ("VAR0", "0");
    let varying = Code(
        "decl_var shader_out INTERP_MODE_NONE none vec4 v (VARYING_SLOT_VAR0.xyzw, 0, 0)",
        "32 %8 = deref_var &v (shader_out vec4);@store_deref (%8, %2) (wrmask=xyzw, access=none)",
    );
    let fragment = stage(&gpu, "FRAGMENT", &[Code("", VARYING)], slot, &write("%2", 0));
    let program = |(name, code, refused): &Form| {
        let vertex = stage(&gpu, "VERTEX", &[Code("", ATTRIBUTES), *code, varying], slot, "");
        (*name, [vertex, fragment.clone()], *refused)
    };
    let programs: Vec<_> = POSITIONS.iter().map(program).collect();
    compare(&gpu, &programs, &["swap_xy", "flip_x", "flip_y", "gl_depth", "discard", "point_size"], &TRIANGLE);
    // Without a position.
    let vertex = stage(&gpu, "VERTEX", &[Code("", ATTRIBUTES), varying], slot, "");
    for names in ["discard", "discard,flip_y,gl_depth", "discard,point_size"] {
        let key = Key { size: SIZE, ..Key::parse(names).expect("a key") };
        let drawn = draw(&gpu, [&vertex, &fragment], &key, &TRIANGLE).expect("a key that it offers");
        assert!(drawn.iter().all(|pixel| *pixel == [CLEAR; 4]), "{names}");
    }
}
