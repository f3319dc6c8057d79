// SPDX-License-Identifier: MIT

//! Rows of NIR's table with floats, as SMT-LIB's theory of floats defines them.
//!
//! A float stays a float of the theory from one row to the next. As bits, NaN is the number that folds make it; the theory has one NaN
//! only. Rows without a definition here (sine, logarithm, ...) are functions without a meaning.

use super::script::Script;
use super::text::{Bits, Condition};
use ntv::op::AluOp::{self, *};
use std::rc::Rc;

/// A float.
#[derive(Clone, Debug)]
pub(super) struct Float {
    text: Rc<str>,
    width: u32,
}

/// The result of a row.
pub(super) enum Made {
    /// A float.
    Float(Float),
    /// A number.
    Bits(Bits),
}

/// The value of a row with operands, in a script. The numbers are the width and the component of the result.
type Define = fn(&mut Script, &Operands, u32, u32) -> Made;

/// The operands of a row.
pub(super) struct Operands {
    /// The operands as bits.
    pub(super) bits: Vec<Bits>,
    /// The operands as floats, if they have the width of a float.
    pub(super) floats: Vec<Float>,
    /// What an open result is, of as many bits as the result.
    pub(super) open: Bits,
}

/// The bits of the exponent, and of the significand with the bit that is not stored.
fn format(width: u32) -> (u32, u32) {
    match width {
        16 => (5, 11),
        32 => (8, 24),
        _ => (11, 53),
    }
}

/// The function that converts to a float of `width` bits.
fn to_fp(width: u32) -> String {
    let (exponent, significand) = format(width);
    format!("(_ to_fp {exponent} {significand})")
}

impl Float {
    fn new(text: impl Into<Rc<str>>, width: u32) -> Float {
        Float { text: text.into(), width }
    }

    /// Whether there are floats of `width` bits.
    pub(super) fn has_width(width: u32) -> bool {
        matches!(width, 16 | 32 | 64)
    }

    /// The float with these bits.
    pub(super) fn of_bits(bits: &Bits) -> Float {
        Float::new(format!("({} {})", to_fp(bits.width), bits.text), bits.width)
    }

    /// `1 · 2^exponent`.
    fn power(exponent: i32, width: u32) -> Float {
        let (exponents, significand) = format(width);
        let biased = exponent + (1 << (exponents - 1)) - 1;
        Float::of_bits(&Bits::number((biased as u64) << (significand - 1), width))
    }

    fn zero(width: u32) -> Float {
        Float::of_bits(&Bits::number(0, width))
    }

    fn one(width: u32) -> Float {
        Float::power(0, width)
    }

    /// A float of 32 bits.
    fn single(value: f32) -> Float {
        Float::of_bits(&Bits::number(value.to_bits().into(), 32))
    }

    /// This float with a name.
    pub(super) fn named(&self, script: &mut Script) -> Float {
        if !self.text.starts_with('(') {
            return self.clone();
        }
        let (exponent, significand) = format(self.width);
        let name = script.define(&format!("(_ FloatingPoint {exponent} {significand})"), &self.text);
        Float::new(name, self.width)
    }

    /// The bits, those of the fold if it is NaN.
    pub(super) fn bits(&self, script: &mut Script) -> Bits {
        let float = self.named(script);
        // A function of Z3; SMT-LIB has only the inverse.
        let bits = Bits::new(format!("(fp.to_ieee_bv {})", float.text), self.width);
        let nan = Bits::number(ntv::op::fold::from_float(f64::NAN, self.width as u8), self.width);
        let bits = float.is("fp.isNaN").choose(&nan, &bits);
        script.name(&bits)
    }

    /// An operation that is rounded to the nearest float.
    fn rounded(&self, function: &str, others: &[&Float]) -> Float {
        self.moded(function, "RNE", others)
    }

    fn moded(&self, function: &str, mode: &str, others: &[&Float]) -> Float {
        let mut text = format!("({function} {mode} {}", self.text);
        for other in others {
            text += " ";
            text += &other.text;
        }
        Float::new(text + ")", self.width)
    }

    fn plus(&self, other: &Float) -> Float {
        self.rounded("fp.add", &[other])
    }

