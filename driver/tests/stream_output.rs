// SPDX-License-Identifier: MIT

//! Transform feedback of contexts on lavapipe: all back ends capture the same bytes.

mod support;

use ntv::capture::BackEnd;
use ntv::module::ShaderStage;
use ntv_driver::context::{
    BufferRange, Clear, Context, DrawInfo, DrawStart, QueryKind, QueryResult, RasterizerState, StreamOutputCounts,
    StreamOutputTarget, VertexBuffer,
};
use ntv_driver::program::ProgramOptions;
use ntv_driver::resource::{Buffer, BufferDescription};
use ntv_driver::vk;
use std::sync::Arc;
use std::time::Duration;
use support::*;

/// A value that no vertex writes.
const NOTHING: u32 = 0xdead_beef;

struct Scene {
    context: Context,
    captured: Arc<Buffer>,
    target: Arc<ntv_driver::resource::Texture>,
}

fn scene(device: &ntv_driver::device::Device, captures: BackEnd) -> Scene {
    let mut context = context(device);
    let text = vertex().replace(
        "decl_function",
        "// ntv: xfb=VAR0.y:0+4/16\n// ntv: xfb=VAR0.x:0+8/16\n// ntv: xfb=POS.x:0+12/16\ndecl_function",
    );
    let (vertex, fragment) = (shader(&context, &text), shader(&context, &fragment()));
    let options = ProgramOptions { captures: Some(captures), ..ProgramOptions::default() };
    context.link_program(&[Arc::clone(&vertex), Arc::clone(&fragment)], &options).unwrap();
    context.bind_shader(ShaderStage::Vertex, Some(&vertex)).unwrap();
    context.bind_shader(ShaderStage::Fragment, Some(&fragment)).unwrap();
    let elements = context.create_vertex_elements_state(&elements()).unwrap();
    context.bind_vertex_elements_state(&elements);
    let vertices: Vec<u8> = [triangle([1.0, 0.6, 0.2, 1.0]), triangle([0.0, 1.0, 0.0, 1.0])].concat();
    let buffer = context.create_buffer_with(&vertices).unwrap();
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).unwrap();
    context.set_viewport_states(&[viewport(8.0)]);
    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    let captured = context.create_buffer(BufferDescription { size: 512, usage: Default::default() }).unwrap();
    context.clear_buffer(&captured, 0, 512, NOTHING).unwrap();
    Scene { context, captured, target }
}

