// SPDX-License-Identifier: MIT

//! The layout of blocks in memory, by Vulkan's rules ("Offset and Stride Assignment").
//!
//! A driver's types have offsets and strides, which become decorations. Types whose elements or members overlap or are not aligned
//! are refused: Vulkan does not require devices to support them.

use super::{unsupported, Result};
use crate::ir::{Field, TypeData};
use crate::op::AluType;

/// The size and alignment of a type, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SizeAndAlign {
    /// 0 for a run-time array.
    size: u32,
    align: u32,
}

impl SizeAndAlign {
    /// The extent of a scalar or vector.
    #[inline(always)]
    pub(super) fn of_vector(scalar: AluType, n: u8) -> SizeAndAlign {
        let bytes = u32::from(scalar.bits / 8).max(1);
        // Three components have the alignment of four.
        SizeAndAlign { size: bytes * u32::from(n), align: bytes * u32::from(n).next_power_of_two() }
    }

    /// The extent of an array of these in a uniform block or another block, and its stride.
    pub(super) fn in_array(self, len: Option<u32>, stride: u32, uniform: bool) -> Result<(SizeAndAlign, u32)> {
        let stride = if stride == 0 { self.size } else { stride };
        let align = if uniform { self.align.max(16) } else { self.align };
        if stride < self.size {
            return Err(unsupported("an array in a block whose elements overlap"));
        }
        if stride == 0 || stride % align != 0 {
            return Err(unsupported("an array in a block whose elements are not aligned"));
        }
        Ok((SizeAndAlign { size: stride.saturating_mul(len.map_or(0, |len| len.max(1))), align }, stride))
    }

    /// The extent of a struct without members, in a uniform block or another block.
    pub(super) fn of_struct(uniform: bool) -> SizeAndAlign {
        SizeAndAlign { size: 0, align: if uniform { 16 } else { 1 } }
    }

    /// Adds a `field` of type `ty` and this extent to a struct. Returns its offset.
    pub(super) fn add(&mut self, field: &Field, ty: TypeData, extent: SizeAndAlign, uniform: bool) -> Result<u32> {
        // Without an offset, it gets the strictest alignment that there is.
        let offset = field.offset.unwrap_or_else(|| self.size.checked_next_multiple_of(16).unwrap_or(u32::MAX));
        if offset < self.size {
            return Err(unsupported("a block whose members overlap"));
        }
        let aligned = match ty {
            TypeData::Vector(scalar, _) => {
                // Vectors need the alignment of a component, but must not cross 16 bytes (relaxed block layout).
                let last = offset.saturating_add(extent.size - 1);
                let crosses = if extent.size > 16 { offset % 16 != 0 } else { offset / 16 != last / 16 };
                !crosses && offset % SizeAndAlign::of_vector(scalar, 1).align == 0
            }
            _ => offset % extent.align == 0,
        };
        if !aligned {
            return Err(unsupported("a block member at this offset"));
        }
        self.size = offset.saturating_add(extent.size);
        self.align = self.align.max(extent.align);
        // In a uniform block, a member after an array or struct cannot be in its padding.
        if uniform && matches!(ty, TypeData::Array { .. } | TypeData::Struct(_)) {
            self.size = self.size.checked_next_multiple_of(extent.align).unwrap_or(u32::MAX);
        }
        Ok(offset)
    }
}
