// SPDX-License-Identifier: MIT

//! Arithmetic: each instruction as NIR's opcodes that mean the same.

use super::types::Type;
use super::{Module, Reason};
use crate::flow::{Machine, Value};
use crate::term::{Arena, Term};
use ntv::op::AluOp;
use rspirv::dr::Instruction;
use spirv::{Decoration, FPFastMathMode, Op};

/// Instructions that are one opcode for each component; `true` if the opcode has the operands the other way round.
const TABLE: &[(Op, AluOp, bool)] = &[
    (Op::SNegate, AluOp::ineg, false),
    (Op::FNegate, AluOp::fneg, false),
    (Op::IAdd, AluOp::iadd, false),
    (Op::FAdd, AluOp::fadd, false),
    (Op::ISub, AluOp::isub, false),
    (Op::FSub, AluOp::fsub, false),
    (Op::IMul, AluOp::imul, false),
    (Op::FMul, AluOp::fmul, false),
    (Op::VectorTimesScalar, AluOp::fmul, false),
    (Op::UDiv, AluOp::udiv, false),
    (Op::SDiv, AluOp::idiv, false),
    (Op::FDiv, AluOp::fdiv, false),
    (Op::UMod, AluOp::umod, false),
    (Op::SRem, AluOp::irem, false),
    (Op::SMod, AluOp::imod, false),
    (Op::FRem, AluOp::frem, false),
    (Op::FMod, AluOp::fmod, false),
    (Op::BitwiseOr, AluOp::ior, false),
    (Op::BitwiseXor, AluOp::ixor, false),
    (Op::BitwiseAnd, AluOp::iand, false),
    (Op::Not, AluOp::inot, false),
    (Op::LogicalOr, AluOp::ior, false),
    (Op::LogicalAnd, AluOp::iand, false),
    (Op::LogicalNot, AluOp::inot, false),
    (Op::LogicalEqual, AluOp::ieq, false),
    (Op::LogicalNotEqual, AluOp::ine, false),
    (Op::Select, AluOp::bcsel, false),
    (Op::IEqual, AluOp::ieq, false),
    (Op::INotEqual, AluOp::ine, false),
    (Op::UGreaterThan, AluOp::ult, true),
    (Op::SGreaterThan, AluOp::ilt, true),
    (Op::UGreaterThanEqual, AluOp::uge, false),
    (Op::SGreaterThanEqual, AluOp::ige, false),
    (Op::ULessThan, AluOp::ult, false),
    (Op::SLessThan, AluOp::ilt, false),
    (Op::ULessThanEqual, AluOp::uge, true),
    (Op::SLessThanEqual, AluOp::ige, true),
    (Op::FOrdEqual, AluOp::feq, false),
    (Op::FUnordEqual, AluOp::fequ, false),
    (Op::FOrdNotEqual, AluOp::fneo, false),
    (Op::LessOrGreater, AluOp::fneo, false),
    (Op::FUnordNotEqual, AluOp::fneu, false),
    (Op::FOrdLessThan, AluOp::flt, false),
    (Op::FUnordLessThan, AluOp::fltu, false),
    (Op::FOrdGreaterThan, AluOp::flt, true),
    (Op::FUnordGreaterThan, AluOp::fltu, true),
    (Op::FOrdLessThanEqual, AluOp::fge, true),
    (Op::FUnordLessThanEqual, AluOp::fgeu, true),
    (Op::FOrdGreaterThanEqual, AluOp::fge, false),
    (Op::FUnordGreaterThanEqual, AluOp::fgeu, false),
    (Op::Ordered, AluOp::ford, false),
    (Op::Unordered, AluOp::funord, false),
    (Op::QuantizeToF16, AluOp::fquantize2f16, false),
    (Op::BitReverse, AluOp::bitfield_reverse, false),
    (Op::BitFieldInsert, AluOp::bitfield_insert, false),
    (Op::BitFieldUExtract, AluOp::ubitfield_extract, false),
    (Op::BitFieldSExtract, AluOp::ibitfield_extract, false),
];

