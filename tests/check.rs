// SPDX-License-Identifier: MIT

//! Every real dump of the larger corpus satisfies the validator's rules, before and after registers are converted to SSA and
//! discards are lowered. The test prints if there is no corpus.

// The output must show what was not checked.
#![allow(clippy::print_stdout)]

mod support;

use ntv::op::Facts;
use ntv::pass::control::{lower_discard_if, regs_to_ssa};
use ntv::pass::Context;
use ntv::{check, text, Shader};
use std::fs;
use std::path::Path;

#[test]
fn real_dumps_are_valid() {
    let Some(corpus) = support::shared_corpus() else { return };
    let files = support::files(&corpus, &["nir", "log"]);
    let results = support::in_parallel(files, |file| check_file(&file, file.strip_prefix(&corpus).unwrap_or(&file)));
    let checked: usize = results.iter().map(|(checked, _)| checked).sum();
    let failures: Vec<&str> = results.iter().flat_map(|(_, failures)| failures).map(String::as_str).collect();
    println!("{checked} shaders of {} files checked", results.len());
    assert!(failures.is_empty(), "{} of {checked} shaders fail\n{}", failures.len(), failures.join("\n"));
    assert!(checked > 0, "{} has no dumps", corpus.display());
}

/// The number of checked shaders of `file`, and their errors.
fn check_file(file: &Path, name: &Path) -> (usize, Vec<String>) {
    let dump = String::from_utf8_lossy(&fs::read(file).expect("a dump")).into_owned();
    // Other tests cover the parser.
    let shaders: Vec<Shader> = text::find(&dump).filter_map(|found| found.shader.ok()).collect();
    let failures = shaders.iter().filter_map(|shader| check_shader(shader.clone()).err());
    (shaders.len(), failures.map(|error| format!("{}: {error}", name.display())).collect())
}

fn check_shader(mut shader: Shader) -> Result<(), String> {
    check::validate(&shader).map_err(|errors| errors.to_string())?;
    for pass in [regs_to_ssa::PASS, lower_discard_if::PASS] {
        pass.apply(&mut shader, &Context::default());
        check::validate(&shader).map_err(|errors| format!("after {}: {errors}", pass.name))?;
        let left = shader.recorded_again()?.intersection(pass.removes);
        if !left.is_empty() {
            return Err(format!("{} leaves {left:?}", pass.name));
        }
        if pass.apply(&mut shader, &Context::default()) {
            return Err(format!("{} changes its own result", pass.name));
        }
    }
    Ok(())
}

/// zink converts phis to registers; its dumps from before show the phis that regs_to_ssa must restore.
#[test]
fn registers_become_the_phis_they_were() {
    let Some(corpus) = support::shared_corpus() else { return };
    let files = support::files(&corpus, &["nir"]).into_iter().filter(|file| file.parent().is_some_and(is_reg_folder));
    let results = support::in_parallel(files.collect(), |file| same_phis(&file));
    let (checked, same) = (results.iter().flatten().count(), results.iter().flatten().filter(|same| **same).count());
    println!("{same} of {checked} shaders have the instructions they had");
    // Where a register is undefined on one path, zink has no store, and regs_to_ssa may make a phi for a loop that had none.
    assert!(checked > 0 && same * 100 >= checked * 99, "only {same} of {checked}");
}

fn is_reg_folder(folder: &Path) -> bool {
    folder.ends_with("reg")
}

/// Whether a dump with registers gets the same numbers of instructions and phis as its counterpart in the `ssa` folder.
fn same_phis(file: &Path) -> Option<bool> {
    let neighbour = file.parent()?.with_file_name("ssa").join(file.file_name()?);
    let [mut reg, ssa] = [file, &neighbour].map(|file| {
        let dump = fs::read_to_string(file).ok()?;
        text::parse(&dump).ok()
    });
    let (reg, ssa) = (reg.as_mut()?, ssa?);
    if !reg.facts().contains(Facts::REGISTERS) {
        return None;
    }
    regs_to_ssa::PASS.apply(reg, &Context::default());
    let count = |shader: &Shader| {
        let phis = shader.order.iter().filter(|inst| shader.phi(**inst).is_some());
        (shader.order.len(), phis.count())
    };
    Some(count(reg) == count(&ssa))
}
