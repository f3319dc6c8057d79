// SPDX-License-Identifier: MIT

//! The contents of the log.

use super::{Bench, WorldOptions};
use crate::Command;
use ash::vk;

/// The smallest module that this implementation accepts as SPIR-V, with a variable `word`.
fn module(bench: &Bench, word: u32) -> vk::ShaderModule {
    let words = [0x0723_0203, word];
    // SAFETY: the world reads only the first word.
    unsafe { bench.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None) }.unwrap()
}

/// The parameters of a pipeline in the tests.
#[derive(Clone, Copy)]
struct Shape {
    code: u32,
    cull_mode: vk::CullModeFlags,
    libraries: bool,
}

const SHAPE: Shape = Shape { code: 1, cull_mode: vk::CullModeFlags::BACK, libraries: false };

/// The number of a pipeline of this shape in the log.
fn number(bench: &Bench, shape: Shape) -> u64 {
    let device = &bench.device;
    // SAFETY: the structs are valid, and the buffer is recording.
    unsafe {
        let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None).unwrap();
        let modules = [module(bench, shape.code), module(bench, 2)];
        let stage =
            |module, stage| vk::PipelineShaderStageCreateInfo::default().module(module).stage(stage).name(c"main");
        let stages =
            [stage(modules[0], vk::ShaderStageFlags::VERTEX), stage(modules[1], vk::ShaderStageFlags::FRAGMENT)];
        let (input, assembly) = Default::default();
        let (viewport, multisample, blend) = Default::default();
        let depth = vk::PipelineDepthStencilStateCreateInfo::default();
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default().cull_mode(shape.cull_mode);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .layout(layout)
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&rasterization)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend);
        let make = |info: vk::GraphicsPipelineCreateInfo<'_>| {
            device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None).unwrap()[0]
        };
        let mut made = Vec::new();
        if shape.libraries {
            for part in 0..4 {
                let flags = vk::GraphicsPipelineLibraryFlagsEXT::from_raw(1 << part);
                let mut library = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(flags);
                // State that does not belong to the part must have no effect.
                made.push(make(info.flags(vk::PipelineCreateFlags::LIBRARY_KHR).push_next(&mut library)));
            }
            let mut libraries = vk::PipelineLibraryCreateInfoKHR::default().libraries(&made);
            let linked = make(vk::GraphicsPipelineCreateInfo::default().layout(layout).push_next(&mut libraries));
            made.push(linked);
        } else {
            made.push(make(info));
        }
        let pipeline = *made.last().unwrap();
        let log = bench.log(|device, commands| {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
        });
        made.iter().for_each(|pipeline| device.destroy_pipeline(*pipeline, None));
        modules.iter().for_each(|module| device.destroy_shader_module(*module, None));
        device.destroy_pipeline_layout(layout, None);
        assert_eq!(bench.world.take_messages(), [""; 0]);
        log[1].words[1]
    }
}

#[test]
fn pipelines_are_named_by_all_of_their_state() {
    let (bench, other) = (Bench::new(WorldOptions::default()), Bench::new(WorldOptions::default()));
    let plain = number(&bench, SHAPE);
    assert_eq!(plain, number(&bench, SHAPE));
    assert_eq!(plain, number(&other, SHAPE), "the world has no effect");
    assert_ne!(plain, number(&bench, Shape { code: 3, ..SHAPE }));
    assert_ne!(plain, number(&bench, Shape { cull_mode: vk::CullModeFlags::FRONT, ..SHAPE }));
    assert_eq!(plain, number(&bench, Shape { libraries: true, ..SHAPE }), "linked or created whole");
    let linked = number(&bench, Shape { libraries: true, cull_mode: vk::CullModeFlags::FRONT, ..SHAPE });
    assert_eq!(linked, number(&bench, Shape { cull_mode: vk::CullModeFlags::FRONT, ..SHAPE }));
}

