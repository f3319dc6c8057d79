// SPDX-License-Identifier: MIT

//! Entry points: only the table defines them, and no panic leaves them.

use super::{constants, Fault, EMPTY_KEY, PANIC};
use crate::bindings::{ntvr_result, ntvr_status, NTVR_ERROR_INTERNAL, NTVR_HEADERS, NTVR_NONE, NTVR_TABLE_ALU};
use crate::*;
use std::ptr::{null, null_mut};

/// The source files that could have entry points.
const SOURCES: [(&str, &str); 10] = [
    ("lib", include_str!("../lib.rs")),
    ("memory", include_str!("../memory.rs")),
    ("module", include_str!("../module.rs")),
    ("names", include_str!("../names.rs")),
    ("plan", include_str!("../plan.rs")),
    ("reflection", include_str!("../reflection.rs")),
    ("sized", include_str!("../sized.rs")),
    ("target", include_str!("../target.rs")),
    ("translate", include_str!("../translate.rs")),
    ("xfb", include_str!("../xfb.rs")),
];

#[test]
fn only_the_table_makes_entry_points() {
    let attributes = ["no_mangle", "export_name", "link_section"];
    for (file, source) in SOURCES {
        assert!(attributes.iter().all(|name| !source.contains(name)), "{file}.rs has an entry point of its own");
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = std::fs::read_dir(folder).expect("the sources").map(|entry| entry.expect("a file").file_name());
    let others = ["bindings.rs", "entry.rs", "tests.rs", "tests"];
    let known = |name: &str| others.contains(&name) || SOURCES.iter().any(|row| name == format!("{}.rs", row.0));
    files.for_each(|name| assert!(known(&name.to_string_lossy()), "{name:?} is not checked"));
}

/// The status and the error of a call with a result.
fn status_of(call: impl FnOnce(*mut ntvr_result) -> ntvr_status) -> (ntvr_status, String) {
    let mut result = super::of_caller();
    let status = call(result.as_mut_ptr());
    // SAFETY: the call wrote it, and it is freed here.
    unsafe {
        let message = std::ffi::CStr::from_ptr(result.assume_init_ref().error).to_string_lossy().into_owned();
        PANIC.set(None);
        ntvr_result_free(result.as_mut_ptr(), null());
        PANIC.set(Some(Fault::Entry));
        (status, message)
    }
}

#[test]
fn no_entry_point_lets_a_panic_out() {
    let (target, key) = (null_mut(), EMPTY_KEY);
    let (mut module, mut keys) = (null_mut(), key);
    PANIC.set(Some(Fault::Entry));
    // SAFETY: no function uses its arguments before the panic.
    unsafe {
        assert!(ntvr_version().is_null());
        assert_eq!(ntvr_wire_version(), NTVR_NONE);
        assert!(!ntvr_check_headers(NTVR_HEADERS).is_null());
        assert_eq!(ntvr_wire_number(NTVR_TABLE_ALU, c"fadd".as_ptr()), NTVR_NONE);
        assert_eq!(ntvr_wire_num_indices(1), 0);
        assert_eq!(ntvr_slot_location(1), NTVR_NONE);
        assert_eq!(ntvr_wire_index(1, c"base".as_ptr()), NTVR_NONE);
        assert!(!ntvr_target_init(target, 1 << 22) && !ntvr_target_enable(target, c"shaderFloat64".as_ptr(), true));
        assert!(!ntvr_target_workaround(target, c"unsigned_constants".as_ptr(), true));
        assert!(ntvr_translator_create().is_null());
        ntvr_translator_destroy(null_mut());
        ntvr_module_destroy(null_mut());
        ntvr_result_free(null_mut(), null());
        assert_eq!(ntvr_likely_keys(null(), 0, &key, &mut keys, 1), 0);
        assert!(ntvr_plan_create().is_null());
        ntvr_plan_destroy(null_mut());
        assert_eq!(ntvr_plan_blocks(null(), null_mut(), 0), 0);
        assert_eq!(ntvr_plan_placements(null(), 0, null_mut(), 0), 0);
        let answers = [
            status_of(|result| ntvr_translate(null_mut(), target, null(), 0, null(), result)),
            status_of(|result| ntvr_module_create(null_mut(), target, null(), 0, 0, &mut module, null(), result)),
            status_of(|result| ntvr_module_load(null(), 0, &mut module, null(), result)),
            status_of(|result| ntvr_module_store(null(), null(), result)),
            status_of(|result| ntvr_link(null(), 0, null(), &mut module, null(), result)),
            status_of(|result| ntvr_program_keys(null(), 0, &key, &mut keys, null(), result)),
            status_of(|result| ntvr_module_instantiate(null(), &key, null(), result)),
            status_of(|result| ntvr_plan_add_stage(null_mut(), null(), 0, null(), 0, null(), result)),
            status_of(|result| ntvr_plan_know_block(null_mut(), null(), null(), null(), result)),
            status_of(|result| ntvr_plan_decide(null_mut(), null(), null(), null(), result)),
        ];
        for (status, message) in answers {
            assert_eq!((status, message.as_str()), (NTVR_ERROR_INTERNAL, "ntv panicked: a fault that a test forced"));
        }
        assert_eq!(ntvr_link(null(), 0, null(), &mut module, null(), null_mut()), NTVR_ERROR_INTERNAL);
    }
    PANIC.set(None);
    assert_eq!(constants()["NTVR_NONE"], u64::from(NTVR_NONE));
}
