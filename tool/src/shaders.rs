// SPDX-License-Identifier: MIT

//! Reads the shaders of the inputs and processes each, in parallel; results have the order of the inputs.

use crate::diagnostics::{problems, Problem, Reporter};
use crate::inputs::{Compiled, Input};
use crate::{glsl, recognize};
use anyhow::{ensure, Result};
use ntv::plan::survey;
use ntv::{check, raise, text, wire};
use ntv::{Options, Shader, Translator};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;

/// An input and its contents.
pub(crate) struct Source {
    /// The input.
    pub(crate) input: Input,
    /// Its text, empty if it cannot be read or is not text.
    pub(crate) text: String,
}

/// A shader of an input; or an input without shaders, which counts as a shader that failed.
pub(crate) struct Unit {
    /// The number of the input.
    pub(crate) source: usize,
    /// The number of the shader in its input; `None` if the input has no shader, or only one.
    pub(crate) number: Option<usize>,
    /// The line on which it starts.
    pub(crate) line: u32,
    /// The shader.
    pub(crate) shader: Result<Shader, Vec<Problem>>,
    /// What was ignored in its text.
    notes: Vec<Problem>,
}

impl Unit {
    /// The only unit of an input.
    fn whole(source: usize, shader: Result<Shader, Vec<Problem>>) -> Unit {
        Unit { source, number: None, line: 0, shader, notes: Vec::new() }
    }
}

/// All inputs and their shaders.
pub(crate) struct Loaded {
    /// The inputs.
    pub(crate) sources: Vec<Source>,
    /// The shaders, in the order of the inputs.
    pub(crate) units: Vec<Unit>,
}

/// Reads and parses `inputs`. NIR of a Vulkan driver becomes that of a Gallium driver.
pub(crate) fn load(inputs: Vec<Input>, reporter: &Reporter) -> Loaded {
    let mut loaded = load_as_written(inputs, reporter);
    for unit in &mut loaded.units {
        if let Some(shader) = unit.shader.as_mut().ok().filter(|shader| raise::is_of_vulkan(shader)) {
            let raised = check::validate(shader).and_then(|()| raise::raise(shader, &Default::default()));
            unit.shader = raised.map_err(problems).map(|()| std::mem::take(shader));
        }
    }
    loaded
}

/// Reads and parses `inputs`.
pub(crate) fn load_as_written(inputs: Vec<Input>, reporter: &Reporter) -> Loaded {
    let inputs = glsl::compile(inputs, reporter);
    let bar = reporter.bar(inputs.len(), "reading");
    let parsed: Vec<(Source, Vec<Unit>)> = inputs
        .into_par_iter()
        .enumerate()
        .map(|(source, mut input)| {
            let (text, units) = match input.compiled.take() {
                Some(Compiled { text, problems: Some(problems) }) => (text, vec![Unit::whole(source, Err(problems))]),
                Some(Compiled { text, problems: None }) => parse(Ok(text.into_bytes()), source),
                None => parse(input.read(), source),
            };
            bar.inc(1);
            (Source { input, text }, units)
        })
        .collect();
    bar.finish_and_clear();
    let (sources, units): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
    let loaded = Loaded { sources, units: units.into_iter().flatten().collect() };
    loaded.report_notes(reporter);
    loaded
}

impl Loaded {
    /// Reports each note once: the shaders of a log mostly have the same header fields.
    fn report_notes(&self, reporter: &Reporter) {
        let mut seen = BTreeSet::new();
        for unit in &self.units {
            let Source { input, text } = &self.sources[unit.source];
            for note in unit.notes.iter().filter(|note| seen.insert(note.message.as_str())) {
                reporter.note(&input.name, text, unit.number, note);
            }
        }
    }
}

