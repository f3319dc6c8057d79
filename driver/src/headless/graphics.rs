// SPDX-License-Identifier: MIT

//! Graphics: vertex to fragment stage, one draw, and readback of the attachments and the captured vertices.

use super::bind::{texture, SharedBuffers, Stages};
use super::resource::{texel_size, Image, Part, Resources};
use super::steps::Step;
use super::{Device, Error, Queries, Result};
use crate::context::{
    self, BufferRange, Context, DepthStencilAlphaState, Download, DrawIndirect, DrawInfo, DrawStart, Elements,
    FramebufferState, Query, QueryKind, QueryResult, RasterizerState, Region, Scissor, Statistics, StreamOutputCounts,
    StreamOutputTarget, VertexBuffer, VertexElement, Viewport,
};
use crate::format::aspects;
use crate::resource::{Bind, Surface, Texture};
use ash::vk;
use std::sync::Arc;

/// A draw of one pipeline.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The words of each stage, in any order.
    pub modules: &'a [&'a [u32]],
    /// The topology of primitives.
    pub topology: vk::PrimitiveTopology,
    /// Whether the last vertex of a primitive is the provoking one, as in GL, instead of the first.
    pub provoking_last: bool,
    /// The number of vertices of a patch, if there are tessellation shaders.
    pub patch_vertices: u32,
    /// The number of vertices, or of indices if there are any; of workgroups if there is a mesh shader.
    pub vertices: u32,
    /// The number of instances.
    pub instances: u32,
    /// The first vertex and the first instance, from which VertexIndex and InstanceIndex count. If there are indices, the first
    /// index.
    pub first: [u32; 2],
    /// A part with a command that replaces these four numbers, and the base vertex if there are indices: `VkDrawIndirectCommand`,
    /// `VkDrawIndexedIndirectCommand`. The four numbers still give the size of the attributes.
    pub indirect: Option<Part>,
    /// The indices of the vertices.
    pub indices: Option<Indices<'a>>,
    /// Inputs of the vertex shader.
    pub attributes: &'a [Attribute<'a>],
    /// Push constants from offset 0 on.
    pub push_constants: &'a [u8],
    /// Width and height of the attachments, all of which the viewport covers.
    pub size: [u32; 2],
    /// The attachments; colors in the order of their locations.
    pub attachments: &'a [Attachment],
    /// Whether primitives are discarded before rasterization. The fragment shader and the attachments are optional then.
    pub discard: bool,
    /// The number of bytes of each transform feedback buffer.
    pub captures: &'a [usize],
    /// The sides of triangles that are culled.
    pub cull_mode: vk::CullModeFlags,
    /// Width and height of the scissor, from the corner on; `None` for no scissor. OpenGL allows viewports of size zero, Vulkan
    /// only scissors.
    pub scissor: Option<[u32; 2]>,
    /// The queries around the draw.
    pub queries: Queries,
    /// The number of bytes before and after each capture in the same buffer, which transform feedback must not write. Empty for
    /// no margins.
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

/// Indices of vertices.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    /// The type of an index.
    pub ty: vk::IndexType,
    /// The index buffer. It must contain every index of the draw, and the attributes every vertex of these indices. It may be a
    /// range of a shared buffer, like an [`Attribute`].
    pub bytes: &'a [u8],
    /// Whether the largest index restarts the primitive.
    pub restart: bool,
    /// The number that is added to each index.
    pub base_vertex: i32,
}

/// An input of the vertex shader.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Location.
    pub location: u32,
    /// The format of a vertex in `bytes`; see [`texel_size`].
    pub format: vk::Format,
    /// The values without gaps. If they are a range of the very bytes of a [`Part`] that was bound before in the same batch, and
    /// not only equal bytes, they share its buffer on the device.
    pub bytes: &'a [u8],
    /// Whether there is a value for each instance instead of each vertex.
    pub per_instance: bool,
}

