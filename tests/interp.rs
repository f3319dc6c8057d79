// SPDX-License-Identifier: MIT

//! Every pass keeps the results of a shader: dumps run on the interpreter before and after each pass, on the same random inputs.
//!
//! A run with undefined results, for example because it accesses memory out of bounds or branches on an undefined value, is not
//! compared; the number of such runs is printed. `NTV_SEEDS=FIRST..END` selects the inputs.

#![allow(clippy::print_stdout)]

mod support;

use ntv::op::Facts;
use ntv::pass::{Context, PIPELINE};
use ntv::plan::{Class, Placement};
use ntv::raise::{self, say_offset_units};
use ntv::{check, text, Feature, Shader, Target};
use ntv_gen::{difference, Observation, Stimulus};
use ntv_interp::draw::{draw, Draw};
use ntv_interp::{run, Buffer, FaultKind, Floats, Inputs, Limits, Resources};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

/// The limits of an original shader. Lowering may replace one instruction by several.
const LIMITS: Limits = Limits { instructions: 100_000, components: 1 << 22 };
const LOWERED_LIMITS: Limits = Limits { instructions: 40 * LIMITS.instructions, ..LIMITS };

/// The features that targets lack for which shaders with values of these widths are lowered, besides the target that lacks none.
const TARGETS: &[(&[u8], &[Feature])] = {
    use Feature::*;
    &[
        (&[64], &[shaderInt64]),
        (&[64], &[shaderFloat64]),
        (&[64], &[shaderFloat64, shaderInt64]),
        (&[8, 16], &[shaderInt8, shaderInt16, shaderFloat16]),
    ]
};

/// The results of the shaders of a folder.
#[derive(Default)]
struct Tally {
    shaders: usize,
    compared: usize,
    /// Runs with undefined results, by fault.
    meaningless: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.shaders += other.shaders;
        self.compared += other.compared;
        other.meaningless.into_iter().for_each(|(why, count)| *self.meaningless.entry(why).or_default() += count);
    }
}

#[test]
fn corpus() {
    let tally = check_folder(&support::root().join("tests/corpus"), 0..3);
    assert!(tally.compared > 200, "only {} runs had a meaning", tally.compared);
    let tally = check_folder(&support::root().join("examples"), 0..8);
    assert!(tally.compared > 8, "only {} runs of examples had a meaning", tally.compared);
}

#[test]
fn shared_corpus() {
    if let Some(folder) = support::shared_corpus() {
        let tally = check_folder(&folder, 0..1);
        assert!(tally.compared > 1000, "only {} runs had a meaning", tally.compared);
    }
}

fn check_folder(folder: &Path, seeds: Range<u64>) -> Tally {
    let seeds = asked_seeds().unwrap_or(seeds);
    let tried = Mutex::default();
    let results = support::in_parallel(support::files(folder, &["nir", "log"]), |file| {
        let mut tally = Tally::default();
        let result = support::caught(|| check_file(&file, &seeds, &tried, &mut tally));
        (tally, result.err().map(|problem| format!("{}, {problem}", file.display())))
    });
    let mut total = Tally::default();
    let mut failures = Vec::new();
    for (tally, failure) in results {
        total.add(tally);
        failures.extend(failure);
    }
    println!("{}: {} shaders, {} runs compared", folder.display(), total.shaders, total.compared);
    total.meaningless.iter().for_each(|(why, count)| println!("{count:6} without meaning: {why}"));
    assert!(failures.is_empty(), "{} files differ\n{}", failures.len(), failures.join("\n"));
    total
}

