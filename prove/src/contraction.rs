// SPDX-License-Identifier: MIT

//! Exact arithmetic that the other side lets be combined with other arithmetic.
//!
//! A driver may compute a product and a sum as one `ffma`, an `ffma` as a product and a sum, and sums or products of three numbers in
//! another order, if none of the operations has NoContraction (SPIR-V, 3.20). So an exact operation without it counts if another one
//! without it computes an operand of it, or uses its result; one that is alone is computed as it is. That a driver does so is
//! confirmed by a NIR in which the operations are combined: the interpreter has other results for it.

use crate::term::{Arena, Op, Term};
use crate::witness::{self, Witness};
use ntv::ir::{rewrite, AluSrc, Builder, Def, Edit, Inst, Shader};
use ntv::op::{AluOp, Base};
use ntv_gen::{compare, Observation};
use rustc_hash::FxHashSet;

/// The reason of a doubt.
pub(crate) const REASON: &str = "exact arithmetic that may be combined";

/// The exact operations that may be combined with others, by the results of those of the NIR, and of all that have no NoContraction.
pub(crate) fn combined(
    arena: &Arena,
    exact: &FxHashSet<(Term, Inst)>,
    contractible: &FxHashSet<Term>,
) -> FxHashSet<Inst> {
    let is_free = |term: &Term| contractible.contains(term) && is_arithmetic(arena, *term).is_some();
    let mut combined: FxHashSet<Term> = FxHashSet::default();
    if !exact.iter().any(|(term, _)| is_free(term)) {
        return FxHashSet::default();
    }
    for user in contractible.iter().copied().filter(is_free) {
        // It is two operations.
        combined.extend((is_arithmetic(arena, user) == Some(AluOp::ffma)).then_some(user));
        let mut todo = arena.node(user).args.to_vec();
        let mut seen = FxHashSet::default();
        while let Some(operand) = todo.pop() {
            if is_free(&operand) {
                combined.extend([user, operand]);
            } else if seen.insert(operand) && passes_on(arena, operand) {
                todo.extend(&arena.node(operand).args);
            }
        }
    }
    exact.iter().filter(|(term, _)| combined.contains(term)).map(|(_, inst)| *inst).collect()
}

/// The opcode of a float operation.
fn is_arithmetic(arena: &Arena, term: Term) -> Option<AluOp> {
    match arena.node(term).op {
        Op::Alu(op) if op.info().dest.ty.base == Base::Float => Some(op),
        _ => None,
    }
}

/// Whether a compiler may see the operation that computes an operand through a term.
fn passes_on(arena: &Arena, term: Term) -> bool {
    matches!(arena.node(term).op, Op::Ite | Op::Alu(AluOp::fneg | AluOp::fabs | AluOp::fsat))
}

/// Inputs for which the shader has other results if operations of which one is in `combined` are combined.
pub(crate) fn find(shader: &Shader, combined: &FxHashSet<Inst>, trials: u64) -> Option<Box<Witness>> {
    let shader = &witness::alone(shader);
    let variants = variants(shader, combined);
    (0..trials).find_map(|seed| {
        let stimulus = match seed % 2 {
            0 => witness::stimulus_to_round(shader, seed),
            _ => witness::stimulus(shader, seed),
        };
        let right = Observation::new(shader, &stimulus, witness::LIMITS);
        if right.undefined_behaviour().is_some() {
            return None;
        }
        variants.iter().find_map(|(what, variant)| {
            let wrong = Observation::new(variant, &stimulus, witness::LIMITS);
            let text = compare::difference(&right, &wrong)?;
            let (expected, found) = text.split_once(", then ").unwrap_or((&text, ""));
            Some(Box::new(Witness {
                seed: Some(seed),
                stimulus: stimulus.clone(),
                what: what.clone(),
                expected: expected.to_owned(),
                found: found.to_owned(),
                confirmed: true,
                place: None,
            }))
        })
    })
}

/// An operand, and the operation that computes it.
struct Operand {
    /// The number of the source.
    number: usize,
    inst: Inst,
    op: AluOp,
    /// The operands of the operation, as the user of its result reads them.
    srcs: Vec<AluSrc>,
    is_negated: bool,
}

