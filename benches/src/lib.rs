// SPDX-License-Identifier: MIT

//! The benchmarks' sets of shaders, real and generated, and the evaluation of their measurements.
//!
//! `benches/` measures with criterion; `src/bin/report/` counts allocations and writes the results as tables and plots. `cargo
//! xtask bench` runs all of it.

pub mod generated;
pub mod log;
pub mod offsets;
pub mod ratios;
pub mod sets;
pub mod twins;
pub mod worker;

pub use log::Log;
pub use ratios::Ratios;
pub use sets::Set;
pub use worker::Worker;
