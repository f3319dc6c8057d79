// SPDX-License-Identifier: MIT

//! Recorded calls as actions: `normalize` must be able to read the words of the log.

use super::{Bench, WorldOptions};
use crate::{first_difference, normalize, Action, StateKey};
use ash::vk;
use ash::vk::Handle;

const DYNAMIC: [vk::DynamicState; 4] = [
    vk::DynamicState::VIEWPORT_WITH_COUNT,
    vk::DynamicState::CULL_MODE,
    vk::DynamicState::STENCIL_REFERENCE,
    vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE,
];

const UNIFORM: vk::DescriptorType = vk::DescriptorType::UNIFORM_BUFFER;
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;

/// A device with the objects that a draw needs.
struct Scene {
    bench: Bench,
    push: ash::khr::push_descriptor::Device,
    buffer: (vk::Buffer, vk::DeviceMemory, *mut u8),
    image: vk::Image,
    view: vk::ImageView,
    sets: [vk::DescriptorSetLayout; 2],
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    layout: vk::PipelineLayout,
    template: vk::DescriptorUpdateTemplate,
    pipeline: vk::Pipeline,
}

impl Scene {
    /// Set 0 has a uniform buffer, set 1 is pushed, and the vertex stage has 16 bytes of push constants.
    fn new() -> Scene {
        let bench = Bench::with(WorldOptions::default(), &[vk::KHR_PUSH_DESCRIPTOR_NAME]);
        let device = &bench.device;
        let buffer = bench.buffer(256);
        let push = ash::khr::push_descriptor::Device::new(&bench.instance, device);
        let bindings = [vk::DescriptorSetLayoutBinding::default().descriptor_type(UNIFORM).descriptor_count(1)];
        // SAFETY: the structs are valid.
        unsafe {
            let info = vk::ImageCreateInfo::default()
                .format(vk::Format::R8G8B8A8_UNORM)
                .extent(vk::Extent3D { width: 8, height: 8, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
            let image = device.create_image(&info, None).unwrap();
            let view = device.create_image_view(&vk::ImageViewCreateInfo::default().image(image), None).unwrap();
            let sets =
                [vk::DescriptorSetLayoutCreateFlags::empty(), vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR]
                    .map(|flags| {
                        let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
                        device.create_descriptor_set_layout(&info, None).unwrap()
                    });
            let sizes = [vk::DescriptorPoolSize { ty: UNIFORM, descriptor_count: 1 }];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = device.create_descriptor_pool(&info, None).unwrap();
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&sets[..1]);
            let set = device.allocate_descriptor_sets(&info).unwrap()[0];
            let infos = [vk::DescriptorBufferInfo { buffer: buffer.0, offset: 0, range: 16 }];
            let write = vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(UNIFORM).buffer_info(&infos);
            device.update_descriptor_sets(&[write], &[]);
            let ranges = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::VERTEX, offset: 0, size: 16 }];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
            let layout = device.create_pipeline_layout(&info, None).unwrap();
            let entries =
                [vk::DescriptorUpdateTemplateEntry::default().descriptor_count(1).descriptor_type(UNIFORM).offset(8)];
            let info = vk::DescriptorUpdateTemplateCreateInfo::default()
                .descriptor_update_entries(&entries)
                .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
                .pipeline_layout(layout)
                .set(1);
            let template = device.create_descriptor_update_template(&info, None).unwrap();
            let pipeline = pipeline(device, layout);
            Scene { push, buffer, image, view, sets, pool, set, layout, template, pipeline, bench }
        }
    }

    fn infos(&self, offset: u64) -> [vk::DescriptorBufferInfo; 1] {
        [vk::DescriptorBufferInfo { buffer: self.buffer.0, offset, range: 32 }]
    }

    /// Binds everything that a draw needs except pushed descriptors.
    unsafe fn bind(&self, device: &ash::Device, commands: vk::CommandBuffer) {
        let viewport = vk::Viewport { width: 8.0, height: 8.0, ..vk::Viewport::default() };
        // SAFETY: the buffer is recording, and the arguments are valid.
        unsafe {
            device.cmd_bind_pipeline(commands, GRAPHICS, self.pipeline);
            device.cmd_bind_descriptor_sets(commands, GRAPHICS, self.layout, 0, &[self.set], &[]);
            let (stages, bytes) = (vk::ShaderStageFlags::VERTEX, [1; 8]);
            device.cmd_push_constants(commands, self.layout, stages, 4, &bytes);
            device.cmd_bind_vertex_buffers2(commands, 3, &[self.buffer.0], &[64], None, Some(&[12]));
            device.cmd_bind_index_buffer(commands, self.buffer.0, 128, vk::IndexType::UINT16);
            device.cmd_set_viewport_with_count(commands, &[viewport]);
            device.cmd_set_cull_mode(commands, vk::CullModeFlags::BACK);
            device.cmd_set_stencil_reference(commands, vk::StencilFaceFlags::FRONT_AND_BACK, 5);
            // The pipeline has a static line width.
            device.cmd_set_line_width(commands, 3.0);
        }
    }

    /// The actions of the commands of `record` within a rendering.
    fn actions(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Vec<Action> {
        let color = vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .clear_value(vk::ClearValue { color: vk::ClearColorValue { uint32: [1, 2, 3, 4] } });
        let (colors, render_area) =
            ([color], vk::Rect2D { offset: Default::default(), extent: vk::Extent2D { width: 8, height: 8 } });
        let info = vk::RenderingInfo::default().render_area(render_area).layer_count(1).color_attachments(&colors);
        // SAFETY: the buffer is recording, and the arguments are valid.
        let log = self.bench.log(|device, commands| unsafe {
            device.cmd_begin_rendering(commands, &info);
            record(device, commands);
            device.cmd_end_rendering(commands);
        });
        assert_eq!(self.bench.world.take_messages(), [""; 0]);
        normalize(&log)
    }
}

