// SPDX-License-Identifier: MIT

//! Splits vectors of more than four components into scalars.
//!
//! **What.** Each value of 5, 8 or 16 components is replaced by one value per component; instructions that read some of them
//! read those values.
//!
//! **Why.** OpTypeVector has at most four components without the capability Vector16, which Vulkan does not have
//! (SPIR-V, "Universal Validation Rules").
//!
//! Runs after the lowering of buffers, so wide loads and stores are already split into lanes. Only arithmetic, constants and
//! phis remain.
//!
//! Before:
//!
//! ```text
//! 32x5   %3 = vec5 %1, %1, %2, %2, %2
//! 32x5   %4 = iadd %3, %3.edcba
//! 32     %5 = ineg %4.a
//! ```
//!
//! After:
//!
//! ```text
//! 32    %3 = iadd %1, %2
//! 32    %4 = iadd %1, %2
//! 32    %5 = iadd %2, %2
//! 32    %6 = iadd %2, %1
//! 32    %7 = iadd %2, %1
//! 32    %8 = ineg %3
//! ```

use crate::entity::SideTable;
use crate::ir::{rewrite, AluFlags, AluSrc, Builder, Def, Edit, Inst, InstKind, PhiSrc, Shader, Swizzle};
use crate::op::{AluOp, Facts};
use crate::pass::{Context, Pass};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_wide_vectors",
    about: "splits vectors of more than four components into scalars",
    facts: Facts::WIDE_VECTORS,
    removes: Facts::WIDE_VECTORS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    let mut parts = Parts { parts: SideTable::new(None) };
    let mut wide_phis = Vec::new();
    let changed = rewrite(shader, |b, inst| {
        let data = b.shader.insts[inst];
        if data.num_components <= 4 {
            parts.narrow_sources(b, inst);
            return Edit::Keep;
        }
        let components: Vec<Def> = match data.kind {
            InstKind::Alu { op, flags, srcs } => {
                let srcs = b.shader.alu_srcs[srcs].to_vec();
                (0..data.num_components).map(|c| parts.component(b, (op, flags), &srcs, c, data.bit_size)).collect()
            }
            InstKind::Const(values) => {
                let values = b.shader.consts[values].to_vec();
                values.iter().map(|value| b.imm(data.bit_size, *value)).collect()
            }
            InstKind::Undef => (0..data.num_components).map(|_| b.undef(1, data.bit_size)).collect(),
            InstKind::Phi(srcs) => {
                let preds = b.shader.phi_srcs[srcs].to_vec();
                wide_phis.push((inst, preds.clone()));
                (0..data.num_components).map(|_| b.phi(1, data.bit_size, &preds)).collect()
            }
            // No other instruction makes wide values once buffers are lowered.
            _ => return Edit::Keep,
        };
        parts.parts.set(inst.def(), Some(components));
        Edit::Remove
    });
    for (phi, preds) in wide_phis {
        parts.connect(shader, phi, &preds);
    }
    changed
}

/// The components of each wide value.
struct Parts {
    parts: SideTable<Def, Option<Vec<Def>>>,
}

impl Parts {
    /// Component `c` of `op` on `srcs`.
    fn component(&self, b: &mut Builder<'_>, (op, flags): (AluOp, AluFlags), srcs: &[AluSrc], c: u8, bits: u8) -> Def {
        if op.info().form == crate::op::Form::Construct {
            let src = srcs[usize::from(c)];
            return self.channel(b, src.def, src.swizzle.get(0));
        }
        let scalars: Vec<AluSrc> =
            srcs.iter().map(|src| self.channel(b, src.def, src.swizzle.get(usize::from(c))).into()).collect();
        if op == AluOp::mov {
            return scalars[0].def;
        }
        b.alu_with(op, flags, &scalars, Some((1, bits)))
    }

    fn channel(&self, b: &mut Builder<'_>, def: Def, c: u8) -> Def {
        match &self.parts[def] {
            Some(parts) => parts[usize::from(c)],
            None => b.channel(def, c),
        }
    }

    /// Replaces the wide sources of an ALU instruction by vectors of the components that it reads.
    fn narrow_sources(&self, b: &mut Builder<'_>, inst: Inst) {
        let InstKind::Alu { op, srcs, .. } = b.shader.insts[inst].kind else { return };
        let list = b.shader.alu_srcs[srcs].to_vec();
        for (i, src) in list.iter().enumerate() {
            let Some(parts) = &self.parts[src.def] else { continue };
            let count = op.info().srcs[i].components(b.shader.insts[inst].num_components);
            let read: Vec<Def> = src.swizzle.components(usize::from(count)).map(|c| parts[usize::from(c)]).collect();
            let def = b.vec(&read);
            b.shader.alu_srcs[srcs][i] = AluSrc { def, swizzle: Swizzle::IDENTITY };
        }
    }

    /// Sets the sources of the component phis of the wide phi `phi` to the components of its sources.
    fn connect(&self, shader: &mut Shader, phi: Inst, preds: &[PhiSrc]) {
        let Some(components) = &self.parts[phi.def()] else { return };
        for (c, component) in components.iter().enumerate() {
            let InstKind::Phi(srcs) = shader.insts[component.inst()].kind else { continue };
            for (i, src) in preds.iter().enumerate() {
                if let Some(parts) = &self.parts[src.def] {
                    shader.phi_srcs[srcs][i].def = parts[c];
                }
            }
        }
    }
}
