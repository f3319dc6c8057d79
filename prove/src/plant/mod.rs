// SPDX-License-Identifier: MIT

//! Deliberate faults in the words of modules: a proof has to fail for each of them.
//!
//! A fault is one wrong rule of a translator, such as a swapped operand. It is planted at one place of a module at a time. A [`Repair`]
//! is the opposite: it makes a rule right in the whole module.
//!
//! | what | file |
//! |-|-|
//! | the faults that change one word or two, in tables | `tables` |
//! | decorations | `decorations` |
//! | constants, composites, control flow, textures | `others` |
//! | scopes of barriers, critical sections | `scopes` |
//! | rules that leave a result open | `repairs` |

mod decorations;
mod others;
mod repairs;
mod scopes;
mod tables;

pub use repairs::{Repair, REPAIRS};

use rustc_hash::FxHashMap;
use spirv::{GlslStd450Op as GLOp, Op};

/// A wrong rule.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong.
    pub name: String,
    rule: Rule,
}

/// The change to one instruction.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Another opcode.
    Op(Op, Op),
    /// Two words of the instruction are swapped.
    Swap(Op, usize, usize),
    /// Another instruction of GLSL.std.450.
    Glsl(GLOp, GLOp),
    /// Two operands of an instruction of GLSL.std.450 are swapped.
    SwapGlsl(GLOp, usize, usize),
    /// The instruction is missing.
    Remove(Op),
    /// The result is an operand, by the number of its word.
    Needless(Op, usize),
    /// An operand is another value of its type, by the number of its word.
    Other(Op, usize),
    /// Any other change.
    Custom(Plant),
}

/// Finds the places of a fault in a module, and the changes.
type Plant = fn(&Code<'_>) -> Vec<Change>;

/// Words that are replaced by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    at: usize,
    removed: usize,
    by: Vec<u32>,
}

impl Change {
    /// The words with the change.
    pub fn apply(&self, words: &[u32]) -> Vec<u32> {
        let mut words = words.to_vec();
        words.splice(self.at..self.at + self.removed, self.by.iter().copied());
        words
    }
}

/// All faults.
pub fn faults() -> Vec<Fault> {
    let ops = tables::OPS.iter().map(|(from, to)| Fault::new(format!("{from:?} as {to:?}"), Rule::Op(*from, *to)));
    let swaps = tables::SWAPS
        .iter()
        .map(|(op, a, b)| Fault::new(format!("words {a} and {b} of {op:?} swapped"), Rule::Swap(*op, *a, *b)));
    let glsl = tables::GLSL.iter().map(|(from, to)| Fault::new(format!("{from:?} as {to:?}"), Rule::Glsl(*from, *to)));
    let glsl_swaps = tables::GLSL_SWAPS
        .iter()
        .map(|(op, a, b)| Fault::new(format!("operands {a} and {b} of {op:?} swapped"), Rule::SwapGlsl(*op, *a, *b)));
    let removed = tables::REMOVED.iter().map(|op| Fault::new(format!("{op:?} is missing"), Rule::Remove(*op)));
    let needless = tables::NEEDLESS
        .iter()
        .map(|(op, word)| Fault::new(format!("{op:?} is only its word {word}"), Rule::Needless(*op, *word)));
    let others = tables::OTHERS
        .iter()
        .map(|(op, word)| Fault::new(format!("word {word} of {op:?} is another value"), Rule::Other(*op, *word)));
    let custom = decorations::FAULTS.iter().chain(others::FAULTS).chain(scopes::FAULTS);
    let custom = custom.map(|(name, rule)| Fault::new((*name).to_owned(), Rule::Custom(*rule)));
    let tables = ops.chain(swaps).chain(glsl).chain(glsl_swaps).chain(removed).chain(needless).chain(others);
    tables.chain(custom).collect()
}

/// Faults for which few shaders have a place. They are not among [`faults`].
pub fn rare() -> Vec<Fault> {
    others::RARE.iter().map(|(name, rule)| Fault::new((*name).to_owned(), Rule::Custom(*rule))).collect()
}

impl Fault {
    fn new(name: String, rule: Rule) -> Fault {
        Fault { name, rule }
    }

    /// The changes that plant the fault: one for each place.
    pub fn places(&self, words: &[u32]) -> Vec<Change> {
        let code = Code::new(words);
        let of = |op: Op| code.all(op);
        match self.rule {
            Rule::Op(from, to) => of(from).map(|it| it.with_word(0, it.words[0] & !0xffff | to as u32)).collect(),
            Rule::Swap(op, a, b) => of(op).filter_map(|it| it.swapped(a, b)).collect(),
            Rule::Glsl(from, to) => code.glsl(from).map(|it| it.with_word(4, to as u32)).collect(),
            Rule::SwapGlsl(op, a, b) => code.glsl(op).filter_map(|it| it.swapped(5 + a, 5 + b)).collect(),
            Rule::Remove(op) => of(op).map(|it| it.removed()).collect(),
            Rule::Needless(op, word) => of(op).filter_map(|it| code.needless(it, word)).collect(),
            Rule::Other(op, word) => of(op).filter_map(|it| code.other_value(it, word)).collect(),
            Rule::Custom(rule) => rule(&code),
        }
    }
}

