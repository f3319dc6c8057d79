// SPDX-License-Identifier: MIT

//! State objects, after Gallium's `pipe_blend_state` and similar structs, in Vulkan's terms.

use crate::resource::{Buffer, Surface};
use ash::vk;
use std::sync::Arc;

/// The maximum number of color attachments.
pub const MAX_COLORS: usize = 8;

/// The blend state of a color attachment: Gallium's `pipe_rt_blend_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RtBlendState {
    /// Whether blending is enabled.
    pub blend_enable: bool,
    /// The blending of red, green and blue: operation, factor of the source, factor of the destination.
    pub rgb: (vk::BlendOp, vk::BlendFactor, vk::BlendFactor),
    /// The blending of alpha.
    pub alpha: (vk::BlendOp, vk::BlendFactor, vk::BlendFactor),
    /// The components that are written.
    pub colormask: vk::ColorComponentFlags,
}

impl Default for RtBlendState {
    fn default() -> RtBlendState {
        let replace = (vk::BlendOp::ADD, vk::BlendFactor::ONE, vk::BlendFactor::ZERO);
        RtBlendState { blend_enable: false, rgb: replace, alpha: replace, colormask: vk::ColorComponentFlags::RGBA }
    }
}

impl RtBlendState {
    /// The source covers the destination by its alpha.
    pub fn alpha_over() -> RtBlendState {
        let rgb = (vk::BlendOp::ADD, vk::BlendFactor::SRC_ALPHA, vk::BlendFactor::ONE_MINUS_SRC_ALPHA);
        let alpha = (vk::BlendOp::ADD, vk::BlendFactor::ONE, vk::BlendFactor::ONE_MINUS_SRC_ALPHA);
        RtBlendState { blend_enable: true, rgb, alpha, ..RtBlendState::default() }
    }
}

/// The processing of colors after the fragment shader: Gallium's `pipe_blend_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlendState {
    /// A row for each color; the first row for all colors unless `independent_blend_enable`.
    pub rt: [RtBlendState; MAX_COLORS],
    /// Whether each color has its own row.
    pub independent_blend_enable: bool,
    /// The logical operation, if there is one.
    pub logicop: Option<vk::LogicOp>,
    /// Whether alpha determines the coverage, if a pixel has several samples.
    pub alpha_to_coverage: bool,
    /// Whether alpha is replaced by 1, if a pixel has several samples.
    pub alpha_to_one: bool,
    /// Whether colors of 16 bits are dithered.
    pub dither: bool,
}

impl BlendState {
    /// A state with the same blending for all colors.
    pub fn all(rt: RtBlendState) -> BlendState {
        BlendState { rt: [rt; MAX_COLORS], ..BlendState::default() }
    }

    /// The part of the state that blending depends on. States with the same blending have equal parts.
    pub(crate) fn blending(&self) -> BlendState {
        let rt = std::array::from_fn(|color| *self.row(color));
        BlendState { rt, independent_blend_enable: true, logicop: self.logicop, ..BlendState::default() }
    }

    /// The row of a color.
    pub(crate) fn row(&self, color: usize) -> &RtBlendState {
        &self.rt[if self.independent_blend_enable { color.min(MAX_COLORS - 1) } else { 0 }]
    }
}

/// The rasterization of primitives: Gallium's `pipe_rasterizer_state`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterizerState {
    /// The sides of triangles that are culled.
    pub cull_face: vk::CullModeFlags,
    /// The winding of a front face, in GL's window coordinates: y increases upwards.
    pub front_face: vk::FrontFace,
    /// Whether triangles are filled, or drawn as lines or points.
    pub fill: vk::PolygonMode,
    /// Depth bias: constant, clamp, slope.
    pub depth_bias: Option<[f32; 3]>,
    /// Whether scissors are enabled.
    pub scissor: bool,
    /// Whether primitives are clipped at the near and the far plane; otherwise depths are clamped.
    pub depth_clip: bool,
    /// Whether clip space has Vulkan's depth range, 0 to w; otherwise GL's, -w to w.
    pub clip_halfz: bool,
    /// Whether the first vertex of a primitive is the provoking one, as in Vulkan; otherwise the last, as in GL.
    pub flatshade_first: bool,
    /// Whether primitives are discarded before rasterization.
    pub rasterizer_discard: bool,
    /// Whether primitives are discarded by a position outside of the clip volume, for devices that do not count discarded
    /// primitives.
    pub discard_by_position: bool,
    /// The width of lines.
    pub line_width: f32,
    /// Whether a shader that writes no point size draws points with a size of 1: GL's points without `GL_PROGRAM_POINT_SIZE`.
    /// Vertices that are drawn as points always have this size.
    pub default_point_size: bool,
    /// Whether depth and stencil are tested before the shader, if this does not change the result.
    pub early_fragment_tests: bool,
}

