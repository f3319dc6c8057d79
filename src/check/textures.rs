// SPDX-License-Identifier: MIT

//! Textures and images: uses without a translation, and the features that the others need.

use super::feature_check::{Features, DOUBT};
use crate::analysis::textures::{can_have_layers, image_texel, is_separate_sampler, Name, Texture, TextureKind};
use crate::ir::{
    ArrayIndex, Def, DerefKind, Inst, InstData, InstKind, Shader, Stage, TexData, Type, TypeData, TypeTable,
};
use crate::op::meaning::{ImageAccess, ImageName, ImageOperation};
use crate::op::names::{format_base, ImageDim};
use crate::op::TexSrcKind::*;
use crate::op::{Access, AtomicOp, Base, Index, Modes, TexOp};
use crate::target::Feature::{self, *};

/// The first format that not every device has. From here on, only the 64-bit formats do not need
/// shaderStorageImageExtendedFormats.
const FIRST_EXTENDED_FORMAT: u32 = 14;

/// The texture and the sampler of a texture instruction.
pub(super) struct TexNames {
    texture: Name,
    sampler: Name,
    /// The declared type of the texture.
    declared: Option<Texture>,
}

impl TexNames {
    pub(super) fn of(shader: &Shader, tex: &TexData) -> TexNames {
        let texture = Name::of_texture(shader, tex);
        TexNames { texture, sampler: Name::of_sampler(shader, tex), declared: texture.declared(shader, false) }
    }
}

/// The features that texture instructions of a valid shader may need.
#[inline(never)]
pub(super) fn may_need(shader: &Shader) -> Features {
    let mut needs = 0;
    for tex in shader.texs.values() {
        let names = TexNames::of(shader, tex);
        let is_sure = !tex.is_sparse
            && !takes_deref_as_value(shader, tex)
            && refused_operands(shader, tex).is_none()
            && refused_names(shader, tex, &names).is_none();
        needs |= if is_sure { 0 } else { DOUBT };
        tex_needs(shader, tex, &names, &mut |feature| needs |= 1 << feature as u8);
    }
    needs
}

/// Whether a deref is used as a value.
pub(super) fn takes_deref_as_value(shader: &Shader, tex: &TexData) -> bool {
    let may_point = |kind| matches!(kind, texture_deref | sampler_deref | texture_handle | sampler_handle);
    tex.srcs.iter().any(|(kind, def)| !may_point(*kind) && shader.as_deref(*def).is_some())
}

/// The reason why a texture instruction has no translation.
pub(super) fn refused_tex(shader: &Shader, inst: Inst, tex: &TexData) -> Option<&'static str> {
    let by_result = || if tex.is_sparse { refused_sparse(&shader.insts[inst], tex) } else { None };
    let by_names = || refused_names(shader, tex, &TexNames::of(shader, tex));
    refused_operands(shader, tex).or_else(by_result).or_else(by_names)
}

fn refused_operands(shader: &Shader, tex: &TexData) -> Option<&'static str> {
    const OF_BACKENDS: u32 = plane.bit() | backend1.bit() | backend2.bit();
    const BY_INTRINSIC: u32 = texture_deref_intrinsic.bit() | sampler_deref_intrinsic.bit();
    const LEVELS: u32 = lod.bit() | bias.bit();
    const BIASES: u32 = bias.bit() | min_lod.bit();
    let kinds = tex.kinds();
    let is_moving = || tex.src(offset).is_some_and(|def| shader.as_const(def).is_none());
    Some(match tex.op {
        TexOp::samples_identical => "samples_identical operations",
        _ if kinds & OF_BACKENDS != 0 => "planes and sources of a backend's own",
        _ if kinds & BY_INTRINSIC != 0 => "textures named by an intrinsic",
        TexOp::tg4 if kinds & LEVELS != 0 || tex.is_gather_implicit_lod => "gathers of a chosen level",
        TexOp::lod if kinds & BIASES != 0 => "levels of detail with a bias",
        TexOp::tg4 | TexOp::txf | TexOp::txf_ms => return None,
        _ if kinds & offset.bit() != 0 && is_moving() => "offsets that are not constant",
        _ => return None,
    })
}

/// The reason why a sparse result has no translation: it must be the whole texel and the residency code after it.
fn refused_sparse(data: &InstData, tex: &TexData) -> Option<&'static str> {
    let is_whole = data.num_components == 5 || data.num_components == 2 && tex.src(comparator).is_some();
    match (data.bit_size, is_whole) {
        (32, true) => None,
        (32, false) => Some("sparse reads of some components"),
        _ => Some("sparse reads of other than 32 bits"),
    }
}

fn refused_names(shader: &Shader, tex: &TexData, names: &TexNames) -> Option<&'static str> {
    let by_type = || names.declared?.misfit(tex);
    refused_deref(shader, names.texture).or_else(by_type).or_else(|| refused_sampler(shader, tex, names))
}

