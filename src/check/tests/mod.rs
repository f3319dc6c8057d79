// SPDX-License-Identifier: MIT

//! Violations of each rule alone, in a dump if a dump can express them, else in a shader built in code.
//!
//! The faulty lines of a dump end with `// !`; the expected messages are in the order of these lines.

use super::validate;
use crate::error::Errors;
use crate::ir::{
    AluFlags, AluSrc, BlockData, BranchHint, Builder, Cf, Field, InstData, InstKind, Jump, PhiSrc, Shader, Stage,
    Swizzle, TypeData,
};
use crate::op::{AluOp, Index, Intrinsic, Modes};
use crate::text;

mod supported;

/// The beginning of all test shaders.
const PRELUDE: &str = "
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x4   %1 = load_const (0x00000000, 0x00000001, 0x00000002, 0x00000003)
    1      %2 = load_const (true)
    16     %3 = load_const (0x0001)
    64     %4 = load_const (0x0000000000000001)
    32     %5 = undefined
";

fn parse(stage: &str, declarations: &str, body: &str) -> (String, Shader) {
    let header = if stage == "COMPUTE" { "workgroup_size: 1, 1, 1\n" } else { "" };
    let dump = format!(
        "shader: MESA_SHADER_{stage}\n{header}subgroup_size: 0\n{declarations}\ndecl_function main () (entrypoint)\n\n\
         impl main {{{PRELUDE}{body}\n    block b99:\n}}\n"
    );
    let shader = text::parse(&dump).unwrap_or_else(|errors| panic!("the dump does not parse: {errors}\n{dump}"));
    (dump, shader)
}

#[track_caller]
fn expect(result: Result<(), Errors>, dump: &str, messages: &[&str]) {
    let lines: Vec<u32> = (1..).zip(dump.lines()).filter(|(_, line)| line.ends_with("// !")).map(|(n, _)| n).collect();
    let errors = result.err().map_or(Vec::new(), |errors| errors.0);
    let found: Vec<(u32, &str)> = errors.iter().map(|error| (error.place.line, error.message.as_str())).collect();
    let expected: Vec<(u32, &str)> = lines.into_iter().zip(messages.iter().copied()).collect();
    assert_eq!(found, expected, "\n{dump}");
}

/// Validates a dump that breaks rules in the marked lines.
#[track_caller]
fn invalid(stage: &str, declarations: &str, body: &str, messages: &[&str]) {
    let (dump, shader) = parse(stage, declarations, body);
    expect(validate(&shader), &dump, messages);
}

/// The messages of a shader that is built in code.
fn messages(shader: &Shader) -> Vec<String> {
    validate(shader).err().map_or(Vec::new(), |errors| errors.0.into_iter().map(|error| error.message).collect())
}

#[test]
fn a_valid_shader_has_no_problems() {
    invalid("VERTEX", "", "    32 %6 = fadd %0, %1.y\n", &[]);
}

#[test]
fn several_problems_are_reported_at_once() {
    let body = "
    32 %6 = iadd %0, %3                                               // !
    32 %7 = iadd %0, %5
    16 %8 = fneg %0                                                   // !
    @store_scratch (%0, %0) (align_mul=3, align_offset=0, wrmask=x)   // !
    ";
    invalid(
        "COMPUTE",
        "",
        body,
        &[
            "`%6 = iadd`: source 1 has 16 bits, not 32",
            "`%8 = fneg`: the result has 16 bits, not 32",
            "`@store_scratch`: align_mul 3 is not a power of two; 1 means that nothing is known of the offset",
        ],
    );
}

#[test]
fn no_more_than_a_hundred_problems_are_reported() {
    let body: String = (6..300).map(|n| format!("    16 %{n} = fneg %0\n")).collect();
    let (_, shader) = parse("COMPUTE", "", &body);
    assert_eq!(messages(&shader).len(), 100);
}

#[test]
fn definitions_reach_their_uses() {
    let body = "
    if %2 {
        block b1:
        32 %6 = iadd %0, %0
    } else {
        block b2:
        32 %7 = iadd %6, %0    // !
    }
    block b3:
    32 %8 = phi b1: %6, b2: %7
    32 %9 = phi b1: %7, b2: %7 // !
    ";
    let unreached = "is not defined on every way to this use";
    invalid("VERTEX", "", body, &[&format!("`%7 = iadd`: %6 {unreached}"), &format!("`%9 = phi`: %7 {unreached}")]);
}

