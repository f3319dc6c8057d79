// SPDX-License-Identifier: MIT

//! The texture operations and the kinds of their sources, by the names that a dump prints, and their properties.

use super::names::ImageDim;
use super::Base;

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $vdoc:literal])* $variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($(#[doc = $vdoc])* $variant,)* }

        impl $name {
            /// All of them, in NIR's order.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The name in a dump.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// Its documentation; empty where the name says all.
            pub fn about(self) -> &'static str {
                match self { $($name::$variant => concat!($($vdoc),*).trim(),)* }
            }

            /// The variant that has `name` in a dump.
            pub fn from_name(name: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|it| it.name() == name)
            }
        }
    };
}
pub(crate) use named;

named! {
    /// A texture operation: NIR's `nir_texop`.
    TexOp {
        /// Sample with an implicit level of detail.
        tex "tex",
        /// Sample with a bias.
        txb "txb",
        /// Sample with an explicit level of detail.
        txl "txl",
        /// Sample with derivatives.
        txd "txd",
        /// Fetch a texel.
        txf "txf",
        /// Fetch a texel of a multisample image.
        txf_ms "txf_ms",
        /// Size of a level.
        txs "txs",
        /// The level of detail that sampling would use.
        lod "lod",
        /// Gather one component of four texels.
        tg4 "tg4",
        /// Number of levels.
        query_levels "query_levels",
        /// Samples per texel.
        texture_samples "texture_samples",
        /// Whether all samples of a texel are equal.
        samples_identical "samples_identical",
    }
}

named! {
    /// The kind of a source of a texture operation: NIR's `nir_tex_src_type`.
    TexSrcKind {
        coord "coord",
        projector "projector",
        comparator "comparator",
        offset "offset",
        bias "bias",
        lod "lod",
        min_lod "min_lod",
        ms_index "ms_index",
        ddx "ddx",
        ddy "ddy",
        texture_deref "texture_deref",
        sampler_deref "sampler_deref",
        texture_offset "texture_offset",
        sampler_offset "sampler_offset",
        texture_handle "texture_handle",
        sampler_handle "sampler_handle",
        plane "plane",
        backend1 "backend1",
        backend2 "backend2",
        sampler_deref_intrinsic "sampler_deref_intrinsic",
        texture_deref_intrinsic "texture_deref_intrinsic",
    }
}

impl TexOp {
    /// True for operations that filter, for which a sampler is needed.
    pub fn samples(self) -> bool {
        matches!(self, TexOp::tex | TexOp::txb | TexOp::txl | TexOp::txd | TexOp::tg4 | TexOp::lod)
    }

    /// True for operations that choose the level of detail from the coordinates of neighbouring invocations.
    pub fn has_implicit_lod(self) -> bool {
        matches!(self, TexOp::tex | TexOp::txb | TexOp::lod)
    }

    /// True for reads of single texels.
    pub fn fetches(self) -> bool {
        matches!(self, TexOp::txf | TexOp::txf_ms)
    }

    /// True for queries of the texture that do not depend on a coordinate.
    pub fn is_query(self) -> bool {
        matches!(self, TexOp::txs | TexOp::query_levels | TexOp::texture_samples)
    }
}

impl TexSrcKind {
    /// Its bit in a set of kinds.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// The base of the numbers of this source of `op`; `None` for derefs and handles.
    pub fn base(self, op: TexOp) -> Option<Base> {
        match self {
            TexSrcKind::coord if op.fetches() => Some(Base::Int),
            TexSrcKind::lod if op.fetches() || op.is_query() => Some(Base::Int),
            TexSrcKind::offset | TexSrcKind::ms_index | TexSrcKind::texture_offset | TexSrcKind::sampler_offset => {
                Some(Base::Int)
            }
            TexSrcKind::coord
            | TexSrcKind::projector
            | TexSrcKind::comparator
            | TexSrcKind::bias
            | TexSrcKind::lod
            | TexSrcKind::min_lod
            | TexSrcKind::ddx
            | TexSrcKind::ddy => Some(Base::Float),
            _ => None,
        }
    }
}

impl ImageDim {
    /// The number of coordinates of a point, without the array layer.
    pub fn coordinates(self) -> u8 {
        match self {
            ImageDim::dim_1d | ImageDim::buf => 1,
            ImageDim::dim_3d | ImageDim::cube => 3,
            _ => 2,
        }
    }

    /// The number of components of a size, without the number of array layers.
    pub fn extents(self) -> u8 {
        if self == ImageDim::cube {
            2
        } else {
            self.coordinates()
        }
    }

    /// True if a texel has several samples.
    pub fn is_multisample(self) -> bool {
        matches!(self, ImageDim::ms | ImageDim::subpass_ms)
    }

    /// True for attachments of the framebuffer.
    pub fn is_subpass(self) -> bool {
        matches!(self, ImageDim::subpass | ImageDim::subpass_ms)
    }
}
