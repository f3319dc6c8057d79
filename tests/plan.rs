// SPDX-License-Identifier: MIT

//! The planner: the class of each block, the reason, and the independence of the order of declarations.

use ntv::analysis::uniformity::Divergence;
use ntv::ir::{InstKind, Shader, Stage};
use ntv::plan::{
    plan, BlockProperties, BlockUse, Class, Element, Impossible, Limits, Move, Placement, Placements, Plan,
    ProgramBlocks, Reason, Shape, StageBlocks, Threshold, Wishes,
};
use ntv::{text, DescriptorKind, EmitOptions, Options, Translator};

/// The limits of lavapipe.
fn limits() -> Limits {
    Limits {
        max_uniform_buffer_range: 65536,
        max_per_stage_descriptor_uniform_buffers: 15,
        max_per_stage_descriptor_storage_buffers: 32,
        max_descriptor_set_uniform_buffers: 1000,
        max_descriptor_set_storage_buffers: 1000,
        min_uniform_buffer_offset_alignment: 16,
        min_storage_buffer_offset_alignment: 16,
        robust_buffer_access: 1,
        ..Limits::default()
    }
}

fn used(slot: u32, end: u32, dynamic_bytes: Option<u32>) -> BlockUse {
    BlockUse { name: format!("block{slot}"), slot, end, dynamic_bytes, unpushable: None }
}

fn stage(stage: Stage, uses: Vec<BlockUse>) -> StageBlocks {
    StageBlocks { stage, uses, ..StageBlocks::default() }
}

fn program(stages: Vec<StageBlocks>) -> ProgramBlocks {
    ProgramBlocks { stages, ..ProgramBlocks::default() }
}

fn classes(plan: &Plan) -> Vec<Class> {
    plan.blocks.iter().map(|block| block.class).collect()
}

#[test]
fn blocks_that_fit_are_uniform_buffers() {
    let program = program(vec![stage(Stage::Vertex, vec![used(1, 65536, Some(65536))])]);
    let plan = plan(&program, &limits(), &Wishes::default()).unwrap();
    let block = plan.block("block1").unwrap();
    assert_eq!((block.class, &block.reason), (Class::Uniform, &Reason::Fits));
    assert_eq!((block.buffer_usage, block.access, block.offset_alignment, block.range), (0x10, 0x8, 16, 65536));
    assert!(plan.placements(Stage::Vertex).is_empty());
    let moves = [
        Move::Larger { most: 65536 },
        Move::MoreBlocks { stage: Some(Stage::Vertex), has: 1, most: 15 },
        Move::LowerThreshold { bytes: 65536 },
    ];
    assert_eq!(block.moves, moves);
}

#[test]
fn a_large_block_is_in_storage_in_all_stages() {
    let vertex = stage(Stage::Vertex, vec![used(1, 64, None)]);
    let mut fragment = stage(Stage::Fragment, vec![used(4, 1 << 20, Some(1 << 20))]);
    fragment.uses[0].name = "block1".into();
    let program = program(vec![vertex, fragment]);
    let plan = plan(&program, &limits(), &Wishes::default()).unwrap();
    let [block] = &plan.blocks[..] else { panic!("one block") };
    assert_eq!(block.class, Class::Storage);
    assert_eq!(block.reason, Reason::Range { bytes: 1 << 20, most: 65536 });
    assert_eq!((block.buffer_usage, block.access), (0x20, 0x20));
    assert_eq!(block.stages, [(Stage::Vertex, 1), (Stage::Fragment, 4)]);
    assert_eq!(plan.placements(Stage::Vertex).of(1).class, Class::Storage);
    assert_eq!(plan.placements(Stage::Fragment).of(4).class, Class::Storage);
    assert_eq!(plan.placements(Stage::Fragment).of(1).class, Class::Uniform);
}

#[test]
fn clamps_are_for_dynamic_offsets_on_devices_without_robust_access() {
    let program = program(vec![stage(Stage::Vertex, vec![used(1, 100_001, Some(7)), used(2, 100_001, None)])]);
    let without = Limits { robust_buffer_access: 0, ..limits() };
    let clamps = |limits| plan(&program, &limits, &Wishes::default()).unwrap().blocks.iter().map(|b| b.clamp).collect();
    let both: (Vec<bool>, Vec<bool>) = (clamps(limits()), clamps(without));
    assert_eq!(both, (vec![false, false], vec![true, false]));
    let plan = plan(&program, &without, &Wishes::default()).unwrap();
    assert_eq!(plan.block("block1").unwrap().range, 100_016, "whole vec4s");
}