#[test]
fn phis_fit_their_predecessors() {
    let body = "
    if %2 {
        block b1:
    } else {
        block b2:
    }
    block b3:
    32 %6 = phi b1: %0                   // !
    32 %7 = phi b1: %0, b0: %0           // !
    32 %8 = phi b1: %0, b1: %0           // !
    32 %9 = phi b1: %0, b2: %3           // !
    32 %10 = iadd %0, %0
    32 %11 = phi b1: %0, b2: %0          // !
    ";
    invalid(
        "VERTEX",
        "",
        body,
        &[
            "`%6 = phi`: has 1 source, but its block has 2 predecessors",
            "`%7 = phi`: b0 is not a predecessor of its block",
            "`%8 = phi`: has two sources from b1",
            "`%9 = phi`: %3 is of another size",
            "`%11 = phi`: follows an instruction that is not a phi",
        ],
    );
}

#[test]
fn unreachable_code_may_use_values_defined_above() {
    let body = "
    if %2 {
        block b1:
        32 %6 = iadd %0, %0
        halt
    } else {
        block b2:
        halt
    }
    block b3:
    32 %7 = iadd %6, %0
    ";
    invalid("VERTEX", "", body, &[]);
}

#[test]
fn values_defined_before_each_exit_are_usable_after_a_loop() {
    invalid(
        "FRAGMENT",
        "",
        "
    loop {
        block b1:   // preds: b0 b7
        32  %6 = iadd %0, %0
        if %2 {
            block b2:   // preds: b1
            32  %7 = iadd %6, %0
            break
        } else {
            block b3:   // preds: b1
            32  %8 = iadd %6, %0
        }
        block b4:   // preds: b3
        32  %9 = iadd %8, %0
    }
    block b8:   // preds: b2
    32  %10 = iadd %6, %7
    32  %11 = iadd %8, %0   // !
    32  %12 = iadd %9, %0   // !
    loop {
        block b9:   // preds: b8 b12
        32  %13 = iadd %10, %0
        if %2 {
            block b10:   // preds: b9
            break
        } else {
            block b11:   // preds: b9
        }
        block b12:   // preds: b11
        32  %14 = iadd %10, %0
        if %2 {
            block b13:   // preds: b12
            break
        } else {
            block b14:   // preds: b12
        }
        block b15:   // preds: b14
    }
    block b16:   // preds: b10 b13
    32  %15 = phi b10: %13 (0x0), b13: %14 (0x0)
    32  %16 = phi b10: %14 (0x0), b13: %13 (0x0)   // !
    32  %17 = iadd %15, %13
    32  %18 = iadd %15, %14   // !
",
        &[
            "`%11 = iadd`: %8 is not defined on every way to this use",
            "`%12 = iadd`: %9 is not defined on every way to this use",
            "`%16 = phi`: %14 is not defined on every way to this use",
            "`%18 = iadd`: %14 is not defined on every way to this use",
        ],
    );
}

#[test]
fn conditions_are_booleans() {
    let body = "
    32 %6 = iadd %0, %0 // !
    if %6 {
        block b1:
    } else {
        block b2:
    }
    block b3:
    ";
    invalid("VERTEX", "", body, &["`%6 = iadd`: is the condition of an if, but not one component of 1 bit"]);
}

#[test]
fn jumps_are_at_valid_places() {
    let body = "
    break               // !
    loop {
        block b1:
        halt            // !
        32 %6 = iadd %0, %0
    } continue {
        block b2:
        if %2 {
            block b3:
            break       // !
        } else {
            block b4:
            loop {
                block b5:
                break
            }
            block b6:
            return      // !
        }
        block b7:
    }
    block b8:
    ";
    invalid(
        "VERTEX",
        "",
        body,
        &[
            "`break`: is not in a loop",
            "`halt`: is not the last instruction of its block",
            "`break`: leaves a continue construct",
            "`return`: leaves a continue construct",
        ],
    );
}

