// SPDX-License-Identifier: MIT

//! Samplers.

use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use ash::vk;
use std::sync::Arc;

/// The way in which a texture is sampled: Gallium's `pipe_sampler_state`, in Vulkan's terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerState {
    /// The wrap mode of coordinates outside of the texture, for s, t and r.
    pub wrap: [vk::SamplerAddressMode; 3],
    /// The filter for magnification.
    pub mag_filter: vk::Filter,
    /// The filter for minification.
    pub min_filter: vk::Filter,
    /// The filter between levels; `None` if only level 0 is sampled.
    pub mip_filter: Option<vk::SamplerMipmapMode>,
    /// The comparison with depth; `None` if there is none.
    pub compare: Option<vk::CompareOp>,
    /// The bias that is added to the level of detail.
    pub lod_bias: f32,
    /// The minimum and the maximum level of detail.
    pub lod: [f32; 2],
    /// The maximum anisotropy; 1 disables anisotropic filtering.
    pub max_anisotropy: f32,
    /// The color outside of the texture if a coordinate is wrapped to the border.
    pub border: vk::BorderColor,
    /// Whether coordinates count texels.
    pub unnormalized: bool,
}

impl Default for SamplerState {
    fn default() -> SamplerState {
        SamplerState {
            wrap: [vk::SamplerAddressMode::CLAMP_TO_EDGE; 3],
            mag_filter: vk::Filter::NEAREST,
            min_filter: vk::Filter::NEAREST,
            mip_filter: None,
            compare: None,
            lod_bias: 0.0,
            lod: [0.0, vk::LOD_CLAMP_NONE],
            max_anisotropy: 1.0,
            border: vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
            unnormalized: false,
        }
    }
}

/// A sampler that contexts bind.
pub struct Sampler {
    pub(crate) raw: Owned<vk::Sampler>,
    pub(crate) state: SamplerState,
    /// A number that no other object of a batch has.
    pub(crate) number: u64,
}

impl Sampler {
    pub(crate) fn new(device: &Arc<Logical>, state: &SamplerState) -> Result<Arc<Sampler>> {
        let anisotropic = state.max_anisotropy > 1.0 && device.core.sampler_anisotropy == vk::TRUE;
        if state.unnormalized && (state.compare.is_some() || anisotropic || state.mip_filter.is_some()) {
            return Err(Error::new("a sampler with unnormalized coordinates must have no comparison and no levels"));
        }
        // GL's filter without levels samples level 0 for every footprint (Vulkan, "Mapping of OpenGL to Vulkan filter modes").
        let (mipmap_mode, lod) = match state.mip_filter {
            Some(mode) => (mode, state.lod),
            None if state.unnormalized => (vk::SamplerMipmapMode::NEAREST, [0.0; 2]),
            None => (vk::SamplerMipmapMode::NEAREST, [0.0, 0.25]),
        };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(state.mag_filter)
            .min_filter(state.min_filter)
            .mipmap_mode(mipmap_mode)
            .address_mode_u(state.wrap[0])
            .address_mode_v(state.wrap[1])
            .address_mode_w(state.wrap[2])
            .mip_lod_bias(state.lod_bias)
            .anisotropy_enable(anisotropic)
            .max_anisotropy(state.max_anisotropy.min(device.limits.max_sampler_anisotropy).max(1.0))
            .compare_enable(state.compare.is_some())
            .compare_op(state.compare.unwrap_or(vk::CompareOp::NEVER))
            .min_lod(lod[0])
            .max_lod(lod[1].max(lod[0]))
            .border_color(state.border)
            .unnormalized_coordinates(state.unnormalized);
        // SAFETY: no extension structs, and anisotropy only if the device supports it.
        let raw = unsafe { device.raw.create_sampler(&info, None) }.during("vkCreateSampler")?;
        Ok(Arc::new(Sampler { raw: Owned::new(device, raw), state: *state, number: super::unique_id() }))
    }

    /// The state with which it was created.
    pub fn state(&self) -> &SamplerState {
        &self.state
    }
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Sampler").field(&self.state).finish()
    }
}
