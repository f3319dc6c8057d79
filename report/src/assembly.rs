// SPDX-License-Identifier: MIT

//! The disassembly of SPIR-V.

use rspirv::binary::{Disassemble as _, ParseState};

/// The disassembly of a module.
pub fn disassemble(words: &[u32]) -> Result<String, ParseState> {
    let mut module = rspirv::dr::load_words(words)?;
    if let (Some(header), Some(generator)) = (&mut module.header, words.get(2)) {
        // rspirv sets itself as the generator.
        header.generator = *generator;
    }
    Ok(format!("{}\n", module.disassemble()))
}
