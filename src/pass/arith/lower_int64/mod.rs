// SPDX-License-Identifier: MIT

//! Turns 64-bit integers into pairs of 32-bit ones if the target does not support them.
//!
//! **What.** Each 64-bit value that is not a float is carried as two 32-bit values, its halves. The same is done in
//! instructions that move it: phis, selections, vectors, data of other invocations, private and shared variables. A double
//! stays whole if the target has doubles; it is unpacked where its bits are read as an integer, and packed where it is made of
//! halves.
//!
//! **Why.** OpTypeInt of 64 bits needs the feature `shaderInt64`, which many mobile GPUs lack. GL has 64-bit integers, and
//! packs and unpacks doubles, unconditionally. 64-bit atomics, and inputs and outputs of that type, cannot be made of halves:
//! `check` requires the feature.
//!
//! Runs after the lowerings of memory, which load and store 32-bit lanes, and that of ALU operations.
//!
//! Before:
//!
//! ```text
//! 64     %2 = pack_64_2x32 %1
//! 64     %3 = iadd %2, %2
//! 32x2   %4 = unpack_64_2x32 %3
//! ```
//!
//! After:
//!
//! ```text
//! 32     %2 = mov %1.x
//! 32     %3 = mov %1.y
//! 32     %4 = iadd %2, %2
//! 1      %5 = ult %4, %2
//! 32     %6 = b2i32 %5
//! 32     %7 = iadd %3, %3
//! 32     %8 = iadd %7, %6
//! 32x2   %9 = vec2 %4, %8
//! ```

mod convert;
mod divide;
mod pairs;
#[cfg(test)]
mod tests;
mod variables;

use crate::analysis::value_types::ValueTypes;
use crate::entity::SideTable;
use crate::ir::{rewrite, AluSrc, Builder, Def, DerefKind, Edit, Inst, InstKind, PhiSrc, Shader};
use crate::op::AluOp::{self, *};
use crate::op::{Base, Facts, Form, Intrinsic};
use crate::pass::{Context, Pass};
use crate::target::Feature;
use pairs::{Pair, Pairs};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_int64",
    about: "turns 64-bit integers into pairs of 32-bit ones if the target does not support them",
    facts: Facts::BITS_64.union(Facts::TYPES_64),
    met_by: |context| Facts::all_if(context.target.has(Feature::shaderInt64)),
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    let doubles = context.target.has(Feature::shaderFloat64);
    let retyped = variables::lower(shader, doubles);
    let mut types = ValueTypes::default();
    types.infer(shader);
    let mut halves = Halves::new(shader, |def| !(doubles && types.base(def) == Base::Float));
    let changed = rewrite(shader, |b, inst| halves.visit(b, inst));
    halves.connect(shader);
    changed || retyped
}

/// Information about 64-bit values.
struct Halves {
    /// The value is carried as a pair.
    is_pair: SideTable<Def, bool>,
    /// Values whose halves phis need where the values are defined.
    in_phi: SideTable<Def, bool>,
    pairs: SideTable<Def, Option<Pair>>,
    phis: Vec<Inst>,
}

