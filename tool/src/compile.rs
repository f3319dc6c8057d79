// SPDX-License-Identifier: MIT

//! `ntv compile`: each shader to SPIR-V, its disassembly, or NIR.

use crate::args::{CompileArgs, Emit};
use crate::diagnostics::{count, problems, Problem, Reporter};
use crate::shaders::{each, load, require_blocks, Job, Loaded, Source};
use crate::{destination, inputs, show, validate, words, AllFine};
use anyhow::{ensure, Result};
use ntv::plan::{survey, BlockUse, Class};
use ntv::{text, EmitOptions, Options, Shader, Target, Translator};
use ntv_report::assembly::{listing, origins, Nir};
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub(crate) fn run(args: &CompileArgs, reporter: &Reporter) -> Result<AllFine> {
    if !args.watch {
        return once(args, reporter);
    }
    #[cfg(feature = "watch")]
    return crate::watch::repeat(&args.inputs, reporter, || once(args, reporter).map(drop)).map(|()| true);
    #[cfg(not(feature = "watch"))]
    Err(crate::absent("watch", "compile --watch"))
}

fn once(args: &CompileArgs, reporter: &Reporter) -> Result<AllFine> {
    let emit = args.emit()?;
    let options = args.target.options()?;
    if args.validate {
        validate::require()?;
    }
    let loaded = load(inputs::collect(&args.inputs)?, reporter);
    require_blocks(&loaded, &options)?;
    let files = files(args, emit, &loaded)?;
    let titles = show::titles(&loaded);
    let warnings = Mutex::new(Vec::new());
    let done = each(loaded, &options, reporter, |translator, job| {
        let file = files.as_ref().map(|files| &files[job.index]);
        let (shader, name, index) = (job.shader.clone(), job.source.input.name.clone(), job.index);
        let contents = contents(args, emit, &options.target, translator, job)?;
        let found = beyond(&shader, &options).map(|message| (index, name.clone(), message));
        warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        let Some(file) = file else { return Ok(contents) };
        destination::write(file, &contents).map_err(|error| vec![Problem::new("io", error.to_string())])?;
        Ok(Vec::new())
    });
    let mut warnings = warnings.into_inner().unwrap_or_else(PoisonError::into_inner);
    warnings.sort_unstable();
    warnings.iter().for_each(|(_, name, message)| reporter.warning(name, message));
    let written = show::to_stdout(&titles, if emit == Emit::Asm { ";" } else { "//" }, &done);
    let compiled = done.iter().flatten().count();
    reporter.say(&format!("compiled {compiled} of {}", count(done.len(), "shader")));
    written.map(|()| compiled == done.len())
}

/// Warnings about reads of uniform buffers beyond the largest size that the target supports: such loads give 0.
fn beyond<'s>(shader: &Shader, options: &'s Options) -> impl Iterator<Item = String> + 's {
    let most = options.target.max_uniform_buffer_range;
    let is_beyond = move |used: &BlockUse| used.end > most && options.placements.of(used.slot).class == Class::Uniform;
    survey(shader).uses.into_iter().filter(is_beyond).map(move |BlockUse { name, end, .. }| {
        format!(
            "{} of {name} are read, and a uniform buffer has at most {most}: reads beyond give 0; see ntv plan",
            count(end as usize, "byte")
        )
    })
}

/// The file of each shader; `None` if all are written to stdout.
fn files(args: &CompileArgs, emit: Emit, loaded: &Loaded) -> Result<Option<Vec<PathBuf>>> {
    let extension = match emit {
        Emit::Spirv => "spv",
        Emit::Asm => "spvasm",
        Emit::Nir => "nir",
    };
    if let Some(out) = &args.output {
        return destination::plan(loaded, out, extension).map(Some);
    }
    if emit == Emit::Spirv {
        ensure!(loaded.units.len() == 1, "{}: name a folder for them with -o", count(loaded.units.len(), "shader"));
        ensure!(!io::stdout().is_terminal(), "SPIR-V is binary: name a file with -o, or use --emit asm");
    }
    Ok(None)
}

/// The bytes to write for a shader.
fn contents(
    args: &CompileArgs,
    emit: Emit,
    target: &Target,
    translator: &mut Translator,
    job: Job<'_>,
) -> Result<Vec<u8>, Vec<Problem>> {
    let Job { source, mut shader, .. } = job;
    if emit == Emit::Nir {
        translator.lower(&mut shader, args.stop_after.as_deref()).map_err(problems)?;
        return Ok(text::print(&shader).into_bytes());
    }
    let lines = args.lines.then_some((source.input.name.as_str(), source.text.as_str()));
    let options = EmitOptions::default().names(args.names).lines(lines);
    let read = (emit == Emit::Asm && args.with_nir).then(|| shader.clone());
    let words = translator.translate(&mut shader, &options).map_err(problems)?.words;
    let binary = words::to_bytes(&words);
    if args.validate {
        validate::module(&binary, target).map_err(|error| internal(&error))?;
    }
    match emit {
        Emit::Asm => {
            let nir = read.map(|shader| origins_of(shader, source, args.names, translator)).transpose()?;
            listing(&words, args.look(), nir.as_ref()).map(String::into_bytes).map_err(|error| internal(&error))
        }
        Emit::Spirv | Emit::Nir => Ok(binary),
    }
}

/// The lines of NIR from which the instructions of the module of a shader come.
fn origins_of<'s>(
    mut shader: Shader,
    source: &'s Source,
    names: bool,
    translator: &mut Translator,
) -> Result<Nir<'s>, Vec<Problem>> {
    let options = EmitOptions::default().names(names).lines(Some((source.input.name.as_str(), source.text.as_str())));
    let with_lines = translator.translate(&mut shader, &options).map_err(problems)?.words;
    Ok(Nir { text: &source.text, origins: origins(&with_lines) })
}

/// The problem of a module that ntv made wrongly.
fn internal(error: &impl std::fmt::Display) -> Vec<Problem> {
    vec![Problem::new("internal", error.to_string())]
}
