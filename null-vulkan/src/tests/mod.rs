// SPDX-License-Identifier: MIT

//! Tests of the world alone, with the calls of a driver.

mod functions;
mod log;
mod normalize;
mod objects;
mod recorded;
mod work;

use crate::{Command, World, WorldOptions};
use ash::vk;
use std::ffi::CStr;
use std::sync::Arc;

/// A world with an instance and a device, which are destroyed at the end.
pub(crate) struct Bench {
    pub(crate) world: Arc<World>,
    pub(crate) instance: ash::Instance,
    pub(crate) device: ash::Device,
    pub(crate) queue: vk::Queue,
    pool: vk::CommandPool,
}

impl Bench {
    pub(crate) fn new(options: WorldOptions) -> Bench {
        Bench::with(options, &[])
    }

    /// A bench with some extensions.
    pub(crate) fn with(options: WorldOptions, extensions: &[&CStr]) -> Bench {
        let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let world = World::new(options);
        let (entry, entered) = world.open();
        // SAFETY: no features are enabled, and the structs are valid.
        unsafe {
            let instance = entry.create_instance(&vk::InstanceCreateInfo::default(), None).unwrap();
            drop(entered);
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
            let device = instance.create_device(physical, &info, None).unwrap();
            let queue = device.get_device_queue(0, 0);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
            Bench { world, instance, device, queue, pool }
        }
    }

    /// A buffer of `size` bytes, with mapped memory.
    pub(crate) fn buffer(&self, size: u64) -> (vk::Buffer, vk::DeviceMemory, *mut u8) {
        let info = vk::BufferCreateInfo::default().size(size).usage(vk::BufferUsageFlags::UNIFORM_BUFFER);
        let memory = vk::MemoryAllocateInfo::default().allocation_size(size);
        // SAFETY: the structs are valid.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).unwrap();
            let memory = self.device.allocate_memory(&memory, None).unwrap();
            self.device.bind_buffer_memory(buffer, memory, 0).unwrap();
            let data = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap();
            (buffer, memory, data.cast())
        }
    }

    pub(crate) fn free(&self, (buffer, memory, _): (vk::Buffer, vk::DeviceMemory, *mut u8)) {
        // SAFETY: both belong to this device.
        unsafe {
            self.device.destroy_buffer(buffer, None);
            self.device.free_memory(memory, None);
        }
    }

    /// A command buffer with the commands of `record`.
    pub(crate) fn record(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: the structs are valid.
        unsafe {
            let buffer = self.device.allocate_command_buffers(&info).unwrap()[0];
            self.device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).unwrap();
            record(&self.device, buffer);
            self.device.end_command_buffer(buffer).unwrap();
            buffer
        }
    }

    pub(crate) fn submit(&self, buffer: vk::CommandBuffer, fence: vk::Fence) {
        let buffers = [buffer];
        let info = vk::SubmitInfo::default().command_buffers(&buffers);
        // SAFETY: the structs are valid.
        unsafe { self.device.queue_submit(self.queue, &[info], fence) }.unwrap();
    }

    /// The log of the commands of `record`.
    pub(crate) fn log(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Vec<Command> {
        self.world.set_recording(true);
        self.submit(self.record(record), vk::Fence::null());
        self.world.set_recording(false);
        self.world.take_log()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // SAFETY: they are destroyed once.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
