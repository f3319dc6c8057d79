// SPDX-License-Identifier: MIT

//! Vertex shaders that run as compute shaders: their reads of vertex buffers, and the parameters of the draw.

use crate::gpu::{floats, read, ssbo, words, Gpu};
use crate::stages::shader;
use ntv::capture::{Attribute, AttributeFormat, BackEnd, CaptureState};
use ntv::capture::{BUFFER_BINDING, LIST_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::{EmitOptions, Options, Translator};
use ntv_driver::headless::{Resource, Resources};

const FIRST_VERTEX: u32 = 3;
const FIRST_INSTANCE: u32 = 2;

/// A draw of points.
#[derive(Clone, Copy)]
struct Points {
    vertices: u32,
    instances: u32,
}

/// A vertex buffer, and the bytes before it in the storage buffer.
struct VertexBuffer {
    bytes: Vec<u8>,
    skipped: u32,
}

/// The captures of `shader`: `stride` words of each vertex of each instance.
fn captured(
    gpu: &Gpu,
    mut shader: ntv::Shader,
    attributes: &[Attribute],
    Points { vertices, instances }: Points,
    buffers: &[VertexBuffer],
    stride: usize,
) -> Vec<Vec<u32>> {
    let attributes = attributes.to_vec();
    let options = Options::default().target(gpu.target().clone()).captures(BackEnd::Compute).attributes(attributes);
    let module = Translator::new(options).translate(&mut shader, &EmitOptions::default()).expect("a module");
    let state = CaptureState {
        is_active: true,
        first_vertex: FIRST_VERTEX,
        vertices,
        first_instance: FIRST_INSTANCE,
        instances,
        draw: 9,
        primitives_most: u32::MAX,
        ..CaptureState::INACTIVE
    };
    let skipped: Vec<u32> = buffers.iter().map(|buffer| buffer.skipped).collect();
    let mut resources = Resources::new();
    resources.insert(ssbo(STATE_BINDING), words(&state.dispatch_words(&skipped)));
    resources.insert(ssbo(BUFFER_BINDING), words(&vec![0; stride * (vertices * instances) as usize]));
    resources.insert(ssbo(LIST_BINDING), words(&[0]));
    for (binding, buffer) in (VERTEX_BUFFER_BINDING..).zip(buffers) {
        resources.insert(ssbo(binding), Resource::Buffer(buffer.bytes.clone()));
    }
    gpu.dispatch(&module.words, [vertices.div_ceil(64), instances, 1], &mut resources);
    read(&resources, ssbo(BUFFER_BINDING)).chunks_exact(stride).map(<[u32]>::to_vec).collect()
}

/// A format for this test: the first bit and the number of bits of each component, red first.
struct Format {
    name: String,
    bits: Vec<(usize, usize)>,
    numbers: &'static str,
}

fn formats() -> Vec<Format> {
    let integers = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT"];
    let mut all = Vec::new();
    for size in [8, 16, 32, 64] {
        let floats = ["SFLOAT"].into_iter().filter(|_| size != 8);
        for numbers in integers.into_iter().filter(|_| size != 64).chain(floats) {
            for count in 1..=4 {
                let channels: String = ["R", "G", "B", "A"][..count].iter().map(|c| format!("{c}{size}")).collect();
                let bits = (0..count).map(|c| (c * size, size)).collect();
                all.push(Format { name: format!("{channels}_{numbers}"), bits, numbers });
            }
        }
    }
    for numbers in integers {
        let packed = |name, bits: [(usize, usize); 4]| Format { name, bits: bits.to_vec(), numbers };
        let rgba = [(0, 10), (10, 10), (20, 10), (30, 2)];
        all.push(packed(format!("A2B10G10R10_{numbers}_PACK32"), rgba));
        all.push(packed(format!("A2R10G10B10_{numbers}_PACK32"), [rgba[2], rgba[1], rgba[0], rgba[3]]));
        all.push(packed(format!("B8G8R8A8_{numbers}"), [(16, 8), (8, 8), (0, 8), (24, 8)]));
    }
    all
}

/// The value of component `c` in `bytes` as a double, decoded bit by bit; or its default.
fn decoded(format: &Format, bytes: &[u8], c: usize) -> f64 {
    let Some((first, count)) = format.bits.get(c).copied() else { return if c == 3 { 1. } else { 0. } };
    let bit = |at: usize| u64::from(bytes[at / 8] >> (at % 8) & 1);
    let raw = (0..count).fold(0, |raw, i| raw | bit(first + i) << i);
    let signed = ((raw << (64 - count)) as i64 >> (64 - count)) as f64;
    let most = |bits: usize| ((1u64 << bits) - 1) as f64;
    match (format.numbers, count) {
        ("UNORM", _) => raw as f64 / most(count),
        ("SNORM", _) => (signed / most(count - 1)).max(-1.),
        ("USCALED" | "UINT", _) => raw as f64,
        ("SSCALED" | "SINT", _) => signed,
        (_, 64) => f64::from_bits(raw),
        (_, 32) => f32::from_bits(raw as u32).into(),
        _ => half(raw as u16),
    }
}

fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0. => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024. + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 {
        -size
    } else {
        size
    }
}

