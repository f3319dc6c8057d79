// SPDX-License-Identifier: MIT

//! Textures that are used in several ways at once, on lavapipe with the validation layer.

mod support;

use ntv::module::ShaderStage;
use ntv_driver::context::{
    BlendState, Clear, Context, DepthStencilAlphaState, FramebufferState, Region, RtBlendState, VertexBuffer,
};
use ntv_driver::device::Device;
use ntv_driver::resource::{Bind, ImageView, SamplerView, Surface, Texture, TextureDescription};
use ntv_driver::vk;
use std::sync::Arc;
use support::*;

/// A context whose fragment shader copies the texel of texture 0 at the same position.
fn scene(device: &Device) -> Context {
    let mut context = context(device);
    for (stage, text) in [(ShaderStage::Vertex, vertex()), (ShaderStage::Fragment, fragment_with_texture())] {
        let shader = shader(&context, &text);
        context.bind_shader(stage, Some(&shader)).unwrap();
    }
    let elements = context.create_vertex_elements_state(&elements()).unwrap();
    context.bind_vertex_elements_state(&elements);
    let corner = |[x, y]: [f32; 2]| [x, y, 0.5, 1.0, (x + 1.0) / 2.0, (y + 1.0) / 2.0, 0.0, 0.0];
    let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(corner).concat();
    let bytes: Vec<u8> = corners.iter().flat_map(|number| number.to_le_bytes()).collect();
    let buffer = context.create_buffer_with(&bytes).unwrap();
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).unwrap();
    context.set_viewport_states(&[viewport(8.0)]);
    context
}

/// A texture of 8 by 8 texels, which is sampled and attached.
fn texture(context: &Context, levels: u32, bind: Bind) -> Arc<Texture> {
    let bind = bind | Bind::SAMPLER_VIEW;
    let description = TextureDescription { size: [8, 8, 1], levels, bind, ..TextureDescription::default() };
    context.create_texture(description).unwrap()
}

fn sample(context: &mut Context, texture: &Arc<Texture>, levels: [u32; 2]) {
    let mut view = SamplerView::whole(texture);
    if let SamplerView::Texture { levels: own, .. } = &mut view {
        *own = levels;
    }
    context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(view)]).unwrap();
}

fn draw_to(context: &mut Context, texture: &Arc<Texture>, level: u32) {
    let surface = Surface { level, ..Surface::new(texture) };
    let framebuffer = FramebufferState { colors: vec![Some(surface)], ..FramebufferState::default() };
    context.set_framebuffer_state(&framebuffer).unwrap();
}

/// Sets a blend state in which draws add to the attachment.
fn add(context: &mut Context) {
    let rgb = (vk::BlendOp::ADD, vk::BlendFactor::ONE, vk::BlendFactor::ONE);
    let blend = context.create_blend_state(&BlendState::all(RtBlendState {
        blend_enable: true,
        rgb,
        ..RtBlendState::default()
    }));
    context.bind_blend_state(&blend);
}

#[test]
fn levels_are_drawn_of_the_levels_before_them() {
    let device = lavapipe(&[]);
    let mut context = scene(&device);
    let texture = texture(&context, 4, Bind::RENDER_TARGET);
    let texel = |x: usize, y: usize| [x as u8 * 16, y as u8 * 16, 7, 255];
    let texels: Vec<u8> = (0..64).flat_map(|at| texel(at % 8, at / 8)).collect();
    context.texture_subdata(&texture, Region::of_level(&texture, 0), &texels).unwrap();
    for level in 1..4 {
        sample(&mut context, &texture, [level - 1, 1]);
        draw_to(&mut context, &texture, level);
        context.set_viewport_states(&[viewport(8.0 / (1 << level) as f32)]);
        context.clear(&Clear::color([1.0; 4])).unwrap();
        context.draw_triangles(3).unwrap();
    }
    // Each texel is the nearest to its center: the second of two.
    let mut expected: Vec<Vec<[usize; 2]>> = vec![(0..64).map(|at| [at % 8, at / 8]).collect()];
    for level in 1..4 {
        let (size, before) = (8 >> level, &expected[level - 1]);
        let of = |at: usize| before[(at / size * 2 + 1) * size * 2 + at % size * 2 + 1];
        expected.push((0..size * size).map(of).collect());
    }
    for (level, expected) in (0..).zip(&expected) {
        let bytes = context.read_texture(&texture, Region::of_level(&texture, level)).unwrap();
        let expected: Vec<u8> = expected.iter().flat_map(|[x, y]| texel(*x, *y)).collect();
        assert_eq!(bytes, expected, "level {level}");
    }
    // A texture that is only sampled has its usual layout again.
    let other = target(&context).unwrap();
    sample(&mut context, &texture, [3, 1]);
    draw_to(&mut context, &other, 0);
    context.set_viewport_states(&[viewport(8.0)]);
    context.draw_triangles(3).unwrap();
    assert_eq!(pixels(&mut context, &other)[63], [112, 112, 7, 255]);
    drop(context);
    assert_silent(&device);
}

#[test]
fn a_level_that_is_drawn_to_is_sampled_after_a_barrier() {
    let device = lavapipe(&[]);
    let mut context = scene(&device);
    let texture = texture(&context, 1, Bind::RENDER_TARGET);
    context.texture_subdata(&texture, Region::of_level(&texture, 0), &[3; 256]).unwrap();
    sample(&mut context, &texture, [0, 1]);
    draw_to(&mut context, &texture, 0);
    add(&mut context);
    // Each draw doubles the color.
    for _ in 0..4 {
        context.texture_barrier();
        context.draw_triangles(3).unwrap();
    }
    assert!(pixels(&mut context, &texture).iter().all(|pixel| pixel[..3] == [48; 3]));
    drop(context);
    assert_silent(&device);
}

