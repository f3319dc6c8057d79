//! The pipelines of a device, by their descriptions.

use super::create::{self, Source, StageModules, PARTS};
use super::desc::{MultisampleWord, PipelineDesc, Word};
use super::pass::{PassKey, Passes};
use super::{DiskCache, VertexElements};
use crate::context::BlendState;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::Result;
use crate::program::{Modules, Program};
use crate::resource::unique_id;
use crate::state::BitSet;
use ash::vk;
use ntv::Key;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A part of pipelines, which they are linked of.
type Library = Arc<Owned<vk::Pipeline>>;

/// The number of a part, and the words that it depends on.
type LibraryName = (usize, PipelineDesc);

/// A pipeline.
pub(crate) struct Pipeline {
    /// A number that no other pipeline has.
    pub(crate) id: u64,
    pub(crate) desc: PipelineDesc,
    pub(crate) raw: Owned<vk::Pipeline>,
    /// The program whose layout it has.
    _program: Arc<Program>,
    /// What it was linked of: libraries live as long as the pipeline.
    _libraries: Vec<Library>,
}

/// What the pipelines of a device did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineCounters {
    /// Times that the hash map had what was wanted.
    pub hits: u64,
    /// Pipelines that were made whole.
    pub created: u64,
    /// Pipelines that were linked of libraries.
    pub linked: u64,
    /// Libraries that were made for that.
    pub libraries: u64,
    /// Pipelines, or libraries, that the worker made before a draw wanted them.
    pub warmed: u64,
    /// How long Vulkan took to make them: vkCreateGraphicsPipelines and vkCreateComputePipelines.
    pub time: Duration,
}

/// What a description's numbers mean.
#[derive(Clone)]
pub(crate) struct PipelineSource {
    pub(crate) program: Arc<Program>,
    pub(crate) key: Key,
    pub(crate) blend: Arc<BlendState>,
    pub(crate) elements: Arc<VertexElements>,
}

/// The pipelines of a device.
pub(crate) struct Pipelines {
    device: Arc<Logical>,
    pub(crate) disk: DiskCache,
    map: Mutex<FxHashMap<PipelineDesc, Arc<Pipeline>>>,
    libraries: Mutex<FxHashMap<LibraryName, Library>>,
    pub(crate) passes: Passes,
    counts: [AtomicU64; 6],
}

/// The words that each of [`PARTS`] depends on.
fn words_of(part: usize) -> BitSet<Word> {
    let shaders = [Word::Program, Word::KeyLow, Word::KeyHigh, Word::KeyWidth, Word::KeyHeight];
    let colors = [Word::Color0, Word::Color1, Word::Color2, Word::Color3, Word::Color4, Word::Color5, Word::Color6];
    let mut words = BitSet::new();
    let mut add = |list: &[Word]| list.iter().for_each(|word| words.set(*word, true));
    match part {
        0 => add(&[Word::Topology, Word::VertexElements]),
        1 => {
            add(&shaders);
            add(&[Word::Rasterizer, Word::PatchVertices]);
        }
        2 => {
            add(&shaders);
            add(&[Word::Multisample, Word::SampleMask]);
        }
        _ => {
            add(&colors);
            add(&[Word::Color7, Word::Colors, Word::DepthStencil, Word::Blend, Word::Multisample, Word::SampleMask]);
        }
    }
    words
}

#[derive(Clone, Copy)]
enum Count {
    Hits,
    Created,
    Linked,
    Libraries,
    Warmed,
    Nanoseconds,
}

impl Pipelines {
    pub(crate) fn new(device: &Arc<Logical>, disk: DiskCache) -> Pipelines {
        Pipelines {
            device: Arc::clone(device),
            disk,
            map: Mutex::default(),
            libraries: Mutex::default(),
            passes: Passes::default(),
            counts: Default::default(),
        }
    }

    /// The pipeline of `desc`, made of what its numbers mean if it is not there.
    pub(crate) fn get(&self, modules: &Modules, desc: &PipelineDesc, source: &PipelineSource) -> Result<Arc<Pipeline>> {
        let known = self.map.lock().unwrap_or_else(PoisonError::into_inner).get(desc).cloned();
        if let Some(pipeline) = known {
            self.count(Count::Hits);
            return Ok(pipeline);
        }
        let made = Arc::new(self.create(modules, desc, source)?);
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster; then its pipeline is the one.
        Ok(Arc::clone(map.entry(*desc).or_insert(made)))
    }

    /// Makes what a draw with `desc` will want: on the worker.
    pub(crate) fn warm(&self, modules: &Modules, desc: &PipelineDesc, source: &PipelineSource) -> Result<()> {
        let is_known = self.map.lock().unwrap_or_else(PoisonError::into_inner).contains_key(desc);
        if !is_known {
            self.get(modules, desc, source)?;
            self.count(Count::Warmed);
        }
        Ok(())
    }

