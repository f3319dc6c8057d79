// SPDX-License-Identifier: MIT

//! The programs of `cargo xtask prove --table`, which also builds them by the name of this test: Cargo builds them once for both.

use std::process::{Command, Output};

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().expect("a program of this package")
}

#[test]
fn forms_are_proved_for_both_targets() {
    let output = run(env!("CARGO_BIN_EXE_forms"), &["--no-solver", "--filter", "pack_64_2x32_split"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for target in ["all features", "no features"] {
        assert!(said.contains(&format!("{target}: proved ")), "{said}");
        assert!(!said.contains(&format!("{target}: proved 0 ")), "{said}");
    }
}

#[test]
fn a_table_needs_the_program_that_folds() {
    let output = run(env!("CARGO_BIN_EXE_table"), &["no/such/program"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("cannot start no/such/program"), "{said}");
}
