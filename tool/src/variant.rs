// SPDX-License-Identifier: MIT

//! `ntv options`, `ntv variant`, `ntv link` and `ntv import`: modules with their tables, and late changes to them.

use crate::args::{EmitWords, ImportArgs, LinkArgs, ModuleArgs, VariantArgs};
use crate::diagnostics::{problems, Problem, Reporter};
use crate::shaders::{each, load, Loaded};
use crate::words::{self, Writer};
use crate::{inputs, names, AllFine};
use anyhow::{ensure, Context as _, Result};
use ntv::link::link;
use ntv::module::{Stage, OPTIONS};
use ntv::variant::{Program, Shader};
use ntv::{EmitOptions, Key, Module, Options, PushConstants};
use ntv_report::varyings;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// `ntv options`: the table of the options that are known only at link or draw time.
pub(crate) fn options() -> Result<AllFine> {
    let mut out = io::stdout().lock();
    for row in OPTIONS {
        let stages = Stage::ALL.iter().filter(|stage| row.stages & stage.bit() != 0);
        let stages: Vec<&str> = stages.map(|stage| stage.name()).collect();
        let stages = if stages.len() == Stage::ALL.len() { "all".to_string() } else { stages.join(" ") };
        writeln!(out, "{:30} {:15} {}\n{:30} {}", row.name, row.mechanism.name(), stages, "", row.why)?;
    }
    Ok(true)
}

/// `ntv variant`: the words for a key, or the reduction of their size.
pub(crate) fn variant(args: &VariantArgs, reporter: &Reporter) -> Result<AllFine> {
    let key = names::key(&args.key)?;
    let writer = Writer::new(args.emit, &args.modules)?;
    if !args.sizes {
        writer.refuse(&args.inputs, args.output.as_deref())?;
    }
    let (modules, all_fine) = modules(&args.modules, &args.inputs, reporter)?;
    if args.sizes {
        sizes(&modules, &key, reporter)?;
        return Ok(all_fine);
    }
    let [(path, module)] = &modules[..] else {
        ensure!(!all_fine, "{} modules: name one, or use --sizes", modules.len());
        return Ok(false);
    };
    let mut words = Vec::new();
    module.instantiate(&key, &mut words).with_context(|| path.display().to_string())?;
    reporter.say(&format!("{} words for the key `{}`", words.len(), module.masked(&key)));
    Ok(writer.write(path, &words, args.output.as_deref(), reporter) && all_fine)
}

fn sizes(modules: &[(PathBuf, Module)], key: &Key, reporter: &Reporter) -> Result<()> {
    let (mut before, mut after, mut words) = (0, 0, Vec::new());
    for (path, module) in modules {
        module.instantiate(&Key::default(), &mut words)?;
        let whole = words.len();
        module.instantiate(key, &mut words).with_context(|| path.display().to_string())?;
        writeln!(io::stdout(), "{:7} {:7} {}", 4 * whole, 4 * words.len(), path.display())?;
        (before, after) = (before + whole, after + words.len());
    }
    let percent = 100.0 - 100.0 * after as f64 / before.max(1) as f64;
    reporter.say(&format!("{} bytes, {} for the key `{key}`: {percent:.1} % less", 4 * before, 4 * after));
    Ok(())
}

