// SPDX-License-Identifier: MIT

//! Whether a module means what a shader means.

use crate::barriers;
use crate::contraction;
use crate::division;
use crate::flow::{self, Code, Outcome, Reference, Step, Unsupported};
use crate::modes;
use crate::module::{self, Modes, Module};
use crate::nir::Nir;
use crate::open;
use crate::reasons;
use crate::smt::{Answer, Budget, Fact, Solver};
use crate::solved::{self, Sides};
use crate::term::{Arena, Node, Op, Term};
use crate::witness::{self, Trial, Witness};
use crate::world::{self, Space};
use anyhow::Result;
use ntv::error::Errors;
use ntv::ir::{Inst, Shader, Stage};
use ntv::op::Props;
use ntv::{raise, Feature, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The answer of a proof.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The words mean what the NIR means, for all inputs.
    Proved,
    /// They do not: there are inputs for which they differ.
    Different(Box<Witness>),
    /// It was not decided: the place, and the reason.
    Undecided(Unsupported),
}

/// How a proof is tried.
#[derive(Debug)]
pub struct Prover {
    /// Decides what normal forms do not.
    pub solver: Option<Solver>,
    /// The number of inputs that are tried where equality is not proved.
    pub trials: u64,
}

impl Default for Prover {
    fn default() -> Prover {
        Prover { solver: None, trials: 100 }
    }
}

/// The claim that the same invocations are discarded.
pub(crate) const DISCARDED: &str = "whether the invocation is discarded";

/// Two terms that have to be equal.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What they are.
    pub what: String,
    /// The cell of an output, or the space, if it is one.
    pub place: Option<(Space, u64)>,
    /// The NIR's.
    pub expected: Term,
    /// The module's.
    pub found: Term,
}

impl Prover {
    /// A prover that tries so many inputs where equality is not proved. With `budget`, it asks the solver that is installed, which
    /// may spend that on each query.
    ///
    /// # Errors
    /// There is no solver.
    pub fn new(budget: Option<Budget>, trials: u64) -> Result<Prover> {
        Ok(Prover { solver: budget.map(Solver::start).transpose()?, trials })
    }

    /// Decides whether `words` mean what `shader` means on `target`.
    pub fn prove(&mut self, shader: &Shader, target: &Target, words: &[u32]) -> Verdict {
        self.decide(shader, target, Other::Words(words))
    }

    /// Decides whether the first of `lowered`, a form of the shader after some passes, means what `shader` means. The words are those
    /// that the form becomes: they say which memory is seen by other invocations.
    pub fn prove_lowered(&mut self, shader: &Shader, target: &Target, lowered: (&Shader, &[u32])) -> Verdict {
        self.decide(shader, target, Other::Lowered(lowered.0, lowered.1))
    }

    pub(crate) fn decide(&mut self, shader: &Shader, target: &Target, other: Other<'_>) -> Verdict {
        let mut arena = Arena::new();
        let shader = &match raised(shader, target) {
            Ok(shader) => shader,
            Err(errors) => return Verdict::Undecided(Unsupported { reason: errors.to_string(), place: String::new() }),
        };
        let question = sides(&mut arena, shader, target, other);
        let doubt = match &question {
            Ok(question) => self.first_doubt(&mut arena, question),
            Err(reason) => Some((reason.clone(), 0)),
        };
        let combined = question.as_ref().map(|question| &question.combined).ok().filter(|all| !all.is_empty());
        let Some((mut doubt, first)) = doubt else {
            let Some(combined) = combined else { return Verdict::Proved };
            let doubt = Unsupported { reason: contraction::REASON.into(), place: String::new() };
            return contraction::find(shader, combined, self.trials)
                .map_or(Verdict::Undecided(doubt), Verdict::Different);
        };
        let mut has_nan = false;
        for seed in 0..self.trials {
            match witness::try_seed(shader, target, other, seed) {
                Trial::Differs(witness) if witness.confirmed => return Verdict::Different(witness),
                Trial::Differs(witness) => {
                    let question = question.as_ref().ok();
                    let try_it = |seed| {
                        let stimulus = witness::stimulus_of_groups(shader, seed);
                        witness::try_together((shader, target), (&arena, question?), (Some(seed), &stimulus))
                    };
                    let found = (0..self.trials).find_map(try_it);
                    let found = found.or_else(|| barriers::find_race(shader, target, other, self.trials));
                    return Verdict::Different(found.unwrap_or(witness));
                }
                Trial::Failed => break,
                Trial::Nan => has_nan = true,
                Trial::Same | Trial::Undefined => {}
            }
        }
        if has_nan {
            doubt.reason += &format!("; {}", reasons::BITS_OF_NAN);
        }
        if let (Some(solver), Ok(question), 1..) = (&mut self.solver, &question, self.trials) {
            let mut claims = question.claims[first..].to_vec();
            claims.retain(|claim| !question.has_by_form(&mut arena, claim));
            match solved::find(solver, &mut arena, Sides { shader, target, other }, question, &claims) {
                Ok(witness) => return Verdict::Different(witness),
                Err(Some(reason)) => doubt.reason += &format!("; {reason}"),
                Err(None) => {}
            }
        }
        Verdict::Undecided(doubt)
    }

