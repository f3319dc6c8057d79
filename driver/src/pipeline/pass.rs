// SPDX-License-Identifier: MIT

//! Render pass objects, for programs that read their attachments: dynamic rendering has no input attachments (Vulkan,
//! "vkCmdBeginRendering"; `VK_KHR_dynamic_rendering_local_read` is newer).
//!
//! All attachments are in the layout `GENERAL`, loaded and stored. There is one subpass, whose input attachment `n` is color `n`,
//! and 8 and 9 are the depth and the stencil, as [`attachment_number`](ntv::target::attachment_number) defines. The subpass has a
//! self-dependency, so that draws in it can wait for others.

use super::desc::{PipelineDesc, Word};
use super::Bounded;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Result};
use crate::format::aspects;
use ash::vk;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of depth among the input attachments.
pub(crate) const DEPTH_ATTACHMENT: u32 = 8;
/// The number of stencil among the input attachments.
pub(crate) const STENCIL_ATTACHMENT: u32 = 9;

const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// The properties that distinguish render passes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PassKey {
    /// The formats of the colors; undefined where there is none.
    colors: Vec<vk::Format>,
    depth_stencil: vk::Format,
    samples: u32,
}

impl PassKey {
    /// The key of a pipeline's description, with `samples` samples.
    pub(crate) fn new(desc: &PipelineDesc, samples: u32) -> PassKey {
        let format = |word: u32| vk::Format::from_raw(word as i32);
        let colors = desc.colors().iter().map(|word| format(*word)).collect();
        PassKey { colors, depth_stencil: format(desc.get(Word::DepthStencil)), samples: samples.max(1) }
    }
}

/// The maximum number of render passes that are kept.
const MOST: usize = 256;

/// The render passes of a device.
pub(crate) struct Passes {
    known: Mutex<Bounded<PassKey, Arc<Owned<vk::RenderPass>>>>,
}

impl Default for Passes {
    fn default() -> Passes {
        Passes { known: Mutex::new(Bounded::new(MOST)) }
    }
}

impl Passes {
    /// The render pass of `key`; the first call creates it.
    pub(crate) fn get(&self, device: &Arc<Logical>, key: &PassKey) -> Result<Arc<Owned<vk::RenderPass>>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pass) = known.get(key) {
            return Ok(pass);
        }
        Ok(known.get_or_insert(key.clone(), Arc::new(create(device, key)?)))
    }
}

/// The barrier between draws of a pass: color and depth writes become visible to input attachment reads of the same pixel.
pub(crate) fn barrier() -> vk::MemoryBarrier<'static> {
    vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE | vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE)
        .dst_access_mask(vk::AccessFlags::INPUT_ATTACHMENT_READ)
}

/// The source and destination stages of [`barrier`].
pub(crate) const BARRIER_STAGES: [vk::PipelineStageFlags; 2] = [
    vk::PipelineStageFlags::from_raw(
        vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT.as_raw()
            | vk::PipelineStageFlags::EARLY_FRAGMENT_TESTS.as_raw()
            | vk::PipelineStageFlags::LATE_FRAGMENT_TESTS.as_raw(),
    ),
    vk::PipelineStageFlags::FRAGMENT_SHADER,
];

fn create(device: &Arc<Logical>, key: &PassKey) -> Result<Owned<vk::RenderPass>> {
    let mut attachments = Vec::new();
    let mut add = |format: vk::Format, aspect_mask| {
        if format == vk::Format::UNDEFINED {
            return reference(vk::ATTACHMENT_UNUSED, vk::ImageAspectFlags::empty());
        }
        attachments.push(description(format, key.samples));
        reference(attachments.len() as u32 - 1, aspect_mask)
    };
    let colors: Vec<_> = key.colors.iter().map(|format| add(*format, vk::ImageAspectFlags::COLOR)).collect();
    let depth_stencil = add(key.depth_stencil, vk::ImageAspectFlags::empty());
    let none = reference(vk::ATTACHMENT_UNUSED, vk::ImageAspectFlags::empty());
    let mut inputs = colors.clone();
    inputs.resize(STENCIL_ATTACHMENT as usize + 1, none);
    let has = if key.depth_stencil == vk::Format::UNDEFINED { none.aspect_mask } else { aspects(key.depth_stencil) };
    for (number, aspect) in
        [(DEPTH_ATTACHMENT, vk::ImageAspectFlags::DEPTH), (STENCIL_ATTACHMENT, vk::ImageAspectFlags::STENCIL)]
    {
        if has.contains(aspect) {
            inputs[number as usize] = vk::AttachmentReference2 { aspect_mask: aspect, ..depth_stencil };
        }
    }
    let mut subpass = vk::SubpassDescription2::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&colors)
        .input_attachments(&inputs);
    if !has.is_empty() {
        subpass = subpass.depth_stencil_attachment(&depth_stencil);
    }
    let (subpasses, barrier, [from, to]) = ([subpass], barrier(), BARRIER_STAGES);
    let dependencies = [vk::SubpassDependency2::default()
        .src_stage_mask(from)
        .dst_stage_mask(to)
        .src_access_mask(barrier.src_access_mask)
        .dst_access_mask(barrier.dst_access_mask)
        .dependency_flags(vk::DependencyFlags::BY_REGION)];
    let info = vk::RenderPassCreateInfo2::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: each reference is to an attachment of the list, or unused.
    let raw = unsafe { device.raw.create_render_pass2(&info, None) }.during("vkCreateRenderPass2")?;
    Ok(Owned::new(device, raw))
}

fn reference(attachment: u32, aspect_mask: vk::ImageAspectFlags) -> vk::AttachmentReference2<'static> {
    vk::AttachmentReference2 { attachment, layout: LAYOUT, aspect_mask, ..Default::default() }
}

fn description(format: vk::Format, samples: u32) -> vk::AttachmentDescription2<'static> {
    vk::AttachmentDescription2::default()
        .format(format)
        .samples(vk::SampleCountFlags::from_raw(samples))
        .load_op(vk::AttachmentLoadOp::LOAD)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::LOAD)
        .stencil_store_op(vk::AttachmentStoreOp::STORE)
        .initial_layout(LAYOUT)
        .final_layout(LAYOUT)
}
