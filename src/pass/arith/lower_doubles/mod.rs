// SPDX-License-Identifier: MIT

//! Turns doubles into 64-bit integers, and their arithmetic into integer arithmetic, if the target does not support them.
//!
//! **What.** Each operation on 64-bit floats becomes operations on the integers that have the same bits. Instructions that only
//! move doubles stay: NIR's values have a width and no type, so that a load, a phi or a selection then moves an integer.
//! Variables that are declared as doubles become variables of 64-bit integers. `check` refuses inputs and outputs of that type
//! if the target lacks it, and always refuses vertex attributes of it, because their format depends on the driver.
//!
//! **Why.** OpTypeFloat of 64 bits needs the feature `shaderFloat64`, which most GPUs of phones and several of PCs lack; GL 4.0
//! has doubles unconditionally.
//!
//! Results are those of the opcodes' folds, bit for bit except that NaNs may differ: rounded to nearest, ties to even, with
//! denormal numbers, infinities and signed zeros. Operations whose folds round intermediate results (`fmod`, `flrp`, `frsq`,
//! dot products) are made of operations that round. No code branches. The number of SPIR-V words of an operation is about
//!
//! | | with 64-bit integers | without |
//! |-|-|-|
//! | `fadd` | 450 | 970 |
//! | `fmul` | 500 | 1110 |
//! | `ffma` | 1090 | 2370 |
//! | `fdiv` | 650 | 1650 |
//! | `fsqrt` | 420 | 1790 |
//! | `ffloor` | 100 | 220 |
//! | `flt` | 70 | 200 |
//! | `f2f64` | 140 | 180 |
//! | `f2f32` | 220 | 230 |
//!
//! Runs after the lowerings of memory and of ALU operations, and before [`lower_int64`](super::lower_int64), which splits the
//! integers if the target has no 64-bit integers either.
//!
//! Before:
//!
//! ```text
//! 64     %3 = fneg %2
//! 1      %4 = feq %3, %2
//! ```
//!
//! After:
//!
//! ```text
//! 64     %3 = load_const (0x8000000000000000 = -9223372036854775808 = 9223372036854775808)
//! 64     %4 = ixor %2, %3 (0x8000000000000000)
//! ...
//! 1     %15 = ieq %9, %14
//! ...
//! 1     %24 = ior %19, %23
//! 1     %25 = inot %24
//! 1     %26 = iand %15, %25
//! ```

mod add;
mod compare;
mod convert;
mod divide;
mod integral;
mod multiply;
mod number;
#[cfg(test)]
mod tests;

use crate::ir::{rewrite, Builder, Def, Edit, Inst, InstKind, Shader, Type, TypeTable};
use crate::op::AluOp::{self, *};
use crate::op::{AluType, Base, Facts, Intrinsic, Operand};
use crate::pass::{Context, Pass};
use crate::target::Feature;
use integral::Away;
use number::{Doubles, ONE};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_doubles",
    about: "turns doubles into 64-bit integers if the target does not support them",
    facts: Facts::BITS_64.union(Facts::TYPES_64),
    met_by: |context| Facts::all_if(context.target.has(Feature::shaderFloat64)),
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    let retyped = retype_variables(shader);
    let rewritten = rewrite(shader, |b, inst| {
        let lowered = match b.shader.insts[inst].kind {
            InstKind::Alu { op, .. } if computes_doubles(b.shader, inst, op) => lower(b, inst, op),
            InstKind::Intrinsic { op: Intrinsic::vote_feq, srcs, .. } => {
                let value = b.shader.srcs[srcs][0];
                (b.shader.bit_size(value) == 64).then(|| Doubles { b }.vote_equal(value))
            }
            _ => None,
        };
        lowered.map_or(Edit::Keep, Edit::Replace)
    });
    retyped || rewritten
}

/// Turns the doubles in the types of variables and of struct members into integers.
fn retype_variables(shader: &mut Shader) -> bool {
    let integer = |scalar: AluType| match scalar {
        AluType { base: Base::Float, bits: 64 } => AluType::new(Base::Uint, 64),
        other => other,
    };
    let mut changed = false;
    let mut retype = |ty: &mut Type, types: &mut TypeTable| {
        let new = types.with_scalars(*ty, &integer);
        changed |= new != *ty;
        *ty = new;
    };
    shader.vars.values_mut().for_each(|variable| retype(&mut variable.ty, &mut shader.types));
    shader.change_derefs(|deref, types| retype(&mut deref.ty, types));
    let mut structs = std::mem::take(&mut shader.types.structs);
    for field in structs.values_mut().flat_map(|data| &mut data.fields) {
        retype(&mut field.ty, &mut shader.types);
    }
    shader.types.structs = structs;
    changed
}

