// SPDX-License-Identifier: MIT

//! Handlers of the resources of shaders: descriptors, vertex buffers, push constants.

use super::dynamic::Recorder;
use crate::context::access::Use;
use crate::context::bind::{ConstantBuffer, SamplerPointer};
use crate::context::descriptors::{buffer_descriptor, image_descriptor, texel_descriptor, Descriptor};
use crate::context::general::in_general;
use crate::context::{BufferRange, Context, Dirty};
use crate::device::DynamicState;
use crate::error::{Error, Result};
use crate::pipeline::Word;
use crate::program::{DescriptorClass, Layout, SlotBinding};
use crate::resource::{ImageView, SamplerView};
use ash::vk;
use ntv::module::{DescriptorKind, ShaderStage};
use ntv::target::ATTACHMENT_BINDING;
use std::sync::Arc;

pub(in crate::context) fn uniforms(context: &mut Context) -> Result<()> {
    context.bind_graphics(DescriptorClass::Uniforms)
}

pub(in crate::context) fn uniform_buffers(context: &mut Context) -> Result<()> {
    context.bind_graphics(DescriptorClass::UniformBuffers)
}

pub(in crate::context) fn textures(context: &mut Context) -> Result<()> {
    context.bind_graphics(DescriptorClass::Textures)
}

pub(in crate::context) fn storage_buffers(context: &mut Context) -> Result<()> {
    context.bind_graphics(DescriptorClass::StorageBuffers)
}

pub(in crate::context) fn images(context: &mut Context) -> Result<()> {
    context.bind_graphics(DescriptorClass::Images)
}

pub(in crate::context) fn compute_resources(context: &mut Context) -> Result<()> {
    let Some((program, _)) = context.current.compute.clone() else { return Ok(()) };
    context.bind_compute_sets(&program)
}

/// Checks again whether bound resources need barriers.
pub(in crate::context) fn accesses(context: &mut Context) -> Result<()> {
    for class in DescriptorClass::ALL {
        context.bind_graphics(class)?;
    }
    if context.reads_vertices() {
        context.use_vertex_buffers();
    }
    context.flush_barriers();
    Ok(())
}

pub(in crate::context) fn vertex_buffers(context: &mut Context) -> Result<()> {
    if !context.reads_vertices() {
        return Ok(());
    }
    context.use_vertex_buffers();
    context.flush_barriers();
    context.force(Dirty::VertexBindings);
    let bound = &mut context.bound;
    let read = bound.elements.get().as_ref().map_or(0, |elements| elements.0.state.buffers);
    bound.vertex_buffers.synced(read.into());
    bound.strides.synced();
    Ok(())
}

pub(in crate::context) fn vertex_bindings(context: &mut Context) -> Result<()> {
    if !context.reads_vertices() {
        return Ok(());
    }
    let Context { device, bound, batch, counters, .. } = context;
    let Some(elements) = bound.elements.get() else { return Ok(()) };
    let has_strides = !device.dynamic.has(DynamicState::VertexInput);
    for number in bits_of(elements.0.state.buffers) {
        let Some(bound) = bound.vertex_buffers.get(number as usize) else { continue };
        let stride = if has_strides { elements.0.state.stride(number) } else { 0 };
        // Another context may have replaced the storage that `use_vertex_buffers` found.
        let storage = bound.buffer.storage();
        batch.keep_buffer(&storage);
        Recorder::new(device, batch, &mut counters.commands).vertex_buffer(number, *storage.raw, bound.offset, stride);
    }
    Recorder::new(device, batch, &mut counters.commands).bind_vertex_buffers(has_strides);
    Ok(())
}

pub(in crate::context) fn vertex_elements(context: &mut Context) -> Result<()> {
    let reads = context.reads_vertices();
    let Context { device, bound, batch, counters, .. } = context;
    let Some(elements) = bound.elements.get() else { return Ok(()) };
    // A program without attributes has no vertex input, because it does not need any vertex buffers.
    let none = Default::default();
    let (number, input) = if reads { (elements.0.number, &elements.0.state.dynamic) } else { (0, &none) };
    let mut set = Recorder::new(device, batch, &mut counters.commands);
    let is_dynamic = set.vertex_input(number, input);
    bound.elements.synced();
    // The pipelines of a program without attributes have no vertex buffers.
    let is_read = !is_dynamic && context.reads_vertices();
    context.set_word(Word::VertexElements, if is_read { number } else { 0 });
    Ok(())
}

pub(in crate::context) fn push_constants(context: &mut Context) -> Result<()> {
    let Some(program) = context.current.program.clone() else { return Ok(()) };
    let is_indexed = context.current.is_indexed;
    context.push_blocks(&program, is_indexed)
}

pub(in crate::context) fn stream_output(context: &mut Context) -> Result<()> {
    context.take_stream_output()
}

