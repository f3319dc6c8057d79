// SPDX-License-Identifier: MIT

//! Carries out the commands of a scene.

use super::bindings::{Bindings, Bound};
use super::objects::Objects;
use super::trace::Trace;
use super::{convert, probe};
use crate::draw::commands::{BlockSource, Clear, Command, Draw, Set, Write};
use crate::draw::formula::{Formula, Scope};
use crate::draw::load::SceneError;
use crate::draw::prepare::{self, float_bytes, integer_bytes, numbers, Prepared};
use crate::draw::program::{Kind, Program, Symbol};
use crate::draw::scene::Name;
use ntv::module::ShaderStage;
use ntv::op::Base;
use ntv_driver::context::{
    self, Blit, BufferRange, Context, DrawIndirect, DrawInfo, DrawStart, Indices, Scissor, StreamOutputTarget,
    VertexBuffer, Viewport,
};
use ntv_driver::vk;
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::Spanned;

/// A scene that is being drawn.
pub(super) struct Player<'a> {
    pub(super) context: Context,
    pub(super) objects: Objects,
    pub(super) prepared: &'a Prepared,
    pub(super) scope: Scope<'a>,
    /// Whether probes are checked: they wait for the device.
    pub(super) probes: bool,
    pub(super) trace: Option<Trace>,
    bindings: BTreeMap<&'a str, Bindings>,
    program: Option<&'a str>,
    framebuffer: Option<&'a str>,
}

/// A failure of a formula, or of the device.
pub(super) enum Failure {
    Formula(String),
    Device(ntv_driver::Error),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Formula(message)
    }
}

impl From<ntv_driver::Error> for Failure {
    fn from(error: ntv_driver::Error) -> Failure {
        Failure::Device(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Formula(message) => f.write_str(message),
            Failure::Device(error) => error.fmt(f),
        }
    }
}

type Done = Result<(), Failure>;

