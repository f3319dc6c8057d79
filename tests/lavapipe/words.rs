// SPDX-License-Identifier: MIT

//! Deliberate faults in emitted words: the oracle finds each of them when lavapipe runs the module.
//!
//! `tests/faults` breaks the rules of lowering and runs on the interpreter. Faults after lowering, in emission, are only visible
//! on a driver.

// The output shows how a fault was found.
#![allow(clippy::print_stdout)]

use crate::support;
use ntv::Target;
use ntv_gen::oracle::{Oracle, Verdict};
use ntv_gen::{program_of_seed, stimulus_of_seed, Purpose};
use spirv::{GlslStd450Op as GLOp, Op};
use std::collections::BTreeMap;

/// The number of random programs in which a fault is searched.
const PROGRAMS: u64 = 6000;

/// A wrong change to every instruction of an opcode.
struct Fault {
    name: &'static str,
    op: Op,
    /// Changes the instruction; returns false if it cannot be changed. The changes keep loops finite.
    change: fn(&Context<'_>, &mut [u32]) -> bool,
}

/// The context of an instruction.
struct Context<'a> {
    /// Type and value of constants of 32 bits.
    constants: &'a BTreeMap<u32, (u32, u32)>,
    /// The starts of blocks.
    labels: &'a BTreeMap<u32, usize>,
    at: usize,
    /// The opcode of the instruction before.
    before: u32,
}

impl Context<'_> {
    /// Another constant of the type of `id`, the next larger one if there is one.
    fn other_constant(&self, id: u32) -> Option<u32> {
        let (ty, value) = self.constants.get(&id)?;
        let others = self.constants.iter().filter(|(_, (of, other))| of == ty && other != value && *other < 32);
        others.min_by_key(|(_, (_, other))| other.wrapping_sub(*value)).map(|(id, _)| *id)
    }

    /// Whether all parents of a phi are before it: it is not a phi of a loop.
    fn merges(&self, phi: &[u32]) -> bool {
        phi.len() == 7 && [phi[4], phi[6]].iter().all(|parent| self.labels.get(parent).is_some_and(|at| *at < self.at))
    }
}

/// Swaps two words that differ.
fn swap(inst: &mut [u32], a: usize, b: usize) -> bool {
    inst.swap(a, b);
    inst[a] != inst[b]
}

fn set(word: &mut u32, to: u32) -> bool {
    std::mem::replace(word, to) != to
}

fn become_op(inst: &mut [u32], op: Op) -> bool {
    let length = inst[0] & 0xffff_0000;
    set(&mut inst[0], length | op as u32)
}

/// Replaces the function `from` of GLSL.std.450 by `to`.
fn become_function(inst: &mut [u32], from: GLOp, to: GLOp) -> bool {
    inst[4] == from as u32 && set(&mut inst[4], to as u32)
}

