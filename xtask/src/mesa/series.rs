// SPDX-License-Identifier: MIT

//! `cargo xtask mesa --series`: the changes of Mesa as patches for `git am`, with the files of `ffi/mesa`.
//!
//! A patch in `ffi/mesa/patches/` has a message and the changes of Mesa's own files. `Files:` at the end of the message has the
//! names of the files of `ffi/mesa` that the patch adds. Changes of such files are those of a later subject: the patch that adds a
//! file adds it without the changes of the later patches.

use super::source::{patches, FOLDER};
use anyhow::{ensure, Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A patch of the series.
struct Patch<'a> {
    /// The header and the message, without the names of the added files.
    message: &'a str,
    /// The names of the added files.
    files: Vec<&'a str>,
    /// The changes of Mesa's files, and of files that earlier patches add.
    changes: &'a str,
}

/// The author in the patches, for whom the sender of the series has to fill in a name.
const AUTHOR: &str = "NAME <ADDRESS>";

/// What the sender of the series fills in.
pub(crate) struct Sender<'a> {
    /// The author who signs the patches off.
    pub(crate) author: Option<&'a str>,
    /// The wrap of a release, which `cargo xtask release` makes.
    pub(crate) wrap: Option<&'a Path>,
}

/// Writes the series to `folder`, and prints the number of added and removed lines of each file.
pub(crate) fn write(folder: &Path, sender: &Sender<'_>) -> Result<()> {
    fs::create_dir_all(folder)?;
    let author = sender.author;
    let wrap =
        sender.wrap.map(|path| fs::read_to_string(path).with_context(|| path.display().to_string())).transpose()?;
    let texts: Vec<(String, String)> = patches()?.iter().map(|path| read(path)).collect::<Result<_>>()?;
    let series = texts.iter().map(|(name, text)| parse(text).with_context(|| name.clone()));
    let series: Vec<Patch<'_>> = series.collect::<Result<_>>()?;
    for (at, ((name, _), patch)) in texts.iter().zip(&series).enumerate() {
        let message = patch.message.replace(AUTHOR, author.unwrap_or(AUTHOR));
        let mut out = format!("{message}\n---\n{}", patch.changes);
        for (file, contents) in added(&series, at).with_context(|| name.clone())? {
            out += &addition(&format!("{FOLDER}/{file}"), &contents)?;
        }
        if let Some(wrap) = &wrap {
            out = with_release(&out, wrap);
        }
        let sizes = sizes(&out);
        let all = sizes.values().fold([0, 0], |all, size| [all[0] + size[0], all[1] + size[1]]);
        println!("{name}: {} lines added, {} removed", all[0], all[1]);
        for (file, [added, removed]) in sizes {
            println!("{added:6} {removed:6}  {file}");
        }
        fs::write(folder.join(name), out)?;
    }
    if author.is_none() {
        println!("The author of the patches is {AUTHOR}: --author \"...\" fills in the sender.");
    }
    if wrap.is_none() {
        println!("The wrap has no release: --wrap FILE takes that of `cargo xtask release`.");
    }
    Ok(())
}

/// The patch with the place and the hash of a release in the wrap that it adds.
fn with_release(patch: &str, wrap: &str) -> String {
    let key = |line: &str| line.split_once(" = ").map(|(key, _)| key.to_string());
    let of_release = |line: &str| {
        let wanted = line.strip_prefix('+').and_then(key).filter(|key| key.starts_with("source_"))?;
        wrap.lines().find(|line| key(line).as_ref() == Some(&wanted)).map(|line| format!("+{line}\n"))
    };
    patch.split_inclusive('\n').map(|line| of_release(line).unwrap_or_else(|| line.to_string())).collect()
}

/// The name and the text of a patch.
fn read(path: &Path) -> Result<(String, String)> {
    let name = path.file_name().context("a patch without a name")?.to_string_lossy().into_owned();
    Ok((name, fs::read_to_string(path).with_context(|| path.display().to_string())?))
}

fn parse(text: &str) -> Result<Patch<'_>> {
    let start = text.find("\ndiff --git ").map_or(text.len(), |at| at + 1);
    let (message, changes) = (text[..start].trim_end(), &text[start..]);
    let (message, files) = message.split_once("\nFiles: ").unwrap_or((message, ""));
    ensure!(!changes.is_empty() || !files.is_empty(), "a patch without changes");
    Ok(Patch { message: message.trim_end(), files: files.split_whitespace().collect(), changes })
}

