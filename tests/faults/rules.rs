// SPDX-License-Identifier: MIT

//! The wrong rules: their changes to a lowered shader.

use ntv::ir::{rewrite, AluSrc, ArrayIndex, Builder, Cf, Def, Deref, DerefKind, Edit, Inst, InstKind, PhiSrc, Swizzle};
use ntv::op::{AluOp, AtomicOp, Index, Intrinsic, Modes};
use ntv::{Feature, Options, Shader, Target, Translator};
use Rule::*;

/// A target that has 32-bit numbers only.
pub(crate) fn small_target() -> Target {
    let mut target = Target::default();
    for feature in [
        Feature::shaderInt64,
        Feature::shaderInt16,
        Feature::shaderInt8,
        Feature::shaderFloat16,
        Feature::storageBuffer8BitAccess,
        Feature::storageBuffer16BitAccess,
    ] {
        target.set(feature, false);
    }
    target
}

/// The shader as the passes for a target leave it; `None` if the target refuses it.
pub(crate) fn lowered(shader: &Shader, target: &Target) -> Option<Shader> {
    let mut lowered = shader.clone();
    Translator::new(Options::default().target(target.clone())).lower(&mut lowered, None).ok()?;
    Some(lowered)
}

/// A wrong rule.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    rule: Rule,
}

/// The change to every affected instruction.
enum Rule {
    /// Replaces one opcode by another.
    Op(AluOp, AluOp),
    /// Swaps the first two operands.
    Swap(AluOp),
    /// Swaps operands number `.1` and `.2`.
    SwapOperands(AluOp, usize, usize),
    /// Replaces the result by the first operand.
    Drop(AluOp),
    /// Replaces the constant `.1` in operand 1 by `.2`.
    Constant(AluOp, u64, u64),
    /// Replaces one intrinsic by another of the same shape.
    Intrinsic(Intrinsic, Intrinsic),
    /// Removes the intrinsic.
    DropIntrinsic(Intrinsic),
    /// Replaces one atomic operation by another.
    Atomic(AtomicOp, AtomicOp),
    /// Any other change.
    Custom(fn(&mut Shader) -> bool),
}

const fn fault(name: &'static str, rule: Rule) -> Fault {
    Fault { name, rule }
}