/// Draws with captures that begin, pause, continue and end, and returns the captured words.
fn run(scene: &mut Scene) -> Vec<u32> {
    let context = &mut scene.context;
    let range = BufferRange { buffer: Arc::clone(&scene.captured), offset: 64, size: 256 };
    let output = context.create_stream_output_target(range).unwrap();
    context.clear(&Clear::color([0.0; 4])).unwrap();
    let draw = |context: &mut Context, mode: vk::PrimitiveTopology, start: u32, count: u32| {
        let info = ntv_driver::context::DrawInfo { mode, instance_count: 2, ..info() };
        context.draw_vbo(&info, None, &[DrawStart { start, count, index_bias: 0 }]).unwrap();
    };
    context.set_stream_output_targets(&[Some(Arc::clone(&output))], false).unwrap();
    draw(context, vk::PrimitiveTopology::TRIANGLE_LIST, 3, 3);
    context.set_stream_output_targets(&[], false).unwrap();
    draw(context, vk::PrimitiveTopology::TRIANGLE_LIST, 0, 3);
    context.set_stream_output_targets(&[Some(output)], true).unwrap();
    draw(context, vk::PrimitiveTopology::TRIANGLE_LIST, 0, 3);
    context.set_stream_output_targets(&[], false).unwrap();
    context.memory_barrier();
    let bytes = context.read_buffer(&scene.captured, 0, 512).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn back_ends_capture_the_same() {
    let mut all = Vec::new();
    for back_end in [BackEnd::Extension, BackEnd::Storage, BackEnd::Compute] {
        let device = lavapipe(&[]);
        let mut scene = scene(&device, back_end);
        let captured = run(&mut scene);
        let pixel = pixels(&mut scene.context, &scene.target)[9];
        assert_eq!(pixel, [255, 153, 51, 255], "{back_end:?}");
        drop(scene);
        assert_silent(&device);
        all.push((back_end, captured));
    }
    // Two instances of each triangle, four words per vertex, the first of which is not captured.
    let vertex = |[x, color]: [f32; 2], green: f32| [NOTHING, green.to_bits(), color.to_bits(), x.to_bits()];
    let triangle = |red: f32, green: f32| [-1.0, 3.0, -1.0].map(|x| vertex([x, red], green)).concat();
    let mut expected = vec![NOTHING; 128];
    let words = [triangle(0.0, 1.0).repeat(2), triangle(1.0, 0.6).repeat(2)].concat();
    expected[16..16 + words.len()].copy_from_slice(&words);
    for (back_end, captured) in all {
        assert_eq!(captured, expected, "{back_end:?}");
    }
}

/// A scene whose captured vertices have the format of its input, with two triangles: a green one covers a red one.
fn whole_vertices(device: &ntv_driver::device::Device, captures: BackEnd) -> Scene {
    let mut scene = scene(device, captures);
    let rows = "// ntv: xfb=POS.xyzw:0+0/32\n// ntv: xfb=VAR0.xyzw:0+16/32\ndecl_function";
    let context = &mut scene.context;
    let shaders = [vertex().replace("decl_function", rows), fragment()].map(|text| shader(context, &text));
    let options = ProgramOptions { captures: Some(captures), ..ProgramOptions::default() };
    context.link_program(&shaders, &options).unwrap();
    shaders.iter().for_each(|shader| context.bind_shader(shader.stage(), Some(shader)).unwrap());
    let vertices = [triangle([1.0, 0.0, 0.0, 1.0]), triangle([0.0, 1.0, 0.0, 1.0])].concat();
    let buffer = context.create_buffer_with(&vertices).unwrap();
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).unwrap();
    scene
}

/// The color after a draw of the vertices that `target` captured.
fn redrawn(scene: &mut Scene, target: &Arc<StreamOutputTarget>) -> [u8; 4] {
    scene.context.clear(&Clear::color([0.0; 4])).unwrap();
    scene.context.draw_stream_output(&info(), target).unwrap();
    pixels(&mut scene.context, &scene.target)[9]
}

#[test]
fn captured_vertices_are_drawn() {
    let without = "VK_EXT_transform_feedback";
    let ways = [(BackEnd::Extension, None), (BackEnd::Storage, Some(without)), (BackEnd::Compute, Some(without))];
    for (back_end, without) in ways {
        let device = lavapipe(without.as_slice());
        let mut scene = whole_vertices(&device, back_end);
        let (first, second) = (Arc::clone(&scene.captured), scene.context.create_buffer_with(&[0; 512]).unwrap());
        let [one, other] = [&first, &second]
            .map(|buffer| scene.context.create_stream_output_target(BufferRange::whole(buffer)).unwrap());
        let bind = |scene: &mut Scene, buffer: &Arc<Buffer>| {
            let bound = VertexBuffer { buffer: Arc::clone(buffer), offset: 0 };
            scene.context.set_vertex_buffers(0, &[Some(bound)]).unwrap();
        };
        // There is no capture yet, so the draw has no vertices.
        assert_eq!(redrawn(&mut scene, &one), [0; 4], "{back_end:?}");
        scene.context.set_stream_output_targets(&[Some(Arc::clone(&one))], false).unwrap();
        scene.context.draw_triangles(6).unwrap();
        scene.context.set_stream_output_targets(&[], false).unwrap();
        bind(&mut scene, &first);
        assert_eq!(redrawn(&mut scene, &one), [0, 255, 0, 255], "{back_end:?}");
        // The draw of the captured vertices is captured to the other target.
        scene.context.set_stream_output_targets(&[Some(Arc::clone(&other))], false).unwrap();
        scene.context.draw_stream_output(&info(), &one).unwrap();
        scene.context.set_stream_output_targets(&[], false).unwrap();
        scene.context.memory_barrier();
        let [copied, original] = [&second, &first].map(|buffer| scene.context.read_buffer(buffer, 0, 192).unwrap());
        assert_eq!(copied, original, "{back_end:?}");
        // One triangle instead of two.
        bind(&mut scene, &second);
        scene.context.set_stream_output_targets(&[Some(Arc::clone(&one))], false).unwrap();
        scene.context.draw_triangles(3).unwrap();
        scene.context.set_stream_output_targets(&[], false).unwrap();
        bind(&mut scene, &first);
        assert_eq!(redrawn(&mut scene, &one), [255, 0, 0, 255], "{back_end:?}");
        drop(scene);
        assert_silent(&device);
    }
}

