// SPDX-License-Identifier: MIT

//! Reads SPIR-V with rspirv.

use rspirv::binary::{Consumer, ParseAction, ParseState};
use rspirv::dr::{Instruction, Loader, Module, ModuleHeader};
use spirv::Op;
use std::mem::size_of;

/// The number of words of the header of a module.
const HEADER: usize = 5;

/// Reads a module.
pub fn load(words: &[u32]) -> Result<Module, ParseState> {
    check_lengths(words)?;
    let mut reader = Reader { loader: Loader::new(), modes: 0, modes_with_ids: Vec::new() };
    rspirv::binary::parse_words(words, &mut reader)?;
    let mut module = reader.loader.module();
    for (at, mode) in reader.modes_with_ids {
        module.execution_modes.insert(at, mode);
    }
    Ok(module)
}

/// An error if an instruction is longer than the rest of the module: rspirv would read a string beyond the end.
fn check_lengths(words: &[u32]) -> Result<(), ParseState> {
    let (mut at, mut number) = (HEADER, 0);
    while let Some(first) = words.get(at) {
        let length = (first >> 16) as usize;
        number += 1;
        if length == 0 || length > words.len() - at {
            return Err(ParseState::OperandExpected(at * size_of::<u32>(), number));
        }
        at += length;
    }
    Ok(())
}

/// rspirv's loader does not take OpExecutionModeId outside of functions, which is its only place.
struct Reader {
    loader: Loader,
    /// The number of execution modes until now.
    modes: usize,
    /// Those with ids, and their places among all.
    modes_with_ids: Vec<(usize, Instruction)>,
}

impl Consumer for Reader {
    fn initialize(&mut self) -> ParseAction {
        self.loader.initialize()
    }

    fn finalize(&mut self) -> ParseAction {
        self.loader.finalize()
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.loader.consume_header(header)
    }

    fn consume_instruction(&mut self, inst: Instruction) -> ParseAction {
        let opcode = inst.class.opcode;
        let at = self.modes;
        self.modes += usize::from(matches!(opcode, Op::ExecutionMode | Op::ExecutionModeId));
        if opcode == Op::ExecutionModeId {
            self.modes_with_ids.push((at, inst));
            return ParseAction::Continue;
        }
        self.loader.consume_instruction(inst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_beyond_the_end_is_an_error() {
        // OpExtension with 9 words, of which one is there.
        let words = [spirv::MAGIC_NUMBER, 0x1_0000, 0, 1, 0, 9 << 16 | Op::Extension as u32, u32::MAX];
        assert!(matches!(load(&words), Err(ParseState::OperandExpected(20, 1))));
        assert!(load(&words[..5]).is_ok());
    }
}