/// A pipeline that reads vertex buffer 3.
unsafe fn pipeline(device: &ash::Device, layout: vk::PipelineLayout) -> vk::Pipeline {
    // SAFETY: the structs are valid; a world does not require stages.
    unsafe {
        let bindings = [vk::VertexInputBindingDescription { binding: 3, ..Default::default() }];
        let input = vk::PipelineVertexInputStateCreateInfo::default().vertex_binding_descriptions(&bindings);
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&DYNAMIC);
        let info =
            vk::GraphicsPipelineCreateInfo::default().layout(layout).vertex_input_state(&input).dynamic_state(&dynamic);
        device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None).unwrap()[0]
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let device = &self.bench.device;
        // SAFETY: all objects belong to this device, and none is in use.
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_descriptor_update_template(self.template, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_pool(self.pool, None);
            self.sets.iter().for_each(|set| device.destroy_descriptor_set_layout(*set, None));
            device.destroy_image_view(self.view, None);
            device.destroy_image(self.image, None);
        }
        self.bench.free(self.buffer);
    }
}

#[test]
fn a_draw_uses_the_bound_state() {
    let scene = Scene::new();
    let infos = scene.infos(16);
    let write = vk::WriteDescriptorSet::default().descriptor_type(UNIFORM).buffer_info(&infos);
    // SAFETY: the buffer is recording, and the arguments are valid.
    let actions = scene.actions(|device, commands| unsafe {
        scene.bind(device, commands);
        scene.push.cmd_push_descriptor_set(commands, GRAPHICS, scene.layout, 1, &[write]);
        device.cmd_draw_indexed(commands, 3, 1, 0, 0, 0);
    });
    let names: Vec<&str> = actions.iter().map(|action| action.name).collect();
    assert_eq!(names, ["load op clear", "vkCmdDrawIndexed"]);
    assert_eq!(actions[0].words[2..], [1, 2, 3, 4]);
    let draw = &actions[1];
    let keys: Vec<_> = draw.state.keys().map(|key| (key.0, key.1)).collect();
    let expected = [
        ("attachment", [0, 0]),
        ("cull mode", [0, 0]),
        ("descriptor set", [0, 0]),
        ("index buffer", [0, 0]),
        ("pipeline", [0, 0]),
        ("push constants", [0, 4]),
        ("pushed descriptor", [1, 0]),
        ("render area", [0, 0]),
        ("stencil reference", [1, 0]),
        ("stencil reference", [2, 0]),
        ("vertex buffer", [3, 0]),
        ("viewport", [0, 0]),
    ];
    assert_eq!(keys, expected);
    let value = |name, number| draw.state[&StateKey(name, number)].clone();
    let eight = u64::from(8.0_f32.to_bits());
    assert_eq!(value("viewport", [0, 0]), [0, 0, eight, eight, 0, 0]);
    assert_eq!(value("cull mode", [0, 0]), [2]);
    assert_eq!(value("push constants", [0, 4]), [1; 8]);
    assert_eq!(value("vertex buffer", [3, 0])[1..], [64, u64::MAX, 12]);
    assert_eq!(value("index buffer", [0, 0])[1..], [128, 0]);
    assert_eq!(value("render area", [0, 0]), [0, 0, 8, 8, 1, 0]);
    assert_eq!(scene.bench.world.describe(value("index buffer", [0, 0])[0]), "BUFFER 0");
    assert!(scene.bench.world.describe(value("pipeline", [0, 0])[0]).starts_with("PIPELINE 0x"));
}

