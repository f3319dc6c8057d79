// SPDX-License-Identifier: MIT

//! Compares loads and stores of byte ranges with the expected bytes: every alignment, offset, width and component count, in every
//! memory.
//!
//! Each case is a shader with one load or store, lowered by its pass and run on the interpreter, which reports any access outside of
//! the memory. That ends directly after the last accessed byte, or at the next multiple of the size of a block. The cases in
//! [`offsets`] are shaders with several loads, whose offsets are computed in many ways.

#![allow(clippy::print_stdout)]

mod offsets;

use ntv::ir::{AluFlags, Builder, Def, Directive, InstKind, Shader};
use ntv::op::{AluOp, AtomicOp, Index, Intrinsic};
use ntv::pass::PIPELINE;
use ntv::pass::{BufferAccess, Context};
use ntv::{Feature, Target};
use ntv_interp::{run, Buffer, Inputs, Invocation, Limits, Resources};

/// A memory, with the pass that lowers it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Ubo,
    Ssbo,
    Shared,
    /// Shared memory with 64-bit atomics and without a second view for them.
    SharedPairs,
    Scratch,
    PushConstant,
}

/// The options of a pass.
#[derive(Clone, Copy, Debug)]
struct How {
    access: BufferAccess,
    /// The target has numbers of 8 and 16 bits in buffers.
    narrow: bool,
    /// The driver guarantees that uniform ranges are whole vec4s.
    in_vec4s: bool,
    /// Arrays in uniform blocks may have any stride.
    tight: bool,
}

impl How {
    const ALL: [How; 5] = {
        let auto = How { access: BufferAccess::Auto, narrow: false, in_vec4s: false, tight: false };
        let lane = How { access: BufferAccess::Lane, ..auto };
        [auto, lane, How { narrow: true, ..auto }, How { in_vec4s: true, ..auto }, How { tight: true, ..auto }]
    };
}

