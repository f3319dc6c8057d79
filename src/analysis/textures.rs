// SPDX-License-Identifier: MIT

//! The textures and images that instructions access.
//!
//! An instruction identifies its texture by a deref, by the number of a unit, or by a handle that is a value:
//!
//! ```text
//! (float32)tex %3 (texture_deref), %3 (sampler_deref), %1 (coord)          a pointer
//! (float32)tex %2 (texture_offset), %1 (coord), 4 (texture), 4 (sampler)   unit 4 + %2
//! (float32)tex %5 (texture_handle), %5 (sampler_handle), %1 (coord)        a handle
//! ```

use crate::ir::{Def, Inst, Shader, Stage, TexData, Type, TypeData, TypeTable, Var, VarFlags, Variable};
use crate::op::meaning::ImageOperation;
use crate::op::names::ImageDim;
use crate::op::{AluType, Base, Index, Modes, TexOp, TexSrcKind};

/// The type of a texture or image, without arrays of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Dimensionality.
    pub dim: ImageDim,
    /// Whether it has layers.
    pub array: bool,
    /// Whether it compares.
    pub shadow: bool,
    /// The type of the components of a texel.
    pub texel: AluType,
    /// The kind of its descriptor.
    pub kind: TextureKind,
}

/// The kind of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureKind {
    /// A texture with a sampler.
    Combined,
    /// A texture without a sampler, read with a separate sampler or none.
    Separate,
    /// A storage image.
    Storage,
}

/// Whether the deref `pointer` is of a sampler without a texture.
pub fn is_separate_sampler(shader: &Shader, pointer: Def) -> bool {
    shader.as_deref(pointer).is_some_and(|deref| matches!(shader.types.get(deref.ty), TypeData::Sampler { .. }))
}

impl Texture {
    /// The texture or image of the type `ty`. All samplers of a kernel are separate, whatever the types of its textures: OpenCL has
    /// no textures with samplers, and zink binds none (VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE).
    pub fn of_type(shader: &Shader, ty: Type) -> Option<Texture> {
        match shader.types.get(ty) {
            TypeData::Texture { dim, shadow, array, texel, bare } => {
                let is_separate = bare || shader.stage() == Stage::Kernel;
                let kind = if is_separate { TextureKind::Separate } else { TextureKind::Combined };
                Some(Texture { dim, array, shadow, texel, kind })
            }
            TypeData::Image { dim, array, texel } => {
                Some(Texture { dim, array, shadow: false, texel, kind: TextureKind::Storage })
            }
            _ => None,
        }
    }

    /// The texture or image at the deref `pointer`.
    pub fn of_pointer(shader: &Shader, pointer: Def) -> Option<Texture> {
        Texture::of_type(shader, shader.as_deref(pointer)?.ty)
    }

    /// The image that an image intrinsic accesses: as the image is declared, or, if it is not named by a deref, as the intrinsic
    /// says. zink leaves another dimension in the intrinsics that read attachments.
    pub fn of_image(shader: &Shader, inst: Inst) -> Texture {
        let pointer = shader.as_intrinsic(inst).and_then(|(_, srcs)| srcs.first());
        let declared = pointer.and_then(|pointer| Texture::of_pointer(shader, *pointer));
        declared.unwrap_or_else(|| Texture::said_of_image(shader, inst))
    }

    /// The image according to an image intrinsic itself.
    pub fn said_of_image(shader: &Shader, inst: Inst) -> Texture {
        let dim = ImageDim::ALL.get(shader.index(inst, Index::image_dim) as usize).copied().unwrap_or(ImageDim::dim_2d);
        let array = shader.index(inst, Index::image_array) != 0;
        Texture { dim, array, shadow: false, texel: instr_texel(shader, inst), kind: TextureKind::Storage }
    }

    /// The type of the textures or images in `var`.
    pub fn of_var(shader: &Shader, var: Var) -> Option<Texture> {
        Texture::of_type(shader, shader.types.without_arrays(shader.vars[var].ty))
    }