impl Context {
    /// Binds all resources of a compute program.
    pub(in crate::context) fn bind_compute_sets(&mut self, program: &Arc<crate::program::Program>) -> Result<()> {
        self.current.compute_general = in_general(&self.bound, program, None);
        for class in DescriptorClass::ALL {
            self.bind_class(&program.layout, class, vk::PipelineBindPoint::COMPUTE)?;
        }
        if program.push_constants > 0 {
            // All bind points share one set of push constants, so those of draws are lost.
            self.force(Dirty::PushConstants);
        }
        self.push_blocks(program, false)
    }

    fn bind_graphics(&mut self, class: DescriptorClass) -> Result<()> {
        let Some(program) = self.current.program.clone() else { return Ok(()) };
        self.bind_class(&program.layout, class, vk::PipelineBindPoint::GRAPHICS)
    }

    /// Binds the set of `class`, and waits for the resources that it reads.
    fn bind_class(&mut self, layout: &Layout, class: DescriptorClass, point: vk::PipelineBindPoint) -> Result<()> {
        let Some(set) = layout.sets.get(class as usize).filter(|set| !set.slots.is_empty()) else { return Ok(()) };
        let mut contents = std::mem::take(&mut self.scratch.descriptors);
        let mut offsets = std::mem::take(&mut self.scratch.offsets);
        contents.clear();
        offsets.clear();
        let described = set.slots.iter().try_for_each(|slot| {
            let dynamic = set.has_dynamic_offsets && slot.kind == DescriptorKind::UniformBuffer;
            (0..slot.count).try_for_each(|element| {
                let mut descriptor = self.describe(slot, element)?;
                if dynamic {
                    offsets.push(descriptor[1] as u32);
                    descriptor[1] = 0;
                }
                contents.push(descriptor);
                Ok(())
            })
        });
        let bound = described.and_then(|()| {
            self.flush_barriers();
            self.batch.sets.get(set, &contents)
        });
        if let Ok((handle, is_new)) = bound {
            *(if is_new { &mut self.counters.sets_written } else { &mut self.counters.set_hits }) += 1;
            self.bind_set((layout, class as usize), point, handle, &offsets);
            for (stage, used) in set.used.iter().enumerate() {
                let slots = &mut self.bound.stages[stage];
                match class {
                    DescriptorClass::Uniforms | DescriptorClass::UniformBuffers => slots.constants.synced(*used),
                    DescriptorClass::Textures => {
                        slots.views.synced(*used);
                        slots.samplers.synced(*used);
                    }
                    DescriptorClass::StorageBuffers => slots.buffers.synced(*used),
                    DescriptorClass::Images => slots.images.synced(*used),
                }
            }
        }
        (self.scratch.descriptors, self.scratch.offsets) = (contents, offsets);
        bound.map(|_| ())
    }

    fn bind_set(
        &mut self,
        (layout, number): (&Layout, usize),
        point: vk::PipelineBindPoint,
        set: vk::DescriptorSet,
        offsets: &[u32],
    ) {
        let bound = match point {
            vk::PipelineBindPoint::COMPUTE => &mut self.current.compute_sets,
            _ => &mut self.current.sets,
        };
        if bound.layout != layout.id {
            *bound = Default::default();
            bound.layout = layout.id;
        }
        if bound.sets[number] == set && offsets.is_empty() {
            return;
        }
        bound.sets[number] = set;
        let (raw, commands) = (&self.device.raw, self.batch.commands);
        // SAFETY: the buffer is recording; the set was created with this layout's set layout, and there is an offset for each
        // dynamic descriptor.
        unsafe { raw.cmd_bind_descriptor_sets(commands, point, *layout.raw, number as u32, &[set], offsets) };
        self.counters.commands += 1;
    }

    /// The descriptor of an element of `slot`. Uniform buffers have their offset in the second word.
    fn describe(&mut self, slot: &SlotBinding, element: u32) -> Result<Descriptor> {
        use DescriptorKind as Kind;
        let number = (slot.slot + element) as usize;
        let described = match slot.kind {
            Kind::UniformBuffer => self.describe_constants(slot, number)?,
            Kind::StorageBuffer if slot.class == DescriptorClass::StorageBuffers => {
                self.describe_storage(slot.stage, number)?
            }
            // A uniform block that a plan has changed to a storage block.
            Kind::StorageBuffer => self.describe_constants(slot, number)?,
            Kind::CombinedImageSampler | Kind::SampledImage | Kind::UniformTexelBuffer => {
                self.describe_view(slot, number)?
            }
            Kind::Sampler => {
                Some(image_descriptor(Use::Sampled, self.sampler(slot.stage, number)?, vk::ImageView::null()))
            }
            Kind::StorageImage | Kind::StorageTexelBuffer => self.describe_image(slot, number)?,
            Kind::InputAttachment => Some(self.describe_attachment(number as u32 - ATTACHMENT_BINDING)?),
        };
        match described {
            Some(descriptor) => Ok(descriptor),
            None if self.device.features.null_descriptor => Ok(match slot.kind {
                Kind::UniformBuffer | Kind::StorageBuffer => buffer_descriptor(vk::Buffer::null(), 0, vk::WHOLE_SIZE),
                Kind::CombinedImageSampler => {
                    image_descriptor(Use::Sampled, self.sampler(slot.stage, number)?, vk::ImageView::null())
                }
                _ => [0; 3],
            }),
            None => {
                let (stage, kind) = (slot.stage.name(), slot.kind);
                Err(Error::new(format!(
                    "the {stage} shader reads slot {number} ({kind:?}), nothing is bound there, and the device has no \
                     nullDescriptor"
                )))
            }
        }
    }

