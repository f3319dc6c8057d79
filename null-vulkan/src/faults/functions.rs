// SPDX-License-Identifier: MIT

//! The functions of the layer: all functions that can run out of memory or lose the device, and the functions that create and
//! destroy its instances and devices.

use super::layer::{get_device_proc_addr, get_instance_proc_addr, layer, remove, Function, Layer, Pointer};
use ash::vk::{self, *};
use std::ffi::{c_char, c_void, CStr};
use std::mem::transmute;

const HOST: &[vk::Result] = &[vk::Result::ERROR_OUT_OF_HOST_MEMORY];
const DEVICE: &[vk::Result] = &[vk::Result::ERROR_OUT_OF_DEVICE_MEMORY];
const MEMORY: &[vk::Result] = &[vk::Result::ERROR_OUT_OF_HOST_MEMORY, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY];
const LOST: &[vk::Result] =
    &[vk::Result::ERROR_OUT_OF_HOST_MEMORY, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, vk::Result::ERROR_DEVICE_LOST];

/// A function's name: the name of its pointer type without the prefix.
const fn name(pfn: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(pfn.as_bytes().split_at("PFN_".len()).1) {
        Ok(name) => name,
        Err(_) => panic!("a name ends with the only zero"),
    }
}

/// A function whose name gives its type.
macro_rules! function {
    ($pfn:ident, $function:expr) => {
        Function {
            name: name(concat!(stringify!($pfn), "\0")),
            // SAFETY: pointers to functions have one size; callers cast it back to the type that its name gives.
            pointer: unsafe { transmute::<$pfn, Pointer>($function) },
        }
    };
}

/// Functions that can fail, one row each: the arguments, `by` the argument that finds the layer, the errors with which it
/// `fails`, the output that becomes null on failure, and the code to run `then` on success.
macro_rules! fallible {
    ($($pfn:ident($($arg:ident: $ty:ty),* $(,)?) by $by:tt $(:: $more:ident ())? fails $errors:ident
        $(null $out:ident[$count:expr])? $(then |$layer:ident| $then:expr)?;)*) => {
        &[$({
            unsafe extern "system" fn call($($arg: $ty),*) -> vk::Result {
                const NAME: &CStr = name(concat!(stringify!($pfn), "\0"));
                // SAFETY: the caller meets the requirements of the function, which are those of the next one.
                unsafe {
                    let Some(layer) = layer($by $(:: $more ())?) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
                    if let Some(result) = fault(&layer, NAME, $errors) {
                        $(set_null($out, $count);)?
                        return result;
                    }
                    let Some(next) = layer.next(NAME) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
                    let result = transmute::<Pointer, $pfn>(next)($($arg),*);
                    $(if result == vk::Result::SUCCESS {
                        let $layer = layer;
                        $then;
                    })?
                    result
                }
            }
            function!($pfn, call)
        }),*]
    };
}

/// Functions that create an object from a struct.
macro_rules! creates {
    ($($pfn:ident($info:ident, $object:ident);)*) => {
        fallible! {$(
            $pfn(device: Device, info: *const $info<'_>, allocator: *const AllocationCallbacks<'_>, out: *mut $object)
                by device fails MEMORY null out[1];
        )*}
    };
}

/// The error with which a call fails, if it fails.
fn fault(layer: &Layer, name: &'static CStr, errors: &[vk::Result]) -> Option<vk::Result> {
    let result = layer.faults.call(name.to_str().unwrap_or_default(), errors);
    if result == Some(vk::Result::ERROR_DEVICE_LOST) {
        layer.finish();
    }
    result
}

/// Makes outputs null.
///
/// # Safety
/// `out` has room for `count` values, which are pointers or handles.
unsafe fn set_null<T>(out: *mut T, count: u32) {
    // SAFETY: the caller guarantees it.
    unsafe { out.write_bytes(0, count as usize) };
}

/// Records that physical devices belong to the layer of their instance.
///
/// # Safety
/// `devices` has `count` elements, or is null.
unsafe fn add_physical_devices(layer: &Layer, count: u32, devices: *mut PhysicalDevice) {
    if devices.is_null() {
        return;
    }
    for i in 0..count as usize {
        // SAFETY: the caller guarantees it.
        unsafe { layer.add(*devices.add(i)) };
    }
}

