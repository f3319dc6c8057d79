// SPDX-License-Identifier: MIT

//! The time that a pipeline, a shader or a batch takes: by the clock of the device, or by that of the host if the device has
//! none.

use super::bind::SharedBuffers;
use super::compute::Dispatch;
use super::graphics::{Draw, Drawing};
use super::resource::Resources;
use super::steps::{Batch, Step};
use super::{Device, Result};
use crate::context::{Context, QueryKind, QueryResult};
use std::time::{Duration, Instant};

/// The time to create a pipeline. Each call has its own empty pipeline cache; a driver may have another cache
/// (`MESA_SHADER_CACHE_DISABLE=1` disables Mesa's).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileTime {
    /// For all modules: vkCreateShaderModule.
    pub modules: Duration,
    /// For the pipeline: vkCreateComputePipelines or vkCreateGraphicsPipelines. Where the device links pipelines from libraries
    /// (VK_EXT_graphics_pipeline_library), the time of all of them.
    pub pipeline: Duration,
}

/// The time that a pipeline and its dispatches took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderTime {
    /// The time to create the pipeline, by the host's clock.
    pub compile: CompileTime,
    /// The first dispatch, which includes work that a driver defers to it: lavapipe creates the machine code then.
    pub first: Duration,
    /// The dispatches after it.
    pub others: Vec<Duration>,
}

impl Device {
    /// Creates the pipeline of `dispatch`, without resources.
    pub fn time_dispatch(&self, dispatch: &Dispatch<'_>) -> Result<CompileTime> {
        self.with_context(|context| {
            dispatch.stages(context, None, &mut SharedBuffers::default())?.bind(context)?;
            compile_time(context, Context::prepare_grid)
        })
    }

    /// Creates the pipeline of `draw`, without resources.
    pub fn time_draw(&self, draw: &Draw<'_>) -> Result<CompileTime> {
        self.with_context(|context| {
            let drawing = Drawing::new(context, draw, None, &mut SharedBuffers::default())?;
            drawing.bind(context)?;
            compile_time(context, |context| context.prepare_draw(&drawing.info))
        })
    }

    /// Whether the device has a clock. Without one, [`Device::time_shader`] measures from the submission to the end of the work,
    /// which includes time in the driver.
    pub fn has_clock(&self) -> bool {
        self.logical.clock.is_there()
    }

    /// Runs `dispatch` once, and then `times` more, with one pipeline, in sequence. The writes of the shader are not read back.
    pub fn time_shader(&self, dispatch: &Dispatch<'_>, resources: &Resources, times: u32) -> Result<ShaderTime> {
        self.with_context(|context| {
            dispatch.stages(context, Some(resources), &mut SharedBuffers::default())?.bind(context)?;
            let compile = compile_time(context, Context::prepare_grid)?;
            let all =
                self.times(context, self.has_clock(), 1 + times, |context| context.launch_grid(dispatch.groups))?;
            let mut all = all.into_iter();
            Ok(ShaderTime { compile, first: all.next().unwrap_or_default(), others: all.collect() })
        })
    }

    /// Whether timestamps measure draws. A driver for the CPU shades vertices while it reads the commands, and takes timestamps
    /// while it processes the tiles.
    pub fn has_clock_of_draws(&self) -> bool {
        self.has_clock() && !self.is_cpu()
    }

    /// Runs `steps` `times` times, in sequence. Their writes are not read back. Returns the time of each run; the first one
    /// includes work that a driver defers to it. Without a [clock of draws](Device::has_clock_of_draws) it is the time from the
    /// submission to the end of the work.
    pub fn time_steps(&self, steps: &[Step<'_>], times: u32) -> Result<Vec<Duration>> {
        self.with_context(|context| {
            let batch = Batch::new(context, steps)?;
            self.times(context, self.has_clock_of_draws(), times, |context| batch.record(context))
        })
    }

    /// Executes the commands of `record` `times` times, in sequence.
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

/// The time that Vulkan takes for the objects that `make` creates.
fn compile_time(context: &mut Context, make: impl FnOnce(&mut Context) -> Result<()>) -> Result<CompileTime> {
    let before = context.counters();
    make(context)?;
    let after = context.counters();
    Ok(CompileTime {
        modules: after.module_time - before.module_time,
        pipeline: after.pipelines.time - before.pipelines.time,
    })
}
