// SPDX-License-Identifier: MIT

//! Programs of several stages: the variants that they need, the results of links, and the contents of the cache.

use super::stages::{self, shader};
use super::{corpus, keys, support, Lowered};
use ntv::ir::Capture;
use ntv::link::{link, Linked};
use ntv::module::{Assignment, Decisions, OPTIONS, PRIVATE};
use ntv::variant::{likely_keys, Cache, NumberedModule, Program};
use ntv::{Key, Module, Target};
use ntv_gen::Random;

pub(super) const OUTPUT: &str = "wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT";

/// A vertex shader that writes its position and, from `%1`, these slots.
pub(super) fn vertex(slots: &[&str]) -> ntv::Shader {
    let mut body = "    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)\n".to_string();
    for (base, slot) in std::iter::once(&"POS").chain(slots).enumerate() {
        let (value, mask) = if *slot == "PSIZ" { ("%2", "x") } else { ("%1", "xyzw") };
        if *slot == "PSIZ" {
            body += "    32 %2 = mov %1.x\n";
        }
        let output = OUTPUT.replace("xyzw", mask);
        body += &format!("    @store_output ({value}, %0) (base={base}, range=1, {output}_{slot} slots=1)\n");
    }
    shader("VERTEX", "", &body)
}

/// A fragment shader that adds up these slots.
pub(super) fn fragment(slots: &[&str]) -> ntv::Shader {
    let mut body = "    32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    32x4 %2 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)\n".to_string();
    let mut id = 3;
    for (base, slot) in slots.iter().enumerate() {
        body += &format!(
            "    32x4 %{id} = @load_interpolated_input (%1, %0) (base={base}, component=0, dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n    32x4 %{} = fadd %{id}, %{}\n",
            id + 1,
            id - 1
        );
        id += 2;
    }
    body += &format!("    @store_output (%{}, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n", id - 1);
    shader("FRAGMENT", "", &body)
}

pub(super) fn emit(shader: ntv::Shader) -> Module {
    let lowered = Lowered::new("a stage".to_string(), shader, &Target::default()).expect("a shader that is emitted");
    lowered.emit(None).expect("a module")
}

/// Links stages; the results are valid separately for all keys.
pub(super) fn linked<const N: usize>(stages: [ntv::Shader; N]) -> Linked {
    let modules = stages.map(emit);
    let linked = link(&modules.each_ref(), Vec::new()).expect("a link");
    let mut words = Vec::new();
    for module in &linked.modules {
        module.check().expect("sound tables");
        for key in keys(module, &mut Random::new(1)) {
            module.instantiate(&key, &mut words).expect("a key that it takes");
            support::spirv_val(&words, &Target::default()).unwrap_or_else(|problem| panic!("{key}: {problem}"));
        }
    }
    linked
}

/// The remaining Locations of a stage's outputs or inputs.
pub(super) fn locations(module: &Module, outputs: bool) -> Vec<u32> {
    let left = module.interface.iter().filter(|it| it.is_output == outputs && !it.removed && it.builtin.is_none());
    left.map(|varying| varying.location).collect()
}

/// All Locations of the varyings of one side: an array has several.
fn taken(module: &Module, outputs: bool) -> Vec<u32> {
    let left = module.interface.iter().filter(|it| it.is_output == outputs && !it.removed && it.builtin.is_none());
    left.flat_map(|varying| varying.location..varying.location + varying.locations).collect()
}

#[test]
pub(super) fn unread_outputs_are_removed_and_locations_are_packed() {
    let linked = linked([vertex(&["VAR0", "VAR1", "VAR2"]), fragment(&["VAR2", "VAR0"])]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (1, 0));
    assert_eq!(locations(&linked.modules[0], true), [0, 1]);
    let mut inputs = locations(&linked.modules[1], false);
    inputs.sort_unstable();
    assert_eq!(inputs, [0, 1]);
    let private = [4 << 16 | 59, PRIVATE];
    let mut words = Vec::new();
    linked.modules[0].instantiate(&Key::default(), &mut words).expect("a key that it takes");
    assert!(words.windows(4).any(|inst| [inst[0], inst[3]] == private), "a Private variable");
}

