// SPDX-License-Identifier: MIT

//! Each construct is parsed and printed as 25.0 prints it; each error has its place.

use ntv_nir::error::{Error, Errors, Place};
use ntv_nir::ir::{Cf, Directive, InstKind, Shader, Stage, TypeData};
use ntv_nir::text::{find, parse, print, Found};

/// A dump of 25.0 with these declarations and this body; the body starts on line 6 if there are no declarations.
fn dump25(decls: &str, body: &str) -> String {
    let body = if body.starts_with("block b") || body.contains("\nblock b") {
        body.to_string()
    } else {
        format!("block b0:\n{body}")
    };
    format!("shader: MESA_SHADER_FRAGMENT\n{decls}decl_function main () (entrypoint)\n\nimpl main {{\n{body}\nblock b99:\n}}\n")
}

/// A dump of 22.3.
fn dump22(decls: &str, body: &str) -> String {
    let body = if body.starts_with("block b") || body.contains("\nblock b") {
        body.to_string()
    } else {
        format!("block block_0:\n/* preds: */\n{body}")
    };
    format!(
        "shader: MESA_SHADER_FRAGMENT\ninputs: 0\nshared: 0\n{decls}decl_function main (0 params)\n\nimpl main {{\n\
         {body}\n/* succs: block_99 */\nblock block_99:\n}}\n\n"
    )
}

