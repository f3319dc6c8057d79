//! Keeps what a messenger is told, beyond the life of the device that it is about.

use ash::vk;
use std::ffi::{c_void, CStr};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A messenger that keeps messages and hands them on.
pub(super) struct Listener {
    messages: Mutex<Vec<String>>,
    callback: vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    user: *mut c_void,
}

// SAFETY: the pointer is only handed on to the callback that came with it, as Vulkan does it.
unsafe impl Send for Listener {}
// SAFETY: as above.
unsafe impl Sync for Listener {}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("messages", &self.messages).finish_non_exhaustive()
    }
}

impl Listener {
    /// One before the messenger of `info`.
    pub(super) fn new(info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Arc<Listener> {
        Arc::new(Listener { messages: Mutex::default(), callback: info.pfn_user_callback, user: info.p_user_data })
    }

    /// `info` with this messenger. It must live as long as the instance.
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

    /// What was said since the last call.
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
    // SAFETY: the implementation gives valid data with a message that is a C string, and the pointer that it was given, which is that of a
    // listener that lives as long as the instance.
    unsafe {
        let listener = &*user.cast_const().cast::<Listener>();
        let message = CStr::from_ptr((*data).p_message).to_string_lossy().into_owned();
        listener.messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        listener.callback.map_or(vk::FALSE, |callback| callback(severity, types, data, listener.user))
    }
}
