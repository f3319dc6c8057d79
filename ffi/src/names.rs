//! The numbers of names: what a writer of wires asks for once.

use crate::bindings::{ntv_table, NTV_NONE};
use ntv_core::wire::{self, Table};
use std::ffi::{c_char, CStr};

/// The text at `name`, if there is one.
///
/// # Safety
/// `name` is null or points to a string that lives for `'a`.
unsafe fn text<'a>(name: *const c_char) -> Option<&'a str> {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, so a string by the contract.
    unsafe { CStr::from_ptr(name) }.to_str().ok()
}

/// See `ntv.h`.
///
/// # Safety
/// `name` is null or points to a string.
#[no_mangle]
pub unsafe extern "C" fn ntv_wire_number(table: ntv_table, name: *const c_char) -> u32 {
    // SAFETY: by the contract.
    let number = unsafe { text(name) }.and_then(|name| wire::number(Table::from_number(table)?, name));
    number.unwrap_or(NTV_NONE)
}

/// See `ntv.h`.
#[no_mangle]
pub extern "C" fn ntv_wire_num_sources(alu: u32) -> u32 {
    wire::num_sources(alu) as u32
}

/// See `ntv.h`.
#[no_mangle]
pub extern "C" fn ntv_wire_num_indices(intrinsic: u32) -> u32 {
    wire::num_indices(intrinsic) as u32
}

/// See `ntv.h`.
///
/// # Safety
/// `index` is null or points to a string.
#[no_mangle]
pub unsafe extern "C" fn ntv_wire_index(intrinsic: u32, index: *const c_char) -> u32 {
    // SAFETY: by the contract.
    let slot = unsafe { text(index) }.and_then(|name| wire::index_slot(intrinsic, name));
    slot.map_or(NTV_NONE, |slot| slot as u32)
}