fn one(text: &str) -> Shader {
    parse(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// The lines of the body in the printed form of `text`, without padding and comments about control flow.
fn printed(text: &str) -> Vec<String> {
    let shader = one(text);
    let printed = print(&shader);
    assert!(one(&printed) == shader, "changed:\n{printed}");
    let body = printed.lines().skip_while(|line| !line.starts_with("impl")).skip(1);
    let words =
        body.map(|line| line.split("  //").next().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" "));
    words
        .filter(|line| !line.is_empty() && !line.starts_with("block") && !line.starts_with("//") && line != "}")
        .collect()
}

fn errors(text: &str) -> Vec<Error> {
    match parse(text) {
        Ok(shader) => panic!("no error in\n{}", print(&shader)),
        Err(Errors(errors)) => errors,
    }
}

/// The only error of a body: the text at its place, and its message.
fn error(decls: &str, body: &str) -> (String, String) {
    let text = dump25(decls, body);
    let errors = errors(&text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let Place { line, column, len } = errors[0].place;
    let line = text.lines().nth(line as usize - 1).expect("a line of the text");
    let meant = line.chars().skip(column as usize - 1).take(len as usize).collect();
    (meant, errors[0].message.clone())
}

/// Checks that 25.0 prints each line unchanged.
fn same(decls: &str, lines: &[&str]) {
    assert_eq!(printed(&dump25(decls, &lines.join("\n"))), lines);
}

#[test]
fn constants_keep_their_bits() {
    same(
        "",
        &[
            "1 %0 = load_const (true)",
            "8 %1 = load_const (0xff = -1 = 255)",
            "16 %2 = load_const (0x3c00 = 1.000000 = 15360)",
            "32x2 %3 = load_const (0x7fc00000, 0xff800000) = (nan, -inf) = (+2143289344, -8388608) = (2143289344, 4286578688)",
            "64 %4 = load_const (0x8000000000000001 = -0.000000 = -9223372036854775807 = 9223372036854775809)",
            "1x4 %5 = load_const (true, false, false, true)",
        ],
    );
}

#[test]
fn alu_has_flags_and_swizzles() {
    same(
        "",
        &[
            "32x4 %0 = undefined",
            "32 %1 = load_const (0x3f000000 = 0.500000 = 1056964608)",
            "32x2 %2 = fmul! %0.wy, %1 (0.500000).xx",
            "32 %3 = iadd.nsw.nuw %0.z, %1 (0x3f000000)",
            "32x4 %4 = fneg %0",
            "32 %5 = fdot4 %0, %4",
            "32x8 %6 = undefined",
            "32 %7 = mov %6.h",
        ],
    );
}

#[test]
fn control_flow_is_flat() {
    let text = "block b0:\n1 %0 = undefined\nif %0  // don't flatten {\nblock b1:\nloop {\nblock b2:\nif %0 {\nblock b3:\nbreak\n\
                } else {\nblock b4:\n}\nblock b5:\n} continue {\nblock b6:\n}\nblock b7:\n} else {\nblock b8:\n}\nblock b9:\n";
    let shader = one(&dump25("", text));
    let kinds: String = shader
        .cf
        .iter()
        .map(|cf| match cf {
            Cf::Block(_) => 'b',
            Cf::If { .. } => '(',
            Cf::Else => '|',
            Cf::EndIf => ')',
            Cf::Loop => '[',
            Cf::Continue => ';',
            Cf::EndLoop => ']',
        })
        .collect();
    assert_eq!(kinds, "b(b[b(b|b)b;b]b|b)b");
    let printed = print(&shader);
    let edges: Vec<&str> = printed.lines().filter(|line| line.contains("s:")).map(str::trim).collect();
    assert_eq!(
        edges,
        [
            "block b0:  // preds:",
            "// succs: b1 b8",
            "block b1:  // preds: b0, succs: b2",
            "block b2:  // preds: b1 b6, succs: b3 b4",
            "block b3:// preds: b2",
            "// succs: b7",
            "block b4:  // preds: b2, succs: b5",
            "block b5:  // preds: b4, succs: b6",
            "block b6:  // preds: b5, succs: b2",
            "block b7:  // preds: b3, succs: b9",
            "block b8:  // preds: b0, succs: b9",
            "block b9:  // preds: b7 b8, succs: b10",
        ]
    );
    assert!(printed.contains("if %0  // don't flatten {"));
}

#[test]
fn phis_refer_forward() {
    let body = "block b0:\n32 %0 = undefined\nloop {\nblock b1:\n32 %7 = phi b0: %0, b2: %9\n1 %8 = ieq %7, %0\nif %8 {\nblock b3:\n\
                break\n} else {\nblock b4:\n}\nblock b2:\n32 %9 = iadd %7, %0\n}\nblock b5:\n";
    let lines = printed(&dump25("", body));
    assert!(lines.contains(&"32 %1 = phi b0: %0, b4: %3".to_string()), "{lines:?}");
}

#[test]
fn variables_have_all_their_parts() {
    let decls = [
        "decl_var shader_in INTERP_MODE_FLAT none highp vec2 uv (VARYING_SLOT_VAR3.zw, 2, 0)",
        "decl_var centroid sample shader_in INTERP_MODE_NONE none float[3] edge (VARYING_SLOT_CLIP_DIST0.x, 4294967295, 0) compact",
        "decl_var shader_out INTERP_MODE_NONE none mediump vec4 c@0,[1]#2 (FRAG_RESULT_DATA1.xyzw, 1, 0)",
        "decl_var shader_out INTERP_MODE_NONE none dmat3 m (FRAG_RESULT_DATA2.abcdefghi, 1, 0)",
        "decl_var bindless uniform INTERP_MODE_NONE none sampler2DArrayShadow[4] tex (~0, 3, 5)",
        "decl_var image INTERP_MODE_NONE restrict writeonly r32_uint uimage2D img (0, 0, 7)",
        "decl_var image INTERP_MODE_NONE none none image3D other (12, 0, 0)",
        "decl_var uniform INTERP_MODE_NONE none int[2] u (0, 0, 0) = { { 0x00000001 }, { 0x00000002 } }",
        "decl_var ubo INTERP_MODE_NONE none Light[2][3] lights (0, 1, 0)",
        "decl_var ssbo INTERP_MODE_NONE coherent volatile uint[] data (0, 0, 0)",
        "decl_var system INTERP_MODE_NONE none uint id (SYSTEM_VALUE_INSTANCE_ID)",
        "decl_var  INTERP_MODE_NONE none vec4 tmp = null",
        "decl_var shared INTERP_MODE_NONE none uint[8] mem",
    ];
    let mut text = decls.join("\n");
    text.push('\n');
    let shader = one(&dump25(&text, ""));
    let printed = print(&shader);
    let again: Vec<&str> = printed.lines().filter(|line| line.starts_with("decl_var")).collect();
    assert_eq!(again, decls);
    assert!(one(&printed) == shader);
}

#[test]
fn structs_gain_members_where_they_are_named() {
    let decls = "decl_var ubo INTERP_MODE_NONE none struct[1] blocks (0, 0, 0)\n\
                 decl_var ssbo INTERP_MODE_NONE none struct[1] others (0, 0, 0)\n";
    let lines = [
        "32 %0 = deref_var &blocks (ubo struct[1])",
        "32 %1 = deref_array &(*%0)[0] (ubo struct)",
        "32 %2 = deref_struct &%1->lights (ubo Light[2])",
        "32 %3 = deref_array &(*%2)[-1] (ubo Light)",
        "32 %4 = deref_struct &%3->color (ubo vec4)",
        "32 %5 = deref_array &(*%4)[%0] (ubo float)",
        "32 %6 = deref_var &others (ssbo struct[1])",
        "32 %7 = deref_array &(*%6)[*] (ssbo struct)",
        "32 %8 = deref_struct &%7->unsized (ssbo uint[])",
        "32 %9 = deref_struct &%7->base (ssbo uint[4])",
        "32 %10 = deref_cast (mat4 *)%9 (shader_temp|function_temp mat4) (ptr_stride=16, align_mul=4, align_offset=2)",
        "32 %11 = deref_ptr_as_array &(*%10)[3] (shader_temp|function_temp mat4)",
    ];
    same(decls, &lines);
    let shader = one(&dump25(decls, &lines.join("\n")));
    let structs: Vec<Vec<String>> = shader
        .types
        .structs
        .values()
        .map(|data| {
            data.fields
                .iter()
                .map(|f| format!("{} {}", &shader.strings[f.name], shader.types.name(f.ty, &shader.strings)))
                .collect()
        })
        .collect();
    assert_eq!(structs[0], ["lights Light[2]"]);
    assert_eq!(structs[1], ["base uint[4]", "unsized uint[]"]);
    assert_eq!(structs[2], ["color vec4"]);
}

#[test]
fn structs_without_a_name_are_read() {
    same("decl_var uniform INTERP_MODE_NONE none #anon_struct a (0, 0, 0)\n", &[]);
}

#[test]
fn structs_can_be_described() {
    let decls = |members: &str| {
        format!("// ntv: struct=s {{ {members} }}\ndecl_var ssbo INTERP_MODE_NONE none s v (0, 0, 0)\n")
    };
    let shader = one(&dump25(&decls("uint a offset=4, vec4[2] b offset=16 stride=32"), ""));
    assert!(one(&print(&shader)) == shader);
    let data = shader.types.as_struct(shader.vars.values().next().expect("a variable").ty).expect("a struct");
    let offsets: Vec<Option<u32>> = data.fields.iter().map(|field| field.offset).collect();
    assert_eq!(offsets, [Some(4), Some(16)]);
    assert!(matches!(shader.types.get(data.fields[1].ty), TypeData::Array { stride: 32, len: Some(2), .. }));

    let case = |decls: &str, body: &str, meant: &str, message: &str| {
        let (at, text) = error(decls, body);
        assert_eq!((at.as_str(), text.contains(message)), (meant, true), "{decls}: at `{at}`: {text}");
    };
    case(&decls("frob a offset=0"), "", "frob", "a struct that was described");
    case(&decls("uint a ofset=0"), "", "ofset=0", "`,` or `}`");
    case(&decls("uint a offset=0 stride=4"), "", "uint", "only arrays have a stride");
    case(&decls("uint a offset=0 uint b offset=4"), "", "uint", "`,` or `}`");
    let twice = "// ntv: struct=s { uint a offset=0 }\n// ntv: struct=s { uint a offset=0 }\n";
    case(twice, "", "struct=s", "once, before the first variable");
    let other = "32 %0 = deref_var &v (ssbo s)\n32 %1 = deref_struct &%0->b (ssbo uint)";
    case(&decls("uint a offset=0"), other, "%0", "without that member");
    let double = |n: u32| format!("// ntv: struct=s{} {{ s{n} a offset=0, s{n} b offset=64 }}\n", n + 1);
    let large = (0..11).fold("// ntv: struct=s0 { uint a offset=0 }\n".to_string(), |text, n| text + &double(n));
    case(&large, "", "s10", "too many members");
}

#[test]
fn comments_of_variables_describe_their_types() {
    let decls = |note: &str| format!("decl_var ssbo INTERP_MODE_NONE none s[2][3] v (0, 0, 0)  // ntv: set=3 {note}\n");
    let text = "stride=96/32 { uvec4[] base offset=0 stride=16, light { vec3 c, dark { }[2] d stride=0 } l }";
    let text = text.replace("dark { }[2]", "dark[2] { }");
    let shader = one(&dump25(&decls(&text), ""));
    assert!(print(&shader).contains(&format!("set=3 {}", text.replace(" stride=0", ""))), "{}", print(&shader));
    assert!(one(&print(&shader)) == shader);

    let case = |note: &str, meant: &str, message: &str| {
        let (at, text) = error(&decls(note), "");
        assert_eq!((at.as_str(), text.contains(message)), (meant, true), "{note}: at `{at}`: {text}");
    };
    case("stride=1/2/3", "s", "only arrays have a stride");
    case("{ uint a, frob b }", "frob", "a struct that was described");
    case("{ uint a", "", "`,` or `}`");
    let deep = format!("{{ {}uint a{} }}", "s { ".repeat(40), " } a".repeat(40));
    case(&deep, "s", "nested too deeply");
    let scalar = "decl_var ssbo INTERP_MODE_NONE none uint v (0, 0, 0)  // ntv: { uint a }\n";
    assert!(error(scalar, "").1.contains("only structs have members"));
}

#[test]
fn names_that_two_variables_have_are_printed_with_a_number() {
    let decls = "decl_var  INTERP_MODE_NONE none uint a\ndecl_var  INTERP_MODE_NONE none uint a#0\n\
                 decl_var  INTERP_MODE_NONE none uint b#0\n";
    let shader = one(&dump25(decls, ""));
    let names: Vec<&str> = shader.vars.values().map(|var| &shader.strings[var.name]).collect();
    assert_eq!(names, ["a", "a", "b#0"]);
    assert!(print(&shader).contains(decls), "{}", print(&shader));
}

#[test]
fn push_constants_have_their_members() {
    let offsets = |body: &str| -> Vec<Option<u32>> {
        let shader = one(&dump25("decl_var push_const INTERP_MODE_NONE none struct gfx_pushconst\n", body));
        let ty = shader.vars.values().next().expect("a variable").ty;
        let TypeData::Struct(id) = shader.types.get(ty) else { panic!("no struct") };
        shader.types.structs[id].fields.iter().map(|field| field.offset).collect()
    };
    let pointer = "32 %0 = deref_var &gfx_pushconst (push_const struct)";
    assert_eq!(offsets(pointer), [0, 4, 8, 12, 20, 36, 40, 48, 52].map(Some));
    // There is no use.
    assert_eq!(offsets(""), []);
}

#[test]
fn intrinsics_have_indices() {
    same(
        "",
        &[
            "32 %0 = load_const (0x00000000)",
            "32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
            "32x4 %2 = @load_interpolated_input (%1, %0 (0x0)) (base=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR1 slots=1 mediump)",
            "32x3 %3 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=16, align_offset=4, range_base=0, range=-1)",
            "@store_ssbo (%3, %0 (0x0), %0 (0x0)) (wrmask=xz, access=coherent|volatile, align_mul=4, align_offset=0)",
            "@barrier (execution_scope=WORKGROUP, memory_scope=DEVICE, mem_semantics=ACQ|REL|VISIBLE, mem_modes=image|ssbo)",
            "@barrier (execution_scope=NONE, memory_scope=NONE, mem_semantics=NONE, mem_modes=0)",
            "32 %4 = @ssbo_atomic (%0 (0x0), %0 (0x0), %0 (0x0)) (access=none, atomic_op=umax)",
            "32 %5 = @reduce (%0 (0x0)) (reduction_op=iadd, cluster_size=0)",
            "@store_output (%2, %0 (0x0)) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1 dualsrc, xfb(components=0..1 buffer=1 offset=16, component=1 buffer=0 offset=4), xfb2(component=2 buffer=0 offset=1020))",
            "@terminate",
        ],
    );
}

#[test]
fn textures_have_sources_numbers_and_flags() {
    same(
        "decl_var uniform INTERP_MODE_NONE none sampler2D s (0, 0, 0)\n",
        &[
            "32x2 %0 = undefined",
            "32 %1 = load_const (0x00000000 = 0.000000)",
            "32 %2 = deref_var &s (uniform sampler2D)",
            "32x4 %3 = (float32)txl %2 (texture_deref), %2 (sampler_deref), %0 (coord), %1 (0.000000) (lod)",
            "32x4 %4 = (uint16)tg4 %0 (coord), implicit lod, 2 (gather_component), { (-8, 7), (0, 0), (1, 2), (3, 4) } (offsets), 5 (texture), 6 (sampler), texture non-uniform, sampler non-uniform",
            "32x5 %5 = (float)tex %2 (texture_deref), %2 (sampler_deref), %0 (coord), sparse",
            "32 %6 = (int32)query_levels %2 (texture_deref)",
        ],
    );
}

#[test]
fn header_survives() {
    let header = "shader: MESA_SHADER_COMPUTE\n// ntv: shared_offset_units=elements\nsource_blake3: {0x01, 0x02}\nname: a: b\nlabel: x\n\
                  internal: true\nworkgroup_size: 8, 4, 1 (variable)\nnext_stage: MESA_SHADER_FRAGMENT\nnum_textures: 3\n\
                  inputs_read: 0,15-17,63\nsystem_values_read: 0x00000000'00000001'00000000'80000000\n\
                  inputs_read_16bit: 0x00ff\npatch_inputs_read: 0x00000001\nsamplers_used: 0x00000003\n\
                  float_controls_execution_mode: 0x00000010\nshared_size: 64\nray queries: 1\nsubgroup_size: 0\n\
                  xfb_stride: {1, 0, 0, 2}\nbit_sizes_int: 0x21\nworkgroup_size_hint: {1, 2, 3}\nscratch: 16\n";
    let text = format!("{header}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:, succs: b1\n    block b1:\n}}\n\n");
    assert_eq!(print(&one(&text)), text);
    let info = one(&text).info;
    let printed = info.printed().unwrap();
    assert_eq!(printed.inputs_read, 1 | 7 << 15 | 1 << 63);
    assert_eq!(printed.system_values_read, 1 << 64 | 1 << 31);
    assert_eq!(info.workgroup_size, [8, 4, 1]);
    assert_eq!(info.directives, [Directive::OffsetsInElements]);
}

#[test]
fn old_notes_are_read_if_they_have_content() {
    let body = "block block_0:\nvec1 32 ssa_0 = undefined\nvec1  1 ssa_1 = undefined\n\
                vec1 32 ssa_2 = deref_cast (uint *)ssa_0 (shared uint)  /* ptr_stride=4, align_mul=8, align_offset=1 */\n\
                if ssa_1 /* flatten */ {\nblock block_1:\n} else {\nblock block_2:\n}\nblock block_3:\n";
    let text = dump22("", body);
    let last = "32 %2 = deref_cast (uint *)%0 (shared uint) (ptr_stride=4, align_mul=8, align_offset=1)";
    assert!(printed(&text).contains(&last.to_string()));
    assert!(print(&one(&text)).contains("if %1  // flatten {"));
}

#[test]
fn old_header_has_the_same_fields() {
    let text = "shader: MESA_SHADER_GEOMETRY\nsource_sha1: {0x12, 0x34}\nname: GLSL4\nubos: 2\nshared: 0\nray queries: 0\n\
                invocations: 1\nvertices in: 3\nvertices out: 4\ninput primitive: TRIANGLES\noutput primitive: TRIANGLE_STRIP\n\
                active_stream_mask: 0x1\nuses_end_primitive: 1\ndecl_function main (0 params)\n\nimpl main {\n\tblock block_0:\n\
                \t/* preds: */\n\t/* succs: block_1 */\n\tblock block_1:\n}\n";
    let info = one(text).info;
    assert_eq!((info.stage, info.num_ubos, info.vertices_in, info.vertices_out), (Stage::Geometry, 2, 3, 4));
    let printed = info.printed().unwrap();
    assert_eq!((info.input_primitive.as_str(), printed.active_stream_mask), ("TRIANGLES", 1));
    assert!(printed.uses_end_primitive);
}

#[test]
fn old_modifiers_become_instructions() {
    let body = "vec4 32 ssa_0 = undefined\nvec2 32 ssa_1 = fadd!.sat -ssa_0.wy, -abs(ssa_0.xx)\n\
                vec1 32 ssa_2 = iadd abs(ssa_1.x), -ssa_1.y\nvec1  1 ssa_3 = f2b1 ssa_2\nvec2 32 ssa_4 = fddx ssa_0.zw\n\
                vec4 32 ssa_5 = fddy_fine ssa_0\nvec2 32 ssa_6 = mov ssa_1\n";
    assert_eq!(
        printed(&dump22("", body)),
        [
            "32x4 %0 = undefined",
            "32x2 %1 = fneg %0.wy",
            "32x2 %2 = fabs %0.xx",
            "32x2 %3 = fneg %2",
            "32x2 %4 = fadd! %1, %3",
            "32x2 %5 = fsat %4",
            "32 %6 = iabs %5.x",
            "32 %7 = ineg %5.y",
            "32 %8 = iadd %6, %7",
            "32 %9 = load_const (0x00000000 = 0.000000)",
            "1 %10 = fneu %8, %9 (0.000000)",
            "32x2 %11 = mov %0.zw",
            "32x2 %12 = @ddx (%11)",
            "32x4 %13 = @ddy_fine (%0)",
            "32x2 %14 = mov %5",
        ]
    );
}

#[test]
fn old_registers_become_intrinsics() {
    let body = "decl_reg vec4 32 r0\ndecl_reg vec1 1 r1[8]\nblock block_0:\nvec2 32 ssa_0 = undefined\nr0.yw = fadd ssa_0, ssa_0\n\
                vec1 32 ssa_1 = undefined\nvec1 1 ssa_2 = flt r0.x, ssa_1\nr1[2 + ssa_1] = inot ssa_2\nif r1[3] {\nblock block_1:\n\
                } else {\nblock block_2:\n}\nblock block_3:\n";
    assert_eq!(
        printed(&dump22("", body)),
        [
            "32 %0 = @decl_reg (num_components=4, num_array_elems=0, bit_size=32, divergent=0)",
            "32 %1 = @decl_reg (num_components=1, num_array_elems=8, bit_size=1, divergent=0)",
            "32x2 %2 = undefined",
            "32x2 %3 = fadd %2, %2",
            "32x4 %4 = mov %3.xxxy",
            "@store_reg (%4, %0) (base=0, wrmask=yw, legacy_fsat=0)",
            "32 %5 = undefined",
            "32x4 %6 = @load_reg (%0) (base=0, legacy_fabs=0, legacy_fneg=0)",
            "1 %7 = flt %6.x, %5",
            "1 %8 = inot %7",
            "@store_reg_indirect (%8, %1, %5) (base=2, wrmask=x, legacy_fsat=0)",
            "1 %9 = @load_reg (%1) (base=3, legacy_fabs=0, legacy_fneg=0)",
            "if %9 {",
            "} else {",
        ]
    );
}

#[test]
fn old_intrinsics_become_new_ones() {
    let body = "vec1 32 ssa_0 = undefined\nvec1 32 ssa_1 = intrinsic ssbo_atomic_add (ssa_0, ssa_0, ssa_0) (access=5)\n\
                vec1 32 ssa_2 = intrinsic shared_atomic_comp_swap (ssa_0, ssa_0, ssa_0) (base=4)\n\
                intrinsic control_barrier () ()\nintrinsic memory_barrier_buffer () ()\nintrinsic discard () ()\n\
                intrinsic emit_vertex_with_counter (ssa_0, ssa_0) (stream_id=1)\n\
                intrinsic scoped_barrier () (execution_scope=NONE /*0*/, memory_scope=DEVICE /*5*/, mem_semantics=ACQ|REL /*3*/, mem_modes=ssbo /*128*/)\n\
                intrinsic store_ssbo (ssa_0, ssa_0, ssa_0) (wrmask=x /*1*/, access=0, align_mul=4, align_offset=0)\t/* name */\n";
    assert_eq!(
        printed(&dump22("", body)),
        [
            "32 %0 = undefined",
            "32 %1 = @ssbo_atomic (%0, %0, %0) (access=coherent|volatile, atomic_op=iadd)",
            "32 %2 = @shared_atomic_swap (%0, %0, %0) (base=4, atomic_op=cmpxchg)",
            "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)",
            "@barrier (execution_scope=NONE, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=ssbo|global)",
            "@terminate",
            "32 %3 = undefined",
            "32 %4 = undefined",
            "@emit_vertex_with_counter (%0, %0, %3, %4) (stream_id=1)",
            "@barrier (execution_scope=NONE, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=ssbo)",
            "@store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)",
        ]
    );
}

#[test]
fn old_variables_lack_access_and_locations() {
    let decls = "decl_var image INTERP_MODE_NONE none image2D a (0, 0, 0)\n\
                 decl_var image INTERP_MODE_NONE writeonly r32_float image2D b (0, 0, 0)\n\
                 decl_var image INTERP_MODE_NONE r8_unorm image2D c (0, 0, 0)\ndecl_var system INTERP_MODE_NONE uint d\n\
                 decl_var shader_in INTERP_MODE_NONE mediump vec4 e@0 (VARYING_SLOT_VAR0.xyzw, 0, 0)\n";
    let printed = print(&one(&dump22(decls, "")));
    let again: Vec<&str> = printed.lines().filter(|line| line.starts_with("decl_var")).collect();
    assert_eq!(
        again,
        [
            "decl_var image INTERP_MODE_NONE none none image2D a (0, 0, 0)",
            "decl_var image INTERP_MODE_NONE writeonly r32_float image2D b (0, 0, 0)",
            "decl_var image INTERP_MODE_NONE none r8_unorm image2D c (0, 0, 0)",
            "decl_var system INTERP_MODE_NONE none uint d (~0)",
            "decl_var shader_in INTERP_MODE_NONE none mediump vec4 e@0 (VARYING_SLOT_VAR0.xyzw, 0, 0)",
        ]
    );
}

#[test]
fn lines_of_instructions_are_kept() {
    let shader = one(&dump25("", "32 %0 = undefined\n\n@terminate"));
    let lines: Vec<u32> = shader.order.iter().map(|inst| shader.lines[*inst].0).collect();
    assert_eq!(lines, [6, 8]);
}

#[test]
fn a_log_is_searched() {
    let dump = dump22("", "vec1 32 ssa_0 = undefined");
    let log = format!("hello\nNIR shader:\n---8<---\n{dump}---8<---\nwrote 'dump00.spv'...\r\nNIR shader:\n---8<---\n{dump}---8<---\n");
    let found: Vec<Found> = find(&log).collect();
    let lines: Vec<u32> = found.iter().map(|found| found.line).collect();
    assert_eq!(lines, [4, 21]);
    assert!(found.iter().all(|found| found.shader.is_ok()));
    assert_eq!(find("no shader here\n").len(), 0);
    assert_eq!(find("").len(), 0);
}

#[test]
fn a_text_of_one_shader_has_one() {
    let dump = dump25("", "32 %0 = undefined");
    assert!(parse(&format!("a log\n{dump}")).is_ok());
    let error = |text: &str| parse(text).err().map(|errors| errors.to_string());
    assert_eq!(
        error("a log\n").as_deref(),
        Some("line 1: no shader found, expected a line like `shader: MESA_SHADER_VERTEX`")
    );
    let line = dump.lines().count() + 1;
    assert_eq!(
        error(&[&*dump, &*dump].concat()),
        Some(format!("line {line}: a second shader starts here, expected only one"))
    );
}

#[test]
fn a_dump_cut_short_does_not_hide_the_next() {
    let dump = dump25("", "32 %0 = undefined");
    let cut = dump.rsplit_once("block").expect("a block").0;
    let found: Vec<Found> = find(&format!("{cut}{dump}")).collect();
    let [Found { shader: Err(errors), line: 1, .. }, Found { shader: Ok(_), line: 7, .. }] = &found[..] else {
        panic!("{found:?}")
    };
    let why = "another shader starts in line 7, before this one is complete: lines of several threads are mixed, or the dump was cut off";
    assert_eq!(errors.to_string(), format!("line 6: {why}"));
}

#[test]
fn windows_line_ends_do_not_matter() {
    let dump = dump25("decl_var ubo INTERP_MODE_NONE none uint u (0, 0, 0)\n", "32 %0 = deref_var &u (ubo uint)");
    assert!(one(&dump.replace('\n', "\r\n")) == one(&dump));
}

#[test]
fn errors_have_a_place_and_a_message() {
    let of = |body: &str| error("decl_var ubo INTERP_MODE_NONE none struct u (0, 0, 0)\n", body);
    let case = |body: &str, meant: &str, message: &str| {
        let (at, text) = of(body);
        assert_eq!((at.as_str(), text.contains(message)), (meant, true), "{body}: at `{at}`: {text}");
    };
    case("32 %0 = frobnicate %1", "frobnicate", "unknown ALU opcode `frobnicate`");
    case("32 %0 = @frobnicate", "frobnicate", "unknown intrinsic `frobnicate`");
    case("32 %0 = (float32)frob", "frob", "unknown texture operation `frob`");
    case("32 %0 = mov %1", "%1", "%1 is not defined before this use");
    case("32x7 %0 = undefined", "x7", "components");
    case("33 %0 = undefined", "33", "width");
    case("32 %0 = undefined\n32 %0 = undefined", "%0", "defined twice");
    case("32x2 %0 = undefined\n32 %1 = mov %0", "%0", "expected a swizzle");
    case("32x2 %0 = undefined\n32 %1 = mov %0.z", "%0.z", "expected 1 of the 2 components");
    case("32 %0 = load_const (0x1, 0x2)", ",", "expected `)`");
    case("32x2 %0 = load_const (0x1)", ")", "another of 2 components");
    case("32 %0 = load_const (0x100000000)", "0x100000000", "32 bits");
    case("32 %0 = undefined\n32 %1 = iadd %0", "", "another source");
    case("@store_ssbo (%9) ()", "%9", "not defined");
    case("32 %0 = @terminate", "terminate", "has no result");
    case("@barrier (frob=1)", "frob", "expected an index of `barrier`");
    case("@barrier (memory_scope=FROB)", "FROB", "expected a value of `memory_scope`");
    case("32 %0 = deref_var &v (ubo struct)", "v", "no variable is called `v`");
    case("32 %0 = deref_var &u (ubo vec4)", "vec4", "expected the type `struct`");
    case("32 %0 = deref_var &u (ubo struct)\n32 %1 = deref_array &(*%0)[0] (ubo uint)", "%0", "has no elements");
    case("block b0:\n32 %0 = phi b7: %0", "b7", "there is no block b7");
    case("block b0:\n32 %0 = phi b0: %7", "%7", "%7 is not defined");
    case("call frob %1", "call", "without calls");
    case("goto b1", "goto", "structured control flow");
    case("ä %0 = undefined", "ä", "expected an instruction");
    let sources = ["%0 (coord)"; 22].join(", ");
    case(&format!("32 %0 = undefined\n32x4 %1 = (float32)tex {sources}"), "coord)", "more sources than");
}

#[test]
fn control_flow_that_does_not_match_is_an_error() {
    for (body, message) in [
        ("block b0:\nblock b1:\nblock b2:", "ended the function"),
        ("block b0:\nloop {\nblock b1:\nblock b2:\n}", "cannot follow another"),
        ("block b0:\nloop {\n}", "expected a block before it"),
        ("block b0:\nloop {\nblock b1:\n} else {", "does not close"),
        ("block b0:\n1 %0 = undefined\nif %0 {\nblock b1:\n}", "every if has an else"),
        ("block b0:\n1 %0 = undefined\nif %0 {\nblock b1:", "cannot follow another"),
        ("undefined\nblock b0:", "expected a block"),
    ] {
        let errors = errors(&dump25("", body));
        assert!(errors[0].message.contains(message), "{body}: {}", errors[0]);
    }
}

#[test]
fn several_errors_are_reported_once_each() {
    let body = "32 %0 = frob %9\n32 %1 = mov %0\n32 %2 = frob %1\n@frob";
    let lines: Vec<u32> = errors(&dump25("", body)).iter().map(|error| error.place.line).collect();
    assert_eq!(lines, [6, 8, 9]);
    assert_eq!(errors(&dump25("", &"@frob\n".repeat(1000))).len(), 20);
    let body = "32 %0 = deref_var &v (shader_out vec4)\n32 %1 = deref_array &(*%0)[0] (shader_out float)\n@store_deref (%1, %1) ()";
    let errors = errors(&dump25("", body));
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].message.contains("shares its location"));
}

