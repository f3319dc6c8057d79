// SPDX-License-Identifier: MIT

//! The block and the byte that a deref points to, by the explicit layout of its types, or the natural one of a payload.

use super::natural;
use crate::analysis::block_table::{block_array, component_bytes, is_of_numbers};
use crate::ir::{AluFlags, ArrayIndex, Builder, Def, DerefKind, Inst, Shader, Type, TypeData, Var, Variable};
use crate::op::names::DescriptorType;
use crate::op::{AluOp, Index, Intrinsic, Modes};

/// A block in a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DescribedBlock {
    pub(super) slot: Slot,
    /// The sum of these is the element of the array of blocks at the binding.
    pub(super) element: Vec<ArrayIndex>,
    /// The type of the block.
    pub(super) ty: Type,
    /// The variable that the deref starts from; `None` if it starts from a descriptor.
    pub(super) var: Option<Var>,
}

/// A binding of uniform or storage blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot {
    pub(super) is_ubo: bool,
    /// `None`: the set that the driver has for such blocks.
    pub(super) set: Option<u32>,
    pub(super) binding: u32,
}

/// The place of a number or vector in memory with an explicit layout.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The block in a descriptor; `None` for push constants and payloads.
    pub(super) block: Option<DescribedBlock>,
    /// The constant part of the offset in bytes.
    pub(super) offset: u64,
    /// The other parts: indices, and the bytes of one step of each.
    pub(super) steps: Vec<(Def, u32)>,
}

/// Why a payload has no layout.
const WITHOUT_SIZE: &str = "the payload has a type without a size";

/// Why a pointer has no place.
pub(super) type Why = String;

/// Memory whose variables are places themselves.
const WITHOUT_DESCRIPTORS: Modes = Modes::PUSH_CONST.union(Modes::TASK_PAYLOAD);

/// Memory in descriptors.
pub(super) const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO);

/// More levels of derefs than any type has.
const MOST_STEPS: usize = 256;

/// The distance between the components of the vector at `pointer`.
pub(super) fn component_step(shader: &Shader, pointer: Def, bytes: u32) -> u32 {
    match shader.as_deref(pointer).map(|deref| shader.types.get(deref.ty)) {
        Some(TypeData::Strided { stride, .. }) => stride,
        _ => bytes,
    }
}

impl Place {
    /// The place that the deref `pointer` points to; `None` if it is in other memory.
    pub(super) fn new(shader: &Shader, pointer: Def) -> Option<Result<Place, Why>> {
        let mut way = Vec::new();
        let mut at = pointer;
        let block = loop {
            let deref = shader.as_deref(at)?;
            let parent = match deref.kind {
                DerefKind::Var(_) if WITHOUT_DESCRIPTORS.contains(deref.modes) => break Ok(None),
                DerefKind::Var(var) if BUFFERS.contains(deref.modes) => {
                    break block_of_variable(shader, var, &mut way).map(Some);
                }
                kind => kind.parent().filter(|_| way.len() < MOST_STEPS)?,
            };
            if shader.as_deref(parent).is_none() {
                break block_of(shader, parent, deref.ty)?.map(Some);
            }
            way.push(at);
            at = parent;
        };
        Some(block.and_then(|block| {
            let mut place = Place { block, offset: 0, steps: Vec::new() };
            way.iter().rev().try_for_each(|step| place.step(shader, *step)).map(|()| place)
        }))
    }

    /// Adds the distance from the parent of the deref `at` to it.
    fn step(&mut self, shader: &Shader, at: Def) -> Result<(), Why> {
        let Some(deref) = shader.as_deref(at) else { return Ok(()) };
        match deref.kind {
            DerefKind::Struct { parent, field } => {
                self.offset += u64::from(field_offset(shader, parent, field)?);
                Ok(())
            }
            DerefKind::Array { parent, index } => self.add(index, array_stride(shader, parent)?),
            DerefKind::PtrAsArray { parent, index } => self.add(index, pointer_stride(shader, parent)?),
            DerefKind::Cast { .. } => Ok(()),
            DerefKind::Var(_) | DerefKind::ArrayWildcard { .. } => Err("a deref of several elements".into()),
        }
    }

