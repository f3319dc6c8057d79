// SPDX-License-Identifier: MIT

//! `ntv variant`, `ntv link` and `ntv import`: modules with their tables, and late changes to them.

use crate::args::{EmitWords, ImportArgs, LinkArgs, ModuleArgs, VariantArgs};
use crate::diagnostics::{count, problems, Problem, Reporter};
use crate::inputs::Input;
use crate::shaders::{each, load, require_blocks, Loaded};
use crate::words::{self, Writer};
use crate::{destination, inputs, names, AllFine};
use anyhow::{ensure, Context as _, Result};
use ntv::link::link;
use ntv::variant::{NumberedModule, Program};
use ntv::{EmitOptions, Key, Module, Options, PushConstants};
use ntv_report::varyings;
use serde_json::json;
use std::path::{Path, PathBuf};

/// `ntv variant`: the words for a key, or the reduction of their size.
pub(crate) fn variant(args: &VariantArgs, reporter: &Reporter) -> Result<AllFine> {
    let key = names::key(&args.key)?;
    let writer = Writer::new(args.emit, &args.modules)?;
    let inputs = inputs::collect(&args.inputs)?;
    if !args.sizes {
        writer.refuse(&inputs, args.output.as_deref())?;
    }
    let (modules, all_fine) = modules(&args.modules, &args.modules.target.options()?, Late::Open, inputs, reporter)?;
    require_reference(&args.modules, &key, &modules)?;
    if args.sizes {
        sizes(&modules, &key, reporter)?;
        return Ok(all_fine);
    }
    let [(path, module)] = &modules[..] else {
        ensure!(!all_fine, "{}: name one, or use --sizes", count(modules.len(), "module"));
        return Ok(false);
    };
    let mut words = Vec::new();
    module.instantiate(&key, &mut words).with_context(|| path.display().to_string())?;
    let (used, unused) = effect(&key, &[module.masked(&key)]);
    reporter.say(&format!("{} for the key `{used}`", count(words.len(), "word")));
    say_unused(&unused, reporter);
    Ok(writer.write(path, &words, args.output.as_deref(), reporter) && all_fine)
}

/// Fails if a key has an alpha test, and no option names the place of its reference for a shader.
fn require_reference(args: &ModuleArgs, key: &Key, modules: &[(PathBuf, Module)]) -> Result<()> {
    let test = Key::new(key.bits & Key::ALPHA_TEST);
    let refuses = |(path, module): &(PathBuf, Module)| words::form(path).is_none() && module.takes(&test).is_err();
    ensure!(
        args.alpha_reference.is_some() || !modules.iter().any(refuses),
        "`alpha_test` in a key needs --alpha-reference OFFSET, the place of the reference in the push constants"
    );
    Ok(())
}

/// The parts of a key that change a module, and those that change none, by the parts that modules depend on.
fn effect(key: &Key, masked: &[Key]) -> (String, String) {
    let name = |part: &str| part.split('=').next().unwrap_or_default().to_string();
    let text = key.to_string();
    let masked: Vec<String> = masked.iter().map(Key::to_string).collect();
    let is_used = |part: &&str| masked.iter().flat_map(|key| key.split(',')).any(|other| name(other) == name(part));
    let parts = text.split(',').filter(|part| !part.is_empty());
    let (used, unused): (Vec<&str>, Vec<&str>) = parts.partition(is_used);
    (used.join(","), unused.join(","))
}

/// Says which parts of a key change nothing.
fn say_unused(unused: &str, reporter: &Reporter) {
    if !unused.is_empty() {
        reporter.say(&format!("`{unused}` changes nothing here"));
    }
}

fn sizes(modules: &[(PathBuf, Module)], key: &Key, reporter: &Reporter) -> Result<()> {
    let (mut before, mut after, mut words, mut out) = (0, 0, Vec::new(), String::new());
    for (path, module) in modules {
        module.instantiate(&Key::default(), &mut words)?;
        let whole = words.len();
        module.instantiate(key, &mut words).with_context(|| path.display().to_string())?;
        let (name, whole_bytes, bytes) = (path.display().to_string(), 4 * whole, 4 * words.len());
        out += &match reporter.is_json() {
            true => format!("{}\n", json!({ "file": name, "bytes": whole_bytes, "bytes_with_key": bytes })),
            false => format!("{whole_bytes:7} {bytes:7} {name}\n"),
        };
        (before, after) = (before + whole, after + words.len());
    }
    destination::print(out.as_bytes())?;
    let percent = 100.0 - 100.0 * after as f64 / before.max(1) as f64;
    let bytes = count(4 * before, "byte");
    reporter.say(&format!("{bytes}, {} for the key `{key}`: {percent:.1} % less", 4 * after));
    Ok(())
}

