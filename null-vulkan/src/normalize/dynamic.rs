// SPDX-License-Identifier: MIT

//! The dynamic states: the commands that set them, and those that a draw uses.

use super::{StateKey, Words};
use ash::vk::DynamicState as Dynamic;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The layout of the words of a command that sets a state.
enum Form {
    /// All words are the value.
    Whole,
    /// The first number, the count, and values with this number of words each.
    Indexed(usize),
    /// The count, and values with this number of words each.
    Counted(usize),
    /// A mask of faces, and the value for each of them.
    Faces,
}

/// A command that sets a state.
struct Setter {
    command: &'static str,
    state: &'static str,
    form: Form,
    /// The dynamic states of a pipeline that the command sets.
    dynamic: &'static [Dynamic],
}

macro_rules! setters {
    ($($command:literal $state:literal $form:expr, $($dynamic:ident)|+;)*) => {
        &[$(Setter { command: $command, state: $state, form: $form, dynamic: &[$(Dynamic::$dynamic),+] }),*]
    };
}

use Form::{Counted, Faces, Indexed, Whole};

const SETTERS: &[Setter] = setters! {
    "vkCmdSetViewport" "viewport" Indexed(6), VIEWPORT | VIEWPORT_WITH_COUNT;
    "vkCmdSetViewportWithCount" "viewport" Counted(6), VIEWPORT | VIEWPORT_WITH_COUNT;
    "vkCmdSetScissor" "scissor" Indexed(4), SCISSOR | SCISSOR_WITH_COUNT;
    "vkCmdSetScissorWithCount" "scissor" Counted(4), SCISSOR | SCISSOR_WITH_COUNT;
    "vkCmdSetLineWidth" "line width" Whole, LINE_WIDTH;
    "vkCmdSetDepthBias" "depth bias" Whole, DEPTH_BIAS;
    "vkCmdSetBlendConstants" "blend constants" Whole, BLEND_CONSTANTS;
    "vkCmdSetDepthBounds" "depth bounds" Whole, DEPTH_BOUNDS;
    "vkCmdSetStencilCompareMask" "stencil compare mask" Faces, STENCIL_COMPARE_MASK;
    "vkCmdSetStencilWriteMask" "stencil write mask" Faces, STENCIL_WRITE_MASK;
    "vkCmdSetStencilReference" "stencil reference" Faces, STENCIL_REFERENCE;
    "vkCmdSetStencilOp" "stencil op" Faces, STENCIL_OP;
    "vkCmdSetCullMode" "cull mode" Whole, CULL_MODE;
    "vkCmdSetFrontFace" "front face" Whole, FRONT_FACE;
    "vkCmdSetPrimitiveTopology" "topology" Whole, PRIMITIVE_TOPOLOGY;
    "vkCmdSetDepthTestEnable" "depth test" Whole, DEPTH_TEST_ENABLE;
    "vkCmdSetDepthWriteEnable" "depth write" Whole, DEPTH_WRITE_ENABLE;
    "vkCmdSetDepthCompareOp" "depth compare op" Whole, DEPTH_COMPARE_OP;
    "vkCmdSetDepthBoundsTestEnable" "depth bounds test" Whole, DEPTH_BOUNDS_TEST_ENABLE;
    "vkCmdSetStencilTestEnable" "stencil test" Whole, STENCIL_TEST_ENABLE;
    "vkCmdSetRasterizerDiscardEnable" "rasterizer discard" Whole, RASTERIZER_DISCARD_ENABLE;
    "vkCmdSetDepthBiasEnable" "depth bias enable" Whole, DEPTH_BIAS_ENABLE;
    "vkCmdSetPrimitiveRestartEnable" "primitive restart" Whole, PRIMITIVE_RESTART_ENABLE;
    "vkCmdSetLogicOpEXT" "logic op" Whole, LOGIC_OP_EXT;
    "vkCmdSetPatchControlPointsEXT" "patch control points" Whole, PATCH_CONTROL_POINTS_EXT;
    "vkCmdSetVertexInputEXT" "vertex input" Whole, VERTEX_INPUT_EXT;
    "vkCmdSetColorWriteEnableEXT" "color write" Counted(1), COLOR_WRITE_ENABLE_EXT;
    "vkCmdSetDiscardRectangleEXT" "discard rectangle" Indexed(4), DISCARD_RECTANGLE_EXT;
    "vkCmdSetDiscardRectangleEnableEXT" "discard rectangles" Whole, DISCARD_RECTANGLE_ENABLE_EXT;
    "vkCmdSetDiscardRectangleModeEXT" "discard rectangle mode" Whole, DISCARD_RECTANGLE_MODE_EXT;
    "vkCmdSetLineStippleKHR" "line stipple" Whole, LINE_STIPPLE_KHR;
    "vkCmdSetDepthClampEnableEXT" "depth clamp" Whole, DEPTH_CLAMP_ENABLE_EXT;
    "vkCmdSetPolygonModeEXT" "polygon mode" Whole, POLYGON_MODE_EXT;
    "vkCmdSetRasterizationSamplesEXT" "samples" Whole, RASTERIZATION_SAMPLES_EXT;
    "vkCmdSetSampleMaskEXT" "sample mask" Whole, SAMPLE_MASK_EXT;
    "vkCmdSetAlphaToCoverageEnableEXT" "alpha to coverage" Whole, ALPHA_TO_COVERAGE_ENABLE_EXT;
    "vkCmdSetAlphaToOneEnableEXT" "alpha to one" Whole, ALPHA_TO_ONE_ENABLE_EXT;
    "vkCmdSetLogicOpEnableEXT" "logic op enable" Whole, LOGIC_OP_ENABLE_EXT;
    "vkCmdSetColorBlendEnableEXT" "blend" Indexed(1), COLOR_BLEND_ENABLE_EXT;
    "vkCmdSetColorBlendEquationEXT" "blend equation" Indexed(6), COLOR_BLEND_EQUATION_EXT;
    "vkCmdSetColorBlendAdvancedEXT" "advanced blend" Indexed(5), COLOR_BLEND_ADVANCED_EXT;
    "vkCmdSetColorWriteMaskEXT" "color write mask" Indexed(1), COLOR_WRITE_MASK_EXT;
    "vkCmdSetTessellationDomainOriginEXT" "tessellation domain origin" Whole, TESSELLATION_DOMAIN_ORIGIN_EXT;
    "vkCmdSetRasterizationStreamEXT" "rasterization stream" Whole, RASTERIZATION_STREAM_EXT;
    "vkCmdSetConservativeRasterizationModeEXT" "conservative rasterization" Whole, CONSERVATIVE_RASTERIZATION_MODE_EXT;
    "vkCmdSetExtraPrimitiveOverestimationSizeEXT" "overestimation" Whole, EXTRA_PRIMITIVE_OVERESTIMATION_SIZE_EXT;
    "vkCmdSetDepthClipEnableEXT" "depth clip" Whole, DEPTH_CLIP_ENABLE_EXT;
    "vkCmdSetSampleLocationsEnableEXT" "sample locations" Whole, SAMPLE_LOCATIONS_ENABLE_EXT;
    "vkCmdSetProvokingVertexModeEXT" "provoking vertex" Whole, PROVOKING_VERTEX_MODE_EXT;
    "vkCmdSetLineRasterizationModeEXT" "line rasterization" Whole, LINE_RASTERIZATION_MODE_EXT;
    "vkCmdSetLineStippleEnableEXT" "line stipple enable" Whole, LINE_STIPPLE_ENABLE_EXT;
    "vkCmdSetDepthClipNegativeOneToOneEXT" "depth clip -1 to 1" Whole, DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT;
    "vkCmdSetAttachmentFeedbackLoopEnableEXT" "feedback loop" Whole, ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT;
};

