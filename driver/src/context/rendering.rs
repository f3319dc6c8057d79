// SPDX-License-Identifier: MIT

//! Renderings: draws to one set of attachments, and clears that become a part of the begin.

use super::fetch::Pass;
use super::state::{Clear, FramebufferState, MAX_COLORS};
use super::{Context, Dirty};
use crate::error::{Error, Result};
use crate::format::aspects;
use crate::resource::ImageStorage;
use ash::vk;
use std::sync::Arc;

/// Clears that are pending until a rendering begins.
#[derive(Clone, Copy, Default)]
pub(super) struct PendingClears {
    pub(super) colors: [Option<[u32; 4]>; MAX_COLORS],
    pub(super) depth: Option<f32>,
    pub(super) stencil: Option<u32>,
}

impl PendingClears {
    pub(super) fn is_empty(&self) -> bool {
        self.colors.iter().all(Option::is_none) && self.depth.is_none() && self.stencil.is_none()
    }

    /// Adds the attachments of `clear`.
    pub(super) fn add(&mut self, clear: &Clear) {
        for (number, color) in self.colors.iter_mut().enumerate() {
            if clear.colors >> number & 1 != 0 {
                *color = Some(clear.color);
            }
        }
        self.depth = clear.depth.or(self.depth);
        self.stencil = clear.stencil.or(self.stencil);
    }
}

/// The attachments that the handler of the framebuffer has set, and whether a rendering to them is active.
#[derive(Default)]
pub(super) struct Rendering {
    pub(super) is_active: bool,
    /// Whether the active rendering is a render pass object: programs read the attachments.
    pub(super) is_pass: bool,
    /// The objects of such a rendering, once they were needed.
    pub(super) pass: Option<Pass>,
    pub(super) colors: Vec<Option<(Arc<ImageStorage>, vk::ImageView)>>,
    pub(super) depth_stencil: Option<(Arc<ImageStorage>, vk::ImageView, vk::ImageAspectFlags)>,
    pub(super) size: [u32; 2],
    pub(super) layers: u32,
    pub(super) samples: u32,
    pub(super) clears: PendingClears,
}

impl Rendering {
    /// A rendering without attachments, with the size of `framebuffer`.
    pub(super) fn of_size(framebuffer: &FramebufferState) -> Rendering {
        let mut rendering = Rendering { size: framebuffer.size, layers: u32::MAX, samples: 1, ..Rendering::default() };
        for surface in framebuffer.surfaces() {
            let [width, height] = surface.size();
            let is_first = rendering.layers == u32::MAX;
            let least = |least: u32, own: u32| if is_first { own } else { least.min(own) };
            rendering.size = [least(rendering.size[0], width), least(rendering.size[1], height)];
            rendering.layers = rendering.layers.min(surface.layers[1]);
            rendering.samples = surface.texture.description().samples;
        }
        if rendering.layers == u32::MAX {
            (rendering.layers, rendering.samples) = (1, framebuffer.samples.max(1));
        }
        rendering
    }

    /// The mask of color attachments that exist, and the aspects of depth and stencil.
    pub(super) fn present(&self) -> (u32, vk::ImageAspectFlags) {
        let bit = |(number, color): (usize, &Option<_>)| u32::from(color.is_some()) << number;
        let colors = self.colors.iter().enumerate().map(bit).sum();
        (colors, self.depth_stencil.as_ref().map_or(vk::ImageAspectFlags::empty(), |(.., aspects)| *aspects))
    }

    /// The attached images, and whether each is depth and stencil.
    pub(super) fn attachments(&self) -> Vec<(Arc<ImageStorage>, bool)> {
        let colors = self.colors.iter().flatten().map(|(storage, _)| (Arc::clone(storage), false));
        let depth_stencil = self.depth_stencil.iter().map(|(storage, ..)| (Arc::clone(storage), true));
        colors.chain(depth_stencil).collect()
    }

    /// Resets the state for another command buffer.
    pub(super) fn lose(&mut self) {
        self.is_active = false;
    }
}

impl Context {
    /// Sets the attachments of the bound framebuffer.
    pub(super) fn take_framebuffer(&mut self) -> Result<()> {
        if let Some(why) = self.why_incomplete() {
            return Err(Error::new(why));
        }
        let framebuffer = self.bound.framebuffer.get();
        let mut rendering = Rendering::of_size(framebuffer);
        for surface in &framebuffer.colors {
            let color = surface.as_ref().map(|surface| {
                let storage = surface.texture.storage();
                let view = storage.view(&self.device, &surface.key())?;
                Ok((storage, view))
            });
            rendering.colors.push(color.transpose()?);
        }
        if let Some(surface) = &framebuffer.depth_stencil {
            let storage = surface.texture.storage();
            let view = storage.view(&self.device, &surface.key())?;
            rendering.depth_stencil = Some((storage, view, aspects(surface.format)));
        }
        self.end_rendering();
        self.current.rendering = rendering;
        Ok(())
    }

