//! A Vulkan device without a window, and what the validation layer says about its use.

mod dynamic;
mod features;
pub(crate) mod handle;
mod messages;
mod queue;

use crate::context::SharedSlot;
use crate::error::{Context, Error, ErrorKind, Result};
use crate::implementation::Implementation;
use ash::vk;
use features::{ContextFeatures, Features, InputFeatures, EXTENSIONS};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use ntv::target::{Feature, Target};
use std::collections::HashSet;
use std::ffi::{c_char, c_void, CStr, CString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use dynamic::{DynamicState, DynamicStates};
pub use features::Queries;
pub(crate) use queue::Queue;

/// Which device, and how to open it.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// A part of the device's name, such as `llvmpipe`; the first device if not given.
    pub name: Option<String>,
    /// Have the validation layer (VK_LAYER_KHRONOS_validation) look on; an error if it is not installed.
    pub validation: bool,
    /// Have the validation layer look for missing barriers too (synchronization validation).
    pub synchronization: bool,
    /// Have what lies beyond the end of a buffer read as 0 (robustBufferAccess2); an error if the device cannot.
    pub robust: bool,
    /// How long work may take.
    pub timeout: Duration,
    /// Features and extensions that are not used although the device may have them, by Vulkan's names: so that what is done on
    /// lesser devices can be tried on any. An error if a name is not one of [`Device::optional`].
    pub without: Vec<String>,
    /// The objects that the driver has for itself get names, for debuggers and for the log of the null implementation.
    pub names: bool,
    /// Which Vulkan: the installed one, if nothing else is said.
    pub implementation: Implementation,
}

impl Default for DeviceOptions {
    fn default() -> DeviceOptions {
        DeviceOptions {
            name: None,
            validation: false,
            synchronization: false,
            robust: false,
            timeout: Duration::from_secs(10),
            without: Vec::new(),
            names: false,
            implementation: Implementation::Loader,
        }
    }
}

/// An open device of a driver.
pub struct Device {
    pub(crate) logical: Arc<Logical>,
    is_cpu: bool,
    target: Target,
    name: String,
    driver: String,
    /// What its contexts share.
    pub(crate) shared: SharedSlot,
}

impl Device {
    /// Opens a device that has Vulkan 1.3.
    pub fn open(options: &DeviceOptions) -> Result<Device> {
        let instance = Instance::new(options)?;
        let (physical, properties) = choose(&instance.raw, options.name.as_deref())?;
        let mut extensions = extensions(&instance.raw, physical)?;
        if let Some(unknown) = options.without.iter().find(|name| !is_optional(name)) {
            return Err(Error::new(format!("no feature that can be left out is called `{unknown}`")));
        }
        extensions.retain(|name| !options.without.iter().any(|left| left.as_bytes() == name.as_bytes()));
        for (name, needed) in features::NEEDED {
            if !extensions.contains(*needed) {
                extensions.remove(*name);
            }
        }
        let mut features = Features::query(&instance.raw, physical, extensions);
        if !features.has_dynamic_rendering() {
            return Err(Error::new("the device has no dynamicRendering"));
        }
        features.set_robust(options.robust)?;
        let mut target = features.target(&properties.limits);
        for name in &options.without {
            if let Some(feature) = Feature::ALL.iter().find(|feature| feature.name() == name) {
                target.set(*feature, false);
            }
        }
        let driver = driver_name(&instance.raw, physical);
        let limits = properties.limits;
        let logical = Logical::new(instance, (physical, limits), &mut features, options)?;
        let is_cpu = properties.device_type == vk::PhysicalDeviceType::CPU;
        Ok(Device {
            logical: Arc::new(logical),
            is_cpu,
            target,
            name: device_name(&properties),
            driver,
            shared: SharedSlot::default(),
        })
    }

