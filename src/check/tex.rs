//! Texture instructions: sources once each, of a plausible size, with operations that take them.

use super::report::{plural, Report};
use crate::ir::{Inst, TexData};
use crate::op::{TexOp, TexSrcKind};
use std::ops::RangeInclusive;

/// Reports sources and results that no texture operation has.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, tex: &TexData) {
    let mut seen = 0u32;
    for (kind, def) in &tex.srcs {
        let name = kind.name();
        let bit = 1 << *kind as u32;
        if seen & bit != 0 {
            report.at(inst, format_args!("has two sources {name}"));
        }
        seen |= bit;
        let has = report.shader.num_components(*def);
        if !sizes(*kind).contains(&has) {
            report.at(inst, format_args!("source {name} cannot have {}", plural(has.into(), "component")));
        }
        if !takes(tex.op, *kind) {
            report.at(inst, format_args!("takes no {name}"));
        }
        let is_deref = matches!(kind, TexSrcKind::texture_deref | TexSrcKind::sampler_deref);
        if is_deref && report.shader.as_deref(*def).is_none() {
            report.at(inst, format_args!("source {name} is no deref"));
        }
    }
    let bits = if tex.dest_type.bits == 0 { 32 } else { tex.dest_type.bits };
    if report.shader.insts[inst].bit_size != bits {
        report.at(inst, format_args!("has not the {bits} bits of its type"));
    }
    if tex.component > if tex.op == TexOp::tg4 { 3 } else { 0 } {
        report.at(inst, format_args!("cannot gather component {}", tex.component));
    }
    if tex.offsets.is_some() && (tex.op != TexOp::tg4 || seen & 1 << TexSrcKind::offset as u32 != 0) {
        report.at(inst, "takes no four offsets");
    }
}

/// How many components a source may have.
fn sizes(kind: TexSrcKind) -> RangeInclusive<u8> {
    match kind {
        TexSrcKind::coord => 1..=4,
        TexSrcKind::offset | TexSrcKind::ddx | TexSrcKind::ddy => 1..=3,
        TexSrcKind::projector
        | TexSrcKind::comparator
        | TexSrcKind::bias
        | TexSrcKind::lod
        | TexSrcKind::min_lod
        | TexSrcKind::ms_index
        | TexSrcKind::texture_offset
        | TexSrcKind::sampler_offset
        | TexSrcKind::plane => 1..=1,
        _ => 1..=16,
    }
}

fn takes(op: TexOp, kind: TexSrcKind) -> bool {
    match kind {
        TexSrcKind::bias => matches!(op, TexOp::txb | TexOp::tg4 | TexOp::lod),
        TexSrcKind::lod => !matches!(op, TexOp::tex | TexOp::txb | TexOp::txd | TexOp::lod),
        TexSrcKind::ddx | TexSrcKind::ddy => op == TexOp::txd,
        _ => true,
    }
}
