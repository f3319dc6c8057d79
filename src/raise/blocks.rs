// SPDX-License-Identifier: MIT

//! Accesses to uniform and storage blocks through derefs become accesses by byte offset.
//!
//! A deref starts from a descriptor, as vtn has it, or from a variable, as zink has it: an array of numbers, one variable for each
//! width. The variables stay as the declarations of their blocks: see [`block_table`](crate::analysis::block_table).

use super::place::{component_step, DescribedBlock, Place, Slot, Why, BUFFERS};
use crate::analysis::block_table::{block_array, component_bytes, descriptor_of, size_of};
use crate::error::Errors;
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, InstKind, Shader, Type, TypeData, Var, Variable};
use crate::op::{Access, AluOp, AluSet, AluType, Base, Facts, Index, Intrinsic, Modes};
use crate::report::Report;
use crate::target::DescriptorLayout;
use std::collections::BTreeMap;
use std::ops::Range;

/// The facts about a binding.
struct Binding {
    /// The variable that declares it.
    declared: Option<Var>,
    /// The type of its blocks.
    ty: Type,
    /// The number of blocks, if they are an array.
    count: Option<Option<u32>>,
    /// The number of the first block, and whether the variable has it: those of descriptors have none.
    first: u32,
    has_number: bool,
    /// Qualifiers of all accesses.
    access: Access,
    /// The variables of accesses.
    views: Vec<Var>,
}

type Bindings = BTreeMap<Slot, Binding>;

/// Opcodes that split 64 bits. zink loads what they split as numbers of 64 bits, which are loaded as halves here.
const UNPACKS: AluSet = AluSet::of(&[
    AluOp::unpack_64_2x32,
    AluOp::unpack_64_2x32_split_x,
    AluOp::unpack_64_2x32_split_y,
    AluOp::unpack_64_4x16,
]);

/// Whether blocks are accessed through derefs.
pub(super) fn is_needed(shader: &Shader) -> bool {
    shader.inventory().may_have(Facts::derefs(BUFFERS))
}

pub(super) fn raise(shader: &mut Shader, layout: &DescriptorLayout) -> Result<(), Errors> {
    if !is_needed(shader) {
        return Ok(());
    }
    let mut report = Report::unsupported(shader);
    let mut bindings = Bindings::new();
    for inst in &shader.order {
        if let Some(Err(why)) = survey(shader, *inst, &mut bindings, layout) {
            report.at(*inst, why);
        }
    }
    report.finish()?;
    declare(shader, &mut bindings);
    rewrite(shader, |b, inst| visit(b, inst, &bindings, layout));
    Ok(())
}

/// The place that `inst` accesses, if it accesses a block through a deref.
fn accessed(shader: &Shader, inst: Inst, layout: &DescriptorLayout) -> Option<(Intrinsic, Def, Result<Place, Why>)> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    let pointer = *srcs.iter().find(|src| shader.as_deref(**src).is_some_and(|d| d.modes.intersects(BUFFERS)))?;
    let mut place = Place::new(shader, pointer)?;
    if let Ok(Place { block: Some(DescribedBlock { slot, var: Some(var), .. }), .. }) = &mut place {
        slot.set.get_or_insert_with(|| set_of(&shader.vars[*var], layout));
    }
    Some((op, pointer, place))
}

/// The set of a variable: its own, or that which the driver has for such blocks.
fn set_of(variable: &Variable, layout: &DescriptorLayout) -> u32 {
    variable.descriptor_set.unwrap_or_else(|| layout.slot(descriptor_of(variable)).set)
}

