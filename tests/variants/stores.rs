// SPDX-License-Identifier: MIT

//! Stored modules that are damaged: a cache on a disk may return any of them, and each is refused.

use super::programs::{emit, fragment, vertex};
use super::stages::shader;
use super::support;
use ntv::link::link;
use ntv::module::Decisions;
use ntv::{ErrorKind, Key, Module};
use ntv_gen::Random;

/// Modules of several stages: open, linked, and with a known key.
fn modules() -> Vec<Module> {
    let stages = [emit(vertex(&["VAR0", "PSIZ"])), emit(fragment(&["VAR0", "VAR3"]))];
    let linked = link(&stages.each_ref(), Vec::new()).expect("a link").modules;
    let known = stages[1].link(&Decisions::of_key(Key::new(Key::STRIP)));
    let compute = emit(shader("COMPUTE", "workgroup_size: 4, 2, 1\n", ""));
    stages.into_iter().chain(linked).chain([known, compute]).collect()
}

/// Returns an error if `words` are loaded, or are refused without a reason.
fn refused(words: &[u32], damage: &str) -> Result<(), String> {
    let error = match Module::from_words(words) {
        Ok(_) => return Err(format!("{damage}: it is loaded")),
        Err(error) => error,
    };
    let reasons = ["not a stored module", "a stored module of version", "a stored module is"];
    let is_known = reasons.iter().any(|reason| error.message.starts_with(reason));
    match error.kind == ErrorKind::Malformed && is_known {
        true => Ok(()),
        false => Err(format!("{damage}: {error}")),
    }
}

fn report(results: Vec<Result<(), String>>) {
    let failures: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{} modules\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn each_flipped_bit_is_found() {
    report(support::in_parallel(modules(), |module| {
        let mut words = module.to_words();
        for bit in 0..32 * words.len() {
            words[bit / 32] ^= 1 << (bit % 32);
            refused(&words, &format!("bit {bit}"))?;
            words[bit / 32] ^= 1 << (bit % 32);
        }
        match Module::from_words(&words) {
            Ok(loaded) if loaded == module => Ok(()),
            _ => Err("the words without damage are another module".to_string()),
        }
    }));
}

#[test]
fn each_other_length_is_found() {
    report(support::in_parallel(modules(), |module| {
        let stored = module.to_words();
        (0..stored.len()).try_for_each(|len| refused(&stored[..len], &format!("the first {len} words")))?;
        (1..stored.len()).try_for_each(|at| refused(&stored[at..], &format!("the words from {at} on")))?;
        for more in [&[0][..], &[u32::MAX], &stored[stored.len() - 1..], &stored[..]] {
            refused(&[&stored[..], more].concat(), "words after the end")?;
        }
        Ok(())
    }));
}

/// Writes that were torn: a part is of another module, is missing, is zero, or is at another place.
#[test]
fn changes_of_several_words_are_found() {
    let modules = modules();
    let others: Vec<Vec<u32>> = modules.iter().map(Module::to_words).collect();
    report(support::in_parallel(modules.into_iter().zip(0..).collect(), |(module, seed)| {
        let stored = module.to_words();
        let mut random = Random::new(seed);
        let mut below = |len: usize| random.below(len as u64) as usize;
        for _ in 0..4_000 {
            let mut words = stored.clone();
            let (start, other) = (below(words.len()), below(words.len()));
            let end = (start + 1 + below(64)).min(words.len());
            match below(6) {
                0 => words[start..end].fill([0, u32::MAX][below(2)]),
                1 => words.copy_within(start..end, other.min(stored.len() - (end - start))),
                2 => words.swap(start, other),
                3 => drop(words.drain(start..end)),
                4 => [start, other].iter().for_each(|at| words[*at] ^= 1 << 31),
                _ => {
                    let from = &others[below(others.len())];
                    let end = end.min(from.len()).max(start.min(from.len()));
                    let start = start.min(end);
                    words[start..end].copy_from_slice(&from[start..end]);
                }
            }
            if words != stored {
                refused(&words, &format!("words {start} to {end}, and {other}"))?;
            }
        }
        Ok(())
    }));
}

/// Entries of other programs, and those of other versions.
#[test]
fn foreign_words_are_refused() {
    let module = emit(vertex(&["VAR0"]));
    let mut old = module.to_words();
    let version = old[1];
    old[1] -= 1;
    let reason = |words: &[u32]| Module::from_words(words).expect_err("no module").message;
    assert_eq!(reason(&old), format!("a stored module of version {}, but this is version {version}", version - 1));
    let mut swapped: Vec<u32> = module.to_words();
    swapped.iter_mut().for_each(|word| *word = word.swap_bytes());
    for words in [&module.words[..], &swapped, &[], &[0; 64]] {
        assert_eq!(reason(words), "not a stored module");
    }
}
