// SPDX-License-Identifier: MIT

//! Bounds of loop counters: phis that start at a constant, are incremented by a constant, and are compared with one before the
//! loop continues.
//!
//! ```text
//! loop {
//!     block b1:  // preds: b0 b4
//!     32     %3 = phi b0: %0 (0x0), b4: %9        at most 10
//!     1      %4 = ige %3, %1 (0xa)
//!     if %4 {
//!         break
//!     } else { }
//!     ...
//!     32     %9 = iadd %3, %2 (0x1)
//! }
//! ```
//!
//! The loop continues only below the limit, so the phi is at most `limit - 1 + step`, by induction, and never wraps.

use crate::ir::{AluSrc, Block, Cf, Def, InstKind, Jump, Shader};
use crate::op::AluOp;

/// The maximum values of the counters of a shader.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    of: Vec<(Def, u64)>,
}

impl Bounds {
    /// Finds the counters of `shader`, and forgets those of the previous one.
    pub(super) fn find(&mut self, shader: &Shader) {
        self.of.clear();
        for items in shader.cf.windows(6) {
            let [Cf::Loop, Cf::Block(head), Cf::If { cond, .. }, Cf::Block(then), Cf::Else, Cf::Block(otherwise)] =
                *items
            else {
                continue;
            };
            self.of.extend(counter(shader, head, cond, [then, otherwise]));
        }
        self.of.sort_unstable();
    }

    /// The maximum value of `phi`, if it is a counter.
    pub(super) fn of(&self, phi: Def) -> Option<u64> {
        self.of.binary_search_by_key(&phi, |(phi, _)| *phi).ok().map(|at| self.of[at].1)
    }
}

/// The counter of the loop whose first block is `head`, if one of the `sides` of the if on `cond` leaves the loop, and its bound.
fn counter(shader: &Shader, head: Block, cond: Def, sides: [Block; 2]) -> Option<(Def, u64)> {
    let leaves = |block: &Block| shader.block_jump(*block) == Some(Jump::Break);
    let breaks_if_true = sides.iter().position(leaves)? == 0;
    let (op, srcs) = shader.as_alu(cond)?;
    let [a, b] = *srcs else { return None };
    let (phi, limit) = limit(shader, op, (a, b), breaks_if_true)?;
    let InstKind::Phi(srcs) = shader.def(phi).kind else { return None };
    if !is_in(shader, head, phi) {
        return None;
    }
    let most = i64::MAX as u64 >> (64 - shader.bit_size(phi));
    let mut bound = 0;
    for src in &shader.phi_srcs[srcs] {
        let reached = match step(shader, phi, src.def) {
            Some(step) => limit.checked_sub(1)?.checked_add(step)?,
            None => shader.as_const_scalar(src.def)?,
        };
        bound = reached.max(bound);
    }
    // No value is negative, so signed and unsigned comparisons are equivalent.
    (bound <= most).then_some((phi, bound))
}

/// Whether `phi` is a phi of the loop whose first block is `head`: phis of an outer loop are constant while this one runs.
fn is_in(shader: &Shader, head: Block, phi: Def) -> bool {
    let mut phis = shader.block_insts(head).iter().take_while(|inst| shader.phi(**inst).is_some());
    phis.any(|inst| *inst == phi.inst())
}

/// The value and the limit below which the loop continues, if a comparison has them.
fn limit(shader: &Shader, op: AluOp, (a, b): (AluSrc, AluSrc), breaks_if_true: bool) -> Option<(Def, u64)> {
    use AluOp::{ige, ilt, uge, ult};
    match (op, breaks_if_true) {
        // Breaks if a >= limit; continues if a < limit.
        (ige | uge, true) | (ilt | ult, false) => Some((a.def, shader.as_const_src(b)?)),
        // Breaks if limit < b; continues if limit >= b.
        (ilt | ult, true) | (ige | uge, false) => Some((b.def, shader.as_const_src(a)?.checked_add(1)?)),
        _ => None,
    }
}

/// The constant difference of `next` and `phi`, if there is one.
fn step(shader: &Shader, phi: Def, next: Def) -> Option<u64> {
    let (AluOp::iadd, [a, b]) = shader.as_alu(next)? else { return None };
    match (a.def == phi, b.def == phi) {
        (true, false) => shader.as_const_src(*b),
        (false, true) => shader.as_const_src(*a),
        _ => None,
    }
}
