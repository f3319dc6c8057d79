// SPDX-License-Identifier: MIT

//! Implementations of Vulkan for tests.
#![allow(dead_code, reason = "each test uses a part")]

use ntv_driver::Implementation;
use null_vulkan::faults::Faults;
use null_vulkan::World;
use std::sync::Arc;

/// The implementation of `world`.
pub(crate) fn null(world: &Arc<World>) -> Implementation {
    let world = Arc::clone(world);
    Implementation::new(move || world.open())
}

/// `implementation` with a layer in which calls fail as `faults` says.
pub(crate) fn with_faults(implementation: Implementation, faults: &Arc<Faults>) -> Implementation {
    let faults = Arc::clone(faults);
    implementation.with_layer(move |next| faults.open(next))
}
