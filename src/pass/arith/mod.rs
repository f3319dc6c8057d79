// SPDX-License-Identifier: MIT

//! Arithmetic: operations and widths that SPIR-V or the target lacks.

pub mod lower_alu;
pub mod lower_doubles;
pub mod lower_int64;
pub mod lower_narrow;
pub mod lower_subgroups;
pub mod lower_wide_vectors;
