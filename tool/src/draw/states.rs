// SPDX-License-Identifier: MIT

//! The states of a scene: Gallium's state objects, and samplers.

use serde::Deserialize;

/// The blending of colours: Gallium's `pipe_blend_state`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Blend {
    /// The factor of the shader's colour, and the factor of the colour in the target. Without them blending is disabled.
    pub(crate) source: Option<Factor>,
    pub(crate) destination: Option<Factor>,
    pub(crate) equation: Equation,
    /// The factor of the shader's alpha, if it differs from that of colours.
    pub(crate) alpha_source: Option<Factor>,
    pub(crate) alpha_destination: Option<Factor>,
    pub(crate) alpha_equation: Option<Equation>,
    /// The components that are written.
    pub(crate) mask: String,
    pub(crate) alpha_to_coverage: bool,
    pub(crate) alpha_to_one: bool,
    pub(crate) dither: bool,
}

impl Default for Blend {
    fn default() -> Blend {
        Blend {
            source: None,
            destination: None,
            equation: Equation::Add,
            alpha_source: None,
            alpha_destination: None,
            alpha_equation: None,
            mask: "rgba".to_string(),
            alpha_to_coverage: false,
            alpha_to_one: false,
            dither: false,
        }
    }
}

/// A factor of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Factor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    DstColor,
    OneMinusDstColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    ConstantColor,
    OneMinusConstantColor,
    SrcAlphaSaturate,
}

/// The operation that blends two colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Equation {
    #[default]
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

/// The rasterization of primitives: Gallium's `pipe_rasterizer_state`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Rasterizer {
    pub(crate) cull: Cull,
    /// Corners of front faces are in counterclockwise order, with y upwards.
    pub(crate) front_ccw: bool,
    pub(crate) fill: PolygonMode,
    pub(crate) scissor: bool,
    /// Depth in clip space starts at 0, as in Vulkan, and not at -w.
    pub(crate) clip_halfz: bool,
    /// Primitives are clipped at the near and the far plane; else depths are clamped.
    pub(crate) depth_clip: bool,
    /// The bias of depth: a constant, its maximum, and the factor of the slope.
    pub(crate) depth_bias: Option<[f32; 3]>,
    pub(crate) line_width: f32,
    /// Points whose shader writes no size have a size of 1.
    pub(crate) default_point_size: bool,
    /// All primitives are discarded.
    pub(crate) discard: bool,
    /// Every primitive is moved out of view: a discard for devices that do not count discarded primitives.
    pub(crate) discard_by_position: bool,
    /// Flat inputs have the values of the first vertex.
    pub(crate) flatshade_first: bool,
    /// Depth and stencil are tested before the shader, where that changes no result.
    pub(crate) early_fragment_tests: bool,
}

impl Default for Rasterizer {
    fn default() -> Rasterizer {
        Rasterizer {
            cull: Cull::None,
            front_ccw: true,
            fill: PolygonMode::Fill,
            scissor: false,
            clip_halfz: false,
            depth_clip: true,
            depth_bias: None,
            line_width: 1.0,
            default_point_size: false,
            discard: false,
            discard_by_position: false,
            flatshade_first: false,
            early_fragment_tests: false,
        }
    }
}

/// The faces that are culled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cull {
    #[default]
    None,
    Front,
    Back,
    FrontAndBack,
}

/// The parts of a polygon that are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PolygonMode {
    #[default]
    Fill,
    Line,
    Point,
}

/// The tests of depth and stencil: Gallium's `pipe_depth_stencil_alpha_state`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DepthStencil {
    /// The comparison of depth; without it depth is neither tested nor written.
    pub(crate) depth: Option<Compare>,
    pub(crate) write: bool,
    /// For both faces, or only for front faces if `back` is set.
    pub(crate) stencil: Option<Stencil>,
    pub(crate) back: Option<Stencil>,
}

/// The stencil operations of a face.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Stencil {
    pub(crate) test: Compare,
    pub(crate) fail: StencilOperation,
    pub(crate) depth_fail: StencilOperation,
    pub(crate) pass: StencilOperation,
    pub(crate) read_mask: u8,
    pub(crate) write_mask: u8,
}

impl Default for Stencil {
    fn default() -> Stencil {
        Stencil {
            test: Compare::Always,
            fail: StencilOperation::Keep,
            depth_fail: StencilOperation::Keep,
            pass: StencilOperation::Keep,
            read_mask: u8::MAX,
            write_mask: u8::MAX,
        }
    }
}

/// A stencil operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StencilOperation {
    #[default]
    Keep,
    Zero,
    Replace,
    Increment,
    Decrement,
    Invert,
    IncrementWrap,
    DecrementWrap,
}

/// A comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compare {
    Never,
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
    #[default]
    Always,
}

/// The sampling of a texture: Gallium's `pipe_sampler_state`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sampler {
    /// The filter between texels of a level.
    pub(crate) filter: Filter,
    /// The filter between levels; without it only level 0 is used.
    pub(crate) levels: Option<Filter>,
    pub(crate) wrap: Wrap,
    pub(crate) compare: Option<Compare>,
    pub(crate) anisotropy: f32,
    pub(crate) lod_bias: f32,
    pub(crate) border: Border,
}

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler {
            filter: Filter::Linear,
            levels: None,
            wrap: Wrap::ClampToEdge,
            compare: None,
            anisotropy: 1.0,
            lod_bias: 0.0,
            border: Border::TransparentBlack,
        }
    }
}

/// A filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Filter {
    Nearest,
    Linear,
}

/// The wrap mode outside of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wrap {
    Repeat,
    MirroredRepeat,
    ClampToEdge,
    ClampToBorder,
}

/// The colour outside of a texture that is clamped to its border.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Border {
    TransparentBlack,
    OpaqueBlack,
    OpaqueWhite,
}
