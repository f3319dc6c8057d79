// SPDX-License-Identifier: MIT

//! The instructions of GLSL.std.450.

use super::arithmetic::{per_component, scalar};
use super::types::word;
use super::{Module, Reason};
use crate::flow::{Machine, Value};
use crate::term::{Arena, Term};
use crate::world::Place;
use ntv::op::AluOp;
use rspirv::dr::Instruction;
use spirv::GlslStd450Op as GLOp;

/// Instructions that are one opcode for each component.
const TABLE: &[(GLOp, AluOp)] = &[
    (GLOp::RoundEven, AluOp::fround_even),
    (GLOp::Trunc, AluOp::ftrunc),
    (GLOp::FAbs, AluOp::fabs),
    (GLOp::SAbs, AluOp::iabs),
    (GLOp::SSign, AluOp::isign),
    (GLOp::Floor, AluOp::ffloor),
    (GLOp::Ceil, AluOp::fceil),
    (GLOp::Fract, AluOp::ffract),
    (GLOp::Sin, AluOp::fsin),
    (GLOp::Cos, AluOp::fcos),
    (GLOp::Pow, AluOp::fpow),
    (GLOp::Exp2, AluOp::fexp2),
    (GLOp::Log2, AluOp::flog2),
    (GLOp::Sqrt, AluOp::fsqrt),
    (GLOp::InverseSqrt, AluOp::frsq),
    (GLOp::UMin, AluOp::umin),
    (GLOp::SMin, AluOp::imin),
    (GLOp::UMax, AluOp::umax),
    (GLOp::SMax, AluOp::imax),
    (GLOp::NMin, AluOp::fmin),
    (GLOp::NMax, AluOp::fmax),
    (GLOp::FMix, AluOp::flrp),
    (GLOp::Fma, AluOp::ffma),
    (GLOp::Ldexp, AluOp::ldexp),
    (GLOp::FindILsb, AluOp::find_lsb),
    (GLOp::FindSMsb, AluOp::ifind_msb),
    (GLOp::FindUMsb, AluOp::ufind_msb),
];

/// Clamps: the lesser of the upper bound and the greater of the lower bound and the number.
const CLAMPS: &[(GLOp, AluOp, AluOp)] = &[
    (GLOp::UClamp, AluOp::umax, AluOp::umin),
    (GLOp::SClamp, AluOp::imax, AluOp::imin),
    (GLOp::NClamp, AluOp::fmax, AluOp::fmin),
];

/// Instructions on whole vectors, with the width of the components of the result.
const PACKS: &[(GLOp, AluOp, u8)] = &[
    (GLOp::PackSnorm4x8, AluOp::pack_snorm_4x8, 32),
    (GLOp::PackUnorm4x8, AluOp::pack_unorm_4x8, 32),
    (GLOp::PackSnorm2x16, AluOp::pack_snorm_2x16, 32),
    (GLOp::PackUnorm2x16, AluOp::pack_unorm_2x16, 32),
    (GLOp::PackHalf2x16, AluOp::pack_half_2x16, 32),
    (GLOp::PackDouble2x32, AluOp::pack_64_2x32, 64),
    (GLOp::UnpackSnorm4x8, AluOp::unpack_snorm_4x8, 32),
    (GLOp::UnpackUnorm4x8, AluOp::unpack_unorm_4x8, 32),
    (GLOp::UnpackSnorm2x16, AluOp::unpack_snorm_2x16, 32),
    (GLOp::UnpackUnorm2x16, AluOp::unpack_unorm_2x16, 32),
    (GLOp::UnpackHalf2x16, AluOp::unpack_half_2x16, 32),
    (GLOp::UnpackDouble2x32, AluOp::unpack_64_2x32, 32),
];

/// Instructions per component whose precision, or whose result for NaNs, is open: a function of their name.
const FUNCTIONS: &[GLOp] = &[
    GLOp::Round,
    GLOp::Radians,
    GLOp::Degrees,
    GLOp::Tan,
    GLOp::Asin,
    GLOp::Acos,
    GLOp::Atan,
    GLOp::Sinh,
    GLOp::Cosh,
    GLOp::Tanh,
    GLOp::Asinh,
    GLOp::Acosh,
    GLOp::Atanh,
    GLOp::Atan2,
    GLOp::Exp,
    GLOp::Log,
    GLOp::Step,
    GLOp::SmoothStep,
];