/// `ntv link`: links stages.
pub(crate) fn link_stages(args: &LinkArgs, reporter: &Reporter) -> Result<AllFine> {
    let key = names::key(&args.key)?;
    let writer = Writer::new(args.emit, &args.modules)?;
    let (mut modules, all_fine) = modules(&args.modules, &args.inputs, reporter)?;
    if !all_fine {
        return Ok(false);
    }
    modules.sort_by_key(|(_, module)| module.stage);
    let repeated = modules.windows(2).any(|pair| pair[0].1.stage == pair[1].1.stage);
    ensure!(!repeated && modules.len() > 1, "a link needs two stages or more, each once");
    let stages: Vec<&Module> = modules.iter().map(|(_, module)| module).collect();
    let linked = link(&stages, Vec::new())?;
    let shaders = (0..).zip(linked.modules).map(|(id, module)| Shader { id, module: module.into() });
    let program = Program::new(shaders.collect())?;
    let (mut words, mut all_written) = (Vec::new(), true);
    for ((path, own), (Shader { module, .. }, key)) in modules.iter().zip(program.keys(&key)?) {
        write!(io::stdout(), "{}", varyings::table(own, module))?;
        module.instantiate(&key, &mut words)?;
        let file = args.output.as_ref().map(|folder| folder.join(writer.file_name(path, module.stage)));
        all_written &= match &file {
            Some(file) => writer.write(path, &words, Some(file), reporter),
            None => writer.judge(path, &words, reporter),
        };
    }
    reporter.say(&format!("removed {} outputs and {} inputs", linked.removed_outputs, linked.removed_inputs));
    Ok(all_written)
}

/// `ntv import`: makes a module with tables from any SPIR-V or from a shader.
pub(crate) fn import(args: &ImportArgs, reporter: &Reporter) -> Result<AllFine> {
    let writer = Writer::new(EmitWords::Spirv, &args.modules)?;
    let inputs = std::slice::from_ref(&args.input);
    writer.refuse(inputs, args.output.as_deref())?;
    let (modules, all_fine) = modules(&args.modules, inputs, reporter)?;
    let [(path, module)] = &modules[..] else {
        ensure!(!all_fine, "{} modules: name a file with one shader", modules.len());
        return Ok(false);
    };
    reporter.say(&format!(
        "{} words, {} patches, {} ranges, {} varyings, {} descriptors",
        module.words.len(),
        module.patches.len(),
        module.ranges.len(),
        module.interface.len(),
        module.bindings.len()
    ));
    let mut words = Vec::new();
    module.instantiate(&Key::default(), &mut words)?;
    let written = writer.judge(path, &words, reporter)
        && words::put(path, args.output.as_deref(), &words::to_bytes(&module.to_words()), reporter);
    Ok(written && all_fine)
}

/// The modules of `paths`: stored ones, imported SPIR-V, and translated shaders. The second value is false if some are missing.
fn modules(args: &ModuleArgs, paths: &[PathBuf], reporter: &Reporter) -> Result<(Vec<(PathBuf, Module)>, AllFine)> {
    let options = args.target.options()?;
    let (mut modules, mut all_fine) = (Vec::new(), true);
    for path in paths {
        let collected = inputs::collect(std::slice::from_ref(path))?;
        let (found, fine) = match words::form(path) {
            Some(form) => read(form, path, reporter),
            None => translated(args, &options, load(collected, reporter), reporter),
        };
        modules.extend(found);
        all_fine &= fine;
    }
    Ok((modules, all_fine))
}

fn translated(
    args: &ModuleArgs,
    options: &Options,
    loaded: Loaded,
    reporter: &Reporter,
) -> (Vec<(PathBuf, Module)>, AllFine) {
    let done = each(loaded, options, reporter, |translator, job| -> Result<_, Vec<Problem>> {
        let mut shader = job.shader;
        let lines = args.lines.then_some((job.source.input.name.as_str(), job.source.text.as_str()));
        let pushed = PushConstants { alpha_reference: args.alpha_reference, point_size: args.point_size };
        let options = EmitOptions::default().names(args.names).lines(lines).offer(u64::MAX).linkable(true);
        let options = options.push_constants(pushed);
        let module = translator.translate(&mut shader, &options).map_err(problems)?;
        Ok((PathBuf::from(&job.source.input.name), module))
    });
    let all_fine = done.iter().all(Option::is_some);
    (done.into_iter().flatten().collect(), all_fine)
}

/// The module in a file of words; reports an error if it has none.
fn read(form: words::Form, path: &Path, reporter: &Reporter) -> (Vec<(PathBuf, Module)>, AllFine) {
    match words::read(form, path) {
        Ok(module) => (vec![(path.to_path_buf(), module)], true),
        Err(problem) => {
            reporter.whole(path, &problem);
            (Vec::new(), false)
        }
    }
}
