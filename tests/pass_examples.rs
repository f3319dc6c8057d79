// SPDX-License-Identifier: MIT

//! The examples in the descriptions of passes are tests: each is an excerpt of a corpus file.
//!
//! The file of each pass has a block `Before:` and a block `After:`. The first must be in the input of
//! `tests/corpus/pass/NAME_example.nir`, the second in the expected output of the pass in that file, line by line, with any
//! indentation; a line `...` replaces omitted lines. `tool/tests/corpus.rs` checks the output of the pass. Another file must cover the
//! cases that are not in the example.

mod support;

use ntv::pass::{PARTS, PIPELINE};
use std::fs;

/// The code block after the line `heading` of a module's description, and before the next such block.
fn block_after<'a>(source: &'a str, heading: &str) -> Option<Vec<&'a str>> {
    let lines = source.lines().skip_while(|line| !line.starts_with("//!"));
    let doc = lines.map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let mut rest = doc.skip_while(|line| *line != heading).skip(1).skip_while(|line| line.is_empty());
    (rest.next() == Some("```text")).then(|| rest.take_while(|line| *line != "```").collect())
}

/// Whether the parts of `excerpt`, separated by lines `...`, are in `text` in this order, each line by line, without regard to
/// indentation and comment marks.
fn is_excerpt(excerpt: &[&str], text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches("; ").trim()).collect();
    let mut rest = lines.as_slice();
    excerpt.split(|line| *line == "...").all(|part| {
        let found = !part.is_empty() && rest.len() >= part.len();
        let at = found.then(|| rest.windows(part.len()).position(|window| window == part)).flatten();
        at.map(|at| rest = &rest[at + part.len()..]).is_some()
    })
}

/// The parts of a corpus file: the input, and the expected output of the first `pass NAME`, with any options.
fn parts<'a>(text: &'a str, pass: &str) -> Option<(&'a str, &'a str)> {
    let (input, rest) = text.split_once("; expect: ")?;
    let command = |part: &&str| part.lines().next().is_some_and(|line| line.starts_with(&format!("pass {pass} ")));
    let plain = |part: &&str| part.starts_with(&format!("pass {pass}\n"));
    rest.split("; expect: ").find(|part| plain(part) || command(part)).map(|expected| (input, expected))
}

/// The file of `pass`: `src/pass/ROOM/NAME.rs` or `src/pass/ROOM/NAME/mod.rs`.
fn source(pass: &str) -> Option<String> {
    let files = support::files(&support::root().join("src/pass"), &["rs"]);
    let ends = [format!("{pass}.rs"), format!("{pass}/mod.rs")];
    let file = files.into_iter().find(|file| ends.iter().any(|end| file.ends_with(end)))?;
    fs::read_to_string(file).ok()
}

/// The error in the example of `pass`.
fn problem(pass: &str) -> Option<&'static str> {
    let Some(source) = source(pass) else { return Some("is not in the file of its name") };
    let blocks = (block_after(&source, "Before:"), block_after(&source, "After:"));
    let (Some(before), Some(after)) = blocks else { return Some("has no blocks `Before:` and `After:`") };
    let example = support::root().join("tests/corpus/pass").join(format!("{pass}_example.nir"));
    let text = fs::read_to_string(example).unwrap_or_default();
    let Some((input, expected)) = parts(&text, pass) else { return Some("has no file NAME_example.nir that runs it") };
    match (is_excerpt(&before, input), is_excerpt(&after, expected)) {
        (false, _) => Some("`Before:` is not an excerpt of the input of its example"),
        (_, false) => Some("`After:` is not an excerpt of the expected output of its example"),
        _ => None,
    }
}

#[test]
fn every_pass_shows_an_example_that_is_tested() {
    let problems: Vec<String> = PIPELINE
        .iter()
        .chain(PARTS)
        .filter_map(|pass| problem(pass.name).map(|problem| format!("{}: {problem}", pass.name)))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_pass_is_tested_beyond_its_example() {
    let files = support::files(&support::root().join("tests/corpus/pass"), &["nir"]);
    let files = files.into_iter().filter(|file| !file.to_string_lossy().ends_with("_example.nir"));
    let texts: Vec<String> = files.map(|file| fs::read_to_string(file).expect("a readable file")).collect();
    for pass in PIPELINE.iter().chain(PARTS) {
        let runs = texts.iter().any(|text| parts(text, pass.name).is_some());
        assert!(runs, "no file in tests/corpus/pass but the example runs {}", pass.name);
    }
}

#[test]
fn an_excerpt_is_whole_lines_in_order() {
    let text = "; a\n;   b  // c\n; d\n; e";
    assert!(is_excerpt(&["a", "b  // c"], text) && is_excerpt(&["a", "...", "e"], text));
    for other in [&["a", "d"][..], &["e", "...", "a"], &["a", "b"], &["f"], &["...", "a"], &[]] {
        assert!(!is_excerpt(other, text), "{other:?}");
    }
}
