// SPDX-License-Identifier: MIT

//! Turns 8- and 16-bit numbers into 32-bit ones if the target does not support them.
//!
//! **What.** Each value of a width that the target lacks is carried in the low bits of a 32-bit one whose other bits are 0.
//! Integers are computed in 32 bits, sign-extended where the sign matters, and results that may exceed the width are truncated;
//! 16-bit floats are computed as 32-bit floats and rounded by packing them.
//!
//! **Why.** OpTypeInt of 8 and 16 bits and OpTypeFloat of 16 need the features `shaderInt8`, `shaderInt16` and `shaderFloat16`.
//! GLSL's explicit types, and `mediump` that was lowered to 16 bits, do not depend on them. A sum, product, quotient or square
//! root of 16-bit floats that is rounded to 32 bits first is the same as one that is rounded once; `ffma` and the
//! transcendental functions may differ in the last bit.
//!
//! Inputs, outputs and variables of such types cannot be carried: `check` requires the feature.
//!
//! Runs after the lowerings of memory, which load and store 32-bit lanes, and those of ALU operations and of 64 bits.
//!
//! Before:
//!
//! ```text
//! 16     %1 = u2u16 %0
//! 16     %2 = iadd %1, %1
//! 32     %3 = i2i32 %2
//! ```
//!
//! After:
//!
//! ```text
//! 32     %1 = load_const (0x0000ffff = 65535)
//! 32     %2 = iand %0, %1 (0xffff)
//! 32     %3 = iadd %2, %2
//! 32     %4 = load_const (0x0000ffff = 65535)
//! 32     %5 = iand %3, %4 (0xffff)
//! 32     %6 = load_const (0x00000010 = 16)
//! 32     %7 = ishl %5, %6 (0x10)
//! 32     %8 = load_const (0x00000010 = 16)
//! 32     %9 = ishr %7, %8 (0x10)
//! ```

mod arith;
#[cfg(test)]
mod tests;

use crate::analysis::value_types::ValueTypes;
use crate::entity::SideTable;
use crate::ir::{rewrite, AluSrc, Builder, Def, Edit, Inst, InstKind, PhiSrc, Shader};
use crate::op::meaning::IntrinsicForm;
use crate::op::AluOp::{self, *};
use crate::op::{Base, Facts, Intrinsic};
use crate::pass::{Context, Pass};
use crate::target::{Feature, Target};
use arith::Narrow;

/// The features without which it has something to do.
const WIDTHS: [Feature; 3] = [Feature::shaderInt8, Feature::shaderInt16, Feature::shaderFloat16];

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_narrow",
    about: "turns 8- and 16-bit numbers into 32-bit ones if the target does not support them",
    facts: Facts::BITS_8.union(Facts::BITS_16),
    met_by: |context| Facts::all_if(context.target.has_all(&WIDTHS)),
    run,
    ..Pass::IDLE
};

/// The widths that a target lacks.
#[derive(Clone, Copy, Debug)]
struct Lacks {
    int8: bool,
    int16: bool,
    float16: bool,
}

impl Lacks {
    fn new(target: &Target) -> Lacks {
        let lacks = |feature| !target.has(feature);
        Lacks {
            int8: lacks(Feature::shaderInt8),
            int16: lacks(Feature::shaderInt16),
            float16: lacks(Feature::shaderFloat16),
        }
    }

    /// Whether the target lacks numbers of `bits` bits of the type `base`.
    fn number(self, base: Base, bits: u8) -> bool {
        match (base, bits) {
            (Base::Float, 16) => self.float16,
            (_, 16) => self.int16,
            (_, 8) => self.int8,
            _ => false,
        }
    }
}

fn run(shader: &mut Shader, context: &Context) -> bool {
    let lacks = Lacks::new(&context.target);
    let mut types = ValueTypes::default();
    types.infer(shader);
    let mut carriers = Carriers::new(shader, lacks, &types);
    let changed = rewrite(shader, |b, inst| carriers.visit(b, inst));
    carriers.connect(shader);
    changed
}

/// Information about 8- and 16-bit values.
struct Carriers {
    lacks: Lacks,
    /// The value is carried.
    is_carried: SideTable<Def, bool>,
    /// Values whose carriers phis need where the values are defined.
    in_phi: SideTable<Def, bool>,
    /// The 32-bit value that carries it.
    carriers: SideTable<Def, Option<Def>>,
    phis: Vec<Inst>,
}