/// Instructions with two results: the opcodes of the members of their struct.
const PAIRS: &[(Op, [AluOp; 2])] = &[
    (Op::IAddCarry, [AluOp::iadd, AluOp::uadd_carry]),
    (Op::ISubBorrow, [AluOp::isub, AluOp::usub_borrow]),
    (Op::UMulExtended, [AluOp::imul, AluOp::umul_high]),
    (Op::SMulExtended, [AluOp::imul, AluOp::imul_high]),
];

const SHIFTS: &[(Op, AluOp)] = &[
    (Op::ShiftLeftLogical, AluOp::ishl),
    (Op::ShiftRightArithmetic, AluOp::ishr),
    (Op::ShiftRightLogical, AluOp::ushr),
];

/// Float arithmetic that may be contracted or reassociated, if it is not decorated with NoContraction.
const CONTRACTIBLE: &[Op] = &[
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::FRem,
    Op::FMod,
    Op::Dot,
    Op::VectorTimesScalar,
    Op::MatrixTimesScalar,
    Op::VectorTimesMatrix,
    Op::MatrixTimesVector,
    Op::MatrixTimesMatrix,
];

impl Module {
    /// The result of an instruction that only computes, with operands from `first` on; `None` if it is another one.
    pub(super) fn pure(
        &mut self,
        machine: &mut Machine<'_>,
        op: Op,
        it: &Instruction,
        first: usize,
    ) -> Reason<Option<Vec<Term>>> {
        if let Some(terms) = self.composites(machine, op, it, first)? {
            return Ok(Some(terms));
        }
        let Some(ty) = it.result_type else { return Ok(None) };
        let row = TABLE.iter().find(|row| row.0 == op);
        let pair = PAIRS.iter().find(|row| row.0 == op);
        let shift = SHIFTS.iter().find(|row| row.0 == op);
        let is_arithmetic = row.is_some() || pair.is_some() || shift.is_some() || is_conversion(op) || is_vector(op);
        if !is_arithmetic {
            return Ok(None);
        }
        let widths = self.types.widths(ty)?;
        let mut args: Vec<Value> = Vec::new();
        for i in first..it.operands.len() {
            args.push(self.operand_value(machine, it, i)?);
        }
        let terms = match (row, pair, shift) {
            (Some((_, alu, swapped)), ..) => {
                if *swapped {
                    args.reverse();
                }
                per_component(machine.arena, *alu, &widths, &args)?
            }
            (_, Some((_, [low, high])), _) => {
                let half = &widths[..widths.len() / 2];
                let mut terms = per_component(machine.arena, *low, half, &args)?;
                terms.extend(per_component(machine.arena, *high, half, &args)?);
                terms
            }
            (.., Some((_, alu))) => shifts(machine.arena, *alu, &widths, &args)?,
            _ if is_conversion(op) => convert(machine.arena, op, &widths, &args)?,
            _ => vectors(machine.arena, op, &widths, &args)?,
        };
        if CONTRACTIBLE.contains(&op) && !self.is_exact(it) {
            self.contractible.extend(&terms);
        }
        Ok(Some(terms))
    }

    /// Whether the instruction must not be contracted with another one.
    pub(super) fn is_exact(&self, it: &Instruction) -> bool {
        let Some(id) = it.result_id else { return false };
        let mode = self.types.word(id, Decoration::FPFastMathMode).map(FPFastMathMode::from_bits_truncate);
        let is_listed = mode.is_some_and(|mode| !mode.contains(FPFastMathMode::ALLOW_CONTRACT));
        is_listed || self.types.has(id, Decoration::NoContraction)
    }

