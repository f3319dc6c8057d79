// SPDX-License-Identifier: MIT

//! State tracking: records the state that has changed since the last draw, and notifies its users.
//!
//! A layered driver gets calls that set state and calls that use it. For each use, it must transfer the state that has changed to
//! the device, and recompute the values that depend on it, but no more. This module provides the tools for that. It is
//! independent of Vulkan, has no dependencies and no unsafe code: any driver can use it.
//!
//! | module | question that it answers |
//! |-|-|
//! | [`bitset`] | Which elements are in a set? A set of the bits of one enum; [`Cursor`] walks a set that changes during the walk |
//! | [`tracked`] | Does the consumer already have this value? |
//! | [`table`] | Which commands need a bit, which handler transfers it to the device, and in which order? |
//! | [`walk`](mod@walk) | Which handlers must this command run now? |
//! | [`revision`] | What has changed since the last check of this consumer? |
//! | [`derived`](mod@derived) | Is this cached value still valid? |
//! | [`observer`] | Which users must be notified of the change of a shared resource? |
//!
//! The [rules] of a table are checked at compile time. [`words`] and [`atomic`] are the storage of sets and inboxes.
//!
//! A setter and a draw, in short:
//!
//! ```
//! use ntv_driver::state::{bits, BitSet, Tracked};
//!
//! bits! {
//!     /// The state that the device does not have yet.
//!     pub enum Dirty { /// Blend state.
//!         Blend, /// The viewport.
//!         Viewport }
//! }
//!
//! #[derive(Default)]
//! struct Context {
//!     dirty: BitSet<Dirty>,
//!     viewport: Tracked<[i32; 4]>,
//! }
//!
//! impl Context {
//!     fn set_viewport(&mut self, viewport: [i32; 4]) {
//!         self.dirty.set(Dirty::Viewport, self.viewport.set(viewport));
//!     }
//!
//!     fn draw(&mut self) -> BitSet<Dirty> {
//!         let dirty = self.dirty.take();
//!         if dirty.contains(Dirty::Viewport) {
//!             self.viewport.synced();
//!         }
//!         dirty
//!     }
//! }
//!
//! let mut context = Context::default();
//! context.set_viewport([0, 0, 64, 64]);
//! assert_eq!(context.draw(), bits![Dirty: Viewport]);
//! context.set_viewport([0, 0, 32, 32]);
//! context.set_viewport([0, 0, 64, 64]);
//! assert!(context.draw().is_empty());
//! ```
//!
//! `examples/state_tracking.rs` is a driver that consists of this alone.

#![forbid(unsafe_code)]

pub mod atomic;
pub mod bitset;
mod cursor;
pub mod derived;
pub mod observer;
pub mod revision;
pub mod rules;
pub mod table;
pub mod tracked;
pub mod walk;
pub mod words;

pub use crate::{bits, derived, dirty_bits};
pub use bitset::{Bit, BitSet, Cursor};
pub use derived::Derived;
pub use observer::{Inbox, Observer, Relay, Subject};
pub use revision::{Revisions, Seen};
pub use table::{DirtyBit, DirtyRow};
pub use tracked::Tracked;
pub use walk::{walk, Counters, Later};
