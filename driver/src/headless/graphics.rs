//! Graphics: vertex to fragment stage, one draw, the attachments and the captured vertices read back.

use super::bind::Bound;
use super::compute::shader_module;
use super::memory::{owned, Buffer, DeviceImage};
use super::part::{InputBuffer, SharedBuffers};
use super::query::{Counts, Pools};
use super::reflect::{reflect, Interface};
use super::render_pass::{self, RenderPass};
use super::resource::{texel_size, Image, Part, Resources};
use super::steps::Step;
use super::submit::Commands;
use super::{Error, Result};
use crate::device::handle::Owned;
use crate::device::{Device, Logical, Queries};
use ash::vk;
use std::ptr;
use std::sync::Arc;

/// A draw of one pipeline.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The words of each stage, in any order.
    pub modules: &'a [&'a [u32]],
    /// How vertices become primitives.
    pub topology: vk::PrimitiveTopology,
    /// Whether the last vertex of a primitive provokes, as in GL, and not the first.
    pub provoking_last: bool,
    /// Vertices of a patch, if there are tessellation shaders.
    pub patch_vertices: u32,
    /// How many vertices; how many indices, if there are any.
    pub vertices: u32,
    /// How many instances.
    pub instances: u32,
    /// The first vertex and the first instance: what VertexIndex and InstanceIndex count from. If there are indices, the first index.
    pub first: [u32; 2],
    /// Where a command is that says these four numbers in their place, and the base vertex if there are indices:
    /// `VkDrawIndirectCommand`, `VkDrawIndexedIndirectCommand`. Attributes are as many as those four say.
    pub indirect: Option<Part>,
    /// The indices of the vertices.
    pub indices: Option<Indices<'a>>,
    /// Inputs of the vertex shader.
    pub attributes: &'a [Attribute<'a>],
    /// Push constants from offset 0 on.
    pub push_constants: &'a [u8],
    /// Width and height of the attachments, all of which the viewport covers.
    pub size: [u32; 2],
    /// What is drawn to; colours in the order of their locations.
    pub attachments: &'a [Attachment],
    /// Whether primitives are discarded before rasterization. Then there need be no fragment shader and no attachment.
    pub discard: bool,
    /// Bytes of each buffer of the transform feedback.
    pub captures: &'a [usize],
    /// Which sides of triangles are not drawn.
    pub cull_mode: vk::CullModeFlags,
    /// Width and height of what may be drawn to, from the corner on; all if not given. OpenGL has viewports of no size, Vulkan only
    /// scissors.
    pub scissor: Option<[u32; 2]>,
    /// What is asked about it.
    pub queries: Queries,
    /// Bytes before and after those, which transform feedback must not write, in each of the same buffers. None if there are none.
    pub capture_margins: &'a [[usize; 2]],
}

impl Default for Draw<'_> {
    fn default() -> Self {
        Draw {
            modules: &[],
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            provoking_last: false,
            patch_vertices: 3,
            vertices: 3,
            instances: 1,
            first: [0; 2],
            indirect: None,
            indices: None,
            attributes: &[],
            push_constants: &[],
            size: [16, 16],
            attachments: &[],
            discard: false,
            captures: &[],
            cull_mode: vk::CullModeFlags::NONE,
            scissor: None,
            queries: Queries::default(),
            capture_margins: &[],
        }
    }
}

impl Draw<'_> {
    /// The bytes before and after what transform feedback may write in a buffer.
    fn capture_margin(&self, number: usize) -> [usize; 2] {
        self.capture_margins.get(number).copied().unwrap_or_default()
    }
}

/// Indices of vertices.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    /// What an index is.
    pub ty: vk::IndexType,
    /// The index buffer. Every index that is drawn must be in it, and its vertex in the attributes. It may be of a buffer on the
    /// device as an [`Attribute`].
    pub bytes: &'a [u8],
    /// Whether the largest index begins a new run of vertices.
    pub restart: bool,
    /// What is added to each index.
    pub base_vertex: i32,
}

