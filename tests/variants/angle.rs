// SPDX-License-Identifier: MIT

//! ANGLE's tests of programs that apply to a translator to SPIR-V, as pairs of NIR shaders.
//!
//! Each of these tests has a row: its test here, or the reason why it does not apply to NIR and ntv. `file::name` is a test in
//! another file of this folder, `lavapipe::name` one that draws, in `tests/lavapipe/variants.rs`.
//!
//! | ANGLE's test | here |
//! |---|---|
//! | GLSLTest.InactiveVaryingInVertexActiveInFragment | `programs::an_input_that_no_stage_writes_has_a_value`, `lavapipe::removed_varyings_do_not_change_pictures` |
//! | GLSLTest.MismatchedInactiveVarying | `an_unused_declaration_is_not_a_varying` |
//! | GLSLTest.InactiveVaryingIOBlock | `an_unused_declaration_is_not_a_varying`: NIR has a variable for each member |
//! | GLSLTest.VaryingIOBlockNotDeclaredInFragmentShader, ...InVertexShader | `programs::stages_without_a_common_varying_link` |
//! | GLSLTest.VaryingStructNotDeclaredIn..., VaryingStructNotUsedIn... | `one_side_may_use_a_part_of_several_slots` |
//! | GLSLTest.MismatchPrecisionFloat, LowpFloat, MedToHigh | `less_precision_needs_both_sides` |
//! | GLSLTest.MismatchPrecisionVec2UnusedVarying | `removed_varyings_may_have_any_precision` |
//! | GLSLTest.VaryingSampleInAndOutDifferentPrecision | `a_sample_input_may_have_less_precision` |
//! | GLSLTest.VaryingIOBlockDeclaredAsInAndOut | `a_stage_in_the_middle_reads_and_writes_a_slot` |
//! | GLSLTest.LinkVaryingsByLocation | `names_play_no_part` |
//! | GLSLTest.Invariant* | `invariant_outputs_stay_invariant_or_are_removed`; GLSL's linker checks that inputs are invariant, too |
//! | GLSLTest.MaxVarying* | `as_many_varyings_as_there_are`; GLSL's linker refuses more |
//! | GLSLTest.IOBlockLocations* | `components_of_a_location_are_removed_one_by_one` |
//! | GLSLTest.PerVertexRedefinition | `programs::a_builtin_between_others_is_removed`: there is no gl_PerVertex, each built-in is a variable |
//! | GLSLTest.PrecisionAdjustmentInTessellationControlShader, ...WithBarrier | `tessellation_stages_have_one_precision` |
//! | GLSLTest.SeparableProgramWithMismatchingShaderInterface | `separate_stages_keep_their_locations` |
//! | GLSLTest.EmulateGLFragColorBroadcast* | `one_colour_is_one_output_for_each_target` |
//! | GLSLTest, turned by 90, 180 and 270 degrees | `equality::patched_words_equal_fresh_words_and_are_valid_on_the_corpus`, `lavapipe::turned_pictures_equal_the_plain_one` |
//! | GLSLTest, without SPIR-V 1.4 | `equality::patched_words_equal_fresh_words_and_are_valid_on_the_corpus` |
//! | GLSLTest, varyings require matching precision | `programs::a_link_makes_precision_equal`; every link does so |
//! | VertexAttributeTest.AliasingVectorAttribLocations, AliasingMatrixAttribLocations | `programs::attributes_may_alias` |
//! | VertexAttributeTest.AliasingVectorAttribLocationsDifferingPrecisions | `programs::attributes_may_alias`: loads have a precision, the variable that they share has full precision |
//! | VertexAttributeTest.InactiveAttributeAliasing | `an_unused_declaration_is_not_a_varying` |
//! | VertexAttributeTest.AliasingAttribNaming | GL binds names of attributes to locations: NIR has the locations |
//! | SixteenBppTextureDitheringTestES3.RGBA4, RGBA5551, RGB565, SpvEmulation | `lavapipe::dithered_pictures_equal_those_of_the_cpu` |
//! | SixteenBppTextureDitheringTestES3.MultipleAttachments | `each_target_is_dithered_on_its_own` |
//! | EGLPreRotationTest.*Draw, InterpolateAtOffsetWithDefaultFBO | `lavapipe::turned_pictures_equal_the_plain_one` |
//! | EGLPreRotationTest, blits | a blit is a command with shaders of the driver's own |
//! | StateChangeTestES31.SampleShading | `sample_shading_is_the_fragment_stages_alone` |
//! | VulkanPerformanceCounterTest.AsyncMonolithicPipelineCreation | the driver makes pipelines |
//! | VulkanPerformanceCounterTest.NoUpdatesToGraphicsDriverUniformsOnProgramChange | the driver fills push constants: a module has only those that NIR loads |
//! | LinkProgramPerfTest, ParallelLinkProgramPerfTest, PreRotationPerf, CompilerPerf | `benches/variants.rs` measures links and variants |
//! | VulkanPipelineCachePerf | the driver makes pipelines |

