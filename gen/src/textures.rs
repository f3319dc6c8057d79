// SPDX-License-Identifier: MIT

//! Random textures, images and samplers for a given shader.
//!
//! The textures are those of the shader's variables. A dump does not declare all of them, so the pass that makes variables for
//! units and handles runs first, on a copy.

use crate::stimulus::Source;
use ntv::analysis::textures::{elements, Texture as Declared, TextureKind};
use ntv::ir::{InstKind, TypeData, Variable};
use ntv::op::fold::from_float;
use ntv::op::names::ImageDim;
use ntv::op::{Base, Index, Modes};
use ntv::target::BINDLESS_HANDLES;
use ntv::{Shader, Translator};
use ntv_interp::{Buffer, Compare, Descriptor, Filter, Format, Image, Numbers, Sampler, Texture, Wrap};
use std::collections::BTreeMap;

/// The number of texels along each dimension: more than the small numbers that most coordinates are.
const SIZE: u32 = 8;

/// The number of valid handles.
const HANDLES: u32 = 8;

/// All that texture operations and image intrinsics can access.
#[derive(Clone, Debug, Default)]
pub struct Textures {
    /// Textures.
    pub textures: BTreeMap<Descriptor, Texture>,
    /// Samplers that are variables of their own.
    pub samplers: BTreeMap<Descriptor, Sampler>,
    /// Storage images.
    pub images: BTreeMap<Descriptor, Image>,
}

/// The textures that `shader` may access, filled from `source`.
pub(crate) fn textures(shader: &Shader, source: &mut Source) -> Textures {
    let mut textures = Textures::default();
    if !shader.order.iter().any(|inst| uses_texture(shader.insts[*inst].kind)) {
        return textures;
    }
    let mut declared = shader.clone();
    // A shader that cannot be lowered at least has its own variables.
    let _ = Translator::default().lower(&mut declared, Some("lower_descriptors"));
    for variable in declared.vars.values().filter(|v| v.mode.intersects(Modes::UNIFORM | Modes::IMAGE)) {
        let leaf = declared.types.without_arrays(variable.ty);
        let what = (Declared::of_type(&declared, leaf), declared.types.get(leaf));
        for descriptor in descriptors(&declared, variable) {
            match what {
                (Some(image), _) if image.kind == TextureKind::Storage => {
                    textures.images.entry(descriptor).or_insert_with(|| source.storage_image(image, variable));
                }
                (Some(texture), _) => {
                    textures.textures.entry(descriptor).or_insert_with(|| source.texture(texture));
                }
                (None, TypeData::Sampler { .. }) => {
                    textures.samplers.entry(descriptor).or_insert_with(|| source.sampler(false));
                }
                _ => {}
            }
        }
    }
    textures
}

fn uses_texture(kind: InstKind) -> bool {
    match kind {
        InstKind::Tex(_) => true,
        InstKind::Intrinsic { op, .. } => op.info().index_slot(Index::image_dim).is_some(),
        _ => false,
    }
}

/// The descriptors of `variable`; for bindless ones, those of handles.
fn descriptors(shader: &Shader, variable: &Variable) -> Vec<Descriptor> {
    let is_bindless = shader.types.as_array(variable.ty).is_some_and(|(_, len)| len == Some(BINDLESS_HANDLES));
    match is_bindless {
        true => (0..HANDLES).map(Descriptor::Handle).collect(),
        false => {
            let count = elements(&shader.types, variable.ty).min(256);
            (0..count).map(|element| Descriptor::Binding(variable.binding.saturating_add(element))).collect()
        }
    }
}

fn format(name: &str) -> Format {
    Format::from_name(name).expect("a format of NIR's")
}

impl Source {
    fn storage_image(&mut self, declared: Declared, variable: &Variable) -> Image {
        let by_type = || match (declared.texel.base, declared.texel.bits) {
            (Base::Uint, 64) => format("r64_uint"),
            (Base::Int, 64) => format("r64_sint"),
            (Base::Uint, _) => format("r32g32b32a32_uint"),
            (Base::Int, _) => format("r32g32b32a32_sint"),
            _ => format("r32g32b32a32_float"),
        };
        let chosen = Format::from_index(variable.image_format).unwrap_or_else(by_type);
        self.image(declared, chosen, 1)
    }

