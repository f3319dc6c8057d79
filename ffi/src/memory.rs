//! Results in memory of the caller's allocator.

use crate::bindings::{ntv_allocator, ntv_options};
use std::ffi::c_void;
use std::mem::size_of_val;

extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

unsafe extern "C" fn default_alloc(_: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: malloc takes any size.
    unsafe { malloc(size) }
}

unsafe extern "C" fn default_free(_: *mut c_void, memory: *mut c_void) {
    // SAFETY: what is freed came from `default_alloc`.
    unsafe { free(memory) }
}

/// An allocator that is there.
#[derive(Clone, Copy)]
pub(crate) struct Allocator {
    alloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    user: *mut c_void,
}

impl Allocator {
    /// That of `options`, or malloc.
    pub(crate) fn of(options: Option<&ntv_options>) -> Allocator {
        match options.map(|options| options.allocator) {
            Some(ntv_allocator { alloc: Some(alloc), free, user }) => Allocator { alloc, free, user },
            _ => Allocator { alloc: default_alloc, free: Some(default_free), user: std::ptr::null_mut() },
        }
    }

    /// A copy of `items`; `None` if there is no memory. No items are a null pointer.
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

    /// Frees what [`copy`](Allocator::copy) gave, if the caller frees that way.
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
