//! Instructions that are like most: what they have can be seen at once to be sound, and to have a translation whatever the
//! target.
//!
//! That is arithmetic on numbers, constants, pointers to variables and their parts, and loads and stores through these. All
//! others are left to the rules of their kind. What arithmetic asks of its operands is in a table of its own, in a form that is
//! compared at once: widths are powers of two, so a set of them is a number, and what they have in common is their `and`.

use super::scope::{Scopes, Shape};
use super::{deref, shape, support};
use crate::analysis::kinds::Kinds;
use crate::ir::{AluSrc, ArrayIndex, Def, DerefKind, Inst, InstData, InstKind, Shader};
use crate::op::{Access, AluInfo, AluOp, Base, Intrinsic, IntrinsicSet, Modes, Operand, ALU_OPS};

/// Puts into `others` the instructions that are not usual, in order. With those that are, nothing is wrong, they see all that
/// they use, and they have a translation; for the others the rules have to tell.
pub(super) fn find_others(
    shader: &Shader,
    scopes: &Scopes,
    kinds: &mut Kinds,
    odd_modes: Modes,
    others: &mut Vec<Inst>,
) {
    kinds.list(shader);
    let look = Look { shader, scopes, odd_modes };
    let mut add = |inst: &Inst, is_usual: bool| {
        if !is_usual {
            others.push(*inst);
        }
    };
    kinds.alu().iter().for_each(|inst| add(inst, look.is_usual_alu(*inst)));
    kinds.consts().iter().for_each(|inst| add(inst, look.is_usual_const(*inst)));
    kinds.derefs().iter().for_each(|inst| add(inst, look.is_usual_deref(*inst)));
    kinds.intrinsics().iter().for_each(|inst| add(inst, look.is_usual_access(*inst)));
    kinds.others().iter().for_each(|inst| add(inst, false));
    if !others.windows(2).all(|pair| pair[0] < pair[1]) {
        others.sort_unstable();
    }
}

/// What an ALU opcode takes and makes.
#[derive(Clone, Copy)]
struct Fit {
    sources: u8,
    result: OperandFit,
    /// That of an opcode with one operand stands here twice.
    operands: [OperandFit; MOST],
}

/// What an operand may be.
#[derive(Clone, Copy)]
struct OperandFit {
    /// The widths that it may have.
    widths: u8,
    /// All ones if it has a width of its own, 0 if that of all such operands is the same.
    own: u8,
    /// The numbers of a swizzle that it reads, 0 for as many as the instruction has components.
    read: u16,
}

/// Few opcodes have more sources or components, and none that is usual.
const MOST: usize = 4;

/// Stands for what is not usual, and is the number of no sources.
const MANY: u8 = u8::MAX;

/// The numbers of a swizzle that so many components read.
const READ: [u16; MOST + 1] = [0, 0xf, 0xff, 0xfff, 0xffff];

static FITS: [Fit; AluOp::ALL.len()] = fits(ALU_OPS);

const fn fits(infos: &[AluInfo]) -> [Fit; AluOp::ALL.len()] {
    let nothing = OperandFit { widths: 0, own: 0, read: 0 };
    let mut rows = [Fit { sources: MANY, result: nothing, operands: [nothing; MOST] }; AluOp::ALL.len()];
    let mut row = 0;
    while row < rows.len() {
        rows[row] = fit(&infos[row], support::takes_booleans(AluOp::ALL[row], &infos[row]), rows[row]);
        row += 1;
    }
    rows
}

const fn fit(info: &AluInfo, takes_booleans: bool, unusual: Fit) -> Fit {
    let mut fit = unusual;
    if info.srcs.len() > MOST || info.dest.size as usize > MOST {
        return unusual;
    }
    let mut source = 0;
    while source < info.srcs.len() {
        if info.srcs[source].size as usize > MOST {
            return unusual;
        }
        fit.operands[source] = operand_fit(&info.srcs[source], takes_booleans);
        source += 1;
    }
    if source == 1 {
        fit.operands[1] = fit.operands[0];
    }
    Fit { sources: info.srcs.len() as u8, result: operand_fit(&info.dest, true), ..fit }
}

const fn operand_fit(operand: &Operand, takes_booleans: bool) -> OperandFit {
    let widths = match (operand.ty.bits, operand.ty.base) {
        (0, Base::Float) => 16 | 32 | 64,
        (0, _) => 1 | 8 | 16 | 32 | 64,
        (bits, _) => bits,
    };
    let unread = if takes_booleans || matches!(operand.ty.base, Base::Bool) { 0 } else { 1 };
    let own = if operand.ty.bits == 0 { 0 } else { u8::MAX };
    OperandFit { widths: widths & !unread, own, read: READ[operand.size as usize] }
}

/// A look at single instructions.
struct Look<'a> {
    shader: &'a Shader,
    scopes: &'a Scopes,
    odd_modes: Modes,
}