/// An input of the vertex shader.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Location.
    pub location: u32,
    /// What a vertex has in `bytes`; see [`texel_size`].
    pub format: vk::Format,
    /// One value after the other. Bytes of a buffer of which a part was bound before in the same batch, not only equal ones, are of
    /// that buffer on the device.
    pub bytes: &'a [u8],
    /// There is a value for each instance, not for each vertex.
    pub per_instance: bool,
}

/// A render target. A depth format makes it the depth attachment, which every fragment passes and writes. Shaders may read it as an
/// input attachment, see [`attachment_number`](ntv::target::attachment_number).
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Format of a texel.
    pub format: vk::Format,
    /// What every texel is before the draw.
    pub clear: Vec<u8>,
}

/// What a draw gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The texels of each attachment, row by row from the top.
    pub attachments: Vec<Vec<u8>>,
    /// Each buffer of the transform feedback, with its margins.
    pub captures: Vec<Vec<u8>>,
    /// What was asked about it.
    pub counts: Counts,
}

impl Device {
    /// Runs `draw`, gives its attachments and leaves in `resources` what it wrote.
    pub fn draw(&self, draw: &Draw<'_>, resources: &mut Resources) -> Result<Drawn> {
        let mut drawn = Drawn::default();
        self.run(&mut [Step::Draw(draw.clone(), resources, &mut drawn)])?;
        Ok(drawn)
    }
}

/// A draw with its pipeline and all that it wants, ready to be recorded.
pub(super) struct Drawing<'a> {
    draw: Draw<'a>,
    pub(super) bound: Bound,
    targets: Vec<DeviceImage>,
    vertex_buffers: Vec<InputBuffer>,
    index_buffer: Option<InputBuffer>,
    captures: Vec<Buffer>,
    framebuffer: Option<(RenderPass, Owned<vk::Framebuffer>)>,
    pipeline: Owned<vk::Pipeline>,
    command: Option<(vk::Buffer, u64)>,
    pools: Pools,
}

impl<'a> Drawing<'a> {
    /// Parts of buffers are of those that `shared` has, or gets.
    pub(super) fn new(
        device: &Arc<Logical>,
        draw: &Draw<'a>,
        resources: &Resources,
        shared: &mut SharedBuffers,
    ) -> Result<Drawing<'a>> {
        let interfaces: Vec<Interface> = draw.modules.iter().map(|words| reflect(words)).collect::<Result<_>>()?;
        let modules: Vec<_> = draw.modules.iter().map(|words| shader_module(device, words)).collect::<Result<_>>()?;
        let bound = Bound::new(device, &interfaces, (resources, shared), draw.push_constants)?;
        let targets = targets(device, draw)?;
        let vertex_buffers = draw.attributes.iter().map(|attribute| {
            let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
            shared.input(device, usage, attribute.bytes)
        });
        let vertex_buffers = vertex_buffers.collect::<Result<_>>()?;
        let index_buffer = draw.indices.map(|indices| index_buffer(device, draw, &indices, shared)).transpose()?;
        let usage = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
        let captures = (0..).zip(draw.captures).map(|(number, size)| {
            let [before, after] = draw.capture_margin(number);
            Buffer::new(device, usage, &vec![0; before + size + after])
        });
        let captures = captures.collect::<Result<_>>()?;
        let pass = RenderPass::new(device, draw, &interfaces)?;
        let views = targets.iter().map(|target| *target.view);
        bound.write_attachments(&render_pass::numbers(draw).into_iter().zip(views).collect::<Vec<_>>())?;
        let pipeline = pipeline(device, draw, &interfaces, &modules, (*bound.layout, pass.as_ref()))?;
        let framebuffer = pass.map(|pass| {
            let framebuffer = pass.framebuffer(device, draw, &targets)?;
            Ok((pass, framebuffer))
        });
        let framebuffer = framebuffer.transpose()?;
        let command = draw.indirect.as_ref().map(|part| shared.command(device, part, draw.indices.is_some()));
        let command = command.transpose()?;
        let pools = Pools::new(device, draw.queries)?;
        let draw = draw.clone();
        Ok(Drawing {
            draw,
            bound,
            targets,
            vertex_buffers,
            index_buffer,
            captures,
            framebuffer,
            pipeline,
            command,
            pools,
        })
    }

    /// Records the way of all that it wants to the device.
    pub(super) fn upload(&self, commands: &Commands) {
        for target in &self.targets {
            target.upload(commands, vk::ImageLayout::GENERAL);
        }
        self.bound.upload(commands);
    }

    /// Records the draw; any number of them, with barriers between.
    pub(super) fn record(&self, commands: &Commands) -> Result<()> {
        let point = vk::PipelineBindPoint::GRAPHICS;
        self.bound.bind(commands, point, self.draw.push_constants);
        // SAFETY: the buffer is recording; the pipeline is for this bind point.
        unsafe { commands.device.raw.cmd_bind_pipeline(commands.buffer, point, *self.pipeline) };
        if let Some((buffer, indices)) = self.index_buffer.as_ref().zip(self.draw.indices) {
            let (raw, offset) = (&commands.device.raw, buffer.offset);
            // SAFETY: the buffer is recording; the index buffer lives until the commands are done, and the device takes the type.
            unsafe { raw.cmd_bind_index_buffer(commands.buffer, *buffer.buffer.handle, offset, indices.ty) };
        }
        self.pools.begin(commands);
        record(commands, self)?;
        self.pools.end(commands);
        Ok(())
    }

    /// Records the way of what was drawn back.
    pub(super) fn download(&self, commands: &Commands) {
        for target in &self.targets {
            target.download(commands, vk::ImageLayout::GENERAL);
        }
        self.bound.download(commands);
    }

    /// What it gave, once the device is done.
    pub(super) fn read(&mut self, device: &Logical) -> Result<Drawn> {
        Ok(Drawn {
            attachments: self.targets.iter_mut().map(|target| target.read(device)).collect::<Result<_>>()?,
            captures: self.captures.iter_mut().map(|buffer| buffer.read(device)).collect::<Result<_>>()?,
            counts: self.pools.read(device)?,
        })
    }
}

