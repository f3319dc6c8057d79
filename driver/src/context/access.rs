// SPDX-License-Identifier: MIT

//! Barriers: the waits of a command, derived from the earlier accesses to a resource in this batch of commands.
//!
//! At the start of a batch nothing is pending: a submission ends with a barrier for all later commands, and every image is in its
//! home layout. Within the batch each storage that is used has a record of its last accesses:
//!
//! ```text
//! copy writes buffer 5        5: written by TRANSFER
//! draw reads 5 as vertices    barrier TRANSFER write -> VERTEX_ATTRIBUTE_INPUT read    5: visible there
//! draw reads 5 as vertices    nothing
//! copy writes 5               barrier VERTEX_ATTRIBUTE_INPUT -> TRANSFER (execution)
//! ```
//!
//! The application orders stores of shaders to buffers and images ([`Context::memory_barrier`]), as in GL; this module orders all
//! other accesses.

use super::batch::Batch;
use super::Context;
use crate::resource::{BufferStorage, ImageStorage};
use ash::vk;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use std::sync::Arc;

macro_rules! uses {
    ($($(#[$doc:meta])* $name:ident $stages:ident $access:ident $layout:ident;)*) => {
        /// The way in which a command uses a storage: stages, accesses, and the layout of an image.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Use { $($(#[$doc])* $name,)* }

        impl Use {
            /// The layout that an image must have.
            pub(super) fn layout(self) -> vk::ImageLayout {
                self.row().2
            }

            fn row(self) -> (vk::PipelineStageFlags2, vk::AccessFlags2, vk::ImageLayout) {
                match self {
                    $(Use::$name => (stages::$stages, accesses::$access, vk::ImageLayout::$layout),)*
                }
            }
        }
    };
}

/// Sets of stages.
mod stages {
    use ash::vk::PipelineStageFlags2 as S;
    pub(super) const SHADERS: S = S::from_raw(S::ALL_GRAPHICS.as_raw() | S::COMPUTE_SHADER.as_raw());
    pub(super) const VERTEX_INPUT: S = S::VERTEX_ATTRIBUTE_INPUT;
    pub(super) const INDEX_INPUT: S = S::INDEX_INPUT;
    pub(super) const INDIRECT: S = S::DRAW_INDIRECT;
    pub(super) const COLOR: S = S::COLOR_ATTACHMENT_OUTPUT;
    pub(super) const TESTS: S = S::from_raw(S::EARLY_FRAGMENT_TESTS.as_raw() | S::LATE_FRAGMENT_TESTS.as_raw());
    pub(super) const FETCHED_COLOR: S = S::from_raw(COLOR.as_raw() | S::FRAGMENT_SHADER.as_raw());
    pub(super) const FETCHED_DEPTH: S = S::from_raw(TESTS.as_raw() | S::FRAGMENT_SHADER.as_raw());
    pub(super) const TRANSFER: S = S::ALL_TRANSFER;
    pub(super) const FEEDBACK: S = S::TRANSFORM_FEEDBACK_EXT;
    pub(super) const COUNTER: S = S::from_raw(S::TRANSFORM_FEEDBACK_EXT.as_raw() | S::DRAW_INDIRECT.as_raw());
}

/// Sets of accesses.
mod accesses {
    use ash::vk::AccessFlags2 as A;
    pub(super) const UNIFORM: A = A::UNIFORM_READ;
    pub(super) const SAMPLED: A = A::SHADER_SAMPLED_READ;
    pub(super) const STORAGE: A = A::from_raw(A::SHADER_STORAGE_READ.as_raw() | A::SHADER_STORAGE_WRITE.as_raw());
    pub(super) const VERTEX: A = A::VERTEX_ATTRIBUTE_READ;
    pub(super) const INDEX: A = A::INDEX_READ;
    pub(super) const INDIRECT: A = A::INDIRECT_COMMAND_READ;
    pub(super) const COLOR: A = A::from_raw(A::COLOR_ATTACHMENT_READ.as_raw() | A::COLOR_ATTACHMENT_WRITE.as_raw());
    pub(super) const DEPTH: A =
        A::from_raw(A::DEPTH_STENCIL_ATTACHMENT_READ.as_raw() | A::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw());
    pub(super) const FETCHED_COLOR: A = A::from_raw(COLOR.as_raw() | A::INPUT_ATTACHMENT_READ.as_raw());
    pub(super) const FETCHED_DEPTH: A = A::from_raw(DEPTH.as_raw() | A::INPUT_ATTACHMENT_READ.as_raw());
    pub(super) const TRANSFER_READ: A = A::TRANSFER_READ;
    pub(super) const TRANSFER_WRITE: A = A::TRANSFER_WRITE;
    pub(super) const TRANSFER_BOTH: A = A::from_raw(A::TRANSFER_READ.as_raw() | A::TRANSFER_WRITE.as_raw());
    pub(super) const FEEDBACK: A = A::TRANSFORM_FEEDBACK_WRITE_EXT;
    pub(super) const COUNTER: A =
        A::from_raw(A::TRANSFORM_FEEDBACK_COUNTER_READ_EXT.as_raw() | A::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT.as_raw());
}

uses! {
    /// A uniform buffer.
    Uniform SHADERS UNIFORM UNDEFINED;
    /// A uniform texel buffer, or a sampled image.
    Sampled SHADERS SAMPLED SHADER_READ_ONLY_OPTIMAL;
    /// A sampled image that the same commands also draw or store to.
    SampledGeneral SHADERS SAMPLED GENERAL;
    /// A storage buffer, storage texel buffer or storage image.
    Storage SHADERS STORAGE GENERAL;
    /// A vertex buffer.
    Vertex VERTEX_INPUT VERTEX UNDEFINED;
    /// An index buffer.
    Index INDEX_INPUT INDEX UNDEFINED;
    /// The parameters of indirect draws or dispatches.
    Indirect INDIRECT INDIRECT UNDEFINED;
    /// A color attachment.
    ColorAttachment COLOR COLOR COLOR_ATTACHMENT_OPTIMAL;
    /// A depth and stencil attachment.
    DepthAttachment TESTS DEPTH DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    /// A color attachment whose image the same draws sample or store to.
    ColorGeneral COLOR COLOR GENERAL;
    /// A depth and stencil attachment whose image the same draws sample or store to.
    DepthGeneral TESTS DEPTH GENERAL;
    /// A color attachment that shaders also read.
    FetchedColor FETCHED_COLOR FETCHED_COLOR GENERAL;
    /// A depth and stencil attachment that shaders also read.
    FetchedDepth FETCHED_DEPTH FETCHED_DEPTH GENERAL;
    /// The source of a copy.
    CopySource TRANSFER TRANSFER_READ TRANSFER_SRC_OPTIMAL;
    /// The destination of a copy.
    CopyDestination TRANSFER TRANSFER_WRITE TRANSFER_DST_OPTIMAL;
    /// Source and destination of a copy within an image.
    CopyWithin TRANSFER TRANSFER_BOTH GENERAL;
    /// A transform feedback buffer.
    Feedback FEEDBACK FEEDBACK UNDEFINED;
    /// The counter of transform feedback.
    FeedbackCounter COUNTER COUNTER UNDEFINED;
}

/// Accesses that write.
const WRITES: vk::AccessFlags2 = vk::AccessFlags2::from_raw(
    vk::AccessFlags2::SHADER_STORAGE_WRITE.as_raw()
        | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE.as_raw()
        | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw()
        | vk::AccessFlags2::TRANSFER_WRITE.as_raw()
        | vk::AccessFlags2::TRANSFORM_FEEDBACK_WRITE_EXT.as_raw()
        | vk::AccessFlags2::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT.as_raw(),
);

/// The accesses to a storage in this batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// Stages and accesses of the last write; empty if there was none, or if it is visible to all commands.
    written: (vk::PipelineStageFlags2, vk::AccessFlags2),
    /// Stages and accesses to which the last write is visible.
    visible: (vk::PipelineStageFlags2, vk::AccessFlags2),
    /// Stages that have read since the last write.
    read: vk::PipelineStageFlags2,
    /// Whether shaders did the last write, which the application orders.
    by_shaders: bool,
    layout: vk::ImageLayout,
}

impl Record {
    fn new(layout: vk::ImageLayout) -> Record {
        let (stages, access) = (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE);
        Record { written: (stages, access), visible: (stages, access), read: stages, by_shaders: false, layout }
    }

    /// Records the use `used`; returns the source and destination of the barrier that it needs, if any.
    fn access(&mut self, used: Use) -> Option<[(vk::PipelineStageFlags2, vk::AccessFlags2); 2]> {
        let (stages, access, layout) = used.row();
        let moves = layout != vk::ImageLayout::UNDEFINED && self.layout != layout && self.is_image();
        let writes = access.intersects(WRITES) || moves;
        let is_ordered = self.by_shaders && used == Use::Storage && !moves;
        let pending = self.written.0 != vk::PipelineStageFlags2::NONE;
        let sees = self.visible.0.contains(stages) && self.visible.1.contains(access);
        let needs = match writes {
            _ if is_ordered => false,
            true => moves || pending || self.read != vk::PipelineStageFlags2::NONE,
            false => pending && !sees,
        };
        let barrier = needs.then(|| [(self.written.0 | self.read, self.written.1), (stages, access)]);
        if writes {
            if !is_ordered {
                self.read = vk::PipelineStageFlags2::NONE;
                self.visible = if access.intersects(WRITES) { Default::default() } else { (stages, access) };
                self.written = (stages, access & WRITES);
            } else {
                self.written = (self.written.0 | stages, self.written.1 | access & WRITES);
            }
            self.by_shaders = used == Use::Storage;
            if !access.intersects(WRITES) {
                // A pure layout transition: the next read with another layout waits for it.
                self.read = stages;
            }
        } else {
            self.read |= stages;
            if needs {
                self.visible = (self.visible.0 | stages, self.visible.1 | access);
            }
        }
        if moves {
            self.layout = layout;
        }
        barrier
    }

    fn is_image(&self) -> bool {
        self.layout != vk::ImageLayout::UNDEFINED
    }
}

/// The images that a batch uses, which must return to their home layouts at its end.
pub(crate) type UsedImages = Vec<Arc<ImageStorage>>;

/// The accesses of a batch to storages, and the barriers that are not recorded yet.
#[derive(Default)]
pub(crate) struct Accesses {
    records: FxHashMap<u64, Record>,
    memory: Option<vk::MemoryBarrier2<'static>>,
    images: Vec<vk::ImageMemoryBarrier2<'static>>,
}

impl Accesses {
    pub(super) fn clear(&mut self) {
        self.records.clear();
        (self.memory, self.images) = (None, Vec::new());
    }

    fn wait(&mut self, [from, to]: [(vk::PipelineStageFlags2, vk::AccessFlags2); 2]) {
        let barrier = self.memory.get_or_insert_with(vk::MemoryBarrier2::default);
        barrier.src_stage_mask |= from.0;
        barrier.src_access_mask |= from.1;
        barrier.dst_stage_mask |= to.0;
        barrier.dst_access_mask |= to.1;
    }
}

impl Batch {
    /// Keeps `storage` until the device is done.
    pub(super) fn keep_buffer(&mut self, storage: &Arc<BufferStorage>) {
        self.record_of(storage);
    }

    /// The accesses to `storage`, which the batch keeps until the device is done.
    fn record_of(&mut self, storage: &Arc<BufferStorage>) -> &mut Record {
        self.accesses.records.entry(storage.id).or_insert_with(|| {
            self.buffers.push(Arc::clone(storage));
            Record::new(vk::ImageLayout::UNDEFINED)
        })
    }
}

impl Context {
    /// Records that the next commands use `storage` as `used`, and the barrier that they need.
    pub(super) fn use_buffer(&mut self, storage: &Arc<BufferStorage>, used: Use) {
        // The context itself orders the counters of transform feedback.
        if self.options.manual_barriers && used != Use::FeedbackCounter {
            return self.batch.keep_buffer(storage);
        }
        if let Some(barrier) = self.batch.record_of(storage).access(used) {
            self.batch.accesses.wait(barrier);
        }
    }

    /// Records that the next commands use `storage` as `used`, and the barrier that they need.
    pub(super) fn use_image(&mut self, storage: &Arc<ImageStorage>, used: Use) {
        let batch = &mut self.batch;
        let record = batch.accesses.records.entry(storage.id).or_insert_with(|| {
            batch.images.push(Arc::clone(storage));
            if storage.is_initialized.swap(true, Ordering::AcqRel) {
                return Record::new(storage.home);
            }
            // Its contents are undefined, for any first use.
            batch.accesses.images.push(transition(storage, vk::ImageLayout::UNDEFINED, storage.home).0);
            let mut record = Record::new(storage.home);
            record.written.0 = vk::PipelineStageFlags2::ALL_COMMANDS;
            record
        });
        let before = record.layout;
        let Some([from, to]) = record.access(used) else { return };
        if record.layout == before {
            if !self.options.manual_barriers {
                batch.accesses.wait([from, to]);
            }
        } else {
            // A first transition may be pending in the same list, which is not ordered.
            let undefined = batch.accesses.images.iter_mut().find(|first| first.image == *storage.raw);
            match undefined {
                Some(first) => {
                    first.new_layout = record.layout;
                    (first.dst_stage_mask, first.dst_access_mask) = to;
                }
                None => {
                    let (barrier, _) = transition(storage, before, record.layout);
                    // Accesses before the batch, or before a barrier for all commands, need a full barrier.
                    let barrier = match from.0.is_empty() {
                        true => barrier,
                        false => barrier.src_stage_mask(from.0).src_access_mask(from.1),
                    };
                    batch.accesses.images.push(barrier.dst_stage_mask(to.0).dst_access_mask(to.1));
                }
            }
        }
    }

    /// Records the pending barriers, outside of a rendering.
    pub(super) fn flush_barriers(&mut self) {
        let accesses = &mut self.batch.accesses;
        if accesses.memory.is_none() && accesses.images.is_empty() {
            return;
        }
        self.end_rendering();
        let accesses = &mut self.batch.accesses;
        // If a rendering has just been begun for clears, it has recorded them.
        if accesses.memory.is_none() && accesses.images.is_empty() {
            return;
        }
        let memory = accesses.memory.take();
        let info =
            vk::DependencyInfo::default().memory_barriers(memory.as_slice()).image_memory_barriers(&accesses.images);
        // SAFETY: the buffer is recording, outside of a rendering; the images have the layouts of their records.
        unsafe { self.device.raw.cmd_pipeline_barrier2(self.batch.commands, &info) };
        accesses.images.clear();
        self.counters.barriers += 1;
        self.counters.commands += 1;
    }

    /// Later commands with the second stages and accesses wait for earlier commands with the first ones. With
    /// [`ContextOptions::manual_barriers`](super::ContextOptions), the application uses it to order commands.
    pub fn barrier(
        &mut self,
        from: (vk::PipelineStageFlags2, vk::AccessFlags2),
        to: (vk::PipelineStageFlags2, vk::AccessFlags2),
    ) {
        self.end_rendering();
        self.flush_barriers();
        self.batch.accesses.wait([from, to]);
        self.flush_barriers();
        self.force(super::Dirty::Accesses);
    }

    /// Makes all earlier writes, including stores of shaders, visible to all later commands: Gallium's `memory_barrier`.
    pub fn memory_barrier(&mut self) {
        self.end_rendering();
        self.flush_barriers();
        for record in self.batch.accesses.records.values_mut() {
            *record = Record::new(record.layout);
        }
        let all = (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_WRITE);
        let to = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
        self.batch.accesses.wait([all, (all.0, to)]);
        self.flush_barriers();
        self.force(super::Dirty::Accesses);
    }

    /// Returns all images to their home layouts, and makes writes visible to the host: the end of a batch.
    pub(super) fn settle_accesses(&mut self) {
        let batch = &mut self.batch;
        for storage in &batch.images {
            let Some(record) = batch.accesses.records.get(&storage.id) else { continue };
            if record.layout != storage.home {
                let (barrier, _) = transition(storage, record.layout, storage.home);
                batch.accesses.images.push(barrier);
            }
        }
        let all = (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_WRITE);
        let stages = vk::PipelineStageFlags2::ALL_COMMANDS | vk::PipelineStageFlags2::HOST;
        let accesses = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE | vk::AccessFlags2::HOST_READ;
        batch.accesses.wait([all, (stages, accesses)]);
        self.flush_barriers();
        // lavapipe skips a barrier that is the last command, and begins the next batch before this one is done (Mesa 22.3,
        // `lvp_execute_cmd_buffer`). So another command is the last one.
        // SAFETY: the buffer is recording.
        unsafe { self.device.raw.cmd_set_blend_constants(self.batch.commands, &[0.0; 4]) };
    }
}

/// A transition of a whole image that waits for all earlier commands, and all later commands wait for it.
fn transition(
    storage: &ImageStorage,
    from: vk::ImageLayout,
    to: vk::ImageLayout,
) -> (vk::ImageMemoryBarrier2<'static>, vk::ImageLayout) {
    let all = vk::PipelineStageFlags2::ALL_COMMANDS;
    let both = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(storage.aspects)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS);
    let barrier = vk::ImageMemoryBarrier2::default()
        .src_stage_mask(all)
        .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
        .dst_stage_mask(all)
        .dst_access_mask(both)
        .old_layout(from)
        .new_layout(to)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(*storage.raw)
        .subresource_range(range);
    (barrier, to)
}
