// SPDX-License-Identifier: MIT

//! Numbers of 64 bits of uniform blocks at offsets that are not constant, but known modulo 8.
//!
//! Each is a lane of a `u64vec2`, whose stride is 16 as the layout rules require: one load, instead of two loads of `uvec4`
//! lanes. If arrays may be tight, each is an element of `uint64_t base[]`, and so are those at offsets that are known modulo 16:
//! see `docs/spirv-shapes.md`.

use super::address::Offset;
use super::Granularity;
use crate::analysis::offsets::Offsets;
use crate::analysis::uniform_reads::has_64_bits;
use crate::ir::{ArrayIndex, Builder, Def};
use crate::pass::{BufferAccess, Context};

/// The possible views of a uniform block.
pub(in crate::pass) fn uniform_granularity(context: &Context) -> Granularity {
    match context.buffer_access {
        BufferAccess::Auto if context.target.has_tight_uniform_arrays() => Granularity::All,
        _ => Granularity::Vec4s,
    }
}

/// Whether numbers of `bits` bits of a uniform block at this offset are unknown lanes of `u64vec2`s.
pub(in crate::pass) fn is_wide(context: &Context, offset: Offset, bits: u32) -> bool {
    let is_auto = context.buffer_access == BufferAccess::Auto && uniform_granularity(context) == Granularity::Vec4s;
    bits == 64 && offset.lanes() == Some(2) && offset.is_multiple_of(8) && is_auto && has_64_bits(&context.target)
}

/// Loads such numbers through `base`, a deref of an array of `u64vec2`s.
pub(in crate::pass) fn load_wide(
    b: &mut Builder<'_>,
    (base, access): (Def, u32),
    (offset, offsets): (Offset, &Offsets),
    components: u8,
) -> Def {
    let first = offset.quotient(b, offsets, 8);
    b.vec_of(components, |b, c| {
        let number = b.iadd_imm(first, c.into());
        let vector = if c == 0 { offset.quotient(b, offsets, 16) } else { b.ushr_imm(number, 1) };
        let lane = b.iand_imm(number, 1);
        let vector = b.deref_array(base, ArrayIndex::Def(vector));
        let pointer = b.deref_array(vector, ArrayIndex::Def(lane));
        b.load_deref(pointer, access)
    })
}

/// Whether numbers of `bits` bits of a uniform block at this offset, whose granularity this is, are elements of `uint64_t base[]`.
pub(in crate::pass) fn is_single(context: &Context, granularity: Granularity, offset: Offset, bits: u32) -> bool {
    let is_tight = granularity == Granularity::All && context.placements.is_empty();
    let is_of_pairs = bits == 64 && offset.as_static().is_none() && offset.is_multiple_of(8);
    is_tight && is_of_pairs && has_64_bits(&context.target)
}
