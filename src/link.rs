// SPDX-License-Identifier: MIT

//! Links stages: decides from their tables which varyings two stages share, and patches their words.
//!
//! Every module has a list of its inputs and outputs ([`Varying`]). Between a stage and the next:
//!
//! - They match by location and component, separately for patches and vertices; built-ins match by their kind.
//! - An output that the next stage does not read, and that is not captured, becomes a Private variable. So does an input that the
//!   stage before does not write, which then reads as zeros (colours as opaque black). Any varying can be removed, also one of
//!   `gl_Position`, `gl_PointSize` and `gl_ClipDistance`: each is a separate variable.
//! - Components of an input that no output declares become outputs that are never written. For a target without `maintenance4`,
//!   inputs get as many components as their outputs.
//! - A varying with less precision on only one side gets full precision on both.
//! - Locations are packed: the remaining varyings follow each other from 0, and after them those that are only captured. Patches
//!   follow the vertices, or start at 0 too if that needs more Locations than devices have: Vulkan numbers patches apart, but
//!   `spirv-val` knows that only since 2024.2.
//!
//! ```text
//! vertex:   out 0, out 3 (not read), out 5            ->   out 0, Private, out 1
//! fragment: in 0, in 5, in 9 (not written)            ->   in 0, in 1, Private = 0
//! ```
//!
//! The fixed function takes all built-ins of the last stage before the rasterizer. The cost depends on the tables only: no words
//! are parsed.
//!
//! Links can follow each other: the first and last side of a link stay open, so stages may be linked alone to move their
//! descriptors, then in parts, then together. The result equals that of one link with all the decisions, word by word. The settled
//! sides of two stages are final: another partner for one of them is an error.

use crate::error::Error;
use crate::module::{refused, Assignment, Decisions, Module, ShaderStage, Undeclared, Varying};
use std::collections::BTreeMap;

/// The result of a link.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// The linked stages, in the order of the input.
    pub modules: Vec<Module>,
    /// The number of removed outputs.
    pub removed_outputs: usize,
    /// The number of removed inputs.
    pub removed_inputs: usize,
}

/// Links one or more successive stages of a pipeline. `assignments` are further decisions of the driver, one for each stage:
/// descriptors, captures, constants; absent ones decide nothing. Their locations are those by which stages match; between two
/// stages of the link, locations are then packed.
///
/// Returns an error if a pipeline cannot have these stages, if a module cannot apply its assignment ([`Module::accepts`]), or if a
/// stage was linked with another partner before.
pub fn link(stages: &[&Module], mut assignments: Vec<Assignment>) -> Result<Linked, Error> {
    ShaderStage::check_order(stages.iter().map(|module| module.stage))?;
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
        // So far, each side has a number of its own.
        let agreed = outputs.zip(*inputs).map(|(written, read)| written ^ read.rotate_left(16));
        (*outputs, *inputs) = (agreed, agreed);
    }
    Ok(linked)
}

/// Settles the varyings between `producer` and `consumer`, unless they are settled already.
fn settle(producer: &mut Part<'_>, consumer: &mut Part<'_>, linked: &mut Linked) -> Result<(), Error> {
    let (first, second) = (producer.module, consumer.module);
    let elsewhere = |stage: ShaderStage, side: &str| {
        let stage = stage.name();
        refused(format!("a link has settled the {side} of the {stage} stage with another module already"))
    };
    match (first.settled.outputs, second.settled.inputs) {
        (None, None) => {}
        (Some(first), Some(second)) if first == second => return Ok(()),
        (Some(_), _) => return Err(elsewhere(first.stage, "outputs")),
        (None, Some(_)) => return Err(elsewhere(second.stage, "inputs")),
    }
    let rasterized = second.stage == ShaderStage::Fragment;
    let (written, read) = (producer.components(true), consumer.components(false));
    let wanted = |it: &Varying| it.capture.is_some() || it.builtin.is_some() && rasterized;
    let mut used = Packing::new();
    linked.removed_outputs += producer.settle(true, &read, wanted, &mut used);
    linked.removed_inputs += consumer.settle(false, &written, |_| false, &mut used);
    pack(&mut used);
    producer.pack(true, &used);
    consumer.pack(false, &used);
    producer.decisions.undeclared = undeclared(producer, consumer, &written, &used);
    if second.has_exact_inputs {
        consumer.decisions.widened = widened(producer, consumer);
    }
    Ok(())
}

/// The inputs with fewer words than the output at their place, if no other input has the next words.
fn widened(producer: &Part<'_>, consumer: &Part<'_>) -> Vec<(u32, u8)> {
    let place = |it: &Varying| (it.patch, it.location, it.component);
    let located = |(_, it): &(usize, &Varying)| it.builtin.is_none();
    let inputs: Vec<(usize, &Varying)> = consumer.varyings(false).filter(located).collect();
    let wider = |(index, input): &(usize, &Varying)| {
        let output = producer.varyings(true).filter(located).find(|(_, output)| place(output) == place(input))?.1;
        let wide = Varying { components: output.components, ..**input };
        let is_free = |(other, it): &(usize, &Varying)| other == index || !Components::one(&wide).meets(it);
        (output.components > input.components && inputs.iter().all(is_free))
            .then_some((*index as u32, output.components))
    };
    inputs.iter().filter_map(wider).collect()
}

