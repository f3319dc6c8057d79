//! GL's one colour for all draw buffers becomes an output for each of them.
//!
//! **What.** A store to the variable of `FRAG_RESULT_COLOR` becomes a store to each of `FRAG_RESULT_DATA0` and those behind
//! it, as many as [`Target::max_draw_buffers`](crate::target::Target) says; with dual-source blending, to the first.
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

use super::{Context, Forms, Pass};
use crate::ir::{rewrite, Builder, Def, DerefKind, Edit, Shader, Stage, Var, Variable};
use crate::op::names::frag_result;
use crate::op::{Index, Intrinsic, Modes};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_frag_color",
    about: "gl_FragColor becomes an output for each draw buffer",
    removes: Forms::empty(),
    run,
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    let is_color = |v: &Variable| v.mode == Modes::SHADER_OUT && v.location == Some(frag_result::COLOR);
    if shader.stage() != Stage::Fragment || !shader.vars.values().any(is_color) {
        return false;
    }
    let is_dual = shader.vars.values().any(|v| v.mode == Modes::SHADER_OUT && v.index != 0);
    let count = if is_dual { 1 } else { context.target.max_draw_buffers };
    let colors: Vec<Var> = shader.vars.ids().filter(|var| is_color(&shader.vars[*var])).collect();
    let buffers: Vec<(Var, Vec<Var>)> = colors.into_iter().map(|var| (var, declare(shader, var, count))).collect();
    rewrite(shader, |b, inst| {
        let Some((op, srcs)) = b.shader.as_intrinsic(inst) else { return Edit::Keep };
        let Some((pointer, more)) = srcs.split_first() else { return Edit::Keep };
        let (pointer, value) = (*pointer, more.first().copied());
        let root = b.shader.deref_var(pointer);
        let Some((_, outputs)) = buffers.iter().find(|(color, _)| Some(*color) == root) else { return Edit::Keep };
        match (op, value) {
            (Intrinsic::store_deref, Some(value)) => {
                let mask = b.shader.index(inst, Index::write_mask);
                for output in outputs {
                    let at = same_place(b, pointer, *output);
                    b.store_deref(at, value, mask, 0);
                }
                Edit::Remove
            }
            (Intrinsic::load_deref, None) => {
                let at = same_place(b, pointer, outputs[0]);
                Edit::Replace(b.load_deref(at, 0))
            }
            _ => Edit::Keep,
        }
    })
}

/// Declares an output like `var` for each of the first `count` draw buffers.
fn declare(shader: &mut Shader, var: Var, count: u32) -> Vec<Var> {
    let mut name = String::from(&shader.strings[shader.vars[var].name]);
    let stem = name.len();
    let declare_one = |buffer: u32| {
        name.truncate(stem);
        // Formatting takes longer, and Vulkan drivers have eight buffers.
        let digit = char::from_digit(buffer, 10);
        match digit {
            Some(digit) => name.extend(['[', digit, ']']),
            None => name += &format!("[{buffer}]"),
        }
        let name = shader.strings.intern(&name);
        let location = Some(frag_result::DATA0 + buffer);
        shader.vars.push(Variable { name, location, driver_location: buffer, ..shader.vars[var].clone() })
    };
    (0..count.max(1)).map(declare_one).collect()
}

/// A pointer to the part of `var` that `pointer` points to within its variable.
fn same_place(b: &mut Builder<'_>, pointer: Def, var: Var) -> Def {
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
