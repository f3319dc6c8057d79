//! What memory and descriptors are called in faults: as the dump names them.

use super::descriptor::Descriptor;
use super::machine::Machine;
use super::memory::Memory;
use crate::analysis::textures::elements;
use crate::ir::{TypeData, Var};
use crate::op::Modes;

impl Machine<'_> {
    /// `storage block 1 (`bins`)`: a block by the index that an access names, and by its variables.
    pub(super) fn memory_name(&self, memory: Memory) -> String {
        match memory {
            Memory::Uniform(block) => format!("uniform block {block}{}", self.block_variables(Modes::UBO, block)),
            Memory::Storage(block) => format!("storage block {block}{}", self.block_variables(Modes::SSBO, block)),
            Memory::Push => "the push constants".to_string(),
            Memory::Shared => "shared memory".to_string(),
            Memory::Private => "the invocation's variables".to_string(),
            Memory::Scratch => "scratch memory".to_string(),
            Memory::Image(image) => format!("the image of {}", self.descriptor_name(image, true)),
            Memory::Global => "global memory".to_string(),
        }
    }

    /// `binding 2 (`shadow`)`: a descriptor by its binding, and by the variable that has it.
    pub(super) fn descriptor_name(&self, descriptor: Descriptor, storage: bool) -> String {
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
            // Blocks in an array follow each other, and have no distance in bytes; an array within a block has one.
            let is_of_blocks = matches!(types.get(variable.ty), TypeData::Array { stride: 0, .. });
            let count = if is_of_blocks { elements(types, variable.ty) } else { 1 };
            let element = block.checked_sub(variable.driver_location);
            variable.mode == mode && element.is_some_and(|element| element < count)
        };
        self.quoted(self.shader.vars.ids().filter(is_of_block))
    }

    /// The names of variables, if they have any, in brackets.
    fn quoted(&self, vars: impl Iterator<Item = Var>) -> String {
        let names = vars.map(|var| &self.shader.strings[self.shader.vars[var].name]);
        let names: Vec<String> = names.filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
        match &names[..] {
            [] => String::new(),
            names => format!(" ({})", names.join(", ")),
        }
    }
}
