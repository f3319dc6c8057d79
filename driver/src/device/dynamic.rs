// SPDX-License-Identifier: MIT

//! Optional dynamic state: the states that a device supports beyond the dynamic states of Vulkan 1.3.
//!
//! A dynamic state costs a command when it changes. A state that is not dynamic is a part of the pipeline, so a change needs
//! another pipeline. The table gives the feature of each state; the pipeline's description and the handlers of dirty bits use the
//! result.

use super::features::Features;
use ash::vk;

macro_rules! dynamic {
    ($($(#[$doc:meta])* $name:ident = $state:ident, $feature:literal, $has:expr;)*) => {
        /// A state that is dynamic if the device has the feature.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum DynamicState { $($(#[$doc])* $name,)* }

        impl DynamicState {
            /// All states.
            pub const ALL: &'static [DynamicState] = &[$(DynamicState::$name),*];

            /// The Vulkan name of the feature that the state needs.
            pub fn feature(self) -> &'static str {
                match self { $(DynamicState::$name => $feature,)* }
            }

            /// The Vulkan value.
            pub(crate) fn raw(self) -> vk::DynamicState {
                match self { $(DynamicState::$name => vk::DynamicState::$state,)* }
            }

            /// Whether the state is dynamic on a device with these features.
            fn is_supported(self, features: &Features) -> bool {
                let has: fn(&Features) -> bool = match self { $(DynamicState::$name => $has,)* };
                has(features)
            }
        }
    };
}

dynamic! {
    /// Attributes and bindings of vertex buffers.
    VertexInput = VERTEX_INPUT_EXT, "vertexInputDynamicState", |f| f.vertex_input.vertex_input_dynamic_state != 0;
    /// The number of vertices of a patch.
    PatchControlPoints = PATCH_CONTROL_POINTS_EXT, "extendedDynamicState2PatchControlPoints",
        |f| f.dynamic2.extended_dynamic_state2_patch_control_points != 0;
    /// The logical operation.
    LogicOp = LOGIC_OP_EXT, "extendedDynamicState2LogicOp", |f| f.dynamic2.extended_dynamic_state2_logic_op != 0;
    /// Whether there is a logical operation.
    LogicOpEnable = LOGIC_OP_ENABLE_EXT, "extendedDynamicState3LogicOpEnable",
        |f| f.dynamic3.extended_dynamic_state3_logic_op_enable != 0;
    /// Whether colors are blended.
    BlendEnable = COLOR_BLEND_ENABLE_EXT, "extendedDynamicState3ColorBlendEnable",
        |f| f.dynamic3.extended_dynamic_state3_color_blend_enable != 0;
    /// The equation that blends colors.
    BlendEquation = COLOR_BLEND_EQUATION_EXT, "extendedDynamicState3ColorBlendEquation",
        |f| f.dynamic3.extended_dynamic_state3_color_blend_equation != 0;
    /// The components of colors that are written.
    WriteMask = COLOR_WRITE_MASK_EXT, "extendedDynamicState3ColorWriteMask",
        |f| f.dynamic3.extended_dynamic_state3_color_write_mask != 0;
    /// Whether depths are clamped.
    DepthClamp = DEPTH_CLAMP_ENABLE_EXT, "extendedDynamicState3DepthClampEnable",
        |f| f.dynamic3.extended_dynamic_state3_depth_clamp_enable != 0 && f.core.depth_clamp != 0;
    /// Whether primitives are clipped at the near and the far plane.
    DepthClip = DEPTH_CLIP_ENABLE_EXT, "extendedDynamicState3DepthClipEnable",
        |f| f.dynamic3.extended_dynamic_state3_depth_clip_enable != 0 && f.depth_clip.depth_clip_enable != 0;
    /// Whether clip space has GL's depth range.
    NegativeOneToOne = DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT, "extendedDynamicState3DepthClipNegativeOneToOne",
        |f| f.dynamic3.extended_dynamic_state3_depth_clip_negative_one_to_one != 0
            && f.clip_control.depth_clip_control != 0;
    /// Fill, lines or points.
    PolygonMode = POLYGON_MODE_EXT, "extendedDynamicState3PolygonMode",
        |f| f.dynamic3.extended_dynamic_state3_polygon_mode != 0;
    /// The provoking vertex of a primitive.
    ProvokingVertex = PROVOKING_VERTEX_MODE_EXT, "extendedDynamicState3ProvokingVertexMode",
        |f| f.dynamic3.extended_dynamic_state3_provoking_vertex_mode != 0
            && f.provoking.provoking_vertex_last != 0;
    /// The number of samples of a pixel.
    Samples = RASTERIZATION_SAMPLES_EXT, "extendedDynamicState3RasterizationSamples",
        |f| f.dynamic3.extended_dynamic_state3_rasterization_samples != 0;
    /// The mask of samples that may be written.
    SampleMask = SAMPLE_MASK_EXT, "extendedDynamicState3SampleMask",
        |f| f.dynamic3.extended_dynamic_state3_sample_mask != 0;
    /// Whether alpha determines the coverage.
    AlphaToCoverage = ALPHA_TO_COVERAGE_ENABLE_EXT, "extendedDynamicState3AlphaToCoverageEnable",
        |f| f.dynamic3.extended_dynamic_state3_alpha_to_coverage_enable != 0;
    /// Whether alpha is replaced by 1.
    AlphaToOne = ALPHA_TO_ONE_ENABLE_EXT, "extendedDynamicState3AlphaToOneEnable",
        |f| f.dynamic3.extended_dynamic_state3_alpha_to_one_enable != 0 && f.core.alpha_to_one != 0;
}

/// The optional dynamic states of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DynamicStates(u32);

impl DynamicStates {
    /// The dynamic states of a device with these features, except states whose features `without` names.
    pub(super) fn query(features: &Features, without: &[String]) -> DynamicStates {
        let kept =
            |state: &&DynamicState| state.is_supported(features) && !without.iter().any(|name| name == state.feature());
        DynamicState::ALL.iter().filter(kept).copied().collect()
    }

    /// Whether `state` is among them.
    pub fn has(self, state: DynamicState) -> bool {
        self.0 >> state as u32 & 1 != 0
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = DynamicState> {
        DynamicState::ALL.iter().copied().filter(move |state| self.has(*state))
    }
}

impl FromIterator<DynamicState> for DynamicStates {
    fn from_iter<I: IntoIterator<Item = DynamicState>>(states: I) -> DynamicStates {
        DynamicStates(states.into_iter().fold(0, |all, state| all | 1 << state as u32))
    }
}
