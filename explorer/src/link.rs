// SPDX-License-Identifier: MIT

//! Links of stages.

use crate::api::{LinkAnswer, LinkRequest, LinkedStage, Problem, StageProblem, Varying};
use crate::modules::{self, Lined};
use crate::shaders;
use ntv::link::link;
use ntv::pass::Context;
use ntv::variant::keys_of_stages;
use ntv::{Errors, Key, Module, Options, Shader, Translator};
use ntv_report::varyings;

/// Links the stages of a request.
pub(crate) fn link_stages(request: &LinkRequest) -> LinkAnswer {
    match linked(request) {
        Ok(stages) => LinkAnswer { problems: Vec::new(), stages },
        Err(problems) => LinkAnswer { problems, stages: Vec::new() },
    }
}

fn linked(request: &LinkRequest) -> Result<Vec<LinkedStage>, Vec<StageProblem>> {
    let whole = |problem| shaders::whole(&request.stages, problem);
    let options = shaders::options(&request.target, &request.options).map_err(whole)?;
    let key = Key::parse(&request.key).map_err(|message| whole(shaders::problem("argument", &message)))?;
    let names = request.options.names;
    let mut before = Vec::new();
    for (number, shader) in (0..).zip(shaders::find_all(&request.stages)?) {
        let stage = translate(shader, &options, names);
        before.push(stage.map_err(|errors| shaders::of_stage(number, shaders::problems(errors)).collect::<Vec<_>>())?);
    }
    before.sort_by_key(|stage| stage.plain.stage);
    let refused = |error| whole(shaders::placed(error));
    let linked = |of: fn(&Lined) -> &Module| link(&before.iter().map(of).collect::<Vec<_>>(), Vec::new());
    let plain = linked(|stage| &stage.plain).map_err(refused)?.modules;
    let with_lines = linked(|stage| &stage.with_lines).map_err(refused)?.modules;
    let keys: Vec<Key> = keys_of_stages(plain.iter(), key).map_err(refused)?.collect();
    let after = plain.into_iter().zip(with_lines).map(|(plain, with_lines)| Lined { plain, with_lines, names });
    let rows = before.iter().zip(after).zip(keys);
    rows.map(|((before, after), key)| report(before, &after, &key)).collect::<Result<_, _>>().map_err(whole)
}

fn translate(mut shader: Shader, options: &Options, names: bool) -> Result<Lined, Errors> {
    Translator::new(options.clone()).lower(&mut shader, None)?;
    Lined::emit(&shader, &Context::from(options.clone()).target, &modules::patchable(), names)
}

fn report(before: &Lined, after: &Lined, key: &Key) -> Result<LinkedStage, Problem> {
    let rows = varyings::rows(&before.plain, &after.plain);
    Ok(LinkedStage {
        stage: after.plain.stage.name().to_string(),
        varyings: rows.iter().map(|(was, now)| varying(was, now)).collect(),
        before: before.assembly(key)?,
        after: after.assembly(key)?,
    })
}

fn varying(was: &ntv::module::Varying, now: &ntv::module::Varying) -> Varying {
    Varying {
        is_output: now.is_output,
        builtin: now.builtin.map(varyings::builtin).unwrap_or_default(),
        before: was.location,
        after: now.location,
        removed: now.removed,
        text: varyings::describe(was, now),
    }
}
