//! IR to SPIR-V words in one forward walk.
//!
//! Emission takes a shader in emittable form: what `check` let through and the passes left. It cannot lower anything; what
//! has no SPIR-V form by now is an error. Each instruction of the IR appends its words to the function; types, constants,
//! variables, decorations, capabilities and extensions go to their own sections when something first needs them. There are
//! no instruction objects, and ids are given in the order of need, so the same shader always gives the same words.
//!
//! | file | what |
//! |-|-|
//! | `words`, `module` | buffers of words, the sections of a module |
//! | `types`, `constants`, `capability` | what is written once and found again |
//! | `interface`, `varying`, `locations`, `builtin` | variables with their decorations, inputs and outputs, built-ins |
//! | `entry`, `float_controls` | execution modes |
//! | `body`, `phi` | structured control flow and labels, phis |
//! | `value` | ids of values, at the type and swizzle that their user wants |
//! | `descriptor` | types and variables of textures, images and samplers |
//! | `alu`, `memory`, `global`, `atomic`, `tex`, `image`, `intrinsic`, `subgroup` | one family of instructions each |
//! | `late` | notes of words that may change or go, for links and draws |
//! | `turn`, `epilogue` | what variants do in front of the shader and behind it |
//! | `reflection` | what the module wants from outside, for the driver |
//! | `debug` | names and lines, on request |

mod alu;
mod atomic;
mod body;
mod builtin;
mod capability;
mod constants;
mod debug;
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
mod reflection;
mod subgroup;
mod tex;
mod turn;
mod types;
mod value;
mod varying;
mod words;

use crate::analysis::value_types::ValueTypes;
use crate::entity::SideTable;
use crate::error::{Error, ErrorKind, Errors, Place};
use crate::ir::{Def, Shader, Stage, Type, Var};
use crate::module::{Decisions, Module, Stage as OutStage};
use crate::op::{slots, Intrinsic};
use crate::setters::setters;
use crate::target::{Feature, Target};
use builtin::BuiltinVariable;
use interface::VariableState;
use module::ModuleBuilder;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, MemoryModel};
use words::Dedup;

/// What to emit besides the code.
///
/// ```
/// let options = ntv::EmitOptions::default().names(true).linkable(true);
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default)]
pub struct EmitOptions<'a> {
    /// OpName for variables, types and the entry point.
    pub names: bool,
    /// OpSource with this text and OpLine to the lines of its instructions: file name and contents of the dump.
    pub lines: Option<(&'a str, &'a str)>,
    /// Bits of a [`Key`](crate::Key) that may be asked for later.
    pub offer: u64,
    /// Varyings that another stage does not see may be taken away later.
    pub linkable: bool,
    /// All that the tables would leave open: the words are final then, and the tables empty.
    pub decided: Option<&'a Decisions>,
    /// Nobody asks for more than the words, those of the empty [`Key`](crate::Key): no tables are made, nor lists of varyings and
    /// bindings, but for the patch that [`Module::tcs_vertices_out`] finds.
    pub words_only: bool,
}

setters! {
    EmitOptions<'a> {
        names: bool,
        lines: Option<(&'a str, &'a str)>,
        offer: u64,
        linkable: bool,
        decided: Option<&'a Decisions>,
        words_only: bool,
    }
}

/// Emits a shader in emittable form.
pub fn emit(shader: &Shader, target: &Target, options: &EmitOptions<'_>) -> Result<Module, Errors> {
    Emitter::default().emit(shader, target, options)
}

/// Emits shaders, one after the other, and keeps its memory in between.
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

    /// The same, in the memory of a `module` that nobody needs any more; an error leaves nothing in it.
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

/// Errors are rare and results many: these fit two registers.
type Result<T, E = Box<Error>> = std::result::Result<T, E>;

/// The emission of one shader.
struct Emit<'a> {
    shader: &'a Shader,
    target: &'a Target,
    options: EmitOptions<'a>,
    m: &'a mut ModuleBuilder,
    types: &'a ValueTypes,
    state: &'a mut State,
    /// The module uses the Vulkan memory model.
    vmm: bool,
    /// The built-ins of slots of inputs, and of outputs.
    builtin_slots: [&'static [Option<BuiltIn>]; 2],
}

