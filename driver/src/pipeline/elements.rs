//! Vertex elements as Vulkan wants them: attributes, and a binding for each vertex buffer.

use crate::context::VertexElement;
use ash::vk;

/// The attributes of the vertex shader; the place in the list is the location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct VertexElements {
    pub(crate) list: Vec<VertexElement>,
    /// Vertex buffers that are read, a bit each.
    pub(crate) buffers: u32,
}

/// What a pipeline is told.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) bindings: Vec<vk::VertexInputBindingDescription>,
    pub(crate) attributes: Vec<vk::VertexInputAttributeDescription>,
    pub(crate) divisors: Vec<vk::VertexInputBindingDivisorDescriptionEXT>,
}

impl VertexElements {
    pub(crate) fn new(list: &[VertexElement]) -> VertexElements {
        let bit = |element: &VertexElement| 1u32.checked_shl(element.vertex_buffer_index).unwrap_or(0);
        VertexElements { list: list.to_vec(), buffers: list.iter().fold(0, |all, element| all | bit(element)) }
    }

    /// The first element of each vertex buffer, which says what all of that buffer say.
    pub(crate) fn of_buffers(&self) -> impl Iterator<Item = &VertexElement> {
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

pub(crate) fn input_rate(element: &VertexElement) -> vk::VertexInputRate {
    match element.instance_divisor {
        0 => vk::VertexInputRate::VERTEX,
        _ => vk::VertexInputRate::INSTANCE,
    }
}
