// SPDX-License-Identifier: MIT

//! Dumps of vertex and fragment shaders, with results known from their GLSL.
//!
//! Shaders that need no neighbours are drawn as small triangles, one for each pixel of a row, whose three corners have the same
//! weight at the centre of the pixel.

use crate::gpu::{floats, from_bytes, words, Gpu};
use crate::stages;
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Drawn, Resource, Resources, Slot};

/// The set and binding of uniform block 0, GL's loose uniforms, and those of the others.
const UNIFORMS: Slot = Slot { set: 0, binding: 0, element: 0 };
const BLOCK1: Slot = Slot { set: 1, binding: 1, element: 0 };

const FLOATS: vk::Format = vk::Format::R32G32B32A32_SFLOAT;
const INTS: vk::Format = vk::Format::R32G32B32A32_SINT;

/// A render target without draws: -1 everywhere.
fn target(format: vk::Format) -> Attachment {
    Attachment { format, clear: floats(&[-1.0; 4]) }
}

/// Values as bytes of attributes of four components.
fn attribute(location: u32, format: vk::Format, bytes: &[u8]) -> Attribute<'_> {
    Attribute { location, format, bytes, per_instance: false }
}

/// The pixels of an image of floats.
fn pixels(bytes: &[u8]) -> Vec<[f32; 4]> {
    let values: Vec<f32> = from_bytes(bytes).into_iter().map(f32::from_bits).collect();
    values.chunks_exact(4).map(|pixel| pixel.try_into().unwrap()).collect()
}

fn assert_close(got: &[[f32; 4]], want: &[[f32; 4]], error: f32) {
    assert_eq!(got.len(), want.len());
    for (number, (got, want)) in got.iter().zip(want).enumerate() {
        let close = got.iter().zip(want).all(|(a, b)| (a - b).abs() <= error * b.abs().max(1.0));
        assert!(close, "pixel {number} is {got:?}, not {want:?}");
    }
}

/// The corners of triangles around the centre of each of `n` pixels.
fn places(n: usize) -> Vec<[f32; 4]> {
    let corners = |i: usize| {
        let (x, h) = ((i as f32 + 0.5) * 2.0 / n as f32 - 1.0, 0.8 / n as f32);
        [[x - h, -0.4, 0.0, 1.0], [x + h, -0.4, 0.0, 1.0], [x, 0.8, 0.0, 1.0]]
    };
    (0..n).flat_map(corners).collect()
}

/// The interpolated value of a pixel from the corners of its triangle.
fn middles(corners: &[[f32; 4]]) -> Vec<[f32; 4]> {
    let middle = |t: &[[f32; 4]]| std::array::from_fn(|c| (t[0][c] + t[1][c] + t[2][c]) / 3.0);
    corners.chunks_exact(3).map(middle).collect()
}

