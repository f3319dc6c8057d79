// SPDX-License-Identifier: MIT

//! Emit once, then patch: links and variants, on the corpus and on random shaders.

#![allow(clippy::print_stdout)]

mod angle;
mod closure;
mod colors;
mod components;
mod drawn;
mod equality;
mod imports;
mod meshes;
mod options;
mod patches;
mod programs;
mod relinks;
mod settled;
#[allow(dead_code)]
#[path = "../lavapipe/stages.rs"]
mod stages;
mod stores;
#[path = "../support/mod.rs"]
mod support;

use ntv::module::Decisions;
use ntv::{spirv, text, EmitOptions, Key, Module, Options, PushConstants, Shader, Target, Translator};
use ntv_gen::Random;
use std::path::PathBuf;

/// All late options of a module.
const OFFER: u64 = u64::MAX;

/// The places of the push constants that options read.
const PUSHED: PushConstants = PushConstants { alpha_reference: Some(16), point_size: Some(20) };

/// A shader in emittable form, and its target.
struct Lowered {
    name: String,
    shader: Shader,
    target: Target,
}

impl Lowered {
    fn new(name: String, mut shader: Shader, target: &Target) -> Option<Lowered> {
        let options = Options::default().target(target.clone());
        Translator::new(options).lower(&mut shader, None).ok()?;
        let lowered = Lowered { name, shader, target: target.clone() };
        lowered.emit(None).is_some().then_some(lowered)
    }

    /// With names and lines, and all optional ranges.
    fn emit(&self, decided: Option<&Decisions>) -> Option<Module> {
        let lines = Some(("dump.nir", "the text\n"));
        let options = EmitOptions::default().names(true).lines(lines).offer(OFFER).linkable(true).decided(decided);
        let options = options.push_constants(PUSHED);
        spirv::emit(&self.shader, &self.target, &options).ok()
    }
}

/// The shaders of the corpus, for every preset.
fn corpus() -> Vec<Lowered> {
    let mut all = Vec::new();
    for path in support::files(&support::root().join("tests/corpus"), &["nir"]) {
        all.extend(shaders(&path).into_iter().flat_map(|(name, shader)| {
            let presets = ["vulkan1.0", "vulkan1.1", "vulkan1.3"].map(|name| Target::preset(name).expect("a preset"));
            presets.map(|target| Lowered::new(name.clone(), shader.clone(), &target))
        }));
    }
    all.into_iter().flatten().collect()
}

/// The shaders of a file, with their names.
fn shaders(path: &PathBuf) -> Vec<(String, Shader)> {
    let source = std::fs::read(path).expect("a dump");
    let found = text::find(&String::from_utf8_lossy(&source));
    let name = path.strip_prefix(support::root()).unwrap_or(path).display().to_string();
    found.filter_map(|found| Some((name.clone(), found.shader.ok()?))).collect()
}

/// Keys of `module` to test: all of them if they are few, otherwise each bit, all without each bit, and some random ones.
fn keys(module: &Module, random: &mut Random) -> Vec<Key> {
    let bits: Vec<u64> = (0..64).map(|bit| 1 << bit).filter(|bit| module.seen & bit != 0).collect();
    let key = |bits| Key { bits, size: [640, 480], uniforms: [1, 2, 3, 4], swizzles: [0x91; 8] };
    if bits.len() <= 6 {
        let chosen =
            |choice: u32| bits.iter().enumerate().filter(move |(n, _)| choice >> n & 1 != 0).map(|(_, bit)| bit);
        return (0..1 << bits.len()).map(|choice| key(chosen(choice).sum())).collect();
    }
    let mut keys = vec![key(0), key(module.seen)];
    keys.extend(bits.iter().flat_map(|bit| [key(*bit), key(module.seen & !bit)]));
    let word = |random: &mut Random| random.below(u64::MAX);
    keys.extend((0..24).map(|_| key(word(random) & module.seen)));
    keys
}