fn asked_seeds() -> Option<Range<u64>> {
    let asked = std::env::var("NTV_SEEDS").ok()?;
    let (first, end) = asked.split_once("..")?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

/// `tried` has the texts of the shaders that ran: many logs have the same shader again.
fn check_file(
    file: &Path,
    seeds: &Range<u64>,
    tried: &Mutex<HashSet<String>>,
    tally: &mut Tally,
) -> Result<(), String> {
    let text = std::fs::read(file).map_err(|error| error.to_string())?;
    for found in text::find(&String::from_utf8_lossy(&text)) {
        let Ok(mut shader) = found.shader else { continue };
        if check::validate(&shader).and_then(|()| check::supported(&shader, &Target::default())).is_err() {
            continue;
        }
        say_offset_units(&mut shader);
        if !tried.lock().expect("no panic holds it").insert(text::print(&shader)) {
            continue;
        }
        tally.shaders += 1;
        for seed in seeds.clone() {
            check_shader(&shader, seed, tally)
                .map_err(|problem| format!("the shader at line {}, seed {seed}: {problem}", found.line))?;
        }
    }
    Ok(())
}

fn check_shader(original: &Shader, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let stimulus = Stimulus::new(original, seed);
    let before = Observation::new(original, &stimulus, LIMITS);
    if let Some(fault) = before.undefined_behaviour() {
        let detail = match fault.kind {
            FaultKind::Unsupported | FaultKind::MissingInput => format!(", {}", fault.message),
            _ => String::new(),
        };
        *tally.meaningless.entry(format!("{:?}{detail}", fault.kind)).or_default() += 1;
        return Ok(());
    }
    let has_width = |width: &u8| original.inventory().may_have(Facts::widths(*width));
    let lacking = TARGETS.iter().filter(|(widths, _)| widths.iter().any(has_width)).map(|(_, off)| *off);
    for off in [&[][..]].into_iter().chain(lacking) {
        let mut context = Context::default();
        off.iter().for_each(|feature| context.target.set(*feature, false));
        if check::supported(original, &context.target).is_err() {
            continue;
        }
        let says = check_passes(original, &stimulus, &before, &context);
        if !says.map_err(|found| format!("without {off:?}, {found}"))? {
            *tally.meaningless.entry("Race".to_string()).or_default() += 1;
            return Ok(());
        }
    }
    tally.compared += 1;
    Ok(())
}

/// Returns false if the results are undefined, because invocations race.
fn check_passes(
    original: &Shader,
    stimulus: &Stimulus,
    before: &Observation,
    context: &Context,
) -> Result<bool, String> {
    let mut shader = original.clone();
    raise::raise(&mut shader, &context.target.descriptors).map_err(|errors| errors.to_string())?;
    if let Some(found) = difference(before, &Observation::new(&shader, stimulus, LOWERED_LIMITS)) {
        match before.has_race() {
            true => return Ok(false),
            false => return Err(format!("raised: {found}")),
        }
    }
    for pass in PIPELINE {
        if !pass.apply(&mut shader, context) {
            continue;
        }
        let after = Observation::new(&shader, stimulus, LOWERED_LIMITS);
        match difference(before, &after) {
            None => {}
            // The order of two invocations may change with every instruction.
            Some(_) if before.has_race() => return Ok(false),
            Some(found) => return Err(format!("after {}: {found}", pass.name)),
        }
    }
    Ok(true)
}

fn parse(dump: &str) -> Vec<Shader> {
    text::find(dump).map(|parsed| parsed.shader.unwrap_or_else(|errors| panic!("{errors}"))).collect()
}

/// `shader` after all passes.
fn lowered(shader: &Shader, context: &Context) -> Shader {
    let mut shader = shader.clone();
    raise::raise(&mut shader, &context.target.descriptors).expect("a raised shader");
    for pass in PIPELINE {
        pass.apply(&mut shader, context);
    }
    shader
}

#[test]
fn a_lowered_pipeline_captures_the_same_words() {
    for (name, attributes) in [("feedback", 2), ("feedback_geometry", 2)] {
        let path = support::root().join(format!("tests/corpus/run/{name}.nir"));
        let shaders = parse(&std::fs::read_to_string(path).unwrap());
        let word = |n: u32| (n as f32 / 32.0 - 1.0).to_bits();
        let attributes: Vec<(u32, Vec<[u32; 4]>)> = (0..attributes)
            .map(|location| (location, (0..4).map(|v| [v, v + 4, v + 8, v + 12].map(word)).collect()))
            .collect();
        let captures = |shaders: &[Shader]| {
            let draw_of = Draw {
                shaders,
                vertices: 4,
                instances: 1,
                patch_vertices: 0,
                attributes: &attributes,
                size: [4, 1],
                targets: &[],
                captures: &[80, 80],
                floats: Floats::Nir,
            };
            draw(&draw_of, &mut Resources::default(), LIMITS).unwrap().captures
        };
        let expected = captures(&shaders);
        assert!(expected[0].iter().any(|byte| *byte != 0), "{name}: nothing is captured");
        let after: Vec<Shader> = shaders.iter().map(|shader| lowered(shader, &Context::default())).collect();
        assert_eq!(captures(&after), expected, "{name}");
    }
}

#[test]
fn a_uniform_block_in_a_storage_buffer_is_not_the_storage_block_of_its_number() {
    let dump = "\
shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
num_ubos: 1
num_ssbos: 1
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
    32     %2 = load_const (0x0000000c)
    32     %3 = iand %1, %2
    32     %4 = @load_ubo (%0, %3) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)
    32     %5 = load_const (0x00000010)
    @store_ssbo (%4, %0, %5) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}
";
    let original = &parse(dump)[0];
    let mut context = Context::default();
    context.placements.set(0, Placement { class: Class::Storage, range: 16, clamp: true });
    for shader in [original, &lowered(original, &context)] {
        let mut resources = Resources {
            uniform: vec![Buffer::new((100..116).collect())],
            storage: vec![Buffer::new(vec![8; 32])],
            ..Resources::default()
        };
        let outcome = run(shader, &mut resources, &Inputs::default(), LIMITS);
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        assert_eq!(resources.storage[0].bytes[16..20], [108, 109, 110, 111]);
    }
}
