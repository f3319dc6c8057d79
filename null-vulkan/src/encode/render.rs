// SPDX-License-Identifier: MIT

//! Attachments and clear values: unions whose active field depends on another value.

use super::{Encode, Encoder, Text};
use crate::descriptor::slice;
use ash::vk;

/// All four components, of any type.
impl Encode for vk::ClearColorValue {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: all fields of the union are four components of 32 bits, and any value is valid for them.
        unsafe { self.uint32.encode(encoder) };
    }
}

impl Encode for vk::ClearAttachment {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the aspect determines the active field of the union.
        unsafe {
            self.aspect_mask.encode(encoder);
            if self.aspect_mask.contains(vk::ImageAspectFlags::COLOR) {
                self.color_attachment.encode(encoder);
                self.clear_value.color.encode(encoder);
            } else {
                clear_depth_stencil(self.clear_value.depth_stencil, self.aspect_mask).encode(encoder);
            }
        }
    }
}

/// The clear value of depth and stencil, with 0 for aspects that are not cleared.
fn clear_depth_stencil(value: vk::ClearDepthStencilValue, aspects: vk::ImageAspectFlags) -> vk::ClearDepthStencilValue {
    vk::ClearDepthStencilValue {
        depth: if aspects.contains(vk::ImageAspectFlags::DEPTH) { value.depth } else { 0.0 },
        stencil: if aspects.contains(vk::ImageAspectFlags::STENCIL) { value.stencil } else { 0 },
    }
}

/// The number of words of an attachment.
pub(crate) const ATTACHMENT: usize = 11;

/// Writes an attachment in [`ATTACHMENT`] words: the view, its layout, the mode, view and layout of its resolve, the load and
/// store operations, and the clear value. A missing attachment, or one without a view, is zeros.
unsafe fn attachment(
    encoder: &mut Encoder<'_>,
    info: Option<&vk::RenderingAttachmentInfo<'_>>,
    aspects: vk::ImageAspectFlags,
) {
    let start = encoder.words.len();
    if let Some(info) = info.filter(|info| info.image_view != vk::ImageView::null()) {
        // SAFETY: the caller guarantees it; the aspect determines the active field of the union.
        unsafe {
            info.image_view.encode(encoder);
            info.image_layout.encode(encoder);
            info.resolve_mode.encode(encoder);
            if info.resolve_mode == vk::ResolveModeFlags::NONE {
                [0_u32; 2].encode(encoder);
            } else {
                info.resolve_image_view.encode(encoder);
                info.resolve_image_layout.encode(encoder);
            }
            info.load_op.encode(encoder);
            info.store_op.encode(encoder);
            if info.load_op == vk::AttachmentLoadOp::CLEAR {
                match aspects {
                    vk::ImageAspectFlags::COLOR => info.clear_value.color.encode(encoder),
                    _ => clear_depth_stencil(info.clear_value.depth_stencil, aspects).encode(encoder),
                }
            }
        }
    }
    encoder.words.resize(start + ATTACHMENT, 0);
}

/// Flags, the area, layers, the view mask, the number of color attachments, and the attachments: colors, depth, stencil.
impl Encode for vk::RenderingInfo<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        unsafe {
            self.flags.encode(encoder);
            self.render_area.encode(encoder);
            // With a view mask, the number of layers is ignored.
            (if self.view_mask == 0 { self.layer_count } else { 0 }).encode(encoder);
            self.view_mask.encode(encoder);
            self.color_attachment_count.encode(encoder);
            for color in slice(self.p_color_attachments, self.color_attachment_count) {
                attachment(encoder, Some(color), vk::ImageAspectFlags::COLOR);
            }
            attachment(encoder, self.p_depth_attachment.as_ref(), vk::ImageAspectFlags::DEPTH);
            attachment(encoder, self.p_stencil_attachment.as_ref(), vk::ImageAspectFlags::STENCIL);
            self.p_next.encode(encoder);
        }
    }
}

/// The render pass, the framebuffer, the area, and the clear value of each attachment that is cleared.
impl Encode for vk::RenderPassBeginInfo<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        let attachments = encoder.state.objects.get(self.render_pass).cloned().unwrap_or_default();
        // SAFETY: the caller guarantees it; the format determines the active field of each union.
        unsafe {
            self.render_pass.encode(encoder);
            self.framebuffer.encode(encoder);
            self.render_area.encode(encoder);
            let values = slice(self.p_clear_values, self.clear_value_count);
            for (value, attachment) in values.iter().zip(attachments) {
                match (attachment.is_cleared, attachment.aspects) {
                    (false, _) => {}
                    (true, vk::ImageAspectFlags::COLOR) => value.color.encode(encoder),
                    (true, aspects) => clear_depth_stencil(value.depth_stencil, aspects).encode(encoder),
                }
            }
            self.p_next.encode(encoder);
        }
    }
}

impl Encode for vk::DebugUtilsLabelEXT<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        unsafe { Text(self.p_label_name).encode(encoder) };
    }
}
