// SPDX-License-Identifier: MIT

//! Accesses to one of several uniform or storage blocks with an index that is not constant.
//!
//! A device needs a feature for this: one for indices that are the same in all invocations, another for the others. Without it,
//! `lower_block_index` makes ifs on the index, and the blocks have constant indices.

use super::block_table::{BlockTable, DeclaredBlocks};
use crate::ir::{Def, Inst, Shader};
use crate::op::meaning::{MemoryKind, MemoryOperation};
use crate::op::{Access, Index, Intrinsic, Modes};
use crate::target::Feature::{self, *};
use std::ops::Range;

/// The maximum number of blocks that are selected by ifs.
pub const MOST_BLOCKS: u32 = 4096;

/// The features for this; any of them.
pub const FEATURES: [Feature; 4] = [
    shaderUniformBufferArrayDynamicIndexing,
    shaderUniformBufferArrayNonUniformIndexing,
    shaderStorageBufferArrayDynamicIndexing,
    shaderStorageBufferArrayNonUniformIndexing,
];

/// The way in which an access selects its block.
#[derive(Clone, Copy, Debug)]
pub struct BlockPick {
    /// The index.
    pub index: Def,
    /// The feature that the device needs.
    pub feature: Feature,
    /// The blocks that the index is into.
    pub of: PickOf,
}

/// The blocks that an index is into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickOf {
    /// Uniform blocks.
    Uniforms,
    /// Storage blocks.
    Storage,
}

/// The source of an access by byte offset that has the block index, and the blocks that it is into.
pub fn block_source(op: Intrinsic) -> Option<(usize, PickOf)> {
    let access = op.info().memory?;
    let of = match (access.kind, access.operation) {
        (MemoryKind::Ubo, MemoryOperation::Load) => PickOf::Uniforms,
        (MemoryKind::Ssbo, _) => PickOf::Storage,
        _ => return None,
    };
    Some((access.block?.into(), of))
}

impl BlockPick {
    /// `None` if `inst` accesses no block, or one with a constant index.
    pub fn new(shader: &Shader, inst: Inst) -> Option<BlockPick> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        let (at, of) = block_source(op)?;
        let index = srcs[at];
        if shader.as_const(index).is_some() {
            return None;
        }
        let access = Access::from_bits_retain(shader.index(inst, Index::access));
        let feature = match (of, access.contains(Access::NON_UNIFORM)) {
            (PickOf::Uniforms, false) => shaderUniformBufferArrayDynamicIndexing,
            (PickOf::Uniforms, true) => shaderUniformBufferArrayNonUniformIndexing,
            (PickOf::Storage, false) => shaderStorageBufferArrayDynamicIndexing,
            (PickOf::Storage, true) => shaderStorageBufferArrayNonUniformIndexing,
        };
        Some(BlockPick { index, feature, of })
    }
}

/// The blocks of a shader that an index may select, by kind.
#[derive(Clone, Debug)]
pub struct SelectableBlocks {
    uniforms: Range<u32>,
    storage: Range<u32>,
    tables: [BlockTable; 2],
}

impl SelectableBlocks {
    /// Those of `shader`: as many as its header says, or more if it has higher constant indices. No index selects GL's loose
    /// uniforms, which are a block, too.
    pub fn new(shader: &Shader) -> SelectableBlocks {
        let mut ends = [shader.info.num_ubos, shader.info.num_ssbos];
        for inst in &shader.order {
            let Some((op, srcs)) = shader.as_intrinsic(*inst) else { continue };
            let Some((at, of)) = block_source(op) else { continue };
            if let Some(block) = shader.as_const_scalar(srcs[at]) {
                let end = &mut ends[usize::from(of != PickOf::Uniforms)];
                *end = (*end).max((block as u32).saturating_add(1));
            }
        }
        let first = u32::from(shader.info.first_ubo_is_default_ubo);
        let mut tables = [BlockTable::default(), BlockTable::default()];
        tables[0].collect(shader, Modes::UBO);
        tables[1].collect(shader, Modes::SSBO);
        SelectableBlocks { uniforms: first..ends[0].max(first + 1), storage: 0..ends[1].max(1), tables }
    }

    /// The blocks that `pick` may select; `None` if their number is unknown.
    pub fn of(&self, shader: &Shader, pick: &BlockPick) -> Option<Range<u32>> {
        let (table, all) = match pick.of {
            PickOf::Uniforms => (&self.tables[0], &self.uniforms),
            PickOf::Storage => (&self.tables[1], &self.storage),
        };
        match table.array_of(shader, pick.index) {
            Some(DeclaredBlocks { first, count, .. }) => {
                Some(*first..first.saturating_add((*count).filter(|it| *it != 0)?))
            }
            None => Some(all.clone()),
        }
    }
}
