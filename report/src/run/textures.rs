// SPDX-License-Identifier: MIT

//! Textures, images and samplers among the inputs of `ntv run`.

use super::inputs::{named, Form, Members, Slot};
use anyhow::{anyhow, ensure, Context, Result};
use ntv::op::names::{self, ImageDim};
use ntv::target;
use ntv_interp::{Buffer, Compare, Descriptor, Filter, Format, Image, Numbers, Sampler, Texture, Wrap};
use serde_json::{json, Value};

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
    let [mag, min, mip] = three(members, "filter", FILTERS, Filter::Nearest)?;
    let wrap = three(members, "wrap", WRAPS, Wrap::ClampToEdge)?;
    let compare = members.take("compare").map(|value| named(&value, COMPARES.iter().copied())).transpose()?;
    let unnormalized = members.take("unnormalized") == Some(Value::Bool(true));
    Ok(Sampler { mag, min, mip, wrap, compare, unnormalized, ..Sampler::default() })
}

/// Three values: a list of their names, or one name for all.
fn three<T: Copy>(members: &mut Members, member: &str, names: &[(&'static str, T)], default: T) -> Result<[T; 3]> {
    let value = |name: &Value| named(name, names.iter().copied());
    match members.take(member) {
        None => Ok([default; 3]),
        Some(Value::Array(all)) => {
            let all: Vec<T> = all.iter().map(value).collect::<Result<_>>()?;
            all.try_into().map_err(|_| anyhow!("`{member}` is a name, or a list of three"))
        }
        Some(name) => value(&name).map(|value| [value; 3]),
    }
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

/// The JSON of an image without its slot; `None` if it has a format without a name.
pub fn image_to_json(image: &Image) -> Option<Value> {
    let format = names::FORMATS.iter().find(|row| Format::from_name(row.0) == Some(image.format))?;
    let bytes = ImageInput::bytes(image);
    let form = if bytes.len().is_multiple_of(4) { Form::U32 } else { Form::U8 };
    let mut object = json!({
        "dim": image.dim.name(), "size": image.size, "levels": image.levels.len(), "format": format.0,
        form.name(): form.values(&bytes),
    });
    if image.array {
        object["layers"] = image.layers.into();
    }
    Some(object)
}

/// The JSON of a texture without its slot; `None` if it has a format without a name.
pub fn texture_to_json(texture: &Texture) -> Option<Value> {
    let (mut object, sampler) = (image_to_json(&texture.image)?, sampler_to_json(&texture.sampler));
    for (name, value) in sampler.as_object()? {
        object[name] = value.clone();
    }
    Some(object)
}

/// The JSON of a sampler without its slot.
pub fn sampler_to_json(Sampler { mag, min, mip, wrap, compare, unnormalized, .. }: &Sampler) -> Value {
    let filters = [mag, min, mip].map(|filter| name(FILTERS, filter));
    let wraps = wrap.map(|wrap| name(WRAPS, &wrap));
    let mut object = json!({ "filter": filters, "wrap": wraps, "unnormalized": unnormalized });
    if let Some(compare) = compare {
        object["compare"] = name(COMPARES, compare).into();
    }
    object
}

fn name<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    names.iter().find(|row| row.1 == *value).map_or("", |row| row.0)
}

impl ImageInput {
    /// The texels of all levels.
    pub fn bytes(image: &Image) -> Vec<u8> {
        image.levels.iter().flat_map(|level| level.bytes.iter().copied()).collect()
    }
}

/// The interpreter's name for the descriptor at `slot`.
pub fn descriptor(slot: Slot) -> Descriptor {
    let bindless = target::Target::default().descriptor_set(target::Descriptor::Bindless);
    match slot.set == bindless {
        true => Descriptor::Handle(slot.element),
        false => Descriptor::Binding(slot.binding.saturating_add(slot.element)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::inputs::Inputs;

    #[test]
    fn a_texture_is_written_as_it_is_read() {
        let format = Format::from_name("r8_unorm").expect("a format");
        let mut image = Image { array: true, layers: 3, ..Image::new(ImageDim::dim_2d, format, [5, 1, 1]) };
        image.levels = [15, 6].map(|count| Buffer::new((0..count).collect())).to_vec();
        let sampler = Sampler {
            mag: Filter::Linear,
            wrap: [Wrap::Repeat, Wrap::ClampToBorder, Wrap::MirroredRepeat],
            compare: Some(Compare::Greater),
            unnormalized: true,
            ..Sampler::default()
        };
        let texture = Texture { image, sampler };
        let mut object = texture_to_json(&texture).expect("a format with a name");
        (object["set"], object["binding"]) = (2.into(), 5.into());
        let inputs = Inputs::parse(&json!({ "textures": [object] }).to_string(), 21).expect("inputs");
        let slot = Slot { set: 2, binding: 5, element: 0 };
        assert!(inputs.textures == [(slot, texture)], "{object}");
        object["filter"] = json!(["linear", "nearest"]);
        let error = Inputs::parse(&json!({ "textures": [object] }).to_string(), 21).err();
        assert!(error.is_some_and(|error| format!("{error:#}").contains("`filter` is a name, or a list of three")));
    }
}
