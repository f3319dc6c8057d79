// SPDX-License-Identifier: MIT

//! Textures, images and samplers among the inputs of `ntv run`.

use super::inputs::{named, Form, Members, Slot};
use anyhow::{ensure, Context, Result};
use ntv::interp::{Buffer, Compare, Descriptor, Filter, Format, Image, Numbers, Sampler, Texture, Wrap};
use ntv::op::names::ImageDim;
use ntv::target;
use serde_json::Value;

/// An image, and the form of its texels in JSON.
pub struct ImageInput {
    /// The set and binding.
    pub slot: Slot,
    /// The texels.
    pub image: Image,
    /// The form in JSON.
    pub form: Form,
}

/// The maximum of each size, of the layers and of the levels of an image.
const MAX: u32 = 1 << 14;

/// The default format of texels that are a list of this form, four numbers each.
const FORMATS: &[(Form, &str)] = &[
    (Form::U8, "r8g8b8a8_unorm"),
    (Form::U32, "r32g32b32a32_uint"),
    (Form::I32, "r32g32b32a32_sint"),
    (Form::F32, "r32g32b32a32_float"),
];

const FILTERS: &[(&str, Filter)] = &[("nearest", Filter::Nearest), ("linear", Filter::Linear)];

const WRAPS: &[(&str, Wrap)] = &[
    ("repeat", Wrap::Repeat),
    ("mirrored_repeat", Wrap::MirroredRepeat),
    ("clamp_to_edge", Wrap::ClampToEdge),
    ("clamp_to_border", Wrap::ClampToBorder),
    ("mirror_clamp_to_edge", Wrap::MirrorClampToEdge),
];

const COMPARES: &[(&str, Compare)] = &[
    ("never", Compare::Never),
    ("less", Compare::Less),
    ("equal", Compare::Equal),
    ("less_or_equal", Compare::LessOrEqual),
    ("greater", Compare::Greater),
    ("not_equal", Compare::NotEqual),
    ("greater_or_equal", Compare::GreaterOrEqual),
    ("always", Compare::Always),
];

/// A texture: an image with a sampler.
pub(super) fn texture(mut members: Members) -> Result<(Slot, Texture)> {
    let sampler = take_sampler(&mut members)?;
    let ImageInput { slot, image, .. } = image(members)?;
    Ok((slot, Texture { image, sampler }))
}

/// A separate sampler.
pub(super) fn sampler(mut members: Members) -> Result<(Slot, Sampler)> {
    let (slot, sampler) = (members.slot()?, take_sampler(&mut members)?);
    members.finish()?;
    Ok((slot, sampler))
}

fn take_sampler(members: &mut Members) -> Result<Sampler> {
    let filter = members.take("filter").map_or(Ok(Filter::Nearest), |value| named(&value, FILTERS.iter().copied()))?;
    let wrap = members.take("wrap").map_or(Ok(Wrap::ClampToEdge), |value| named(&value, WRAPS.iter().copied()))?;
    let compare = members.take("compare").map(|value| named(&value, COMPARES.iter().copied())).transpose()?;
    let unnormalized = members.take("unnormalized") == Some(Value::Bool(true));
    Ok(Sampler { mag: filter, min: filter, mip: filter, wrap: [wrap; 3], compare, unnormalized, ..Sampler::default() })
}

/// An image.
pub(super) fn image(mut members: Members) -> Result<ImageInput> {
    let slot = members.slot()?;
    let given = members.list_of_numbers("size")?;
    ensure!((1..=3).contains(&given.len()), "`size` is a list of one to three numbers");
    let mut size = [1; 3];
    size[..given.len()].copy_from_slice(&given);
    let dims = || ImageDim::ALL.iter().filter(|dim| !dim.is_subpass()).map(|dim| (dim.name(), *dim));
    let dim = members.take("dim").map_or(Ok(ImageDim::dim_2d), |value| named(&value, dims()))?;
    let array = members.has("layers");
    let layers = members.number("layers", Some(if dim == ImageDim::cube { 6 } else { 1 }))?;
    let levels = members.number("levels", Some(1))?;
    let format = members.take("format").map(|value| format(&value)).transpose()?;
    let data = members.list()?;
    let is_sane = |n: &u32| (1..=MAX).contains(n);
    ensure!(size.iter().chain([&layers, &levels]).all(is_sane), "sizes, layers and levels are from 1 to {MAX}");
    let by_form = data.as_ref().and_then(|data| FORMATS.iter().find(|row| row.0 == data.form)?.1.into());
    let format = format.or_else(|| Format::from_name(by_form?)).context("`format` or a list of texels is missing")?;
    let samples = if dim.is_multisample() { 4 } else { 1 };
    let mut image = Image { dim, array, format, size, layers, samples, levels: Vec::new() };
    let form = data.as_ref().map_or(form_of(format), |data| data.form);
    let sizes = (0..levels as usize).map(|level| image.level_bytes(level) as u64);
    let needed = sizes.fold(0, u64::saturating_add);
    members.allocate(needed)?;
    members.finish()?;
    let needed = needed as usize;
    let bytes = data.map_or(vec![0; needed], |data| data.bytes);
    ensure!(bytes.len() == needed, "the texels are {} bytes, not {needed}", bytes.len());
    let mut rest = &bytes[..];
    for level in 0..levels as usize {
        let (own, others) = rest.split_at(image.level_bytes(level));
        image.levels.push(Buffer::new(own.to_vec()));
        rest = others;
    }
    Ok(ImageInput { slot, image, form })
}

fn format(value: &Value) -> Result<Format> {
    value.as_str().and_then(Format::from_name).with_context(|| format!("{value} is not a format"))
}

/// The form in which texels of a format are written.
fn form_of(format: Format) -> Form {
    match (format.bytes() / format.components(), format.numbers()) {
        (4 | 8, Numbers::Float) => Form::F32,
        (4 | 8, Numbers::Sint) => Form::I32,
        (4 | 8, _) => Form::U32,
        _ => Form::U8,
    }
}

impl ImageInput {
    /// The texels of all levels.
    pub fn bytes(image: &Image) -> Vec<u8> {
        image.levels.iter().flat_map(|level| level.bytes.iter().copied()).collect()
    }
}

/// The interpreter's name for the descriptor at `slot`.
pub(super) fn descriptor(slot: Slot) -> Descriptor {
    let bindless = target::Target::default().descriptor_set(target::Descriptor::Bindless);
    match slot.set == bindless {
        true => Descriptor::Handle(slot.element),
        false => Descriptor::Binding(slot.binding.saturating_add(slot.element)),
    }
}
