// SPDX-License-Identifier: MIT

//! The effects of submissions, and their completion.

use super::{Bench, WorldOptions};
use ash::vk;
use std::time::Duration;

const LONG: u64 = 20_000_000_000;

#[test]
fn buffers_are_filled_copied_and_updated() {
    let bench = Bench::new(WorldOptions::default());
    let (from, to) = (bench.buffer(16), bench.buffer(16));
    // SAFETY: the buffer is recording, and the ranges are in the buffers.
    let commands = bench.record(|device, commands| unsafe {
        device.cmd_fill_buffer(commands, from.0, 4, vk::WHOLE_SIZE, 0x0101_0101);
        device.cmd_update_buffer(commands, from.0, 8, &[9; 4]);
        let region = vk::BufferCopy { src_offset: 4, dst_offset: 0, size: 12 };
        device.cmd_copy_buffer(commands, from.0, to.0, &[region]);
    });
    // SAFETY: the memory is mapped.
    let bytes = |buffer: (_, _, *mut u8)| unsafe { std::slice::from_raw_parts(buffer.2, 16) }.to_vec();
    assert_eq!(bytes(to), [0; 16], "there is no effect before the submission");
    bench.submit(commands, vk::Fence::null());
    assert_eq!(bytes(from), [0, 0, 0, 0, 1, 1, 1, 1, 9, 9, 9, 9, 1, 1, 1, 1]);
    assert_eq!(bytes(to), [1, 1, 1, 1, 9, 9, 9, 9, 1, 1, 1, 1, 0, 0, 0, 0]);
    bench.free(from);
    bench.free(to);
    assert_eq!(bench.world.take_messages(), [""; 0]);
}

#[test]
fn queries_are_available_once_they_ended() {
    let bench = Bench::new(WorldOptions::default());
    let device = &bench.device;
    let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
    // SAFETY: the structs are valid, and the buffer is recording.
    unsafe {
        let pool = device.create_query_pool(&info, None).unwrap();
        let mut times = [0_u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64;
        assert_eq!(device.get_query_pool_results(pool, 0, &mut times, flags), Err(vk::Result::NOT_READY));
        let commands = bench.record(|device, commands| {
            device.cmd_write_timestamp(commands, vk::PipelineStageFlags::ALL_COMMANDS, pool, 0);
            device.cmd_write_timestamp(commands, vk::PipelineStageFlags::ALL_COMMANDS, pool, 1);
        });
        bench.submit(commands, vk::Fence::null());
        device.get_query_pool_results(pool, 0, &mut times, flags).unwrap();
        assert!(times[0] > 0 && times[0] <= times[1], "{times:?}");
        device.reset_query_pool(pool, 1, 1);
        assert_eq!(device.get_query_pool_results(pool, 0, &mut times, flags), Err(vk::Result::NOT_READY));
        device.destroy_query_pool(pool, None);
    }
    assert_eq!(bench.world.take_messages(), [""; 0]);
}

#[test]
fn a_submission_lags_until_it_is_waited_for() {
    let bench = Bench::new(WorldOptions { lag: 2, ..WorldOptions::default() });
    let device = &bench.device;
    // SAFETY: the structs are valid.
    unsafe {
        let fences = [(); 3].map(|()| device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap());
        let commands = [(); 3].map(|()| bench.record(|_, _| {}));
        fences.iter().zip(commands).take(2).for_each(|(fence, commands)| bench.submit(commands, *fence));
        assert_eq!(device.wait_for_fences(&fences[..1], true, 0).err(), None, "the wait itself completes it");
        assert_eq!(device.get_fence_status(fences[1]), Ok(false));
        assert_eq!(device.get_fence_status(fences[1]), Ok(true), "a query of the status makes progress");
        bench.submit(commands[2], fences[2]);
        assert_eq!(device.get_fence_status(fences[2]), Ok(false));
        device.device_wait_idle().unwrap();
        assert_eq!(device.get_fence_status(fences[2]), Ok(true));
        fences.iter().for_each(|fence| device.destroy_fence(*fence, None));
    }
    assert_eq!(bench.world.take_messages(), [""; 0]);
}

#[test]
fn a_submission_waits_for_a_timeline_semaphore() {
    let bench = Bench::new(WorldOptions::default());
    let device = &bench.device;
    let mut ty = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE).initial_value(4);
    // SAFETY: the structs are valid.
    unsafe {
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut ty);
        let semaphores = [device.create_semaphore(&info, None).unwrap()];
        let waits = [vk::SemaphoreSubmitInfo::default().semaphore(semaphores[0]).value(5)];
        let signals = [vk::SemaphoreSubmitInfo::default().semaphore(semaphores[0]).value(6)];
        let info = vk::SubmitInfo2::default().wait_semaphore_infos(&waits).signal_semaphore_infos(&signals);
        device.queue_submit2(bench.queue, &[info], vk::Fence::null()).unwrap();
        assert_eq!(device.get_semaphore_counter_value(semaphores[0]), Ok(4));
        let wait = |value, timeout| {
            let values = [value];
            device.wait_semaphores(&vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values), timeout)
        };
        assert_eq!(wait(6, 1000), Err(vk::Result::TIMEOUT));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wait(6, LONG));
            std::thread::sleep(Duration::from_millis(20));
            let info = vk::SemaphoreSignalInfo::default().semaphore(semaphores[0]).value(5);
            device.signal_semaphore(&info).unwrap();
            assert_eq!(waiting.join().unwrap(), Ok(()));
        });
        assert_eq!(device.get_semaphore_counter_value(semaphores[0]), Ok(6));
        device.destroy_semaphore(semaphores[0], None);
    }
    assert_eq!(bench.world.take_messages(), [""; 0]);
}

#[test]
fn events_are_set_by_commands() {
    let bench = Bench::new(WorldOptions::default());
    // SAFETY: the struct is valid, and the buffer is recording.
    unsafe {
        let event = bench.device.create_event(&vk::EventCreateInfo::default(), None).unwrap();
        assert_eq!(bench.device.get_event_status(event), Ok(false));
        let commands = bench.record(|device, commands| {
            device.cmd_set_event(commands, event, vk::PipelineStageFlags::ALL_COMMANDS);
        });
        bench.submit(commands, vk::Fence::null());
        assert_eq!(bench.device.get_event_status(event), Ok(true));
        bench.device.destroy_event(event, None);
    }
}
