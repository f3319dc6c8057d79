// SPDX-License-Identifier: MIT

//! Each row of the table of options has a test, which fails if the option has no effect.

use super::drawn::DRAWN;
use super::programs::{emit, fragment};
use super::stages::shader;
use super::{angle, corpus, patches, programs, support};
use ntv::module::{Mechanism, OptionId, OPTIONS};
use ntv::{Key, Module};
use spirv::{Decoration, ExecutionMode, Op, StorageClass};

/// The test of each option that is not tested by pictures.
const TESTS: &[(OptionId, fn())] = &[
    (OptionId::Bindings, patches::each_kind_of_patch_is_filled_and_decided),
    (OptionId::DescriptorCounts, patches::arrays_of_descriptors_get_their_length),
    (OptionId::Locations, programs::unread_outputs_are_removed_and_locations_are_packed),
    (OptionId::VaryingPrecision, angle::less_precision_needs_both_sides),
    (OptionId::PatchVertices, patches::each_kind_of_patch_is_filled_and_decided),
    (OptionId::WorkgroupSize, patches::specialization_constants_keep_their_new_number),
    (OptionId::SpecConstants, patches::specialization_constants_keep_their_new_number),
    (OptionId::Strip, stripped_words_are_without_names_and_lines),
    (OptionId::EarlyFragmentTests, tests_are_early_only_where_that_changes_nothing),
    (OptionId::NoCapture, programs::captures_move_and_keep_their_outputs),
    (OptionId::SampleShading, angle::sample_shading_is_the_fragment_stages_alone),
    (OptionId::InlinedUniforms, inlined_uniforms_are_constants),
    (OptionId::DualSource, the_second_output_is_the_second_source),
    (OptionId::PointSprites, texture_coordinates_of_sprites_are_point_coordinates),
    (OptionId::ShadowSwizzles, components_of_old_style_comparisons_are_swizzled),
];

#[test]
fn each_option_has_a_reason_and_a_test() {
    let tested = || TESTS.iter().map(|test| test.0).chain(DRAWN.iter().copied());
    for row in OPTIONS {
        assert!(!row.why.is_empty() && row.stages != 0, "{} has no reason", row.name);
        // Options that a driver implements with states and uniforms are not in the words.
        let in_words = matches!(row.mechanism, Mechanism::Patch | Mechanism::Range | Mechanism::SpecConstant);
        assert_eq!(tested().filter(|option| *option == row.id).count(), usize::from(in_words), "{}", row.name);
    }
}

/// For each option there are shaders in the corpus with words that it changes, so `equality` compares its words.
#[test]
fn the_corpus_has_words_for_each_option() {
    let modules: Vec<Module> = corpus().iter().filter_map(|lowered| lowered.emit(None)).collect();
    let words = |module: &Module, bits| {
        let mut words = Vec::new();
        module
            .instantiate(&Key { bits, size: [8; 2], uniforms: [1, 2, 3, 4], swizzles: [0x91; 8] }, &mut words)
            .expect("a key that it takes");
        words
    };
    for row in OPTIONS.iter().filter(|row| row.mask != 0) {
        let bit = 1 << row.mask.trailing_zeros();
        let with_words: Vec<&Module> = modules.iter().filter(|module| module.seen & bit != 0).collect();
        let changed = with_words.iter().filter(|module| words(module, bit) != words(module, 0)).count();
        assert!(changed > 0, "{}: {changed} of {} modules differ", row.name, with_words.len());
        let stages = with_words.iter().fold(0, |stages, module| stages | module.stage.bit());
        assert_eq!(stages & !row.stages, 0, "{} changes words of other stages", row.name);
    }
}

/// The instructions in the words for a key.
pub(super) fn instructions(module: &Module, key: &Key) -> Vec<Vec<u32>> {
    let mut words = Vec::new();
    module.instantiate(key, &mut words).expect("a key that it takes");
    let (mut at, mut all) = (5, Vec::new());
    while at < words.len() {
        let end = at + (words[at] >> 16) as usize;
        all.push(words[at..end].to_vec());
        at = end;
    }
    all
}

/// The number of these instructions in the words for a key.
pub(super) fn count(module: &Module, key: u64, is_it: impl Fn(&[u32]) -> bool) -> usize {
    instructions(module, &Key::new(key)).iter().filter(|inst| is_it(inst)).count()
}

#[test]
fn stripped_words_are_without_names_and_lines() {
    let debug = [Op::Name, Op::MemberName, Op::Line, Op::NoLine, Op::String, Op::Source].map(|op| op as u32);
    let is_debug = |inst: &[u32]| debug.contains(&(inst[0] & 0xffff));
    for module in corpus().iter().step_by(5).map(|lowered| lowered.emit(None).expect("a module")) {
        assert!(count(&module, 0, is_debug) > 0);
        assert_eq!(count(&module, Key::STRIP, is_debug), 0);
    }
}

