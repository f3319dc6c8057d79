// SPDX-License-Identifier: MIT

//! Compares the results of two shaders on the same inputs: all that can be observed of a run, and the difference of two runs.
//!
//! Bits that are undefined in the first run may be anything in the second. Bits that are defined must be the same.
//!
//! A branch on undefined bits is compared if only [open](ntv::op::open) results of 32 bits are undefined: passes keep the
//! operation, the interpreter chooses the same number for it in both runs, so they take the same branch.

use crate::Stimulus;
use ntv::ir::{Inst, InstKind, Stage};
use ntv::Shader;
use ntv_interp::{
    run, Bits, Buffer, Captured, Descriptor, Fault, FaultKind, Image, Limits, Outcome, Outputs, Resources,
};
use std::collections::BTreeMap;

/// The results of a run.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Outputs and faults.
    pub outcome: Outcome,
    /// Storage blocks.
    pub storage: Vec<Buffer>,
    /// Buffers of the global memory.
    pub global: Vec<(u64, Buffer)>,
    /// Storage images.
    pub images: BTreeMap<Descriptor, Image>,
    /// The words that transform feedback captures.
    captures: Vec<Captured>,
    is_geometry: bool,
    /// Whether a lowered shader takes the same branches on undefined bits.
    has_same_branches: bool,
}

impl Observation {
    /// Runs `shader` on `stimulus`.
    pub fn new(shader: &Shader, stimulus: &Stimulus, limits: Limits) -> Observation {
        let mut resources = stimulus.resources();
        let outcome = run(shader, &mut resources, &stimulus.inputs, limits);
        let Resources { storage, global, images, .. } = resources;
        let has_undefined = shader.order.iter().any(|inst| matches!(shader.insts[*inst].kind, InstKind::Undef));
        let has_same_branches = !has_undefined && outcome.open.iter().all(|inst| is_kept(shader, *inst));
        Observation {
            outcome,
            storage,
            global,
            images,
            captures: Captured::of(shader),
            is_geometry: shader.stage() == Stage::Geometry,
            has_same_branches,
        }
    }

    /// The fault that makes all results of this run undefined, if there is one. A race is not such a fault: the interpreter runs
    /// invocations in a fixed order.
    pub fn undefined_behaviour(&self) -> Option<&Fault> {
        let is_harmless = |fault: &&Fault| match fault.kind {
            FaultKind::Race => true,
            FaultKind::UndefinedCondition => self.has_same_branches,
            _ => !fault.is_undefined_behaviour(),
        };
        self.outcome.faults.iter().find(|fault| !is_harmless(fault))
    }

    fn has(&self, kind: FaultKind) -> bool {
        self.outcome.faults.iter().any(|fault| fault.kind == kind)
    }

    /// Whether the results of this run depend on the order of invocations.
    pub fn has_race(&self) -> bool {
        self.has(FaultKind::Race)
    }
}

/// Whether every target has the operation `inst`: its operands and its result have 32 bits.
fn is_kept(shader: &Shader, inst: Inst) -> bool {
    let mut widths = vec![shader.insts[inst].bit_size];
    shader.for_each_src(inst, |def| widths.push(shader.bit_size(def)));
    widths.iter().all(|bits| *bits == 32)
}

/// The first difference of `second` from `first`; `None` if there is none.
pub fn difference(first: &Observation, second: &Observation) -> Option<String> {
    // A lowered access to one of several blocks branches on their number.
    let may_branch = first.has(FaultKind::UncertainAddress) || first.has(FaultKind::UndefinedCondition);
    // Lowering may write a byte by an atomic on its word, so that accesses to other bytes of the word only look like a race.
    let is_new = |fault: &&Fault| match fault.kind {
        FaultKind::Race => false,
        FaultKind::UndefinedCondition => !may_branch,
        _ => fault.is_undefined_behaviour(),
    };
    if let Some(fault) = second.outcome.faults.iter().find(is_new) {
        return Some(format!("a new fault: {fault}"));
    }
    let (a, b) = (&first.outcome, &second.outcome);
    // The bits that depend on an open result are tracked roughly, and more roughly after a lowering. Their values are the same.
    let is_rough = may_branch || !a.open.is_empty();
    let differs: Differs = if is_rough { has_other_value } else { has_other_value_or_none };
    if a.discarded != b.discarded {
        return Some(format!("discarded invocations: {:?}, then {:?}", a.discarded, b.discarded));
    }
    for (number, discarded) in a.discarded.iter().enumerate() {
        let found = if *discarded { None } else { outputs_difference(&a.outputs[number], &b.outputs[number], differs) };
        let found = found.or_else(|| vertices_difference(&a.vertices[number], &b.vertices[number], differs));
        if let Some(found) = found {
            return Some(format!("invocation {number}: {found}"));
        }
    }
    if let Some(found) = meshes_difference(a, b, differs) {
        return Some(found);
    }
    if let Some(found) = captures_difference(first, second, differs) {
        return Some(found);
    }
    let (before, after) = (memories(first), memories(second));
    let mut pairs = before.into_iter().zip(after);
    pairs.find_map(|((name, a), (_, b))| Some(format!("{name}: {}", bytes_difference(a, b, differs)?)))
}

/// All memory outside of the shader that it may have written, with names.
fn memories(seen: &Observation) -> Vec<(String, &Buffer)> {
    let storage = seen.storage.iter().enumerate().map(|(number, block)| (format!("storage block {number}"), block));
    let global = seen.global.iter().map(|(start, buffer)| (format!("memory at {start:#x}"), buffer));
    let images = seen
        .images
        .iter()
        .flat_map(|(name, image)| image.levels.iter().map(move |level| (format!("image of {name}"), level)));
    storage.chain(global).chain(images).collect()
}

