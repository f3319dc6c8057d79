// SPDX-License-Identifier: MIT

//! `ntv draw`: draws scenes with ntv's own driver.
//!
//! | module | contents |
//! |-|-|
//! | [`scene`], [`commands`], [`states`] | the format |
//! | [`load`] | reads a scene and reports its errors |
//! | [`formula`], [`functions`], [`noise`] | formulas for numbers |
//! | [`geometry`], [`texture`], [`texel`] | generated contents |
//! | [`program`] | shaders, and the names of their resources |
//! | [`prepare`] | all of a scene that needs no device |
//! | `device` | the objects and commands on a device, with the feature `vulkan` |

mod commands;
#[cfg(feature = "vulkan")]
mod device;
mod formula;
mod functions;
mod geometry;
mod load;
mod noise;
mod prepare;
mod program;
mod scene;
mod states;
mod texel;
mod texture;

use crate::args::DrawArgs;
use crate::diagnostics::Reporter;
use crate::AllFine;
use anyhow::{Context as _, Result};
use std::fs;
use std::path::Path;

pub(crate) fn run(args: &DrawArgs, reporter: &Reporter) -> Result<AllFine> {
    let name = args.scene.display().to_string();
    let text = fs::read_to_string(&args.scene).with_context(|| name.clone())?;
    let folder = args.scene.parent().unwrap_or(Path::new(""));
    let prepared = match prepare::prepare(&text, folder) {
        Ok(prepared) => prepared,
        Err(errors) => {
            errors.iter().for_each(|error| reporter.problem(&name, &text, None, &error.problem(&text)));
            return Ok(false);
        }
    };
    match device::draw(args, &prepared, reporter)? {
        Ok(()) => Ok(true),
        Err(error) => {
            reporter.problem(&name, &text, None, &error.problem(&text));
            Ok(false)
        }
    }
}

#[cfg(not(feature = "vulkan"))]
mod device {
    //! Without Vulkan, scenes are only checked.

    use super::load::SceneError;
    use super::prepare::Prepared;
    use crate::args::DrawArgs;
    use crate::diagnostics::Reporter;
    use anyhow::{bail, Result};

    pub(super) fn draw(_: &DrawArgs, _: &Prepared, _: &Reporter) -> Result<Result<(), SceneError>> {
        bail!("this ntv was built without Vulkan: cargo run --features vulkan -- draw ...")
    }
}