    /// Instructions that take values apart, and put them together.
    fn composites(
        &self,
        machine: &mut Machine<'_>,
        op: Op,
        it: &Instruction,
        first: usize,
    ) -> Reason<Option<Vec<Term>>> {
        let Some(ty) = it.result_type else { return Ok(None) };
        let value = |i: usize| self.operand_value(machine, it, first + i);
        Ok(Some(match op {
            Op::Undef => self.undefined(machine, ty)?,
            Op::CompositeConstruct => self.composite(machine, it)?,
            Op::CopyObject | Op::CopyLogical => value(0)?.to_vec(),
            Op::CompositeExtract => {
                let whole = value(0)?;
                let source = self.result_types.get(&self.operand(it, first)?).copied().ok_or("no type")?;
                let (at, part) = self.part(source, it, first + 1)?;
                let count = self.types.widths(part)?.len();
                whole.get(at..at + count).ok_or("a part that is not there")?.to_vec()
            }
            Op::CompositeInsert => {
                let (new, mut whole) = (value(0)?, value(1)?.to_vec());
                let (at, part) = self.part(ty, it, first + 2)?;
                let count = self.types.widths(part)?.len();
                let place = whole.get_mut(at..at + count).filter(|place| place.len() == new.len());
                place.ok_or("a part that is not there")?.copy_from_slice(&new);
                whole
            }
            Op::VectorShuffle => {
                let both = [value(0)?, value(1)?].concat();
                let widths = self.types.widths(ty)?;
                let mut terms = Vec::new();
                for i in first + 2..it.operands.len() {
                    terms.push(match self.literal(it, i)? {
                        u32::MAX => machine.arena.undefined(widths.first().copied().unwrap_or(32)),
                        from => *both.get(from as usize).ok_or("a component that is not there")?,
                    });
                }
                terms
            }
            Op::VectorExtractDynamic => {
                let (vector, index) = (value(0)?, self.one(machine, self.operand(it, first + 1)?)?);
                vec![pick(machine.arena, &vector, index)?]
            }
            Op::VectorInsertDynamic => {
                let (vector, new) = (value(0)?, self.one(machine, self.operand(it, first + 1)?)?);
                let index = self.one(machine, self.operand(it, first + 2)?)?;
                let width = machine.arena.width(index);
                let replaced = |(i, old): (usize, &Term)| {
                    let number = machine.arena.constant(width, i as u64);
                    let is_it = machine.arena.equal(index, number);
                    machine.arena.ite(is_it, new, *old)
                };
                vector.iter().enumerate().map(replaced).collect()
            }
            _ => return Ok(None),
        }))
    }

    /// The number of scalars before a part of a value, and the type of the part.
    fn part(&self, mut ty: u32, it: &Instruction, first: usize) -> Reason<(usize, u32)> {
        let mut at = 0;
        for i in first..it.operands.len() {
            let index = self.literal(it, i)?;
            let (before, part) = match self.types.get(ty) {
                Type::Struct(members) => {
                    let part = *members.get(index as usize).ok_or("a member that is not there")?;
                    let before = members[..index as usize].iter().map(|part| self.types.scalars(*part)).sum();
                    (before, part)
                }
                Type::Vector(part, count) | Type::Matrix(part, count) | Type::Array(part, Some(count))
                    if u64::from(index) < *count =>
                {
                    (self.types.scalars(*part).saturating_mul(index.into()), *part)
                }
                _ => return Err("a part that is not there".into()),
            };
            at += before as usize;
            ty = part;
        }
        Ok((at, ty))
    }
}

fn pick(arena: &mut Arena, vector: &[Term], index: Term) -> Reason<Term> {
    let (last, others) = vector.split_last().ok_or("an empty vector")?;
    let mut chosen = *last;
    let width = arena.width(index);
    for (i, term) in others.iter().enumerate().rev() {
        let number = arena.constant(width, i as u64);
        let is_it = arena.equal(index, number);
        chosen = arena.ite(is_it, *term, chosen);
    }
    Ok(chosen)
}