#[test]
fn alu_widths_fit_the_row() {
    let body = "
    32 %6 = iadd %0, %3                  // !
    16 %7 = iadd %0, %0                  // !
    32 %8 = ishl %0, %4                  // !
    32 %9 = bcsel %0, %0, %0             // !
    1 %10 = fneg %2                      // !
    1 %11 = iand %2, %2
    ";
    invalid(
        "VERTEX",
        "",
        body,
        &[
            "`%6 = iadd`: source 1 has 16 bits, not 32",
            "`%7 = iadd`: the result has 16 bits, not 32",
            "`%8 = ishl`: source 1 has 64 bits, not 32",
            "`%9 = bcsel`: source 0 has 32 bits, not 1",
            "`%10 = fneg`: source 0 is a float of 1 bit",
        ],
    );
}

#[test]
fn operands_of_intrinsics_fit_the_row() {
    let body = "
    32 %6 = @load_scratch (%0) (align_mul=4, align_offset=4)                                         // !
    32 %7 = @load_ubo_vec4 (%0, %0) (access=none, base=0, component=4)                               // !
    1 %8 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)     // !
    32 %9 = @get_ssbo_size (%0) (access=none)
    16 %10 = @get_ssbo_size (%0) (access=none)                                                       // !
    16 %11 = @ddx (%0)                                                                               // !
    32 %12 = @load_vertex_id                                                                         // !
    32 %13 = @ssbo_atomic (%0, %0, %4) (access=none, atomic_op=iadd)                                 // !
    ";
    invalid(
        "FRAGMENT",
        "",
        body,
        &[
            "`%6 = @load_scratch`: align_offset 4 is not below align_mul 4; it is the rest of the offset divided by align_mul",
            "`%7 = @load_ubo_vec4`: reads beyond the vec4",
            "`%8 = @load_ubo`: a value of 1 bit has no form in memory, only those of 8, 16, 32 and 64; a boolean is 32 bits there, 0 or all ones",
            "`%10 = @get_ssbo_size`: cannot have 16 bits",
            "`%11 = @ddx`: has 16 bits, but its value 32",
            "`%12 = @load_vertex_id`: does not exist in MESA_SHADER_FRAGMENT",
            "`%13 = @ssbo_atomic`: source 2 has 64 bits, but the result 32",
        ],
    );
}

#[test]
fn operands_are_complete() {
    let mut shader = Shader::default();
    shader.append_new_block();
    let mut b = Builder::new(&mut shader);
    let x = b.constant(32, &[0, 0]);
    b.intrinsic(Intrinsic::load_scratch, 1, 32, &[x]);
    b.intrinsic(Intrinsic::barrier, 0, 0, &[x]);
    b.inst(0, 0, InstKind::Intrinsic { op: Intrinsic::barrier, srcs: Default::default(), indices: Default::default() });
    b.intrinsic_with(Intrinsic::store_scratch, 0, 0, &[x, x], &[(Index::write_mask, 4), (Index::align_mul, 4)]);
    b.intrinsic_with(Intrinsic::shader_clock, 3, 32, &[], &[(Index::memory_scope, 99)]);
    let expected = [
        "`%1 = @load_scratch`: source 0 has 2 components, not 1",
        "`%1 = @load_scratch`: align_mul 0 is not a power of two; 1 means that nothing is known of the offset",
        "`@barrier`: has 1 source, not 0",
        "`@barrier`: has 0 index values for 4",
        "`@store_scratch`: source 1 has 2 components, not 1",
        "`@store_scratch`: wrmask: 0x4 names components that the value does not have",
        "`%2 = @shader_clock`: has 3 components, not 2",
        "`%2 = @shader_clock`: memory_scope: 99 is not a valid value",
    ];
    assert_eq!(messages(&shader), expected);
}

