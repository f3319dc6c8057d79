// SPDX-License-Identifier: MIT

//! The names of values and blocks in messages: the numbers of a dump, which are not those of their ids.

use super::{Block, Def, Shader};
use std::fmt::{self, Display, Formatter};

impl Shader {
    /// `def` by its number in a dump: values are counted in program order.
    pub fn shown(&self, def: Def) -> impl Display + '_ {
        Shown("%", move || {
            let mut defs = self.order.iter().filter(|inst| self.insts[**inst].has_def());
            defs.position(|inst| *inst == def.inst())
        })
    }

    /// `block` by its number in a dump.
    pub fn shown_block(&self, block: Block) -> impl Display + '_ {
        Shown("b", move || self.block_order().position(|other| other == block))
    }
}

/// A prefix and a number that is only computed when it is printed.
struct Shown<F>(&'static str, F);

impl<F: Fn() -> Option<usize>> Display for Shown<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.1)() {
            Some(number) => write!(f, "{}{number}", self.0),
            None => write!(f, "{}?", self.0),
        }
    }
}
