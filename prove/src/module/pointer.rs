// SPDX-License-Identifier: MIT

//! Pointers to parts of variables, and other values without terms.
//!
//! The *value* of a pointer is the list of the indices that lead to the part, so that it is known after a loop, too. A pointer made of
//! a number has the number as its value.

use super::types::Type;
use super::variables::{Home, Rule};
use super::{Module, Reason};
use crate::flow::Machine;
use crate::term::Term;
use ntv::target::BINDLESS_HANDLES;
use rspirv::dr::Instruction;
use spirv::{Decoration, StorageClass};

/// A value that is no list of scalars.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    /// A part of a variable.
    Part(u32),
    /// A number as a pointer to a type.
    Address(u32),
    /// The texture, sampler or image that is loaded from a pointer.
    Loaded(u32),
    /// A texture with a sampler.
    Combined(u32, u32),
    /// The texture of a texture with a sampler.
    ImageOf(u32),
    /// A texel: the pointer to its image, its coordinate, its sample.
    Texel(u32, u32, u32),
}

/// A part of a variable, with the place of its first scalar.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) home: Home,
    pub(super) rule: Rule,
    /// The type of the part.
    pub(super) ty: u32,
    pub(super) vertex: Option<Term>,
    /// The element of an array of blocks, textures or images, and the number of elements.
    pub(super) element: Option<(Term, Option<u64>)>,
    constant: u64,
    terms: Vec<(Term, u64)>,
    strides: Strides,
    /// The indices on the way, with the lengths of their arrays, and the distances of the elements.
    indices: Vec<(Term, u64, u64)>,
}

/// The distances that decorations of a block's member give for its matrices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strides {
    /// Between columns, or rows.
    matrix: u64,
    is_row_major: bool,
    /// Between the components of a column of a matrix whose rows follow each other.
    component: Option<u64>,
}

impl Spot {
    /// The element in an array of all bindless textures or images.
    pub(super) fn bindless_element(&self) -> Option<Term> {
        self.element.filter(|(_, count)| *count == Some(BINDLESS_HANDLES.into())).map(|(element, _)| element)
    }

    /// The place of a scalar that is `offset` after the first one.
    pub(super) fn place(&self, machine: &mut Machine<'_>, offset: u64) -> Term {
        machine.arena.combination(32, self.constant.wrapping_add(offset), &self.terms)
    }
}

impl Module {
    /// The value that a pointer's id stands for, as an object.
    pub(super) fn object(&self, id: u32) -> Reason<Object> {
        match self.objects.get(&id) {
            Some(object) => Ok(*object),
            None if self.variables.contains_key(&id) => Ok(Object::Part(id)),
            None => Err("a pointer or texture that is not known".into()),
        }
    }

    /// OpAccessChain and its like.
    pub(super) fn access_chain(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let result = it.result_id.ok_or("no result")?;
        let base = self.operand(it, 0)?;
        let object = self.object(base)?;
        let mut path: Vec<Term> = machine.value(base).unwrap_or_default().to_vec();
        for i in 1..it.operands.len() {
            path.push(self.one(machine, self.operand(it, i)?)?);
        }
        match object {
            Object::Part(_) => {
                for index in &mut path {
                    *index = as_index(machine, *index, 32);
                }
            }
            Object::Address(ty) => {
                let (address, ty) = self.address_of_part(machine, ty, &path)?;
                let Type::Pointer(_, pointee) = *self.types.get(it.result_type.unwrap_or(0)) else {
                    return Err("a result that is no pointer".into());
                };
                if pointee != ty {
                    return Err("a pointer to another type".into());
                }
                self.objects.insert(result, Object::Address(ty));
                machine.set_value(result, vec![address]);
                return Ok(());
            }
            _ => return Err("a part of something that has none".into()),
        }
        self.objects.insert(result, object);
        machine.set_value(result, path);
        Ok(())
    }

