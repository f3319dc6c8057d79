// SPDX-License-Identifier: MIT

//! A thread that has translated similar shaders allocates no memory for further ones: not even for the words, which reuse the
//! memory of the last ones.
//!
//! Debug builds have checks of their own, which allocate memory: there, only reading is tested. `cargo xtask test` also runs this
//! test in a release build.

#[path = "../support/mod.rs"]
mod support;

use ntv::wire::{self, Decoder};
use ntv::{text, EmitOptions, Module, Shader, Translator};
use std::fs;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// The number of translations of each shader before allocations are counted: buffers are swapped, and each must become large
/// enough.
const BEFORE: usize = 3;

/// The memory that a thread reuses for each shader.
#[derive(Default)]
struct ThreadMemory {
    decoder: Decoder,
    shader: Shader,
    translator: Translator,
    module: Module,
}

impl ThreadMemory {
    fn work(&mut self, words: &[u32]) {
        self.decoder.decode(words, &mut self.shader).expect("a shader");
        if !cfg!(debug_assertions) {
            let options = EmitOptions::default();
            self.translator.translate_to(&mut self.shader, &options, &mut self.module).expect("a module");
        }
    }
}

/// The repository's own dumps that can be translated, and some dumps of the larger corpus, by name: of Gallium's level, which is
/// what a driver sends. `raise`, which makes that level from the others, allocates memory.
fn wires() -> Vec<(String, Vec<u32>)> {
    let own = support::files(&support::root().join("tests/corpus/mesa"), &["nir"]);
    let shared = support::shared_corpus().map(|corpus| support::files(&corpus.join("mesa25/gallium"), &["nir"]));
    let mut wires = Vec::new();
    for file in own.into_iter().chain(shared.into_iter().flatten().step_by(10)) {
        let dump = String::from_utf8_lossy(&fs::read(&file).expect("a dump")).into_owned();
        for mut shader in text::find(&dump).filter_map(|found| found.shader.ok()) {
            let words = wire::encode(&shader);
            if Translator::default().translate(&mut shader, &EmitOptions::default()).is_ok() {
                wires.push((file.display().to_string(), words));
            }
        }
    }
    wires
}

#[test]
fn nothing_is_allocated_any_more() {
    let wires = wires();
    assert!(wires.len() > 20, "only {} shaders", wires.len());
    let mut memory = ThreadMemory::default();
    for _ in 0..BEFORE {
        wires.iter().for_each(|(_, words)| memory.work(words));
    }
    let _profiler = dhat::Profiler::builder().testing().build();
    for (name, words) in &wires {
        let before = dhat::HeapStats::get().total_blocks;
        memory.work(words);
        let count = dhat::HeapStats::get().total_blocks - before;
        assert!(count == 0, "{count} allocations for {name}");
    }
}
