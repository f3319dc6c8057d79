// SPDX-License-Identifier: MIT

//! The memory layout of types.
//!
//! Explicit strides and offsets are used as they are. Types without them have a natural layout: each component is aligned to its
//! own size, and there is no other padding. zink's blocks have this layout, and a shader cannot observe that of private memory.

use crate::memory::Buffer;
use crate::Bits;
use ntv::entity::{Id, SideTable};
use ntv::ir::{Shader, Type, TypeData, TypeTable, Var};
use ntv::op::fold::mask;
use ntv::op::{AluType, Base, Modes};

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SizeAndAlign {
    pub size: u64,
    align: u64,
}

/// The extents of all types.
pub(crate) struct Layout {
    extents: Vec<Option<SizeAndAlign>>,
}

impl Layout {
    pub(crate) fn new(types: &TypeTable) -> Layout {
        let mut layout = Layout { extents: vec![None; types.len()] };
        // The parts of a type mostly precede it, so one round is usual; a pass may give a struct a field of a later type.
        loop {
            let mut changed = false;
            for index in 0..types.len() {
                if layout.extents[index].is_none() {
                    layout.extents[index] = layout.measure(types, Type::from_index(index));
                    changed |= layout.extents[index].is_some();
                }
            }
            if !changed {
                return layout;
            }
        }
    }

    /// The extent of `ty`; `None` for opaque types such as textures.
    pub(crate) fn of(&self, ty: Type) -> Option<SizeAndAlign> {
        self.extents[ty.index()]
    }

    /// The distance in bytes between elements of `ty`.
    pub(crate) fn stride(&self, types: &TypeTable, ty: Type) -> Option<u64> {
        match types.get(ty) {
            TypeData::Array { stride, .. } if stride != 0 => Some(u64::from(stride)),
            TypeData::Array { elem, .. } => self.of(elem).map(|elem| elem.size.next_multiple_of(elem.align)),
            TypeData::Matrix { scalar, rows, .. } => Some(u64::from(rows) * component_bytes(scalar)),
            TypeData::Vector(scalar, _) => Some(component_bytes(scalar)),
            _ => None,
        }
    }

    /// The offset in bytes of field `field` of the struct `ty`.
    pub(crate) fn field_offset(&self, types: &TypeTable, ty: Type, field: u32) -> Option<u64> {
        let mut end = 0u64;
        for (index, field_data) in types.as_struct(ty)?.fields.iter().enumerate() {
            let extent = self.of(field_data.ty)?;
            // zink's blocks have a fixed and a run-time array of the same bytes, without offsets.
            let is_view = matches!(types.as_array(field_data.ty), Some((_, None)));
            let next = if is_view { 0 } else { end.next_multiple_of(extent.align) };
            let start = field_data.offset.map_or(next, u64::from);
            if index == field as usize {
                return Some(start);
            }
            end = start.saturating_add(extent.size);
        }
        None
    }

    fn measure(&self, types: &TypeTable, ty: Type) -> Option<SizeAndAlign> {
        match types.get(ty) {
            TypeData::Scalar(scalar) => Some(numbers(scalar, 1)),
            TypeData::Vector(scalar, n) => Some(numbers(scalar, u64::from(n))),
            TypeData::Matrix { scalar, columns, rows } => Some(numbers(scalar, u64::from(columns) * u64::from(rows))),
            TypeData::Array { elem, len, .. } => {
                let align = self.of(elem)?.align;
                let size = self.stride(types, ty)?.saturating_mul(u64::from(len.unwrap_or(0)));
                Some(SizeAndAlign { size, align })
            }
            TypeData::Struct(_) => {
                let fields = &types.as_struct(ty)?.fields;
                let mut whole = SizeAndAlign { size: 0, align: 1 };
                for (index, field) in fields.iter().enumerate() {
                    let extent = self.of(field.ty)?;
                    let end = self.field_offset(types, ty, index as u32)?.saturating_add(extent.size);
                    whole = SizeAndAlign { size: whole.size.max(end), align: whole.align.max(extent.align) };
                }
                Some(whole)
            }
            _ => None,
        }
    }
}