use super::programs::{emit, fragment, linked, locations, vertex, OUTPUT};
use super::stages::shader;
use super::{support, Lowered};
use ntv::link::link;
use ntv::{Key, Module, Target};
use spirv::{Capability, Decoration, Op};

/// A varying and its declaration in a stage.
#[derive(Clone, Copy)]
struct Declared {
    /// The flags before the mode.
    flags: &'static str,
    precision: &'static str,
    ty: &'static str,
    /// The number of its slot.
    slot: u32,
    /// The stage uses it, as a vector of four floats.
    used: bool,
}

const PLAIN: Declared = Declared { flags: "", precision: "", ty: "vec4", slot: 0, used: true };

impl Declared {
    fn line(&self, mode: &str, interp: &str) -> String {
        let Declared { flags, precision, ty, slot, .. } = self;
        format!("decl_var {flags} {mode} INTERP_MODE_{interp} none {precision} {ty} {mode}_{slot} (VARYING_SLOT_VAR{slot}.xyzw, {slot}, 0)\n")
    }
}

/// A vertex shader that declares these outputs.
fn declaring_vertex(outputs: &[Declared]) -> ntv::Shader {
    let header: String = outputs.iter().map(|output| output.line("shader_out", "NONE")).collect();
    let mut body = format!("    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)\n    @store_output (%1, %0) (base=0, range=1, {OUTPUT}_POS slots=1)\n");
    for (id, Declared { slot, .. }) in (2..).zip(outputs.iter().filter(|output| output.used)) {
        body += &format!("    32 %{id} = deref_var &shader_out_{slot} (shader_out vec4)\n    @store_deref (%{id}, %1) (wrmask=xyzw, access=none)\n");
    }
    shader("VERTEX", &header, &body)
}

/// A fragment shader that declares these inputs, and adds up those that it uses.
fn declaring_fragment(inputs: &[Declared]) -> ntv::Shader {
    let header: String = inputs.iter().map(|input| input.line("shader_in", "SMOOTH")).collect();
    let mut body = "    32x4 %1 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)\n".to_string();
    let mut sum = 1;
    for Declared { slot, .. } in inputs.iter().filter(|input| input.used) {
        let (pointer, value, last) = (sum + 1, sum + 2, sum);
        sum += 3;
        body += &format!("    32 %{pointer} = deref_var &shader_in_{slot} (shader_in vec4)\n    32x4 %{value} = @load_deref (%{pointer}) (access=none)\n    32x4 %{sum} = fadd %{value}, %{last}\n");
    }
    shader("FRAGMENT", &header, &(body + &colour(&format!("%{sum}"), "DATA0")))
}

fn colour(value: &str, result: &str) -> String {
    format!("    @store_output ({value}, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_{result} slots=1)\n")
}

/// The words of `module` for these bits.
fn words(module: &Module, bits: u64) -> Vec<u32> {
    let mut words = Vec::new();
    module.instantiate(&Key::new(bits), &mut words).expect("a key that it takes");
    words
}

/// The number of variables with this decoration, which has no operands.
fn decorated(words: &[u32], decoration: Decoration) -> usize {
    let is_it = |inst: &&[u32]| inst[0] == 3 << 16 | Op::Decorate as u32 && inst[2] == decoration as u32;
    words.windows(3).filter(is_it).count()
}

