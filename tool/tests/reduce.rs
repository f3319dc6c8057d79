// SPDX-License-Identifier: MIT

//! `ntv reduce`: real dumps become a few instructions, and commands that cannot succeed or that hang do no harm.

#[path = "../../tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn dump(name: &str) -> PathBuf {
    support::root().join("tests/corpus/mesa").join(name)
}

/// `ntv reduce FILE --command COMMAND` and more arguments; `ntv` in the command is the tool.
fn reduce(file: &Path, command: &str, more: &[&str]) -> Output {
    let tool = Path::new(env!("CARGO_BIN_EXE_ntv"));
    let folder = tool.parent().expect("a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut reduce = Command::new(tool);
    reduce.env("PATH", format!("{folder}:{path}")).arg("reduce").arg(file).arg("--command").arg(command).args(more);
    reduce.stdin(Stdio::null()).output().expect("the tool")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The instructions of the only shader in the result.
#[track_caller]
fn reduced(output: &Output) -> (Vec<String>, String) {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = ntv::text::parse(&text).expect("a shader");
    ntv::check::validate(&found).expect("a valid shader");
    let is_inst = |line: &&str| (line.contains('%') || line.contains('@')) && !line.starts_with("if ");
    let instructions = text.lines().map(str::trim).filter(is_inst);
    (instructions.map(str::to_string).collect(), text)
}

#[test]
fn an_instruction_that_needs_a_feature_is_found() {
    let command = "ntv compile {} --emit asm --disable subgroupBallot";
    let (left, text) = reduced(&reduce(&dump("subgroups.nir"), command, &[]));
    assert!(left.len() <= 2 && left.iter().any(|line| line.contains("@ballot")), "{text}");
}

#[test]
fn the_source_of_an_instruction_of_the_module_is_found() {
    for (file, word, at_most) in [
        ("branches.nir", "OpPhi", 4),
        ("local_array.nir", "OpAccessChain", 5),
        ("subgroups.nir", "OpGroupNonUniformBallot", 4),
        ("shared_memory.nir", "OpControlBarrier", 2),
        ("discard.nir", "OpDemoteToHelperInvocation$", 2),
        ("ssbo_atomics.nir", "OpAtomic", 3),
        ("mesa22_compute.nir", "OpAtomic", 3),
        ("shared_memory.nir", "OpLoopMerge", 4),
    ] {
        let command = format!("! ntv compile {{}} --emit asm | grep -q '{word}'");
        let output = reduce(&dump(file), &command, &[]);
        let (left, text) = reduced(&output);
        assert!(left.len() <= at_most, "{file} {word}: {} instructions\n{text}", left.len());
        let last = stderr(&output);
        assert!(last.starts_with("reduced ") && last.contains(&format!(" to {} in ", left.len())), "{last}");
    }
}

#[test]
fn a_command_that_always_fails_removes_everything() {
    for file in support::files(&dump(""), &["nir"]) {
        let (left, text) = reduced(&reduce(&file, "false", &[]));
        assert!(left.is_empty(), "{}\n{text}", file.display());
    }
}

#[test]
fn the_shader_that_fails_is_found_in_a_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a log.nir");
    let shaders = [dump("branches.nir"), dump("subgroups.nir"), dump("discard.nir")];
    let text: String = shaders.iter().map(|file| fs::read_to_string(file).expect("a dump")).collect();
    fs::write(&file, &text).expect("a file");
    let out = folder.path().join("small.nir");
    let command = "ntv compile --emit asm --disable subgroupBallot";
    let output = reduce(&file, command, &["-o", &out.display().to_string()]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", stderr(&output));
    let small = fs::read_to_string(&out).expect("a result");
    assert!(small.contains("@ballot") && small.lines().count() < 15, "{small}");
    assert_eq!(fs::read_to_string(&file).expect("the file"), text);
}

#[track_caller]
fn expect_refusal(output: &Output, what: &str) {
    assert_eq!(output.status.code(), Some(2), "{}", stderr(output));
    assert!(stderr(output).contains(what), "{}", stderr(output));
    assert!(output.stdout.is_empty());
}

#[test]
fn shaders_that_cannot_be_reduced_are_refused() {
    expect_refusal(&reduce(&dump("discard.nir"), "ntv check", &[]), "there is nothing to reduce");
    expect_refusal(&reduce(&dump(""), "false", &[]), "needs one file");
    expect_refusal(&reduce(&dump("discard.nir"), "false", &["--timeout=-1"]), "seconds");
    // A command that only fails because of the comments of the file.
    expect_refusal(&reduce(&dump("discard.nir"), "! grep -q 'test: compile'", &[]), "`ntv print`");
    let folder: TempDir = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.nir");
    let text = fs::read_to_string(dump("discard.nir")).expect("a dump");
    fs::write(&file, &text).expect("a file");
    expect_refusal(&reduce(&file, "false", &["-o", &file.display().to_string()]), "is an input");
    assert_eq!(fs::read_to_string(&file).expect("the file"), text);
    fs::write(&file, "nothing").expect("a file");
    assert_eq!(reduce(&file, "false", &[]).status.code(), Some(1));
}

#[test]
fn a_command_that_hangs_is_killed() {
    let start = Instant::now();
    expect_refusal(&reduce(&dump("discard.nir"), "sleep 100; false", &["--timeout", "0.2"]), "--timeout");
    assert!(start.elapsed() < Duration::from_secs(50));
    // A command that only hangs without a `demote`, which must not count as a failure.
    let command = "grep -q demote {} || sleep 100; false";
    let (left, text) = reduced(&reduce(&dump("discard.nir"), command, &["--timeout", "0.5"]));
    assert!(left.len() <= 2 && text.contains("demote"), "{text}");
}

#[test]
fn a_command_that_cannot_be_run_stops_at_once() {
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("not_executable");
    fs::write(&file, "true").expect("a file");
    let start = Instant::now();
    for (command, message) in [
        ("no-such-command {}", "its exit status is 127"),
        ("no-such-command", "not found"),
        (&file.display().to_string(), "its exit status is 126"),
        ("test -s {} && no-such-command", "its exit status is 127"),
        ("true", "there is nothing to reduce"),
        ("! no-such-command", "there is nothing to reduce"),
        (" ", "--command is empty"),
    ] {
        expect_refusal(&reduce(&dump("discard.nir"), command, &[]), message);
    }
    assert!(start.elapsed() < Duration::from_secs(20));
    // A command that can be run only on the whole.
    expect_refusal(
        &reduce(&dump("discard.nir"), "grep -q 'test: compile' {} || exit 127; false", &[]),
        "exit status is 127",
    );
}

#[test]
fn shaders_that_came_as_words_are_reduced() {
    let place = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(dump("discard.nir")).expect("a dump");
    let shader = ntv::text::parse(&text).expect("a shader");
    let file = place.path().join("a.ntvw");
    fs::write(&file, ntv::wire::to_bytes(&ntv::wire::encode(&shader))).expect("a file");
    let (_, text) = reduced(&reduce(&file, "! grep -q demote", &[]));
    assert!(text.contains("demote"), "{text}");
    expect_refusal(&reduce(&file, "grep -q demote", &[]), "there is nothing to reduce");
}
