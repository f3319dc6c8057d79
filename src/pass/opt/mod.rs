// SPDX-License-Identifier: MIT

//! Optimisations: the clean-up after the lowerings, and its parts.

pub mod algebraic;
pub mod clean_up;
pub mod constant_fold;
pub mod copy_prop;
pub mod cse;
pub mod dce;
pub mod dead_cf;
pub mod wide_ubo_lanes;

pub(super) mod effects;
mod walk_tables;
