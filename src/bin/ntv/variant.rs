//! `ntv options`, `ntv variant`, `ntv link` and `ntv import`: modules with their tables, and what becomes of them late.

use crate::args::{ImportArgs, LinkArgs, ModuleArgs, VariantArgs};
use crate::diagnostics::{problems, Problem, Reporter};
use crate::shaders::{each, load, Loaded};
use crate::{destination, inputs, validate, AllFine};
use anyhow::{bail, ensure, Context as _, Result};
use ntv::link::link;
use ntv::module::{Stage, OPTIONS};
use ntv::variant::{Program, Shader};
use ntv::{EmitOptions, Key, Module, Options};
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// `ntv options`: the table of all that a driver learns late.
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

/// `ntv variant`: the words for a key, or how much shorter they are.
pub(crate) fn variant(args: &VariantArgs, reporter: &Reporter) -> Result<AllFine> {
    let key = Key::parse(&args.key).map_err(anyhow::Error::msg)?;
    let (modules, all_fine) = modules(&args.modules, &args.inputs, reporter)?;
    if args.sizes {
        sizes(&modules, &key, reporter)?;
        return Ok(all_fine);
    }
    let [module] = &modules[..] else { bail!("{} modules: name one, or ask for --sizes", modules.len()) };
    let mut words = Vec::new();
    module.1.instantiate(&key, &mut words)?;
    if args.modules.validate {
        validate::require()?;
        let target = args.modules.target.options()?.target;
        validate::module(&bytes(&words), &target)?;
    }
    let seen = module.1.masked(&key);
    reporter.say(&format!("{} words for the key `{seen}`", words.len()));
    write(args.output.as_deref(), &words)?;
    Ok(all_fine)
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

/// `ntv link`: stages that know each other.
pub(crate) fn link_stages(args: &LinkArgs, reporter: &Reporter) -> Result<AllFine> {
    let key = Key::parse(&args.key).map_err(anyhow::Error::msg)?;
    let (mut modules, all_fine) = modules(&args.modules, &args.inputs, reporter)?;
    if !all_fine {
        return Ok(false);
    }
    modules.sort_by_key(|(_, module)| module.stage);
    let repeated = modules.windows(2).any(|pair| pair[0].1.stage == pair[1].1.stage);
    ensure!(!repeated && modules.len() > 1, "a link wants two stages or more, each once");
    let stages: Vec<&Module> = modules.iter().map(|(_, module)| module).collect();
    let linked = link(&stages, Vec::new())?;
    let shaders = (0..).zip(linked.modules).map(|(id, module)| Shader { id, module: module.into() });
    let program = Program::new(shaders.collect())?;
    let mut words = Vec::new();
    for ((path, _), (Shader { module, .. }, key)) in modules.iter().zip(program.keys(&key)?) {
        module.instantiate(&key, &mut words)?;
        if args.modules.validate {
            validate::require()?;
            validate::module(&bytes(&words), &args.modules.target.options()?.target)?;
        }
        let varyings = module.interface.iter().filter(|varying| !varying.removed && varying.builtin.is_none());
        let places =
            varyings.map(|varying| format!("{} {}", if varying.is_output { "out" } else { "in" }, varying.location));
        writeln!(io::stdout(), "{}: {}", module.stage.name(), places.collect::<Vec<_>>().join(", "))?;
        if let Some(folder) = &args.output {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let file = folder.join(format!("{stem}.{}.spv", module.stage.name()));
            write(Some(&file), &words)?;
        }
    }
    reporter.say(&format!("removed {} outputs and {} inputs", linked.removed_outputs, linked.removed_inputs));
    Ok(true)
}

/// `ntv import`: a module with tables, of SPIR-V from anywhere or of a shader.
pub(crate) fn import(args: &ImportArgs, reporter: &Reporter) -> Result<AllFine> {
    let (modules, all_fine) = modules(&args.modules, std::slice::from_ref(&args.input), reporter)?;
    let [(_, module)] = &modules[..] else { return Ok(false) };
    reporter.say(&format!(
        "{} words, {} patches, {} ranges, {} varyings, {} descriptors",
        module.words.len(),
        module.patches.len(),
        module.ranges.len(),
        module.interface.len(),
        module.bindings.len()
    ));
    write(args.output.as_deref(), &module.to_words())?;
    Ok(all_fine)
}

/// The modules of `paths`: stored ones, SPIR-V that is imported, and shaders that are translated. False if some are missing.
fn modules(args: &ModuleArgs, paths: &[PathBuf], reporter: &Reporter) -> Result<(Vec<(PathBuf, Module)>, AllFine)> {
    let options = args.target.options()?;
    let (mut modules, mut all_fine) = (Vec::new(), true);
    for path in paths {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("ntvm") => modules.push((path.clone(), Module::from_words(&words(path)?)?)),
            Some("spv") => modules.push((path.clone(), ntv::import::import(&words(path)?)?)),
            _ => {
                let loaded = load(inputs::collect(std::slice::from_ref(path))?, reporter);
                let (found, fine) = translated(args, &options, loaded, reporter);
                modules.extend(found);
                all_fine &= fine;
            }
        }
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
        let options = EmitOptions { names: args.names, lines, offer: u64::MAX, linkable: true, decided: None };
        let module = translator.translate(&mut shader, &options).map_err(problems)?;
        Ok((PathBuf::from(&job.source.input.name), module))
    });
    let all_fine = done.iter().all(Option::is_some);
    (done.into_iter().flatten().collect(), all_fine)
}

/// The words of a file.
fn words(path: &Path) -> Result<Vec<u32>> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    ensure!(bytes.len() % 4 == 0, "{}: not a number of words", path.display());
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))).collect();
    if words.first() == Some(&spirv::MAGIC_NUMBER.swap_bytes()) {
        words.iter_mut().for_each(|word| *word = word.swap_bytes());
    }
    Ok(words)
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Writes `words` to a file, or to stdout if that is none and no terminal.
fn write(path: Option<&Path>, words: &[u32]) -> Result<()> {
    let Some(path) = path else {
        ensure!(!io::stdout().is_terminal(), "the result is binary: name a file with -o");
        return Ok(io::stdout().write_all(&bytes(words))?);
    };
    destination::write(path, &bytes(words)).with_context(|| path.display().to_string())
}
