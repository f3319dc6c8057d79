// SPDX-License-Identifier: MIT

//! Control flow and values that are not stored in buffers: registers, discards, geometry counters, system values.

pub mod lower_discard_if;
pub mod lower_gs_counters;
pub mod lower_sysvals;
pub mod regs_to_ssa;
