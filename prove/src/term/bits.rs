// SPDX-License-Identifier: MIT

//! The bits of a term that may be set.

use super::{Arena, Node, Op, Term};
use ntv::op::fold::mask;
use ntv::op::AluOp;

/// All bits up to the highest one of `value`.
fn filled(value: u64) -> u64 {
    match value {
        0 => 0,
        _ => u64::MAX >> value.leading_zeros(),
    }
}

/// The bits that multiples of 2 to the `zeros` up to `most` may have, modulo 2 to the width.
fn up_to(most: u128, zeros: u32, width: u8) -> u64 {
    let below = if most >> width == 0 { filled(most as u64) } else { u64::MAX };
    mask(below & u64::MAX.checked_shl(zeros).unwrap_or(0), width)
}

impl Arena {
    /// The bits of `term` that may be set.
    pub fn possible(&self, term: Term) -> u64 {
        self.possible[term.0 as usize]
    }

    /// The number of low bits of `term` that are certainly 0; its width for 0.
    pub(super) fn trailing_zeros(&self, term: Term) -> u32 {
        self.possible(term).trailing_zeros().min(self.width(term).into())
    }

    /// The number of low bits of `coefficient · term` that are certainly 0.
    pub(super) fn zeros_of_multiple(&self, term: Term, coefficient: u64) -> u32 {
        self.trailing_zeros(term) + coefficient.trailing_zeros()
    }

    /// [`Arena::possible`] of a new node.
    pub(super) fn possible_of(&self, node: &Node) -> u64 {
        let of = |i: usize| self.possible(node.args[i]);
        let all = mask(u64::MAX, node.width);
        match node.op {
            Op::Const => node.immediates[0],
            Op::Ite => of(1) | of(2),
            Op::Sum => self.possible_of_sum(node),
            Op::Mul => {
                let zeros: u32 = node.args.iter().map(|arg| self.trailing_zeros(*arg)).sum();
                let most = node.args.iter().try_fold(1u128, |most, arg| most.checked_mul(self.possible(*arg).into()));
                up_to(most.unwrap_or(u128::MAX), zeros, node.width)
            }
            Op::Mask => of(0) & node.immediates[0],
            Op::And => node.args.iter().fold(all, |bits, arg| bits & self.possible(*arg)),
            Op::Or | Op::Xor => node.args.iter().fold(0, |bits, arg| bits | self.possible(*arg)),
            Op::Lshr => match self.as_const(node.args[1]) {
                Some(count) => of(0) >> count,
                None => filled(of(0)),
            },
            Op::Zext | Op::Trunc => mask(of(0), node.width),
            Op::Alu(op @ (AluOp::udiv | AluOp::umod)) => match self.as_const(node.args[1]) {
                Some(divisor @ 1..) if op == AluOp::udiv => filled(of(0) / divisor),
                Some(divisor @ 1..) => filled(of(0).min(divisor - 1)),
                _ => all,
            },
            Op::Alu(AluOp::bit_count) => filled(self.width(node.args[0]).into()),
            _ => all,
        }
    }

    /// Of a number that leaves `rest` if it is divided by `multiple`, a power of two: the part on which that depends, such as the lower
    /// word, and the same with the low bits that it has then. `None` if there are several such parts.
    pub(crate) fn part_with_low_bits(&mut self, term: Term, multiple: u64, rest: u64) -> Option<(Term, Term)> {
        let (mut part, mut rest) = (term, rest);
        loop {
            let node = self.node(part);
            let next = match node.op {
                Op::Zext if u32::from(self.width(node.args[0])) > multiple.trailing_zeros() => node.args[0],
                Op::Sum => {
                    let parts = node.args.iter().copied().zip(node.immediates[1..].iter().copied());
                    let mut low = parts.filter(|it| self.zeros_of_multiple(it.0, it.1) < multiple.trailing_zeros());
                    let (next, 1) = low.next().filter(|_| low.next().is_none())? else { return None };
                    rest = rest.wrapping_sub(node.immediates[0]) & (multiple - 1);
                    next
                }
                _ => break,
            };
            part = next;
        }
        let high = self.mask(part, !(multiple - 1));
        let known = self.plus(high, rest);
        (part != term).then_some((part, known))
    }

    /// The bits of `coefficient · term` that may be set.
    pub(super) fn possible_of_multiple(&self, term: Term, coefficient: u64, width: u8) -> u64 {
        let possible = self.possible(term);
        if coefficient.is_power_of_two() {
            return mask(possible << coefficient.trailing_zeros(), width);
        }
        let most = u128::from(possible) * u128::from(coefficient);
        up_to(most, self.zeros_of_multiple(term, coefficient), width)
    }

    fn possible_of_sum(&self, node: &Node) -> u64 {
        let (constant, coefficients) = (node.immediates[0], &node.immediates[1..]);
        // Parts without a common bit are added without a carry.
        let mut apart = Some(constant);
        for (arg, coefficient) in node.args.iter().zip(coefficients) {
            let part = self.possible_of_multiple(*arg, *coefficient, node.width);
            apart = apart.filter(|bits| bits & part == 0).map(|bits| bits | part);
        }
        if let Some(bits) = apart {
            return bits;
        }
        let mut most = u128::from(constant);
        let mut zeros = constant.trailing_zeros();
        for (arg, coefficient) in node.args.iter().zip(coefficients) {
            let product = u128::from(self.possible(*arg)) * u128::from(*coefficient);
            most = most.saturating_add(product);
            zeros = zeros.min(self.zeros_of_multiple(*arg, *coefficient));
        }
        up_to(most, zeros, node.width)
    }
}
