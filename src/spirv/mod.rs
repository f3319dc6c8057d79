// SPDX-License-Identifier: MIT

//! IR to SPIR-V words in one forward walk.
//!
//! Emission takes a shader in emittable form: `check` has accepted it, and the passes have lowered it. Emission does not lower; an
//! instruction without a SPIR-V form is an error. Each instruction of the IR appends its words to the function; types, constants,
//! variables, decorations, capabilities and extensions are added to their sections at their first use. There are no instruction
//! objects, and ids are assigned in the order of use, so the same shader always has the same words.
//!
//! | file | contents |
//! |-|-|
//! | `words`, `module` | buffers of words, the sections of a module |
//! | `types`, `constants`, `capability` | declarations that are written once and reused |
//! | `interface`, `varying`, `locations`, `builtin` | variables with their decorations, inputs and outputs, built-ins |
//! | `entry`, `float_controls` | execution modes |
//! | `body`, `phi` | structured control flow and labels, phis |
//! | `value` | ids of values, with the type and swizzle that their users need |
//! | `descriptor` | types and variables of textures, images and samplers |
//! | `uniform` | reads of uniform blocks at constant offsets |
//! | `by_slot` | accesses to inputs and outputs by slot, stores to outputs |
//! | `alu`, `memory`, `global`, `atomic`, `tex`, `image`, `intrinsic`, `subgroup` | one family of instructions each |
//! | `late` | records of words that may change or be removed, for links and draws |
//! | `turn`, `epilogue` | changes of variants before and after the shader |
//! | `colors`, `pushed` | clamps and tests of colours in the latter, and the push constants that they read |
//! | `reflection` | the resources of the module, for the driver |
//! | `debug` | names and lines, if they are requested |

mod alu;
mod atomic;
mod body;
mod builtin;
mod by_slot;
mod capability;
mod colors;
mod constants;
mod debug;
mod declared;
mod descriptor;
mod entry;
mod epilogue;
mod float_controls;
mod global;
mod image;
mod initializer;
mod interface;
mod intrinsic;
mod late;
mod layout;
mod locations;
mod memory;
mod module;
mod phi;
mod pushed;
mod reflection;
mod replaced;
mod subgroup;
mod tex;
mod turn;
mod types;
mod uniform;
mod value;
mod varying;
mod words;

use crate::analysis::push_constants::PushConstants;
use crate::analysis::value_types::ValueTypes;
use crate::error::{Error, ErrorKind, Errors, Place};
use crate::ir::{Def, Shader, Stage};
use crate::module::{Decisions, Key, Module, ShaderStage};
use crate::op::{slots, Intrinsic};
use crate::setters::setters;
use crate::target::{Feature, Target};
use module::ModuleBuilder;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, MemoryModel};

/// Options of emission.
///
/// ```
/// let options = ntv::EmitOptions::default().names(true).linkable(true);
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct EmitOptions<'a> {
    /// OpName for variables, types and the entry point.
    pub names: bool,
    /// The file name and contents of the dump: OpSource with this text, and OpLine with the lines of its instructions, which are
    /// in [`Shader::lines`].
    pub lines: Option<(&'a str, &'a str)>,
    /// Bits of a [`Key`](crate::Key) that may be set later.
    pub offer: u64,
    /// Varyings that another stage does not use may be removed later.
    pub linkable: bool,
    /// For tests: all decisions that the tables would leave open. The words are then final, and the tables empty.
    #[doc(hidden)]
    pub decided: Option<&'a Decisions>,
    /// Only the words for the empty [`Key`](crate::Key) are needed: there are no tables, and no lists of varyings and bindings,
    /// except for the patch that [`Module::tcs_vertices_out`] finds.
    pub words_only: bool,
    /// The push constants that words of options read.
    pub push_constants: PushConstants,
}

setters! {
    EmitOptions<'a> {
        names: bool,
        lines: Option<(&'a str, &'a str)>,
        offer: u64,
        linkable: bool,
        #[doc(hidden)]
        decided: Option<&'a Decisions>,
        words_only: bool,
        push_constants: PushConstants,
    }
}

impl EmitOptions<'_> {
    /// Offers no key that changes what a shader captures: its own stores of captures are before the clamp at its end.
    pub(crate) fn keep_captures(&mut self) {
        self.offer &= !Key::CLAMP_COLORS;
    }

    /// The byte offset of the push constant that a key may read in this stage.
    pub(crate) fn pushed_offset(&self, stage: Stage) -> Option<u32> {
        let (offset, bits) = match stage {
            Stage::Fragment => (self.push_constants.alpha_reference, Key::ALPHA_TEST),
            Stage::Vertex | Stage::TessEval | Stage::Geometry => (self.push_constants.point_size, Key::POINT_SIZE),
            _ => (None, 0),
        };
        offset.filter(|offset| self.offer & bits != 0 && offset % 4 == 0)
    }
}

/// Emits a shader in emittable form.
pub fn emit(shader: &Shader, target: &Target, options: &EmitOptions<'_>) -> Result<Module, Errors> {
    Emitter::default().emit(shader, target, options)
}

/// Emits shaders, one after the other, and keeps its memory for reuse.
#[derive(Debug, Default)]
pub struct Emitter {
    module: ModuleBuilder,
    types: ValueTypes,
    state: State,
}

impl Emitter {
    /// Emits a shader in emittable form.
    pub fn emit(&mut self, shader: &Shader, target: &Target, options: &EmitOptions<'_>) -> Result<Module, Errors> {
        let mut module = Module::default();
        self.emit_to(shader, target, options, &mut module)?;
        Ok(module)
    }

