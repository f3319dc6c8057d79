// SPDX-License-Identifier: MIT

//! Random shaders have the results of the interpreter. `cargo xtask oracle` tries more of them.

use ntv_gen::oracle::{Oracle, Verdict};
use std::time::{Duration, Instant};

/// The most shaders: the same on every machine that is fast enough.
const SHADERS: u64 = 1000;

/// The most time.
const TIME: Duration = Duration::from_secs(8);

#[test]
fn interpreter_and_driver_agree() {
    let mut oracle = Oracle::open("llvmpipe").expect("lavapipe, which `cargo xtask test` installs");
    let (start, mut tried, mut told) = (Instant::now(), 0, 0);
    while tried < SHADERS && start.elapsed() < TIME {
        match oracle.ask(tried) {
            Verdict::Same(_) => told += 1,
            Verdict::Meaningless(_) | Verdict::Excused(_) => {}
            Verdict::Wrong(problem) => panic!("{problem}; see `cargo xtask oracle --seed {tried}`"),
        }
        tried += 1;
    }
    assert!(told > tried / 2, "of {tried} shaders, only {told} are meaningful");
}
