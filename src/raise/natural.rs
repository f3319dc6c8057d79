// SPDX-License-Identifier: MIT

//! The layout of memory whose types have none: each member is aligned to its components.

use crate::analysis::block_table::component_bytes;
use crate::ir::{Shader, Type, TypeData};

/// The bytes of a value of type `ty`, a multiple of its alignment; `None` for a run-time array or an opaque type.
pub(super) fn size_of(shader: &Shader, ty: Type) -> Option<u64> {
    Some(layout_of(shader, ty)?.0)
}

/// The offset of member `field` of the struct `ty`.
pub(super) fn offset_of(shader: &Shader, ty: Type, field: usize) -> Option<u64> {
    let data = shader.types.as_struct(ty)?;
    let (before, _) = end_of(shader, data.fields.get(..field)?.iter().map(|field| field.ty))?;
    let (_, alignment) = layout_of(shader, data.fields.get(field)?.ty)?;
    Some(before.next_multiple_of(alignment))
}

/// The distance between the elements of an array, columns of a matrix, or components of a vector.
pub(super) fn stride_of(shader: &Shader, ty: Type) -> Option<u64> {
    match shader.types.get(ty) {
        TypeData::Array { elem, .. } => size_of(shader, elem),
        TypeData::Matrix { scalar, rows, .. } => Some(u64::from(component_bytes(scalar)) * u64::from(rows)),
        _ => shader.types.as_vector(ty).map(|(scalar, _)| component_bytes(scalar).into()),
    }
}

/// The end of these members, one after the other, and the largest alignment.
fn end_of(shader: &Shader, mut members: impl Iterator<Item = Type>) -> Option<(u64, u64)> {
    members.try_fold((0, 1), |(end, most): (u64, u64), ty| {
        let (size, alignment) = layout_of(shader, ty)?;
        Some((end.next_multiple_of(alignment).checked_add(size)?, most.max(alignment)))
    })
}

/// The bytes and the alignment of `ty`.
fn layout_of(shader: &Shader, ty: Type) -> Option<(u64, u64)> {
    match shader.types.get(ty) {
        TypeData::Array { elem, len, .. } => {
            let (size, alignment) = layout_of(shader, elem)?;
            Some((size.checked_mul(len?.into())?, alignment))
        }
        TypeData::Struct(_) => {
            let (end, alignment) = end_of(shader, shader.types.as_struct(ty)?.fields.iter().map(|field| field.ty))?;
            Some((end.next_multiple_of(alignment), alignment))
        }
        TypeData::Matrix { scalar, columns, rows } => {
            let bytes = u64::from(component_bytes(scalar));
            Some((bytes * u64::from(columns) * u64::from(rows), bytes))
        }
        _ => {
            let (scalar, components) = shader.types.as_vector(ty)?;
            let bytes = u64::from(component_bytes(scalar));
            Some((bytes * u64::from(components), bytes))
        }
    }
}
