//! The layout of blocks in memory, for which Vulkan has rules ("Offset and Stride Assignment").
//!
//! A driver's types come with offsets and strides, and are decorated with what they say. Types whose elements or members
//! overlap or are not aligned are refused: no device need read them.

use super::types::MAX_DEPTH;
use super::{unsupported, Emit, Result};
use crate::ir::{Type, TypeData};
use crate::op::AluType;

/// What a type takes of memory, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// 0 for a run-time array.
    pub(super) size: u32,
    align: u32,
}

impl Emit<'_> {
    /// The extent of a type with a layout, by the rules of uniform blocks or by those of all others.
    pub(super) fn extent(&mut self, ty: Type, uniform: bool, depth: u32) -> Result<Extent> {
        if depth > MAX_DEPTH {
            return Err(unsupported("a type with so many nested arrays and structs"));
        }
        let data = self.shader.types.get(ty);
        match data {
            TypeData::Scalar(scalar) => return Ok(vector(scalar, 1)),
            TypeData::Vector(scalar, n) => return Ok(vector(scalar, n)),
            _ => {}
        }
        if let Some(extent) = self.state.extents[ty][usize::from(uniform)] {
            return Ok(extent);
        }
        let extent = match data {
            TypeData::Array { elem, len, stride } => {
                let elem = self.extent(elem, uniform, depth + 1)?;
                array(elem, len, stride, uniform)?
            }
            TypeData::Struct(_) => self.struct_extent(ty, uniform, depth)?,
            _ => return Err(unsupported("a block member of this type")),
        };
        self.state.extents.entry(ty)[usize::from(uniform)] = Some(extent);
        Ok(extent)
    }

    fn struct_extent(&mut self, ty: Type, uniform: bool, depth: u32) -> Result<Extent> {
        let shader = self.shader;
        let fields = shader.types.as_struct(ty).map_or(&[][..], |data| &data.fields);
        let mut whole = Extent { size: 0, align: if uniform { 16 } else { 1 } };
        for field in fields {
            let extent = self.extent(field.ty, uniform, depth + 1)?;
            let offset = field.offset.unwrap_or_else(|| next_offset(whole.size));
            if offset < whole.size {
                return Err(unsupported("a block whose members overlap"));
            }
            let aligned = match shader.types.get(field.ty) {
                TypeData::Vector(scalar, _) => {
                    // Vectors need the alignment of a component, but may not cross 16 bytes (relaxed block layout).
                    let last = offset.saturating_add(extent.size - 1);
                    let crosses = if extent.size > 16 { offset % 16 != 0 } else { offset / 16 != last / 16 };
                    !crosses && offset % vector(scalar, 1).align == 0
                }
                _ => offset % extent.align == 0,
            };
            if !aligned {
                return Err(unsupported("a block member at this offset"));
            }
            let end = offset.saturating_add(extent.size);
            whole = Extent { size: end, align: whole.align.max(extent.align) };
            // What follows an array or struct in a uniform block does not share its padding.
            if uniform && matches!(shader.types.get(field.ty), TypeData::Array { .. } | TypeData::Struct(_)) {
                whole.size = end.checked_next_multiple_of(extent.align).unwrap_or(u32::MAX);
            }
        }
        Ok(whole)
    }
}

/// Where a member without an offset stands: at the strictest alignment that one can have.
pub(super) fn next_offset(end: u32) -> u32 {
    end.checked_next_multiple_of(16).unwrap_or(u32::MAX)
}

fn vector(scalar: AluType, n: u8) -> Extent {
    let bytes = u32::from(scalar.bits / 8).max(1);
    // Three components are aligned as four.
    Extent { size: bytes * u32::from(n), align: bytes * u32::from(n).next_power_of_two() }
}

fn array(elem: Extent, len: Option<u32>, stride: u32, uniform: bool) -> Result<Extent> {
    let stride = if stride == 0 { elem.size } else { stride };
    let align = if uniform { elem.align.max(16) } else { elem.align };
    if stride < elem.size {
        return Err(unsupported("an array in a block whose elements overlap"));
    }
    if stride == 0 || stride % align != 0 {
        return Err(unsupported("an array in a block whose elements are not aligned"));
    }
    Ok(Extent { size: stride.saturating_mul(len.map_or(0, |len| len.max(1))), align })
}
