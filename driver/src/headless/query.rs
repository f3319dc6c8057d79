//! Queries about a draw: how often its stages ran, and how many primitives it made and captured.

use super::submit::Commands;
use super::{Context, Error, Result};
use crate::device::handle::Owned;
use crate::device::{Logical, Queries};
use ash::vk;
use std::sync::Arc;

/// The answers to [`Queries`], to those that were asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often stages ran.
    pub statistics: Option<Statistics>,
    /// What transform feedback captured.
    pub feedback: Option<Feedback>,
    /// How many primitives reached the end of vertex processing.
    pub generated: Option<u64>,
}

/// How often the stages of a draw ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Vertices that input assembly took.
    pub vertices: u64,
    /// Primitives that input assembly made.
    pub primitives: u64,
    /// Invocations of the vertex shader.
    pub vertex_invocations: u64,
    /// Primitives that clipping was given.
    pub clipped: u64,
    /// Primitives that clipping gave.
    pub visible: u64,
}

/// What transform feedback captured of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// Primitives that were written.
    pub written: u64,
    /// Primitives that would have been if the buffers had been large enough.
    pub needed: u64,
}

/// What is counted, in the order of the results: of the bits, the lowest is first.
const STATISTICS: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(
    vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES.as_raw()
        | vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_PRIMITIVES.as_raw()
        | vk::QueryPipelineStatisticFlags::VERTEX_SHADER_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::CLIPPING_PRIMITIVES.as_raw(),
);

/// The queries of a draw, a pool of one for each.
pub(super) struct Pools {
    statistics: Option<Owned<vk::QueryPool>>,
    feedback: Option<Owned<vk::QueryPool>>,
    generated: Option<Owned<vk::QueryPool>>,
}

impl Pools {
    pub(super) fn new(device: &Arc<Logical>, wanted: Queries) -> Result<Pools> {
        if wanted.and(device.queries) != wanted {
            return Err(Error::new(format!("of the queries {wanted:?} the device has {:?}", device.queries)));
        }
        let pool = |is_wanted: bool, ty| is_wanted.then(|| pool(device, ty)).transpose();
        Ok(Pools {
            statistics: pool(wanted.statistics, vk::QueryType::PIPELINE_STATISTICS)?,
            feedback: pool(wanted.feedback, vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)?,
            generated: pool(wanted.generated, vk::QueryType::PRIMITIVES_GENERATED_EXT)?,
        })
    }

    fn all(&self) -> impl Iterator<Item = vk::QueryPool> + '_ {
        [&self.statistics, &self.feedback, &self.generated].into_iter().flatten().map(|pool| **pool)
    }

    /// Records the begin of all, outside of a rendering.
    pub(super) fn begin(&self, commands: &Commands) {
        let (raw, buffer) = (&commands.device.raw, commands.buffer);
        for pool in self.all() {
            // SAFETY: the buffer is recording, and not within a rendering; the pool has one query, which is not active, and no
            // other one of its type is.
            unsafe {
                raw.cmd_reset_query_pool(buffer, pool, 0, 1);
                raw.cmd_begin_query(buffer, pool, 0, vk::QueryControlFlags::empty());
            }
        }
    }

    /// Records the end of all, outside of a rendering.
    pub(super) fn end(&self, commands: &Commands) {
        for pool in self.all() {
            // SAFETY: the buffer is recording, and not within a rendering, as where `begin` began the query.
            unsafe { commands.device.raw.cmd_end_query(commands.buffer, pool, 0) };
        }
    }

    /// The answers, once the device is done.
    pub(super) fn read(&self, device: &Logical) -> Result<Counts> {
        let statistics = self.statistics.as_ref().map(|pool| results(device, **pool)).transpose()?;
        let feedback = self.feedback.as_ref().map(|pool| results(device, **pool)).transpose()?;
        let generated = self.generated.as_ref().map(|pool| results(device, **pool)).transpose()?;
        Ok(Counts {
            statistics: statistics.map(|[vertices, primitives, vertex_invocations, clipped, visible]| Statistics {
                vertices,
                primitives,
                vertex_invocations,
                clipped,
                visible,
            }),
            feedback: feedback.map(|[written, needed]| Feedback { written, needed }),
            generated: generated.map(|[generated]| generated),
        })
    }
}

fn pool(device: &Arc<Logical>, ty: vk::QueryType) -> Result<Owned<vk::QueryPool>> {
    let mut info = vk::QueryPoolCreateInfo::default().query_type(ty).query_count(1);
    if ty == vk::QueryType::PIPELINE_STATISTICS {
        info = info.pipeline_statistics(STATISTICS);
    }
    // SAFETY: the device answers queries of this type, and the count is not 0.
    let pool = unsafe { device.raw.create_query_pool(&info, None) }.during("vkCreateQueryPool")?;
    Ok(Owned::new(device, pool))
}

/// The numbers of the only query of `pool`, which has so many.
fn results<const N: usize>(device: &Logical, pool: vk::QueryPool) -> Result<[u64; N]> {
    let mut results = [[0u64; N]];
    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
    // SAFETY: the query was begun and ended, and has so many numbers of 64 bits.
    unsafe { device.raw.get_query_pool_results(pool, 0, &mut results, flags) }.during("vkGetQueryPoolResults")?;
    Ok(results[0])
}