/// Notes the binding of an access; `None` if it is another instruction.
fn survey(shader: &Shader, inst: Inst, bindings: &mut Bindings, layout: &DescriptorLayout) -> Option<Result<(), Why>> {
    let (op, pointer, place) = accessed(shader, inst, layout)?;
    Some(place.and_then(|place| {
        let bytes = element_bytes(shader, op, pointer)?;
        let step = component_step(shader, pointer, bytes);
        let strides = place.steps.iter().map(|(_, stride)| u64::from(*stride));
        let mut distances = strides.chain([place.offset, step.into()]);
        let is_access = op != Intrinsic::deref_buffer_array_length;
        if is_access && distances.any(|distance| distance % u64::from(bytes) != 0) {
            return Err(format!("an access that is not aligned to the {bytes} bytes of a component"));
        }
        place.block.map_or(Ok(()), |block| note(shader, &block, bindings))
    }))
}

/// The bytes of the components that `op` accesses at `pointer`.
fn element_bytes(shader: &Shader, op: Intrinsic, pointer: Def) -> Result<u32, Why> {
    use Intrinsic::{deref_atomic, deref_atomic_swap, deref_buffer_array_length, load_deref, store_deref};
    match op {
        deref_buffer_array_length => Ok(4),
        load_deref | store_deref | deref_atomic | deref_atomic_swap => {
            let vector = shader.as_deref(pointer).and_then(|deref| shader.types.as_vector(deref.ty));
            match vector {
                Some((AluType { base: Base::Bool, .. }, _)) => Err("booleans in buffers are not translated yet".into()),
                Some((scalar, _)) => Ok(component_bytes(scalar)),
                None => Err("an access to a whole struct or array".into()),
            }
        }
        _ => Err("this access to a block is not translated".into()),
    }
}

fn note(shader: &Shader, block: &DescribedBlock, bindings: &mut Bindings) -> Result<(), Why> {
    let slot = block.slot;
    let binding = bindings.entry(slot).or_insert_with(|| {
        let declared = block.var.or_else(|| declared(shader, slot, block.ty));
        let variable = declared.map(|var| &shader.vars[var]);
        Binding {
            declared,
            ty: block.ty,
            count: variable.and_then(|variable| block_array(shader, variable.ty)).map(|(_, count)| count),
            first: variable.map_or(0, |variable| variable.driver_location),
            has_number: block.var.is_some(),
            access: Access::empty(),
            views: Vec::new(),
        }
    });
    if let Some(var) = block.var {
        if binding.views.last() != Some(&var) {
            binding.views.push(var);
        }
        binding.access |= shader.vars[var].access & (Access::COHERENT | Access::VOLATILE | Access::NON_UNIFORM);
    }
    let is_first = |index: &ArrayIndex| shader.as_const_index(*index) == Some(0);
    if binding.count.is_none() && !block.element.iter().all(is_first) {
        return Err("an element of an array of blocks, but the variable is no array".into());
    }
    let needs_size = slot.is_ubo && block.var.is_none();
    if needs_size && size_of(shader, block.ty).is_none() {
        return Err("a uniform block without a size".into());
    }
    Ok(())
}

/// The variable that is declared at `slot`, and has the type of the block if several are.
fn declared(shader: &Shader, slot: Slot, ty: Type) -> Option<Var> {
    let mode = mode_of(slot);
    let name =
        |ty: Type| shader.types.as_struct(shader.types.without_arrays(ty)).map(|data| &shader.strings[data.name]);
    let is_at_slot = |variable: &Variable| {
        let is_in_set = variable.descriptor_set.map_or(true, |set| Some(set) == slot.set);
        variable.mode == mode && variable.binding == slot.binding && is_in_set
    };
    let at_slot: Vec<Var> = shader.vars.iter().filter(|(_, variable)| is_at_slot(variable)).map(|(id, _)| id).collect();
    let same_name = at_slot.iter().find(|var| name(shader.vars[**var].ty) == name(ty));
    same_name.or(at_slot.first()).copied()
}

fn mode_of(slot: Slot) -> Modes {
    if slot.is_ubo {
        Modes::UBO
    } else {
        Modes::SSBO
    }
}

