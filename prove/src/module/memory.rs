// SPDX-License-Identifier: MIT

//! Loads, stores and atomic operations.

use super::pointer::{Object, Spot, Strides};
use super::types::Type;
use super::variables::{Home, Rule};
use super::{Module, Reason};
use crate::flow::Machine;
use crate::term::{Arena, Term};
use crate::world::{self, Choices, Input, Interpolation, Place, Space};
use rspirv::dr::Instruction;
use spirv::{Decoration, Op};

impl Module {
    /// The scalars of what `pointer` leads to.
    pub(super) fn load(&self, machine: &mut Machine<'_>, pointer: u32) -> Reason<Vec<Term>> {
        if let Object::Address(ty) = self.object(pointer)? {
            let address = self.one(machine, pointer)?;
            let state = machine.space(Space::Global);
            let cells = self.scalars_at(Rule::Layout, ty, Strides::default())?;
            return cells
                .into_iter()
                .map(|(offset, width)| {
                    let address = global(machine.arena, address, offset, width)?;
                    Ok(world::read_bytes(machine.arena, state, address, width))
                })
                .collect();
        }
        let spot = self.accessed(machine, pointer)?;
        let cells = self.scalars_of(&spot)?;
        cells.into_iter().map(|(offset, width)| self.load_scalar(machine, &spot, offset, width)).collect()
    }

