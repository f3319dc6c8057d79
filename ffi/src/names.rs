// SPDX-License-Identifier: MIT

//! The numbers of names, and the versions, which writers of wires read once.

use crate::bindings::{ntvr_table, NTVR_HEADERS, NTVR_NONE, NTVR_VERSION};
use ntv_core::op::names::{varying, SlotKind};
use ntv_core::op::slots;
use ntv_core::wire::{self, Table};
use std::ffi::{c_char, CStr};
use std::ptr::null;

/// The text at `name`, if there is one.
///
/// # Safety
/// `name` is null or points to a string that lives for `'a`.
pub(crate) unsafe fn text<'a>(name: *const c_char) -> Option<&'a str> {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, so a string by the contract.
    unsafe { CStr::from_ptr(name) }.to_str().ok()
}

/// `ntvr_version`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn version() -> *const c_char {
    NTVR_VERSION.as_ptr().cast()
}

/// The hashes of the headers with which a driver may have been built: these ones, and those of each release with the same ABI.
const HEADERS: &[u64] = &[NTVR_HEADERS];

/// `ntvr_check_headers`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn check_headers(headers: u64) -> *const c_char {
    match HEADERS.contains(&headers) {
        true => null(),
        false => c"this driver was built with the headers of another libntvr than the one that is loaded".as_ptr(),
    }
}

/// `ntvr_wire_version`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn wire_version() -> u32 {
    wire::VERSION
}

/// `ntvr_wire_number`.
///
/// # Safety
/// `name` is null or points to a string.
pub(crate) unsafe fn number(table: ntvr_table, name: *const c_char) -> u32 {
    // SAFETY: by the contract.
    let number = unsafe { text(name) }.and_then(|name| wire::number(Table::from_number(table)?, name));
    number.unwrap_or(NTVR_NONE)
}

/// `ntvr_wire_num_indices`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn num_indices(intrinsic: u32) -> u32 {
    wire::num_indices(intrinsic) as u32
}

/// `ntvr_slot_location`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn slot_location(slot: u32) -> u32 {
    if slot < varying::END {
        slots::location(SlotKind::Varying, slot, 0)
    } else {
        NTVR_NONE
    }
}

/// `ntvr_wire_index`.
///
/// # Safety
/// `index` is null or points to a string.
pub(crate) unsafe fn index(intrinsic: u32, index: *const c_char) -> u32 {
    // SAFETY: by the contract.
    let slot = unsafe { text(index) }.and_then(|name| wire::index_slot(intrinsic, name));
    slot.map_or(NTVR_NONE, |slot| slot as u32)
}
