// SPDX-License-Identifier: MIT

//! Loads, stores and atomic operations.

use super::pointer::{Object, Spot, Strides};
use super::types::Type;
use super::variables::{Home, Rule, MOST_ELEMENTS};
use super::{Module, Reason};
use crate::flow::Machine;
use crate::term::{Arena, Term};
use crate::world::{self, Interpolation, Place, Space, VERTEX};
use ntv::op::AluOp;
use rspirv::dr::Instruction;
use spirv::{Decoration, Op};

/// The spaces that a pointer may lead to, with the condition of each if there are several.
pub(super) type Choices = Vec<(Option<Term>, Space)>;

impl Module {
    /// The scalars of what `pointer` leads to.
    pub(super) fn load(&self, machine: &mut Machine<'_>, pointer: u32) -> Reason<Vec<Term>> {
        if let Object::Address(ty) = self.object(pointer)? {
            let address = self.one(machine, pointer)?;
            let state = machine.space(Space::Global);
            let cells = self.scalars_at(Rule::Layout, ty, Strides::default())?;
            return cells.iter().map(|cell| read_global(machine.arena, state, address, *cell)).collect();
        }
        let spot = self.spot(machine, pointer)?;
        let cells = self.scalars_of(&spot)?;
        cells.into_iter().map(|(offset, width)| self.load_scalar(machine, &spot, offset, width)).collect()
    }

    fn load_scalar(&self, machine: &mut Machine<'_>, spot: &Spot, offset: u64, width: u8) -> Reason<Term> {
        let place = spot.place(machine, offset);
        Ok(match spot.home {
            Home::Local(number) => {
                let state = machine.space(Space::Local(number));
                machine.arena.read(state, place, width)
            }
            Home::Shared(_) | Home::Payload | Home::Storage(..) => {
                let choices = self.spaces(machine, spot)?;
                let mut value = None;
                for (condition, space) in choices.into_iter().rev() {
                    let state = machine.space(space);
                    let read = read_memory(machine.arena, state, place, width);
                    value = Some(match (condition, value) {
                        (Some(condition), Some(rest)) => machine.arena.ite(condition, read, rest),
                        _ => read,
                    });
                }
                value.ok_or("an array without elements")?
            }
            Home::Uniform(set, binding) => {
                let zero = machine.arena.constant(32, 0);
                let element = spot.element.map_or(zero, |(element, _)| element);
                let state = world::uniform_block(machine.arena, set, binding, element);
                read_memory(machine.arena, state, place, width)
            }
            Home::PushConstant => {
                let state = world::push_constants(machine.arena);
                read_memory(machine.arena, state, place, width)
            }
            Home::Input(_, interpolation, patch) => {
                input(machine.arena, (patch, interpolation, spot.vertex), place, width, &[])?
            }
            Home::BuiltIn(builtin, false) => {
                if width != 1 && width != 32 {
                    return Err(format!("a built-in of {width} bits"));
                }
                world::builtin(machine.arena, builtin, width, spot.vertex, place)
            }
            Home::Output(..) | Home::BuiltIn(_, true) => {
                let (space, cell) = output(machine, spot, place)?;
                let state = machine.space(space);
                read_cells(machine.arena, state, cell, width)?
            }
            Home::Members(_) | Home::Opaque(..) | Home::Other => return Err("a load of such a variable".into()),
        })
    }

    /// The value of an input at another place: InterpolateAtCentroid, InterpolateAtSample, InterpolateAtOffset.
    pub(super) fn load_at(
        &self,
        machine: &mut Machine<'_>,
        pointer: u32,
        place: Place,
        at: &[Term],
    ) -> Reason<Vec<Term>> {
        let spot = self.spot(machine, pointer)?;
        let Home::Input(_, interpolation, patch) = spot.home else { return Err("no input".into()) };
        let how = (patch, Interpolation { place, ..interpolation }, spot.vertex);
        let mut terms = Vec::new();
        for (offset, width) in self.scalars_of(&spot)? {
            let cell = spot.place(machine, offset);
            terms.push(input(machine.arena, how, cell, width, at)?);
        }
        Ok(terms)
    }

    /// Writes the scalars of what `pointer` leads to.
    pub(super) fn store(&self, machine: &mut Machine<'_>, pointer: u32, values: &[Term]) -> Reason<()> {
        if let Object::Address(ty) = self.object(pointer)? {
            let address = self.one(machine, pointer)?;
            let cells = self.scalars_at(Rule::Layout, ty, Strides::default())?;
            check(machine.arena, &cells, values)?;
            for (cell, value) in cells.iter().zip(values) {
                let before = machine.space(Space::Global);
                let after = write_global(machine.arena, before, address, *cell, *value)?;
                world::change(machine, Space::Global, after);
            }
            return Ok(());
        }
        let spot = self.spot(machine, pointer)?;
        let cells = self.scalars_of(&spot)?;
        check(machine.arena, &cells, values)?;
        for ((offset, _), value) in cells.into_iter().zip(values) {
            self.store_scalar(machine, &spot, offset, *value)?;
        }
        Ok(())
    }

