//! Runs SPIR-V modules on a Vulkan driver, without a window: what goes in and comes out is bytes.
//!
//! A [`Device`] is a driver's device with every feature that it has switched on; [`Device::target`] is what a translation
//! for it may use. [`Device::dispatch`] runs a compute module, [`Device::draw`] a graphics pipeline. Both take the modules
//! and the contents of each descriptor ([`Resources`], by [`Slot`]) and leave in the writable ones what the shaders wrote:
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
//! What a module wants is read from its words ([`ntv::import::reflect`]), so modules of any origin run. Their words stay as they are, but
//! for the numbers of sets and bindings.
//!
//! Every call has a [`Context`] of its own, makes what it needs, and waits for the work: this is for finding out what a shader does, not
//! for speed. Work that does not end in time ([`DeviceOptions::timeout`]) is an error, after which the device is of no use any more; its
//! objects are then leaked, because Vulkan forbids to destroy what is in use and has no way to stop work.
//!
//! | file | what |
//! |-|-|
//! | `resource`, `bind` | what modules are given; how it is bound, and read back |
//! | `compute`, `graphics` | dispatches and draws |
//! | `steps` | several of them in one batch, with updates and copies of buffers and barriers between them |
//! | `timing` | how long pipelines, shaders and batches take |

mod bind;
mod compute;
mod graphics;
mod resource;
mod steps;
mod timing;

pub use crate::device::{Device, DeviceOptions, Queries};
pub use crate::error::{Error, Result};
pub use ash::vk;
pub use compute::Dispatch;
pub use graphics::{Attachment, Attribute, Counts, Draw, Drawn, Feedback, Indices, Statistics};
pub use ntv::interp::Sampler;
pub use resource::{texel_size, Image, Part, Resource, Resources, Slot};
pub use steps::Step;
pub use timing::{CompileTime, ShaderTime};

use crate::context::{Context, ContextOptions};
use crate::error::ErrorKind;

impl Device {
    /// Does `work` with a new context, in which only the barriers are that are asked for.
    fn with_context<T>(&self, work: impl FnOnce(&mut Context) -> Result<T>) -> Result<T> {
        let options = ContextOptions { manual_barriers: true, ..ContextOptions::default() };
        let mut context = Context::new(self, options)?;
        work(&mut context).inspect_err(|error| {
            if error.kind == ErrorKind::Timeout {
                // The commands may still be at work, and what they use with them.
                self.logical.lose();
            }
        })
    }
}
