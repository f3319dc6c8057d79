//! State that is bound as a whole, after Gallium's `pipe_blend_state` and its likes, in Vulkan's terms.

use crate::resource::{Buffer, Surface};
use ash::vk;
use std::sync::Arc;

/// Colours that can be drawn to at once.
pub const MAX_COLORS: usize = 8;

/// How a colour is blended: Gallium's `pipe_rt_blend_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RtBlendState {
    /// Whether it is blended.
    pub blend_enable: bool,
    /// What becomes of red, green and blue: operation, factor of the source, factor of the destination.
    pub rgb: (vk::BlendOp, vk::BlendFactor, vk::BlendFactor),
    /// What becomes of alpha.
    pub alpha: (vk::BlendOp, vk::BlendFactor, vk::BlendFactor),
    /// Components that are written.
    pub colormask: vk::ColorComponentFlags,
}

impl Default for RtBlendState {
    fn default() -> RtBlendState {
        let replace = (vk::BlendOp::ADD, vk::BlendFactor::ONE, vk::BlendFactor::ZERO);
        RtBlendState { blend_enable: false, rgb: replace, alpha: replace, colormask: vk::ColorComponentFlags::RGBA }
    }
}

impl RtBlendState {
    /// What is drawn covers what was there by its alpha.
    pub fn alpha_over() -> RtBlendState {
        let rgb = (vk::BlendOp::ADD, vk::BlendFactor::SRC_ALPHA, vk::BlendFactor::ONE_MINUS_SRC_ALPHA);
        let alpha = (vk::BlendOp::ADD, vk::BlendFactor::ONE, vk::BlendFactor::ONE_MINUS_SRC_ALPHA);
        RtBlendState { blend_enable: true, rgb, alpha, ..RtBlendState::default() }
    }
}

/// What becomes of colours after the fragment shader: Gallium's `pipe_blend_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlendState {
    /// A row for each colour; all have the first unless `independent_blend_enable`.
    pub rt: [RtBlendState; MAX_COLORS],
    /// Each colour has a row of its own.
    pub independent_blend_enable: bool,
    /// The logical operation, if there is one.
    pub logicop: Option<vk::LogicOp>,
    /// Alpha makes the coverage, where a pixel has several samples.
    pub alpha_to_coverage: bool,
    /// Alpha becomes 1, where a pixel has several samples.
    pub alpha_to_one: bool,
    /// Colours of 16 bits are dithered.
    pub dither: bool,
}

impl BlendState {
    /// All colours are blended so.
    pub fn all(rt: RtBlendState) -> BlendState {
        BlendState { rt: [rt; MAX_COLORS], ..BlendState::default() }
    }

    /// How colours are blended, and no more. States that blend in the same way have the same.
    pub(crate) fn blending(&self) -> BlendState {
        let rt = std::array::from_fn(|color| *self.row(color));
        BlendState { rt, independent_blend_enable: true, logicop: self.logicop, ..BlendState::default() }
    }

    /// The row of a colour.
    pub(crate) fn row(&self, color: usize) -> &RtBlendState {
        &self.rt[if self.independent_blend_enable { color.min(MAX_COLORS - 1) } else { 0 }]
    }
}

/// How primitives become fragments: Gallium's `pipe_rasterizer_state`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterizerState {
    /// Which sides of triangles are not drawn.
    pub cull_face: vk::CullModeFlags,
    /// The winding of a front face, in the window as GL sees it: y grows upwards.
    pub front_face: vk::FrontFace,
    /// Triangles are filled, or drawn as lines or points.
    pub fill: vk::PolygonMode,
    /// Depth bias: constant, clamp, slope.
    pub depth_bias: Option<[f32; 3]>,
    /// Scissors are used.
    pub scissor: bool,
    /// Primitives are clipped at the near and the far plane; else depths are clamped.
    pub depth_clip: bool,
    /// Clip space has Vulkan's depths, 0 to w; else GL's, -w to w.
    pub clip_halfz: bool,
    /// The first vertex of a primitive provokes, as in Vulkan; else the last, as in GL.
    pub flatshade_first: bool,
    /// Primitives go no further.
    pub rasterizer_discard: bool,
    /// Primitives are moved out of the clip volume: discard for devices that count no primitives that are discarded.
    pub discard_by_position: bool,
    /// Width of lines.
    pub line_width: f32,
    /// What a shader that says no point size draws points with a size of 1: GL's points without `GL_PROGRAM_POINT_SIZE`. Vertices that
    /// are drawn as points always have it.
    pub default_point_size: bool,
    /// Depth and stencil are tested before the shader, where that changes no result.
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

/// A side of the stencil test: Gallium's `pipe_stencil_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilState {
    /// When it passes.
    pub func: vk::CompareOp,
    /// What becomes of the stencil where it fails.
    pub fail_op: vk::StencilOp,
    /// Where it passes and the depth test fails.
    pub zfail_op: vk::StencilOp,
    /// Where both pass.
    pub zpass_op: vk::StencilOp,
    /// Bits that are compared.
    pub valuemask: u32,
    /// Bits that are written.
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
    /// When the depth test passes; `None`: there is none.
    pub depth: Option<vk::CompareOp>,
    /// Depths are written.
    pub depth_write: bool,
    /// Depths that the target has to be within.
    pub depth_bounds: Option<[f32; 2]>,
    /// Stencil tests of front and back faces; `None`: there are none.
    pub stencil: Option<[StencilState; 2]>,
}

