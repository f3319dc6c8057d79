// SPDX-License-Identifier: MIT

//! The options that are tested by pictures on lavapipe, by `tests/lavapipe/variants.rs`.

use ntv::module::OptionId;

/// The options, in the order of their tests there.
pub(crate) const DRAWN: &[OptionId] = &[
    OptionId::UnusedVaryings,
    OptionId::SwapXy,
    OptionId::FlipX,
    OptionId::FlipY,
    OptionId::GlDepth,
    OptionId::Discard,
    OptionId::PointSize,
    OptionId::NoSampleMask,
    OptionId::FlipPointCoord,
    OptionId::FlatShading,
    OptionId::ClampColors,
    OptionId::AlphaTest,
    OptionId::Dither,
];
