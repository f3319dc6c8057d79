// SPDX-License-Identifier: MIT

//! The validator: it collects all problems of a shader and does not stop at the first.
//!
//! [`validate`] checks the rules of NIR, [`supported`] checks that the target and this crate support the shader. A message begins
//! with the instruction as a dump writes it, and the error's place is the instruction's line:
//!
//! ```text
//! line 41: `%12 = fadd`: source 1 has 16 bits, but source 0 has 32
//! ```
//!
//! [`Checker::check_valid`] skips `validate`, for a caller that guarantees a valid shader.
//!
//! The list below has the rules of `validate`, by the file that checks them. The checks after `structure` rely on a valid control
//! flow list; passes and the emitter rely on all rules.
//!
//! - `structure`: the control flow list has the invariants of [`ir`](crate::ir). The ranges of the blocks divide the program
//!   order without gaps. An instruction is in one block, once. A jump is the last instruction of its block. `break` and
//!   `continue` are in a loop's body; no jump leaves a continue construct.
//! - `ssa`: the definition of a value dominates its uses, a phi's source the end of its predecessor; in unreachable code the
//!   definition is above the use. Phis are at the start of their block and have one source for each predecessor, of their
//!   own size. The condition of an if is one 1-bit component.
//! - `shape`: an instruction has a result if its opcode has one; results have 1 to 5, 8 or 16 components of 1, 8, 16, 32 or
//!   64 bits. Constants have as many components as their result, and no bits above their width.
//! - `alu`: an instruction has as many sources as the opcode's row; swizzles select components that exist; widths are those
//!   of the row, and free widths are all equal; floats do not have 1 or 8 bits.
//! - `intrinsic`: sources, result and indices are those of the row; index values are in range; masks are within the value;
//!   alignments are powers of two and offsets below them. Registers are read and written through their `decl_reg`, which is
//!   in the first block, with its size.
//! - `stage`: the stage of the shader has the intrinsic.
//! - `io`: slots exist in the stage and direction; components fit their slot.
//! - `deref`: a deref fits the type and the modes of its parent; loads and stores fit the type; no instruction writes
//!   read-only memory.
//! - `tex`: each source occurs once, has a possible size, and belongs to the operation.
//! - `variable`: a variable has one mode; types are finite and have a bounded depth.

mod alu;
mod block_picks;
mod captures;
mod deref;
mod doubts;
mod feature_check;
mod features;
mod growth;
mod intrinsic;
mod io;
mod kernels;
mod push_constants;
mod shape;
mod ssa;
mod stage;
mod stores;
mod structure;
mod subgroups;
mod support;
mod tex;
mod textures;
mod variable;

#[cfg(test)]
mod tests;

pub(crate) use captures::refused_captures;

use crate::analysis::cfg::Cfg;
use crate::analysis::value_types::ValueTypes;
use crate::error::Errors;
use crate::ir::{Inst, InstKind, Shader};
use crate::raise;
use crate::report::Report;
use crate::target::Target;

/// Checks the rules of NIR. At most a hundred problems are reported.
pub fn validate(shader: &Shader) -> Result<(), Errors> {
    Checker::default().validate(shader)
}

/// Checks that ntv can translate the shader for `target`, which has all features that the shader needs. The shader must be
/// valid.
pub fn supported(shader: &Shader, target: &Target) -> Result<(), Errors> {
    let mut checker = Checker::default();
    if raise::is_needed(shader) {
        let mut raised = shader.clone();
        raise::raise(&mut raised, &target.descriptors)?;
        return checker.supported(&raised, target);
    }
    checker.supported(shader, target)
}

/// Checks shaders, one after the other, with the memory of one reused for the next.
#[derive(Debug, Default)]
pub struct Checker {
    types: variable::TypeWalk,
    list: structure::ListWalk,
    uses: ssa::UseTables,
    cfg: Cfg,
    value_types: ValueTypes,
}

impl Checker {
    /// [`validate`], then [`supported`].
    pub fn check(&mut self, shader: &Shader, target: &Target) -> Result<(), Errors> {
        self.validate(shader)?;
        let result = self.supported(shader, target);
        debug_assert!(result.is_ok() || doubts::has_doubts(shader, target), "no doubt about {result:?}");
        result
    }

    /// Checks a shader that is known to obey the rules of NIR as [`check`](Checker::check) does: the instructions of most shaders are
    /// not checked. Types that are too large are an error here too, because NIR does not limit them. Debug builds check
    /// everything.
    pub fn check_valid(&mut self, shader: &Shader, target: &Target) -> Result<(), Errors> {
        if cfg!(debug_assertions) {
            return self.check(shader, target);
        }
        match variable::has_small_types(&shader.types) && !doubts::has_doubts(shader, target) {
            true => Ok(()),
            false => self.check_closely(shader, target),
        }
    }

    #[cold]
    #[inline(never)]
    fn check_closely(&mut self, shader: &Shader, target: &Target) -> Result<(), Errors> {
        let mut report = Report::invalid(shader);
        variable::check_types(&mut report, &mut self.types);
        report.finish()?;
        self.supported(shader, target)
    }

    /// Checks the rules of NIR, as [`validate`] does.
    pub fn validate(&mut self, shader: &Shader) -> Result<(), Errors> {
        let mut report = Report::invalid(shader);
        variable::check(&mut report, &mut self.types);
        stage::check_modes(&mut report);
        if structure::check(&mut report, &mut self.list) {
            structure::check_instructions_once(&mut report, &mut self.list);
            structure::check_jumps(&mut report, &mut self.list);
            self.cfg.build(shader);
            ssa::check(&mut report, &self.cfg, &mut self.uses);
            intrinsic::check_decl_regs(&mut report);
            shader.order.iter().for_each(|inst| check_instruction(&mut report, *inst));
        }
        report.finish()
    }

    /// Checks what the target must have, as [`supported`] does, for a shader that [`raise`] leaves as it is.
    pub fn supported(&mut self, shader: &Shader, target: &Target) -> Result<(), Errors> {
        support::check(shader, target, &mut self.value_types)
    }
}

/// Checks one instruction.
fn check_instruction(report: &mut Report<'_>, inst: Inst) {
    let shader = report.shader;
    let data = &shader.insts[inst];
    // The rules of each kind would only report a wrong shape again.
    if !shape::check(report, inst, data) {
        return;
    }
    match data.kind {
        InstKind::Alu { op, srcs, .. } => alu::check(report, inst, data, op, &shader.alu_srcs[srcs]),
        InstKind::Const(values) => shape::check_const(report, inst, data, &shader.consts[values]),
        InstKind::Deref(deref) => deref::check(report, inst, data, &shader.derefs[deref]),
        InstKind::Intrinsic { op, srcs, indices } => {
            intrinsic::check(report, inst, data, op, &shader.srcs[srcs], &shader.indices[indices]);
        }
        InstKind::Tex(tex) => tex::check(report, inst, &shader.texs[tex]),
        InstKind::Undef | InstKind::Phi(_) | InstKind::Jump(_) => {}
    }
}
