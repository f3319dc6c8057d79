// SPDX-License-Identifier: MIT

//! The variables of uniform and storage blocks: one for each view of a block, or of an array of blocks.

use super::blocks::{block_type, index_in, stem, Element, UVEC4};
use crate::analysis::block_table::BlockTable;
use crate::entity::Str;
use crate::ir::{ArrayIndex, Builder, Def, Shader, Var, Variable};
use crate::op::names::push_number;
use crate::op::{Access, Modes};
use crate::target::{BlockArray, DescriptorSlot};
use rustc_hash::FxHashMap;

/// The variables of the blocks of a mode, made when they are needed; kept for the next shader.
#[derive(Default)]
pub(super) struct BlockVars {
    pub(super) table: BlockTable,
    /// The blocks that are arrays in the module.
    pub(super) arrays: Vec<BlockArray>,
    /// By the first block and the element.
    vars: FxHashMap<(u32, Element), Var>,
    /// Buffer for a name.
    name: String,
}

impl BlockVars {
    /// Forgets the blocks of the previous shader, and collects the arrays of this one: those that are declared, or `otherwise` if none
    /// is. `end` is one past the last block.
    pub(super) fn collect(&mut self, shader: &Shader, mode: Modes, end: u32, otherwise: Option<BlockArray>) {
        self.vars.clear();
        self.arrays.clear();
        self.table.collect(shader, mode);
        self.arrays.extend(self.table.arrays(end, otherwise));
    }

    /// The array that has the block with this number.
    pub(super) fn array_with(&self, block: u32) -> Option<BlockArray> {
        self.arrays.iter().copied().find(|array| array.has(block))
    }

    /// The array that has the block with this index; `None` if that is a variable of its own.
    pub(super) fn array_of(&self, shader: &Shader, index: Def) -> Option<BlockArray> {
        match shader.as_const_scalar(index) {
            Some(block) => self.array_with(block as u32),
            None => {
                let declared = self.table.array_of(shader, index);
                declared.map_or(self.arrays.first().copied(), |row| self.array_with(row.first))
            }
        }
    }

    /// The number of the first block of the variable that has the block with this index.
    pub(super) fn first(&self, shader: &Shader, index: Def) -> u32 {
        let own = || shader.as_const_scalar(index).map_or(0, |block| block as u32);
        self.array_of(shader, index).map_or_else(own, |array| array.first)
    }

    /// The number of the first block of the variable that has the block with this index, and the index of the block in it; `None`
    /// if the variable is not an array.
    pub(super) fn place(&self, b: &mut Builder<'_>, index: Def) -> (u32, Option<ArrayIndex>) {
        match self.array_of(b.shader, index) {
            Some(array) => (array.first, Some(index_in(b, array, index))),
            None => (self.first(b.shader, index), None),
        }
    }

    /// The variable of such elements whose first block is `first`.
    pub(super) fn get(&self, first: u32, element: Element) -> Option<Var> {
        self.vars.get(&(first, element)).copied()
    }

    /// Declares the variable of `len` such elements of the block `first`, or of the array that begins with it.
    pub(super) fn declare(
        &mut self,
        shader: &mut Shader,
        (mode, access): (Modes, Access),
        (first, slot): (u32, DescriptorSlot),
        (element, len): (Element, Option<u32>),
    ) -> Var {
        let block = block_type(shader, element, len);
        let array = self.array_with(first);
        let ty = array.map_or(block, |array| shader.types.array(block, Some(array.count), 0));
        let name = self.name(shader, mode, first, element);
        let var = shader.vars.push(Variable {
            driver_location: first,
            binding: slot.binding,
            descriptor_set: Some(slot.set),
            access,
            ..Variable::new(name, ty, mode)
        });
        self.vars.insert((first, element), var);
        var
    }

    /// The name of such a variable: that of the dump, if it has one.
    fn name(&mut self, shader: &mut Shader, mode: Modes, first: u32, element: Element) -> Str {
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        let kind = if mode == Modes::UBO { "ubo" } else { "ssbo" };
        match (self.table.of(first), self.array_with(first)) {
            (Some(row), _) => name.push_str(stem(&shader.strings[shader.vars[row.var].name])),
            (None, Some(_)) => name.extend([kind, "s"]),
            (None, None) => {
                name.push_str(kind);
                push_number(&mut name, first);
            }
        }
        if element != UVEC4 {
            name.push('@');
            push_number(&mut name, element.bits.into());
        }
        let known = shader.strings.add(&name);
        self.name = name;
        known
    }
}
