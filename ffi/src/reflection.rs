//! What a module says of itself, in the structures of `ntv.h`.

use crate::bindings::*;
use ntv_core::module::{Patch, PatchKind, Varying};
use ntv_core::{Binding, DescriptorKind};

/// Descriptors for C.
pub(crate) fn binding(binding: &Binding) -> ntv_binding {
    let kind = match binding.kind {
        DescriptorKind::UniformBuffer => NTV_DESCRIPTOR_UNIFORM_BUFFER,
        DescriptorKind::StorageBuffer => NTV_DESCRIPTOR_STORAGE_BUFFER,
        DescriptorKind::CombinedImageSampler => NTV_DESCRIPTOR_COMBINED_IMAGE_SAMPLER,
        DescriptorKind::SampledImage => NTV_DESCRIPTOR_SAMPLED_IMAGE,
        DescriptorKind::Sampler => NTV_DESCRIPTOR_SAMPLER,
        DescriptorKind::UniformTexelBuffer => NTV_DESCRIPTOR_UNIFORM_TEXEL_BUFFER,
        DescriptorKind::StorageImage => NTV_DESCRIPTOR_STORAGE_IMAGE,
        DescriptorKind::StorageTexelBuffer => NTV_DESCRIPTOR_STORAGE_TEXEL_BUFFER,
        DescriptorKind::InputAttachment => NTV_DESCRIPTOR_INPUT_ATTACHMENT,
    };
    let Binding { set, binding, count, min_range, .. } = *binding;
    ntv_binding { set, binding, kind, count, min_range }
}

/// An input or output for C.
pub(crate) fn varying(varying: &Varying) -> ntv_varying {
    ntv_varying {
        is_output: varying.is_output,
        per_patch: varying.patch,
        is_removed: varying.removed,
        builtin: varying.builtin.unwrap_or(NTV_NONE),
        location: varying.location,
        num_locations: varying.locations,
        component: varying.component.into(),
        num_components: varying.components.into(),
    }
}

/// A patch for C; `None` for those that only keys and links know what to do with.
pub(crate) fn patch(patch: Patch) -> Option<ntv_patch> {
    let kind = match patch.kind {
        PatchKind::Word | PatchKind::Width | PatchKind::Height => return None,
        PatchKind::DescriptorSet => NTV_PATCH_DESCRIPTOR_SET,
        PatchKind::Binding => NTV_PATCH_BINDING,
        PatchKind::ArrayLength => NTV_PATCH_ARRAY_LENGTH,
        PatchKind::Location => NTV_PATCH_LOCATION,
        PatchKind::Component => NTV_PATCH_COMPONENT,
        PatchKind::Index => NTV_PATCH_INDEX,
        PatchKind::XfbBuffer => NTV_PATCH_XFB_BUFFER,
        PatchKind::XfbStride => NTV_PATCH_XFB_STRIDE,
        PatchKind::XfbOffset => NTV_PATCH_XFB_OFFSET,
        PatchKind::SpecId => NTV_PATCH_SPEC_ID,
        PatchKind::SpecValue => NTV_PATCH_SPEC_VALUE,
        PatchKind::LocalSize => NTV_PATCH_LOCAL_SIZE,
        PatchKind::OutputVertices => NTV_PATCH_OUTPUT_VERTICES,
    };
    Some(ntv_patch { word: patch.at, kind, of: patch.arg })
}