    fn load_scalar(&self, machine: &mut Machine<'_>, spot: &Spot, offset: u64, width: u8) -> Reason<Term> {
        let is_interface = matches!(spot.home, Home::Input(..) | Home::Output(..));
        if is_interface && width == 16 {
            let word = self.load_scalar(machine, spot, offset, 32)?;
            return Ok(world::of_word(machine.arena, word, self.types.has_floats(spot.ty)));
        }
        let place = spot.place(machine, offset);
        Ok(match spot.home {
            Home::Local(number) => {
                let state = machine.space(Space::Local(number));
                machine.arena.read(state, place, width)
            }
            Home::Shared(_) | Home::Payload | Home::Storage(..) => {
                self.of_spaces(machine, spot, |machine, space| {
                    let state = machine.space(space);
                    read_memory(machine.arena, state, place, width)
                })?
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
                let input = Input { patch, interpolation, vertex: spot.vertex, at: &[] };
                number_of_input(machine.arena, &input, place, width)?
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
        let spot = self.accessed(machine, pointer)?;
        let Home::Input(_, interpolation, patch) = spot.home else { return Err("no input".into()) };
        let interpolation = Interpolation { place, ..interpolation };
        let input = Input { patch, interpolation, vertex: spot.vertex, at };
        let mut terms = Vec::new();
        for (offset, width) in self.scalars_of(&spot)? {
            let cell = spot.place(machine, offset);
            terms.push(number_of_input(machine.arena, &input, cell, width)?);
        }
        Ok(terms)
    }

    /// Writes the scalars of what `pointer` leads to.
    pub(super) fn store(&self, machine: &mut Machine<'_>, pointer: u32, values: &[Term]) -> Reason<()> {
        if let Object::Address(ty) = self.object(pointer)? {
            let address = self.one(machine, pointer)?;
            let cells = self.scalars_at(Rule::Layout, ty, Strides::default())?;
            check(machine.arena, &cells, values)?;
            for ((offset, width), value) in cells.into_iter().zip(values) {
                let address = global(machine.arena, address, offset, width)?;
                world::store(machine, Space::Global, address, *value);
            }
            return Ok(());
        }
        let spot = self.accessed(machine, pointer)?;
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
                let choices = self.spaces(machine, spot)?;
                world::change_chosen(machine, &choices, |machine, space| world::store(machine, space, place, value));
            }
            Home::Output(..) | Home::BuiltIn(_, true) => {
                let (space, cell) = output(machine, spot, place)?;
                let state = machine.space(space);
                let value = world::as_word(machine.arena, value, self.types.has_floats(spot.ty));
                let width = machine.arena.width(value);
                let state = world::write_cells(machine.arena, state, cell, value);
                machine.set_space(space, state.ok_or_else(|| format!("an output of {width} bits"))?);
            }
            _ => return Err("a store to such a variable".into()),
        }
        Ok(())
    }

    /// The spaces to which a part of memory may belong.
    pub(super) fn spaces(&self, machine: &mut Machine<'_>, spot: &Spot) -> Reason<Choices> {
        let (set, binding, is_image) = match spot.home {
            Home::Shared(_) => return Ok(vec![(None, Space::Shared)]),
            Home::Payload => return Ok(vec![(None, Space::Payload)]),
            Home::Storage(set, binding) => (set, binding, false),
            Home::Opaque(set, binding) => (set, binding, true),
            _ => return Err("memory that others do not share".into()),
        };
        let space = |element| match is_image {
            true => Space::Image(set, binding, element),
            false => Space::Storage(set, binding, element),
        };
        if spot.bindless_element().is_some() {
            return Ok(vec![(None, space(world::ALL_ELEMENTS))]);
        }
        let Some((index, count)) = spot.element else { return Ok(vec![(None, space(0))]) };
        let choices = world::choices(machine.arena, index, count, space);
        choices.ok_or_else(|| "an index of a large array of descriptors".to_owned())
    }

    /// What `access` gives of the space to which a part of memory belongs.
    pub(super) fn of_spaces(
        &self,
        machine: &mut Machine<'_>,
        spot: &Spot,
        access: impl FnMut(&mut Machine<'_>, Space) -> Term,
    ) -> Reason<Term> {
        let choices = self.spaces(machine, spot)?;
        world::of_chosen(machine, &choices, None, access).ok_or_else(|| "an array without elements".to_owned())
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
        let spot = self.accessed(machine, pointer)?;
        let place = spot.place(machine, 0);
        self.of_spaces(machine, &spot, |machine, space| world::atomic(machine, space, operation, place, args, width))
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
        if !matches!(spot.home, Home::Storage(..)) {
            return Err("a length of no block".into());
        }
        let size = self.of_spaces(machine, &spot, |machine, space| world::size_of_space(machine.arena, space))?;
        let rest = machine.arena.plus(size, offset.wrapping_neg());
        Ok(vec![world::elements(machine.arena, rest, stride)])
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
    let cell = world::output_cell(machine.arena, spot.vertex, place);
    Ok((space, cell))
}

fn number_of_input(arena: &mut Arena, input: &Input<'_>, cell: Term, width: u8) -> Reason<Term> {
    input.number(arena, cell, width).ok_or_else(|| format!("an input of {width} bits"))
}

fn read_cells(arena: &mut Arena, state: Term, cell: Term, width: u8) -> Reason<Term> {
    if width == 1 {
        let number = arena.read(state, cell, 32);
        return Ok(arena.is_not_zero(number));
    }
    world::read_cells(arena, state, cell, width).ok_or_else(|| format!("an output of {width} bits"))
}

/// A scalar of memory with byte addresses; a boolean is one of 32 bits that is not 0.
fn read_memory(arena: &mut Arena, state: Term, address: Term, width: u8) -> Term {
    if width == 1 {
        let number = world::read_bytes(arena, state, address, 32);
        return arena.is_not_zero(number);
    }
    world::read_bytes(arena, state, address, width)
}

/// The address of a scalar at a distance from an address of 64 bits, which is a multiple of its size: Aligned says so.
fn global(arena: &mut Arena, address: Term, offset: u64, width: u8) -> Reason<Term> {
    match width {
        1 => Err("a boolean in memory".into()),
        _ => {
            let multiple = arena.mask(address, !u64::from(width / 8 - 1));
            Ok(arena.plus(multiple, offset))
        }
    }
}
