// SPDX-License-Identifier: MIT

//! A context with the state and objects of all workloads.

use anyhow::Result;
use ntv::module::ShaderStage;
use ntv_driver::context::{
    Blend, BlendState, BufferRange, Clear, Context, ContextOptions, Elements, FramebufferState, RasterizerState,
    Region, RtBlendState, VertexBuffer, VertexElement,
};
use ntv_driver::device::Device;
use ntv_driver::program::Shader;
use ntv_driver::resource::{Bind, Buffer, Sampler, SamplerState, SamplerView, Surface, Texture, TextureDescription};
use ntv_driver::vk;
use std::sync::Arc;

use crate::workload::{COLOUR, OTHER_COLOUR, OTHER_TEXEL, WHITE};

/// The size of a target in pixels.
pub(crate) const SIZE: u32 = 32;
const STRIDE: u32 = 32;
/// The bytes from one range of the uniform buffer to the other.
const BLOCK_STEP: u64 = 256;
/// The clear colour of targets.
pub(crate) const CLEARED: u8 = 32;

const VERTEX: &str = include_str!("../../../tests/mesa/draws/vertex.nir");
const FRAGMENTS: [&str; 2] =
    [include_str!("../../../tests/mesa/draws/fragment.nir"), include_str!("../../../tests/mesa/draws/inverse.nir")];

/// The context, and both states of each workload.
pub(crate) struct Scene {
    pub(crate) context: Context,
    pub(crate) vertex_buffers: [[Option<VertexBuffer>; 2]; 2],
    /// The vertex buffers for the other vertex format.
    pub(crate) other_vertices: [Option<VertexBuffer>; 2],
    pub(crate) elements: [Elements; 2],
    pub(crate) blocks: [BufferRange; 2],
    pub(crate) views: [[Option<SamplerView>; 1]; 2],
    pub(crate) samplers: [Option<Arc<Sampler>>; 1],
    pub(crate) fragments: [Arc<Shader>; 2],
    pub(crate) blends: [Blend; 2],
    pub(crate) framebuffers: [FramebufferState; 2],
}

impl Scene {
    pub(crate) fn new(device: &Device) -> Result<Scene> {
        let mut context = Context::new(device, ContextOptions::default())?;
        let vertex = shader(&context, VERTEX)?;
        context.bind_shader(ShaderStage::Vertex, Some(&vertex))?;
        bind_fixed(&mut context);
        let buffers = [vertices(&mut context, COLOUR)?, vertices(&mut context, OTHER_COLOUR)?];
        let formats = [vk::Format::R8G8B8A8_UNORM, vk::Format::R32G32B32A32_SFLOAT];
        let [first, other] = formats.map(|format| elements(&context, format));
        let uniforms = uniforms(&mut context)?;
        let block = |number: u64| BufferRange { buffer: Arc::clone(&uniforms), offset: number * BLOCK_STEP, size: 16 };
        let textures = [texture(&mut context, 4, WHITE)?, texture(&mut context, 4, OTHER_TEXEL)?];
        let repeat = SamplerState { wrap: [vk::SamplerAddressMode::REPEAT; 3], ..SamplerState::default() };
        let targets = [texture(&mut context, SIZE, 0)?, texture(&mut context, SIZE, 0)?];
        let [fragment, inverse] = FRAGMENTS.map(|text| shader(&context, text));
        Ok(Scene {
            samplers: [Some(context.create_sampler_state(&repeat)?)],
            fragments: [fragment?, inverse?],
            elements: [first?, other?],
            blends: [vk::BlendFactor::ZERO, vk::BlendFactor::ONE].map(|factor| blend(&context, factor)),
            other_vertices: attributes(&buffers[0], 16),
            vertex_buffers: buffers.map(|buffer| attributes(&buffer, 8)),
            blocks: [block(0), block(1)],
            views: textures.map(|texture| [Some(SamplerView::whole(&texture))]),
            framebuffers: targets.map(|target| framebuffer(&target)),
            context,
        })
    }

    /// The measured draw.
    #[inline]
    pub(crate) fn draw(&mut self) -> Result<()> {
        Ok(self.context.draw_triangles(3)?)
    }

    /// Clears the first target.
    pub(crate) fn clear(&mut self) -> Result<()> {
        Ok(self.context.clear(&Clear::color([f32::from(CLEARED) / 255.0; 4]))?)
    }

