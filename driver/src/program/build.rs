// SPDX-License-Identifier: MIT

//! From shaders to a program: plan, translation, link.

use super::layout::{Content, Layouts};
use super::{module_stage, InlineBlock, Program, Shader, Source};
use crate::device::Logical;
use crate::error::{Error, Result};
use ntv::capture::{Attribute, BackEnd};
use ntv::import::reflect;
use ntv::ir::XfbInfo;
use ntv::module::{DescriptorKind, Module, ShaderStage};
use ntv::plan::{plan, Class, Limits, Placements, Plan, Threshold, Wishes};
use ntv::{variant, EmitOptions, Feature, Key, Options, Target, Translator};
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

/// Options of an application for a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramOptions {
    /// The condition for reading dynamically indexed blocks from storage buffers where this is optional.
    pub threshold: Threshold,
    /// The class of all blocks that `classes` does not name, where it is possible.
    pub all: Option<Class>,
    /// Classes of blocks, by their names: `ubo1`, or `MESA_SHADER_VERTEX.uniforms` for block 0 with GL's loose uniforms.
    pub classes: Vec<(String, Class)>,
    /// Whether loose uniforms are in push constants if they fit. Then they must be given by value.
    pub inline_uniforms: bool,
    /// The back end that writes the captures of transform feedback; `None` for the device if it can.
    pub captures: Option<BackEnd>,
    /// Whether the modules have names and lines, for debuggers.
    pub names: bool,
}

/// The number of bytes of push constants that the driver uses itself: whether a draw has indices.
const DRIVER_UNIFORM_BYTES: u32 = 16;

/// The bits of a key that contexts set.
const OFFERED: u64 = Key::ALL;

/// Translates and links.
pub(crate) struct Builder {
    translator: Translator,
    options: Options,
    limits: Limits,
    /// Whether the device has transform feedback.
    can_capture: bool,
}

impl Builder {
    pub(crate) fn new(device: &Logical, target: &Target) -> Builder {
        let options = Options::default().target(target.clone());
        let can_capture = target.has(Feature::transformFeedback);
        let limits = device.plan_limits();
        Builder { translator: Translator::new(options.clone()), options, limits, can_capture }
    }

    /// Builds a program of `shaders`, which are in the order of the pipeline.
    pub(crate) fn build(
        &mut self,
        (device, layouts): (&Arc<Logical>, &Layouts),
        shaders: &[Arc<Shader>],
        options: &ProgramOptions,
    ) -> Result<Program> {
        let is_plain = is_plain(shaders)?;
        let (classes, inline_blocks) = self.plan(shaders, options)?;
        let captures = options.captures.unwrap_or(match device.feedback {
            Some(_) => BackEnd::Extension,
            None => BackEnd::Storage,
        });
        self.capture_by(captures);
        let mut modules = Vec::new();
        let mut xfb = XfbInfo::default();
        for (shader, placements) in shaders.iter().zip(classes) {
            let (module, captured) = self.translate(shader, placements, options)?;
            // Only the last stage before the rasterizer captures.
            if module.stage < ShaderStage::Fragment {
                xfb = captured;
            }
            modules.push(module);
        }
        let modules: Vec<&Module> = modules.iter().collect();
        let push_constants = self.push_constants(&modules);
        let (mut content, assignments) = Content::collect(&modules, push_constants, None)?;
        content.set_exact(is_plain);
        let layout = layouts.get(device, &content)?;
        let linked = ntv::link::link(&modules, assignments).map_err(|error| Error::new(error.to_string()))?;
        let mut program = finish(linked.modules, layout, (xfb, push_constants))?;
        (program.inline_blocks, program.is_plain) = (inline_blocks, is_plain);
        let entry = |shader: &Arc<Shader>| match &shader.source {
            Source::Words(words) => Some((shader.stage, words.entry.clone())),
            Source::Module(module) => Some((shader.stage, CString::new(reflect(&module.words).ok()?.entry).ok()?)),
            Source::Nir(_) => None,
        };
        program.entries = shaders.iter().filter_map(entry).collect();
        // Shaders that come as words use the device's transform feedback.
        program.captures = if is_plain { BackEnd::Extension } else { captures };
        Ok(program)
    }

