//! Numbers of 8 and 16 bits through a view whose elements they are, where the target has such views.
//!
//! Whole lanes are still accessed as lanes. What fills a lane in part would be cut out of it, or written into it by two
//! atomics, and lies behind the end of a buffer of odd size.

use super::address::Address;
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

/// Whether shared memory can be seen as such an array, too.
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

/// Whether components of `bits` bits at `address`, those in `mask`, can be accessed one by one, and do not fill lanes. A memory
/// of `len` vec4s has no more behind its end.
pub(in crate::pass) fn is_narrow(address: Address, bits: u8, mask: u32, len: Option<u32>) -> bool {
    if !matches!(bits, 8 | 16) {
        return false;
    }
    let bytes = u32::from(bits) / 8;
    let end = bytes * (32 - mask.leading_zeros());
    let outside = match (address, len) {
        (Address::Static { byte }, Some(len)) => u64::from(byte) + u64::from(end) > 16 * u64::from(len),
        _ => false,
    };
    let aligned = match address {
        Address::Byte { mul, rem, .. } => mul % bytes == 0 && rem % bytes == 0,
        known => known.start() % bytes == 0,
    };
    aligned && !outside && !fills_lanes(address, bits, mask)
}

fn fills_lanes(address: Address, bits: u8, mask: u32) -> bool {
    let count = 32 / u32::from(bits);
    let lane = (1 << count) - 1;
    let whole = |first: u32| matches!(mask >> first & lane, all if all == 0 || all == lane);
    !matches!(address, Address::Byte { .. }) && address.start() == 0 && (0..32).step_by(count as usize).all(whole)
}

/// Loads `components` numbers of `bits` bits at `address` through `base`, a pointer to an array of such numbers.
pub(in crate::pass) fn load_narrow(
    b: &mut Builder<'_>,
    base: Def,
    access: u32,
    address: Address,
    (components, bits): (u8, u8),
) -> Def {
    b.vec_of(components, |b, c| {
        let index = element(b, address, u32::from(bits) / 8, c);
        let pointer = b.deref_array(base, index);
        b.load_deref(pointer, access)
    })
}

/// Stores the components of `value` that `mask` names at `address` through `base`, a pointer to an array of such numbers.
pub(in crate::pass) fn store_narrow(
    b: &mut Builder<'_>,
    base: Def,
    access: u32,
    address: Address,
    (value, mask): (Def, u32),
) {
    let bytes = u32::from(b.shader.bit_size(value)) / 8;
    for c in (0..b.shader.num_components(value)).filter(|c| mask >> c & 1 != 0) {
        let index = element(b, address, bytes, c);
        let pointer = b.deref_array(base, index);
        let component = b.channel(value, c);
        b.store_deref(pointer, component, 1, access);
    }
}

/// The index of component `c` in an array of elements of `bytes` bytes.
fn element(b: &mut Builder<'_>, address: Address, bytes: u32, c: u8) -> ArrayIndex {
    let shift = bytes.trailing_zeros();
    let (first, more) = match address {
        Address::Static { byte } => return ArrayIndex::Imm(i64::from(byte / bytes + u32::from(c))),
        Address::Vec4 { index, byte } => (b.ishl_imm(index, 4 - shift), byte / bytes),
        Address::Dword { index, byte, .. } => (b.ishl_imm(index, 2 - shift), byte / bytes),
        Address::Byte { offset, .. } => (b.ushr_imm(offset, shift), 0),
    };
    ArrayIndex::Def(b.iadd_imm(first, u64::from(more + u32::from(c))))
}
