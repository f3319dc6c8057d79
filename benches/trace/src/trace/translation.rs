// SPDX-License-Identifier: MIT

//! The record of a translation.

use super::decode::Decoded;
use super::image::Origin;
use super::phase::Phase;
use super::touched::{Kind, Touched};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A translator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Translator {
    C,
    Ntv,
}

impl Translator {
    /// Its name in logs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Translator::C => "c",
            Translator::Ntv => "ntv",
        }
    }
}

/// A traced call. Two make up a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The function.
    pub(crate) function: &'static str,
    pub(crate) translator: Translator,
    /// Whether it is the first of the two.
    pub(crate) first: bool,
    /// The phase of instructions without another phase.
    phase: Phase,
}

/// All traced calls.
pub(crate) const PARTS: [Part; 4] = [
    Part { function: "nir_convert_from_ssa", translator: Translator::C, first: true, phase: Phase::FromSsa },
    Part { function: "nir_to_spirv", translator: Translator::C, first: false, phase: Phase::ToSpirv },
    Part { function: "ntvr_wire_nir", translator: Translator::Ntv, first: true, phase: Phase::Flatten },
    Part { function: "ntvr_module_create", translator: Translator::Ntv, first: false, phase: Phase::Shim },
];

/// An instruction of a program.
#[derive(Debug)]
pub(crate) struct Instruction {
    pub(crate) decoded: Decoded,
    pub(crate) place: Origin,
}

/// A phase, and the name of its pass.
pub(crate) type Step = (Phase, Option<Rc<str>>);

/// The record of a translation.
#[derive(Debug)]
pub(crate) struct Translation {
    pub(crate) all: Touched,
    /// The memory of each phase; of all passes together, and of each.
    pub(crate) phases: BTreeMap<Step, Touched>,
    /// The executed instructions, by address, and their counts.
    pub(crate) executed: FxHashMap<u64, (Rc<Instruction>, u64)>,
    /// Whether the translation was traced to its end.
    pub(crate) done: bool,
    /// The current step.
    step: Step,
    /// The address of the last instruction.
    last: Option<u64>,
}

impl Translation {
    /// A translation that begins with `part`.
    pub(crate) fn new(part: Part) -> Translation {
        Translation {
            all: Touched::default(),
            phases: BTreeMap::new(),
            executed: FxHashMap::default(),
            done: false,
            step: (part.phase, None),
            last: None,
        }
    }

    /// Starts `part`.
    pub(crate) fn enter(&mut self, part: Part) {
        self.step = (part.phase, None);
        self.last = None;
    }

    /// Counts an instruction that will be executed at `address`, and its accesses.
    pub(crate) fn execute(&mut self, address: u64, instruction: &Rc<Instruction>, accesses: &[(Kind, u64, u64)]) {
        if let Some(step) = &instruction.place.phase {
            if self.step != *step {
                self.step = step.clone();
            }
        } else if is_flattening(instruction) {
            self.step = (Phase::Flatten, None);
        }
        // The next repetition of an instruction is not another instruction.
        let again = instruction.decoded.repeats && self.last == Some(address);
        self.last = Some(address);
        let (phase, pass) = &self.step;
        let whole = pass.as_ref().map(|_| (*phase, None));
        for key in whole.into_iter().chain([self.step.clone()]) {
            add(self.phases.entry(key).or_default(), address, instruction, accesses, again);
        }
        add(&mut self.all, address, instruction, accesses, again);
        let executed = self.executed.entry(address).or_insert_with(|| (instruction.clone(), 0));
        executed.1 += u64::from(!again);
    }
}

/// Whether it has no line table, but is in a C file of ntv's.
fn is_flattening(instruction: &Instruction) -> bool {
    matches!(&*instruction.place.file, "ntvr_nir.c" | "zink_ntvr.c")
}

fn add(touched: &mut Touched, address: u64, instruction: &Instruction, accesses: &[(Kind, u64, u64)], again: bool) {
    touched.instructions += u64::from(!again);
    touched.add(Kind::Code, address, instruction.decoded.len);
    for &(kind, address, size) in accesses {
        touched.add(kind, address, size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(bytes: &[u8], phase: Option<Step>) -> Rc<Instruction> {
        let place = Origin { phase, symbol: "f".into(), file: "f.rs".into(), own: "f.rs".into() };
        Rc::new(Instruction { decoded: Decoded::new(bytes, 0).unwrap(), place })
    }

    #[test]
    fn code_without_a_phase_counts_to_the_last() {
        let mut seen = Translation::new(PARTS[3]);
        let (check, pass) = ((Phase::Check, None), (Phase::Pass, Some(Rc::from("dce"))));
        seen.execute(0, &instruction(&[0x90], None), &[]);
        seen.execute(1, &instruction(&[0x90], Some(check.clone())), &[(Kind::Memory, 0, 8)]);
        seen.execute(64, &instruction(&[0x90], None), &[(Kind::Memory, 60, 8)]);
        seen.execute(65, &instruction(&[0x90], Some(pass.clone())), &[(Kind::Constants, 0, 1)]);
        let counts = |step: &Step| (seen.phases[step].instructions, seen.phases[step].lines());
        assert_eq!(counts(&(Phase::Shim, None)), (1, [1, 0, 0]));
        assert_eq!(counts(&check), (2, [2, 0, 2]));
        assert_eq!(counts(&pass), (1, [1, 1, 0]));
        assert_eq!(counts(&(Phase::Pass, None)), (1, [1, 1, 0]));
        assert_eq!((seen.all.instructions, seen.all.lines()), (4, [2, 1, 2]));
        assert_eq!(seen.phases.len(), 4);
    }

    #[test]
    fn rounds_of_a_repeated_instruction_are_one_instruction() {
        let mut seen = Translation::new(PARTS[3]);
        let (stos, nop) = (instruction(&[0xf3, 0xaa], None), instruction(&[0x90], None));
        for (address, instruction) in [(0, &stos), (0, &stos), (2, &nop), (0, &stos), (2, &nop), (2, &nop)] {
            seen.execute(address, instruction, &[]);
        }
        assert_eq!(seen.all.instructions, 5);
        assert_eq!((seen.executed[&0].1, seen.executed[&2].1), (2, 3));
    }
}
