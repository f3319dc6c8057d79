// SPDX-License-Identifier: MIT

//! Printing and parsing a shader gives the same shader, also after each pass.
//!
//! The test always covers the dumps of this repository, and a corpus of real dumps if there is one (`NTV_CORPUS`, or
//! `../shared/corpus`).

mod support;

use ntv::capture::BackEnd;
use ntv::pass::{Context, PIPELINE};
use ntv::plan::{Class, Placement};
use ntv::text::{self, Found};
use ntv::{check, Errors, Feature, Shader};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The dumps and logs below `folder`.
fn dumps(folder: &Path) -> Vec<PathBuf> {
    support::files(folder, &["nir", "log"])
}

/// True for a log into which two threads wrote at once: other text begins in the middle of a line or of a shader.
fn is_garbled(log: &str) -> bool {
    let intruders = ["NIR shader:", "wrote 'dump"];
    let mut in_shader = false;
    log.lines().any(|line| {
        in_shader = line.starts_with("shader: ") || in_shader && line != "}";
        intruders.iter().any(|text| line.find(text).is_some_and(|at| at > 0 || in_shader))
    })
}

/// The faults of a file: errors of each shader, and shaders that change.
fn faults(path: &Path) -> Vec<String> {
    let source = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let source = String::from_utf8_lossy(&source);
    let found = text::find(&source);
    let mut faults = Vec::new();
    // A log may have no shader.
    let expected = source.lines().filter(|line| line.starts_with("shader: ")).count();
    if found.len() != expected {
        faults.push(format!("{}: {} shaders instead of {expected}", path.display(), found.len()));
    }
    for Found { line, shader, .. } in found {
        let shader = match shader {
            Ok(shader) => shader,
            Err(_) if is_garbled(&source) => continue,
            Err(Errors(errors)) => {
                faults.push(format!("{}: shader at {line}: {}", path.display(), errors[0]));
                continue;
            }
        };
        faults.extend(fault(&shader).map(|fault| format!("{}: shader at {line} {fault}", path.display())));
    }
    faults
}

/// What is wrong with `shader` after it was printed and read.
fn fault(shader: &Shader) -> Option<String> {
    let printed = text::print(shader);
    match text::parse(&printed) {
        Ok(again) if again == *shader => (text::print(&again) != printed).then(|| "prints differently".to_string()),
        Ok(_) => Some("changed".to_string()),
        Err(errors) => Some(format!("is printed with an error: {}", errors.0[0])),
    }
}

#[test]
fn own_dumps_survive() {
    let mut checked = 0;
    for folder in ["tests", "examples"] {
        for path in dumps(&support::root().join(folder)) {
            // Tests of the validator are wrong on purpose.
            if !path.parent().is_some_and(|parent| parent.ends_with("check")) {
                assert_eq!(faults(&path), Vec::<String>::new());
                checked += 1;
            }
        }
    }
    assert!(checked > 250, "only {checked} files");
}

/// Contexts that together need all passes.
fn contexts() -> Vec<(&'static str, Context)> {
    use Feature::*;
    let lacking = [
        shaderFloat64,
        shaderInt64,
        shaderInt8,
        shaderInt16,
        shaderFloat16,
        shaderUniformBufferArrayDynamicIndexing,
        shaderStorageBufferArrayDynamicIndexing,
    ];
    let mut few = Context::default();
    lacking.iter().for_each(|feature| few.target.set(*feature, false));
    let placed = |blocks: Range<u32>, class| {
        let mut context = Context::default();
        blocks.for_each(|block| context.placements.set(block, Placement { class, ..Placement::default() }));
        context
    };
    vec![
        ("all features", Context::default()),
        ("few features", few),
        ("blocks in storage", placed(0..4, Class::Storage)),
        ("a block in push constants", placed(1..2, Class::PushConstant { offset: 0 })),
        ("stored captures", Context { captures: BackEnd::Storage, ..Context::default() }),
    ]
}

/// The faults of a file's shaders after each pass that changes them.
fn faults_of_passes(path: &Path) -> (usize, Vec<String>) {
    let source = String::from_utf8_lossy(&fs::read(path).expect("a dump")).into_owned();
    let (mut compared, mut faults) = (0, Vec::new());
    for Found { line, shader, .. } in text::find(&source) {
        let Ok(shader) = shader else { continue };
        for (name, context) in contexts() {
            if check::validate(&shader).and_then(|()| check::supported(&shader, &context.target)).is_err() {
                continue;
            }
            let mut shader = shader.clone();
            for pass in PIPELINE {
                if pass.apply(&mut shader, &context) {
                    compared += 1;
                    let wrong = fault(&shader);
                    let pass = pass.name;
                    faults.extend(
                        wrong.map(|fault| format!("{}: shader at {line} {fault} after {pass}, {name}", path.display())),
                    );
                }
            }
        }
    }
    (compared, faults)
}

#[test]
fn own_dumps_survive_after_each_pass() {
    let results = support::in_parallel(dumps(&support::root().join("tests/corpus")), |path| faults_of_passes(&path));
    let compared: usize = results.iter().map(|result| result.0).sum();
    let faults: Vec<&String> = results.iter().flat_map(|result| &result.1).collect();
    assert!(faults.is_empty(), "{} of {compared}: {faults:#?}", faults.len());
    assert!(compared > 1000, "only {compared}");
}

#[test]
fn corpus_survives() {
    let Some(folder) = support::shared_corpus() else { return };
    let files = dumps(&folder);
    assert!(files.len() > 100, "{} is no corpus", folder.display());
    let faults: Vec<String> = files.iter().flat_map(|path| faults(path)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(60)].join("\n"));
}

/// A line without the parts that the IR does not keep: the names that intrinsics print at the end.
fn without_name(line: &str) -> &str {
    let is_io = line.contains("io location=") || line.contains("@load_uniform");
    line.split_once("  // ").filter(|_| is_io).map_or(line, |(line, _)| line).trim_end()
}

/// Whether Mesa prints something other than ours: it leaves out the name of a slot, or a matrix has an explicit layout, which is
/// an array of its columns in the IR.
fn is_printed_otherwise(line: &str) -> bool {
    line.contains("@load_per_vertex_output") || line.contains("mat") && line.contains("a0B")
}

/// Whether the values of a dump are numbered in order, as in a dump that no pass has changed after its values were numbered.
fn is_in_order(dump: &str) -> bool {
    let defs = dump.lines().filter_map(|line| line.split_once(" = ")).filter_map(|(def, _)| def.rsplit_once('%'));
    defs.enumerate().all(|(i, (_, number))| number.parse() == Ok(i))
}

#[test]
fn corpus_is_printed_as_mesa_does() {
    let Some(folder) = support::shared_corpus() else { return };
    let mut compared = 0;
    for path in dumps(&folder).iter().filter(|path| path.extension().is_some_and(|e| e == "nir")) {
        let dump = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if !is_in_order(&dump) {
            continue;
        }
        let Ok(shader) = text::parse(&dump) else { continue };
        let ours = text::print(&shader);
        let lines = dump.lines().zip(ours.lines()).filter(|(line, _)| !is_printed_otherwise(line));
        for (line, our_line) in lines {
            assert_eq!(without_name(our_line), without_name(line), "{}", path.display());
        }
        assert_eq!(ours.trim_end().lines().count(), dump.trim_end().lines().count(), "{}", path.display());
        compared += 1;
    }
    assert!(compared > 1000, "only {compared} dumps have their values in order");
}