#[test]
fn points_without_a_position_are_captured() {
    for back_end in [BackEnd::Extension, BackEnd::Storage, BackEnd::Compute] {
        let device = lavapipe(&[]);
        let mut scene = scene(&device, back_end);
        let context = &mut scene.context;
        let text = vertex().replace("decl_function", "// ntv: xfb=VAR0.xyzw:0+0/16\ndecl_function");
        let is_position = |line: &&str| line.contains("VARYING_SLOT_POS");
        let text: String = text.lines().filter(|line| !is_position(line)).map(|line| format!("{line}\n")).collect();
        let vertex = shader(context, &text);
        let options = ProgramOptions { captures: Some(back_end), ..ProgramOptions::default() };
        context.link_program(&[Arc::clone(&vertex)], &options).unwrap();
        context.bind_shader(ShaderStage::Vertex, Some(&vertex)).unwrap();
        context.bind_shader(ShaderStage::Fragment, None).unwrap();
        let discard = RasterizerState { rasterizer_discard: true, ..RasterizerState::default() };
        let rasterizer = context.create_rasterizer_state(&discard);
        context.bind_rasterizer_state(&rasterizer);
        let output = context.create_stream_output_target(BufferRange::whole(&scene.captured)).unwrap();
        context.set_stream_output_targets(&[Some(output)], false).unwrap();
        let points = DrawInfo { mode: vk::PrimitiveTopology::POINT_LIST, ..info() };
        context.draw_vbo(&points, None, &[DrawStart { start: 2, count: 2, index_bias: 0 }]).unwrap();
        context.set_stream_output_targets(&[], false).unwrap();
        context.memory_barrier();
        let bytes = context.read_buffer(&scene.captured, 0, 36).unwrap();
        let mut expected: Vec<u8> =
            [1.0f32, 0.6, 0.2, 1.0, 0.0, 1.0, 0.0, 1.0].into_iter().flat_map(f32::to_le_bytes).collect();
        expected.extend(NOTHING.to_le_bytes());
        assert_eq!(bytes, expected, "{back_end:?}");
        drop(scene);
        assert_silent(&device);
    }
}

#[test]
fn queries_count_the_captures_of_the_device() {
    let device = lavapipe(&[]);
    let mut scene = scene(&device, BackEnd::Extension);
    let query = scene.context.create_query(QueryKind::StreamOutputStatistics).unwrap();
    scene.context.begin_query(&query).unwrap();
    run(&mut scene);
    scene.context.end_query(&query).unwrap();
    let result = scene.context.query_result(&query, Duration::from_secs(10)).unwrap();
    assert_eq!(result, QueryResult::StreamOutput(StreamOutputCounts { written: 4, needed: 4 }));
    let query = scene.context.create_query(QueryKind::OcclusionCounter).unwrap();
    scene.context.begin_query(&query).unwrap();
    scene.context.draw_triangles(3).unwrap();
    scene.context.flush().unwrap();
    scene.context.draw_triangles(3).unwrap();
    scene.context.end_query(&query).unwrap();
    let result = scene.context.query_result(&query, Duration::from_secs(10)).unwrap();
    assert_eq!(result, QueryResult::Value(128));
    drop(scene);
    assert_silent(&device);
}
