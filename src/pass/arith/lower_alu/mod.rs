// SPDX-License-Identifier: MIT

//! Rewrites ALU operations that SPIR-V does not have.
//!
//! **What.** Each operation that a rule in `rules` matches is replaced by the instructions that the rule builds. Afterwards no
//! opcode has the form [`Form::Lowered`](crate::op::Form), and no operation has a width that SPIR-V's instruction does not
//! take.
//!
//! **Why.** NIR has opcodes for all hardware that Mesa drives: saturating subtractions, comparisons with 32-bit booleans,
//! packed dot products. SPIR-V has few of them; and Vulkan takes some of SPIR-V's instructions at one width only (bit searches
//! at 32 bits).
//!
//! The result is the same for all operands for which NIR defines it, and each new instruction of an `exact` operation is exact.
//!
//! Before:
//!
//! ```text
//! 32     %3 = usub_sat %1, %2
//! ```
//!
//! After:
//!
//! ```text
//! 1     %3 = ult %1, %2
//! 32    %4 = load_const (0x00000000)
//! 32    %5 = isub %1, %2
//! 32    %6 = bcsel %3, %4 (0x0), %5
//! ```

mod rules;
#[cfg(test)]
mod tests;

use crate::ir::{rewrite, AluFlags, AluSrc, Builder, Def, Edit, Inst, InstKind, Shader};
use crate::op::{alu as op, AluOp, Base, Facts, Form};
use crate::pass::{Context, Pass};
use rules::{RULES, WIDE_BOOL};
use std::ops::Index;

/// The pass.
pub const PASS: Pass = Pass {
    name: "lower_alu",
    about: "rewrites ALU operations that SPIR-V does not have",
    facts: Facts::LOWERED_ALU,
    removes: Facts::LOWERED_ALU,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _context: &Context) -> bool {
    rewrite(shader, |builder, inst| {
        let InstKind::Alu { op, srcs, .. } = builder.shader.insts[inst].kind else { return Edit::Keep };
        if !builder.shader.is_lowered(inst) {
            return Edit::Keep;
        }
        let Some(shape) = Shape::of(builder.shader, inst) else { return Edit::Keep };
        let Some(rule) = find(&shape) else { return Edit::Keep };
        let mut lower = Lower { builder, flags: AluFlags::empty() };
        let mut defs = [inst.def(); 16];
        for (i, operand) in op.info().srcs.iter().enumerate() {
            let src = lower.builder.shader.alu_srcs[srcs][i];
            defs[i] = lower.whole(src, operand.components(shape.components));
        }
        Edit::Replace((rule.lower)(&mut lower, &Call { shape, srcs: &defs[..srcs.len()] }))
    })
}

/// The properties of an operation that the condition of a rule tests.
#[derive(Clone, Copy)]
struct Shape {
    op: AluOp,
    /// Components of the result.
    components: u8,
    /// Width of the result.
    bits: u8,
    /// Width of the first operand.
    src_bits: u8,
}

impl Shape {
    fn of(shader: &Shader, inst: Inst) -> Option<Shape> {
        let (op, srcs) = shader.as_alu(inst.def())?;
        let data = shader.insts[inst];
        let src_bits = srcs.first().map_or(0, |src| shader.bit_size(src.def));
        Some(Shape { op, components: data.num_components, bits: data.bit_size, src_bits })
    }
}

/// An operation to lower, with operands of the components that it reads.
struct Call<'a> {
    shape: Shape,
    srcs: &'a [Def],
}

impl Index<usize> for Call<'_> {
    type Output = Def;
    fn index(&self, i: usize) -> &Def {
        &self.srcs[i]
    }
}

