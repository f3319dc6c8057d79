// SPDX-License-Identifier: MIT

//! Accesses to numbers through a view whose elements have their type.
//!
//! Numbers of 8 and 16 bits use such views if the target supports them: whole lanes are still accessed as lanes, but parts of
//! lanes would be extracted from them, or written by two atomics, and may lie beyond the end of a buffer of odd size. Numbers
//! of 64 bits use such a view if it exists for atomics anyway.

use super::address::{imm, Offset};
use crate::analysis::offsets::Offsets;
use crate::ir::{ArrayIndex, Builder, Def};
use crate::target::{Feature, Target};

/// Whether buffers can be arrays of integers of `bits` bits.
pub(in crate::pass) fn has_elements(target: &Target, bits: u8) -> bool {
    match bits {
        8 => target.has(Feature::storageBuffer8BitAccess) && target.has(Feature::shaderInt8),
        16 => target.has(Feature::storageBuffer16BitAccess) && target.has(Feature::shaderInt16),
        _ => true,
    }
}

/// Whether shared memory can also have such a view.
pub(in crate::pass) fn has_shared_elements(target: &Target, bits: u8) -> bool {
    use Feature::{shaderInt16, shaderInt8, workgroupMemoryExplicitLayout as layout};
    use Feature::{workgroupMemoryExplicitLayout16BitAccess, workgroupMemoryExplicitLayout8BitAccess};
    let wanted = match bits {
        8 => [layout, workgroupMemoryExplicitLayout8BitAccess, shaderInt8],
        16 => [layout, workgroupMemoryExplicitLayout16BitAccess, shaderInt16],
        _ => [layout; 3],
    };
    wanted.iter().all(|feature| target.has(*feature))
}

/// Whether components of 8 or 16 bits at an offset, those in `mask`, can be accessed one by one, and do not fill lanes. A
/// memory of `len` vec4s has no more elements.
pub(in crate::pass) fn is_narrow(offset: Offset, bits: u8, mask: u32, len: Option<u32>) -> bool {
    if !matches!(bits, 8 | 16) {
        return false;
    }
    let bytes = u32::from(bits) / 8;
    let end = bytes * (32 - mask.leading_zeros());
    let outside = match (offset.as_static(), len) {
        (Some(byte), Some(len)) => u64::from(byte) + u64::from(end) > 16 * u64::from(len),
        _ => false,
    };
    offset.is_multiple_of(bytes) && !outside && !fills_lanes(offset, bits, mask)
}

fn fills_lanes(offset: Offset, bits: u8, mask: u32) -> bool {
    let count = 32 / u32::from(bits);
    let lane = (1 << count) - 1;
    let whole = |first: u32| matches!(mask >> first & lane, all if all == 0 || all == lane);
    offset.is_multiple_of(4) && (0..32).step_by(count as usize).all(whole)
}

/// An array of numbers, and the position of an access in it.
#[derive(Clone, Copy)]
pub(in crate::pass) struct Elements<'a> {
    /// A deref of it.
    pub base: Def,
    /// [`Access`](crate::op::Access) bits of each load and store.
    pub access: u32,
    /// The offset, a multiple of the size of an element.
    pub offset: Offset,
    pub offsets: &'a Offsets,
}

impl Elements<'_> {
    /// Loads `components` numbers of `bits` bits.
    pub(in crate::pass) fn load(self, b: &mut Builder<'_>, (components, bits): (u8, u8)) -> Def {
        let first = self.offset.element(b, self.offsets, u32::from(bits) / 8);
        b.vec_of(components, |b, c| {
            let pointer = self.pointer(b, first, c);
            b.load_deref(pointer, self.access)
        })
    }

    /// A deref of the number of `bits` bits.
    pub(in crate::pass) fn first(self, b: &mut Builder<'_>, bits: u8) -> Def {
        let first = self.offset.element(b, self.offsets, u32::from(bits) / 8);
        b.deref_array(self.base, first)
    }

    /// Stores the components of `value` that are in `mask`.
    pub(in crate::pass) fn store(self, b: &mut Builder<'_>, (value, mask): (Def, u32)) {
        let first = self.offset.element(b, self.offsets, u32::from(b.shader.bit_size(value)) / 8);
        for c in (0..b.shader.num_components(value)).filter(|c| mask >> c & 1 != 0) {
            let pointer = self.pointer(b, first, c);
            let component = b.channel(value, c);
            b.store_deref(pointer, component, 1, self.access);
        }
    }

    /// A deref of the element of component `c`, if that of component 0 has index `first`.
    fn pointer(self, b: &mut Builder<'_>, first: ArrayIndex, c: u8) -> Def {
        let index = match first {
            ArrayIndex::Imm(first) => imm(first as u32 + u32::from(c)),
            ArrayIndex::Def(first) => ArrayIndex::Def(b.iadd_imm(first, c.into())),
        };
        b.deref_array(self.base, index)
    }
}
