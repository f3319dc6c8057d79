// SPDX-License-Identifier: MIT

//! The bindings of uniform and storage blocks, which accesses by byte offset name by number.
//!
//! A Gallium driver has a descriptor for each number, at the place that [`DescriptorLayout`] says. A shader of zink's level or of a
//! Vulkan driver has variables with bindings of their own: [`raise`](crate::raise) gives their blocks numbers, and this is the table
//! of these.

use crate::ir::types::StructData;
use crate::ir::{Def, Shader, Type, TypeData, Var, Variable};
use crate::op::{AluOp, AluType, Base, Modes};
use crate::target::{BlockArray, Descriptor, DescriptorLayout, DescriptorSlot};

/// A variable that declares blocks of adjacent numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredBlocks {
    /// The first of several variables with the same binding: these are views of the same blocks.
    pub var: Var,
    /// The number of the first block.
    pub first: u32,
    /// How many there are; `None` if the array has no length.
    pub count: Option<u32>,
    /// The set and the binding.
    pub slot: DescriptorSlot,
    /// The size of a block in bytes, if the type has one.
    pub bytes: Option<u32>,
}

impl DeclaredBlocks {
    /// Whether it is an array in the module, too.
    pub fn is_array(&self) -> bool {
        self.count != Some(1)
    }

    /// Whether it has this block.
    pub fn has(&self, block: u32) -> bool {
        block >= self.first && self.count.map_or(true, |count| block - self.first < count)
    }
}

/// The declared uniform or storage blocks of a shader.
#[derive(Clone, Debug, Default)]
pub struct BlockTable {
    rows: Vec<DeclaredBlocks>,
}

impl BlockTable {
    /// Replaces the table by that of the blocks of this mode, uniform or storage.
    pub fn collect(&mut self, shader: &Shader, mode: Modes) {
        self.rows.clear();
        for (var, variable) in shader.vars.iter() {
            let Some(set) = variable.descriptor_set.filter(|_| variable.mode == mode) else { continue };
            let slot = DescriptorSlot { set, binding: variable.binding };
            let (block, count) = block_array(shader, variable.ty).unwrap_or((variable.ty, Some(1)));
            let bytes = size_of(shader, block).and_then(|bytes| u32::try_from(bytes).ok());
            match self.rows.iter_mut().find(|row| row.slot == slot) {
                Some(row) => row.bytes = row.bytes.zip(bytes).map(|(a, b)| a.max(b)),
                None => self.rows.push(DeclaredBlocks { var, first: variable.driver_location, count, slot, bytes }),
            }
        }
    }

    /// The declared blocks, in the order of their variables.
    pub fn rows(&self) -> &[DeclaredBlocks] {
        &self.rows
    }

    /// The blocks that a number is one of, if it is declared.
    pub fn of(&self, block: u32) -> Option<&DeclaredBlocks> {
        self.rows.iter().find(|row| row.has(block))
    }

    /// The array that an index that is not constant selects a block of. If there are several, the index is a sum with the number of
    /// the first block.
    pub fn array_of(&self, shader: &Shader, index: Def) -> Option<&DeclaredBlocks> {
        let mut arrays = self.rows.iter().filter(|row| row.is_array());
        let first = arrays.next()?;
        let added = || match shader.as_alu(index) {
            Some((AluOp::iadd, [_, added])) => shader.as_const_src(*added),
            _ => None,
        };
        let is_it = |row: &&DeclaredBlocks| added() == Some(row.first.into());
        Some(arrays.find(is_it).unwrap_or(first))
    }

    /// The blocks that are arrays in the module: those that are declared as such, or `otherwise` if none is declared. `end` is one
    /// past the last block, for an array without a length.
    pub fn arrays(&self, end: u32, otherwise: Option<BlockArray>) -> impl Iterator<Item = BlockArray> + '_ {
        let array = move |row: &DeclaredBlocks| BlockArray {
            first: row.first,
            count: row.count.unwrap_or(end.saturating_sub(row.first).max(1)),
        };
        let declared = self.rows.iter().filter(|row| row.is_array()).map(array);
        declared.chain(otherwise.filter(|_| self.rows.is_empty()))
    }

    /// The descriptor of a block, or of the array that it is in.
    pub fn slot(&self, layout: &DescriptorLayout, descriptor: Descriptor, block: u32) -> DescriptorSlot {
        self.of(block).map_or_else(|| layout.slot_of_block(descriptor, block), |row| row.slot)
    }
}

/// The block and the number of blocks of a type that is an array of blocks, not a block that is an array.
pub fn block_array(shader: &Shader, ty: Type) -> Option<(Type, Option<u32>)> {
    let (block, count) = shader.types.as_array(ty)?;
    shader.types.as_struct(block).map(|_| (block, count))
}

/// The kind of descriptor of a variable of blocks.
pub fn descriptor_of(variable: &Variable) -> Descriptor {
    match (variable.mode, variable.driver_location) {
        (Modes::UBO, 0) => Descriptor::DefaultUniforms,
        (Modes::UBO, _) => Descriptor::UniformBuffer,
        _ => Descriptor::StorageBuffer,
    }
}

/// The bytes of a component.
pub fn component_bytes(scalar: AluType) -> u32 {
    match scalar.base {
        // NIR has booleans in buffers as words.
        Base::Bool => 4,
        _ => u32::from(scalar.bits) / 8,
    }
}

/// Whether each member of a block is an array of numbers without gaps from its start on, so that the dump needs no layout: those of
/// zink have the members `base` and `unsized`. If vtn read the module of a translator, they are called `struct_ssbos@32` or `block`,
/// and vtn calls a member without a name `field0`.
pub fn is_of_numbers(shader: &Shader, data: &StructData) -> bool {
    let is_known = &shader.strings[data.name] == "block"
        || shader.strings[data.name].starts_with("struct_") && shader.strings[data.name].contains('@');
    data.fields.iter().all(|field| match &shader.strings[field.name] {
        "base" | "unsized" => true,
        name => is_known && name == "field0" && data.fields.len() == 1,
    })
}

/// The bytes of a value in memory with an explicit layout; `None` if it has a run-time array or no layout.
pub fn size_of(shader: &Shader, ty: Type) -> Option<u64> {
    match shader.types.get(ty) {
        TypeData::Array { elem, len, stride } => {
            let (len, element) = (u64::from(len?), size_of(shader, elem)?);
            let stride = if stride == 0 { element } else { stride.into() };
            Some(if len == 0 { 0 } else { (len - 1).checked_mul(stride)?.checked_add(element)? })
        }
        TypeData::Struct(_) => {
            let data = shader.types.as_struct(ty)?;
            let is_of_numbers = is_of_numbers(shader, data);
            let members = data.fields.iter().filter(|field| shader.types.get(field.ty) != TypeData::Void);
            members.into_iter().try_fold(0, |end: u64, field| {
                let offset = field.offset.or((is_of_numbers || data.fields.len() == 1).then_some(0))?;
                Some(end.max(u64::from(offset) + size_of(shader, field.ty)?))
            })
        }
        TypeData::Strided { scalar, components, stride } => {
            Some(u64::from(components.max(1) - 1) * u64::from(stride) + u64::from(component_bytes(scalar)))
        }
        _ => {
            let (scalar, components) = shader.types.as_vector(ty)?;
            Some(u64::from(components) * u64::from(component_bytes(scalar)))
        }
    }
}
