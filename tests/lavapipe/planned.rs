// SPDX-License-Identifier: MIT

//! Programs with blocks in the classes of a plan for lavapipe, bound with the ranges of the plan.

use crate::blocks::{self, assert_same, check_each, contents, expected, load, placed, word, Module};
use crate::gpu::{floats, from_bytes, Gpu};
use crate::{stages, support};
use ntv::ir::Stage;
use ntv::module::DescriptorKind;
use ntv::plan::{plan, Class, Impossible, Plan, ProgramBlocks, Reason, Wishes};
use ntv::Shader;
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Resource, Resources, Slot};
use std::fs;

/// The plan for the blocks of `shaders` on this device.
pub(crate) fn plan_of(gpu: &Gpu, shaders: &[&Shader], wishes: &Wishes) -> Result<Plan, Impossible> {
    let mut program = ProgramBlocks::default();
    shaders.iter().for_each(|shader| program.add(shader));
    plan(&program, &gpu.limits(), wishes)
}

/// All blocks of one class.
pub(crate) fn all(class: Class) -> Wishes {
    Wishes::default().all(Some(class))
}

/// The number of bytes of a block to bind by the plan, or `most` if the plan does not have all reads.
pub(crate) fn range(plan: &Plan, block: u32, most: usize) -> usize {
    let Some(planned) = plan.blocks.iter().find(|planned| planned.stages.iter().any(|(_, slot)| *slot == block)) else {
        return 16;
    };
    // Dynamic offsets may exceed the last byte that is known to be read.
    match planned.range >= planned.dynamic_bytes && planned.range != 0 {
        true => planned.range as usize,
        false => most,
    }
}

/// Runs `shader`, a compute shader, as planned, with exactly the ranges of the plan; returns its results, and those of the
/// interpreter.
fn run_planned(gpu: &Gpu, shader: &Shader, plan: &Plan, size: usize) -> (Vec<u32>, Vec<u32>) {
    let module = placed(gpu, shader, plan.placements(Stage::Compute));
    let given = |block| contents(1, block, range(plan, block, size));
    let got = blocks::run(gpu, &module, |block| Resource::Buffer(given(block)));
    (got, expected(shader, &(0..shader.info.num_ubos).map(given).collect::<Vec<_>>()))
}

fn kinds(module: &Module, kind: DescriptorKind) -> u32 {
    module.bindings.iter().filter(|binding| binding.kind == kind).map(|binding| binding.count).sum()
}

fn check_both_classes(gpu: &Gpu, name: &str) {
    let shader = load(name);
    let results = [Class::Uniform, Class::Storage].map(|class| {
        let plan = plan_of(gpu, &[&shader], &all(class)).expect("a plan");
        let others = plan.blocks.iter().filter(|block| block.class != class).count();
        let must = class == Class::Uniform && blocks::NOT_UNIFORM.contains(&name);
        assert_eq!(others > 0, must, "{name} in {class}: {others} blocks are elsewhere");
        let (got, want) = run_planned(gpu, &shader, &plan, blocks::BLOCK);
        assert_same(&got, &want, &format!("{name} in {class}"));
        got
    });
    assert_same(&results[0], &results[1], name);
}

#[test]
fn every_block_reads_the_same_in_the_class_that_is_asked_for() {
    check_each(&blocks::names(), Gpu::open, check_both_classes);
}