#[test]
fn an_unused_declaration_is_not_a_varying() {
    let unused = Declared { used: false, ..PLAIN };
    let other = Declared { slot: 1, ..PLAIN };
    let linked =
        linked([declaring_vertex(&[unused, other]), declaring_fragment(&[Declared { ty: "ivec2", ..unused }, other])]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (0, 0));
    assert_eq!(locations(&linked.modules[0], true), [0]);
    assert_eq!(locations(&linked.modules[1], false), [0]);
}

/// A vertex shader that writes two slots from `VAR1` on as one array, as a shader does with a struct or an array.
fn array_vertex() -> ntv::Shader {
    let body = format!("    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)\n    32 %2 = @load_vertex_id\n    32 %3 = load_const (0x00000001)\n    32 %4 = iand %2, %3\n    @store_output (%1, %0) (base=0, range=1, {OUTPUT}_POS slots=1)\n    @store_output (%1, %4) (base=1, range=2, {OUTPUT}_VAR1 slots=2)\n");
    shader("VERTEX", "", &body)
}

#[test]
fn one_side_may_use_a_part_of_several_slots() {
    let used = linked([array_vertex(), fragment(&["VAR2"])]);
    assert_eq!((used.removed_outputs, used.removed_inputs), (0, 0));
    assert_eq!((locations(&used.modules[0], true), locations(&used.modules[1], false)), (vec![0], vec![1]));
    let unused = linked([array_vertex(), fragment(&["VAR0", "VAR3"])]);
    assert_eq!((unused.removed_outputs, unused.removed_inputs), (1, 2));
}

#[test]
pub(super) fn less_precision_needs_both_sides() {
    let precisions = ["", "highp", "mediump", "lowp"];
    for (producer, consumer) in precisions.into_iter().flat_map(|first| precisions.map(|second| (first, second))) {
        let [output, input] = [producer, consumer].map(|precision| Declared { precision, ..PLAIN });
        let linked = linked([declaring_vertex(&[output]), declaring_fragment(&[input])]);
        let is_less = |precision: &str| matches!(precision, "mediump" | "lowp");
        let relaxed = usize::from(is_less(producer) && is_less(consumer));
        for module in &linked.modules {
            assert_eq!(decorated(&words(module, 0), Decoration::RelaxedPrecision), relaxed, "{producer}, {consumer}");
        }
    }
}

#[test]
fn removed_varyings_may_have_any_precision() {
    let relaxed = Declared { precision: "mediump", ..PLAIN };
    let linked = linked([declaring_vertex(&[relaxed]), declaring_fragment(&[Declared { slot: 1, ..relaxed }])]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (1, 1));
}

#[test]
fn a_sample_input_may_have_less_precision() {
    let input = Declared { flags: "sample", precision: "mediump", ..PLAIN };
    let linked = linked([declaring_vertex(&[PLAIN]), declaring_fragment(&[input])]);
    let words = words(&linked.modules[1], 0);
    assert_eq!((decorated(&words, Decoration::Sample), decorated(&words, Decoration::RelaxedPrecision)), (1, 0));
}

#[test]
fn a_stage_in_the_middle_reads_and_writes_a_slot() {
    let header = "input_primitive: POINTS\noutput_primitive: POINTS\nvertices_in: 1\nvertices_out: 1\ninvocations: 1\nactive_stream_mask: 0x1\n";
    let load = |id: u32, slot: &str| {
        format!("    32x4 %{id} = @load_per_vertex_input (%0, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n")
    };
    let store =
        |id: u32, slot: &str| format!("    @store_output (%{id}, %0) (base=0, range=1, {OUTPUT}_{slot} slots=1)\n");
    let body = load(1, "POS") + &load(2, "VAR3") + &store(1, "POS") + &store(2, "VAR3") + &store(2, "VAR4");
    let geometry = shader("GEOMETRY", header, &(body + "    @emit_vertex (stream_id=0)\n"));
    let linked = linked([vertex(&["VAR0", "VAR3"]), geometry, fragment(&["VAR4", "VAR3"])]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (1, 0));
    assert_eq!(locations(&linked.modules[0], true), locations(&linked.modules[1], false));
    assert_eq!(locations(&linked.modules[1], true), [0, 1]);
    assert_eq!(locations(&linked.modules[2], false), [0, 1]);
}

