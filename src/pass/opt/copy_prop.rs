// SPDX-License-Identifier: MIT

//! Makes instructions read values directly instead of copies of them.
//!
//! **What.** An ALU source skips moves and vectors as long as all components that it reads are of one value, and combines their
//! swizzles. A vector that reassembles all components of a value is replaced by that value, and a phi whose operands are all
//! the same by that operand.
//!
//! **Why.** Every lowering that selects components makes moves and vectors, and SPIR-V needs an instruction for each.
//!
//! The moves stay without uses; [`dce`](super::dce) removes them.
//!
//! Before:
//!
//! ```text
//! 32     %2 = mov %1.y
//! 32x2   %3 = vec2 %2, %1.x
//! 32x2   %4 = fadd %3, %3.yx
//! ```
//!
//! After:
//!
//! ```text
//! 32    %2 = mov %1.y
//! 32x2  %3 = mov %1.yx
//! 32x2  %4 = fadd %1.yx, %1.xy
//! ```

use super::walk_tables::{InstFlags, InstState};
use crate::entity::Id;
use crate::ir::{AluFlags, AluSrc, Def, Inst, InstData, InstKind, PhiSrc, Shader, Swizzle};
use crate::op::AluOp::*;
use crate::op::AluSet;

/// Opcodes that compute nothing: moves and vectors.
pub(super) const COPIES: AluSet = AluSet::of(&[mov, vec2, vec3, vec4, vec5, vec8, vec16]);

/// The number of copies in a row that are skipped. There are two where each reads its value directly: a move of components of a
/// vector. In code that is never reached they may form a cycle.
const MOST_IN_A_ROW: usize = 4;

/// The source that `src`, of which `read` components are read, becomes when moves and vectors are skipped.
pub(super) fn look_through_copies(shader: &Shader, insts: &[InstState], mut src: AluSrc, read: usize) -> AluSrc {
    for _ in 0..MOST_IN_A_ROW {
        if !insts[src.def.index()].flags.contains(InstFlags::COPY) {
            break;
        }
        let Some(origin) = origin(shader, src, read) else { break };
        src = origin;
    }
    src
}

/// The source that `src` becomes when one move or vector is skipped, if that is a single value for the first `read` components.
fn origin(shader: &Shader, src: AluSrc, read: usize) -> Option<AluSrc> {
    let (op, copied) = shader.as_alu(src.def)?;
    let is_move = op == mov;
    // A move has one operand for all components, a vector has one for each and takes its first component.
    let from = |c: usize| {
        let c = usize::from(src.swizzle.get(c));
        let operand = copied.get(if is_move { 0 } else { c })?;
        Some((operand.def, operand.swizzle.get(if is_move { c } else { 0 })))
    };
    let (def, component) = from(0)?;
    let mut swizzle = Swizzle::splat(component);
    for c in 1..read {
        let (other, component) = from(c)?;
        if other != def {
            return None;
        }
        swizzle.set(c, component);
    }
    Some(AluSrc { def, swizzle })
}

/// Makes a vector of components of one value a move.
pub(super) fn vector_to_move(shader: &mut Shader, inst: Inst) -> bool {
    let InstData { num_components, kind: InstKind::Alu { op, .. }, .. } = shader.insts[inst] else { return false };
    if op == mov || !COPIES.contains(op) {
        return false;
    }
    let Some(origin) = origin(shader, inst.def().into(), usize::from(num_components)) else { return false };
    let srcs = shader.push_alu_srcs(&[origin]);
    shader.set_kind(inst, InstKind::Alu { op: mov, flags: AluFlags::empty(), srcs });
    true
}

/// The value that a move copies as a whole.
pub(super) fn copied_value(shader: &Shader, inst: Inst) -> Option<Def> {
    let num_components = shader.insts[inst].num_components;
    let (mov, [src]) = shader.as_alu(inst.def())? else { return None };
    let whole =
        num_components == shader.num_components(src.def) && src.swizzle.is_identity(usize::from(num_components));
    whole.then_some(src.def)
}