/// The rows of ANGLE's table: a shader of the folder with such a block, and its declaration. ANGLE accepts the first ones.
const ROWS: &[(&str, &str)] = &[
    ("array_float", "std140) uniform Block { float a[64]; }"),
    ("array_vec2", "std140) uniform Block { vec2 a[64]; }"),
    ("array_vec3", "std140) uniform Block { vec3 a[64]; }"),
    ("array_vec4", "std140) uniform Block { vec4 a[64]; }"),
    ("array_int", "std140) uniform Block { int a[64]; }"),
    ("array_ivec2", "std140) uniform Block { ivec2 a[64]; }"),
    ("array_ivec3", "std140) uniform Block { ivec3 a[64]; }"),
    ("array_ivec4", "std140) uniform Block { ivec4 a[64]; }"),
    ("array_uint", "std140) uniform Block { uint a[64]; }"),
    ("array_uvec2", "std140) uniform Block { uvec2 a[64]; }"),
    ("array_uvec3", "std140) uniform Block { uvec3 a[64]; }"),
    ("array_uvec4", "std140) uniform Block { uvec4 a[64]; }"),
    ("array_mat2x4", "std140) uniform Block { mat2x4 a[64]; }"),
    ("array_mat3x4", "std140) uniform Block { mat3x4 a[64]; }"),
    ("array_mat4", "std140) uniform Block { mat4 a[64]; }"),
    ("array_row_major_mat4x2", "std140) uniform Block { layout(row_major) mat4x2 a[64]; }"),
    ("array_row_major_mat4x3", "std140) uniform Block { layout(row_major) mat4x3 a[64]; }"),
    ("array_row_major_mat4", "std140) uniform Block { layout(row_major) mat4 a[64]; }"),
    ("struct_vec2_vec3", "struct Element { vec2 a; vec3 b; };"),
    ("struct_mat4_float", "struct Element { mat4 m; float f; };"),
    // ANGLE refuses matrices with padding,
    ("array_mat2", "std140) uniform Block { mat2 a[64]; }"),
    ("array_mat2x3", "std140) uniform Block { mat2x3 a[64]; }"),
    ("array_mat3", "std140) uniform Block { mat3 a[64]; }"),
    ("array_mat3x2", "std140) uniform Block { mat3x2 a[64]; }"),
    ("array_mat4x2", "std140) uniform Block { mat4x2 a[64]; }"),
    ("array_mat4x3", "std140) uniform Block { mat4x3 a[64]; }"),
    ("array_row_major_mat2", "std140) uniform Block { layout(row_major) mat2 a[64]; }"),
    ("array_row_major_mat2x3", "std140) uniform Block { layout(row_major) mat2x3 a[64]; }"),
    ("array_row_major_mat2x4", "std140) uniform Block { layout(row_major) mat2x4 a[64]; }"),
    ("array_row_major_mat3", "std140) uniform Block { layout(row_major) mat3 a[64]; }"),
    ("array_row_major_mat3x2", "std140) uniform Block { layout(row_major) mat3x2 a[64]; }"),
    ("array_row_major_mat3x4", "std140) uniform Block { layout(row_major) mat3x4 a[64]; }"),
    ("struct_vec4_mat3", "struct Element { vec4 a; mat3 b; };"),
    // structs with arrays and structs,
    ("struct_array", "struct Element { vec2 v[2]; float f; };"),
    ("struct_struct", "struct Outer { Inner parts[2]; mat3x2 m; uint tag; };"),
    // several members, several dimensions, few elements,
    ("two_members", "uniform Block { float first; vec4 a[60]; float last; }"),
    ("array2_vec4", "uniform Block { vec4 a[8][16]; }"),
    ("size_49", "uniform Block { vec4 a[49]; }"),
    // use as a whole,
    ("whole_argument", "put(pick(a, 0u));"),
    ("whole_compare", "put(uint(a == b));"),
    ("whole_copy", "vec4 copy[50] = a;"),
    ("whole_return", "vec3[50] all() { return a; }"),
    // and other layouts.
    ("layout_packed", "layout(packed) uniform Block { vec3 a[52]; }"),
    ("layout_shared", "layout(shared) uniform Block { mat3x2 a[52]; }"),
];

/// The test above runs each of them.
#[test]
fn angles_rows_are_among_the_shaders() {
    let names = blocks::names();
    for (name, declaration) in ROWS {
        assert!(names.iter().any(|other| other == name), "{name}");
        let path = support::root().join(format!("tests/corpus/blocks/{name}.shader_test"));
        let source = fs::read_to_string(path).expect(name);
        let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(source.contains(declaration), "{name} has no `{declaration}`");
    }
}

