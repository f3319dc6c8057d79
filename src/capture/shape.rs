// SPDX-License-Identifier: MIT

//! The frontend's description of an output: its type and its slots.

use crate::ir::XfbInfo;
use std::fmt;

/// The most levels of a type. GLSL compilers refuse deeper types too, and functions on types are recursive.
const MOST_DEPTH: u32 = 32;

/// The scalar types of varyings in GLSL: `glsl_base_type`.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    Float,
    Int,
    Uint,
    Double,
    Int64,
    Uint64,
}

/// ScalarType and number of columns of each basic type, its names in GLSL for one row and for several rows, and its numbers in OpenGL for
/// one to four rows; 0 if there is no such type.
#[rustfmt::skip]
const BASICS: &[(ScalarType, u8, &str, &str, [u32; 4])] = &[
    (ScalarType::Float,  1, "float",    "vec",    [0x1406, 0x8b50, 0x8b51, 0x8b52]),
    (ScalarType::Int,    1, "int",      "ivec",   [0x1404, 0x8b53, 0x8b54, 0x8b55]),
    (ScalarType::Uint,   1, "uint",     "uvec",   [0x1405, 0x8dc6, 0x8dc7, 0x8dc8]),
    (ScalarType::Double, 1, "double",   "dvec",   [0x140a, 0x8ffc, 0x8ffd, 0x8ffe]),
    (ScalarType::Int64,  1, "int64_t",  "i64vec", [0x140e, 0x8fe9, 0x8fea, 0x8feb]),
    (ScalarType::Uint64, 1, "uint64_t", "u64vec", [0x140f, 0x8ff5, 0x8ff6, 0x8ff7]),
    (ScalarType::Float,  2, "",         "mat2x",  [0,      0x8b5a, 0x8b65, 0x8b66]),
    (ScalarType::Float,  3, "",         "mat3x",  [0,      0x8b67, 0x8b5b, 0x8b68]),
    (ScalarType::Float,  4, "",         "mat4x",  [0,      0x8b69, 0x8b6a, 0x8b5c]),
    (ScalarType::Double, 2, "",         "dmat2x", [0,      0x8f46, 0x8f49, 0x8f4a]),
    (ScalarType::Double, 3, "",         "dmat3x", [0,      0x8f4b, 0x8f47, 0x8f4c]),
    (ScalarType::Double, 4, "",         "dmat4x", [0,      0x8f4d, 0x8f4e, 0x8f48]),
];

/// A scalar, a vector or a matrix: a type with a number in OpenGL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Basic {
    /// The type of a component.
    pub base: ScalarType,
    /// The number of components of a vector or of a matrix's column: 1 to 4.
    pub rows: u8,
    /// The number of columns of a matrix: 2 to 4, or 1 for vectors and scalars.
    pub columns: u8,
}

impl Basic {
    /// Whether components have 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self.base, ScalarType::Double | ScalarType::Int64 | ScalarType::Uint64)
    }

    /// OpenGL's number of the type, such as 0x8b51 for `GL_FLOAT_VEC3`; `None` if GLSL has no such type.
    pub fn gl_type(self) -> Option<u32> {
        let (.., numbers) = self.row()?;
        numbers.get(usize::from(self.rows).checked_sub(1)?).copied().filter(|number| *number != 0)
    }

    /// The number of 32-bit components of all columns.
    pub fn components(self) -> u32 {
        self.width().saturating_mul(self.columns.into())
    }

    /// The number of 32-bit components of a column.
    pub(super) fn width(self) -> u32 {
        u32::from(self.rows).saturating_mul(self.component_bytes() / 4)
    }

    /// The size of a component in bytes, which is also its alignment.
    pub(super) fn component_bytes(self) -> u32 {
        if self.is_wide() {
            8
        } else {
            4
        }
    }

    /// The number of slots of a column.
    fn column_slots(self) -> u32 {
        self.width().div_ceil(4)
    }

    fn row(self) -> Option<&'static (ScalarType, u8, &'static str, &'static str, [u32; 4])> {
        BASICS.iter().find(|(base, columns, ..)| (*base, *columns) == (self.base, self.columns))
    }

    /// The error of a value of this type that begins at `component` of a slot.
    fn check(self, component: u8) -> Result<(), &'static str> {
        let (width, component) = (self.width(), u32::from(component));
        if self.gl_type().is_none() {
            return Err("GLSL has no such type");
        }
        // A column that takes two slots begins at the first component.
        let fits = if width > 4 { component == 0 } else { component + width <= 4 };
        if !fits || self.is_wide() && component % 2 != 0 {
            return Err("it does not fit into its slot");
        }
        Ok(())
    }
}

