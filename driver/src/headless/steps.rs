// SPDX-License-Identifier: MIT

//! Several steps in one batch of commands, without barriers between them except the requested ones.

use super::bind::{store, SharedBuffers, Stages};
use super::compute::Dispatch;
use super::graphics::{Draw, Drawing, Drawn};
use super::resource::Resources;
use super::{Device, Error, Result};
use crate::context::Context;
use crate::resource::Buffer;
use ash::vk;
use std::rc::Rc;
use std::sync::Arc;

/// A step of a batch. Parts with the same bytes share one buffer in all steps.
#[derive(Debug)]
pub enum Step<'a> {
    /// Runs a compute module; the resources hold its writes when the batch is done.
    Dispatch(Dispatch<'a>, &'a mut Resources),
    /// Draws in a rendering of its own; the last field holds the results and the resources hold the writes of shaders when the
    /// batch is done.
    Draw(Draw<'a>, &'a mut Resources, &'a mut Drawn),
    /// Overwrites bytes of a buffer whose parts are bound.
    Update {
        /// The buffer, identified by its initial bytes.
        buffer: Rc<[u8]>,
        /// The offset of the new bytes: a multiple of 4.
        offset: usize,
        /// The new bytes: a multiple of 4, and at most 65536.
        bytes: &'a [u8],
    },
    /// Copies a buffer to the start of another one that is at least as large.
    Copy {
        /// The source, identified by its initial bytes.
        from: Rc<[u8]>,
        /// The destination.
        to: Rc<[u8]>,
    },
    /// Later commands that access memory in the second way wait for earlier ones that accessed it in the first way.
    Barrier((vk::PipelineStageFlags, vk::AccessFlags), (vk::PipelineStageFlags, vk::AccessFlags)),
}

impl Device {
    /// Runs `steps` in their order.
    pub fn run(&self, steps: &mut [Step<'_>]) -> Result<()> {
        self.with_context(|context| {
            let batch = Batch::new(context, steps)?;
            batch.record(context)?;
            context.memory_barrier();
            batch.read_back(context, steps)
        })
    }
}

/// Steps with all of their resources on the device, ready to be recorded.
pub(super) struct Batch<'a> {
    work: Vec<Work<'a>>,
}

enum Work<'a> {
    Dispatch(Stages<'a>, [u32; 3]),
    Draw(Box<Drawing<'a>>),
    Copy { from: Arc<Buffer>, to: Arc<Buffer>, offset: u64 },
    Barrier([(vk::PipelineStageFlags2, vk::AccessFlags2); 2]),
}

impl<'a> Batch<'a> {
    pub(super) fn new(context: &mut Context, steps: &[Step<'a>]) -> Result<Batch<'a>> {
        let mut shared = SharedBuffers::default();
        let work = steps.iter().map(|step| Work::new(context, step, &mut shared)).collect::<Result<_>>()?;
        // Uploads have a batch of their own, so that the batch of the steps has no waits.
        context.flush()?;
        Ok(Batch { work })
    }

    /// Records the steps. They may be recorded any number of times.
    pub(super) fn record(&self, context: &mut Context) -> Result<()> {
        self.work.iter().try_for_each(|work| match work {
            Work::Dispatch(stages, groups) => {
                stages.bind(context)?;
                context.launch_grid(*groups)
            }
            Work::Draw(drawing) => drawing.record(context),
            Work::Copy { from, to, offset } => context.copy_buffer((to, *offset), (from, 0), from.size()),
            Work::Barrier([from, to]) => {
                context.barrier(*from, *to);
                Ok(())
            }
        })
    }

    /// Stores the writes of the steps in the places that the caller gave.
    fn read_back(&self, context: &mut Context, steps: &mut [Step<'_>]) -> Result<()> {
        let mut downloads = Vec::new();
        for (work, step) in self.work.iter().zip(&*steps) {
            downloads.push(match (work, step) {
                (Work::Dispatch(stages, _), Step::Dispatch(_, resources)) => {
                    (stages.download(context, resources)?, Default::default())
                }
                (Work::Draw(drawing), Step::Draw(_, resources, _)) => {
                    (drawing.stages.download(context, resources)?, drawing.download(context)?)
                }
                _ => Default::default(),
            });
        }
        context.finish()?;
        for ((work, step), (written, seen)) in self.work.iter().zip(steps).zip(&downloads) {
            if let Step::Dispatch(_, resources) | Step::Draw(_, resources, _) = step {
                store(written, resources)?;
            }
            if let (Work::Draw(drawing), Step::Draw(.., drawn)) = (work, step) {
                **drawn = drawing.read(context, seen)?;
            }
        }
        Ok(())
    }
}

impl<'a> Work<'a> {
    fn new(context: &mut Context, step: &Step<'a>, shared: &mut SharedBuffers) -> Result<Work<'a>> {
        Ok(match step {
            Step::Dispatch(dispatch, resources) => {
                Work::Dispatch(dispatch.stages(context, Some(resources), shared)?, dispatch.groups)
            }
            Step::Draw(draw, resources, _) => {
                Work::Draw(Box::new(Drawing::new(context, draw, Some(resources), shared)?))
            }
            Step::Update { buffer, offset, bytes } => {
                let size = bytes.len();
                let is_whole = size.is_multiple_of(4) && offset.is_multiple_of(4) && (1..=65536).contains(&size);
                if !is_whole || offset.checked_add(size).is_none_or(|end| end > buffer.len()) {
                    return Err(Error::new(format!(
                        "an update of {size} bytes at {offset} is not valid in a buffer of {} bytes",
                        buffer.len()
                    )));
                }
                let (from, to) = (context.create_buffer_with(bytes)?, shared.buffer(context, buffer)?);
                Work::Copy { from, to, offset: *offset as u64 }
            }
            Step::Copy { from, to } => {
                let [from, to] = [shared.buffer(context, from)?, shared.buffer(context, to)?];
                Work::Copy { from, to, offset: 0 }
            }
            Step::Barrier(from, to) => Work::Barrier([*from, *to].map(wide)),
        })
    }
}

/// Converts stages and accesses to those of Vulkan 1.3, which have the same bits.
fn wide((stages, accesses): (vk::PipelineStageFlags, vk::AccessFlags)) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
    let (stages, accesses) = (stages.as_raw().into(), accesses.as_raw().into());
    (vk::PipelineStageFlags2::from_raw(stages), vk::AccessFlags2::from_raw(accesses))
}
