// SPDX-License-Identifier: MIT

//! `ntv annotate`: adds to a dump of spirv2nir the facts that the text does not have, from the module that was read.
//!
//! NIR's text has only the name of a struct, and no descriptor set. A comment before the first variable describes each struct of a
//! block, and one after a declaration has its set.

use crate::args::AnnotateArgs;
use crate::destination::{print, write};
use crate::diagnostics::Reporter;
use crate::inputs::read_text;
use crate::AllFine;
use anyhow::{anyhow, Context, Result};
use ntv::entity::StringTable;
use ntv::ir::{TypeData, TypeTable};
use ntv::op::{AluType, Base};
use rspirv::binary::{parse_bytes, Consumer, ParseAction};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use spirv::{Decoration, Op};
use std::collections::BTreeMap;
use std::fs;

pub(crate) fn run(args: &AnnotateArgs, _: &Reporter) -> Result<AllFine> {
    let dump = read_text(&args.input)?;
    let name = args.module.display();
    let bytes = fs::read(&args.module).with_context(|| format!("{name}: cannot read"))?;
    let mut module = Module::default();
    parse_bytes(bytes, &mut module).map_err(|error| anyhow!("{name}: this is not SPIR-V: {error}"))?;
    let text = annotate(&dump, &Facts::of(&module));
    match &args.output {
        Some(file) => write(file, text.as_bytes())?,
        None => print(text.as_bytes())?,
    }
    Ok(true)
}

/// The instructions of a module before its functions.
#[derive(Default)]
struct Module {
    instructions: Vec<Instruction>,
    is_over: bool,
}

impl Consumer for Module {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        self.is_over |= instruction.class.opcode == Op::Function;
        if !self.is_over {
            self.instructions.push(instruction);
        }
        ParseAction::Continue
    }
}

impl Module {
    /// The instructions with this opcode.
    fn all(&self, opcode: Op) -> impl Iterator<Item = &Instruction> {
        self.instructions.iter().filter(move |instruction| instruction.class.opcode == opcode)
    }

    /// The type or constant `id`.
    fn find(&self, id: u32) -> Option<&Instruction> {
        self.instructions.iter().find(|instruction| instruction.result_id == Some(id))
    }
}

/// `dump` with comments.
fn annotate(dump: &str, facts: &Facts) -> String {
    let mut text = String::new();
    let mut is_header = true;
    for line in dump.lines() {
        if is_header && line.starts_with("decl_") {
            is_header = false;
            facts
                .structs
                .iter()
                .for_each(|(name, members)| text += &format!("// ntv: struct={name} {{ {members} }}\n"));
        }
        text += line;
        if let Some(set) = facts.set_of(line) {
            text += &format!("  // ntv: set={set}");
        }
        text.push('\n');
    }
    text
}

/// The facts of a module.
struct Facts {
    /// Structs with offsets, inner ones first, with their members in the form of the comment.
    structs: Vec<(String, String)>,
    /// The name, binding and descriptor set of each variable in a descriptor.
    variables: Vec<(String, u32, u32)>,
}

impl Facts {
    fn of(module: &Module) -> Facts {
        let names = Names::of(module);
        let structs = module.all(Op::TypeStruct).filter_map(|instruction| {
            let id = instruction.result_id?;
            Some((names.of_struct(id), names.members(module, id, instruction)))
        });
        let structs: Vec<(String, Option<String>)> = structs.collect();
        // A description is of all structs with the name.
        let mut described: Vec<(String, String)> = Vec::new();
        for (name, members) in &structs {
            let is_known = described.iter().any(|(known, _)| known == name);
            let is_alone = structs.iter().all(|(other, theirs)| other != name || theirs == members);
            if let Some(members) = members.as_ref().filter(|_| is_alone && !is_known) {
                described.push((name.clone(), members.clone()));
            }
        }
        let variables = module.all(Op::Variable).filter_map(|variable| {
            let id = variable.result_id?;
            let [binding, set] =
                [Decoration::Binding, Decoration::DescriptorSet].map(|kind| names.number(id, None, kind));
            Some((names.of_id.get(&id).cloned().unwrap_or_default(), binding?, set?))
        });
        Facts { structs: described, variables: variables.collect() }
    }

    /// The set of the variable that `line` declares: of the one with its name and binding, or of all with its binding.
    fn set_of(&self, line: &str) -> Option<u32> {
        let line = line.strip_prefix("decl_var ")?;
        let is_descriptor = ["uniform ", "image ", "ubo ", "ssbo "].iter().any(|mode| line.contains(mode));
        let (declared, place) = line.strip_suffix(')')?.rsplit_once(" (").filter(|_| is_descriptor)?;
        let binding: u32 = place.rsplit_once(", ")?.1.parse().ok()?;
        let name = declared.rsplit_once(' ')?.1;
        let at_binding = || self.variables.iter().filter(|row| row.1 == binding);
        let own = at_binding().find(|row| row.0 == name).map(|row| row.2);
        let first = at_binding().next().map(|row| row.2);
        own.or(first.filter(|set| at_binding().all(|row| row.2 == *set)))
    }
}

/// Names and decorations by id; of members, by id and number.
#[derive(Default)]
struct Names {
    of_id: BTreeMap<u32, String>,
    of_member: BTreeMap<(u32, u32), String>,
    decorations: BTreeMap<(u32, Option<u32>, Decoration), u32>,
}

