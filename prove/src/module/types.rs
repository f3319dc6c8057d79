// SPDX-License-Identifier: MIT

//! The types, decorations and numbers that a module declares.

use super::Reason;
use crate::world;
use ntv::op::fold::mask;
use rspirv::dr::{Instruction, Operand};
use rustc_hash::FxHashMap;
use spirv::{BuiltIn, Decoration, Dim, Op, StorageClass};
use std::rc::Rc;

/// The most scalars of a value.
const MOST_SCALARS: u64 = 1 << 14;

/// The most types that contain each other.
const DEEPEST: u32 = 64;

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Void,
    Bool,
    Int(u8),
    Float(u8),
    /// The components and their number.
    Vector(u32, u64),
    /// The columns and their number.
    Matrix(u32, u64),
    /// The elements and their number; without a number, the array's end is that of its buffer.
    Array(u32, Option<u64>),
    Struct(Rc<[u32]>),
    Pointer(StorageClass, u32),
    Image(Image),
    Sampler,
    SampledImage(u32),
    /// A type without terms.
    Other,
}

/// What an image type says of its images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) dim: Dim,
    pub(super) arrayed: bool,
    pub(super) multisampled: bool,
    /// Whether it is written or read without a sampler as storage.
    pub(super) storage: bool,
}

impl Image {
    /// The name of its shape.
    pub(super) fn shape(self) -> String {
        world::shape(self.dim, self.arrayed, self.multisampled)
    }

    /// The number of its coordinates without the layer.
    pub(super) fn dimensions(self) -> usize {
        match self.dim {
            Dim::Dim1D | Dim::DimBuffer => 1,
            Dim::Dim3D | Dim::DimCube => 3,
            _ => 2,
        }
    }

    /// The number of coordinates of a texel of a storage image: the faces of cubes are layers.
    pub(super) fn texel_coordinates(self) -> usize {
        match self.dim {
            Dim::DimCube => 3,
            _ => self.coordinates(),
        }
    }

    /// The number of its coordinates.
    pub(super) fn coordinates(self) -> usize {
        self.dimensions() + usize::from(self.arrayed)
    }
}

/// A type with its size.
#[derive(Clone, Debug)]
struct Entry {
    ty: Type,
    depth: u32,
    /// The number of its scalars.
    scalars: u64,
    /// The widths of its scalars; none if it has no terms.
    widths: Option<Rc<[u8]>>,
}

/// Decorations with their words.
type Decorations = Vec<(Decoration, Vec<u32>)>;

/// The types, decorations and numbers of a module.
#[derive(Debug, Default)]
pub(super) struct Types {
    entries: FxHashMap<u32, Entry>,
    decorations: FxHashMap<u32, Decorations>,
    members: FxHashMap<(u32, u32), Decorations>,
    /// Scalar constants; of specialization constants, the default.
    pub(super) numbers: FxHashMap<u32, u64>,
}

impl Types {
    /// Adds an annotation.
    pub(super) fn annotate(&mut self, instruction: &Instruction) {
        let operands = &instruction.operands;
        let at = if instruction.class.opcode == Op::MemberDecorate { 2 } else { 1 };
        let (Some(Operand::IdRef(target)), Some(Operand::Decoration(decoration))) =
            (operands.first(), operands.get(at))
        else {
            return;
        };
        let words: Vec<u32> = operands[at + 1..].iter().map(word).collect();
        match (instruction.class.opcode, operands.get(1)) {
            (Op::MemberDecorate, Some(Operand::LiteralBit32(member))) => {
                self.members.entry((*target, *member)).or_default().push((*decoration, words));
            }
            (Op::Decorate, _) => self.decorations.entry(*target).or_default().push((*decoration, words)),
            _ => {}
        }
    }

