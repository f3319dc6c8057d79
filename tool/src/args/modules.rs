// SPDX-License-Identifier: MIT

//! Arguments of the commands that take modules.

use super::target::{presets, TargetArgs};
use crate::names::features;
use anyhow::Result;
use clap::ValueEnum;
use ntv::{Feature, Options, Target};
use ntv_report::assembly::Look;
use std::io::IsTerminal as _;
use std::path::PathBuf;

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

/// Arguments of `ntv reflect`.
#[derive(clap::Args)]
pub(crate) struct ReflectArgs {
    /// Shaders, SPIR-V of any compiler (.spv), or stored modules (.ntvm).
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// The output formats of `ntv variant` and `ntv link`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitWords {
    /// A binary module.
    Spirv,
    /// The disassembly of the module.
    Asm,
}
