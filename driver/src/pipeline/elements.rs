// SPDX-License-Identifier: MIT

//! Vertex elements in Vulkan's form: attributes, and a binding for each vertex buffer.

use crate::context::VertexElement;
use ash::vk;
use std::hash::{Hash, Hasher};

/// The attributes of the vertex shader; the index in the list is the Location.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexElements {
    pub(crate) list: Vec<VertexElement>,
    /// The mask of vertex buffers that are read.
    pub(crate) buffers: u32,
    /// The parameters of the command, for devices with dynamic vertex input.
    pub(crate) dynamic: DynamicInput,
}

impl PartialEq for VertexElements {
    fn eq(&self, other: &VertexElements) -> bool {
        self.list == other.list
    }
}

impl Eq for VertexElements {}

impl Hash for VertexElements {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.list.hash(state);
    }
}

/// The parameters of `vkCmdSetVertexInputEXT`.
#[derive(Clone, Debug, Default)]
pub(crate) struct DynamicInput {
    pub(crate) bindings: Vec<vk::VertexInputBindingDescription2EXT<'static>>,
    pub(crate) attributes: Vec<vk::VertexInputAttributeDescription2EXT<'static>>,
}

/// The vertex input state of a pipeline.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) bindings: Vec<vk::VertexInputBindingDescription>,
    pub(crate) attributes: Vec<vk::VertexInputAttributeDescription>,
    pub(crate) divisors: Vec<vk::VertexInputBindingDivisorDescriptionEXT>,
}

impl VertexElements {
    pub(crate) fn new(list: &[VertexElement]) -> VertexElements {
        let bit = |element: &VertexElement| 1u32.checked_shl(element.vertex_buffer_index).unwrap_or(0);
        let buffers = list.iter().fold(0, |all, element| all | bit(element));
        let mut elements = VertexElements { list: list.to_vec(), buffers, ..VertexElements::default() };
        elements.dynamic = elements.dynamic_input();
        elements
    }

    fn dynamic_input(&self) -> DynamicInput {
        let binding = |element: &VertexElement| {
            vk::VertexInputBindingDescription2EXT::default()
                .binding(element.vertex_buffer_index)
                .stride(element.src_stride)
                .input_rate(input_rate(element))
                .divisor(element.instance_divisor.max(1))
        };
        let attribute = |(location, element): (u32, &VertexElement)| {
            vk::VertexInputAttributeDescription2EXT::default()
                .location(location)
                .binding(element.vertex_buffer_index)
                .format(element.src_format)
                .offset(element.src_offset)
        };
        let attributes = (0..).zip(&self.list).map(attribute).collect();
        DynamicInput { bindings: self.of_buffers().map(binding).collect(), attributes }
    }

    /// The stride of a vertex buffer that is read.
    pub(crate) fn stride(&self, buffer: u32) -> u32 {
        let of_buffer = |element: &&VertexElement| element.vertex_buffer_index == buffer;
        self.list.iter().find(of_buffer).map_or(0, |element| element.src_stride)
    }

    /// The first element of each vertex buffer. All elements of a buffer have the same stride and input rate.
    fn of_buffers(&self) -> impl Iterator<Item = &VertexElement> {
        let first = |(at, element): &(usize, &VertexElement)| {
            self.list[..*at].iter().all(|other| other.vertex_buffer_index != element.vertex_buffer_index)
        };
        self.list.iter().enumerate().filter(first).map(|(_, element)| element)
    }

    pub(crate) fn input(&self) -> Input {
        let mut input = Input::default();
        for element in self.of_buffers() {
            input.bindings.push(vk::VertexInputBindingDescription {
                binding: element.vertex_buffer_index,
                stride: element.src_stride,
                input_rate: input_rate(element),
            });
            if element.instance_divisor > 1 {
                input.divisors.push(vk::VertexInputBindingDivisorDescriptionEXT {
                    binding: element.vertex_buffer_index,
                    divisor: element.instance_divisor,
                });
            }
        }
        input.attributes = (0..)
            .zip(&self.list)
            .map(|(location, element)| vk::VertexInputAttributeDescription {
                location,
                binding: element.vertex_buffer_index,
                format: element.src_format,
                offset: element.src_offset,
            })
            .collect();
        input
    }
}

fn input_rate(element: &VertexElement) -> vk::VertexInputRate {
    match element.instance_divisor {
        0 => vk::VertexInputRate::VERTEX,
        _ => vk::VertexInputRate::INSTANCE,
    }
}
