//! How long a shader takes on the device: timestamps of the device's own clock around dispatches.

use super::compute::{Dispatch, Work};
use super::device::{Device, Logical};
use super::handle::Owned;
use super::resource::Resources;
use super::submit::Commands;
use super::{Context, Error, Result};
use ash::vk;
use std::rc::Rc;
use std::time::Duration;

/// How long the dispatches of one pipeline took on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderTime {
    /// The first, which pays for what a driver leaves for it to do: lavapipe makes the machine code then.
    pub first: Duration,
    /// Those after it.
    pub others: Vec<Duration>,
}

impl Device {
    /// Runs `dispatch` once, and then `times` more, in one pipeline, one after the other, and leaves in `resources` what was
    /// written. An error if the device has no timestamps.
    pub fn time_shader(&self, dispatch: &Dispatch<'_>, resources: &mut Resources, times: u32) -> Result<ShaderTime> {
        let device = &self.logical;
        if !device.clock.is_there() {
            return Err(Error::new("the device has no timestamps"));
        }
        let mut work = Work::new(device, dispatch, resources)?;
        let stamps = Stamps::new(device, 2 * (times + 1))?;
        let commands = Commands::begin(device)?;
        stamps.reset(&commands);
        work.bind(&commands);
        for number in 0..=times {
            stamps.take(&commands, 2 * number);
            work.dispatch(&commands);
            stamps.take(&commands, 2 * number + 1);
            commands.barrier();
        }
        work.bound.download(&commands);
        commands.finish()?;
        work.bound.read_back(resources)?;
        let stamps = stamps.read(device)?;
        let mut times = stamps.chunks_exact(2).map(|pair| device.clock.between(pair[0], pair[1]));
        Ok(ShaderTime { first: times.next().unwrap_or_default(), others: times.collect() })
    }
}

/// Timestamps.
struct Stamps {
    pool: Owned<vk::QueryPool>,
    count: u32,
}

impl Stamps {
    fn new(device: &Rc<Logical>, count: u32) -> Result<Stamps> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: the count is not 0.
        let pool = unsafe { device.raw.create_query_pool(&info, None) }.during("vkCreateQueryPool")?;
        Ok(Stamps { pool: Owned::new(device, pool), count })
    }

    fn reset(&self, commands: &Commands) {
        // SAFETY: the buffer is recording; the pool has so many queries.
        unsafe { commands.device.raw.cmd_reset_query_pool(commands.buffer, *self.pool, 0, self.count) };
    }

    /// Records that the time is taken when all that came before is done.
    fn take(&self, commands: &Commands, number: u32) {
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: the buffer is recording; the queue has timestamps, and each query is written once after it was reset.
        unsafe { commands.device.raw.cmd_write_timestamp(commands.buffer, stage, *self.pool, number) };
    }

    /// Those that were taken, once the device is done.
    fn read(&self, device: &Logical) -> Result<Vec<u64>> {
        let mut stamps = vec![0u64; self.count as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: all queries of the pool were written, and there is room for as many results of 64 bits.
        let read = unsafe { device.raw.get_query_pool_results(*self.pool, 0, &mut stamps, flags) };
        read.during("vkGetQueryPoolResults")?;
        Ok(stamps)
    }
}
