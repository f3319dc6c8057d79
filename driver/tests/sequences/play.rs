// SPDX-License-Identifier: MIT

//! Executes calls.

use crate::bound::Bound;
use crate::call::{Call, Constants, Draw, Indirect};
use crate::scene::{new_buffer, Rig, Scene};
use crate::tables;
use ntv::module::ShaderStage;
use ntv_driver::context::{
    Blit, BufferRange, Clear, ConstantBuffer, Context, ContextOptions, DrawIndirect, DrawInfo, DrawStart, Indices,
    Region, VertexBuffer,
};
use ntv_driver::vk;
use ntv_driver::{Error, Result};
use std::sync::Arc;

/// The work of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Commands are only recorded.
    Records,
    /// Buffers are copied: undefined copies are replaced by defined ones.
    Copies,
    /// All undefined calls are left out or replaced by defined ones.
    Computes,
}

/// Contexts with a scene, in which calls are executed.
pub(crate) struct Player<'a> {
    rig: &'a Rig,
    scene: Scene,
    contexts: Vec<Context>,
    bound: Vec<Bound>,
    current: usize,
    mode: Mode,
    /// The result of each call.
    pub(crate) results: Vec<String>,
}

const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

impl<'a> Player<'a> {
    /// A player with the number of contexts that `calls` use.
    pub(crate) fn new(rig: &'a Rig, calls: &[Call], options: &ContextOptions, mode: Mode) -> Result<Player<'a>> {
        let mut contexts = Vec::new();
        for _ in 0..if calls.contains(&Call::Switch) { 2 } else { 1 } {
            contexts.push(Context::new(&rig.device, options.clone())?);
        }
        let scene = Scene::new(rig, &mut contexts[0], calls, mode == Mode::Computes)?;
        let mut player =
            Player { rig, scene, contexts, bound: vec![Bound::default(); 2], current: 0, mode, results: Vec::new() };
        if mode == Mode::Computes {
            (0..tables::TEXTURES).try_for_each(|number| player.define_texture(number))?;
            player.contexts[0].flush()?;
        }
        Ok(player)
    }

    /// Executes all calls. Errors of calls are results like any others.
    pub(crate) fn play(&mut self, calls: &[Call]) {
        for call in calls {
            let result = match self.call(call) {
                Ok(result) => result.to_owned(),
                Err(error) => format!("{:?}: {}", error.kind, error.message),
            };
            self.results.push(result);
        }
    }

    /// Submits the recorded commands of all contexts.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.contexts.iter_mut().try_for_each(|context| context.flush().map(drop))
    }

    /// The final contents of all buffers, and of all textures that can be read.
    pub(crate) fn contents(&mut self) -> Result<Vec<(String, Vec<u8>)>> {
        self.flush()?;
        let computes = self.computes();
        let context = &mut self.contexts[0];
        let mut contents = Vec::new();
        for (number, buffer) in self.scene.buffers.iter().enumerate() {
            let Some(buffer) = buffer else { continue };
            contents.push((format!("buffer {number}"), context.read_buffer(buffer, 0, buffer.size())?));
        }
        for (number, texture) in self.scene.textures.iter().enumerate() {
            let Some(texture) = texture.as_ref().filter(|_| computes) else { continue };
            for level in 0..texture.description().levels {
                if texture.description().samples == 1 && !is_depth(texture.description().format) {
                    let texels = context.read_texture(texture, Region::of_level(texture, level))?;
                    contents.push((format!("texture {number}, level {level}"), texels));
                }
            }
        }
        Ok(contents)
    }

    /// The results of the queries that the device supports, except times.
    pub(crate) fn counts(&mut self) -> Vec<Option<String>> {
        let context = &mut self.contexts[0];
        let queries = self.scene.queries[..4].iter();
        queries.map(|query| Some(format!("{:?}", context.query_result(query.as_ref()?, TIMEOUT)))).collect()
    }

    fn computes(&self) -> bool {
        self.mode == Mode::Computes
    }

    fn context(&mut self) -> &mut Context {
        &mut self.contexts[self.current]
    }

    fn bound(&mut self) -> &mut Bound {
        &mut self.bound[self.current]
    }

