// SPDX-License-Identifier: MIT

//! Loads lanes of uniform blocks that are packed to 64 bits as 64 bits.
//!
//! **What.** A uniform block is loaded as `uvec4`s, and numbers of 64 bits are packed from pairs of lanes. Where a pair is
//! packed, the block gets a second variable `struct { u64vec2 base[N]; }` of the same binding, and the pair is a lane of that:
//! both lanes of a vector in one load, one lane alone.
//!
//! **Why.** A pair costs an OpVectorShuffle and an OpBitcast more than the OpCompositeExtract of a lane. The stride of
//! `u64vec2` is 16 bytes, as the layout rules for uniform blocks require (Vulkan, "Offset and Stride Assignment").
//!
//! Uniform blocks are not written, so two variables may alias the same bytes.
//!
//! A GPU without `shaderFloat64` has no registers of 64 bits. Its compiler splits such loads into lanes, after it has merged
//! others, so the lanes are left: see `docs/spirv-shapes.md`.
//!
//! Before:
//!
//! ```text
//! 32     %2 = deref_var &ubo0 (ubo block)
//! 32     %3 = deref_struct &%2->base (ubo uvec4[2])  // &ubo0.base
//! 32     %4 = deref_array &(*%3)[1] (ubo uvec4)  // &ubo0.base[1]
//! 32x4   %5 = @load_deref (%4) (access=none)
//! 64     %7 = pack_64_2x32 %5.xy
//! 64     %9 = pack_64_2x32 %5.zw
//! ```
//!
//! After:
//!
//! ```text
//! 32     %5 = deref_var &ubo0#0 (ubo block)
//! 32     %6 = deref_struct &%5->base (ubo u64vec2[2])  // &ubo0#0.base
//! 32     %7 = deref_array &(*%6)[1] (ubo u64vec2)  // &ubo0#0.base[1]
//! 64x2   %8 = @load_deref (%7) (access=none)
//! 32x4   %9 = @load_deref (%4) (access=none)
//! 64    %10 = mov %8.x
//! 64    %11 = mov %8.y
//! ```
//!
//! The loads of `uvec4`s are dead unless a 32-bit lane of them is used too.

use crate::entity::SideTable;
use crate::ir::{
    rewrite, AluFlags, AluSrc, ArrayIndex, Builder, Def, DerefKind, Edit, Inst, InstKind, Shader, Swizzle, Var,
    Variable,
};
use crate::op::{AluOp, Index, Intrinsic, Modes};
use crate::pass::memory::blocks::{block_type, pointed_block, BasePointers, U64VEC2, UVEC4};
use crate::target::{Feature, Target};

/// Whether the target's compiler has values of 64 bits.
pub(super) fn is_worthwhile(target: &Target) -> bool {
    target.has(Feature::shaderFloat64)
}

/// Replaces `packs`, which are all that pack two lanes to 64 bits, by loads of pairs where possible. Returns true if there is
/// one.
pub(super) fn widen(shader: &mut Shader, packs: &[Inst]) -> bool {
    shader.with_spare(|shader, tables: &mut Tables| {
        if !tables.find_wanted(shader, packs) {
            return false;
        }
        rewrite(shader, |b, inst| tables.visit(b, inst));
        packs.iter().for_each(|pack| tables.read_pair(shader, *pack));
        true
    })
}

/// Information about vec4s and variables.
#[derive(Default)]
struct Tables {
    /// A bit for each pair of lanes that is packed, for vec4s that are loaded from a uniform block.
    wanted: SideTable<Def, u8>,
    /// The pairs of such a vec4, or its only used pair.
    loaded: SideTable<Def, Option<Def>>,
    /// The variable that aliases the same blocks as `u64vec2`s.
    views: SideTable<Var, Option<Var>>,
    /// Pointers to their bases.
    bases: BasePointers,
}

impl Tables {
    /// Finds the vec4s of which pairs are packed. False if there are none.
    fn find_wanted(&mut self, shader: &Shader, packs: &[Inst]) -> bool {
        self.wanted.reset(shader.num_defs());
        let mut any = false;
        for pack in packs {
            let Some((vec4, pair)) = packed_pair(shader, *pack) else { continue };
            let wanted = self.wanted.entry(vec4);
            if *wanted != 0 || Load::new(shader, vec4.inst()).is_some() {
                *wanted |= 1 << pair;
                any = true;
            }
        }
        if any {
            self.loaded.reset(shader.num_defs());
            self.views.clear();
            self.bases.clear();
        }
        any
    }

