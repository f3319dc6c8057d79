// SPDX-License-Identifier: MIT

//! Descriptor set layouts, pools, sets, and the writes of sets.

use crate::device::{create, destroy, Create};
use crate::dispatch::world;
use crate::encode::Encode;
use crate::object::{Content, Object};
use crate::table::{functions, Function};
use crate::State;
use ash::vk;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkCreateDescriptorSetLayout = create::<vk::DescriptorSetLayout>;
    PFN_vkDestroyDescriptorSetLayout = destroy::<vk::DescriptorSetLayout>;
    PFN_vkGetDescriptorSetLayoutSupport = get_layout_support;
    PFN_vkCreateDescriptorPool = create::<vk::DescriptorPool>;
    PFN_vkDestroyDescriptorPool = destroy::<vk::DescriptorPool>;
    PFN_vkResetDescriptorPool = reset_pool;
    PFN_vkAllocateDescriptorSets = allocate_sets;
    PFN_vkFreeDescriptorSets = free_sets;
    PFN_vkUpdateDescriptorSets = update_sets;
    PFN_vkCreateDescriptorUpdateTemplate = create::<vk::DescriptorUpdateTemplate>;
    PFN_vkDestroyDescriptorUpdateTemplate = destroy::<vk::DescriptorUpdateTemplate>;
    PFN_vkUpdateDescriptorSetWithTemplate = update_set_with_template;
};

/// Numbers of descriptors by type.
type Totals = Vec<(vk::DescriptorType, u32)>;

fn add(totals: &mut Totals, ty: vk::DescriptorType, count: u32) {
    match totals.iter_mut().find(|total| total.0 == ty) {
        Some(total) => total.1 += count,
        None => totals.push((ty, count)),
    }
}

/// A binding of a layout.
pub(crate) struct Binding {
    pub(crate) number: u32,
    pub(crate) ty: vk::DescriptorType,
    pub(crate) count: u32,
}

/// The data of a layout, shared with the sets that were created with it.
pub(crate) struct SetLayout {
    /// Sorted by number.
    pub(crate) bindings: Vec<Binding>,
    /// The number of descriptors of each type.
    totals: Totals,
    /// The hash of its content.
    pub(crate) content: u64,
}

impl SetLayout {
    /// The binding and element that lies `element` elements after the start of `binding`: an update continues in the next
    /// binding.
    pub(crate) fn slot(&self, binding: u32, mut element: u32) -> Option<(u32, u32)> {
        let from = self.bindings.iter().filter(|known| known.number >= binding);
        for known in from {
            if element < known.count {
                return Some((known.number, element));
            }
            element -= known.count;
        }
        None
    }
}

impl Object for vk::DescriptorSetLayout {
    type Data = Arc<SetLayout>;
}

impl Create for vk::DescriptorSetLayout {
    type Info<'a> = vk::DescriptorSetLayoutCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, Arc<SetLayout>), vk::Result> {
        // SAFETY: the caller gives a valid struct.
        let content = state.content("vkCreateDescriptorSetLayout", |encoder| unsafe { info.encode(encoder) });
        // SAFETY: as above.
        let from = unsafe { slice(info.p_bindings, info.binding_count) };
        let binding = |from: &vk::DescriptorSetLayoutBinding<'_>| Binding {
            number: from.binding,
            ty: from.descriptor_type,
            count: from.descriptor_count,
        };
        let mut bindings: Vec<Binding> = from.iter().map(binding).collect();
        bindings.sort_by_key(|binding| binding.number);
        let number = if let Content::Hash(hash) = content { hash } else { 0 };
        let mut totals = Totals::new();
        bindings.iter().for_each(|binding| add(&mut totals, binding.ty, binding.count));
        Ok((content, Arc::new(SetLayout { bindings, totals, content: number })))
    }
}

/// The elements of an array, which may be null if it has none.
///
/// # Safety
/// There are `count` elements.
pub(crate) unsafe fn slice<'a, T>(start: *const T, count: u32) -> &'a [T] {
    match start.is_null() {
        true => &[],
        // SAFETY: the caller guarantees it.
        false => unsafe { std::slice::from_raw_parts(start, count as usize) },
    }
}

unsafe extern "system" fn get_layout_support(
    _: vk::Device,
    _: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    out: *mut vk::DescriptorSetLayoutSupport<'_>,
) {
    // SAFETY: the caller gives a struct to write.
    unsafe { (*out).supported = vk::TRUE };
}