/// The index buffer of `draw`, if the device takes it and it has all indices.
fn index_buffer(
    device: &Arc<Logical>,
    draw: &Draw<'_>,
    indices: &Indices<'_>,
    shared: &SharedBuffers,
) -> Result<InputBuffer> {
    let bytes = match indices.ty {
        vk::IndexType::UINT8_EXT if !device.input.has_8_bit_indices => {
            return Err(Error::new("the device has no indexTypeUint8"));
        }
        vk::IndexType::UINT8_EXT => 1,
        vk::IndexType::UINT16 => 2,
        vk::IndexType::UINT32 => 4,
        other => return Err(Error::new(format!("{other:?}"))),
    };
    let end = (draw.vertices as usize).saturating_add(draw.first[0] as usize).saturating_mul(bytes);
    if indices.bytes.len() < end {
        return Err(Error::new("too few bytes for the indices"));
    }
    if indices.restart && is_list(draw.topology) && !device.input.restarts_lists {
        return Err(Error::new("the device has no primitiveTopologyListRestart"));
    }
    shared.input(device, vk::BufferUsageFlags::INDEX_BUFFER, indices.bytes)
}

/// Whether primitives of `topology` share no vertices.
fn is_list(topology: vk::PrimitiveTopology) -> bool {
    use vk::PrimitiveTopology as T;
    matches!(topology, T::POINT_LIST | T::LINE_LIST | T::TRIANGLE_LIST)
}

/// The images that are drawn to, with what they are before the draw.
fn targets(device: &Arc<Logical>, draw: &Draw<'_>) -> Result<Vec<DeviceImage>> {
    let [width, height] = draw.size;
    let target = |attachment: &Attachment| {
        if texel_size(attachment.format) != Some(attachment.clear.len()) {
            return Err(Error::new(format!("the clear value is no texel of {:?}", attachment.format)));
        }
        let usage = match is_depth(attachment.format) {
            true => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            false => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        };
        let usage = usage | vk::ImageUsageFlags::INPUT_ATTACHMENT;
        let texels = attachment.clear.repeat(width as usize * height as usize);
        DeviceImage::new(device, &Image::new_2d(attachment.format, width, height, texels), usage)
    };
    draw.attachments.iter().map(target).collect()
}

