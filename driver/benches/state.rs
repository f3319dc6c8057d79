// SPDX-License-Identifier: MIT

//! The costs of state tracking: walks over sets of several sizes, next to loops over bools, and setters and draws without
//! changes.
//!
//! `cargo bench --package ntv-driver --no-default-features --bench state`

#![allow(missing_docs, reason = "criterion's macros declare functions without")]

use criterion::{criterion_group, criterion_main, Criterion};
use ntv_driver::state::{bits, dirty_bits, walk, Bit, BitSet, Cursor, Inbox, Revisions, Seen, Tracked};
use std::hint::black_box;

bits! {
    pub struct Bits32[32];
}
bits! {
    pub struct Bits64[64];
}
bits! {
    pub struct Bits96[96];
}
bits! {
    pub struct Bits300[300];
}
bits! {
    pub struct Bits4096[4096];
}

/// The densities of bits: one in n, and their names.
const DENSITIES: &[(usize, &str)] = &[(usize::MAX, "one"), (8, "eighth"), (1, "all")];

fn iteration(criterion: &mut Criterion) {
    sizes::<Bits32, 32>(criterion);
    sizes::<Bits64, 64>(criterion);
    sizes::<Bits96, 96>(criterion);
    sizes::<Bits300, 300>(criterion);
    sizes::<Bits4096, 4096>(criterion);
}

fn sizes<E: Bit, const N: usize>(criterion: &mut Criterion) {
    for (step, density) in DENSITIES {
        let mut group = criterion.benchmark_group(format!("iterate/{N}/{density}"));
        // The last bit if there is only one.
        let bools: [bool; N] = std::array::from_fn(|index| (N - 1 - index).is_multiple_of(*step));
        let set: BitSet<E> = (0..N).filter(|index| bools[*index]).map(E::from_index).collect();
        group.bench_function("bools", |bencher| {
            bencher.iter(|| {
                for (index, there) in black_box(&bools).iter().enumerate() {
                    if *there {
                        black_box(index);
                    }
                }
            });
        });
        group.bench_function("iter", |bencher| {
            bencher.iter(|| {
                for bit in black_box(&set).iter() {
                    black_box(bit.index());
                }
            });
        });
        group.bench_function("cursor", |bencher| {
            bencher.iter(|| {
                let set = black_box(&set);
                let mut cursor = Cursor::new();
                while let Some(bit) = cursor.next(set) {
                    black_box(bit.index());
                }
            });
        });
        group.finish();
    }
}

bits! {
    pub enum Command {
        Draw,
        Clear,
    }
}
bits! {
    pub enum Phase {
        Rendering,
    }
}
dirty_bits! {
    pub enum Dirty, commands Command, phases Phase, handlers fn(&mut u64) -> Result<(), ()>;

    Pipeline { setters: [], commands: [Draw], phase: Rendering, handler: count, after: [], invalidates: [] }
    Viewport { setters: [], commands: [Draw], phase: Rendering, handler: count, after: [], invalidates: [] }
    Scissor { setters: [], commands: [Draw, Clear], phase: Rendering, handler: count, after: [], invalidates: [] }
    Blend { setters: [], commands: [Draw], phase: Rendering, handler: count, after: [], invalidates: [] }
}

fn count(calls: &mut u64) -> Result<(), ()> {
    *calls += 1;
    Ok(())
}

fn draws(criterion: &mut Criterion) {
    let mut calls = 0;
    let mut draw = |dirty: &mut BitSet<Dirty>| {
        walk(dirty, Dirty::mask(black_box(Command::Draw)), BitSet::ALL, |bit| bit.handler()(&mut calls))
    };
    let mut dirty = BitSet::EMPTY;
    criterion.bench_function("draw/nothing dirty", |bencher| bencher.iter(|| draw(black_box(&mut dirty))));
    criterion.bench_function("draw/one handler", |bencher| {
        bencher.iter(|| {
            dirty.insert(black_box(Dirty::Blend));
            draw(black_box(&mut dirty))
        });
    });
    let mut viewport = Tracked::new([0f32; 4]);
    viewport.synced();
    criterion.bench_function("setter/same", |bencher| {
        bencher.iter(|| dirty.set(Dirty::Viewport, viewport.set(black_box([0.0; 4]))));
    });
}

fn consumers(criterion: &mut Criterion) {
    let inbox = Inbox::<Bits300>::new();
    criterion.bench_function("inbox/empty", |bencher| bencher.iter(|| black_box(&inbox).take().is_empty()));
    let mut revisions = Revisions::<Bits64>::new();
    let mut seen = Seen::new();
    criterion.bench_function("revisions/nothing", |bencher| {
        bencher.iter(|| black_box(&mut seen).take(black_box(&revisions)).is_empty());
    });
    criterion.bench_function("revisions/one of 64", |bencher| {
        bencher.iter(|| {
            revisions.bump(black_box(Bits64::from_index(40)));
            seen.take(&revisions).first()
        });
    });
}

criterion_group!(benches, iteration, draws, consumers);
criterion_main!(benches);
