// SPDX-License-Identifier: MIT

//! Types: one for each number and vector, and the arrays, structs and pointers that variables need.
//!
//! A variable's type has a *layout* besides its NIR type: whether offsets and strides are decorated, and whether its numbers have
//! another base (a *view*: the same buffer as `uvec4[]` and as `vec4[]`, so that loads need no OpBitcast).

use super::layout::SizeAndAlign;
use super::module::ModuleBuilder;
use super::{internal, unsupported, Emit, Result};
use crate::entity::{Id, SideTable};
use crate::ir::{Type, TypeData, TypeTable};
use crate::op::{AluType, Base};
use rustc_hash::FxHashMap;
use spirv::{Capability, Decoration, Op, StorageClass};

/// The most levels of arrays and structs in a type; GLSL compilers allow far fewer.
pub(super) const MAX_DEPTH: u32 = 32;

/// The layout of a variable's type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The form of arrays without a length.
    pub(super) open: Open,
    /// The base of numbers.
    pub(super) numbers: Numbers,
    /// A number that identifies the layout; some of its bits are the flags.
    number: u8,
}

impl Layout {
    const BLOCK: u8 = 1;
    const UNIFORM: u8 = 2;
    const EXPLICIT: u8 = 4;

    fn new(flags: u8, open: Open, numbers: Numbers) -> Layout {
        Layout { open, numbers, number: flags | (open as u8) << 3 | numbers.number() << 5 }
    }

    /// The layout of values that are not in memory.
    pub(super) fn plain(numbers: Numbers) -> Layout {
        Layout::new(0, Open::One, numbers)
    }

    /// The layout of memory other than buffers.
    pub(super) fn of_memory(open: Open, numbers: Numbers) -> Layout {
        Layout::new(0, open, numbers)
    }

    /// The layout of a buffer, with stricter rules if it is `uniform`.
    pub(super) fn of_block(uniform: bool, open: Open, numbers: Numbers) -> Layout {
        let uniform = if uniform { Layout::UNIFORM } else { 0 };
        Layout::new(Layout::EXPLICIT | Layout::BLOCK | uniform, open, numbers)
    }

    /// The layout of the members of a struct with this layout.
    fn of_members(self) -> Layout {
        Layout { number: self.number & !Layout::BLOCK, ..self }
    }

    /// Whether types have Offset, ArrayStride and Block decorations.
    pub(super) fn is_explicit(self) -> bool {
        self.number & Layout::EXPLICIT != 0
    }

    /// Whether outermost structs are blocks.
    pub(super) fn is_block(self) -> bool {
        self.number & Layout::BLOCK != 0
    }

    /// Whether the blocks are uniform blocks, which have stricter rules.
    fn is_uniform(self) -> bool {
        self.number & Layout::UNIFORM != 0
    }

    /// A number that identifies a type with this layout.
    fn key(self, ty: Type) -> u64 {
        u64::from(self.number) << 32 | ty.index() as u64
    }
}

/// The SPIR-V type for a type with a layout; id 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
struct LaidOut {
    id: u32,
    /// The number of the layout.
    layout: u8,
    /// Its size and alignment, if the layout is explicit.
    extent: SizeAndAlign,
}

/// The SPIR-V types of variables and of their parts, except scalars and vectors.
#[derive(Debug, Default)]
pub(super) struct AggregateTypes {
    /// With the first layout of each.
    first: SideTable<Type, LaidOut>,
    /// With other layouts.
    others: FxHashMap<u64, LaidOut>,
    /// A stack of struct members under construction.
    members: Vec<Member>,
}

impl AggregateTypes {
    /// Forgets the types of the previous shader; this one has `num_types`.
    pub(super) fn reset(&mut self, num_types: usize) {
        self.first.reset(num_types);
        self.others.clear();
        self.members.clear();
    }

    fn get(&self, ty: Type, layout: Layout) -> Option<LaidOut> {
        match self.first[ty] {
            LaidOut { id: 0, .. } => None,
            first if first.layout == layout.number => Some(first),
            _ => self.others.get(&layout.key(ty)).copied(),
        }
    }

    fn add(&mut self, ty: Type, layout: Layout, made: LaidOut) {
        match self.first.entry(ty) {
            first if first.id == 0 => *first = made,
            _ => drop(self.others.insert(layout.key(ty), made)),
        }
    }
}

