// SPDX-License-Identifier: MIT

//! Structures of drivers with older and newer headers.

use super::translation::{target, words, Handle};
use super::{EMPTY_KEY, EMPTY_OPTIONS};
use crate::bindings::{
    ntvr_key, ntvr_options, ntvr_result, ntvr_status, ntvr_target, NTVR_ERROR_ARGUMENT, NTVR_HEADERS, NTVR_OK,
    NTVR_OPTION_WORDS_ONLY,
};
use crate::reflection::empty;
use crate::*;
use std::ffi::CStr;
use std::mem::{offset_of, size_of};
use std::ptr::{from_ref, null, null_mut};

/// The bytes after a structure of a driver: the library must not touch them.
const BEYOND: u8 = 0xa5;

/// The memory of a driver with a structure that has another size.
struct Resized {
    memory: Vec<u64>,
    size: usize,
}

impl Resized {
    /// The fields of `of` that fit into `size` bytes, and zeros.
    fn new<T: Copy>(of: &T, size: usize) -> Resized {
        let mut memory = vec![u64::from_ne_bytes([BEYOND; 8]); size.div_ceil(8) + 8];
        let bytes = memory.as_mut_ptr().cast::<u8>();
        // SAFETY: there is space for the size.
        unsafe {
            bytes.write_bytes(0, size);
            bytes.copy_from_nonoverlapping(from_ref(of).cast(), size.min(size_of::<T>()));
            bytes.cast::<u32>().write(size as u32);
        }
        Resized { memory, size }
    }

    fn at<T>(&mut self) -> *mut T {
        self.memory.as_mut_ptr().cast()
    }