#[test]
fn blocks_above_the_count_move_largest_dynamic_first() {
    let block = |slot| used(slot, 64 * slot, if slot == 3 { Some(8) } else { None });
    for count in [15, 16, 20] {
        let program = program(vec![stage(Stage::Fragment, (1..=count).map(block).collect())]);
        let plan = plan(&program, &limits(), &Wishes::default()).unwrap();
        let stored: Vec<&str> =
            plan.blocks.iter().filter(|block| block.class == Class::Storage).map(|block| &block.name[..]).collect();
        match count {
            15 => assert!(stored.is_empty()),
            16 => assert_eq!(stored, ["block3"]),
            _ => assert_eq!(stored, ["block17", "block18", "block19", "block20", "block3"]),
        }
        let reason = Reason::Descriptors { stage: Some(Stage::Fragment), wanted: count, most: 15 };
        assert!(stored.is_empty() || plan.block("block3").unwrap().reason == reason);
    }
}

#[test]
fn one_that_does_not_fit_is_passed_over() {
    // An array of 3, which would gain most, does not fit; the single blocks do.
    let mut fragment = stage(Stage::Fragment, (1..=16).map(|slot| used(slot, 64, None)).collect());
    fragment.array = Some((1, 3));
    fragment.uses[..3].iter_mut().for_each(|used| used.dynamic_bytes = Some(64));
    let limits = Limits { max_per_stage_descriptor_storage_buffers: 2, ..limits() };
    let plan = plan(&program(vec![fragment]), &limits, &Wishes::default()).unwrap();
    assert_eq!(plan.blocks.iter().filter(|block| block.class == Class::Storage).count(), 1);
    assert_eq!(plan.block("block1").unwrap().class, Class::Uniform);
    let full = Move::StorageIsFull { stage: Some(Stage::Fragment), most: 2 };
    assert!(plan.block("block1").unwrap().moves.contains(&full));
}

#[test]
fn arrays_share_a_class_over_all_stages() {
    let mut vertex = stage(Stage::Vertex, vec![used(1, 64, None), used(2, 64, None)]);
    vertex.array = Some((1, 2));
    let mut fragment = stage(Stage::Fragment, vec![used(2, 64, None), used(3, 100_000, None), used(4, 64, None)]);
    fragment.array = Some((2, 2));
    let plan = plan(&program(vec![vertex, fragment]), &limits(), &Wishes::default()).unwrap();
    assert_eq!(classes(&plan), [Class::Storage, Class::Storage, Class::Storage, Class::Uniform]);
    assert_eq!(plan.blocks[2].reason, Reason::Range { bytes: 100_000, most: 65536 });
    assert_eq!(plan.blocks[1].reason, Reason::ArrayWith("block3".into()));
}

#[test]
fn thresholds_and_wishes() {
    let uses = vec![used(1, 4096, Some(4096)), used(2, 2048, Some(2048)), used(3, 9000, None)];
    let program = program(vec![stage(Stage::Compute, uses)]);
    let with = |wishes: Wishes| classes(&plan(&program, &limits(), &wishes).unwrap());
    let (u, s) = (Class::Uniform, Class::Storage);
    assert_eq!(with(Wishes::default().threshold(Threshold::Bytes(4096))), [s, u, u]);
    assert_eq!(with(Wishes::default().threshold(Threshold::Bytes(1))), [s, s, u]);
    assert_eq!(with(Wishes::default().all(Some(s))), [s, s, s]);
    let asked = vec![("block3".to_string(), s), ("block1".to_string(), u)];
    let threshold = Threshold::Bytes(1);
    assert_eq!(with(Wishes::default().asked(asked).threshold(threshold)), [u, s, s]);
    let both = vec![("block3".to_string(), s), ("block3".to_string(), u)];
    let wishes = Wishes::default().asked(both);
    assert_eq!(plan(&program, &limits(), &wishes), Err(Impossible::Contradiction { block: "block3".into() }));
}