#[test]
fn registers_are_accessed_as_declared() {
    let body = "
    32 %6 = @decl_reg (num_components=1, num_array_elems=0, bit_size=32, divergent=0)
    32 %7 = @decl_reg (num_components=6, num_array_elems=0, bit_size=32, divergent=0)                // !
    32x4 %8 = @load_reg (%6) (base=0, legacy_fabs=0, legacy_fneg=0)                                  // !
    32 %9 = @load_reg (%0) (base=0, legacy_fabs=0, legacy_fneg=0)                                    // !
    @store_reg (%0, %6) (base=1, wrmask=x, legacy_fsat=0)                                            // !
    32 %10 = iadd %6, %0                                                                             // !
    if %2 {
        block b1:
        32 %11 = @decl_reg (num_components=1, num_array_elems=0, bit_size=32, divergent=0)           // !
    } else {
        block b2:
    }
    block b3:
    ";
    invalid(
        "VERTEX",
        "",
        body,
        &[
            "`%7 = @decl_reg`: a register cannot have 6 components of 32 bits",
            "`%8 = @load_reg`: the register is 32x1, but the value is 32x4",
            "`%9 = @load_reg`: %0 is not a decl_reg",
            "`@store_reg`: base 1 is not below the length of the register, 1",
            "`%10 = iadd`: %6 is a register, not a value",
            "`%11 = @decl_reg`: is not in the first block",
        ],
    );
}

#[test]
fn inputs_and_outputs_fit_their_slot() {
    let body = "
    32x2 %6 = @load_input (%0) (base=0, range=1, component=3, dest_type=float32, io location=VERT_ATTRIB_POS slots=1)  // !
    64x4 %7 = @load_input (%0) (base=0, range=1, component=0, dest_type=float64, io location=VERT_ATTRIB_POS slots=2)
    32 %8 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC15 slots=9) // !
    @store_output (%0, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1 dualsrc, xfb(), xfb2()) // !
    32 %9 = load_const (0x00000002)
    32 %10 = @load_input (%9) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_POS slots=2) // !
    16 %11 = load_const (0x0000)
    32 %12 = @load_input (%11) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_POS slots=1) // !
    ";
    invalid(
        "VERTEX",
        "",
        body,
        &[
            "`%6 = @load_input`: 2 components from 3 on do not fit the slot",
            "`%8 = @load_input`: 9 slots from 30 on do not exist",
            "`@store_output`: only outputs of fragment shaders are blended",
            "`%10 = @load_input`: slot 2 of 2 slots",
            "`%12 = @load_input`: the place has 16 bits, not 32",
        ],
    );
}

#[test]
fn qualifiers_fit_the_stage() {
    let captured = "@store_output (%0, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, \
                    io location=FRAG_RESULT_DATA0 slots=1, xfb(component=0 buffer=0 offset=0), xfb2()) // !";
    invalid("FRAGMENT", "", captured, &["`@store_output`: this stage is not captured"]);
    let second = "32 %6 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, \
                  io location=VARYING_SLOT_VAR2 slots=1 dualsrc) // !";
    invalid("FRAGMENT", "", second, &["`%6 = @load_input`: only outputs of fragment shaders are blended"]);
    let output = |stage: &str, qualifier: &str, note: &str| {
        let slot = if stage == "FRAGMENT" { "(FRAG_RESULT_DATA0.x, 0, 0)" } else { "(VARYING_SLOT_VAR0.x, 0, 0)" };
        let declaration = format!("decl_var {qualifier}shader_out INTERP_MODE_NONE none float v {slot} // ntv: {note}");
        messages(&parse(stage, &declaration, "").1)
    };
    assert_eq!(output("GEOMETRY", "", "stream=3"), [""; 0]);
    assert_eq!(output("GEOMETRY", "", "stream=4"), ["variable v: there is no stream 4"]);
    assert_eq!(output("VERTEX", "", "stream=1"), ["variable v: there is no stream 1"]);
    assert_eq!(
        output("FRAGMENT", "per_primitive ", "index=0"),
        ["variable v: is of a primitive, but neither an input of a fragment shader nor an output of a mesh shader"]
    );
    assert_eq!(output("FRAGMENT", "", "index=1"), [""; 0]);
    assert_eq!(output("FRAGMENT", "", "index=2"), ["variable v: there is no index 2"]);
    assert_eq!(output("VERTEX", "", "index=1"), ["variable v: there is no index 1"]);
    assert_eq!(output("VERTEX", "", "xfb(buffer=3 stride=16 offset=0)"), [""; 0]);
    assert_eq!(
        output("VERTEX", "", "xfb(buffer=4 stride=16 offset=0)"),
        ["variable v: transform feedback has no buffer 4"]
    );
    assert_eq!(output("TESS_CTRL", "", "xfb(buffer=0 stride=16 offset=0)"), ["variable v: cannot be captured"]);
    assert_eq!(output("TESS_CTRL", "patch ", "index=0"), [""; 0]);
    assert_eq!(
        output("VERTEX", "patch ", "index=0"),
        ["variable v: is of a patch, but not between tessellation shaders"]
    );
}

