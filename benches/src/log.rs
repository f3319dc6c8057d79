// SPDX-License-Identifier: MIT

//! A table with a line for each measurement, for example of a shader by two translators. The first line has the names of the
//! columns, separated by tabs.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The path of the log in the arguments of a benchmark.
pub fn wanted() -> Result<PathBuf> {
    // Cargo adds `--bench`.
    let log = std::env::args_os().skip(1).find(|argument| !argument.to_string_lossy().starts_with("--"));
    log.map(PathBuf::from).context("wanted: LOG")
}

/// The current date, as `2026-01-31`.
pub fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / 86400)
}

/// The date `days` days after 1970-01-01.
fn date(mut days: u64) -> String {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// A log that was read.
pub struct Log {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A line of a log.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    log: &'a Log,
    cells: &'a [String],
}

impl Log {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Log> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Ok(Log::parse(&text))
    }

    /// Parses a log.
    pub fn parse(text: &str) -> Log {
        let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect());
        Log { columns: lines.next().unwrap_or_default(), rows: lines.collect() }
    }

    /// Whether it has a column with this name.
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|name| name == column)
    }

    /// Its lines after the first.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { log: self, cells })
    }
}

impl<'a> Row<'a> {
    /// The cell in the column with this name.
    pub fn text(self, column: &str) -> Result<&'a str> {
        let at = self.log.columns.iter().position(|name| name == column);
        let cell = at.and_then(|at| self.cells.get(at));
        cell.map(String::as_str).with_context(|| format!("a line without {column}"))
    }

    /// The same as a number.
    pub fn number(self, column: &str) -> Result<f64> {
        let text = self.text(column)?;
        text.parse().with_context(|| format!("{column} is {text:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        let dates = [0, 58, 59, 364, 365, 789, 790, 20_781].map(date);
        let known = "1970-01-01 1970-02-28 1970-03-01 1970-12-31 1971-01-01 1972-02-29 1972-03-01 2026-11-24";
        assert_eq!(dates.join(" "), known);
    }

    #[test]
    fn cells_are_found_by_name() {
        let log = Log::parse("shader\tns\na\t12\nb\n");
        let rows: Vec<Row<'_>> = log.rows().collect();
        assert_eq!(rows[0].text("shader").unwrap(), "a");
        assert_eq!(rows[0].number("ns").unwrap(), 12.0);
        assert_eq!(rows[0].number("shader").unwrap_err().to_string(), "shader is \"a\"");
        assert_eq!(rows[1].number("ns").unwrap_err().to_string(), "a line without ns");
        assert_eq!(rows[0].text("words").unwrap_err().to_string(), "a line without words");
    }
}
