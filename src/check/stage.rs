// SPDX-License-Identifier: MIT

//! Intrinsics and modes that the stage of the shader does not have.

use crate::ir::Inst;
use crate::op::meaning::IntrinsicForm;
use crate::op::Intrinsic;
use crate::report::Report;

/// Reports `op` if the shader's stage lacks it.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, op: Intrinsic) {
    let stage = report.shader.stage();
    if !op.info().stages.contains(stage.set()) {
        report.at(inst, format_args!("does not exist in {}", stage.name()));
    }
    if matches!(op.info().form, IntrinsicForm::Derivative(_)) && !report.shader.info.has_implicit_lod() {
        report.at(inst, "has no neighbours without a derivative group");
    }
}

/// Reports modes of the whole shader that do not fit it.
pub(super) fn check_modes(report: &mut Report<'_>) {
    let info = &report.shader.info;
    let [x, y, z] = info.workgroup_size;
    // If the size is set with the pipeline, the application must set a valid one.
    let known = info.stage.has_grid() && !info.workgroup_size_variable && ![x, y, z].contains(&0);
    let fits = match info.derivative_group {
        0 => true,
        1 => !known || x % 2 == 0 && y % 2 == 0,
        2 => !known || x.wrapping_mul(y).wrapping_mul(z) % 4 == 0,
        _ => false,
    };
    if !fits {
        report.whole(format_args!("the workgroup does not fit derivative group {}", info.derivative_group));
    }
    let interlocks = [
        info.pixel_interlock_ordered,
        info.pixel_interlock_unordered,
        info.sample_interlock_ordered,
        info.sample_interlock_unordered,
    ];
    if interlocks.into_iter().filter(|is_on| *is_on).count() > 1 {
        report.whole("has more than one interlock mode");
    }
}