#[test]
fn there_is_one_interlock_mode() {
    let modes = |header: &str| messages(&parse("FRAGMENT", header, "").1);
    assert_eq!(modes("pixel_interlock_ordered: true"), [""; 0]);
    let both = "pixel_interlock_ordered: true\nsample_interlock_unordered: true";
    assert_eq!(modes(both), ["has more than one interlock mode"]);
}

#[test]
fn derefs_fit_their_types() {
    let declarations = "
decl_var shader_in INTERP_MODE_NONE none vec4 in (VERT_ATTRIB_POS.xyzw, 0, 0)
decl_var shader_temp INTERP_MODE_NONE none vec4[3] temp
";
    let body = "
    32 %6 = deref_var &in (shader_in vec4)
    32 %7 = deref_var &temp (shader_temp vec4[3])
    32 %8 = deref_array &(*%7)[%4] (shader_temp vec4)                                                // !
    32 %9 = deref_array &(*%7)[%0] (shader_temp vec4)
    32x2 %10 = @load_deref (%9) (access=none)                                                        // !
    64x4 %11 = @load_deref (%9) (access=none)                                                        // !
    32x4 %12 = @load_deref (%7) (access=none)                                                        // !
    @store_deref (%6, %1) (wrmask=xyzw, access=none)                                                 // !
    @store_deref (%0, %1) (wrmask=xyzw, access=none)                                                 // !
    @copy_deref (%7, %6) (dst_access=none, src_access=none)                                          // !
    ";
    invalid(
        "VERTEX",
        declarations,
        body,
        &[
            "`%8 = deref_array`: its index is not one component of 32 bits",
            "`%10 = @load_deref`: the value has 2 components, but the pointer points to 4",
            "`%11 = @load_deref`: the value has 64 bits, but the pointer points to 32",
            "`%12 = @load_deref`: its pointer points to no scalar or vector",
            "`@store_deref`: writes read-only memory",
            "`@store_deref`: source 0 is not a deref",
            "`@copy_deref`: its pointers point to different types",
        ],
    );
}

#[test]
fn texture_operations_take_their_sources() {
    let declarations = "\
decl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none float numbers (0, 0, 0)
";
    let body = "
    32 %6 = deref_var &tex (uniform sampler2D)
    32x2 %7 = vec2 %0, %0
    32x4 %8 = (float32)tex %6 (texture_deref), %6 (sampler_deref), %7 (coord)
    32x4 %9 = (float32)tex %6 (texture_deref), %6 (sampler_deref), %7 (coord), %7 (coord)            // !
    32x4 %10 = (float32)tex %6 (texture_deref), %6 (sampler_deref), %7 (coord), %0 (bias)            // !
    32x4 %11 = (float32)txl %0 (texture_deref), %6 (sampler_deref), %7 (coord), %0 (lod)             // !
    32x4 %12 = (float32)txl %6 (texture_deref), %6 (sampler_deref), %7 (coord), %7 (lod)             // !
    16x4 %13 = (float32)tex %6 (texture_deref), %6 (sampler_deref), %7 (coord)                       // !
    32x4 %14 = (float32)txd %6 (texture_deref), %6 (sampler_deref), %7 (coord), %7 (ddx)             // !
    64x2 %15 = vec2 %4, %4
    32x4 %16 = (float32)tex %6 (texture_deref), %6 (sampler_deref), %15 (coord)                      // !
    32x4 %17 = (float32)txf %6 (texture_deref), %6 (sampler_deref), %7 (coord), %0 (comparator)      // !
    32x2 %18 = (int32)query_levels %6 (texture_deref), %6 (sampler_deref)                            // !
    32x3 %19 = (int32)txs %6 (texture_deref), %6 (sampler_deref), sparse                             // !
    32 %20 = deref_var &numbers (uniform float)
    32x4 %21 = (float32)tex %20 (texture_deref), %6 (sampler_deref), %7 (coord)                      // !
    32x4 %22 = (float32)tex %6 (texture_deref), %20 (sampler_deref), %7 (coord)                      // !
    ";
    invalid(
        "FRAGMENT",
        declarations,
        body,
        &[
            "`%9 = tex`: has two sources coord",
            "`%10 = tex`: takes no bias",
            "`%11 = txl`: source texture_deref is not a deref",
            "`%12 = txl`: source lod cannot have 2 components",
            "`%13 = tex`: does not have the 32 bits of its type",
            "`%14 = txd`: has no source ddy",
            "`%16 = tex`: source coord cannot have 64 bits",
            "`%17 = txf`: takes no comparator",
            "`%18 = query_levels`: has 2 components, not at most 1",
            "`%19 = txs`: has no residency code",
            "`%21 = tex`: source texture_deref points to no texture",
            "`%22 = tex`: source sampler_deref points to no sampler",
        ],
    );
}