/// An opcode on scalars of the widths that it takes.
pub(super) fn scalar(arena: &mut Arena, op: AluOp, width: u8, args: &[Term]) -> Reason<Term> {
    let info = op.info();
    let of_source = info.srcs.iter().zip(args).find(|(src, _)| src.ty.bits == 0).map(|(_, arg)| arena.width(*arg));
    let free = if info.dest.ty.bits == 0 { width } else { of_source.unwrap_or(0) };
    let fits = info.srcs.len() == args.len()
        && info.srcs.iter().zip(args).all(|(src, arg)| src.bits(free) == arena.width(*arg))
        && info.dest.bits(free) == width;
    match fits {
        true => Ok(arena.scalar(op, width, args)),
        false => Err(format!("{} of operands of other widths", op.name())),
    }
}

/// An opcode for each component; operands that are scalars are the same for all.
pub(super) fn per_component(arena: &mut Arena, op: AluOp, widths: &[u8], args: &[Value]) -> Reason<Vec<Term>> {
    let mut terms = Vec::with_capacity(widths.len());
    for (c, width) in widths.iter().enumerate() {
        let mut parts = components(args, c)?;
        // The places of bit fields have a width of their own.
        for (part, source) in parts.iter_mut().zip(op.info().srcs) {
            if source.ty == op.info().srcs[op.info().srcs.len() - 1].ty && is_field(op) && arena.width(*part) < 32 {
                *part = arena.zext(*part, 32);
            }
        }
        terms.push(scalar(arena, op, *width, &parts)?);
    }
    Ok(terms)
}

fn is_field(op: AluOp) -> bool {
    matches!(op, AluOp::bitfield_insert | AluOp::ubitfield_extract | AluOp::ibitfield_extract)
}

/// Component `c` of each operand.
fn components(args: &[Value], c: usize) -> Reason<Vec<Term>> {
    let part = |arg: &Value| if arg.len() == 1 { arg.first() } else { arg.get(c) }.copied();
    args.iter().map(part).collect::<Option<Vec<Term>>>().ok_or_else(|| "an operand with fewer components".to_owned())
}

/// Shifts, whose results are undefined for counts that are not less than the width.
fn shifts(arena: &mut Arena, op: AluOp, widths: &[u8], args: &[Value]) -> Reason<Vec<Term>> {
    let mut terms = Vec::new();
    for (c, width) in widths.iter().enumerate() {
        let [value, count] = components(args, c)?[..] else { return Err("a shift without a count".into()) };
        if arena.width(value) != *width {
            return Err("a shift of another width".into());
        }
        let count_width = arena.width(count);
        let narrow = match count_width > 32 {
            true => arena.trunc(count, 32),
            false => arena.zext(count, 32),
        };
        let shifted = scalar(arena, op, *width, &[value, narrow])?;
        if arena.possible(count) < u64::from(*width) {
            terms.push(shifted);
            continue;
        }
        let limit = arena.constant(count_width, (*width).into());
        let is_defined = arena.ult(count, limit);
        let undefined = arena.undefined(*width);
        terms.push(arena.ite(is_defined, shifted, undefined));
    }
    Ok(terms)
}

fn is_conversion(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        ConvertFToU
            | ConvertFToS
            | ConvertSToF
            | ConvertUToF
            | UConvert
            | SConvert
            | FConvert
            | Bitcast
            | BitCount
            | IsNan
            | IsInf
    )
}