    /// The type of a variable for it.
    pub fn ty(&self, types: &mut TypeTable) -> Type {
        let Texture { dim, array, shadow, texel, kind } = *self;
        types.intern(match kind {
            TextureKind::Storage => TypeData::Image { dim, array, texel },
            _ => TypeData::Texture { dim, shadow, array, texel, bare: kind == TextureKind::Separate },
        })
    }

    /// The number of coordinates of a texel or a point, including the layer.
    pub fn coordinates(&self) -> u8 {
        self.dim.coordinates() + u8::from(self.array && !self.is_cube_of_faces())
    }

    /// A storage image addresses the faces of all cubes as layers (SPIR-V, OpImageRead).
    fn is_cube_of_faces(&self) -> bool {
        self.kind == TextureKind::Storage && self.dim == ImageDim::cube
    }

    /// True if texels have levels of detail.
    pub fn has_levels(&self) -> bool {
        !self.dim.is_multisample() && !self.dim.is_subpass() && self.dim != ImageDim::buf
    }

    /// True if coordinates may be divided by the instruction (SPIR-V, OpImageSampleProjImplicitLod).
    pub fn can_project(&self) -> bool {
        use ImageDim::*;
        !self.array && matches!(self.dim, dim_1d | dim_2d | dim_3d | rect | external)
    }
}

impl Texture {
    /// The reason why `tex` cannot be used on such a texture: SPIR-V has the valid dimensions of each instruction (3.49.10).
    pub fn misfit(&self, tex: &TexData) -> Option<&'static str> {
        use ImageDim::*;
        let Texture { dim, array, kind, texel, .. } = *self;
        let has = |kind: TexSrcKind| tex.kinds() & kind.bit() != 0;
        let gathered = matches!(dim, dim_2d | cube | rect | external);
        Some(match tex.op {
            _ if kind == TextureKind::Storage || dim.is_subpass() => {
                "texture operations on storage images and attachments"
            }
            _ if texel.base == Base::Bool => "textures without a texel type",
            _ if array && !can_have_layers(dim) => "layers of textures of a dimension without arrays",
            op if op.samples() && !self.has_levels() => "sampling of multisample and buffer textures",
            TexOp::query_levels if !self.has_levels() => "levels of multisample and buffer textures",
            TexOp::texture_samples if dim != ms => "samples of textures that are not multisample",
            op if op.fetches() && (op == TexOp::txf_ms) != (dim == ms) => "fetches of another kind than the texture",
            op if op.fetches() && dim == cube => "fetches from cubes",
            TexOp::tg4 if !gathered => "gathers from other than 2D and cube textures",
            _ if has(TexSrcKind::comparator) && (dim == dim_3d || texel.base != Base::Float) => {
                "comparisons with 3D and integer textures"
            }
            _ if matches!(dim, cube | buf | ms) && (has(TexSrcKind::offset) || tex.offsets.is_some()) => {
                "offsets in cubes and buffers"
            }
            _ => return None,
        })
    }
}

/// True if there are textures and images with layers of this dimensionality.
pub fn can_have_layers(dim: ImageDim) -> bool {
    matches!(dim, ImageDim::dim_1d | ImageDim::dim_2d | ImageDim::cube | ImageDim::ms)
}

/// The way in which an instruction identifies a texture, image or sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// By a deref.
    Pointer(Def),
    /// By the number of a unit, and a value that is added to it.
    Unit(u32, Option<Def>),
    /// By a handle.
    Handle(Def),
}

impl Name {
    /// The texture of a texture instruction.
    pub fn of_texture(shader: &Shader, tex: &TexData) -> Name {
        use TexSrcKind::*;
        Name::of(shader, tex, [texture_deref, texture_handle, texture_offset], tex.texture_index)
    }

    /// The sampler of a texture instruction.
    pub fn of_sampler(shader: &Shader, tex: &TexData) -> Name {
        use TexSrcKind::*;
        Name::of(shader, tex, [sampler_deref, sampler_handle, sampler_offset], tex.sampler_index)
    }