/// A control shader that writes, and an evaluation shader that reads, an array of `vertices` slots of each vertex and one of
/// `patches` slots.
fn tessellation(vertices: usize, patches: usize) -> [Module; 2] {
    let evaluated = format!(
        "    32 %4 = @load_primitive_id
    32 %1 = @load_input (%4) (base=0, range={patches}, component=0, dest_type=float32, io location=VARYING_SLOT_PATCH0 slots={patches})
    32 %2 = @load_per_vertex_input (%0, %4) (base=0, range={vertices}, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots={vertices})
    32x4 %3 = vec4 %1, %2, %1, %2
    @store_output (%3, %0) (base=0, range=1, {OUTPUT}_POS slots=1)
"
    );
    let control = format!(
        "    32 %1 = @load_invocation_id
    32 %2 = load_const (0x3f800000)
    @store_per_vertex_output (%2, %1, %1) (base=0, range={vertices}, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots={vertices})
    @store_output (%2, %1) (base=0, range={patches}, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PATCH0 slots={patches})
"
    );
    [
        shader("TESS_CTRL", "tcs_vertices_out: 4\n", &control),
        shader("TESS_EVAL", "primitive_mode: 2\nspacing: 1\nccw: true\n", &evaluated),
    ]
    .map(emit)
}

#[test]
fn patches_follow_vertices_where_they_fit() {
    for (vertices, patches, first_patch) in [(16, 16, 16), (16, 17, 0)] {
        let modules = tessellation(vertices, patches);
        let linked = link(&modules.each_ref(), Vec::new()).expect("a link");
        for (module, outputs) in linked.modules.iter().zip([true, false]) {
            let located = module.interface.iter().filter(|it| it.is_output == outputs && it.builtin.is_none());
            let mut found: Vec<_> = located.map(|it| (it.patch, it.location, it.locations as usize)).collect();
            found.sort_unstable();
            assert_eq!(found, [(false, 0, vertices), (true, first_patch, patches)]);
        }
    }
}

#[test]
fn an_input_that_no_stage_writes_has_a_value() {
    let linked = linked([vertex(&["VAR0"]), fragment(&["VAR0", "VAR1", "COL0"])]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (0, 2));
    assert_eq!(locations(&linked.modules[1], false), locations(&linked.modules[0], true));
}

#[test]
fn stages_without_a_common_varying_link() {
    let linked = linked([vertex(&["VAR3"]), fragment(&["VAR4"])]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (1, 1));
}

/// Inputs that overlap are one variable for each Location: the emitter never gets two.
#[test]
fn attributes_may_alias() {
    let input = |id: u32, n: u32, at: u32, component: u32, slots: u32, ty: &str| {
        format!("    32x{n} %{id} = @load_input (%{at}) (base=0, range={slots}, component={component}, dest_type={ty}, io location=VERT_ATTRIB_GENERIC0 slots={slots})\n")
    };
    // A vec4 of lower precision, the second column of a mat2 at the same Location, and an ivec2 that extends beyond the vec4.
    let inputs = [
        input(2, 4, 0, 0, 1, "float32").replace("slots=1)", "slots=1 mediump)"),
        input(3, 2, 1, 0, 2, "float32"),
        input(4, 2, 0, 2, 1, "int32"),
    ];
    let body = "    32 %1 = load_const (0x00000001)\n".to_string() + &inputs.concat();
    let module = emit(shader(
        "VERTEX",
        "",
        &format!("{body}    32x4 %5 = vec4 %2.x, %3.y, %4.x, %4.y\n    @store_output (%5, %0) (base=0, range=1, {OUTPUT}_POS slots=1)\n"),
    ));
    let mut inputs = locations(&module, false);
    inputs.sort_unstable();
    assert_eq!(inputs, [0, 1]);
    let mut words = Vec::new();
    module.instantiate(&Key::default(), &mut words).expect("a key that it takes");
    support::spirv_val(&words, &Target::default()).expect("a valid module");
}

