// SPDX-License-Identifier: MIT

//! Binds the resources of shaders to a context, and reads them back.

use super::resource::{Image, Part, Resource, Resources, Slot};
use super::{Error, Result};
use crate::context::{BufferRange, ConstantBuffer, Context, Download, Region, VertexBuffer};
use crate::program::Shader;
use crate::resource::{Bind, Buffer, ImageView, Sampler, SamplerView, Texture, TextureDescription, TextureTarget};
use ash::vk;
use ntv::module::{DescriptorKind as Kind, ShaderStage};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The buffers that were created for parts so far, by the bytes of the parts.
#[derive(Default)]
pub(super) struct SharedBuffers {
    list: Vec<(Rc<[u8]>, Arc<Buffer>)>,
}

impl SharedBuffers {
    /// The buffer that holds `bytes`; creates it if there is none yet.
    pub(super) fn buffer(&mut self, context: &mut Context, bytes: &Rc<[u8]>) -> Result<Arc<Buffer>> {
        if let Some((_, buffer)) = self.list.iter().find(|(known, _)| Rc::ptr_eq(known, bytes)) {
            return Ok(Arc::clone(buffer));
        }
        let buffer = context.create_buffer_with(bytes)?;
        self.list.push((Rc::clone(bytes), Arc::clone(&buffer)));
        Ok(buffer)
    }

    /// A part of the buffer that holds its bytes.
    pub(super) fn part(&mut self, context: &mut Context, part: &Part) -> Result<BufferRange> {
        let buffer = self.buffer(context, &part.bytes)?;
        Ok(BufferRange { buffer, offset: part.offset as u64, size: part.len as u64 })
    }

    /// The vertex buffer with `bytes`: a range of the buffer that holds them, or a new buffer.
    pub(super) fn input(&self, context: &mut Context, bytes: &[u8]) -> Result<VertexBuffer> {
        let range = bytes.as_ptr_range();
        let within = |all: &[u8]| all.as_ptr_range().start <= range.start && range.end <= all.as_ptr_range().end;
        match self.list.iter().find(|(known, _)| !bytes.is_empty() && within(known)) {
            Some((known, buffer)) => {
                let offset = range.start as usize - known.as_ptr() as usize;
                Ok(VertexBuffer { buffer: Arc::clone(buffer), offset: offset as u64 })
            }
            None => Ok(VertexBuffer { buffer: context.create_buffer_with(bytes)?, offset: 0 }),
        }
    }
}

/// The object of a descriptor.
enum Object {
    Buffer(BufferRange),
    View(SamplerView, Option<Arc<Sampler>>),
    Image(ImageView),
    Sampler(Arc<Sampler>),
}

/// The shaders of a pipeline with all of their resources.
pub(super) struct Stages<'a> {
    shaders: Vec<Arc<Shader>>,
    objects: BTreeMap<Slot, (Kind, Object)>,
    /// The buffers that are found by address.
    pointees: BTreeMap<Slot, Arc<Buffer>>,
    push_constants: &'a [u8],
}

impl<'a> Stages<'a> {
    /// Takes the `resources` that `modules` use, or none if there are none. Parts use the buffers of `shared`, which gets the
    /// missing ones.
    pub(super) fn new(
        context: &mut Context,
        modules: &[&[u32]],
        (resources, push_constants): (Option<&Resources>, &'a [u8]),
        shared: &mut SharedBuffers,
    ) -> Result<Stages<'a>> {
        let shaders = modules.iter().map(|words| context.create_shader_of_words(words));
        let shaders: Vec<Arc<Shader>> = shaders.collect::<Result<_>>()?;
        if push_constants.is_empty() && shaders.iter().any(|shader| shader.reads_push_constants()) {
            return Err(Error::new("the shader reads push constants, and none are given"));
        }
        let pointees = resources.map_or(Ok(BTreeMap::new()), |resources| pointees(context, resources))?;
        let mut objects = BTreeMap::new();
        for ((slot, kind, _), resources) in shaders.iter().flat_map(places).filter_map(|it| Some((it, resources?))) {
            let place = format!("set {}, binding {}, element {}", slot.set, slot.binding, slot.element);
            match objects.get(&slot) {
                Some((known, _)) if *known == kind => continue,
                Some(_) => return Err(Error::new(format!("the stages disagree on {place}"))),
                None => {}
            }
            let resource =
                resources.get(&slot).ok_or_else(|| Error::new(format!("no resource is given for {place}")))?;
            let made = object(context, kind, resource, shared, &pointees);
            let made = made.map_err(|error| Error::of_kind(error.kind, format!("{place}: {error}")))?;
            objects.insert(slot, (kind, made));
        }
        Ok(Stages { shaders, objects, pointees, push_constants })
    }