#[test]
fn small_blocks_at_hand_are_push_constants() {
    let uses = vec![used(0, 40, None), used(1, 16, None), used(2, 16, Some(16)), used(3, 8, None), used(4, 100, None)];
    let mut program =
        program(vec![stage(Stage::Vertex, uses.clone()), stage(Stage::Fragment, vec![used(1, 16, None)])]);
    for slot in [0, 1, 2, 4] {
        program.block(&format!("block{slot}")).is_at_hand = true;
    }
    let wishes = Wishes::default().push_constants((20, 128));
    let plan = plan(&program, &limits(), &wishes).unwrap();
    let at = |offset| Class::PushConstant { offset };
    assert_eq!(classes(&plan), [at(48), at(32), Class::Uniform, Class::Uniform, Class::Uniform]);
    assert_eq!(plan.placements(Stage::Fragment).of(1).range, 16);
    assert_eq!(plan.blocks[0].reason, Reason::PushConstants { bytes: 40 });
}

#[test]
fn offsets_that_were_promised_are_kept() {
    let limits = Limits { min_storage_buffer_offset_alignment: 256, ..limits() };
    let small = program(vec![stage(Stage::Vertex, vec![used(1, 64, Some(64))])]);
    let wishes = Wishes::default().all(Some(Class::Storage));
    let kept = plan(&small, &limits, &wishes).unwrap();
    assert_eq!(kept.blocks[0].class, Class::Uniform);
    assert!(kept.blocks[0].moves.contains(&Move::Alignment { needs: 256, promised: 16 }));
    let large = program(vec![stage(Stage::Vertex, vec![used(1, 70_000, None)])]);
    let refused = Impossible::Alignment { block: "block1".into(), needs: 256, promised: 16 };
    assert_eq!(plan(&large, &limits, &Wishes::default()), Err(refused));
    let promised = Wishes::default().offset_alignment(256);
    assert_eq!(plan(&large, &limits, &promised).unwrap().blocks[0].offset_alignment, 256);
}

#[test]
fn blocks_that_no_buffer_holds_are_refused() {
    let huge = program(vec![stage(Stage::Vertex, vec![used(1, 1 << 28, None)])]);
    let refused = plan(&huge, &limits(), &Wishes::default()).unwrap_err();
    assert_eq!(refused.to_string(), "block1 has 268435456 bytes, and a buffer of class Storage has at most 134217728");
    let many = program(vec![stage(Stage::Vertex, (1..=48).map(|slot| used(slot, 16, None)).collect())]);
    let refused = plan(&many, &limits(), &Wishes::default()).unwrap_err();
    let message = "MESA_SHADER_VERTEX has 16 uniform buffers and 32 storage buffers, and may have 15 and 32";
    assert_eq!(refused.to_string(), message);
}

/// A random program of up to three stages.
fn random_program(next: &mut impl FnMut(u32) -> u32) -> ProgramBlocks {
    let stages = [Stage::Vertex, Stage::Geometry, Stage::Fragment];
    let stages = stages.into_iter().take(1 + next(3) as usize).map(|kind| {
        let slots = 1 + next(20);
        let mut uses = Vec::new();
        for slot in 0..slots {
            let most = if next(8) == 0 { 8000 } else { 100 };
            let end = 16 * next(most);
            let dynamic = (next(3) == 0).then(|| next(200));
            uses.push(BlockUse { name: format!("block{}", next(24)), ..used(slot, end, dynamic) });
        }
        let array = (next(4) == 0).then(|| (next(slots), 1 + next(4)));
        StageBlocks { stage: kind, uses, array, storage_blocks: next(3) }
    });
    let mut program = program(stages.collect());
    for _ in 0..next(5) {
        let name = format!("block{}", next(24));
        program.block(&name).bytes = Some(16 * next(2000));
        program.block(&name).is_at_hand = next(2) == 0;
        program.block(&name).is_unsized = next(8) == 0;
    }
    program
}

/// `program` declared in another order: slots, stages and blocks.
fn permuted(program: &ProgramBlocks, next: &mut impl FnMut(u32) -> u32) -> ProgramBlocks {
    let mut other = program.clone();
    for stage in &mut other.stages {
        // An array has consecutive slots; other blocks may be in any slot.
        let (first, count) = stage.array.unwrap_or((0, 0));
        for used in stage.uses.iter_mut().filter(|used| used.slot < first || used.slot - first >= count) {
            used.slot += 1000 * (1 + next(50));
        }
        for i in (1..stage.uses.len()).rev() {
            stage.uses.swap(i, next(i as u32 + 1) as usize);
        }
    }
    other.stages.reverse();
    other
}

