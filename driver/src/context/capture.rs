// SPDX-License-Identifier: MIT

//! Captures by shaders, for devices without `VK_EXT_transform_feedback`.
//!
//! | back end | shader that writes |
//! |-|-|
//! | [`BackEnd::Storage`] | the vertex shader of the draw |
//! | [`BackEnd::Compute`] | a compute shader from the vertex shader, before the draw: it reads vertex buffers as storage buffers |
//!
//! Both get the parameters of each draw in a block of words ([`CaptureState`]). The host counts the captured primitives, so it
//! must know the numbers of the draws: they have no indices and are not indirect.

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
use ntv::module::ShaderStage;
use std::sync::{Arc, PoisonError, Weak};

/// The number of vertices of a workgroup of a capturing compute shader.
const GROUP: u32 = 64;

/// The parameters of capturing shaders, and their progress.
#[derive(Default)]
pub(super) struct CaptureProgress {
    /// The number of vertices that the current draw captures.
    vertices: u32,
    /// The parameters of the draw.
    words: Vec<u32>,
}

impl Context {
    /// Whether the bound program has captures that this back end writes.
    fn captures_by(&self, back_end: BackEnd) -> bool {
        self.current.program.as_ref().is_some_and(|program| program.is_captured_by(back_end))
    }

    /// Sets the parameters of capturing shaders for the next draw, and runs the compute shader if it captures.
    pub(super) fn before_draw(&mut self, info: &DrawInfo, is_indirect: bool, draws: &[DrawStart]) -> Result<()> {
        self.feedback.capture.vertices = 0;
        let by = |context: &Context| [BackEnd::Storage, BackEnd::Compute].map(|back_end| context.captures_by(back_end));
        let [mut by_drawing, mut by_computing] = by(self);
        if self.changes.is_dirty(Dirty::Program) && (by_drawing || by_computing || self.bound.captures()) {
            // The program determines the back end.
            self.take_program()?;
            [by_drawing, by_computing] = by(self);
        }
        if !by_drawing && !by_computing {
            return Ok(());
        }
        let is_active = self.feedback.is_active();
        if is_active && (is_indirect || info.indices.is_some() || draws.len() > 1) {
            return Err(Error::new("captures by shaders support only single draws without indices"));
        }
        let draw = draws.first().copied().unwrap_or_default();
        let state = if is_active { self.capture_state(info, draw)? } else { CaptureState::INACTIVE };
        let (_, written) = state.primitives();
        self.feedback.capture.vertices = written.saturating_mul(state.topology.vertices_per_primitive());
        if by_drawing {
            self.set_capture_words(&state.words());
        } else if is_active {
            self.capture_by_computing(&state)?;
        }
        Ok(())
    }

    fn capture_state(&self, info: &DrawInfo, draw: DrawStart) -> Result<CaptureState> {
        let Some(program) = &self.current.program else { return Ok(CaptureState::INACTIVE) };
        self.check_targets(program)?;
        let topology = capture_topology(info.mode)?;
        let mut captured = self.written_targets().map(StreamOutputTarget::vertices);
        let vertices_before = captured.next().unwrap_or(0);
        let has_whole = vertices_before.is_multiple_of(topology.vertices_per_primitive());
        if captured.any(|vertices| vertices != vertices_before) || !has_whole {
            return Err(Error::new(
                "captures by shaders can only continue after whole primitives, equal in all targets",
            ));
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
    fn written_targets(&self) -> impl Iterator<Item = &StreamOutputTarget> {
        let buffers = self.current.program.iter().flat_map(|program| &program.xfb.buffers);
        let used = buffers.zip(&self.feedback.targets).filter(|(buffer, _)| buffer.is_used);
        used.filter_map(|(_, target)| target.as_deref())
    }

    /// Sets the words that the shader reads.
    fn set_capture_words(&mut self, words: &[u32]) {
        if self.feedback.capture.words != words {
            self.feedback.capture.words = words.to_vec();
            self.force(Dirty::StorageBuffers);
        }
    }

    /// Counts the captured vertices of a draw.
    pub(super) fn after_draw(&mut self) {
        let vertices = std::mem::take(&mut self.feedback.capture.vertices);
        if vertices != 0 {
            self.written_targets().for_each(|target| target.add_vertices(vertices));
        }
    }

    /// Runs the compute shader that was created from the vertex shader.
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
        // SAFETY: the buffer is recording, outside of a rendering; the pipeline is for this bind point, the batch keeps it, and
        // its descriptors are bound.
        unsafe {
            raw.cmd_bind_pipeline(commands, point, *pipeline.raw);
            raw.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
        }
        self.counters.dispatches += 1;
        // The next dispatch binds the application's compute state again.
        self.force(Dirty::ComputeProgram);
        self.force(Dirty::Accesses);
        Ok(())
    }

    /// The compute shader of the bound program and vertex elements.
    fn capture_program(&mut self) -> Result<(Arc<Program>, Arc<Pipeline>)> {
        let missing = || Error::new("captures need a program and vertex elements");
        let program = self.current.program.clone().ok_or_else(missing)?;
        let elements = self.bound.elements.get().clone().ok_or_else(missing)?;
        let mut capturers = program.capturers.lock().unwrap_or_else(PoisonError::into_inner);
        capturers.retain(|known| known.elements.strong_count() > 0);
        let is_of = |known: &&Capturer| Weak::as_ptr(&known.elements) == Arc::as_ptr(&elements.0);
        if let Some(known) = capturers.iter().find(is_of) {
            return Ok((Arc::clone(&known.program), Arc::clone(&known.pipeline)));
        }
        let shader = self.bound.shaders[ShaderStage::Vertex as usize].clone().ok_or_else(missing)?;
        let Source::Nir(nir) = &shader.source else {
            return Err(Error::new("captures by compute shaders need shaders of NIR"));
        };
        let attributes: Vec<Attribute> = (0u32..)
            .zip(&elements.0.state.list)
            .filter(|(location, _)| program.attributes.checked_shr(*location).unwrap_or(0) & 1 != 0)
            .map(|(location, element)| {
                let name = format!("{:?}", element.src_format);
                let format = AttributeFormat::from_name(&name);
                Ok(Attribute {
                    location,
                    format: format.ok_or_else(|| {
                        Error::new(format!("attributes of format {name} cannot be read by compute shaders"))
                    })?,
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

    /// The descriptor of a resource that capturing shaders use in addition to the application's shader buffers; `None` for the
    /// latter.
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
                // The shader gets parameters that disable its writes.
                let place = self.upload(&[0; 16], 16, alignment)?;
                Ok(Some(buffer_descriptor(*place.storage.raw, place.offset, 16)))
            }
        }
    }

    /// A storage buffer that begins at the last aligned offset up to `offset`.
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
        other => return Err(Error::new(format!("shaders cannot capture {other:?}"))),
    })
}