#[test]
fn descriptors_are_pushed_with_and_without_a_template() {
    let scene = Scene::new();
    let draw = |push: &dyn Fn(vk::CommandBuffer)| {
        // SAFETY: the buffer is recording, and the arguments are valid.
        scene.actions(|device, commands| unsafe {
            scene.bind(device, commands);
            push(commands);
            device.cmd_draw(commands, 3, 1, 0, 0);
        })
    };
    let plain = |offset| {
        draw(&|commands| {
            let infos = scene.infos(offset);
            let write = vk::WriteDescriptorSet::default().descriptor_type(UNIFORM).buffer_info(&infos);
            // SAFETY: as above.
            unsafe { scene.push.cmd_push_descriptor_set(commands, GRAPHICS, scene.layout, 1, &[write]) };
        })
    };
    let by_template = draw(&|commands| {
        let info = scene.infos(16)[0];
        // The template reads from the eighth byte on.
        let data = [0, info.buffer.as_raw(), info.offset, info.range];
        let (template, layout) = (scene.template, scene.layout);
        // SAFETY: as above; a descriptor of a buffer is three numbers of eight bytes.
        unsafe {
            scene.push.cmd_push_descriptor_set_with_template(commands, template, layout, 1, data.as_ptr().cast());
        }
    });
    assert_eq!(first_difference(&plain(16), &by_template, |word| word.to_string()), None);
    assert!(first_difference(&plain(32), &by_template, |word| word.to_string()).unwrap().contains("pushed descriptor"));
}

#[test]
fn both_ways_to_bind_vertex_buffers_are_the_same() {
    let scene = Scene::new();
    let draw = |bind: &dyn Fn(&ash::Device, vk::CommandBuffer)| {
        // SAFETY: the buffer is recording, and the arguments are valid.
        scene.actions(|device, commands| unsafe {
            scene.bind(device, commands);
            bind(device, commands);
            device.cmd_draw(commands, 3, 1, 0, 0);
        })
    };
    // SAFETY: as above.
    let one =
        draw(&|device, commands| unsafe { device.cmd_bind_vertex_buffers(commands, 3, &[scene.buffer.0], &[32]) });
    // SAFETY: as above.
    let two = draw(&|device, commands| unsafe {
        device.cmd_bind_vertex_buffers2(commands, 3, &[scene.buffer.0], &[32], None, None);
    });
    assert_eq!(one, two);
    assert_ne!(one, draw(&|_, _| {}));
}
