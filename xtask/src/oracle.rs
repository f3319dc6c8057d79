// SPDX-License-Identifier: MIT

//! `cargo xtask oracle`: random shaders on the interpreter and on lavapipe.

use crate::command::{cargo, run as go};
use anyhow::Result;

/// The environment of lavapipe. It spends most of its time on the compilation of shaders, which run once each.
const ENVIRONMENT: &[(&str, &str)] = &[
    // No shader runs twice.
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    // Disables LLVM's optimizer.
    ("GALLIVM_PERF", "nopt"),
    // The command has threads itself.
    ("LP_NUM_THREADS", "0"),
];

/// Builds the command of the crate `gen` and runs it with `arguments`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let build = ["run", "--quiet", "--release", "--package", "ntv-gen", "--features", "cli", "--bin", "oracle", "--"];
    go(cargo(&build).args(arguments).envs(ENVIRONMENT.iter().copied()))
}
