// SPDX-License-Identifier: MIT

//! Patched words are the words of a fresh emission, every id that they use is defined, and `spirv-val` accepts them.

use super::{closure, corpus, keys, support, Lowered};
use ntv::module::{Assignment, Decisions, PatchKind, ALWAYS};
use ntv::{Module, Target};
use ntv_gen::{shader_of_seed, Purpose, Random};

/// Random decisions of a link: each removable varying is removed half of the time, numbers change.
fn some_link(module: &Module, random: &mut Random) -> Decisions {
    let mut link = Decisions::of_link();
    for (index, varying) in module.interface.iter().enumerate() {
        if varying.removable && random.below(2) == 0 {
            link.remove(index, varying.is_output);
        }
        if varying.relaxed && random.below(2) == 0 {
            link.be_precise(index, varying.is_output);
        }
    }
    link.assignment = Assignment {
        locations: (0..).zip(&module.interface).map(|(index, varying)| (index, varying.location + 1)).collect(),
        bindings: module.bindings.iter().map(|row| ([row.set, row.binding], [row.set + 1, row.binding * 2])).collect(),
        lengths: module.bindings.iter().map(|row| ([row.set, row.binding], row.count + 2)).collect(),
        spec_ids: vec![(1, 21), (4, 24)],
        spec_values: vec![(1, 64), (4, 1024)],
        indices: numbers(module, PatchKind::Index).map(|(output, index)| (output, 1 - index)).collect(),
        local_size: Some([8, 4, 1]),
        output_vertices: Some(4),
        components: free_components(module),
        ..Assignment::default()
    };
    link.assignment.bindings.dedup();
    link
}

/// Another component for each varying that may have one: a scalar that is alone in its Location.
fn free_components(module: &Module) -> Vec<(u32, u32)> {
    let shares = |(index, other): (usize, u32)| {
        let [this, other] = [index, other as usize].map(|at| &module.interface[at]);
        (this.is_output, this.location) == (other.is_output, other.location)
    };
    let alone = |varying: &u32| (0..module.interface.len()).filter(|at| shares((*at, *varying))).count() == 1;
    let free = numbers(module, PatchKind::Component).filter(|(varying, _)| alone(varying));
    let scalars = free.filter(|(varying, _)| module.interface[*varying as usize].components == 1);
    scalars.map(|(varying, component)| (varying, 3 - component)).collect()
}

/// The objects and the words of all patches of a kind.
fn numbers(module: &Module, kind: PatchKind) -> impl Iterator<Item = (u32, u32)> + '_ {
    let patches = module.patches.iter().filter(move |patch| patch.kind == kind);
    patches.map(|patch| (patch.arg, module.words[patch.at as usize]))
}

/// Linked and instantiated words are those of an emission that had all decisions from the start, for some links and many keys.
/// Returns the number of compared variants. `judge` checks each variant.
fn compare(lowered: &Lowered, seed: u64, judge: &dyn Fn(&[u32]) -> Result<(), String>) -> Result<usize, String> {
    let mut random = Random::new(seed);
    let whole = lowered.emit(None).ok_or("it is not emitted")?;
    whole.check().map_err(|error| error.to_string())?;
    closure::check(&whole)?;
    let links = [Decisions::of_link(), some_link(&whole, &mut random)];
    let (mut words, mut compared) = (Vec::new(), 0);
    for link in links {
        let linked = whole.link(&link);
        linked.check().map_err(|error| format!("linked: {error}"))?;
        closure::check(&linked).map_err(|problem| format!("linked: {problem}"))?;
        let stored = Module::from_words(&linked.to_words()).map_err(|error| error.to_string())?;
        if stored != linked {
            return Err("a stored module differs".to_string());
        }
        for key in keys(&linked, &mut random) {
            let decided = Decisions { key: Some(key), ..link.clone() };
            let fresh = lowered.emit(Some(&decided)).ok_or("it is not emitted")?;
            linked.instantiate(&key, &mut words).expect("a key that it takes");
            if words != fresh.words {
                return Err(format!("key {key}: {}", first_difference(&words, &fresh.words)));
            }
            if !fresh.ranges.is_empty() || !fresh.patches.is_empty() {
                return Err(format!("key {key}: something is still open"));
            }
            let known = whole.link(&decided);
            if known.words != words {
                return Err(format!("key {key}: a link that knows the key gives other words"));
            }
            if linked.placed_patches(&key).ne(known.patches.into_iter().filter(|patch| patch.when == ALWAYS)) {
                return Err(format!("key {key}: a link that knows the key has patches elsewhere"));
            }
            stored.instantiate(&linked.masked(&key), &mut words).expect("a key that it takes");
            if words != fresh.words {
                return Err(format!("key {key}: masked bits change the words"));
            }
            judge(&words).map_err(|problem| format!("key {key}: {problem}"))?;
            compared += 1;
        }
    }
    Ok(compared)
}

fn first_difference(patched: &[u32], fresh: &[u32]) -> String {
    let at = patched.iter().zip(fresh).position(|(a, b)| a != b).unwrap_or(patched.len().min(fresh.len()));
    let around = |words: &[u32]| words.get(at.saturating_sub(2)..(at + 6).min(words.len())).map(<[u32]>::to_vec);
    format!(
        "{} patched words, {} fresh ones, the first difference at {at}: {:?}, {:?}",
        patched.len(),
        fresh.len(),
        around(patched),
        around(fresh)
    )
}

fn report(results: Vec<Result<usize, String>>) {
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    let variants: usize = results.iter().flatten().sum();
    println!("{variants} variants of {} modules", results.len());
    assert!(
        failures.is_empty(),
        "{} of {}\n{}",
        failures.len(),
        results.len(),
        failures.iter().map(|f| f.as_str()).collect::<Vec<_>>().join("\n")
    );
    assert!(variants > results.len(), "{variants} variants of {} modules", results.len());
}

#[test]
fn patched_words_equal_fresh_words_on_random_shaders() {
    let random = (0..400).filter_map(|seed| {
        let shader = shader_of_seed(seed, Purpose::Interpreter);
        Some((seed, Lowered::new(format!("shader {seed}"), shader, &Target::default())?))
    });
    report(support::in_parallel(random.collect(), |(seed, lowered)| {
        let result = support::caught(|| compare(&lowered, seed, &|_| Ok(())));
        result.map_err(|problem| format!("{}: {problem}", lowered.name))
    }));
}

/// One of this number of variants of the corpus is validated: most of the time of the test would be that of the validator.
const VALIDATED: u32 = 24;

/// Patched words are those of a new emission on the corpus, and the variants are valid: with SPIR-V 1.0, 1.3 and 1.6, of which the
/// last lists all variables with the entry point.
#[test]
fn patched_words_equal_fresh_words_and_are_valid_on_the_corpus() {
    report(support::in_parallel(corpus(), |lowered| {
        let judge = |words: &[u32]| match support::is_chosen(words, VALIDATED) {
            true => support::spirv_val(words, &lowered.target),
            false => Ok(()),
        };
        let result = support::caught(|| compare(&lowered, 2, &judge));
        result.map_err(|problem| format!("{}: {problem}", lowered.name))
    }));
}
