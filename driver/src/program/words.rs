// SPDX-License-Identifier: MIT

//! Shaders of SPIR-V that ntv did not produce. Their words do not change, except for the numbers of descriptors, because contexts
//! bind slots.
//!
//! ```text
//! set 0 binding 7, a storage buffer       ->  shader buffer 0
//! set 2 binding 0, a storage buffer       ->  shader buffer 1
//! set 2 binding 1, 4 sampled images       ->  sampler views 0 to 3
//! ```

use super::layout::DescriptorClass;
use crate::error::{Error, Result};
use ntv::import::{keep, Reflection};
use ntv::ir::{XfbInfo, XfbOutput};
use ntv::module::{Assignment, Binding, DescriptorKind, Module};
use ntv::target::ATTACHMENT_BINDING;
use std::ffi::CString;

/// A shader of words.
pub(crate) struct Words {
    /// The module, whose descriptors have the numbers that ntv gives to those of NIR.
    pub(crate) module: Module,
    pub(crate) slots: Vec<ShaderSlot>,
    /// The name of its entry point.
    pub(crate) entry: CString,
    pub(crate) reads_push_constants: bool,
}

/// Descriptors of a shader of words, and the slots to which a context binds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderSlot {
    /// The set and binding, kind, and count in the words.
    pub binding: Binding,
    /// The first slot of the kind: constant buffers, shader buffers, shader images, or sampler views and samplers. For an input
    /// attachment, which is not bound, its number in the framebuffer.
    pub slot: u32,
}

impl Words {
    /// The shader, and its captures.
    pub(crate) fn new(words: &[u32]) -> Result<(Words, XfbInfo)> {
        let message = |error: ntv::Error| Error::new(error.to_string());
        let (module, reflection) = keep(words).map_err(message)?;
        let (slots, assignment) = place(&reflection);
        let linked = ntv::link::link(&[&module], vec![assignment]).map_err(message)?;
        let module = linked.modules.into_iter().next().unwrap_or(module);
        let xfb = captured(&reflection);
        let Reflection { entry, reads_push_constants, .. } = reflection;
        let entry = CString::new(entry).map_err(|_| Error::new("the name of the entry point contains a zero"))?;
        Ok((Words { module, slots, entry, reads_push_constants }, xfb))
    }
}

/// Assigns slots in the order of sets and bindings, from 0 on in each class.
fn place(reflection: &Reflection) -> (Vec<ShaderSlot>, Assignment) {
    let (mut slots, mut assignment) = (Vec::new(), Assignment::default());
    let mut next = [0; DescriptorClass::ALL.len()];
    for (binding, attachment) in reflection.bindings.iter().zip(&reflection.attachments) {
        let class = class_of(binding.kind) as usize;
        let (slot, number) = match (binding.kind, attachment) {
            (DescriptorKind::InputAttachment, number) => {
                let number = number.unwrap_or(0);
                (number, ATTACHMENT_BINDING.saturating_add(number))
            }
            _ => (next[class], next[class]),
        };
        next[class] += if binding.kind == DescriptorKind::InputAttachment { 0 } else { binding.count };
        assignment.bindings.push(([binding.set, binding.binding], [class as u32, number]));
        slots.push(ShaderSlot { binding: *binding, slot });
    }
    (slots, assignment)
}

fn class_of(kind: DescriptorKind) -> DescriptorClass {
    use DescriptorKind as Kind;
    match kind {
        Kind::InputAttachment => DescriptorClass::Uniforms,
        Kind::UniformBuffer => DescriptorClass::UniformBuffers,
        Kind::StorageBuffer => DescriptorClass::StorageBuffers,
        Kind::CombinedImageSampler | Kind::SampledImage | Kind::Sampler | Kind::UniformTexelBuffer => {
            DescriptorClass::Textures
        }
        Kind::StorageImage | Kind::StorageTexelBuffer => DescriptorClass::Images,
    }
}

/// The captures: the buffers, and the outputs that are written to them.
fn captured(reflection: &Reflection) -> XfbInfo {
    let mut xfb = XfbInfo::default();
    for varying in &reflection.varyings {
        let Some(capture) = varying.capture else { continue };
        let Some(buffer) = xfb.buffers.get_mut(capture.buffer as usize) else { continue };
        (buffer.stride, buffer.is_used) = (capture.stride, true);
        let (component, num_components) = (varying.component, varying.components);
        let (buffer, offset, location) = (capture.buffer, capture.offset, varying.location);
        xfb.outputs.push(XfbOutput { buffer, offset, location, component, num_components });
    }
    xfb
}
