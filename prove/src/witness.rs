// SPDX-License-Identifier: MIT

//! Inputs for which a module differs from its shader.
//!
//! Chosen inputs make every term a number, so the code of both sides is interpreted as it runs. What the NIR gives is compared with
//! the interpreter of ntv, too, which shares no code with the terms but the folds of the opcodes: a witness is *confirmed* if both
//! agree on what the NIR means.

use crate::compare::{code, refines, sides, Other};
use crate::confirm::Seen;
use crate::flow::{self, Step, Trace};
use crate::nir::Nir;
use crate::term::{Arena, Assignment, Op, Term};
use crate::world::Space;
use ntv::interp::{Limits, Slot};
use ntv::ir::{Shader, Stage};
use ntv::op::meaning::Form;
use ntv::op::names::varying;
use ntv::op::{slots, Intrinsic, Modes};
use ntv::target::Descriptor;
use ntv::Target;
use ntv_gen::{Observation, Random, Stimulus};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

pub use crate::confirm::Changed;

/// Inputs for which the two sides differ.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The number from which the inputs were made.
    pub seed: u64,
    /// The inputs.
    pub stimulus: Stimulus,
    /// What differs.
    pub what: String,
    /// The NIR's number, in hexadecimal.
    pub expected: String,
    /// The module's.
    pub found: String,
    /// Whether the interpreter has the NIR's number, too.
    pub confirmed: bool,
    /// What the module made of the storage block that differs, if it is one and its words are known.
    pub changed: Option<Changed>,
}

/// The result of a run with chosen inputs.
pub(crate) enum Trial {
    /// Both sides give the same.
    Same,
    /// What the NIR gives is undefined.
    Undefined,
    /// The sides differ.
    Differs(Box<Witness>),
    /// A side did not run.
    Failed,
}

const LIMITS: Limits = Limits { instructions: 200_000, components: 1 << 22 };

/// Runs both sides with the inputs that follow from `seed`.
pub(crate) fn try_seed(shader: &Shader, target: &Target, other: Other<'_>, seed: u64) -> Trial {
    let mut stimulus = Stimulus::new(shader, seed);
    if seed % 2 == 1 {
        sharpen(&mut stimulus, seed);
    }
    try_inputs(shader, target, other, (seed, stimulus))
}

/// Words that tell operations apart: limits, zeros, infinity, a number that is none.
const SHARP: [u32; 10] = [
    0,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff,
    0x7fc0_0000,
    0x7f80_0000,
    0xbfc0_0000,
    // Floats beyond the integers with a sign.
    0x4f40_0000,
    0x4f60_0000,
    0x4f70_0000,
];

