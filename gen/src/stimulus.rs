// SPDX-License-Identifier: MIT

//! Random buffers, inputs and system values for a given shader.
//!
//! Most numbers are small or simple, so that loops end, indices stay within bounds and floats are exact. The seed determines the
//! proportion of other numbers.

use crate::textures::{textures, Textures};
use crate::Random;
use ntv::ir::{InstKind, Stage};
use ntv::op::intrinsic::Components;
use ntv::op::meaning::IntrinsicForm;
use ntv::op::names::{varying, IoSemantics};
use ntv::op::{Base, Index, Intrinsic, Modes};
use ntv::{Shader, Target};
use ntv_interp::{Bits, Buffer, Inputs, Invocation, Outcome, Resources, Slot};
use std::collections::BTreeMap;

/// The sizes of a shader's memory.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Blocks of each kind.
    pub blocks: usize,
    /// Bytes of a block, and of shared memory.
    pub block_bytes: usize,
    /// Bytes of push constants.
    pub push_constant_bytes: usize,
}

impl Sizes {
    /// More than most shaders address.
    pub const DUMP: Sizes = Sizes { blocks: 16, block_bytes: 8192, push_constant_bytes: 256 };
}

/// Bytes of each buffer of the global memory.
const GLOBAL_BYTES: usize = 256;

/// The number of vertices whose inputs a stage may read.
const VERTICES: u32 = 32;

/// Everything that a run of a shader depends on.
#[derive(Clone, Debug)]
pub struct Stimulus {
    /// Uniform blocks.
    pub uniform: Vec<Buffer>,
    /// Storage blocks.
    pub storage: Vec<Buffer>,
    /// Push constants.
    pub push_constants: Buffer,
    /// The initial content of shared memory.
    pub shared: Vec<u8>,
    /// The payload that a mesh shader reads.
    pub payload: Buffer,
    /// Global memory: buffers, and the address that each starts at.
    pub global: Vec<(u64, Buffer)>,
    /// Textures and images.
    pub textures: Textures,
    /// The rest.
    pub inputs: Inputs,
}

impl Stimulus {
    /// The inputs that `shader` may read, filled with numbers that follow from `seed`.
    pub fn new(shader: &Shader, seed: u64) -> Stimulus {
        Stimulus::with_sizes(shader, seed, Sizes::DUMP)
    }

    /// The inputs that `shader` may read, with memory of these sizes.
    pub fn with_sizes(shader: &Shader, seed: u64, sizes: Sizes) -> Stimulus {
        let mut random = Random::new(seed);
        let mut source = Source { style: random.pick(STYLES), random };
        let mut blocks = || (0..sizes.blocks).map(|_| source.buffer(sizes.block_bytes)).collect();
        let (uniform, storage) = (blocks(), blocks());
        let push_constants = source.buffer(sizes.push_constant_bytes);
        let shared = source.buffer(sizes.block_bytes).bytes;
        let mut inputs = source.inputs(shader);
        agree(shader, &mut inputs, &push_constants);
        // The numbers of these buffers are such that two small numbers are an address.
        let global = (1..8).map(|high| (high << 32, source.buffer(GLOBAL_BYTES))).collect();
        let textures = textures(shader, &mut source);
        let payload =
            source.buffer((shader.info.task_payload_size as usize).min(sizes.block_bytes).next_multiple_of(16));
        Stimulus { uniform, storage, push_constants, shared, payload, global, textures, inputs }
    }

    /// Cuts blocks at the last bytes that `run`, a run of `shader`, accessed: uniform blocks at a multiple of `granularity`
    /// bytes, but after all bytes that the shader assumes to exist, storage blocks at a multiple of 4.
    pub fn cut(&mut self, shader: &Shader, run: &Outcome, granularity: usize) {
        let cut = |block: &mut Buffer, len: usize| {
            block.bytes.truncate(len);
            block.undef.truncate(len);
        };
        let promised = promised_ends(shader, self.uniform.len());
        for (number, (block, promised)) in (0..).zip(self.uniform.iter_mut().zip(promised)) {
            let end = run.uniform_ends.get(&number).map_or(0, |end| *end as usize);
            cut(block, end.max(promised).next_multiple_of(granularity));
        }
        for (number, block) in (0..).zip(&mut self.storage) {
            cut(block, run.storage_ends.get(&number).map_or(0, |end| end.next_multiple_of(4) as usize));
        }
    }