/// Whether the words of a vector are equal to `want`: the same bits, except that all NaNs are equal, and that a fraction may
/// differ by the error of a division (Vulkan, "Precision and Operation of SPIR-V Instructions": 2.5 ULP).
fn are(format: &Format, words: &[u32], want: [f64; 4]) -> bool {
    let is = |c: usize, want: f64| match format.numbers {
        "UINT" => words[c] == want as u32,
        "SINT" => words[c] == want as i32 as u32,
        _ if words.len() == 8 => {
            let found = f64::from_bits(u64::from(words[2 * c]) | u64::from(words[2 * c + 1]) << 32);
            found.to_bits() == want.to_bits() || found.is_nan() && want.is_nan()
        }
        numbers => {
            let (found, want) = (f32::from_bits(words[c]), want as f32);
            let room = if numbers.ends_with("NORM") { want.abs() * 3e-7 } else { 0. };
            found.to_bits() == want.to_bits() || (found - want).abs() <= room || found.is_nan() && want.is_nan()
        }
    };
    (0..).zip(want).all(|(c, want)| is(c, want))
}

/// Captures attribute 0, a vector of four.
fn copies(format: &Format) -> ntv::Shader {
    let (ty, words) = match format.numbers {
        "UINT" => ("uvec4", "VAR0.xyzw:0+0/16"),
        "SINT" => ("ivec4", "VAR0.xyzw:0+0/16"),
        _ if format.name.starts_with("R64") => ("dvec4", "VAR0.xyzw:0+0/32\n// ntv: xfb=VAR1.xyzw:0+16/32"),
        _ => ("vec4", "VAR0.xyzw:0+0/16"),
    };
    let bits = if ty == "dvec4" { 64 } else { 32 };
    let header = format!(
        "// ntv: xfb={words}\n\
         decl_var shader_in INTERP_MODE_NONE none {ty} p (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)\n\
         decl_var shader_out INTERP_MODE_FLAT none {ty} a (VARYING_SLOT_VAR0.xyzw, 0, 0)\n"
    );
    let body = format!(
        "    32 %1 = deref_var &p (shader_in {ty})\n    {bits}x4 %2 = @load_deref (%1) (access=none)\n    \
         32 %3 = deref_var &a (shader_out {ty})\n    @store_deref (%3, %2) (wrmask=xyzw, access=none)\n"
    );
    shader("VERTEX", &header, &body)
}