    /// What [`DeviceOptions::without`] may name: features of shaders, states that commands set, extensions.
    pub fn optional() -> impl Iterator<Item = &'static str> {
        let features = Feature::ALL.iter().map(|feature| feature.name());
        let states = DynamicState::ALL.iter().map(|state| state.feature());
        features.chain(states).chain(EXTENSIONS.iter().filter_map(|name| name.to_str().ok()))
    }

    /// The states that it takes from commands.
    pub fn dynamic_states(&self) -> DynamicStates {
        self.logical.dynamic
    }

    /// What a translation for this device may use.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether the driver runs shaders on the CPU.
    pub(crate) fn is_cpu(&self) -> bool {
        self.is_cpu
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The driver's name and version, such as `llvmpipe Mesa 22.3.6 (LLVM 15.0.6)`.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// What the device takes.
    pub fn limits(&self) -> &vk::PhysicalDeviceLimits {
        &self.logical.limits
    }

    /// What can be asked about a draw.
    pub fn queries(&self) -> Queries {
        self.logical.queries
    }

    /// What the validation layer said since it was last asked, without what it is known to be wrong about.
    pub fn take_messages(&self) -> Vec<String> {
        let Instance { messages, layer, .. } = &self.logical.instance;
        let mut said = std::mem::take(&mut *messages.lock().unwrap_or_else(PoisonError::into_inner));
        said.retain(|message| !messages::is_false_alarm(message, *layer, self.logical.dynamic));
        said
    }
}

/// What the timestamps of the queue are.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// How many of a timestamp's bits count; 0: there are none.
    valid_bits: u32,
    /// Nanoseconds from one number to the next.
    period: f32,
}

impl Clock {
    /// Whether there are timestamps.
    pub(crate) fn is_there(self) -> bool {
        self.valid_bits != 0
    }

    /// The time from one timestamp to a later one. The bits that count may have wrapped in between.
    pub(crate) fn between(self, start: u64, end: u64) -> Duration {
        let mask = u64::MAX >> (64 - self.valid_bits.clamp(1, 64));
        let ticks = end.wrapping_sub(start) & mask;
        Duration::from_nanos((ticks as f64 * f64::from(self.period)) as u64)
    }
}

/// The Vulkan objects of a device, alive as long as anything made by it.
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
    pub(crate) queries: Queries,
    pub(crate) input: InputFeatures,
    was_lost: AtomicBool,
    physical: vk::PhysicalDevice,
    /// Last, so that it is destroyed last.
    instance: Instance,
}

