// SPDX-License-Identifier: MIT

//! Draws: Gallium's `draw_vbo`.

use super::access::Use;
use super::state::{DrawIndirect, DrawInfo, DrawStart, Indices, Topology};
use super::stream_output::{Captured, StreamOutputTarget};
use super::{Command, Context, Dirty};
use crate::error::{Error, Result};
use crate::pipeline::Word;
use crate::resource::{Buffer, BufferStorage};
use ash::vk;
use std::sync::Arc;

/// An index buffer as the command buffer has it.
pub(super) struct BoundIndices {
    buffer: Arc<Buffer>,
    offset: u64,
    ty: vk::IndexType,
}

/// The most workgroups in each direction that every device with mesh shaders takes (Vulkan, "Required Limits").
const MOST_GROUPS: u32 = 65535;

/// The most workgroups in all.
const MOST_GROUPS_IN_ALL: u64 = 1 << 22;

/// The size of an index in bytes; `None` for types that are not supported.
pub(crate) fn index_size(ty: vk::IndexType) -> Option<u64> {
    match ty {
        vk::IndexType::UINT8_EXT => Some(1),
        vk::IndexType::UINT16 => Some(2),
        vk::IndexType::UINT32 => Some(4),
        _ => None,
    }
}

/// The class of a topology (Vulkan, "Topology Class"), given by one of its members. A pipeline depends on the class.
fn class(topology: Topology) -> Topology {
    match topology {
        Topology::POINT_LIST | Topology::PATCH_LIST => topology,
        Topology::LINE_LIST
        | Topology::LINE_STRIP
        | Topology::LINE_LIST_WITH_ADJACENCY
        | Topology::LINE_STRIP_WITH_ADJACENCY => Topology::LINE_LIST,
        _ => Topology::TRIANGLE_LIST,
    }
}

impl Context {
    /// Draws `draws`, or the commands of `indirect`.
    pub fn draw_vbo(&mut self, info: &DrawInfo, indirect: Option<&DrawIndirect>, draws: &[DrawStart]) -> Result<()> {
        self.flush_if_long()?;
        self.take_messages();
        self.current.is_settled = false;
        self.set_topology(info)?;
        if let Some(indices) = &info.indices {
            self.use_indices(indices)?;
        }
        let indirect = indirect.map(|indirect| self.use_indirect(indirect, info.indices.is_some())).transpose()?;
        self.before_draw(info, indirect.is_some(), draws)?;
        self.sync(Command::Draw)?;
        self.check_meshes(false)?;
        self.record_input(info);
        self.resume_feedback()?;
        let recorded = match indirect {
            Some(indirect) => self.record_indirect(&indirect, info.indices.is_some()),
            None => self.record_draws(info, draws),
        };
        self.batch.draws += recorded;
        self.counters.draws += u64::from(recorded);
        self.after_draw();
        Ok(())
    }

    /// Draws with `groups` workgroups of the task shader, or of the mesh shader if there is no task shader: Gallium's
    /// `draw_mesh_tasks`.
    pub fn draw_mesh_tasks(&mut self, groups: [u32; 3]) -> Result<()> {
        let Some(functions) = self.device.mesh.clone() else {
            return Err(Error::new("the device has no meshShader"));
        };
        let total: u64 = groups.iter().map(|count| u64::from(*count)).product();
        if groups.iter().any(|count| *count > MOST_GROUPS) || total > MOST_GROUPS_IN_ALL {
            return Err(Error::new(format!("{groups:?} workgroups exceed the limits that all devices have")));
        }
        self.flush_if_long()?;
        self.take_messages();
        self.current.is_settled = false;
        self.set_topology(&DrawInfo::default())?;
        self.sync(Command::Draw)?;
        self.check_meshes(true)?;
        let [x, y, z] = groups;
        // SAFETY: the buffer is recording, within a rendering; pipeline, descriptors and all dynamic state are set.
        unsafe { functions.cmd_draw_mesh_tasks(self.batch.commands, x, y, z) };
        self.batch.draws += 1;
        self.counters.draws += 1;
        self.after_draw();
        Ok(())
    }

    /// Checks that the bound program has a mesh shader, or that it has none.
    fn check_meshes(&self, wanted: bool) -> Result<()> {
        let has = self.current.program.as_ref().is_some_and(|program| program.has_meshes);
        match (has, wanted) {
            (true, false) => Err(Error::new("a draw of vertices cannot have a mesh shader")),
            (false, true) => Err(Error::new("a draw of workgroups needs a mesh shader")),
            _ => Ok(()),
        }
    }

