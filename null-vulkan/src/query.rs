// SPDX-License-Identifier: MIT

//! Query pools and events.

use crate::device::{create, destroy, Create};
use crate::dispatch::world;
use crate::object::{Content, Object};
use crate::table::{functions, Function};
use crate::State;
use ash::vk;
use std::ffi::c_void;

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkCreateQueryPool = create::<vk::QueryPool>;
    PFN_vkDestroyQueryPool = destroy::<vk::QueryPool>;
    PFN_vkResetQueryPool = reset_query_pool;
    PFN_vkGetQueryPoolResults = get_results;
    PFN_vkCreateEvent = create::<vk::Event>;
    PFN_vkDestroyEvent = destroy::<vk::Event>;
    PFN_vkGetEventStatus = get_event_status;
    PFN_vkSetEvent = set_event;
    PFN_vkResetEvent = reset_event;
};

/// The data of a query pool.
pub(crate) struct QueryPool {
    /// The number of values of a query.
    numbers: u32,
    /// The result of each available query. Counts are always 0; only timestamps have values.
    results: Vec<Option<u64>>,
}

impl Object for vk::QueryPool {
    type Data = QueryPool;
}

impl Create for vk::QueryPool {
    type Info<'a> = vk::QueryPoolCreateInfo<'a>;

    unsafe fn create(state: &mut State, info: &Self::Info<'_>) -> Result<(Content, QueryPool), vk::Result> {
        let numbers = match info.query_type {
            vk::QueryType::PIPELINE_STATISTICS => info.pipeline_statistics.as_raw().count_ones(),
            vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT => 2,
            _ => 1,
        };
        // Without checks the end of a query is not tracked, so all are available.
        let result = if state.checks { None } else { Some(0) };
        Ok((Content::Order, QueryPool { numbers, results: vec![result; info.query_count as usize] }))
    }
}

impl State {
    /// Sets the results of queries.
    pub(crate) fn set_queries(
        &mut self,
        call: &str,
        pool: vk::QueryPool,
        (first, count): (u32, u32),
        result: Option<u64>,
    ) {
        let Some(pool) = self.get(pool, call) else { return };
        let range = first as usize..first as usize + count as usize;
        match pool.results.get_mut(range) {
            Some(results) => results.fill(result),
            None => self.report(format!("{call}: the pool has no queries {first} to {}", first + count)),
        }
    }

    /// Writes results as `vkGetQueryPoolResults` does; returns whether all were available.
    ///
    /// # Safety
    /// `data` has room for the results.
    pub(crate) unsafe fn write_results(
        &mut self,
        (pool, first, count): (vk::QueryPool, u32, u32),
        (data, size): (*mut c_void, u64),
        stride: u64,
        flags: vk::QueryResultFlags,
    ) -> bool {
        let call = "vkGetQueryPoolResults";
        let Some(pool) = self.get(pool, call) else { return false };
        let wide = flags.contains(vk::QueryResultFlags::TYPE_64);
        let availability = flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY);
        let width = if wide { 8 } else { 4 };
        let (mut all, mut outside) = (true, false);
        for i in 0..count {
            let Some(result) = pool.results.get((first + i) as usize).copied() else {
                outside = true;
                break;
            };
            all &= result.is_some();
            let mut numbers = vec![result; pool.numbers as usize];
            if availability {
                numbers.push(Some(result.is_some().into()));
            }
            for (j, number) in numbers.into_iter().enumerate() {
                let at = u64::from(i) * stride + j as u64 * width;
                // Unavailable results are not written.
                let (Some(number), true) = (number, at + width <= size) else { continue };
                // SAFETY: the caller guarantees it.
                unsafe {
                    match wide {
                        true => data.byte_add(at as usize).cast::<u64>().write_unaligned(number),
                        false => data.byte_add(at as usize).cast::<u32>().write_unaligned(number as u32),
                    }
                }
            }
        }
        if outside {
            self.report(format!("{call}: the pool has no queries {first} to {}", first + count));
        }
        all && !outside
    }
}

unsafe extern "system" fn reset_query_pool(device: vk::Device, pool: vk::QueryPool, first: u32, count: u32) {
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, "vkResetQueryPool") }.lock();
    if state.checks {
        state.set_queries("vkResetQueryPool", pool, (first, count), None);
    }
}

unsafe extern "system" fn get_results(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    size: usize,
    data: *mut c_void,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    // SAFETY: the caller gives a device.
    let world = unsafe { world(device, "vkGetQueryPoolResults") };
    let mut state = world.lock();
    if flags.contains(vk::QueryResultFlags::WAIT) {
        state.complete_all();
        world.wake(&state);
    }
    // SAFETY: the caller gives room for the results.
    let all = unsafe { state.write_results((pool, first, count), (data, size as u64), stride, flags) };
    // Repeated calls make progress.
    state.complete_one();
    world.wake(&state);
    match all {
        true => vk::Result::SUCCESS,
        false if flags.contains(vk::QueryResultFlags::WAIT) => {
            state.report("vkGetQueryPoolResults: waits for a query that no submission ends");
            vk::Result::ERROR_DEVICE_LOST
        }
        false => vk::Result::NOT_READY,
    }
}

impl Object for vk::Event {
    type Data = bool;
}

impl Create for vk::Event {
    type Info<'a> = vk::EventCreateInfo<'a>;

    unsafe fn create(_: &mut State, _: &Self::Info<'_>) -> Result<(Content, bool), vk::Result> {
        Ok((Content::Order, false))
    }
}

unsafe extern "system" fn get_event_status(device: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the caller gives a device.
    let mut state = unsafe { world(device, "vkGetEventStatus") }.lock();
    match state.get(event, "vkGetEventStatus") {
        Some(true) => vk::Result::EVENT_SET,
        _ => vk::Result::EVENT_RESET,
    }
}

impl State {
    pub(crate) fn set_event(&mut self, call: &str, event: vk::Event, value: bool) {
        if let Some(event) = self.get(event, call) {
            *event = value;
        }
    }
}

unsafe extern "system" fn set_event(device: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the caller gives a device.
    unsafe { world(device, "vkSetEvent") }.lock().set_event("vkSetEvent", event, true);
    vk::Result::SUCCESS
}

unsafe extern "system" fn reset_event(device: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the caller gives a device.
    unsafe { world(device, "vkResetEvent") }.lock().set_event("vkResetEvent", event, false);
    vk::Result::SUCCESS
}
