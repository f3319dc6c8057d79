// SPDX-License-Identifier: MIT

//! A context: calls shaped like those of Gallium's `pipe_context`, executed with Vulkan.
//!
//! Setters compare, store, and set bits ([`Dirty`]). A command runs the handlers of its bits, which record the state that the
//! command buffer does not have yet, and records itself. A draw without state changes is one command:
//!
//! ```text
//! set_viewport_states(..)   ->  dirty: Viewport
//! draw_vbo(..)              ->  vkCmdSetViewport, vkCmdDraw     dirty: -
//! draw_vbo(..)              ->  vkCmdDraw
//! ```
//!
//! | file | contents |
//! |-|-|
//! | `state` | state objects: blend, rasterizer, framebuffer, ... |
//! | `dirty`, `changes` | the table of dirty bits, and those that are set |
//! | `bind`, `slots` | setters, and the slots that resources are bound to |
//! | `sync`, `emit` | selection of handlers, and the commands that they record |
//! | `derived` | values that are computed from the state, such as whether a draw is possible |
//! | `descriptors` | descriptor sets, by their contents |
//! | `batch`, `access`, `rendering`, `upload` | a command buffer and its objects; barriers; renderings; uploads to the device |
//! | `draw`, `grid`, `clear`, `copy`, `read` | commands |
//! | `stream_output`, `capture`, `query` | transform feedback by the device, and by shaders; queries |
//! | `fetch`, `general` | programs that read their attachments; textures that are used in several ways at once |
//! | `shared`, `warm` | objects that all contexts of a device share: programs, pipelines, the worker that warms them up |
//!
//! A context must be used by one thread at a time. Contexts of one device share resources, shaders and samplers.

mod access;
mod batch;
mod bind;
mod capture;
mod changes;
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
use crate::error::{Error, Result};
use crate::pipeline::{Pipeline, PipelineDesc, Transitions};
use crate::program::{module_stage, Program, ProgramOptions, Shader, Source, Words, GRAPHICS};
use crate::resource::{Buffer, BufferDescription, Sampler, SamplerState, Texture, TextureDescription};
use crate::state::BitSet;
use batch::Batch;
use bind::Bound;
use ntv::ir::XfbInfo;
use ntv::module::ShaderStage;
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

/// The options of a context.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// Whether each command records all of its state, as in a new command buffer. For tests that compare results.
    pub emit_all: bool,
    /// Whether the time of handlers is measured, by phase: see [`Counters::phases`].
    pub time_phases: bool,
    /// Whether a worker creates pipelines of programs when they are linked.
    pub warm_up: bool,
    /// Whether only [`Context::barrier`] and the ends of batches order accesses of buffers and images, as in Vulkan. Layout
    /// transitions of images remain automatic.
    pub manual_barriers: bool,
    /// The file of the pipeline cache, which is kept between runs. The first context of a device decides.
    pub pipeline_cache: Option<PathBuf>,
}

/// A context of a device.
pub struct Context {
    pub(crate) device: Arc<Logical>,
    pub(crate) shared: Arc<Shared>,
    options: ContextOptions,
    bound: Bound,
    changes: changes::Changes,
    batch: Batch,
    batches: batch::Batches,
    current: Current,
    transitions: Transitions,
    /// Programs of earlier draws, by the shaders of the graphics stages.
    programs: FxHashMap<[u64; GRAPHICS.len()], Weak<Program>>,
    uploads: upload::Uploads,
    counters: Counters,
    queries: query::Queries,
    feedback: stream_output::Feedback,
    derived: derived::DerivedState,
    scratch: Scratch,
}

/// Memory that handlers reuse.
#[derive(Default)]
struct Scratch {
    descriptors: Vec<descriptors::Descriptor>,
    offsets: Vec<u32>,
}

/// The results of the handlers.
#[derive(Default)]
struct Current {
    program: Option<Arc<Program>>,
    desc: PipelineDesc,
    pipeline: Option<Arc<Pipeline>>,
    key: ntv::Key,
    orientation: u64,
    compute: Option<(Arc<Program>, Arc<Pipeline>)>,
    compute_sets: descriptors::BoundSets,
    /// Whether only dispatches were recorded since the last one, so that their resources were not used in another way.
    is_settled: bool,
    rendering: rendering::Rendering,
    /// Textures that draws use in several ways at once.
    general: general::General,
    /// Textures that the last dispatch uses in several ways at once.
    compute_general: general::General,
    sets: descriptors::BoundSets,
    /// The contents of the push constants, and those in the command buffer.
    push: Vec<u8>,
    is_indexed: bool,
    indices: Option<draw::BoundIndices>,
    /// The number of viewports, and the mask of those without an area.
    viewports: (usize, u32),
}

