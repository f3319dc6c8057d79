// SPDX-License-Identifier: MIT

//! The blocks of a program, and the bytes that each stage reads.

use crate::analysis::block_picks::{block_source, PickOf};
use crate::ir::{ArrayIndex, Deref, DerefKind, Inst, Shader, Stage, TypeData};
use crate::op::meaning::OffsetUnit;
use crate::op::{Index, Intrinsic, Modes};
use crate::plan::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// The most blocks of a stage. Hostile dumps may claim more.
const MOST_BLOCKS: u32 = 4096;

/// The reads of a block in one stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockUse {
    /// The block's name: the same in all stages.
    pub name: String,
    /// The stage's number for it.
    pub slot: u32,
    /// The end of the last byte that is read, as far as it is known.
    pub end: u32,
    /// The number of bytes in reach of offsets that are not constant; `None` if there are no such offsets, `u32::MAX` if there is
    /// no bound.
    pub dynamic_bytes: Option<u32>,
}

/// The reads of one stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageBlocks {
    /// The stage.
    pub stage: Stage,
    /// The blocks that it reads, by slot.
    pub uses: Vec<BlockUse>,
    /// The first block of an array whose index is only known when the shader runs, and their number: these blocks share a class.
    pub array: Option<(u32, u32)>,
    /// The number of its storage blocks.
    pub storage_blocks: u32,
}

/// A block of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Its size in bytes, if it is known: GL's `GL_UNIFORM_BLOCK_DATA_SIZE`.
    pub bytes: Option<u32>,
    /// Whether its size is that of the bound range.
    pub is_unsized: bool,
    /// Whether the driver has its bytes on the CPU when it draws, so that they can be push constants.
    pub is_at_hand: bool,
    /// The shape for ANGLE's rule.
    pub shape: Option<Shape>,
}

/// A linked program: the input of a plan. Names are ids: blocks with one name are one block in all stages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its stages.
    pub stages: Vec<StageBlocks>,
    /// The properties of blocks that do not depend on stages, by name.
    pub blocks: BTreeMap<String, Block>,
}

impl Program {
    /// Adds a stage whose blocks have the names that [`survey`] gives them.
    pub fn add(&mut self, shader: &Shader) {
        self.add_named(shader, |_| None);
    }

    /// Adds a stage: `name` returns the name of the block with this number, if there is one.
    pub fn add_named(&mut self, shader: &Shader, name: impl Fn(u32) -> Option<String>) {
        let mut stage = survey(shader);
        for used in &mut stage.uses {
            if let Some(name) = name(used.slot) {
                used.name = name;
            }
        }
        self.stages.push(stage);
    }

    /// The properties of the block called `name`.
    pub fn block(&mut self, name: &str) -> &mut Block {
        self.blocks.entry(name.to_string()).or_default()
    }
}

/// The reads of `shader` from its uniform blocks, at the level of Gallium drivers (`load_ubo`) or at zink's (derefs).
///
/// Block n is called `ubo<n>`. Block 0 is called `<STAGE>.uniforms` if it has GL's loose uniforms (`first_ubo_is_default_ubo`), as
/// each stage has its own.
pub fn survey(shader: &Shader) -> StageBlocks {
    let mut seen = Seen::default();
    for inst in &shader.order {
        seen.look_at(shader, *inst);
    }
    let first = u32::from(shader.info.first_ubo_is_default_ubo);
    let mut array = seen.array;
    if seen.is_dynamic {
        let last = seen.uses.keys().copied().max().map_or(0, |last| last.saturating_add(1));
        let count = last.max(shader.info.num_ubos).saturating_sub(first).clamp(1, MOST_BLOCKS);
        array = Some((first, count));
    }
    for slot in array.into_iter().flat_map(|(first, count)| first..first.saturating_add(count)) {
        let read = seen.uses.entry(slot).or_default();
        *read = read.with(seen.any);
    }
    let name = |slot| match slot {
        0 if shader.info.first_ubo_is_default_ubo => format!("{}.uniforms", shader.stage().name()),
        _ => format!("ubo{slot}"),
    };
    let one = |(slot, read): (u32, Read)| BlockUse {
        name: name(slot),
        slot,
        end: read.end,
        dynamic_bytes: read.dynamic_bytes,
    };
    StageBlocks {
        stage: shader.stage(),
        uses: seen.uses.into_iter().map(one).collect(),
        array,
        storage_blocks: shader.info.num_ssbos.min(MOST_BLOCKS).max(seen.storage.len() as u32),
    }
}

/// The reads of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    end: u32,
    dynamic_bytes: Option<u32>,
}

impl Read {
    fn with(self, other: Read) -> Read {
        Read { end: self.end.max(other.end), dynamic_bytes: self.dynamic_bytes.max(other.dynamic_bytes) }
    }
}