/// The state of the strides of vertex buffers, which `vkCmdBindVertexBuffers2` sets.
pub(super) const STRIDE: &str = "vertex buffer stride";

/// Switches, and the states that a draw does not use while the switch is dynamic and 0.
const SWITCHES: &[(&str, &[&str])] = &[
    ("depth test", &["depth write", "depth compare op"]),
    ("depth bounds test", &["depth bounds"]),
    ("stencil test", &["stencil op", "stencil compare mask", "stencil write mask", "stencil reference"]),
    ("depth bias enable", &["depth bias"]),
    ("logic op enable", &["logic op"]),
    ("blend", &["blend equation"]),
    ("line stipple enable", &["line stipple"]),
    ("discard rectangles", &["discard rectangle", "discard rectangle mode"]),
];

/// The dynamic states of a command buffer.
#[derive(Default)]
pub(super) struct DynamicStates {
    values: BTreeMap<StateKey, Vec<u64>>,
}

impl DynamicStates {
    /// Handles a command; returns whether it sets a dynamic state.
    pub(super) fn set(&mut self, command: &str, words: &[u64]) -> bool {
        let Some(setter) = index().by_command.get(command) else { return false };
        let mut words = Words(words);
        match setter.form {
            Whole => self.put(setter.state, [0, 0], words.0),
            Indexed(width) => {
                for (number, value) in words.numbered(width) {
                    self.put(setter.state, [number, 0], value);
                }
            }
            Counted(width) => {
                self.values.retain(|key, _| key.0 != setter.state);
                for (number, value) in (0..).zip(words.list(width)) {
                    self.put(setter.state, [number, 0], value);
                }
            }
            Faces => {
                let faces = words.next_u32();
                for face in [1, 2].into_iter().filter(|face| faces & face != 0) {
                    self.put(setter.state, [face, 0], words.0);
                }
            }
        }
        true
    }

