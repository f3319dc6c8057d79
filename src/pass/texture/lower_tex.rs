// SPDX-License-Identifier: MIT

//! Lowers texture operations to the forms that SPIR-V has.
//!
//! **What and why.** By requirement of SPIR-V or Vulkan:
//!
//! - Only fragment shaders, and compute shaders with derivative groups, have an implicit level of detail (SPIR-V,
//!   OpImageSampleImplicitLod). Others sample level 0, or the one that the bias specifies.
//! - Coordinates have as many components as the texture has dimensions, layer included; gradients and offsets have one for each
//!   dimension. Numbers have 32 bits, also those of image intrinsics.
//! - A projector divides the coordinates here where no `Proj` instruction can (arrays, cubes, sparse textures).
//! - Offsets that are not constant are only for gathers (VUID-StandaloneSpirv-Offset-04663); those of fetches are added.
//! - `min_lod` is for instructions with an implicit level (SPIR-V 3.14, MinLod); an explicit level is clamped here.
//! - Four offsets for one gather are a feature (shaderImageGatherExtended); without it, there are four gathers.
//!
//! Before:
//!
//! ```text
//! 32x4   %3 = (float32)tex %2 (texture_deref), %1 (coord)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %3 = load_const (0x00000000 = 0.000000)
//! 32x4  %4 = (float32)txl %2 (texture_deref), %1 (0.500000, 0.500000) (coord), %3 (0.000000) (lod), 0 (sampler)
//! ```

use super::textures::uses_images;
use crate::analysis::textures::Texture;
use crate::entity::Slice;
use crate::ir::{
    rewrite, AluFlags, AluSrc, Builder, Def, Edit, Inst, InstData, InstKind, Shader, Swizzle, Tex, TexData,
};
use crate::op::TexSrcKind::{self, *};
use crate::op::{AluOp, Base, Facts, Index, Intrinsic, TexOp};
use crate::pass::{Context, Pass};
use crate::target::Feature;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_tex",
    about: "lowers texture operations to the forms that SPIR-V has",
    facts: Facts::TEXTURES.union(Facts::IMAGES),
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    let implicit_lod = shader.info.has_implicit_lod();
    // For images, only narrow coordinates are changed.
    let may_widen = uses_images(shader) && shader.inventory().may_have(Facts::widths(16));
    if !may_widen && shader.texs.values().all(|tex| is_plain(shader, tex, implicit_lod)) {
        return false;
    }
    let gather_offsets = context.target.has(Feature::shaderImageGatherExtended);
    let mut changed = false;
    let moved = rewrite(shader, |b, inst| {
        let tex = match b.shader.insts[inst].kind {
            InstKind::Tex(tex) => tex,
            InstKind::Intrinsic { op, srcs, .. } if op.info().index_slot(Index::image_dim).is_some() => {
                widen_texel_place(b, srcs);
                return Edit::Keep;
            }
            _ => return Edit::Keep,
        };
        let before = b.shader.texs[tex];
        let edit = lower(b, inst, tex, implicit_lod, gather_offsets);
        changed |= edit != Edit::Keep || b.shader.texs[tex] != before;
        edit
    });
    moved || changed
}

/// Whether `tex` needs no change, by a quick check that covers most: it samples, with as many coordinates as the texture has
/// dimensions.
fn is_plain(shader: &Shader, tex: &TexData, implicit_lod: bool) -> bool {
    let texture = tex.src(texture_deref).and_then(|pointer| Texture::of_pointer(shader, pointer));
    let Some(coordinates) = texture.map(|texture| texture.coordinates()) else { return false };
    let is_plain = |(kind, def): &(TexSrcKind, Def)| {
        let InstData { num_components, bit_size, .. } = *shader.def(*def);
        match kind {
            coord => bit_size == 32 && num_components == coordinates,
            lod | bias | comparator => bit_size == 32,
            texture_deref | sampler_deref => true,
            _ => false,
        }
    };
    tex.offsets.is_none()
        && tex.op != TexOp::lod
        && (implicit_lod || !tex.op.has_implicit_lod())
        && tex.srcs.iter().all(is_plain)
}

fn lower(b: &mut Builder<'_>, inst: Inst, tex: Tex, implicit_lod: bool, gather_offsets: bool) -> Edit {
    let pointer = b.shader.texs[tex].src(texture_deref);
    let Some(texture) = pointer.and_then(|pointer| Texture::of_pointer(b.shader, pointer)) else { return Edit::Keep };
    if b.shader.texs[tex].op.has_implicit_lod() && !implicit_lod {
        if b.shader.texs[tex].op == TexOp::lod {
            let data = b.shader.insts[inst];
            return Edit::Replace(b.constant(data.bit_size, &[0; 4][..usize::from(data.num_components.min(4))]));
        }
        sample_level_zero(b, tex);
    }
    widen(b, tex);
    if !texture.can_project() || b.shader.texs[tex].is_sparse || !can_project(b.shader.texs[tex].op) {
        project(b, tex, texture);
    }
    add_offset(b, tex);
    raise_lod(b, tex);
    fit(b, tex, texture);
    if b.shader.texs[tex].offsets.is_some() && !gather_offsets {
        return Edit::Replace(gather_four(b, inst, tex));
    }
    Edit::Keep
}

fn can_project(op: TexOp) -> bool {
    matches!(op, TexOp::tex | TexOp::txb | TexOp::txl | TexOp::txd)
}

/// Replaces the implicit level of detail of an operation by the bias, else by 0.
fn sample_level_zero(b: &mut Builder<'_>, tex: Tex) {
    let level = match b.shader.texs[tex].take_src(bias) {
        Some(level) => level,
        None => b.imm32(0),
    };
    let tex = &mut b.shader.texs[tex];
    tex.op = TexOp::txl;
    tex.set_src(lod, level);
}

