// SPDX-License-Identifier: MIT

//! Translations through the ABI, and their errors.

use super::{Fault, EMPTY_OPTIONS, PANIC};
use crate::bindings::*;
use crate::{
    ntvr_result_free, ntvr_target_enable, ntvr_target_init, ntvr_target_workaround, ntvr_translate,
    ntvr_translator_create, ntvr_translator_destroy,
};
use ntv_core::plan::{Class, Placement, Placements};
use ntv_core::wire::Decoder;
use ntv_core::{text, wire, EmitOptions, Translator, Workaround};
use std::ffi::{c_void, CStr};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

const VULKAN_1_3: u32 = 1 << 22 | 3 << 12;

/// A shader of the repository.
fn dump() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/histogram.nir");
    std::fs::read_to_string(path).expect("an example")
}

pub(super) fn words() -> Vec<u32> {
    wire::encode(&text::parse(&dump()).expect("a shader"))
}

pub(super) fn target() -> ntvr_target {
    let mut target = super::of_caller();
    // SAFETY: the target is only read after it was written.
    unsafe {
        assert!(ntvr_target_init(target.as_mut_ptr(), VULKAN_1_3));
        target.assume_init()
    }
}

/// A translator that is destroyed when it is dropped.
pub(super) struct Handle(*mut ntvr_translator);

impl Handle {
    pub(super) fn new() -> Handle {
        // SAFETY: there are no requirements.
        Handle(unsafe { ntvr_translator_create() })
    }

    /// Status, words and error of a translation.
    pub(super) fn translate(
        &self,
        target: &ntvr_target,
        words: &[u32],
        options: Option<&ntvr_options>,
    ) -> (ntvr_status, Vec<u32>, Option<String>) {
        let options = options.map_or(null(), |options| options as *const ntvr_options);
        let mut result = super::of_caller();
        // SAFETY: all pointers are to what they should be, and the result was written.
        unsafe {
            let status = ntvr_translate(self.0, target, words.as_ptr(), words.len(), options, result.as_mut_ptr());
            let mut result: ntvr_result = result.assume_init();
            let words = match result.words.is_null() {
                true => Vec::new(),
                false => std::slice::from_raw_parts(result.words, result.num_words).to_vec(),
            };
            let error = result.error;
            let error = (!error.is_null()).then(|| CStr::from_ptr(error).to_string_lossy().into_owned());
            ntvr_result_free(&mut result, options);
            assert!(result.words.is_null() && result.error.is_null() && result.bindings.is_null());
            assert!(result.varyings.is_null() && result.patches.is_null());
            (status, words, error)
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: it is not used any more.
        unsafe { ntvr_translator_destroy(self.0) };
    }
}

#[test]
fn words_are_those_of_the_library() {
    let mut shader = text::parse(&dump()).expect("a shader");
    let module = Translator::default().translate(&mut shader, &EmitOptions::default()).expect("a module");
    let handle = Handle::new();
    for _ in 0..2 {
        assert_eq!(handle.translate(&target(), &words(), None), (NTVR_OK, module.words.clone(), None));
    }
}

/// Every shader of the repository, as words.
pub(super) fn all_words() -> Vec<Vec<u32>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut folders, mut all) = (vec![root.join("examples"), root.join("tests/corpus")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "nir") {
                let dump = std::fs::read_to_string(path).expect("a dump");
                let shaders = text::find(&dump).filter_map(|found| found.shader.ok());
                all.extend(shaders.map(|shader| wire::encode(&shader)));
            }
        }
    }
    all
}

