// SPDX-License-Identifier: MIT

//! The locations of varyings and the kinds of descriptors, from the types of the module.

use super::source::{Global, SourceModule};
use super::Inst;
use crate::location;
use crate::module::DescriptorKind;
use spirv::{Decoration, Dim, Op, StorageClass};

/// The most levels of arrays of descriptors.
const MAX_DEPTH: u32 = 32;

impl SourceModule<'_> {
    /// The locations of a variable, and the words of its vectors, without the array of vertices.
    pub(super) fn varying_size(&self, global: &Global) -> (u32, u8) {
        let vertex = self.types.get(&global.ty).filter(|ty| self.is_per_vertex(global) && ty.is(Op::TypeArray));
        self.size(vertex.map_or(global.ty, |array| array.word(2)))
    }

    /// The locations of a type, and the words of its vectors.
    pub(super) fn size(&self, ty: u32) -> (u32, u8) {
        self.sizes.get(&ty).copied().unwrap_or((1, 4))
    }

    /// The locations, and the words of the vectors, of a type that is just declared.
    pub(super) fn size_of(&self, inst: Inst<'_>) -> (u32, u8) {
        let (locations, components) = self.size(inst.word(2));
        match Op::from_u32(inst.op) {
            Some(Op::TypeInt | Op::TypeFloat) => (1, location::words(inst.word(2).min(64) as u8, 1) as u8),
            Some(Op::TypeVector) => {
                let words = u32::from(components).saturating_mul(inst.word(3)).clamp(1, 2 * location::WORDS);
                (location::locations(words), words as u8)
            }
            Some(Op::TypeMatrix) => (locations.saturating_mul(inst.word(3)), components),
            Some(Op::TypeArray) => (locations.saturating_mul(self.number(inst.word(3))), components),
            Some(Op::TypeStruct) => {
                let members = inst.words.iter().skip(2).map(|member| self.size(*member).0);
                (members.fold(0, u32::saturating_add), 4)
            }
            _ => (1, 4),
        }
    }

    /// The value of a 32-bit constant.
    fn number(&self, id: u32) -> u32 {
        self.types.get(&id).filter(|constant| constant.is(Op::Constant)).map_or(1, |constant| constant.word(3))
    }

    /// The kind and number of the descriptors of a variable.
    pub(super) fn descriptor(&self, global: &Global) -> Option<(DescriptorKind, u32)> {
        let (mut ty, mut count) = (self.types.get(&global.ty)?, 1u32);
        for _ in 0..MAX_DEPTH {
            if !ty.is(Op::TypeArray) && !ty.is(Op::TypeRuntimeArray) {
                break;
            }
            count = count.saturating_mul(if ty.is(Op::TypeArray) { self.number(ty.word(3)) } else { 1 });
            ty = self.types.get(&ty.word(2))?;
        }
        let of_image = |image: u32, sampled| {
            let image = self.types.get(&image)?;
            let buffer = image.word(3) == Dim::DimBuffer as u32;
            Some(match (buffer, image.word(7)) {
                _ if image.word(3) == Dim::DimSubpassData as u32 => DescriptorKind::InputAttachment,
                (true, 2) => DescriptorKind::StorageTexelBuffer,
                (false, 2) => DescriptorKind::StorageImage,
                (true, _) => DescriptorKind::UniformTexelBuffer,
                (false, _) => sampled,
            })
        };
        let kind = match Op::from_u32(ty.op)? {
            Op::TypeSampler => DescriptorKind::Sampler,
            Op::TypeSampledImage => of_image(ty.word(2), DescriptorKind::CombinedImageSampler)?,
            Op::TypeImage => of_image(ty.word(1), DescriptorKind::SampledImage)?,
            Op::TypeStruct if global.class == StorageClass::StorageBuffer as u32 => DescriptorKind::StorageBuffer,
            Op::TypeStruct if self.decoration(ty.word(1), Decoration::BufferBlock).is_some() => {
                DescriptorKind::StorageBuffer
            }
            Op::TypeStruct if global.class == StorageClass::Uniform as u32 => DescriptorKind::UniformBuffer,
            _ => return None,
        };
        Some((kind, count))
    }
}
