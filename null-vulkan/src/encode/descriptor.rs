// SPDX-License-Identifier: MIT

//! Descriptor sets, by their layouts and contents.

use super::{Encode, Encoder, Optional};
use crate::descriptor::{slice, Descriptor, Set, SetLayout, Write};
use crate::object::hash;
use ash::vk;
use ash::vk::Handle;
use std::ffi::c_void;
use std::sync::Arc;

/// The prefix of debug names of buffers that the log names by content. If such a buffer is bound by a descriptor, or as a vertex
/// buffer with a given size, the log has the bytes at the time of the bind instead of the name and the offset. It is meant for
/// buffers in which data has a different offset for each draw.
pub const BY_CONTENT: char = '~';

impl Encode for vk::DescriptorSetLayoutBinding<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            self.binding.encode(encoder);
            self.descriptor_type.encode(encoder);
            self.descriptor_count.encode(encoder);
            self.stage_flags.encode(encoder);
            use vk::DescriptorType as Ty;
            let samplers = [Ty::SAMPLER, Ty::COMBINED_IMAGE_SAMPLER].contains(&self.descriptor_type);
            if samplers && !self.p_immutable_samplers.is_null() {
                slice(self.p_immutable_samplers, self.descriptor_count).encode(encoder);
            }
        }
    }
}

fn is_dynamic(ty: vk::DescriptorType) -> bool {
    [vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, vk::DescriptorType::STORAGE_BUFFER_DYNAMIC].contains(&ty)
}

/// Writes a descriptor of a type, with its dynamic offset.
fn descriptor(encoder: &mut Encoder<'_>, ty: vk::DescriptorType, value: Descriptor, dynamic: Option<u32>) {
    encoder.word(ty.as_raw() as u64);
    match value {
        Descriptor::Buffer(buffer, offset, range) => {
            if let Some(bytes) = by_content(encoder, buffer, offset + u64::from(dynamic.unwrap_or(0)), range) {
                return encoder.word(bytes);
            }
            encoder.handle(buffer);
            let size = encoder.state.objects.get(buffer).map_or(0, |buffer| buffer.size);
            let range = if range == vk::WHOLE_SIZE { size.saturating_sub(offset) } else { range };
            encoder.words.extend([offset, range]);
            encoder.words.extend(dynamic.map(u64::from));
        }
        Descriptor::Texels(view) => encoder.handle(view),
        Descriptor::Image(sampler, view, layout) => {
            use vk::DescriptorType as Ty;
            if [Ty::SAMPLER, Ty::COMBINED_IMAGE_SAMPLER].contains(&ty) {
                encoder.handle(sampler);
            }
            if ty != Ty::SAMPLER {
                encoder.handle(view);
                encoder.word(layout.as_raw() as u64);
            }
        }
    }
}

/// A number for the bytes of a part of a buffer, if the log names the buffer by content.
fn by_content(encoder: &mut Encoder<'_>, buffer: vk::Buffer, offset: u64, range: u64) -> Option<u64> {
    let name = encoder.state.objects.name(vk::Buffer::TYPE, buffer.as_raw())?;
    if !name.starts_with(BY_CONTENT) {
        return None;
    }
    let known = encoder.state.objects.get(buffer).ok()?;
    let left = known.size.checked_sub(offset)?;
    let range = if range == vk::WHOLE_SIZE { left } else { range.min(left) };
    let place = known.place.as_ref()?;
    let at = place.bytes.at(place.offset + offset, range)?;
    // SAFETY: the memory has these bytes, which the host has written.
    let bytes = unsafe { std::slice::from_raw_parts(at, range as usize) };
    let bytes = hash(bytes.iter().copied().map(u64::from));
    encoder.content(buffer);
    Some(bytes)
}

/// `vkCmdBindDescriptorSets` after the layout: the first set, the number of sets, and for each one number for its contents, which
/// include the
/// dynamic offsets.
pub(crate) struct BoundSets<'a> {
    pub(crate) sets: &'a [vk::DescriptorSet],
    pub(crate) offsets: &'a [u32],
}

impl Encode for BoundSets<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        let mut offsets = self.offsets.iter().copied();
        for set in self.sets {
            let word = bound_set(encoder, *set, &mut offsets);
            encoder.word(word);
        }
        if offsets.next().is_some() {
            encoder.state.report(format!("{}: more dynamic offsets than dynamic descriptors", encoder.call));
        }
    }
}

