// SPDX-License-Identifier: MIT

//! Plans of the storage of uniform blocks.

use anyhow::{ensure, Result};
use ntv::ir::Stage;
use ntv::plan::Planned;

/// Fails if sorted stages have one of them twice.
pub fn check_stages(stages: impl IntoIterator<Item = Stage>) -> Result<()> {
    let mut last = None;
    for stage in stages {
        ensure!(last != Some(stage), "a program has each stage once, but there are two {} shaders", stage.name());
        last = Some(stage);
    }
    Ok(())
}

/// The class of a block, and whether its offsets are clamped.
pub fn class(block: &Planned) -> String {
    format!("{}{}", block.class.name(), if block.clamp { ", clamped" } else { "" })
}