/// Makes the variables declarations of their blocks: gives those of descriptors numbers, and all of them sets. Bindings without a
/// variable get one.
fn declare(shader: &mut Shader, bindings: &mut Bindings) {
    let mut taken: [Vec<Range<u32>>; 2] = Default::default();
    for (slot, binding) in bindings.iter_mut() {
        let var = binding.declared.unwrap_or_else(|| {
            let kind = if slot.is_ubo { "ubo" } else { "ssbo" };
            let name = format!("{kind}_{}_{}", slot.set.unwrap_or(0), slot.binding);
            let name = shader.strings.add(&name);
            shader.vars.push(Variable { binding: slot.binding, ..Variable::new(name, binding.ty, mode_of(*slot)) })
        });
        let taken = &mut taken[usize::from(slot.is_ubo)];
        let range = |first: u32| first..first.saturating_add(binding.count.flatten().unwrap_or(1));
        let own = range(binding.first);
        if !binding.has_number || taken.iter().any(|other| own.start < other.end && other.start < own.end) {
            binding.first = taken.iter().map(|other| other.end).max().unwrap_or(0);
        }
        taken.push(range(binding.first));
        for view in binding.views.iter().chain([&var]) {
            (shader.vars[*view].driver_location, shader.vars[*view].descriptor_set) = (binding.first, slot.set);
        }
    }
    let [storage, uniforms] = taken.map(|taken| taken.into_iter().map(|range| range.end).max().unwrap_or(0));
    shader.info.num_ssbos = shader.info.num_ssbos.max(storage);
    shader.info.num_ubos = shader.info.num_ubos.max(uniforms);
}

fn visit(b: &mut Builder<'_>, inst: Inst, bindings: &Bindings, layout: &DescriptorLayout) -> Edit {
    use Intrinsic::{load_vulkan_descriptor, vulkan_resource_index, vulkan_resource_reindex};
    match b.shader.insts[inst].kind {
        InstKind::Deref(deref) if b.shader.derefs[deref].modes.intersects(BUFFERS) => Edit::Remove,
        InstKind::Intrinsic {
            op: load_vulkan_descriptor | vulkan_resource_index | vulkan_resource_reindex, ..
        } => Edit::Remove,
        InstKind::Intrinsic { .. } => match accessed(b.shader, inst, layout) {
            Some((op, pointer, Ok(place))) => match &place.block {
                Some(block) => access(b, inst, (op, pointer), (&place, block), &bindings[&block.slot]),
                None => Edit::Keep,
            },
            _ => Edit::Keep,
        },
        _ => Edit::Keep,
    }
}

