//! The pipelines of a device, by their descriptions.

use super::create::{self, Source, StageModules, PARTS};
use super::desc::{MultisampleWord, PipelineDesc, Word};
use super::pass::{PassKey, Passes};
use super::{Bounded, DiskCache, Numbered, VertexElements};
use crate::context::BlendState;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::Result;
use crate::program::{Layout, Modules, Program};
use crate::resource::unique_id;
use crate::state::BitSet;
use ash::vk;
use ntv::Key;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A part of pipelines, which they are linked of.
struct Library {
    raw: Owned<vk::Pipeline>,
    /// lavapipe 22.3 looks at it when pipelines are linked, whatever has become of the program.
    _layout: Arc<Layout>,
}

/// The number of a part, and the words that it depends on.
type LibraryName = (usize, PipelineDesc);

/// A pipeline.
pub(crate) struct Pipeline {
    /// A number that no other pipeline has.
    pub(crate) id: u64,
    pub(crate) desc: PipelineDesc,
    pub(crate) raw: Owned<vk::Pipeline>,
    /// It lives as long as the pipeline.
    _layout: Arc<Layout>,
    /// What it was linked of: libraries live as long as the pipeline.
    _libraries: Vec<Arc<Library>>,
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

/// What a description's numbers mean. Who holds it keeps the pipelines that are made of it from being forgotten.
#[derive(Clone)]
pub(crate) struct PipelineSource {
    pub(crate) program: Arc<Program>,
    pub(crate) key: Key,
    pub(crate) blend: Arc<Numbered<BlendState>>,
    pub(crate) elements: Arc<Numbered<VertexElements>>,
}

/// Pipelines that are kept, and as many libraries. A program may be drawn with in any number of ways: to many formats, turned over in
/// windows of many sizes.
const MOST: usize = 4096;

/// The pipelines of a device. A pipeline is there no longer than the program and the states that its description names.
pub(crate) struct Pipelines {
    device: Arc<Logical>,
    pub(crate) disk: DiskCache,
    pub(crate) modules: Modules,
    map: Mutex<Bounded<PipelineDesc, Arc<Pipeline>>>,
    libraries: Mutex<Bounded<LibraryName, Arc<Library>>>,
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
            modules: Modules::default(),
            map: Mutex::new(Bounded::new(MOST)),
            libraries: Mutex::new(Bounded::new(MOST)),
            passes: Passes::default(),
            counts: Default::default(),
        }
    }

    /// The pipeline of `desc`, made of what its numbers mean if it is not there.
    pub(crate) fn get(&self, desc: &PipelineDesc, source: &PipelineSource) -> Result<Arc<Pipeline>> {
        let known = self.map.lock().unwrap_or_else(PoisonError::into_inner).get(desc);
        if let Some(pipeline) = known {
            self.count(Count::Hits);
            return Ok(pipeline);
        }
        let made = Arc::new(self.create(desc, source)?);
        // Another thread may have been faster; then its pipeline is the one.
        Ok(self.map.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(*desc, made))
    }

    /// Makes what a draw with `desc` will want: on the worker.
    pub(crate) fn warm(&self, desc: &PipelineDesc, source: &PipelineSource) -> Result<()> {
        let known = self.map.lock().unwrap_or_else(PoisonError::into_inner).get(desc);
        if known.is_none() {
            self.get(desc, source)?;
            self.count(Count::Warmed);
        }
        Ok(())
    }

    /// Makes the pipeline of `desc`, whatever is there.
    pub(crate) fn create(&self, desc: &PipelineDesc, source: &PipelineSource) -> Result<Pipeline> {
        let stages = self.modules.get(&self.device, &source.program, &source.key)?;
        // What reads the framebuffer is drawn in a render pass object, and made whole.
        let samples = MultisampleWord::unpack(desc.get(Word::Multisample)).samples;
        let pass = || self.passes.get(&self.device, &PassKey::new(desc, samples));
        let pass = source.program.reads_framebuffer.then(pass).transpose()?;
        let given = Source {
            desc,
            pass: pass.as_ref().map(|pass| ***pass),
            program: &source.program,
            modules: &stages,
            blend: &source.blend.state,
            elements: &source.elements.state,
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
        let layout = Arc::clone(&source.program.layout);
        Ok(Pipeline { id: unique_id(), desc: *desc, raw, _layout: layout, _libraries: libraries })
    }

    /// A pipeline that is linked of libraries, which are made where they are not there.
    fn link(&self, source: &Source<'_>) -> Result<(Owned<vk::Pipeline>, Vec<Arc<Library>>)> {
        let mut libraries = Vec::new();
        for (number, part) in PARTS.into_iter().enumerate() {
            let name = (number, source.desc.masked(words_of(number)));
            let known = self.libraries.lock().unwrap_or_else(PoisonError::into_inner).get(&name);
            let library = match known {
                Some(library) => library,
                None => {
                    let raw = create::graphics(&self.device, *self.disk.raw, source, Some(part))?;
                    let made = Arc::new(Library { raw, _layout: Arc::clone(&source.program.layout) });
                    self.count(Count::Libraries);
                    let mut known = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
                    known.get_or_insert(name, made)
                }
            };
            libraries.push(library);
        }
        let handles = [0, 1, 2, 3].map(|part: usize| *libraries[part].raw);
        let raw = create::link(&self.device, *self.disk.raw, source.program, &handles)?;
        self.count(Count::Linked);
        Ok((raw, libraries))
    }

    /// The pipeline of a compute program.
    pub(crate) fn compute(&self, program: &Program) -> Result<Arc<Pipeline>> {
        let mut desc = PipelineDesc::default();
        desc.set(Word::Program, program.id);
        let known = self.map.lock().unwrap_or_else(PoisonError::into_inner).get(&desc);
        if let Some(pipeline) = known {
            self.count(Count::Hits);
            return Ok(pipeline);
        }
        let stages: StageModules = self.modules.get(&self.device, program, &Key::default())?;
        let start = Instant::now();
        let raw = create::compute(&self.device, *self.disk.raw, program, &stages)?;
        self.count_time(start);
        self.count(Count::Created);
        let layout = Arc::clone(&program.layout);
        let made = Arc::new(Pipeline { id: unique_id(), desc, raw, _layout: layout, _libraries: Vec::new() });
        Ok(self.map.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(desc, made))
    }

    /// Forgets the pipelines whose descriptions name what goes away: a program, or a state, by the number that it has in `word`.
    pub(crate) fn forget(&self, word: Word, number: u32) {
        let stays = |desc: &PipelineDesc| desc.get(word) != number;
        self.map.lock().unwrap_or_else(PoisonError::into_inner).retain(stays);
        self.libraries.lock().unwrap_or_else(PoisonError::into_inner).retain(|(_, desc)| stays(desc));
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
