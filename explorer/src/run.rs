// SPDX-License-Identifier: MIT

//! Runs on the interpreter.

use crate::api::{Picture, RunAnswer, RunRequest, StageProblem};
use crate::shaders;
use base64::prelude::{Engine as _, BASE64_STANDARD};
use ntv::Shader;
use ntv_report::problem;
use ntv_report::run::inputs::{Form, Inputs, Work};
use ntv_report::run::{self as report, Ran};

/// The number of instructions after which the run of a dispatch ends.
const INSTRUCTIONS: u64 = 20_000_000;

/// The number of instructions of one invocation in a draw, if there are many of them.
const INSTRUCTIONS_OF_POINT: u64 = 20_000;

/// The most bytes of buffers, images and targets.
const BYTES: u64 = 1 << 24;

/// The most workgroups of a dispatch.
const GROUPS: u64 = 1 << 12;

/// The most invocations of a dispatch: the interpreter keeps a result for each.
const INVOCATIONS: u64 = 1 << 18;

/// The most vertices of a draw, summed over its instances.
const POINTS: u64 = 1 << 14;

/// Runs the stages of a request.
pub(crate) fn run(request: &RunRequest) -> RunAnswer {
    ran(request).unwrap_or_else(|problems| RunAnswer { problems, ..RunAnswer::default() })
}

fn ran(request: &RunRequest) -> Result<RunAnswer, Vec<StageProblem>> {
    let refused = |message: String| shaders::whole(&request.stages, shaders::problem("argument", &message));
    let failed = |error: ntv_report::Failure| refused(format!("{error:#}"));
    let given = Inputs::parse(&request.inputs, BYTES).map_err(failed)?;
    let found = shaders::find_all(&request.stages)?;
    let instructions = limit(&given.work, &found).map_err(refused)?;
    shaders::validate(&found)?;
    let outcome = report::run(&found, &given, instructions).map_err(failed)?;
    let stage_problem =
        |(number, problem): (usize, problem::Problem)| StageProblem { stage: number as u32, problem: problem.into() };
    Ok(RunAnswer {
        problems: outcome.problems.into_iter().map(stage_problem).collect(),
        result: outcome.ran.as_ref().map(|ran| ran.to_json(&given).to_string()).unwrap_or_default(),
        picture: outcome.ran.and_then(|ran| picture(&given, &ran)),
    })
}

/// The number of instructions that each run of a stage may take, or the reason why the page does not run this.
fn limit(work: &Work, stages: &[Shader]) -> Result<u64, String> {
    let product = |sizes: &[u32; 3]| sizes.iter().fold(1u64, |count, size| count.saturating_mul(u64::from(*size)));
    match work {
        Work::Invocations(list) if list.len() as u64 > INVOCATIONS => {
            Err(format!("{} invocations are too many: at most {INVOCATIONS} run", list.len()))
        }
        Work::Invocations(_) => Ok(INSTRUCTIONS),
        Work::Dispatch(groups) => {
            let count = product(groups);
            let size = stages.iter().map(|shader| product(&shader.info.workgroup_size)).max().unwrap_or(1);
            if count > GROUPS {
                return Err(format!("{count} workgroups are too many: the explorer runs at most {GROUPS}"));
            }
            if count.saturating_mul(size) > INVOCATIONS {
                return Err(format!(
                    "{count} workgroups of {size} invocations are too many: at most {INVOCATIONS} run"
                ));
            }
            Ok(INSTRUCTIONS)
        }
        Work::Draw(draw) => {
            let count = u64::from(draw.vertices).saturating_mul(u64::from(draw.instances));
            let instances = u64::from(draw.instances);
            let refusal = || format!("{count} vertices are too many: the explorer draws at most {POINTS}");
            let limit = (INSTRUCTIONS / count.max(1)).max(INSTRUCTIONS_OF_POINT);
            (count.max(instances) <= POINTS).then_some(limit).ok_or_else(refusal)
        }
    }
}

fn picture(given: &Inputs, ran: &Ran) -> Option<Picture> {
    let Work::Draw(draw) = &given.work else { return None };
    draw.targets.first().filter(|target| target.kind.form == Form::U8)?;
    let [width, height] = draw.size;
    Some(Picture { width, height, rgba: BASE64_STANDARD.encode(ran.targets.first()?) })
}
