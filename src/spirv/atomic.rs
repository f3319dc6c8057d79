// SPDX-License-Identifier: MIT

//! Atomics on buffers and shared memory.

use super::memory::Pointer;
use super::{internal, unsupported, Emit, Result};
use crate::analysis::value_types::atomic_base;
use crate::ir::{Def, Inst};
use crate::op::{Access, AtomicOp, Base, Index};
use spirv::{Capability, MemorySemantics, Op, StorageClass};

/// NIR's atomic operations that SPIR-V has, and their instructions.
const OPS: &[(AtomicOp, Op)] = &[
    (AtomicOp::iadd, Op::AtomicIAdd),
    (AtomicOp::imin, Op::AtomicSMin),
    (AtomicOp::umin, Op::AtomicUMin),
    (AtomicOp::imax, Op::AtomicSMax),
    (AtomicOp::umax, Op::AtomicUMax),
    (AtomicOp::iand, Op::AtomicAnd),
    (AtomicOp::ior, Op::AtomicOr),
    (AtomicOp::ixor, Op::AtomicXor),
    (AtomicOp::xchg, Op::AtomicExchange),
    (AtomicOp::cmpxchg, Op::AtomicCompareExchange),
    (AtomicOp::fadd, Op::AtomicFAddEXT),
    (AtomicOp::fmin, Op::AtomicFMinEXT),
    (AtomicOp::fmax, Op::AtomicFMaxEXT),
];

impl Emit<'_> {
    /// Emits `deref_atomic` or, with two data, `deref_atomic_swap`.
    pub(super) fn deref_atomic(&mut self, inst: Inst, target: Def, data: &[Def]) -> Result<u32> {
        let op = atomic_op(self.shader.index(inst, Index::atomic_op), data.len())?;
        let base = atomic_base(self.shader, inst);
        let access = self.access(inst);
        let pointer = self.pointer(target, base, access)?;
        self.check_atomic(&pointer, base)?;
        self.note_pointer(&pointer, access, true, true);
        self.atomic_capability(op, pointer.scalar.bits);

        let ty = self.m.numeric(base, pointer.scalar.bits, 1);
        let scope = self.memory_scope(pointer.class);
        let access = self.all_access(&pointer, access);
        let semantics = self.atomic_semantics(access);
        self.atomic(op, (base, ty), [pointer.id, scope, semantics], data)
    }

    /// Emits an atomic with the operands `[pointer, scope, semantics]` on numbers of this base and type.
    pub(super) fn atomic(&mut self, op: Op, (base, ty): (Base, u32), at: [u32; 3], data: &[Def]) -> Result<u32> {
        let [pointer, scope, semantics] = at;
        match *data {
            [value] => {
                let value = self.value(value, base)?;
                Ok(self.m.value(op, ty, &[pointer, scope, semantics, value]))
            }
            // The comparator is NIR's first source and SPIR-V's last operand.
            [comparator, value] => {
                let (comparator, value) = (self.value(comparator, base)?, self.value(value, base)?);
                let operands = [pointer, scope, semantics, semantics, value, comparator];
                Ok(self.m.value(op, ty, &operands))
            }
            _ => Err(internal("an atomic without data")),
        }
    }

    /// Emits a load that cannot tear with atomics of other invocations.
    pub(super) fn atomic_load(&mut self, pointer: &Pointer, access: Access) -> u32 {
        if pointer.scalar.bits == 64 {
            self.m.capability(Capability::Int64Atomics);
        }
        let ty = self.m.numeric(pointer.base, pointer.scalar.bits, 1);
        let scope = self.memory_scope(pointer.class);
        let access = self.all_access(pointer, access);
        let semantics = self.atomic_semantics(access);
        self.m.value(Op::AtomicLoad, ty, &[pointer.id, scope, semantics])
    }

    fn check_atomic(&self, pointer: &Pointer, base: Base) -> Result<()> {
        let has_atomics = matches!(
            pointer.class,
            StorageClass::StorageBuffer | StorageClass::Workgroup | StorageClass::PhysicalStorageBuffer
        );
        if !has_atomics || pointer.n != 1 {
            return Err(unsupported("an atomic on this memory"));
        }
        if pointer.base != base {
            return Err(unsupported("shared memory with integer and float atomics"));
        }
        if base != Base::Float && pointer.scalar.bits < 32 {
            return Err(unsupported(format_args!("an atomic of {} bits", pointer.scalar.bits)));
        }
        Ok(())
    }

    /// Relaxed semantics: barriers order memory, as in GLSL.
    pub(super) fn atomic_semantics(&mut self, access: Access) -> u32 {
        let volatile = self.vmm && access.contains(Access::VOLATILE);
        self.m.uint(if volatile { MemorySemantics::VOLATILE.bits() } else { 0 })
    }

    pub(super) fn atomic_capability(&mut self, op: Op, bits: u8) {
        let add = op == Op::AtomicFAddEXT;
        let float = add || matches!(op, Op::AtomicFMinEXT | Op::AtomicFMaxEXT);
        self.m.capability(match (float, add, bits) {
            (true, true, 16) => Capability::AtomicFloat16AddEXT,
            (true, true, 32) => Capability::AtomicFloat32AddEXT,
            (true, true, _) => Capability::AtomicFloat64AddEXT,
            (true, false, 16) => Capability::AtomicFloat16MinMaxEXT,
            (true, false, 32) => Capability::AtomicFloat32MinMaxEXT,
            (true, false, _) => Capability::AtomicFloat64MinMaxEXT,
            (false, _, 64) => Capability::Int64Atomics,
            _ => return,
        });
    }
}

/// The instruction of an atomic operation, an index into [`AtomicOp::ALL`], that takes `data` values.
pub(super) fn atomic_op(kind: u32, data: usize) -> Result<Op> {
    let kind = AtomicOp::ALL.get(kind as usize).copied().ok_or_else(|| internal("an unknown atomic operation"))?;
    let row = OPS.iter().find(|row| row.0 == kind);
    let op = row.ok_or_else(|| unsupported(format_args!("atomic {}", kind.name())))?.1;
    if (op == Op::AtomicCompareExchange) != (data == 2) {
        return Err(internal(format!("atomic {} with {data} data", kind.name())));
    }
    Ok(op)
}
