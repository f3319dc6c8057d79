// SPDX-License-Identifier: MIT

//! The capabilities of the Vulkan driver: all its properties that a check, a pass or the emitter uses.
//!
//! A preset has the features that drivers of that Vulkan version commonly offer; a driver switches off those that its device lacks.
//! Features have Vulkan's names (`shaderFloat64`), so a name in a message can be found in the specification.

pub use crate::descriptors::{BlockArray, Descriptor, DescriptorLayout, DescriptorSlot};
pub use crate::feature::{Feature, FeatureInfo, Version, FEATURES};
use crate::feature::{V1_0, V1_1, V1_2, V1_3, V1_4};
use crate::op::names::frag_result;
use crate::op::AtomicOp;

/// Float atomics that a target may have: operations, width, feature for buffers, feature for shared memory. There is no 16-bit view
/// of shared memory that all targets with these features have.
const FLOAT_ATOMICS: &[(&[AtomicOp], u8, Feature, Option<Feature>)] = {
    use Feature::*;
    const MIN_MAX: &[AtomicOp] = &[AtomicOp::fmin, AtomicOp::fmax];
    &[
        (&[AtomicOp::fadd], 16, shaderBufferFloat16AtomicAdd, None),
        (&[AtomicOp::fadd], 32, shaderBufferFloat32AtomicAdd, Some(shaderSharedFloat32AtomicAdd)),
        (&[AtomicOp::fadd], 64, shaderBufferFloat64AtomicAdd, Some(shaderSharedFloat64AtomicAdd)),
        (MIN_MAX, 16, shaderBufferFloat16AtomicMinMax, None),
        (MIN_MAX, 32, shaderBufferFloat32AtomicMinMax, Some(shaderSharedFloat32AtomicMinMax)),
        (MIN_MAX, 64, shaderBufferFloat64AtomicMinMax, Some(shaderSharedFloat64AtomicMinMax)),
    ]
};

/// The number of descriptors in each array of bindless textures or images.
///
/// A bindless handle becomes an index into one of four arrays of this length in the set of [`Descriptor::Bindless`]: zink's
/// layout. The low 32 bits of the handle are the index.
pub const BINDLESS_HANDLES: u32 = 1024;

/// The binding of the first input attachment through which a fragment shader reads the framebuffer, in the set of the default
/// uniforms: zink's. Attachment n has the binding `ATTACHMENT_BINDING + n`; see [`attachment_number`].
pub const ATTACHMENT_BINDING: u32 = 5;

/// The input attachment through which a fragment shader reads the output `slot` of its framebuffer: its InputAttachmentIndex.
///
/// | attachment | contents |
/// |-|-|
/// | 0 to 7 | the colours |
/// | 8 | depth, as a float |
/// | 9 | stencil, as an unsigned integer |
pub fn attachment_number(slot: u32) -> Option<u32> {
    match slot {
        frag_result::DEPTH => Some(8),
        frag_result::STENCIL => Some(9),
        frag_result::COLOR => Some(0),
        _ => slot.checked_sub(frag_result::DATA0).filter(|colour| *colour < 8),
    }
}

/// The binding of an array of bindless descriptors.
pub fn bindless_binding(storage: bool, buffer: bool) -> u32 {
    match (storage, buffer) {
        (false, false) => 0,
        (false, true) => 1,
        (true, false) => 2,
        (true, true) => 3,
    }
}

/// A row of the table of workarounds.
#[derive(Clone, Copy, Debug)]
pub struct WorkaroundInfo {
    /// zink's name.
    pub name: &'static str,
    /// The change in the translation.
    pub effect: &'static str,
    /// The reason.
    pub why: &'static str,
}

