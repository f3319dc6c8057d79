// SPDX-License-Identifier: MIT

//! Setters: they compare, store, and set dirty bits.

use super::slots::Slots;
use super::state::*;
use super::upload::Uploaded;
use super::{Context, Current, Dirty};
use crate::error::{Error, Result};
use crate::pipeline::{Numbered, VertexElements};
use crate::program::{DescriptorClass, Program, Shader, GRAPHICS, STAGES};
use crate::resource::{ImageView, Sampler, SamplerView};
use crate::state::Tracked;
use ntv::module::ShaderStage;
use std::sync::Arc;

/// The number of constant buffers of a stage.
pub(crate) const MAX_CONSTANT_BUFFERS: usize = 16;
/// The number of shader buffers of a stage.
pub(crate) const MAX_SHADER_BUFFERS: usize = 32;
/// The number of sampler views, and of samplers, of a stage.
pub(crate) const MAX_SAMPLERS: usize = 32;
/// The number of images of a stage.
pub(crate) const MAX_IMAGES: usize = 16;
/// The number of vertex buffers.
pub(crate) const MAX_VERTEX_BUFFERS: usize = 16;
/// The number of viewports, and of scissors.
pub(crate) const MAX_VIEWPORTS: usize = 16;

/// A blend state that was created.
#[derive(Clone, Debug)]
pub struct Blend {
    pub(crate) state: Arc<BlendState>,
    /// The part of it that pipelines depend on. Equal parts share one object.
    pub(crate) part: Arc<Numbered<BlendState>>,
}

impl PartialEq for Blend {
    fn eq(&self, other: &Blend) -> bool {
        let rest = |blend: &Blend| (blend.state.alpha_to_coverage, blend.state.alpha_to_one, blend.state.dither);
        Arc::ptr_eq(&self.part, &other.part) && rest(self) == rest(other)
    }
}

/// Vertex elements that were created. Equal ones share one object.
#[derive(Clone, Debug)]
pub struct Elements(pub(crate) Arc<Numbered<VertexElements>>);

impl PartialEq for Elements {
    fn eq(&self, other: &Elements) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A rasterizer state that was created.
#[derive(Clone, Debug, PartialEq)]
pub struct Rasterizer(pub(crate) Arc<RasterizerState>);

/// A state of depth and stencil tests that was created.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthStencilAlpha(pub(crate) Arc<DepthStencilAlphaState>);

/// The contents of a constant buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantBuffer {
    /// Bytes, with their values at the call.
    User(Vec<u8>),
    /// A part of a buffer.
    Buffer(BufferRange),
}

/// The resources that are bound to a stage.
#[derive(Default)]
pub(crate) struct StageSlots {
    pub(crate) constants: Slots<ConstantBuffer, MAX_CONSTANT_BUFFERS>,
    pub(crate) buffers: Slots<BufferRange, MAX_SHADER_BUFFERS>,
    pub(crate) views: Slots<SamplerView, MAX_SAMPLERS>,
    pub(crate) samplers: Slots<SamplerPointer, MAX_SAMPLERS>,
    pub(crate) images: Slots<ImageView, MAX_IMAGES>,
    /// The uploads of constant buffers that were given by value, with the stamp of the batch that keeps them.
    pub(super) uploaded: [Option<(u64, Uploaded)>; MAX_CONSTANT_BUFFERS],
}

/// A sampler, compared by identity: equal states share one sampler.
#[derive(Clone)]
pub(crate) struct SamplerPointer(pub(crate) Arc<Sampler>);

