// SPDX-License-Identifier: MIT

//! Inputs for which a module differs from its shader.
//!
//! Chosen inputs make every term a number, so the code of both sides is interpreted as it runs. What the NIR gives is compared with
//! the interpreter of ntv, too, which shares no code with the terms but the folds of the opcodes: a witness is *confirmed* if both
//! agree on what the NIR means.

use crate::compare::{code, raised, refines, sides, Other, Question};
use crate::confirm::Seen;
use crate::flow::{self, Step, Trace};
use crate::given::{Given, Lane};
use crate::lanes;
use crate::nir::Nir;
use crate::open;
use crate::term::Arena;
use crate::world::Space;
use ntv::ir::{Shader, Stage, VarFlags};
use ntv::op::names::varying;
use ntv::op::{slots, Modes};
use ntv::{Feature, Target};
use ntv_gen::{Observation, Random, Stimulus};
use ntv_interp::{Limits, Slot};
use rustc_hash::FxHashMap;
use spirv::BuiltIn;
use std::borrow::Cow;
use std::rc::Rc;

pub use crate::confirm::{Cell, Changed, Place};

/// Inputs for which the two sides differ.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The number from which the inputs were made; `None` if a solver found them.
    pub seed: Option<u64>,
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
    /// Where the difference is, if a device can show it.
    pub place: Option<Place>,
}

impl Witness {
    /// The inputs in words.
    pub fn inputs(&self) -> String {
        match self.seed {
            Some(seed) => format!("the inputs of seed {seed}"),
            None => "inputs that the solver found".to_owned(),
        }
    }
}

/// The result of a run with chosen inputs.
pub(crate) enum Trial {
    /// Both sides give the same.
    Same,
    /// What the NIR gives is undefined.
    Undefined,
    /// The sides may differ only in the bits of a NaN, which are open.
    Nan,
    /// The sides differ.
    Differs(Box<Witness>),
    /// A side did not run.
    Failed,
}

pub(crate) const LIMITS: Limits = Limits { instructions: 200_000, components: 1 << 22 };

/// Runs both sides with the inputs that follow from `seed`.
pub(crate) fn try_seed(shader: &Shader, target: &Target, other: Other<'_>, seed: u64) -> Trial {
    let lane = match shader.stage() {
        // Each writes its own vertex.
        Stage::TessCtrl => Lane::Number(seed as usize % (shader.info.tcs_vertices_out as usize).max(1)),
        _ if seed % 4 < 2 => Lane::Number(0),
        _ => Lane::Far,
    };
    try_inputs(shader, target, other, Chosen { seed: Some(seed), lane, stimulus: stimulus(shader, seed) })
}

/// How `words` differ from `shader` with these inputs, if the interpreter confirms it.
pub fn with_inputs(shader: &Shader, target: &Target, words: &[u32], stimulus: Stimulus) -> Option<Box<Witness>> {
    let (shader, other) = (&*raised(shader, target).ok()?, Other::Words(words));
    let chosen = Chosen { seed: None, lane: Lane::Number(0), stimulus: stimulus.clone() };
    match try_inputs(shader, target, other, chosen) {
        Trial::Differs(witness) if witness.confirmed => Some(witness),
        Trial::Differs(_) => {
            let mut arena = Arena::new();
            let question = sides(&mut arena, shader, target, other).ok()?;
            try_together((shader, target), (&arena, &question), (None, &stimulus))
        }
        Trial::Same | Trial::Undefined | Trial::Nan | Trial::Failed => None,
    }
}

/// An input of SPIR-V.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// The built-in that it is, if it has no Location.
    pub builtin: Option<BuiltIn>,
    /// Whether it belongs to a patch.
    pub is_patch: bool,
    /// The vertex, if each has a value.
    pub vertex: Option<u64>,
    /// 4 · Location + component, or the component of a built-in.
    pub cell: u64,
}

/// The numbers of the inputs of the first invocation.
pub fn numbers_of_inputs(shader: &Shader, target: &Target, stimulus: &Stimulus) -> impl FnMut(Input) -> u32 {
    let shader = raised(shader, target).unwrap_or(Cow::Borrowed(shader));
    let mut given = Given::new(&shader, target, Rc::new(stimulus.clone()), Lane::Number(0));
    move |input| {
        let mut name = match (input.builtin, input.is_patch) {
            (Some(builtin), _) => format!("{builtin:?}"),
            (None, true) => "patch input".to_owned(),
            (None, false) => "input".to_owned(),
        };
        if input.vertex.is_some() {
            name += " of a vertex";
        }
        let args: Vec<u64> = input.vertex.into_iter().chain([input.cell]).collect();
        given.input(&name, &args).unwrap_or(0) as u32
    }
}

/// The inputs of a run.
pub(crate) struct Chosen {
    /// The number from which they were made.
    pub(crate) seed: Option<u64>,
    /// The invocation that runs.
    pub(crate) lane: Lane,
    pub(crate) stimulus: Stimulus,
}

/// The inputs that follow from `seed`.
pub fn stimulus(shader: &Shader, seed: u64) -> Stimulus {
    let mut stimulus = Stimulus::new(shader, seed);
    if seed % 2 == 1 {
        sharpen(&mut stimulus, seed);
    }
    stimulus
}