/// Every vertex shader of the corpus with some of its fragment shaders: each Location of one side is also on the other.
#[test]
fn stages_of_the_corpus_link() {
    let all: Vec<Lowered> = corpus().into_iter().filter(|it| it.target.vulkan == Target::default().vulkan).collect();
    let of = |stage| all.iter().filter(move |it| it.shader.stage() == stage);
    let fragments: Vec<&Lowered> = of(ntv::ir::Stage::Fragment).step_by(7).collect();
    let vertices: Vec<&Lowered> = of(ntv::ir::Stage::Vertex).collect();
    let pairs = vertices.iter().flat_map(|vertex| fragments.iter().map(move |fragment| (*vertex, *fragment)));
    let results = support::in_parallel(pairs.step_by(3).collect(), |(vertex, fragment)| {
        let modules = [vertex, fragment].map(|lowered| lowered.emit(None).expect("a module"));
        let linked = link(&modules.each_ref(), Vec::new()).expect("a link");
        let (outputs, inputs) = (taken(&linked.modules[0], true), taken(&linked.modules[1], false));
        let name = format!("{} and {}", vertex.name, fragment.name);
        let removable = linked.modules.iter().flat_map(|module| &module.interface).all(|it| {
            let ours = it.builtin.is_some() || it.removed || it.capture.is_some();
            let shares = |taken: &[u32]| (it.location..it.location + it.locations).any(|at| taken.contains(&at));
            ours || shares(&outputs) == shares(&inputs) || !it.removable
        });
        let mut words = Vec::new();
        let judged = linked.modules.iter().try_for_each(|module| {
            module.instantiate(&Key::new(Key::STRIP), &mut words).expect("a key that it takes");
            support::spirv_val(&words, &vertex.target)
        });
        if removable {
            judged.map_err(|problem| format!("{name}: {problem}"))
        } else {
            Err(format!("{name}: {outputs:?}, {inputs:?}"))
        }
    });
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} of {}, the first: {}", failures.len(), results.len(), failures[0]);
    assert!(results.len() > 100, "{} pairs", results.len());
}

#[test]
fn a_builtin_between_others_is_removed() {
    let geometry = shader(
        "GEOMETRY",
        "input_primitive: POINTS\noutput_primitive: POINTS\nvertices_in: 1\nvertices_out: 1\ninvocations: 1\nactive_stream_mask: 0x1\n",
        "    32x4 %1 = @load_per_vertex_input (%0, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_POS slots=1)\n    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)\n    @emit_vertex (stream_id=0)\n",
    );
    let linked = linked([vertex(&["PSIZ", "CLIP_DIST0"]), geometry]);
    let kept = |module: &Module| {
        let left = module.interface.iter().filter(|varying| varying.is_output && !varying.removed);
        left.filter_map(|varying| varying.builtin).collect::<Vec<u32>>()
    };
    assert_eq!(kept(&linked.modules[0]), [spirv::BuiltIn::Position as u32], "{:?}", linked.modules[0].interface);
}

#[test]
fn a_link_makes_precision_equal() {
    let [mut relaxed, mut precise] = [fragment(&["VAR0"]), vertex(&["VAR0"])]
        .map(|shader| Lowered::new(String::new(), shader, &Target::default()).expect("a shader that is emitted"));
    for variable in relaxed.shader.vars.values_mut().filter(|variable| variable.location == Some(32)) {
        variable.precision = ntv::ir::Precision::Medium;
    }
    let relaxed_count = |module: &Module| {
        let mut words = Vec::new();
        module.instantiate(&Key::default(), &mut words).expect("a key that it takes");
        words.windows(3).filter(|inst| inst[0] == 3 << 16 | 71 && inst[2] == 0).count()
    };
    let (fragment, vertex) = (relaxed.emit(None).expect("a module"), precise.emit(None).expect("a module"));
    assert_eq!((relaxed_count(&fragment), relaxed_count(&vertex)), (1, 0));
    let linked = link(&[&vertex, &fragment], Vec::new()).expect("a link");
    assert_eq!(relaxed_count(&linked.modules[1]), 0);
    for variable in precise.shader.vars.values_mut() {
        variable.precision = ntv::ir::Precision::Medium;
    }
    let vertex = precise.emit(None).expect("a module");
    let linked = link(&[&vertex, &fragment], Vec::new()).expect("a link");
    assert_eq!(relaxed_count(&linked.modules[1]), 1, "both stages relax it");
}

