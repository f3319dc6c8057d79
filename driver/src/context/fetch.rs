// SPDX-License-Identifier: MIT

//! Framebuffer fetch: programs that read their attachments (GL's `EXT_shader_framebuffer_fetch`, `KHR_blend_equation_advanced`).
//!
//! Their shaders read input attachments, so they draw in a render pass object instead of a dynamic rendering. The attachments are
//! those of the framebuffer, in the layout `GENERAL`. Within a draw, a fragment reads the contents from before the draw; results
//! of an earlier draw are visible after [`Context::texture_barrier`].

use super::access::Use;
use super::descriptors::{image_descriptor, Descriptor};
use super::rendering::Rendering;
use super::{Context, Dirty};
use crate::device::handle::Owned;
use crate::error::{Context as _, Error, Result};
use crate::format::aspects;
use crate::pipeline::{pass_barrier, PassKey, DEPTH_ATTACHMENT, PASS_BARRIER_STAGES, STENCIL_ATTACHMENT};
use crate::resource::{unique_id, ImageStorage, ViewKey};
use ash::vk;
use std::sync::Arc;

/// A render pass object with a framebuffer of the attachments.
#[derive(Clone)]
pub(super) struct Pass {
    raw: Arc<Owned<vk::RenderPass>>,
    framebuffer: Arc<Owned<vk::Framebuffer>>,
    /// A number that no other pass has.
    id: u64,
}

impl Context {
    /// Whether the bound program reads the framebuffer.
    pub(super) fn reads_framebuffer(&self) -> bool {
        self.current.program.as_ref().is_some_and(|program| program.reads_framebuffer)
    }

    /// Makes earlier draws visible to later ones that read the framebuffer or sample their attachments: Gallium's
    /// `texture_barrier`.
    pub fn texture_barrier(&mut self) {
        if !self.current.rendering.is_active || !self.current.rendering.is_pass {
            // The begin of a later pass waits for earlier draws; draws that sample their attachments check their accesses again.
            if !self.current.general.is_empty() {
                self.force(Dirty::Accesses);
            }
            return;
        }
        let (barriers, [from, to]) = ([pass_barrier()], PASS_BARRIER_STAGES);
        let (raw, commands, flags) = (&self.device.raw, self.batch.commands, vk::DependencyFlags::BY_REGION);
        // SAFETY: the buffer is recording, within a render pass that has this dependency on itself.
        unsafe { raw.cmd_pipeline_barrier(commands, from, to, flags, &barriers, &[], &[]) };
        self.counters.barriers += 1;
        self.counters.commands += 1;
    }

    /// Creates the render pass and the framebuffer for the attachments, if the program needs them and they do not exist.
    pub(super) fn prepare_pass(&mut self) -> Result<()> {
        if !self.reads_framebuffer() || self.current.rendering.pass.is_some() {
            return Ok(());
        }
        let rendering = &self.current.rendering;
        let key = PassKey::new(&self.current.desc, rendering.samples);
        let raw = self.shared.pipelines.passes.get(&self.device, &key)?;
        let views: Vec<vk::ImageView> = rendering.views().collect();
        let [width, height] = rendering.size;
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(**raw)
            .attachments(&views)
            .width(width)
            .height(height)
            .layers(rendering.layers);
        // SAFETY: the views have the formats of the render pass, in its order, and at least this size.
        let framebuffer = unsafe { self.device.raw.create_framebuffer(&info, None) }.during("vkCreateFramebuffer")?;
        let framebuffer = Arc::new(Owned::new(&self.device, framebuffer));
        self.current.rendering.pass = Some(Pass { raw, framebuffer, id: unique_id() });
        Ok(())
    }

    /// Begins the pass, outside of a rendering.
    pub(super) fn begin_pass(&mut self, pass: &Pass) {
        for (storage, is_depth) in self.current.rendering.attachments() {
            self.use_image(&storage, if is_depth { Use::FetchedDepth } else { Use::FetchedColor });
        }
        self.flush_barriers();
        let [width, height] = self.current.rendering.size;
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(**pass.raw)
            .framebuffer(**pass.framebuffer)
            .render_area(area);
        self.batch.keep(pass.id, &pass.framebuffer);
        // SAFETY: the buffer is recording, outside of a rendering; the framebuffer belongs to this render pass, and the batch
        // keeps it; the barriers have brought its images into the layout of the pass.
        unsafe { self.device.raw.cmd_begin_render_pass(self.batch.commands, &info, vk::SubpassContents::INLINE) };
    }

    /// The descriptor of an attachment that shaders read. It has a view of the storage that the rendering uses and the batch keeps:
    /// another context may replace that of the texture at any time.
    pub(super) fn describe_attachment(&self, number: u32) -> Result<Descriptor> {
        let framebuffer = self.bound.framebuffer.get();
        let (surface, aspect) = match number {
            DEPTH_ATTACHMENT => (framebuffer.depth_stencil.as_ref(), vk::ImageAspectFlags::DEPTH),
            STENCIL_ATTACHMENT => (framebuffer.depth_stencil.as_ref(), vk::ImageAspectFlags::STENCIL),
            _ => (framebuffer.colors.get(number as usize).and_then(Option::as_ref), vk::ImageAspectFlags::COLOR),
        };
        let surface = surface.filter(|surface| aspects(surface.format).contains(aspect));
        let missing =
            || Error::new(format!("the shader reads attachment {number}, which the framebuffer does not have"));
        let (surface, storage) = surface.zip(self.current.rendering.storage(number)).ok_or_else(missing)?;
        let view = storage.view(&self.device, &ViewKey { aspect, ..surface.key() })?;
        Ok(image_descriptor(Use::FetchedColor, vk::Sampler::null(), view))
    }
}

impl Rendering {
    /// The storage of an attachment, by the number that shaders have for it.
    fn storage(&self, number: u32) -> Option<&ImageStorage> {
        match number {
            DEPTH_ATTACHMENT | STENCIL_ATTACHMENT => self.depth_stencil.as_ref().map(|(storage, ..)| storage.as_ref()),
            _ => self.colors.get(number as usize)?.as_ref().map(|(storage, _)| storage.as_ref()),
        }
    }

    /// The views of the attachments that exist: the colors, then depth and stencil.
    fn views(&self) -> impl Iterator<Item = vk::ImageView> + '_ {
        let depth_stencil = self.depth_stencil.iter().map(|(_, view, _)| *view);
        self.colors.iter().flatten().map(|(_, view)| *view).chain(depth_stencil)
    }
}