    /// Makes the pipeline of `desc`, whatever is there.
    pub(crate) fn create(&self, modules: &Modules, desc: &PipelineDesc, source: &PipelineSource) -> Result<Pipeline> {
        let stages = modules.get(&self.device, &source.program, &source.key)?;
        // What reads the framebuffer is drawn in a render pass object, and made whole.
        let samples = MultisampleWord::unpack(desc.get(Word::Multisample)).samples;
        let pass = || self.passes.get(&self.device, &PassKey::new(desc, samples));
        let pass = source.program.reads_framebuffer.then(pass).transpose()?;
        let given = Source {
            desc,
            pass: pass.as_ref().map(|pass| ***pass),
            program: &source.program,
            modules: &stages,
            blend: &source.blend,
            elements: &source.elements,
        };
        let start = Instant::now();
        let (raw, libraries) = match self.device.features.pipeline_library && pass.is_none() {
            true => self.link(&given)?,
            false => {
                self.count(Count::Created);
                (create::graphics(&self.device, *self.disk.raw, &given, None)?, Vec::new())
            }
        };
        self.count_time(start);
        let program = Arc::clone(&source.program);
        Ok(Pipeline { id: unique_id(), desc: *desc, raw, _program: program, _libraries: libraries })
    }

    /// A pipeline that is linked of libraries, which are made where they are not there.
    fn link(&self, source: &Source<'_>) -> Result<(Owned<vk::Pipeline>, Vec<Library>)> {
        let mut libraries = Vec::new();
        for (number, part) in PARTS.into_iter().enumerate() {
            let name = (number, source.desc.masked(words_of(number)));
            let known = self.libraries.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
            let library = match known {
                Some(library) => library,
                None => {
                    let made = Arc::new(create::graphics(&self.device, *self.disk.raw, source, Some(part))?);
                    self.count(Count::Libraries);
                    let mut known = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
                    Arc::clone(known.entry(name).or_insert(made))
                }
            };
            libraries.push(library);
        }
        let handles = [0, 1, 2, 3].map(|part: usize| **libraries[part]);
        let raw = create::link(&self.device, *self.disk.raw, source.program, &handles)?;
        self.count(Count::Linked);
        Ok((raw, libraries))
    }

    /// The pipeline of a compute program.
    pub(crate) fn compute(&self, modules: &Modules, program: &Arc<Program>) -> Result<Arc<Pipeline>> {
        let mut desc = PipelineDesc::default();
        desc.set(Word::Program, program.id);
        let known = self.map.lock().unwrap_or_else(PoisonError::into_inner).get(&desc).cloned();
        if let Some(pipeline) = known {
            self.count(Count::Hits);
            return Ok(pipeline);
        }
        let stages: StageModules = modules.get(&self.device, program, &Key::default())?;
        let start = Instant::now();
        let raw = create::compute(&self.device, *self.disk.raw, program, &stages)?;
        self.count_time(start);
        self.count(Count::Created);
        let program = Arc::clone(program);
        let made = Arc::new(Pipeline { id: unique_id(), desc, raw, _program: program, _libraries: Vec::new() });
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(map.entry(desc).or_insert(made)))
    }

    /// Forgets the pipelines of a program that goes away.
    pub(crate) fn remove(&self, program: u32) {
        self.map.lock().unwrap_or_else(PoisonError::into_inner).retain(|desc, _| desc.get(Word::Program) != program);
        let mut libraries = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
        libraries.retain(|(_, desc), _| desc.get(Word::Program) != program);
    }

    /// How many pipelines there are.
    pub(crate) fn len(&self) -> usize {
        self.map.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn count(&self, what: Count) {
        self.counts[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the time since `start`.
    fn count_time(&self, start: Instant) {
        self.counts[Count::Nanoseconds as usize].fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    pub(crate) fn counters(&self) -> PipelineCounters {
        let of = |what: Count| self.counts[what as usize].load(Ordering::Relaxed);
        PipelineCounters {
            hits: of(Count::Hits),
            created: of(Count::Created),
            linked: of(Count::Linked),
            libraries: of(Count::Libraries),
            warmed: of(Count::Warmed),
            time: Duration::from_nanos(of(Count::Nanoseconds)),
        }
    }
}

/// State objects that have a number: equal ones have the same.
pub(crate) struct Numbered<T> {
    known: Mutex<FxHashMap<Arc<T>, u32>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { known: Mutex::new(FxHashMap::default()) }
    }
}

impl<T: Eq + Hash> Numbered<T> {
    /// The number of `state`, from 1 on, and the one that there is of it.
    pub(crate) fn number(&self, state: T) -> (u32, Arc<T>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((same, number)) = known.get_key_value(&state) {
            return (*number, Arc::clone(same));
        }
        let (number, state) = (known.len() as u32 + 1, Arc::new(state));
        known.insert(Arc::clone(&state), number);
        (number, state)
    }
}
