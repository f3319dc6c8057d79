//! Textures and images: what has no translation, and the features that the rest needs.

use crate::analysis::textures::{can_have_layers, image_texel, Name, Texture, TextureKind};
use crate::ir::{ArrayIndex, Def, Deref, DerefKind, Inst, InstKind, Shader, Stage, TexData, TypeData, Variable};
use crate::op::names::{format_base, ImageDim};
use crate::op::TexSrcKind::*;
use crate::op::{Access, AtomicOp, Base, Index, Intrinsic, Modes, TexOp, TexSrcKind};
use crate::target::Feature::{self, *};

/// Formats that every device has stand before this one in the list; behind it only those of 64 bits are no feature's.
const FIRST_EXTENDED_FORMAT: u32 = 14;

/// Whether `tex`, of a valid shader, is like most: it samples floats through a variable that is no array, has a translation, and
/// needs no feature.
pub(super) fn is_usual(shader: &Shader, tex: &TexData) -> bool {
    use ImageDim::{cube, dim_1d, dim_2d, dim_3d};
    let is_plain = |kind: TexSrcKind| matches!(kind, coord | lod | bias | ddx | ddy | texture_deref | sampler_deref);
    let is_value = |(kind, def): &(TexSrcKind, Def)| {
        let is_pointer = matches!(shader.def(*def).kind, InstKind::Deref(_));
        is_plain(*kind) & (is_pointer == matches!(kind, texture_deref | sampler_deref))
    };
    let var = |kind| match shader.as_deref(tex.src(kind)?)?.kind {
        DerefKind::Var(var) => Some(var),
        _ => None,
    };
    let Some(variable) = var(texture_deref).filter(|texture| var(sampler_deref) == Some(*texture)) else {
        return false;
    };
    let Variable { ty, mode, .. } = shader.vars[variable];
    let TypeData::Texture { dim, array, texel, bare, .. } = shader.types.get(ty) else { return false };
    matches!(tex.op, TexOp::tex | TexOp::txb | TexOp::txl | TexOp::txd)
        && tex.srcs.iter().all(is_value)
        && (texel.base == Base::Float && texel.bits == 32 && !bare && !tex.is_sparse && tex.offsets.is_none())
        && (matches!(dim, dim_1d | dim_2d) || matches!(dim, dim_3d | cube) && !array)
        && mode.intersects(Modes::UNIFORM | Modes::IMAGE)
}

/// What of the texture instruction has no translation.
pub(super) fn refused_tex(shader: &Shader, inst: Inst, tex: &TexData) -> Option<&'static str> {
    let has = |kind| tex.src(kind).is_some();
    let is_constant = |kind| tex.src(kind).map_or(true, |def| shader.as_const(def).is_some());
    let rules = [
        (tex.op == TexOp::samples_identical, "samples_identical operations"),
        ([plane, backend1, backend2].into_iter().any(has), "planes and sources of a backend's own"),
        (has(texture_deref_intrinsic) || has(sampler_deref_intrinsic), "textures named by an intrinsic"),
        (tex.op == TexOp::tg4 && (has(lod) || has(bias) || tex.is_gather_implicit_lod), "gathers of a chosen level"),
        (tex.op == TexOp::lod && (has(bias) || has(min_lod)), "levels of detail with a bias"),
        (tex.op != TexOp::tg4 && !tex.op.fetches() && !is_constant(offset), "offsets that are not constant"),
        (tex.is_sparse && shader.insts[inst].bit_size != 32, "sparse reads of other than 32 bits"),
        (tex.is_sparse && !is_whole_sparse(shader, inst, has(comparator)), "sparse reads of some components"),
    ];
    let own = rules.into_iter().find(|(applies, _)| *applies).map(|(_, what)| what);
    let name = Name::of_texture(shader, tex);
    let by_type = || refused_texture(shader, tex, name.declared(shader, false)?);
    own.or_else(|| refused_pointer(shader, name)).or_else(by_type)
}

/// What of a pointer to a texture or image has no translation.
fn refused_pointer(shader: &Shader, name: Name) -> Option<&'static str> {
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

