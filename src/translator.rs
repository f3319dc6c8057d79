// SPDX-License-Identifier: MIT

//! Translates shaders to SPIR-V modules: check, passes, emission. The memory of one shader is reused for the next.

use crate::capture::{Attribute, BackEnd};
use crate::check::{self, Checker};
use crate::error::{Error, ErrorKind, Errors, Place};
use crate::ir::Shader;
use crate::module::Module;
use crate::op::Facts;
use crate::pass::{masks, replaced_features, BufferAccess, Context, Masks, Pass, PIPELINE};
use crate::plan::{refused_placement, Placements};
use crate::raise;
use crate::setters::setters;
use crate::spirv::{EmitOptions, Emitter};
use crate::target::{DescriptorLayout, Target};

/// The options of a translation.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The Vulkan driver.
    pub target: Target,
    /// The way in which buffers are read.
    pub buffer_access: BufferAccess,
    /// The assumptions about the shaders.
    pub input: Input,
    /// The storage classes of their uniform blocks: see [`Translator::set_placements`].
    pub placements: Placements,
    /// The part of the system that writes the captures of transform feedback.
    pub captures: BackEnd,
    /// The set of the buffers of a shader with captures, and the binding of the first: the default is
    /// [`BUFFER_BINDING`](crate::capture::BUFFER_BINDING) in the set of storage blocks. The other bindings follow in the order of
    /// their constants.
    pub capture_slot: Option<(u32, u32)>,
    /// The attributes of a vertex shader with captures, which it reads from storage buffers: see [`BackEnd::Compute`] and
    /// [`BackEnd::Storage`].
    pub attributes: Vec<Attribute>,
    /// For [`BackEnd::Storage`] and geometry shaders: the Location at which a vertex shader writes the index of the instance in the
    /// draw, an unsigned integer, and a geometry shader with captures reads it. It must not be used otherwise. A vertex shader
    /// writes it if this is set, with and without captures. Without it, every draw of a geometry shader with captures has one
    /// instance. If `shaderDrawParameters` is missing, the first instance of every draw has to be 0.
    pub instance_location: Option<u32>,
}

setters! {
    Options {
        target: Target,
        buffer_access: BufferAccess,
        input: Input,
        placements: Placements,
        captures: BackEnd,
        capture_slot: Option<(u32, u32)>,
        attributes: Vec<Attribute>,
        instance_location: Option<u32>,
    }
}

/// The assumptions about the shaders to be translated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// None: a violation of NIR's rules is an error, with a message for each.
    #[default]
    Unknown,
    /// They follow the rules of NIR that [`validate`](check::validate) checks. The translator then only checks for shaders without
    /// a translation, which takes very little time, and refuses them.
    ///
    /// A shader that violates a rule leads to an error, a panic, or an invalid module; the result is not specified. Debug builds
    /// check the rules.
    Valid,
}

/// Translates shaders, one after the other. Use one per thread.
#[derive(Debug)]
pub struct Translator {
    context: Context,
    /// The facts for which each pass runs.
    masks: Masks,
    input: Input,
    checker: Checker,
    emitter: Emitter,
}

impl Translator {
    /// A translator with `options`.
    pub fn new(options: Options) -> Translator {
        let (input, context) = (options.input, options.into());
        Translator { masks: masks(&context), context, input, checker: Checker::default(), emitter: Emitter::default() }
    }

    /// Sets the options of the following translations.
    pub fn set_options(&mut self, options: Options) {
        self.input = options.input;
        self.context = options.into();
        self.masks = masks(&self.context);
    }

    /// Sets the storage classes of uniform blocks for the following translations: those of a [plan](crate::plan) for their stage.
    pub fn set_placements(&mut self, placements: Placements) {
        if self.context.placements != placements {
            self.context.placements = placements;
            self.masks = masks(&self.context);
        }
    }

    /// The storage classes of uniform blocks.
    pub fn placements(&self) -> &Placements {
        &self.context.placements
    }

    /// Sets the sets and bindings of descriptors for the following translations.
    pub fn set_descriptors(&mut self, descriptors: DescriptorLayout) {
        self.context.target.descriptors = descriptors;
    }

    /// The sets and bindings of descriptors.
    pub fn descriptors(&self) -> DescriptorLayout {
        self.context.target.descriptors
    }

    /// Checks `shader` and runs the passes on it, up to and including the one called `stop_after`, if given.
    pub fn lower(&mut self, shader: &mut Shader, stop_after: Option<&str>) -> Result<(), Errors> {
        let is_raised = raise::is_needed(shader);
        if is_raised {
            self.raise(shader)?;
        }
        match self.input {
            Input::Unknown => self.checker.check(shader, &self.context.target)?,
            Input::Valid => self.checker.check_valid(shader, &self.context.target)?,
        }
        if let Some(error) = check::refused_captures(shader, self.context.captures, &self.context.target) {
            return Err(error.into());
        }
        if let Some((block, why)) = refused_placement(shader, &self.context.placements) {
            let message = format!("uniform block {block} cannot be in push constants: {why}");
            return Err(Error::new(ErrorKind::Unsupported, Place::default(), message).into());
        }
        // Mesa has optimised the shader, so only what was made of it needs to be cleaned up.
        shader.set_tidy(!is_raised);
        self.run_passes(shader, stop_after);
        Ok(())
    }