    fn minus(&self, other: &Float) -> Float {
        self.rounded("fp.sub", &[other])
    }

    fn times(&self, other: &Float) -> Float {
        self.rounded("fp.mul", &[other])
    }

    fn over(&self, other: &Float) -> Float {
        self.rounded("fp.div", &[other])
    }

    /// An integer nearby.
    fn integer(&self, mode: &str) -> Float {
        self.moded("fp.roundToIntegral", mode, &[])
    }

    /// With the other sign.
    pub(super) fn negated(&self) -> Float {
        Float::new(format!("(fp.neg {})", self.text), self.width)
    }

    /// Without its sign.
    pub(super) fn absolute(&self) -> Float {
        Float::new(format!("(fp.abs {})", self.text), self.width)
    }

    /// A float of another width.
    fn converted(&self, mode: &str, width: u32) -> Float {
        if width == self.width {
            return self.clone();
        }
        Float::new(format!("({} {mode} {})", to_fp(width), self.text), width)
    }

    fn is(&self, property: &str) -> Condition {
        Condition(format!("({property} {})", self.text).into())
    }

    fn compare(&self, function: &str, other: &Float) -> Condition {
        Condition(format!("({function} {} {})", self.text, other.text).into())
    }

    /// `yes` if the condition holds, else `no`.
    pub(super) fn chosen(condition: &Condition, yes: &Float, no: &Float) -> Float {
        Float::new(format!("(ite {} {} {})", condition.0, yes.text, no.text), yes.width)
    }

    /// The integer that it is, as a signed number of `width` bits.
    fn number(&self, width: u32) -> Bits {
        Bits::new(format!("((_ fp.to_sbv {width}) RTZ {})", self.text), width)
    }

    /// The float nearest to a signed integer.
    fn of_signed(number: &Bits, width: u32) -> Float {
        // Of a sign alone, there is no conversion.
        let number = number.fit_signed(number.width.max(8));
        Float::new(format!("({} RNE {})", to_fp(width), number.text), width)
    }
}

/// The definition of the row of `op`, if there is one.
pub(super) fn definition(op: AluOp) -> Option<Define> {
    arithmetic(op).or_else(|| comparison(op)).or_else(|| conversion(op)).or_else(|| vector(op)).or_else(|| packing(op))
}

fn arithmetic(op: AluOp) -> Option<Define> {
    Some(match op {
        fadd => |_, x, _, _| Made::Float(x.floats[0].plus(&x.floats[1])),
        fmul => |_, x, _, _| Made::Float(x.floats[0].times(&x.floats[1])),
        fdiv => |_, x, _, _| Made::Float(x.floats[0].over(&x.floats[1])),
        ffma => |_, x, _, _| Made::Float(x.floats[0].rounded("fp.fma", &[&x.floats[1], &x.floats[2]])),
        fsqrt => |_, x, _, _| Made::Float(x.floats[0].rounded("fp.sqrt", &[])),
        fmod => |_, x, _, _| Made::Float(remainder(x, "RTN")),
        frem => |_, x, _, _| Made::Float(remainder(x, "RTZ")),
        fmin => |_, x, _, _| Made::Float(extreme(x, "fp.lt", true)),
        fmax => |_, x, _, _| Made::Float(extreme(x, "fp.gt", false)),
        ftrunc => |_, x, _, _| Made::Float(x.floats[0].integer("RTZ")),
        fceil => |_, x, _, _| Made::Float(x.floats[0].integer("RTP")),
        ffloor => |_, x, _, _| Made::Float(x.floats[0].integer("RTN")),
        fround_even => |_, x, _, _| Made::Float(x.floats[0].integer("RNE")),
        flrp => |_, x, width, _| {
            let [a, b, at] = [0, 1, 2].map(|i: usize| &x.floats[i]);
            let rest = Float::one(width).minus(at);
            Made::Float(a.times(&rest).plus(&b.times(at)))
        },
        fsign => |_, x, width, _| {
            let value = &x.floats[0];
            let one = Float::one(width);
            let sign = Float::chosen(&value.is("fp.isNegative"), &one.negated(), &one);
            let sign = Float::chosen(&value.is("fp.isZero"), value, &sign);
            Made::Float(Float::chosen(&value.is("fp.isNaN"), &Float::zero(width), &sign))
        },
        fquantize2f16 => |_, x, width, _| {
            let value = &x.floats[0];
            let small = value.absolute().compare("fp.lt", &Float::power(-14, width));
            let none = Float::zero(width);
            let none = Float::chosen(&value.is("fp.isNegative"), &none.negated(), &none);
            let half = value.converted("RNE", 16).converted("RNE", width);
            Made::Float(Float::chosen(&small, &none, &half))
        },
        _ => return None,
    })
}