    /// Sets the back end of transform feedback for the next translations.
    fn capture_by(&mut self, captures: BackEnd) {
        // The draw of a capturing compute shader uses a variant without captures, so the device does not need transform feedback.
        let (back_end, drawn) = match captures {
            BackEnd::Compute => (BackEnd::Extension, true),
            back_end => (back_end, self.can_capture),
        };
        if self.options.captures != back_end || self.options.target.has(Feature::transformFeedback) != drawn {
            self.options.captures = back_end;
            self.options.target.set(Feature::transformFeedback, drawn);
            self.translator.set_options(self.options.clone());
        }
    }

    /// Plans the placement of each stage's blocks.
    fn plan(&self, shaders: &[Arc<Shader>], options: &ProgramOptions) -> Result<(Vec<Placements>, Vec<InlineBlock>)> {
        let mut program = ntv::plan::ProgramBlocks::default();
        let nir = shaders.iter().filter_map(|shader| match &shader.source {
            Source::Nir(nir) => Some(&**nir),
            Source::Module(_) | Source::Words(_) => None,
        });
        for nir in nir {
            program.add(nir);
            if options.inline_uniforms && nir.info.first_ubo_is_default_ubo {
                program.block(&format!("{}.uniforms", nir.stage().name())).is_at_hand = true;
            }
        }
        let wishes = Wishes::default()
            .threshold(options.threshold)
            .push_constants((DRIVER_UNIFORM_BYTES, self.limits.max_push_constants_size))
            .asked(options.classes.clone())
            .all(options.all);
        let plan = plan(&program, &self.limits, &wishes).map_err(|why| Error::new(why.to_string()))?;
        let of_stage = |shader: &Arc<Shader>| match &shader.source {
            Source::Nir(nir) => plan.placements(nir.stage()),
            Source::Module(_) | Source::Words(_) => Placements::default(),
        };
        Ok((shaders.iter().map(of_stage).collect(), inline_blocks(&plan)))
    }

    /// Translates a stage; returns its module and its captures.
    fn translate(
        &mut self,
        shader: &Shader,
        placements: Placements,
        options: &ProgramOptions,
    ) -> Result<(Module, XfbInfo)> {
        match &shader.source {
            Source::Module(module) => Ok(((**module).clone(), shader.xfb.clone())),
            Source::Words(words) => Ok((words.module.clone(), shader.xfb.clone())),
            Source::Nir(nir) => {
                let captured = self.captured(shader, nir)?;
                let mut nir = (**nir).clone();
                self.translator.set_placements(placements);
                let emit = EmitOptions::default().offer(OFFERED).linkable(true).names(options.names);
                let module = self.translator.translate(&mut nir, &emit);
                let module = module.map_err(|errors| Error::new(errors.to_string()))?;
                Ok((module, captured))
            }
        }
    }

    /// The captures of a shader: its own description, or the one from its stores.
    fn captured(&mut self, shader: &Shader, nir: &ntv::Shader) -> Result<XfbInfo> {
        if !shader.may_capture || !shader.xfb.is_empty() {
            return Ok(shader.xfb.clone());
        }
        let mut nir = nir.clone();
        self.translator.lower(&mut nir, Some("lower_io")).map_err(|errors| Error::new(errors.to_string()))?;
        Ok(std::mem::take(&mut nir.xfb_info))
    }

    /// The number of bytes of push constants of the program: the maximum of the device if a stage reads any.
    fn push_constants(&self, modules: &[&Module]) -> u32 {
        // The words have a variable of this storage class then. The whole range is declared in this case, so that programs share
        // layouts.
        let has = modules.iter().any(|module| reads_push_constants(&module.words));
        if has {
            self.limits.max_push_constants_size
        } else {
            0
        }
    }
}

