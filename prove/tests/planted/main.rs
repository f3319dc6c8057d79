// SPDX-License-Identifier: MIT

//! Planted faults: a proof fails for each of them, and there are inputs that show it.
//!
//! The faults of [`plant`] change the words of modules, and those of `tests/faults` the shader that is emitted. Each shader is proved
//! without a fault. With one, it is not, but where the fault has no effect; and for each fault, some shader is refuted by inputs for
//! which the interpreter gives what the NIR gives.

// The output shows how a fault was found.
#![allow(clippy::print_stdout)]

#[path = "../../../tests/faults/rules.rs"]
mod rules;
mod shaders;

use ntv::{EmitOptions, Shader, Target};
use ntv_prove::compare::{Prover, Verdict};
use ntv_prove::plant::{self, Fault};
use rayon::prelude::*;
use shaders::{Case, Lowered};

/// The places of a fault that are tried in each shader.
const PLACES: usize = 2;

/// The places that are tried of a fault that is confirmed, or can't be.
const ENOUGH: usize = 10;

/// The inputs that are tried until there is a witness, and then, until it is confirmed.
const TRIALS: [u64; 2] = [30, 4];

/// Wrong rules that do not change words: the instance is not emitted as such.
const NOT_EMITTED: &[&str] = &["the vertex is the instance"];

/// Faults without effect: the shader, or none for all of those above, the fault, and the reason.
const HARMLESS: &[(&str, &str, &str)] = &[
    ("", "ArrayStride is twice as much", "only the first element is used"),
    ("compile/int64_as_pairs.nir", "ArrayStride is twice as much", "only the first element is used"),
    (
        "compile/task_system_values.nir",
        "an integer constant has another sign",
        "it is a part of the size of the workgroup, which is not compared",
    ),
    (
        "compile/int64_as_pairs.nir",
        "an integer constant has another sign",
        "addresses have 32 bits, so that the index leads to the same place",
    ),
    (
        "critical section",
        "BitwiseAnd is only its word 3",
        "addresses have 32 bits, so that the index leads to the same place",
    ),
    ("run/bitfields.nir", "BitFieldSExtract as BitFieldUExtract", "the field is the whole word"),
    ("run/bitfields.nir", "BitFieldUExtract as BitFieldSExtract", "the field is the whole word"),
    ("32 %9 = fsat %4", "NMin as FMin", "the operands are numbers"),
    ("run/not_a_number.nir", "NMin as FMin", "the operands are numbers"),
    ("run/bitfields.nir", "BitwiseOr as BitwiseXor", "the operands have no bits in common"),
    ("run/int64.nir", "UConvert as SConvert", "the result is narrower"),
    ("compile/read_only_memory.nir", "another component is shuffled", "all components are the same"),
    ("compile/read_only_memory.nir", "two components of a shuffle swapped", "all components are the same"),
    (
        "stages/tess_control_22_3.nir",
        "word 3 of ControlBarrier is another value",
        "the barrier orders outputs in any case",
    ),
    ("zink/barriers.nir", "word 3 of ControlBarrier is another value", "the other number orders no memory, too"),
    ("barriers", "word 3 of ControlBarrier is another value", "the other number orders no memory, too"),
    (
        "compile/helper_invocations_stay.nir",
        "words 4 and 5 of CompositeConstruct swapped",
        "they are equal unless discarded",
    ),
];

/// What became of a fault.
#[derive(Default)]
struct Found {
    places: usize,
    undecided: usize,
    refuted: usize,
    confirmed: usize,
    /// A witness.
    shown: String,
    /// Where it was not found.
    proved: Vec<String>,
}

impl Found {
    fn add(&mut self, name: &str, verdict: &Verdict) {
        self.places += 1;
        match verdict {
            Verdict::Proved => self.proved.push(name.to_owned()),
            Verdict::Undecided(_) => self.undecided += 1,
            Verdict::Different(witness) => {
                self.refuted += 1;
                if self.refuted == 1 || witness.confirmed && self.confirmed == 0 {
                    self.shown = format!("{}: {}: {} becomes {}", name, witness.what, witness.expected, witness.found);
                }
                self.confirmed += usize::from(witness.confirmed);
            }
        }
    }