/// Whether an operation takes or makes 64-bit floats.
fn computes_doubles(shader: &Shader, inst: Inst, op: AluOp) -> bool {
    let info = op.info();
    let is_double = |operand: &Operand, def: Def| operand.ty.base == Base::Float && shader.bit_size(def) == 64;
    let srcs = shader.as_alu(inst.def()).map_or(&[][..], |(_, srcs)| srcs);
    is_double(&info.dest, inst.def()) || info.srcs.iter().zip(srcs).any(|(operand, src)| is_double(operand, src.def))
}

/// The replacement of an operation on doubles; `None` if `lower_alu` left one that it should have lowered.
fn lower(b: &mut Builder<'_>, inst: Inst, op: AluOp) -> Option<Def> {
    let (components, bits) = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
    let srcs = b.shader.as_alu(inst.def()).map(|(_, srcs)| srcs.to_vec())?;
    let mut defs = [inst.def(); 3];
    for ((def, src), operand) in defs.iter_mut().zip(&srcs).zip(op.info().srcs) {
        let count = operand.components(components);
        let picks: Vec<u8> = src.swizzle.components(usize::from(count)).collect();
        *def = b.swizzle(src.def, &picks);
    }
    let mut d = Doubles { b };
    d.arithmetic(op, defs).or_else(|| d.conversion(op, defs[0], bits)).or_else(|| d.compare(op, defs[0], defs[1]))
}

impl Doubles<'_, '_> {
    fn arithmetic(&mut self, op: AluOp, [x, y, z]: [Def; 3]) -> Option<Def> {
        Some(match op {
            fneg => self.neg(x),
            fabs => self.magnitude(x),
            fsign => self.signum(x),
            fadd => self.add(x, y),
            fsub => self.sub(x, y),
            fmul => self.mul(x, y),
            ffma => self.fma(x, y, z),
            fdiv => self.div(x, y),
            frcp => self.reciprocal_of(x),
            fsqrt => self.sqrt(x),
            frsq => {
                let root = self.sqrt(x);
                self.reciprocal_of(root)
            }
            fmin | fmax => self.extreme(op, x, y),
            ftrunc => self.integral(x, Away::Never),
            ffloor => self.integral(x, Away::IfNegative),
            fceil => self.integral(x, Away::IfPositive),
            fround_even => self.integral(x, Away::IfNearer),
            ffract => {
                let floor = self.integral(x, Away::IfNegative);
                self.sub(x, floor)
            }
            fmod => self.remainder(x, y, Away::IfNegative),
            frem => self.remainder(x, y, Away::Never),
            flrp => self.interpolate(x, y, z),
            fdot2 | fdot3 | fdot4 => self.dot(x, y),
            ldexp => self.ldexp(x, y),
            frexp_sig => self.significand(x),
            frexp_exp => self.exponent(x),
            _ => return None,
        })
    }

    fn conversion(&mut self, op: AluOp, x: Def, bits: u8) -> Option<Def> {
        Some(match op {
            f2f64 => self.double_of_float(x),
            f2f32 => self.float_of(x, 32),
            f2f16 | f2f16_rtne => self.float_of(x, 16),
            i2f64 => self.double_of_int(x, true),
            u2f64 => self.double_of_int(x, false),
            b2f64 => self.double_of_bool(x),
            f2i8 | f2i16 | f2i32 | f2i64 => self.int_of(x, true, bits),
            f2u8 | f2u16 | f2u32 | f2u64 => self.int_of(x, false, bits),
            _ => return None,
        })
    }

    /// `1 / x`.
    fn reciprocal_of(&mut self, x: Def) -> Def {
        let one = self.like(x, ONE);
        self.div(one, x)
    }

    /// `x - y * round(x / y)`.
    fn remainder(&mut self, x: Def, y: Def, away: Away) -> Def {
        let quotient = self.div(x, y);
        let quotient = self.integral(quotient, away);
        let multiple = self.mul(y, quotient);
        self.sub(x, multiple)
    }

    /// `x * (1 - t) + y * t`.
    fn interpolate(&mut self, x: Def, y: Def, t: Def) -> Def {
        let one = self.like(t, ONE);
        let rest = self.sub(one, t);
        let (x, y) = (self.mul(x, rest), self.mul(y, t));
        self.add(x, y)
    }

    /// The sum of the products, added in the order of the folds: pairwise, three from the last.
    fn dot(&mut self, x: Def, y: Def) -> Def {
        let products = self.mul(x, y);
        let components = self.b.shader.num_components(products);
        let parts: Vec<Def> = (0..components).map(|c| self.b.channel(products, c)).collect();
        match parts[..] {
            [x, y] => self.add(x, y),
            [x, y, z] => {
                let sum = self.add(z, y);
                self.add(sum, x)
            }
            [x, y, z, w] => {
                let (sum, rest) = (self.add(x, y), self.add(z, w));
                self.add(sum, rest)
            }
            _ => products,
        }
    }
}
