// SPDX-License-Identifier: MIT

//! Observers get the bits that they registered for, and lists of observers do not grow.

use crate::random::{for_each_size, Many, Most, Word};
use ntv_driver::state::{bits, Bit, BitSet, Inbox, Relay, Subject};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

bits! {
    /// The objects that a context has bound.
    enum Binding {
        Texture0,
        Texture1,
        Framebuffer,
    }
}

bits! {
    /// The attachments of a framebuffer.
    enum Attachment {
        Color0,
        Color1,
        DepthStencil,
    }
}

fn inbox<E: Bit>() -> Arc<Inbox<E>> {
    Arc::default()
}

#[test]
fn each_observer_gets_the_bits_that_it_registered_for() {
    let texture = Subject::new();
    let (first, second) = (inbox(), inbox());
    texture.observe(&first, Binding::Texture0);
    texture.observe(&first, Binding::Framebuffer);
    texture.observe(&second, Binding::Texture1);
    texture.notify();
    texture.notify();
    assert_eq!(first.take(), bits![Binding: Texture0, Framebuffer]);
    assert_eq!(second.take(), bits![Binding: Texture1]);
    assert!(first.take().is_empty() && second.take().is_empty());
}

#[test]
fn an_observer_has_one_entry() {
    let texture = Subject::new();
    let context = inbox();
    for _ in 0..100 {
        texture.observe(&context, Binding::Texture0);
        texture.observe(&context, Binding::Texture1);
    }
    assert_eq!(texture.len(), 1);
    texture.notify();
    assert_eq!(context.take(), bits![Binding: Texture0, Texture1]);
}

#[test]
fn dropped_observers_are_removed() {
    let texture = Subject::new();
    let (kept, dropped) = (inbox(), inbox());
    texture.observe(&kept, Binding::Texture0);
    texture.observe(&dropped, Binding::Texture0);
    drop(dropped);
    texture.notify();
    assert_eq!(texture.len(), 1);
    assert_eq!(kept.take(), bits![Binding: Texture0]);
    drop(kept);
    texture.notify();
    assert!(texture.is_empty());
}

#[test]
fn ten_thousand_contexts_do_not_make_the_list_grow() {
    let texture = Subject::new();
    let kept = inbox();
    texture.observe(&kept, Binding::Texture0);
    for round in 0..10_000 {
        let context = inbox();
        texture.observe(&context, Binding::Texture1);
        assert!(texture.len() <= 2, "2 contexts are alive, but the list has {} entries", texture.len());
        if round % 3 == 0 {
            texture.notify();
            assert_eq!(context.take(), bits![Binding: Texture1]);
        }
    }
    // The same for many contexts that are alive at the same time.
    let contexts: Vec<_> = (0..1_000).map(|_| inbox()).collect();
    contexts.iter().for_each(|context| texture.observe(context, Binding::Texture1));
    assert_eq!(texture.len(), 1_001);
    drop(contexts);
    texture.observe(&inbox(), Binding::Texture1);
    assert_eq!(texture.len(), 2, "one live observer, and one that was dropped after it was added");
    // The same for many resources and one context.
    for _ in 0..10_000 {
        Subject::new().observe(&kept, Binding::Texture0);
    }
    assert_eq!(Arc::weak_count(&kept), 1);
}

#[test]
fn a_change_of_a_texture_reaches_contexts_through_framebuffers() {
    let (color, depth) = (Subject::new(), Subject::new());
    let framebuffer = Arc::new(Relay::<Attachment, Binding>::new());
    color.observe(&framebuffer, Attachment::Color0);
    depth.observe(&framebuffer, Attachment::DepthStencil);
    let (first, second) = (inbox(), inbox());
    framebuffer.subject().observe(&first, Binding::Framebuffer);
    framebuffer.subject().observe(&second, Binding::Framebuffer);

    depth.notify();
    assert_eq!(first.take(), bits![Binding: Framebuffer]);
    assert_eq!(framebuffer.take(), bits![Attachment: DepthStencil]);
    // The message to the other context waits, and so does one to a framebuffer that is not checked.
    color.notify();
    color.notify();
    assert_eq!((first.take(), second.take()), (bits![Binding: Framebuffer], bits![Binding: Framebuffer]));
    color.notify();
    assert_eq!(first.take(), bits![Binding: Framebuffer], "a relay forwards messages before they are taken from it");

    drop(framebuffer);
    depth.notify();
    assert!(first.take().is_empty() && depth.is_empty());
}

