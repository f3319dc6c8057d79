// SPDX-License-Identifier: MIT

//! The command line: subcommands, their options, and the values of the options.

use crate::names::{features, passes, workarounds};
use anyhow::{ensure, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use ntv::capture::BackEnd;
use ntv::pass::{PARTS, PIPELINE};
use ntv::plan::{BlockPlacement, Class, Placements};
use ntv::{BufferAccess, Feature, Options, Target, Workaround};
use ntv_report::assembly::Look;
use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Translates NIR, the shader IR of Mesa, to SPIR-V for Vulkan.
///
/// IN is a file with dumps of NIR, a log with dumps in it, a file that a driver wrote through ntv_wire.h (.ntvw), a folder (every
/// .nir, .log and .ntvw file below it), or - for stdin. It may also be GLSL (.vert, .frag, .comp and so on, or .shader_test), which
/// the installed Mesa compiles to NIR: see ntv help glsl.
#[derive(Parser)]
#[command(name = "ntv", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print errors, summaries and tables as JSON, one object per line.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// The number of threads [default: one per core].
    #[arg(long, global = true, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// A subcommand.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Translate shaders to SPIR-V.
    Compile(CompileArgs),
    /// Compile GLSL to NIR with the installed Mesa.
    Glsl(GlslArgs),
    /// Report errors in shaders.
    Check(CheckArgs),
    /// Print shaders as NIR in the dialect of Mesa 25.0.
    Print(PrintArgs),
    /// Run one pass on shaders and print them.
    Pass(PassArgs),
    /// Print the control flow of shaders as a Graphviz graph.
    Cfg(PrintArgs),
    /// Find the smallest shader that still makes a command fail.
    Reduce(ReduceArgs),
    /// Run shaders on the interpreter, or on a Vulkan device, and print what they wrote.
    Run(RunArgs),
    /// Decide whether the SPIR-V of shaders means what their NIR means, for all inputs.
    Prove(ProveArgs),
    /// Draw a scene with ntv's own driver.
    Draw(DrawArgs),
    /// Print for each uniform block of a program whether shaders read it through a uniform buffer, a storage buffer or push
    /// constants, and why.
    Plan(PlanArgs),
    /// Link the stages of a pipeline: remove inputs and outputs that only one stage uses, and pack locations.
    Link(LinkArgs),
    /// Print the interface of shaders and modules: descriptors, inputs, outputs and constants, with names, types and sizes.
    Reflect(ReflectArgs),
    /// Write the variant of a module for the state of a draw.
    Variant(VariantArgs),
    /// Print the mechanism by which a module applies each option that is known only at link or draw time, and why.
    Options,
    /// Print the features that a target may have, by Vulkan's names, and the first target that has each.
    Features(FeaturesArgs),
    /// Write shaders as words, as a C driver passes them on.
    Wire(WireArgs),
    /// Compare two modules, whatever their ids are.
    Diff(DiffArgs),
    /// Store a module with its tables, so that it can be linked and patched without parsing it again.
    Import(ImportArgs),
    /// Add to a dump of spirv2nir the offsets, strides and descriptor sets that it does not have, from the module it was made of.
    Annotate(AnnotateArgs),
    /// Show in the browser how a shader becomes SPIR-V.
    Explore(ExploreArgs),
    /// Print a script that completes the options of ntv in a shell.
    Completions(CompletionsArgs),
    /// Write the manual pages.
    Man(ManArgs),
    /// The process of Mesa: see glsl/mesa.rs.
    #[command(name = crate::glsl::CHILD, hide = true)]
    CompileWithMesa {
        /// The folder with the request.
        folder: PathBuf,
    },
}

/// The modules of the inputs: a shader (.nir, ...) is translated, SPIR-V (.spv) is parsed once, and a stored module
/// (.ntvm) is read.
#[derive(clap::Args)]
pub(crate) struct ModuleArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,

    /// Keep the names of variables in modules of shaders.
    #[arg(long)]
    pub(crate) names: bool,

    /// Put the file name and line of each instruction into modules of shaders.
    #[arg(long)]
    pub(crate) lines: bool,

    /// The byte offset in the push constants of the float that alpha is compared with, for keys with alpha_test.
    #[arg(long, value_name = "OFFSET")]
    pub(crate) alpha_reference: Option<u32>,

    /// The byte offset in the push constants of the point size, for keys with point_size [default: the size is 1].
    #[arg(long, value_name = "OFFSET")]
    pub(crate) point_size: Option<u32>,

    /// Validate the words with the installed spirv-val.
    #[arg(long)]
    pub(crate) validate: bool,

    /// Whether disassembly has colors [default: on a terminal, unless NO_COLOR is set].
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub(crate) color: When,
}

