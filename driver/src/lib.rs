//! ntv's own layered driver: calls shaped like those of a Gallium context, and Vulkan below.
//!
//! | module | what lives there |
//! |-|-|
//! | [`context`] | calls shaped like Gallium's: state, draws, dispatches, copies, queries |
//! | [`device`] | instance and device, what the device can do, messages of the validation layer |
//! | [`format`] | what a driver has to know of a `VkFormat` |
//! | [`headless`] | runs one module, for its results |
//! | [`program`] | shaders, and how they become modules |
//! | [`resource`] | buffers, textures, samplers, views |
//! | [`state`] | what has changed and who has to know: dirty bits, cached values, observers; knows nothing of Vulkan |
//! | [`faults`] | a layer in which Vulkan calls fail, for tests |
//! | [`null`] | a Vulkan implementation that computes nothing, for tests and measurements |

#[cfg(feature = "vulkan")]
pub mod context;
#[cfg(feature = "vulkan")]
pub mod device;
#[cfg(feature = "vulkan")]
pub mod error;
pub mod faults;
#[cfg(feature = "vulkan")]
pub mod format;
#[cfg(feature = "vulkan")]
pub mod headless;
#[cfg(feature = "vulkan")]
mod implementation;
#[cfg(feature = "vulkan")]
pub mod null;
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
