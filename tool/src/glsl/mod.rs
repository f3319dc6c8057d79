// SPDX-License-Identifier: MIT

//! GLSL as an input: the installed Mesa makes NIR of it, the NIR that zink receives.
//!
//! [`compile`] puts dumps in the place of sources before the inputs are read, so that every command takes GLSL. `ntv glsl` writes the
//! dumps themselves.

#[cfg(feature = "glsl")]
mod child;
mod log;
mod mesa;
mod program;
mod shader_test;
mod stages;

use crate::args::{GlslArgs, Level};
use crate::diagnostics::{count, Problem, Reporter};
use crate::inputs::{Compiled, Input};
use crate::{absent, destination, inputs, AllFine};
use anyhow::{ensure, Result};
#[cfg(feature = "glsl")]
pub(crate) use child::run as run_child;
use log::messages;
#[cfg(feature = "glsl")]
pub(crate) use mesa::COMMAND as CHILD;
use program::{File, Program};
use rayon::prelude::*;
pub(crate) use stages::is_glsl;
use std::path::PathBuf;

/// Whether the process of Mesa is in the binary.
const IS_BUILT: bool = cfg!(feature = "glsl");

/// The result of a file: its dumps by stage, or its problems.
struct Outcome {
    dumps: Vec<(&'static stages::Stage, String)>,
    problems: Vec<Problem>,
    is_fine: bool,
}

/// Puts NIR in the place of each input with GLSL; reports warnings of Mesa.
pub(crate) fn compile(mut inputs: Vec<Input>, reporter: &Reporter) -> Vec<Input> {
    let numbers: Vec<usize> = (0..inputs.len()).filter(|number| is_source(&inputs[*number])).collect();
    let (files, outcomes) = outcomes(numbers.iter().map(|number| &inputs[*number]), Level::Gallium, reporter);
    for ((number, file), outcome) in numbers.into_iter().zip(files).zip(outcomes) {
        let input = &mut inputs[number];
        input.compiled = Some(match outcome.is_fine {
            true => {
                input.name = format!("{} as NIR", input.name);
                let text: Vec<String> = outcome.dumps.into_iter().map(|(_, dump)| dump).collect();
                Compiled { text: text.join("\n"), problems: None }
            }
            false => Compiled { text: file.text, problems: Some(outcome.problems) },
        });
    }
    inputs
}

/// The text of files, with NIR in the place of GLSL. The error has the problems of the GLSL.
#[cfg(feature = "explorer")]
pub(crate) fn read(paths: &[PathBuf], reporter: &Reporter) -> Result<String> {
    let mut text = String::new();
    for input in compile(inputs::collect(paths)?, reporter) {
        match &input.compiled {
            None => text += &String::from_utf8_lossy(&input.read()?),
            Some(Compiled { text: dumps, problems: None }) => text += dumps,
            Some(Compiled { problems: Some(problems), .. }) => {
                let line = |problem: &Problem| format!("{}:{}: {}", input.name, problem.place.line, problem.message);
                let lines: Vec<String> = problems.iter().map(line).collect();
                anyhow::bail!("{}", lines.join("\n"));
            }
        }
        text.push('\n');
    }
    Ok(text)
}

fn is_source(input: &Input) -> bool {
    input.path.as_deref().is_some_and(is_glsl)
}

/// The files of `inputs`, and the result of each.
fn outcomes<'i>(
    inputs: impl Iterator<Item = &'i Input>,
    level: Level,
    reporter: &Reporter,
) -> (Vec<File>, Vec<Outcome>) {
    let mut outcomes = Vec::new();
    let mut files = Vec::new();
    for input in inputs {
        let (text, problems) = match input.read().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) {
            Ok(text) => (text, Vec::new()),
            Err(error) => (String::new(), vec![Problem::new("io", format!("cannot read: {error}"))]),
        };
        files.push(File { path: input.path.clone().unwrap_or_default(), text });
        outcomes.push(Outcome { dumps: Vec::new(), is_fine: problems.is_empty(), problems });
    }
    if !outcomes.iter().all(|outcome| outcome.is_fine) {
        return (files, outcomes);
    }
    match program::programs(&files) {
        Ok(programs) => {
            let compiled: Vec<_> = programs.par_iter().map(|program| mesa::compile(program, level)).collect();
            for (program, compiled) in programs.iter().zip(compiled) {
                distribute(program, compiled, &files, &mut outcomes, reporter);
            }
        }
        Err((number, error)) => fail(&mut outcomes[number], Problem::new(log::KIND, error)),
    }
    (files, outcomes)
}

