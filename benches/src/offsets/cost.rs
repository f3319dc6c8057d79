// SPDX-License-Identifier: MIT

//! Counts in a SPIR-V module: a walk over its words, the same for both translators.

use anyhow::{ensure, Result};
use spirv::{Op, StorageClass};
use std::collections::HashSet;

/// A count of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// OpAccessChain and OpInBoundsAccessChain.
    Chains,
    /// OpLoad.
    Loads,
    /// Arithmetic and bitwise operations on integers.
    Integers,
    /// The words of the module.
    Words,
    /// The access chains into buffers and shared memory.
    BufferChains,
    /// The loads through these access chains.
    BufferLoads,
}

impl Measure {
    /// All, in the order of tables.
    pub const ALL: [Measure; 6] = {
        use Measure::*;
        [Chains, Loads, Integers, Words, BufferChains, BufferLoads]
    };

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Chains => "chains",
            Measure::Loads => "loads",
            Measure::Integers => "integer operations",
            Measure::Words => "words",
            Measure::BufferChains => "chains into buffers",
            Measure::BufferLoads => "loads from buffers",
        }
    }
}

/// The count of each measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost([usize; Measure::ALL.len()]);

impl Cost {
    /// Counts in the words of a module.
    pub fn of(words: &[u32]) -> Result<Cost> {
        ensure!(words.len() >= HEADER && words[0] == spirv::MAGIC_NUMBER, "not a SPIR-V module");
        let mut walk = Walk::default();
        walk.cost.0[Measure::Words as usize] = words.len();
        let mut rest = &words[HEADER..];
        while let [first, ..] = rest {
            let len = (first >> 16) as usize;
            ensure!((1..=rest.len()).contains(&len), "an instruction of {len} words, but {} are left", rest.len());
            let (inst, after) = rest.split_at(len);
            // Opcodes that the tables lack are not counted.
            if let Some(op) = Op::from_u32(first & 0xffff) {
                walk.count(op, &inst[1..]);
            }
            rest = after;
        }
        Ok(walk.cost)
    }

    /// The count of `measure`.
    pub fn get(&self, measure: Measure) -> usize {
        self.0[measure as usize]
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), |sum, cost| Cost(std::array::from_fn(|at| sum.0[at] + cost.0[at])))
    }
}

/// The number of words before the first instruction.
const HEADER: usize = 5;

/// The memory that counts as buffers.
const BUFFERS: [StorageClass; 4] =
    [StorageClass::Uniform, StorageClass::StorageBuffer, StorageClass::PushConstant, StorageClass::Workgroup];

/// A walk over a module from front to back, in which definitions come before their uses.
#[derive(Default)]
struct Walk {
    cost: Cost,
    /// Types of pointers into [`BUFFERS`].
    types: HashSet<u32>,
    /// Variables and chains of these types.
    pointers: HashSet<u32>,
}

impl Walk {
    fn count(&mut self, op: Op, operands: &[u32]) {
        match (op, operands) {
            (Op::TypePointer, [id, class, ..]) if BUFFERS.iter().any(|buffer| *buffer as u32 == *class) => {
                self.types.insert(*id);
            }
            (Op::Variable | Op::AccessChain | Op::InBoundsAccessChain, [ty, id, ..]) => {
                let into_buffer = self.types.contains(ty);
                if into_buffer {
                    self.pointers.insert(*id);
                }
                if op != Op::Variable {
                    self.add(Measure::Chains, Measure::BufferChains, into_buffer);
                }
            }
            (Op::Load, [_, _, pointer, ..]) => {
                let from_buffer = self.pointers.contains(pointer);
                self.add(Measure::Loads, Measure::BufferLoads, from_buffer);
            }
            _ if is_integer_arithmetic(op) => self.cost.0[Measure::Integers as usize] += 1,
            _ => {}
        }
    }

    fn add(&mut self, measure: Measure, of_buffers: Measure, is_of_buffers: bool) {
        self.cost.0[measure as usize] += 1;
        self.cost.0[of_buffers as usize] += usize::from(is_of_buffers);
    }
}

fn is_integer_arithmetic(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        IAdd | ISub
            | IMul
            | UDiv
            | SDiv
            | UMod
            | SRem
            | SMod
            | SNegate
            | ShiftLeftLogical
            | ShiftRightLogical
            | ShiftRightArithmetic
            | BitwiseAnd
            | BitwiseOr
            | BitwiseXor
            | Not
            | BitFieldUExtract
            | BitFieldSExtract
            | BitFieldInsert
            | BitReverse
            | BitCount
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module whose instructions have these opcodes and operands.
    fn module(insts: &[(Op, &[u32])]) -> Vec<u32> {
        let mut words = vec![spirv::MAGIC_NUMBER, 0x10300, 0, 100, 0];
        for (op, operands) in insts {
            words.push((operands.len() as u32 + 1) << 16 | *op as u32);
            words.extend(*operands);
        }
        words
    }

    #[test]
    fn buffers_are_distinguished_from_other_memory() {
        let (uniform, function) = (StorageClass::Uniform as u32, StorageClass::Function as u32);
        let words = module(&[
            (Op::TypePointer, &[2, uniform, 1]),
            (Op::TypePointer, &[3, function, 1]),
            (Op::Variable, &[2, 4, uniform]),
            (Op::Variable, &[3, 5, function]),
            (Op::IAdd, &[1, 6, 7, 7]),
            (Op::FAdd, &[1, 8, 7, 7]),
            (Op::AccessChain, &[2, 9, 4, 6]),
            (Op::InBoundsAccessChain, &[3, 10, 5, 6]),
            (Op::Load, &[1, 11, 9]),
            (Op::Load, &[1, 12, 10]),
            (Op::Load, &[1, 13, 5]),
        ]);
        let cost = Cost::of(&words).unwrap();
        assert_eq!(Measure::ALL.map(|measure| cost.get(measure)), [2, 3, 1, words.len(), 1, 1]);
    }

    #[test]
    fn words_that_are_not_a_module_are_refused() {
        let refused = |words: &[u32]| Cost::of(words).map(|_| ()).unwrap_err().to_string();
        assert_eq!(refused(&[]), "not a SPIR-V module");
        let mut words = module(&[(Op::IAdd, &[1, 2, 3, 3])]);
        words.pop();
        assert_eq!(refused(&words), "an instruction of 5 words, but 4 are left");
        let last = words.len() - 4;
        words[last] = 0;
        assert_eq!(refused(&words), "an instruction of 0 words, but 4 are left");
        words[0] = 7;
        assert_eq!(refused(&words), "not a SPIR-V module");
    }
}
