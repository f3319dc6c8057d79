// SPDX-License-Identifier: MIT

//! The inputs and outputs of a module, down to their scalars.

use ntv_prove::module::load;
use rspirv::dr::{self, Instruction, Operand};
use spirv::{BuiltIn, Decoration, ExecutionMode, Op, StorageClass, Word};
use std::collections::HashMap;

/// The most elements of an array: a device has fewer Locations.
const MOST_ELEMENTS: u32 = 1 << 10;

/// A module, and its types and constants by their ids.
pub(super) struct Interface {
    pub(super) module: dr::Module,
    values: HashMap<Word, Instruction>,
}

/// An input or an output: a variable, or a member of a block.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) id: Word,
    /// The block and the number of the member in it.
    pub(super) member: Option<(Word, u32)>,
    pub(super) ty: Word,
    pub(super) builtin: Option<BuiltIn>,
    /// Its first cell: 4 · Location + Component; 0 of a built-in.
    pub(super) cell: u64,
    /// The source of dual-source blending.
    pub(super) index: u32,
    pub(super) is_patch: bool,
}

/// What a scalar has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Float,
    Int,
    Uint,
}

/// A number of 32 bits, or half of one of 64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    /// 4 · Location + component, or the component of a built-in.
    pub(super) cell: u64,
    pub(super) kind: Kind,
}

impl Interface {
    pub(super) fn read(words: &[u32]) -> Result<Interface, String> {
        let module = load(words)?;
        let values = module.types_global_values.iter().filter_map(|inst| Some((inst.result_id?, inst.clone())));
        Ok(Interface { values: values.collect(), module })
    }

    /// The inputs or outputs.
    pub(super) fn variables(&self, class: StorageClass) -> Vec<Variable> {
        let is_of_class = |inst: &&Instruction| {
            inst.class.opcode == Op::Variable && inst.operands.first() == Some(&Operand::StorageClass(class))
        };
        let all = self.module.types_global_values.iter().filter(is_of_class);
        all.filter_map(|inst| Some(self.parts(inst.result_id?, self.pointee(inst.result_type?)?))).flatten().collect()
    }

    /// The variable, or the members of the block in it.
    fn parts(&self, id: Word, ty: Word) -> Vec<Variable> {
        let part = |ty, target, member: Option<u32>| {
            let builtin = self.decorated(target, member, Decoration::BuiltIn);
            let number = |decoration| match self.decorated(target, member, decoration) {
                Some(Operand::LiteralBit32(number)) => Some(number),
                _ => None,
            };
            let builtin = if let Some(Operand::BuiltIn(builtin)) = builtin { Some(builtin) } else { None };
            let cell = number(Decoration::Location)
                .map(|location| 4 * u64::from(location) + u64::from(number(Decoration::Component).unwrap_or(0)));
            (builtin.is_some() || cell.is_some()).then(|| Variable {
                id,
                member: member.map(|member| (target, member)),
                ty,
                builtin,
                cell: cell.unwrap_or(0),
                index: number(Decoration::Index).unwrap_or(0),
                is_patch: self.is_decorated(target, member, Decoration::Patch),
            })
        };
        match self.values.get(&ty) {
            Some(inst) if inst.class.opcode == Op::TypeStruct => {
                let members: Vec<Variable> = (0..)
                    .zip(&inst.operands)
                    .filter_map(|(n, member)| part(member.id_ref_any()?, ty, Some(n)))
                    .collect();
                if !members.is_empty() {
                    return members;
                }
            }
            _ => {}
        }
        part(ty, id, None).into_iter().collect()
    }

    fn is_decorated(&self, target: Word, member: Option<u32>, decoration: Decoration) -> bool {
        let wanted = Operand::Decoration(decoration);
        let at = if member.is_some() { 2 } else { 1 };
        let is_it = |it: &&Instruction| {
            it.operands.first() == Some(&Operand::IdRef(target)) && it.operands.get(at) == Some(&wanted)
        };
        let is_of_member = |it: &Instruction| member.is_none_or(|n| it.operands[1] == Operand::LiteralBit32(n));
        self.module.annotations.iter().filter(is_it).any(is_of_member)
    }