impl Halves {
    fn new(shader: &Shader, is_integer: impl Fn(Def) -> bool) -> Halves {
        let mut halves = Halves {
            is_pair: shader.def_table(false),
            in_phi: shader.def_table(false),
            pairs: shader.def_table(None),
            phis: Vec::new(),
        };
        for inst in &shader.order {
            // Derefs are not numbers, and constants are made for each use.
            let kind = shader.insts[*inst].kind;
            let is_literal = matches!(kind, InstKind::Const(_) | InstKind::Undef | InstKind::Deref(_));
            let wide = shader.insts[*inst].bit_size == 64;
            halves.is_pair.set(inst.def(), wide && !is_literal && is_integer(inst.def()));
        }
        for inst in &shader.order {
            let Some(srcs) = shader.phi(*inst).filter(|_| halves.is_pair[inst.def()]) else { continue };
            for src in srcs {
                halves.in_phi.set(src.def, true);
            }
        }
        halves
    }

    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        let def = inst.def();
        let data = b.shader.insts[inst];
        if let Some(pair) = self.is_pair[def].then(|| self.pair(b, inst)).flatten() {
            self.pairs.set(def, Some(pair));
            return Edit::Remove;
        }
        if let Some(value) = self.narrow(b, inst) {
            if self.in_phi[def] {
                let pair = self.halves_of(b, value);
                self.pairs.set(def, Some(pair));
            }
            return Edit::Replace(value);
        }
        self.pack_sources(b, inst);
        if data.bit_size == 64 && self.in_phi[def] {
            b.shader.append_existing(inst);
            let pair = self.halves_of(b, def);
            self.pairs.set(def, Some(pair));
            return Edit::Remove;
        }
        Edit::Keep
    }

    /// The halves of `def`.
    fn halves_of(&mut self, b: &mut Builder<'_>, def: Def) -> Pair {
        if let Some(pair) = self.pairs[def] {
            return pair;
        }
        let components = b.shader.num_components(def);
        match b.shader.def(def).kind {
            InstKind::Const(values) => {
                let values = b.shader.consts[values].to_vec();
                let high: Vec<u64> = values.iter().map(|value| value >> 32).collect();
                Pair { low: b.constant(32, &values), high: b.constant(32, &high) }
            }
            InstKind::Undef => Pair { low: b.undef(components, 32), high: b.undef(components, 32) },
            _ => Pairs { b }.unpack(def),
        }
    }

    /// The halves of an ALU source of `components` components.
    fn source(&mut self, b: &mut Builder<'_>, src: AluSrc, components: u8) -> Pair {
        let pair = self.halves_of(b, src.def);
        let picks: Vec<u8> = src.swizzle.components(usize::from(components)).collect();
        Pairs { b }.swizzle(pair, &picks)
    }

    /// The pair that replaces `inst`; `None` if it cannot be a pair.
    fn pair(&mut self, b: &mut Builder<'_>, inst: Inst) -> Option<Pair> {
        let data = b.shader.insts[inst];
        match data.kind {
            InstKind::Alu { op, srcs, .. } => {
                let srcs = b.shader.alu_srcs[srcs].to_vec();
                let srcs = Sources::new(self, b, op, &srcs, data.num_components);
                alu_pair(&mut Pairs { b }, op, &srcs)
            }
            InstKind::Phi(srcs) => {
                let preds = b.shader.phi_srcs[srcs].to_vec();
                self.phis.push(inst);
                let mut half = || b.phi(data.num_components, 32, &preds);
                Some(Pair { low: half(), high: half() })
            }
            InstKind::Intrinsic { op, srcs, .. } => {
                let srcs = b.shader.srcs[srcs].to_vec();
                self.intrinsic_pair(b, inst, op, &srcs)
            }
            _ => None,
        }
    }

    /// Data of other invocations, half by half; and ballots, which are bits in words.
    fn intrinsic_pair(&mut self, b: &mut Builder<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Option<Pair> {
        let components = b.shader.insts[inst].num_components;
        if is_ballot(op) && components == 1 {
            let words = again(b, inst, (2, 32), srcs);
            return Some(Pair { low: b.channel(words, 0), high: b.channel(words, 1) });
        }
        if !op.moves_between_invocations() {
            return None;
        }
        let value = self.halves_of(b, srcs[0]);
        let mut half = |value| {
            let mut srcs = srcs.to_vec();
            srcs[0] = value;
            again(b, inst, (components, 32), &srcs)
        };
        Some(Pair { low: half(value.low), high: half(value.high) })
    }

    /// The value that replaces an instruction that reads pairs and has another result; `None` if it can stay.
    fn narrow(&mut self, b: &mut Builder<'_>, inst: Inst) -> Option<Def> {
        let data = b.shader.insts[inst];
        match data.kind {
            InstKind::Alu { op, srcs, .. } => {
                let srcs = b.shader.alu_srcs[srcs].to_vec();
                let reads_integers = op.info().srcs.iter().zip(&srcs).any(|(operand, src)| {
                    let integer = matches!(operand.ty.base, Base::Int | Base::Uint) && !op.info().moves_bits();
                    b.shader.bit_size(src.def) == 64 && (integer || self.is_pair[src.def] && is_unpack(op))
                });
                if !reads_integers {
                    return None;
                }
                let srcs = Sources::new(self, b, op, &srcs, data.num_components);
                alu_narrow(&mut Pairs { b }, op, &srcs, data.bit_size)
            }
            InstKind::Intrinsic { op: Intrinsic::vote_ieq, srcs, .. } => {
                let value = b.shader.srcs[srcs][0];
                if b.shader.bit_size(value) != 64 {
                    return None;
                }
                let value = self.halves_of(b, value);
                let votes = [value.low, value.high].map(|half| b.intrinsic(Intrinsic::vote_ieq, 1, 1, &[half]).def());
                Some(b.alu(iand, &votes))
            }
            InstKind::Intrinsic { op: Intrinsic::inverse_ballot, srcs, .. } => {
                let value = b.shader.srcs[srcs][0];
                if b.shader.bit_size(value) != 64 {
                    return None;
                }
                let Pair { low, high } = self.halves_of(b, value);
                let words = b.vec(&[low, high]);
                Some(b.intrinsic(Intrinsic::inverse_ballot, 1, 1, &[words]).def())
            }
            _ => None,
        }
    }

    /// Replaces the pairs that `inst`, which stays, reads: addresses by two words, all others by doubles.
    fn pack_sources(&mut self, b: &mut Builder<'_>, inst: Inst) {
        if let Some(address) = address_of(b.shader, inst) {
            let Pair { low, high } = self.halves_of(b, address);
            let words = b.vec(&[low, high]);
            b.shader.set_bit_size(inst, 32);
            return b.shader.map_srcs(inst, |_| words);
        }
        let mut sources = Vec::new();
        b.shader.for_each_src(inst, |def| sources.push(def));
        let is_phi = b.shader.phi(inst).is_some();
        if is_phi || !sources.iter().any(|def| self.is_pair[*def]) {
            return;
        }
        let packed: Vec<Def> = sources
            .iter()
            .map(|def| match self.pairs[*def].filter(|_| self.is_pair[*def]) {
                Some(pair) => Pairs { b }.pack(pair),
                None => *def,
            })
            .collect();
        let mut packed = packed.into_iter();
        b.shader.map_srcs(inst, |def| packed.next().unwrap_or(def));
    }

    /// Sets the sources of the phis of halves to the halves of the original sources.
    fn connect(&self, shader: &mut Shader) {
        for phi in &self.phis {
            let (Some(Pair { low, high }), InstKind::Phi(preds)) = (self.pairs[phi.def()], shader.insts[*phi].kind)
            else {
                continue;
            };
            let preds = shader.phi_srcs[preds].to_vec();
            for (i, PhiSrc { pred, def }) in preds.into_iter().enumerate() {
                let Some(source) = self.pairs[def] else { continue };
                for (half, def) in [(low, source.low), (high, source.high)] {
                    if let InstKind::Phi(srcs) = shader.def(half).kind {
                        shader.phi_srcs[srcs][i] = PhiSrc { pred, def };
                    }
                }
            }
        }
    }
}