/// [`declaring_vertex`] and [`declaring_fragment`] name the same slot differently.
#[test]
fn names_play_no_part() {
    let slots = [5, 2].map(|slot| Declared { slot, ..PLAIN });
    let linked = linked([declaring_vertex(&slots), declaring_fragment(&slots)]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (0, 0));
    assert_eq!((locations(&linked.modules[0], true), locations(&linked.modules[1], false)), (vec![0, 1], vec![0, 1]));
}

#[test]
fn invariant_outputs_stay_invariant_or_are_removed() {
    let outputs = [0, 1].map(|slot| Declared { flags: "invariant", slot, ..PLAIN });
    let before = emit(declaring_vertex(&outputs));
    assert_eq!(decorated(&words(&before, 0), Decoration::Invariant), 2);
    let linked = linked([declaring_vertex(&outputs), declaring_fragment(&[PLAIN])]);
    assert_eq!(decorated(&words(&linked.modules[0], 0), Decoration::Invariant), 1);
}

#[test]
fn as_many_varyings_as_there_are() {
    let names: Vec<String> = (0..32).map(|slot| format!("VAR{slot}")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let odd: Vec<&str> = all.iter().copied().skip(1).step_by(2).collect();
    let full = linked([vertex(&all), fragment(&all)]);
    assert_eq!((full.removed_outputs, full.removed_inputs), (0, 0));
    assert_eq!(locations(&full.modules[0], true), (0..32).collect::<Vec<u32>>());
    let half = linked([vertex(&all), fragment(&odd)]);
    assert_eq!((half.removed_outputs, half.removed_inputs), (16, 0));
    assert_eq!(locations(&half.modules[1], false), (0..16).collect::<Vec<u32>>());
}

/// Two floats and two integers share a Location; the next stage reads the integers.
#[test]
fn components_of_a_location_are_removed_one_by_one() {
    let store = |id: u32, component: u32, ty: &str| {
        format!("    @store_output (%{id}, %0) (base=1, range=1, wrmask=xy, component={component}, src_type={ty}, io location=VARYING_SLOT_VAR5 slots=1)\n")
    };
    let input = "    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)\n    32x2 %2 = mov %1.xy\n    32x2 %3 = f2i32 %2\n";
    let vertex = shader(
        "VERTEX",
        "",
        &format!(
            "{input}    @store_output (%1, %0) (base=0, range=1, {OUTPUT}_POS slots=1)\n{}{}",
            store(2, 0, "float32"),
            store(3, 2, "int32")
        ),
    );
    let body = "    32x2 %1 = @load_input (%0) (base=0, range=1, component=2, dest_type=int32, io location=VARYING_SLOT_VAR5 slots=1)\n    32x2 %2 = i2f32 %1\n    32x4 %3 = vec4 %2.x, %2.y, %2.x, %2.y\n".to_string();
    let linked = linked([vertex, shader("FRAGMENT", "", &(body + &colour("%3", "DATA0")))]);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (1, 0));
    assert_eq!((locations(&linked.modules[0], true), locations(&linked.modules[1], false)), (vec![0], vec![0]));
}

