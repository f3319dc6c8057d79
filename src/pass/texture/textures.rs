// SPDX-License-Identifier: MIT

//! Types of textures that are identified by a unit or a handle, which a dump does not contain, for
//! [`lower_descriptors`](super::lower_descriptors).
//!
//! NIR has dimensionality, layers and comparison in each texture instruction, but does not print them. A declared variable has
//! them. If no variable is declared, the number of coordinates gives the dimensions, and the rest is the most common texture
//! that supports the operation: for three coordinates a cube, or layers where a cube is not possible.

use crate::analysis::textures::{Texture, TextureKind};
use crate::ir::{Inst, Shader, TexData, VarFlags, Variable};
use crate::op::meaning::ImageName;
use crate::op::names::ImageDim;
use crate::op::{intrinsics_where, AluType, Base, Index, IntrinsicSet, Modes, TexOp, TexSrcKind};

/// True if there may be an operation on an image.
pub(super) fn uses_images(shader: &Shader) -> bool {
    shader.inventory().has_some(&IMAGE_OPS)
}

/// True if there may be an operation on an image other than by deref.
pub(super) fn uses_unnamed_images(shader: &Shader) -> bool {
    shader.inventory().has_some(&UNNAMED_IMAGE_OPS)
}

/// The operations on images by unit and by handle.
static UNNAMED_IMAGE_OPS: IntrinsicSet =
    intrinsics_where!(|_info, meaning| matches!(meaning.image, Some(image) if !matches!(image.name, ImageName::Deref)));

/// The operations on images, these and those by pointer.
static IMAGE_OPS: IntrinsicSet = intrinsics_where!(|_info, meaning| meaning.image.is_some());

/// The type of a texture, as far as it follows from an instruction that reads it.
pub(super) fn guess(shader: &Shader, inst: Inst, tex: &TexData) -> Texture {
    let shadow = tex.src(TexSrcKind::comparator).is_some();
    let components = tex.src(TexSrcKind::coord).map(|coord| shader.num_components(coord));
    let is_point = tex.op.fetches() || tex.src(TexSrcKind::offset).is_some() || tex.offsets.is_some();
    // A query's result has as many components as the texture has dimensions.
    let size = shader.insts[inst].num_components;
    let (dim, array) = match (tex.op, components) {
        (TexOp::txf_ms, Some(3..)) => (ImageDim::ms, true),
        (TexOp::txf_ms | TexOp::texture_samples, _) => (ImageDim::ms, false),
        (TexOp::txs, None) if size == 1 => (ImageDim::dim_1d, false),
        (TexOp::txs, None) if size == 3 => (ImageDim::dim_2d, true),
        (op, Some(1)) if op != TexOp::tg4 => (ImageDim::dim_1d, false),
        (_, Some(3..)) if is_point => (ImageDim::dim_2d, true),
        (_, Some(3)) => (ImageDim::cube, false),
        (_, Some(4)) => (ImageDim::cube, true),
        _ => (ImageDim::dim_2d, false),
    };
    let says_texel = !shadow && !tex.op.is_query() && tex.op != TexOp::lod && tex.dest_type.base != Base::Bool;
    let base = if says_texel { tex.dest_type.base } else { Base::Float };
    Texture { dim, array, shadow, texel: AluType::new(base, 32), kind: TextureKind::Combined }
}

/// True if `tex` may read `texture`: it supports the operation, and the number and kind of coordinates and results agree.
pub(super) fn suits(shader: &Shader, tex: &TexData, texture: &Texture) -> bool {
    let coordinates = tex.src(TexSrcKind::coord).map(|coord| shader.num_components(coord));
    let says_texel = !tex.op.is_query() && tex.op != TexOp::lod;
    texture.misfit(tex).is_none()
        && coordinates.map_or(true, |n| n == texture.coordinates())
        && (tex.op.is_query() || texture.shadow == tex.src(TexSrcKind::comparator).is_some())
        && (!says_texel || (texture.texel.base == Base::Float) == (tex.dest_type.base == Base::Float))
}

/// The type of the texture of a handle: that of a compatible declared variable, else guessed.
pub(super) fn of_handle(shader: &Shader, inst: Inst, tex: &TexData) -> Texture {
    let declared = handle_types(shader).map(|(texture, _)| texture);
    let mut declared = declared.filter(|texture| texture.kind == TextureKind::Combined);
    declared.find(|texture| suits(shader, tex, texture)).unwrap_or_else(|| guess(shader, inst, tex))
}

/// The format of the image of a handle.
pub(super) fn format_of_handle(shader: &Shader, inst: Inst, texture: Texture) -> u32 {
    let said = shader.index(inst, Index::format);
    let declared = handle_types(shader).find(|(other, _)| *other == texture).map(|(_, format)| format);
    declared.filter(|_| said == 0).unwrap_or(said)
}

/// Types and formats of variables that may hold handles.
fn handle_types(shader: &Shader) -> impl Iterator<Item = (Texture, u32)> + '_ {
    let may_hold = |variable: &Variable| {
        variable.flags.contains(VarFlags::BINDLESS) || !variable.mode.intersects(Modes::UNIFORM | Modes::IMAGE)
    };
    let vars = shader.vars.iter().filter(move |(_, variable)| may_hold(variable));
    vars.filter_map(|(var, variable)| Some((Texture::of_var(shader, var)?, variable.image_format)))
}

/// True if `inst`, whose image has the type `said`, may access an image that is declared as `declared`. Integers of either sign
/// are compatible, because the bits are the same; a query has no texel type.
pub(super) fn suits_image(shader: &Shader, inst: Inst, declared: &Texture, said: &Texture) -> bool {
    let image = shader.as_intrinsic(inst).and_then(|(op, _)| op.meaning().image);
    let any_texel = image.is_some_and(|image| image.operation.is_query());
    let (a, b) = (declared.texel, said.texel);
    let same_numbers = a.bits == b.bits && (a.base == Base::Float) == (b.base == Base::Float);
    (declared.dim, declared.array) == (said.dim, said.array) && (any_texel || same_numbers)
}