impl PartialEq for SamplerPointer {
    fn eq(&self, other: &SamplerPointer) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// All bound state.
#[derive(Default)]
pub(crate) struct Bound {
    pub(crate) shaders: [Option<Arc<Shader>>; STAGES],
    /// The numbers of the shaders of the graphics stages, and that of the compute shader; 0 for none.
    pub(crate) program: Tracked<[u64; GRAPHICS.len()]>,
    pub(crate) compute_program: Tracked<u64>,
    pub(crate) stages: [StageSlots; STAGES],
    pub(crate) blend: Tracked<Option<Blend>>,
    pub(crate) rasterizer: Tracked<Option<Rasterizer>>,
    pub(crate) depth_stencil: Tracked<Option<DepthStencilAlpha>>,
    pub(crate) elements: Tracked<Option<Elements>>,
    /// The number of the elements that the handler of vertex buffers has used.
    pub(crate) strides: Tracked<u32>,
    pub(crate) vertex_buffers: Slots<VertexBuffer, MAX_VERTEX_BUFFERS>,
    pub(crate) framebuffer: Tracked<FramebufferState>,
    pub(crate) viewports: Tracked<Vec<Viewport>>,
    pub(crate) scissors: Tracked<Vec<Scissor>>,
    pub(crate) blend_color: Tracked<[f32; 4]>,
    pub(crate) stencil_ref: Tracked<[u32; 2]>,
    pub(crate) sample_mask: Tracked<u32>,
    pub(crate) min_samples: Tracked<u32>,
    pub(crate) patch_vertices: Tracked<u32>,
    pub(crate) key_state: Tracked<KeyState>,
    pub(crate) push_constants: Tracked<Vec<u8>>,
}

/// The blend and rasterizer state that modules depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyState {
    dither: bool,
    clip_halfz: bool,
    default_point_size: bool,
    early_fragment_tests: bool,
    discard_by_position: bool,
    min_samples: u32,
}

impl Bound {
    /// The mask of vertex buffers that the vertex elements read.
    fn read_vertex_buffers(&self) -> u64 {
        self.elements.get().as_ref().map_or(0, |elements| elements.0.state.buffers.into())
    }

    /// Whether a bound shader may capture on its own.
    pub(super) fn captures(&self) -> bool {
        self.shaders.iter().flatten().any(|shader| shader.may_capture)
    }
}

impl Context {
    pub(super) fn bind_defaults(&mut self) {
        let (blend, rasterizer) = (self.create_blend_state(&BlendState::default()), RasterizerState::default());
        self.bind_blend_state(&blend);
        self.bind_rasterizer_state(&self.create_rasterizer_state(&rasterizer));
        let tests = self.create_depth_stencil_alpha_state(&DepthStencilAlphaState::default());
        self.bind_depth_stencil_alpha_state(&tests);
        if let Ok(elements) = self.create_vertex_elements_state(&[]) {
            self.bind_vertex_elements_state(&elements);
        }
        self.set_viewport_states(&[Viewport::default()]);
        self.set_scissor_states(&[Scissor::default()]);
        self.set_sample_mask(u32::MAX);
        self.set_patch_vertices(3);
    }

    /// Sets `bit` if its state differs from that of the command buffer, and clears it otherwise.
    fn mark(&mut self, bit: Dirty, differs: bool) {
        self.changes.compare(bit, differs);
    }

    /// Sets `bit` without a comparison.
    pub(super) fn force(&mut self, bit: Dirty) {
        self.changes.force(bit);
        if bit == Dirty::Accesses {
            // A draw without indices handles the bit, but does not check the index buffer.
            self.current.indices = None;
            self.current.is_settled = false;
        }
    }

    /// Creates a blend state.
    pub fn create_blend_state(&self, state: &BlendState) -> Blend {
        Blend { state: Arc::new(*state), part: self.shared.blends.get(state.blending()) }
    }

    /// Sets the blend state.
    pub fn bind_blend_state(&mut self, blend: &Blend) {
        let differs = self.bound.blend.set(Some(blend.clone()));
        self.mark(Dirty::Blend, differs);
        self.mark_key_state();
    }

    /// Creates a rasterizer state.
    pub fn create_rasterizer_state(&self, state: &RasterizerState) -> Rasterizer {
        Rasterizer(Arc::new(*state))
    }

