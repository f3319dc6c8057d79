// SPDX-License-Identifier: MIT

//! Every real dump of the larger corpus is parsed, printed and parsed to the same text; it is translated, and valid by the
//! strictest rules. It is translated for targets that lack widths of numbers or have the Vulkan memory model, too, and some of these
//! modules are validated.
//!
//! The only exceptions are dumps that cannot be parsed because another thread wrote into the log meanwhile.
//!
//! The corpus is too large for the repository; if it is missing, the test prints this and is skipped.

// The output must show what was not checked.
#![allow(clippy::print_stdout)]

mod support;

use ntv::{text, EmitOptions, Feature, Options, Shader, Target, Translator};
use spirv::{Capability, Op};
use std::fs;
use std::path::Path;

/// The folders of the levels of NIR: that of the driver, that after zink's lowering, and that after leaving SSA; and the dumps of
/// Mesa 26, whose folders have other names.
const LEVELS: &[&str] = &["gallium", "ssa", "reg"];
const MESA_26: &str = "mesa26";

/// Further targets for every dump: the features that they lack, and the features that they have in addition.
const VARIATIONS: &[(&[Feature], &[Feature])] = {
    use Feature::*;
    &[
        (&[shaderInt64], &[]),
        (&[shaderFloat64], &[]),
        (&[shaderFloat64, shaderInt64], &[]),
        (&[shaderInt8, shaderInt16, shaderFloat16], &[]),
        (&[], &[vulkanMemoryModel]),
        (&[], &[vulkanMemoryModel, vulkanMemoryModelDeviceScope]),
    ]
};

/// One of this number of modules for the further targets is validated, which would take half of the time of the test.
const VALIDATED: u32 = 6;

#[test]
fn real_dumps_compile() {
    let Some(corpus) = support::shared_corpus() else { return };
    let mut files = support::files(&corpus, &["nir", "log"]);
    files.retain(|file| {
        let is_level = |level| file.parent().is_some_and(|folder| folder.ends_with(level));
        LEVELS.iter().any(is_level) || file.starts_with(corpus.join(MESA_26))
    });
    let results = support::in_parallel(files, |file| check_file(&file, file.strip_prefix(&corpus).unwrap_or(&file)));
    let sum = |count: fn(&Outcome) -> usize| results.iter().map(count).sum::<usize>();
    let (checked, torn) = (sum(|it| it.checked), sum(|it| it.torn));
    let failures: Vec<&str> = results.iter().flat_map(|it| &it.failures).map(String::as_str).collect();
    println!("{checked} shaders of {} files checked; {torn} dumps are torn", results.len());
    assert!(failures.is_empty(), "{} of {checked} shaders fail\n{}", failures.len(), failures.join("\n"));
    assert!(checked > 0, "{} has no dumps", corpus.display());
}

/// A missing corpus is skipped, but a folder must be a corpus.
#[test]
fn a_corpus_without_shaders_is_a_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = |name: &str| support::caught(|| Ok(support::corpus_at(&folder.path().join(name))));
    assert_eq!(found("absent"), Ok(None));
    let empty = Err(format!("panics: {} has no shaders", folder.path().join("").display()));
    assert_eq!(found(""), empty);
    fs::write(folder.path().join("a.log"), "Mesa says nothing\n").expect("a file");
    fs::write(folder.path().join("a.txt"), "shader: MESA_SHADER_VERTEX\n").expect("a file");
    assert_eq!(found(""), empty);
    fs::write(folder.path().join("b.log"), "NIR shader:\nshader: MESA_SHADER_VERTEX\n").expect("a file");
    assert_eq!(found(""), Ok(Some(folder.path().join(""))));
}

/// The results of the dumps in a file.
#[derive(Default)]
struct Outcome {
    checked: usize,
    /// Dumps that are not valid NIR, in a log that two threads wrote at once.
    torn: usize,
    failures: Vec<String>,
}