/// The data of a pool.
pub(crate) struct Pool {
    sets: Vec<vk::DescriptorSet>,
    max_sets: u32,
    /// The number of free descriptors of each type.
    left: Totals,
    all: Totals,
}

impl Pool {
    /// Takes the descriptors of a set; returns whether there were enough.
    fn take(&mut self, totals: &Totals) -> bool {
        let left = |ty| self.left.iter().find(|left| left.0 == ty).map_or(0, |left| left.1);
        if self.sets.len() >= self.max_sets as usize || totals.iter().any(|(ty, count)| left(*ty) < *count) {
            return false;
        }
        for (ty, count) in totals {
            let left = self.left.iter_mut().find(|left| left.0 == *ty);
            left.into_iter().for_each(|left| left.1 -= count);
        }
        true
    }
}

impl Object for vk::DescriptorPool {
    type Data = Pool;
}

impl Create for vk::DescriptorPool {
    type Info<'a> = vk::DescriptorPoolCreateInfo<'a>;

    unsafe fn create(_: &mut State, info: &Self::Info<'_>) -> Result<(Content, Pool), vk::Result> {
        let mut all = Totals::new();
        // SAFETY: the caller gives a valid struct.
        for size in unsafe { slice(info.p_pool_sizes, info.pool_size_count) } {
            add(&mut all, size.ty, size.descriptor_count);
        }
        Ok((Content::Order, Pool { sets: Vec::new(), max_sets: info.max_sets, left: all.clone(), all }))
    }

    fn destroyed(state: &mut State, pool: Pool) {
        for set in pool.sets {
            state.destroy(set, "vkDestroyDescriptorPool");
        }
    }
}

/// The object of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Descriptor {
    Buffer(vk::Buffer, u64, u64),
    Image(vk::Sampler, vk::ImageView, vk::ImageLayout),
    Texels(vk::BufferView),
}

/// The data of a set. Without checks, it is empty.
pub(crate) struct Set {
    pool: vk::DescriptorPool,
    /// Its index among the sets of the pool.
    place: usize,
    pub(crate) layout: Arc<SetLayout>,
    pub(crate) contents: BTreeMap<(u32, u32), (vk::DescriptorType, Descriptor)>,
}

impl Object for vk::DescriptorSet {
    type Data = Set;
}

unsafe extern "system" fn reset_pool(
    device: vk::Device,
    pool: vk::DescriptorPool,
    _: vk::DescriptorPoolResetFlags,
) -> vk::Result {
    let call = "vkResetDescriptorPool";
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, call) }.lock();
    let Some(pool) = state.get(pool, call) else { return vk::Result::SUCCESS };
    pool.left.clone_from(&pool.all);
    for set in std::mem::take(&mut pool.sets) {
        state.destroy(set, call);
    }
    vk::Result::SUCCESS
}

impl State {
    fn allocate_set(
        &mut self,
        pool: vk::DescriptorPool,
        layout: vk::DescriptorSetLayout,
    ) -> Result<vk::DescriptorSet, vk::Result> {
        let call = "vkAllocateDescriptorSets";
        let wrong = vk::Result::ERROR_OUT_OF_POOL_MEMORY;
        let layout = Arc::clone(self.get(layout, call).ok_or(wrong)?);
        let room = self.get(pool, call).ok_or(wrong)?;
        if !room.take(&layout.totals) {
            return Err(wrong);
        }
        let place = room.sets.len();
        let set = self.objects.add(Content::Order, Set { pool, place, layout, contents: BTreeMap::new() });
        self.get(pool, call).ok_or(wrong)?.sets.push(set);
        Ok(set)
    }

    fn free_set(&mut self, set: vk::DescriptorSet) {
        let call = "vkFreeDescriptorSets";
        let Some(set_data) = self.destroy(set, call) else { return };
        let Some(pool) = self.get(set_data.pool, call) else { return };
        for (ty, count) in &set_data.layout.totals {
            add(&mut pool.left, *ty, *count);
        }
        pool.sets.swap_remove(set_data.place);
        if let Some(moved) = pool.sets.get(set_data.place).copied() {
            if let Some(moved) = self.get(moved, call) {
                moved.place = set_data.place;
            }
        }
    }
}

