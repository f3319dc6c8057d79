// SPDX-License-Identifier: MIT

//! The numbers that terms are in invocations that run together.
//!
//! [`crate::witness`] gives arbitrary numbers to what depends on other invocations, and on textures and images. Here, the interpreter
//! computes them: the operation runs as a shader of its own in all invocations, on the numbers that its operands are in each of them.
//! So derivatives, subgroup operations and texels are those of the inputs, and a difference of the sides is one of results.
//!
//! | what | file |
//! |-|-|
//! | terms that are computed from others, memory | this one |
//! | operations that the interpreter runs | `operation` |
//! | which operation a symbol is | `symbols` |
//! | whether the sides differ | `differ` |
//!
//! Loops have no numbers here, and barriers make memory unknown.

mod differ;
mod operation;
mod symbols;

pub(crate) use differ::differ;

use crate::confirm::atomic_result;
use crate::given::{Given, Lane};
use crate::module::AFTER_BARRIER;
use crate::term::{Arena, Assignment, Node, Op, Term, UNDEFINED};
use ntv::ir::Shader;
use ntv::Target;
use ntv_gen::Stimulus;
use ntv_interp::{Descriptor, Image};
use operation::Operation;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A number in one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Known(u64),
    /// NIR or SPIR-V leaves it open.
    Undefined,
    /// It cannot be computed here.
    Unknown,
}

impl Number {
    fn known(self) -> Option<u64> {
        match self {
            Number::Known(number) => Some(number),
            _ => None,
        }
    }
}

/// Memory as an invocation sees it, without what others write.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Memory {
    /// What it is at first, by the text of the symbol.
    start: String,
    written: BTreeMap<u64, Number>,
}

/// The value of a term in all invocations.
#[derive(Clone, Debug)]
enum Value {
    Numbers(Rc<[Number]>),
    Memory(Rc<[Memory]>),
    /// An image that all invocations share.
    Image(Descriptor, Rc<Image>),
    Unknown,
}

/// Evaluates the terms of an arena for invocations that run together.
struct Lanes<'a> {
    arena: &'a Arena,
    stimulus: Rc<Stimulus>,
    /// The inputs of each invocation.
    given: Vec<Given>,
    places: symbols::Places,
    known: FxHashMap<Term, Value>,
}