/// All faults.
pub(crate) const FAULTS: &[Fault] = &[
    fault("operands of isub swapped", Swap(AluOp::isub)),
    fault("operands of ilt swapped", Swap(AluOp::ilt)),
    fault("operands of flt swapped", Swap(AluOp::flt)),
    fault("operands of fge swapped", Swap(AluOp::fge)),
    fault("operands of idiv swapped", Swap(AluOp::idiv)),
    fault("arms of bcsel swapped", SwapOperands(AluOp::bcsel, 1, 2)),
    fault("offset and size of a bit field swapped", SwapOperands(AluOp::ubitfield_extract, 1, 2)),
    fault("halves of 64 bits swapped", Custom(halves_swapped)),
    fault("halves taken apart swapped", Custom(unpacked_halves_swapped)),
    fault("components of a vector swapped", Swap(AluOp::vec2)),
    fault("ishr without sign", Op(AluOp::ishr, AluOp::ushr)),
    fault("ushr with sign", Op(AluOp::ushr, AluOp::ishr)),
    fault("ishl the other way", Op(AluOp::ishl, AluOp::ushr)),
    fault("ilt without sign", Op(AluOp::ilt, AluOp::ult)),
    fault("ult with sign", Op(AluOp::ult, AluOp::ilt)),
    fault("ige without sign", Op(AluOp::ige, AluOp::uge)),
    fault("uge with sign", Op(AluOp::uge, AluOp::ige)),
    fault("uge without equality", Custom(uge_without_equality)),
    fault("imin without sign", Op(AluOp::imin, AluOp::umin)),
    fault("umax with sign", Op(AluOp::umax, AluOp::imax)),
    fault("idiv without sign", Op(AluOp::idiv, AluOp::udiv)),
    fault("irem as imod", Op(AluOp::irem, AluOp::imod)),
    fault("high half of a product without sign", Op(AluOp::imul_high, AluOp::umul_high)),
    fault("i2f32 without sign", Op(AluOp::i2f32, AluOp::u2f32)),
    fault("u2f32 with sign", Op(AluOp::u2f32, AluOp::i2f32)),
    fault("f2i32 without sign", Op(AluOp::f2i32, AluOp::f2u32)),
    fault("i2i64 without sign", Op(AluOp::i2i64, AluOp::u2u64)),
    fault("i2i32 without sign", Op(AluOp::i2i32, AluOp::u2u32)),
    fault("a signed bit field without sign", Op(AluOp::ibitfield_extract, AluOp::ubitfield_extract)),
    fault("fmin keeps NaN", Custom(|shader| nan_keeping(shader, AluOp::fmin, |x, y| [x, y]))),
    fault("fmax keeps NaN", Custom(|shader| nan_keeping(shader, AluOp::fmax, |x, y| [y, x]))),
    fault("fneu is false for NaN", Op(AluOp::fneu, AluOp::fneo)),
    fault("feq is true for NaN", Op(AluOp::feq, AluOp::fequ)),
    fault("fsat does not clamp at one", Custom(fsat_without_one)),
    fault("fsign of zero is one", Custom(fsign_without_zero)),
    fault("ffloor rounds to zero", Op(AluOp::ffloor, AluOp::ftrunc)),
    fault("fround_even rounds up", Op(AluOp::fround_even, AluOp::fceil)),
    fault("fabs is dropped", Drop(AluOp::fabs)),
    fault("fneg is dropped", Drop(AluOp::fneg)),
    fault("ineg is dropped", Drop(AluOp::ineg)),
    fault("iand is dropped", Drop(AluOp::iand)),
    fault("inot is dropped", Drop(AluOp::inot)),
    fault("a carry is a borrow", Op(AluOp::uadd_carry, AluOp::usub_borrow)),
    fault("the count of a shift is one off", Custom(shift_by_one_more)),
    fault("offsets are divided by 8, not by 16", Constant(AluOp::ushr, 4, 3)),
    fault("indices are scaled by 8, not by 4", Constant(AluOp::ishl, 2, 3)),
    fault("lanes are masked with 1, not with 3", Constant(AluOp::iand, 3, 1)),
    fault("the next vec4", Custom(next_vec4)),
    fault("the next lane", Custom(next_lane)),
    fault("the next block", Custom(next_block)),
    fault("the high half of 64 bits is missing", Custom(high_half_missing)),
    fault("a phi from the wrong edge", Custom(wrong_edge)),
    fault("the sides of an if swapped", Custom(negated_conditions)),
    fault("a barrier is dropped", DropIntrinsic(Intrinsic::barrier)),
    fault("stores are moved after the loads that follow them", Custom(late_stores)),
    fault("a store is dropped", Custom(drop_last_store)),
    fault("a store writes its first component everywhere", Custom(splat_stores)),
    fault("the outputs are shifted", Custom(shifted_outputs)),
    fault("discarded fragments are kept", DropIntrinsic(Intrinsic::terminate)),
    fault("helpers are kept", DropIntrinsic(Intrinsic::demote)),
    fault("a vertex is not emitted", DropIntrinsic(Intrinsic::emit_vertex)),
    fault("atomic addition takes the maximum", Atomic(AtomicOp::iadd, AtomicOp::umax)),
    fault("an atomic minimum without sign", Atomic(AtomicOp::imin, AtomicOp::umin)),
    fault("a quad is swapped the other way", Intrinsic(Intrinsic::quad_swap_horizontal, Intrinsic::quad_swap_vertical)),
    fault("any is all", Intrinsic(Intrinsic::vote_any, Intrinsic::vote_all)),
    fault(
        "the workgroup is the invocation",
        Intrinsic(Intrinsic::load_workgroup_id, Intrinsic::load_local_invocation_id),
    ),
    fault("the vertex is the instance", Intrinsic(Intrinsic::load_vertex_id, Intrinsic::load_instance_id)),
];

impl Fault {
    /// Breaks `shader`; false if there is nothing to break.
    pub(crate) fn apply(&self, shader: &mut Shader) -> bool {
        match self.rule {
            Op(from, to) => each_alu(shader, from, |kind, _| {
                if let InstKind::Alu { op, .. } = kind {
                    *op = to;
                }
                true
            }),
            Swap(op) => swap(shader, op, 0, 1),
            SwapOperands(op, a, b) => swap(shader, op, a, b),
            Drop(op) => rewrite(shader, |b, inst| match b.shader.as_alu(inst.def()) {
                Some((found, srcs)) if found == op => {
                    let src = srcs[0];
                    let data = b.shader.insts[inst];
                    let size = Some((data.num_components, data.bit_size));
                    Edit::Replace(b.alu_with(AluOp::mov, Default::default(), &[src], size))
                }
                _ => Edit::Keep,
            }),
            Constant(op, from, to) => constant(shader, op, from, to),
            Rule::Intrinsic(from, to) => each_intrinsic(shader, from, |op| *op = to),
            DropIntrinsic(op) => rewrite(shader, |b, inst| match b.shader.as_intrinsic(inst) {
                Some((found, _)) if found == op => Edit::Remove,
                _ => Edit::Keep,
            }),
            Atomic(from, to) => atomic(shader, from, to),
            Custom(run) => run(shader),
        }
    }
}

