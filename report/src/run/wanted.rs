// SPDX-License-Identifier: MIT

//! Compares the inputs that shaders need with the inputs of `ntv run`, before a shader runs.

use super::inputs::{Inputs, Slot};
use crate::problem::Problem;
use ntv::ir::{ArrayIndex, DerefKind, Inst, InstKind, Shader, Var, Variable};
use ntv::module::{Binding, DescriptorKind, Module};
use ntv::op::{Intrinsic, Modes};
use ntv::Place;

/// A shader before and after it was translated.
pub struct Translated<'a> {
    /// The shader as it was read.
    pub read: &'a Shader,
    /// The lowered shader.
    pub lowered: &'a Shader,
    /// Its module.
    pub module: &'a Module,
}

/// The inputs that a shader uses and `given` lacks. An array of descriptors needs the elements that a constant index names, and
/// at least one; a device (`all_elements`) needs all elements.
pub fn missing(of: &Translated<'_>, given: &Inputs, all_elements: bool) -> Vec<Problem> {
    let bindings = of.module.bindings.iter();
    let descriptors = bindings.filter_map(|binding| descriptor(*binding, of, given, all_elements));
    push_constants(of.read, given).into_iter().chain(descriptors).collect()
}

fn push_constants(shader: &Shader, given: &Inputs) -> Option<Problem> {
    let loads = |inst: &&Inst| {
        let op = shader.as_intrinsic(**inst).map(|(op, _)| op);
        matches!(op, Some(Intrinsic::load_push_constant | Intrinsic::load_push_constant_zink))
    };
    let inst = shader.order.iter().find(loads).filter(|_| given.push_constants.is_empty())?;
    Some(problem(shader, Some(*inst), "no push constants are given".to_string()))
}

fn problem(shader: &Shader, inst: Option<Inst>, message: String) -> Problem {
    let line = inst.map_or(0, |inst| shader.lines[inst].0);
    Problem::at(Place::line(line), "missing", message)
}

fn descriptor(binding: Binding, of: &Translated<'_>, given: &Inputs, all_elements: bool) -> Option<Problem> {
    let Binding { set, binding: number, count, .. } = binding;
    let (what, slots) = given_as(binding.kind, given)?;
    let own: Vec<u32> =
        slots.filter(|slot| (slot.set, slot.binding) == (set, number)).map(|slot| slot.element).collect();
    let uses = uses(binding, of.lowered);
    let lacks = |element: &u32| !own.contains(element);
    let element = match all_elements {
        true => (0..count).find(lacks),
        false => uses.iter().filter_map(|one| one.element).find(lacks).or(own.is_empty().then_some(0)),
    }?;
    let first = uses.iter().find(|one| one.element == Some(element)).or(uses.first());
    let name = first.map_or_else(String::new, |first| name(&of.lowered.vars[first.var], of));
    let at = if count > 1 { format!(", element {element}") } else { String::new() };
    let message = format!("set {set}, binding {number}{at}{name}: no {what} is given");
    Some(problem(of.lowered, first.map(|first| first.inst), message))
}

/// The name that the dump has for a variable of the lowered shader, in brackets: lowering splits the variable of a block.
fn name(lowered: &Variable, of: &Translated<'_>) -> String {
    let is_block = lowered.mode.intersects(Modes::UBO | Modes::SSBO);
    let place = |variable: &Variable| match is_block {
        true => variable.driver_location,
        false => variable.binding,
    };
    let same = |read: &&Variable| read.mode == lowered.mode && place(read) == place(lowered);
    let names = of.read.vars.values().filter(same).map(|read| &of.read.strings[read.name]);
    let names: Vec<String> = names.filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => String::new(),
        names => format!(" ({})", names.join(", ")),
    }
}

/// The inputs that are given for descriptors of this kind, and the name of the kind.
fn given_as(kind: DescriptorKind, given: &Inputs) -> Option<(&'static str, Box<dyn Iterator<Item = Slot> + '_>)> {
    use DescriptorKind::*;
    Some(match kind {
        UniformBuffer | StorageBuffer => ("buffer", Box::new(given.buffers.iter().map(|row| row.0))),
        CombinedImageSampler | SampledImage | UniformTexelBuffer => {
            ("texture", Box::new(given.textures.iter().map(|row| row.0)))
        }
        Sampler => ("sampler", Box::new(given.samplers.iter().map(|row| row.0))),
        StorageImage | StorageTexelBuffer => ("image", Box::new(given.images.iter().map(|input| input.slot))),
        // The framebuffer, with the result of earlier draws.
        InputAttachment => return None,
    })
}

/// A use of a descriptor.
struct DescriptorUse {
    var: Var,
    /// The element, 0 if the variable is not an array; `None` if the index is computed.
    element: Option<u32>,
    inst: Inst,
}

/// The uses of `binding` in `shader`: each deref of one of its variables to an element, or to a variable that is not an array.
fn uses(binding: Binding, shader: &Shader) -> Vec<DescriptorUse> {
    let mut uses = Vec::new();
    for inst in &shader.order {
        let InstKind::Deref(deref) = shader.insts[*inst].kind else { continue };
        let deref = shader.derefs[deref];
        let (var, element) = match deref.kind {
            DerefKind::Var(var) if is_array(shader, var) => continue,
            DerefKind::Var(var) => (var, Some(0)),
            DerefKind::Array { parent, index } => {
                let Some(DerefKind::Var(var)) = shader.as_deref(parent).map(|whole| whole.kind) else { continue };
                if !is_array(shader, var) {
                    continue;
                }
                let is_last = shader.types.as_array(deref.ty).is_none();
                (var, constant(shader, index).filter(|_| is_last))
            }
            _ => continue,
        };
        if is_at(&shader.vars[var], binding) {
            uses.push(DescriptorUse { var, element, inst: *inst });
        }
    }
    uses
}

fn constant(shader: &Shader, index: ArrayIndex) -> Option<u32> {
    match index {
        ArrayIndex::Imm(index) => u32::try_from(index).ok(),
        ArrayIndex::Def(def) => shader.as_const_scalar(def).and_then(|index| u32::try_from(index).ok()),
    }
}

fn is_array(shader: &Shader, var: Var) -> bool {
    shader.types.as_array(shader.vars[var].ty).is_some()
}

/// Whether `variable` has the descriptors of `binding`.
fn is_at(variable: &Variable, binding: Binding) -> bool {
    let mode = match binding.kind {
        DescriptorKind::UniformBuffer => Modes::UBO,
        DescriptorKind::StorageBuffer => Modes::SSBO,
        _ => Modes::UNIFORM | Modes::IMAGE,
    };
    let set = variable.descriptor_set.unwrap_or(binding.set);
    variable.mode.intersects(mode) && (set, variable.binding) == (binding.set, binding.binding)
}