    /// The address of a part of what is at the address `path[0]`, and the type of the part.
    fn address_of_part(&self, machine: &mut Machine<'_>, ty: u32, path: &[Term]) -> Reason<(Term, u32)> {
        let (base, path) = path.split_first().ok_or("a pointer without an address")?;
        let (mut constant, mut terms, mut ty) = (0u64, vec![(*base, 1)], ty);
        let mut strides = Strides::default();
        for index in path {
            let known = machine.arena.as_const(*index);
            let (scale, part) = self.step_into(Rule::Layout, ty, known, &mut strides)?;
            match scale {
                Scale::Offset(offset) => constant = constant.wrapping_add(offset),
                Scale::Stride(stride) => terms.push((as_index(machine, *index, 64), stride)),
            }
            ty = part;
        }
        if strides.component.is_some() {
            return Err("a part of a matrix by address".into());
        }
        Ok((machine.arena.combination(64, constant, &terms), ty))
    }

    /// The part of a variable to which a pointer leads.
    pub(super) fn spot(&self, machine: &mut Machine<'_>, pointer: u32) -> Reason<Spot> {
        let Object::Part(variable) = self.object(pointer)? else {
            return Err("a pointer that is no part of a variable".into());
        };
        let variable = self.variables.get(&variable).ok_or("a variable that is not known")?;
        let path = machine.value(pointer).unwrap_or_default();
        let mut path = path.iter().copied();
        let mut spot = Spot {
            home: variable.home,
            rule: self.rule(variable),
            ty: variable.ty,
            vertex: None,
            element: None,
            constant: 0,
            terms: Vec::new(),
            strides: Strides::default(),
            indices: Vec::new(),
        };
        match variable.home {
            Home::Shared(base) => spot.constant = base,
            Home::Input(cell, ..) | Home::Output(cell, ..) => spot.constant = cell,
            _ => {}
        }
        let is_block = matches!(variable.home, Home::Uniform(..) | Home::Storage(..) | Home::Opaque(..));
        if let (true, Type::Array(element, count)) = (is_block || variable.per_vertex, self.types.get(spot.ty)) {
            spot.ty = *element;
            let index = path.next();
            match variable.per_vertex {
                true => spot.vertex = Some(index.ok_or("all vertices at once")?),
                false => {
                    let index = index.ok_or("all elements at once")?;
                    spot.element = Some((index, *count));
                    spot.indices.extend(count.map(|count| (index, count, 0)));
                }
            }
        }
        for index in path {
            self.step_spot(machine, &mut spot, index)?;
        }
        Ok(spot)
    }

    /// The part of a variable that is accessed through a pointer: its indices have to be inside of their arrays.
    pub(super) fn accessed(&self, machine: &mut Machine<'_>, pointer: u32) -> Reason<Spot> {
        let spot = self.spot(machine, pointer)?;
        let mut end = u64::MAX;
        for (offset, _) in self.scalars_of(&spot).unwrap_or_default().into_iter().take(4) {
            let place = spot.place(machine, offset);
            end = end.min(machine.end_of(place).saturating_sub(offset));
        }
        // No offset is more than 32 bits have, so that an index is at most what the place is.
        let most = end.saturating_sub(1).saturating_sub(spot.constant);
        for (index, count, stride) in spot.indices.iter().copied() {
            let is_known = machine.arena.as_const(index).is_some();
            if is_known || most.checked_div(stride).is_none_or(|most| most >= count) {
                machine.keep_inside(index, count);
            }
        }
        Ok(spot)
    }

    /// Goes on to a part of what `spot` is.
    fn step_spot(&self, machine: &mut Machine<'_>, spot: &mut Spot, index: Term) -> Reason<()> {
        let known = machine.arena.as_const(index);
        if let (Type::Struct(_), Some(member)) = (self.types.get(spot.ty), known) {
            if self.step_interface(spot, member)? {
                return Ok(());
            }
        }
        let length = match self.types.get(spot.ty) {
            Type::Array(_, count) => *count,
            Type::Vector(_, count) | Type::Matrix(_, count) => Some(*count),
            _ => None,
        };
        let (scale, part) = self.step_into(spot.rule, spot.ty, known, &mut spot.strides)?;
        if let (Scale::Stride(stride), Some(length)) = (&scale, length) {
            spot.indices.push((index, length, *stride));
        }
        match (scale, known) {
            (Scale::Offset(offset), _) => spot.constant = spot.constant.wrapping_add(offset),
            (Scale::Stride(stride), Some(index)) => {
                // Addresses have 32 bits: a larger one would be taken for another.
                let distance = stride.checked_mul(index).filter(|distance| *distance <= u64::from(u32::MAX));
                spot.constant = spot.constant.wrapping_add(distance.ok_or("an index that is too large")?);
            }
            (Scale::Stride(stride), None) => spot.terms.push((index, stride)),
        }
        spot.ty = part;
        Ok(())
    }

