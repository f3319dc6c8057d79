// SPDX-License-Identifier: MIT

//! Attributes of a vertex, read from vertex buffers that are storage buffers.
//!
//! The offset of an attribute follows from the table of [`Attribute`]s, the number of the vertex or instance, and the offset of
//! the buffer. It may be any byte, so a component is assembled from the two words that may contain it. A word is read only if
//! it contains a byte of the attribute.
//!
//! Missing components of an attribute are those of (0, 0, 0, 1), and so are inputs that have no attribute of their width.

use super::state::{declare, State};
use crate::capture::{word, Attribute, Numbers, VERTEX_BUFFER_BINDING};
use crate::ir::{AluFlags, ArrayIndex, Builder, Def, TypeData, Var};
use crate::op::{Access, AluOp, AluType, Base};
use crate::pass::memory::blocks::base_pointer;
use crate::pass::Context;

/// The element of per-vertex and per-instance attributes that a vertex reads.
#[derive(Clone, Copy)]
pub(super) struct Element {
    /// The number of the vertex, from the first vertex of the draw on.
    pub vertex: Def,
    /// The number of the instance in the draw.
    pub instance: Def,
    pub first_instance: Def,
}

/// The attributes of a vertex.
pub(super) struct Attributes<'a> {
    context: &'a Context,
    state: State,
    element: Element,
    /// The buffers that are read, by binding.
    buffers: Vec<(u32, Var)>,
}

/// An attribute of the current vertex.
struct LocatedAttribute<'a> {
    attribute: &'a Attribute,
    /// Pointer to the words of the buffer.
    buffer: Def,
    /// The offset of its first byte in the buffer.
    byte: Def,
}

/// Locations from here on are not used.
const MOST_LOCATIONS: u32 = 256;

impl<'a> Attributes<'a> {
    pub(super) fn new(context: &'a Context, state: State, element: Element) -> Attributes<'a> {
        Attributes { context, state, element, buffers: Vec::new() }
    }

    /// Stores the input that begins at `component` of `location` to `pointer`.
    pub(super) fn fill(&mut self, b: &mut Builder<'_>, pointer: Def, location: u32, component: u32) {
        let Some(ty) = b.shader.as_deref(pointer).map(|deref| deref.ty) else { return };
        let elements = match b.shader.types.get(ty) {
            TypeData::Array { len, .. } => len.unwrap_or(0),
            TypeData::Matrix { columns, .. } => columns.into(),
            _ => {
                if let Some((scalar, count)) = b.shader.types.as_vector(ty) {
                    let value = self.vector(b, scalar, count, (location, component));
                    b.store_deref(pointer, value, (1 << count) - 1, 0);
                }
                return;
            }
        };
        let Some(slots) = b.shader.types.slots(ty).checked_div(elements) else { return };
        for i in 0..elements {
            let location = location.saturating_add(slots.saturating_mul(i));
            if location >= MOST_LOCATIONS {
                break;
            }
            let element = b.deref_array(pointer, ArrayIndex::Imm(i.into()));
            self.fill(b, element, location, component);
        }
    }

    fn vector(&mut self, b: &mut Builder<'_>, ty: AluType, count: u8, (location, component): (u32, u32)) -> Def {
        let is_wide = ty.bits == 64;
        let attributes = &self.context.attributes;
        // The third double of an attribute begins the Location after its own.
        let found = attributes.iter().filter(|attribute| attribute.format.is_wide() == is_wide).find_map(|attribute| {
            let first = location.checked_sub(attribute.location)?.saturating_mul(2);
            (first == 0 || is_wide && first == 2).then_some((attribute, first))
        });
        let first = found.map_or(0, |(_, first)| first) + if is_wide { component / 2 } else { component };
        let found = found.map(|(attribute, _)| self.find(b, attribute));
        b.vec_of(count, |b, c| {
            let c = first + u32::from(c);
            let value = found.as_ref().and_then(|found| found.component(b, c));
            match value {
                Some(value) => narrowed(b, value, ty),
                None => missing(b, c, ty),
            }
        })
    }

    fn find(&mut self, b: &mut Builder<'_>, attribute: &'a Attribute) -> LocatedAttribute<'a> {
        let Attribute { binding, offset, stride, divisor, .. } = *attribute;
        let buffer = self.buffer(b, binding);
        let buffer = base_pointer(b, buffer, None);
        let Element { vertex, instance, first_instance } = self.element;
        let element = match divisor {
            None => vertex,
            Some(0) => first_instance,
            Some(divisor) => {
                let divisor = b.imm32(divisor);
                let number = b.alu(AluOp::udiv, &[instance, divisor]);
                b.iadd(number, first_instance)
            }
        };
        let stride = b.imm32(stride);
        let at = b.alu(AluOp::imul, &[element, stride]);
        let at = b.iadd_imm(at, offset.into());
        let first = self.state.word(b, word::VERTEX_BUFFERS.saturating_add(binding));
        LocatedAttribute { attribute, buffer, byte: b.iadd(at, first) }
    }