/// What of an operation on such a texture has no translation.
fn refused_texture(shader: &Shader, tex: &TexData, texture: Texture) -> Option<&'static str> {
    let rules = [
        (has_own_sampler(shader, tex, texture), "samplers apart from a texture that has its own"),
        (lacks_sampler(shader, tex, texture), "textures without a sampler where one is needed"),
    ];
    let by_sampler = || rules.into_iter().find(|(applies, _)| *applies).map(|(_, what)| what);
    texture.misfit(tex).or_else(by_sampler)
}

/// The texel and the code behind it.
fn is_whole_sparse(shader: &Shader, inst: Inst, compared: bool) -> bool {
    let n = shader.insts[inst].num_components;
    n == 5 || n == 2 && compared
}

/// True if a combined texture is read through another variable's sampler.
fn has_own_sampler(shader: &Shader, tex: &TexData, texture: Texture) -> bool {
    let root = |name| match name {
        Name::Pointer(pointer) => shader.deref_var(pointer),
        _ => None,
    };
    let vars = (root(Name::of_texture(shader, tex)), root(Name::of_sampler(shader, tex)));
    let differ = matches!(vars, (Some(texture), Some(sampler)) if texture != sampler);
    texture.kind == TextureKind::Combined && tex.op.samples() && differ
}

/// True if a texture without a sampler is not given one by a pointer to a bare sampler.
fn lacks_sampler(shader: &Shader, tex: &TexData, texture: Texture) -> bool {
    let is_sampler = match Name::of_sampler(shader, tex) {
        Name::Pointer(pointer) => {
            let ty = shader.as_deref(pointer).map(|deref| shader.types.get(deref.ty));
            shader.deref_var(pointer).is_some() && matches!(ty, Some(TypeData::Sampler { .. }))
        }
        _ => false,
    };
    texture.kind == TextureKind::Separate && tex.op.samples() && !is_sampler
}

/// What of the image intrinsic has no translation.
pub(super) fn refused_image(shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Option<&'static str> {
    use Intrinsic::*;
    let lod_at = match op {
        image_load | image_sparse_load | image_deref_load | image_deref_sparse_load => Some(3),
        bindless_image_load | bindless_image_sparse_load => Some(3),
        image_store | image_deref_store | bindless_image_store => Some(4),
        image_size | image_deref_size | bindless_image_size => Some(1),
        _ => None,
    };
    let is_zero = |def: Def| match shader.def(def).kind {
        InstKind::Const(_) => shader.as_const_scalar(def) == Some(0),
        kind => matches!(kind, InstKind::Undef),
    };
    let sparse = matches!(op, image_sparse_load | image_deref_sparse_load | bindless_image_sparse_load);
    let declared = Texture::behind(shader, srcs[0]);
    let said = ImageDim::ALL.get(shader.index(inst, Index::image_dim) as usize).copied();
    let dim = declared.map(|texture| texture.dim).or(said).unwrap_or(ImageDim::dim_2d);
    let array = declared.map_or(shader.index(inst, Index::image_array) != 0, |texture| texture.array);
    let reads = matches!(op, image_deref_load);
    let queries_samples = matches!(op, image_samples | image_deref_samples | bindless_image_samples);
    let rules = [
        (lod_at.is_some_and(|at| !is_zero(srcs[at])), "levels of storage images"),
        (array && !can_have_layers(dim), "layers of images that GL has none of"),
        (dim.is_subpass() && !reads, "operations on attachments other than reads"),
        (dim.is_subpass() && shader.stage() != Stage::Fragment, "attachments outside of fragment shaders"),
        (queries_samples && dim != ImageDim::ms, "samples of images that are not multisample"),
        (declared.is_some_and(|t| t.texel.base == Base::Bool), "images without a texel type"),
        (declared.is_some_and(|t| t.kind != TextureKind::Storage), "image operations on textures"),
        (sparse && shader.insts[inst].num_components != 5, "sparse reads of some components"),
        (sparse && shader.insts[inst].bit_size != 32, "sparse reads of other than 32 bits"),
    ];
    let own = rules.into_iter().find(|(applies, _)| *applies).map(|(_, what)| what);
    let name = if declared.is_some() { Name::Pointer(srcs[0]) } else { Name::Handle(srcs[0]) };
    own.or_else(|| refused_pointer(shader, name)).or_else(|| refused_atomic(shader, inst, op))
}

