// SPDX-License-Identifier: MIT

//! Whether the sides differ in invocations that run together, and the interpreter has what the NIR's terms give.

use super::{merged, Lanes, Number, Value};
use crate::compare::{Claim, Question, DISCARDED};
use crate::confirm::{word, Cell, Place, Seen};
use crate::term::{Arena, Op, Term};
use crate::witness::Witness;
use crate::world::{self, Space, VERTEX};
use ntv::ir::Shader;
use ntv::Target;
use ntv_interp::Descriptor;
use std::rc::Rc;

/// The first claim that does not hold for inputs, if the interpreter confirms it.
pub(crate) fn differ(
    arena: &Arena,
    question: &Question,
    (shader, target): (&Shader, &Target),
    (seed, seen): (Option<u64>, &Seen<'_>),
) -> Option<Box<Witness>> {
    let mut lanes = Lanes::new(arena, shader, target, Rc::new(seen.stimulus.clone()));
    for condition in &question.undefined {
        if lanes.numbers(*condition).iter().any(|it| *it != Number::Known(0)) {
            return None;
        }
    }
    for claim in question.claims.iter().filter(|claim| claim.expected != claim.found) {
        if let Some((expected, found)) = lanes.difference(claim, seen) {
            let place = lanes.place(claim);
            return Some(Box::new(Witness {
                seed,
                stimulus: seen.stimulus.clone(),
                what: claim.what.clone(),
                expected,
                found,
                confirmed: true,
                place,
            }));
        }
    }
    None
}

impl Lanes<'_> {
    /// The text of what differs: what the interpreter and the NIR have, and what the module has.
    fn difference(&mut self, claim: &Claim, seen: &Seen<'_>) -> Option<(String, String)> {
        let outcome = &seen.observed.outcome;
        match claim.place {
            None if claim.what == DISCARDED => {
                self.in_lanes(claim, |lane, expected| Some(outcome.discarded.get(lane).copied()? == (expected != 0)))
            }
            Some((space @ (Space::Output(..) | Space::BuiltIn(_)), _)) if self.arena.width(claim.expected) == 0 => {
                let outputs = outcome.outputs.first()?;
                let has = |at: u64, number| seen.has((space, at % VERTEX), number, (outputs, (at / VERTEX) as u32));
                self.of_memory(claim, has, |_| Number::Undefined)
            }
            Some((space @ (Space::Output(..) | Space::BuiltIn(_)), cell)) if self.arena.width(claim.expected) > 0 => {
                self.in_lanes(claim, |lane, expected| {
                    let outputs = outcome.outputs.get(lane)?;
                    Some(!*outcome.discarded.get(lane)? && seen.has((space, cell), expected, (outputs, 0)))
                })
            }
            Some((Space::Storage(_, binding, element), _)) => {
                let number = (binding + element) as usize;
                let (before, after) = (seen.stimulus.storage.get(number)?, seen.observed.storage.get(number)?);
                let has = |at, number| word(&after.bytes, at).map(u64::from) == Some(number);
                let old = |at| word(&before.bytes, at).map_or(Number::Unknown, |word| Number::Known(word.into()));
                self.of_memory(claim, has, old)
            }
            Some((Space::Image(_, binding, element), _)) => {
                let (a, b) = (self.value(claim.expected), self.value(claim.found));
                let (Value::Image(_, a), Value::Image(_, b)) = (a, b) else { return None };
                let after = seen.observed.images.get(&Descriptor::Binding(binding + element))?;
                let levels = a.levels.iter().zip(&b.levels).enumerate();
                let bytes = levels.flat_map(|(level, (a, b))| {
                    a.bytes.iter().zip(&b.bytes).enumerate().map(move |(at, bytes)| (level, at, bytes))
                });
                let (level, at, (x, y)) = bytes.into_iter().find(|(_, _, (x, y))| x != y)?;
                (*a == *after).then(|| (format!("{x:#x} in byte {at} of level {level}"), format!("{y:#x}")))
            }
            Some((Space::Events, _)) => self.of_launches(claim, seen),
            _ => None,
        }
    }

    /// The cell of an output that differs, and the invocation in which it does.
    fn place(&mut self, claim: &Claim) -> Option<Place> {
        let (output @ (Space::Output(..) | Space::BuiltIn(_)), cell) = claim.place? else { return None };
        let (invocation, expected, found) = match self.arena.width(claim.expected) {
            0 => return None,
            _ => self.differing(claim, |_, _| Some(true))?,
        };
        Some(Place::Output(Cell {
            output,
            cell,
            invocation,
            expected: expected as u32,
            found: found.map(|it| it as u32),
        }))
    }

    /// The numbers of workgroups that a task shader starts.
    fn of_launches(&mut self, claim: &Claim, seen: &Seen<'_>) -> Option<(String, String)> {
        let mut counts = |event: Term| {
            let node = self.arena.node(event).clone();
            let Op::Symbol(name) = node.op else { return None };
            let is_launch = self.arena.name(name) == world::LAUNCH;
            let counts = is_launch.then(|| node.args[1..].iter().map(|count| self.numbers(*count)[0]));
            counts?.map(|count| Some(count.known()? as u32)).collect::<Option<Vec<u32>>>()
        };
        let (expected, found) = (counts(claim.expected)?, counts(claim.found)?);
        let launch = seen.observed.outcome.launches.first()?.as_ref()?;
        (launch.workgroups[..] == expected && expected != found)
            .then(|| (format!("{expected:?}"), format!("{found:?}")))
    }

    /// The texts of the numbers in an invocation in which they differ, and in which the interpreter has the NIR's.
    fn in_lanes(&mut self, claim: &Claim, agrees: impl Fn(usize, u64) -> Option<bool>) -> Option<(String, String)> {
        let (lane, expected, found) = self.differing(claim, agrees)?;
        let found = found.map_or("undefined".to_owned(), |found| format!("{found:#x}"));
        Some((format!("{expected:#x} in invocation {lane}"), found))
    }

    /// The first invocation in which the numbers differ and the NIR's has what `agrees` asks for, and the numbers.
    fn differing(
        &mut self,
        claim: &Claim,
        agrees: impl Fn(usize, u64) -> Option<bool>,
    ) -> Option<(usize, u64, Option<u64>)> {
        let (expected, found) = (self.numbers(claim.expected), self.numbers(claim.found));
        let differs = |(lane, (a, b)): (usize, (&Number, &Number))| {
            let expected = a.known().filter(|_| a != b && *b != Number::Unknown)?;
            agrees(lane, expected)?.then(|| (lane, expected, b.known()))
        };
        expected.iter().zip(found.iter()).enumerate().find_map(differs)
    }

    /// The first cell of memory that differs, if the interpreter has all cells that the NIR's terms give. What was not written is `old`.
    fn of_memory(
        &mut self,
        claim: &Claim,
        has: impl Fn(u64, u64) -> bool,
        old: impl Fn(u64) -> Number,
    ) -> Option<(String, String)> {
        let (Value::Memory(a), Value::Memory(b)) = (self.value(claim.expected), self.value(claim.found)) else {
            return None;
        };
        let (expected, found) = (merged(&a), merged(&b));
        let agrees = |(at, number): (&u64, &Number)| match number {
            Number::Known(number) => has(*at, *number),
            Number::Undefined => true,
            Number::Unknown => false,
        };
        if !expected.iter().all(agrees) {
            return None;
        }
        expected.keys().chain(found.keys()).find_map(|at| {
            let [a, b] = [&expected, &found].map(|cells| cells.get(at).copied().unwrap_or_else(|| old(*at)));
            let differs = a != b && a.known().is_some() && b != Number::Unknown;
            differs.then(|| (format!("{a:x?} at {at}"), format!("{b:x?}")))
        })
    }
}
