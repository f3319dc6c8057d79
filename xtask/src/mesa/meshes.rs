// SPDX-License-Identifier: MIT

//! `cargo xtask mesa --meshes`: the mesh shaders of the corpus and of the scenes on the lavapipe of the build. Debian's lavapipe has
//! none.

use super::driver::Driver;
use crate::command::{cargo, run as go};
use anyhow::Result;

/// The programs of tests, and their tests for a newer lavapipe.
const TESTS: &[(&str, &str)] =
    &[("lavapipe", "a_newer_lavapipe_draws_with_mesh_shaders"), ("scenes", "a_newer_lavapipe_draws_the_other_scenes")];

/// Draws with mesh shaders without Mesa's OpenGL, and compares with the interpreter, and with the pictures of scenes.
pub(super) fn check(driver: &Driver) -> Result<()> {
    for (program, test) in TESTS {
        let mut tests = cargo(&["test", "--package", "ntv-tool", "--features", "vulkan", "--test", program]);
        go(tests.args(["--", "--ignored", "--exact", test]).env("VK_DRIVER_FILES", driver.lavapipe()))?;
    }
    Ok(())
}
