//! A shader that comes as words is the shader that came as text, and becomes the same SPIR-V.
//!
//! Over the dumps of this repository always; over a corpus of real dumps where there is one (`NTV_CORPUS`, or
//! `../shared/corpus`).

mod support;

use ntv::{text, wire, EmitOptions, Options, Shader, Target, Translator};
use std::fs;
use std::path::{Path, PathBuf};

/// The shaders in a file that text can hold.
fn shaders(path: &Path) -> Vec<Shader> {
    let source = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let found = text::parse(&String::from_utf8_lossy(&source));
    found.into_iter().filter_map(|found| found.shader.ok()).collect()
}

/// What goes wrong with `shader`; `decoder` has read others before.
fn fault(shader: &Shader, decoder: &mut wire::Decoder, translate: bool) -> Option<String> {
    let mut again = Shader::default();
    let words = wire::encode(shader);
    if let Err(error) = decoder.decode(&words, &mut again) {
        return Some(error.to_string());
    }
    if again != *shader {
        return Some("changed".into());
    }
    if wire::encode(&again) != wire::encode(&wire::decode(&words).ok()?) {
        return Some("is another when read by a new decoder".into());
    }
    if !translate {
        return None;
    }
    let mut translator = Translator::new(Options { target: Target::default(), ..Options::default() });
    let mut words = |mut shader: Shader| {
        let module = translator.translate(&mut shader, &EmitOptions { names: true, ..EmitOptions::default() });
        module.map(|module| module.words).map_err(|errors| errors.0.len())
    };
    (words(shader.clone()) != words(again)).then(|| "has other words".into())
}

/// The faults of all files, and how many shaders they have.
fn faults(files: Vec<PathBuf>, translate: bool) -> (Vec<String>, usize) {
    let per_file = support::in_parallel(files, |path| {
        let mut decoder = wire::Decoder::default();
        let shaders = shaders(&path);
        let found = shaders.iter().filter_map(|shader| fault(shader, &mut decoder, translate));
        (found.map(|fault| format!("{}: {fault}", path.display())).collect::<Vec<_>>(), shaders.len())
    });
    let count = per_file.iter().map(|(_, count)| count).sum();
    (per_file.into_iter().flat_map(|(faults, _)| faults).collect(), count)
}

#[test]
fn own_dumps_survive() {
    let mut files = support::files(&support::root().join("tests"), &["nir", "log"]);
    files.extend(support::files(&support::root().join("examples"), &["nir"]));
    let (faults, count) = faults(files, true);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 200, "only {count} shaders");
}

#[test]
fn corpus_survives() {
    let Some(folder) = support::shared_corpus() else { return };
    let (faults, count) = faults(support::files(&folder, &["nir", "log"]), false);
    assert!(count > 1000, "{} is no corpus: {count} shaders", folder.display());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(60)].join("\n"));
}

#[test]
fn no_value_is_larger_than_what_holds_it() {
    let text = include_str!("../examples/ubo_loop.nir");
    let words = wire::encode(&text::parse(text).remove(0).shader.expect("a shader"));
    // Where the first word of an instruction has components and bits.
    for (field, value) in [(0x1f << 16, 17 << 16), (0x7f << 21, 65 << 21), (0x7f << 21, 0)] {
        for at in 0..words.len() {
            let mut words = words.clone();
            words[at] = words[at] & !field | value;
            let Ok(shader) = wire::decode(&words) else { continue };
            let too_large = shader
                .insts
                .values()
                .find(|inst| inst.num_components > 16 || inst.bit_size > 64 || inst.has_def() && inst.bit_size == 0);
            assert!(too_large.is_none(), "word {at}: {too_large:?}");
            text::print(&shader);
        }
    }
}