    /// Why the first claim that is not proved is not, and the number of the first one that the solver may refute: this one, or the next
    /// one if the solver has spent its time on it.
    fn first_doubt(&mut self, arena: &mut Arena, question: &Question) -> Option<(Unsupported, usize)> {
        let defined: Vec<Term> = question.undefined.iter().map(|condition| arena.not(*condition)).collect();
        for (number, claim) in question.claims.iter().enumerate() {
            if question.has_by_form(arena, claim) {
                continue;
            }
            let (mut why, mut next) = (String::from("is not known to be"), number + 1);
            if let Some(solver) = &mut self.solver {
                match decided_by(solver, arena, claim, &defined) {
                    Answer::Equal => continue,
                    Answer::Different(_) => (why, next) = ("differs from".into(), number),
                    Answer::Unknown(reason) => why = format!("is not known to be ({reason})"),
                }
            }
            let (a, b) = first_difference(arena, claim.expected, claim.found);
            let [a, b] = [a, b].map(|term| arena.shown(term, 4));
            let reason = format!("{b} of the module {why} {a} of the NIR");
            return Some((Unsupported { reason, place: claim.what.clone() }, next));
        }
        None
    }
}

/// What a solver knows of a claim, part by part if it has parts.
fn decided_by(solver: &mut Solver, arena: &mut Arena, claim: &Claim, defined: &[Term]) -> Answer {
    let Claim { mut expected, mut found, .. } = *claim;
    if division::occurs(arena, expected) && division::is_proved(solver) {
        let divided = division::with_quotients(arena, expected, found);
        if divided.lemmas.iter().all(|[a, b]| is_known(solver, arena, (*a, *b), defined)) {
            [expected, found] = divided.sides;
        }
        if refines(arena, expected, found) {
            return Answer::Equal;
        }
    }
    if different_parts(arena, expected, found).into_iter().all(|part| is_known(solver, arena, part, defined)) {
        return Answer::Equal;
    }
    solver.compare(arena, claim.expected, claim.found, defined)
}

/// Whether a solver knows that two terms are equal.
fn is_known(solver: &mut Solver, arena: &Arena, (a, b): (Term, Term), defined: &[Term]) -> bool {
    match solver.compare(arena, a, b, defined) {
        Answer::Equal => true,
        Answer::Different(_) => false,
        Answer::Unknown(_) => {
            let given: Vec<Fact> = defined.iter().copied().map(Fact::Holds).collect();
            arena.width(a) > 0 && solver.follows(arena, &given, Fact::Equal(a, b))
        }
    }
}

/// The shader as a Gallium driver gets it. What raises that of a Vulkan driver is not proved; what raises the derefs of zink's
/// blocks is.
pub(crate) fn raised<'a>(shader: &'a Shader, target: &Target) -> Result<Cow<'a, Shader>, Errors> {
    if !raise::is_of_vulkan(shader) {
        return Ok(Cow::Borrowed(shader));
    }
    let mut raised = shader.clone();
    raise::raise(&mut raised, &target.descriptors)?;
    Ok(Cow::Owned(raised))
}

/// What is compared with a shader.
#[derive(Clone, Copy, Debug)]
pub enum Other<'a> {
    /// The words of a module.
    Words(&'a [u32]),
    /// A form of the shader after some passes, and the words that it becomes.
    Lowered(&'a Shader, &'a [u32]),
}

/// The code of what is compared with a shader.
pub(crate) enum Found<'a> {
    /// Of words.
    Module(Box<Module>),
    /// Of a form of the shader.
    Nir(Box<Nir<'a>>),
}

