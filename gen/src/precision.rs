// SPDX-License-Identifier: MIT

//! The allowed results of operations: the precision that the Vulkan specification requires of each operation.
//!
//! Integers and booleans have one right result. For floats the table `RULES` has the allowed distance from the exact result
//! ("Precision and Operation of SPIR-V Instructions"). Operands and results that are denormal may always be flushed to zero.
//! "Correctly rounded" does not determine the direction; every driver rounds to nearest, so this is required here. Cases for which
//! an operation is undefined (`is_defined`) are not judged.

use ntv::ir::builder::evaluate_alu;
use ntv::ir::Swizzle;
use ntv::op::fold::{from_float, is_normal, mask, sign_extend, to_float};
use ntv::op::{AluOp, Base, Operand};

/// An operation at one width.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The operation.
    pub op: AluOp,
    /// The width of operands whose width is free.
    pub free: u8,
    /// The number of components of the result.
    pub n: u8,
}

impl Row {
    /// The width and number of components of operand `operand`.
    pub fn shape(self, operand: &Operand) -> (u8, u8) {
        (operand.bits(self.free), operand.components(self.n))
    }

    /// The number of components of all operands.
    pub fn num_operands(self) -> usize {
        self.op.info().srcs.iter().map(|operand| usize::from(self.shape(operand).1)).sum()
    }
}

/// An operation on given operands.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The operation.
    pub row: Row,
    /// Each operand's components.
    pub operands: &'a [Vec<u64>],
}

/// The allowed distance of a float from the exact result.
type Tolerance = fn(&Float<'_>) -> f64;

impl Case<'_> {
    /// Whether its float operands and results are finite.
    pub fn is_finite(&self) -> bool {
        let info = self.row.op.info();
        let is_finite = |(operand, values): (&Operand, &Vec<u64>)| {
            let bits = self.row.shape(operand).0;
            operand.ty.base != Base::Float || values.iter().all(|value| to_float(*value, bits).is_finite())
        };
        let exact = exact(self.row, self.operands);
        info.srcs.iter().zip(self.operands).all(is_finite) && is_finite((&info.dest, &exact))
    }

    /// Whether an operand is a denormal float.
    pub fn has_denormal(&self) -> bool {
        flushings(self).len() > 1
    }
}

/// Whether the function is computed in 32 bits: GLSL.std.450 has no transcendental function of 64 bits.
fn is_through_single(case: &Case<'_>) -> bool {
    const FUNCTIONS: &[AluOp] = &[AluOp::fexp2, AluOp::flog2, AluOp::fpow, AluOp::fsin, AluOp::fcos];
    case.row.free == 64 && FUNCTIONS.contains(&case.row.op)
}

/// A component of a float result and its operands.
struct Float<'a> {
    /// The exact result, rounded.
    exact: f64,
    bits: u8,
    /// Whether the function is computed in 32 bits.
    through_single: bool,
    /// The operands as floats: those of this component, or all components of operands with a size of their own.
    x: &'a [Vec<f64>],
}

impl Float<'_> {
    /// The distance between neighbouring floats at `value`.
    fn ulp(&self, value: f64) -> f64 {
        let (digits, least) = match self.bits {
            16 => (10, -14),
            _ if self.bits == 32 || self.through_single => (23, -126),
            _ => (52, -1022),
        };
        let exponent = if value == 0.0 || !value.is_finite() { least } else { exponent(value).max(least) };
        f64::from(exponent - digits).exp2()
    }

    fn ulps(&self, n: f64) -> f64 {
        n * self.ulp(self.exact)
    }

    fn x(&self, operand: usize) -> f64 {
        self.x[operand][0]
    }

    /// Selects by width: 16 bits, or others.
    fn half_or(&self, half: f64, other: f64) -> f64 {
        if self.bits == 16 {
            half
        } else {
            other
        }
    }

    /// The error of a sum of `terms` that is rounded after each step, and whose terms are rounded, too.
    fn sum(&self, terms: impl Iterator<Item = f64>) -> f64 {
        let terms: Vec<f64> = terms.map(f64::abs).collect();
        self.ulp(terms.iter().sum()) * terms.len() as f64
    }
}

/// floor(log2(|value|)) of a finite number that is not 0.
fn exponent(value: f64) -> i32 {
    match (value.to_bits() >> 52 & 0x7ff) as i32 {
        0 => (value * 2f64.powi(60)).abs().log2().floor() as i32 - 60,
        biased => biased - 1023,
    }
}

