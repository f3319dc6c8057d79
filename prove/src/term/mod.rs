// SPDX-License-Identifier: MIT

//! Terms: what a shader computes, as a graph in which equal parts are one node.
//!
//! A term is a number of 1 to 64 bits, or a *state* of memory (width 0). Both the NIR and the SPIR-V of a shader become terms in one
//! [`Arena`]; constructors bring each term to a normal form, so most computations that mean the same are the same [`Term`]:
//!
//! | values | normal form | file |
//! |-|-|-|
//! | sums, differences, products with constants, shifts, masks | `Σ coefficient · term + constant`, with [`Op::Mask`] | `sum` |
//! | products of numbers of two words | sums of the products of the words | `words` |
//! | conditions and selections | a decision diagram over atomic conditions, ordered by term | `choice` |
//! | other arithmetic | the row of NIR's opcode that defines it, applied to terms | `alu` |
//! | memory | writes in order, those of different cells sorted by address | `memory` |
//!
//! ```
//! use ntv_prove::term::Arena;
//!
//! let mut arena = Arena::new();
//! let x = arena.symbol("x", 32, &[]);
//! let (four, sixteen) = (arena.constant(32, 4), arena.constant(32, 16));
//! // 16 · (x >> 4) + (x & 15) is x.
//! let high = arena.lshr(x, four);
//! let high = arena.mul(high, sixteen);
//! let low = arena.mask(x, 15);
//! assert_eq!(arena.add(high, low), x);
//! ```

mod alu;
mod bits;
mod choice;
mod evaluate;
mod memory;
mod order;
mod rebuild;
mod shown;
mod sum;
#[cfg(test)]
pub(crate) mod tests;
mod words;

pub use evaluate::{Assignment, Evaluator, Memory};

use ntv::op::fold::mask;
use ntv::op::AluOp;
use rustc_hash::FxHashMap;

/// The name of what is undefined.
pub(crate) const UNDEFINED: &str = "undefined";

/// A node of an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

/// The name of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u32);

/// The operation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A number: the first immediate.
    Const,
    /// A function without a meaning of its own: an input, a texel, a state of memory that the shader starts with.
    Symbol(Name),
    /// `[condition, if true, if false]`. The condition is an atom: not a constant, not another `Ite`.
    Ite,
    /// Immediates: the constant, and the coefficient of each operand.
    Sum,
    /// A product of terms.
    Mul,
    /// The bits of the operand that are set in the immediate, a mask that is neither empty nor full.
    Mask,
    /// Bitwise and of terms that are not constant.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// `[value, count]`, a count that is not constant, modulo the width.
    Shl,
    /// `[value, count]`, zeros come in.
    Lshr,
    /// `[value, count]`, copies of the sign come in.
    Ashr,
    /// The value, with zeros above.
    Zext,
    /// The value, with copies of the sign above.
    Sext,
    /// The low bits of the value.
    Trunc,
    /// Whether the operand is 0.
    IsZero,
    /// Whether the first operand is less, without sign.
    Ult,
    /// Whether the first operand is less, with sign.
    Slt,
    /// A row of NIR's table with scalar operands, whose meaning is the row's fold.
    Alu(AluOp),
    /// `[state, address]`: the value of a cell.
    Read,
    /// `[state, address, value]`: the state after a write.
    Write,
}

/// A node: an operation on other nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// The width in bits, 0 for a state.
    pub width: u8,
    /// Numbers that belong to the operation.
    pub immediates: Box<[u64]>,
    /// The operands.
    pub args: Box<[Term]>,
}

impl Node {
    /// Whether both are the same operation, on operands that may be others.
    pub fn is_alike(&self, other: &Node) -> bool {
        let shape = |node: &Node| (node.op, node.width, node.args.len());
        shape(self) == shape(other) && self.immediates == other.immediates
    }
}