impl<'a> Lanes<'a> {
    fn new(arena: &'a Arena, shader: &Shader, target: &Target, stimulus: Rc<Stimulus>) -> Lanes<'a> {
        let groups = stimulus.inputs.workgroups.iter().product::<u32>();
        let count = match shader.stage().has_grid() {
            true => groups * shader.info.workgroup_size.iter().map(|size| size.clamp(&1, &64)).product::<u32>(),
            false => stimulus.inputs.invocations.len() as u32,
        };
        let lane = |lane: u32| Given::new(shader, target, stimulus.clone(), Lane::Number(lane as usize));
        let given = (0..count).map(lane).collect();
        let places = symbols::Places::new(shader, target);
        Lanes { arena, stimulus, given, places, known: FxHashMap::default() }
    }

    /// The numbers of a term in all invocations.
    fn numbers(&mut self, term: Term) -> Rc<[Number]> {
        match self.value(term) {
            Value::Numbers(numbers) => numbers,
            _ => vec![Number::Unknown; self.given.len()].into(),
        }
    }

    /// The value of a term.
    fn value(&mut self, term: Term) -> Value {
        let mut todo = vec![term];
        while let Some(next) = todo.last().copied() {
            let missing = self.arena.node(next).args.iter().filter(|arg| !self.known.contains_key(arg));
            let before = todo.len();
            todo.extend(missing);
            if todo.len() == before {
                todo.pop();
                if !self.known.contains_key(&next) {
                    let value = self.compute(next);
                    self.known.insert(next, value);
                }
            }
        }
        self.known[&term].clone()
    }

    /// The number of an operand in an invocation.
    fn arg(&self, term: Term, lane: usize) -> Number {
        match &self.known[&term] {
            Value::Numbers(numbers) => numbers[lane],
            _ => Number::Unknown,
        }
    }

    /// A number for each invocation.
    fn each(&self, mut number: impl FnMut(usize) -> Number) -> Value {
        Value::Numbers((0..self.given.len()).map(&mut number).collect())
    }

    fn compute(&mut self, term: Term) -> Value {
        let node = self.arena.node(term);
        match node.op {
            Op::Symbol(name) => self.symbol(self.arena.name(name), node),
            Op::Ite => self.choice(node),
            Op::Read => match &self.known[&node.args[0]] {
                Value::Memory(memory) => {
                    self.each(|lane| self.read(&memory[lane], self.arg(node.args[1], lane), (lane, node.width)))
                }
                _ => Value::Unknown,
            },
            Op::Write => {
                let Value::Memory(memory) = &self.known[&node.args[0]] else { return Value::Unknown };
                let mut memory = memory.to_vec();
                for (lane, memory) in memory.iter_mut().enumerate() {
                    let Number::Known(address) = self.arg(node.args[1], lane) else { return Value::Unknown };
                    memory.written.insert(address, self.arg(node.args[2], lane));
                }
                Value::Memory(memory.into())
            }
            _ => self.each(|lane| self.folded(term, lane)),
        }
    }

    /// The number of an arithmetic term.
    fn folded(&self, term: Term, lane: usize) -> Number {
        let args: Vec<Number> = self.arena.node(term).args.iter().map(|arg| self.arg(*arg, lane)).collect();
        if args.contains(&Number::Unknown) {
            return Number::Unknown;
        }
        let known: Option<Vec<u64>> = args.into_iter().map(Number::known).collect();
        known.and_then(|args| self.arena.folded(term, &args)).map_or(Number::Undefined, Number::Known)
    }

    fn choice(&self, node: &Node) -> Value {
        let [condition, yes, no] = [node.args[0], node.args[1], node.args[2]];
        let lanes = 0..self.given.len();
        let taken = |lane: usize| self.arg(condition, lane).known().map(|it| if it != 0 { yes } else { no });
        match (&self.known[&yes], &self.known[&no]) {
            (Value::Numbers(_), _) | (_, Value::Numbers(_)) => {
                let otherwise = |lane| match self.arg(condition, lane) {
                    Number::Undefined => Number::Undefined,
                    _ => Number::Unknown,
                };
                self.each(|lane| taken(lane).map_or_else(|| otherwise(lane), |side| self.arg(side, lane)))
            }
            (Value::Memory(a), Value::Memory(b)) => {
                let side = |lane: usize| Some(if taken(lane)? == yes { a[lane].clone() } else { b[lane].clone() });
                lanes.map(side).collect::<Option<Vec<Memory>>>().map_or(Value::Unknown, |all| Value::Memory(all.into()))
            }
            _ => {
                let sides: Option<Vec<Term>> = lanes.map(taken).collect();
                let first = sides.as_ref().and_then(|sides| sides.first().copied());
                let all = first.filter(|first| sides.is_some_and(|sides| sides.iter().all(|side| side == first)));
                all.map_or(Value::Unknown, |side| self.known[&side].clone())
            }
        }
    }

    fn read(&self, memory: &Memory, address: Number, (lane, width): (usize, u8)) -> Number {
        let Number::Known(address) = address else { return address };
        if let Some(value) = memory.written.get(&address) {
            return *value;
        }
        match memory.start.as_str() {
            UNDEFINED => Number::Undefined,
            start => self.given[lane].memory(start, address, width).map_or(Number::Unknown, Number::Known),
        }
    }

    fn symbol(&mut self, name: &str, node: &Node) -> Value {
        if node.width == 0 {
            return self.state(name, node);
        }
        if name == UNDEFINED {
            return self.each(|_| Number::Undefined);
        }
        if let Some(operation) = name.strip_prefix("atomic ") {
            return self.atomic(operation, node).map_or(Value::Unknown, |(before, _)| Value::Numbers(before.into()));
        }
        if let Some((result, _)) = self.operation(name, node) {
            return Value::Numbers(result.into());
        }
        let is_foreign = self.places.is_foreign(name);
        let mut numbers = Vec::new();
        for lane in 0..self.given.len() {
            let args: Vec<Number> = node.args.iter().map(|arg| self.arg(*arg, lane)).collect();
            let known: Option<Vec<u64>> = args.iter().map(|arg| arg.known()).collect();
            let given = &mut self.given[lane];
            let number = known.and_then(|args| match is_foreign {
                true => Some(given.value(name, node.width, &args)),
                false => given.input(name, &args),
            });
            numbers.push(number.map_or(Number::Unknown, Number::Known));
        }
        Value::Numbers(numbers.into())
    }

    /// A state of memory.
    fn state(&mut self, name: &str, node: &Node) -> Value {
        if let Some(descriptor) = self.places.image(name) {
            let image = self.stimulus.textures.images.get(&descriptor);
            return image.map_or(Value::Unknown, |image| Value::Image(descriptor, Rc::new(image.clone())));
        }
        if name == AFTER_BARRIER {
            return self.after_barrier(node.args[0]);
        }
        let changed = name.strip_prefix("after atomic ").and_then(|rest| rest.strip_suffix(" of 32 bits"));
        if let Some(operation) = changed {
            return self.atomic(operation, node).map_or(Value::Unknown, |(_, after)| Value::Memory(after.into()));
        }
        if node.args.iter().any(|arg| !matches!(self.known[arg], Value::Numbers(_))) {
            return self.operation(name, node).and_then(|(_, image)| image).unwrap_or(Value::Unknown);
        }
        let start = |lane: usize| {
            let args: Option<Vec<String>> =
                node.args.iter().map(|arg| Some(self.arg(*arg, lane).known()?.to_string())).collect();
            let args = args?;
            let start = if args.is_empty() { name.to_owned() } else { format!("{name}({})", args.join(", ")) };
            Some(Memory { start, written: BTreeMap::new() })
        };
        let all: Option<Vec<Memory>> = (0..self.given.len()).map(start).collect();
        all.map_or(Value::Unknown, |all| Value::Memory(all.into()))
    }

    /// What all invocations see that have written to memory and come to a barrier.
    fn after_barrier(&self, before: Term) -> Value {
        match &self.known[&before] {
            Value::Memory(all) => {
                let written = merged(all);
                let memory = |own: &Memory| Memory { start: own.start.clone(), written: written.clone() };
                Value::Memory(all.iter().map(memory).collect())
            }
            other => other.clone(),
        }
    }

    /// An atomic operation on a word of memory: what each invocation finds, and the memory afterwards. The invocations do it in order.
    fn atomic(&self, operation: &str, node: &Node) -> Option<(Vec<Number>, Vec<Memory>)> {
        let Value::Memory(memory) = &self.known[&node.args[0]] else { return None };
        let mut changed: BTreeMap<u64, u64> = BTreeMap::new();
        let (mut before, mut after) = (Vec::new(), memory.to_vec());
        for (lane, memory) in after.iter_mut().enumerate() {
            let number = |i: usize| self.arg(*node.args.get(i)?, lane).known();
            let address = number(1)?;
            let old = match changed.get(&address) {
                Some(old) => *old,
                None => self.read(memory, Number::Known(address), (lane, 32)).known()?,
            };
            let new = atomic_result(operation, old as u32, |i| Some(number(2 + i)? as u32))?;
            changed.insert(address, new.into());
            memory.written.insert(address, Number::Known(new.into()));
            before.push(Number::Known(old));
        }
        Some((before, after))
    }

    /// The result of an operation that the interpreter runs, and the image afterwards, if it changes one.
    fn operation(&self, name: &str, node: &Node) -> Option<(Vec<Number>, Option<Value>)> {
        let (state, args) = match node.args.split_first() {
            Some((state, args)) if self.arena.width(*state) == 0 => (Some(*state), args),
            _ => (None, &*node.args),
        };
        let widths: Vec<u8> = args.iter().map(|arg| self.arena.width(*arg)).collect();
        let image = state.map(|state| self.known[&state].clone());
        let mut operation: Operation = match &image {
            None => symbols::operation(name, node.width, &widths, &self.places, &self.stimulus)?,
            Some(Value::Image(descriptor, image)) => {
                symbols::on_image(name, node.width, &widths, (*descriptor, image))?
            }
            Some(_) => return None,
        };
        if let Some(Value::Image(descriptor, image)) = image {
            operation.resources.images.insert(descriptor, (*image).clone());
        }
        let lanes: Vec<Vec<Number>> =
            (0..self.given.len()).map(|lane| args.iter().map(|arg| self.arg(*arg, lane)).collect()).collect();
        let result = operation.run(&lanes, self.stimulus.inputs.subgroup_size)?;
        let image = operation.resources.images.into_iter().next();
        let image = image.map(|(descriptor, image)| Value::Image(descriptor, Rc::new(image)));
        Some((result, image))
    }
}

/// What all invocations wrote, the last one last.
fn merged(all: &[Memory]) -> BTreeMap<u64, Number> {
    all.iter().flat_map(|memory| &memory.written).map(|(at, number)| (*at, *number)).collect()
}
