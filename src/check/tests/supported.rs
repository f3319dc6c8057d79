// SPDX-License-Identifier: MIT

//! Tests of features that targets lack and of constructs without a translation, with the dumps of the tests of validity.

use super::{expect, parse};
use crate::check::doubts::has_doubts;
use crate::check::{supported, validate, Checker};
use crate::error::ErrorKind;
use crate::ir::{InstData, InstKind, ShaderInfo, Stage};
use crate::op::Intrinsic;
use crate::raise;
use crate::target::{Feature, Target, Version};

/// A dump whose marked lines cannot be translated for a target without the features `off`.
#[track_caller]
fn refused(stage: &str, declarations: &str, body: &str, off: &[Feature], messages: &[&str]) {
    let (dump, shader) = parse(stage, declarations, body);
    assert_eq!(validate(&shader), Ok(()), "\n{dump}");
    let mut target = Target::default();
    off.iter().for_each(|feature| target.set(*feature, false));
    let result = supported(&shader, &target);
    // A translator raises the shader first.
    let mut raised = shader.clone();
    match raise::raise(&mut raised, &target.descriptors) {
        Ok(()) => {
            assert_eq!(Checker::default().check(&raised, &target), result, "\n{dump}");
            assert_eq!(Checker::default().check_valid(&raised, &target), result, "\n{dump}");
        }
        Err(errors) => assert_eq!(Err(errors), result, "\n{dump}"),
    }
    if let Err(errors) = &result {
        assert!(errors.0.iter().all(|error| error.kind == ErrorKind::Unsupported));
        // An error that names a feature has it, too, and says how to get it.
        for error in &errors.0 {
            let named = error.message.contains("needs feature ");
            assert_eq!(error.lacks.is_some(), named, "{error}");
            let advice = error.advice().unwrap_or_default();
            assert!(error.lacks.map_or(true, |feature| advice.contains(feature.name())), "{error}: {advice}");
        }
    }
    expect(result, &dump, messages);
}

/// Checks that the marked line is refused without `feature`, and accepted with it.
#[track_caller]
fn needs(stage: &str, declarations: &str, body: &str, feature: Feature, inst: &str) {
    let message = format!("`{inst}`: needs feature {}, which the target lacks", feature.name());
    refused(stage, declarations, body, &[feature], &[&message]);
    refused(stage, declarations, &body.replace("// !", ""), &[], &[]);
}

#[test]
fn widths_are_features() {
    use Feature::*;
    // Arithmetic is carried in 32-bit values, memory with a declared type is not.
    for (bits, ty, feature) in
        [(16, "float16_t", shaderFloat16), (16, "int16_t", shaderInt16), (8, "int8_t", shaderInt8)]
    {
        let declaration = format!("decl_var  INTERP_MODE_NONE none {ty} own\n");
        let body = format!(
            "    32 %6 = deref_var &own (shader_temp {ty})\n    {bits} %7 = @load_deref (%6) (access=none) // !\n"
        );
        needs("COMPUTE", &declaration, &body, feature, "%7 = @load_deref");
    }
}

/// The modes that a kernel's header asks for are needed for the widths that it computes with; other shaders do without.
#[test]
fn kernels_need_their_rounding() {
    use Feature::*;
    let half = "    16 %6 = u2f16 %0\n    16 %7 = fmul %6, %6\n";
    let single = "    32 %6 = u2f32 %0\n    32 %7 = fmul %6, %6\n";
    let double = "    64 %6 = u2f64 %0\n    64 %7 = fmul %6, %6\n";
    for (stage, mode, body, off, is_refused) in [
        ("KERNEL", 1 << 16, single, shaderRoundingModeRTEFloat32, true),
        ("KERNEL", 1 << 16, half, shaderRoundingModeRTEFloat32, false),
        ("KERNEL", 1 << 15, half, shaderRoundingModeRTEFloat16, true),
        ("KERNEL", 1 << 19, single, shaderRoundingModeRTZFloat32, true),
        ("KERNEL", 1 << 11, double, shaderDenormPreserveFloat64, true),
        ("KERNEL", 1 << 13, single, shaderDenormFlushToZeroFloat32, false),
        ("COMPUTE", 1 << 16, single, shaderRoundingModeRTEFloat32, false),
    ] {
        let (_, mut shader) = parse(stage, "", body);
        shader.info.workgroup_size = [1; 3];
        shader.info.float_controls_execution_mode = mode;
        let mut target = Target::default();
        target.set(off, false);
        let refused = Checker::default().check(&shader, &target).err().map(|errors| errors.0[0].message.clone());
        let message = format!("the shader needs feature {}, which the target lacks", off.name());
        assert_eq!(refused, is_refused.then_some(message), "{stage} {mode:x}");
        target.set(off, true);
        assert_eq!(Checker::default().check_valid(&shader, &target), Ok(()));
    }
}

