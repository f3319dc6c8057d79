// SPDX-License-Identifier: MIT

//! Accesses to one of several uniform or storage blocks with an index that is not constant.
//!
//! A device needs a feature for this: one for indices that are the same in all invocations, another for the others. Without it,
//! `lower_block_index` makes ifs on the index, and the blocks have constant indices.

use crate::ir::{ArrayIndex, Def, DerefKind, Inst, Shader, Var};
use crate::op::meaning::{MemoryKind, MemoryOperation};
use crate::op::{Access, Facts, Index, Intrinsic, Modes};
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

const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO);

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
    /// All uniform blocks.
    Uniforms,
    /// All storage blocks.
    Storage,
    /// The same, for a query of the size.
    Sizes,
    /// A variable that is an array of blocks.
    Variable(Var),
}

/// The source of an access by byte offset that has the block index, and the blocks that it is into.
pub fn block_source(op: Intrinsic) -> Option<(usize, PickOf)> {
    let access = op.info().memory?;
    let of = match (access.kind, access.operation) {
        (MemoryKind::Ubo, MemoryOperation::Load) => PickOf::Uniforms,
        (MemoryKind::Ssbo, MemoryOperation::Size) => PickOf::Sizes,
        (MemoryKind::Ssbo, _) => PickOf::Storage,
        _ => return None,
    };
    Some((access.block?.into(), of))
}

impl BlockPick {
    /// `None` if `inst` accesses no block, or one with a constant index.
    pub fn new(shader: &Shader, inst: Inst) -> Option<BlockPick> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        let (index, of, mode, declared) = match block_source(op) {
            Some((at, of)) => {
                let mode = if of == PickOf::Uniforms { Modes::UBO } else { Modes::SSBO };
                (srcs[at], of, mode, Access::empty())
            }
            None if op.info().pointers == 1 => {
                let (var, index) = picked_element(shader, srcs[0])?;
                let variable = &shader.vars[var];
                (index, PickOf::Variable(var), variable.mode, variable.access)
            }
            None => return None,
        };
        if shader.as_const(index).is_some() {
            return None;
        }
        let access = Access::from_bits_retain(shader.index(inst, Index::access)) | declared;
        let feature = match (mode, access.contains(Access::NON_UNIFORM)) {
            (Modes::UBO, false) => shaderUniformBufferArrayDynamicIndexing,
            (Modes::UBO, true) => shaderUniformBufferArrayNonUniformIndexing,
            (_, false) => shaderStorageBufferArrayDynamicIndexing,
            (_, true) => shaderStorageBufferArrayNonUniformIndexing,
        };
        Some(BlockPick { index, feature, of })
    }
}

/// The array of blocks that a deref starts from, and the index of the block, if it is a value.
fn picked_element(shader: &Shader, mut pointer: Def) -> Option<(Var, Def)> {
    if !shader.as_deref(pointer)?.modes.intersects(BUFFERS) {
        return None;
    }
    loop {
        let kind = shader.as_deref(pointer)?.kind;
        let parent = kind.parent()?;
        if let (Some(DerefKind::Var(var)), DerefKind::Array { index, .. }) =
            (shader.as_deref(parent).map(|deref| deref.kind), kind)
        {
            let types = &shader.types;
            let (element, _) = types.as_array(shader.vars[var].ty)?;
            types.as_struct(types.without_arrays(element))?;
            return match index {
                ArrayIndex::Def(index) => Some((var, index)),
                ArrayIndex::Imm(_) => None,
            };
        }
        pointer = parent;
    }
}

/// The number of blocks of a shader, by kind.
#[derive(Clone, Debug)]
pub struct Blocks {
    uniforms: Range<u32>,
    storage: Range<u32>,
    sizes: Range<u32>,
}

impl Blocks {
    /// Those of `shader`: as many as its header says, or more if it has higher constant indices. No index selects GL's loose
    /// uniforms, which are a block, too.
    pub fn new(shader: &Shader) -> Blocks {
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
        let storage = 0..ends[1].max(1);
        let sizes = sized_array(shader).unwrap_or(storage.clone());
        Blocks { uniforms: first..ends[0].max(first + 1), storage, sizes }
    }

    /// The blocks that `pick` may select; `None` if their number is unknown.
    pub fn of(&self, shader: &Shader, pick: &BlockPick) -> Option<Range<u32>> {
        match pick.of {
            PickOf::Uniforms => Some(self.uniforms.clone()),
            PickOf::Storage => Some(self.storage.clone()),
            PickOf::Sizes => Some(self.sizes.clone()),
            PickOf::Variable(var) => {
                let (_, count) = shader.types.as_array(shader.vars[var].ty)?;
                count.filter(|count| *count != 0).map(|count| 0..count)
            }
        }
    }
}

/// zink's array of storage blocks, which is used for their sizes: the variable, and its first block.
pub fn zinks_array(shader: &Shader) -> Option<(Var, u32)> {
    let is_zinks = |variable: &crate::ir::Variable| {
        variable.mode == Modes::SSBO && shader.strings[variable.name].starts_with("ssbos@")
    };
    let (var, variable) = shader.vars.iter().find(|(_, variable)| is_zinks(variable))?;
    Some((var, variable.driver_location))
}

/// The blocks of [`zinks_array`], if sizes are queried of it.
fn sized_array(shader: &Shader) -> Option<Range<u32>> {
    if !shader.inventory().may_have(Facts::derefs(BUFFERS)) {
        return None;
    }
    let (var, first) = zinks_array(shader)?;
    let (_, count) = shader.types.as_array(shader.vars[var].ty)?;
    Some(first..first.checked_add(count.filter(|count| *count != 0)?)?)
}