#[test]
fn placements_are_those_of_the_library() {
    let dump = include_str!("../../../tests/corpus/pass/place_blocks_bounds.nir");
    let shader = text::parse(dump).expect("a shader");
    let (wire, handle) = (wire::encode(&shader), Handle::new());
    let with = |rows: &[ntvr_placement]| {
        let options = ntvr_options { placements: rows.as_ptr(), num_placements: rows.len(), ..EMPTY_OPTIONS };
        handle.translate(&target(), &wire, Some(&options))
    };
    let plain = handle.translate(&target(), &wire, None);
    let row = ntvr_placement { block: 1, block_class: NTVR_BLOCK_STORAGE, range: 0, offset: 0, clamp: true };
    let mut translator = Translator::default();
    let mut placements = Placements::default();
    placements.set(1, Placement { class: Class::Storage, range: 0, clamp: true });
    translator.set_placements(placements);
    let module = translator.translate(&mut shader.clone(), &EmitOptions::default()).expect("a module");
    assert_eq!(with(&[row]), (NTVR_OK, module.words.clone(), None));
    assert_ne!(plain.1, module.words);
    assert_eq!(with(&[]), plain, "each result is of one shader only");
    for wrong in [ntvr_placement { block_class: 3, ..row }, ntvr_placement { block_class: 2, offset: 4, ..row }] {
        assert_eq!(with(&[wrong]).0, NTVR_ERROR_ARGUMENT);
    }
    let options = ntvr_options { num_placements: 1, ..EMPTY_OPTIONS };
    assert_eq!(handle.translate(&target(), &wire, Some(&options)).0, NTVR_ERROR_ARGUMENT);
}

#[test]
fn valid_nir_is_translated_or_refused_the_same_if_nobody_looks() {
    let handle = Handle::new();
    let options = ntvr_options { flags: NTVR_OPTION_VALID_NIR, ..EMPTY_OPTIONS };
    let few = {
        let mut few = target();
        for feature in [c"shaderInt64", c"shaderFloat64", c"shaderInt16", c"subgroupBallot", c"shaderClipDistance"] {
            // SAFETY: a target and a string.
            assert!(unsafe { ntvr_target_enable(&mut few, feature.as_ptr(), false) });
        }
        few
    };
    let (mut translated, mut refused) = (0, 0);
    for words in all_words() {
        for target in [target(), few] {
            let looked = handle.translate(&target, &words, None);
            match looked.0 {
                NTVR_OK => translated += 1,
                NTVR_ERROR_UNSUPPORTED => refused += 1,
                // These shaders are not valid.
                _ => continue,
            }
            assert_eq!(handle.translate(&target, &words, Some(&options)), looked);
        }
    }
    assert!(translated > 200 && refused > 20, "{translated} translated, {refused} refused");
}

/// The printed text, parsed, has the same lines.
#[test]
fn lines_are_those_of_the_printed_shader() {
    let handle = Handle::new();
    let options = ntvr_options { flags: NTVR_OPTION_LINES, ..EMPTY_OPTIONS };
    let mut translator = Translator::new(crate::target::options(&target()).expect("a target"));
    let mut checked = 0;
    for words in all_words() {
        let (status, with_lines, _) = handle.translate(&target(), &words, Some(&options));
        if status != NTVR_OK {
            continue;
        }
        let mut shader = Default::default();
        Decoder::default().decode(&words, &mut shader).expect("a shader");
        let text = text::print(&shader);
        let mut parsed = text::parse(&text).expect("a printed shader");
        let lines = EmitOptions::default().lines(Some(("shader.nir", &text)));
        assert_eq!(with_lines, translator.translate(&mut parsed, &lines).expect("a module").words, "{text}");
        checked += 1;
    }
    assert!(checked > 200, "only {checked} shaders");
}

#[test]
fn unknown_flags_are_errors() {
    let options = ntvr_options { flags: 2 * NTVR_OPTION_LINES, ..EMPTY_OPTIONS };
    let (status, _, error) = Handle::new().translate(&target(), &words(), Some(&options));
    assert_eq!((status, error.as_deref()), (NTVR_ERROR_ARGUMENT, Some("unknown flags of the options: 0x10")));
}

#[test]
fn sixteen_threads_get_the_same_words() {
    let shared = Handle::new().translate(&target(), &words(), None);
    let one = Handle::new();
    let shared_address = one.0 as usize;
    std::thread::scope(|scope| {
        for number in 0..16 {
            let expected = &shared;
            scope.spawn(move || {
                let own = Handle::new();
                // Every second thread shares a translator, which must be safe.
                let common = std::mem::ManuallyDrop::new(Handle(shared_address as *mut ntvr_translator));
                for _ in 0..20 {
                    let handle = if number % 2 == 0 { &own } else { &*common };
                    assert_eq!(handle.translate(&target(), &words(), None), *expected);
                }
            });
        }
    });
}