fn comparison(op: AluOp) -> Option<Define> {
    Some(match op {
        flt => |_, x, _, _| condition(&x.floats[0].compare("fp.lt", &x.floats[1])),
        fge => |_, x, _, _| condition(&x.floats[0].compare("fp.geq", &x.floats[1])),
        feq => |_, x, _, _| condition(&x.floats[0].compare("fp.eq", &x.floats[1])),
        fneo => |_, x, _, _| {
            let [less, greater] = ["fp.lt", "fp.gt"].map(|function| x.floats[0].compare(function, &x.floats[1]));
            condition(&less.or(&greater))
        },
        _ => return None,
    })
}

fn conversion(op: AluOp) -> Option<Define> {
    Some(match op {
        f2f16 | f2f32 | f2f64 => |_, x, width, _| Made::Float(x.floats[0].converted("RNE", width)),
        i2f16 | i2f32 | i2f64 => |_, x, width, _| Made::Float(Float::of_signed(&x.bits[0], width)),
        u2f16 | u2f32 | u2f64 => |_, x, width, _| {
            // With a zero above, it is signed.
            Made::Float(Float::of_signed(&x.bits[0].fit(x.bits[0].width + 1), width))
        },
        f2i8 | f2i16 | f2i32 | f2i64 => |script, x, width, _| {
            let least = Float::power_in_range(width - 1, x.floats[0].width);
            Made::Bits(to_integer(script, x, width, least.map(|power| power.negated()), width - 1))
        },
        f2u8 | f2u16 | f2u32 | f2u64 => |script, x, width, _| {
            let zero = Float::zero(x.floats[0].width);
            Made::Bits(to_integer(script, x, width, Some(zero), width))
        },
        _ => return None,
    })
}

fn vector(op: AluOp) -> Option<Define> {
    Some(match op {
        fdot2 | fdot3 | fdot4 | fdot5 | fdot8 | fdot16 | fdot5_replicated | fdot8_replicated | fdot16_replicated => {
            |script, x, _, _| {
                let count = x.floats.len() / 2;
                let mut products: Vec<Float> = (0..count).map(|i| x.floats[i].times(&x.floats[count + i])).collect();
                // NIR starts with the last component here.
                if products.len() == 3 {
                    products.reverse();
                }
                Made::Float(sum(script, products))
            }
        }
        _ => return None,
    })
}

fn packing(op: AluOp) -> Option<Define> {
    Some(match op {
        unpack_unorm_2x16 => |_, x, _, component| {
            Made::Float(Float::of_signed(&x.bits[0].part(16 * component, 16).fit(17), 32).over(&Float::single(65535.0)))
        },
        unpack_unorm_4x8 => |_, x, _, component| {
            Made::Float(Float::of_signed(&x.bits[0].part(8 * component, 8).fit(9), 32).over(&Float::single(255.0)))
        },
        unpack_snorm_2x16 => {
            |script, x, _, component| Made::Float(unpacked_signed(script, &x.bits[0].part(16 * component, 16), 32767.0))
        }
        unpack_snorm_4x8 => {
            |script, x, _, component| Made::Float(unpacked_signed(script, &x.bits[0].part(8 * component, 8), 127.0))
        }
        pack_unorm_2x16 => |script, x, _, _| Made::Bits(packed(script, x, 16, 0.0, 65535.0)),
        pack_unorm_4x8 => |script, x, _, _| Made::Bits(packed(script, x, 8, 0.0, 255.0)),
        pack_snorm_2x16 => |script, x, _, _| Made::Bits(packed(script, x, 16, -1.0, 32767.0)),
        pack_snorm_4x8 => |script, x, _, _| Made::Bits(packed(script, x, 8, -1.0, 127.0)),
        _ => return None,
    })
}