unsafe extern "system" fn destroy_instance(instance: Instance, allocator: *const AllocationCallbacks<'_>) {
    // SAFETY: the caller gives an instance or null; the function's name gives its type.
    unsafe {
        let layer = remove(instance);
        if let Some(next) = layer.and_then(|layer| layer.next(c"vkDestroyInstance")) {
            transmute::<Pointer, PFN_vkDestroyInstance>(next)(instance, allocator);
        }
    }
}

unsafe extern "system" fn destroy_device(device: Device, allocator: *const AllocationCallbacks<'_>) {
    // SAFETY: the caller gives a device or null; the function's name gives its type.
    unsafe {
        let layer = remove(device);
        if let Some(next) = layer.and_then(|layer| layer.next(c"vkDestroyDevice")) {
            transmute::<Pointer, PFN_vkDestroyDevice>(next)(device, allocator);
        }
    }
}

/// Creates a messenger whose messages are also kept.
unsafe extern "system" fn create_messenger(
    instance: Instance,
    info: *const DebugUtilsMessengerCreateInfoEXT<'_>,
    allocator: *const AllocationCallbacks<'_>,
    out: *mut DebugUtilsMessengerEXT,
) -> vk::Result {
    // SAFETY: the caller gives an instance, a valid struct, and a handle to write; the function's name gives its type.
    unsafe {
        let failed = vk::Result::ERROR_INITIALIZATION_FAILED;
        let Some(layer) = layer(instance) else { return failed };
        let name = c"vkCreateDebugUtilsMessengerEXT";
        if let Some(result) = fault(&layer, name, HOST) {
            set_null(out, 1);
            return result;
        }
        let Some(next) = layer.next(name) else { return failed };
        let info = layer.faults.listen(&*info);
        transmute::<Pointer, PFN_vkCreateDebugUtilsMessengerEXT>(next)(instance, &info, allocator, out)
    }
}

/// Finds a function of the layer by name.
pub(super) fn find(name: &CStr) -> Option<Pointer> {
    let all = [PLAIN, CREATES, OTHERS].into_iter().flatten();
    all.into_iter().find(|function| function.name == name).map(|function| function.pointer)
}

const PLAIN: &[Function] = &[
    function!(PFN_vkGetInstanceProcAddr, get_instance_proc_addr),
    function!(PFN_vkGetDeviceProcAddr, get_device_proc_addr),
    function!(PFN_vkDestroyInstance, destroy_instance),
    function!(PFN_vkCreateDebugUtilsMessengerEXT, create_messenger),
    function!(PFN_vkDestroyDevice, destroy_device),
];

const CREATES: &[Function] = creates! {
    PFN_vkCreateFence(FenceCreateInfo, Fence);
    PFN_vkCreateSemaphore(SemaphoreCreateInfo, Semaphore);
    PFN_vkCreateEvent(EventCreateInfo, Event);
    PFN_vkCreateQueryPool(QueryPoolCreateInfo, QueryPool);
    PFN_vkCreateBuffer(BufferCreateInfo, Buffer);
    PFN_vkCreateBufferView(BufferViewCreateInfo, BufferView);
    PFN_vkCreateImage(ImageCreateInfo, Image);
    PFN_vkCreateImageView(ImageViewCreateInfo, ImageView);
    PFN_vkCreateShaderModule(ShaderModuleCreateInfo, ShaderModule);
    PFN_vkCreatePipelineCache(PipelineCacheCreateInfo, PipelineCache);
    PFN_vkCreatePipelineLayout(PipelineLayoutCreateInfo, PipelineLayout);
    PFN_vkCreateSampler(SamplerCreateInfo, Sampler);
    PFN_vkCreateDescriptorSetLayout(DescriptorSetLayoutCreateInfo, DescriptorSetLayout);
    PFN_vkCreateDescriptorPool(DescriptorPoolCreateInfo, DescriptorPool);
    PFN_vkCreateFramebuffer(FramebufferCreateInfo, Framebuffer);
    PFN_vkCreateRenderPass(RenderPassCreateInfo, RenderPass);
    PFN_vkCreateCommandPool(CommandPoolCreateInfo, CommandPool);
    PFN_vkCreateDescriptorUpdateTemplate(DescriptorUpdateTemplateCreateInfo, DescriptorUpdateTemplate);
};

