// SPDX-License-Identifier: MIT

//! Deliberate faults: the oracle finds each of them, and reports nothing without a fault.
//!
//! A fault is one wrong rule that changes the lowered shader, such as a swapped operand. The shaders of the corpus run on the
//! interpreter unchanged, and lowered with the fault, on the same inputs: those of a file of `tests/corpus/run`, and random ones.
//! At least one of them must show the fault.

// The output shows how a fault was found.
#![allow(clippy::print_stdout)]

mod rules;
#[path = "../support/mod.rs"]
mod support;

use ntv::{check, text, Shader, Target, Translator};
use ntv_gen::{difference, shader_of_seed, stimulus_of_seed, Observation, Purpose, Stimulus};
use ntv_interp::{Buffer, Limits};
use rules::{lowered, small_target, Fault, FAULTS};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

const LIMITS: Limits = Limits { instructions: 100_000, components: 1 << 20 };
const LOWERED_LIMITS: Limits = Limits { instructions: 40 * LIMITS.instructions, components: 1 << 22 };

/// The number of random inputs for each shader.
const SEEDS: u64 = 3;

/// The number of random shaders.
const SHADERS: u64 = 40;

/// A shader with inputs, and its results.
struct Case {
    name: String,
    lowered: Shader,
    stimulus: Stimulus,
    before: Observation,
    /// The results of the lowered shader without a fault.
    control: Observation,
}

impl Case {
    /// `None` if the results of `original` with these inputs are undefined.
    fn new(name: String, original: &Shader, lowered: Shader, stimulus: Stimulus) -> Option<Case> {
        let before = Observation::new(original, &stimulus, LIMITS);
        if before.undefined_behaviour().is_some() || before.has_race() {
            return None;
        }
        let control = Observation::new(&lowered, &stimulus, LOWERED_LIMITS);
        Some(Case { name, lowered, stimulus, before, control })
    }

    /// The evidence that `shader` has wrong results.
    fn fault_of(&self, shader: &Shader) -> Option<String> {
        self.fault_in(&Observation::new(shader, &self.stimulus, LOWERED_LIMITS))
    }

    fn fault_in(&self, after: &Observation) -> Option<String> {
        // The interpreter runs invocations in order, so that a missing barrier only shows as a race. A store of a byte that is
        // lowered to atomics looks like a race, too.
        let race = (after.has_race() && !self.control.has_race()).then(|| "a race".to_string());
        difference(&self.before, after).or(race)
    }
}

#[test]
fn without_a_fault_nothing_is_found() {
    let cases = cases();
    assert!(cases.len() > 200, "only {} cases", cases.len());
    let found: Vec<String> =
        cases.iter().filter_map(|case| Some(format!("{}: {}", case.name, case.fault_in(&case.control)?))).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_fault_is_found() {
    assert!(FAULTS.len() >= 30);
    let results = support::in_parallel(FAULTS.iter().collect(), |fault| (fault.name, search(fault, cases())));
    let mut missed = Vec::new();
    for (name, result) in results {
        match result {
            Ok(found) => println!("{name}: {found}"),
            Err(tried) => missed.push(format!("{name}: no difference in {tried} cases")),
        }
    }
    assert!(missed.is_empty(), "{} faults are not found\n{}", missed.len(), missed.join("\n"));
}

/// The first evidence of `fault`, or the number of cases with an affected instruction.
fn search(fault: &Fault, cases: &[Case]) -> Result<String, usize> {
    let mut tried = 0;
    for case in cases {
        let mut shader = case.lowered.clone();
        if !fault.apply(&mut shader) || check::validate(&shader).is_err() {
            continue;
        }
        tried += 1;
        if let Some(found) = case.fault_of(&shader) {
            return Ok(format!("{}: {found}", case.name));
        }
    }
    Err(tried)
}

/// All cases, those of files with their own inputs first.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(new_cases)
}

fn new_cases() -> Vec<Case> {
    let folders = ["tests/corpus/run", "tests/corpus/mesa", "tests/corpus/stages"];
    let files = folders.iter().flat_map(|folder| support::files(&support::root().join(folder), &["nir"]));
    let mut cases: Vec<Case> =
        support::in_parallel(files.collect(), |file| cases_of(&file)).into_iter().flatten().collect();
    cases.sort_by_key(|case| !case.name.contains("own inputs"));
    cases.extend((0..SHADERS).filter_map(random_case));
    cases
}

fn random_case(seed: u64) -> Option<Case> {
    let original = shader_of_seed(seed, Purpose::Interpreter);
    let stimulus = stimulus_of_seed(&original, seed, Purpose::Interpreter);
    let mut lowered = original.clone();
    Translator::default().lower(&mut lowered, None).ok()?;
    Case::new(format!("random shader {seed}"), &original, lowered, stimulus)
}

fn cases_of(file: &Path) -> Vec<Case> {
    let text = fs::read_to_string(file).expect("a readable file");
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut cases = Vec::new();
    for original in text::find(&text).filter_map(|found| found.shader.ok()) {
        let mut stimuli: Vec<(String, Stimulus)> =
            (0..SEEDS).map(|seed| (format!("seed {seed}"), Stimulus::new(&original, seed))).collect();
        stimuli.extend(own_inputs(&text, &original).map(|own| ("own inputs".to_string(), own)));
        for (target, target_name) in [(Target::default(), "full"), (small_target(), "small")] {
            let Some(lowered) = lowered(&original, &target) else { continue };
            for (inputs, stimulus) in &stimuli {
                let name = format!("{name}, {}, {target_name} target, {inputs}", original.stage().name());
                cases.extend(Case::new(name, &original, lowered.clone(), stimulus.clone()));
            }
        }
    }
    cases
}

/// The inputs of a file of `tests/corpus/run` for its compute shader.
fn own_inputs(text: &str, shader: &Shader) -> Option<Stimulus> {
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("; inputs: ")).collect();
    let given: Value = serde_json::from_str(&lines.join("\n")).ok()?;
    let mut stimulus = Stimulus::new(shader, 0);
    for (axis, groups) in given["groups"].as_array()?.iter().enumerate() {
        stimulus.inputs.workgroups[axis] = groups.as_u64()? as u32;
    }
    if !given["push_constants"].is_null() {
        stimulus.push_constants = buffer(&given["push_constants"])?;
    }
    for object in given["buffers"].as_array()? {
        let index = object["binding"].as_u64()? + object["element"].as_u64().unwrap_or(0);
        let blocks = if object["set"] == 3 { &mut stimulus.storage } else { &mut stimulus.uniform };
        *blocks.get_mut(index as usize)? = buffer(object)?;
    }
    Some(stimulus)
}

fn buffer(object: &Value) -> Option<Buffer> {
    if let Some(size) = object["size"].as_u64() {
        return Some(Buffer::zeroed(size as usize));
    }
    let (numbers, bytes) = match object["u8"].as_array() {
        Some(bytes) => (bytes, 1),
        None => (object["u32"].as_array()?, 4),
    };
    let numbers = numbers.iter().map(|number| number.as_u64().unwrap_or(0).to_le_bytes());
    Some(Buffer::new(numbers.flat_map(|number| number[..bytes].to_vec()).collect()))
}
