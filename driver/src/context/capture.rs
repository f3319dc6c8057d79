//! Captures that shaders write themselves, for devices without `VK_EXT_transform_feedback`.
//!
//! | back end | who writes |
//! |-|-|
//! | [`BackEnd::Storage`] | the vertex shader that draws |
//! | [`BackEnd::Compute`] | a compute shader made of the vertex shader, before the draw: it reads vertex buffers as storage buffers |
//!
//! Both are told of each draw in a block of words ([`CaptureState`]). How many primitives were captured is counted here, so draws are
//! those whose numbers the host knows: without indices, not indirect.

use super::access::Use;
use super::descriptors::{buffer_descriptor, Descriptor};
use super::state::{DrawInfo, DrawStart, Topology};
use super::stream_output::{StreamOutputTarget, MAX_TARGETS};
use super::{Context, Dirty};
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;
use crate::program::{capture_program, Capturer, Program, Source};
use crate::resource::BufferStorage;
use ash::vk;
use ntv::capture::{fitting, Attribute, AttributeFormat, BackEnd, CaptureState, ProvokingVertex};
use ntv::capture::{BUFFER_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::module::Stage;
use std::sync::{Arc, PoisonError, Weak};

/// Vertices of a workgroup of a compute shader that captures.
const GROUP: u32 = 64;

/// What shaders that capture are told, and what they have done.
#[derive(Default)]
pub(super) struct CaptureProgress {
    /// Vertices that the draw that is being recorded captures.
    vertices: u32,
    /// What they are told of the draw.
    words: Vec<u32>,
}

impl Context {
    /// Whether the bound program has captures that this back end writes.
    fn captures_by(&self, back_end: BackEnd) -> bool {
        self.current.program.as_ref().is_some_and(|program| program.is_captured_by(back_end))
    }

    /// Tells shaders that capture of a draw that comes, and captures it where a compute shader does.
    pub(super) fn before_draw(&mut self, info: &DrawInfo, is_indirect: bool, draws: &[DrawStart]) -> Result<()> {
        self.feedback.capture.vertices = 0;
        let by = |context: &Context| [BackEnd::Storage, BackEnd::Compute].map(|back_end| context.captures_by(back_end));
        let [mut by_drawing, mut by_computing] = by(self);
        if self.dirty.contains(Dirty::Program) && (by_drawing || by_computing || self.bound.captures()) {
            // Who captures is known of the program.
            self.take_program()?;
            [by_drawing, by_computing] = by(self);
        }
        if !by_drawing && !by_computing {
            return Ok(());
        }
        let is_active = self.feedback.is_active();
        if is_active && (is_indirect || info.indices.is_some() || draws.len() > 1) {
            return Err(Error::new("shaders that capture take single draws without indices"));
        }
        let draw = draws.first().copied().unwrap_or_default();
        let state = if is_active { self.capture_state(info, draw)? } else { CaptureState::INACTIVE };
        let (_, written) = state.primitives();
        self.feedback.capture.vertices = written.saturating_mul(state.topology.vertices_per_primitive());
        if by_drawing {
            self.tell(&state.words());
        } else if is_active {
            self.capture_by_computing(&state)?;
        }
        Ok(())
    }

    fn capture_state(&self, info: &DrawInfo, draw: DrawStart) -> Result<CaptureState> {
        let Some(program) = &self.current.program else { return Ok(CaptureState::INACTIVE) };
        self.check_targets(program)?;
        let topology = capture_topology(info.mode)?;
        let mut captured = self.targets_that_are_written().map(StreamOutputTarget::vertices);
        let vertices_before = captured.next().unwrap_or(0);
        let has_whole = vertices_before.is_multiple_of(topology.vertices_per_primitive());
        if captured.any(|vertices| vertices != vertices_before) || !has_whole {
            return Err(Error::new("shaders that capture go on after whole primitives, after the same in all targets"));
        }
        let used = program.xfb.buffers.iter().zip(&self.feedback.targets).filter(|(buffer, _)| buffer.is_used);
        let room = used.map(|(buffer, target)| (buffer.stride, target.as_ref().map_or(0, |target| target.range.size)));
        let alignment = self.storage_alignment();
        let first_words = std::array::from_fn(|number| {
            let target = self.feedback.targets[number].as_ref();
            target.map_or(0, |target| (target.range.offset % alignment / 4) as u32)
        });
        Ok(CaptureState {
            is_active: true,
            topology,
            provoking: match self.rasterizer_state().flatshade_first {
                true => ProvokingVertex::First,
                false => ProvokingVertex::Last,
            },
            first_vertex: draw.start,
            vertices: draw.count,
            first_instance: info.start_instance,
            instances: info.instance_count,
            primitives_before: vertices_before / topology.vertices_per_primitive(),
            primitives_most: fitting(topology, room),
            first_words,
            ..CaptureState::INACTIVE
        })
    }

    /// The targets of the buffers that the bound program captures to.
    fn targets_that_are_written(&self) -> impl Iterator<Item = &StreamOutputTarget> {
        let buffers = self.current.program.iter().flat_map(|program| &program.xfb.buffers);
        let used = buffers.zip(&self.feedback.targets).filter(|(buffer, _)| buffer.is_used);
        used.filter_map(|(_, target)| target.as_deref())
    }

    /// Sets the words that the shader reads.
    fn tell(&mut self, words: &[u32]) {
        if self.feedback.capture.words != words {
            self.feedback.capture.words = words.to_vec();
            self.force(Dirty::StorageBuffers);
        }
    }

    /// Counts what was captured of a draw.
    pub(super) fn after_draw(&mut self) {
        let vertices = std::mem::take(&mut self.feedback.capture.vertices);
        if vertices != 0 {
            self.targets_that_are_written().for_each(|target| target.add_vertices(vertices));
        }
    }

    /// Runs the compute shader that is made of the vertex shader.
    fn capture_by_computing(&mut self, state: &CaptureState) -> Result<()> {
        self.end_rendering();
        let alignment = self.storage_alignment();
        let offset = |number| {
            let bound = self.bound.vertex_buffers.get(number);
            bound.map_or(0, |bound| (bound.offset % alignment) as u32)
        };
        let offsets: Vec<u32> = (0..super::bind::MAX_VERTEX_BUFFERS).map(offset).collect();
        self.feedback.capture.words = state.dispatch_words(&offsets);
        let (program, pipeline) = self.capture_program()?;
        let point = vk::PipelineBindPoint::COMPUTE;
        self.batch.keep(pipeline.id, &pipeline);
        self.bind_compute_sets(&program)?;
        let groups = [state.vertices.div_ceil(GROUP), state.instances, 1];
        let (raw, commands) = (&self.device.raw, self.batch.commands);
        // SAFETY: the buffer is recording, outside of a rendering; the pipeline is for this bind point, the batch keeps it, and its
        // descriptors are bound.
        unsafe {
            raw.cmd_bind_pipeline(commands, point, *pipeline.raw);
            raw.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
        }
        self.counters.dispatches += 1;
        // What the application had bound for computing is bound again when it dispatches.
        self.force(Dirty::ComputeProgram);
        self.force(Dirty::Accesses);
        Ok(())
    }

    /// The compute shader of the bound program and vertex elements.
    fn capture_program(&mut self) -> Result<(Arc<Program>, Arc<Pipeline>)> {
        let missing = || Error::new("nothing is bound that could be captured");
        let program = self.current.program.clone().ok_or_else(missing)?;
        let elements = self.bound.elements.get().clone().ok_or_else(missing)?;
        let mut capturers = program.capturers.lock().unwrap_or_else(PoisonError::into_inner);
        capturers.retain(|known| known.elements.strong_count() > 0);
        let is_of = |known: &&Capturer| Weak::as_ptr(&known.elements) == Arc::as_ptr(&elements.0);
        if let Some(known) = capturers.iter().find(is_of) {
            return Ok((Arc::clone(&known.program), Arc::clone(&known.pipeline)));
        }
        let shader = self.bound.shaders[Stage::Vertex as usize].clone().ok_or_else(missing)?;
        let Source::Nir(nir) = &shader.source else {
            return Err(Error::new("a shader that computes captures is made of NIR"));
        };
        let attributes: Vec<Attribute> = (0u32..)
            .zip(&elements.0.state.list)
            .filter(|(location, _)| program.attributes.checked_shr(*location).unwrap_or(0) & 1 != 0)
            .map(|(location, element)| {
                let name = format!("{:?}", element.src_format);
                let format = AttributeFormat::from_name(&name);
                Ok(Attribute {
                    location,
                    format: format.ok_or_else(|| Error::new(format!("no shader reads attributes of format {name}")))?,
                    binding: element.vertex_buffer_index,
                    offset: element.src_offset,
                    stride: element.src_stride,
                    divisor: (element.instance_divisor > 0).then_some(element.instance_divisor),
                })
            })
            .collect::<Result<_>>()?;
        let device = (&self.device, &self.shared.programs.layouts);
        let made = capture_program(device, self.shared.programs.target(), nir, attributes)?;
        let made = self.shared.programs.adopt(made);
        let pipeline = self.shared.pipelines.compute(&made)?;
        let elements = Arc::downgrade(&elements.0);
        capturers.push(Capturer { elements, program: Arc::clone(&made), pipeline: Arc::clone(&pipeline) });
        Ok((made, pipeline))
    }

    fn storage_alignment(&self) -> u64 {
        self.device.limits.min_storage_buffer_offset_alignment.max(4)
    }

    /// The descriptor of what a shader that captures has beside the application's shader buffers; `None` for those.
    pub(super) fn describe_captured(&mut self, number: usize) -> Result<Option<Descriptor>> {
        let alignment = self.storage_alignment();
        if number == STATE_BINDING as usize {
            let words = match self.feedback.capture.words.is_empty() {
                true => CaptureState::INACTIVE.words().to_vec(),
                false => self.feedback.capture.words.clone(),
            };
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let place = self.upload(&bytes, bytes.len() as u64, alignment)?;
            return Ok(Some(buffer_descriptor(*place.storage.raw, place.offset, bytes.len() as u64)));
        }
        if let Some(buffer) = number.checked_sub(VERTEX_BUFFER_BINDING as usize) {
            let Some(bound) = self.bound.vertex_buffers.get(buffer).cloned() else { return Ok(None) };
            let storage = bound.buffer.storage();
            return Ok(Some(self.describe_words(&storage, bound.offset, storage.size - bound.offset)));
        }
        let target = number.checked_sub(BUFFER_BINDING as usize).filter(|target| *target < MAX_TARGETS);
        let Some(target) = target else { return Ok(None) };
        match self.feedback.targets[target].clone() {
            Some(target) => {
                let storage = target.range.buffer.storage();
                Ok(Some(self.describe_words(&storage, target.range.offset, target.range.size)))
            }
            None => {
                // The shader is told to write nothing.
                let place = self.upload(&[0; 16], 16, alignment)?;
                Ok(Some(buffer_descriptor(*place.storage.raw, place.offset, 16)))
            }
        }
    }

    /// A storage buffer that begins at an alignment before `offset`.
    fn describe_words(&mut self, storage: &Arc<BufferStorage>, offset: u64, size: u64) -> Descriptor {
        self.use_buffer(storage, Use::Storage);
        let before = offset % self.storage_alignment();
        buffer_descriptor(*storage.raw, offset - before, size + before)
    }
}

fn capture_topology(mode: Topology) -> Result<ntv::capture::Topology> {
    use ntv::capture::Topology as Captured;
    Ok(match mode {
        Topology::POINT_LIST => Captured::Points,
        Topology::LINE_LIST => Captured::Lines,
        Topology::LINE_STRIP => Captured::LineStrip,
        Topology::TRIANGLE_LIST => Captured::Triangles,
        Topology::TRIANGLE_STRIP => Captured::TriangleStrip,
        Topology::TRIANGLE_FAN => Captured::TriangleFan,
        other => return Err(Error::new(format!("shaders capture no {other:?}"))),
    })
}