macro_rules! workarounds {
    ($($(#[$doc:meta])* $name:ident $effect:literal, $why:literal;)*) => {
        /// A driver bug that the translator works around, by zink's name: the workarounds that zink's translator has. Of the
        /// others, `lower_robustImageAccess2`, `needs_zs_shader_swizzle`, `needs_sanitised_layer`, `io_opt`, `no_linestipple`,
        /// `no_linesmooth` and `no_hw_gl_point` change the NIR before it is translated; the rest (`inconsistent_interpolation`,
        /// `general_depth_layout`, `z16_unscaled_bias`, ...) changes no shader.
        #[non_exhaustive]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Workaround { $($(#[$doc])* $name,)* }

        impl Workaround {
            /// All workarounds, in table order.
            pub const ALL: &'static [Workaround] = &[$(Workaround::$name),*];
        }

        /// The table of workarounds, in the order of [`Workaround`].
        pub const WORKAROUNDS: &[WorkaroundInfo] =
            &[$(WorkaroundInfo { name: stringify!($name), effect: $effect, why: $why },)*];
    };
}

workarounds! {
    /// Constants of NIR become unsigned integers, and an OpBitcast converts them to floats and signed integers, also in vectors.
    /// Booleans stay booleans, and offsets of textures stay signed constants, as SPIR-V requires constants there. Constants of 8,
    /// 16 and 64 bits keep their type if the target has no integers of that width, and so do numbers that are not constants of NIR,
    /// such as the 1.0 of a boolean's conversion: zink's translator does the same. Tables of constants are filled when the shader
    /// runs; constant variables of NIR keep their type.
    broken_arbitary_type_const
        "constants are unsigned integers, which OpBitcast converts to other types",
        "drivers of Imagination cannot handle constants of arbitrary types";
}

impl Workaround {
    /// The row of this workaround.
    pub fn info(self) -> &'static WorkaroundInfo {
        &WORKAROUNDS[self as usize]
    }

    /// zink's name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The workaround that zink calls `name`.
    pub fn from_name(name: &str) -> Option<Workaround> {
        Workaround::ALL.iter().copied().find(|workaround| workaround.name() == name)
    }
}

/// The capabilities of the Vulkan driver, and its layout of resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The Vulkan version, from which the SPIR-V version follows.
    pub vulkan: Version,
    features: u128,
    workarounds: u32,
    /// The most bytes of a uniform buffer range (`maxUniformBufferRange`): the size of blocks whose own size is unknown.
    pub max_uniform_buffer_range: u32,
    /// Bytes of push constants (`maxPushConstantsSize`).
    pub max_push_constants_size: u32,
    /// The byte offset in the push constants of a word that is 0 in draws without indices: zink's `draw_mode_is_indexed`.
    pub indexed_draw_offset: u32,
    /// The number of colour attachments to which GL's broadcast `gl_FragColor` is written.
    pub max_draw_buffers: u32,
    /// The most clip and cull distances together of the inputs, and of the outputs, of a shader
    /// (`maxCombinedClipAndCullDistances`).
    pub max_clip_and_cull_distances: u32,
    /// A promise of the driver: every uniform buffer range that it binds has a multiple of 16 bytes. Then a shader may load a whole
    /// vec4 to read a part of it. Without the promise the range may end within the vec4, and a device with robust buffer access may
    /// return zeros for all of it (Vulkan, "Robust Buffer Access").
    pub uniform_ranges_in_vec4s: bool,
    /// The byte offset in the push constants of a number that is added to DrawIndex, if there is one: the id of the first draw
    /// of a command, for a driver that makes several commands of the draws of one. zink's `draw_id`.
    pub draw_id_offset: Option<u32>,
    /// The sets and bindings of descriptors.
    pub descriptors: DescriptorLayout,
}