/// SPIR-V before 1.3, "OpControlBarrier".
#[test]
fn subgroups_wait_where_workgroups_do_in_vulkan_1_0() {
    let barrier =
        "    @barrier (execution_scope=SUBGROUP, memory_scope=SUBGROUP, mem_semantics=ACQ, mem_modes=shared) // !\n";
    let result = |stage: &str, vulkan: Version| {
        let (dump, shader) = parse(stage, "", barrier);
        let target = Target::new(vulkan);
        let result = Checker::default().check(&shader, &target);
        assert_eq!(Checker::default().check_valid(&shader, &target), result, "\n{dump}");
        assert_eq!(supported(&shader, &target), result, "\n{dump}");
        (result, dump)
    };
    let (refused, dump) = result("FRAGMENT", Version(1, 0));
    expect(refused, &dump, &["`@barrier`: needs Vulkan 1.1"]);
    for (stage, vulkan) in [("FRAGMENT", Version(1, 1)), ("COMPUTE", Version(1, 0)), ("TESS_CTRL", Version(1, 0))] {
        assert_eq!(result(stage, vulkan).0, Ok(()), "{stage}");
    }
}

#[test]
fn numbers_of_64_bits_are_declared_as_others() {
    use Feature::{shaderFloat64, shaderInt64};
    let load = |printed: &str| {
        format!("    32 %6 = deref_var &own ({printed})\n    64 %7 = @load_deref (%6) (access=none) // !\n")
    };
    for ty in ["double", "uint64_t"] {
        let declaration = format!("decl_var INTERP_MODE_NONE none {ty} own\n");
        let body = load(&format!("shader_temp {ty}")).replace("// !", "");
        refused("COMPUTE", &declaration, &body, &[shaderFloat64, shaderInt64], &[]);
    }
    for (stage, mode) in [("FRAGMENT", "shader_in"), ("VERTEX", "shader_out")] {
        let declaration = format!("decl_var {mode} INTERP_MODE_NONE none double own (VARYING_SLOT_VAR0.x, 0, 0)\n");
        let body = load(&format!("{mode} double"));
        let message = "`%7 = @load_deref`: needs feature shaderFloat64, which the target lacks";
        refused(stage, &declaration, &body.replace("// !", ""), &[shaderFloat64], &[]);
        refused(stage, &declaration, &body, &[shaderFloat64, shaderInt64], &[message]);
        let declaration = declaration.replace("double", "uint64_t");
        needs(stage, &declaration, &load(&format!("{mode} uint64_t")), shaderInt64, "%7 = @load_deref");
    }
    let attribute = "decl_var shader_in INTERP_MODE_NONE none double own (VERT_ATTRIB_GENERIC0.x, 0, 0)\n";
    needs("VERTEX", attribute, &load("shader_in double"), shaderFloat64, "%7 = @load_deref");
}

#[test]
fn numbers_that_are_carried_need_no_feature() {
    let body = "
    16 %6 = f2f16 %0
    16 %7 = fadd %6, %6
    8 %8 = i2i8 %0
    16 %9 = i2i16 %0
    64 %10 = i2i64 %0
    64 %11 = @read_first_invocation (%10)
    64 %12 = f2f64 %0
    64 %13 = fadd %12, %11
    1 %14 = @vote_feq (%13)
    ";
    use Feature::*;
    refused("COMPUTE", "", body, &[shaderFloat16, shaderInt8, shaderInt16, shaderInt64, shaderFloat64], &[]);
}

#[test]
fn a_feature_is_named_once_at_its_first_use() {
    let body = "
    64 %6 = f2f64 %0
    64 %7 = @reduce (%6) (reduction_op=fadd, cluster_size=0)  // !
    64 %8 = @reduce (%7) (reduction_op=fadd, cluster_size=0)
    1 %9 = @vote_any (%2)                // !
    ";
    let lacks = |inst, feature| format!("`{inst}`: needs feature {feature}, which the target lacks");
    let messages = [&*lacks("%7 = @reduce", "shaderFloat64"), &*lacks("%9 = @vote_any", "subgroupVote")];
    refused("COMPUTE", "", body, &[Feature::shaderFloat64, Feature::subgroupVote], &messages);
}

#[test]
fn doubles_need_no_64_bit_integers() {
    let body = "
    64 %6 = f2f64 %0
    64 %7 = bcsel %2, %6, %6
    64x2 %8 = vec2 %7, %6
    ";
    let (_, mut shader) = parse("COMPUTE", "", body);
    // The prelude's own 64-bit constant is not a double.
    shader.order.retain(|inst| !matches!(shader.insts[*inst], InstData { bit_size: 64, kind: InstKind::Const(_), .. }));
    let mut target = Target::default();
    target.set(Feature::shaderInt64, false);
    assert_eq!(supported(&shader, &target), Ok(()));
}

