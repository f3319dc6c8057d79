// SPDX-License-Identifier: MIT

//! The instructions of a block.

use super::pointer::Object;
use super::types::{word, Type};
use super::{Module, Reason};
use crate::flow::{Machine, Phi, Terminator, Value};
use crate::term::Term;
use crate::world::Space;
use rspirv::dr::{Instruction, Operand};
use spirv::{Op, StorageClass};

impl Module {
    /// Runs an instruction that is neither a phi nor the end of a block.
    pub(super) fn step(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let op = it.class.opcode;
        match op {
            Op::Nop | Op::Line | Op::NoLine | Op::Name | Op::SelectionMerge | Op::LoopMerge => return Ok(()),
            Op::Variable => return self.initialize(machine, it),
            Op::AccessChain | Op::InBoundsAccessChain => return self.access_chain(machine, it),
            Op::ConvertUToPtr => return self.address(machine, it),
            Op::Bitcast if self.is_pointer(it.result_type) => return self.address(machine, it),
            Op::CopyObject | Op::CopyLogical if self.objects.contains_key(&self.operand(it, 0)?) => {
                let source = self.operand(it, 0)?;
                let result = it.result_id.ok_or("no result")?;
                self.objects.insert(result, self.object(source)?);
                machine.set_value(result, machine.value(source).unwrap_or_default());
                return Ok(());
            }
            Op::Load if self.is_opaque(it.result_type) => return self.name(it, Object::Loaded(self.operand(it, 0)?)),
            Op::SampledImage => {
                return self.name(it, Object::Combined(self.operand(it, 0)?, self.operand(it, 1)?));
            }
            Op::Image => return self.name(it, Object::ImageOf(self.operand(it, 0)?)),
            Op::ImageTexelPointer => {
                let [image, coordinate, sample] = [0, 1, 2].map(|i| self.operand(it, i));
                return self.name(it, Object::Texel(image?, coordinate?, sample?));
            }
            _ => {}
        }
        let terms = match self.pure(machine, op, it, 0)? {
            Some(terms) => terms,
            None => self.effect(machine, it)?,
        };
        self.finish(machine, it, terms)
    }

