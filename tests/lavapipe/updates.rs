// SPDX-License-Identifier: MIT

//! Buffers that change between the reads of programs with equal or different classes, with the barriers of the plans: all in one
//! batch of commands, and with synchronization validation.

use crate::blocks::{assert_same, check_each, contents, expected, load, placed, Module};
use crate::gpu::{read, ssbo, Gpu};
use crate::planned::{all, plan_of, range};
use ntv::ir::Stage;
use ntv::plan::{Class, Wishes};
use ntv::Shader;
use ntv_driver::headless::{vk, Dispatch, Part, Resource, Resources, Step};
use std::rc::Rc;

/// The cases of ANGLE's tests of blocks with one large array, by their names there, and the shaders that read such blocks.
const CASES: &[(&str, &[&str])] = &[
    ("MemberTypeIsStruct", &["struct_mat4"]),
    ("MemberTypeIsStructAndInstanced", &["struct_mat4_instanced"]),
    ("MemberTypeIsStructAndInstancedArray", &["struct_instance_array", "instances_4"]),
    ("MemberTypeIsMixStructMat4AndFloat", &["struct_mat4_float"]),
    ("MemberTypeIsMixStructVec2AndVec3", &["struct_vec2_vec3"]),
    ("MemberTypeIsMixStructFloatAndVec3", &["struct_float_vec3"]),
    ("MemberTypeIsMixStructVec3AndFloat", &["struct_vec3_float"]),
    ("MemberTypeIsMixStructFloatAndMat4", &["struct_float_mat4"]),
    ("MemberTypeIsMixStructFloatAndVec4", &["struct_float_vec4"]),
    ("TwoUniformBlocksInSameProgram", &["two_blocks", "two_structs"]),
    ("SharedSameBufferWithOtherOne", &["matrix_ijk"]),
    ("MemberTypeIsMatrixAndIndexAccess", &["matrix_ijk", "matrix_ijk_instances", "matrix_ijk_row_major"]),
    ("MemberTypeIsMatrix", &["array_mat4", "array_mat2x4", "array_mat3x4"]),
    ("MemberTypeIsMatrixAndInstanced", &["matrix_ijk_instances"]),
    ("MemberTypeIsMatrixAndRowMajorQualifier", &["array_row_major_mat4", "array_row_major_mat4x3"]),
    ("MemberTypeIsVec4", &["array_vec4"]),
    ("MemberTypeIsVec3", &["array_vec3"]),
    ("MemberTypeIsVec2", &["array_vec2"]),
    ("MemberTypeIsFloat", &["array_float"]),
    ("MemberAsActualParameter", &["whole_argument"]),
    ("MemberArrayOperations", &["whole_compare", "whole_copy", "whole_return"]),
    (
        "ThrowPerfWarningInD3D",
        &[
            "array_row_major_mat3x2",
            "array_mat4x3",
            "struct_array",
            "struct_mat2x4_instanced",
            "struct_row_major_mat3x2",
        ],
    ),
    ("UniformBlockWithUnsupportedFieldStructuredBufferFallback", &["struct_vec4_mat3"]),
    ("UniformBlockWithSupportedFieldsStructuredBuffer", &["struct_vec4_mat4"]),
];

/// The alignment of parts of the buffer: the largest that Vulkan allows a device to require.
const ALIGNMENT: usize = 256;

/// A program that reads parts of the buffer.
struct Reader {
    shader: Shader,
    module: Module,
    /// The access of its reads, from the plan.
    access: vk::AccessFlags,
    /// Offset and length of each block's part.
    parts: Vec<(usize, usize)>,
    /// The bytes of block 1 up to the last one that is known to be read.
    known: usize,
}

impl Reader {
    /// `name` with its blocks one after the other from the start of the buffer.
    fn new(gpu: &Gpu, name: &str, wishes: &Wishes) -> Reader {
        let shader = load(name);
        let plan = plan_of(gpu, &[&shader], wishes).expect("a plan");
        let mut parts = Vec::new();
        let mut end = 0;
        for block in 0..shader.info.num_ubos {
            let len = range(&plan, block, 1 << 14);
            parts.push((end, len));
            end = (end + len).next_multiple_of(ALIGNMENT);
        }
        let known = plan.block("ubo1").expect("block 1").range as usize;
        let access = plan.blocks.iter().fold(0, |all, block| all | block.access);
        let module = placed(gpu, &shader, plan.placements(Stage::Compute));
        Reader { shader, module, access: vk::AccessFlags::from_raw(access), parts, known }
    }

