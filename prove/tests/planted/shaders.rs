// SPDX-License-Identifier: MIT

//! Shaders in which faults are planted: one for each operation, and small ones of the corpus.

use crate::rules::{lowered, small_target};
use ntv::{text, EmitOptions, Options, Shader, Target, Translator};
use std::fs;
use std::path::Path;

/// A shader with its module.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) shader: Shader,
    pub(crate) words: Vec<u32>,
}

/// Operations on the numbers `%4`, `%5` and `%6`, which are read from a storage block. `%9` is the result.
const OPERATIONS: &[&str] = &[
    "32 %9 = fadd %4, %5",
    "32 %9 = fmul %4, %5",
    "32 %7 = fmul %4, %5\n32 %9 = fadd! %7, %6",
    "32 %7 = fmul! %4, %5\n32 %8 = fneg %7\n32 %9 = fsub %6, %8",
    "32 %7 = fadd! %4, %5\n32 %9 = fadd! %6, %7",
    "32 %9 = ffma! %4, %5, %6",
    "32 %9 = fsub %4, %5",
    "32 %9 = fdiv %4, %5",
    "32 %9 = fmod %4, %5",
    "32 %9 = frem %4, %5",
    "32 %9 = fneg %4",
    "32 %9 = fabs %4",
    "32 %9 = fsign %4",
    "32 %9 = ffloor %4",
    "32 %9 = fceil %4",
    "32 %9 = ftrunc %4",
    "32 %9 = fround_even %4",
    "32 %9 = ffract %4",
    "32 %9 = fsin %4",
    "32 %9 = fcos %4",
    "32 %9 = fexp2 %4",
    "32 %9 = flog2 %4",
    "32 %9 = fsqrt %4",
    "32 %9 = frsq %4",
    "32 %9 = fpow %4, %5",
    "32 %9 = fmin %4, %5",
    "32 %9 = fmax %4, %5",
    "32 %9 = ffma %4, %5, %6",
    "32 %9 = flrp %4, %5, %6",
    "32 %9 = ldexp %4, %5",
    "32 %9 = fsat %4",
    "32 %9 = iadd %4, %5",
    "32 %9 = isub %4, %5",
    "32 %9 = imul %4, %5",
    "32 %9 = idiv %4, %5",
    "32 %9 = udiv %4, %5",
    "32 %9 = irem %4, %5",
    "32 %9 = imod %4, %5",
    "32 %9 = umod %4, %5",
    "32 %9 = ineg %4",
    "32 %9 = iabs %4",
    "32 %9 = isign %4",
    "32 %9 = imin %4, %5",
    "32 %9 = umin %4, %5",
    "32 %9 = imax %4, %5",
    "32 %9 = umax %4, %5",
    "32 %9 = iand %4, %5",
    "32 %9 = ior %4, %5",
    "32 %9 = ixor %4, %5",
    "32 %9 = inot %4",
    "32 %9 = ishl %4, %5",
    "32 %9 = ishr %4, %5",
    "32 %9 = ushr %4, %5",
    "32 %9 = imul_high %4, %5",
    "32 %9 = umul_high %4, %5",
    "32 %9 = uadd_carry %4, %5",
    "32 %9 = usub_borrow %4, %5",
    "32 %9 = bit_count %4",
    "32 %9 = bitfield_reverse %4",
    "32 %9 = find_lsb %4",
    "32 %9 = ufind_msb %4",
    "32 %9 = ifind_msb %4",
    "32 %9 = ubitfield_extract %4, %5, %6",
    "32 %9 = ibitfield_extract %4, %5, %6",
    "32 %9 = bitfield_insert %4, %5, %6, %2",
    "32 %9 = i2f32 %4",
    "32 %9 = u2f32 %4",
    "32 %9 = f2i32 %4",
    "32 %9 = f2u32 %4",
    "1 %7 = ilt %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = ult %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = ige %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = uge %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = ieq %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = ine %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = flt %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = fge %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = feq %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = fneu %4, %5\n32 %9 = b2i32 %7",
    "1 %7 = flt %4, %5\n1 %8 = flt %5, %6\n1 %10 = iand %7, %8\n32 %9 = bcsel %10, %4, %5",
    "1 %7 = flt %4, %5\n1 %8 = flt %5, %6\n1 %10 = ior %7, %8\n32 %9 = bcsel %10, %4, %6",
    "1 %7 = flt %4, %5\n1 %8 = flt %5, %6\n1 %10 = ixor %7, %8\n32 %9 = bcsel %10, %5, %4",
    "1 %7 = flt %4, %5\n1 %8 = inot %7\n32 %9 = bcsel %8, %5, %4",
    "1 %7 = flt %4, %5\n1 %8 = inot %7\n1 %10 = flt %5, %6\n1 %11 = iand %8, %10\n32 %9 = b2i32 %11",
    "64 %7 = i2i64 %4\n64 %8 = i2i64 %5\n64 %10 = imul %7, %8\n32 %9 = unpack_64_2x32_split_y %10",
    "64 %7 = u2u64 %4\n64 %8 = i2i64 %5\n64 %10 = iadd %7, %8\n32 %9 = unpack_64_2x32_split_y %10",
    "32x2 %7 = vec2 %4, %5\n32 %9 = pack_half_2x16 %7",
    "32x2 %7 = vec2 %4, %5\n32 %9 = pack_unorm_2x16 %7",
    "32x2 %7 = vec2 %4, %5\n32 %9 = pack_snorm_2x16 %7",
    "32x4 %7 = vec4 %4, %5, %6, %4\n32 %9 = pack_unorm_4x8 %7",
    "32x4 %7 = vec4 %4, %5, %6, %5\n32 %9 = pack_snorm_4x8 %7",
    "32x2 %7 = unpack_half_2x16 %4\n32 %9 = mov %7.y",
    "32x2 %7 = unpack_snorm_2x16 %4\n32 %9 = mov %7.y",
    "32x4 %7 = unpack_unorm_4x8 %4\n32 %9 = mov %7.z",
    "32x4 %7 = unpack_snorm_4x8 %4\n32 %9 = mov %7.w",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=xchg)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=iadd)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=imin)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=umin)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=imax)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=umax)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=iand)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=ior)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic (%1, %3, %4) (access=none, atomic_op=ixor)\n32 %9 = mov %5",
    "32 %7 = @ssbo_atomic_swap (%1, %3, %4, %5) (access=none, atomic_op=cmpxchg)\n32 %9 = mov %5",
];

