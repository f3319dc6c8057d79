// SPDX-License-Identifier: MIT

//! Each of several consumers sees each change once.

use crate::random::{self, for_each_size};
use ntv_driver::state::{bits, Bit, BitSet, Revisions, Seen};

bits! {
    /// The parts of a program that can change.
    enum Part {
        Modules,
        Uniforms,
        Blocks,
    }
}

#[test]
fn two_contexts_see_each_change_of_a_program_once() {
    let mut program = Revisions::<Part>::new();
    let (mut first, mut second) = (Seen::new(), Seen::new());
    assert_eq!((first.take(&program), second.take(&program)), (BitSet::ALL, BitSet::ALL));

    program.bump(Part::Uniforms);
    assert_eq!(first.take(&program), bits![Part: Uniforms]);
    program.bump(Part::Blocks);
    assert_eq!(first.take(&program), bits![Part: Blocks]);
    assert_eq!(second.take(&program), bits![Part: Uniforms, Blocks]);
    assert_eq!((first.take(&program), second.take(&program)), (BitSet::EMPTY, BitSet::EMPTY));

    program.bump_all();
    assert_eq!((first.take(&program), second.take(&program)), (BitSet::ALL, BitSet::ALL));
}

#[test]
fn since_does_not_catch_up() {
    let mut program = Revisions::<Part>::new();
    let mut context = Seen::new();
    context.catch_up(&program);
    program.bump(Part::Modules);
    assert_eq!(context.since(&program), bits![Part: Modules]);
    assert_eq!(context.since(&program), bits![Part: Modules]);
    assert!(context.has_news_of(bits![Part: Modules, Blocks], &program));
    assert!(!context.has_news_of(bits![Part: Uniforms, Blocks], &program));
    context.catch_up(&program);
    assert!(context.is_current(&program) && context.since(&program).is_empty());
}

#[test]
fn another_object_is_all_new() {
    let (first, second) = (Revisions::<Part>::new(), Revisions::<Part>::new());
    let mut context = Seen::new();
    context.catch_up(&first);
    assert_eq!(context.take(&second), BitSet::ALL);
    assert_eq!(context.take(&first), BitSet::ALL);
    assert!(context.is_current(&first) && !context.is_current(&second));
}

#[test]
fn random_changes_reach_each_consumer_once() {
    fn run<E: Bit + Ord>() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut object = Revisions::<E>::new();
        let mut consumers = [(Seen::new(), BitSet::ALL); 5];
        for _ in 0..200_000 / (E::COUNT + 40) {
            let changed = match random.u32(..8) {
                0 => {
                    object.bump_all();
                    BitSet::ALL
                }
                1 => {
                    let (bits, _) = random::set::<E>(&mut random);
                    object.bump_set(bits);
                    bits
                }
                2..=4 => {
                    let bit = random::bit::<E>(&mut random);
                    object.bump(bit);
                    BitSet::of(&[bit])
                }
                _ => {
                    let (seen, missed) = &mut consumers[random.usize(..5)];
                    assert_eq!(seen.take(&object), missed.take());
                    BitSet::EMPTY
                }
            };
            consumers.iter_mut().for_each(|(_, missed)| *missed |= changed);
        }
    }
    for_each_size!(run);
}
