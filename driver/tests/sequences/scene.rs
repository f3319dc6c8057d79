// SPDX-License-Identifier: MIT

//! The objects of sequences: shaders of a device, and the resources of a sequence.

use crate::call::{Call, Constants};
use crate::shaders::{self, Info};
use crate::tables;
use ntv::plan::Class;
use ntv_driver::context::{
    Blend, BufferRange, Context, ContextOptions, DepthStencilAlpha, Elements, FramebufferState, Query, QueryKind,
    Rasterizer, StreamOutputTarget,
};
use ntv_driver::device::Device;
use ntv_driver::program::{ProgramOptions, Shader};
use ntv_driver::resource::{
    Buffer, BufferDescription, ImageView, Sampler, SamplerView, Surface, Swizzle, Texture, TextureDescription, Usage,
};
use ntv_driver::vk;
use ntv_driver::Result;
use std::collections::HashSet;
use std::sync::Arc;

/// A device with the shaders that all its sequences share.
pub(crate) struct Rig {
    /// Declared before the device: the device needs its programs to be dropped first.
    _keeper: Context,
    /// They keep the memory blocks of resources allocated.
    _kept: (Vec<Arc<Buffer>>, Arc<Texture>),
    pub(crate) vertex: Vec<Arc<Shader>>,
    pub(crate) fragment: Vec<Arc<Shader>>,
    pub(crate) compute: Vec<Arc<Shader>>,
    pub(crate) geometry: Arc<Shader>,
    pub(crate) control: Arc<Shader>,
    pub(crate) evaluation: Arc<Shader>,
    pub(crate) states: States,
    pub(crate) device: Device,
}

impl Rig {
    pub(crate) fn new(device: Device) -> Rig {
        let mut keeper = Context::new(&device, ContextOptions::default()).expect("a context");
        let all = |stage: &str, list: &[Info]| -> Vec<Arc<Shader>> {
            list.iter().map(|info| shader(&keeper, stage, info)).collect()
        };
        let [vertex, fragment, compute] =
            [("VERTEX", shaders::VERTEX), ("FRAGMENT", shaders::FRAGMENT), ("COMPUTE", shaders::COMPUTE)]
                .map(|(stage, list)| all(stage, list));
        let [geometry, control, evaluation] =
            [("GEOMETRY", &shaders::GEOMETRY), ("TESS_CTRL", &shaders::CONTROL), ("TESS_EVAL", &shaders::EVALUATION)]
                .map(|(stage, info)| shader(&keeper, stage, info));
        // Programs with some blocks in push constants, or in storage buffers.
        let inline = ProgramOptions { inline_uniforms: true, ..ProgramOptions::default() };
        let storage = ProgramOptions { all: Some(Class::Storage), ..ProgramOptions::default() };
        let programs = [
            (vec![&vertex[1], &fragment[0]], &inline),
            (vec![&vertex[0], &fragment[1]], &inline),
            (vec![&compute[1]], &inline),
            (vec![&vertex[0], &fragment[2]], &storage),
        ];
        for (shaders, options) in programs {
            let shaders: Vec<Arc<Shader>> = shaders.into_iter().cloned().collect();
            keeper.link_program(&shaders, options).expect("a program");
        }
        let usages = [Usage::Default, Usage::Stream, Usage::Staging];
        let kept = usages.map(|usage| keeper.create_buffer(BufferDescription { size: 4, usage }).expect("a buffer"));
        let texture = keeper.create_texture(tables::texture(0)).expect("a texture");
        let states = States::new(&keeper).expect("state objects");
        Rig {
            states,
            _kept: (kept.into(), texture),
            _keeper: keeper,
            vertex,
            fragment,
            compute,
            geometry,
            control,
            evaluation,
            device,
        }
    }
}

/// The shader of `info`.
pub(crate) fn shader(context: &Context, stage: &str, info: &Info) -> Arc<Shader> {
    let shader = ntv::text::parse(&info.text(stage));
    let shader = shader.unwrap_or_else(|errors| panic!("{} shader '{}': {errors}", stage, info.name));
    context.create_shader(shader).expect("a shader")
}

/// State objects of all tables.
pub(crate) struct States {
    pub(crate) blends: Vec<Blend>,
    pub(crate) rasterizers: Vec<Rasterizer>,
    pub(crate) depth_stencils: Vec<DepthStencilAlpha>,
    pub(crate) elements: Vec<Elements>,
    pub(crate) samplers: Vec<Arc<Sampler>>,
}