/// An attribute of the vertex shader: Gallium's `pipe_vertex_element`. Its place in the list is the attribute's location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexElement {
    /// The vertex buffer.
    pub vertex_buffer_index: u32,
    /// Bytes from the start of the vertex.
    pub src_offset: u32,
    /// Bytes from a vertex to the next. All elements of a buffer have the same.
    pub src_stride: u32,
    /// What it is.
    pub src_format: vk::Format,
    /// 0: each vertex has a value. N: it is the same for N instances. All elements of a buffer have the same.
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

/// A part of a buffer that shaders see: Gallium's `pipe_constant_buffer` with a buffer, and `pipe_shader_buffer`.
#[derive(Clone, Debug)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: Arc<Buffer>,
    /// The first byte: a multiple of what the device asks.
    pub offset: u64,
    /// How many bytes.
    pub size: u64,
}

impl BufferRange {
    /// All of a buffer.
    pub fn whole(buffer: &Arc<Buffer>) -> BufferRange {
        BufferRange { buffer: Arc::clone(buffer), offset: 0, size: buffer.size() }
    }
}

impl PartialEq for BufferRange {
    fn eq(&self, other: &BufferRange) -> bool {
        Arc::ptr_eq(&self.buffer, &other.buffer) && (self.offset, self.size) == (other.offset, other.size)
    }
}

/// A viewport: Vulkan's, with y growing downwards from the top of the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left, top, width, height. A negative height turns the picture over, as GL has it.
    pub rect: [f32; 4],
    /// Depths of the near and the far plane.
    pub depth: [f32; 2],
}

impl Default for Viewport {
    fn default() -> Viewport {
        Viewport { rect: [0.0, 0.0, 1.0, 1.0], depth: [0.0, 1.0] }
    }
}

/// What may be drawn to: Gallium's `pipe_scissor_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scissor {
    /// Left and top.
    pub offset: [i32; 2],
    /// Width and height.
    pub size: [u32; 2],
}

/// What is drawn to: Gallium's `pipe_framebuffer_state`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FramebufferState {
    /// The colours, by location; `None`: nothing is there.
    pub colors: Vec<Option<Surface>>,
    /// Depth, stencil, or both.
    pub depth_stencil: Option<Surface>,
    /// Width and height where there is no attachment.
    pub size: [u32; 2],
    /// Samples of a pixel where there is no attachment; 0 for 1.
    pub samples: u32,
    /// How the picture lies on the screen: bits of [`Key::ORIENTATION`](ntv::Key::ORIENTATION).
    pub orientation: u64,
}

impl FramebufferState {
    /// What is there of it.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = &Surface> + Clone {
        self.colors.iter().flatten().chain(&self.depth_stencil)
    }
}

/// How vertices become primitives: Gallium's `mesa_prim`.
pub type Topology = vk::PrimitiveTopology;

/// What a draw is of: Gallium's `pipe_draw_info`.
#[derive(Clone, Debug)]
pub struct DrawInfo {
    /// How vertices become primitives.
    pub mode: Topology,
    /// Where indices are, if there are any.
    pub indices: Option<Indices>,
    /// How many instances.
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
    /// What an index is.
    pub ty: vk::IndexType,
    /// The largest index begins a new run of vertices.
    pub restart: bool,
}

/// A run of vertices, or of indices: Gallium's `pipe_draw_start_count_bias`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawStart {
    /// The first vertex or index.
    pub start: u32,
    /// How many.
    pub count: u32,
    /// What is added to each index.
    pub index_bias: i32,
}

/// Where the numbers of draws are: Gallium's `pipe_draw_indirect_info`.
#[derive(Clone, Debug)]
pub struct DrawIndirect {
    /// The buffer, with `VkDrawIndirectCommand` or `VkDrawIndexedIndirectCommand`.
    pub buffer: Arc<Buffer>,
    /// The first byte: a multiple of 4.
    pub offset: u64,
    /// Bytes from a command to the next: a multiple of 4.
    pub stride: u32,
    /// How many draws; the most if the buffer `count` says.
    pub draw_count: u32,
    /// Where the number of draws is: a buffer and an offset, a multiple of 4.
    pub count: Option<(Arc<Buffer>, u64)>,
}

/// What is cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clear {
    /// The colours, a bit each.
    pub colors: u32,
    /// What they become; integers by their bits.
    pub color: [u32; 4],
    /// What depths become.
    pub depth: Option<f32>,
    /// What stencils become.
    pub stencil: Option<u32>,
    /// What is cleared only; all if not given.
    pub scissor: Option<Scissor>,
}

impl Clear {
    /// Clears the first colour to floats.
    pub fn color(color: [f32; 4]) -> Clear {
        Clear { colors: 1, color: color.map(f32::to_bits), ..Clear::default() }
    }

    /// Clears the depth, too.
    pub fn and_depth(self, depth: f32) -> Clear {
        Clear { depth: Some(depth), ..self }
    }
}
