// SPDX-License-Identifier: MIT

//! Shaders of a corpus that have a module of C's nir_to_spirv: a dump in a folder `ssa`, and the module of its stem in the folder
//! `spv` beside it.

use crate::sets::shared_corpus;
use anyhow::{ensure, Result};
use ntv::ir::Shader;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A shader, and the module of C.
pub struct Twin {
    /// The path of the dump.
    pub file: PathBuf,
    /// The path of the module.
    module: PathBuf,
}

impl Twin {
    /// All of the corpus that `$NTV_CORPUS` names, or of the one beside the repository, in the order of their paths.
    pub fn all() -> Result<Vec<Twin>> {
        let corpus = shared_corpus();
        let entries = WalkDir::new(&corpus).sort_by_file_name().into_iter().filter_map(Result::ok);
        let twins: Vec<Twin> = entries.filter_map(|entry| Twin::new(entry.into_path())).collect();
        let missing = || format!("no dumps with modules of C in {}: NTV_CORPUS names the corpus", corpus.display());
        ensure!(!twins.is_empty(), missing());
        Ok(twins)
    }

    fn new(file: PathBuf) -> Option<Twin> {
        let folder = file.parent().filter(|folder| folder.ends_with("ssa"))?;
        let module = folder.with_file_name("spv").join(file.file_name()?).with_extension("spv");
        module.is_file().then_some(Twin { file, module })
    }

    /// The name of the dump's file, without `.nir`.
    pub fn stem(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The name of the part of the corpus that it is in.
    pub fn set(&self) -> String {
        let folder = self.file.ancestors().nth(2).and_then(Path::file_name);
        folder.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Reads the shader.
    pub fn shader(&self) -> Result<Shader> {
        Ok(ntv::text::parse(&std::fs::read_to_string(&self.file)?)?)
    }

    /// Reads the module of C.
    pub fn words(&self) -> Result<Vec<u32>> {
        Ok(ntv::wire::from_bytes(&std::fs::read(&self.module)?)?)
    }
}
