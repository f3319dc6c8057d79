// SPDX-License-Identifier: MIT

//! The types of SPIR-V: their names, which are those of GLSL, and their sizes.

use rspirv::dr::{Instruction, Module, Operand};
use spirv::{Decoration, Dim, ImageFormat, Op, Word};
use std::collections::HashMap;

/// Types nest no deeper than this, also in words that are not valid.
const DEEPEST: u32 = 32;

/// An id, or a member of a struct.
type Place = (Word, Option<u32>);

/// A module with its definitions and decorations by id.
pub(super) struct Ids<'m> {
    pub(super) module: &'m Module,
    definitions: HashMap<Word, &'m Instruction>,
    names: HashMap<Place, &'m str>,
    decorations: HashMap<Place, Vec<(Decoration, Option<u32>)>>,
    /// The size of each type, and whether it has an open array.
    sizes: HashMap<Word, (u32, bool)>,
}

/// The literal in an operand.
pub(super) fn literal(operand: Option<&Operand>) -> Option<u32> {
    match operand? {
        Operand::LiteralBit32(value) => Some(*value),
        Operand::BuiltIn(builtin) => Some(*builtin as u32),
        _ => None,
    }
}

/// The id in an operand.
pub(super) fn id(operand: Option<&Operand>) -> Option<Word> {
    match operand? {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => Some(*id),
        _ => None,
    }
}

impl<'m> Ids<'m> {
    pub(super) fn new(module: &'m Module) -> Ids<'m> {
        let defined = module.types_global_values.iter().filter_map(|it| Some((it.result_id?, it)));
        let mut ids = Ids {
            module,
            definitions: defined.collect(),
            names: HashMap::new(),
            decorations: HashMap::new(),
            sizes: HashMap::new(),
        };
        for named in &module.debug_names {
            let member = if named.class.opcode == Op::MemberName { literal(named.operands.get(1)) } else { None };
            if let (Some(id), Some(Operand::LiteralString(name))) = (id(named.operands.first()), named.operands.last())
            {
                ids.names.insert((id, member), name);
            }
        }
        for decorated in &module.annotations {
            let at = match decorated.class.opcode {
                Op::Decorate => 1,
                Op::MemberDecorate => 2,
                _ => continue,
            };
            let member = if at == 2 { literal(decorated.operands.get(1)) } else { None };
            let Some(Operand::Decoration(decoration)) = decorated.operands.get(at) else { continue };
            if let Some(id) = id(decorated.operands.first()) {
                let value = literal(decorated.operands.get(at + 1));
                ids.decorations.entry((id, member)).or_default().push((*decoration, value));
            }
        }
        // A type is after the types in it.
        for inst in module.types_global_values.iter().filter(|inst| inst.class.opcode.is_type()) {
            let size = ids.size_of(inst);
            ids.sizes.extend(inst.result_id.map(|id| (id, size)));
        }
        ids
    }

    /// The instruction that defines a global id.
    pub(super) fn get(&self, id: Word) -> Option<&'m Instruction> {
        self.definitions.get(&id).copied()
    }

    /// The name of an id, or of a member of a struct.
    pub(super) fn name(&self, id: Word, member: Option<u32>) -> String {
        self.names.get(&(id, member)).map_or(String::new(), ToString::to_string)
    }

    pub(super) fn has(&self, id: Word, member: Option<u32>, decoration: Decoration) -> bool {
        self.all(id, member).iter().any(|row| row.0 == decoration)
    }

    /// The number of a decoration.
    pub(super) fn number(&self, id: Word, member: Option<u32>, decoration: Decoration) -> Option<u32> {
        self.all(id, member).iter().find(|row| row.0 == decoration)?.1
    }

    fn all(&self, id: Word, member: Option<u32>) -> &[(Decoration, Option<u32>)] {
        self.decorations.get(&(id, member)).map_or(&[], Vec::as_slice)
    }

    /// The value of a constant of 32 bits, also of a specialization constant.
    pub(super) fn constant(&self, id: Word) -> Option<u32> {
        let constant = self.get(id)?;
        matches!(constant.class.opcode, Op::Constant | Op::SpecConstant).then(|| literal(constant.operands.first()))?
    }

