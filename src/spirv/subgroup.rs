// SPDX-License-Identifier: MIT

//! Subgroup operations: votes, ballots, data from other invocations, reductions and scans.
//!
//! SPIR-V 1.3 has the OpGroupNonUniform instructions; earlier versions have those of SPV_KHR_shader_ballot and
//! SPV_KHR_subgroup_vote: votes, ballots, and broadcasts of 32-bit scalars.

use super::{internal, unsupported, Emit, Result};
use crate::analysis::value_types::reduction_base;
use crate::ir::{Def, Inst, Swizzle};
use crate::op::meaning::IntrinsicForm;
use crate::op::{AluOp, Base, Index, Intrinsic};
use spirv::{Capability, GroupOperation, Op, Scope};

/// The operations of reductions and scans: on numbers, and on booleans, which are one-bit numbers in NIR (true is -1 signed).
const REDUCTIONS: &[(AluOp, Op, Op)] = &[
    (AluOp::iadd, Op::GroupNonUniformIAdd, Op::GroupNonUniformLogicalXor),
    (AluOp::fadd, Op::GroupNonUniformFAdd, NO_BOOLEANS),
    (AluOp::imul, Op::GroupNonUniformIMul, Op::GroupNonUniformLogicalAnd),
    (AluOp::fmul, Op::GroupNonUniformFMul, NO_BOOLEANS),
    (AluOp::imin, Op::GroupNonUniformSMin, Op::GroupNonUniformLogicalOr),
    (AluOp::umin, Op::GroupNonUniformUMin, Op::GroupNonUniformLogicalAnd),
    (AluOp::fmin, Op::GroupNonUniformFMin, NO_BOOLEANS),
    (AluOp::imax, Op::GroupNonUniformSMax, Op::GroupNonUniformLogicalAnd),
    (AluOp::umax, Op::GroupNonUniformUMax, Op::GroupNonUniformLogicalOr),
    (AluOp::fmax, Op::GroupNonUniformFMax, NO_BOOLEANS),
    (AluOp::iand, Op::GroupNonUniformBitwiseAnd, Op::GroupNonUniformLogicalAnd),
    (AluOp::ior, Op::GroupNonUniformBitwiseOr, Op::GroupNonUniformLogicalOr),
    (AluOp::ixor, Op::GroupNonUniformBitwiseXor, Op::GroupNonUniformLogicalXor),
];

/// There are no booleans among floats.
const NO_BOOLEANS: Op = Op::Nop;

