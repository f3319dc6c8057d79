//! Types: numbers and vectors of them once each, and the arrays, structs and pointers that variables need.
//!
//! A variable's type has a *layout* besides its NIR type: whether offsets and strides are decorated, and whether its numbers
//! are seen as another base (a *view*: the same buffer as `uvec4[]` and as `vec4[]`, so that no load needs an OpBitcast).

use super::layout::next_offset;
use super::module::ModuleBuilder;
use super::{internal, unsupported, Emit, Result};
use crate::entity::Id;
use crate::ir::{Type, TypeData, TypeTable};
use crate::op::{AluType, Base};
use spirv::{Capability, Decoration, Op, StorageClass};

/// The deepest nesting of arrays and structs that is translated; GLSL compilers allow far less.
pub(super) const MAX_DEPTH: u32 = 32;

/// How a variable's type is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Offset, ArrayStride and Block decorations are due.
    pub(super) explicit: bool,
    /// Structs that are not in another are blocks.
    pub(super) block: bool,
    /// What arrays without a length are.
    pub(super) open: Open,
    /// What numbers are seen as.
    pub(super) numbers: Numbers,
}

impl Layout {
    /// Of what is no buffer.
    pub(super) fn plain(numbers: Numbers) -> Layout {
        Layout { explicit: false, block: false, open: Open::One, numbers }
    }

    /// A number that no other layout has.
    fn number(self) -> u8 {
        let numbers = match self.numbers {
            Numbers::Declared => 0,
            Numbers::Unsigned => 1,
            Numbers::As(base) => 2 + base as u8,
        };
        u8::from(self.explicit) | u8::from(self.block) << 1 | (self.open as u8) << 2 | numbers << 4
    }

    /// A number that no other type with a layout has.
    fn key(self, ty: Type) -> u64 {
        u64::from(self.number()) << 32 | ty.index() as u64
    }
}

/// A type with the number of its layout; id 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LaidOut {
    id: u32,
    layout: u8,
}

/// What arrays without a length are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Open {
    /// Of one element.
    One,
    /// Run-time arrays, which only storage blocks have.
    Runtime,
    /// As long as the shared memory that the pipeline asks for.
    Specialized,
}

/// What the numbers of a variable are seen as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Numbers {
    /// As declared, with signed integers: inputs and outputs, which others must match.
    Declared,
    /// As declared, but all integers unsigned, so that fewer types meet.
    Unsigned,
    /// All as this base, where the width has it.
    As(Base),
}

impl Numbers {
    /// What `scalar` becomes.
    pub(super) fn apply(self, scalar: AluType) -> Base {
        match (self, scalar.base) {
            (_, Base::Bool) => Base::Bool,
            (Numbers::Declared, base) => base,
            (Numbers::As(Base::Float), _) if scalar.bits == 8 => Base::Uint,
            (Numbers::As(base), _) => base,
            (Numbers::Unsigned, Base::Int) => Base::Uint,
            (Numbers::Unsigned, base) => base,
        }
    }
}

/// Ids of scalar and vector types, by base, width and size; 0 where there is none.
#[derive(Clone, Debug)]
pub(super) struct NumericTypes {
    ids: [u32; 4 * 16 * 4],
    /// There are numbers of 8 or 16 bits.
    pub(super) small: bool,
}

impl Default for NumericTypes {
    fn default() -> NumericTypes {
        NumericTypes { ids: [0; 4 * 16 * 4], small: false }
    }
}

impl NumericTypes {
    #[inline(always)]
    fn slot(base: Base, bits: u8, n: u8) -> usize {
        // 0 for booleans, else 1, 2, 4 or 8.
        let width = usize::from(bits >> 3) & 15;
        (base as usize & 3) << 6 | width << 2 | usize::from(n.wrapping_sub(1) & 3)
    }

    pub(super) fn get(&self, base: Base, bits: u8, n: u8) -> u32 {
        self.ids[NumericTypes::slot(base, bits, n)]
    }

    fn set(&mut self, base: Base, bits: u8, n: u8, id: u32) {
        self.ids[NumericTypes::slot(base, bits, n)] = id;
        self.small |= matches!(bits, 8 | 16);
    }
}

impl ModuleBuilder {
    /// The type of `n` numbers or booleans.
    #[inline(always)]
    pub(super) fn numeric(&mut self, base: Base, bits: u8, n: u8) -> u32 {
        match self.numeric_types.get(base, bits, n) {
            0 => self.new_numeric(base, bits, n),
            known => known,
        }
    }

