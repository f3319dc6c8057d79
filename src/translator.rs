//! From a shader to a SPIR-V module: check, passes, emission, with the memory of one shader reused for the next.

use crate::capture::{Attribute, BackEnd};
use crate::check::{self, Checker};
use crate::error::{Error, ErrorKind, Errors, Place};
use crate::ir::{Shader, Stage};
use crate::module::Module;
use crate::op::Needs;
use crate::pass::pipeline::{met_by, PIPELINE};
use crate::pass::{has_stores, is_captured, BufferAccess, Context, Forms, Pass};
use crate::plan::Placements;
use crate::setters::setters;
use crate::spirv::{EmitOptions, Emitter};
use crate::target::{Feature, Target};

/// What a translation depends on besides the shader.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The driver below.
    pub target: Target,
    /// How buffers are read.
    pub buffer_access: BufferAccess,
    /// What is known of the shaders.
    pub input: Input,
    /// Where their uniform blocks are: see [`Translator::set_placements`].
    pub placements: Placements,
    /// Who writes what transform feedback captures.
    pub captures: BackEnd,
    /// The set of the buffers that a shader which captures by itself has, and the binding of the first:
    /// [`BUFFER_BINDING`](crate::capture::BUFFER_BINDING) in the set of storage blocks if none is given. The other bindings follow as their
    /// constants do.
    pub capture_slot: Option<(u32, u32)>,
    /// Where a vertex shader finds the attributes of its vertices if it writes captures itself: see [`BackEnd::Compute`] and
    /// [`BackEnd::Storage`].
    pub attributes: Vec<Attribute>,
    /// For [`BackEnd::Storage`] and geometry shaders: the Location at which a vertex shader writes, and a geometry shader that captures
    /// reads, the number of the instance in the draw, an unsigned integer. Nothing else may be there. A vertex shader writes it if
    /// this says so, whether it captures or not. Without it every draw of a geometry shader that captures has one instance. Where
    /// `shaderDrawParameters` is missing, the first instance of every draw has to be 0.
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
#[derive(Debug)]
pub struct Translator {
    context: Context,
    /// What the target does not need passes for.
    met: Needs,
    input: Input,
    checker: Checker,
    emitter: Emitter,
}

impl Translator {
    /// A translator with `options`.
    pub fn new(options: Options) -> Translator {
        let (input, context) = (options.input, options.into());
        Translator { met: met_by(&context), context, input, checker: Checker::default(), emitter: Emitter::default() }
    }

    /// From now on, translates with `options`.
    pub fn set_options(&mut self, options: Options) {
        self.input = options.input;
        self.context = options.into();
        self.met = met_by(&self.context);
    }

    /// Says where the uniform blocks of the shaders that are translated next are: what a [plan](crate::plan) says of their stage.
    pub fn set_placements(&mut self, placements: Placements) {
        if self.context.placements != placements {
            self.context.placements = placements;
            self.met = met_by(&self.context);
        }
    }

    /// Where it takes the uniform blocks of shaders to be.
    pub fn placements(&self) -> &Placements {
        &self.context.placements
    }

    /// Checks `shader` and runs the passes on it, up to and including the one called `stop_after`, if given.
    pub fn lower(&mut self, shader: &mut Shader, stop_after: Option<&str>) -> Result<(), Errors> {
        match self.input {
            Input::Unknown => self.checker.check(shader, &self.context.target)?,
            Input::Valid => self.checker.check_valid(shader, &self.context.target)?,
        }
        if let Some(why) = refused_captures(shader, &self.context) {
            return Err(Error::new(ErrorKind::Unsupported, Place::default(), why).into());
        }
        if has_stores(shader, &self.context) {
            shader.ask_for(Needs::CAPTURES);
        }
        // Mesa optimises before: what is to clean up is what the passes leave.
        shader.set_tidy(true);
        self.run_passes(shader, stop_after);
        Ok(())
    }

