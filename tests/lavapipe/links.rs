// SPDX-License-Identifier: MIT

//! Random programs, linked and for random keys: they have the results of the interpreter, without a message of the validation
//! layer.

#![allow(clippy::print_stdout)]

use crate::stages::shader;
use crate::support;
use ntv::link::link;
use ntv::module::Assignment;
use ntv::{EmitOptions, Key, Module, Options, Shader, Translator};
use ntv_driver::headless::{Device, DeviceOptions};
use ntv_gen::oracle::{Oracle, Verdict};
use ntv_gen::{program_of_seed, stimulus_of_seed, Purpose, Random};

/// The seeds: those of draws (see `program_of_seed`), and some compute shaders.
const SEEDS: u64 = 480;

/// The number of threads, each with its own device.
const WORKERS: usize = 4;

/// Bits of a key that do not change the results.
const INVISIBLE: u64 = Key::STRIP | Key::EARLY_FRAGMENT_TESTS | Key::NO_CAPTURE | Key::SAMPLE_SHADING | Key::POINT_SIZE;

#[test]
fn linked_variants_compute_the_same_and_are_valid() {
    let results = support::in_parallel((0..WORKERS).collect(), |worker| {
        let options = DeviceOptions { name: Some("llvmpipe".into()), validation: true, ..DeviceOptions::default() };
        let device = Device::open(&options).expect("lavapipe and the validation layer");
        let mut oracle = Oracle::new(device);
        let seeds = (0..SEEDS).filter(|seed| seed % 4 == 3 || seed % 16 == 0);
        let own = seeds.skip(worker).step_by(WORKERS);
        own.map(|seed| (seed, try_program(&mut oracle, seed))).collect::<Vec<_>>()
    });
    let mut counts = [0; 3];
    for (seed, (removed, result)) in results.into_iter().flatten() {
        match result {
            Ok(compared) => counts[usize::from(compared)] += 1,
            Err(problem) => panic!("seed {seed}: {problem}"),
        }
        counts[2] += removed;
    }
    println!("{} programs compared, {} are not; {} varyings went", counts[1], counts[0], counts[2]);
    assert!(counts[1] > 100 && counts[2] > 20, "{counts:?}");
}

/// Stages that write and read different components of a slot: a link declares those that are not written.
#[test]
fn links_declare_components_that_are_only_read() {
    let options = DeviceOptions { name: Some("llvmpipe".into()), validation: true, ..DeviceOptions::default() };
    let mut oracle = Oracle::new(Device::open(&options).expect("lavapipe and the validation layer"));
    let vertex = |components: usize, first: usize| {
        let mask = &"xyzw"[..components];
        let vector = if components == 1 { String::new() } else { format!("x{components}") };
        let position = "wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1";
        shader("VERTEX", "", &format!("    32x4 %1 = load_const (0x00000000, 0x00000000, 0x00000000, 0x3f800000)\n    32{vector} %2 = mov %1.{}\n    32 %3 = mov %1.w\n    @store_output (%3, %0) (base=2, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PSIZ slots=1)\n    @store_output (%1, %0) (base=0, range=1, {position})\n    @store_output (%2, %0) (base=1, range=1, wrmask={mask}, component={first}, src_type=uint32, io location=VARYING_SLOT_VAR2 slots=1)\n", &"wwww"[..components]))
    };
    let fragment = |used: usize| {
        let used = &"xyzw"[used..=used];
        shader("FRAGMENT", "", &format!("    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=uint32, io location=VARYING_SLOT_VAR2 slots=1)\n    32x4 %2 = vec4 %1.{used}, %0, %0, %0\n    @store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=uint32, io location=FRAG_RESULT_DATA0 slots=1)\n"))
    };
    for (components, first) in [(1, 0), (2, 0), (3, 0), (2, 2), (1, 3)] {
        let program = [vertex(components, first), fragment(first)];
        let stimulus = stimulus_of_seed(&program[0], 3, Purpose::Driver);
        oracle.compare(&program, &stimulus);
        let without = oracle.device().take_messages().join("\n");
        assert!(
            without.contains("InputNotProduced") || without.contains("08743"),
            "the layer finds nothing: {without}"
        );
        // All points are on one pixel, so only the messages count.
        let _ = oracle.compare_linked(&program, &stimulus);
        assert_eq!(oracle.device().take_messages(), Vec::<String>::new(), "{components} from {first} on");
    }
}

/// The number of removed varyings, and whether results were compared.
fn try_program(oracle: &mut Oracle, seed: u64) -> (usize, Result<bool, String>) {
    let program = program_of_seed(seed);
    let stimulus = stimulus_of_seed(&program[0], seed, Purpose::Driver);
    // Programs with undefined results, or for which the driver has a fault, are excluded.
    if !matches!(oracle.compare(&program, &stimulus), Verdict::Same(_)) {
        return (0, Ok(false));
    }
    oracle.device().take_messages();
    let plain: Vec<Vec<u32>> =
        program.iter().map(|shader| oracle.module(shader).expect("a shader that was translated")).collect();
    let (linked, removed) = linked(oracle, &program, &mut Random::new(seed));
    let verdict = oracle.compare_changed(&program, &stimulus, &|words| {
        let stage = plain.iter().position(|other| other == words);
        // The words of a program that was changed to find an excuse are not replaced.
        *words = stage.map_or(Vec::new(), |stage| linked[stage].clone());
    });
    let mut messages = oracle.device().take_messages();
    // The layer of Debian 12 counts a double as one component. Every second draw has doubles in its varyings.
    let miscounted = ["InputNotProduced", "InterfaceTypeMismatch"];
    messages.retain(|message| seed % 8 != 7 || !miscounted.iter().any(|it| message.contains(it)));
    let result = match verdict {
        Verdict::Same(_) if messages.is_empty() => Ok(true),
        Verdict::Same(_) => Err(messages.join("\n")),
        other => Err(format!("{other:?}")),
    };
    (removed, result)
}

/// The words of the stages, linked, with descriptors in other sets, for some key; and the number of removed varyings.
fn linked(oracle: &Oracle, program: &[Shader], random: &mut Random) -> (Vec<Vec<u32>>, usize) {
    let options = Options::default().target(oracle.device().target().clone());
    let mut translator = Translator::new(options);
    let options = EmitOptions::default().names(true).offer(u64::MAX).linkable(true);
    let modules: Vec<Module> =
        program.iter().map(|shader| translator.translate(&mut shader.clone(), &options).expect("a module")).collect();
    let moved = |module: &Module| Assignment {
        bindings: module.bindings.iter().map(|it| ([it.set, it.binding], [it.set + 2, it.binding])).collect(),
        ..Assignment::default()
    };
    let linked = link(&modules.iter().collect::<Vec<_>>(), modules.iter().map(moved).collect()).expect("a link");
    let key = Key::new(random.below(u64::MAX) & INVISIBLE);
    let words = linked.modules.iter().map(|module| {
        let mut words = Vec::new();
        module.instantiate(&key, &mut words).expect("a key that it takes");
        words
    });
    (words.collect(), linked.removed_outputs + linked.removed_inputs)
}