#[test]
fn bad_words_are_named() {
    let handle = Handle::new();
    let check = |words: &[u32], status: ntvr_status, text: &str| {
        let (got, none, error) = handle.translate(&target(), words, None);
        let error = error.expect("an error text");
        assert!(got == status && none.is_empty() && error.contains(text), "{got} {error}");
    };
    let good = words();
    check(&[], NTVR_ERROR_MALFORMED, "word 0: this is not a wire");
    check(&good[..good.len() - 1], NTVR_ERROR_MALFORMED, "but should have");
    let mut other = good.clone();
    other[1] = 77;
    check(&other, NTVR_ERROR_MALFORMED, "word 1: version 77 of the format");
    let iadd = wire::number(wire::Table::Alu, "iadd").expect("an opcode");
    let head = iadd << 4 | 1 << 16 | 32 << 21;
    let at = good.iter().position(|word| *word == head).expect("an addition");
    let mut other = good.clone();
    other[at] = head - (iadd << 4) + (999 << 4);
    check(&other, NTVR_ERROR_MALFORMED, "there is no ALU opcode 999");
    let (status, words, _) = handle.translate(&target(), &good, None);
    assert!(status == NTVR_OK && !words.is_empty(), "errors do not harm a translator");
}

#[test]
fn null_pointers_are_errors() {
    let (handle, target, words) = (Handle::new(), target(), words());
    let translate = |translator, target, wire, result| {
        // SAFETY: pointers are null or as they should be.
        unsafe { ntvr_translate(translator, target, wire, words.len(), null(), result) }
    };
    assert_eq!(translate(handle.0, &target, words.as_ptr(), null_mut()), NTVR_ERROR_ARGUMENT);
    let cases = [
        (null_mut(), &target as *const ntvr_target, words.as_ptr(), "translator is NULL"),
        (handle.0, null(), words.as_ptr(), "target is NULL"),
        (handle.0, &target, null(), "wire is NULL"),
    ];
    for (translator, target, wire, text) in cases {
        let mut result = super::of_caller();
        assert_eq!(translate(translator, target, wire, result.as_mut_ptr()), NTVR_ERROR_ARGUMENT);
        // SAFETY: a result is always written unless the pointer is null.
        unsafe {
            let mut result: ntvr_result = result.assume_init();
            assert_eq!(CStr::from_ptr(result.error).to_str(), Ok(text));
            ntvr_result_free(&mut result, null());
        }
    }
    // SAFETY: null is allowed.
    unsafe {
        ntvr_result_free(null_mut(), null());
        ntvr_translator_destroy(null_mut());
        assert!(!ntvr_target_init(null_mut(), VULKAN_1_3));
        assert!(!ntvr_target_enable(null_mut(), c"shaderInt64".as_ptr(), true));
    }
}

#[test]
fn features_have_names() {
    let mut target = target();
    // SAFETY: a target and strings, or null.
    unsafe {
        assert!(ntvr_target_enable(&mut target, c"shaderInt64".as_ptr(), false));
        assert!(!ntvr_target_enable(&mut target, c"shaderInt65".as_ptr(), true));
        assert!(!ntvr_target_enable(&mut target, null(), true));
        assert!(!ntvr_target_init(&mut target, 0));
    }
    let core = crate::target::options(&target).expect("a target").target;
    assert!(!core.has(ntv_core::Feature::shaderInt64) && core.has(ntv_core::Feature::shaderInt16));
    target.buffer_access = 9;
    let (status, _, error) = Handle::new().translate(&target, &words(), None);
    assert_eq!((status, error.as_deref()), (NTVR_ERROR_ARGUMENT, Some("buffer_access of the target is 9")));
}