/// A member of a struct under construction.
#[derive(Clone, Copy, Debug)]
struct Member {
    ty: u32,
    offset: u32,
}

/// The form of arrays without a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Open {
    /// Arrays of one element.
    One,
    /// Run-time arrays, which only storage blocks can have.
    Runtime,
    /// Arrays with the length of the shared memory that the pipeline requests.
    Specialized,
}

/// The base of the numbers of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Numbers {
    /// The declared base, with signed integers: inputs and outputs, which have to match other stages.
    Declared,
    /// The declared base, but with unsigned integers only, so that there are fewer types.
    Unsigned,
    /// This base, for widths that have it.
    As(Base),
}

impl Numbers {
    fn number(self) -> u8 {
        match self {
            Numbers::Declared => 0,
            Numbers::Unsigned => 1,
            Numbers::As(base) => 2 + base as u8,
        }
    }

    /// The base that `scalar` gets.
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

/// Ids of scalar and vector types; 0 for those that do not exist.
#[derive(Clone, Debug, Default)]
pub(super) struct NumericTypes {
    /// Booleans and numbers of 32 bits, by base and size: the only types of most shaders.
    usual: [u32; 4 * 4],
    /// The others.
    others: Vec<((Base, u8, u8), u32)>,
    /// Whether there are numbers of 8 or 16 bits.
    pub(super) small: bool,
}

impl NumericTypes {
    fn usual(base: Base, bits: u8, n: u8) -> Option<usize> {
        matches!(bits, 1 | 32).then_some((base as usize & 3) << 2 | usize::from(n.wrapping_sub(1) & 3))
    }

    pub(super) fn get(&self, base: Base, bits: u8, n: u8) -> u32 {
        match NumericTypes::usual(base, bits, n) {
            Some(at) => self.usual[at],
            None => self.other(base, bits, n),
        }
    }

    #[cold]
    fn other(&self, base: Base, bits: u8, n: u8) -> u32 {
        self.others.iter().find(|(other, _)| *other == (base, bits, n)).map_or(0, |(_, id)| *id)
    }

    fn set(&mut self, base: Base, bits: u8, n: u8, id: u32) {
        match NumericTypes::usual(base, bits, n) {
            Some(at) => self.usual[at] = id,
            None => self.others.push(((base, bits, n), id)),
        }
        self.small |= matches!(bits, 8 | 16);
    }

    pub(super) fn clear(&mut self) {
        self.usual = [0; 4 * 4];
        self.others.clear();
        self.small = false;
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
    pub(super) fn pointer(&mut self, class: StorageClass, ty: u32) -> u32 {
        self.global_type(Op::TypePointer, &[class as u32, ty])
    }

    /// A 32-bit unsigned constant.
    pub(super) fn uint(&mut self, value: u32) -> u32 {
        match self.uints.get(value as usize) {
            Some(known) if *known != 0 => *known,
            _ => self.other_uint(value),
        }
    }

    fn other_uint(&mut self, value: u32) -> u32 {
        let id = self.constant(Base::Uint, 32, value.into());
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
            _ => Ok(self.aggregate(ty, layout, 0)?.id),
        }
    }

    /// The SPIR-V type with its extent.
    #[inline(always)]
    fn laid_out(&mut self, ty: Type, layout: Layout, depth: u32) -> Result<LaidOut> {
        match self.shader.types.as_vector(ty) {
            Some((scalar, n @ 1..=4)) => {
                let id = self.m.numeric(layout.numbers.apply(scalar), scalar.bits, n);
                Ok(LaidOut { id, layout: 0, extent: SizeAndAlign::of_vector(scalar, n) })
            }
            _ => self.aggregate(ty, layout, depth),
        }
    }