    /// Adds the type or the number that a global instruction declares.
    pub(super) fn declare(&mut self, instruction: &Instruction) {
        let Some(id) = instruction.result_id else { return };
        let operands: Vec<u32> = instruction.operands.iter().map(word).collect();
        let at = |i: usize| operands.get(i).copied().unwrap_or(0);
        let ty = match instruction.class.opcode {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt if [8, 16, 32, 64].contains(&at(0)) => Type::Int(at(0) as u8),
            Op::TypeFloat if [16, 32, 64].contains(&at(0)) && operands.len() == 1 => Type::Float(at(0) as u8),
            Op::TypeVector => Type::Vector(at(0), at(1).into()),
            Op::TypeMatrix => Type::Matrix(at(0), at(1).into()),
            Op::TypeArray => Type::Array(at(0), self.numbers.get(&at(1)).copied()),
            Op::TypeRuntimeArray => Type::Array(at(0), None),
            Op::TypeStruct => Type::Struct(operands.into()),
            Op::TypePointer => match instruction.operands.first() {
                Some(Operand::StorageClass(class)) => Type::Pointer(*class, at(1)),
                _ => Type::Other,
            },
            Op::TypeImage => match instruction.operands.get(1) {
                Some(Operand::Dim(dim)) => Type::Image(Image {
                    dim: *dim,
                    arrayed: at(3) != 0,
                    multisampled: at(4) != 0,
                    storage: at(5) == 2 && *dim != Dim::DimSubpassData,
                }),
                _ => Type::Other,
            },
            Op::TypeSampler => Type::Sampler,
            Op::TypeSampledImage => Type::SampledImage(at(0)),
            Op::Constant | Op::SpecConstant => {
                self.number(id, instruction);
                return;
            }
            Op::ConstantTrue | Op::SpecConstantTrue | Op::ConstantFalse | Op::SpecConstantFalse => {
                let is_true = matches!(instruction.class.opcode, Op::ConstantTrue | Op::SpecConstantTrue);
                self.numbers.insert(id, is_true.into());
                return;
            }
            Op::SpecConstantOp => {
                if let Some(number) = self.default_of(instruction, &operands) {
                    self.numbers.insert(id, number);
                }
                return;
            }
            _ if instruction.class.opname.starts_with("Type") => Type::Other,
            _ => return,
        };
        let entry = self.sized(ty);
        self.entries.insert(id, entry);
    }

    fn number(&mut self, id: u32, instruction: &Instruction) {
        let width = self.scalar(instruction.result_type.unwrap_or(0)).unwrap_or(0);
        let value = match instruction.operands.first() {
            Some(Operand::LiteralBit32(value)) => u64::from(*value),
            Some(Operand::LiteralBit64(value)) => *value,
            _ => return,
        };
        if width > 0 {
            self.numbers.insert(id, mask(value, width));
        }
    }

    /// The default value of an operation on 32-bit specialization constants.
    fn default_of(&self, instruction: &Instruction, operands: &[u32]) -> Option<u64> {
        let Some(Operand::LiteralSpecConstantOpInteger(op)) = instruction.operands.first() else { return None };
        let a = *self.numbers.get(operands.get(1)?)?;
        let b = *self.numbers.get(operands.get(2)?)?;
        let value = match op {
            Op::IAdd => a.wrapping_add(b),
            Op::ISub => a.wrapping_sub(b),
            Op::IMul => a.wrapping_mul(b),
            Op::UDiv => a.checked_div(b)?,
            _ => return None,
        };
        Some(mask(value, self.scalar(instruction.result_type?)?))
    }

