// SPDX-License-Identifier: MIT

//! Dispatchable handles: each is a pointer to a record, whose head refers to its world.
//!
//! Records live until their world is dropped, so a destroyed handle can still be checked. The first word of a record is the same
//! for an instance and its physical device, and for a device, its queue and its command buffers: layers use it to find the owner
//! of a handle.

use crate::command::CommandBuffer;
use crate::World;
use ash::vk::Handle;
use std::collections::{HashSet, VecDeque};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// The head of every record.
#[repr(C)]
pub(crate) struct Head {
    /// The address of the instance's or the device's record.
    key: *const Head,
    magic: u64,
    world: *const World,
    alive: AtomicBool,
}

const MAGIC: u64 = 0x6e74_765f_6e75_6c6c;

impl Head {
    pub(crate) fn new(world: &World, key: *const Head) -> Head {
        Head { key, magic: MAGIC, world, alive: AtomicBool::new(true) }
    }

    pub(crate) fn world(&self) -> *const World {
        self.world
    }

    pub(crate) fn key(&self) -> *const Head {
        self.key
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Relaxed)
    }

    pub(crate) fn set_alive(&self, alive: bool) {
        self.alive.store(alive, Ordering::Relaxed);
    }
}

/// The head of the record of a dispatchable handle.
///
/// # Safety
/// A world that still exists created `handle`, or it is null.
pub(crate) unsafe fn head<'a, H: Handle>(handle: H) -> &'a Head {
    let record = handle.as_raw() as usize as *const Head;
    // SAFETY: the caller guarantees it; records live as long as their world.
    let head = unsafe { record.as_ref() }.filter(|head| head.magic == MAGIC);
    head.unwrap_or_else(|| panic!("a handle of {:?} that no world created", H::TYPE))
}

/// The world of a dispatchable handle; reports a message if the handle was destroyed.
///
/// # Safety
/// A world that still exists created `handle`.
pub(crate) unsafe fn world<'a, H: Handle>(handle: H, call: &str) -> &'a World {
    // SAFETY: the caller guarantees it.
    let head = unsafe { head(handle) };
    // SAFETY: the world exists as long as its records.
    let world = unsafe { &*head.world };
    if !head.is_alive() {
        world.lock().report(format!("{call}: the {:?} was destroyed", H::TYPE));
    }
    world
}

/// An instance with its physical device, whose handle is the address of the second head.
#[repr(C)]
pub(crate) struct Instance {
    pub(crate) head: Head,
    pub(crate) physical: Head,
}

/// A device with its queue, whose handle is the address of the second head.
#[repr(C)]
pub(crate) struct Device {
    pub(crate) head: Head,
    pub(crate) queue: Head,
    /// The instance's head, which identifies the instance if the device outlives it.
    pub(crate) instance: *const Head,
    /// The extensions that are enabled.
    pub(crate) enabled: HashSet<String>,
}

/// All records of a world.
#[derive(Default)]
pub(crate) struct Records {
    instances: Vec<NonNull<Instance>>,
    devices: Vec<NonNull<Device>>,
    buffers: Vec<NonNull<CommandBuffer>>,
    /// Records of command buffers that were freed.
    free: VecDeque<NonNull<CommandBuffer>>,
}

// SAFETY: the records are heap allocations that the world owns; they only point to the world.
unsafe impl Send for Records {}

impl Records {
    pub(crate) fn add_instance(&mut self, world: &World) -> NonNull<Instance> {
        let null = std::ptr::null();
        let record = Box::leak(Box::new(Instance { head: Head::new(world, null), physical: Head::new(world, null) }));
        record.head.key = &record.head;
        record.physical.key = &record.head;
        let record = NonNull::from(record);
        self.instances.push(record);
        record
    }

    pub(crate) fn add_device(
        &mut self,
        world: &World,
        instance: *const Head,
        enabled: HashSet<String>,
    ) -> NonNull<Device> {
        let null = std::ptr::null();
        let (head, queue) = (Head::new(world, null), Head::new(world, null));
        let record = Box::leak(Box::new(Device { head, queue, instance, enabled }));
        record.head.key = &record.head;
        record.queue.key = &record.head;
        let record = NonNull::from(record);
        self.devices.push(record);
        record
    }

    pub(crate) fn add_buffer(&mut self, make: impl FnOnce() -> CommandBuffer) -> NonNull<CommandBuffer> {
        // Free records are not reused immediately, like slots of objects.
        if self.free.len() > 64 {
            if let Some(mut record) = self.free.pop_front() {
                // SAFETY: the record belongs to this list, and only stale handles point to it.
                unsafe { *record.as_mut() = make() };
                return record;
            }
        }
        let record = NonNull::from(Box::leak(Box::new(make())));
        self.buffers.push(record);
        record
    }

    pub(crate) fn free_buffer(&mut self, record: NonNull<CommandBuffer>) {
        self.free.push_back(record);
    }

    /// The devices of an instance that are alive.
    pub(crate) fn devices_of(&self, instance: *const Head) -> usize {
        // SAFETY: records are freed only when the world is dropped.
        let of = |record: &&NonNull<Device>| unsafe {
            record.as_ref().instance == instance && record.as_ref().head.is_alive()
        };
        self.devices.iter().filter(of).count()
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        // SAFETY: each record was leaked from a box, once, and is in one list only (`free` refers to records of `buffers`).
        unsafe {
            self.instances.drain(..).for_each(|record| drop(Box::from_raw(record.as_ptr())));
            self.devices.drain(..).for_each(|record| drop(Box::from_raw(record.as_ptr())));
            self.buffers.drain(..).for_each(|record| drop(Box::from_raw(record.as_ptr())));
        }
    }
}

/// Keeps the world of an instance alive until the instance is destroyed.
pub(crate) fn keep(world: &Arc<World>) {
    let _ = Arc::into_raw(Arc::clone(world));
}

/// Reverts [`keep`].
///
/// # Safety
/// `keep` was called for this world, and `release` is called once for each call.
pub(crate) unsafe fn release(world: *const World) {
    // SAFETY: the pointer belongs to an `Arc` whose reference count `keep` increased.
    drop(unsafe { Arc::from_raw(world) });
}
