// SPDX-License-Identifier: MIT

//! Queries: counts between a begin and an end.
//!
//! A Vulkan query lies within one command buffer. A query of a context may span several: it has a part in each batch, and its
//! result is the sum of the parts.

use super::Context;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use crate::resource::unique_id;
use ash::vk;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The kind of a query: Gallium's `PIPE_QUERY_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// Samples that passed all tests.
    OcclusionCounter,
    /// Primitives that reached the end of vertex processing.
    PrimitivesGenerated,
    /// Primitives that transform feedback wrote, and those that it would have written if the buffers were large enough.
    StreamOutputStatistics,
    /// Invocations of stages.
    PipelineStatistics,
    /// The time when the device has finished all commands before the end, in nanoseconds.
    Timestamp,
    /// The time that the device took, in nanoseconds.
    TimeElapsed,
}

/// The result of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryResult {
    /// A number.
    Value(u64),
    /// Counts of transform feedback.
    StreamOutput(StreamOutputCounts),
    /// Invocations of stages.
    Statistics(Statistics),
}

/// Counts of transform feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamOutputCounts {
    /// Primitives that were written.
    pub written: u64,
    /// Primitives that would have been written to large enough buffers.
    pub needed: u64,
}

/// Invocations of stages, and counts of vertices and primitives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Vertices that input assembly read.
    pub vertices: u64,
    /// Primitives that input assembly produced.
    pub primitives: u64,
    /// Invocations of the vertex shader.
    pub vertex_invocations: u64,
    /// Primitives that clipping received.
    pub clipped: u64,
    /// Primitives that clipping produced.
    pub visible: u64,
    /// Invocations of the fragment shader.
    pub fragment_invocations: u64,
}

const STATISTICS: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(
    vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES.as_raw()
        | vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_PRIMITIVES.as_raw()
        | vk::QueryPipelineStatisticFlags::VERTEX_SHADER_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::CLIPPING_PRIMITIVES.as_raw()
        | vk::QueryPipelineStatisticFlags::FRAGMENT_SHADER_INVOCATIONS.as_raw(),
);

impl QueryKind {
    fn ty(self) -> vk::QueryType {
        match self {
            QueryKind::OcclusionCounter => vk::QueryType::OCCLUSION,
            QueryKind::PrimitivesGenerated => vk::QueryType::PRIMITIVES_GENERATED_EXT,
            QueryKind::StreamOutputStatistics => vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT,
            QueryKind::PipelineStatistics => vk::QueryType::PIPELINE_STATISTICS,
            QueryKind::Timestamp | QueryKind::TimeElapsed => vk::QueryType::TIMESTAMP,
        }
    }

    /// The number of queries of a part, and the number of values of each.
    fn shape(self) -> [usize; 2] {
        match self {
            QueryKind::OcclusionCounter | QueryKind::PrimitivesGenerated | QueryKind::Timestamp => [1, 1],
            QueryKind::StreamOutputStatistics => [1, 2],
            QueryKind::PipelineStatistics => [1, 6],
            QueryKind::TimeElapsed => [2, 1],
        }
    }
}

/// A query.
pub struct Query {
    kind: QueryKind,
    parts: Mutex<Vec<Part>>,
    /// The reason why it could not continue in a later batch.
    failed: Mutex<Option<Error>>,
    id: u64,
}

/// A part of a query, in one batch.
struct Part {
    pool: Arc<Owned<vk::QueryPool>>,
    /// The batch with the part: its stamp, and its submission if there was one.
    stamp: u64,
    submission: Option<u64>,
}

/// The queries of a context between begin and end.
#[derive(Default)]
pub(super) struct Queries {
    active: Vec<Arc<Query>>,
    /// The queries with a part in the current batch.
    recorded: Vec<Arc<Query>>,
}