impl States {
    fn new(context: &Context) -> Result<States> {
        let elements = |list: &Vec<_>| {
            // Not every device supports divisors.
            context.create_vertex_elements_state(list).or_else(|_| context.create_vertex_elements_state(&[]))
        };
        Ok(States {
            blends: tables::blends().iter().map(|state| context.create_blend_state(state)).collect(),
            rasterizers: tables::rasterizers().iter().map(|state| context.create_rasterizer_state(state)).collect(),
            depth_stencils: tables::depth_stencils()
                .iter()
                .map(|state| context.create_depth_stencil_alpha_state(state))
                .collect(),
            elements: tables::elements().iter().map(elements).collect::<Result<_>>()?,
            samplers: tables::samplers()
                .iter()
                .map(|state| context.create_sampler_state(state))
                .collect::<Result<_>>()?,
        })
    }
}

/// The resources that the calls of a sequence use. Unused resources are not created.
pub(crate) struct Scene {
    pub(crate) buffers: Vec<Option<Arc<Buffer>>>,
    pub(crate) textures: Vec<Option<Arc<Texture>>>,
    targets: Vec<Option<Arc<StreamOutputTarget>>>,
    /// The queries that the device supports.
    pub(crate) queries: Vec<Option<Arc<Query>>>,
    pub(crate) fragment: Vec<Arc<Shader>>,
}

/// The queries of a scene.
pub(crate) const QUERIES: [QueryKind; 5] = [
    QueryKind::OcclusionCounter,
    QueryKind::PrimitivesGenerated,
    QueryKind::StreamOutputStatistics,
    QueryKind::PipelineStatistics,
    QueryKind::TimeElapsed,
];

impl Scene {
    pub(crate) fn new(rig: &Rig, context: &mut Context, calls: &[Call], all: bool) -> Result<Scene> {
        let named: HashSet<Resource> = calls.iter().flat_map(resources).collect();
        let is_named = |resource| all || named.contains(&resource);
        let buffer = |number| is_named(Resource::Buffer(number)).then(|| new_buffer(context, number)).transpose();
        let buffers: Vec<_> = (0..tables::BUFFERS.len()).map(buffer).collect::<Result<_>>()?;
        let texture = |number| {
            is_named(Resource::Texture(number)).then(|| context.create_texture(tables::texture(number))).transpose()
        };
        let textures = (0..tables::TEXTURES).map(texture).collect::<Result<_>>()?;
        let target = |number: usize| {
            let (buffer, offset, size) = tables::TARGETS[number];
            let buffer = buffers[buffer].clone().filter(|_| is_named(Resource::Target(number)));
            buffer.map(|buffer| context.create_stream_output_target(BufferRange { buffer, offset, size })).transpose()
        };
        let targets = (0..tables::TARGETS.len()).map(target).collect::<Result<_>>()?;
        let queries = QUERIES.into_iter().map(|kind| context.create_query(kind).ok()).collect();
        Ok(Scene { buffers, textures, targets, queries, fragment: rig.fragment.clone() })
    }

    pub(crate) fn buffer(&self, number: usize) -> Arc<Buffer> {
        self.buffers[number].clone().expect("a buffer that a call names")
    }

    pub(crate) fn texture(&self, number: usize) -> Arc<Texture> {
        self.textures[number].clone().expect("a texture that a call names")
    }

    pub(crate) fn target(&self, number: usize) -> Arc<StreamOutputTarget> {
        self.targets[number].clone().expect("a target that a call names")
    }

    pub(crate) fn framebuffer(&self, number: usize) -> FramebufferState {
        let (colors, has_depth, orientation) = tables::FRAMEBUFFERS[number];
        let surface = |(texture, level, layers): (usize, u32, [u32; 2])| Surface {
            level,
            layers,
            ..Surface::new(&self.texture(texture))
        };
        FramebufferState {
            colors: colors.iter().map(|color| color.map(surface)).collect(),
            depth_stencil: has_depth.then(|| Surface::new(&self.texture(tables::DEPTH))),
            size: [8, 8],
            samples: 0,
            orientation,
        }
    }