impl<'a> Player<'a> {
    /// Makes all objects of the scene.
    pub(super) fn new(mut context: Context, prepared: &'a Prepared) -> Result<Player<'a>, SceneError> {
        let objects = Objects::new(&mut context, prepared)?;
        Ok(Player {
            context,
            objects,
            prepared,
            scope: prepare::scope(&prepared.scene),
            probes: true,
            trace: None,
            bindings: BTreeMap::new(),
            program: None,
            framebuffer: None,
        })
    }

    /// Carries out commands.
    pub(super) fn play(&mut self, commands: &'a [Spanned<Command>]) -> Result<(), SceneError> {
        for spanned in commands {
            let command = spanned.get_ref();
            if let Command::Repeat(repeat) = command {
                for step in 0..repeat.times {
                    self.scope.set("step", f64::from(step));
                    self.play(&repeat.commands)?;
                }
                continue;
            }
            let start = self.trace.as_ref().map(|trace| trace.start(&self.context));
            self.carry_out(command).map_err(|failure| SceneError::at(spanned, failure.to_string()))?;
            if let (Some(trace), Some(start)) = (&mut self.trace, start) {
                trace.end(start, command, self.program, &self.context);
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, command: &'a Command) -> Done {
        match command {
            Command::Set(set) => self.set(set),
            Command::Draw(draw) => self.draw(draw),
            Command::Dispatch(groups) => Ok(self.context.launch_grid(self.counts(groups)?)?),
            Command::Clear(clear) => self.clear(clear),
            Command::Blit(blit) => {
                let (src, src_region) = self.objects.region(&blit.from);
                let (dst, dst_region) = self.objects.region(&blit.to);
                let linear = !blit.nearest;
                Ok(self.context.blit(&Blit { src, src_region, dst, dst_region, flip: [false; 2], linear })?)
            }
            Command::CopyBuffer(copy) => {
                let [from, to] = [&copy.from, &copy.to].map(|name| &self.objects.buffers[name.get_ref()]);
                let (from_offset, to_offset) = (u64::from(copy.from_offset), u64::from(copy.to_offset));
                Ok(self.context.copy_buffer((to, to_offset), (from, from_offset), copy.size.into())?)
            }
            Command::Mipmaps(name) => Ok(self.context.generate_mipmap(&self.objects.textures[name.get_ref()])?),
            Command::Write(write) => self.write(write),
            Command::BeginQuery(name) => Ok(self.context.begin_query(&self.objects.queries[name.get_ref()])?),
            Command::EndQuery(name) => Ok(self.context.end_query(&self.objects.queries[name.get_ref()])?),
            Command::BeginCapture(names) => self.begin_capture(names),
            Command::EndCapture(_) => Ok(self.context.set_stream_output_targets(&[], false)?),
            Command::Barrier(_) => {
                self.context.memory_barrier();
                Ok(())
            }
            Command::Probe(probe) if self.probes => probe::check(self, probe),
            // `play` repeats.
            Command::Probe(_) | Command::Repeat(_) => Ok(()),
        }
    }

    fn set(&mut self, set: &'a Set) -> Done {
        if let Some(name) = &set.framebuffer {
            self.set_framebuffer(name.get_ref())?;
        }
        if let Some(name) = &set.program {
            self.set_program(name.get_ref())?;
        }
        self.set_objects(set)?;
        if let Some(formulas) = &set.viewport {
            let [x, y, width, height] = numbers(formulas, &self.scope)?[..] else {
                return Err("a viewport has four numbers".to_string().into());
            };
            self.set_viewport([x, y, width, height].map(|number| number as f32));
        }
        if let Some([x, y, width, height]) = set.scissor {
            let scissor = Scissor { offset: [x as i32, y as i32], size: [width, height] };
            self.context.set_scissor_states(&[scissor]);
        }
        set.blend_color.iter().for_each(|color| self.context.set_blend_color(*color));
        set.stencil_reference.iter().for_each(|value| self.context.set_stencil_ref([u32::from(*value); 2]));
        set.sample_mask.iter().for_each(|mask| self.context.set_sample_mask(*mask));
        set.min_samples.iter().for_each(|samples| self.context.set_min_samples(*samples));
        set.patch_vertices.iter().for_each(|vertices| self.context.set_patch_vertices(*vertices));
        self.set_uniforms(set)?;
        self.set_bindings(set)
    }

    /// Sets objects that were made before.
    fn set_objects(&mut self, set: &Set) -> Done {
        let (context, objects) = (&mut self.context, &self.objects);
        if let Some(name) = &set.vertex_elements {
            context.bind_vertex_elements_state(&objects.elements[name.get_ref()]);
        }
        if let Some(names) = &set.vertex_buffers {
            let buffer = |name: &Name| match objects.meshes.get(name.get_ref()) {
                Some(mesh) => Some(VertexBuffer { buffer: Arc::clone(&mesh.vertices), offset: 0 }),
                None => Some(VertexBuffer { buffer: Arc::clone(&objects.buffers[name.get_ref()]), offset: 0 }),
            };
            let buffers: Vec<Option<VertexBuffer>> = names.iter().map(buffer).collect();
            context.set_vertex_buffers(0, &buffers)?;
        }
        if let Some(name) = &set.blend {
            context.bind_blend_state(&objects.blend[name.get_ref()]);
        }
        if let Some(name) = &set.rasterizer {
            context.bind_rasterizer_state(&objects.rasterizer[name.get_ref()]);
        }
        if let Some(name) = &set.depth_stencil {
            context.bind_depth_stencil_alpha_state(&objects.depth_stencil[name.get_ref()]);
        }
        Ok(())
    }

    fn set_framebuffer(&mut self, name: &'a str) -> Done {
        self.context.set_framebuffer_state(&self.objects.framebuffers[name])?;
        self.framebuffer = Some(name);
        let [width, height] = self.framebuffer_size().map(|edge| edge as f32);
        self.set_viewport([0.0, 0.0, width, height]);
        Ok(())
    }

    /// The width and height of the framebuffer.
    fn framebuffer_size(&self) -> [u32; 2] {
        let framebuffer = self.framebuffer.and_then(|name| self.objects.framebuffers.get(name));
        let surface = framebuffer.and_then(|state| state.colors.iter().flatten().chain(&state.depth_stencil).next());
        surface.map_or([1; 2], |surface| surface.size())
    }

    /// In clip space y points upwards, as in GL, and the first row of pixels is at the top: so the height is negative.
    fn set_viewport(&mut self, [x, y, width, height]: [f32; 4]) {
        self.context.set_viewport_states(&[Viewport { rect: [x, y + height, width, -height], depth: [0.0, 1.0] }]);
    }

    fn set_program(&mut self, name: &'a str) -> Done {
        self.program = Some(name);
        let (program, shaders) = (&self.prepared.programs[name], &self.objects.programs[name]);
        for stage in ShaderStage::ALL {
            if (stage == ShaderStage::Compute) == program.is_compute() {
                let shader = shaders.iter().find(|shader| shader.stage() == stage);
                self.context.bind_shader(stage, shader)?;
            }
        }
        let bindings = self.bindings.entry(name).or_insert_with(|| Bindings::new(program));
        Ok(bindings.apply(&mut self.context, &self.objects)?)
    }

    /// The program that is set, and its bindings. Checks of the scene guarantee that there is one where it is needed.
    fn current(&mut self) -> Result<(&'a Program, &mut Bindings), Failure> {
        let name = self.program.ok_or_else(|| "no program is set".to_string())?;
        let program = &self.prepared.programs[name];
        Ok((program, self.bindings.entry(name).or_insert_with(|| Bindings::new(program))))
    }

    fn set_uniforms(&mut self, set: &'a Set) -> Done {
        if set.uniforms.is_empty() {
            return Ok(());
        }
        for (name, formulas) in &set.uniforms {
            let values = numbers(&formulas.get_ref().0, &self.scope).map_err(|error| format!("`{name}`: {error}"))?;
            self.set_uniform(name, &values)?;
        }
        self.apply_uniforms()
    }

    fn set_uniform(&mut self, name: &str, values: &[f64]) -> Done {
        let (program, bindings) = self.current()?;
        for symbol in program.find(Kind::Uniform(0, Base::Float), name)? {
            if let Kind::Uniform(words, _) = symbol.kind {
                if words as usize != values.len() {
                    return Err(format!("`{name}` has {words} numbers, not {}", values.len()).into());
                }
            }
            bindings.set_uniform(symbol, values);
        }
        Ok(())
    }

    fn apply_uniforms(&mut self) -> Done {
        let Some(bindings) = self.program.and_then(|name| self.bindings.get(name)) else { return Ok(()) };
        for stage in ShaderStage::ALL {
            bindings.apply_uniforms(&mut self.context, stage)?;
        }
        Ok(())
    }

    fn set_bindings(&mut self, set: &'a Set) -> Done {
        for (name, pair) in &set.textures {
            self.bind(Kind::Texture, name, &Bound::Texture(pair.get_ref().clone()))?;
        }
        for (name, source) in &set.blocks {
            let bound = match source.get_ref() {
                BlockSource::Buffer(buffer) => Bound::Block(buffer.clone()),
                BlockSource::Numbers(list) => Bound::Bytes(float_bytes(&numbers(list, &self.scope)?)),
            };
            self.bind(Kind::Block, name, &bound)?;
        }
        for (name, buffer) in &set.storage {
            self.bind(Kind::Storage, name, &Bound::Storage(buffer.get_ref().clone()))?;
        }
        for (name, part) in &set.images {
            self.bind(Kind::Image, name, &Bound::Image(part.get_ref().clone()))?;
        }
        Ok(())
    }

    fn bind(&mut self, kind: Kind, name: &str, bound: &Bound) -> Done {
        let (program, _) = self.current()?;
        let symbols: Vec<&Symbol> = program.find(kind, name)?.collect();
        let Some(bindings) = self.program.and_then(|name| self.bindings.get_mut(name)) else { return Ok(()) };
        for symbol in symbols {
            bindings.bind(&mut self.context, &self.objects, symbol, bound.clone())?;
        }
        Ok(())
    }

    /// Numbers of workgroups.
    fn counts(&self, formulas: &[Formula; 3]) -> Result<[u32; 3], Failure> {
        let mut counts = [0; 3];
        for (count, formula) in counts.iter_mut().zip(formulas) {
            *count = formula.number(&self.scope)? as u32;
        }
        Ok(counts)
    }

    fn draw(&mut self, draw: &Draw) -> Done {
        self.tell_orientation()?;
        if let Some(groups) = &draw.workgroups {
            return Ok(self.context.draw_mesh_tasks(self.counts(groups)?)?);
        }
        let mesh = draw.mesh.as_ref().map(|name| &self.objects.meshes[name.get_ref()]);
        let indices = mesh.map(|mesh| Indices {
            buffer: Arc::clone(&mesh.indices),
            offset: 0,
            ty: vk::IndexType::UINT32,
            restart: false,
        });
        let (instance_count, start_instance) = (draw.instances, draw.first_instance);
        let info = DrawInfo { mode: convert::mode(draw.mode), indices, instance_count, start_instance };
        if let Some(name) = &draw.captured {
            let target = self.objects.targets.get(name.get_ref());
            let target = target.ok_or_else(|| "nothing was captured there".to_string())?;
            return Ok(self.context.draw_stream_output(&info, target)?);
        }
        if let Some(indirect) = &draw.indirect {
            let buffer = Arc::clone(&self.objects.buffers[indirect.buffer.get_ref()]);
            let (offset, stride, draw_count) = (indirect.offset.into(), indirect.stride, indirect.draws);
            let indirect = DrawIndirect { buffer, offset, stride, draw_count, count: None };
            return Ok(self.context.draw_vbo(&info, Some(&indirect), &[])?);
        }
        let count = draw.vertices.or(mesh.map(|mesh| mesh.count)).unwrap_or(0);
        Ok(self.context.draw_vbo(&info, None, &[DrawStart { start: draw.first, count, index_bias: 0 }])?)
    }

    /// Sets the uniform from which Mesa's shaders read the direction of y in the window, for derivatives and `gl_FragCoord`: here
    /// it points downwards.
    fn tell_orientation(&mut self) -> Done {
        const NAME: &str = "gl_FbWposYTransform";
        let height = f64::from(self.framebuffer_size()[1]);
        let (program, _) = self.current()?;
        if program.symbols.iter().any(|symbol| symbol.name == NAME) {
            self.set_uniform(NAME, &[-1.0, height, 1.0, 0.0])?;
            self.apply_uniforms()?;
        }
        Ok(())
    }

    fn clear(&mut self, clear: &Clear) -> Done {
        let colors = self.framebuffer.map_or(0, |name| self.objects.framebuffers[name].colors.len());
        self.context.clear(&context::Clear {
            colors: clear.color.map_or(0, |_| (1 << colors) - 1),
            color: clear.color.unwrap_or_default().map(f32::to_bits),
            depth: clear.depth,
            stencil: clear.stencil.map(u32::from),
            scissor: None,
        })?;
        Ok(())
    }

    fn write(&mut self, write: &Write) -> Done {
        let bytes = match (&write.f32, &write.u32) {
            (Some(list), _) => float_bytes(&numbers(list, &self.scope)?),
            (_, list) => integer_bytes(&numbers(list.as_deref().unwrap_or_default(), &self.scope)?),
        };
        let buffer = &self.objects.buffers[write.buffer.get_ref()];
        Ok(self.context.buffer_subdata(buffer, write.offset.into(), &bytes)?)
    }

    fn begin_capture(&mut self, names: &[Name]) -> Done {
        let mut targets: Vec<Option<Arc<StreamOutputTarget>>> = Vec::new();
        for name in names.iter().map(Name::get_ref) {
            if !self.objects.targets.contains_key(name) {
                let range = BufferRange::whole(&self.objects.buffers[name]);
                let target = self.context.create_stream_output_target(range)?;
                self.objects.targets.insert(name.clone(), target);
            }
            targets.push(self.objects.targets.get(name).cloned());
        }
        Ok(self.context.set_stream_output_targets(&targets, false)?)
    }
}
