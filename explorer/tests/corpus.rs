// SPDX-License-Identifier: MIT

//! Every shader of the corpus and of the examples through `explore`: the words are those of ntv, and the origins are lines of the
//! shader.

#[path = "../../tests/support/mod.rs"]
mod support;

use base64::prelude::{Engine as _, BASE64_STANDARD};
use ntv::ir::{Inst, LineNumber, Shader};
use ntv::op::Intrinsic;
use ntv::{text, BufferAccess, EmitOptions, Errors, Feature, Options, Translator};
use ntv_explorer::api::{Answer, Entry, Options as Choices, Request, Target};
use ntv_explorer::{explore, shaders};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A target with options of the page, and the same for the library.
struct Setting {
    target: Target,
    choices: Choices,
    options: Options,
    emit: EmitOptions<'static>,
}

fn settings() -> [Setting; 3] {
    let preset = |name: &str| ntv::Target::preset(name).expect("a preset");
    let named = |name: &str| Target { preset: name.to_string(), ..Target::default() };
    let mut weak = preset("vulkan1.3");
    weak.set(Feature::shaderFloat64, false);
    weak.set(Feature::shaderInt64, false);
    let disable = vec!["shaderFloat64".to_string(), "shaderInt64".to_string()];
    [
        Setting {
            target: named("vulkan1.3"),
            choices: Choices::default(),
            options: Options::default().target(preset("vulkan1.3")),
            emit: EmitOptions::default(),
        },
        Setting {
            target: Target { disable, ..named("vulkan1.3") },
            choices: Choices { lane_access: true, ..Choices::default() },
            options: Options::default().target(weak).buffer_access(BufferAccess::Lane),
            emit: EmitOptions::default(),
        },
        Setting {
            target: named("vulkan1.0"),
            choices: Choices { names: true, captures: "storage".to_string(), ..Choices::default() },
            options: Options::default().target(preset("vulkan1.0")).captures(ntv::capture::BackEnd::Storage),
            emit: EmitOptions::default().names(true),
        },
    ]
}

#[test]
fn words_are_those_of_the_library_and_origins_are_lines_of_the_shader() {
    let root = support::root();
    let mut files = support::files(&root.join("tests/corpus"), &["nir"]);
    files.extend(support::files(&root.join("examples"), &["nir"]));
    let results = support::in_parallel(files, |file| {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        check_file(&file).map_err(|message| format!("{name}: {message}"))
    });
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} files fail\n{failures:#?}", failures.len());
    let sum = |count: fn(&Checked) -> usize| results.iter().flatten().map(count).sum::<usize>();
    let [modules, accesses, marks] = [sum(|it| it.modules), sum(|it| it.accesses), sum(|it| it.marks)];
    assert!(modules > 1000, "only {modules} modules were compared");
    // The others are unused, read a vec4 that was loaded before, are constant (reads beyond the end of a block), or combined with
    // another.
    assert!(marks * 100 > accesses * 93, "only {marks} of {accesses} accesses have something in the SPIR-V");
}

/// What was compared.
#[derive(Default)]
struct Checked {
    modules: usize,
    /// Accesses to memory.
    accesses: usize,
    /// Accesses that have something in the SPIR-V.
    marks: usize,
}

/// Checks all shaders of a file.
fn check_file(file: &Path) -> Result<Checked, String> {
    let dump = String::from_utf8_lossy(&fs::read(file).expect("a dump")).into_owned();
    let found: Vec<_> = text::find(&dump).collect();
    let entries: Vec<Entry> = serde_json::from_str(&shaders(&dump)).expect("a list");
    let lines: Vec<u32> = entries.iter().map(|entry| entry.first_line).collect();
    expect(lines == found.iter().map(|shader| shader.line).collect::<Vec<_>>(), "another list of shaders")?;
    let settings = settings();
    let mut sum = Checked::default();
    for (number, found) in (0..).zip(found) {
        for setting in &settings {
            let (target, options) = (setting.target.clone(), setting.choices.clone());
            let request = Request { text: dump.clone(), shader: number, target, options, key: String::new() };
            let request = serde_json::to_string(&request).expect("a request");
            let answer = support::caught(|| Ok(explore(&request)))?;
            let answer: Answer = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
            let checked = match &found.shader {
                Ok(shader) => check_answer(shader, &entries[number as usize], setting, &answer)?,
                Err(errors) => same_problems(errors, &answer)?,
            };
            sum.modules += checked.modules;
            sum.accesses += checked.accesses;
            sum.marks += checked.marks;
        }
    }
    Ok(sum)
}