#[test]
fn numbers_may_be_anything() {
    let lines = printed(&dump25("", "32 %4294967295 = undefined\n32 %7 = mov %4294967295\n32 %3000000 = mov %7"));
    assert_eq!(lines, ["32 %0 = undefined", "32 %1 = mov %0", "32 %2 = mov %1"]);
    assert!(error("", "32 %4294967296 = undefined").1.contains("a number"));
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let depth = 200_000;
    let loops: String = (0..depth).map(|loop_| format!("loop {{\nblock b{}:\n", 100 + loop_)).collect();
    let open = format!("block b0:\n{loops}");
    assert_eq!(errors(&dump25("", &open))[0].message, "a block cannot follow another");
    let ends: String = (1..depth).map(|end| format!("break\n}}\nblock b{}:\n", 100 + depth + end)).collect();
    // A loop, its block, its end and the block after it.
    assert_eq!(one(&dump25("", &format!("{open}{ends}break\n}}"))).cf.len(), 1 + 4 * depth);
    let arrays = format!("decl_var ubo INTERP_MODE_NONE none uint{} u (0, 0, 0)\n", "[1]".repeat(depth));
    let message = &errors(&dump25(&arrays, ""))[0].message;
    assert!(message.starts_with("expected a type, found `uint[1]"), "{}", &message[..80]);
    let mut structs = "block b0:\n32 %0 = deref_var &u (ubo S)\n".to_string();
    for i in 0..100 {
        structs += &format!("32 %{} = deref_struct &%{i}->m (ubo S)\n", i + 1);
    }
    let errors = errors(&dump25("decl_var ubo INTERP_MODE_NONE none S u (0, 0, 0)\n", &structs));
    assert!(errors[0].message.contains("nested too deeply"), "{}", errors[0]);
}