#[test]
fn intrinsics_need_features() {
    use Feature::*;
    let line = |inst: &str| format!("    {inst} // !\n");
    let rows: &[(&str, &str, Feature, &str)] = &[
        ("VERTEX", "32 %6 = @load_draw_id", shaderDrawParameters, "%6 = @load_draw_id"),
        ("FRAGMENT", "32 %6 = @load_sample_id", sampleRateShading, "%6 = @load_sample_id"),
        ("FRAGMENT", "@demote_if (%2)", shaderDemoteToHelperInvocation, "@demote_if"),
        ("COMPUTE", "1 %6 = @vote_any (%2)", subgroupVote, "%6 = @vote_any"),
        ("COMPUTE", "32x4 %6 = @ballot (%2)", subgroupBallot, "%6 = @ballot"),
        ("COMPUTE", "32 %6 = @shuffle_xor (%0, %0)", subgroupShuffle, "%6 = @shuffle_xor"),
        ("COMPUTE", "32x2 %6 = @shader_clock (memory_scope=DEVICE)", shaderDeviceClock, "%6 = @shader_clock"),
        ("COMPUTE", "32x2 %6 = @shader_clock (memory_scope=SUBGROUP)", shaderSubgroupClock, "%6 = @shader_clock"),
        (
            "COMPUTE",
            "64 %6 = @ssbo_atomic (%0, %0, %4) (access=none, atomic_op=iadd)",
            shaderBufferInt64Atomics,
            "%6 = @ssbo_atomic",
        ),
        (
            "COMPUTE",
            "64 %6 = @shared_atomic (%0, %4) (base=0, atomic_op=imax)",
            shaderSharedInt64Atomics,
            "%6 = @shared_atomic",
        ),
        (
            "COMPUTE",
            "64 %6 = @ssbo_atomic (%0, %0, %4) (access=none, atomic_op=fmin)",
            shaderBufferInt64Atomics,
            "%6 = @ssbo_atomic",
        ),
    ];
    for (stage, inst, feature, name) in rows {
        needs(stage, "", &line(inst), *feature, name);
    }
}

/// Accesses that select one of several blocks: the feature, a load, and its name.
const PICKS: [(Feature, &str, &str); 4] = [
    (
        Feature::shaderUniformBufferArrayDynamicIndexing,
        "32 %6 = @load_ubo (%5, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)",
        "%6 = @load_ubo",
    ),
    (
        Feature::shaderUniformBufferArrayNonUniformIndexing,
        "32 %6 = @load_ubo (%5, %0) (access=non-uniform, align_mul=4, align_offset=0, range_base=0, range=16)",
        "%6 = @load_ubo",
    ),
    (
        Feature::shaderStorageBufferArrayDynamicIndexing,
        "32 %6 = @load_ssbo (%5, %0) (access=none, align_mul=4, align_offset=0)",
        "%6 = @load_ssbo",
    ),
    (
        Feature::shaderStorageBufferArrayNonUniformIndexing,
        "32 %6 = @load_ssbo (%5, %0) (access=non-uniform, align_mul=4, align_offset=0)",
        "%6 = @load_ssbo",
    ),
];

#[test]
fn blocks_are_selected_without_features() {
    for (feature, load, _) in PICKS {
        refused("COMPUTE", "", &format!("    {load}\n"), &[feature], &[]);
    }
}

#[test]
fn too_many_blocks_need_features() {
    let most = "    32 %6 = load_const (0x00001000 = 4096)\n";
    for (feature, load, name) in PICKS {
        let known = load.replace("%6", "%7").replace("%5", "%6");
        let body = format!("{most}    {known}\n    {} // !\n", load.replace("%6", "%8"));
        let why = "4097 blocks are too many for ifs, 4096 is the most";
        let name = name.replace("%6", "%8");
        let message = format!("`{name}`: needs feature {}, which the target lacks: {why}", feature.name());
        refused("COMPUTE", "", &body, &[feature], &[&message]);
        refused("COMPUTE", "", &body.replace(" // !", ""), &[], &[]);
    }
}

#[test]
fn accesses_to_picked_blocks_are_not_too_many_together() {
    // Each access to one of 4096 blocks makes 6 instructions for each.
    let mut body = "    32 %6 = load_const (0x00000fff = 4095)\n".to_string();
    for number in 7..19 {
        let (load, at) = if number == 7 { ("%6", "") } else { ("%5", if number == 18 { " // !" } else { "" }) };
        body += &format!("    32 %{number} = @load_ssbo ({load}, %0) (access=none, align_mul=4, align_offset=0){at}\n");
    }
    let feature = Feature::shaderStorageBufferArrayDynamicIndexing;
    let why = "with ifs, this and the accesses before would be 270336 instructions, 262144 are the most";
    let message = format!("`%18 = @load_ssbo`: needs feature {}, which the target lacks: {why}", feature.name());
    refused("COMPUTE", "", &body, &[feature], &[&message]);
}

