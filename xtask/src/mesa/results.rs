// SPDX-License-Identifier: MIT

//! The results of tests: their verdicts, and the messages of the driver.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// The result of one test.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// `pass`, `fail`, `skip` or `warn` from piglit; `crash`, or `timeout`.
    pub(crate) verdict: String,
    /// The messages about the translation: shaders that ntv refused, invalid modules, errors of the validation layer.
    pub(crate) notes: Vec<String>,
}

/// Results by test. Each is written to a file at once, so that none is lost if a long run is stopped.
#[derive(Debug, Default)]
pub(crate) struct Results {
    outcomes: BTreeMap<String, Outcome>,
    file: Option<File>,
}

impl Results {
    /// Continues with the results in `file`: a line for each test with its name, the verdict and the notes, separated by tabs. The
    /// last line about a test is used.
    pub(crate) fn open(file: &Path) -> Result<Results> {
        let mut results = Results::default();
        let text = if file.exists() { fs::read_to_string(file)? } else { String::new() };
        for line in text.lines() {
            let mut fields = line.split('\t').map(str::to_string);
            let (test, verdict) = fields.next().zip(fields.next()).context("a line without a verdict")?;
            results.outcomes.insert(test, Outcome { verdict, notes: fields.collect() });
        }
        let opened = File::options().append(true).create(true).open(file);
        results.file = Some(opened.with_context(|| format!("cannot write {}", file.display()))?);
        Ok(results)
    }

    pub(crate) fn contains(&self, test: &str) -> bool {
        self.outcomes.contains_key(test)
    }

    pub(crate) fn get(&self, test: &str) -> Option<&Outcome> {
        self.outcomes.get(test)
    }

    pub(crate) fn verdict(&self, test: &str) -> &str {
        self.get(test).map_or("missing", |outcome| &outcome.verdict)
    }

    pub(crate) fn insert(&mut self, test: String, outcome: Outcome) -> Result<()> {
        if let Some(file) = &mut self.file {
            let mut line = format!("{test}\t{}", outcome.verdict);
            outcome.notes.iter().for_each(|note| line.extend(["\t", note]));
            writeln!(file, "{line}")?;
        }
        self.outcomes.insert(test, outcome);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_results_is_read_again() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut results = Results::open(file.path()).unwrap();
        let outcome = |verdict: &str, notes: &[&str]| Outcome {
            verdict: verdict.into(),
            notes: notes.iter().map(|note| note.to_string()).collect(),
        };
        results.insert("a".into(), outcome("crash", &[])).unwrap();
        results.insert("b".into(), outcome("fail", &["one", "two"])).unwrap();
        results.insert("a".into(), outcome("pass", &[])).unwrap();
        let read = Results::open(file.path()).unwrap();
        assert_eq!(read.outcomes, results.outcomes);
        assert_eq!(read.verdict("a"), "pass");
    }
}
