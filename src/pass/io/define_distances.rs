// SPDX-License-Identifier: MIT

//! Gives each element of the clip and cull distances a value.
//!
//! **What.** Elements that are not certainly stored are 0 at the beginning of the shader and, in a geometry shader, after each
//! vertex, whose emission leaves outputs undefined. A control shader has those of its own vertex. A mesh shader keeps its gaps: no
//! vertex is its own.
//!
//! **Why.** GL ignores the distances that the application has not enabled, so a shader may leave gaps. Vulkan clips and culls by
//! every element of the arrays; a distance of 0 is inside (Vulkan, "Primitive Clipping").
//!
//! Before:
//!
//! ```text
//! decl_var shader_out INTERP_MODE_NONE none float[2] clip (VARYING_SLOT_CLIP_DIST0.xyzw, 4294967295, 0) compact
//! ...
//! 32     %1 = deref_var &clip (shader_out float[2])
//! 32     %2 = deref_array &(*%1)[1] (shader_out float)  // &clip[1]
//! @store_deref (%2, %0) (wrmask=x, access=none)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %1 = deref_var &clip (shader_out float[2])
//! 32    %2 = deref_array &(*%1)[0] (shader_out float)  // &clip[0]
//! @store_deref (%2, %0 (0.000000)) (wrmask=x, access=none)
//! ```

use crate::analysis::distances::{array_of, variable_length};
use crate::ir::{
    rewrite_cf, ArrayIndex, Block, Builder, Cf, DerefKind, Edit, Inst, InstKind, Jump, Rewriter, Shader, Stage, Var,
};
use crate::op::{Facts, Index, Intrinsic, Modes};
use crate::pass::{Context, Pass};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "define_distances",
    about: "gives each element of the clip and cull distances a value",
    facts: Facts::DISTANCES,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    let stage = shader.stage();
    if stage == Stage::Mesh {
        return false;
    }
    let kind = shader.stage().slot_kind(true);
    let mut gaps = Vec::new();
    for (var, variable) in shader.vars.iter().filter(|(_, variable)| variable.mode == Modes::SHADER_OUT) {
        let is_distance = variable.location.is_some_and(|slot| array_of(kind, slot).is_some());
        if is_distance && is_stored(shader, var) {
            let all = (1u64 << variable_length(shader, variable).min(32)) - 1;
            let elements = all as u32 & !certain(shader, var);
            let per_vertex = stage.is_per_vertex(true, variable.location.unwrap_or(0));
            // Most shaders store all elements: then nothing is allocated.
            if elements != 0 {
                gaps.push(Gaps { var, elements, per_vertex });
            }
        }
    }
    !gaps.is_empty() && rewrite_cf(shader, &mut Definer { gaps, has_begun: false })
}

/// The elements of an output that may be undefined, a bit for each.
struct Gaps {
    var: Var,
    elements: u32,
    per_vertex: bool,
}

struct Definer {
    gaps: Vec<Gaps>,
    has_begun: bool,
}

impl Rewriter for Definer {
    fn enter(&mut self, b: &mut Builder<'_>, _: Block) {
        if !self.has_begun {
            self.has_begun = true;
            self.define(b);
        }
    }

    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        if !matches!(b.shader.as_intrinsic(inst), Some((Intrinsic::emit_vertex, _))) {
            return Edit::Keep;
        }
        let stream = b.shader.index(inst, Index::stream_id);
        b.intrinsic_with(Intrinsic::emit_vertex, 0, 0, &[], &[(Index::stream_id, stream)]);
        self.define(b);
        Edit::Remove
    }
}

impl Definer {
    /// Stores 0 to all gaps.
    fn define(&self, b: &mut Builder<'_>) {
        let zero = b.imm32(0);
        for Gaps { var, elements, per_vertex } in &self.gaps {
            let mut array = b.deref_var(*var);
            if *per_vertex {
                let own = b.intrinsic(Intrinsic::load_invocation_id, 1, 32, &[]).def();
                array = b.deref_array(array, ArrayIndex::Def(own));
            }
            for element in (0..32).filter(|element| elements >> element & 1 != 0) {
                let pointer = b.deref_array(array, ArrayIndex::Imm(element));
                b.store_deref(pointer, zero, 1, 0);
            }
        }
    }
}

/// The variable and the element of a store; no element if the index is dynamic.
fn stored(shader: &Shader, inst: Inst) -> Option<(Var, Option<u32>)> {
    let (Intrinsic::store_deref, [pointer, _]) = shader.as_intrinsic(inst)? else { return None };
    let DerefKind::Array { index, .. } = shader.as_deref(*pointer)?.kind else { return None };
    Some((shader.deref_var(*pointer)?, shader.as_const_index(index).filter(|index| *index < 32)))
}

fn is_stored(shader: &Shader, var: Var) -> bool {
    shader.order.iter().any(|inst| stored(shader, *inst).is_some_and(|(stored, _)| stored == var))
}

/// The elements of `var` that are certainly stored, a bit for each: before the shader ends, or before each vertex of a geometry
/// shader in the block of its emission.
fn certain(shader: &Shader, var: Var) -> u32 {
    let is_geometry = shader.stage() == Stage::Geometry;
    let (mut depth, mut may_have_ended) = (0, false);
    let (mut of_shader, mut of_vertices) = (0, u32::MAX);
    for item in &shader.cf {
        let block = match item {
            Cf::If { .. } | Cf::Loop => {
                depth += 1;
                continue;
            }
            Cf::EndIf | Cf::EndLoop => {
                depth -= 1;
                continue;
            }
            Cf::Else | Cf::Continue => continue,
            Cf::Block(block) => *block,
        };
        let mut of_block = 0;
        for inst in shader.block_insts(block) {
            match (stored(shader, *inst), shader.insts[*inst].kind) {
                (Some((stored, Some(element))), _) if stored == var => of_block |= 1 << element,
                (_, InstKind::Intrinsic { op: Intrinsic::emit_vertex, .. }) => {
                    of_vertices &= of_block;
                    of_block = 0;
                }
                (_, InstKind::Jump(Jump::Return | Jump::Halt)) => may_have_ended = true,
                _ => {}
            }
        }
        if depth == 0 && !may_have_ended {
            of_shader |= of_block;
        }
    }
    if is_geometry {
        of_vertices
    } else {
        of_shader
    }
}
