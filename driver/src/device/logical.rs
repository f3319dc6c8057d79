// SPDX-License-Identifier: MIT

//! The logical device: its queue, its memory, its functions, and its properties.

use super::clock::Clock;
use super::features::{ContextFeatures, Features, InputFeatures};
use super::instance::Instance;
use super::{DeviceOptions, DynamicStates, Queries, Queue};
use crate::error::{Context, Error, ErrorKind, Result};
use ash::vk;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use ntv::plan::Limits;
use std::ffi::{c_char, CStr, CString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The Vulkan objects of a device. They live as long as any object that the device created.
pub(crate) struct Logical {
    pub(crate) raw: ash::Device,
    pub(crate) queue: Queue,
    pub(crate) queue_family: u32,
    /// `None` when the device is about to be destroyed.
    allocator: Mutex<Option<Allocator>>,
    pub(crate) dynamic: DynamicStates,
    pub(crate) features: ContextFeatures,
    pub(crate) core: vk::PhysicalDeviceFeatures,
    pub(crate) functions: Functions,
    pub(crate) timeout: Duration,
    pub(crate) limits: vk::PhysicalDeviceLimits,
    pub(crate) clock: Clock,
    pub(crate) feedback: Option<ash::ext::transform_feedback::Device>,
    pub(crate) mesh: Option<ash::ext::mesh_shader::Device>,
    pub(crate) executables: Option<ash::khr::pipeline_executable_properties::Device>,
    pub(crate) queries: Queries,
    pub(crate) input: InputFeatures,
    /// Whether buffers have addresses.
    pub(crate) has_addresses: bool,
    was_lost: AtomicBool,
    physical: vk::PhysicalDevice,
    /// Last, so that it is destroyed last.
    instance: Instance,
}

impl Logical {
    pub(super) fn new(
        instance: Instance,
        (physical, limits): (vk::PhysicalDevice, vk::PhysicalDeviceLimits),
        features: &mut Features,
        options: &DeviceOptions,
    ) -> Result<Logical> {
        // SAFETY: `physical` belongs to this instance.
        let families = unsafe { instance.raw.get_physical_device_queue_family_properties(physical) };
        let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let family = families.iter().position(|family| family.queue_flags.contains(wanted));
        let queue_family = family.ok_or_else(|| Error::new("the device has no queue for graphics and compute"))? as u32;
        let valid_bits = families[queue_family as usize].timestamp_valid_bits;
        let clock = Clock { valid_bits, period: limits.timestamp_period };
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&[1.0])];
        let names: Vec<CString> = features.extensions.iter().cloned().collect();
        let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let (has_feedback, has_meshes, queries) = (features.has_feedback(), features.has_meshes(), features.queries());
        let has_executables = features.has_executables();
        let (input, has_addresses) = (features.input(), features.has_addresses());
        let mut chain = features.chain();
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut chain);
        // SAFETY: the device has reported the queue family, the extensions and the features.
        let raw = unsafe { instance.raw.create_device(physical, &info, None) }.during("vkCreateDevice")?;
        let feedback = has_feedback.then(|| ash::ext::transform_feedback::Device::new(&instance.raw, &raw));
        let mesh = has_meshes.then(|| ash::ext::mesh_shader::Device::new(&instance.raw, &raw));
        let executables =
            has_executables.then(|| ash::khr::pipeline_executable_properties::Device::new(&instance.raw, &raw));
        let functions = Functions::new(&instance.raw, &raw, options.names);
        let dynamic = DynamicStates::query(features, &options.without);
        let (timeout, core, mut context) = (options.timeout, features.core, features.context());
        context.timeline &= !options.only_compiles;
        let queue = Queue::new(&raw, queue_family, context.timeline);
        let allocator = allocator(&instance.raw, &raw, physical, has_addresses);
        let (queue, allocator) = match (queue, allocator) {
            (Ok(queue), Ok(allocator)) => (queue, Mutex::new(Some(allocator))),
            (queue, allocator) => {
                let error = allocator.err();
                // SAFETY: no other objects of the device exist.
                unsafe {
                    if let Ok(queue) = &queue {
                        queue.destroy(&raw);
                    }
                    raw.destroy_device(None);
                }
                return Err(queue.err().or(error).unwrap_or_else(|| Error::new("no queue")));
            }
        };
        Ok(Logical {
            raw,
            queue,
            queue_family,
            allocator,
            dynamic,
            features: context,
            core,
            functions,
            timeout,
            limits,
            clock,
            feedback,
            mesh,
            executables,
            queries,
            input,
            has_addresses,
            was_lost: AtomicBool::new(false),
            physical,
            instance,
        })
    }

    /// The messages of the validation layer since the last call, without known false alarms.
    pub(super) fn take_messages(&self) -> Vec<String> {
        self.instance.take_messages(self.dynamic)
    }

    /// The limits of plans.
    pub(crate) fn plan_limits(&self) -> Limits {
        let limits = &self.limits;
        Limits {
            max_uniform_buffer_range: limits.max_uniform_buffer_range,
            max_storage_buffer_range: limits.max_storage_buffer_range,
            max_per_stage_descriptor_uniform_buffers: limits.max_per_stage_descriptor_uniform_buffers,
            max_per_stage_descriptor_storage_buffers: limits.max_per_stage_descriptor_storage_buffers,
            max_descriptor_set_uniform_buffers: limits.max_descriptor_set_uniform_buffers,
            max_descriptor_set_storage_buffers: limits.max_descriptor_set_storage_buffers,
            min_uniform_buffer_offset_alignment: limits.min_uniform_buffer_offset_alignment as u32,
            min_storage_buffer_offset_alignment: limits.min_storage_buffer_offset_alignment as u32,
            max_push_constants_size: limits.max_push_constants_size,
            robust_buffer_access: 0,
        }
    }

    /// Calls `work` with the memory allocator.
    pub(crate) fn with_allocator<T>(&self, work: impl FnOnce(&mut Option<Allocator>) -> T) -> T {
        work(&mut self.allocator.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// An error if the device does not support such an image.
    pub(crate) fn check_image(&self, info: &vk::ImageCreateInfo<'_>) -> Result<()> {
        let (format, ty, tiling) = (info.format, info.image_type, info.tiling);
        // SAFETY: the physical device belongs to this instance.
        let most = unsafe {
            let instance = &self.instance.raw;
            instance.get_physical_device_image_format_properties(
                self.physical,
                format,
                ty,
                tiling,
                info.usage,
                info.flags,
            )
        };
        let most = match most {
            Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED) => None,
            most => Some(most.during("vkGetPhysicalDeviceImageFormatProperties")?),
        };
        let has = most.is_some_and(|most| {
            most.sample_counts.contains(info.samples)
                && most.max_mip_levels >= info.mip_levels
                && most.max_array_layers >= info.array_layers
        });
        let message = || format!("the device has no images of {format:?} that are used as {:?}", info.usage);
        has.then_some(()).ok_or_else(|| Error::new(message()))
    }

    /// Whether work did not end in time, or the driver failed. Then no object may be destroyed any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.instance.lost.load(Ordering::Relaxed)
    }

    /// Records that the device is lost: its objects can only be destroyed.
    pub(crate) fn note_lost(&self) {
        self.was_lost.store(true, Ordering::Relaxed);
    }

    /// After a failed wait: ensures that objects can be destroyed, or prevents their destruction.
    pub(crate) fn settle(&self, error: &Error) {
        match error.kind {
            ErrorKind::DeviceLost => self.note_lost(),
            ErrorKind::Timeout => self.lose(),
            // SAFETY: no other thread uses the queue at the same time.
            _ => match self.queue.alone(|| unsafe { self.raw.device_wait_idle() }) {
                Ok(()) => {}
                Err(vk::Result::ERROR_DEVICE_LOST) => self.note_lost(),
                Err(_) => self.lose(),
            },
        }
    }

    /// Whether the device is unusable.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_lost() || self.was_lost.load(Ordering::Relaxed)
    }

    /// Returns an error if the device was lost: it is unusable then.
    pub(crate) fn check_lost(&self) -> Result<()> {
        match self.is_gone() {
            true => Err(Error::of_kind(ErrorKind::DeviceLost, "the device is lost")),
            false => Ok(()),
        }
    }

    pub(crate) fn lose(&self) {
        self.instance.lost.store(true, Ordering::Relaxed);
    }
}

