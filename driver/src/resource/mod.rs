// SPDX-License-Identifier: MIT

//! Resources: buffers, textures, and the views of them.
//!
//! A resource is a name that contexts bind, and a storage that commands use. The storage can be replaced while the name stays
//! bound, so that a driver can overwrite a resource without a wait for the device:
//!
//! ```text
//! Buffer ----> BufferStorage 1   used by submission 7, which keeps it alive
//!        \---> BufferStorage 2   bound from now on
//! ```
//!
//! A context is notified of a new storage by bits in its inbox ([`Subject`](crate::state::Subject)). A batch of commands holds an
//! `Arc` of each storage that it uses until the device is done with it, so a resource may be dropped at any time.

mod buffer;
mod memory;
mod sampler;
mod texture;
mod view;

pub(crate) use buffer::BufferStorage;
pub use buffer::{Buffer, BufferDescription, Usage};
pub(crate) use memory::ResourceMemory;
pub use sampler::{Sampler, SamplerState};
pub(crate) use texture::ImageStorage;
pub use texture::{Bind, Texture, TextureDescription, TextureTarget};
pub(crate) use view::ViewKey;
pub use view::{ImageView, SamplerView, Surface, Swizzle};

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other storage ever has.
pub(crate) fn unique_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
