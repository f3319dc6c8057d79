// SPDX-License-Identifier: MIT

//! SPIR-V without tables: an imported module can be linked and patched, and remains valid.

use super::{closure, corpus, keys, support};
use ntv::import::import;
use ntv::link::link;
use ntv::module::{Assignment, Decisions, PatchKind, ShaderStage};
use ntv::{spirv, Binding, EmitOptions, Key, Module, Target};
use ntv_gen::Random;

/// Ways to link: without removals, and with all possible removals.
fn links(module: &Module) -> [Decisions; 2] {
    let mut all = Decisions::of_link();
    let removable = module.interface.iter().enumerate().filter(|(_, varying)| varying.removable);
    removable.for_each(|(index, varying)| all.remove(index, varying.is_output));
    all.assignment = Assignment {
        locations: (0..).zip(&module.interface).map(|(index, varying)| (index, varying.location + 1)).collect(),
        bindings: module.bindings.iter().map(|row| ([row.set, row.binding], [row.set, row.binding + 1])).collect(),
        lengths: module.bindings.iter().map(|row| ([row.set, row.binding], row.count + 2)).collect(),
        ..Assignment::default()
    };
    all.assignment.bindings.dedup();
    [Decisions::of_link(), all]
}

/// Inputs and outputs that may be removed, and arrays that may become longer.
fn late(module: &Module) -> Vec<(u32, u32, u32)> {
    let removable = module.interface.iter().filter(|it| it.removable);
    let place = |it: &ntv::module::Varying| it.builtin.map_or((it.location, it.component.into()), |it| (u32::MAX, it));
    let varyings = removable.map(|it| (u32::from(it.is_output), place(it).0, place(it).1));
    let arrays = module.patches.iter().filter(|patch| patch.kind == PatchKind::ArrayLength).map(|patch| {
        let row = module.bindings[patch.arg as usize];
        (2, row.set, row.binding)
    });
    let mut all: Vec<_> = varyings.chain(arrays).collect();
    all.sort_unstable();
    all
}

#[test]
fn imported_modules_can_be_linked_and_patched() {
    let results = support::in_parallel(corpus(), |lowered| {
        let options = EmitOptions::default().names(true).lines(Some(("dump.nir", "text")));
        let own = spirv::emit(&lowered.shader, &lowered.target, &options).map_err(|errors| errors.to_string())?;
        if matches!(own.stage, ShaderStage::Task | ShaderStage::Mesh) {
            // They are refused by name.
            let refusal = import(&own.words).err().map(|error| error.to_string()).unwrap_or_default();
            let is_named = refusal.contains("TaskEXT") || refusal.contains("MeshEXT");
            return is_named.then_some(0).ok_or_else(|| format!("{}: {refusal}", lowered.name));
        }
        let module = import(&own.words).map_err(|error| format!("{}: {error}", lowered.name))?;
        let said = |problem: String| format!("{}: {problem}", lowered.name);
        let mut words = Vec::new();
        // The words do not have the minimum of a bound range.
        let in_words: Vec<Binding> =
            own.bindings.iter().map(|row| Binding { used: row.count, min_range: 0, ..*row }).collect();
        if module.bindings != in_words {
            return Err(said(format!("descriptors {:?}, not {in_words:?}", module.bindings)));
        }
        let places = |module: &Module| {
            let mut all: Vec<_> = module
                .interface
                .iter()
                .map(|it| (it.builtin, it.location, it.component, it.locations, it.components))
                .collect();
            all.sort_unstable();
            all
        };
        let io = |it: &(Option<u32>, u32, u8, u32, u8)| it.0.is_none();
        let [ours, theirs] = [places(&own), places(&module)].map(|all| all.into_iter().filter(io).collect::<Vec<_>>());
        if ours != theirs {
            return Err(said(format!("varyings {theirs:?}, not {ours:?}")));
        }
        let late_own = lowered.emit(None).ok_or("no module")?;
        let [ours, mut theirs] = [&late_own, &module].map(late);
        // Keys remove copies for transform feedback. Words do not mark them as copies.
        let copies = late_own.interface.iter().filter(|it| it.is_copy);
        let copies: Vec<_> = copies.map(|it| (1, it.location, u32::from(it.component))).collect();
        theirs.retain(|place| !copies.contains(place));
        if ours != theirs {
            return Err(said(format!("late are {theirs:?}, not {ours:?}")));
        }
        closure::check(&module).map_err(said)?;
        let mut removed = 0;
        for link in links(&module) {
            let linked = module.link(&link);
            closure::check(&linked).map_err(said)?;
            for key in keys(&linked, &mut Random::new(1)) {
                linked.instantiate(&key, &mut words).expect("a key that it takes");
                support::spirv_val(&words, &lowered.target).map_err(|problem| said(format!("{key}: {problem}")))?;
            }
            removed += linked.interface.iter().filter(|varying| varying.removed).count();
        }
        // Without names and captures both ways have the same result, if nothing could be removed or become longer.
        if late(&module).is_empty() {
            let mut again = Vec::new();
            module.instantiate(&Key::new(Key::STRIP), &mut words).expect("a key that it takes");
            own.instantiate(&Key::new(Key::STRIP), &mut again).expect("a key that it takes");
            if words != again {
                return Err(said("import changes words".to_string()));
            }
        }
        Ok(removed)
    });
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} of {}, the first: {}", failures.len(), results.len(), failures[0]);
    let removed: usize = results.iter().flatten().sum();
    assert!(removed > 100, "{removed} varyings went");
}

