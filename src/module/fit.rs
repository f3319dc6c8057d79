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
//! Without `maintenance4`, a vector of an output has no more components than that of the input
//! (VUID-RuntimeSpirv-maintenance4-06817). A link makes the input wider, and its loads take the first components.
//!
//! Such pairs of stages are rare, so modules have no words for them, and translations no work. Only they walk over
//! the words, to find types and accesses, and insert words with new ids.

use super::{Module, ShaderStage, Varying};
use crate::location;
use spirv::{Decoration, Op, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

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
    /// The number of words that are removed there.
    removed: usize,
    words: Vec<u32>,
    /// Whether they belong to the ranges that end there.
    continues: bool,
}

/// An input variable: its id, its position, and its type.
#[derive(Clone, Copy)]
struct Input {
    id: u32,
    at: usize,
    pointer: u32,
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
    /// The types of pointers to outputs, and whether they are of a primitive, by location, component, and whether they are of a patch.
    outputs: BTreeMap<(u32, u32, bool), (u32, bool)>,
    /// The inputs, likewise.
    inputs: BTreeMap<(u32, u32, bool), Input>,
}

const OUTPUT: u32 = StorageClass::Output as u32;
const INPUT: u32 = StorageClass::Input as u32;

/// The types that inputs and outputs consist of.
const TYPES: [Op; 6] = [Op::TypeInt, Op::TypeFloat, Op::TypeVector, Op::TypeMatrix, Op::TypeArray, Op::TypePointer];

fn is_annotation(head: u32) -> bool {
    matches!(Op::from_u32(head & 0xffff), Some(Op::Decorate | Op::MemberDecorate | Op::DecorateId | Op::DecorateString))
}