impl Names {
    fn of(module: &Module) -> Names {
        let mut names = Names::default();
        for instruction in module.all(Op::Name).chain(module.all(Op::MemberName)) {
            match instruction.operands.as_slice() {
                [Operand::IdRef(id), Operand::LiteralString(name)] => {
                    names.of_id.insert(*id, name.clone());
                }
                [Operand::IdRef(id), Operand::LiteralBit32(member), Operand::LiteralString(name)] => {
                    names.of_member.insert((*id, *member), name.clone());
                }
                _ => {}
            }
        }
        for instruction in module.all(Op::Decorate).chain(module.all(Op::MemberDecorate)) {
            let (id, member, rest) = match instruction.operands.as_slice() {
                [Operand::IdRef(id), Operand::LiteralBit32(member), rest @ ..] => (id, Some(*member), rest),
                [Operand::IdRef(id), rest @ ..] => (id, None, rest),
                _ => continue,
            };
            if let [Operand::Decoration(kind), rest @ ..] = rest {
                let number = rest.first().and_then(as_number).unwrap_or(0);
                names.decorations.insert((*id, member, *kind), number);
            }
        }
        names
    }

    fn number(&self, id: u32, member: Option<u32>, kind: Decoration) -> Option<u32> {
        self.decorations.get(&(id, member, kind)).copied()
    }

    /// vtn's name of a struct.
    fn of_struct(&self, id: u32) -> String {
        self.of_id.get(&id).filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| "struct".into())
    }

    /// The members of a struct with offsets; `None` for another struct, or one with a member of a type that has no name in NIR.
    fn members(&self, module: &Module, id: u32, instruction: &Instruction) -> Option<String> {
        let member = |(number, operand): (usize, &Operand)| {
            let number = number as u32;
            let offset = self.number(id, Some(number), Decoration::Offset)?;
            let (ty, strides) = self.type_name(module, (id, number), operand.id_ref_any()?)?;
            // vtn's name of a member without one.
            let name = self.of_member.get(&(id, number)).filter(|name| !name.is_empty()).cloned();
            let name = name.unwrap_or_else(|| format!("field{number}"));
            let strides: Vec<String> = strides.iter().map(u32::to_string).collect();
            let stride = if strides.is_empty() { String::new() } else { format!(" stride={}", strides.join("/")) };
            Some(format!("{ty} {name} offset={offset}{stride}"))
        };
        let members: Option<Vec<String>> = instruction.operands.iter().enumerate().map(member).collect();
        members.filter(|members| !members.is_empty()).map(|members| members.join(", "))
    }

    /// NIR's name of a type in a block, and the strides of its arrays, the outermost first.
    fn type_name(&self, module: &Module, member: (u32, u32), id: u32) -> Option<(String, Vec<u32>)> {
        let ty = module.find(id)?;
        let inner = || ty.operands.first().and_then(Operand::id_ref_any);
        let count = || ty.operands.get(1).and_then(as_number);
        match ty.class.opcode {
            Op::TypeArray | Op::TypeRuntimeArray => {
                let (element, inner) = self.type_name(module, member, inner()?)?;
                let length = match ty.class.opcode {
                    Op::TypeArray => constant(module, ty.operands.get(1)?.id_ref_any()?)?.to_string(),
                    _ => String::new(),
                };
                let (stem, lengths) = element.split_at(element.find('[').unwrap_or(element.len()));
                let mut strides = vec![self.number(id, None, Decoration::ArrayStride)?];
                strides.extend(inner);
                Some((format!("{stem}[{length}]{lengths}"), strides))
            }
            Op::TypeMatrix => {
                let (scalar, rows) = vector(module, inner()?)?;
                let matrix = TypeData::Matrix { scalar, columns: count()?.try_into().ok()?, rows };
                let stride = self.number(member.0, Some(member.1), Decoration::MatrixStride)?;
                let is_row_major = self.number(member.0, Some(member.1), Decoration::RowMajor).is_some();
                let order = if is_row_major { "RM" } else { "" };
                Some((format!("{}x{stride}a0B{order}", name_of(matrix)), Vec::new()))
            }
            Op::TypeStruct => Some((self.of_struct(id), Vec::new())),
            // vtn has an address as a number.
            Op::TypePointer => Some(("uint64_t".into(), Vec::new())),
            _ => {
                let (scalar, components) = vector(module, id)?;
                let data = match components {
                    1 => TypeData::Scalar(scalar),
                    n => TypeData::Vector(scalar, n),
                };
                Some((name_of(data), Vec::new()))
            }
        }
    }
}

/// The component type and the number of components of a scalar or vector of numbers.
fn vector(module: &Module, id: u32) -> Option<(AluType, u8)> {
    let ty = module.find(id)?;
    let number = |at: usize| ty.operands.get(at).and_then(as_number);
    let base = match ty.class.opcode {
        Op::TypeVector => {
            let (scalar, _) = vector(module, ty.operands.first()?.id_ref_any()?)?;
            return Some((scalar, number(1)?.try_into().ok()?));
        }
        Op::TypeFloat => Base::Float,
        Op::TypeInt if number(1) == Some(1) => Base::Int,
        Op::TypeInt => Base::Uint,
        _ => return None,
    };
    let bits = number(0)?.try_into().ok()?;
    let is_known = matches!((base, bits), (_, 16 | 32 | 64) | (Base::Int | Base::Uint, 8));
    is_known.then_some((AluType::new(base, bits), 1))
}

/// NIR's name of a type of numbers.
fn name_of(data: TypeData) -> String {
    let mut types = TypeTable::default();
    let ty = types.intern(data);
    types.name(ty, &StringTable::default())
}

fn as_number(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::LiteralBit32(number) => Some(*number),
        _ => None,
    }
}

/// The value of an integer constant.
fn constant(module: &Module, id: u32) -> Option<u32> {
    module.find(id)?.operands.first().and_then(as_number)
}
