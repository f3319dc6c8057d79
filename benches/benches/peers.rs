// SPDX-License-Identifier: MIT

//! Measures how long other libraries take to write SPIR-V, as an order of magnitude; their work is not the same.
//!
//! All of them begin with an IR in memory and end with words, for the same shaders:
//!
//! - *ntv* emits lowered NIR; *all passes* includes the complete translation from the words of a driver.
//! - *naga* writes its IR, which its own reader made from ntv's words; *validation* includes the tables that the writer needs.
//!   Its reader and validator do not accept all modules: the others are excluded from all measurements, so that the shaders are
//!   the same for all.
//! - *rspirv* makes the same module as ntv, instruction by instruction, with its builder, and assembles it; *assembly* is only
//!   the last step. A compiler with rspirv has the time of the builder in addition to its own work.

#![allow(missing_docs, reason = "criterion's macros make a public function")]

mod common;

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use ntv::spirv::Emitter;
use ntv::{EmitOptions, Shader, Target, Translator};
use ntv_benches::{Set, Worker};
use rspirv::binary::Assemble;
use rspirv::dr::{self, Builder, InsertPoint};
use std::hint::black_box;
use std::panic;

/// A shader in the IR of each.
struct Case {
    wire: Vec<u32>,
    lowered: Shader,
    words: Vec<u32>,
    rspirv: dr::Module,
    naga: naga::Module,
    info: ModuleInfo,
}

/// `None` if a library does not accept the shader. Panics where naga does, too.
fn case(shader: &Shader) -> Option<Case> {
    let mut lowered = shader.clone();
    Translator::default().lower(&mut lowered, None).ok()?;
    let words = ntv::spirv::emit(&lowered, &Target::default(), &EmitOptions::default()).ok()?.words;
    let rspirv = dr::load_words(&words).ok()?;
    let reader = naga::front::spv::Options { strict_capabilities: false, ..Default::default() };
    let naga = naga::front::spv::Frontend::new(words.iter().copied(), &reader).parse().ok()?;
    let info = validator().validate(&naga).ok()?;
    naga_words(&naga, &info)?;
    Some(Case { wire: ntv::wire::encode(shader), lowered, words, rspirv, naga, info })
}

fn naga_words(module: &naga::Module, info: &ModuleInfo) -> Option<Vec<u32>> {
    naga::back::spv::write_vec(module, info, &naga::back::spv::Options::default(), None).ok()
}

fn validator() -> Validator {
    Validator::new(ValidationFlags::all(), Capabilities::all())
}

/// Builds a module like `module`, and assembles it.
fn built(module: &dr::Module) -> Option<Vec<u32>> {
    let mut builder = Builder::new();
    let made = builder.module_mut();
    made.header.clone_from(&module.header);
    made.memory_model.clone_from(&module.memory_model);
    made.capabilities.extend(module.capabilities.iter().cloned());
    made.extensions.extend(module.extensions.iter().cloned());
    made.ext_inst_imports.extend(module.ext_inst_imports.iter().cloned());
    made.entry_points.extend(module.entry_points.iter().cloned());
    made.execution_modes.extend(module.execution_modes.iter().cloned());
    made.annotations.extend(module.annotations.iter().cloned());
    for instruction in &module.types_global_values {
        builder.insert_types_global_values(InsertPoint::End, instruction.clone());
    }
    for function in &module.functions {
        let head = function.def.as_ref()?;
        let [dr::Operand::FunctionControl(control), dr::Operand::IdRef(ty)] = head.operands[..] else { return None };
        builder.begin_function(head.result_type?, head.result_id, control, ty).ok()?;
        for block in &function.blocks {
            builder.begin_block(block.label.as_ref()?.result_id).ok()?;
            for instruction in &block.instructions {
                builder.insert_into_block(InsertPoint::End, instruction.clone()).ok()?;
            }
            builder.select_block(None).ok()?;
        }
        builder.end_function().ok()?;
    }
    // `Builder::module` would set rspirv as the generator.
    Some(builder.module_ref().assemble())
}

fn peers(c: &mut Criterion, set: &Set) {
    // naga panics on some of the modules that it does not accept; these messages are not printed.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let cases: Vec<Case> =
        set.shaders.iter().filter_map(|shader| panic::catch_unwind(|| case(shader)).ok().flatten()).collect();
    panic::set_hook(hook);
    assert!(!cases.is_empty(), "none of the {} shaders is accepted by all libraries", set.name);
    // The third word is the generator.
    let same = |case: &Case| built(&case.rspirv).is_some_and(|words| words[3..] == case.words[3..]);
    assert!(cases.iter().all(same), "rspirv builds another module");
    let mut group = c.benchmark_group(format!("peers, {}", set.name));
    group.throughput(Throughput::Elements(cases.len() as u64));
    let mut time = |name: &str, run: &mut dyn FnMut(&Case) -> bool| {
        assert!(cases.iter().all(&mut *run), "{name} fails");
        group.bench_function(BenchmarkId::from_parameter(name), |b| b.iter(|| cases.iter().all(&mut *run)));
    };
    let (mut emitter, mut worker) = (Emitter::default(), Worker::default());
    let (target, options) = (Target::default(), EmitOptions::default());
    time("ntv", &mut |case| black_box(emitter.emit(&case.lowered, &target, &options)).is_ok());
    time("ntv, all passes", &mut |case| black_box(worker.translate(&case.wire)).is_ok());
    time("naga", &mut |case| black_box(naga_words(&case.naga, &case.info)).is_some());
    let mut validator = validator();
    time("naga, validation", &mut |case| {
        validator.validate(&case.naga).ok().and_then(|info| black_box(naga_words(&case.naga, &info))).is_some()
    });
    time("rspirv", &mut |case| black_box(built(&case.rspirv)).is_some());
    time("rspirv, assembly", &mut |case| !black_box(case.rspirv.assemble()).is_empty());
    group.finish();
}

fn all(c: &mut Criterion) {
    common::real(c, peers);
}

criterion_group! {
    name = benches;
    config = common::criterion(20);
    targets = all
}
criterion_main!(benches);
