//! What a module wants from outside: noted while it is emitted, so that a driver need not read the words.

use super::descriptor::is_combined;
use super::Emit;
use crate::analysis::textures::{Texture, TextureKind};
use crate::ir::{TypeData, Variable};
use crate::op::names::ImageDim;
use crate::op::Modes;

/// Descriptors at one place that a module uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binding {
    /// DescriptorSet.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// What they are.
    pub kind: DescriptorKind,
    /// How many there are, 1 if they are no array.
    pub count: u32,
}

/// What a descriptor is: the kinds of `VkDescriptorType` that shaders of GL use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum DescriptorKind {
    UniformBuffer,
    StorageBuffer,
    CombinedImageSampler,
    SampledImage,
    Sampler,
    UniformTexelBuffer,
    StorageImage,
    StorageTexelBuffer,
    InputAttachment,
}

impl Emit<'_> {
    /// Notes the descriptors that a variable is. Several variables can see the same.
    pub(super) fn note_binding(&mut self, variable: &Variable, set: u32) {
        let Some(kind) = self.descriptor_kind(variable) else { return };
        let (binding, count) = (variable.binding, self.descriptor_count(variable));
        let bindings = &mut self.m.bindings;
        match bindings.iter_mut().find(|old| (old.set, old.binding, old.kind) == (set, binding, kind)) {
            Some(old) => old.count = old.count.max(count),
            None => bindings.push(Binding { set, binding, kind, count }),
        }
    }

    fn descriptor_kind(&self, variable: &Variable) -> Option<DescriptorKind> {
        match variable.mode {
            Modes::UBO => return Some(DescriptorKind::UniformBuffer),
            Modes::SSBO => return Some(DescriptorKind::StorageBuffer),
            _ => {}
        }
        let ty = self.shader.types.without_arrays(variable.ty);
        if let TypeData::Sampler { .. } = self.shader.types.get(ty) {
            return Some(DescriptorKind::Sampler);
        }
        let texture = Texture::of_type(&self.shader.types, ty)?;
        Some(match (texture.kind, texture.dim) {
            (_, ImageDim::subpass | ImageDim::subpass_ms) => DescriptorKind::InputAttachment,
            (TextureKind::Storage, ImageDim::buf) => DescriptorKind::StorageTexelBuffer,
            (TextureKind::Storage, _) => DescriptorKind::StorageImage,
            (_, ImageDim::buf) => DescriptorKind::UniformTexelBuffer,
            _ if is_combined(&texture) => DescriptorKind::CombinedImageSampler,
            _ => DescriptorKind::SampledImage,
        })
    }

    fn descriptor_count(&self, variable: &Variable) -> u32 {
        let mut ty = variable.ty;
        let mut count = 1u32;
        while let Some((elem, len)) = self.shader.types.as_array(ty) {
            count = count.saturating_mul(len.unwrap_or(1).max(1));
            ty = elem;
        }
        count
    }
}
