// SPDX-License-Identifier: MIT

//! Constants, and what is there when the shader starts.

use super::types::Type;
use super::{unsupported, Module, Reason};
use crate::flow::{Machine, Step};
use crate::term::Term;
use rspirv::dr::{Instruction, Operand};
use spirv::{Decoration, Op};

impl Module {
    /// Computes the constants, and writes the initializers of variables.
    pub(super) fn start(&mut self, machine: &mut Machine<'_>) -> Step<()> {
        let globals = self.globals.clone();
        for instruction in globals.iter() {
            self.constant(machine, instruction).map_err(|reason| unsupported(reason, Some(instruction)))?;
        }
        for instruction in globals.iter().filter(|it| it.class.opcode == Op::Variable) {
            self.initialize(machine, instruction).map_err(|reason| unsupported(reason, Some(instruction)))?;
        }
        Ok(())
    }

    /// Writes the initializer of a variable.
    pub(super) fn initialize(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let Some(id) = it.result_id else { return Ok(()) };
        let initializer = self.variables.get(&id).and_then(|variable| variable.initializer);
        if let Some(initializer) = initializer {
            let value = machine.value(initializer).ok_or("an initializer without terms")?;
            self.store(machine, id, &value)?;
        }
        Ok(())
    }

    fn constant(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let (Some(id), Some(ty)) = (it.result_id, it.result_type) else { return Ok(()) };
        let terms = match it.class.opcode {
            Op::Constant | Op::ConstantTrue | Op::ConstantFalse => self.number(machine, id, ty)?,
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let width = self.types.scalar(ty).ok_or("a constant that is no scalar")?;
                match self.types.word(id, Decoration::SpecId) {
                    Some(number) => vec![machine.arena.symbol(&format!("spec constant {number}"), width, &[])],
                    None => self.number(machine, id, ty)?,
                }
            }
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite(machine, it)?,
            Op::ConstantNull => {
                // A null pointer, or what else has no terms, is an error only where it is used.
                let Ok(widths) = self.types.widths(ty) else { return Ok(()) };
                widths.iter().map(|width| machine.arena.constant(*width, 0)).collect()
            }
            Op::Undef => self.undefined(machine, ty)?,
            Op::SpecConstantOp => {
                let Some(Operand::LiteralSpecConstantOpInteger(op)) = it.operands.first() else {
                    return Err("no operation".into());
                };
                self.pure(machine, *op, it, 1)?.ok_or_else(|| format!("Op{op:?} of constants"))?
            }
            _ => return Ok(()),
        };
        self.finish(machine, it, terms)
    }

    fn number(&self, machine: &mut Machine<'_>, id: u32, ty: u32) -> Reason<Vec<Term>> {
        let width = self.types.scalar(ty).ok_or("a constant that is no scalar")?;
        let number = *self.types.numbers.get(&id).ok_or("a constant without a number")?;
        Ok(vec![machine.arena.constant(width, number)])
    }

    /// A value of which nothing is defined.
    pub(super) fn undefined(&self, machine: &mut Machine<'_>, ty: u32) -> Reason<Vec<Term>> {
        if matches!(self.types.get(ty), Type::Void) {
            return Ok(Vec::new());
        }
        Ok(self.types.widths(ty)?.iter().map(|width| machine.arena.undefined(*width)).collect())
    }

    /// The scalars of all operands.
    pub(super) fn composite(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Vec<Term>> {
        let mut terms = Vec::new();
        for i in 0..it.operands.len() {
            terms.extend_from_slice(&self.operand_value(machine, it, i)?);
        }
        Ok(terms)
    }
}
