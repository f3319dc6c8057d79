// SPDX-License-Identifier: MIT

//! NIR's arithmetic as terms.
//!
//! Integer opcodes are defined by the other operations of terms where those have the same meaning. What is left, floats above all, is
//! a row of NIR's table applied to terms, [`Op::Alu`], whose meaning is the row's fold. A test compares each definition with the fold.

mod bits;
mod floats;
mod halves;
mod integers;

use super::{Arena, Op, Term};
use halves::IN_32_BITS;
use ntv::op::fold::{mask, Fold};
use ntv::op::open::is_open;
use ntv::op::AluOp;
use ntv::op::{Base, Form, Props};
use std::sync::OnceLock;

/// A component of an operation.
#[derive(Clone, Copy)]
struct Operation<'a> {
    op: AluOp,
    width: u8,
    component: usize,
    /// All components of the sources.
    srcs: &'a [Vec<Term>],
    /// The component of each source that is read, of sources that are read per component.
    args: &'a [Term],
}

/// The comparison with a 1-bit result of which `op` is the one with a wider boolean.
fn with_one_bit(op: AluOp) -> Option<AluOp> {
    static TABLE: OnceLock<Vec<Option<AluOp>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let one_bit = |op: &AluOp| {
            let info = op.info();
            if info.dest.ty.base != Base::Bool || info.dest.ty.bits <= 1 || info.props.contains(Props::CONVERSION) {
                return None;
            }
            let bits = info.dest.ty.bits.to_string();
            let name = info.name;
            let short = name.strip_suffix(&bits).map(str::to_owned);
            let all = name.strip_prefix(&format!("b{bits}")).map(|rest| format!("b{rest}"));
            let found = all.into_iter().chain(short).find_map(|name| AluOp::from_name(&name));
            found.filter(|found| found.info().dest.ty.bits == 1)
        };
        AluOp::ALL.iter().map(one_bit).collect()
    });
    table[op as usize]
}

/// The sources of a row, whose components follow each other in `args`.
pub(super) fn sources<T: Copy>(op: AluOp, args: &[T]) -> Vec<Vec<T>> {
    let mut args = args.iter().copied();
    op.info().srcs.iter().map(|operand| args.by_ref().take(operand.size.max(1).into()).collect()).collect()
}

impl Arena {
    /// Component `component` of the result of `op`, `width` bits wide, of the components of the sources. Sources that are read per
    /// component have only the one that is read, or all.
    pub fn alu(&mut self, op: AluOp, width: u8, component: usize, srcs: &[Vec<Term>]) -> Term {
        if let Some(number) = self.fold(op, width, component, srcs) {
            let is_double = width == 64 && op.info().dest.ty.base == Base::Float;
            self.has_nan_of_64_bits |= is_double && f64::from_bits(number).is_nan();
            return self.constant(width, number);
        }
        if let Some(narrow) = with_one_bit(op) {
            let condition = self.alu(narrow, 1, component, srcs);
            return self.sext(condition, width);
        }
        let args: Vec<Term> = op
            .info()
            .srcs
            .iter()
            .zip(srcs)
            .map(|(operand, src)| src[if operand.size == 0 && src.len() > 1 { component } else { 0 }])
            .collect();
        let operation = Operation { op, width, component, srcs, args: &args };
        if self.halves_in_32_bits || IN_32_BITS.contains(&op) {
            if let Some(term) = self.in_32_bits(&operation) {
                return term;
            }
        }
        if let Some(term) = self.integers(&operation).or_else(|| self.floats(&operation)) {
            return term;
        }
        self.row(op, width, component, srcs)
    }

    /// A scalar operation.
    pub fn scalar(&mut self, op: AluOp, width: u8, args: &[Term]) -> Term {
        let srcs: Vec<Vec<Term>> = args.iter().map(|arg| vec![*arg]).collect();
        self.alu(op, width, 0, &srcs)
    }

