// SPDX-License-Identifier: MIT

//! Conditional demotions and terminations become unconditional ones in ifs.
//!
//! **What.** `demote_if` and `terminate_if` become an if around `demote` and `terminate`, and each `terminate` ends its
//! block with a `halt`.
//!
//! **Why.** OpDemoteToHelperInvocation and OpTerminateInvocation take no condition, and the second has to be the last
//! instruction of its block.
//!
//! A `terminate` at the end of a body gets its `halt` there, in place of a jump if there is one; the phis in the target of the
//! jump lose a source. One in the middle, which is rare, is put into an if that is always taken, so that the code after it,
//! which never runs, need not be removed.
//!
//! Before:
//!
//! ```text
//! 1      %1 = @load_front_face
//! @terminate_if (%1)
//! ```
//!
//! After:
//!
//! ```text
//! 1     %1 = @load_front_face
//! // succs: b1 b2
//! if %1 {
//!     block b1:// preds: b0
//!     @terminate
//!     halt
//!     // succs: b7
//! } else {
//!     block b2:  // preds: b0, succs: b3
//! }
//! ```

use crate::entity::SideTable;
use crate::ir::{rewrite, Block, Builder, Cf, Def, Edit, Inst, InstKind, Jump, Shader};
use crate::op::{Facts, Intrinsic};
use crate::pass::{Context, Pass};

/// The pass.
pub const PASS: Pass = Pass {
    name: "lower_discard_if",
    about: "puts conditional discards into ifs and ends blocks that terminate",
    facts: Facts::TERMINATIONS.union(Facts::CONDITIONAL_DISCARDS),
    removes: Facts::CONDITIONAL_DISCARDS,
    is_tidy: true,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    let ends = collect_terminations(shader);
    rewrite(shader, |builder, inst| match (ends[inst], builder.shader.as_intrinsic(inst)) {
        (End::Kept, _) => Edit::Keep,
        (End::Jump, _) => Edit::Remove,
        (End::Terminate, _) => {
            terminate(builder);
            Edit::Remove
        }
        (End::None, Some((Intrinsic::terminate, _))) => {
            let always = builder.imm(1, 1);
            only_if(builder, always, terminate);
            Edit::Remove
        }
        (End::None, Some((Intrinsic::terminate_if, &[cond]))) => {
            only_if(builder, cond, terminate);
            Edit::Remove
        }
        (End::None, Some((Intrinsic::demote_if, &[cond]))) => {
            only_if(builder, cond, |builder| {
                builder.intrinsic(Intrinsic::demote, 0, 0, &[]);
            });
            Edit::Remove
        }
        (End::None, _) => Edit::Keep,
    })
}

/// The role of an instruction at the end of its body.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Nothing.
    None,
    /// Already in the form that the pass makes.
    Kept,
    /// A termination at the end.
    Terminate,
    /// The jump after the termination.
    Jump,
}

/// Finds the terminations at the end of a body, and removes the sources for these blocks from the phis.
fn collect_terminations(shader: &mut Shader) -> SideTable<Inst, End> {
    let mut ends = SideTable::new(End::None);
    let mut ended = SideTable::new(false);
    for (at, item) in shader.cf.iter().enumerate() {
        let Cf::Block(block) = *item else { continue };
        let insts = shader.block_insts(block);
        let jump = shader.block_jump(block);
        let (before, rest) = insts.split_at(insts.len() - usize::from(jump.is_some()));
        let ends_body = jump.is_some() || !matches!(shader.cf.get(at + 1), Some(Cf::If { .. } | Cf::Loop));
        let Some(last) = before.last().filter(|last| ends_body && is_terminate(shader, **last)) else { continue };
        let kept = jump == Some(Jump::Halt);
        ends.set(*last, if kept { End::Kept } else { End::Terminate });
        rest.iter().for_each(|jump| ends.set(*jump, if kept { End::Kept } else { End::Jump }));
        ended.set(block, true);
    }
    remove_phi_srcs(shader, &ended);
    ends
}

fn is_terminate(shader: &Shader, inst: Inst) -> bool {
    matches!(shader.as_intrinsic(inst), Some((Intrinsic::terminate, _)))
}

/// Removes the sources for `ended` blocks from all phis. A phi without sources is undefined.
fn remove_phi_srcs(shader: &mut Shader, ended: &SideTable<Block, bool>) {
    for at in 0..shader.order.len() {
        let inst = shader.order[at];
        let Some(srcs) = shader.phi(inst).filter(|srcs| srcs.iter().any(|src| ended[src.pred])) else { continue };
        let kept: Vec<_> = srcs.iter().copied().filter(|src| !ended[src.pred]).collect();
        let kind = match kept.is_empty() {
            true => InstKind::Undef,
            false => InstKind::Phi(shader.phi_srcs.push(&kept)),
        };
        shader.set_kind(inst, kind);
    }
}

fn only_if(builder: &mut Builder<'_>, cond: Def, then: impl FnOnce(&mut Builder<'_>)) {
    builder.begin_if(cond);
    then(builder);
    builder.begin_else();
    builder.end_if();
}

fn terminate(builder: &mut Builder<'_>) {
    builder.intrinsic(Intrinsic::terminate, 0, 0, &[]);
    builder.inst(0, 0, InstKind::Jump(Jump::Halt));
}
