//! The shape of the source: which module may import which, where `unsafe` may stand, how long files and functions may be.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

/// Every module of the library and what it may import besides itself.
///
/// `text`, `wire`, `analysis` stand beside each other, and so do `check`, `pass`, `spirv`, `interp`.
const LAYERS: &[(&str, &[&str])] = &[
    ("entity", &[]),
    ("error", &["entity"]),
    ("feature", &[]),
    ("op", &["entity", "error", "feature"]),
    ("target", &["entity", "error", "feature", "op"]),
    ("ir", &["entity", "error", "op", "target"]),
    ("module", &["entity", "error"]),
    ("import", &["entity", "error", "module"]),
    ("link", &["entity", "error", "module"]),
    ("variant", &["entity", "error", "module"]),
    ("text", &["entity", "error", "op", "target", "ir"]),
    ("wire", &["entity", "error", "op", "target", "ir"]),
    ("analysis", &["entity", "error", "op", "target", "ir"]),
    ("check", &["entity", "error", "op", "target", "ir", "analysis"]),
    ("plan", &["entity", "error", "op", "target", "ir", "analysis"]),
    ("capture", &["entity", "error", "op", "ir"]),
    ("pass", &["entity", "error", "op", "target", "ir", "analysis", "plan", "capture"]),
    ("spirv", &["entity", "error", "op", "target", "ir", "analysis", "module"]),
    ("interp", &["entity", "error", "op", "target", "ir", "analysis"]),
    (
        "translator",
        &[
            "entity", "error", "op", "target", "ir", "text", "wire", "analysis", "check", "capture", "plan", "pass",
            "spirv", "module",
        ],
    ),
];

/// Longest file, but for tables.
const FILE_LINES: usize = 800;

/// Longest function.
const FUNCTION_LINES: usize = 80;