/// Makes all numbers 32 bits wide.
fn widen(b: &mut Builder<'_>, tex: Tex) {
    for at in 0..b.shader.texs[tex].srcs.len() {
        let (kind, def) = b.shader.texs[tex].srcs[at];
        let op = match kind.base(b.shader.texs[tex].op) {
            Some(Base::Float) => AluOp::f2f32,
            Some(_) => AluOp::i2i32,
            None => continue,
        };
        if b.shader.bit_size(def) != 32 {
            let wide = b.alu(op, &[def]);
            b.shader.texs[tex].srcs[at].1 = wide;
        }
    }
}

/// Widens the coordinates and the sample of an image intrinsic to 32 bits: all of its sources before the texel.
fn widen_texel_place(b: &mut Builder<'_>, srcs: Slice) {
    for at in 1..srcs.len().min(3) {
        let def = b.shader.srcs[srcs][at];
        if b.shader.bit_size(def) == 16 {
            b.shader.srcs[srcs][at] = b.alu(AluOp::i2i32, &[def]);
        }
    }
}

/// Divides the coordinates, except the layer, and the comparison value.
fn project(b: &mut Builder<'_>, tex: Tex, texture: Texture) {
    let Some(divisor) = b.shader.texs[tex].take_src(projector) else { return };
    if let Some(point) = b.shader.texs[tex].src(coord) {
        let point = b.vec_of(b.shader.num_components(point), |b, c| {
            let part = b.channel(point, c);
            match c < texture.dim.coordinates() {
                true => b.alu(AluOp::fdiv, &[part, divisor]),
                false => part,
            }
        });
        b.shader.texs[tex].set_src(coord, point);
    }
    if let Some(reference) = b.shader.texs[tex].src(comparator) {
        let reference = b.alu(AluOp::fdiv, &[reference, divisor]);
        b.shader.texs[tex].set_src(comparator, reference);
    }
}

/// Adds the offset of a fetch that is not constant to the coordinates.
fn add_offset(b: &mut Builder<'_>, tex: Tex) {
    let data = &b.shader.texs[tex];
    let (Some(point), Some(by)) = (data.src(coord), data.src(offset)) else { return };
    if !data.op.fetches() || b.shader.as_const(by).is_some() {
        return;
    }
    let n = b.shader.num_components(point);
    let by = resize(b, by, n);
    let point = b.iadd(point, by);
    let data = &mut b.shader.texs[tex];
    data.take_src(offset);
    data.set_src(coord, point);
}

/// Clamps an explicit level of detail to the minimum.
fn raise_lod(b: &mut Builder<'_>, tex: Tex) {
    let data = &b.shader.texs[tex];
    let (TexOp::txl, Some(level), Some(least)) = (data.op, data.src(lod), data.src(min_lod)) else { return };
    let level = b.alu(AluOp::fmax, &[level, least]);
    let data = &mut b.shader.texs[tex];
    data.take_src(min_lod);
    data.set_src(lod, level);
}

/// Gives coordinates, gradients and offsets as many components as the texture requires.
fn fit(b: &mut Builder<'_>, tex: Tex, texture: Texture) {
    let dimensions = texture.dim.coordinates();
    let coordinates = match b.shader.texs[tex].op {
        // The layer does not affect the level of detail.
        TexOp::lod => dimensions,
        _ => texture.coordinates(),
    };
    for (kind, n) in [(coord, coordinates), (ddx, dimensions), (ddy, dimensions), (offset, dimensions)] {
        if let Some(def) = b.shader.texs[tex].src(kind) {
            let fitting = resize(b, def, n);
            b.shader.texs[tex].set_src(kind, fitting);
        }
    }
}

/// The first `n` components of `def`, padded with zeros.
fn resize(b: &mut Builder<'_>, def: Def, n: u8) -> Def {
    let has = b.shader.num_components(def);
    if n == has {
        return def;
    }
    if let Some(values) = b.shader.as_const(def) {
        let mut resized = [0; 16];
        resized.iter_mut().zip(values).for_each(|(to, value)| *to = *value);
        return b.constant(b.shader.bit_size(def), &resized[..usize::from(n)]);
    }
    let src = AluSrc { def, swizzle: Swizzle::IDENTITY };
    if n < has {
        return b.alu_with(AluOp::mov, AluFlags::empty(), &[src], Some((n, b.shader.bit_size(def))));
    }
    let zero = b.imm(b.shader.bit_size(def), 0);
    b.vec_of(n, |b, c| if c < has { b.channel(def, c) } else { zero })
}

/// A gather with four offsets: the texel at an offset is the last component of a gather with that offset.
fn gather_four(b: &mut Builder<'_>, inst: Inst, tex: Tex) -> Def {
    const AT_OFFSET: u8 = 3;
    let data = b.shader.insts[inst];
    let mut gather = b.shader.texs[tex];
    let offsets = gather.offsets.take().unwrap_or_default();
    let mut parts = Vec::with_capacity(5);
    let mut code = None;
    for [x, y] in offsets {
        let at = b.constant(32, &[x as i32 as u32 as u64, y as i32 as u32 as u64]);
        gather.set_src(offset, at);
        let id = b.shader.texs.push(gather);
        let texels = b.inst(data.num_components, data.bit_size, InstKind::Tex(id)).def();
        parts.push(b.channel(texels, AT_OFFSET));
        if gather.is_sparse {
            let own = b.channel(texels, data.num_components - 1);
            code = Some(match code {
                None => own,
                Some(other) => b.intrinsic(Intrinsic::sparse_residency_code_and, 1, 32, &[other, own]).def(),
            });
        }
    }
    parts.extend(code);
    b.vec(&parts)
}
