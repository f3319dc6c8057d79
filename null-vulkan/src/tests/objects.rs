// SPDX-License-Identifier: MIT

//! Handles, and the life of objects.

use super::{Bench, WorldOptions};
use ash::vk;
use ash::vk::Handle;

#[test]
fn destroyed_and_foreign_handles_are_reported() {
    let (bench, other) = (Bench::new(WorldOptions::default()), Bench::new(WorldOptions::default()));
    // SAFETY: Vulkan forbids this use, but a world must report it.
    unsafe {
        let fence = bench.device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        other.device.destroy_fence(fence, None);
        assert_eq!(other.world.take_messages(), ["vkDestroy...: a handle that is not of this world as FENCE"]);
        bench.device.destroy_fence(fence, None);
        assert_eq!(bench.world.take_messages(), [""; 0]);
        bench.device.destroy_fence(fence, None);
        assert_eq!(bench.world.take_messages(), ["vkDestroy...: the handle of a destroyed object as FENCE"]);
        let sampler = bench.device.create_sampler(&vk::SamplerCreateInfo::default(), None).unwrap();
        bench.device.destroy_fence(vk::Fence::from_raw(sampler.as_raw()), None);
        assert_eq!(bench.world.take_messages(), ["vkDestroy...: the handle of an object of another type as FENCE"]);
        bench.device.destroy_fence(vk::Fence::null(), None);
        bench.device.destroy_sampler(sampler, None);
        assert_eq!(bench.world.take_messages(), [""; 0]);
    }
}

#[test]
fn objects_that_outlive_their_device_are_reported() {
    let bench = Bench::new(WorldOptions::default());
    let world = bench.world.clone();
    let (buffer, ..) = bench.buffer(16);
    assert!(world.live_objects().contains(&(vk::ObjectType::BUFFER, 1)));
    assert_ne!(buffer, vk::Buffer::null());
    drop(bench);
    let messages = world.take_messages();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages.contains(&"vkDestroyDevice: 1 BUFFER were not destroyed".to_owned()));
    assert_eq!(world.live_objects(), [(vk::ObjectType::DEVICE_MEMORY, 1), (vk::ObjectType::BUFFER, 1)]);
}

#[test]
fn objects_of_a_submission_must_live_until_it_is_complete() {
    let bench = Bench::new(WorldOptions { lag: 1, ..WorldOptions::default() });
    let (used, unused) = (bench.buffer(16), bench.buffer(16));
    // SAFETY: the buffer is recording.
    let commands = bench.record(|device, commands| unsafe { device.cmd_fill_buffer(commands, used.0, 0, 16, 7) });
    bench.submit(commands, vk::Fence::null());
    bench.free(unused);
    assert_eq!(bench.world.take_messages(), [""; 0]);
    bench.free(used);
    let messages = bench.world.take_messages();
    let expected = [
        "vkDestroy...: an incomplete submission uses the BUFFER",
        "vkDestroy...: an incomplete submission uses the DEVICE_MEMORY",
    ];
    assert_eq!(messages, expected);
    // SAFETY: no requirements.
    unsafe { bench.device.device_wait_idle() }.unwrap();
    assert_eq!(bench.world.take_messages(), ["vkQueueSubmit: the handle of a destroyed object as BUFFER"]);
}

#[test]
fn commands_must_use_live_objects() {
    let bench = Bench::new(WorldOptions::default());
    let buffer = bench.buffer(16);
    // SAFETY: the buffer is recording.
    let commands = bench.record(|device, commands| unsafe { device.cmd_fill_buffer(commands, buffer.0, 0, 16, 7) });
    bench.free(buffer);
    bench.submit(commands, vk::Fence::null());
    let messages = bench.world.take_messages();
    assert!(messages[0].starts_with("vkQueueSubmit: a command uses the handle of a destroyed object"), "{messages:?}");
    // SAFETY: Vulkan forbids this use, but a world must report it.
    bench.record(|device, commands| unsafe { device.cmd_fill_buffer(commands, buffer.0, 0, 16, 7) });
    assert_eq!(bench.world.take_messages(), ["vkCmdFillBuffer: the handle of a destroyed object as BUFFER"]);
    // SAFETY: as above.
    unsafe { bench.device.cmd_draw(commands, 3, 1, 0, 0) };
    assert_eq!(bench.world.take_messages(), ["vkCmdDraw: the command buffer is not recording"]);
}

#[test]
fn pools_of_descriptors_end() {
    let bench = Bench::new(WorldOptions::default());
    let device = &bench.device;
    let size = vk::DescriptorPoolSize { ty: vk::DescriptorType::UNIFORM_BUFFER, descriptor_count: 3 };
    let sizes = [size];
    let binding = vk::DescriptorSetLayoutBinding::default().descriptor_type(size.ty).descriptor_count(2);
    let bindings = [binding];
    // SAFETY: the structs are valid.
    unsafe {
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(5).pool_sizes(&sizes);
        let pool = device.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layout = device.create_descriptor_set_layout(&info, None).unwrap();
        let layouts = [layout; 2];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // Two sets have four descriptors; the first set is freed again.
        assert_eq!(device.allocate_descriptor_sets(&info), Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY));
        assert!(!bench.world.live_objects().iter().any(|(kind, _)| *kind == vk::ObjectType::DESCRIPTOR_SET));
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts[..1]);
        device.allocate_descriptor_sets(&info).unwrap();
        assert_eq!(device.allocate_descriptor_sets(&info), Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY));
        device.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()).unwrap();
        device.allocate_descriptor_sets(&info).unwrap();
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(layout, None);
    }
    assert_eq!(bench.world.take_messages(), [""; 0]);
}

#[test]
fn heaps_end() {
    let bench = Bench::new(WorldOptions { heap: 1 << 20, ..WorldOptions::default() });
    let info = vk::MemoryAllocateInfo::default().allocation_size(600 << 10);
    // SAFETY: the struct is valid.
    unsafe {
        let memory = bench.device.allocate_memory(&info, None).unwrap();
        assert_eq!(bench.device.allocate_memory(&info, None), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
        bench.device.free_memory(memory, None);
        let memory = bench.device.allocate_memory(&info, None).unwrap();
        bench.device.free_memory(memory, None);
    }
}