#[test]
fn workarounds_have_names() {
    let mut target = target();
    let name = c"unsigned_constants";
    let core = |target: &ntvr_target| crate::target::options(target).expect("a target").target;
    let works_around = |target: &ntvr_target| core(target).works_around(Workaround::broken_arbitary_type_const);
    assert!(!works_around(&target));
    // SAFETY: a target and strings, or null.
    unsafe {
        assert!(ntvr_target_workaround(&mut target, name.as_ptr(), true));
        assert!(!ntvr_target_workaround(&mut target, c"broken_const".as_ptr(), false));
        assert!(!ntvr_target_workaround(&mut target, null(), false));
        assert!(!ntvr_target_workaround(null_mut(), name.as_ptr(), false));
    }
    assert!(works_around(&target));
    // SAFETY: a target and a string.
    assert!(unsafe { ntvr_target_workaround(&mut target, name.as_ptr(), false) });
    assert!(!works_around(&target));
}

#[test]
fn a_promise_of_the_driver_arrives() {
    let mut target = target();
    for promised in [false, true] {
        assert_eq!(crate::target::options(&target).expect("a target").target.uniform_ranges_in_vec4s, promised);
        target.uniform_ranges_in_vec4s = true;
    }
}

#[test]
fn a_panic_is_an_error() {
    let handle = Handle::new();
    let before = handle.translate(&target(), &words(), None);
    PANIC.set(Some(Fault::Translation));
    let (status, words_after, error) = handle.translate(&target(), &words(), None);
    PANIC.set(None);
    assert_eq!((status, words_after.len()), (NTVR_ERROR_INTERNAL, 0));
    assert_eq!(error.as_deref(), Some("ntv panicked: a fault that a test forced"));
    assert_eq!(handle.translate(&target(), &words(), None), before, "the translator still works");
}

/// An allocator that counts, and returns null from a certain call on.
pub(super) struct Counter {
    left: AtomicUsize,
    live: AtomicUsize,
}

impl Counter {
    /// An allocator that returns memory for this number of calls.
    pub(super) fn new(left: usize) -> Counter {
        Counter { left: AtomicUsize::new(left), live: AtomicUsize::new(0) }
    }

    /// Options with this allocator, which has to live as long as they are used.
    pub(super) fn options(&self, flags: u32) -> ntvr_options {
        let user = std::ptr::from_ref(self).cast_mut().cast();
        let allocator = ntvr_allocator { alloc: Some(alloc), free: Some(free), user };
        ntvr_options { flags, allocator, ..EMPTY_OPTIONS }
    }

    /// The number of allocations that were not freed.
    pub(super) fn live(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }
}

unsafe extern "C" fn alloc(user: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the counter lives as long as the options that name it.
    let counter = unsafe { &*user.cast::<Counter>() };
    if counter.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err() {
        return null_mut();
    }
    counter.live.fetch_add(1, Ordering::Relaxed);
    Box::into_raw(vec![0u64; size.div_ceil(8)].into_boxed_slice()).cast()
}

unsafe extern "C" fn free(user: *mut c_void, _: *mut c_void) {
    // SAFETY: as above. The memory leaks: its size is not known here.
    unsafe { &*user.cast::<Counter>() }.live.fetch_sub(1, Ordering::Relaxed);
}

#[test]
fn memory_is_the_callers() {
    let handle = Handle::new();
    let expected = handle.translate(&target(), &words(), None);
    // Words, bindings, patches; a compute shader has no inputs and outputs.
    for (flags, needed) in [(0, 3), (NTVR_OPTION_WORDS_ONLY, 1)] {
        for allocations in 0..5 {
            let counter = Counter::new(allocations);
            let options = counter.options(flags);
            let (status, words, error) = handle.translate(&target(), &words(), Some(&options));
            if allocations >= needed {
                assert_eq!((status, words, error), expected);
                assert_eq!(counter.left.load(Ordering::Relaxed), allocations - needed);
            } else {
                assert_eq!((status, words.len()), (NTVR_ERROR_MEMORY, 0));
            }
            assert_eq!(counter.live(), 0, "after {allocations} allocations");
        }
    }
}