impl Kind {
    fn pass(self) -> &'static str {
        match self {
            Kind::Ubo => "lower_ubo",
            Kind::Ssbo => "lower_ssbo",
            _ => "lower_memory",
        }
    }

    /// Runs `shader` with this memory, and `offset` as the result of `load_vertex_id`. Returns what the memory has then, and what was
    /// stored to storage block 1, of `results` bytes.
    fn run(self, shader: &Shader, offset: u32, memory: Vec<u8>, results: usize) -> [Vec<u8>; 2] {
        let system = [(Intrinsic::load_vertex_id, vec![offset.into()]), (Intrinsic::load_instance_id, vec![0])];
        let invocation = Invocation { system: system.into(), ..Invocation::default() };
        let inputs = Inputs { invocations: vec![invocation], ..Inputs::default() };
        let bytes = memory.len();
        let mut resources =
            Resources { storage: vec![Buffer::default(), Buffer::zeroed(results)], ..Resources::default() };
        match self {
            Kind::Ubo => resources.uniform = vec![Buffer::new(memory)],
            Kind::Ssbo => resources.storage[0] = Buffer::new(memory),
            Kind::Shared | Kind::SharedPairs => resources.shared = memory,
            Kind::Scratch => resources.private = memory,
            Kind::PushConstant => resources.push_constants = Buffer::new(memory),
        }
        let outcome = run(shader, &mut resources, &inputs, Limits::default());
        assert!(outcome.faults.is_empty(), "{}", outcome.faults[0]);
        let after = match self {
            Kind::Ubo => &resources.uniform[0],
            Kind::Ssbo => &resources.storage[0],
            Kind::Shared | Kind::SharedPairs => &outcome.shared,
            Kind::Scratch => &outcome.private[0],
            Kind::PushConstant => &resources.push_constants,
        };
        let results = &resources.storage[1];
        let is_defined =
            [&after.undef[..bytes], &results.undef].iter().all(|undef| undef.iter().all(|bits| *bits == 0));
        assert!(is_defined, "a result is undefined");
        [after.bytes[..bytes].to_vec(), results.bytes.clone()]
    }

    /// Whether the result of the pass depends on `how`.
    fn depends_on(self, how: How) -> bool {
        if self == Kind::Ubo {
            !how.narrow
        } else {
            !how.in_vec4s && !how.tight
        }
    }

    /// The size of the memory if the last accessed byte is `end - 1`: some sizes are multiples of 16, as those of blocks.
    fn size(self, end: usize, how: How) -> usize {
        match self {
            Kind::Ubo if !how.in_vec4s => end.next_multiple_of(4),
            Kind::Ssbo => end.next_multiple_of(4),
            _ => end.next_multiple_of(16),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Case {
    kind: Kind,
    how: How,
    align_mul: u32,
    offset: u32,
    components: u8,
    bits: u8,
    dynamic: bool,
}

impl Case {
    fn len(self) -> usize {
        usize::from(self.components) * usize::from(self.bits) / 8
    }

    fn end(self) -> usize {
        self.offset as usize + self.len()
    }

    fn offset_def(self, b: &mut Builder<'_>) -> Def {
        if self.dynamic {
            b.intrinsic(Intrinsic::load_vertex_id, 1, 32, &[]).def()
        } else {
            b.imm32(self.offset)
        }
    }

    fn alignment(self) -> [(Index, u32); 2] {
        [(Index::align_mul, self.align_mul), (Index::align_offset, self.offset % self.align_mul)]
    }

    fn lower(self, shader: &mut Shader) {
        if self.kind == Kind::SharedPairs {
            let b = &mut Builder::new(shader);
            let (first, none) = (b.imm32(0), b.imm(64, 0));
            let indices = [(Index::atomic_op, AtomicOp::ior as u32)];
            b.intrinsic_with(Intrinsic::shared_atomic, 1, 64, &[first, none], &indices);
        }
        let lowered = lower(shader, self.kind.pass(), self.end() as u32, self.how, self.kind);
        assert!(lowered, "{self:?}: accesses left");
    }

    fn load(self) -> Shader {
        let mut shader = Shader::default();
        shader.append_new_block();
        let b = &mut Builder::new(&mut shader);
        let offset = self.offset_def(b);
        let zero = b.imm32(0);
        let mut indices = self.alignment().to_vec();
        let (op, srcs) = match self.kind {
            Kind::Ubo => (Intrinsic::load_ubo, vec![zero, offset]),
            Kind::Ssbo => (Intrinsic::load_ssbo, vec![zero, offset]),
            Kind::Shared | Kind::SharedPairs => (Intrinsic::load_shared, vec![offset]),
            Kind::Scratch => (Intrinsic::load_scratch, vec![offset]),
            Kind::PushConstant => (Intrinsic::load_push_constant, vec![offset]),
        };
        indices.push((Index::range, self.end() as u32));
        let value = b.intrinsic_with(op, self.components, self.bits, &srcs, &indices).def();
        store_result(b, value, 0);
        self.lower(&mut shader);
        shader
    }

    /// A store of `values`; `None` if the memory is read only.
    fn store(self, values: &[u64], write_mask: u32) -> Option<Shader> {
        let op = match self.kind {
            Kind::Ssbo => Intrinsic::store_ssbo,
            Kind::Shared | Kind::SharedPairs => Intrinsic::store_shared,
            Kind::Scratch => Intrinsic::store_scratch,
            Kind::Ubo | Kind::PushConstant => return None,
        };
        let mut shader = Shader::default();
        shader.append_new_block();
        let b = &mut Builder::new(&mut shader);
        let offset = self.offset_def(b);
        let mut value = b.constant(self.bits, values);
        if self.dynamic {
            // A value that cannot be folded.
            let zero = b.intrinsic(Intrinsic::load_instance_id, 1, 32, &[]).def();
            let convert = [(8, AluOp::u2u8), (16, AluOp::u2u16), (32, AluOp::mov), (64, AluOp::u2u64)];
            let convert = convert.iter().find(|(bits, _)| *bits == self.bits).unwrap().1;
            let zero = b.alu_with(convert, AluFlags::empty(), &[zero.into()], Some((1, self.bits)));
            let scalars: Vec<Def> = (0..self.components)
                .map(|c| {
                    let scalar = b.channel(value, c);
                    b.alu(AluOp::ior, &[scalar, zero])
                })
                .collect();
            value = b.vec(&scalars);
        }
        let zero = b.imm32(0);
        let srcs = if self.kind == Kind::Ssbo { vec![value, zero, offset] } else { vec![value, offset] };
        let mut indices = self.alignment().to_vec();
        indices.push((Index::write_mask, write_mask));
        b.intrinsic_with(op, 0, 0, &srcs, &indices);
        self.lower(&mut shader);
        Some(shader)
    }
}

/// Runs the pass with this name, which must change the shader, on a shader that accesses `bytes` bytes; checks that no access is
/// left.
fn lower(shader: &mut Shader, pass: &str, bytes: u32, how: How, kind: Kind) -> bool {
    let How { access: buffer_access, narrow, in_vec4s, tight } = how;
    shader.info.shared_size = bytes;
    shader.info.scratch = bytes;
    shader.info.say(Directive::OffsetsInBytes);
    let mut target = Target::default();
    target.max_push_constants_size = 1024;
    target.uniform_ranges_in_vec4s = in_vec4s;
    target.set(Feature::uniformBufferStandardLayout, tight);
    let views = narrow && kind == Kind::Shared;
    target.set(Feature::workgroupMemoryExplicitLayout, views);
    target.set(Feature::workgroupMemoryExplicitLayout8BitAccess, views);
    target.set(Feature::workgroupMemoryExplicitLayout16BitAccess, views);
    target.set(Feature::storageBuffer8BitAccess, narrow);
    target.set(Feature::storageBuffer16BitAccess, narrow);
    let context = Context { buffer_access, target, ..Context::default() };
    let pass = PIPELINE.iter().find(|found| found.name == pass).unwrap();
    assert!(pass.apply(shader, &context), "nothing lowered");
    !shader.recorded_again().unwrap().intersects(pass.removes)
}

/// A byte that depends on its address.
fn pattern(address: usize) -> u8 {
    (address * 37 + 11) as u8
}

/// The most bytes of a result: a vector of 16 numbers of 64 bits.
const RESULT: u32 = 16 * 8;

/// Stores result number `number` to storage block 1.
fn store_result(b: &mut Builder<'_>, value: Def, number: u32) {
    let (block, offset) = (b.imm32(1), b.imm32(number * RESULT));
    let components = b.shader.num_components(value);
    let mask = (1u32 << components) - 1;
    let indices = [(Index::write_mask, mask), (Index::align_mul, 16), (Index::align_offset, 0)];
    b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[value, block, offset], &indices);
}

/// Prints the case if it panics.
struct Trying<F: Fn() -> String>(F);

impl<F: Fn() -> String> Drop for Trying<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("tried {}", self.0());
        }
    }
}

