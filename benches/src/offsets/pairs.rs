// SPDX-License-Identifier: MIT

//! The shaders of a corpus with dynamic offsets, and C's modules of them.
//!
//! Files of one stem in the folders `ssa`, `reg` and `spv` are one shader. The NIR that the Gallium driver received has another
//! stem, and is matched by the hash of its source.

use super::{dynamic, Cost, MemoryKind};
use anyhow::{ensure, Context, Result};
use ntv::ir::{Shader, Stage};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The parts of a corpus that have modules of C.
const SETS: [&str; 3] = ["mesa25", "mesa25-nv", "glmark2"];

/// A form of NIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The NIR that a Gallium driver receives.
    Gallium,
    /// The NIR after zink's lowering.
    Ssa,
    /// The NIR after leaving SSA.
    Reg,
}

impl Level {
    /// All, in the order of tables.
    pub const ALL: [Level; 3] = [Level::Gallium, Level::Ssa, Level::Reg];

    /// Its name in tables and of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Level::Gallium => "gallium",
            Level::Ssa => "ssa",
            Level::Reg => "reg",
        }
    }
}

/// A shader with dynamic offsets, and C's module of it.
pub struct Pair {
    /// The part of the corpus.
    pub set: &'static str,
    /// The form of NIR.
    pub level: Level,
    /// The dump's file, without folder and `.nir`.
    pub stem: String,
    /// The module's file, likewise.
    pub partner: String,
    /// The shader.
    pub shader: Shader,
    /// The memory that it accesses at dynamic offsets.
    pub memory: Vec<MemoryKind>,
    /// The counts of C's module.
    pub theirs: Cost,
}

impl Pair {
    /// The dump's path in the corpus, without `.nir`.
    pub fn name(&self) -> String {
        format!("{}/{}/{}", self.set, self.level.name(), self.stem)
    }
}

/// The pairs of a corpus.
#[derive(Default)]
pub struct Corpus {
    /// All pairs.
    pub pairs: Vec<Pair>,
    /// The number of shaders with dynamic offsets without a module of C.
    pub alone: usize,
    /// The number of shaders with several modules, of variants of one source, of which the right one is unknown.
    pub ambiguous: usize,
}

impl Corpus {
    /// Reads all shaders below `folder`.
    pub fn read(folder: &Path) -> Result<Corpus> {
        let mut corpus = Corpus::default();
        for set in SETS {
            corpus.read_set(folder, set)?;
        }
        ensure!(!corpus.pairs.is_empty(), "no dumps with modules of C in {}", folder.display());
        Ok(corpus)
    }

    fn read_set(&mut self, folder: &Path, set: &'static str) -> Result<()> {
        let dumps = |level: Level| Dump::all(&folder.join(set).join(level.name()));
        let ssa = dumps(Level::Ssa)?;
        let sources = Sources::new(&ssa);
        for dump in dumps(Level::Gallium)? {
            let partners = sources.find(&dump.shader).to_vec();
            self.add(folder, set, Level::Gallium, dump, &partners)?;
        }
        for (level, dumps) in [(Level::Ssa, ssa), (Level::Reg, dumps(Level::Reg)?)] {
            for dump in dumps {
                let partner = dump.stem.clone();
                self.add(folder, set, level, dump, &[partner])?;
            }
        }
        Ok(())
    }

    /// Adds a shader whose module may be any of `partners`.
    fn add(&mut self, folder: &Path, set: &'static str, level: Level, dump: Dump, partners: &[String]) -> Result<()> {
        let Dump { stem, shader } = dump;
        let memory = dynamic(&shader);
        if memory.is_empty() {
            return Ok(());
        }
        let module = |partner: &str| folder.join(set).join("spv").join(format!("{partner}.spv"));
        match partners {
            [partner] if module(partner).is_file() => {
                let theirs = read_cost(&module(partner))?;
                self.pairs.push(Pair { set, level, stem, partner: partner.clone(), shader, memory, theirs });
            }
            [] | [_] => self.alone += 1,
            _ => self.ambiguous += 1,
        }
        Ok(())
    }
}

fn read_cost(file: &Path) -> Result<Cost> {
    let cost = || Cost::of(&ntv::wire::from_bytes(&std::fs::read(file)?)?);
    cost().with_context(|| file.display().to_string())
}

/// A file with one shader.
struct Dump {
    stem: String,
    shader: Shader,
}

impl Dump {
    /// The dumps in `folder`, by name.
    fn all(folder: &Path) -> Result<Vec<Dump>> {
        let entries = WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
        let files = entries.map(walkdir::DirEntry::into_path);
        let dumps = files.filter(|path| path.extension().is_some_and(|extension| extension == "nir"));
        dumps.map(|file| Dump::read(&file).with_context(|| file.display().to_string())).collect()
    }

    fn read(file: &PathBuf) -> Result<Dump> {
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        let shader = ntv::text::parse(&text)?;
        Ok(Dump { stem: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(), shader })
    }
}

/// Stems of shaders by data of their source.
struct Sources {
    /// By hash and stage.
    loose: HashMap<(String, Stage), Vec<String>>,
    /// By name as well.
    exact: HashMap<(String, Stage, Option<String>), Vec<String>>,
}

impl Sources {
    fn new(dumps: &[Dump]) -> Sources {
        let mut sources = Sources { loose: HashMap::new(), exact: HashMap::new() };
        for Dump { stem, shader } in dumps {
            let (hash, stage, name) = key(shader);
            sources.loose.entry((hash.clone(), stage)).or_default().push(stem.clone());
            sources.exact.entry((hash, stage, name)).or_default().push(stem.clone());
        }
        sources
    }

    /// The stems of the source of `shader`; the name decides if there are several. Shaders that a driver makes have no source.
    fn find(&self, shader: &Shader) -> &[String] {
        let (hash, stage, name) = key(shader);
        let fits = match self.loose.get(&(hash.clone(), stage)) {
            Some(fits) if !hash.is_empty() => fits,
            _ => return &[],
        };
        match self.exact.get(&(hash, stage, name)) {
            Some(exact) if fits.len() > 1 => exact,
            _ => fits,
        }
    }
}

fn key(shader: &Shader) -> (String, Stage, Option<String>) {
    (shader.info.source_hash.clone(), shader.info.stage, shader.info.name.clone())
}