fn draw_row<'a>(n: usize, modules: &'a [&'a [u32]], attributes: &'a [Attribute<'a>]) -> Draw<'a> {
    Draw { modules, attributes, size: [n as u32, 1], vertices: 3 * n as u32, ..Draw::default() }
}

/// The results of the fragment shader of the file `path` for each of `values`, its VAR0, and `limits`, its VAR1.
fn fragments(path: &str, resources: &mut Resources, values: &[[f32; 4]], limits: Option<&[[i32; 4]]>) -> Vec<Vec<u8>> {
    let gpu = Gpu::open();
    let types: &[&str] = if limits.is_some() { &["float32", "int32"] } else { &["float32"] };
    let (vertex, fragment) = (gpu.module(&mut stages::vertex(types)), gpu.file(path));
    let places = floats(&places(values.len()).concat());
    let thrice = |value: &[f32; 4]| [*value; 3].concat();
    let values_bytes = floats(&values.iter().flat_map(thrice).collect::<Vec<f32>>());
    let limits = limits.unwrap_or_default().iter().flat_map(|limits| [*limits; 3].concat());
    let limits: Vec<u8> = limits.flat_map(i32::to_le_bytes).collect();
    let mut attributes = vec![attribute(0, FLOATS, &places), attribute(1, FLOATS, &values_bytes)];
    if !limits.is_empty() {
        attributes.push(attribute(2, INTS, &limits));
    }
    let modules: [&[u32]; 2] = [&vertex, &fragment];
    let outputs = ["tests/corpus/mesa/packing.nir"].contains(&path);
    let attachments = if outputs {
        vec![Attachment { format: vk::Format::R32G32B32A32_UINT, clear: vec![0; 16] }, target(FLOATS)]
    } else {
        vec![target(FLOATS)]
    };
    let draw = Draw { attachments: &attachments, ..draw_row(values.len(), &modules, &attributes) };
    gpu.draw(&draw, resources).attachments
}

#[test]
fn a_uniform_block_is_read_in_a_loop() {
    let gpu = Gpu::open();
    let (vertex, fragment) = (gpu.file("examples/ubo_loop.nir"), gpu.module(&mut stages::fragment()));
    let direction: Vec<[f32; 4]> = (0..8).map(|i| [i as f32 * 0.25 - 0.5, 0.5, 1.0 - i as f32, 0.25]).collect();
    for count in [0, 1, 5, 8] {
        let mut block = floats(&direction.concat());
        block.extend(u32::to_le_bytes(count));
        // std140 rounds the size of the block up.
        block.resize(144, 0);
        let mut resources = Resources::from([(BLOCK1, Resource::Buffer(block))]);
        let places = places(8);
        let bytes = floats(&places.concat());
        let (modules, attributes): ([&[u32]; 2], _) = ([&vertex, &fragment], [attribute(0, FLOATS, &bytes)]);
        let draw = Draw { attachments: &[target(FLOATS)], ..draw_row(8, &modules, &attributes) };
        let drawn = gpu.draw(&draw, &mut resources);
        let shade = |place: &[f32; 4]| {
            direction[..count as usize].iter().fold([0.0; 4], |sum, direction| {
                let dot: f32 = direction.iter().zip(place).map(|(a, b)| a * b).sum();
                std::array::from_fn(|c| sum[c] + dot.max(0.0) * direction[c])
            })
        };
        assert_close(&pixels(&drawn.attachments[0]), &middles(&places.iter().map(shade).collect::<Vec<_>>()), 1e-5);
    }
}

#[test]
fn doubles_in_a_vertex_shader() {
    let gpu = Gpu::open();
    let (vertex, fragment) = (gpu.file("tests/corpus/mesa/doubles.nir"), gpu.module(&mut stages::fragment()));
    let (offset, list, at) = ([1.5f64, -2.25, 3.125], [0.1f64, 7.7, -3.3], 2);
    let mut block: Vec<u8> = offset.iter().chain(&list).flat_map(|value| value.to_le_bytes()).collect();
    block.extend(u32::to_le_bytes(at));
    block.resize(64, 0);
    let mut resources = Resources::from([(UNIFORMS, Resource::Buffer(block))]);
    let places = places(4);
    let bytes = floats(&places.concat());
    let (modules, attributes): ([&[u32]; 2], _) = ([&vertex, &fragment], [attribute(0, FLOATS, &bytes)]);
    let draw = Draw { attachments: &[target(FLOATS)], ..draw_row(4, &modules, &attributes) };
    let drawn = gpu.draw(&draw, &mut resources);
    let result = |place: &[f32; 4]| {
        let add = [list[at as usize], list[1], 1.0];
        let sum: [f64; 3] = std::array::from_fn(|c| f64::from(place[c]) * offset[c] + add[c]);
        let length2: f64 = sum.iter().map(|x| x * x).sum();
        let unit = sum.map(|x| (x / length2.sqrt()) as f32);
        let extra = (sum[0] - sum[0].floor()) as f32 + sum[1].trunc() as f32 + sum[2].trunc() as f32;
        [unit[0] + extra, unit[1], unit[2], if length2 > 2.0 { 1.0 } else { 0.0 }]
    };
    assert_close(&pixels(&drawn.attachments[0]), &middles(&places.iter().map(result).collect::<Vec<_>>()), 1e-5);
}

/// branches.shader_test in Rust.
fn branches(value: [f32; 4], limits: [i32; 2], choice: i32) -> [f32; 4] {
    let (mut sum, mut found) = ([0f32; 4], -1);
    for i in 0..limits[0] {
        if i == choice {
            continue;
        }
        for j in i..limits[1] {
            sum = std::array::from_fn(|c| sum[c] + value[c] * (i ^ j) as f32);
            if sum[0] > 10.0 {
                found = j;
                break;
            }
        }
        if found >= 0 {
            break;
        }
    }
    match choice {
        0 | 1 => {
            sum[0] = if choice == 0 { 1.0 } else { sum[0] };
            sum[1] = found as f32;
        }
        2 => sum = [found as f32; 4],
        _ if sum[3] < 0.0 => sum = sum.map(|x| -x),
        _ => sum[2] += 1.0,
    }
    loop {
        sum = sum.map(|x| x * 0.5);
        if sum.iter().map(|x| x * x).sum::<f32>() <= 4.0 {
            return sum;
        }
    }
}

#[test]
fn nested_loops_and_switches() {
    let values: Vec<[f32; 4]> = (0..16).map(|i| [i as f32 - 3.0, 0.5, i as f32 * 0.25, 2.0 - i as f32]).collect();
    let limits: Vec<[i32; 4]> = (0..16).map(|i| [i % 5, i % 7, 0, 0]).collect();
    for choice in 0..4 {
        let mut resources = Resources::from([(UNIFORMS, words(&[choice as u32, 0, 0, 0]))]);
        let drawn = fragments("tests/corpus/mesa/branches.nir", &mut resources, &values, Some(&limits));
        let want: Vec<[f32; 4]> =
            values.iter().zip(&limits).map(|(value, limit)| branches(*value, [limit[0], limit[1]], choice)).collect();
        assert_close(&pixels(&drawn[0]), &want, 1e-6);
    }
}

#[test]
fn constant_and_dynamic_offsets_into_a_uniform_block() {
    let block: Vec<f32> = (0..60).map(|i| (i * i % 23) as f32 - 5.5).collect();
    let which = [4, 1, 3, 2];
    let mut bytes = floats(&block);
    bytes.extend(which.iter().flat_map(|value: &i32| value.to_le_bytes()));
    let mut resources = Resources::from([(BLOCK1, Resource::Buffer(bytes))]);
    let drawn = fragments("tests/corpus/mesa/ubo_offsets.nir", &mut resources, &[[0.0; 4]], None);
    // std140: first, axis, matrix, pair, list at bytes 0, 16, 32, 96, 144.
    let column = |c: usize| -> [f32; 4] { block[8 + 4 * c..12 + 4 * c].try_into().unwrap() };
    let vector = [block[4], block[5], block[6], block[0]];
    let mut want: [f32; 4] = std::array::from_fn(|row| (0..4).map(|c| column(c)[row] * vector[c]).sum());
    let (pair, list) = (|i: usize| &block[24 + 4 * i..26 + 4 * i], |i: usize| block[36 + 4 * i]);
    want[0] += pair(2)[0] + list(3) + list(4);
    want[1] += pair(2)[1];
    want[2] += pair(1)[1];
    want[3] += pair(1)[0];
    let scale = column(1)[2];
    want = std::array::from_fn(|c| want[c] + column(3)[c] * scale);
    assert_close(&pixels(&drawn[0]), &[want], 1e-5);
}

#[test]
fn packing_of_halves_and_normalised_integers() {
    let input = [0x4000_3c00, 0xffff_8000, 0x7f81_0040, 0xff80_4000];
    let values = [0.5f32, -0.25, 1.0, 2.0];
    let both: Vec<u32> = input.into_iter().chain(values.map(f32::to_bits)).collect();
    let mut resources = Resources::from([(UNIFORMS, words(&both))]);
    let drawn = fragments("tests/corpus/mesa/packing.nir", &mut resources, &[[0.0; 4]], None);
    let snorm = |shift: u32| f32::from((input[2] >> shift) as i8).max(-127.0) / 127.0;
    let unorm = |shift: u32| f32::from((input[3] >> shift) as u8) / 255.0;
    let halves = [1.0, 2.0, 32768.0 / 65535.0, 1.0];
    let want = std::array::from_fn(|c| halves[c] + snorm(8 * c as u32) + unorm(8 * c as u32));
    assert_close(&pixels(&drawn[1]), &[want], 1e-6);
    // 0.5, -0.25 as halves; 1 and 2 as 16 bits of 0..1; all four as 8 bits of -1..1; 0.5 * 2^0x40003c00 is undefined.
    assert_eq!(from_bytes(&drawn[0])[..3], [0xb400_3800, 0xffff_ffff, 0x7f7f_e040]);
}

/// Two triangles over the whole target, with the `varying` of each corner: -1 -1, 1 -1, -1 1, 1 1.
fn rectangle(path: &str, size: u32, uniforms: &[u32], varying: impl Fn([f32; 4]) -> [f32; 4]) -> Vec<[f32; 4]> {
    let gpu = Gpu::open();
    let corners = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]];
    let places = floats(&corners.concat());
    let varyings = floats(&corners.map(varying).concat());
    let attributes = [attribute(0, FLOATS, &places), attribute(1, FLOATS, &varyings)];
    let modules: [&[u32]; 2] = [&gpu.module(&mut stages::vertex(&["float32"])), &gpu.file(path)];
    let draw = Draw {
        modules: &modules,
        attributes: &attributes,
        vertices: 4,
        topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
        size: [size; 2],
        attachments: &[target(FLOATS)],
        ..Draw::default()
    };
    let mut resources = Resources::from([(UNIFORMS, words(uniforms))]);
    pixels(&gpu.draw(&draw, &mut resources).attachments[0])
}

