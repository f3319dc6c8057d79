// SPDX-License-Identifier: MIT

//! Terms with parts replaced.

use super::alu::sources;
use super::{Arena, Node, Op, Term};
use rustc_hash::{FxHashMap, FxHashSet};

impl Arena {
    /// The term of the operation of `node` on other operands.
    pub fn apply(&mut self, node: &Node, args: &[Term]) -> Term {
        match node.op {
            Op::Const => self.constant(node.width, node.immediates[0]),
            Op::Symbol(_) => self.make(node.op, node.width, &node.immediates, args),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Sum => {
                let parts: Vec<(Term, u64)> = args.iter().copied().zip(node.immediates[1..].iter().copied()).collect();
                self.combination(node.width, node.immediates[0], &parts)
            }
            Op::Mul => self.mul(args[0], args[1]),
            Op::Mask => self.mask(args[0], node.immediates[0]),
            Op::And | Op::Or | Op::Xor => self.bitwise(node.op, args[0], args[1]),
            Op::Shl => self.shl(args[0], args[1]),
            Op::Lshr => self.lshr(args[0], args[1]),
            Op::Ashr => self.ashr(args[0], args[1]),
            Op::Zext => self.zext(args[0], node.width),
            Op::Sext => self.sext(args[0], node.width),
            Op::Trunc => self.trunc(args[0], node.width),
            Op::IsZero => self.is_zero(args[0]),
            Op::Ult => self.ult(args[0], args[1]),
            Op::Slt => self.slt(args[0], args[1]),
            Op::Alu(op) => {
                let srcs = sources(op, args);
                self.alu(op, node.width, node.immediates[0] as usize, &srcs)
            }
            Op::Read => self.read(args[0], args[1], node.width),
            Op::Write => self.write(args[0], args[1], args[2]),
        }
    }

    /// `term` with each key of `map` replaced by its value.
    pub fn replace(&mut self, term: Term, map: &mut FxHashMap<Term, Term>) -> Term {
        // Without recursion: a chain of writes may be long.
        let mut todo = vec![term];
        while let Some(next) = todo.last().copied() {
            if map.contains_key(&next) {
                todo.pop();
                continue;
            }
            let node = self.node(next).clone();
            let missing: Vec<Term> = node.args.iter().copied().filter(|arg| !map.contains_key(arg)).collect();
            if missing.is_empty() {
                let args: Vec<Term> = node.args.iter().map(|arg| map[arg]).collect();
                let made = if args[..] == node.args[..] { next } else { self.apply(&node, &args) };
                map.insert(next, made);
                todo.pop();
            } else {
                todo.extend(missing);
            }
        }
        map[&term]
    }

    /// Whether one of `parts` occurs in `term`. `without` remembers terms in which none occurs.
    pub fn contains(&self, term: Term, parts: &FxHashSet<Term>, without: &mut FxHashSet<Term>) -> bool {
        let mut todo = vec![term];
        while let Some(next) = todo.pop() {
            if parts.contains(&next) {
                return true;
            }
            if without.insert(next) {
                todo.extend(self.node(next).args.iter());
            }
        }
        false
    }

    /// All terms that occur in `roots`, operands before what uses them.
    pub fn all_parts(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut todo = roots.to_vec();
        while let Some(next) = todo.pop() {
            if seen.insert(next) {
                todo.extend(self.node(next).args.iter());
            }
        }
        // An operand is made before what uses it.
        let mut parts: Vec<Term> = seen.into_iter().collect();
        parts.sort_unstable();
        parts
    }
}
