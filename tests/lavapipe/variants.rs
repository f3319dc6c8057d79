// SPDX-License-Identifier: MIT

//! Variants and links as pictures: rotated back they are the original picture, and varyings that a link removes change nothing.

use crate::drawn::DRAWN;
use crate::gpu::{floats, from_bytes, Gpu};
use crate::stages::shader;
use crate::support;
use ntv::import::import;
use ntv::link::link;
use ntv::module::OptionId;
use ntv::variant::{NumberedModule, Program};
use ntv::{EmitOptions, Key, Module, Options, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Resources};

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// The size of the picture for the shaders.
pub(crate) const SIZE: [u32; 2] = [8, 6];

/// A value that is never drawn.
pub(crate) const CLEAR: f32 = -9.0;

/// A triangle around the whole picture, with depths that are inside of the clip volume in both conventions.
pub(crate) const TRIANGLE: [[f32; 4]; 3] = [[-1., -1., 0.25, 1.], [3., -1., 0.25, 1.], [-1., 3., 0.25, 1.]];

pub(crate) type Pixels = Vec<[f32; 4]>;

/// Copies attribute 0 to the position, attribute 1 to VAR0.
const VERTEX: &str = "\
    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
    32x4 %2 = @load_input (%0) (base=1, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC1 slots=1)
    @store_output (%2, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
";

/// Instructions for points of six pixels.
pub(crate) const POINT_SIZE: &str = "\
    32 %3 = load_const (0x40c00000)
    @store_output (%3, %0) (base=2, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PSIZ slots=1)
";

/// Push constants with a fact in the second number.
pub(crate) const PUSHED: &str = "\
// ntv: struct=gfx_pushconst { float other offset=0, uint[1] fact offset=4 stride=4 }
decl_var push_const INTERP_MODE_NONE none gfx_pushconst gfx_pushconst
";

/// The input of a fragment shader in `%9`, before it is written.
const VARYING: &str = "\
    32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
";

/// The name, and the code.
const FRAGMENTS: [(&str, &str); 6] = [
    ("FragCoord", "    32x4 %9 = @load_frag_coord\n"),
    (
        "derivatives",
        "    32 %3 = mov %2.x\n    32 %4 = @ddx (%3)\n    32 %5 = @ddy (%3)\n    32 %6 = @ddx_fine (%3)\n    32 %7 = @ddy_coarse (%3)\n    32x4 %9 = vec4 %4, %5, %6, %7\n",
    ),
    (
        "interpolateAtOffset",
        "    32x2 %3 = load_const (0x3e800000, 0xbe000000)\n    32x2 %4 = @load_barycentric_at_offset (%3) (interp_mode=INTERP_MODE_SMOOTH)\n    32x4 %9 = @load_interpolated_input (%4, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n",
    ),
    ("SamplePosition", "    32x2 %3 = @load_sample_pos\n    32x4 %9 = vec4 %3.x, %3.y, %2.x, %2.y\n"),
    ("FrontFacing", "    1 %3 = @load_front_face\n    32 %4 = b2f32 %3\n    32x4 %9 = vec4 %4, %2.x, %2.y, %2.z\n"),
    ("PointCoord", "    32x2 %3 = @load_point_coord\n    32x4 %9 = vec4 %3.x, %3.y, %2.x, %2.y\n"),
];

pub(crate) fn write(value: &str, target: u32) -> String {
    format!("    @store_output ({value}, %0) (base={target}, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA{target} slots=1)\n")
}

/// A module of a shader, with all late options.
fn emit(gpu: &Gpu, mut shader: ntv::Shader) -> Module {
    emit_with(gpu, &mut shader, ntv::PushConstants::default())
}

/// A module of a shader, with all late options and facts in the push constants.
pub(crate) fn emit_with(gpu: &Gpu, shader: &mut ntv::Shader, pushed: ntv::PushConstants) -> Module {
    let options = EmitOptions::default().offer(u64::MAX).linkable(true).push_constants(pushed);
    let mut translator = Translator::new(Options::default().target(gpu.target().clone()));
    translator.translate(shader, &options).expect("a module")
}

fn vertex(gpu: &Gpu, points: bool) -> Module {
    emit(gpu, shader("VERTEX", "", &format!("{VERTEX}{}", if points { POINT_SIZE } else { "" })))
}

fn fragment(gpu: &Gpu, body: &str) -> Module {
    emit(gpu, shader("FRAGMENT", "", &format!("{VARYING}{body}{}", write("%9", 0))))
}

/// Links the stages and draws `vertices` for `key` to a window of the key's size.
fn draw(gpu: &Gpu, stages: [&Module; 2], key: &Key, places: &[[f32; 4]], size: [u32; 2]) -> Pixels {
    draw_with(gpu, stages, key, places, size, &[])
}

/// Links the stages and draws `vertices` with push constants.
pub(crate) fn draw_with(
    gpu: &Gpu,
    stages: [&Module; 2],
    key: &Key,
    places: &[[f32; 4]],
    size: [u32; 2],
    push_constants: &[u8],
) -> Pixels {
    let linked = link(&stages, Vec::new()).expect("a link").modules;
    let shaders = linked.into_iter().zip(0..).map(|(module, id)| NumberedModule { id, module: module.into() });
    let program = Program::new(shaders.collect()).expect("a program");
    let keys = program.keys(key).expect("a key that it takes");
    let words: Vec<Vec<u32>> = keys.map(|(shader, key)| instantiated(&shader.module, &key)).collect();
    // A plane over the picture with different slopes in x and y.
    let plane = |place: &[f32; 4]| [3. * place[0] + 5. * place[1], place[1], 7. - place[0], 1.];
    let (places, values) = (floats(&places.concat()), floats(&places.iter().flat_map(plane).collect::<Vec<f32>>()));
    let attribute = |location, bytes| Attribute { location, format: FORMAT, bytes, per_instance: false };
    let count = places.len() as u32 / 16;
    let draw = Draw {
        modules: &[&words[0], &words[1]],
        topology: if count == 1 { vk::PrimitiveTopology::POINT_LIST } else { vk::PrimitiveTopology::TRIANGLE_LIST },
        vertices: count,
        attributes: &[attribute(0, &places), attribute(1, &values)],
        size,
        push_constants,
        attachments: &[Attachment { format: FORMAT, clear: floats(&[CLEAR; 4]) }],
        ..Draw::default()
    };
    let drawn = gpu.draw(&draw, &mut Resources::new());
    pixels(&drawn.attachments[0])
}

fn pixels(bytes: &[u8]) -> Pixels {
    let values: Vec<f32> = from_bytes(bytes).into_iter().map(f32::from_bits).collect();
    values.chunks_exact(4).map(|pixel| pixel.try_into().expect("four")).collect()
}

/// The words of a module for a key.
fn instantiated(module: &Module, key: &Key) -> Vec<u32> {
    let mut words = Vec::new();
    module.instantiate(key, &mut words).expect("a key that it takes");
    words
}

/// The size of the window of a picture with a key.
pub(crate) fn window(key: &Key) -> [u32; 2] {
    let [width, height] = SIZE;
    if key.bits & Key::SWAP_XY != 0 {
        [height, width]
    } else {
        [width, height]
    }
}

/// The picture of a window, rotated back.
fn turn_back(key: &Key, pixels: &[[f32; 4]]) -> Pixels {
    let [width, height] = window(key);
    let mut out = vec![[0.; 4]; pixels.len()];
    for (y, row) in pixels.chunks_exact(width as usize).enumerate() {
        for (x, pixel) in row.iter().enumerate() {
            let x = if key.bits & Key::FLIP_X != 0 { width as usize - 1 - x } else { x };
            let y = if key.bits & Key::FLIP_Y != 0 { height as usize - 1 - y } else { y };
            let (x, y) = if key.bits & Key::SWAP_XY != 0 { (y, x) } else { (x, y) };
            out[y * SIZE[0] as usize + x] = *pixel;
        }
    }
    out
}

pub(crate) fn assert_close(name: &str, got: &[[f32; 4]], want: &[[f32; 4]]) {
    for (number, (got, want)) in got.iter().zip(want).enumerate() {
        let close = got.iter().zip(want).all(|(a, b)| (a - b).abs() <= 1e-4);
        assert!(close, "{name}: pixel {number} is {got:?}, not {want:?}");
    }
}

/// The test of each option that is tested by pictures.
const TESTS: &[(OptionId, fn())] = &[
    (OptionId::UnusedVaryings, removed_varyings_do_not_change_pictures),
    (OptionId::SwapXy, turned_pictures_equal_the_plain_one),
    (OptionId::FlipX, turned_pictures_equal_the_plain_one),
    (OptionId::FlipY, turned_pictures_equal_the_plain_one),
    (OptionId::GlDepth, without_the_bit_gl_depth_is_clipped),
    (OptionId::Discard, without_the_bit_gl_depth_is_clipped),
    (OptionId::PointSize, points_have_a_size_if_the_key_sets_it),
    (OptionId::NoSampleMask, a_mask_of_samples_is_ignored_if_the_key_says_so),
    (OptionId::FlipPointCoord, flipped_point_coordinates_are_the_same_in_turned_pictures),
    (OptionId::FlatShading, flat_colors_are_those_of_a_vertex),
    (OptionId::ClampColors, clamped_colors_are_between_0_and_1),
    (OptionId::AlphaTest, pixels_are_discarded_unless_alpha_passes),
    (OptionId::Dither, dithered_pictures_equal_those_of_the_cpu),
];

#[test]
fn each_drawn_option_has_a_test() {
    let tested: Vec<OptionId> = TESTS.iter().map(|test| test.0).collect();
    assert_eq!(tested, DRAWN);
}

#[test]
fn turned_pictures_equal_the_plain_one() {
    let gpu = Gpu::open();
    for (name, body) in FRAGMENTS {
        let points = name == "PointCoord";
        let (vertex, fragment) = (vertex(&gpu, points), fragment(&gpu, body));
        let places = if points { vec![[0., 0., 0.25, 1.]] } else { TRIANGLE.to_vec() };
        let plain = draw(&gpu, [&vertex, &fragment], &Key::default(), &places, SIZE);
        assert!(plain.iter().filter(|pixel| pixel[0] != CLEAR).count() >= 36, "{name} draws little");
        // GL's depth -0.5 is Vulkan's 0.25.
        let gl_places: Vec<[f32; 4]> = places.iter().map(|[x, y, _, w]| [*x, *y, -0.5, *w]).collect();
        for orientation in 0..8 {
            for depth in [0, Key::GL_DEPTH] {
                let bits = orientation << Key::SWAP_XY.trailing_zeros() | depth;
                let mut key = Key::new(bits);
                key.size = window(&key);
                let places = if depth == 0 { &places } else { &gl_places };
                let turned = draw(&gpu, [&vertex, &fragment], &key, places, key.size);
                let mut turned = turn_back(&key, &turned);
                // An odd number of mirrors reverses the winding; the driver sets that in the pipeline.
                if name == "FrontFacing" && (bits & Key::ORIENTATION).count_ones() % 2 == 1 {
                    turned.iter_mut().for_each(|pixel| pixel[0] = 1. - pixel[0]);
                }
                assert_close(&format!("{name}, {key}"), &turned, &plain);
            }
        }
    }
}

/// Y of gl_PointCoord is flipped in the shader's view of the window, however the image is turned.
#[test]
fn flipped_point_coordinates_are_the_same_in_turned_pictures() {
    let gpu = Gpu::open();
    let (_, body) = FRAGMENTS.into_iter().find(|row| row.0 == "PointCoord").expect("a shader that reads it");
    let (vertex, fragment) = (vertex(&gpu, true), fragment(&gpu, body));
    let places = [[0., 0., 0.25, 1.]];
    let mut flipped = draw(&gpu, [&vertex, &fragment], &Key::default(), &places, SIZE);
    for pixel in flipped.iter_mut().filter(|pixel| pixel[0] != CLEAR) {
        pixel[1] = 1. - pixel[1];
    }
    for orientation in 0..8 {
        let mut key = Key::new(orientation << Key::SWAP_XY.trailing_zeros() | Key::FLIP_POINT_COORD);
        key.size = window(&key);
        let drawn = draw(&gpu, [&vertex, &fragment], &key, &places, key.size);
        assert_close(&key.to_string(), &turn_back(&key, &drawn), &flipped);
    }
}

/// The only sample of a pixel is not in the mask: Vulkan draws nothing, GL ignores the mask.
#[test]
fn a_mask_of_samples_is_ignored_if_the_key_says_so() {
    let gpu = Gpu::open();
    let mask = "    @store_output (%0, %0) (base=1, range=1, wrmask=x, component=0, src_type=int32, io location=FRAG_RESULT_SAMPLE_MASK slots=1)\n    32x4 %9 = mov %2\n";
    let (vertex, masked) = (vertex(&gpu, false), fragment(&gpu, mask));
    let plain = draw(&gpu, [&vertex, &fragment(&gpu, "    32x4 %9 = mov %2\n")], &Key::default(), &TRIANGLE, SIZE);
    let nothing = draw(&gpu, [&vertex, &masked], &Key::default(), &TRIANGLE, SIZE);
    assert!(nothing.iter().all(|pixel| pixel[0] == CLEAR), "a sample outside of the mask is drawn");
    let drawn = draw(&gpu, [&vertex, &masked], &Key::new(Key::NO_SAMPLE_MASK), &TRIANGLE, SIZE);
    assert!(drawn.iter().all(|pixel| pixel[0] != CLEAR));
    assert_close("an ignored mask", &drawn, &plain);
}

#[test]
fn without_the_bit_gl_depth_is_clipped() {
    let gpu = Gpu::open();
    let stages = [&vertex(&gpu, false), &fragment(&gpu, FRAGMENTS[0].1)];
    let near = TRIANGLE.map(|[x, y, _, w]| [x, y, -0.5, w]);
    let plain = draw(&gpu, stages, &Key::default(), &near, SIZE);
    assert!(plain.iter().all(|pixel| pixel[0] == CLEAR));
    let nothing = draw(&gpu, stages, &Key::new(Key::DISCARD), &TRIANGLE, SIZE);
    assert!(nothing.iter().all(|pixel| pixel[0] == CLEAR), "a discarded primitive is drawn");
}

#[test]
fn points_have_a_size_if_the_key_sets_it() {
    let gpu = Gpu::open();
    let stages = [&vertex(&gpu, false), &fragment(&gpu, FRAGMENTS[0].1)];
    // Its only pixel is the one to the lower right of the middle.
    let drawn = draw(&gpu, stages, &Key::new(Key::POINT_SIZE), &[[0.125, 1. / 6., 0.25, 1.]], SIZE);
    let places: Vec<usize> = (0..drawn.len()).filter(|at| drawn[*at][0] != CLEAR).collect();
    assert_eq!(places, [3 * 8 + 4]);
    // With a size of three pixels in the push constants.
    let mut nir = shader("VERTEX", PUSHED, VERTEX);
    let pushed = ntv::PushConstants { alpha_reference: None, point_size: Some(4) };
    let stages = [&emit_with(&gpu, &mut nir, pushed), stages[1]];
    let place = [[0.125, 1. / 6., 0.25, 1.]];
    let drawn = draw_with(&gpu, stages, &Key::new(Key::POINT_SIZE), &place, SIZE, &floats(&[-7., 3.]));
    assert_eq!(drawn.iter().filter(|pixel| pixel[0] != CLEAR).count(), 9);
}

/// A flat colour has the value of the first vertex.
#[test]
fn flat_colors_are_those_of_a_vertex() {
    let gpu = Gpu::open();
    let vertex = emit(&gpu, shader("VERTEX", "", &VERTEX.replace("VAR0", "COL0")));
    let input = VARYING.replace("VAR0", "COL0").replace("SMOOTH", "NONE");
    let fragment = emit(&gpu, shader("FRAGMENT", "", &format!("{input}{}", write("%2", 0))));
    let pictures = [0, Key::FLAT_SHADING, Key::FLAT_SHADING | Key::SAMPLE_SHADING]
        .map(|bits| draw(&gpu, [&vertex, &fragment], &Key::new(bits), &TRIANGLE, SIZE));
    assert!(pictures[0].iter().any(|pixel| *pixel != pictures[0][0]));
    for flat in &pictures[1..] {
        assert_close("flat", flat, &vec![[-8., -1., 8., 1.]; flat.len()]);
    }
}

#[test]
fn dithered_pictures_equal_those_of_the_cpu() {
    let gpu = Gpu::open();
    let stages = [&vertex(&gpu, false), &fragment(&gpu, "    32x4 %9 = mov %2\n")];
    let plain = draw(&gpu, stages, &Key::default(), &TRIANGLE, SIZE);
    for (number, (name, widths)) in (1..).zip(Key::DITHERED_FORMATS) {
        let dithered = draw(&gpu, stages, &Key::new(Key::dither(0, number)), &TRIANGLE, SIZE);
        let expected = plain.iter().enumerate().map(|(at, pixel)| {
            let (x, y) = (at % SIZE[0] as usize % 2, at / SIZE[0] as usize % 2);
            let pattern = [[-3., 1.], [3., -1.]][y][x] / 8.;
            let step = |width: u32| if width == 0 { 0. } else { 1. / ((1u32 << width) - 1) as f32 };
            std::array::from_fn(|c| pixel[c] + step(widths[c]) * pattern)
        });
        assert_close(name, &dithered, &expected.collect::<Pixels>());
        assert!(dithered != plain, "{name} changes nothing");
    }
}

/// Colours of the picture are from -1 to 9: they are clamped, and dithered after that.
#[test]
fn clamped_colors_are_between_0_and_1() {
    let gpu = Gpu::open();
    let stages = [&vertex(&gpu, false), &fragment(&gpu, "    32x4 %9 = mov %2\n")];
    let [plain, clamped, both] = [0, Key::CLAMP_COLORS, Key::CLAMP_COLORS | Key::dither(0, 3)]
        .map(|bits| draw(&gpu, stages, &Key::new(bits), &TRIANGLE, SIZE));
    let expected: Pixels = plain.iter().map(|pixel| pixel.map(|value| value.clamp(0., 1.))).collect();
    assert_close("clamped", &clamped, &expected);
    assert!(plain != clamped && both != clamped);
    let step = 1. / 31.;
    assert!(both.iter().flatten().all(|value| (-step..=1. + step).contains(value)), "{both:?}");
}

/// The reference is the second number of the push constants.
#[test]
fn pixels_are_discarded_unless_alpha_passes() {
    let gpu = Gpu::open();
    let body = "    32x4 %9 = vec4 %2.x, %2.y, %2.z, %2.x\n";
    let mut nir = shader("FRAGMENT", PUSHED, &format!("{VARYING}{body}{}", write("%9", 0)));
    let pushed = ntv::PushConstants { alpha_reference: Some(4), point_size: None };
    let fragment = emit_with(&gpu, &mut nir, pushed);
    let stages = [&vertex(&gpu, false), &fragment];
    let drawn = |bits: u64, reference: f32| {
        draw_with(&gpu, stages, &Key::new(bits), &TRIANGLE, SIZE, &floats(&[-7., reference]))
    };
    let plain = drawn(0, 0.);
    let passes: [fn(f32, f32) -> bool; 7] =
        [|_, _| false, |a, b| a < b, |a, b| a == b, |a, b| a <= b, |a, b| a > b, |a, b| a != b, |a, b| a >= b];
    // The value of a pixel, and one of none.
    for reference in [plain[20][3], 0.4] {
        for (number, passes) in (1..).zip(passes) {
            let tested = drawn(Key::alpha_test(number), reference);
            let keep = |pixel: &[f32; 4]| if passes(pixel[3], reference) { *pixel } else { [CLEAR; 4] };
            let expected: Pixels = plain.iter().map(keep).collect();
            assert_close(&format!("alpha_test={}", Key::ALPHA_FUNCTIONS[number as usize - 1]), &tested, &expected);
        }
    }
    // Alpha is clamped before its test.
    let tested = drawn(Key::alpha_test(3) | Key::CLAMP_COLORS, 1.);
    let kept = tested.iter().filter(|pixel| pixel[3] == 1.).count();
    assert_eq!(kept, plain.iter().filter(|pixel| pixel[3] >= 1.).count());
}

#[test]
fn a_dithered_picture_may_be_turned() {
    let gpu = Gpu::open();
    let coord = "    32x4 %3 = @load_frag_coord\n    32x4 %4 = load_const (0x3d000000, 0x3d000000, 0x3d000000, 0x3d000000)\n    32x4 %9 = fmul %3, %4\n";
    let stages = [&vertex(&gpu, false), &fragment(&gpu, coord)];
    let dither = Key::dither(0, 3);
    let plain = draw(&gpu, stages, &Key::new(dither), &TRIANGLE, SIZE);
    let mut key = Key::new(dither | Key::FLIP_Y | Key::SWAP_XY);
    key.size = window(&key);
    let turned = draw(&gpu, stages, &key, &TRIANGLE, key.size);
    assert_close("dithered", &turn_back(&key, &turned), &plain);
}

#[test]
fn removed_varyings_do_not_change_pictures() {
    let gpu = Gpu::open();
    let more = "    @store_output (%2, %0) (base=2, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR5 slots=1)\n";
    let vertices = [VERTEX.to_string(), format!("{VERTEX}{more}")].map(|body| emit(&gpu, shader("VERTEX", "", &body)));
    let input = |id: u32, slot: &str| {
        format!("    32x4 %{id} = @load_interpolated_input (%1, %0) (base=1, component=0, dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n")
    };
    let offset = "    32x2 %5 = load_const (0x3e800000, 0xbe000000)\n    32x2 %6 = @load_barycentric_at_offset (%5) (interp_mode=INTERP_MODE_SMOOTH)\n    32x4 %7 = @load_interpolated_input (%6, %0) (base=2, component=0, dest_type=float32, io location=VARYING_SLOT_VAR9 slots=1)\n    32x4 %8 = fadd %3, %7\n    32x4 %10 = fadd %4, %8\n";
    let body = format!("{}{}{offset}    32x4 %9 = fadd %2, %10\n", input(3, "COL0"), input(4, "VAR7"));
    let fragments = [fragment(&gpu, "    32x4 %9 = mov %2\n"), fragment(&gpu, &body)];
    let plain = draw(&gpu, [&vertices[0], &fragments[0]], &Key::default(), &TRIANGLE, SIZE);
    let linked = draw(&gpu, [&vertices[1], &fragments[0]], &Key::default(), &TRIANGLE, SIZE);
    assert_close("an output that no stage reads", &linked, &plain);
    let linked = draw(&gpu, [&vertices[1], &fragments[1]], &Key::default(), &TRIANGLE, SIZE);
    // Zeros, and opaque black.
    let expected: Pixels = plain.iter().map(|[x, y, z, w]| [*x, *y, *z, w + 1.]).collect();
    assert_close("inputs that no stage writes", &linked, &expected);
}

/// Three stages of glslang's with interface blocks, imported and linked. They pass attribute 1 on, and add an input that is not
/// written.
#[test]
fn imported_blocks_are_drawn_member_by_member() {
    const VALUES: [[f32; 4]; 3] = [[1., 2., 3., 4.], [5., 6., 7., 8.], [0., 1., 0., 2.]];
    let gpu = Gpu::open();
    let modules = ["vertex", "geometry", "fragment"]
        .map(|stage| import(&support::assembled(&format!("tests/variants/blocks/{stage}.spvasm"))).expect("a module"));
    let linked = link(&modules.each_ref(), Vec::new()).expect("a link");
    assert!(linked.removed_outputs > 0 && linked.removed_inputs > 0);
    let words: Vec<Vec<u32>> = linked.modules.iter().map(|module| instantiated(module, &Key::default())).collect();
    let [places, values] = [TRIANGLE, VALUES].map(|it| floats(&it.concat()));
    let attribute = |location, bytes| Attribute { location, format: FORMAT, bytes, per_instance: false };
    let draw = Draw {
        modules: &[&words[0], &words[1], &words[2]],
        attributes: &[attribute(0, &places), attribute(1, &values)],
        size: SIZE,
        attachments: &[Attachment { format: FORMAT, clear: floats(&[CLEAR; 4]) }],
        ..Draw::default()
    };
    let drawn = pixels(&gpu.draw(&draw, &mut Resources::new()).attachments[0]);
    // The triangle is twice as wide and high as the picture.
    let expected = (0..SIZE[0] * SIZE[1]).map(|at| {
        let [x, y] = [at % SIZE[0], at / SIZE[0]].map(|place| (place as f32 + 0.5) / 2.);
        let (x, y) = (x / SIZE[0] as f32, y / SIZE[1] as f32);
        std::array::from_fn(|c| VALUES[0][c] * (1. - x - y) + VALUES[1][c] * x + VALUES[2][c] * y)
    });
    assert_close("imported blocks", &drawn, &expected.collect::<Pixels>());
}
