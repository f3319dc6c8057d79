// SPDX-License-Identifier: MIT

//! Constructs that only Mesa 22.3 prints: registers, source modifiers, and opcodes that 25.0 does not have.
//!
//! The parser rewrites them into constructs of 25.0, so the rest of the crate has one NIR:
//!
//! | 22.3 | becomes |
//! |-|-|
//! | `decl_reg vec4 32 r0`, `r0` as source or result | `decl_reg`, `load_reg`, `store_reg` |
//! | `-ssa_1`, `abs(ssa_1)`, `fadd.sat` | `fneg` or `ineg`, `fabs` or `iabs`, `fsat` |
//! | `fddx`, `ssbo_atomic_add`, `discard`, ... | the replacement in [`crate::op::old`] |

use super::cursor::Cursor;
use super::decl::component_of;
use super::instr::{alu_flags, bit_size, skip_divergence, Dest, Target};
use super::parser::Parser;
use crate::error::Error;
use crate::ir::{AluFlags, AluSrc, Def, InstKind, Swizzle};
use crate::op::old::OldAlu;
use crate::op::{AluOp, Base, Index, Intrinsic, Operand};
use rustc_hash::FxHashMap;

/// The registers of a function.
#[derive(Default)]
pub(super) struct Registers {
    by_number: FxHashMap<u32, Register>,
    /// Declared registers without a `decl_reg` instruction yet: the instructions are at the start of the first block.
    pending: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Register {
    num_components: u8,
    bit_size: u8,
    num_array_elems: u32,
    /// The value of `decl_reg`.
    handle: Option<Def>,
}

/// An access to a register.
pub(super) struct RegisterRef {
    handle: Def,
    num_components: u8,
    bit_size: u8,
    base: u32,
    indirect: Option<Def>,
    /// The written components.
    mask: u16,
}

impl Registers {
    pub(super) fn clear(&mut self) {
        self.by_number.clear();
        self.pending.clear();
    }
}

impl<'a> Parser<'a> {
    /// Parses `vec4 32 r0[8]`, after `decl_reg`.
    pub(super) fn decl_reg(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        let num_components = self.component_count(line, "vec")?;
        let bit_size = bit_size(line)?;
        skip_divergence(line);
        line.expect(b'r', "a register such as `r0`")?;
        let number = line.number32("the number of a register")?;
        let mut num_array_elems = 0;
        if line.eat(b'[') {
            num_array_elems = line.number32("a length")?;
            line.expect(b']', "`]`")?;
        }
        let register = Register { num_components, bit_size, num_array_elems, handle: None };
        self.registers.by_number.insert(number, register);
        self.registers.pending.push(number);
        if self.in_block() {
            self.declare_registers();
        }
        Ok(())
    }

    /// Emits `decl_reg` for the registers declared so far.
    pub(super) fn declare_registers(&mut self) {
        for number in std::mem::take(&mut self.registers.pending) {
            let Some(register) = self.registers.by_number.get(&number).copied() else { continue };
            let indices = [
                (Index::num_components, u32::from(register.num_components)),
                (Index::num_array_elems, register.num_array_elems),
                (Index::bit_size, u32::from(register.bit_size)),
            ];
            let handle = self.emit_intrinsic(Intrinsic::decl_reg, 1, 32, &[], &indices);
            self.registers.by_number.insert(number, Register { handle: Some(handle), ..register });
        }
    }

    /// Parses `r0`, `r0[2]` or `r0[2 + ssa_5]`.
    fn register(&mut self, line: &mut Cursor<'a>) -> Result<RegisterRef, Error> {
        let start = line.token_start();
        line.expect(b'r', "a register such as `r0`")?;
        let number = line.number32("the number of a register")?;
        let Some(&Register { num_components, bit_size, handle: Some(handle), .. }) =
            self.registers.by_number.get(&number)
        else {
            return Err(line.error(start, &format!("register r{number} is not declared")));
        };
        let mask = ((1u32 << num_components) - 1) as u16;
        let mut register = RegisterRef { handle, num_components, bit_size, base: 0, indirect: None, mask };
        if line.peek() == b'[' {
            line.eat(b'[');
            register.base = line.number32("an index")?;
            if line.eat(b'+') {
                register.indirect = Some(self.src_without_note(line)?);
            }
            line.expect(b']', "`]`")?;
        }
        Ok(register)
    }

    /// Parses a register as the result of an instruction.
    pub(super) fn register_dest(&mut self, line: &mut Cursor<'a>) -> Result<Dest, Error> {
        let mut register = self.register(line)?;
        if line.peek() == b'.' {
            line.eat(b'.');
            let start = line.token_start();
            register.mask = 0;
            for letter in line.word().bytes() {
                let component = component_of(letter).filter(|c| *c < register.num_components);
                let component = component.ok_or_else(|| line.error(start, "expected components of the register"))?;
                register.mask |= 1 << component;
            }
        }
        line.expect(b'=', "`=`")?;
        let num_components = register.mask.count_ones() as u8;
        Ok(Dest { num_components, bit_size: register.bit_size, target: Target::Register(register) })
    }

