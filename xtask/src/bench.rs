// SPDX-License-Identifier: MIT

//! `cargo xtask bench`: runs benchmarks and writes their results to benches/results/. The README.md there explains them.

use crate::command::{cargo, run as go, target_folder};
use anyhow::{ensure, Result};
use clap::Parser;
use std::path::{Path, PathBuf};

/// Runs benchmarks, and writes tables and plots to benches/results/.
#[derive(Parser)]
#[command(name = "cargo xtask bench")]
struct Arguments {
    /// Compares with zink's own translator inside zink: runs tests of piglit with ZINK_NTVR=compare.
    #[arg(long)]
    mesa: bool,
    /// Measures the creation of pipelines from the modules of both translators on lavapipe, over the corpus in $NTV_CORPUS.
    #[arg(long, conflicts_with = "mesa")]
    pipelines: bool,
    /// Measures translation on 1, 2, 4 and so on threads, up to the number of cores.
    #[arg(long, conflicts_with_all = ["mesa", "pipelines"])]
    threads: bool,
    /// Counts the instructions of the modules of both translators for dynamic offsets into buffers, over the same corpus.
    #[arg(long, conflicts_with_all = ["mesa", "pipelines", "threads"])]
    offsets: bool,
    /// Counts the cache lines of code, of constants and of memory that one translation touches, for both translators.
    #[arg(long, conflicts_with_all = ["mesa", "pipelines", "threads", "offsets"])]
    lines: bool,
    /// Measures shaders that read a uniform block as a uniform buffer and as a storage buffer, on lavapipe.
    #[arg(long, conflicts_with_all = ["mesa", "pipelines", "threads", "offsets", "lines"])]
    storage: bool,
    /// Measures draws with each back end of transform feedback, on lavapipe.
    #[arg(long, conflicts_with_all = ["mesa", "pipelines", "threads", "offsets", "lines", "storage"])]
    captures: bool,
    /// Measures the CPU time of a draw for different changes between two draws: on ntv's own driver, and on zink.
    #[arg(long, conflicts_with_all = ["mesa", "pipelines", "threads", "offsets", "lines", "storage", "captures"])]
    draws: bool,
    /// Compiles the modules of both translators with Mesa's drivers of GPUs, which need not exist, over the same corpus.
    #[arg(long, conflicts_with_all = ["mesa", "pipelines", "threads", "offsets", "lines", "storage", "captures", "draws"])]
    backends: bool,
    /// For --backends: only this back end, by its name in the table. May be repeated. The report is printed only.
    #[arg(long, value_name = "NAME", requires = "backends")]
    only: Vec<String>,
    /// For --storage and --captures: a log of the benchmark on another machine, to add to the report. May be repeated.
    #[arg(long, value_name = "LOG")]
    with: Vec<PathBuf>,
    /// The folder of an installed Mesa. For --mesa and --lines a patched one, and for --draws any with zink and lavapipe, instead of
    /// building one; for --pipelines, --storage and --captures any, instead of Debian's own.
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// The number of tests of piglit, spread over its profile quick_shader, 2000 by default for --mesa and 60 for --lines; for
    /// --backends the number of shaders of the corpus, all by default.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Arguments of criterion, for instance a filter. Benchmarks that the filter excludes keep their earlier results.
    #[arg(last = true)]
    criterion: Vec<String>,
}