fn fail(outcome: &mut Outcome, problem: Problem) {
    outcome.is_fine = false;
    outcome.problems.push(problem);
}

/// Adds the result of a program to those of its files.
fn distribute(
    program: &Program,
    compiled: Result<mesa::Compiled>,
    files: &[File],
    outcomes: &mut [Outcome],
    reporter: &Reporter,
) {
    let first = program.sources[0].file;
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => {
            program.sources.iter().for_each(|source| outcomes[source.file].is_fine = false);
            return outcomes[first].problems.push(Problem::new("io", format!("{error:#}")));
        }
    };
    let of_sources = program.sources.iter().zip(&compiled.logs).flat_map(|(source, log)| {
        messages(log).into_iter().map(move |message| (source.file, source.lines_before, message))
    });
    let of_link = messages(&compiled.link).into_iter().map(|message| (first, 0, message));
    for (file, lines_before, message) in of_sources.chain(of_link) {
        let problem = message.problem(&files[file].text, lines_before);
        match compiled.dumps.is_none() && message.is_error {
            true => outcomes[file].problems.push(problem),
            false => reporter.note(&files[file].path.display().to_string(), &files[file].text, None, &problem),
        }
    }
    for source in &program.sources {
        let outcome = &mut outcomes[source.file];
        match compiled.dump(source.stage) {
            // Several sources of a stage have one dump.
            Some(_) if outcome.dumps.iter().any(|(stage, _)| *stage == source.stage) => {}
            Some(dump) => outcome.dumps.push((source.stage, dump.to_string())),
            None if compiled.dumps.is_some() => {
                let other = if program.is_separable { ": name the other stages, too, so that it can draw" } else { "" };
                let message = format!("Mesa prints no NIR of the {} shader{other}", source.stage.name);
                fail(outcome, Problem::new("io", message));
            }
            None => outcome.is_fine = false,
        }
    }
}

/// `ntv glsl`: writes the NIR of GLSL.
pub(crate) fn run(args: &GlslArgs, reporter: &Reporter) -> Result<AllFine> {
    ensure!(IS_BUILT, absent("glsl", "glsl"));
    let inputs = inputs::collect(&args.inputs)?;
    let wrong = inputs.iter().find(|input| !is_source(input));
    ensure!(
        wrong.is_none(),
        "{}: the name of the file has no end of a stage, such as .vert or .frag, and it is not a .shader_test",
        wrong.map_or("", |input| &input.name)
    );
    let (files, outcomes) = outcomes(inputs.iter(), args.level, reporter);
    let mut dumps: Vec<(String, &str)> = Vec::new();
    for ((input, file), outcome) in inputs.iter().zip(&files).zip(&outcomes) {
        outcome.problems.iter().for_each(|problem| reporter.problem(&input.name, &file.text, None, problem));
        for (stage, dump) in outcome.dumps.iter().filter(|_| outcome.is_fine) {
            let stem = stages::stem(&input.stem).display().to_string();
            dumps.push((format!("{stem}.{}.nir", stage.suffixes[0]), dump));
        }
    }
    let all_fine = outcomes.iter().all(|outcome| outcome.is_fine);
    write(args, &inputs, &dumps)?;
    reporter.say(&format!("compiled {} of GLSL", count(dumps.len(), "shader")));
    Ok(all_fine)
}

/// Writes dumps, each with the name of its file, to the output of the command.
fn write(args: &GlslArgs, inputs: &[Input], dumps: &[(String, &str)]) -> Result<()> {
    let Some(out) = &args.output else {
        let all: Vec<&str> = dumps.iter().map(|dump| dump.1).collect();
        return Ok(destination::print(all.join("\n").as_bytes())?);
    };
    let is_one = dumps.len() == 1 && inputs.len() == 1 && !destination::names_folder(out);
    ensure!(is_one || !out.exists() || out.is_dir(), "{}: is a file; -o takes a folder", out.display());
    let paths = dumps.iter().map(|(name, _)| if is_one { out.clone() } else { out.join(name) });
    let paths: Vec<PathBuf> = paths.collect();
    let owners = dumps.iter().map(|(name, _)| name.as_str());
    destination::decide(inputs.iter().map(Input::file), owners.zip(paths.iter().map(PathBuf::as_path)))?;
    for (path, (_, dump)) in paths.iter().zip(dumps) {
        destination::write(path, dump.as_bytes())?;
    }
    Ok(())
}
