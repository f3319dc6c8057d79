//! The C ABI: the functions of `ntv.h`, which documents them.
//!
//! | file | what |
//! |-|-|
//! | `bindings` | `ntv.h` as bindgen sees it; a test makes it again and compares |
//! | `names` | the numbers of names in a wire |
//! | `target` | what the driver below can do |
//! | `translate` | contexts and translation |
//! | `module` | modules with tables: links and variants |
//! | `reflection` | what a module says of itself |
//! | `memory` | results in memory of the caller's allocator |
//!
//! No panic leaves an entry point, and no pointer is used before it was found not to be null. That pointers which are not null
//! point to what `ntv.h` says is up to the caller.

#[rustfmt::skip]
#[allow(non_camel_case_types, unreachable_pub, dead_code, missing_docs, clippy::all)]
mod bindings;
mod memory;
mod module;
mod names;
mod reflection;
mod target;
#[cfg(test)]
mod tests;
mod translate;

pub use module::{
    ntv_likely_keys, ntv_link, ntv_module_create, ntv_module_destroy, ntv_module_instantiate, ntv_module_load,
    ntv_module_store, ntv_program_keys,
};
pub use names::{ntv_wire_index, ntv_wire_num_indices, ntv_wire_num_sources, ntv_wire_number};
pub use target::{ntv_target_enable, ntv_target_init};
pub use translate::{ntv_context_create, ntv_context_destroy, ntv_result_free, ntv_translate};

use std::ffi::{c_char, CStr};

/// The version of this library, with the 0 byte that C wants.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// See `ntv.h`.
#[no_mangle]
pub extern "C" fn ntv_version() -> *const c_char {
    CStr::from_bytes_with_nul(VERSION.as_bytes()).unwrap_or_default().as_ptr()
}

/// See `ntv.h`.
#[no_mangle]
pub extern "C" fn ntv_wire_version() -> u32 {
    ntv_core::wire::VERSION
}