impl Found<'_> {
    pub(crate) fn code(&mut self) -> &mut dyn Code {
        match self {
            Found::Module(module) => &mut **module,
            Found::Nir(nir) => &mut **nir,
        }
    }

    /// The results of float operations that may be contracted.
    fn contractible(&self) -> &FxHashSet<Term> {
        match self {
            Found::Module(module) => &module.contractible,
            Found::Nir(nir) => &nir.contractible,
        }
    }

    /// Its execution modes.
    fn modes(&self) -> Modes {
        match self {
            Found::Module(module) => module.execution_modes.clone(),
            Found::Nir(nir) => modes::of_shader(nir.shader()),
        }
    }

    /// A place in it.
    fn place(&self, place: &str) -> String {
        let side = match self {
            Found::Module(_) => "SPIR-V",
            Found::Nir(_) => "lowered",
        };
        match place {
            "" => side.to_owned(),
            place => format!("{side}: {place}"),
        }
    }
}

/// The code of both sides, each with what it has to know of the other.
///
/// # Errors
/// The module cannot be read.
pub(crate) fn code<'a>(shader: &'a Shader, target: &'a Target, other: Other<'a>) -> Step<(Nir<'a>, Found<'a>)> {
    let (Other::Words(words) | Other::Lowered(_, words)) = other;
    let mut nir = Nir::new(shader, target);
    let mut module = Module::read(words)?;
    nir.visible.clone_from(&module.visible);
    module.output_cells.clone_from(&nir.output_cells);
    let found = match other {
        Other::Words(_) => Found::Module(Box::new(module)),
        Other::Lowered(lowered, _) => {
            let mut found = Nir::new(lowered, target);
            found.visible = module.visible;
            found.output_cells.clone_from(&nir.output_cells);
            Found::Nir(Box::new(found))
        }
    };
    Ok((nir, found))
}

/// What has to be equal, and when.
#[derive(Debug)]
pub struct Question {
    /// What has to be equal.
    pub claims: Vec<Claim>,
    /// Conditions under which NIR leaves everything undefined.
    pub undefined: Vec<Term>,
    /// Exact operations that the other side lets be combined with others.
    pub combined: FxHashSet<Inst>,
}

impl Question {
    /// Whether the forms of its terms tell that a claim holds.
    fn has_by_form(&self, arena: &mut Arena, claim: &Claim) -> bool {
        let is_excluded = claim.what == flow::OUTSIDE && self.undefined.contains(&claim.found);
        is_excluded || refines(arena, claim.expected, claim.found)
    }
}

/// Runs both sides, and returns what has to be equal.
///
/// # Errors
/// One of them has something without terms.
pub fn sides(arena: &mut Arena, shader: &Shader, target: &Target, other: Other<'_>) -> Step<Question> {
    let (mut nir, mut lowered) = code(shader, target, other)?;
    arena.set_halves_in_32_bits(!target.has(Feature::shaderFloat16));
    let expected = flow::run(&mut nir, arena, None)?;
    let traces = match expected.records.is_empty() || arena.is_concrete() {
        true => Default::default(),
        false => witness::traces(shader, target, other),
    };
    let limits = flow::by_term(&expected.limits);
    let reference = Reference { records: &expected.records, traces: [&traces[0], &traces[1]], limits: &limits };
    let found = flow::run(lowered.code(), arena, Some(reference))
        .map_err(|error| Unsupported { place: lowered.place(&error.place), ..error })?;
    let combined = match arena.is_concrete() {
        true => FxHashSet::default(),
        false => contraction::combined(arena, &nir.exact, lowered.contractible()),
    };
    let mut claims = final_claims(arena, shader.stage(), &nir.output_cells, &expected, &found);
    claims.extend(modes::claims(arena, shader, &lowered.modes()));
    claims.extend(length_claims(arena, &nir, &lowered));
    keep_promises(arena, &nir.promises, (&mut claims, &mut nir.undefined));
    if !arena.is_concrete() {
        open::choose(arena, &mut claims);
    }
    if arena.is_full() {
        return Err(Unsupported { reason: "the terms are too large".into(), place: String::new() });
    }
    nir.undefined.extend(expected.is_outside.then(|| arena.boolean(true)));
    Ok(Question { claims, undefined: nir.undefined, combined })
}