    fn aggregate(&mut self, ty: Type, layout: Layout, depth: u32) -> Result<LaidOut> {
        if depth > MAX_DEPTH {
            return Err(unsupported("a type with so many nested arrays and structs"));
        }
        if let Some(known) = self.state.types.get(ty, layout) {
            return Ok(known);
        }
        let (id, extent) = match self.shader.types.get(ty) {
            TypeData::Array { elem, len, stride } => self.array_type(elem, len, stride, layout, depth)?,
            TypeData::Struct(_) => self.struct_type(ty, layout, depth)?,
            TypeData::Matrix { scalar, columns, rows } if !layout.is_explicit() => {
                let column = self.m.numeric(Base::Float, scalar.bits, rows);
                (self.m.global_type(Op::TypeMatrix, &[column, u32::from(columns)]), SizeAndAlign::default())
            }
            _ => return Err(unsupported("a variable of this type")),
        };
        let made = LaidOut { id, layout: layout.number, extent };
        self.state.types.add(ty, layout, made);
        Ok(made)
    }

    fn array_type(
        &mut self,
        elem: Type,
        len: Option<u32>,
        stride: u32,
        layout: Layout,
        depth: u32,
    ) -> Result<(u32, SizeAndAlign)> {
        let LaidOut { id: elem_id, extent, .. } = self.laid_out(elem, layout, depth + 1)?;
        let types = &self.shader.types;
        // Blocks in arrays of descriptors have no stride.
        let descriptors = layout.is_block() && is_block(types, elem);
        if descriptors && len.is_none() || layout.open == Open::Runtime && is_unsized(types, elem) && !descriptors {
            return Err(unsupported("an array of this type"));
        }
        let len_id = match (len, layout.open) {
            (None, Open::Runtime) => None,
            (None, Open::Specialized) => Some(self.shared_memory_length(stride)),
            // SPIR-V has no empty arrays (OpTypeArray, Length).
            (len, _) => Some(self.m.uint(len.unwrap_or(1).max(1))),
        };
        if !layout.is_explicit() || descriptors {
            let id = match len_id {
                Some(len) => self.m.global_type(Op::TypeArray, &[elem_id, len]),
                None => self.m.global_type(Op::TypeRuntimeArray, &[elem_id]),
            };
            return Ok((id, extent));
        }
        let (extent, stride) = extent.in_array(len, stride, layout.is_uniform())?;
        // Equal arrays with other strides are other types, so arrays with strides are not reused.
        let id = self.m.id();
        match len_id {
            Some(len) => self.m.globals.op(Op::TypeArray, &[id, elem_id, len]),
            None => self.m.globals.op(Op::TypeRuntimeArray, &[id, elem_id]),
        };
        self.m.decorate(id, Decoration::ArrayStride, &[stride]);
        Ok((id, extent))
    }

    fn struct_type(&mut self, ty: Type, layout: Layout, depth: u32) -> Result<(u32, SizeAndAlign)> {
        let shader = self.shader;
        let data = shader.types.as_struct(ty).ok_or_else(|| internal("no struct"))?;
        if data.fields.is_empty() {
            return Err(unsupported("a struct of which the input gives no members"));
        }
        if layout.open == Open::Runtime
            && data.fields.iter().rev().skip(1).any(|field| is_unsized(&shader.types, field.ty))
        {
            return Err(unsupported("a run-time array before other members"));
        }
        let first = self.state.types.members.len();
        let mut whole = SizeAndAlign::of_struct(layout.is_uniform());
        for field in &data.fields {
            let LaidOut { id, extent, .. } = self.laid_out(field.ty, layout.of_members(), depth + 1)?;
            let offset = match layout.is_explicit() {
                true => whole.add(field, shader.types.get(field.ty), extent, layout.is_uniform())?,
                false => 0,
            };
            self.state.types.members.push(Member { ty: id, offset });
        }
        let id = self.m.id();
        let members = &self.state.types.members[first..];
        self.m.globals.op_of(Op::TypeStruct, id, members.iter().map(|member| member.ty));
        if layout.is_explicit() {
            for (index, member) in (0..).zip(members) {
                self.m.decorate_member(id, index, Decoration::Offset, member.offset);
            }
            if layout.is_block() {
                self.m.decorate(id, Decoration::Block, &[]);
            }
        }
        self.state.types.members.truncate(first);
        if self.options.names {
            self.name(id, &shader.strings[data.name]);
            for (member, field) in (0..).zip(&data.fields) {
                self.name_member(id, member, &shader.strings[field.name]);
            }
        }
        Ok((id, whole))
    }
}

/// True for a run-time array, and for a type that ends with one.
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