#[test]
pub(super) fn captures_move_and_keep_their_outputs() {
    let mut vertex = vertex(&["VAR0"]);
    let bytes = Capture { buffer: 0, stride: 16, offset: 0 };
    let mut lowered = Lowered::new(String::new(), std::mem::take(&mut vertex), &Target::default()).expect("a shader");
    for variable in lowered.shader.vars.values_mut().filter(|variable| variable.location == Some(32)) {
        variable.capture = Some(bytes);
    }
    let module = lowered.emit(None).expect("a module");
    let index = module.interface.iter().position(|varying| varying.capture.is_some()).expect("a capture");
    let captures = vec![(index as u32, Capture { buffer: 2, stride: 32, offset: 8 })];
    let assignment = Assignment { captures, ..Assignment::default() };
    let linked = link(&[&module, &emit(fragment(&[]))], vec![assignment]).expect("a link");
    assert!(!linked.modules[0].interface[index].removed);
    let mut words = Vec::new();
    linked.modules[0].instantiate(&Key::default(), &mut words).expect("a key that it takes");
    // XfbBuffer, XfbStride, Offset.
    for (decoration, value) in [(36, 2), (37, 32), (35, 8)] {
        let there = words.windows(4).any(|inst| inst[0] == 4 << 16 | 71 && inst[2..] == [decoration, value]);
        assert!(there, "decoration {decoration} is {value}");
    }
    linked.modules[0].instantiate(&Key::new(Key::NO_CAPTURE), &mut words).expect("a key that it takes");
    assert!(!words.windows(2).any(|inst| inst == [2 << 16 | 17, 53]), "TransformFeedback is still declared");
}

/// Makes all stages of a program for `key`.
fn make(program: &Program, key: &Key, cache: &mut Cache<u32>) {
    for (shader, key) in program.keys(key).expect("a key that it takes") {
        let made = cache.get(shader, &key, |words| Ok::<u32, ntv::Error>(words.len() as u32));
        made.expect("a module");
    }
}

fn program(vertex: Module, fragment: Module) -> Program {
    Program::new(vec![
        NumberedModule { id: 1, module: vertex.into() },
        NumberedModule { id: 2, module: fragment.into() },
    ])
    .expect("a program")
}

#[test]
fn a_key_bit_makes_modules_only_of_stages_that_see_it() {
    let vertex = emit(stages::vertex(&["float32"]));
    let mut fragments = 0;
    for lowered in corpus().into_iter().filter(|it| it.shader.stage() == ntv::ir::Stage::Fragment) {
        let program = program(vertex.clone(), lowered.emit(None).expect("a module"));
        // A module without a reference for the test of alpha does not take it.
        let offered = program.shaders()[1].module.offered;
        let fragment_only = OPTIONS.iter().filter(|row| row.stages == ntv::module::ShaderStage::Fragment.bit());
        for bit in fragment_only.flat_map(|row| (0..64).map(|bit| 1 << bit).filter(|bit| row.mask & offered & bit != 0))
        {
            let mut cache = Cache::new(usize::MAX);
            make(&program, &Key::default(), &mut cache);
            let before = cache.counters();
            make(&program, &Key::new(bit), &mut cache);
            let made = cache.counters().modules_made - before.modules_made;
            let sees = program.shaders()[1].module.seen & bit != 0;
            assert!(made <= u64::from(sees), "{}: bit {bit:#x} makes {made} modules", lowered.name);
            fragments += made;
        }
        let mut cache = Cache::new(usize::MAX);
        make(&program, &Key::default(), &mut cache);
        let seen = program.shaders().iter().fold(0, |seen, shader| seen | shader.module.seen);
        let before = cache.counters();
        make(&program, &Key::new(offered & !seen), &mut cache);
        let after = cache.counters();
        assert_eq!((after.modules_made, after.words_copied), (before.modules_made, before.words_copied));
        assert_eq!(after.hits, before.hits + 2);
    }
    assert!(fragments > 50, "{fragments} variants of fragment shaders");
}