    /// Whether the only stage is compute.
    pub(super) fn is_compute(&self) -> bool {
        matches!(&self.shaders[..], [shader] if shader.stage() == ShaderStage::Compute)
    }

    /// Whether a mesh shader makes the primitives.
    pub(super) fn has_meshes(&self) -> bool {
        self.shaders.iter().any(|shader| shader.stage() == ShaderStage::Mesh)
    }

    /// Binds the shaders and all of their resources.
    pub(super) fn bind(&self, context: &mut Context) -> Result<()> {
        for stage in ShaderStage::ALL.into_iter().filter(|stage| (*stage == ShaderStage::Compute) == self.is_compute())
        {
            context.bind_shader(stage, self.shaders.iter().find(|shader| shader.stage() == stage))?;
        }
        context.set_push_constants(self.push_constants)?;
        for shader in &self.shaders {
            let stage = shader.stage();
            for (slot, kind, number) in places(shader) {
                match self.objects.get(&slot).map(|(_, object)| object) {
                    Some(Object::Buffer(range)) if kind == Kind::UniformBuffer => {
                        context.set_constant_buffer(stage, number, Some(ConstantBuffer::Buffer(range.clone())))?;
                    }
                    Some(Object::Buffer(range)) => context.set_shader_buffers(stage, number, &[Some(range.clone())])?,
                    Some(Object::View(view, sampler)) => {
                        context.set_sampler_views(stage, number, &[Some(view.clone())])?;
                        context.bind_sampler_states(stage, number, std::slice::from_ref(sampler))?;
                    }
                    Some(Object::Image(image)) => context.set_shader_images(stage, number, &[Some(image.clone())])?,
                    Some(Object::Sampler(sampler)) => {
                        context.bind_sampler_states(stage, number, &[Some(Arc::clone(sampler))])?;
                    }
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// Starts downloads of the resources that the shaders may have written.
    pub(super) fn download(&self, context: &mut Context, resources: &Resources) -> Result<Vec<(Slot, Vec<Download>)>> {
        let mut downloads = Vec::new();
        for (slot, (kind, object)) in &self.objects {
            let list = match (object, resources.get(slot)) {
                (Object::Buffer(range), Some(Resource::Buffer(_))) if *kind == Kind::StorageBuffer => {
                    vec![context.download_buffer(&range.buffer, range.offset, range.size)?]
                }
                (Object::Image(ImageView::Buffer { buffer, offset, size, .. }), _) => {
                    vec![context.download_buffer(buffer, *offset, *size)?]
                }
                (Object::Image(ImageView::Texture { texture, .. }), _) if texture.description().samples == 1 => {
                    let levels = 0..texture.description().levels;
                    let level = |level| context.download_texture(texture, Region::of_level(texture, level));
                    levels.map(level).collect::<Result<_>>()?
                }
                _ => continue,
            };
            downloads.push((*slot, list));
        }
        for (slot, buffer) in &self.pointees {
            downloads.push((*slot, vec![context.download_buffer(buffer, 0, buffer.size())?]));
        }
        Ok(downloads)
    }
}

/// Stores the downloaded bytes in `resources`.
pub(super) fn store(downloads: &[(Slot, Vec<Download>)], resources: &mut Resources) -> Result<()> {
    for (slot, list) in downloads {
        let mut list = list.iter().map(Download::bytes).collect::<Result<Vec<_>>>()?;
        match resources.get_mut(slot) {
            Some(Resource::Buffer(bytes) | Resource::TexelBuffer(_, bytes)) => *bytes = list.swap_remove(0),
            Some(Resource::Image(image)) => image.levels = list,
            _ => {}
        }
    }
    Ok(())
}

/// The slots of a shader's descriptors, their kinds, and their slots in the context. Input attachments are not among them,
/// because the framebuffer has them.
fn places(shader: &Arc<Shader>) -> impl Iterator<Item = (Slot, Kind, usize)> + '_ {
    let bound = shader.slots().iter().filter(|row| row.binding.kind != Kind::InputAttachment);
    bound.flat_map(|row| {
        let place = |element| Slot { set: row.binding.set, binding: row.binding.binding, element };
        (0..row.binding.count).map(move |element| (place(element), row.binding.kind, (row.slot + element) as usize))
    })
}

/// Creates the buffers that others have the addresses of.
fn pointees(context: &mut Context, resources: &Resources) -> Result<BTreeMap<Slot, Arc<Buffer>>> {
    let mut buffers = BTreeMap::new();
    for resource in resources.values() {
        let Resource::Addresses(_, addresses) = resource else { continue };
        for (_, slot) in addresses {
            let Some(Resource::Buffer(bytes)) = resources.get(slot) else {
                return Err(Error::new("there is no buffer for an address"));
            };
            if !buffers.contains_key(slot) {
                buffers.insert(*slot, context.create_buffer_with(bytes)?);
            }
        }
    }
    Ok(buffers)
}

/// `bytes` with addresses of buffers on the device.
fn addressed(bytes: &[u8], addresses: &[(usize, Slot)], pointees: &BTreeMap<Slot, Arc<Buffer>>) -> Result<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    for (at, slot) in addresses {
        let address = pointees.get(slot).and_then(|buffer| buffer.device_address());
        let address =
            address.ok_or_else(|| Error::new("the device has no addresses of buffers (bufferDeviceAddress)"))?;
        let place = bytes.get_mut(*at..).and_then(|rest| rest.first_chunk_mut());
        *place.ok_or_else(|| Error::new("an address is not within its buffer"))? = address.to_le_bytes();
    }
    Ok(bytes)
}

fn object(
    context: &mut Context,
    kind: Kind,
    resource: &Resource,
    shared: &mut SharedBuffers,
    pointees: &BTreeMap<Slot, Arc<Buffer>>,
) -> Result<Object> {
    let sampled = Bind::SAMPLER_VIEW;
    Ok(match (kind, resource) {
        (Kind::UniformBuffer | Kind::StorageBuffer, Resource::Buffer(bytes)) => {
            Object::Buffer(BufferRange::whole(&context.create_buffer_with(bytes)?))
        }
        (Kind::UniformBuffer | Kind::StorageBuffer, Resource::Addresses(bytes, addresses)) => {
            let bytes = addressed(bytes, addresses, pointees)?;
            Object::Buffer(BufferRange::whole(&context.create_buffer_with(&bytes)?))
        }
        (Kind::UniformBuffer | Kind::StorageBuffer, Resource::Part(part)) => {
            Object::Buffer(shared.part(context, part)?)
        }
        (Kind::UniformTexelBuffer, Resource::TexelBuffer(format, bytes)) => {
            Object::View(texels(context.create_buffer_with(bytes)?, *format), None)
        }
        (Kind::UniformTexelBuffer, Resource::TexelPart(format, bytes)) => {
            Object::View(texels(shared.buffer(context, bytes)?, *format), None)
        }
        (Kind::StorageTexelBuffer, Resource::TexelBuffer(format, bytes)) => {
            let (buffer, size) = (context.create_buffer_with(bytes)?, bytes.len() as u64);
            Object::Image(ImageView::Buffer { buffer, format: *format, offset: 0, size })
        }
        (Kind::StorageImage, Resource::Image(image)) => {
            Object::Image(ImageView::whole(&texture(context, image, Bind::SHADER_IMAGE)?))
        }
        (Kind::SampledImage, Resource::Image(image)) => {
            Object::View(SamplerView::whole(&texture(context, image, sampled)?), None)
        }
        (Kind::CombinedImageSampler, Resource::Sampled(image, state)) => Object::View(
            SamplerView::whole(&texture(context, image, sampled)?),
            Some(context.create_sampler_state(state)?),
        ),
        (Kind::Sampler, Resource::Sampler(state)) => Object::Sampler(context.create_sampler_state(state)?),
        _ => return Err(Error::new(format!("the shader needs a {kind:?}, but the resource is of another kind"))),
    })
}

fn texels(buffer: Arc<Buffer>, format: vk::Format) -> SamplerView {
    let size = buffer.size();
    SamplerView::Buffer { buffer, format, offset: 0, size }
}

/// A texture shaped like `image`, with its contents.
pub(super) fn texture(context: &mut Context, image: &Image, bind: Bind) -> Result<Arc<Texture>> {
    let target = TextureTarget::of_view(image.view)
        .ok_or_else(|| Error::new(format!("image views of type {:?} are not supported", image.view)))?;
    let Image { format, extent: size, layers, .. } = *image;
    let (levels, samples) = (image.levels.len() as u32, image.samples.as_raw());
    let texture = context.create_texture(TextureDescription { target, format, size, layers, levels, samples, bind })?;
    for (level, bytes) in (0..).zip(&image.levels).filter(|_| samples == 1) {
        context.texture_subdata(&texture, Region::of_level(&texture, level), bytes)?;
    }
    Ok(texture)
}