/// The benchmarks of criterion that make up the report on translation.
const BENCHES: &[&str] = &["translate", "variants", "peers"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let program = "cargo xtask bench".to_string();
    let arguments = Arguments::parse_from(std::iter::once(&program).chain(arguments));
    let takes_logs = arguments.storage || arguments.captures;
    ensure!(takes_logs || arguments.with.is_empty(), "--with is for --storage and --captures");
    let target = target_folder();
    if arguments.mesa {
        // Cold as in a running driver, and warm with all data of a shader in the caches.
        let logs = [("mesa-cold.tsv", 1), ("mesa-warm.tsv", 5)].map(|(name, runs)| (target.join(name), runs));
        crate::mesa::timing::measure(arguments.prefix.as_deref(), arguments.sample.unwrap_or(2000), &logs)?;
        return report("mesa", &logs.map(|(log, _)| log));
    }
    if arguments.pipelines {
        let log = target.join("pipelines.tsv");
        on_lavapipe("pipelines", arguments.prefix, &log)?;
        return report("pipelines", &[log]);
    }
    if takes_logs {
        let kind = if arguments.storage { "storage" } else { "captures" };
        let log = target.join(kind).with_extension("tsv");
        on_lavapipe(kind, arguments.prefix, &log)?;
        let logs: Vec<PathBuf> = std::iter::once(log).chain(arguments.with).collect();
        return report(kind, &logs);
    }
    if arguments.backends {
        let logs = crate::backends::measure(&target.join("backends"), &arguments.only, arguments.sample)?;
        // A table of a part must not replace that of all.
        let is_part = !arguments.only.is_empty() || arguments.sample.is_some();
        return report_in("backends", &logs, &if is_part { target } else { results() });
    }
    if arguments.draws {
        return draws(arguments.prefix.as_deref(), &target);
    }
    if arguments.threads {
        let log = target.join("threads.tsv");
        go(cargo(&["bench", "--package", "ntv-benches", "--bench", "threads", "--"]).arg(&log))?;
        return report("threads", &[log]);
    }
    if arguments.offsets {
        return report("offsets", &[]);
    }
    if arguments.lines {
        let logs = crate::mesa::lines::count(arguments.prefix.as_deref(), arguments.sample.unwrap_or(60), &target)?;
        return report("lines", &logs);
    }
    for bench in BENCHES {
        go(cargo(&["bench", "--package", "ntv-benches", "--features", "peers", "--bench", bench, "--"])
            .args(&arguments.criterion))?;
    }
    report("translation", &[target.join("criterion")])
}

/// Runs a benchmark on lavapipe that writes a log.
fn on_lavapipe(bench: &str, prefix: Option<PathBuf>, log: &Path) -> Result<()> {
    let arguments = ["bench", "--package", "ntv-benches", "--features", "vulkan", "--bench", bench, "--"];
    let driver = crate::mesa::vulkan_driver(prefix)?;
    go(cargo(&arguments).arg(log).env("VK_DRIVER_FILES", driver))
}

/// Measures draws on zink and on ntv's own driver, one after the other on the same lavapipe.
fn draws(prefix: Option<&Path>, target: &Path) -> Result<()> {
    let prefix = crate::mesa::draws::prefix(prefix)?;
    let [zink, own] = ["draws-zink.tsv", "draws.tsv"].map(|name| target.join(name));
    crate::mesa::draws::measure(&prefix, &zink)?;
    // The other benchmark makes the same draws on ntv's driver, and writes the same columns.
    let own_driver = crate::mesa::vulkan_driver(Some(prefix))?;
    let bench = || {
        let mut command =
            cargo(&["bench", "--package", "ntv-benches", "--features", "vulkan", "--bench", "draws", "--"]);
        command.env("VK_DRIVER_FILES", &own_driver);
        command
    };
    go(bench().arg("--check"))?;
    go(crate::mesa::draws::quiet(bench().arg(&own)))?;
    report("draws", &[zink, own])
}

/// Writes and prints the report of `kind` on the logs `measured`, or on its own counts.
fn report(kind: &str, measured: &[PathBuf]) -> Result<()> {
    report_in(kind, measured, &results())
}

/// Writes the report of `kind` to `folder`, and prints it.
fn report_in(kind: &str, measured: &[PathBuf], folder: &Path) -> Result<()> {
    go(cargo(&["run", "--release", "--quiet", "--package", "ntv-benches", "--bin", "ntv-bench-report", "--", kind])
        .args(measured)
        .arg(folder))
}

/// The folder of the results.
fn results() -> PathBuf {
    crate::root().join("benches/results")
}
