// SPDX-License-Identifier: MIT

//! The table of options, the facts that a driver may have late: the mechanism of each, the reason, and its bits in a key.
//!
//! One row declares an option. The rows define [`OptionId`], the table [`OPTIONS`] that `ntv options` prints, and the constants and
//! masks of [`Key`], so an id, a name, a bit and their documentation cannot differ:
//!
//! ```
//! use ntv::module::{Mechanism, OptionId};
//! use ntv::Key;
//!
//! assert_eq!(OptionId::FlipY.mask(), Key::FLIP_Y);
//! assert_eq!(OptionId::from_name("flip_y"), Some(OptionId::FlipY));
//! assert!(Key::new(Key::FLIP_Y).has(OptionId::FlipY));
//! // This one makes no variant: a driver sets a state of the command buffer.
//! assert_eq!(OptionId::FrontFace.mechanism(), Mechanism::DynamicState);
//! assert_eq!(OptionId::FrontFace.mask(), 0);
//! ```
//!
//! An option has bits in a key if and only if its mechanism is [`Mechanism::Range`]. Two options share no bits. The numbers of the
//! bits are in stored modules and in `ffi/ntvr_module.h`, and do not change.

use super::{Key, ShaderStage};

/// The mechanism by which a late fact reaches the shader. Each option uses the cheapest possible one, in this order.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Dynamic state of the command buffer: the same module and pipeline.
    DynamicState,
    /// A word of the driver in the push constants.
    DriverUniform,
    /// State of the pipeline: another pipeline, the same modules.
    PipelineState,
    /// A specialization constant: another pipeline. Only if there are few values, known at its creation.
    SpecConstant,
    /// Patched words, decided by a link.
    Patch,
    /// Patched words and ranges, decided by a bit of the key: another module.
    Range,
}

impl Mechanism {
    /// The name that `ntv options` prints.
    pub fn name(self) -> &'static str {
        match self {
            Mechanism::DynamicState => "dynamic state",
            Mechanism::DriverUniform => "driver uniform",
            Mechanism::PipelineState => "pipeline state",
            Mechanism::SpecConstant => "spec constant",
            Mechanism::Patch => "patch",
            Mechanism::Range => "range",
        }
    }
}

/// A row of the table of options.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Its id.
    pub id: OptionId,
    /// Its name, which a key in text form has.
    pub name: &'static str,
    /// Its mechanism.
    pub mechanism: Mechanism,
    /// The stages whose words it can change, a bit each ([`ShaderStage::bit`]).
    pub stages: u8,
    /// Its bits in a key; 0 if it has none.
    pub mask: u64,
    /// Whether it changes the position or the size of a point: only in the last vertex stage of a pipeline.
    pub position: bool,
    /// The reason for the mechanism.
    pub why: &'static str,
}

const LAST_VERTEX: u8 = ShaderStage::Vertex.bit() | ShaderStage::TessEval.bit() | ShaderStage::Geometry.bit();
const FRAGMENT: u8 = ShaderStage::Fragment.bit();
const PICTURE: u8 = LAST_VERTEX | FRAGMENT;
const GRAPHICS: u8 = PICTURE | ShaderStage::TessCtrl.bit();
/// Stages with inputs or outputs that a link may change.
const LINKED: u8 = GRAPHICS | ShaderStage::Mesh.bit();
/// Stages with workgroups in a grid.
const GRID: u8 = ShaderStage::Compute.bit() | ShaderStage::Task.bit() | ShaderStage::Mesh.bit();
const ALL: u8 = GRAPHICS | GRID;