/// Operations on the numbers of other invocations: each has its own `%4`, `%5` and `%6`.
const GROUPS: &[&str] = &[
    "32 %7 = @reduce (%4) (reduction_op=iadd, cluster_size=0)\n32 %9 = mov %7",
    "32 %7 = @reduce (%4) (reduction_op=imin, cluster_size=0)\n32 %9 = mov %7",
    "32 %7 = @reduce (%4) (reduction_op=fadd, cluster_size=0)\n32 %9 = mov %7",
    "32 %9 = @exclusive_scan (%4) (reduction_op=iadd)",
    "32 %9 = @shuffle (%4, %24)",
    "32x3 %7 = @load_global_invocation_id\n32 %9 = mov %7.x",
    "32 %9 = @read_invocation (%4, %1)",
    "32 %10 = ishl %4, %25\n1 %7 = @vote_feq (%10)\n32 %8 = b2i32 %7\n32 %9 = iadd %4, %8",
    "32x4 %7 = vec4 %4, %5, %6, %4\n32 %9 = @ballot_find_lsb (%7)",
];

/// Texture operations of a fragment shader at the coordinate `%4`, with the numbers `%5` and `%6` of another input. `%9` is the result.
const TEXTURES: &[&str] = &[
    "32x4 %9 = (float32)tex %2 (texture_deref), %2 (sampler_deref), %12 (coord)",
    "32x4 %9 = (float32)tex %2 (texture_deref), %2 (sampler_deref), %4 (coord), %8 (offset)",
    "32x4 %9 = (float32)txb %2 (texture_deref), %2 (sampler_deref), %4 (coord), %5 (bias)",
    "32x4 %9 = (float32)txl %2 (texture_deref), %2 (sampler_deref), %12 (coord), %13 (lod)",
    "32x4 %9 = (float32)txd %2 (texture_deref), %2 (sampler_deref), %4 (coord), %7 (ddx), %4 (ddy)",
    "32x4 %9 = (float32)tex %2 (texture_deref), %2 (sampler_deref), %4 (coord), %5 (min_lod)",
    "32 %10 = (float32)tex %3 (texture_deref), %3 (sampler_deref), %4 (coord), %13 (comparator)\n32x4 %9 = mov %10.xxxx",
    "32 %10 = (float32)txl %3 (texture_deref), %3 (sampler_deref), %4 (coord), %13 (comparator), %6 (lod)\n32x4 %9 = mov %10.xxxx",
    "32x2 %10 = iadd %12, %8\n32x4 %9 = (float32)txf %2 (texture_deref), %10 (coord), %5 (lod)",
    "32x4 %9 = (float32)tg4 %2 (texture_deref), %2 (sampler_deref), %12 (coord), 1 (gather_component)",
    "32x4 %9 = (float32)tg4 %3 (texture_deref), %3 (sampler_deref), %4 (coord), %13 (comparator), 0 (gather_component)",
    "32 %10 = @ddx (%5)\n32 %11 = @ddy (%6)\n32x4 %9 = vec4 %10, %11, %5, %6",
    "32 %10 = @ddx_fine (%5)\n32 %11 = @ddy_fine (%6)\n32x4 %9 = vec4 %10, %11, %5, %6",
    "32 %10 = @ddx_coarse (%5)\n32 %11 = @ddy_coarse (%6)\n32x4 %9 = vec4 %10, %11, %5, %6",
    "1 %10 = flt %5, %6\n@demote_if (%10)\n32x4 %9 = vec4 %5, %6, %5, %6",
    "1 %10 = flt %5, %6\n@terminate_if (%10)\n32x4 %9 = vec4 %5, %6, %5, %6",
    "32x2 %10 = @load_barycentric_centroid (interp_mode=INTERP_MODE_SMOOTH)\n32x4 %9 = @load_interpolated_input (%10, %0) (base=2, component=0, dest_type=float32, io location=VARYING_SLOT_VAR2 slots=1)",
    "32x2 %10 = @load_barycentric_sample (interp_mode=INTERP_MODE_SMOOTH)\n32x4 %9 = @load_interpolated_input (%10, %0) (base=2, component=0, dest_type=float32, io location=VARYING_SLOT_VAR2 slots=1)",
    "32x2 %10 = @load_barycentric_pixel (interp_mode=INTERP_MODE_NOPERSPECTIVE)\n32x4 %9 = @load_interpolated_input (%10, %0) (base=2, component=0, dest_type=float32, io location=VARYING_SLOT_VAR2 slots=1)",
];