    /// A constant buffer, as a uniform or a storage buffer.
    fn describe_constants(&mut self, slot: &SlotBinding, number: usize) -> Result<Option<Descriptor>> {
        let limits = &self.device.limits;
        let is_uniform = slot.kind == DescriptorKind::UniformBuffer;
        let (most, alignment) = match is_uniform {
            true => (limits.max_uniform_buffer_range, limits.min_uniform_buffer_offset_alignment),
            false => (limits.max_storage_buffer_range, limits.min_storage_buffer_offset_alignment),
        };
        let stage = slot.stage as usize;
        let (storage, offset, size) = match self.bound.stages[stage].constants.get(number) {
            None => return Ok(None),
            Some(ConstantBuffer::Buffer(BufferRange { buffer, offset, size })) => {
                let storage = buffer.storage();
                let left = storage.size - offset;
                // Loads of vec4s may reach beyond the bound range, so the rest of the buffer is bound, too.
                let wanted = match slot.is_exact {
                    true => *size,
                    false => (*size).max(slot.min_range.into()).next_multiple_of(16),
                };
                let range = wanted.min(left).min(most.into());
                let used = if is_uniform { Use::Uniform } else { Use::Storage };
                let offset = *offset;
                self.use_buffer(&storage, used);
                (storage, offset, range)
            }
            Some(ConstantBuffer::User(bytes)) => {
                let size = (bytes.len() as u64).max(slot.min_range.into()).next_multiple_of(16).max(16);
                if size > most.into() {
                    return Err(Error::new(format!("a constant buffer of {size} bytes exceeds the limit of {most}")));
                }
                let stamp = self.batch.stamp;
                let known = self.bound.stages[stage].uploaded[number].clone();
                let place = match known.filter(|(batch, _)| *batch == stamp) {
                    Some((_, place)) => place,
                    None => {
                        let bytes = bytes.clone();
                        let place = self.upload(&bytes, size, alignment)?;
                        self.counters.uniform_uploads += 1;
                        self.bound.stages[stage].uploaded[number] = Some((stamp, place.clone()));
                        place
                    }
                };
                (place.storage, place.offset, size)
            }
        };
        Ok(Some(buffer_descriptor(*storage.raw, offset, size)))
    }

    fn describe_storage(&mut self, stage: ShaderStage, number: usize) -> Result<Option<Descriptor>> {
        if let Some(own) = self.describe_captured(number)? {
            return Ok(Some(own));
        }
        let Some(range) = self.bound.stages[stage as usize].buffers.get(number).cloned() else { return Ok(None) };
        let storage = range.buffer.storage();
        self.use_buffer(&storage, Use::Storage);
        let size = range.size.min(self.device.limits.max_storage_buffer_range.into());
        Ok(Some(buffer_descriptor(*storage.raw, range.offset, size)))
    }

    fn describe_view(&mut self, slot: &SlotBinding, number: usize) -> Result<Option<Descriptor>> {
        let Some(view) = self.bound.stages[slot.stage as usize].views.get(number).cloned() else { return Ok(None) };
        let is_texels = slot.kind == DescriptorKind::UniformTexelBuffer;
        match (&view, view.key()) {
            (SamplerView::Texture { texture, .. }, Some(key)) if !is_texels => {
                let storage = texture.storage();
                let raw = storage.view(&self.device, &key)?;
                let used = self.use_of_sampled(slot.stage, &storage);
                self.use_image(&storage, used);
                let sampler = match slot.kind {
                    DescriptorKind::CombinedImageSampler => self.sampler(slot.stage, number)?,
                    _ => vk::Sampler::null(),
                };
                Ok(Some(image_descriptor(used, sampler, raw)))
            }
            (SamplerView::Buffer { buffer, format, offset, size }, _) if is_texels => {
                let storage = buffer.storage();
                let raw = storage.texels(&self.device, (*format, *offset, *size))?;
                self.use_buffer(&storage, Use::Sampled);
                Ok(Some(texel_descriptor(raw)))
            }
            _ => Err(self.mismatch(slot, number)),
        }
    }