/// The operations that are not correctly rounded, by the start of the opcode's name.
const RULES: &[(&str, Tolerance)] = &[
    ("fdiv", |f| f.ulps(2.5)),
    ("frcp", |f| f.ulps(2.5)),
    ("frsq", |f| f.ulps(2.0)),
    // Inherited from 1.0 / inversesqrt(x).
    ("fsqrt", |f| f.ulps(5.0)),
    ("fexp2", |f| f.ulps(f.half_or(1.0, 3.0) + 2.0 * f.x(0).abs())),
    ("flog2", log2),
    ("fpow", pow),
    ("fsin", |f| f.half_or(2f64.powi(-7), 2f64.powi(-11))),
    ("fcos", |f| f.half_or(2f64.powi(-7), 2f64.powi(-11))),
    // x - floor(x), which rounding may make 1; GLSL requires a result below 1.
    ("ffract", |f| f.ulps(1.0)),
    // Fused, or the product rounded first.
    ("ffma", |f| f.ulp(f.x(0) * f.x(1)) + f.ulps(0.5)),
    // x * (1 - t) + y * t.
    ("flrp", |f| f.sum([f.x(0), f.x(0) * f.x(2), f.x(1) * f.x(2), f.exact].into_iter())),
    ("fdot", |f| f.sum(f.x[0].iter().zip(&f.x[1]).map(|(a, b)| a * b))),
    ("fdph", |f| f.sum(f.x[0].iter().chain([&1.0]).zip(&f.x[1]).map(|(a, b)| a * b))),
    ("fsum", |f| f.sum(f.x[0].iter().copied())),
    // A division.
    ("unpack_unorm", |f| f.ulps(2.5)),
    ("unpack_snorm", |f| f.ulps(2.5)),
];

fn log2_error(f: &Float<'_>, x: f64) -> f64 {
    match x {
        x if (0.5..=2.0).contains(&x) => f.half_or(2f64.powi(-7), 2f64.powi(-21)),
        x => 3.0 * f.ulp(x.log2()),
    }
}

fn log2(f: &Float<'_>) -> f64 {
    log2_error(f, f.x(0))
}

/// Inherited from exp2(y * log2(x)).
fn pow(f: &Float<'_>) -> f64 {
    let (x, y) = (f.x(0), f.x(1));
    let power = y * x.log2();
    let error = y.abs() * log2_error(f, x) + f.ulp(power);
    f.exact.abs() * (error.exp2() - 1.0) * 2.0 + f.ulps(f.half_or(1.0, 3.0) + 2.0 * power.abs())
}

/// Judges a result; `Err` has the expected one.
pub fn judge(case: &Case<'_>, got: &[u64]) -> Result<(), String> {
    if !is_defined(case) {
        return Ok(());
    }
    let mut expected = Vec::new();
    for flushed in flushings(case) {
        let exact = exact(case.row, &flushed);
        if (0..exact.len()).all(|c| is_close(case, &flushed, c, exact[c], got[c])) {
            return Ok(());
        }
        expected.push(format!("{exact:x?}"));
    }
    expected.dedup();
    Err(expected.join(" or "))
}

/// Judges results that are computed in integers, which must have the bits of the constant fold.
pub fn judge_exactly(case: &Case<'_>, got: &[u64]) -> Result<(), String> {
    let op = case.row.op;
    let info = op.info();
    if is_through_single(case) || matches!(op, AluOp::f2i1 | AluOp::f2u1) {
        return judge(case, got);
    }
    let (bits, _) = case.row.shape(&info.dest);
    let exact = exact(case.row, case.operands);
    let is_nan = |value: u64| info.dest.ty.base == Base::Float && to_float(value, bits).is_nan();
    let same = exact.iter().zip(got).all(|(want, got)| want == got || is_nan(*want) && is_nan(*got));
    same.then_some(()).ok_or_else(|| format!("{exact:x?}"))
}