    /// Loads the used pairs before their vec4.
    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        let wanted = self.wanted[inst.def()];
        if wanted != 0 {
            if let Some(load) = Load::new(b.shader, inst) {
                let known = self.views[load.var];
                let view = known.unwrap_or_else(|| view(b.shader, load.var));
                self.views.set(load.var, Some(view));
                self.loaded.set(inst.def(), Some(load.again(b, &mut self.bases, view, wanted)));
            }
        }
        Edit::Keep
    }

    /// Makes a pack a move of the loaded pair.
    fn read_pair(&self, shader: &mut Shader, pack: Inst) {
        let Some((vec4, pair)) = packed_pair(shader, pack) else { return };
        let Some(wide) = self.loaded[vec4] else { return };
        let lane = if shader.num_components(wide) == 1 { 0 } else { pair };
        let srcs = shader.push_alu_srcs(&[AluSrc { def: wide, swizzle: Swizzle::splat(lane) }]);
        shader.set_kind(pack, InstKind::Alu { op: AluOp::mov, flags: AluFlags::empty(), srcs });
    }
}

/// The value and the pair of its lanes (0 for `xy`, 1 for `zw`) that `inst` packs.
fn packed_pair(shader: &Shader, inst: Inst) -> Option<(Def, u8)> {
    let (AluOp::pack_64_2x32, [src]) = shader.as_alu(inst.def())? else { return None };
    match (src.swizzle.get(0), src.swizzle.get(1)) {
        (0, 1) => Some((src.def, 0)),
        (2, 3) => Some((src.def, 1)),
        _ => None,
    }
}

/// A load of a vec4 of a uniform block.
struct Load {
    inst: Inst,
    var: Var,
    /// The block, if the variable is an array of them.
    block: Option<ArrayIndex>,
    /// The vec4.
    index: ArrayIndex,
}

impl Load {
    /// `None` unless `inst` loads a `uvec4` through var → \[block\] → member 0 → \[index\].
    fn new(shader: &Shader, inst: Inst) -> Option<Load> {
        let (Intrinsic::load_deref, [pointer]) = shader.as_intrinsic(inst)? else { return None };
        let element = shader.as_deref(*pointer)?;
        let (scalar, components) = shader.types.as_vector(element.ty)?;
        let is_vec4 = (scalar.bits, components) == (UVEC4.bits, UVEC4.components);
        if element.modes != Modes::UBO || !is_vec4 {
            return None;
        }
        let DerefKind::Array { parent: array, index } = element.kind else { return None };
        let DerefKind::Struct { parent: block, field: 0 } = shader.as_deref(array)?.kind else { return None };
        let (var, block) = pointed_block(shader, block)?;
        Some(Load { inst, var, block, index })
    }

    /// Loads the pairs of the vec4, or its only used pair, from `view`.
    fn again(&self, b: &mut Builder<'_>, bases: &mut BasePointers, view: Var, pairs: u8) -> Def {
        let access = b.shader.index(self.inst, Index::access);
        let base = bases.get(b, view, self.block);
        let vector = b.deref_array(base, self.index);
        let pointer = match pairs {
            0b11 => vector,
            _ => b.deref_array(vector, ArrayIndex::Imm(i64::from(pairs >> 1))),
        };
        b.load_deref(pointer, access)
    }
}

/// A variable that aliases the blocks of `var` as `u64vec2`s.
fn view(shader: &mut Shader, var: Var) -> Var {
    let old: Variable = shader.vars[var].clone();
    let (block, count) = match shader.types.as_array(old.ty) {
        Some((block, count)) => (block, Some(count)),
        None => (old.ty, None),
    };
    let base = shader.types.as_struct(block).and_then(|block| block.fields.first()).map_or(block, |field| field.ty);
    let len = shader.types.as_array(base).and_then(|(_, len)| len);
    let mut ty = block_type(shader, U64VEC2, len);
    if let Some(count) = count {
        ty = shader.types.array(ty, count, 0);
    }
    shader.vars.push(Variable { ty, ..old })
}
