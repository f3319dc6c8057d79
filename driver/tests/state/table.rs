// SPDX-License-Identifier: MIT

//! The contents of a table, and the walks that use it.

use crate::fixture::{Command, Context, Dirty, Phase};
use ntv_driver::state::{bits, Bit, BitSet, Counters, DirtyBit};

fn counters(walks: u64, bits: u64, handlers: u64) -> Counters {
    Counters { walks, bits, handlers }
}

#[test]
fn everything_comes_from_the_rows() {
    assert_eq!(Dirty::COUNT, Dirty::TABLE.len());
    for (index, row) in <Dirty as DirtyBit>::TABLE.iter().enumerate() {
        assert_eq!(row.bit, Dirty::from_index(index));
        let masked = BitSet::<Command>::ALL.into_iter().filter(|command| Dirty::mask(*command).contains(row.bit));
        assert_eq!(row.commands, masked.collect());
        assert_eq!((row.bit.phase(), row.bit.invalidates()), (row.phase, row.invalidates));
    }
    assert_eq!(Dirty::Viewport.row().setters, ["set_viewport_states"]);
    assert_eq!(Dirty::Viewport.row().not_for, bits![Command: Clear]);
    assert_eq!(Dirty::Viewport.row().after, bits![Dirty: Framebuffer]);
    assert_eq!(Dirty::Viewport.phase(), Phase::Rendering);
    assert_eq!(Dirty::Framebuffer.invalidates(), bits![Dirty: Viewport]);
    assert_eq!(Dirty::mask(Command::Clear), bits![Dirty: Framebuffer]);
}

#[test]
fn a_redundant_setter_costs_nothing() {
    let mut context = Context::synced();
    for bit in BitSet::<Dirty>::ALL {
        context.set(bit, 1);
    }
    assert!(context.dirty.is_empty());
    context.run(Command::Draw).unwrap();
    assert_eq!((context.counters, &context.log[..]), (counters(1, 0, 0), &[][..]));
}

#[test]
fn set_and_set_back_costs_nothing() {
    let mut context = Context::synced();
    for bit in BitSet::<Dirty>::ALL {
        context.set(bit, 2);
        context.set(bit, 3);
        assert!(context.dirty.contains(bit));
        context.set(bit, 1);
    }
    context.run(Command::Draw).unwrap();
    assert_eq!(context.counters, counters(1, 0, 0));
    // With a draw in between, both changes count.
    context.set(Dirty::Textures, 2);
    context.run(Command::Draw).unwrap();
    context.set(Dirty::Textures, 1);
    context.run(Command::Draw).unwrap();
    assert_eq!(context.counters, counters(3, 2, 2));
}

#[test]
fn a_clear_leaves_a_change_of_a_texture_for_the_draw() {
    let mut context = Context::synced();
    context.set(Dirty::Textures, 2);
    context.run(Command::Clear).unwrap();
    context.run(Command::Blit).unwrap();
    assert_eq!(context.dirty, bits![Dirty: Textures]);
    assert_eq!(context.counters, counters(2, 0, 0));
    context.run(Command::Draw).unwrap();
    assert_eq!(context.log, [Dirty::Textures]);
    assert!(context.dirty.is_empty());
}

#[test]
fn invalidated_bits_are_handled_in_the_same_walk() {
    let mut context = Context::synced();
    context.set(Dirty::Framebuffer, 2);
    context.run(Command::Draw).unwrap();
    assert_eq!(context.log, [Dirty::Framebuffer, Dirty::Viewport]);
    assert_eq!(context.counters, counters(1, 1, 2));
    assert_eq!(context.device[&Dirty::Viewport], -1);
}

#[test]
fn invalidated_bits_stay_for_a_command_that_needs_them() {
    let mut context = Context::synced();
    context.set(Dirty::Framebuffer, 2);
    context.run(Command::Clear).unwrap();
    assert_eq!(context.dirty, bits![Dirty: Viewport]);
    // The device still has the flipped viewport: setting it and setting it back does not help.
    context.set(Dirty::Viewport, 3);
    context.set(Dirty::Viewport, 1);
    context.run(Command::Draw).unwrap();
    assert_eq!(context.device[&Dirty::Viewport], -1);
}

#[test]
fn irrelevant_state_runs_no_handler_until_it_is_relevant() {
    let mut context = Context::synced();
    context.relevant = BitSet::ALL - bits![Dirty: Attributes];
    context.set(Dirty::Attributes, 2);
    context.run(Command::Draw).unwrap();
    assert_eq!((context.counters, context.log.len()), (counters(1, 1, 0), 0));
    context.relevant = BitSet::ALL;
    context.run(Command::Draw).unwrap();
    assert_eq!(context.log, [Dirty::Attributes]);
}

#[test]
fn an_error_leaves_its_bit_and_the_rest() {
    let mut context = Context::synced();
    for bit in BitSet::<Dirty>::ALL {
        context.set(bit, 2);
    }
    context.fault = Some(Dirty::Textures);
    assert_eq!(context.run(Command::Draw), Err("Textures failed".to_string()));
    assert_eq!(context.log, [Dirty::Barriers, Dirty::Framebuffer]);
    assert_eq!(context.dirty, bits![Dirty: ReadFramebuffer, Textures, Viewport, Attributes]);
    context.fault = None;
    context.run(Command::Draw).unwrap();
    assert_eq!(context.dirty, bits![Dirty: ReadFramebuffer]);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "Textures has set {Viewport}, which its row does not name in `invalidates`")]
fn a_handler_must_only_set_bits_of_its_row() {
    let mut dirty = bits![Dirty: Textures];
    let _ = ntv_driver::state::walk(&mut dirty, BitSet::ALL, BitSet::ALL, |_| Ok::<_, ()>(bits![Dirty: Viewport]));
}
