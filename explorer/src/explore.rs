// SPDX-License-Identifier: MIT

//! The translation of one shader, pass by pass, with the origin of each line.

use crate::api::{Answer, Comparison, Line, PassReport, Problem, Request, Spirv, SpirvLine};
use crate::modules::{self, Lined};
use crate::{counts, shaders};
use base64::prelude::{Engine as _, BASE64_STANDARD};
use ntv::pass::{Context, PIPELINE};
use ntv::spirv::emit;
use ntv::{check, text, BufferAccess, EmitOptions, Errors, Key, Options, Shader, Translator};

/// Translates the shader of a request.
pub(crate) fn explore(request: &Request) -> Answer {
    let mut answer = Answer::default();
    if let Err(problems) = fill(request, &mut answer) {
        answer.problems = problems;
    }
    answer
}

/// Fills the answer as far as possible.
fn fill(request: &Request, answer: &mut Answer) -> Result<(), Vec<Problem>> {
    let shader = shaders::find(&request.text, request.shader)?;
    let options = shaders::options(&request.target, &request.options).map_err(|problem| vec![problem])?;
    let key = Key::parse(&request.key).map_err(|message| vec![shaders::problem("argument", &message)])?;
    answer.passes.push(PassReport {
        name: "input".to_string(),
        what: "the shader before all passes".to_string(),
        changed: true,
        lines: nir(&shader),
    });
    check::validate(&shader).map_err(shaders::problems)?;
    answer.graph = Some(ntv_report::graph::graph(&shader));
    let context = Context::from(options.clone());
    let lowered = lower(&shader, &options, &context, &mut answer.passes).map_err(shaders::problems)?;
    let names = request.options.names;
    let module = Lined::emit(&lowered, &context.target, &EmitOptions::default(), names).map_err(shaders::problems)?;
    let with = counts::counts(&module.plain.words);
    answer.counts = unoptimized(shader, options).map(|words| Comparison { with, without: counts::counts(&words) });
    let spirv = match key == Key::default() {
        true => module.assembly(&key).map(|lines| spirv(lines, &module.plain.words)),
        false => {
            let module =
                Lined::emit(&lowered, &context.target, &modules::patchable(), names).map_err(shaders::problems)?;
            variant(&module, &key)
        }
    };
    answer.spirv = Some(spirv.map_err(|problem| vec![problem])?);
    Ok(())
}

/// Checks a shader and runs the passes, with a report of each. Returns the lowered shader.
fn lower(
    shader: &Shader,
    options: &Options,
    context: &Context,
    reports: &mut Vec<PassReport>,
) -> Result<Shader, Errors> {
    let mut lowered = shader.clone();
    for (number, pass) in PIPELINE.iter().enumerate() {
        let mut before = None;
        if number == 0 {
            // The translator checks the shader before the first pass.
            before = Some(shader.clone());
            Translator::new(options.clone()).lower(&mut lowered, Some(pass.name))?;
        } else if pass.is_needed(&lowered, context) {
            before = Some(lowered.clone());
            pass.apply(&mut lowered, context);
        }
        let changed = before.is_some_and(|before| before != lowered);
        let lines = if changed { nir(&lowered) } else { Vec::new() };
        reports.push(PassReport { name: pass.name.to_string(), what: pass.about.to_string(), changed, lines });
    }
    Ok(lowered)
}

/// The lines of a shader, with those from which they come.
fn nir(shader: &Shader) -> Vec<Line> {
    let mut printed = shader.clone();
    let text = text::print_with_lines(&mut printed);
    let mut lines: Vec<Line> = text.lines().map(|line| Line { text: line.to_string(), origin: None }).collect();
    for inst in &shader.order {
        let (at, origin) = (printed.lines[*inst].0, shader.lines[*inst].0);
        if let Some(line) = lines.get_mut(at.wrapping_sub(1) as usize).filter(|_| origin != 0) {
            line.origin = Some(origin);
        }
    }
    lines
}

/// The SPIR-V for a key, with marks at what it changed.
fn variant(module: &Lined, key: &Key) -> Result<Spirv, Problem> {
    let (default, words) = (module.assembly(&Key::default())?, module.words(key)?);
    Ok(spirv(module.changed(&default, &words)?, &words))
}

fn spirv(lines: Vec<SpirvLine>, words: &[u32]) -> Spirv {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Spirv { lines, words: BASE64_STANDARD.encode(bytes) }
}

/// The words of a shader without optimizations: one load for each lane, and no clean-up after the lowerings. `None` if the target
/// takes only a shader that is cleaned up.
fn unoptimized(mut shader: Shader, options: Options) -> Option<Vec<u32>> {
    let last = PIPELINE.iter().position(|pass| pass.name == "clean_up")?;
    let options = options.buffer_access(BufferAccess::Lane);
    let mut translator = Translator::new(options.clone());
    translator.lower(&mut shader, Some(PIPELINE.get(last.checked_sub(1)?)?.name)).ok()?;
    let context = Context::from(options);
    for pass in &PIPELINE[last + 1..] {
        pass.apply(&mut shader, &context);
    }
    emit(&shader, &context.target, &EmitOptions::default()).ok().map(|module| module.words)
}