/// A render target. An attachment with a depth format is the depth attachment, which every fragment passes and writes. Shaders
/// may read it as an input attachment, see [`attachment_number`](ntv::target::attachment_number).
#[derive(Clone, Debug)]
pub struct Attachment {
    /// The format of a texel.
    pub format: vk::Format,
    /// The bytes of every texel before the draw.
    pub clear: Vec<u8>,
}

/// The results of the [`Queries`] that were requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of invocations of the stages.
    pub statistics: Option<Statistics>,
    /// The transform feedback counts.
    pub feedback: Option<StreamOutputCounts>,
    /// The number of primitives that reached the end of vertex processing.
    pub generated: Option<u64>,
}

/// The results of a draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The texels of each attachment, row by row from the top.
    pub attachments: Vec<Vec<u8>>,
    /// Each transform feedback buffer, with its margins.
    pub captures: Vec<Vec<u8>>,
    /// The results of the queries.
    pub counts: Counts,
}

impl Device {
    /// Runs `draw`, returns its attachments and stores the writes of its shaders in `resources`.
    pub fn draw(&self, draw: &Draw<'_>, resources: &mut Resources) -> Result<Drawn> {
        let mut drawn = Drawn::default();
        self.run(&mut [Step::Draw(draw.clone(), resources, &mut drawn)])?;
        Ok(drawn)
    }
}

/// A draw with all of its resources, ready to be recorded.
pub(super) struct Drawing<'a> {
    draw: Draw<'a>,
    pub(super) stages: Stages<'a>,
    elements: Elements,
    vertex_buffers: Vec<Option<VertexBuffer>>,
    pub(super) info: DrawInfo,
    indirect: Option<DrawIndirect>,
    targets: Vec<Arc<Texture>>,
    captures: Vec<Option<Arc<StreamOutputTarget>>>,
    queries: Vec<Arc<Query>>,
}