impl Look<'_> {
    #[inline(always)]
    fn is_usual_alu(&self, inst: Inst) -> bool {
        let data = &self.shader.insts[inst];
        let InstKind::Alu { op, srcs, .. } = data.kind else { return false };
        let (fit, bits, srcs) = (&FITS[op as usize], data.bit_size, &self.shader.alu_srcs[srcs]);
        let Some(read @ 1..) = READ.get(usize::from(data.num_components)).copied() else { return false };
        let has_shape = (fit.result.read == 0) | (fit.result.read == read);
        let ([first, ..], true) = (srcs, srcs.len() == usize::from(fit.sources)) else { return false };
        let place = self.scopes.place(inst);
        let value = |src: &AluSrc| self.scopes.value(self.shader, src.def, place);
        let mut sum = Sum::new(bits, &fit.result);
        sum.add(value(first), first, &fit.operands[0], read);
        // Most have two, and the row of an opcode with one has that twice: nothing to decide.
        let second = &srcs[usize::from(srcs.len() > 1)];
        sum.add(value(second), second, &fit.operands[1], read);
        for (src, operand) in srcs.iter().zip(&fit.operands).skip(2) {
            sum.add(value(src), src, operand, read);
        }
        has_shape & bits.is_power_of_two() & sum.fits()
    }

    #[inline(always)]
    fn is_usual_const(&self, inst: Inst) -> bool {
        let data = &self.shader.insts[inst];
        let InstKind::Const(values) = data.kind else { return false };
        shape::is_sound_const(data, &self.shader.consts[values])
    }

    #[inline(always)]
    fn is_usual_deref(&self, inst: Inst) -> bool {
        const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO);
        /// Pointers, and what they are indexed by.
        const POINTER: Shape = Shape::new(1, 32);
        let (shader, data) = (self.shader, &self.shader.insts[inst]);
        let InstKind::Deref(deref) = data.kind else { return false };
        let deref = &shader.derefs[deref];
        if Shape::of(data) != POINTER || deref.modes.intersects(self.odd_modes) {
            return false;
        }
        let place = self.scopes.place(inst);
        let parent = match deref.kind {
            DerefKind::Var(var) => {
                let variable = &shader.vars[var];
                let has_value = variable.values.is_some() | variable.initializer.is_some();
                return (variable.mode == deref.modes) & (variable.ty == deref.ty) & !has_value;
            }
            DerefKind::Array { parent, index: ArrayIndex::Imm(_) } | DerefKind::Struct { parent, .. } => parent,
            // Which of several buffers is not known may need a feature.
            DerefKind::Array { parent, index: ArrayIndex::Def(index) } => {
                if self.scopes.value(shader, index, place) != POINTER || deref.modes.intersects(BUFFERS) {
                    return false;
                }
                parent
            }
            DerefKind::ArrayWildcard { .. } | DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => return false,
        };
        self.scopes.shape(shader, parent, place) == POINTER && deref::is_sound_step(shader, deref, parent)
    }

    #[inline(always)]
    fn is_usual_access(&self, inst: Inst) -> bool {
        let (shader, data) = (self.shader, &self.shader.insts[inst]);
        let InstKind::Intrinsic { op, srcs, indices } = data.kind else { return false };
        let (srcs, indices) = (&shader.srcs[srcs], &shader.indices[indices]);
        match op {
            Intrinsic::load_deref => self.is_usual_load(inst, data, srcs, indices),
            Intrinsic::store_deref => self.is_usual_store(inst, data, srcs, indices),
            _ => false,
        }
    }

    #[inline(always)]
    fn is_usual_load(&self, inst: Inst, data: &InstData, srcs: &[Def], indices: &[u32]) -> bool {
        let ([pointer], [access]) = (srcs, indices) else { return false };
        shape::is_legal(data)
            && data.num_components <= 4
            && self.scopes.shape(self.shader, *pointer, self.scopes.place(inst)) != Shape::default()
            && Access::from_bits(*access).is_some()
            && deref::holds(self.shader, *pointer, data.num_components, data.bit_size).is_some()
    }

    #[inline(always)]
    fn is_usual_store(&self, inst: Inst, data: &InstData, srcs: &[Def], indices: &[u32]) -> bool {
        let ([pointer, value], [write_mask, access]) = (srcs, indices) else { return false };
        let (shader, place) = (self.shader, self.scopes.place(inst));
        let value = self.scopes.value(shader, *value, place);
        !data.has_def()
            && value != Shape::default()
            && value.num_components() <= 4
            && self.scopes.shape(shader, *pointer, place) != Shape::default()
            && write_mask >> value.num_components() == 0
            && Access::from_bits(*access).is_some()
            && deref::holds(shader, *pointer, value.num_components(), value.bits()).is_some_and(deref::is_writable)
    }
}

/// What the operands of an operation amount to.
struct Sum {
    /// What all widths that have to be equal have in common.
    shared: u8,
    /// The highest bit is set if a width is none that an operand has.
    no_width: u8,
    /// Numbers of which one is 8 or more if a component is not there.
    beyond: u32,
}

impl Sum {
    #[inline(always)]
    fn new(bits: u8, result: &OperandFit) -> Sum {
        let width = bits & result.widths;
        Sum { shared: width | result.own, no_width: width.wrapping_sub(1), beyond: 0 }
    }

    #[inline(always)]
    fn add(&mut self, value: Shape, src: &AluSrc, operand: &OperandFit, read: u16) {
        let width = value.bits() & operand.widths;
        self.shared &= width | operand.own;
        self.no_width |= width.wrapping_sub(1);
        let read = src.swizzle.bits() as u32 & u32::from(if operand.read == 0 { read } else { operand.read });
        self.beyond |= read | (read + 0x1111 * u32::from(8u8.saturating_sub(value.num_components())));
    }

    #[inline(always)]
    fn fits(&self) -> bool {
        (self.shared != 0) & (self.no_width & 1 << 7 == 0) & (self.beyond & 0x8888 == 0)
    }
}

/// Whether SPIR-V has a value for the result of such an instruction: not for pointers, nor for what only says where an input
/// is read.
pub(super) fn is_value(kind: &InstKind) -> bool {
    match kind {
        InstKind::Deref(_) => false,
        InstKind::Intrinsic { op, .. } => !IntrinsicSet::BARYCENTRICS.contains(*op),
        _ => true,
    }
}
