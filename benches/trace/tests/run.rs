// SPDX-License-Identifier: MIT

//! Runs programs without a driver.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::process::{Command, Output};

/// The output of a script that `sh` runs under the tracer.
fn run(script: &str, log: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ntv-trace"));
    command.args(["run", log, "/bin/sh", "-c", script]).output().unwrap()
}

#[test]
fn a_program_runs_as_ever() {
    let log = std::env::temp_dir().join(format!("ntv-trace-run-{}.tsv", std::process::id()));
    // A child process, another program, a signal from another process.
    let output =
        run("(exit 3); echo $?; /bin/echo two; trap 'echo three' USR1; kill -USR1 $$; exit 7", log.to_str().unwrap());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3\ntwo\nthree\n", "{output:?}");
    assert_eq!(output.status.code(), Some(7));
    assert!(!log.exists(), "there was no shader");
}

#[test]
fn a_program_may_be_killed() {
    let output = run("kill -KILL $$", "/dev/null");
    assert_eq!(output.status.code(), Some(128 + 9), "{output:?}");
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ntv-trace"));
    let output = command.args(["run", "/dev/null", "/no/such/program"]).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot start /no/such/program"), "{output:?}");
}