/// Whether an attachment of `format` is the depth attachment.
pub(super) fn is_depth(format: vk::Format) -> bool {
    matches!(format, vk::Format::D16_UNORM | vk::Format::D32_SFLOAT)
}

/// Records the rendering.
fn record(commands: &Commands, drawing: &Drawing<'_>) -> Result<()> {
    let (device, buffer, draw) = (&commands.device, commands.buffer, &drawing.draw);
    let handles: Vec<vk::Buffer> = drawing.vertex_buffers.iter().map(|input| *input.buffer.handle).collect();
    let offsets: Vec<u64> = drawing.vertex_buffers.iter().map(|input| input.offset).collect();
    let captured: Vec<vk::Buffer> = drawing.captures.iter().map(|buffer| *buffer.handle).collect();
    let sizes: Vec<u64> = draw.captures.iter().map(|size| *size as u64).collect();
    let starts: Vec<u64> = (0..captured.len()).map(|number| draw.capture_margin(number)[0] as u64).collect();
    if !captured.is_empty() && device.feedback.is_none() {
        return Err(Error::new("the device has no transformFeedback"));
    }
    let feedback = device.feedback.as_ref().filter(|_| !captured.is_empty()).map(|feedback| feedback.fp());
    let count = captured.len() as u32;
    // SAFETY: the buffer is recording with the pipeline bound; the buffers live until the commands are done.
    unsafe {
        if !handles.is_empty() {
            device.raw.cmd_bind_vertex_buffers(buffer, 0, &handles, &offsets);
        }
        if let Some(feedback) = feedback {
            let (buffers, starts, sizes) = (captured.as_ptr(), starts.as_ptr(), sizes.as_ptr());
            (feedback.cmd_bind_transform_feedback_buffers_ext)(buffer, 0, count, buffers, starts, sizes);
        }
    }
    let [width, height] = draw.size;
    let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
    match &drawing.framebuffer {
        Some((pass, framebuffer)) => pass.begin(commands, **framebuffer, area),
        None => begin_rendering(commands, draw, &drawing.targets, area),
    }
    // SAFETY: a rendering was begun, to attachments of the formats of the pipeline, and is ended; the feedback is begun and ended
    // once, without counters; a command lies within its buffer.
    unsafe {
        if let Some(feedback) = feedback {
            (feedback.cmd_begin_transform_feedback_ext)(buffer, 0, 0, ptr::null(), ptr::null());
        }
        let ([first, first_instance], base_vertex) = (draw.first, draw.indices.map(|indices| indices.base_vertex));
        match (drawing.command, base_vertex) {
            (Some((command, offset)), None) => device.raw.cmd_draw_indirect(buffer, command, offset, 1, 0),
            (Some((command, offset)), Some(_)) => device.raw.cmd_draw_indexed_indirect(buffer, command, offset, 1, 0),
            (None, Some(base)) => {
                device.raw.cmd_draw_indexed(buffer, draw.vertices, draw.instances, first, base, first_instance);
            }
            (None, None) => device.raw.cmd_draw(buffer, draw.vertices, draw.instances, first, first_instance),
        }
        if let Some(feedback) = feedback {
            (feedback.cmd_end_transform_feedback_ext)(buffer, 0, 0, ptr::null(), ptr::null());
        }
        match drawing.framebuffer {
            Some(_) => device.raw.cmd_end_render_pass(buffer),
            None => device.raw.cmd_end_rendering(buffer),
        }
    }
    Ok(())
}

/// Records the begin of a rendering without a render pass object.
fn begin_rendering(commands: &Commands, draw: &Draw<'_>, targets: &[DeviceImage], area: vk::Rect2D) {
    let (mut colors, mut depth) = (Vec::new(), None);
    for (attachment, target) in draw.attachments.iter().zip(targets) {
        let info = vk::RenderingAttachmentInfo::default()
            .image_view(*target.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE);
        match is_depth(attachment.format) {
            true => depth = Some(info),
            false => colors.push(info),
        }
    }
    let mut info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&colors);
    if let Some(depth) = &depth {
        info = info.depth_attachment(depth);
    }
    // SAFETY: the buffer is recording, and not within a rendering; the views live until the commands are done.
    unsafe { commands.device.raw.cmd_begin_rendering(commands.buffer, &info) };
}

