//! Several steps in one batch of commands, with no barriers between them but those that are asked for.

use super::bind::{store, SharedBuffers};
use super::compute::{Dispatch, Prepared};
use super::graphics::{Draw, Drawing, Drawn};
use super::resource::Resources;
use super::{Device, Error, Result};
use crate::context::Context;
use crate::resource::Buffer;
use ash::vk;
use std::rc::Rc;
use std::sync::Arc;

/// A step of a batch. Parts of one buffer share it over all steps.
#[derive(Debug)]
pub enum Step<'a> {
    /// Runs a compute module; what it wrote is in the resources when the batch is done.
    Dispatch(Dispatch<'a>, &'a mut Resources),
    /// Draws, in a rendering of its own; what was drawn is there when the batch is done, as is what shaders wrote.
    Draw(Draw<'a>, &'a mut Resources, &'a mut Drawn),
    /// Overwrites bytes of a buffer of which parts are bound.
    Update {
        /// The buffer, by the bytes that it was made with.
        buffer: Rc<[u8]>,
        /// Where the new bytes go: a multiple of 4.
        offset: usize,
        /// The new bytes: a multiple of 4, and 65536 at most.
        bytes: &'a [u8],
    },
    /// Copies a buffer to the start of another one that is at least as large.
    Copy {
        /// The buffer that is read, by the bytes that it was made with.
        from: Rc<[u8]>,
        /// The one that is written.
        to: Rc<[u8]>,
    },
    /// What comes later and accesses memory in the second way waits for what came before and accessed it in the first.
    Barrier((vk::PipelineStageFlags, vk::AccessFlags), (vk::PipelineStageFlags, vk::AccessFlags)),
}

impl Device {
    /// Runs `steps` in their order.
    pub fn run(&self, steps: &mut [Step<'_>]) -> Result<()> {
        self.with_context(|context| {
            let batch = Batch::new(context, steps)?;
            batch.record(context)?;
            context.flush()?;
            batch.read_back(context, steps)
        })
    }
}

/// Steps with all that they want on the device, ready to be recorded, in batches of their own.
pub(super) struct Batch<'a> {
    work: Vec<Work<'a>>,
}

enum Work<'a> {
    Dispatch(Box<Prepared<'a>>),
    Draw(Box<Drawing<'a>>),
    Copy { from: Arc<Buffer>, to: Arc<Buffer>, offset: u64 },
    Barrier([(vk::PipelineStageFlags2, vk::AccessFlags2); 2]),
}

impl<'a> Batch<'a> {
    pub(super) fn new(context: &mut Context, steps: &[Step<'a>]) -> Result<Batch<'a>> {
        let mut shared = SharedBuffers::default();
        let work = steps.iter().map(|step| Work::new(context, step, &mut shared)).collect::<Result<_>>()?;
        context.flush()?;
        Ok(Batch { work })
    }

    /// Records the steps; any number of times.
    pub(super) fn record(&self, context: &mut Context) -> Result<()> {
        self.work.iter().try_for_each(|work| match work {
            Work::Dispatch(prepared) => prepared.record(context),
            Work::Draw(drawing) => drawing.record(context),
            Work::Copy { from, to, offset } => context.copy_buffer((to, *offset), (from, 0), from.size()),
            Work::Barrier([from, to]) => {
                context.barrier(*from, *to);
                Ok(())
            }
        })
    }

    /// Puts what the steps wrote where the caller wants it.
    fn read_back(&self, context: &mut Context, steps: &mut [Step<'_>]) -> Result<()> {
        let mut downloads = Vec::new();
        for (work, step) in self.work.iter().zip(&*steps) {
            downloads.push(match (work, step) {
                (Work::Dispatch(prepared), Step::Dispatch(_, resources)) => {
                    (prepared.objects.download(context, resources)?, None)
                }
                (Work::Draw(drawing), Step::Draw(_, resources, _)) => {
                    (drawing.objects.download(context, resources)?, Some(drawing.download(context)?))
                }
                _ => (Vec::new(), None),
            });
        }
        context.finish()?;
        for ((written, drawn), (work, step)) in downloads.iter().zip(self.work.iter().zip(steps)) {
            match step {
                Step::Dispatch(_, resources) => store(written, resources)?,
                Step::Draw(_, resources, to) => {
                    store(written, resources)?;
                    if let (Work::Draw(drawing), Some(drawn)) = (work, drawn) {
                        **to = drawing.read(context, drawn)?;
                    }
                }
                Step::Update { .. } | Step::Copy { .. } | Step::Barrier(..) => {}
            }
        }
        Ok(())
    }
}

impl<'a> Work<'a> {
    fn new(context: &mut Context, step: &Step<'a>, shared: &mut SharedBuffers) -> Result<Work<'a>> {
        Ok(match step {
            Step::Dispatch(dispatch, resources) => {
                Work::Dispatch(Box::new(Prepared::new(context, dispatch, Some(resources), shared)?))
            }
            Step::Draw(draw, resources, _) => {
                Work::Draw(Box::new(Drawing::new(context, draw, Some(resources), shared)?))
            }
            Step::Update { buffer, offset, bytes } => {
                let size = bytes.len();
                let is_whole = size.is_multiple_of(4) && offset.is_multiple_of(4) && (1..=65536).contains(&size);
                if !is_whole || offset.checked_add(size).is_none_or(|end| end > buffer.len()) {
                    return Err(Error::new(format!("an update of {size} bytes at {offset}, of {}", buffer.len())));
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

/// Stages and accesses as Vulkan 1.3 has them: the same bits.
fn wide((stages, accesses): (vk::PipelineStageFlags, vk::AccessFlags)) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
    let (stages, accesses) = (stages.as_raw().into(), accesses.as_raw().into());
    (vk::PipelineStageFlags2::from_raw(stages), vk::AccessFlags2::from_raw(accesses))
}
