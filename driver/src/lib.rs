//! ntv's own layered driver: calls shaped like those of a Gallium context, and Vulkan below.
//!
//! | module | what lives there |
//! |-|-|
//! | [`headless`] | runs one module, for its results |

#[cfg(feature = "vulkan")]
pub mod headless;
