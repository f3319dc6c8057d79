// SPDX-License-Identifier: MIT

//! `cargo xtask mesa --series`: the changes of Mesa as patches for `git am`, with the files of `ffi/mesa`.
//!
//! A patch in `ffi/mesa/patches/` has a message and the changes of Mesa's own files. `Files:` at the end of the message has the
//! names of the files of `ffi/mesa` that the patch adds.

use super::source::{patches, FOLDER};
use anyhow::{ensure, Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A patch of the series.
struct Patch<'a> {
    /// The header and the message, without the names of the added files.
    message: &'a str,
    /// The names of the added files.
    files: Vec<&'a str>,
    /// The changes of Mesa's files.
    changes: &'a str,
}

/// Writes the series to `folder`, and prints the number of added and removed lines of each file.
pub(crate) fn write(folder: &Path) -> Result<()> {
    let own = crate::root().join("ffi/mesa");
    fs::create_dir_all(folder)?;
    for path in patches()? {
        let name = path.file_name().context("a patch without a name")?;
        let text = fs::read_to_string(&path)?;
        let patch = parse(&text).with_context(|| path.display().to_string())?;
        let mut out = format!("{}\n---\n{}", patch.message, patch.changes);
        for file in patch.files {
            let contents =
                fs::read_to_string(own.join(file)).with_context(|| format!("{file} of {}", path.display()))?;
            out += &addition(&format!("{FOLDER}/{file}"), &contents)?;
        }
        println!("{}", name.to_string_lossy());
        for (file, [added, removed]) in sizes(&out) {
            println!("{added:6} {removed:6}  {file}");
        }
        fs::write(folder.join(name), out)?;
    }
    Ok(())
}

fn parse(text: &str) -> Result<Patch<'_>> {
    let start = text.find("\ndiff --git ").context("a patch without changes")? + 1;
    let (message, changes) = (text[..start].trim_end(), &text[start..]);
    let (message, files) = message.split_once("\nFiles: ").unwrap_or((message, ""));
    Ok(Patch { message: message.trim_end(), files: files.split_whitespace().collect(), changes })
}

/// The part of a patch that adds a file.
fn addition(path: &str, contents: &str) -> Result<String> {
    ensure!(contents.ends_with('\n'), "{path} does not end with a line break");
    let count = contents.lines().count();
    let mut out = format!("diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n");
    writeln!(out, "@@ -0,0 +1,{count} @@")?;
    for line in contents.lines() {
        writeln!(out, "+{line}")?;
    }
    Ok(out)
}

/// The number of added and removed lines of each file of a patch.
fn sizes(patch: &str) -> BTreeMap<&str, [usize; 2]> {
    let mut sizes: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut file = "";
    let changes = patch.find("\ndiff --git ").map_or("", |at| &patch[at..]);
    for line in changes.lines() {
        match line.as_bytes() {
            [b'+', b'+', b'+', b' ', ..] => file = line.trim_start_matches("+++ b/"),
            [b'-', b'-', b'-', b' ', ..] => {}
            [b'+', ..] => sizes.entry(file).or_default()[0] += 1,
            [b'-', ..] => sizes.entry(file).or_default()[1] += 1,
            _ => {}
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_file_is_added_by_one_patch() {
        let texts: Vec<String> = patches().unwrap().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        let mut added: Vec<&str> = texts.iter().flat_map(|text| parse(text).unwrap().files).collect();
        added.sort_unstable();
        let files = fs::read_dir(crate::root().join("ffi/mesa")).unwrap().map(|entry| entry.unwrap());
        let files = files.filter(|entry| entry.path().is_file()).map(|entry| entry.file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.filter(|name| name != "README.md").collect();
        assert_eq!(added, files.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn files_become_a_part_of_the_patch() {
        let text = "Subject: [PATCH] a\n\nWhy.\n\nFiles: b.c\n b.h\n\ndiff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1,2 @@\n-d\n+e\n+f\n";
        let patch = parse(text).unwrap();
        assert_eq!((patch.message, patch.files), ("Subject: [PATCH] a\n\nWhy.", vec!["b.c", "b.h"]));
        let added = addition("b.c", "int x;\n\n").unwrap();
        assert!(added.ends_with("--- /dev/null\n+++ b/b.c\n@@ -0,0 +1,2 @@\n+int x;\n+\n"));
        let whole = format!("{text}{added}");
        assert_eq!(sizes(&whole), BTreeMap::from([("c", [2, 1]), ("b.c", [2, 0])]));
    }
}
