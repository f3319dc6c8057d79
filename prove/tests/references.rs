// SPDX-License-Identifier: MIT

//! The modules that zink's C translator made of the shaders of `../shared/corpus`: each is proved, or it is explained why it is not.
//!
//! A module is *explained* by the fewest repairs of [`ntv_prove::plant`] with which it is proved. What no repair explains is looked at by
//! hand, and listed here; another module that differs is an error. docs/prove.md has the specifications' reasons.

#![allow(clippy::print_stdout)] // the output lists what is not proved

#[path = "../../tests/support/references.rs"]
mod references;
#[path = "../../tests/support/mod.rs"]
mod support;

use ntv::{text, Shader, Target};
use ntv_prove::compare::{sides, Other, Prover, Verdict};
use ntv_prove::plant::{Repair, REPAIRS};
use ntv_prove::term::Arena;
use rayon::prelude::*;
use references::Pair;
use std::collections::BTreeMap;
use support::shared_corpus;

/// The inputs that are tried with a module that no repair explains.
const TRIALS: u64 = 12;

/// A part of the corpus.
struct Part {
    folder: &'static str,
    modules: usize,
    /// The least number of modules that are proved.
    proved: usize,
    /// The least number that are explained by each set of repairs.
    explained: &'static [(&'static str, usize)],
    /// The modules that differ and are not explained by a repair, each with the reason.
    different: &'static [(&'static str, &'static str)],
    /// The greatest number that are not decided: those without terms among them.
    undecided: usize,
}

const PARTS: &[Part] = &[
    Part {
        folder: "mesa25",
        modules: 1361,
        proved: 1284,
        explained: &[("FMax as NMax", 55), ("FMin as NMin", 8), ("FMin as NMin and FMax as NMax", 6)],
        different: &[],
        undecided: 8,
    },
    Part {
        folder: "mesa25-nv",
        modules: 109,
        proved: 86,
        explained: &[("FMax as NMax", 17)],
        different: &[("ssbo-atomicMin-uint-7102cf.fs", SEPARATE)],
        undecided: 5,
    },
    Part {
        folder: "glmark2",
        modules: 75,
        proved: 57,
        explained: &[("FMax as NMax", 16), ("FMin as NMin", 1), ("FMin as NMin and FMax as NMax", 1)],
        different: &[],
        undecided: 0,
    },
    Part {
        folder: "mesa26",
        modules: 592,
        proved: 577,
        explained: &[("FMax as NMax", 10), ("AllEqual of integers as of floats", 1)],
        different: &[],
        undecided: 4,
    },
];

/// Shaders of separate programs have sets of their own, which the dump does not say.
const SEPARATE: &str = "the set of a separate shader";

/// What became of a module.
enum Finding {
    Proved,
    /// It is proved with these repairs.
    Explained(String),
    /// There are inputs for which it differs.
    Different(String),
    /// The kind of the reason, and the reason.
    Undecided(String, String),
}