/// Pseudo-random bytes, with the extreme values among them.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        match state >> 28 {
            0 => 0,
            1 => 0xff,
            2 => 0x80,
            3 => 0x7f,
            _ => (state >> 16) as u8,
        }
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn attributes_match_their_formats() {
    let gpu = Gpu::open();
    let draw = Points { vertices: 5, instances: 5 };
    let formats = formats();
    assert_eq!(formats.len(), 4 * (6 + 7 + 7 + 1) + 18);
    for (number, format) in formats.iter().enumerate() {
        let known = AttributeFormat::from_name(&format.name).unwrap_or_else(|| panic!("{}", format.name));
        let bytes = format.bits.iter().map(|(first, count)| first + count).max().unwrap_or(0).div_ceil(8);
        assert_eq!(known.bytes() as usize, bytes, "{}", format.name);
        for (i, divisor) in [None, Some(0), Some(1), Some(2)].into_iter().enumerate() {
            // All remainders of 4, and elements that overlap or have gaps.
            let (offset, skipped, stride) =
                ((number + i) % 7, i * 3 % 5, [bytes, bytes + 1, bytes + 3, 1][(i + number) % 4]);
            let element = |vertex: u32, instance: u32| match divisor {
                None => FIRST_VERTEX + vertex,
                Some(0) => FIRST_INSTANCE,
                Some(divisor) => FIRST_INSTANCE + instance / divisor,
            };
            let last = element(draw.vertices - 1, draw.instances - 1) as usize;
            // The size is that of the attributes, without further words.
            let size = (skipped + offset + last * stride + bytes).next_multiple_of(4);
            let buffer = VertexBuffer { bytes: noise(size), skipped: skipped as u32 };
            let data = buffer.bytes.clone();
            let [offset_bytes, stride_bytes] = [offset as u32, stride as u32];
            let attribute = Attribute {
                location: 0,
                format: known,
                binding: 0,
                offset: offset_bytes,
                stride: stride_bytes,
                divisor,
            };
            let words = if format.name.starts_with("R64") { 8 } else { 4 };
            let found = captured(&gpu, copies(format), &[attribute], draw, &[buffer], words);
            for (point, found) in (0..).zip(&found) {
                let element = element(point % draw.vertices, point / draw.vertices) as usize;
                let bytes = &data[skipped + offset + element * stride..];
                let want = [0, 1, 2, 3].map(|c| decoded(format, bytes, c));
                assert!(are(format, found, want), "{} {attribute:?} {point}: {found:x?}, not {want:?}", format.name);
            }
        }
    }
}

/// The values of its draw that a vertex shader can read.
const VALUES: [&str; 7] = [
    "load_vertex_id",
    "load_instance_index",
    "load_vertex_id_zero_base",
    "load_instance_id",
    "load_base_instance",
    "load_base_vertex",
    "load_draw_id",
];

#[test]
fn a_compute_shader_reads_the_state_of_its_draw() {
    let gpu = Gpu::open();
    let (mut header, mut body) = (String::new(), String::new());
    for (number, value) in VALUES.iter().enumerate() {
        let id = number + 1;
        header += &format!("// ntv: xfb=VAR{number}.x:0+{}/28\n", 4 * number);
        body += &format!("    32 %{id} = @{value}\n    @store_output (%{id}, %0) (base={number}, range=1, wrmask=x, component=0, src_type=uint32, io location=VARYING_SLOT_VAR{number} slots=1)\n");
    }
    let draw = Points { vertices: 70, instances: 2 };
    let found = captured(&gpu, shader("VERTEX", &header, &body), &[], draw, &[], VALUES.len());
    for (point, found) in (0..).zip(found) {
        let (vertex, instance) = (point % draw.vertices, point / draw.vertices);
        let want = [vertex + FIRST_VERTEX, instance + FIRST_INSTANCE, vertex, instance, FIRST_INSTANCE, 0, 9];
        assert_eq!(found, want, "{point}");
    }
}

