// SPDX-License-Identifier: MIT

//! Reads SPIR-V with rspirv.

use rspirv::binary::{Consumer, ParseAction, ParseState};
use rspirv::dr::{Instruction, Loader, Module, ModuleHeader};
use spirv::Op;

/// Reads a module.
pub fn load(words: &[u32]) -> Result<Module, ParseState> {
    let mut reader = Reader { loader: Loader::new(), modes: 0, modes_with_ids: Vec::new() };
    rspirv::binary::parse_words(words, &mut reader)?;
    let mut module = reader.loader.module();
    for (at, mode) in reader.modes_with_ids {
        module.execution_modes.insert(at, mode);
    }
    Ok(module)
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