/// The result of the constant fold of an operation.
fn exact(row: Row, operands: &[Vec<u64>]) -> Vec<u64> {
    let info = row.op.info();
    let operand = |(values, operand)| -> (&[u64], Swizzle, u8) { (values, Swizzle::IDENTITY, row.shape(operand).0) };
    let operands: Vec<_> = operands.iter().map(Vec::as_slice).zip(info.srcs).map(operand).collect();
    let exact = evaluate_alu(row.op, &operands, row.n, row.shape(&info.dest).0).expect("swizzles are the identity");
    exact[..usize::from(row.n)].to_vec()
}

/// The operands unchanged, and with denormal floats of every subset of operands flushed to zero.
fn flushings(case: &Case<'_>) -> Vec<Vec<Vec<u64>>> {
    let mut choices = vec![case.operands.to_vec()];
    for (index, operand) in case.row.op.info().srcs.iter().enumerate() {
        let bits = case.row.shape(operand).0;
        let flush = |value: &u64| match is_denormal(*value, bits) {
            true => *value & 1 << (bits - 1),
            false => *value,
        };
        let any = case.operands[index].iter().any(|value| is_denormal(*value, bits));
        if operand.ty.base == Base::Float && any {
            let mut flushed = choices.clone();
            flushed.iter_mut().for_each(|choice| choice[index] = choice[index].iter().map(flush).collect());
            choices.extend(flushed);
        }
    }
    choices
}

fn is_denormal(value: u64, bits: u8) -> bool {
    let float = to_float(value, bits);
    float != 0.0 && float.is_finite() && !is_normal(float, bits)
}

/// Whether component `c` may be `got` where the constant fold gives `exact`.
fn is_close(case: &Case<'_>, operands: &[Vec<u64>], c: usize, exact: u64, got: u64) -> bool {
    let info = case.row.op.info();
    let (bits, _) = case.row.shape(&info.dest);
    if exact == got {
        return true;
    }
    if case.row.op == AluOp::ldexp {
        // The constant fold flushes denormal results to zero, which is allowed, but not required.
        let value = to_float(operands[0][c], bits) * f64::from(sign_extend(operands[1][c], 32) as i32).exp2();
        if from_float(value, bits) == got {
            return true;
        }
    }
    if info.name.starts_with("pack_half_2x16") {
        // Processors differ in the sign that NaN keeps.
        let is_nan = |half: u64| to_float(half & 0xffff, 16).is_nan();
        let same = |exact: u64, got: u64| exact & 0xffff == got & 0xffff || is_nan(exact) && is_nan(got);
        return same(exact, got) && same(exact >> 16, got >> 16);
    }
    if info.dest.ty.base != Base::Float || info.props.contains(ntv::op::Props::TYPELESS) {
        return false;
    }
    let (want, have) = (to_float(exact, bits), to_float(got, bits));
    if want.is_nan() || want.is_infinite() {
        return want.is_nan() && have.is_nan();
    }
    // A denormal result may be flushed to zero, and the sign of zero is only preserved if that is required.
    if have == 0.0 && (want == 0.0 || is_denormal(exact, bits)) {
        return true;
    }
    let x: Vec<Vec<f64>> = operands
        .iter()
        .zip(info.srcs)
        .map(|(values, operand)| {
            let bits = case.row.shape(operand).0;
            let float = |value: &u64| if bits < 16 { 0.0 } else { to_float(*value, bits) };
            match operand.size {
                0 => vec![float(&values[c])],
                _ => values.iter().map(float).collect(),
            }
        })
        .collect();
    let rule = RULES.iter().find(|(name, _)| info.name.starts_with(name));
    let float = Float { exact: want, bits, through_single: is_through_single(case), x: &x };
    rule.is_some_and(|(_, tolerance)| (have - want).abs() <= tolerance(&float) + 0.5 * float.ulp(want))
}