/// The 64-bit address that `inst` casts to a deref, whether it is a constant or not.
fn address_of(shader: &Shader, inst: Inst) -> Option<Def> {
    match shader.as_deref(inst.def())?.kind {
        DerefKind::Cast { parent, .. } if shader.bit_size(parent) == 64 && shader.as_deref(parent).is_none() => {
            Some(parent)
        }
        _ => None,
    }
}

/// The intrinsic of `inst` on other sources, with a result of this many components and bits.
pub(super) fn again(b: &mut Builder<'_>, inst: Inst, (components, bits): (u8, u8), srcs: &[Def]) -> Def {
    let InstKind::Intrinsic { op, indices, .. } = b.shader.insts[inst].kind else { return inst.def() };
    let srcs = b.shader.srcs.push(srcs);
    b.inst(components, bits, InstKind::Intrinsic { op, srcs, indices }).def()
}

fn is_ballot(op: Intrinsic) -> bool {
    use Intrinsic::*;
    matches!(
        op,
        ballot
            | ballot_relaxed
            | load_subgroup_eq_mask
            | load_subgroup_ge_mask
            | load_subgroup_gt_mask
            | load_subgroup_le_mask
            | load_subgroup_lt_mask
    )
}

fn is_unpack(op: AluOp) -> bool {
    matches!(op, unpack_64_2x32 | unpack_64_4x16)
}

/// The operands of an operation: pairs, and values that are not pairs.
struct Sources {
    pairs: [Option<Pair>; 16],
    defs: Vec<Def>,
}

impl Sources {
    fn new(halves: &mut Halves, b: &mut Builder<'_>, op: AluOp, srcs: &[AluSrc], components: u8) -> Sources {
        let mut sources = Sources { pairs: [None; 16], defs: Vec::new() };
        for (i, (src, operand)) in srcs.iter().zip(op.info().srcs).enumerate() {
            let components = operand.components(components);
            if b.shader.bit_size(src.def) == 64 && operand.ty.base != Base::Float {
                sources.pairs[i] = Some(halves.source(b, *src, components));
                sources.defs.push(src.def);
                continue;
            }
            let picks: Vec<u8> = src.swizzle.components(usize::from(components)).collect();
            sources.defs.push(b.swizzle(src.def, &picks));
        }
        sources
    }

    fn pair(&self, i: usize) -> Option<Pair> {
        self.pairs[i]
    }
}

