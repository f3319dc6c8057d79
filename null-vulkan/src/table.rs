// SPDX-License-Identifier: MIT

//! The functions by name.

use crate::dispatch::{self, head, Head};
use crate::{command, descriptor, device, instance, memory, pipeline, query, queue, resource};
use ash::vk;
use std::ffi::{c_char, CStr};
use std::ptr;

/// A function that an application can load.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) pointer: unsafe extern "system" fn(),
}

/// A table of functions: a row has the type of the function's pointer in ash, from which its name follows, and the function.
macro_rules! functions {
    ($($pfn:ident = $function:expr;)*) => {
        &[$($crate::table::Function {
            name: stringify!($pfn).split_at("PFN_".len()).1,
            // SAFETY: pointers to functions have one size; callers cast it back to the type that its name gives.
            pointer: unsafe { std::mem::transmute::<ash::vk::$pfn, unsafe extern "system" fn()>($function) },
        }),*]
    };
}
pub(crate) use functions;

/// The tables in the order in which they are searched.
const TABLES: &[&[Function]] = &[
    instance::FUNCTIONS,
    device::FUNCTIONS,
    memory::FUNCTIONS,
    resource::FUNCTIONS,
    descriptor::FUNCTIONS,
    pipeline::FUNCTIONS,
    query::FUNCTIONS,
    queue::FUNCTIONS,
    command::FUNCTIONS,
    command::COMMANDS,
];

fn find(name: &str) -> Option<&'static Function> {
    TABLES.iter().copied().flatten().find(|function| function.name == name)
}

/// A function by its name, or by its name in the extension that was promoted to Vulkan.
fn look_up(name: &str) -> Option<unsafe extern "system" fn()> {
    let core = || name.strip_suffix("KHR").or(name.strip_suffix("EXT")).and_then(find);
    // Some functions were promoted from one extension into another.
    let khr = || name.strip_suffix("EXT").and_then(|stem| find(&format!("{stem}KHR")));
    find(name).or_else(core).or_else(khr).map(|function| function.pointer)
}

/// `vkGetInstanceProcAddr`.
pub(crate) unsafe extern "system" fn get_instance_proc_addr(
    _: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller gives a C string.
    unsafe { CStr::from_ptr(name) }.to_str().ok().and_then(look_up)
}

/// The extension of functions whose names contain a text; the first match counts. All other functions are always available.
const EXTENSIONS: &[(&str, &str)] = &[
    ("TransformFeedback", "VK_EXT_transform_feedback"),
    ("QueryIndexedEXT", "VK_EXT_transform_feedback"),
    ("DrawIndirectByteCountEXT", "VK_EXT_transform_feedback"),
    ("PushDescriptorSet", "VK_KHR_push_descriptor"),
    ("ConditionalRendering", "VK_EXT_conditional_rendering"),
    ("DrawMulti", "VK_EXT_multi_draw"),
    ("SetDiscardRectangle", "VK_EXT_discard_rectangles"),
    ("SetAttachmentFeedbackLoopEnable", "VK_EXT_attachment_feedback_loop_dynamic_state"),
    ("SetVertexInputEXT", "VK_EXT_vertex_input_dynamic_state"),
    ("SetColorWriteEnableEXT", "VK_EXT_color_write_enable"),
    ("SetLineStippleEnableEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetLineStipple", "VK_EXT_line_rasterization"),
    ("SetLogicOpEXT", "VK_EXT_extended_dynamic_state2"),
    ("SetPatchControlPointsEXT", "VK_EXT_extended_dynamic_state2"),
    ("SetTessellationDomainOriginEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetDepthClampEnableEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetPolygonModeEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetRasterizationSamplesEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetSampleMaskEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetAlphaToCoverageEnableEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetAlphaToOneEnableEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetLogicOpEnableEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetColorBlend", "VK_EXT_extended_dynamic_state3"),
    ("SetColorWriteMaskEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetRasterizationStreamEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetConservativeRasterizationModeEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetExtraPrimitiveOverestimationSizeEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetDepthClipEnableEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetSampleLocationsEnableEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetProvokingVertexModeEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetLineRasterizationModeEXT", "VK_EXT_extended_dynamic_state3"),
    ("SetDepthClipNegativeOneToOneEXT", "VK_EXT_extended_dynamic_state3"),
];

/// `vkGetDeviceProcAddr`: functions of extensions that are not enabled are not available.
pub(crate) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller gives a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_str().ok()?;
    let extension = EXTENSIONS.iter().find(|row| name.contains(row.0)).map(|row| row.1);
    if let (Some(extension), false) = (extension, device == vk::Device::null()) {
        // SAFETY: the caller gives a device; its head is the first field of its record.
        let record = unsafe { &*ptr::from_ref::<Head>(head(device)).cast::<dispatch::Device>() };
        if !record.enabled.contains(extension) {
            return None;
        }
    }
    look_up(name)
}
