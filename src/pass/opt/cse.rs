// SPDX-License-Identifier: MIT

//! Computes equal values once.
//!
//! **What.** An instruction is removed if an equal one dominates it. Operands of commutative operations may be exchanged. Loads
//! are included if the memory that they read cannot be written: uniform blocks, push constants, inputs.
//!
//! **Why.** Lowerings emit code for each access by itself: the address of a vec4 for each lane that is read, the same constant
//! for each use.
//!
//! If one of two equal instructions is `exact`, the remaining instruction becomes exact.
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

use crate::analysis::dominators::Dominators;
use crate::entity::{Id, Slice};
use crate::ir::{AluFlags, AluSrc, Block, Inst, InstData, InstKind, Shader, TexData, Type};
use crate::op::{AluOp, Props};

/// An instruction and its block.
type Position = (Block, Inst);

/// The last instruction of each content: a table with open addressing, most of which stays free.
#[derive(Default)]
pub(super) struct InstTable {
    slots: Vec<Slot>,
    /// The number of slots that the shader needs, minus one.
    mask: usize,
    /// The number of instructions that may be added before all are forgotten.
    room: usize,
    /// The number of this run of the pass. Slots of earlier runs count as free.
    run: u32,
    /// Not computed if there is only one block.
    tree: Dominators,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The run of the pass that filled the slot, above the hash of the content.
    key: u64,
    position: Position,
}

/// Up to this size, a table has four slots for each instruction, so that collisions are rare; a larger one has two.
const ROOMY_SLOTS: usize = 1024;

const LEAST_SLOTS: usize = 64;

/// A larger table would not fit into the caches, and the few equal instructions of a huge shader are near each other: when the
/// table is full, all instructions are forgotten.
const MOST_SLOTS: usize = 1 << 14;

/// The maximum number of probes. Real shaders need a few; in a shader that is made to have all hashes equal, this limits the
/// time of the pass.
const MOST_PROBES: usize = 256;

impl InstTable {
    /// Forgets the previous shader, and allocates the table for this one.
    pub(super) fn reset(&mut self, shader: &Shader) {
        if shader.cf.len() > 1 {
            self.tree.build(shader);
        }
        let num_insts = shader.order.len();
        let len = (4 * num_insts).min(ROOMY_SLOTS).max(2 * num_insts);
        self.mask = len.next_power_of_two().clamp(LEAST_SLOTS, MOST_SLOTS) - 1;
        self.forget();
    }

    /// Forgets all instructions.
    #[cold]
    #[inline(never)]
    fn forget(&mut self) {
        self.room = (self.mask + 1) / 4 * 3;
        self.run = self.run.wrapping_add(1);
        if self.run == 0 || self.slots.len() <= self.mask {
            self.run = 1;
            self.slots.clear();
            self.slots.resize(self.mask + 1, Slot { key: 0, position: (Block::from_index(0), Inst::from_index(0)) });
        }
    }

    /// The earlier instruction that computes the same value as `inst`, whose content has this hash. If there is none, `inst` is
    /// added to the table.
    pub(super) fn find(&mut self, shader: &mut Shader, block: Block, inst: Inst, hash: u64) -> Option<Inst> {
        if self.room == 0 {
            self.forget();
        }
        // All bits affect the upper half of the product.
        let key = u64::from(self.run) << 32 | mixed(hash) >> 32;
        let (at, known) = self.slot(shader, key, inst);
        if let Some((home, other)) = known {
            if home == block || self.tree.is_reachable(block) && self.tree.dominates(home, block) {
                merge_flags(shader, other, inst);
                return Some(other);
            }
        }
        self.room -= 1;
        // An instruction that does not dominate this one does not dominate later ones either, because blocks are in program
        // order.
        self.slots[at] = Slot { key, position: (block, inst) };
        None
    }

    /// The slot for the content of `inst`, and the position of the last instruction with that content.
    fn slot(&self, shader: &Shader, own: u64, inst: Inst) -> (usize, Option<Position>) {
        let mut at = own as usize & self.mask;
        for _ in 0..MOST_PROBES {
            let Slot { key, position } = self.slots[at];
            if key >> 32 != own >> 32 {
                break;
            }
            if key == own && is_equal(shader, position.1, inst) {
                return (at, Some(position));
            }
            at = (at + 1) & self.mask;
        }
        (at, None)
    }
}

