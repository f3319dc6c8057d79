// SPDX-License-Identifier: MIT

//! Programs: shaders of several stages, translated, linked, and laid out for descriptors.
//!
//! ```text
//! Shader (NIR) --plan, translate--> ntv::Module --link--> Program { modules, layout } --key--> words --> VkShaderModule
//! ```
//!
//! A program is built once for each combination of shaders that is drawn with, and shared by all contexts. It is dropped with the
//! first of its shaders, and its modules and pipelines with it. It records which slots of descriptors, attributes, and key bits
//! its shaders use. So state that no shader uses costs nothing.

mod build;
mod cache;
mod layout;
mod modules;
mod words;

pub use build::ProgramOptions;
pub(crate) use build::{capture_program, Builder};
pub(crate) use cache::Programs;
pub(crate) use layout::{
    descriptor_type, stage_flags, DescriptorClass, Layout, Layouts, SetLayout, SlotBinding, CLASSES, DESCRIPTOR_BYTES,
};
pub(crate) use modules::{create_module, Modules};
pub use words::ShaderSlot;
pub(crate) use words::Words;

use crate::context::Shared;
use crate::pipeline::{Numbered, Pipeline, Pipelines, VertexElements, Word};
use ntv::capture::BackEnd;
use ntv::ir::XfbInfo;
use ntv::module::ShaderStage;
use ntv::variant;
use std::ffi::{CStr, CString};
use std::sync::{Arc, Mutex, Weak};

/// The number of stages that a context binds shaders to.
pub const STAGES: usize = 8;

/// The stages of draws, in the order of the pipeline.
pub(crate) const GRAPHICS: [ShaderStage; STAGES - 1] = [
    ShaderStage::Vertex,
    ShaderStage::TessCtrl,
    ShaderStage::TessEval,
    ShaderStage::Geometry,
    ShaderStage::Task,
    ShaderStage::Mesh,
    ShaderStage::Fragment,
];

/// A shader as the application created it: Gallium's `pipe_shader_state`.
pub struct Shader {
    pub(crate) id: u64,
    pub(crate) stage: ShaderStage,
    pub(crate) source: Source,
    /// The captures, as far as they are known before translation.
    pub(crate) xfb: XfbInfo,
    /// Whether it may capture; its stores may describe the captures.
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

/// The source of a shader.
pub(crate) enum Source {
    /// NIR, which is translated at the link.
    Nir(Box<ntv::Shader>),
    /// A translated module.
    Module(Box<ntv::Module>),
    /// SPIR-V that ntv did not produce.
    Words(Box<Words>),
}

impl Shader {
    /// Its stage.
    pub fn stage(&self) -> ShaderStage {
        self.stage
    }

    /// The slots to which a context binds the descriptors of a shader of words. Other shaders have the slots of NIR.
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

/// Shaders that are used together in draws or dispatches.
pub(crate) struct Program {
    /// A number that no other program has; not 0.
    pub(crate) id: u32,
    /// The linked stages, in the order of the pipeline.
    pub(crate) variants: variant::Program,
    pub(crate) layout: Arc<Layout>,
    /// The bits of a key that change words of any stage.
    pub(crate) seen: u64,
    /// Whether words depend on the size of the framebuffer.
    pub(crate) is_sized: bool,
    /// The mask of the Locations of attributes that the vertex shader reads.
    pub(crate) attributes: u32,
    /// Whether it has a fragment shader.
    pub(crate) has_fragment: bool,
    pub(crate) has_tessellation: bool,
    /// Whether a mesh shader makes its primitives, without vertex input.
    pub(crate) has_meshes: bool,
    /// The captures, if there are any.
    pub(crate) xfb: XfbInfo,
    /// The back end that writes them.
    pub(crate) captures: BackEnd,
    /// The number of bytes of push constants; 0 if no stage reads any.
    pub(crate) push_constants: u32,
    /// The constant buffers that are in the push constants.
    pub(crate) inline_blocks: Vec<InlineBlock>,
    /// The names of entry points, by stage; missing ones are `main`.
    pub(crate) entries: Vec<(ShaderStage, CString)>,
    /// Whether its shaders are of words: the push constants are the application's, and descriptors have exactly the given bytes.
    pub(crate) is_plain: bool,
    /// Whether its fragment shader reads the framebuffer, as input attachments.
    pub(crate) reads_framebuffer: bool,
    /// The compute shaders that capture its draws.
    pub(crate) capturers: Mutex<Vec<Capturer>>,
    /// The table with its modules and pipelines.
    pub(crate) pipelines: Weak<Pipelines>,
}

/// A compute shader that captures the draws of a program with some vertex elements.
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
    pub(crate) fn entry(&self, stage: ShaderStage) -> &CStr {
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
    pub(crate) stage: ShaderStage,
    pub(crate) slot: u32,
    /// The offset in the push constants, in bytes.
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

impl InlineBlock {
    pub(crate) fn is(&self, stage: ShaderStage, slot: usize) -> bool {
        self.stage == stage && self.slot as usize == slot
    }
}

/// Converts a stage of NIR to a stage of ntv's modules; `None` for stages that no context has.
pub(crate) fn module_stage(stage: ntv::ir::Stage) -> Option<ShaderStage> {
    let name = stage.name().strip_prefix("MESA_SHADER_")?;
    ShaderStage::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(name))
}
