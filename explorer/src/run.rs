// SPDX-License-Identifier: MIT

//! Runs on the interpreter.

use crate::api::{Picture, RunAnswer, RunRequest, StageProblem, StageText, TemplateAnswer};
use crate::shaders;
use base64::prelude::{Engine as _, BASE64_STANDARD};
use ntv::{EmitOptions, Options, Shader, Translator};
use ntv_report::problem;
use ntv_report::reflect::of_shader;
use ntv_report::run::inputs::{Form, Inputs, Work};
use ntv_report::run::{self as report, template, Ran};

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

/// Inputs for the stages of a request.
pub(crate) fn template(request: &RunRequest) -> TemplateAnswer {
    let inputs = shaders::find_all(&request.stages).and_then(|found| inputs_of(&request.stages, &found));
    match inputs {
        Ok(inputs) => TemplateAnswer { inputs, problems: Vec::new() },
        Err(problems) => TemplateAnswer { problems, inputs: String::new() },
    }
}

fn inputs_of(stages: &[StageText], found: &[Shader]) -> Result<String, Vec<StageProblem>> {
    shaders::validate(found)?;
    let options = Options::default();
    let mut translator = Translator::new(options.clone());
    let mut reflections = Vec::new();
    for (stage, read) in (0..).zip(found) {
        let of_stage = |problems| shaders::of_stage(stage, problems).collect::<Vec<StageProblem>>();
        let mut lowered = read.clone();
        let module = translator.translate(&mut lowered, &EmitOptions::default().names(true));
        let module = module.map_err(|errors| of_stage(shaders::problems(errors)))?;
        let reflection = of_shader(read, &lowered, &module, &options);
        let wrong = |error: &dyn ToString| of_stage(vec![shaders::problem("internal", &error.to_string())]);
        reflections.push(reflection.map_err(|error| wrong(&error))?);
    }
    let inputs = template::template(&reflections);
    let refused =
        |error: ntv_report::Failure| shaders::whole(stages, shaders::problem("argument", &format!("{error:#}")));
    inputs.map(|inputs| template::to_text(&inputs)).map_err(refused)
}

fn ran(request: &RunRequest) -> Result<RunAnswer, Vec<StageProblem>> {
    let refused = |message: String| shaders::whole(&request.stages, shaders::problem("argument", &message));
    let failed = |error: ntv_report::Failure| refused(format!("{error:#}"));
    let found = shaders::find_all(&request.stages)?;
    let inputs = match request.inputs.trim() {
        "" => inputs_of(&request.stages, &found)?,
        inputs => inputs.to_string(),
    };
    let given = Inputs::parse(&inputs, BYTES).map_err(failed)?;
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