/// Changes every instruction of opcode `op`; true if there was one.
fn each_alu(shader: &mut Shader, op: AluOp, mut change: impl FnMut(&mut InstKind, &mut [AluSrc]) -> bool) -> bool {
    let mut changed = false;
    for inst in shader.order.clone() {
        let mut kind = shader.insts[inst].kind;
        let InstKind::Alu { op: found, srcs, .. } = kind else { continue };
        if found == op && change(&mut kind, &mut shader.alu_srcs[srcs]) {
            shader.set_kind(inst, kind);
            changed = true;
        }
    }
    changed
}

fn swap(shader: &mut Shader, op: AluOp, a: usize, b: usize) -> bool {
    each_alu(shader, op, |_, srcs| {
        srcs.swap(a, b);
        true
    })
}

fn constant(shader: &mut Shader, op: AluOp, from: u64, to: u64) -> bool {
    rewrite(shader, |b, inst| {
        let Some((found, [a, count])) = b.shader.as_alu(inst.def()) else { return Edit::Keep };
        let (a, count) = (*a, *count);
        if found != op || b.shader.as_const_scalar(count.def) != Some(from) || b.shader.num_components(count.def) != 1 {
            return Edit::Keep;
        }
        let data = b.shader.insts[inst];
        let to = b.imm(b.shader.bit_size(count.def), to);
        let srcs = [a, AluSrc { def: to, swizzle: Swizzle::splat(0) }];
        Edit::Replace(b.alu_with(op, Default::default(), &srcs, Some((data.num_components, data.bit_size))))
    })
}

fn each_intrinsic(shader: &mut Shader, op: Intrinsic, change: impl Fn(&mut Intrinsic)) -> bool {
    let mut changed = false;
    for inst in shader.order.clone() {
        let mut kind = shader.insts[inst].kind;
        let InstKind::Intrinsic { op: found, .. } = &mut kind else { continue };
        if *found == op {
            change(found);
            shader.set_kind(inst, kind);
            changed = true;
        }
    }
    changed
}

fn atomic(shader: &mut Shader, from: AtomicOp, to: AtomicOp) -> bool {
    let number = |op: AtomicOp| AtomicOp::ALL.iter().position(|other| *other == op).map(|at| at as u32);
    let mut changed = false;
    for inst in shader.order.clone() {
        let has = shader.as_intrinsic(inst).is_some_and(|(op, _)| op.info().index_slot(Index::atomic_op).is_some());
        if has && Some(shader.index(inst, Index::atomic_op)) == number(from) {
            shader.set_index(inst, Index::atomic_op, number(to).unwrap_or(0));
            changed = true;
        }
    }
    changed
}

