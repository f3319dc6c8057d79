// SPDX-License-Identifier: MIT

//! Barriers and interlocks that order less than they have to: terms only tell that these are others, and the interpreter shows what that
//! means.
//!
//! The module is proved to mean a NIR in which one of them orders less, or is missing. If the interpreter finds a race in this NIR, or
//! a critical section without its start or its end, and nothing of that in the shader, both have other results.

use crate::compare::{Other, Prover, Verdict};
use crate::witness::{self, Witness};
use ntv::ir::{rewrite, Edit, Inst, Shader, Stage};
use ntv::op::names::Scope;
use ntv::op::{Index, Intrinsic, Modes};
use ntv::Target;
use ntv_gen::{Observation, Stimulus};

/// What a barrier does less: the indices that it has instead of its own. A narrower scope comes after a wider one, because a module whose
/// barrier orders more than that of the NIR means the same.
const WEAKER: [&[(Index, u32)]; 10] = [
    &[(Index::memory_scope, Scope::workgroup as u32)],
    &[(Index::memory_scope, Scope::subgroup as u32)],
    &[(Index::execution_scope, Scope::subgroup as u32)],
    &[(Index::execution_scope, Scope::subgroup as u32), (Index::memory_scope, Scope::subgroup as u32)],
    &[(Index::memory_modes, Modes::SHARED.bits())],
    &[(Index::memory_modes, Modes::SSBO.bits())],
    &[(Index::memory_modes, Modes::IMAGE.bits())],
    &[(Index::memory_scope, Scope::none as u32)],
    &[(Index::execution_scope, Scope::none as u32)],
    &[(Index::execution_scope, Scope::none as u32), (Index::memory_scope, Scope::none as u32)],
];

/// Looks for a shader that orders less and means what the other side means, and for inputs for which it has a race.
pub(crate) fn find_race(shader: &Shader, target: &Target, other: Other<'_>, trials: u64) -> Option<Box<Witness>> {
    let orders =
        |inst: &Inst| shader.as_intrinsic(*inst).is_some_and(|(op, _)| is_interlock(op) || op == Intrinsic::barrier);
    for inst in shader.order.iter().copied().filter(orders) {
        for weaker in weaker_shaders(shader, inst) {
            let mut prover = Prover { trials: 0, ..Prover::default() };
            if matches!(prover.decide(&weaker, target, other), Verdict::Proved) {
                return (0..trials).find_map(|seed| race(shader, &weaker, (seed, inst)));
            }
        }
    }
    None
}

fn is_interlock(op: Intrinsic) -> bool {
    matches!(op, Intrinsic::begin_invocation_interlock | Intrinsic::end_invocation_interlock)
}

/// The shader with a barrier or an interlock that does less.
fn weaker_shaders(shader: &Shader, inst: Inst) -> Vec<Shader> {
    if shader.as_intrinsic(inst).is_some_and(|(op, _)| is_interlock(op)) {
        let mut weaker = shader.clone();
        rewrite(&mut weaker, |_, it| if it == inst { Edit::Remove } else { Edit::Keep });
        return [Some(weaker), with_empty_section(shader, inst)].into_iter().flatten().collect();
    }
    let with = |indices: &&[(Index, u32)]| {
        let mut weaker = shader.clone();
        indices.iter().for_each(|(index, value)| weaker.set_index(inst, *index, *value));
        weaker
    };
    WEAKER.iter().map(with).collect()
}

/// The shader in which the end of a critical section is moved to the start, or the start to the end; `None` if they are in different blocks.
fn with_empty_section(shader: &Shader, moved: Inst) -> Option<Shader> {
    let is_other = |inst: &Inst| *inst != moved && shader.as_intrinsic(*inst).is_some_and(|(op, _)| is_interlock(op));
    let block = shader.block_order().find(|block| shader.block_insts(*block).contains(&moved))?;
    let other = shader.block_insts(block).iter().copied().find(is_other)?;
    let place = |inst: Inst| shader.order.iter().position(|it| *it == inst);
    let (from, to) = (place(moved)?, place(other)?);
    let mut weaker = shader.clone();
    match from < to {
        true => weaker.order[from..to].rotate_left(1),
        false => weaker.order[to + 1..=from].rotate_right(1),
    }
    Some(weaker)
}

/// Inputs of several workgroups, or of two fragments for each pixel of a quad.
fn stimulus(shader: &Shader, seed: u64) -> Stimulus {
    let mut stimulus = witness::stimulus_of_groups(shader, seed);
    if shader.stage() == Stage::Fragment {
        let fragments = &mut stimulus.inputs.invocations;
        fragments.extend(witness::stimulus(shader, seed + 1).inputs.invocations);
    }
    stimulus
}

/// A race of the weaker shader alone, with the inputs that follow from `seed`.
fn race(shader: &Shader, weaker: &Shader, (seed, inst): (u64, Inst)) -> Option<Box<Witness>> {
    let stimulus = stimulus(shader, seed);
    let [right, wrong] = [shader, weaker].map(|shader| Observation::new(shader, &stimulus, witness::LIMITS));
    if right.undefined_behaviour().is_some() || right.has_race() {
        return None;
    }
    let race = wrong.outcome.faults.iter().find(|fault| fault.is_undefined_behaviour())?;
    let (op, line) = (shader.as_intrinsic(inst)?.0, shader.lines[inst].0);
    Some(Box::new(Witness {
        seed: Some(seed),
        what: format!("{} in line {line}", op.name()),
        expected: "no race".into(),
        found: race.describe(),
        stimulus,
        confirmed: true,
        place: None,
    }))
}