/// An access by byte offset in place of one through a deref.
fn access(
    b: &mut Builder<'_>,
    inst: Inst,
    (op, pointer): (Intrinsic, Def),
    (place, block): (&Place, &DescribedBlock),
    binding: &Binding,
) -> Edit {
    let Ok(bytes) = element_bytes(b.shader, op, pointer) else { return Edit::Keep };
    let qualifiers = Access::from_bits_retain(b.shader.index(inst, Index::access)) | binding.access;
    let block_number = number(b, block, binding);
    if op == Intrinsic::deref_buffer_array_length {
        return Edit::Replace(array_length(b, block_number, qualifiers, pointer, place));
    }
    let start = place.bytes(b);
    let step = component_step(b.shader, pointer, bytes);
    let srcs = b.shader.as_intrinsic(inst).map(|(_, srcs)| srcs.to_vec()).unwrap_or_default();
    let bits = b.shader.insts[inst].bit_size;
    let access = (Index::access, qualifiers.bits());
    let indices = [access, (Index::align_mul, bytes), (Index::range, u32::MAX)];
    let at = |b: &mut Builder<'_>, component: u8| b.iadd_imm(start, u64::from(component) * u64::from(step));
    match op {
        Intrinsic::load_deref => {
            let (op, indices) = match block.slot.is_ubo {
                true => (Intrinsic::load_ubo, &indices[..]),
                false => (Intrinsic::load_ssbo, &indices[..2]),
            };
            let count = b.shader.insts[inst].num_components;
            if op == Intrinsic::load_ubo && bits == 64 && count == 1 && b.shader.inventory().has_any_alu(&UNPACKS) {
                let halves = b.intrinsic_with(op, 2, 32, &[block_number, start], indices).def();
                return Edit::Replace(b.alu(AluOp::pack_64_2x32, &[halves]));
            }
            if step == bytes {
                return Edit::Replace(b.intrinsic_with(op, count, bits, &[block_number, start], indices).def());
            }
            Edit::Replace(b.vec_of(count, |b, component| {
                let offset = at(b, component);
                b.intrinsic_with(op, 1, bits, &[block_number, offset], indices).def()
            }))
        }
        Intrinsic::store_deref => {
            let (value, mask) = (srcs[1], b.shader.index(inst, Index::write_mask));
            let store = |b: &mut Builder<'_>, value, offset, mask| {
                let indices = [access, (Index::align_mul, bytes), (Index::write_mask, mask)];
                b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[value, block_number, offset], &indices);
            };
            if step == bytes {
                store(b, value, start, mask);
                return Edit::Remove;
            }
            for component in (0..b.shader.num_components(value)).filter(|component| mask >> component & 1 != 0) {
                let (offset, value) = (at(b, component), b.channel(value, component));
                store(b, value, offset, 1);
            }
            Edit::Remove
        }
        _ => {
            let by_offset =
                if op == Intrinsic::deref_atomic { Intrinsic::ssbo_atomic } else { Intrinsic::ssbo_atomic_swap };
            let operation = (Index::atomic_op, b.shader.index(inst, Index::atomic_op));
            let operands = [&[block_number, start], &srcs[1..]].concat();
            Edit::Replace(b.intrinsic_with(by_offset, 1, bits, &operands, &[access, operation]).def())
        }
    }
}

/// The number of a block.
fn number(b: &mut Builder<'_>, block: &DescribedBlock, binding: &Binding) -> Def {
    let constant = block
        .element
        .iter()
        .try_fold(binding.first, |sum, index| Some(sum.wrapping_add(b.shader.as_const_index(*index)?)));
    if let (Some(number), _) | (None, Some(number)) = (constant, binding.count.is_none().then_some(binding.first)) {
        return b.imm32(number);
    }
    let mut parts = Vec::new();
    for index in &block.element {
        parts.push(match *index {
            ArrayIndex::Imm(index) => b.imm32(index as u32),
            ArrayIndex::Def(index) if b.shader.bit_size(index) == 32 => b.channel(index, 0),
            ArrayIndex::Def(index) => b.alu(AluOp::u2u32, &[index]),
        });
    }
    let sum = parts.into_iter().reduce(|sum, part| b.iadd(sum, part));
    let first = b.imm32(binding.first);
    // The table of blocks finds the array by this number.
    sum.map_or(first, |sum| b.alu(AluOp::iadd, &[sum, first]))
}

/// The number of elements of the run-time array at `pointer`: of those that the rest of the buffer has space for.
fn array_length(b: &mut Builder<'_>, block: Def, access: Access, pointer: Def, place: &Place) -> Def {
    let indices = [(Index::access, access.bits())];
    let mut bytes = b.intrinsic_with(Intrinsic::get_ssbo_size, 1, 32, &[block], &indices).def();
    if place.offset != 0 {
        let offset = b.imm32(place.offset as u32);
        bytes = b.alu(AluOp::usub_sat, &[bytes, offset]);
    }
    let stride = b.shader.as_deref(pointer).map_or(0, |deref| match b.shader.types.get(deref.ty) {
        TypeData::Array { stride, .. } => stride,
        _ => 0,
    });
    match stride {
        0 => b.ushr_imm(bytes, 2),
        stride if stride.is_power_of_two() => b.ushr_imm(bytes, stride.trailing_zeros()),
        stride => {
            let stride = b.imm32(stride);
            b.alu(AluOp::udiv, &[bytes, stride])
        }
    }
}
