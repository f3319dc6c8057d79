// SPDX-License-Identifier: MIT

//! Accesses to blocks in zink's form of byte offsets: through derefs of `struct { uintN base[]; }`, scalar by scalar.
//!
//! ```text
//! 32    %8 = ishl %6, %7 (0x4)
//! 32    %9 = load_const (0x00000002)
//! 32   %10 = ushr %8, %9 (0x2)
//! 32   %11 = deref_var &uniform_0@32 (ubo struct[1])
//! 32   %12 = deref_array &(*%11)[0] (ubo struct)  // &uniform_0@32[0]
//! 32   %13 = deref_struct &%12->base (ubo uint[28])  // &uniform_0@32[0].base
//! 32   %14 = deref_array &(*%13)[%10] (ubo uint)  // &uniform_0@32[0].base[%10]
//! 32   %15 = @load_deref (%14) (access=none)
//! ```

use super::accesses::Region;
use super::memory::{STORAGE_BLOCKS, UNIFORM_BLOCKS};
use super::offsets::Number;
use super::{Generator, Shape};
use arbitrary::Result;
use ntv::ir::{AluFlags, ArrayIndex, Def, Field, Var, Variable};
use ntv::op::{AluOp, AluType, Base, Modes};

/// The variables of blocks, one for each width: of 8, 16, 32 and 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    /// Uniform block 0.
    default: [Var; 4],
    /// The uniform blocks after block 0.
    uniform: [Var; 4],
    storage: [Var; 4],
}

const WIDTHS: [u8; 4] = [8, 16, 32, 64];