/// Replaces every other number of the inputs.
fn sharpen(stimulus: &mut Stimulus, seed: u64) {
    let mut random = Random::new(seed);
    let mut other = || (random.below(2) == 0).then(|| random.pick(&SHARP));
    let blocks = stimulus.uniform.iter_mut().chain(&mut stimulus.storage).chain([&mut stimulus.push_constants]);
    for bytes in blocks.flat_map(|buffer| buffer.bytes.chunks_exact_mut(4)) {
        if let Some(word) = other() {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
    for word in stimulus.inputs.invocations.iter_mut().flat_map(|it| it.slots.values_mut()).flatten() {
        *word = other().unwrap_or(*word);
    }
}

/// What the loops of both sides carry in runs with chosen inputs: the NIR's, and the module's. Those that fail tell nothing.
pub(crate) fn traces(shader: &Shader, target: &Target, other: Other<'_>) -> [Trace; 2] {
    const SEED: u64 = 1;
    let stimulus = Rc::new(Stimulus::new(shader, SEED));
    let mut arena = Arena::with_values(Given::new(shader, target, stimulus, true));
    let mut traces = || -> Step<[Trace; 2]> {
        let (mut nir, mut found) = code(shader, target, other)?;
        Ok([flow::trace(&mut nir, &mut arena), flow::trace(found.code(), &mut arena)])
    };
    traces().unwrap_or_default()
}

fn try_inputs(shader: &Shader, target: &Target, other: Other<'_>, (seed, stimulus): (u64, Stimulus)) -> Trial {
    let observed = Observation::new(&alone(shader), &stimulus, LIMITS);
    if observed.undefined_behaviour().is_some() {
        return Trial::Undefined;
    }
    let given = Given::new(shader, target, Rc::new(stimulus.clone()), seed % 4 < 2);
    let mut arena = Arena::with_values(given);
    let question = match sides(&mut arena, shader, target, other) {
        Ok(question) => question,
        Err(_) => return Trial::Failed,
    };
    if question.undefined.iter().any(|condition| arena.as_const(*condition) != Some(0)) {
        return Trial::Undefined;
    }
    for claim in question.claims {
        if refines(&mut arena, claim.expected, claim.found) {
            continue;
        }
        // The result of an operation that is not a number is open.
        if is_open(&arena, claim.expected) {
            return Trial::Undefined;
        }
        let (locations, cells) = (slots_of_outputs(shader), Nir::new(shader, target).output_cells);
        let seen = Seen { observed: &observed, stimulus: &stimulus, locations: &locations, cells: &cells };
        let (confirmed, changed) = (seen.confirms(&arena, &claim), seen.changed(&arena, &claim));
        return Trial::Differs(Box::new(Witness {
            seed,
            stimulus,
            what: claim.what.clone(),
            expected: arena.shown(claim.expected, 3),
            found: arena.shown(claim.found, 3),
            confirmed,
            changed,
        }));
    }
    Trial::Same
}

/// Whether a part of a term is an operation whose result is open for its operands.
fn is_open(arena: &Arena, term: Term) -> bool {
    let (mut todo, mut seen) = (vec![term], FxHashSet::default());
    while let Some(term) = todo.pop() {
        let node = arena.node(term);
        if matches!(node.op, Op::Alu(_)) {
            return true;
        }
        todo.extend(node.args.iter().filter(|arg| seen.insert(**arg)));
    }
    false
}

/// The shader with one invocation in a workgroup: that is what the terms are of.
fn alone(shader: &Shader) -> Shader {
    let mut shader = shader.clone();
    if shader.stage().has_grid() {
        shader.info.workgroup_size = [1; 3];
    }
    shader
}

/// Chosen inputs, as values of symbols.
struct Given {
    stimulus: Rc<Stimulus>,
    /// The slot of each input with a Location: by whether it is of a patch, and the Location.
    locations: FxHashMap<(bool, u64), u32>,
    builtins: FxHashMap<String, Source>,
    /// The number of the first block at a set and binding, of uniform and of storage blocks.
    blocks: FxHashMap<(u32, u32), u32>,
    /// The name by which each cell of an input was read first: the NIR's.
    names: FxHashMap<(bool, u64), String>,
}

/// Where a built-in input comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Slot(u32),
    System(Intrinsic),
    Constant([u64; 3]),
}

/// Built-ins of an invocation of a grid: of the first one, which the interpreter runs alone, or of one further on.
fn of_grid(size: [u32; 3], is_first: bool) -> [(&'static str, [u64; 3]); 10] {
    let size = size.map(|size| u64::from(size.max(1)));
    let (group, local) = match is_first {
        true => ([0; 3], [0; 3]),
        false => ([3, 1, 2], size.map(|size| size - 1)),
    };
    let index = local[0] + size[0] * (local[1] + size[1] * local[2]);
    let global = [0, 1, 2].map(|axis| group[axis] * size[axis] + local[axis]);
    [
        ("WorkgroupId", group),
        ("NumWorkgroups", group.map(|group| if is_first { 1 } else { group + 2 })),
        ("LocalInvocationId", local),
        ("LocalInvocationIndex", [index; 3]),
        ("GlobalInvocationId", global),
        ("SubgroupSize", [4; 3]),
        ("SubgroupId", [index / 4; 3]),
        ("SubgroupLocalInvocationId", [index % 4; 3]),
        ("InvocationId", [0; 3]),
        ("HelperInvocation", [0; 3]),
    ]
}

impl Given {
    fn new(shader: &Shader, target: &Target, stimulus: Rc<Stimulus>, is_first: bool) -> Given {
        let mut given = Given {
            stimulus,
            locations: FxHashMap::default(),
            builtins: FxHashMap::default(),
            blocks: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        let kind = shader.stage().slot_kind(false);
        let is_fragment = shader.stage() == Stage::Fragment;
        for slot in (0..varying::END).rev() {
            if let Some(builtin) = slots::builtin(kind, slot, is_fragment) {
                given.builtins.insert(format!("{builtin:?}"), Source::Slot(slot));
            } else {
                let patch = shader.stage() == Stage::TessEval && slots::is_patch(slot);
                given.locations.insert((patch, slots::location(kind, slot, slot).into()), slot);
            }
        }
        for op in Intrinsic::ALL.iter().rev() {
            if let Form::BuiltIn(builtin, _) = op.info().form {
                given.builtins.insert(format!("{builtin:?}"), Source::System(*op));
            }
        }
        for (name, value) in of_grid(shader.info.workgroup_size, is_first) {
            given.builtins.insert(name.to_owned(), Source::Constant(value));
        }
        for variable in shader.vars.values().filter(|it| it.mode == Modes::SHADER_IN) {
            let slots = shader.types.slots(shader.types.without_arrays(variable.ty)).max(1);
            let (Some(first), false) = (variable.location, variable.driver_location == u32::MAX) else { continue };
            for i in 0..slots.max(shader.types.slots(variable.ty)) {
                let location = u64::from(variable.driver_location.saturating_add(i));
                let patch = variable.flags.contains(ntv::ir::VarFlags::PATCH);
                given.locations.insert((patch, location), first + i);
            }
        }
        given.add_attributes(shader);
        given.add_blocks(shader, target);
        given
    }

    /// The Locations of attributes that are read by slot: the driver's numbers.
    fn add_attributes(&mut self, shader: &Shader) {
        use ntv::op::names::IoSemantics;
        use ntv::op::Index;
        if shader.stage() != Stage::Vertex {
            return;
        }
        for inst in &shader.order {
            let Some((Intrinsic::load_input, _)) = shader.as_intrinsic(*inst) else { continue };
            let io = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
            let base = shader.index(*inst, Index::base);
            for i in 0..io.num_slots.max(1) {
                self.locations.insert((false, u64::from(base + i)), io.location + i);
            }
        }
    }

    fn add_blocks(&mut self, shader: &Shader, target: &Target) {
        let [default, uniform, storage] =
            [Descriptor::DefaultUniforms, Descriptor::UniformBuffer, Descriptor::StorageBuffer]
                .map(|kind| target.descriptor_set(kind));
        for number in 0..64 {
            for set in [default, uniform, storage] {
                self.blocks.insert((set, number), number);
            }
        }
        for variable in shader.vars.values().filter(|it| it.mode.intersects(Modes::UBO | Modes::SSBO)) {
            let set = match variable.mode == Modes::SSBO {
                true => storage,
                false if variable.driver_location == 0 && shader.info.first_ubo_is_default_ubo => default,
                false => uniform,
            };
            let set = variable.descriptor_set.unwrap_or(set);
            if shader.types.as_struct(shader.types.without_arrays(variable.ty)).is_some() {
                self.blocks.insert((set, variable.binding), variable.driver_location);
            }
        }
    }

    /// A word of a slot of the inputs.
    fn word(&self, slot: u32, vertex: u64, c: usize) -> u64 {
        let invocation = self.stimulus.inputs.invocations.first();
        let slot = Slot { slot, vertex: vertex as u32, index: 0 };
        invocation.and_then(|it| it.slots.get(&slot)).map_or(0, |words| words[c].into())
    }

    fn system(&self, op: Intrinsic, c: usize) -> u64 {
        let invocation = self.stimulus.inputs.invocations.first();
        let of = |op: Intrinsic| invocation.and_then(|it| it.system.get(&op)?.get(c).copied());
        match op {
            Intrinsic::load_instance_index => {
                let [id, base] =
                    [Intrinsic::load_instance_id, Intrinsic::load_base_instance].map(|op| of(op).unwrap_or(0));
                id.wrapping_add(base)
            }
            op => of(op).unwrap_or(0),
        }
    }

    fn builtin(&self, name: &str, args: &[u64]) -> Option<u64> {
        let (name, vertex) = match name.strip_suffix(" of a vertex") {
            Some(name) => (name, args[0]),
            None => (name, 0),
        };
        let cell = *args.last()?;
        Some(match self.builtins.get(name)? {
            Source::Slot(slot) => self.word(slot + (cell / 4) as u32, vertex, (cell % 4) as usize),
            Source::System(op) => self.system(*op, cell as usize),
            Source::Constant(value) => value.get(cell as usize).copied().unwrap_or(0),
        })
    }
}

/// The slot of each cell of the outputs.
fn slots_of_outputs(shader: &Shader) -> FxHashMap<(Space, u64), (Slot, usize)> {
    let kind = shader.stage().slot_kind(true);
    let mut cells = FxHashMap::default();
    let mut add = |space: Space, first: u64, slot: u32| {
        for c in 0..4 {
            cells.insert((space, first + c as u64), (Slot::new(slot), c));
        }
    };
    for slot in 0..varying::END {
        match slots::builtin(kind, slot, false) {
            Some(builtin) => {
                add(Space::BuiltIn(builtin as u32), 0, slot);
                if matches!(slot, varying::CLIP_DIST0 | varying::CULL_DIST0) {
                    add(Space::BuiltIn(builtin as u32), 4, slot + 1);
                }
            }
            None => add(Space::Output(false, 0), 4 * u64::from(slots::location(kind, slot, slot)), slot),
        }
    }
    for variable in shader.vars.values().filter(|it| it.mode == Modes::SHADER_OUT) {
        let Some(first) = variable.location else { continue };
        if slots::builtin(kind, first, false).is_some() || variable.driver_location == u32::MAX {
            continue;
        }
        for i in 0..shader.types.slots(variable.ty) {
            let location = u64::from(variable.driver_location.saturating_add(i));
            add(Space::Output(false, variable.index), 4 * location, first + i);
        }
    }
    cells
}

/// A number that depends on a name and on operands.
fn hashed(name: &str, args: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    (name, args).hash(&mut hasher);
    // The low bits of the hash alone do not depend on all of the operands.
    Random::new(hasher.finish()).bits()
}

impl Assignment for Given {
    fn value(&mut self, name: &str, width: u8, args: &[u64]) -> u64 {
        let is_patch = name.starts_with("patch input");
        if is_patch || name.starts_with("input") {
            let is_of_vertex = name.ends_with("of a vertex");
            let (vertex, cell) = if is_of_vertex { (args[0], args[1]) } else { (0, args[0]) };
            let slot = self.locations.get(&(is_patch, cell / 4)).copied().unwrap_or(0);
            let word = self.word(slot, vertex, (cell % 4) as usize);
            // The interpreter's inputs have one value at all places of a pixel: one that is interpolated in another way has another.
            let first = self.names.entry((is_patch, cell)).or_insert_with(|| name.to_owned());
            return if *first == name { word } else { word ^ 1 << 22 };
        }
        if let Some(value) = self.builtin(name, args) {
            return value;
        }
        if let Some(rest) = name.strip_prefix("size of storage block ") {
            let block = self.block(rest);
            return block
                .and_then(|block| self.stimulus.storage.get(block))
                .map_or(0, |buffer| buffer.bytes.len() as u64);
        }
        let number = hashed(name, args);
        // A float of moderate size, so that what is computed of it does not overflow.
        match width {
            32 if name.contains("component") => ((number % 64) as f32 / 4.0 - 4.0).to_bits().into(),
            _ => number,
        }
    }

    fn cell(&mut self, state: &str, address: u64, width: u8) -> u64 {
        let stimulus = &self.stimulus;
        let bytes = if state == "push constants" {
            Some(&stimulus.push_constants.bytes)
        } else if state == "shared memory" {
            Some(&stimulus.shared)
        } else if let Some(rest) = state.strip_prefix("uniform block ") {
            self.block(rest).and_then(|block| stimulus.uniform.get(block)).map(|buffer| &buffer.bytes)
        } else if let Some(rest) = state.strip_prefix("storage block ") {
            self.block(rest).and_then(|block| stimulus.storage.get(block)).map(|buffer| &buffer.bytes)
        } else {
            return hashed(state, &[address]);
        };
        let at = address as usize;
        let read = bytes.and_then(|bytes| bytes.get(at..at + usize::from(width) / 8));
        read.map_or(0, |bytes| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}

impl Given {
    /// The number of the block in `1.2(3)` or `1.2[3]`: set, binding and element.
    fn block(&self, text: &str) -> Option<usize> {
        let mut numbers = text.split(['.', '(', ')', '[', ']']).filter(|part| !part.is_empty());
        let mut next = || numbers.next()?.parse::<u32>().ok();
        let (set, binding, element) = (next()?, next()?, next().unwrap_or(0));
        Some((self.blocks.get(&(set, binding))? + element) as usize)
    }
}
