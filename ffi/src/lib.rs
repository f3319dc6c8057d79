// SPDX-License-Identifier: MIT

//! The C ABI: the functions of the headers, which document them.
//!
//! | file | contents |
//! |-|-|
//! | `bindings` | bindgen's form of the headers; a test generates it again and compares |
//! | `entry` | the functions for C: a table of them, and the guard around each |
//! | `names` | the numbers of names in a wire |
//! | `target` | the target |
//! | `translate` | translators and translation |
//! | `module` | modules with tables: links and variants |
//! | `plan`, `xfb` | placements of uniform blocks; captures that shaders write themselves |
//! | `reflection` | the tables of a module |
//! | `memory` | results in memory of the caller's allocator |
//! | `sized` | structures of drivers with other headers |
//!
//! No panic leaves an entry point, because only rows of the table in `entry` define them. No pointer is used before a test for
//! null; the caller must ensure that other pointers point to the data that the headers document.

#[rustfmt::skip]
#[allow(non_camel_case_types, unreachable_pub, dead_code, missing_docs, clippy::all)]
mod bindings;
mod entry;
mod memory;
mod module;
mod names;
mod plan;
mod reflection;
mod sized;
mod target;
#[cfg(test)]
mod tests;
mod translate;
mod xfb;

pub use entry::*;

// A panic would end the process of the driver.
#[cfg(panic = "abort")]
compile_error!("libntvr has to unwind: compile it without `panic=abort`");