    /// Sets the stride of a vertex buffer.
    pub(super) fn set_stride(&mut self, binding: u32, stride: u64) {
        self.put(STRIDE, [binding, 0], &[stride]);
    }

    fn put(&mut self, state: &'static str, number: [u32; 2], value: &[u64]) {
        self.values.insert(StateKey(state, number), value.to_vec());
    }

    /// Binds a pipeline: its static state replaces values that were set before.
    pub(super) fn bind(&mut self, dynamic: &[u64]) {
        self.values.retain(|key, _| is_dynamic(key.0, dynamic));
    }

    /// The value of a state, if it is dynamic.
    pub(super) fn get(&self, state: &'static str, number: [u32; 2], dynamic: &[u64]) -> Option<&[u64]> {
        self.values.get(&StateKey(state, number)).filter(|_| is_dynamic(state, dynamic)).map(Vec::as_slice)
    }

    /// The states that a draw with a pipeline uses.
    pub(super) fn seen(&self, dynamic: &[u64], rectangles: [u32; 2]) -> Vec<(StateKey, Vec<u64>)> {
        let has = |state: Dynamic| dynamic.contains(&(state.as_raw() as u64));
        let counts = [
            ("viewport", has(Dynamic::VIEWPORT_WITH_COUNT), rectangles[0]),
            ("scissor", has(Dynamic::SCISSOR_WITH_COUNT), rectangles[1]),
        ];
        let counted = |key: &StateKey| {
            let by_pipeline = counts.iter().find(|count| count.0 == key.0 && !count.1);
            by_pipeline.is_none_or(|count| key.1[0] < count.2)
        };
        // Vertex buffers include their strides.
        let seen = |key: &StateKey| {
            is_dynamic(key.0, dynamic) && counted(key) && key.0 != STRIDE && !self.is_off(key, dynamic)
        };
        let seen = self.values.iter().filter(|(key, _)| seen(key));
        seen.map(|(key, value)| (*key, value.clone())).collect()
    }

    fn is_off(&self, key: &StateKey, dynamic: &[u64]) -> bool {
        let Some((switch, _)) = SWITCHES.iter().find(|switch| switch.1.contains(&key.0)) else { return false };
        // For blending, each attachment has its own switch.
        let number = if *switch == "blend" { key.1 } else { [0, 0] };
        self.get(switch, number, dynamic).is_some_and(|value| value.iter().all(|word| *word == 0))
    }

    /// The stride of a vertex buffer, if it is dynamic in the pipeline.
    pub(super) fn stride(&self, binding: u32, dynamic: &[u64]) -> Option<u64> {
        let wanted = dynamic.contains(&(Dynamic::VERTEX_INPUT_BINDING_STRIDE.as_raw() as u64));
        let value = self.values.get(&StateKey(STRIDE, [binding, 0])).filter(|_| wanted);
        value.and_then(|value| value.first().copied())
    }
}

/// Whether a state is among the dynamic states of a pipeline.
fn is_dynamic(state: &str, dynamic: &[u64]) -> bool {
    let has = |wanted: &Dynamic| dynamic.contains(&(wanted.as_raw() as u64));
    if state == STRIDE {
        return has(&Dynamic::VERTEX_INPUT_BINDING_STRIDE) || has(&Dynamic::VERTEX_INPUT_EXT);
    }
    index().by_state.get(state).is_some_and(|states| states.iter().any(has))
}

/// The setters, indexed for fast lookup.
struct Index {
    by_command: FxHashMap<&'static str, &'static Setter>,
    /// The dynamic states of a pipeline that belong to a state.
    by_state: FxHashMap<&'static str, Vec<Dynamic>>,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut by_state: FxHashMap<&str, Vec<Dynamic>> = FxHashMap::default();
        for setter in SETTERS {
            by_state.entry(setter.state).or_default().extend(setter.dynamic);
        }
        Index { by_command: SETTERS.iter().map(|setter| (setter.command, setter)).collect(), by_state }
    })
}