/// The reason why a deref of a texture or image has no translation.
fn refused_deref(shader: &Shader, name: Name) -> Option<&'static str> {
    let Name::Pointer(pointer) = name else { return None };
    let Some(var) = shader.deref_var(pointer) else { return Some("textures without a variable") };
    let mut ty = shader.vars[var].ty;
    while let TypeData::Array { elem, len, .. } = shader.types.get(ty) {
        if len.map_or(true, |len| len == 0) {
            return Some("arrays of textures without a length");
        }
        ty = elem;
    }
    let is_uniform = shader.vars[var].mode.intersects(Modes::UNIFORM | Modes::IMAGE);
    (!is_uniform).then_some("textures in memory")
}

/// The reason why the sampler has no translation.
fn refused_sampler(shader: &Shader, tex: &TexData, names: &TexNames) -> Option<&'static str> {
    let kind = names.declared.filter(|_| tex.op.samples())?.kind;
    let pointer = match names.sampler {
        Name::Pointer(pointer) => shader.deref_var(pointer).map(|var| (pointer, var)),
        _ => None,
    };
    let is_sampler = pointer.is_some_and(|(pointer, _)| is_separate_sampler(shader, pointer));
    match (kind, names.texture) {
        (TextureKind::Combined, Name::Pointer(texture)) => {
            let differs = |(_, var)| shader.deref_var(texture).is_some_and(|texture| texture != var);
            (!is_sampler && pointer.is_some_and(differs)).then_some("samplers of another texture")
        }
        (TextureKind::Separate, _) => (!is_sampler).then_some("textures without a sampler where one is needed"),
        _ => None,
    }
}

/// The reason why an image intrinsic has no translation.
pub(super) fn refused_image(shader: &Shader, inst: Inst, image: ImageAccess, srcs: &[Def]) -> Option<&'static str> {
    let ImageAccess { operation, name } = image;
    let is_zero = |def: Def| match shader.def(def).kind {
        InstKind::Const(_) => shader.as_const_scalar(def) == Some(0),
        kind => matches!(kind, InstKind::Undef),
    };
    let sparse = operation == ImageOperation::SparseLoad;
    let declared = Texture::of_pointer(shader, srcs[0]);
    let Texture { dim, array, .. } = Texture::of_image(shader, inst);
    let reads = operation == ImageOperation::Load && name == ImageName::Deref;
    let queries_samples = operation == ImageOperation::Samples;
    let own = match declared {
        _ if operation.level().is_some_and(|at| !is_zero(srcs[at])) => Some("levels of storage images"),
        _ if array && !can_have_layers(dim) => Some("layers of images that GL has none of"),
        _ if dim.is_subpass() && !reads => Some("operations on attachments other than reads"),
        _ if dim.is_subpass() && shader.stage() != Stage::Fragment => Some("attachments outside of fragment shaders"),
        _ if queries_samples && dim != ImageDim::ms => Some("samples of images that are not multisample"),
        Some(texture) if texture.texel.base == Base::Bool => Some("images without a texel type"),
        Some(texture) if texture.kind != TextureKind::Storage => Some("image operations on textures"),
        _ if sparse && shader.insts[inst].num_components != 5 => Some("sparse reads of some components"),
        _ if sparse && shader.insts[inst].bit_size != 32 => Some("sparse reads of other than 32 bits"),
        _ => None,
    };
    let name = if declared.is_some() { Name::Pointer(srcs[0]) } else { Name::Handle(srcs[0]) };
    own.or_else(|| refused_deref(shader, name)).or_else(|| refused_atomic(shader, inst, operation))
}

/// The reason why an atomic on an image has no translation.
fn refused_atomic(shader: &Shader, inst: Inst, operation: ImageOperation) -> Option<&'static str> {
    operation.is_atomic().then_some(())?;
    let atomic = AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize)?;
    let texel = image_texel(shader, inst);
    let on_floats = texel.base == Base::Float;
    let fits = match atomic {
        AtomicOp::fcmpxchg | AtomicOp::inc_wrap | AtomicOp::dec_wrap => {
            return Some("wrapping and float compare-and-swap atomics on images");
        }
        AtomicOp::xchg => true,
        AtomicOp::fadd | AtomicOp::fmin | AtomicOp::fmax => on_floats,
        _ => !on_floats,
    };
    if !fits {
        return Some("image atomics of another type than the image");
    }
    (shader.insts[inst].bit_size != texel.bits).then_some("image atomics of another width than the image")
}

/// Calls `need` with each feature that a texture instruction needs.
pub(super) fn tex_needs(shader: &Shader, tex: &TexData, names: &TexNames, need: &mut dyn FnMut(Feature)) {
    let TexNames { texture, sampler, declared } = *names;
    declared.into_iter().for_each(|texture| type_needs(&texture, need));
    if tex.op == TexOp::tg4 && tex.src(offset).is_some_and(|def| shader.as_const(def).is_none()) {
        need(shaderImageGatherExtended);
    }
    if tex.op != TexOp::txl && tex.src(min_lod).is_some() {
        need(shaderResourceMinLod);
    }
    if tex.is_sparse {
        need(shaderResourceResidency);
    }
    let is_buffer = declared.is_some_and(|texture| texture.dim == ImageDim::buf);
    let uses = [(texture, tex.texture_non_uniform), (sampler, tex.sampler_non_uniform)];
    for (name, non_uniform) in uses {
        if is_dynamic(shader, name) {
            need(indexing_feature(false, is_buffer, non_uniform));
        }
    }
}

