// SPDX-License-Identifier: MIT

//! A context with all state bound, over the implementation that computes nothing.

use crate::shaders::{self, Info};
use crate::support::{elements, framebuffer, triangle, viewport, VEC4};
use ntv::module::ShaderStage;
use ntv::{EmitOptions, Options, Translator};
use ntv_driver::context::{
    Blend, BlendState, BufferRange, ConstantBuffer, Context, ContextOptions, Counters, DrawInfo, DrawStart, Elements,
    FramebufferState, StreamOutputTarget, Topology, VertexBuffer,
};
use ntv_driver::device::{Device, DeviceOptions};
use ntv_driver::program::{ProgramOptions, Shader};
use ntv_driver::resource::{
    Bind, Buffer, ImageView, Sampler, SamplerState, SamplerView, Surface, Texture, TextureDescription,
};
use ntv_driver::{vk, Result};
use null_vulkan::{World, WorldOptions};
use std::sync::Arc;

/// The bound shaders. Strings are names in [`shaders`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shaders {
    /// A vertex and a fragment shader.
    Draw(&'static str, &'static str),
    /// A vertex and a fragment shader with a geometry shader in between.
    Geometry,
    /// A vertex and a fragment shader with tessellation in between.
    Tessellation,
    /// Uniforms are in push constants.
    Inline,
    /// SPIR-V that ntv did not produce, which reads push constants.
    Words,
    Compute(&'static str),
}

/// A world with its device.
pub(crate) struct TestDevice {
    pub(crate) device: Device,
    pub(crate) world: Arc<World>,
}

impl TestDevice {
    /// A device without some features.
    pub(crate) fn without(names: &[&str]) -> TestDevice {
        let world = World::new(WorldOptions::default());
        let options = DeviceOptions {
            implementation: crate::support::implementation::null(&world),
            without: names.iter().map(ToString::to_string).collect(),
            ..DeviceOptions::default()
        };
        TestDevice { device: Device::open(&options).expect("a null device"), world }
    }
}

impl Drop for TestDevice {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.world.take_messages(), [""; 0]);
        }
    }
}

/// A context, and its resources. Most of them exist twice, for two values.
pub(crate) struct Scene {
    pub(crate) context: Context,
    shaders: Shaders,
    /// The shaders that are bound first.
    first: Vec<Arc<Shader>>,
    /// Other shaders, created at their first use.
    others: Vec<(ShaderStage, Arc<Shader>)>,
    pub(crate) targets: [Arc<Texture>; 2],
    pub(crate) depth: Arc<Texture>,
    pub(crate) samples: Arc<Texture>,
    pub(crate) small: Arc<Texture>,
    pub(crate) textures: [Arc<Texture>; 2],
    pub(crate) images: [Arc<Texture>; 2],
    pub(crate) samplers: [Arc<Sampler>; 2],
    pub(crate) buffers: [Arc<Buffer>; 2],
    pub(crate) captures: [Arc<StreamOutputTarget>; 2],
    /// States that pipelines depend on. They are kept, because their pipelines would be dropped with them.
    states: (Vec<Blend>, Vec<Elements>),
}

/// Uniforms whose bytes have one value.
pub(crate) fn user(value: u8) -> ConstantBuffer {
    ConstantBuffer::User(vec![value; 64])
}

