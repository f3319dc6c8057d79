//! From what modules want and what they are given to descriptor sets, and back to bytes.

use super::memory::{buffer_view, owned, Buffer, DeviceImage};
use super::part::{BoundPart, SharedBuffers};
use super::reflect::{Binding, Interface};
use super::resource::{Image, Resource, Resources, Slot};
use super::submit::Commands;
use super::{Context, Error, Result};
use crate::device::handle::Owned;
use crate::device::Logical;
use ash::vk;
use ntv::interp::{Compare, Filter, Sampler, Wrap};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Descriptor sets with everything in them, ready to be bound.
pub(super) struct Bound {
    device: Arc<Logical>,
    pub(super) layout: Owned<vk::PipelineLayout>,
    sets: Vec<vk::DescriptorSet>,
    stages: vk::ShaderStageFlags,
    bindings: Layout,
    _pool: Option<Owned<vk::DescriptorPool>>,
    _set_layouts: Vec<Owned<vk::DescriptorSetLayout>>,
    objects: BTreeMap<Slot, Object>,
}

/// What stands behind a descriptor.
struct Object {
    kind: vk::DescriptorType,
    buffer: Option<Buffer>,
    part: Option<BoundPart>,
    texels: Option<Owned<vk::BufferView>>,
    image: Option<DeviceImage>,
    sampler: Option<Owned<vk::Sampler>>,
}

impl Object {
    fn buffer_info(&self) -> Option<vk::DescriptorBufferInfo> {
        let whole =
            |buffer: &Buffer| vk::DescriptorBufferInfo { buffer: *buffer.handle, offset: 0, range: buffer.size as u64 };
        self.part.as_ref().map(BoundPart::info).or(self.buffer.as_ref().map(whole))
    }
}

/// The layouts of a pipeline.
pub(super) struct Layouts {
    pub(super) pipeline: Owned<vk::PipelineLayout>,
    sets: Vec<Owned<vk::DescriptorSetLayout>>,
    bindings: Layout,
    stages: vk::ShaderStageFlags,
}

impl Layouts {
    /// What `interfaces`, the stages of one pipeline, want, with so many bytes of push constants.
    pub(super) fn new(device: &Arc<Logical>, interfaces: &[Interface], push_constants: usize) -> Result<Layouts> {
        let stages = interfaces.iter().fold(vk::ShaderStageFlags::empty(), |all, one| all | one.stage);
        let bindings = merge(interfaces)?;
        let count = bindings.keys().map(|(set, _)| set + 1).max().unwrap_or(0);
        let sets: Vec<_> = (0..count).map(|set| set_layout(device, set, stages, &bindings)).collect::<Result<_>>()?;
        let handles: Vec<vk::DescriptorSetLayout> = sets.iter().map(|layout| **layout).collect();
        if push_constants == 0 && interfaces.iter().any(|one| one.push_constants) {
            return Err(Error::new("the shader reads push constants, and none are given"));
        }
        let range = vk::PushConstantRange { stage_flags: stages, offset: 0, size: push_constants as u32 };
        let ranges = if push_constants == 0 { vec![] } else { vec![range] };
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&handles).push_constant_ranges(&ranges);
        // SAFETY: the set layouts are of this device.
        let layout = unsafe { device.raw.create_pipeline_layout(&info, None) };
        Ok(Layouts { pipeline: owned(device, layout, "vkCreatePipelineLayout")?, sets, bindings, stages })
    }
}

/// All bindings of the stages of a pipeline, by set and binding.
type Layout = BTreeMap<(u32, u32), Binding>;

impl Bound {
    /// Gives `interfaces`, the stages of one pipeline, what they want of `resources` and `push_constants`. Parts are of the buffers
    /// that `shared` has, or gets.
    pub(super) fn new(
        device: &Arc<Logical>,
        interfaces: &[Interface],
        (resources, shared): (&Resources, &mut SharedBuffers),
        push_constants: &[u8],
    ) -> Result<Bound> {
        let Layouts { pipeline: layout, sets: set_layouts, bindings, stages } =
            Layouts::new(device, interfaces, push_constants.len())?;
        let handles: Vec<vk::DescriptorSetLayout> = set_layouts.iter().map(|layout| **layout).collect();
        let objects = objects(device, &bindings, resources, shared)?;
        let (pool, sets) = allocate_sets(device, &handles, &bindings)?;
        let device = Arc::clone(device);
        let bound = Bound { device, layout, sets, stages, bindings, _pool: pool, _set_layouts: set_layouts, objects };
        bound.write_sets();
        Ok(bound)
    }

