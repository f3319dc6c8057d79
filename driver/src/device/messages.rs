//! What the validation layer says although it is wrong.
//!
//! [`Device::take_messages`](super::Device::take_messages) leaves it out, so that tests and tools fail for whatever is left.

use super::{DynamicState, DynamicStates};
use ash::vk;

/// The last version of the layer that is known to be wrong.
const LAST: u32 = vk::make_api_version(0, 1, 3, 239);

/// A part of the message, and the state that has to come from commands for the layer to be wrong.
const FALSE_ALARMS: &[(&str, Option<DynamicState>)] = &[
    // What is written to a colour that is not there is dropped (Vulkan, `VkPipelineRenderingCreateInfo`), and not undefined.
    ("of type `VK_FORMAT_UNDEFINED` does not match fragment shader output type", None),
    // It does not know that commands may set the number of samples (VUID 06188 and 06189 of each draw).
    ("must match corresponding VkPipelineMultisampleStateCreateInfo", Some(DynamicState::Samples)),
];

/// Whether a layer of this version is wrong to say so of a device that takes `states` from commands.
pub(super) fn is_false_alarm(message: &str, layer: u32, states: DynamicStates) -> bool {
    let is = |(text, state): &(&str, Option<DynamicState>)| {
        message.contains(text) && state.is_none_or(|state| states.has(state))
    };
    layer <= LAST && FALSE_ALARMS.iter().any(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_that_knows_better_is_heard() {
        let message = "Color attachment (0) sample count (VK_SAMPLE_COUNT_4_BIT) must match corresponding \
                       VkPipelineMultisampleStateCreateInfo sample count (VK_SAMPLE_COUNT_1_BIT)";
        let (none, all) = (DynamicStates::default(), DynamicState::ALL.iter().copied().collect());
        assert!(is_false_alarm(message, LAST, all));
        assert!(!is_false_alarm(message, LAST, none));
        assert!(!is_false_alarm(message, LAST + 1, all));
        assert!(!is_false_alarm("SYNC-HAZARD-WRITE-AFTER-WRITE", LAST, all));
    }
}