impl Context {
    /// Creates a query; an error if the device does not support it.
    pub fn create_query(&self, kind: QueryKind) -> Result<Arc<Query>> {
        let queries = self.device.queries;
        let (has, feature) = match kind {
            QueryKind::OcclusionCounter => (true, ""),
            QueryKind::PrimitivesGenerated => (queries.generated, "primitivesGeneratedQuery"),
            QueryKind::StreamOutputStatistics => (queries.feedback, "transformFeedbackQueries"),
            QueryKind::PipelineStatistics => (queries.statistics, "pipelineStatisticsQuery"),
            QueryKind::Timestamp | QueryKind::TimeElapsed => (self.device.clock.is_there(), "timestamps"),
        };
        match has {
            true => Ok(Arc::new(Query { kind, parts: Mutex::default(), failed: Mutex::default(), id: unique_id() })),
            false => Err(Error::new(format!("the device has no {feature}"))),
        }
    }

    /// Begins a new count.
    pub fn begin_query(&mut self, query: &Arc<Query>) -> Result<()> {
        if query.kind == QueryKind::Timestamp {
            return Err(Error::new("a timestamp query cannot begin"));
        }
        self.end_dropped_queries();
        let same_type = |active: &Arc<Query>| active.kind.ty() == query.kind.ty();
        let counts = query.kind != QueryKind::TimeElapsed;
        if self.queries.active.iter().any(|active| active.id == query.id || counts && same_type(active)) {
            return Err(Error::new("a query of this kind is active"));
        }
        query.clear();
        self.end_rendering();
        self.begin_part(query)?;
        self.queries.active.push(Arc::clone(query));
        Ok(())
    }

    /// Ends active queries that only this context refers to.
    fn end_dropped_queries(&mut self) {
        for query in self.queries.active.clone() {
            let is_recorded = self.queries.recorded.iter().any(|recorded| recorded.id == query.id);
            // The list of active queries and its copy in this loop.
            if Arc::strong_count(&query) == 2 + usize::from(is_recorded) {
                // It was begun, so it can be ended.
                let _ = self.end_query(&query);
            }
        }
    }

    /// Ends the count.
    pub fn end_query(&mut self, query: &Arc<Query>) -> Result<()> {
        if query.kind == QueryKind::Timestamp {
            query.clear();
            self.end_rendering();
            self.begin_part(query)?;
            return Ok(());
        }
        let Some(at) = self.queries.active.iter().position(|active| active.id == query.id) else {
            return Err(Error::new("the query was not begun"));
        };
        self.queries.active.remove(at);
        self.end_rendering();
        self.end_part(query);
        Ok(())
    }

