//! What texture and image instructions work on.
//!
//! An instruction names its texture by a pointer to a variable, by the number of a unit, or by a handle that is a value:
//!
//! ```text
//! (float32)tex %3 (texture_deref), %3 (sampler_deref), %1 (coord)          a pointer
//! (float32)tex %2 (texture_offset), %1 (coord), 4 (texture), 4 (sampler)   unit 4 + %2
//! (float32)tex %5 (texture_handle), %5 (sampler_handle), %1 (coord)        a handle
//! ```

use crate::ir::{Def, Inst, Shader, TexData, Type, TypeData, TypeTable, Var, VarFlags, Variable};
use crate::op::meaning::ImageOperation;
use crate::op::names::ImageDim;
use crate::op::{AluType, Base, Index, Modes, TexOp, TexSrcKind};

/// What a texture or image is, arrays of them aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Dimensionality.
    pub dim: ImageDim,
    /// Has layers.
    pub array: bool,
    /// Compares.
    pub shadow: bool,
    /// What the components of a texel are.
    pub texel: AluType,
    /// How the descriptor is read.
    pub kind: TextureKind,
}

/// How a descriptor is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureKind {
    /// Through the sampler that comes with it.
    Combined,
    /// Through a sampler of its own, or none.
    Separate,
    /// As a storage image.
    Storage,
}

impl Texture {
    /// The texture or image that `ty` is.
    pub fn of_type(types: &TypeTable, ty: Type) -> Option<Texture> {
        match types.get(ty) {
            TypeData::Texture { dim, shadow, array, texel, bare } => {
                let kind = if bare { TextureKind::Separate } else { TextureKind::Combined };
                Some(Texture { dim, array, shadow, texel, kind })
            }
            TypeData::Image { dim, array, texel } => {
                Some(Texture { dim, array, shadow: false, texel, kind: TextureKind::Storage })
            }
            _ => None,
        }
    }

    /// The texture or image that `pointer` leads to.
    pub fn behind(shader: &Shader, pointer: Def) -> Option<Texture> {
        Texture::of_type(&shader.types, shader.as_deref(pointer)?.ty)
    }

    /// The textures or images that `var` holds.
    pub fn of_var(shader: &Shader, var: Var) -> Option<Texture> {
        Texture::of_type(&shader.types, shader.types.without_arrays(shader.vars[var].ty))
    }

    /// The type of a variable that holds one.
    pub fn ty(&self, types: &mut TypeTable) -> Type {
        let Texture { dim, array, shadow, texel, kind } = *self;
        types.intern(match kind {
            TextureKind::Storage => TypeData::Image { dim, array, texel },
            _ => TypeData::Texture { dim, shadow, array, texel, bare: kind == TextureKind::Separate },
        })
    }

    /// Coordinates of a texel or a point, the layer among them.
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

    /// True if a coordinate may be divided on the way (SPIR-V, OpImageSampleProjImplicitLod).
    pub fn can_project(&self) -> bool {
        use ImageDim::*;
        !self.array && matches!(self.dim, dim_1d | dim_2d | dim_3d | rect | external)
    }
}

impl Texture {
    /// Why `tex` cannot be done on such a texture: SPIR-V says of each instruction which dimensions it takes (3.49.10).
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
            _ if array && !can_have_layers(dim) => "layers of textures that GL has none of",
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

/// How an instruction names a texture, image or sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// By a deref.
    Pointer(Def),
    /// By the number of a unit, and what is added to it.
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
            // zink puts a pointer into an array of descriptors where the handle was.
            Some(pointer) if shader.as_deref(pointer).is_some() => Name::Pointer(pointer),
            Some(handle) => Name::Handle(handle),
            None => Name::Unit(unit, tex.src(added)),
        }
    }

    /// What a pointer or unit is declared as; `None` if nothing is declared, or for a handle.
    pub fn declared(self, shader: &Shader, storage: bool) -> Option<Texture> {
        match self {
            Name::Pointer(pointer) => Texture::behind(shader, pointer),
            Name::Unit(unit, _) => Texture::of_var(shader, variables_at(shader, storage, unit).next()?.0),
            Name::Handle(_) => None,
        }
    }
}

/// The variables of textures (or storage images) that stand for unit `unit`, and which of their elements does.
///
/// What a Gallium driver receives has the unit as binding. After zink's lowering that is a Vulkan binding, and the unit is
/// the driver location; such variables come last.
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

/// How many things that are no arrays `ty` is.
pub fn elements(types: &TypeTable, mut ty: Type) -> u32 {
    let mut count = 1u32;
    while let TypeData::Array { elem, len, .. } = types.get(ty) {
        count = count.saturating_mul(len.unwrap_or(1));
        ty = elem;
    }
    count
}

/// What the texels of an image intrinsic are: as the image is declared, else as the instruction says.
pub fn image_texel(shader: &Shader, inst: Inst) -> AluType {
    let declared = shader.as_intrinsic(inst).and_then(|(_, srcs)| Texture::behind(shader, *srcs.first()?));
    match declared.map(|texture| texture.texel) {
        Some(texel) if texel.base != Base::Bool => texel,
        _ => instr_texel(shader, inst),
    }
}

/// What an image intrinsic itself says of the texels: type, operation or format.
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
