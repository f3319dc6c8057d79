// SPDX-License-Identifier: MIT

//! Fits the types of two stages to each other, after a link.
//!
//! Vulkan requires that an output declares every component of an input (VUID-RuntimeSpirv-OpEntryPoint-08743), also those that the
//! shader never writes, and that GL leaves undefined. A link declares them as further outputs, a scalar for each.
//!
//! ```text
//! vertex:   out vec2 at xy                      ->   out vec2 at xy, out float at z, out float at w
//! fragment: in vec4
//! ```
//!
//! Such pairs of stages are rare, so modules have no words for them, and translations no work. The words up to the function are
//! walked once to find the types, and new words are inserted with new ids.

use super::{Module, Stage, Varying};
use crate::location;
use spirv::{Decoration, Op, StorageClass};
use std::collections::BTreeMap;

/// Components of a location that the next stage reads, and this one does not declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undeclared {
    /// The output that has other components of the same input, and the type of these.
    pub like: u32,
    /// The location.
    pub location: u32,
    /// The components, a bit each.
    pub components: u8,
}

/// Words to insert.
struct Insert {
    at: usize,
    words: Vec<u32>,
}

/// What the words before the function declare.
#[derive(Default)]
struct Declared {
    /// The start and the end of OpEntryPoint.
    entry: (usize, usize),
    /// The ends of the decorations and of the global variables.
    annotations: usize,
    globals: usize,
    /// The words of types, by id.
    types: BTreeMap<u32, Vec<u32>>,
    /// The types of pointers to outputs, by location, component, and whether they are of a patch.
    outputs: BTreeMap<(u32, u32, bool), u32>,
}

const TYPES: [Op; 6] = [Op::TypeInt, Op::TypeFloat, Op::TypeVector, Op::TypeMatrix, Op::TypeArray, Op::TypePointer];

fn is_annotation(head: u32) -> bool {
    matches!(Op::from_u32(head & 0xffff), Some(Op::Decorate | Op::MemberDecorate | Op::DecorateId | Op::DecorateString))
}

impl Declared {
    fn new(words: &[u32]) -> Declared {
        let mut found = Declared::default();
        let mut places: BTreeMap<u32, (Option<u32>, u32, bool)> = BTreeMap::new();
        let mut at = 5;
        while let Some(head) = words.get(at) {
            let end = at + (*head >> 16).max(1) as usize;
            let Some(inst) = words.get(at..end) else { break };
            let operand = |n: usize| inst.get(n).copied().unwrap_or(0);
            match Op::from_u32(head & 0xffff) {
                Some(Op::EntryPoint) => found.entry = (at, end),
                Some(Op::Function) => break,
                Some(Op::Decorate) => {
                    let place = places.entry(operand(1)).or_default();
                    match Decoration::from_u32(operand(2)) {
                        Some(Decoration::Location) => place.0 = Some(operand(3)),
                        Some(Decoration::Component) => place.1 = operand(3),
                        Some(Decoration::Patch) => place.2 = true,
                        _ => {}
                    }
                }
                Some(Op::Variable) if operand(3) == StorageClass::Output as u32 => {
                    if let Some((Some(location), component, patch)) = places.get(&operand(2)) {
                        found.outputs.insert((*location, *component, *patch), operand(1));
                    }
                }
                Some(op) if TYPES.contains(&op) => drop(found.types.insert(operand(1), inst.to_vec())),
                _ => {}
            }
            found.annotations = if is_annotation(*head) { end } else { found.annotations };
            found.globals = end;
            at = end;
        }
        found
    }

    /// The words of the type `id` if it is this one.
    fn of(&self, id: u32, op: Op) -> Option<&[u32]> {
        self.types.get(&id).map(Vec::as_slice).filter(|inst| inst[0] & 0xffff == op as u32)
    }

    /// The type of the numbers that `pointer` points to, their width, and the length of the array of vertices.
    fn numbers(&self, pointer: u32, per_vertex: bool) -> Option<(u32, u32, Option<u32>)> {
        let mut ty = *self.of(pointer, Op::TypePointer)?.get(3)?;
        let mut length = None;
        if per_vertex {
            let array = self.of(ty, Op::TypeArray)?;
            (ty, length) = (array[2], Some(array[3]));
        }
        for op in [Op::TypeArray, Op::TypeArray, Op::TypeMatrix, Op::TypeVector] {
            ty = self.of(ty, op).map_or(ty, |inst| inst[2]);
        }
        let scalar = self.of(ty, Op::TypeFloat).or_else(|| self.of(ty, Op::TypeInt))?;
        Some((ty, *scalar.get(2)?, length))
    }
}