    fn describe_image(&mut self, slot: &SlotBinding, number: usize) -> Result<Option<Descriptor>> {
        let Some(view) = self.bound.stages[slot.stage as usize].images.get(number).cloned() else { return Ok(None) };
        let is_texels = slot.kind == DescriptorKind::StorageTexelBuffer;
        match (&view, view.key()) {
            (ImageView::Texture { texture, .. }, Some(key)) if !is_texels => {
                let storage = texture.storage();
                let raw = storage.view(&self.device, &key)?;
                self.use_image(&storage, Use::Storage);
                Ok(Some(image_descriptor(Use::Storage, vk::Sampler::null(), raw)))
            }
            (ImageView::Buffer { buffer, format, offset, size }, _) if is_texels => {
                let storage = buffer.storage();
                let raw = storage.texels(&self.device, (*format, *offset, *size))?;
                self.use_buffer(&storage, Use::Storage);
                Ok(Some(texel_descriptor(raw)))
            }
            _ => Err(self.mismatch(slot, number)),
        }
    }

    fn mismatch(&self, slot: &SlotBinding, number: usize) -> Error {
        let (stage, kind) = (slot.stage.name(), slot.kind);
        Error::new(format!("the {stage} shader needs a {kind:?} at slot {number}, but another kind is bound"))
    }

    /// The sampler at a slot; a nearest-texel sampler if none is bound.
    fn sampler(&mut self, stage: ShaderStage, number: usize) -> Result<vk::Sampler> {
        let bound = self.bound.stages[stage as usize].samplers.get(number).cloned();
        let SamplerPointer(sampler) = match bound {
            Some(bound) => bound,
            None => SamplerPointer(self.shared.sampler(&self.device, &Default::default())?),
        };
        self.batch.keep(sampler.number, &sampler);
        Ok(*sampler.raw)
    }

    /// Whether the bound program has attributes.
    fn reads_vertices(&self) -> bool {
        self.current.program.as_ref().is_some_and(|program| program.attributes != 0)
    }

    fn use_vertex_buffers(&mut self) {
        let read = self.bound.elements.get().as_ref().map_or(0, |elements| elements.0.state.buffers);
        for number in bits_of(read) {
            if let Some(bound) = self.bound.vertex_buffers.get(number as usize) {
                let storage = bound.buffer.storage();
                self.use_buffer(&storage, Use::Vertex);
            }
        }
    }

    /// Records the push constants: whether draws have indices, and constant buffers in push constants.
    fn push_blocks(&mut self, program: &Arc<crate::program::Program>, is_indexed: bool) -> Result<()> {
        if program.push_constants == 0 {
            return Ok(());
        }
        let mut bytes = std::mem::take(&mut self.current.push);
        bytes.clear();
        bytes.resize(program.push_constants as usize, 0);
        if program.is_plain {
            let own = self.bound.push_constants.get();
            bytes[..own.len()].copy_from_slice(own);
        } else {
            bytes[..4].copy_from_slice(&u32::from(is_indexed).to_ne_bytes());
        }
        let mut written = Ok(());
        for block in &program.inline_blocks {
            let bound = self.bound.stages[block.stage as usize].constants.get(block.slot as usize);
            let to = bytes.get_mut(block.offset as usize..).unwrap_or_default();
            match bound {
                Some(ConstantBuffer::User(own)) => {
                    let len = own.len().min(to.len()).min(block.bytes as usize);
                    to[..len].copy_from_slice(&own[..len]);
                }
                Some(ConstantBuffer::Buffer(_)) => {
                    let (stage, slot) = (block.stage.name(), block.slot);
                    written = Err(Error::new(format!(
                    "constant buffer {slot} of the {stage} shader is in push constants, so it must be given by value"
                    )));
                }
                None => {}
            }
        }
        if written.is_ok() {
            let range = program.layout.push_constants;
            let (raw, commands) = (&self.device.raw, self.batch.commands);
            // SAFETY: the buffer is recording; the layout has a range with this number of bytes for these stages.
            unsafe { raw.cmd_push_constants(commands, *program.layout.raw, range.stage_flags, 0, &bytes) };
            self.counters.commands += 1;
            for block in &program.inline_blocks {
                self.bound.stages[block.stage as usize].constants.synced(1 << block.slot);
            }
            if program.is_plain {
                self.bound.push_constants.synced();
            }
        }
        self.current.push = bytes;
        written
    }
}

/// The indices of the bits of `mask`, lowest first.
fn bits_of(mask: u32) -> impl Iterator<Item = u32> {
    let rest = |left: &u32| Some(left & left.wrapping_sub(1));
    std::iter::successors(Some(mask), rest).take_while(|left| *left != 0).map(u32::trailing_zeros)
}
