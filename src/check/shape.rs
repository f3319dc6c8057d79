// SPDX-License-Identifier: MIT

//! Results: whether an instruction has one, its number of components and its width.

use crate::ir::{Inst, InstData, InstKind};
use crate::op::fold::mask;
use crate::op::intrinsic::Components;
use crate::report::{plural, Report};

/// Returns false if the result is wrong in a way that other rules cannot handle.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, data: &InstData) -> bool {
    let needs_def = match data.kind {
        InstKind::Intrinsic { op, .. } => op.info().dest != Components::None,
        InstKind::Jump(_) => false,
        _ => true,
    };
    if data.has_def() != needs_def {
        report.at(inst, if data.has_def() { "has a result, but its opcode does not" } else { "has no result" });
        return false;
    }
    if !needs_def {
        return true;
    }
    if !is_legal_count(data.num_components) {
        report.at(inst, format_args!("has {}, not 1 to 5, 8 or 16", plural(data.num_components.into(), "component")));
        return false;
    }
    if !is_legal_width(data.bit_size) {
        report.bits(inst, &"has", data.bit_size, ", not 1, 8, 16, 32 or 64");
        return false;
    }
    true
}

/// Whether NIR has vectors of `n` components.
pub(super) fn is_legal_count(n: u8) -> bool {
    const COUNTS: u32 = 0b1_0000_0001_0011_1110;
    n < 32 && COUNTS >> n & 1 != 0
}

/// Whether NIR has numbers of `bits` bits.
pub(super) fn is_legal_width(bits: u8) -> bool {
    bits.is_power_of_two() && bits & (1 | 8 | 16 | 32 | 64) != 0
}

/// Reports a constant that does not have as many components as its result, or has bits above its width.
pub(super) fn check_const(report: &mut Report<'_>, inst: Inst, data: &InstData, values: &[u64]) {
    if values.len() != usize::from(data.num_components) {
        let (values, result) = (plural(values.len(), "value"), plural(data.num_components.into(), "component"));
        report.at(inst, format_args!("has {values} for {result}"));
    }
    let above = !mask(u64::MAX, data.bit_size);
    if let Some(value) = values.iter().find(|value| **value & above != 0) {
        report.bits(inst, &format_args!("{value:#x} has more than"), data.bit_size, "");
    }
}
