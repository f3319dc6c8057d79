// SPDX-License-Identifier: MIT

//! The command line tool: `ntv compile`, `glsl`, `check`, `print`, `pass`, `cfg`, `reduce`, `run`, `prove`, `draw`, `explore`, and, for
//! late decisions, `plan`, `link`, `variant`, `options` and `import`.
//!
//! Exit status: 0 if every shader was fine, 1 if one was not (the others are processed nevertheless) or a result cannot be written,
//! 2 for wrong usage, which writes no results. Results are written to stdout or to files, everything else to stderr.

mod annotate;
mod args;
mod check;
mod compile;
mod destination;
mod diagnostics;
mod diff;
#[cfg(feature = "vulkan")]
mod draw;
mod explore;
mod features;
mod glsl;
mod inputs;
#[cfg(feature = "manual")]
mod manual;
mod names;
mod options;
#[cfg(feature = "png")]
mod picture;
mod plan;
#[cfg(feature = "prove")]
mod prove;
mod recognize;
mod reduce;
mod reflect;
mod run;
mod shaders;
mod show;
mod temporary;
mod validate;
mod variant;
#[cfg(feature = "watch")]
mod watch;
mod wire;
mod words;

use anyhow::Result;
use args::{Args, Command};
use clap::Parser as _;
use diagnostics::Reporter;
use std::process::ExitCode;

/// The exit status of wrong usage.
const WRONG_USAGE: u8 = 2;

/// Whether every shader was fine.
type AllFine = bool;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refuse(&error),
    };
    let reporter = Reporter::new(args.json);
    match run(&args, &reporter) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) if reporter.failure(&error) => ExitCode::FAILURE,
        Err(_) => ExitCode::from(WRONG_USAGE),
    }
}

/// Reports why the command line is wrong, or prints the help that it requests.
fn refuse(error: &clap::Error) -> ExitCode {
    let is_json = std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json");
    if !error.use_stderr() || !is_json {
        error.exit();
    }
    let text = error.render().to_string().replace("\n\n  tip: ", "; ");
    let message = text.split("\n\nUsage:").next().unwrap_or_default().split("\n\nFor more information").next();
    let words: Vec<&str> = message.unwrap_or_default().trim_start_matches("error: ").split_whitespace().collect();
    Reporter::new(true).usage(&words.join(" "));
    ExitCode::from(WRONG_USAGE)
}

/// The error of a command, or of an option of it, that comes with a feature of the build.
fn absent(feature: &str, command: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "this ntv was built without the feature `{feature}`: cargo run --release --features {feature} -- {command} ..., or \
         cargo install --path tool --features {feature}"
    )
}

fn run(args: &Args, reporter: &Reporter) -> Result<AllFine> {
    if let Some(jobs) = args.jobs {
        rayon::ThreadPoolBuilder::new().num_threads(jobs.get()).build_global()?;
    }
    match &args.command {
        Command::Compile(args) => compile::run(args, reporter),
        Command::Glsl(args) => glsl::run(args, reporter),
        Command::Check(args) => check::run(args, reporter),
        Command::Print(args) => show::print(args, reporter),
        Command::Pass(args) => show::pass(args, reporter),
        Command::Cfg(args) => show::cfg(args, reporter),
        Command::Reduce(args) => reduce::run(args, reporter),
        Command::Run(args) => run::run(args, reporter),
        #[cfg(feature = "prove")]
        Command::Prove(args) => prove::run(args, reporter),
        #[cfg(not(feature = "prove"))]
        Command::Prove(_) => Err(absent("prove", "prove")),
        #[cfg(feature = "vulkan")]
        Command::Draw(args) => draw::run(args, reporter),
        #[cfg(not(feature = "vulkan"))]
        Command::Draw(_) => Err(absent("vulkan", "draw")),
        Command::Reflect(args) => reflect::run(args, reporter),
        Command::Link(args) => variant::link_stages(args, reporter),
        Command::Variant(args) => variant::variant(args, reporter),
        Command::Options => options::run(reporter),
        Command::Features(args) => features::run(args, reporter),
        Command::Wire(args) => wire::run(args, reporter),
        #[cfg(feature = "manual")]
        Command::Completions(args) => manual::completions(args),
        #[cfg(feature = "manual")]
        Command::Man(args) => manual::pages(args),
        #[cfg(not(feature = "manual"))]
        Command::Completions(_) => Err(absent("manual", "completions")),
        #[cfg(not(feature = "manual"))]
        Command::Man(_) => Err(absent("manual", "man")),
        Command::Plan(args) => plan::run(args, reporter),
        Command::Annotate(args) => annotate::run(args, reporter),
        Command::Diff(args) => diff::run(args, reporter),
        Command::Import(args) => variant::import(args, reporter),
        Command::Explore(args) => explore::run(args, reporter),
        #[cfg(feature = "glsl")]
        Command::CompileWithMesa { folder } => glsl::run_child(folder).map(|()| true),
    }
}
