// SPDX-License-Identifier: MIT

//! Converts states of scenes to states of the driver, which are Vulkan's.

use crate::draw::commands::Mode;
use crate::draw::scene::{Dimension, Element, Orientation, QueryKind};
use crate::draw::states::{
    Blend, Border, Compare, Cull, DepthStencil, Equation, Factor, Filter, PolygonMode, Rasterizer, Sampler, Stencil,
    StencilOperation, Wrap,
};
use ntv::Key;
use ntv_driver::context::{self, BlendState, DepthStencilAlphaState, RasterizerState, RtBlendState, StencilState};
use ntv_driver::context::{Topology, VertexElement};
use ntv_driver::format::FormatInfo;
use ntv_driver::resource::{SamplerState, TextureTarget};
use ntv_driver::vk;

pub(super) fn blend(blend: &Blend) -> Result<BlendState, String> {
    let mut colormask = vk::ColorComponentFlags::empty();
    for component in blend.mask.chars() {
        colormask |= match component {
            'r' => vk::ColorComponentFlags::R,
            'g' => vk::ColorComponentFlags::G,
            'b' => vk::ColorComponentFlags::B,
            'a' => vk::ColorComponentFlags::A,
            other => return Err(format!("`{other}` is not a component: r, g, b, a")),
        };
    }
    let (source, destination) = (blend.source.unwrap_or(Factor::One), blend.destination.unwrap_or(Factor::Zero));
    let alpha_equation = blend.alpha_equation.unwrap_or(blend.equation);
    let alpha = (blend.alpha_source.unwrap_or(source), blend.alpha_destination.unwrap_or(destination));
    let rt = RtBlendState {
        blend_enable: blend.source.is_some() || blend.destination.is_some(),
        rgb: (equation(blend.equation), factor(source), factor(destination)),
        alpha: (equation(alpha_equation), factor(alpha.0), factor(alpha.1)),
        colormask,
    };
    Ok(BlendState {
        alpha_to_coverage: blend.alpha_to_coverage,
        alpha_to_one: blend.alpha_to_one,
        dither: blend.dither,
        ..BlendState::all(rt)
    })
}

fn equation(equation: Equation) -> vk::BlendOp {
    match equation {
        Equation::Add => vk::BlendOp::ADD,
        Equation::Subtract => vk::BlendOp::SUBTRACT,
        Equation::ReverseSubtract => vk::BlendOp::REVERSE_SUBTRACT,
        Equation::Min => vk::BlendOp::MIN,
        Equation::Max => vk::BlendOp::MAX,
    }
}

fn factor(factor: Factor) -> vk::BlendFactor {
    match factor {
        Factor::Zero => vk::BlendFactor::ZERO,
        Factor::One => vk::BlendFactor::ONE,
        Factor::SrcColor => vk::BlendFactor::SRC_COLOR,
        Factor::OneMinusSrcColor => vk::BlendFactor::ONE_MINUS_SRC_COLOR,
        Factor::DstColor => vk::BlendFactor::DST_COLOR,
        Factor::OneMinusDstColor => vk::BlendFactor::ONE_MINUS_DST_COLOR,
        Factor::SrcAlpha => vk::BlendFactor::SRC_ALPHA,
        Factor::OneMinusSrcAlpha => vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        Factor::DstAlpha => vk::BlendFactor::DST_ALPHA,
        Factor::OneMinusDstAlpha => vk::BlendFactor::ONE_MINUS_DST_ALPHA,
        Factor::ConstantColor => vk::BlendFactor::CONSTANT_COLOR,
        Factor::OneMinusConstantColor => vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR,
        Factor::SrcAlphaSaturate => vk::BlendFactor::SRC_ALPHA_SATURATE,
    }
}

pub(super) fn rasterizer(state: &Rasterizer) -> RasterizerState {
    RasterizerState {
        cull_face: match state.cull {
            Cull::None => vk::CullModeFlags::NONE,
            Cull::Front => vk::CullModeFlags::FRONT,
            Cull::Back => vk::CullModeFlags::BACK,
            Cull::FrontAndBack => vk::CullModeFlags::FRONT_AND_BACK,
        },
        front_face: match state.front_ccw {
            true => vk::FrontFace::COUNTER_CLOCKWISE,
            false => vk::FrontFace::CLOCKWISE,
        },
        fill: match state.fill {
            PolygonMode::Fill => vk::PolygonMode::FILL,
            PolygonMode::Line => vk::PolygonMode::LINE,
            PolygonMode::Point => vk::PolygonMode::POINT,
        },
        depth_bias: state.depth_bias,
        scissor: state.scissor,
        depth_clip: state.depth_clip,
        clip_halfz: state.clip_halfz,
        flatshade_first: state.flatshade_first,
        rasterizer_discard: state.discard,
        discard_by_position: state.discard_by_position,
        line_width: state.line_width,
        default_point_size: state.default_point_size,
        early_fragment_tests: state.early_fragment_tests,
    }
}

