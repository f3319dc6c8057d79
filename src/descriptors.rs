// SPDX-License-Identifier: MIT

//! The sets and bindings where a driver expects the descriptors of a shader.
//!
//! ```
//! use ntv::target::{Descriptor, DescriptorLayout};
//! use ntv::Target;
//!
//! let mut target = Target::default();
//! assert_eq!(target.descriptor_set(Descriptor::Texture), 2);
//! target.descriptors.set(Descriptor::Texture, (2, 128));   // Unit 3 has set 2, binding 131.
//! ```

/// Kinds of descriptors that a driver puts into sets of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Uniform block 0, GL's loose uniforms, and the attachments that a shader reads.
    DefaultUniforms,
    /// Other uniform blocks.
    UniformBuffer,
    /// Textures with samplers.
    Texture,
    /// Storage blocks.
    StorageBuffer,
    /// Storage images.
    Image,
    /// All bindless descriptors; see [`bindless_binding`](crate::target::bindless_binding).
    Bindless,
}

impl Descriptor {
    /// All of them, in order.
    pub const ALL: [Descriptor; 6] = [
        Descriptor::DefaultUniforms,
        Descriptor::UniformBuffer,
        Descriptor::Texture,
        Descriptor::StorageBuffer,
        Descriptor::Image,
        Descriptor::Bindless,
    ];
}

/// A set, and a binding in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DescriptorSlot {
    /// SPIR-V's DescriptorSet.
    pub set: u32,
    /// SPIR-V's Binding.
    pub binding: u32,
}

/// Blocks that are the elements of one array of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockArray {
    /// The block, by NIR's number, that is element 0.
    pub first: u32,
    /// The number of elements.
    pub count: u32,
}

impl BlockArray {
    /// Whether it has this block.
    pub(crate) fn has(self, block: u32) -> bool {
        block >= self.first && block - self.first < self.count
    }
}

/// The sets and bindings of the descriptors of a shader. The default is zink's without compact descriptors, and with a binding for
/// each block, unit and image, from 0 on.
///
/// The variables of a shader that already has sets, as those of zink's own level, keep them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescriptorLayout {
    slots: [DescriptorSlot; Descriptor::ALL.len()],
    /// The uniform blocks, without the default one, that are one array, at the binding of [`Descriptor::UniformBuffer`]. `None`:
    /// each block has a binding, unless a dynamic index selects blocks.
    pub uniform_blocks: Option<BlockArray>,
    /// The storage blocks that are one array, at the binding of [`Descriptor::StorageBuffer`]. `None`: as for uniform blocks.
    pub storage_blocks: Option<BlockArray>,
}

impl DescriptorLayout {
    /// The slot of the first descriptor of a kind: block, unit or image 0, or the array of blocks.
    pub fn slot(&self, descriptor: Descriptor) -> DescriptorSlot {
        self.slots[descriptor as usize]
    }

    /// The slot of the descriptor with this number in NIR, which is the binding in the default layout.
    pub(crate) fn slot_of(&self, descriptor: Descriptor, number: u32) -> DescriptorSlot {
        let DescriptorSlot { set, binding } = self.slot(descriptor);
        DescriptorSlot { set, binding: binding.saturating_add(number) }
    }

    /// The slot of a block with this number, or of the array that it is in.
    pub(crate) fn slot_of_block(&self, descriptor: Descriptor, number: u32) -> DescriptorSlot {
        let array = match descriptor {
            Descriptor::UniformBuffer => self.uniform_blocks,
            Descriptor::StorageBuffer => self.storage_blocks,
            _ => None,
        };
        self.slot_of(descriptor, if array.is_some() { 0 } else { number })
    }

    /// Sets the slot of the first descriptor of a kind: set and binding.
    pub fn set(&mut self, descriptor: Descriptor, (set, binding): (u32, u32)) {
        self.slots[descriptor as usize] = DescriptorSlot { set, binding };
    }
}

impl Default for DescriptorLayout {
    fn default() -> DescriptorLayout {
        DescriptorLayout {
            slots: std::array::from_fn(|set| DescriptorSlot { set: set as u32, binding: 0 }),
            uniform_blocks: None,
            storage_blocks: None,
        }
    }
}
