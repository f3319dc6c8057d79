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
//! | `device` | the objects and commands on a device |

mod commands;
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
use crate::{destination, inputs, AllFine};
use anyhow::Result;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &DrawArgs, reporter: &Reporter) -> Result<AllFine> {
    let name = args.scene.display().to_string();
    let text = inputs::read_text(&args.scene)?;
    let folder = args.scene.parent().unwrap_or(Path::new(""));
    let prepared = match prepare::prepare(&text, folder) {
        Ok(prepared) => prepared,
        Err(errors) => {
            errors.iter().for_each(|error| reporter.problem(&name, &text, None, &error.problem(&text)));
            return Ok(false);
        }
    };
    let files = prepared.scene.files(folder);
    let read = files.iter().map(PathBuf::as_path).chain([args.scene.as_path()]);
    let outputs = [("-o", &args.output), ("--trace", &args.trace)];
    destination::decide(read, outputs.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?))))?;
    match device::draw(args, &prepared, reporter)? {
        Ok(()) => Ok(true),
        Err(error) => {
            reporter.problem(&name, &text, None, &error.problem(&text));
            Ok(false)
        }
    }
}