#[test]
fn equality_compares_content() {
    let texts = [
        dump25("", "32 %0 = undefined\n32 %1 = mov %0"),
        dump25("", "32 %0 = undefined\n32 %1 = inot %0"),
        dump25("", "32 %0 = undefined\n32 %1 = undefined"),
        dump25("", "16 %0 = undefined\n16 %1 = mov %0"),
        dump25("", "32 %0 = undefined\n32 %1 = mov %0\n32 %2 = mov %0"),
        dump25("", "32 %0 = undefined\n32 %1 = mov %0\n32 %2 = mov %1"),
        dump25("", "32 %0 = load_const (0x00000000)"),
        dump25("", "32 %0 = load_const (0x00000001)"),
        dump25("decl_var ubo INTERP_MODE_NONE none uint a (0, 0, 0)\n", ""),
        dump25("decl_var ubo INTERP_MODE_NONE none uint b (0, 0, 0)\n", ""),
        dump25("decl_var ubo INTERP_MODE_NONE none uint b (0, 0, 1)\n", ""),
        dump25("num_ubos: 1\ndecl_var ubo INTERP_MODE_NONE none uint b (0, 0, 1)\n", ""),
    ];
    for (i, a) in texts.iter().enumerate() {
        for (j, b) in texts.iter().enumerate() {
            assert_eq!(one(a) == one(b), i == j, "{a}\n{b}");
        }
    }
    let renumbered = dump25("", "32 %8 = undefined\n32 %3 = mov %8");
    assert!(one(&texts[0]) == one(&renumbered));
    assert!(matches!(one(&texts[0]).insts.values().next().map(|inst| inst.kind), Some(InstKind::Undef)));
}