    fn texture(&mut self, declared: Declared) -> Texture {
        let formats: &[&str] = match declared.texel.base {
            _ if declared.shadow => &["r32_float", "r16_unorm"],
            Base::Uint => &["r32g32b32a32_uint", "r8g8b8a8_uint", "r16g16_uint"],
            Base::Int => &["r32g32b32a32_sint", "r8g8b8a8_sint", "r16g16_sint"],
            _ => &["r32g32b32a32_float", "r32g32b32a32_float", "r8g8b8a8_unorm", "r16g16b16a16_float", "r32g32_float"],
        };
        let format = format(self.random.pick(formats));
        let has_levels = declared.has_levels() && declared.dim != ImageDim::rect;
        let levels = if has_levels { self.random.pick(&[1, 4]) } else { 1 };
        let mut sampler = self.sampler(declared.shadow);
        if declared.texel.base != Base::Float {
            // Integers cannot be filtered (Vulkan 1.3, VUID-vkCmdDraw-magFilter-04553).
            (sampler.mag, sampler.min, sampler.mip) = (Filter::Nearest, Filter::Nearest, Filter::Nearest);
        }
        sampler.unnormalized = declared.dim == ImageDim::rect;
        if sampler.unnormalized {
            sampler.wrap = [Wrap::ClampToEdge; 3];
        }
        Texture { image: self.image(declared, format, levels), sampler }
    }

    fn image(&mut self, declared: Declared, format: Format, levels: usize) -> Image {
        let Declared { dim, array, .. } = declared;
        let mut size = [1; 3];
        let dimensions = if dim == ImageDim::cube { 2 } else { usize::from(dim.coordinates()) };
        size[..dimensions].fill(SIZE);
        let mut image = Image { array, levels: Vec::new(), ..Image::new(dim, format, size) };
        image.layers *= if array { 3 } else { 1 };
        image.samples = if dim.is_multisample() { 4 } else { 1 };
        for level in 0..levels {
            let bytes = image.level_bytes(level);
            let texels = if declared.shadow { self.fractions(format, bytes) } else { self.texels(format, bytes) };
            image.levels.push(texels);
        }
        image
    }

    fn texels(&mut self, format: Format, bytes: usize) -> Buffer {
        match format.bytes() / format.components() {
            width @ (2 | 4) if format.numbers() == Numbers::Float => self.simple_floats(bytes, width),
            4 | 8 => self.buffer(bytes),
            _ => Buffer::new(self.random.bytes(bytes)),
        }
    }

    /// Floats for which filtering is exact.
    fn simple_floats(&mut self, bytes: usize, width: usize) -> Buffer {
        let mut number = || from_float(self.random.below(64) as f64 / 4.0 - 8.0, 8 * width as u8).to_le_bytes();
        Buffer::new((0..bytes / width).flat_map(|_| number().into_iter().take(width)).collect())
    }

    /// Numbers from 0 to 1, for depths.
    fn fractions(&mut self, format: Format, bytes: usize) -> Buffer {
        if format.bytes() != 4 {
            return Buffer::new(self.random.bytes(bytes));
        }
        let mut depth = || (self.random.below(9) as f32 / 8.0).to_le_bytes();
        Buffer::new((0..bytes / 4).flat_map(|_| depth()).collect())
    }

    fn sampler(&mut self, compares: bool) -> Sampler {
        const WRAPS: &[Wrap] =
            &[Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge, Wrap::ClampToBorder, Wrap::MirrorClampToEdge];
        const COMPARES: &[Compare] = &[
            Compare::Less,
            Compare::Equal,
            Compare::LessOrEqual,
            Compare::Greater,
            Compare::NotEqual,
            Compare::GreaterOrEqual,
        ];
        let random = &mut self.random;
        let mut filter = || random.pick(&[Filter::Nearest, Filter::Linear]);
        let (mag, min, mip) = (filter(), filter(), filter());
        let wrap = [(); 3].map(|()| random.pick(WRAPS));
        let compare = compares.then(|| random.pick(COMPARES));
        Sampler { mag, min, mip, wrap, compare, ..Sampler::default() }
    }
}
