// SPDX-License-Identifier: MIT

//! Tests of the ABI in Rust: the bindings are those of the headers, the functions have their prototypes, the numbers are the
//! core's. `ffi/tests/consumer.c` tests it in C.

use crate::bindings;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fs;
use std::mem::{size_of, MaybeUninit};
use std::path::Path;
use std::ptr::{null, null_mut};

mod agreement;
mod allocations;
mod entries;
mod late;
mod names;
mod plan;
mod refusals;
mod sized;
mod translation;
mod xfb;

thread_local! {
    static PANIC: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// The place where a test of this thread forces a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// At the start of an entry point.
    Entry,
    /// In the middle of a translation.
    Translation,
}

/// Panics at the place that a test has set.
pub(crate) fn panic_if_forced(here: Fault) {
    assert!(PANIC.get() != Some(here), "a fault that a test forced");
}

/// The key of a draw without any option.
const EMPTY_KEY: bindings::ntvr_key = bindings::ntvr_key {
    struct_size: size_of::<bindings::ntvr_key>() as u32,
    reserved: 0,
    bits: 0,
    size: [0; 2],
    uniforms: [0; 4],
    swizzles: [0; 8],
};

/// The options of a caller that chooses nothing.
const EMPTY_OPTIONS: bindings::ntvr_options = bindings::ntvr_options {
    struct_size: size_of::<bindings::ntvr_options>() as u32,
    flags: 0,
    allocator: bindings::ntvr_allocator { alloc: None, free: None, user: null_mut() },
    placements: null(),
    num_placements: 0,
    xfb: null(),
    push_constants: null(),
    descriptors: null(),
};

/// A structure of a caller that sets nothing but its size.
fn of_caller<T>() -> MaybeUninit<T> {
    let mut memory = MaybeUninit::<T>::zeroed();
    // SAFETY: the structures that tests ask for begin with their size.
    unsafe { memory.as_mut_ptr().cast::<u32>().write(size_of::<T>() as u32) };
    memory
}

/// The status and the error of a call, whose result is freed.
fn outcome(
    call: impl FnOnce(*mut bindings::ntvr_result) -> bindings::ntvr_status,
) -> (bindings::ntvr_status, Option<String>) {
    let mut result = of_caller();
    let status = call(result.as_mut_ptr());
    // SAFETY: the call wrote it, and it is freed here.
    unsafe {
        let error = result.assume_init_ref().error;
        let error = (!error.is_null()).then(|| CStr::from_ptr(error).to_string_lossy().into_owned());
        crate::ntvr_result_free(result.as_mut_ptr(), null());
        (status, error)
    }
}

/// All headers except `ntvr.h`, which each of them includes.
const HEADERS: [&str; 4] = ["ntvr_module.h", "ntvr_plan.h", "ntvr_xfb.h", "ntvr_wire.h"];

fn generate() -> String {
    let headers = HEADERS.map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join(name).to_string_lossy().into_owned());
    let builder = bindgen::Builder::default()
        .headers(headers)
        .clang_arg("-std=c11")
        .allowlist_item("(ntvr|NTVR)_.*")
        .rust_target(bindgen::RustTarget::stable(78, 0).expect("a Rust that bindgen knows"))
        .prepend_enum_name(false)
        // They would be those of this machine; 32-bit machines need bindings too.
        .layout_tests(false)
        .generate_comments(false)
        .derive_debug(false)
        .disable_header_comment()
        .raw_line("// SPDX-License-Identifier: MIT\n")
        .raw_line("//! The headers as bindgen sees them: `BLESS=1 cargo test --package ntv-ffi` makes this file.")
        .formatter(bindgen::Formatter::Prettyplease);
    builder.generate().expect("a header that clang takes, and libclang to take it with").to_string()
}

/// The hash of the headers without comments, spaces and the hash itself: FNV-1a.
fn hash_of_headers() -> u64 {
    let mut names = HEADERS.to_vec();
    names.push("ntvr.h");
    names.sort_unstable();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for name in names {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("a header");
        let lines = text.lines().filter(|line| !line.starts_with(HASH));
        let mut rest = &*lines.collect::<Vec<_>>().join("\n");
        while !rest.is_empty() {
            let (code, comment) = rest.split_once("/*").unwrap_or((rest, ""));
            for byte in code.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        }
    }
    // bindgen would give a larger number a sign.
    hash >> 1
}

