//! Equal things are computed once.
//!
//! **What.** An instruction goes if an equal one stands where every way to it leads through. Operands of commutative
//! operations may be exchanged. Loads count if nobody can write what they read: uniform blocks, push constants, inputs.
//!
//! **Why.** Lowering writes what it means without looking around: the address of a vec4 for each lane that is read, the
//! same constant for each use.
//!
//! Of two equal instructions of which one is `exact`, the one that stays is exact.
//!
//! Before:
//!
//! ```text
//! 32     %3 = ushr %2, %1 (0x4)
//! 32     %4 = ushr %2, %1 (0x4)
//! 32     %5 = iadd %3, %4
//! ```
//!
//! After:
//!
//! ```text
//! 32    %3 = ushr %2, %1 (0x4)
//! 32    %4 = iadd %3, %3
//! ```

use super::effects::can_reorder;
use super::{Context, Forms, Pass};
use crate::analysis::dominators::Dominators;
use crate::entity::{Id, Slice};
use crate::ir::{rewrite_cf, AluFlags, AluSrc, Block, Builder, Edit, Inst, InstData, InstKind, Rewriter, Shader};
use crate::op::{AluOp, Props};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The pass.
pub const PASS: Pass = Pass { name: "cse", about: "computes equal things once", removes: Forms::empty(), run };

fn run(shader: &mut Shader, _context: &Context) -> bool {
    // In a single block all that comes later is dominated.
    let tree = (shader.cf.len() > 1).then(|| Dominators::new(shader));
    let mut walk = Walk { tree, known: Known::with_room_for(shader.order.len()), block: None };
    rewrite_cf(shader, &mut walk)
}

struct Walk {
    /// `None` if there is one block only.
    tree: Option<Dominators>,
    known: Known,
    /// The block that is walked.
    block: Option<Block>,
}

impl Rewriter for Walk {
    fn enter(&mut self, _: &mut Builder<'_>, block: Block) {
        self.block = Some(block).filter(|block| self.tree.as_ref().map_or(true, |tree| tree.is_reachable(*block)));
    }

    fn visit(&mut self, builder: &mut Builder<'_>, inst: Inst) -> Edit {
        let shader = &mut *builder.shader;
        let Some(block) = self.block else { return Edit::Keep };
        let Some(hash) = content_hash(shader, inst) else { return Edit::Keep };
        let met = self.known.entry(hash);
        if let Some((home, other)) = *met {
            let reaches = home == block || self.tree.as_ref().is_some_and(|tree| tree.dominates(home, block));
            if reaches && is_equal(shader, other, inst) {
                merge_flags(shader, other, inst);
                return Edit::Replace(other.def());
            }
        }
        // One that does not reach here is of no use further on either, because blocks come in program order.
        *met = Some((block, inst));
        Edit::Keep
    }
}

/// An instruction and its block.
type Place = (Block, Inst);

/// The instruction met last of each content: a table with open addressing, half of which stays free.
struct Known {
    slots: Vec<(u64, Option<Place>)>,
}

impl Known {
    /// A table for as many contents as there may be in `insts` instructions.
    fn with_room_for(insts: usize) -> Known {
        Known { slots: vec![(0, None); (2 * insts).next_power_of_two()] }
    }

    /// What is known of content with this hash.
    fn entry(&mut self, hash: u64) -> &mut Option<Place> {
        let mask = self.slots.len() - 1;
        // The upper bits of an FxHash are the better ones.
        let mut at = (hash >> 32) as usize & mask;
        while self.slots[at].1.is_some() && self.slots[at].0 != hash {
            at = (at + 1) & mask;
        }
        self.slots[at].0 = hash;
        &mut self.slots[at].1
    }
}

