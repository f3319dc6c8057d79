// SPDX-License-Identifier: MIT

//! Printing and parsing a shader gives the same shader.
//!
//! The test always covers the dumps of this repository, and a corpus of real dumps if there is one (`NTV_CORPUS`, or
//! `../shared/corpus`).

mod support;

use ntv::text::{self, Found};
use ntv::Errors;
use std::fs;
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
    let found = text::parse(&source);
    let mut faults = Vec::new();
    // A log may have no shader.
    let expected = source.lines().filter(|line| line.starts_with("shader: ")).count();
    if found.len() != expected {
        faults.push(format!("{}: {} shaders instead of {expected}", path.display(), found.len()));
    }
    for Found { line, shader } in found {
        let shader = match shader {
            Ok(shader) => shader,
            Err(_) if is_garbled(&source) => continue,
            Err(Errors(errors)) => {
                faults.push(format!("{}: shader at {line}: {}", path.display(), errors[0]));
                continue;
            }
        };
        let printed = text::print(&shader);
        match &mut text::parse(&printed)[..] {
            [Found { shader: Ok(again), .. }] if *again == shader => {
                let printed_again = text::print(again);
                if printed_again != printed {
                    faults.push(format!("{}: shader at {line} prints differently", path.display()));
                }
            }
            [Found { shader: Ok(_), .. }] => faults.push(format!("{}: shader at {line} changed", path.display())),
            [Found { shader: Err(errors), .. }] => {
                faults.push(format!("{}: shader at {line}: printed: {}", path.display(), errors.0[0]));
            }
            _ => faults.push(format!("{}: shader at {line} is not printed as one shader", path.display())),
        }
    }
    faults
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
        let Some(Ok(shader)) = text::parse(&dump).pop().map(|found| found.shader) else { continue };
        // Mesa does not print the name of this slot.
        let ours = text::print(&shader);
        let lines = dump.lines().zip(ours.lines()).filter(|(line, _)| !line.contains("@load_per_vertex_output"));
        for (line, our_line) in lines {
            assert_eq!(without_name(our_line), without_name(line), "{}", path.display());
        }
        assert_eq!(ours.trim_end().lines().count(), dump.trim_end().lines().count(), "{}", path.display());
        compared += 1;
    }
    assert!(compared > 1000, "only {compared} dumps have their values in order");
}