/// The name in GLSL. Matrices have columns, then rows: `vec3`, `dmat2x4`.
impl fmt::Display for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row() {
            Some((.., scalar, _, _)) if self.rows == 1 && self.columns == 1 => f.write_str(scalar),
            Some((.., stem, _)) => write!(f, "{stem}{}", self.rows),
            None => write!(f, "{:?} {}x{}", self.base, self.columns, self.rows),
        }
    }
}

/// The type of an output, without the array of vertices that some stages have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OutputType {
    /// A scalar, a vector or a matrix.
    Basic(Basic),
    /// An array of a type, also of blocks, with at least one element.
    Array(Box<OutputType>, u32),
    /// A struct with at least one member.
    Struct(Vec<Member>),
    /// An interface block with an instance name, captured by the block's name. The members of a block without an instance name are
    /// separate outputs.
    Block(Vec<Member>),
}

/// A member of a struct or a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: OutputType,
    /// The position of a block member with a layout qualifier: slots from the beginning of the block, and the first 32-bit
    /// component in that slot. `None`: the slot after the member before it.
    pub at: Option<(u32, u8)>,
}

impl Member {
    /// A member that follows the one before it.
    pub fn new(name: impl Into<String>, ty: OutputType) -> Member {
        Member { name: name.into(), ty, at: None }
    }
}

impl OutputType {
    /// A scalar.
    pub fn scalar(base: ScalarType) -> OutputType {
        OutputType::vector(base, 1)
    }

    /// A vector with `rows` components.
    pub fn vector(base: ScalarType, rows: u8) -> OutputType {
        OutputType::matrix(base, 1, rows)
    }

    /// A matrix with columns and rows in the order of GLSL's names.
    pub fn matrix(base: ScalarType, columns: u8, rows: u8) -> OutputType {
        OutputType::Basic(Basic { base, rows, columns })
    }

    /// An array of this type.
    pub fn array(self, length: u32) -> OutputType {
        OutputType::Array(Box::new(self), length)
    }

    /// The number of 32-bit components, without padding; `u32::MAX` if there are more.
    pub(super) fn components(&self) -> u32 {
        match self {
            OutputType::Basic(basic) => basic.components(),
            OutputType::Array(element, length) => element.components().saturating_mul(*length),
            OutputType::Struct(members) | OutputType::Block(members) => {
                members.iter().fold(0, |sum: u32, member| sum.saturating_add(member.ty.components()))
            }
        }
    }

    /// The number of slots if it is not compact; `u32::MAX` if there are more.
    pub(super) fn slots(&self) -> u32 {
        match self {
            OutputType::Basic(basic) => basic.column_slots().saturating_mul(basic.columns.into()),
            OutputType::Array(element, length) => element.slots().saturating_mul(*length),
            OutputType::Struct(members) | OutputType::Block(members) => {
                places(members).fold(0, |end, (member, at, _)| end.max(at.saturating_add(member.ty.slots())))
            }
        }
    }

    /// Whether any component has 64 bits.
    pub(super) fn is_wide(&self) -> bool {
        match self {
            OutputType::Basic(basic) => basic.is_wide(),
            OutputType::Array(element, _) => element.is_wide(),
            OutputType::Struct(members) | OutputType::Block(members) => {
                members.iter().any(|member| member.ty.is_wide())
            }
        }
    }

    /// Whether it has more than `most` levels.
    fn is_deeper(&self, most: u32) -> bool {
        let Some(rest) = most.checked_sub(1) else { return true };
        match self {
            OutputType::Basic(_) => false,
            OutputType::Array(element, _) => element.is_deeper(rest),
            OutputType::Struct(members) | OutputType::Block(members) => {
                members.iter().any(|member| member.ty.is_deeper(rest))
            }
        }
    }

    /// The error of a value of this type that begins at `component` of a slot.
    fn check(&self, component: u8) -> Result<(), &'static str> {
        match self {
            OutputType::Basic(basic) => basic.check(component),
            OutputType::Array(_, 0) => Err("an array has no elements"),
            OutputType::Array(element, _) => element.check(component),
            OutputType::Struct(members) | OutputType::Block(members) if members.is_empty() => {
                Err("a struct has no members")
            }
            OutputType::Struct(_) | OutputType::Block(_) if component != 0 => Err("a struct begins with a slot"),
            OutputType::Struct(members) | OutputType::Block(members) => {
                places(members).try_for_each(|(member, _, component)| member.ty.check(component))
            }
        }
    }
}