impl Emit<'_> {
    /// Emits a subgroup operation.
    pub(super) fn subgroup(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Result<u32> {
        use Intrinsic as I;
        let form = op.info().form;
        match (form, op) {
            (IntrinsicForm::Vote(op, khr, base), _) => return self.vote(op, khr, srcs[0], base),
            (_, I::ballot | I::ballot_relaxed) => return self.ballot(inst, srcs[0]),
            (_, I::read_invocation | I::read_first_invocation) if self.m.version < (1, 3) => {
                return self.read_invocation_khr(inst, srcs);
            }
            _ => {}
        }
        if self.m.version < (1, 3) {
            return Err(unsupported(format_args!("{} before SPIR-V 1.3", op.name())));
        }
        self.m.capability(Capability::GroupNonUniform);
        match (form, op) {
            (IntrinsicForm::Move(op, capability), _) => self.move_between(inst, op, capability, srcs),
            (IntrinsicForm::QuadSwap(direction), _) => {
                let direction = self.m.uint(direction.into());
                self.quad_swap(inst, srcs[0], direction)
            }
            (IntrinsicForm::BallotQuery(op, count), _) => self.ballot_query(inst, op, count, srcs),
            (IntrinsicForm::Reduction(operation), _) => self.reduction(inst, srcs[0], operation),
            (_, I::elect) => {
                let ty = self.m.numeric(Base::Bool, 1, 1);
                let scope = self.subgroup_scope();
                Ok(self.m.value(Op::GroupNonUniformElect, ty, &[scope]))
            }
            (_, I::first_invocation) => self.end_invocation(Op::GroupNonUniformBallotFindLSB),
            (_, I::last_invocation) => self.end_invocation(Op::GroupNonUniformBallotFindMSB),
            _ => Err(unsupported(op.name())),
        }
    }

    /// The first or last active invocation.
    fn end_invocation(&mut self, find: Op) -> Result<u32> {
        let all = self.m.constant(Base::Bool, 1, 1);
        let ballot = self.ballot_of(all);
        self.find_bit(find, ballot)
    }

    fn subgroup_scope(&mut self) -> u32 {
        self.m.uint(Scope::Subgroup as u32)
    }

    /// A vote on booleans, or on whether numbers are equal as `base`: as floats, 0 equals -0, and NaN does not equal itself.
    fn vote(&mut self, op: Op, khr: Op, src: Def, base: Base) -> Result<u32> {
        let base = if self.shader.bit_size(src) == 1 { Base::Bool } else { base };
        let value = self.value(src, base)?;
        let ty = self.m.numeric(Base::Bool, 1, 1);
        if self.m.version < (1, 3) {
            self.m.capability(Capability::SubgroupVoteKHR);
            return Ok(self.m.value(khr, ty, &[value]));
        }
        self.m.capability(Capability::GroupNonUniform);
        self.m.capability(Capability::GroupNonUniformVote);
        let scope = self.subgroup_scope();
        Ok(self.m.value(op, ty, &[scope, value]))
    }

    /// The invocations for which a boolean is true, in the words of the result.
    fn ballot(&mut self, inst: Inst, src: Def) -> Result<u32> {
        let data = self.shader.insts[inst];
        let value = self.value(src, Base::Bool)?;
        let whole = self.ballot_of(value);
        self.ballot_words(whole, data.bit_size, data.num_components)
    }

    /// The first `n` words of a ballot.
    pub(super) fn ballot_words(&mut self, whole: u32, bits: u8, n: u8) -> Result<u32> {
        if bits != 32 || n > 4 {
            return Err(unsupported(format_args!("a ballot of {n} words of {bits} bits")));
        }
        Ok(self.swizzled(whole, Base::Uint, 32, 4, Swizzle::IDENTITY, n))
    }

    fn ballot_of(&mut self, value: u32) -> u32 {
        let ty = self.m.numeric(Base::Uint, 32, 4);
        if self.m.version < (1, 3) {
            self.m.capability(Capability::SubgroupBallotKHR);
            return self.m.value(Op::SubgroupBallotKHR, ty, &[value]);
        }
        self.m.capability(Capability::GroupNonUniform);
        self.m.capability(Capability::GroupNonUniformBallot);
        let scope = self.subgroup_scope();
        self.m.value(Op::GroupNonUniformBallot, ty, &[scope, value])
    }

    fn find_bit(&mut self, op: Op, ballot: u32) -> Result<u32> {
        let ty = self.m.numeric(Base::Uint, 32, 1);
        let scope = self.subgroup_scope();
        Ok(self.m.value(op, ty, &[scope, ballot]))
    }

    fn ballot_query(&mut self, inst: Inst, op: Op, count: Option<GroupOperation>, srcs: &[Def]) -> Result<u32> {
        if self.shader.num_components(srcs[0]) != 4 || self.shader.bit_size(srcs[0]) != 32 {
            return Err(internal("a ballot that is no uvec4"));
        }
        self.m.capability(Capability::GroupNonUniformBallot);
        let ballot = self.value(srcs[0], Base::Uint)?;
        let index = srcs.get(1).map(|index| self.value(*index, Base::Uint)).transpose()?;
        let base = self.base(inst.def());
        let ty = self.type_as(inst.def(), base);
        let scope = self.subgroup_scope();
        Ok(match (count, index) {
            (Some(count), _) => self.m.value(op, ty, &[scope, count as u32, ballot]),
            (None, Some(index)) => self.m.value(op, ty, &[scope, ballot, index]),
            (None, None) => self.m.value(op, ty, &[scope, ballot]),
        })
    }

    /// The value of another invocation.
    fn move_between(&mut self, inst: Inst, op: Op, capability: Capability, srcs: &[Def]) -> Result<u32> {
        self.m.capability(capability);
        let base = self.base(inst.def());
        let ty = self.type_as(inst.def(), base);
        let scope = self.subgroup_scope();
        let value = self.value(srcs[0], base)?;
        let mut operands = [scope, value, 0, 0];
        let mut len = 2;
        if let Some(other) = srcs.get(1) {
            operands[2] = self.value(*other, Base::Uint)?;
            len = 3;
        }
        match self.shader.index(inst, Index::cluster_size) {
            0 => {}
            cluster => {
                operands[3] = self.m.uint(cluster);
                len = 4;
            }
        }
        Ok(self.m.value(op, ty, &operands[..len]))
    }

    /// Broadcasts of SPV_KHR_shader_ballot.
    fn read_invocation_khr(&mut self, inst: Inst, srcs: &[Def]) -> Result<u32> {
        let data = self.shader.insts[inst];
        if data.bit_size != 32 || data.num_components != 1 {
            return Err(internal("a broadcast of other than a 32-bit scalar before SPIR-V 1.3"));
        }
        self.m.capability(Capability::SubgroupBallotKHR);
        let base = self.base(inst.def());
        let ty = self.type_as(inst.def(), base);
        let value = self.value(srcs[0], base)?;
        let Some(invocation) = srcs.get(1) else {
            return Ok(self.m.value(Op::SubgroupFirstInvocationKHR, ty, &[value]));
        };
        let invocation = self.value(*invocation, Base::Uint)?;
        Ok(self.m.value(Op::SubgroupReadInvocationKHR, ty, &[value, invocation]))
    }

    fn quad_swap(&mut self, inst: Inst, src: Def, direction: u32) -> Result<u32> {
        self.m.capability(Capability::GroupNonUniformQuad);
        let base = self.base(inst.def());
        let ty = self.type_as(inst.def(), base);
        let scope = self.subgroup_scope();
        let value = self.value(src, base)?;
        Ok(self.m.value(Op::GroupNonUniformQuadSwap, ty, &[scope, value, direction]))
    }

    /// A reduction over the subgroup or over its clusters, or a scan.
    fn reduction(&mut self, inst: Inst, src: Def, group: GroupOperation) -> Result<u32> {
        let combine = AluOp::ALL.get(self.shader.index(inst, Index::reduction_op) as usize);
        let row = combine.and_then(|combine| REDUCTIONS.iter().find(|row| row.0 == *combine));
        let (_, number, boolean) = *row.ok_or_else(|| unsupported("a reduction with this operation"))?;
        let is_bool = self.shader.bit_size(src) == 1;
        let op = if is_bool { boolean } else { number };
        if op == NO_BOOLEANS {
            return Err(unsupported("a reduction of booleans with this operation"));
        }
        let base = if is_bool { Base::Bool } else { reduction_base(self.shader, inst) };
        let value = self.value(src, base)?;
        let ty = self.type_as(inst.def(), base);
        let scope = self.subgroup_scope();
        let cluster = match group {
            GroupOperation::Reduce => self.shader.index(inst, Index::cluster_size),
            _ => 0,
        };
        if cluster != 0 {
            self.m.capability(Capability::GroupNonUniformClustered);
            let cluster = self.m.uint(cluster);
            let group = GroupOperation::ClusteredReduce as u32;
            return Ok(self.m.value(op, ty, &[scope, group, value, cluster]));
        }
        self.m.capability(Capability::GroupNonUniformArithmetic);
        Ok(self.m.value(op, ty, &[scope, group as u32, value]))
    }
}
