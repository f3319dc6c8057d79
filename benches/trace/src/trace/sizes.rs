// SPDX-License-Identifier: MIT

//! The size of the machine code of each translator in a driver, from its table of symbols.

use super::image::{functions, Function};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Functions and bytes of a group and a part of it.
type Sizes = BTreeMap<(&'static str, String), (u64, u64)>;

/// Names in the table.
const NTV: &str = "ntv";
const RUST: &str = "rust";
const FLATTEN: &str = "flatten";
const C: &str = "c";

/// The table: a line for each part of each group.
pub(crate) fn table(library: &Path) -> Result<String> {
    let at = || library.display().to_string();
    let bytes = std::fs::read(library).with_context(at)?;
    let functions = functions(&object::File::parse(&*bytes).with_context(at)?);
    let mut sizes = Sizes::new();
    for function in &functions {
        if let Some((group, part)) = group(function) {
            let (count, bytes) = sizes.entry((group, part)).or_default();
            *count += 1;
            *bytes += function.addresses.end - function.addresses.start;
        }
    }
    let mut out = String::from("group\tpart\tfunctions\tbytes\n");
    for ((group, part), (count, bytes)) in sizes {
        writeln!(out, "{group}\t{part}\t{count}\t{bytes}")?;
    }
    Ok(out)
}

/// The group of a function, and the part: a module, a crate or a file.
fn group(function: &Function) -> Option<(&'static str, String)> {
    let source = function.source.as_deref().unwrap_or_default();
    let name = &*function.name;
    // Functions that the library does not export, but other files of the translator call, have no file.
    let is = |file: &str, prefix: &str| source == file || (source.is_empty() && name.starts_with(prefix));
    for (group, file, prefix) in [
        (C, "nir_to_spirv.c", "nir_to_spirv"),
        (C, "spirv_builder.c", "spirv_builder_"),
        (FLATTEN, "ntvr_nir.c", "ntvr_wire_nir"),
        (FLATTEN, "zink_ntvr.c", "zink_ntvr"),
    ] {
        if is(file, prefix) {
            return Some((group, file.to_owned()));
        }
    }
    let is_called_by_c = source.is_empty() && name.starts_with("ntvr_");
    if !is_rust(source) && !is_called_by_c {
        return None;
    }
    let name = format!("{:#}", rustc_demangle::demangle(name));
    Some(match module(&name) {
        Some(module) => (NTV, module.to_owned()),
        None => (RUST, krate(&name).to_owned()),
    })
}

/// Whether an object file was made by rustc: `NAME.HASH-cgu.N`.
fn is_rust(source: &str) -> bool {
    source.contains("-cgu.")
}

/// The first module of ntv's in a demangled name, if it has any: a generic function of Rust's library counts if it is
/// instantiated for a type of ntv's. Functions that C calls are in the module `c`.
fn module(name: &str) -> Option<&str> {
    if name.starts_with("ntvr_") {
        return Some("c");
    }
    let is_boundary = |at: usize| !name[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
    let at = name.match_indices("ntv::").map(|(at, _)| at).find(|at| is_boundary(*at))?;
    word(&name[at + "ntv::".len()..])
}

/// The first crate of a demangled name.
fn krate(name: &str) -> &str {
    let Some((start, _)) = name.split_once("::") else { return "c" };
    let start = start.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    if start.is_empty() {
        "core"
    } else {
        start
    }
}

/// The first word of `text`.
fn word(text: &str) -> Option<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group_of(source: &str, name: &str) -> Option<(&'static str, String)> {
        group(&Function {
            addresses: 0..1,
            name: name.into(),
            source: Some(source.to_owned()).filter(|s| !s.is_empty()),
        })
    }

    #[test]
    fn functions_have_groups() {
        let of = |group, part: &str| Some((group, part.to_owned()));
        assert_eq!(group_of("", "nir_to_spirv"), of("c", "nir_to_spirv.c"));
        assert_eq!(group_of("nir_to_spirv.c", "emit_alu.part.0"), of("c", "nir_to_spirv.c"));
        assert_eq!(group_of("", "spirv_builder_emit_cap"), of("c", "spirv_builder.c"));
        assert_eq!(group_of("", "ntvr_wire_nir"), of("flatten", "ntvr_nir.c"));
        assert_eq!(group_of("zink_ntvr.c", "translate"), of("flatten", "zink_ntvr.c"));
        assert_eq!(group_of("", "ntvr_translate"), of("ntv", "c"));
        assert_eq!(group_of("ntv.12-cgu.0", "_ZN3ntv5spirv4Emit6shader17h881cce117b0ab0feE"), of("ntv", "spirv"));
        assert_eq!(group_of("std.12-cgu.0", "_ZN3std2io5stdio6_print17h881cce117b0ab0feE"), of("rust", "std"));
        assert_eq!(group_of("zink_context.c", "translate"), None);
        assert_eq!(group_of("", "translate_cache_create"), None);
    }

    #[test]
    fn generic_functions_are_of_their_types() {
        assert_eq!(module("<alloc::vec::Vec<ntv::ir::Inst>>::push"), Some("ir"));
        assert_eq!(module("<ntv::module::Module as core::clone::Clone>::clone"), Some("module"));
        assert_eq!(module("core::slice::sort::unstable::quicksort::quicksort"), None);
        assert_eq!(module("inventv::f"), None);
        assert_eq!(krate("<alloc::vec::Vec<u32>>::push"), "alloc");
        assert_eq!(krate("core::slice::sort::quicksort"), "core");
        assert_eq!(krate("rust_eh_personality"), "c");
        assert_eq!(krate("<[u8]>::escape_ascii"), "core");
    }
}
