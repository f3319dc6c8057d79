//! A layer over a Vulkan implementation in which a call fails: it runs out of memory, or the device is lost.
//!
//! A [`Faults`] has a plan: which call fails, and with what. It counts the calls that can fail so, which a test takes as the number of
//! its runs: it runs once without a fault, and then once for each call.
//!
//! ```
//! use ntv_driver::faults::{FaultPlan, Faults};
//! use ntv_driver::headless::{vk, Device, DeviceOptions};
//! use ntv_driver::null::{World, WorldOptions};
//! use ntv_driver::{ErrorKind, Implementation};
//!
//! let run = |plan: FaultPlan| {
//!     let (world, faults) = (World::new(WorldOptions::default()), Faults::new(plan));
//!     let implementation = Implementation::Null(world.clone()).with_faults(&faults);
//!     let result = Device::open(&DeviceOptions { implementation, ..DeviceOptions::default() });
//!     (result.map(drop), faults, world)
//! };
//! let plan = FaultPlan { result: vk::Result::ERROR_OUT_OF_HOST_MEMORY, ..FaultPlan::default() };
//! let (result, counted, _) = run(plan.clone());
//! assert!(result.is_ok());
//! for nth in 1..=counted.calls() {
//!     let (result, faults, world) = run(FaultPlan { nth, ..plan.clone() });
//!     let name = faults.failed().unwrap();
//!     assert_eq!(result.unwrap_err().kind, ErrorKind::OutOfMemory, "{name}");
//!     assert_eq!(world.live_objects(), [], "{name}");
//! }
//! ```
//!
//! - The call that fails is not passed on, and what it would write is null, as Vulkan asks ("Return Codes").
//! - Before a call says that the device is lost, the device finishes its work: on a real one that is lost, too, all work ends at some
//!   time, and what was submitted may be destroyed then.
//! - It works over any implementation: over [`null`](crate::null), where objects that leak are counted, and over the installed one, where
//!   the validation layer says what leaks.

mod functions;
mod layer;
mod listener;

use ash::vk;
use listener::Listener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use layer::{enter, entry, Entered};

/// Which call fails, and with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPlan {
    /// Only calls of this function count, such as `vkCreateBuffer`; any, if it is not given.
    pub function: Option<String>,
    /// Which of the calls fails that can fail with `result`, counted from 1; none if it is 0.
    pub nth: u64,
    /// What it gives: `VK_ERROR_OUT_OF_HOST_MEMORY`, `VK_ERROR_OUT_OF_DEVICE_MEMORY` or `VK_ERROR_DEVICE_LOST`. With another result, no
    /// call counts.
    pub result: vk::Result,
    /// All that come after fail as well.
    pub sticky: bool,
}

impl Default for FaultPlan {
    /// No call fails; those count that can run out of memory of the device.
    fn default() -> FaultPlan {
        FaultPlan { function: None, nth: 0, result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, sticky: false }
    }
}

/// A plan, and what came of it.
#[derive(Debug)]
pub struct Faults {
    plan: FaultPlan,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    calls: u64,
    failed: Option<&'static str>,
    listeners: Vec<Arc<Listener>>,
}

impl Faults {
    /// A plan of which nothing has come yet.
    pub fn new(plan: FaultPlan) -> Arc<Faults> {
        Arc::new(Faults { plan, state: Mutex::default() })
    }

    /// How many calls there were that could fail with the plan's result, of its function if it has one.
    pub fn calls(&self) -> u64 {
        self.lock().calls
    }

    /// The function whose call failed first.
    pub fn failed(&self) -> Option<&'static str> {
        self.lock().failed
    }

    /// What messengers of instances with this layer were told since the last call, up to the end of the instances: objects that outlive
    /// their device are among it.
    pub fn take_messages(&self) -> Vec<String> {
        self.lock().listeners.iter().flat_map(|listener| listener.take()).collect()
    }

    /// A messenger that is told what the one of `info` is, and keeps it.
    fn listen<'a>(&self, info: &vk::DebugUtilsMessengerCreateInfoEXT<'a>) -> vk::DebugUtilsMessengerCreateInfoEXT<'a> {
        let listener = Listener::new(info);
        let info = listener.info(info);
        self.lock().listeners.push(listener);
        info
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call of a function that can fail with `results`; what it gives if it fails.
    fn call(&self, name: &'static str, results: &[vk::Result]) -> Option<vk::Result> {
        let plan = &self.plan;
        if !results.contains(&plan.result) || plan.function.as_ref().is_some_and(|function| function != name) {
            return None;
        }
        let mut state = self.lock();
        state.calls += 1;
        let fails = plan.nth != 0 && (state.calls == plan.nth || plan.sticky && state.calls > plan.nth);
        if fails {
            state.failed.get_or_insert(name);
        }
        fails.then_some(plan.result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Implementation;

    const HOST: vk::Result = vk::Result::ERROR_OUT_OF_HOST_MEMORY;

    #[test]
    fn the_call_of_the_plan_fails() {
        let calls = |plan| {
            let faults = Faults::new(plan);
            let call = |name| faults.call(name, &[HOST]).is_some();
            (["vkA", "vkB", "vkA", "vkA"].map(call), faults.calls(), faults.failed())
        };
        let plan = FaultPlan { nth: 2, result: HOST, ..FaultPlan::default() };
        assert_eq!(calls(plan.clone()), ([false, true, false, false], 4, Some("vkB")));
        assert_eq!(calls(FaultPlan { sticky: true, ..plan.clone() }), ([false, true, true, true], 4, Some("vkB")));
        let of_one = FaultPlan { function: Some("vkA".into()), ..plan.clone() };
        assert_eq!(calls(of_one), ([false, false, true, false], 3, Some("vkA")));
        assert_eq!(calls(FaultPlan { nth: 0, ..plan.clone() }), ([false; 4], 4, None));
        assert_eq!(calls(FaultPlan { result: vk::Result::ERROR_DEVICE_LOST, ..plan }), ([false; 4], 0, None));
    }

    /// Without a message for what leaks, silence means nothing.
    #[test]
    fn what_outlives_its_device_is_heard_of() {
        let faults = Faults::new(FaultPlan::default());
        let opened = Implementation::Loader.with_faults(&faults).open().unwrap();
        let layers = [c"VK_LAYER_KHRONOS_validation".as_ptr()];
        let extensions = [vk::EXT_DEBUG_UTILS_NAME.as_ptr()];
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions);
        let listen = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        // SAFETY: the structs are valid; the fence is what Vulkan forbids.
        unsafe {
            let instance = opened.entry.create_instance(&info, None).expect("lavapipe with the validation layer");
            let debug = ash::ext::debug_utils::Instance::new(&opened.entry, &instance);
            let messenger = debug.create_debug_utils_messenger(&listen.pfn_user_callback(Some(deaf)), None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let device = instance.create_device(physical, &info, None).unwrap();
            device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
            device.destroy_device(None);
            debug.destroy_debug_utils_messenger(messenger, None);
            instance.destroy_instance(None);
        }
        let messages = faults.take_messages();
        assert!(messages.iter().any(|message| message.contains("VUID-vkDestroyDevice-device")), "{messages:?}");
    }

    unsafe extern "system" fn deaf(
        _: vk::DebugUtilsMessageSeverityFlagsEXT,
        _: vk::DebugUtilsMessageTypeFlagsEXT,
        _: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
        _: *mut std::ffi::c_void,
    ) -> vk::Bool32 {
        vk::FALSE
    }
}