fn check_load(case: Case) {
    let _trying = Trying(|| format!("{case:?}"));
    let memory: Vec<u8> = (0..case.kind.size(case.end(), case.how)).map(pattern).collect();
    let expected = memory[case.offset as usize..case.end()].to_vec();
    let [_, results] = case.kind.run(&case.load(), case.offset, memory, RESULT as usize);
    assert_eq!(results[..expected.len()], expected, "{case:?}");
}

fn check_store(case: Case, write_mask: u32) {
    let step = usize::from(case.bits) / 8;
    let values: Vec<u64> = (0..usize::from(case.components))
        .map(|c| (0..step).rev().fold(0, |value, byte| value << 8 | u64::from(pattern(1000 + c * step + byte))))
        .collect();
    let Some(shader) = case.store(&values, write_mask) else { return };
    let before: Vec<u8> = (0..case.kind.size(case.end(), case.how)).map(pattern).collect();
    let mut expected = before.clone();
    for (c, value) in values.iter().enumerate().filter(|(c, _)| write_mask >> c & 1 != 0) {
        let at = case.offset as usize + c * step;
        expected[at..at + step].copy_from_slice(&value.to_le_bytes()[..step]);
    }
    let [after, _] = case.kind.run(&shader, case.offset, before, 0);
    assert_eq!(after, expected, "{case:?} mask {write_mask:#x}");
}

