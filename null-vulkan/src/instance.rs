// SPDX-License-Identifier: MIT

//! Functions of the instance and the physical device.

use crate::current;
use crate::dispatch::{self, head, world, Head};
use crate::properties::write_text;
use crate::table::{self, functions, Function};
use ash::vk;
use ash::vk::Handle;
use std::collections::HashSet;
use std::ffi::{c_char, CStr};
use std::ptr;

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkGetInstanceProcAddr = table::get_instance_proc_addr;
    PFN_vkEnumerateInstanceVersion = enumerate_instance_version;
    PFN_vkEnumerateInstanceExtensionProperties = enumerate_instance_extension_properties;
    PFN_vkEnumerateInstanceLayerProperties = enumerate_instance_layer_properties;
    PFN_vkCreateInstance = create_instance;
    PFN_vkDestroyInstance = destroy_instance;
    PFN_vkEnumeratePhysicalDevices = enumerate_physical_devices;
    PFN_vkGetPhysicalDeviceFeatures = get_features;
    PFN_vkGetPhysicalDeviceFeatures2 = get_features2;
    PFN_vkGetPhysicalDeviceProperties = get_properties;
    PFN_vkGetPhysicalDeviceProperties2 = get_properties2;
    PFN_vkGetPhysicalDeviceFormatProperties = get_format_properties;
    PFN_vkGetPhysicalDeviceFormatProperties2 = get_format_properties2;
    PFN_vkGetPhysicalDeviceImageFormatProperties = get_image_format_properties;
    PFN_vkGetPhysicalDeviceImageFormatProperties2 = get_image_format_properties2;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties = get_queue_family_properties;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties2 = get_queue_family_properties2;
    PFN_vkGetPhysicalDeviceMemoryProperties = get_memory_properties;
    PFN_vkGetPhysicalDeviceMemoryProperties2 = get_memory_properties2;
    PFN_vkEnumerateDeviceExtensionProperties = enumerate_device_extension_properties;
    PFN_vkEnumerateDeviceLayerProperties = enumerate_device_layer_properties;
    PFN_vkCreateDevice = create_device;
};

/// The extensions of instances.
const EXTENSIONS: &[&str] =
    &["VK_EXT_debug_utils", "VK_KHR_get_physical_device_properties2", "VK_KHR_portability_enumeration"];

/// Implements a query of a list: writes the number of elements, or as many elements as there is room for.
///
/// # Safety
/// `count` can be written; if `out` is not null, it has room for `count` elements.
pub(crate) unsafe fn give<T>(values: impl ExactSizeIterator<Item = T>, count: *mut u32, out: *mut T) -> vk::Result {
    let len = values.len() as u32;
    // SAFETY: the caller guarantees it.
    unsafe {
        if out.is_null() {
            *count = len;
            return vk::Result::SUCCESS;
        }
        let room = *count;
        for (i, value) in values.take(room as usize).enumerate() {
            out.add(i).write(value);
        }
        *count = room.min(len);
        if room < len {
            vk::Result::INCOMPLETE
        } else {
            vk::Result::SUCCESS
        }
    }
}

fn extension(name: &&str) -> vk::ExtensionProperties {
    vk::ExtensionProperties { extension_name: write_text(name), spec_version: 1 }
}

unsafe extern "system" fn enumerate_instance_version(version: *mut u32) -> vk::Result {
    // SAFETY: the caller gives pointers to write.
    unsafe { *version = vk::API_VERSION_1_3 };
    vk::Result::SUCCESS
}

unsafe extern "system" fn enumerate_instance_extension_properties(
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    if !layer.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    // SAFETY: the caller gives pointers to write.
    unsafe { give(EXTENSIONS.iter().map(extension), count, out) }
}

unsafe extern "system" fn enumerate_instance_layer_properties(
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: the caller gives pointers to write.
    unsafe { give(std::iter::empty(), count, out) }
}