#[test]
fn a_color_that_is_drawn_to_is_read_after_a_barrier() {
    let device = lavapipe(&[]);
    let mut context = scene(&device);
    let doubles = shader(&context, &fragment_that_doubles());
    context.bind_shader(ShaderStage::Fragment, Some(&doubles)).unwrap();
    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    context.texture_subdata(&target, Region::of_level(&target, 0), &[3; 256]).unwrap();
    for _ in 0..4 {
        context.texture_barrier();
        context.draw_triangles(3).unwrap();
    }
    assert_eq!(pixels(&mut context, &target), [[48; 4]; 64]);
    drop(context);
    assert_silent(&device);
}

#[test]
fn a_level_that_is_drawn_to_is_sampled_without_a_barrier() {
    // The result is undefined in GL.
    let device = lavapipe(&[]);
    let mut context = scene(&device);
    let (texture, other) = (texture(&context, 1, Bind::RENDER_TARGET), target(&context).unwrap());
    sample(&mut context, &texture, [0, 1]);
    draw_to(&mut context, &texture, 0);
    context.clear(&Clear::color([0.5; 4])).unwrap();
    context.draw_triangles(3).unwrap();
    context.draw_triangles(3).unwrap();
    draw_to(&mut context, &other, 0);
    context.draw_triangles(3).unwrap();
    pixels(&mut context, &other);
    drop(context);
    assert_silent(&device);
}

#[test]
fn depths_that_are_tested_are_sampled() {
    let device = lavapipe(&[]);
    let mut context = scene(&device);
    let (bind, format) = (Bind::SAMPLER_VIEW | Bind::DEPTH_STENCIL, vk::Format::D32_SFLOAT);
    let description = TextureDescription { size: [8, 8, 1], format, bind, ..TextureDescription::default() };
    let depths = context.create_texture(description).unwrap();
    let target = target(&context).unwrap();
    let framebuffer = FramebufferState { depth_stencil: Some(Surface::new(&depths)), ..framebuffer(&target) };
    context.set_framebuffer_state(&framebuffer).unwrap();
    let test = DepthStencilAlphaState { depth: Some(vk::CompareOp::LESS), ..Default::default() };
    let test = context.create_depth_stencil_alpha_state(&test);
    context.bind_depth_stencil_alpha_state(&test);
    context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(SamplerView::whole(&depths))]).unwrap();
    context.clear(&Clear::color([0.0; 4]).and_depth(0.6)).unwrap();
    context.draw_triangles(3).unwrap();
    assert_eq!(pixels(&mut context, &target)[9][0], 153);
    drop(context);
    assert_silent(&device);
}

/// Adds 1 to the texel of texture 0, and stores the sum to image 0.
fn next_level() -> String {
    "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\nnum_textures: 1\nnum_images: 1\n\
     decl_var uniform INTERP_MODE_NONE none usampler2D tex (0, 0, 0)\n\
     decl_var image INTERP_MODE_NONE writeonly r32_uint uimage2D marks (0, 0, 0)\n\
     decl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n    \
     32 %0 = load_const (0x00000000)\n    32 %1 = load_const (0x00000001)\n    32x2 %2 = vec2 %0, %0\n    \
     32x4 %3 = (uint32)txf %2 (coord), %0 (lod), 0 (texture), 0 (sampler)\n    32 %4 = iadd %3.x, %1\n    \
     32x4 %5 = vec4 %4, %4, %4, %4\n    32x4 %6 = vec4 %0, %0, %0, %0\n    32 %7 = deref_var &marks (image uimage2D)\n    \
     @image_deref_store (%7, %6, %0, %5, %0) (image_dim=2D, image_array=false, format=r32_uint, access=writeonly, src_type=uint32)\n    \
     // succs: b1\n    block b1:\n}\n"
        .into()
}

#[test]
fn levels_are_computed_of_the_levels_before_them() {
    let device = lavapipe(&[]);
    let mut context = context(&device);
    let shader = shader(&context, &next_level());
    context.bind_shader(ShaderStage::Compute, Some(&shader)).unwrap();
    let description = TextureDescription {
        size: [4, 4, 1],
        levels: 3,
        format: vk::Format::R32_UINT,
        bind: Bind::SAMPLER_VIEW | Bind::SHADER_IMAGE,
        ..TextureDescription::default()
    };
    let texture = context.create_texture(description).unwrap();
    context.texture_subdata(&texture, Region::of_level(&texture, 0), &[5, 0, 0, 0].repeat(16)).unwrap();
    for level in 1..3 {
        let mut view = SamplerView::whole(&texture);
        if let SamplerView::Texture { levels, .. } = &mut view {
            *levels = [level - 1, 1];
        }
        context.set_sampler_views(ShaderStage::Compute, 0, &[Some(view)]).unwrap();
        let mut image = ImageView::whole(&texture);
        if let ImageView::Texture { level: own, .. } = &mut image {
            *own = level;
        }
        context.set_shader_images(ShaderStage::Compute, 0, &[Some(image)]).unwrap();
        context.launch_grid([1, 1, 1]).unwrap();
        context.memory_barrier();
    }
    for (level, expected) in [5, 6, 7].into_iter().enumerate() {
        let bytes = context.read_texture(&texture, Region::of_level(&texture, level as u32)).unwrap();
        assert_eq!(bytes[..4], [expected, 0, 0, 0], "level {level}");
    }
    drop(context);
    assert_silent(&device);
}