    /// The variable of a vertex buffer.
    fn buffer(&mut self, b: &mut Builder<'_>, binding: u32) -> Var {
        if let Some((_, known)) = self.buffers.iter().find(|row| row.0 == binding) {
            return *known;
        }
        let name = format!("vertex_buffer{binding}");
        let at = VERTEX_BUFFER_BINDING.saturating_add(binding);
        let var = declare(b.shader, self.context, &name, at, Access::READONLY);
        self.buffers.push((binding, var));
        var
    }
}

impl LocatedAttribute<'_> {
    /// Component `c`, as 32 or 64 bits; `None` if the attribute has fewer components.
    fn component(&self, b: &mut Builder<'_>, c: u32) -> Option<Def> {
        let format = &self.attribute.format;
        let (first, bits) = format.bits(c)?;
        if format.is_wide() {
            let halves = [0, 32].map(|half| self.bits(b, first + half, 32));
            return Some(b.alu(AluOp::pack_64_2x32_split, &halves));
        }
        let value = self.bits(b, first, bits);
        let is_signed = format.numbers().is_signed();
        let float = |b: &mut Builder<'_>| b.alu(if is_signed { AluOp::i2f32 } else { AluOp::u2f32 }, &[value]);
        Some(match format.numbers() {
            Numbers::Uint | Numbers::Sint => value,
            Numbers::Uscaled | Numbers::Sscaled => float(b),
            Numbers::Sfloat if bits == 16 => b.alu(AluOp::unpack_half_2x16_split_x, &[value]),
            Numbers::Sfloat => value,
            Numbers::Unorm | Numbers::Snorm => {
                let most = (1u64 << (bits - u32::from(is_signed))) - 1;
                let (number, most) = (float(b), b.imm32((most as f32).to_bits()));
                let part = b.alu(AluOp::fdiv, &[number, most]);
                // The number below -1 becomes -1, too.
                let least = b.imm32((-1f32).to_bits());
                if is_signed {
                    b.alu(AluOp::fmax, &[part, least])
                } else {
                    part
                }
            }
        })
    }

    /// `bits` bits from bit `first` of the attribute on, at most 32, sign-extended if the numbers are signed.
    fn bits(&self, b: &mut Builder<'_>, first: u32, bits: u32) -> Def {
        let (inside, byte) = (first % 8, b.iadd_imm(self.byte, u64::from(first / 8)));
        // Shifts take their counts modulo 32.
        let down = b.ishl_imm(byte, 3);
        let down = b.iand_imm(down, 31);
        let low = self.word(b, byte);
        let mut value = b.alu(AluOp::ushr, &[low, down]);
        let bytes = (inside + bits).div_ceil(8);
        if bytes > 1 {
            // If the last byte is in the same word, this adds the same bits, or bits above.
            let last = b.iadd_imm(byte, u64::from(bytes - 1));
            let (high, up) = (self.word(b, last), b.alu(AluOp::ineg, &[down]));
            let high = b.alu(AluOp::ishl, &[high, up]);
            value = b.alu(AluOp::ior, &[value, high]);
        }
        let value = b.ishl_imm(value, 32 - bits - inside);
        let shift = if self.attribute.format.numbers().is_signed() { AluOp::ishr } else { AluOp::ushr };
        let count = b.imm32(32 - bits);
        b.alu(shift, &[value, count])
    }

    /// The word of the buffer that contains `byte`.
    fn word(&self, b: &mut Builder<'_>, byte: Def) -> Def {
        let index = b.ushr_imm(byte, 2);
        let pointer = b.deref_array(self.buffer, ArrayIndex::Def(index));
        b.load_deref(pointer, 0)
    }
}

/// `value` in the width of `ty`: its own, 16 bits, or 8 of an integer.
fn narrowed(b: &mut Builder<'_>, value: Def, ty: AluType) -> Def {
    if b.shader.bit_size(value) == ty.bits {
        return value;
    }
    let op = match (ty.base, ty.bits) {
        (Base::Float, _) => AluOp::f2f16,
        (_, 8) => AluOp::u2u8,
        _ => AluOp::u2u16,
    };
    b.alu_with(op, AluFlags::empty(), &[value.into()], Some((1, ty.bits)))
}

/// The default value of a missing component.
fn missing(b: &mut Builder<'_>, c: u32, ty: AluType) -> Def {
    let one = match (ty.base, ty.bits) {
        (Base::Float, 16) => 0x3c00,
        (Base::Float, 64) => 1f64.to_bits(),
        (Base::Float, _) => 1f32.to_bits().into(),
        _ => 1,
    };
    b.imm(ty.bits, if c == 3 { one } else { 0 })
}