/// The changes of a patch to Mesa's own files: those of `ffi/mesa` are links in the source that is built.
pub(super) fn of_mesa(text: &str) -> String {
    parts(text).into_iter().filter(|part| !is_own(part)).collect()
}

/// The changes of each file.
fn parts(text: &str) -> Vec<&str> {
    const START: &str = "diff --git ";
    let starts = text.match_indices(START).map(|(at, _)| at).filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}

/// Whether a part changes a file of `ffi/mesa`.
fn is_own(part: &str) -> bool {
    part.strip_prefix("diff --git a/").is_some_and(|path| path.starts_with(FOLDER))
}

/// The files that the patch at `at` adds, without the changes of later patches.
fn added<'a>(series: &[Patch<'a>], at: usize) -> Result<Vec<(&'a str, String)>> {
    let folder = tempfile::tempdir()?;
    let own = folder.path().join(FOLDER);
    fs::create_dir_all(&own)?;
    for file in &series[at].files {
        fs::copy(crate::root().join("ffi/mesa").join(file), own.join(file)).with_context(|| file.to_string())?;
    }
    let is_here =
        |part: &&str| is_own(part) && series[at].files.iter().any(|file| part.contains(&format!("/{file} b/")));
    for later in series[at + 1..].iter().rev() {
        let changes: String = parts(later.changes).into_iter().filter(is_here).collect();
        if !changes.is_empty() {
            revert(folder.path(), &changes).with_context(|| format!("the changes of {}", later.message))?;
        }
    }
    series[at].files.iter().map(|file| Ok((*file, fs::read_to_string(own.join(file))?))).collect()
}

/// Takes changes back. They have to match exactly, apart from the numbers of their lines.
fn revert(folder: &Path, changes: &str) -> Result<()> {
    let mut patch = Command::new("patch");
    patch.args(["--strip=1", "--reverse", "--force", "--fuzz=0", "--quiet", "--no-backup-if-mismatch", "--directory"]);
    let mut patch = patch.arg(folder).stdin(Stdio::piped()).spawn().context("cannot start patch")?;
    patch.stdin.take().context("no input")?.write_all(changes.as_bytes())?;
    ensure!(patch.wait()?.success(), "they do not match the files of ffi/mesa");
    Ok(())
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

    fn texts() -> Vec<String> {
        patches().unwrap().iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn each_file_is_added_by_one_patch() {
        let texts = texts();
        let mut added: Vec<&str> = texts.iter().flat_map(|text| parse(text).unwrap().files).collect();
        added.sort_unstable();
        let files = fs::read_dir(crate::root().join("ffi/mesa")).unwrap().map(|entry| entry.unwrap());
        let files = files.filter(|entry| entry.path().is_file()).map(|entry| entry.file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.filter(|name| !name.ends_with(".md")).collect();
        assert_eq!(added, files.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Later patches change files that earlier ones add. What an earlier one adds has none of it.
    #[test]
    fn a_file_grows_with_its_subjects() {
        let texts = texts();
        let series: Vec<Patch<'_>> = texts.iter().map(|text| parse(text).unwrap()).collect();
        let at = series.iter().position(|patch| patch.files.contains(&"zink_ntvr_module.c")).unwrap();
        let files = added(&series, at).unwrap();
        let (_, module) = files.iter().find(|(file, _)| *file == "zink_ntvr_module.c").unwrap();
        assert!(module.contains("zink_ntvr_program_link"));
        for later in ["probe", "debug", "clamp_colors", "placements", "stores_captures"] {
            assert!(!module.contains(later), "{later} is of a later subject");
        }
    }

    #[test]
    fn the_wrap_is_that_of_a_release() {
        let texts = texts();
        let option = texts.iter().find(|text| text.contains("+++ b/subprojects/ntvr.wrap\n")).unwrap();
        let wrap = "[wrap-file]\nsource_url = https://a.b/c.tar.xz\nsource_filename = c.tar.xz\nsource_hash = 12\n";
        let filled = with_release(option, wrap);
        assert!(
            filled.contains("\n+source_url = https://a.b/c.tar.xz\n+source_filename = c.tar.xz\n+source_hash = 12\n")
        );
        assert_eq!(filled.lines().count(), option.lines().count());
    }

    #[test]
    fn the_author_is_a_placeholder() {
        for text in texts() {
            assert!(
                text.contains(&format!("\nFrom: {AUTHOR}\n")) && text.contains(&format!("\nSigned-off-by: {AUTHOR}\n"))
            );
        }
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