/// The reads found so far.
#[derive(Default)]
struct Seen {
    uses: BTreeMap<u32, Read>,
    /// The reads of blocks whose number is not constant.
    any: Read,
    is_dynamic: bool,
    /// The blocks of a variable that is indexed dynamically.
    array: Option<(u32, u32)>,
    storage: BTreeSet<u32>,
}

impl Seen {
    fn look_at(&mut self, shader: &Shader, inst: Inst) {
        let Some((op, srcs)) = shader.as_intrinsic(inst) else { return };
        let Some((block, of)) = block_source(op) else {
            if let (Intrinsic::load_deref, &[pointer]) = (op, srcs) {
                self.by_pointer(shader, inst, pointer);
            }
            return;
        };
        let block = shader.as_const_scalar(srcs[block]).map(|block| block as u32);
        match (of, block) {
            (PickOf::Uniforms, Some(block)) => self.add(block, by_offset(shader, inst)),
            (PickOf::Uniforms, None) => {
                self.any = self.any.with(by_offset(shader, inst));
                self.is_dynamic = true;
            }
            _ => self.storage.extend(block),
        }
    }

    fn add(&mut self, slot: u32, read: Read) {
        let all = self.uses.entry(slot).or_default();
        *all = all.with(read);
    }

    /// A load through `variable[block].base[element]`, at zink's level.
    fn by_pointer(&mut self, shader: &Shader, inst: Inst, pointer: crate::ir::Def) {
        let Some(&Deref { kind: DerefKind::Array { parent, index }, modes: Modes::UBO, .. }) = shader.as_deref(pointer)
        else {
            return;
        };
        let Some(&Deref { kind: DerefKind::Struct { parent: block, .. }, ty, .. }) = shader.as_deref(parent) else {
            return;
        };
        let bytes = u32::from(shader.insts[inst].bit_size) / 8;
        let declared = match shader.types.get(ty) {
            TypeData::Array { len: Some(len), .. } => len.saturating_mul(bytes),
            _ => u32::MAX,
        };
        let known = match index {
            ArrayIndex::Imm(index) => u32::try_from(index).ok(),
            ArrayIndex::Def(index) => shader.as_const_scalar(index).map(|index| index as u32),
        };
        let read = match known {
            Some(index) => Read { end: end_of(index.saturating_mul(bytes), bytes), dynamic_bytes: None },
            None => Read { end: 0, dynamic_bytes: Some(declared) },
        };
        let Some(var) = shader.deref_var(block) else { return };
        let first = shader.vars[var].driver_location;
        let Some(&Deref { kind: DerefKind::Array { index, .. }, .. }) = shader.as_deref(block) else {
            return self.add(first, read);
        };
        let known = match index {
            ArrayIndex::Imm(index) => u32::try_from(index).ok(),
            ArrayIndex::Def(index) => shader.as_const_scalar(index).map(|index| index as u32),
        };
        match (known, shader.types.as_array(shader.vars[var].ty)) {
            (Some(index), _) => self.add(first.saturating_add(index), read),
            (None, Some((_, count))) => {
                self.any = self.any.with(read);
                self.array = Some((first, count.unwrap_or(1).clamp(1, MOST_BLOCKS)));
            }
            (None, None) => {}
        }
    }
}

/// The end of `bytes` bytes at an offset; 0 for an offset beyond all buffers, from a negative index, which reads nothing.
fn end_of(offset: u32, bytes: u32) -> u32 {
    offset.checked_add(bytes).filter(|end| *end <= i32::MAX as u32).unwrap_or(0)
}

/// The read of a `load_ubo`.
fn by_offset(shader: &Shader, inst: Inst) -> Read {
    let Some((op, &[_, offset, ..])) = shader.as_intrinsic(inst) else { return Read::default() };
    let index = |index| shader.index(inst, index);
    let (components, bits) = (shader.insts[inst].num_components, shader.insts[inst].bit_size);
    let bytes = u32::from(components) * u32::from(bits) / 8;
    if op.info().memory.is_some_and(|access| access.unit == OffsetUnit::Vec4s) {
        let start = index(Index::component).saturating_mul(u32::from(bits)) / 8;
        let vec4 = shader.as_const_scalar(offset).map(|offset| (offset as u32).saturating_add(index(Index::base)));
        return match vec4 {
            Some(vec4) => Read { end: end_of(vec4.saturating_mul(16), start + bytes), dynamic_bytes: None },
            None => Read { end: 0, dynamic_bytes: Some(u32::MAX) },
        };
    }
    let (from, range) = (index(Index::range_base), index(Index::range));
    let known = range != 0 && range != u32::MAX;
    match shader.as_const_scalar(offset) {
        Some(offset) => Read { end: end_of(offset as u32, bytes), dynamic_bytes: None },
        None if known => Read { end: from.saturating_add(range), dynamic_bytes: Some(range) },
        None => Read { end: 0, dynamic_bytes: Some(u32::MAX) },
    }
}
