// SPDX-License-Identifier: MIT

//! Accesses to blocks by descriptor set and binding become accesses to the elements of arrays of numbers.

use super::place::{component_bytes, component_step, size_of_block, Block, Place, Slot, Why};
use crate::error::Errors;
use crate::ir::{
    rewrite, ArrayIndex, Builder, Def, Edit, Field, Inst, InstKind, Shader, Type, TypeData, Var, Variable,
};
use crate::op::{AluOp, AluType, Base, Index, Intrinsic, Modes};
use crate::report::Report;
use std::collections::BTreeMap;

/// Memory in descriptors.
const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO);

/// The facts about a binding.
#[derive(Default)]
struct Binding {
    /// The declared variable.
    declared: Option<Var>,
    /// The number of blocks, if they are an array.
    count: Option<Option<u32>>,
    /// The bytes of a uniform block.
    bytes: u64,
    /// The variable for each width of elements in bytes.
    views: BTreeMap<u32, Option<Var>>,
}

type Bindings = BTreeMap<Slot, Binding>;

pub(super) fn raise(shader: &mut Shader) -> Result<(), Errors> {
    if !shader.inventory().has(Intrinsic::load_vulkan_descriptor) {
        return Ok(());
    }
    let mut report = Report::unsupported(shader);
    let mut bindings = Bindings::new();
    for inst in &shader.order {
        if let Some(Err(why)) = survey(shader, *inst, &mut bindings) {
            report.at(*inst, why);
        }
    }
    report.finish()?;
    declare(shader, &mut bindings);
    rewrite(shader, |b, inst| visit(b, inst, &bindings));
    Ok(())
}

/// The place that `inst` accesses, if it accesses a block in a descriptor.
fn accessed(shader: &Shader, inst: Inst) -> Option<(Intrinsic, Def, Result<Place, Why>)> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    let pointer = *srcs.iter().find(|src| shader.as_deref(**src).is_some_and(|d| d.modes.intersects(BUFFERS)))?;
    Some((op, pointer, Place::new(shader, pointer)?))
}

/// Notes the needs of an access; `None` if it is another instruction.
fn survey(shader: &Shader, inst: Inst, bindings: &mut Bindings) -> Option<Result<(), Why>> {
    let (op, pointer, place) = accessed(shader, inst)?;
    Some(place.and_then(|place| {
        let bytes = element_bytes(shader, op, pointer)?;
        let step = component_step(shader, pointer, bytes);
        let strides = place.steps.iter().map(|(_, stride)| u64::from(*stride));
        let mut distances = strides.chain([place.offset, step.into()]);
        let is_access = op != Intrinsic::deref_buffer_array_length;
        if is_access && distances.any(|distance| distance % u64::from(bytes) != 0) {
            return Err(format!("an access that is not aligned to the {bytes} bytes of a component"));
        }
        place.block.map_or(Ok(()), |block| note(shader, &block, bytes, bindings))
    }))
}

/// The bytes of the elements through which `op` accesses `pointer`.
fn element_bytes(shader: &Shader, op: Intrinsic, pointer: Def) -> Result<u32, Why> {
    use Intrinsic::{deref_atomic, deref_atomic_swap, deref_buffer_array_length, load_deref, store_deref};
    match op {
        deref_buffer_array_length => Ok(4),
        load_deref | store_deref | deref_atomic | deref_atomic_swap => {
            let vector = shader.as_deref(pointer).and_then(|deref| shader.types.as_vector(deref.ty));
            vector
                .map(|(scalar, _)| component_bytes(scalar))
                .ok_or_else(|| "an access to a whole struct or array".into())
        }
        _ => Err("this access to a block is not translated".into()),
    }
}

fn note(shader: &Shader, block: &Block, bytes: u32, bindings: &mut Bindings) -> Result<(), Why> {
    let slot = block.slot;
    let is_new = !bindings.contains_key(&slot);
    let binding = bindings.entry(slot).or_default();
    if is_new {
        binding.declared = declared(shader, slot, block.ty);
        binding.count = binding.declared.and_then(|var| shader.types.as_array(shader.vars[var].ty).map(|(_, len)| len));
    }
    if binding.count.is_none() && block.element.iter().any(|def| shader.as_const_scalar(*def) != Some(0)) {
        return Err("an element of an array of blocks, but the variable is no array".into());
    }
    if slot.is_ubo {
        let size = size_of_block(shader, block.ty).ok_or("a uniform block without a size")?;
        binding.bytes = binding.bytes.max(size);
    }
    binding.views.entry(bytes).or_default();
    Ok(())
}