/// The operand of a phi that is the same from all predecessors, not counting the phi itself.
pub(super) fn only_operand(srcs: &[PhiSrc], phi: Def) -> Option<Def> {
    let mut others = srcs.iter().map(|src| src.def).filter(|def| *def != phi);
    let first = others.next()?;
    others.all(|def| def == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Cf};
    use crate::op::{AluOp, Form};
    use crate::pass::opt::clean_up::{run_rules, Rules};

    fn src(def: Def, swizzle: &[u8]) -> AluSrc {
        AluSrc { def, swizzle: Swizzle::new(swizzle) }
    }

    fn start() -> Shader {
        let mut shader = Shader::default();
        shader.append_new_block();
        shader
    }

    #[test]
    fn copies_are_those_of_the_table() {
        for op in AluOp::ALL {
            let is_copy = matches!(op.info().form, Form::Move | Form::Construct);
            assert_eq!(COPIES.contains(*op), is_copy, "{}", op.name());
        }
    }

    #[test]
    fn swizzles_compose() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(4, 32);
        let size = Some((1, 32));
        let y = b.alu_with(AluOp::mov, AluFlags::empty(), &[src(x, &[1])], size);
        let yx = b.alu_with(AluOp::vec2, AluFlags::empty(), &[src(y, &[0]), src(x, &[0])], None);
        let sum = b.alu_with(AluOp::fadd, AluFlags::EXACT, &[src(yx, &[0, 1]), src(yx, &[1, 0])], None);
        assert!(run_rules(&mut shader, Rules::COPIES));
        let (op, srcs) = shader.as_alu(sum).unwrap();
        assert_eq!((op, srcs[0].def, srcs[1].def), (AluOp::fadd, x, x));
        assert_eq!(srcs[0].swizzle.components(2).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(srcs[1].swizzle.components(2).collect::<Vec<_>>(), [0, 1]);
        assert!(matches!(shader.insts[sum.inst()].kind, InstKind::Alu { flags: AluFlags::EXACT, .. }));
        assert!(!run_rules(&mut shader, Rules::COPIES));
    }

    #[test]
    fn reassembled_vectors_are_the_value() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(3, 32);
        let parts = [0, 1, 2].map(|c| b.channel(x, c));
        let again = b.vec(&parts);
        let user = b.intrinsic(crate::op::Intrinsic::store_output, 0, 0, &[again, parts[0]]);
        assert!(run_rules(&mut shader, Rules::COPIES));
        let (_, srcs) = shader.as_intrinsic(user).unwrap();
        assert_eq!(srcs, [x, parts[0]], "a single component stays a move");
    }

    #[test]
    fn vectors_of_two_values_stay() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let (x, y) = (b.undef(2, 32), b.undef(1, 32));
        let both = b.alu_with(AluOp::vec2, AluFlags::empty(), &[src(x, &[1]), y.into()], None);
        let one = b.alu_with(AluOp::fneg, AluFlags::empty(), &[src(both, &[0])], Some((1, 32)));
        let two = b.alu(AluOp::fneg, &[both]);
        assert!(run_rules(&mut shader, Rules::COPIES));
        assert_eq!(shader.as_alu(one).unwrap().1, [AluSrc { def: x, swizzle: Swizzle::splat(1) }]);
        assert_eq!(shader.as_alu(two).unwrap().1[0].def, both);
    }

    #[test]
    fn phis_of_one_value_are_removed() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let entry = b.current_block();
        b.shader.append_cf(Cf::Loop);
        let body = b.shader.append_new_block();
        let phi = b.phi(1, 32, &[PhiSrc { pred: entry, def: x }, PhiSrc { pred: body, def: x }]);
        let InstKind::Phi(srcs) = b.shader.insts[phi.inst()].kind else { unreachable!() };
        b.shader.phi_srcs[srcs][1].def = phi;
        let sum = b.iadd(phi, phi);
        b.shader.append_cf(Cf::EndLoop);
        b.shader.append_new_block();
        assert!(run_rules(&mut shader, Rules::COPIES));
        assert_eq!(shader.as_alu(sum).unwrap().1, [AluSrc::from(x); 2]);
    }

    #[test]
    fn phis_of_each_other_end() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let entry = b.current_block();
        let phi = |b: &mut Builder<'_>| b.phi(1, 32, &[PhiSrc { pred: entry, def: x }]);
        let (first, second) = (phi(&mut b), phi(&mut b));
        for (phi, other) in [(first, second), (second, first)] {
            let InstKind::Phi(srcs) = b.shader.insts[phi.inst()].kind else { unreachable!() };
            b.shader.phi_srcs[srcs][0].def = other;
        }
        run_rules(&mut shader, Rules::COPIES);
    }

    #[test]
    fn moves_of_each_other_end() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let mut copy = || b.alu_with(AluOp::mov, AluFlags::empty(), &[x.into()], None);
        let (first, second) = (copy(), copy());
        for (inst, other) in [(first, second), (second, first)] {
            let InstKind::Alu { srcs, .. } = shader.insts[inst.inst()].kind else { unreachable!() };
            shader.alu_srcs[srcs][0].def = other;
        }
        run_rules(&mut shader, Rules::COPIES);
    }
}