/// The words of an instruction.
fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
    let first = (operands.len() as u32 + 1) << 16 | op as u32;
    [&[first], operands].concat()
}

/// An instruction: where its words are.
#[derive(Clone, Copy, Debug)]
struct Inst<'a> {
    at: usize,
    words: &'a [u32],
}

impl<'a> Inst<'a> {
    fn is(self, op: Op) -> bool {
        self.words[0] & 0xffff == op as u32
    }

    fn word(self, i: usize) -> u32 {
        self.words.get(i).copied().unwrap_or(0)
    }

    /// The change of one word.
    fn with_word(self, i: usize, word: u32) -> Change {
        Change { at: self.at + i, removed: 1, by: vec![word] }
    }

    /// The change of the whole instruction.
    fn with(self, words: Vec<u32>) -> Change {
        Change { at: self.at, removed: self.words.len(), by: words }
    }

    fn removed(self) -> Change {
        self.with(Vec::new())
    }

    /// The change that swaps two words; `None` if they are the same, or not there.
    fn swapped(self, a: usize, b: usize) -> Option<Change> {
        let mut words = self.words.to_vec();
        if words.get(a)? == words.get(b)? {
            return None;
        }
        words.swap(a, b);
        Some(self.with(words))
    }
}

/// The instructions of a module.
struct Code<'a> {
    header: &'a [u32],
    insts: Vec<Inst<'a>>,
    /// The type of each result, and its place among the instructions.
    results: FxHashMap<u32, (u32, usize)>,
}

impl<'a> Code<'a> {
    fn new(words: &'a [u32]) -> Code<'a> {
        const HEADER: usize = 5;
        let header = &words[..HEADER.min(words.len())];
        let (mut insts, mut at) = (Vec::new(), HEADER);
        while let Some(first) = words.get(at) {
            let count = (first >> 16) as usize;
            let Some(found) = words.get(at..at + count).filter(|found| !found.is_empty()) else { break };
            insts.push(Inst { at, words: found });
            at += count;
        }
        let mut results = FxHashMap::default();
        for (number, it) in insts.iter().enumerate() {
            if has_result_and_type(*it) {
                results.insert(it.word(2), (it.word(1), number));
            }
        }
        Code { header, insts, results }
    }

    /// The instructions with an opcode.
    fn all(&self, op: Op) -> impl Iterator<Item = Inst<'a>> + '_ {
        self.insts.iter().copied().filter(move |it| it.is(op))
    }

    /// The instructions of GLSL.std.450 with a number.
    fn glsl(&self, op: GLOp) -> impl Iterator<Item = Inst<'a>> + '_ {
        self.all(Op::ExtInst).filter(move |it| it.word(4) == op as u32)
    }

    /// The instruction that has a result, types too.
    fn definition(&self, id: u32) -> Option<Inst<'a>> {
        match self.results.get(&id) {
            Some((_, number)) => self.insts.get(*number).copied(),
            None => self.insts.iter().copied().find(|it| is_type(*it) && it.word(1) == id),
        }
    }

    /// A change that makes the result of an instruction one of its operands.
    fn needless(&self, it: Inst<'a>, word: usize) -> Option<Change> {
        let operand = *it.words.get(word)?;
        let op = match self.results.get(&operand)?.0 == it.word(1) {
            true => Op::CopyObject,
            false => Op::Bitcast,
        };
        Some(it.with(instruction(op, &[it.word(1), it.word(2), operand])))
    }

    /// A change of an operand to another value of its type, which is known where the operand is.
    fn other_value(&self, it: Inst<'a>, word: usize) -> Option<Change> {
        let id = *it.words.get(word)?;
        let (ty, number) = *self.results.get(&id)?;
        let is_constant = |it: Inst<'_>| [Op::Constant, Op::ConstantComposite].iter().any(|op| it.is(*op));
        let others = self.results.iter().filter(|(other, (other_ty, at))| {
            let alike = is_constant(self.insts[*at]) || *at <= number || is_global(self.insts[*at]);
            **other != id && *other_ty == ty && alike
        });
        // The nearest one before, so that it dominates the instruction.
        let best = others.max_by_key(|(_, (_, at))| (*at <= number, *at))?;
        Some(it.with_word(word, *best.0))
    }
}

fn is_type(it: Inst<'_>) -> bool {
    (Op::TypeVoid as u32..=Op::TypePipe as u32).contains(&(it.words[0] & 0xffff))
}

fn is_global(it: Inst<'_>) -> bool {
    [Op::Variable, Op::Constant, Op::ConstantComposite].iter().any(|op| it.is(*op))
}

/// Whether the words 1 and 2 are a type and a result.
fn has_result_and_type(it: Inst<'_>) -> bool {
    use rspirv::grammar::{OperandKind, INSTRUCTION_TABLE};
    INSTRUCTION_TABLE.lookup_opcode(it.words[0] & 0xffff).is_some_and(|row| {
        let kinds: Vec<OperandKind> = row.operands.iter().take(2).map(|operand| operand.kind).collect();
        kinds == [OperandKind::IdResultType, OperandKind::IdResult]
    })
}
