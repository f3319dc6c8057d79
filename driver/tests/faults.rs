// SPDX-License-Identifier: MIT

//! Each call of the headless device that can fail fails once, or all calls from one on fail.

#[path = "support/headless.rs"]
mod support;

use ntv_driver::headless::{vk, Device, DeviceOptions};
use ntv_driver::{Error, ErrorKind};
use null_vulkan::faults::{FaultPlan, Faults};
use null_vulkan::{World, WorldOptions};
use std::sync::Arc;

const RESULTS: [vk::Result; 3] =
    [vk::Result::ERROR_OUT_OF_HOST_MEMORY, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, vk::Result::ERROR_DEVICE_LOST];

/// Calls whose failure has an alternative.
const SURVIVED: [&str; 4] = ["vkAllocateMemory", "vkBeginCommandBuffer", "vkResetCommandPool", "vkResetDescriptorPool"];

/// Opens a device, dispatches and draws.
fn run(options: &DeviceOptions) -> Result<(), Error> {
    let device = Device::open(options)?;
    support::dispatch(&device)?;
    support::draw(&device)?;
    Ok(())
}

/// Fails each call of a run over the result of `open`. `check` checks the remaining objects, given whether the device gave up and
/// leaked its objects.
fn fail_each<T>(open: impl Fn() -> (DeviceOptions, T), sticky: bool, check: impl Fn(&T, &Faults, bool)) {
    for result in RESULTS {
        let run_with = |nth| {
            let faults = Faults::new(FaultPlan { nth, result, sticky, ..FaultPlan::default() });
            let (options, more) = open();
            let implementation = support::implementation::with_faults(options.implementation, &faults);
            (run(&DeviceOptions { implementation, ..options }), faults, more)
        };
        let (done, counted, more) = run_with(0);
        assert_eq!((done, counted.failed()), (Ok(()), None));
        check(&more, &counted, false);
        assert!(counted.calls() >= if result == vk::Result::ERROR_DEVICE_LOST { 5 } else { 50 });
        for nth in 1..=counted.calls() {
            let (done, faults, more) = run_with(nth);
            let Some(name) = faults.failed() else {
                // The number of status queries depends on the speed of the device.
                assert_eq!(done, Ok(()));
                continue;
            };
            match done {
                // Memory of another type is allocated, or another command buffer is created.
                Ok(()) => assert!(!sticky && SURVIVED.contains(&name), "{nth}: {name}"),
                // The allocator has its own messages.
                Err(error) if ["vkAllocateMemory", "vkMapMemory"].contains(&name) => {
                    assert_eq!(error.kind, ErrorKind::OutOfMemory, "{nth}: {error}");
                }
                Err(error) if sticky && SURVIVED.contains(&name) => {
                    assert!(error.message.contains(&format!("failed: {result}")), "{nth}: {error}");
                }
                Err(error) => assert!(error.message.contains(&format!("{name} failed: {result}")), "{nth}: {error}"),
            }
            // It is unknown then whether the device is done.
            let waits = ["vkGetSemaphoreCounterValue", "vkWaitSemaphores"].contains(&name);
            check(&more, &faults, waits && sticky && result != vk::Result::ERROR_DEVICE_LOST);
        }
    }
}

fn null() -> (DeviceOptions, Arc<World>) {
    let world = World::new(WorldOptions::default());
    let implementation = support::implementation::null(&world);
    (DeviceOptions { implementation, ..DeviceOptions::default() }, world)
}

fn check_world(world: &Arc<World>, faults: &Faults, gave_up: bool) {
    assert_eq!(world.live_objects().is_empty(), !gave_up, "{:?}: {:?}", faults.failed(), world.live_objects());
    assert_eq!(world.take_messages(), [""; 0], "{:?}", faults.failed());
}

#[test]
fn each_call_fails_over_the_null_implementation() {
    fail_each(null, false, check_world);
}

#[test]
fn all_calls_fail_from_one_on() {
    fail_each(null, true, check_world);
}

#[test]
fn each_call_fails_over_lavapipe() {
    let lavapipe = || {
        let options = DeviceOptions { name: Some("llvmpipe".into()), validation: true, ..DeviceOptions::default() };
        (options, ())
    };
    fail_each(lavapipe, false, |(), faults, _| assert_eq!(faults.take_messages(), [""; 0], "{:?}", faults.failed()));
}
