// SPDX-License-Identifier: MIT

//! Derivatives and subgroup operations: functions of their operands and, those of subgroups, of the condition under which control
//! comes here.

use super::Nir;
use crate::flow::{Machine, Step};
use crate::term::Term;
use ntv::ir::{Def, Inst};
use ntv::op::meaning::Form;
use ntv::op::{AluOp, Index, Intrinsic};

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
            Form::Derivative(_) => {
                for value in &args[0] {
                    terms.push(machine.arena.symbol(op.name(), width, &[*value]));
                }
            }
            Form::Move(..) | Form::QuadSwap(_) => {
                for value in &args[0] {
                    let rest = args[1..].iter().flatten().copied();
                    let all: Vec<Term> = [*value].into_iter().chain(rest).chain([path]).collect();
                    terms.push(machine.arena.symbol(op.name(), width, &all));
                }
            }
            Form::Reduction(_) => {
                let cluster = match self.shader.index(inst, Index::cluster_size) {
                    0 => String::new(),
                    size => format!(" cluster {size}"),
                };
                let name = format!("{} {}{cluster}", op.name(), self.reduction_name(inst));
                for value in &args[0] {
                    terms.push(machine.arena.symbol(&name, width, &[*value, path]));
                }
            }
            Form::BallotQuery(..) => {
                let all: Vec<Term> = args.into_iter().flatten().chain([path]).collect();
                terms.push(machine.arena.symbol(op.name(), width, &all));
            }
            _ => match op {
                vote_any | vote_all | vote_ieq | vote_feq | quad_vote_any | quad_vote_all | elect => {
                    let all: Vec<Term> = args.into_iter().flatten().chain([path]).collect();
                    terms.push(machine.arena.symbol(op.name(), 1, &all));
                }
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

    fn reduction_name(&self, inst: Inst) -> &'static str {
        let number = self.shader.index(inst, Index::reduction_op);
        AluOp::ALL.get(number as usize).map_or("unknown", |op| op.name())
    }
}