    /// A view of the table.
    pub(crate) fn view(&self, number: usize) -> SamplerView {
        let part = |texture: usize, own_levels: [u32; 2], own_swizzle: [Swizzle; 4]| {
            let texture = self.texture(texture);
            let TextureDescription { format, target, layers, .. } = *texture.description();
            let (levels, layers) = (own_levels, [0, layers]);
            SamplerView::Texture { texture, format, target, levels, layers, swizzle: own_swizzle }
        };
        let texels = |offset, size| {
            let buffer = self.buffer(tables::TEXELS);
            SamplerView::Buffer { buffer, format: vk::Format::R8G8B8A8_UNORM, offset, size }
        };
        match number {
            0..4 => SamplerView::whole(&self.texture(number)),
            4 => part(2, [1, 2], [Swizzle::Identity; 4]),
            5 => part(3, [0, 1], [Swizzle::Z, Swizzle::X, Swizzle::One, Swizzle::W]),
            6 => texels(0, 256),
            _ => texels(64, 64),
        }
    }

    pub(crate) fn image(&self, number: usize) -> ImageView {
        ImageView::whole(&self.texture(tables::IMAGES[number]))
    }
}

/// The resource of a view in the table.
pub(crate) fn resource_of_view(number: usize) -> Resource {
    match number {
        0..4 => Resource::Texture(number),
        4 => Resource::Texture(2),
        5 => Resource::Texture(3),
        _ => Resource::Buffer(tables::TEXELS),
    }
}

pub(crate) fn resource_of_image(number: usize) -> Resource {
    Resource::Texture(tables::IMAGES[number])
}

pub(crate) fn new_buffer(context: &mut Context, number: usize) -> Result<Arc<Buffer>> {
    context.create_buffer_with(&tables::bytes_of_buffer(number))
}

/// The resources that a call uses.
fn resources(call: &Call) -> Vec<Resource> {
    use Resource::{Buffer, Target, Texture};
    match call {
        Call::VertexBuffers(_, list) => list.iter().flatten().map(|row| Buffer(row.0)).collect(),
        Call::Constants(_, _, Some(Constants::Buffer(buffer, ..))) => vec![Buffer(*buffer)],
        Call::ShaderBuffers(_, _, list) => list.iter().flatten().map(|row| Buffer(row.0)).collect(),
        Call::Views(_, _, list) => list.iter().flatten().map(|view| resource_of_view(*view)).collect(),
        Call::Images(_, _, list) => list.iter().flatten().map(|image| resource_of_image(*image)).collect(),
        Call::Framebuffer(number) => {
            let (colors, has_depth, _) = tables::FRAMEBUFFERS[*number];
            let depth = has_depth.then_some(Texture(tables::DEPTH));
            colors.iter().flatten().map(|color| Texture(color.0)).chain(depth).collect()
        }
        Call::Targets(list, _) => {
            list.iter().flatten().flat_map(|target| resources(&Call::DrawCaptured(*target))).collect()
        }
        Call::DrawCaptured(target) => vec![Target(*target), Buffer(tables::TARGETS[*target].0)],
        Call::Draw(draw) => {
            let indices = draw.indices.map(|_| Buffer(tables::INDICES));
            indices.into_iter().chain(draw.indirect.map(|_| Buffer(tables::INDIRECT))).collect()
        }
        Call::Dispatch(_) | Call::DispatchIndirect => vec![Buffer(tables::INDIRECT)],
        Call::BufferSubdata(buffer, ..)
        | Call::ClearBuffer(buffer, ..)
        | Call::InvalidateBuffer(buffer)
        | Call::ReplaceBuffer(buffer) => vec![Buffer(*buffer)],
        Call::CopyBuffer(to, from, ..) => vec![Buffer(*to), Buffer(*from)],
        Call::TextureSubdata(texture, ..)
        | Call::GenerateMipmap(texture)
        | Call::InvalidateTexture(texture)
        | Call::ReplaceTexture(texture) => vec![Texture(*texture)],
        Call::CopyTexture(row) => {
            let (to, _, _, from, _) = tables::copy(*row);
            vec![Texture(to), Texture(from)]
        }
        Call::Blit(row) => {
            let (from, _, to, ..) = tables::BLITS[*row];
            vec![Texture(from), Texture(to)]
        }
        _ => Vec::new(),
    }
}

/// The number of views and of images in the tables.
pub(crate) const VIEWS: usize = 8;

/// A resource of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Resource {
    Buffer(usize),
    Texture(usize),
    Target(usize),
}
