//! What the benchmarks measure: sets of shaders, real and generated.
//!
//! `benches/translate.rs` times them with criterion, `src/bin/report.rs` counts allocations and writes what came out of both as
//! a table and plots. `cargo xtask bench` runs the two.

pub mod generated;
pub mod sets;

pub use sets::Set;
