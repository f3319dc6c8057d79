// SPDX-License-Identifier: MIT

//! The functions that are available.

use super::{Bench, WorldOptions};
use crate::table::get_device_proc_addr;
use ash::vk;
use std::collections::BTreeSet;
use std::ffi::{c_void, CStr};

/// Functions of features that the device does not have.
const ABSENT: &[&str] = &[
    "vkCmdSetDeviceMask",
    "vkCreatePrivateDataSlot",
    "vkCreateSamplerYcbcrConversion",
    "vkDestroyPrivateDataSlot",
    "vkDestroySamplerYcbcrConversion",
    "vkEnumeratePhysicalDeviceGroups",
    "vkGetBufferOpaqueCaptureAddress",
    "vkGetDeviceGroupPeerMemoryFeatures",
    "vkGetDeviceImageSparseMemoryRequirements",
    "vkGetDeviceMemoryOpaqueCaptureAddress",
    "vkGetImageSparseMemoryRequirements2",
    "vkGetPhysicalDeviceExternalBufferProperties",
    "vkGetPhysicalDeviceExternalFenceProperties",
    "vkGetPhysicalDeviceExternalSemaphoreProperties",
    "vkGetPhysicalDeviceSparseImageFormatProperties",
    "vkGetPhysicalDeviceSparseImageFormatProperties2",
    "vkGetPhysicalDeviceToolProperties",
    "vkGetPrivateData",
    "vkQueueBindSparse",
    "vkSetPrivateData",
];

/// Functions that also need other extensions.
const ABSENT_OF_VENDORS: &[&str] = &[
    "vkCmdSetCoverageModulationModeNV",
    "vkCmdSetCoverageModulationTableEnableNV",
    "vkCmdSetCoverageModulationTableNV",
    "vkCmdSetCoverageReductionModeNV",
    "vkCmdSetCoverageToColorEnableNV",
    "vkCmdSetCoverageToColorLocationNV",
    "vkCmdSetRepresentativeFragmentTestEnableNV",
    "vkCmdSetShadingRateImageEnableNV",
    "vkCmdSetViewportSwizzleNV",
    "vkCmdSetViewportWScalingEnableNV",
    "vkCmdWriteBufferMarker2AMD",
    "vkGetQueueCheckpointData2NV",
];

/// The names that `load` requests and that are not available.
fn missing(load: impl Fn(&mut dyn FnMut(&CStr) -> *const c_void)) -> BTreeSet<String> {
    let mut missing = BTreeSet::new();
    load(&mut |name| {
        // SAFETY: the name is a C string.
        if unsafe { get_device_proc_addr(vk::Device::null(), name.as_ptr()) }.is_none() {
            missing.insert(name.to_str().unwrap().to_owned());
        }
        std::ptr::null()
    });
    missing
}

/// The missing functions of tables.
macro_rules! missing_of {
    ($($table:path),* $(,)?) => {
        {
            let mut all = BTreeSet::new();
            $(all.append(&mut missing(|f| {
                let _ = <$table>::load(f);
            }));)*
            all.into_iter().collect::<Vec<String>>()
        }
    };
}

#[test]
fn all_of_vulkan_1_3_but_for_a_few() {
    let missing = missing_of!(
        ash::EntryFnV1_0,
        ash::EntryFnV1_1,
        ash::InstanceFnV1_0,
        ash::InstanceFnV1_1,
        ash::InstanceFnV1_3,
        ash::DeviceFnV1_0,
        ash::DeviceFnV1_1,
        ash::DeviceFnV1_2,
        ash::DeviceFnV1_3,
    );
    assert_eq!(missing, ABSENT);
}

#[test]
fn all_of_the_extensions_of_the_device() {
    let missing = missing_of!(
        ash::ext::transform_feedback::DeviceFn,
        ash::ext::extended_dynamic_state::DeviceFn,
        ash::ext::extended_dynamic_state2::DeviceFn,
        ash::ext::extended_dynamic_state3::DeviceFn,
        ash::ext::vertex_input_dynamic_state::DeviceFn,
        ash::ext::color_write_enable::DeviceFn,
        ash::ext::line_rasterization::DeviceFn,
        ash::ext::conditional_rendering::DeviceFn,
        ash::ext::multi_draw::DeviceFn,
        ash::ext::host_query_reset::DeviceFn,
        ash::ext::debug_utils::DeviceFn,
        ash::khr::push_descriptor::DeviceFn,
        ash::khr::dynamic_rendering::DeviceFn,
        ash::khr::synchronization2::DeviceFn,
        ash::khr::timeline_semaphore::DeviceFn,
        ash::khr::copy_commands2::DeviceFn,
    );
    assert_eq!(missing, ABSENT_OF_VENDORS);
}

#[test]
fn a_device_has_only_functions_of_enabled_extensions() {
    let bench = Bench::new(WorldOptions::default());
    let has = |name: &CStr| {
        // SAFETY: the device is alive, and the name is a C string.
        unsafe { get_device_proc_addr(bench.device.handle(), name.as_ptr()) }.is_some()
    };
    for (name, expected) in [
        (c"vkCmdDraw", true),
        (c"vkCmdSetCullModeEXT", true),
        (c"vkCmdBeginTransformFeedbackEXT", false),
        (c"vkCmdPushDescriptorSetKHR", false),
        (c"vkCmdSetColorBlendEnableEXT", false),
        (c"vkCmdSetLogicOpEXT", false),
        (c"vkCmdNonsense", false),
    ] {
        assert_eq!(has(name), expected, "{name:?}");
    }
}
