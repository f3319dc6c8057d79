// SPDX-License-Identifier: MIT

//! The shaders of a request, and problems with them.

use crate::api::{Entry, Options, Problem, StageProblem, StageText, Target};
use ntv::capture::BackEnd;
use ntv::text::Found;
use ntv::{check, text, BufferAccess, Error, Errors, Feature, Shader, Workaround};
use ntv_report::problem;

/// All shaders in `text`.
pub(crate) fn list(text: &str) -> Vec<Entry> {
    let found: Vec<Found> = text::find(text).collect();
    let lines: Vec<&str> = text.lines().collect();
    let ends = found.iter().skip(1).map(|next| next.line - 1).chain([lines.len() as u32]);
    found.iter().zip(ends).map(|(shader, last_line)| entry(shader, last_line, &lines)).collect()
}

fn entry(found: &Found, last_line: u32, lines: &[&str]) -> Entry {
    // A wrong shader has its stage in its first line, too.
    let first = lines.get(found.line.saturating_sub(1) as usize).copied().unwrap_or_default();
    let (stage, name) = match &found.shader {
        Ok(shader) => (shader.stage().name().to_string(), shader.info.name.clone().unwrap_or_default()),
        Err(_) => (first.split_once("shader:").map_or("", |row| row.1).trim().to_string(), String::new()),
    };
    Entry { first_line: found.line, last_line, stage, name, ok: found.shader.is_ok() }
}

/// The shader with this number in `text`.
pub(crate) fn find(text: &str, number: u32) -> Result<Shader, Vec<Problem>> {
    let mut found: Vec<Found> = text::find(text).collect();
    if found.is_empty() {
        return Err(vec![problem("syntax", "no shader found, expected a line like `shader: MESA_SHADER_VERTEX`")]);
    }
    if number as usize >= found.len() {
        return Err(vec![problem("argument", &format!("there is no shader {number}, only {}", found.len()))]);
    }
    found.swap_remove(number as usize).shader.map_err(problems)
}

/// The shaders of all stages, or the problems of those that are wrong.
pub(crate) fn find_all(stages: &[StageText]) -> Result<Vec<Shader>, Vec<StageProblem>> {
    let (mut shaders, mut wrong) = (Vec::new(), Vec::new());
    for (stage, row) in (0..).zip(stages) {
        match find(&row.text, row.shader) {
            Ok(shader) => shaders.push(shader),
            Err(problems) => wrong.extend(of_stage(stage, problems)),
        }
    }
    if wrong.is_empty() {
        Ok(shaders)
    } else {
        Err(wrong)
    }
}

/// The problems of the first shader that breaks a rule of NIR.
pub(crate) fn validate(shaders: &[Shader]) -> Result<(), Vec<StageProblem>> {
    for (stage, shader) in (0..).zip(shaders) {
        check::validate(shader).map_err(|errors| of_stage(stage, problems(errors)).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// A problem of a whole request with this number of stages.
pub(crate) fn whole(stages: &[StageText], problem: Problem) -> Vec<StageProblem> {
    vec![StageProblem { stage: stages.len() as u32, problem }]
}

/// The problems of a stage.
pub(crate) fn of_stage(stage: u32, problems: Vec<Problem>) -> impl Iterator<Item = StageProblem> {
    problems.into_iter().map(move |problem| StageProblem { stage, problem })
}

/// A problem without a place.
pub(crate) fn problem(kind: &str, message: &str) -> Problem {
    Problem { kind: kind.to_string(), message: message.to_string(), ..Problem::default() }
}

/// The problems of a shader.
pub(crate) fn problems(errors: Errors) -> Vec<Problem> {
    problem::problems(errors).into_iter().map(Problem::from).collect()
}

/// The problem of an error.
pub(crate) fn placed(error: Error) -> Problem {
    problem::Problem::from(error).into()
}

impl From<problem::Problem> for Problem {
    fn from(problem: problem::Problem) -> Problem {
        let problem::Problem { kind, message, place, help } = problem;
        Problem { message, kind: kind.to_string(), line: place.line, column: place.column, length: place.len, help }
    }
}

/// The options of the translator, or what is wrong with them.
pub(crate) fn options(target: &Target, options: &Options) -> Result<ntv::Options, Problem> {
    let unknown = |what: &str, name: &str| problem("argument", &format!("there is no {what} `{name}`"));
    let preset = ntv::Target::preset(&target.preset);
    let mut built = preset.ok_or_else(|| unknown("preset", &target.preset))?;
    for (names, on) in [(&target.enable, true), (&target.disable, false)] {
        for name in names {
            built.set(Feature::from_name(name).ok_or_else(|| unknown("feature", name))?, on);
        }
    }
    for name in &target.workarounds {
        built.work_around(Workaround::from_name(name).ok_or_else(|| unknown("workaround", name))?, true);
    }
    built.uniform_ranges_in_vec4s = options.uniform_ranges_in_vec4s;
    let captures = match options.captures.as_str() {
        "" | "extension" => BackEnd::Extension,
        "storage" => BackEnd::Storage,
        other => return Err(unknown("back end of captures", other)),
    };
    let access = if options.lane_access { BufferAccess::Lane } else { BufferAccess::Auto };
    Ok(ntv::Options::default().target(built).buffer_access(access).captures(captures))
}