    /// Has shaders read `views`, which are drawn to, as input attachments; the number of each is its InputAttachmentIndex.
    pub(super) fn write_attachments(&self, views: &[(u32, vk::ImageView)]) -> Result<()> {
        let kind = vk::DescriptorType::INPUT_ATTACHMENT;
        for binding in self.bindings.values().filter(|binding| binding.kind == kind) {
            let view = views.iter().find(|(number, _)| binding.attachment == Some(*number));
            let missing =
                || Error::new(format!("the shader reads attachment {:?}, and there is none", binding.attachment));
            let (_, image_view) = *view.ok_or_else(missing)?;
            let image_layout = vk::ImageLayout::GENERAL;
            let image = [vk::DescriptorImageInfo { sampler: vk::Sampler::null(), image_view, image_layout }];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(self.sets[binding.set as usize])
                .dst_binding(binding.binding)
                .descriptor_type(kind)
                .image_info(&image);
            // SAFETY: the layout of the set has an input attachment at this place; the caller keeps the views alive.
            unsafe { self.device.raw.update_descriptor_sets(&[write], &[]) };
        }
        Ok(())
    }

    /// Records the way of images to the device.
    pub(super) fn upload(&self, commands: &Commands) {
        for object in self.objects.values() {
            if let Some(image) = &object.image {
                image.upload(commands, layout_of(object.kind));
            }
        }
        commands.barrier();
    }

    /// Binds all to `point`.
    pub(super) fn bind(&self, commands: &Commands, point: vk::PipelineBindPoint, push_constants: &[u8]) {
        let raw = &self.device.raw;
        if !self.sets.is_empty() {
            // SAFETY: the sets were made with the set layouts of `layout`.
            unsafe { raw.cmd_bind_descriptor_sets(commands.buffer, point, *self.layout, 0, &self.sets, &[]) };
        }
        if !push_constants.is_empty() {
            // SAFETY: the layout has a range of exactly these bytes for these stages.
            unsafe { raw.cmd_push_constants(commands.buffer, *self.layout, self.stages, 0, push_constants) };
        }
    }

    /// Records the way of storage images back.
    pub(super) fn download(&self, commands: &Commands) {
        commands.barrier();
        for object in self.objects.values() {
            if let (vk::DescriptorType::STORAGE_IMAGE, Some(image)) = (object.kind, &object.image) {
                image.download(commands, layout_of(object.kind));
            }
        }
    }

    /// Puts what the shaders wrote into `resources`.
    pub(super) fn read_back(&mut self, resources: &mut Resources) -> Result<()> {
        use vk::DescriptorType as Kind;
        for (slot, object) in &mut self.objects {
            let storage =
                matches!(object.kind, Kind::STORAGE_BUFFER | Kind::STORAGE_TEXEL_BUFFER | Kind::STORAGE_IMAGE);
            let Some(resource) = resources.get_mut(slot).filter(|_| storage) else { continue };
            match resource {
                Resource::Buffer(bytes) | Resource::TexelBuffer(_, bytes) => {
                    if let Some(buffer) = &mut object.buffer {
                        *bytes = buffer.read(&self.device)?;
                    }
                }
                Resource::Image(image) => {
                    if let Some(on_device) = &mut object.image {
                        split(&on_device.read(&self.device)?, &mut image.levels);
                    }
                }
                Resource::Part(_) | Resource::TexelPart(..) | Resource::Sampled(..) | Resource::Sampler(_) => {}
            }
        }
        Ok(())
    }

    fn write_sets(&self) {
        for (slot, object) in &self.objects {
            let buffer = object.buffer_info().map(|info| [info]);
            let image = [vk::DescriptorImageInfo {
                sampler: object.sampler.as_ref().map_or(vk::Sampler::null(), |sampler| **sampler),
                image_view: object.image.as_ref().map_or(vk::ImageView::null(), |image| *image.view),
                image_layout: layout_of(object.kind),
            }];
            let texels = [object.texels.as_ref().map_or(vk::BufferView::null(), |view| **view)];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(self.sets[slot.set as usize])
                .dst_binding(slot.binding)
                .dst_array_element(slot.element)
                .descriptor_type(object.kind);
            let write = if object.texels.is_some() {
                write.texel_buffer_view(&texels)
            } else if let Some(buffer) = &buffer {
                write.buffer_info(buffer)
            } else {
                write.image_info(&image)
            };
            // SAFETY: the objects are of the kind that the layout of the set has at this place, and live in `self`.
            unsafe { self.device.raw.update_descriptor_sets(&[write], &[]) };
        }
    }
}

