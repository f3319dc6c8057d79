//! Graphics: vertex to fragment stage, one draw, the attachments and the captured vertices read back.

use super::bind::{texture, Objects, SharedBuffers};
use super::resource::{texel_size, Image, Part, Resources};
use super::steps::Step;
use super::{Device, Error, Queries, Result};
use crate::context::{
    self, BufferRange, Context, DepthStencilAlphaState, Download, DrawIndirect, DrawInfo, DrawStart, Elements,
    FramebufferState, Query, QueryKind, QueryResult, RasterizerState, Scissor, StreamOutputTarget, VertexBuffer,
    VertexElement, Viewport,
};
use crate::format::aspects;
use crate::program::Shader;
use crate::resource::{Bind, Buffer, Surface, Texture};
use ash::vk;
use ntv::module::Stage;
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

/// The answers to [`Queries`], to those that were asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often stages ran.
    pub statistics: Option<Statistics>,
    /// What transform feedback captured.
    pub feedback: Option<Feedback>,
    /// How many primitives reached the end of vertex processing.
    pub generated: Option<u64>,
}

/// How often the stages of a draw ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Vertices that input assembly took.
    pub vertices: u64,
    /// Primitives that input assembly made.
    pub primitives: u64,
    /// Invocations of the vertex shader.
    pub vertex_invocations: u64,
    /// Primitives that clipping was given.
    pub clipped: u64,
    /// Primitives that clipping gave.
    pub visible: u64,
}

/// What transform feedback captured of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// Primitives that were written.
    pub written: u64,
    /// Primitives that would have been if the buffers had been large enough.
    pub needed: u64,
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

/// A draw with all that it wants, ready to be recorded.
pub(super) struct Drawing<'a> {
    draw: Draw<'a>,
    shaders: Vec<Arc<Shader>>,
    pub(super) objects: Objects,
    elements: Elements,
    vertex_buffers: Vec<Option<VertexBuffer>>,
    info: DrawInfo,
    indirect: Option<DrawIndirect>,
    targets: Vec<Arc<Texture>>,
    captures: Vec<(Arc<Buffer>, Option<Arc<StreamOutputTarget>>)>,
    queries: Vec<Arc<Query>>,
}

impl<'a> Drawing<'a> {
    /// Parts of buffers are of those that `shared` has, or gets. Without resources it can only be [made ready](Drawing::bind).
    pub(super) fn new(
        context: &mut Context,
        draw: &Draw<'a>,
        resources: Option<&Resources>,
        shared: &mut SharedBuffers,
    ) -> Result<Drawing<'a>> {
        let shaders = draw.modules.iter().map(|words| context.create_shader_of_words(words));
        let shaders: Vec<_> = shaders.collect::<Result<_>>()?;
        let objects = Objects::new(context, &shaders, resources, (shared, draw.push_constants))?;
        let elements = context.create_vertex_elements_state(&elements(draw)?)?;
        let inputs = draw
            .attributes
            .iter()
            .filter(|_| resources.is_some())
            .map(|attribute| Ok(Some(shared.input(context, attribute.bytes)?)));
        let vertex_buffers = inputs.collect::<Result<_>>()?;
        let indices = draw.indices.map(|indices| index_buffer(context, draw, &indices, shared)).transpose()?;
        let command = draw.indirect.as_ref().map(|part| shared.part(context, part)).transpose()?;
        let indirect = command.map(|BufferRange { buffer, offset, .. }| {
            // One command needs no stride.
            DrawIndirect { buffer, offset, stride: 0, draw_count: 1, count: None }
        });
        let targets = draw.attachments.iter().map(|attachment| target(context, draw, attachment));
        let targets = targets.collect::<Result<_>>()?;
        let captures = (0..draw.captures.len()).map(|number| capture(context, draw, number)).collect::<Result<_>>()?;
        let queries = kinds(draw.queries).into_iter().map(|kind| context.create_query(kind));
        let queries = queries.collect::<Result<_>>()?;
        let [_, start_instance] = draw.first;
        let info = DrawInfo { mode: draw.topology, indices, instance_count: draw.instances, start_instance };
        let draw = draw.clone();
        Ok(Drawing { draw, shaders, objects, elements, vertex_buffers, info, indirect, targets, captures, queries })
    }

    /// What the draw is of.
    pub(super) fn info(&self) -> &DrawInfo {
        &self.info
    }

    /// Sets all that comes before the draw.
    pub(super) fn bind(&self, context: &mut Context) -> Result<()> {
        let draw = &self.draw;
        for stage in Stage::ALL.into_iter().filter(|stage| *stage != Stage::Compute) {
            context.bind_shader(stage, self.shaders.iter().find(|shader| shader.stage() == stage))?;
        }
        self.shaders.iter().try_for_each(|shader| self.objects.bind(context, shader))?;
        context.set_push_constants(draw.push_constants)?;
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
        let (depths, colors): (Vec<_>, Vec<_>) =
            self.targets.iter().map(Surface::new).partition(|surface| is_depth(surface.format));
        let tests = context.create_depth_stencil_alpha_state(&DepthStencilAlphaState {
            depth: (!depths.is_empty()).then_some(vk::CompareOp::ALWAYS),
            depth_write: true,
            ..DepthStencilAlphaState::default()
        });
        context.bind_depth_stencil_alpha_state(&tests);
        context.set_framebuffer_state(&FramebufferState {
            colors: colors.into_iter().map(Some).collect(),
            depth_stencil: depths.into_iter().next(),
            size: draw.size,
            ..FramebufferState::default()
        })
    }

    /// Records the draw; any number of them, with barriers between.
    pub(super) fn record(&self, context: &mut Context) -> Result<()> {
        self.bind(context)?;
        let targets: Vec<_> = self.captures.iter().map(|(_, target)| target.clone()).collect();
        context.set_stream_output_targets(&targets, false)?;
        self.queries.iter().try_for_each(|query| context.begin_query(query))?;
        let [start, _] = self.draw.first;
        let index_bias = self.draw.indices.map_or(0, |indices| indices.base_vertex);
        let draws = [DrawStart { start, count: self.draw.vertices, index_bias }];
        context.draw_vbo(&self.info, self.indirect.as_ref(), &draws)?;
        self.queries.iter().try_for_each(|query| context.end_query(query))?;
        context.set_stream_output_targets(&[], false)
    }

    /// Asks for what was drawn and captured.
    pub(super) fn download(&self, context: &mut Context) -> Result<[Vec<Download>; 2]> {
        let mut target = |texture| context.download_texture(texture, context::Region::of_level(texture, 0));
        let targets = self.targets.iter().map(&mut target).collect::<Result<_>>()?;
        let captures = self.captures.iter().map(|(buffer, _)| context.download_buffer(buffer, 0, buffer.size()));
        Ok([targets, captures.collect::<Result<_>>()?])
    }

    /// What it gave, once the device is done.
    pub(super) fn read(&self, context: &mut Context, [targets, captures]: &[Vec<Download>; 2]) -> Result<Drawn> {
        let bytes = |list: &[Download]| list.iter().map(Download::bytes).collect::<Result<_>>();
        let mut counts = Counts::default();
        for query in &self.queries {
            match context.query_result(query, context.device.timeout)? {
                QueryResult::Value(generated) => counts.generated = Some(generated),
                QueryResult::StreamOutput { written, needed } => counts.feedback = Some(Feedback { written, needed }),
                QueryResult::Statistics { vertices, primitives, vertex_invocations, clipped, visible, .. } => {
                    let found = Statistics { vertices, primitives, vertex_invocations, clipped, visible };
                    counts.statistics = Some(found);
                }
            }
        }
        Ok(Drawn { attachments: bytes(targets)?, captures: bytes(captures)?, counts })
    }
}