    /// Goes on to a member of an interface block that has a place of its own. Returns whether it has.
    fn step_interface(&self, spot: &mut Spot, member: u64) -> Reason<bool> {
        let (Home::Members(is_output), Type::Struct(members)) = (spot.home, self.types.get(spot.ty)) else {
            return Ok(false);
        };
        let ty = *members.get(member as usize).ok_or("a member that is not there")?;
        if let Some(builtin) = self.types.builtin(spot.ty, Some(member)) {
            (spot.home, spot.rule, spot.ty) = (Home::BuiltIn(builtin, is_output), Rule::Scalars, ty);
            return Ok(true);
        }
        let has = |decoration| self.types.member(spot.ty, member, decoration).is_some();
        let word = |decoration| self.types.member(spot.ty, member, decoration).and_then(|words| words.first().copied());
        let location = word(Decoration::Location).ok_or("a member without a location")?;
        spot.constant = 4 * u64::from(location) + u64::from(word(Decoration::Component).unwrap_or(0));
        let is_patch = has(Decoration::Patch) || has(Decoration::PerPrimitiveEXT);
        spot.home = match is_output {
            true => Home::Output(0, is_patch, word(Decoration::Index).unwrap_or(0)),
            false => Home::Input(0, self.interpolation(&has), is_patch),
        };
        spot.ty = ty;
        Ok(true)
    }

    /// The distance of a part, and its type.
    fn step_into(&self, rule: Rule, ty: u32, index: Option<u64>, strides: &mut Strides) -> Reason<(Scale, u32)> {
        let types = &self.types;
        Ok(match types.get(ty) {
            Type::Struct(members) => {
                let index = index.ok_or("a member that is no constant")?;
                let part = *members.get(index as usize).ok_or("a member that is not there")?;
                if rule == Rule::Layout {
                    let first = |decoration| types.member(ty, index, decoration).and_then(|words| words.first());
                    let matrix = u64::from(*first(Decoration::MatrixStride).unwrap_or(&0));
                    let is_row_major = types.member(ty, index, Decoration::RowMajor).is_some();
                    *strides = Strides { matrix, is_row_major, component: None };
                }
                (Scale::Offset(self.member_offset(rule, ty, members, index)?), part)
            }
            Type::Array(part, _) => {
                let stride = match rule {
                    Rule::Scalars => types.scalars(*part),
                    Rule::Tight => types.tight(*part),
                    Rule::Locations => types.locations(*part).saturating_mul(4),
                    Rule::Layout => types.word(ty, Decoration::ArrayStride).ok_or("an array without a stride")?.into(),
                };
                (Scale::Stride(stride), *part)
            }
            Type::Vector(part, _) => {
                let width = types.scalar(*part).ok_or("a vector of no scalars")?;
                let stride = match (rule, strides.component) {
                    (Rule::Layout, Some(stride)) => stride,
                    (Rule::Layout | Rule::Tight, _) => types.tight(*part),
                    (Rule::Locations, _) => u64::from(width.div_ceil(32)),
                    (Rule::Scalars, _) => 1,
                };
                (Scale::Stride(stride), *part)
            }
            Type::Matrix(part, _) => {
                let stride = match rule {
                    Rule::Scalars => types.scalars(*part),
                    Rule::Tight => types.tight(*part),
                    Rule::Locations => types.locations(*part).saturating_mul(4),
                    Rule::Layout if strides.is_row_major => {
                        strides.component = Some(strides.matrix);
                        u64::from(types.widths(*part)?.first().copied().unwrap_or(0) / 8)
                    }
                    Rule::Layout => strides.matrix,
                };
                (Scale::Stride(stride), *part)
            }
            _ => return Err("a part of something that has none".into()),
        })
    }