    /// The element type of an array, and its length; `None` for the length of an open array.
    pub(super) fn array(&self, ty: Word) -> Option<(Word, Option<u32>)> {
        let array = self.get(ty)?;
        match array.class.opcode {
            Op::TypeArray => {
                Some((id(array.operands.first())?, Some(self.constant(id(array.operands.get(1))?).unwrap_or(0))))
            }
            Op::TypeRuntimeArray => Some((id(array.operands.first())?, None)),
            _ => None,
        }
    }

    /// The members of a struct.
    pub(super) fn members(&self, ty: Word) -> Option<Vec<Word>> {
        let found = self.get(ty).filter(|found| found.class.opcode == Op::TypeStruct)?;
        Some(found.operands.iter().filter_map(|operand| id(Some(operand))).collect())
    }

    /// The name of a type, as in GLSL.
    pub(super) fn describe(&self, ty: Word) -> String {
        self.describe_at(ty, 0)
    }

    fn describe_at(&self, ty: Word, depth: u32) -> String {
        let Some(found) = self.get(ty).filter(|_| depth < DEEPEST) else { return "?".into() };
        let inner = |at: usize| id(found.operands.get(at)).map_or("?".into(), |ty| self.describe_at(ty, depth + 1));
        let number = |at: usize| literal(found.operands.get(at)).unwrap_or(0);
        match found.class.opcode {
            Op::TypeBool => "bool".into(),
            Op::TypeFloat => match number(0) {
                32 => "float".into(),
                64 => "double".into(),
                bits => format!("float{bits}_t"),
            },
            Op::TypeInt => match (number(1), number(0)) {
                (0, 32) => "uint".into(),
                (_, 32) => "int".into(),
                (0, bits) => format!("uint{bits}_t"),
                (_, bits) => format!("int{bits}_t"),
            },
            Op::TypeVector => format!("{}vec{}", prefix(&inner(0)), number(1)),
            Op::TypeMatrix => {
                let (column, columns) = (inner(0), number(1));
                let (kind, rows) = column.split_once("vec").unwrap_or(("", "?"));
                match rows == columns.to_string() {
                    true => format!("{kind}mat{columns}"),
                    false => format!("{kind}mat{columns}x{rows}"),
                }
            }
            Op::TypeArray => {
                let len = id(found.operands.get(1)).and_then(|len| self.constant(len));
                nested(&inner(0), &len.map_or("?".to_string(), |len| len.to_string()))
            }
            Op::TypeRuntimeArray => nested(&inner(0), ""),
            Op::TypeStruct => match self.name(ty, None) {
                name if name.is_empty() => "struct".into(),
                name => name,
            },
            Op::TypePointer => {
                format!("{}*", id(found.operands.get(1)).map_or("?".into(), |ty| self.describe_at(ty, depth + 1)))
            }
            Op::TypeSampler => "sampler".into(),
            Op::TypeSampledImage => inner(0).replacen("texture", "sampler", 1),
            Op::TypeImage => self.image(found, &inner(0)),
            _ => "?".into(),
        }
    }

    /// `utexture2DArray`, `imageBuffer`, with the format of an image.
    fn image(&self, image: &Instruction, texel: &str) -> String {
        let number = |at: usize| literal(image.operands.get(at)).unwrap_or(0);
        let Some(Operand::Dim(dim)) = image.operands.get(1) else { return "?".into() };
        let is_storage = number(5) == 2;
        let what = match (dim, is_storage) {
            (Dim::DimSubpassData, _) => "subpassInput",
            (_, true) => "image",
            (_, false) => "texture",
        };
        let dim = match dim {
            Dim::Dim1D => "1D",
            Dim::Dim2D => "2D",
            Dim::Dim3D => "3D",
            Dim::DimCube => "Cube",
            Dim::DimRect => "2DRect",
            Dim::DimBuffer => "Buffer",
            _ => "",
        };
        let (samples, layers) = (if number(4) == 1 { "MS" } else { "" }, if number(3) == 1 { "Array" } else { "" });
        let shadow = if number(2) == 1 { "Shadow" } else { "" };
        let format = match image.operands.get(6) {
            Some(Operand::ImageFormat(format)) if is_storage && *format != ImageFormat::Unknown => {
                format!(" {}", format!("{format:?}").to_lowercase())
            }
            _ => String::new(),
        };
        format!("{}{what}{dim}{samples}{layers}{shadow}{format}", prefix(texel))
    }