    /// The row applied to the sources, as it is.
    fn row(&mut self, op: AluOp, width: u8, component: usize, srcs: &[Vec<Term>]) -> Term {
        let info = op.info();
        let mut parts: Vec<Vec<Term>> = info
            .srcs
            .iter()
            .zip(srcs)
            .map(|(operand, src)| match operand.size {
                0 if src.len() > 1 => vec![src[component]],
                0 => src.clone(),
                size => src[..usize::from(size)].to_vec(),
            })
            .collect();
        // A vector operation that is commutative has its operands in the order of their first components.
        if info.props.contains(Props::COMMUTATIVE) && parts.len() >= 2 && parts[1] < parts[0] {
            parts.swap(0, 1);
        }
        let component = if info.dest.size > 1 { component as u64 } else { 0 };
        if let [part] = &parts[..] {
            if let ([only], 1) = (&part[..], info.srcs[0].size.max(1)) {
                let only = *only;
                let made =
                    self.of_constants(only, &mut |arena, leaf| arena.alu(op, width, component as usize, &[vec![leaf]]));
                if let Some(made) = made {
                    return made;
                }
            }
        }
        if let [a, b] = &parts[..] {
            if let ([a], [b]) = (&a[..], &b[..]) {
                for (choice, other, is_first) in [(*a, *b, true), (*b, *a, false)] {
                    if self.as_const(other).is_none() {
                        continue;
                    }
                    let made = self.of_constants(choice, &mut |arena, leaf| match is_first {
                        true => arena.scalar(op, width, &[leaf, other]),
                        false => arena.scalar(op, width, &[other, leaf]),
                    });
                    if let Some(made) = made {
                        return made;
                    }
                }
            }
        }
        let args: Vec<Term> = parts.into_iter().flatten().collect();
        self.make(Op::Alu(op), width, &[component], &args)
    }

    /// The result if all sources are constants and it is not open.
    fn fold(&self, op: AluOp, width: u8, component: usize, srcs: &[Vec<Term>]) -> Option<u64> {
        let values: Option<Vec<Vec<u64>>> =
            srcs.iter().map(|src| src.iter().map(|term| self.as_const(*term)).collect()).collect();
        let values = values?;
        let widths: Vec<u8> = srcs.iter().map(|src| self.width(src[0])).collect();
        fold_row(op, width, component, &values, &widths)
    }
}

/// 1.0 as a float of `width` bits.
fn float_one(width: u8) -> u64 {
    match width {
        16 => 0x3c00,
        32 => 0x3f80_0000,
        _ => 0x3ff0 << 48,
    }
}

/// Infinity, and the least normal number, as floats of `width` bits.
fn limits(width: u8) -> (u64, u64) {
    match width {
        16 => (0x7c00, 0x400),
        32 => (0x7f80_0000, 0x80_0000),
        _ => (0x7ff0 << 48, 0x10 << 48),
    }
}

/// The result of a row with constant sources; `None` if it is open. Sources that are read per component may have only the one that is
/// read.
pub(super) fn fold_row(op: AluOp, width: u8, component: usize, values: &[Vec<u64>], widths: &[u8]) -> Option<u64> {
    let info = op.info();
    // Rows of whole vectors, and moves, read other components.
    let per_component: Vec<bool> = info.srcs.iter().map(|operand| operand.size == 0).collect();
    let expanded: Vec<Vec<u64>> = values
        .iter()
        .enumerate()
        .map(|(i, value)| match per_component[i] && value.len() == 1 {
            true => vec![value[0]; component + 1],
            false => value.clone(),
        })
        .collect();
    let operand = |i: usize| (expanded[i][if per_component[i] { component } else { 0 }], widths[i]);
    if is_open(op, &operand) {
        return None;
    }
    let srcs: Vec<&[u64]> = expanded.iter().map(Vec::as_slice).collect();
    let fold = Fold { component, dest_bits: width, src_bits: widths, srcs: &srcs, per_component: &per_component };
    debug_assert!(info.form != Form::Construct || component < srcs.len());
    Some(mask((info.fold)(&fold), width))
}