/// The start of the line of the hash in `ntvr.h`.
const HASH: &str = "#define NTVR_HEADERS ";

#[test]
fn bindings_are_those_of_the_headers() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("ntvr.h");
    let text = fs::read_to_string(&header).expect("a header");
    let old = text.lines().find(|line| line.starts_with(HASH)).expect("the line of the hash");
    let new = format!("{HASH}{:#018x}ull", hash_of_headers());
    if std::env::var_os("BLESS").is_some() && old != new {
        fs::write(&header, text.replace(old, &new)).expect("a file that can be written");
    } else {
        assert_eq!(old, new, "ffi/ntvr.h has the hash of other headers: run with BLESS=1");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bindings.rs");
    let generated = generate();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &generated).expect("a file that can be written");
    }
    let checked_in = fs::read_to_string(&path).expect("the bindings");
    assert!(checked_in == generated, "ffi/src/bindings.rs is not that of the headers in ffi/: run with BLESS=1");
}

/// The constants of the headers by name.
fn constants() -> BTreeMap<String, u64> {
    let source = include_str!("../bindings.rs");
    let constant = |line: &str| {
        let (name, rest) = line.strip_prefix("pub const ")?.split_once(':')?;
        let value = rest.split_once('=')?.1.trim().strip_suffix(';')?;
        Some((name.to_string(), value.parse().ok()?))
    };
    source.lines().filter_map(constant).collect()
}

/// Requires two values of one type.
fn same_type<T>(_: T, _: T) {}

#[test]
fn functions_have_their_prototypes() {
    macro_rules! same {
        ($name:ident($($arg:tt),*)) => {
            same_type(
                crate::$name as unsafe extern "C" fn($($arg),*) -> _,
                bindings::$name as unsafe extern "C" fn($($arg),*) -> _,
            );
        };
    }
    same!(ntvr_translate(_, _, _, _, _, _));
    same!(ntvr_result_free(_, _));
    same!(ntvr_translator_destroy(_));
    same!(ntvr_target_init(_, _));
    same!(ntvr_target_enable(_, _, _));
    same!(ntvr_target_workaround(_, _, _));
    same!(ntvr_module_create(_, _, _, _, _, _, _, _));
    same!(ntvr_module_load(_, _, _, _, _));
    same!(ntvr_module_store(_, _, _));
    same!(ntvr_module_destroy(_));
    same!(ntvr_link(_, _, _, _, _, _));
    same!(ntvr_program_keys(_, _, _, _, _, _));
    same!(ntvr_likely_keys(_, _, _, _, _));
    same!(ntvr_module_instantiate(_, _, _, _));
    same!(ntvr_plan_create());
    same!(ntvr_plan_destroy(_));
    same!(ntvr_plan_add_stage(_, _, _, _, _, _, _));
    same!(ntvr_plan_know_block(_, _, _, _, _));
    same!(ntvr_plan_decide(_, _, _, _, _));
    same!(ntvr_plan_blocks(_, _, _));
    same!(ntvr_plan_placements(_, _, _, _));
    same!(ntvr_xfb_state_words(_, _));
    same!(ntvr_topology_primitives(_, _));
    same!(ntvr_topology_vertices_per_primitive(_));
    same!(ntvr_emission_list(_, _, _, _, _, _, _));
    same!(ntvr_wire_number(_, _));
    same!(ntvr_wire_index(_, _));
    same!(ntvr_translator_create());
    same!(ntvr_version());
    same!(ntvr_wire_version());
    same!(ntvr_check_headers(_));
    same!(ntvr_wire_num_indices(_));
    same!(ntvr_slot_location(_));
}

#[test]
fn every_function_of_the_headers_is_there() {
    let source = include_str!("../bindings.rs");
    let declared: Vec<&str> = source.lines().filter_map(|line| line.trim().strip_prefix("pub fn ")).collect();
    let tested = include_str!("mod.rs");
    assert!(!declared.is_empty());
    for line in &declared {
        let name = line.split('(').next().unwrap_or_default();
        assert!(tested.contains(&format!("same!({name}(")), "{name} is not compared");
    }
}
