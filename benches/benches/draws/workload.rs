// SPDX-License-Identifier: MIT

//! The changes before a draw.

use crate::scene::{Scene, CLEARED, SIZE};
use anyhow::Result;
use ntv::module::ShaderStage;
use ntv_driver::context::{ConstantBuffer, Scissor, Viewport};

/// The colour of vertices, of textures and of the tint, in each channel.
pub(crate) const COLOUR: u8 = 64;
pub(crate) const OTHER_COLOUR: u8 = 128;
pub(crate) const WHITE: u8 = 255;
pub(crate) const OTHER_TEXEL: u8 = 192;
const TINT: u8 = 64;

/// The state that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    None,
    VertexBuffer,
    UniformBuffer,
    Uniform,
    Texture,
    Program,
    Blend,
    VertexFormat,
    Viewport,
    Framebuffer,
}

/// All, in the order in which they are measured.
pub(crate) const WORKLOADS: [Workload; 10] = [
    Workload::None,
    Workload::VertexBuffer,
    Workload::UniformBuffer,
    Workload::Uniform,
    Workload::Texture,
    Workload::Program,
    Workload::Blend,
    Workload::VertexFormat,
    Workload::Viewport,
    Workload::Framebuffer,
];

impl Workload {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Workload::None => "none",
            Workload::VertexBuffer => "vertex buffer",
            Workload::UniformBuffer => "uniform buffer",
            Workload::Uniform => "uniform",
            Workload::Texture => "texture",
            Workload::Program => "program",
            Workload::Blend => "blend",
            Workload::VertexFormat => "vertex format",
            Workload::Viewport => "viewport",
            Workload::Framebuffer => "framebuffer",
        }
    }

    /// The number of draws of a round.
    pub(crate) fn draws(self) -> u32 {
        match self {
            Workload::Framebuffer => 1000,
            _ => 10_000,
        }
    }

    /// The pixel at 24, 24 in the first target after a draw in state 1, in each channel.
    pub(crate) fn pixel(self) -> u8 {
        match self {
            Workload::None => COLOUR,
            Workload::VertexBuffer => OTHER_COLOUR,
            Workload::UniformBuffer | Workload::Viewport | Workload::Framebuffer => CLEARED,
            Workload::Uniform => COLOUR + TINT,
            Workload::Texture => (u32::from(COLOUR) * u32::from(OTHER_TEXEL) / u32::from(WHITE)) as u8,
            Workload::Program => WHITE - COLOUR,
            Workload::Blend => COLOUR + CLEARED,
            Workload::VertexFormat => WHITE,
        }
    }

    /// Sets its state: 0 or 1. The calls are those of Mesa's state tracker.
    #[inline(always)]
    pub(crate) fn change(self, scene: &mut Scene, state: bool) -> Result<()> {
        let at = usize::from(state);
        match self {
            Workload::None => {}
            Workload::VertexBuffer => scene.context.set_vertex_buffers(0, &scene.vertex_buffers[at])?,
            Workload::UniformBuffer => bind_block(scene, at)?,
            Workload::Uniform => set_tint(scene, at)?,
            Workload::Texture => bind_texture(scene, at)?,
            Workload::Program => {
                scene.context.bind_shader(ShaderStage::Fragment, Some(&scene.fragments[at]))?;
                bind_texture(scene, 0)?;
                set_tint(scene, 0)?;
                bind_block(scene, 0)?;
            }
            Workload::Blend => scene.context.bind_blend_state(&scene.blends[at]),
            Workload::VertexFormat => {
                scene.context.bind_vertex_elements_state(&scene.elements[at]);
                let buffers = if state { &scene.other_vertices } else { &scene.vertex_buffers[0] };
                scene.context.set_vertex_buffers(0, buffers)?;
            }
            Workload::Viewport => {
                let size = if state { SIZE / 2 } else { SIZE };
                scene.context.set_scissor_states(&[Scissor { offset: [0; 2], size: [size; 2] }]);
                let rect = [0.0, 0.0, size as f32, size as f32];
                scene.context.set_viewport_states(&[Viewport { rect, ..Viewport::default() }]);
            }
            Workload::Framebuffer => scene.context.set_framebuffer_state(&scene.framebuffers[at])?,
        }
        Ok(())
    }

    /// The draws of a round. There is a loop for each workload, so that no draw has to select it.
    pub(crate) fn draw(self, scene: &mut Scene) -> Result<()> {
        macro_rules! loops {
            ($($name:ident)*) => {
                match self {
                    $(Workload::$name => (0..self.draws()).try_for_each(|n| {
                        Workload::$name.change(scene, n % 2 != 0)?;
                        scene.draw()
                    }),)*
                }
            };
        }
        loops! { None VertexBuffer UniformBuffer Uniform Texture Program Blend VertexFormat Viewport Framebuffer }
    }
}

#[inline(always)]
fn bind_block(scene: &mut Scene, at: usize) -> Result<()> {
    Ok(scene.context.set_constant_buffer(
        ShaderStage::Vertex,
        1,
        Some(ConstantBuffer::Buffer(scene.blocks[at].clone())),
    )?)
}

#[inline(always)]
fn set_tint(scene: &mut Scene, at: usize) -> Result<()> {
    let tint = if at == 0 { 0.0 } else { f32::from(TINT) / 255.0 };
    let bytes = tint.to_ne_bytes().repeat(4);
    Ok(scene.context.set_constant_buffer(ShaderStage::Fragment, 0, Some(ConstantBuffer::User(bytes)))?)
}

#[inline(always)]
fn bind_texture(scene: &mut Scene, at: usize) -> Result<()> {
    scene.context.set_sampler_views(ShaderStage::Fragment, 0, &scene.views[at])?;
    Ok(scene.context.bind_sampler_states(ShaderStage::Fragment, 0, &scene.samplers)?)
}

/// Sets state 0 of all workloads.
pub(crate) fn reset(scene: &mut Scene) -> Result<()> {
    WORKLOADS.into_iter().try_for_each(|workload| workload.change(scene, false))
}
