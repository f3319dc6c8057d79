// SPDX-License-Identifier: MIT

//! Links of stages.

use crate::api::{LinkAnswer, LinkRequest, LinkedStage, SpirvLine, StageProblem, Varying};
use crate::{assembly, shaders};
use ntv::link::link;
use ntv::pass::Context;
use ntv::spirv::emit;
use ntv::{EmitOptions, Errors, Key, Module, Options, Shader, Translator};
use ntv_report::varyings;

/// Links the stages of a request.
pub(crate) fn link_stages(request: &LinkRequest) -> LinkAnswer {
    match linked(request) {
        Ok(stages) => LinkAnswer { problems: Vec::new(), stages },
        Err(problems) => LinkAnswer { problems, stages: Vec::new() },
    }
}

/// A stage with its module, and the module with the lines of its dump.
struct Stage {
    plain: Module,
    with_lines: Module,
}

fn linked(request: &LinkRequest) -> Result<Vec<LinkedStage>, Vec<StageProblem>> {
    let count = request.stages.len() as u32;
    let whole = |problem| vec![StageProblem { stage: count, problem }];
    let options = shaders::options(&request.target, &request.options).map_err(whole)?;
    let key = Key::parse(&request.key).map_err(|message| whole(shaders::problem("argument", &message)))?;
    let mut stages = Vec::new();
    for (number, (shader, row)) in (0..).zip(shaders::find_all(&request.stages)?.into_iter().zip(&request.stages)) {
        let stage = translate(shader, &options, &row.text);
        stages.push(stage.map_err(|errors| shaders::of_stage(number, shaders::problems(errors)).collect::<Vec<_>>())?);
    }
    stages.sort_by_key(|stage| stage.plain.stage);
    let refused = |error| whole(shaders::placed(error));
    let modules = |of: fn(&Stage) -> &Module| stages.iter().map(of).collect::<Vec<&Module>>();
    let plain = link(&modules(|stage| &stage.plain), Vec::new()).map_err(refused)?;
    let with_lines = link(&modules(|stage| &stage.with_lines), Vec::new()).map_err(refused)?;
    let after =
        plain.modules.into_iter().zip(with_lines.modules).map(|(plain, with_lines)| Stage { plain, with_lines });
    let pairs = stages.iter().zip(after);
    pairs
        .map(|(before, after)| report(before, &after, &key))
        .collect::<Result<_, String>>()
        .map_err(|message| whole(shaders::problem("argument", &message)))
}

fn translate(mut shader: Shader, options: &Options, text: &str) -> Result<Stage, Errors> {
    Translator::new(options.clone()).lower(&mut shader, None)?;
    let context = Context::from(options.clone());
    let offer = EmitOptions::default().offer(u64::MAX).linkable(true);
    let plain = emit(&shader, &context.target, &offer)?;
    let with_lines = emit(&shader, &context.target, &offer.lines(Some(("shader.nir", text))))?;
    Ok(Stage { plain, with_lines })
}

fn report(before: &Stage, after: &Stage, key: &Key) -> Result<LinkedStage, String> {
    let rows = varyings::rows(&before.plain, &after.plain);
    Ok(LinkedStage {
        stage: after.plain.stage.name().to_string(),
        varyings: rows.iter().map(|(was, now)| varying(was, now)).collect(),
        before: assembly_of(before, key)?,
        after: assembly_of(after, key)?,
    })
}

fn assembly_of(stage: &Stage, key: &Key) -> Result<Vec<SpirvLine>, String> {
    let words = |module: &Module| {
        let mut words = Vec::new();
        // A key of a program has bits of all stages.
        module.instantiate(&module.masked(key), &mut words).map_err(|error| error.to_string())?;
        Ok::<Vec<u32>, String>(words)
    };
    assembly::lines(&words(&stage.plain)?, &words(&stage.with_lines)?)
}

fn varying(was: &ntv::module::Varying, now: &ntv::module::Varying) -> Varying {
    let letters = "xyzw".chars().skip(now.component.into()).take(now.components.into());
    Varying {
        is_output: now.is_output,
        builtin: now.builtin.map(varyings::builtin).unwrap_or_default(),
        patch: now.patch,
        before: was.location,
        after: now.location,
        components: letters.collect(),
        removed: now.removed,
        text: varyings::describe(was, now),
    }
}
