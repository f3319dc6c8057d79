// SPDX-License-Identifier: MIT

//! Subgroups before SPIR-V 1.3: operations that can be computed from the votes, ballots and broadcasts of SPV_KHR_shader_ballot
//! and SPV_KHR_subgroup_vote.

use super::{Call, Lower};
use crate::ir::Def;
use crate::op::AluOp;
use crate::op::Intrinsic::{self, *};

impl Lower<'_, '_> {
    pub(super) fn old_query(&mut self, call: &Call) -> Option<Def> {
        let words = call.value;
        Some(match (call.op, call.other) {
            (elect, _) => {
                let (first, own) = (self.end_invocation(AluOp::find_lsb), self.system_value(load_subgroup_invocation));
                self.builder.alu(AluOp::ieq, &[first, own])
            }
            (first_invocation, _) => self.end_invocation(AluOp::find_lsb),
            (last_invocation, _) => self.end_invocation(AluOp::ufind_msb),
            (inverse_ballot, _) => {
                let own = self.system_value(load_subgroup_invocation);
                self.bit(words, own)
            }
            (ballot_bitfield_extract, Some(index)) => self.bit(words, index),
            (ballot_bit_count_reduce, _) => self.count_bits(words),
            (ballot_bit_count_inclusive, _) => self.count_bits_in(words, load_subgroup_le_mask),
            (ballot_bit_count_exclusive, _) => self.count_bits_in(words, load_subgroup_lt_mask),
            (ballot_find_lsb, _) => self.find_bit(words, AluOp::find_lsb),
            (ballot_find_msb, _) => self.find_bit(words, AluOp::ufind_msb),
            _ => return None,
        })
    }

    /// A vote on numbers: compares all with that of the first invocation.
    pub(super) fn old_vote(&mut self, call: &Call) -> Option<Def> {
        let (components, bits) = self.shape(call.value);
        if !self.is_old() || (components, bits) == (1, 1) {
            return None;
        }
        let equal = if call.op == vote_feq { AluOp::feq } else { AluOp::ieq };
        let first = self.simple(read_first_invocation, components, bits, call.value);
        let same = self.builder.alu(equal, &[call.value, first]);
        let mut all = self.builder.channel(same, 0);
        for c in 1..components {
            let part = self.builder.channel(same, c);
            all = self.builder.alu(AluOp::iand, &[all, part]);
        }
        Some(self.simple(vote_all, 1, 1, all))
    }

    /// The first or last active invocation.
    fn end_invocation(&mut self, find: AluOp) -> Def {
        let always = self.builder.imm(1, 1);
        let active = self.simple(ballot, 4, 32, always);
        self.find_bit(active, find)
    }

    /// Bit `index` of a ballot.
    fn bit(&mut self, words: Def, index: Def) -> Def {
        let which = self.builder.ushr_imm(index, 5);
        let mut word = self.builder.channel(words, 0);
        for c in 1..4 {
            let number = self.builder.imm32(c);
            let is_it = self.builder.alu(AluOp::ieq, &[which, number]);
            let other = self.builder.channel(words, c as u8);
            word = self.builder.alu(AluOp::bcsel, &[is_it, other, word]);
        }
        // A shift takes its count modulo 32.
        let bit = self.builder.alu(AluOp::ushr, &[word, index]);
        let bit = self.builder.iand_imm(bit, 1);
        let zero = self.builder.imm32(0);
        self.builder.alu(AluOp::ine, &[bit, zero])
    }

    fn count_bits_in(&mut self, words: Def, mask: Intrinsic) -> Def {
        let mask = self.builder.intrinsic(mask, 4, 32, &[]).def();
        let both = self.builder.alu(AluOp::iand, &[words, mask]);
        self.count_bits(both)
    }

    fn count_bits(&mut self, words: Def) -> Def {
        let counts = self.builder.alu(AluOp::bit_count, &[words]);
        let mut sum = self.builder.channel(counts, 0);
        for c in 1..4 {
            let count = self.builder.channel(counts, c);
            sum = self.builder.iadd(sum, count);
        }
        sum
    }

    /// The lowest or highest bit of a ballot, by the opcode `find` on each word: -1 for none.
    fn find_bit(&mut self, words: Def, find: AluOp) -> Def {
        let found = self.builder.alu(find, &[words]);
        let zero = self.builder.imm32(0);
        let mut result = self.builder.imm32(u32::MAX);
        // The decisive word is examined last.
        let words: [u8; 4] = if find == AluOp::find_lsb { [3, 2, 1, 0] } else { [0, 1, 2, 3] };
        for c in words {
            let bit = self.builder.channel(found, c);
            let there = self.builder.alu(AluOp::ige, &[bit, zero]);
            let number = self.builder.iadd_imm(bit, 32 * u64::from(c));
            result = self.builder.alu(AluOp::bcsel, &[there, number, result]);
        }
        result
    }
}
