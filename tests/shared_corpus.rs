//! Every real dump of a shader without textures, from the corpus beside the repository: it parses, prints and parses to the
//! same text, compiles, and is valid by the strictest rules; also for targets that lack widths of numbers or have the Vulkan
//! memory model.
//!
//! The corpus is too big for the repository; where it is absent, this says so.

// What was not checked has to be visible.
#![allow(clippy::print_stdout)]

mod support;

use ntv::{text, EmitOptions, Feature, Options, Shader, Target, Translator};
use std::fs;
use std::path::Path;

/// The levels of NIR that are whole input: what a driver receives, and that after zink's lowering.
const LEVELS: &[&str] = &["gallium", "ssa"];

/// Targets that every dump is compiled for besides the usual one: what they lack, and what they have.
const VARIATIONS: &[(&[Feature], &[Feature])] = {
    use Feature::*;
    &[
        (&[shaderInt64], &[]),
        (&[shaderInt8, shaderInt16, shaderFloat16], &[]),
        (&[], &[vulkanMemoryModel]),
        (&[], &[vulkanMemoryModel, vulkanMemoryModelDeviceScope]),
    ]
};

#[test]
fn real_dumps_compile() {
    let Some(corpus) = support::shared_corpus() else {
        println!("no corpus beside the repository (NTV_CORPUS names one): nothing checked");
        return;
    };
    let mut files = support::files(&corpus, &["nir", "log"]);
    files.retain(|file| LEVELS.iter().any(|level| file.parent().is_some_and(|folder| folder.ends_with(level))));
    let results = support::in_parallel(files, |file| check_file(&file, file.strip_prefix(&corpus).unwrap_or(&file)));
    let checked: usize = results.iter().flatten().map(|(checked, _)| checked).sum();
    let failures: Vec<&str> = results.iter().flatten().flat_map(|(_, failures)| failures).map(String::as_str).collect();
    let torn = results.iter().filter(|result| result.is_none()).count();
    println!("{checked} shaders of {} files checked; {torn} logs are torn", results.len() - torn);
    assert!(failures.is_empty(), "{} of {checked} shaders fail\n{}", failures.len(), failures.join("\n"));
    assert!(checked > 0, "{} has no dumps", corpus.display());
}

/// How many shaders of `file` were checked, and what is wrong with them; `None` if the dumps in it are broken.
fn check_file(file: &Path, name: &Path) -> Option<(usize, Vec<String>)> {
    let dump = String::from_utf8_lossy(&fs::read(file).expect("a dump")).into_owned();
    if is_torn(&dump) {
        return None;
    }
    let mut checked = 0;
    let mut failures = Vec::new();
    for found in text::parse(&dump) {
        let result = match found.shader {
            Ok(shader) if !wanted(&shader) => continue,
            Ok(shader) => support::caught(|| check_shader(shader)),
            Err(_) if !wanted_by_words(&dump) => continue,
            Err(errors) => Err(errors.0[0].to_string()),
        };
        checked += 1;
        failures.extend(result.err().map(|error| format!("{}:{}: {error}", name.display(), found.line)));
    }
    Some((checked, failures))
}

/// Whether two threads wrote into a log at once, so that one dump, or a message, stands in the middle of another.
fn is_torn(log: &str) -> bool {
    let mut inside = false;
    log.lines().any(|line| {
        let fence = line == "---8<---";
        inside ^= fence;
        inside && !fence && ["NIR shader:", "---8<---", "wrote '"].iter().any(|word| line.contains(word))
    })
}

fn wanted(shader: &Shader) -> bool {
    !support::uses_textures(shader)
}

/// Whether a file of which a shader does not parse ought to: by words of texture instructions.
fn wanted_by_words(dump: &str) -> bool {
    ["(texture_deref)", "image_", "bindless_"].iter().all(|word| !dump.contains(word))
}

fn check_shader(shader: Shader) -> Result<(), String> {
    let printed = text::print(&shader);
    let again = text::parse(&printed).pop().ok_or("printed, it is not found")?.shader;
    let again = again.map_err(|errors| format!("printed, it does not parse: {errors}"))?;
    if text::print(&again) != printed {
        return Err("printed and parsed, it prints differently".to_string());
    }
    let words = compile(&shader, Target::default())?;
    support::spirv_val(&words, Target::default().vulkan)?;
    for (off, on) in VARIATIONS {
        let mut target = Target::default();
        off.iter().for_each(|feature| target.set(*feature, false));
        on.iter().for_each(|feature| target.set(*feature, true));
        let vulkan = target.vulkan;
        let varied = match compile(&shader, target) {
            // 64-bit atomics, inputs and outputs cannot be made of others.
            Err(error) if error.contains("needs feature shaderInt64") => continue,
            varied => varied.map_err(|error| format!("without {off:?}, with {on:?}: {error}"))?,
        };
        if varied != words {
            support::spirv_val(&varied, vulkan).map_err(|error| format!("without {off:?}, with {on:?}: {error}"))?;
        }
    }
    Ok(())
}

fn compile(shader: &Shader, target: Target) -> Result<Vec<u32>, String> {
    let mut translator = Translator::new(Options { target, ..Options::default() });
    let module = translator.translate(&mut shader.clone(), &EmitOptions::default());
    Ok(module.map_err(|errors| errors.0[0].to_string())?.words)
}
