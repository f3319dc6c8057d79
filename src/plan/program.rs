// SPDX-License-Identifier: MIT

//! The blocks of a program, and the bytes that each stage reads.

use crate::analysis::block_picks::{block_source, PickOf};
use crate::analysis::uniformity::Divergence;
use crate::ir::{ArrayIndex, Inst, Shader, Stage};
use crate::op::meaning::OffsetUnit;
use crate::op::Index;
use crate::plan::{Class, Placements, Shape};
use crate::raise;
use crate::target::DescriptorLayout;
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
    /// The reason why it cannot be in push constants, however large it is.
    pub unpushable: Option<&'static str>,
}

impl BlockUse {
    /// The reason why it cannot be in push constants, if it has `bytes` bytes, or an unknown number of them for 0. Plans and
    /// translations go by this.
    pub fn why_not_pushed(&self, bytes: u32) -> Option<&'static str> {
        const OPEN: &str = "it is read at offsets that are not constant, and its size is not known";
        self.unpushable.or((self.dynamic_bytes.is_some() && bytes == 0).then_some(OPEN))
    }
}

/// The reason why a shader cannot have its blocks where `placements` puts them, with the number of the block.
pub fn refused_placement(shader: &Shader, placements: &Placements) -> Option<(u32, &'static str)> {
    if !placements.has_push_constants() {
        return None;
    }
    let reads = survey(shader).uses;
    placements.iter().filter(|row| matches!(row.1.class, Class::PushConstant { .. })).find_map(|(slot, placement)| {
        let read = reads.iter().find(|read| read.slot == slot)?;
        Some((slot, read.why_not_pushed(placement.range)?))
    })
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
pub struct BlockProperties {
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
pub struct ProgramBlocks {
    /// Its stages.
    pub stages: Vec<StageBlocks>,
    /// The properties of blocks that do not depend on stages, by name.
    pub blocks: BTreeMap<String, BlockProperties>,
}

impl ProgramBlocks {
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
    pub fn block(&mut self, name: &str) -> &mut BlockProperties {
        self.blocks.entry(name.to_string()).or_default()
    }
}

/// The reads of `shader` from its uniform blocks. Those through derefs, at zink's level, are reads by byte offset, too: see
/// [`raise`](crate::raise::raise).
///
/// BlockProperties n is called `ubo<n>`. BlockProperties 0 is called `<STAGE>.uniforms` if it has GL's loose uniforms (`first_ubo_is_default_ubo`), as
/// each stage has its own.
pub fn survey(shader: &Shader) -> StageBlocks {
    if raise::is_needed(shader) {
        let mut raised = shader.clone();
        if raise::raise(&mut raised, &DescriptorLayout::default()).is_ok() {
            return survey_offsets(&raised);
        }
    }
    survey_offsets(shader)
}

fn survey_offsets(shader: &Shader) -> StageBlocks {
    let mut seen = Seen::default();
    for inst in &shader.order {
        seen.look_at(shader, *inst);
    }
    let first = u32::from(shader.info.first_ubo_is_default_ubo);
    let last = seen.uses.keys().copied().max().map_or(0, |last| last.saturating_add(1));
    let count = last.max(shader.info.num_ubos).saturating_sub(first).clamp(1, MOST_BLOCKS);
    let array = seen.is_dynamic.then_some((first, count));
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
        unpushable: read.unpushable,
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
    unpushable: Option<&'static str>,
}

impl Read {
    /// A read of `bytes` bytes at a known offset.
    fn at(offset: u32, bytes: u32) -> Read {
        Read { end: end_of(offset, bytes), ..Read::default() }
    }

    /// A read up to byte `end`, at an unknown offset within this number of bytes.
    fn within(end: u32, bytes: u32) -> Read {
        Read { end, dynamic_bytes: Some(bytes), unpushable: None }
    }

    /// This read, but not from push constants, for the reason `why`.
    fn unpushable(self, why: &'static str) -> Read {
        Read { unpushable: self.unpushable.or(Some(why)), ..self }
    }

    fn with(self, other: Read) -> Read {
        Read {
            end: self.end.max(other.end),
            dynamic_bytes: self.dynamic_bytes.max(other.dynamic_bytes),
            unpushable: self.unpushable.or(other.unpushable),
        }
    }
}

/// An index that is not constant selects the block: push constants are not an array of blocks.
const SELECTED: &str = "an index that is not constant selects it";
/// Vulkan, "Push Constant Interface".
const DIVERGENT: &str = "it is read at an offset that may differ between invocations";

/// The reads found so far.
#[derive(Default)]
struct Seen {
    uses: BTreeMap<u32, Read>,
    /// The reads of blocks whose number is not constant.
    any: Read,
    is_dynamic: bool,
    storage: BTreeSet<u32>,
    /// Once there is an offset that is not constant.
    divergence: Option<Divergence>,
}

impl Seen {
    fn look_at(&mut self, shader: &Shader, inst: Inst) {
        let Some((op, srcs)) = shader.as_intrinsic(inst) else { return };
        let Some((block, of)) = block_source(op) else { return };
        let block = shader.as_const_index(ArrayIndex::Def(srcs[block]));
        match (of, block) {
            (PickOf::Uniforms, Some(block)) => {
                let mut read = by_offset(shader, inst);
                if read.dynamic_bytes.is_some() {
                    let divergence = self.divergence.get_or_insert_with(|| Divergence::new(shader));
                    if srcs.iter().any(|src| divergence.of(*src)) {
                        read = read.unpushable(DIVERGENT);
                    }
                }
                self.add(block, read);
            }
            (PickOf::Uniforms, None) => {
                self.any = self.any.with(by_offset(shader, inst).unpushable(SELECTED));
                self.is_dynamic = true;
            }
            _ => self.storage.extend(block),
        }
    }

    fn add(&mut self, slot: u32, read: Read) {
        let all = self.uses.entry(slot).or_default();
        *all = all.with(read);
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
    // A constant of 64 bits may be beyond all buffers.
    let constant = shader.as_const_scalar(offset).map(|offset| u32::try_from(offset).unwrap_or(u32::MAX));
    if op.info().memory.is_some_and(|access| access.unit == OffsetUnit::Vec4s) {
        let start = index(Index::component).saturating_mul(u32::from(bits)) / 8;
        let vec4 = constant.map(|offset| offset.saturating_add(index(Index::base)));
        return match vec4 {
            Some(vec4) => Read::at(vec4.saturating_mul(16), start + bytes),
            None => Read::within(0, u32::MAX),
        };
    }
    let (from, range) = (index(Index::range_base), index(Index::range));
    let known = range != 0 && range != u32::MAX;
    match constant {
        Some(offset) => Read::at(offset, bytes),
        None if known => Read::within(from.saturating_add(range), range),
        None => Read::within(0, u32::MAX),
    }
}