    fn new_numeric(&mut self, base: Base, bits: u8, n: u8) -> u32 {
        let id;
        if n > 1 {
            let scalar = self.numeric(base, bits, 1);
            id = self.id();
            self.globals.op(Op::TypeVector, &[id, scalar, u32::from(n)]);
        } else {
            self.width_capability(base, bits);
            id = self.id();
            match base {
                Base::Bool => self.globals.op(Op::TypeBool, &[id]),
                Base::Float => self.globals.op(Op::TypeFloat, &[id, u32::from(bits)]),
                Base::Int | Base::Uint => {
                    self.globals.op(Op::TypeInt, &[id, u32::from(bits), u32::from(base == Base::Int)])
                }
            };
        }
        self.numeric_types.set(base, bits, n, id);
        id
    }

    fn width_capability(&mut self, base: Base, bits: u8) {
        self.capability(match (base, bits) {
            (Base::Float, 16) => Capability::Float16,
            (Base::Float, 64) => Capability::Float64,
            (Base::Int | Base::Uint, 8) => Capability::Int8,
            (Base::Int | Base::Uint, 16) => Capability::Int16,
            (Base::Int | Base::Uint, 64) => Capability::Int64,
            _ => return,
        });
    }

    /// The type of pointers to `ty`.
    #[inline(always)]
    pub(super) fn pointer(&mut self, class: StorageClass, ty: u32) -> u32 {
        // No type of a constant has so high an id.
        let key = 1 << 63 | u64::from(ty) << 32 | class as u64;
        match self.in_front(key) {
            Some(id) => id,
            None => self.new_pointer(key, class, ty),
        }
    }

    fn new_pointer(&mut self, key: u64, class: StorageClass, ty: u32) -> u32 {
        self.not_in_front(key, Op::TypePointer, None, &[class as u32, ty])
    }

    /// A 32-bit unsigned constant.
    #[inline(always)]
    pub(super) fn uint(&mut self, value: u32) -> u32 {
        match self.uints.get(value as usize) {
            Some(known) if *known != 0 => *known,
            _ => self.other_uint(value),
        }
    }

    fn other_uint(&mut self, value: u32) -> u32 {
        let ty = self.numeric(Base::Uint, 32, 1);
        let id = self.scalar_constant(ty, value);
        self.uints.get_mut(value as usize).into_iter().for_each(|known| *known = id);
        id
    }

    /// An array without a layout.
    pub(super) fn array(&mut self, elem: u32, len: u32) -> u32 {
        let len = self.uint(len);
        self.global_type(Op::TypeArray, &[elem, len])
    }
}

