//! How long a shader takes on the device: by the device's own clock, or by that of the host where the device has none.

use super::compile::CompileTime;
use super::compute::{Dispatch, Prepared};
use super::part::SharedBuffers;
use super::resource::Resources;
use super::steps::{Batch, Step};
use super::submit::Commands;
use super::{Context, Result};
use crate::device::handle::Owned;
use crate::device::{Device, Logical};
use ash::vk;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a pipeline and its dispatches took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderTime {
    /// What the driver took to make the pipeline, by the host's clock.
    pub compile: CompileTime,
    /// The first, which pays for what a driver leaves for it to do: lavapipe makes the machine code then.
    pub first: Duration,
    /// Those after it.
    pub others: Vec<Duration>,
}

impl Device {
    /// Whether the device has a clock. Without one, [`Device::time_shader`] takes the time from the submission to the end of the
    /// work, which has the driver's part in it.
    pub fn has_clock(&self) -> bool {
        self.logical.clock.is_there()
    }

    /// Runs `dispatch` once, and then `times` more, in one pipeline, one after the other. What the shader writes is not read back.
    pub fn time_shader(&self, dispatch: &Dispatch<'_>, resources: &Resources, times: u32) -> Result<ShaderTime> {
        let work = Prepared::new(&self.logical, dispatch, resources, &mut SharedBuffers::default())?;
        let all = match self.has_clock() {
            true => self.by_timestamps(&work, 1 + times)?,
            false => self.by_submissions(&work, 1 + times)?,
        };
        let mut all = all.into_iter();
        Ok(ShaderTime { compile: work.compile, first: all.next().unwrap_or_default(), others: all.collect() })
    }

    /// Whether timestamps say how long draws take. A driver for the CPU shades vertices while it goes through the commands, and takes
    /// timestamps while it goes through the tiles.
    pub fn has_clock_of_draws(&self) -> bool {
        self.has_clock() && !self.is_cpu()
    }

    /// Runs `steps` so many times, one after the other. What they write is not read back. Gives how long each time took; the first
    /// pays for what a driver leaves for it to do. Without a [clock of draws](Device::has_clock_of_draws) it is the time from the
    /// submission to the end of the work.
    pub fn time_steps(&self, steps: &[Step<'_>], times: u32) -> Result<Vec<Duration>> {
        let device = &self.logical;
        let mut batch = Batch::new(device, steps)?;
        if !self.has_clock_of_draws() {
            let commands = Commands::begin(device)?;
            batch.upload(&commands);
            commands.finish()?;
            let time = |_| {
                let commands = Commands::begin(device)?;
                batch.record(&commands, steps)?;
                let start = Instant::now();
                commands.finish()?;
                Ok(start.elapsed())
            };
            return (0..times).map(time).collect();
        }
        let stamps = Stamps::new(device, 2 * times)?;
        let commands = Commands::begin(device)?;
        stamps.reset(&commands);
        batch.upload(&commands);
        for number in 0..times {
            stamps.take(&commands, 2 * number);
            batch.record(&commands, steps)?;
            stamps.take(&commands, 2 * number + 1);
            commands.barrier();
        }
        commands.finish()?;
        let stamps = stamps.read(device)?;
        Ok(stamps.chunks_exact(2).map(|pair| device.clock.between(pair[0], pair[1])).collect())
    }

    fn by_timestamps(&self, work: &Prepared<'_>, times: u32) -> Result<Vec<Duration>> {
        let device = &self.logical;
        let stamps = Stamps::new(device, 2 * times)?;
        let commands = Commands::begin(device)?;
        stamps.reset(&commands);
        work.bound.upload(&commands);
        work.bind(&commands);
        for number in 0..times {
            stamps.take(&commands, 2 * number);
            work.dispatch(&commands);
            stamps.take(&commands, 2 * number + 1);
            commands.barrier();
        }
        commands.finish()?;
        let stamps = stamps.read(device)?;
        Ok(stamps.chunks_exact(2).map(|pair| device.clock.between(pair[0], pair[1])).collect())
    }

    fn by_submissions(&self, work: &Prepared<'_>, times: u32) -> Result<Vec<Duration>> {
        let time = |_| {
            let commands = Commands::begin(&self.logical)?;
            work.bound.upload(&commands);
            work.bind(&commands);
            work.dispatch(&commands);
            let start = Instant::now();
            commands.finish()?;
            Ok(start.elapsed())
        };
        (0..times).map(time).collect()
    }
}

/// Timestamps.
struct Stamps {
    pool: Owned<vk::QueryPool>,
    count: u32,
}

impl Stamps {
    fn new(device: &Arc<Logical>, count: u32) -> Result<Stamps> {
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
