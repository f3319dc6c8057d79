// SPDX-License-Identifier: MIT

//! Derivatives and subgroup operations: functions of their operands and, those of subgroups, of the condition under which control
//! comes here.

use super::tex::{narrowed, widened};
use super::Nir;
use crate::flow::{Machine, Step};
use crate::term::{Arena, Term};
use crate::world;
use ntv::ir::{Def, Inst};
use ntv::op::meaning::IntrinsicForm;
use ntv::op::{AluOp, Base, Index, Intrinsic};
use ntv::Feature;

impl Nir<'_> {
    /// Runs a derivative or subgroup operation; false if it is none.
    pub(super) fn subgroup(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        op: Intrinsic,
        srcs: &[Def],
    ) -> Step<bool> {
        use Intrinsic::*;
        let data = self.shader.insts[inst];
        let path = machine.state.path;
        let args: Vec<Vec<Term>> = srcs.iter().map(|src| self.scalars(machine, *src)).collect();
        let (count, width) = (usize::from(data.num_components), data.bit_size);
        let mut terms = Vec::new();
        match op.info().form {
            IntrinsicForm::Derivative(_) => {
                terms.extend(args[0].iter().map(|value| self.derivative(machine.arena, op, width, *value)));
            }
            IntrinsicForm::Move(..) if op == rotate => {
                let cluster = Some(self.shader.index(inst, Index::cluster_size)).filter(|size| *size > 0);
                let from = world::rotated(machine.arena, args[1][0], cluster.map(u64::from));
                for value in &args[0] {
                    terms.push(machine.arena.symbol("shuffle", width, &[*value, from, path]));
                }
            }
            IntrinsicForm::Move(..) | IntrinsicForm::QuadSwap(_) => {
                for value in &args[0] {
                    let rest = args[1..].iter().flatten().copied();
                    let all: Vec<Term> = [*value].into_iter().chain(rest).chain([path]).collect();
                    terms.push(machine.arena.symbol(op.name(), width, &all));
                }
            }
            // A cluster of one invocation.
            IntrinsicForm::Reduction(_) if op == reduce && self.shader.index(inst, Index::cluster_size) == 1 => {
                terms.clone_from(&args[0]);
            }
            IntrinsicForm::Reduction(_) => {
                let cluster = match self.shader.index(inst, Index::cluster_size) {
                    0 => String::new(),
                    size => format!(" cluster {size}"),
                };
                let name = format!("{} {}{cluster}", op.name(), self.reduction_name(inst));
                for value in &args[0] {
                    terms.push(machine.arena.symbol(&name, width, &[*value, path]));
                }
            }
            IntrinsicForm::BallotQuery(..) => {
                let mut all = words_of_ballot(machine.arena, &args[0]);
                all.extend(args[1..].iter().flatten().copied().chain([path]));
                terms.push(machine.arena.symbol(op.name(), width, &all));
            }
            _ => match op {
                vote_any | vote_all | vote_ieq | vote_feq | quad_vote_any | quad_vote_all | elect => {
                    // A vote of a quad is a reduction of a cluster.
                    let name = match op {
                        quad_vote_any => "reduce ior cluster 4",
                        quad_vote_all => "reduce iand cluster 4",
                        _ => op.name(),
                    };
                    let all: Vec<Term> = args.into_iter().flatten().chain([path]).collect();
                    terms.push(machine.arena.symbol(name, 1, &all));
                }
                first_invocation | last_invocation => terms.push(end_of_subgroup(machine.arena, op, width, path)),
                ballot | ballot_relaxed => {
                    let words: Vec<Term> = (0..4)
                        .map(|c| machine.arena.symbol(&format!("ballot: component {c}"), 32, &[args[0][0], path]))
                        .collect();
                    for c in 0..count {
                        terms.push(match width {
                            64 => machine.arena.concat(words[2 * c % 4], words[(2 * c + 1) % 4]),
                            _ => words[c % 4],
                        });
                    }
                }
                _ => return Ok(false),
            },
        }
        self.set(machine, inst, terms);
        Ok(true)
    }

    /// A derivative of a number of `width` bits: SPIR-V has those of 32, which are not fine or coarse without control.
    fn derivative(&self, arena: &mut Arena, op: Intrinsic, width: u8, value: Term) -> Term {
        let mut name = op.name();
        if !self.target.has(Feature::derivativeControl) {
            name = ["_fine", "_coarse"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        }
        let value = widened(arena, value, Base::Float);
        let derivative = arena.symbol(name, width.max(32), &[value]);
        narrowed(arena, derivative, width, Base::Float)
    }

    fn reduction_name(&self, inst: Inst) -> &'static str {
        let number = self.shader.index(inst, Index::reduction_op);
        AluOp::ALL.get(number as usize).map_or("unknown", |op| op.name())
    }
}

/// The number of the first or the last invocation: that bit of the ballot of all.
fn end_of_subgroup(arena: &mut Arena, op: Intrinsic, width: u8, path: Term) -> Term {
    let all = arena.boolean(true);
    let word = |c: u32| arena.symbol(&format!("ballot: component {c}"), 32, &[all, path]);
    let mut words: Vec<Term> = (0..4).map(word).collect();
    words.push(path);
    let is_first = op == Intrinsic::first_invocation;
    arena.symbol(if is_first { "ballot_find_lsb" } else { "ballot_find_msb" }, width, &words)
}

/// The four words of a ballot.
fn words_of_ballot(arena: &mut Arena, parts: &[Term]) -> Vec<Term> {
    let mut words = Vec::new();
    for part in parts {
        match arena.width(*part) {
            64 => words.extend([0, 32].map(|at| arena.part(*part, at, 32))),
            _ => words.push(*part),
        }
    }
    words.resize(4, arena.constant(32, 0));
    words
}