impl<'a> Drawing<'a> {
    /// Parts use the buffers of `shared`, which gets the missing ones. Without resources it can only be [bound](Drawing::bind).
    pub(super) fn new(
        context: &mut Context,
        draw: &Draw<'a>,
        resources: Option<&Resources>,
        shared: &mut SharedBuffers,
    ) -> Result<Drawing<'a>> {
        let stages = Stages::new(context, draw.modules, (resources, draw.push_constants), shared)?;
        let elements = context.create_vertex_elements_state(&elements(draw)?)?;
        let inputs = draw.attributes.iter().filter(|_| resources.is_some());
        let inputs = inputs.map(|attribute| Ok(Some(shared.input(context, attribute.bytes)?)));
        let vertex_buffers = inputs.collect::<Result<_>>()?;
        let indices = draw.indices.map(|indices| index_buffer(context, draw, &indices, shared)).transpose()?;
        let command = draw.indirect.as_ref().map(|part| shared.part(context, part)).transpose()?;
        let indirect = command.map(|BufferRange { buffer, offset, .. }| {
            // One command needs no stride.
            DrawIndirect { buffer, offset, stride: 0, draw_count: 1, count: None }
        });
        let targets = draw.attachments.iter().map(|attachment| target(context, draw, attachment));
        let targets = targets.collect::<Result<_>>()?;
        let captures = (0..draw.captures.len()).map(|number| capture(context, draw, number).map(Some));
        let captures = captures.collect::<Result<_>>()?;
        let queries = kinds(draw.queries).map(|kind| context.create_query(kind)).collect::<Result<_>>()?;
        let [_, start_instance] = draw.first;
        let info = DrawInfo { mode: draw.topology, indices, instance_count: draw.instances, start_instance };
        let draw = draw.clone();
        Ok(Drawing { draw, stages, elements, vertex_buffers, info, indirect, targets, captures, queries })
    }

    /// Sets all state of the draw.
    pub(super) fn bind(&self, context: &mut Context) -> Result<()> {
        let draw = &self.draw;
        self.stages.bind(context)?;
        context.bind_vertex_elements_state(&self.elements);
        context.set_vertex_buffers(0, &self.vertex_buffers)?;
        context.set_patch_vertices(draw.patch_vertices);
        let rasterizer = context.create_rasterizer_state(&RasterizerState {
            cull_face: draw.cull_mode,
            rasterizer_discard: draw.discard,
            flatshade_first: !draw.provoking_last,
            scissor: draw.scissor.is_some(),
            ..RasterizerState::default()
        });
        context.bind_rasterizer_state(&rasterizer);
        let [width, height] = draw.size;
        let (rect, size) = ([0.0, 0.0, width as f32, height as f32], draw.scissor.unwrap_or_default());
        context.set_viewport_states(&[Viewport { rect, depth: [0.0, 1.0] }]);
        context.set_scissor_states(&[Scissor { offset: [0; 2], size }]);
        let surfaces = self.targets.iter().map(Surface::new);
        let (depths, colors): (Vec<_>, Vec<_>) = surfaces.partition(|surface| is_depth(surface.format));
        let tests = context.create_depth_stencil_alpha_state(&DepthStencilAlphaState {
            depth: (!depths.is_empty()).then_some(vk::CompareOp::ALWAYS),
            depth_write: true,
            ..DepthStencilAlphaState::default()
        });
        context.bind_depth_stencil_alpha_state(&tests);
        let (colors, depth_stencil) = (colors.into_iter().map(Some).collect(), depths.into_iter().next());
        context.set_framebuffer_state(&FramebufferState {
            colors,
            depth_stencil,
            size: draw.size,
            ..Default::default()
        })
    }

    /// Records the draw. It may be recorded any number of times, with barriers in between.
    pub(super) fn record(&self, context: &mut Context) -> Result<()> {
        self.bind(context)?;
        context.set_stream_output_targets(&self.captures, false)?;
        self.queries.iter().try_for_each(|query| context.begin_query(query))?;
        let [start, _] = self.draw.first;
        let index_bias = self.draw.indices.map_or(0, |indices| indices.base_vertex);
        let draws = [DrawStart { start, count: self.draw.vertices, index_bias }];
        match (self.stages.has_meshes(), self.is_of_vertices()) {
            (false, _) => context.draw_vbo(&self.info, self.indirect.as_ref(), &draws)?,
            (true, false) => context.draw_mesh_tasks([self.draw.vertices, 1, 1])?,
            (true, true) => {
                let what = "a draw with a mesh shader has no instances, indices, attributes, first vertex, captures or parameters";
                return Err(Error::new(what));
            }
        }
        self.queries.iter().try_for_each(|query| context.end_query(query))?;
        context.set_stream_output_targets(&[], false)
    }

    /// Whether the draw has something that only a vertex shader can have.
    fn is_of_vertices(&self) -> bool {
        let draw = &self.draw;
        let has_parameters = draw.indirect.is_some() || draw.indices.is_some() || draw.first != [0; 2];
        has_parameters || draw.instances != 1 || !draw.attributes.is_empty() || !draw.captures.is_empty()
    }

    /// Starts downloads of the attachments and captures.
    pub(super) fn download(&self, context: &mut Context) -> Result<[Vec<Download>; 2]> {
        let target = |texture| context.download_texture(texture, Region::of_level(texture, 0));
        let targets = self.targets.iter().map(target).collect::<Result<_>>()?;
        let buffers = self.captures.iter().flatten().map(|target| &target.range.buffer);
        let captures = buffers.map(|buffer| context.download_buffer(buffer, 0, buffer.size()));
        Ok([targets, captures.collect::<Result<_>>()?])
    }

    /// The results of the draw, once the device is done.
    pub(super) fn read(&self, context: &mut Context, [targets, captures]: &[Vec<Download>; 2]) -> Result<Drawn> {
        let bytes = |list: &[Download]| list.iter().map(Download::bytes).collect::<Result<_>>();
        let mut counts = Counts::default();
        for query in &self.queries {
            match context.query_result(query, context.device.timeout)? {
                QueryResult::Value(generated) => counts.generated = Some(generated),
                QueryResult::StreamOutput(feedback) => counts.feedback = Some(feedback),
                QueryResult::Statistics(statistics) => counts.statistics = Some(statistics),
            }
        }
        Ok(Drawn { attachments: bytes(targets)?, captures: bytes(captures)?, counts })
    }
}