    /// The distance to the place in bytes.
    pub(super) fn bytes(&self, b: &mut Builder<'_>) -> Def {
        let mut sum = None;
        for (index, stride) in &self.steps {
            let index = match b.shader.bit_size(*index) {
                32 => *index,
                _ => b.alu(AluOp::u2u32, &[*index]),
            };
            let part = match *stride {
                1 => index,
                stride if stride.is_power_of_two() => {
                    let count = b.imm32(stride.trailing_zeros());
                    within_memory(b, AluOp::ishl, index, count)
                }
                stride => {
                    let stride = b.imm32(stride);
                    within_memory(b, AluOp::imul, index, stride)
                }
            };
            sum = Some(sum.map_or(part, |sum| within_memory(b, AluOp::iadd, sum, part)));
        }
        match sum {
            Some(sum) if self.offset == 0 => sum,
            sum => {
                let constant = b.imm32(self.offset as u32);
                sum.map_or(constant, |sum| within_memory(b, AluOp::iadd, sum, constant))
            }
        }
    }

    fn add(&mut self, index: ArrayIndex, stride: u32) -> Result<(), Why> {
        match index {
            ArrayIndex::Def(index) => self.steps.push((index, stride)),
            ArrayIndex::Imm(index) => {
                let bytes = u64::try_from(index).ok().and_then(|index| index.checked_mul(stride.into()));
                let offset = bytes.and_then(|bytes| self.offset.checked_add(bytes));
                self.offset =
                    offset.filter(|offset| *offset < 1 << 32).ok_or("a constant index outside of any block")?;
            }
        }
        Ok(())
    }
}

/// A part of an offset: it does not wrap, as memory has less than 2^32 bytes.
pub(super) fn within_memory(b: &mut Builder<'_>, op: AluOp, first: Def, second: Def) -> Def {
    b.alu_with(op, AluFlags::NO_UNSIGNED_WRAP, &[first.into(), second.into()], None)
}

/// The block of `var` that a deref with these steps, the last first, is in. A step that selects a block is removed.
fn block_of_variable(shader: &Shader, var: Var, way: &mut Vec<Def>) -> Result<DescribedBlock, Why> {
    let Variable { mode, ty, binding, descriptor_set: set, .. } = shader.vars[var];
    let slot = Slot { is_ubo: mode == Modes::UBO, set, binding };
    let Some((ty, _)) = block_array(shader, ty) else {
        return Ok(DescribedBlock { slot, element: Vec::new(), ty, var: Some(var) });
    };
    let selected = way.pop().and_then(|step| shader.as_deref(step)).map(|deref| deref.kind);
    match selected {
        Some(DerefKind::Array { index, .. }) => Ok(DescribedBlock { slot, element: vec![index], ty, var: Some(var) }),
        _ => Err("a deref of several blocks".into()),
    }
}

/// The block of the descriptor `def`, if it is one; an error if it cannot be a block of this crate.
fn block_of(shader: &Shader, def: Def, ty: Type) -> Option<Result<DescribedBlock, Why>> {
    let (op, srcs) = shader.as_intrinsic(def.inst())?;
    if op != Intrinsic::load_vulkan_descriptor {
        return None;
    }
    let (mut element, mut resource) = (Vec::new(), srcs[0]);
    for _ in 0..MOST_STEPS {
        let inst = resource.inst();
        match shader.as_intrinsic(inst) {
            Some((Intrinsic::vulkan_resource_reindex, srcs)) => {
                element.push(ArrayIndex::Def(srcs[1]));
                resource = srcs[0];
            }
            Some((Intrinsic::vulkan_resource_index, srcs)) => {
                element.push(ArrayIndex::Def(srcs[0]));
                return Some(slot(shader, inst).map(|slot| DescribedBlock { slot, element, ty, var: None }));
            }
            _ => break,
        }
    }
    Some(Err("its descriptor is not that of one `vulkan_resource_index`".into()))
}