#[test]
fn equal_words_are_one_module() {
    let module = emit(fragment(&["VAR0"]));
    let programs =
        [1, 2].map(|id| Program::new(vec![NumberedModule { id, module: module.clone().into() }]).expect("a program"));
    let mut cache = Cache::new(usize::MAX);
    programs.iter().for_each(|program| make(program, &Key::default(), &mut cache));
    assert_eq!((cache.counters().modules_made, cache.counters().instantiated, cache.len()), (1, 2, 1));
    cache.remove(1);
    assert_eq!(cache.len(), 1);
    cache.remove(2);
    assert!(cache.is_empty() && cache.take_evicted().len() == 1);
}

#[test]
fn the_cache_keeps_its_bound_with_ten_thousand_keys() {
    let outputs = (0..8).map(|target| {
        format!("    @store_output (%1, %0) (base={target}, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA{target} slots=1)\n")
    });
    let body = "    32x4 %1 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)\n".to_string();
    let fragment = emit(shader("FRAGMENT", "", &outputs.fold(body, |body, output| body + &output)));
    let program = program(emit(vertex(&[])), fragment);
    let fragment = &program.shaders()[1];
    const BOUND: usize = 20_000;
    let mut cache = Cache::new(BOUND);
    let mut random = Random::new(13);
    let mut words = Vec::new();
    for _ in 0..10_000 {
        let key = fragment.module.masked(&Key::new(random.below(u64::MAX)));
        fragment.module.instantiate(&key, &mut words).expect("a key that it takes");
        let made = cache.get(fragment, &key, |words| Ok::<Vec<u32>, ntv::Error>(words.to_vec()));
        assert_eq!(made, Ok(&words));
        assert!(cache.words() <= BOUND, "{} words", cache.words());
    }
    let (counters, left) = (cache.counters(), cache.len() as u64);
    assert_eq!(counters.modules_made, counters.evicted + left);
    assert_eq!(cache.take_evicted().len() as u64, counters.evicted);
    assert!(counters.evicted > 0 && left > 10, "{counters:?}");
}

#[test]
fn likely_keys_come_in_the_order_of_their_chance() {
    let program = program(emit(vertex(&["VAR0"])), emit(fragment(&["VAR0"])));
    let keys = likely_keys(&program, Key::new(Key::STRIP), 4);
    let names: Vec<String> = keys.iter().map(Key::to_string).collect();
    assert_eq!(names, ["strip,flip_y", "strip", "strip,flip_y,point_size", "strip,point_size"]);
}

#[test]
fn likely_keys_wait_for_a_size_that_words_depend_on() {
    let coord = shader(
        "FRAGMENT",
        "",
        "    32x4 %1 = @load_frag_coord\n    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n",
    );
    let program = program(emit(vertex(&[])), emit(coord));
    let flipped = |always: Key| likely_keys(&program, always, 8).iter().any(|key| key.bits & Key::FLIP_Y != 0);
    assert!(!flipped(Key::default()) && flipped(Key { size: [640, 480], ..Key::default() }));
}

/// A copy of a part of the position is at the Location of an input of the next stage, which is not written.
#[test]
fn an_output_that_is_only_captured_feeds_no_input() {
    let header = "xfb_stride: {2, 0, 0, 0}\nhas_transform_feedback_varyings: true\n";
    let body = "    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)\n    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1, xfb(components=1..2 buffer=0 offset=0), xfb2())\n    @store_output (%1, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n";
    let vertex = shader("VERTEX", header, body);
    let copy = emit(vertex.clone()).interface.into_iter().find(|it| it.is_copy).expect("a copy");
    assert_eq!((copy.location, copy.components, copy.capture.is_some()), (1, 2, true));
    let linked = linked([vertex, fragment(&["VAR0", "VAR1"])]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (0, 1));
    assert_eq!((locations(&linked.modules[0], true), locations(&linked.modules[1], false)), (vec![0, 1], vec![0]));
    // Without captures the copy is removed.
    let outputs = |key: Key| {
        let mut words = Vec::new();
        linked.modules[0].instantiate(&key, &mut words).expect("a key that it takes");
        words.windows(4).filter(|inst| inst[0] == 4 << 16 | 59 && inst[3] == 3).count()
    };
    let off = Key::new(Key::NO_CAPTURE);
    assert_eq!((outputs(Key::default()), outputs(off)), (3, 2));
    let known = linked.modules[0].link(&Decisions::of_key(off));
    assert!(known.interface.iter().all(|it| it.is_copy == it.removed), "{:?}", known.interface);
}
