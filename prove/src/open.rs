// SPDX-License-Identifier: MIT

//! Results that NIR and SPIR-V leave open, such as a quotient by 0.
//!
//! In a run with chosen inputs, they are what is no number. A module may have any number for them. So it is wrong if it gives something
//! for one of these numbers that NIR does not give for any.
//!
//! In a proof, NIR's may be chosen: see [`choose`].

use crate::compare::Claim;
use crate::term::{Arena, Op, Term};
use ntv::op::AluOp;
use rustc_hash::{FxHashMap, FxHashSet};

/// The operations in a term that are not numbers: those whose operands are numbers, or all.
fn operations(arena: &Arena, term: Term, innermost: bool) -> Vec<Term> {
    let (mut todo, mut seen, mut found) = (vec![term], FxHashSet::default(), Vec::new());
    while let Some(term) = todo.pop() {
        let node = arena.node(term);
        let is_open = matches!(node.op, Op::Alu(_));
        if is_open && (!innermost || node.args.iter().all(|arg| arena.as_const(*arg).is_some())) {
            found.push(term);
        }
        todo.extend(node.args.iter().filter(|arg| seen.insert(**arg)));
    }
    found
}

/// Whether a part of a term is an operation whose result is open.
pub(crate) fn is_open(arena: &Arena, term: Term) -> bool {
    !operations(arena, term, false).is_empty()
}

/// Conversions to integers of 32 bits, of which a narrower one is the low bits where it is defined.
const WIDER: &[(AluOp, AluOp)] = &[
    (AluOp::f2i8, AluOp::f2i32),
    (AluOp::f2i16, AluOp::f2i32),
    (AluOp::f2u8, AluOp::f2u32),
    (AluOp::f2u16, AluOp::f2u32),
];

/// A conversion of a float to an integer of 8 or 16 bits is open if the number does not fit. The low bits of one to 32 bits are such a
/// result. It is chosen for all that the other side does not have, as a target without such integers computes it.
pub(crate) fn choose(arena: &mut Arena, claims: &mut [Claim]) {
    let wider = |arena: &Arena, term: Term| {
        let node = arena.node(term);
        WIDER.iter().find(|pair| node.op == Op::Alu(pair.0)).map(|pair| (pair.1, node.width, node.args[0]))
    };
    let sides: Vec<[Term; 2]> = claims.iter().map(|claim| [claim.expected, claim.found]).collect();
    let parts = |arena: &Arena, side: usize| arena.all_parts(&sides.iter().map(|it| it[side]).collect::<Vec<Term>>());
    let expected: Vec<Term> = parts(arena, 0).into_iter().filter(|term| wider(arena, *term).is_some()).collect();
    if expected.is_empty() {
        return;
    }
    let found: FxHashSet<Term> = parts(arena, 1).into_iter().collect();
    let mut map: FxHashMap<Term, Term> = FxHashMap::default();
    for term in expected.into_iter().filter(|term| !found.contains(term)) {
        if let Some((op, width, float)) = wider(arena, term) {
            let float = arena.replace(float, &mut map);
            let integer = arena.scalar(op, 32, &[float]);
            map.insert(term, arena.trunc(integer, width));
        }
    }
    for claim in claims {
        claim.expected = arena.replace(claim.expected, &mut map);
    }
}

/// Numbers that open results may be: the greatest one, and one that leads to another place of a small block if it is an index.
const NUMBERS: [u64; 2] = [u64::MAX, 0x5a5];

/// The term with each open result as this number.
fn with_numbers(arena: &mut Arena, term: Term, number: u64) -> Term {
    const MOST: usize = 16;
    let mut term = term;
    for _ in 0..MOST {
        let open = operations(arena, term, true);
        if open.is_empty() {
            break;
        }
        let known = |it: Term| (it, arena.constant(arena.width(it), number));
        let mut map: FxHashMap<Term, Term> = open.into_iter().map(known).collect();
        term = arena.replace(term, &mut map);
    }
    term
}

/// What the module gives for a number that an open result may be, and what the NIR gives for all of them, if they differ.
pub(crate) fn difference(arena: &mut Arena, expected: Term, found: Term) -> Option<[String; 2]> {
    NUMBERS.into_iter().find_map(|number| {
        let found = with_numbers(arena, found, number);
        difference_of(arena, expected, found)
    })
}

fn difference_of(arena: &mut Arena, expected: Term, found: Term) -> Option<[String; 2]> {
    if let Some(number) = arena.as_const(found) {
        let possible = arena.possible(expected);
        return (number & !possible != 0)
            .then(|| [format!("a number with bits of {possible:#x}"), format!("{number:#x}")]);
    }
    let mut state = found;
    while arena.node(state).op == Op::Write {
        let node = arena.node(state).clone();
        let address = arena.as_const(node.args[1])?;
        let value = arena.as_const(node.args[2])?;
        let known = cell(arena, expected, address, arena.width(node.args[2]));
        if let Some(known) = known.filter(|known| *known != value) {
            return Some([format!("{known:#x} at {address:#x}"), format!("{value:#x}")]);
        }
        state = node.args[0];
    }
    None
}

/// The number of a cell of a state, if it is the same for all open results.
fn cell(arena: &mut Arena, state: Term, address: u64, width: u8) -> Option<u64> {
    let mut state = state;
    while arena.node(state).op == Op::Write {
        let node = arena.node(state).clone();
        match arena.as_const(node.args[1]) {
            Some(at) if at == address => return arena.as_const(node.args[2]),
            None if address & !arena.possible(node.args[1]) == 0 => return None,
            _ => state = node.args[0],
        }
    }
    let address = arena.constant(32, address);
    let read = arena.read(state, address, width);
    arena.as_const(read)
}