/// Files of the corpus, all of whose shaders are proved.
const FILES: &[&str] = &[
    "compile/barycentrics.nir",
    "compile/builtins_of_features.nir",
    "compile/doubles_without_int64.nir",
    "compile/helper_invocations_stay.nir",
    "compile/int64_as_pairs.nir",
    "compile/interpolate_at.nir",
    "compile/read_only_memory.nir",
    "compile/task_system_values.nir",
    "mesa/branches.nir",
    "mesa/derivatives.nir",
    "mesa/interpolation.nir",
    "run/bitfields.nir",
    "run/fragment.nir",
    "run/geometry.nir",
    "run/images.nir",
    "run/int64.nir",
    "run/loop_phis.nir",
    "run/not_a_number.nir",
    "run/quads.nir",
    "run/samplers.nir",
    "run/textures.nir",
    "run/votes.nir",
    "stages/clip_and_cull.nir",
    "stages/inlined_uniforms.nir",
    "stages/interlock.nir",
    "stages/point_sprites.nir",
    "stages/second_output.nir",
    "stages/tess_control_22_3.nir",
    "zink/barriers.nir",
    "zink/geometry_streams.nir",
    "zink/no_contraction.nir",
    "zink/subgroup_operands.nir",
    "zink/ubo_layout.nir",
];

