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
use crate::ir::{sift, AluFlags, AluSrc, ArrayIndex, Block, Deref, DerefKind, Edit, Inst, InstData, InstKind, Shader};
use crate::op::{AluOp, Props};

/// The pass.
pub const PASS: Pass = Pass { name: "cse", about: "computes equal things once", removes: Forms::empty(), run };

fn run(shader: &mut Shader, _context: &Context) -> bool {
    shader.with_spare(|shader, memory: &mut Memory| {
        memory.reset(shader);
        let changed = sift(shader, |shader, block, inst| memory.visit(shader, block, inst));
        memory.let_go_of_much();
        changed
    })
}

/// An instruction and its block.
type Place = (Block, Inst);

/// The instruction met last of each content: a table with open addressing, half of which stays free.
#[derive(Default)]
struct Memory {
    slots: Vec<Slot>,
    /// As many slots as the shader needs, less one.
    mask: usize,
    /// The run of the pass. What an earlier one left in the slots counts as free.
    run: u32,
    /// Not made if there is one block only.
    tree: Dominators,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// The run of the pass that took it, above the hash of the content.
    key: u64,
    place: Option<Place>,
}

/// How far to look. Real shaders need a few; in one that is made to have all hashes equal the pass takes its time, but no more.
const MOST_PROBES: usize = 256;

impl Memory {
    /// Forgets another shader, and makes room for what may be in this one.
    fn reset(&mut self, shader: &Shader) {
        if shader.cf.len() > 1 {
            self.tree.build(shader);
        }
        let len = (2 * shader.order.len()).next_power_of_two();
        self.mask = len - 1;
        self.run = self.run.wrapping_add(1);
        if self.run == 0 || self.slots.len() < len {
            self.run = 1;
            self.slots.clear();
            self.slots.resize(len, Slot::default());
        }
    }

    /// Keeps no large table while the shader is emitted: to make a new one costs little beside the walk that needs it.
    fn let_go_of_much(&mut self) {
        if self.slots.len() > 1024 {
            self.slots = Vec::new();
        }
    }

    fn visit(&mut self, shader: &mut Shader, block: Block, inst: Inst) -> Edit {
        let data = &shader.insts[inst];
        if !data.has_def() {
            return Edit::Keep;
        }
        let Some(hash) = content_hash(shader, data) else { return Edit::Keep };
        let key = u64::from(self.run) << 32 | u64::from(hash);
        let (at, known) = self.find(shader, key, inst);
        if let Some((home, other)) = known {
            if home == block || self.tree.is_reachable(block) && self.tree.dominates(home, block) {
                merge_flags(shader, other, inst);
                return Edit::Replace(other.def());
            }
        }
        // One that does not reach here is of no use further on either, because blocks come in program order.
        self.slots[at] = Slot { key, place: Some((block, inst)) };
        Edit::Keep
    }

    /// The slot for what `inst` computes, and where that was met before.
    #[inline(always)]
    fn find(&self, shader: &Shader, own: u64, inst: Inst) -> (usize, Option<Place>) {
        let mut at = own as usize & self.mask;
        for _ in 0..MOST_PROBES {
            let Slot { key, place } = self.slots[at];
            let Some((_, other)) = place.filter(|_| key >> 32 == own >> 32) else { return (at, None) };
            if key == own && is_equal(shader, other, inst) {
                return (at, place);
            }
            at = (at + 1) & self.mask;
        }
        (at, None)
    }
}

/// A hash that equal instructions share; `None` for one that does not give the same wherever it stands. It need not tell all
/// others apart: hardly any two instructions are equal, so it is made of few words.
#[inline(always)]
fn content_hash(shader: &Shader, data: &InstData) -> Option<u32> {
    let size = u64::from(data.num_components) << 8 | u64::from(data.bit_size);
    let hash = match data.kind {
        InstKind::Alu { op, srcs, .. } => {
            // A product, because operands may be exchanged.
            let operands = match &shader.alu_srcs[srcs] {
                [] => 0,
                [a] => operand(a),
                [a, b] => operand(a).wrapping_mul(operand(b)),
                [a, b, c, ..] => operand(a).wrapping_mul(operand(b)) ^ mixed(operand(c)),
            };
            operands.wrapping_add(size << 16 | op as u64)
        }
        InstKind::Const(values) => shader.consts[values].iter().fold(size, |hash, value| mixed(hash) ^ value),
        InstKind::Deref(deref) => deref_hash(&shader.derefs[deref]),
        _ => other_hash(shader, &data.kind)?,
    };
    // All bits count in the upper half of the product.
    Some((mixed(hash) >> 32) as u32)
}

/// [`content_hash`] of what is rare: out of the way of the rest.
#[inline(never)]
fn other_hash(shader: &Shader, kind: &InstKind) -> Option<u64> {
    match *kind {
        InstKind::Intrinsic { op, srcs, indices } if can_reorder(shader, op, srcs, indices) => {
            let hash = shader.srcs[srcs].iter().fold(op as u64, |hash, src| mixed(hash) ^ word(*src));
            Some(shader.indices[indices].iter().fold(hash, |hash, index| mixed(hash) ^ u64::from(*index)))
        }
        InstKind::Tex(tex) => Some(shader.texs[tex].srcs.iter().fold(0, |hash, (_, src)| mixed(hash) ^ word(*src))),
        InstKind::Undef => Some(0),
        // The block of a phi is an operand, too.
        _ => None,
    }
}

fn mixed(hash: u64) -> u64 {
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A number that is not 0.
fn word(id: impl Id) -> u64 {
    id.index() as u64 + 1
}

/// A number for an operand, of which at least one component is read.
fn operand(src: &AluSrc) -> u64 {
    word(src.def) << 4 | u64::from(src.swizzle.get(0))
}

fn deref_hash(deref: &Deref) -> u64 {
    let (from, step) = match deref.kind {
        DerefKind::Var(var) => (0, word(var)),
        DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => match index {
            ArrayIndex::Imm(number) => (word(parent), number as u64),
            ArrayIndex::Def(def) => (word(parent), word(def)),
        },
        DerefKind::Struct { parent, field } => (word(parent), u64::from(field)),
        DerefKind::ArrayWildcard { parent } | DerefKind::Cast { parent, .. } => (word(parent), 0),
    };
    mixed(from) ^ step ^ word(deref.ty) << 32
}

/// Whether two instructions give the same: asked of few, so out of the way of the others.
#[cold]
#[inline(never)]
fn is_equal(shader: &Shader, a: Inst, b: Inst) -> bool {
    let (x, y) = (&shader.insts[a], &shader.insts[b]);
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
        x[i].def == y[j].def && x[i].swizzle.is_same(y[j].swizzle, read)
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