/// The components of inputs that no output declares, although another component of the same input is an output.
fn undeclared(producer: &Part<'_>, consumer: &Part<'_>, written: &Components, used: &Packing) -> Vec<Undeclared> {
    let mut all: Vec<Undeclared> = Vec::new();
    for (_, input) in consumer.varyings(false).filter(|(_, it)| it.builtin.is_none()) {
        let open = |(location, mask): (u32, u8)| {
            let declared = written.taken.get(&(input.patch, location)).map_or(0, |masks| masks[0]);
            let asked = all.iter().filter(|it| used.get(&(input.patch, location)) == Some(&it.location));
            (location, mask & !asked.fold(declared, |asked, it| asked | it.components))
        };
        let missing: Vec<(u32, u8)> = slots(input).map(open).filter(|(_, mask)| *mask != 0).collect();
        let Some((like, _)) = producer.varyings(true).find(|(_, output)| Components::one(output).meets(input)) else {
            continue;
        };
        all.extend(missing.into_iter().filter_map(|(location, components)| {
            let location = *used.get(&(input.patch, location))?;
            Some(Undeclared { like: like as u32, location, components })
        }));
    }
    all
}

/// The packed location of each used one. The key is whether it is of patches, and the location.
type Packing = BTreeMap<(bool, u32), u32>;

/// Numbers the used locations.
fn pack(used: &mut Packing) {
    /// The number of locations between the tessellation stages of most devices: 128 components.
    const MOST: usize = 32;
    let vertices = used.range(..(true, 0)).count();
    let first_patch = if used.len() <= MOST { vertices } else { 0 };
    let numbers = (0..vertices).chain(first_patch..);
    for (packed, location) in numbers.zip(used.values_mut()) {
        *location = packed as u32;
    }
}

/// A stage of a link.
struct Part<'m> {
    module: &'m Module,
    /// Its inputs and outputs, with the driver's numbers.
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
    /// The outputs or inputs that another stage may share.
    fn varyings(&self, is_output: bool) -> impl Iterator<Item = (usize, &Varying)> {
        let passed = move |it: &Varying| it.is_output == is_output && !it.removed && !it.is_copy;
        self.interface.iter().enumerate().filter(move |(_, it)| passed(it))
    }

    fn components(&self, is_output: bool) -> Components {
        Components::of(self.varyings(is_output))
    }

    /// Removes varyings that are missing on the other side and not captured, and records the locations of the others. Returns the
    /// number of removed ones.
    fn settle(
        &mut self,
        is_output: bool,
        other: &Components,
        wanted: impl Fn(&Varying) -> bool,
        used: &mut Packing,
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

    /// Moves each varying to its packed location, and those that are only captured to the locations after them.
    fn pack(&mut self, is_output: bool, used: &Packing) {
        let mut free = used.range(..(true, 0)).count() as u32;
        // Copies may share a location.
        let mut copies: BTreeMap<u32, u32> = BTreeMap::new();
        let located = self.interface.iter().enumerate();
        for (index, varying) in located.filter(|(_, it)| it.is_output == is_output && it.builtin.is_none()) {
            if varying.is_copy {
                let packed = *copies.entry(varying.location).or_insert(free);
                self.decisions.assignment.set_location(index, packed);
                free = free.max(packed.saturating_add(varying.locations));
            } else if let Some(packed) = used.get(&(varying.patch, varying.location)) {
                self.decisions.assignment.set_location(index, *packed);
            }
        }
    }
}

/// Marks the locations of a varying that stays as used.
fn take(used: &mut Packing, varying: &Varying) {
    if varying.builtin.is_none() {
        used.extend(slots(varying).map(|(location, _)| ((varying.patch, location), location)));
    }
}

/// The locations of a varying, with the components that it uses; the bound is higher than those of all devices.
fn slots(varying: &Varying) -> impl Iterator<Item = (u32, u8)> + '_ {
    const MOST: usize = 4096;
    let locations = (0..).map(|slot| varying.location.saturating_add(slot));
    locations.zip(varying.masks()).take(MOST)
}

/// The components of one side of a stage: by patch and location, a bit for each one that exists, and for each one of full
/// precision.
#[derive(Default)]
struct Components {
    taken: BTreeMap<(bool, u32), [u8; 2]>,
    builtins: Vec<u32>,
}

impl Components {
    fn of<'v>(varyings: impl Iterator<Item = (usize, &'v Varying)>) -> Components {
        let mut all = Components::default();
        for (_, varying) in varyings {
            match varying.builtin {
                Some(builtin) => all.builtins.push(builtin),
                None => slots(varying).for_each(|(location, mask)| {
                    let [there, precise] = all.taken.entry((varying.patch, location)).or_default();
                    *there |= mask;
                    *precise |= if varying.relaxed { 0 } else { mask };
                }),
            }
        }
        all
    }

    fn one(varying: &Varying) -> Components {
        Components::of(std::iter::once((0, varying)))
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
        slots(varying).any(|(location, mask)| {
            self.taken.get(&(varying.patch, location)).is_some_and(|masks| masks[which] & mask != 0)
        })
    }
}
