// SPDX-License-Identifier: MIT

//! `cargo xtask opcodes`: counts the files of the library, of its crate for NIR and of the interpreter that name each opcode.
//!
//! A row of a table in `nir/src/op` should describe its opcode completely, so that a new opcode is a new row. A file that has other
//! properties of the opcode names it.

use crate::root;
use anyhow::{bail, Context, Result};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use walkdir::{DirEntry, WalkDir};

/// A table of opcodes.
struct Table {
    what: &'static str,
    /// The file of the table, and the text at its start.
    file: &'static str,
    start: &'static str,
    /// A regular expression for a row, with the name as a group.
    row: &'static str,
    /// The highest median of the numbers of files.
    limit: usize,
}

const TABLES: [Table; 2] = [
    Table {
        what: "intrinsics",
        file: "nir/src/op/intrinsic.rs",
        start: "\nintrinsics! {",
        row: r"(?m)^    (\w+)\s*\[",
        limit: 2,
    },
    Table { what: "ALU opcodes", file: "nir/src/op/alu.rs", start: "\nalu_ops! {", row: r"(?m)^    (\w+)\s", limit: 2 },
];

/// The number of rows that are printed: those that most files name.
const SHOWN: usize = 12;

/// Counts; an error if the median is above the limit of a table.
pub(crate) fn run() -> Result<()> {
    let mut words = words_of_files(&root().join("src"))?;
    words.extend(words_of_files(&root().join("nir/src"))?);
    words.extend(words_of_files(&root().join("interp/src"))?);
    for table in &TABLES {
        let counts = counts(table, &words)?;
        let median = counts[counts.len() / 2].0;
        println!("{} {}, named in a median of {median} files (limit {})", counts.len(), table.what, table.limit);
        for (count, name) in counts.iter().rev().take(SHOWN) {
            println!("{count:>4}  {name}");
        }
        if median > table.limit {
            bail!("{}: move properties from lists of opcodes to the rows of {}", table.what, table.file);
        }
    }
    Ok(())
}

/// The number of files that name each opcode of `table`, in ascending order.
fn counts(table: &Table, words: &BTreeMap<String, BTreeSet<String>>) -> Result<Vec<(usize, String)>> {
    let text = fs::read_to_string(root().join(table.file)).context(table.file)?;
    let start = text.find(table.start).with_context(|| format!("{} has no table", table.file))?;
    let rows = text[start..].split("\n}\n").next().unwrap_or_default();
    let names = Regex::new(table.row)?;
    let names: BTreeSet<&str> = names.captures_iter(rows).filter_map(|row| Some(row.get(1)?.as_str())).collect();
    let count = |name: &&str| words.values().filter(|words| words.contains(*name)).count();
    let mut counts: Vec<(usize, String)> = names.iter().map(|name| (count(name), (*name).to_string())).collect();
    counts.sort();
    if counts.is_empty() {
        bail!("{} has no rows", table.file);
    }
    Ok(counts)
}

/// The words of each Rust file below `folder`, without those of comments, strings and tests.
fn words_of_files(folder: &Path) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let noise = Regex::new(r#"//.*|"(?:[^"\\]|\\.)*""#)?;
    let word = Regex::new(r"\w+")?;
    let mut all = BTreeMap::new();
    let is_test = |entry: &DirEntry| entry.path().file_stem().is_some_and(|stem| stem == "tests");
    for entry in WalkDir::new(folder).into_iter().filter_entry(|entry| !is_test(entry)) {
        let path = entry?.into_path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
            let code = noise.replace_all(code, "");
            let words = word.find_iter(&code).map(|word| word.as_str().to_string()).collect();
            all.insert(path.display().to_string(), words);
        }
    }
    Ok(all)
}