fn condition(condition: &Condition) -> Made {
    Made::Bits(condition.bits())
}

fn not_any(float: &Float, properties: &[&str]) -> Condition {
    let conditions: Vec<Condition> = properties.iter().map(|property| float.is(property)).collect();
    conditions[1..].iter().fold(conditions[0].clone(), |any, condition| any.or(condition)).not()
}

/// x - y · round(x / y), rounded at each step.
fn remainder(x: &Operands, mode: &str) -> Float {
    let [a, b] = [0, 1].map(|i: usize| &x.floats[i]);
    a.minus(&b.times(&a.over(b).integer(mode)))
}

/// The operand that comes first in an order; of zeros, the one that is negative if `negative`. NaN comes last.
fn extreme(x: &Operands, before: &str, negative: bool) -> Float {
    let [a, b] = [0, 1].map(|i: usize| &x.floats[i]);
    let (of_negative, of_positive) = if negative { (a, b) } else { (b, a) };
    let equal = Float::chosen(&a.is("fp.isNegative"), of_negative, of_positive);
    let rest = Float::chosen(&b.compare(before, a), b, &equal);
    let rest = Float::chosen(&a.compare(before, b), a, &rest);
    let rest = Float::chosen(&b.is("fp.isNaN"), a, &rest);
    Float::chosen(&a.is("fp.isNaN"), b, &rest)
}

impl Float {
    /// `2^exponent`, if it is a finite float of `width` bits.
    fn power_in_range(exponent: u32, width: u32) -> Option<Float> {
        let most = (1 << (format(width).0 - 1)) - 1;
        (exponent <= most).then(|| Float::power(exponent as i32, width))
    }
}

/// Operand 0 towards zero, open if it is not an integer from `least` to below `2^power`. A limit that is not finite excludes infinity only.
fn to_integer(script: &mut Script, x: &Operands, width: u32, least: Option<Float>, power: u32) -> Bits {
    let whole = x.floats[0].integer("RTZ").named(script);
    let mut fits = not_any(&whole, &["fp.isNaN", "fp.isInfinite"]);
    if let Some(least) = least {
        fits = fits.and(&whole.compare("fp.geq", &least));
    }
    if let Some(end) = Float::power_in_range(power, whole.width) {
        fits = fits.and(&whole.compare("fp.lt", &end));
    }
    fits.choose(&whole.number(width + 1).part(0, width), &x.open)
}

/// The sum of floats in NIR's order: pairs first.
fn sum(script: &mut Script, mut terms: Vec<Float>) -> Float {
    while terms.len() > 1 {
        terms = terms
            .chunks(2)
            .map(|pair| match pair {
                [low, high] => high.plus(low).named(script),
                _ => pair[0].clone(),
            })
            .collect();
    }
    terms.remove(0)
}

/// `value` / `most`, at least -1.
fn unpacked_signed(script: &mut Script, value: &Bits, most: f32) -> Float {
    let quotient = Float::of_signed(value, 32).over(&Float::single(most)).named(script);
    let least = Float::single(-1.0);
    Float::chosen(&quotient.compare("fp.lt", &least), &least, &quotient)
}

/// The operands limited to `least`..1, multiplied by `most` and rounded, as integers of `part` bits, the first lowest.
fn packed(script: &mut Script, x: &Operands, part: u32, least: f32, most: f32) -> Bits {
    let mut parts = Vec::new();
    for value in &x.floats {
        let width = value.width;
        let [low, high] = [least, 1.0].map(|limit| Float::single(limit).converted("RNE", width).named(script));
        let below = Float::chosen(&high.compare("fp.lt", value), &high, value);
        let limited = Float::chosen(&value.compare("fp.gt", &low), &below, &low);
        let scaled = limited.converted("RNE", 32).times(&Float::single(most)).integer("RNE");
        parts.push(script.name(&scaled.number(32).part(0, part)));
    }
    joined(parts)
}

/// The parts as one number, the first lowest.
fn joined(parts: Vec<Bits>) -> Bits {
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_else(|| Bits::number(0, 1));
    parts.fold(first, |low, part| part.above(&low))
}
