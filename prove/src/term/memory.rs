// SPDX-License-Identifier: MIT

//! Memory: a state is what it starts with, and writes to cells in order.
//!
//! Two cells are the same, different by a constant, or it is not known. A read looks through writes to cells that are different; the
//! writes to cells that differ by constants are in the order of these constants, so that the order in which a shader writes them does
//! not matter.

use super::{Arena, Op, Term};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The bytes of a cell of 32 bits.
const WHOLE: u64 = 0xf;

impl Arena {
    /// The value of the cell at `address`.
    pub fn read(&mut self, state: Term, address: Term, width: u8) -> Term {
        let node = self.node(state).clone();
        match node.op {
            Op::Ite => {
                let key = [state, address, address];
                if let Some(known) = self.choices.get(&key) {
                    if self.width(*known) == width {
                        return *known;
                    }
                }
                let yes = self.read(node.args[1], address, width);
                let no = self.read(node.args[2], address, width);
                let made = self.ite(node.args[0], yes, no);
                self.choices.insert(key, made);
                return made;
            }
            Op::Write => match self.is_same_cell(node.args[1], address) {
                Some(true) if self.width(node.args[2]) == width => return node.args[2],
                Some(false) => return self.read(node.args[0], address, width),
                _ => {}
            },
            _ if self.is_undefined(state) => return self.undefined(width),
            Op::Symbol(_) => {
                if let Some(value) = self.chosen_cell(state, address, width) {
                    return self.constant(width, value);
                }
            }
            _ => {}
        }
        self.make(Op::Read, width, &[], &[state, address])
    }

    /// What a cell has at the start, if that is chosen.
    fn chosen_cell(&mut self, state: Term, address: Term, width: u8) -> Option<u64> {
        self.chosen.as_ref()?;
        let (state, address) = (self.shown(state, 2), self.as_const(address)?);
        Some(self.chosen.as_mut()?.cell(&state, address, width))
    }

    /// A state in which nothing is defined.
    pub fn undefined_state(&mut self) -> Term {
        self.undefined(0)
    }

    /// The state after `value` is written to the cell at `address`.
    pub fn write(&mut self, state: Term, address: Term, value: Term) -> Term {
        let node = self.node(state).clone();
        if node.op == Op::Write {
            let [below, other, known] = [node.args[0], node.args[1], node.args[2]];
            match self.is_same_cell(other, address) {
                Some(true) => return self.write(below, address, value),
                Some(false) if self.offset(address) < self.offset(other) => {
                    let below = self.write(below, address, value);
                    return self.make(Op::Write, 0, &[], &[below, other, known]);
                }
                _ => {}
            }
        }
        // Writing what is there changes nothing.
        let width = self.width(value);
        if width > 0 && self.read(state, address, width) == value && !self.is_undefined(value) {
            return state;
        }
        self.make(Op::Write, 0, &[], &[state, address, value])
    }

    /// The state after those bytes of a cell of 32 bits are written for which `bytes` has a bit: the others stay as they are.
    pub fn write_bytes(&mut self, state: Term, address: Term, value: Term, bytes: u64) -> Term {
        if bytes == WHOLE {
            return self.write(state, address, value);
        }
        let bits = (0..4).filter(|byte| bytes >> byte & 1 != 0).fold(0u64, |bits, byte| bits | 0xff << (8 * byte));
        let whole = self.read(state, address, 32);
        let kept = self.mask(whole, !bits);
        let new = self.mask(value, bits);
        let both = self.add(kept, new);
        self.write(state, address, both)
    }

    /// The cells of a state that starts undefined, with their widths; `None` if the address of a write is not known.
    pub fn known_cells(&self, state: Term) -> Option<BTreeMap<u64, u8>> {
        let mut cells = BTreeMap::new();
        let (mut todo, mut seen) = (vec![state], FxHashSet::default());
        while let Some(state) = todo.pop() {
            if !seen.insert(state) || self.is_undefined(state) {
                continue;
            }
            let node = self.node(state);
            match node.op {
                Op::Ite => todo.extend(&node.args[1..]),
                Op::Write => {
                    let (cell, width) = (self.as_const(node.args[1])?, self.width(node.args[2]));
                    if *cells.entry(cell).or_insert(width) != width {
                        return None;
                    }
                    todo.push(node.args[0]);
                }
                _ => return None,
            }
        }
        Some(cells)
    }

    /// Whether two addresses are those of one cell, if that is known.
    fn is_same_cell(&mut self, a: Term, b: Term) -> Option<bool> {
        let same = self.equal(a, b);
        self.as_const(same).map(|same| same != 0)
    }

    /// The constant part of an address.
    fn offset(&self, address: Term) -> u64 {
        self.linear(address).constant
    }
}
