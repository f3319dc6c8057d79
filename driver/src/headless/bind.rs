//! From what shaders are given to what a context binds, and back to bytes.

use super::resource::{Image, Part, Resource, Resources, Slot};
use super::{Error, Result};
use crate::context::{BufferRange, ConstantBuffer, Context, Download, Region, VertexBuffer};
use crate::program::{Shader, ShaderSlot};
use crate::resource::{
    Bind, Buffer, ImageView, Sampler, SamplerState, SamplerView, Texture, TextureDescription, TextureTarget,
};
use ash::vk;
use ntv::interp::{self, Compare, Filter, Wrap};
use ntv::module::DescriptorKind;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The buffers that parts were made of so far, by what the parts have.
#[derive(Default)]
pub(super) struct SharedBuffers {
    list: Vec<(Rc<[u8]>, Arc<Buffer>)>,
}

impl SharedBuffers {
    /// The buffer that holds `bytes`; it is made if there is none yet.
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

    /// Where `bytes` are on the device: in the buffer that has them, or in a new one.
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

/// What the shaders of a pipeline are given, by place.
pub(super) struct Objects {
    list: BTreeMap<Slot, (DescriptorKind, Object)>,
}

/// What a descriptor is of.
enum Object {
    Buffer(BufferRange),
    Texels(vk::Format, Arc<Buffer>),
    Texture(Arc<Texture>),
    Sampled(Arc<Texture>, Arc<Sampler>),
    Sampler(Arc<Sampler>),
}

impl Objects {
    /// Gives `shaders`, the stages of one pipeline, what they want; nothing if there are no `resources`. Parts are of the buffers that
    /// `shared` has, or gets.
    pub(super) fn new(
        context: &mut Context,
        shaders: &[Arc<Shader>],
        resources: Option<&Resources>,
        (shared, push_constants): (&mut SharedBuffers, &[u8]),
    ) -> Result<Objects> {
        if push_constants.is_empty() && shaders.iter().any(|shader| shader.reads_push_constants()) {
            return Err(Error::new("the shader reads push constants, and none are given"));
        }
        let mut list = BTreeMap::new();
        let Some(resources) = resources else { return Ok(Objects { list }) };
        for (slot, kind, _) in shaders.iter().flat_map(places) {
            let place = format!("set {}, binding {}, element {}", slot.set, slot.binding, slot.element);
            match list.get(&slot) {
                Some((known, _)) if *known == kind => continue,
                Some(_) => return Err(Error::new(format!("the stages disagree on {place}"))),
                None => {}
            }
            let resource = resources.get(&slot).ok_or_else(|| Error::new(format!("nothing is given for {place}")))?;
            let made = object(context, kind, resource, shared);
            list.insert(slot, (kind, made.map_err(|error| Error::of_kind(error.kind, format!("{place}: {error}")))?));
        }
        Ok(Objects { list })
    }

    /// Binds what `shader` wants.
    pub(super) fn bind(&self, context: &mut Context, shader: &Arc<Shader>) -> Result<()> {
        let stage = shader.stage();
        for (slot, kind, number) in places(shader) {
            let Some((_, object)) = self.list.get(&slot) else { continue };
            match object {
                Object::Buffer(range) if kind == DescriptorKind::UniformBuffer => {
                    let buffer = ConstantBuffer::Buffer(range.clone());
                    context.set_constant_buffer(stage, number, Some(buffer))?;
                }
                Object::Buffer(range) => context.set_shader_buffers(stage, number, &[Some(range.clone())])?,
                Object::Texels(format, buffer) if kind == DescriptorKind::UniformTexelBuffer => {
                    let (buffer, format, size) = (Arc::clone(buffer), *format, buffer.size());
                    let view = SamplerView::Buffer { buffer, format, offset: 0, size };
                    context.set_sampler_views(stage, number, &[Some(view)])?;
                }
                Object::Texels(format, buffer) => {
                    let (buffer, format, size) = (Arc::clone(buffer), *format, buffer.size());
                    let view = ImageView::Buffer { buffer, format, offset: 0, size };
                    context.set_shader_images(stage, number, &[Some(view)])?;
                }
                Object::Texture(texture) if kind == DescriptorKind::StorageImage => {
                    context.set_shader_images(stage, number, &[Some(ImageView::whole(texture))])?;
                }
                Object::Texture(texture) => {
                    context.set_sampler_views(stage, number, &[Some(SamplerView::whole(texture))])?;
                }
                Object::Sampled(texture, sampler) => {
                    context.set_sampler_views(stage, number, &[Some(SamplerView::whole(texture))])?;
                    context.bind_sampler_states(stage, number, &[Some(Arc::clone(sampler))])?;
                }
                Object::Sampler(sampler) => {
                    context.bind_sampler_states(stage, number, &[Some(Arc::clone(sampler))])?;
                }
            }
        }
        Ok(())
    }

