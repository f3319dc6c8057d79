// SPDX-License-Identifier: MIT

//! Caches have limits: an object takes its dependents with it when it is dropped, and caches without an owner drop old values at
//! their limit.

#[path = "support/null.rs"]
mod null;
mod support;

use ntv::capture::BackEnd;
use ntv::module::ShaderStage;
use ntv_driver::context::{
    BlendState, BufferRange, Context, FramebufferState, RasterizerState, RtBlendState, VertexElement,
};
use ntv_driver::device::{Device, DynamicState};
use ntv_driver::program::ProgramOptions;
use ntv_driver::resource::{Bind, Surface, TextureDescription};
use ntv_driver::vk;
use null::{alive, late, numbered_fragment, Shared};
use null_vulkan::World;
use std::sync::Arc;
use support::{elements, shader};

/// The driver's limit for pipelines.
const MOST_PIPELINES: u64 = 4096;

/// A device on which all state is static, and a context that can draw.
fn fixed() -> (Arc<World>, Device, Shared, Context) {
    let states: Vec<&str> = DynamicState::ALL.iter().map(|state| state.feature()).collect();
    let (world, device) = late(&states);
    let mut keeper = support::context(&device);
    let shared = Shared::new(&mut keeper);
    let context = shared.context(&device);
    (world, device, shared, context)
}

/// Draws, and waits for the device now and then.
fn draw(context: &mut Context, number: u32) {
    context.draw_triangles(3).expect("a draw");
    if number % 16 == 15 {
        context.finish().expect("the device is done");
    }
}

/// The number of live Vulkan pipelines: kept ones, those of pending draws, and libraries.
fn pipelines(world: &World) -> u64 {
    alive(world, vk::ObjectType::PIPELINE)
}

#[test]
fn states_take_their_pipelines_with_them() {
    let (world, _device, _shared, mut context) = fixed();
    draw(&mut context, 15);
    let (first, before) = (context.counters(), pipelines(&world));
    for number in 0..5000 {
        let [position, color] = elements();
        // All of them differ.
        let color = VertexElement { src_offset: 16 + 4 * number, ..color };
        let elements = context.create_vertex_elements_state(&[position, color]).unwrap();
        context.bind_vertex_elements_state(&elements);
        let factors = (vk::BlendOp::ADD, vk::BlendFactor::from_raw((number % 15) as i32), vk::BlendFactor::ONE);
        let mut rows = BlendState::all(RtBlendState { blend_enable: true, rgb: factors, ..RtBlendState::default() });
        rows.independent_blend_enable = true;
        rows.rt[7].colormask = vk::ColorComponentFlags::from_raw(number / 15 % 16);
        rows.rt[6].colormask = vk::ColorComponentFlags::from_raw(number / 240 % 16);
        rows.rt[5].colormask = vk::ColorComponentFlags::from_raw(number / 3840);
        let blend = context.create_blend_state(&rows);
        context.bind_blend_state(&blend);
        draw(&mut context, number);
        let counters = context.counters();
        // The bound states, and those in the command buffer.
        assert!(counters.states <= 8, "{} states", counters.states);
        assert!(counters.pipelines_kept <= 4, "{} pipelines", counters.pipelines_kept);
        assert!(pipelines(&world) < before + 200, "{} pipelines", pipelines(&world));
    }
    let counters = context.counters();
    assert!(counters.pipelines.linked - first.pipelines.linked >= 5000, "each draw needs another pipeline");
    context.finish().unwrap();
    assert_eq!(world.take_messages(), [""; 0]);
}

#[test]
fn an_equal_state_is_the_same_while_someone_has_it() {
    let (_world, _device, _shared, mut context) = fixed();
    let state = BlendState::all(RtBlendState::alpha_over());
    let one = context.create_blend_state(&state);
    context.bind_blend_state(&one);
    draw(&mut context, 0);
    let before = context.counters();
    let same = context.create_blend_state(&state);
    assert_eq!(one, same);
    drop(one);
    context.bind_blend_state(&same);
    draw(&mut context, 1);
    assert_eq!(context.counters().pipelines, before.pipelines);
}

#[test]
fn programs_take_their_modules_and_pipelines_with_them() {
    let (world, _device, shared, mut context) = fixed();
    for number in 0..1000 {
        let fragment = shader(&context, &numbered_fragment(number));
        context.bind_shader(ShaderStage::Fragment, Some(&fragment)).unwrap();
        draw(&mut context, number);
        // Every other shader is deleted, and the others are dropped.
        if number.is_multiple_of(2) {
            context.delete_shader(&fragment);
        }
        let counters = context.counters();
        assert!(counters.programs <= 2 && counters.pipelines_kept <= 2, "{counters:?}");
        assert!(alive(&world, vk::ObjectType::SHADER_MODULE) <= 4);
        assert!(pipelines(&world) < 200, "{} pipelines", pipelines(&world));
    }
    assert_eq!(context.counters().programs_built, 1000);
    context.bind_shader(ShaderStage::Fragment, Some(&shared.fragment)).unwrap();
    draw(&mut context, 15);
    assert_eq!((context.counters().programs, alive(&world, vk::ObjectType::SHADER_MODULE)), (1, 2));
    assert_eq!(world.take_messages(), [""; 0]);
}

