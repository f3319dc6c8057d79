// SPDX-License-Identifier: MIT

//! The Vulkan implementation that the driver runs on: the installed one, or one of the program.

use crate::error::{Error, Result};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A Vulkan implementation. The default is the one that the loader, libvulkan.so.1, finds.
///
/// Tests open devices over one that computes nothing, and make each call fail once:
///
/// ```
/// use ntv_driver::device::{Device, DeviceOptions};
/// use ntv_driver::{vk, ErrorKind, Implementation};
/// use null_vulkan::faults::{FaultPlan, Faults};
/// use null_vulkan::{World, WorldOptions};
/// use std::sync::Arc;
///
/// let run = |plan: FaultPlan| {
///     let (world, faults) = (World::new(WorldOptions::default()), Faults::new(plan));
///     let (below, layer) = (Arc::clone(&world), Arc::clone(&faults));
///     let implementation = Implementation::new(move || below.open()).with_layer(move |next| layer.open(next));
///     let result = Device::open(&DeviceOptions { implementation, ..DeviceOptions::default() });
///     (result.map(drop), faults, world)
/// };
/// let plan = FaultPlan { result: vk::Result::ERROR_OUT_OF_HOST_MEMORY, ..FaultPlan::default() };
/// let (result, counted, _) = run(plan.clone());
/// assert!(result.is_ok());
/// for nth in 1..=counted.calls() {
///     let (result, faults, world) = run(FaultPlan { nth, ..plan.clone() });
///     let name = faults.failed().unwrap();
///     assert_eq!(result.unwrap_err().kind, ErrorKind::OutOfMemory, "{name}");
///     assert_eq!(world.live_objects(), [], "{name}");
/// }
/// ```
#[derive(Clone)]
pub struct Implementation(Arc<dyn Fn() -> Result<Opened> + Send + Sync>);

/// The functions of an implementation. While it lives, instances that this thread creates belong to that implementation.
pub(crate) struct Opened {
    pub(crate) entry: ash::Entry,
    _kept: Vec<Box<dyn Any>>,
}

impl Default for Implementation {
    fn default() -> Implementation {
        Implementation(Arc::new(|| Ok(Opened { entry: load()?, _kept: Vec::new() })))
    }
}

impl Implementation {
    /// The implementation whose functions `open` returns. The driver calls it to create an instance, and drops the value beside
    /// the functions when the instance is created, on the same thread.
    pub fn new<T: 'static>(open: impl Fn() -> (ash::Entry, T) + Send + Sync + 'static) -> Implementation {
        Implementation(Arc::new(move || {
            let (entry, kept) = open();
            Ok(Opened { entry, _kept: vec![Box::new(kept)] })
        }))
    }

    /// This implementation with a layer over it. `open` gets the functions of this one, and returns those of the layer, as in
    /// [`new`](Implementation::new).
    pub fn with_layer<T: 'static>(
        self,
        open: impl Fn(&ash::Entry) -> (ash::Entry, T) + Send + Sync + 'static,
    ) -> Implementation {
        Implementation(Arc::new(move || {
            let mut opened = self.open()?;
            let (entry, kept) = open(&opened.entry);
            opened.entry = entry;
            opened._kept.push(Box::new(kept));
            Ok(opened)
        }))
    }

    /// Opens the implementation.
    pub(crate) fn open(&self) -> Result<Opened> {
        (self.0)()
    }
}

impl fmt::Debug for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Implementation").finish_non_exhaustive()
    }
}

/// The loader. It stays loaded, because a layer over it calls it without a reference to it.
fn load() -> Result<ash::Entry> {
    static LOADER: Mutex<Option<ash::Entry>> = Mutex::new(None);
    let mut loader = LOADER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = &*loader {
        return Ok(entry.clone());
    }
    // SAFETY: the loader's initialisation has no requirements on its caller.
    let entry = unsafe { ash::Entry::load() };
    let entry = entry.map_err(|error| Error::new(format!("no Vulkan loader (libvulkan.so.1): {error}")))?;
    Ok(loader.insert(entry).clone())
}