    fn counts(&self) -> String {
        let Found { places, undecided, refuted, confirmed, .. } = self;
        format!("{places} places, {refuted} refuted, {confirmed} confirmed, {undecided} undecided")
    }
}

/// A prover that looks for a witness as hard as is needed.
fn prover(found: &Found) -> Prover {
    let trials = match (found.refuted, found.confirmed) {
        (0, _) => TRIALS[0],
        (_, 0) => TRIALS[1],
        _ => 0,
    };
    Prover { trials, ..Prover::default() }
}

#[test]
fn without_a_fault_all_is_proved() {
    let undecided: Vec<String> = shaders::cases()
        .par_iter()
        .filter_map(|case| match Prover::default().prove(&case.shader, &Target::default(), &case.words) {
            Verdict::Proved => None,
            verdict => Some(format!("{}: {verdict:?}", case.name)),
        })
        .collect();
    assert!(undecided.is_empty(), "{}", undecided.join("\n"));
}

#[test]
fn every_planted_fault_is_refuted() {
    let faults = plant::faults();
    assert!(faults.len() >= 100);
    let cases = shaders::cases();
    let found: Vec<(String, Found)> =
        faults.par_iter().map(|fault| (fault.name.clone(), search(fault, &cases))).collect();
    let mut wrong = Vec::new();
    for (name, found) in &found {
        println!("{name}: {}: {}", found.counts(), found.shown.chars().take(160).collect::<String>());
        if found.confirmed == 0 {
            wrong.push(format!("{name}: {}", found.counts()));
        }
        let is_harmless = |case: &String| {
            let is_it = |it: &str| it == case || it.is_empty() && case.contains('=');
            HARMLESS.iter().any(|it| is_it(it.0) && it.1 == name)
        };
        wrong.extend(
            found.proved.iter().filter(|case| !is_harmless(case)).map(|case| format!("{name}: proved in {case}")),
        );
    }
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// The faults of `tests/faults` change the lowered shader: what is emitted of it is not what the shader means.
#[test]
fn every_wrong_rule_is_refuted() {
    let cases = shaders::cases_of_rules();
    let found: Vec<(&str, Found)> =
        rules::FAULTS.par_iter().map(|fault| (fault.name, search_rule(fault, &cases))).collect();
    let mut wrong = Vec::new();
    for (name, found) in &found {
        println!("{name}: {}: {}", found.counts(), found.shown.chars().take(160).collect::<String>());
        let is_known = found.places == 0 && NOT_EMITTED.contains(name);
        let is_found = found.confirmed > 0;
        if !is_known && !is_found {
            wrong.push(format!("{name}: {}", found.counts()));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// Plants a wrong rule in the shaders that it changes, until it is confirmed.
fn search_rule(fault: &rules::Fault, cases: &[Lowered]) -> Found {
    let mut found = Found::default();
    for case in cases {
        let mut lowered = case.lowered.clone();
        if !fault.apply(&mut lowered) || ntv::check::validate(&lowered).is_err() {
            continue;
        }
        let emit = |shader: &Shader| ntv::spirv::emit(shader, &case.target, &EmitOptions::default());
        let Ok(module) = emit(&lowered) else { continue };
        if emit(&case.lowered).is_ok_and(|right| right.words == module.words) {
            continue;
        }
        let verdict = prover(&found).prove(&case.shader, &case.target, &module.words);
        found.add(&case.name, &verdict);
        if found.confirmed > 0 {
            break;
        }
    }
    found
}

/// Plants a fault in the shaders that have a place for it, until enough is known.
fn search(fault: &Fault, cases: &[Case]) -> Found {
    let mut found = Found::default();
    for case in cases {
        for change in fault.places(&case.words).iter().take(PLACES) {
            let verdict = prover(&found).prove(&case.shader, &Target::default(), &change.apply(&case.words));
            found.add(&case.name, &verdict);
        }
        if found.confirmed > 0 && found.places >= ENOUGH {
            break;
        }
    }
    found
}

/// A built-in output of a vertex that only one side writes differs from its default.
#[test]
fn a_layer_that_one_side_writes_is_found() {
    let [with, without] = shaders::layers();
    let prove = |shader: &Shader, words: &[u32]| Prover::default().prove(shader, &Target::default(), words);
    for (case, other) in [(&with, &without), (&without, &with)] {
        assert!(matches!(prove(&case.shader, &case.words), Verdict::Proved));
        assert!(matches!(prove(&case.shader, &other.words), Verdict::Different(_)));
    }
}

/// Only operations without NoContraction are combined with each other: one that is alone needs no decoration.
#[test]
fn arithmetic_that_is_alone_needs_no_decoration() {
    let is_proved = |case: &Case, number: Option<usize>| {
        let words = without_decoration(&case.words, number);
        assert_ne!(words, case.words, "{}", case.name);
        matches!(Prover::default().prove(&case.shader, &Target::default(), &words), Verdict::Proved)
    };
    assert!(is_proved(&shaders::case_of("32 %9 = fadd! %4, %5"), None));
    assert!(!is_proved(&shaders::case_of("32 %7 = fmul %4, %5\n32 %9 = fadd! %7, %6"), None));
    let cases = shaders::cases();
    let several = cases.iter().find(|it| it.name == "zink/no_contraction.nir").expect("a shader");
    assert!((0..3).all(|number| is_proved(several, Some(number))));
    assert!(!is_proved(several, None));
}

/// The words without NoContraction, or without one of these decorations.
fn without_decoration(words: &[u32], number: Option<usize>) -> Vec<u32> {
    const DECORATION: [u32; 2] = [3 << 16 | spirv::Op::Decorate as u32, spirv::Decoration::NoContraction as u32];
    let is_one = |at: &usize| [words[*at], words[at + 2]] == DECORATION;
    let places = (5..words.len() - 2).filter(is_one).enumerate();
    let removed: Vec<usize> = places.filter(|(i, _)| number.is_none_or(|number| number == *i)).map(|it| it.1).collect();
    let is_kept = |at: &usize| !removed.iter().any(|place| (*place..place + 3).contains(at));
    (0..words.len()).filter(is_kept).map(|at| words[at]).collect()
}

/// A repair makes right what a fault made wrong.
#[test]
fn repairs_undo_faults() {
    const PAIRS: &[(&str, &str, &str)] = &[
        ("32 %9 = fmin %4, %5", "NMin as FMin", "FMin as NMin"),
        ("32 %9 = fmax %4, %5", "NMax as FMax", "FMax as NMax"),
        ("32 %10 = ishl %4, %25", "a vote on floats compares integers", "AllEqual of integers as of floats"),
    ];
    assert_eq!(PAIRS.len(), plant::REPAIRS.len());
    let (cases, faults) = (shaders::cases(), plant::faults());
    for (shader, fault, repair) in PAIRS {
        let case = cases.iter().find(|it| it.name == *shader).expect("a shader");
        let fault = faults.iter().find(|it| it.name == *fault).expect("a fault");
        let repair = plant::REPAIRS.iter().find(|it| it.name == *repair).expect("a repair");
        let is_proved =
            |words: &[u32]| matches!(Prover::default().prove(&case.shader, &Target::default(), words), Verdict::Proved);
        let wrong = fault.places(&case.words).first().expect("a place").apply(&case.words);
        assert!(!is_proved(&wrong), "{shader}");
        assert!(is_proved(&repair.apply(&wrong).expect("a place")), "{shader}");
        assert!(repair.apply(&[]).is_none());
    }
}