/// Replaces the results of `op` by the results of `make` for its first two operands.
fn replace_alu(shader: &mut Shader, op: AluOp, make: impl Fn(&mut Builder<'_>, [AluSrc; 2], (u8, u8)) -> Def) -> bool {
    rewrite(shader, |b, inst| match b.shader.as_alu(inst.def()) {
        Some((found, srcs)) if found == op => {
            let operands = [srcs[0], srcs[srcs.len() - 1]];
            let data = b.shader.insts[inst];
            Edit::Replace(make(b, operands, (data.num_components, data.bit_size)))
        }
        _ => Edit::Keep,
    })
}

fn uge_without_equality(shader: &mut Shader) -> bool {
    replace_alu(shader, AluOp::uge, |b, [x, y], size| b.alu_with(AluOp::ult, Default::default(), &[y, x], Some(size)))
}

/// `a < b ? a : b` takes `b` if either is NaN.
fn nan_keeping(shader: &mut Shader, op: AluOp, less: impl Fn(AluSrc, AluSrc) -> [AluSrc; 2]) -> bool {
    replace_alu(shader, op, |b, [x, y], (components, bits)| {
        let is_less = b.alu_with(AluOp::flt, Default::default(), &less(x, y), Some((components, 1)));
        b.alu_with(AluOp::bcsel, Default::default(), &[is_less.into(), x, y], Some((components, bits)))
    })
}

/// A minimum with 1 is the other operand.
fn fsat_without_one(shader: &mut Shader) -> bool {
    rewrite(shader, |b, inst| {
        let Some((AluOp::fmin, &[x, one])) = b.shader.as_alu(inst.def()) else { return Edit::Keep };
        if b.shader.as_const_scalar(one.def) != Some(1f32.to_bits().into()) {
            return Edit::Keep;
        }
        let data = b.shader.insts[inst];
        Edit::Replace(b.alu_with(AluOp::mov, Default::default(), &[x], Some((data.num_components, data.bit_size))))
    })
}

fn fsign_without_zero(shader: &mut Shader) -> bool {
    replace_alu(shader, AluOp::fsign, |b, [x, _], size| {
        if size.1 != 32 {
            return b.alu_with(AluOp::fsign, Default::default(), &[x], Some(size));
        }
        let [zero, one, minus] =
            [0f32, 1.0, -1.0].map(|value| AluSrc { def: b.imm32(value.to_bits()), swizzle: Swizzle::splat(0) });
        let negative = b.alu_with(AluOp::flt, Default::default(), &[x, zero], Some((size.0, 1)));
        b.alu_with(AluOp::bcsel, Default::default(), &[negative.into(), minus, one], Some(size))
    })
}

fn shift_by_one_more(shader: &mut Shader) -> bool {
    replace_alu(shader, AluOp::ishl, |b, [x, count], size| {
        let bits = b.shader.bit_size(count.def);
        let one = AluSrc { def: b.imm(bits, 1), swizzle: Swizzle::splat(0) };
        let more = b.alu_with(AluOp::iadd, Default::default(), &[count, one], Some((size.0, bits)));
        b.alu_with(AluOp::ishl, Default::default(), &[x, more.into()], Some(size))
    })
}

/// Whether `inst` is a deref in a block.
fn is_block(shader: &Shader, inst: Inst) -> bool {
    shader.as_deref(inst.def()).is_some_and(|deref| deref.modes.intersects(Modes::UBO | Modes::SSBO))
}

/// Array derefs below the `base` of a block have the next index.
fn next_vec4(shader: &mut Shader) -> bool {
    rewrite(shader, |b, inst| {
        let Some(deref) = b.shader.as_deref(inst.def()).copied() else { return Edit::Keep };
        let DerefKind::Array { parent, index } = deref.kind else { return Edit::Keep };
        let of_member = b.shader.as_deref(parent).is_some_and(|parent| matches!(parent.kind, DerefKind::Struct { .. }));
        if !is_block(b.shader, inst) || !of_member {
            return Edit::Keep;
        }
        let index = match index {
            ArrayIndex::Imm(index) => ArrayIndex::Imm(index + 1),
            ArrayIndex::Def(def) => ArrayIndex::Def(b.iadd_imm(def, 1)),
        };
        Edit::Replace(b.deref(Deref { kind: DerefKind::Array { parent, index }, ..deref }))
    })
}

/// Uses of loaded vectors read the next component.
fn next_lane(shader: &mut Shader) -> bool {
    let is_load = |shader: &Shader, def: Def| {
        matches!(shader.as_intrinsic(def.inst()), Some((Intrinsic::load_deref, _))) && shader.num_components(def) > 1
    };
    swizzle_sources(shader, is_load, |c, components| (c + 1) % components)
}

/// Changes the components that instructions read of values for which `concerns` is true.
fn swizzle_sources(shader: &mut Shader, concerns: impl Fn(&Shader, Def) -> bool, map: impl Fn(u8, u8) -> u8) -> bool {
    let mut changed = false;
    for inst in shader.order.clone() {
        let InstKind::Alu { srcs, .. } = shader.insts[inst].kind else { continue };
        for at in 0..srcs.len() {
            let src = shader.alu_srcs[srcs][at];
            if concerns(shader, src.def) {
                let components = shader.num_components(src.def);
                let others: Vec<u8> = src.swizzle.components(16).map(|c| map(c, components) % components).collect();
                shader.alu_srcs[srcs][at].swizzle = Swizzle::new(&others);
                changed = true;
            }
        }
    }
    changed
}

fn next_block(shader: &mut Shader) -> bool {
    let mut changed = false;
    for variable in shader.vars.values_mut().filter(|variable| variable.mode.intersects(Modes::UBO | Modes::SSBO)) {
        variable.driver_location += 1;
        changed = true;
    }
    changed
}

fn high_half_missing(shader: &mut Shader) -> bool {
    replace_alu(shader, AluOp::pack_64_2x32, |b, [pair, _], size| {
        let low = AluSrc { def: pair.def, swizzle: Swizzle::splat(pair.swizzle.get(0)) };
        let zero = AluSrc { def: b.imm32(0), swizzle: Swizzle::splat(0) };
        let pair = b.alu_with(AluOp::vec2, Default::default(), &[low, zero], None);
        b.alu_with(AluOp::pack_64_2x32, Default::default(), &[pair.into()], Some(size))
    })
}

fn halves_swapped(shader: &mut Shader) -> bool {
    each_alu(shader, AluOp::pack_64_2x32, |_, srcs| {
        srcs[0].swizzle = Swizzle::new(&[srcs[0].swizzle.get(1), srcs[0].swizzle.get(0)]);
        true
    })
}

/// Uses of one half of an unpacked number read the other.
fn unpacked_halves_swapped(shader: &mut Shader) -> bool {
    let is_pair = |shader: &Shader, def| matches!(shader.as_alu(def), Some((AluOp::unpack_64_2x32, _)));
    swizzle_sources(shader, is_pair, |c, _| c ^ 1)
}

fn wrong_edge(shader: &mut Shader) -> bool {
    let mut changed = false;
    for inst in shader.order.clone() {
        let InstKind::Phi(srcs) = shader.insts[inst].kind else { continue };
        let mut exchanged: Vec<PhiSrc> = shader.phi_srcs[srcs].to_vec();
        if let [first, second, ..] = &mut exchanged[..] {
            std::mem::swap(&mut first.def, &mut second.def);
        }
        let (old, new) = (shader.insts[inst].kind, InstKind::Phi(shader.phi_srcs.push(&exchanged)));
        shader.set_kind(inst, new);
        // A value that does not reach the other edge stays where it is.
        if ntv::check::validate(shader).is_err() {
            shader.set_kind(inst, old);
        } else {
            changed = true;
        }
    }
    changed
}

fn negated_conditions(shader: &mut Shader) -> bool {
    let conditions: Vec<Def> =
        shader.cf.iter().filter_map(|item| if let Cf::If { cond, .. } = item { Some(*cond) } else { None }).collect();
    rewrite(shader, |b, inst| {
        let is_comparison = b.shader.as_alu(inst.def()).is_some();
        if !is_comparison || !conditions.contains(&inst.def()) {
            return Edit::Keep;
        }
        b.shader.append_existing(inst);
        Edit::Replace(b.alu(AluOp::inot, &[inst.def()]))
    })
}

fn is_store(shader: &Shader, inst: Inst) -> bool {
    matches!(shader.as_intrinsic(inst), Some((Intrinsic::store_deref, _)))
}

/// Moves all stores of a block to its end.
fn late_stores(shader: &mut Shader) -> bool {
    let before = shader.order.clone();
    for block in shader.block_order().collect::<Vec<_>>() {
        let range = shader.blocks[block];
        let insts = shader.block_insts(block).to_vec();
        let late = |inst: &Inst| match shader.insts[*inst].kind {
            InstKind::Jump(_) => 2,
            _ => u8::from(is_store(shader, *inst)),
        };
        let mut moved = insts;
        moved.sort_by_key(late);
        shader.order[range.start as usize..range.end as usize].copy_from_slice(&moved);
    }
    shader.order != before
}

fn drop_last_store(shader: &mut Shader) -> bool {
    let last = shader.order.iter().rev().find(|inst| is_store(shader, **inst)).copied();
    rewrite(shader, |_, inst| if Some(inst) == last { Edit::Remove } else { Edit::Keep })
}

fn splat_stores(shader: &mut Shader) -> bool {
    rewrite(shader, |b, inst| {
        let Some((Intrinsic::store_deref, &[pointer, value])) = b.shader.as_intrinsic(inst) else { return Edit::Keep };
        let components = usize::from(b.shader.num_components(value));
        if components == 1 {
            return Edit::Keep;
        }
        let (mask, access) = (b.shader.index(inst, Index::write_mask), b.shader.index(inst, Index::access));
        let splat = b.swizzle(value, &vec![0; components]);
        b.store_deref(pointer, splat, mask, access);
        Edit::Remove
    })
}

fn shifted_outputs(shader: &mut Shader) -> bool {
    let mut changed = false;
    for variable in shader.vars.values_mut().filter(|variable| variable.mode == Modes::SHADER_OUT) {
        if let Some(location) = &mut variable.location {
            *location += 1;
            changed = true;
        }
    }
    changed
}
