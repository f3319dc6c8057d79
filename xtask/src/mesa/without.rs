// SPDX-License-Identifier: MIT

//! `--without`: a device that lacks a feature. `tests/mesa/without/layer.c` is a Vulkan layer that hides it.

use super::driver::VALIDATION;
use super::source::install_missing;
use crate::command::run as go;
use anyhow::{ensure, Result};
use regex::Regex;
use serde_json::json;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

const SOURCE: &str = "tests/mesa/without/layer.c";
const NAME: &str = "VK_LAYER_NTV_without";

/// The layer, built and with its manifest in a folder.
pub(crate) struct Layer {
    folder: TempDir,
    /// The feature or extension that it hides.
    pub(crate) hidden: String,
}

impl Layer {
    /// Builds the layer for a feature or extension.
    pub(crate) fn build(hidden: &str) -> Result<Layer> {
        install_missing("libvulkan-dev")?;
        let folder = tempfile::tempdir()?;
        let library = folder.path().join("libntv_without.so");
        let flags = ["-std=gnu11", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-o"];
        go(Command::new("cc").args(flags).arg(&library).arg(crate::root().join(SOURCE)))?;
        let layer = json!({
            "name": NAME,
            "type": "INSTANCE",
            "library_path": library,
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "hides a feature of the device",
        });
        let manifest = json!({ "file_format_version": "1.0.0", "layer": layer });
        fs::write(folder.path().join("without.json"), manifest.to_string())?;
        Ok(Layer { folder, hidden: hidden.to_string() })
    }

    /// Makes a program of Vulkan run on the layer; `validate` puts the validation layer above it, so that it sees the same device
    /// as the program.
    pub(crate) fn apply(&self, validate: bool, command: &mut Command) {
        let layers = if validate { format!("{VALIDATION}:{NAME}") } else { NAME.to_string() };
        command.env("VK_ADD_LAYER_PATH", self.folder.path()).env("VK_INSTANCE_LAYERS", layers);
        command.env("NTV_WITHOUT", &self.hidden);
    }
}

/// The features of `--without`; for `all`, those that the layer can hide.
pub(crate) fn names(wanted: &[String]) -> Result<Vec<String>> {
    if wanted != ["all"] {
        return Ok(wanted.to_vec());
    }
    let rows = Regex::new(r"(?m)^   (?:CORE|VULKAN_\d\d|IN)\((?:.*, )?(\w+)\),$")?;
    let source = fs::read_to_string(crate::root().join(SOURCE))?;
    let mut names: Vec<String> = rows.captures_iter(&source).map(|row| row[1].to_string()).collect();
    names.dedup();
    ensure!(names.len() > 40, "only {} features in {SOURCE}", names.len());
    Ok(names)
}
