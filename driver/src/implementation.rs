// SPDX-License-Identifier: MIT

//! The Vulkan implementation that the driver runs on: the installed one, or one of this crate for tests and measurements.

use crate::error::{Error, Result};
use crate::faults::{self, Faults};
use crate::null::{self, World};
use std::sync::{Arc, Mutex, PoisonError};

/// A Vulkan implementation.
#[derive(Clone, Debug, Default)]
pub enum Implementation {
    /// The implementation that the loader, libvulkan.so.1, finds.
    #[default]
    Loader,
    /// An implementation that computes nothing; see [`null`].
    Null(Arc<World>),
    /// Another implementation with a layer in which calls fail; see [`faults`].
    Faulty(Box<Implementation>, Arc<Faults>),
}

/// The functions of an implementation. While it lives, instances that this thread creates belong to that implementation.
pub(crate) struct Opened {
    pub(crate) entry: ash::Entry,
    _faults: Option<faults::Entered>,
    _world: Option<null::Entered>,
}

impl Implementation {
    /// This implementation with a layer in which calls fail as `faults` says.
    pub fn with_faults(self, faults: &Arc<Faults>) -> Implementation {
        Implementation::Faulty(Box::new(self), Arc::clone(faults))
    }

    /// Opens the implementation.
    pub(crate) fn open(&self) -> Result<Opened> {
        match self {
            Implementation::Loader => Ok(Opened { entry: load()?, _faults: None, _world: None }),
            Implementation::Null(world) => {
                Ok(Opened { entry: null::entry(), _faults: None, _world: Some(world.enter()) })
            }
            Implementation::Faulty(next, faults) => {
                let mut opened = next.open()?;
                if opened._faults.is_some() {
                    return Err(Error::new("an implementation that has faults cannot have more faults added"));
                }
                opened._faults = Some(faults::enter(faults, &opened.entry));
                opened.entry = faults::entry();
                Ok(opened)
            }
        }
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