    fn store_scalar(&self, machine: &mut Machine<'_>, spot: &Spot, offset: u64, value: Term) -> Reason<()> {
        let place = spot.place(machine, offset);
        match spot.home {
            Home::Local(number) => {
                let state = machine.space(Space::Local(number));
                let state = machine.arena.write(state, place, value);
                machine.set_space(Space::Local(number), state);
            }
            Home::Shared(_) | Home::Payload | Home::Storage(..) => {
                let value = match machine.arena.width(value) {
                    1 => machine.arena.zext(value, 32),
                    _ => value,
                };
                for (condition, space) in self.spaces(machine, spot)? {
                    let before = machine.space(space);
                    world::store(machine, space, place, value);
                    only_if(machine, condition, space, before);
                }
            }
            Home::Output(..) | Home::BuiltIn(_, true) => {
                let (space, cell) = output(machine, spot, place)?;
                let state = machine.space(space);
                let state = write_cells(machine.arena, state, cell, value)?;
                machine.set_space(space, state);
            }
            _ => return Err("a store to such a variable".into()),
        }
        Ok(())
    }

    /// The spaces to which a part of memory may belong.
    pub(super) fn spaces(&self, machine: &mut Machine<'_>, spot: &Spot) -> Reason<Choices> {
        match spot.home {
            Home::Shared(_) => Ok(vec![(None, Space::Shared)]),
            Home::Payload => Ok(vec![(None, Space::Payload)]),
            Home::Storage(set, binding) => {
                choices(machine, spot.element, |element| Space::Storage(set, binding, element))
            }
            Home::Opaque(set, binding) => choices(machine, spot.element, |element| Space::Image(set, binding, element)),
            _ => Err("memory that others do not share".into()),
        }
    }

    /// OpAtomicIAdd and its like on memory. Returns what was there before.
    pub(super) fn atomic(
        &self,
        machine: &mut Machine<'_>,
        pointer: u32,
        operation: &str,
        args: &[Term],
        width: u8,
    ) -> Reason<Term> {
        if let Object::Address(_) = self.object(pointer)? {
            let address = self.one(machine, pointer)?;
            return Ok(world::atomic(machine, Space::Global, operation, address, args, width));
        }
        let spot = self.spot(machine, pointer)?;
        let place = spot.place(machine, 0);
        let mut result = None;
        for (condition, space) in self.spaces(machine, &spot)?.into_iter().rev() {
            let before = machine.space(space);
            let old = world::atomic(machine, space, operation, place, args, width);
            only_if(machine, condition, space, before);
            result = Some(match (condition, result) {
                (Some(condition), Some(rest)) => machine.arena.ite(condition, old, rest),
                _ => old,
            });
        }
        result.ok_or_else(|| "an array without elements".to_owned())
    }

