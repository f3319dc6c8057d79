// SPDX-License-Identifier: MIT

//! Descriptor sets, by their contents.
//!
//! The descriptors of a class are first written into host memory. A set with equal contents is bound again; otherwise the
//! layout's template writes a new one. Sets belong to a batch, and their pools are reused when the device is done with it.

use super::access::Use;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Result};
use crate::program::{SetLayout, CLASSES};
use ash::vk;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A descriptor in the form of update templates: a `VkDescriptorBufferInfo`, a `VkDescriptorImageInfo`, or a padded
/// `VkBufferView`.
pub(super) type Descriptor = [u64; 3];

/// The number of sets of a pool.
const POOL_SETS: u32 = 256;

/// The number of descriptors of each type, for each set of a pool.
const DESCRIPTORS_PER_SET: u32 = 8;

/// The bound sets.
#[derive(Clone, Copy, Default)]
pub(super) struct BoundSets {
    /// The layout that the sets were bound with; 0 for none.
    pub(super) layout: u64,
    pub(super) sets: [vk::DescriptorSet; CLASSES],
}

/// The sets of a batch.
pub(crate) struct Sets {
    device: Arc<Logical>,
    pools: Vec<Owned<vk::DescriptorPool>>,
    /// The index of the pool that sets are allocated from.
    current: usize,
    known: FxHashMap<u64, Vec<KnownSet>>,
}

struct KnownSet {
    layout: u32,
    contents: Box<[Descriptor]>,
    set: vk::DescriptorSet,
}

impl Sets {
    pub(super) fn new(device: &Arc<Logical>) -> Sets {
        Sets { device: Arc::clone(device), pools: Vec::new(), current: 0, known: FxHashMap::default() }
    }

    /// Forgets the contents of the sets: the next ones are new.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// Forgets all sets; the device is done with them.
    pub(super) fn reset(&mut self) -> Result<()> {
        self.known.clear();
        self.current = 0;
        for pool in &self.pools {
            let none = vk::DescriptorPoolResetFlags::empty();
            // SAFETY: the device is done with the sets of the pool.
            unsafe { self.device.raw.reset_descriptor_pool(**pool, none) }.during("vkResetDescriptorPool")?;
        }
        Ok(())
    }

    /// The set of `layout` with these contents, and whether this call has written it.
    pub(super) fn get(&mut self, layout: &SetLayout, contents: &[Descriptor]) -> Result<(vk::DescriptorSet, bool)> {
        let mut hasher = FxHasher::default();
        (layout.id, contents).hash(&mut hasher);
        let hash = hasher.finish();
        let same = |known: &&KnownSet| known.layout == layout.id && *known.contents == *contents;
        if let Some(known) = self.known.get(&hash).and_then(|list| list.iter().find(same)) {
            return Ok((known.set, false));
        }
        let set = self.allocate(layout)?;
        if let Some(template) = &layout.template {
            // SAFETY: the set is new; the contents have a descriptor of the right type for each entry of the template, of objects
            // that the batch keeps.
            unsafe {
                let data = contents.as_ptr().cast();
                self.device.raw.update_descriptor_set_with_template(set, **template, data);
            }
        }
        self.known.entry(hash).or_default().push(KnownSet { layout: layout.id, contents: contents.into(), set });
        Ok((set, true))
    }

    fn allocate(&mut self, layout: &SetLayout) -> Result<vk::DescriptorSet> {
        loop {
            let is_new = self.current == self.pools.len();
            if is_new {
                self.pools.push(pool(&self.device, layout)?);
            }
            let layouts = [*layout.raw];
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(*self.pools[self.current])
                .set_layouts(&layouts);
            // SAFETY: the pool and the layout are of this device.
            match unsafe { self.device.raw.allocate_descriptor_sets(&info) } {
                Ok(sets) => return Ok(sets[0]),
                Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL) if !is_new => {
                    self.current += 1;
                }
                Err(error) => return Err(error).during("vkAllocateDescriptorSets"),
            }
        }
    }
}

/// A pool with room for many sets, and for at least one of `layout`.
fn pool(device: &Arc<Logical>, layout: &SetLayout) -> Result<Owned<vk::DescriptorPool>> {
    use vk::DescriptorType as Type;
    const TYPES: [Type; 10] = [
        Type::UNIFORM_BUFFER,
        Type::UNIFORM_BUFFER_DYNAMIC,
        Type::STORAGE_BUFFER,
        Type::COMBINED_IMAGE_SAMPLER,
        Type::SAMPLED_IMAGE,
        Type::SAMPLER,
        Type::UNIFORM_TEXEL_BUFFER,
        Type::STORAGE_IMAGE,
        Type::STORAGE_TEXEL_BUFFER,
        Type::INPUT_ATTACHMENT,
    ];
    let sizes = TYPES.map(|ty| {
        let of_type = layout.slots.iter().filter(|slot| layout.descriptor_type(slot.kind) == ty);
        let needed: u32 = of_type.map(|slot| slot.count).sum();
        vk::DescriptorPoolSize { ty, descriptor_count: needed.max(POOL_SETS * DESCRIPTORS_PER_SET) }
    });
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(POOL_SETS).pool_sizes(&sizes);
    // SAFETY: no size is 0.
    let pool = unsafe { device.raw.create_descriptor_pool(&info, None) }.during("vkCreateDescriptorPool")?;
    Ok(Owned::new(device, pool))
}

/// The descriptor of a part of a buffer.
pub(super) fn buffer_descriptor(buffer: vk::Buffer, offset: u64, range: u64) -> Descriptor {
    [vk::Handle::as_raw(buffer), offset, range]
}

/// The descriptor of a view of an image that is used as `used`, of a sampler, or of both.
pub(super) fn image_descriptor(used: Use, sampler: vk::Sampler, view: vk::ImageView) -> Descriptor {
    let info = vk::DescriptorImageInfo { sampler, image_view: view, image_layout: used.layout() };
    let mut words = [vk::Handle::as_raw(info.sampler), vk::Handle::as_raw(info.image_view), 0];
    // The layout is the first 32 bits after the two handles, and padding follows.
    let layout = (info.image_layout.as_raw() as u32).to_ne_bytes();
    words[2] = u64::from_ne_bytes([layout[0], layout[1], layout[2], layout[3], 0, 0, 0, 0]);
    words
}

/// The descriptor of a view of a buffer as texels.
pub(super) fn texel_descriptor(view: vk::BufferView) -> Descriptor {
    [vk::Handle::as_raw(view), 0, 0]
}

const _: () = {
    assert!(size_of::<Descriptor>() == crate::program::DESCRIPTOR_BYTES);
    assert!(size_of::<vk::DescriptorBufferInfo>() == size_of::<Descriptor>());
    assert!(size_of::<vk::DescriptorImageInfo>() == size_of::<Descriptor>());
    assert!(std::mem::offset_of!(vk::DescriptorImageInfo, image_view) == 8);
    assert!(std::mem::offset_of!(vk::DescriptorImageInfo, image_layout) == 16);
};
