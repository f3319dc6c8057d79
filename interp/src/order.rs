// SPDX-License-Identifier: MIT

//! What orders accesses to memory: barriers, critical sections, and atomic accesses of workgroups with barriers around them.
//!
//! - A barrier of a workgroup orders what its invocations accessed before what they access afterwards, for the kinds of memory that it
//!   names, if control waits and memory is ordered for the workgroup. If one of both is only for the subgroup, so is the order.
//! - Fragments of a pixel are within their critical sections one after the other.
//! - Workgroups do not wait for each other. What one has accessed is ordered before what another accesses only by two barriers for the
//!   device: one that the first does before an atomic access, and one that the other does after it has accessed the same byte
//!   atomically.

use crate::memory::MemoryRegion;
use ntv::op::names::Scope;
use ntv::op::Modes;
use rustc_hash::FxHashMap;

/// The kinds of memory that a barrier may order by themselves.
const KINDS: [Modes; 3] = [Modes::SHARED.union(Modes::TASK_PAYLOAD), Modes::SSBO.union(Modes::GLOBAL), Modes::IMAGE];

/// The number of the kind of a region.
fn kind(memory: MemoryRegion) -> usize {
    match memory {
        MemoryRegion::Image(_) => 2,
        MemoryRegion::Storage(_) | MemoryRegion::Global => 1,
        _ => 0,
    }
}

/// Whether all workgroups share a region.
pub(crate) fn is_of_device(memory: MemoryRegion) -> bool {
    kind(memory) != 0
}

/// An invocation that accesses memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invocation {
    /// Its number.
    pub lane: u32,
    /// The invocations with which it may be ordered alone: its subgroup, or those that cover its pixel if it is within its critical
    /// section.
    pub group: Option<u64>,
}

/// The invocations that did some accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Accessor {
    #[default]
    None,
    One(Invocation),
    /// Several of a group.
    Group(u64),
    /// Several, not all of one group.
    Several,
}

impl Accessor {
    /// The group that all of them are in.
    fn group(self) -> Option<u64> {
        match self {
            Accessor::One(one) => one.group,
            Accessor::Group(group) => Some(group),
            Accessor::None | Accessor::Several => None,
        }
    }

    /// These, and another one.
    fn and(self, other: Accessor) -> Accessor {
        match (self, other) {
            (Accessor::None, _) => other,
            (_, Accessor::None) => self,
            (Accessor::One(a), Accessor::One(b)) if a.lane == b.lane => {
                Accessor::One(Invocation { lane: a.lane, group: a.group.filter(|_| a.group == b.group) })
            }
            _ => match self.group().filter(|_| self.group() == other.group()) {
                Some(group) => Accessor::Group(group),
                None => Accessor::Several,
            },
        }
    }
}

/// When something was accessed, and by whom.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    by: Accessor,
    kind: usize,
    /// The barriers before it in its workgroup, and in its group.
    epoch: u32,
    group_epoch: u32,
    /// The workgroup of the last access, and the barriers for the device before it.
    workgroup: u32,
    device_epoch: u32,
}

/// The number of a workgroup that means several.
const SEVERAL: u32 = u32::MAX;

/// A number for each kind of memory.
type Kinds = [u32; KINDS.len()];

/// The numbers of barriers for the device before which accesses of a workgroup are ordered, by the workgroup.
type Ordered = FxHashMap<u32, Kinds>;

/// The barriers of a run up to now.
#[derive(Default)]
pub(crate) struct Order {
    /// The number of barriers that ordered memory for all of the workgroup, for a group, and for the device.
    epochs: Kinds,
    group_epochs: FxHashMap<u64, Kinds>,
    device_epochs: Kinds,
    /// The widest scope for which barriers without control have ordered memory since the last one with it.
    scopes: Kinds,
    /// The workgroup that runs; they start at 1.
    workgroup: u32,
    /// What was ordered before an atomic access to a byte.
    released: FxHashMap<(MemoryRegion, i64), Ordered>,
    /// What the workgroup has seen of that, and what is ordered before its accesses from now on.
    seen: Ordered,
    acquired: Ordered,
}

impl Order {
    /// Starts the next workgroup.
    pub(crate) fn start_workgroup(&mut self) {
        self.workgroup += 1;
        self.scopes = Kinds::default();
        self.group_epochs.clear();
        self.seen.clear();
        self.acquired.clear();
    }