/// Tests may be early if only colours are written. A shader that declares early tests has them with every key.
#[test]
fn tests_are_early_only_where_that_changes_nothing() {
    let is_mode = |inst: &[u32]| {
        inst[0] == 3 << 16 | Op::ExecutionMode as u32 && inst[2] == ExecutionMode::EarlyFragmentTests as u32
    };
    let early = |module: &Module| [0, Key::EARLY_FRAGMENT_TESTS].map(|key| count(module, key, is_mode));
    assert_eq!(early(&emit(fragment(&["VAR0"]))), [0, 1]);
    let result = |slot: &str, value: &str, mask: &str, ty: &str| {
        format!("    @store_output ({value}, %0) (base=1, range=1, wrmask={mask}, component=0, src_type={ty}, io location=FRAG_RESULT_{slot} slots=1)\n")
    };
    let colour = "    32x4 %1 = @load_frag_coord\n".to_string() + &result("DATA0", "%1", "xyzw", "float32");
    assert_eq!(early(&emit(shader("FRAGMENT", "", &colour))), [0, 1]);
    assert_eq!(early(&emit(shader("FRAGMENT", "early_fragment_tests: true\n", &colour))), [1, 1]);
    let condition = "    32 %2 = mov %1.x\n    1 %3 = flt %2, %0\n";
    let effects = [
        format!("{condition}    @demote_if (%3)\n"),
        format!("{condition}    @terminate_if (%3)\n"),
        "    32 %2 = mov %1.x\n".to_string() + &result("DEPTH", "%2", "x", "float32"),
        result("SAMPLE_MASK", "%0", "x", "int32"),
        "    @store_ssbo (%1, %0, %0) (wrmask=xyzw, access=none, align_mul=16, align_offset=0)\n".to_string(),
        "    32 %2 = @ssbo_atomic (%0, %0, %0) (access=none, atomic_op=iadd)\n".to_string(),
    ];
    for effect in effects {
        let header = if effect.contains("ssbo") { "num_ssbos: 1\n" } else { "" };
        let module = emit(shader("FRAGMENT", header, &(colour.clone() + &effect)));
        assert_eq!(early(&module), [0, 0], "{effect}");
        let mut words = Vec::new();
        module
            .instantiate(&Key { size: [8; 2], ..Key::new(Key::ALL & module.offered) }, &mut words)
            .expect("a key that it takes");
        support::spirv_val(&words, &ntv::Target::default()).expect("a valid module");
    }
}

/// A fragment shader that writes a colour and has these instructions before it.
fn colour_after(body: &str) -> Module {
    emit(shader("FRAGMENT", "", &(body.to_string() + &store("%9", 0))))
}

/// The mask that a shader writes becomes Private memory, which it may still read; the mask that it reads stays an input.
#[test]
fn an_ignored_mask_of_samples_is_private() {
    let module = colour_after("    32 %1 = @load_sample_mask_in\n    @store_output (%1, %0) (base=1, range=1, wrmask=x, component=0, src_type=int32, io location=FRAG_RESULT_SAMPLE_MASK slots=1)\n    32x4 %9 = vec4 %1, %1, %1, %1\n");
    let variables = |key, class: StorageClass| {
        count(&module, key, |inst| inst[0] == 4 << 16 | Op::Variable as u32 && inst[3] == class as u32)
    };
    let masks = |key| {
        let mask = [Decoration::BuiltIn as u32, spirv::BuiltIn::SampleMask as u32];
        count(&module, key, |inst| inst[0] == 4 << 16 | Op::Decorate as u32 && inst[2..] == mask)
    };
    let all = |key| [StorageClass::Input, StorageClass::Output, StorageClass::Private].map(|it| variables(key, it));
    assert_eq!((all(0), masks(0)), ([1, 2, 0], 2));
    assert_eq!((all(Key::NO_SAMPLE_MASK), masks(Key::NO_SAMPLE_MASK)), ([1, 1, 1], 1));
    assert_ne!(module.seen & Key::NO_SAMPLE_MASK, 0);
    // A shader without a mask has no words for it, nor for points if it does not read their coordinates.
    let coord = colour_after("    32x4 %9 = @load_frag_coord\n");
    assert_eq!(coord.seen & (Key::NO_SAMPLE_MASK | Key::FLIP_POINT_COORD), 0);
}

