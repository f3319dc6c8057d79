// SPDX-License-Identifier: MIT

//! `cargo xtask mesa`: runs piglit's shader tests through zink, once with zink's own translator and once with ntv.
//!
//! The driver is Mesa's zink on lavapipe, built with the patches in `ffi/mesa/`; `ZINK_NTVR` selects the translator. Tests that
//! pass with `c` have to pass with `rust`. `tests/mesa/README.md` has the details.

mod build;
mod checks;
pub(crate) mod draws;
mod driver;
mod facts;
mod first_draws;
mod flatten;
pub(crate) mod fold;
mod glmark2;
pub(crate) mod lines;
mod list;
mod numbers;
mod pixels;
mod program;
mod report;
mod results;
mod runner;
mod sanitize;
mod series;
mod source;
pub(crate) mod timing;
mod tool;
mod unchanged;
mod vtn;
mod without;

use anyhow::{bail, ensure, Result};
use build::Build;
use clap::Parser;
pub(crate) use driver::vulkan_driver;
use driver::{Captures, Driver, Storage, Translator};
use regex::Regex;
use results::Results;
use sanitize::{Sanitizer, Tool};
pub(crate) use source::{cache, install_missing, mirror, MESA_25};
use std::path::PathBuf;
use without::Layer;

/// Runs piglit's shader tests through zink, with zink's own translator and with ntv, and compares.
#[derive(Parser)]
#[command(name = "cargo xtask mesa")]
struct Arguments {
    /// The list of tests: a file of tests/mesa without `.txt`, or a profile of piglit: quick_shader, or quick_gl (programs).
    #[arg(long, value_name = "NAME", default_value = "slice")]
    list: String,
    /// Run only tests whose path matches this regular expression.
    #[arg(long, value_name = "RE")]
    filter: Option<Regex>,
    /// Run only this number of tests, spread over the list.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// The number of processes at a time. The default is one per core.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Build zink alone, with a fast build, and run it on the lavapipe of Debian's own Mesa.
    #[arg(long)]
    small: bool,
    /// Use the patched Mesa that is installed there, instead of building one.
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Run with Vulkan's validation layer, and check each module with spirv-val.
    #[arg(long)]
    validate: bool,
    /// Run the tests with ntv under this tool, and print its reports about ntv.
    #[arg(long, value_name = "TOOL", conflicts_with_all = ["validate", "glmark2"])]
    sanitize: Option<Tool>,
    /// Run the tests with ntv with uniforms in storage buffers: `blocks`, `all`, or the blocks of stages that index at least this
    /// number of bytes of one dynamically.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "blocks")]
    storage: Option<Storage>,
    /// The back end of transform feedback in the runs with ntv.
    #[arg(long, value_name = "WHO")]
    captures: Option<Captures>,
    /// Run the tests on a device that lacks this feature, by Vulkan's name, or extension; of several, separated by commas, or of
    /// `all`, one after the other.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "sanitize")]
    without: Vec<String>,
    /// Run all tests with `c`, also those that have a result from an earlier run.
    #[arg(long)]
    again: bool,
    /// Build Mesa and stop.
    #[arg(long)]
    build: bool,
    /// Build zink alone, with full optimization, for another machine.
    #[arg(long, requires = "build")]
    alone: bool,
    /// Write the patches of Mesa, with the files of ffi/mesa, to this folder, print the size of each file, and stop.
    #[arg(long, value_name = "FOLDER")]
    series: Option<PathBuf>,
    /// The author of the series, who signs it off: `Name <address>`.
    #[arg(long, value_name = "AUTHOR", requires = "series")]
    author: Option<String>,
    /// The wrap of the release that the series uses, which `cargo xtask release` makes.
    #[arg(long, value_name = "FILE", requires = "series")]
    wrap: Option<PathBuf>,
    /// Compare the translations of the dumps and of the wires of shaders, and the wires with other numbers of Mesa, and stop.
    #[arg(long)]
    flatten: bool,
    /// Compare a zink with the series, but without ntv, with one that has only the patches that mend it for everyone: caps, objects
    /// of Vulkan, words and results; and stop.
    #[arg(long)]
    unchanged: bool,
    /// Compare the pictures of all scenes of glmark2, and stop.
    #[arg(long)]
    glmark2: bool,
    /// Measure the first draws of programs with both translators, print tables, and stop.
    #[arg(long, conflicts_with_all = ["sanitize", "validate"])]
    first_draws: bool,
    /// Read the measurements of another machine in this folder, which tests/mesa/first_draws/record.sh wrote.
    #[arg(long, value_name = "FOLDER", requires = "first_draws")]
    recorded: Option<PathBuf>,
    /// Draw with ntv, check the pixels of each draw, and stop.
    #[arg(long)]
    pixels: bool,
    /// Draw with mesh shaders on the lavapipe of the build, compare with the interpreter, and stop.
    #[arg(long, conflicts_with_all = ["small", "validate"])]
    meshes: bool,
    /// Run the tests of `ntv glsl` with this Mesa, and stop.
    #[arg(long, conflicts_with_all = ["small", "validate"])]
    glsl: bool,
    /// Have Mesa read the modules below these folders, and those of this repository, translate the results, run random programs, and
    /// stop.
    #[arg(long, value_name = "FOLDER", num_args = 0..)]
    vtn: Option<Vec<PathBuf>>,
    /// Append the results of the tests with ntv to this file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let program = "cargo xtask mesa".to_string();
    let arguments = Arguments::parse_from(std::iter::once(&program).chain(arguments));
    if let Some(folder) = &arguments.series {
        let sender = series::Sender { author: arguments.author.as_deref(), wrap: arguments.wrap.as_deref() };
        return series::write(folder, &sender);
    }
    if arguments.flatten {
        return flatten::compare();
    }
    if let Some(folders) = &arguments.vtn {
        return vtn::check(folders);
    }
    if let Some(folder) = &arguments.recorded {
        return first_draws::recorded(folder);
    }
    list::install()?;
    if arguments.unchanged {
        let tests = list::tests(&arguments.list, arguments.filter.as_ref(), arguments.sample)?;
        return unchanged::compare(&tests, arguments.jobs()?);
    }
    let prefix = arguments.kind().prefix(arguments.prefix.as_deref())?;
    if arguments.build {
        println!("{}", prefix.display());
        return Ok(());
    }
    if arguments.meshes {
        return tool::meshes(&Driver::new(prefix, false, None)?);
    }
    if arguments.glsl {
        return tool::glsl(&Driver::new(prefix, false, None)?);
    }
    let sanitizer = arguments.sanitize.map(Sanitizer::new).transpose()?;
    let mut driver = Driver::new(prefix, arguments.validate, sanitizer)?;
    if arguments.small {
        source::MESA_25.source()?.check_format()?;
        checks::run(&driver)?;
        pixels::check(&driver)?;
        build::check_off()?;
    }
    driver.storage = arguments.storage;
    driver.captures = arguments.captures;
    driver.verify()?;
    if arguments.first_draws {
        // The fast build is only good for a try.
        return first_draws::measure(&driver, !arguments.small);
    }
    if arguments.pixels {
        return pixels::check(&driver);
    }
    if arguments.glmark2 {
        return glmark2::compare(&driver);
    }
    let tests = list::tests(&arguments.list, arguments.filter.as_ref(), arguments.sample)?;
    ensure!(!tests.is_empty(), "no test has this name");
    match &driver.sanitizer {
        None if !arguments.without.is_empty() => compare_without(&arguments, &mut driver, &tests),
        None => compare(&arguments, &driver, &tests),
        Some(sanitizer) => watch(&arguments, &driver, sanitizer, &tests),
    }
}