fn convert(arena: &mut Arena, op: Op, widths: &[u8], args: &[Value]) -> Reason<Vec<Term>> {
    let [arg] = args else { return Err("not one operand".into()) };
    if op == Op::Bitcast {
        return bitcast(arena, widths, arg);
    }
    if arg.len() != widths.len() {
        return Err("an operand with another number of components".into());
    }
    let mut terms = Vec::new();
    for (term, width) in arg.iter().zip(widths) {
        let from = arena.width(*term);
        let row = |stem: &str| AluOp::from_name(&format!("{stem}{width}")).ok_or("a conversion to such a width");
        terms.push(match op {
            Op::ConvertFToU => scalar(arena, row("f2u")?, *width, &[*term])?,
            Op::ConvertFToS => scalar(arena, row("f2i")?, *width, &[*term])?,
            Op::ConvertSToF => scalar(arena, row("i2f")?, *width, &[*term])?,
            Op::ConvertUToF => scalar(arena, row("u2f")?, *width, &[*term])?,
            Op::FConvert => scalar(arena, row("f2f")?, *width, &[*term])?,
            Op::UConvert | Op::SConvert if *width <= from => arena.trunc(*term, *width),
            Op::UConvert => arena.zext(*term, *width),
            Op::SConvert => arena.sext(*term, *width),
            Op::BitCount => {
                let count = scalar(arena, AluOp::bit_count, 32, &[*term])?;
                match *width < 32 {
                    true => arena.trunc(count, *width),
                    false => arena.zext(count, *width),
                }
            }
            Op::IsNan => {
                let is_number = scalar(arena, AluOp::feq, 1, &[*term, *term])?;
                arena.not(is_number)
            }
            _ => {
                let value = scalar(arena, AluOp::fabs, from, &[*term])?;
                let infinity = arena.constant(from, infinity(from));
                scalar(arena, AluOp::feq, 1, &[value, infinity])?
            }
        });
    }
    Ok(terms)
}

/// Infinity as a float of `width` bits.
fn infinity(width: u8) -> u64 {
    match width {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        _ => 0x7ff0 << 48,
    }
}

/// The bits of `arg` as scalars of other widths: the first scalar has the lowest bits.
fn bitcast(arena: &mut Arena, widths: &[u8], arg: &[Term]) -> Reason<Vec<Term>> {
    let from = arg.first().map_or(0, |term| arena.width(*term));
    let to = widths.first().copied().unwrap_or(0);
    if from == 0 || to == 0 || arg.len() * usize::from(from) != widths.len() * usize::from(to) {
        return Err("a cast to another size".into());
    }
    if from == to {
        return Ok(arg.to_vec());
    }
    if from < to {
        let count = usize::from(to / from);
        return Ok(arg.chunks(count).map(|parts| arena.joined(parts)).collect());
    }
    let mut terms = Vec::new();
    for whole in arg {
        terms.extend((0..from / to).map(|i| arena.part(*whole, i * to, to)));
    }
    Ok(terms)
}

fn is_vector(op: Op) -> bool {
    use Op::*;
    matches!(op, Dot | Any | All | MatrixTimesScalar | MatrixTimesVector | VectorTimesMatrix | Transpose)
}

fn vectors(arena: &mut Arena, op: Op, widths: &[u8], args: &[Value]) -> Reason<Vec<Term>> {
    match (op, args) {
        (Op::Any | Op::All, [bits]) => {
            let mut all = arena.boolean(op == Op::All);
            for bit in bits.iter() {
                if arena.width(*bit) != 1 {
                    return Err("an operand that is no boolean".into());
                }
                all = if op == Op::All { arena.both(all, *bit) } else { arena.either(all, *bit) };
            }
            Ok(vec![all])
        }
        (Op::MatrixTimesScalar, _) => per_component(arena, AluOp::fmul, widths, args),
        (Op::Dot, [a, b]) => Ok(vec![dot(arena, a, b)?]),
        _ => Err(format!("Op{op:?}")),
    }
}

fn dot(arena: &mut Arena, a: &[Term], b: &[Term]) -> Reason<Term> {
    let op = match a.len() {
        2 => AluOp::fdot2,
        3 => AluOp::fdot3,
        4 => AluOp::fdot4,
        _ => return Err("a product of vectors of such a size".into()),
    };
    let width = arena.width(a[0]);
    if a.len() != b.len() || a.iter().chain(b).any(|term| arena.width(*term) != width) {
        return Err("a product of vectors of other types".into());
    }
    Ok(arena.alu(op, width, 0, &[a.to_vec(), b.to_vec()]))
}