/// The claims that the arrays of distances have the lengths that NIR says: Vulkan clips by all elements.
fn length_claims(arena: &mut Arena, nir: &Nir<'_>, found: &Found<'_>) -> Vec<Claim> {
    let Found::Module(module) = found else { return Vec::new() };
    let lengths = nir.distances.iter().filter_map(|(space, length)| Some((*length, module.length_of_output(*space)?)));
    let claim = |(expected, found): (u64, u64)| {
        let [expected, found] = [expected, found].map(|length| arena.constant(32, length));
        Claim { what: "the length of an array of distances".into(), place: None, expected, found }
    };
    lengths.map(claim).collect()
}

/// Puts the addresses with the alignment that NIR promises in place of the addresses, where that may matter.
fn keep_promises(arena: &mut Arena, promises: &[(Term, Term)], (claims, undefined): (&mut [Claim], &mut [Term])) {
    if promises.is_empty() {
        return;
    }
    let mut map: FxHashMap<Term, Term> = promises.iter().copied().collect();
    for claim in claims.iter_mut().filter(|claim| claim.expected != claim.found) {
        claim.expected = arena.replace(claim.expected, &mut map);
        claim.found = arena.replace(claim.found, &mut map);
    }
    for condition in undefined {
        *condition = arena.replace(*condition, &mut map);
    }
}

/// What has to be equal when the shader ends.
fn final_claims(
    arena: &mut Arena,
    stage: Stage,
    cells: &[(Space, u64)],
    expected: &Outcome,
    found: &Outcome,
) -> Vec<Claim> {
    let mut claims: Vec<Claim> = found
        .obligations
        .iter()
        .map(|it| Claim { what: it.what.clone(), place: None, expected: it.expected, found: it.found })
        .collect();
    let [mine, theirs] = [expected, found].map(|outcome| outcome.state.get(arena, Space::Discarded));
    claims.push(Claim { what: DISCARDED.into(), place: None, expected: mine, found: theirs });
    let alive = arena.not(mine);
    let spaces: BTreeSet<Space> = expected.state.spaces().chain(found.state.spaces()).collect();
    for space in spaces {
        let is_output = matches!(space, Space::Output(..) | Space::BuiltIn(_));
        let is_per_vertex = matches!(stage, Stage::TessCtrl | Stage::Mesh);
        let counts = match space {
            Space::Discarded | Space::Local(_) | Space::Shared => false,
            // Vertices are events.
            Space::Output(..) | Space::BuiltIn(_) => stage != Stage::Geometry,
            _ => true,
        };
        if !counts {
            continue;
        }
        let [a, b] = [expected, found].map(|outcome| outcome.state.get(arena, space));
        if space.has_default() && !is_per_vertex && !cells.iter().any(|it| it.0 == space) && !arena.is_undefined(b) {
            let none = arena.symbol(world::NOTHING, 0, &[]);
            claims.push(Claim { what: format!("{space:?}"), place: Some((space, 0)), expected: none, found: b });
        }
        if !is_output || is_per_vertex {
            claims.push(Claim { what: format!("{space:?}"), place: Some((space, 0)), expected: a, found: b });
            continue;
        }
        for (_, cell) in cells.iter().filter(|it| it.0 == space) {
            let address = arena.constant(32, *cell);
            let [a, b] = [a, b].map(|state| {
                let value = arena.read(state, address, 32);
                arena.under(value, alive)
            });
            let what = format!("cell {cell} of {space:?}");
            claims.push(Claim { what, place: Some((space, *cell)), expected: a, found: b });
        }
    }
    claims
}

/// Whether `found` is `expected` wherever that is defined, as far as their forms tell.
pub fn refines(arena: &mut Arena, expected: Term, found: Term) -> bool {
    refines_part(arena, expected, found, &mut FxHashMap::default())
}

fn refines_part(arena: &mut Arena, expected: Term, found: Term, known: &mut FxHashMap<(Term, Term), bool>) -> bool {
    if expected == found || arena.is_undefined(expected) {
        return true;
    }
    if let Some(known) = known.get(&(expected, found)) {
        return *known;
    }
    let [a, b] = [expected, found].map(|term| arena.node(term).clone());
    let alike = a.is_alike(&b) || may_be(arena, (&a, &b));
    let mut same = alike && a.args.iter().zip(&*b.args).all(|(a, b)| refines_part(arena, *a, *b, known));
    if let (false, true, Op::Alu(op), [x, y]) = (same, alike, a.op, &*a.args) {
        same = op.info().props.contains(Props::COMMUTATIVE)
            && refines_part(arena, *x, b.args[1], known)
            && refines_part(arena, *y, b.args[0], known);
    }
    if !same && a.op == Op::Ite {
        let not = arena.not(a.args[0]);
        same = [(a.args[1], a.args[0]), (a.args[2], not)].into_iter().all(|(side, care)| {
            let [a, b] = [side, found].map(|term| arena.under(term, care));
            refines_part(arena, a, b, known)
        });
    }
    // A state of cells that are written has the same in those cells.
    if !same && a.width == 0 && (a.op == Op::Write || b.op == Op::Write) {
        same = refines_cells(arena, expected, found, known);
    }
    // A condition on what is undefined holds or not, as it pleases.
    if !same && a.op == Op::Ite && is_open(arena, a.args[0]) {
        same = [a.args[1], a.args[2]].into_iter().any(|side| refines_part(arena, side, found, known));
    }
    known.insert((expected, found), same);
    same
}