    /// The buffers as resources of a run.
    pub fn resources(&self) -> Resources {
        Resources {
            uniform: self.uniform.clone(),
            storage: self.storage.clone(),
            push_constants: self.push_constants.clone(),
            shared: self.shared.clone(),
            private: Vec::new(),
            payload: self.payload.clone(),
            global: self.global.clone(),
            textures: self.textures.textures.clone(),
            samplers: self.textures.samplers.clone(),
            images: self.textures.images.clone(),
        }
    }
}

/// The style of a number.
#[derive(Clone, Copy, Debug)]
enum Number {
    Small,
    SimpleFloat,
    Float,
    Special,
    Any,
}

/// Ten numbers to choose from.
type Style = [Number; 10];

const STYLES: &[Style] = {
    use Number::*;
    &[
        [Small; 10],
        [SimpleFloat; 10],
        [Small, Small, Small, Small, Small, SimpleFloat, SimpleFloat, SimpleFloat, SimpleFloat, SimpleFloat],
        [Small, Small, Small, SimpleFloat, SimpleFloat, SimpleFloat, Float, Float, Special, Any],
    ]
};

/// Words that are frequent causes of errors: limits of integers, zeros, infinity, the smallest numbers.
const SPECIAL: &[u32] = &[
    0,
    1,
    0xffff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff,
    0x1_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x0080_0000,
    0x0000_0001,
    0x3f80_0000,
    0xbf80_0000,
];

/// The source of numbers.
pub(crate) struct Source {
    pub(crate) random: Random,
    style: Style,
}

impl Source {
    #[inline]
    fn word(&mut self) -> u32 {
        let bits = self.random.bits();
        match self.random.pick(&self.style) {
            Number::Small => (bits % 8) as u32,
            Number::SimpleFloat => ((bits % 64) as f32 / 4.0 - 4.0).to_bits(),
            Number::Float => ((bits as i32) as f32 / (1 << 24) as f32).to_bits(),
            Number::Special => self.random.pick(SPECIAL),
            Number::Any => bits as u32,
        }
    }

    pub(crate) fn buffer(&mut self, bytes: usize) -> Buffer {
        let mut words = Vec::with_capacity(bytes);
        (0..bytes / 4).for_each(|_| words.extend_from_slice(&self.word().to_le_bytes()));
        Buffer::new(words)
    }

    fn inputs(&mut self, shader: &Shader) -> Inputs {
        let (slots, vertices) = (input_slots(shader), vertices(shader.stage()));
        let mut invocations: Vec<Invocation> = (0..invocations(shader)).map(|_| Invocation::default()).collect();
        for (number, invocation) in invocations.iter_mut().enumerate() {
            for slot in &slots {
                for vertex in 0..vertices {
                    let words = [(); 4].map(|()| self.word());
                    invocation.slots.insert(Slot { slot: *slot, vertex, index: 0 }, words);
                    // The second half of an attribute of doubles.
                    let words = [(); 4].map(|()| self.word());
                    invocation.slots.insert(Slot { slot: *slot, vertex, index: 1 }, words);
                }
            }
            invocation.framebuffer = (0..8).map(|_| [(); 4].map(|()| Bits::new(self.word().into()))).collect();
            invocation.system = self.system_values(number);
        }
        Inputs { invocations, ..Inputs::default() }
    }

    fn system_values(&mut self, invocation: usize) -> BTreeMap<Intrinsic, Vec<u64>> {
        let given = |op: &Intrinsic| {
            let info = op.info();
            info.srcs.is_empty() && info.dest != Components::None && op.name().starts_with("load_")
        };
        let mut values: BTreeMap<Intrinsic, Vec<u64>> =
            Intrinsic::ALL.iter().copied().filter(given).map(|op| (op, self.system_value(op))).collect();
        DERIVED.iter().for_each(|op| drop(values.remove(op)));
        let (x, y) = ((invocation % 2) as f32 + 0.5, (invocation / 2 % 2) as f32 + 0.5);
        let coordinates = [x, y, 0.25, 1.0].map(|component| component.to_bits().into());
        values.insert(Intrinsic::load_frag_coord, coordinates.to_vec());
        values
    }

    fn system_value(&mut self, op: Intrinsic) -> Vec<u64> {
        let is_float = matches!(op.info().form, IntrinsicForm::BuiltIn(_, Base::Float));
        let is_bool = matches!(op.info().form, IntrinsicForm::BuiltIn(_, Base::Bool));
        let number = |random: &mut Random| match (is_float, is_bool) {
            (true, _) => (random.below(8) as f32 / 8.0).to_bits().into(),
            (_, true) => random.below(2),
            _ => random.below(4),
        };
        (0..4).map(|_| number(&mut self.random)).collect()
    }
}