impl Module {
    /// OpExtInst.
    pub(super) fn ext_inst(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Vec<Term>> {
        if Some(self.operand(it, 0)?) != self.glsl {
            return Err("an instruction of another set".into());
        }
        let op = GLOp::from_u32(it.operands.get(1).map_or(0, word)).ok_or("an unknown instruction of GLSL")?;
        let widths = self.types.widths(it.result_type.unwrap_or(0))?;
        if let Some(place) = place(op) {
            let pointer = self.operand(it, 2)?;
            let at = match place {
                Place::Centroid => Value::from([]),
                _ => self.operand_value(machine, it, 3)?,
            };
            return self.load_at(machine, pointer, place, &at);
        }
        let mut args: Vec<Value> = Vec::new();
        for i in 2..it.operands.len() {
            args.push(self.operand_value(machine, it, i)?);
        }
        if let Some((_, alu)) = TABLE.iter().find(|row| row.0 == op) {
            let terms = per_component(machine.arena, *alu, &widths, &args)?;
            if op == GLOp::Fma && !self.is_exact(it) {
                self.contractible.extend(&terms);
            }
            return Ok(terms);
        }
        if let (Some((_, max, min)), [value, low, high]) = (CLAMPS.iter().find(|row| row.0 == op), &args[..]) {
            let above = per_component(machine.arena, *max, &widths, &[value.clone(), low.clone()])?;
            return per_component(machine.arena, *min, &widths, &[above.into(), high.clone()]);
        }
        if let (Some((_, alu, width)), [arg]) = (PACKS.iter().find(|row| row.0 == op), &args[..]) {
            return pack(machine.arena, *alu, *width, widths.len(), arg);
        }
        let component = |arg: &Value, c: usize| arg.get(c).copied().ok_or("an operand with fewer components");
        if op == GLOp::FrexpStruct {
            let [arg] = &args[..] else { return Err("not one operand".into()) };
            let half = widths.len() / 2;
            let mut terms = per_component(machine.arena, AluOp::frexp_sig, &widths[..half], &args)?;
            for c in 0..half {
                terms.push(scalar(machine.arena, AluOp::frexp_exp, 32, &[component(arg, c)?])?);
            }
            return Ok(terms);
        }
        let mut terms = Vec::new();
        for (c, width) in widths.iter().enumerate() {
            let parts: Vec<Term> = args.iter().map(|arg| component(arg, c)).collect::<Result<_, _>>()?;
            terms.push(open(machine.arena, op, *width, &parts)?);
        }
        Ok(terms)
    }
}

fn place(op: GLOp) -> Option<Place> {
    match op {
        GLOp::InterpolateAtCentroid => Some(Place::Centroid),
        GLOp::InterpolateAtSample => Some(Place::AtSample),
        GLOp::InterpolateAtOffset => Some(Place::AtOffset),
        _ => None,
    }
}

fn pack(arena: &mut Arena, op: AluOp, width: u8, count: usize, arg: &[Term]) -> Reason<Vec<Term>> {
    let info = op.info();
    let source = &info.srcs[0];
    // NIR packs floats of any width; SPIR-V, those of 32 bits.
    let bits = if source.ty.bits == 0 { 32 } else { source.ty.bits };
    let fits = arg.len() == usize::from(source.components(1))
        && arg.iter().all(|term| arena.width(*term) == bits)
        && count == usize::from(info.dest.components(1));
    match fits {
        true => Ok((0..count).map(|c| arena.alu(op, width, c, &[arg.to_vec()])).collect()),
        false => Err(format!("{} of another type", op.name())),
    }
}

/// Functions that are open for some operands.
fn open(arena: &mut Arena, op: GLOp, width: u8, args: &[Term]) -> Reason<Term> {
    let made = match (op, args) {
        // Of NaNs, either operand may be the result. A driver orders zeros as it pleases, and NIR leaves that to it.
        (GLOp::FMin, _) => scalar(arena, AluOp::fmin, width, args)?,
        (GLOp::FMax, _) => scalar(arena, AluOp::fmax, width, args)?,
        (GLOp::FClamp, [value, low, high]) => {
            let above = scalar(arena, AluOp::fmax, width, &[*value, *low])?;
            scalar(arena, AluOp::fmin, width, &[above, *high])?
        }
        (GLOp::FSign, [_]) => scalar(arena, AluOp::fsign, width, args)?,
        _ if FUNCTIONS.contains(&op) => return Ok(arena.symbol(&format!("{op:?}"), width, args)),
        _ => return Err(format!("{op:?}")),
    };
    Ok(arena.of_numbers(args, made))
}