impl Context {
    /// Creates a context of `device`.
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
            changes: changes::Changes::all(),
            batch,
            batches: Default::default(),
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

    /// Creates a buffer.
    pub fn create_buffer(&self, description: BufferDescription) -> Result<Arc<Buffer>> {
        Buffer::new(&self.device, description)
    }

    /// Creates a buffer with these bytes.
    pub fn create_buffer_with(&mut self, bytes: &[u8]) -> Result<Arc<Buffer>> {
        let size = bytes.len() as u64;
        let buffer = self.create_buffer(BufferDescription { size, usage: Default::default() })?;
        self.buffer_subdata(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    /// Creates a texture with undefined texels.
    pub fn create_texture(&self, description: TextureDescription) -> Result<Arc<Texture>> {
        Texture::new(&self.device, description)
    }

    /// Creates a sampler; equal states share one.
    pub fn create_sampler_state(&self, state: &SamplerState) -> Result<Arc<Sampler>> {
        self.shared.sampler(&self.device, state)
    }

    /// Creates a shader from NIR. It is translated at its first draw or link.
    pub fn create_shader(&self, nir: ntv::Shader) -> Result<Arc<Shader>> {
        let stage = module_stage(nir.stage()).ok_or_else(|| Error::new("contexts do not support this shader stage"))?;
        let (xfb, may_capture) = (nir.xfb_info.clone(), ntv::capture::is_captured(&nir));
        Ok(self.new_shader(stage, Source::Nir(Box::new(nir)), (xfb, may_capture)))
    }

    /// Creates a shader from a translated module with its tables. Its descriptors have the numbers that ntv gives to those of
    /// NIR.
    pub fn create_shader_of_module(&self, module: ntv::Module, xfb: XfbInfo) -> Result<Arc<Shader>> {
        Ok(self.new_shader(module.stage, Source::Module(Box::new(module)), (xfb, false)))
    }

    /// Creates a shader from SPIR-V that ntv did not produce. Its words do not change, except for the numbers of descriptors:
    /// [`Shader::slots`] gives the slots that they are bound to. A program cannot mix such shaders with others.
    pub fn create_shader_of_words(&self, words: &[u32]) -> Result<Arc<Shader>> {
        let (words, xfb) = Words::new(words)?;
        Ok(self.new_shader(words.module.stage, Source::Words(Box::new(words)), (xfb, false)))
    }

    fn new_shader(&self, stage: ShaderStage, source: Source, (xfb, may_capture): (XfbInfo, bool)) -> Arc<Shader> {
        let (id, shared) = (crate::resource::unique_id(), Arc::downgrade(&self.shared));
        Arc::new(Shader { id, stage, source, xfb, may_capture, shared })
    }

    /// Builds the program of `shaders`, which are in the order of the pipeline, before its first draw: Gallium's `link_shader`.
    /// The program keeps `options`. With [`ContextOptions::warm_up`] the worker creates the pipelines that draws will likely
    /// need.
    pub fn link_program(&mut self, shaders: &[Arc<Shader>], options: &ProgramOptions) -> Result<()> {
        let (program, is_new) = self.shared.programs.get(&self.device, shaders, options)?;
        if is_new && self.options.warm_up && program.has_fragment {
            self.warm_up(&program);
        }
        Ok(())
    }

    /// Removes `shader`, as the drop of its last `Arc` does, and unbinds it: its programs, modules and pipelines are dropped when
    /// they are no longer in use.
    pub fn delete_shader(&mut self, shader: &Arc<Shader>) {
        self.shared.programs.remove(shader.id);
        self.unbind_shader(shader);
    }

    /// The bits that the command buffer does not have yet. Bits that the bound program does not use stay until another program is
    /// bound.
    pub fn dirty(&self) -> BitSet<Dirty> {
        self.changes.dirty()
    }

    /// The counts of its work so far.
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
}