    /// Gives a texture defined texels.
    fn define_texture(&mut self, number: usize) -> Result<()> {
        let texture = self.scene.texture(number);
        let description = *texture.description();
        if description.samples > 1 || is_depth(description.format) {
            let current = self.current;
            let framebuffer = self.scene.framebuffer(if description.samples > 1 { 5 } else { 10 });
            let context = &mut self.contexts[current];
            context.set_framebuffer_state(&framebuffer)?;
            context.clear(&Clear { stencil: Some(1), ..Clear::color([0.5; 4]).and_depth(1.0) })?;
            // The framebuffer of the sequence is bound again.
            let before = self.bound[current].framebuffer.map(|before| self.scene.framebuffer(before));
            return self.contexts[current].set_framebuffer_state(&before.unwrap_or_default());
        }
        (0..description.levels).try_for_each(|level| self.fill_level(number, level, number as u8 + 1))
    }

    fn fill_level(&mut self, number: usize, level: u32, value: u8) -> Result<()> {
        let texture = self.scene.texture(number);
        let region = Region::of_level(&texture, level);
        let texels: u32 = region.size.iter().product();
        let size = match texture.description().format {
            vk::Format::R32G32B32A32_SFLOAT => 16,
            vk::Format::R5G6B5_UNORM_PACK16 => 2,
            vk::Format::D32_SFLOAT_S8_UINT => 4,
            _ => 4,
        };
        // As floats, these bytes are small numbers.
        let bytes: Vec<u8> = (0..texels * size).map(|byte| if byte % 4 == 3 { 0x3e } else { value }).collect();
        self.context().texture_subdata(&texture, region, &bytes)
    }

