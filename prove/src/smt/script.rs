// SPDX-License-Identifier: MIT

//! The text of a query: declarations, definitions and assertions.
//!
//! Each part that is used more than once has a name, so that the text grows with the number of parts. A name is a constant that is
//! required to be equal to its part: Z3 takes time that grows with the square of their number to read as many definitions. Functions have numbers for names,
//! because names of symbols contain spaces and punctuation.

use super::text::{Bits, Condition};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::rc::Rc;

/// The text of a query.
#[derive(Debug, Default)]
pub(super) struct Script {
    text: String,
    /// The number of names.
    names: usize,
    /// The functions by name, widths of the operands, and width of the result.
    functions: FxHashMap<(String, Vec<u32>, u32), Rc<str>>,
}

impl Script {
    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The number of names: a measure of its size.
    pub(super) fn len(&self) -> usize {
        self.names
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.text.write_fmt(line);
        self.text.push('\n');
    }

    fn fresh(&mut self, kind: char) -> Rc<str> {
        self.names += 1;
        format!("{kind}{}", self.names).into()
    }

    /// A name for an expression of `sort`.
    pub(super) fn define(&mut self, sort: &str, expression: &str) -> Rc<str> {
        let name = self.fresh('t');
        self.line(format_args!("(declare-fun {name} () {sort})\n(assert (= {name} {expression}))"));
        name
    }

    /// Gives a name to bits.
    pub(super) fn name(&mut self, bits: &Bits) -> Bits {
        if !bits.text.starts_with('(') || bits.text.starts_with("(_") {
            return bits.clone();
        }
        Bits::new(self.define(&Bits::sort(bits.width), &bits.text), bits.width)
    }

    /// Gives a name to a condition.
    pub(super) fn name_condition(&mut self, condition: &Condition) -> Condition {
        Condition(self.define("Bool", &condition.0))
    }

    /// Bits that may be any number.
    pub(super) fn any(&mut self, width: u32) -> Bits {
        let name = self.fresh('c');
        self.line(format_args!("(declare-fun {name} () {})", Bits::sort(width)));
        Bits::new(name, width)
    }

    /// The value of a function without a meaning, with a name of its own.
    pub(super) fn apply(&mut self, function: String, args: &[Bits], width: u32) -> Bits {
        let key = (function, args.iter().map(|arg| arg.width).collect::<Vec<u32>>(), width);
        let function = match self.functions.get(&key) {
            Some(function) => function.clone(),
            None => {
                let name = self.fresh('f');
                let sorts: Vec<String> = key.1.iter().map(|width| Bits::sort(*width)).collect();
                self.line(format_args!("(declare-fun {name} ({}) {})", sorts.join(" "), Bits::sort(width)));
                self.functions.insert(key, name.clone());
                name
            }
        };
        if args.is_empty() {
            return Bits::new(function, width);
        }
        let texts: Vec<&str> = args.iter().map(|arg| &*arg.text).collect();
        let application = Bits::new(format!("({function} {})", texts.join(" ")), width);
        self.name(&application)
    }

    /// Requires a condition.
    pub(super) fn assert(&mut self, condition: &Condition) {
        self.line(format_args!("(assert {})", condition.0));
    }
}
