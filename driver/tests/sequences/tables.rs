// SPDX-License-Identifier: MIT

//! The values of setters: few, so that they are repeated.

use ntv_driver::context::{
    BlendState, DepthStencilAlphaState, RasterizerState, Region, RtBlendState, Scissor, StencilState, VertexElement,
    Viewport,
};
use ntv_driver::resource::{Bind, SamplerState, TextureDescription, TextureTarget};
use ntv_driver::vk;

/// The size of each buffer in bytes.
pub(crate) const BUFFERS: [u64; 11] = [512, 512, 512, 512, 1024, 1024, 256, 256, 512, 512, 256];
/// Buffers with vertices.
pub(crate) const VERTICES: [usize; 4] = [0, 1, 8, 4];
/// Buffers that are read as uniforms.
pub(crate) const UNIFORMS: [usize; 2] = [2, 3];
/// Buffers that shaders write.
pub(crate) const STORAGE: [usize; 3] = [4, 5, 9];
pub(crate) const INDICES: usize = 6;
pub(crate) const INDIRECT: usize = 7;
pub(crate) const TEXELS: usize = 10;

/// Stream output targets: buffer, offset, size.
pub(crate) const TARGETS: [(usize, u64, u64); 4] = [(8, 0, 512), (9, 0, 256), (9, 256, 256), (8, 128, 64)];

/// The initial bytes of a buffer.
pub(crate) fn bytes_of_buffer(number: usize) -> Vec<u8> {
    let size = BUFFERS[number] as usize;
    let mut bytes: Vec<u8> = match number {
        0 | 1 | 8 => (0..).flat_map(|vertex| vertex_bytes(vertex + number)).take(size).collect(),
        INDICES => [0u32, 1, 2, 2, 3, 1, 4, 5, 3, 0].iter().flat_map(|index| index.to_le_bytes()).collect(),
        // Draws without and with indices at 0 and at 64, a number of draws, and workgroups.
        INDIRECT => {
            let rows = [[3u32, 1, 0, 0, 0], [3, 2, 1, 0, 0]];
            let mut words: Vec<u32> = rows.concat();
            words.resize(16, 0);
            words.extend(rows.concat());
            words.resize(32, 0);
            words.extend([1, 2, 1, 0, 2, 1, 1]);
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        }
        _ => (0..size as u32 / 4).flat_map(|word| (0.25f32 * (word % 4) as f32).to_le_bytes()).collect(),
    };
    bytes.resize(size, 0);
    bytes
}

fn vertex_bytes(vertex: usize) -> impl Iterator<Item = u8> {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [0.5, 1.0]];
    let [x, y] = corners[vertex % 4];
    let numbers: [f32; 8] = [x, y, 0.5, 1.0, 0.25 * (vertex % 5) as f32, 0.5, 0.75, 1.0];
    numbers.into_iter().flat_map(f32::to_le_bytes)
}

/// The number of textures.
pub(crate) const TEXTURES: usize = 12;
pub(crate) const DEPTH: usize = 4;
pub(crate) const SAMPLES: usize = 5;
pub(crate) const IMAGES: [usize; 2] = [7, 11];

pub(crate) fn texture(number: usize) -> TextureDescription {
    let plain = TextureDescription {
        size: [8, 8, 1],
        bind: Bind::RENDER_TARGET | Bind::SAMPLER_VIEW,
        ..TextureDescription::default()
    };
    let sampled = TextureDescription { bind: Bind::SAMPLER_VIEW, ..plain };
    let image = TextureDescription { format: vk::Format::R32_UINT, bind: Bind::SHADER_IMAGE, ..plain };
    match number {
        2 => TextureDescription { levels: 3, ..plain },
        3 => TextureDescription { size: [4, 4, 1], ..sampled },
        DEPTH => TextureDescription { format: vk::Format::D32_SFLOAT_S8_UINT, bind: Bind::DEPTH_STENCIL, ..plain },
        SAMPLES => TextureDescription { samples: 4, bind: Bind::RENDER_TARGET, ..plain },
        6 => TextureDescription { format: vk::Format::R5G6B5_UNORM_PACK16, ..plain },
        7 | 11 => image,
        8 => TextureDescription { size: [16, 16, 1], format: vk::Format::R32G32B32A32_SFLOAT, ..plain },
        9 => TextureDescription { size: [8, 8, 8], target: TextureTarget::Texture3D, ..sampled },
        10 => TextureDescription { layers: 2, target: TextureTarget::Texture2DArray, ..plain },
        _ => plain,
    }
}