impl Default for RasterizerState {
    fn default() -> RasterizerState {
        RasterizerState {
            cull_face: vk::CullModeFlags::NONE,
            front_face: vk::FrontFace::COUNTER_CLOCKWISE,
            fill: vk::PolygonMode::FILL,
            depth_bias: None,
            scissor: false,
            depth_clip: true,
            clip_halfz: true,
            flatshade_first: true,
            rasterizer_discard: false,
            discard_by_position: false,
            line_width: 1.0,
            default_point_size: false,
            early_fragment_tests: false,
        }
    }
}

/// One side of the stencil test: Gallium's `pipe_stencil_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilState {
    /// The comparison of the test.
    pub func: vk::CompareOp,
    /// The operation if the stencil test fails.
    pub fail_op: vk::StencilOp,
    /// The operation if the stencil test passes and the depth test fails.
    pub zfail_op: vk::StencilOp,
    /// The operation if both pass.
    pub zpass_op: vk::StencilOp,
    /// The mask of bits that are compared.
    pub valuemask: u32,
    /// The mask of bits that are written.
    pub writemask: u32,
}

impl Default for StencilState {
    fn default() -> StencilState {
        StencilState {
            func: vk::CompareOp::ALWAYS,
            fail_op: vk::StencilOp::KEEP,
            zfail_op: vk::StencilOp::KEEP,
            zpass_op: vk::StencilOp::KEEP,
            valuemask: u32::MAX,
            writemask: u32::MAX,
        }
    }
}

/// Tests of depth and stencil: Gallium's `pipe_depth_stencil_alpha_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthStencilAlphaState {
    /// The comparison of the depth test; `None` for no test.
    pub depth: Option<vk::CompareOp>,
    /// Whether depths are written.
    pub depth_write: bool,
    /// The range that the depth of the attachment must be in.
    pub depth_bounds: Option<[f32; 2]>,
    /// The stencil tests of front and back faces; `None` for no test.
    pub stencil: Option<[StencilState; 2]>,
}

/// An attribute of the vertex shader: Gallium's `pipe_vertex_element`. Its index in the list is the attribute's Location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexElement {
    /// The vertex buffer.
    pub vertex_buffer_index: u32,
    /// The offset in the vertex, in bytes.
    pub src_offset: u32,
    /// The stride of the buffer in bytes. All elements of a buffer have the same.
    pub src_stride: u32,
    /// The format.
    pub src_format: vk::Format,
    /// 0 for one value per vertex, N for one value per N instances. All elements of a buffer have the same.
    pub instance_divisor: u32,
}

/// A vertex buffer: Gallium's `pipe_vertex_buffer`.
#[derive(Clone, Debug)]
pub struct VertexBuffer {
    /// The buffer.
    pub buffer: Arc<Buffer>,
    /// The first byte.
    pub offset: u64,
}

impl PartialEq for VertexBuffer {
    fn eq(&self, other: &VertexBuffer) -> bool {
        Arc::ptr_eq(&self.buffer, &other.buffer) && self.offset == other.offset
    }
}

/// A part of a buffer for shaders: Gallium's `pipe_constant_buffer` with a buffer, and `pipe_shader_buffer`.
#[derive(Clone, Debug)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: Arc<Buffer>,
    /// The first byte: a multiple of the device's required alignment.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
}

impl BufferRange {
    /// A whole buffer.
    pub fn whole(buffer: &Arc<Buffer>) -> BufferRange {
        BufferRange { buffer: Arc::clone(buffer), offset: 0, size: buffer.size() }
    }
}

impl PartialEq for BufferRange {
    fn eq(&self, other: &BufferRange) -> bool {
        Arc::ptr_eq(&self.buffer, &other.buffer) && (self.offset, self.size) == (other.offset, other.size)
    }
}

