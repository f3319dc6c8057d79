// SPDX-License-Identifier: MIT

//! Opcodes that Mesa 22.3 has and 25.0 does not, and their replacements.
//!
//! Both readers, of text and of wires, look up here a name that is in no other table, so the rest of the crate handles one
//! version of NIR.
//!
//! | 22.3 | becomes |
//! |-|-|
//! | `fddx`, `f2b1`, ... | [`old_alu`]: an intrinsic, or a comparison with zero |
//! | `ssbo_atomic_add`, ... | [`old_intrinsic`]: `ssbo_atomic` with `atomic_op=iadd` |
//! | `discard`, `control_barrier`, ... | [`old_intrinsic`]: the new name, with the indices that the old one implied |

use super::names::{Scope, Semantics};
use super::{AluOp, AtomicOp, Index, Intrinsic, Modes};

/// The replacement of an ALU opcode that 25.0 does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OldAlu {
    /// An intrinsic of the source.
    Intrinsic(Intrinsic),
    /// A comparison of the source with zero.
    NotZero(AluOp),
}

const ALU: &[(&str, OldAlu)] = &[
    ("fddx", OldAlu::Intrinsic(Intrinsic::ddx)),
    ("fddx_fine", OldAlu::Intrinsic(Intrinsic::ddx_fine)),
    ("fddx_coarse", OldAlu::Intrinsic(Intrinsic::ddx_coarse)),
    ("fddy", OldAlu::Intrinsic(Intrinsic::ddy)),
    ("fddy_fine", OldAlu::Intrinsic(Intrinsic::ddy_fine)),
    ("fddy_coarse", OldAlu::Intrinsic(Intrinsic::ddy_coarse)),
    ("f2b1", OldAlu::NotZero(AluOp::fneu)),
    ("i2b1", OldAlu::NotZero(AluOp::ine)),
];

/// The replacement in 25.0 of the ALU opcode `name` of 22.3, if it has another name there.
pub fn old_alu(name: &str) -> Option<OldAlu> {
    alu(alu_number(name)?)
}

/// The index of the ALU opcode `name` in the list of those that 25.0 does not have.
pub fn alu_number(name: &str) -> Option<usize> {
    ALU.iter().position(|(old, _)| *old == name)
}

/// The replacement of the ALU opcode at this index.
pub fn alu(number: usize) -> Option<OldAlu> {
    ALU.get(number).map(|(_, new)| *new)
}

/// The name in 22.3 of the ALU opcode at this index.
#[cfg(test)]
pub(crate) fn alu_name(number: usize) -> Option<&'static str> {
    ALU.get(number).map(|(name, _)| *name)
}

/// The families of atomics: 22.3's prefix, the opcode, the opcode of compare-and-swap.
const ATOMICS: &[(&str, Intrinsic, Intrinsic)] = &[
    ("ssbo_atomic_", Intrinsic::ssbo_atomic, Intrinsic::ssbo_atomic_swap),
    ("shared_atomic_", Intrinsic::shared_atomic, Intrinsic::shared_atomic_swap),
    ("global_atomic_", Intrinsic::global_atomic, Intrinsic::global_atomic_swap),
    ("deref_atomic_", Intrinsic::deref_atomic, Intrinsic::deref_atomic_swap),
    ("image_atomic_", Intrinsic::image_atomic, Intrinsic::image_atomic_swap),
    ("image_deref_atomic_", Intrinsic::image_deref_atomic, Intrinsic::image_deref_atomic_swap),
    ("bindless_image_atomic_", Intrinsic::bindless_image_atomic, Intrinsic::bindless_image_atomic_swap),
];

/// 22.3 had an intrinsic for each operation of each family, with these suffixes.
const ATOMIC_OPS: &[(&str, AtomicOp)] = &[
    ("add", AtomicOp::iadd),
    ("imin", AtomicOp::imin),
    ("umin", AtomicOp::umin),
    ("imax", AtomicOp::imax),
    ("umax", AtomicOp::umax),
    ("and", AtomicOp::iand),
    ("or", AtomicOp::ior),
    ("xor", AtomicOp::ixor),
    ("exchange", AtomicOp::xchg),
    ("comp_swap", AtomicOp::cmpxchg),
    ("fadd", AtomicOp::fadd),
    ("fmin", AtomicOp::fmin),
    ("fmax", AtomicOp::fmax),
    ("fcomp_swap", AtomicOp::fcmpxchg),
    ("inc_wrap", AtomicOp::inc_wrap),
    ("dec_wrap", AtomicOp::dec_wrap),
];

/// The replacement in 25.0 of an intrinsic of 22.3.
#[derive(Clone, Copy, Debug)]
pub struct OldIntrinsic {
    /// Its name in 25.0.
    pub op: Intrinsic,
    /// Indices that the old name implied.
    pub indices: [(Index, u32); 4],
    /// The number of sources that 22.3 did not have yet; they are undefined.
    pub missing_srcs: usize,
}

impl OldIntrinsic {
    const fn new(op: Intrinsic) -> OldIntrinsic {
        OldIntrinsic { op, indices: [(Index::atomic_op, 0); 4], missing_srcs: 0 }
    }