impl Declared {
    fn new(words: &[u32]) -> Declared {
        let mut found = Declared::default();
        let mut places: BTreeMap<u32, (Option<u32>, u32, bool)> = BTreeMap::new();
        let mut of_primitives = BTreeSet::new();
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
                        Some(Decoration::PerPrimitiveNV) => drop(of_primitives.insert(operand(1))),
                        _ => {}
                    }
                }
                Some(Op::Variable) if inst.len() == 4 => {
                    let (pointer, id) = (operand(1), operand(2));
                    let (location, component, patch) = places.get(&id).copied().unwrap_or_default();
                    match (operand(3), location) {
                        (OUTPUT, Some(location)) => {
                            let output = (pointer, of_primitives.contains(&id));
                            found.outputs.insert((location, component, patch), output);
                        }
                        (INPUT, Some(location)) => {
                            found.inputs.insert((location, component, patch), Input { id, at, pointer });
                        }
                        _ => {}
                    }
                }
                Some(op) if TYPES.contains(&op) && inst.len() >= if op == Op::TypeFloat { 3 } else { 4 } => {
                    found.types.insert(operand(1), inst.to_vec());
                }
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

    /// The types of pointers of a storage class, with the types that they point to.
    fn pointers(&self, class: StorageClass) -> impl Iterator<Item = (u32, u32)> + '_ {
        let is_it = move |inst: &&Vec<u32>| inst[0] & 0xffff == Op::TypePointer as u32 && inst[2] == class as u32;
        self.types.values().filter(is_it).map(|inst| (inst[1], inst[3]))
    }

    /// The type of the numbers that `pointer` points to, their width, and the length of the array of vertices; `None` for matrices,
    /// as spirv-val takes a matrix to have all components of its locations.
    fn numbers(&self, pointer: u32, per_vertex: bool) -> Option<(u32, u32, Option<u32>)> {
        let mut ty = *self.of(pointer, Op::TypePointer)?.get(3)?;
        let mut length = None;
        if per_vertex {
            let array = self.of(ty, Op::TypeArray)?;
            (ty, length) = (array[2], Some(array[3]));
        }
        for op in [Op::TypeArray, Op::TypeArray, Op::TypeVector] {
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
            let is_arrayed = matches!(self.stage, ShaderStage::TessCtrl | ShaderStage::Mesh) && !like.patch;
            let Some((pointer, of_primitive)) = declared.outputs.get(&key).copied() else { continue };
            let Some((scalar, bits, length)) = declared.numbers(pointer, is_arrayed) else { continue };
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
                if of_primitive {
                    decorate(Decoration::PerPrimitiveNV, &[]);
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
        self.insert(&inserts.map(|(at, words)| Insert { at, removed: 0, words, continues: false }));
        if let Some(bound) = self.words.get_mut(3) {
            *bound = next;
        }
    }

    /// Gives the vectors of input `index` this number of words; loads take the first ones.
    pub(super) fn widen(&mut self, index: u32, words: u8) {
        let Some(input) = self.interface.get_mut(index as usize) else { return };
        let key = (input.location, input.component.into(), input.patch);
        let was = std::mem::replace(&mut input.components, words);
        let declared = Declared::new(&self.words);
        let Some(variable) = declared.inputs.get(&key).copied() else { return };
        let mut widening = Widening::new(&declared, self.words[3], variable);
        if widening.wide_pointer(variable.pointer, u32::from(words), u32::from(was)).is_none() {
            return;
        }
        let edits = widening.edit(&mut self.words, declared.globals);
        self.words[3] = widening.next;
        self.insert(&edits);
    }

    /// Inserts words, in the order of their positions, and moves the tables.
    ///
    /// Nothing is inserted into a damaged module, whose declarations are anywhere.
    fn insert(&mut self, inserts: &[Insert]) {
        let end_of =
            |from: usize, it: &Insert| Some(it.at + it.removed).filter(|end| it.at >= from && *end <= self.words.len());
        if inserts.iter().try_fold(0, end_of).is_none() {
            return;
        }
        let mut words = Vec::with_capacity(self.words.len() + inserts.iter().map(|it| it.words.len()).sum::<usize>());
        let mut from = 0;
        for Insert { at, removed, words: new, .. } in inserts {
            words.extend_from_slice(&self.words[from..*at]);
            words.extend_from_slice(new);
            from = *at + removed;
        }
        words.extend_from_slice(&self.words[from..]);
        self.words = words;
        let moved = |position: u32, is_before: &dyn Fn(&Insert, usize) -> bool| {
            let all = inserts.iter().filter(|it| is_before(it, position as usize));
            all.fold(position, |position, it| position + it.words.len() as u32 - it.removed as u32)
        };
        let start = |position: u32| moved(position, &|it, position| it.at <= position);
        for patch in &mut self.patches {
            patch.at = start(patch.at);
        }
        for range in &mut self.ranges {
            range.start = start(range.start);
            range.end = moved(range.end, &|it, end| it.at < end || it.at == end && it.continues);
            range.head = if range.head == 0 { 0 } else { start(range.head) };
        }
    }
}

/// Makes the vectors of an input wider.
struct Widening<'a> {
    declared: &'a Declared,
    variable: Input,
    /// The next free id.
    next: u32,
    /// The words of new types.
    types: Vec<u32>,
    /// The new pointer types, with whether they point to the vector, by the old ones.
    pointers: BTreeMap<u32, (u32, bool)>,
    /// The new types, by the old ones.
    wide: BTreeMap<u32, u32>,
    /// The old type of the vectors, its length, and the new type.
    vector: (u32, u32, u32),
}

