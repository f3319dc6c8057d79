// SPDX-License-Identifier: MIT

//! Options that change colours: flat inputs, clamps, the test of alpha, and the push constants that they read.

use super::options::{count, instructions, refusal};
use super::programs::{emit, vertex};
use super::stages::shader;
use super::{shaders, support, OFFER, PUSHED};
use ntv::module::Decisions;
use ntv::{EmitOptions, Key, Module, Options, PushConstants, Target, Translator};
use spirv::{Decoration, GlslStd450Op, Op, StorageClass};

/// The modules of the shaders of a file.
fn modules(file: &str) -> Vec<Module> {
    let path = support::root().join("tests/corpus/stages").join(file);
    shaders(&path).into_iter().map(|(_, shader)| emit(shader)).collect()
}

/// A store of the float vector `%1` with these components to a colour.
fn store(components: &str, slot: &str) -> String {
    format!("    @store_output (%1, %0) (base=0, range=1, wrmask={components}, component=0, src_type=float32, io location={slot} slots=1)\n")
}

/// A vector constant with this number of components.
fn constant(n: usize) -> String {
    format!("    32x{n} %1 = load_const ({})\n", ["0x40000000"; 4][..n].join(", "))
}

fn ops(module: &Module, key: u64, op: Op) -> usize {
    count(module, key, |inst| inst[0] & 0xffff == op as u32)
}

fn pushes(module: &Module, key: u64) -> usize {
    count(module, key, |inst| inst[0] & 0xffff == Op::Variable as u32 && inst[3] == StorageClass::PushConstant as u32)
}

/// Of three colours, one has a qualifier.
#[test]
fn colors_without_a_qualifier_are_flat() {
    let module = modules("colors_fragment.nir").remove(0);
    let decorations = |key: &u64| {
        [Decoration::Flat, Decoration::Centroid, Decoration::Sample].map(|decoration| {
            count(&module, *key, |inst| inst[0] & 0xffff == Op::Decorate as u32 && inst[2] == decoration as u32)
        })
    };
    let keys = [0, Key::FLAT_SHADING, Key::SAMPLE_SHADING, Key::FLAT_SHADING | Key::SAMPLE_SHADING];
    let counts: Vec<[usize; 3]> = keys.iter().map(decorations).collect();
    assert_eq!(counts, [[0, 1, 0], [2, 0, 0], [0, 0, 3], [2, 0, 1]]);
    let sampled = |key| count(&module, key, |inst| inst == [2 << 16 | Op::Capability as u32, 35]);
    assert_eq!(keys.map(sampled), [0, 0, 1, 1], "SampleRateShading");
    assert_eq!(emit(super::programs::fragment(&["VAR0"])).seen & Key::FLAT_SHADING, 0);
}

#[test]
fn colors_are_clamped_and_other_outputs_are_not() {
    let clamps = |module: &Module, key| {
        count(module, key, |inst| inst[0] & 0xffff == Op::ExtInst as u32 && inst[4] == GlslStd450Op::NClamp as u32)
    };
    let all: Vec<Module> = ["colors_fragment.nir", "colors_vertex.nir"].into_iter().flat_map(modules).collect();
    let counts = all.iter().map(|module| [0, Key::CLAMP_COLORS].map(|key| clamps(module, key)));
    // Two of three outputs of the first shader are floats.
    assert_eq!(counts.collect::<Vec<_>>(), [[0, 2], [0, 1], [0, 1], [0, 1]]);
    for module in [emit(vertex(&["VAR0", "TEX0", "PSIZ"])), emit(super::stages::vertex(&["int32"]))] {
        assert_eq!(module.seen & Key::CLAMP_COLORS, 0);
    }
}

/// The emitted comparison is that of the function; a function that never passes compares alpha with itself.
#[test]
fn alpha_is_tested_by_each_function() {
    let module = modules("colors_fragment.nir").remove(0);
    assert_eq!(module.seen & Key::ALPHA_TEST, Key::ALPHA_TEST);
    let expected = [
        Op::FOrdLessThan,
        Op::FOrdLessThan,
        Op::FOrdEqual,
        Op::FOrdLessThanEqual,
        Op::FOrdGreaterThan,
        Op::FUnordNotEqual,
        Op::FOrdGreaterThanEqual,
    ];
    for (function, op) in (1..).zip(expected) {
        let all = instructions(&module, &Key::new(Key::alpha_test(function)));
        let compared: Vec<&Vec<u32>> =
            all.iter().filter(|inst| (Op::FOrdEqual as u32..=191).contains(&(inst[0] & 0xffff))).collect();
        assert_eq!(compared.iter().map(|inst| inst[0]).collect::<Vec<_>>(), [5 << 16 | op as u32]);
        assert_eq!(compared[0][3] == compared[0][4], function == 1);
    }
    for (key, expected) in [(0, [0, 0]), (Key::CLAMP_COLORS, [0, 0]), (Key::alpha_test(4), [1, 1])] {
        assert_eq!([pushes(&module, key), ops(&module, key, Op::TerminateInvocation)], expected);
    }
}