fn numbers(scalar: AluType, count: u64) -> SizeAndAlign {
    let align = component_bytes(scalar);
    SizeAndAlign { size: align * count, align }
}

/// The size of a component in memory: 4 bytes for a boolean.
pub(crate) fn component_bytes(scalar: AluType) -> u64 {
    match scalar.base {
        Base::Bool => 4,
        _ => u64::from(scalar.bits / 8).max(1),
    }
}

impl Layout {
    /// The first byte of each variable in private or shared memory, and the sizes of both.
    ///
    /// Blocks in shared memory all start at 0, like blocks in SPIR-V's Workgroup storage class. Other variables are placed one
    /// after the other.
    pub(crate) fn place_variables(&self, shader: &Shader) -> (SideTable<Var, u64>, u64, u64) {
        let mut places = SideTable::new(0);
        let mut private = 0u64;
        let mut shared = u64::from(shader.info.shared_size).next_multiple_of(16);
        for (var, variable) in shader.vars.iter() {
            let size = self.of(variable.ty).map_or(0, |extent| extent.size);
            let end = match variable.mode {
                Modes::SHADER_TEMP | Modes::FUNCTION_TEMP | Modes::CONSTANT => &mut private,
                Modes::SHARED if shader.types.as_struct(variable.ty).is_some() => {
                    shared = shared.max(size);
                    continue;
                }
                Modes::SHARED => &mut shared,
                _ => continue,
            };
            let start = end.saturating_add(15) & !15;
            places.set(var, start);
            *end = start.saturating_add(size);
        }
        (places, private, shared)
    }

    /// The scalars of `ty` in order, with their offsets. At most `max`.
    pub(crate) fn scalars(&self, types: &TypeTable, ty: Type, max: usize) -> Vec<(u64, AluType)> {
        let mut found = Vec::new();
        let mut rest = vec![(0u64, ty)];
        while let Some((start, ty)) = rest.pop().filter(|_| found.len() < max) {
            if self.of(ty).is_none_or(|extent| extent.size == 0) {
                continue;
            }
            let (scalar, count) = match types.get(ty) {
                TypeData::Scalar(scalar) => (scalar, 1),
                TypeData::Vector(scalar, n) => (scalar, u64::from(n)),
                TypeData::Matrix { scalar, columns, rows } => (scalar, u64::from(columns) * u64::from(rows)),
                TypeData::Array { elem, len, .. } => {
                    let stride = self.stride(types, ty).unwrap_or(0);
                    let len = u64::from(len.unwrap_or(0)).min(max as u64);
                    rest.extend((0..len).rev().map(|i| (start.saturating_add(i * stride), elem)));
                    continue;
                }
                TypeData::Struct(_) => {
                    let fields = types.as_struct(ty).map_or(&[][..], |data| &data.fields[..]);
                    let places = (0..fields.len()).rev().filter_map(|i| {
                        let offset = self.field_offset(types, ty, i as u32)?;
                        Some((start.saturating_add(offset), fields[i].ty))
                    });
                    rest.extend(places);
                    continue;
                }
                _ => continue,
            };
            found.extend((0..count).map(|i| (start + i * component_bytes(scalar), scalar)));
        }
        found
    }

    /// Puts the initial values of variables into the private memory.
    pub(crate) fn set_first_values(&self, shader: &Shader, places: &SideTable<Var, u64>, memory: &mut Buffer) {
        for (var, variable) in shader.vars.iter() {
            let is_private = variable.mode.intersects(Modes::SHADER_TEMP | Modes::FUNCTION_TEMP | Modes::CONSTANT);
            let Some(values) = variable.values.filter(|_| is_private) else { continue };
            let values = &shader.consts[values];
            for ((offset, scalar), value) in self.scalars(&shader.types, variable.ty, values.len()).iter().zip(values) {
                let bits = component_bytes(*scalar) as u8 * 8;
                // True has all bits set in memory.
                let value = if scalar.base == Base::Bool { u64::from(*value != 0).wrapping_neg() } else { *value };
                memory.write((places[var] + offset) as i64, bits, Bits::new(mask(value, bits)));
            }
        }
    }
}
