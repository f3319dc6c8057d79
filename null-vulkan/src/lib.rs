// SPDX-License-Identifier: MIT

//! A Vulkan implementation in this process that computes nothing, for tests of programs that use Vulkan and for measurements of
//! their CPU time. No device, driver or loader is needed.
//!
//! A [`World`] is one such implementation with its devices and their objects. Worlds are independent, so tests that run in
//! parallel each have their own:
//!
//! ```
//! use ash::vk;
//! use null_vulkan::{World, WorldOptions};
//!
//! let world = World::new(WorldOptions::default());
//! let (entry, entered) = world.open(); // Instances that this thread creates now belong to the world.
//! let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
//! let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
//! // SAFETY: the structs are valid, and all but the fence is destroyed in order.
//! unsafe {
//!     let instance = entry.create_instance(&Default::default(), None)?;
//!     drop(entered);
//!     let physical = instance.enumerate_physical_devices()?[0];
//!     let device = instance.create_device(physical, &info, None)?;
//!     device.create_fence(&Default::default(), None)?;
//!     device.destroy_device(None);
//!     instance.destroy_instance(None);
//! }
//! assert_eq!(world.take_messages(), ["vkDestroyDevice: 1 FENCE were not destroyed"]);
//! # Ok::<(), vk::Result>(())
//! ```
//!
//! A program takes its first functions from an `ash::Entry`. Its tests give it that of a world, and with
//! [`Faults`](faults::Faults) between the two, they make each call of Vulkan fail once: see [`faults`].
//!
//! - Objects have state: memory can be mapped, fences and semaphores have states, pools have limits, and every object is counted
//!   ([`World::live_objects`]). Draws and dispatches do nothing; other commands that copy or fill buffers, or that are about
//!   queries and events, take effect when their submission completes.
//! - A submission completes immediately, or as late as [`WorldOptions::lag`] allows.
//! - Invalid use of handles is a message ([`World::take_messages`]): handles of destroyed objects, of other worlds, of other
//!   types; objects that are destroyed while a submission uses them; objects that outlive their device. It is not a validation
//!   layer: it checks nothing else, and a dispatchable handle that no world created is a crash.
//! - Submitted commands can be recorded ([`World::set_recording`], [`World::take_log`]). The log names objects by their contents,
//!   so that the logs of two runs can be compared: pipelines by all of their state, samplers, views and layouts by their create
//!   infos, descriptor sets by their descriptors, buffers and images by their debug names or otherwise by the order of creation;
//!   see also [`BY_CONTENT`]. [`normalize`] removes redundant commands.
//! - Without [`WorldOptions::checks`], a command costs a few nanoseconds: it is only counted.

mod command;
mod descriptor;
mod device;
mod dispatch;
mod encode;
pub mod faults;
mod features;
mod formats;
mod instance;
mod memory;
mod normalize;
mod object;
mod pipeline;
mod properties;
mod query;
mod queue;
mod resource;
mod table;
#[cfg(test)]
mod tests;

use ash::vk;
use object::{BadHandle, Object, Objects};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

pub use command::Command;
pub use encode::BY_CONTENT;
pub use normalize::{first_difference, normalize, Action, ActionKind, StateKey};

/// The properties of a world's device.
#[derive(Clone, Debug)]
pub struct WorldOptions {
    /// The device's name.
    pub name: String,
    /// Whether handles are checked, contents of descriptor sets are kept, and commands can be recorded and take effect. Otherwise
    /// commands are only counted, and queries are always available.
    pub checks: bool,
    /// The missing features, by their names in Vulkan (`geometryShader`), and extensions (`VK_EXT_transform_feedback`).
    pub without: Vec<String>,
    /// The missing formats.
    pub without_formats: Vec<vk::Format>,
    /// A function that changes the device's limits.
    pub limits: Option<fn(&mut vk::PhysicalDeviceLimits)>,
    /// The number of submissions that stay incomplete until another submission or a wait. Premature destruction is only detected
    /// if it is not 0.
    pub lag: usize,
    /// The size of each of the two memory heaps in bytes.
    pub heap: u64,
}

impl Default for WorldOptions {
    fn default() -> WorldOptions {
        WorldOptions {
            name: "ntv null device".into(),
            checks: true,
            without: Vec::new(),
            without_formats: Vec::new(),
            limits: None,
            lag: 0,
            heap: 4 << 30,
        }
    }
}

impl WorldOptions {
    /// A device that lacks the features and extensions `names`.
    pub fn without(names: &[&str]) -> WorldOptions {
        WorldOptions { without: names.iter().map(|name| (*name).to_owned()).collect(), ..WorldOptions::default() }
    }

    /// A device for measurements: commands are only counted.
    pub fn unchecked() -> WorldOptions {
        WorldOptions { checks: false, ..WorldOptions::default() }
    }
}

/// A Vulkan implementation that computes nothing, with all of its objects.
pub struct World {
    options: WorldOptions,
    state: Mutex<State>,
    /// Notified when a fence, a semaphore or an event changes.
    changed: Condvar,
    /// The number of recordings of each command in command buffers that were ended.
    commands: Box<[AtomicU64]>,
}

/// The mutable state of a world.
struct State {
    objects: Objects,
    checks: bool,
    messages: Vec<String>,
    recording: bool,
    log: Vec<Command>,
    queue: queue::Queue,
    records: dispatch::Records,
    memory: memory::Heaps,
    /// The number of threads that wait for a change.
    waiting: usize,
}