/// Whether the specifications define the result of `case`.
fn is_defined(case: &Case<'_>) -> bool {
    let Row { op, .. } = case.row;
    let info = op.info();
    let bits = |operand: usize| case.row.shape(&info.srcs[operand]).0;
    let all = |operand: usize, test: &dyn Fn(u64) -> bool| case.operands[operand].iter().all(|value| test(*value));
    let floats =
        |operand: usize, test: &dyn Fn(f64) -> bool| all(operand, &|value| test(to_float(value, bits(operand))));
    let zip = |test: &dyn Fn(f64, f64) -> bool| {
        let pairs = case.operands[0].iter().zip(&case.operands[1]);
        pairs.into_iter().all(|(x, y)| test(to_float(*x, bits(0)), to_float(*y, bits(1))))
    };
    let name = info.name;
    if is_through_single(case) && !is_single(case) {
        return false;
    }
    match op {
        AluOp::udiv | AluOp::umod => all(1, &|divisor| divisor != 0),
        AluOp::idiv | AluOp::irem | AluOp::imod => {
            let least = 1 << (bits(0) - 1);
            all(1, &|divisor| divisor != 0) && (all(0, &|x| x != least) || all(1, &|y| y != mask(u64::MAX, bits(1))))
        }
        AluOp::fdiv => floats(1, &|y| (2f64.powi(-126)..=2f64.powi(126)).contains(&y.abs())),
        AluOp::frcp => floats(0, &|y| (2f64.powi(-126)..=2f64.powi(126)).contains(&y.abs())),
        // x - y * trunc(x / y): if the quotient may be off by one, the result may be off by y.
        AluOp::fmod | AluOp::frem => zip(&|x, y| {
            let quotient = x / y;
            is_normal(y, bits(1)) && quotient.abs() < 256.0 && (quotient - quotient.round()).abs() > 0.01
        }),
        AluOp::fsqrt => floats(0, &|x| x >= 0.0),
        AluOp::frsq | AluOp::flog2 => floats(0, &|x| x > 0.0),
        AluOp::fpow => zip(&|x, y| x > 0.0 && x.is_finite() && y.is_finite()),
        AluOp::fsin | AluOp::fcos => floats(0, &|x| x.abs() <= std::f64::consts::PI),
        AluOp::frexp_sig | AluOp::frexp_exp => floats(0, &f64::is_finite),
        // Beyond these exponents, the result is undefined or may be zero.
        AluOp::ldexp => {
            let (least, most) = match bits(0) {
                16 => (-14, 16),
                32 => (-126, 128),
                _ => (-1022, 1024),
            };
            floats(0, &f64::is_finite) && all(1, &|n| (least..=most).contains(&sign_extend(n, 32)))
        }
        // An intermediate result that is infinite where the exact one is not.
        AluOp::ffma | AluOp::ffmaz => zip(&|x, y| !x.is_finite() || !y.is_finite() || is_representable(x * y, bits(0))),
        // The order of additions is open, and so is the addition that gives infinity.
        _ if ["fdot", "fdph", "fsum"].iter().any(|start| name.starts_with(start)) => {
            let largest = |operand: &Vec<u64>, bits| {
                operand
                    .iter()
                    .map(|value| to_float(*value, bits).abs())
                    .fold(0.0, |most, x| if x <= most { most } else { x })
            };
            let product = case.operands.iter().fold(16.0, |product, operand| product * largest(operand, bits(0)));
            is_representable(product, bits(0))
        }
        AluOp::bitfield_insert | AluOp::ubitfield_extract | AluOp::ibitfield_extract => {
            let [.., offset, width] = case.operands else { return true };
            let fits = |(offset, width): (&u64, &u64)| {
                let (offset, width) = (sign_extend(*offset, 32), sign_extend(*width, 32));
                offset >= 0 && width >= 0 && offset + width <= 32
            };
            offset.iter().zip(width).all(fits)
        }
        _ if ["f2i", "f2u"].iter().any(|start| name.starts_with(start)) => {
            let to = case.row.shape(&info.dest).0;
            let (least, most) = match info.dest.ty.base {
                Base::Int => (-2f64.powi(i32::from(to) - 1), 2f64.powi(i32::from(to) - 1)),
                _ => (0.0, 2f64.powi(i32::from(to))),
            };
            floats(0, &|x| x.trunc() >= least && x.trunc() < most)
        }
        _ if name.starts_with("pack_unorm") || name.starts_with("pack_snorm") => floats(0, &|x| !x.is_nan()),
        _ => true,
    }
}

/// Whether operands and result are representable in 32 bits.
fn is_single(case: &Case<'_>) -> bool {
    let exact = exact(case.row, case.operands);
    let mut all = case.operands.iter().flatten().chain(&exact);
    all.all(|value| matches!(to_float(*value, 64), x if x == 0.0 || is_normal(x, 32) && is_representable(x, 32)))
}

/// Whether `value` is not infinite as a float of `bits` bits.
fn is_representable(value: f64, bits: u8) -> bool {
    to_float(from_float(value, bits), bits).is_finite()
}
