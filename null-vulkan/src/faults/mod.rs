// SPDX-License-Identifier: MIT

//! A layer over a Vulkan implementation in which a call fails: it runs out of memory, or the device is lost.
//!
//! A [`Faults`] has a plan: which call fails, and with which result. It counts the calls that can fail with this result. A test
//! runs once without a fault to get this number, and then once for each call.
//!
//! ```
//! use ash::vk;
//! use null_vulkan::faults::{FaultPlan, Faults};
//! use null_vulkan::{World, WorldOptions};
//!
//! /// The program under test: it must free everything if a call fails.
//! fn program(entry: &ash::Entry) -> Result<(), vk::Result> {
//!     // SAFETY: the structs are valid, and the instance is destroyed once.
//!     unsafe {
//!         let instance = entry.create_instance(&Default::default(), None)?;
//!         let devices = instance.enumerate_physical_devices();
//!         instance.destroy_instance(None);
//!         devices.map(drop)
//!     }
//! }
//!
//! let run = |plan: FaultPlan| {
//!     let (world, faults) = (World::new(WorldOptions::default()), Faults::new(plan));
//!     let (entry, _in_world) = world.open();
//!     let (entry, _with_faults) = faults.open(&entry);
//!     (program(&entry), faults, world)
//! };
//! let plan = FaultPlan { result: vk::Result::ERROR_OUT_OF_HOST_MEMORY, ..FaultPlan::default() };
//! let (result, counted, _) = run(plan.clone());
//! assert_eq!((result, counted.calls()), (Ok(()), 3));
//! for nth in 1..=counted.calls() {
//!     let (result, faults, world) = run(FaultPlan { nth, ..plan.clone() });
//!     let name = faults.failed().unwrap();
//!     assert_eq!(result, Err(plan.result), "{name}");
//!     assert_eq!(world.live_objects(), [], "{name}");
//! }
//! ```
//!
//! - The failing call is not passed on, and its outputs become null, as Vulkan requires ("Return Codes").
//! - Before a call reports that the device is lost, the device finishes its work: on a real device that is lost, all work also
//!   ends at some time, and the objects of submitted work may be destroyed then.
//! - It works over any implementation: over a [`World`](crate::World), where leaked objects are counted, and over the installed
//!   one, where the validation layer reports leaked objects.

mod functions;
mod layer;
mod listener;

use ash::vk;
use listener::Listener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use layer::Entered;

/// The call that fails, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPlan {
    /// The function whose calls count, such as `vkCreateBuffer`; `None` for all functions.
    pub function: Option<String>,
    /// The number of the failing call among the calls that can fail with `result`, counted from 1; 0 for no failure.
    pub nth: u64,
    /// The result: `VK_ERROR_OUT_OF_HOST_MEMORY`, `VK_ERROR_OUT_OF_DEVICE_MEMORY` or `VK_ERROR_DEVICE_LOST`. With another result,
    /// no call counts.
    pub result: vk::Result,
    /// Whether all later calls fail as well.
    pub sticky: bool,
}

impl Default for FaultPlan {
    /// No call fails; the calls that can run out of device memory count.
    fn default() -> FaultPlan {
        FaultPlan { function: None, nth: 0, result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, sticky: false }
    }
}

/// A plan, and its progress.
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
    /// A plan before the first call.
    pub fn new(plan: FaultPlan) -> Arc<Faults> {
        Arc::new(Faults { plan, state: Mutex::default() })
    }

    /// The functions of a layer over `next` in which calls fail by this plan, and a value: while it lives, instances that this
    /// thread creates with the functions have the layer.
    ///
    /// # Panics
    /// This thread has such a value already: there is one layer of this kind, and it cannot be over itself.
    #[must_use]
    pub fn open(self: &Arc<Faults>, next: &ash::Entry) -> (ash::Entry, Entered) {
        let entered = Entered::new(self, next);
        (layer::entry(), entered)
    }

    /// The number of calls that could fail with the plan's result, of the plan's function if it has one.
    pub fn calls(&self) -> u64 {
        self.lock().calls
    }

    /// The function whose call failed first.
    pub fn failed(&self) -> Option<&'static str> {
        self.lock().failed
    }

    /// The messages to messengers of instances with this layer since the last call, up to the end of the instances. They include
    /// messages about objects that outlive their device.
    pub fn take_messages(&self) -> Vec<String> {
        self.lock().listeners.iter().flat_map(|listener| listener.take()).collect()
    }

    /// A messenger that keeps the messages and forwards them to the messenger of `info`.
    fn listen<'a>(&self, info: &vk::DebugUtilsMessengerCreateInfoEXT<'a>) -> vk::DebugUtilsMessengerCreateInfoEXT<'a> {
        let listener = Listener::new(info);
        let info = listener.info(info);
        self.lock().listeners.push(listener);
        info
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call of a function that can fail with `results`; returns the result if it fails.
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
    use crate::{World, WorldOptions};

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

    #[test]
    #[should_panic = "cannot have more faults"]
    fn faults_are_not_over_faults() {
        let (entry, _in_world) = World::new(WorldOptions::default()).open();
        let (entry, _with_faults) = Faults::new(FaultPlan::default()).open(&entry);
        let _ = Faults::new(FaultPlan::default()).open(&entry);
    }

    /// Without a message for a leaked object, an empty list of messages would prove nothing.
    #[test]
    fn objects_that_outlive_their_device_are_reported() {
        let faults = Faults::new(FaultPlan::default());
        // SAFETY: the loader's initialisation has no requirements on its caller.
        let loader = unsafe { ash::Entry::load() }.expect("a Vulkan loader");
        let (entry, _entered) = faults.open(&loader);
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
        // SAFETY: the structs are valid; only the leaked fence is invalid use.
        unsafe {
            let instance = entry.create_instance(&info, None).expect("lavapipe with the validation layer");
            let debug = ash::ext::debug_utils::Instance::new(&entry, &instance);
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
