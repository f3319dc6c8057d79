// SPDX-License-Identifier: MIT

//! The bytes of types in memory, and their scalars.
//!
//! Explicit strides and offsets are used as they are. Without them, a component is aligned to its own size and there is no other
//! padding, as in zink's blocks. A run-time array in a struct starts where the struct does: zink's blocks have two views of their
//! bytes.

use ntv::ir::{Field, Type, TypeData, TypeTable};
use ntv::op::{AluType, Base};

/// The bytes of a scalar: 4 for a boolean.
pub(super) fn scalar_bytes(scalar: AluType) -> u64 {
    match scalar.base {
        Base::Bool => 4,
        _ => u64::from(scalar.bits / 8).max(1),
    }
}

/// Size and alignment in bytes; 0 and 1 for opaque types.
fn extent(types: &TypeTable, ty: Type) -> (u64, u64) {
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
            let (_, align) = extent(types, elem);
            (stride(types, ty) * u64::from(len.unwrap_or(0)), align)
        }
        TypeData::Struct(_) => places(types, ty)
            .into_iter()
            .fold((0, 1), |(end, most), (start, size, align)| (end.max(start + size), most.max(align))),
        _ => (0, 1),
    }
}

/// The size of a type in bytes.
pub(super) fn size(types: &TypeTable, ty: Type) -> u64 {
    extent(types, ty).0
}

/// The distance in bytes between the elements of an array, the columns of a matrix, the components of a vector.
pub(super) fn stride(types: &TypeTable, ty: Type) -> u64 {
    match types.get(ty) {
        TypeData::Array { stride, .. } if stride != 0 => stride.into(),
        TypeData::Array { elem, .. } => {
            let (size, align) = extent(types, elem);
            size.next_multiple_of(align)
        }
        TypeData::Matrix { scalar, rows, .. } => scalar_bytes(scalar) * u64::from(rows),
        TypeData::Strided { stride, .. } => stride.into(),
        TypeData::Vector(scalar, _) | TypeData::Scalar(scalar) => scalar_bytes(scalar),
        _ => 0,
    }
}

/// The fields of a struct: the offset, the size and the alignment of each in bytes.
fn places(types: &TypeTable, ty: Type) -> Vec<(u64, u64, u64)> {
    let mut end = 0u64;
    let place = |field: &Field| {
        let (size, align) = extent(types, field.ty);
        let is_view = matches!(types.get(field.ty), TypeData::Array { len: None, .. });
        let next = if is_view { 0 } else { end.next_multiple_of(align) };
        let start = field.offset.map_or(next, u64::from);
        end = start + size;
        (start, size, align)
    };
    fields(types, ty).iter().map(place).collect()
}

/// The offset in bytes of a field.
pub(super) fn offset(types: &TypeTable, ty: Type, field: usize) -> u64 {
    places(types, ty).get(field).map_or(0, |place| place.0)
}

/// The fields of a struct; none of another type.
pub(super) fn fields(types: &TypeTable, ty: Type) -> &[Field] {
    types.as_struct(ty).map_or(&[][..], |data| &data.fields)
}

/// The number of scalars of a type.
pub(super) fn scalars(types: &TypeTable, ty: Type) -> u64 {
    match types.get(ty) {
        TypeData::Scalar(_) => 1,
        TypeData::Vector(_, n) => n.into(),
        TypeData::Strided { components, .. } => components.into(),
        TypeData::Matrix { columns, rows, .. } => u64::from(columns) * u64::from(rows),
        TypeData::Array { elem, len, .. } => scalars(types, elem) * u64::from(len.unwrap_or(0)),
        TypeData::Struct(_) => fields(types, ty).iter().map(|field| scalars(types, field.ty)).sum(),
        _ => 1,
    }
}