impl ModuleArgs {
    /// The look of disassembly on stdout.
    pub(crate) fn look(&self) -> Look {
        Look { names: self.names, colors: self.color.is_now() }
    }
}

/// When text has colors.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless the environment has NO_COLOR.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl When {
    /// Whether text on stdout has colors.
    pub(crate) fn is_now(self) -> bool {
        match self {
            When::Auto => std::io::stdout().is_terminal() && wants_color(),
            When::Always => true,
            When::Never => false,
        }
    }
}

/// Whether the environment allows colors: <https://no-color.org>.
pub(crate) fn wants_color() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Arguments of `ntv diff`.
#[derive(clap::Args)]
pub(crate) struct DiffArgs {
    /// A shader, SPIR-V, or a stored module.
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,

    /// The other one [default: A, with another key or target].
    #[arg(value_name = "B")]
    pub(crate) second: Option<PathBuf>,

    /// The key of both modules: see ntv variant.
    #[arg(long, value_name = "KEY", default_value = "")]
    pub(crate) key: String,

    /// The key of the second module instead.
    #[arg(long, value_name = "KEY")]
    pub(crate) other_key: Option<String>,

    /// The Vulkan version of the target of the second module instead.
    #[arg(long, value_name = "T", hide_possible_values = true, value_parser = presets())]
    other_target: Option<Target>,

    /// More features for the second module, by Vulkan's names.
    #[arg(long, value_name = "F", value_delimiter = ',', hide_possible_values = true, value_parser = features())]
    other_enable: Vec<Feature>,

    /// Features that the second module must not have.
    #[arg(long, value_name = "F", value_delimiter = ',', hide_possible_values = true, value_parser = features())]
    other_disable: Vec<Feature>,

    #[command(flatten)]
    pub(crate) modules: ModuleArgs,
}

impl DiffArgs {
    /// Whether the second module has another target.
    pub(crate) fn changes_target(&self) -> bool {
        self.other_target.is_some() || !self.other_enable.is_empty() || !self.other_disable.is_empty()
    }

    /// The options of the translator for the second module.
    pub(crate) fn other_options(&self) -> Result<Options> {
        let own = &self.modules.target;
        let target = own.target_of(self.other_target.as_ref().unwrap_or(&own.target))?;
        let mut options = own.options()?.target(target);
        self.other_enable.iter().for_each(|feature| options.target.set(*feature, true));
        self.other_disable.iter().for_each(|feature| options.target.set(*feature, false));
        Ok(options)
    }
}

/// Arguments of `ntv plan`.
#[derive(clap::Args)]
pub(crate) struct PlanArgs {
    /// The stages of a program. Block n of one stage is block n of the others; block 0 is private to each stage that has GL's
    /// loose uniforms.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// A JSON file with the limits of the device by Vulkan's names, such as the output of vulkaninfo --json [default: the minimum
    /// that Vulkan requires of every device].
    #[arg(long, value_name = "FILE")]
    pub(crate) limits: Option<PathBuf>,

    /// Read a block through a storage buffer if at least this many of its bytes are indexed dynamically.
    #[arg(long, value_name = "BYTES")]
    pub(crate) threshold: Option<u32>,

    /// The alignment of buffer offsets that the driver requires of its users [default: minUniformBufferOffsetAlignment].
    #[arg(long, value_name = "BYTES", default_value_t, hide_default_value = true)]
    pub(crate) offset_alignment: u32,

    /// The push constants that are free for blocks: a range of bytes that excludes TO.
    #[arg(long, value_name = "FROM-TO", value_parser = parse_range)]
    pub(crate) push_constants: Option<(u32, u32)>,

    /// A block whose bytes the driver has on the CPU when it draws, so that they can be push constants.
    #[arg(long, value_name = "BLOCK", value_delimiter = ',')]
    pub(crate) at_hand: Vec<String>,