    /// Sets the rasterizer state.
    pub fn bind_rasterizer_state(&mut self, rasterizer: &Rasterizer) {
        let differs = self.bound.rasterizer.set(Some(rasterizer.clone()));
        self.mark(Dirty::Rasterizer, differs);
        self.mark_key_state();
    }

    /// Sets the bit of the key if the state that modules depend on differs.
    fn mark_key_state(&mut self) {
        let rasterizer = self.rasterizer_state();
        let state = KeyState {
            dither: self.bound.blend.get().as_ref().is_some_and(|blend| blend.state.dither),
            clip_halfz: rasterizer.clip_halfz,
            default_point_size: rasterizer.default_point_size,
            early_fragment_tests: rasterizer.early_fragment_tests,
            discard_by_position: rasterizer.discard_by_position,
            min_samples: *self.bound.min_samples.get(),
        };
        if *self.bound.key_state.get() != state {
            let differs = self.bound.key_state.set(state);
            self.mark(Dirty::ShaderKey, differs);
        }
    }

    /// Creates a state of depth and stencil tests.
    pub fn create_depth_stencil_alpha_state(&self, state: &DepthStencilAlphaState) -> DepthStencilAlpha {
        DepthStencilAlpha(Arc::new(*state))
    }

    /// Sets the tests of depth and stencil.
    pub fn bind_depth_stencil_alpha_state(&mut self, tests: &DepthStencilAlpha) {
        let differs = self.bound.depth_stencil.set(Some(tests.clone()));
        self.mark(Dirty::DepthStencilAlpha, differs);
    }

    /// Creates vertex elements; equal ones share one object. An error for a vertex buffer that does not exist, and for elements
    /// of one buffer with different strides or divisors.
    pub fn create_vertex_elements_state(&self, elements: &[VertexElement]) -> Result<Elements> {
        let most = self.device.limits.max_vertex_input_attributes as usize;
        if elements.len() > most {
            return Err(Error::new(format!("{} vertex elements exceed the limit of {most}", elements.len())));
        }
        for element in elements {
            let own = (element.src_stride, element.instance_divisor);
            let agrees = |other: &VertexElement| {
                other.vertex_buffer_index != element.vertex_buffer_index
                    || (other.src_stride, other.instance_divisor) == own
            };
            if element.vertex_buffer_index as usize >= MAX_VERTEX_BUFFERS {
                return Err(Error::new(format!("vertex buffer {} does not exist", element.vertex_buffer_index)));
            }
            if !elements.iter().all(agrees) {
                let number = element.vertex_buffer_index;
                return Err(Error::new(format!(
                    "elements of vertex buffer {number} have different strides or divisors"
                )));
            }
            if element.instance_divisor > 1 && !self.device.features.instance_divisor {
                return Err(Error::new("the device has no vertexAttributeInstanceRateDivisor"));
            }
        }
        Ok(Elements(self.shared.elements.get(VertexElements::new(elements))))
    }

    /// Sets the vertex elements.
    pub fn bind_vertex_elements_state(&mut self, elements: &Elements) {
        if self.bound.elements.get().as_ref() == Some(elements) {
            return;
        }
        let differs = self.bound.elements.set(Some(elements.clone()));
        self.mark(Dirty::VertexElements, differs);
        // The buffers that are read, and their strides, depend on the elements.
        self.bound.strides.set(elements.0.number);
        self.mark_vertex_buffers();
    }

    /// Sets the bit of vertex buffers if those that are read, or their strides, differ.
    fn mark_vertex_buffers(&mut self) {
        let differs =
            self.bound.strides.differs() || self.bound.vertex_buffers.differs(self.bound.read_vertex_buffers());
        self.mark(Dirty::VertexBuffers, differs);
    }