    /// The operand of a decoration.
    fn decorated(&self, target: Word, member: Option<u32>, decoration: Decoration) -> Option<Operand> {
        let mut start = vec![Operand::IdRef(target)];
        start.extend(member.map(Operand::LiteralBit32));
        start.push(Operand::Decoration(decoration));
        let op = if member.is_some() { Op::MemberDecorate } else { Op::Decorate };
        let found = self.module.annotations.iter().find(|it| it.class.opcode == op && it.operands.starts_with(&start));
        found.and_then(|it| it.operands.get(start.len()).cloned())
    }

    fn pointee(&self, pointer: Word) -> Option<Word> {
        self.values.get(&pointer)?.operands.get(1)?.id_ref_any()
    }

    /// The instruction of a type or a constant.
    pub(super) fn value(&self, id: Word) -> Option<&Instruction> {
        self.values.get(&id)
    }

    /// The types of the parts of a composite, in order; of a scalar, none.
    pub(super) fn constituents(&self, ty: Word) -> Result<Vec<Word>, String> {
        let unknown = || format!("type {ty} of an input or output is not known");
        let inst = self.values.get(&ty).ok_or_else(unknown)?;
        let id = |number: usize| inst.operands.get(number).and_then(Operand::id_ref_any).ok_or_else(unknown);
        Ok(match (inst.class.opcode, &inst.operands[..]) {
            (Op::TypeFloat | Op::TypeInt, _) => Vec::new(),
            (Op::TypeVector | Op::TypeMatrix, [_, Operand::LiteralBit32(count)]) => vec![id(0)?; *count as usize],
            (Op::TypeArray, _) => match self.values.get(&id(1)?).and_then(|count| count.operands.first()) {
                Some(Operand::LiteralBit32(count @ ..=MOST_ELEMENTS)) => vec![id(0)?; *count as usize],
                _ => return Err(unknown()),
            },
            (Op::TypeStruct, members) => members.iter().filter_map(Operand::id_ref_any).collect(),
            _ => return Err(unknown()),
        })
    }

    /// The scalars of a variable in order, as they lie in memory.
    pub(super) fn scalars(&self, variable: &Variable) -> Result<Vec<Scalar>, String> {
        self.scalars_of(variable, variable.ty)
    }

    /// The scalars of a variable as if it had another type: that of one vertex.
    pub(super) fn scalars_of(&self, variable: &Variable, ty: Word) -> Result<Vec<Scalar>, String> {
        let mut all = Vec::new();
        self.add(ty, variable.cell, variable.builtin.is_some(), &mut all)?;
        Ok(all)
    }

    /// Whether the module has an execution mode.
    pub(super) fn has_mode(&self, mode: ExecutionMode) -> bool {
        let mode = Operand::ExecutionMode(mode);
        self.module.execution_modes.iter().any(|it| it.operands.get(1) == Some(&mode))
    }

    /// Adds the scalars of a type that starts at a cell. Returns the first cell after it: an element of an array and a member of a block
    /// start at a Location, unless they are of a built-in.
    fn add(&self, ty: Word, cell: u64, packed: bool, all: &mut Vec<Scalar>) -> Result<u64, String> {
        let inst = self.values.get(&ty).ok_or_else(|| format!("type {ty} is not known"))?;
        let kind = match (inst.class.opcode, inst.operands.get(1)) {
            (Op::TypeFloat, _) => Some(Kind::Float),
            (Op::TypeInt, Some(Operand::LiteralBit32(0))) => Some(Kind::Uint),
            (Op::TypeInt, _) => Some(Kind::Int),
            _ => None,
        };
        if let Some(kind) = kind {
            let words = match inst.operands.first() {
                Some(Operand::LiteralBit32(bits @ (32 | 64))) => u64::from(bits / 32),
                _ => return Err("an input or output does not have 32 or 64 bits".to_owned()),
            };
            all.extend((cell..cell + words).map(|cell| Scalar { cell, kind }));
            return Ok(cell + words);
        }
        let is_vector = inst.class.opcode == Op::TypeVector;
        if all.len() > MOST_ELEMENTS as usize {
            return Err("an input or output has more numbers than a device has".to_owned());
        }
        let mut next = cell;
        for part in self.constituents(ty)? {
            next = self.add(part, next, packed, all)?;
            if !is_vector && !packed {
                // The Component is the same in each.
                next = (next - cell % 4).next_multiple_of(4) + cell % 4;
            }
        }
        Ok(next)
    }
}
