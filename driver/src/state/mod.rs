//! State tracking: what has changed since the last draw, and who has to know.
//!
//! A layered driver gets calls that set state and calls that use it. It has to bring to the device what has changed and nothing else,
//! and to compute again what depends on it and nothing else. This module is what it does that with. It knows nothing of Vulkan,
//! has no dependencies and no unsafe code: any driver can take it.
//!
//! | module | what it answers |
//! |-|-|
//! | [`bitset`] | which of these? A set of the bits of one enum; [`Cursor`] walks one that changes meanwhile |
//! | [`tracked`] | does the consumer have this value already? |
//! | [`table`] | which commands need a bit, what brings it to the device, and in which order? |
//! | [`walk`](mod@walk) | what does this command have to do now? |
//! | [`revision`] | what has changed since this consumer has looked? |
//! | [`derived`](mod@derived) | is this cached value still true? |
//! | [`observer`] | who has to know that a shared resource has changed? |
//!
//! The [rules] of a table hold at compile time. [`words`] and [`atomic`] are what sets and inboxes are stored in.
//!
//! A setter and a draw, in short:
//!
//! ```
//! use ntv_driver::state::{bits, BitSet, Tracked};
//!
//! bits! {
//!     /// What the device does not have yet.
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
//! `examples/state_tracking.rs` is a driver that does nothing but this.

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
pub use table::{DirtyBit, Row};
pub use tracked::Tracked;
pub use walk::{walk, Counters, Later};
