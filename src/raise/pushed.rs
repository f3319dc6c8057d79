// SPDX-License-Identifier: MIT

//! Loads of push constants by byte offset, where a member is a matrix in row-major order: SPIR-V has no type for a column of one.

use super::place::{component_step, Place};
use crate::analysis::block_table::{component_bytes, size_of};
use crate::error::Errors;
use crate::ir::{rewrite, Builder, Def, Edit, Inst, InstKind, Shader};
use crate::op::{zink, Facts, Index, Intrinsic, Modes};
use crate::report::Report;

/// Whether the push constants may have such a member. zink's have none.
pub(super) fn is_needed(shader: &Shader) -> bool {
    let is_others = || {
        let mut pushed = shader.vars.values().filter(|variable| variable.mode == Modes::PUSH_CONST);
        pushed.all(|variable| shader.strings[variable.name] != *zink::PUSH_CONSTANTS)
    };
    shader.types.has_strided() && shader.inventory().may_have(Facts::derefs(Modes::PUSH_CONST)) && is_others()
}

pub(super) fn raise(shader: &mut Shader) -> Result<(), Errors> {
    if !is_needed(shader) {
        return Ok(());
    }
    let mut report = Report::unsupported(shader);
    for inst in &shader.order {
        if let Some((_, Err(why))) = loaded(shader, *inst) {
            report.at(*inst, why);
        }
    }
    report.finish()?;
    rewrite(shader, |b, inst| match b.shader.insts[inst].kind {
        InstKind::Deref(deref) if b.shader.derefs[deref].modes == Modes::PUSH_CONST => Edit::Remove,
        _ => match loaded(b.shader, inst) {
            Some((pointer, Ok(place))) => Edit::Replace(load(b, inst, pointer, &place)),
            _ => Edit::Keep,
        },
    });
    Ok(())
}

/// The pointer and the place that `inst` loads from the push constants.
fn loaded(shader: &Shader, inst: Inst) -> Option<(Def, Result<Place, String>)> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    let deref = srcs.iter().find(|src| shader.as_deref(**src).is_some_and(|deref| deref.modes == Modes::PUSH_CONST))?;
    let place = Place::new(shader, *deref)?;
    let is_load = op == Intrinsic::load_deref;
    Some((*deref, place.and_then(|place| is_load.then_some(place).ok_or("push constants are only loaded".into()))))
}

fn load(b: &mut Builder<'_>, inst: Inst, pointer: Def, place: &Place) -> Def {
    let (count, bits) = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
    let bytes = b.shader.as_deref(pointer).and_then(|deref| b.shader.types.as_vector(deref.ty));
    let bytes = bytes.map_or(4, |(scalar, _)| component_bytes(scalar));
    let step = component_step(b.shader, pointer, bytes);
    let base = place.bytes(b);
    let range = size_of_pushed(b.shader);
    let indices = [(Index::range, range), (Index::align_mul, bytes)];
    match step == bytes {
        true => b.intrinsic_with(Intrinsic::load_push_constant, count, bits, &[base], &indices).def(),
        false => b.vec_of(count, |b, component| {
            let at = b.iadd_imm(base, u64::from(component) * u64::from(step));
            b.intrinsic_with(Intrinsic::load_push_constant, 1, bits, &[at], &indices).def()
        }),
    }
}

/// The bytes of the push constants.
fn size_of_pushed(shader: &Shader) -> u32 {
    let pushed = shader.vars.values().filter(|variable| variable.mode == Modes::PUSH_CONST);
    pushed.filter_map(|variable| size_of(shader, variable.ty)).max().unwrap_or(0) as u32
}