// Hashes that equal instructions share. They need not distinguish all others: few instructions are equal, so hashes use few
// words.

fn size(data: &InstData) -> u64 {
    u64::from(data.num_components) << 8 | u64::from(data.bit_size)
}

/// The hash of an ALU operation with `count` operands, from [`operand`] of the first three.
#[inline(always)]
pub(super) fn hash_of_alu(data: &InstData, op: AluOp, [a, b, c]: &[u64; 3], count: usize) -> u64 {
    // A product, because operands may be exchanged.
    let both = a.wrapping_mul(*b);
    let third = if count > 2 { mixed(*c) } else { 0 };
    (both ^ third).wrapping_add(size(data) << 16 | op as u64)
}

pub(super) fn hash_of_constant(data: &InstData, values: &[u64]) -> u64 {
    values.iter().fold(size(data), |hash, value| mixed(hash) ^ value)
}

pub(super) fn hash_of_intrinsic(shader: &Shader, data: &InstData) -> u64 {
    let InstKind::Intrinsic { op, srcs, indices } = data.kind else { return 0 };
    let hash = shader.srcs[srcs].iter().fold(op as u64, |hash, src| mixed(hash) ^ word(*src));
    shader.indices[indices].iter().fold(hash, |hash, index| mixed(hash) ^ u64::from(*index))
}

pub(super) fn hash_of_tex(tex: &TexData) -> u64 {
    tex.srcs.iter().fold(0, |hash, (_, src)| mixed(hash) ^ word(*src))
}

pub(super) fn hash_of_undef(data: &InstData) -> u64 {
    size(data)
}

pub(super) fn mixed(hash: u64) -> u64 {
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A number that is not 0.
pub(super) fn word(id: impl Id) -> u64 {
    id.index() as u64 + 1
}

/// A number for an operand, of which at least one component is read.
#[inline(always)]
pub(super) fn operand(src: &AluSrc) -> u64 {
    word(src.def) << 4 | u64::from(src.swizzle.get(0))
}

/// The hash of a deref of type `ty`, from its own content.
pub(super) fn hash_of_deref(content: u64, ty: Type) -> u64 {
    content ^ word(ty) << 32
}

/// Whether two instructions compute the same value. It is called rarely, so it is not inlined.
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

/// Combines the flags: `kept` promises only what both promised, and has the math control of both.
fn merge_flags(shader: &mut Shader, kept: Inst, gone: Inst) {
    let InstKind::Alu { flags: gone, .. } = shader.insts[gone].kind else { return };
    if let InstKind::Alu { flags, .. } = shader.insts[kept].kind {
        let merged = (flags | gone) & AluFlags::MATH | (flags & gone).difference(AluFlags::MATH);
        shader.set_alu_flags(kept, merged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Def, Swizzle, Variable};
    use crate::op::{Access, Index, Intrinsic, Modes};
    use crate::pass::opt::clean_up::{run_rules, Rules};

    fn start() -> Shader {
        let mut shader = Shader::default();
        shader.append_new_block();
        shader
    }

    fn optimized(shader: &mut Shader) -> usize {
        let before = shader.order.len();
        run_rules(shader, Rules::EQUALS);
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
    fn the_table_is_cleared_before_it_is_full() {
        let mut shader = start();
        let mut b = Builder::new(&mut shader);
        let count = MOST_SLOTS as u32;
        for value in 0..count {
            b.imm32(value);
            b.imm32(value);
        }
        b.imm32(0);
        b.imm32(count - 1);
        assert_eq!(
            optimized(&mut shader),
            MOST_SLOTS - 1 + 1,
            "neighbours but for one pair, and the last, not the first"
        );
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

    /// An if with `fill` in both bodies and after it.
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
    fn only_dominating_instructions_are_used() {
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
        // The condition of the first if is available in the others.
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