    /// The pixel at 24, 24 in the first target.
    pub(crate) fn pixel(&mut self) -> Result<[u8; 4]> {
        let Some(surface) = &self.framebuffers[0].colors[0] else { anyhow::bail!("there is no target") };
        let region = Region { level: 0, offset: [24, 24, 0], size: [1; 3] };
        let texture = Arc::clone(&surface.texture);
        let bytes = self.context.read_texture(&texture, region)?;
        Ok(<[u8; 4]>::try_from(&bytes[..])?)
    }
}

fn shader(context: &Context, text: &str) -> Result<Arc<Shader>> {
    Ok(context.create_shader(ntv::text::parse(text)?)?)
}

/// Sets the state that never changes, with OpenGL's values.
fn bind_fixed(context: &mut Context) {
    let rasterizer = RasterizerState {
        front_face: vk::FrontFace::CLOCKWISE,
        scissor: true,
        clip_halfz: false,
        flatshade_first: false,
        default_point_size: true,
        ..RasterizerState::default()
    };
    let rasterizer = context.create_rasterizer_state(&rasterizer);
    context.bind_rasterizer_state(&rasterizer);
    context.set_min_samples(1);
}

/// A triangle over the whole target, and three times its colours.
fn vertices(context: &mut Context, colour: u8) -> Result<Arc<Buffer>> {
    let vertex = |place: [f32; 2]| {
        let mut bytes: Vec<u8> = place.into_iter().flat_map(f32::to_le_bytes).collect();
        bytes.extend([colour; 4]);
        bytes.extend([0; 4]);
        bytes.extend([1f32; 4].into_iter().flat_map(f32::to_le_bytes));
        bytes
    };
    let bytes: Vec<u8> = [[-1., -1.], [3., -1.], [-1., 3.]].into_iter().flat_map(vertex).collect();
    Ok(context.create_buffer_with(&bytes)?)
}

/// A vertex buffer for each attribute, which begins at the attribute, as Mesa's state tracker binds a buffer that attributes
/// share.
fn attributes(buffer: &Arc<Buffer>, colour: u64) -> [Option<VertexBuffer>; 2] {
    [0, colour].map(|offset| Some(VertexBuffer { buffer: Arc::clone(buffer), offset }))
}

fn elements(context: &Context, colour: vk::Format) -> Result<Elements> {
    let element = |(vertex_buffer_index, src_format)| VertexElement {
        vertex_buffer_index,
        src_offset: 0,
        src_stride: STRIDE,
        src_format,
        instance_divisor: 0,
    };
    Ok(context.create_vertex_elements_state(&[(0, vk::Format::R32G32_SFLOAT), (1, colour)].map(element))?)
}

/// Two ranges: with the second one the triangle is half as large, and its longest side crosses the middle of the target.
fn uniforms(context: &mut Context) -> Result<Arc<Buffer>> {
    let mut bytes = [0; 2 * BLOCK_STEP as usize];
    for (start, scale) in [(0, 1f32), (BLOCK_STEP as usize, 0.5)] {
        let words = [scale, scale, 1., 1.].into_iter().flat_map(f32::to_le_bytes);
        bytes[start..].iter_mut().zip(words).for_each(|(to, byte)| *to = byte);
    }
    Ok(context.create_buffer_with(&bytes)?)
}

/// A texture of one colour.
fn texture(context: &mut Context, size: u32, texel: u8) -> Result<Arc<Texture>> {
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let description = TextureDescription { size: [size, size, 1], bind, ..TextureDescription::default() };
    let texture = context.create_texture(description)?;
    let texels = vec![texel; 4 * (size * size) as usize];
    context.texture_subdata(&texture, Region::of_level(&texture, 0), &texels)?;
    Ok(texture)
}

fn blend(context: &Context, factor: vk::BlendFactor) -> Blend {
    let add = (vk::BlendOp::ADD, vk::BlendFactor::ONE, factor);
    let rt = RtBlendState { blend_enable: true, rgb: add, alpha: add, ..RtBlendState::default() };
    context.create_blend_state(&BlendState::all(rt))
}

fn framebuffer(target: &Arc<Texture>) -> FramebufferState {
    FramebufferState { colors: vec![Some(Surface::new(target))], size: [SIZE; 2], ..FramebufferState::default() }
}
