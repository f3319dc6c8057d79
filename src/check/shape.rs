//! Results: whether there is one, and how many components of how many bits it has.

use super::report::{plural, Report};
use crate::ir::{Inst, InstData, InstKind};
use crate::op::fold::mask;
use crate::op::intrinsic::Components;

/// Returns false if the result is so wrong that other rules make no sense of it.
pub(super) fn check(report: &mut Report<'_>, inst: Inst) -> bool {
    let data = &report.shader.insts[inst];
    if data.has_def() != needs_def(&data.kind) {
        report.at(inst, if data.has_def() { "has a result, but makes none" } else { "has no result" });
        return false;
    }
    if !data.has_def() {
        return true;
    }
    let InstData { num_components, bit_size, kind } = *data;
    if !is_legal_count(num_components) {
        report.at(inst, format_args!("has {}, not 1 to 5, 8 or 16", plural(num_components.into(), "component")));
        return false;
    }
    if !matches!(bit_size, 1 | 8 | 16 | 32 | 64) {
        report.at(inst, format_args!("has {}, not 1, 8, 16, 32 or 64", plural(bit_size.into(), "bit")));
        return false;
    }
    if let InstKind::Const(values) = kind {
        check_const(report, inst, &report.shader.consts[values]);
    }
    true
}

/// Whether NIR has vectors of `n` components.
pub(super) fn is_legal_count(n: u8) -> bool {
    matches!(n, 1..=5 | 8 | 16)
}

fn needs_def(kind: &InstKind) -> bool {
    match kind {
        InstKind::Intrinsic { op, .. } => op.info().dest != Components::None,
        InstKind::Jump(_) => false,
        _ => true,
    }
}

fn check_const(report: &mut Report<'_>, inst: Inst, values: &[u64]) {
    let InstData { num_components, bit_size, .. } = report.shader.insts[inst];
    if values.len() != usize::from(num_components) {
        let (values, result) = (plural(values.len(), "value"), plural(num_components.into(), "component"));
        report.at(inst, format_args!("has {values} for {result}"));
    }
    if let Some(value) = values.iter().find(|value| mask(**value, bit_size) != **value) {
        report.at(inst, format_args!("{value:#x} has more than {}", plural(bit_size.into(), "bit")));
    }
}