fn slot(shader: &Shader, inst: Inst) -> Result<Slot, Why> {
    let kind = DescriptorType::ALL.get(shader.index(inst, Index::desc_type) as usize);
    let is_ubo = match kind {
        Some(DescriptorType::uniform_buffer | DescriptorType::inline_uniform_block) => true,
        Some(DescriptorType::storage_buffer) => false,
        kind => return Err(format!("a descriptor of kind {}", kind.map_or("unknown", |kind| kind.name()))),
    };
    let set = Some(shader.index(inst, Index::desc_set));
    Ok(Slot { is_ubo, set, binding: shader.index(inst, Index::binding) })
}

/// The offset of a member.
fn field_offset(shader: &Shader, parent: Def, field: u32) -> Result<u32, Why> {
    let deref = shader.as_deref(parent).ok_or("no struct")?;
    if deref.modes == Modes::TASK_PAYLOAD {
        let offset = natural::offset_of(shader, deref.ty, field as usize);
        return offset.and_then(|offset| u32::try_from(offset).ok()).ok_or_else(|| WITHOUT_SIZE.into());
    }
    let data = shader.types.as_struct(deref.ty).ok_or("no struct")?;
    let offset = data.fields.get(field as usize).and_then(|field| field.offset);
    offset.or(is_of_numbers(shader, data).then_some(0)).ok_or_else(|| {
        let name = &shader.strings[data.name];
        format!(
            "the dump does not have the offsets of the members of `{name}`: `ntv annotate` adds them from the module, or a \
             comment `// ntv: struct={name} {{ ... }}` has them"
        )
    })
}

/// The distance between the elements of the array or vector that `parent` points to.
fn array_stride(shader: &Shader, parent: Def) -> Result<u32, Why> {
    let deref = shader.as_deref(parent).ok_or("no array")?;
    let ty = deref.ty;
    if deref.modes == Modes::TASK_PAYLOAD {
        let size = natural::stride_of(shader, ty);
        return size.and_then(|size| u32::try_from(size).ok()).ok_or_else(|| WITHOUT_SIZE.into());
    }
    match shader.types.get(ty) {
        TypeData::Array { elem, stride: 0, .. } => {
            let block = shader.as_deref(parent).and_then(|deref| shader.as_deref(deref.kind.parent()?));
            let data = block.and_then(|block| shader.types.as_struct(block.ty));
            let tight = data.filter(|data| is_of_numbers(shader, data)).and(shader.types.as_vector(elem));
            let bytes = tight.map(|(scalar, components)| u32::from(components) * component_bytes(scalar));
            bytes.ok_or_else(|| {
                let name = shader.types.name(ty, &shader.strings);
                format!("the dump does not have the stride of `{name}`: `ntv annotate` adds it from the module")
            })
        }
        TypeData::Array { stride, .. } | TypeData::Strided { stride, .. } => Ok(stride),
        TypeData::Vector(scalar, _) => Ok(component_bytes(scalar)),
        _ => Err("a matrix without a layout".into()),
    }
}

/// The distance between the elements of the array of which `parent` points to one.
fn pointer_stride(shader: &Shader, parent: Def) -> Result<u32, Why> {
    match shader.as_deref(parent).map(|deref| deref.kind) {
        Some(DerefKind::Cast { stride, .. }) if stride != 0 => Ok(stride),
        Some(DerefKind::Array { parent, .. }) => array_stride(shader, parent),
        Some(DerefKind::PtrAsArray { parent, .. }) => pointer_stride(shader, parent),
        _ => Err("a pointer without a stride".into()),
    }
}