    fn bytes(&self) -> Vec<u8> {
        self.memory.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// Whether the bytes after the structure are as they were.
    fn is_intact(&self) -> bool {
        self.bytes()[self.size..].iter().all(|byte| *byte == BEYOND)
    }
}

/// The status, the words and the error of a translation with these structures.
fn translate(target: &mut Resized, options: &mut Resized, result: &mut Resized) -> (ntvr_status, Vec<u32>, String) {
    let wire = words();
    // SAFETY: the structures have their sizes, and the result has the first fields at least.
    unsafe {
        let translator = ntvr_translator_create();
        let status = ntvr_translate(
            translator,
            target.at(),
            wire.as_ptr(),
            wire.len(),
            options.at(),
            result.at::<ntvr_result>(),
        );
        ntvr_translator_destroy(translator);
        let filled = crate::sized::read(result.at::<ntvr_result>().cast_const());
        let Ok(Some(filled)) = filled else { return (status, Vec::new(), String::new()) };
        let error = match filled.error.is_null() {
            true => String::new(),
            false => CStr::from_ptr(filled.error).to_string_lossy().into_owned(),
        };
        let words = match filled.words.is_null() {
            true => Vec::new(),
            false => std::slice::from_raw_parts(filled.words, filled.num_words).to_vec(),
        };
        ntvr_result_free(result.at(), options.at());
        (status, words, error)
    }
}

#[test]
fn drivers_with_other_headers_get_the_same_words() {
    let expected = Handle::new().translate(&target(), &words(), None).1;
    let only_words = ntvr_options { flags: NTVR_OPTION_WORDS_ONLY, ..EMPTY_OPTIONS };
    let targets = [offset_of!(ntvr_target, workarounds), size_of::<ntvr_target>(), size_of::<ntvr_target>() + 12];
    let options = [offset_of!(ntvr_options, placements), size_of::<ntvr_options>(), size_of::<ntvr_options>() + 24];
    // The words alone are all that the shortest result has.
    let results = [offset_of!(ntvr_result, bindings), size_of::<ntvr_result>(), size_of::<ntvr_result>() + 16];
    for ((target_size, options_size), result_size) in targets.into_iter().zip(options).zip(results) {
        let mut target = Resized::new(&target(), target_size);
        let mut options = Resized::new(&only_words, options_size);
        let mut result = Resized::new(&empty(), result_size);
        let (status, words, error) = translate(&mut target, &mut options, &mut result);
        assert_eq!((status, words, &*error), (NTVR_OK, expected.clone(), ""));
        assert!(target.is_intact() && options.is_intact() && result.is_intact(), "{target_size}");
        assert!(result.bytes()[4..result_size].iter().all(|byte| *byte == 0), "it is cleared");
    }
}

#[test]
fn sizes_and_unknown_fields_are_checked() {
    let usual = || {
        let target = Resized::new(&target(), size_of::<ntvr_target>());
        let options = Resized::new(&EMPTY_OPTIONS, size_of::<ntvr_options>());
        [target, options, Resized::new(&empty(), size_of::<ntvr_result>())]
    };
    for size in [0, 4, 5000] {
        let [mut target, mut options, mut result] = usual();
        target.memory[0] = target.memory[0] & !0xffff_ffff | size;
        let (status, _, error) = translate(&mut target, &mut options, &mut result);
        assert_eq!((status, error), (NTVR_ERROR_ARGUMENT, format!("struct_size of ntvr_target is {size}")));
    }
    let [mut target, _, mut result] = usual();
    let mut newer = Resized::new(&EMPTY_OPTIONS, size_of::<ntvr_options>() + 8);
    newer.memory[size_of::<ntvr_options>() / 8] = 1;
    let (status, _, error) = translate(&mut target, &mut newer, &mut result);
    assert_eq!(status, NTVR_ERROR_ARGUMENT);
    assert_eq!(error, "ntvr_options has fields that this library does not know");
    // A result without a size is not written.
    let [mut target, mut options, mut result] = usual();
    result.memory.fill(0);
    assert_eq!(translate(&mut target, &mut options, &mut result), (NTVR_ERROR_ARGUMENT, Vec::new(), String::new()));
    assert!(result.memory.iter().all(|word| *word == 0));
}

#[test]
fn arrays_have_the_size_of_a_driver() {
    let wire = words();
    let target = target();
    let key_size = size_of::<ntvr_key>() + 8;
    let mut key = Resized::new(&ntvr_key { bits: 1, ..EMPTY_KEY }, key_size);
    let mut keys = Resized::new(&EMPTY_KEY, 2 * key_size);
    let mut module = null_mut();
    // SAFETY: pointers to the data that the functions document.
    unsafe {
        let translator = ntvr_translator_create();
        let mut result = super::of_caller();
        let (words, len) = (wire.as_ptr(), wire.len());
        let status = ntvr_module_create(translator, &target, words, len, 1, &mut module, null(), result.as_mut_ptr());
        assert_eq!(status, NTVR_OK);
        ntvr_result_free(result.as_mut_ptr(), null());
        let stages = [module.cast_const()];
        let count = ntvr_likely_keys(stages.as_ptr(), 1, key.at(), keys.at(), 1);
        assert_eq!(count, 1);
        assert_eq!((*keys.at::<ntvr_key>()).struct_size as usize, key_size);
        assert_eq!((*keys.at::<ntvr_key>()).bits, 1);
        let status = ntvr_program_keys(stages.as_ptr(), 1, key.at(), keys.at(), null(), null_mut());
        assert_eq!((status, (*keys.at::<ntvr_key>()).struct_size as usize), (NTVR_OK, key_size));
        (*key.at::<ntvr_key>()).reserved = 1;
        assert_eq!(ntvr_likely_keys(stages.as_ptr(), 1, key.at(), keys.at(), 1), 0);
        ntvr_module_destroy(module);
        ntvr_translator_destroy(translator);
    }
    assert!(keys.is_intact());
}

#[test]
fn headers_of_another_library_are_noticed() {
    // SAFETY: there are no requirements.
    unsafe {
        assert!(ntvr_check_headers(NTVR_HEADERS).is_null());
        let message = CStr::from_ptr(ntvr_check_headers(NTVR_HEADERS ^ 1));
        assert!(message.to_string_lossy().contains("headers of another libntvr"));
    }
}
