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
use join::Step;
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
    title: &'static str,
    about: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

const WAYS: [Way; 3] = [
    Way {
        title: "Whole pipelines",
        about: "zink's default on lavapipe: uniforms are inlined, `c` translates programs when they are drawn first, and each \
            pipeline is made of all stages.",
        environment: &[],
    },
    Way {
        title: "Pipeline libraries",
        about: "`ZINK_INLINE_UNIFORMS=0 ZINK_DEBUG=noshobj`, as on devices with VK_EXT_graphics_pipeline_library: threads translate \
            programs when they are linked, and the pipeline is linked at the first draw.",
        environment: &[("ZINK_INLINE_UNIFORMS", "0"), ("ZINK_DEBUG", "noshobj")],
    },
    Way {
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
    /// The bytes of the heap that the links of all programs have added.
    heap: u64,
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

fn intro() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "# First draws\n\nWritten by `cargo xtask mesa --first-draws` on {}, {}, {cores} cores. See README.md for an explanation.\n",
        std::env::consts::ARCH,
        std::env::consts::OS
    )
}

fn compile(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("first_draws");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-O2", "-Wall", "-Werror", "-o"]).arg(&program);
    for file in ["first_draws.c", "programs.c", "states.c"] {
        compiler.arg(crate::root().join(FOLDER).join(file));
    }
    go(compiler.args(["-lEGL", "-lOpenGL"]))?;
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
            self.run(way, (translator, MOST_STATES), Some(cache.path()), &[])?;
        }
        let runs = self.measure_runs(way, &caches.each_ref().map(|_| None))?;
        let warm = self.measure_runs(way, &caches.each_ref().map(|cache| Some(cache.path())))?;
        let last = runs.last().context("no runs")?;
        let mut part = table::section(way.title, &format!("{}\n\n{}", way.about, table::overview(&runs)));
        part += &format!(
            "\nA shader from the state tracker's NIR to words, with the first state:\n\n{}",
            table::way(&runs[..2])
        );
        part +=
            &format!("\nThe parts of a draw, in us, without those of probes within them:\n\n{}", table::split(&runs));
        part += &format!("\nThe work of a draw by its state, with ntv:\n\n{}", table::by_state(last));
        part += &format!("\nWith a full disk cache:\n\n{}", table::overview(&warm));
        Ok(part + "\n" + &table::split(&warm))
    }

    /// Runs all draws with both translators in turns; a cache is the folder of a disk cache for each translator.
    fn measure_runs(&self, way: &Way, caches: &[Option<&Path>; 2]) -> Result<Vec<Run>> {
        let mut rounds = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for ((translator, cache), rounds) in TRANSLATORS.into_iter().zip(caches).zip(&mut rounds) {
                rounds.push(self.run(way, (translator, MOST_STATES), *cache, &[])?);
            }
        }
        let [c, rust] = rounds.map(join::quickest);
        let heaps = [self.heap(way, Translator::C, caches[0])?, self.heap(way, Translator::Rust, caches[1])?];
        let all = [(Translator::C, c?, heaps[0]), (Translator::Rust, rust?, heaps[1])];
        let of_states = |states: u32| {
            let has = move |step: &&Step| step.number < states;
            let part = move |steps: &[Step]| steps.iter().filter(has).cloned().collect();
            all.each_ref().map(|(translator, steps, heap)| Run {
                translator: translator.name(),
                states,
                steps: part(steps),
                heap: *heap,
            })
        };
        Ok(STATES.into_iter().flat_map(of_states).collect())
    }

    /// The bytes of the heap that the links of all programs have added. Only one arena of malloc is counted, so there is only one.
    fn heap(&self, way: &Way, translator: Translator, cache: Option<&Path>) -> Result<u64> {
        let steps = self.run(way, (translator, 1), cache, &[("MALLOC_ARENA_MAX", "1")])?;
        let heap = steps.iter().find(|step| step.phase == join::Phase::Heap);
        Ok(heap.context("the workload has no line about its heap")?.cpu)
    }

    fn run(
        &self,
        way: &Way,
        (translator, states): (Translator, u32),
        cache: Option<&Path>,
        environment: &[(&str, &str)],
    ) -> Result<Vec<Step>> {
        let probes = self.folder.join("probes.tsv");
        let mut command = self.command(translator, states);
        command.env("ZINK_NTV_PROBES", &probes).envs(way.environment.iter().chain(environment).copied());
        if let Some(cache) = cache {
            command.env_remove("MESA_SHADER_CACHE_DISABLE").env("MESA_SHADER_CACHE_DIR", cache);
        }
        let table = output(&mut command)?;
        let renderer = table.lines().next().unwrap_or_default();
        ensure!(renderer.starts_with("zink Vulkan"), "the workload runs on {renderer}, not on the new zink");
        let events = fs::read_to_string(&probes).context("zink has no probes: build it with zink-ntv-debug")?;
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
