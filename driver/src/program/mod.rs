//! Programs: shaders of several stages, translated, linked, and laid out for descriptors.
//!
//! ```text
//! Shader (NIR) --plan, translate--> ntv::Module --link--> Program { modules, layout } --key--> words --> VkShaderModule
//! ```
//!
//! A program is made once for each combination of shaders that is drawn with, and shared by all contexts. It goes with the first of its
//! shaders, and its modules and pipelines with it. It knows what its shaders see: which slots of descriptors, which attributes, which
//! bits of a key. So state that no shader sees costs nothing.

mod build;
mod cache;
mod layout;
mod modules;
mod words;

pub use build::ProgramOptions;
pub(crate) use build::{capture_program, Builder};
pub(crate) use cache::Programs;
pub(crate) use layout::{
    stage_flags, DescriptorClass, Layout, Layouts, SetLayout, SlotBinding, CLASSES, DESCRIPTOR_BYTES,
};
pub(crate) use modules::Modules;
pub use words::ShaderSlot;
pub(crate) use words::Words;

use crate::context::Shared;
use crate::pipeline::{Numbered, Pipeline, Pipelines, VertexElements, Word};
use ntv::capture::BackEnd;
use ntv::ir::XfbInfo;
use ntv::module::Stage;
use ntv::variant;
use std::ffi::{CStr, CString};
use std::sync::{Arc, Mutex, Weak};

/// Stages that a context binds shaders to.
pub const STAGES: usize = 6;

/// A shader as it came: Gallium's `pipe_shader_state`.
pub struct Shader {
    pub(crate) id: u64,
    pub(crate) stage: Stage,
    pub(crate) source: Source,
    /// What it captures, as far as that is known before it is translated.
    pub(crate) xfb: XfbInfo,
    /// It captures, maybe by itself.
    pub(crate) may_capture: bool,
    pub(crate) shared: Weak<Shared>,
}

impl Drop for Shader {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.programs.remove(self.id);
        }
    }
}

/// What a shader is made of.
pub(crate) enum Source {
    /// NIR, which is translated when it is linked.
    Nir(Box<ntv::Shader>),
    /// A module that is there already.
    Module(Box<ntv::Module>),
    /// SPIR-V from elsewhere.
    Words(Box<Words>),
}

impl Shader {
    /// Its stage.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Where a context binds the descriptors of a shader of words. Those of other shaders have the slots that NIR says.
    pub fn slots(&self) -> &[ShaderSlot] {
        match &self.source {
            Source::Words(words) => &words.slots,
            Source::Nir(_) | Source::Module(_) => &[],
        }
    }

    /// Whether a shader of words reads push constants, see [`Context::set_push_constants`](crate::context::Context::set_push_constants).
    pub fn reads_push_constants(&self) -> bool {
        matches!(&self.source, Source::Words(words) if words.reads_push_constants)
    }
}

impl std::fmt::Debug for Shader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shader").field("id", &self.id).field("stage", &self.stage).finish_non_exhaustive()
    }
}

/// Shaders that are drawn or dispatched with together.
pub(crate) struct Program {
    /// A number that no other program has; not 0.
    pub(crate) id: u32,
    /// The linked stages, in the order of the pipeline.
    pub(crate) variants: variant::Program,
    pub(crate) layout: Arc<Layout>,
    /// Bits of a key that change words of any stage.
    pub(crate) seen: u64,
    /// Words depend on the size of the framebuffer.
    pub(crate) is_sized: bool,
    /// Locations of attributes that the vertex shader reads, a bit each.
    pub(crate) attributes: u32,
    /// Colours that the fragment shader writes, a bit each.
    pub(crate) has_fragment: bool,
    pub(crate) has_tessellation: bool,
    /// What is captured, if anything is.
    pub(crate) xfb: XfbInfo,
    /// Who writes it.
    pub(crate) captures: BackEnd,
    /// Bytes of push constants; 0 if no stage reads any.
    pub(crate) push_constants: u32,
    /// Constant buffers that are in the push constants.
    pub(crate) inline_blocks: Vec<InlineBlock>,
    /// Names of entry points, by stage; those that are missing are `main`.
    pub(crate) entries: Vec<(Stage, CString)>,
    /// Its shaders are of words: the push constants are the application's, and what is bound has the bytes that were given.
    pub(crate) is_plain: bool,
    /// Its fragment shader reads the framebuffer, as input attachments.
    pub(crate) reads_framebuffer: bool,
    /// Compute shaders that capture what it draws.
    pub(crate) capturers: Mutex<Vec<Capturer>>,
    /// Where its modules and pipelines are.
    pub(crate) pipelines: Weak<Pipelines>,
}

/// A compute shader that captures what a program draws with some vertex elements.
pub(crate) struct Capturer {
    pub(crate) elements: Weak<Numbered<VertexElements>>,
    pub(crate) program: Arc<Program>,
    pub(crate) pipeline: Arc<Pipeline>,
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(pipelines) = self.pipelines.upgrade() {
            pipelines.modules.remove(self);
            pipelines.forget(Word::Program, self.id);
        }
    }
}

impl Program {
    /// The name of a stage's entry point.
    pub(crate) fn entry(&self, stage: Stage) -> &CStr {
        self.entries.iter().find(|row| row.0 == stage).map_or(c"main", |row| &row.1)
    }

    /// Whether it has captures that `back_end` writes.
    pub(crate) fn is_captured_by(&self, back_end: BackEnd) -> bool {
        self.captures == back_end && !self.xfb.is_empty()
    }
}

/// A constant buffer that is in the push constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InlineBlock {
    pub(crate) stage: Stage,
    pub(crate) slot: u32,
    /// Bytes from the start of the push constants.
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

impl InlineBlock {
    pub(crate) fn is(&self, stage: Stage, slot: usize) -> bool {
        self.stage == stage && self.slot as usize == slot
    }
}

/// The stage of ntv's modules that a stage of NIR becomes; `None` for those that no context has.
pub(crate) fn module_stage(stage: ntv::ir::Stage) -> Option<Stage> {
    let name = stage.name().strip_prefix("MESA_SHADER_")?;
    Stage::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(name))
}
