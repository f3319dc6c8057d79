// SPDX-License-Identifier: MIT

//! The same shader gives the same bytes: after any other shaders, on any number of threads, in the library and in the tool.

#[path = "../../tests/support/mod.rs"]
mod support;

use ntv::{text, EmitOptions, Module, Options, Translator};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository's own dumps, and some of the larger corpus.
fn inputs() -> Vec<PathBuf> {
    let own = support::files(&support::root().join("tests/corpus/mesa"), &["nir"]);
    let shared = support::shared_corpus().map(|corpus| support::files(&corpus, &["nir"])).unwrap_or_default();
    own.into_iter().chain(shared.into_iter().step_by(40)).collect()
}

/// The results of `translator` for the shaders in `file`: words, or the text of the error.
fn translate(translator: &mut Translator, file: &Path) -> Vec<Result<Vec<u32>, String>> {
    let dump = String::from_utf8_lossy(&fs::read(file).expect("a dump")).into_owned();
    let translated = text::find(&dump).map(|found| {
        let module = found.shader.and_then(|mut shader| translator.translate(&mut shader, &EmitOptions::default()));
        module.map(|module| module.words).map_err(|errors| errors.to_string())
    });
    translated.collect()
}

fn translator() -> Translator {
    Translator::new(Options::default())
}

#[test]
fn a_translator_forgets_the_shaders_before() {
    let files = inputs();
    let (mut forwards, mut backwards) = (translator(), translator());
    let first: Vec<_> = files.iter().map(|file| translate(&mut forwards, file)).collect();
    let mut again: Vec<_> = files.iter().rev().map(|file| translate(&mut backwards, file)).collect();
    again.reverse();
    let differ = files.iter().zip(first.iter().zip(&again)).filter(|(_, (first, again))| first != again);
    let differ: Vec<String> = differ.map(|(file, _)| file.display().to_string()).collect();
    assert!(differ.is_empty(), "these differ:\n{}", differ.join("\n"));
    assert!(first.iter().flatten().any(Result::is_ok), "nothing compiles");
}

#[test]
fn the_memory_of_a_module_serves_again() {
    let (mut fresh, mut again, mut module) = (translator(), translator(), Module::default());
    let options = EmitOptions::default().offer(u64::MAX).linkable(true);
    for file in inputs() {
        let dump = String::from_utf8_lossy(&fs::read(&file).expect("a dump")).into_owned();
        for mut shader in text::find(&dump).filter_map(|found| found.shader.ok()) {
            let expected = fresh.translate(&mut shader.clone(), &options).unwrap_or_default();
            let _ = again.translate_to(&mut shader, &options, &mut module);
            assert!(module == expected, "{} differs in the memory of another module", file.display());
        }
    }
    assert!(module != Module::default(), "nothing compiles");
}

/// A translation to words only has the same words, and from the tables only the patch that a driver always needs.
#[test]
fn words_alone_are_the_same_words() {
    let (mut all, mut alone, mut module) = (translator(), translator(), Module::default());
    let options = EmitOptions::default().words_only(true);
    let (mut count, mut with_vertices) = (0, 0);
    for file in inputs() {
        let dump = String::from_utf8_lossy(&fs::read(&file).expect("a dump")).into_owned();
        for mut shader in text::find(&dump).filter_map(|found| found.shader.ok()) {
            let Ok(expected) = all.translate(&mut shader.clone(), &EmitOptions::default()) else { continue };
            alone.translate_to(&mut shader, &options, &mut module).expect("it compiles with tables");
            assert!(module.words == expected.words, "{} has other words", file.display());
            assert_eq!(module.tcs_vertices_out(), expected.tcs_vertices_out());
            let left = [module.ranges.len(), module.conditions.len(), module.interface.len(), module.bindings.len()];
            assert_eq!((left, module.seen, module.offered), ([0; 4], 0, 0), "{}", file.display());
            assert_eq!(module.patches.len(), usize::from(expected.tcs_vertices_out().is_some()));
            count += 1;
            with_vertices += module.patches.len();
        }
    }
    assert!(count > 0 && with_vertices > 0, "{count} shaders, {with_vertices} of tessellation control");
}

#[test]
fn threads_do_not_matter() {
    let files = inputs();
    let alone: Vec<_> = files.iter().map(|file| translate(&mut translator(), file)).collect();
    std::thread::scope(|scope| {
        let work = || files.iter().map(|file| translate(&mut translator(), file)).collect::<Vec<_>>();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            assert!(thread.join().expect("no panic") == alone, "a thread gets other words");
        }
    });
}

#[test]
fn the_number_of_jobs_does_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = inputs();
    let compiled = |name: &str, jobs: &str| {
        let out = folder.path().join(name);
        let input = folder.path().join("in");
        let status = Command::new(env!("CARGO_BIN_EXE_ntv"))
            .args(["compile", "--jobs", jobs, "-o"])
            .args([out.as_path(), input.as_path()])
            .output()
            .expect("ntv runs")
            .status;
        assert!(status.code().is_some_and(|code| code < 2), "{status}");
        let written = support::files(&out, &["spv"]).into_iter();
        let named = written.map(|file| (file.strip_prefix(&out).expect("in it").to_path_buf(), fs::read(&file)));
        named.map(|(name, bytes)| (name, bytes.expect("a module"))).collect::<BTreeMap<_, _>>()
    };
    let input = folder.path().join("in");
    fs::create_dir(&input).expect("a folder");
    for (number, file) in files.iter().enumerate() {
        fs::copy(file, input.join(format!("{number}.nir"))).expect("a copy");
    }
    let one = compiled("one", "1");
    assert!(!one.is_empty(), "nothing compiles");
    assert!(one == compiled("again", "1"), "a second run differs");
    assert!(one == compiled("eight", "8"), "eight threads differ");
}