/// More files, for rules that these have no place for.
const FILES_OF_RULES: &[&str] = &[
    "run/bytes.nir",
    "run/feedback.nir",
    "run/if_phis.nir",
    "run/integers.nir",
    "run/block_index.nir",
    "run/buffer_ends.nir",
    "run/scratch.nir",
    "run/conversions.nir",
    "run/uniform_block.nir",
    "run/masked_stores.nir",
    "run/shared_memory.nir",
    "run/small_integers.nir",
    "run/storage_atomics.nir",
    "run/vertex.nir",
    "run/workgroups.nir",
    "mesa/discard.nir",
    "mesa/ssbo.nir",
    "mesa/uniform_lanes.nir",
    "mesa/vertex_id.nir",
];

/// All shaders.
pub(crate) fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let operations =
        OPERATIONS.iter().flat_map(|lines| parse(lines.lines().last().unwrap_or(""), &of_operation(lines)));
    let groups = GROUPS.iter().flat_map(|lines| parse(lines.lines().next().unwrap_or(""), &of_group(lines)));
    let files = FILES.iter().flat_map(|name| {
        let text = fs::read_to_string(root.join(name)).expect("a file of the corpus");
        parse(name, &text)
    });
    let textures = TEXTURES.iter().flat_map(|lines| parse(lines.lines().next().unwrap_or(""), &of_texture(lines)));
    operations
        .chain(groups)
        .chain(textures)
        .chain(parse("task", TASK))
        .chain(parse("patch", PATCH))
        .chain(parse("barriers", BARRIERS))
        .chain(parse("workgroups", WORKGROUPS))
        .chain(parse("critical section", CRITICAL_SECTION))
        .chain(files)
        .collect()
}

/// A shader of an operation on numbers.
pub(crate) fn case_of(lines: &str) -> Case {
    parse(lines, &of_operation(lines)).remove(0)
}

/// A shader that writes a layer, and one that does not.
pub(crate) fn layers() -> [Case; 2] {
    let (text, line) = LAYERS;
    [line, ""].map(|line| parse("layers", &text.replace("LAYER\n", &format!("{line}\n"))).remove(0))
}

/// A shader with its lowered form for a target.
pub(crate) struct Lowered {
    pub(crate) name: String,
    pub(crate) shader: Shader,
    pub(crate) lowered: Shader,
    pub(crate) target: Target,
}

/// The shaders in which wrong rules are tried: small ones first.
pub(crate) fn cases_of_rules() -> Vec<Lowered> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let mut shaders: Vec<(String, Shader)> = cases().into_iter().map(|case| (case.name, case.shader)).collect();
    for name in FILES_OF_RULES {
        let text = fs::read_to_string(root.join(name)).expect("a file of the corpus");
        let found = text::find(&text).filter_map(|found| found.shader.ok());
        shaders.extend(found.map(|shader| ((*name).to_owned(), shader)));
    }
    let lower = |(name, shader): &(String, Shader), target: Target| {
        let lowered = lowered(shader, &target)?;
        Some(Lowered { name: name.clone(), shader: shader.clone(), lowered, target })
    };
    let full = shaders.iter().filter_map(|case| lower(case, Target::default()));
    full.chain(shaders.iter().filter_map(|case| lower(case, small_target()))).collect()
}

fn parse(name: &str, text: &str) -> Vec<Case> {
    let found = text::find(text);
    let count = found.len();
    let case = |(i, dump): (usize, text::Found)| {
        let shader = dump.shader.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let mut lowered = shader.clone();
        let mut translator = Translator::new(Options::default().target(Target::default()));
        let module = translator.translate(&mut lowered, &EmitOptions::default());
        let words = module.unwrap_or_else(|error| panic!("{name}: {error:?}")).words;
        let name = name.trim().to_owned();
        let name = if count > 1 { format!("{name} {i}") } else { name };
        Case { name, shader, words }
    };
    found.into_iter().enumerate().map(case).collect()
}

