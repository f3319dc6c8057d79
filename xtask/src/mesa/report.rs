// SPDX-License-Identifier: MIT

//! The table of differences between the translators.

use super::results::Results;
use super::runner::VALIDATION_ERROR;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Tests whose verdicts differ.
pub(crate) fn differing(tests: &[String], c: &Results, rust: &Results) -> Vec<String> {
    tests.iter().filter(|test| c.verdict(test) != rust.verdict(test)).cloned().collect()
}

/// Prints counts, differences and notes. Returns the number of tests that pass with `c` only.
pub(crate) fn print(tests: &[String], c: &Results, rust: &Results) -> usize {
    counts(tests, c, rust);
    let differing = differing(tests, c, rust);
    if !differing.is_empty() {
        println!("\n{:8} {:8} test", "c", "rust");
    }
    for test in &differing {
        println!("{:8} {:8} {test}", c.verdict(test), rust.verdict(test));
    }
    notes(tests, c, rust);
    differing.iter().filter(|test| c.verdict(test) == "pass").count()
}

/// Prints the number of tests with each verdict, and the tests that do not pass.
pub(crate) fn print_verdicts(tests: &[String], results: &Results) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for test in tests {
        let verdict = results.verdict(test);
        *counts.entry(verdict).or_default() += 1;
        if !matches!(verdict, "pass" | "skip") {
            println!("{verdict:8} {test}");
        }
    }
    for (verdict, count) in counts {
        println!("{verdict:8} {count:6}");
    }
}

/// Prints the number of tests with each verdict.
fn counts(tests: &[String], c: &Results, rust: &Results) {
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for test in tests {
        for (at, results) in [c, rust].into_iter().enumerate() {
            counts.entry(results.verdict(test)).or_default()[at] += 1;
        }
    }
    println!("{:8} {:>6} {:>6}", "", "c", "rust");
    for (verdict, [c, rust]) in &counts {
        println!("{verdict:8} {c:6} {rust:6}");
    }
}

/// Prints the notes with `rust` that `c` does not have: the number of tests, the note, and its first test.
fn notes(tests: &[String], c: &Results, rust: &Results) {
    let mut notes: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for test in tests {
        let of = |results: &'_ Results| -> Vec<String> {
            results.get(test).map_or_else(Vec::new, |outcome| outcome.notes.iter().map(|note| general(note)).collect())
        };
        let with_c = of(c);
        for note in of(rust).into_iter().filter(|note| !with_c.contains(note)) {
            notes.entry(note).or_insert((0, test)).0 += 1;
        }
    }
    let mut notes: Vec<_> = notes.into_iter().collect();
    notes.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    if !notes.is_empty() {
        println!("\nnotes with rust only: the number of tests, and the first test");
    }
    for (note, (count, test)) in notes {
        println!("{count:6} {note}\n       {test}");
    }
}

/// A note without the parts that differ between shaders: numbers, and of an error of the validation layer the objects and the text of
/// the specification.
fn general(note: &str) -> String {
    if let Some((_, error)) = note.split_once(VALIDATION_ERROR) {
        let id = error.split(' ').next().unwrap_or_default();
        let what = error.rsplit_once(" | ").map_or("", |(_, what)| what);
        let what = what.split(" The Vulkan spec states").next().unwrap_or_default();
        return format!("{id}: {}", without_numbers(what));
    }
    without_numbers(note)
}

/// `text` with `#` in the place of each number.
fn without_numbers(text: &str) -> String {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new("0x[0-9a-f]+|[0-9]+").expect("a valid pattern"));
    NUMBER.replace_all(text, "#").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_lose_what_differs() {
        assert_eq!(general("ntv: FS 12: %34 is wide"), "ntv: FS #: %# is wide");
        let error = "VUID-Std-012(ERROR / SPEC): msgNum: -14 - Validation Error: [ VUID-Std-012 ] Object 0: handle = 0x55, type = \
                     VK_OBJECT_TYPE_DEVICE; | MessageID = 0xa7b | vkCreateShaderModule(): 5 of 0xa1 are wide. The Vulkan spec states: all";
        assert_eq!(general(error), "VUID-Std-012: vkCreateShaderModule(): # of # are wide.");
    }
}
