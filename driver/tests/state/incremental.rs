// SPDX-License-Identifier: MIT

//! With random calls, the fixture's driver transfers the same state to its device as a driver that transfers everything each
//! time.

use crate::fixture::{Command, Context, Device, Dirty, Emitter};
use ntv_driver::state::{bits, BitSet};
use std::collections::BTreeMap;

const SEQUENCES: u64 = 20_000;

/// The state that `command` needs, transferred to a new device.
fn everything(context: &Context, command: Command) -> Device {
    let mut device = BTreeMap::new();
    let mut emitter = Emitter {
        state: &mut context.state.clone(),
        device: &mut device,
        log: &mut Vec::new(),
        later: BitSet::EMPTY,
        fault: None,
    };
    for bit in Dirty::mask(command) & context.relevant {
        bit.handler()(&mut emitter).expect("no fault");
    }
    device
}

/// State that shaders may ignore; the handler of the viewport reads the framebuffer, so neither of them is optional alone.
const OPTIONAL: BitSet<Dirty> = bits![Dirty: Barriers, Textures, Attributes];

/// The state that random shaders use.
fn relevant(random: &mut fastrand::Rng) -> BitSet<Dirty> {
    BitSet::ALL - OPTIONAL.iter().filter(|_| random.bool()).collect()
}

fn step(context: &mut Context, random: &mut fastrand::Rng) {
    match random.u32(..20) {
        0 => context.forget(),
        1 => context.relevant = relevant(random),
        2 => context.fault = random.choice(BitSet::<Dirty>::ALL),
        3..=6 => run(context, random),
        _ => context.set(random.choice(BitSet::<Dirty>::ALL).expect("not empty"), random.i32(1..4)),
    }
}

fn run(context: &mut Context, random: &mut fastrand::Rng) {
    let command = random.choice(BitSet::<Command>::ALL).expect("not empty");
    let (before, pending) = (context.device.clone(), context.dirty);
    context.log.clear();
    if context.run(command).is_err() {
        let fault = context.fault.take().expect("a fault");
        assert!(context.dirty.contains(fault), "the failed bit is still dirty");
        context.run(command).expect("the second try has no fault");
    }
    let needed = everything(context, command);
    assert!(needed.iter().all(|(bit, value)| context.device.get(bit) == Some(value)), "{command:?}: {needed:?}");
    let handled = Dirty::mask(command) & context.relevant;
    assert!((context.dirty & handled).is_empty());
    assert!((pending - handled).is_subset(&context.dirty), "bits that the command does not need are still dirty");
    // The viewport is written again after two clears have flipped it twice.
    let redundant = |bit: &Dirty| *bit != Dirty::Viewport && before.get(bit) == context.device.get(bit);
    assert!(!context.log.iter().any(redundant), "{:?} of {before:?}", context.log);
}

#[test]
fn incremental_is_the_same_as_everything() {
    for seed in 0..SEQUENCES {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut context = Context::new();
        for _ in 0..random.usize(1..40) {
            step(&mut context, &mut random);
        }
    }
}
