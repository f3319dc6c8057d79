// SPDX-License-Identifier: MIT

//! Images and samplers of the interpreter as resources of a Vulkan device.

use ntv::op::names::ImageDim;
use ntv_driver::format::{FormatInfo, FORMATS};
use ntv_driver::headless::{self, vk, Resource, SamplerState};
use ntv_interp::{Compare, Filter, Format, Image, Sampler, Wrap};
use vk::ImageViewType as View;

/// An image, with its sampler if it is a texture. The error says what Vulkan does not have.
pub fn resource(image: &Image, of_texture: Option<&Sampler>) -> Result<Resource, String> {
    let same = |info: &&FormatInfo| Format::from_name(&info.nir_name()) == Some(image.format);
    let format = FORMATS.iter().find(same).map(|info| info.format);
    let mut format = format.ok_or_else(|| format!("images of format {:?} are not supported", image.format))?;
    let levels: Vec<Vec<u8>> = image.levels.iter().map(|level| level.bytes.clone()).collect();
    if image.dim == ImageDim::buf {
        return Ok(Resource::TexelBuffer(format, levels.concat()));
    }
    // A comparison needs a depth format.
    if of_texture.is_some_and(|sampler| sampler.compare.is_some()) {
        format = match format {
            vk::Format::R32_SFLOAT => vk::Format::D32_SFLOAT,
            vk::Format::R16_UNORM => vk::Format::D16_UNORM,
            _ => return Err("only r32_float and r16_unorm images can be compared".to_string()),
        };
    }
    let view = view(image).ok_or("multisampled images cannot have contents")?;
    let samples = vk::SampleCountFlags::TYPE_1;
    let image = headless::Image { format, view, extent: image.size, layers: image.layers, samples, levels };
    Ok(match of_texture {
        Some(of_texture) => Resource::Sampled(image, sampler(of_texture)?),
        None => Resource::Image(image),
    })
}

/// The type of a view of `image`; `None` for multisampled images.
fn view(image: &Image) -> Option<View> {
    Some(match (image.dim, image.array) {
        (ImageDim::dim_1d, false) => View::TYPE_1D,
        (ImageDim::dim_1d, true) => View::TYPE_1D_ARRAY,
        (ImageDim::dim_2d | ImageDim::rect | ImageDim::external, false) => View::TYPE_2D,
        (ImageDim::dim_2d, true) => View::TYPE_2D_ARRAY,
        (ImageDim::dim_3d, false) => View::TYPE_3D,
        (ImageDim::cube, false) => View::CUBE,
        (ImageDim::cube, true) => View::CUBE_ARRAY,
        _ => return None,
    })
}

/// A sampler. A border that Vulkan does not have is an error.
pub fn sampler(sampler: &Sampler) -> Result<SamplerState, String> {
    if sampler.border != [0; 4] {
        return Err("the border of a sampler must be zeros".to_string());
    }
    let mip_filter = match sampler.mip {
        Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
        Filter::Linear => vk::SamplerMipmapMode::LINEAR,
    };
    Ok(SamplerState {
        wrap: sampler.wrap.map(address_mode),
        mag_filter: filter(sampler.mag),
        min_filter: filter(sampler.min),
        mip_filter: (!sampler.unnormalized).then_some(mip_filter),
        compare: sampler.compare.map(compare_op),
        lod_bias: sampler.lod_bias,
        lod: sampler.lod,
        unnormalized: sampler.unnormalized,
        ..SamplerState::default()
    })
}

fn filter(filter: Filter) -> vk::Filter {
    match filter {
        Filter::Nearest => vk::Filter::NEAREST,
        Filter::Linear => vk::Filter::LINEAR,
    }
}

fn address_mode(wrap: Wrap) -> vk::SamplerAddressMode {
    match wrap {
        Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
        Wrap::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
        Wrap::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        Wrap::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        Wrap::MirrorClampToEdge => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
    }
}

fn compare_op(compare: Compare) -> vk::CompareOp {
    match compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessOrEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterOrEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}