/// The vertex inputs: each attribute has a buffer of its own.
type VertexInput = (Vec<vk::VertexInputBindingDescription>, Vec<vk::VertexInputAttributeDescription>);

fn vertex_input(draw: &Draw<'_>) -> Result<VertexInput> {
    let mut input = VertexInput::default();
    for (binding, attribute) in (0..).zip(draw.attributes) {
        let size = texel_size(attribute.format).ok_or_else(|| Error::new(format!("{:?}", attribute.format)))?;
        let count = match attribute.per_instance {
            true => draw.instances,
            // Which vertices there are the indices say.
            false if draw.indices.is_some() => 0,
            false => draw.vertices,
        };
        if attribute.bytes.len() < size * count as usize {
            return Err(Error::new(format!("too few bytes for the attribute at location {}", attribute.location)));
        }
        let rate = match attribute.per_instance {
            true => vk::VertexInputRate::INSTANCE,
            false => vk::VertexInputRate::VERTEX,
        };
        input.0.push(vk::VertexInputBindingDescription { binding, stride: size as u32, input_rate: rate });
        let (location, format) = (attribute.location, attribute.format);
        input.1.push(vk::VertexInputAttributeDescription { location, binding, format, offset: 0 });
    }
    Ok(input)
}

/// The pipeline of a draw.
pub(super) fn pipeline(
    device: &Arc<Logical>,
    draw: &Draw<'_>,
    interfaces: &[Interface],
    modules: &[Owned<vk::ShaderModule>],
    (layout, pass): (vk::PipelineLayout, Option<&RenderPass>),
) -> Result<Owned<vk::Pipeline>> {
    let stages: Vec<_> = interfaces
        .iter()
        .zip(modules)
        .map(|(one, module)| {
            vk::PipelineShaderStageCreateInfo::default().stage(one.stage).module(**module).name(&one.entry)
        })
        .collect();
    let (bindings, attributes) = vertex_input(draw)?;
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(draw.topology)
        .primitive_restart_enable(draw.indices.is_some_and(|indices| indices.restart));
    let tessellation = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(draw.patch_vertices);
    let [width, height] = draw.size;
    let (w, h) = (width as f32, height as f32);
    let viewports = [vk::Viewport { x: 0.0, y: 0.0, width: w, height: h, min_depth: 0.0, max_depth: 1.0 }];
    let [width, height] = draw.scissor.unwrap_or(draw.size);
    let scissors = [vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } }];
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let mut last = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
        .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
    let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
        .line_width(1.0)
        .cull_mode(draw.cull_mode)
        .rasterizer_discard_enable(draw.discard);
    if draw.provoking_last {
        if !device.input.provokes_last {
            return Err(Error::new("the device has no provokingVertexLast"));
        }
        raster = raster.push_next(&mut last);
    }
    let samples = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let always = vk::CompareOp::ALWAYS;
    let (depths, colors): (Vec<_>, Vec<_>) =
        draw.attachments.iter().map(|attachment| attachment.format).partition(|format| is_depth(*format));
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(!depths.is_empty())
        .depth_write_enable(true)
        .depth_compare_op(always);
    let blends = vec![
        vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
        colors.len()
    ];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(&colors)
        .depth_attachment_format(depths.first().copied().unwrap_or(vk::Format::UNDEFINED));
    let mut info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .layout(layout);
    info = match pass {
        Some(pass) => info.render_pass(*pass.handle),
        None => info.push_next(&mut rendering),
    };
    if draw.topology == vk::PrimitiveTopology::PATCH_LIST {
        info = info.tessellation_state(&tessellation);
    }
    // SAFETY: the layout was made from the interfaces of the modules, and all that `info` points to outlives the call.
    let made = unsafe { device.raw.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    owned(device, made.map(|pipelines| pipelines[0]).map_err(|(_, error)| error), "vkCreateGraphicsPipelines")
}
