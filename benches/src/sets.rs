// SPDX-License-Identifier: MIT

//! The sets: real shaders of two sizes, random ones, and generated ones from small to huge.

use crate::generated::generated;
use anyhow::{ensure, Context, Result};
use ntv::ir::Shader;
use ntv_gen::{shader_of_seed, Purpose};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Shaders that are measured together.
pub struct Set {
    /// Its name in tables.
    pub name: String,
    /// The dumps.
    pub texts: Vec<String>,
    /// The same, parsed.
    pub shaders: Vec<Shader>,
}

/// The number of instructions from which a real shader is a large one.
const LARGE: usize = 100;
/// The most shaders of a set: enough to average out single ones, few enough to measure them in seconds.
const MOST: usize = 200;
/// Sizes of the generated shaders.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
/// The sets over which the steps of a translation are timed one by one.
pub const STEPPED: [&str; 3] = ["small", "large", "generated 10000"];

impl Set {
    fn new(name: impl Into<String>, texts: Vec<String>) -> Set {
        let shaders = texts.iter().flat_map(|text| ntv::text::find(text)).filter_map(|found| found.shader.ok());
        Set { name: name.into(), shaders: shaders.collect(), texts }
    }

    /// Its shaders in the form of a driver.
    pub fn wires(&self) -> Vec<Vec<u32>> {
        self.shaders.iter().map(ntv::wire::encode).collect()
    }

    /// The number of instructions of all its shaders.
    pub fn instructions(&self) -> usize {
        self.shaders.iter().map(|shader| shader.order.len()).sum()
    }
}

/// All sets.
pub fn all() -> Result<Vec<Set>> {
    let mut sets = real()?;
    sets.push(random());
    sets.extend(SIZES.map(|size| Set::new(format!("generated {size}"), vec![ntv::text::print(&generated(size))])));
    Ok(sets)
}

/// Shaders of the tests' generator: they have some of every construct, which real ones rarely have.
fn random() -> Set {
    let shaders = (0..MOST as u64).map(|seed| shader_of_seed(seed, Purpose::Interpreter));
    Set::new("random", shaders.map(|shader| ntv::text::print(&shader)).collect())
}

/// The small and the large real shaders, as a Gallium driver receives them.
pub fn real() -> Result<Vec<Set>> {
    let folder = corpus();
    let mut files: Vec<PathBuf> = WalkDir::new(&folder)
        .into_iter()
        .filter_map(|entry| entry.ok().map(walkdir::DirEntry::into_path))
        .filter(|path| path.extension().is_some_and(|extension| extension == "nir"))
        .collect();
    files.sort();
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for path in files {
        let text =
            String::from_utf8_lossy(&std::fs::read(&path).with_context(|| path.display().to_string())?).into_owned();
        let Ok(shader) = ntv::text::parse(&text) else { continue };
        let set = if shader.order.len() < LARGE { &mut small } else { &mut large };
        set.push(text);
    }
    ensure!(!small.is_empty() && !large.is_empty(), "no dumps in {}", folder.display());
    Ok(vec![Set::new("small", sample(small)), Set::new("large", sample(large))])
}

/// The folder of the larger corpus if there is one, otherwise that of the tests.
fn corpus() -> PathBuf {
    let gallium = shared_corpus().join("mesa25/gallium");
    match gallium.is_dir() {
        true => gallium,
        false => root().join("tests/corpus/mesa"),
    }
}

/// The folder of the larger corpus, which may be missing: next to the repository, or the folder in `$NTV_CORPUS`.
pub fn shared_corpus() -> PathBuf {
    std::env::var_os("NTV_CORPUS").map_or_else(|| root().join("../shared/corpus"), PathBuf::from)
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// At most [`MOST`] of them, evenly distributed.
fn sample(texts: Vec<String>) -> Vec<String> {
    let step = texts.len().div_ceil(MOST).max(1);
    texts.into_iter().step_by(step).collect()
}