/// All terms of a proof.
#[derive(Default)]
pub struct Arena {
    nodes: Vec<Node>,
    /// The bits of each node that may be set.
    possible: Vec<u64>,
    ids: FxHashMap<Node, Term>,
    names: Vec<String>,
    name_ids: FxHashMap<String, Name>,
    choices: FxHashMap<[Term; 3], Term>,
    under: FxHashMap<[Term; 2], Term>,
    /// The values of symbols, if they are chosen: all terms of numbers are constants then.
    chosen: Option<Box<dyn Assignment>>,
    /// Whether operations on floats of 16 bits are computed in 32 bits.
    halves_in_32_bits: bool,
    /// Whether the result of an operation on numbers was a NaN of 64 bits.
    has_nan_of_64_bits: bool,
}

impl std::fmt::Debug for Arena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arena").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}

impl Arena {
    /// The most nodes: a proof that needs more is given up.
    pub const MAX_NODES: usize = 1 << 21;

    /// An arena without terms.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Whether the result of an operation on numbers was a NaN of 64 bits.
    pub fn has_nan_of_64_bits(&self) -> bool {
        self.has_nan_of_64_bits
    }

    /// An arena in which symbols have chosen values: code that runs on its terms is interpreted.
    pub fn with_values(chosen: impl Assignment + 'static) -> Arena {
        Arena { chosen: Some(Box::new(chosen)), ..Arena::default() }
    }

    /// Whether symbols have chosen values.
    pub fn is_concrete(&self) -> bool {
        self.chosen.is_some()
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether a proof needs too much memory. Terms that are made afterwards are meaningless.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= Arena::MAX_NODES
    }

    /// The node of `term`.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// The width of `term` in bits.
    pub fn width(&self, term: Term) -> u8 {
        self.node(term).width
    }

    /// The name's text.
    pub fn name(&self, name: Name) -> &str {
        &self.names[name.0 as usize]
    }

    /// The number that `term` is, if it is a constant.
    pub fn as_const(&self, term: Term) -> Option<u64> {
        let node = self.node(term);
        (node.op == Op::Const).then(|| node.immediates[0])
    }

    /// The number `value` of `width` bits.
    pub fn constant(&mut self, width: u8, value: u64) -> Term {
        self.intern(Node { op: Op::Const, width, immediates: [mask(value, width)].into(), args: [].into() })
    }

    /// The condition that is always true, or never.
    pub fn boolean(&mut self, value: bool) -> Term {
        self.constant(1, value.into())
    }

    /// The function `name` of `args`.
    pub fn symbol(&mut self, name: &str, width: u8, args: &[Term]) -> Term {
        if let Some(value) = self.chosen_value(name, width, args) {
            return self.constant(width, value);
        }
        let name = match self.name_ids.get(name) {
            Some(name) => *name,
            None => {
                let id = Name(self.names.len() as u32);
                self.names.push(name.to_owned());
                self.name_ids.insert(name.to_owned(), id);
                id
            }
        };
        self.make(Op::Symbol(name), width, &[], args)
    }

    /// The chosen value of a symbol of a number. States among its operands count by their identity.
    fn chosen_value(&mut self, name: &str, width: u8, args: &[Term]) -> Option<u64> {
        if width == 0 || name == UNDEFINED {
            return None;
        }
        let numbers: Vec<u64> = args.iter().map(|arg| self.as_const(*arg).unwrap_or(arg.0.into())).collect();
        Some(mask(self.chosen.as_mut()?.value(name, width, &numbers), width))
    }

    /// A value that NIR or SPIR-V leaves undefined.
    pub fn undefined(&mut self, width: u8) -> Term {
        self.symbol(UNDEFINED, width, &[])
    }

    /// Whether `term` is such a value.
    pub fn is_undefined(&self, term: Term) -> bool {
        let node = self.node(term);
        matches!(node.op, Op::Symbol(name) if node.args.is_empty() && self.name(name) == UNDEFINED)
    }

    /// The node as it is, without a rule.
    fn make(&mut self, op: Op, width: u8, immediates: &[u64], args: &[Term]) -> Term {
        self.intern(Node { op, width, immediates: immediates.into(), args: args.into() })
    }

    fn intern(&mut self, node: Node) -> Term {
        if let Some(term) = self.ids.get(&node) {
            return *term;
        }
        if self.is_full() {
            return Term(0);
        }
        let possible = self.possible_of(&node);
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.possible.push(possible);
        self.ids.insert(node, term);
        term
    }
}