/// A shader that reads three numbers and writes the result of an operation.
fn of_operation(lines: &str) -> String {
    const ACCESS: &str = "(access=none, align_mul=4, align_offset=0)";
    format!(
        "shader: MESA_SHADER_COMPUTE
name: planted
workgroup_size: 1, 1, 1
num_ssbos: 2
subgroup_size: 0
decl_function main () (entrypoint)

impl main {{
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000001)
    32 %2 = load_const (0x00000004)
    32 %3 = load_const (0x00000008)
    32 %4 = @load_ssbo (%0, %0) {ACCESS}
    32 %5 = @load_ssbo (%0, %2) {ACCESS}
    32 %6 = @load_ssbo (%0, %3) {ACCESS}
    {lines}
    @store_ssbo (%9, %1, %2) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}}
"
    )
}

/// A task shader.
const TASK: &str = "shader: MESA_SHADER_TASK
workgroup_size: 1, 1, 1
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32 %0 = load_const (0x00000001)
    32 %1 = @load_draw_id
    32 %2 = iadd %1, %0
    32x3 %3 = vec3 %1, %2, %0
    @launch_mesh_workgroups (%3) (base=0, range=0)
    // succs: b1
    block b1:
}
";

/// A tessellation control shader that writes an output of the patch.
const PATCH: &str = "shader: MESA_SHADER_TESS_CTRL
tcs_vertices_out: 2
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = @load_invocation_id
    32x4 %2 = @load_per_vertex_input (%1, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    @store_per_vertex_output (%2, %1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32 %3 = mov %2.y
    @store_output (%3, %0) (base=1, range=1, wrmask=x, component=1, src_type=float32, io location=VARYING_SLOT_PATCH0 slots=1)
    // succs: b1
    block b1:
}
";

/// A shader whose invocations read what others wrote, after two barriers that do it together.
const BARRIERS: &str = "shader: MESA_SHADER_COMPUTE
workgroup_size: 8, 1, 1
num_ssbos: 1
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = @load_local_invocation_index
    32 %2 = load_const (0x00000002)
    32 %3 = ishl %1, %2
    32 %4 = load_const (0x0000001c)
    32 %5 = ixor %3, %4
    32 %6 = ixor %1, %2
    @store_ssbo (%6, %0, %3) (wrmask=x, access=coherent, align_mul=4, align_offset=0)
    @barrier (execution_scope=NONE, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=ssbo)
    @barrier (execution_scope=WORKGROUP, memory_scope=NONE, mem_semantics=NONE, mem_modes=0)
    32 %7 = @load_ssbo (%0, %5) (access=coherent, align_mul=4, align_offset=0)
    32 %8 = load_const (0x00000040)
    32 %9 = iadd %3, %8
    @store_ssbo (%7, %0, %9) (wrmask=x, access=coherent, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}
";

/// A shader whose last workgroup reads what the other one wrote.
const WORKGROUPS: &str = "shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
num_ssbos: 1
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000001)
    32 %2 = load_const (0x00000002)
    32x3 %3 = @load_workgroup_id
    32 %4 = iand %3.x, %1
    32 %5 = ishl %4, %2
    32 %6 = load_const (0x00000020)
    32 %7 = load_const (0x12345678)
    32 %8 = ixor %4, %1
    32 %9 = ishl %8, %2
    32 %10 = iadd %3.x, %6
    @store_ssbo (%10, %0, %5) (wrmask=x, access=coherent, align_mul=4, align_offset=0)
    @barrier (execution_scope=NONE, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=ssbo)
    32 %11 = @ssbo_atomic (%0, %6, %7) (access=coherent, atomic_op=xchg)
    @barrier (execution_scope=NONE, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=ssbo)
    1 %12 = ieq %11, %7
    // succs: b1 b2
    if %12 {
        block b1:   // preds: b0
        32 %13 = @load_ssbo (%0, %9) (access=coherent, align_mul=4, align_offset=0)
        32 %14 = load_const (0x00000040)
        @store_ssbo (%13, %0, %14) (wrmask=x, access=coherent, align_mul=4, align_offset=0)
        // succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2
    // succs: b4
    block b4:
}
";

