//! ntv's own layered driver: calls shaped like those of a Gallium context, and Vulkan below.
//!
//! | module | what lives there |
//! |-|-|
//! | [`device`] | instance and device, what the device can do, messages of the validation layer |
//! | [`headless`] | runs one module, for its results |
//! | [`state`] | what has changed and who has to know: dirty bits, cached values, observers; knows nothing of Vulkan |

#[cfg(feature = "vulkan")]
pub mod device;
#[cfg(feature = "vulkan")]
pub mod error;
#[cfg(feature = "vulkan")]
pub mod headless;
pub mod state;

#[cfg(feature = "vulkan")]
pub use error::{Error, ErrorKind, Result};