/// `ntv link`: links stages.
pub(crate) fn link_stages(args: &LinkArgs, reporter: &Reporter) -> Result<AllFine> {
    let key = names::key(&args.key)?;
    let writer = Writer::new(args.emit, &args.modules)?;
    let inputs = inputs::collect(&args.inputs)?;
    let read: Vec<PathBuf> = inputs.iter().map(|input| input.file().to_path_buf()).collect();
    let (mut modules, all_fine) =
        modules(&args.modules, &args.modules.target.options()?, Late::Open, inputs, reporter)?;
    if !all_fine {
        return Ok(false);
    }
    require_reference(&args.modules, &key, &modules)?;
    modules.sort_by_key(|(_, module)| module.stage);
    let repeated = modules.windows(2).any(|pair| pair[0].1.stage == pair[1].1.stage);
    ensure!(!repeated && modules.len() > 1, "a link needs two stages or more, each once");
    let files: Option<Vec<PathBuf>> = args
        .output
        .as_ref()
        .map(|folder| modules.iter().map(|(path, module)| folder.join(writer.file_name(path, module.stage))).collect());
    if let (Some(files), Some(folder)) = (&files, &args.output) {
        ensure!(!folder.exists() || folder.is_dir(), "{}: is a file; -o takes a folder", folder.display());
        let owners = modules.iter().map(|(_, module)| module.stage.name());
        destination::decide(read.iter().map(PathBuf::as_path), owners.zip(files.iter().map(PathBuf::as_path)))?;
    }
    let stages: Vec<&Module> = modules.iter().map(|(_, module)| module).collect();
    let linked = link(&stages, Vec::new())?;
    let shaders = (0..).zip(linked.modules).map(|(id, module)| NumberedModule { id, module: module.into() });
    let program = Program::new(shaders.collect())?;
    let (mut words, mut all_written, mut text, mut masked) = (Vec::new(), true, String::new(), Vec::new());
    for (number, ((path, own), (NumberedModule { module, .. }, key))) in
        modules.iter().zip(program.keys(&key)?).enumerate()
    {
        text += &match reporter.is_json() {
            true => varyings::objects(own, module),
            false => varyings::table(own, module),
        };
        module.instantiate(&key, &mut words)?;
        masked.push(module.masked(&key));
        all_written &= match files.as_ref().map(|files| files[number].as_path()) {
            Some(file) => writer.write(path, &words, Some(file), reporter),
            None => writer.judge(path, &words, reporter),
        };
    }
    destination::print(text.as_bytes())?;
    let [outputs, inputs] = [(linked.removed_outputs, "output"), (linked.removed_inputs, "input")];
    reporter.say(&format!("removed {} and {}", count(outputs.0, outputs.1), count(inputs.0, inputs.1)));
    say_unused(&effect(&key, &masked).1, reporter);
    Ok(all_written)
}

/// `ntv import`: makes a module with tables from any SPIR-V or from a shader.
pub(crate) fn import(args: &ImportArgs, reporter: &Reporter) -> Result<AllFine> {
    let writer = Writer::new(EmitWords::Spirv, &args.modules)?;
    let inputs = inputs::collect(std::slice::from_ref(&args.input))?;
    writer.refuse(&inputs, args.output.as_deref())?;
    let (modules, all_fine) = modules(&args.modules, &args.modules.target.options()?, Late::Open, inputs, reporter)?;
    let [(path, module)] = &modules[..] else {
        ensure!(!all_fine, "{}: name a file with one shader", count(modules.len(), "module"));
        return Ok(false);
    };
    let counts = [
        (module.words.len(), "word"),
        (module.patches.len(), "patch"),
        (module.ranges.len(), "range"),
        (module.interface.len(), "varying"),
        (module.bindings.len(), "descriptor"),
    ];
    let counts: Vec<String> = counts.iter().map(|(number, what)| count(*number, what)).collect();
    reporter.say(&counts.join(", "));
    let mut words = Vec::new();
    module.instantiate(&Key::default(), &mut words)?;
    let written = writer.judge(path, &words, reporter)
        && words::put(path, args.output.as_deref(), &words::to_bytes(&module.to_words()), reporter);
    Ok(written && all_fine)
}

/// Whether modules of shaders have the options of links and draws.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    /// They have all options.
    Open,
    /// They have none, as those of `ntv compile`.
    None,
}

/// The modules of `inputs`: stored ones, imported SPIR-V, and translated shaders. The second value is false if some are missing.
pub(crate) fn modules(
    args: &ModuleArgs,
    options: &Options,
    late: Late,
    inputs: Vec<Input>,
    reporter: &Reporter,
) -> Result<(Vec<(PathBuf, Module)>, AllFine)> {
    let (mut modules, mut all_fine) = (Vec::new(), true);
    let mut inputs = inputs.into_iter().peekable();
    while let Some(input) = inputs.next() {
        let form = |input: &Input| input.path.as_deref().and_then(words::form);
        let (found, fine) = match (form(&input), &input.path) {
            (Some(form), Some(path)) => read(form, path, reporter),
            _ => {
                let mut dumps = vec![input];
                dumps.extend(std::iter::from_fn(|| inputs.next_if(|input| form(input).is_none())));
                translated(args, options, late, load(dumps, reporter), reporter)?
            }
        };
        modules.extend(found);
        all_fine &= fine;
    }
    Ok((modules, all_fine))
}

fn translated(
    args: &ModuleArgs,
    options: &Options,
    late: Late,
    loaded: Loaded,
    reporter: &Reporter,
) -> Result<(Vec<(PathBuf, Module)>, AllFine)> {
    require_blocks(&loaded, options)?;
    let done = each(loaded, options, reporter, |translator, job| -> Result<_, Vec<Problem>> {
        let mut shader = job.shader;
        let lines = args.lines.then_some((job.source.input.name.as_str(), job.source.text.as_str()));
        let pushed = PushConstants { alpha_reference: args.alpha_reference, point_size: args.point_size };
        let options = EmitOptions::default().names(args.names).lines(lines);
        let options = if late == Late::Open { options.offer(u64::MAX).linkable(true) } else { options };
        let options = options.push_constants(pushed);
        let module = translator.translate(&mut shader, &options).map_err(problems)?;
        Ok((PathBuf::from(&job.source.input.name), module))
    });
    let all_fine = done.iter().all(Option::is_some);
    Ok((done.into_iter().flatten().collect(), all_fine))
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
