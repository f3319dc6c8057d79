// SPDX-License-Identifier: MIT

//! Gives inputs and outputs types that are valid in the interface of a stage.
//!
//! **What.** Variables of 16 bits become variables of 32 bits if the target lacks `storageInputOutput16` or operations of 16 bits,
//! and if transform feedback captures them or they are interpolated at a position that the shader computes; loads and stores
//! convert. Built-ins that are signed integers become unsigned ones.
//!
//! **Why.** Numbers of 16 bits in inputs and outputs are a feature of Vulkan; GL's transform feedback writes 32 bits, and
//! instructions like InterpolateAtOffset take 32 bits (GLSL.std.450). A built-in may be read both as a variable and as a system
//! value, and both must have the same type.
//!
//! Before:
//!
//! ```text
//! decl_var shader_out INTERP_MODE_NONE none int layer (VARYING_SLOT_LAYER.x, 4294967295, 0)
//! ...
//! 32     %1 = deref_var &layer (shader_out int)
//! ```
//!
//! After:
//!
//! ```text
//! decl_var shader_out INTERP_MODE_NONE none uint layer (VARYING_SLOT_LAYER.x, 4294967295, 0)
//! ...
//! 32    %1 = deref_var &layer (shader_out uint)
//! ```

use crate::analysis::value_types::leaf;
use crate::entity::SideTable;
use crate::ir::{rewrite, AluFlags, Builder, Def, Edit, Inst, InstKind, Shader, Stage, TypeTable, Var, Variable};
use crate::op::meaning::IntrinsicForm;
use crate::op::{intrinsics_where, slots, AluOp, AluType, Base, Facts, Index, Intrinsic, IntrinsicSet, Modes};
use crate::pass::{Context, Pass};
use crate::target::Feature;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_io_types",
    about: "gives inputs and outputs types that are valid in the interface of a stage",
    facts: Facts::ODD_IO_TYPES,
    run,
    ..Pass::IDLE
};

/// The component types of a variable before and after.
#[derive(Clone, Copy, Debug)]
struct Change {
    old: AluType,
    new: AluType,
}

fn run(shader: &mut Shader, context: &Context) -> bool {
    let has = |feature| context.target.has(feature);
    let has_operations = |base| has(if base == Base::Float { Feature::shaderFloat16 } else { Feature::shaderInt16 });
    let narrow = |base: Base| has(Feature::storageInputOutput16) && has_operations(base);
    let may_be_narrow = [Base::Float, Base::Int].into_iter().any(narrow);
    shader.with_spare(|shader, InterpolationTables { changes, interpolated }: &mut InterpolationTables| {
        changes.clear();
        interpolated.clear();
        if may_be_narrow {
            list_interpolated(shader, interpolated);
        }
        change_types(shader, changes, interpolated, narrow) && {
            change_accesses(shader, changes);
            true
        }
    })
}

/// Tables that are kept for the next shader.
#[derive(Debug, Default)]
struct InterpolationTables {
    changes: Changes,
    /// The variables with interpolation instructions, which cannot have 16 bits.
    interpolated: Vec<Var>,
}

/// The changes of variables.
type Changes = SideTable<Var, Option<Change>>;

/// Changes the types of variables. Returns true if there is one to change. `narrow` is whether numbers of 16 bits with a base may stay.
fn change_types(
    shader: &mut Shader,
    changes: &mut Changes,
    interpolated: &[Var],
    narrow: impl Fn(Base) -> bool,
) -> bool {
    let mut any = false;
    for var in shader.vars.ids() {
        // Transform feedback captures 32-bit words.
        let is_captured = |variable: &Variable| {
            variable.capture.is_some() || variable.mode == Modes::SHADER_OUT && !shader.xfb_info.is_empty()
        };
        let may_be_narrow =
            |variable: &Variable, base| narrow(base) && !is_captured(variable) && !interpolated.contains(&var);
        if let Some(change) = change(shader, &shader.vars[var], may_be_narrow) {
            any = true;
            changes.set(var, Some(change));
            shader.vars[var].ty = shader.types.with_scalars(shader.vars[var].ty, &|_| change.new);
        }
    }
    any
}

/// Updates the derefs of the changed variables, and their accesses.
fn change_accesses(shader: &mut Shader, changes: &Changes) {
    rewrite(shader, |b, inst| {
        let data = b.shader.insts[inst];
        match data.kind {
            InstKind::Deref(_) => {
                if let Some(change) = b.shader.deref_var(inst.def()).and_then(|var| changes[var]) {
                    let retype = |ty, types: &mut TypeTable| types.with_scalars(ty, &|_| change.new);
                    b.shader.change_deref(inst, |deref, types| deref.ty = retype(deref.ty, types));
                }
                Edit::Keep
            }
            InstKind::Intrinsic { .. } => lower_access(b, inst, changes),
            _ => Edit::Keep,
        }
    });
}