/// The inputs that follow from `seed`, for several workgroups if the shader has any.
pub(crate) fn stimulus_of_groups(shader: &Shader, seed: u64) -> Stimulus {
    let mut stimulus = stimulus(shader, seed);
    if seed % 4 >= 2 {
        stimulus.inputs.workgroups = [2, 1, 1];
    }
    stimulus
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
    replace(stimulus, || (random.below(2) == 0).then(|| random.pick(&SHARP)));
}

/// The inputs that follow from `seed`, if all of them are floats near 1 whose products and sums have to be rounded.
pub(crate) fn stimulus_to_round(shader: &Shader, seed: u64) -> Stimulus {
    let (mut stimulus, mut random) = (stimulus(shader, seed), Random::new(seed));
    replace(&mut stimulus, || Some((random.bits() as u32 & 0x80ff_ffff) | 0x3f00_0000));
    stimulus
}

/// Puts other words in place of those of the blocks and inputs.
pub(crate) fn replace(stimulus: &mut Stimulus, mut other: impl FnMut() -> Option<u32>) {
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
    let mut arena = Arena::with_values(Given::new(shader, target, stimulus, Lane::Number(0)));
    let mut traces = || -> Step<[Trace; 2]> {
        let (mut nir, mut found) = code(shader, target, other)?;
        Ok([flow::trace(&mut nir, &mut arena), flow::trace(found.code(), &mut arena)])
    };
    traces().unwrap_or_default()
}

/// Whether the sides of a question differ in invocations that run together with inputs, as the interpreter confirms.
pub(crate) fn try_together(
    (shader, target): (&Shader, &Target),
    (arena, question): (&Arena, &Question),
    (seed, stimulus): (Option<u64>, &Stimulus),
) -> Option<Box<Witness>> {
    let observed = Observation::new(shader, stimulus, LIMITS);
    if observed.undefined_behaviour().is_some() || observed.has_race() {
        return None;
    }
    let nir = Nir::new(shader, target);
    let locations = slots_of_outputs(&nir);
    let seen = Seen { observed: &observed, stimulus, locations: &locations, cells: &nir.output_cells };
    lanes::differ(arena, question, (shader, target), (seed, &seen))
}

/// Runs both sides with chosen inputs.
pub(crate) fn try_inputs(shader: &Shader, target: &Target, other: Other<'_>, chosen: Chosen) -> Trial {
    let Chosen { seed, lane, stimulus } = chosen;
    let observed = Observation::new(&alone(shader), &stimulus, LIMITS);
    if observed.undefined_behaviour().is_some() {
        return Trial::Undefined;
    }
    let given = Given::new(shader, target, Rc::new(stimulus.clone()), lane);
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
        // `lower_doubles` makes doubles of integers, and a NaN keeps its bits. The fold gives one NaN.
        if arena.has_nan_of_64_bits() && !target.has(Feature::shaderFloat64) {
            return Trial::Nan;
        }
        if open::is_open(&arena, claim.expected) {
            let Some([expected, found]) = open::difference(&mut arena, claim.expected, claim.found) else {
                return Trial::Undefined;
            };
            let (what, confirmed, place) = (claim.what, false, None);
            return Trial::Differs(Box::new(Witness { seed, stimulus, what, expected, found, confirmed, place }));
        }
        let nir = Nir::new(shader, target);
        let locations = slots_of_outputs(&nir);
        let seen = Seen { observed: &observed, stimulus: &stimulus, locations: &locations, cells: &nir.output_cells };
        let (confirmed, place) = (seen.confirms(&arena, &claim), seen.place(&arena, &claim));
        return Trial::Differs(Box::new(Witness {
            seed,
            stimulus,
            what: claim.what.clone(),
            expected: arena.shown(claim.expected, 3),
            found: arena.shown(claim.found, 3),
            confirmed,
            place,
        }));
    }
    Trial::Same
}

/// The shader with one invocation in a workgroup: that is what the terms are of.
pub(crate) fn alone(shader: &Shader) -> Shader {
    let mut shader = shader.clone();
    if shader.stage().has_grid() {
        shader.info.workgroup_size = [1; 3];
    }
    shader
}

/// The slot of each cell of the outputs.
fn slots_of_outputs(nir: &Nir<'_>) -> FxHashMap<(Space, u64), (Slot, usize)> {
    let shader = nir.shader();
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
            None => {
                let is_patch = shader.stage() == Stage::TessCtrl && slots::is_patch(slot);
                add(Space::Output(is_patch, 0), 4 * u64::from(slots::location(kind, slot, slot)), slot);
            }
        }
    }
    for var in shader.vars.ids().filter(|var| shader.vars[*var].mode == Modes::SHADER_OUT) {
        let variable = &shader.vars[var];
        let Some(first) = variable.location else { continue };
        if slots::builtin(kind, first, false).is_some() || variable.driver_location == u32::MAX {
            continue;
        }
        for i in 0..shader.types.slots(variable.ty) {
            let location = u64::from(nir.location(var).saturating_add(i));
            let is_patch = variable.flags.contains(VarFlags::PATCH);
            add(Space::Output(is_patch, variable.index), 4 * location, first + i);
        }
    }
    cells
}