impl Module {
    /// Declares components that the next stage reads as further outputs, which are never written.
    pub(super) fn declare(&mut self, undeclared: &[Undeclared]) {
        if undeclared.is_empty() {
            return;
        }
        let declared = Declared::new(&self.words);
        let [mut interface, mut annotations, mut globals] = [Vec::new(), Vec::new(), Vec::new()];
        let mut next = self.words.get(3).copied().unwrap_or(0);
        let mut id = || {
            next = next.saturating_add(1);
            next - 1
        };
        for Undeclared { like, location: place, components } in undeclared {
            let Some(like) = self.interface.get(*like as usize).copied() else { continue };
            let key = (like.location, like.component.into(), like.patch);
            let per_vertex = self.stage == Stage::TessCtrl && !like.patch;
            let numbers = declared.outputs.get(&key).and_then(|pointer| declared.numbers(*pointer, per_vertex));
            let Some((scalar, bits, length)) = numbers else { continue };
            let words = location::words(bits.min(64) as u8, 1);
            for component in (0..4).step_by(words as usize).filter(|component| components >> component & 1 != 0) {
                let mut ty = scalar;
                if let Some(length) = length {
                    ty = id();
                    globals.extend([4 << 16 | Op::TypeArray as u32, ty, scalar, length]);
                }
                let [pointer, variable, class] = [id(), id(), StorageClass::Output as u32];
                globals.extend([4 << 16 | Op::TypePointer as u32, pointer, class, ty]);
                globals.extend([4 << 16 | Op::Variable as u32, pointer, variable, class]);
                let mut decorate = |decoration: Decoration, number: &[u32]| {
                    annotations.extend([
                        (3 + number.len() as u32) << 16 | Op::Decorate as u32,
                        variable,
                        decoration as u32,
                    ]);
                    annotations.extend(number);
                };
                decorate(Decoration::Location, &[*place]);
                if component != 0 {
                    decorate(Decoration::Component, &[component]);
                }
                if like.patch {
                    decorate(Decoration::Patch, &[]);
                }
                interface.push(variable);
                self.interface.push(Varying {
                    is_output: true,
                    patch: like.patch,
                    location: *place,
                    locations: 1,
                    component: component as u8,
                    components: words as u8,
                    ..Varying::default()
                });
            }
        }
        let added = interface.len() as u32;
        if let Some(head) = self.words.get_mut(declared.entry.0) {
            *head = head.wrapping_add(added << 16);
        }
        let inserts = [(declared.entry.1, interface), (declared.annotations, annotations), (declared.globals, globals)];
        self.insert(&inserts.map(|(at, words)| Insert { at, words }));
        if let Some(bound) = self.words.get_mut(3) {
            *bound = next;
        }
    }

    /// Inserts words, in the order of their positions, and moves the tables.
    fn insert(&mut self, inserts: &[Insert]) {
        let mut words = Vec::with_capacity(self.words.len() + inserts.iter().map(|it| it.words.len()).sum::<usize>());
        let mut from = 0;
        for Insert { at, words: new } in inserts {
            words.extend_from_slice(&self.words[from..*at]);
            words.extend_from_slice(new);
            from = *at;
        }
        words.extend_from_slice(&self.words[from..]);
        self.words = words;
        let before = |position: u32, is_before: fn(usize, usize) -> bool| {
            let all = inserts.iter().filter(|it| is_before(it.at, position as usize));
            position + all.map(|it| it.words.len() as u32).sum::<u32>()
        };
        let moved = |position: u32| before(position, |at, position| at <= position);
        for patch in &mut self.patches {
            patch.at = moved(patch.at);
        }
        for range in &mut self.ranges {
            range.start = moved(range.start);
            range.end = before(range.end, |at, end| at < end);
            range.head = if range.head == 0 { 0 } else { moved(range.head) };
        }
    }
}