    /// This program with blocks bound at other offsets.
    fn rebound(self, parts: Vec<(usize, usize)>) -> Reader {
        Reader { parts, ..self }
    }

    fn end(&self) -> usize {
        self.parts.iter().map(|(offset, len)| offset + len).max().expect("a block")
    }

    /// Its results if the buffer has these bytes.
    fn expected(&self, bytes: &[u8]) -> Vec<u32> {
        let blocks: Vec<Vec<u8>> = self.parts.iter().map(|(offset, len)| bytes[*offset..][..*len].to_vec()).collect();
        expected(&self.shader, &blocks)
    }
}

/// A use of the buffer.
enum Act {
    /// Each program reads it.
    Read,
    /// Bytes from an offset on are replaced.
    Write(usize, Vec<u8>),
}

/// The stage and access of a read, for a barrier.
fn reads(access: vk::AccessFlags) -> (vk::PipelineStageFlags, vk::AccessFlags) {
    (vk::PipelineStageFlags::COMPUTE_SHADER, access)
}

const WRITES: (vk::PipelineStageFlags, vk::AccessFlags) =
    (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);

/// Runs `readers` on a buffer that starts as `bytes`, with barriers for `access` around each write; returns the results of each
/// reader at each read, and the expected ones.
fn play(
    gpu: &Gpu,
    readers: &[Reader],
    bytes: Vec<u8>,
    acts: &[Act],
    access: vk::AccessFlags,
) -> Vec<(Vec<u32>, Vec<u32>)> {
    let buffer: Rc<[u8]> = bytes.clone().into();
    let part = |(offset, len)| Resource::Part(Part { bytes: Rc::clone(&buffer), offset, len });
    let one = |reader: &Reader| reader.module.resources(|block| part(reader.parts[block as usize]));
    let count = acts.iter().filter(|act| matches!(act, Act::Read)).count();
    let mut given: Vec<Resources> = (0..count).flat_map(|_| readers.iter().map(one)).collect();
    let (mut now, mut want, mut steps) = (bytes, Vec::new(), Vec::new());
    let mut places = given.iter_mut();
    for act in acts {
        match act {
            Act::Read => {
                for reader in readers {
                    let dispatch = Dispatch { module: &reader.module.words, groups: [1; 3], push_constants: &[] };
                    steps.push(Step::Dispatch(dispatch, places.next().expect("one for each read")));
                    want.push(reader.expected(&now));
                }
            }
            Act::Write(offset, bytes) => {
                now[*offset..][..bytes.len()].copy_from_slice(bytes);
                steps.push(Step::Barrier(reads(access), WRITES));
                // The maximum size of one command.
                let updates = bytes.chunks(1 << 16).zip((*offset..).step_by(1 << 16));
                let update = |(bytes, offset)| Step::Update { buffer: Rc::clone(&buffer), offset, bytes };
                steps.extend(updates.map(update));
                steps.push(Step::Barrier(WRITES, reads(access)));
            }
        }
    }
    gpu.run(&mut steps);
    let got = given.iter().map(|resources| read(resources, ssbo(0)));
    got.zip(want).collect()
}

/// Equal contents in all blocks: comparisons of blocks are true.
fn alike(seed: u32, end: usize, parts: &[(usize, usize)]) -> Vec<u8> {
    let mut bytes = contents(9, 9, end);
    for (offset, len) in parts {
        bytes[*offset..][..*len].copy_from_slice(&contents(seed, 1, *len));
    }
    bytes
}

/// Reads, between which the last quarter of block 1 of `reader` changes, or all of the buffer. Blocks are equal only at the first
/// and the third read.
fn four_reads(end: usize, reader: &Reader) -> Vec<Act> {
    let quarter = (reader.known / 4).next_multiple_of(4);
    let last = reader.parts[1].0 + reader.known.next_multiple_of(4) - quarter;
    vec![
        Act::Read,
        Act::Write(last, contents(2, 1, quarter)),
        Act::Read,
        Act::Write(0, alike(3, end, &reader.parts)),
        Act::Read,
        Act::Write(0, contents(4, 1, end)),
        Act::Read,
    ]
}

/// Plays four reads with `readers`, and checks each, and that each write changes a result of the first reader.
fn check(gpu: &Gpu, readers: &[Reader], what: &str) {
    let end = readers.iter().map(Reader::end).max().expect("a reader").next_multiple_of(4);
    let access = readers.iter().fold(vk::AccessFlags::empty(), |all, reader| all | reader.access);
    let results = play(gpu, readers, alike(1, end, &readers[0].parts), &four_reads(end, &readers[0]), access);
    for (number, (got, want)) in results.iter().enumerate() {
        assert_same(got, want, &format!("{what}, read {number}"));
    }
    let of_first: Vec<&Vec<u32>> = results.iter().step_by(readers.len()).map(|(_, want)| want).collect();
    assert!(of_first.windows(2).all(|pair| pair[0] != pair[1]), "{what}: an update changes nothing that is read");
}