    /// Emits a shader into the memory of an unused `module`. After an error, the module is empty.
    pub fn emit_to(
        &mut self,
        shader: &Shader,
        target: &Target,
        options: &EmitOptions<'_>,
        module: &mut Module,
    ) -> Result<(), Errors> {
        self.module.begin(target.spirv_version(), options);
        self.types.infer_for(shader, target);
        self.state.clear(shader);
        let vmm = target.has(Feature::vulkanMemoryModel);
        let (m, types, state) = (&mut self.module, &self.types, &mut self.state);
        let (stage, in_fragment) = (shader.stage(), shader.stage() == Stage::Fragment);
        let builtin_slots =
            [slots::builtins(stage.slot_kind(false), in_fragment), slots::builtins(stage.slot_kind(true), false)];
        let mut emit = Emit { shader, target, options: *options, m, types, state, vmm, builtin_slots };
        emit.shader(module).map_err(|error| {
            *module = Module::default();
            Errors::from(*error)
        })
    }
}

/// Errors are rare and results frequent: these fit in two registers.
type Result<T, E = Box<Error>> = std::result::Result<T, E>;

/// The emission of one shader.
struct Emit<'a> {
    shader: &'a Shader,
    target: &'a Target,
    options: EmitOptions<'a>,
    m: &'a mut ModuleBuilder,
    types: &'a ValueTypes,
    state: &'a mut State,
    /// Whether the module uses the Vulkan memory model.
    vmm: bool,
    /// The built-ins of the slots of inputs and of outputs.
    builtin_slots: [&'static [Option<BuiltIn>]; 2],
}

/// The state of emission.
#[derive(Debug, Default)]
struct State {
    values: value::Values,
    types: types::AggregateTypes,
    vars: interface::Variables,
    builtins: Vec<builtin::BuiltinVariable>,
    /// An output of a fragment shader is the second source of blending; then all outputs have an index.
    is_dual_source: bool,
    locations: locations::Locations,
    uniforms: uniform::Uniforms,
    slots: by_slot::Slots,
    /// A buffer for the order of inputs and outputs.
    places: Vec<declared::Place>,
    redirects: late::Redirects,
    /// Ids that are decorated NonUniform.
    non_uniform: FxHashSet<u32>,
    /// Structs of residency code and texels, by the texels.
    sparse_reads: FxHashMap<Def, u32>,
    /// The workgroup size as a constant, 0 if not created.
    workgroup_size: u32,
    /// The specialization constant of shared memory, 0 if not created.
    shared_memory: u32,
    /// A stack of ids for operands under construction.
    ids: Vec<u32>,
    flow: body::Flow,
    phis: phi::Phis,
    lines: debug::Lines,
    epilogue: epilogue::Epilogue,
    fast_math: Option<float_controls::FastMath>,
}

impl From<Stage> for ShaderStage {
    /// The stage of the module: that of a kernel is a compute shader.
    fn from(stage: Stage) -> ShaderStage {
        match stage {
            Stage::Vertex => ShaderStage::Vertex,
            Stage::TessCtrl => ShaderStage::TessCtrl,
            Stage::TessEval => ShaderStage::TessEval,
            Stage::Geometry => ShaderStage::Geometry,
            Stage::Fragment => ShaderStage::Fragment,
            Stage::Compute | Stage::Kernel => ShaderStage::Compute,
            Stage::Task => ShaderStage::Task,
            Stage::Mesh => ShaderStage::Mesh,
        }
    }
}

impl State {
    fn clear(&mut self, shader: &Shader) {
        self.values.reset(shader.num_defs());
        self.types.reset(shader.types.len());
        self.vars.reset(shader.vars.len());
        self.builtins.clear();
        self.is_dual_source = false;
        self.locations.clear();
        self.redirects.clear();
        self.non_uniform.clear();
        self.sparse_reads.clear();
        self.workgroup_size = 0;
        self.shared_memory = 0;
        self.ids.clear();
        self.flow.clear();
        self.phis.clear();
        self.lines = debug::Lines::default();
        self.epilogue = epilogue::Epilogue::default();
        self.fast_math = None;
    }
}

impl<'a> Emit<'a> {
    /// The opcodes and sources of all intrinsics.
    fn intrinsics(&self) -> impl Iterator<Item = (Intrinsic, &'a [Def])> + 'a {
        let shader = self.shader;
        shader.order.iter().filter_map(|inst| shader.as_intrinsic(*inst))
    }

    fn shader(&mut self, module: &mut Module) -> Result<()> {
        let stage = ShaderStage::from(self.shader.stage());
        let mut memory = MemoryModel::GLSL450;
        if self.vmm {
            memory = MemoryModel::Vulkan;
            self.m.vulkan_memory_model(self.target.has(Feature::vulkanMemoryModelDeviceScope));
        }
        self.state.vars.are_shared_views = self.finds_shared_views();
        self.state.slots.find(self.shader, self.types);
        self.state.uniforms.find(self.shader, self.target, self.types);
        self.source_text();
        if self.options.offer != 0 {
            self.plan_epilogue();
        }
        self.execution_modes()?;
        self.declare_io()?;
        self.body()?;
        if self.options.offer != 0 {
            self.epilogue();
            self.prologue();
        }
        self.decorate_memory();
        module.has_exact_inputs = self.options.linkable && !self.target.has(Feature::maintenance4);
        Ok(self.m.finish(stage, memory, module)?)
    }
}

/// The shader is not in emittable form: an error in ntv.
#[cold]
fn internal(message: impl Into<String>) -> Box<Error> {
    Box::new(Error::new(ErrorKind::Internal, Place::default(), message))
}

/// An unsupported feature.
#[cold]
fn unsupported(what: impl std::fmt::Display) -> Box<Error> {
    Box::new(Error::new(ErrorKind::Unsupported, Place::default(), format!("{what} is not supported")))
}
