//! Values are read where they are made instead of where they are copied to.
//!
//! **What.** An ALU source looks through moves and vectors as long as all components that it reads come from one value,
//! and takes their swizzles over. A vector that puts the components of a value back together is that value, and a phi
//! whose operands are all the same is that operand.
//!
//! **Why.** Every lowering that picks components makes moves and vectors, and SPIR-V would pay for each with an
//! instruction.
//!
//! The moves stay behind without a reader, for [`dce`](super::dce).
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

use super::{Context, Forms, Pass};
use crate::entity::SideTable;
use crate::ir::{sift, AluFlags, AluSrc, Def, Edit, Inst, InstData, InstKind, PhiSrc, Shader, Swizzle};
use crate::op::AluOp::{self, *};
use crate::op::AluSet;

/// The pass.
pub const PASS: Pass = Pass {
    name: "copy_prop",
    about: "reads values where they are made instead of where they are copied to",
    removes: Forms::empty(),
    run,
};

/// What computes nothing: moves and vectors.
const COPIES: AluSet = AluSet::of(&[mov, vec2, vec3, vec4, vec5, vec8, vec16]);

fn run(shader: &mut Shader, _context: &Context) -> bool {
    if !shader.inventory().has_any_alu(&COPIES) && !shader.inventory().has_phis() {
        return false;
    }
    shader.with_spare(propagate)
}

fn propagate(shader: &mut Shader, order: &mut Order) -> bool {
    order.reset(shader);
    let mut sources_changed = false;
    let some_went = sift(shader, |shader, _, inst| {
        let same = match shader.insts[inst].kind {
            InstKind::Alu { op, srcs, .. } => {
                let is_copy = COPIES.contains(op);
                if is_copy {
                    order.visit(inst.def());
                }
                if shader.alu_srcs[srcs].iter().any(|src| order.has_passed(src.def)) {
                    sources_changed |= look_through_copies(shader, order, inst);
                }
                if !is_copy {
                    return Edit::Keep;
                }
                sources_changed |= op != mov && vector_to_move(shader, order, inst);
                copied_value(shader, inst)
            }
            InstKind::Phi(srcs) => {
                order.visit(inst.def());
                only_operand(&shader.phi_srcs[srcs], inst.def())
            }
            _ => return Edit::Keep,
        };
        same.filter(|def| order.is_before(shader, *def, inst.def())).map_or(Edit::Keep, Edit::Replace)
    });
    some_went || sources_changed
}

/// Where the copies and phis visited so far stand among each other, from 1. They are followed backwards only, which comes to
/// an end even in code that is never reached and where values may be made of each other in a circle.
#[derive(Default)]
struct Order {
    places: SideTable<Def, u32>,
    last: u32,
}

impl Order {
    /// Forgets another shader.
    fn reset(&mut self, shader: &Shader) {
        self.places.reset(shader.num_defs());
        self.last = 0;
    }

    /// Notes that a copy or phi stands here.
    fn visit(&mut self, def: Def) {
        self.last += 1;
        self.places.set(def, self.last);
    }

    /// Whether `def` is a copy or phi that was visited.
    fn has_passed(&self, def: Def) -> bool {
        self.places[def] != 0
    }

    /// Whether `a` stands before the copy or phi `b`, or is none.
    fn is_before(&self, shader: &Shader, a: Def, b: Def) -> bool {
        match self.places[a] {
            0 => self.has_passed(b) && !is_copy_or_phi(shader, a),
            place => place < self.places[b],
        }
    }
}

fn is_copy_or_phi(shader: &Shader, def: Def) -> bool {
    match shader.def(def).kind {
        InstKind::Alu { op, .. } => COPIES.contains(op),
        InstKind::Phi(_) => true,
        _ => false,
    }
}

/// Lets the sources of an ALU instruction read what moves and vectors read.
#[inline(never)]
fn look_through_copies(shader: &mut Shader, order: &Order, inst: Inst) -> bool {
    let InstData { num_components, kind: InstKind::Alu { op, srcs, .. }, .. } = shader.insts[inst] else {
        return false;
    };
    let mut changed = false;
    for (i, operand) in op.info().srcs.iter().enumerate().take(srcs.len()) {
        let read = usize::from(operand.components(num_components));
        while order.has_passed(shader.alu_srcs[srcs][i].def) {
            let Some(origin) = origin(shader, order, shader.alu_srcs[srcs][i], read) else { break };
            shader.alu_srcs[srcs][i] = origin;
            changed = true;
        }
    }
    changed
}