/// The bindings of all stages, which must agree.
fn merge(interfaces: &[Interface]) -> Result<Layout> {
    let mut layout = Layout::new();
    for new in interfaces.iter().flat_map(|interface| &interface.bindings) {
        let old = layout.entry((new.set, new.binding)).or_insert(*new);
        if old.kind != new.kind {
            return Err(Error::new(format!("the stages disagree on set {} binding {}", new.set, new.binding)));
        }
        old.count = old.count.max(new.count);
    }
    Ok(layout)
}

fn set_layout(
    device: &Arc<Logical>,
    set: u32,
    stages: vk::ShaderStageFlags,
    bindings: &Layout,
) -> Result<Owned<vk::DescriptorSetLayout>> {
    let of_set = bindings.values().filter(|binding| binding.set == set);
    let list: Vec<vk::DescriptorSetLayoutBinding<'_>> = of_set
        .map(|binding| {
            let is_attachment = binding.kind == vk::DescriptorType::INPUT_ATTACHMENT;
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding.binding)
                .descriptor_type(binding.kind)
                .descriptor_count(binding.count)
                .stage_flags(if is_attachment { vk::ShaderStageFlags::FRAGMENT } else { stages })
        })
        .collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&list);
    // SAFETY: each binding is there once.
    let layout = unsafe { device.raw.create_descriptor_set_layout(&info, None) };
    owned(device, layout, "vkCreateDescriptorSetLayout")
}

/// One set of each layout, and the pool that they are from.
type Sets = (Option<Owned<vk::DescriptorPool>>, Vec<vk::DescriptorSet>);

fn allocate_sets(device: &Arc<Logical>, layouts: &[vk::DescriptorSetLayout], bindings: &Layout) -> Result<Sets> {
    if layouts.is_empty() {
        return Ok((None, Vec::new()));
    }
    let sizes: Vec<vk::DescriptorPoolSize> = bindings
        .values()
        .map(|binding| vk::DescriptorPoolSize { ty: binding.kind, descriptor_count: binding.count })
        .collect();
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(layouts.len() as u32).pool_sizes(&sizes);
    // SAFETY: no size is 0.
    let pool = owned(device, unsafe { device.raw.create_descriptor_pool(&info, None) }, "vkCreateDescriptorPool")?;
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(*pool).set_layouts(layouts);
    // SAFETY: the pool is new and has room for one set of each layout.
    let sets = unsafe { device.raw.allocate_descriptor_sets(&info) }.during("vkAllocateDescriptorSets")?;
    Ok((Some(pool), sets))
}

fn objects(
    device: &Arc<Logical>,
    bindings: &Layout,
    resources: &Resources,
    shared: &mut SharedBuffers,
) -> Result<BTreeMap<Slot, Object>> {
    let mut objects = BTreeMap::new();
    // What is drawn to is there anyway.
    for binding in bindings.values().filter(|binding| binding.kind != vk::DescriptorType::INPUT_ATTACHMENT) {
        for element in 0..binding.count {
            let slot = Slot { set: binding.set, binding: binding.binding, element };
            let place = || format!("set {}, binding {}, element {element}", slot.set, slot.binding);
            let resource = resources.get(&slot);
            let resource = resource.ok_or_else(|| Error::new(format!("nothing is given for {}", place())))?;
            let object = object(device, binding.kind, resource, shared)
                .map_err(|error| Error::new(format!("{}: {error}", place())))?;
            objects.insert(slot, object);
        }
    }
    Ok(objects)
}