    /// The result of `query`; waits for the device. An error if it was not ended.
    pub fn query_result(&mut self, query: &Arc<Query>, timeout: Duration) -> Result<QueryResult> {
        if self.queries.active.iter().any(|active| active.id == query.id) {
            return Err(Error::new("the query was not ended"));
        }
        if query.parts().iter().any(|part| part.submission.is_none()) {
            self.submit()?;
        }
        if let Some(error) = &*query.failed.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(error.clone());
        }
        let mut sums = [0u64; 6];
        for part in query.parts().iter() {
            let number = part.submission.ok_or_else(|| Error::new("the query was lost"))?;
            self.device.queue.wait(&self.device.raw, number, timeout)?;
            part.add(query.kind, &self.device, &mut sums)?;
        }
        Ok(match query.kind {
            QueryKind::StreamOutputStatistics => {
                QueryResult::StreamOutput(StreamOutputCounts { written: sums[0], needed: sums[1] })
            }
            QueryKind::PipelineStatistics => QueryResult::Statistics(Statistics {
                vertices: sums[0],
                primitives: sums[1],
                vertex_invocations: sums[2],
                clipped: sums[3],
                visible: sums[4],
                fragment_invocations: sums[5],
            }),
            _ => QueryResult::Value(sums[0]),
        })
    }

    /// Begins a part of a query in the current batch, outside of a rendering.
    fn begin_part(&mut self, query: &Arc<Query>) -> Result<()> {
        let pool = Arc::new(query.pool(&self.device)?);
        let (raw, commands, handle) = (&self.device.raw, self.batch.commands, **pool);
        let [count, _] = query.kind.shape();
        // SAFETY: the buffer is recording, outside of a rendering; the pool is new, and no other query of its type is active.
        unsafe {
            raw.cmd_reset_query_pool(commands, handle, 0, count as u32);
            match query.kind {
                QueryKind::Timestamp | QueryKind::TimeElapsed => {
                    raw.cmd_write_timestamp2(commands, vk::PipelineStageFlags2::ALL_COMMANDS, handle, 0);
                }
                QueryKind::OcclusionCounter if self.device.core.occlusion_query_precise == vk::TRUE => {
                    raw.cmd_begin_query(commands, handle, 0, vk::QueryControlFlags::PRECISE);
                }
                _ => raw.cmd_begin_query(commands, handle, 0, vk::QueryControlFlags::empty()),
            }
        }
        self.counters.commands += 2;
        self.batch.keep(unique_id(), &pool);
        query.parts().push(Part { pool, stamp: self.batch.stamp, submission: None });
        if !self.queries.recorded.iter().any(|recorded| recorded.id == query.id) {
            self.queries.recorded.push(Arc::clone(query));
        }
        Ok(())
    }

    /// Ends the last part of a query, outside of a rendering.
    fn end_part(&mut self, query: &Query) {
        let parts = query.parts();
        // There is none if the query could not continue in this batch.
        let Some(part) = parts.last().filter(|part| part.stamp == self.batch.stamp) else { return };
        let (raw, commands, handle) = (&self.device.raw, self.batch.commands, **part.pool);
        // SAFETY: the buffer is recording, outside of a rendering; the part was begun in it.
        unsafe {
            match query.kind {
                QueryKind::TimeElapsed => {
                    raw.cmd_write_timestamp2(commands, vk::PipelineStageFlags2::ALL_COMMANDS, handle, 1);
                }
                _ => raw.cmd_end_query(commands, handle, 0),
            }
        }
        self.counters.commands += 1;
    }

    /// Ends the parts of all active queries at the end of a batch.
    pub(super) fn pause_queries(&mut self) {
        for query in self.queries.active.clone() {
            self.end_part(&query);
        }
    }

    /// Stores the submission of the parts, and begins new parts at the begin of a batch.
    pub(super) fn resume_queries(&mut self, stamp: u64, submission: u64) {
        for query in std::mem::take(&mut self.queries.recorded) {
            let mut parts = query.parts();
            parts.iter_mut().filter(|part| part.stamp == stamp).for_each(|part| part.submission = Some(submission));
        }
        for query in self.queries.active.clone() {
            if let Err(error) = self.begin_part(&query) {
                *query.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        }
    }
}

impl Query {
    /// Drops the results.
    fn clear(&self) {
        self.parts().clear();
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn parts(&self) -> std::sync::MutexGuard<'_, Vec<Part>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pool(&self, device: &Arc<Logical>) -> Result<Owned<vk::QueryPool>> {
        let [count, _] = self.kind.shape();
        let mut info = vk::QueryPoolCreateInfo::default().query_type(self.kind.ty()).query_count(count as u32);
        if self.kind == QueryKind::PipelineStatistics {
            info = info.pipeline_statistics(STATISTICS);
        }
        // SAFETY: the device supports queries of this type, and the count is not 0.
        let pool = unsafe { device.raw.create_query_pool(&info, None) }.during("vkCreateQueryPool")?;
        Ok(Owned::new(device, pool))
    }
}

impl Part {
    /// Adds its result, once the device is done.
    fn add(&self, kind: QueryKind, device: &Logical, sums: &mut [u64; 6]) -> Result<()> {
        let [count, numbers] = kind.shape();
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        if kind == QueryKind::TimeElapsed || numbers == 1 {
            let mut results = vec![0u64; count];
            // SAFETY: the queries were ended, and have one 64-bit value each.
            let read = unsafe { device.raw.get_query_pool_results(**self.pool, 0, &mut results, flags) };
            read.during("vkGetQueryPoolResults")?;
            sums[0] += match kind {
                QueryKind::TimeElapsed => device.clock.between(results[0], results[1]).as_nanos() as u64,
                QueryKind::Timestamp => device.clock.between(0, results[0]).as_nanos() as u64,
                _ => results[0],
            };
            return Ok(());
        }
        let mut results = [[0u64; 6]];
        // SAFETY: the query was ended; it has at most six 64-bit values.
        let read = unsafe { device.raw.get_query_pool_results(**self.pool, 0, &mut results, flags) };
        read.during("vkGetQueryPoolResults")?;
        sums.iter_mut().zip(results[0]).take(numbers).for_each(|(sum, result)| *sum += result);
        Ok(())
    }
}