/// System values that the interpreter derives from others.
const DERIVED: &[Intrinsic] = &[
    Intrinsic::load_instance_index,
    Intrinsic::load_vertex_id_zero_base,
    Intrinsic::load_base_vertex,
    Intrinsic::load_pixel_coord,
    Intrinsic::load_sample_pos_or_center,
    Intrinsic::load_front_face_fsign,
    Intrinsic::load_invocation_id,
];

/// Makes system values consistent with those from which passes compute them.
fn agree(shader: &Shader, inputs: &mut Inputs, push_constants: &Buffer) {
    let is_zink_level = shader.vars.values().any(|v| v.mode == Modes::PUSH_CONST);
    let at = Target::default().indexed_draw_offset as usize;
    let is_indexed = push_constants.bytes[at..at + 4].iter().any(|byte| *byte != 0);
    for invocation in &mut inputs.invocations {
        // After zink's lowering load_instance_id counts from the base instance, and load_base_vertex is the first vertex.
        if is_zink_level {
            invocation.system.insert(Intrinsic::load_base_instance, vec![0]);
        }
        invocation.system.insert(Intrinsic::load_is_indexed_draw, vec![u64::from(is_indexed || is_zink_level)]);
    }
}

/// The number of invocations to run together.
fn invocations(shader: &Shader) -> u32 {
    match shader.stage() {
        Stage::Fragment => 4,
        Stage::TessCtrl => shader.info.tcs_vertices_out.clamp(1, VERTICES),
        Stage::Geometry => shader.info.invocations.clamp(1, 32),
        _ => 2,
    }
}

fn vertices(stage: Stage) -> u32 {
    match stage {
        Stage::TessCtrl | Stage::TessEval | Stage::Geometry => VERTICES,
        _ => 1,
    }
}

/// For each uniform block, the end of the bytes that `shader` assumes to exist: by the ranges of loads and constant offsets, even
/// if no invocation accesses them, and by the types of variables.
fn promised_ends(shader: &Shader, blocks: usize) -> Vec<usize> {
    let mut ends = vec![0; blocks];
    let mut promise = |first: u64, count: u64, end: u64| {
        let blocks = ends.iter_mut().skip(first as usize).take(count as usize);
        blocks.for_each(|known| *known = end.max(*known as u64) as usize);
    };
    for inst in &shader.order {
        let Some((Intrinsic::load_ubo, srcs)) = shader.as_intrinsic(*inst) else { continue };
        let data = shader.insts[*inst];
        let bytes = u64::from(data.bit_size) / 8 * u64::from(data.num_components);
        let [base, range] = [Index::range_base, Index::range].map(|index| u64::from(shader.index(*inst, index)));
        let constant = shader.as_const_scalar(srcs[1]).map(|offset| offset + bytes);
        let known = constant.or((range != 0 && range != u32::MAX.into()).then_some(base + range));
        let (first, count) = shader.as_const_scalar(srcs[0]).map_or((0, u64::MAX), |block| (block, 1));
        known.into_iter().for_each(|end| promise(first, count, end));
    }
    for variable in shader.vars.values().filter(|variable| variable.mode == Modes::UBO) {
        let count = shader.types.as_array(variable.ty).map_or(Some(1), |(_, count)| count);
        let block = shader.types.as_struct(shader.types.without_arrays(variable.ty));
        let array = block.and_then(|block| shader.types.as_array(block.fields.first()?.ty));
        let Some((element, Some(len))) = array else { continue };
        let bytes = shader.types.as_vector(element).map_or(0, |(scalar, n)| u32::from(scalar.bits) / 8 * u32::from(n));
        promise(variable.driver_location.into(), count.map_or(u64::MAX, u64::from), u64::from(bytes) * u64::from(len));
    }
    ends
}

/// All slots that the shader may read.
fn input_slots(shader: &Shader) -> Vec<u32> {
    let mut slots = Vec::new();
    for variable in shader.vars.values().filter(|v| v.mode == Modes::SHADER_IN) {
        let first = variable.location.unwrap_or(0);
        slots.extend(first..first + shader.types.slots(variable.ty).min(64));
    }
    for inst in &shader.order {
        if let InstKind::Intrinsic { op, .. } = shader.insts[*inst].kind {
            if op.info().index_slot(Index::io_semantics).is_some() {
                let io = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
                // One more slot for the second half of values that are wider than a slot.
                slots.extend(io.location..io.location + io.num_slots.max(1) + 1);
            }
        }
    }
    slots.extend(varying::COL0..varying::COL0 + 2);
    slots.sort_unstable();
    slots.dedup();
    slots
}
