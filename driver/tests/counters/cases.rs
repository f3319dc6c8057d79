// SPDX-License-Identifier: MIT

//! A row for each way to set a state, with two values.

use crate::scene::{user, Scene, Shaders};
use ntv::module::ShaderStage;
use ntv::Key;
use ntv_driver::context::{
    BlendState, BufferRange, ConstantBuffer, DepthStencilAlphaState, FramebufferState, RasterizerState, RtBlendState,
    Scissor, VertexBuffer,
};
use ntv_driver::resource::{ImageView, SamplerView, Surface};
use ntv_driver::{vk, Result};
use std::sync::Arc;

/// The consumer of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The device: commands are recorded.
    Yes,
    /// A handler that finds no command to record.
    ByHandler,
    /// None.
    No,
}

/// A way to set a state.
pub(crate) struct Case {
    /// The setter, with its name in the table of dirty bits.
    pub(crate) setter: &'static str,
    /// The state.
    pub(crate) what: &'static str,
    pub(crate) shaders: Shaders,
    pub(crate) seen: Seen,
    /// Sets one of two values.
    pub(crate) set: fn(&mut Scene, bool) -> Result<()>,
}

const PLAIN: Shaders = Shaders::Draw("plain", "plain");
const TEXTURE: Shaders = Shaders::Draw("plain", "texture");
const BLOCKS: Shaders = Shaders::Draw("plain", "two blocks");
const NO_ATTRIBUTES: Shaders = Shaders::Draw("without attributes", "plain");

macro_rules! cases {
    ($($setter:ident($what:literal, $shaders:expr) $seen:ident: $set:expr;)*) => {
        &[$(Case { setter: stringify!($setter), what: $what, shaders: $shaders, seen: Seen::$seen, set: $set }),*]
    };
}