/// A viewport: Vulkan's, with y increasing downwards from the top of the attachment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left, top, width, height. A negative height flips the image, as in GL.
    pub rect: [f32; 4],
    /// Depths of the near and the far plane.
    pub depth: [f32; 2],
}

impl Default for Viewport {
    fn default() -> Viewport {
        Viewport { rect: [0.0, 0.0, 1.0, 1.0], depth: [0.0, 1.0] }
    }
}

/// A scissor: Gallium's `pipe_scissor_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scissor {
    /// Left and top.
    pub offset: [i32; 2],
    /// Width and height.
    pub size: [u32; 2],
}

/// The attachments of draws: Gallium's `pipe_framebuffer_state`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FramebufferState {
    /// The colors, by Location; `None` for no attachment.
    pub colors: Vec<Option<Surface>>,
    /// Depth, stencil, or both.
    pub depth_stencil: Option<Surface>,
    /// Width and height if there is no attachment.
    pub size: [u32; 2],
    /// The number of samples of a pixel if there is no attachment; 0 for 1.
    pub samples: u32,
    /// The orientation of the image on the screen: bits of [`Key::ORIENTATION`](ntv::Key::ORIENTATION).
    pub orientation: u64,
}

impl FramebufferState {
    /// The attachments that exist.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = &Surface> + Clone {
        self.colors.iter().flatten().chain(&self.depth_stencil)
    }
}

/// The topology of primitives: Gallium's `mesa_prim`.
pub type Topology = vk::PrimitiveTopology;

/// The parameters of a draw: Gallium's `pipe_draw_info`.
#[derive(Clone, Debug)]
pub struct DrawInfo {
    /// The topology of primitives.
    pub mode: Topology,
    /// The indices, if there are any.
    pub indices: Option<Indices>,
    /// The number of instances.
    pub instance_count: u32,
    /// The first instance.
    pub start_instance: u32,
}

impl Default for DrawInfo {
    fn default() -> DrawInfo {
        DrawInfo { mode: Topology::TRIANGLE_LIST, indices: None, instance_count: 1, start_instance: 0 }
    }
}

/// Indices of vertices.
#[derive(Clone, Debug)]
pub struct Indices {
    /// The index buffer.
    pub buffer: Arc<Buffer>,
    /// The first byte: a multiple of the size of an index.
    pub offset: u64,
    /// The type of an index.
    pub ty: vk::IndexType,
    /// Whether the largest index restarts the primitive.
    pub restart: bool,
}

/// A range of vertices, or of indices: Gallium's `pipe_draw_start_count_bias`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawStart {
    /// The first vertex or index.
    pub start: u32,
    /// The number of vertices or indices.
    pub count: u32,
    /// The number that is added to each index.
    pub index_bias: i32,
}

/// The source of the parameters of indirect draws: Gallium's `pipe_draw_indirect_info`.
#[derive(Clone, Debug)]
pub struct DrawIndirect {
    /// The buffer, with `VkDrawIndirectCommand` or `VkDrawIndexedIndirectCommand`.
    pub buffer: Arc<Buffer>,
    /// The first byte: a multiple of 4.
    pub offset: u64,
    /// The stride of commands in bytes: a multiple of 4.
    pub stride: u32,
    /// The number of draws; the maximum if the buffer `count` gives the number.
    pub draw_count: u32,
    /// The source of the number of draws: a buffer and an offset, a multiple of 4.
    pub count: Option<(Arc<Buffer>, u64)>,
}

/// The parameters of a clear.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clear {
    /// The mask of colors.
    pub colors: u32,
    /// The value of the colors; integers by their bits.
    pub color: [u32; 4],
    /// The value of depths.
    pub depth: Option<f32>,
    /// The value of stencils.
    pub stencil: Option<u32>,
    /// The area that is cleared; all if not given.
    pub scissor: Option<Scissor>,
}

impl Clear {
    /// Clears the first color to floats.
    pub fn color(color: [f32; 4]) -> Clear {
        Clear { colors: 1, color: color.map(f32::to_bits), ..Clear::default() }
    }

    /// Also clears the depth.
    pub fn and_depth(self, depth: f32) -> Clear {
        Clear { depth: Some(depth), ..self }
    }
}
