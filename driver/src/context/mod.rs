//! A context: calls shaped like those of Gallium's `pipe_context`, carried out by Vulkan.
//!
//! Setters compare, remember, and set bits ([`Dirty`]). A command looks at the bits that concern it, has their handlers record what the
//! command buffer does not have yet, and records itself. A draw whose state did not change is one command:
//!
//! ```text
//! set_viewport_states(..)   ->  dirty: Viewport
//! draw_vbo(..)              ->  vkCmdSetViewport, vkCmdDraw     dirty: -
//! draw_vbo(..)              ->  vkCmdDraw
//! ```
//!
//! | file | what |
//! |-|-|
//! | `state` | what is bound as a whole: blend, rasterizer, framebuffer, ... |
//! | `dirty` | the table of dirty bits |
//! | `bind`, `slots` | setters, and the slots that resources are bound to |
//! | `sync`, `emit` | which handlers run, and what they record |
//! | `derived` | values that are computed of the state, such as whether anything can be drawn |
//! | `descriptors` | descriptor sets, by their contents |
//! | `batch`, `access`, `rendering`, `upload` | a command buffer and what it uses; barriers; renderings; bytes on their way to the device |
//! | `draw`, `grid`, `clear`, `copy`, `read` | commands |
//! | `stream_output`, `capture`, `query` | transform feedback by the device, and by shaders; what is counted |
//! | `fetch`, `general` | programs that read what they draw to; textures that are used in several ways at once |
//! | `shared`, `warm` | what all contexts of a device share: programs, pipelines, the worker that warms them up |
//!
//! A context is used by one thread at a time. Resources, shaders and samplers are shared between contexts of one device.

mod access;
mod batch;
mod bind;
mod capture;
mod clear;
mod copy;
mod counters;
mod derived;
mod descriptors;
mod dirty;
mod draw;
mod emit;
mod fetch;
mod general;
mod grid;
mod query;
mod read;
mod rendering;
mod shared;
mod slots;
mod state;
mod stream_output;
mod sync;
mod upload;
mod warm;

pub use crate::pipeline::{PipelineCounters, TransitionCounters};
pub use bind::{Blend, ConstantBuffer, DepthStencilAlpha, Elements, Rasterizer};
pub use copy::{Blit, Region};
pub use counters::Counters;
pub use dirty::{Command, Dirty, Phase};
pub(crate) use draw::index_size;
pub use query::{Query, QueryKind, QueryResult, Statistics, StreamOutputCounts};
pub use read::Download;
pub(crate) use shared::{Shared, SharedSlot};
pub use state::*;
pub use stream_output::StreamOutputTarget;
pub use sync::Fence;

use crate::device::{Device, Logical};
use crate::error::{Error, ErrorKind, Result};
use crate::pipeline::{Pipeline, PipelineDesc, Transitions};
use crate::program::{module_stage, Program, ProgramOptions, Shader, Source, Words};
use crate::resource::{Buffer, BufferDescription, Sampler, SamplerState, Texture, TextureDescription};
use crate::state::{BitSet, Inbox, Revisions};
use batch::Batch;
use bind::Bound;
use ntv::ir::XfbInfo;
use ntv::module::Stage;
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

/// How a context works.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// Nothing is left out: each command brings all state to the command buffer, as if it were new. For tests, which compare.
    pub emit_all: bool,
    /// The time that handlers take is measured, by phase: see [`Counters::phases`].
    pub time_phases: bool,
    /// Programs are warmed up on a worker when they are linked.
    pub warm_up: bool,
    /// Accesses of buffers and images are ordered by [`Context::barrier`] and by the ends of batches alone, as in Vulkan. Images change
    /// their layouts all the same.
    pub manual_barriers: bool,
    /// Where the pipeline cache is kept between runs. The first context of a device decides.
    pub pipeline_cache: Option<PathBuf>,
}

