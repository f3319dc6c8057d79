// SPDX-License-Identifier: MIT

//! Loads of variables of system values become the intrinsics of these values: `SYSTEM_VALUE_FRAG_COORD`, `load_frag_coord`.

use crate::error::Errors;
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Deref, DerefKind, Edit, Inst, InstKind, Shader, Var};
use crate::op::names::system_value;
use crate::op::{AluOp, Facts, Intrinsic, Modes};
use crate::report::Report;

/// Intrinsics that are not called `load_` and the name of the value.
const OTHER_NAMES: &[(&str, Intrinsic)] = &[("VERTICES_IN", Intrinsic::load_patch_vertices_in)];

/// The intrinsic that loads `variable`, if it is a system value.
fn intrinsic_of(shader: &Shader, var: Var) -> Option<Intrinsic> {
    let name = system_value::name(shader.vars[var].location?)?;
    let name = name.strip_prefix("SYSTEM_VALUE_")?;
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == name).map(|(_, op)| *op);
    other.or_else(|| Intrinsic::from_name(&format!("load_{}", name.to_ascii_lowercase())))
}

fn as_system_value(shader: &Shader, pointer: Def) -> Option<&Deref> {
    shader.as_deref(pointer).filter(|deref| deref.modes == Modes::SYSTEM)
}

/// The variable of a deref of it, or of one of its components.
fn place(shader: &Shader, pointer: Def) -> Option<(Var, Option<ArrayIndex>)> {
    match as_system_value(shader, pointer)?.kind {
        DerefKind::Var(var) => Some((var, None)),
        DerefKind::Array { parent, index } => match as_system_value(shader, parent)?.kind {
            DerefKind::Var(var) => Some((var, Some(index))),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn raise(shader: &mut Shader) -> Result<(), Errors> {
    if !shader.inventory().may_have(Facts::derefs(Modes::SYSTEM)) {
        return Ok(());
    }
    let mut report = Report::unsupported(shader);
    shader.order.iter().for_each(|inst| check(&mut report, *inst));
    report.finish()?;
    rewrite(shader, |b, inst| match b.shader.insts[inst].kind {
        InstKind::Deref(_) if as_system_value(b.shader, inst.def()).is_some() => Edit::Remove,
        InstKind::Intrinsic { op: Intrinsic::load_deref, srcs, .. } => {
            let pointer = b.shader.srcs[srcs][0];
            match place(b.shader, pointer) {
                Some((var, index)) => load(b, var, index).map_or(Edit::Keep, Edit::Replace),
                None => Edit::Keep,
            }
        }
        _ => Edit::Keep,
    });
    Ok(())
}

/// Reports an instruction that reads such a variable in another way, or a value without a load.
fn check(report: &mut Report<'_>, inst: Inst) {
    let shader = report.shader;
    let Some((op, srcs)) = shader.as_intrinsic(inst) else { return };
    let Some(pointer) = srcs.iter().find(|src| as_system_value(shader, **src).is_some()) else { return };
    let Some((var, _)) = place(shader, *pointer).filter(|_| op == Intrinsic::load_deref) else {
        return report.at(inst, "a system value is only loaded, as a whole or one component of it");
    };
    if intrinsic_of(shader, var).is_none() {
        let name = shader.vars[var].location.and_then(system_value::name);
        report.at(inst, format_args!("{} is not translated", name.as_deref().unwrap_or("this system value")));
    }
}

/// The value of `var`, or its component at `index`. The only array is the sample mask, of one word.
fn load(b: &mut Builder<'_>, var: Var, index: Option<ArrayIndex>) -> Option<Def> {
    let op = intrinsic_of(b.shader, var)?;
    let ty = b.shader.vars[var].ty;
    let element = b.shader.types.as_array(ty).map_or(ty, |(element, _)| element);
    let (scalar, components) = b.shader.types.as_vector(element)?;
    let value = b.intrinsic(op, components, scalar.bits, &[]).def();
    match index {
        Some(index) if element == ty => Some(component(b, value, index)),
        _ => Some(value),
    }
}

/// Component `index` of a vector: of one that is too large, the last one.
fn component(b: &mut Builder<'_>, value: Def, index: ArrayIndex) -> Def {
    let last = b.shader.num_components(value) - 1;
    match index {
        ArrayIndex::Imm(index) => b.channel(value, index.clamp(0, last.into()) as u8),
        ArrayIndex::Def(index) => {
            let bits = b.shader.bit_size(index);
            (0..last).rev().fold(b.channel(value, last), |other, number| {
                let (number, own) = (b.imm(bits, number.into()), b.channel(value, number));
                let is_own = b.alu(AluOp::ieq, &[index, number]);
                b.alu(AluOp::bcsel, &[is_own, own, other])
            })
        }
    }
}