    /// Instructions on memory, textures and other invocations.
    fn effect(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Vec<Term>> {
        match it.class.opcode {
            Op::Load => self.load(machine, self.operand(it, 0)?),
            Op::Store => {
                let value = self.operand_value(machine, it, 1)?;
                self.store(machine, self.operand(it, 0)?, &value)?;
                Ok(Vec::new())
            }
            Op::CopyMemory => self.copy_memory(machine, it).map(|()| Vec::new()),
            Op::ArrayLength => self.array_length(machine, it),
            Op::AtomicLoad | Op::AtomicStore => self.atomic_access(machine, it),
            Op::ExtInst => self.ext_inst(machine, it),
            Op::DemoteToHelperInvocation => {
                let discarded = machine.arena.boolean(true);
                machine.set_space(Space::Discarded, discarded);
                Ok(Vec::new())
            }
            op => match self.image_operation(machine, it)? {
                Some(terms) => Ok(terms),
                None => self.other(machine, it)?.ok_or_else(|| format!("Op{op:?}")),
            },
        }
    }

    /// Sets the result of an instruction, if the terms fit its type.
    pub(super) fn finish(&mut self, machine: &mut Machine<'_>, it: &Instruction, terms: Vec<Term>) -> Reason<()> {
        let (Some(id), Some(ty)) = (it.result_id, it.result_type) else { return Ok(()) };
        if matches!(self.types.get(ty), Type::Void) {
            return Ok(());
        }
        let widths = self.types.widths(ty)?;
        let fits = widths.len() == terms.len()
            && widths.iter().zip(&terms).all(|(width, term)| *width == machine.arena.width(*term));
        if !fits {
            return Err("a result of another type".into());
        }
        machine.set_value(id, terms);
        Ok(())
    }

    /// The end of a block.
    pub(super) fn terminator(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Terminator> {
        let block = |i: usize| self.block(it.operands.get(i).map_or(0, word));
        Ok(match it.class.opcode {
            Op::Branch => Terminator::Jump(block(0)?),
            Op::BranchConditional => {
                let condition = self.one(machine, self.operand(it, 0)?)?;
                if machine.arena.width(condition) != 1 {
                    return Err("a condition that is no boolean".into());
                }
                Terminator::Branch(condition, block(1)?, block(2)?)
            }
            Op::Switch => {
                let selector = self.one(machine, self.operand(it, 0)?)?;
                let cases = it.operands.get(2..).unwrap_or_default().chunks_exact(2);
                let case = |case: &[Operand]| {
                    let number = match case[0] {
                        Operand::LiteralBit64(number) => number,
                        ref other => word(other).into(),
                    };
                    Ok((number, self.block(word(&case[1]))?))
                };
                let cases = cases.map(case).collect::<Reason<Vec<_>>>()?;
                Terminator::Switch(selector, cases, block(1)?)
            }
            Op::Return => Terminator::Return,
            Op::Kill | Op::TerminateInvocation => Terminator::Kill,
            Op::Unreachable => Terminator::Unreachable,
            Op::EmitMeshTasksEXT => {
                self.emit_mesh_tasks(machine, it)?;
                Terminator::Return
            }
            op => return Err(format!("a block that ends with Op{op:?}")),
        })
    }

    /// OpPhi.
    pub(super) fn phi(&self, it: &Instruction) -> Reason<Phi> {
        let (result, ty) = (it.result_id.ok_or("no result")?, it.result_type.ok_or("no type")?);
        let widths = self.types.widths(ty).map_err(|_| "a phi of pointers".to_owned())?.to_vec();
        let mut sources = Vec::new();
        for pair in it.operands.chunks_exact(2) {
            let (value, label) = (word(&pair[0]), word(&pair[1]));
            if self.result_types.get(&value) != Some(&ty) {
                return Err("a phi of values of other types".into());
            }
            sources.push((self.block(label)?, value));
        }
        Ok(Phi { result, widths, sources })
    }

    fn name(&mut self, it: &Instruction, object: Object) -> Reason<()> {
        self.objects.insert(it.result_id.ok_or("no result")?, object);
        Ok(())
    }

    fn is_pointer(&self, ty: Option<u32>) -> bool {
        matches!(self.types.get(ty.unwrap_or(0)), Type::Pointer(StorageClass::PhysicalStorageBuffer, _))
    }

    fn is_opaque(&self, ty: Option<u32>) -> bool {
        matches!(self.types.get(ty.unwrap_or(0)), Type::Image(_) | Type::Sampler | Type::SampledImage(_))
    }

    /// The id that is operand `i`.
    pub(super) fn operand(&self, it: &Instruction, i: usize) -> Reason<u32> {
        match it.operands.get(i) {
            Some(Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id)) => Ok(*id),
            _ => Err(format!("no id as operand {i}")),
        }
    }

    /// The number that is operand `i`.
    pub(super) fn literal(&self, it: &Instruction, i: usize) -> Reason<u32> {
        match it.operands.get(i) {
            Some(Operand::LiteralBit32(number) | Operand::LiteralExtInstInteger(number)) => Ok(*number),
            _ => Err(format!("no number as operand {i}")),
        }
    }

    /// The scalars of operand `i`.
    pub(super) fn operand_value(&self, machine: &Machine<'_>, it: &Instruction, i: usize) -> Reason<Value> {
        self.value(machine, self.operand(it, i)?)
    }

    /// The scalars of a value that is not a pointer.
    pub(super) fn value(&self, machine: &Machine<'_>, id: u32) -> Reason<Value> {
        if self.objects.contains_key(&id) || self.variables.contains_key(&id) {
            return Err("a pointer as a value".into());
        }
        machine.value(id).ok_or_else(|| "an operand without a value".to_owned())
    }

    /// The only scalar of a value.
    pub(super) fn one(&self, machine: &Machine<'_>, id: u32) -> Reason<Term> {
        match machine.value(id).as_deref() {
            Some([term]) => Ok(*term),
            _ => Err("an operand that is no scalar".into()),
        }
    }

    /// The constant number that operand `i` is.
    pub(super) fn number_of(&self, machine: &Machine<'_>, it: &Instruction, i: usize) -> Reason<u64> {
        let term = self.one(machine, self.operand(it, i)?)?;
        machine.arena.as_const(term).ok_or_else(|| "an operand that is no constant".to_owned())
    }
}