type LowerFn = fn(&mut Lower<'_, '_>, &Call<'_>) -> Def;

/// The lowering of some opcodes.
struct Rule {
    ops: &'static [AluOp],
    /// The operations of these opcodes that have to be lowered.
    when: When,
    lower: LowerFn,
}

/// The operations that a rule is for: data, so that the table below is made at compile time. The column
/// [`lowered`](crate::op::AluInfo::lowered) has the widths of all rules.
#[derive(Clone, Copy)]
struct When {
    /// Widths of the result: their sum, as all are powers of two.
    bits: u8,
    /// Widths of the first operand.
    src_bits: u8,
    /// The result is as wide as the first operand.
    same_width: bool,
    /// The result has several components.
    is_vector: bool,
}

/// The sum of all.
const ALL_WIDTHS: u8 = 1 | 8 | 16 | 32 | 64;

/// All operations.
const ANY: When = When { bits: ALL_WIDTHS, src_bits: ALL_WIDTHS, same_width: false, is_vector: false };

impl When {
    fn holds(&self, shape: &Shape) -> bool {
        let Shape { bits, src_bits, components, .. } = *shape;
        self.bits & bits != 0
            && self.src_bits & src_bits != 0
            && (!self.same_width || bits == src_bits)
            && (!self.is_vector || components > 1)
    }
}

/// The rules of an opcode.
#[derive(Clone, Copy)]
struct OpRules {
    /// Indices in [`RULES`], each plus 1, and 0 after the last one.
    rules: [u8; 4],
    /// Its result is a boolean of several bits.
    is_wide_bool: bool,
}

/// The rules of all opcodes. A table that was made at the first use took 0.63 ms of the first shader of a process.
static ROWS: [OpRules; AluOp::ALL.len()] = rows();

const _: () = assert!(RULES.len() < 256, "the place of a rule is a u8");

const fn rows() -> [OpRules; AluOp::ALL.len()] {
    let mut rows = [OpRules { rules: [0; 4], is_wide_bool: false }; AluOp::ALL.len()];
    let mut rule = 0;
    while rule < RULES.len() {
        let ops = RULES[rule].ops;
        let mut at = 0;
        while at < ops.len() {
            rows[ops[at] as usize] = rows[ops[at] as usize].with(rule);
            at += 1;
        }
        rule += 1;
    }
    let mut op = 0;
    while op < rows.len() {
        let info = &op::ROWS[op];
        if matches!(info.form, Form::Lowered) && matches!(info.dest.ty.base, Base::Bool) && info.dest.ty.bits != 1 {
            rows[op].is_wide_bool = true;
        }
        op += 1;
    }
    rows
}

impl OpRules {
    /// These rules and one more.
    const fn with(mut self, rule: usize) -> OpRules {
        let mut at = 0;
        while self.rules[at] != 0 {
            at += 1;
        }
        self.rules[at] = (rule + 1) as u8;
        self
    }

    /// The rule for an operation that cannot be emitted as it is.
    fn find(&self, shape: &Shape) -> Option<&'static Rule> {
        let rules = self.rules.iter().map_while(|at| RULES.get(usize::from(*at).checked_sub(1)?));
        rules.into_iter().find(|rule| rule.when.holds(shape)).or(self.is_wide_bool.then_some(&WIDE_BOOL))
    }
}

/// The rule for an operation that cannot be emitted as it is.
fn find(shape: &Shape) -> Option<&'static Rule> {
    ROWS[shape.op as usize].find(shape)
}

/// Builds operations that can be emitted.
struct Lower<'a, 'b> {
    builder: &'a mut Builder<'b>,
    /// Flags of all operations, besides those of the operation that is lowered.
    flags: AluFlags,
}

impl Lower<'_, '_> {
    /// A source as a value of `components` components, without swizzle.
    fn whole(&mut self, src: AluSrc, components: u8) -> Def {
        let mut channels = [0; 16];
        for (c, channel) in channels.iter_mut().enumerate() {
            *channel = src.swizzle.get(c);
        }
        self.builder.swizzle(src.def, &channels[..usize::from(components)])
    }

