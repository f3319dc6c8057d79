// SPDX-License-Identifier: MIT

//! The features that subgroup operations need, after the lowering for the target.

use super::feature_check::FeatureCheck;
use crate::ir::{Def, Inst};
use crate::op::meaning::{IntrinsicForm, Traits};
use crate::op::names::Scope;
use crate::op::Intrinsic::{self, barrier, read_invocation, reduce, rotate};
use crate::op::{AluOp, Base, Index, IntrinsicInfo};
use crate::target::Feature::*;
use crate::target::Version;
use spirv::BuiltIn;

/// Whether an intrinsic is about the subgroups of a workgroup, which only stages with workgroups have.
pub(super) const fn is_of_workgroup(info: &IntrinsicInfo) -> bool {
    matches!(info.form, IntrinsicForm::BuiltIn(BuiltIn::SubgroupId | BuiltIn::NumSubgroups, _))
}

impl FeatureCheck<'_> {
    /// Checks the features that they need because of their operands or of the Vulkan version.
    pub(super) fn check_subgroup(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let is_old = self.target.vulkan < Version(1, 1);
        let (info, traits) = (op.info(), op.info().traits);
        if is_old && traits.contains(Traits::NOT_BEFORE_1_1) {
            self.report.at(inst, "needs Vulkan 1.1");
        }
        match op {
            _ if is_old && traits.contains(Traits::BASIC_SUBGROUP) => self.need(Some(inst), subgroupBallot),
            _ if is_of_workgroup(info) && !self.report.shader.stage().has_grid() => {
                self.report.at(inst, "exists in compute shaders only");
            }
            read_invocation if is_old || self.broadcasts_from(srcs[1]) => self.need(Some(inst), subgroupBallot),
            read_invocation => self.need(Some(inst), subgroupShuffle),
            barrier if is_old && self.waits_as_subgroup(inst) => self.report.at(inst, "needs Vulkan 1.1"),
            rotate => self.check_rotate(inst),
            reduce => self.check_reduce(inst),
            _ => {}
        }
        if matches!(info.form, IntrinsicForm::Reduction(_)) {
            self.check_wide_reduction(inst);
        }
    }

    /// Whether a barrier waits for the subgroup in a stage without workgroups. SPIR-V before 1.3, "OpControlBarrier", allows
    /// waiting only in stages with workgroups.
    fn waits_as_subgroup(&self, inst: Inst) -> bool {
        let shader = self.report.shader;
        let scope = Scope::ALL.get(shader.index(inst, Index::execution_scope) as usize);
        scope == Some(&Scope::subgroup) && !shader.stage().has_workgroups()
    }

    fn broadcasts_from(&self, invocation: Def) -> bool {
        let dynamic = self.target.spirv_version() >= (1, 5) && self.target.has(subgroupBroadcastDynamicId);
        dynamic || self.report.shader.as_const(invocation).is_some()
    }

    /// Checks a rotation, which becomes a shuffle if the target lacks its instruction.
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

    /// Checks a 64-bit reduction: arithmetic on 64-bit integers cannot be split into halves.
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