/// A hash that equal instructions share; `None` for one that does not give the same wherever it stands.
fn content_hash(shader: &Shader, inst: Inst) -> Option<u64> {
    let InstData { num_components, bit_size, kind } = &shader.insts[inst];
    let mut hasher = FxHasher::default();
    let size = u32::from(*num_components) << 8 | u32::from(*bit_size);
    match kind {
        InstKind::Alu { op, srcs, .. } => {
            hasher.write_u32(size << 16 | *op as u32);
            // A sum, because the operands may be exchanged.
            hasher.write_u64(shader.alu_srcs[*srcs].iter().map(operand_hash).fold(0, u64::wrapping_add));
        }
        InstKind::Const(values) => {
            hasher.write_u32(size);
            shader.consts[*values].iter().for_each(|value| hasher.write_u64(*value));
        }
        InstKind::Undef => hasher.write_u32(size),
        InstKind::Deref(deref) => (shader.derefs[*deref].kind, shader.derefs[*deref].ty).hash(&mut hasher),
        InstKind::Intrinsic { op, srcs, indices } if can_reorder(shader, *op, *srcs, *indices) => {
            hasher.write_u32(size << 16 | *op as u32);
            shader.srcs[*srcs].iter().for_each(|src| src.hash(&mut hasher));
            shader.indices[*indices].iter().for_each(|index| hasher.write_u32(*index));
        }
        InstKind::Tex(tex) => (shader.texs[*tex].op, &shader.texs[*tex].srcs).hash(&mut hasher),
        // The block of a phi is an operand, too.
        InstKind::Intrinsic { .. } | InstKind::Phi(_) | InstKind::Jump(_) => return None,
    }
    Some(hasher.finish())
}