/// The attachments of a framebuffer: colors by texture, level and layers; whether there is depth; bits of the orientation.
pub(crate) type Attachments = (&'static [Option<(usize, u32, [u32; 2])>], bool, u64);

const fn whole(texture: usize) -> Option<(usize, u32, [u32; 2])> {
    Some((texture, 0, [0, 1]))
}

pub(crate) const FRAMEBUFFERS: &[Attachments] = &[
    (&[whole(0)], false, 0),
    (&[whole(1)], false, 0),
    (&[whole(0), whole(1)], false, 0),
    (&[whole(0)], true, 0),
    (&[Some((2, 1, [0, 1]))], false, 0),
    (&[whole(SAMPLES)], false, 0),
    (&[whole(6)], false, 0),
    (&[whole(8)], false, 0),
    (&[], false, 0),
    (&[None, whole(1)], false, 0),
    (&[], true, 0),
    (&[Some((10, 0, [0, 2]))], false, 0),
    (&[whole(0)], false, ntv::Key::FLIP_Y),
    (&[whole(8)], false, ntv::Key::SWAP_XY | ntv::Key::FLIP_X),
    (&[whole(SAMPLES), whole(0)], false, 0),
    (&[whole(6), whole(0)], true, 0),
];

pub(crate) fn blends() -> Vec<BlendState> {
    let plain = BlendState::default();
    let over = RtBlendState::alpha_over();
    let add = (vk::BlendOp::ADD, vk::BlendFactor::ONE, vk::BlendFactor::CONSTANT_COLOR);
    let mut independent = BlendState { independent_blend_enable: true, ..plain };
    independent.rt[1] = RtBlendState { blend_enable: true, rgb: add, ..RtBlendState::default() };
    vec![
        plain,
        BlendState::all(over),
        independent,
        BlendState::all(RtBlendState { colormask: vk::ColorComponentFlags::R, ..RtBlendState::default() }),
        BlendState { dither: true, ..plain },
        BlendState { alpha_to_coverage: true, ..plain },
        BlendState { logicop: Some(vk::LogicOp::XOR), ..plain },
        BlendState { alpha_to_one: true, dither: true, ..BlendState::all(over) },
    ]
}

pub(crate) fn rasterizers() -> Vec<RasterizerState> {
    let plain = RasterizerState::default();
    vec![
        plain,
        RasterizerState { scissor: true, ..plain },
        RasterizerState { cull_face: vk::CullModeFlags::BACK, ..plain },
        RasterizerState {
            cull_face: vk::CullModeFlags::FRONT,
            front_face: vk::FrontFace::CLOCKWISE,
            scissor: true,
            ..plain
        },
        RasterizerState { depth_bias: Some([1.0, 0.0, 0.5]), ..plain },
        RasterizerState { fill: vk::PolygonMode::LINE, ..plain },
        RasterizerState { depth_clip: false, ..plain },
        RasterizerState { clip_halfz: false, ..plain },
        RasterizerState { flatshade_first: false, ..plain },
        RasterizerState { rasterizer_discard: true, ..plain },
        RasterizerState { discard_by_position: true, ..plain },
        RasterizerState { default_point_size: true, ..plain },
        RasterizerState { early_fragment_tests: true, line_width: 2.0, ..plain },
    ]
}

pub(crate) fn depth_stencils() -> Vec<DepthStencilAlphaState> {
    let plain = DepthStencilAlphaState::default();
    let less = DepthStencilAlphaState { depth: Some(vk::CompareOp::LESS_OR_EQUAL), depth_write: true, ..plain };
    let side = StencilState {
        func: vk::CompareOp::NOT_EQUAL,
        zpass_op: vk::StencilOp::INCREMENT_AND_WRAP,
        valuemask: 0x3f,
        ..StencilState::default()
    };
    let other = StencilState { zpass_op: vk::StencilOp::REPLACE, writemask: 0xf, ..StencilState::default() };
    vec![
        plain,
        less,
        DepthStencilAlphaState { depth: Some(vk::CompareOp::ALWAYS), ..plain },
        DepthStencilAlphaState { stencil: Some([side, other]), ..plain },
        DepthStencilAlphaState { stencil: Some([other, other]), ..less },
        DepthStencilAlphaState { depth_bounds: Some([0.25, 0.75]), ..less },
    ]
}

pub(crate) fn elements() -> Vec<Vec<VertexElement>> {
    let position = VertexElement {
        vertex_buffer_index: 0,
        src_offset: 0,
        src_stride: 32,
        src_format: vk::Format::R32G32B32A32_SFLOAT,
        instance_divisor: 0,
    };
    let color = VertexElement { src_offset: 16, ..position };
    let of_instance = VertexElement { vertex_buffer_index: 1, instance_divisor: 1, ..color };
    let small = VertexElement { src_format: vk::Format::R32G32_SFLOAT, src_stride: 16, ..position };
    let bytes = VertexElement { src_format: vk::Format::R8G8B8A8_UNORM, src_stride: 16, src_offset: 8, ..position };
    let constant = VertexElement { vertex_buffer_index: 2, src_stride: 0, ..color };
    vec![
        vec![position, color],
        vec![position, of_instance],
        vec![position],
        vec![],
        vec![small, bytes],
        vec![position, constant],
        vec![position, VertexElement { instance_divisor: 2, ..of_instance }],
    ]
}

pub(crate) fn viewports() -> Vec<Vec<Viewport>> {
    let view = |rect: [f32; 4], depth: [f32; 2]| Viewport { rect, depth };
    let whole = view([0.0, 0.0, 8.0, 8.0], [0.0, 1.0]);
    vec![
        vec![whole],
        vec![view([2.0, 1.0, 4.0, 4.0], [0.0, 1.0])],
        vec![view([0.0, 8.0, 8.0, -8.0], [0.0, 1.0])],
        vec![view([0.0, 0.0, 0.0, 8.0], [0.0, 1.0])],
        vec![whole, view([0.0, 0.0, 4.0, 4.0], [0.0, 1.0])],
        vec![view([0.0, 0.0, 8.0, 8.0], [0.25, 0.75])],
        vec![view([0.0, 0.0, 16.0, 16.0], [0.0, 1.0])],
    ]
}

pub(crate) fn scissors() -> Vec<Vec<Scissor>> {
    let of = |x, y, width, height| Scissor { offset: [x, y], size: [width, height] };
    vec![
        vec![of(0, 0, 8, 8)],
        vec![of(2, 2, 4, 4)],
        vec![of(0, 0, 0, 0)],
        vec![of(0, 0, 8, 8), of(1, 1, 2, 2)],
        vec![of(5, 0, 100, 3)],
    ]
}

pub(crate) fn samplers() -> Vec<SamplerState> {
    let plain = SamplerState::default();
    let linear = SamplerState { min_filter: vk::Filter::LINEAR, mag_filter: vk::Filter::LINEAR, ..plain };
    vec![
        plain,
        SamplerState { wrap: [vk::SamplerAddressMode::REPEAT; 3], ..linear },
        SamplerState { mip_filter: Some(vk::SamplerMipmapMode::NEAREST), lod_bias: 1.0, ..linear },
        plain,
    ]
}

/// Copies of texels: destination texture, level and offset; source texture and region.
pub(crate) fn copy(row: usize) -> (usize, u32, [u32; 3], usize, Region) {
    let part = |level, size: [u32; 3]| Region { level, offset: [0; 3], size };
    match row {
        0 => (1, 0, [0; 3], 0, part(0, [8, 8, 1])),
        1 => (3, 0, [0; 3], 2, part(1, [4, 4, 1])),
        2 => (0, 0, [4, 4, 0], 0, part(0, [4, 4, 1])),
        3 => (10, 0, [0, 0, 1], 1, part(0, [8, 8, 1])),
        // The region exceeds the texture.
        _ => (0, 0, [4, 0, 0], 3, part(0, [8, 8, 1])),
    }
}

/// The number of copies.
pub(crate) const COPIES: usize = 5;

/// Source texture and level, destination texture and level; flips in x and y, and whether texels are interpolated.
pub(crate) const BLITS: [(usize, u32, usize, u32, [bool; 2], bool); 4] = [
    (SAMPLES, 0, 0, 0, [false; 2], false),
    (3, 0, 1, 0, [true, false], true),
    (0, 0, 2, 2, [false, true], false),
    (6, 0, 0, 0, [false; 2], false),
];