#[test]
fn a_block_of_1_mib_is_in_storage_and_read_at_its_end() {
    let gpu = Gpu::open();
    let shader = load("huge_1mib");
    let plan = plan_of(&gpu, &[&shader], &Wishes::default()).expect("a plan");
    let block = plan.block("ubo1").expect("the block");
    assert_eq!((block.class, block.range), (Class::Storage, 1 << 20));
    assert_eq!(block.reason, Reason::Range { bytes: 1 << 20, most: 65536 });
    let (got, want) = run_planned(&gpu, &shader, &plan, 0);
    assert_same(&got, &want, "huge_1mib");
    // The values that each invocation read from the first and from the last 16 bytes.
    for lane in 0..8 {
        let read = |at: usize| &got[lane * 32 + at..][..4];
        assert_eq!(read(0), [0, 1, 2, 3].map(|number| word(1, 1, number)));
        assert_eq!(read(4), [0, 1, 2, 3].map(|number| word(1, 1, (1 << 18) - 4 + number)));
    }
    let asked = vec![("ubo1".to_string(), Class::Uniform)];
    let refused = plan_of(&gpu, &[&shader], &Wishes::default().asked(asked));
    let class = Class::Uniform;
    assert_eq!(refused, Err(Impossible::Range { block: "ubo1".into(), class, bytes: 1 << 20, most: 65536 }));
}

#[test]
fn more_blocks_than_a_stage_may_have_are_planned_to_fit() {
    let gpu = Gpu::open();
    let most = gpu.limits().max_per_stage_descriptor_uniform_buffers;
    assert_eq!(most, 15, "the shaders are for this limit");
    // GL's loose uniforms are a block too.
    for (name, wanted) in [("blocks_12", 13), ("blocks_16", 17), ("blocks_20", 21)] {
        let shader = load(name);
        let plan = plan_of(&gpu, &[&shader], &Wishes::default()).expect("a plan");
        let module = placed(&gpu, &shader, plan.placements(Stage::Compute));
        assert_eq!(kinds(&module, DescriptorKind::UniformBuffer), wanted.min(most), "{name}");
        assert_eq!(kinds(&module, DescriptorKind::StorageBuffer), wanted.saturating_sub(most), "{name}");
        for block in plan.blocks.iter().filter(|block| block.class == Class::Storage) {
            let is_count = matches!(block.reason, Reason::Descriptors { stage: Some(Stage::Compute), wanted, most: 15 } if wanted > 15);
            assert!(is_count, "{name}, {}: {}", block.name, block.reason);
        }
        let (got, want) = run_planned(&gpu, &shader, &plan, blocks::BLOCK);
        assert_same(&got, &want, name);
    }
}

/// A vertex shader whose instance number is the element that it reads, as in ANGLE's `LargeArrayOfStructs`; it draws a point at
/// attribute 0.
fn vertex() -> Shader {
    let body = "    32 %1 = load_const (0x00000001)\n    32 %2 = load_const (0x00000004)\n    \
        32 %3 = load_const (0x3f800000)\n    32 %4 = @load_instance_id\n    32 %5 = ishl %4, %2\n    \
        32x4 %6 = @load_ubo (%1, %5) (access=none, align_mul=16, align_offset=0, range_base=0, range=65536)\n    \
        32x4 %7 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, \
        io location=VERT_ATTRIB_GENERIC0 slots=1)\n    \
        @store_output (%7, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, \
        io location=VARYING_SLOT_POS slots=1)\n    \
        @store_output (%3, %0) (base=1, range=1, wrmask=x, component=0, src_type=float32, \
        io location=VARYING_SLOT_PSIZ slots=1)\n    \
        @store_output (%6, %0) (base=2, range=1, wrmask=xyzw, component=0, src_type=float32, \
        io location=VARYING_SLOT_VAR0 slots=1)\n";
    stages::shader("VERTEX", "num_ubos: 2\n", body)
}