impl Drop for Logical {
    fn drop(&mut self) {
        let allocator = self.with_allocator(Option::take);
        if self.is_lost() {
            std::mem::forget(allocator);
            return;
        }
        drop(allocator);
        // SAFETY: all objects of the device hold an `Arc` of this and are dropped; all work has ended.
        unsafe {
            self.queue.destroy(&self.raw);
            self.raw.destroy_device(None);
        }
    }
}

/// Functions of extensions that set state.
pub(crate) struct Functions {
    pub(crate) dynamic2: ash::ext::extended_dynamic_state2::Device,
    pub(crate) dynamic3: ash::ext::extended_dynamic_state3::Device,
    pub(crate) vertex_input: ash::ext::vertex_input_dynamic_state::Device,
    names: Option<ash::ext::debug_utils::Device>,
}

impl Functions {
    /// Loads the functions that the device has; [`DynamicStates`] or an extension says which may be called.
    fn new(instance: &ash::Instance, device: &ash::Device, names: bool) -> Functions {
        Functions {
            dynamic2: ash::ext::extended_dynamic_state2::Device::new(instance, device),
            dynamic3: ash::ext::extended_dynamic_state3::Device::new(instance, device),
            vertex_input: ash::ext::vertex_input_dynamic_state::Device::new(instance, device),
            names: names.then(|| ash::ext::debug_utils::Device::new(instance, device)),
        }
    }

    /// Gives an object a name, if names are enabled.
    pub(crate) fn name<H: vk::Handle>(&self, object: H, name: &CStr) {
        if let Some(names) = &self.names {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(name);
            // SAFETY: the object belongs to this device, and no other thread names it. The driver works without names, so errors
            // are ignored.
            let _ = unsafe { names.set_debug_utils_object_name(&info) };
        }
    }
}

/// A memory allocator of `device`.
fn allocator(
    instance: &ash::Instance,
    device: &ash::Device,
    physical: vk::PhysicalDevice,
    buffer_device_address: bool,
) -> Result<Allocator> {
    let mut debug_settings = gpu_allocator::AllocatorDebugSettings::default();
    debug_settings.log_leaks_on_shutdown = false;
    let description = AllocatorCreateDesc {
        instance: instance.clone(),
        device: device.clone(),
        physical_device: physical,
        debug_settings,
        buffer_device_address,
        allocation_sizes: gpu_allocator::AllocationSizes::default(),
    };
    Allocator::new(&description)
        .map_err(|error| Error::new(format!("creation of the memory allocator failed: {error}")))
}
