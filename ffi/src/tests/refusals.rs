// SPDX-License-Identifier: MIT

//! A driver knows that a shader is refused when it makes the shader: a module has the words of all keys that it takes.

use super::translation::{all_words, target};
use super::{outcome, EMPTY_KEY, EMPTY_OPTIONS};
use crate::bindings::{ntvr_key, ntvr_module, ntvr_options, ntvr_push_constants, NTVR_OK, NTVR_OPTION_WORDS_ONLY};
use crate::*;
use ntv_core::Key;
use std::mem::size_of;
use std::ptr::null_mut;

/// The number of keys of a single bit, and of the turns of the image, that a module takes. It has their words.
fn taken(module: *mut ntvr_module) -> usize {
    let words_only = ntvr_options { flags: NTVR_OPTION_WORDS_ONLY, ..EMPTY_OPTIONS };
    let stages = [module.cast_const()];
    let takes = |key: &ntvr_key| {
        let mut part = EMPTY_KEY;
        // SAFETY: all pointers are to what they should be.
        unsafe {
            let (status, error) =
                outcome(|result| ntvr_program_keys(stages.as_ptr(), 1, key, &mut part, &words_only, result));
            if status != NTVR_OK {
                let error = error.unwrap_or_default();
                assert!(error.contains("cannot take"), "{error}");
                return false;
            }
            let of_draw = outcome(|result| ntvr_module_instantiate(module, &part, &words_only, result));
            assert_eq!(of_draw, (NTVR_OK, None), "{:#x}", key.bits);
            true
        }
    };
    // Dithering has no format of its own.
    let keys = (0..44).map(|bit| 1 << bit).chain([Key::FLIP_X | Key::FLIP_Y | Key::SWAP_XY]);
    keys.map(|bits| ntvr_key { bits, size: [64, 64], ..EMPTY_KEY }).filter(takes).count()
}

#[test]
fn a_module_has_the_words_of_all_keys_that_it_takes() {
    let pushed =
        ntvr_push_constants { struct_size: size_of::<ntvr_push_constants>() as u32, alpha_reference: 0, point_size: 4 };
    let options = ntvr_options { push_constants: &pushed, ..EMPTY_OPTIONS };
    let target = target();
    let (mut counts, mut keys) = ([0; 2], 0);
    for wire in all_words() {
        let mut module = null_mut();
        // SAFETY: all pointers are to what they should be.
        unsafe {
            let translator = ntvr_translator_create();
            let (words, len) = (wire.as_ptr(), wire.len());
            let (status, _) = outcome(|result| {
                ntvr_module_create(translator, &target, words, len, u64::MAX, &mut module, &options, result)
            });
            ntvr_translator_destroy(translator);
            counts[usize::from(status == NTVR_OK)] += 1;
            if status == NTVR_OK {
                keys += taken(module);
            }
            ntvr_module_destroy(module);
        }
    }
    assert!(counts[0] > 10 && counts[1] > 500, "{counts:?} shaders are refused and accepted");
    // Of 45 keys, most modules take all.
    assert!(keys > 42 * counts[1], "{keys} keys of {} modules", counts[1]);
}