/// All setters, with state that shaders use, and with state that they do not use.
pub(crate) const CASES: &[Case] = cases! {
    bind_shader("the fragment shader", PLAIN) Yes: |scene, other| shader(scene, ShaderStage::Fragment, "uniforms", other);
    bind_shader("a geometry shader", PLAIN) Yes: |scene, other| shader(scene, ShaderStage::Geometry, "", other);
    bind_shader("the compute shader", Shaders::Compute("increments")) Yes: |scene, other| {
        shader(scene, ShaderStage::Compute, "adds uniforms", other)
    };
    bind_shader("a compute shader that is not run", PLAIN) No: |scene, other| {
        shader(scene, ShaderStage::Compute, "adds uniforms", other)
    };
    bind_shader("a fragment shader that does not draw", Shaders::Compute("increments")) No: |scene, other| {
        shader(scene, ShaderStage::Fragment, "plain", other)
    };
    set_framebuffer_state("another texture", PLAIN) Yes: |scene, other| {
        let framebuffer = scene.framebuffer(&[&scene.targets[usize::from(other)]]);
        scene.context.set_framebuffer_state(&framebuffer)
    };
    set_framebuffer_state("two colors", PLAIN) Yes: |scene, other| {
        let list = [&scene.targets[0], &scene.targets[1]];
        let framebuffer = scene.framebuffer(&list[..1 + usize::from(other)]);
        scene.context.set_framebuffer_state(&framebuffer)
    };
    set_framebuffer_state("depth", PLAIN) Yes: |scene, other| {
        let depth_stencil = other.then(|| Surface::new(&scene.depth));
        let framebuffer = FramebufferState { depth_stencil, ..scene.framebuffer(&[&scene.targets[0]]) };
        scene.context.set_framebuffer_state(&framebuffer)
    };
    set_framebuffer_state("orientation", PLAIN) Yes: |scene, other| {
        let orientation = if other { Key::FLIP_Y } else { 0 };
        let framebuffer = FramebufferState { orientation, ..scene.framebuffer(&[&scene.targets[0]]) };
        scene.context.set_framebuffer_state(&framebuffer)
    };
    set_constant_buffer("loose uniforms", Shaders::Draw("plain", "uniforms")) Yes: |scene, other| {
        constants(scene, ShaderStage::Fragment, 0, other)
    };
    set_constant_buffer("loose uniforms of the vertex shader", Shaders::Draw("moved by uniforms", "plain")) Yes: |scene, other| {
        constants(scene, ShaderStage::Vertex, 0, other)
    };
    set_constant_buffer("a block by value", BLOCKS) Yes: |scene, other| constants(scene, ShaderStage::Fragment, 2, other);
    set_constant_buffer("a block in a buffer", BLOCKS) Yes: |scene, other| {
        let range = BufferRange::whole(&scene.buffers[usize::from(other)]);
        scene.context.set_constant_buffer(ShaderStage::Fragment, 1, Some(ConstantBuffer::Buffer(range)))
    };
    set_constant_buffer("a part of a buffer", BLOCKS) Yes: |scene, other| {
        let range = BufferRange { offset: if other { 256 } else { 0 }, size: 64, ..BufferRange::whole(&scene.buffers[0]) };
        scene.context.set_constant_buffer(ShaderStage::Fragment, 1, Some(ConstantBuffer::Buffer(range)))
    };
    set_constant_buffer("a block of the geometry shader", Shaders::Geometry) Yes: |scene, other| {
        constants(scene, ShaderStage::Geometry, 1, other)
    };
    set_constant_buffer("uniforms in push constants", Shaders::Inline) Yes: |scene, other| {
        constants(scene, ShaderStage::Fragment, 0, other)
    };
    set_constant_buffer("uniforms of the compute shader", Shaders::Compute("adds uniforms")) Yes: |scene, other| {
        constants(scene, ShaderStage::Compute, 0, other)
    };
    set_constant_buffer("a block that no shader uses", BLOCKS) No: |scene, other| constants(scene, ShaderStage::Fragment, 5, other);
    set_constant_buffer("loose uniforms that are not read", BLOCKS) No: |scene, other| constants(scene, ShaderStage::Fragment, 0, other);
    set_constant_buffer("a block of another stage", BLOCKS) No: |scene, other| constants(scene, ShaderStage::Vertex, 1, other);
    set_constant_buffer("a block of a stage without shader", BLOCKS) No: |scene, other| constants(scene, ShaderStage::Geometry, 1, other);
    set_constant_buffer("a block for dispatches", BLOCKS) No: |scene, other| constants(scene, ShaderStage::Compute, 1, other);
    set_constant_buffer("a block that is not dispatched with", Shaders::Compute("increments")) No: |scene, other| {
        constants(scene, ShaderStage::Compute, 0, other)
    };
    set_sampler_views("a texture", TEXTURE) Yes: |scene, other| view(scene, ShaderStage::Fragment, 0, other);
    set_sampler_views("one of two textures", Shaders::Draw("plain", "two textures")) Yes: |scene, other| {
        view(scene, ShaderStage::Fragment, 2, other)
    };
    set_sampler_views("texels of a buffer", Shaders::Draw("plain", "texels")) Yes: |scene, other| {
        let buffer = Arc::clone(&scene.buffers[usize::from(other)]);
        let view = SamplerView::Buffer { buffer, format: vk::Format::R8G8B8A8_UNORM, offset: 0, size: 64 };
        scene.context.set_sampler_views(ShaderStage::Fragment, 3, &[Some(view)])
    };
    set_sampler_views("a texture for dispatches", Shaders::Compute("from a texture to an image")) Yes: |scene, other| {
        view(scene, ShaderStage::Compute, 0, other)
    };
    set_sampler_views("a texture that no shader uses", PLAIN) No: |scene, other| view(scene, ShaderStage::Fragment, 0, other);
    set_sampler_views("a texture of another slot", TEXTURE) No: |scene, other| view(scene, ShaderStage::Fragment, 1, other);
    set_sampler_views("a texture of another stage", TEXTURE) No: |scene, other| view(scene, ShaderStage::Vertex, 0, other);
    set_sampler_views("a texture that is not dispatched with", Shaders::Compute("increments")) No: |scene, other| {
        view(scene, ShaderStage::Compute, 0, other)
    };
    bind_sampler_states("a sampler", TEXTURE) Yes: |scene, other| sampler(scene, ShaderStage::Fragment, 0, other);
    bind_sampler_states("a sampler for dispatches", Shaders::Compute("from a texture to an image")) Yes: |scene, other| {
        sampler(scene, ShaderStage::Compute, 0, other)
    };
    bind_sampler_states("a sampler that no shader uses", PLAIN) No: |scene, other| sampler(scene, ShaderStage::Fragment, 0, other);
    bind_sampler_states("a sampler of another slot", TEXTURE) No: |scene, other| sampler(scene, ShaderStage::Fragment, 1, other);
    set_shader_buffers("a buffer", Shaders::Draw("plain", "counts in a buffer")) Yes: |scene, other| {
        buffer(scene, ShaderStage::Fragment, 0, other)
    };
    set_shader_buffers("a buffer for dispatches", Shaders::Compute("increments")) Yes: |scene, other| {
        buffer(scene, ShaderStage::Compute, 0, other)
    };
    set_shader_buffers("a buffer that no shader uses", PLAIN) No: |scene, other| buffer(scene, ShaderStage::Fragment, 0, other);
    set_shader_buffers("a buffer of another slot", Shaders::Compute("increments")) No: |scene, other| {
        buffer(scene, ShaderStage::Compute, 1, other)
    };
    set_shader_images("an image", Shaders::Draw("plain", "stores to an image")) Yes: |scene, other| {
        image(scene, ShaderStage::Fragment, 0, other)
    };
    set_shader_images("an image for dispatches", Shaders::Compute("from a texture to an image")) Yes: |scene, other| {
        image(scene, ShaderStage::Compute, 0, other)
    };
    set_shader_images("an image that no shader uses", PLAIN) No: |scene, other| image(scene, ShaderStage::Fragment, 0, other);
    set_shader_images("an image of another slot", Shaders::Draw("plain", "stores to an image")) No: |scene, other| {
        image(scene, ShaderStage::Fragment, 1, other)
    };
    set_vertex_buffers("vertices", PLAIN) Yes: |scene, other| vertices(scene, 0, other);
    set_vertex_buffers("an offset", PLAIN) Yes: |scene, other| {
        let bound = VertexBuffer { buffer: Arc::clone(&scene.buffers[0]), offset: if other { 96 } else { 0 } };
        scene.context.set_vertex_buffers(0, &[Some(bound)])
    };
    set_vertex_buffers("vertices that no element reads", PLAIN) No: |scene, other| vertices(scene, 1, other);
    set_vertex_buffers("vertices that no shader reads", NO_ATTRIBUTES) No: |scene, other| vertices(scene, 0, other);
    bind_vertex_elements_state("an offset", PLAIN) Yes: |scene, other| scene.bind_elements(if other { 0 } else { 16 });
    bind_vertex_elements_state("elements that no shader reads", NO_ATTRIBUTES) ByHandler: |scene, other| {
        scene.bind_elements(if other { 0 } else { 16 })
    };
    set_stream_output_targets("a target", Shaders::Draw("captured", "plain")) Yes: |scene, other| {
        let target = Arc::clone(&scene.captures[usize::from(other)]);
        scene.context.set_stream_output_targets(&[Some(target)], true)
    };
    set_stream_output_targets("a target that nothing is captured to", PLAIN) ByHandler: |scene, other| {
        let target = Arc::clone(&scene.captures[usize::from(other)]);
        scene.context.set_stream_output_targets(&[Some(target)], true)
    };
    bind_rasterizer_state("culling", PLAIN) Yes: |scene, other| {
        let cull_face = if other { vk::CullModeFlags::BACK } else { vk::CullModeFlags::NONE };
        rasterizer(scene, RasterizerState { cull_face, ..RasterizerState::default() })
    };
    bind_rasterizer_state("lines", PLAIN) Yes: |scene, other| {
        let fill = if other { vk::PolygonMode::LINE } else { vk::PolygonMode::FILL };
        rasterizer(scene, RasterizerState { fill, ..RasterizerState::default() })
    };
    bind_rasterizer_state("early tests, a bit of the key", PLAIN) Yes: |scene, other| {
        rasterizer(scene, RasterizerState { early_fragment_tests: other, ..RasterizerState::default() })
    };
    bind_blend_state("a factor", PLAIN) Yes: |scene, other| {
        scene.bind_blend(if other { BlendState::all(RtBlendState::alpha_over()) } else { BlendState::default() })
    };
    bind_blend_state("alpha to coverage", PLAIN) Yes: |scene, other| {
        scene.bind_blend_of_samples(BlendState { alpha_to_coverage: other, ..BlendState::default() })
    };
    bind_blend_state("alpha to coverage of one sample", PLAIN) ByHandler: |scene, other| {
        scene.bind_blend(BlendState { alpha_to_coverage: other, ..BlendState::default() })
    };
    bind_blend_state("dither, a bit of the key", PLAIN) Yes: |scene, other| {
        let framebuffer = scene.framebuffer(&[&scene.small]);
        scene.context.set_framebuffer_state(&framebuffer)?;
        scene.bind_blend(BlendState { dither: other, ..BlendState::default() })
    };
    bind_blend_state("dither of a color that is not dithered", PLAIN) ByHandler: |scene, other| {
        scene.bind_blend(BlendState { dither: other, ..BlendState::default() })
    };
    bind_blend_state("a row for each color, all the same", PLAIN) No: |scene, other| {
        scene.bind_blend(BlendState { independent_blend_enable: other, ..BlendState::all(RtBlendState::alpha_over()) })
    };
    bind_depth_stencil_alpha_state("a test", PLAIN) Yes: |scene, other| {
        let depth = Some(if other { vk::CompareOp::LESS } else { vk::CompareOp::GREATER });
        let tests = scene.context.create_depth_stencil_alpha_state(&DepthStencilAlphaState { depth, ..Default::default() });
        scene.context.bind_depth_stencil_alpha_state(&tests);
        Ok(())
    };
    set_stencil_ref("both faces", PLAIN) Yes: |scene, other| {
        scene.context.set_stencil_ref([u32::from(other); 2]);
        Ok(())
    };
    set_blend_color("all", PLAIN) Yes: |scene, other| {
        scene.context.set_blend_color([f32::from(u8::from(other)); 4]);
        Ok(())
    };
    set_viewport_states("a size", PLAIN) Yes: |scene, other| {
        scene.context.set_viewport_states(&[crate::support::viewport(if other { 4.0 } else { 8.0 })]);
        Ok(())
    };
    set_scissor_states("a size", PLAIN) Yes: |scene, other| {
        rasterizer(scene, RasterizerState { scissor: true, ..RasterizerState::default() })?;
        scissor(scene, other)
    };
    set_scissor_states("a size that is not used", PLAIN) ByHandler: scissor;
    set_sample_mask("a bit", PLAIN) Yes: |scene, other| {
        scene.context.set_sample_mask(if other { 1 } else { u32::MAX });
        Ok(())
    };
    set_min_samples("all", PLAIN) Yes: |scene, other| {
        let framebuffer = scene.framebuffer(&[&scene.samples]);
        scene.context.set_framebuffer_state(&framebuffer)?;
        scene.context.set_min_samples(if other { 4 } else { 0 });
        Ok(())
    };
    set_min_samples("of one", PLAIN) ByHandler: |scene, other| {
        scene.context.set_min_samples(if other { 4 } else { 0 });
        Ok(())
    };
    set_patch_vertices("a number", Shaders::Tessellation) Yes: |scene, other| {
        scene.context.set_patch_vertices(if other { 4 } else { 3 });
        Ok(())
    };
    set_patch_vertices("without patches", PLAIN) No: |scene, other| {
        scene.context.set_patch_vertices(if other { 4 } else { 3 });
        Ok(())
    };
    set_push_constants("push constants of the application", Shaders::Words) Yes: push_constants;
    set_push_constants("push constants that no shader reads", PLAIN) No: push_constants;
    set_push_constants("push constants of the driver", Shaders::Inline) No: push_constants;
};