fn parse(contents: io::Result<Vec<u8>>, source: usize) -> (String, Vec<Unit>) {
    let failed = |problem| vec![Unit::whole(source, Err(vec![problem]))];
    let bytes = match contents {
        Ok(bytes) => bytes,
        Err(error) => return (String::new(), failed(Problem::new("io", format!("cannot read: {error}")))),
    };
    if wire::is_wire(&bytes) {
        let shader = wire::from_bytes(&bytes).and_then(|words| wire::decode(&words));
        let shader = shader.map_err(|error| problems(error.into()));
        return (String::new(), vec![Unit::whole(source, shader)]);
    }
    // Bytes that are not UTF-8 become replacement characters, so that a wrong byte in a log costs only one character.
    let (text, damaged) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(error.into_bytes())),
    };
    let found = text::find(&text);
    if found.len() == 0 {
        let message = recognize::message(damaged.as_deref().unwrap_or(text.as_bytes()), &text);
        return (text, failed(Problem::new("syntax", message)));
    }
    let several = found.len() > 1;
    let unit = |(number, found): (usize, text::Found)| Unit {
        source,
        number: several.then_some(number),
        line: found.line,
        shader: found.shader.map_err(problems),
        notes: found.notes.into_iter().map(Problem::from).collect(),
    };
    let units = found.enumerate().map(unit).collect();
    (text, units)
}

/// A shader to work on, and its origin.
pub(crate) struct Job<'a> {
    /// Its input.
    pub(crate) source: &'a Source,
    /// Its index among all shaders.
    pub(crate) index: usize,
    /// The shader.
    pub(crate) shader: Shader,
}

/// The result of the work on a unit.
struct Done<T> {
    source: usize,
    number: Option<usize>,
    result: Result<T, Vec<Problem>>,
}

/// Does `work` on every shader, reports problems, and returns the results of the shaders without problems.
pub(crate) fn each<T: Send>(
    loaded: Loaded,
    options: &Options,
    reporter: &Reporter,
    work: impl Fn(&mut Translator, Job<'_>) -> Result<T, Vec<Problem>> + Sync,
) -> Vec<Option<T>> {
    let Loaded { sources, units } = loaded;
    let bar = reporter.bar(units.len(), "working");
    let done: Vec<Done<T>> = units
        .into_par_iter()
        .enumerate()
        .map_init(
            || Translator::new(options.clone()),
            |translator, (index, Unit { source, number, shader, .. })| {
                let job = |shader| Job { source: &sources[source], index, shader };
                let result = shader.and_then(|shader| work(translator, job(shader)));
                bar.inc(1);
                Done { source, number, result }
            },
        )
        .collect();
    bar.finish_and_clear();
    let report = |Done { source, number, result }: Done<T>| {
        let Source { input, text } = &sources[source];
        let complain = |problem: &Problem| reporter.problem(&input.name, text, number, problem);
        result.inspect_err(|problems| problems.iter().for_each(complain)).ok()
    };
    done.into_iter().map(report).collect()
}

/// Whether all shaders are valid; reports problems if not.
pub(crate) fn all_valid(loaded: &Loaded, reporter: &Reporter) -> bool {
    let mut fine = true;
    for unit in &loaded.units {
        let checked = match &unit.shader {
            Ok(shader) => check::validate(shader).map_err(problems),
            Err(_) => Ok(()),
        };
        let source = &loaded.sources[unit.source];
        let complaints =
            unit.shader.as_ref().err().into_iter().flatten().chain(checked.as_ref().err().into_iter().flatten());
        for problem in complaints {
            fine = false;
            reporter.problem(&source.input.name, &source.text, unit.number, problem);
        }
    }
    fine
}

/// Fails if the options place a uniform block that no shader reads.
pub(crate) fn require_blocks(loaded: &Loaded, options: &Options) -> Result<()> {
    if options.placements.is_empty() {
        return Ok(());
    }
    let shaders = loaded.units.iter().filter_map(|unit| unit.shader.as_ref().ok());
    let mut blocks: Vec<u32> = shaders.flat_map(|shader| survey(shader).uses).map(|used| used.slot).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let known = || blocks.iter().map(u32::to_string).collect::<Vec<String>>().join(", ");
    for (block, _) in options.placements.iter() {
        let is_there = blocks.contains(&block) || loaded.units.iter().any(|unit| unit.shader.is_err());
        ensure!(!blocks.is_empty() || is_there, "--place: there is no uniform block {block}: no shader reads any");
        ensure!(is_there, "--place: there is no uniform block {block}; shaders read: {}", known());
    }
    Ok(())
}
