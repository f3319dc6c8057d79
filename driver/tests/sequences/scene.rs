//! What sequences are about: shaders of a device, and the resources of a sequence.

use crate::shaders::{self, Info};
use crate::tables;
use ntv::plan::Class;
use ntv_driver::context::{
    Blend, Context, ContextOptions, DepthStencilAlpha, Elements, FramebufferState, Query, QueryKind, Rasterizer,
    StreamOutputTarget,
};
use ntv_driver::device::Device;
use ntv_driver::program::{ProgramOptions, Shader};
use ntv_driver::resource::{
    Buffer, BufferDescription, ImageView, Sampler, SamplerView, Surface, Swizzle, Texture, Usage,
};
use ntv_driver::vk;
use ntv_driver::Result;
use std::sync::Arc;

/// A device with the shaders that all its sequences share.
pub(crate) struct Rig {
    /// Before the device: its programs are gone when the device is.
    _keeper: Context,
    /// They keep the blocks of memory that resources are in.
    _kept: (Vec<Arc<Buffer>>, Arc<Texture>),
    pub(crate) vertex: Vec<Arc<Shader>>,
    pub(crate) fragment: Vec<Arc<Shader>>,
    pub(crate) compute: Vec<Arc<Shader>>,
    pub(crate) geometry: Arc<Shader>,
    pub(crate) control: Arc<Shader>,
    pub(crate) evaluation: Arc<Shader>,
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
        // Programs of which some blocks are in push constants, or in storage buffers.
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
        Rig {
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
    let shader = ntv::text::parse(&info.text(stage)).remove(0).shader;
    let shader = shader.unwrap_or_else(|errors| panic!("{} shader '{}': {errors}", stage, info.name));
    context.create_shader(shader).expect("a shader")
}

/// What the calls of a sequence name.
pub(crate) struct Scene {
    pub(crate) buffers: Vec<Arc<Buffer>>,
    pub(crate) textures: Vec<Arc<Texture>>,
    pub(crate) blends: Vec<Blend>,
    pub(crate) rasterizers: Vec<Rasterizer>,
    pub(crate) depth_stencils: Vec<DepthStencilAlpha>,
    pub(crate) elements: Vec<Elements>,
    pub(crate) samplers: Vec<Arc<Sampler>>,
    /// Those that the device has.
    pub(crate) queries: Vec<Option<Arc<Query>>>,
    pub(crate) targets: Vec<Arc<StreamOutputTarget>>,
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
    pub(crate) fn new(rig: &Rig, context: &mut Context) -> Result<Scene> {
        let buffers: Vec<_> = (0..tables::BUFFERS.len())
            .map(|number| context.create_buffer_with(&tables::bytes_of_buffer(number)))
            .collect::<Result<_>>()?;
        let textures = (0..tables::TEXTURES)
            .map(|number| context.create_texture(tables::texture(number)))
            .collect::<Result<_>>()?;
        let target = |(buffer, offset, size): (usize, u64, u64)| {
            let buffer = Arc::clone(&buffers[buffer]);
            context.create_stream_output_target(ntv_driver::context::BufferRange { buffer, offset, size })
        };
        let targets = tables::TARGETS.into_iter().map(target).collect::<Result<_>>()?;
        Ok(Scene {
            buffers,
            textures,
            targets,
            blends: tables::blends().iter().map(|state| context.create_blend_state(state)).collect(),
            rasterizers: tables::rasterizers().iter().map(|state| context.create_rasterizer_state(state)).collect(),
            depth_stencils: tables::depth_stencils()
                .iter()
                .map(|state| context.create_depth_stencil_alpha_state(state))
                .collect(),
            elements: tables::elements()
                .iter()
                .map(|list| {
                    context.create_vertex_elements_state(list).or_else(|_| context.create_vertex_elements_state(&[]))
                })
                .collect::<Result<_>>()?,
            samplers: tables::samplers()
                .iter()
                .map(|state| context.create_sampler_state(state))
                .collect::<Result<_>>()?,
            queries: QUERIES.into_iter().map(|kind| context.create_query(kind).ok()).collect(),
            fragment: rig.fragment.clone(),
        })
    }

    pub(crate) fn new_buffer(&self, context: &mut Context, number: usize) -> Result<Arc<Buffer>> {
        let size = tables::BUFFERS[number];
        let buffer = context.create_buffer(BufferDescription { size, usage: Default::default() })?;
        context.buffer_subdata(&buffer, 0, &tables::bytes_of_buffer(number))?;
        Ok(buffer)
    }

    pub(crate) fn framebuffer(&self, number: usize) -> FramebufferState {
        let (colors, has_depth, orientation) = tables::FRAMEBUFFERS[number];
        let surface = |(texture, level, layers): (usize, u32, [u32; 2])| {
            let texture = &self.textures[texture];
            Surface { level, layers, ..Surface::new(texture) }
        };
        FramebufferState {
            colors: colors.iter().map(|color| color.map(surface)).collect(),
            depth_stencil: has_depth.then(|| Surface::new(&self.textures[tables::DEPTH])),
            size: [8, 8],
            samples: 0,
            orientation,
        }
    }

    /// The views of the table, and what each of them is of.
    pub(crate) fn view(&self, number: usize) -> (SamplerView, Resource) {
        let whole = |texture: usize| (SamplerView::whole(&self.textures[texture]), Resource::Texture(texture));
        let buffer = |offset, size| {
            let buffer = Arc::clone(&self.buffers[tables::TEXELS]);
            let view = SamplerView::Buffer { buffer, format: vk::Format::R8G8B8A8_UNORM, offset, size };
            (view, Resource::Buffer(tables::TEXELS))
        };
        match number {
            0..4 => whole(number),
            4 => match whole(2) {
                (SamplerView::Texture { texture, format, target, layers, swizzle, .. }, of) => {
                    (SamplerView::Texture { texture, format, target, layers, swizzle, levels: [1, 2] }, of)
                }
                other => other,
            },
            5 => match whole(3) {
                (SamplerView::Texture { texture, format, target, layers, levels, .. }, of) => {
                    let swizzle = [Swizzle::Z, Swizzle::X, Swizzle::One, Swizzle::W];
                    (SamplerView::Texture { texture, format, target, layers, levels, swizzle }, of)
                }
                other => other,
            },
            6 => buffer(0, 256),
            _ => buffer(64, 64),
        }
    }

    pub(crate) fn image(&self, number: usize) -> (ImageView, Resource) {
        let texture = tables::IMAGES[number];
        (ImageView::whole(&self.textures[texture]), Resource::Texture(texture))
    }
}

/// How many views and images the tables have.
pub(crate) const VIEWS: usize = 8;

/// A resource of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Buffer(usize),
    Texture(usize),
}
