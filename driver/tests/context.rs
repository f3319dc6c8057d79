// SPDX-License-Identifier: MIT

//! Contexts on lavapipe: the results, with the validation layer.

mod support;

use ntv::module::ShaderStage;
use ntv_driver::context::{
    BlendState, BufferRange, Clear, ConstantBuffer, DrawInfo, DrawStart, FramebufferState, RtBlendState, Topology,
    VertexBuffer,
};
use ntv_driver::resource::{Bind, SamplerView, Surface, TextureDescription};
use ntv_driver::vk;
use support::*;

/// A context with a program, a target and a triangle bound.
macro_rules! scene {
    ($context:ident, $device:ident, $fragment:expr, without $without:expr) => {
        let $device = lavapipe($without);
        let mut $context = context(&$device);
        let vertex = shader(&$context, &vertex());
        let fragment = shader(&$context, &$fragment);
        $context.bind_shader(ShaderStage::Vertex, Some(&vertex)).unwrap();
        $context.bind_shader(ShaderStage::Fragment, Some(&fragment)).unwrap();
        let elements = $context.create_vertex_elements_state(&elements()).unwrap();
        $context.bind_vertex_elements_state(&elements);
        let buffer = $context.create_buffer_with(&triangle([1.0, 0.6, 0.2, 1.0])).unwrap();
        $context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).unwrap();
        $context.set_viewport_states(&[viewport(8.0)]);
    };
}

#[test]
fn a_triangle_is_drawn() {
    scene!(context, device, fragment(), without & []);
    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    context.clear(&Clear::color([0.0; 4])).unwrap();
    context.draw_triangles(3).unwrap();
    assert!(pixels(&mut context, &target).iter().all(|pixel| *pixel == [255, 153, 51, 255]));
    drop(context);
    assert_silent(&device);
}

#[test]
fn clears_alone_are_carried_out() {
    scene!(context, device, fragment(), without & []);
    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    context.clear(&Clear::color([0.0, 1.0, 0.0, 1.0])).unwrap();
    assert!(pixels(&mut context, &target).iter().all(|pixel| *pixel == [0, 255, 0, 255]));
    drop(context);
    assert_silent(&device);
}

#[test]
fn uniforms_blocks_and_textures_are_seen() {
    scene!(context, device, fragment_with_uniforms(), without & []);
    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    let bytes = |numbers: [f32; 4]| numbers.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
    let user = ConstantBuffer::User(bytes([1.0, 0.0, 1.0, 1.0]));
    context.set_constant_buffer(ShaderStage::Fragment, 0, Some(user)).unwrap();
    context.draw_triangles(3).unwrap();
    assert_eq!(pixels(&mut context, &target)[0], [255, 0, 51, 255]);

    let block = shader(&context, &fragment_with_block());
    context.bind_shader(ShaderStage::Fragment, Some(&block)).unwrap();
    let buffer = context.create_buffer_with(&bytes([0.0, 1.0, 1.0, 1.0])).unwrap();
    let range = ConstantBuffer::Buffer(BufferRange::whole(&buffer));
    context.set_constant_buffer(ShaderStage::Fragment, 1, Some(range)).unwrap();
    context.draw_triangles(3).unwrap();
    assert_eq!(pixels(&mut context, &target)[0], [0, 255, 255, 255]);
    context.buffer_subdata(&buffer, 0, &bytes([1.0, 0.0, 0.0, 1.0])).unwrap();
    context.draw_triangles(3).unwrap();
    assert_eq!(pixels(&mut context, &target)[0], [255, 0, 0, 255]);

    let textured = shader(&context, &fragment_with_texture());
    context.bind_shader(ShaderStage::Fragment, Some(&textured)).unwrap();
    let description = TextureDescription { size: [2, 2, 1], levels: 2, ..TextureDescription::default() };
    let texture = context.create_texture(description).unwrap();
    let level = ntv_driver::context::Region::of_level(&texture, 0);
    context.texture_subdata(&texture, level, &[7; 16]).unwrap();
    context.generate_mipmap(&texture).unwrap();
    context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(SamplerView::whole(&texture))]).unwrap();
    context.draw_triangles(3).unwrap();
    assert_eq!(pixels(&mut context, &target)[0], [7; 4]);

    // The attachment is sampled, and drawn to again.
    let other = support::target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&other)).unwrap();
    context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(SamplerView::whole(&target))]).unwrap();
    context.draw_triangles(3).unwrap();
    assert_eq!(pixels(&mut context, &other)[0], [7; 4]);
    drop(context);
    assert_silent(&device);
}

#[test]
fn a_pass_without_colors_changes_no_blending() {
    scene!(context, device, fragment(), without & []);
    let target = target(&context).unwrap();
    let (format, bind) = (vk::Format::D32_SFLOAT, Bind::DEPTH_STENCIL);
    let depth = TextureDescription { size: [8, 8, 1], format, bind, ..TextureDescription::default() };
    let depth = context.create_texture(depth).unwrap();
    let depths = FramebufferState { depth_stencil: Some(Surface::new(&depth)), ..FramebufferState::default() };
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    context.clear(&Clear::color([0.0; 4])).unwrap();
    let rgb = (vk::BlendOp::ADD, vk::BlendFactor::ONE, vk::BlendFactor::ONE);
    let row = RtBlendState { blend_enable: true, rgb, ..RtBlendState::default() };
    let blend = context.create_blend_state(&BlendState::all(row));
    context.bind_blend_state(&blend);
    for framebuffer in [framebuffer(&target), depths, framebuffer(&target)] {
        context.set_framebuffer_state(&framebuffer).unwrap();
        context.draw_triangles(3).unwrap();
    }
    assert!(pixels(&mut context, &target).iter().all(|pixel| *pixel == [255, 255, 102, 255]));
    drop(context);
    assert_silent(&device);
}