#[test]
fn image_operations_take_and_give_numbers() {
    let declarations = "decl_var image INTERP_MODE_NONE none r32_float image2D img (0, 0, 0)\n";
    let indices = "(image_dim=2D, image_array=false, format=r32_float, access=none";
    let body = format!(
        "
    32 %6 = deref_var &img (image image2D)
    64x4 %7 = vec4 %4, %4, %4, %4
    1x4 %8 = vec4 %2, %2, %2, %2
    32x4 %9 = @image_deref_load (%6, %1, %0, %0) {indices}, dest_type=float32)
    32x4 %10 = @image_deref_load (%6, %7, %0, %0) {indices}, dest_type=float32) // !
    8x4 %11 = @image_deref_load (%6, %1, %0, %0) {indices}, dest_type=float32) // !
    @image_deref_store (%6, %1, %0, %8, %0) {indices}, src_type=float32) // !
    64 %12 = @image_deref_atomic (%6, %1, %0, %4) {indices}, atomic_op=iadd)
    "
    );
    invalid(
        "FRAGMENT",
        declarations,
        &body,
        &[
            "`%10 = @image_deref_load`: source 1 cannot have 64 bits",
            "`%11 = @image_deref_load`: cannot have 8 bits",
            "`@image_deref_store`: source 3 cannot have 1 bit",
        ],
    );
}

#[test]
fn variables_and_types_are_sound() {
    let mut shader = Shader::default();
    shader.append_new_block();
    let name = shader.strings.add("v");
    let float = shader.types.from_name("float").expect("a type");
    shader.vars.push(crate::ir::Variable::new(name, float, Modes::UBO | Modes::SSBO));
    assert_eq!(messages(&shader), ["variable v: does not have exactly one mode"]);

    let node = shader.types.new_struct(name, &[]);
    let nodes = shader.types.array(node, Some(2), 0);
    if let TypeData::Struct(id) = shader.types.get(node) {
        shader.types.structs[id].fields.push(Field { name, ty: nodes, offset: None });
    }
    assert_eq!(messages(&shader), ["type v contains itself"]);
}

#[test]
fn types_are_bounded() {
    let mut shader = Shader::default();
    shader.append_new_block();
    let name = shader.strings.add("s");
    let mut ty = shader.types.from_name("float").expect("a type");
    for _ in 0..40 {
        let field = Field { name, ty, offset: None };
        ty = shader.types.new_struct(name, &[field; 2]);
    }
    assert_eq!(messages(&shader), ["type s is too large"]);
    let mut deep = Shader::default();
    deep.append_new_block();
    let mut ty = deep.types.from_name("float").expect("a type");
    for _ in 0..100_000 {
        ty = deep.types.array(ty, Some(1), 0);
    }
    assert_eq!(messages(&deep), ["type array is too large"]);
}

