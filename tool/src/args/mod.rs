// SPDX-License-Identifier: MIT

//! The command line: subcommands, their options, and the values of the options.

mod about;
mod modules;
mod plan;
mod run;
mod shaders;
mod target;

pub(crate) use about::{CompletionsArgs, FeaturesArgs, ManArgs};
use clap::{Parser, Subcommand};
pub(crate) use modules::{
    wants_color, DiffArgs, EmitWords, ImportArgs, LinkArgs, ModuleArgs, ReflectArgs, VariantArgs,
};
pub(crate) use plan::PlanArgs;
pub(crate) use run::{DrawArgs, ExploreArgs, ProveArgs, RunArgs};
pub(crate) use shaders::{
    AnnotateArgs, CheckArgs, CompileArgs, Emit, GlslArgs, Level, PassArgs, PrintArgs, ReduceArgs, WireArgs,
};
use std::num::NonZeroUsize;
#[cfg(feature = "glsl")]
use std::path::PathBuf;

/// Translates NIR, the shader IR of Mesa, to SPIR-V for Vulkan.
///
/// IN is a file with dumps of NIR, a log with dumps in it, a file that a driver wrote through ntvr_wire.h (.ntvw), a folder (every
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
    #[cfg(feature = "glsl")]
    #[command(name = crate::glsl::CHILD, hide = true)]
    CompileWithMesa {
        /// The folder with the request.
        folder: PathBuf,
    },
}