impl<'a> Widening<'a> {
    fn new(declared: &'a Declared, next: u32, variable: Input) -> Widening<'a> {
        let (pointers, wide) = (BTreeMap::new(), BTreeMap::new());
        Widening { declared, variable, next, types: Vec::new(), pointers, wide, vector: (0, 0, 0) }
    }

    fn id(&mut self) -> u32 {
        self.next = self.next.saturating_add(1);
        self.next - 1
    }

    /// Makes the types of the variable wider; `None` if they have no vector that can be.
    fn wide_pointer(&mut self, pointer: u32, words: u32, was: u32) -> Option<()> {
        let mut chain = vec![*self.declared.of(pointer, Op::TypePointer)?.get(3)?];
        while let Some(array) = self.declared.of(*chain.last()?, Op::TypeArray).filter(|_| chain.len() < 8) {
            chain.push(array[2]);
        }
        let old = chain.pop()?;
        let (scalar, length) = match self.declared.of(old, Op::TypeVector) {
            Some(vector) => (vector[2], vector[3]),
            None => (old, 1),
        };
        let scalar_words = was.checked_div(length).filter(|words| *words != 0)?;
        self.declared.of(scalar, Op::TypeFloat).or_else(|| self.declared.of(scalar, Op::TypeInt))?;
        let wide = self.vector(scalar, words / scalar_words)?;
        (self.vector, _) = ((old, length, wide), self.wide.insert(old, wide));
        for array in chain.into_iter().rev() {
            let inst = self.declared.of(array, Op::TypeArray)?;
            let (elem, length, new) = (self.wide[&inst[2]], inst[3], self.id());
            self.types.extend([4 << 16 | Op::TypeArray as u32, new, elem, length]);
            self.wide.insert(array, new);
        }
        let old: Vec<(u32, u32)> = self.declared.pointers(StorageClass::Input).collect();
        for (pointer, pointee) in old {
            let Some(wide) = self.wide.get(&pointee).copied() else { continue };
            let new = self.id();
            self.types.extend([4 << 16 | Op::TypePointer as u32, new, StorageClass::Input as u32, wide]);
            self.pointers.insert(pointer, (new, pointee == self.vector.0));
        }
        Some(())
    }

    /// The type of vectors of this length.
    fn vector(&mut self, scalar: u32, length: u32) -> Option<u32> {
        let is_it = |inst: &&Vec<u32>| inst[0] & 0xffff == Op::TypeVector as u32 && inst[2..] == [scalar, length];
        if let Some(known) = self.declared.types.values().find(is_it) {
            return Some(known[1]);
        }
        let new = self.id();
        self.types.extend([4 << 16 | Op::TypeVector as u32, new, scalar, length]);
        (2..=4).contains(&length).then_some(new)
    }

    /// Changes the accesses, and returns what is to be inserted. The variable moves to the end of the globals, after its types.
    fn edit(&mut self, words: &mut [u32], globals: usize) -> Vec<Insert> {
        let Input { id, at, pointer } = self.variable;
        let mut variable = std::mem::take(&mut self.types);
        variable.extend([4 << 16 | Op::Variable as u32, self.pointers[&pointer].0, id, StorageClass::Input as u32]);
        let mut inserts = vec![
            Insert { at, removed: 4, words: Vec::new(), continues: false },
            Insert { at: globals, removed: 0, words: variable, continues: false },
        ];
        // Pointers into the variable, with whether they point to a vector.
        let mut inside: BTreeMap<u32, bool> = BTreeMap::from([(id, self.pointers[&pointer].1)]);
        let mut at = globals;
        while let Some(head) = words.get(at).copied() {
            let end = at + (head >> 16).max(1) as usize;
            let Some(inst) = words.get_mut(at..end) else { break };
            let base = |n: usize| inst.get(n).and_then(|base| inside.get(base)).copied();
            let (is_pointer, is_value) = match Op::from_u32(head & 0xffff) {
                Some(Op::AccessChain | Op::InBoundsAccessChain) => (base(3).is_some(), false),
                Some(Op::Load) => (false, base(3) == Some(true)),
                // Interpolation at another place.
                Some(Op::ExtInst) => (false, base(5) == Some(true)),
                _ => (false, false),
            };
            let wide = inst.get(1).and_then(|old| self.pointers.get(old)).filter(|_| is_pointer);
            if let Some((new, to_vector)) = wide {
                inst[1] = *new;
                inside.insert(inst[2], *to_vector);
            }
            if is_value {
                let (result, whole) = (inst[2], self.id());
                (inst[1], inst[2]) = (self.vector.2, whole);
                inserts.push(Insert { at: end, removed: 0, words: self.narrowed(result, whole), continues: true });
            }
            at = end;
        }
        inserts
    }

    /// Takes the first components of `whole`.
    fn narrowed(&self, result: u32, whole: u32) -> Vec<u32> {
        let (old, length, _) = self.vector;
        if length == 1 {
            return vec![5 << 16 | Op::CompositeExtract as u32, old, result, whole, 0];
        }
        let mut words = vec![(5 + length) << 16 | Op::VectorShuffle as u32, old, result, whole, whole];
        words.extend(0..length);
        words
    }
}