/// Declares all options: those without bits in a key, in the order of their mechanisms, then those in keys. A row of the latter has
/// the constant of [`Key`] with its bits, and whether it changes the position.
macro_rules! options {
    (
        without_bits { $($(#[$doc:meta])* $id:ident $name:literal $mechanism:ident, $stages:expr, $why:literal;)* }
        of_key {
            $($(#[$k_doc:meta])* $k_id:ident $k_name:literal $bits:ident = $mask:expr, $k_stages:expr, $position:expr, $k_why:literal;)*
        }
    ) => {
        /// A fact that a driver may have after the compilation of a shader.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum OptionId { $($(#[$doc])* $id,)* $($(#[$k_doc])* $k_id,)* }

        impl OptionId {
            /// All options, in table order.
            pub const ALL: &'static [OptionId] = &[$(OptionId::$id,)* $(OptionId::$k_id,)*];
        }

        /// The table of options, in the order of [`OptionId`].
        pub const OPTIONS: &[OptionInfo] = &[
            $(row(OptionId::$id, $name, Mechanism::$mechanism, $stages, 0, false, $why),)*
            $(row(OptionId::$k_id, $k_name, Mechanism::Range, $k_stages, $mask, $position, $k_why),)*
        ];

        /// The bits of each option.
        impl Key {
            $($(#[$k_doc])* pub const $bits: u64 = $mask;)*
        }
    };
}

const fn row(
    id: OptionId,
    name: &'static str,
    mechanism: Mechanism,
    stages: u8,
    mask: u64,
    position: bool,
    why: &'static str,
) -> OptionInfo {
    OptionInfo { id, name, mechanism, stages, mask, position, why }
}

options! {
    without_bits {
        /// The side of a triangle that is its front.
        FrontFace "front face" DynamicState, FRAGMENT,
            "a flip reverses windings: vkCmdSetFrontFace, gl_FrontFacing follows";
        /// Stored colours have an alpha of 1, after alpha to coverage.
        AlphaToOne "alpha to one" DynamicState, FRAGMENT, "alphaToOneEnable, VK_EXT_extended_dynamic_state3";
        /// Planes of `glClipPlane`, for shaders that do not write clip distances.
        ClipPlanes "clip planes" DriverUniform, LAST_VERTEX,
            "the planes change often; distances are computed in NIR";
        /// Whether the draw has indices.
        IndexedDraw "indexed draw" DriverUniform, ShaderStage::Vertex.bit(),
            "changes with each draw; gl_BaseVertex depends on it";
        /// Samples of a pixel.
        SampleCount "sample count" PipelineState, FRAGMENT,
            "rasterizationSamples; dynamic with VK_EXT_extended_dynamic_state3";
        /// The vertex of a primitive that provides flat varyings.
        ProvokingVertex "provoking vertex" PipelineState, LAST_VERTEX, "VK_EXT_provoking_vertex";
        /// The rasterization of lines: GL's default, smooth, stippled.
        LineRasterization "line rasterization" PipelineState, FRAGMENT,
            "VK_EXT_line_rasterization; emulation in shaders leaves holes";
        /// The size of a workgroup in each dimension.
        WorkgroupSize "workgroup size" SpecConstant, GRID,
            "given with each dispatch that may choose it";
        /// The specialization constants of the shader.
        SpecConstants "specialization constants" SpecConstant, ALL,
            "only with values known early: warm-up cannot predict others";
        /// The set and the binding of each descriptor.
        Bindings "descriptor sets and bindings" Patch, ALL,
            "known at link, decorations without other state";
        /// The length of each array of descriptors.
        DescriptorCounts "numbers of descriptors" Patch, ALL,
            "known at link, from the layout of the set; one constant";
        /// The location of each varying.
        Locations "locations" Patch, LINKED, "known at link, from both stages";
        /// Varyings that one of two stages does not have.
        UnusedVaryings "unused varyings" Patch, LINKED, "known at link; their storage class becomes Private";
        /// RelaxedPrecision of varyings.
        VaryingPrecision "precision of varyings" Patch, LINKED, "known at link; lost where only one stage relaxes it";
        /// The number of vertices in the output patch of a tessellation control shader.
        PatchVertices "patch vertices" Patch, ShaderStage::TessCtrl.bit(), "GL's patches have any size; one word";
    }
    of_key {
        /// Removes names, lines and the text of the source.
        Strip "strip" STRIP = 1 << 0, ALL, false,
            "names and lines are for debuggers only, and a good part of the words";
        /// Depth and stencil tests before the shader.
        EarlyFragmentTests "early_fragment_tests" EARLY_FRAGMENT_TESTS = 1 << 1, FRAGMENT, false,
            "off by default: drivers do it themselves; offered only where it changes no result";
        /// Switches transform feedback off: no decorations, no capability, and no outputs that are only captured, which use
        /// locations.
        ///
        /// A module that stores its captures itself ([`BackEnd::Storage`](crate::capture::BackEnd)) does not change: `is_active` in
        /// the state of the draw determines whether it stores, and it still uses the buffers. Its stores are control flow that
        /// passes move and merge, so they cannot be ranges of words. A program that never captures is translated without captures.
        NoCapture "no_capture" NO_CAPTURE = 1 << 2, LAST_VERTEX, false,
            "a pipeline with captures is slower on some devices";
        /// Inputs are interpolated at each sample.
        SampleShading "sample_shading" SAMPLE_SHADING = 1 << 3, FRAGMENT, false,
            "GL's minSampleShading moves where inputs are taken";
        /// Swaps X and Y, before the flips.
        SwapXy "swap_xy" SWAP_XY = 1 << 4, PICTURE, true, "pre-rotation: four values, known with the surface";
        /// X increases to the left.
        FlipX "flip_x" FLIP_X = 1 << 5, PICTURE, true, "pre-rotation";
        /// Y increases upwards.
        FlipY "flip_y" FLIP_Y = 1 << 6, PICTURE, true,
            "GL's window has y upwards; a negative viewport does it only for the position";
        /// Clip space has GL's depth, -w to w.
        GlDepth "gl_depth" GL_DEPTH = 1 << 7, LAST_VERTEX, true, "where VK_EXT_depth_clip_control is missing";
        /// Rasterizer discard for devices whose pipelines lack it: every vertex is moved to (-3, -3, -3, 1), outside of the clip
        /// volume, after all other changes of the position and its capture. Primitives still count as generated. A device that
        /// clips points only by user planes (VkPointClippingBehavior) may draw points that are larger than two framebuffers.
        Discard "discard" DISCARD = 1 << 8, LAST_VERTEX, true, "rasterizer discard that still counts primitives";
        /// Sets a point size if the shader writes none: 1, or [`PushConstants::point_size`](crate::PushConstants::point_size).
        PointSize "point_size" POINT_SIZE = 1 << 9, LAST_VERTEX, true,
            "points need a size (before maintenance5), other primitives none";
        /// Writes of `gl_SampleMask` have no effect: GL ignores them if the framebuffer has one sample, Vulkan does not.
        NoSampleMask "no_sample_mask" NO_SAMPLE_MASK = 1 << 10, FRAGMENT, false,
            "GL ignores gl_SampleMask without multisampling, Vulkan applies it";
        /// `gl_PointCoord.y` becomes `1 - y`. Without this option it is 0 at the least y of the point, as the shader sees the
        /// window after all turns, and with it at the greatest y. With [`FlipY`](OptionId::FlipY) alone, both flips cancel: the
        /// shader then reads the coordinate of the device.
        FlipPointCoord "flip_point_coord" FLIP_POINT_COORD = 1 << 11, FRAGMENT, false,
            "GL_POINT_SPRITE_COORD_ORIGIN, a state of draws";
        /// Loads of uniforms that decide branches and loops are constants, with the values of [`Key::uniforms`]. They are the words
        /// at NIR's `inlinable_uniform_dw_offsets` of uniform block 0 (`nir_find_inlinable_uniforms`).
        InlinedUniforms "inlined_uniforms" INLINED_UNIFORMS = 1 << 12, ALL, false,
            "constants remove branches and loops of the shader in the driver's compiler";
        /// The second output is the second source of blending of the first colour target, for shaders that do not say so
        /// themselves (`layout(index = 1)`).
        DualSource "dual_source" DUAL_SOURCE = 1 << 13, FRAGMENT, false,
            "some applications identify the sources by location";
        /// GL's `glShadeModel(GL_FLAT)`: colours (`gl_Color`, `gl_SecondaryColor`) without an interpolation qualifier are flat.
        FlatShading "flat_shading" FLAT_SHADING = 1 << 14, FRAGMENT, false,
            "glShadeModel, a state of draws: Vulkan's interpolation is a decoration";
        /// GL's `glClampColor`: colours are clamped to 0..1. In a fragment shader they are the float outputs; in the vertex stages
        /// the front and back colours, which transform feedback captures clamped.
        ///
        /// A module does not take it if it has arrays of colours, if the shader stores its captures itself, or if it has colours and
        /// captures a part of an output.
        ClampColors "clamp_colors" CLAMP_COLORS = 1 << 15, PICTURE, false,
            "glClampColor, a state of draws: Vulkan clamps only what it writes to normalized formats";
        /// GL's `glAlphaFunc`: a field of three bits, see [`Key::alpha_test`]. An invocation is discarded unless the alpha of the
        /// first colour, after its clamp, compares with [`PushConstants::alpha_reference`](crate::PushConstants::alpha_reference).
        /// An alpha that the shader does not write passes all functions except the one that never passes.
        AlphaTest "alpha_test" ALPHA_TEST = 7 << 40, FRAGMENT, false,
            "glAlphaFunc, a state of draws: Vulkan has no alpha test; the reference is a driver uniform";
        /// The results of old-style shadow comparisons have the swizzles of their textures, [`Key::swizzles`]; otherwise all
        /// components are the comparison.
        ShadowSwizzles "shadow_swizzles" SHADOW_SWIZZLES = 1 << 43, FRAGMENT, false,
            "GL_DEPTH_TEXTURE_MODE: the result of a comparison in SPIR-V is one number";
        /// Two bits for each colour target: see [`Key::dither`].
        Dither "dither" DITHER = 0xffff << 16, FRAGMENT, false,
            "16-bit formats: no fixed function dithers in Vulkan";
        /// A bit for each texture coordinate that is the point coordinate: see [`Key::point_sprite`]. A module does not take the bit
        /// of a coordinate that it reads at a numbered sample, nor any if it selects one dynamically.
        PointSprites "point_sprites" POINT_SPRITES = 0xff << 32, FRAGMENT, false,
            "GL_COORD_REPLACE, a state of draws";
    }
}

impl OptionId {
    /// The row of this option.
    pub const fn info(self) -> &'static OptionInfo {
        &OPTIONS[self as usize]
    }

    /// Its name, which a key in text form has.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The option called `name`.
    pub fn from_name(name: &str) -> Option<OptionId> {
        OptionId::ALL.iter().copied().find(|option| option.name() == name)
    }

    /// Its bits in a key; 0 if it has none.
    pub const fn mask(self) -> u64 {
        self.info().mask
    }

    /// The mechanism.
    pub const fn mechanism(self) -> Mechanism {
        self.info().mechanism
    }

    /// The stages whose words it can change, a bit each ([`ShaderStage::bit`]).
    pub const fn stages(self) -> u8 {
        self.info().stages
    }
}

/// Bits of several options.
impl Key {
    /// All options that turn or flip the image.
    pub const ORIENTATION: u64 = Key::SWAP_XY | Key::FLIP_X | Key::FLIP_Y;

    /// All options that change the position or the size of a point ([`OptionInfo::position`]).
    pub const POSITION: u64 = Key::of_rows(u8::MAX, true);

    /// The bits of all options.
    pub const ALL: u64 = Key::of_rows(u8::MAX, false);

    /// The bits of the options with an effect in a stage.
    pub const fn of_stage(stage: ShaderStage) -> u64 {
        Key::of_rows(stage.bit(), false)
    }

    /// The bits of the options with an effect in one of these stages; with `position`, only of those that change the position.
    const fn of_rows(stages: u8, position: bool) -> u64 {
        let (mut all, mut row) = (0, 0);
        while row < OPTIONS.len() {
            if OPTIONS[row].stages & stages != 0 && (OPTIONS[row].position || !position) {
                all |= OPTIONS[row].mask;
            }
            row += 1;
        }
        all
    }

    /// The options with any of these bits, in table order.
    pub fn options(bits: u64) -> impl Iterator<Item = OptionId> {
        OptionId::ALL.iter().copied().filter(move |option| option.mask() & bits != 0)
    }

    /// Whether any bit of `option` is set.
    pub const fn has(&self, option: OptionId) -> bool {
        self.bits & option.mask() != 0
    }
}

/// Options with bits in a key share none with others.
const _: () = {
    let (mut seen, mut row) = (0, 0);
    while row < OPTIONS.len() {
        let OptionInfo { mechanism, mask, .. } = OPTIONS[row];
        assert!(matches!(mechanism, Mechanism::Range) == (mask != 0), "a range has bits, nothing else has");
        assert!(seen & mask == 0, "two options share a bit");
        seen |= mask;
        row += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_find_their_rows() {
        assert_eq!(OptionId::ALL.len(), OPTIONS.len());
        for (row, id) in OPTIONS.iter().zip(OptionId::ALL) {
            assert_eq!((row.id, id.name()), (*id, row.name));
            assert_eq!(OptionId::from_name(row.name), Some(*id), "{} has a name of its own", row.name);
        }
        assert_eq!(OptionId::from_name("flip_z"), None);
    }

    #[test]
    fn bits_find_their_options() {
        assert_eq!(
            Key::options(Key::ORIENTATION).collect::<Vec<_>>(),
            [OptionId::SwapXy, OptionId::FlipX, OptionId::FlipY]
        );
        assert_eq!(Key::options(Key::dither(3, 2) | 1 << 63).collect::<Vec<_>>(), [OptionId::Dither]);
        assert!(Key::new(Key::dither(3, 2)).has(OptionId::Dither) && !Key::new(Key::STRIP).has(OptionId::Dither));
        assert!(OptionId::ALL.iter().all(|option| !Key::default().has(*option)));
        assert_eq!(Key::POSITION, 0x3f0);
        assert_eq!(Key::of_stage(ShaderStage::TessCtrl), Key::STRIP | Key::INLINED_UNIFORMS);
    }
}
