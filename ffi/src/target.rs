// SPDX-License-Identifier: MIT

//! The target: plain data in C, a [`Target`] here.

use crate::bindings::{ntvr_buffer_access, ntvr_target, NTVR_BUFFER_ACCESS_AUTO, NTVR_BUFFER_ACCESS_LANE, NTVR_NONE};
use crate::names::text;
use crate::sized::{read, write};
use ntv_core::target::Version;
use ntv_core::{BufferAccess, Feature, Options, Target, Workaround};
use std::ffi::c_char;

/// `ntvr_target_init`.
///
/// # Safety
/// `target` is null or points to a target, of which only the size need be initialized.
pub(crate) unsafe fn init(target: *mut ntvr_target, vulkan_version: u32) -> bool {
    let Some(version) = version(vulkan_version).filter(|_| !target.is_null()) else { return false };
    let preset = Target::new(version);
    let made = ntvr_target {
        struct_size: 0,
        vulkan_version,
        features: words(preset.feature_bits()),
        max_uniform_buffer_range: preset.max_uniform_buffer_range,
        max_push_constants_size: preset.max_push_constants_size,
        indexed_draw_offset: preset.indexed_draw_offset,
        draw_id_offset: preset.draw_id_offset.unwrap_or(NTVR_NONE),
        max_draw_buffers: preset.max_draw_buffers,
        max_clip_and_cull_distances: preset.max_clip_and_cull_distances,
        buffer_access: NTVR_BUFFER_ACCESS_AUTO,
        uniform_ranges_in_vec4s: preset.uniform_ranges_in_vec4s,
        reserved: [0; 3],
        workarounds: preset.workaround_bits(),
    };
    // SAFETY: not null, so a target by the contract.
    unsafe { write(target, &made) }.is_ok()
}

/// `ntvr_target_enable`.
///
/// # Safety
/// `target` is null or points to a target that was initialized; `feature` is null or points to a string.
pub(crate) unsafe fn enable(target: *mut ntvr_target, feature: *const c_char, on: bool) -> bool {
    // SAFETY: null or as said, by the contract.
    let (old, name) = unsafe { (read(target), text(feature)) };
    let (Ok(Some(mut new)), Some(feature)) = (old, name.and_then(Feature::from_name)) else { return false };
    let mut features = Target::default();
    features.set_feature_bits(bits(new.features));
    features.set(feature, on);
    new.features = words(features.feature_bits());
    // SAFETY: it was read.
    unsafe { write(target, &new) }.is_ok()
}

/// The workaround that the headers call `name`.
fn workaround_of(name: &str) -> Option<Workaround> {
    (name == "unsigned_constants").then_some(Workaround::broken_arbitary_type_const)
}

/// `ntvr_target_workaround`.
///
/// # Safety
/// `target` is null or points to a target that was initialized; `workaround` is null or points to a string.
pub(crate) unsafe fn work_around(target: *mut ntvr_target, workaround: *const c_char, on: bool) -> bool {
    // SAFETY: null or as said, by the contract.
    let (old, name) = unsafe { (read(target), text(workaround)) };
    let (Ok(Some(mut new)), Some(workaround)) = (old, name.and_then(workaround_of)) else { return false };
    let mut core = Target::default();
    core.set_workaround_bits(new.workarounds);
    core.work_around(workaround, on);
    new.workarounds = core.workaround_bits();
    // SAFETY: it was read.
    unsafe { write(target, &new) }.is_ok()
}

/// The options of a translation for `target`; an error names the wrong field.
pub(crate) fn options(target: &ntvr_target) -> Result<Options, String> {
    let version = version(target.vulkan_version);
    let version = version.ok_or_else(|| format!("vulkan_version of the target is {:#x}", target.vulkan_version))?;
    let mut core = Target::without_features(version);
    core.set_feature_bits(bits(target.features));
    core.set_workaround_bits(target.workarounds);
    core.max_uniform_buffer_range = target.max_uniform_buffer_range;
    core.max_push_constants_size = target.max_push_constants_size;
    core.indexed_draw_offset = target.indexed_draw_offset;
    core.draw_id_offset = Some(target.draw_id_offset).filter(|offset| *offset != NTVR_NONE);
    core.max_draw_buffers = target.max_draw_buffers;
    core.max_clip_and_cull_distances = target.max_clip_and_cull_distances;
    core.uniform_ranges_in_vec4s = target.uniform_ranges_in_vec4s;
    Ok(Options::default().target(core).buffer_access(buffer_access(target.buffer_access)?))
}

/// All fields of a target.
pub(crate) fn words_of(target: &ntvr_target) -> [u32; 14] {
    let [a, b, c, d] = target.features;
    [
        target.vulkan_version,
        a,
        b,
        c,
        d,
        target.max_uniform_buffer_range,
        target.max_push_constants_size,
        target.indexed_draw_offset,
        target.draw_id_offset,
        target.max_draw_buffers,
        target.max_clip_and_cull_distances,
        target.buffer_access,
        target.uniform_ranges_in_vec4s.into(),
        target.workarounds,
    ]
}

fn buffer_access(access: ntvr_buffer_access) -> Result<BufferAccess, String> {
    match access {
        NTVR_BUFFER_ACCESS_AUTO => Ok(BufferAccess::Auto),
        NTVR_BUFFER_ACCESS_LANE => Ok(BufferAccess::Lane),
        other => Err(format!("buffer_access of the target is {other}")),
    }
}

/// The version that `VK_MAKE_API_VERSION` packs, 1.4 for newer ones.
fn version(packed: u32) -> Option<Version> {
    let (major, minor) = (packed >> 22 & 0x7f, packed >> 12 & 0x3ff);
    match major {
        0 => None,
        1 => Some(Version(1, minor.min(4) as u8)),
        _ => Some(Version(1, 4)),
    }
}

fn words(bits: u128) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (bits >> shift) as u32)
}

fn bits(words: [u32; 4]) -> u128 {
    words.iter().rev().fold(0, |bits, word| bits << 32 | u128::from(*word))
}