fn bound_set(encoder: &mut Encoder<'_>, set: vk::DescriptorSet, offsets: &mut impl Iterator<Item = u32>) -> u64 {
    if set == vk::DescriptorSet::null() {
        return 0;
    }
    let name = encoder.content(set);
    let Ok(Set { layout, contents, .. }) = encoder.state.objects.get(set) else { return name };
    let (layout, contents) = (Arc::clone(layout), contents.clone());
    let outer = std::mem::take(&mut encoder.words);
    encoder.word(layout.content);
    for binding in &layout.bindings {
        for element in 0..binding.count {
            let dynamic = is_dynamic(binding.ty).then(|| offsets.next().unwrap_or_default());
            if let Some((ty, value)) = contents.get(&(binding.number, element)) {
                encoder.words.extend([binding.number, element].map(u64::from));
                descriptor(encoder, *ty, *value, dynamic);
            }
        }
    }
    hash(std::mem::replace(&mut encoder.words, outer))
}

/// Pushed descriptors: their number, and for each its binding, element, type and object, as one number.
pub(crate) struct Pushed<'a> {
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) set: u32,
    pub(crate) writes: &'a [Write],
}

impl Encode for Pushed<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        let layout = encoder.state.objects.get(self.layout).ok();
        let layout: Option<Arc<SetLayout>> =
            layout.and_then(|layout| layout.layouts.get(self.set as usize).cloned().flatten());
        encoder.word(self.writes.iter().map(|write| write.descriptors.len() as u64).sum());
        for write in self.writes {
            for (i, value) in write.descriptors.iter().enumerate() {
                let element = write.element + i as u32;
                let slot = layout.as_ref().map_or(Some((write.binding, element)), |l| l.slot(write.binding, element));
                let (binding, element) = slot.unwrap_or((u32::MAX, u32::MAX));
                let outer = std::mem::take(&mut encoder.words);
                descriptor(encoder, write.ty, *value, None);
                let words = std::mem::replace(&mut encoder.words, outer);
                encoder.words.extend([u64::from(binding), u64::from(element), hash(words)]);
            }
        }
    }
}

/// Descriptors that are pushed by a template, after the arguments of `vkCmdPushDescriptorSetKHR`.
pub(crate) struct PushedByTemplate {
    pub(crate) template: vk::DescriptorUpdateTemplate,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) set: u32,
    pub(crate) data: *const c_void,
}

impl Encode for PushedByTemplate {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        let call = encoder.call;
        let Some(template) = encoder.state.get(self.template, call).map(|template| Arc::clone(template)) else {
            return;
        };
        // SAFETY: the caller guarantees it.
        unsafe {
            template.bind_point.encode(encoder);
            self.layout.encode(encoder);
            self.set.encode(encoder);
            Pushed { layout: self.layout, set: self.set, writes: &template.writes(self.data) }.encode(encoder);
        }
    }
}

/// Vertex buffers: for each the buffer, the offset, and the size or `VK_WHOLE_SIZE`; then whether there are strides, and the
/// strides.
pub(crate) struct VertexBuffers {
    pub(crate) buffers: *const vk::Buffer,
    pub(crate) offsets: *const vk::DeviceSize,
    pub(crate) sizes: *const vk::DeviceSize,
    pub(crate) strides: *const vk::DeviceSize,
    pub(crate) count: u32,
}

impl Encode for VertexBuffers {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        let (buffers, offsets, sizes) = unsafe {
            (slice(self.buffers, self.count), slice(self.offsets, self.count), slice(self.sizes, self.count))
        };
        for (i, (buffer, offset)) in buffers.iter().zip(offsets).enumerate() {
            let size = sizes.get(i).copied();
            let bytes = size.and_then(|size| by_content(encoder, *buffer, *offset, size));
            match bytes {
                Some(bytes) => encoder.words.extend([bytes, 0]),
                None => {
                    encoder.handle(*buffer);
                    encoder.word(*offset);
                }
            }
            encoder.word(size.unwrap_or(vk::WHOLE_SIZE));
        }
        // SAFETY: the caller guarantees it.
        unsafe { Optional(self.strides, self.count).encode(encoder) };
    }
}
