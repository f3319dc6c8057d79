//! Link: what two stages pass to each other, decided from their tables and patched into their words.
//!
//! Every module says which inputs and outputs it has ([`Varying`]). Between a stage and the next:
//!
//! - They agree by location and component, for a patch and for each vertex on their own; built-ins agree by what they are.
//! - An output that the next stage does not read, and no transform feedback captures, becomes a Private variable; so does an
//!   input that the stage before does not write, which then reads as zeros (colours as opaque black). Any may go: also the middle one of
//!   `gl_Position`, `gl_PointSize` and `gl_ClipDistance`, each of which is a variable of its own.
//! - A varying to which only one side gives less precision has full precision on both.
//! - Locations are packed: those that are left follow each other from 0.
//!
//! ```text
//! vertex:   out 0, out 3 (nobody reads it), out 5   ->   out 0, Private, out 1
//! fragment: in 0, in 5, in 9 (nobody writes it)     ->   in 0, in 1, Private = 0
//! ```
//!
//! What is behind the last stage in front of the rasterizer takes all built-ins. The cost is that of the tables: no word is parsed.

use crate::module::{Decisions, Module, Stage, Varying};
use std::collections::BTreeMap;

/// What a link did.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// The stages with all that is decided, in the order in which they were given.
    pub modules: Vec<Module>,
    /// Outputs that went.
    pub removed_outputs: usize,
    /// Inputs that went.
    pub removed_inputs: usize,
}

/// Links stages of one pipeline, which come in its order. `assignments` are what the driver decides besides, a stage each: sets and
/// bindings, captures, constants; missing ones decide nothing.
pub fn link(stages: &[&Module], mut assignments: Vec<Decisions>) -> Linked {
    assignments.resize(stages.len(), Decisions::default());
    for (decisions, module) in assignments.iter_mut().zip(stages) {
        decisions.links.get_or_insert_with(Vec::new);
        decisions.assignment.locations = module.interface.iter().map(|varying| varying.location).collect();
    }
    let mut linked = Linked::default();
    for second in 1..stages.len() {
        let (before, after) = assignments.split_at_mut(second);
        let first = second - 1;
        let (producer, consumer) = (stages[first], stages[second]);
        let rasterized = consumer.stage == Stage::Fragment;
        let mut outputs = Side { interface: &producer.interface, is_output: true, decisions: &mut before[first] };
        let mut inputs = Side { interface: &consumer.interface, is_output: false, decisions: &mut after[0] };
        let (written, read) = (outputs.components(), inputs.components());
        let wanted = |it: &Varying| it.capture.is_some() || it.builtin.is_some() && rasterized;
        let mut used = BTreeMap::new();
        linked.removed_outputs += outputs.settle(&read, wanted, &mut used);
        linked.removed_inputs += inputs.settle(&written, |_| false, &mut used);
        for (packed, location) in (0..).zip(used.values_mut()) {
            *location = packed;
        }
        outputs.pack(&used);
        inputs.pack(&used);
    }
    linked.modules = stages.iter().zip(&assignments).map(|(module, decisions)| module.link(decisions)).collect();
    linked
}

/// The outputs of a stage, or the inputs of the next, and what is decided about them.
struct Side<'m> {
    interface: &'m [Varying],
    is_output: bool,
    decisions: &'m mut Decisions,
}

impl<'m> Side<'m> {
    fn varyings(&self) -> impl Iterator<Item = (usize, &'m Varying)> {
        let is_output = self.is_output;
        self.interface.iter().enumerate().filter(move |(_, it)| it.is_output == is_output && !it.removed)
    }

    fn components(&self) -> Components {
        Components::of(self.varyings())
    }

    /// Takes away what nobody wants and the other side has not, and notes the locations of the rest. Returns how many went.
    fn settle(
        &mut self,
        other: &Components,
        wanted: impl Fn(&Varying) -> bool,
        used: &mut BTreeMap<u32, u32>,
    ) -> usize {
        let mut removed = 0;
        for (index, varying) in self.varyings() {
            if varying.removable && !wanted(varying) && !other.meets(varying) {
                self.decisions.remove(index);
                removed += 1;
            } else {
                take(used, varying);
            }
            if varying.relaxed && other.is_precise(varying) {
                self.decisions.be_precise(index);
            }
        }
        removed
    }

    /// Gives each varying the location that its own has become.
    fn pack(&mut self, used: &BTreeMap<u32, u32>) {
        for (index, varying) in self.varyings().filter(|(_, it)| it.builtin.is_none()) {
            let packed = used.get(&varying.location).copied();
            self.decisions.assignment.locations[index] = packed.unwrap_or(varying.location);
        }
    }
}

/// Notes the locations of a varying that stays.
fn take(used: &mut BTreeMap<u32, u32>, varying: &Varying) {
    if varying.builtin.is_none() {
        used.extend(slots(varying).map(|location| (location, location)));
    }
}

/// Locations of a varying; no device has as many as the bound.
fn slots(varying: &Varying) -> impl Iterator<Item = u32> {
    const MOST: u32 = 4096;
    let first = varying.location;
    (0..varying.locations.min(MOST)).map(move |slot| first.saturating_add(slot))
}

/// The components that a stage has on its side: by patch and location, a bit for each that is there, and for each of full precision.
#[derive(Default)]
struct Components {
    taken: BTreeMap<(bool, u32), [u8; 2]>,
    builtins: Vec<u32>,
}

impl Components {
    fn of<'m>(varyings: impl Iterator<Item = (usize, &'m Varying)>) -> Components {
        let mut all = Components::default();
        for (_, varying) in varyings {
            let mask = mask(varying);
            match varying.builtin {
                Some(builtin) => all.builtins.push(builtin),
                None => slots(varying).for_each(|location| {
                    let [there, precise] = all.taken.entry((varying.patch, location)).or_default();
                    *there |= mask;
                    *precise |= if varying.relaxed { 0 } else { mask };
                }),
            }
        }
        all
    }

    /// Whether the other side has any component of `varying`.
    fn meets(&self, varying: &Varying) -> bool {
        match varying.builtin {
            Some(builtin) => self.builtins.contains(&builtin),
            None => self.any(varying, 0),
        }
    }

    /// Whether the other side has a component of `varying` at full precision.
    fn is_precise(&self, varying: &Varying) -> bool {
        varying.builtin.is_none() && self.any(varying, 1)
    }

    fn any(&self, varying: &Varying, which: usize) -> bool {
        slots(varying).any(|location| {
            self.taken.get(&(varying.patch, location)).is_some_and(|masks| masks[which] & mask(varying) != 0)
        })
    }
}

/// The components of a varying in each of its locations.
fn mask(varying: &Varying) -> u8 {
    let components = (1u32 << varying.components.min(4)) - 1;
    (components << varying.component.min(3)) as u8 & 0xf
}
