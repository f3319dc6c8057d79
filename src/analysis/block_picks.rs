//! Accesses that pick one of several uniform or storage blocks by a number that is not constant.
//!
//! A device must have a feature for that: one for numbers that are the same in all invocations, another for the rest. Without it,
//! there are ifs on the number, and the blocks are named by constants: `lower_block_index`.

use crate::ir::{ArrayIndex, Def, DerefKind, Inst, Shader, Var};
use crate::op::meaning::{MemoryKind, MemoryOperation};
use crate::op::{Access, Index, Intrinsic, Modes};
use crate::target::Feature::{self, *};
use std::ops::Range;

/// From so many blocks none is picked by ifs.
pub const MOST_BLOCKS: u32 = 4096;

/// Copies of accesses, one for each block that they may be to, that there are at most.
pub const MOST_LEAVES: usize = 1 << 15;

/// Any of the features for this.
pub const FEATURES: [Feature; 4] = [
    shaderUniformBufferArrayDynamicIndexing,
    shaderUniformBufferArrayNonUniformIndexing,
    shaderStorageBufferArrayDynamicIndexing,
    shaderStorageBufferArrayNonUniformIndexing,
];

const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO);

/// How an access picks its block.
#[derive(Clone, Copy, Debug)]
pub struct BlockPick {
    /// The number.
    pub index: Def,
    /// What the device needs.
    pub feature: Feature,
    /// What the number is one of.
    pub of: PickOf,
}

/// What a number picks a block of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickOf {
    /// All uniform blocks.
    Uniforms,
    /// All storage blocks.
    Storage,
    /// The same, of which the size is asked for.
    Sizes,
    /// A variable that is an array of blocks.
    Variable(Var),
}

/// The source of an access by byte offset that says which block, and what it is one of.
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
    /// `None` if `inst` accesses no block, or one that is known.
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

/// The array of blocks that a pointer starts from, and the number of the block that it leads into, if this is a value.
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

/// The blocks that a shader has, by number.
#[derive(Clone, Debug)]
pub struct Blocks {
    uniforms: Range<u32>,
    storage: Range<u32>,
    sizes: Range<u32>,
}

impl Blocks {
    /// Those of `shader`: as many as its header says, and those that it names by constants. GL's loose uniforms are a block that no
    /// number picks.
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

    /// Those that `pick` may be about; `None` if their number is not known.
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

/// zink's array of storage blocks, which has their sizes: the variable, and the block that it starts with.
pub fn zinks_array(shader: &Shader) -> Option<(Var, u32)> {
    let is_zinks = |variable: &crate::ir::Variable| {
        variable.mode == Modes::SSBO && shader.strings[variable.name].starts_with("ssbos@")
    };
    let (var, variable) = shader.vars.iter().find(|(_, variable)| is_zinks(variable))?;
    Some((var, variable.driver_location))
}

/// The blocks of [`zinks_array`], if it is what sizes are asked of.
fn sized_array(shader: &Shader) -> Option<Range<u32>> {
    if !shader.inventory().has_derefs(BUFFERS) {
        return None;
    }
    let (var, first) = zinks_array(shader)?;
    let (_, count) = shader.types.as_array(shader.vars[var].ty)?;
    Some(first..first.checked_add(count.filter(|count| *count != 0)?)?)
}