    /// OpArrayLength: what the size of the block leaves for the elements.
    pub(super) fn array_length(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Vec<Term>> {
        let spot = self.spot(machine, self.operand(it, 0)?)?;
        let member = u64::from(self.literal(it, 1)?);
        let Type::Struct(members) = self.types.get(spot.ty) else { return Err("a length of no block".into()) };
        let array = *members.get(member as usize).ok_or("a member that is not there")?;
        let offset = self.types.member(spot.ty, member, Decoration::Offset).and_then(|words| words.first());
        let offset = u64::from(*offset.ok_or("a member without an offset")?);
        let stride = u64::from(self.types.word(array, Decoration::ArrayStride).filter(|it| *it > 0).unwrap_or(1));
        let mut length = None;
        for (condition, space) in self.spaces(machine, &spot)?.into_iter().rev() {
            let Space::Storage(set, binding, element) = space else { return Err("a length of no block".into()) };
            let name = format!("size of storage block {set}.{binding}[{element}]");
            let size = machine.arena.symbol(&name, 32, &[]);
            length = Some(match (condition, length) {
                (Some(condition), Some(rest)) => machine.arena.ite(condition, size, rest),
                _ => size,
            });
        }
        let rest = machine.arena.plus(length.ok_or("an array without elements")?, offset.wrapping_neg());
        let count = match stride.is_power_of_two() {
            true => {
                let bits = machine.arena.constant(32, stride.trailing_zeros().into());
                machine.arena.lshr(rest, bits)
            }
            false => {
                let stride = machine.arena.constant(32, stride);
                machine.arena.scalar(AluOp::udiv, 32, &[rest, stride])
            }
        };
        Ok(vec![count])
    }

    /// OpCopyMemory.
    pub(super) fn copy_memory(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let (to, from) = (self.operand(it, 0)?, self.operand(it, 1)?);
        let values = self.load(machine, from)?;
        self.store(machine, to, &values)
    }

    /// OpAtomicLoad and OpAtomicStore are a load and a store.
    pub(super) fn atomic_access(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Vec<Term>> {
        let pointer = self.operand(it, 0)?;
        if it.class.opcode == Op::AtomicLoad {
            return self.load(machine, pointer);
        }
        let value = self.operand_value(machine, it, 3)?;
        self.store(machine, pointer, &value)?;
        Ok(Vec::new())
    }
}

/// The space of each element that an index may lead to.
fn choices(
    machine: &mut Machine<'_>,
    element: Option<(Term, Option<u64>)>,
    space: impl Fn(u32) -> Space,
) -> Reason<Choices> {
    let Some((index, count)) = element else { return Ok(vec![(None, space(0))]) };
    if let Some(index) = machine.arena.as_const(index) {
        return Ok(vec![(None, space(index as u32))]);
    }
    let count = count.filter(|count| *count <= MOST_ELEMENTS).ok_or("an index of a large array of descriptors")?;
    let choice = |i: u64| {
        let number = machine.arena.constant(32, i);
        (Some(machine.arena.equal(index, number)), space(i as u32))
    };
    Ok((0..count).map(choice).collect())
}

/// Undoes a change of `space` where `condition` is false.
pub(super) fn only_if(machine: &mut Machine<'_>, condition: Option<Term>, space: Space, before: Term) {
    if let Some(condition) = condition {
        let after = machine.space(space);
        let after = machine.arena.ite(condition, after, before);
        machine.set_space(space, after);
    }
}

fn check(arena: &Arena, cells: &[(u64, u8)], values: &[Term]) -> Reason<()> {
    let fits = cells.len() == values.len() && cells.iter().zip(values).all(|(cell, it)| cell.1 == arena.width(*it));
    match fits {
        true => Ok(()),
        false => Err("a value of another type".into()),
    }
}

/// The space and the cell of an output.
fn output(machine: &mut Machine<'_>, spot: &Spot, place: Term) -> Reason<(Space, Term)> {
    let space = match spot.home {
        Home::Output(_, is_patch, index) => Space::Output(is_patch, index),
        Home::BuiltIn(builtin, _) => Space::BuiltIn(builtin as u32),
        _ => return Err("no output".into()),
    };
    let cell = match spot.vertex {
        Some(vertex) => machine.arena.combination(32, 0, &[(vertex, VERTEX), (place, 1)]),
        None => place,
    };
    Ok((space, cell))
}

/// An input of 32 or 64 bits.
fn input(
    arena: &mut Arena,
    (patch, interpolation, vertex): (bool, Interpolation, Option<Term>),
    cell: Term,
    width: u8,
    at: &[Term],
) -> Reason<Term> {
    match width {
        32 => Ok(world::input(arena, patch, interpolation, vertex, cell, at)),
        64 => {
            let next = arena.plus(cell, 1);
            let [low, high] = [cell, next].map(|cell| world::input(arena, patch, interpolation, vertex, cell, at));
            Ok(arena.concat(low, high))
        }
        _ => Err(format!("an input of {width} bits")),
    }
}

fn read_cells(arena: &mut Arena, state: Term, cell: Term, width: u8) -> Reason<Term> {
    match width {
        1 => {
            let number = arena.read(state, cell, 32);
            let zero = arena.is_zero(number);
            Ok(arena.not(zero))
        }
        32 => Ok(arena.read(state, cell, 32)),
        64 => {
            let next = arena.plus(cell, 1);
            let [low, high] = [cell, next].map(|cell| arena.read(state, cell, 32));
            Ok(arena.concat(low, high))
        }
        _ => Err(format!("an output of {width} bits")),
    }
}

fn write_cells(arena: &mut Arena, state: Term, cell: Term, value: Term) -> Reason<Term> {
    match arena.width(value) {
        1 => {
            let number = arena.zext(value, 32);
            Ok(arena.write(state, cell, number))
        }
        32 => Ok(arena.write(state, cell, value)),
        64 => {
            let next = arena.plus(cell, 1);
            let [low, high] = [0, 32].map(|at| arena.part(value, at, 32));
            let state = arena.write(state, cell, low);
            Ok(arena.write(state, next, high))
        }
        width => Err(format!("an output of {width} bits")),
    }
}

/// A scalar of memory with byte addresses; a boolean is one of 32 bits that is not 0.
fn read_memory(arena: &mut Arena, state: Term, address: Term, width: u8) -> Term {
    if width == 1 {
        let number = world::read_bytes(arena, state, address, 32);
        let zero = arena.is_zero(number);
        return arena.not(zero);
    }
    world::read_bytes(arena, state, address, width)
}

/// A scalar at a distance from an address of 64 bits.
fn read_global(arena: &mut Arena, state: Term, address: Term, (offset, width): (u64, u8)) -> Reason<Term> {
    let address = arena.plus(address, offset);
    match width {
        8 | 16 | 32 | 64 => Ok(world::read_bytes(arena, state, address, width)),
        _ => Err("a boolean in memory".into()),
    }
}

fn write_global(
    arena: &mut Arena,
    state: Term,
    address: Term,
    (offset, width): (u64, u8),
    value: Term,
) -> Reason<Term> {
    let address = arena.plus(address, offset);
    match width {
        8 | 16 | 32 | 64 => Ok(world::write_bytes(arena, state, address, value)),
        _ => Err("a boolean in memory".into()),
    }
}
