// SPDX-License-Identifier: MIT

//! Turns atomics that the target lacks into loops with a compare-exchange.
//!
//! **What.** This applies to `fcmpxchg`, `inc_wrap` and `dec_wrap`, which SPIR-V does not have; to float atomics without their
//! feature; and to float atomics on shared memory that has integer ones too, where no layout allows a second view of it. Each
//! loop computes from a guess of the old value and stores the result if the guess was right, else the value that was read is
//! the next guess.
//!
//! **Why.** Every Vulkan device has OpAtomicCompareExchange on 32-bit integers, and on 64-bit ones if it has 64-bit atomics at
//! all; all other atomics can be built from it. Helper invocations of fragment shaders leave the loop at once: the results of
//! their atomics are undefined (Vulkan, Helper Invocations), so the loop might not end.
//!
//! Needs derefs instead of offsets. `byte_access` turns atomics on parts of a lane into such loops.
//!
//! Before:
//!
//! ```text
//! 32     %3 = @deref_atomic (%2, %0 (0x7)) (access=none, atomic_op=inc_wrap)
//! ```
//!
//! After:
//!
//! ```text
//! 32     %3 = @load_deref (%2) (access=atomic)
//!             // succs: b1
//! loop {
//!     block b1:   // preds: b0 b4
//!     32     %4 = phi b0: %3, b4: %10
//!     1      %5 = uge %4, %0 (0x7)
//!     32     %6 = load_const (0x00000000)
//!     32     %7 = load_const (0x00000001)
//!     32     %8 = iadd %4, %7 (0x1)
//!     32     %9 = bcsel %5, %6 (0x0), %8
//!     32    %10 = @deref_atomic_swap (%2, %4, %9) (access=none, atomic_op=cmpxchg)
//!     1     %11 = ieq %10, %4
//!                 // succs: b2 b3
//!     if %11 {
//!         block b2:// preds: b1
//!         break
//!         // succs: b5
//!     } else {
//!         block b3:  // preds: b1, succs: b4
//!     }
//!     block b4:  // preds: b3, succs: b1
//! }
//! block b5:   // preds: b2
//! ```

use crate::analysis::kinds::list_intrinsics;
use crate::ir::{rewrite, Builder, Def, Edit, Inst, PhiSrc, Shader, Stage, Var};
use crate::op::{Access, AluOp, AtomicOp, Facts, Index, Intrinsic, Modes};
use crate::pass::{Context, Pass};
use crate::target::{Feature, Target};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_atomics",
    about: "turns atomics that the target lacks into compare-exchange loops",
    facts: Facts::DEREF_ATOMICS,
    removes: Facts::LOWERED_ATOMICS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    let target = &context.target;
    shader.with_spare(|shader, AtomicTables { places, mixed }: &mut AtomicTables| {
        list_intrinsics(shader, places);
        mixed_shared_memory(shader, target, places, mixed);
        let lowered = |shader: &Shader, inst| Atomic::new(shader, inst).filter(|a| a.is_lowered(shader, target, mixed));
        // The common case: nothing to insert.
        if !places.iter().any(|at| lowered(shader, shader.order[*at as usize]).is_some()) {
            return false;
        }
        rewrite(shader, |b, inst| {
            let Some(Atomic { op, pointer, bits }) = lowered(b.shader, inst) else { return Edit::Keep };
            let access = b.shader.index(inst, Index::access);
            Edit::Replace(compare_exchange_loop(b, target, (pointer, bits), access, |b, old| {
                updated(b, op, old, Data::of(b.shader, inst, 1))
            }))
        })
    })
}

/// Tables that are kept for the next shader.
#[derive(Debug, Default)]
struct AtomicTables {
    /// The positions of intrinsics in the order.
    places: Vec<u32>,
    /// The variables of shared memory that have integer atomics, now or after this pass, so that float ones need another view.
    mixed: Vec<Var>,
}

/// An atomic on a deref.
struct Atomic {
    op: AtomicOp,
    pointer: Def,
    bits: u8,
}

impl Atomic {
    fn new(shader: &Shader, inst: Inst) -> Option<Atomic> {
        let (_, srcs) = shader.as_intrinsic(inst).filter(|(op, _)| op.is_deref_atomic())?;
        let op = *AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize)?;
        Some(Atomic { op, pointer: srcs[0], bits: shader.insts[inst].bit_size })
    }

    fn is_lowered(&self, shader: &Shader, target: &Target, mixed: &[Var]) -> bool {
        if !self.op.is_float() {
            return self.op.is_lowered();
        }
        let shared = shader.as_deref(self.pointer).is_some_and(|deref| deref.modes == Modes::SHARED);
        let is_mixed = || shader.deref_var(self.pointer).is_some_and(|var| mixed.contains(&var));
        !target.has_float_atomic(self.op, self.bits, shared) || is_mixed()
    }
}