impl Logical {
    fn new(
        instance: Instance,
        (physical, limits): (vk::PhysicalDevice, vk::PhysicalDeviceLimits),
        features: &mut Features,
        options: &DeviceOptions,
    ) -> Result<Logical> {
        // SAFETY: `physical` is of this instance.
        let families = unsafe { instance.raw.get_physical_device_queue_family_properties(physical) };
        let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let family = families.iter().position(|family| family.queue_flags.contains(wanted));
        let queue_family = family.ok_or_else(|| Error::new("the device has no queue for graphics and compute"))? as u32;
        let valid_bits = families[queue_family as usize].timestamp_valid_bits;
        let clock = Clock { valid_bits, period: limits.timestamp_period };
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&[1.0])];
        let names: Vec<CString> = features.extensions.iter().cloned().collect();
        let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let (has_feedback, queries) = (features.has_feedback(), features.queries());
        let input = features.input();
        let mut chain = features.chain();
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut chain);
        // SAFETY: the queue family, the extensions and the features are those that the device said it has.
        let raw = unsafe { instance.raw.create_device(physical, &info, None) }.during("vkCreateDevice")?;
        let feedback = has_feedback.then(|| ash::ext::transform_feedback::Device::new(&instance.raw, &raw));
        let functions = Functions::new(&instance.raw, &raw, options.names);
        let dynamic = DynamicStates::query(features, &options.without);
        let (timeout, core, context) = (options.timeout, features.core, features.context());
        let queue = Queue::new(&raw, queue_family);
        let allocator = allocator(&instance.raw, &raw, physical);
        let (queue, allocator) = match (queue, allocator) {
            (Ok(queue), Ok(allocator)) => (queue, Mutex::new(Some(allocator))),
            (queue, allocator) => {
                let error = allocator.err();
                // SAFETY: nothing else of the device is left.
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
            queries,
            input,
            was_lost: AtomicBool::new(false),
            physical,
            instance,
        })
    }

    /// Does something with the allocator of memory.
    pub(crate) fn with_allocator<T>(&self, work: impl FnOnce(&mut Option<Allocator>) -> T) -> T {
        work(&mut self.allocator.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// An error if the device has no image like this.
    pub(crate) fn check_image(&self, info: &vk::ImageCreateInfo<'_>) -> Result<()> {
        let (format, ty, tiling) = (info.format, info.image_type, info.tiling);
        // SAFETY: the physical device is of this instance.
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

    /// Work did not end in time, or the driver gave up: nothing may be destroyed any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.instance.lost.load(Ordering::Relaxed)
    }

    /// The driver said that the device is lost: its objects can only be destroyed.
    pub(crate) fn note_lost(&self) {
        self.was_lost.store(true, Ordering::Relaxed);
    }

    /// After a wait that failed: sees to it that objects can be destroyed, or else that they are not.
    pub(crate) fn settle(&self, error: &Error) {
        match error.kind {
            ErrorKind::DeviceLost => self.note_lost(),
            ErrorKind::Timeout => self.lose(),
            // SAFETY: no other thread is at the queue meanwhile.
            _ => match self.queue.alone(|| unsafe { self.raw.device_wait_idle() }) {
                Ok(()) => {}
                Err(vk::Result::ERROR_DEVICE_LOST) => self.note_lost(),
                Err(_) => self.lose(),
            },
        }
    }

    /// Whether nothing works any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_lost() || self.was_lost.load(Ordering::Relaxed)
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
        // SAFETY: all objects of the device hold an `Arc` of this and are gone; all work was waited for.
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
    /// Those that the device has; it has others only where [`DynamicStates`] or an extension says so.
    fn new(instance: &ash::Instance, device: &ash::Device, names: bool) -> Functions {
        Functions {
            dynamic2: ash::ext::extended_dynamic_state2::Device::new(instance, device),
            dynamic3: ash::ext::extended_dynamic_state3::Device::new(instance, device),
            vertex_input: ash::ext::vertex_input_dynamic_state::Device::new(instance, device),
            names: names.then(|| ash::ext::debug_utils::Device::new(instance, device)),
        }
    }

    /// Gives an object a name, if names are wanted.
    pub(crate) fn name<H: vk::Handle>(&self, object: H, name: &CStr) {
        if let Some(names) = &self.names {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(name);
            // SAFETY: the object is of this device, and nobody else names it. A name that cannot be given is done without.
            let _ = unsafe { names.set_debug_utils_object_name(&info) };
        }
    }
}

/// An allocator of memory of `device`.
fn allocator(instance: &ash::Instance, device: &ash::Device, physical: vk::PhysicalDevice) -> Result<Allocator> {
    let mut debug_settings = gpu_allocator::AllocatorDebugSettings::default();
    debug_settings.log_leaks_on_shutdown = false;
    let description = AllocatorCreateDesc {
        instance: instance.clone(),
        device: device.clone(),
        physical_device: physical,
        debug_settings,
        buffer_device_address: false,
        allocation_sizes: gpu_allocator::AllocationSizes::default(),
    };
    Allocator::new(&description).map_err(|error| Error::new(format!("no allocator of memory: {error}")))
}

/// Whether [`DeviceOptions::without`] may name it.
fn is_optional(name: &str) -> bool {
    Device::optional().any(|known| known == name)
}

/// An instance with the listener of its validation layer.
struct Instance {
    raw: ash::Instance,
    debug: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Boxed, because the layer has its address.
    messages: Box<Mutex<Vec<String>>>,
    /// The version of Vulkan that the validation layer knows; 0 if it does not look on.
    layer: u32,
    lost: AtomicBool,
    /// The loaded library, which `raw` calls.
    _entry: ash::Entry,
}

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

impl Instance {
    fn new(options: &DeviceOptions) -> Result<Instance> {
        let DeviceOptions { validation, synchronization, .. } = *options;
        let opened = options.implementation.open()?;
        let entry = opened.entry.clone();
        let application = vk::ApplicationInfo::default().application_name(c"ntv").api_version(vk::API_VERSION_1_3);
        let (mut layers, mut extensions) = (vec![], vec![]);
        let layer = if validation { require_layer(&entry)? } else { 0 };
        if validation {
            layers.push(LAYER.as_ptr());
        }
        if validation || options.names {
            extensions.push(vk::EXT_DEBUG_UTILS_NAME.as_ptr());
        }
        if synchronization {
            if !validation {
                return Err(Error::new("synchronization is looked at by the validation layer, which is not wanted"));
            }
            extensions.push(vk::EXT_VALIDATION_FEATURES_NAME.as_ptr());
        }
        let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut more = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions);
        let info = if synchronization { info.push_next(&mut more) } else { info };
        // SAFETY: all that `info` points to outlives the call.
        let raw = unsafe { entry.create_instance(&info, None) }.during("vkCreateInstance")?;
        let messages = Box::new(Mutex::new(Vec::new()));
        let lost = AtomicBool::new(false);
        let mut instance = Instance { raw, debug: None, messages, layer, lost, _entry: entry };
        if validation {
            instance.listen()?;
        }
        Ok(instance)
    }

    /// Collects what the validation layer says.
    fn listen(&mut self) -> Result<()> {
        use vk::{DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Kind};
        let messages: *const Mutex<Vec<String>> = &*self.messages;
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(Severity::WARNING | Severity::ERROR)
            .message_type(Kind::VALIDATION)
            .pfn_user_callback(Some(collect))
            .user_data(messages.cast_mut().cast());
        let debug = ash::ext::debug_utils::Instance::new(&self._entry, &self.raw);
        // SAFETY: `messages` is valid until the messenger is destroyed, and `collect` expects it.
        let messenger = unsafe { debug.create_debug_utils_messenger(&info, None) };
        self.debug = Some((debug, messenger.during("vkCreateDebugUtilsMessengerEXT")?));
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if self.lost.load(Ordering::Relaxed) {
            // The driver's threads may still run: the listener must stay.
            std::mem::forget(std::mem::take(&mut self.messages));
            return;
        }
        if let Some((debug, messenger)) = &self.debug {
            // SAFETY: made by this instance, destroyed here only.
            unsafe { debug.destroy_debug_utils_messenger(*messenger, None) }
        }
        // SAFETY: the device, the only object of the instance that is left, is destroyed before it.
        unsafe { self.raw.destroy_instance(None) }
    }
}