/// A flip of gl_PointCoord leaves gl_FragCoord alone, and needs no size of the framebuffer.
#[test]
fn only_gl_point_coord_is_flipped() {
    let module = colour_after(
        "    32x4 %1 = @load_frag_coord\n    32x2 %2 = @load_point_coord\n    32x4 %9 = vec4 %1.x, %1.y, %2.x, %2.y\n",
    );
    let privates = |key| {
        let private = 4 << 16 | Op::Variable as u32;
        count(&module, key, |inst| inst[0] == private && inst[3] == StorageClass::Private as u32)
    };
    assert_eq!([0, Key::FLIP_POINT_COORD].map(privates), [0, 1]);
    let key = Key::new(Key::FLIP_POINT_COORD);
    assert_eq!(module.masked(&Key { size: [640, 480], ..key }), key);
    let both = Key::FLIP_POINT_COORD | Key::FLIP_Y;
    assert!(refusal(&module, "flip_y,flip_point_coord").contains("needs the height"));
    module.instantiate(&Key { size: [640, 480], ..Key::new(both) }, &mut Vec::new()).expect("a key that it takes");
}

/// The message of a module for a key that is not possible.
pub(super) fn refusal(module: &Module, key: &str) -> String {
    let mut words = vec![1];
    let key = Key::parse(key).expect("a key");
    let error = module.instantiate(&key, &mut words).expect_err("no words");
    assert!(words.is_empty() && error.kind == ntv::ErrorKind::Argument);
    error.message
}

#[test]
fn a_key_that_a_module_cannot_take_is_refused() {
    let own = emit(fragment(&["VAR0"]));
    let mut words = Vec::new();
    own.instantiate(&Key::default(), &mut words).expect("a key that it takes");
    let imported = ntv::import::import(&words).expect("a module");
    assert!(imported.instantiate(&Key::new(Key::STRIP | Key::NO_CAPTURE), &mut words).is_ok());
    let refused = "the fragment module cannot take `flip_y` in a key: it takes strip";
    assert_eq!(refusal(&imported, "strip,flip_y"), refused);
    let refused = "the fragment module cannot take `sample_shading,dither` in a key: it takes strip";
    assert_eq!(refusal(&imported, "dither1=565,sample_shading"), refused);
    // Options without meaning in a fragment shader are for the stages before it.
    assert!(imported.instantiate(&Key::new(Key::DISCARD | Key::GL_DEPTH), &mut words).is_ok());
    let unknown = own.instantiate(&Key::new(1 << 63), &mut words).expect_err("no words");
    assert!(unknown.message.contains("`0x8000000000000000`"), "{unknown}");
    // Nor can a module whose key is decided.
    let decided = own.link(&ntv::module::Decisions::of_key(Key::new(Key::STRIP)));
    assert_eq!(refusal(&decided, "flip_y"), "the fragment module cannot take `flip_y` in a key: it takes no option");
}

#[test]
fn a_variant_is_written_to_memory_of_its_size() {
    let module = emit(fragment(&["VAR0"]));
    let (key, mut expected) = (Key::new(Key::STRIP | Key::dither(0, 1)), Vec::new());
    module.instantiate(&key, &mut expected).expect("a key that it takes");
    let variant = module.variant(&key).expect("a key that it takes");
    let mut words = vec![u32::MAX; variant.num_words()];
    assert_eq!((variant.write(&mut words), &words), (Ok(()), &expected));
    for len in [0, words.len() - 1] {
        let error = variant.write(&mut words[..len]).expect_err("too little memory");
        assert_eq!(error.message, format!("a variant of {} words cannot be {len} words", words.len()));
    }
    assert!(module.variant(&Key::new(1 << 63)).is_err());
}

#[test]
fn a_key_that_needs_a_size_is_refused_without() {
    let coord = "    32x4 %1 = @load_frag_coord\n    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n";
    let module = emit(shader("FRAGMENT", "", coord));
    let needs = |side: &str, turn: &str| {
        format!(
            "`{turn}` in a key needs the {side} of the framebuffer (size=WIDTHxHEIGHT): the shader reads gl_FragCoord"
        )
    };
    assert_eq!(refusal(&module, "flip_y"), needs("height", "flip_y"));
    assert_eq!(refusal(&module, "swap_xy,flip_x,size=0x8"), needs("width", "swap_xy,flip_x"));
    for key in ["swap_xy", "flip_y,size=0x8", "flip_x,size=8x0", "flip_x,flip_y,size=8x8"] {
        module.instantiate(&Key::parse(key).expect("a key"), &mut Vec::new()).expect("a key that it takes");
    }
    // A shader that does not read it needs none; nor does a program, which checks each stage in the same way.
    let plain = emit(fragment(&["VAR0"]));
    plain.instantiate(&Key::new(Key::FLIP_Y), &mut Vec::new()).expect("a key that it takes");
    let vertex = emit(super::programs::vertex(&["VAR0"]));
    for (fragment, refused) in [(plain, false), (module, true)] {
        let stages = [vertex.clone(), fragment].into_iter().zip(0..);
        let shaders = stages.map(|(module, id)| ntv::variant::NumberedModule { id, module: module.into() });
        let program = ntv::variant::Program::new(shaders.collect()).expect("a program");
        assert_eq!(program.keys(&Key::new(Key::FLIP_Y)).is_err(), refused);
    }
}

