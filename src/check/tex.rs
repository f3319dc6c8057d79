// SPDX-License-Identifier: MIT

//! Texture instructions: each source occurs once, has a possible size, and belongs to the operation; no required source is
//! missing.

use crate::analysis::textures::Texture;
use crate::ir::{Def, Inst, Shader, TexData, TypeData};
use crate::op::{Index, Intrinsic, TexOp, TexSrcKind};
use crate::report::{plural, Report};
use std::ops::RangeInclusive;

/// Reports sources and results that no texture operation has.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, tex: &TexData) {
    let mut seen = 0u32;
    for (kind, def) in &*tex.srcs {
        let bit = 1 << *kind as u32;
        if seen & bit != 0 {
            report.at(inst, format_args!("has two sources {}", kind.name()));
        }
        seen |= bit;
        check_src(report, inst, tex, *kind, *def);
    }
    for kind in needs(tex.op) {
        if seen & 1 << *kind as u32 == 0 {
            report.at(inst, format_args!("has no source {}", kind.name()));
        }
    }
    check_result(report, inst, tex);
    if tex.component > if tex.op == TexOp::tg4 { 3 } else { 0 } {
        report.at(inst, format_args!("cannot gather component {}", tex.component));
    }
    if tex.offsets.is_some() && (tex.op != TexOp::tg4 || seen & 1 << TexSrcKind::offset as u32 != 0) {
        report.at(inst, "takes no four offsets");
    }
}

fn check_src(report: &mut Report<'_>, inst: Inst, tex: &TexData, kind: TexSrcKind, def: Def) {
    let name = kind.name();
    let (has, bits) = (report.shader.num_components(def), report.shader.bit_size(def));
    if !sizes(kind).contains(&has) {
        report.at(inst, format_args!("source {name} cannot have {}", plural(has.into(), "component")));
    }
    if !takes(tex.op, kind) {
        report.at(inst, format_args!("takes no {name}"));
    }
    if kind.base(tex.op).is_some() && !matches!(bits, 16 | 32) {
        report.bits(inst, &format_args!("source {name} cannot have"), bits, "");
    }
    match kind {
        TexSrcKind::texture_deref | TexSrcKind::sampler_deref if report.shader.as_deref(def).is_none() => {
            report.at(inst, format_args!("source {name} is not a deref"));
        }
        TexSrcKind::texture_handle | TexSrcKind::sampler_handle if !matches!(bits, 32 | 64) => {
            report.bits(inst, &format_args!("source {name} cannot have"), bits, "");
        }
        TexSrcKind::texture_handle if report.shader.as_deref(def).is_none() => {}
        TexSrcKind::texture_deref | TexSrcKind::texture_handle if Texture::of_pointer(report.shader, def).is_none() => {
            report.at(inst, format_args!("source {name} points to no texture"));
        }
        TexSrcKind::sampler_deref if !points_to_sampler(report.shader, def) => {
            report.at(inst, format_args!("source {name} points to no sampler"));
        }
        _ => {}
    }
}

fn points_to_sampler(shader: &Shader, pointer: Def) -> bool {
    let ty = shader.as_deref(pointer).map(|deref| shader.types.get(deref.ty));
    matches!(ty, Some(TypeData::Sampler { .. } | TypeData::Texture { bare: false, .. }))
}

fn check_result(report: &mut Report<'_>, inst: Inst, tex: &TexData) {
    let data = &report.shader.insts[inst];
    let (n, has) = (data.num_components, data.bit_size);
    let bits = if tex.dest_type.bits == 0 { 32 } else { tex.dest_type.bits };
    if has != bits {
        report.at(inst, format_args!("does not have the {bits} bits of its type"));
    }
    let most = match tex.op {
        TexOp::lod => 2,
        TexOp::query_levels | TexOp::texture_samples | TexOp::samples_identical => 1,
        TexOp::txs => 3,
        _ => 4,
    };
    // The residency code is the component after the texel.
    let most = most + u8::from(tex.is_sparse);
    if n > most {
        report.at(inst, format_args!("has {}, not at most {most}", plural(n.into(), "component")));
    }
    if tex.is_sparse && (tex.op == TexOp::lod || tex.op.is_query()) {
        report.at(inst, "has no residency code");
    }
}

/// Reports operands and results of an image intrinsic with widths that no image has.
pub(super) fn check_image(report: &mut Report<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) {
    let shader = report.shader;
    let is_atomic = op.info().has_index(Index::atomic_op);
    let is_store = op.info().has_index(Index::src_type);
    for (i, src) in srcs.iter().enumerate().skip(1) {
        let is_texel = i == 3 && is_store || i >= 3 && is_atomic;
        let bits = shader.bit_size(*src);
        if !(matches!(bits, 16 | 32) || is_texel && bits == 64) {
            report.bits(inst, &format_args!("source {i} cannot have"), bits, "");
        }
    }
    let bits = shader.insts[inst].bit_size;
    if shader.insts[inst].has_def() && !matches!(bits, 16 | 32 | 64) {
        report.bits(inst, &"cannot have", bits, "");
    }
}

/// Reports sources that cannot be residency codes.
pub(super) fn check_codes(report: &mut Report<'_>, inst: Inst, srcs: &[Def]) {
    for (i, src) in srcs.iter().enumerate() {
        let bits = report.shader.bit_size(*src);
        if bits != 32 {
            report.bits(inst, &format_args!("source {i} cannot have"), bits, "");
        }
    }
}

/// The numbers of components that a source may have.
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

/// The sources that an operation requires.
fn needs(op: TexOp) -> &'static [TexSrcKind] {
    use TexSrcKind::*;
    match op {
        TexOp::txl => &[coord, lod],
        TexOp::txd => &[coord, ddx, ddy],
        TexOp::txf_ms => &[coord, ms_index],
        op if op.is_query() => &[],
        _ => &[coord],
    }
}

fn takes(op: TexOp, kind: TexSrcKind) -> bool {
    match kind {
        TexSrcKind::coord => !op.is_query(),
        TexSrcKind::projector | TexSrcKind::comparator | TexSrcKind::min_lod => op.samples(),
        TexSrcKind::offset => op != TexOp::lod && !op.is_query(),
        TexSrcKind::bias => matches!(op, TexOp::txb | TexOp::tg4 | TexOp::lod),
        TexSrcKind::lod => !matches!(op, TexOp::tex | TexOp::txb | TexOp::txd | TexOp::lod),
        TexSrcKind::ddx | TexSrcKind::ddy => op == TexOp::txd,
        _ => true,
    }
}
