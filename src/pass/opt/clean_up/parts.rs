// SPDX-License-Identifier: MIT

//! The parts of `clean_up` as passes: each set of rules alone, for tests and for finding out which rule changes an instruction.

use super::{run_rules, Rules};
use crate::ir::Shader;
use crate::op::Facts;
use crate::pass::opt::dead_cf;
use crate::pass::{Context, Pass};

/// All parts.
pub const PARTS: &[Pass] = &[COPY_PROP, CONSTANT_FOLD, ALGEBRAIC, CSE, DCE, dead_cf::PASS];

/// See [`copy_prop`](crate::pass::opt::copy_prop).
pub const COPY_PROP: Pass =
    part("copy_prop", "makes instructions read values directly instead of copies of them", |shader, _| {
        run_rules(shader, Rules::COPIES)
    });

/// See [`constant_fold`](crate::pass::opt::constant_fold).
pub const CONSTANT_FOLD: Pass =
    part("constant_fold", "computes values that do not depend on the input of the shader", |shader, _| {
        run_rules(shader, Rules::CONSTANTS)
    });

/// See [`algebraic`](crate::pass::opt::algebraic).
pub const ALGEBRAIC: Pass =
    part("algebraic", "removes operations that change nothing", |shader, _| run_rules(shader, Rules::ALGEBRA));

/// See [`cse`](crate::pass::opt::cse).
pub const CSE: Pass = part("cse", "computes equal values once", |shader, _| run_rules(shader, Rules::EQUALS));

/// See [`dce`](crate::pass::opt::dce).
pub const DCE: Pass =
    part("dce", "removes instructions whose results have no uses", |shader, _| run_rules(shader, Rules::UNREAD));

const fn part(name: &'static str, about: &'static str, run: fn(&mut Shader, &Context) -> bool) -> Pass {
    Pass { name, about, facts: Facts::UNTIDY, run, ..Pass::IDLE }
}