    /// A barrier: invocations in the scope `execution` wait for each other, and memory is ordered for those in the scope `memory`. It is
    /// done by the given groups.
    pub(crate) fn barrier(&mut self, modes: Modes, [execution, memory]: [u32; 2], groups: &[u64]) {
        for (kind, modes_of_kind) in KINDS.iter().enumerate() {
            if modes.intersects(*modes_of_kind) {
                self.scopes[kind] = memory.max(self.scopes[kind]);
                if memory >= Scope::queue_family as u32 {
                    self.device_epochs[kind] += 1;
                    self.acquire(kind);
                }
            }
            let scope = execution.min(self.scopes[kind]);
            if scope >= Scope::workgroup as u32 {
                self.epochs[kind] += 1;
            } else if scope >= Scope::subgroup as u32 {
                groups.iter().for_each(|group| self.group_epochs.entry(*group).or_default()[kind] += 1);
            }
            if execution >= Scope::workgroup as u32 {
                self.scopes[kind] = 0;
            }
        }
    }

    /// Separates the accesses of invocations that are in a group one after the other.
    pub(crate) fn enter_group(&mut self, group: u64) {
        self.group_epochs.entry(group).or_default().iter_mut().for_each(|epoch| *epoch += 1);
    }

    /// The mark of an access that happens now.
    pub(crate) fn mark(&self, memory: MemoryRegion, by: Invocation) -> Mark {
        let kind = kind(memory);
        let epochs_of_group = by.group.and_then(|group| self.group_epochs.get(&group));
        Mark {
            by: Accessor::One(by),
            kind,
            epoch: self.epochs[kind],
            group_epoch: epochs_of_group.map_or(0, |epochs| epochs[kind]),
            workgroup: self.workgroup,
            device_epoch: self.device_epochs[kind],
        }
    }

    /// Whether an access happens after all earlier ones of other invocations.
    pub(crate) fn is_after(&self, now: &Mark, earlier: &Mark) -> bool {
        if earlier.by == Accessor::None {
            return true;
        }
        if earlier.workgroup != self.workgroup {
            let ordered = self.acquired.get(&earlier.workgroup).map_or(0, |epochs| epochs[now.kind]);
            return earlier.device_epoch < ordered;
        }
        let is_own = match (earlier.by, now.by) {
            (Accessor::One(one), Accessor::One(other)) => one.lane == other.lane,
            _ => false,
        };
        is_own || earlier.epoch < now.epoch || is_past_in_group(earlier, now)
    }

    /// The mark of what was accessed before, and of what is accessed now.
    pub(crate) fn joined(&self, earlier: Mark, now: Mark) -> Mark {
        if earlier.workgroup != now.workgroup && !self.is_after(&now, &earlier) {
            return Mark { workgroup: SEVERAL, ..now };
        }
        // What races with an access that is ordered before this one races with this one, too.
        let is_past =
            earlier.workgroup != now.workgroup || earlier.epoch < now.epoch || is_past_in_group(&earlier, &now);
        Mark { by: if is_past { now.by } else { earlier.by.and(now.by) }, ..now }
    }

    /// An atomic access: another workgroup that accesses the byte later sees what is ordered before it.
    pub(crate) fn synchronize(&mut self, byte: (MemoryRegion, i64)) {
        if !is_of_device(byte.0) {
            return;
        }
        let released = self.released.entry(byte).or_default();
        join(&mut self.seen, released);
        join(released, &self.acquired);
        released.insert(self.workgroup, self.device_epochs);
    }

    /// A barrier for the device orders what was seen before what is accessed afterwards.
    fn acquire(&mut self, kind: usize) {
        for (workgroup, seen) in &self.seen {
            let acquired = self.acquired.entry(*workgroup).or_default();
            acquired[kind] = acquired[kind].max(seen[kind]);
        }
    }
}

/// Whether both are of one group, which had a barrier in between.
fn is_past_in_group(earlier: &Mark, now: &Mark) -> bool {
    earlier.by.group().is_some() && earlier.by.group() == now.by.group() && earlier.group_epoch < now.group_epoch
}

fn join(to: &mut Ordered, from: &Ordered) {
    for (workgroup, epochs) in from {
        let known = to.entry(*workgroup).or_default();
        known.iter_mut().zip(epochs).for_each(|(known, epoch)| *known = *epoch.max(known));
    }
}
