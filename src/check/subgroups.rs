//! The features that subgroup operations need, after the lowering that the target makes of them.

use super::features::{FeatureRows, Needs};
use crate::ir::{Def, Inst, Stage};
use crate::op::names::Scope;
use crate::op::Intrinsic::{self, *};
use crate::op::{AluOp, Base, Index, IntrinsicSet};
use crate::target::Feature::*;
use crate::target::Version;

/// What intrinsics need whatever their operands. `pass::lower_subgroups` lowers the others.
pub(super) const OPERATIONS: FeatureRows = &[
    (subgroupVote, &[vote_any, vote_all, vote_feq, vote_ieq]),
    (subgroupBallot, &[ballot, ballot_relaxed, inverse_ballot, ballot_bitfield_extract, ballot_bit_count_reduce]),
    (subgroupBallot, &[ballot_bit_count_inclusive, ballot_bit_count_exclusive, ballot_find_lsb, ballot_find_msb]),
    (subgroupBallot, &[read_first_invocation, first_invocation, last_invocation]),
    (subgroupBallot, &[load_subgroup_eq_mask, load_subgroup_ge_mask, load_subgroup_gt_mask]),
    (subgroupBallot, &[load_subgroup_le_mask, load_subgroup_lt_mask]),
    (subgroupShuffle, &[shuffle, shuffle_xor]),
    (subgroupShuffleRelative, &[shuffle_up, shuffle_down]),
    (subgroupArithmetic, &[inclusive_scan, exclusive_scan]),
    (subgroupQuad, &[quad_broadcast, quad_swap_horizontal, quad_swap_vertical, quad_swap_diagonal]),
    (subgroupClustered, &[quad_vote_any, quad_vote_all]),
];

/// What every Vulkan 1.1 driver has of subgroups; before, an extension that comes with ballots.
pub(super) const BASIC: IntrinsicSet = IntrinsicSet::of(&[elect, load_subgroup_size, load_subgroup_invocation]);

/// What no extension of Vulkan 1.0 has.
pub(super) const NOT_BEFORE_1_1: IntrinsicSet = IntrinsicSet::of(&[
    load_subgroup_id,
    load_num_subgroups,
    shuffle,
    shuffle_xor,
    shuffle_up,
    shuffle_down,
    rotate,
    reduce,
    inclusive_scan,
    exclusive_scan,
    quad_broadcast,
    quad_swap_horizontal,
    quad_swap_vertical,
    quad_swap_diagonal,
    quad_vote_any,
    quad_vote_all,
]);

/// What else they may need, because of their operands or of the version.
pub(super) const BY_OPERANDS: FeatureRows = &[
    (subgroupBallot, &[read_invocation]),
    (subgroupShuffle, &[read_invocation, rotate]),
    (subgroupArithmetic, &[reduce]),
    (subgroupClustered, &[reduce]),
    (shaderSubgroupExtendedTypes, &[reduce, inclusive_scan, exclusive_scan]),
];

impl Needs<'_> {
    /// What they need because of their operands, or of the version.
    pub(super) fn check_subgroup(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let is_old = self.target.vulkan < Version(1, 1);
        if is_old && NOT_BEFORE_1_1.contains(op) {
            self.report.at(inst, "needs Vulkan 1.1");
        }
        match op {
            _ if is_old && BASIC.contains(op) => self.need(Some(inst), subgroupBallot),
            load_subgroup_id | load_num_subgroups
                if !matches!(self.report.shader.stage(), Stage::Compute | Stage::Kernel) =>
            {
                self.report.at(inst, "is there in compute shaders only");
            }
            read_invocation if is_old || self.broadcasts_from(srcs[1]) => self.need(Some(inst), subgroupBallot),
            read_invocation => self.need(Some(inst), subgroupShuffle),
            barrier if is_old && self.waits_as_subgroup(inst) => self.report.at(inst, "needs Vulkan 1.1"),
            rotate => self.check_rotate(inst),
            reduce => self.check_reduce(inst),
            _ => {}
        }
        if matches!(op, reduce | inclusive_scan | exclusive_scan) {
            self.check_wide_reduction(inst);
        }
    }

    /// SPIR-V before 1.3, "OpControlBarrier": only stages with workgroups wait for others.
    fn waits_as_subgroup(&self, inst: Inst) -> bool {
        let shader = self.report.shader;
        let scope = Scope::ALL.get(shader.index(inst, Index::execution_scope) as usize);
        scope == Some(&Scope::subgroup) && !shader.stage().has_workgroups()
    }

    fn broadcasts_from(&self, invocation: Def) -> bool {
        let dynamic = self.target.spirv_version() >= (1, 5) && self.target.has(subgroupBroadcastDynamicId);
        dynamic || self.report.shader.as_const(invocation).is_some()
    }

    /// Without its own instruction it is a shuffle.
    fn check_rotate(&mut self, inst: Inst) {
        let clustered = self.report.shader.index(inst, Index::cluster_size) != 0;
        let rotates = self.target.has(shaderSubgroupRotate);
        if !(rotates && (!clustered || self.target.has(shaderSubgroupRotateClustered))) {
            self.need(Some(inst), subgroupShuffle);
        }
    }

    fn check_reduce(&mut self, inst: Inst) {
        match self.report.shader.index(inst, Index::cluster_size) {
            0 => self.need(Some(inst), subgroupArithmetic),
            1 => {}
            _ => self.need(Some(inst), subgroupClustered),
        }
    }

    /// Arithmetic on 64-bit integers cannot be done by halves.
    fn check_wide_reduction(&mut self, inst: Inst) {
        let shader = self.report.shader;
        let op = AluOp::ALL.get(shader.index(inst, Index::reduction_op) as usize);
        let by_halves = matches!(op, Some(AluOp::iand | AluOp::ior | AluOp::ixor));
        let is_float = op.is_some_and(|op| op.info().dest.ty.base == Base::Float);
        if shader.insts[inst].bit_size == 64 && !by_halves && !is_float {
            self.need(Some(inst), shaderSubgroupExtendedTypes);
        }
    }
}
