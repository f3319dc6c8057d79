// SPDX-License-Identifier: MIT

//! Every pass keeps the results of a shader: dumps run on the interpreter before and after each pass, on the same random inputs.
//!
//! A run with undefined results, for example because it accesses memory out of bounds or branches on an undefined value, is not
//! compared; the number of such runs is printed. `NTV_SEEDS=FIRST..END` selects the inputs.

#![allow(clippy::print_stdout)]

mod support;

use ntv::interp::{FaultKind, Limits};
use ntv::ir::InstKind;
use ntv::op::Modes;
use ntv::pass::{pipeline::PIPELINE, Context};
use ntv::{check, text, Feature, Shader, Target};
use ntv_gen::{difference, Observation, Stimulus};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// The limits of an original shader. Lowering may replace one instruction by several.
const LIMITS: Limits = Limits { instructions: 100_000, components: 1 << 22 };
const LOWERED_LIMITS: Limits = Limits { instructions: 40 * LIMITS.instructions, ..LIMITS };

/// The features that targets lack for which shaders with values of these widths are lowered, besides the target that lacks none.
const TARGETS: &[(&[u8], &[Feature])] = {
    use Feature::*;
    &[
        (&[64], &[shaderInt64]),
        (&[64], &[shaderFloat64]),
        (&[64], &[shaderFloat64, shaderInt64]),
        (&[8, 16], &[shaderInt8, shaderInt16, shaderFloat16]),
    ]
};

/// The results of the shaders of a folder.
#[derive(Default)]
struct Tally {
    shaders: usize,
    compared: usize,
    /// Runs with undefined results, by fault.
    meaningless: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.shaders += other.shaders;
        self.compared += other.compared;
        other.meaningless.into_iter().for_each(|(why, count)| *self.meaningless.entry(why).or_default() += count);
    }
}

#[test]
fn corpus() {
    let tally = check_folder(&support::root().join("tests/corpus"), 0..3);
    assert!(tally.compared > 200, "only {} runs had a meaning", tally.compared);
    let tally = check_folder(&support::root().join("examples"), 0..8);
    assert!(tally.compared > 8, "only {} runs of examples had a meaning", tally.compared);
}

#[test]
fn shared_corpus() {
    if let Some(folder) = support::shared_corpus() {
        let tally = check_folder(&folder, 0..1);
        assert!(tally.compared > 1000, "only {} runs had a meaning", tally.compared);
    }
}

fn check_folder(folder: &Path, seeds: Range<u64>) -> Tally {
    let seeds = asked_seeds().unwrap_or(seeds);
    let results = support::in_parallel(support::files(folder, &["nir", "log"]), |file| {
        let mut tally = Tally::default();
        let result = support::caught(|| check_file(&file, &seeds, &mut tally));
        (tally, result.err().map(|problem| format!("{}, {problem}", file.display())))
    });
    let mut total = Tally::default();
    let mut failures = Vec::new();
    for (tally, failure) in results {
        total.add(tally);
        failures.extend(failure);
    }
    println!("{}: {} shaders, {} runs compared", folder.display(), total.shaders, total.compared);
    total.meaningless.iter().for_each(|(why, count)| println!("{count:6} without meaning: {why}"));
    assert!(failures.is_empty(), "{} files differ\n{}", failures.len(), failures.join("\n"));
    total
}

fn asked_seeds() -> Option<Range<u64>> {
    let asked = std::env::var("NTV_SEEDS").ok()?;
    let (first, end) = asked.split_once("..")?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

fn check_file(file: &Path, seeds: &Range<u64>, tally: &mut Tally) -> Result<(), String> {
    let text = std::fs::read(file).map_err(|error| error.to_string())?;
    for found in text::parse(&String::from_utf8_lossy(&text)) {
        let Ok(mut shader) = found.shader else { continue };
        if check::validate(&shader).and_then(|()| check::supported(&shader, &Target::default())).is_err() {
            continue;
        }
        say_shared_units(&mut shader);
        tally.shaders += 1;
        for seed in seeds.clone() {
            check_shader(&shader, seed, tally)
                .map_err(|problem| format!("the shader at line {}, seed {seed}: {problem}", found.line))?;
        }
    }
    Ok(())
}

/// After zink's lowering, offsets into shared memory count elements, which a dump does not have.
fn say_shared_units(shader: &mut Shader) {
    let is_block = |inst| match shader.insts[inst].kind {
        InstKind::Deref(deref) => shader.derefs[deref].modes.intersects(Modes::UBO | Modes::SSBO),
        _ => false,
    };
    let units = if shader.order.iter().any(|inst| is_block(*inst)) { "elements" } else { "bytes" };
    if !shader.info.directives.iter().any(|(key, _)| key == "shared_offset_units") {
        shader.info.directives.push(("shared_offset_units".into(), units.into()));
    }
}

fn check_shader(original: &Shader, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let stimulus = Stimulus::new(original, seed);
    let before = Observation::new(original, &stimulus, LIMITS);
    if let Some(fault) = before.undefined_behaviour() {
        let detail = match fault.kind {
            FaultKind::Unsupported | FaultKind::MissingInput => format!(", {}", fault.message),
            _ => String::new(),
        };
        *tally.meaningless.entry(format!("{:?}{detail}", fault.kind)).or_default() += 1;
        return Ok(());
    }
    let has_width = |width: &u8| original.inventory().has_width(*width);
    let lacking = TARGETS.iter().filter(|(widths, _)| widths.iter().any(has_width)).map(|(_, off)| *off);
    for off in [&[][..]].into_iter().chain(lacking) {
        let mut context = Context::default();
        off.iter().for_each(|feature| context.target.set(*feature, false));
        if check::supported(original, &context.target).is_err() {
            continue;
        }
        let says = check_passes(original, &stimulus, &before, &context);
        if !says.map_err(|found| format!("without {off:?}, {found}"))? {
            *tally.meaningless.entry("Race".to_string()).or_default() += 1;
            return Ok(());
        }
    }
    tally.compared += 1;
    Ok(())
}

/// Returns false if the results are undefined, because invocations race.
fn check_passes(
    original: &Shader,
    stimulus: &Stimulus,
    before: &Observation,
    context: &Context,
) -> Result<bool, String> {
    let mut shader = original.clone();
    for pass in PIPELINE {
        if !pass.apply(&mut shader, context) {
            continue;
        }
        let after = Observation::new(&shader, stimulus, LOWERED_LIMITS);
        match difference(before, &after) {
            None => {}
            // The order of two invocations may change with every instruction.
            Some(_) if before.has_race() => return Ok(false),
            Some(found) => return Err(format!("after {}: {found}", pass.name)),
        }
    }
    Ok(true)
}