/// Collects these variables. `places` are the positions of the intrinsics.
fn mixed_shared_memory(shader: &Shader, target: &Target, places: &[u32], mixed: &mut Vec<Var>) {
    mixed.clear();
    if target.has(Feature::workgroupMemoryExplicitLayout) {
        return;
    }
    mixed.extend(places.iter().filter_map(|at| {
        let atomic = Atomic::new(shader, shader.order[*at as usize])?;
        let var = shader.deref_var(atomic.pointer)?;
        let integer = !atomic.op.is_float() || !target.has_float_atomic(atomic.op, atomic.bits, true);
        (integer && shader.vars[var].mode == Modes::SHARED).then_some(var)
    }));
}

/// The data operands of an atomic: a value, or a value to compare and then the value to store.
#[derive(Clone, Copy)]
pub(super) struct Data {
    first: Def,
    last: Def,
}

impl Data {
    /// The data of the atomic `inst`, which starts at this source.
    pub(super) fn of(shader: &Shader, inst: Inst, start: usize) -> Data {
        let (_, srcs) = shader.as_intrinsic(inst).expect("an intrinsic");
        Data { first: srcs[start], last: srcs[srcs.len() - 1] }
    }
}

/// The memory contents after the atomic `op` with `data` if they were `old` before.
pub(super) fn updated(b: &mut Builder<'_>, op: AtomicOp, old: Def, data: Data) -> Def {
    let bits = b.shader.bit_size(old);
    let Data { first, last } = data;
    match op {
        AtomicOp::xchg => first,
        AtomicOp::cmpxchg | AtomicOp::fcmpxchg => {
            let compare = if op == AtomicOp::cmpxchg { AluOp::ieq } else { AluOp::feq };
            let equal = b.alu(compare, &[old, first]);
            b.alu(AluOp::bcsel, &[equal, last, old])
        }
        AtomicOp::inc_wrap => {
            let wraps = b.alu(AluOp::uge, &[old, first]);
            let (zero, next) = (b.imm(bits, 0), b.iadd_imm(old, 1));
            b.alu(AluOp::bcsel, &[wraps, zero, next])
        }
        AtomicOp::dec_wrap => {
            // 0 minus one is above every limit.
            let next = b.iadd_imm(old, u64::MAX);
            let stays = b.alu(AluOp::ult, &[next, first]);
            b.alu(AluOp::bcsel, &[stays, next, first])
        }
        // The other operations have the name of an ALU opcode that computes the same.
        _ => {
            let alu = AluOp::from_name(op.name()).expect("an atomic is named like its operation");
            b.alu(alu, &[old, first])
        }
    }
}

/// Replaces the value of `pointer.1` bits at `pointer.0` by `update` of it, atomically. Returns the old value.
pub(super) fn compare_exchange_loop(
    b: &mut Builder<'_>,
    target: &Target,
    (pointer, bits): (Def, u8),
    access: u32,
    update: impl FnOnce(&mut Builder<'_>, Def) -> Def,
) -> Def {
    let indices = [(Index::access, access | Access::ATOMIC.bits())];
    let guess = b.intrinsic_with(Intrinsic::load_deref, 1, bits, &[pointer], &indices).def();
    let first = PhiSrc { pred: b.current_block(), def: guess };
    b.begin_loop();
    let old = b.phi(1, bits, &[first, first]);
    let new = update(b, old);
    let indices = [(Index::access, access), (Index::atomic_op, AtomicOp::cmpxchg as u32)];
    let seen = b.intrinsic_with(Intrinsic::deref_atomic_swap, 1, bits, &[pointer, old, new], &indices).def();
    let mut done = b.alu(AluOp::ieq, &[seen, old]);
    if b.shader.stage() == Stage::Fragment {
        let is_helper = match target.has(Feature::shaderDemoteToHelperInvocation) {
            true => Intrinsic::is_helper_invocation,
            false => Intrinsic::load_helper_invocation,
        };
        let is_helper = b.intrinsic(is_helper, 1, 1, &[]).def();
        done = b.alu(AluOp::ior, &[done, is_helper]);
    }
    b.break_if(done);
    b.set_phi_src(old, 1, PhiSrc { pred: b.current_block(), def: seen });
    b.end_loop();
    seen
}
