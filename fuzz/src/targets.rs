// SPDX-License-Identifier: MIT

//! The work of the fuzz targets. `tests/fuzz_seeds.rs` runs them for a while in the tests, too.
//!
//! A target panics if it has found a fault of ntv.

use arbitrary::Unstructured;
use ntv::capture::BackEnd;
use ntv::pass::{Context, Pass, PIPELINE};
use ntv::{check, text, wire, BufferAccess, EmitOptions, Options, Shader, Translator};
use ntv_gen::{difference, stimulus_of_seed, Observation, Purpose, Stimulus};
use ntv_interp::Limits;

/// A target: its name and its function.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All targets.
#[allow(dead_code)]
pub(crate) const TARGETS: &[Target] = &[
    ("text", text),
    ("wire", wire_words),
    ("passes", passes),
    ("shader", shader),
    ("spirv", spirv_words),
    ("module", module),
];

/// The input is a dump: it is refused or translated. A shader that was parsed must be printed so that it can be parsed again.
pub(crate) fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut translator = Translator::new(options(bytes));
    for mut shader in shaders(&text) {
        let printed = text::print(&shader);
        if check::validate(&shader).is_ok() {
            let again = text::parse(&printed).unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
            assert_eq!(text::print(&again), printed, "the parsed shader is printed as before");
        }
        if let Ok(module) = translator.translate(&mut shader, &EmitOptions::default()) {
            assert!(lengths_add_up(&module.words), "the instructions fill the module");
        }
    }
}

/// The input is the words of a wire: they are refused, or are a shader that is refused or translated. A shader that was read must
/// be written so that it can be read again.
pub(crate) fn wire_words(bytes: &[u8]) {
    let Ok(words) = wire::from_bytes(&bytes[..bytes.len() & !3]) else { return };
    let Ok(mut shader) = wire::decode(&words) else { return };
    if check::validate(&shader).is_ok() {
        let again = wire::decode(&wire::encode(&shader));
        assert!(again.is_ok_and(|again| again == shader), "the written shader is the one that was read");
    }
    text::print(&shader);
    if let Ok(module) = Translator::new(options(bytes)).translate(&mut shader, &EmitOptions::default()) {
        assert!(lengths_add_up(&module.words), "the instructions fill the module");
    }
}

/// The input is SPIR-V from elsewhere: it is refused, or gets tables with which it can be linked and patched.
pub(crate) fn spirv_words(bytes: &[u8]) {
    if let Ok(module) = ntv::import::import(&words_of(bytes)) {
        link_and_patch(&module);
    }
}

/// The input is a stored module with any hash. As it is, it is refused, or loaded. With the right hash and version, it is refused, or
/// can be linked and patched.
pub(crate) fn module(bytes: &[u8]) {
    let mut words = words_of(bytes);
    let _ = ntv::Module::from_words(&words);
    correct_hash(&mut words);
    if let Ok(module) = ntv::Module::from_words(&words) {
        link_and_patch(&module);
    }
}

/// Sets the magic number, the version and the hash of a stored module, as the library writes them.
pub(crate) fn correct_hash(words: &mut [u32]) {
    let empty = ntv::Module::default().to_words();
    let [magic, version, low, high, rest @ ..] = words else { return };
    (*magic, *version) = (empty[0], empty[1]);
    let hash = rest.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        let hash = (hash ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ hash >> 32
    });
    (*low, *high) = (hash as u32, (hash >> 32) as u32);
}

