// SPDX-License-Identifier: MIT

//! Keeps the messages of a messenger beyond the life of the device that they are about.

use ash::vk;
use std::ffi::{c_void, CStr};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A messenger that keeps messages and forwards them.
pub(super) struct Listener {
    messages: Mutex<Vec<String>>,
    callback: vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    user: *mut c_void,
}

// SAFETY: the pointer is only passed to the callback that belongs to it, as Vulkan does.
unsafe impl Send for Listener {}
// SAFETY: as above.
unsafe impl Sync for Listener {}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("messages", &self.messages).finish_non_exhaustive()
    }
}

impl Listener {
    /// A listener that forwards to the messenger of `info`.
    pub(super) fn new(info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Arc<Listener> {
        Arc::new(Listener { messages: Mutex::default(), callback: info.pfn_user_callback, user: info.p_user_data })
    }

    /// `info` with this messenger instead of its own. It must live as long as the instance.
    pub(super) fn info<'a>(
        self: &Arc<Self>,
        info: &vk::DebugUtilsMessengerCreateInfoEXT<'a>,
    ) -> vk::DebugUtilsMessengerCreateInfoEXT<'a> {
        vk::DebugUtilsMessengerCreateInfoEXT {
            pfn_user_callback: Some(hear),
            p_user_data: Arc::as_ptr(self).cast_mut().cast(),
            ..*info
        }
    }

    /// The messages since the last call.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

unsafe extern "system" fn hear(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the implementation gives valid data with a message that is a C string, and the pointer that it was given: a
    // listener that lives as long as the instance.
    unsafe {
        let listener = &*user.cast_const().cast::<Listener>();
        let message = CStr::from_ptr((*data).p_message).to_string_lossy().into_owned();
        listener.messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        listener.callback.map_or(vk::FALSE, |callback| callback(severity, types, data, listener.user))
    }
}