fn list_interpolated(shader: &Shader, vars: &mut Vec<Var>) {
    if shader.inventory().has_some(&INTERPOLATE) {
        for inst in &shader.order {
            let Some((_, srcs)) = shader.as_intrinsic(*inst).filter(|(op, _)| INTERPOLATE.contains(*op)) else {
                continue;
            };
            vars.extend(srcs.first().and_then(|pointer| shader.deref_var(*pointer)));
        }
    }
}

/// Interpolation of an input at a place of the shader's choice.
static INTERPOLATE: IntrinsicSet = intrinsics_where!(|info, meaning| meaning.sampling.is_some()
    && info.pointers == 1
    && !matches!(info.form, IntrinsicForm::Untranslated));

/// The change that a variable needs, if any. Most are of 32-bit floats.
fn change(shader: &Shader, variable: &Variable, may_be_narrow: impl Fn(&Variable, Base) -> bool) -> Option<Change> {
    if !variable.mode.intersects(Modes::SHADER_IN | Modes::SHADER_OUT) {
        return None;
    }
    let types = &shader.types;
    let old = match types.as_vector(variable.ty) {
        Some((scalar, _)) => scalar,
        None => leaf(types, variable.ty)?,
    };
    if old.bits > 16 && old.base != Base::Int {
        return None;
    }
    if types.as_struct(types.without_arrays(variable.ty)).is_some() {
        return None;
    }
    let (stage, is_output) = (shader.stage(), variable.mode == Modes::SHADER_OUT);
    let fragment_input = stage == Stage::Fragment && !is_output;
    let is_builtin = variable
        .location
        .is_some_and(|slot| slots::builtin(stage.slot_kind(is_output), slot, fragment_input).is_some());
    let mut new = old;
    if old.bits == 8 || old.bits == 16 && (is_builtin || !may_be_narrow(variable, old.base)) {
        new.bits = 32;
    }
    if is_builtin && old.base == Base::Int {
        new.base = Base::Uint;
    }
    (new != old).then_some(Change { old, new })
}

fn lower_access(b: &mut Builder<'_>, inst: Inst, changes: &Changes) -> Edit {
    let Some((op, srcs)) = b.shader.as_intrinsic(inst) else { return Edit::Keep };
    let Some(var) = srcs.first().and_then(|pointer| b.shader.deref_var(*pointer)) else { return Edit::Keep };
    let Some(change) = changes[var].filter(|change| change.old.bits != change.new.bits) else { return Edit::Keep };
    let (pointer, other) = (srcs[0], srcs.get(1).copied());
    let n = b.shader.insts[inst].num_components;
    match op {
        Intrinsic::store_deref => {
            let Some(value) = other else { return Edit::Keep };
            let wide = convert(b, value, change.new);
            b.store_deref(pointer, wide, b.shader.index(inst, Index::write_mask), b.shader.index(inst, Index::access));
            Edit::Remove
        }
        Intrinsic::load_deref => {
            let wide = b.load_deref(pointer, b.shader.index(inst, Index::access));
            Edit::Replace(convert(b, wide, change.old))
        }
        _ if INTERPOLATE.contains(op) => {
            let srcs = [pointer, other.unwrap_or(pointer)];
            let wide = b.intrinsic(op, n, change.new.bits, &srcs[..op.info().srcs.len()]).def();
            Edit::Replace(convert(b, wide, change.old))
        }
        _ => Edit::Keep,
    }
}

/// `value`, whose numbers have the base type of `ty`, converted to the width of `ty`.
fn convert(b: &mut Builder<'_>, value: Def, ty: AluType) -> Def {
    let op = match (ty.base, ty.bits) {
        (Base::Float, 16) => AluOp::f2f16,
        (Base::Float, _) => AluOp::f2f32,
        (Base::Int, 8) => AluOp::i2i8,
        (Base::Int, 16) => AluOp::i2i16,
        (Base::Int, _) => AluOp::i2i32,
        (_, 8) => AluOp::u2u8,
        (_, 16) => AluOp::u2u16,
        _ => AluOp::u2u32,
    };
    let n = b.shader.num_components(value);
    b.alu_with(op, AluFlags::empty(), &[value.into()], Some((n, ty.bits)))
}