    /// Binds vertex buffers from `first` on.
    pub fn set_vertex_buffers(&mut self, first: usize, buffers: &[Option<VertexBuffer>]) -> Result<()> {
        check_slots("vertex buffer", first, buffers.len(), MAX_VERTEX_BUFFERS)?;
        let used = self.bound.read_vertex_buffers();
        for (slot, buffer) in (first..).zip(buffers) {
            if self.bound.vertex_buffers.set(slot, buffer.clone(), used).is_none() {
                continue;
            }
            if let Some(buffer) = buffer {
                buffer.buffer.subject.observe(self.changes.inbox(), Dirty::VertexBuffers);
            }
            if used >> slot & 1 != 0 {
                self.mark_vertex_buffers();
            }
        }
        Ok(())
    }

    /// Binds the shader of a stage; `None` unbinds it.
    pub fn bind_shader(&mut self, stage: ShaderStage, shader: Option<&Arc<Shader>>) -> Result<()> {
        if let Some(shader) = shader.filter(|shader| shader.stage != stage) {
            let (own, name) = (shader.stage.name(), stage.name());
            return Err(Error::new(format!("a {own} shader is bound to the {name} stage")));
        }
        let slot = &mut self.bound.shaders[stage as usize];
        let number = |shader: Option<&Arc<Shader>>| shader.map(|shader| shader.id);
        if number(slot.as_ref()) == number(shader) {
            return Ok(());
        }
        *slot = shader.cloned();
        self.mark_shaders(stage);
        Ok(())
    }

    /// Sets the bit of the program of `stage`, if the shaders differ from those of the last draw or dispatch.
    fn mark_shaders(&mut self, stage: ShaderStage) {
        let shaders = &self.bound.shaders;
        let number = |stage: ShaderStage| shaders[stage as usize].as_ref().map_or(0, |shader| shader.id);
        let (bit, differs) = match stage {
            ShaderStage::Compute => {
                (Dirty::ComputeProgram, self.bound.compute_program.set(number(ShaderStage::Compute)))
            }
            _ => (Dirty::Program, self.bound.program.set(GRAPHICS.map(number))),
        };
        self.mark(bit, differs);
    }

    /// Unbinds `shader` where it is bound.
    pub(super) fn unbind_shader(&mut self, shader: &Arc<Shader>) {
        let stage = shader.stage;
        let is_bound = |bound: &Arc<Shader>| bound.id == shader.id;
        if self.bound.shaders[stage as usize].as_ref().is_some_and(is_bound) {
            self.bound.shaders[stage as usize] = None;
            self.mark_shaders(stage);
        }
    }

    /// The mask of slots of `stage` and `class` that the bound program reads; all slots if there is no program.
    fn used(&self, stage: ShaderStage, class: DescriptorClass) -> u64 {
        let program = match stage {
            ShaderStage::Compute => self.current.compute.as_ref().map(|(program, _)| program),
            _ => self.current.program.as_ref(),
        };
        let Some(program) = program else { return u64::MAX };
        program.layout.sets.get(class as usize).map_or(0, |set| set.used[stage as usize])
    }

    /// Sets the bit of `class` if the bound program of `stage` uses it. Another program checks all slots anew.
    fn mark_slot(&mut self, stage: ShaderStage, class: DescriptorClass, differs: bool) {
        let bit = match (stage, class) {
            (ShaderStage::Compute, _) => Dirty::ComputeResources,
            (_, DescriptorClass::Uniforms) => Dirty::Uniforms,
            (_, DescriptorClass::UniformBuffers) => Dirty::UniformBuffers,
            (_, DescriptorClass::Textures) => Dirty::Textures,
            (_, DescriptorClass::StorageBuffers) => Dirty::StorageBuffers,
            (_, DescriptorClass::Images) => Dirty::Images,
        };
        // Other slots share the bit: those of this class in all graphics stages, or of all classes in the compute stage.
        let any_differs = |context: &Context| match stage {
            ShaderStage::Compute => DescriptorClass::ALL.into_iter().any(|class| context.slot_differs(stage, class)),
            _ => GRAPHICS.iter().any(|stage| context.slot_differs(*stage, class)),
        };
        if differs || !self.changes.is_forced(bit) {
            let differs = differs || any_differs(self);
            self.mark(bit, differs);
        }
    }

