//! How long a pipeline, a shader or a batch takes: by the device's own clock, or by that of the host where the device has none.

use super::bind::SharedBuffers;
use super::compute::{Dispatch, Prepared};
use super::graphics::{Draw, Drawing};
use super::resource::Resources;
use super::steps::{Batch, Step};
use super::{Device, Result};
use crate::context::{Context, QueryKind, QueryResult};
use std::time::{Duration, Instant};

/// How long the driver took to make a pipeline. Each call has a pipeline cache of its own, which is empty; a driver may have one besides
/// (Mesa's goes away with `MESA_SHADER_CACHE_DISABLE=1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileTime {
    /// For all modules: vkCreateShaderModule.
    pub modules: Duration,
    /// For the pipeline: vkCreateComputePipelines or vkCreateGraphicsPipelines. Where the device links pipelines of libraries
    /// (VK_EXT_graphics_pipeline_library), it is the time of all of them.
    pub pipeline: Duration,
}

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
    /// Makes the pipeline of `dispatch`, without resources.
    pub fn time_dispatch(&self, dispatch: &Dispatch<'_>) -> Result<CompileTime> {
        self.with_context(|context| {
            let prepared = Prepared::new(context, dispatch, None, &mut SharedBuffers::default())?;
            prepared.bind(context)?;
            compile_time(context, Context::prepare_grid)
        })
    }

    /// Makes the pipeline of `draw`, without resources.
    pub fn time_draw(&self, draw: &Draw<'_>) -> Result<CompileTime> {
        self.with_context(|context| {
            let drawing = Drawing::new(context, draw, None, &mut SharedBuffers::default())?;
            drawing.bind(context)?;
            compile_time(context, |context| context.prepare_draw(drawing.info()))
        })
    }

    /// Whether the device has a clock. Without one, [`Device::time_shader`] takes the time from the submission to the end of the
    /// work, which has the driver's part in it.
    pub fn has_clock(&self) -> bool {
        self.logical.clock.is_there()
    }

    /// Runs `dispatch` once, and then `times` more, in one pipeline, one after the other. What the shader writes is not read back.
    pub fn time_shader(&self, dispatch: &Dispatch<'_>, resources: &Resources, times: u32) -> Result<ShaderTime> {
        self.with_context(|context| {
            let prepared = Prepared::new(context, dispatch, Some(resources), &mut SharedBuffers::default())?;
            context.flush()?;
            prepared.bind(context)?;
            let compile = compile_time(context, Context::prepare_grid)?;
            let all = self.times(context, self.has_clock(), 1 + times, |context| prepared.record(context))?;
            let mut all = all.into_iter();
            Ok(ShaderTime { compile, first: all.next().unwrap_or_default(), others: all.collect() })
        })
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
        self.with_context(|context| {
            let batch = Batch::new(context, steps)?;
            self.times(context, self.has_clock_of_draws(), times, |context| batch.record(context))
        })
    }

    /// Has the device do what `record` records, so many times, one after the other.
    fn times(
        &self,
        context: &mut Context,
        by_device: bool,
        times: u32,
        record: impl Fn(&mut Context) -> Result<()>,
    ) -> Result<Vec<Duration>> {
        context.finish()?;
        if !by_device {
            let time = |_| {
                record(context)?;
                let start = Instant::now();
                context.finish()?;
                Ok(start.elapsed())
            };
            return (0..times).map(time).collect();
        }
        let mut queries = Vec::new();
        for _ in 0..times {
            let query = context.create_query(QueryKind::TimeElapsed)?;
            context.begin_query(&query)?;
            record(context)?;
            context.end_query(&query)?;
            context.memory_barrier();
            queries.push(query);
        }
        let mut elapsed = |query| match context.query_result(query, self.logical.timeout)? {
            QueryResult::Value(nanoseconds) => Ok(Duration::from_nanos(nanoseconds)),
            _ => Ok(Duration::ZERO),
        };
        queries.iter().map(&mut elapsed).collect()
    }
}

/// What Vulkan takes to make what `make` has it make.
fn compile_time(context: &mut Context, make: impl FnOnce(&mut Context) -> Result<()>) -> Result<CompileTime> {
    let before = context.counters();
    make(context)?;
    let after = context.counters();
    Ok(CompileTime {
        modules: after.module_time - before.module_time,
        pipeline: after.pipelines.time - before.pipelines.time,
    })
}
