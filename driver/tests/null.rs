// SPDX-License-Identifier: MIT

//! The implementation that computes nothing, below the headless device and alone.

#[path = "support/headless.rs"]
mod support;

use ntv_driver::headless::{vk, Device, DeviceOptions};
use null_vulkan::{normalize, ActionKind, World, WorldOptions};
use std::sync::Arc;

fn open(world: &Arc<World>) -> ntv_driver::Result<Device> {
    Device::open(&DeviceOptions { implementation: support::implementation::null(world), ..DeviceOptions::default() })
}

#[test]
fn the_headless_device_runs_and_frees_everything() {
    for options in [WorldOptions::default(), WorldOptions { lag: 2, ..WorldOptions::default() }] {
        let world = World::new(options);
        let device = open(&world).unwrap();
        assert_eq!((device.name(), device.driver()), ("ntv null device", "ntv null "));
        assert_eq!(support::dispatch(&device).unwrap(), [5; 64], "nothing computes");
        let drawn = support::draw(&device).unwrap();
        assert_eq!(drawn.attachments.len(), 1);
        assert!(drawn.counts.statistics.is_some() && drawn.counts.generated == Some(0));
        // The allocator keeps a block of each memory type.
        let mut left = world.live_objects();
        left.retain(|(ty, count)| *ty != vk::ObjectType::DEVICE_MEMORY || *count > 2);
        let own = [vk::ObjectType::INSTANCE, vk::ObjectType::DEVICE, vk::ObjectType::SEMAPHORE];
        assert_eq!(left, own.map(|ty| (ty, 1)));
        drop(device);
        assert_eq!(world.take_messages(), [""; 0]);
        assert_eq!(world.live_objects(), []);
        // One for the dispatch, and one for the draw with its four libraries.
        assert_eq!(world.made_objects(vk::ObjectType::PIPELINE), 6);
        let commands = world.recorded_commands();
        assert_eq!((commands["vkCmdDispatch"], commands["vkCmdDraw"]), (1, 1));
    }
}

#[test]
fn two_runs_do_the_same() {
    let run = |first: bool| {
        let world = World::new(WorldOptions::default());
        let device = open(&world).unwrap();
        if first {
            support::draw(&device).unwrap();
        }
        world.set_recording(true);
        support::dispatch(&device).unwrap();
        let log = world.take_log();
        assert!(log.iter().any(|command| command.name == "vkCmdDispatch"));
        normalize(&log)
    };
    let actions = run(false);
    assert_eq!(actions.iter().filter(|action| action.kind == ActionKind::Dispatch).count(), 1);
    assert_eq!(actions, run(false));
    // The log names buffers without a name by their order.
    assert_ne!(actions, run(true));
}

#[test]
fn without_checks_it_runs_as_well() {
    let world = World::new(WorldOptions::unchecked());
    let device = open(&world).unwrap();
    support::dispatch(&device).unwrap();
    support::draw(&device).unwrap();
    drop(device);
    assert_eq!(world.take_messages(), [""; 0]);
    assert_eq!(world.live_objects(), []);
    assert_eq!(world.recorded_commands()["vkCmdDraw"], 1);
}

#[test]
fn disabled_features_are_missing() {
    let world = World::new(WorldOptions::without(&["VK_EXT_transform_feedback", "pipelineStatisticsQuery"]));
    let device = open(&world).unwrap();
    // Generated primitives are only counted by devices that capture (VK_EXT_primitives_generated_query).
    let queries = device.queries();
    assert!(!queries.feedback && !queries.statistics && !queries.generated);
    drop(device);
    let error = open(&World::new(WorldOptions::without(&["dynamicRendering"]))).err().unwrap();
    assert_eq!(error.message, "the device has no dynamicRendering");
    let options = WorldOptions { limits: Some(|limits| limits.max_color_attachments = 4), ..WorldOptions::default() };
    let device = open(&World::new(options)).unwrap();
    assert_eq!(device.limits().max_color_attachments, 4);
}