    fn sized(&self, ty: Type) -> Entry {
        let other = Entry { ty: Type::Other, depth: 0, scalars: 0, widths: None };
        let all = |parts: &[u32]| -> Option<Vec<&Entry>> { parts.iter().map(|id| self.entries.get(id)).collect() };
        let repeated = |part: &u32, count: u64| {
            let part = self.entries.get(part)?;
            let scalars = part.scalars.saturating_mul(count);
            let widths = part.widths.as_ref().filter(|_| scalars <= MOST_SCALARS);
            let widths = widths.map(|widths| (0..count).flat_map(|_| widths.iter().copied()).collect());
            Some((part.depth + 1, scalars, widths))
        };
        let sizes = match &ty {
            Type::Bool => Some((0, 1, Some([1].into()))),
            Type::Int(width) | Type::Float(width) => Some((0, 1, Some([*width].into()))),
            Type::Vector(part, count) if self.scalar(*part).is_some() && *count <= 4 => repeated(part, *count),
            Type::Matrix(part, count) if *count <= 4 => repeated(part, *count),
            Type::Array(part, Some(count)) => repeated(part, *count),
            Type::Array(part, None) => self.entries.get(part).map(|part| (part.depth + 1, 0, None)),
            Type::Struct(members) => all(members).map(|members| {
                let depth = members.iter().map(|member| member.depth + 1).max().unwrap_or(0);
                let scalars = members.iter().fold(0u64, |sum, member| sum.saturating_add(member.scalars));
                let widths: Option<Vec<Rc<[u8]>>> = members.iter().map(|member| member.widths.clone()).collect();
                let widths = widths.filter(|_| scalars <= MOST_SCALARS);
                (depth, scalars, widths.map(|widths| widths.iter().flat_map(|widths| widths.iter().copied()).collect()))
            }),
            Type::Vector(..) | Type::Matrix(..) => None,
            _ => Some((0, 0, None)),
        };
        match sizes {
            Some((depth, scalars, widths)) if depth < DEEPEST => Entry { ty, depth, scalars, widths },
            _ => other,
        }
    }

    /// The type with this id.
    pub(super) fn get(&self, id: u32) -> &Type {
        self.entries.get(&id).map_or(&Type::Other, |entry| &entry.ty)
    }

    /// Whether the scalars of a value of this type are floats.
    pub(super) fn has_floats(&self, id: u32) -> bool {
        match self.get(id) {
            Type::Vector(part, _) | Type::Matrix(part, _) | Type::Array(part, _) => self.has_floats(*part),
            ty => matches!(ty, Type::Float(_)),
        }
    }

    /// The number of scalars of a value of this type.
    pub(super) fn scalars(&self, id: u32) -> u64 {
        self.entries.get(&id).map_or(0, |entry| entry.scalars)
    }

    /// The widths of the scalars of a value of this type.
    pub(super) fn widths(&self, id: u32) -> Reason<Rc<[u8]>> {
        let widths = self.entries.get(&id).and_then(|entry| entry.widths.clone());
        widths.ok_or_else(|| "a type without terms".to_owned())
    }

    /// The width of a scalar type.
    pub(super) fn scalar(&self, id: u32) -> Option<u8> {
        match self.get(id) {
            Type::Bool => Some(1),
            Type::Int(width) | Type::Float(width) => Some(*width),
            _ => None,
        }
    }

    /// The words of a decoration of `id`.
    pub(super) fn decoration(&self, id: u32, decoration: Decoration) -> Option<&[u32]> {
        find(self.decorations.get(&id)?, decoration)
    }

    /// The words of a decoration of a struct's member.
    pub(super) fn member(&self, id: u32, member: u64, decoration: Decoration) -> Option<&[u32]> {
        find(self.members.get(&(id, u32::try_from(member).ok()?))?, decoration)
    }

    /// Whether `id` has a decoration.
    pub(super) fn has(&self, id: u32, decoration: Decoration) -> bool {
        self.decoration(id, decoration).is_some()
    }

    /// The first word of a decoration of `id`.
    pub(super) fn word(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.decoration(id, decoration)?.first().copied()
    }

    /// The built-in that a decoration of `id`, or of its member, names.
    pub(super) fn builtin(&self, id: u32, member: Option<u64>) -> Option<BuiltIn> {
        let words = match member {
            Some(member) => self.member(id, member, Decoration::BuiltIn),
            None => self.decoration(id, Decoration::BuiltIn),
        };
        BuiltIn::from_u32(*words?.first()?)
    }
}

fn find(decorations: &[(Decoration, Vec<u32>)], decoration: Decoration) -> Option<&[u32]> {
    decorations.iter().find(|(known, _)| *known == decoration).map(|(_, words)| words.as_slice())
}

/// An operand as a word.
pub(super) fn word(operand: &Operand) -> u32 {
    match operand {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => *id,
        Operand::LiteralBit32(value) | Operand::LiteralExtInstInteger(value) => *value,
        Operand::BuiltIn(builtin) => *builtin as u32,
        Operand::ImageOperands(operands) => operands.bits(),
        Operand::FPFastMathMode(mode) => mode.bits(),
        _ => 0,
    }
}