    fn slot_differs(&self, stage: ShaderStage, class: DescriptorClass) -> bool {
        let (slots, used) = (&self.bound.stages[stage as usize], self.used(stage, class));
        match class {
            DescriptorClass::Uniforms | DescriptorClass::UniformBuffers => slots.constants.differs(used),
            DescriptorClass::Textures => slots.views.differs(used) || slots.samplers.differs(used),
            DescriptorClass::StorageBuffers => slots.buffers.differs(used),
            DescriptorClass::Images => slots.images.differs(used),
        }
    }

    /// Binds a constant buffer of a stage.
    pub fn set_constant_buffer(
        &mut self,
        stage: ShaderStage,
        index: usize,
        buffer: Option<ConstantBuffer>,
    ) -> Result<()> {
        check_slots("constant buffer", index, 1, MAX_CONSTANT_BUFFERS)?;
        if let Some(ConstantBuffer::Buffer(range)) = &buffer {
            check_range(range, self.device.limits.min_uniform_buffer_offset_alignment)?;
            range.buffer.subject.observe(self.changes.inbox(), constant_bit(stage, index));
            if index == 0 {
                range.buffer.subject.observe(self.changes.inbox(), constant_bit(stage, 1));
            }
        }
        let slots = &mut self.bound.stages[stage as usize].constants;
        if slots.set(index, buffer, u64::MAX).is_none() {
            return Ok(());
        }
        self.bound.stages[stage as usize].uploaded[index] = None;
        // Slot 0 belongs to one of two classes: that of shaders with loose uniforms, or that of all blocks.
        for class in [DescriptorClass::Uniforms, DescriptorClass::UniformBuffers] {
            let used = self.used(stage, class);
            if used >> index & 1 != 0 {
                let differs = self.bound.stages[stage as usize].constants.differs(used);
                self.mark_slot(stage, class, differs);
            }
        }
        let is_inline = |program: &Arc<Program>| program.inline_blocks.iter().any(|block| block.is(stage, index));
        match (stage, &self.current) {
            // The state of dispatches is not tracked.
            (ShaderStage::Compute, Current { compute: Some((program, _)), .. }) if is_inline(program) => {
                self.current.is_settled = false;
            }
            (_, Current { program: Some(program), .. }) if is_inline(program) => self.mark_push_constants(),
            _ => {}
        }
        Ok(())
    }

    /// Sets the bit of push constants if those of the bound program differ.
    fn mark_push_constants(&mut self) {
        let differs = match &self.current.program {
            Some(program) if !program.is_plain => program.inline_blocks.iter().any(|block| {
                let slots = &self.bound.stages[block.stage as usize].constants;
                slots.differs(1 << block.slot)
            }),
            _ => self.bound.push_constants.differs(),
        };
        self.mark(Dirty::PushConstants, differs);
    }

    /// Binds shader buffers of a stage from `first` on.
    pub fn set_shader_buffers(
        &mut self,
        stage: ShaderStage,
        first: usize,
        buffers: &[Option<BufferRange>],
    ) -> Result<()> {
        check_slots("shader buffer", first, buffers.len(), MAX_SHADER_BUFFERS)?;
        for range in buffers.iter().flatten() {
            check_range(range, self.device.limits.min_storage_buffer_offset_alignment)?;
        }
        let used = self.used(stage, DescriptorClass::StorageBuffers);
        for (slot, range) in (first..).zip(buffers) {
            let slots = &mut self.bound.stages[stage as usize].buffers;
            let Some(differs) = slots.set(slot, range.clone(), used) else { continue };
            if let Some(range) = range {
                range.buffer.subject.observe(self.changes.inbox(), graphics_or_compute(stage, Dirty::StorageBuffers));
            }
            if used >> slot & 1 != 0 {
                self.mark_slot(stage, DescriptorClass::StorageBuffers, differs);
            }
        }
        Ok(())
    }