    /// The size of a block in bytes.
    #[arg(long, value_name = "BLOCK=BYTES", value_delimiter = ',', value_parser = parse_bytes)]
    pub(crate) bytes: Vec<(String, u32)>,

    /// The class of a block: Uniform, Storage, PushConstant@OFFSET.
    #[arg(long, value_name = "BLOCK=CLASS", value_delimiter = ',', value_parser = parse_class_of)]
    pub(crate) place: Vec<(String, Class)>,

    /// The class of all blocks that --place does not name, where the class is possible.
    #[arg(long, value_name = "CLASS")]
    pub(crate) all: Option<Class>,
}

/// Splits `name=value`.
fn parse_pair<'a>(text: &'a str, what: &str) -> Result<(String, &'a str), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("there is no {what}: BLOCK={what}"))?;
    Ok((name.to_string(), value))
}

fn parse_bytes(text: &str) -> Result<(String, u32), String> {
    let (name, value) = parse_pair(text, "BYTES")?;
    Ok((name, value.parse().map_err(|_| format!("`{value}` is not a number"))?))
}

fn parse_class_of(text: &str) -> Result<(String, Class), String> {
    let (name, value) = parse_pair(text, "CLASS")?;
    Ok((name, value.parse()?))
}

fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let both = text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    both.filter(|(from, to)| from <= to).ok_or_else(|| format!("`{text}` is not FROM-TO"))
}

/// Arguments of `ntv link`.
#[derive(clap::Args)]
pub(crate) struct LinkArgs {
    /// The stages: shaders, SPIR-V, or stored modules.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// A folder for the results: IN.STAGE.spv for each stage (.spvasm with --emit asm).
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// The key of the written words: see ntv variant.
    #[arg(long, value_name = "KEY", default_value = "")]
    pub(crate) key: String,

    /// The output format: SPIR-V or its disassembly.
    #[arg(long, value_name = "FORM", default_value = "spirv", requires = "output")]
    pub(crate) emit: EmitWords,

    #[command(flatten)]
    pub(crate) modules: ModuleArgs,
}

/// Arguments of `ntv variant`.
#[derive(clap::Args)]
pub(crate) struct VariantArgs {
    /// A shader, SPIR-V, or a stored module; with --sizes also several, and folders.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The state of the draw: names that ntv options prints, dither0=565, size=640x480, separated by commas.
    #[arg(long, value_name = "KEY", default_value = "")]
    pub(crate) key: String,

    /// The file to write [default: stdout].
    #[arg(short, long, value_name = "OUT", conflicts_with = "sizes")]
    pub(crate) output: Option<PathBuf>,

    /// The output format: SPIR-V or its disassembly.
    #[arg(long, value_name = "FORM", default_value = "spirv", conflicts_with = "sizes")]
    pub(crate) emit: EmitWords,

    /// Print the size of each module without and with the key, and the total reduction.
    #[arg(long)]
    pub(crate) sizes: bool,

    #[command(flatten)]
    pub(crate) modules: ModuleArgs,
}

/// Arguments of `ntv import`.
#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// SPIR-V, or a shader.
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,

    /// The file to write, by convention .ntvm [default: stdout].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) modules: ModuleArgs,
}

/// Arguments of `ntv explore`.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "explorer"), allow(dead_code))]
pub(crate) struct ExploreArgs {
    /// Files with dumps or GLSL to show first, or - for stdin [default: an example].
    #[arg(value_name = "IN")]
    pub(crate) dumps: Vec<PathBuf>,

    /// The port of the server on the loopback address [default: any free one].
    #[arg(long, value_name = "N", default_value_t, hide_default_value = true)]
    pub(crate) port: u16,

    /// Print the address without starting a browser.
    #[arg(long)]
    pub(crate) no_open: bool,
}

/// Arguments of `ntv compile`.
#[derive(clap::Args)]
pub(crate) struct CompileArgs {
    /// Files, folders, or - for stdin.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The file to write, if IN is one file with one shader in it; otherwise a folder for IN[.N].spv of each shader [default:
    /// stdout].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,

    /// The output format: SPIR-V, its disassembly, or the NIR from which SPIR-V is emitted [default: spirv].
    #[arg(long, value_name = "FORM")]
    emit: Option<Emit>,

    /// Stop after this pass and write NIR.
    #[arg(long, value_name = "PASS", value_parser = passes(PIPELINE.iter()))]
    pub(crate) stop_after: Option<String>,

