// SPDX-License-Identifier: MIT

//! Textures, images and samplers: their types, their variables, and their loads.
//!
//! ```text
//! sampler2D          OpTypeSampledImage of OpTypeImage %float 2D 0 0 0 1 Unknown
//! usamplerBuffer     OpTypeImage %uint Buffer 0 0 0 1 Unknown
//! image2D, r32_float OpTypeImage %float 2D 0 0 0 2 R32f
//! ```
//!
//! Their variables are in storage class UniformConstant, and are a single one or an array: `lower_descriptors` ensures that. The
//! variable itself is never written, so a load serves all instructions that it dominates.

use super::interface::View;
use super::late::Section;
use super::types::Layout;
use super::{internal, unsupported, Emit, Result};
use crate::analysis::block_picks;
use crate::analysis::textures::{is_separate_sampler, Texture, TextureKind};
use crate::ir::{Def, Type, TypeData, Var, Variable};
use crate::module::{PatchKind, ALWAYS, SETTLED};
use crate::op::names::{ImageDim, FORMATS};
use crate::op::{Access, Base, Modes};
use crate::target::{Descriptor, BINDLESS_HANDLES};
use spirv::{Capability, Decoration, Dim, ImageFormat, Op, StorageClass};

/// A loaded texture or image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub(super) id: u32,
    pub(super) texture: Texture,
    pub(super) var: Var,
    /// Its deref.
    pub(super) pointer: Def,
    /// The OpTypeImage.
    image_type: u32,
    non_uniform: bool,
}

/// The number of formats that every Vulkan device has (SPIR-V 3.11): the first of [`FORMATS`] after Unknown.
const BASE_FORMATS: u32 = 13;

/// Dimensionalities and their capabilities: for sampled and for storage images.
const DIMS: &[(ImageDim, Dim, Option<[Capability; 2]>)] = {
    use Capability::{Image1D, ImageBuffer, InputAttachment, Sampled1D, SampledBuffer};
    &[
        (ImageDim::dim_1d, Dim::Dim1D, Some([Sampled1D, Image1D])),
        (ImageDim::dim_2d, Dim::Dim2D, None),
        (ImageDim::dim_3d, Dim::Dim3D, None),
        (ImageDim::cube, Dim::DimCube, None),
        // Vulkan has no rectangle textures; the sampler determines whether coordinates are normalised.
        (ImageDim::rect, Dim::Dim2D, None),
        (ImageDim::buf, Dim::DimBuffer, Some([SampledBuffer, ImageBuffer])),
        (ImageDim::external, Dim::Dim2D, None),
        (ImageDim::ms, Dim::Dim2D, None),
        (ImageDim::subpass, Dim::DimSubpassData, Some([InputAttachment, InputAttachment])),
        (ImageDim::subpass_ms, Dim::DimSubpassData, Some([InputAttachment, InputAttachment])),
    ]
};

/// The requirements for indexing an array of descriptors: the kind (storage, texel buffer, attachment), the capability for a
/// uniform index, the capability for any index.
type Indexing = ([bool; 3], Capability, Capability);
const INDEXING: &[Indexing] = {
    use Capability::*;
    &[
        ([false, false, false], SampledImageArrayDynamicIndexing, SampledImageArrayNonUniformIndexing),
        ([false, true, false], UniformTexelBufferArrayDynamicIndexing, UniformTexelBufferArrayNonUniformIndexing),
        ([true, false, false], StorageImageArrayDynamicIndexing, StorageImageArrayNonUniformIndexing),
        ([true, true, false], StorageTexelBufferArrayDynamicIndexing, StorageTexelBufferArrayNonUniformIndexing),
        ([true, false, true], InputAttachmentArrayDynamicIndexing, InputAttachmentArrayNonUniformIndexing),
    ]
};

