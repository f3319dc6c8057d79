// SPDX-License-Identifier: MIT

//! The resources of a module: recorded during emission, so that a driver need not parse the words.

use super::descriptor::is_combined;
use super::Emit;
use crate::analysis::textures::{Texture, TextureKind};
use crate::ir::{Def, DerefKind, TypeData, Variable};
use crate::module::{Binding, DescriptorKind};
use crate::op::names::ImageDim;
use crate::op::Modes;
use crate::target::DescriptorSlot;

impl Emit<'_> {
    /// Records the descriptors of a variable. Several variables can have the same. Returns their row in the list, if there is one.
    pub(super) fn note_binding(&mut self, variable: &Variable, slot: DescriptorSlot) -> Option<u32> {
        if self.m.words_only {
            return None;
        }
        let kind = self.descriptor_kind(variable)?;
        let (DescriptorSlot { set, binding }, count) = (slot, self.descriptor_count(variable));
        let used = if count == 1 { 1 } else { self.used_descriptors(variable) };
        // Only uniform blocks have a known range, also those in storage buffers.
        let min_range = variable.min_range;
        let bindings = &mut self.m.bindings;
        let same = |old: &Binding| (old.set, old.binding, old.kind) == (set, binding, kind);
        let row = bindings.iter().position(same).unwrap_or(bindings.len());
        match bindings.get_mut(row) {
            Some(old) => {
                old.count = old.count.max(count);
                old.used = old.used.max(used);
                // A variable without a known range may need more than any other.
                old.min_range = if old.min_range.min(min_range) == 0 { 0 } else { old.min_range.max(min_range) };
            }
            None => bindings.push(Binding { set, binding, kind, count, used, min_range }),
        }
        u32::try_from(row).ok()
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
        let texture = Texture::of_type(self.shader, ty)?;
        Some(match (texture.kind, texture.dim) {
            (_, ImageDim::subpass | ImageDim::subpass_ms) => DescriptorKind::InputAttachment,
            (TextureKind::Storage, ImageDim::buf) => DescriptorKind::StorageTexelBuffer,
            (TextureKind::Storage, _) => DescriptorKind::StorageImage,
            (_, ImageDim::buf) => DescriptorKind::UniformTexelBuffer,
            _ if is_combined(&texture) => DescriptorKind::CombinedImageSampler,
            _ => DescriptorKind::SampledImage,
        })
    }

    /// The least length of an array of descriptors: constant indices are below it.
    pub(super) fn used_descriptors(&self, variable: &Variable) -> u32 {
        let shader = self.shader;
        let is_array = |array: Def| match shader.as_deref(array).map(|deref| deref.kind) {
            Some(DerefKind::Var(var)) => std::ptr::eq(&shader.vars[var], variable),
            _ => false,
        };
        let constants = shader.derefs.values().filter_map(|deref| match deref.kind {
            DerefKind::Array { parent, index } if is_array(parent) => shader.as_const_index(index),
            _ => None,
        });
        constants.max().map_or(1, |last| last.saturating_add(1))
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
