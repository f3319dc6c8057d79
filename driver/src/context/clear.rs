// SPDX-License-Identifier: MIT

//! Clears of attachments: Gallium's `clear`.

use super::emit::rect;
use super::state::Clear;
use super::{Command, Context};
use crate::error::Result;
use ash::vk;

impl Context {
    /// Clears attachments of the framebuffer. Before the first draw, the clear becomes a part of the begin of the rendering.
    pub fn clear(&mut self, clear: &Clear) -> Result<()> {
        self.flush_if_long()?;
        self.current.is_settled = false;
        self.sync(Command::Clear)?;
        let present = self.present(clear);
        if !self.current.rendering.is_active && clear.scissor.is_none() {
            self.current.rendering.clears.add(&present);
            return Ok(());
        }
        self.suspend_feedback();
        self.prepare_pass()?;
        self.begin_rendering();
        self.record_clear(&present);
        Ok(())
    }

    /// The part of `clear` that the framebuffer has.
    fn present(&self, clear: &Clear) -> Clear {
        let (colors, aspects) = self.current.rendering.present();
        Clear {
            colors: clear.colors & colors,
            depth: clear.depth.filter(|_| aspects.contains(vk::ImageAspectFlags::DEPTH)),
            stencil: clear.stencil.filter(|_| aspects.contains(vk::ImageAspectFlags::STENCIL)),
            ..*clear
        }
    }

    fn record_clear(&mut self, clear: &Clear) {
        let [width, height] = self.current.rendering.size;
        let all = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
        let area = clear.scissor.as_ref().map_or(all, |scissor| intersection(rect(scissor), all));
        if area.extent.width == 0 || area.extent.height == 0 {
            return;
        }
        let mut attachments = Vec::new();
        for number in (0..32).filter(|number| clear.colors >> number & 1 != 0) {
            let color = vk::ClearColorValue { uint32: clear.color };
            attachments.push(vk::ClearAttachment {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                color_attachment: number,
                clear_value: vk::ClearValue { color },
            });
        }
        let mut aspect_mask = vk::ImageAspectFlags::empty();
        aspect_mask |= clear.depth.map_or(vk::ImageAspectFlags::empty(), |_| vk::ImageAspectFlags::DEPTH);
        aspect_mask |= clear.stencil.map_or(vk::ImageAspectFlags::empty(), |_| vk::ImageAspectFlags::STENCIL);
        if !aspect_mask.is_empty() {
            let (depth, stencil) = (clear.depth.unwrap_or(0.0), clear.stencil.unwrap_or(0));
            let depth_stencil = vk::ClearDepthStencilValue { depth, stencil };
            let clear_value = vk::ClearValue { depth_stencil };
            attachments.push(vk::ClearAttachment { aspect_mask, color_attachment: 0, clear_value });
        }
        if attachments.is_empty() {
            return;
        }
        let layer_count = self.current.rendering.layers;
        let rects = [vk::ClearRect { rect: area, base_array_layer: 0, layer_count }];
        // SAFETY: the buffer is recording, within a rendering that has these attachments; the area lies within it.
        unsafe { self.device.raw.cmd_clear_attachments(self.batch.commands, &attachments, &rects) };
        self.counters.commands += 1;
    }
}

fn intersection(one: vk::Rect2D, other: vk::Rect2D) -> vk::Rect2D {
    let axis = |start: [i32; 2], len: [u32; 2]| {
        let first = start[0].max(start[1]);
        let end = |side: usize| i64::from(start[side]) + i64::from(len[side]);
        (first, (end(0).min(end(1)) - i64::from(first)).max(0) as u32)
    };
    let (x, width) = axis([one.offset.x, other.offset.x], [one.extent.width, other.extent.width]);
    let (y, height) = axis([one.offset.y, other.offset.y], [one.extent.height, other.extent.height]);
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}