impl Emit<'_> {
    /// The type of a variable.
    pub(super) fn variable_type(&mut self, var: Var, class: StorageClass, layout: Layout) -> Result<u32> {
        let shader = self.shader;
        let variable = &shader.vars[var];
        let opaque = class == StorageClass::UniformConstant;
        let block = |ty| layout.is_block() && shader.types.as_struct(ty).is_some();
        // Arrays of blocks are ordinary types, unless a link may change their length.
        let blocks = |elem| self.options.linkable && block(elem);
        match shader.types.get(variable.ty) {
            TypeData::Array { elem, len, .. } if opaque || blocks(elem) => {
                let elem = if opaque { self.opaque_type(elem, variable)? } else { self.ir_type(elem, layout)? };
                let len = len.ok_or_else(|| unsupported("an array of descriptors without a length"))?;
                Ok(self.descriptor_array(elem, len.max(1), variable))
            }
            // Neither Uniform nor StorageBuffer may have them (VUID-StandaloneSpirv-Uniform-06807).
            TypeData::Array { elem, .. } if layout.is_block() && !block(elem) => {
                Err(unsupported("an array of arrays of blocks"))
            }
            _ if opaque => self.opaque_type(variable.ty, variable),
            _ => self.ir_type(variable.ty, layout),
        }
    }

    /// An array of `len` descriptors. If a link may change the length, the length is a separate constant.
    fn descriptor_array(&mut self, elem: u32, len: u32, variable: &Variable) -> u32 {
        let slot = self.descriptor_slot(variable);
        let row = if self.options.linkable { self.note_binding(variable, slot) } else { None };
        let Some(row) = row else { return self.m.array(elem, len) };
        let uint = self.m.numeric(Base::Uint, 32, 1);
        let length = self.m.id();
        let at = self.m.globals.op(Op::Constant, &[uint, length, len]);
        let when = if self.has_ifs_for_all(variable, len) { SETTLED } else { ALWAYS };
        self.m.patch(Section::Globals, at + 2, PatchKind::ArrayLength, when, row);
        self.m.global_type(Op::TypeArray, &[elem, length])
    }

    /// Whether the passes may have made ifs that have a branch for each of an array of blocks.
    fn has_ifs_for_all(&self, variable: &Variable, len: u32) -> bool {
        let is_block = variable.mode.intersects(Modes::UBO | Modes::SSBO);
        let has_all = block_picks::FEATURES.iter().all(|feature| self.target.has(*feature));
        is_block && !has_all && self.used_descriptors(variable) >= len
    }

    fn opaque_type(&mut self, ty: Type, variable: &Variable) -> Result<u32> {
        if let TypeData::Sampler { .. } = self.shader.types.get(ty) {
            return Ok(self.m.global_type(Op::TypeSampler, &[]));
        }
        let texture = Texture::of_type(self.shader, ty);
        let texture = texture.ok_or_else(|| unsupported("a variable of this type"))?;
        let image = self.image_type(&texture, variable);
        Ok(match is_combined(&texture) {
            true => self.m.global_type(Op::TypeSampledImage, &[image]),
            false => image,
        })
    }

    /// The OpTypeImage of `texture` in `variable`.
    fn image_type(&mut self, texture: &Texture, variable: &Variable) -> u32 {
        let storage = texture.kind == TextureKind::Storage;
        let row = DIMS.iter().find(|row| row.0 == texture.dim).unwrap_or(&DIMS[1]);
        if let Some(capabilities) = row.2 {
            self.m.capability(capabilities[usize::from(storage)]);
        }
        let multisample = texture.dim.is_multisample();
        match (texture.dim, texture.array, storage) {
            (ImageDim::cube, true, false) => self.m.capability(Capability::SampledCubeArray),
            (ImageDim::cube, true, true) => self.m.capability(Capability::ImageCubeArray),
            (ImageDim::ms, array, true) => {
                self.m.capability(Capability::StorageImageMultisample);
                array.then(|| self.m.capability(Capability::ImageMSArray));
            }
            _ => {}
        }
        let mut format = ImageFormat::Unknown;
        if storage && !texture.dim.is_subpass() {
            format = FORMATS.get(variable.image_format as usize).map_or(format, |row| row.1);
            if variable.image_format > BASE_FORMATS && texture.texel.bits == 32 {
                self.m.capability(Capability::StorageImageExtendedFormats);
            }
        }
        if texture.texel.bits == 64 {
            self.m.capability(Capability::Int64ImageEXT);
        }
        let texel = self.m.numeric(texel_base(texture), texture.texel.bits, 1);
        let sampled = if storage { 2 } else { 1 };
        let [depth, arrayed, multisample] = [texture.shadow, texture.array, multisample].map(u32::from);
        let operands = [texel, row.1 as u32, depth, arrayed, multisample, sampled, format as u32];
        self.m.global_type(Op::TypeImage, &operands)
    }

    /// The kind of a texture, image or sampler.
    pub(super) fn kind_of_texture(&self, variable: &Variable) -> Descriptor {
        let types = &self.shader.types;
        let bindless = types.as_array(variable.ty).is_some_and(|(_, len)| len == Some(BINDLESS_HANDLES));
        match types.get(types.without_arrays(variable.ty)) {
            _ if bindless => Descriptor::Bindless,
            // zink has input attachments in the set of the default uniforms.
            TypeData::Image { dim, .. } if dim.is_subpass() => Descriptor::DefaultUniforms,
            TypeData::Image { .. } => Descriptor::Image,
            _ => Descriptor::Texture,
        }
    }

    /// The index of an input attachment.
    pub(super) fn decorate_descriptor(&mut self, id: u32, variable: &Variable) {
        let types = &self.shader.types;
        if let TypeData::Image { dim, .. } = types.get(types.without_arrays(variable.ty)) {
            if dim.is_subpass() {
                self.m.decorate(id, Decoration::InputAttachmentIndex, &[variable.index]);
            }
        }
    }

    /// The capability for indexing `var`, an array of textures, images or samplers.
    pub(super) fn indexing_capability(&self, var: Var, non_uniform: bool) -> Capability {
        let kind = Texture::of_var(self.shader, var).map_or([false; 3], |texture| {
            [texture.kind == TextureKind::Storage, texture.dim == ImageDim::buf, texture.dim.is_subpass()]
        });
        let row = INDEXING.iter().find(|row| row.0 == kind).unwrap_or(&INDEXING[0]);
        if non_uniform {
            row.2
        } else {
            row.1
        }
    }

    /// The pointer for the deref `pointer` of a texture, image or sampler, its type, and its variable.
    fn descriptor_pointer(&mut self, pointer: Def, access: Access) -> Result<(u32, u32, Var)> {
        let shader = self.shader;
        let var = self.deref_root(pointer)?;
        let deref = shader.as_deref(pointer).ok_or_else(|| internal("a pointer that is not a deref"))?;
        let ty = self.opaque_type(deref.ty, &shader.vars[var])?;
        let root = self.root(var, View::Whole)?;
        Ok((self.chain_to(pointer, ty, &root, None, access)?, ty, var))
    }

    /// The pointer for the deref `pointer` of an image, for atomics.
    pub(super) fn image_pointer(&mut self, pointer: Def, access: Access) -> Result<(u32, Texture, Var)> {
        let texture = self.texture_of(pointer)?;
        let (id, _, var) = self.descriptor_pointer(pointer, access)?;
        Ok((id, texture, var))
    }

    /// Loads the texture or image of the deref `pointer`.
    pub(super) fn load_texture(&mut self, pointer: Def, access: Access) -> Result<Loaded> {
        let texture = self.texture_of(pointer)?;
        let (at, ty, var) = self.descriptor_pointer(pointer, access)?;
        let id = self.load_once(at, ty);
        let non_uniform = self.state.non_uniform.contains(&at);
        self.mark_non_uniform(id, non_uniform);
        let shader = self.shader;
        let image_type = if is_combined(&texture) { self.image_type(&texture, &shader.vars[var]) } else { ty };
        Ok(Loaded { id, texture, var, pointer, image_type, non_uniform })
    }

    /// The texture combined with the sampler of the deref `sampler`: a separate one, or its own.
    pub(super) fn with_sampler(&mut self, loaded: &Loaded, sampler: Option<Def>, access: Access) -> Result<u32> {
        let separate = sampler.filter(|sampler| is_separate_sampler(self.shader, *sampler));
        if separate.is_none() && is_combined(&loaded.texture) {
            return Ok(loaded.id);
        }
        let sampler = separate.ok_or_else(|| unsupported("a texture without a sampler where one is needed"))?;
        let image = self.image_of(loaded);
        let (at, ty, _) = self.descriptor_pointer(sampler, access)?;
        let id = self.load_once(at, ty);
        let non_uniform = self.state.non_uniform.contains(&at);
        self.mark_non_uniform(id, non_uniform);
        let ty = self.m.global_type(Op::TypeSampledImage, &[loaded.image_type]);
        // OpSampledImage must be in the block of its user (SPIR-V, OpSampledImage), so it is emitted for each use.
        let both = self.m.value(Op::SampledImage, ty, &[image, id]);
        self.mark_non_uniform(both, non_uniform || loaded.non_uniform);
        Ok(both)
    }

    /// The texture without its sampler.
    pub(super) fn image_of(&mut self, loaded: &Loaded) -> u32 {
        if !is_combined(&loaded.texture) {
            return loaded.id;
        }
        let id = self.pure(Op::Image, loaded.image_type, &[loaded.id]);
        self.mark_non_uniform(id, loaded.non_uniform);
        id
    }

    fn texture_of(&self, pointer: Def) -> Result<Texture> {
        Texture::of_pointer(self.shader, pointer).ok_or_else(|| internal("a pointer that is not to a texture"))
    }

    fn mark_non_uniform(&mut self, id: u32, non_uniform: bool) {
        if non_uniform {
            self.decorate_non_uniform(id);
        }
    }
}

/// Texel buffers are read without a sampler and have no combined form (SPIR-V, OpTypeSampledImage).
pub(super) fn is_combined(texture: &Texture) -> bool {
    texture.kind == TextureKind::Combined && texture.dim != ImageDim::buf
}

/// The base type of texels; float if the texture has no type.
pub(super) fn texel_base(texture: &Texture) -> Base {
    match texture.texel.base {
        Base::Bool => Base::Float,
        base => base,
    }
}