    /// Keep the names of variables in the SPIR-V. With --emit asm, types and constants have names, too.
    #[arg(long)]
    pub(crate) names: bool,

    /// With --emit asm: write the line of NIR before the instructions that come of it.
    #[arg(long)]
    pub(crate) with_nir: bool,

    /// Whether --emit asm has colors [default: on a terminal, unless NO_COLOR is set].
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: When,

    /// Put the file name and line of each instruction into the SPIR-V, for debuggers.
    #[arg(long)]
    pub(crate) lines: bool,

    /// Validate every module with the installed spirv-val.
    #[arg(long)]
    pub(crate) validate: bool,

    /// Translate again when an input changes, until Ctrl-C.
    #[arg(long)]
    pub(crate) watch: bool,
}

impl CompileArgs {
    /// The output format.
    pub(crate) fn emit(&self) -> Result<Emit> {
        let emit = self.emit.unwrap_or(if self.stop_after.is_some() { Emit::Nir } else { Emit::Spirv });
        ensure!(self.stop_after.is_none() || emit == Emit::Nir, "--stop-after writes NIR: it requires --emit nir");
        ensure!(!self.validate || emit != Emit::Nir, "--validate needs SPIR-V: it excludes --emit nir");
        ensure!(!self.with_nir || emit == Emit::Asm, "--with-nir writes comments: it requires --emit asm");
        Ok(emit)
    }

    /// The look of disassembly.
    pub(crate) fn look(&self) -> Look {
        Look { names: self.names, colors: self.output.is_none() && self.color.is_now() }
    }
}

/// Arguments of `ntv glsl`.
#[derive(clap::Args)]
pub(crate) struct GlslArgs {
    /// Files of GLSL, .vert, .tesc, .tese, .geom, .frag, .comp (and with .glsl after it), or .shader_test files. The files are linked
    /// as one program if each stage is there once; otherwise those with the same name are one.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The file to write, if there is one shader; otherwise a folder for NAME.STAGE.nir of each shader [default: stdout].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// The NIR that the driver zink receives, or the NIR after zink's own lowering.
    #[arg(long, value_name = "LEVEL", default_value = "gallium")]
    pub(crate) level: Level,
}

/// The levels of `ntv glsl`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// What Mesa's state tracker gives to the driver.
    Gallium,
    /// What zink gives to its own translator.
    Zink,
}

/// Arguments of `ntv check`.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Files, folders, or - for stdin.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `ntv features`.
#[derive(clap::Args)]
pub(crate) struct FeaturesArgs {
    /// Print only features with this in their names or descriptions.
    #[arg(value_name = "WORD")]
    pub(crate) word: Option<String>,
}

/// Arguments of `ntv wire`.
#[derive(clap::Args)]
pub(crate) struct WireArgs {
    /// Files, folders, or - for stdin.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The file to write, if IN is one file with one shader in it; otherwise a folder for IN[.N].ntvw of each shader.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
}

/// Arguments of `ntv completions`.
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `ntv man`.
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// The folder for ntv.1, and for a page of each subcommand.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

/// Arguments of `ntv reflect`.
#[derive(clap::Args)]
pub(crate) struct ReflectArgs {
    /// Shaders, SPIR-V of any compiler (.spv), or stored modules (.ntvm).
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `ntv print` and `ntv cfg`.
#[derive(clap::Args)]
pub(crate) struct PrintArgs {
    /// Files, folders, or - for stdin.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
}

/// Arguments of `ntv annotate`.
#[derive(clap::Args)]
pub(crate) struct AnnotateArgs {
    /// The dump, or - for stdin.
    #[arg(value_name = "DUMP")]
    pub(crate) input: PathBuf,

    /// The module in SPIR-V of which the dump was made.
    #[arg(value_name = "MODULE")]
    pub(crate) module: PathBuf,

    /// The file to write [default: stdout].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

/// Arguments of `ntv pass`.
#[derive(clap::Args)]
pub(crate) struct PassArgs {
    /// The pass.
    #[arg(value_name = "NAME", value_parser = passes(PIPELINE.iter().chain(PARTS)))]
    pub(crate) name: String,