#[test]
fn results_have_legal_sizes() {
    let mut shader = Shader::default();
    shader.append_new_block();
    let mut b = Builder::new(&mut shader);
    let x = b.imm32(0);
    b.inst(6, 32, InstKind::Undef);
    b.inst(1, 7, InstKind::Undef);
    b.inst(0, 0, InstKind::Undef);
    b.inst(1, 32, InstKind::Jump(Jump::Halt));
    let wide = b.shader.consts.push(&[256]);
    b.inst(1, 8, InstKind::Const(wide));
    b.inst(2, 32, InstKind::Const(wide));
    let swizzle = Swizzle::splat(1);
    let srcs = b.shader.push_alu_srcs(&[AluSrc { def: x, swizzle }]);
    b.inst(1, 32, InstKind::Alu { op: AluOp::fneg, flags: AluFlags::empty(), srcs });
    b.inst(1, 32, InstKind::Alu { op: AluOp::fadd, flags: AluFlags::empty(), srcs });
    let expected = [
        "`halt`: is not the last instruction of its block",
        "`%1 = undefined`: has 6 components, not 1 to 5, 8 or 16",
        "`%2 = undefined`: has 7 bits, not 1, 8, 16, 32 or 64",
        "`undefined`: has no result",
        "`%3 = halt`: has a result, but its opcode does not",
        "`%4 = load_const`: 0x100 has more than 8 bits",
        "`%5 = load_const`: has 1 value for 2 components",
        "`%6 = fneg`: source 0 reads component 1, but has 1 component",
        "`%7 = fadd`: has 1 source, not 2",
    ];
    assert_eq!(messages(&shader)[1..], expected[1..]);
}

#[test]
fn the_control_flow_list_is_well_formed() {
    let cond = crate::entity::Id::from_index(0);
    let if_item = Cf::If { cond, hint: BranchHint::None };
    let build = |items: &[Cf]| {
        let mut shader = Shader::default();
        shader.append_new_block();
        shader.append(InstData { num_components: 1, bit_size: 1, kind: InstKind::Undef });
        for item in items {
            match item {
                Cf::Block(_) => drop(shader.append_new_block()),
                other => shader.append_cf(*other),
            }
        }
        messages(&shader)
    };
    let block = Cf::Block(crate::entity::Id::from_index(0));
    assert_eq!(build(&[if_item, block, Cf::Else, block, Cf::EndIf, block]), [""; 0]);
    assert_eq!(build(&[block]), ["a block follows another block"]);
    assert_eq!(build(&[Cf::Loop, Cf::EndLoop, block]), ["the end of a loop does not follow a block"]);
    assert_eq!(build(&[Cf::Else, block]), ["an else does not match an open body"]);
    assert_eq!(
        build(&[if_item, block, Cf::EndIf, block]),
        ["the end of an if does not match an open body", "an if or a loop is not closed"]
    );
    assert_eq!(build(&[Cf::Loop, block]), ["an if or a loop is not closed"]);
    assert_eq!(build(&[Cf::Loop, block, Cf::EndLoop]), ["the control flow list does not end with a block"]);
}

#[test]
fn blocks_cover_all_instructions() {
    let mut shader = Shader::default();
    let block = shader.append_new_block();
    let x = shader.append(InstData { num_components: 1, bit_size: 32, kind: InstKind::Undef });
    shader.blocks[block] = BlockData { start: 0, end: 7 };
    assert_eq!(messages(&shader), ["the blocks end at instruction 7 of 1"]);
    shader.blocks[block] = BlockData { start: 0, end: 2 };
    shader.order.push(x);
    assert_eq!(messages(&shader), ["`%0 = undefined`: is in the shader twice"]);
}

#[test]
fn values_without_an_instruction_are_found() {
    let mut shader = Shader::default();
    let block = shader.append_new_block();
    let stray = shader.make(InstData { num_components: 1, bit_size: 32, kind: InstKind::Undef });
    let mut b = Builder::new(&mut shader);
    b.iadd(stray.def(), stray.def());
    b.phi(1, 32, &[PhiSrc { pred: block, def: stray.def() }]);
    b.intrinsic(Intrinsic::emit_vertex, 0, 0, &[]);
    b.shader.info.stage = Stage::Geometry;
    let expected = [
        "`%0 = iadd`: %? is not defined",
        "`%0 = iadd`: %? is not defined",
        "`%1 = phi`: follows an instruction that is not a phi",
        "`%1 = phi`: has 1 source, but its block has 0 predecessors",
        "`%1 = phi`: b0 is not a predecessor of its block",
        "`%1 = phi`: %? is not defined",
    ];
    assert_eq!(messages(&shader), expected);
}