#[test]
fn the_order_of_declarations_does_not_matter() {
    let mut state = 1u64;
    let mut next = move |most: u32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as u32) % most.max(1)
    };
    let (mut planned, mut refused, mut stored) = (0, 0, 0);
    for _ in 0..4000 {
        let program = random_program(&mut next);
        let limits = Limits {
            max_per_stage_descriptor_uniform_buffers: 2 + next(20),
            max_per_stage_descriptor_storage_buffers: 2 + next(12),
            max_descriptor_set_uniform_buffers: 4 + next(30),
            robust_buffer_access: next(2),
            ..limits()
        };
        let threshold = [Threshold::Never, Threshold::Bytes(100)][next(2) as usize];
        let wishes = Wishes::default().threshold(threshold).push_constants((0, 16 * next(9)));
        let other = permuted(&program, &mut next);
        match (plan(&program, &limits, &wishes), plan(&other, &limits, &wishes)) {
            (Ok(one), Ok(two)) => {
                planned += 1;
                stored += classes(&one).iter().filter(|class| **class == Class::Storage).count();
                assert_eq!(without_slots(&one), without_slots(&two));
                stages_agree(&one, &program);
            }
            (one, two) => {
                refused += 1;
                assert_eq!(one, two);
            }
        }
    }
    assert!(planned > 1000 && refused > 100 && stored > 1000, "{planned} planned, {refused} refused, {stored} stored");
}

fn without_slots(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.blocks.iter_mut().flat_map(|block| &mut block.stages).for_each(|stage| stage.1 = 0);
    plan
}

