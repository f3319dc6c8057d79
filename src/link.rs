//! Link: what two stages pass to each other, decided from their tables and patched into their words.
//!
//! Every module says which inputs and outputs it has ([`Varying`]). Between a stage and the next:
//!
//! - They agree by location and component, for a patch and for each vertex on their own; built-ins agree by what they are.
//! - An output that the next stage does not read, and no transform feedback captures, becomes a Private variable; so does an
//!   input that the stage before does not write, which then reads as zeros (colours as opaque black). Any may go: also the middle one of
//!   `gl_Position`, `gl_PointSize` and `gl_ClipDistance`, each of which is a variable of its own.
//! - A varying to which only one side gives less precision has full precision on both.
//! - Locations are packed: those that are left follow each other from 0, and after them those that only transform feedback reads.
//!
//! ```text
//! vertex:   out 0, out 3 (nobody reads it), out 5   ->   out 0, Private, out 1
//! fragment: in 0, in 5, in 9 (nobody writes it)     ->   in 0, in 1, Private = 0
//! ```
//!
//! The fixed function takes all built-ins of the last stage before the rasterizer. The cost is that of the tables: no word is parsed.
//!
//! Links can follow each other: the first and last side of a link stay open, so stages may be linked alone to move their descriptors, then
//! in parts, then all. What comes out is what one link with all that was decided gives, word by word. What two stages have settled
//! stays: another partner for one of them is an error.

use crate::error::Error;
use crate::module::{refused, Assignment, Decisions, Module, Stage, Varying};
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

/// Links stages that follow each other in a pipeline: one or more. `assignments` are what the driver decides besides, a stage each:
/// descriptors, captures, constants; missing ones decide nothing. The locations that they give are those that stages agree by; between two
/// stages of the link they are packed then.
///
/// An error where no pipeline has such stages, where a module cannot do what its assignment says ([`Module::accepts`]), and where
/// a stage was linked with another partner before.
pub fn link(stages: &[&Module], mut assignments: Vec<Assignment>) -> Result<Linked, Error> {
    Stage::check_order(&stages.iter().map(|module| module.stage).collect::<Vec<Stage>>())?;
    if assignments.len() > stages.len() {
        return Err(refused(format!("{} assignments for {} stages", assignments.len(), stages.len())));
    }
    assignments.resize(stages.len(), Assignment::default());
    let parts = stages.iter().zip(assignments).map(|(module, assignment)| Part::new(module, assignment));
    let mut parts = parts.collect::<Result<Vec<Part<'_>>, Error>>()?;
    let mut linked = Linked::default();
    for second in 1..parts.len() {
        let (before, after) = parts.split_at_mut(second);
        settle(&mut before[second - 1], &mut after[0], &mut linked)?;
    }
    linked.modules = parts.iter().map(|part| part.module.link(&part.decisions)).collect();
    for second in (1..parts.len()).filter(|second| parts[*second].decisions.links.inputs.is_some()) {
        let (before, after) = linked.modules.split_at_mut(second);
        let (outputs, inputs) = (&mut before[second - 1].settled.outputs, &mut after[0].settled.inputs);
        // Each side has its own number so far.
        let agreed = outputs.zip(*inputs).map(|(written, read)| written ^ read.rotate_left(16));
        (*outputs, *inputs) = (agreed, agreed);
    }
    Ok(linked)
}

/// Settles what `producer` passes to `consumer`, unless they settled it before.
fn settle(producer: &mut Part<'_>, consumer: &mut Part<'_>, linked: &mut Linked) -> Result<(), Error> {
    let (first, second) = (producer.module, consumer.module);
    let elsewhere = |stage: Stage, side: &str| {
        let stage = stage.name();
        refused(format!("a link has settled the {side} of the {stage} stage with another module already"))
    };
    match (first.settled.outputs, second.settled.inputs) {
        (None, None) => {}
        (Some(first), Some(second)) if first == second => return Ok(()),
        (Some(_), _) => return Err(elsewhere(first.stage, "outputs")),
        (None, Some(_)) => return Err(elsewhere(second.stage, "inputs")),
    }
    let rasterized = second.stage == Stage::Fragment;
    let (written, read) = (producer.components(true), consumer.components(false));
    let wanted = |it: &Varying| it.capture.is_some() || it.builtin.is_some() && rasterized;
    let mut used = BTreeMap::new();
    linked.removed_outputs += producer.settle(true, &read, wanted, &mut used);
    linked.removed_inputs += consumer.settle(false, &written, |_| false, &mut used);
    for (packed, location) in (0..).zip(used.values_mut()) {
        *location = packed;
    }
    producer.pack(true, &used);
    consumer.pack(false, &used);
    Ok(())
}

/// A stage of a link.
struct Part<'m> {
    module: &'m Module,
    /// Its inputs and outputs, with the numbers that the driver gives them.
    interface: Vec<Varying>,
    decisions: Decisions,
}

impl<'m> Part<'m> {
    fn new(module: &'m Module, assignment: Assignment) -> Result<Part<'m>, Error> {
        module.accepts(&assignment)?;
        let decisions = Decisions { assignment, ..Decisions::default() };
        let varyings = module.interface.iter().enumerate();
        let interface = varyings.map(|(index, it)| decisions.applied(index, it)).collect();
        Ok(Part { module, interface, decisions })
    }
}

impl Part<'_> {
    /// The outputs, or the inputs, that may be passed on.
    fn varyings(&self, is_output: bool) -> impl Iterator<Item = (usize, &Varying)> {
        let passed = move |it: &Varying| it.is_output == is_output && !it.removed && !it.is_copy;
        self.interface.iter().enumerate().filter(move |(_, it)| passed(it))
    }

    fn components(&self, is_output: bool) -> Components {
        Components::of(self.varyings(is_output))
    }

    /// Takes away what nobody wants and the other side has not, and notes the locations of the rest. Returns how many went.
    fn settle(
        &mut self,
        is_output: bool,
        other: &Components,
        wanted: impl Fn(&Varying) -> bool,
        used: &mut BTreeMap<u32, u32>,
    ) -> usize {
        let mut decisions = std::mem::take(&mut self.decisions);
        decisions.links.of_mut(is_output).get_or_insert_with(Vec::new);
        let mut removed = 0;
        for (index, varying) in self.varyings(is_output) {
            if varying.removable && !wanted(varying) && !other.meets(varying) {
                decisions.remove(index, is_output);
                removed += 1;
            } else {
                take(used, varying);
            }
            if varying.relaxed && other.is_precise(varying) {
                decisions.be_precise(index, is_output);
            }
        }
        self.decisions = decisions;
        removed
    }

    /// Gives each varying the location that its own has become, and those that only transform feedback reads the next ones.
    fn pack(&mut self, is_output: bool, used: &BTreeMap<u32, u32>) {
        let mut free = used.len() as u32;
        // Copies may share a location.
        let mut copies: BTreeMap<u32, u32> = BTreeMap::new();
        let located = self.interface.iter().enumerate();
        for (index, varying) in located.filter(|(_, it)| it.is_output == is_output && it.builtin.is_none()) {
            if varying.is_copy {
                let packed = *copies.entry(varying.location).or_insert(free);
                self.decisions.assignment.set_location(index, packed);
                free = free.max(packed.saturating_add(varying.locations));
            } else if let Some(packed) = used.get(&varying.location) {
                self.decisions.assignment.set_location(index, *packed);
            }
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
    fn of<'v>(varyings: impl Iterator<Item = (usize, &'v Varying)>) -> Components {
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