#[test]
fn offsets_in_buffers_are_32_bits() {
    let body = "
    32 %6 = @load_ubo (%4, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)  // !
    32 %7 = @load_ssbo (%0, %3) (access=none, align_mul=4, align_offset=0)                        // !
    @store_ssbo (%0, %1, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)                 // !
    32 %8 = @load_global (%3) (access=none, align_mul=4, align_offset=0)                          // !
    32 %9 = @load_global (%0) (access=none, align_mul=4, align_offset=0)
    ";
    invalid(
        "FRAGMENT",
        "",
        body,
        &[
            "`%6 = @load_ubo`: the block index has 64 bits, not 32",
            "`%7 = @load_ssbo`: the offset has 16 bits, not 32",
            "`@store_ssbo`: the block index has 4 components, not 1",
            "`%8 = @load_global`: the address has 16 bits, not 32 or 64",
        ],
    );
}

#[test]
fn only_workgroups_wait_for_each_other() {
    let barrier = "
    @barrier (execution_scope=WORKGROUP, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=ssbo)";
    let marked = format!("{barrier}  // !\n");
    invalid("VERTEX", "", &marked, &["`@barrier`: there are no workgroups in MESA_SHADER_VERTEX"]);
    invalid("COMPUTE", "", &format!("{barrier}\n"), &[]);
}

#[test]
fn a_register_is_not_stored() {
    let body = "
    32 %6 = @decl_reg (num_components=1, num_array_elems=0, bit_size=32, divergent=0)
    @store_reg (%6, %6) (base=0, wrmask=x, legacy_fsat=0)  // !
    ";
    invalid("VERTEX", "", body, &["`@store_reg`: %6 is a register, not a value"]);
}

#[test]
fn a_condition_is_one_bit() {
    invalid("FRAGMENT", "", "    @terminate_if (%0)  // !\n", &["`@terminate_if`: the condition has more than 1 bit"]);
    let vote = "    1 %6 = @quad_vote_all (%0)  // !\n    32x4 %7 = @ballot (%0)  // !\n";
    let messages =
        ["`%6 = @quad_vote_all`", "`%7 = @ballot`"].map(|inst| format!("{inst}: the condition has more than 1 bit"));
    invalid("COMPUTE", "", vote, &messages.each_ref().map(String::as_str));
}

#[test]
fn an_invocation_is_a_number_of_32_bits() {
    let body = "
    32 %6 = @rotate (%0, %4) (cluster_size=0)  // !
    32 %7 = @shuffle (%0, %0)
    32 %8 = @read_first_invocation (%0)
    ";
    invalid("COMPUTE", "", body, &["`%6 = @rotate`: the invocation has 64 bits, not 32"]);
}

#[test]
fn outputs_of_64_bits_are_not_built_in() {
    let body = "
    @store_output (%4, %0) (base=0, range=1, wrmask=x, component=0, src_type=float64, io location=VARYING_SLOT_PSIZ slots=1, xfb(), xfb2()) // !
    @store_output (%4, %0) (base=1, range=1, wrmask=x, component=1, src_type=float64, io location=VARYING_SLOT_VAR0 slots=1, xfb(), xfb2()) // !
    @store_output (%4, %0) (base=2, range=1, wrmask=x, component=2, src_type=float64, io location=VARYING_SLOT_VAR1 slots=1, xfb(), xfb2())
    ";
    let messages =
        ["`@store_output`: a built-in does not have 64 bits", "`@store_output`: 64 bits cannot start at component 1"];
    invalid("VERTEX", "", body, &messages);
}

#[test]
fn a_point_coordinate_has_two_components() {
    let body = "
    32x2 %6 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32x2 %7 = @load_interpolated_input (%6, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_PNTC slots=1)
    32x2 %8 = @load_interpolated_input (%6, %0) (base=0, component=1, dest_type=float32, io location=VARYING_SLOT_PNTC slots=1) // !
    ";
    invalid("FRAGMENT", "", body, &["`%8 = @load_interpolated_input`: a point coordinate has two components"]);
}

#[test]
fn a_push_constant_of_zink_has_four_components() {
    let body = "
    32 %6 = @load_push_constant_zink (%0) (component=3)
    32 %7 = @load_push_constant_zink (%0) (component=1073741824) // !
    ";
    let messages = ["`%7 = @load_push_constant_zink`: there is no component 1073741824"];
    invalid("TESS_CTRL", "", body, &messages);
}