#[test]
fn large_accesses_to_picked_blocks_count_by_their_size() {
    let feature = Feature::shaderStorageBufferArrayDynamicIndexing;
    let body = |align: u32, mark: &str| {
        format!(
            "    32 %6 = load_const (0x000007ff = 2047)\n    64x16 %7 = @load_ssbo (%6, %0) (access=none, align_mul=8, align_offset=0)\n    \
             @store_ssbo (%7, %5, %5) (wrmask=abcdefghijklmnop, access=none, align_mul={align}, align_offset=0){mark}\n"
        )
    };
    refused("COMPUTE", "", &body(8, " // !"), &[feature], &[&made("`@store_ssbo`", feature, 393216)]);
    refused("COMPUTE", "", &body(1, " // !"), &[feature], &[&made("`@store_ssbo`", feature, 1835008)]);
    refused("COMPUTE", "", &body(8, "").replace("7ff = 2047", "1ff = 511"), &[feature], &[]);
}

fn made(what: &str, feature: Feature, count: u32) -> String {
    let why = format!("with ifs, this and the accesses before would be {count} instructions, 262144 are the most");
    format!("{what}: needs feature {}, which the target lacks: {why}", feature.name())
}

#[test]
fn operations_on_doubles_do_not_become_too_many_instructions() {
    let division = |n: u32| format!("    64x16 %{n} = fdiv %6, %6\n");
    let load = "    64x16 %6 = @load_ssbo (%0, %0) (access=none, align_mul=8, align_offset=0)\n";
    let divisions = |count: u32| load.to_string() + &(7..7 + count).map(division).collect::<String>();
    let feature = Feature::shaderFloat64;
    refused("COMPUTE", "", &divisions(163), &[feature], &[]);
    let why = "this and the operations before would become 2099200 instructions, 2097152 are the most";
    let marked = divisions(164).trim_end().to_string() + " // !\n";
    refused("COMPUTE", "", &marked, &[feature], &[&format!("`%170 = fdiv`: {why}")]);
}

#[test]
fn stores_and_atomics_need_the_feature_of_their_stage() {
    use Feature::{fragmentStoresAndAtomics as fragment, vertexPipelineStoresAndAtomics as vertex_pipeline};
    let declarations = "\
decl_var image INTERP_MODE_NONE none r32_uint uimage2D image (0, 0, 1)
decl_var INTERP_MODE_NONE none uint own
";
    let stores = [
        ("@store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)", "@store_ssbo"),
        ("32 %11 = @ssbo_atomic (%0, %0, %0) (access=none, atomic_op=iadd)", "%8 = @ssbo_atomic"),
        (
            "@image_deref_store (%8, %1, %0, %1, %0) (image_dim=2D, image_array=false, format=r32_uint, access=none, \
             src_type=uint32)",
            "@image_deref_store",
        ),
        (
            "32 %11 = @image_deref_atomic (%8, %1, %0, %0) (image_dim=2D, image_array=false, format=r32_uint, \
             access=none, atomic_op=iadd)",
            "%8 = @image_deref_atomic",
        ),
        ("@store_global (%0, %4) (wrmask=x, access=none, align_mul=4, align_offset=0)", "@store_global"),
    ];
    let pointers = "
    32 %8 = deref_var &image (image uimage2D)
    32 %9 = deref_var &own (shader_temp uint)
    @store_deref (%9, %0) (wrmask=x, access=none)
";
    // Through derefs, which are raised: the instruction has another name then.
    let list = "decl_var ssbo INTERP_MODE_NONE none struct list (0, 0, 0)\n";
    let element = "
    32 %6 = deref_var &list (ssbo struct)
    32 %7 = deref_struct &%6->base (ssbo uint[4])
    32 %8 = deref_array &(*%7)[1] (ssbo uint)
    32 %9 = @load_deref (%8) (access=none)
";
    let typed_stores = [
        ("@store_deref (%8, %0) (wrmask=x, access=none)", "@store_ssbo"),
        ("32 %10 = @deref_atomic (%8, %0) (access=none, atomic_op=iadd)", "%11 = @ssbo_atomic"),
    ];
    for (stage, feature) in [
        ("VERTEX", vertex_pipeline),
        ("TESS_EVAL", vertex_pipeline),
        ("GEOMETRY", vertex_pipeline),
        ("FRAGMENT", fragment),
    ] {
        // Reads, and writes of the shader's own memory, need no feature.
        refused(stage, declarations, pointers, &[feature], &[]);
        for (store, name) in stores {
            needs(stage, declarations, &format!("{pointers}    {store} // !\n"), feature, name);
        }
        refused(stage, list, element, &[feature], &[]);
        for (store, name) in typed_stores {
            needs(stage, list, &format!("{element}    {store} // !\n"), feature, name);
        }
    }
    for (store, _) in typed_stores {
        let body = format!("{element}    {store}\n");
        refused("COMPUTE", list, &body, &[fragment, vertex_pipeline], &[]);
        refused("FRAGMENT", list, &body, &[vertex_pipeline], &[]);
    }
    for (store, _) in stores {
        let body = format!("{pointers}    {store}\n");
        refused("COMPUTE", declarations, &body, &[fragment, vertex_pipeline], &[]);
        refused("FRAGMENT", declarations, &body, &[vertex_pipeline], &[]);
    }
}