/// What of an atomic on an image has no translation.
fn refused_atomic(shader: &Shader, inst: Inst, op: Intrinsic) -> Option<&'static str> {
    op.info().index_slot(Index::atomic_op)?;
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

/// Calls `need` with each feature of textures that a texture instruction needs.
pub(super) fn tex_needs(shader: &Shader, tex: &TexData, need: &mut impl FnMut(Feature)) {
    let (texture, sampler) = (Name::of_texture(shader, tex), Name::of_sampler(shader, tex));
    let declared = texture.declared(shader, false);
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

/// True if the element of an array is not known before the shader runs.
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

fn type_needs(texture: &Texture, need: &mut impl FnMut(Feature)) {
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

/// Calls `need` with each feature of images that an intrinsic on one needs.
pub(super) fn image_needs(shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def], need: &mut impl FnMut(Feature)) {
    use Intrinsic::*;
    let pointer = shader.as_deref(srcs[0]).is_some();
    let dim = ImageDim::ALL.get(shader.index(inst, Index::image_dim) as usize).copied().unwrap_or(ImageDim::dim_2d);
    let said = Texture {
        dim,
        array: shader.index(inst, Index::image_array) != 0,
        shadow: false,
        texel: image_texel(shader, inst),
        kind: TextureKind::Storage,
    };
    let texture = Texture::behind(shader, srcs[0]).unwrap_or(said);
    type_needs(&texture, need);
    let is_atomic = op.info().has_index(Index::atomic_op);
    if is_atomic {
        atomic_needs(shader, inst, texture.texel.base, need);
    } else if !dim.is_subpass() {
        let declared = shader.deref_var(srcs[0]).map(|var| shader.vars[var].image_format);
        let format = declared.unwrap_or_else(|| shader.index(inst, Index::format));
        // One of another type than the image is dropped on the way.
        let format = if format_base(format).is_some_and(|base| base == texture.texel.base) { format } else { 0 };
        let is_read = matches!(op, image_load | image_deref_load | bindless_image_load)
            || matches!(op, image_sparse_load | image_deref_sparse_load | bindless_image_sparse_load);
        let is_write = matches!(op, image_store | image_deref_store | bindless_image_store);
        match (format, is_read, is_write) {
            (0, true, _) => need(shaderStorageImageReadWithoutFormat),
            (0, _, true) => need(shaderStorageImageWriteWithoutFormat),
            (FIRST_EXTENDED_FORMAT.., ..) if texture.texel.bits == 32 => need(shaderStorageImageExtendedFormats),
            _ => {}
        }
        if matches!(op, image_sparse_load | image_deref_sparse_load | bindless_image_sparse_load) {
            need(shaderResourceResidency);
        }
    }
    let name = if pointer { Name::Pointer(srcs[0]) } else { Name::Handle(srcs[0]) };
    if is_dynamic(shader, name) {
        let access = Access::from_bits_truncate(shader.index(inst, Index::access));
        need(match (texture.dim.is_subpass(), access.contains(Access::NON_UNIFORM)) {
            (true, false) => shaderInputAttachmentArrayDynamicIndexing,
            (true, true) => shaderInputAttachmentArrayNonUniformIndexing,
            (false, non_uniform) => indexing_feature(true, dim == ImageDim::buf, non_uniform),
        });
    }
}

fn atomic_needs(shader: &Shader, inst: Inst, base: Base, need: &mut impl FnMut(Feature)) {
    match AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize) {
        Some(AtomicOp::fadd) => need(shaderImageFloat32AtomicAdd),
        Some(AtomicOp::fmin | AtomicOp::fmax) => need(shaderImageFloat32AtomicMinMax),
        Some(_) if base == Base::Float => need(shaderImageFloat32Atomics),
        _ => {}
    }
}

/// True if `deref` points at or into what is no texture, image or sampler, among the uniforms.
pub(super) fn is_loose_uniform(shader: &Shader, deref: &Deref) -> bool {
    if !deref.modes.intersects(Modes::UNIFORM | Modes::IMAGE) {
        return false;
    }
    let leaf = shader.types.get(shader.types.without_arrays(deref.ty));
    !matches!(leaf, TypeData::Texture { .. } | TypeData::Image { .. } | TypeData::Sampler { .. })
}