    /// Files, folders, or - for stdin.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `ntv reduce`.
#[derive(clap::Args)]
pub(crate) struct ReduceArgs {
    /// The file, or - for stdin. If it has several shaders, the first one that fails alone is reduced.
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,

    /// The command that fails, for sh. Each {} in it is replaced by the path of a smaller shader; without {}, the path is
    /// appended. It fails if its exit status is not 0. `! ntv compile {}` fails if ntv does not.
    #[arg(long, required = true, value_name = "CMD")]
    pub(crate) command: String,

    /// The file to write [default: stdout].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// The time limit of one run; a command that exceeds it is killed, and counts as one that does not fail.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub(crate) timeout: f64,
}

/// Arguments of `ntv run`.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// Files, folders, or - for stdin: one compute shader, the stages of a pipeline, or one of them alone.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The inputs of the shaders, in JSON [default: those of --template].
    #[arg(long = "inputs", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Print inputs of the shaders for --inputs, with zeros to edit, and do not run them.
    #[arg(long, conflicts_with_all = ["file", "device", "png"])]
    pub(crate) template: bool,

    /// Run on a Vulkan device: the first, or the one with this in its name, such as llvmpipe [default: the interpreter].
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub(crate) device: Option<String>,

    /// Enable Vulkan's validation layer; its messages are errors.
    #[arg(long, requires = "device")]
    pub(crate) validate: bool,

    /// Work around a bug of the device's driver, by zink's name for the workaround.
    #[arg(long, value_name = "W", value_delimiter = ',', requires = "device", value_parser = workarounds())]
    pub(crate) workaround: Vec<Workaround>,

    /// The number of instructions, over all invocations, after which the interpreter reports an endless loop.
    #[arg(long, value_name = "N", default_value_t = 100_000_000, conflicts_with = "device")]
    pub(crate) limit: u64,

    /// Write the first render target as a picture.
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,
}

/// Arguments of `ntv prove`.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "prove"), allow(dead_code))]
pub(crate) struct ProveArgs {
    /// Files, folders, or - for stdin. Each shader is translated and compared with its translation. If a file with one shader and
    /// a module in SPIR-V (.spv) are named, they are compared.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Compare each shader with FOLDER/IN[.N].spv, as ntv compile -o FOLDER names it, instead of its translation.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) modules: Option<PathBuf>,

    /// Write the inputs of a shader that differs as JSON for ntv run: to this file, if IN is one file with one shader in
    /// it; otherwise to IN[.N].json in this folder.
    #[arg(long, value_name = "OUT")]
    pub(crate) witness: Option<PathBuf>,

    /// Run each shader that differs on a Vulkan device, the first or the one with this in its name, which needs the features of the
    /// module: it gives what the module gives, or what the NIR gives.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub(crate) device: Option<String>,

    /// Enable Vulkan's validation layer; its messages are reported.
    #[arg(long, requires = "device")]
    pub(crate) validate: bool,

    /// Prove each pass of the translation of a shader that is not proved, and name those that are not proved.
    #[arg(long, conflicts_with = "modules")]
    pub(crate) passes: bool,

    /// The number of inputs that are tried where equality is not proved.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) trials: u64,

    /// Prove without an SMT solver.
    #[arg(long, conflicts_with = "limit")]
    pub(crate) no_solver: bool,

    /// The most milliseconds that the solver takes for each of the two steps of a question.
    #[arg(long, value_name = "MS", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub(crate) limit: u64,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `ntv draw`.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "vulkan"), allow(dead_code))]
pub(crate) struct DrawArgs {
    /// The scene: see docs/scenes.md.
    #[arg(value_name = "SCENE")]
    pub(crate) scene: PathBuf,

    /// Write the picture, after the last frame.
    #[arg(short, long, value_name = "OUT.png")]
    pub(crate) output: Option<PathBuf>,

    /// Frames to draw [default: 1, and with --watch until Ctrl-C].
    #[arg(long, value_name = "N")]
    pub(crate) frames: Option<u32>,

    /// Show frames per second, draws and the counters of every cache while it runs, and use the real time as the scene's time.
    #[arg(long)]
    pub(crate) watch: bool,

    /// Write the cost of each draw by phase, in the trace event format that Perfetto and chrome://tracing read.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Draw on the Vulkan device with this in its name, such as llvmpipe [default: the first].
    #[arg(long, value_name = "NAME")]
    pub(crate) device: Option<String>,

