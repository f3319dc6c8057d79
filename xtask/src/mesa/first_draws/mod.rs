// SPDX-License-Identifier: MIT

//! `cargo xtask mesa --first-draws`: the cost of the first draws of programs on zink, with its own translator and with ntv.
//!
//! The workload in `tests/mesa/first_draws` makes the draws and measures them, and the probes of zink split the time.

mod join;
mod table;

use super::draws::quiet;
use super::driver::{Driver, Translator};
use super::source::install_missing;
use crate::command::{output, run as go};
use anyhow::{ensure, Context, Result};
use join::{Phase, Step};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FOLDER: &str = "tests/mesa/first_draws";
const RESULTS: &str = "benches/results/first-draws.md";
const NEEDS: &str = "libegl-dev libgl-dev libopengl-dev";

/// The numbers of states of each program in the tables. The draws with a few of them come first in a run with the most.
const STATES: [u32; 3] = [1, 3, MOST_STATES];
const MOST_STATES: u32 = 8;
/// The number of runs, of which the quickest counts for each draw.
const ROUNDS: usize = 3;
/// The number of states of each program in the check of pixels: programs differ in the first ones, so all states are drawn.
const CHECKED_STATES: u32 = 3;

const TRANSLATORS: [Translator; 2] = [Translator::C, Translator::Rust];

/// A way in which zink makes pipelines, and the environment that selects it.
struct Way {
    /// The name in the files of a recording.
    name: &'static str,
    title: &'static str,
    about: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

const WAYS: [Way; 3] = [
    Way {
        name: "whole",
        title: "Whole pipelines",
        about: "zink's default on lavapipe: uniforms are inlined, `c` translates programs when they are drawn first, and each \
            pipeline is made of all stages.",
        environment: &[],
    },
    Way {
        name: "libraries",
        title: "Pipeline libraries",
        about: "`ZINK_INLINE_UNIFORMS=0 ZINK_DEBUG=noshobj`, as on devices with VK_EXT_graphics_pipeline_library: threads translate \
            programs when they are linked, and the pipeline is linked at the first draw.",
        environment: &[("ZINK_INLINE_UNIFORMS", "0"), ("ZINK_DEBUG", "noshobj")],
    },
    Way {
        name: "objects",
        title: "Shader objects",
        about: "`ZINK_INLINE_UNIFORMS=0`, as on devices with VK_EXT_shader_object: threads translate programs when they are linked, \
            and the first draws need no pipeline. `modules` has the creation of shader objects.",
        environment: &[("ZINK_INLINE_UNIFORMS", "0")],
    },
];

/// The draws of each program with its first states, by one translator.
struct Run {
    translator: &'static str,
    states: u32,
    steps: Vec<Step>,
    memory: Memory,
}

/// The mean memory that zink allocates for a program with its first state, in bytes. That of the Vulkan driver is not a part of it.
#[derive(Clone, Copy, Default)]
struct Memory {
    /// The most, during the link and the first draw.
    peak: f64,
    /// That which is left after them.
    held: f64,
}

impl Memory {
    fn of(steps: &[Step]) -> Result<Memory> {
        let of = |phase| steps.iter().filter(move |step| step.phase == phase).map(|step| step.cpu as f64);
        let programs = of(Phase::Peak).count() as f64;
        ensure!(programs > 0.0 && of(Phase::Held).sum::<f64>() > 0.0, "the workload has no lines about its memory");
        Ok(Memory { peak: of(Phase::Peak).sum::<f64>() / programs, held: of(Phase::Held).sum::<f64>() / programs })
    }
}

/// The compiled workload on a driver.
struct Workload<'a> {
    driver: &'a Driver,
    program: PathBuf,
    folder: &'a Path,
}

/// Measures, prints the tables, and writes them to the results if `is_result`.
pub(super) fn measure(driver: &Driver, is_result: bool) -> Result<()> {
    install_missing(NEEDS)?;
    let folder = tempfile::tempdir()?;
    let workload = Workload { driver, program: compile(folder.path())?, folder: folder.path() };
    workload.check()?;
    let mut report = intro();
    for way in &WAYS {
        let part = workload.measure_way(way)?;
        print!("{part}");
        report += &part;
    }
    if is_result {
        let path = crate::root().join(RESULTS);
        fs::write(&path, report).with_context(|| path.display().to_string())?;
        println!("\nThe tables are in {RESULTS}.");
    }
    Ok(())
}

/// Prints the tables of the files that `record.sh` wrote on another machine.
pub(super) fn recorded(folder: &Path) -> Result<()> {
    let read = |name: String| -> Result<(String, Vec<Step>)> {
        let text = |kind: &str| {
            let path = folder.join(format!("{name}.{kind}"));
            fs::read_to_string(&path).with_context(|| path.display().to_string())
        };
        let table = text("steps")?;
        Ok((table.lines().next().unwrap_or_default().to_string(), join::read(&table, &text("probes")?)?))
    };
    let mut report = String::new();
    for way in WAYS.iter().filter(|way| way.name != "whole") {
        let file = |translator: Translator, part: &str| read(format!("{}-{}-{part}", way.name, translator.name()));
        let (renderer, steps) = file(Translator::C, "memory")?;
        let memory = [Memory::of(&steps)?, Memory::of(&file(Translator::Rust, "memory")?.1)?];
        let runs = join_runs(|translator, round| Ok(file(translator, &round.to_string())?.1), memory)?;
        if report.is_empty() {
            report = format!(
                "# First draws\n\nWritten by `cargo xtask mesa --first-draws --recorded` for {renderer}. {SEE}\n"
            );
        }
        report += &cold_tables(way, &runs)?;
    }
    print!("{report}");
    Ok(())
}

