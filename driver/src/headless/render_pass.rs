//! Draws that read what they draw to: a render pass object with one subpass, in which attachments are input attachments, too.
//! Rendering without one has none (Vulkan, "vkCmdBeginRendering"; VK_KHR_dynamic_rendering_local_read is newer).

use super::graphics::{is_depth, Draw};
use super::memory::{owned, DeviceImage};
use super::reflect::Interface;
use super::submit::Commands;
use super::Result;
use crate::device::handle::Owned;
use crate::device::Logical;
use ash::vk;
use ntv::op::names::frag_result;
use ntv::target::attachment_number;
use std::sync::Arc;

/// A render pass for the attachments of a draw.
pub(super) struct RenderPass {
    pub(super) handle: Owned<vk::RenderPass>,
}

/// Whether a shader reads attachments.
fn reads_attachments(interfaces: &[Interface]) -> bool {
    let kind = vk::DescriptorType::INPUT_ATTACHMENT;
    interfaces.iter().flat_map(|interface| &interface.bindings).any(|binding| binding.kind == kind)
}

/// Of the attachments of `draw`, the InputAttachmentIndex of each.
pub(super) fn numbers(draw: &Draw<'_>) -> Vec<u32> {
    let mut colors = 0..;
    let slot = |format| match is_depth(format) {
        true => frag_result::DEPTH,
        false => frag_result::DATA0 + colors.next().unwrap_or(0),
    };
    let slots = draw.attachments.iter().map(|attachment| attachment.format).map(slot);
    slots.map(|slot| attachment_number(slot).unwrap_or(vk::ATTACHMENT_UNUSED)).collect()
}

impl RenderPass {
    /// The render pass that `draw` needs if its shaders read attachments; all are in the layout GENERAL.
    pub(super) fn new(device: &Arc<Logical>, draw: &Draw<'_>, interfaces: &[Interface]) -> Result<Option<RenderPass>> {
        if !reads_attachments(interfaces) {
            return Ok(None);
        }
        let layout = vk::ImageLayout::GENERAL;
        let description = |format| {
            vk::AttachmentDescription::default()
                .format(format)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
                .initial_layout(layout)
                .final_layout(layout)
        };
        let attachments: Vec<_> = draw.attachments.iter().map(|attachment| description(attachment.format)).collect();
        let reference = |attachment| vk::AttachmentReference { attachment, layout };
        let numbers = numbers(draw);
        let mut inputs =
            vec![reference(vk::ATTACHMENT_UNUSED); numbers.iter().map(|n| *n as usize + 1).max().unwrap_or(0)];
        let (mut colors, mut depth) = (Vec::new(), None);
        for (at, (attachment, number)) in (0..).zip(draw.attachments.iter().zip(&numbers)) {
            inputs[*number as usize] = reference(at);
            match is_depth(attachment.format) {
                true => depth = Some(reference(at)),
                false => colors.push(reference(at)),
            }
        }
        let mut subpass = vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&colors)
            .input_attachments(&inputs);
        if let Some(depth) = &depth {
            subpass = subpass.depth_stencil_attachment(depth);
        }
        let subpasses = [subpass];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        // SAFETY: each reference is to an attachment of the list, or to none.
        let handle = unsafe { device.raw.create_render_pass(&info, None) };
        Ok(Some(RenderPass { handle: owned(device, handle, "vkCreateRenderPass")? }))
    }

    /// A framebuffer of `targets`, the attachments of `draw`.
    pub(super) fn framebuffer(
        &self,
        device: &Arc<Logical>,
        draw: &Draw<'_>,
        targets: &[DeviceImage],
    ) -> Result<Owned<vk::Framebuffer>> {
        let views: Vec<vk::ImageView> = targets.iter().map(|target| *target.view).collect();
        let [width, height] = draw.size;
        let info = vk::FramebufferCreateInfo::default().render_pass(*self.handle).attachments(&views);
        let info = info.width(width).height(height).layers(1);
        // SAFETY: the views are of images of this size and of the formats of the render pass.
        let handle = unsafe { device.raw.create_framebuffer(&info, None) };
        owned(device, handle, "vkCreateFramebuffer")
    }

    /// Records its begin.
    pub(super) fn begin(&self, commands: &Commands, framebuffer: vk::Framebuffer, area: vk::Rect2D) {
        let info =
            vk::RenderPassBeginInfo::default().render_pass(*self.handle).framebuffer(framebuffer).render_area(area);
        // SAFETY: the buffer is recording, and not within a rendering; the framebuffer is of this render pass.
        unsafe { commands.device.raw.cmd_begin_render_pass(commands.buffer, &info, vk::SubpassContents::INLINE) };
    }
}
