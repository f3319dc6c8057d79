// SPDX-License-Identifier: MIT

//! Inputs for which a solver finds that the sides differ.
//!
//! A solver chooses values of symbols and cells. Those of inputs and of memory become the inputs of a run, and everything else of the run
//! is 0, or random. So the solver is asked again, for values that a run may have: the numbers of the grid are those of one
//! invocation, and addresses are inside of blocks. What the solver says counts if the interpreter confirms it, as for any inputs.

use crate::compare::{Claim, Other, Question};
use crate::given::{Given, Lane};
use crate::smt::{Answer, Model, Solver};
use crate::term::{Arena, Op, Term, UNDEFINED};
use crate::witness::{self, Chosen, Trial, Witness};
use ntv::ir::{Shader, Stage};
use ntv::Target;
use ntv_gen::Stimulus;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The most claims that the solver is asked about.
const MOST_CLAIMS: usize = 4;
/// The most of them that it may leave undecided: each takes all of its time.
const MOST_UNKNOWN: usize = 2;

/// What is compared.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) shader: &'a Shader,
    pub(crate) target: &'a Target,
    pub(crate) other: Other<'a>,
}

/// Looks for inputs for which one of `claims` does not hold, as the interpreter confirms. Without such, the reason why the values of the
/// solver are none, if it has any.
pub(crate) fn find(
    solver: &mut Solver,
    arena: &mut Arena,
    sides: Sides<'_>,
    question: &Question,
    claims: &[Claim],
) -> Result<Box<Witness>, Option<String>> {
    let (mut reason, mut unknown) = (None, 0);
    for claim in claims.iter().take(MOST_CLAIMS) {
        for lane in lanes(sides.shader) {
            let given = sides.given(0, lane);
            let limits = limits(arena, &given, question, claim);
            match solver.compare(arena, claim.expected, claim.found, &limits) {
                Answer::Different(model) => match sides.confirm(arena, question, &model, lane) {
                    Ok(witness) => return Ok(witness),
                    Err(why) => reason = reason.or(Some(why)),
                },
                Answer::Equal => {}
                Answer::Unknown(_) => {
                    unknown += 1;
                    break;
                }
            }
        }
        if unknown == MOST_UNKNOWN {
            break;
        }
    }
    Err(reason)
}

/// The invocations for which values are sought: the first, the last and one between, if they differ by the grid.
fn lanes(shader: &Shader) -> Vec<usize> {
    let count = match shader.stage() {
        stage if stage.has_grid() => {
            shader.info.workgroup_size.iter().map(|size| *size.clamp(&1, &64) as usize).product()
        }
        Stage::TessCtrl => shader.info.tcs_vertices_out.clamp(1, 32) as usize,
        _ => 1,
    };
    let mut lanes = vec![0, count - 1, count / 2];
    lanes.dedup();
    lanes.truncate(count);
    lanes
}

/// What holds for the values of a run: the numbers that follow from the grid, addresses inside of blocks, and all that is defined.
fn limits(arena: &mut Arena, given: &Given, question: &Question, claim: &Claim) -> Vec<Term> {
    let mut limits: Vec<Term> = question.undefined.iter().map(|condition| arena.not(*condition)).collect();
    let roots: Vec<Term> = limits.iter().copied().chain([claim.expected, claim.found]).collect();
    // The number of bytes of each state.
    let mut bytes: FxHashMap<Term, u64> = FxHashMap::default();
    for term in arena.all_parts(&roots) {
        let node = arena.node(term).clone();
        if node.width == 0 {
            let below = node.args.iter().filter_map(|arg| bytes.get(arg).copied()).min();
            if let Some(known) = below.or_else(|| given.bytes_of(&arena.shown(term, 2))) {
                bytes.insert(term, known);
            }
        }
        match node.op {
            Op::Symbol(name) if node.width > 0 => {
                let args: Option<Vec<u64>> = node.args.iter().map(|arg| arena.as_const(*arg)).collect();
                if let Some(fixed) = args.and_then(|args| given.fixed(arena.name(name), &args)) {
                    let fixed = arena.constant(node.width, fixed);
                    limits.push(arena.equal(term, fixed));
                }
            }
            Op::Read | Op::Write => {
                let Some(bytes) = bytes.get(&node.args[0]) else { continue };
                let end = arena.constant(arena.width(node.args[1]), bytes.saturating_sub(3));
                limits.push(arena.ult(node.args[1], end));
            }
            _ => {}
        }
    }
    limits
}

impl Sides<'_> {
    /// The inputs that follow from `seed`.
    fn given(self, seed: u64, lane: usize) -> Given {
        let stimulus = witness::stimulus(self.shader, seed);
        Given::new(self.shader, self.target, Rc::new(stimulus), Lane::Number(lane))
    }

    /// Runs both sides with the values of a model. An error if the interpreter does not confirm that they differ.
    fn confirm(self, arena: &Arena, question: &Question, model: &Model, lane: usize) -> Result<Box<Witness>, String> {
        let mut other = None;
        for is_zero in [true, false] {
            let mut stimulus = witness::stimulus(self.shader, 0);
            if is_zero {
                witness::replace(&mut stimulus, || Some(0));
            }
            let given = Given::new(self.shader, self.target, Rc::new(stimulus), Lane::Number(lane));
            let stimulus = chosen(given, model, &mut other);
            let chosen = Chosen { seed: None, lane: Lane::Number(lane), stimulus: Stimulus::clone(&stimulus) };
            match witness::try_inputs(self.shader, self.target, self.other, chosen) {
                // The interpreter ran the first invocation alone.
                Trial::Differs(witness) if witness.confirmed && lane == 0 => return Ok(witness),
                Trial::Differs(_) => {}
                _ => continue,
            }
            let together = witness::try_together((self.shader, self.target), (arena, question), (None, &stimulus));
            if let Some(witness) = together {
                return Ok(witness);
            }
        }
        let other = other.map(|name| format!(", which has a value of {name}")).unwrap_or_default();
        Err(format!("the interpreter does not confirm what the solver finds{other}"))
    }
}

/// The inputs with the values of a model. `other` becomes the name of a symbol with a value that is no input.
fn chosen(mut given: Given, model: &Model, other: &mut Option<String>) -> Rc<Stimulus> {
    for (name, args, value) in model.values() {
        if !given.choose(name, args, value) && name != UNDEFINED {
            other.get_or_insert_with(|| format!("`{name}`"));
        }
    }
    for (state, address, width, value) in model.cells() {
        if !given.choose_cell(state, (address, width), value) {
            other.get_or_insert_with(|| format!("`{state}` at {address:#x}"));
        }
    }
    given.stimulus()
}
