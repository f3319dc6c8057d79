// SPDX-License-Identifier: MIT

//! Runs tests, several in a process, and several processes at a time.
//!
//! A program of piglit that is a test has a separate process. piglit's `shader_runner` takes any number of files and prints a
//! verdict after each. A test that crashes, or that ends the process to skip itself, also ends it for the tests after it, which are
//! run in a new process. Tests that do not pass are run again in separate processes, because a test may leave the context in a
//! state that the next one does not expect.

use super::driver::{Driver, Translator, PIGLIT};
use super::list::{is_file, program};
use super::results::{Outcome, Results};
use anyhow::{bail, Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of tests of a process.
const BATCH: usize = 50;

/// The longest time of a test without output.
const PATIENCE: Duration = Duration::from_secs(180);
/// The longest time of a test under a sanitizer, which is slow.
const LONG_PATIENCE: Duration = Duration::from_secs(3600);
/// The longest time of a test in runs without verdicts: a process that hangs does not hold up the others.
const SHORT_PATIENCE: Duration = Duration::from_secs(20);
/// The longest time of a program that is traced instruction by instruction.
const TRACED_PATIENCE: Duration = Duration::from_secs(600);

/// The tests of one process: a program of piglit with its files, or a program that is a test.
struct Batch {
    program: String,
    tests: VecDeque<String>,
}

impl Batch {
    /// The arguments of the process.
    fn arguments(&self) -> Vec<PathBuf> {
        match self.tests.front() {
            Some(test) if !is_file(test) => test.split(' ').skip(1).map(PathBuf::from).collect(),
            _ => self.tests.iter().map(|test| Path::new(PIGLIT).join(test)).collect(),
        }
    }

    /// The verdict in a line of output. The parts of a program that is a test have verdicts, too.
    fn verdict(&self, line: &str) -> Option<String> {
        let counts = self.tests.front().is_some_and(|test| is_file(test)) || line.contains("\"result\"");
        counts.then(|| verdict(line)).flatten()
    }
}

/// These tests change the mode of the runner permanently, so they run in separate processes.
const LONERS: &str = "/arb_gl_spirv/";

/// Runs `tests`, several in a process.
pub(crate) fn run(
    driver: &Driver,
    translator: Translator,
    tests: &[String],
    jobs: usize,
    results: &mut Results,
) -> Result<()> {
    run_batches(driver, translator, batches(tests, BATCH), jobs, results)?;
    let bad = |test: &&String| !matches!(results.verdict(test), "pass" | "skip");
    let bad: Vec<String> = tests.iter().filter(bad).cloned().collect();
    run_alone(driver, translator, &bad, jobs, results)
}

/// Runs `tests` without verdicts, one process after the other, for the output of the driver.
pub(crate) fn run_once(driver: &Driver, translator: Translator, tests: &[String]) -> Result<()> {
    run_batches(driver, translator, batches(tests, BATCH), 1, &mut Results::default())
}

/// Runs each of `tests` in a separate process.
pub(crate) fn run_alone(
    driver: &Driver,
    translator: Translator,
    tests: &[String],
    jobs: usize,
    results: &mut Results,
) -> Result<()> {
    run_batches(driver, translator, batches(tests, 1), jobs, results)
}

fn batches(tests: &[String], size: usize) -> VecDeque<Batch> {
    let mut programs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for test in tests {
        programs.entry(program(test)).or_default().push(test.clone());
    }
    let is_loner = |test: &String| !is_file(test) || test.contains(LONERS);
    let mut batches = VecDeque::new();
    for (program, tests) in programs {
        let (loners, others): (Vec<String>, Vec<String>) = tests.into_iter().partition(is_loner);
        let chunks = others.chunks(size).chain(loners.chunks(1));
        batches.extend(chunks.map(|chunk| Batch { program: program.to_string(), tests: chunk.to_vec().into() }));
    }
    batches
}

fn run_batches(
    driver: &Driver,
    translator: Translator,
    batches: VecDeque<Batch>,
    jobs: usize,
    results: &mut Results,
) -> Result<()> {
    let style = ProgressStyle::with_template("{msg:4} {wide_bar} {pos}/{len} {eta}")?;
    let count: usize = batches.iter().map(|batch| batch.tests.len()).sum();
    let bar = ProgressBar::new(count as u64).with_style(style).with_message(translator.name());
    let (queue, results) = (Mutex::new(batches), Mutex::new(results));
    let next = || lock(&queue).pop_front();
    let done = |test: String, outcome: Outcome| {
        bar.inc(1);
        lock(&results).insert(test, outcome)
    };
    let work = || -> Result<()> {
        while let Some(mut batch) = next() {
            while !batch.tests.is_empty() {
                one_process(driver, translator, &mut batch, done)?;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// Ignores a panic of another worker, which makes the whole run fail anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the first tests of `batch` in one process until it ends. Passes each to `done` and removes it.
fn one_process(
    driver: &Driver,
    translator: Translator,
    batch: &mut Batch,
    done: impl Fn(String, Outcome) -> Result<()>,
) -> Result<()> {
    let mut command = driver.piglit(&batch.program, translator);
    command.args(batch.arguments()).args(["-auto", "-fbo"]);
    if batch.tests.iter().all(|test| is_file(test)) {
        command.arg("-report-subtests");
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", batch.program))?;
    let errors = collect(child.stderr.take());
    let lines = lines(child.stdout.take());
    let patience = match translator {
        Translator::Both if driver.tracer.is_some() => TRACED_PATIENCE,
        Translator::Both => SHORT_PATIENCE,
        _ if driver.sanitizer.is_some() => LONG_PATIENCE,
        _ => PATIENCE,
    };
    let (verdicts, in_time) = listen(&lines, batch, patience);
    if !in_time {
        child.kill()?;
    }
    let status = wait(&mut child, patience)?;
    let is_program = !batch.tests.front().is_some_and(|test| is_file(test));
    let mut notes = notes_by_test(&errors.join().unwrap_or_default(), is_program).into_iter();
    let mut finish = |batch: &mut Batch, verdict: String| {
        let outcome = Outcome { verdict, notes: notes.next().unwrap_or_default() };
        batch.tests.pop_front().map_or(Ok(()), |test| done(test, outcome))
    };
    let all = verdicts.len() >= batch.tests.len();
    for verdict in verdicts {
        finish(batch, verdict)?;
    }
    if !all {
        finish(batch, if in_time { ending(status) } else { "timeout".into() })?;
    }
    Ok(())
}

/// Waits for `child` for a short time. Kills it if it has closed its output but does not end.
fn wait(child: &mut Child, patience: Duration) -> Result<ExitStatus> {
    for _ in 0..patience.as_secs() {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill()?;
    Ok(child.wait()?)
}

/// The verdict of a test whose process ended without a verdict: piglit exits with 0 if something is not supported.
fn ending(status: ExitStatus) -> String {
    match status.code() {
        Some(0) => "skip",
        Some(_) => "fail",
        None => "crash",
    }
    .into()
}

/// The verdicts of the tests of a batch, as piglit prints them, and whether there was no timeout.
fn listen(lines: &Receiver<String>, batch: &Batch, patience: Duration) -> (Vec<String>, bool) {
    let mut verdicts = Vec::new();
    while verdicts.len() < batch.tests.len() {
        match lines.recv_timeout(patience) {
            Ok(line) => verdicts.extend(batch.verdict(&line)),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => return (verdicts, false),
        }
    }
    (verdicts, true)
}

/// The verdict in a line such as `PIGLIT: {"subtest": {"fs-isnan-vec3" : "pass"}}`, or `PIGLIT: {"result": "pass" }` of a
/// test that ends the process.
fn verdict(line: &str) -> Option<String> {
    let line = line.strip_prefix("PIGLIT: {")?;
    let (_, verdict) =
        line.strip_prefix("\"result\": \"").map(|rest| ("", rest)).or_else(|| line.rsplit_once(" : \""))?;
    Some(verdict.split('"').next()?.to_string())
}

fn lines(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let Some(pipe) = pipe else { return };
        for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // The bytes before an error are used.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// A part of each error of the validation layer, before its identifier.
pub(crate) const VALIDATION_ERROR: &str = "Validation Error: [ ";

/// The lines of stderr about the translation, by test: piglit prints a line at the start of each test, unless the program is the
/// test.
fn notes_by_test(said: &str, is_program: bool) -> Vec<Vec<String>> {
    let mut notes: Vec<Vec<String>> = if is_program { vec![Vec::new()] } else { Vec::new() };
    for line in said.lines() {
        if line.starts_with("PIGLIT TEST: ") {
            notes.push(Vec::new());
        } else if let Some(last) = notes.last_mut() {
            let note = line.replace('\t', " ");
            let is_note = ["ntv: ", VALIDATION_ERROR].iter().any(|part| line.contains(part));
            if (is_note || line.starts_with("error: line ")) && !last.contains(&note) {
                last.push(note);
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read() {
        assert_eq!(verdict(r#"PIGLIT: {"subtest": {"fs-isnan-vec3" : "pass"}}"#).as_deref(), Some("pass"));
        assert_eq!(verdict(r#"PIGLIT: {"result": "fail" }"#).as_deref(), Some("fail"));
        assert_eq!(verdict("PIGLIT TEST: 1 - fs-isnan-vec3"), None);
    }

    #[test]
    fn notes_belong_to_the_test_before_them() {
        let said = "MESA: warning\nPIGLIT TEST: 1 - a\nntv: no\nntv: no\nPIGLIT TEST: 2 - b\nother\n";
        assert_eq!(notes_by_test(said, false), [vec!["ntv: no".to_string()], vec![]]);
        let said =
            "PIGLIT TEST: 1 - a\nVUID-A(ERROR / SPEC): msgNum: 1 - Validation Error: [ VUID-A ] no\n    Objects: 1\n";
        assert_eq!(notes_by_test(said, false), [["VUID-A(ERROR / SPEC): msgNum: 1 - Validation Error: [ VUID-A ] no"]]);
        assert_eq!(notes_by_test("MESA: warning\nntv: no\n", true), [vec!["ntv: no".to_string()]]);
    }
}