    fn of(shader: &Shader, tex: &TexData, [by_deref, by_handle, added]: [TexSrcKind; 3], unit: u32) -> Name {
        if let Some(pointer) = tex.src(by_deref) {
            return Name::Pointer(pointer);
        }
        match tex.src(by_handle) {
            // zink replaces the handle by a deref of an array of descriptors.
            Some(pointer) if shader.as_deref(pointer).is_some() => Name::Pointer(pointer),
            Some(handle) => Name::Handle(handle),
            None => Name::Unit(unit, tex.src(added)),
        }
    }

    /// The declared type of a deref or unit; `None` if there is no declaration, or for a handle.
    pub fn declared(self, shader: &Shader, storage: bool) -> Option<Texture> {
        match self {
            Name::Pointer(pointer) => Texture::of_pointer(shader, pointer),
            Name::Unit(unit, _) => Texture::of_var(shader, variables_at(shader, storage, unit).next()?.0),
            Name::Handle(_) => None,
        }
    }
}

/// The variables of textures (or storage images) with unit `unit`, and the element of each for this unit.
///
/// In the input of a Gallium driver, the unit is the binding. After zink's lowering the binding is a Vulkan binding, and the
/// unit is the driver location; such variables come last.
pub fn variables_at(shader: &Shader, storage: bool, unit: u32) -> impl Iterator<Item = (Var, u32)> + '_ {
    let modes = if storage { Modes::IMAGE | Modes::UNIFORM } else { Modes::UNIFORM };
    let by = move |first: fn(&Variable) -> u32| {
        shader.vars.iter().filter_map(move |(var, variable)| {
            let named = modes.contains(variable.mode) && !variable.flags.contains(VarFlags::BINDLESS);
            let texture = Texture::of_var(shader, var).filter(|_| named)?;
            let element = unit.checked_sub(first(variable))?;
            let right_kind = (texture.kind == TextureKind::Storage) == storage;
            (right_kind && element < elements(&shader.types, variable.ty)).then_some((var, element))
        })
    };
    by(|variable| variable.binding).chain(by(|variable| variable.driver_location))
}

/// The number of elements of `ty`, through all levels of arrays.
pub fn elements(types: &TypeTable, mut ty: Type) -> u32 {
    let mut count = 1u32;
    while let TypeData::Array { elem, len, .. } = types.get(ty) {
        count = count.saturating_mul(len.unwrap_or(1));
        ty = elem;
    }
    count
}

/// The texel type of an image intrinsic: from the declaration of the image, else from the instruction.
pub fn image_texel(shader: &Shader, inst: Inst) -> AluType {
    let declared = shader.as_intrinsic(inst).and_then(|(_, srcs)| Texture::of_pointer(shader, *srcs.first()?));
    match declared.map(|texture| texture.texel) {
        Some(texel) if texel.base != Base::Bool => texel,
        _ => instr_texel(shader, inst),
    }
}

/// The texel type according to the image intrinsic itself: type, operation or format.
pub fn instr_texel(shader: &Shader, inst: Inst) -> AluType {
    use crate::op::names::{format_base, unpack_alu_type};
    use crate::op::AtomicOp;
    let Some((op, _)) = shader.as_intrinsic(inst) else { return AluType::new(Base::Float, 32) };
    let slot = |index| op.info().index_slot(index).map(|_| shader.index(inst, index));
    let ty = slot(Index::dest_type).or(slot(Index::src_type)).map(unpack_alu_type);
    let base = match (ty, slot(Index::atomic_op).and_then(|op| AtomicOp::ALL.get(op as usize).copied())) {
        (Some(ty), _) if ty.base != Base::Bool => ty.base,
        (_, Some(AtomicOp::fadd | AtomicOp::fmin | AtomicOp::fmax)) => Base::Float,
        (_, Some(_)) => match format_base(shader.index(inst, Index::format)) {
            Some(base) => base,
            None => Base::Uint,
        },
        _ => format_base(shader.index(inst, Index::format)).unwrap_or(Base::Float),
    };
    let value = match op.meaning().image.map(|image| image.operation) {
        Some(ImageOperation::Store) => shader.as_intrinsic(inst).map_or(32, |(_, srcs)| shader.bit_size(srcs[3])),
        _ => shader.insts[inst].bit_size,
    };
    AluType::new(base, if value == 64 && base != Base::Float { 64 } else { 32 })
}