/// All stages have the same place for every block.
fn stages_agree(plan: &Plan, program: &ProgramBlocks) {
    for stage in &program.stages {
        let placements = plan.placements(stage.stage);
        for used in &stage.uses {
            let block = plan.block(&used.name).expect("every block is planned");
            assert_eq!(placements.of(used.slot).class, block.class, "{}", used.name);
        }
        // Blocks of an array that is indexed dynamically cannot be separated.
        let (first, count) = stage.array.unwrap_or((0, 0));
        let of_array = stage.uses.iter().filter(|used| used.slot >= first && used.slot - first < count);
        let classes: Vec<Class> = of_array.map(|used| placements.of(used.slot).class).collect();
        assert!(classes.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

/// ANGLE's table: the type of the array's elements, and whether ANGLE translates it to a structured buffer.
fn angle_rows() -> Vec<(&'static str, Element, bool)> {
    let vector = || Element::Vector;
    let matrix = |columns, rows, row_major| Element::Matrix { columns, rows, row_major };
    let of = |fields: &[Element]| Element::Struct(fields.to_vec());
    vec![
        ("float", vector(), true),
        ("vec2", vector(), true),
        ("vec3", vector(), true),
        ("vec4", vector(), true),
        ("int", vector(), true),
        ("ivec2", vector(), true),
        ("ivec3", vector(), true),
        ("ivec4", vector(), true),
        ("uint", vector(), true),
        ("uvec2", vector(), true),
        ("uvec3", vector(), true),
        ("uvec4", vector(), true),
        ("mat2x4", matrix(2, 4, false), true),
        ("mat3x4", matrix(3, 4, false), true),
        ("mat4", matrix(4, 4, false), true),
        ("row_major mat4x2", matrix(4, 2, true), true),
        ("row_major mat4x3", matrix(4, 3, true), true),
        ("row_major mat4", matrix(4, 4, true), true),
        ("struct { vec2; vec3; }", of(&[vector(), vector()]), true),
        ("struct { mat4; float; }", of(&[matrix(4, 4, false), vector()]), true),
        ("mat2", matrix(2, 2, false), false),
        ("mat3", matrix(3, 3, false), false),
        ("mat4x3", matrix(4, 3, false), false),
        ("row_major mat3x2", matrix(3, 2, true), false),
        ("row_major mat2x4", matrix(2, 4, true), false),
        ("struct { vec4; mat3; }", of(&[vector(), matrix(3, 3, false)]), false),
        ("struct { vec2[2]; }", of(&[Element::Array]), false),
        ("struct { struct { vec4; } }", of(&[of(&[vector()])]), false),
    ]
}

#[test]
fn angles_rule_is_angles() {
    let usual = |element| Shape { is_std140: true, members: 1, dimensions: vec![50], element, only_indexed: true };
    for (name, element, taken) in angle_rows() {
        let shape = usual(element);
        assert_eq!(shape.is_structured(), taken, "{name}");
        assert!(!Shape { is_std140: false, ..shape.clone() }.is_structured(), "{name}: layout");
        assert!(!Shape { members: 2, ..shape.clone() }.is_structured(), "{name}: members");
        assert!(!Shape { only_indexed: false, ..shape.clone() }.is_structured(), "{name}: used as a whole");
        for (dimensions, large) in [(vec![], false), (vec![49], false), (vec![51], true), (vec![50, 50], false)] {
            let shape = Shape { dimensions: dimensions.clone(), ..shape.clone() };
            assert_eq!(shape.is_structured(), large && taken, "{name}{dimensions:?}");
        }
    }
}

#[test]
fn angles_rule_decides_for_programs() {
    let shape = |length| Shape {
        is_std140: true,
        members: 1,
        dimensions: vec![length],
        element: Element::Vector,
        only_indexed: true,
    };
    let uses: Vec<BlockUse> = (0..3).map(|slot| used(slot, 800, Some(800))).collect();
    let mut program = program(vec![stage(Stage::Vertex, uses.clone()), stage(Stage::Fragment, uses)]);
    for (slot, length) in [(0, 49), (1, 50), (2, 51)] {
        program.block(&format!("block{slot}")).shape = Some(shape(length));
    }
    let wishes = Wishes::default().threshold(Threshold::Angle);
    let decided = plan(&program, &limits(), &wishes).unwrap();
    assert_eq!(classes(&decided), [Class::Uniform, Class::Storage, Class::Storage]);
    assert_eq!(decided.blocks[1].reason, Reason::Angle);
    // Any use of the whole member, in any stage, prevents it.
    program.block("block2").shape = Some(Shape { only_indexed: false, ..shape(51) });
    assert_eq!(plan(&program, &limits(), &wishes).unwrap().blocks[2].class, Class::Uniform);
}

/// A load of the first word of a uniform block: with the index and the offset (in `unit`s) in this form, and its declarations.
struct Load {
    declarations: &'static str,
    /// `INDEX` and `OFFSET` are values.
    code: &'static str,
}

const LOADS: [Load; 3] = [
    Load {
        declarations: "",
        code: "    32 %9 = @load_ubo (INDEX, OFFSET) (access=none, align_mul=4, align_offset=0, range_base=0, range=64)\n",
    },
    Load { declarations: "", code: "    32 %9 = @load_ubo_vec4 (INDEX, OFFSET) (access=none, base=0, component=0)\n" },
    Load {
        declarations: "decl_var ubo INTERP_MODE_NONE none struct[2] ubos@32 (0, 0, 0)\n",
        code: "    32 %6 = deref_var &ubos@32 (ubo struct[2])\n    32 %7 = deref_array &(*%6)[INDEX] (ubo struct)\n    32 %8 = deref_struct &%7->base (ubo uint[16])\n    32 %10 = deref_array &(*%8)[OFFSET] (ubo uint)\n    32 %9 = @load_deref (%10) (access=none)\n",
    },
];

/// A constant, a value that is the same in a workgroup, and one that is not.
const VALUES: [&str; 3] = ["%1", "%3", "%4"];

fn loading(load: &Load, index: &str, offset: &str) -> Shader {
    let Load { declarations, code } = load;
    let code = code.replace("INDEX", index).replace("OFFSET", offset);
    let text = format!("shader: MESA_SHADER_COMPUTE\nname: test\nworkgroup_size: 8, 1, 1\nnum_ubos: 2\nnum_ssbos: 1\nsubgroup_size: 0\n{declarations}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    32 %0 = load_const (0x00000000)\n    32 %1 = load_const (0x00000001)\n    32x3 %2 = @load_workgroup_id\n    32 %3 = mov %2.x\n    32 %4 = @load_local_invocation_index\n{code}    @store_ssbo (%9, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)\n    // succs: b1\n    block b1:\n}}\n");
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A translation reads blocks where the plan puts them, or refuses them for the reason for which the plan does.
#[test]
fn plans_and_translations_agree_on_push_constants() {
    let mut pushed = 0;
    for (load, index, offset) in (0..27).map(|case| (&LOADS[case / 9], VALUES[case / 3 % 3], VALUES[case % 3])) {
        let shader = loading(load, index, offset);
        let said = format!("{} {index} {offset}", load.code);
        let mut program = ProgramBlocks::default();
        program.add(&shader);
        for name in ["ubo0", "ubo1"] {
            *program.block(name) = BlockProperties { bytes: Some(64), is_at_hand: true, ..BlockProperties::default() };
        }
        let translated = |placements: Placements| {
            let options = Options::default().placements(placements);
            Translator::new(options).translate(&mut shader.clone(), &EmitOptions::default())
        };
        // The choice of the plan is carried out.
        let chosen = plan(&program, &limits(), &Wishes::default().push_constants((0, 128))).unwrap();
        let module = translated(chosen.placements(Stage::Compute)).unwrap_or_else(|error| panic!("{said}: {error}"));
        let is_inline = chosen.blocks.iter().any(|block| matches!(block.class, Class::PushConstant { .. }));
        assert_eq!(module.bindings.iter().any(|row| row.kind == DescriptorKind::UniformBuffer), !is_inline, "{said}");
        // A request is accepted by both or by none.
        let at = Class::PushConstant { offset: 0 };
        let asked = plan(&program, &limits(), &Wishes::default().asked(vec![("ubo1".to_string(), at)]));
        let mut placements = Placements::default();
        placements.set(1, Placement { class: at, range: 64, clamp: false });
        match (asked, translated(placements)) {
            (Ok(asked), Ok(module)) => {
                assert_eq!(asked.placements(Stage::Compute).of(1).range, 64);
                assert!(module.bindings.iter().all(|row| row.kind != DescriptorKind::UniformBuffer), "{said}");
                pushed += 1;
            }
            (Err(Impossible::PushConstants { .. }), Err(errors)) => {
                let message = errors.to_string();
                assert!(
                    message.contains("uniform block 1 cannot be in push constants: it") || message.contains("an index"),
                    "{said}: {message}"
                );
            }
            (asked, module) => panic!("{said}: {asked:?}, {module:?}"),
        }
    }
    // By constant index, at an offset that is constant or the same in a workgroup, in three forms.
    assert_eq!(pushed, 6);
}

#[test]
fn values_of_divergent_loops_and_ifs_diverge() {
    let text = "shader: MESA_SHADER_COMPUTE\nname: test\nworkgroup_size: 8, 1, 1\nsubgroup_size: 0\ndecl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n    32 %0 = load_const (0x00000000)\n    32 %1 = load_const (0x00000001)\n    32x3 %2 = @load_workgroup_id\n    32 %3 = @load_local_invocation_index\n    1 %4 = ieq %2.x, %0\n    1 %5 = ieq %3, %0\n    // succs: b1 b2\n    if %4 {\n        block b1:  // preds: b0\n        // succs: b3\n    } else {\n        block b2:  // preds: b0\n        // succs: b3\n    }\n    block b3:  // preds: b1 b2\n    32 %6 = phi b1: %0, b2: %1\n    // succs: b4 b5\n    if %5 {\n        block b4:  // preds: b3\n        // succs: b6\n    } else {\n        block b5:  // preds: b3\n        // succs: b6\n    }\n    block b6:  // preds: b4 b5\n    32 %7 = phi b4: %0, b5: %1\n    // succs: b7\n    loop {\n        block b7:  // preds: b6 b10\n        32 %8 = phi b6: %0, b10: %9\n        1 %10 = ieq %8, LEFT\n        // succs: b8 b9\n        if %10 {\n            block b8:  // preds: b7\n            break\n            // succs: b11\n        } else {\n            block b9:  // preds: b7\n            // succs: b10\n        }\n        block b10:  // preds: b9\n        32 %9 = iadd %8, %1\n        // succs: b7\n    }\n    block b11:  // preds: b8\n    32 %11 = phi b8: %8\n    // succs: b12\n    block b12:\n}\n";
    for (left, differs) in [("%2.x", false), ("%3", true)] {
        let found = text::parse(&text.replace("LEFT", left));
        let shader = found.unwrap_or_else(|error| panic!("{error}"));
        let divergence = Divergence::new(&shader);
        let phis: Vec<bool> = shader
            .order
            .iter()
            .filter(|inst| matches!(shader.insts[**inst].kind, InstKind::Phi(_)))
            .map(|inst| divergence.of(inst.def()))
            .collect();
        assert_eq!(phis, [false, true, differs, differs], "{left}");
    }
}
