// SPDX-License-Identifier: MIT

//! `cargo xtask mesa --meshes`: the corpus' mesh shaders on the lavapipe of the build. Debian's lavapipe has none.

use super::driver::Driver;
use crate::command::{cargo, run as go};
use anyhow::Result;

/// Draws with mesh shaders without Mesa's OpenGL, and compares with the interpreter.
pub(super) fn check(driver: &Driver) -> Result<()> {
    let test = ["test", "--package", "ntv-tool", "--features", "vulkan", "--test", "lavapipe"];
    let chosen = ["--", "--ignored", "--exact", "a_newer_lavapipe_draws_with_mesh_shaders"];
    go(cargo(&test).args(chosen).env("VK_DRIVER_FILES", driver.lavapipe()))
}