fn cases(kind: Kind) -> impl Iterator<Item = Case> {
    let mut cases = Vec::new();
    for how in How::ALL.into_iter().filter(|how| kind.depends_on(*how)) {
        for align_mul in [1, 2, 4, 8, 16] {
            for offset in 0..32 {
                for components in [1, 2, 3, 4, 5, 8, 16] {
                    for bits in [8, 16, 32, 64] {
                        for dynamic in [false, true] {
                            cases.push(Case { kind, how, align_mul, offset, components, bits, dynamic });
                        }
                    }
                }
            }
        }
    }
    cases.into_iter()
}

fn check_all(kind: Kind) {
    for case in cases(kind) {
        check_load(case);
        let all = (1u32 << case.components) - 1;
        for mask in [all, all & 0x5555, all & 0x6db6, 1 << (case.components - 1)] {
            if mask != 0 {
                check_store(case, mask);
            }
        }
    }
}

#[test]
fn uniform_blocks() {
    check_all(Kind::Ubo);
}

#[test]
fn storage_blocks() {
    check_all(Kind::Ssbo);
}

#[test]
fn shared_memory() {
    check_all(Kind::Shared);
}

#[test]
fn shared_memory_with_64_bit_atomics() {
    check_all(Kind::SharedPairs);
}

#[test]
fn scratch() {
    check_all(Kind::Scratch);
}

#[test]
fn push_constants() {
    check_all(Kind::PushConstant);
}

/// The number of instructions for which `what` is true.
fn count(shader: &Shader, what: impl Fn(&InstKind) -> bool) -> usize {
    shader.order.iter().filter(|inst| what(&shader.insts[**inst].kind)).count()
}

fn is_load(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Intrinsic { op: Intrinsic::load_deref | Intrinsic::load_ubo | Intrinsic::load_ubo_vec4, .. }
    )
}

fn is_shift(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Alu { op: AluOp::ushr, .. })
}

fn is_arithmetic(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Alu { op, .. } if *op != AluOp::mov && !op.name().starts_with("vec"))
}

#[test]
fn constant_offsets_cost_no_arithmetic() {
    for case in cases(Kind::Ubo).filter(|case| !case.dynamic && case.bits == 32 && case.offset % 4 == 0) {
        assert_eq!(count(&case.load(), is_arithmetic), 0, "{case:?}");
    }
}

#[test]
fn a_dynamic_aligned_load_is_one_shift_and_one_load() {
    let case =
        Case { kind: Kind::Ubo, how: How::ALL[0], align_mul: 16, offset: 0, components: 4, bits: 32, dynamic: true };
    let shader = case.load();
    assert_eq!((count(&shader, is_load), count(&shader, is_arithmetic), count(&shader, is_shift)), (1, 1, 1));
}

#[test]
fn lanes_of_one_vec4_cost_one_load() {
    let case =
        Case { kind: Kind::Ubo, how: How::ALL[0], align_mul: 16, offset: 4, components: 3, bits: 32, dynamic: false };
    assert_eq!(count(&case.load(), is_load), 1);
    assert_eq!(count(&Case { how: How::ALL[1], ..case }.load(), is_load), 3);
}