#[test]
fn modules_import_upwards() {
    let mut wrong = Vec::new();
    for source in sources(&["src"]) {
        let Some(own) = source.module() else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == own) else {
            wrong.push(format!("{}: module {own} is not in the table", source.name));
            continue;
        };
        let mut imports = source.imports();
        imports.retain(|import| *import != own && !allowed.contains(&import.as_str()));
        wrong.extend(imports.iter().map(|import| format!("{}: {own} may not import {import}", source.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_code_stays_where_it_belongs() {
    let sources = sources(&["src", "tool", "driver", "xtask", "gen", "benches", "tests"]);
    let stray: Vec<String> = sources
        .into_iter()
        .filter(|source| !source.name.starts_with("driver/src/") && words(&source.code).any(|word| word == "unsafe"))
        .map(|source| source.name)
        .collect();
    assert!(stray.is_empty(), "unsafe outside ffi/ and driver/src/: {}", stray.join(", "));
}

#[test]
fn files_have_one_subject() {
    // Tables, and what a program wrote.
    let exempt = |name: &str| name.starts_with("src/op/") || name == "ffi/src/bindings.rs";
    let long: Vec<String> = sources(&["src", "tool", "driver", "xtask", "ffi", "gen", "benches", "tests"])
        .into_iter()
        .filter(|source| !exempt(&source.name) && source.lines > FILE_LINES)
        .map(|source| format!("{}: {} lines", source.name, source.lines))
        .collect();
    assert!(long.is_empty(), "files over {FILE_LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn functions_fit_on_a_screen() {
    let mut long = Vec::new();
    for source in sources(&["src", "tool", "driver", "xtask", "ffi", "gen", "benches"]) {
        let functions = functions(source.without_tests());
        let too_long = functions.into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES);
        long.extend(too_long.map(|(name, lines)| format!("{}: {name} has {lines} lines", source.name)));
    }
    assert!(long.is_empty(), "functions over {FUNCTION_LINES} lines:\n{}", long.join("\n"));
}

/// A file of Rust.
struct Source {
    /// Path below the root of the repository.
    name: String,
    /// Lines as written.
    lines: usize,
    /// The code, comments and literals blanked out.
    code: String,
}

fn sources(folders: &[&str]) -> Vec<Source> {
    let files = folders.iter().flat_map(|folder| support::files(&support::root().join(folder), &["rs"]));
    files.map(|file| Source::read(&file)).collect()
}

impl Source {
    fn read(file: &Path) -> Source {
        let text = fs::read_to_string(file).expect("a source file");
        let name = file.strip_prefix(support::root()).expect("a file of the repository");
        Source { name: name.to_string_lossy().replace('\\', "/"), lines: text.lines().count(), code: blank(&text) }
    }

    /// The top module of the library that this file belongs to; `None` for its root, the tool and files of tests.
    fn module(&self) -> Option<String> {
        let path = PathBuf::from(self.name.strip_prefix("src/")?);
        let first = Path::new(path.iter().next()?).with_extension("").to_string_lossy().into_owned();
        let tests = path.with_extension("").iter().any(|part| part == "tests");
        (first != "lib" && first != "bin" && !tests).then_some(first)
    }

    /// The code before the module of tests.
    fn without_tests(&self) -> &str {
        self.code.split("\n#[cfg(test)]").next().unwrap_or(&self.code)
    }

    /// How many `super` lead from here to the root of the crate.
    fn depth(&self) -> usize {
        let path = self.name.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
        path.split('/').count()
    }

    /// The top modules that paths in this file start with.
    fn imports(&self) -> Vec<String> {
        let code = self.without_tests();
        let to_root = "super::".repeat(self.depth());
        let mut imports: Vec<String> = ["crate::", to_root.as_str()]
            .iter()
            .flat_map(|prefix| code.match_indices(prefix).map(|(at, _)| &code[at + prefix.len()..]))
            .flat_map(heads)
            .collect();
        imports.sort();
        imports.dedup();
        imports
    }
}

/// The names at the start of the paths that follow `crate::`: one, or those of a group in braces.
fn heads(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else { return words(rest).take(1).map(str::to_string).collect() };
    let mut heads = Vec::new();
    let (mut depth, mut start) = (0, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            _ if start && c.is_alphabetic() => {
                heads.extend(words(&group[at..]).take(1).map(str::to_string));
                start = false;
            }
            _ => {}
        }
    }
    heads
}

/// The identifiers and keywords of `code`.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Every function of `code` that has a body, and its lines from `fn` to the closing brace.
fn functions(code: &str) -> Vec<(String, usize)> {
    let mut functions = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let whole_word = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = &code[at..];
        let name = words(rest).nth(1).unwrap_or_default();
        let body = rest.find(['{', ';']).filter(|body| rest[*body..].starts_with('{'));
        if let (true, Some(end)) = (whole_word, body.and_then(|body| closing_brace(rest, body))) {
            functions.push((name.to_string(), rest[..end].lines().count()));
        }
    }
    functions
}

/// Where the brace that opens at `open` is closed.
fn closing_brace(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(open + at + 1),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// `text` with comments, strings and characters blanked out; its lines stay.
fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = literal(rest, out.chars().next_back());
        let (skipped, after) = rest.split_at(if len == 0 { c.len_utf8() } else { len });
        if len == 0 {
            out.push(c);
        } else {
            out.extend(skipped.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        }
        rest = after;
    }
    out
}

/// The length of the comment or literal that `rest` starts with; 0 if it does not. `before` is the character before it.
fn literal(rest: &str, before: Option<char>) -> usize {
    let until = |start: usize, end: &str| rest[start..].find(end).map_or(rest.len(), |at| start + at + end.len());
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return until(2, "*/");
    }
    if rest.starts_with('"') {
        return quoted(rest, '"');
    }
    let raw = rest.strip_prefix('r').filter(|_| !before.is_some_and(|c| c.is_alphanumeric() || c == '_'));
    if let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            return until(1 + hashes + 1, &format!("\"{}", "#".repeat(hashes)));
        }
    }
    // A quote is a character if it is closed behind one character or an escape; else it starts a lifetime.
    let character = rest.starts_with('\'') && (rest.starts_with("'\\") || rest.chars().nth(2) == Some('\''));
    if character {
        quoted(rest, '\'')
    } else {
        0
    }
}

/// The length of the literal that `rest` starts with and the next `quote` without backslash ends.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[test]
fn blanking_leaves_code() {
    let code = "fn f<'a>() { // unsafe\n    let s = \"} \\\" fn g() {\"; let c = '{'; r#\"\"}\"#; /* fn h() { */ }\n";
    let blanked = blank(code);
    assert_eq!(functions(&blanked), [("f".to_string(), 2)], "{blanked}");
    assert_eq!(heads("{ir::{self, x}, op, Shader}"), ["ir", "op", "Shader"]);
}
