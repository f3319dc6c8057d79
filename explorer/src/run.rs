// SPDX-License-Identifier: MIT

//! Runs on the interpreter.

use crate::api::{Picture, Problem, RunAnswer, RunRequest, StageProblem};
use crate::shaders;
use base64::prelude::{Engine as _, BASE64_STANDARD};
use ntv::check;
use ntv_report::problem;
use ntv_report::run::inputs::{Form, Inputs, Work};
use ntv_report::run::{self as report, Ran};

/// The number of instructions after which a run ends.
const INSTRUCTIONS: u64 = 20_000_000;

/// Runs the stages of a request.
pub(crate) fn run(request: &RunRequest) -> RunAnswer {
    ran(request).unwrap_or_else(|problems| RunAnswer { problems, ..RunAnswer::default() })
}

fn ran(request: &RunRequest) -> Result<RunAnswer, Vec<StageProblem>> {
    let count = request.stages.len() as u32;
    let whole = |error: ntv_report::Failure| {
        vec![StageProblem { stage: count, problem: shaders::problem("argument", &format!("{error:#}")) }]
    };
    let given = Inputs::parse(&request.inputs).map_err(whole)?;
    let found = shaders::find_all(&request.stages)?;
    for (number, shader) in (0..).zip(&found) {
        let checked = check::validate(shader).map_err(shaders::problems);
        checked.map_err(|problems| shaders::of_stage(number, problems).collect::<Vec<_>>())?;
    }
    let outcome = report::run(&found, &given, INSTRUCTIONS).map_err(whole)?;
    let stage_problem = |(number, problem): (usize, problem::Problem)| StageProblem {
        stage: number as u32,
        problem: reported(problem),
    };
    Ok(RunAnswer {
        problems: outcome.problems.into_iter().map(stage_problem).collect(),
        result: outcome.ran.as_ref().map(|ran| ran.to_json(&given).to_string()).unwrap_or_default(),
        picture: outcome.ran.and_then(|ran| picture(&given, &ran)),
    })
}

fn reported(problem: problem::Problem) -> Problem {
    let problem::Problem { kind, message, place } = problem;
    Problem { message, kind: kind.to_string(), line: place.line, column: place.column, length: place.len }
}

fn picture(given: &Inputs, ran: &Ran) -> Option<Picture> {
    let Work::Draw(draw) = &given.work else { return None };
    draw.targets.first().filter(|target| target.kind.form == Form::U8)?;
    let [width, height] = draw.size;
    Some(Picture { width, height, rgba: BASE64_STANDARD.encode(ran.targets.first()?) })
}
