// SPDX-License-Identifier: MIT

//! The layer: maps a call to its instance or device, and to the next function.

use super::functions::find;
use super::Faults;
use ash::vk;
use ash::vk::Handle;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_char, CStr};
use std::marker::PhantomData;
use std::mem::transmute;
use std::sync::{Arc, PoisonError, RwLock};

/// A pointer to a function of any type.
pub(super) type Pointer = unsafe extern "system" fn();

/// A function that the layer intercepts.
pub(super) struct Function {
    pub(super) name: &'static CStr,
    pub(super) pointer: Pointer,
}

/// The source of the functions of an instance or a device.
#[derive(Clone, Copy)]
enum Source {
    /// An instance, or null before one exists.
    Instance(vk::PFN_vkGetInstanceProcAddr, vk::Instance),
    Device(vk::PFN_vkGetDeviceProcAddr, vk::Device),
}

/// The layer of an instance or a device.
#[derive(Clone)]
pub(super) struct Layer {
    pub(super) faults: Arc<Faults>,
    source: Source,
}

/// The layers of instances and devices, by the first word of their dispatchable objects. All objects of an instance or a device
/// have the same first word, because the loader guarantees it for its own layers.
static LAYERS: RwLock<Option<HashMap<usize, Layer>>> = RwLock::new(None);

thread_local! {
    static ENTERED: RefCell<Option<Layer>> = const { RefCell::new(None) };
}

/// While it lives, instances that this thread creates have a layer; see [`Faults::open`].
#[derive(Debug)]
pub struct Entered {
    /// It must be dropped on the same thread.
    _here: PhantomData<*const ()>,
}

impl Entered {
    /// Gives a layer with `faults` over `next` to the instances that this thread creates through [`entry`].
    pub(super) fn new(faults: &Arc<Faults>, next: &ash::Entry) -> Entered {
        let source = Source::Instance(next.static_fn().get_instance_proc_addr, vk::Instance::null());
        ENTERED.with_borrow_mut(|layer| {
            assert!(layer.is_none(), "an implementation that has faults cannot have more faults added");
            *layer = Some(Layer { faults: Arc::clone(faults), source });
        });
        Entered { _here: PhantomData }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        ENTERED.take();
    }
}

/// The functions of the layer of this thread; see [`Entered`].
pub(super) fn entry() -> ash::Entry {
    // SAFETY: the function returns functions with the signatures that Vulkan specifies, and they are never unloaded.
    unsafe { ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr }) }
}

/// The first word of a dispatchable object.
///
/// # Safety
/// `handle` is alive.
unsafe fn key<H: Handle>(handle: H) -> usize {
    // SAFETY: the caller guarantees that the handle is alive, and a dispatchable handle is a pointer.
    unsafe { *(handle.as_raw() as usize as *const usize) }
}

/// The layer of a dispatchable object, or for null, the layer of the next instance of this thread.
///
/// # Safety
/// `handle` is alive or null.
pub(super) unsafe fn layer<H: Handle + Copy>(handle: H) -> Option<Layer> {
    if handle.is_null() {
        return ENTERED.with_borrow(Option::clone);
    }
    let layers = LAYERS.read().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller guarantees it.
    layers.as_ref()?.get(&unsafe { key(handle) }).cloned()
}

impl Layer {
    /// The next function with this name.
    pub(super) fn next(&self, name: &CStr) -> Option<Pointer> {
        // SAFETY: the functions and handles are the implementation's; the name is a C string.
        unsafe {
            match self.source {
                Source::Instance(get, instance) => get(instance, name.as_ptr()),
                Source::Device(get, device) => get(device, name.as_ptr()),
            }
        }
    }

    /// Waits until the device has finished its work.
    pub(super) fn finish(&self) {
        if let (Source::Device(_, device), Some(wait)) = (self.source, self.next(c"vkDeviceWaitIdle")) {
            // SAFETY: the function's name gives its type; the device is alive, because a function of it was called.
            let _ = unsafe { transmute::<Pointer, vk::PFN_vkDeviceWaitIdle>(wait)(device) };
        }
    }

    /// Adds the layer of a new instance.
    ///
    /// # Safety
    /// The next implementation created the instance.
    pub(super) unsafe fn add_instance(&self, instance: vk::Instance) {
        if let Source::Instance(get, _) = self.source {
            let layer = Layer { source: Source::Instance(get, instance), ..self.clone() };
            // SAFETY: the caller guarantees it.
            unsafe { layer.add(instance) };
        }
    }

    /// Adds the layer of a new device.
    ///
    /// # Safety
    /// The next implementation created the device.
    pub(super) unsafe fn add_device(&self, device: vk::Device) {
        if let Some(get) = self.next(c"vkGetDeviceProcAddr") {
            // SAFETY: the function's name gives its type.
            let get = unsafe { transmute::<Pointer, vk::PFN_vkGetDeviceProcAddr>(get) };
            let layer = Layer { source: Source::Device(get, device), ..self.clone() };
            // SAFETY: the caller guarantees it.
            unsafe { layer.add(device) };
        }
    }

    /// Records that objects like `handle` belong to this layer.
    ///
    /// # Safety
    /// `handle` is alive.
    pub(super) unsafe fn add<H: Handle>(&self, handle: H) {
        let mut layers = LAYERS.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller guarantees it.
        layers.get_or_insert_default().insert(unsafe { key(handle) }, self.clone());
    }
}

/// Removes the layer of an instance or a device that is about to be destroyed, and returns it.
///
/// # Safety
/// `handle` is alive or null.
pub(super) unsafe fn remove<H: Handle + Copy>(handle: H) -> Option<Layer> {
    if handle.is_null() {
        return None;
    }
    let mut layers = LAYERS.write().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller guarantees it.
    layers.as_mut()?.remove(&unsafe { key(handle) })
}

/// The layer's function, if the next implementation has a function with this name.
fn wrap(layer: &Layer, name: &CStr) -> vk::PFN_vkVoidFunction {
    let next = layer.next(name)?;
    Some(find(name).unwrap_or(next))
}

/// `vkGetInstanceProcAddr`.
pub(super) unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller gives an instance or null, and a C string.
    unsafe { wrap(&layer(instance)?, CStr::from_ptr(name)) }
}

/// `vkGetDeviceProcAddr`.
pub(super) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller gives a device, and a C string.
    unsafe { wrap(&layer(device)?, CStr::from_ptr(name)) }
}