    /// Asks for what the shaders may have written.
    pub(super) fn download(&self, context: &mut Context, resources: &Resources) -> Result<Vec<(Slot, Vec<Download>)>> {
        use DescriptorKind as Kind;
        let mut downloads = Vec::new();
        for (slot, (kind, object)) in &self.list {
            let is_part = matches!(resources.get(slot), None | Some(Resource::Part(_) | Resource::TexelPart(..)));
            let list = match (kind, object) {
                (Kind::StorageBuffer, Object::Buffer(range)) if !is_part => {
                    vec![context.download_buffer(&range.buffer, range.offset, range.size)?]
                }
                (Kind::StorageTexelBuffer, Object::Texels(_, buffer)) => {
                    vec![context.download_buffer(buffer, 0, buffer.size())?]
                }
                (Kind::StorageImage, Object::Texture(texture)) if texture.description().samples == 1 => {
                    let levels = 0..texture.description().levels;
                    let level = |level| context.download_texture(texture, Region::of_level(texture, level));
                    levels.map(level).collect::<Result<_>>()?
                }
                _ => continue,
            };
            downloads.push((*slot, list));
        }
        Ok(downloads)
    }
}

/// Puts what was downloaded into `resources`.
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

/// The places of a shader's descriptors, what they are, and the slots of the context. What is drawn to is there anyway.
fn places(shader: &Arc<Shader>) -> impl Iterator<Item = (Slot, DescriptorKind, usize)> + '_ {
    let bound = shader.slots().iter().filter(|row| row.binding.kind != DescriptorKind::InputAttachment);
    bound.flat_map(|ShaderSlot { binding, slot }| {
        let place = move |element| Slot { set: binding.set, binding: binding.binding, element };
        (0..binding.count).map(move |element| (place(element), binding.kind, (slot + element) as usize))
    })
}

fn object(
    context: &mut Context,
    kind: DescriptorKind,
    resource: &Resource,
    shared: &mut SharedBuffers,
) -> Result<Object> {
    use DescriptorKind as Kind;
    Ok(match (kind, resource) {
        (Kind::UniformBuffer | Kind::StorageBuffer, Resource::Buffer(bytes)) => {
            Object::Buffer(BufferRange::whole(&context.create_buffer_with(bytes)?))
        }
        (Kind::UniformBuffer | Kind::StorageBuffer, Resource::Part(part)) => {
            Object::Buffer(shared.part(context, part)?)
        }
        (Kind::UniformTexelBuffer | Kind::StorageTexelBuffer, Resource::TexelBuffer(format, bytes)) => {
            Object::Texels(*format, context.create_buffer_with(bytes)?)
        }
        (Kind::UniformTexelBuffer, Resource::TexelPart(format, bytes)) => {
            Object::Texels(*format, shared.buffer(context, bytes)?)
        }
        (Kind::StorageImage, Resource::Image(image)) => Object::Texture(texture(context, image, Bind::SHADER_IMAGE)?),
        (Kind::SampledImage, Resource::Image(image)) => Object::Texture(texture(context, image, Bind::SAMPLER_VIEW)?),
        (Kind::CombinedImageSampler, Resource::Sampled(image, how)) => {
            Object::Sampled(texture(context, image, Bind::SAMPLER_VIEW)?, sampler(context, how)?)
        }
        (Kind::Sampler, Resource::Sampler(how)) => Object::Sampler(sampler(context, how)?),
        _ => return Err(Error::new(format!("the shader wants a {kind:?}, what is given is something else"))),
    })
}

/// A texture shaped like `image`, with its contents.
pub(super) fn texture(context: &mut Context, image: &Image, bind: Bind) -> Result<Arc<Texture>> {
    let texture = context.create_texture(TextureDescription {
        target: target(image.view)?,
        format: image.format,
        size: image.extent,
        layers: image.layers,
        levels: image.levels.len() as u32,
        samples: image.samples.as_raw(),
        bind,
    })?;
    if image.samples == vk::SampleCountFlags::TYPE_1 {
        for (level, bytes) in (0..).zip(&image.levels) {
            context.texture_subdata(&texture, Region::of_level(&texture, level), bytes)?;
        }
    }
    Ok(texture)
}

fn target(view: vk::ImageViewType) -> Result<TextureTarget> {
    Ok(match view {
        vk::ImageViewType::TYPE_1D => TextureTarget::Texture1D,
        vk::ImageViewType::TYPE_2D => TextureTarget::Texture2D,
        vk::ImageViewType::TYPE_3D => TextureTarget::Texture3D,
        vk::ImageViewType::CUBE => TextureTarget::Cube,
        vk::ImageViewType::TYPE_1D_ARRAY => TextureTarget::Texture1DArray,
        vk::ImageViewType::TYPE_2D_ARRAY => TextureTarget::Texture2DArray,
        vk::ImageViewType::CUBE_ARRAY => TextureTarget::CubeArray,
        other => return Err(Error::new(format!("{other:?}"))),
    })
}

fn sampler(context: &Context, how: &interp::Sampler) -> Result<Arc<Sampler>> {
    if how.border != [0; 4] {
        return Err(Error::new("a border other than zeros"));
    }
    let mip_filter = match how.mip {
        Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
        Filter::Linear => vk::SamplerMipmapMode::LINEAR,
    };
    context.create_sampler_state(&SamplerState {
        wrap: how.wrap.map(address_mode),
        mag_filter: filter(how.mag),
        min_filter: filter(how.min),
        mip_filter: (!how.unnormalized).then_some(mip_filter),
        compare: how.compare.map(compare_op),
        lod_bias: how.lod_bias,
        lod: how.lod,
        unnormalized: how.unnormalized,
        ..SamplerState::default()
    })
}

fn filter(filter: Filter) -> vk::Filter {
    match filter {
        Filter::Nearest => vk::Filter::NEAREST,
        Filter::Linear => vk::Filter::LINEAR,
    }
}

fn address_mode(wrap: Wrap) -> vk::SamplerAddressMode {
    match wrap {
        Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
        Wrap::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
        Wrap::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        Wrap::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        Wrap::MirrorClampToEdge => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
    }
}

fn compare_op(compare: Compare) -> vk::CompareOp {
    match compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessOrEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterOrEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}
