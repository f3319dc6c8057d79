//! Which stages have an intrinsic.

use super::report::Report;
use crate::ir::{Inst, Stage};
use crate::op::Intrinsic::{self, *};

const VS: u8 = 1 << 0;
const TCS: u8 = 1 << 1;
const TES: u8 = 1 << 2;
const GS: u8 = 1 << 3;
const FS: u8 = 1 << 4;
const CS: u8 = 1 << 5;
const GRAPHICS: u8 = VS | TCS | TES | GS | FS;

/// Intrinsics that some stages lack; any other is in all of them.
const STAGES: &[(u8, &[Intrinsic])] = &[
    (GRAPHICS, &[load_input, load_output, store_output, load_view_index]),
    (TCS | TES | GS, &[load_per_vertex_input]),
    (TCS, &[load_per_vertex_output, store_per_vertex_output]),
    (VS, &[load_vertex_id, load_vertex_id_zero_base, load_instance_id, load_base_vertex, load_first_vertex]),
    (VS, &[load_is_indexed_draw, load_base_instance, load_draw_id]),
    (TCS | TES | GS | FS, &[load_primitive_id]),
    (TCS | GS, &[load_invocation_id]),
    (TCS | TES, &[load_patch_vertices_in, load_tess_level_outer_default, load_tess_level_inner_default]),
    (TES, &[load_tess_coord, load_tess_coord_xy, load_tess_level_outer, load_tess_level_inner]),
    (GS, &[emit_vertex, end_primitive, emit_vertex_with_counter, end_primitive_with_counter]),
    (GS, &[set_vertex_and_primitive_count]),
    (FS, &[load_input_vertex, load_interpolated_input, load_per_primitive_input]),
    (FS, &[load_barycentric_pixel, load_barycentric_centroid, load_barycentric_sample]),
    (FS, &[load_barycentric_at_sample, load_barycentric_at_offset, load_barycentric_model]),
    (FS, &[interp_deref_at_centroid, interp_deref_at_sample, interp_deref_at_offset, interp_deref_at_vertex]),
    (FS, &[load_front_face, load_front_face_fsign, load_frag_coord, load_pixel_coord, load_point_coord]),
    (FS, &[load_point_coord_maybe_flipped, load_line_coord, load_color0, load_color1, load_blend_const_color_rgba]),
    (FS, &[load_sample_id, load_sample_id_no_per_sample, load_sample_pos, load_sample_pos_or_center]),
    (FS, &[load_sample_pos_from_id, load_sample_mask_in, load_sample_mask]),
    (FS, &[load_layer_id, load_helper_invocation, is_helper_invocation, terminate, terminate_if, demote, demote_if]),
    (FS, &[begin_invocation_interlock, end_invocation_interlock]),
    (FS | CS, &[ddx, ddx_fine, ddx_coarse, ddy, ddy_fine, ddy_coarse]),
    (CS, &[load_workgroup_id, load_workgroup_index, load_num_workgroups, load_local_invocation_id]),
    (CS, &[load_local_invocation_index, load_global_invocation_id, load_global_invocation_index]),
    (CS, &[load_base_workgroup_id, load_base_global_invocation_id, load_workgroup_size, load_work_dim]),
    (CS, &[load_subgroup_id, load_num_subgroups, load_kernel_input]),
    (CS, &[load_shared, store_shared, shared_atomic, shared_atomic_swap]),
];

/// The stages that have each intrinsic.
static STAGES_OF: [u8; Intrinsic::ALL.len()] = {
    let mut masks = [u8::MAX; Intrinsic::ALL.len()];
    let mut row = 0;
    while row < STAGES.len() {
        let (stages, ops) = STAGES[row];
        let mut at = 0;
        while at < ops.len() {
            masks[ops[at] as usize] = stages;
            at += 1;
        }
        row += 1;
    }
    masks
};

/// Reports `op` if the shader's stage lacks it.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, op: Intrinsic) {
    let stage = report.shader.stage();
    if STAGES_OF[op as usize] & bit(stage) == 0 {
        report.at(inst, format_args!("does not exist in {}", stage.name()));
    }
    let derives = matches!(op, ddx | ddx_fine | ddx_coarse | ddy | ddy_fine | ddy_coarse);
    if derives && !report.shader.info.has_implicit_lod() {
        report.at(inst, "has no neighbours without a derivative group");
    }
}

/// Reports modes of the whole shader that do not fit it.
pub(super) fn check_modes(report: &mut Report<'_>) {
    let info = &report.shader.info;
    let [x, y, z] = info.workgroup_size;
    // A size that comes with the pipeline is the application's to get right.
    let known = info.stage.is_compute() && !info.workgroup_size_variable && ![x, y, z].contains(&0);
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

fn bit(stage: Stage) -> u8 {
    match stage {
        Stage::Vertex => VS,
        Stage::TessCtrl => TCS,
        Stage::TessEval => TES,
        Stage::Geometry => GS,
        Stage::Fragment => FS,
        Stage::Compute | Stage::Kernel => CS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_intrinsic_has_two_rows() {
        let mut seen = rustc_hash::FxHashSet::default();
        for op in STAGES.iter().flat_map(|(_, ops)| *ops) {
            assert!(seen.insert(*op), "{} is twice in the table", op.name());
        }
    }
}
