// SPDX-License-Identifier: MIT

//! Known false alarms of the validation layer.
//!
//! [`Device::take_messages`](super::Device::take_messages) leaves them out, so that tests and tools can fail for all other
//! messages.

use super::{DynamicState, DynamicStates};
use ash::vk;

/// The last version of the layer that has the false alarms.
const LAST: u32 = vk::make_api_version(0, 1, 3, 239);

/// A part of the message, and the state that must be dynamic for the message to be a false alarm.
const FALSE_ALARMS: &[(&str, Option<DynamicState>)] = &[
    // Writes to a missing color attachment are discarded (Vulkan, `VkPipelineRenderingCreateInfo`), and are not undefined.
    ("of type `VK_FORMAT_UNDEFINED` does not match fragment shader output type", None),
    // The layer ignores that the number of samples may be dynamic (VUID 06188 and 06189 of each draw).
    ("must match corresponding VkPipelineMultisampleStateCreateInfo", Some(DynamicState::Samples)),
];

/// Whether the message of a layer of this version is a false alarm for a device with the dynamic `states`.
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
    fn messages_of_newer_layers_are_kept() {
        let message = "Color attachment (0) sample count (VK_SAMPLE_COUNT_4_BIT) must match corresponding \
                       VkPipelineMultisampleStateCreateInfo sample count (VK_SAMPLE_COUNT_1_BIT)";
        let (none, all) = (DynamicStates::default(), DynamicState::ALL.iter().copied().collect());
        assert!(is_false_alarm(message, LAST, all));
        assert!(!is_false_alarm(message, LAST, none));
        assert!(!is_false_alarm(message, LAST + 1, all));
        assert!(!is_false_alarm("SYNC-HAZARD-WRITE-AFTER-WRITE", LAST, all));
    }
}