/// What emission has to remember.
#[derive(Debug, Default)]
struct State {
    values: SideTable<Def, value::Value>,
    /// Pure instructions whose results dominate what is emitted next.
    scope: Dedup,
    /// Components taken out of vectors, likewise.
    lanes: value::Lanes,
    /// Types of variables and their parts, but scalars and vectors: with the first layout of each, and with others.
    types: SideTable<Type, types::LaidOut>,
    other_types: FxHashMap<u64, types::LaidOut>,
    /// A stack of members of structs under construction.
    members: Vec<types::Member>,
    vars: SideTable<Var, VariableState>,
    /// Buffers, images and shared memory, in the order in which they were made.
    memory: Vec<Var>,
    /// Outputs, likewise.
    outputs: Vec<Var>,
    /// Shared memory is seen through several variables.
    shared_views: bool,
    builtins: Vec<BuiltinVariable>,
    /// Some output of a fragment shader is the second source of blending; then all say which they are.
    is_dual_source: bool,
    locations: locations::Locations,
    /// Inputs and outputs that become Private variables, by id.
    redirects: FxHashMap<u32, late::Redirect>,
    /// Pointer types within them, by variable and type.
    redirected_pointers: FxHashMap<(u32, u32), u32>,
    /// Ids that are decorated NonUniform.
    non_uniform: FxHashSet<u32>,
    /// Structs of code and texels, by the texels.
    sparse_reads: FxHashMap<Def, u32>,
    /// The workgroup size as a constant, 0 if not made.
    workgroup_size: u32,
    /// The specialization constant of shared memory, 0 if not made.
    shared_memory: u32,
    /// A stack of ids for operands under construction.
    ids: Vec<u32>,
    flow: body::Flow,
    phis: phi::Phis,
    lines: debug::Lines,
    epilogue: epilogue::Epilogue,
}

impl State {
    fn clear(&mut self, shader: &Shader) {
        self.values.reset(shader.num_defs());
        self.scope.clear();
        self.lanes.clear();
        self.types.reset(shader.types.len());
        self.other_types.clear();
        self.members.clear();
        self.vars.reset(shader.vars.len());
        self.memory.clear();
        self.outputs.clear();
        self.shared_views = false;
        self.builtins.clear();
        self.is_dual_source = false;
        self.locations.clear();
        self.redirects.clear();
        self.redirected_pointers.clear();
        self.non_uniform.clear();
        self.sparse_reads.clear();
        self.workgroup_size = 0;
        self.shared_memory = 0;
        self.ids.clear();
        self.flow.clear();
        self.phis.clear();
        self.lines = debug::Lines::default();
        self.epilogue = epilogue::Epilogue::default();
    }
}

impl<'a> Emit<'a> {
    /// The opcodes and sources of all intrinsics.
    fn intrinsics(&self) -> impl Iterator<Item = (Intrinsic, &'a [Def])> + 'a {
        let shader = self.shader;
        shader.order.iter().filter_map(|inst| shader.as_intrinsic(*inst))
    }

    fn shader(&mut self, module: &mut Module) -> Result<()> {
        let stage = match self.shader.stage() {
            Stage::Vertex => OutStage::Vertex,
            Stage::TessCtrl => OutStage::TessCtrl,
            Stage::TessEval => OutStage::TessEval,
            Stage::Geometry => OutStage::Geometry,
            Stage::Fragment => OutStage::Fragment,
            Stage::Compute | Stage::Kernel => OutStage::Compute,
        };
        let mut memory = MemoryModel::GLSL450;
        if self.vmm {
            memory = MemoryModel::Vulkan;
            self.m.vulkan_memory_model(self.target.has(Feature::vulkanMemoryModelDeviceScope));
        }
        self.state.shared_views = self.finds_shared_views();
        self.source_text();
        self.execution_modes()?;
        if self.options.offer != 0 {
            self.plan_epilogue();
        }
        self.body()?;
        if self.options.offer != 0 {
            self.epilogue();
            self.prologue();
        }
        self.decorate_memory();
        Ok(self.m.finish(stage, memory, module)?)
    }
}

/// The shader is not in emittable form: a fault of ntv's.
#[cold]
fn internal(message: impl Into<String>) -> Box<Error> {
    Box::new(Error::new(ErrorKind::Internal, Place::default(), message))
}

/// Something that is not translated.
#[cold]
fn unsupported(what: impl std::fmt::Display) -> Box<Error> {
    Box::new(Error::new(ErrorKind::Unsupported, Place::default(), format!("{what} is not supported")))
}
