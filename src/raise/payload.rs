// SPDX-License-Identifier: MIT

//! Accesses to the payload of a task shader through derefs become accesses by byte offset.
//!
//! SPIR-V gives a payload no layout, as only task and mesh shaders of one pipeline see it, and their types are the same
//! (SPV_EXT_mesh_shader). Here each member is aligned to its components.

use super::natural::size_of;
use super::place::{Place, Why};
use crate::analysis::block_table::component_bytes;
use crate::error::Errors;
use crate::ir::{rewrite, Builder, Def, Edit, Inst, InstKind, Shader};
use crate::op::{AluOp, AluType, Base, Facts, Index, Intrinsic, Modes};
use crate::report::Report;

pub(super) fn raise(shader: &mut Shader) -> Result<(), Errors> {
    if !shader.inventory().may_have(Facts::derefs(Modes::TASK_PAYLOAD)) {
        return Ok(());
    }
    let mut report = Report::unsupported(shader);
    for inst in &shader.order {
        if let Some((_, Err(why))) = accessed(shader, *inst) {
            report.at(*inst, why);
        }
    }
    let payloads = shader.vars.values().filter(|variable| variable.mode == Modes::TASK_PAYLOAD);
    let bytes = payloads.filter_map(|variable| size_of(shader, variable.ty)).max().unwrap_or(0);
    if bytes > u32::MAX.into() {
        report.whole("the payload has more than 2^32 bytes");
    }
    report.finish()?;
    shader.info.task_payload_size = shader.info.task_payload_size.max(bytes as u32);
    rewrite(shader, |b, inst| match b.shader.insts[inst].kind {
        InstKind::Deref(deref) if b.shader.derefs[deref].modes == Modes::TASK_PAYLOAD => Edit::Remove,
        _ => match accessed(b.shader, inst) {
            Some((scalar, Ok(place))) => access(b, inst, scalar, &place),
            _ => Edit::Keep,
        },
    });
    Ok(())
}

/// The type of the numbers and the place that `inst` accesses, if it accesses the payload.
fn accessed(shader: &Shader, inst: Inst) -> Option<(AluType, Result<Place, Why>)> {
    use Intrinsic::{
        deref_atomic, deref_atomic_swap, launch_mesh_workgroups_with_payload_deref as launch, load_deref, store_deref,
    };
    let (op, srcs) = shader.as_intrinsic(inst)?;
    let is_payload = |src: &&Def| shader.as_deref(**src).is_some_and(|deref| deref.modes == Modes::TASK_PAYLOAD);
    let pointer = *srcs.iter().find(is_payload)?;
    let place = Place::new(shader, pointer)?;
    let numbers = shader.as_deref(pointer).and_then(|deref| shader.types.as_vector(deref.ty));
    let (scalar, place) = match (op, numbers) {
        (launch, _) => (AluType::new(Base::Uint, 32), place),
        (load_deref | store_deref | deref_atomic | deref_atomic_swap, Some((scalar, _))) => (scalar, place),
        _ => (AluType::new(Base::Uint, 32), Err("an access to a whole struct or array of the payload".into())),
    };
    Some((scalar, place))
}

fn access(b: &mut Builder<'_>, inst: Inst, scalar: AluType, place: &Place) -> Edit {
    use Intrinsic::{
        deref_atomic, launch_mesh_workgroups, launch_mesh_workgroups_with_payload_deref as launch, load_deref,
        load_task_payload, store_deref, store_task_payload, task_payload_atomic, task_payload_atomic_swap,
    };
    let Some((op, srcs)) = b.shader.as_intrinsic(inst) else { return Edit::Keep };
    let srcs = srcs.to_vec();
    if op == launch {
        let range = b.shader.info.task_payload_size;
        b.intrinsic_with(launch_mesh_workgroups, 0, 0, &srcs[..1], &[(Index::range, range)]);
        return Edit::Remove;
    }
    let offset = place.bytes(b);
    let (count, bits) = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
    let is_boolean = scalar.base == Base::Bool;
    let aligned = (Index::align_mul, component_bytes(scalar));
    match op {
        load_deref => {
            let words =
                b.intrinsic_with(load_task_payload, count, if is_boolean { 32 } else { bits }, &[offset], &[aligned]);
            let words = words.def();
            Edit::Replace(if is_boolean { b.alu(AluOp::b2b1, &[words]) } else { words })
        }
        store_deref => {
            let value = if is_boolean { b.alu(AluOp::b2b32, &[srcs[1]]) } else { srcs[1] };
            let mask = b.shader.index(inst, Index::write_mask);
            b.intrinsic_with(store_task_payload, 0, 0, &[value, offset], &[aligned, (Index::write_mask, mask)]);
            Edit::Remove
        }
        _ => {
            let by_offset = if op == deref_atomic { task_payload_atomic } else { task_payload_atomic_swap };
            let operation = (Index::atomic_op, b.shader.index(inst, Index::atomic_op));
            let operands = [&[offset], &srcs[1..]].concat();
            Edit::Replace(b.intrinsic_with(by_offset, 1, bits, &operands, &[operation]).def())
        }
    }
}
