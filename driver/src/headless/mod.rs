// SPDX-License-Identifier: MIT

//! Runs SPIR-V modules on a Vulkan driver, without a window: inputs and outputs are bytes.
//!
//! A [`Device`] is a driver's device with all of its features enabled; [`Device::target`] describes the features that a
//! translation for it may use. [`Device::dispatch`] runs a compute module, [`Device::draw`] a graphics pipeline. Both take the
//! modules and the contents of each descriptor ([`Resources`], by [`Slot`]) and store the writes of the shaders in the writable
//! ones:
//!
//! ```no_run
//! use ntv_driver::headless::{Device, DeviceOptions, Dispatch, Resource, Resources, Slot};
//! # let words = [];
//! let device = Device::open(&DeviceOptions::default())?;
//! let slot = Slot { set: 3, binding: 0, element: 0 };
//! let mut resources = Resources::from([(slot, Resource::Buffer(vec![0; 256]))]);
//! device.dispatch(&Dispatch { module: &words, groups: [1, 1, 1], push_constants: &[] }, &mut resources)?;
//! let Resource::Buffer(bytes) = &resources[&slot] else { unreachable!() };
//! # Ok::<(), ntv_driver::headless::Error>(())
//! ```
//!
//! The resources of a module are read from its words ([`ntv::import::reflect`]), so modules of any origin run. Their words do not
//! change, except for the numbers of sets and bindings.
//!
//! Every call has its own [`Context`], creates the objects that it needs, and waits for the work. This module serves to find out
//! the results of a shader; it does not aim at speed. Work that does not end in time ([`DeviceOptions::timeout`]) is an error,
//! and the device is unusable after it. Its objects are leaked, because Vulkan does not allow to destroy objects in use and has
//! no way to stop work.
//!
//! | file | contents |
//! |-|-|
//! | `resource`, `bind` | the resources of modules; binding and readback |
//! | `compute`, `graphics` | dispatches and draws |
//! | `steps` | several of them in one batch, with updates and copies of buffers and barriers between them |
//! | `timing` | the time that pipelines, shaders and batches take |
//! | `compile` | the machine code that a driver makes of modules, without a run |

mod bind;
mod compile;
mod compute;
mod graphics;
mod resource;
mod steps;
mod timing;

pub use crate::context::{Statistics, StreamOutputCounts};
pub use crate::device::{Device, DeviceOptions, Queries};
pub use crate::error::{Error, Result};
pub use crate::resource::SamplerState;
pub use ash::vk;
pub use compile::{Compiled, Executable};
pub use compute::Dispatch;
pub use graphics::{Attachment, Attribute, Counts, Draw, Drawn, Indices};
pub use resource::{texel_size, Image, Part, Resource, Resources, Slot};
pub use steps::Step;
pub use timing::{CompileTime, ShaderTime};

use crate::context::{Context, ContextOptions};
use crate::error::ErrorKind;

impl Device {
    /// Runs `work` with a new context that has only the barriers that `work` requests.
    fn with_context<T>(&self, work: impl FnOnce(&mut Context) -> Result<T>) -> Result<T> {
        let options = ContextOptions { manual_barriers: true, ..ContextOptions::default() };
        let mut context = Context::new(self, options)?;
        work(&mut context).inspect_err(|error| {
            if error.kind == ErrorKind::Timeout {
                // The device may still execute the commands, and use their objects.
                self.logical.lose();
            }
        })
    }
}
