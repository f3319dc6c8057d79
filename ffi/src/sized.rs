// SPDX-License-Identifier: MIT

//! Structures that begin with their size, so that a library and a driver work together whose headers are of other versions: what an
//! older driver does not have is 0, and what a newer one sets is refused.

use crate::bindings::*;
use crate::entry::Failure;
use std::mem::{size_of, MaybeUninit};

/// A structure that the caller fills.
///
/// # Safety
/// It has C's layout, begins with `struct_size`, and zeros are a value of each of its fields.
pub(crate) unsafe trait Sized: Copy {
    /// Its name in the headers.
    const NAME: &'static str;
}

macro_rules! sized {
    ($($name:ident)*) => {$(
        // SAFETY: bindgen made it of a structure of the headers, with numbers, pointers and functions that may be null.
        unsafe impl Sized for $name {
            const NAME: &'static str = stringify!($name);
        }

        const _: () = assert!(std::mem::offset_of!($name, struct_size) == 0);
    )*};
}

sized! {
    ntvr_block ntvr_descriptor_layout ntvr_key ntvr_limits ntvr_link_info ntvr_options ntvr_plan_wishes ntvr_planned
    ntvr_push_constants ntvr_result ntvr_target ntvr_xfb_options ntvr_xfb_state
}

/// The type of `struct_size`.
type Size = u32;

/// No structure is larger: a size above it was not initialized.
const MOST: usize = 4096;

/// The size of a structure of the caller.
///
/// # Safety
/// `from` points to a structure.
unsafe fn size<T: Sized>(from: *const T) -> Result<usize, Failure> {
    // SAFETY: it begins with its size, by the contracts.
    let size = unsafe { from.cast::<Size>().read_unaligned() } as usize;
    match size > size_of::<Size>() && size <= MOST {
        true => Ok(size),
        false => Err(Failure::argument(format!("struct_size of {} is {size}", T::NAME))),
    }
}

/// A copy of the structure at `from`; `None` for null.
///
/// # Safety
/// `from` is null or points to a structure with the size that it begins with.
pub(crate) unsafe fn read<T: Sized>(from: *const T) -> Result<Option<T>, Failure> {
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, so a structure by the contract.
    let size = unsafe { size(from) }?;
    // SAFETY: it has this size.
    let more = (size_of::<T>()..size).any(|at| unsafe { from.cast::<u8>().add(at).read() } != 0);
    if more {
        return Err(Failure::argument(format!("{} has fields that this library does not know", T::NAME)));
    }
    let mut copy = MaybeUninit::<T>::zeroed();
    // SAFETY: both have the bytes, and zeros are a value of each field.
    unsafe {
        copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from.cast(), size.min(size_of::<T>()));
        Ok(Some(copy.assume_init()))
    }
}

/// Copies `from`, apart from its size, to the structure at `to`. The fields that only a newer driver has become 0.
///
/// # Safety
/// `to` points to a structure whose size is initialized.
pub(crate) unsafe fn write<T: Sized>(to: *mut T, from: &T) -> Result<(), Failure> {
    // SAFETY: by the contract.
    let size = unsafe { size(to.cast_const()) }?;
    let (known, start) = (size.min(size_of::<T>()), size_of::<Size>());
    let (to, from) = (to.cast::<u8>(), std::ptr::from_ref(from).cast::<u8>());
    // SAFETY: both structures have the bytes.
    unsafe {
        to.add(start).copy_from_nonoverlapping(from.add(start), known - start);
        to.add(known).write_bytes(0, size - known);
    }
    Ok(())
}

/// Copies of the `len` structures at `first`, which all have the size of the first one.
///
/// # Safety
/// `first` is null or points to `len` structures.
pub(crate) unsafe fn read_all<T: Sized>(first: *const T, len: usize) -> Result<Vec<T>, Failure> {
    if first.is_null() || len == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: not null, so a structure by the contract.
    let size = unsafe { size(first) }?;
    // SAFETY: there are `len` of this size.
    (0..len).filter_map(|at| unsafe { read(first.byte_add(at * size)) }.transpose()).collect()
}

/// Copies `rows` to the structures from `first` on, which get the size `size_like` has.
///
/// # Safety
/// `first` points to space for the rows, each of the size of `size_like`, which is a structure of the caller.
pub(crate) unsafe fn write_all<T: Sized>(
    first: *mut T,
    rows: impl Iterator<Item = T>,
    size_like: *const T,
) -> Result<usize, Failure> {
    // SAFETY: by the contract.
    let size = unsafe { size(size_like) }?;
    let mut count = 0;
    for row in rows {
        // SAFETY: there is space for it, by the contract.
        unsafe {
            let to = first.byte_add(count * size);
            to.cast::<Size>().write_unaligned(size as Size);
            write(to, &row)?;
        }
        count += 1;
    }
    Ok(count)
}