    fn call(&mut self, call: &Call) -> Result<&'static str> {
        match call {
            Call::Vertex(..) | Call::Fragment(..) | Call::Compute(..) | Call::Geometry(..) | Call::Tessellation(..) => {
                self.shader(call)?;
            }
            Call::Draw(draw) => return self.draw(draw),
            Call::DrawCaptured(target) => return self.draw_captured(*target),
            Call::Dispatch(groups) => return self.dispatch(Some(*groups)),
            Call::DispatchIndirect => return self.dispatch(None),
            Call::Blend(..)
            | Call::Rasterizer(..)
            | Call::DepthStencil(..)
            | Call::Elements(..)
            | Call::Framebuffer(..)
            | Call::Viewports(..)
            | Call::Scissors(..)
            | Call::BlendColor(..)
            | Call::StencilRef(..)
            | Call::SampleMask(..)
            | Call::MinSamples(..)
            | Call::PatchVertices(..) => self.state(call)?,
            Call::VertexBuffers(..)
            | Call::Constants(..)
            | Call::ShaderBuffers(..)
            | Call::Views(..)
            | Call::Samplers(..)
            | Call::Images(..)
            | Call::Targets(..) => self.slots(call)?,
            Call::BeginQuery(number) | Call::EndQuery(number) => {
                let Some(query) = self.scene.queries[*number].clone() else { return Ok("not there") };
                match call {
                    Call::BeginQuery(_) => self.context().begin_query(&query)?,
                    _ => self.context().end_query(&query)?,
                }
            }
            Call::MemoryBarrier => self.context().memory_barrier(),
            Call::Flush => drop(self.context().flush()?),
            Call::Finish => self.context().finish()?,
            Call::Switch => {
                if self.computes() {
                    // GL requires a flush before another context sees the results.
                    self.context().flush()?;
                }
                self.current = 1 - self.current;
            }
            _ => self.resource(call)?,
        }
        Ok("fine")
    }

    fn shader(&mut self, call: &Call) -> Result<()> {
        let (rig, current) = (self.rig, self.current);
        let (context, bound) = (&mut self.contexts[current], &mut self.bound[current]);
        match call {
            Call::Vertex(number) => {
                bound.vertex = *number;
                context.bind_shader(ShaderStage::Vertex, number.map(|number| &rig.vertex[number]))
            }
            Call::Fragment(number) => {
                bound.fragment = *number;
                context.bind_shader(ShaderStage::Fragment, number.map(|number| &self.scene.fragment[number]))
            }
            Call::Compute(number) => {
                bound.compute = *number;
                context.bind_shader(ShaderStage::Compute, number.map(|number| &rig.compute[number]))
            }
            Call::Geometry(there) => {
                bound.geometry = *there;
                context.bind_shader(ShaderStage::Geometry, there.then_some(&rig.geometry))
            }
            Call::Tessellation(there) => {
                bound.tessellation = *there;
                context.bind_shader(ShaderStage::TessCtrl, there.then_some(&rig.control))?;
                context.bind_shader(ShaderStage::TessEval, there.then_some(&rig.evaluation))
            }
            _ => Ok(()),
        }
    }

    fn state(&mut self, call: &Call) -> Result<()> {
        let (scene, states, current) = (&self.scene, &self.rig.states, self.current);
        let (context, bound) = (&mut self.contexts[current], &mut self.bound[current]);
        match call {
            Call::Blend(number) => context.bind_blend_state(&states.blends[*number]),
            Call::Rasterizer(number) => {
                bound.rasterizer = *number;
                context.bind_rasterizer_state(&states.rasterizers[*number]);
            }
            Call::DepthStencil(number) => context.bind_depth_stencil_alpha_state(&states.depth_stencils[*number]),
            Call::Elements(number) => {
                bound.elements = Some(*number);
                context.bind_vertex_elements_state(&states.elements[*number]);
            }
            Call::Framebuffer(number) => {
                bound.framebuffer = Some(*number);
                context.set_framebuffer_state(&scene.framebuffer(*number))?;
            }
            Call::Viewports(number) => context.set_viewport_states(&tables::viewports()[*number]),
            Call::Scissors(number) => context.set_scissor_states(&tables::scissors()[*number]),
            Call::BlendColor(value) => context.set_blend_color([f32::from(*value) / 4.0; 4]),
            Call::StencilRef(front, back) => context.set_stencil_ref([*front, *back]),
            Call::SampleMask(mask) => context.set_sample_mask(*mask),
            Call::MinSamples(samples) => context.set_min_samples(*samples),
            Call::PatchVertices(vertices) => context.set_patch_vertices(*vertices),
            _ => {}
        }
        Ok(())
    }

    fn slots(&mut self, call: &Call) -> Result<()> {
        let (scene, states, current) = (&self.scene, &self.rig.states, self.current);
        let (context, bound) = (&mut self.contexts[current], &mut self.bound[current]);
        let buffer = |number: usize| scene.buffer(number);
        let range = |(number, offset, size): (usize, u64, u64)| BufferRange { buffer: buffer(number), offset, size };
        match call {
            Call::VertexBuffers(first, list) => {
                note(&mut bound.vertex_buffers, |slot| slot, *first, list.iter().map(|row| row.map(|row| row.0)));
                let list: Vec<_> = list
                    .iter()
                    .map(|row| row.map(|(number, offset)| VertexBuffer { buffer: buffer(number), offset }))
                    .collect();
                context.set_vertex_buffers(*first, &list)
            }
            Call::Constants(stage, slot, constants) => {
                bound.constants.insert((*stage, *slot), constants.clone());
                let constants = constants.as_ref().map(|constants| match constants {
                    Constants::User(size, value) => ConstantBuffer::User(uniforms(*size, *value)),
                    Constants::Buffer(number, offset, size) => ConstantBuffer::Buffer(range((*number, *offset, *size))),
                });
                context.set_constant_buffer(*stage, *slot, constants)
            }
            Call::ShaderBuffers(stage, first, list) => {
                let numbers = list.iter().map(|row| row.map(|row| row.0));
                note(&mut bound.buffers, |slot| (*stage, slot), *first, numbers);
                let list: Vec<_> = list.iter().map(|row| row.map(range)).collect();
                context.set_shader_buffers(*stage, *first, &list)
            }
            Call::Views(stage, first, list) => {
                note(&mut bound.views, |slot| (*stage, slot), *first, list.iter().copied());
                let list: Vec<_> = list.iter().map(|row| row.map(|number| scene.view(number))).collect();
                context.set_sampler_views(*stage, *first, &list)
            }
            Call::Samplers(stage, first, list) => {
                let list: Vec<_> =
                    list.iter().map(|row| row.map(|number| Arc::clone(&states.samplers[number]))).collect();
                context.bind_sampler_states(*stage, *first, &list)
            }
            Call::Images(stage, first, list) => {
                note(&mut bound.images, |slot| (*stage, slot), *first, list.iter().copied());
                let list: Vec<_> = list.iter().map(|row| row.map(|number| scene.image(number))).collect();
                context.set_shader_images(*stage, *first, &list)
            }
            Call::Targets(list, append) => {
                bound.targets.clone_from(list);
                let list: Vec<_> = list.iter().map(|row| row.map(|number| scene.target(number))).collect();
                context.set_stream_output_targets(&list, *append)
            }
            _ => Ok(()),
        }
    }

    fn draw(&mut self, draw: &Draw) -> Result<&'static str> {
        let bound = &self.bound[self.current];
        if bound.draw_is_undefined(draw) || self.computes() && bound.draws_undefined_colors() {
            return Ok("undefined");
        }
        let is_ordered = self.computes() && bound.shaders_write(false);
        let indices = draw.indices.map(|(offset, is_long, restart)| Indices {
            buffer: self.scene.buffer(tables::INDICES),
            offset,
            ty: if is_long { vk::IndexType::UINT32 } else { vk::IndexType::UINT16 },
            restart,
        });
        let info = DrawInfo {
            mode: bound.topology(draw.mode),
            instance_count: draw.instances,
            start_instance: draw.first_instance,
            indices,
        };
        let starts: Vec<DrawStart> = draw
            .runs
            .iter()
            .map(|(start, count, bias)| DrawStart { start: *start, count: *count, index_bias: *bias })
            .collect();
        let indirect = draw.indirect.map(|indirect| {
            let buffer = self.scene.buffer(tables::INDIRECT);
            let count = (indirect == Indirect::Counted).then(|| (Arc::clone(&buffer), 132));
            let draw_count = if indirect == Indirect::One { 1 } else { 2 };
            DrawIndirect { buffer, offset: if info.indices.is_some() { 64 } else { 0 }, stride: 20, draw_count, count }
        });
        self.ordered(is_ordered, |context| context.draw_vbo(&info, indirect.as_ref(), &starts))?;
        Ok("drawn")
    }

    fn draw_captured(&mut self, target: usize) -> Result<&'static str> {
        let bound = &self.bound[self.current];
        let runs = Vec::new();
        let draw = Draw {
            mode: vk::PrimitiveTopology::TRIANGLE_LIST,
            indices: None,
            instances: 1,
            first_instance: 0,
            runs,
            indirect: None,
        };
        let is_target = bound.targets.contains(&Some(target));
        // On a device that computes, there may be more captured vertices than bound ones.
        if self.computes() || is_target || bound.draw_is_undefined(&draw) {
            return Ok("undefined");
        }
        let info = DrawInfo { mode: bound.topology(draw.mode), ..DrawInfo::default() };
        let target = self.scene.target(target);
        self.context().draw_stream_output(&info, &target)?;
        Ok("drawn")
    }

    /// Runs `work` between barriers if stores of shaders must be ordered.
    fn ordered(&mut self, is_ordered: bool, work: impl FnOnce(&mut Context) -> Result<()>) -> Result<()> {
        let context = &mut self.contexts[self.current];
        if is_ordered {
            context.memory_barrier();
        }
        let done = work(context);
        if is_ordered {
            context.memory_barrier();
        }
        done
    }

    fn dispatch(&mut self, groups: Option<[u32; 3]>) -> Result<&'static str> {
        if self.bound[self.current].dispatch_is_undefined() {
            return Ok("undefined");
        }
        let buffer = self.scene.buffer(tables::INDIRECT);
        self.ordered(self.computes(), |context| match groups {
            Some(groups) => context.launch_grid(groups),
            None => context.launch_grid_indirect(&buffer, 144),
        })?;
        Ok("dispatched")
    }

    fn resource(&mut self, call: &Call) -> Result<()> {
        let current = self.current;
        match call {
            Call::Clear(colors, value, depth, stencil, scissor) => {
                let clear = Clear {
                    colors: *colors,
                    color: [f32::from(*value) / 8.0; 4].map(f32::to_bits),
                    depth: depth.map(|depth| f32::from(depth) / 8.0),
                    stencil: *stencil,
                    scissor: scissor.map(|number| tables::scissors()[number][0]),
                };
                self.context().clear(&clear)
            }
            Call::BufferSubdata(number, offset, size, value) => {
                let buffer = self.scene.buffer(*number);
                let whole = tables::bytes_of_buffer(*number);
                let end = (*offset as usize + size).min(whole.len());
                let mut bytes = whole[(*offset as usize).min(end)..end].to_vec();
                if !matches!(*number, tables::INDICES | tables::INDIRECT) {
                    // The lowest bytes of floats.
                    bytes.iter_mut().step_by(4).for_each(|byte| *byte = *value);
                }
                self.context().buffer_subdata(&buffer, *offset, &bytes)
            }
            Call::TextureSubdata(number, level, value) => self.fill_level(*number, *level, *value),
            Call::CopyBuffer(to, from, offset, size) => {
                let [to, from] = [to, from].map(|number| self.scene.buffer(*number));
                self.context().copy_buffer((&to, *offset), (&from, *offset), *size)
            }
            Call::ClearBuffer(number, offset, size, word) => {
                let buffer = self.scene.buffer(*number);
                self.context().clear_buffer(&buffer, *offset, *size, *word)
            }
            Call::CopyTexture(row) => self.copy_texture(*row),
            Call::Blit(row) => self.blit(*row),
            Call::GenerateMipmap(number) => {
                let texture = self.scene.texture(*number);
                self.context().generate_mipmap(&texture)
            }
            Call::InvalidateBuffer(number) => {
                let buffer = self.scene.buffer(*number);
                self.context().invalidate_buffer(&buffer)?;
                match self.mode != Mode::Records {
                    true => self.context().buffer_subdata(&buffer, 0, &tables::bytes_of_buffer(*number)),
                    false => Ok(()),
                }
            }
            Call::InvalidateTexture(number) => {
                let texture = self.scene.texture(*number);
                self.context().invalidate_texture(&texture)?;
                match self.computes() {
                    true => self.define_texture(*number),
                    false => Ok(()),
                }
            }
            Call::ReplaceBuffer(number) => {
                self.scene.buffers[*number] = Some(new_buffer(&mut self.contexts[current], *number)?);
                Ok(())
            }
            Call::ReplaceTexture(number) => {
                let texture = self.contexts[current].create_texture(tables::texture(*number))?;
                self.scene.textures[*number] = Some(texture);
                match self.computes() {
                    true => self.define_texture(*number),
                    false => Ok(()),
                }
            }
            Call::ReplaceFragment(number) => self.replace_fragment(*number),
            other => Err(error_of(other)),
        }
    }

    fn replace_fragment(&mut self, number: usize) -> Result<()> {
        let old = Arc::clone(&self.scene.fragment[number]);
        let is_shared = Arc::ptr_eq(&old, &self.rig.fragment[number]);
        let context = &mut self.contexts[self.current];
        self.scene.fragment[number] = crate::scene::shader(context, "FRAGMENT", &crate::shaders::FRAGMENT[number]);
        // All sequences share the shaders of the rig.
        if !is_shared {
            context.delete_shader(&old);
            let bound = self.bound();
            bound.fragment = bound.fragment.filter(|bound| *bound != number);
        }
        Ok(())
    }

    fn copy_texture(&mut self, row: usize) -> Result<()> {
        let (to, level, at, from, region) = tables::copy(row);
        let [to, from] = [to, from].map(|number: usize| self.scene.texture(number));
        self.context().resource_copy_region(&to, (level, at), &from, region)
    }

    fn blit(&mut self, row: usize) -> Result<()> {
        let (src, src_level, dst, dst_level, flip, linear) = tables::BLITS[row];
        let [src, dst] = [src, dst].map(|number: usize| self.scene.texture(number));
        let (src_region, dst_region) = (Region::of_level(&src, src_level), Region::of_level(&dst, dst_level));
        self.context().blit(&Blit { src, src_region, dst, dst_region, flip, linear })
    }
}

fn is_depth(format: vk::Format) -> bool {
    format == vk::Format::D32_SFLOAT_S8_UINT
}

/// Uniforms with this number of bytes.
fn uniforms(size: usize, value: u8) -> Vec<u8> {
    let number = f32::from(value) / 8.0;
    number.to_le_bytes().into_iter().cycle().take(size).collect()
}

fn note<K: std::hash::Hash + Eq>(
    map: &mut std::collections::HashMap<K, usize>,
    key: impl Fn(usize) -> K,
    first: usize,
    list: impl Iterator<Item = Option<usize>>,
) {
    for (slot, value) in (first..).zip(list) {
        match value {
            Some(value) => map.insert(key(slot), value),
            None => map.remove(&key(slot)),
        };
    }
}

fn error_of(call: &Call) -> Error {
    unreachable!("no call of resources: {call:?}")
}
