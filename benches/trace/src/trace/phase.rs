// SPDX-License-Identifier: MIT

//! The phases of a translation, by the source files of instructions.

use std::fmt;

/// A phase of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Phase {
    /// C's `nir_convert_from_ssa`.
    FromSsa,
    /// C's `nir_to_spirv`.
    ToSpirv,
    /// From NIR to words, in C.
    Flatten,
    /// Between C and Rust.
    Shim,
    /// From words to IR.
    Decode,
    Check,
    Pass,
    /// The types of values.
    Types,
    /// From IR to SPIR-V.
    Emission,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::FromSsa => "from_ssa",
            Phase::ToSpirv => "to_spirv",
            Phase::Flatten => "flatten",
            Phase::Shim => "shim",
            Phase::Decode => "decode",
            Phase::Check => "check",
            Phase::Pass => "pass",
            Phase::Types => "types",
            Phase::Emission => "emission",
        })
    }
}

/// The phase of a file of ntv's, by its path in the repository. `None` for files that any phase may call.
fn of_file(path: &str) -> Option<Phase> {
    const FOLDERS: &[(&str, Phase)] = &[
        ("ffi/mesa/", Phase::Flatten),
        ("ffi/src/", Phase::Shim),
        ("nir/src/wire/", Phase::Decode),
        ("src/check/", Phase::Check),
        ("src/pass/", Phase::Pass),
        ("src/analysis/value_types.rs", Phase::Types),
        ("src/spirv/", Phase::Emission),
        ("src/module/", Phase::Emission),
    ];
    FOLDERS.iter().find(|(folder, _)| path.starts_with(folder)).map(|(_, phase)| *phase)
}

/// The phase of an instruction, by the files of the functions that were inlined there, the innermost first. A pass also has its
/// name.
///
/// The outermost file with a phase counts, because code that a pass calls is a part of the pass. But the types are a phase of
/// their own although emission calls them, and the shim is only code with no other phase.
pub(crate) fn of_chain<'a>(files: &[&'a str]) -> Option<(Phase, Option<&'a str>)> {
    let phases = || files.iter().rev().filter_map(|file| Some((of_file(file)?, *file)));
    let types = phases().find(|(phase, _)| *phase == Phase::Types);
    let (phase, file) =
        types.or_else(|| phases().find(|(phase, _)| *phase != Phase::Shim)).or_else(|| phases().next())?;
    Some((phase, (phase == Phase::Pass).then(|| pass(file))))
}

/// The name of the pass of `src/pass/ROOM/NAME.rs` or `src/pass/ROOM/NAME/*.rs`; that of the file otherwise.
fn pass(path: &str) -> &str {
    let path = path.trim_start_matches("src/pass/");
    let name = path.split_once('/').map_or(path, |(_, name)| name);
    name.split(['/', '.']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_file_counts() {
        let core = "library/core/src/slice/mod.rs";
        assert_eq!(
            of_chain(&[core, "src/pass/memory/byte_access/load.rs", "src/pass/memory/lower_ubo.rs"]),
            Some((Phase::Pass, Some("lower_ubo")))
        );
        assert_eq!(of_chain(&[core, "src/pass/memory/byte_access/load.rs"]), Some((Phase::Pass, Some("byte_access"))));
        assert_eq!(of_chain(&["src/module/table.rs", "src/spirv/mod.rs"]), Some((Phase::Emission, None)));
        assert_eq!(of_chain(&["src/check/mod.rs", "src/translator.rs"]), Some((Phase::Check, None)));
    }

    #[test]
    fn types_count_wherever_they_are() {
        assert_eq!(
            of_chain(&["nir/src/ir/mod.rs", "src/analysis/value_types.rs", "src/spirv/mod.rs"]),
            Some((Phase::Types, None))
        );
        assert_eq!(of_chain(&["src/analysis/uses.rs", "src/spirv/mod.rs"]), Some((Phase::Emission, None)));
    }

    #[test]
    fn other_files_of_the_interface_are_the_shim() {
        assert_eq!(of_chain(&["nir/src/wire/decode.rs", "ffi/src/translate.rs"]), Some((Phase::Decode, None)));
        assert_eq!(of_chain(&["library/std/src/panic.rs", "ffi/src/translate.rs"]), Some((Phase::Shim, None)));
    }

    #[test]
    fn functions_of_several_phases_have_none() {
        for file in [
            "nir/src/ir/mod.rs",
            "nir/src/entity/mod.rs",
            "src/analysis/uses.rs",
            "library/core/src/ptr.rs",
            "src/translator.rs",
        ] {
            assert_eq!(of_chain(&[file]), None, "{file}");
        }
        assert_eq!(of_chain(&[]), None);
    }
}
