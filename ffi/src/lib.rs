//! The C ABI: the functions of `ntv.h`, which documents them.
//!
//! | file | what |
//! |-|-|
//! | `bindings` | `ntv.h` as bindgen sees it; a test makes it again and compares |
//! | `entry` | the functions that C calls: a table of them, and the guard around each |
//! | `names` | the numbers of names in a wire |
//! | `target` | what the driver below can do |
//! | `translate` | contexts and translation |
//! | `module` | modules with tables: links and variants |
//! | `plan`, `xfb` | where uniform blocks are; captures that shaders carry out by themselves |
//! | `reflection` | what a module says of itself |
//! | `memory` | results in memory of the caller's allocator |
//!
//! No panic leaves an entry point: only a row of the table in `entry` makes one. No pointer is used before it was found not to be
//! null; that pointers which are not null point to what `ntv.h` says is up to the caller.

#[rustfmt::skip]
#[allow(non_camel_case_types, unreachable_pub, dead_code, missing_docs, clippy::all)]
mod bindings;
mod entry;
mod memory;
mod module;
mod names;
mod plan;
mod reflection;
mod target;
#[cfg(test)]
mod tests;
mod translate;
mod xfb;

pub use entry::*;
