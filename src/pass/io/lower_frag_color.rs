// SPDX-License-Identifier: MIT

//! Turns GL's single colour for all draw buffers into an output for each of them.
//!
//! **What.** A store to the variable of `FRAG_RESULT_COLOR` becomes a store to each of `FRAG_RESULT_DATA0` and the following
//! ones, [`Target::max_draw_buffers`](crate::target::Target) in total; with dual-source blending, only to the first.
//!
//! **Why.** `gl_FragColor` is written to every draw buffer (GL 4.6, 15.2.3); a Vulkan output has one Location.
//!
//! Before:
//!
//! ```text
//! 32     %1 = deref_var &gl_FragColor (shader_out vec4)
//! @store_deref (%1, %0) (wrmask=xyzw, access=none)
//! ```
//!
//! After:
//!
//! ```text
//! 32     %2 = deref_var &gl_FragColor[0] (shader_out vec4)
//! @store_deref (%2, %0) (wrmask=xyzw, access=none)
//! 32     %3 = deref_var &gl_FragColor[1] (shader_out vec4)
//! @store_deref (%3, %0) (wrmask=xyzw, access=none)
//! ```

use crate::entity::Id;
use crate::ir::{rewrite, Builder, Def, DerefKind, Edit, Inst, Shader, Stage, Var, Variable};
use crate::op::names::{frag_result, push_number, IoSemantics};
use crate::op::{Facts, Index, Intrinsic, Modes};
use crate::pass::{Context, Pass};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_frag_color",
    about: "turns gl_FragColor into an output for each draw buffer",
    facts: Facts::FRAG_COLOR,
    is_tidy: true,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    let is_fragment = shader.stage() == Stage::Fragment;
    let is_color = |v: &Variable| is_fragment && v.mode == Modes::SHADER_OUT && v.location == Some(frag_result::COLOR);
    let is_dual = shader.vars.values().any(|v| v.mode == Modes::SHADER_OUT && v.index != 0);
    let count = if is_dual { 1 } else { context.target.max_draw_buffers };
    shader.with_spare(|shader, tables: &mut OutputTables| {
        tables.outputs.clear();
        for index in 0..shader.vars.len() {
            let var = Var::from_index(index);
            if is_color(&shader.vars[var]) {
                tables.declare(shader, var, count);
            }
        }
        rewrite(shader, |b, inst| lower(b, inst, &tables.outputs));
        // Outputs may have been declared without being written.
        !tables.outputs.is_empty()
    })
}

/// Tables that are kept for the next shader.
#[derive(Debug, Default)]
struct OutputTables {
    /// The variables of a single colour, each with one of its replacements.
    outputs: Vec<(Var, Var)>,
    name: String,
}

impl OutputTables {
    /// Declares an output like `color` for each of the first `count` draw buffers.
    fn declare(&mut self, shader: &mut Shader, color: Var, count: u32) {
        let OutputTables { outputs, name } = self;
        name.clear();
        name.push_str(&shader.strings[shader.vars[color].name]);
        let stem = name.len();
        for buffer in 0..count.max(1) {
            name.truncate(stem);
            name.push('[');
            push_number(name, buffer);
            name.push(']');
            let name = shader.strings.add(name);
            let location = Some(frag_result::DATA0 + buffer);
            let output = Variable { name, location, driver_location: buffer, ..shader.vars[color].clone() };
            outputs.push((color, shader.declare(output)));
        }
    }
}

fn lower(b: &mut Builder<'_>, inst: Inst, outputs: &[(Var, Var)]) -> Edit {
    let Some((op, srcs)) = b.shader.as_intrinsic(inst) else { return Edit::Keep };
    match op {
        Intrinsic::store_output => return lower_slot(b, inst, [srcs[0], srcs[1]], outputs),
        Intrinsic::store_deref | Intrinsic::load_deref => {}
        _ => return Edit::Keep,
    }
    let (pointer, value) = (srcs[0], srcs.get(1).copied());
    let Some(root) = b.shader.deref_var(pointer) else { return Edit::Keep };
    let mut outputs = outputs.iter().filter(|(color, _)| *color == root).map(|(_, output)| *output).peekable();
    let Some(first) = outputs.peek().copied() else { return Edit::Keep };
    match (op, value) {
        (Intrinsic::store_deref, Some(value)) => {
            let mask = b.shader.index(inst, Index::write_mask);
            for output in outputs {
                let at = same_place(b, pointer, output);
                b.store_deref(at, value, mask, 0);
            }
            Edit::Remove
        }
        _ => {
            let at = same_place(b, pointer, first);
            Edit::Replace(b.load_deref(at, 0))
        }
    }
}

/// Stores to the slot of each of `outputs` what `inst` stores to that of the colour.
fn lower_slot(b: &mut Builder<'_>, inst: Inst, srcs: [Def; 2], outputs: &[(Var, Var)]) -> Edit {
    let semantics = b.shader.index(inst, Index::io_semantics);
    // Other stages have another output at this slot, and no such colour.
    if outputs.is_empty() || IoSemantics::unpack(semantics).location != frag_result::COLOR {
        return Edit::Keep;
    }
    for (_, output) in outputs {
        let slot = b.shader.vars[*output].location.unwrap_or_default();
        let store = b.intrinsic(Intrinsic::store_output, 0, 0, &srcs);
        for index in Intrinsic::store_output.info().indices {
            let value = b.shader.index(inst, *index);
            b.shader.set_index(store, *index, value);
        }
        b.shader.set_index(
            store,
            Index::io_semantics,
            IoSemantics { location: slot, ..IoSemantics::unpack(semantics) }.pack(),
        );
    }
    Edit::Remove
}

/// A deref of the part of `var` that corresponds to `pointer` in its own variable.
fn same_place(b: &mut Builder<'_>, pointer: Def, var: Var) -> Def {
    // Usually empty, so nothing is allocated.
    let mut steps = Vec::new();
    let mut at = pointer;
    while let Some(deref) = b.shader.as_deref(at).copied() {
        let Some(parent) = deref.kind.parent() else { break };
        steps.push(deref.kind);
        at = parent;
    }
    let root = b.deref_var(var);
    steps.into_iter().rev().fold(root, |parent, step| match step {
        DerefKind::Array { index, .. } => b.deref_array(parent, index),
        DerefKind::Struct { field, .. } => b.deref_struct(parent, field),
        _ => parent,
    })
}