/// Control, with a barrier and without, and evaluation: first one has lower precision, then the other.
#[test]
fn tessellation_stages_have_one_precision() {
    let header = "primitive_mode: 2\ntcs_vertices_out: 4\nspacing: 1\n";
    let io = |op: &str, slot: u32| format!("(base=0, range=1, {op}, io location=VARYING_SLOT_VAR{slot} slots=1)\n");
    let load = |slot| io("component=0, dest_type=float32", slot);
    let store = |slot| io("wrmask=xyzw, component=0, src_type=float32", slot);
    let own = "    32 %1 = @load_invocation_id\n    32x4 %2 = @load_per_vertex_input (%1, %0) ".to_string()
        + &load(0)
        + "    @store_per_vertex_output (%2, %1, %0) "
        + &store(0);
    let barrier = "    @barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shader_out)\n    32x4 %3 = @load_per_vertex_output (%0, %0) ".to_string()
        + &load(0)
        + "    @store_per_vertex_output (%3, %1, %0) "
        + &store(1);
    let position = format!("    @store_output (%1, %0) (base=0, range=1, {OUTPUT}_POS slots=1)\n");
    let evaluation = "    32x4 %1 = @load_per_vertex_input (%0, %0) ".to_string() + &load(0) + &position;
    for (body, less) in [&own, &(own.clone() + &barrier)].into_iter().flat_map(|body| [(body, 0), (body, 1)]) {
        let stages = [("TESS_CTRL", body), ("TESS_EVAL", &evaluation)];
        let mut lowered = stages.map(|(stage, body)| {
            Lowered::new(stage.to_string(), shader(stage, header, body), &Target::default()).expect("a stage")
        });
        for variable in lowered[less].shader.vars.values_mut().filter(|variable| variable.location == Some(32)) {
            variable.precision = ntv::ir::Precision::Medium;
        }
        let modules = lowered.each_ref().map(|stage| stage.emit(None).expect("a module"));
        assert!(decorated(&words(&modules[less], 0), Decoration::RelaxedPrecision) > 0);
        for module in link(&modules.each_ref(), Vec::new()).expect("a link").modules {
            let words = words(&module, 0);
            support::spirv_val(&words, &Target::default()).expect("a valid module");
            let inputs = usize::from(less == 0 && module.stage == ntv::module::ShaderStage::TessCtrl);
            // The input of the control stage belongs to another link.
            assert_eq!(decorated(&words, Decoration::RelaxedPrecision), inputs, "{less}: {body}");
        }
    }
}

/// Stages that are not a program are never linked: no varying is removed, and a slot has the same Location in both.
#[test]
fn separate_stages_keep_their_locations() {
    let modules = [vertex(&["VAR0", "VAR4"]), fragment(&["VAR4", "VAR9"])].map(emit);
    for module in &modules {
        support::spirv_val(&words(module, 0), &Target::default()).expect("a valid module");
    }
    assert_eq!((locations(&modules[0], true), locations(&modules[1], false)), (vec![0, 4], vec![4, 9]));
}

#[test]
fn one_colour_is_one_output_for_each_target() {
    let body = "    32x4 %1 = @load_frag_coord\n".to_string() + &colour("%1", "COLOR");
    let linked = linked([vertex(&[]), shader("FRAGMENT", "", &body)]);
    let targets = Target::default().max_draw_buffers;
    assert!(targets > 1);
    assert_eq!(locations(&linked.modules[1], true), (0..targets).collect::<Vec<u32>>());
}

#[test]
fn each_target_is_dithered_on_its_own() {
    let body = "    32x4 %1 = @load_frag_coord\n".to_string() + &colour("%1", "DATA0") + &colour("%1", "DATA1");
    let linked = linked([vertex(&[]), shader("FRAGMENT", "", &body)]);
    let fragment = &linked.modules[1];
    let mut all: Vec<Vec<u32>> =
        (0..16).map(|pair| words(fragment, Key::dither(0, pair & 3) | Key::dither(1, pair >> 2))).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 16, "each pair of formats has different words");
}

#[test]
pub(super) fn sample_shading_is_the_fragment_stages_alone() {
    let linked = linked([vertex(&["VAR0"]), fragment(&["VAR0"])]);
    let is_declared = |words: &[u32]| {
        words.windows(2).any(|inst| inst == [2 << 16 | Op::Capability as u32, Capability::SampleRateShading as u32])
    };
    let [off, on] = [0, Key::SAMPLE_SHADING].map(|bits| words(&linked.modules[1], bits));
    assert_eq!((is_declared(&off), decorated(&off, Decoration::Sample)), (false, 0));
    assert_eq!((is_declared(&on), decorated(&on, Decoration::Sample)), (true, 1));
    assert_eq!(linked.modules[0].seen & Key::SAMPLE_SHADING, 0);
}
