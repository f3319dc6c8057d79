//! Which Vulkan the driver runs on: the installed one, or one of this crate's own for tests and measurements.

use crate::error::{Error, Result};
use crate::null::{self, World};
use std::sync::Arc;

/// A Vulkan implementation.
#[derive(Clone, Debug, Default)]
pub enum Implementation {
    /// What the loader, libvulkan.so.1, finds.
    #[default]
    Loader,
    /// One that computes nothing; see [`null`].
    Null(Arc<World>),
}

/// The functions of an implementation. While it lives, this thread makes its instances of that implementation.
pub(crate) struct Opened {
    pub(crate) entry: ash::Entry,
    _world: Option<null::Entered>,
}

impl Implementation {
    /// Opens the implementation.
    pub(crate) fn open(&self) -> Result<Opened> {
        match self {
            Implementation::Loader => {
                // SAFETY: the loader's initialisation has no requirements on its caller.
                let entry = unsafe { ash::Entry::load() };
                let entry = entry.map_err(|error| Error::new(format!("no Vulkan loader (libvulkan.so.1): {error}")))?;
                Ok(Opened { entry, _world: None })
            }
            Implementation::Null(world) => Ok(Opened { entry: null::entry(), _world: Some(world.enter()) }),
        }
    }
}
