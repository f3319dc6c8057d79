// SPDX-License-Identifier: MIT

//! The keys and words of draws need no memory besides their results, which are in the caller's.

use super::late::{created, file, shaders};
use super::translation::Counter;
use super::{EMPTY_KEY, EMPTY_OPTIONS};
use crate::bindings::*;
use crate::{ntvr_module_destroy, ntvr_module_instantiate, ntvr_program_keys, ntvr_result_free};
use ntv_core::Key;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::size_of;
use std::ptr::{null, null_mut};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: it is the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may have no counter any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the contract is the same.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations of `work`.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

/// Memory of a caller: it is used once, and has the sizes that were requested.
struct Caller {
    memory: Box<[u64]>,
    used: usize,
    sizes: [usize; 4],
    calls: usize,
}

impl Caller {
    fn new() -> Caller {
        Caller { memory: vec![u64::MAX; 1 << 14].into(), used: 0, sizes: [0; 4], calls: 0 }
    }

    fn options(&mut self, flags: u32) -> ntvr_options {
        let allocator = ntvr_allocator { alloc: Some(alloc), free: None, user: std::ptr::from_mut(self).cast() };
        ntvr_options { flags, allocator, ..EMPTY_OPTIONS }
    }
}

unsafe extern "C" fn alloc(user: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: `options` set it.
    let caller = unsafe { &mut *user.cast::<Caller>() };
    let (first, len) = (caller.used, size.div_ceil(size_of::<u64>()));
    let Some(memory) = caller.memory.get_mut(first..first + len) else { return null_mut() };
    let Some(row) = caller.sizes.get_mut(caller.calls) else { return null_mut() };
    *row = size;
    (caller.used, caller.calls) = (first + len, caller.calls + 1);
    memory.as_mut_ptr().cast()
}

const KEY: ntvr_key = ntvr_key { bits: Key::STRIP | Key::FLIP_Y | Key::NO_SAMPLE_MASK, size: [640, 480], ..EMPTY_KEY };

#[test]
fn words_are_written_to_the_memory_of_the_caller() {
    let paths = ["compile/texture_arrays.nir", "stages/generated_tess_control.nir", "stages/fragment_tests.nir"];
    for shader in paths.map(file).into_iter().chain(shaders()) {
        let module = created(&shader);
        for flags in [0, NTVR_OPTION_WORDS_ONLY] {
            let mut caller = Caller::new();
            let options = caller.options(flags);
            let mut result = super::of_caller();
            let count = allocations(|| {
                // SAFETY: all pointers are to what they should be.
                let status = unsafe { ntvr_module_instantiate(module, &KEY, &options, result.as_mut_ptr()) };
                assert_eq!(status, NTVR_OK);
            });
            assert_eq!(count, 0);
            // SAFETY: the call wrote it.
            let result = unsafe { result.assume_init() };
            assert_eq!(caller.sizes[0], result.num_words * size_of::<u32>(), "no more than the words");
            assert!(flags == 0 || caller.calls == 1, "only the words were wanted");
            // SAFETY: the words are in the memory of the caller.
            let words = unsafe { std::slice::from_raw_parts(result.words, result.num_words) };
            assert_eq!(words[0], 0x0723_0203);
        }
        // SAFETY: it is not used any more.
        unsafe { ntvr_module_destroy(module) };
    }
}

/// Without memory for a part of a result there is an error, and the other parts are freed.
#[test]
fn variants_without_memory_are_refused() {
    let module = created(&file("compile/texture_arrays.nir"));
    // Words, bindings, varyings, patches.
    for (available, is_enough) in (0..6).map(|available| (available, available >= 4)) {
        let counter = Counter::new(available);
        let options = counter.options(0);
        let mut result = super::of_caller();
        // SAFETY: all pointers are to what they should be.
        unsafe {
            let status = ntvr_module_instantiate(module, &KEY, &options, result.as_mut_ptr());
            assert_eq!(status, if is_enough { NTVR_OK } else { NTVR_ERROR_MEMORY }, "{available} allocations");
            assert_eq!(result.assume_init_ref().words.is_null(), !is_enough);
            ntvr_result_free(result.as_mut_ptr(), &options);
        }
        assert_eq!(counter.live(), 0, "{available} allocations");
    }
    // SAFETY: it is not used any more.
    unsafe { ntvr_module_destroy(module) };
}

#[test]
fn keys_of_stages_need_no_memory() {
    let modules = shaders().each_ref().map(created);
    let (stages, mut keys) = (modules.map(|module| module.cast_const()), [EMPTY_KEY; 2]);
    let count = allocations(|| {
        // SAFETY: all pointers are to what they should be.
        let status = unsafe { ntvr_program_keys(stages.as_ptr(), 2, &KEY, keys.as_mut_ptr(), null(), null_mut()) };
        assert_eq!(status, NTVR_OK);
    });
    assert_eq!((count, keys[0].bits), (0, Key::FLIP_Y));
    // SAFETY: they are not used any more.
    modules.into_iter().for_each(|module| unsafe { ntvr_module_destroy(module) });
}