    /// Draws a list of triangles with this number of vertices.
    pub fn draw_triangles(&mut self, vertices: u32) -> Result<()> {
        self.draw_vbo(&DrawInfo::default(), None, &[DrawStart { count: vertices, ..DrawStart::default() }])
    }

    /// Draws the number of vertices that `target` captured: GL's `glDrawTransformFeedback`.
    pub fn draw_stream_output(&mut self, info: &DrawInfo, target: &StreamOutputTarget) -> Result<()> {
        if info.indices.is_some() {
            return Err(Error::new("a draw of captured vertices must have no indices"));
        }
        match target.captured() {
            Captured::Vertices(count) => self.draw_vbo(info, None, &[DrawStart { count, ..DrawStart::default() }]),
            Captured::OnDevice { stride } => self.draw_byte_count(info, target, stride),
        }
    }

    /// Draws the number of vertices that the device captured to `target`, with `stride` bytes each.
    fn draw_byte_count(&mut self, info: &DrawInfo, target: &StreamOutputTarget, stride: u32) -> Result<()> {
        let Some(functions) = self.device.feedback.clone() else {
            return Err(Error::new("the device has no transformFeedback"));
        };
        self.flush_if_long()?;
        self.take_messages();
        self.current.is_settled = false;
        self.set_topology(info)?;
        // A running capture ends first, because the draw reads its counter.
        self.suspend_feedback();
        let counter = target.counter.storage();
        self.use_buffer(&counter, Use::FeedbackCounter);
        self.flush_barriers();
        self.before_draw(info, true, &[])?;
        self.sync(Command::Draw)?;
        self.check_meshes(false)?;
        self.record_input(info);
        self.resume_feedback()?;
        let (instances, first) = (info.instance_count, info.start_instance);
        // SAFETY: the buffer is recording, within a rendering; the counter has the number of captured bytes.
        unsafe {
            let commands = self.batch.commands;
            let draw = functions.fp().cmd_draw_indirect_byte_count_ext;
            draw(commands, instances, first, *counter.raw, 0, 0, stride);
        }
        self.batch.draws += 1;
        self.counters.draws += 1;
        self.after_draw();
        Ok(())
    }

    /// Records the class of the topology, which pipelines depend on, and whether there are indices.
    pub(super) fn set_topology(&mut self, info: &DrawInfo) -> Result<()> {
        let (class, points) = (class(info.mode).as_raw() as u32, Topology::POINT_LIST.as_raw() as u32);
        let before = self.current.desc.get(Word::Topology);
        if before != class {
            self.current.desc.set(Word::Topology, class);
            self.force(Dirty::Pipeline);
            if [before, class].contains(&points) {
                // Points need a size.
                self.force(Dirty::ShaderKey);
            }
        }
        let is_indexed = info.indices.is_some();
        if self.current.is_indexed != is_indexed {
            self.current.is_indexed = is_indexed;
            if self.current.program.as_ref().is_none_or(|program| program.push_constants > 0) {
                self.force(Dirty::PushConstants);
            }
        }
        let is_list = matches!(info.mode, Topology::POINT_LIST | Topology::LINE_LIST | Topology::TRIANGLE_LIST);
        let restarts = info.indices.as_ref().is_some_and(|indices| indices.restart);
        match is_list && restarts && !self.device.input.restarts_lists {
            true => Err(Error::new("the device has no primitiveTopologyListRestart")),
            false => Ok(()),
        }
    }

    /// Binds the index buffer, if it differs from the bound one.
    fn use_indices(&mut self, indices: &Indices) -> Result<()> {
        let same = |bound: &BoundIndices| {
            Arc::ptr_eq(&bound.buffer, &indices.buffer) && (bound.offset, bound.ty) == (indices.offset, indices.ty)
        };
        if !self.options.emit_all && self.current.indices.as_ref().is_some_and(same) {
            return Ok(());
        }
        let size = match index_size(indices.ty) {
            Some(1) if !self.device.input.has_8_bit_indices => {
                return Err(Error::new("the device has no indexTypeUint8"));
            }
            Some(size) => size,
            None => return Err(Error::new(format!("indices cannot have the type {:?}", indices.ty))),
        };
        if !indices.offset.is_multiple_of(size) || indices.offset >= indices.buffer.size() {
            let (offset, bytes) = (indices.offset, indices.buffer.size());
            return Err(Error::new(format!("indices at offset {offset} do not fit a buffer of {bytes} bytes")));
        }
        let storage = indices.buffer.storage();
        indices.buffer.subject.observe(self.changes.inbox(), Dirty::Accesses);
        self.use_buffer(&storage, Use::Index);
        self.flush_barriers();
        let (raw, commands) = (&self.device.raw, self.batch.commands);
        // SAFETY: the buffer is recording; the batch keeps the index buffer, and the device supports the type.
        unsafe { raw.cmd_bind_index_buffer(commands, *storage.raw, indices.offset, indices.ty) };
        self.counters.commands += 1;
        let (buffer, offset, ty) = (Arc::clone(&indices.buffer), indices.offset, indices.ty);
        self.current.indices = Some(BoundIndices { buffer, offset, ty });
        Ok(())
    }