impl Emit<'_> {
    /// The SPIR-V type of a variable, or of a part of one.
    #[inline]
    pub(super) fn ir_type(&mut self, ty: Type, layout: Layout) -> Result<u32> {
        match self.shader.types.as_vector(ty) {
            Some((scalar, n @ 1..=4)) => Ok(self.m.numeric(layout.numbers.apply(scalar), scalar.bits, n)),
            _ => self.ir_type_at(ty, layout, 0),
        }
    }

    fn ir_type_at(&mut self, ty: Type, layout: Layout, depth: u32) -> Result<u32> {
        if depth > MAX_DEPTH {
            return Err(unsupported("a type with so many nested arrays and structs"));
        }
        let data = self.shader.types.get(ty);
        match data {
            TypeData::Scalar(scalar) => return Ok(self.m.numeric(layout.numbers.apply(scalar), scalar.bits, 1)),
            TypeData::Vector(scalar, n @ 2..=4) => {
                return Ok(self.m.numeric(layout.numbers.apply(scalar), scalar.bits, n));
            }
            _ => {}
        }
        if let Some(id) = self.known_type(ty, layout) {
            return Ok(id);
        }
        let id = match data {
            TypeData::Matrix { scalar, columns, rows } if !layout.explicit => {
                let column = self.m.numeric(Base::Float, scalar.bits, rows);
                self.m.global_type(Op::TypeMatrix, &[column, u32::from(columns)])
            }
            TypeData::Array { elem, len, stride } => self.array_type(elem, len, stride, layout, depth)?,
            TypeData::Struct(_) => self.struct_type(ty, layout, depth)?,
            _ => return Err(unsupported("a variable of this type")),
        };
        match self.state.types.entry(ty) {
            first if first.id == 0 => *first = LaidOut { id, layout: layout.number() },
            _ => drop(self.state.other_types.insert(layout.key(ty), id)),
        }
        Ok(id)
    }

    fn known_type(&self, ty: Type, layout: Layout) -> Option<u32> {
        match self.state.types[ty] {
            LaidOut { id: 0, .. } => None,
            first if first.layout == layout.number() => Some(first.id),
            _ => self.state.other_types.get(&layout.key(ty)).copied(),
        }
    }

    fn array_type(&mut self, elem: Type, len: Option<u32>, stride: u32, layout: Layout, depth: u32) -> Result<u32> {
        let elem_id = self.ir_type_at(elem, layout, depth + 1)?;
        let types = &self.shader.types;
        // Blocks stand in arrays of descriptors, which have no stride.
        let descriptors = layout.block && is_block(types, elem);
        let explicit = layout.explicit && !descriptors;
        if descriptors && len.is_none() || layout.open == Open::Runtime && is_unsized(types, elem) && !descriptors {
            return Err(unsupported("an array of this type"));
        }
        let len = match (len, layout.open) {
            (None, Open::Runtime) => None,
            (None, Open::Specialized) => Some(self.shared_memory_length(stride)),
            // SPIR-V has no empty arrays (OpTypeArray, Length).
            (len, _) => Some(self.m.uint(len.unwrap_or(1).max(1))),
        };
        let stride = match (explicit, stride) {
            (false, _) => None,
            (true, 0) => Some(self.extent(elem, false, depth)?.size),
            (true, stride) => Some(stride),
        };
        let op = if len.is_some() { Op::TypeArray } else { Op::TypeRuntimeArray };
        let operands = [elem_id, len.unwrap_or(0)];
        let operands = &operands[..1 + usize::from(len.is_some())];
        let Some(stride) = stride else { return Ok(self.m.global_type(op, operands)) };
        // Equal arrays with other strides are other types, so this one is not looked for among those without.
        let id = self.m.id();
        self.m.globals.op2(op, &[id], operands);
        self.m.decorate(id, Decoration::ArrayStride, &[stride]);
        Ok(id)
    }

    fn struct_type(&mut self, ty: Type, layout: Layout, depth: u32) -> Result<u32> {
        let shader = self.shader;
        let data = shader.types.as_struct(ty).ok_or_else(|| internal("no struct"))?;
        if data.fields.is_empty() {
            return Err(unsupported("a struct of which the input gives no members"));
        }
        if layout.open == Open::Runtime
            && data.fields.iter().rev().skip(1).any(|field| is_unsized(&shader.types, field.ty))
        {
            return Err(unsupported("a run-time array in front of other members"));
        }
        let first = self.state.ids.len();
        for field in &data.fields {
            let id = self.ir_type_at(field.ty, Layout { block: false, ..layout }, depth + 1)?;
            self.state.ids.push(id);
        }
        let id = self.m.id();
        self.m.globals.op2(Op::TypeStruct, &[id], &self.state.ids[first..]);
        self.state.ids.truncate(first);
        if layout.explicit {
            let mut end = 0;
            for (member, field) in (0..).zip(&data.fields) {
                let offset = field.offset.unwrap_or_else(|| next_offset(end));
                self.m.decorate_member(id, member, Decoration::Offset, &[offset]);
                end = offset.saturating_add(self.extent(field.ty, false, depth)?.size);
            }
            if layout.block {
                self.m.decorate(id, Decoration::Block, &[]);
            }
        }
        if self.options.names {
            self.name(id, &shader.strings[data.name]);
            for (member, field) in (0..).zip(&data.fields) {
                self.name_member(id, member, &shader.strings[field.name]);
            }
        }
        Ok(id)
    }
}

/// True for a run-time array, and for what has one at its end.
fn is_unsized(types: &TypeTable, mut ty: Type) -> bool {
    for _ in 0..MAX_DEPTH {
        ty = match types.get(ty) {
            TypeData::Array { len: None, .. } => return true,
            TypeData::Struct(_) => match types.as_struct(ty).and_then(|data| data.fields.last()) {
                Some(last) => last.ty,
                None => return false,
            },
            _ => return false,
        };
    }
    false
}

fn is_block(types: &TypeTable, ty: Type) -> bool {
    types.as_struct(types.without_arrays(ty)).is_some()
}