    /// Binds sampler views of a stage from `first` on.
    pub fn set_sampler_views(&mut self, stage: ShaderStage, first: usize, views: &[Option<SamplerView>]) -> Result<()> {
        check_slots("sampler view", first, views.len(), MAX_SAMPLERS)?;
        let used = self.used(stage, DescriptorClass::Textures);
        for (slot, view) in (first..).zip(views) {
            let slots = &mut self.bound.stages[stage as usize].views;
            let Some(differs) = slots.set(slot, view.clone(), used) else { continue };
            let bit = graphics_or_compute(stage, Dirty::Textures);
            match view {
                Some(SamplerView::Texture { texture, .. }) => texture.subject.observe(self.changes.inbox(), bit),
                Some(SamplerView::Buffer { buffer, .. }) => buffer.subject.observe(self.changes.inbox(), bit),
                None => {}
            }
            if used >> slot & 1 != 0 {
                self.mark_slot(stage, DescriptorClass::Textures, differs);
            }
        }
        Ok(())
    }

    /// Binds samplers of a stage from `first` on.
    pub fn bind_sampler_states(
        &mut self,
        stage: ShaderStage,
        first: usize,
        samplers: &[Option<Arc<Sampler>>],
    ) -> Result<()> {
        check_slots("sampler", first, samplers.len(), MAX_SAMPLERS)?;
        let used = self.used(stage, DescriptorClass::Textures);
        for (slot, sampler) in (first..).zip(samplers) {
            let slots = &mut self.bound.stages[stage as usize].samplers;
            let Some(differs) = slots.set(slot, sampler.clone().map(SamplerPointer), used) else { continue };
            if used >> slot & 1 != 0 {
                self.mark_slot(stage, DescriptorClass::Textures, differs);
            }
        }
        Ok(())
    }

    /// Binds shader images of a stage from `first` on.
    pub fn set_shader_images(&mut self, stage: ShaderStage, first: usize, images: &[Option<ImageView>]) -> Result<()> {
        check_slots("shader image", first, images.len(), MAX_IMAGES)?;
        let used = self.used(stage, DescriptorClass::Images);
        for (slot, image) in (first..).zip(images) {
            let slots = &mut self.bound.stages[stage as usize].images;
            let Some(differs) = slots.set(slot, image.clone(), used) else { continue };
            let bit = graphics_or_compute(stage, Dirty::Images);
            match image {
                Some(ImageView::Texture { texture, .. }) => texture.subject.observe(self.changes.inbox(), bit),
                Some(ImageView::Buffer { buffer, .. }) => buffer.subject.observe(self.changes.inbox(), bit),
                None => {}
            }
            if used >> slot & 1 != 0 {
                self.mark_slot(stage, DescriptorClass::Images, differs);
            }
        }
        Ok(())
    }

    /// Sets the framebuffer.
    pub fn set_framebuffer_state(&mut self, framebuffer: &FramebufferState) -> Result<()> {
        if framebuffer.colors.len() > MAX_COLORS.min(self.device.limits.max_color_attachments as usize) {
            return Err(Error::new(format!("{} color attachments are too many", framebuffer.colors.len())));
        }
        if self.bound.framebuffer.get() == framebuffer {
            return Ok(());
        }
        let surfaces = framebuffer.colors.iter().flatten().chain(&framebuffer.depth_stencil);
        surfaces.for_each(|surface| surface.texture.subject.observe(self.changes.inbox(), Dirty::Framebuffer));
        let differs = self.bound.framebuffer.set(framebuffer.clone());
        self.mark(Dirty::Framebuffer, differs);
        Ok(())
    }

    /// Sets the viewports.
    pub fn set_viewport_states(&mut self, viewports: &[Viewport]) {
        let most = MAX_VIEWPORTS.min(self.device.limits.max_viewports as usize).max(1);
        let viewports = &viewports[..viewports.len().min(most)];
        if self.bound.viewports.get() != viewports {
            let differs = self.bound.viewports.set(viewports.to_vec());
            self.mark(Dirty::Viewport, differs);
        }
    }