/// The shader that is bound first, or another one.
fn shader(scene: &mut Scene, stage: ShaderStage, name: &str, other: bool) -> Result<()> {
    let shader = scene.other_shader(stage, name);
    let first = scene.first_shader(stage);
    scene.context.bind_shader(stage, if other { Some(&shader) } else { first.as_ref() })
}

fn constants(scene: &mut Scene, stage: ShaderStage, slot: usize, other: bool) -> Result<()> {
    scene.context.set_constant_buffer(stage, slot, Some(user(u8::from(other))))
}

fn view(scene: &mut Scene, stage: ShaderStage, slot: usize, other: bool) -> Result<()> {
    let view = SamplerView::whole(&scene.textures[usize::from(other)]);
    scene.context.set_sampler_views(stage, slot, &[Some(view)])
}

fn sampler(scene: &mut Scene, stage: ShaderStage, slot: usize, other: bool) -> Result<()> {
    let sampler = Arc::clone(&scene.samplers[usize::from(other)]);
    scene.context.bind_sampler_states(stage, slot, &[Some(sampler)])
}

fn buffer(scene: &mut Scene, stage: ShaderStage, slot: usize, other: bool) -> Result<()> {
    let range = BufferRange::whole(&scene.buffers[usize::from(other)]);
    scene.context.set_shader_buffers(stage, slot, &[Some(range)])
}

fn image(scene: &mut Scene, stage: ShaderStage, slot: usize, other: bool) -> Result<()> {
    let view = ImageView::whole(&scene.images[usize::from(other)]);
    scene.context.set_shader_images(stage, slot, &[Some(view)])
}

fn vertices(scene: &mut Scene, slot: usize, other: bool) -> Result<()> {
    let bound = VertexBuffer { buffer: Arc::clone(&scene.buffers[usize::from(other)]), offset: 0 };
    scene.context.set_vertex_buffers(slot, &[Some(bound)])
}

pub(crate) fn rasterizer(scene: &mut Scene, state: RasterizerState) -> Result<()> {
    let rasterizer = scene.context.create_rasterizer_state(&state);
    scene.context.bind_rasterizer_state(&rasterizer);
    Ok(())
}

fn scissor(scene: &mut Scene, other: bool) -> Result<()> {
    let size = if other { [4; 2] } else { [8; 2] };
    scene.context.set_scissor_states(&[Scissor { offset: [0; 2], size }]);
    Ok(())
}

fn push_constants(scene: &mut Scene, other: bool) -> Result<()> {
    scene.context.set_push_constants(&[u8::from(other); 16])
}
