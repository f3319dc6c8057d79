// SPDX-License-Identifier: MIT

//! Properties of every shader, tested on random ones.
//!
//! All properties together take a minute at most; `NTV_SECONDS=600` makes them ten, and `NTV_SEEDS=100000` tests this number of
//! shaders on all cores, without a time limit. Shaders are numbered, and every failure has the number; `NTV_SEED=N` tests only
//! shader N and prints it.

#![allow(clippy::print_stdout)]

mod support;

use ntv::ir::{Inst, InstKind, Stage, XfbInfo, XfbOutput};
use ntv::op::names::IoSemantics;
use ntv::op::{Index, Intrinsic, Props};
use ntv::pass::{BufferAccess, Context, Pass, PIPELINE};
use ntv::plan::{Class, Placement, Placements};
use ntv::target::Version;
use ntv::{check, raise, text, wire, EmitOptions, Feature, Options, Shader, Target, Translator};
use ntv_gen::{difference, shader_of_seed, stimulus_of_seed, Observation, Purpose, Random};
use ntv_interp::{FaultKind, Limits};
use std::time::{Duration, Instant};

const LIMITS: Limits = Limits { instructions: 1_000_000, components: 1 << 22 };
const LOWERED_LIMITS: Limits = Limits { instructions: 40_000_000, ..LIMITS };

/// The number of tests that share the time.
const TESTS: u64 = 6;
/// The most shaders of a test without an environment variable: the same on every machine that is fast enough.
const SHADERS: u64 = 1000;

/// A property: returns an error, or whether the shader was a meaningful test.
type Property<'a> = &'a mut dyn FnMut(u64, &Shader) -> Result<bool, String>;
/// A property that several threads may try.
type SharedProperty<'a> = &'a (dyn Fn(u64, &Shader) -> Result<bool, String> + Sync);

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Tests `property` on one shader after the other until the time is over.
fn try_all(name: &str, purpose: Purpose, property: Property<'_>) {
    if let Some(seed) = number("NTV_SEED") {
        let shader = shader_of_seed(seed, purpose);
        println!("{}", text::print(&shader));
        property(seed, &shader).unwrap_or_else(|problem| panic!("{name}, shader {seed}: {problem}"));
        return;
    }
    let asked = number("NTV_SECONDS");
    let (seconds, most) = (asked.unwrap_or(60) / TESTS, asked.map_or(SHADERS, |_| u64::MAX));
    let end = Instant::now() + Duration::from_secs(seconds.max(1));
    let (mut tried, mut told) = (0, 0);
    while tried < most && Instant::now() < end {
        let shader = shader_of_seed(tried, purpose);
        match support::caught(|| property(tried, &shader)) {
            Ok(tells) => told += u64::from(tells),
            Err(problem) => {
                panic!("shader {tried}: {problem}\nagain: NTV_SEED={tried} cargo test --test properties {name}")
            }
        }
        tried += 1;
    }
    println!("{name}: {tried} shaders in at most {seconds} s, {told} of them meaningful");
    assert!(told > tried / 2, "{name}: the generator makes too many shaders that are not meaningful");
}

/// Tries a property that threads may share, for the number of shaders in `NTV_SEEDS` if it is set.
fn try_shared(name: &str, purpose: Purpose, property: SharedProperty<'_>) {
    match number("NTV_SEEDS") {
        Some(count) => try_many(name, purpose, count, property),
        None => try_all(name, purpose, &mut |seed, shader| property(seed, shader)),
    }
}

/// Tests `property` on the first `count` shaders on all cores, and reports all failures.
fn try_many(name: &str, purpose: Purpose, count: u64, property: SharedProperty<'_>) {
    const SHARE: u64 = 100;
    let start = Instant::now();
    let shares = (0..count).step_by(SHARE as usize).collect();
    let found = support::in_parallel(shares, |first: u64| {
        let seeds = first..(first + SHARE).min(count);
        seeds.map(|seed| (seed, support::caught(|| property(seed, &shader_of_seed(seed, purpose))))).collect::<Vec<_>>()
    });
    let found = || found.iter().flatten();
    let told = found().filter(|(_, result)| *result == Ok(true)).count();
    let problems: Vec<String> =
        found().filter_map(|(seed, result)| Some(format!("shader {seed}: {}", result.as_ref().err()?))).collect();
    println!("{name}: {count} shaders in {} s, {told} of them meaningful", start.elapsed().as_secs());
    let shown = problems.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(problems.is_empty(), "{name}: {} of {count} shaders fail, the first of them\n{shown}", problems.len());
}

