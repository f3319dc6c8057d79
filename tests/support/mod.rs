// SPDX-License-Identifier: MIT

//! The common code of several tests: dumps, and validation by `spirv-val`.

// Each test is a separate crate and uses a part of this module.
#![allow(dead_code)]

use ntv::{check, text, Shader, Target};
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use walkdir::WalkDir;

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    // The tests of the other packages use this too.
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(package)
}

/// All files below `folder` with one of `extensions`, by name.
pub(crate) fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let wanted = |path: &Path| path.extension().is_some_and(|extension| extensions.iter().any(|e| extension == *e));
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().map(|entry| entry.expect("a readable folder"));
    entries.map(walkdir::DirEntry::into_path).filter(|path| wanted(path)).collect()
}

/// The dumps of the repository.
pub(crate) fn own_dumps() -> Vec<PathBuf> {
    ["tests/corpus", "examples"].iter().flat_map(|folder| files(&root().join(folder), &["nir"])).collect()
}

/// The shaders of a file that follow the rules of NIR.
pub(crate) fn valid_shaders(file: &Path) -> Vec<Shader> {
    let text = fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let found = text::find(&text).filter_map(|found| found.shader.ok());
    found.filter(|shader| check::validate(shader).is_ok()).collect()
}

/// The corpus of real dumps next to the repository, or the one in NTV_CORPUS. If there is none, the test prints that and is
/// skipped.
///
/// # Panics
/// See [`corpus_at`]; and if NTV_CORPUS is not a folder.
pub(crate) fn shared_corpus() -> Option<PathBuf> {
    let named = std::env::var_os("NTV_CORPUS").map(PathBuf::from);
    let is_there = named.iter().all(|folder| folder.is_dir());
    assert!(is_there, "NTV_CORPUS is not a folder: {named:?}");
    corpus_at(&named.unwrap_or_else(|| root().join("../shared/corpus")))
}

/// The corpus in `folder`, if it exists.
///
/// # Panics
/// If it has no shader: a test without input has failed.
#[allow(clippy::print_stdout)]
pub(crate) fn corpus_at(folder: &Path) -> Option<PathBuf> {
    if !folder.is_dir() {
        println!("no corpus beside the repository (NTV_CORPUS names one): skipped");
        return None;
    }
    let has_shader =
        |file: PathBuf| String::from_utf8_lossy(&fs::read(file).expect("a dump")).contains("shader: MESA_SHADER_");
    assert!(files(folder, &["nir", "log"]).into_iter().any(has_shader), "{} has no shaders", folder.display());
    Some(folder.to_path_buf())
}

/// The bytes of a module in a file.
pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Validates `words` by the rules of `target`. Words that are valid are not validated again: the start of the validator takes longer
/// than most modules, and many variants have the same words.
///
/// # Panics
/// If there is no `spirv-val`: a test that cannot check has failed.
pub(crate) fn spirv_val(words: &[u32], target: &Target) -> Result<(), String> {
    static VALID: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
    let arguments = target.spirv_val_arguments();
    let mut hasher = DefaultHasher::new();
    (words, &arguments).hash(&mut hasher);
    let hash = hasher.finish();
    if VALID.lock().expect("no panic holds it").contains(&hash) {
        return Ok(());
    }
    run_spirv_val(words, &arguments)?;
    VALID.lock().expect("no panic holds it").insert(hash);
    Ok(())
}

/// Whether these words are validated by a test that validates one of `usual` modules. `NTV_VALIDATED` is another number;
/// `cargo xtask nightly` validates all.
pub(crate) fn is_chosen(words: &[u32], usual: u32) -> bool {
    let asked = std::env::var("NTV_VALIDATED").ok().map(|text| text.parse().expect("NTV_VALIDATED is a number"));
    let sum = words.iter().fold(0u32, |sum, word| sum.rotate_left(5).wrapping_add(*word));
    sum % asked.unwrap_or(usual).max(1) == 0
}

fn run_spirv_val(words: &[u32], arguments: &[String]) -> Result<(), String> {
    let mut child = Command::new("spirv-val")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val, which `cargo xtask test` installs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // It may exit early with an error, which is then the result.
    let _ = stdin.write_all(&bytes(words));
    drop(stdin);
    let output = child.wait_with_output().expect("spirv-val");
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_string())
}

/// The words of a file of SPIR-V assembly.
///
/// # Panics
/// If there is no `spirv-as`, or it does not accept the file.
pub(crate) fn assembled(path: &str) -> Vec<u32> {
    let mut command = Command::new("spirv-as");
    let output = command.args(["--target-env", "vulkan1.1", "-o", "-"]).arg(root().join(path)).output();
    let output = output.expect("spirv-as, which `cargo xtask test` installs");
    assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

/// The result of `work`; a panic becomes an error, so that one wrong case does not hide the others.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panics: {}", message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message")))
    })
}

/// Does `work` on all `items`, on all cores; the results have the order of the items.
pub(crate) fn in_parallel<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let queue: Mutex<VecDeque<(usize, T)>> = Mutex::new(items.into_iter().enumerate().collect());
    let done = Mutex::new(Vec::new());
    let worker = || loop {
        let next = queue.lock().expect("no worker panics here").pop_front();
        let Some((number, item)) = next else { break };
        let result = work(item);
        done.lock().expect("no worker panics here").push((number, result));
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(worker);
        }
    });
    let mut done = done.into_inner().expect("no worker panics here");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
