// SPDX-License-Identifier: MIT

//! Arguments of the commands that run, prove, draw and show shaders.

use super::target::TargetArgs;
use crate::names::workarounds;
use ntv::Workaround;
use std::path::PathBuf;

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