#[test]
fn relays_chain() {
    let buffer = Subject::new();
    let view = Arc::new(Relay::<Word, Attachment>::new());
    let framebuffer = Arc::new(Relay::<Attachment, Binding>::new());
    let context = inbox();
    buffer.observe(&view, Word::from_index(9));
    view.subject().observe(&framebuffer, Attachment::Color1);
    framebuffer.subject().observe(&context, Binding::Framebuffer);
    buffer.notify();
    assert_eq!(context.take(), bits![Binding: Framebuffer]);
    assert_eq!(framebuffer.take(), bits![Attachment: Color1]);
    assert_eq!(view.take(), BitSet::of(&[Word::from_index(9)]));
}

#[test]
fn an_inbox_of_any_size_returns_the_posted_bits() {
    fn run<E: Bit + Ord>() {
        let mut random = fastrand::Rng::with_seed(5);
        let inbox = Inbox::new();
        let mut posted = BitSet::EMPTY;
        for _ in 0..200 {
            if random.u32(..3) == 0 {
                assert_eq!(inbox.take(), posted.take());
            } else {
                let (bits, _) = crate::random::set::<E>(&mut random);
                inbox.post(bits);
                posted |= bits;
            }
        }
    }
    for_each_size!(run);
}

/// Threads write values and post messages about them; the taker of a message sees the value, and finally sees the last one.
fn post_from_threads<E: Bit>() {
    const THREADS: usize = 4;
    const ROUNDS: u64 = 20_000;
    // Bits in different words if there are several, and in the same word.
    let bit = |thread: usize| E::from_index(thread * (E::COUNT - 1) / (THREADS - 1));
    let inbox = inbox::<E>();
    let values: [AtomicU64; THREADS] = Default::default();
    let mut seen = [0; THREADS];
    let done = AtomicBool::new(false);
    let mut look = |inbox: &Inbox<E>| {
        for found in inbox.take() {
            let thread = (0..THREADS).find(|thread| bit(*thread) == found).expect("a bit that was posted");
            seen[thread] = values[thread].load(Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        let posters: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (inbox, value) = (&inbox, &values[thread]);
                scope.spawn(move || {
                    for round in 1..=ROUNDS {
                        value.store(round, Ordering::Relaxed);
                        inbox.post(BitSet::of(&[bit(thread)]));
                    }
                })
            })
            .collect();
        let done = &done;
        scope.spawn(move || {
            posters.into_iter().for_each(|poster| poster.join().expect("no panic"));
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            look(&inbox);
        }
        look(&inbox);
    });
    assert_eq!(seen, [ROUNDS; THREADS]);
}

#[test]
fn no_message_of_any_thread_is_lost() {
    post_from_threads::<Word>();
    post_from_threads::<Many>();
}

/// One message at a time: each is taken before the next one is posted, so a lost message is detected.
#[test]
fn a_message_that_nothing_follows_is_not_lost() {
    const ROUNDS: u64 = 20_000;
    let (inbox, taken) = (inbox::<Most>(), AtomicU64::new(0));
    // The last word, which a poster writes last.
    let bit = BitSet::of(&[Most::from_index(Most::COUNT - 1)]);
    let deadline = Instant::now() + Duration::from_secs(60);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=ROUNDS {
                inbox.post(bit);
                while taken.load(Ordering::Relaxed) < round {
                    assert!(Instant::now() < deadline, "message {round} is lost");
                    thread::yield_now();
                }
            }
        });
        while taken.load(Ordering::Relaxed) < ROUNDS && Instant::now() < deadline {
            let found = inbox.take();
            if !found.is_empty() {
                assert_eq!(found, bit);
                taken.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    assert_eq!(taken.into_inner(), ROUNDS);
}

#[test]
fn subjects_are_used_by_threads() {
    let texture = Subject::new();
    thread::scope(|scope| {
        for _ in 0..4 {
            let texture = &texture;
            scope.spawn(move || {
                for _ in 0..2_000 {
                    let context = inbox();
                    texture.observe(&context, Binding::Texture0);
                    texture.notify();
                    assert_eq!(context.take(), bits![Binding: Texture0]);
                }
            });
        }
    });
    texture.notify();
    assert!(texture.is_empty());
}