/// The vertex elements: each attribute has a buffer of its own.
fn elements(draw: &Draw<'_>) -> Result<Vec<VertexElement>> {
    let mut list = Vec::new();
    for (buffer, attribute) in (0..).zip(draw.attributes) {
        let (location, format) = (attribute.location, attribute.format);
        let size = texel_size(format).ok_or_else(|| Error::new(format!("{format:?}")))?;
        let count = match attribute.per_instance {
            true => draw.instances,
            // Which vertices there are the indices say.
            false if draw.indices.is_some() => 0,
            false => draw.vertices,
        };
        if attribute.bytes.len() < size * count as usize {
            return Err(Error::new(format!("too few bytes for the attribute at location {location}")));
        }
        list.push((
            location as usize,
            VertexElement {
                vertex_buffer_index: buffer,
                src_offset: 0,
                src_stride: size as u32,
                src_format: format,
                instance_divisor: attribute.per_instance.into(),
            },
        ));
    }
    let count = list.iter().map(|(location, _)| location + 1).max().unwrap_or(0);
    // A location without an attribute, which no shader reads, has any of them.
    let of_location = |at| list.iter().find(|(location, _)| *location == at).or(list.first()).map(|row| row.1);
    Ok((0..count).filter_map(of_location).collect())
}

/// The index buffer of `draw`, if it has all indices.
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

/// An image that is drawn to, with what it is before the draw.
fn target(context: &mut Context, draw: &Draw<'_>, attachment: &Attachment) -> Result<Arc<Texture>> {
    let Attachment { format, clear } = attachment;
    if texel_size(*format) != Some(clear.len()) {
        return Err(Error::new(format!("the clear value is no texel of {format:?}")));
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

/// A buffer that transform feedback writes, between its margins.
fn capture(
    context: &mut Context,
    draw: &Draw<'_>,
    number: usize,
) -> Result<(Arc<Buffer>, Option<Arc<StreamOutputTarget>>)> {
    let [before, after] = draw.capture_margins.get(number).copied().unwrap_or_default();
    let size = draw.captures[number];
    let buffer = context.create_buffer_with(&vec![0; before + size + after])?;
    let range = BufferRange { buffer: Arc::clone(&buffer), offset: before as u64, size: size as u64 };
    Ok((buffer, Some(context.create_stream_output_target(range)?)))
}

/// The kinds of queries that are asked.
fn kinds(queries: Queries) -> Vec<QueryKind> {
    let rows = [
        (queries.statistics, QueryKind::PipelineStatistics),
        (queries.feedback, QueryKind::StreamOutputStatistics),
        (queries.generated, QueryKind::PrimitivesGenerated),
    ];
    rows.into_iter().filter(|row| row.0).map(|row| row.1).collect()
}