    /// Begins a rendering to the attachments, unless one is active.
    pub(super) fn begin_rendering(&mut self) {
        if self.current.rendering.is_active {
            return;
        }
        match self.current.rendering.pass.clone().filter(|_| self.reads_framebuffer()) {
            Some(pass) => {
                // Pending clears have their own rendering.
                self.end_rendering();
                self.begin_pass(&pass);
                self.note_begin(true);
            }
            None => self.begin_dynamic_rendering(),
        }
    }

    fn note_begin(&mut self, is_pass: bool) {
        (self.current.rendering.is_active, self.current.rendering.is_pass) = (true, is_pass);
        self.changes.settle(Dirty::Rendering);
        self.counters.renderings += 1;
        self.counters.commands += 1;
    }

    /// Begins a rendering without a render pass object, with the pending clears.
    fn begin_dynamic_rendering(&mut self) {
        // The clears are taken first: the end of a rendering begins one for pending clears.
        let clears = std::mem::take(&mut self.current.rendering.clears);
        let colors = self.current.rendering.colors.clone();
        let depth_stencil = self.current.rendering.depth_stencil.clone();
        for (storage, is_depth) in self.current.rendering.attachments() {
            self.use_image(&storage, self.use_of_attachment(&storage, is_depth));
        }
        self.flush_barriers();
        let attachments: Vec<vk::RenderingAttachmentInfo<'_>> = colors
            .iter()
            .zip(&clears.colors)
            .map(|(color, clear)| {
                let Some((storage, view)) = color else { return vk::RenderingAttachmentInfo::default() };
                let layout = self.use_of_attachment(storage, false).layout();
                let value = clear.map(|uint32| vk::ClearValue { color: vk::ClearColorValue { uint32 } });
                attachment(*view, layout, value)
            })
            .collect();
        let with = |aspect: vk::ImageAspectFlags, value: Option<vk::ClearValue>| {
            let (storage, view, _) = depth_stencil.as_ref().filter(|(.., has)| has.contains(aspect))?;
            Some(attachment(*view, self.use_of_attachment(storage, true).layout(), value))
        };
        let value =
            |depth: f32, stencil: u32| vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth, stencil } };
        let depth = with(vk::ImageAspectFlags::DEPTH, clears.depth.map(|depth| value(depth, 0)));
        let stencil = with(vk::ImageAspectFlags::STENCIL, clears.stencil.map(|stencil| value(0.0, stencil)));
        let rendering = &self.current.rendering;
        let [width, height] = rendering.size;
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
        let mut info = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(rendering.layers)
            .color_attachments(&attachments);
        if let Some(depth) = &depth {
            info = info.depth_attachment(depth);
        }
        if let Some(stencil) = &stencil {
            info = info.stencil_attachment(stencil);
        }
        // SAFETY: the buffer is recording, outside of a rendering; the views are of images that the batch keeps, the barriers
        // have brought them into these layouts, and the area lies within all of them.
        unsafe { self.device.raw.cmd_begin_rendering(self.batch.commands, &info) };
        self.note_begin(false);
    }

    /// Ends the active rendering, if there is one.
    pub(super) fn end_rendering(&mut self) {
        if !self.current.rendering.clears.is_empty() {
            // Attachments without draws must still be cleared.
            self.begin_dynamic_rendering();
        }
        if self.current.rendering.is_active {
            self.suspend_feedback();
            let (raw, commands) = (&self.device.raw, self.batch.commands);
            // SAFETY: the buffer is recording, within a rendering of this kind that this context began.
            unsafe {
                match self.current.rendering.is_pass {
                    true => raw.cmd_end_render_pass(commands),
                    false => raw.cmd_end_rendering(commands),
                }
            }
            self.current.rendering.is_active = false;
            self.counters.commands += 1;
        }
        self.changes.lose(Dirty::Rendering);
    }
}

fn attachment(
    view: vk::ImageView,
    layout: vk::ImageLayout,
    clear: Option<vk::ClearValue>,
) -> vk::RenderingAttachmentInfo<'static> {
    let info = vk::RenderingAttachmentInfo::default()
        .image_view(view)
        .image_layout(layout)
        .store_op(vk::AttachmentStoreOp::STORE);
    match clear {
        Some(value) => info.load_op(vk::AttachmentLoadOp::CLEAR).clear_value(value),
        None => info.load_op(vk::AttachmentLoadOp::LOAD),
    }
}