    /// Sets the scissor of each viewport, which is used if the rasterizer state enables it.
    pub fn set_scissor_states(&mut self, scissors: &[Scissor]) {
        let most = MAX_VIEWPORTS.min(self.device.limits.max_viewports as usize).max(1);
        let scissors = &scissors[..scissors.len().min(most)];
        if self.bound.scissors.get() != scissors {
            let differs = self.bound.scissors.set(scissors.to_vec());
            self.mark(Dirty::Scissor, differs);
        }
    }

    /// Sets the blend constant.
    pub fn set_blend_color(&mut self, color: [f32; 4]) {
        let differs = self.bound.blend_color.set(color);
        self.mark(Dirty::BlendColor, differs);
    }

    /// Sets the stencil reference of front and back faces.
    pub fn set_stencil_ref(&mut self, reference: [u32; 2]) {
        let differs = self.bound.stencil_ref.set(reference);
        self.mark(Dirty::StencilRef, differs);
    }

    /// Sets the mask of samples that may be written.
    pub fn set_sample_mask(&mut self, mask: u32) {
        let differs = self.bound.sample_mask.set(mask) || self.bound.min_samples.differs();
        self.mark(Dirty::Multisample, differs);
    }

    /// Sets the minimum number of samples that are shaded; 0 for one invocation per pixel.
    pub fn set_min_samples(&mut self, samples: u32) {
        if *self.bound.min_samples.get() != samples {
            let differs = self.bound.min_samples.set(samples) || self.bound.sample_mask.differs();
            self.mark(Dirty::Multisample, differs);
            self.mark_key_state();
        }
    }

    /// Sets the push constants of programs of SPIR-V that ntv did not produce; bytes after them are zeros. Applications cannot
    /// set those of other programs.
    pub fn set_push_constants(&mut self, bytes: &[u8]) -> Result<()> {
        let most = self.device.limits.max_push_constants_size;
        if bytes.len() > most as usize {
            return Err(Error::new(format!("{} bytes of push constants exceed the limit of {most}", bytes.len())));
        }
        if self.bound.push_constants.get() != bytes {
            self.bound.push_constants.set(bytes.to_vec());
            self.mark_push_constants();
            // The state of dispatches is not tracked.
            self.current.is_settled = false;
        }
        Ok(())
    }

    /// Sets the number of vertices of a patch.
    pub fn set_patch_vertices(&mut self, vertices: u32) {
        let differs = self.bound.patch_vertices.set(vertices);
        self.mark(Dirty::PatchVertices, differs);
    }
}

fn constant_bit(stage: ShaderStage, index: usize) -> Dirty {
    graphics_or_compute(stage, if index == 0 { Dirty::Uniforms } else { Dirty::UniformBuffers })
}

fn graphics_or_compute(stage: ShaderStage, bit: Dirty) -> Dirty {
    if stage == ShaderStage::Compute {
        Dirty::ComputeResources
    } else {
        bit
    }
}

fn check_slots(what: &str, first: usize, count: usize, most: usize) -> Result<()> {
    match first.checked_add(count).is_some_and(|end| end <= most) {
        true => Ok(()),
        false => {
            Err(Error::new(format!("{what}s {first} to {} exceed the limit of {most}", first.saturating_add(count))))
        }
    }
}

fn check_range(range: &BufferRange, alignment: u64) -> Result<()> {
    let BufferRange { buffer, offset, size } = range;
    if *size == 0 || offset.checked_add(*size).is_none_or(|end| end > buffer.size()) {
        return Err(Error::new(format!(
            "a range of {size} bytes at {offset} is not valid in a buffer of {} bytes",
            buffer.size()
        )));
    }
    match offset.is_multiple_of(alignment.max(1)) {
        true => Ok(()),
        false => Err(Error::new(format!("the offset {offset} is not a multiple of {alignment}"))),
    }
}
