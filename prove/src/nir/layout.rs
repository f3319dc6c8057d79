// SPDX-License-Identifier: MIT

//! The bytes of types in memory, and their scalars.
//!
//! Explicit strides and offsets are used as they are. Without them, a component is aligned to its own size and there is no other
//! padding, as in zink's blocks. A run-time array in a struct starts where the struct does: zink's blocks have two views of their
//! bytes.

use ntv::ir::{Type, TypeData, TypeTable};
use ntv::op::{AluType, Base};

/// Answers questions about the types of one table.
#[derive(Debug, Default)]
pub(super) struct Layout;

/// The bytes of a scalar: 4 for a boolean.
pub(super) fn scalar_bytes(scalar: AluType) -> u64 {
    match scalar.base {
        Base::Bool => 4,
        _ => u64::from(scalar.bits / 8).max(1),
    }
}

impl Layout {
    pub(super) fn new(_: &TypeTable) -> Layout {
        Layout
    }

    /// Size and alignment in bytes; 0 and 1 for opaque types.
    pub(super) fn extent(&self, types: &TypeTable, ty: Type) -> (u64, u64) {
        match types.get(ty) {
            TypeData::Scalar(scalar) => (scalar_bytes(scalar), scalar_bytes(scalar)),
            TypeData::Vector(scalar, n) => (scalar_bytes(scalar) * u64::from(n), scalar_bytes(scalar)),
            TypeData::Strided { scalar, components, stride } => {
                (u64::from(stride) * u64::from(components), scalar_bytes(scalar))
            }
            TypeData::Matrix { scalar, columns, rows } => {
                (scalar_bytes(scalar) * u64::from(columns) * u64::from(rows), scalar_bytes(scalar))
            }
            TypeData::Array { elem, len, .. } => {
                let (_, align) = self.extent(types, elem);
                (self.stride(types, ty) * u64::from(len.unwrap_or(0)), align)
            }
            TypeData::Struct(_) => {
                let count = types.as_struct(ty).map_or(0, |data| data.fields.len());
                let mut whole = (0, 1);
                for field in 0..count {
                    let Some(data) = types.as_struct(ty) else { break };
                    let (size, align) = self.extent(types, data.fields[field].ty);
                    whole = (whole.0.max(self.field(types, ty, field) + size), whole.1.max(align));
                }
                whole
            }
            _ => (0, 1),
        }
    }

    /// The distance in bytes between the elements of an array, the columns of a matrix, the components of a vector.
    pub(super) fn stride(&self, types: &TypeTable, ty: Type) -> u64 {
        match types.get(ty) {
            TypeData::Array { stride, .. } if stride != 0 => stride.into(),
            TypeData::Array { elem, .. } => {
                let (size, align) = self.extent(types, elem);
                size.next_multiple_of(align)
            }
            TypeData::Matrix { scalar, rows, .. } => scalar_bytes(scalar) * u64::from(rows),
            TypeData::Strided { stride, .. } => stride.into(),
            TypeData::Vector(scalar, _) | TypeData::Scalar(scalar) => scalar_bytes(scalar),
            _ => 0,
        }
    }

    /// The offset in bytes of a field.
    pub(super) fn field(&self, types: &TypeTable, ty: Type, field: usize) -> u64 {
        let Some(data) = types.as_struct(ty) else { return 0 };
        let mut end = 0u64;
        for (index, it) in data.fields.iter().enumerate() {
            let (size, align) = self.extent(types, it.ty);
            let is_view = matches!(types.get(it.ty), TypeData::Array { len: None, .. });
            let next = if is_view { 0 } else { end.next_multiple_of(align) };
            let start = it.offset.map_or(next, u64::from);
            if index == field {
                return start;
            }
            end = start + size;
        }
        end
    }

    /// The number of scalars of a type.
    pub(super) fn scalars(&self, types: &TypeTable, ty: Type) -> u64 {
        match types.get(ty) {
            TypeData::Scalar(_) => 1,
            TypeData::Vector(_, n) => n.into(),
            TypeData::Strided { components, .. } => components.into(),
            TypeData::Matrix { columns, rows, .. } => u64::from(columns) * u64::from(rows),
            TypeData::Array { elem, len, .. } => self.scalars(types, elem) * u64::from(len.unwrap_or(0)),
            TypeData::Struct(_) => {
                let fields = types.as_struct(ty).map_or(&[][..], |data| &data.fields);
                fields.iter().map(|field| self.scalars(types, field.ty)).sum()
            }
            _ => 1,
        }
    }
}
