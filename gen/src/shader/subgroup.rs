// SPDX-License-Identifier: MIT

//! Operations between invocations, where all of them are active.
//!
//! A driver's subgroups may have any size from four on, so shaders for a driver only exchange values within four neighbouring
//! invocations. A driver may also choose the invocations of a subgroup: lavapipe takes them from one row of the workgroup.

use super::{Generator, Kind, Purpose, Shape};
use arbitrary::Result;
use ntv::ir::Def;
use ntv::op::{AluOp, Index, Intrinsic};

/// Moves within four invocations.
const QUAD: &[Intrinsic] =
    &[Intrinsic::quad_swap_horizontal, Intrinsic::quad_swap_vertical, Intrinsic::quad_swap_diagonal];

/// Reductions whose result does not depend on the order.
const REDUCTIONS: &[AluOp] = &[
    AluOp::iadd,
    AluOp::imul,
    AluOp::imin,
    AluOp::umin,
    AluOp::imax,
    AluOp::umax,
    AluOp::iand,
    AluOp::ior,
    AluOp::ixor,
];

impl Generator<'_, '_, '_> {
    pub(super) fn between_invocations(&mut self) -> Result<()> {
        let row = self.b.shader.info.workgroup_size[0];
        let in_fours = self.b.shader.stage().is_compute() && row.is_multiple_of(4);
        if self.depth != 0 || !in_fours {
            return self.arithmetic();
        }
        match self.u.int_in_range(0..=4)? {
            0 | 1 => self.moved(),
            2 => self.ballot_of_four(),
            _ if self.purpose == Purpose::Driver => self.moved(),
            3 => self.reduced(),
            _ => self.voted(),
        }
    }

    /// A value of another of the four invocations.
    fn moved(&mut self) -> Result<()> {
        let kind = self.choose(&[Kind::Int, Kind::Float])?;
        let components = self.u.int_in_range(1..=4)?;
        let bits = if self.purpose == Purpose::Driver { 32 } else { self.choose(&[32, 32, 16, 64])? };
        let value = self.value_of(Shape { kind, bits, components })?;
        let (op, srcs) = match self.u.int_in_range(0..=3)? {
            0 => {
                let number = self.u.int_in_range(0..=3)?;
                (Intrinsic::quad_broadcast, vec![value, self.b.imm32(number)])
            }
            1 => {
                let mask = self.u.int_in_range(1..=3)?;
                (Intrinsic::shuffle_xor, vec![value, self.b.imm32(mask)])
            }
            2 => {
                let own = self.first_of_four();
                let index = self.small_index(4)?;
                (Intrinsic::shuffle, vec![value, self.b.iadd(own, index)])
            }
            _ => (self.choose(QUAD)?, vec![value]),
        };
        let def = self.b.intrinsic(op, components, bits, &srcs).def();
        self.push(def, kind);
        Ok(())
    }

    /// The number of the first of the four within the subgroup.
    fn first_of_four(&mut self) -> Def {
        let own = self.b.intrinsic(Intrinsic::load_subgroup_invocation, 1, 32, &[]).def();
        self.b.iand_imm(own, 0xffff_fffc)
    }

    /// A ballot of the four invocations; subgroups have up to 32 invocations.
    fn ballot_of_four(&mut self) -> Result<()> {
        let cond = self.value_of(Shape::CONDITION)?;
        let ballot = self.b.intrinsic(Intrinsic::ballot, 4, 32, &[cond]).def();
        let (word, first) = (self.b.channel(ballot, 0), self.first_of_four());
        let own = self.b.alu(AluOp::ushr, &[word, first]);
        let own = self.b.iand_imm(own, 15);
        self.push(own, Kind::Int);
        Ok(())
    }

    fn reduced(&mut self) -> Result<()> {
        let op = self.choose(&[Intrinsic::reduce, Intrinsic::inclusive_scan, Intrinsic::exclusive_scan])?;
        let by = self.choose(REDUCTIONS)?;
        let bits = self.choose(&[32, 32, 8, 16, 64])?;
        let components = self.u.int_in_range(1..=4)?;
        let value = self.value_of(Shape { kind: Kind::Int, bits, components })?;
        let indices = [(Index::reduction_op, by as u32)];
        let def = self.b.intrinsic_with(op, components, bits, &[value], &indices).def();
        self.push(def, Kind::Int);
        Ok(())
    }

    fn voted(&mut self) -> Result<()> {
        let op = self.choose(&[Intrinsic::vote_any, Intrinsic::vote_all, Intrinsic::vote_ieq])?;
        let shape = if op == Intrinsic::vote_ieq { Shape::INDEX } else { Shape::CONDITION };
        let value = self.value_of(shape)?;
        let def = self.b.intrinsic(op, 1, 1, &[value]).def();
        self.push(def, Kind::Bool);
        Ok(())
    }
}