    const fn missing(op: Intrinsic, missing_srcs: usize) -> OldIntrinsic {
        OldIntrinsic { missing_srcs, ..OldIntrinsic::new(op) }
    }

    const fn barrier(execution: Scope, memory: Scope, modes: Modes) -> OldIntrinsic {
        let semantics = Semantics::ACQUIRE.union(Semantics::RELEASE);
        let indices = [
            (Index::execution_scope, execution as u32),
            (Index::memory_scope, memory as u32),
            (Index::memory_semantics, semantics.bits()),
            (Index::memory_modes, modes.bits()),
        ];
        OldIntrinsic { op: Intrinsic::barrier, indices, missing_srcs: 0 }
    }
}

const BUFFERS: Modes = Modes::SSBO.union(Modes::GLOBAL);
const MEMORY: Modes = BUFFERS.union(Modes::IMAGE).union(Modes::SHARED);

const INTRINSICS: &[(&str, OldIntrinsic)] = &[
    ("discard", OldIntrinsic::new(Intrinsic::terminate)),
    ("discard_if", OldIntrinsic::new(Intrinsic::terminate_if)),
    ("scoped_barrier", OldIntrinsic::new(Intrinsic::barrier)),
    ("control_barrier", OldIntrinsic::barrier(Scope::workgroup, Scope::workgroup, Modes::SHARED)),
    ("memory_barrier", OldIntrinsic::barrier(Scope::none, Scope::device, MEMORY)),
    ("group_memory_barrier", OldIntrinsic::barrier(Scope::none, Scope::workgroup, MEMORY)),
    ("memory_barrier_buffer", OldIntrinsic::barrier(Scope::none, Scope::device, BUFFERS)),
    ("memory_barrier_image", OldIntrinsic::barrier(Scope::none, Scope::device, Modes::IMAGE)),
    ("memory_barrier_shared", OldIntrinsic::barrier(Scope::none, Scope::device, Modes::SHARED)),
    ("memory_barrier_atomic_counter", OldIntrinsic::barrier(Scope::none, Scope::device, BUFFERS)),
    ("memory_barrier_tcs_patch", OldIntrinsic::barrier(Scope::none, Scope::workgroup, Modes::SHADER_OUT)),
    ("emit_vertex_with_counter", OldIntrinsic::missing(Intrinsic::emit_vertex_with_counter, 2)),
    ("end_primitive_with_counter", OldIntrinsic::missing(Intrinsic::end_primitive_with_counter, 2)),
    ("set_vertex_and_primitive_count", OldIntrinsic::missing(Intrinsic::set_vertex_and_primitive_count, 1)),
];

/// The replacement in 25.0 of the intrinsic `name` of 22.3, if it has another name there. `tess_ctrl` is true in a tessellation
/// control shader.
pub fn old_intrinsic(name: &str, tess_ctrl: bool) -> Option<OldIntrinsic> {
    intrinsic(intrinsic_number(name)?, tess_ctrl)
}

/// The index of the intrinsic `name` among those that 25.0 does not have: the list, then the atomics, family by family.
pub fn intrinsic_number(name: &str) -> Option<usize> {
    if let Some(number) = INTRINSICS.iter().position(|(old, _)| *old == name) {
        return Some(number);
    }
    ATOMICS.iter().enumerate().find_map(|(family, (prefix, ..))| {
        let suffix = name.strip_prefix(prefix)?;
        let op = ATOMIC_OPS.iter().position(|(old, _)| *old == suffix)?;
        Some(INTRINSICS.len() + family * ATOMIC_OPS.len() + op)
    })
}

/// The replacement of the intrinsic at this index.
pub fn intrinsic(number: usize, tess_ctrl: bool) -> Option<OldIntrinsic> {
    if let Some((name, old)) = INTRINSICS.get(number) {
        let mut old = *old;
        if *name == "control_barrier" && tess_ctrl {
            // The barrier of tessellation control orders the outputs, not shared memory.
            old.indices[3].1 = Modes::SHADER_OUT.bits();
        }
        return Some(old);
    }
    let number = number - INTRINSICS.len();
    let (_, plain, swap) = ATOMICS.get(number / ATOMIC_OPS.len())?;
    let (_, atomic) = ATOMIC_OPS[number % ATOMIC_OPS.len()];
    let op = if matches!(atomic, AtomicOp::cmpxchg | AtomicOp::fcmpxchg) { *swap } else { *plain };
    let mut old = OldIntrinsic::new(op);
    old.indices = [(Index::atomic_op, atomic as u32); 4];
    Some(old)
}

/// The name in 22.3 of the intrinsic at this index.
#[cfg(test)]
pub(crate) fn intrinsic_name(number: usize) -> Option<String> {
    if let Some((name, _)) = INTRINSICS.get(number) {
        return Some((*name).to_string());
    }
    let number = number - INTRINSICS.len();
    let (prefix, ..) = ATOMICS.get(number / ATOMIC_OPS.len())?;
    Some(format!("{prefix}{}", ATOMIC_OPS[number % ATOMIC_OPS.len()].0))
}
