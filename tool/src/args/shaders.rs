// SPDX-License-Identifier: MIT

//! Arguments of the commands that read and write shaders.

use super::modules::When;
use super::target::TargetArgs;
use crate::names::passes;
use anyhow::{ensure, Result};
use clap::ValueEnum;
use ntv::pass::{PARTS, PIPELINE};
use ntv_report::assembly::Look;
use std::path::PathBuf;

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
    /// Files of GLSL, .vert, .tesc, .tese, .geom, .task, .mesh, .frag, .comp (and with .glsl after it), or .shader_test files. They are linked
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