impl Generator<'_, '_, '_> {
    /// Declares the variables, whose arrays have the size of uniform blocks.
    pub(super) fn declare_blocks(&mut self) -> Blocks {
        self.b.shader.info.first_ubo_is_default_ubo = true;
        let [first, others] = self.uniform_ends;
        let mut declare = |name, modes, (first, count), bytes: Option<u32>| {
            WIDTHS.map(|bits| self.declare_block(name, modes, (first, count), bits, bytes))
        };
        Blocks {
            default: declare("uniform_0", Modes::UBO, (0, 1), Some(first)),
            uniform: declare("ubos", Modes::UBO, (1, UNIFORM_BLOCKS - 1), Some(others)),
            storage: declare("ssbos", Modes::SSBO, (0, STORAGE_BLOCKS), None),
        }
    }

    fn declare_block(
        &mut self,
        name: &str,
        mode: Modes,
        (first, count): (u32, u32),
        bits: u8,
        bytes: Option<u32>,
    ) -> Var {
        let shader = &mut *self.b.shader;
        let bytes_of_one = u32::from(bits) / 8;
        let element = shader.types.vector(AluType::new(Base::Uint, bits), 1);
        let len = bytes.map(|bytes| bytes / bytes_of_one);
        let array = shader.types.array(element, len, bytes_of_one);
        let (member, block) = (shader.strings.add("base"), shader.strings.add("struct"));
        let block = shader.types.new_struct(block, &[Field { name: member, ty: array, offset: Some(0) }]);
        let ty = shader.types.array(block, Some(count), 0);
        let name = shader.strings.add(&format!("{name}@{bits}"));
        shader.declare(Variable { driver_location: first, binding: first, ..Variable::new(name, ty, mode) })
    }

    /// The width of the elements from which values of `bits` bits at `offset` are assembled.
    fn element_bits(offset: Number, bits: u8) -> u8 {
        let fits = |width: &u8| *width <= bits && offset.is_multiple_of(u32::from(*width) / 8);
        WIDTHS.into_iter().rev().find(fits).unwrap_or(8)
    }

    /// A deref of the elements of `bits` bits of a block.
    fn elements(&mut self, blocks: &Blocks, place: Region, bits: u8) -> Def {
        let width = bits.ilog2() as usize - 3;
        let (var, block) = match place {
            Region::Uniform(0) => (blocks.default[width], ArrayIndex::Imm(0)),
            Region::Uniform(number) => (blocks.uniform[width], ArrayIndex::Imm(i64::from(number) - 1)),
            Region::AnyUniform(index) => (blocks.uniform[width], ArrayIndex::Def(index)),
            Region::Storage => (blocks.storage[width], ArrayIndex::Imm(1)),
            _ => (blocks.storage[width], ArrayIndex::Imm(0)),
        };
        let var = self.b.deref_var(var);
        let block = self.b.deref_array(var, block);
        self.b.deref_struct(block, 0)
    }

    /// The index of element `at` after the byte `offset`.
    fn element_index(&mut self, offset: Number, bits: u8, at: u32) -> Result<ArrayIndex> {
        let shift = bits.ilog2() - 3;
        if offset.is_constant() {
            return Ok(ArrayIndex::Imm(i64::from((offset.max >> shift) + at)));
        }
        let offset = self.def_of(offset);
        let alu = |g: &mut Self, op, a: Def, b: u32| {
            let b = g.b.imm32(b);
            g.raw_alu(op, AluFlags::empty(), &[a.into(), b.into()], (1, 32))
        };
        let form = self.u.int_in_range(0..=3)?;
        let index = match form {
            _ if at == 0 => alu(self, AluOp::ushr, offset, shift),
            0 => {
                let first = alu(self, AluOp::ushr, offset, shift);
                alu(self, AluOp::iadd, first, at)
            }
            _ => {
                let byte = alu(self, AluOp::iadd, offset, at << shift);
                alu(self, AluOp::ushr, byte, shift)
            }
        };
        // The mask that replaces a right and a left shift.
        let index = if form == 3 { alu(self, AluOp::iand, index, u32::MAX >> shift) } else { index };
        Ok(ArrayIndex::Def(index))
    }

    pub(super) fn load_elements(
        &mut self,
        blocks: &Blocks,
        place: Region,
        offset: Number,
        shape: Shape,
    ) -> Result<Def> {
        let bits = Self::element_bits(offset, shape.bits);
        let array = self.elements(blocks, place, bits);
        let mut scalars = Vec::with_capacity(32);
        for at in 0..shape.bytes() * 8 / u32::from(bits) {
            let index = self.element_index(offset, bits, at)?;
            let pointer = self.b.deref_array(array, index);
            scalars.push(self.b.load_deref(pointer, 0));
        }
        let parts = usize::from(shape.bits / bits);
        let components: Vec<Def> = scalars.chunks(parts).map(|parts| self.joined(parts, bits)).collect();
        Ok(self.b.vec(&components))
    }

    pub(super) fn store_elements(&mut self, blocks: &Blocks, offset: Number, value: Def, mask: u32) -> Result<()> {
        let value_bits = self.b.shader.bit_size(value);
        let bits = Self::element_bits(offset, value_bits);
        let array = self.elements(blocks, Region::Own, bits);
        let parts = u32::from(value_bits / bits);
        for component in (0..self.b.shader.num_components(value)).filter(|c| mask >> c & 1 != 0) {
            let scalar = self.b.channel(value, component);
            for part in 0..parts {
                let index = self.element_index(offset, bits, u32::from(component) * parts + part)?;
                let element = self.part_of(scalar, bits, part);
                let pointer = self.b.deref_array(array, index);
                self.b.store_deref(pointer, element, 1, 0);
            }
        }
        Ok(())
    }

    /// Assembles one number from parts of `bits` bits, the lowest first.
    fn joined(&mut self, parts: &[Def], bits: u8) -> Def {
        let wide = bits * parts.len() as u8;
        if wide == bits {
            return parts[0];
        }
        parts.iter().enumerate().fold(self.b.imm(wide, 0), |sum, (at, part)| {
            let part = self.converted(*part, wide);
            let shifted = self.b.ishl_imm(part, at as u32 * u32::from(bits));
            self.b.alu(AluOp::ior, &[sum, shifted])
        })
    }

    /// The bits of `scalar` from `part * bits` on.
    fn part_of(&mut self, scalar: Def, bits: u8, part: u32) -> Def {
        let shifted = self.b.ushr_imm(scalar, part * u32::from(bits));
        self.converted(shifted, bits)
    }

    fn converted(&mut self, scalar: Def, bits: u8) -> Def {
        if self.b.shader.bit_size(scalar) == bits {
            return scalar;
        }
        let op = match bits {
            8 => AluOp::u2u8,
            16 => AluOp::u2u16,
            32 => AluOp::u2u32,
            _ => AluOp::u2u64,
        };
        self.b.alu(op, &[scalar])
    }
}
