//! Textures and images: what has no translation, and the features that the rest needs.

use crate::analysis::textures::{image_texel, Name, Texture, TextureKind};
use crate::ir::{ArrayIndex, Def, DerefKind, Inst, InstKind, Shader, TexData};
use crate::op::names::{format_base, ImageDim};
use crate::op::TexSrcKind::*;
use crate::op::{Access, AtomicOp, Base, Index, Intrinsic, TexOp};
use crate::target::Feature::{self, *};

/// Formats that every device has stand before this one in the list; behind it only those of 64 bits are no feature's.
const FIRST_EXTENDED_FORMAT: u32 = 14;

/// What of the texture instruction has no translation.
pub(super) fn refused_tex(shader: &Shader, inst: Inst, tex: &TexData) -> Option<&'static str> {
    let has = |kind| tex.src(kind).is_some();
    let declared = Name::of_texture(shader, tex).declared(shader, false);
    let dim = declared.map(|texture| texture.dim);
    let is_constant = |kind| tex.src(kind).map_or(true, |def| shader.as_const(def).is_some());
    let rules = [
        (tex.op == TexOp::samples_identical, "samples_identical operations"),
        ([plane, backend1, backend2].into_iter().any(has), "planes and sources of a backend's own"),
        (has(texture_deref_intrinsic) || has(sampler_deref_intrinsic), "textures named by an intrinsic"),
        (declared.is_some_and(|texture| texture.kind == TextureKind::Storage), "texture operations on storage images"),
        (declared.is_some_and(|texture| texture.texel.base == Base::Bool), "textures without a texel type"),
        (has_own_sampler(shader, tex, declared), "samplers apart from a texture that has its own"),
        (lacks_sampler(shader, tex, declared), "textures without a sampler where one is needed"),
        (tex.op == TexOp::tg4 && (has(lod) || has(bias) || tex.is_gather_implicit_lod), "gathers of a chosen level"),
        (tex.op == TexOp::lod && (has(bias) || has(min_lod)), "levels of detail with a bias"),
        (tex.op != TexOp::tg4 && !tex.op.fetches() && !is_constant(offset), "offsets that are not constant"),
        (tex.op.samples() && dim.is_some_and(is_fetched_only), "sampling of multisample and buffer textures"),
        (tex.op.fetches() && dim == Some(ImageDim::cube), "fetches from cubes"),
        (tex.is_sparse && shader.insts[inst].bit_size != 32, "sparse reads of other than 32 bits"),
        (tex.is_sparse && !is_whole_sparse(shader, inst, has(comparator)), "sparse reads of some components"),
    ];
    rules.into_iter().find(|(applies, _)| *applies).map(|(_, what)| what)
}

fn is_fetched_only(dim: ImageDim) -> bool {
    matches!(dim, ImageDim::ms | ImageDim::buf | ImageDim::subpass | ImageDim::subpass_ms)
}

/// The texel and the code behind it.
fn is_whole_sparse(shader: &Shader, inst: Inst, compared: bool) -> bool {
    let n = shader.insts[inst].num_components;
    n == 5 || n == 2 && compared
}

/// True if a combined texture is read through another variable's sampler.
fn has_own_sampler(shader: &Shader, tex: &TexData, declared: Option<Texture>) -> bool {
    let combined = declared.is_some_and(|texture| texture.kind == TextureKind::Combined) && tex.op.samples();
    let root = |name| match name {
        Name::Pointer(pointer) => shader.deref_var(pointer),
        _ => None,
    };
    let vars = (root(Name::of_texture(shader, tex)), root(Name::of_sampler(shader, tex)));
    combined && matches!(vars, (Some(texture), Some(sampler)) if texture != sampler)
}

fn lacks_sampler(shader: &Shader, tex: &TexData, declared: Option<Texture>) -> bool {
    let separate = declared.is_some_and(|texture| texture.kind == TextureKind::Separate) && tex.op.samples();
    separate && !matches!(Name::of_sampler(shader, tex), Name::Pointer(_))
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
    let atomic = AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize);
    let is_atomic = op.info().index_slot(Index::atomic_op).is_some();
    let texel = image_texel(shader, inst);
    let is_float_op = matches!(atomic, Some(AtomicOp::fadd | AtomicOp::fmin | AtomicOp::fmax));
    let missing = matches!(atomic, Some(AtomicOp::fcmpxchg | AtomicOp::inc_wrap | AtomicOp::dec_wrap));
    let compares = matches!(atomic, Some(AtomicOp::cmpxchg));
    let swaps = compares || matches!(atomic, Some(AtomicOp::xchg));
    let is_float = texel.base == Base::Float;
    let sparse = matches!(op, image_sparse_load | image_deref_sparse_load | bindless_image_sparse_load);
    let rules = [
        (lod_at.is_some_and(|at| !is_zero(srcs[at])), "levels of storage images"),
        (is_atomic && missing, "wrapping and float compare-and-swap atomics on images"),
        (is_atomic && (is_float_op != is_float && !swaps || compares && is_float), "image atomics of another type"),
        (is_atomic && shader.insts[inst].bit_size != texel.bits, "image atomics of another width"),
        (sparse && shader.insts[inst].num_components != 5, "sparse reads of some components"),
        (sparse && shader.insts[inst].bit_size != 32, "sparse reads of other than 32 bits"),
        (is_other_than_image(shader, srcs[0]), "image operations on textures"),
    ];
    rules.into_iter().find(|(applies, _)| *applies).map(|(_, what)| what)
}

fn is_other_than_image(shader: &Shader, pointer: Def) -> bool {
    let texture = Texture::behind(shader, pointer);
    shader.as_deref(pointer).is_some()
        && (shader.deref_var(pointer).is_none() || texture.map_or(true, |texture| texture.kind != TextureKind::Storage))
}

/// Calls `need` with each feature of textures and images that `inst` needs.
pub(super) fn for_each_need(shader: &Shader, inst: Inst, mut need: impl FnMut(Feature)) {
    match shader.insts[inst].kind {
        InstKind::Tex(tex) => tex_needs(shader, &shader.texs[tex], &mut need),
        InstKind::Intrinsic { op, srcs, .. } if op.info().index_slot(Index::image_dim).is_some() => {
            image_needs(shader, inst, op, &shader.srcs[srcs], &mut need);
        }
        _ => {}
    }
}

fn tex_needs(shader: &Shader, tex: &TexData, need: &mut impl FnMut(Feature)) {
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

fn image_needs(shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def], need: &mut impl FnMut(Feature)) {
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
    let is_atomic = op.info().index_slot(Index::atomic_op).is_some();
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
    if is_dynamic(shader, name) && !dim.is_subpass() {
        let access = Access::from_bits_truncate(shader.index(inst, Index::access));
        need(indexing_feature(true, dim == ImageDim::buf, access.contains(Access::NON_UNIFORM)));
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
