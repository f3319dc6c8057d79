// SPDX-License-Identifier: MIT

//! The names of memory and descriptors in faults, which are those of the dump.

use crate::descriptor::Descriptor;
use crate::machine::Machine;
use crate::memory::MemoryRegion;
use ntv::analysis::textures::elements;
use ntv::ir::{TypeData, Var};
use ntv::op::Modes;

impl Machine<'_> {
    /// `storage block 1 (`bins`)`: the index of a block and its variables.
    pub(crate) fn memory_name(&self, memory: MemoryRegion) -> String {
        match memory {
            MemoryRegion::Uniform(block) => format!("uniform block {block}{}", self.block_variables(Modes::UBO, block)),
            MemoryRegion::Storage(block) => {
                format!("storage block {block}{}", self.block_variables(Modes::SSBO, block))
            }
            MemoryRegion::Push => "the push constants".to_string(),
            MemoryRegion::Shared => "shared memory".to_string(),
            MemoryRegion::Payload => "the payload".to_string(),
            MemoryRegion::Private => "the invocation's variables".to_string(),
            MemoryRegion::Scratch => "scratch memory".to_string(),
            MemoryRegion::Image(image) => format!("the image of {}", self.descriptor_name(image, true)),
            MemoryRegion::Global => "global memory".to_string(),
        }
    }

    /// `binding 2 (`shadow`)`: the binding of a descriptor and its variable.
    pub(crate) fn descriptor_name(&self, descriptor: Descriptor, storage: bool) -> String {
        let Descriptor::Binding(binding) = descriptor else { return descriptor.to_string() };
        let types = &self.shader.types;
        let holds = |var: &Var| {
            let variable = &self.shader.vars[*var];
            let is_image = matches!(types.get(types.without_arrays(variable.ty)), TypeData::Image { .. });
            let element = binding.checked_sub(variable.binding);
            is_image == storage
                && self.first_descriptor(*var).is_some()
                && element.is_some_and(|element| element < elements(types, variable.ty))
        };
        format!("{descriptor}{}", self.quoted(self.shader.vars.ids().filter(holds)))
    }

    fn block_variables(&self, mode: Modes, block: u32) -> String {
        let types = &self.shader.types;
        let is_of_block = |var: &Var| {
            let variable = &self.shader.vars[*var];
            // An array of blocks has no stride; an array within a block has one.
            let is_of_blocks = matches!(types.get(variable.ty), TypeData::Array { stride: 0, .. });
            let count = if is_of_blocks { elements(types, variable.ty) } else { 1 };
            let element = block.checked_sub(variable.driver_location);
            variable.mode == mode && element.is_some_and(|element| element < count)
        };
        self.quoted(self.shader.vars.ids().filter(is_of_block))
    }

    /// The names of variables in parentheses, if they have names.
    fn quoted(&self, vars: impl Iterator<Item = Var>) -> String {
        let names = vars.map(|var| &self.shader.strings[self.shader.vars[var].name]);
        let names: Vec<String> = names.filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
        match &names[..] {
            [] => String::new(),
            names => format!(" ({})", names.join(", ")),
        }
    }
}
