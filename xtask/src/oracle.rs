//! `cargo xtask oracle`: random shaders on the interpreter and on lavapipe.

use crate::command::{cargo, run as go};
use anyhow::Result;

/// How lavapipe is to run: most of its time goes into compiling shaders, each of which is run once.
const ENVIRONMENT: &[(&str, &str)] = &[
    // No shader comes twice.
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    // Without LLVM's optimiser.
    ("GALLIVM_PERF", "nopt"),
    // The threads of the command are enough.
    ("LP_NUM_THREADS", "0"),
];

/// Builds the command of the crate `gen` and runs it with `arguments`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let build = ["run", "--quiet", "--release", "--package", "ntv-gen", "--features", "cli", "--bin", "oracle", "--"];
    go(cargo(&build).args(arguments).envs(ENVIRONMENT.iter().copied()))
}