/// Links and patches the module: its tables must remain consistent, and no word outside of it is read or written.
fn link_and_patch(module: &ntv::Module) {
    let stored = ntv::Module::from_words(&module.to_words());
    assert!(stored.is_ok_and(|stored| stored == *module), "a stored module is loaded again");
    let mut all = ntv::module::Decisions::of_link();
    (0..module.interface.len()).for_each(|index| all.remove(index, module.interface[index].is_output));
    all.assignment.lengths = module.bindings.iter().map(|row| ([row.set, row.binding], u32::MAX)).collect();
    let mut linked = vec![module.link(&all)];
    for stage in ntv::module::ShaderStage::ALL {
        let next = ntv::Module { stage, ..module.clone() };
        linked.extend(ntv::link::link(&[module, &next], Vec::new()).into_iter().flat_map(|linked| linked.modules));
    }
    let mut words = Vec::new();
    for linked in linked {
        assert!(linked.check().is_ok(), "the tables of a linked module are consistent");
        for key in [
            ntv::Key::default(),
            ntv::Key {
                size: [1; 2],
                uniforms: [1; ntv::Key::INLINED],
                swizzles: [0x91; 8],
                ..ntv::Key::new(linked.offered)
            },
        ] {
            let taken = linked.instantiate(&key, &mut words);
            assert!(
                taken.is_ok() || linked.offered & !ntv::Key::ALL != 0,
                "a module supports the bits that it offers: {taken:?}"
            );
            assert!(words.len() <= linked.words.len(), "a variant has no more words than its module");
        }
    }
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))).collect()
}

/// The input is a byte and a dump: the passes, up to the one with the number of the byte, keep the results of the shader.
pub(crate) fn passes(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    // A pass relies on the work of the passes before it.
    let some = PIPELINE.get(..=usize::from(*choice)).unwrap_or(PIPELINE);
    for shader in shaders(&String::from_utf8_lossy(bytes)) {
        if check::validate(&shader).is_ok() {
            let stimulus = Stimulus::new(&shader, (*choice).into());
            keep_meaning(shader, &stimulus, some);
        }
    }
}

/// The input is the choices of the generator: the passes keep the results of its shader.
pub(crate) fn shader(bytes: &[u8]) {
    let purpose = Purpose::Interpreter;
    let Ok(shader) = ntv_gen::shader(&mut Unstructured::new(bytes), purpose) else { return };
    if let Err(errors) = check::validate(&shader) {
        panic!("the generator makes an invalid shader: {errors}");
    }
    let stimulus = stimulus_of_seed(&shader, bytes.len() as u64, purpose);
    keep_meaning(shader, &stimulus, PIPELINE);
}

/// Runs `passes` on a valid shader and compares its results before and after each.
fn keep_meaning(mut shader: Shader, stimulus: &Stimulus, passes: &[Pass]) {
    const LIMITS: Limits = Limits { instructions: 20_000, components: 1 << 16 };
    const LOWERED: Limits = Limits { instructions: 40 * LIMITS.instructions, components: 1 << 20 };
    let context = Context::default();
    if check::supported(&shader, &context.target).is_err() {
        return;
    }
    let before = Observation::new(&shader, stimulus, LIMITS);
    let comparable = before.undefined_behaviour().is_none() && !before.has_race();
    for pass in passes {
        pass.apply(&mut shader, &context);
        if let Err(errors) = check::validate(&shader) {
            panic!("{} leaves an invalid shader: {errors}", pass.name);
        }
        if comparable {
            let after = Observation::new(&shader, stimulus, LOWERED);
            assert_eq!(difference(&before, &after), None, "{} changes what the shader computes", pass.name);
        }
    }
}

fn shaders(text: &str) -> impl Iterator<Item = Shader> {
    text::find(text).filter_map(|found| found.shader.ok())
}

/// Options that depend on the dump: different dumps are translated for different drivers.
fn options(bytes: &[u8]) -> Options {
    let (_, vulkan) = ntv::Target::PRESETS[bytes.len() % ntv::Target::PRESETS.len()];
    let buffer_access = if bytes.len() / 4 % 2 == 0 { BufferAccess::Auto } else { BufferAccess::Lane };
    let captures = [BackEnd::Extension, BackEnd::Storage, BackEnd::Compute][bytes.len() / 8 % 3];
    let instance_location = (bytes.len() / 24 % 2 == 0).then_some(31);
    let target = ntv::Target::new(vulkan);
    Options::default()
        .target(target)
        .buffer_access(buffer_access)
        .captures(captures)
        .instance_location(instance_location)
}

/// Whether `words` are a header and whole instructions.
fn lengths_add_up(words: &[u32]) -> bool {
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(first) = rest.first() {
        match rest.get((first >> 16) as usize..) {
            Some(next) if next.len() < rest.len() => rest = next,
            _ => return false,
        }
    }
    words.len() > 5
}
