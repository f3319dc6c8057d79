//! Several steps in one batch of commands, with no barriers between them but those that are asked for.

use super::compute::{Dispatch, Prepared};
use super::graphics::{Draw, Drawing, Drawn};
use super::part::SharedBuffers;
use super::resource::Resources;
use super::submit::Commands;
use super::{Error, Result};
use crate::device::{Device, Logical};
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
        let device = &self.logical;
        let mut batch = Batch::new(device, steps)?;
        let commands = Commands::begin(device)?;
        batch.upload(&commands);
        batch.record(&commands, steps)?;
        batch.download(&commands);
        commands.finish()?;
        batch.read_back(device, steps)
    }
}

/// Steps with all that they want, ready to be recorded.
pub(super) struct Batch<'a> {
    shared: SharedBuffers,
    /// Of the dispatches and draws, in their order.
    work: Vec<Work<'a>>,
}

enum Work<'a> {
    Dispatch(Box<Prepared<'a>>),
    Draw(Box<Drawing<'a>>),
}

impl<'a> Batch<'a> {
    pub(super) fn new(device: &Arc<Logical>, steps: &[Step<'a>]) -> Result<Batch<'a>> {
        let mut shared = SharedBuffers::default();
        let mut work = Vec::new();
        for step in steps {
            match step {
                Step::Dispatch(dispatch, resources) => {
                    work.push(Work::Dispatch(Box::new(Prepared::new(device, dispatch, resources, &mut shared)?)));
                }
                Step::Draw(draw, resources, _) => {
                    work.push(Work::Draw(Box::new(Drawing::new(device, draw, resources, &mut shared)?)));
                }
                Step::Update { .. } | Step::Copy { .. } | Step::Barrier(..) => {}
            }
        }
        Ok(Batch { shared, work })
    }

    /// Records the way of all that the steps want to the device.
    pub(super) fn upload(&self, commands: &Commands) {
        self.work.iter().for_each(|work| match work {
            Work::Dispatch(prepared) => prepared.bound.upload(commands),
            Work::Draw(drawing) => drawing.upload(commands),
        });
    }

    /// Records the steps that it was made of; any number of times.
    pub(super) fn record(&mut self, commands: &Commands, steps: &[Step<'_>]) -> Result<()> {
        let mut next = self.work.iter();
        for step in steps {
            match step {
                Step::Dispatch(..) | Step::Draw(..) => match next.next() {
                    Some(Work::Dispatch(prepared)) => {
                        prepared.bind(commands);
                        prepared.dispatch(commands);
                    }
                    Some(Work::Draw(drawing)) => drawing.record(commands)?,
                    None => {}
                },
                Step::Update { buffer, offset, bytes } => update(commands, (buffer, &mut self.shared), *offset, bytes)?,
                Step::Copy { from, to } => copy(commands, [from, to], &mut self.shared)?,
                Step::Barrier(from, to) => commands.barrier_between(*from, *to),
            }
        }
        Ok(())
    }

    fn download(&self, commands: &Commands) {
        self.work.iter().for_each(|work| match work {
            Work::Dispatch(prepared) => prepared.bound.download(commands),
            Work::Draw(drawing) => drawing.download(commands),
        });
    }

    /// Puts what the steps wrote where the caller wants it.
    fn read_back(&mut self, device: &Logical, steps: &mut [Step<'_>]) -> Result<()> {
        let mut next = self.work.iter_mut();
        for step in steps {
            match step {
                Step::Dispatch(_, resources) => {
                    if let Some(Work::Dispatch(prepared)) = next.next() {
                        prepared.bound.read_back(resources)?;
                    }
                }
                Step::Draw(_, resources, drawn) => {
                    if let Some(Work::Draw(drawing)) = next.next() {
                        drawing.bound.read_back(resources)?;
                        **drawn = drawing.read(device)?;
                    }
                }
                Step::Update { .. } | Step::Copy { .. } | Step::Barrier(..) => {}
            }
        }
        Ok(())
    }
}

/// Records that `bytes` go to `offset` in `buffer`.
fn update(
    commands: &Commands,
    (buffer, shared): (&Rc<[u8]>, &mut SharedBuffers),
    offset: usize,
    bytes: &[u8],
) -> Result<()> {
    let is_whole = bytes.len().is_multiple_of(4) && offset.is_multiple_of(4) && (1..=65536).contains(&bytes.len());
    if !is_whole || offset.checked_add(bytes.len()).is_none_or(|end| end > buffer.len()) {
        return Err(Error::new(format!("an update of {} bytes at {offset}, of {}", bytes.len(), buffer.len())));
    }
    let on_device = shared.buffer(&commands.device, buffer)?;
    // SAFETY: the buffer is recording; the bytes lie within the other buffer, which `shared` keeps until the commands are done, and
    // are as many, and where, as this command takes.
    unsafe { commands.device.raw.cmd_update_buffer(commands.buffer, *on_device.handle, offset as u64, bytes) };
    Ok(())
}

/// Records that a buffer is copied to the start of another one.
fn copy(commands: &Commands, [from, to]: [&Rc<[u8]>; 2], shared: &mut SharedBuffers) -> Result<()> {
    if from.len() > to.len() || Rc::ptr_eq(from, to) {
        return Err(Error::new(format!("a copy of {} bytes to {}", from.len(), to.len())));
    }
    let size = from.len() as u64;
    let [from, to] = [shared.buffer(&commands.device, from)?, shared.buffer(&commands.device, to)?];
    let region = vk::BufferCopy { src_offset: 0, dst_offset: 0, size };
    // SAFETY: the buffer is recording; both others have so many bytes, are not the same, and are kept by `shared` until the commands
    // are done.
    unsafe { commands.device.raw.cmd_copy_buffer(commands.buffer, *from.handle, *to.handle, &[region]) };
    Ok(())
}
