// SPDX-License-Identifier: MIT

//! Checks that no variant lacks a definition: a kept word defines every id that a kept word uses, with any decisions.

use ntv::module::Condition;
use ntv::Module;
use rspirv::binary::{Consumer, ParseAction, Parser};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use std::collections::{BTreeMap, HashMap};

/// The definitions and uses of instructions, in the order of the module.
#[derive(Default)]
struct Instructions(Vec<(Option<u32>, Vec<u32>)>);

impl Consumer for Instructions {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, inst: Instruction) -> ParseAction {
        let ids = inst.operands.iter().filter_map(Operand::id_ref_any);
        self.0.push((inst.result_id, inst.result_type.into_iter().chain(ids).collect()));
        ParseAction::Continue
    }
}

/// The error of `module`: uses that may be kept without their definition.
pub(crate) fn check(module: &Module) -> Result<(), String> {
    let mut instructions = Instructions::default();
    Parser::new(&super::support::bytes(&module.words), &mut instructions).parse().map_err(|e| e.to_string())?;
    let mut at = 5;
    let mut definitions: HashMap<u32, Vec<Vec<u16>>> = HashMap::new();
    let mut uses = Vec::new();
    for (result, used) in instructions.0 {
        let len = (module.words[at] >> 16) as usize;
        let own = around(module, at as u32);
        if let Some(id) = result {
            definitions.entry(id).or_default().push(own.clone());
        }
        for id in used {
            // A part of an instruction may be in a separate range.
            let words = (at..at + len).filter(|word| module.words[*word] == id);
            let most = words.map(|word| around(module, word as u32)).max_by_key(Vec::len);
            uses.push((at, id, most.unwrap_or(own.clone())));
        }
        at += len;
    }
    for (at, id, own) in uses {
        let definitions = definitions.get(&id).ok_or_else(|| format!("word {at} uses %{id}, which is not defined"))?;
        if !is_covered(module, &own, definitions) {
            return Err(format!("word {at} uses %{id}, which may be removed"));
        }
    }
    Ok(())
}

/// The conditions of a word.
fn around(module: &Module, at: u32) -> Vec<u16> {
    let around = module.ranges.iter().filter(|range| (range.start..range.end).contains(&at));
    around.map(|range| range.when).collect()
}

/// Whether one of `definitions` is true wherever `own` is: tested for all values of the bits in the conditions.
fn is_covered(module: &Module, own: &[u16], definitions: &[Vec<u16>]) -> bool {
    if definitions.iter().any(|definition| definition.iter().all(|when| own.contains(when))) {
        return true;
    }
    let conditions = |list: &[u16]| list.iter().map(|when| module.conditions[usize::from(*when)]).collect();
    let own: Vec<Condition> = conditions(own);
    let definitions: Vec<Vec<Condition>> = definitions.iter().map(|definition| conditions(definition)).collect();
    let mut bits: Vec<(u16, u64)> = Vec::new();
    for Condition { word, mask, unless, .. } in own.iter().chain(definitions.iter().flatten()) {
        let used = (0..64).map(|bit| (*word, 1 << bit)).filter(|(_, bit)| (mask | unless) & bit != 0);
        used.for_each(|bit| bits.extend((!bits.contains(&bit)).then_some(bit)));
    }
    is_covered_after(&own, &definitions, &bits, &Decided::new())
}

/// The decided bits of each word, and their values.
type Decided = BTreeMap<u16, [u64; 2]>;

/// Whether the conditions are covered for all values of `bits`, after others are decided.
fn is_covered_after(own: &[Condition], definitions: &[Vec<Condition>], bits: &[(u16, u64)], decided: &Decided) -> bool {
    let is = |condition: &Condition, expected: bool| holds(condition, decided) == Some(expected);
    if own.iter().any(|condition| is(condition, false))
        || definitions.iter().any(|definition| definition.iter().all(|condition| is(condition, true)))
    {
        return true;
    }
    let Some(((word, bit), bits)) = bits.split_first() else { return false };
    [0, *bit].into_iter().all(|value| {
        let mut decided = decided.clone();
        let [known, values] = decided.entry(*word).or_default();
        (*known, *values) = (*known | bit, *values | value);
        is_covered_after(own, definitions, bits, &decided)
    })
}

/// Whether a condition holds, if the decided bits say it.
fn holds(condition: &Condition, decided: &Decided) -> Option<bool> {
    let Condition { word, mask, value, equal, unless } = *condition;
    let [known, values] = decided.get(&word).copied().unwrap_or_default();
    let differs = (values ^ value) & mask & known != 0 || value & !mask != 0;
    let is_equal = if differs { Some(false) } else { (mask & !known == 0).then_some(true) };
    match is_equal.map(|is_equal| is_equal == equal) {
        Some(false) => Some(false),
        _ if values & unless != 0 => Some(false),
        Some(true) if unless & !known == 0 => Some(true),
        _ => None,
    }
}