    /// Enable Vulkan's validation layer; its messages are errors.
    #[arg(long)]
    pub(crate) validate: bool,

    /// Disable a feature of the device, by Vulkan's name, such as transformFeedback.
    #[arg(long, value_name = "FEATURE", value_delimiter = ',')]
    pub(crate) without: Vec<String>,
}

/// The target.
#[derive(clap::Args)]
pub(crate) struct TargetArgs {
    /// The Vulkan version of the target: vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3 or vulkan1.4.
    #[arg(long, value_name = "T", default_value = "vulkan1.3", hide_possible_values = true, value_parser = presets())]
    target: Target,

    /// Enable features of the target, by Vulkan's names, such as shaderFloat64, separated by commas: ntv features lists them.
    #[arg(long, value_name = "F", value_delimiter = ',', hide_possible_values = true, value_parser = features())]
    enable: Vec<Feature>,

    /// Disable features of the target, by Vulkan's names, separated by commas.
    #[arg(long, value_name = "F", value_delimiter = ',', hide_possible_values = true, value_parser = features())]
    disable: Vec<Feature>,

    /// Work around a bug of the target's driver, by zink's name for the workaround, such as broken_arbitary_type_const.
    #[arg(long, value_name = "W", value_delimiter = ',', value_parser = workarounds())]
    workaround: Vec<Workaround>,

    /// Rely on the driver to bind ranges of uniform buffers whose sizes are multiples of 16 bytes: whole vec4s may be loaded
    /// where a part is read.
    #[arg(long)]
    uniform_ranges_in_vec4s: bool,

    /// The class of a uniform block that is not in a uniform buffer: 1=Storage, 1=Storage:clamp, 1=PushConstant@16, with the
    /// number of bound bytes if it is known (2=Storage:80000). ntv plan prints it.
    #[arg(long, value_name = "BLOCK=CLASS", value_delimiter = ',')]
    place: Vec<BlockPlacement>,

    /// The back end that writes transform feedback captures: Vulkan's extension, or stores of the vertex or geometry shader to
    /// storage buffers.
    #[arg(long, value_name = "BACK_END", default_value = "extension")]
    captures: Captures,

    /// The loads of buffers: one load of a vec4 where that is possible, or always one load per 32-bit component.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    buffer_access: Access,
}

impl TargetArgs {
    /// The options of the translator.
    pub(crate) fn options(&self) -> Result<Options> {
        let target = self.target_of(&self.target)?;
        let buffer_access = match self.buffer_access {
            Access::Auto => BufferAccess::Auto,
            Access::Lane => BufferAccess::Lane,
        };
        let mut placements = Placements::default();
        self.place.iter().for_each(|place| placements.set(place.block, place.placement));
        let captures = match self.captures {
            Captures::Extension => BackEnd::Extension,
            Captures::Storage => BackEnd::Storage,
        };
        Ok(Options::default().target(target).buffer_access(buffer_access).placements(placements).captures(captures))
    }

    /// `preset` with the features and workarounds of the options.
    fn target_of(&self, preset: &Target) -> Result<Target> {
        let mut target = preset.clone();
        for feature in &self.enable {
            ensure!(!self.disable.contains(feature), "{} is both enabled and disabled", feature.name());
            target.set(*feature, true);
        }
        for feature in &self.disable {
            target.set(*feature, false);
        }
        self.workaround.iter().for_each(|workaround| target.work_around(*workaround, true));
        target.uniform_ranges_in_vec4s = self.uniform_ranges_in_vec4s;
        Ok(target)
    }
}

/// The output formats of `ntv compile`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// A binary module.
    Spirv,
    /// The disassembly of the module.
    Asm,
    /// NIR.
    Nir,
}

/// The output formats of `ntv variant` and `ntv link`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitWords {
    /// A binary module.
    Spirv,
    /// The disassembly of the module.
    Asm,
}

/// The back end that writes captures.
#[derive(Clone, Copy, ValueEnum)]
enum Captures {
    Extension,
    Storage,
}

/// The loads of buffers.
#[derive(Clone, Copy, ValueEnum)]
enum Access {
    Auto,
    Lane,
}

fn presets() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::PRESETS.iter().map(|(name, _)| *name))
        .try_map(|name| Target::preset(&name).ok_or("no such preset"))
}