#[test]
fn inputs_at_samples_need_a_feature() {
    let input = |qualifier: &str| {
        format!("decl_var {qualifier} shader_in INTERP_MODE_SMOOTH none vec4 place (VARYING_SLOT_VAR0.xyzw, 0, 0)\n")
    };
    let off = [Feature::sampleRateShading];
    for (qualifier, is_refused) in [("sample", true), ("centroid", false), ("", false)] {
        let (dump, shader) = parse("FRAGMENT", &input(qualifier), "");
        let mut target = Target::default();
        off.iter().for_each(|feature| target.set(*feature, false));
        let result = Checker::default().check_valid(&shader, &target);
        let message = "the shader needs feature sampleRateShading, which the target lacks";
        let messages: Vec<String> =
            result.err().map_or(Vec::new(), |errors| errors.0).into_iter().map(|e| e.message).collect();
        assert_eq!(messages, if is_refused { vec![message.to_string()] } else { vec![] }, "\n{dump}");
    }
}

#[test]
fn arrays_of_attachments_are_indexed_with_a_feature() {
    use Feature::*;
    let declarations = "decl_var uniform INTERP_MODE_NONE none none subpassInput[4] attachments (0, 0, 5)\n";
    let read = |access: &str| {
        format!(
            "
    32 %6 = deref_var &attachments (uniform subpassInput[4])
    32 %7 = deref_array &(*%6)[%5] (uniform subpassInput)
    32x4 %8 = @image_deref_load (%7, %1, %0, %0) (image_dim=Subpass, image_array=false, format=none, access={access}, dest_type=float32) // !
"
        )
    };
    let name = "%8 = @image_deref_load";
    needs("FRAGMENT", declarations, &read("none"), shaderInputAttachmentArrayDynamicIndexing, name);
    needs("FRAGMENT", declarations, &read("non-uniform"), shaderInputAttachmentArrayNonUniformIndexing, name);
}

#[test]
fn slots_need_features() {
    let store = |slot| {
        format!(
            "    @store_output (%0, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, \
             io location={slot} slots=1, xfb(), xfb2()) // !\n"
        )
    };
    needs("VERTEX", "", &store("VARYING_SLOT_CLIP_DIST0"), Feature::shaderClipDistance, "@store_output");
    needs("VERTEX", "", &store("VARYING_SLOT_LAYER"), Feature::shaderOutputLayer, "@store_output");
    needs("GEOMETRY", "", &store("VARYING_SLOT_VIEWPORT"), Feature::multiViewport, "@store_output");
    needs("TESS_EVAL", "", &store("VARYING_SLOT_VIEWPORT"), Feature::shaderOutputViewportIndex, "@store_output");
    needs(
        "TESS_EVAL",
        "",
        &store("VARYING_SLOT_PSIZ"),
        Feature::shaderTessellationAndGeometryPointSize,
        "@store_output",
    );
    needs("FRAGMENT", "", &store("FRAG_RESULT_STENCIL"), Feature::VK_EXT_shader_stencil_export, "@store_output");
    let captured = store("VARYING_SLOT_VAR0").replace("xfb()", "xfb(component=0 buffer=0 offset=0)");
    needs("VERTEX", "", &captured, Feature::transformFeedback, "@store_output");
    needs("GEOMETRY", "", "    @emit_vertex (stream_id=1) // !\n", Feature::geometryStreams, "@emit_vertex");
    let declaration = "decl_var shader_out INTERP_MODE_NONE none float layer (VARYING_SLOT_LAYER.x, 0, 0)\n";
    let (_, shader) = parse("VERTEX", declaration, "");
    let mut target = Target::default();
    target.set(Feature::shaderOutputLayer, false);
    let errors = supported(&shader, &target).expect_err("no layers");
    assert_eq!(errors.to_string(), "the shader needs feature shaderOutputLayer, which the target lacks");
}

#[test]
fn untranslated_constructs_are_refused() {
    let declarations = "decl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 0, 0)\n";
    let body = "
    32 %6 = deref_var &tex (uniform sampler2D)
    32x2 %7 = vec2 %0, %0
    32 %8 = (int32)samples_identical %6 (texture_deref), %6 (sampler_deref), %7 (coord)              // !
    32 %9 = (int32)samples_identical %6 (texture_deref), %6 (sampler_deref), %7 (coord)
    32 %10 = @load_line_coord                                                                        // !
    1 %11 = udiv %2, %2                                                                              // !
    halt                                                                                             // !
    loop {
        block b1:
    }
    block b2:
    ";
    refused(
        "FRAGMENT",
        declarations,
        body,
        &[],
        &[
            "`%8 = samples_identical`: samples_identical operations are not translated yet",
            "`%10 = @load_line_coord`: is not translated: Vulkan has no coordinate of a line",
            "`%11 = udiv`: numbers of one bit are not translated yet",
            "`halt`: ifs and loops after a jump are not translated yet",
        ],
    );
}