/// The variable that is declared at `slot`, and has the type of the block if several are.
fn declared(shader: &Shader, slot: Slot, ty: Type) -> Option<Var> {
    let mode = if slot.is_ubo { Modes::UBO } else { Modes::SSBO };
    let name =
        |ty: Type| shader.types.as_struct(shader.types.without_arrays(ty)).map(|data| &shader.strings[data.name]);
    let is_at_slot = |variable: &Variable| {
        let is_in_set = variable.descriptor_set.map_or(true, |set| set == slot.set);
        variable.mode == mode && variable.binding == slot.binding && is_in_set
    };
    let at_slot: Vec<Var> = shader.vars.iter().filter(|(_, variable)| is_at_slot(variable)).map(|(id, _)| id).collect();
    let same_name = at_slot.iter().find(|var| name(shader.vars[**var].ty) == name(ty));
    same_name.or(at_slot.first()).copied()
}

/// Declares the variables of all bindings, with numbers for their blocks. The first view of a declared variable takes its place.
fn declare(shader: &mut Shader, bindings: &mut Bindings) {
    let mut next = [0, 0];
    let mut taken = Vec::new();
    for (slot, binding) in bindings.iter_mut() {
        let next = &mut next[usize::from(slot.is_ubo)];
        let first = *next;
        *next += binding.count.flatten().unwrap_or(1);
        let old = binding.declared.map(|var| shader.vars[var].clone());
        for (bytes, view) in &mut binding.views {
            let len = slot.is_ubo.then(|| binding.bytes.div_ceil((*bytes).into()) as u32);
            let variable = variable(shader, (*slot, first), old.as_ref(), (*bytes, len, binding.count));
            *view = Some(match binding.declared.filter(|var| !taken.contains(var)) {
                Some(var) => {
                    taken.push(var);
                    shader.vars[var] = variable;
                    var
                }
                None => shader.vars.push(variable),
            });
        }
    }
    (shader.info.num_ssbos, shader.info.num_ubos) =
        (next[0].max(shader.info.num_ssbos), next[1].max(shader.info.num_ubos));
}

/// A variable at a slot, with elements of this many bytes.
fn variable(
    shader: &mut Shader,
    (slot, first): (Slot, u32),
    old: Option<&Variable>,
    (bytes, len, count): (u32, Option<u32>, Option<Option<u32>>),
) -> Variable {
    let number = shader.types.vector(AluType::new(Base::Uint, 8 * bytes as u8), 1);
    let base = shader.types.array(number, len, bytes);
    let field = Field { name: shader.strings.add("base"), ty: base, offset: Some(0) };
    let name = shader.strings.add("struct");
    let mut ty = shader.types.new_struct(name, &[field]);
    if let Some(count) = count {
        ty = shader.types.array(ty, count, 0);
    }
    let mode = if slot.is_ubo { Modes::UBO } else { Modes::SSBO };
    let kind = if slot.is_ubo { "ubo" } else { "ssbo" };
    let stem = old.map_or_else(
        || format!("{kind}_{}_{}", slot.set, slot.binding),
        |old| shader.strings[old.name].split('@').next().unwrap_or_default().to_string(),
    );
    let name = shader.strings.add(&format!("{stem}@{}", 8 * bytes));
    let variable = old.cloned().unwrap_or_else(|| Variable::new(name, ty, mode));
    Variable { name, ty, driver_location: first, binding: slot.binding, descriptor_set: Some(slot.set), ..variable }
}

fn visit(b: &mut Builder<'_>, inst: Inst, bindings: &Bindings) -> Edit {
    use Intrinsic::{load_vulkan_descriptor, vulkan_resource_index, vulkan_resource_reindex};
    match b.shader.insts[inst].kind {
        InstKind::Deref(deref) if is_in_block(b.shader, inst, b.shader.derefs[deref].modes) => Edit::Remove,
        InstKind::Intrinsic {
            op: load_vulkan_descriptor | vulkan_resource_index | vulkan_resource_reindex, ..
        } => Edit::Remove,
        InstKind::Intrinsic { .. } => match accessed(b.shader, inst) {
            Some((op, pointer, Ok(place))) => match &place.block {
                Some(block) => access(b, inst, (op, pointer), (&place, block), &bindings[&block.slot]),
                None => Edit::Keep,
            },
            _ => Edit::Keep,
        },
        _ => Edit::Keep,
    }
}

