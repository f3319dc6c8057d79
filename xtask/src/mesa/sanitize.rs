// SPDX-License-Identifier: MIT

//! Tests under AddressSanitizer and UndefinedBehaviorSanitizer, or valgrind: starts programs, and selects the reports about ntv.
//!
//! Mesa, LLVM and piglit have leaks of their own: a report is about ntv if a function of ntv is on one of its stacks. Undefined
//! behaviour in any file of zink counts, because the series changes them.

use anyhow::{Context, Result};
use clap::ValueEnum;
use regex::Regex;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tool.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tool {
    Address,
    Valgrind,
}

/// A tool, and the folder that it writes its reports to.
pub(crate) struct Sanitizer {
    tool: Tool,
    reports: tempfile::TempDir,
    /// The library of AddressSanitizer, which has to be loaded before all others.
    library: PathBuf,
}

impl Sanitizer {
    pub(crate) fn new(tool: Tool) -> Result<Sanitizer> {
        let package = match tool {
            Tool::Address => "gcc",
            Tool::Valgrind => "valgrind",
        };
        super::source::install_missing(package)?;
        let found = Command::new("gcc").arg("-print-file-name=libasan.so").output().context("cannot start gcc")?;
        let library = PathBuf::from(String::from_utf8(found.stdout)?.trim());
        Ok(Sanitizer { tool, reports: tempfile::tempdir()?, library })
    }

    pub(crate) fn name(&self) -> &'static str {
        match self.tool {
            Tool::Address => "address",
            Tool::Valgrind => "valgrind",
        }
    }

    /// The command that runs `program` under the tool.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let reports = self.reports.path().join("report");
        match self.tool {
            Tool::Address => {
                let mut command = Command::new(program);
                command.env("LD_PRELOAD", &self.library);
                // A leak is reported, but the test does not fail.
                let options = format!("log_path={}:detect_leaks=1:exitcode=0:abort_on_error=0", reports.display());
                command.env("ASAN_OPTIONS", options);
                command.env("LSAN_OPTIONS", "exitcode=0");
                command.env("UBSAN_OPTIONS", format!("log_path={}:print_stacktrace=1", reports.display()));
                command
            }
            Tool::Valgrind => {
                let mut command = Command::new("valgrind");
                command
                    .arg(format!("--log-file={}.%p", reports.display()))
                    // LLVM generates code at run time.
                    .arg("--smc-check=all-non-file")
                    // valgrind finds leaks after the driver is unloaded, and needs the names of its functions then.
                    .arg("--keep-debuginfo=yes")
                    .args(["--leak-check=full", "--show-leak-kinds=definite", "--num-callers=40", "--error-limit=no"])
                    .arg(program);
                command
            }
        }
    }

    /// Prints the reports about ntv, and the number of others; returns the number of those about ntv.
    pub(crate) fn report(&self) -> Result<usize> {
        let (mut ours, mut others) = (BTreeMap::new(), 0);
        let function = Regex::new(r"\b(zink_ntvr|ntvr_\w|ntv::)")?;
        for entry in fs::read_dir(self.reports.path())? {
            let text = fs::read(entry?.path())?;
            for report in reports(&String::from_utf8_lossy(&text)) {
                match function.is_match(&report) || is_undefined_in_zink(&report) {
                    true => *ours.entry(report).or_insert(0) += 1,
                    false => others += 1,
                }
            }
        }
        for (report, count) in &ours {
            println!("\n{count} times\n{report}");
        }
        println!("{}: {} reports with ntv, {others} without", self.name(), ours.len());
        Ok(ours.len())
    }
}

/// The stacks in a log, each with the line before it, which has the kind of the report.
fn reports(log: &str) -> Vec<String> {
    let mut reports = vec![String::new()];
    for line in log.lines() {
        // valgrind's lines start with the number of the process.
        let line = line.trim_start_matches("==");
        let line = line
            .split_once("==")
            .map_or(line, |(number, rest)| if number.parse::<u32>().is_ok() { rest } else { line });
        match (line.trim().is_empty(), reports.last_mut()) {
            (false, Some(report)) => *report += &format!("{}\n", without_addresses(line)),
            _ => reports.push(String::new()),
        }
    }
    reports.retain(|report| is_stack(report));
    reports
}

/// Whether a report is about undefined behaviour in a file of zink.
fn is_undefined_in_zink(report: &str) -> bool {
    let mut lines = report.lines().filter(|line| line.contains("runtime error: "));
    lines.any(|line| line.contains("drivers/zink/"))
}

/// Whether a paragraph of a log has a stack: `#0 0x... in ...` or `at 0x...: ...`.
fn is_stack(report: &str) -> bool {
    report.lines().any(|line| line.trim().starts_with("#0 ") || line.trim().starts_with("at "))
}

/// The line without the parts that differ between equal reports.
fn without_addresses(line: &str) -> String {
    line.split(' ').filter(|word| !word.starts_with("0x")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_split_at_empty_lines() {
        let valgrind =
            "==12== Memcheck\n==12== \n==12== Invalid read\n==12==    at 0x12: f (a.c:1)\n==12== \n==12== x\n";
        assert_eq!(reports(valgrind), [" Invalid read\n    at f (a.c:1)\n"]);
        let asan =
            "=================\n\nDirect leak of 8 byte(s)\n    #0 0x7f in malloc\n    #1 0x7f in ntv\n\nSUMMARY: x\n";
        assert_eq!(reports(asan), ["Direct leak of 8 byte(s)\n    #0 in malloc\n    #1 in ntv\n"]);
        let ubsan =
            "../src/gallium/drivers/zink/a.c:1:2: runtime error: load of misaligned address\n    #0 0x1 in f a.c:1\n\n";
        assert!(is_undefined_in_zink(&reports(ubsan)[0]));
        assert!(!is_undefined_in_zink(&reports(&ubsan.replace("zink", "llvmpipe"))[0]));
    }
}
