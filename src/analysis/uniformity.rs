// SPDX-License-Identifier: MIT

//! Values that are dynamically uniform: the same in all invocations of a draw or a workgroup that compute them together.
//!
//! ```text
//! 32     %1 = @load_ubo (%0, %0) (...)      uniform: its address is
//! 32     %2 = @load_vertex_id               not uniform
//! 32     %3 = iadd %1, %2                   not uniform: a source is not
//! ```
//!
//! A phi merges ways of invocations. After an `if` it is uniform if the condition and its sources are. In a loop that some
//! invocations leave earlier than others, or of which they skip a part, phis at its start and its end are not.

use crate::entity::SideTable;
use crate::ir::{Cf, Def, Inst, InstKind, Shader};
use crate::op::Intrinsic;

/// Intrinsics with one value for a draw or a workgroup.
const UNIFORM: &[Intrinsic] = {
    use Intrinsic::*;
    &[
        load_workgroup_id,
        load_num_workgroups,
        load_workgroup_size,
        load_is_indexed_draw,
        load_ubo,
        load_ubo_vec4,
        load_push_constant,
    ]
};

/// Whether each value may differ between invocations.
#[derive(Debug)]
pub struct Divergence {
    differs: SideTable<Def, bool>,
}

impl Divergence {
    /// Analyses `shader`.
    pub fn new(shader: &Shader) -> Divergence {
        let mut found = Divergence { differs: shader.def_table(false) };
        // A value that was found to differ may make phis of loops differ, which are before it.
        while found.walk(shader) {}
        found
    }

    /// Whether `def` may differ between invocations.
    pub fn of(&self, def: Def) -> bool {
        self.differs[def]
    }

    /// Looks at all instructions once. Returns true if another value differs.
    fn walk(&mut self, shader: &Shader) -> bool {
        let mut changed = false;
        let mut open: Vec<Scope> = Vec::new();
        // Whether invocations take different ways to the phis of the next block.
        let mut merges = false;
        for (at, cf) in shader.cf.iter().enumerate() {
            match *cf {
                Cf::Block(block) => {
                    for inst in shader.block_insts(block) {
                        changed |= self.visit(shader, *inst, merges);
                    }
                    merges = false;
                }
                Cf::If { cond, .. } => open.push(Scope { is_loop: false, differs: self.differs[cond] }),
                Cf::Loop => {
                    merges = self.loop_differs(shader, at);
                    open.push(Scope { is_loop: true, differs: merges });
                }
                Cf::EndIf | Cf::EndLoop => merges = open.pop().is_some_and(|scope| scope.differs),
                Cf::Else | Cf::Continue => {}
            }
        }
        changed
    }

    /// Whether a jump of the loop that begins at `start` is in an if whose condition differs.
    fn loop_differs(&self, shader: &Shader, start: usize) -> bool {
        let mut open: Vec<Scope> = Vec::new();
        for cf in &shader.cf[start..] {
            match *cf {
                Cf::Loop => open.push(Scope { is_loop: true, differs: false }),
                Cf::If { cond, .. } => open.push(Scope { is_loop: false, differs: self.differs[cond] }),
                Cf::EndIf | Cf::EndLoop => {
                    open.pop();
                    if open.is_empty() {
                        return false;
                    }
                }
                Cf::Block(block) => {
                    let own = open.iter().filter(|scope| scope.is_loop).count() == 1;
                    let mut ifs = open.iter().rev().take_while(|scope| !scope.is_loop);
                    if own && shader.block_jump(block).is_some() && ifs.any(|scope| scope.differs) {
                        return true;
                    }
                }
                Cf::Else | Cf::Continue => {}
            }
        }
        false
    }

    /// Looks at an instruction. Returns true if its value was assumed to be uniform and differs.
    fn visit(&mut self, shader: &Shader, inst: Inst, merges: bool) -> bool {
        let data = &shader.insts[inst];
        if !data.has_def() || self.differs[inst.def()] {
            return false;
        }
        let mut differs = match data.kind {
            InstKind::Alu { .. } | InstKind::Const(_) | InstKind::Deref(_) => false,
            InstKind::Phi(_) => merges,
            InstKind::Intrinsic { op, .. } => !UNIFORM.contains(&op),
            InstKind::Undef | InstKind::Tex(_) | InstKind::Jump(_) => true,
        };
        shader.for_each_src(inst, |src| differs |= self.differs[src]);
        if differs {
            self.differs.set(inst.def(), true);
        }
        differs
    }
}

/// An if or a loop around the current block.
struct Scope {
    is_loop: bool,
    differs: bool,
}