#[test]
fn discard_with_a_derivative_after_it() {
    for invert in [0, 1] {
        let uniforms = [0.25f32.to_bits(), invert, 0, 0];
        let got = rectangle("tests/corpus/mesa/discard.nir", 8, &uniforms, |corner| corner);
        let pixel = |number: usize| {
            let alpha = ((number % 8) as f32 + 0.5) / 4.0 - 1.0;
            let discarded = (alpha >= 0.25) == (invert == 1);
            if discarded {
                [-1.0; 4]
            } else {
                [alpha, 0.25, 0.0, 1.0]
            }
        };
        assert_close(&got, &(0..64).map(pixel).collect::<Vec<_>>(), 1e-5);
    }
}

#[test]
fn derivatives_of_a_plane() {
    // The factor of GL's y axis.
    let transform = [1.0f32, 0.0, 1.0, 0.0].map(f32::to_bits);
    let plane = |[x, y, ..]: [f32; 4]| [2.0 * x + y, x - y, 3.0 * x, y];
    let got = rectangle("tests/corpus/mesa/derivatives.nir", 4, &transform, plane);
    // A pixel is half a unit wide and high.
    let (dx, dy) = ([1.0, 0.5, 1.5, 0.0], [0.5, -0.5, 0.0, 0.5]);
    let mut want = [dx[0] + dy[1], dx[1] + dy[0], dx[2] + dy[3], dx[3] + dy[2]];
    want[0] += dx[0] + dy[0];
    want[1] += dx[1] + dy[1];
    want[2] += dx[2] + dy[2];
    assert_close(&got, &[want; 16], 1e-5);
}