#[test]
fn wide_vectors_come_from_buffers() {
    let ubo = "(access=none, align_mul=4, align_offset=0, range_base=0, range=64)";
    let body = format!(
        "
    32x8 %6 = @load_ubo (%0, %0) {ubo}
    32x8 %7 = iadd %6, %6
    32x8 %8 = @read_first_invocation (%7)   // !
    "
    );
    let wide = "vectors of more than four components other than in buffers are not translated yet";
    refused("COMPUTE", "", &body, &[], &[&format!("`%8 = @read_first_invocation`: {wide}")]);
}

#[test]
fn stages_and_modes_are_features() {
    use Feature::*;
    type Change = fn(&mut ShaderInfo);
    let rows: &[(Feature, Change)] = &[
        (tessellationShader, |info| info.stage = Stage::TessCtrl),
        (tessellationShader, |info| info.stage = Stage::TessEval),
        (geometryShader, |info| info.stage = Stage::Geometry),
        (VK_EXT_post_depth_coverage, |info| info.post_depth_coverage = true),
        (fragmentShaderPixelInterlock, |info| info.pixel_interlock_ordered = true),
        (fragmentShaderSampleInterlock, |info| info.sample_interlock_unordered = true),
        (computeDerivativeGroupLinear, |info| info.derivative_group = 2),
    ];
    for (feature, change) in rows {
        let (_, mut shader) = parse("FRAGMENT", "", "");
        change(&mut shader.info);
        let mut target = Target::default();
        assert_eq!(supported(&shader, &target), Ok(()), "{}", feature.name());
        target.set(*feature, false);
        let errors = supported(&shader, &target).expect_err(feature.name());
        let message = format!("the shader needs feature {}, which the target lacks", feature.name());
        assert_eq!(errors.to_string(), message);
    }
}

/// Declarations of textures and images, derefs of them, and coordinates.
const TEXTURES: (&str, &str) = (
    "\
decl_var uniform INTERP_MODE_NONE none sampler2D plane (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none sampler2D other (1, 1, 1)
decl_var uniform INTERP_MODE_NONE none sampler3D solid (2, 2, 2)
decl_var uniform INTERP_MODE_NONE none sampler2DMS samples (3, 3, 3)
decl_var uniform INTERP_MODE_NONE none samplerCube cube (4, 4, 4)
decl_var uniform INTERP_MODE_NONE none isampler2D ints (5, 5, 5)
decl_var uniform INTERP_MODE_NONE none texture2D bare (6, 6, 6)
decl_var uniform INTERP_MODE_NONE none float number (7, 7, 7)
decl_var image INTERP_MODE_NONE none r32_float image2D img (8, 0, 0)
",
    "
    32 %6 = deref_var &plane (uniform sampler2D)
    32 %7 = deref_var &other (uniform sampler2D)
    32 %8 = deref_var &solid (uniform sampler3D)
    32 %9 = deref_var &samples (uniform sampler2DMS)
    32 %10 = deref_var &cube (uniform samplerCube)
    32 %11 = deref_var &ints (uniform isampler2D)
    32 %12 = deref_var &bare (uniform texture2D)
    32 %13 = deref_var &img (image image2D)
    32x4 %14 = @load_frag_coord
    32x2 %15 = mov %14.xy
    32x3 %16 = mov %14.xyz
    32x2 %17 = f2i32 %15
",
);

/// Checks that the instruction `text`, which is `name` in the message, is refused for this reason.
#[track_caller]
fn refused_texture(text: &str, name: &str, reason: &str) {
    let body = format!("{}    {text} // !\n", TEXTURES.1);
    refused("FRAGMENT", TEXTURES.0, &body, &[], &[&format!("`{name}`: {reason} are not translated yet")]);
}

#[test]
fn texture_operations_without_a_translation_are_refused() {
    let tex = |rest: &str, reason| refused_texture(&format!("32x4 %18 = (float32)tex {rest}"), "%18 = tex", reason);
    tex("%6 (texture_deref), %7 (sampler_deref), %15 (coord)", "samplers of another texture");
    tex("%6 (texture_deref), %15 (coord), %17 (offset)", "offsets that are not constant");
    tex("%9 (texture_deref), %15 (coord)", "sampling of multisample and buffer textures");
    tex("%12 (texture_deref), %15 (coord)", "textures without a sampler where one is needed");
    tex("%8 (texture_deref), %16 (coord), %0 (comparator)", "comparisons with 3D and integer textures");
    tex("%11 (texture_deref), %15 (coord), %0 (comparator)", "comparisons with 3D and integer textures");
    tex("%10 (texture_deref), %16 (coord), %0 (offset)", "offsets in cubes and buffers");
    tex("%6 (texture_deref), %15 (coord), %0 (plane)", "planes and sources of a backend's own");
    tex("%6 (texture_deref), %15 (coord), sparse", "sparse reads of some components");
    let txf = |rest: &str, reason| refused_texture(&format!("32x4 %18 = (float32)txf {rest}"), "%18 = txf", reason);
    txf("%10 (texture_deref), %1 (coord), %0 (lod)", "fetches from cubes");
    txf("%9 (texture_deref), %17 (coord), %0 (lod)", "fetches of another kind than the texture");
    let tg4 = |rest: &str, reason| refused_texture(&format!("32x4 %18 = (float32)tg4 {rest}"), "%18 = tg4", reason);
    tg4("%8 (texture_deref), %16 (coord), 0 (gather_component)", "gathers from other than 2D and cube textures");
    tg4("%6 (texture_deref), %15 (coord), %0 (lod), 0 (gather_component)", "gathers of a chosen level");
    let query = "32 %18 = (int32)texture_samples %6 (texture_deref)";
    refused_texture(query, "%18 = texture_samples", "samples of textures that are not multisample");
    refused_texture("32 %18 = deref_var &number (uniform float)", "%18 = deref_var", "uniforms outside of blocks");
}