    /// Runs the passes that `shader` needs. Most shaders need none.
    fn run_passes(&self, shader: &mut Shader, stop_after: Option<&str>) {
        let mut left = Needs::all() - self.met;
        if let Some(name) = stop_after {
            let end = PIPELINE.iter().position(|pass| pass.name == name).map_or(PIPELINE.len(), |at| at + 1);
            left &= Needs::from_bits_retain((1 << end) - 1);
        }
        loop {
            // Passes make needs of later ones.
            let needs = shader.needs() & left;
            let next = needs.bits().trailing_zeros();
            if cfg!(debug_assertions) {
                self.assert_idle(shader, left, next as usize);
            }
            let Some(pass) = PIPELINE.get(next as usize) else { break };
            (pass.run)(shader, &self.context);
            left &= Needs::from_bits_retain(u32::MAX << next << 1);
            if cfg!(debug_assertions) {
                assert_sound(shader, &PIPELINE[..=next as usize]);
            }
        }
    }

    /// Looks whether the passes before the one `at` this place, which were not called though they are `left` to call, would leave
    /// the shader alone. Not of large shaders, as this takes long.
    fn assert_idle(&self, shader: &Shader, left: Needs, at: usize) {
        const MOST: usize = 400;
        assert!(shader.has_entered_variables(), "a variable was not declared");
        let left_before = |(number, pass): &(usize, &Pass)| *number < at && left.intersects(pass.needs);
        for (_, pass) in PIPELINE.iter().enumerate().filter(left_before).filter(|_| shader.order.len() < MOST) {
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

impl From<Options> for Context {
    /// The part of the options that passes read. A shader that writes its captures itself needs no feature of the device for them.
    fn from(options: Options) -> Context {
        let Options { mut target, buffer_access, placements, captures, capture_slot, attributes, .. } = options;
        if captures != BackEnd::Extension {
            target.set(Feature::transformFeedback, true);
        }
        if captures == BackEnd::Storage {
            target.set(Feature::geometryStreams, true);
        }
        let instance_location = options.instance_location;
        Context { target, buffer_access, placements, captures, capture_slot, attributes, instance_location }
    }
}

/// Why a shader cannot write its captures itself, if it has any and is to.
fn refused_captures(shader: &Shader, context: &Context) -> Option<&'static str> {
    if context.captures == BackEnd::Extension || !is_captured(shader) {
        return None;
    }
    let has_stores = context.target.has(Feature::vertexPipelineStoresAndAtomics);
    match (context.captures, shader.stage()) {
        (BackEnd::Compute, Stage::Vertex) => check::writes_memory(shader)
            .then_some("a compute shader takes the captures of vertex shaders that write no memory only"),
        (BackEnd::Compute, _) => Some("a compute shader takes the captures of vertex shaders only"),
        (_, Stage::Vertex | Stage::Geometry) if has_stores => None,
        (_, Stage::Vertex | Stage::Geometry) => {
            Some("storage buffers for captures need feature vertexPipelineStoresAndAtomics, which the target lacks")
        }
        (_, Stage::TessEval) => Some(
            "storage buffers do not take the captures of tessellation evaluation shaders: put a geometry shader that passes \
             everything on after it",
        ),
        _ => Some("storage buffers take the captures of vertex and geometry shaders only"),
    }
}

impl Default for Translator {
    fn default() -> Translator {
        Translator::new(Options::default())
    }
}

/// Looks whether the last of `passes` kept the rules of NIR, and whether what all of them remove is gone; our bug if not.
fn assert_sound(shader: &Shader, passes: &[Pass]) {
    let name = passes.last().map_or("", |pass| pass.name);
    let left = passes.iter().fold(Forms::empty(), |gone, pass| gone | pass.removes) & Forms::of(shader);
    assert!(left.is_empty(), "{left:?} left after {name}");
    let unlisted = shader.order.iter().find(|inst| !shader.is_entered(**inst));
    assert!(unlisted.is_none(), "{unlisted:?} is not in the inventory after {name}");
    if let Err(errors) = check::validate(shader) {
        panic!("{name} broke the shader: {errors}");
    }
}
