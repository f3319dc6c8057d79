//! The states of a scene: those that Gallium makes as objects, and samplers.

use serde::Deserialize;

/// How colours are written: Gallium's `pipe_blend_state`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Blend {
    /// What the shader's colour is multiplied by, and what is there already. Without them nothing is blended.
    pub(crate) source: Option<Factor>,
    pub(crate) destination: Option<Factor>,
    pub(crate) equation: Equation,
    /// The same for alpha, if it is not as for colours.
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

/// What a colour is multiplied by.
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

/// How two colours become one.
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

/// How primitives become pixels: Gallium's `pipe_rasterizer_state`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Rasterizer {
    pub(crate) cull: Cull,
    /// Corners of front faces go around against the clock, as y grows upwards.
    pub(crate) front_ccw: bool,
    pub(crate) fill: PolygonMode,
    pub(crate) scissor: bool,
    /// Depth in clip space goes from 0, as Vulkan's does, and not from -w.
    pub(crate) clip_halfz: bool,
    /// Primitives are clipped at the near and the far plane; else depths are clamped.
    pub(crate) depth_clip: bool,
    /// What is added to depth: a constant, the most that it may be, and what the slope is multiplied by.
    pub(crate) depth_bias: Option<[f32; 3]>,
    pub(crate) line_width: f32,
    /// Points whose shader says no size have a size of 1.
    pub(crate) default_point_size: bool,
    /// Nothing becomes a pixel.
    pub(crate) discard: bool,
    /// Every primitive is moved to where it is not seen: discard for devices that do not count what they discard.
    pub(crate) discard_by_position: bool,
    /// Flat inputs come from the first vertex.
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

/// Which faces are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cull {
    #[default]
    None,
    Front,
    Back,
    FrontAndBack,
}

/// What of a polygon is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PolygonMode {
    #[default]
    Fill,
    Line,
    Point,
}

/// What becomes of pixels by their depth and stencil: Gallium's `pipe_depth_stencil_alpha_state`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DepthStencil {
    /// What depth has to be; without it depth is neither tested nor written.
    pub(crate) depth: Option<Compare>,
    pub(crate) write: bool,
    /// For both faces, or for those of the front alone if `back` is said.
    pub(crate) stencil: Option<Stencil>,
    pub(crate) back: Option<Stencil>,
}

/// What becomes of the stencil of a face.
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

/// What becomes of a stencil.
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

/// How a texture is sampled: Gallium's `pipe_sampler_state`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sampler {
    /// Between texels of a level.
    pub(crate) filter: Filter,
    /// Between levels; without it there is only level 0.
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

/// What is outside of a texture.
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
