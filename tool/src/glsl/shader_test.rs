// SPDX-License-Identifier: MIT

//! Piglit's tests, `.shader_test` files: the sources of a program in sections.
//!
//! ```text
//! [require]
//! GLSL >= 1.50
//!
//! [vertex shader passthrough]
//!
//! [fragment shader]
//! out vec4 color;
//! void main() { color = vec4(1.0); }
//! ```
//!
//! A source without `#version` has that of the line `GLSL >= ...`. The other sections say what the test draws, and are ignored.

use super::program::{version, Source};
use super::stages::STAGES;

/// The sources of a test.
pub(super) struct Test {
    pub(super) sources: Vec<Source>,
    /// Whether each source is a program of its own.
    pub(super) is_separate: bool,
}

/// Parses the test in file number `file`.
pub(super) fn parse(file: usize, text: &str) -> Result<Test, String> {
    let (mut sources, mut is_separate, mut required) = (Vec::new(), false, None);
    for (first, section) in sections(text) {
        let (name, body) = section.split_once('\n').unwrap_or((section, ""));
        let name = name.trim().trim_matches(['[', ']']);
        if name == "require" {
            is_separate |= body.lines().any(|line| line.trim() == "SSO ENABLED");
            required = body.lines().find_map(required_version).or(required);
            continue;
        }
        let found =
            STAGES.iter().find_map(|stage| Some((stage, name.strip_prefix(stage.name)?.strip_prefix(" shader")?)));
        let Some((stage, form)) = found else { continue };
        let text = match form {
            "" => body.to_string(),
            " passthrough" => passthrough(required.as_deref()),
            _ => return Err(format!("line {}: `{name}` is not GLSL", first + 1)),
        };
        sources.push(with_version(Source { file, stage, lines_before: first + 1, text }, required.as_deref()));
    }
    match sources.is_empty() {
        true => Err("this test has no section such as [fragment shader]".to_string()),
        false => Ok(Test { sources, is_separate }),
    }
}

/// The sections, each with the number of lines before it.
fn sections(text: &str) -> Vec<(u32, &str)> {
    let mut starts: Vec<(u32, usize)> = Vec::new();
    let mut at = 0;
    for (number, line) in (0..).zip(text.split_inclusive('\n')) {
        if line.starts_with('[') && line.trim_end().ends_with(']') {
            starts.push((number, at));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|start| start.1).chain([text.len()]);
    starts.iter().zip(ends).map(|((number, start), end)| (*number, &text[*start..end])).collect()
}

/// `GLSL >= 1.50` and `GLSL ES >= 3.00` as the words after `#version`.
fn required_version(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("GLSL")?.trim_start();
    let (rest, is_es) = rest.strip_prefix("ES").map_or((rest, false), |rest| (rest, true));
    let number = rest.trim_start().strip_prefix(">=")?.trim().replace('.', "");
    let number = number.split_whitespace().next()?;
    Some(if is_es && number != "100" { format!("{number} es") } else { number.to_string() })
}

/// A vertex shader that gives the position of the only attribute.
fn passthrough(version: Option<&str>) -> String {
    let is_old = version.is_none_or(|version| version.starts_with('1') && !version.starts_with("15"));
    let word = if is_old { "attribute" } else { "in" };
    format!("{word} vec4 piglit_vertex; void main() {{ gl_Position = piglit_vertex; }}\n")
}

/// The source with a `#version`, in a line before it, if it has none.
fn with_version(source: Source, required: Option<&str>) -> Source {
    let Some(required) = required.filter(|_| version(&source.text).is_none()) else { return source };
    let text = format!("#version {required}\n{}", source.text);
    Source { lines_before: source.lines_before - 1, text, ..source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_become_sources_with_the_required_version() {
        let text =
            "# a test\n[require]\nGLSL >= 1.50\nSSO ENABLED\n\n[vertex shader passthrough]\n\n[fragment shader]\n\
                    void main() {}\n[test]\ndraw rect -1 -1 2 2\n";
        let Test { sources, is_separate } = parse(7, text).expect("a test");
        assert!(is_separate);
        let all: Vec<_> = sources.iter().map(|it| (it.file, it.stage.name, it.lines_before)).collect();
        // The line with the version takes the place of the heading.
        assert_eq!(all, [(7, "vertex", 5), (7, "fragment", 7)]);
        assert!(sources[0].text.starts_with("#version 150\nin vec4 "));
        assert_eq!(sources[1].text, "#version 150\nvoid main() {}\n");
    }

    #[test]
    fn versions_of_es_have_their_suffix() {
        assert_eq!(required_version("GLSL ES >= 3.10").as_deref(), Some("310 es"));
        assert_eq!(required_version("GLSL ES >= 1.00").as_deref(), Some("100"));
        assert_eq!(required_version("GLSL >= 1.20").as_deref(), Some("120"));
        assert_eq!(required_version("GL >= 3.2"), None);
    }

    #[test]
    fn other_languages_are_refused() {
        assert_eq!(
            parse(0, "[vertex shader spirv]\n").err().expect("an error"),
            "line 1: `vertex shader spirv` is not GLSL"
        );
        assert!(parse(0, "[test]\n").is_err());
    }
}