/// Formats of color attachments.
const FORMATS: [vk::Format; 17] = [
    vk::Format::R8_UNORM,
    vk::Format::R8G8_UNORM,
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R8G8B8A8_SRGB,
    vk::Format::B8G8R8A8_UNORM,
    vk::Format::A2B10G10R10_UNORM_PACK32,
    vk::Format::R16_UNORM,
    vk::Format::R16G16_UNORM,
    vk::Format::R16G16B16A16_UNORM,
    vk::Format::R16_SFLOAT,
    vk::Format::R16G16_SFLOAT,
    vk::Format::R16G16B16A16_SFLOAT,
    vk::Format::R32_SFLOAT,
    vk::Format::R32G32_SFLOAT,
    vk::Format::R32G32B32A32_SFLOAT,
    vk::Format::B10G11R11_UFLOAT_PACK32,
    vk::Format::R5G6B5_UNORM_PACK16,
];

#[test]
fn formats_have_no_more_pipelines_than_there_may_be() {
    let (world, _device, _shared, mut context) = fixed();
    let textures = FORMATS.map(|format| {
        let bind = Bind::RENDER_TARGET;
        context.create_texture(TextureDescription { size: [8, 8, 1], format, bind, ..Default::default() }).unwrap()
    });
    let count = FORMATS.len() as u32;
    let framebuffer = |number: u32| {
        let colors = [number, number / count, number / count / count].map(|number| number % count);
        let colors = colors.map(|number| Some(Surface::new(&textures[number as usize])));
        FramebufferState { colors: colors.to_vec(), ..FramebufferState::default() }
    };
    let all = count * count * count;
    assert!(u64::from(all) > MOST_PIPELINES + MOST_PIPELINES / 8);
    for number in 0..all {
        context.set_framebuffer_state(&framebuffer(number)).unwrap();
        draw(&mut context, number);
        if number.is_multiple_of(1000) {
            // A pipeline that is used again and again is kept.
            let before = context.counters().pipelines;
            context.set_framebuffer_state(&framebuffer(0)).unwrap();
            draw(&mut context, 0);
            assert_eq!(context.counters().pipelines.linked, before.linked);
        }
    }
    context.finish().unwrap();
    let counters = context.counters();
    assert_eq!(counters.pipelines.linked, u64::from(all));
    assert!(counters.pipelines_kept as u64 <= MOST_PIPELINES, "{} pipelines", counters.pipelines_kept);
    // The same limit applies to libraries, plus those of the last pipelines.
    assert!(pipelines(&world) <= 3 * MOST_PIPELINES, "{} pipelines", pipelines(&world));
    assert_eq!(world.take_messages(), [""; 0]);
}

#[test]
fn capture_shaders_are_dropped_with_the_program_and_the_elements() {
    let (world, device) = late(&["VK_EXT_transform_feedback"]);
    let mut keeper = support::context(&device);
    let shared = Shared::new(&mut keeper);
    let mut context = shared.context(&device);
    let rasterizer =
        context.create_rasterizer_state(&RasterizerState { rasterizer_discard: true, ..Default::default() });
    context.bind_rasterizer_state(&rasterizer);
    let output = context.create_buffer_with(&[0; 4096]).unwrap();
    let output = context.create_stream_output_target(BufferRange::whole(&output)).unwrap();
    for number in 0..200 {
        let captured = "// ntv: xfb=POS.x:0+0/4\ndecl_function";
        let vertex = shader(&context, &support::vertex().replace("decl_function", captured));
        let options = ProgramOptions { captures: Some(BackEnd::Compute), ..ProgramOptions::default() };
        context.link_program(&[Arc::clone(&vertex), Arc::clone(&shared.fragment)], &options).unwrap();
        context.bind_shader(ShaderStage::Vertex, Some(&vertex)).unwrap();
        context.set_stream_output_targets(&[Some(Arc::clone(&output))], false).unwrap();
        for offset in 0..4 {
            let [position, color] = elements();
            let color = VertexElement { src_offset: 4 * offset, ..color };
            let elements = context.create_vertex_elements_state(&[position, color]).unwrap();
            context.bind_vertex_elements_state(&elements);
            draw(&mut context, 4 * number + offset);
        }
        assert!(pipelines(&world) < 200, "{} pipelines", pipelines(&world));
        assert!(context.counters().pipelines_kept <= 8, "{} pipelines", context.counters().pipelines_kept);
    }
    assert!(context.counters().dispatches >= 800);
    assert_eq!(world.take_messages(), [""; 0]);
}