fn is_in_block(shader: &Shader, inst: Inst, modes: Modes) -> bool {
    modes.intersects(BUFFERS) && Place::new(shader, inst.def()).is_some()
}

fn access(
    b: &mut Builder<'_>,
    inst: Inst,
    (op, pointer): (Intrinsic, Def),
    (place, block): (&Place, &Block),
    binding: &Binding,
) -> Edit {
    let Ok(bytes) = element_bytes(b.shader, op, pointer) else { return Edit::Keep };
    let Some(var) = binding.views.get(&bytes).copied().flatten() else { return Edit::Keep };
    let block = block_pointer(b, var, block, binding);
    let accessed = b.shader.index(inst, Index::access);
    if op == Intrinsic::deref_buffer_array_length {
        return Edit::Replace(array_length(b, block, accessed, pointer, place));
    }
    let base = b.deref_struct(block, 0);
    let start = place.index(b, bytes);
    let step = component_step(b.shader, pointer, bytes) / bytes;
    let element = |b: &mut Builder<'_>, component: u8| {
        let ahead = u32::from(component) * step;
        let index = match start {
            ArrayIndex::Imm(start) => ArrayIndex::Imm(start + i64::from(ahead)),
            ArrayIndex::Def(start) => ArrayIndex::Def(b.iadd_imm(start, ahead.into())),
        };
        b.deref_array(base, index)
    };
    let srcs = b.shader.as_intrinsic(inst).map(|(_, srcs)| srcs.to_vec()).unwrap_or_default();
    match op {
        Intrinsic::load_deref => {
            let count = b.shader.insts[inst].num_components;
            Edit::Replace(b.vec_of(count, |b, component| {
                let element = element(b, component);
                b.load_deref(element, accessed)
            }))
        }
        Intrinsic::store_deref => {
            let mask = b.shader.index(inst, Index::write_mask);
            for component in (0..b.shader.num_components(srcs[1])).filter(|component| mask >> component & 1 != 0) {
                let (element, value) = (element(b, component), b.channel(srcs[1], component));
                b.store_deref(element, value, 1, accessed);
            }
            Edit::Remove
        }
        _ => {
            let indices = op.info().indices.iter().map(|index| (*index, b.shader.index(inst, *index)));
            let indices: Vec<(Index, u32)> = indices.collect();
            let mut srcs = srcs;
            srcs[0] = element(b, 0);
            let bits = b.shader.insts[inst].bit_size;
            Edit::Replace(b.intrinsic_with(op, 1, bits, &srcs, &indices).def())
        }
    }
}

/// A deref of `block`.
fn block_pointer(b: &mut Builder<'_>, var: Var, block: &Block, binding: &Binding) -> Def {
    let pointer = b.deref_var(var);
    if binding.count.is_none() {
        return pointer;
    }
    let mut parts = block.element.iter().map(|def| b.channel(*def, 0)).collect::<Vec<Def>>().into_iter();
    let first = parts.next().unwrap_or_else(|| b.imm32(0));
    let element = parts.fold(first, |sum, part| b.iadd(sum, part));
    b.deref_array(pointer, ArrayIndex::Def(element))
}

/// The number of elements of the run-time array at `pointer`: of those that the rest of the buffer has space for.
fn array_length(b: &mut Builder<'_>, block: Def, access: u32, pointer: Def, place: &Place) -> Def {
    let indices = [(Index::access, access)];
    let words = b.intrinsic_with(Intrinsic::deref_buffer_array_length, 1, 32, &[block], &indices).def();
    let mut bytes = b.ishl_imm(words, 2);
    if place.offset != 0 {
        let offset = b.imm32(place.offset as u32);
        bytes = b.alu(AluOp::usub_sat, &[bytes, offset]);
    }
    let stride = b.shader.as_deref(pointer).map_or(0, |deref| match b.shader.types.get(deref.ty) {
        TypeData::Array { stride, .. } => stride,
        _ => 0,
    });
    match stride {
        0 => words,
        stride if stride.is_power_of_two() => b.ushr_imm(bytes, stride.trailing_zeros()),
        stride => {
            let stride = b.imm32(stride);
            b.alu(AluOp::udiv, &[bytes, stride])
        }
    }
}