    fn member_offset(&self, rule: Rule, ty: u32, members: &[u32], index: u64) -> Reason<u64> {
        let before = &members[..index as usize];
        let sum = |of: &dyn Fn(u32) -> u64| before.iter().fold(0u64, |sum, part| sum.saturating_add(of(*part)));
        Ok(match rule {
            Rule::Scalars => sum(&|part| self.types.scalars(part)),
            Rule::Tight => sum(&|part| self.types.tight(part)),
            Rule::Locations => sum(&|part| self.types.locations(part)).saturating_mul(4),
            Rule::Layout => {
                let offset = self.types.member(ty, index, Decoration::Offset).and_then(|words| words.first());
                u64::from(*offset.ok_or("a member without an offset")?)
            }
        })
    }

    /// The scalars of a part, by their distance from its first one, with their widths.
    pub(super) fn scalars_of(&self, spot: &Spot) -> Reason<Vec<(u64, u8)>> {
        if matches!(spot.home, Home::Members(_)) {
            return Err("a whole block of inputs or outputs".into());
        }
        self.scalars_at(spot.rule, spot.ty, spot.strides)
    }

    /// The scalars of a value of type `ty`, by their distance from its first one.
    pub(super) fn scalars_at(&self, rule: Rule, ty: u32, strides: Strides) -> Reason<Vec<(u64, u8)>> {
        // A type without widths is too large, or has no terms.
        let count = self.types.widths(ty)?.len();
        let mut found = Vec::with_capacity(count);
        self.add_scalars(rule, ty, strides, 0, &mut found)?;
        Ok(found)
    }

    fn add_scalars(&self, rule: Rule, ty: u32, strides: Strides, at: u64, found: &mut Vec<(u64, u8)>) -> Reason<()> {
        if let Some(width) = self.types.scalar(ty) {
            found.push((at, width));
            return Ok(());
        }
        let count = match self.types.get(ty) {
            Type::Struct(members) => members.len() as u64,
            Type::Array(_, Some(count)) | Type::Vector(_, count) | Type::Matrix(_, count) => *count,
            _ => return Err("a type without terms".into()),
        };
        for i in 0..count {
            let mut inner = strides;
            let (scale, part) = self.step_into(rule, ty, Some(i), &mut inner)?;
            let distance = match scale {
                Scale::Offset(offset) => offset,
                Scale::Stride(stride) => stride.wrapping_mul(i),
            };
            self.add_scalars(rule, part, inner, at.wrapping_add(distance), found)?;
        }
        Ok(())
    }

    /// A number as a pointer: OpConvertUToPtr, or OpBitcast.
    pub(super) fn address(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let result = it.result_id.ok_or("no result")?;
        let Type::Pointer(StorageClass::PhysicalStorageBuffer, ty) = *self.types.get(it.result_type.unwrap_or(0))
        else {
            return Err("a pointer that is no address".into());
        };
        let value = machine.value(self.operand(it, 0)?).ok_or("an operand without a value")?;
        let widths: Vec<u8> = value.iter().map(|term| machine.arena.width(*term)).collect();
        if widths != [64] && widths != [32, 32] {
            return Err("an address that has not 64 bits".into());
        }
        let address = machine.arena.joined(&value);
        self.objects.insert(result, Object::Address(ty));
        machine.set_value(result, vec![address]);
        Ok(())
    }
}

/// The distance of a part.
enum Scale {
    /// For this part.
    Offset(u64),
    /// For each index.
    Stride(u64),
}

/// An index, which has a sign, with `width` bits.
fn as_index(machine: &mut Machine<'_>, index: Term, width: u8) -> Term {
    match machine.arena.width(index) > width {
        true => machine.arena.trunc(index, width),
        false => machine.arena.sext(index, width),
    }
}