/// The version of Vulkan that the validation layer knows; fails if it is not installed.
fn require_layer(entry: &ash::Entry) -> Result<u32> {
    // SAFETY: no requirements.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.during("vkEnumerateInstanceLayerProperties")?;
    let found = layers.iter().find(|layer| layer.layer_name_as_c_str() == Ok(LAYER));
    let missing = || Error::new("no validation layer: install vulkan-validationlayers");
    found.map(|layer| layer.spec_version).ok_or_else(missing)
}

/// What the validation layer calls.
///
/// # Safety
/// `user` points to the `Mutex` that [`Instance::listen`] gave.
unsafe extern "system" fn collect(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer gives valid data with a message that is a C string, and the pointer that `listen` gave.
    let (message, messages) =
        unsafe { (CStr::from_ptr((*data).p_message), &*user.cast_const().cast::<Mutex<Vec<String>>>()) };
    let message = message.to_string_lossy().into_owned();
    messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    vk::FALSE
}

/// The first device with Vulkan 1.3 whose name contains `name`.
fn choose(instance: &ash::Instance, name: Option<&str>) -> Result<(vk::PhysicalDevice, vk::PhysicalDeviceProperties)> {
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.enumerate_physical_devices() }.during("vkEnumeratePhysicalDevices")?;
    let mut names = Vec::new();
    for device in devices {
        // SAFETY: `device` is of this instance.
        let properties = unsafe { instance.get_physical_device_properties(device) };
        let own = device_name(&properties);
        if properties.api_version >= vk::API_VERSION_1_3 && name.is_none_or(|name| own.contains(name)) {
            return Ok((device, properties));
        }
        names.push(own);
    }
    let wanted = name.map_or(String::new(), |name| format!(" called {name}"));
    Err(Error::new(format!("no device{wanted} with Vulkan 1.3 (found: [{}])", names.join(", "))))
}

fn device_name(properties: &vk::PhysicalDeviceProperties) -> String {
    properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned()
}

fn driver_name(instance: &ash::Instance, physical: vk::PhysicalDevice) -> String {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the struct in the chain is of Vulkan 1.2.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    let names = [driver.driver_name_as_c_str(), driver.driver_info_as_c_str()];
    names.map(|name| name.unwrap_or_default().to_string_lossy()).join(" ")
}

/// The extensions of `physical` that are of use here.
fn extensions(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<HashSet<CString>> {
    // SAFETY: `physical` is of this instance.
    let all = unsafe { instance.enumerate_device_extension_properties(physical) };
    let all = all.during("vkEnumerateDeviceExtensionProperties")?;
    let names = all.iter().filter_map(|extension| extension.extension_name_as_c_str().ok());
    Ok(names.filter(|name| EXTENSIONS.contains(name)).map(CStr::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_wrap() {
        let clock = Clock { valid_bits: 36, period: 2.0 };
        assert_eq!(clock.between(100, 150), Duration::from_nanos(100));
        assert_eq!(clock.between((1 << 36) - 10, 5), Duration::from_nanos(30));
        let clock = Clock { valid_bits: 64, period: 1.0 };
        assert_eq!(clock.between(u64::MAX, 4), Duration::from_nanos(5));
        assert!(!Clock { valid_bits: 0, period: 1.0 }.is_there());
    }
}
