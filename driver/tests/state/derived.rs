// SPDX-License-Identifier: MIT

//! Cached values are recomputed if and only if a dependency has changed.

use crate::random::Many;
use ntv_driver::state::{bits, derived, Bit, BitSet, Derived, Revisions};

bits! {
    /// The objects that a context binds.
    enum State {
        Program,
        Elements,
        Framebuffer,
        Feedback,
    }
}

derived! {
    /// The values that a context computes.
    struct Cached, values Value, from State;

    /// The attributes that the program reads and an element feeds.
    Attributes { field: attributes, is: u32, from: [Program, Elements], uses: [] }
    /// Whether feedback is active and not paused.
    Capturing { field: capturing, is: bool, from: [Feedback], uses: [] }
    /// Whether a draw may run.
    CanDraw { field: can_draw, is: bool, from: [Framebuffer], uses: [Attributes] }
    /// The reason why a draw may not run.
    DrawError { field: draw_error, is: String, from: [], uses: [CanDraw, Capturing] }
}

#[test]
fn a_derived_value_is_recomputed_after_a_change_of_its_dependencies() {
    let mut state = Revisions::new();
    let mut value = Derived::new(bits![State: Program, Elements]);
    let mut get = |state: &Revisions<State>, new: u32| (*value.get(state, || new), value.recomputations());
    assert_eq!(get(&state, 1), (1, 1));
    assert_eq!(get(&state, 2), (1, 1));
    state.bump(State::Framebuffer);
    assert_eq!(get(&state, 3), (1, 1));
    state.bump(State::Elements);
    state.bump(State::Framebuffer);
    assert_eq!(get(&state, 4), (4, 2));
    assert_eq!(get(&Revisions::new(), 5), (5, 3), "another object");
    assert_eq!(get(&state, 6), (6, 4), "and back");
    value.invalidate();
    assert_eq!((*value.get(&state, || 7), value.recomputations()), (7, 5));
}

#[test]
fn several_derived_values_share_an_object_of_many_bits() {
    let mut state = Revisions::<Many>::new();
    let mut values: Vec<Derived<usize, Many>> =
        (0..Many::COUNT).map(|bit| Derived::new(BitSet::of(&[Many::from_index(bit)]))).collect();
    for (bit, value) in values.iter_mut().enumerate() {
        assert_eq!(*value.get(&state, || bit), bit);
    }
    state.bump(Many::from_index(70));
    state.bump(Many::from_index(299));
    let computed = |value: &mut Derived<usize, Many>| {
        let before = value.recomputations();
        value.get(&state, || 0);
        value.recomputations() != before
    };
    let again: Vec<usize> = (0..Many::COUNT).filter(|bit| computed(&mut values[*bit])).collect();
    assert_eq!(again, [70, 299]);
}

#[test]
fn invalidation_lists_come_from_the_dependencies() {
    assert_eq!(Cached::invalidates(State::Program), bits![Value: Attributes, CanDraw, DrawError]);
    assert_eq!(Cached::invalidates(State::Elements), bits![Value: Attributes, CanDraw, DrawError]);
    assert_eq!(Cached::invalidates(State::Framebuffer), bits![Value: CanDraw, DrawError]);
    assert_eq!(Cached::invalidates(State::Feedback), bits![Value: Capturing, DrawError]);
}

/// The values that a draw reads.
fn draw(cached: &mut Cached) -> String {
    let attributes = *cached.attributes(|| 0b101);
    let capturing = *cached.capturing(|| false);
    let can_draw = *cached.can_draw(|| attributes != 0);
    cached.draw_error(|| format!("{can_draw} {capturing}")).clone()
}

/// The number of computations of each value.
fn recomputations(cached: &Cached) -> Vec<u64> {
    BitSet::ALL.iter().map(|value| cached.recomputations(value)).collect()
}

#[test]
fn a_table_recomputes_stale_values() {
    let mut cached = Cached::default();
    assert_eq!(cached.stale(), BitSet::ALL);
    assert_eq!(draw(&mut cached), "true false");
    draw(&mut cached);
    assert_eq!(recomputations(&cached), [1, 1, 1, 1]);
    cached.changed(State::Feedback);
    draw(&mut cached);
    assert_eq!(recomputations(&cached), [1, 2, 1, 2]);
    cached.changed_set(bits![State: Framebuffer, Feedback]);
    draw(&mut cached);
    assert_eq!(recomputations(&cached), [1, 3, 2, 3]);
    cached.changed(State::Program);
    assert_eq!(cached.stale(), bits![Value: Attributes, CanDraw, DrawError]);
    draw(&mut cached);
    assert_eq!(recomputations(&cached), [2, 3, 3, 4]);
    assert!(cached.stale().is_empty());
}