/// Every member with its slot from the beginning of the struct, and its first component in that slot.
pub(super) fn places(members: &[Member]) -> impl Iterator<Item = (&Member, u32, u8)> {
    let mut next: u32 = 0;
    members.iter().map(move |member| {
        let (at, component) = member.at.unwrap_or((next, 0));
        next = at.saturating_add(member.ty.slots());
        (member, at, component)
    })
}

/// An output of the last stage before rasterization.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// The name for captures: that of the variable, or of the block if its type is a block or an array of blocks.
    pub name: String,
    /// Its type.
    pub ty: OutputType,
    /// Its first slot, a number of [`varying`](crate::op::names::varying).
    pub location: u32,
    /// The first 32-bit component in that slot, for each element if it is an array.
    pub component: u8,
    /// The vertex stream of an output of a geometry shader; 0 for other stages.
    pub stream: u8,
    /// Whether it is an array of 32-bit scalars, four of which share a slot: `gl_ClipDistance`, `gl_CullDistance` and the
    /// tessellation levels. NIR's `nir_variable_data::compact`.
    pub is_compact: bool,
}

impl Output {
    /// An output of stream 0 with the first slot `location`.
    pub fn new(name: impl Into<String>, ty: OutputType, location: u32) -> Output {
        Output { name: name.into(), ty, location, component: 0, stream: 0, is_compact: false }
    }

    /// The error of the description.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.component > 3 {
            return Err("a slot has four components");
        }
        if u32::from(self.stream) >= XfbInfo::STREAMS {
            return Err("there are four vertex streams");
        }
        if self.ty.is_deeper(MOST_DEPTH) {
            return Err("its type is nested too deeply");
        }
        let is_scalar = |ty: &OutputType| matches!(ty, OutputType::Basic(basic) if basic.components() == 1);
        let is_array_of_scalars = matches!(&self.ty, OutputType::Array(element, _) if is_scalar(element));
        if self.is_compact && !is_array_of_scalars {
            return Err("only arrays of 32-bit scalars are compact");
        }
        self.ty.check(self.component)
    }
}

/// A scalar, vector or matrix, or an array of these, in its slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) basic: Basic,
    /// The number of elements of an array; 1 for other types.
    pub(super) length: u32,
    pub(super) location: u32,
    pub(super) component: u8,
    pub(super) is_compact: bool,
}

impl Leaf {
    /// The number of 32-bit components; `u32::MAX` if there are more.
    pub(super) fn components(&self) -> u32 {
        self.basic.components().saturating_mul(self.length)
    }

    /// The number of slots up to its end; `u32::MAX` if there are more.
    pub(super) fn slots(&self) -> u32 {
        if self.is_compact {
            return self.length.saturating_add(self.component.into()).div_ceil(4);
        }
        self.basic.column_slots().saturating_mul(self.basic.columns.into()).saturating_mul(self.length)
    }

    /// The slot of the 32-bit component `k`, in the order of capture, and the component in that slot. Slots are below
    /// [`END`](crate::op::names::varying::END), so there is no overflow.
    pub(super) fn slot(&self, k: u32) -> (u32, u8) {
        let width = if self.is_compact { u32::MAX } else { self.basic.width() };
        let (column, within) = (k / width, k % width + u32::from(self.component));
        let location = self.location + column * self.basic.column_slots() + within / 4;
        (location, (within % 4) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::{Basic, OutputType, ScalarType, BASICS};
    use std::collections::BTreeSet;

    #[test]
    fn types_have_numbers_and_names() {
        let basic = |base, columns, rows| Basic { base, rows, columns };
        assert_eq!(basic(ScalarType::Float, 1, 1).to_string(), "float");
        assert_eq!(basic(ScalarType::Uint64, 1, 3).to_string(), "u64vec3");
        assert_eq!(basic(ScalarType::Double, 2, 4).to_string(), "dmat2x4");
        assert_eq!(basic(ScalarType::Int, 2, 4).to_string(), "Int 2x4");
        assert_eq!(basic(ScalarType::Int, 2, 4).gl_type(), None);
        assert_eq!(basic(ScalarType::Float, 1, 0).gl_type(), None);
        assert_eq!(basic(ScalarType::Float, 2, 1).gl_type(), None);
        assert_eq!(basic(ScalarType::Double, 4, 3).gl_type(), Some(0x8f4e));
        let numbers = BASICS.iter().flat_map(|(.., numbers)| numbers).filter(|number| **number != 0);
        assert_eq!((numbers.clone().collect::<BTreeSet<_>>().len(), numbers.count()), (42, 42));
    }

    #[test]
    fn sizes_saturate() {
        let huge = OutputType::vector(ScalarType::Float, 4).array(u32::MAX).array(u32::MAX);
        assert_eq!((huge.components(), huge.slots()), (u32::MAX, u32::MAX));
    }
}
