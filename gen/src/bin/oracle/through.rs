// SPDX-License-Identifier: MIT

//! `--through SPIRV2NIR`: the words for the driver are read by Mesa's reader of SPIR-V, and translated again.

use anyhow::{ensure, Context, Result};
use ntv::{text, EmitOptions, Options, Target, Translator};
use ntv_gen::oracle::{Oracle, Verdict};
use ntv_gen::{program_of_seed, stimulus_of_seed, Purpose};
use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the program of `seed`. Every second one is optimized by Mesa.
pub(crate) fn ask(oracle: &mut Oracle, seed: u64, reader: &Path) -> Verdict {
    let program = program_of_seed(seed);
    let Some(first) = program.first() else { return Verdict::Same(0) };
    let stimulus = stimulus_of_seed(first, seed, Purpose::Driver);
    let target = oracle.device().target().clone();
    let problem = RefCell::new(None);
    let verdict =
        oracle.compare_changed(&program, &stimulus, &|words| match again(words, reader, &target, seed / 4 % 2 == 1) {
            Ok(new) => *words = new,
            Err(error) => *problem.borrow_mut() = Some(format!("{error:#}")),
        });
    problem.into_inner().map_or(verdict, Verdict::Wrong)
}

/// The module of `words` after a way through Mesa.
fn again(words: &[u32], reader: &Path, target: &Target, optimized: bool) -> Result<Vec<u32>> {
    let file = tempfile::NamedTempFile::new()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(file.path(), bytes)?;
    let mut command = Command::new(reader);
    command.args(optimized.then_some("--optimize")).arg(file.path());
    let output = command.output().with_context(|| format!("cannot start {}", reader.display()))?;
    let dump = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success() && !dump.is_empty(), "Mesa: {}", String::from_utf8_lossy(&output.stderr).trim());
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let module = translator.translate(&mut text::parse(&dump)?, &EmitOptions::default())?;
    Ok(module.words)
}