/// A fragment shader that reads the last element of the same block, its own block 2, and adds VAR0.
fn fragment() -> Shader {
    let body = "    32 %1 = load_const (0x00000002)\n    32 %2 = load_const (0x0000fff0)\n    \
        32x4 %3 = @load_ubo (%1, %2) (access=none, align_mul=1073741824, align_offset=65520, range_base=65520, range=16)\n    \
        32x2 %4 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
        32x4 %5 = @load_interpolated_input (%4, %0) (base=0, component=0, dest_type=float32, \
        io location=VARYING_SLOT_VAR0 slots=1)\n    32x4 %6 = fadd %3, %5\n    \
        @store_output (%6, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, \
        io location=FRAG_RESULT_DATA0 slots=1)\n";
    stages::shader("FRAGMENT", "num_ubos: 3\n", body)
}

#[test]
fn both_stages_read_a_block_of_as_many_structs_as_fit() {
    const SIDE: u32 = 64;
    let gpu = Gpu::open();
    let (vertex, fragment) = (vertex(), fragment());
    let block = contents(1, 1, 65536);
    let format = vk::Format::R32G32B32A32_SFLOAT;
    let middle = |at: u32| (at as f32 + 0.5) * 2.0 / SIDE as f32 - 1.0;
    let place = |n: u32| [middle(n % SIDE), middle(n / SIDE), 0.0, 1.0];
    let bytes = floats(&(0..SIDE * SIDE).flat_map(place).collect::<Vec<_>>());
    let values: Vec<f32> = from_bytes(&block).into_iter().map(f32::from_bits).collect();
    let last = &values[values.len() - 4..];
    let want: Vec<u32> = values.iter().zip(last.iter().cycle()).map(|(own, last)| (own + last).to_bits()).collect();
    for class in [Class::Uniform, Class::Storage] {
        let mut program = ProgramBlocks::default();
        // The stages have different numbers for it.
        program.add_named(&vertex, |_| Some("Block".into()));
        program.add_named(&fragment, |_| Some("Block".into()));
        let plan = plan(&program, &gpu.limits(), &all(class)).expect("a plan");
        let planned = plan.block("Block").expect("the block");
        assert_eq!((plan.blocks.len(), planned.class, planned.range), (1, class, 65536));
        let modules = [(&vertex, Stage::Vertex), (&fragment, Stage::Fragment)]
            .map(|(shader, stage)| placed(&gpu, shader, plan.placements(stage)));
        let resource = || Resource::Buffer(block.clone());
        let kinds = modules.each_ref().map(|module| module.bindings.iter().map(|it| it.kind).collect::<Vec<_>>());
        let kind = match class {
            Class::Storage => DescriptorKind::StorageBuffer,
            _ => DescriptorKind::UniformBuffer,
        };
        assert_eq!(kinds, [[kind], [kind]]);
        let slot =
            |module: &Module| Slot { set: module.bindings[0].set, binding: module.bindings[0].binding, element: 0 };
        let mut resources = Resources::from(modules.each_ref().map(|module| (slot(module), resource())));
        let draw = Draw {
            modules: &modules.each_ref().map(|module| &module.words[..]),
            topology: vk::PrimitiveTopology::POINT_LIST,
            vertices: 1,
            instances: SIDE * SIDE,
            attributes: &[Attribute { location: 0, format, bytes: &bytes, per_instance: true }],
            size: [SIDE; 2],
            attachments: &[Attachment { format, clear: vec![0; 16] }],
            ..Draw::default()
        };
        let drawn = gpu.draw(&draw, &mut resources);
        assert_same(&from_bytes(&drawn.attachments[0]), &want, class.name());
    }
}