/// All combinations of the options that are about colours have the words of a fresh emission.
#[test]
fn options_of_colors_combine() {
    let path = support::root().join("tests/corpus/stages/colors_fragment.nir");
    let target = Target::preset("vulkan1.1").expect("a preset");
    for (name, shader) in shaders(&path) {
        let lowered = super::Lowered::new(name, shader, &target).expect("a shader that is emitted");
        let module = lowered.emit(None).expect("a module");
        let others =
            [Key::CLAMP_COLORS, Key::FLAT_SHADING, Key::SAMPLE_SHADING, Key::EARLY_FRAGMENT_TESTS, Key::dither(0, 2)];
        for choice in 0..1 << (3 + others.len()) {
            let chosen = others.iter().enumerate().filter(|(n, _)| choice >> (3 + n) & 1 != 0).map(|(_, bits)| bits);
            let key = Key::new(chosen.fold(Key::alpha_test(choice), |bits, other| bits | other));
            let (decided, mut words) = (Decisions::of_key(key), Vec::new());
            module.instantiate(&key, &mut words).expect("a key that it takes");
            assert_eq!(words, lowered.emit(Some(&decided)).expect("a module").words, "{key}");
            support::spirv_val(&words, &target).unwrap_or_else(|problem| panic!("{key}: {problem}"));
        }
    }
}

/// OpKill and OpTerminateInvocation need nothing else.
#[test]
fn a_test_of_alpha_discards_on_each_target() {
    let path = support::root().join("tests/corpus/stages/colors_fragment.nir");
    for (target, kill) in [("vulkan1.0", Op::Kill), ("vulkan1.2", Op::Kill), ("vulkan1.3", Op::TerminateInvocation)] {
        let target = Target::preset(target).expect("a preset");
        let (name, shader) = shaders(&path).remove(0);
        let module = super::Lowered::new(name, shader, &target).and_then(|it| it.emit(None)).expect("a module");
        assert_eq!([0, Key::alpha_test(6)].map(|key| ops(&module, key, kill)), [0, 1]);
    }
}

#[test]
fn a_test_of_alpha_is_never_early() {
    let modes = |module: &Module, bits| count(module, bits, |inst| inst[0] == 3 << 16 | 16 && inst[2] == 9);
    let module = modules("colors_fragment.nir").remove(1);
    let test = Key::alpha_test(5);
    let keys = [0, Key::EARLY_FRAGMENT_TESTS, test, Key::EARLY_FRAGMENT_TESTS | test];
    assert_eq!(keys.map(|key| modes(&module, key)), [0, 1, 0, 0]);
    // Integers have no alpha.
    let integers = constant(4) + &store("xyzw", "FRAG_RESULT_DATA0").replace("float32", "uint32");
    let module = emit(shader("FRAGMENT", "", &integers));
    assert_eq!(keys.map(|key| modes(&module, key)), [0, 1, 0, 1]);
    assert_eq!(module.seen & Key::ALPHA_TEST, 0);
}

/// A module of a driver that has no facts in push constants.
fn without_facts(mut nir: ntv::Shader) -> Module {
    Translator::default().translate(&mut nir, &EmitOptions::default().offer(OFFER)).expect("a module")
}

/// A shader with an alpha needs the reference; one without takes every test, of which only one never passes.
#[test]
fn tests_of_alpha_need_a_reference() {
    let module = without_facts(shader("FRAGMENT", "", &(constant(4) + &store("xyzw", "FRAG_RESULT_DATA0"))));
    let refused = refusal(&module, "alpha_test=less");
    assert!(refused.starts_with("the fragment module cannot take `alpha_test` in a key: it takes strip,"), "{refused}");
    for slot in ["FRAG_RESULT_DATA1", "FRAG_RESULT_DEPTH"] {
        let (n, components) = if slot.ends_with("DEPTH") { (1, "x") } else { (4, "xyzw") };
        let module = without_facts(shader("FRAGMENT", "", &(constant(n) + &store(components, slot))));
        for function in 0..8 {
            let discards = ops(&module, Key::alpha_test(function), Op::TerminateInvocation);
            assert_eq!(
                (discards, pushes(&module, Key::alpha_test(function))),
                (usize::from(function == 1), 0),
                "{slot}"
            );
        }
    }
}

