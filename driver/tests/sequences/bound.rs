// SPDX-License-Identifier: MIT

//! The bindings of a context, as far as the calls determine them: they decide which draws are well defined.

use crate::call::{Constants, Draw};
use crate::scene::{resource_of_image, resource_of_view, Resource};
use crate::shaders::{self, Info};
use crate::tables;
use ntv::module::ShaderStage;
use ntv_driver::context::Topology;
use std::collections::HashMap;

/// The bindings of a context.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bound {
    pub(crate) vertex: Option<usize>,
    pub(crate) fragment: Option<usize>,
    pub(crate) compute: Option<usize>,
    pub(crate) geometry: bool,
    pub(crate) tessellation: bool,
    pub(crate) rasterizer: usize,
    pub(crate) elements: Option<usize>,
    pub(crate) framebuffer: Option<usize>,
    pub(crate) vertex_buffers: HashMap<usize, usize>,
    pub(crate) constants: HashMap<(ShaderStage, usize), Option<Constants>>,
    pub(crate) buffers: HashMap<(ShaderStage, usize), usize>,
    pub(crate) views: HashMap<(ShaderStage, usize), usize>,
    pub(crate) images: HashMap<(ShaderStage, usize), usize>,
    pub(crate) targets: Vec<Option<usize>>,
}

impl Bound {
    /// The shaders that a draw runs.
    fn shaders(&self) -> Vec<(ShaderStage, &'static Info)> {
        let mut list = Vec::new();
        list.extend(self.vertex.map(|number| (ShaderStage::Vertex, &shaders::VERTEX[number])));
        list.extend(self.fragment.map(|number| (ShaderStage::Fragment, &shaders::FRAGMENT[number])));
        if self.geometry {
            list.push((ShaderStage::Geometry, &shaders::GEOMETRY));
        }
        list
    }

    /// The topology most similar to `mode` that the shaders support.
    pub(crate) fn topology(&self, mode: Topology) -> Topology {
        match mode {
            _ if self.tessellation => Topology::PATCH_LIST,
            Topology::PATCH_LIST => Topology::TRIANGLE_LIST,
            Topology::POINT_LIST | Topology::LINE_LIST | Topology::LINE_STRIP if self.geometry => {
                Topology::TRIANGLE_STRIP
            }
            other => other,
        }
    }

    /// The resources that a draw reads, and those that it writes.
    fn resources_of_draw(&self, draw: &Draw) -> [Vec<Resource>; 2] {
        let [mut read, mut written] = self.resources_of(&self.shaders());
        let attributes = self.vertex.map_or(0, |number| shaders::VERTEX[number].attributes);
        if let Some(elements) = self.elements.filter(|_| attributes > 0) {
            for element in &tables::elements()[elements] {
                let buffer = self.vertex_buffers.get(&(element.vertex_buffer_index as usize));
                read.extend(buffer.map(|buffer| Resource::Buffer(*buffer)));
            }
        }
        read.extend(draw.indices.map(|_| Resource::Buffer(tables::INDICES)));
        read.extend(draw.indirect.map(|_| Resource::Buffer(tables::INDIRECT)));
        if self.vertex.is_some_and(|number| shaders::VERTEX[number].targets > 0) {
            let targets = self.targets.iter().flatten();
            written.extend(targets.map(|target| Resource::Buffer(tables::TARGETS[*target].0)));
        }
        if let Some(framebuffer) = self.framebuffer {
            let (colors, has_depth, _) = tables::FRAMEBUFFERS[framebuffer];
            written.extend(colors.iter().flatten().map(|color| Resource::Texture(color.0)));
            written.extend(has_depth.then_some(Resource::Texture(tables::DEPTH)));
        }
        [read, written]
    }

    fn resources_of(&self, shaders: &[(ShaderStage, &Info)]) -> [Vec<Resource>; 2] {
        let [mut read, mut written] = [Vec::new(), Vec::new()];
        for (stage, info) in shaders {
            for slot in info.constants {
                if let Some(Some(Constants::Buffer(buffer, ..))) = self.constants.get(&(*stage, *slot)) {
                    read.push(Resource::Buffer(*buffer));
                }
            }
            let views = info.views.iter().filter_map(|slot| self.views.get(&(*stage, *slot)));
            read.extend(views.map(|view| resource_of_view(*view)));
            let buffers = info.buffers.iter().filter_map(|slot| self.buffers.get(&(*stage, *slot)));
            written.extend(buffers.map(|buffer| Resource::Buffer(*buffer)));
            let images = info.images.iter().filter_map(|slot| self.images.get(&(*stage, *slot)));
            written.extend(images.map(|image| resource_of_image(*image)));
        }
        [read, written]
    }

    /// Whether there are color attachments that the fragment shader does not write.
    pub(crate) fn draws_undefined_colors(&self) -> bool {
        let colors = self.framebuffer.map_or(0, |number| tables::FRAMEBUFFERS[number].0.len());
        self.fragment.is_none() && colors > 0
    }

    /// Whether a draw reads a resource that it writes, or writes it in two ways, which has an undefined result.
    pub(crate) fn draw_is_undefined(&self, draw: &Draw) -> bool {
        is_undefined(self.resources_of_draw(draw))
    }

    /// Whether a dispatch reads a resource that it writes, or writes it in two ways.
    pub(crate) fn dispatch_is_undefined(&self) -> bool {
        let shader = self.compute.map(|number| (ShaderStage::Compute, &shaders::COMPUTE[number]));
        is_undefined(self.resources_of(shader.as_slice()))
    }

    /// Whether shaders write buffers or images in a draw, or in a dispatch.
    pub(crate) fn shaders_write(&self, is_dispatch: bool) -> bool {
        let writes = |info: &Info| !info.buffers.is_empty() || !info.images.is_empty() || info.targets > 0;
        match is_dispatch {
            true => self.compute.is_some(),
            false => self.shaders().iter().any(|(_, info)| writes(info)),
        }
    }
}

fn is_undefined([read, written]: [Vec<Resource>; 2]) -> bool {
    let twice = (1..written.len()).any(|number| written[..number].contains(&written[number]));
    twice || read.iter().any(|resource| written.contains(resource))
}
