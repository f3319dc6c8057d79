// SPDX-License-Identifier: MIT

//! Tests of the command with the Mesa of the build: `cargo xtask mesa --meshes` and `cargo xtask mesa --glsl`.

use super::driver::{Driver, Translator};
use crate::command::{cargo, run as go};
use anyhow::Result;
use std::process::Command;

/// The programs of tests, and their tests for a newer lavapipe. Debian's lavapipe has no mesh shaders.
const MESHES: &[(&str, &str)] =
    &[("lavapipe", "a_newer_lavapipe_draws_with_mesh_shaders"), ("scenes", "a_newer_lavapipe_draws_the_other_scenes")];

/// Draws with mesh shaders without Mesa's OpenGL, and compares with the interpreter, and with the pictures of scenes.
pub(super) fn meshes(driver: &Driver) -> Result<()> {
    for (program, test) in MESHES {
        go(tests(program).args(["--", "--ignored", "--exact", test]).env("VK_DRIVER_FILES", driver.lavapipe()))?;
    }
    Ok(())
}

/// Compiles GLSL to NIR with the Mesa of the build.
pub(super) fn glsl(driver: &Driver) -> Result<()> {
    let mut tests = tests("glsl");
    driver.environment(&mut tests, Translator::C);
    go(tests.current_dir(crate::root()))
}

fn tests(program: &str) -> Command {
    cargo(&["test", "--package", "ntv-tool", "--features", "glsl,vulkan", "--test", program])
}