    /// Loads a register that is used as a source.
    pub(super) fn load_register(&mut self, line: &mut Cursor<'a>) -> Result<Def, Error> {
        let register = self.register(line)?;
        let indices = [(Index::base, register.base)];
        let (n, bits) = (register.num_components, register.bit_size);
        Ok(match register.indirect {
            None => self.emit_intrinsic(Intrinsic::load_reg, n, bits, &[register.handle], &indices),
            Some(index) => {
                self.emit_intrinsic(Intrinsic::load_reg_indirect, n, bits, &[register.handle, index], &indices)
            }
        })
    }

    /// Stores `value`, which has one component for each written one.
    pub(super) fn store_register(&mut self, register: &RegisterRef, value: Def) {
        let value = self.spread(register, value);
        let indices = [(Index::base, register.base), (Index::write_mask, u32::from(register.mask))];
        match register.indirect {
            None => self.emit_intrinsic(Intrinsic::store_reg, 0, 0, &[value, register.handle], &indices),
            Some(index) => {
                let srcs = [value, register.handle, index];
                self.emit_intrinsic(Intrinsic::store_reg_indirect, 0, 0, &srcs, &indices)
            }
        };
    }

    /// Moves the components of `value` to their places in the register. The values of the other components do not matter.
    fn spread(&mut self, register: &RegisterRef, value: Def) -> Def {
        if self.shader.num_components(value) == register.num_components {
            return value;
        }
        let mut swizzle = Swizzle::splat(0);
        let written = (0..16).filter(|c| register.mask >> c & 1 != 0);
        for (from, to) in written.enumerate() {
            swizzle.set(to, from as u8);
        }
        let src = AluSrc { def: value, swizzle };
        self.emit_plain_alu(AluOp::mov, register.num_components, register.bit_size, &[src])
    }

    /// Applies the modifiers of a source: negation and absolute value.
    pub(super) fn modified(&mut self, src: AluSrc, n: u8, operand: &Operand, negate: bool, abs: bool) -> AluSrc {
        let bits = self.shader.bit_size(src.def);
        let float = operand.ty.base == Base::Float;
        let mut src = src;
        if abs {
            let op = if float { AluOp::fabs } else { AluOp::iabs };
            src = self.emit_plain_alu(op, n, bits, &[src]).into();
        }
        if negate {
            let op = if float { AluOp::fneg } else { AluOp::ineg };
            src = self.emit_plain_alu(op, n, bits, &[src]).into();
        }
        src
    }

    /// `value` clamped to 0..1.
    pub(super) fn saturate(&mut self, value: Def) -> Def {
        let (n, bits) = (self.shader.num_components(value), self.shader.bit_size(value));
        self.emit_plain_alu(AluOp::fsat, n, bits, &[value.into()])
    }

    /// Parses an ALU instruction whose opcode 25.0 does not have, from its source on.
    pub(super) fn old_alu(&mut self, line: &mut Cursor<'a>, dest: &Dest, old: OldAlu) -> Result<Def, Error> {
        let (flags, saturate) = alu_flags(line)?;
        let operand = match old {
            OldAlu::Intrinsic(_) => AluOp::fneg.info().srcs[0],
            OldAlu::NotZero(op) => op.info().srcs[0],
        };
        let src = self.alu_src(line, dest, &operand)?;
        line.expect_end()?;
        let bits = self.shader.bit_size(src.def);
        let def = match old {
            OldAlu::Intrinsic(op) => {
                let value = self.without_swizzle(src, dest.num_components);
                self.emit_intrinsic(op, dest.num_components, dest.bit_size, &[value], &[])
            }
            OldAlu::NotZero(op) => {
                let zero = self.shader.consts.push(&[0]);
                let zero = self.emit(1, bits, InstKind::Const(zero)).def();
                self.emit_alu(op, flags, dest, &[src, AluSrc { def: zero, swizzle: Swizzle::splat(0) }])
            }
        };
        Ok(if saturate { self.saturate(def) } else { def })
    }

    /// The value of a source, with the swizzle applied.
    fn without_swizzle(&mut self, src: AluSrc, n: u8) -> Def {
        let live = self.shader.num_components(src.def);
        if live == n && src.swizzle.is_identity(usize::from(n)) {
            return src.def;
        }
        let bits = self.shader.bit_size(src.def);
        self.emit_plain_alu(AluOp::mov, n, bits, &[src])
    }

    fn emit_plain_alu(&mut self, op: AluOp, n: u8, bits: u8, srcs: &[AluSrc]) -> Def {
        let srcs = self.shader.push_alu_srcs(srcs);
        self.emit(n, bits, InstKind::Alu { op, flags: AluFlags::empty(), srcs }).def()
    }

    /// Emits an intrinsic that is not in the text; indices that are not given are 0.
    pub(super) fn emit_intrinsic(
        &mut self,
        op: Intrinsic,
        n: u8,
        bits: u8,
        srcs: &[Def],
        indices: &[(Index, u32)],
    ) -> Def {
        let value_of = |index: &Index| indices.iter().find(|(i, _)| i == index).map_or(0, |(_, value)| *value);
        let indices = self.shader.indices.extend(op.info().indices.iter().map(value_of));
        let srcs = self.shader.srcs.push(srcs);
        self.emit(n, bits, InstKind::Intrinsic { op, srcs, indices }).def()
    }
}