/// What `src` reads, one move or vector further back, if that is a single value for the first `read` components.
fn origin(shader: &Shader, order: &Order, src: AluSrc, read: usize) -> Option<AluSrc> {
    let first = component_origin(shader, src.def, src.swizzle.get(0))?;
    let mut origin = AluSrc { def: first.0, swizzle: Swizzle::splat(first.1) };
    for c in 1..read {
        let (def, component) = component_origin(shader, src.def, src.swizzle.get(c))?;
        if def != origin.def {
            return None;
        }
        origin.swizzle.set(c, component);
    }
    order.is_before(shader, origin.def, src.def).then_some(origin)
}

/// The value and component that a move or vector copies to component `c` of `def`.
fn component_origin(shader: &Shader, def: Def, c: u8) -> Option<(Def, u8)> {
    match shader.as_alu(def)? {
        (mov, srcs) => Some((srcs[0].def, srcs[0].swizzle.get(usize::from(c)))),
        (op, srcs) if COPIES.contains(op) => srcs.get(usize::from(c)).map(|src| (src.def, src.swizzle.get(0))),
        _ => None,
    }
}

/// Makes a vector of components of one value a move.
#[inline(never)]
fn vector_to_move(shader: &mut Shader, order: &Order, inst: Inst) -> bool {
    let components = usize::from(shader.insts[inst].num_components);
    let Some(origin) = origin(shader, order, inst.def().into(), components) else { return false };
    let srcs = shader.push_alu_srcs(&[origin]);
    shader.set_kind(inst, InstKind::Alu { op: AluOp::mov, flags: AluFlags::empty(), srcs });
    true
}

/// The value that a move copies whole.
fn copied_value(shader: &Shader, inst: Inst) -> Option<Def> {
    let num_components = shader.insts[inst].num_components;
    let (mov, [src]) = shader.as_alu(inst.def())? else { return None };
    let whole =
        num_components == shader.num_components(src.def) && src.swizzle.is_identity(usize::from(num_components));
    whole.then_some(src.def)
}

/// The operand of a phi that is the same from everywhere, not counting the phi itself.
fn only_operand(srcs: &[PhiSrc], phi: Def) -> Option<Def> {
    let mut others = srcs.iter().map(|src| src.def).filter(|def| *def != phi);
    let first = others.next()?;
    others.all(|def| def == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Cf};
    use crate::op::Form;

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
        assert!(run(&mut shader, &Context::default()));
        let (op, srcs) = shader.as_alu(sum).unwrap();
        assert_eq!((op, srcs[0].def, srcs[1].def), (AluOp::fadd, x, x));
        assert_eq!(srcs[0].swizzle.components(2).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(srcs[1].swizzle.components(2).collect::<Vec<_>>(), [0, 1]);
        assert!(matches!(shader.insts[sum.inst()].kind, InstKind::Alu { flags: AluFlags::EXACT, .. }));
        assert!(!run(&mut shader, &Context::default()));
    }

    #[test]
    fn a_vector_put_back_together_is_the_value() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(3, 32);
        let parts = [0, 1, 2].map(|c| b.channel(x, c));
        let again = b.vec(&parts);
        let user = b.intrinsic(crate::op::Intrinsic::store_output, 0, 0, &[again, parts[0]]);
        assert!(run(&mut shader, &Context::default()));
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
        assert!(run(&mut shader, &Context::default()));
        assert_eq!(shader.as_alu(one).unwrap().1, [AluSrc { def: x, swizzle: Swizzle::splat(1) }]);
        assert_eq!(shader.as_alu(two).unwrap().1[0].def, both);
    }

    #[test]
    fn phis_of_one_value_go() {
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
        assert!(run(&mut shader, &Context::default()));
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
        run(&mut shader, &Context::default());
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
        run(&mut shader, &Context::default());
    }
}
