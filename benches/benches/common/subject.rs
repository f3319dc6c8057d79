// SPDX-License-Identifier: MIT

//! The interface of a module.

use anyhow::{Context, Result};
use rspirv::dr::{self, Operand};
use spirv::{BuiltIn, Decoration, ExecutionModel, Op, StorageClass};
use std::collections::HashMap;

/// A module, with its types and constants by id.
pub(crate) struct Subject<'a> {
    pub(crate) module: &'a dr::Module,
    globals: HashMap<u32, &'a dr::Instruction>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(module: &'a dr::Module) -> Subject<'a> {
        let globals = module.types_global_values.iter().filter_map(|inst| Some((inst.result_id?, inst)));
        Subject { module, globals: globals.collect() }
    }

    pub(crate) fn global(&self, id: u32) -> Result<&'a dr::Instruction> {
        self.globals.get(&id).copied().with_context(|| format!("there is no global %{id}"))
    }

    /// The value of a decoration of a variable.
    pub(crate) fn decoration(&self, id: u32, wanted: Decoration) -> Option<u32> {
        self.decorations(id).find_map(|operands| match operands {
            [Operand::Decoration(decoration), Operand::LiteralBit32(value)] => {
                (*decoration == wanted).then_some(*value)
            }
            _ => None,
        })
    }

    /// Whether a variable has a decoration.
    pub(crate) fn is_decorated(&self, id: u32, wanted: Decoration) -> bool {
        self.decorations(id).any(|operands| operands.first() == Some(&Operand::Decoration(wanted)))
    }

    /// The built-in variable that it is.
    pub(crate) fn built_in(&self, id: u32) -> Option<BuiltIn> {
        self.decorations(id).find_map(|operands| match operands {
            [Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(built_in)] => Some(*built_in),
            _ => None,
        })
    }

    /// The decorations of a variable, with their operands.
    fn decorations(&self, id: u32) -> impl Iterator<Item = &'a [Operand]> {
        let is_own = move |inst: &&dr::Instruction| {
            inst.class.opcode == Op::Decorate && inst.operands.first() == Some(&Operand::IdRef(id))
        };
        self.module.annotations.iter().filter(is_own).map(|inst| &inst.operands[1..])
    }

    /// The variables of a class, with the type of the value.
    pub(crate) fn variables(&self, class: StorageClass) -> Result<Vec<(u32, u32)>> {
        let mut variables = Vec::new();
        for inst in &self.module.types_global_values {
            let (Op::Variable, Some(id), Some(pointer)) = (inst.class.opcode, inst.result_id, inst.result_type) else {
                continue;
            };
            if inst.operands.first() == Some(&Operand::StorageClass(class)) {
                variables.push((id, operand(self.global(pointer)?, 1)?));
            }
        }
        Ok(variables)
    }

    pub(crate) fn is(&self, model: ExecutionModel) -> bool {
        let mut entries = self.module.entry_points.iter();
        entries.any(|inst| inst.operands.first() == Some(&Operand::ExecutionModel(model)))
    }
}

/// An operand that is an id or a number.
pub(crate) fn operand(inst: &dr::Instruction, at: usize) -> Result<u32> {
    match inst.operands.get(at) {
        Some(Operand::IdRef(value) | Operand::LiteralBit32(value)) => Ok(*value),
        _ => anyhow::bail!("{:?} has no operand {at}", inst.class.opcode),
    }
}