/// Builds the compute program that captures the outputs of a vertex shader with these attributes. Its resources are those of the
/// vertex stage.
pub(crate) fn capture_program(
    (device, layouts): (&Arc<Logical>, &Layouts),
    target: &Target,
    nir: &ntv::Shader,
    attributes: Vec<Attribute>,
) -> Result<Program> {
    let options = Options::default().target(target.clone()).captures(BackEnd::Compute).attributes(attributes);
    let mut nir = nir.clone();
    let emit = EmitOptions::default().linkable(true);
    let module = Translator::new(options).translate(&mut nir, &emit);
    let module = module.map_err(|errors| Error::new(errors.to_string()))?;
    let push_constants = if reads_push_constants(&module.words) { device.limits.max_push_constants_size } else { 0 };
    let (content, assignments) = Content::collect(&[&module], push_constants, Some(ShaderStage::Vertex))?;
    let layout = layouts.get(device, &content)?;
    let linked = ntv::link::link(&[&module], assignments).map_err(|error| Error::new(error.to_string()))?;
    finish(linked.modules, layout, (XfbInfo::default(), push_constants))
}

/// The blocks of a plan that are in the push constants.
fn inline_blocks(plan: &Plan) -> Vec<InlineBlock> {
    let mut list = Vec::new();
    for block in &plan.blocks {
        let Class::PushConstant { offset } = block.class else { continue };
        for (stage, slot) in &block.stages {
            if let Some(stage) = module_stage(*stage) {
                list.push(InlineBlock { stage, slot: *slot, offset, bytes: block.range });
            }
        }
    }
    list
}

/// Whether the shaders come as words; an error if only some do.
fn is_plain(shaders: &[Arc<Shader>]) -> Result<bool> {
    let of_words = shaders.iter().filter(|shader| matches!(shader.source, Source::Words(_))).count();
    match of_words == 0 || of_words == shaders.len() {
        true => Ok(of_words > 0),
        false => Err(Error::new("a program cannot mix shaders of words with other shaders")),
    }
}

/// Whether a module has a push constant variable.
fn reads_push_constants(words: &[u32]) -> bool {
    const OP_VARIABLE: u32 = 59;
    const PUSH_CONSTANT: u32 = 9;
    let mut at = 5;
    while let Some(first) = words.get(at) {
        if first & 0xffff == OP_VARIABLE && words.get(at + 3) == Some(&PUSH_CONSTANT) {
            return true;
        }
        // No valid module has a length of 0, which would not terminate.
        at += (first >> 16).max(1) as usize;
    }
    false
}

fn finish(modules: Vec<Module>, layout: Arc<super::Layout>, (xfb, push_constants): (XfbInfo, u32)) -> Result<Program> {
    let has = |stage| modules.iter().any(|module| module.stage == stage);
    let (has_fragment, has_tessellation, has_meshes) =
        (has(ShaderStage::Fragment), has(ShaderStage::TessEval), has(ShaderStage::Mesh));
    let vertex = modules.iter().filter(|module| module.stage == ShaderStage::Vertex);
    let inputs = vertex.flat_map(|module| &module.interface).filter(|it| !it.is_output && it.builtin.is_none());
    let inputs = inputs.filter(|it| !it.removed);
    let bits = |it: &ntv::module::Varying| (it.location..it.location + it.locations).fold(0, |all, at| all | bit(at));
    let attributes = inputs.fold(0, |all, it| all | bits(it));
    let seen = modules.iter().fold(0, |all, module| all | module.seen);
    let sized = Key { size: [1; 2], ..Key::new(Key::ORIENTATION) };
    let attachments = modules.iter().flat_map(|module| &module.bindings);
    let reads_framebuffer = attachments.into_iter().any(|it| it.kind == DescriptorKind::InputAttachment);
    let is_sized = modules.iter().any(|module| module.masked(&sized).size != [0; 2]);
    let shaders = modules
        .into_iter()
        .map(|module| variant::NumberedModule { id: crate::resource::unique_id(), module: Arc::new(module) })
        .collect();
    let variants = variant::Program::new(shaders).map_err(|error| Error::new(error.to_string()))?;
    static NEXT: AtomicU32 = AtomicU32::new(1);
    Ok(Program {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        variants,
        layout,
        seen,
        is_sized,
        attributes,
        has_fragment,
        has_tessellation,
        has_meshes,
        xfb,
        captures: BackEnd::default(),
        push_constants,
        inline_blocks: Vec::new(),
        entries: Vec::new(),
        is_plain: false,
        reads_framebuffer,
        capturers: Default::default(),
        pipelines: Default::default(),
    })
}

fn bit(at: u32) -> u32 {
    1u32.checked_shl(at).unwrap_or(0)
}