#[test]
fn shaders_are_valid_and_supported() {
    try_shared("shaders_are_valid_and_supported", Purpose::Interpreter, &|_, shader| {
        check::validate(shader).map_err(|errors| errors.to_string())?;
        check::supported(shader, &Target::default()).map_err(|errors| errors.to_string())?;
        Ok(true)
    });
}

#[test]
fn shaders_survive_printing() {
    try_shared("shaders_survive_printing", Purpose::Interpreter, &|_, shader| {
        let printed = text::print(shader);
        let again = text::parse(&printed).map_err(|errors| errors.to_string())?;
        if again != *shader {
            return Err(format!("it changed to\n{}", text::print(&again)));
        }
        if text::print(&again) != printed {
            return Err("the printed text differs".to_string());
        }
        Ok(true)
    });
}

#[test]
fn shaders_survive_the_wire() {
    try_shared("shaders_survive_the_wire", Purpose::Interpreter, &|_, shader| {
        let again = wire::decode(&wire::encode(shader)).map_err(|error| error.to_string())?;
        match again == *shader && text::print(&again) == text::print(shader) {
            true => Ok(true),
            false => Err(format!("it changed to\n{}", text::print(&again))),
        }
    });
}

#[test]
fn passes_keep_validity_and_meaning() {
    try_shared("passes_keep_validity_and_meaning", Purpose::Interpreter, &|seed, shader| {
        let context = context(seed);
        if check::supported(shader, &context.target).is_err() || rounds_elsewhere(shader, &context.target) {
            return Ok(false);
        }
        let stimulus = stimulus_of_seed(shader, seed, Purpose::Interpreter);
        let mut shader = shader.clone();
        capture(&mut shader, seed);
        let before = Observation::new(&shader, &stimulus, LIMITS);
        if before.undefined_behaviour().is_some() || before.has_race() {
            return Ok(false);
        }
        raise::raise(&mut shader, &context.target.descriptors).map_err(|errors| errors.to_string())?;
        for pass in PIPELINE {
            if pass.apply(&mut shader, &context) {
                check::validate(&shader).map_err(|errors| format!("invalid after {}: {errors}", pass.name))?;
                let after = Observation::new(&shader, &stimulus, LOWERED_LIMITS);
                if let Some(found) = difference(&before, &after) {
                    return Err(format!("after {}: {found}", pass.name));
                }
            }
        }
        Ok(true)
    });
}

/// The granularity in bytes of the sizes of uniform blocks, as the driver guarantees it.
fn granularity(target: &Target) -> usize {
    if target.uniform_ranges_in_vec4s {
        16
    } else {
        4
    }
}

#[test]
fn passes_keep_where_memory_is_accessed() {
    let purpose = Purpose::Offsets;
    try_shared("passes_keep_where_memory_is_accessed", purpose, &|seed, shader| {
        check::validate(shader).map_err(|errors| errors.to_string())?;
        let context = context(seed);
        if check::supported(shader, &context.target).is_err() {
            return Ok(false);
        }
        let mut stimulus = stimulus_of_seed(shader, seed, purpose);
        let outcome = Observation::new(shader, &stimulus, LIMITS).outcome;
        stimulus.cut(shader, &outcome, granularity(&context.target));
        let before = Observation::new(shader, &stimulus, LIMITS);
        match before.undefined_behaviour() {
            // Something that was loaded at an undefined address became a condition.
            Some(fault) if fault.kind == FaultKind::UndefinedCondition => return Ok(false),
            Some(fault) => return Err(format!("the generator made a fault: {fault}")),
            None => {}
        }
        let check = |passes: &[Pass]| {
            let mut lowered = shader.clone();
            raise::raise(&mut lowered, &context.target.descriptors).map_err(|errors| errors.to_string())?;
            for pass in passes {
                pass.apply(&mut lowered, &context);
            }
            check::validate(&lowered).map_err(|errors| errors.to_string())?;
            difference(&before, &Observation::new(&lowered, &stimulus, LOWERED_LIMITS)).map_or(Ok(true), Err)
        };
        check(PIPELINE).map_err(|problem| {
            let first = (1..=PIPELINE.len()).find(|count| check(&PIPELINE[..*count]).is_err());
            let name = first.map_or("all passes", |count| PIPELINE[count - 1].name);
            format!("after {name}: {problem}")
        })
    });
}