const FAULTS: &[Fault] = &[
    Fault { name: "isub: operands swapped", op: Op::ISub, change: |_, inst| swap(inst, 3, 4) },
    Fault { name: "fsub: operands swapped", op: Op::FSub, change: |_, inst| swap(inst, 3, 4) },
    Fault { name: "fdiv: operands swapped", op: Op::FDiv, change: |_, inst| swap(inst, 3, 4) },
    Fault { name: "ilt: operands swapped", op: Op::SLessThan, change: |_, inst| swap(inst, 3, 4) },
    Fault { name: "bcsel: operands swapped", op: Op::Select, change: |_, inst| swap(inst, 4, 5) },
    Fault {
        name: "phi: values of each other's edge",
        op: Op::Phi,
        change: |place, inst| place.merges(inst) && swap(inst, 3, 5),
    },
    Fault {
        name: "phi: the first edge's value on both",
        op: Op::Phi,
        change: |place, inst| {
            place.merges(inst) && {
                let first = inst[3];
                set(&mut inst[5], first)
            }
        },
    },
    Fault {
        name: "if: branches swapped",
        op: Op::BranchConditional,
        change: |place, inst| place.before == Op::SelectionMerge as u32 && swap(inst, 2, 3),
    },
    Fault {
        name: "ishl: by another constant",
        op: Op::ShiftLeftLogical,
        change: |place, inst| place.other_constant(inst[4]).is_some_and(|other| set(&mut inst[4], other)),
    },
    Fault {
        name: "access chain: another member or element",
        op: Op::AccessChain,
        change: |place, inst| {
            let last = inst.len() - 1;
            // After base and member.
            last > 4 && place.other_constant(inst[last]).is_some_and(|other| set(&mut inst[last], other))
        },
    },
    Fault {
        name: "component: the one before",
        op: Op::CompositeExtract,
        change: |_, inst| {
            inst.len() == 5 && inst[4] > 0 && {
                let before = inst[4] - 1;
                set(&mut inst[4], before)
            }
        },
    },
    Fault {
        name: "shuffle: the first component twice",
        op: Op::VectorShuffle,
        change: |_, inst| {
            let first = inst[5];
            set(&mut inst[6], first)
        },
    },
    Fault {
        name: "ishr: without the sign",
        op: Op::ShiftRightArithmetic,
        change: |_, inst| become_op(inst, Op::ShiftRightLogical),
    },
    Fault { name: "idiv: without the sign", op: Op::SDiv, change: |_, inst| become_op(inst, Op::UDiv) },
    Fault { name: "i2i: without the sign", op: Op::SConvert, change: |_, inst| become_op(inst, Op::UConvert) },
    Fault { name: "i2f: without the sign", op: Op::ConvertSToF, change: |_, inst| become_op(inst, Op::ConvertUToF) },
    Fault { name: "ixor: ior", op: Op::BitwiseXor, change: |_, inst| become_op(inst, Op::BitwiseOr) },
    Fault {
        name: "bit field: without the sign",
        op: Op::BitFieldSExtract,
        change: |_, inst| become_op(inst, Op::BitFieldUExtract),
    },
    Fault { name: "atomic: umin for umax", op: Op::AtomicUMax, change: |_, inst| become_op(inst, Op::AtomicUMin) },
    Fault {
        name: "imin: without the sign",
        op: Op::ExtInst,
        change: |_, inst| become_function(inst, GLOp::SMin, GLOp::UMin),
    },
    Fault { name: "fmin: fmax", op: Op::ExtInst, change: |_, inst| become_function(inst, GLOp::NMin, GLOp::NMax) },
];

impl Fault {
    /// Applies the fault everywhere in a module; returns false if it changed nothing.
    fn apply(&self, words: &mut [u32]) -> bool {
        const HEADER: usize = 5;
        let (mut constants, mut labels) = (BTreeMap::new(), BTreeMap::new());
        let (mut at, mut before, mut changed) = (HEADER, 0, false);
        // A phi of a loop may name a block after it, which is not in the table yet.
        while let Some(first) = words.get(at).copied() {
            let inst = &mut words[at..at + (first >> 16) as usize];
            let (len, op) = (inst.len(), first & 0xffff);
            if op == Op::Constant as u32 && len == 4 {
                constants.insert(inst[2], (inst[1], inst[3]));
            } else if op == Op::Label as u32 {
                labels.insert(inst[1], at);
            } else if op == self.op as u32 {
                let place = Context { constants: &constants, labels: &labels, at, before };
                changed |= (self.change)(&place, inst);
            }
            (at, before) = (at + len, op);
        }
        changed
    }
}

#[test]
fn every_fault_is_found() {
    assert!(FAULTS.len() >= 10);
    let results = support::in_parallel(FAULTS.iter().collect(), |fault| (fault.name, search(fault)));
    let mut missed = Vec::new();
    for (name, result) in results {
        match result {
            Ok(found) => println!("{name}: {found}"),
            Err(tried) => missed.push(format!("{name}: no difference in {tried} modules")),
        }
    }
    assert!(missed.is_empty(), "{} faults are not found\n{}", missed.len(), missed.join("\n"));
}

/// The first evidence of `fault`, or the number of affected modules.
fn search(fault: &Fault) -> Result<String, usize> {
    let mut oracle = Oracle::open("llvmpipe").expect("lavapipe, which `cargo xtask test` installs");
    let mut tried = 0;
    for seed in 0..PROGRAMS {
        let program = program_of_seed(seed);
        let modules = program.iter().map(|shader| oracle.module(shader).expect("a shader that can be translated"));
        let mut modules: Vec<Vec<u32>> = modules.collect();
        let changed = modules.iter_mut().map(|module| fault.apply(module)).filter(|changed| *changed).count();
        if changed == 0 || modules.iter().any(|module| support::spirv_val(module, &Target::default()).is_err()) {
            continue;
        }
        tried += 1;
        let stimulus = stimulus_of_seed(&program[0], seed, Purpose::Driver);
        let change = |words: &mut Vec<u32>| {
            fault.apply(words);
        };
        if let Verdict::Wrong(found) = oracle.compare_changed(&program, &stimulus, &change) {
            return Ok(format!("seed {seed}: {found}"));
        }
    }
    Err(tried)
}