/// True if the index into an array is not constant.
fn is_dynamic(shader: &Shader, name: Name) -> bool {
    let is_variable = |def: Def| shader.as_const(def).is_none();
    match name {
        Name::Handle(handle) => is_variable(handle),
        Name::Unit(_, added) => added.is_some_and(is_variable),
        Name::Pointer(mut pointer) => loop {
            match shader.as_deref(pointer).map(|deref| deref.kind) {
                Some(DerefKind::Array { index: ArrayIndex::Def(index), .. }) if is_variable(index) => return true,
                Some(kind) => match kind.parent() {
                    Some(parent) => pointer = parent,
                    None => return false,
                },
                None => return false,
            }
        },
    }
}

fn indexing_feature(storage: bool, buffer: bool, non_uniform: bool) -> Feature {
    match (storage, buffer, non_uniform) {
        (false, false, false) => shaderSampledImageArrayDynamicIndexing,
        (false, false, true) => shaderSampledImageArrayNonUniformIndexing,
        (false, true, false) => shaderUniformTexelBufferArrayDynamicIndexing,
        (false, true, true) => shaderUniformTexelBufferArrayNonUniformIndexing,
        (true, false, false) => shaderStorageImageArrayDynamicIndexing,
        (true, false, true) => shaderStorageImageArrayNonUniformIndexing,
        (true, true, false) => shaderStorageTexelBufferArrayDynamicIndexing,
        (true, true, true) => shaderStorageTexelBufferArrayNonUniformIndexing,
    }
}

fn type_needs(texture: &Texture, need: &mut dyn FnMut(Feature)) {
    if texture.dim == ImageDim::cube && texture.array {
        need(imageCubeArray);
    }
    if texture.kind == TextureKind::Storage && texture.dim == ImageDim::ms {
        need(shaderStorageImageMultisample);
    }
    if texture.texel.bits == 64 {
        need(shaderImageInt64Atomics);
    }
}

/// Calls `need` with each feature that an image intrinsic needs.
pub(super) fn image_needs(
    shader: &Shader,
    inst: Inst,
    operation: ImageOperation,
    srcs: &[Def],
    need: &mut dyn FnMut(Feature),
) {
    let pointer = shader.as_deref(srcs[0]).is_some();
    let texture = Texture::of_image(shader, inst);
    let dim = texture.dim;
    type_needs(&texture, need);
    if operation.is_atomic() {
        atomic_needs(shader, inst, texture.texel.base, need);
    } else if !dim.is_subpass() {
        let declared = shader.deref_var(srcs[0]).map(|var| shader.vars[var].image_format);
        let format = declared.unwrap_or_else(|| shader.index(inst, Index::format));
        // A pass removes a format of another base than the image's.
        let format = if format_base(format).is_some_and(|base| base == texture.texel.base) { format } else { 0 };
        match (format, operation.loads(), operation.writes()) {
            (0, true, _) => need(shaderStorageImageReadWithoutFormat),
            (0, _, true) => need(shaderStorageImageWriteWithoutFormat),
            (FIRST_EXTENDED_FORMAT.., ..) if texture.texel.bits == 32 => need(shaderStorageImageExtendedFormats),
            _ => {}
        }
        if operation == ImageOperation::SparseLoad {
            need(shaderResourceResidency);
        }
    }
    let name = if pointer { Name::Pointer(srcs[0]) } else { Name::Handle(srcs[0]) };
    if is_dynamic(shader, name) {
        let access = Access::from_bits_truncate(shader.index(inst, Index::access));
        need(match (dim.is_subpass(), access.contains(Access::NON_UNIFORM)) {
            (true, false) => shaderInputAttachmentArrayDynamicIndexing,
            (true, true) => shaderInputAttachmentArrayNonUniformIndexing,
            (false, non_uniform) => indexing_feature(true, dim == ImageDim::buf, non_uniform),
        });
    }
}

fn atomic_needs(shader: &Shader, inst: Inst, base: Base, need: &mut dyn FnMut(Feature)) {
    match AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize) {
        Some(AtomicOp::fadd) => need(shaderImageFloat32AtomicAdd),
        Some(AtomicOp::fmin | AtomicOp::fmax) => need(shaderImageFloat32AtomicMinMax),
        Some(_) if base == Base::Float => need(shaderImageFloat32Atomics),
        _ => {}
    }
}

/// True if a deref with these modes and this type is of a uniform, or a part of one, that is not a texture, image or sampler.
pub(super) fn is_loose_uniform(types: &TypeTable, modes: Modes, ty: Type) -> bool {
    let is_opaque = |ty| {
        let leaf = types.get(types.without_arrays(ty));
        matches!(leaf, TypeData::Texture { .. } | TypeData::Image { .. } | TypeData::Sampler { .. })
    };
    modes.intersects(Modes::UNIFORM | Modes::IMAGE) && !is_opaque(ty)
}