#[test]
fn modules_are_valid() {
    try_shared("modules_are_valid", Purpose::Interpreter, &|seed, shader| {
        let Context { target, buffer_access, .. } = context(seed);
        let options = Options::default().target(target.clone()).buffer_access(buffer_access);
        let module = Translator::new(options).translate(&mut shader.clone(), &EmitOptions::default());
        match module {
            Ok(module) => support::spirv_val(&module.words, &target).map(|()| true),
            Err(errors) if errors.0.iter().all(|error| error.kind == ntv::ErrorKind::Unsupported) => Ok(false),
            Err(errors) => Err(errors.to_string()),
        }
    });
}

/// Captures random components of the outputs of a vertex shader in a random order.
fn capture(shader: &mut Shader, seed: u64) {
    let mut random = Random::new(seed ^ 0xca97);
    if shader.stage() != Stage::Vertex || random.below(2) == 0 {
        return;
    }
    let stores = shader.order.iter().filter(|inst| is_store(shader, **inst));
    let location = |store: &Inst| IoSemantics::unpack(shader.index(*store, Index::io_semantics)).location;
    let locations: Vec<u32> = stores.map(location).collect();
    let mut ends = [0; XfbInfo::BUFFERS];
    for location in locations {
        let (buffer, component) = (random.below(2) as u32, random.below(4) as u8);
        let num_components = 1 + random.below(4 - u64::from(component)) as u8;
        let end = &mut ends[buffer as usize];
        let output = XfbOutput { buffer, offset: *end, location, component, num_components };
        let is_new = (component..component + num_components).all(|c| shader.xfb_info.captured(location, c).is_none());
        if is_new {
            // Sometimes there is a gap.
            *end += 4 * (u32::from(num_components) + random.below(2) as u32);
            shader.xfb_info.add(output);
        }
    }
    for (buffer, end) in shader.xfb_info.buffers.iter_mut().zip(ends) {
        buffer.stride = end;
    }
}

fn is_store(shader: &Shader, inst: Inst) -> bool {
    matches!(shader.as_intrinsic(inst), Some((Intrinsic::store_output, _)))
}

/// Whether a function of 16-bit floats is computed in 32 bits on `target`, so that its last bit may differ.
fn rounds_elsewhere(shader: &Shader, target: &Target) -> bool {
    let is_function = |inst: &Inst| match shader.insts[*inst].kind {
        InstKind::Alu { op, srcs, .. } => {
            op.info().props.contains(Props::IMPRECISE)
                && shader.alu_srcs[srcs].iter().any(|src| shader.bit_size(src.def) == 16)
        }
        _ => false,
    };
    !target.has(Feature::shaderFloat16) && shader.order.iter().any(is_function)
}

/// A target and a plan that follow from `seed`: a target of any version, half of the time without some of its features.
fn context(seed: u64) -> Context {
    let mut random = Random::new(!seed);
    let mut target = Target::new(random.pick(&[Version(1, 0), Version(1, 1), Version(1, 2), Version(1, 3)]));
    let buffer_access = random.pick(&[BufferAccess::Auto, BufferAccess::Lane]);
    // Rarely, because fewer faults can be found with it.
    target.uniform_ranges_in_vec4s = random.below(4) == 0;
    if random.below(2) == 0 {
        for feature in Feature::ALL {
            if random.below(4) == 0 {
                target.set(*feature, false);
            }
        }
    }
    target.set(Feature::uniformBufferStandardLayout, random.below(2) == 0);
    let mut placements = Placements::default();
    for block in 0..4 {
        if random.below(4) == 0 {
            let clamp = random.below(2) == 0;
            placements.set(block, Placement { class: Class::Storage, range: u32::MAX, clamp });
        }
    }
    Context { target, buffer_access, placements, ..Context::default() }
}