fn expect(condition: bool, message: &str) -> Result<(), String> {
    condition.then_some(()).ok_or_else(|| message.to_string())
}

/// Compares the answer with a translation by the library.
fn check_answer(shader: &Shader, entry: &Entry, setting: &Setting, answer: &Answer) -> Result<Checked, String> {
    let mut translator = Translator::new(setting.options.clone());
    let mut lowered = shader.clone();
    let module = match translator.translate(&mut lowered, &setting.emit) {
        Ok(module) => module,
        Err(errors) => return same_problems(&errors, answer),
    };
    expect(answer.problems.is_empty(), &format!("{:?}", answer.problems))?;
    let spirv = answer.spirv.as_ref().ok_or("no SPIR-V")?;
    let bytes = BASE64_STANDARD.decode(&spirv.words).map_err(|error| error.to_string())?;
    expect(bytes == support::bytes(&module.words), "other words than those of the library")?;
    let counts = answer.counts.as_ref().ok_or("no counts")?;
    expect(counts.with.words as usize == module.words.len(), "another number of words")?;

    let last = answer.passes.iter().rfind(|pass| pass.changed).ok_or("no pass")?;
    let printed: Vec<&str> = last.lines.iter().map(|line| line.text.as_str()).collect();
    expect(text::print(&lowered).lines().eq(printed), "the last pass leaves another shader than the library")?;

    let of_passes = answer.passes.iter().flat_map(|pass| &pass.lines).map(|line| line.origin);
    let of_spirv = spirv.lines.iter().map(|line| line.origin);
    let known: BTreeSet<u32> = shader.order.iter().map(|inst| shader.lines[*inst].0).collect();
    for origin in of_passes.chain(of_spirv.clone()).flatten() {
        let is_inside = (entry.first_line..=entry.last_line).contains(&origin);
        expect(is_inside && known.contains(&origin), &format!("line {origin} has no instruction of the shader"))?;
    }
    // What stores to a buffer after the last pass has something in the SPIR-V. Other instructions may be unused or copies, or read
    // what was loaded before, and stores of components of an output are combined.
    let stores =
        last.lines.iter().filter(|line| ["@store_deref", "@deref_atomic"].iter().any(|op| line.text.contains(op)));
    let left: BTreeSet<u32> = stores.filter_map(|line| line.origin).collect();
    let marked: BTreeSet<u32> = of_spirv.flatten().collect();
    let to_buffers = lines_of(shader, &[Intrinsic::store_ssbo]);
    let lost: Vec<&u32> = to_buffers.intersection(&left).filter(|line| !marked.contains(line)).collect();
    expect(lost.is_empty(), &format!("nothing of the SPIR-V comes from lines {lost:?}"))?;
    let accesses = lines_of(shader, &[Intrinsic::load_ubo, Intrinsic::store_ssbo, Intrinsic::store_output]);
    let marks = accesses.intersection(&marked).count();
    Ok(Checked { modules: 1, accesses: accesses.len(), marks })
}

/// The lines of instructions with these opcodes.
fn lines_of(shader: &Shader, ops: &[Intrinsic]) -> BTreeSet<u32> {
    let is_one = |inst: &&Inst| shader.as_intrinsic(**inst).is_some_and(|(op, _)| ops.contains(&op));
    let lines = shader.order.iter().filter(is_one).map(|inst| shader.lines[*inst]);
    lines.filter(|line| *line != LineNumber(0)).map(|line| line.0).collect()
}

/// Expects the problems that the library has.
fn same_problems(errors: &Errors, answer: &Answer) -> Result<Checked, String> {
    let of_library: Vec<(&str, u32, Option<String>)> =
        errors.0.iter().map(|error| (error.message.as_str(), error.place.line, error.advice())).collect();
    let of_answer: Vec<(&str, u32, Option<String>)> =
        answer.problems.iter().map(|problem| (problem.message.as_str(), problem.line, problem.help.clone())).collect();
    expect(of_answer == of_library, &format!("{of_answer:?} instead of {of_library:?}"))?;
    expect(answer.spirv.is_none(), "SPIR-V of a wrong shader")?;
    Ok(Checked::default())
}
