// SPDX-License-Identifier: MIT

//! Measures the translation from text, or from a driver's words, to SPIR-V, as a whole and by its steps. Each benchmark
//! translates all shaders of a set; criterion divides by their instructions.

#![allow(missing_docs, reason = "criterion's macros make a public function")]

mod common;

use criterion::{criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion, Throughput};
use ntv::ir::Shader;
use ntv::pass::Context;
use ntv::pass::PIPELINE;
use ntv::spirv::Emitter;
use ntv::{check, EmitOptions, Target, Translator};
use ntv_benches::{sets, Set, Worker};
use std::hint::black_box;

/// Times `run` on fresh copies of the shaders of `set`; the time does not include the copies.
fn time(c: &mut Criterion, group: &str, set: &Set, shaders: &[Shader], mut run: impl FnMut(&mut Shader)) {
    let mut group = c.benchmark_group(group);
    group.throughput(Throughput::Elements(set.instructions() as u64));
    group.bench_function(BenchmarkId::from_parameter(&set.name), |b| {
        b.iter_batched_ref(|| shaders.to_vec(), |shaders| shaders.iter_mut().for_each(&mut run), BatchSize::LargeInput);
    });
    group.finish();
}

fn parse(c: &mut Criterion, set: &Set) {
    let bytes: usize = set.texts.iter().map(String::len).sum();
    let mut group = c.benchmark_group("parse");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function(BenchmarkId::from_parameter(&set.name), |b| {
        b.iter(|| set.texts.iter().for_each(|text| ntv::text::find(text).for_each(|found| drop(black_box(found)))));
    });
    group.finish();
}

/// From a driver's words through IR to SPIR-V, with the memory of one thread.
fn wire(c: &mut Criterion, set: &Set) {
    let (wires, mut worker) = (set.wires(), Worker::default());
    assert!(wires.iter().all(|wire| worker.translate(wire).is_ok()), "{} has shaders that are refused", set.name);
    let mut time = |group: &str, run: fn(&mut Worker, &[u32]) -> bool| {
        let mut group = c.benchmark_group(group);
        group.throughput(Throughput::Elements(set.instructions() as u64));
        group.bench_function(BenchmarkId::from_parameter(&set.name), |b| {
            b.iter(|| wires.iter().all(|wire| black_box(run(&mut worker, wire))));
        });
        group.finish();
    };
    time("decode", |worker, wire| worker.decode(wire).is_ok());
    time("from wire", |worker, wire| worker.translate(wire).is_ok());
}

/// Every pass of the pipeline on the result of the passes before it, then emission.
fn steps(c: &mut Criterion, set: &Set) {
    let target = Target::default();
    let context = Context { target: target.clone(), ..Context::default() };
    time(c, "check", set, &set.shaders, |shader| {
        black_box(check::validate(shader).and_then(|()| check::supported(shader, &target)).is_ok());
    });
    let mut shaders = set.shaders.clone();
    // The translator does the same.
    shaders.iter_mut().for_each(|shader| shader.set_tidy(true));
    for pass in PIPELINE {
        time(c, &format!("pass {}", pass.name), set, &shaders, |shader| {
            black_box(pass.apply(shader, &context));
        });
        for shader in &mut shaders {
            pass.apply(shader, &context);
        }
    }
    let mut emitter = Emitter::default();
    time(c, "emit", set, &shaders, |shader| {
        black_box(emitter.emit(shader, &target, &EmitOptions::default()).is_ok());
    });
}

fn translate(c: &mut Criterion, set: &Set) {
    let mut translator = Translator::default();
    time(c, "translate", set, &set.shaders, |shader| {
        black_box(translator.translate(shader, &EmitOptions::default()).is_ok());
    });
}

fn all(c: &mut Criterion) {
    let sets = sets::all().unwrap_or_else(|error| panic!("{error:#}"));
    for set in &sets {
        parse(c, set);
        wire(c, set);
        translate(c, set);
    }
    // The steps show where the time is spent, for which some sets are enough.
    sets.iter().filter(|set| sets::STEPPED.contains(&&*set.name)).for_each(|set| steps(c, set));
}

criterion_group! {
    name = benches;
    config = common::criterion(10);
    targets = all
}
criterion_main!(benches);