/// A shader that counts the fragments of each pixel.
const CRITICAL_SECTION: &str = "shader: MESA_SHADER_FRAGMENT
num_ssbos: 1
pixel_interlock_ordered: true
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000001)
    32 %2 = load_const (0x00000002)
    32x4 %3 = @load_frag_coord
    32x4 %4 = f2u32 %3
    32 %5 = ishl %4.y, %1
    32 %6 = iadd %5, %4.x
    32 %7 = ishl %6, %2
    @begin_invocation_interlock
    32 %8 = @load_ssbo (%0, %7) (access=coherent, align_mul=4, align_offset=0)
    32 %9 = iadd %8, %1
    @store_ssbo (%9, %0, %7) (wrmask=x, access=coherent, align_mul=4, align_offset=0)
    @end_invocation_interlock
    // succs: b1
    block b1:
}
";

/// A geometry shader, and the line with which it writes a layer.
const LAYERS: (&str, &str) = (
    "shader: MESA_SHADER_GEOMETRY
output_primitive: POINTS
input_primitive: POINTS
vertices_out: 1
invocations: 1
vertices_in: 1
active_stream_mask: 0x01
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000001)
    32x4 %2 = @load_per_vertex_input (%0, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_POS slots=1)
    @store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
    LAYER
    @emit_vertex (stream_id=0)
    // succs: b1
    block b1:
}
",
    "@store_output (%1, %0) (base=1, range=1, wrmask=x, component=0, src_type=int32, io location=VARYING_SLOT_LAYER slots=1)",
);

/// A shader in each of whose invocations an operation has numbers and a result of its own.
fn of_group(lines: &str) -> String {
    const ACCESS: &str = "(access=none, align_mul=4, align_offset=0)";
    format!(
        "shader: MESA_SHADER_COMPUTE
name: planted
workgroup_size: 8, 1, 1
num_ssbos: 2
subgroup_size: 0
decl_function main () (entrypoint)

impl main {{
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000001)
    32 %2 = load_const (0x00000004)
    32 %3 = load_const (0x00000008)
    32 %20 = @load_local_invocation_index
    32 %21 = ishl %20, %2
    32 %22 = iadd %21, %2
    32 %23 = iadd %21, %3
    32 %24 = iand %20, %1
    32 %25 = load_const (0x0000001f)
    32 %4 = @load_ssbo (%0, %21) {ACCESS}
    32 %5 = @load_ssbo (%0, %22) {ACCESS}
    32 %6 = @load_ssbo (%0, %23) {ACCESS}
    {lines}
    @store_ssbo (%9, %1, %21) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}}
"
    )
}

/// A fragment shader that writes the result of an operation on a texture.
fn of_texture(lines: &str) -> String {
    format!(
        "shader: MESA_SHADER_FRAGMENT
name: planted
num_textures: 2
decl_var uniform INTERP_MODE_NONE none sampler2D plain (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none sampler2DShadow shadow (1, 1, 1)
decl_function main () (entrypoint)

impl main {{
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32 %2 = deref_var &plain (uniform sampler2D)
    32 %3 = deref_var &shadow (uniform sampler2DShadow)
    32x2 %4 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32x2 %7 = @load_interpolated_input (%1, %0) (base=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR1 slots=1)
    32 %5 = mov %7.x
    32 %6 = mov %7.y
    32x2 %8 = load_const (0x00000001, 0x00000002)
    32x2 %12 = fadd %4, %7
    32 %13 = fadd %5, %6
    {lines}
    @store_output (%9, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
    // succs: b1
    block b1:
}}
"
    )
}