/// A set with a uniform buffer whose `range` bytes have the value `value`, at `offset` in a buffer called `name`.
fn set_number(name: &std::ffi::CStr, offset: u64, value: u8) -> u64 {
    let bench = Bench::new(WorldOptions::default());
    let device = &bench.device;
    // SAFETY: the structs are valid, the buffer is recording, and the memory is mapped.
    unsafe {
        let buffer = bench.buffer(256);
        buffer.2.add(offset as usize).write_bytes(value, 16);
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(buffer.0).object_name(name);
        ash::ext::debug_utils::Device::new(&bench.instance, device).set_debug_utils_object_name(&info).unwrap();
        let ty = vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC;
        let bindings = [vk::DescriptorSetLayoutBinding::default().descriptor_type(ty).descriptor_count(1)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layouts = [device.create_descriptor_set_layout(&info, None).unwrap()];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let layout = device.create_pipeline_layout(&info, None).unwrap();
        let sizes = [vk::DescriptorPoolSize { ty, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = device.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let set = device.allocate_descriptor_sets(&info).unwrap()[0];
        let infos = [vk::DescriptorBufferInfo { buffer: buffer.0, offset: 0, range: 16 }];
        let write = vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(ty).buffer_info(&infos);
        device.update_descriptor_sets(&[write], &[]);
        let log = bench.log(|device, commands| {
            let point = vk::PipelineBindPoint::GRAPHICS;
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[offset as u32]);
        });
        device.destroy_descriptor_pool(pool, None);
        device.destroy_pipeline_layout(layout, None);
        device.destroy_descriptor_set_layout(layouts[0], None);
        bench.free(buffer);
        assert_eq!(bench.world.take_messages(), [""; 0]);
        *log[1].words.last().unwrap()
    }
}

#[test]
fn sets_are_named_by_their_contents() {
    let set = set_number(c"uniforms", 16, 1);
    assert_eq!(set, set_number(c"uniforms", 16, 2), "the buffer counts, not its contents");
    assert_ne!(set, set_number(c"uniforms", 32, 1));
    assert_ne!(set, set_number(c"others", 16, 1));
    let bytes = set_number(c"~uniforms", 16, 1);
    assert_eq!(bytes, set_number(c"~uniforms", 32, 1), "the contents of the buffer count, not the offset");
    assert_ne!(bytes, set_number(c"~uniforms", 16, 2));
}

#[test]
fn both_forms_of_a_copy_have_the_same_words() {
    let bench = Bench::new(WorldOptions::default());
    let buffer = bench.buffer(64);
    // SAFETY: the structs are valid, and the buffer is recording.
    let log = bench.log(|device, commands| unsafe {
        let region = vk::BufferCopy { src_offset: 0, dst_offset: 16, size: 8 };
        device.cmd_copy_buffer(commands, buffer.0, buffer.0, &[region]);
        let regions = [vk::BufferCopy2::default().dst_offset(16).size(8)];
        let info = vk::CopyBufferInfo2::default().src_buffer(buffer.0).dst_buffer(buffer.0).regions(&regions);
        device.cmd_copy_buffer2(commands, &info);
    });
    assert_eq!(
        log.iter().map(|command| command.name).collect::<Vec<_>>(),
        ["vkBeginCommandBuffer", "vkCmdCopyBuffer", "vkCmdCopyBuffer2", "vkEndCommandBuffer"]
    );
    assert_eq!(log[1].words, log[2].words);
    assert_eq!(bench.world.describe(log[1].words[0]), "BUFFER 0");
    assert_eq!(log[1].words[2..], [1, 0, 16, 8]);
    bench.free(buffer);
}

#[test]
fn nothing_is_recorded_by_default() {
    let bench = Bench::new(WorldOptions::default());
    bench.submit(bench.record(|_, _| {}), vk::Fence::null());
    assert_eq!(bench.world.take_log(), []);
    let begin = Command { name: "vkBeginCommandBuffer", words: vec![0] };
    assert_eq!(bench.log(|_, _| {})[0], begin);
}