/// Files with shaders that a driver other than zink had before it lowered them, and the reason why they are refused.
const REFUSED: &[(&str, &str)] = &[("mesh/lines_llvmpipe.log", "uniforms outside of blocks are not translated")];

fn check_file(file: &Path, name: &Path) -> Outcome {
    let dump = String::from_utf8_lossy(&fs::read(file).expect("a dump")).into_owned();
    let mut outcome = Outcome::default();
    let is_refused = |error: &String| REFUSED.iter().any(|(end, what)| file.ends_with(end) && error.contains(what));
    for found in text::find(&dump) {
        let result = match found.shader {
            Ok(shader) => support::caught(|| check_shader(shader)),
            Err(_) if is_torn(&dump) => {
                outcome.torn += 1;
                continue;
            }
            Err(errors) => Err(errors.0[0].to_string()),
        };
        outcome.checked += 1;
        outcome.failures.extend(
            result
                .err()
                .filter(|error| !is_refused(error))
                .map(|error| format!("{}:{}: {error}", name.display(), found.line)),
        );
    }
    outcome
}

/// Whether two threads wrote into a log at once, so that one dump, or a message, is in the middle of another.
fn is_torn(log: &str) -> bool {
    let mut inside = false;
    log.lines().any(|line| {
        let fence = line == "---8<---";
        inside ^= fence;
        inside && !fence && ["NIR shader:", "---8<---", "wrote '"].iter().any(|word| line.contains(word))
    })
}

fn check_shader(shader: Shader) -> Result<(), String> {
    let printed = text::print(&shader);
    let again = text::parse(&printed).map_err(|errors| format!("printed, it does not parse: {errors}"))?;
    if text::print(&again) != printed {
        return Err("the text changes when it is printed and parsed".to_string());
    }
    let words = compile(&shader, Target::default())?;
    support::spirv_val(&words, &Target::default())?;
    for (off, on) in VARIATIONS {
        let mut target = Target::default();
        off.iter().for_each(|feature| target.set(*feature, false));
        on.iter().for_each(|feature| target.set(*feature, true));
        let varied = match compile(&shader, target.clone()) {
            // 64-bit atomics, inputs and outputs cannot be lowered.
            Err(error) if off.contains(&Feature::shaderInt64) && is_of_64_bits(&error) => continue,
            varied => varied.map_err(|error| format!("without {off:?}, with {on:?}: {error}"))?,
        };
        if varied != words && support::is_chosen(&varied, VALIDATED) {
            support::spirv_val(&varied, &target).map_err(|error| format!("without {off:?}, with {on:?}: {error}"))?;
        }
        if let Some((_, feature)) = NUMBERS.iter().find(|(cap, f)| off.contains(f) && declares(&varied, *cap)) {
            return Err(format!("without {off:?} it has the numbers of {feature:?}"));
        }
    }
    Ok(())
}

/// Capabilities of widths of numbers.
const NUMBERS: &[(Capability, Feature)] = &[
    (Capability::Float64, Feature::shaderFloat64),
    (Capability::Int64, Feature::shaderInt64),
    (Capability::Int8, Feature::shaderInt8),
    (Capability::Int16, Feature::shaderInt16),
    (Capability::Float16, Feature::shaderFloat16),
];

/// Capabilities come first in a module, after its header of five words.
fn declares(words: &[u32], capability: Capability) -> bool {
    let declarations = words[5..].chunks_exact(2).take_while(|inst| inst[0] == 2 << 16 | Op::Capability as u32);
    declarations.into_iter().any(|inst| inst[1] == capability as u32)
}

fn is_of_64_bits(error: &str) -> bool {
    ["shaderInt64", "shaderFloat64"].iter().any(|feature| error.contains(&format!("needs feature {feature}")))
}

fn compile(shader: &Shader, target: Target) -> Result<Vec<u32>, String> {
    let mut translator = Translator::new(Options::default().target(target));
    let module = translator.translate(&mut shader.clone(), &EmitOptions::default());
    Ok(module.map_err(|errors| errors.0[0].to_string())?.words)
}