    /// Checks that the parameters of indirect draws lie within their buffers, and waits for writes to them.
    fn use_indirect(&mut self, indirect: &DrawIndirect, is_indexed: bool) -> Result<Indirect> {
        let size = match is_indexed {
            true => size_of::<vk::DrawIndexedIndirectCommand>(),
            false => size_of::<vk::DrawIndirectCommand>(),
        } as u64;
        let DrawIndirect { buffer, offset, stride, draw_count, count } = indirect;
        let last = u64::from(draw_count.saturating_sub(1)) * u64::from(*stride);
        let end = offset.checked_add(last).and_then(|start| start.checked_add(size));
        let fits = end.is_some_and(|end| end <= buffer.size());
        let fits_stride = *draw_count <= 1 && count.is_none() || u64::from(*stride) >= size && stride % 4 == 0;
        if !fits || !fits_stride || !offset.is_multiple_of(4) {
            return Err(Error::new(format!(
                "{draw_count} indirect draws at {offset} with stride {stride} are not valid in a buffer of {} bytes",
                buffer.size()
            )));
        }
        if *draw_count > 1 && self.device.core.multi_draw_indirect == vk::FALSE {
            return Err(Error::new("the device has no multiDrawIndirect"));
        }
        let storage = buffer.storage();
        self.use_buffer(&storage, Use::Indirect);
        let count = match count {
            Some((buffer, offset)) if offset.is_multiple_of(4) && offset + 4 <= buffer.size() => {
                let storage = buffer.storage();
                self.use_buffer(&storage, Use::Indirect);
                Some((storage, *offset))
            }
            Some((_, offset)) => {
                return Err(Error::new(format!("the number of draws cannot be at {offset} of its buffer")))
            }
            None => None,
        };
        self.flush_barriers();
        Ok(Indirect { storage, offset: *offset, stride: *stride, draw_count: *draw_count, count })
    }

    /// Records the input assembly state of a draw.
    fn record_input(&mut self, info: &DrawInfo) {
        let mut set = self.recorder();
        set.topology(info.mode);
        set.restart(info.indices.as_ref().is_some_and(|indices| indices.restart));
    }

    fn record_draws(&mut self, info: &DrawInfo, draws: &[DrawStart]) -> u32 {
        let (raw, commands) = (&self.device.raw, self.batch.commands);
        let (instances, first_instance) = (info.instance_count, info.start_instance);
        for draw in draws {
            let DrawStart { start, count, index_bias } = *draw;
            // SAFETY: the buffer is recording, within a rendering; pipeline, descriptors and all dynamic state are set.
            unsafe {
                match info.indices {
                    Some(_) => raw.cmd_draw_indexed(commands, count, instances, start, index_bias, first_instance),
                    None => raw.cmd_draw(commands, count, instances, start, first_instance),
                }
            }
        }
        draws.len() as u32
    }

    fn record_indirect(&mut self, indirect: &Indirect, is_indexed: bool) -> u32 {
        let (raw, commands) = (&self.device.raw, self.batch.commands);
        let Indirect { storage, offset, stride, draw_count, count } = indirect;
        let buffer = *storage.raw;
        // SAFETY: as for draws; the parameters lie within their buffers.
        unsafe {
            match (count, is_indexed) {
                (None, false) => raw.cmd_draw_indirect(commands, buffer, *offset, *draw_count, *stride),
                (None, true) => raw.cmd_draw_indexed_indirect(commands, buffer, *offset, *draw_count, *stride),
                (Some((counts, at)), false) => {
                    raw.cmd_draw_indirect_count(commands, buffer, *offset, *counts.raw, *at, *draw_count, *stride);
                }
                (Some((counts, at)), true) => {
                    let counts = *counts.raw;
                    raw.cmd_draw_indexed_indirect_count(commands, buffer, *offset, counts, *at, *draw_count, *stride);
                }
            }
        }
        1
    }
}

/// The parameters of indirect draws, in the form of the commands.
struct Indirect {
    storage: Arc<BufferStorage>,
    offset: u64,
    stride: u32,
    draw_count: u32,
    count: Option<(Arc<BufferStorage>, u64)>,
}