impl Arguments {
    fn kind(&self) -> Build {
        match self.sanitize {
            Some(Tool::Address) => Build::Address,
            None if self.small => Build::Small,
            None if self.alone => Build::Alone,
            // valgrind needs no special build, so it runs the optimized code that drivers use.
            None | Some(Tool::Valgrind) => Build::Full,
        }
    }

    fn jobs(&self) -> Result<usize> {
        let number = self.jobs.map_or_else(std::thread::available_parallelism, |n| n.try_into().map_err(bad_jobs))?;
        Ok(number.get())
    }
}

fn bad_jobs(_: std::num::TryFromIntError) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidInput, "--jobs must be 1 or more")
}

/// Compares on devices that lack a feature each.
fn compare_without(arguments: &Arguments, driver: &mut Driver, tests: &[String]) -> Result<()> {
    let mut failures = Vec::new();
    for name in without::names(&arguments.without)? {
        println!("\nwithout {name}");
        driver.without = Some(Layer::build(&name)?);
        driver.verify()?;
        if let Err(error) = compare(arguments, driver, tests) {
            println!("{error}");
            failures.push(name);
        }
    }
    ensure!(failures.is_empty(), "without {}: tests pass with c only", failures.join(", "));
    Ok(())
}

/// Runs `tests` with both translators, and those that differ once more in separate processes.
fn compare(arguments: &Arguments, driver: &Driver, tests: &[String]) -> Result<()> {
    let jobs = arguments.jobs()?;
    let mut c = Results::open(&driver.known_results())?;
    let unknown = |test: &&String| arguments.again || !c.contains(test);
    let unknown: Vec<String> = tests.iter().filter(unknown).cloned().collect();
    runner::run(driver, Translator::C, &unknown, jobs, &mut c)?;
    let mut rust = arguments.log.as_deref().map_or(Ok(Results::default()), Results::open)?;
    runner::run(driver, Translator::Rust, tests, jobs, &mut rust)?;
    let differing: Vec<String> = report::differing(tests, &c, &rust);
    if !differing.is_empty() {
        println!("{} tests differ: running each again in a separate process.", differing.len());
        runner::run_alone(driver, Translator::C, &differing, jobs, &mut c)?;
        runner::run_alone(driver, Translator::Rust, &differing, jobs, &mut rust)?;
    }
    match report::print(tests, &c, &rust) {
        0 => Ok(()),
        n => bail!("{n} tests pass with c and not with rust"),
    }
}

/// Runs `tests` with ntv under the sanitizer.
fn watch(arguments: &Arguments, driver: &Driver, sanitizer: &Sanitizer, tests: &[String]) -> Result<()> {
    let mut results = arguments.log.as_deref().map_or(Ok(Results::default()), Results::open)?;
    runner::run(driver, Translator::Rust, tests, arguments.jobs()?, &mut results)?;
    report::print_verdicts(tests, &results);
    let reports = sanitizer.report()?;
    ensure!(reports == 0, "{reports} reports are about ntv");
    Ok(())
}
