// SPDX-License-Identifier: MIT

//! Atomics. The invocations execute them one after the other.

use crate::alu;
use crate::machine::Machine;
use crate::memory::Address;
use crate::race::Use;
use crate::Bits;
use ntv::ir::{Def, Inst};
use ntv::op::{AluOp, AtomicOp, Index};

/// Atomics that are an ALU operation on the old value and the operand.
const ARITHMETIC: &[(AtomicOp, AluOp)] = &[
    (AtomicOp::iadd, AluOp::iadd),
    (AtomicOp::imin, AluOp::imin),
    (AtomicOp::umin, AluOp::umin),
    (AtomicOp::imax, AluOp::imax),
    (AtomicOp::umax, AluOp::umax),
    (AtomicOp::iand, AluOp::iand),
    (AtomicOp::ior, AluOp::ior),
    (AtomicOp::ixor, AluOp::ixor),
    (AtomicOp::fadd, AluOp::fadd),
    (AtomicOp::fmin, AluOp::fmin),
    (AtomicOp::fmax, AluOp::fmax),
];

impl Machine<'_> {
    /// Runs an atomic at `address` with these operands.
    pub(crate) fn atomic(&mut self, inst: Inst, lane: usize, address: Address, operands: &[Def]) {
        let bits = self.shader.insts[inst].bit_size;
        let op = AtomicOp::ALL.get(self.shader.index(inst, Index::atomic_op) as usize).copied();
        let operand = |i: usize| operands.get(i).map_or(Bits::undef(bits), |def| self.scalar(*def, lane));
        let (first, second) = (operand(0), operand(1));
        let written = self.read(address, bits, lane).zip(op).and_then(|(old, op)| {
            self.write(address, bits, combine(op, old, (first, second), bits), lane)?;
            Some(old)
        });
        if written.is_some() {
            self.record_end(address, i64::from(bits / 8));
        }
        if written.is_some() && !self.lanes[lane].is_helper {
            self.record_use(inst, lane, address, |_| Use::Atomic, i64::from(bits / 8));
        }
        match written {
            // Atomics of helper invocations have no effect and an undefined result.
            Some(_) if self.lanes[lane].is_helper => self.set(inst, lane, &[]),
            Some(old) => self.set(inst, lane, &[old]),
            None => {
                self.out_of_bounds(inst, lane, address, i64::from(bits / 8));
                self.set(inst, lane, &[]);
            }
        }
    }
}

/// The value that an atomic writes. A compare-and-exchange compares `first` and stores `second`.
fn combine(op: AtomicOp, old: Bits, (first, second): (Bits, Bits), bits: u8) -> Bits {
    if let Some((_, op)) = ARITHMETIC.iter().find(|row| row.0 == op) {
        return alu::scalar(*op, [old, first], bits);
    }
    let choose = |condition: Bits, yes: Bits, no: Bits| {
        let chosen = if condition.value == 0 { no } else { yes };
        match condition.is_defined() {
            true => chosen,
            false => Bits::some(chosen.value, bits),
        }
    };
    match op {
        AtomicOp::xchg => first,
        AtomicOp::cmpxchg => choose(alu::scalar(AluOp::ieq, [old, first], bits), second, old),
        AtomicOp::fcmpxchg => choose(alu::scalar(AluOp::feq, [old, first], bits), second, old),
        AtomicOp::inc_wrap => {
            let next = alu::scalar(AluOp::iadd, [old, Bits::new(1)], bits);
            choose(alu::scalar(AluOp::uge, [old, first], bits), Bits::new(0), next)
        }
        AtomicOp::dec_wrap => {
            let next = alu::scalar(AluOp::isub, [old, Bits::new(1)], bits);
            let is_zero = alu::scalar(AluOp::ieq, [old, Bits::new(0)], bits);
            let is_above = alu::scalar(AluOp::ult, [first, old], bits);
            choose(is_zero, first, choose(is_above, first, next))
        }
        _ => Bits::undef(bits),
    }
}