    /// Makes the NIR of a Vulkan driver that of a Gallium driver.
    #[cold]
    #[inline(never)]
    fn raise(&mut self, shader: &mut Shader) -> Result<(), Errors> {
        if self.input == Input::Unknown || cfg!(debug_assertions) {
            self.checker.validate(shader)?;
        }
        raise::raise(shader, &self.context.target.descriptors)
    }

    /// Runs the passes that `shader` needs. Most shaders need few.
    fn run_passes(&self, shader: &mut Shader, stop_after: Option<&str>) {
        let ends = |name| PIPELINE.iter().position(|pass| pass.name == name).map_or(0, |at| at + 1);
        let passes = &PIPELINE[..stop_after.map_or(PIPELINE.len(), ends)];
        let (mut facts, mut removed) = (shader.facts(), Facts::empty());
        for (pass, mask) in passes.iter().zip(&self.masks) {
            if facts.intersects(*mask) {
                pass.run_needed(shader, &self.context);
                // Passes may add facts for later ones.
                facts = shader.facts();
                if cfg!(debug_assertions) {
                    assert_sound(shader, pass, removed | pass.removes);
                }
            } else if cfg!(debug_assertions) && !mask.is_empty() {
                self.assert_idle(shader, pass);
            }
            removed |= pass.removes;
        }
    }

    /// Checks that a skipped pass would not change the shader. Large shaders are not checked, as it takes long.
    fn assert_idle(&self, shader: &Shader, pass: &Pass) {
        const MOST: usize = 400;
        if shader.order.len() < MOST {
            let mut copy = shader.clone();
            (pass.run)(&mut copy, &self.context);
            assert!(copy == *shader, "{} was not needed, but changes the shader", pass.name);
        }
    }

    /// Translates `shader`, which is left in its lowered form.
    pub fn translate(&mut self, shader: &mut Shader, options: &EmitOptions<'_>) -> Result<Module, Errors> {
        let mut module = Module::default();
        self.translate_to(shader, options, &mut module)?;
        Ok(module)
    }

    /// Translates `shader` into the memory of an unused `module`. After an error, the module is empty.
    pub fn translate_to(
        &mut self,
        shader: &mut Shader,
        options: &EmitOptions<'_>,
        module: &mut Module,
    ) -> Result<(), Errors> {
        let mut options = *options;
        if self.context.captures.is_within(shader) {
            options.keep_captures();
        }
        self.context.pushed = options.pushed_offset(shader.stage());
        let lowered = self.lower(shader, None);
        self.context.pushed = None;
        if let Err(errors) = lowered {
            *module = Module::default();
            return Err(errors);
        }
        self.emitter.emit_to(shader, &self.context.target, &options, module)
    }
}

impl From<Options> for Context {
    /// The part of the options that passes read.
    fn from(options: Options) -> Context {
        let Options { mut target, buffer_access, placements, captures, capture_slot, attributes, .. } = options;
        replaced_features(captures).iter().for_each(|feature| target.set(*feature, true));
        let instance_location = options.instance_location;
        let pushed = None;
        Context { target, buffer_access, placements, captures, capture_slot, attributes, instance_location, pushed }
    }
}

impl Default for Translator {
    fn default() -> Translator {
        Translator::new(Options::default())
    }
}

/// Checks that `pass` kept the rules of NIR, and that the facts that it and earlier passes removed are gone. A failure is an error
/// in ntv.
fn assert_sound(shader: &Shader, pass: &Pass, removed: Facts) {
    let name = pass.name;
    let facts = shader.recorded_again().unwrap_or_else(|fault| panic!("{fault} after {name}"));
    assert!(!facts.intersects(removed), "{:?} left after {name}", facts & removed);
    if let Err(errors) = check::validate(shader) {
        panic!("{name} broke the shader: {errors}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// Also up to the last pass, whose number is that of the bits of a word.
    #[test]
    fn a_shader_is_lowered_up_to_each_pass() {
        let dump = include_str!("../examples/fog.nir");
        let lowered_up_to = |name: Option<&str>| {
            let mut shader = text::parse(dump).expect("a shader");
            Translator::default().lower(&mut shader, name).expect("a lowered shader");
            shader
        };
        let forms: Vec<Shader> = PIPELINE.iter().map(|pass| lowered_up_to(Some(pass.name))).collect();
        assert!(forms.last() == Some(&lowered_up_to(None)));
        assert!(forms.first() != forms.last());
    }
}