#[test]
fn points_have_a_size_for_every_shader() {
    scene!(context, device, fragment(), without & []);
    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    context.clear(&Clear::color([0.0; 4])).unwrap();
    let buffer = context
        .create_buffer_with(&[-0.9f32, -0.9, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0].map(f32::to_le_bytes).concat())
        .unwrap();
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).unwrap();
    let mut draw = |mode: Topology, count: u32| {
        context.draw_vbo(&DrawInfo { mode, ..info() }, None, &[DrawStart { count, ..DrawStart::default() }]).unwrap();
    };
    draw(Topology::TRIANGLE_LIST, 1);
    draw(Topology::POINT_LIST, 1);
    let drawn = pixels(&mut context, &target);
    assert_eq!((drawn[0], drawn.iter().filter(|pixel| pixel[0] != 0).count()), ([255; 4], 1));
    drop(context);
    assert_silent(&device);
}

/// All dynamic state of lavapipe is a part of pipelines on devices with fewer features.
const STATIC: &[&str] = &[
    "vertexInputDynamicState",
    "extendedDynamicState2LogicOp",
    "extendedDynamicState2PatchControlPoints",
    "extendedDynamicState3ColorBlendEnable",
    "extendedDynamicState3ColorBlendEquation",
    "extendedDynamicState3ColorWriteMask",
    "extendedDynamicState3DepthClampEnable",
    "extendedDynamicState3DepthClipEnable",
    "extendedDynamicState3DepthClipNegativeOneToOne",
    "extendedDynamicState3LogicOpEnable",
    "extendedDynamicState3PolygonMode",
    "extendedDynamicState3ProvokingVertexMode",
    "extendedDynamicState3RasterizationSamples",
    "extendedDynamicState3SampleMask",
    "extendedDynamicState3AlphaToCoverageEnable",
    "extendedDynamicState3AlphaToOneEnable",
];

#[test]
fn static_and_dynamic_state_give_the_same() {
    for without in [&[][..], STATIC, &["VK_EXT_graphics_pipeline_library"]] {
        scene!(context, device, fragment(), without without);
        let target = target(&context).unwrap();
        context.set_framebuffer_state(&framebuffer(&target)).unwrap();
        context.clear(&Clear::color([0.0, 0.0, 1.0, 1.0])).unwrap();
        let add = vk::BlendOp::ADD;
        let one = vk::BlendFactor::ONE;
        let row = RtBlendState { blend_enable: true, rgb: (add, one, one), ..RtBlendState::default() };
        let blend = context.create_blend_state(&BlendState::all(row));
        context.bind_blend_state(&blend);
        context.draw_triangles(3).unwrap();
        assert_eq!(pixels(&mut context, &target)[9], [255, 153, 255, 255], "{without:?}");
        plain(&mut context);
        context.draw_triangles(3).unwrap();
        assert_eq!(pixels(&mut context, &target)[9], [255, 153, 51, 255], "{without:?}");
        drop(context);
        assert_silent(&device);
    }
}

#[test]
fn shaders_compute() {
    let device = lavapipe(&[]);
    let mut context = context(&device);
    let increment = shader(&context, &increment());
    context.bind_shader(ShaderStage::Compute, Some(&increment)).unwrap();
    let buffer = context.create_buffer_with(&[0; 16]).unwrap();
    context.set_shader_buffers(ShaderStage::Compute, 0, &[Some(BufferRange::whole(&buffer))]).unwrap();
    for _ in 0..3 {
        context.launch_grid([1, 1, 1]).unwrap();
        context.memory_barrier();
    }
    let words = context.read_buffer(&buffer, 0, 16).unwrap();
    assert_eq!(words, [3, 0, 0, 0].repeat(4));
    drop(context);
    assert_silent(&device);
}

#[test]
fn queries_without_draws_count_nothing() {
    use ntv_driver::context::{QueryKind, QueryResult};
    scene!(context, device, fragment(), without & []);
    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    let query = context.create_query(QueryKind::OcclusionCounter).unwrap();
    context.begin_query(&query).unwrap();
    context.clear(&Clear::color([0.0; 4])).unwrap();
    context.end_query(&query).unwrap();
    let result = context.query_result(&query, std::time::Duration::from_secs(60)).unwrap();
    assert_eq!(result, QueryResult::Value(0));
    context.begin_query(&query).unwrap();
    context.end_query(&query).unwrap();
    context.begin_query(&query).unwrap();
    context.draw_triangles(3).unwrap();
    context.end_query(&query).unwrap();
    let result = context.query_result(&query, std::time::Duration::from_secs(60)).unwrap();
    assert_eq!(result, QueryResult::Value(64));
    drop(context);
    assert_silent(&device);
}