impl Carriers {
    fn new(shader: &Shader, lacks: Lacks, types: &ValueTypes) -> Carriers {
        let mut carriers = Carriers {
            lacks,
            is_carried: shader.def_table(false),
            in_phi: shader.def_table(false),
            carriers: shader.def_table(None),
            phis: Vec::new(),
        };
        for inst in &shader.order {
            let data = shader.insts[*inst];
            let is_literal = matches!(data.kind, InstKind::Const(_) | InstKind::Undef | InstKind::Deref(_));
            let carried = !is_literal && lacks.number(types.base(inst.def()), data.bit_size);
            carriers.is_carried.set(inst.def(), carried);
        }
        while carriers.carry_phis(shader) {}
        for inst in &shader.order {
            let Some(srcs) = shader.phi(*inst).filter(|_| carriers.is_carried[inst.def()]) else { continue };
            srcs.iter().for_each(|src| carriers.in_phi.set(src.def, true));
        }
        carriers
    }

    /// Marks phis with a carried source, because such a source has no other form where it is defined, and phis that are a
    /// source of a carried phi, because no instruction may be between phis. True if there was one.
    fn carry_phis(&mut self, shader: &Shader) -> bool {
        let mut changed = false;
        for inst in &shader.order {
            let Some(srcs) = shader.phi(*inst) else { continue };
            let phis = || std::iter::once(inst.def()).chain(srcs.iter().map(|src| src.def));
            let any = phis().any(|def| self.is_carried[def]);
            for def in phis().filter(|def| any && shader.phi(def.inst()).is_some()) {
                changed |= !std::mem::replace(self.is_carried.entry(def), true);
            }
        }
        changed
    }

    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        let def = inst.def();
        let data = b.shader.insts[inst];
        match data.kind {
            InstKind::Alu { op, srcs, .. } if self.is_affected(b.shader, inst, op, &b.shader.alu_srcs[srcs]) => {
                let srcs = b.shader.alu_srcs[srcs].to_vec();
                let value = self.alu(b, inst, op, &srcs);
                return self.replace(b, inst, value);
            }
            InstKind::Phi(srcs) if self.is_carried[def] => {
                let preds = b.shader.phi_srcs[srcs].to_vec();
                self.phis.push(inst);
                let value = b.phi(data.num_components, 32, &preds);
                return self.replace(b, inst, value);
            }
            InstKind::Tex(tex) if self.is_carried[def] => {
                self.restore_sources(b, inst);
                let mut wide = b.shader.texs[tex];
                wide.dest_type.bits = 32;
                let (base, wide) = (wide.dest_type.base, b.shader.texs.push(wide));
                let value = b.inst(data.num_components, 32, InstKind::Tex(wide)).def();
                let value = Narrow { b }.cut(value, base, 16);
                return self.replace(b, inst, value);
            }
            InstKind::Intrinsic { op, srcs, .. } => {
                let srcs = b.shader.srcs[srcs].to_vec();
                if let Some(value) = self.intrinsic(b, inst, op, &srcs) {
                    return self.replace(b, inst, value);
                }
            }
            _ => {}
        }
        self.restore_sources(b, inst);
        if matches!(data.bit_size, 8 | 16) && self.in_phi[def] {
            b.shader.append_existing(inst);
            let value = self.carrier(b, def);
            self.carriers.set(def, Some(value));
            return Edit::Remove;
        }
        Edit::Keep
    }

    /// Replaces `inst` by `value`: its carrier, or its own value if the target has the width.
    fn replace(&mut self, b: &mut Builder<'_>, inst: Inst, value: Def) -> Edit {
        let def = inst.def();
        if self.is_carried[def] {
            self.carriers.set(def, Some(value));
            return Edit::Remove;
        }
        if self.in_phi[def] {
            let carrier = self.carrier(b, value);
            self.carriers.set(def, Some(carrier));
        }
        Edit::Replace(value)
    }

    /// Whether the target lacks a type that an operation reads or makes.
    fn is_affected(&self, shader: &Shader, inst: Inst, op: AluOp, srcs: &[AluSrc]) -> bool {
        let info = op.info();
        if info.moves_bits() {
            return self.is_carried[inst.def()] || srcs.iter().any(|src| self.is_carried[src.def]);
        }
        let operands = info.srcs.iter().zip(srcs).map(|(operand, src)| (operand.ty.base, shader.bit_size(src.def)));
        let result = (info.dest.ty.base, shader.insts[inst].bit_size);
        operands.chain([result]).any(|(base, bits)| self.lacks.number(base, bits))
    }

    /// The 32-bit value whose low bits are those of `def`.
    fn carrier(&mut self, b: &mut Builder<'_>, def: Def) -> Def {
        if let Some(carrier) = self.carriers[def] {
            return carrier;
        }
        let components = b.shader.num_components(def);
        match b.shader.def(def).kind {
            InstKind::Const(values) => {
                let values = b.shader.consts[values].to_vec();
                b.constant(32, &values)
            }
            // Any value of the width is valid: the bits above must be 0.
            InstKind::Undef => b.constant(32, &[0; 16][..usize::from(components)]),
            _ if self.lacks.int16 && b.shader.bit_size(def) == 16 => Narrow { b }.bits_of_half(def),
            _ => b.alu(u2u32, &[def]),
        }
    }

    /// The carrier of an ALU source of `components` components.
    fn source(&mut self, b: &mut Builder<'_>, src: AluSrc, components: u8) -> Def {
        let def = match b.shader.bit_size(src.def) {
            8 | 16 => self.carrier(b, src.def),
            _ => src.def,
        };
        let picks: Vec<u8> = src.swizzle.components(usize::from(components)).collect();
        b.swizzle(def, &picks)
    }

    /// `def` at its own width, for which the target has floats or integers.
    fn restored(&mut self, b: &mut Builder<'_>, def: Def) -> Def {
        let Some(carrier) = self.carriers[def].filter(|_| self.is_carried[def]) else { return def };
        match b.shader.bit_size(def) {
            8 => b.alu(u2u8, &[carrier]),
            _ if self.lacks.int16 => Narrow { b }.half_of_bits(carrier),
            _ => b.alu(u2u16, &[carrier]),
        }
    }

    /// Replaces carried sources of `inst`, which stays, by values of their own width.
    fn restore_sources(&mut self, b: &mut Builder<'_>, inst: Inst) {
        if b.shader.phi(inst).is_some() {
            return;
        }
        let mut sources = Vec::new();
        b.shader.for_each_src(inst, |def| sources.push(def));
        if !sources.iter().any(|def| self.is_carried[*def]) {
            return;
        }
        let restored: Vec<Def> = sources.iter().map(|def| self.restored(b, *def)).collect();
        let mut restored = restored.into_iter();
        b.shader.map_srcs(inst, |def| restored.next().unwrap_or(def));
    }

    /// Operations on data of other invocations, and derivatives; `None` for instructions that can stay.
    fn intrinsic(&mut self, b: &mut Builder<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Option<Def> {
        let first = *srcs.first()?;
        let bits = b.shader.bit_size(first);
        if !matches!(bits, 8 | 16) {
            return None;
        }
        let components = b.shader.insts[inst].num_components;
        let again = |b: &mut Builder<'_>, value, width| {
            let mut srcs = srcs.to_vec();
            srcs[0] = value;
            super::lower_int64::again(b, inst, (components, width), &srcs)
        };
        if op.moves_between_invocations() && self.is_carried[inst.def()] {
            let value = self.carrier(b, first);
            return Some(again(b, value, 32));
        }
        match op {
            Intrinsic::vote_ieq if self.lacks.number(Base::Uint, bits) => {
                let value = self.carrier(b, first);
                Some(again(b, value, 1))
            }
            Intrinsic::vote_feq if self.lacks.float16 => {
                let value = self.carrier(b, first);
                let value = Narrow { b }.float_of(value);
                Some(again(b, value, 1))
            }
            _ if matches!(op.info().form, IntrinsicForm::Derivative(_)) && self.lacks.float16 => {
                let value = self.carrier(b, first);
                let value = Narrow { b }.float_of(value);
                let result = again(b, value, 32);
                Some(Narrow { b }.cut(result, Base::Float, 16))
            }
            _ => None,
        }
    }

    /// Sets the sources of carrier phis to the carriers of the original sources.
    fn connect(&self, shader: &mut Shader) {
        for phi in &self.phis {
            let (Some(carrier), InstKind::Phi(preds)) = (self.carriers[phi.def()], shader.insts[*phi].kind) else {
                continue;
            };
            for i in 0..preds.len() {
                let PhiSrc { pred, def } = shader.phi_srcs[preds][i];
                if let (Some(def), InstKind::Phi(srcs)) = (self.carriers[def], shader.def(carrier).kind) {
                    shader.phi_srcs[srcs][i] = PhiSrc { pred, def };
                }
            }
        }
    }
}
