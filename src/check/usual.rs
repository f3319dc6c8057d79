//! Instructions that are like most: what they have can be seen at once to be sound, and to have a translation whatever the
//! target.
//!
//! That is arithmetic on numbers, constants, pointers to variables and their parts, and loads and stores through these. All
//! others are left to the rules of their kind. What arithmetic asks of its operands is in a table of its own, in a form that is
//! compared at once: widths are powers of two, so a set of them is a number, and what they have in common is their `and`.

use super::glance::{Passed, Shape};
use super::{deref, shape, support};
use crate::ir::{AluSrc, ArrayIndex, Def, Deref, DerefKind, InstData, InstKind, Shader};
use crate::op::{Access, AluInfo, AluOp, Base, Intrinsic, Modes, Operand, ALU_OPS};

/// Whether nothing is wrong with an instruction, it sees all that it uses, and it has a translation; if not, the rules have to
/// tell.
#[inline(always)]
pub(super) fn is_usual(shader: &Shader, passed: &Passed, data: &InstData, odd_modes: Modes) -> bool {
    match data.kind {
        InstKind::Alu { op, srcs, .. } => is_usual_alu(passed, data, op, &shader.alu_srcs[srcs]),
        InstKind::Const(values) => shape::is_sound_const(data, &shader.consts[values]),
        InstKind::Undef => shape::is_legal(data),
        InstKind::Deref(deref) => is_usual_deref(shader, passed, data, &shader.derefs[deref], odd_modes),
        InstKind::Intrinsic { op: Intrinsic::load_deref, srcs, indices } => {
            is_usual_load(shader, passed, data, &shader.srcs[srcs], &shader.indices[indices])
        }
        InstKind::Intrinsic { op: Intrinsic::store_deref, srcs, indices } => {
            is_usual_store(shader, passed, data, &shader.srcs[srcs], &shader.indices[indices])
        }
        _ => false,
    }
}

/// What an ALU opcode takes and makes.
#[derive(Clone, Copy)]
struct Fit {
    sources: u8,
    result: OperandFit,
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

#[inline(always)]
fn is_usual_alu(passed: &Passed, data: &InstData, op: AluOp, srcs: &[AluSrc]) -> bool {
    let (fit, bits) = (&FITS[op as usize], data.bit_size);
    let Some(read @ 1..) = READ.get(usize::from(data.num_components)).copied() else { return false };
    let has_shape = fit.result.read == 0 || fit.result.read == read;
    if !has_shape || !bits.is_power_of_two() || srcs.len() != usize::from(fit.sources) {
        return false;
    }
    // What all widths that have to be equal have in common; a bit that is set if a width is none that an operand has; numbers
    // of which one is 8 or more if a component is not there.
    let mut shared = bits & fit.result.widths | fit.result.own;
    let mut no_width = (bits & fit.result.widths).wrapping_sub(1);
    let mut beyond = 0;
    for (src, operand) in srcs.iter().zip(&fit.operands) {
        let known = passed.known(src.def).value;
        let width = known.bits() & operand.widths;
        shared &= width | operand.own;
        no_width |= width.wrapping_sub(1);
        let read = src.swizzle.bits() as u32 & u32::from(if operand.read == 0 { read } else { operand.read });
        beyond |= read | (read + 0x1111 * u32::from(8u8.saturating_sub(known.num_components())));
    }
    shared != 0 && no_width & 1 << 7 == 0 && beyond & 0x8888 == 0
}

#[inline(always)]
fn is_usual_deref(shader: &Shader, passed: &Passed, data: &InstData, deref: &Deref, odd_modes: Modes) -> bool {
    const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO);
    /// Pointers, and what they are indexed by.
    const POINTER: Shape = Shape::new(1, 32);
    if (data.num_components, data.bit_size) != (1, 32) || deref.modes.intersects(odd_modes) {
        return false;
    }
    let parent = match deref.kind {
        DerefKind::Var(var) => {
            let variable = &shader.vars[var];
            let has_value = variable.values.is_some() || variable.initializer.is_some();
            return (variable.mode, variable.ty) == (deref.modes, deref.ty) && !has_value;
        }
        DerefKind::Array { parent, index: ArrayIndex::Imm(_) } | DerefKind::Struct { parent, .. } => parent,
        // Which of several buffers is not known may need a feature.
        DerefKind::Array { parent, index: ArrayIndex::Def(index) } => {
            if passed.known(index).value != POINTER || deref.modes.intersects(BUFFERS) {
                return false;
            }
            parent
        }
        DerefKind::ArrayWildcard { .. } | DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => return false,
    };
    passed.known(parent).seen == POINTER && deref::is_sound_step(shader, deref, parent)
}

#[inline(always)]
fn is_usual_load(shader: &Shader, passed: &Passed, data: &InstData, srcs: &[Def], indices: &[u32]) -> bool {
    let ([pointer], [access]) = (srcs, indices) else { return false };
    shape::is_legal(data)
        && data.num_components <= 4
        && passed.known(*pointer).seen != Shape::default()
        && Access::from_bits(*access).is_some()
        && deref::holds(shader, *pointer, data.num_components, data.bit_size).is_some()
}

#[inline(always)]
fn is_usual_store(shader: &Shader, passed: &Passed, data: &InstData, srcs: &[Def], indices: &[u32]) -> bool {
    let ([pointer, value], [write_mask, access]) = (srcs, indices) else { return false };
    let value = passed.known(*value).value;
    !data.has_def()
        && value != Shape::default()
        && passed.known(*pointer).seen != Shape::default()
        && write_mask >> value.num_components() == 0
        && Access::from_bits(*access).is_some()
        && deref::holds(shader, *pointer, value.num_components(), value.bits()).is_some_and(deref::is_writable)
}

/// Whether SPIR-V has a value for the result of such an instruction: not for pointers, nor for what only says where an input
/// is read.
pub(super) fn is_value(kind: &InstKind) -> bool {
    match kind {
        InstKind::Deref(_) => false,
        InstKind::Intrinsic { op, .. } => !support::BARYCENTRICS.contains(*op),
        _ => true,
    }
}
