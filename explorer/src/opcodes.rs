// SPDX-License-Identifier: MIT

//! The documentation of opcodes.

use crate::api::{Fact, Opcode};
use ntv_report::opcode::{of_nir, of_spirv};

/// What there is to know about the opcode with this name. NIR has no names that begin in upper case, and SPIR-V has only such names.
pub(crate) fn find(name: &str) -> Option<Opcode> {
    let is_spirv = name.starts_with(|first: char| first.is_ascii_uppercase());
    let found = if is_spirv { of_spirv(name) } else { of_nir(name) }?;
    let fact = |(name, text): (&str, String)| Fact { name: name.to_string(), text };
    let facts = found.facts.into_iter().map(fact).collect();
    Some(Opcode { name: found.name, what: found.what, facts, link: found.link })
}