/// Stages between vertex and fragment, or a vertex stage that is captured, over the whole of a 4 by 4 target.
fn draw_stages(modules: &[&[u32]], topology: vk::PrimitiveTopology, captures: &[usize]) -> Drawn {
    let gpu = Gpu::open();
    let corners = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
    let others = [[1.0, -1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
    let places = floats(&[corners, others].concat().concat());
    let attachments = [target(FLOATS)];
    let attributes = [attribute(0, FLOATS, &places)];
    let (vertices, size) = (6, [4, 4]);
    let draw = Draw {
        modules,
        topology,
        vertices,
        size,
        captures,
        attributes: &attributes,
        attachments: &attachments,
        ..Draw::default()
    };
    gpu.draw(&draw, &mut Resources::new())
}

#[test]
fn a_geometry_shader_numbers_primitives() {
    let mut body =
        "    32 %1 = @load_primitive_id\n    32 %2 = i2f32 %1\n    32x4 %3 = vec4 %2, %0, %0, %0\n".to_string();
    for vertex in 0..3 {
        let (index, value) = (4 + 2 * vertex, 5 + 2 * vertex);
        body += &format!(
            "    32 %{index} = load_const (0x{vertex:08x})\n    \
             32x4 %{value} = @load_per_vertex_input (%{index}, %0) (base=0, range=1, component=0, dest_type=float32, \
             io location=VARYING_SLOT_POS slots=1)\n    \
             @store_output (%{value}, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, \
             io location=VARYING_SLOT_POS slots=1)\n    \
             @store_output (%3, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, \
             io location=VARYING_SLOT_VAR0 slots=1)\n    @emit_vertex (stream_id=0)\n"
        );
    }
    body += "    @end_primitive (stream_id=0)\n";
    let header = "output_primitive: TRIANGLE_STRIP\ninput_primitive: TRIANGLES\nvertices_out: 3\ninvocations: 1\n\
                  vertices_in: 3\nactive_stream_mask: 0x01\n";
    let gpu = Gpu::open();
    let mut stages = [stages::vertex(&[]), stages::shader("GEOMETRY", header, &body), stages::fragment()];
    let modules: Vec<Vec<u32>> = stages.iter_mut().map(|stage| gpu.module(stage)).collect();
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let drawn = draw_stages(&modules, vk::PrimitiveTopology::TRIANGLE_LIST, &[]);
    let got: Vec<f32> = pixels(&drawn.attachments[0]).iter().map(|pixel| pixel[0]).collect();
    // Pixels on the diagonal are in either of the two.
    let (first, second) = ([got[0], got[1], got[4]], [got[11], got[14], got[15]]);
    assert_eq!((first, second), ([0.0; 3], [1.0; 3]), "{got:?}");
}

#[test]
fn a_patch_is_tessellated() {
    let control = "    32 %1 = @load_invocation_id
    32x4 %2 = @load_per_vertex_input (%1, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_POS slots=1)
    @store_per_vertex_output (%2, %1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
    32 %3 = load_const (0x40000000)
    32x4 %4 = vec4 %3, %3, %3, %3
    32x2 %5 = vec2 %3, %3
    @store_output (%4, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_TESS_LEVEL_OUTER slots=1)
    @store_output (%5, %0) (base=2, range=1, wrmask=xy, component=0, src_type=float32, io location=VARYING_SLOT_TESS_LEVEL_INNER slots=1)
";
    let mut evaluation = "    32x3 %1 = @load_tess_coord\n    32x4 %2 = vec4 %1.x, %1.y, %1.z, %0\n".to_string();
    for vertex in 0..3 {
        let (index, value, product) = (3 + 3 * vertex, 4 + 3 * vertex, 5 + 3 * vertex);
        let c = ["xxxx", "yyyy", "zzzz"][vertex];
        evaluation += &format!(
            "    32 %{index} = load_const (0x{vertex:08x})\n    \
             32x4 %{value} = @load_per_vertex_input (%{index}, %0) (base=0, range=1, component=0, dest_type=float32, \
             io location=VARYING_SLOT_POS slots=1)\n    32x4 %{product} = fmul %{value}, %1.{c}\n"
        );
    }
    evaluation += "    32x4 %12 = fadd %5, %8
    32x4 %13 = fadd %12, %11
    @store_output (%13, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
    @store_output (%2, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
";
    let gpu = Gpu::open();
    let mut stages = [
        stages::vertex(&[]),
        stages::shader("TESS_CTRL", "tcs_vertices_out: 3\n", control),
        stages::shader("TESS_EVAL", "primitive_mode: 1\ntcs_vertices_out: 3\nspacing: 1\nccw: true\n", &evaluation),
        stages::fragment(),
    ];
    let modules: Vec<Vec<u32>> = stages.iter_mut().map(|stage| gpu.module(stage)).collect();
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let drawn = draw_stages(&modules, vk::PrimitiveTopology::PATCH_LIST, &[]);
    let got = pixels(&drawn.attachments[0]);
    // The first pixel is an eighth from the first corner of the first patch on either side; the last is in the second patch.
    assert_close(&got[..1], &[[0.75, 0.125, 0.125, 0.0]], 1e-5);
    assert_close(&got[15..], &[[0.125, 0.75, 0.125, 0.0]], 1e-5);
    assert!(got.iter().all(|pixel| (pixel[0] + pixel[1] + pixel[2] - 1.0).abs() < 1e-5), "{got:?}");
}

#[test]
fn transform_feedback_captures_vertices() {
    let body = "    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32x4 %2 = fneg %1.wxyz
    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
    @store_output (%2, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1, xfb(components=0..2 buffer=0 offset=0), xfb2())
";
    let header = "xfb_stride: {3, 0, 0, 0}\nhas_transform_feedback_varyings: true\n";
    let gpu = Gpu::open();
    let (vertex, fragment) =
        (gpu.module(&mut stages::shader("VERTEX", header, body)), gpu.module(&mut stages::fragment()));
    let drawn = draw_stages(&[&vertex, &fragment], vk::PrimitiveTopology::TRIANGLE_LIST, &[6 * 12]);
    let got: Vec<f32> = from_bytes(&drawn.captures[0]).into_iter().map(f32::from_bits).collect();
    let want = [
        [-1.0, 1.0, 1.0],
        [-1.0, -1.0, 1.0],
        [-1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [-1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
    ];
    assert_eq!(got, want.concat());
}
