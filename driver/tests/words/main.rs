// SPDX-License-Identifier: MIT

//! Shaders of SPIR-V that ntv did not produce, on lavapipe: with any descriptor numbers and any entry point names.

#[path = "../../../tests/support/mod.rs"]
mod shared;
#[path = "../support/mod.rs"]
mod support;

use ntv::import::import;
use ntv::module::{DescriptorKind, ShaderStage};
use ntv_driver::context::{BufferRange, Clear, ConstantBuffer, Context, Region, VertexBuffer};
use ntv_driver::program::Shader;
use ntv_driver::resource::{SamplerView, TextureDescription};
use std::sync::Arc;
use support::*;

fn words(stage: &str) -> Vec<u32> {
    shared::assembled(&format!("driver/tests/words/{stage}.spvasm"))
}

fn floats(numbers: [f32; 4]) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// The kind and slot to which a context binds the shader's resource at a set and binding.
fn slot(shader: &Shader, [set, binding]: [u32; 2]) -> (DescriptorKind, usize) {
    let slot = shader.slots().iter().find(|slot| [slot.binding.set, slot.binding.binding] == [set, binding]);
    let slot = slot.unwrap_or_else(|| panic!("{:?} has no {set}.{binding}", shader.slots()));
    (slot.binding.kind, slot.slot as usize)
}

/// Binds a triangle that covers everything, in this color.
fn bind_triangle(context: &mut Context, color: [f32; 4]) {
    let elements = context.create_vertex_elements_state(&elements()).unwrap();
    context.bind_vertex_elements_state(&elements);
    let buffer = context.create_buffer_with(&triangle(color)).unwrap();
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).unwrap();
    context.set_viewport_states(&[viewport(8.0)]);
}

fn bind(context: &mut Context, shaders: &[Arc<Shader>]) {
    shaders.iter().for_each(|shader| context.bind_shader(shader.stage(), Some(shader)).unwrap());
}

#[test]
fn shaders_of_words_use_their_slots() {
    let device = lavapipe(&[]);
    let mut context = context(&device);
    let shaders = ["vertex", "fragment"].map(|stage| context.create_shader_of_words(&words(stage)).unwrap());
    bind(&mut context, &shaders);
    bind_triangle(&mut context, [0.5, 0.25, 0.0, 1.0]);
    let fragment = &shaders[1];
    assert!(fragment.reads_push_constants() && !shaders[0].reads_push_constants());

    let (kind, block) = slot(fragment, [2, 5]);
    assert_eq!(kind, DescriptorKind::UniformBuffer);
    let factors = ConstantBuffer::User(floats([0.5, 1.0, 1.0, 1.0]));
    context.set_constant_buffer(ShaderStage::Fragment, block, Some(factors)).unwrap();
    let (kind, sums) = slot(fragment, [0, 7]);
    assert_eq!(kind, DescriptorKind::StorageBuffer);
    let buffer = context.create_buffer_with(&floats([0.0, 0.25, 0.0, 0.0])).unwrap();
    context.set_shader_buffers(ShaderStage::Fragment, sums, &[Some(BufferRange::whole(&buffer))]).unwrap();
    let (kind, picture) = slot(fragment, [1, 3]);
    assert_eq!(kind, DescriptorKind::CombinedImageSampler);
    let texture = context.create_texture(TextureDescription::default()).unwrap();
    context.texture_subdata(&texture, Region::of_level(&texture, 0), &[16, 0, 32, 0]).unwrap();
    context.set_sampler_views(ShaderStage::Fragment, picture, &[Some(SamplerView::whole(&texture))]).unwrap();
    context.set_push_constants(&floats([0.0, 0.0, 0.25, 0.0])).unwrap();

    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    context.clear(&Clear::color([0.0; 4])).unwrap();
    context.draw_triangles(3).unwrap();
    // A quarter and 16, a quarter and a quarter, 32 and a quarter.
    assert_eq!(pixels(&mut context, &target)[9], [80, 128, 96, 255]);
    drop(context);
    assert_silent(&device);
}

#[test]
fn shaders_of_words_compute() {
    let device = lavapipe(&[]);
    let mut context = context(&device);
    let shader = context.create_shader_of_words(&words("compute")).unwrap();
    bind(&mut context, std::slice::from_ref(&shader));
    let buffer = context.create_buffer_with(&[1, 2, 3, 4].map(u32::to_le_bytes).concat()).unwrap();
    let (_, number) = slot(&shader, [4, 9]);
    context.set_shader_buffers(ShaderStage::Compute, number, &[Some(BufferRange::whole(&buffer))]).unwrap();
    context.launch_grid([1, 1, 1]).unwrap();
    context.memory_barrier();
    assert_eq!(context.read_buffer(&buffer, 0, 16).unwrap(), [2, 4, 6, 8].map(u32::to_le_bytes).concat());
    drop(context);
    assert_silent(&device);
}

#[test]
fn imported_modules_are_linked_with_nir() {
    let device = lavapipe(&[]);
    let mut context = context(&device);
    let imported = import(&words("vertex")).unwrap();
    let vertex = context.create_shader_of_module(imported, Default::default()).unwrap();
    let shaders = [vertex, shader(&context, &fragment_with_uniforms())];
    bind(&mut context, &shaders);
    bind_triangle(&mut context, [1.0, 0.5, 0.25, 1.0]);
    let factors = ConstantBuffer::User(floats([0.5, 1.0, 1.0, 1.0]));
    context.set_constant_buffer(ShaderStage::Fragment, 0, Some(factors)).unwrap();
    let target = target(&context).unwrap();
    context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    context.draw_triangles(3).unwrap();
    assert_eq!(pixels(&mut context, &target)[9], [128, 128, 64, 255]);
    drop(context);
    assert_silent(&device);
}

#[test]
fn shaders_of_words_are_not_mixed_with_others() {
    let device = lavapipe(&[]);
    let mut context = context(&device);
    let shaders = [context.create_shader_of_words(&words("vertex")).unwrap(), shader(&context, &fragment())];
    let error = context.link_program(&shaders, &Default::default()).unwrap_err();
    assert_eq!(error.message, "a program cannot mix shaders of words with other shaders");
    assert!(context.create_shader_of_words(&[1, 2, 3]).is_err());
}