fn named(list: &'static [Info], name: &str) -> &'static Info {
    list.iter().find(|info| info.name == name).unwrap_or_else(|| panic!("no shader is called `{name}`"))
}

impl Scene {
    /// A context of `device` with all state that `shaders` use, and more.
    pub(crate) fn new(device: &TestDevice, shaders: Shaders) -> Scene {
        let mut context = Context::new(&device.device, ContextOptions::default()).expect("a context");
        let texture = |format, samples, bind| {
            let description = TextureDescription { size: [8, 8, 1], format, samples, bind, ..Default::default() };
            context.create_texture(description).expect("a texture")
        };
        let color = vk::Format::R8G8B8A8_UNORM;
        let [target, other] = [0; 2].map(|_| texture(color, 1, Bind::RENDER_TARGET));
        let depth = texture(vk::Format::D32_SFLOAT_S8_UINT, 1, Bind::DEPTH_STENCIL);
        let samples = texture(color, 4, Bind::RENDER_TARGET);
        let small = texture(vk::Format::R5G6B5_UNORM_PACK16, 1, Bind::RENDER_TARGET);
        let textures = [0; 2].map(|_| texture(color, 1, Bind::SAMPLER_VIEW));
        let images = [0; 2].map(|_| texture(vk::Format::R32_UINT, 1, Bind::SHADER_IMAGE));
        let linear = SamplerState { mag_filter: vk::Filter::LINEAR, ..SamplerState::default() };
        let samplers = [SamplerState::default(), linear].map(|state| context.create_sampler_state(&state).unwrap());
        let buffers = [0.0, 1.0].map(|value| context.create_buffer_with(&triangle([value; 4]).repeat(8)).unwrap());
        let captures =
            [0; 2].map(|_| context.create_buffer_with(&[0; 512]).unwrap()).map(|buffer| BufferRange::whole(&buffer));
        let captures = captures.map(|range| context.create_stream_output_target(range).unwrap());
        let targets = [target, other];
        let mut scene = Scene {
            context,
            shaders,
            first: Vec::new(),
            others: Vec::new(),
            targets,
            depth,
            samples,
            small,
            textures,
            images,
            samplers,
            buffers,
            captures,
            states: Default::default(),
        };
        scene.bind_shaders().expect("shaders");
        scene.bind().expect("the resources of the shaders");
        scene
    }

    /// A shader with this name.
    pub(crate) fn shader(&self, stage: ShaderStage, name: &str) -> Arc<Shader> {
        let (info, stage) = match stage {
            ShaderStage::Vertex => (named(shaders::VERTEX, name), "VERTEX"),
            ShaderStage::Fragment => (named(shaders::FRAGMENT, name), "FRAGMENT"),
            ShaderStage::Compute => (named(shaders::COMPUTE, name), "COMPUTE"),
            ShaderStage::Geometry => (&shaders::GEOMETRY, "GEOMETRY"),
            ShaderStage::TessCtrl => (&shaders::CONTROL, "TESS_CTRL"),
            ShaderStage::TessEval => (&shaders::EVALUATION, "TESS_EVAL"),
            ShaderStage::Task | ShaderStage::Mesh => panic!("the counters have no mesh shaders"),
        };
        crate::support::shader(&self.context, &info.text(stage))
    }

    /// A shader of words.
    fn words(&self, text: &str) -> Arc<Shader> {
        let mut shader = ntv::text::parse(text).unwrap_or_else(|errors| panic!("{errors}"));
        let words = Translator::new(Options::default()).translate(&mut shader, &EmitOptions::default()).unwrap().words;
        self.context.create_shader_of_words(&words).expect("a shader of words")
    }

    fn bind_shaders(&mut self) -> Result<()> {
        let (vertex, fragment) = match self.shaders {
            Shaders::Compute(name) => {
                self.first = vec![self.shader(ShaderStage::Compute, name)];
                return self.context.bind_shader(ShaderStage::Compute, Some(&self.first[0]));
            }
            Shaders::Draw(vertex, fragment) => (vertex, fragment),
            Shaders::Inline => ("plain", "uniforms"),
            Shaders::Geometry | Shaders::Tessellation | Shaders::Words => ("plain", "plain"),
        };
        let between: &[ShaderStage] = match self.shaders {
            Shaders::Geometry => &[ShaderStage::Geometry],
            Shaders::Tessellation => &[ShaderStage::TessCtrl, ShaderStage::TessEval],
            _ => &[],
        };
        let stages = [&[ShaderStage::Vertex], between, &[ShaderStage::Fragment]].concat();
        let name = |stage| if stage == ShaderStage::Vertex { vertex } else { fragment };
        let mut list: Vec<Arc<Shader>> = stages.iter().map(|stage| self.shader(*stage, name(*stage))).collect();
        if self.shaders == Shaders::Words {
            let fragment = named(shaders::FRAGMENT, "plain").text("FRAGMENT");
            let load = "@load_push_constant (%0) (base=0, range=16, align_mul=16, align_offset=0)";
            let fragment = fragment.replace("mov %2", load);
            list = vec![self.words(&named(shaders::VERTEX, "plain").text("VERTEX")), self.words(&fragment)];
        }
        if self.shaders == Shaders::Inline {
            let options = ProgramOptions { inline_uniforms: true, ..ProgramOptions::default() };
            self.context.link_program(&list, &options)?;
        }
        self.first = list;
        self.first.iter().try_for_each(|shader| self.context.bind_shader(shader.stage(), Some(shader)))
    }

    /// The shader that is bound to a stage first.
    pub(crate) fn first_shader(&self, stage: ShaderStage) -> Option<Arc<Shader>> {
        self.first.iter().find(|shader| shader.stage() == stage).cloned()
    }

    /// Another shader of a stage, always the same one.
    pub(crate) fn other_shader(&mut self, stage: ShaderStage, name: &str) -> Arc<Shader> {
        if let Some((_, shader)) = self.others.iter().find(|(known, _)| *known == stage) {
            return Arc::clone(shader);
        }
        let shader = self.shader(stage, name);
        self.others.push((stage, Arc::clone(&shader)));
        shader
    }

    fn bind(&mut self) -> Result<()> {
        let context = &mut self.context;
        let elements = context.create_vertex_elements_state(&elements())?;
        context.bind_vertex_elements_state(&elements);
        let vertices = VertexBuffer { buffer: Arc::clone(&self.buffers[0]), offset: 0 };
        context.set_vertex_buffers(0, &[Some(vertices)])?;
        context.set_viewport_states(&[viewport(8.0)]);
        context.set_framebuffer_state(&framebuffer(&self.targets[0]))?;
        for stage in ShaderStage::ALL {
            (0..3).try_for_each(|slot| context.set_constant_buffer(stage, slot, Some(user(0))))?;
            let texels = SamplerView::Buffer {
                buffer: Arc::clone(&self.buffers[0]),
                format: vk::Format::R8G8B8A8_UNORM,
                offset: 0,
                size: 64,
            };
            let whole = || Some(SamplerView::whole(&self.textures[0]));
            context.set_sampler_views(stage, 0, &[whole(), whole(), whole(), Some(texels)])?;
            context.bind_sampler_states(stage, 0, &[Some(Arc::clone(&self.samplers[0]))])?;
            let buffers = [0; 2].map(|_| Some(BufferRange::whole(&self.buffers[0])));
            context.set_shader_buffers(stage, 0, &buffers)?;
            context.set_shader_images(stage, 0, &[Some(ImageView::whole(&self.images[0]))])?;
        }
        Ok(())
    }

    /// Draws, or dispatches. Returns the counters.
    pub(crate) fn command(&mut self) -> Counters {
        let mode = match self.shaders {
            Shaders::Tessellation => Topology::PATCH_LIST,
            _ => Topology::TRIANGLE_LIST,
        };
        let draws = [DrawStart { count: 3, ..DrawStart::default() }];
        let done = match self.shaders {
            Shaders::Compute(_) => self.context.launch_grid([1; 3]),
            _ => self.context.draw_vbo(&DrawInfo { mode, ..DrawInfo::default() }, None, &draws),
        };
        done.expect("a command");
        self.context.counters()
    }

    /// The counters after a command without state changes, if they were `before`.
    pub(crate) fn unchanged(&self, before: Counters) -> Counters {
        match self.shaders {
            Shaders::Compute(_) => Counters { dispatches: before.dispatches + 1, ..before },
            _ => Counters { draws: before.draws + 1, ..before },
        }
    }

    /// A framebuffer with these colors.
    pub(crate) fn framebuffer(&self, colors: &[&Arc<Texture>]) -> FramebufferState {
        let colors = colors.iter().map(|texture| Some(Surface::new(texture))).collect();
        FramebufferState { colors, size: [8, 8], ..FramebufferState::default() }
    }

    /// Binds two attributes, of which the second begins at `offset`.
    pub(crate) fn bind_elements(&mut self, offset: u32) -> Result<()> {
        let [position, mut color] = elements();
        (color.src_offset, color.src_format) = (offset, VEC4);
        let elements = self.context.create_vertex_elements_state(&[position, color])?;
        self.context.bind_vertex_elements_state(&elements);
        self.states.1.push(elements);
        Ok(())
    }

    pub(crate) fn bind_blend(&mut self, state: BlendState) -> Result<()> {
        let blend = self.context.create_blend_state(&state);
        self.context.bind_blend_state(&blend);
        self.states.0.push(blend);
        Ok(())
    }

    /// Binds a blend state for a framebuffer with four samples per pixel.
    pub(crate) fn bind_blend_of_samples(&mut self, state: BlendState) -> Result<()> {
        let framebuffer = self.framebuffer(&[&self.samples]);
        self.context.set_framebuffer_state(&framebuffer)?;
        self.bind_blend(state)
    }
}
