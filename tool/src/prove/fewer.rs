// SPDX-License-Identifier: MIT

//! Removes inputs of invocations and push constants that a shader does not need to give the same results.

use ntv::op::Intrinsic;
use ntv::Shader;
use ntv_gen::{Observation, Stimulus};
use ntv_interp::{Buffer, Fault, Invocation, Limits, Outcome, Slot};
use std::collections::BTreeSet;

/// The limits of a run.
pub(super) const LIMITS: Limits = Limits { instructions: 1_000_000, components: 1 << 24 };

/// Bytes of push constants that every device has.
pub(super) const MOST_PUSH_CONSTANTS: usize = 128;

/// An input that each invocation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Slot(Slot),
    System(Intrinsic),
}

/// The inputs without what `shader` does not need for the results that were observed with `whole`.
pub(super) fn of(shader: &Shader, whole: &Stimulus, observed: &Observation) -> Stimulus {
    let mut search = Search { shader, observed, found: whole.clone() };
    search.change(|fewer| fewer.inputs.invocations.truncate(1));
    for len in [MOST_PUSH_CONSTANTS, 64, 32, 16] {
        search.change(|fewer| truncate(&mut fewer.push_constants, len));
    }
    let parts = |it: &Invocation| -> Vec<Part> {
        let slots = it.slots.keys().map(|slot| Part::Slot(*slot));
        slots.chain(it.system.keys().map(|op| Part::System(*op))).collect()
    };
    let parts: BTreeSet<Part> = whole.inputs.invocations.iter().flat_map(parts).collect();
    search.leave_out(&Vec::from_iter(parts));
    search.found
}

struct Search<'a> {
    shader: &'a Shader,
    observed: &'a Observation,
    found: Stimulus,
}

impl Search<'_> {
    /// Leaves out as many of these inputs as possible: all, or of each half what is possible.
    fn leave_out(&mut self, parts: &[Part]) {
        if parts.is_empty() || self.change(|fewer| fewer.inputs.invocations.iter_mut().for_each(|it| remove(it, parts)))
        {
            return;
        }
        if let (first @ [_, ..], second @ [_, ..]) = parts.split_at(parts.len() / 2) {
            self.leave_out(first);
            self.leave_out(second);
        }
    }

    /// Changes the inputs, if the results stay the same, without new faults.
    fn change(&mut self, change: impl Fn(&mut Stimulus)) -> bool {
        let mut fewer = self.found.clone();
        change(&mut fewer);
        let (a, b) = (Observation::new(self.shader, &fewer, LIMITS), self.observed);
        let is_known = |fault: &Fault| b.outcome.faults.iter().any(|it| (it.kind, it.inst) == (fault.kind, fault.inst));
        let is_fine = is_same(&a.outcome, &b.outcome)
            && a.outcome.faults.iter().all(is_known)
            && a.storage == b.storage
            && a.images == b.images;
        if is_fine {
            self.found = fewer;
        }
        is_fine
    }
}

/// Cuts a buffer after so many bytes.
pub(super) fn truncate(buffer: &mut Buffer, len: usize) {
    buffer.bytes.truncate(len);
    buffer.undef.truncate(len);
}

fn remove(invocation: &mut Invocation, parts: &[Part]) {
    for part in parts {
        match part {
            Part::Slot(slot) => drop(invocation.slots.remove(slot)),
            Part::System(op) => drop(invocation.system.remove(op)),
        }
    }
}

/// Whether the first invocation has the same outputs in both.
pub(super) fn is_same(a: &Outcome, b: &Outcome) -> bool {
    let of = |it: &Outcome| (it.outputs.first().cloned(), it.vertices.first().cloned(), it.discarded.first().copied());
    of(a) == of(b)
}