unsafe extern "system" fn allocate_sets(
    device: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    out: *mut vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the caller gives a device, a valid struct, and room for the number of sets in the struct.
    let (mut state, layouts, pool, out) = unsafe {
        let (world, info) = (world(device, "vkAllocateDescriptorSets"), &*info);
        let count = info.descriptor_set_count;
        let out = std::slice::from_raw_parts_mut(out, count as usize);
        (world.lock(), slice(info.p_set_layouts, count), info.descriptor_pool, out)
    };
    out.fill(vk::DescriptorSet::null());
    for (i, layout) in layouts.iter().enumerate() {
        match state.allocate_set(pool, *layout) {
            Ok(set) => out[i] = set,
            Err(result) => {
                out[..i].iter().for_each(|set| state.free_set(*set));
                out.fill(vk::DescriptorSet::null());
                return result;
            }
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn free_sets(
    device: vk::Device,
    _: vk::DescriptorPool,
    count: u32,
    sets: *const vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: the caller gives a device and an array.
    let (mut state, sets) = unsafe { (world(device, "vkFreeDescriptorSets").lock(), slice(sets, count)) };
    sets.iter().for_each(|set| state.free_set(*set));
    vk::Result::SUCCESS
}

/// The descriptors that a write sets, from a position on.
pub(crate) struct Write {
    pub(crate) binding: u32,
    pub(crate) element: u32,
    pub(crate) ty: vk::DescriptorType,
    pub(crate) descriptors: Vec<Descriptor>,
}

impl Write {
    /// Reads `count` descriptors of type `ty`, each `stride` bytes after the previous one.
    ///
    /// # Safety
    /// At `data` there are as many structs of the kind that the type needs.
    unsafe fn read(
        (binding, element): (u32, u32),
        ty: vk::DescriptorType,
        (data, count, stride): (*const c_void, u32, usize),
    ) -> Write {
        use vk::DescriptorType as Ty;
        let one = |i: u32| {
            // SAFETY: the caller guarantees it.
            unsafe {
                let data = data.byte_add(i as usize * stride);
                match ty {
                    Ty::UNIFORM_BUFFER
                    | Ty::STORAGE_BUFFER
                    | Ty::UNIFORM_BUFFER_DYNAMIC
                    | Ty::STORAGE_BUFFER_DYNAMIC => {
                        let info = data.cast::<vk::DescriptorBufferInfo>().read_unaligned();
                        Descriptor::Buffer(info.buffer, info.offset, info.range)
                    }
                    Ty::UNIFORM_TEXEL_BUFFER | Ty::STORAGE_TEXEL_BUFFER => {
                        Descriptor::Texels(data.cast::<vk::BufferView>().read_unaligned())
                    }
                    _ => {
                        let info = data.cast::<vk::DescriptorImageInfo>().read_unaligned();
                        Descriptor::Image(info.sampler, info.image_view, info.image_layout)
                    }
                }
            }
        };
        Write { binding, element, ty, descriptors: (0..count).map(one).collect() }
    }

    /// Reads a `VkWriteDescriptorSet`.
    ///
    /// # Safety
    /// `write` is valid.
    pub(crate) unsafe fn of(write: &vk::WriteDescriptorSet<'_>) -> Write {
        use vk::DescriptorType as Ty;
        let (data, stride): (*const c_void, usize) = match write.descriptor_type {
            Ty::UNIFORM_BUFFER | Ty::STORAGE_BUFFER | Ty::UNIFORM_BUFFER_DYNAMIC | Ty::STORAGE_BUFFER_DYNAMIC => {
                (write.p_buffer_info.cast(), size_of::<vk::DescriptorBufferInfo>())
            }
            Ty::UNIFORM_TEXEL_BUFFER | Ty::STORAGE_TEXEL_BUFFER => {
                (write.p_texel_buffer_view.cast(), size_of::<vk::BufferView>())
            }
            _ => (write.p_image_info.cast(), size_of::<vk::DescriptorImageInfo>()),
        };
        let place = (write.dst_binding, write.dst_array_element);
        // SAFETY: the caller guarantees it: the array for the type has as many elements as the struct gives.
        unsafe { Write::read(place, write.descriptor_type, (data, write.descriptor_count, stride)) }
    }
}

/// The data of a template.
pub(crate) struct Template {
    entries: Vec<vk::DescriptorUpdateTemplateEntry>,
    pub(crate) bind_point: vk::PipelineBindPoint,
}

impl Template {
    /// The writes that it produces from `data`.
    ///
    /// # Safety
    /// `data` has everything that the template reads.
    pub(crate) unsafe fn writes(&self, data: *const c_void) -> Vec<Write> {
        let write = |entry: &vk::DescriptorUpdateTemplateEntry| {
            let place = (entry.dst_binding, entry.dst_array_element);
            // SAFETY: the caller guarantees it.
            unsafe {
                let from = (data.byte_add(entry.offset), entry.descriptor_count, entry.stride);
                Write::read(place, entry.descriptor_type, from)
            }
        };
        self.entries.iter().map(write).collect()
    }
}

impl Object for vk::DescriptorUpdateTemplate {
    type Data = Arc<Template>;
}

impl Create for vk::DescriptorUpdateTemplate {
    type Info<'a> = vk::DescriptorUpdateTemplateCreateInfo<'a>;

    unsafe fn create(_: &mut State, info: &Self::Info<'_>) -> Result<(Content, Arc<Template>), vk::Result> {
        let from = info.p_descriptor_update_entries;
        // SAFETY: the caller gives a valid struct.
        let entries = unsafe { slice(from, info.descriptor_update_entry_count) }.to_vec();
        Ok((Content::Order, Arc::new(Template { entries, bind_point: info.pipeline_bind_point })))
    }
}

impl State {
    fn write_set(&mut self, call: &str, set: vk::DescriptorSet, write: &Write) {
        let Some(set) = self.get(set, call) else { return };
        let mut outside = false;
        for (i, descriptor) in write.descriptors.iter().enumerate() {
            match set.layout.slot(write.binding, write.element + i as u32) {
                Some(slot) => drop(set.contents.insert(slot, (write.ty, *descriptor))),
                None => outside = true,
            }
        }
        if outside {
            self.report(format!("{call}: binding {} of the set has no such element", write.binding));
        }
        write.descriptors.iter().for_each(|descriptor| self.check_descriptor(call, *descriptor));
    }

    fn check_descriptor(&mut self, call: &str, descriptor: Descriptor) {
        fn check<T: Object>(state: &mut State, call: &str, handle: T) {
            // A null descriptor belongs to robustness2; null samplers are allowed because nothing reads them.
            if handle.as_raw() != 0 {
                state.get(handle, call);
            }
        }
        match descriptor {
            Descriptor::Buffer(buffer, ..) => check(self, call, buffer),
            Descriptor::Texels(view) => check(self, call, view),
            Descriptor::Image(_, view, _) => check(self, call, view),
        }
    }

    fn copy_set(&mut self, copy: &vk::CopyDescriptorSet<'_>) {
        let call = "vkUpdateDescriptorSets";
        for i in 0..copy.descriptor_count {
            let Some(from) = self.get(copy.src_set, call) else { return };
            let slot = from.layout.slot(copy.src_binding, copy.src_array_element + i);
            let value = slot.and_then(|slot| from.contents.get(&slot).copied());
            let Some(to) = self.get(copy.dst_set, call) else { return };
            if let (Some(slot), Some(value)) = (to.layout.slot(copy.dst_binding, copy.dst_array_element + i), value) {
                to.contents.insert(slot, value);
            }
        }
    }
}

unsafe extern "system" fn update_sets(
    device: vk::Device,
    write_count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
    copy_count: u32,
    copies: *const vk::CopyDescriptorSet<'_>,
) {
    let call = "vkUpdateDescriptorSets";
    // SAFETY: the caller gives a device and arrays.
    let (world, writes, copies) =
        unsafe { (world(device, call), slice(writes, write_count), slice(copies, copy_count)) };
    if !world.options.checks {
        return;
    }
    let mut state = world.lock();
    for write in writes {
        // SAFETY: the caller gives valid structs.
        let data = unsafe { Write::of(write) };
        state.write_set(call, write.dst_set, &data);
    }
    copies.iter().for_each(|copy| state.copy_set(copy));
}

unsafe extern "system" fn update_set_with_template(
    device: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) {
    let call = "vkUpdateDescriptorSetWithTemplate";
    // SAFETY: the caller gives a device.
    let world = unsafe { world(device, call) };
    if !world.options.checks {
        return;
    }
    let mut state = world.lock();
    let Some(template) = state.get(template, call).map(|template| Arc::clone(template)) else { return };
    // SAFETY: the caller gives the data that the template reads.
    for write in unsafe { template.writes(data) } {
        state.write_set(call, set, &write);
    }
}
