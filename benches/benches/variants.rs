// SPDX-License-Identifier: MIT

//! Measures the making of a variant: by the tables, by a copy of the words, by a new emission, by a translation, and by parsing
//! the words as a driver without tables does, with rspirv. All but the copy give the same words, which is checked first.
//!
//! The variant has no names, its descriptors are in other sets, and its key flips the picture.

#![allow(missing_docs, reason = "criterion's macros make a public function")]

mod common;

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use ntv::ir::Shader;
use ntv::module::{Assignment, Decisions};
use ntv::spirv::Emitter;
use ntv::{EmitOptions, Key, Module, Target, Translator};
use ntv_benches::Set;
use rspirv::binary::Assemble;
use rspirv::dr::{self, Operand};
use std::hint::black_box;

const KEY: Key = Key { size: [640, 480], ..Key::new(Key::STRIP | Key::FLIP_Y | Key::DITHER) };

/// A shader in all forms.
struct Case {
    shader: Shader,
    lowered: Shader,
    /// The module with all ranges, and the decisions of a link.
    whole: Module,
    linked: Module,
    decided: Decisions,
    /// The words of the empty key with the names, for the parser.
    named: Vec<u32>,
    /// The words of the variant.
    words: Vec<u32>,
}

fn options(decided: Option<&Decisions>) -> EmitOptions<'_> {
    EmitOptions::default().names(true).offer(u64::MAX).linkable(true).decided(decided)
}

fn case(shader: &Shader) -> Option<Case> {
    let mut lowered = shader.clone();
    Translator::default().lower(&mut lowered, None).ok()?;
    let emit = |decided| ntv::spirv::emit(&lowered, &Target::default(), &options(decided)).ok();
    let whole = emit(None)?;
    let moved = whole.bindings.iter().map(|row| ([row.set, row.binding], [row.set + 1, row.binding]));
    let assignment = Assignment { bindings: moved.collect(), ..Assignment::default() };
    let link = Decisions { assignment, ..Decisions::of_link() };
    let linked = whole.link(&link);
    let (mut named, mut words) = (Vec::new(), Vec::new());
    whole.instantiate(&Key { bits: KEY.bits & !Key::STRIP, ..KEY }, &mut named).ok()?;
    linked.instantiate(&KEY, &mut words).ok()?;
    let decided = Decisions { key: Some(KEY), ..link };
    assert_eq!(emit(Some(&decided))?.words, words, "a new emission gives other words");
    assert_eq!(parsed(&named), words, "parsing gives other words");
    Some(Case { shader: shader.clone(), lowered, whole, linked, decided, named, words })
}

/// Parses and changes words: no names, other sets.
fn parsed(named: &[u32]) -> Vec<u32> {
    let mut module = dr::load_words(named).expect("words that rspirv accepts");
    module.debug_names.clear();
    for decoration in &mut module.annotations {
        if let [_, Operand::Decoration(spirv::Decoration::DescriptorSet), Operand::LiteralBit32(set)] =
            &mut decoration.operands[..]
        {
            *set += 1;
        }
    }
    let mut words = module.assemble();
    // rspirv sets itself as the generator.
    words[2] = 0;
    words
}

fn variants(c: &mut Criterion, set: &Set) {
    let cases: Vec<Case> = set.shaders.iter().filter_map(case).collect();
    let mut group = c.benchmark_group(format!("variant, {}", set.name));
    group.throughput(Throughput::Elements(cases.len() as u64));
    let mut time = |name: &str, mut run: Box<dyn FnMut(&Case)>| {
        group.bench_function(BenchmarkId::from_parameter(name), |b| b.iter(|| cases.iter().for_each(&mut run)));
    };
    let mut words = Vec::new();
    time(
        "copy",
        Box::new(move |case| {
            words.clear();
            words.extend_from_slice(black_box(&case.words));
            black_box(&words);
        }),
    );
    let mut words = Vec::new();
    time(
        "instantiate",
        Box::new(move |case| {
            black_box(case.linked.instantiate(black_box(&KEY), &mut words).is_ok());
            black_box(&words);
        }),
    );
    time("link", Box::new(|case| drop(black_box(case.whole.link(&case.decided)))));
    time("parse", Box::new(|case| drop(black_box(parsed(&case.named)))));
    let mut emitter = Emitter::default();
    time(
        "emit",
        Box::new(move |case| {
            black_box(emitter.emit(&case.lowered, &Target::default(), &options(Some(&case.decided))).is_ok());
        }),
    );
    let mut translator = Translator::default();
    time(
        "translate",
        Box::new(move |case| {
            black_box(translator.translate(&mut case.shader.clone(), &options(Some(&case.decided))).is_ok());
        }),
    );
    group.finish();
}

fn all(c: &mut Criterion) {
    common::real(c, variants);
}

criterion_group! {
    name = benches;
    config = common::criterion(20);
    targets = all
}
criterion_main!(benches);
