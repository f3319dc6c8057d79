// SPDX-License-Identifier: MIT

//! The translation of one shader, pass by pass, with the origin of each line.

use crate::api::{Answer, Comparison, Line, PassReport, Problem, Request, Spirv};
use crate::{assembly, counts, shaders};
use base64::prelude::{Engine as _, BASE64_STANDARD};
use ntv::pass::pipeline::PIPELINE;
use ntv::pass::Context;
use ntv::spirv::emit;
use ntv::{check, text, BufferAccess, EmitOptions, Errors, Key, Module, Options, Shader, Translator};

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
    let mut lowered = shader.clone();
    Translator::new(options.clone()).lower(&mut lowered, None).map_err(shaders::problems)?;
    answer.passes.extend(passes(&shader, &options)?);
    let modules = Modules::new(&lowered, &options, request).map_err(shaders::problems)?;
    answer.spirv = Some(modules.variant(&key).map_err(|problem| vec![problem])?);
    let with = counts::counts(&modules.plain.words);
    answer.counts = unoptimized(shader, &options).map(|words| Comparison { with, without: counts::counts(&words) });
    Ok(())
}

/// The report of each pass.
fn passes(shader: &Shader, options: &Options) -> Result<Vec<PassReport>, Vec<Problem>> {
    let mut translator = Translator::new(options.clone());
    let mut before = shader.clone();
    let mut reports = Vec::new();
    for pass in PIPELINE {
        let mut after = shader.clone();
        translator.lower(&mut after, Some(pass.name)).map_err(shaders::problems)?;
        let changed = after != before;
        let lines = if changed { nir(&after) } else { Vec::new() };
        reports.push(PassReport { name: pass.name.to_string(), what: pass.about.to_string(), changed, lines });
        before = after;
    }
    Ok(reports)
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

/// The module of a shader, and the same with the lines of the dump.
struct Modules {
    plain: Module,
    with_lines: Module,
}

impl Modules {
    fn new(lowered: &Shader, options: &Options, request: &Request) -> Result<Modules, Errors> {
        let offer = EmitOptions::default().names(request.options.names).offer(u64::MAX).linkable(true);
        let plain = emit(lowered, &options.target, &offer)?;
        let with_lines = emit(lowered, &options.target, &offer.lines(Some(("shader.nir", &request.text))))?;
        Ok(Modules { plain, with_lines })
    }

    /// The words for `key`.
    fn variant(&self, key: &Key) -> Result<Spirv, Problem> {
        let internal = |message: String| shaders::problem("internal", &message);
        let (mut default, mut words, mut with_lines) = (Vec::new(), Vec::new(), Vec::new());
        self.plain.instantiate(&Key::default(), &mut default).map_err(shaders::placed)?;
        self.with_lines.instantiate(&Key::default(), &mut with_lines).map_err(shaders::placed)?;
        self.plain.instantiate(key, &mut words).map_err(shaders::placed)?;
        let mut lines = assembly::lines(&default, &with_lines).map_err(internal)?;
        if words != default {
            lines = assembly::changed(&lines, &words).map_err(internal)?;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(Spirv { lines, words: BASE64_STANDARD.encode(bytes) })
    }
}

/// The words of a shader without optimizations: one load for each lane, and no clean-up after the lowerings. `None` if the target
/// takes only a shader that is cleaned up.
fn unoptimized(mut shader: Shader, options: &Options) -> Option<Vec<u32>> {
    let last = PIPELINE.iter().position(|pass| pass.name == "clean_up")?;
    let options = options.clone().buffer_access(BufferAccess::Lane);
    let mut translator = Translator::new(options.clone());
    translator.lower(&mut shader, Some(PIPELINE.get(last.checked_sub(1)?)?.name)).ok()?;
    let context = Context::from(options);
    for pass in &PIPELINE[last + 1..] {
        pass.apply(&mut shader, &context);
    }
    emit(&shader, &context.target, &EmitOptions::default()).ok().map(|module| module.words)
}
