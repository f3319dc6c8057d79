// SPDX-License-Identifier: MIT

//! Varyings of a draw that share slots: doubles beside other numbers, and wide vectors that continue in the next slot.
//!
//! A pair of slots has eight words. The vertex shader stores the same words for every packing, in other pieces. The fragment
//! shader loads a part of a piece.

use super::{Generator, Kind};
use arbitrary::Result;
use ntv::ir::{AluFlags, AluSrc, Def, Swizzle};
use ntv::op::names::{pack_alu_type, varying, IoSemantics};
use ntv::op::{AluOp, AluType, Base, Index, Intrinsic};

/// A vector in a pair of slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    /// Its first word.
    word: u32,
    bits: u8,
    components: u8,
}

const fn piece(word: u32, bits: u8, components: u8) -> Piece {
    Piece { word, bits, components }
}

/// The pieces of a pair of slots.
pub(super) type Packing = &'static [Piece];

/// Two vectors of four numbers.
pub(super) const PLAIN: Packing = &[piece(0, 32, 4), piece(4, 32, 4)];

const PACKINGS: [Packing; 8] = [
    PLAIN,
    &[piece(0, 64, 1), piece(2, 32, 2), piece(4, 64, 2)],
    &[piece(0, 32, 1), piece(2, 64, 1), piece(4, 32, 3)],
    &[piece(0, 64, 3), piece(6, 32, 2)],
    &[piece(0, 64, 3), piece(6, 64, 1)],
    &[piece(0, 64, 4)],
    &[piece(0, 64, 1), piece(2, 64, 1), piece(4, 32, 2), piece(6, 64, 1)],
    &[piece(0, 32, 2), piece(2, 64, 1), piece(4, 64, 1), piece(6, 32, 2)],
];

/// The packings of the program of `seed`, which both stages have: every second draw has packed doubles.
pub(super) fn of_seed(seed: u64) -> [Packing; 2] {
    let number = seed / 8;
    match seed % 8 {
        7 => [number, number / 8].map(|number| PACKINGS[number as usize % PACKINGS.len()]),
        _ => [PLAIN; 2],
    }
}

impl Generator<'_, '_, '_> {
    /// Stores eight words in each pair of slots.
    pub(super) fn store_packed(&mut self, words: &[Def]) {
        for (pair, words) in (0..).zip(words.chunks(8)) {
            for piece in self.interface.packings[pair as usize] {
                let units = u32::from(piece.bits / 32);
                let numbers: Vec<Def> = (0..u32::from(piece.components))
                    .map(|c| words[(piece.word + c * units) as usize..][..units as usize].to_vec())
                    .map(|words| match words[..] {
                        [word] => word,
                        _ => {
                            let both = self.b.vec(&words);
                            self.raw_alu(AluOp::pack_64_2x32, AluFlags::empty(), &[both.into()], (1, 64))
                        }
                    })
                    .collect();
                let (value, zero) = (self.b.vec(&numbers), self.b.imm32(0));
                let mut indices = place(pair, piece.word, *piece, Index::src_type);
                indices.push((Index::write_mask, (1 << piece.components) - 1));
                self.b.intrinsic_with(Intrinsic::store_output, 0, 0, &[value, zero], &indices);
            }
        }
    }

    /// Loads a part of a piece, and adds its words to the values.
    pub(super) fn packed_input(&mut self) -> Result<()> {
        let pair = self.u.int_in_range(0..=1u32)?;
        let piece = self.choose(self.interface.packings[pair as usize])?;
        let units = u32::from(piece.bits / 32);
        let first = self.u.int_in_range(0..=piece.components - 1)?;
        let word = piece.word + u32::from(first) * units;
        // A vector that does not start with the slot has to end with it.
        let room = if word % 4 == 0 { u32::MAX } else { (4 - word % 4) / units };
        let most = u32::from(piece.components - first).min(room) as u8;
        let components = self.u.int_in_range(1..=most)?;
        let zero = self.b.imm32(0);
        let indices = place(pair, word, piece, Index::dest_type);
        let value = self.b.intrinsic_with(Intrinsic::load_input, components, piece.bits, &[zero], &indices).def();
        if piece.bits == 32 {
            self.push(value, Kind::Int);
            return Ok(());
        }
        for c in 0..components {
            let number = AluSrc { def: value, swizzle: Swizzle::splat(c) };
            let words = self.raw_alu(AluOp::unpack_64_2x32, AluFlags::empty(), &[number], (2, 32));
            self.push(words, Kind::Int);
        }
        Ok(())
    }
}

/// The indices of an access to the words of a pair of slots from `word` on.
fn place(pair: u32, word: u32, piece: Piece, index: Index) -> Vec<(Index, u32)> {
    let slot = 2 * pair + word / 4;
    let io = IoSemantics { location: varying::VAR0 + slot, num_slots: 1, ..IoSemantics::default() };
    let base = if piece.bits == 64 { Base::Float } else { Base::Uint };
    vec![
        (Index::base, slot),
        (Index::range, 1),
        (Index::component, word % 4),
        (index, pack_alu_type(AluType::new(base, piece.bits))),
        (Index::io_semantics, io.pack()),
    ]
}