/// A vertex, a geometry and a fragment shader of glslang's with blocks: parts that only one side of each has are removed
/// separately.
#[test]
fn members_of_imported_blocks_are_removed_one_by_one() {
    let imported = |stage: &str| {
        let words = support::assembled(&format!("tests/variants/blocks/{stage}.spvasm"));
        import(&words).unwrap_or_else(|error| panic!("{stage}: {error}"))
    };
    let modules = ["vertex", "geometry", "fragment"].map(imported);
    let linked = link(&modules.each_ref(), Vec::new()).expect("a link");
    let mut words = Vec::new();
    for module in modules.iter().chain(&linked.modules) {
        module.check().expect("sound tables");
        closure::check(module).expect("no use without its definition");
        module.instantiate(&Key::default(), &mut words).expect("a key that it takes");
        support::spirv_val(&words, &Target::preset("vulkan1.1").expect("a preset")).expect("a valid module");
    }
    let [vertex, geometry, fragment] = &linked.modules[..] else { panic!("three stages") };
    const NONE: u32 = u32::MAX;
    let left = |module: &Module, outputs: bool| {
        let left = module.interface.iter().filter(|it| it.is_output == outputs && !it.removed);
        let mut left: Vec<(u32, u32)> = left.map(|it| (it.location, it.builtin.unwrap_or(NONE))).collect();
        left.sort_unstable();
        left
    };
    // Position is 0, gl_ClipDistance 3; the middle one of gl_PerVertex was removed, and `unread`, the first of its block.
    for (module, outputs) in [(vertex, true), (geometry, false)] {
        assert_eq!(left(module, outputs), [(0, 0), (0, 3), (0, NONE), (1, NONE)]);
    }
    assert_eq!((left(geometry, true), left(fragment, false)), (vec![(0, 0), (0, NONE)], vec![(0, NONE)]));
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (3, 1));
    let relaxed = |module: &Module| module.interface.iter().filter(|it| it.relaxed && !it.removed).count();
    assert_eq!((relaxed(&modules[0]), relaxed(vertex)), (1, 0), "the geometry shader has full precision");
}

#[test]
fn words_that_are_not_a_module_are_refused() {
    let lowered = corpus().into_iter().next().expect("a shader");
    let own = spirv::emit(&lowered.shader, &lowered.target, &EmitOptions::default()).expect("a module").words;
    let blocks =
        ["vertex", "geometry"].map(|stage| support::assembled(&format!("tests/variants/blocks/{stage}.spvasm")));
    for words in [own].into_iter().chain(blocks) {
        (0..words.len()).for_each(|len| drop(import(&words[..len])));
        let mut random = Random::new(3);
        let imported = (0..8_000).filter(|_| try_broken(&words, &mut random)).count();
        assert!(imported > 400, "{imported} broken modules were imported");
    }
}

/// Breaks a word of a module, and links it in all ways if it is imported nevertheless.
fn try_broken(words: &[u32], random: &mut Random) -> bool {
    let mut broken = words.to_vec();
    let at = random.below(broken.len() as u64) as usize;
    broken[at] = match random.below(3) {
        0 => random.below(1 << 32) as u32,
        1 => broken[at] ^ 1 << random.below(32),
        _ => broken[random.below(words.len() as u64) as usize],
    };
    let Ok(module) = import(&broken) else { return false };
    for link in links(&module) {
        let linked = module.link(&link);
        linked.check().expect("sound tables");
        linked.instantiate(&Key::new(linked.offered), &mut Vec::new()).expect("a key that it takes");
    }
    true
}
