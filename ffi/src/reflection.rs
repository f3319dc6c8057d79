// SPDX-License-Identifier: MIT

//! The tables of a module, in the structures of `ntvr.h`.

use crate::bindings::*;
use crate::entry::{Call, Failure};
use crate::memory::Allocator;
use crate::sized::{read, write};
use ntv_core::module::{Patch, PatchKind, ShaderStage, Varying};
use ntv_core::{Binding, DescriptorKind, Key, Module};

/// A descriptor for C.
pub(crate) fn binding(binding: &Binding) -> ntvr_binding {
    let kind = match binding.kind {
        DescriptorKind::UniformBuffer => NTVR_DESCRIPTOR_UNIFORM_BUFFER,
        DescriptorKind::StorageBuffer => NTVR_DESCRIPTOR_STORAGE_BUFFER,
        DescriptorKind::CombinedImageSampler => NTVR_DESCRIPTOR_COMBINED_IMAGE_SAMPLER,
        DescriptorKind::SampledImage => NTVR_DESCRIPTOR_SAMPLED_IMAGE,
        DescriptorKind::Sampler => NTVR_DESCRIPTOR_SAMPLER,
        DescriptorKind::UniformTexelBuffer => NTVR_DESCRIPTOR_UNIFORM_TEXEL_BUFFER,
        DescriptorKind::StorageImage => NTVR_DESCRIPTOR_STORAGE_IMAGE,
        DescriptorKind::StorageTexelBuffer => NTVR_DESCRIPTOR_STORAGE_TEXEL_BUFFER,
        DescriptorKind::InputAttachment => NTVR_DESCRIPTOR_INPUT_ATTACHMENT,
    };
    let Binding { set, binding, count, min_range, .. } = *binding;
    ntvr_binding { set, binding, kind, count, min_range }
}

/// An input or output for C.
fn varying(varying: &Varying) -> ntvr_varying {
    let capture = varying.capture.unwrap_or_default();
    ntvr_varying {
        is_output: varying.is_output,
        per_patch: varying.patch,
        is_removed: varying.removed,
        builtin: varying.builtin.unwrap_or(NTVR_NONE),
        location: varying.location,
        num_locations: varying.locations,
        component: varying.component.into(),
        num_components: varying.components.into(),
        is_captured: varying.capture.is_some(),
        is_copy: varying.is_copy,
        xfb_buffer: capture.buffer,
        xfb_stride: capture.stride,
        xfb_offset: capture.offset,
    }
}

/// A patch for C; `None` for a kind that only keys and links use.
pub(crate) fn patch(patch: Patch) -> Option<ntvr_patch> {
    let kind = match patch.kind {
        PatchKind::Word | PatchKind::Width | PatchKind::Height | PatchKind::Uniform | PatchKind::Swizzle => {
            return None
        }
        PatchKind::DescriptorSet => NTVR_PATCH_DESCRIPTOR_SET,
        PatchKind::Binding => NTVR_PATCH_BINDING,
        PatchKind::ArrayLength => NTVR_PATCH_ARRAY_LENGTH,
        PatchKind::Location => NTVR_PATCH_LOCATION,
        PatchKind::Component => NTVR_PATCH_COMPONENT,
        PatchKind::Index => NTVR_PATCH_INDEX,
        PatchKind::XfbBuffer => NTVR_PATCH_XFB_BUFFER,
        PatchKind::XfbStride => NTVR_PATCH_XFB_STRIDE,
        PatchKind::XfbOffset => NTVR_PATCH_XFB_OFFSET,
        PatchKind::SpecId => NTVR_PATCH_SPEC_ID,
        PatchKind::SpecValue => NTVR_PATCH_SPEC_VALUE,
        PatchKind::LocalSize => NTVR_PATCH_LOCAL_SIZE,
        PatchKind::OutputVertices => NTVR_PATCH_OUTPUT_VERTICES,
    };
    let of = if patch.kind == PatchKind::OutputVertices { 0 } else { patch.arg };
    Some(ntvr_patch { word: patch.at, kind, of })
}