#[test]
fn image_operations_without_a_translation_are_refused() {
    let indices = "(image_dim=2D, image_array=false, format=r32_float, access=none";
    let level = format!("32x4 %19 = @image_deref_load (%13, %1, %0, %18) {indices}, dest_type=float32)");
    let body = format!("{}    32 %18 = mov %17.x\n    {level} // !\n", TEXTURES.1);
    let reason = "`%19 = @image_deref_load`: levels of storage images are not translated yet";
    refused("FRAGMENT", TEXTURES.0, &body, &[], &[reason]);
    let atomic = |op: &str, reason| {
        let text = format!("32 %18 = @image_deref_atomic (%13, %1, %0, %0) {indices}, atomic_op={op})");
        refused_texture(&text, "%18 = @image_deref_atomic", reason);
    };
    atomic("iadd", "image atomics of another type than the image");
    atomic("inc_wrap", "wrapping and float compare-and-swap atomics on images");
    let samples = format!("32 %18 = @image_deref_samples (%13) {indices})");
    refused_texture(&samples, "%18 = @image_deref_samples", "samples of images that are not multisample");
}

#[test]
fn textures_need_their_features() {
    use Feature::*;
    let need = |feature, text: &str, name: &str| {
        let body = format!("{}    {text} // !\n", TEXTURES.1);
        needs("FRAGMENT", TEXTURES.0, &body, feature, name);
    };
    let sampled = "%6 (texture_deref), %15 (coord)";
    need(shaderResourceMinLod, &format!("32x4 %18 = (float32)tex {sampled}, %0 (min_lod)"), "%18 = tex");
    need(shaderResourceResidency, &format!("32x5 %18 = (float32)tex {sampled}, sparse"), "%18 = tex");
    let gather = format!("32x4 %18 = (float32)tg4 {sampled}, %17 (offset), 0 (gather_component)");
    need(shaderImageGatherExtended, &gather, "%18 = tg4");
    let handle =
        "32x4 %18 = (float32)tex %5 (texture_handle), %5 (sampler_handle), %15 (coord), 0 (texture), 0 (sampler)";
    need(shaderSampledImageArrayDynamicIndexing, handle, "%18 = tex");
}