/// Block 0 is read at words 1 and 9, whose values are in keys, and at word 8; block 1 at word 1.
#[test]
fn inlined_uniforms_are_constants() {
    let header = "inlinable_uniform_dw_offsets: {9, 1, 0, 0}\nnum_inlinable_uniforms: 2\nnum_ubos: 2\n";
    let load = |result: &str, block: &str, offset: &str| {
        format!("    {result} = @load_ubo ({block}, {offset}) (access=none, align_mul=4, align_offset=0, range_base=0, range=-1)\n")
    };
    let module = emit(shader(
        "FRAGMENT",
        header,
        &[
            "    32 %1 = load_const (0x00000001)\n    32 %2 = load_const (0x00000004)\n    32 %3 = load_const (0x00000020)\n",
            &load("32 %4", "%0", "%2"),
            &load("32x2 %5", "%0", "%3"),
            &load("32 %6", "%1", "%2"),
            "    32x4 %7 = vec4 %4, %5.x, %5.y, %6\n",
            &store("%7", 0),
        ]
        .concat(),
    ));
    assert_eq!(module.seen & Key::INLINED_UNIFORMS, Key::INLINED_UNIFORMS);
    let constants = |key: &str, value: u32| {
        let all = instructions(&module, &Key::parse(key).expect("a key"));
        all.iter().filter(|inst| inst[0] == 4 << 16 | Op::Constant as u32 && inst[3] == value).count()
    };
    let inlined = "uniform0=123456,uniform1=654321,uniform2=777777";
    let seen = [123456, 654321, 777777].map(|value| (constants("", value), constants(inlined, value)));
    assert_eq!(seen, [(0, 1), (0, 1), (0, 0)]);
    // A value that the module does not read makes no other variant.
    let key = Key::parse("uniform0=1,uniform2=3").expect("a key");
    assert_eq!(module.masked(&key), Key::parse("uniform0=1").expect("a key"));
    assert_eq!(module.masked(&Key { uniforms: [1; 4], ..Key::default() }), Key::default());
}

/// A store to a colour.
fn store(value: &str, slot: u32) -> String {
    format!("    @store_output ({value}, %0) (base={slot}, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA{slot} slots=1)\n")
}

#[test]
fn the_second_output_is_the_second_source() {
    let white = "    32x4 %1 = load_const (0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000)\n";
    let module = emit(shader("FRAGMENT", "", &[white, &store("%1", 0), &store("%1", 1)].concat()));
    let decorated = |key, decoration: Decoration, value| {
        count(&module, key, |inst| inst[0] == 4 << 16 | Op::Decorate as u32 && inst[2..] == [decoration as u32, value])
    };
    let counts = |key| {
        let rows = [(Decoration::Location, 0), (Decoration::Location, 1), (Decoration::Index, 1)];
        rows.map(|(decoration, value)| decorated(key, decoration, value))
    };
    assert_eq!([0, Key::DUAL_SOURCE].map(counts), [[1, 1, 0], [2, 0, 1]]);
    // A shader with one output, or with sources of its own, has nothing to change.
    assert_eq!(emit(shader("FRAGMENT", "", &[white, &store("%1", 0)].concat())).seen & Key::DUAL_SOURCE, 0);
}

/// The copied value of an input is that of the point coordinate; each coordinate has a bit of its own.
#[test]
fn texture_coordinates_of_sprites_are_point_coordinates() {
    let module = emit(fragment(&["TEX0", "TEX2", "VAR0"]));
    assert_eq!(module.seen & Key::POINT_SPRITES, Key::point_sprite(0) | Key::point_sprite(2));
    // The opcodes of the copied values.
    let copied = |key: u64| {
        let all = instructions(&module, &Key::new(key));
        let is_result = |id: u32| move |inst: &&Vec<u32>| inst.len() > 2 && inst[2] == id;
        let copies = all.iter().filter(|inst| inst[0] & 0xffff == Op::CopyObject as u32);
        let values = copies.map(|copy| all.iter().rfind(is_result(copy[3])).expect("a definition"));
        values.map(|inst| inst[0] & 0xffff).collect::<Vec<u32>>()
    };
    let (load, construct) = (Op::Load as u32, Op::CompositeConstruct as u32);
    assert_eq!(copied(0), [load, load]);
    assert_eq!(copied(Key::point_sprite(2)), [load, construct]);
    assert_eq!(copied(Key::POINT_SPRITES), [construct, construct]);
}