/// A result with a copy of `words`, and the tables of `module` as in [`fill`].
pub(crate) fn hand_over(
    words: &[u32],
    module: &Module,
    key: Option<&Key>,
    workgroup_size: [u32; 3],
    call: &Call,
) -> Result<ntvr_result, Failure> {
    let copy = call.allocator.copy(words).ok_or_else(Failure::memory)?;
    fill(ntvr_result { words: copy, num_words: words.len(), workgroup_size, ..empty() }, module, key, call)
}

/// Adds the tables of `module` to a result with its words, in the caller's memory, unless the flags of the options exclude them. If
/// the words are those for a key, they include the patches in these words.
pub(crate) fn fill(
    mut filled: ntvr_result,
    module: &Module,
    key: Option<&Key>,
    Call { flags, allocator, .. }: &Call,
) -> Result<ntvr_result, Failure> {
    let describe = flags & NTVR_OPTION_WORDS_ONLY == 0;
    let mut copied = true;
    if describe {
        copied = allocator.put(module.bindings.iter().map(binding), &mut filled.bindings, &mut filled.num_bindings)
            && allocator.put(module.interface.iter().map(varying), &mut filled.varyings, &mut filled.num_varyings);
    }
    if let Some(key) = key {
        if describe {
            let patches = module.placed_patches(key).filter_map(patch);
            copied = copied && allocator.put(patches, &mut filled.patches, &mut filled.num_patches);
        }
        if module.stage == ShaderStage::TessCtrl {
            let vertices = module.placed_patches(key).find(|patch| patch.kind == PatchKind::OutputVertices);
            filled.patch_vertices_word = vertices.map_or(0, |patch| patch.at);
        }
    }
    if !copied {
        // SAFETY: its pointers are null or came from this allocator.
        unsafe { release(filled, allocator) };
        return Err(Failure::memory());
    }
    Ok(filled)
}

/// `ntvr_result_free`.
///
/// # Safety
/// `result` is null, or a result that an entry point wrote with the allocator of `options` and that has not been freed.
pub(crate) unsafe fn free(result: *mut ntvr_result, options: *const ntvr_options) {
    // SAFETY: null or as said, by the contract.
    let (Ok(Some(filled)), Ok(options)) = (unsafe { read(result) }, unsafe { read(options) }) else { return };
    let allocator = Allocator::of(options.as_ref());
    // SAFETY: all its memory came from this allocator, by the contract. It was read, so it has a size.
    let _ = unsafe {
        release(filled, &allocator);
        write(result, &empty())
    };
}

/// Frees what `result` points to.
///
/// # Safety
/// It came from `allocator`.
pub(crate) unsafe fn release(result: ntvr_result, allocator: &Allocator) {
    // SAFETY: by the contract.
    unsafe {
        allocator.free(result.words);
        allocator.free(result.bindings);
        allocator.free(result.varyings);
        allocator.free(result.patches);
        allocator.free(result.error);
    }
}

/// The result of a call that failed.
pub(crate) fn failed(message: &str, allocator: &Allocator) -> ntvr_result {
    // A NUL byte would end the text early.
    let mut bytes: Vec<u8> = message.bytes().filter(|byte| *byte != 0).collect();
    bytes.push(0);
    ntvr_result { error: allocator.copy(&bytes).unwrap_or(std::ptr::null_mut()).cast(), ..empty() }
}

/// An empty result. A driver with older headers has no place for a field that is added: what such a field points to has to be
/// allocated only if the caller has it.
pub(crate) fn empty() -> ntvr_result {
    ntvr_result {
        struct_size: 0,
        words: std::ptr::null_mut(),
        num_words: 0,
        patch_vertices_word: 0,
        workgroup_size: [0; 3],
        bindings: std::ptr::null_mut(),
        num_bindings: 0,
        varyings: std::ptr::null_mut(),
        num_varyings: 0,
        patches: std::ptr::null_mut(),
        num_patches: 0,
        error: std::ptr::null_mut(),
    }
}