    /// The size in bytes, without an open array, and whether there is one; strides are those of the decorations.
    pub(super) fn size(&self, ty: Word) -> (u32, bool) {
        self.sizes.get(&ty).copied().unwrap_or((0, false))
    }

    /// The size of the type that an instruction defines; those of the types in it are known.
    fn size_of(&self, found: &Instruction) -> (u32, bool) {
        let number = |at: usize| literal(found.operands.get(at)).unwrap_or(0);
        let inner = |at: usize| id(found.operands.get(at)).map_or(0, |ty| self.size(ty).0);
        let own = found.result_id.unwrap_or(0);
        let bytes = match found.class.opcode {
            Op::TypeInt | Op::TypeFloat => number(0) / 8,
            Op::TypeBool => 4,
            Op::TypeVector | Op::TypeMatrix => inner(0).saturating_mul(number(1)),
            Op::TypePointer => 8,
            Op::TypeRuntimeArray => return (0, true),
            Op::TypeArray => {
                let stride = self.number(own, None, Decoration::ArrayStride).unwrap_or_else(|| inner(0));
                stride.saturating_mul(self.array(own).and_then(|array| array.1).unwrap_or(0))
            }
            Op::TypeStruct => return self.struct_size(own),
            _ => 0,
        };
        (bytes, false)
    }

    fn struct_size(&self, ty: Word) -> (u32, bool) {
        let (mut end, mut is_open) = (0, false);
        for (number, member) in (0..).zip(self.members(ty).unwrap_or_default()) {
            let offset = self.number(ty, Some(number), Decoration::Offset).unwrap_or(end);
            let (mut bytes, open) = self.size(member);
            // The columns or the rows of a matrix may be wider than it.
            if let Some(stride) = self.number(ty, Some(number), Decoration::MatrixStride) {
                bytes = bytes.max(self.matrix_size(member, stride, self.has(ty, Some(number), Decoration::RowMajor)));
            }
            end = end.max(offset.saturating_add(bytes));
            is_open |= open;
        }
        (end, is_open)
    }

    /// The number of Locations of a type of inputs and outputs.
    pub(super) fn locations(&self, ty: Word) -> u32 {
        let (mut ty, mut count) = (ty, 1u32);
        for _ in 0..DEEPEST {
            match (self.array(ty), self.get(ty)) {
                (Some((element, len)), _) => (ty, count) = (element, count.saturating_mul(len.unwrap_or(1))),
                (None, Some(found)) if found.class.opcode == Op::TypeMatrix => {
                    count = count.saturating_mul(literal(found.operands.get(1)).unwrap_or(1));
                    ty = id(found.operands.first()).unwrap_or(0);
                }
                _ => break,
            }
        }
        // Vectors of three or four doubles have two.
        count.saturating_mul(self.size(ty).0.div_ceil(16).max(1))
    }

    /// The size of a matrix, which may be in arrays.
    fn matrix_size(&self, ty: Word, stride: u32, is_row_major: bool) -> u32 {
        let Some(matrix) = self.get(ty).filter(|found| found.class.opcode == Op::TypeMatrix) else { return 0 };
        let columns = literal(matrix.operands.get(1)).unwrap_or(0);
        let column = id(matrix.operands.first()).and_then(|column| self.get(column));
        let rows = column.and_then(|column| literal(column.operands.get(1))).unwrap_or(0);
        stride.saturating_mul(if is_row_major { rows } else { columns })
    }
}

/// The letter before `vec` or `texture` for a scalar type.
fn prefix(scalar: &str) -> &str {
    match scalar {
        "uint" => "u",
        "int" => "i",
        "bool" => "b",
        "double" => "d",
        "float16_t" => "f16",
        "int64_t" => "i64",
        "uint64_t" => "u64",
        "int16_t" => "i16",
        "uint16_t" => "u16",
        "int8_t" => "i8",
        "uint8_t" => "u8",
        _ => "",
    }
}

/// The name of an array: the outer length is before the inner ones.
fn nested(element: &str, len: &str) -> String {
    let at = element.find('[').unwrap_or(element.len());
    format!("{}[{len}]{}", &element[..at], &element[at..])
}
