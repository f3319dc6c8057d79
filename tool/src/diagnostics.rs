// SPDX-License-Identifier: MIT

//! The output of the tool on stderr: problems of inputs, in the style of a compiler or as JSON lines, and progress.
//!
//! ```text
//! error: `fad` is not an ALU opcode, expected an instruction
//!   --> shader.nir:12:18
//!    |
//! 12 |     32 %3 = fad %1, %2
//!    |             ^^^
//! ```

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use indicatif::{ProgressBar, ProgressStyle};
pub(crate) use ntv_report::problem::{problems, Problem};
use serde_json::json;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// More inputs than this number get a progress bar.
const HANDFUL: usize = 8;

/// A file that cannot be read or written.
#[derive(Debug)]
pub(crate) struct FileError {
    path: PathBuf,
    /// Whether it is a result, and not an input.
    is_result: bool,
    error: io::Error,
}

impl FileError {
    /// An error of an input.
    pub(crate) fn read(path: &Path, error: io::Error) -> FileError {
        FileError { path: path.to_path_buf(), is_result: false, error }
    }

    /// An error of a result.
    pub(crate) fn written(path: &Path, error: io::Error) -> FileError {
        FileError { path: path.to_path_buf(), is_result: true, error }
    }

    /// The error as a problem of the file.
    pub(crate) fn problem(&self) -> Problem {
        Problem::new("io", format!("cannot {}: {}", if self.is_result { "write" } else { "read" }, self.error))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem().message)
    }
}

impl std::error::Error for FileError {}

/// `1 shader`, `2 shaders`, `3 patches`.
pub(crate) fn count(number: usize, what: &str) -> String {
    let end = match number {
        1 => "",
        _ if what.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {what}{end}")
}

/// Reports on stderr.
pub(crate) struct Reporter {
    json: bool,
    terminal: bool,
    renderer: Renderer,
}

impl Reporter {
    /// Reports problems as JSON lines, or for people.
    pub(crate) fn new(json: bool) -> Reporter {
        let terminal = io::stderr().is_terminal();
        let colours = terminal && crate::args::wants_color();
        Reporter { json, terminal, renderer: if colours { Renderer::styled() } else { Renderer::plain() } }
    }

    /// Whether results and problems are printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a summary, or other information that is not a problem.
    pub(crate) fn say(&self, text: &str) {
        if self.json {
            self.object(None, None, &Problem::new("note", text));
        } else {
            self.line(text);
        }
    }

    /// Prints a line. A closed stderr does not stop the tool.
    fn line(&self, line: &str) {
        let _ = writeln!(io::stderr().lock(), "{line}");
    }

    /// Reports a problem of shader number `shader` of `file`, which contains `text`.
    pub(crate) fn problem(&self, file: &str, text: &str, shader: Option<usize>, problem: &Problem) {
        if self.json {
            self.object(Some(file), shader, problem);
        } else {
            self.line(&self.snippet(Level::ERROR, file, text, problem));
        }
    }

    /// Reports a part of `file`, which contains `text`, that has no effect.
    pub(crate) fn note(&self, file: &str, text: &str, shader: Option<usize>, note: &Problem) {
        if self.json {
            self.object(Some(file), shader, &Problem { kind: "note", ..note.clone() });
        } else {
            self.line(&self.snippet(Level::NOTE, file, text, note));
        }
    }

    /// Reports a problem of the whole `file`, which is not a text or has no line to show.
    pub(crate) fn whole(&self, file: &Path, problem: &Problem) {
        self.problem(&file.display().to_string(), "", None, problem);
    }

    /// Reports a likely mistake in a shader of `file` that was translated nevertheless.
    pub(crate) fn warning(&self, file: &str, message: &str) {
        if self.json {
            self.object(Some(file), None, &Problem::new("warning", message));
        } else {
            let title = Level::WARNING.primary_title(message);
            self.line(&self.renderer.render(&[title.element(Origin::path(file))]));
        }
    }

    /// Reports a problem that does not come from an input.
    pub(crate) fn apart(&self, kind: &'static str, message: &str) {
        if self.json {
            self.object(None, None, &Problem::new(kind, message));
        } else {
            self.line(&format!("ntv: {message}"));
        }
    }

    /// Reports why a command failed; returns true if a file could not be written, and false for wrong usage.
    pub(crate) fn failure(&self, error: &anyhow::Error) -> bool {
        let Some(file) = error.downcast_ref::<FileError>() else {
            self.usage(&format!("{error:#}"));
            return false;
        };
        if self.json {
            self.object(Some(&file.path.display().to_string()), None, &file.problem());
        } else {
            self.apart("io", &file.to_string());
        }
        file.is_result
    }

    /// Reports wrong usage of the tool.
    pub(crate) fn usage(&self, message: &str) {
        self.apart("usage", message);
    }

    fn object(&self, file: Option<&str>, shader: Option<usize>, problem: &Problem) {
        let Problem { kind, message, place, help } = problem;
        let (line, column, length) = (place.line, place.column, place.len);
        let object = json!({
            "file": file, "shader": shader, "kind": kind,
            "line": line, "column": column, "length": length, "message": message, "help": help,
        });
        self.line(&object.to_string());
    }

    /// The message, the place, and the line with a caret below the error.
    fn snippet(&self, level: Level<'_>, file: &str, text: &str, problem: &Problem) -> String {
        let title = level.primary_title(problem.message.as_str());
        let line = (problem.place.line as usize).checked_sub(1).and_then(|before| text.lines().nth(before));
        let Some(line) = line else {
            return self.renderer.render(&[with_help(title.element(Origin::path(file)), problem)]);
        };
        let span = match problem.place.column {
            0 => line.len() - line.trim_start().len()..line.len(),
            column => {
                let start = byte_of(line, column as usize - 1);
                start..start + byte_of(&line[start..], problem.place.len.max(1) as usize)
            }
        };
        let snippet = Snippet::source(line).path(file).line_start(problem.place.line as usize);
        let group = title.element(snippet.annotation(AnnotationKind::Primary.span(span)));
        self.renderer.render(&[with_help(group, problem)])
    }

    /// A progress bar for `len` shaders, hidden if they are few or if stderr is not a terminal.
    pub(crate) fn bar(&self, len: usize, about: &'static str) -> ProgressBar {
        if len <= HANDFUL || !self.terminal || self.json {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
        ProgressBar::new(len as u64)
            .with_message(about)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
    }
}

/// Adds what to do about a problem.
fn with_help<'a>(group: Group<'a>, problem: &'a Problem) -> Group<'a> {
    match &problem.help {
        Some(help) => group.element(Level::HELP.message(help)),
        None => group,
    }
}

/// The byte at which character number `count` of `line` starts; the end if it has fewer.
fn byte_of(line: &str, count: usize) -> usize {
    line.char_indices().nth(count).map_or(line.len(), |(at, _)| at)
}