/// With a doubt every shader would be checked in full, which no other test would notice.
#[test]
fn common_shaders_have_no_doubts() {
    let declarations = "\
decl_var uniform INTERP_MODE_NONE none sampler2D plane (0, 0, 0)
decl_var shader_in INTERP_MODE_SMOOTH none vec2 place (VARYING_SLOT_VAR0.xy, 0, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 colour (FRAG_RESULT_DATA0.xyzw, 0, 0)
";
    let shader = |offset: &str| {
        let body = format!(
            "
    32 %6 = deref_var &plane (uniform sampler2D)
    32 %7 = deref_var &place (shader_in vec2)
    32 %8 = deref_var &colour (shader_out vec4)
    32x2 %9 = @load_deref (%7) (access=none)
    32x2 %10 = f2i32 %9
    32x4 %11 = (float32)tex %6 (texture_deref), %6 (sampler_deref), %9 (coord){offset}
    @store_deref (%8, %11) (wrmask=xyzw, access=none)
"
        );
        parse("FRAGMENT", declarations, &body).1
    };
    let (usual, mut without) = (shader(""), Target::default());
    assert!(!has_doubts(&usual, &Target::default()));
    assert!(has_doubts(&shader(", %10 (offset)"), &Target::default()));
    // The prelude has a number of 64 bits.
    without.set(Feature::shaderInt64, false);
    assert!(has_doubts(&usual, &without));
}

/// A Gallium driver sends inputs and outputs by slot, and variables of loose uniforms that nothing accesses.
#[test]
fn common_shaders_of_gallium_have_no_doubts() {
    for dump in [include_str!("../../../examples/fog.nir"), include_str!("../../../examples/vertex.nir")] {
        let shader = crate::text::parse(dump).expect("a shader");
        assert!(!has_doubts(&shader, &Target::default()), "{dump}");
    }
}

/// A store to, or a load from, a slot between stages, and a variable there.
#[track_caller]
fn builtin_of_stage(stage: &str, slot: &str, is_output: bool, refused_as: Option<&str>) {
    let io = format!("component=0, TYPE, io location=VARYING_SLOT_{slot} slots=1");
    let (op, line) = match is_output {
        true => ("@store_output", format!("@store_output (%0, %0) (base=0, range=1, wrmask=x, {io})")),
        false => ("%6 = @load_input", format!("32 %6 = @load_input (%0) (base=0, range=1, {io})")),
    };
    let line = line.replace("TYPE", if is_output { "src_type=int32" } else { "dest_type=int32" });
    let message = refused_as.map(|builtin| {
        let direction = if is_output { "output" } else { "input" };
        format!("{builtin} is not an {direction} of MESA_SHADER_{stage}")
    });
    let mark = if message.is_some() { " // !" } else { "" };
    let messages: Vec<String> = message.iter().map(|message| format!("`{op}`: {message}")).collect();
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    refused(stage, "", &format!("{line}{mark}\n"), &[], &messages);
}

#[test]
fn built_ins_are_of_their_stages() {
    builtin_of_stage("VERTEX", "PRIMITIVE_ID", true, Some("PrimitiveId"));
    builtin_of_stage("TESS_EVAL", "PRIMITIVE_ID", true, Some("PrimitiveId"));
    builtin_of_stage("TESS_EVAL", "PRIMITIVE_ID", false, None);
    builtin_of_stage("GEOMETRY", "PRIMITIVE_ID", true, None);
    builtin_of_stage("FRAGMENT", "PRIMITIVE_ID", false, None);
    for slot in ["LAYER", "VIEWPORT"] {
        builtin_of_stage("VERTEX", slot, true, None);
        builtin_of_stage("TESS_EVAL", slot, true, None);
        builtin_of_stage("FRAGMENT", slot, false, None);
    }
    for stage in ["VERTEX", "TESS_EVAL"] {
        builtin_of_stage(stage, "TESS_LEVEL_OUTER", true, Some("TessLevelOuter"));
    }
    builtin_of_stage("TESS_CTRL", "TESS_LEVEL_OUTER", true, None);
    let variable = |stage: &str, declaration: &str| {
        let (_, shader) = parse(stage, declaration, "");
        assert_eq!(validate(&shader), Ok(()));
        supported(&shader, &Target::default()).err().map(|errors| errors.to_string())
    };
    let primitive = "decl_var shader_out INTERP_MODE_FLAT none int v (VARYING_SLOT_PRIMITIVE_ID.x, 1, 0)";
    let stray = "variable v: PrimitiveId is not an output of MESA_SHADER_VERTEX".to_string();
    assert_eq!(variable("VERTEX", primitive), Some(stray));
    assert_eq!(variable("GEOMETRY", primitive), None);
    let layers = "decl_var shader_out INTERP_MODE_FLAT none int[4] v (VARYING_SLOT_LAYER.x, 1, 0)";
    assert_eq!(
        variable("TESS_CTRL", layers).as_deref(),
        Some("variable v: Layer is not an output of MESA_SHADER_TESS_CTRL")
    );
    let layers = layers.replace("shader_out", "shader_in");
    assert_eq!(
        variable("GEOMETRY", &layers).as_deref(),
        Some("variable v: Layer is not an input of MESA_SHADER_GEOMETRY")
    );
}

/// Each feature alone gives the built-in; without all of them, the message names them.
#[test]
fn one_of_several_features_gives_a_built_in() {
    use Feature::*;
    let cases: [(&str, &[Feature], &str); 3] = [
        (
            "load_primitive_id",
            &[geometryShader, tessellationShader, meshShader],
            "geometryShader, tessellationShader or meshShader",
        ),
        (
            "load_layer_id",
            &[geometryShader, shaderOutputLayer, meshShader],
            "geometryShader, shaderOutputLayer or meshShader",
        ),
        (
            "load_primitive_id",
            &[geometryShader, meshShader, tessellationShader],
            "geometryShader, tessellationShader or meshShader",
        ),
    ];
    for (op, features, names) in cases {
        let body = format!("32 %6 = @{op} // !\n");
        let message = format!("`%6 = @{op}`: needs feature {names}, all of which the target lacks");
        refused("FRAGMENT", "", &body, features, &[&message]);
        for kept in features {
            let off: Vec<Feature> = features.iter().copied().filter(|feature| feature != kept).collect();
            refused("FRAGMENT", "", &body.replace("// !", ""), &off, &[]);
        }
    }
}

/// The emitter has a form for each intrinsic, or the table has the reason why there is none.
#[test]
fn intrinsics_without_a_translation_have_a_reason() {
    for op in Intrinsic::ALL {
        assert_eq!(op.info().is_translated(), op.meaning().why.is_empty(), "{}", op.name());
    }
}