impl Target {
    /// Names of the presets, oldest first.
    pub const PRESETS: &'static [(&'static str, Version)] =
        &[("vulkan1.0", V1_0), ("vulkan1.1", V1_1), ("vulkan1.2", V1_2), ("vulkan1.3", V1_3), ("vulkan1.4", V1_4)];

    /// The preset of a Vulkan version.
    pub fn new(vulkan: Version) -> Target {
        let mut target = Target::without_features(vulkan);
        for feature in Feature::ALL {
            target.set(*feature, feature.info().since.is_some_and(|since| since <= vulkan));
        }
        target
    }

    /// A driver of a Vulkan version without any features, not even those that the version guarantees.
    pub fn without_features(vulkan: Version) -> Target {
        Target {
            vulkan,
            features: 0,
            workarounds: 0,
            max_uniform_buffer_range: 65536,
            // The least that the version allows (Vulkan, "Required Limits").
            max_push_constants_size: if vulkan < V1_4 { 128 } else { 256 },
            indexed_draw_offset: 0,
            max_draw_buffers: 8,
            max_clip_and_cull_distances: 8,
            uniform_ranges_in_vec4s: false,
            draw_id_offset: None,
            descriptors: DescriptorLayout::default(),
        }
    }

    /// The preset called `name`.
    pub fn preset(name: &str) -> Option<Target> {
        Target::PRESETS.iter().find(|(preset, _)| *preset == name).map(|(_, version)| Target::new(*version))
    }

    /// Whether the driver has `feature`.
    pub fn has(&self, feature: Feature) -> bool {
        self.features >> feature as u8 & 1 != 0
    }

    /// Whether the driver has all of these.
    pub(crate) fn has_all(&self, features: &[Feature]) -> bool {
        features.iter().all(|feature| self.has(*feature))
    }

    /// Whether the driver has `feature`, and its version of SPIR-V can declare its use.
    pub fn can_declare(&self, feature: Feature) -> bool {
        let is_late = matches!(feature, Feature::meshShader | Feature::taskShader);
        self.has(feature) && (!is_late || self.spirv_version() >= (1, 4))
    }

    /// Switches `feature` on or off.
    pub fn set(&mut self, feature: Feature, on: bool) {
        let bit = 1 << feature as u8;
        self.features = if on { self.features | bit } else { self.features & !bit };
    }

    /// All features as one number: bit n is the n-th of [`Feature::ALL`].
    pub fn feature_bits(&self) -> u128 {
        self.features
    }

    /// Switches all features at once. Bits beyond the last feature have no effect.
    pub fn set_feature_bits(&mut self, bits: u128) {
        self.features = bits & u128::MAX >> (128 - Feature::ALL.len());
    }

    /// Whether the translator works around this driver bug.
    pub fn works_around(&self, workaround: Workaround) -> bool {
        self.workarounds >> workaround as u8 & 1 != 0
    }

    /// Switches a workaround on or off. All are off by default.
    pub fn work_around(&mut self, workaround: Workaround, on: bool) {
        let bit = 1 << workaround as u8;
        self.workarounds = if on { self.workarounds | bit } else { self.workarounds & !bit };
    }

    /// All workarounds as one number: bit n is the n-th of [`Workaround::ALL`].
    pub fn workaround_bits(&self) -> u32 {
        self.workarounds
    }

    /// Switches all workarounds at once. Bits beyond the last have no effect.
    pub fn set_workaround_bits(&mut self, bits: u32) {
        self.workarounds = bits & u32::MAX >> (32 - Workaround::ALL.len());
    }

    /// Whether the driver has the float atomic `op` of `bits` bits, on shared memory or on buffers.
    pub fn has_float_atomic(&self, op: AtomicOp, bits: u8, shared: bool) -> bool {
        if bits == 64 && !self.has(Feature::shaderFloat64) {
            return false;
        }
        let row = FLOAT_ATOMICS.iter().find(|row| row.0.contains(&op) && row.1 == bits);
        row.is_some_and(|(_, _, buffer, workgroup)| match shared {
            true => workgroup.is_some_and(|feature| self.has(feature)),
            false => self.has(*buffer),
        })
    }

    /// Whether arrays in uniform blocks may have strides that are not multiples of 16 bytes (Vulkan, "Offset and Stride
    /// Assignment").
    pub fn has_tight_uniform_arrays(&self) -> bool {
        self.has(Feature::uniformBufferStandardLayout) || self.has(Feature::scalarBlockLayout)
    }

    /// The arguments with which `spirv-val` checks a module for this target from its standard input: the rules of the Vulkan
    /// version, relaxed only by the features that the target has. Vulkan 1.4 has the rules of 1.3, which more validators know.
    pub fn spirv_val_arguments(&self) -> Vec<String> {
        let Version(major, minor) = self.vulkan.min(V1_3);
        let layouts = [
            (Feature::uniformBufferStandardLayout, "--uniform-buffer-standard-layout"),
            (Feature::scalarBlockLayout, "--scalar-block-layout"),
        ];
        let mut arguments = vec!["--target-env".to_string(), format!("vulkan{major}.{minor}")];
        arguments.extend(layouts.iter().filter(|row| self.has(row.0)).map(|row| row.1.to_string()));
        arguments.push("-".to_string());
        arguments
    }

    /// The SPIR-V version of the Vulkan version: 1.0, 1.3, 1.5, 1.6, 1.6.
    pub fn spirv_version(&self) -> (u8, u8) {
        match self.vulkan {
            Version(1, 0) => (1, 0),
            Version(1, 1) => (1, 3),
            Version(1, 2) => (1, 5),
            _ => (1, 6),
        }
    }

    /// The descriptor set of a descriptor type.
    pub fn descriptor_set(&self, descriptor: Descriptor) -> u32 {
        self.descriptors.slot(descriptor).set
    }
}