fn check_case(gpu: &Gpu, name: &str) {
    for class in [Class::Uniform, Class::Storage] {
        let reader = || Reader::new(gpu, name, &all(class));
        let mut readers = vec![reader()];
        let parts = &readers[0].parts;
        // Blocks of equal size can be swapped, which does not change a comparison.
        if parts.len() > 2 && parts[1].1 == parts[2].1 && name != "whole_compare" {
            let mut parts = parts.clone();
            parts.swap(1, 2);
            readers.push(reader().rebound(parts));
        }
        check(gpu, &readers, &format!("{name} in {class}"));
        if let [first, second] = &readers[..] {
            let bytes = contents(1, 1, first.end());
            assert_ne!(first.expected(&bytes), second.expected(&bytes), "{name}: other parts make no difference");
        }
    }
}

#[test]
fn angles_cases_read_writes_between_their_draws() {
    let mut names: Vec<String> = CASES.iter().flat_map(|(_, names)| *names).map(|name| name.to_string()).collect();
    names.sort();
    names.dedup();
    check_each(&names, Gpu::open_synchronized, check_case);
}

/// ANGLE's `TwoUniformBlocksInDiffProgram`: one program reads the buffer in storage, the other one as a uniform buffer.
fn two_programs(gpu: &Gpu) -> [Reader; 2] {
    let stored = Reader::new(gpu, "array_vec4", &all(Class::Storage));
    let uniform = Reader::new(gpu, "size_49", &all(Class::Uniform));
    assert_eq!([stored.access, uniform.access], [vk::AccessFlags::SHADER_READ, vk::AccessFlags::UNIFORM_READ]);
    let same = vec![stored.parts[0], (stored.parts[1].0, uniform.parts[1].1)];
    assert!(same[1].1 > 512 && stored.parts[1].1 > same[1].1, "{same:?}");
    [stored, uniform.rebound(same)]
}

#[test]
fn two_programs_read_one_buffer_in_different_classes() {
    let gpu = Gpu::open_synchronized();
    let [stored, uniform] = two_programs(&gpu);
    // The quarter that is written last is in both parts.
    check(&gpu, &[uniform, stored], "array_vec4 in Storage and size_49 in Uniform");
}

/// The access of a plan matters: without it, synchronization validation reports a hazard.
#[test]
fn a_barrier_for_the_other_class_is_not_enough() {
    let gpu = Gpu::open_synchronized();
    let readers = two_programs(&gpu);
    let [stored, uniform] = [readers[0].access, readers[1].access];
    let end = readers[0].end().next_multiple_of(4);
    let messages = |readers: &[Reader], access| {
        play(&gpu, readers, contents(1, 1, end), &four_reads(end, &readers[0]), access);
        gpu.take_messages().join("\n")
    };
    let none = vk::AccessFlags::empty();
    let (of_stored, of_uniform) = (&readers[..1], &readers[1..]);
    for (readers, right) in [(&readers[..], stored | uniform), (of_stored, stored), (of_uniform, uniform)] {
        assert_eq!(messages(readers, right), "");
    }
    // Vulkan's SHADER_READ includes uniform buffers; its UNIFORM_READ has nothing else.
    for (readers, wrong) in [(of_stored, uniform), (of_stored, none), (of_uniform, none), (&readers, uniform)] {
        let said = messages(readers, wrong);
        assert!(
            said.contains("SYNC-HAZARD-READ-AFTER-WRITE"),
            "{wrong:?}, for one of {} programs: {said}",
            readers.len()
        );
    }
}

#[test]
fn updates_that_vulkan_does_not_take_are_refused() {
    let gpu = Gpu::open_synchronized();
    let buffer: Rc<[u8]> = vec![0; 1 << 17].into();
    let cases = [(2, 4), (0, 6), (0, 0), (0, 65540), ((1 << 17) - 4, 8), (usize::MAX - 3, 4)];
    for (offset, len) in cases {
        let bytes = vec![0; len];
        let mut steps = [Step::Update { buffer: Rc::clone(&buffer), offset, bytes: &bytes }];
        let error = gpu.try_run(&mut steps).expect_err("no update").message;
        assert_eq!(error, format!("an update of {len} bytes at {offset} is not valid in a buffer of 131072 bytes"));
    }
}
