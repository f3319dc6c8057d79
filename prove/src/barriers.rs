// SPDX-License-Identifier: MIT

//! Barriers that order less than they have to: terms only tell that these are others, and the interpreter shows what that means.
//!
//! The module is proved to mean a NIR whose barriers are weaker. If the interpreter finds a race in this NIR, and none in the shader,
//! both have other results.

use crate::compare::{Other, Prover, Verdict};
use crate::witness::{self, Witness};
use ntv::ir::Shader;
use ntv::op::names::Scope;
use ntv::op::{Index, Intrinsic, Modes};
use ntv::Target;
use ntv_gen::Observation;

/// What a barrier does less: the indices that it has instead of its own.
const WEAKER: [&[(Index, u32)]; 6] = [
    &[(Index::execution_scope, Scope::none as u32), (Index::memory_scope, Scope::none as u32)],
    &[(Index::execution_scope, Scope::none as u32)],
    &[(Index::memory_scope, Scope::none as u32)],
    &[(Index::memory_modes, Modes::SHARED.bits())],
    &[(Index::memory_modes, Modes::SSBO.bits())],
    &[(Index::memory_modes, Modes::IMAGE.bits())],
];

/// Looks for a weaker barrier with which the shader means what the other side means, and for inputs of a race that follows.
pub(crate) fn find_race(shader: &Shader, target: &Target, other: Other<'_>, trials: u64) -> Option<Box<Witness>> {
    let is_barrier = |inst: &ntv::ir::Inst| matches!(shader.as_intrinsic(*inst), Some((Intrinsic::barrier, _)));
    for inst in shader.order.iter().copied().filter(is_barrier) {
        for indices in WEAKER {
            let mut weaker = shader.clone();
            indices.iter().for_each(|(index, value)| weaker.set_index(inst, *index, *value));
            let mut prover = Prover { trials: 0, ..Prover::default() };
            if matches!(prover.decide(&weaker, target, other), Verdict::Proved) {
                return (0..trials).find_map(|seed| race(shader, &weaker, seed, shader.lines[inst].0));
            }
        }
    }
    None
}

/// A race of the weaker shader alone, with the inputs that follow from `seed`.
fn race(shader: &Shader, weaker: &Shader, seed: u64, line: u32) -> Option<Box<Witness>> {
    let stimulus = witness::stimulus(shader, seed);
    let [right, wrong] = [shader, weaker].map(|shader| Observation::new(shader, &stimulus, witness::LIMITS));
    let is_race = right.undefined_behaviour().is_none() && !right.has_race() && wrong.has_race();
    is_race.then(|| {
        Box::new(Witness {
            seed,
            stimulus,
            what: format!("the barrier in line {line}"),
            expected: "no race".into(),
            found: "a race".into(),
            confirmed: true,
            changed: None,
        })
    })
}