/// A context of a device.
pub struct Context {
    pub(crate) device: Arc<Logical>,
    pub(crate) shared: Arc<Shared>,
    options: ContextOptions,
    bound: Bound,
    dirty: BitSet<Dirty>,
    /// Bits that are dirty for another reason than a value that differs.
    forced: BitSet<Dirty>,
    /// What the bound program sees.
    relevant: BitSet<Dirty>,
    revisions: Revisions<Dirty>,
    inbox: Arc<Inbox<Dirty>>,
    batch: Batch,
    /// Batches that the device may still be at work on, the oldest first.
    submitted: std::collections::VecDeque<Batch>,
    /// Batches that can be recorded anew.
    spare: Vec<Batch>,
    current: Current,
    transitions: Transitions,
    /// Programs that were drawn with, by the shaders of the graphics stages.
    programs: FxHashMap<[u64; 5], Weak<Program>>,
    uploads: upload::Uploads,
    counters: Counters,
    queries: query::Queries,
    feedback: stream_output::Feedback,
    derived: derived::DerivedState,
    scratch: Scratch,
}

/// Memory that handlers use again.
#[derive(Default)]
struct Scratch {
    descriptors: Vec<descriptors::Descriptor>,
    offsets: Vec<u32>,
}

/// What the handlers made of the state.
#[derive(Default)]
struct Current {
    program: Option<Arc<Program>>,
    desc: PipelineDesc,
    pipeline: Option<Arc<Pipeline>>,
    key: ntv::Key,
    orientation: u64,
    compute: Option<(Arc<Program>, Arc<Pipeline>)>,
    compute_sets: descriptors::BoundSets,
    /// Nothing but dispatches was recorded since the last one: what they see was not used in another way.
    is_settled: bool,
    rendering: rendering::Rendering,
    /// Textures that draws use in several ways at once.
    general: general::General,
    /// As `general`, of the last dispatch.
    compute_general: general::General,
    sets: descriptors::BoundSets,
    /// What the push constants are, and what the command buffer has of them.
    push: Vec<u8>,
    is_indexed: bool,
    indices: Option<draw::BoundIndices>,
    /// How many viewports there are, and which have no area, a bit each.
    viewports: (usize, u32),
}

impl Context {
    /// A context of `device`.
    pub fn new(device: &Device, options: ContextOptions) -> Result<Context> {
        if !device.logical.features.timeline {
            return Err(Error::new("the device has no timelineSemaphore or no synchronization2"));
        }
        let shared = Shared::of(device, options.pipeline_cache.clone())?;
        let logical = Arc::clone(&device.logical);
        let batch = Batch::new(&logical)?;
        let mut context = Context {
            device: logical,
            shared,
            options,
            bound: Bound::default(),
            dirty: BitSet::ALL,
            forced: BitSet::ALL,
            relevant: BitSet::ALL,
            revisions: Revisions::new(),
            inbox: Arc::new(Inbox::new()),
            batch,
            submitted: Default::default(),
            spare: Vec::new(),
            current: Current::default(),
            transitions: Transitions::default(),
            programs: FxHashMap::default(),
            uploads: Default::default(),
            counters: Counters::default(),
            queries: Default::default(),
            feedback: Default::default(),
            derived: Default::default(),
            scratch: Scratch::default(),
        };
        context.bind_defaults();
        Ok(context)
    }

    /// A buffer.
    pub fn create_buffer(&self, description: BufferDescription) -> Result<Arc<Buffer>> {
        Buffer::new(&self.device, description)
    }