pub(super) fn depth_stencil(state: &DepthStencil) -> DepthStencilAlphaState {
    let front = state.stencil.or(state.back);
    let back = state.back.or(state.stencil);
    DepthStencilAlphaState {
        depth: state.depth.map(compare),
        depth_write: state.write,
        depth_bounds: None,
        stencil: front.zip(back).map(|(front, back)| [stencil(front), stencil(back)]),
    }
}

fn stencil(state: Stencil) -> StencilState {
    StencilState {
        func: compare(state.test),
        fail_op: operation(state.fail),
        zfail_op: operation(state.depth_fail),
        zpass_op: operation(state.pass),
        valuemask: state.read_mask.into(),
        writemask: state.write_mask.into(),
    }
}

fn operation(operation: StencilOperation) -> vk::StencilOp {
    match operation {
        StencilOperation::Keep => vk::StencilOp::KEEP,
        StencilOperation::Zero => vk::StencilOp::ZERO,
        StencilOperation::Replace => vk::StencilOp::REPLACE,
        StencilOperation::Increment => vk::StencilOp::INCREMENT_AND_CLAMP,
        StencilOperation::Decrement => vk::StencilOp::DECREMENT_AND_CLAMP,
        StencilOperation::Invert => vk::StencilOp::INVERT,
        StencilOperation::IncrementWrap => vk::StencilOp::INCREMENT_AND_WRAP,
        StencilOperation::DecrementWrap => vk::StencilOp::DECREMENT_AND_WRAP,
    }
}

fn compare(compare: Compare) -> vk::CompareOp {
    match compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessOrEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterOrEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}

pub(super) fn sampler(state: &Sampler) -> SamplerState {
    let filter = match state.filter {
        Filter::Nearest => vk::Filter::NEAREST,
        Filter::Linear => vk::Filter::LINEAR,
    };
    SamplerState {
        wrap: [match state.wrap {
            Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
            Wrap::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
            Wrap::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            Wrap::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        }; 3],
        mag_filter: filter,
        min_filter: filter,
        mip_filter: state.levels.map(|levels| match levels {
            Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
            Filter::Linear => vk::SamplerMipmapMode::LINEAR,
        }),
        compare: state.compare.map(compare),
        lod_bias: state.lod_bias,
        max_anisotropy: state.anisotropy,
        border: match state.border {
            Border::TransparentBlack => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
            Border::OpaqueBlack => vk::BorderColor::FLOAT_OPAQUE_BLACK,
            Border::OpaqueWhite => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        },
        ..SamplerState::default()
    }
}

/// The format with this name.
pub(super) fn format(name: &str) -> Result<vk::Format, String> {
    let names = ntv_driver::format::FORMATS.iter().map(|row| row.name);
    FormatInfo::named(name).map(|row| row.format).ok_or_else(|| crate::names::unknown("format", name, names))
}

pub(super) fn element(element: &Element) -> Result<VertexElement, String> {
    Ok(VertexElement {
        vertex_buffer_index: element.buffer,
        src_offset: element.offset,
        src_stride: element.stride,
        src_format: format(element.format.get_ref())?,
        instance_divisor: element.divisor,
    })
}

pub(super) fn target(dimension: Dimension) -> TextureTarget {
    match dimension {
        Dimension::Two => TextureTarget::Texture2D,
        Dimension::Three => TextureTarget::Texture3D,
        Dimension::Cube => TextureTarget::Cube,
        Dimension::TwoArray => TextureTarget::Texture2DArray,
    }
}

pub(super) fn orientation(orientation: &[Orientation]) -> u64 {
    let bit = |one: &Orientation| match one {
        Orientation::SwapXy => Key::SWAP_XY,
        Orientation::FlipX => Key::FLIP_X,
        Orientation::FlipY => Key::FLIP_Y,
    };
    orientation.iter().fold(0, |all, one| all | bit(one))
}

pub(super) fn mode(mode: Mode) -> Topology {
    match mode {
        Mode::Points => Topology::POINT_LIST,
        Mode::Lines => Topology::LINE_LIST,
        Mode::LineStrip => Topology::LINE_STRIP,
        Mode::Triangles => Topology::TRIANGLE_LIST,
        Mode::TriangleStrip => Topology::TRIANGLE_STRIP,
        Mode::TriangleFan => Topology::TRIANGLE_FAN,
        Mode::Patches => Topology::PATCH_LIST,
    }
}

pub(super) fn query(kind: QueryKind) -> context::QueryKind {
    match kind {
        QueryKind::SamplesPassed => context::QueryKind::OcclusionCounter,
        QueryKind::PrimitivesGenerated => context::QueryKind::PrimitivesGenerated,
        QueryKind::PrimitivesWritten => context::QueryKind::StreamOutputStatistics,
        QueryKind::TimeElapsed => context::QueryKind::TimeElapsed,
    }
}