/// Inputs of several Locations, or of a part of one, two that share an attribute, and one without an attribute.
const SHAPES: &str = "\
// ntv: xfb=VAR0.xyzw:0+0/64
// ntv: xfb=VAR1.xyzw:0+16/64
// ntv: xfb=VAR2.xyzw:0+32/64
// ntv: xfb=VAR3.xyzw:0+48/64
decl_var shader_in INTERP_MODE_NONE none mat2 m (VERT_ATTRIB_GENERIC0.xy, 0, 0)
decl_var shader_in INTERP_MODE_NONE none float[2] f (VERT_ATTRIB_GENERIC2.x, 2, 0)
decl_var shader_in INTERP_MODE_NONE none vec2 zw (VERT_ATTRIB_GENERIC4.zw, 4, 0)
decl_var shader_in INTERP_MODE_NONE none dvec3 d (VERT_ATTRIB_GENERIC5.xyzw, 5, 0)
decl_var shader_in INTERP_MODE_NONE none vec4 none (VERT_ATTRIB_GENERIC7.xyzw, 7, 0)
decl_var shader_in INTERP_MODE_NONE none dvec2 xy (VERT_ATTRIB_GENERIC8.xyzw, 8, 0)
decl_var shader_in INTERP_MODE_NONE none dvec2 zw64 (VERT_ATTRIB_GENERIC9.xyzw, 9, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 a (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 b (VARYING_SLOT_VAR1.xyzw, 1, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 c (VARYING_SLOT_VAR2.xyzw, 2, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 e (VARYING_SLOT_VAR3.xyzw, 3, 0)
";

const SHAPES_BODY: &str = "\
    32 %1 = deref_var &m (shader_in mat2)
    32 %2 = deref_array &(*%1)[0] (shader_in vec2)
    32x2 %3 = @load_deref (%2) (access=none)
    32 %4 = deref_array &(*%1)[1] (shader_in vec2)
    32x2 %5 = @load_deref (%4) (access=none)
    32x4 %6 = vec4 %3.x, %3.y, %5.x, %5.y
    32 %7 = deref_var &a (shader_out vec4)
    @store_deref (%7, %6) (wrmask=xyzw, access=none)
    32 %8 = deref_var &f (shader_in float[2])
    32 %9 = deref_array &(*%8)[0] (shader_in float)
    32 %10 = @load_deref (%9) (access=none)
    32 %11 = deref_array &(*%8)[1] (shader_in float)
    32 %12 = @load_deref (%11) (access=none)
    32 %13 = deref_var &zw (shader_in vec2)
    32x2 %14 = @load_deref (%13) (access=none)
    32x4 %15 = vec4 %10, %12, %14.x, %14.y
    32 %16 = deref_var &b (shader_out vec4)
    @store_deref (%16, %15) (wrmask=xyzw, access=none)
    32 %17 = deref_var &d (shader_in dvec3)
    64x3 %18 = @load_deref (%17) (access=none)
    32x3 %19 = f2f32 %18
    32 %20 = deref_var &none (shader_in vec4)
    32x4 %21 = @load_deref (%20) (access=none)
    32x4 %22 = vec4 %19.x, %19.y, %19.z, %21.w
    32 %23 = deref_var &c (shader_out vec4)
    @store_deref (%23, %22) (wrmask=xyzw, access=none)
    32 %24 = deref_var &xy (shader_in dvec2)
    64x2 %25 = @load_deref (%24) (access=none)
    32x2 %26 = f2f32 %25
    32 %27 = deref_var &zw64 (shader_in dvec2)
    64x2 %28 = @load_deref (%27) (access=none)
    32x2 %29 = f2f32 %28
    32x4 %30 = vec4 %26.x, %26.y, %29.x, %29.y
    32 %31 = deref_var &e (shader_out vec4)
    @store_deref (%31, %30) (wrmask=xyzw, access=none)
";

#[test]
fn inputs_of_all_shapes_are_read() {
    let gpu = Gpu::open();
    let of = |name: &str| AttributeFormat::from_name(name).expect("a format");
    let attribute = |location, name, binding, offset, stride| Attribute {
        location,
        format: of(name),
        binding,
        offset,
        stride,
        divisor: None,
    };
    let attributes = [
        attribute(5, "R64G64B64_SFLOAT", 1, 0, 24),
        attribute(8, "R64G64B64_SFLOAT", 1, 0, 24),
        attribute(0, "R32G32_SFLOAT", 0, 0, 40),
        attribute(1, "R32G32_SFLOAT", 0, 8, 40),
        attribute(2, "R32_SFLOAT", 0, 16, 40),
        attribute(3, "R32_SFLOAT", 0, 20, 40),
        attribute(4, "R32G32B32A32_SFLOAT", 0, 24, 40),
    ];
    let draw = Points { vertices: 4, instances: 1 };
    let vertices = (FIRST_VERTEX + draw.vertices) as usize;
    let numbers: Vec<f32> = (0..10 * vertices).map(|number| number as f32 + 0.5).collect();
    let doubles: Vec<f64> = (0..3 * vertices).map(|number| -(number as f64) - 0.25).collect();
    let buffers = [
        VertexBuffer { bytes: floats(&numbers), skipped: 0 },
        VertexBuffer { bytes: doubles.iter().flat_map(|number| number.to_le_bytes()).collect(), skipped: 0 },
    ];
    let found = captured(&gpu, shader("VERTEX", SHAPES, SHAPES_BODY), &attributes, draw, &buffers, 16);
    for (vertex, found) in (FIRST_VERTEX as usize..).zip(found) {
        let (n, d) = (&numbers[10 * vertex..], &doubles[3 * vertex..]);
        let d = [0, 1, 2].map(|c| d[c] as f32);
        let want = [&n[..6], &n[8..10], &d, &[1.], &d, &[1.]].concat();
        assert_eq!(found.into_iter().map(f32::from_bits).collect::<Vec<f32>>(), want, "{vertex}");
    }
}
