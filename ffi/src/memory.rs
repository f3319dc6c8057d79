// SPDX-License-Identifier: MIT

//! Results in memory of the caller's allocator.

use crate::bindings::{ntvr_allocator, ntvr_options};
use crate::entry::Failure;
use ntv_core::module::Variant;
use std::ffi::c_void;
use std::mem::{size_of, size_of_val};

extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

unsafe extern "C" fn default_alloc(_: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: malloc takes any size.
    unsafe { malloc(size) }
}

unsafe extern "C" fn default_free(_: *mut c_void, memory: *mut c_void) {
    // SAFETY: the memory came from `default_alloc`.
    unsafe { free(memory) }
}

/// An allocator.
#[derive(Clone, Copy)]
pub(crate) struct Allocator {
    alloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    user: *mut c_void,
}

impl Allocator {
    /// The allocator of `options`, or malloc.
    pub(crate) fn of(options: Option<&ntvr_options>) -> Allocator {
        match options.map(|options| options.allocator) {
            Some(ntvr_allocator { alloc: Some(alloc), free, user }) => Allocator { alloc, free, user },
            _ => Allocator { alloc: default_alloc, free: Some(default_free), user: std::ptr::null_mut() },
        }
    }

    /// A copy of `items`; `None` if there is no memory. A null pointer if there are no items.
    pub(crate) fn copy<T: Copy>(&self, items: &[T]) -> Option<*mut T> {
        if items.is_empty() {
            return Some(std::ptr::null_mut());
        }
        // SAFETY: an allocator takes any size.
        let memory = unsafe { (self.alloc)(self.user, size_of_val(items)) }.cast::<T>();
        if memory.is_null() {
            return None;
        }
        // SAFETY: the memory is new, has the size, and is aligned as malloc's is, which is enough for words and pointers.
        unsafe { memory.copy_from_nonoverlapping(items.as_ptr(), items.len()) };
        Some(memory)
    }

    /// The words of `variant` in new memory.
    pub(crate) fn write(&self, variant: Variant<'_>) -> Result<*mut u32, Failure> {
        let len = variant.num_words();
        // SAFETY: an allocator takes any size. A module has far fewer words than fit in memory.
        let memory = unsafe { (self.alloc)(self.user, len * size_of::<u32>()) }.cast::<u32>();
        if memory.is_null() {
            return Err(Failure::memory());
        }
        // SAFETY: the memory is new and has the size, is aligned as malloc's is, which is enough for words, and is initialized.
        let words = unsafe {
            memory.write_bytes(0, len);
            std::slice::from_raw_parts_mut(memory, len)
        };
        variant.write(words).map(|()| memory).map_err(|error| {
            // SAFETY: it came from this allocator, and nothing else points to it.
            unsafe { self.free(memory) };
            error.into()
        })
    }

    /// Writes `items`, whose size hint has an upper bound, to new memory, and sets `to` and `count`. Returns false if there is no
    /// memory.
    pub(crate) fn put<T>(&self, items: impl Iterator<Item = T>, to: &mut *mut T, count: &mut usize) -> bool {
        let most = items.size_hint().1.unwrap_or(0);
        if most == 0 {
            return true;
        }
        // SAFETY: an allocator takes any size.
        let memory = unsafe { (self.alloc)(self.user, most.saturating_mul(size_of::<T>())) }.cast::<T>();
        for item in items.take(if memory.is_null() { 0 } else { most }) {
            // SAFETY: the memory has space for this number of items and is aligned as malloc's is, which is enough for our
            // structures.
            unsafe { memory.add(*count).write(item) };
            *count += 1;
        }
        *to = memory;
        !memory.is_null()
    }

    /// Frees memory of [`copy`](Allocator::copy) or [`put`](Allocator::put), if the caller has given a `free` function.
    ///
    /// # Safety
    /// `memory` is null or came from this allocator.
    pub(crate) unsafe fn free<T>(&self, memory: *mut T) {
        if let Some(free) = self.free.filter(|_| !memory.is_null()) {
            // SAFETY: by the contract.
            unsafe { free(self.user, memory.cast()) };
        }
    }
}
