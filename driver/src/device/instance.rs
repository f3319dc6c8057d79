// SPDX-License-Identifier: MIT

//! The Vulkan instance, and the messages of its validation layer.

use super::messages::is_false_alarm;
use super::{DeviceOptions, DynamicStates};
use crate::error::{Context, Error, Result};
use ash::vk;
use std::ffi::{c_void, CStr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// An instance with the listener of its validation layer.
pub(super) struct Instance {
    pub(super) raw: ash::Instance,
    debug: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// Boxed, because the layer holds its address.
    messages: Box<Mutex<Vec<String>>>,
    /// The version of Vulkan that the validation layer supports; 0 if it is not enabled.
    layer: u32,
    pub(super) lost: AtomicBool,
    /// The loaded library, which `raw` calls.
    _entry: ash::Entry,
}

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

impl Instance {
    pub(super) fn new(options: &DeviceOptions) -> Result<Instance> {
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
                return Err(Error::new("synchronization validation needs the validation layer, which is not enabled"));
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

    /// The layer's messages about a device with the dynamic `states`, without known false alarms.
    pub(super) fn take_messages(&self, states: DynamicStates) -> Vec<String> {
        let mut said = std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner));
        said.retain(|message| !is_false_alarm(message, self.layer, states));
        said
    }

    /// Collects the messages of the validation layer.
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
            // The driver's threads may still run, so the listener must not be freed.
            std::mem::forget(std::mem::take(&mut self.messages));
            return;
        }
        if let Some((debug, messenger)) = &self.debug {
            // SAFETY: this instance created it, and only this code destroys it.
            unsafe { debug.destroy_debug_utils_messenger(*messenger, None) }
        }
        // SAFETY: the device, the last object of the instance, is destroyed before it.
        unsafe { self.raw.destroy_instance(None) }
    }
}

/// The version of Vulkan that the validation layer supports; fails if it is not installed.
fn require_layer(entry: &ash::Entry) -> Result<u32> {
    // SAFETY: no requirements.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.during("vkEnumerateInstanceLayerProperties")?;
    let found = layers.iter().find(|layer| layer.layer_name_as_c_str() == Ok(LAYER));
    let missing = || Error::new("no validation layer: install vulkan-validationlayers");
    found.map(|layer| layer.spec_version).ok_or_else(missing)
}

/// The callback of the validation layer.
///
/// # Safety
/// `user` points to the `Mutex` that [`Instance::listen`] passed.
unsafe extern "system" fn collect(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid data with a message that is a C string, and the pointer that `listen` passed.
    let (message, messages) =
        unsafe { (CStr::from_ptr((*data).p_message), &*user.cast_const().cast::<Mutex<Vec<String>>>()) };
    let message = message.to_string_lossy().into_owned();
    messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    vk::FALSE
}
