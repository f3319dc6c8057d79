// SPDX-License-Identifier: MIT

//! A Vulkan device without a window, and the validation layer's messages about its use.
//!
//! | file | contents |
//! |-|-|
//! | `instance`, `messages` | the instance, the messages of the layer, and its false alarms |
//! | `logical`, `queue`, `clock` | the objects of an open device |
//! | `features`, `dynamic` | features of devices; dynamic states |
//! | `handle` | Vulkan objects that are destroyed when they are dropped |

mod clock;
mod dynamic;
mod features;
pub(crate) mod handle;
mod instance;
mod logical;
mod messages;
mod queue;

use crate::context::SharedSlot;
use crate::error::{Context, Error, Result};
use crate::implementation::Implementation;
use ash::vk;
use features::{Features, EXTENSIONS};
use instance::Instance;
use ntv::plan::Limits;
use ntv::target::{Feature, Target};
use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::time::Duration;

pub use dynamic::{DynamicState, DynamicStates};
pub use features::Queries;
pub(crate) use logical::Logical;
pub(crate) use queue::Queue;

/// The choice of a device, and the options to open it.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// A part of the device's name, such as `llvmpipe`; the first device if not given.
    pub name: Option<String>,
    /// Whether the validation layer (VK_LAYER_KHRONOS_validation) is enabled; an error if it is not installed.
    pub validation: bool,
    /// Whether the validation layer also checks for missing barriers (synchronization validation).
    pub synchronization: bool,
    /// Whether reads beyond the end of a buffer return 0 (robustBufferAccess2); an error if the device does not support it.
    pub robust: bool,
    /// The time limit of work.
    pub timeout: Duration,
    /// Features and extensions that are not used even if the device has them, by Vulkan's names. So behaviour on devices with
    /// fewer features can be tested on any device. An error if a name is not one of [`Device::optional`].
    pub without: Vec<String>,
    /// Whether the driver's internal objects get names, for debuggers and for logs of calls.
    pub names: bool,
    /// Whether the device only [compiles](Device::compile), and has no contexts: drivers without a device have no semaphores.
    pub only_compiles: bool,
    /// The Vulkan implementation; the installed one by default.
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
            only_compiles: false,
            implementation: Implementation::default(),
        }
    }
}

/// An open device.
pub struct Device {
    pub(crate) logical: Arc<Logical>,
    is_cpu: bool,
    has_memory_model: bool,
    target: Target,
    name: String,
    driver: String,
    /// The objects that its contexts share.
    pub(crate) shared: SharedSlot,
}

impl Device {
    /// Opens a device that has Vulkan 1.3.
    pub fn open(options: &DeviceOptions) -> Result<Device> {
        let instance = Instance::new(options)?;
        let (physical, properties) = choose(&instance.raw, options.name.as_deref())?;
        let mut extensions = extensions(&instance.raw, physical)?;
        if let Some(unknown) = options.without.iter().find(|name| !is_optional(name)) {
            return Err(Error::new(format!("`{unknown}` is not the name of an optional feature")));
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
            has_memory_model: features.has_memory_model(),
            target,
            name: device_name(&properties),
            driver,
            shared: SharedSlot::default(),
        })
    }

    /// The names that [`DeviceOptions::without`] accepts: features of shaders, dynamic states, extensions.
    pub fn optional() -> impl Iterator<Item = &'static str> {
        let features = Feature::ALL.iter().map(|feature| feature.name());
        let states = DynamicState::ALL.iter().map(|state| state.feature());
        features.chain(states).chain(EXTENSIONS.iter().filter_map(|name| name.to_str().ok()))
    }

    /// The optional dynamic states that it supports.
    pub fn dynamic_states(&self) -> DynamicStates {
        self.logical.dynamic
    }

    /// The target of translations for this device.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether it has Vulkan's memory model, with the scope of the device. Its [`target`](Device::target) does not use it.
    pub fn has_memory_model(&self) -> bool {
        self.has_memory_model
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

    /// The limits of the device.
    pub fn limits(&self) -> &vk::PhysicalDeviceLimits {
        &self.logical.limits
    }

    /// The limits of plans for this device, without robust access to buffers.
    pub fn plan_limits(&self) -> Limits {
        self.logical.plan_limits()
    }

    /// The queries that draws may have.
    pub fn queries(&self) -> Queries {
        self.logical.queries
    }

    /// The messages of the validation layer since the last call, without known false alarms.
    pub fn take_messages(&self) -> Vec<String> {
        self.logical.take_messages()
    }
}

/// The first device with Vulkan 1.3 whose name contains `name`.
fn choose(instance: &ash::Instance, name: Option<&str>) -> Result<(vk::PhysicalDevice, vk::PhysicalDeviceProperties)> {
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.enumerate_physical_devices() }.during("vkEnumeratePhysicalDevices")?;
    let mut names = Vec::new();
    for device in devices {
        // SAFETY: `device` belongs to this instance.
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

/// The extensions of `physical` that the driver uses.
fn extensions(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<HashSet<CString>> {
    // SAFETY: `physical` belongs to this instance.
    let all = unsafe { instance.enumerate_device_extension_properties(physical) };
    let all = all.during("vkEnumerateDeviceExtensionProperties")?;
    let names = all.iter().filter_map(|extension| extension.extension_name_as_c_str().ok());
    Ok(names.filter(|name| EXTENSIONS.contains(name)).map(CStr::to_owned).collect())
}

/// Whether [`DeviceOptions::without`] accepts the name.
fn is_optional(name: &str) -> bool {
    Device::optional().any(|known| known == name)
}