impl Default for Target {
    fn default() -> Target {
        Target::new(V1_3)
    }
}

const _: () = assert!(FEATURES.len() <= 128, "the feature set is one u128");
const _: () = assert!(WORKAROUNDS.len() <= 32, "the set of workarounds is one u32");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_grow() {
        for pair in Target::PRESETS.windows(2) {
            let (old, new) = (Target::new(pair[0].1), Target::new(pair[1].1));
            assert_eq!(old.features & !new.features, 0, "{} loses a feature of {}", pair[1].0, pair[0].0);
        }
    }

    #[test]
    fn features_switch() {
        let mut target = Target::preset("vulkan1.3").unwrap();
        assert!(target.has(Feature::shaderFloat64));
        target.set(Feature::shaderFloat64, false);
        assert!(!target.has(Feature::shaderFloat64) && target.has(Feature::shaderInt64));
    }

    #[test]
    fn workarounds_switch() {
        for workaround in Workaround::ALL {
            let mut target = Target::default();
            assert!(!target.works_around(*workaround), "{}", workaround.name());
            target.work_around(Workaround::from_name(workaround.name()).unwrap(), true);
            assert!(target.works_around(*workaround));
            assert!(!workaround.info().effect.is_empty() && !workaround.info().why.is_empty());
            target.work_around(*workaround, false);
            assert_eq!(target, Target::default());
        }
    }

    #[test]
    fn uniform_arrays_are_tight_with_either_layout() {
        for (name, version) in Target::PRESETS {
            assert_eq!(
                Target::new(*version).has_tight_uniform_arrays(),
                *version >= V1_4,
                "{name}: 1.4 is the first to promise it"
            );
        }
        for feature in [Feature::uniformBufferStandardLayout, Feature::scalarBlockLayout] {
            let mut target = Target::default();
            target.set(feature, true);
            assert!(target.has_tight_uniform_arrays());
        }
    }

    #[test]
    fn vulkan_1_4_has_the_features_that_it_requires() {
        use Feature::*;
        let required = [shaderFloatControls2, shaderSubgroupRotate, vulkanMemoryModel, scalarBlockLayout];
        let [old, new] = ["vulkan1.3", "vulkan1.4"].map(|name| Target::preset(name).unwrap());
        assert!(required.iter().all(|feature| new.has(*feature) && !old.has(*feature)));
        assert_eq!((new.spirv_version(), new.max_push_constants_size), ((1, 6), 256));
    }

    #[test]
    fn spirv_val_gets_the_layout_options() {
        let mut target = Target::preset("vulkan1.2").unwrap();
        assert_eq!(target.spirv_val_arguments(), ["--target-env", "vulkan1.2", "-"]);
        target.set(Feature::uniformBufferStandardLayout, true);
        target.set(Feature::scalarBlockLayout, true);
        let relaxed = ["--target-env", "vulkan1.2", "--uniform-buffer-standard-layout", "--scalar-block-layout", "-"];
        assert_eq!(target.spirv_val_arguments(), relaxed);
    }
}