/// One variable of push constants serves the shader and the test, whichever the shader reads.
#[test]
fn pushed_facts_are_in_the_variable_of_the_shader() {
    let read = "    32 %2 = @load_push_constant (%0) (base=0, range=4, align_mul=16, align_offset=0)\n    32x4 %1 = vec4 %2, %2, %2, %2\n";
    let dynamic = "    32x4 %3 = @load_frag_coord\n    32 %4 = mov %3.x\n    32 %5 = f2i32 %4\n    32 %6 = load_const (0x00000002)\n    32 %7 = ishl %5, %6\n    32 %2 = @load_push_constant (%7) (base=0, range=16, align_mul=4, align_offset=0)\n    32x4 %1 = vec4 %2, %2, %2, %2\n";
    let header = "// ntv: struct=gfx_pushconst { uint[1] alpha_reference offset=16 stride=4, float other offset=0 }\ndecl_var push_const INTERP_MODE_NONE none gfx_pushconst gfx_pushconst\n";
    for body in [read, dynamic] {
        let nir = shader("FRAGMENT", header, &(body.to_string() + &store("xyzw", "FRAG_RESULT_DATA0")));
        let translated = |decided: Option<&Decisions>| {
            let options = EmitOptions::default().offer(OFFER).push_constants(PUSHED).decided(decided);
            Translator::default().translate(&mut nir.clone(), &options).expect("a module")
        };
        let module = translated(None);
        for bits in (0..8).map(Key::alpha_test) {
            assert_eq!(pushes(&module, bits), 1);
            let (key, mut words) = (Key { size: [8; 2], ..Key::new(bits) }, Vec::new());
            module.instantiate(&key, &mut words).expect("a key that it takes");
            support::spirv_val(&words, &Target::default()).expect("a valid module");
            assert_eq!(words, translated(Some(&Decisions::of_key(key))).words);
        }
    }
}

/// A shader that reads no push constants has a variable for the reference. One with a struct of push constants needs a member.
#[test]
fn the_reference_is_at_its_offset() {
    let header = "// ntv: struct=facts { float other offset=0, uint[1] alpha_reference offset=20 stride=4 }\ndecl_var push_const INTERP_MODE_NONE none facts facts\n";
    let reads = "    32 %2 = deref_var &facts (push_const facts)\n    32 %3 = deref_struct &%2->other (push_const float)\n    32 %4 = @load_deref (%3) (access=none)\n    32x4 %1 = vec4 %4, %4, %4, %4\n";
    for (body, places) in [(constant(4), vec![0, 20, 36]), (reads.to_string(), vec![0, 20])] {
        let nir = shader("FRAGMENT", header, &(body + &store("xyzw", "FRAG_RESULT_DATA0")));
        for place in [0, 18, 20, 36] {
            let pushed = PushConstants { alpha_reference: Some(place), point_size: None };
            let options = EmitOptions::default().offer(OFFER).push_constants(pushed);
            let module = Translator::default().translate(&mut nir.clone(), &options).expect("a module");
            assert_eq!(module.seen & Key::ALPHA_TEST != 0, places.contains(&place), "{place}");
            if places.contains(&place) {
                let at = [Decoration::Offset as u32, place];
                let decorates = |inst: &[u32]| inst[0] & 0xffff == Op::MemberDecorate as u32 && inst[3..] == at;
                assert_eq!(count(&module, Key::alpha_test(1), decorates), 1);
            }
        }
    }
}

/// Without a size of points in the push constants it is 1.
#[test]
fn the_size_of_points_is_pushed() {
    let one = [4 << 16 | Op::Constant as u32, 1f32.to_bits()];
    let ones = |module: &Module| count(module, Key::POINT_SIZE, |inst| inst.len() == 4 && [inst[0], inst[3]] == one);
    for module in modules("colors_vertex.nir") {
        assert_eq!([0, Key::POINT_SIZE].map(|key| pushes(&module, key)), [0, 1]);
    }
    let module = without_facts(vertex(&["VAR0"]));
    assert_eq!(([0, Key::POINT_SIZE].map(|key| pushes(&module, key)), ones(&module)), ([0, 0], 1));
}

/// An array is not clamped, and neither are parts of outputs that are captured, so keys with the option are refused.
#[test]
fn colors_that_cannot_be_clamped_are_refused() {
    let array = "decl_var shader_out INTERP_MODE_NONE none vec4[2] colors (FRAG_RESULT_DATA0.xyzw, 0, 0)\n";
    let body = constant(4)
        + "    32 %2 = deref_var &colors (shader_out vec4[2])\n    32 %3 = deref_array &(*%2)[1] (shader_out vec4)\n    @store_deref (%3, %1) (wrmask=xyzw, access=none)\n";
    let module = emit(shader("FRAGMENT", array, &body));
    assert!(refusal(&module, "clamp_colors").contains("cannot take `clamp_colors`"));
    assert!(refusal(&module, "alpha_test=less").contains("cannot take `alpha_test`"));
    let part = "// ntv: xfb=COL0.y:0+0/4\n";
    let body = constant(4) + &store("xyzw", "VARYING_SLOT_COL0");
    assert!(refusal(&emit(shader("VERTEX", part, &body)), "clamp_colors").contains("cannot take `clamp_colors`"));
    let whole = "// ntv: xfb=COL0.xyzw:0+0/16\n";
    assert_ne!(emit(shader("VERTEX", whole, &body)).seen & Key::CLAMP_COLORS, 0);
    let options = Options::default().captures(ntv::capture::BackEnd::Storage);
    let mut nir = shader("VERTEX", whole, &body);
    let module = Translator::new(options).translate(&mut nir, &EmitOptions::default().offer(OFFER)).expect("a module");
    assert!(refusal(&module, "clamp_colors").contains("cannot take `clamp_colors`"));
}
