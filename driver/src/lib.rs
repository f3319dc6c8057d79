// SPDX-License-Identifier: MIT

//! ntv's own layered driver: calls shaped like those of a Gallium context, on top of Vulkan.
//!
//! | module | contents |
//! |-|-|
//! | [`context`] | calls shaped like Gallium's: state, draws, dispatches, copies, queries |
//! | [`program`] | shaders, and their translation to modules |
//! | `pipeline` | pipelines, found by the words that changed |
//! | [`resource`] | buffers, textures, samplers, views |
//! | [`mod@format`] | the properties of a `VkFormat` that a driver needs |
//! | [`device`] | instance and device, features of the device, messages of the validation layer |
//! | [`state`] | dirty bits, cached values, observers: tracks changes, independent of Vulkan |
//! | [`headless`] | runs modules for their results |
//!
//! The path of a draw:
//!
//! ```text
//! bind_shader, set_*    context: compare, remember, set a dirty bit
//! draw_vbo              context: handlers of dirty bits, in the order of their table
//!                         program:  NIR --plan, translate, link--> modules with a layout        once for each set of shaders
//!                         pipeline: current one + changed words --> the next one                 a hash of the changes
//!                         resource: descriptors, barriers                                        by contents, by use
//!                       vkCmdDraw
//! flush                 context: submit; release the objects of the batch when the device is done
//! ```
//!
//! ```no_run
//! use ntv::module::ShaderStage;
//! use ntv_driver::context::{Clear, Context, ContextOptions, FramebufferState, Region, Viewport};
//! use ntv_driver::device::{Device, DeviceOptions};
//! use ntv_driver::resource::{Bind, Surface, TextureDescription};
//!
//! # fn nir(_: &str) -> ntv::Shader { unimplemented!() }
//! let device = Device::open(&DeviceOptions::default())?;
//! let mut context = Context::new(&device, ContextOptions::default())?;
//! for (stage, file) in [(ShaderStage::Vertex, "triangle.vert.nir"), (ShaderStage::Fragment, "triangle.frag.nir")] {
//!     let shader = context.create_shader(nir(file))?;
//!     context.bind_shader(stage, Some(&shader))?;
//! }
//! let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
//! let target = context.create_texture(TextureDescription { size: [640, 480, 1], bind, ..Default::default() })?;
//! context.set_framebuffer_state(&FramebufferState { colors: vec![Some(Surface::new(&target))], ..Default::default() })?;
//! context.set_viewport_states(&[Viewport { rect: [0.0, 0.0, 640.0, 480.0], ..Default::default() }]);
//! context.clear(&Clear::color([0.0, 0.0, 0.0, 1.0]))?;
//! context.draw_triangles(3)?;
//! let texels = context.read_texture(&target, Region::of_level(&target, 0))?;
//! # Ok::<(), ntv_driver::Error>(())
//! ```

#[cfg(feature = "vulkan")]
pub mod context;
#[cfg(feature = "vulkan")]
pub mod device;
#[cfg(feature = "vulkan")]
pub mod error;
#[cfg(feature = "vulkan")]
pub mod format;
#[cfg(feature = "vulkan")]
pub mod headless;
#[cfg(feature = "vulkan")]
mod implementation;
#[cfg(feature = "vulkan")]
mod pipeline;
#[cfg(feature = "vulkan")]
pub mod program;
#[cfg(feature = "vulkan")]
pub mod resource;
pub mod state;

#[cfg(feature = "vulkan")]
pub use ash::vk;
#[cfg(feature = "vulkan")]
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "vulkan")]
pub use implementation::Implementation;
