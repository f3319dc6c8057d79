// SPDX-License-Identifier: MIT

//! Calls of a context, with indices of their objects in the tables of a [`Scene`](crate::scene::Scene).

use ntv::module::ShaderStage;
use ntv_driver::context::Topology;

/// The contents of a constant buffer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constants {
    /// A number of bytes with one value.
    User(usize, u8),
    /// A buffer, an offset and a size.
    Buffer(usize, u64, u64),
}

/// Indices of a draw: the offset, whether they have 32 bits, and whether primitives restart.
pub(crate) type Indices = (u64, bool, bool);

/// The source of the parameters of draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Indirect {
    One,
    Two,
    Counted,
}

/// A draw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draw {
    pub(crate) mode: Topology,
    pub(crate) indices: Option<Indices>,
    pub(crate) instances: u32,
    pub(crate) first_instance: u32,
    /// Start, count, and the number that is added to indices.
    pub(crate) runs: Vec<(u32, u32, i32)>,
    pub(crate) indirect: Option<Indirect>,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Call {
    Vertex(Option<usize>),
    Fragment(Option<usize>),
    Compute(Option<usize>),
    Geometry(bool),
    Tessellation(bool),
    Blend(usize),
    Rasterizer(usize),
    DepthStencil(usize),
    Elements(usize),
    /// The first slot, buffers and offsets.
    VertexBuffers(usize, Vec<Option<(usize, u64)>>),
    Constants(ShaderStage, usize, Option<Constants>),
    /// The first slot, buffers, offsets and sizes.
    ShaderBuffers(ShaderStage, usize, Vec<Option<(usize, u64, u64)>>),
    Views(ShaderStage, usize, Vec<Option<usize>>),
    Samplers(ShaderStage, usize, Vec<Option<usize>>),
    Images(ShaderStage, usize, Vec<Option<usize>>),
    Framebuffer(usize),
    Viewports(usize),
    Scissors(usize),
    BlendColor(u8),
    StencilRef(u32, u32),
    SampleMask(u32),
    MinSamples(u32),
    PatchVertices(u32),
    /// Targets, and whether captures continue.
    Targets(Vec<Option<usize>>, bool),
    Draw(Draw),
    /// The number of vertices that a target captured.
    DrawCaptured(usize),
    /// Colors, value, depth, stencil, scissor.
    Clear(u32, u8, Option<u8>, Option<u32>, Option<usize>),
    Dispatch([u32; 3]),
    DispatchIndirect,
    /// Buffer, offset, bytes, value.
    BufferSubdata(usize, u64, usize, u8),
    /// Texture, level, value.
    TextureSubdata(usize, u32, u8),
    /// To, from, offset of both, size.
    CopyBuffer(usize, usize, u64, u64),
    ClearBuffer(usize, u64, u64, u32),
    /// A row of the table of copies.
    CopyTexture(usize),
    /// A row of the table of blits.
    Blit(usize),
    GenerateMipmap(usize),
    InvalidateBuffer(usize),
    InvalidateTexture(usize),
    /// A new buffer replaces one that is dropped.
    ReplaceBuffer(usize),
    ReplaceTexture(usize),
    /// The fragment shader is deleted, and created again.
    ReplaceFragment(usize),
    BeginQuery(usize),
    EndQuery(usize),
    MemoryBarrier,
    Flush,
    Finish,
    /// The next calls belong to the other context.
    Switch,
}
