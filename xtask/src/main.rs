// SPDX-License-Identifier: MIT

//! The chores of the repository: `cargo xtask NAME`.

#![allow(clippy::print_stdout, reason = "chores print their progress")]

mod backends;
mod bench;
mod command;
mod dump;
mod explorer;
mod files;
mod lint;
mod mesa;
mod meson;
mod opcodes;
mod oracle;
mod release;
mod steps;
mod targets;
mod test;

use anyhow::{bail, Result};
use std::path::{Path, PathBuf};

const USAGE: &str = "\
usage: cargo xtask test               install what the tests need from Debian, then run all of them
       cargo xtask library            the tests of the C library that Meson builds
       cargo xtask nightly            the random tests with more seeds, and lavapipe with its optimizations
       cargo xtask lint               formatting, clippy, documentation, Rust version of the core, names of opcodes
       cargo xtask msrv               compile and test the C library with the oldest Rust that it promises to support
       cargo xtask targets [NAME...]  test the C library on other machines: 32 bits, big-endian (by QEMU), musl
       cargo xtask release [URL]      the source of the C library as one file, built and tested, and a wrap for it
       cargo xtask opcodes            the number of files that name each opcode, and the opcodes with the highest numbers
       cargo xtask bench [--mesa|--pipelines|--backends|--threads|--offsets|--draws] [-- FILTER]
                                      run benchmarks and write benches/results/: translation alone, inside zink next to
                                      its own translator, the creation of pipelines from the words of both, what the
                                      compilers of GPUs make of the words of both, translation on several threads,
                                      dynamic offsets in the words of both, or draws on ntv's own driver and on zink;
                                      --help has more
       cargo xtask oracle [--count N] [--first N] [--jobs N] [--all] [--seed N [--shader FILE]]
                                      compare random shaders on the interpreter and on lavapipe; --seed: one, in detail
       cargo xtask dump --mesa PREFIX [NAME...]
                                      generate the NIR of examples/ and tests/corpus/ again from the GLSL next to it,
                                      with the Mesa 25.0 installed under PREFIX; without --mesa, the logs of
                                      Debian's own Mesa
       cargo xtask dump --mesa PREFIX --to FOLDER FILE... | -- PROGRAM...
                                      write the NIR of piglit's shader tests, or of a program, with any Mesa: what
                                      a Gallium driver gets, and what zink's translator gets and makes of it
       cargo xtask prove --table [--filter TEXT] [--random N] [--class TEXT] [--target TEXT] [--limit MS] [--trials N]
                         [--no-solver] [--refused] [--reasons]
                                      compare each row of the ALU table with Mesa's constant folding
       cargo xtask mesa [--list NAME] [--filter RE] [--jobs N] [--small]
                                      piglit's shader tests through zink, with its own translator and with ntv;
                                      --help has more
       cargo xtask explorer [--test | --static DIR]
                                      build the page of ntv explore; --test: also test it in Debian's Chromium;
                                      --static: copy it to a folder of a web server";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "test" => test::run(rest),
        Some((command, [])) if command == "library" => test::library(),
        Some((command, [])) if command == "nightly" => test::nightly(),
        Some((command, [])) if command == "lint" => lint::run(),
        Some((command, [])) if command == "msrv" => test::msrv(),
        Some((command, rest)) if command == "release" => release::run(rest),
        Some((command, rest)) if command == "targets" => targets::run(rest),
        Some((command, [])) if command == "opcodes" => opcodes::run(),
        Some((command, rest)) if command == "bench" => bench::run(rest),
        Some((command, rest)) if command == "mesa" => mesa::run(rest),
        Some((command, rest)) if command == "oracle" => oracle::run(rest),
        Some((command, rest)) if command == "dump" => dump::run(rest),
        Some((command, [table, rest @ ..])) if command == "prove" && table == "--table" => mesa::fold::compare(rest),
        Some((command, rest)) if command == "explorer" => explorer::run(rest),
        _ => bail!("no such chore\n{USAGE}"),
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}