fn object(
    device: &Arc<Logical>,
    kind: vk::DescriptorType,
    resource: &Resource,
    shared: &mut SharedBuffers,
) -> Result<Object> {
    use vk::DescriptorType as Kind;
    let mut object = Object { kind, buffer: None, part: None, texels: None, image: None, sampler: None };
    let buffer = |usage, bytes: &[u8]| Buffer::new(device, usage, bytes).map(Some);
    let image = |usage, image: &Image| DeviceImage::new(device, image, usage).map(Some);
    match (kind, resource) {
        (Kind::UNIFORM_BUFFER, Resource::Buffer(bytes)) => {
            object.buffer = buffer(vk::BufferUsageFlags::UNIFORM_BUFFER, bytes)?;
        }
        (Kind::STORAGE_BUFFER, Resource::Buffer(bytes)) => {
            object.buffer = buffer(vk::BufferUsageFlags::STORAGE_BUFFER, bytes)?;
        }
        (Kind::UNIFORM_BUFFER | Kind::STORAGE_BUFFER, Resource::Part(part)) => {
            object.part = Some(shared.bind(device, kind, part)?);
        }
        (Kind::UNIFORM_TEXEL_BUFFER, Resource::TexelBuffer(format, bytes)) => {
            let made = Buffer::new(device, vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER, bytes)?;
            object.texels = Some(buffer_view(device, &made, *format)?);
            object.buffer = Some(made);
        }
        (Kind::UNIFORM_TEXEL_BUFFER, Resource::TexelPart(format, bytes)) => {
            let part = shared.whole(device, bytes)?;
            object.texels = Some(buffer_view(device, part.buffer(), *format)?);
            object.part = Some(part);
        }
        (Kind::STORAGE_TEXEL_BUFFER, Resource::TexelBuffer(format, bytes)) => {
            let made = Buffer::new(device, vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER, bytes)?;
            object.texels = Some(buffer_view(device, &made, *format)?);
            object.buffer = Some(made);
        }
        (Kind::STORAGE_IMAGE, Resource::Image(given)) => object.image = image(vk::ImageUsageFlags::STORAGE, given)?,
        (Kind::SAMPLED_IMAGE, Resource::Image(given)) => object.image = image(vk::ImageUsageFlags::SAMPLED, given)?,
        (Kind::COMBINED_IMAGE_SAMPLER, Resource::Sampled(given, how)) => {
            object.image = image(vk::ImageUsageFlags::SAMPLED, given)?;
            object.sampler = Some(sampler(device, how)?);
        }
        (Kind::SAMPLER, Resource::Sampler(how)) => object.sampler = Some(sampler(device, how)?),
        _ => return Err(Error::new(format!("the shader wants a {kind:?}, what is given is something else"))),
    }
    Ok(object)
}

fn sampler(device: &Arc<Logical>, how: &Sampler) -> Result<Owned<vk::Sampler>> {
    let [u, v, w] = how.wrap.map(address_mode);
    let mipmap = match how.mip {
        Filter::Linear if !how.unnormalized => vk::SamplerMipmapMode::LINEAR,
        _ => vk::SamplerMipmapMode::NEAREST,
    };
    let [least, greatest] = if how.unnormalized { [0.0; 2] } else { how.lod };
    if how.border != [0; 4] {
        return Err(Error::new("a border other than zeros"));
    }
    let info = vk::SamplerCreateInfo::default()
        .mag_filter(filter(how.mag))
        .min_filter(filter(how.min))
        .mipmap_mode(mipmap)
        .address_mode_u(u)
        .address_mode_v(v)
        .address_mode_w(w)
        .mip_lod_bias(how.lod_bias)
        .compare_enable(how.compare.is_some())
        .compare_op(how.compare.map_or(vk::CompareOp::NEVER, compare_op))
        .min_lod(least)
        .max_lod(greatest)
        .unnormalized_coordinates(how.unnormalized);
    // SAFETY: no extension structs, and no feature but those of Vulkan 1.0 that every device has, and mirroring once.
    owned(device, unsafe { device.raw.create_sampler(&info, None) }, "vkCreateSampler")
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

/// The layout that an image behind a descriptor is used in.
fn layout_of(kind: vk::DescriptorType) -> vk::ImageLayout {
    match kind {
        vk::DescriptorType::STORAGE_IMAGE => vk::ImageLayout::GENERAL,
        _ => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    }
}

/// Takes `bytes` apart into as many as each of `parts` has.
fn split(mut bytes: &[u8], parts: &mut [Vec<u8>]) {
    for part in parts {
        let (own, rest) = bytes.split_at(part.len().min(bytes.len()));
        *part = own.to_vec();
        bytes = rest;
    }
}
