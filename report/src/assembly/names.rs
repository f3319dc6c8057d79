// SPDX-License-Identifier: MIT

//! Names of ids: their numbers, or names that say what they are.

use super::operands;
use rspirv::dr::{Instruction, Module, Operand};
use spirv::{Op, Word};
use std::collections::{HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};

/// The longest name of a type or a constant in bytes.
const LONGEST: usize = 200;

/// The names of ids, with `%` before them.
pub(super) struct Names(HashMap<Word, String>);

impl Names {
    /// Each id is its number.
    pub(super) fn numbers() -> Names {
        Names(HashMap::new())
    }

    /// Types and constants are named by what they are, and others by OpName. The rest are numbers.
    pub(super) fn friendly(module: &Module) -> Names {
        let mut names = Names(HashMap::new());
        let mut taken: HashSet<String> = HashSet::new();
        for named in &module.debug_names {
            if let (Op::Name, [Operand::IdRef(id), Operand::LiteralString(name)]) =
                (named.class.opcode, &named.operands[..])
            {
                names.give(*id, &sanitized(name), &mut taken);
            }
        }
        for inst in &module.types_global_values {
            let Some(id) = inst.result_id.filter(|id| !names.0.contains_key(id)) else { continue };
            if let Some(name) = names.describe(inst, module).filter(|name| name.len() <= LONGEST) {
                names.give(id, &sanitized(&name), &mut taken);
            }
        }
        names
    }

    /// Types and constants are named by what they are, also by their decorations, and share a name if they are the same. The rest
    /// are numbers.
    pub(super) fn structural(module: &Module) -> Names {
        let mut names = Names(HashMap::new());
        for inst in &module.types_global_values {
            let Some(id) = inst.result_id.filter(|_| inst.class.opcode != Op::Variable) else { continue };
            let mut name = names.describe(inst, module).unwrap_or_else(|| {
                let operand = |operand: &Operand| match operand {
                    Operand::IdRef(_) => names.bare(Some(operand)),
                    other => other.to_string(),
                };
                let ty = inst.result_type.map(Operand::IdRef);
                let parts: Vec<String> = ty.iter().chain(&inst.operands).map(operand).collect();
                format!("{}({})", inst.class.opname, parts.join(" "))
            });
            for decorated in &module.annotations {
                if let [Operand::IdRef(own), rest @ ..] = &decorated.operands[..] {
                    if *own == id {
                        rest.iter().for_each(|operand| name += &format!(" {operand}"));
                    }
                }
            }
            // Types of types may have very long names.
            let mut hasher = std::hash::DefaultHasher::new();
            name.hash(&mut hasher);
            let name = if name.len() > LONGEST { format!("{:016x}", hasher.finish()) } else { name };
            names.0.insert(id, format!("%{name}"));
        }
        names
    }

    /// The name of an id.
    pub(super) fn of(&self, id: Word) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| format!("%{id}"))
    }

    fn give(&mut self, id: Word, name: &str, taken: &mut HashSet<String>) {
        // A name of digits would be a number.
        let is_number = name.chars().all(|c| c.is_ascii_digit());
        let name = if is_number { format!("_{name}") } else { name.to_string() };
        let mut unique = name.clone();
        let mut count = 0;
        while !taken.insert(unique.clone()) {
            unique = format!("{name}_{count}");
            count += 1;
        }
        self.0.insert(id, format!("%{unique}"));
    }

    /// The name without `%`.
    fn bare(&self, operand: Option<&Operand>) -> String {
        match operand {
            Some(Operand::IdRef(id)) => self.of(*id)[1..].to_string(),
            _ => "x".into(),
        }
    }

    /// What a type or a constant is.
    fn describe(&self, inst: &Instruction, module: &Module) -> Option<String> {
        let operand = |at: usize| inst.operands.get(at);
        let number = |at: usize| match operand(at) {
            Some(Operand::LiteralBit32(number)) => *number,
            _ => 0,
        };
        Some(match inst.class.opcode {
            Op::TypeVoid => "void".into(),
            Op::TypeBool => "bool".into(),
            Op::TypeSampler => "sampler".into(),
            Op::TypeInt => {
                let (bits, sign) = (number(0), if number(1) == 0 { "u" } else { "" });
                let word = match bits {
                    8 => "char",
                    16 => "short",
                    64 => "long",
                    _ => "int",
                };
                format!("{sign}{word}")
            }
            Op::TypeFloat => match number(0) {
                16 => "half".into(),
                64 => "double".into(),
                _ => "float".into(),
            },
            Op::TypeVector => format!("v{}{}", number(1), self.bare(operand(0))),
            Op::TypeMatrix => format!("mat{}{}", number(1), self.bare(operand(0))),
            Op::TypeArray => format!("arr_{}_{}", self.bare(operand(0)), self.bare(operand(1))),
            Op::TypeRuntimeArray => format!("runtimearr_{}", self.bare(operand(0))),
            Op::TypeSampledImage => format!("sampled_{}", self.bare(operand(0))),
            Op::TypePointer => match operand(0) {
                Some(Operand::StorageClass(class)) => format!("ptr_{class:?}_{}", self.bare(operand(1))),
                _ => return None,
            },
            Op::ConstantTrue => "true".into(),
            Op::ConstantFalse => "false".into(),
            Op::Constant => {
                let ty = inst.result_type?;
                let value = operands::number(inst, module)?;
                let value = value.replace('-', "n").replace(['.', '+'], "_");
                format!("{}_{}", &self.of(ty)[1..], value.trim_end_matches("_0"))
            }
            _ => return None,
        })
    }
}

/// A name with only the characters that the assembler takes.
fn sanitized(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if name.is_empty() {
        "_".into()
    } else {
        name
    }
}
