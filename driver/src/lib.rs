//! ntv's own layered driver: calls shaped like those of a Gallium context, and Vulkan below.
//!
//! | module | what lives there |
//! |-|-|
//! | [`device`] | instance and device, what the device can do, messages of the validation layer |
//! | [`headless`] | runs one module, for its results |
//! | [`faults`] | a layer in which Vulkan calls fail, for tests |
//! | [`null`] | a Vulkan implementation that computes nothing, for tests and measurements |

#[cfg(feature = "vulkan")]
pub mod device;
#[cfg(feature = "vulkan")]
pub mod error;
#[cfg(feature = "vulkan")]
pub mod faults;
#[cfg(feature = "vulkan")]
pub mod headless;
#[cfg(feature = "vulkan")]
mod implementation;
#[cfg(feature = "vulkan")]
pub mod null;

#[cfg(feature = "vulkan")]
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "vulkan")]
pub use implementation::Implementation;
