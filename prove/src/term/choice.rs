// SPDX-License-Identifier: MIT

//! Conditions and selections as decision diagrams.
//!
//! A condition is a constant, an *atom* (a comparison, a boolean that is read), or a choice by an atom. A value or a state is chosen
//! by the same nodes. On each path the atoms are in the order of their terms, and no choice has equal sides, so two conditions over
//! the same atoms that mean the same are one term (Bryant, "Graph-Based Algorithms for Boolean Function Manipulation").

use super::{Arena, Op, Term};

impl Arena {
    /// `then` if `condition`, else `otherwise`.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        debug_assert_eq!(self.width(condition), 1);
        debug_assert_eq!(self.width(then), self.width(otherwise));
        match self.as_const(condition) {
            Some(0) => return otherwise,
            Some(_) => return then,
            None => {}
        }
        if then == otherwise {
            return then;
        }
        if self.as_const(then) == Some(1) && self.as_const(otherwise) == Some(0) && self.width(then) == 1 {
            return condition;
        }
        let key = [condition, then, otherwise];
        if let Some(known) = self.choices.get(&key) {
            return *known;
        }
        // The condition is not constant, so it has an atom.
        let atoms = key.map(|term| self.first_atom(term));
        let atom = atoms.into_iter().flatten().min().unwrap_or(condition);
        let [yes, no] = [true, false].map(|side| key.map(|term| self.side(term, atom, side)));
        let yes = self.ite(yes[0], yes[1], yes[2]);
        let no = self.ite(no[0], no[1], no[2]);
        let made = self.choice(atom, yes, no);
        self.choices.insert(key, made);
        made
    }

    /// The node for a choice by an atom whose sides have later atoms only.
    fn choice(&mut self, atom: Term, yes: Term, no: Term) -> Term {
        let width = self.width(yes);
        if yes == no {
            return yes;
        }
        if width == 1 && self.as_const(yes) == Some(1) && self.as_const(no) == Some(0) {
            return atom;
        }
        self.make(Op::Ite, width, &[], &[atom, yes, no])
    }

    /// The atom that decides first; `None` for constants, and for values without a choice.
    fn first_atom(&self, term: Term) -> Option<Term> {
        let node = self.node(term);
        match node.op {
            Op::Ite => Some(node.args[0]),
            Op::Const => None,
            _ => (node.width == 1).then_some(term),
        }
    }

    /// What `term` is if `atom`, which does not come after its first atom, is true or false.
    fn side(&mut self, term: Term, atom: Term, is_true: bool) -> Term {
        if term == atom {
            return self.boolean(is_true);
        }
        let node = self.node(term);
        match node.op {
            Op::Ite if node.args[0] == atom => node.args[if is_true { 1 } else { 2 }],
            _ => term,
        }
    }

    /// The negation of a condition.
    pub fn not(&mut self, condition: Term) -> Term {
        let [yes, no] = [true, false].map(|value| self.boolean(value));
        self.ite(condition, no, yes)
    }

    /// Whether both conditions are true.
    pub fn both(&mut self, a: Term, b: Term) -> Term {
        let no = self.boolean(false);
        self.ite(a, b, no)
    }

    /// Whether one of the conditions is true.
    pub fn either(&mut self, a: Term, b: Term) -> Term {
        let yes = self.boolean(true);
        self.ite(a, yes, b)
    }

    /// Whether one of the conditions is true and the other one is not.
    pub fn differ(&mut self, a: Term, b: Term) -> Term {
        let not_b = self.not(b);
        self.ite(a, not_b, b)
    }

    /// `term`, where only what it is under `care` matters: terms that agree under a condition are the same term under it (the
    /// generalized cofactor of Coudert and Madre).
    pub fn under(&mut self, term: Term, care: Term) -> Term {
        if self.as_const(care).is_some() {
            return term;
        }
        if term == care {
            return self.boolean(true);
        }
        if self.first_atom(term).is_none() {
            return term;
        }
        let key = [term, care];
        if let Some(known) = self.under.get(&key) {
            return *known;
        }
        let atoms = key.map(|term| self.first_atom(term));
        let Some(atom) = atoms.into_iter().flatten().min() else { return term };
        let [yes, no] = [true, false].map(|side| key.map(|term| self.side(term, atom, side)));
        let made = if self.as_const(yes[1]) == Some(0) {
            self.under(no[0], no[1])
        } else if self.as_const(no[1]) == Some(0) {
            self.under(yes[0], yes[1])
        } else {
            let yes = self.under(yes[0], yes[1]);
            let no = self.under(no[0], no[1]);
            self.choice(atom, yes, no)
        };
        self.under.insert(key, made);
        made
    }

    /// The values that `term` chooses from, if there are at most `most`.
    pub fn leaves(&self, term: Term, most: usize) -> Option<Vec<Term>> {
        let mut leaves = Vec::new();
        let mut todo = vec![term];
        let mut steps = 0;
        while let Some(term) = todo.pop() {
            steps += 1;
            let node = self.node(term);
            if node.op == Op::Ite {
                todo.extend([node.args[2], node.args[1]]);
            } else if !leaves.contains(&term) {
                leaves.push(term);
            }
            if leaves.len() > most || steps > 8 * most {
                return None;
            }
        }
        Some(leaves)
    }

    /// `made` of each value that `term` chooses from, if all of them are constants and there are few.
    pub(super) fn of_constants(&mut self, term: Term, made: &mut dyn FnMut(&mut Arena, Term) -> Term) -> Option<Term> {
        const FEW: usize = 8;
        if self.node(term).op != Op::Ite {
            return None;
        }
        let leaves = self.leaves(term, FEW)?;
        if leaves.iter().any(|leaf| self.as_const(*leaf).is_none()) {
            return None;
        }
        Some(self.map_leaves(term, made))
    }

    /// `made` of each value that `term` chooses from, chosen alike.
    pub fn map_leaves(&mut self, term: Term, made: &mut dyn FnMut(&mut Arena, Term) -> Term) -> Term {
        let node = self.node(term);
        if node.op != Op::Ite {
            return made(self, term);
        }
        let [atom, yes, no] = [node.args[0], node.args[1], node.args[2]];
        let yes = self.map_leaves(yes, made);
        let no = self.map_leaves(no, made);
        self.ite(atom, yes, no)
    }
}