fn outputs_difference(first: &Outputs, second: &Outputs, differs: Differs) -> Option<String> {
    first.iter().find_map(|(slot, words)| {
        let others = second.get(slot).copied().unwrap_or([Bits::undef(32); 4]);
        let c = (0..4).find(|c| differs(words[*c], others[*c]))?;
        Some(format!("output {slot:?} component {c}: {}, then {}", shown(words[c]), shown(others[c])))
    })
}

/// A difference of the results of task and mesh shaders.
fn meshes_difference(first: &Outcome, second: &Outcome, differs: Differs) -> Option<String> {
    let launches = first.launches.iter().zip(&second.launches).enumerate();
    let launched = launches.filter_map(|(number, (a, b))| match (a, b) {
        (Some(a), Some(b)) if a.workgroups == b.workgroups => {
            Some(format!("the payload of workgroup {number}: {}", bytes_difference(&a.payload, &b.payload, differs)?))
        }
        (None, None) => None,
        _ => Some(format!("workgroup {number} starts {a:?}, then {b:?}")),
    });
    let meshlets = first.meshlets.iter().zip(&second.meshlets).enumerate();
    let made = meshlets.filter_map(|(number, (a, b))| {
        let sizes = [a, b].map(|meshlet| [meshlet.vertices, meshlet.primitives]);
        match sizes[0] == sizes[1] {
            true => Some(format!("workgroup {number}: {}", outputs_difference(&a.outputs, &b.outputs, differs)?)),
            false => {
                Some(format!("workgroup {number} has {:?} vertices and primitives, then {:?}", sizes[0], sizes[1]))
            }
        }
    });
    launched.chain(made).next()
}

type Vertices = [(u32, Option<Outputs>)];

fn vertices_difference(first: &Vertices, second: &Vertices, differs: Differs) -> Option<String> {
    if first.len() != second.len() {
        return Some(format!("{} vertices and ends of primitives, then {}", first.len(), second.len()));
    }
    first.iter().zip(second).enumerate().find_map(|(number, (a, b))| {
        let found = match (&a.1, &b.1) {
            _ if a.0 != b.0 => Some(format!("stream {}, then {}", a.0, b.0)),
            (Some(a), Some(b)) => outputs_difference(a, b, differs),
            (None, None) => None,
            _ => Some("a vertex, or the end of a primitive".to_string()),
        };
        found.map(|found| format!("vertex {number}: {found}"))
    })
}

/// A difference of the words that transform feedback captures, of the vertices of each invocation.
fn captures_difference(first: &Observation, second: &Observation, differs: Differs) -> Option<String> {
    let strides = |seen: &Observation| -> BTreeMap<usize, (usize, u32)> {
        seen.captures.iter().map(|word| (word.buffer, (word.stride, word.stream))).collect()
    };
    let (before, after) = (strides(first), strides(second));
    // A buffer to which nothing is written may be missing.
    if let Some((buffer, other)) = after.iter().find(|(buffer, other)| before.get(*buffer) != Some(*other)) {
        return Some(format!("stride and stream of buffer {buffer}: {:?}, then {other:?}", before.get(buffer)));
    }
    captured_vertices(first).into_iter().zip(captured_vertices(second)).enumerate().find_map(|(number, (a, b))| {
        a.into_iter().find_map(|((buffer, offset), word)| {
            let other = b.get(&(buffer, offset)).copied().unwrap_or(Bits::undef(32));
            let message =
                format!("vertex {number}, buffer {buffer}, byte {offset}: {}, then {}", shown(word), shown(other));
            differs(word, other).then_some(message)
        })
    })
}

/// The captured words of each vertex, by buffer and offset.
fn captured_vertices(seen: &Observation) -> Vec<BTreeMap<(usize, usize), Bits>> {
    let Outcome { outputs, vertices, .. } = &seen.outcome;
    let words = |stream, vertex: &Outputs| Captured::words(&seen.captures, vertex, stream);
    if seen.is_geometry {
        let emitted = vertices.iter().flatten();
        return emitted.filter_map(|(stream, vertex)| Some(words(*stream, vertex.as_ref()?))).collect();
    }
    outputs.iter().map(|vertex| words(0, vertex)).collect()
}

pub(crate) fn bytes_difference(first: &Buffer, second: &Buffer, differs: Differs) -> Option<String> {
    // Most are equal. Looking at each byte took a third of the tests that compare runs.
    if first == second {
        return None;
    }
    let at = |buffer: &Buffer, i: usize| {
        let byte = |bytes: &[u8]| u64::from(bytes.get(i).copied().unwrap_or(0));
        Bits { value: byte(&buffer.bytes), undef: byte(&buffer.undef) }
    };
    let i = (0..first.bytes.len()).find(|i| differs(at(first, *i), at(second, *i)))?;
    Some(format!("byte {i}: {}, then {}", shown(at(first, i)), shown(at(second, i))))
}

pub(crate) type Differs = fn(Bits, Bits) -> bool;

/// Whether a bit that is defined in `a` is another in `b`.
pub(crate) fn has_other_value(a: Bits, b: Bits) -> bool {
    (a.value ^ b.value) & !a.undef != 0
}

/// Whether a bit that is defined in `a` is another, or undefined, in `b`.
fn has_other_value_or_none(a: Bits, b: Bits) -> bool {
    has_other_value(a, b) || b.undef & !a.undef != 0
}

fn shown(bits: Bits) -> String {
    match bits.undef {
        0 => format!("{:#x}", bits.value),
        undef => format!("{:#x} (undefined: {undef:#x})", bits.value),
    }
}