/// The operation of which a source is the result, through moves and changes of the sign.
fn operand(shader: &Shader, (number, src): (usize, AluSrc)) -> Option<Operand> {
    let (mut src, mut is_negated) = (src, false);
    loop {
        let (op, srcs) = shader.as_alu(src.def)?;
        let read = |inner: &AluSrc| AluSrc { def: inner.def, swizzle: src.swizzle.compose(inner.swizzle) };
        let srcs: Vec<AluSrc> = srcs.iter().map(read).collect();
        match op {
            AluOp::mov => src = srcs[0],
            AluOp::fneg => (src, is_negated) = (srcs[0], !is_negated),
            _ => return Some(Operand { number, inst: src.def.inst(), op, srcs, is_negated }),
        }
    }
}

/// Shaders in which two operations are combined, and what they are.
fn variants(shader: &Shader, combined: &FxHashSet<Inst>) -> Vec<(String, Shader)> {
    let mut variants = Vec::new();
    let mut add = |name: String, user: Inst, combine: &dyn Fn(&mut Builder<'_>) -> Option<Def>| {
        let mut variant = shader.clone();
        let mut is_made = false;
        rewrite(&mut variant, |builder, inst| {
            let made = if inst == user { combine(builder) } else { None };
            is_made |= made.is_some();
            made.map_or(Edit::Keep, Edit::Replace)
        });
        variants.extend(is_made.then_some((name, variant)));
    };
    for user in shader.order.iter().copied().filter(|inst| shader.insts[*inst].has_def()) {
        let Some((op, srcs)) = shader.as_alu(user.def()) else { continue };
        let size = (shader.insts[user].num_components, shader.insts[user].bit_size);
        let line = |inst: Inst| shader.lines[inst].0;
        if op == AluOp::ffma && combined.contains(&user) {
            add(format!("line {}: ffma as two operations", line(user)), user, &|builder| {
                let product = make(builder, AluOp::fmul, &srcs[..2], size);
                Some(make(builder, AluOp::fadd, &[product.into(), srcs[2]], size))
            });
        }
        for operand in srcs.iter().copied().enumerate().filter_map(|src| operand(shader, src)) {
            if combined.contains(&user) || combined.contains(&operand.inst) {
                let name = format!(
                    "{} and {} in lines {} and {}",
                    operand.op.name(),
                    op.name(),
                    line(operand.inst),
                    line(user)
                );
                add(format!("{name} as one operation"), user, &|builder| one(builder, (op, srcs), &operand, size));
            }
        }
    }
    variants
}

fn make(builder: &mut Builder<'_>, op: AluOp, srcs: &[AluSrc], size: (u8, u8)) -> Def {
    builder.alu_with(op, Default::default(), srcs, Some(size))
}

/// The result of an operation that is combined with the one that computes its operand; `None` if there is no such operation.
fn one(builder: &mut Builder<'_>, (op, srcs): (AluOp, &[AluSrc]), operand: &Operand, size: (u8, u8)) -> Option<Def> {
    let other = *srcs.get(1 - operand.number.min(1))?;
    let [a, b] = operand.srcs[..] else { return None };
    match (op, operand.op) {
        (AluOp::fadd | AluOp::fsub, AluOp::fmul) => {
            let is_second = op == AluOp::fsub && operand.number == 1;
            let factor =
                if operand.is_negated != is_second { make(builder, AluOp::fneg, &[a], size).into() } else { a };
            let is_taken = op == AluOp::fsub && operand.number == 0;
            let rest = if is_taken { make(builder, AluOp::fneg, &[other], size).into() } else { other };
            Some(make(builder, AluOp::ffma, &[factor, b, rest], size))
        }
        (AluOp::fadd, AluOp::fadd) | (AluOp::fmul, AluOp::fmul) if !operand.is_negated => {
            let rest = make(builder, op, &[b, other], size);
            Some(make(builder, op, &[a, rest.into()], size))
        }
        _ => None,
    }
}