    /// An operation on whole values, lowered if necessary.
    fn alu(&mut self, op: AluOp, srcs: &[Def]) -> Def {
        let (components, bits) = self.builder.alu_size(op, srcs.iter().copied());
        let shape = Shape { op, components, bits, src_bits: self.bits(srcs[0]) };
        if let Some(rule) = find(&shape) {
            return (rule.lower)(self, &Call { shape, srcs });
        }
        let mut list = [AluSrc::from(srcs[0]); 16];
        for (to, from) in list.iter_mut().zip(srcs) {
            *to = AluSrc::from(*from);
        }
        self.builder.alu_with(op, self.flags, &list[..srcs.len()], None)
    }

    fn unary(&mut self, op: AluOp, x: Def) -> Def {
        self.alu(op, &[x])
    }

    fn binary(&mut self, op: AluOp, x: Def, y: Def) -> Def {
        self.alu(op, &[x, y])
    }

    /// `op` on `x` and an integer, which gets the width that `op` requires.
    fn with_int(&mut self, op: AluOp, x: Def, value: i64) -> Def {
        let bits = match op.info().srcs[1].ty.bits {
            0 => self.bits(x),
            bits => bits,
        };
        let y = self.ints(x, bits, value);
        self.binary(op, x, y)
    }

    /// `op` on `x` and a float.
    fn with_float(&mut self, op: AluOp, x: Def, value: f64) -> Def {
        let y = self.float(x, value);
        self.binary(op, x, y)
    }

    /// `cond ? x : y`.
    fn select(&mut self, cond: Def, x: Def, y: Def) -> Def {
        self.alu(AluOp::bcsel, &[cond, x, y])
    }

    /// An integer constant of the shape of `like`, every component `value`.
    fn int(&mut self, like: Def, value: i64) -> Def {
        let bits = self.bits(like);
        self.ints(like, bits, value)
    }

    /// An integer constant with as many components as `like`.
    fn ints(&mut self, like: Def, bits: u8, value: i64) -> Def {
        let components = usize::from(self.builder.shader.num_components(like));
        self.builder.constant(bits, &[value as u64; 16][..components])
    }

    /// A float constant of the shape of `like`.
    fn float(&mut self, like: Def, value: f64) -> Def {
        let bits = crate::op::fold::from_float(value, self.bits(like));
        self.int(like, bits as i64)
    }

    fn bits(&self, def: Def) -> u8 {
        self.builder.shader.bit_size(def)
    }

    fn channel(&mut self, def: Def, c: u8) -> Def {
        self.builder.channel(def, c)
    }

    /// The low and high halves of 64-bit integers.
    fn halves(&mut self, x: Def) -> (Def, Def) {
        let high = self.with_int(AluOp::ushr, x, 32);
        (self.unary(AluOp::u2u32, x), self.unary(AluOp::u2u32, high))
    }

    /// The components of `def`, combined by `op` in the order of the folds: halves pairwise, then the rest.
    fn reduce(&mut self, op: AluOp, def: Def) -> Def {
        let mut parts = [def; 16];
        let mut len = usize::from(self.builder.shader.num_components(def));
        for (c, part) in parts[..len].iter_mut().enumerate() {
            *part = self.channel(def, c as u8);
        }
        while len > 1 {
            for i in 0..len / 2 {
                parts[i] = self.binary(op, parts[2 * i], parts[2 * i + 1]);
            }
            if len % 2 == 1 {
                parts[len / 2] = parts[len - 1];
            }
            len = len.div_ceil(2);
        }
        parts[0]
    }

    /// The results of `scalar` for each component of the operands, as a vector.
    fn per_component(&mut self, call: &Call<'_>, scalar: impl Fn(&mut Self, &[Def]) -> Def) -> Def {
        let mut results = [call[0]; 16];
        let results = &mut results[..usize::from(call.shape.components)];
        for (c, result) in results.iter_mut().enumerate() {
            let mut channels = [call[0]; 16];
            for (channel, src) in channels.iter_mut().zip(call.srcs) {
                *channel = self.channel(*src, c as u8);
            }
            *result = scalar(self, &channels[..call.srcs.len()]);
        }
        self.builder.vec(results)
    }
}
