// SPDX-License-Identifier: MIT

//! The features that a shader needs and the target lacks: collected by all checks, each reported once.

use crate::analysis::value_types::ValueTypes;
use crate::error::Errors;
use crate::ir::Inst;
use crate::op::builtins::Providers;
use crate::report::Report;
use crate::target::{Feature, Target, Version};
use std::fmt::Display;

/// A set of features: a bit for each, and one for Vulkan 1.1.
pub(super) type Features = u128;

/// The bit of rules that need Vulkan 1.1.
pub(super) const VULKAN_1_1: Features = 1 << 126;

/// A bit that no target has, for rules that may refuse a shader on any target.
pub(super) const DOUBT: Features = 1 << 127;

/// The features that `target` lacks.
pub(super) fn lacked_by(target: &Target) -> Features {
    !(target.feature_bits() | if target.vulkan >= Version(1, 1) { VULKAN_1_1 } else { 0 })
}

/// A check of a shader for features that the target lacks.
pub(super) struct FeatureCheck<'a> {
    pub(super) report: Report<'a>,
    pub(super) target: &'a Target,
    /// The types of values, if the target lacks a width that the shader has.
    pub(super) types: Option<&'a ValueTypes>,
    /// A bit for each feature that was reported.
    reported: u128,
}

impl<'a> FeatureCheck<'a> {
    /// A check of the shader of `report`, whose widths may need `widths`.
    pub(super) fn new(
        report: Report<'a>,
        target: &'a Target,
        widths: Features,
        memory: &'a mut ValueTypes,
    ) -> FeatureCheck<'a> {
        let types = (widths & lacked_by(target) != 0).then(|| {
            memory.infer(report.shader);
            &*memory
        });
        FeatureCheck { report, target, types, reported: 0 }
    }

    pub(super) fn finish(self) -> Result<(), Errors> {
        self.report.finish()
    }

    /// Reports `feature`, once, if the target lacks it.
    #[inline(never)]
    pub(super) fn need(&mut self, inst: Option<Inst>, feature: Feature) {
        let bit = 1u128 << feature as u8;
        if self.target.has(feature) || self.reported & bit != 0 {
            return;
        }
        self.reported |= bit;
        let name = feature.name();
        self.report.lacks(inst, feature, &format_args!("needs feature {name}, which the target lacks"));
    }

    /// Reports these features, once, if the target has none of them.
    pub(super) fn need_one_of(&mut self, inst: Option<Inst>, any: Providers) {
        let [first, .., last] = any else {
            return any.iter().for_each(|(feature, _)| self.need(inst, *feature));
        };
        let bit = 1u128 << first.0 as u8;
        if any.iter().any(|(feature, _)| self.target.can_declare(*feature)) || self.reported & bit != 0 {
            return;
        }
        self.reported |= bit;
        let others = any[1..any.len() - 1].iter().map(|(feature, _)| format!(", {}", feature.name()));
        let names = format!("{}{} or {}", first.0.name(), others.collect::<String>(), last.0.name());
        self.report.lacks(inst, first.0, &format_args!("needs feature {names}, all of which the target lacks"));
    }

    /// Reports `feature`, once, for `inst`, with the reason why the access cannot be lowered. The caller has checked that the
    /// target lacks it.
    #[cold]
    #[inline(never)]
    pub(super) fn need_for(&mut self, inst: Inst, feature: Feature, why: &dyn Display) {
        let bit = 1u128 << feature as u8;
        if self.reported & bit == 0 {
            self.reported |= bit;
            let name = feature.name();
            self.report.lacks(Some(inst), feature, &format_args!("needs feature {name}, which the target lacks{why}"));
        }
    }
}
