// SPDX-License-Identifier: MIT

//! Writes the files in `benches/results/`.
//!
//! ```text
//! ntv-bench-report translation CRITERION_FOLDER RESULTS_FOLDER   what criterion measured last, allocations, peak memory
//! ntv-bench-report mesa COLD WARM RESULTS_FOLDER                 logs that zink wrote with ZINK_NTVR=compare
//! ntv-bench-report pipelines LOG RESULTS_FOLDER                  a log of the benchmark `pipelines`
//! ntv-bench-report backends LOG... RESULTS_FOLDER                logs of the benchmark `backends`, one back end each
//! ntv-bench-report threads LOG RESULTS_FOLDER                    a log of the benchmark `threads`
//! ntv-bench-report storage LOG... RESULTS_FOLDER                 logs of the benchmark `storage`, one device each
//! ntv-bench-report captures LOG... RESULTS_FOLDER                logs of the benchmark `captures`, one device each
//! ntv-bench-report draws LOG... RESULTS_FOLDER                   logs of the benchmark `draws`, and of the C program of that name
//! ntv-bench-report lines LOG SIZES RESULTS_FOLDER                logs of ntv-trace
//! ntv-bench-report offsets RESULTS_FOLDER                        what is counted now, over the corpus that $NTV_CORPUS names
//! ```

mod backends;
mod captures;
mod comparison;
mod draws;
mod lines;
mod memory;
mod offsets;
mod plot;
mod storage;
mod threads;
mod times;
mod translation;

use anyhow::{bail, Result};
use std::path::{Path, PathBuf};

/// Counts allocations; no times are measured in this program.
#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [kind, from @ .., results] = &arguments[..] else { bail!("usage: KIND [FROM] RESULTS_FOLDER") };
    std::fs::create_dir_all(results)?;
    match (kind.to_str(), from) {
        (Some("translation"), [from]) => translation::write(from, results),
        (Some("mesa"), [cold, warm]) => comparison::write(&comparison::MESA, &[cold, warm], results),
        (Some("pipelines"), [log]) => comparison::write(&comparison::PIPELINES, &[log], results),
        (Some("backends"), logs @ [_, ..]) => backends::write(logs, results),
        (Some("threads"), [from]) => threads::write(from, results),
        (Some("storage"), logs @ [_, ..]) => storage::write(logs, results),
        (Some("captures"), logs @ [_, ..]) => captures::write(logs, results),
        (Some("draws"), logs @ [_, ..]) => draws::write(logs, results),
        (Some("lines"), [log, sizes]) => lines::write(log, sizes, results),
        (Some("offsets"), []) => offsets::write(results),
        _ => bail!("no such report from {} files: {}", from.len(), kind.display()),
    }
}

/// The head of a file of results.
fn head(title: &str, command: &str) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
    format!("# {title}\n\nWritten by `{command}` on {arch}, {os}, {cores} cores. See README.md for an explanation.\n")
}

/// The median of at least one number.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Writes `text` to the file `name`, and to stdout.
#[allow(clippy::print_stdout, reason = "the program is run for its results")]
fn finish(results: &Path, name: &str, text: &str) -> Result<()> {
    std::fs::write(results.join(name), text)?;
    println!("{text}");
    Ok(())
}
