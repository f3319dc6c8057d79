// SPDX-License-Identifier: MIT

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

/// A library of one part, from which pipelines are linked.
struct Library {
    raw: Owned<vk::Pipeline>,
    /// lavapipe 22.3 reads it when it links pipelines, even if the program was dropped.
    _layout: Arc<Layout>,
}

/// The index of a part, and the words that it depends on.
type LibraryName = (usize, PipelineDesc);

/// A pipeline.
pub(crate) struct Pipeline {
    /// A number that no other pipeline has.
    pub(crate) id: u64,
    pub(crate) desc: PipelineDesc,
    pub(crate) raw: Owned<vk::Pipeline>,
    /// It lives as long as the pipeline.
    _layout: Arc<Layout>,
    /// The libraries that it was linked from, which live as long as the pipeline.
    _libraries: Vec<Arc<Library>>,
}

/// The work on the pipelines of a device so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineCounters {
    /// The number of lookups that found a pipeline in the hash map.
    pub hits: u64,
    /// The number of pipelines that were created whole.
    pub created: u64,
    /// The number of pipelines that were linked from libraries.
    pub linked: u64,
    /// The number of libraries that were created.
    pub libraries: u64,
    /// The number of pipelines and libraries that the worker created before a draw needed them.
    pub warmed: u64,
    /// The time that Vulkan took to create them: vkCreateGraphicsPipelines and vkCreateComputePipelines.
    pub time: Duration,
}

/// The objects that belong to the numbers of a description. While it is alive, the pipelines of these objects are kept.
#[derive(Clone)]
pub(crate) struct PipelineSource {
    pub(crate) program: Arc<Program>,
    pub(crate) key: Key,
    pub(crate) blend: Arc<Numbered<BlendState>>,
    pub(crate) elements: Arc<Numbered<VertexElements>>,
}

/// The maximum number of pipelines, and of libraries, that are kept. A program may be drawn with in any number of ways: to many
/// formats, or flipped in windows of many sizes.
const MOST: usize = 4096;

/// The pipelines of a device. A pipeline does not outlive the program and the states that its description names.
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

    /// The pipeline of `desc`; creates it from the objects in `source` if there is none.
    pub(crate) fn get(&self, desc: &PipelineDesc, source: &PipelineSource) -> Result<Arc<Pipeline>> {
        let known = self.map.lock().unwrap_or_else(PoisonError::into_inner).get(desc);
        if let Some(pipeline) = known {
            self.count(Count::Hits);
            return Ok(pipeline);
        }
        let made = Arc::new(self.create(desc, source)?);
        // If another thread was faster, its pipeline is used.
        Ok(self.map.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(*desc, made))
    }

    /// Creates the pipeline, or the libraries, that a draw with `desc` will need. The worker calls it.
    pub(crate) fn warm(&self, desc: &PipelineDesc, source: &PipelineSource) -> Result<()> {
        let known = self.map.lock().unwrap_or_else(PoisonError::into_inner).get(desc);
        if known.is_none() {
            self.get(desc, source)?;
            self.count(Count::Warmed);
        }
        Ok(())
    }

    /// Creates the pipeline of `desc`, even if there is one.
    pub(crate) fn create(&self, desc: &PipelineDesc, source: &PipelineSource) -> Result<Pipeline> {
        let stages = self.modules.get(&self.device, &source.program, &source.key)?;
        // Programs that read the framebuffer need a render pass object, and a whole pipeline. Mesh shaders need a whole
        // pipeline, because theirs has no part for the vertex input.
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
        let (raw, libraries) =
            match self.device.features.pipeline_library && pass.is_none() && !source.program.has_meshes {
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

    /// Links a pipeline from libraries; creates the missing ones.
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

    /// Drops the pipelines whose descriptions name a program or a state that is dropped, by the number that it has in `word`.
    pub(crate) fn forget(&self, word: Word, number: u32) {
        let stays = |desc: &PipelineDesc| desc.get(word) != number;
        self.map.lock().unwrap_or_else(PoisonError::into_inner).retain(stays);
        self.libraries.lock().unwrap_or_else(PoisonError::into_inner).retain(|(_, desc)| stays(desc));
    }

    /// The number of pipelines.
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