const OTHERS: &[Function] = fallible! {
    PFN_vkEnumerateInstanceVersion(api_version: *mut u32)
        by Instance::null() fails HOST;
    PFN_vkEnumerateInstanceExtensionProperties(layer_name: *const c_char, count: *mut u32, properties: *mut ExtensionProperties)
        by Instance::null() fails MEMORY;
    PFN_vkEnumerateInstanceLayerProperties(count: *mut u32, properties: *mut LayerProperties)
        by Instance::null() fails MEMORY;
    PFN_vkCreateInstance(info: *const InstanceCreateInfo<'_>, allocator: *const AllocationCallbacks<'_>, instance: *mut Instance)
        by Instance::null() fails MEMORY null instance[1] then |layer| layer.add_instance(*instance);
    PFN_vkEnumeratePhysicalDevices(instance: Instance, count: *mut u32, devices: *mut PhysicalDevice)
        by instance fails MEMORY then |layer| add_physical_devices(&layer, *count, devices);
    PFN_vkEnumerateDeviceExtensionProperties(
        physical_device: PhysicalDevice, layer_name: *const c_char, count: *mut u32, properties: *mut ExtensionProperties,
    )
        by physical_device fails MEMORY;
    PFN_vkEnumerateDeviceLayerProperties(physical_device: PhysicalDevice, count: *mut u32, properties: *mut LayerProperties)
        by physical_device fails MEMORY;
    PFN_vkGetPhysicalDeviceImageFormatProperties(
        physical_device: PhysicalDevice, format: Format, ty: ImageType, tiling: ImageTiling, usage: ImageUsageFlags,
        flags: ImageCreateFlags, properties: *mut ImageFormatProperties,
    )
        by physical_device fails MEMORY;
    PFN_vkGetPhysicalDeviceImageFormatProperties2(
        physical_device: PhysicalDevice, info: *const PhysicalDeviceImageFormatInfo2<'_>,
        properties: *mut ImageFormatProperties2<'_>,
    )
        by physical_device fails MEMORY;
    PFN_vkCreateDevice(
        physical_device: PhysicalDevice, info: *const DeviceCreateInfo<'_>, allocator: *const AllocationCallbacks<'_>,
        device: *mut Device,
    )
        by physical_device fails LOST null device[1] then |layer| layer.add_device(*device);
    PFN_vkSetDebugUtilsObjectNameEXT(device: Device, name_info: *const DebugUtilsObjectNameInfoEXT<'_>)
        by device fails MEMORY;
    PFN_vkQueueSubmit(queue: Queue, submit_count: u32, submits: *const SubmitInfo<'_>, fence: Fence)
        by queue fails LOST;
    PFN_vkQueueSubmit2(queue: Queue, submit_count: u32, submits: *const SubmitInfo2<'_>, fence: Fence)
        by queue fails LOST;
    PFN_vkQueueWaitIdle(queue: Queue)
        by queue fails LOST;
    PFN_vkDeviceWaitIdle(device: Device)
        by device fails LOST;
    PFN_vkAllocateMemory(
        device: Device, info: *const MemoryAllocateInfo<'_>, allocator: *const AllocationCallbacks<'_>,
        memory: *mut DeviceMemory,
    )
        by device fails MEMORY null memory[1];
    PFN_vkMapMemory(
        device: Device, memory: DeviceMemory, offset: DeviceSize, size: DeviceSize, flags: MemoryMapFlags,
        data: *mut *mut c_void,
    )
        by device fails MEMORY null data[1];
    PFN_vkFlushMappedMemoryRanges(device: Device, count: u32, ranges: *const MappedMemoryRange<'_>)
        by device fails MEMORY;
    PFN_vkInvalidateMappedMemoryRanges(device: Device, count: u32, ranges: *const MappedMemoryRange<'_>)
        by device fails MEMORY;
    PFN_vkBindBufferMemory(device: Device, buffer: Buffer, memory: DeviceMemory, memory_offset: DeviceSize)
        by device fails MEMORY;
    PFN_vkBindBufferMemory2(device: Device, count: u32, infos: *const BindBufferMemoryInfo<'_>)
        by device fails MEMORY;
    PFN_vkBindImageMemory(device: Device, image: Image, memory: DeviceMemory, memory_offset: DeviceSize)
        by device fails MEMORY;
    PFN_vkBindImageMemory2(device: Device, count: u32, infos: *const BindImageMemoryInfo<'_>)
        by device fails MEMORY;
    PFN_vkResetFences(device: Device, count: u32, fences: *const Fence)
        by device fails DEVICE;
    PFN_vkGetFenceStatus(device: Device, fence: Fence)
        by device fails LOST;
    PFN_vkWaitForFences(device: Device, count: u32, fences: *const Fence, wait_all: Bool32, timeout: u64)
        by device fails LOST;
    PFN_vkGetSemaphoreCounterValue(device: Device, semaphore: Semaphore, value: *mut u64)
        by device fails LOST;
    PFN_vkWaitSemaphores(device: Device, info: *const SemaphoreWaitInfo<'_>, timeout: u64)
        by device fails LOST;
    PFN_vkSignalSemaphore(device: Device, info: *const SemaphoreSignalInfo<'_>)
        by device fails MEMORY;
    PFN_vkGetEventStatus(device: Device, event: Event)
        by device fails LOST;
    PFN_vkSetEvent(device: Device, event: Event)
        by device fails MEMORY;
    PFN_vkResetEvent(device: Device, event: Event)
        by device fails DEVICE;
    PFN_vkGetQueryPoolResults(
        device: Device, query_pool: QueryPool, first_query: u32, query_count: u32, data_size: usize, data: *mut c_void,
        stride: DeviceSize, flags: QueryResultFlags,
    )
        by device fails LOST;
    PFN_vkGetPipelineCacheData(device: Device, cache: PipelineCache, size: *mut usize, data: *mut c_void)
        by device fails MEMORY;
    PFN_vkMergePipelineCaches(device: Device, dst_cache: PipelineCache, count: u32, src_caches: *const PipelineCache)
        by device fails MEMORY;
    PFN_vkCreateGraphicsPipelines(
        device: Device, cache: PipelineCache, count: u32, infos: *const GraphicsPipelineCreateInfo<'_>,
        allocator: *const AllocationCallbacks<'_>, pipelines: *mut Pipeline,
    )
        by device fails MEMORY null pipelines[count];
    PFN_vkCreateComputePipelines(
        device: Device, cache: PipelineCache, count: u32, infos: *const ComputePipelineCreateInfo<'_>,
        allocator: *const AllocationCallbacks<'_>, pipelines: *mut Pipeline,
    )
        by device fails MEMORY null pipelines[count];
    PFN_vkCreateRenderPass2(
        device: Device, info: *const RenderPassCreateInfo2<'_>, allocator: *const AllocationCallbacks<'_>,
        render_pass: *mut RenderPass,
    )
        by device fails MEMORY null render_pass[1];
    PFN_vkAllocateDescriptorSets(device: Device, info: *const DescriptorSetAllocateInfo<'_>, sets: *mut DescriptorSet)
        by device fails MEMORY null sets[(*info).descriptor_set_count];
    PFN_vkAllocateCommandBuffers(device: Device, info: *const CommandBufferAllocateInfo<'_>, buffers: *mut CommandBuffer)
        by device fails MEMORY null buffers[(*info).command_buffer_count];
    PFN_vkResetCommandPool(device: Device, command_pool: CommandPool, flags: CommandPoolResetFlags)
        by device fails DEVICE;
    PFN_vkBeginCommandBuffer(command_buffer: CommandBuffer, info: *const CommandBufferBeginInfo<'_>)
        by command_buffer fails MEMORY;
    PFN_vkEndCommandBuffer(command_buffer: CommandBuffer)
        by command_buffer fails MEMORY;
    PFN_vkResetCommandBuffer(command_buffer: CommandBuffer, flags: CommandBufferResetFlags)
        by command_buffer fails DEVICE;
};