/// A hash of an operand of which at least one component is read. Sums of products would be the same for many pairs of
/// operands; the fold prevents it.
fn operand_hash(src: &AluSrc) -> u64 {
    let word = (src.def.index() as u64) << 4 | u64::from(src.swizzle.get(0));
    let product = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

/// Whether two instructions give the same.
fn is_equal(shader: &Shader, a: Inst, b: Inst) -> bool {
    let (x, y) = (shader.insts[a], shader.insts[b]);
    if (x.num_components, x.bit_size) != (y.num_components, y.bit_size) {
        return false;
    }
    match (x.kind, y.kind) {
        (InstKind::Alu { op, srcs: x_srcs, .. }, InstKind::Alu { op: y_op, srcs: y_srcs, .. }) => {
            op == y_op && equal_operands(shader, op, x.num_components, x_srcs, y_srcs)
        }
        (InstKind::Const(x), InstKind::Const(y)) => shader.consts[x] == shader.consts[y],
        (InstKind::Undef, InstKind::Undef) => true,
        (InstKind::Deref(x), InstKind::Deref(y)) => shader.derefs[x] == shader.derefs[y],
        (
            InstKind::Intrinsic { op, srcs, indices },
            InstKind::Intrinsic { op: y_op, srcs: y_srcs, indices: y_indices },
        ) => {
            op == y_op
                && shader.srcs[srcs] == shader.srcs[y_srcs]
                && shader.indices[indices] == shader.indices[y_indices]
        }
        (InstKind::Tex(x), InstKind::Tex(y)) => shader.texs[x] == shader.texs[y],
        _ => false,
    }
}

fn equal_operands(shader: &Shader, op: AluOp, components: u8, x: Slice, y: Slice) -> bool {
    let (x, y) = (&shader.alu_srcs[x], &shader.alu_srcs[y]);
    let equal = |i: usize, j: usize| {
        let read = usize::from(op.info().srcs[i].components(components));
        x[i].def == y[j].def && x[i].swizzle.components(read).eq(y[j].swizzle.components(read))
    };
    let rest = (2..x.len()).all(|i| equal(i, i));
    let straight = (0..x.len().min(2)).all(|i| equal(i, i));
    let exchanged = || op.info().props.contains(Props::COMMUTATIVE) && equal(0, 1) && equal(1, 0);
    rest && (straight || exchanged())
}

/// Lets `kept` promise no more, and keep as strictly, as both did.
fn merge_flags(shader: &mut Shader, kept: Inst, gone: Inst) {
    let InstKind::Alu { flags: gone, .. } = shader.insts[gone].kind else { return };
    if let InstKind::Alu { flags, .. } = &mut shader.insts[kept].kind {
        *flags = (*flags | gone) & AluFlags::EXACT | (*flags & gone).difference(AluFlags::EXACT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Def, Swizzle, Variable};
    use crate::op::{Access, Index, Intrinsic, Modes};

    fn start() -> Shader {
        let mut shader = Shader::default();
        shader.append_new_block();
        shader
    }

    fn optimized(shader: &mut Shader) -> usize {
        let before = shader.order.len();
        run(shader, &Context::default());
        before - shader.order.len()
    }

    #[test]
    fn operands_may_be_exchanged() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let (x, y) = (b.undef(1, 32), b.undef(2, 32));
        let y1 = AluSrc { def: y, swizzle: Swizzle::splat(1) };
        let mut alu = |op, a: AluSrc, c: AluSrc| b.alu_with(op, AluFlags::empty(), &[a, c], Some((1, 32)));
        let sum = alu(AluOp::fadd, x.into(), y1);
        let same = alu(AluOp::fadd, y1, x.into());
        alu(AluOp::fsub, x.into(), y1);
        alu(AluOp::fsub, y1, x.into());
        alu(AluOp::fadd, y.into(), x.into());
        let user = b.alu(AluOp::fneg, &[same]);
        assert_eq!(optimized(&mut shader), 1);
        assert_eq!(shader.as_alu(user).unwrap().1[0].def, sum);
    }

    #[test]
    fn the_strictest_flags_stay() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        let sum = b.alu_with(AluOp::fadd, AluFlags::NO_SIGNED_WRAP, &[x.into(), x.into()], None);
        b.alu_with(AluOp::fadd, AluFlags::EXACT, &[x.into(), x.into()], None);
        assert_eq!(optimized(&mut shader), 1);
        assert!(matches!(shader.insts[sum.inst()].kind, InstKind::Alu { flags: AluFlags::EXACT, .. }));
    }

    /// An if with `fill` in both bodies and behind it.
    fn branches(fill: impl Fn(&mut Builder<'_>)) -> Shader {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let cond = b.undef(1, 1);
        b.begin_if(cond);
        fill(&mut b);
        b.begin_else();
        fill(&mut b);
        b.end_if();
        fill(&mut b);
        shader
    }

    #[test]
    fn only_what_dominates_counts() {
        let constant = |b: &mut Builder<'_>| {
            b.imm32(7);
        };
        assert_eq!(optimized(&mut branches(constant)), 0);
        let mut nested = branches(|b| {
            constant(b);
            let cond = b.undef(1, 1);
            b.begin_if(cond);
            constant(b);
            b.begin_else();
            b.end_if();
        });
        // The condition of the first if reaches the others'.
        assert_eq!(optimized(&mut nested), 3 + 3);
    }

    fn load(b: &mut Builder<'_>, mode: Modes, access: Access) -> Def {
        let ty = b.shader.types.from_name("uvec4").unwrap();
        let name = b.shader.strings.add("v");
        let known = b.shader.vars.iter().find(|(_, v)| v.mode == mode).map(|(var, _)| var);
        let var = known.unwrap_or_else(|| b.shader.vars.push(Variable::new(name, ty, mode)));
        let pointer = b.deref_var(var);
        b.load_deref(pointer, access.bits())
    }

    #[test]
    fn loads_of_read_only_memory_count() {
        for (mode, access, gone) in [
            (Modes::UBO, Access::empty(), 2),
            (Modes::SHADER_IN, Access::empty(), 2),
            (Modes::SSBO, Access::empty(), 1),
            (Modes::SSBO, Access::REORDERABLE, 2),
            (Modes::SSBO, Access::REORDERABLE | Access::VOLATILE, 1),
        ] {
            let mut shader = start();
            let mut b = Builder::new(&mut shader);
            load(&mut b, mode, access);
            load(&mut b, mode, access);
            assert_eq!(optimized(&mut shader), gone, "{mode:?} {access:?}");
        }
    }

    #[test]
    fn effects_and_indices_keep_intrinsics_apart() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let x = b.undef(1, 32);
        for base in [0, 0, 1] {
            b.intrinsic_with(Intrinsic::load_uniform, 4, 32, &[x], &[(Index::base, base)]);
        }
        b.intrinsic(Intrinsic::shader_clock, 2, 32, &[]);
        b.intrinsic(Intrinsic::shader_clock, 2, 32, &[]);
        assert_eq!(optimized(&mut shader), 1);
    }
}