    /// A buffer with these bytes.
    pub fn create_buffer_with(&mut self, bytes: &[u8]) -> Result<Arc<Buffer>> {
        let size = bytes.len() as u64;
        let buffer = self.create_buffer(BufferDescription { size, usage: Default::default() })?;
        self.buffer_subdata(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    /// A texture, whose texels are undefined.
    pub fn create_texture(&self, description: TextureDescription) -> Result<Arc<Texture>> {
        Texture::new(&self.device, description)
    }

    /// A sampler; equal states have one.
    pub fn create_sampler_state(&self, state: &SamplerState) -> Result<Arc<Sampler>> {
        self.shared.sampler(&self.device, state)
    }

    /// A shader of NIR. It is translated when it is first drawn or linked with.
    pub fn create_shader(&self, nir: ntv::Shader) -> Result<Arc<Shader>> {
        let stage = module_stage(nir.stage()).ok_or_else(|| Error::new("contexts have no such shader stage"))?;
        let (xfb, may_capture) = (nir.xfb_info.clone(), ntv::pass::is_captured(&nir));
        Ok(self.new_shader(stage, Source::Nir(Box::new(nir)), (xfb, may_capture)))
    }

    /// A shader of a module that is there already, with its tables. Its descriptors are numbered as ntv numbers those of NIR.
    pub fn create_shader_of_module(&self, module: ntv::Module, xfb: XfbInfo) -> Result<Arc<Shader>> {
        Ok(self.new_shader(module.stage, Source::Module(Box::new(module)), (xfb, false)))
    }

    /// A shader of SPIR-V from elsewhere. Its words stay as they are, but for the numbers of descriptors: [`Shader::slots`] says where they
    /// are bound. Programs are of such shaders alone, or of others alone.
    pub fn create_shader_of_words(&self, words: &[u32]) -> Result<Arc<Shader>> {
        let (words, xfb) = Words::new(words)?;
        Ok(self.new_shader(words.module.stage, Source::Words(Box::new(words)), (xfb, false)))
    }

    fn new_shader(&self, stage: Stage, source: Source, (xfb, may_capture): (XfbInfo, bool)) -> Arc<Shader> {
        let (id, shared) = (crate::resource::unique_id(), Arc::downgrade(&self.shared));
        Arc::new(Shader { id, stage, source, xfb, may_capture, shared })
    }

    /// Makes the program of `shaders`, which come in the order of the pipeline, before it is drawn with: Gallium's `link_shader`. It has
    /// `options` from now on. With [`ContextOptions::warm_up`] the worker makes the pipelines that draws will likely want.
    pub fn link_program(&mut self, shaders: &[Arc<Shader>], options: &ProgramOptions) -> Result<()> {
        let (program, is_new) = self.shared.programs.get(&self.device, shaders, options)?;
        if is_new && self.options.warm_up && program.has_fragment {
            self.warm_up(&program);
        }
        Ok(())
    }

    /// Forgets `shader`, as dropping its last `Arc` does, and unbinds it: its programs, modules and pipelines go when nothing uses them
    /// any more.
    pub fn delete_shader(&mut self, shader: &Arc<Shader>) {
        self.shared.programs.remove(shader.id);
        self.unbind_shader(shader);
    }

    /// What the command buffer does not have yet. Bits that mean nothing for the bound program stay until another is bound.
    pub fn dirty(&self) -> BitSet<Dirty> {
        self.dirty
    }

    /// What it did so far.
    pub fn counters(&self) -> Counters {
        let mut counters = self.counters;
        counters.derived = self.derived.recomputations();
        counters.transitions = self.transitions.counters;
        counters.pipelines = self.shared.pipelines.counters();
        let modules = &self.shared.pipelines.modules;
        (counters.modules, counters.module_time) = (modules.counters(), modules.time());
        (counters.programs, counters.programs_built) = self.shared.programs.counts();
        counters.pipelines_kept = self.shared.pipelines.len();
        counters.states = self.shared.blends.len() + self.shared.elements.len();
        counters
    }

    /// An error if the device was lost: then nothing works any more.
    fn check_lost(&self) -> Result<()> {
        match self.device.is_gone() {
            true => Err(Error::of_kind(ErrorKind::DeviceLost, "the device is lost")),
            false => Ok(()),
        }
    }
}