/// The pair that is the result of an operation.
fn alu_pair(p: &mut Pairs<'_, '_>, op: AluOp, srcs: &Sources) -> Option<Pair> {
    let x = srcs.pair(0);
    Some(match (op, x, srcs.pair(1)) {
        (mov, Some(x), _) => x,
        (bcsel, ..) => p.select(srcs.defs[0], srcs.pair(1)?, srcs.pair(2)?),
        (op, Some(_), _) if op.info().form == Form::Construct => {
            let parts: Vec<Pair> = srcs.pairs.iter().flatten().copied().collect();
            let mut half = |of: fn(&Pair) -> Def| p.b.vec(&parts.iter().map(of).collect::<Vec<_>>());
            Pair { low: half(|pair| pair.low), high: half(|pair| pair.high) }
        }
        (pack_64_2x32, ..) => Pair { low: p.b.channel(srcs.defs[0], 0), high: p.b.channel(srcs.defs[0], 1) },
        (pack_64_4x16, ..) => {
            let mut half = |picks: &[u8]| {
                let words = p.b.swizzle(srcs.defs[0], picks);
                p.unary(pack_32_2x16, words)
            };
            Pair { low: half(&[0, 1]), high: half(&[2, 3]) }
        }
        (u2u64, None, _) => p.widen(srcs.defs[0], false),
        (i2i64, None, _) => p.widen(srcs.defs[0], true),
        (u2u64 | i2i64, Some(x), _) => x,
        (b2i64, ..) => {
            let low = p.unary(b2i32, srcs.defs[0]);
            p.extend(low)
        }
        (f2u64, ..) => p.int_of(srcs.defs[0], false),
        (f2i64, ..) => p.int_of(srcs.defs[0], true),
        (inot, Some(x), _) => p.not(x),
        (ineg, Some(x), _) => p.neg(x),
        (iabs, Some(x), _) => p.abs(x),
        (isign, Some(x), _) => p.signum(x),
        (ishl | ishr | ushr, Some(x), _) => p.shift(op, x, srcs.defs[1]),
        (_, Some(x), Some(y)) => binary_pair(p, op, x, y)?,
        _ => return None,
    })
}

fn binary_pair(p: &mut Pairs<'_, '_>, op: AluOp, x: Pair, y: Pair) -> Option<Pair> {
    Some(match op {
        iand | ior | ixor => p.halves(op, x, y),
        iadd => p.add(x, y),
        isub => p.sub(x, y),
        imul | amul => p.mul(x, y),
        umul_high => p.mul_high(x, y),
        imul_high => p.signed_mul_high(x, y),
        uadd_carry => {
            let sum = p.add(x, y);
            let carry = p.less(ult, sum, x);
            let carry = p.unary(b2i32, carry);
            p.extend(carry)
        }
        usub_borrow => {
            let borrow = p.less(ult, x, y);
            let borrow = p.unary(b2i32, borrow);
            p.extend(borrow)
        }
        imin | umin | imax | umax => {
            let less = p.less(if matches!(op, imin | imax) { ilt } else { ult }, x, y);
            if matches!(op, imin | umin) {
                p.select(less, x, y)
            } else {
                p.select(less, y, x)
            }
        }
        udiv => p.divide(x, y),
        umod => p.remainder(x, y),
        idiv => p.signed_divide(x, y),
        irem => p.signed_remainder(x, y),
        imod => p.modulo(x, y),
        _ => return None,
    })
}

/// The result of an operation on pairs that is not a pair.
fn alu_narrow(p: &mut Pairs<'_, '_>, op: AluOp, srcs: &Sources, bits: u8) -> Option<Def> {
    let x = srcs.pair(0)?;
    match (op, srcs.pair(1)) {
        (ieq, Some(y)) => Some(p.equal(x, y)),
        (ilt | ult, Some(y)) => Some(p.less(op, x, y)),
        (ine | ige | uge, Some(y)) => {
            let opposite = match op {
                ine => p.equal(x, y),
                ige => p.less(ilt, x, y),
                _ => p.less(ult, x, y),
            };
            Some(p.unary(inot, opposite))
        }
        (u2u8 | u2u16 | u2u32 | i2i8 | i2i16 | i2i32, _) => Some(p.narrow(x, bits)),
        (i2f16 | i2f32 | i2f64, _) => Some(p.float_of(x, true, bits)),
        (u2f16 | u2f32 | u2f64, _) => Some(p.float_of(x, false, bits)),
        (unpack_64_2x32, _) => Some(p.b.vec(&[x.low, x.high])),
        (unpack_64_4x16, _) => {
            let words = [x.low, x.high].map(|half| p.unary(unpack_32_2x16, half));
            let scalars = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(word, c)| p.b.channel(words[word], c));
            Some(p.b.vec(&scalars))
        }
        _ => None,
    }
}