/// The vertex elements: each attribute has its own buffer.
fn elements(draw: &Draw<'_>) -> Result<Vec<VertexElement>> {
    let mut list = Vec::new();
    for (vertex_buffer_index, attribute) in (0..).zip(draw.attributes) {
        let Attribute { location, format: src_format, per_instance, .. } = *attribute;
        let size = texel_size(src_format).ok_or_else(|| Error::new(format!("{src_format:?}")))?;
        let count = match per_instance {
            true => draw.instances,
            // The indices choose the vertices.
            false if draw.indices.is_some() => 0,
            false => draw.vertices,
        };
        if attribute.bytes.len() < size * count as usize {
            return Err(Error::new(format!("too few bytes for the attribute at location {location}")));
        }
        let (src_stride, instance_divisor) = (size as u32, per_instance.into());
        let element = VertexElement { vertex_buffer_index, src_offset: 0, src_stride, src_format, instance_divisor };
        list.push((location, element));
    }
    let count = list.iter().map(|(location, _)| location + 1).max().unwrap_or(0);
    // A location without an attribute, which no shader reads, gets the first attribute.
    let of_location = |at| list.iter().find(|(location, _)| *location == at).or(list.first()).map(|row| row.1);
    Ok((0..count).filter_map(of_location).collect())
}

/// The index buffer of `draw`, if it contains all indices.
fn index_buffer(
    context: &mut Context,
    draw: &Draw<'_>,
    indices: &Indices<'_>,
    shared: &SharedBuffers,
) -> Result<context::Indices> {
    let size = context::index_size(indices.ty).ok_or_else(|| Error::new(format!("{:?}", indices.ty)))?;
    let end = (u64::from(draw.vertices) + u64::from(draw.first[0])) * size;
    if (indices.bytes.len() as u64) < end {
        return Err(Error::new("too few bytes for the indices"));
    }
    let VertexBuffer { buffer, offset } = shared.input(context, indices.bytes)?;
    Ok(context::Indices { buffer, offset, ty: indices.ty, restart: indices.restart })
}

/// Creates a render target with its initial contents.
fn target(context: &mut Context, draw: &Draw<'_>, Attachment { format, clear }: &Attachment) -> Result<Arc<Texture>> {
    if texel_size(*format) != Some(clear.len()) {
        return Err(Error::new(format!("the clear value is not a texel of {format:?}")));
    }
    let [width, height] = draw.size;
    let texels = clear.repeat(width as usize * height as usize);
    let bind = if is_depth(*format) { Bind::DEPTH_STENCIL } else { Bind::RENDER_TARGET };
    texture(context, &Image::new_2d(*format, width, height, texels), bind)
}

/// Whether an attachment of `format` is the depth attachment.
fn is_depth(format: vk::Format) -> bool {
    aspects(format).contains(vk::ImageAspectFlags::DEPTH)
}

/// A range of a new buffer that transform feedback writes, between its margins.
fn capture(context: &mut Context, draw: &Draw<'_>, number: usize) -> Result<Arc<StreamOutputTarget>> {
    let [before, after] = draw.capture_margins.get(number).copied().unwrap_or_default();
    let size = draw.captures[number];
    let buffer = context.create_buffer_with(&vec![0; before + size + after])?;
    context.create_stream_output_target(BufferRange { buffer, offset: before as u64, size: size as u64 })
}

/// The kinds of the requested queries.
fn kinds(queries: Queries) -> impl Iterator<Item = QueryKind> {
    let rows = [
        (queries.statistics, QueryKind::PipelineStatistics),
        (queries.feedback, QueryKind::StreamOutputStatistics),
        (queries.generated, QueryKind::PrimitivesGenerated),
    ];
    rows.into_iter().filter(|row| row.0).map(|row| row.1)
}