/// Whether the second symbol is one that the first may be: a barrier that orders memory for more invocations, as one without the
/// Vulkan memory model may; a derivative that is fine or coarse, where the other is either.
fn may_be(arena: &Arena, (a, b): (&Node, &Node)) -> bool {
    let (Op::Symbol(a), Op::Symbol(b)) = (a.op, b.op) else { return false };
    let (a, b) = (arena.name(a), arena.name(b));
    let is_derivative =
        matches!(a, "ddx" | "ddy") && b.strip_prefix(a).is_some_and(|end| ["_fine", "_coarse"].contains(&end));
    is_derivative || module::is_wider_barrier(a, b)
}

/// Whether `found` has what `expected` wrote, if both write to known cells only, over the same state.
fn refines_cells(arena: &mut Arena, expected: Term, found: Term, known: &mut FxHashMap<(Term, Term), bool>) -> bool {
    let [Some((start, mine)), Some((other, theirs))] = [expected, found].map(|state| written(arena, state)) else {
        return false;
    };
    (start == other || arena.is_undefined(start))
        && mine.into_iter().chain(theirs).all(|(address, width)| {
            let [a, b] = [expected, found].map(|state| arena.read(state, address, width));
            refines_part(arena, a, b, known)
        })
}

/// The state over which a state is written, and the addresses and widths of the cells, if all addresses are known.
fn written(arena: &Arena, state: Term) -> Option<(Term, Vec<(Term, u8)>)> {
    let (mut state, mut cells) = (state, Vec::new());
    while arena.node(state).op == Op::Write {
        let args = &arena.node(state).args;
        arena.as_const(args[1])?;
        cells.push((args[1], arena.width(args[2])));
        state = args[0];
    }
    Some((state, cells))
}

/// Whether a condition compares something undefined.
fn is_open(arena: &Arena, condition: Term) -> bool {
    arena.is_undefined(condition) || arena.node(condition).args.iter().any(|arg| arena.is_undefined(*arg))
}

/// Parts of two terms that make the terms equal if they are: the values of writes to the same cells, the sides of choices.
fn different_parts(arena: &Arena, a: Term, b: Term) -> Vec<(Term, Term)> {
    let (mut todo, mut parts, mut seen) = (vec![(a, b)], Vec::new(), FxHashSet::default());
    while let Some((a, b)) = todo.pop() {
        if a == b || !seen.insert((a, b)) {
            continue;
        }
        let [x, y] = [a, b].map(|term| arena.node(term));
        let alike = x.is_alike(y);
        let is_descended = alike
            && match x.op {
                Op::Write => x.args[1] == y.args[1],
                Op::Ite => x.args[0] == y.args[0],
                Op::Symbol(_) => !x.args.is_empty(),
                _ => false,
            };
        match is_descended {
            true => todo.extend(x.args.iter().copied().zip(y.args.iter().copied())),
            false => parts.push((a, b)),
        }
    }
    parts
}

/// The innermost parts in which two terms differ, for a report.
fn first_difference(arena: &Arena, a: Term, b: Term) -> (Term, Term) {
    let (mut a, mut b) = (a, b);
    loop {
        let [x, y] = [a, b].map(|term| arena.node(term));
        if !x.is_alike(y) {
            return (a, b);
        }
        // Operands of operations that commute have the order of their terms.
        let only = |x: &[Term], y: &[Term]| x.iter().copied().filter(|arg| !y.contains(arg)).collect::<Vec<Term>>();
        match (&only(&x.args, &y.args)[..], &only(&y.args, &x.args)[..]) {
            ([one], [other]) => (a, b) = (*one, *other),
            _ => return (a, b),
        }
    }
}