#[test]
fn modules_of_c_are_proved_or_explained() {
    let Some(corpus) = shared_corpus() else { return };
    let mut wrong = Vec::new();
    for part in PARTS {
        let folder = corpus.join(part.folder);
        let pairs = [references::of_dumps(&folder), references::of_logs(&folder)].concat();
        let findings: Vec<(String, Finding)> = pairs.par_iter().map(|pair| (name(pair), find(pair))).collect();
        println!("{}: {} modules", part.folder, pairs.len());
        wrong.extend(check(part, pairs.len(), &findings).into_iter().map(|it| format!("{}: {it}", part.folder)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Prints what was found of some of `modules`, and returns what should be otherwise.
fn check(part: &Part, modules: usize, findings: &[(String, Finding)]) -> Vec<String> {
    let mut wrong = Vec::new();
    let (mut proved, mut undecided) = (0, 0);
    let mut explained: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, finding) in findings {
        match finding {
            Finding::Proved => proved += 1,
            Finding::Explained(repairs) => explained.entry(repairs).or_default().push(name),
            Finding::Different(witness) => {
                let known = part.different.iter().find(|it| it.0 == name).map(|it| it.1);
                println!("  {name}: different: {}: {witness}", known.unwrap_or("not explained"));
                wrong.extend(known.is_none().then(|| format!("{name} differs: {witness}")));
            }
            Finding::Undecided(kind, reason) => {
                undecided += 1;
                println!("  {name}: {kind}: {reason:.120}");
            }
        }
    }
    println!("  proved: {proved}, not decided: {undecided}");
    for (repairs, names) in &explained {
        println!("  explained by {repairs}: {}, such as {}", names.len(), names[0]);
    }
    let mut compare = |is_right: bool, what: String| wrong.extend((!is_right).then_some(what));
    compare(modules == part.modules, format!("{modules} modules"));
    compare(proved + modules - findings.len() >= part.proved, format!("{proved} are proved"));
    compare(undecided <= part.undecided, format!("{undecided} are not decided"));
    for (repairs, least) in part.explained {
        let count = explained.get(repairs).map_or(0, Vec::len);
        compare(count >= *least, format!("{count} are explained by {repairs}"));
    }
    wrong
}

/// The name of a shader: its file without the test's number, and its number in a log.
fn name(pair: &Pair) -> String {
    let stem = pair.file.file_stem().unwrap_or_default().to_string_lossy();
    match pair.file.extension().is_some_and(|extension| extension == "log") {
        true => format!("{stem} {}", pair.number),
        false => stem.into_owned(),
    }
}

fn find(pair: &Pair) -> Finding {
    let dump = std::fs::read(&pair.file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let found = text::find(&dump.expect("a dump")).nth(pair.number).expect("a shader");
    let shader = found.shader.unwrap_or_else(|errors| panic!("{}: {errors}", pair.file.display()));
    let words = pair.words().expect("a module");
    if is_proved(&shader, &words) {
        return Finding::Proved;
    }
    if let Some(repairs) = explanation(&shader, &words) {
        return Finding::Explained(repairs);
    }
    let target = Target::default();
    match (Prover { trials: TRIALS, ..Prover::default() }).prove(&shader, &target, &words) {
        Verdict::Proved => Finding::Proved,
        Verdict::Different(it) => Finding::Different(format!("{}: {}, not {}", it.what, it.found, it.expected)),
        Verdict::Undecided(it) => {
            let kind = sides(&mut Arena::new(), &shader, &target, Other::Words(&words))
                .map_or("without terms", |_| "not decided");
            Finding::Undecided(kind.into(), format!("{}: {}", it.place, it.reason))
        }
    }
}

fn is_proved(shader: &Shader, words: &[u32]) -> bool {
    let mut prover = Prover { trials: 0, ..Prover::default() };
    matches!(prover.prove(shader, &Target::default(), words), Verdict::Proved)
}

/// The fewest repairs with which the words are proved.
fn explanation(shader: &Shader, words: &[u32]) -> Option<String> {
    let mut sets: Vec<Vec<&Repair>> = (1..1 << REPAIRS.len()).map(set).collect();
    sets.sort_by_key(Vec::len);
    let explains = |set: &Vec<&Repair>| {
        // Each repair of the set has a place.
        let repaired = set.iter().try_fold(words.to_vec(), |words, repair| repair.apply(&words));
        repaired.is_some_and(|words| is_proved(shader, &words))
    };
    let set = sets.into_iter().find(explains)?;
    Some(set.iter().map(|repair| repair.name).collect::<Vec<&str>>().join(" and "))
}

/// The repairs with these bits.
fn set(bits: usize) -> Vec<&'static Repair> {
    REPAIRS.iter().enumerate().filter(|(i, _)| bits >> i & 1 != 0).map(|(_, repair)| repair).collect()
}