/// A key cannot replace one element of an array that is indexed dynamically.
#[test]
fn dynamic_texture_coordinates_take_no_sprites() {
    let body = "    32x4 %1 = @load_frag_coord\n    32 %2 = mov %1.x\n    32 %3 = f2i32 %2\n    32x2 %4 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    32x4 %5 = @load_interpolated_input (%4, %3) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_TEX0 slots=4)\n";
    let module = emit(shader("FRAGMENT", "", &(body.to_string() + &store("%5", 0))));
    assert_eq!(module.offered & Key::POINT_SPRITES, 0);
    assert!(refusal(&module, "sprite0").starts_with("the fragment module cannot take `point_sprites`"));
    module.instantiate(&Key::default(), &mut Vec::new()).expect("a key that it takes");
}

/// Two old-style comparisons, of textures 1 and 3, and a new-style one, which no key changes.
#[test]
fn components_of_old_style_comparisons_are_swizzled() {
    let module = emit(shadows(3));
    assert_eq!(module.seen & Key::SHADOW_SWIZZLES, Key::SHADOW_SWIZZLES);
    // The components that are the constants 0 and 1 instead of a comparison.
    let constants = |key: &str| {
        let all = instructions(&module, &Key::parse(key).expect("a key"));
        let constant = |value: f32| {
            let is_it = |inst: &&Vec<u32>| inst[0] == 4 << 16 | Op::Constant as u32 && inst[3] == value.to_bits();
            all.iter().filter(is_it).map(|inst| inst[2]).collect::<Vec<u32>>()
        };
        let known = [constant(0.0), constant(1.0)];
        let vectors = all.iter().filter(|inst| inst[0] == 7 << 16 | Op::CompositeConstruct as u32);
        let letter = |id: &u32| known.iter().position(|ids| ids.contains(id)).map_or('r', |value| ['0', '1'][value]);
        vectors.map(|vector| vector[3..].iter().map(letter).collect::<String>()).collect::<Vec<String>>()
    };
    assert_eq!(constants(""), ["rrrr", "rrrr", "rrrr"]);
    assert_eq!(constants("shadow_swizzles"), ["rrrr", "rrrr", "rrrr"]);
    assert_eq!(constants("swizzle1=rrr1,swizzle3=0r1r,swizzle2=1111"), ["rrr1", "0r1r", "rrrr"]);
    // A swizzle that no comparison has makes no other variant.
    let key = Key::parse("swizzle1=rrr1,swizzle2=1111").expect("a key");
    assert_eq!(module.masked(&key), Key::parse("swizzle1=rrr1").expect("a key"));
    // There are no keys for textures with a higher number: zink compiles.
    let module = emit(shadows(8));
    assert!(refusal(&module, "swizzle1=rrr1").starts_with("the fragment module cannot take `shadow_swizzles`"));
}

/// A shader that stores the sum of old-style comparisons of textures 1 and `second`, and of a new-style one of texture 1.
fn shadows(second: u32) -> ntv::Shader {
    let variable = |name: &str, number: u32| {
        format!("decl_var uniform INTERP_MODE_NONE none sampler2DShadow {name} (0, {number}, {number})\n")
    };
    let compare = |result: &str, texture: &str| {
        format!("    {result} = (float32)tex {texture} (texture_deref), {texture} (sampler_deref), %2 (coord), %3 (comparator)\n")
    };
    let body = [
        "    32x2 %2 = load_const (0x3f000000, 0x3f000000)\n    32 %3 = load_const (0x3e800000)\n",
        "    32 %4 = deref_var &first (uniform sampler2DShadow)\n    32 %5 = deref_var &second (uniform sampler2DShadow)\n",
        &compare("32x4 %6", "%4"),
        &compare("32x4 %7", "%5"),
        &compare("32 %8", "%4"),
        "    32x4 %9 = vec4 %8, %8, %8, %8\n    32x4 %10 = fadd %6, %7\n    32x4 %11 = fadd %9, %10\n",
        &store("%11", 0),
    ];
    shader("FRAGMENT", &[variable("first", 1), variable("second", second)].concat(), &body.concat())
}