const SEE: &str = "See README.md for an explanation.";

fn intro() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
    format!("# First draws\n\nWritten by `cargo xtask mesa --first-draws` on {arch}, {os}, {cores} cores. {SEE}\n")
}

/// The draws of both translators with each of the numbers of states. `steps` has those of a translator in a round.
fn join_runs(steps: impl Fn(Translator, usize) -> Result<Vec<Step>>, memory: [Memory; 2]) -> Result<Vec<Run>> {
    let mut rounds = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for (translator, rounds) in TRANSLATORS.into_iter().zip(&mut rounds) {
            rounds.push(steps(translator, round)?);
        }
    }
    let [c, rust] = rounds.map(join::quickest);
    let all = [(Translator::C, c?, memory[0]), (Translator::Rust, rust?, memory[1])];
    let of_states = |states: u32| {
        let has = move |step: &&Step| step.number < states;
        let part = move |steps: &[Step]| steps.iter().filter(has).cloned().collect();
        all.each_ref().map(|(translator, steps, memory)| Run {
            translator: translator.name(),
            states,
            steps: part(steps),
            memory: *memory,
        })
    };
    Ok(STATES.into_iter().flat_map(of_states).collect())
}

/// The tables of runs without a disk cache.
fn cold_tables(way: &Way, runs: &[Run]) -> Result<String> {
    let last = runs.last().context("no runs")?;
    let mut part = table::section(way.title, &format!("{}\n\n{}", way.about, table::overview(runs)));
    part += &format!(
        "\nA shader from the state tracker's NIR to words, with the first state:\n\n{}",
        table::way(&runs[..2])
    );
    part += &format!("\nThe parts of a draw, in us, without those of probes within them:\n\n{}", table::split(runs));
    part += &format!("\nThe work of a draw by its state, with ntv:\n\n{}", table::by_state(last));
    Ok(part)
}

fn compile(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("first_draws");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-O2", "-Wall", "-Werror", "-o"]).arg(&program);
    for file in ["first_draws.c", "memory.c", "programs.c", "states.c"] {
        compiler.arg(crate::root().join(FOLDER).join(file));
    }
    // Zink calls a function of memory.c, and all libraries call its malloc.
    go(compiler.args(["-rdynamic", "-lEGL", "-lOpenGL"]))?;
    Ok(program)
}

impl Workload<'_> {
    /// Checks the pixels of draws. lavapipe's optimization of shaders would take most of the time, so it is disabled.
    fn check(&self) -> Result<()> {
        println!("Checking the pixels of draws.");
        let mut command = self.command(Translator::Rust, CHECKED_STATES);
        command.arg("--check").env_remove("LP_NO_RAST").env("GALLIVM_PERF", "nopt");
        output(&mut command).map(|_| ())
    }

    fn measure_way(&self, way: &Way) -> Result<String> {
        println!("Measuring {}.", way.title.to_lowercase());
        let caches = [tempfile::tempdir()?, tempfile::tempdir()?];
        for (translator, cache) in TRANSLATORS.into_iter().zip(&caches) {
            self.run(way, translator, Some(cache.path()))?;
        }
        let memory = [self.memory(way, Translator::C)?, self.memory(way, Translator::Rust)?];
        let cold = join_runs(|translator, _| self.run(way, translator, None), memory)?;
        let cache = |translator| caches[usize::from(translator == Translator::Rust)].path();
        let warm = join_runs(|translator, _| self.run(way, translator, Some(cache(translator))), memory)?;
        let part = cold_tables(way, &cold)?;
        Ok(part + &format!("\nWith a full disk cache:\n\n{}\n{}", table::overview(&warm), table::split(&warm)))
    }

    fn memory(&self, way: &Way, translator: Translator) -> Result<Memory> {
        let mut command = self.command(translator, 1);
        Memory::of(&self.steps(way, command.arg("--memory"))?)
    }

    fn run(&self, way: &Way, translator: Translator, cache: Option<&Path>) -> Result<Vec<Step>> {
        let mut command = self.command(translator, MOST_STATES);
        if let Some(cache) = cache {
            command.env_remove("MESA_SHADER_CACHE_DISABLE").env("MESA_SHADER_CACHE_DIR", cache);
        }
        self.steps(way, &mut command)
    }

    /// Runs the command with probes.
    fn steps(&self, way: &Way, command: &mut Command) -> Result<Vec<Step>> {
        let probes = self.folder.join("probes.tsv");
        let table = output(command.env("ZINK_NTVR_PROBES", &probes).envs(way.environment.iter().copied()))?;
        let renderer = table.lines().next().unwrap_or_default();
        ensure!(renderer.starts_with("zink Vulkan"), "the workload runs on {renderer}, not on the new zink");
        let events = fs::read_to_string(&probes).context("zink has no probes: build it with zink-ntvr-debug")?;
        join::read(&table, &events)
    }

    /// The workload on zink, whose work is on the calling thread.
    fn command(&self, translator: Translator, states: u32) -> Command {
        let mut command = Command::new(&self.program);
        self.driver.environment(&mut command, translator);
        quiet(&mut command).arg(states.to_string()).envs([("GALLIUM_THREAD", "0"), ("mesa_glthread", "false")]);
        command.stderr(Stdio::inherit());
        command
    }
}