/// The strings of an array of C strings.
///
/// # Safety
/// The array has `count` C strings.
unsafe fn names(array: *const *const c_char, count: u32) -> HashSet<String> {
    // SAFETY: the caller guarantees it.
    let name = |i: u32| unsafe { CStr::from_ptr(*array.add(i as usize)).to_string_lossy().into_owned() };
    (0..count).map(name).collect()
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the caller gives a valid struct, and an instance to write.
    let (info, out) = unsafe { (&*info, &mut *out) };
    *out = vk::Instance::null();
    let Some(current) = current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    if info.enabled_layer_count > 0 {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    // SAFETY: the caller gives valid arrays.
    let enabled = unsafe { names(info.pp_enabled_extension_names, info.enabled_extension_count) };
    if enabled.iter().any(|name| !EXTENSIONS.contains(&name.as_str()) || current.lacks(name)) {
        return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
    }
    dispatch::keep(&current);
    let mut state = current.lock();
    state.objects.count_made(vk::ObjectType::INSTANCE);
    let record = state.records.add_instance(&current);
    *out = vk::Instance::from_raw(record.as_ptr() as u64);
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_instance(instance: vk::Instance, _: *const vk::AllocationCallbacks<'_>) {
    if instance == vk::Instance::null() {
        return;
    }
    // SAFETY: the caller gives an instance.
    let (head, world) = unsafe { (head(instance), world(instance, "vkDestroyInstance")) };
    if !head.is_alive() {
        return;
    }
    head.set_alive(false);
    let mut state = world.lock();
    state.objects.count_destroyed(vk::ObjectType::INSTANCE);
    if state.records.devices_of(head) > 0 {
        state.report("vkDestroyInstance: the instance has a device that is alive");
    }
    drop(state);
    // SAFETY: `keep` was called when the instance was created, and the instance is destroyed once.
    unsafe { dispatch::release(head.world()) };
}

/// The physical device of an instance: the second head in its record.
unsafe extern "system" fn enumerate_physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: the caller gives an instance.
    let record = unsafe { &*ptr::from_ref::<Head>(head(instance)).cast::<dispatch::Instance>() };
    let physical = vk::PhysicalDevice::from_raw(&raw const record.physical as u64);
    // SAFETY: the caller gives pointers to write.
    unsafe { give(std::iter::once(physical), count, out) }
}

/// Defines functions that write the result of a method of the world.
macro_rules! getters {
    ($($name:ident($out:ty) $world:ident => $value:expr;)*) => {$(
        unsafe extern "system" fn $name(physical: vk::PhysicalDevice, out: *mut $out) {
            // SAFETY: the caller gives a physical device, and a struct to write.
            let ($world, out) = unsafe { (world(physical, stringify!($name)), &mut *out) };
            *out = $value;
        }
    )*};
}

getters! {
    get_features(vk::PhysicalDeviceFeatures) world => world.core_features();
    get_properties(vk::PhysicalDeviceProperties) world => world.properties();
    get_memory_properties(vk::PhysicalDeviceMemoryProperties) world => world.memory_properties();
}

unsafe extern "system" fn get_features2(physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures2<'_>) {
    // SAFETY: the caller gives a physical device, and a chain to write.
    unsafe {
        let world = world(physical, "vkGetPhysicalDeviceFeatures2");
        (*out).features = world.core_features();
        world.fill_features((*out).p_next);
    }
}

unsafe extern "system" fn get_properties2(physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties2<'_>) {
    // SAFETY: the caller gives a physical device, and a chain to write.
    unsafe {
        let world = world(physical, "vkGetPhysicalDeviceProperties2");
        (*out).properties = world.properties();
        world.fill_properties((*out).p_next);
    }
}

unsafe extern "system" fn get_memory_properties2(
    physical: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties2<'_>,
) {
    // SAFETY: the caller gives a physical device, and a chain to write.
    unsafe {
        let world = world(physical, "vkGetPhysicalDeviceMemoryProperties2");
        (*out).memory_properties = world.memory_properties();
        world.fill_budget((*out).p_next);
    }
}

unsafe extern "system" fn get_format_properties(
    physical: vk::PhysicalDevice,
    format: vk::Format,
    out: *mut vk::FormatProperties,
) {
    // SAFETY: the caller gives a physical device, and a struct to write.
    unsafe { *out = world(physical, "vkGetPhysicalDeviceFormatProperties").format_properties(format) };
}

unsafe extern "system" fn get_format_properties2(
    physical: vk::PhysicalDevice,
    format: vk::Format,
    out: *mut vk::FormatProperties2<'_>,
) {
    // SAFETY: the caller gives a physical device, and a struct to write, whose chain has at most structs for more properties.
    unsafe {
        let properties = world(physical, "vkGetPhysicalDeviceFormatProperties2").format_properties(format);
        (*out).format_properties = properties;
        let mut chain = (*out).p_next.cast::<vk::BaseOutStructure<'_>>();
        while !chain.is_null() {
            if (*chain).s_type == vk::StructureType::FORMAT_PROPERTIES_3 {
                let more = &mut *chain.cast::<vk::FormatProperties3<'_>>();
                // The old flags have the same bits in the new type.
                let wide = |flags: vk::FormatFeatureFlags| vk::FormatFeatureFlags2::from_raw(flags.as_raw().into());
                more.linear_tiling_features = wide(properties.linear_tiling_features);
                more.optimal_tiling_features = wide(properties.optimal_tiling_features);
                more.buffer_features = wide(properties.buffer_features);
            }
            chain = (*chain).p_next;
        }
    }
}

unsafe extern "system" fn get_image_format_properties(
    physical: vk::PhysicalDevice,
    format: vk::Format,
    ty: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    _: vk::ImageCreateFlags,
    out: *mut vk::ImageFormatProperties,
) -> vk::Result {
    // SAFETY: the caller gives a physical device, and a struct to write.
    let (world, out) = unsafe { (world(physical, "vkGetPhysicalDeviceImageFormatProperties"), &mut *out) };
    let result = world.image_format_properties(format, ty, tiling, usage);
    *out = result.unwrap_or_default();
    result.err().unwrap_or(vk::Result::SUCCESS)
}

unsafe extern "system" fn get_image_format_properties2(
    physical: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
    out: *mut vk::ImageFormatProperties2<'_>,
) -> vk::Result {
    // SAFETY: the caller gives a physical device, a valid struct, and a struct to write.
    unsafe {
        let (info, out) = (&*info, &raw mut (*out).image_format_properties);
        get_image_format_properties(physical, info.format, info.ty, info.tiling, info.usage, info.flags, out)
    }
}

fn family() -> vk::QueueFamilyProperties {
    vk::QueueFamilyProperties {
        queue_flags: vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
        queue_count: 1,
        timestamp_valid_bits: 64,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    }
}

unsafe extern "system" fn get_queue_family_properties(
    _: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties,
) {
    // SAFETY: the caller gives pointers to write.
    let _ = unsafe { give(std::iter::once(family()), count, out) };
}

unsafe extern "system" fn get_queue_family_properties2(
    _: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties2<'_>,
) {
    // SAFETY: the caller gives pointers to write.
    unsafe {
        if out.is_null() || *count == 0 {
            *count = u32::from(out.is_null());
            return;
        }
        *count = 1;
        (*out).queue_family_properties = family();
    }
}

unsafe extern "system" fn enumerate_device_extension_properties(
    physical: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    if !layer.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    // SAFETY: the caller gives a physical device.
    let names = unsafe { world(physical, "vkEnumerateDeviceExtensionProperties") }.extensions();
    // SAFETY: the caller gives pointers to write.
    unsafe { give(names.iter().map(extension), count, out) }
}

unsafe extern "system" fn enumerate_device_layer_properties(
    _: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: the caller gives pointers to write.
    unsafe { give(std::iter::empty(), count, out) }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller gives a physical device, a valid struct, and a device to write.
    let (world, instance, info, out) =
        unsafe { (world(physical, "vkCreateDevice"), head(physical).key(), &*info, &mut *out) };
    *out = vk::Device::null();
    // SAFETY: the caller gives valid arrays and chains.
    let (enabled, checked) = unsafe {
        let enabled = names(info.pp_enabled_extension_names, info.enabled_extension_count);
        let checked = world.check_enabled(info, &enabled);
        (enabled, checked)
    };
    if let Err(result) = checked {
        return result;
    }
    let mut state = world.lock();
    state.objects.count_made(vk::ObjectType::DEVICE);
    *out = vk::Device::from_raw(state.records.add_device(world, instance, enabled).as_ptr() as u64);
    vk::Result::SUCCESS
}