/// The maximum number of messages that are kept.
const MESSAGES: usize = 1000;

impl State {
    fn report(&mut self, message: impl Into<String>) {
        if self.messages.len() < MESSAGES {
            self.messages.push(message.into());
        }
    }

    /// The data of `handle`; reports a message if it is invalid.
    fn get<T: Object>(&mut self, handle: T, call: &str) -> Option<&mut T::Data> {
        if let Err(bad) = self.objects.get(handle) {
            self.bad(call, T::TYPE, bad);
            return None;
        }
        self.objects.get_mut(handle).ok()
    }

    fn bad(&mut self, call: &str, kind: vk::ObjectType, bad: BadHandle) {
        self.report(format!("{call}: {} as {kind:?}", bad.text()));
    }

    /// Destroys `handle`, which may be null.
    fn destroy<T: Object>(&mut self, handle: T, call: &str) -> Option<Box<T::Data>> {
        let name = self.objects.name(T::TYPE, handle.as_raw()).map(str::to_owned);
        match self.objects.remove(handle) {
            Ok((data, pending)) => {
                if pending > 0 {
                    let name = name.map_or(String::new(), |name| format!(" '{name}'"));
                    self.report(format!("{call}: an incomplete submission uses the {:?}{name}", T::TYPE));
                }
                return Some(data);
            }
            Err(BadHandle::Null) => {}
            Err(bad) => self.bad(call, T::TYPE, bad),
        }
        None
    }
}

impl World {
    /// A world without instances.
    pub fn new(options: WorldOptions) -> Arc<World> {
        static NUMBERS: AtomicU16 = AtomicU16::new(1);
        let state = State {
            objects: Objects::new(NUMBERS.fetch_add(1, Ordering::Relaxed)),
            checks: options.checks,
            messages: Vec::new(),
            recording: false,
            log: Vec::new(),
            queue: queue::Queue::new(options.lag),
            records: dispatch::Records::default(),
            memory: memory::Heaps::new(options.heap),
            waiting: 0,
        };
        let commands = (0..command::COUNT).map(|_| AtomicU64::new(0)).collect();
        Arc::new(World { options, state: Mutex::new(state), changed: Condvar::new(), commands })
    }

    /// The functions of this implementation, and a value: while it lives, instances that this thread creates with the functions
    /// belong to this world.
    #[must_use]
    pub fn open(self: &Arc<World>) -> (ash::Entry, Entered) {
        ENTERED.with_borrow_mut(|worlds| worlds.push(Arc::clone(self)));
        let get_instance_proc_addr = table::get_instance_proc_addr;
        // SAFETY: the function returns functions with the signatures that Vulkan specifies, and they are never unloaded.
        let entry = unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr }) };
        (entry, Entered { _here: std::marker::PhantomData })
    }

    /// The properties of the device.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// The number of live objects by type, including dispatchable ones; types without objects are left out. Queues and physical
    /// devices are not counted.
    pub fn live_objects(&self) -> Vec<(vk::ObjectType, u64)> {
        let alive = |(kind, count): (vk::ObjectType, object::Count)| (kind, count.made - count.destroyed);
        let counts = self.lock().objects.counts();
        counts.into_iter().map(alive).filter(|(_, alive)| *alive != 0).collect()
    }

    /// The number of objects of a type that were created so far.
    pub fn made_objects(&self, kind: vk::ObjectType) -> u64 {
        self.lock().objects.counts().get(&kind).map_or(0, |count| count.made)
    }

    /// The number of recordings of each command in command buffers that were ended; commands with none are left out.
    pub fn recorded_commands(&self) -> BTreeMap<&'static str, u64> {
        let counts = self.commands.iter().map(|count| count.load(Ordering::Relaxed));
        command::names().zip(counts).filter(|(_, count)| *count != 0).collect()
    }

    /// The messages since the last call; at most a thousand.
    pub fn take_messages(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().messages)
    }

    /// Sets whether the commands of submissions are appended to the log. Without [`WorldOptions::checks`], they never are.
    pub fn set_recording(&self, recording: bool) {
        self.lock().recording = recording;
    }

    /// The commands that were submitted since the last call.
    pub fn take_log(&self) -> Vec<Command> {
        std::mem::take(&mut self.lock().log)
    }

    /// The description of a number that represents an object in the log.
    pub fn describe(&self, number: u64) -> String {
        self.lock().objects.describe(number)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes threads that wait for a change.
    fn wake(&self, state: &State) {
        // A notification is a system call even if no thread waits.
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn lacks(&self, name: &str) -> bool {
        self.options.without.iter().any(|without| without == name)
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("options", &self.options).finish_non_exhaustive()
    }
}

thread_local! {
    static ENTERED: RefCell<Vec<Arc<World>>> = const { RefCell::new(Vec::new()) };
}

/// The world that this thread has entered.
fn current() -> Option<Arc<World>> {
    ENTERED.with_borrow(|worlds| worlds.last().cloned())
}

/// While it lives, instances that this thread creates belong to one world; see [`World::open`].
#[derive(Debug)]
pub struct Entered {
    /// It must be dropped on the same thread.
    _here: std::marker::PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        ENTERED.with_borrow_mut(|worlds| worlds.pop());
    }
}
