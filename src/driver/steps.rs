//! Several steps in one batch of commands, with no barriers between them but those that are asked for.

use super::compute::{Dispatch, Prepared};
use super::device::Device;
use super::part::SharedBuffers;
use super::resource::Resources;
use super::submit::Commands;
use super::{Error, Result};
use ash::vk;
use std::rc::Rc;

/// A step of a batch.
#[derive(Debug)]
pub enum Step<'a> {
    /// Runs a compute module; what it wrote is in the resources when the batch is done. Parts of one buffer share it over all steps.
    Dispatch(Dispatch<'a>, &'a mut Resources),
    /// Overwrites bytes of a buffer of which parts are bound.
    Update {
        /// The buffer, by the bytes that it was made with.
        buffer: Rc<[u8]>,
        /// Where the new bytes go: a multiple of 4.
        offset: usize,
        /// The new bytes: a multiple of 4, and 65536 at most.
        bytes: &'a [u8],
    },
    /// What comes later and accesses memory in the second way waits for what came before and accessed it in the first.
    Barrier((vk::PipelineStageFlags, vk::AccessFlags), (vk::PipelineStageFlags, vk::AccessFlags)),
}

impl Device {
    /// Runs `steps` in their order.
    pub fn run(&self, steps: &mut [Step<'_>]) -> Result<()> {
        let device = &self.logical;
        let mut shared = SharedBuffers::default();
        let mut dispatches = Vec::new();
        for step in &*steps {
            if let Step::Dispatch(dispatch, resources) = step {
                dispatches.push(Prepared::new(device, dispatch, resources, &mut shared)?);
            }
        }
        let commands = Commands::begin(device)?;
        dispatches.iter().for_each(|one| one.bound.upload(&commands));
        let mut next = dispatches.iter();
        for step in &*steps {
            match step {
                Step::Dispatch(..) => {
                    if let Some(prepared) = next.next() {
                        prepared.bind(&commands);
                        prepared.dispatch(&commands);
                    }
                }
                Step::Update { buffer, offset, bytes } => update(&commands, (buffer, &mut shared), *offset, bytes)?,
                Step::Barrier(from, to) => commands.barrier_between(*from, *to),
            }
        }
        dispatches.iter().for_each(|one| one.bound.download(&commands));
        commands.finish()?;
        let resources = steps.iter_mut().filter_map(|step| match step {
            Step::Dispatch(_, resources) => Some(resources),
            _ => None,
        });
        for (prepared, resources) in dispatches.iter_mut().zip(resources) {
            prepared.bound.read_back(resources)?;
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
    let is_whole = bytes.len() % 4 == 0 && offset % 4 == 0 && (1..=65536).contains(&bytes.len());
    if !is_whole || offset.checked_add(bytes.len()).map_or(true, |end| end > buffer.len()) {
        return Err(Error::new(format!("an update of {} bytes at {offset}, of {}", bytes.len(), buffer.len())));
    }
    let on_device = shared.buffer(&commands.device, buffer)?;
    // SAFETY: the buffer is recording; the bytes lie within the other buffer, which `shared` keeps until the commands are done, and
    // are as many, and where, as this command takes.
    unsafe { commands.device.raw.cmd_update_buffer(commands.buffer, *on_device.handle, offset as u64, bytes) };
    Ok(())
}
