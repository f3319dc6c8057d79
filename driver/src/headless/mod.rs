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
//! What a module wants is read from its words ([`reflect`]), so modules of any origin run.
//!
//! Every call makes its objects, waits for the work and destroys them again: this is for finding out what a shader does,
//! not for speed. Work that does not end in time ([`DeviceOptions::timeout`]) is an error, after which the device is of no
//! use any more; its objects are then leaked, because Vulkan forbids to destroy what is in use and has no way to stop work.
//!
//! | file | what |
//! |-|-|
//! | `memory`, `submit` | buffers and images; one batch of commands |
//! | `reflect`, `resource`, `bind`, `part` | what modules want; what they are given; descriptor sets; parts of buffers in them |
//! | `compute`, `graphics` | the two kinds of pipeline |
//! | `query` | what is asked about a draw: invocations of shaders, primitives |
//! | `steps` | several dispatches and draws in one batch, with updates and copies of buffers and barriers between them |
//! | `render_pass` | draws that read what they draw to |
//! | `compile` | how long the driver takes to make them |
//! | `timing` | how long a shader, or a batch, takes on the device |

mod bind;
mod compile;
mod compute;
mod graphics;
mod memory;
mod part;
mod query;
pub mod reflect;
mod render_pass;
mod resource;
mod steps;
mod submit;
mod timing;

pub use crate::device::{Device, DeviceOptions, Queries};
pub use ash::vk;
pub use compile::CompileTime;
pub use compute::Dispatch;
pub use graphics::{Attachment, Attribute, Draw, Drawn, Indices};
pub use ntv::interp::Sampler;
pub use query::{Counts, Feedback, Statistics};
pub use resource::{texel_size, Image, Part, Resource, Resources, Slot};
pub use steps::Step;
pub use timing::ShaderTime;

use crate::error::Context;
pub use crate::error::{Error, Result};
