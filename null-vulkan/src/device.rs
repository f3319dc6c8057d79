// SPDX-License-Identifier: MIT

//! Functions of the device, debug names, and the common functions of all device objects.

use crate::dispatch::{self, head, world, Head};
use crate::object::{Content, Object};
use crate::table::{self, functions, Function};
use crate::State;
use ash::vk;
use ash::vk::Handle;
use std::ffi::CStr;
use std::ptr;

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkGetDeviceProcAddr = table::get_device_proc_addr;
    PFN_vkDestroyDevice = destroy_device;
    PFN_vkGetDeviceQueue = get_device_queue;
    PFN_vkGetDeviceQueue2 = get_device_queue2;
    PFN_vkSetDebugUtilsObjectNameEXT = set_debug_utils_object_name;
    PFN_vkSetDebugUtilsObjectTagEXT = set_debug_utils_object_tag;
    PFN_vkCreateDebugUtilsMessengerEXT = create_messenger;
    PFN_vkDestroyDebugUtilsMessengerEXT = destroy_messenger;
};

/// An object that is created from a struct.
pub(crate) trait Create: Object {
    type Info<'a>;

    /// The name in the log and the data of the object.
    ///
    /// # Safety
    /// `info` is valid.
    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, Self::Data), vk::Result>;

    /// Destroys the data of the object.
    fn destroyed(_state: &mut State, _data: Self::Data) {}
}

/// `vkCreate...` of all objects.
pub(crate) unsafe extern "system" fn create<T: Create>(
    device: vk::Device,
    info: *const T::Info<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut T,
) -> vk::Result {
    // SAFETY: the caller gives a device, a valid struct, and a handle to write.
    let (world, info, out) = unsafe { (world(device, "vkCreate..."), &*info, &mut *out) };
    *out = T::from_raw(0);
    let mut state = world.lock();
    // SAFETY: as above.
    match unsafe { T::create(&mut state, info) } {
        Ok((content, data)) => {
            *out = state.objects.add(content, data);
            vk::Result::SUCCESS
        }
        Err(result) => result,
    }
}

/// `vkDestroy...` of all objects.
pub(crate) unsafe extern "system" fn destroy<T: Create>(
    device: vk::Device,
    handle: T,
    _: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, "vkDestroy...") }.lock();
    if let Some(data) = state.destroy(handle, "vkDestroy...") {
        T::destroyed(&mut state, *data);
    }
}

unsafe extern "system" fn destroy_device(device: vk::Device, _: *const vk::AllocationCallbacks<'_>) {
    if device == vk::Device::null() {
        return;
    }
    // SAFETY: the caller gives a device.
    let (head, world) = unsafe { (head(device), world(device, "vkDestroyDevice")) };
    if !head.is_alive() {
        return;
    }
    head.set_alive(false);
    let mut state = world.lock();
    if state.complete_all() {
        state.report("vkDestroyDevice: a submission is not complete");
    }
    state.objects.count_destroyed(vk::ObjectType::DEVICE);
    let outlive = [vk::ObjectType::INSTANCE, vk::ObjectType::DEVICE, vk::ObjectType::DEBUG_UTILS_MESSENGER_EXT];
    for (kind, count) in state.objects.counts() {
        let alive = count.made - count.destroyed;
        if alive > 0 && !outlive.contains(&kind) {
            state.report(format!("vkDestroyDevice: {alive} {kind:?} were not destroyed"));
        }
    }
}

unsafe extern "system" fn get_device_queue(device: vk::Device, family: u32, index: u32, out: *mut vk::Queue) {
    // SAFETY: the caller gives a device, and a queue to write.
    let (world, record, out) = unsafe {
        let record = ptr::from_ref::<Head>(head(device)).cast::<dispatch::Device>();
        (world(device, "vkGetDeviceQueue"), record, &mut *out)
    };
    *out = vk::Queue::null();
    if (family, index) != (0, 0) {
        return world.lock().report(format!("vkGetDeviceQueue: family {family} has no queue {index}"));
    }
    // SAFETY: the head of a device is the first field of its record.
    *out = vk::Queue::from_raw(unsafe { &raw const (*record).queue } as u64);
}

unsafe extern "system" fn get_device_queue2(
    device: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    out: *mut vk::Queue,
) {
    // SAFETY: the caller gives a device, a valid struct, and a queue to write.
    unsafe { get_device_queue(device, (*info).queue_family_index, (*info).queue_index, out) };
}

unsafe extern "system" fn set_debug_utils_object_name(
    device: vk::Device,
    info: *const vk::DebugUtilsObjectNameInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: the caller gives a device and a valid struct.
    let (world, info) = unsafe { (world(device, "vkSetDebugUtilsObjectNameEXT"), &*info) };
    // SAFETY: the name is a C string or null.
    let name = (!info.p_object_name.is_null()).then(|| unsafe { CStr::from_ptr(info.p_object_name) });
    let name = name.map(|name| name.to_string_lossy().into_owned()).filter(|name| !name.is_empty());
    let dispatchable = [
        vk::ObjectType::INSTANCE,
        vk::ObjectType::PHYSICAL_DEVICE,
        vk::ObjectType::DEVICE,
        vk::ObjectType::QUEUE,
        vk::ObjectType::COMMAND_BUFFER,
    ];
    if !dispatchable.contains(&info.object_type) {
        let mut state = world.lock();
        if let Err(bad) = state.objects.set_name(info.object_type, info.object_handle, name) {
            state.bad("vkSetDebugUtilsObjectNameEXT", info.object_type, bad);
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn set_debug_utils_object_tag(
    _: vk::Device,
    _: *const vk::DebugUtilsObjectTagInfoEXT<'_>,
) -> vk::Result {
    vk::Result::SUCCESS
}

impl Object for vk::DebugUtilsMessengerEXT {
    type Data = ();
}

unsafe extern "system" fn create_messenger(
    instance: vk::Instance,
    _: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DebugUtilsMessengerEXT,
) -> vk::Result {
    // SAFETY: the caller gives an instance, and a messenger to write.
    unsafe { *out = world(instance, "vkCreateDebugUtilsMessengerEXT").lock().objects.add(Content::Order, ()) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_messenger(
    instance: vk::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    _: *const vk::AllocationCallbacks<'_>,
) {
    let call = "vkDestroyDebugUtilsMessengerEXT";
    // SAFETY: the caller gives an instance.
    unsafe { world(instance, call) }.lock().destroy(messenger, call);
}
