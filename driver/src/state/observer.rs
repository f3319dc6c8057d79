// SPDX-License-Identifier: MIT

//! Notifies the users of a resource of changes, across threads.
//!
//! A message is a bit that the observer chose, and it waits in the observer's [`Inbox`] until the observer takes it. So a
//! notification does not call code of the observer, and the observer may be dropped at any time: the [`Subject`] in a resource
//! refers weakly to inboxes. A subject has at most one entry for each live inbox; a notification removes the entries of dropped
//! ones.
//!
//! ```
//! use ntv_driver::state::{bits, Inbox, Subject};
//! use std::sync::Arc;
//!
//! bits! {
//!     /// The objects that a context has bound.
//!     pub enum Binding { /// Texture unit 0.
//!         Texture0, /// Texture unit 1.
//!         Texture1 }
//! }
//!
//! let texture = Subject::new(); // In a texture.
//! let context = Arc::new(Inbox::new()); // In a context.
//! texture.observe(&context, Binding::Texture1);
//! texture.notify();
//! assert_eq!(context.take(), bits![Binding: Texture1]);
//! assert!(context.take().is_empty());
//! ```
//!
//! If the observer is itself observed, as a framebuffer is between its textures and contexts, it has a [`Relay`]: an inbox that
//! notifies its own subject with each message.
//!
//! ```
//! # use ntv_driver::state::{bits, Inbox, Relay, Subject};
//! # use std::sync::Arc;
//! # bits! { /// The objects that a context has bound.
//! # pub enum Binding { /// The framebuffer.
//! #     Framebuffer } }
//! bits! {
//!     /// The attachments of a framebuffer.
//!     pub enum Attachment { /// Color buffer 0.
//!         Color0, /// Depth and stencil.
//!         DepthStencil }
//! }
//!
//! let (texture, context) = (Subject::new(), Arc::new(Inbox::new()));
//! let framebuffer = Arc::new(Relay::new());
//! texture.observe(&framebuffer, Attachment::DepthStencil);
//! framebuffer.subject().observe(&context, Binding::Framebuffer);
//!
//! texture.notify();
//! assert_eq!(context.take(), bits![Binding: Framebuffer]);
//! assert_eq!(framebuffer.take(), bits![Attachment: DepthStencil]);
//! ```

use super::atomic::AtomicWords;
use super::bitset::{Bit, BitSet};
use super::words::Words;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Messages to an observer, which it takes when it checks for changes.
pub struct Inbox<E: Bit> {
    words: <E::Words as Words>::Atomic,
}

impl<E: Bit> Inbox<E> {
    /// An inbox without messages.
    pub fn new() -> Inbox<E> {
        Inbox { words: Default::default() }
    }

    /// Adds messages. The taker sees all earlier writes of this thread.
    pub fn post(&self, bits: BitSet<E>) {
        self.words.post(bits.words());
    }

    /// Takes all messages. If there are none, this is one relaxed load.
    #[must_use]
    pub fn take(&self) -> BitSet<E> {
        BitSet::from_words(self.words.take())
    }
}

impl<E: Bit> Default for Inbox<E> {
    fn default() -> Self {
        Inbox::new()
    }
}

impl<E: Bit> fmt::Debug for Inbox<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}

/// The receiver of a [`Subject`]'s notifications: an [`Inbox`] or a [`Relay`].
pub trait Observer<E: Bit>: Send + Sync + sealed::Sealed {
    /// Adds messages.
    fn post(&self, bits: BitSet<E>);
}

mod sealed {
    // Sealed: an observer with code of its own could call the subject during a notification.
    pub trait Sealed {}
    impl<E: super::Bit> Sealed for super::Inbox<E> {}
    impl<E: super::Bit, T: super::Bit> Sealed for super::Relay<E, T> {}
}

impl<E: Bit> Observer<E> for Inbox<E> {
    fn post(&self, bits: BitSet<E>) {
        Inbox::post(self, bits);
    }
}

/// An observer, and the messages that it registered for.
struct Entry<E: Bit> {
    observer: Weak<dyn Observer<E>>,
    bits: BitSet<E>,
}

/// The observed part of a resource.
pub struct Subject<E: Bit> {
    entries: Mutex<Vec<Entry<E>>>,
}

impl<E: Bit> Subject<E> {
    /// A subject without observers.
    pub const fn new() -> Subject<E> {
        Subject { entries: Mutex::new(Vec::new()) }
    }

    /// Registers `observer` for `bit`: each later notification posts `bit` to it.
    ///
    /// An observer registers for a set of bits: two registrations for one bit are the same as one. It stays registered until it is
    /// dropped: after the resource is unbound, a notification costs the observer a comparison.
    pub fn observe<O: Observer<E> + 'static>(&self, observer: &Arc<O>, bit: E) {
        let mut entries = self.entries();
        match entries.iter_mut().find(|entry| entry.is_of(&**observer)) {
            Some(entry) => entry.bits.insert(bit),
            None => {
                entries.retain(Entry::lives);
                let observer: Weak<O> = Arc::downgrade(observer);
                entries.push(Entry { observer, bits: BitSet::of(&[bit]) });
                true
            }
        };
    }

    /// Posts to each observer the bits that it registered for.
    pub fn notify(&self) {
        self.entries().retain(|entry| {
            let Some(observer) = entry.observer.upgrade() else { return false };
            observer.post(entry.bits);
            true
        });
    }

    /// The number of entries: at most one for each live observer, and those of observers that were dropped since the last call.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry<E>>> {
        // Each operation leaves the list consistent, even if a thread panicked.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E: Bit> Entry<E> {
    /// Whether the entry is that of `observer`. The memory of an observer is not reused while an entry refers to it.
    fn is_of<O: Observer<E>>(&self, observer: &O) -> bool {
        std::ptr::addr_eq(self.observer.as_ptr(), observer)
    }

    fn lives(&self) -> bool {
        self.observer.strong_count() != 0
    }
}

impl<E: Bit> Default for Subject<E> {
    fn default() -> Self {
        Subject::new()
    }
}

impl<E: Bit> fmt::Debug for Subject<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("entries", &self.len()).finish()
    }
}

/// An observer of bits of `E` that is observed itself, with bits of `T`.
///
/// A message stays in the relay until it is taken, and the observers of [`Relay::subject`] are notified. A relay must not observe
/// itself, not even through other relays. This is impossible if each link of a chain has its own enum.
pub struct Relay<E: Bit, T: Bit> {
    inbox: Inbox<E>,
    subject: Subject<T>,
}

impl<E: Bit, T: Bit> Relay<E, T> {
    /// A relay without messages and observers.
    pub fn new() -> Relay<E, T> {
        Relay { inbox: Inbox::new(), subject: Subject::new() }
    }

    /// Takes all messages to this relay.
    #[must_use]
    pub fn take(&self) -> BitSet<E> {
        self.inbox.take()
    }

    /// The subject with the observers of this relay.
    pub fn subject(&self) -> &Subject<T> {
        &self.subject
    }
}

impl<E: Bit, T: Bit> Observer<E> for Relay<E, T> {
    fn post(&self, bits: BitSet<E>) {
        self.inbox.post(bits);
        self.subject.notify();
    }
}

impl<E: Bit, T: Bit> Default for Relay<E, T> {
    fn default() -> Self {
        Relay::new()
    }
}

impl<E: Bit, T: Bit> fmt::Debug for Relay<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("subject", &self.subject).finish_non_exhaustive()
    }
}
