//! From a shader to a SPIR-V module: check, passes, emission, with the memory of one shader reused for the next.

use crate::check::{self, Checker};
use crate::error::Errors;
use crate::ir::Shader;
use crate::module::Module;
use crate::pass::{pipeline::PIPELINE, BufferAccess, Context, Forms, Pass};
use crate::spirv::{EmitOptions, Emitter};
use crate::target::Target;

/// What a translation depends on besides the shader.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The driver below.
    pub target: Target,
    /// How buffers are read.
    pub buffer_access: BufferAccess,
    /// What is known of the shaders.
    pub input: Input,
}

/// What is known of the shaders that are to be translated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing: what breaks a rule of NIR is an error, with a message for each breach.
    #[default]
    Unknown,
    /// They keep the rules of NIR, those that [`validate`](check::validate) looks for. Only what has no translation is looked for,
    /// which takes next to no time, and refused as ever.
    ///
    /// One that breaks a rule all the same is an error or a panic, or gives a module that is not valid; there is no telling which.
    /// Debug builds check it.
    Valid,
}

/// Translates shaders, one after the other. Use one per thread.
#[derive(Debug, Default)]
pub struct Translator {
    context: Context,
    input: Input,
    checker: Checker,
    emitter: Emitter,
}

impl Translator {
    /// A translator with `options`.
    pub fn new(options: Options) -> Translator {
        let mut translator = Translator::default();
        translator.set_options(options);
        translator
    }

    /// From now on, translates with `options`.
    pub fn set_options(&mut self, options: Options) {
        let Options { target, buffer_access, input } = options;
        self.context = Context { target, buffer_access };
        self.input = input;
    }

    /// Checks `shader` and runs the passes on it, up to and including the one called `stop_after`, if given.
    pub fn lower(&mut self, shader: &mut Shader, stop_after: Option<&str>) -> Result<(), Errors> {
        match self.input {
            Input::Unknown => self.checker.check(shader, &self.context.target)?,
            Input::Valid => self.checker.check_valid(shader, &self.context.target)?,
        }
        // Mesa optimises before: what is to clean up is what the passes leave.
        shader.set_tidy(true);
        let mut gone = Forms::empty();
        for pass in PIPELINE {
            (pass.run)(shader, &self.context);
            gone |= pass.removes;
            if cfg!(debug_assertions) {
                assert_sound(shader, pass, gone);
            }
            if stop_after == Some(pass.name) {
                break;
            }
        }
        Ok(())
    }

    /// Translates `shader`, which is left in its lowered form.
    pub fn translate(&mut self, shader: &mut Shader, options: &EmitOptions<'_>) -> Result<Module, Errors> {
        let mut module = Module::default();
        self.translate_to(shader, options, &mut module)?;
        Ok(module)
    }

    /// The same, in the memory of a `module` that nobody needs any more; an error leaves nothing in it.
    pub fn translate_to(
        &mut self,
        shader: &mut Shader,
        options: &EmitOptions<'_>,
        module: &mut Module,
    ) -> Result<(), Errors> {
        if let Err(errors) = self.lower(shader, None) {
            *module = Module::default();
            return Err(errors);
        }
        self.emitter.emit_to(shader, &self.context.target, options, module)
    }
}

/// Looks whether `pass` kept the rules of NIR, and whether the forms that are `gone` are; our bug if not.
fn assert_sound(shader: &Shader, pass: &Pass, gone: Forms) {
    let left = Forms::of(shader) & gone;
    assert!(left.is_empty(), "{left:?} left after {}", pass.name);
    let unlisted = shader.order.iter().find(|inst| !shader.inventory().lists(shader, **inst));
    assert!(unlisted.is_none(), "{unlisted:?} is not in the inventory after {}", pass.name);
    if let Err(errors) = check::validate(shader) {
        panic!("{} broke the shader: {errors}", pass.name);
    }
}
