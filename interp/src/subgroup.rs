// SPDX-License-Identifier: MIT

//! Operations between invocations: derivatives, quads, votes, ballots, shuffles, reductions.
//!
//! A subgroup is a range of consecutive invocations, and a quad is a range of four. Only active invocations take part: the value
//! of an inactive one is undefined.

use crate::alu;
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::Bits;
use ntv::ir::{Def, Inst};
use ntv::op::fold::mask;
use ntv::op::meaning::IntrinsicForm;
use ntv::op::{AluOp, Base, Index, Intrinsic};
use spirv::{BuiltIn, GroupOperation, Op};

/// Returns a number of the given width.
type Number = fn(u8) -> u64;

/// Reductions and their identities.
const IDENTITIES: &[(AluOp, Number)] = &[
    (AluOp::iadd, |_| 0),
    (AluOp::imul, |_| 1),
    (AluOp::ior, |_| 0),
    (AluOp::ixor, |_| 0),
    (AluOp::iand, |bits| mask(u64::MAX, bits)),
    (AluOp::umin, |bits| mask(u64::MAX, bits)),
    (AluOp::umax, |_| 0),
    (AluOp::imin, |bits| mask(u64::MAX, bits) >> 1),
    (AluOp::imax, |bits| 1 << (bits - 1)),
    (AluOp::fadd, |_| 0),
    (AluOp::fmul, |bits| ntv::op::fold::from_float(1.0, bits)),
    (AluOp::fmin, |bits| ntv::op::fold::from_float(f64::INFINITY, bits)),
    (AluOp::fmax, |bits| ntv::op::fold::from_float(f64::NEG_INFINITY, bits)),
];

impl Machine<'_> {
    /// Runs `op` if it is an operation between invocations; returns whether it is.
    pub(crate) fn subgroup(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) -> bool {
        use Intrinsic::{
            ballot, ballot_relaxed, elect, first_invocation, last_invocation, quad_vote_all, quad_vote_any,
        };
        match (op.info().form, op) {
            (IntrinsicForm::Derivative(derivative), _) => self.derivative(inst, srcs[0], derivative),
            (IntrinsicForm::Vote(vote, _, base), _) => self.vote(inst, (vote, base), srcs[0], false),
            (_, quad_vote_any) => self.vote(inst, (Op::GroupNonUniformAny, Base::Bool), srcs[0], true),
            (_, quad_vote_all) => self.vote(inst, (Op::GroupNonUniformAll, Base::Bool), srcs[0], true),
            (_, ballot | ballot_relaxed) => self.ballot(inst, srcs[0]),
            (_, elect | first_invocation | last_invocation) => self.position(inst, op),
            (IntrinsicForm::BuiltIn(mask, _), _) if is_mask(mask) => self.lane_mask(inst, mask),
            (IntrinsicForm::BallotQuery(query, count), _) => self.read_ballot(inst, (query, count), srcs),
            (IntrinsicForm::Move(..) | IntrinsicForm::QuadSwap(_), _) => self.shuffle(inst, op, srcs),
            (IntrinsicForm::Reduction(operation), _) => self.reduce(inst, operation, srcs[0]),
            _ => return false,
        }
        true
    }

    /// The first invocation of the subgroup of `lane`, and the number of its invocations.
    fn subgroup_of(&self, lane: usize) -> (usize, usize) {
        let size = self.inputs.subgroup_size.max(1) as usize;
        (lane / size * size, size)
    }

    /// The active ones of the `size` invocations from `first` on.
    fn members(&self, first: usize, size: usize) -> Vec<usize> {
        self.active.iter().copied().filter(|lane| (first..first + size).contains(lane)).collect()
    }

    fn subgroup_members(&self, lane: usize) -> Vec<usize> {
        let (first, size) = self.subgroup_of(lane);
        self.members(first, size)
    }

    /// The difference between neighbours in x or y. A coarse derivative is that of the first two for all of the quad.
    fn derivative(&mut self, inst: Inst, src: Def, derivative: Op) {
        let bits = self.shader.insts[inst].bit_size;
        let step = if matches!(derivative, Op::DPdx | Op::DPdxFine | Op::DPdxCoarse) { 1 } else { 2 };
        let is_coarse = matches!(derivative, Op::DPdxCoarse | Op::DPdyCoarse);
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let low = if is_coarse { lane & !3 } else { lane & !step };
            let high = low | step;
            let components = self.value(src, lane).len();
            let both = self.active.contains(&low) && self.active.contains(&high);
            let difference = |c: usize| match both {
                true => alu::scalar(AluOp::fsub, [self.value(src, high)[c], self.value(src, low)[c]], bits),
                false => Bits::undef(bits),
            };
            let result: Vec<Bits> = (0..components).map(difference).collect();
            self.set(inst, lane, &result);
        }
    }

    /// Runs a vote of the subgroup, or of the quad.
    fn vote(&mut self, inst: Inst, (vote, base): (Op, Base), src: Def, is_quad: bool) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let members = if is_quad { self.members(lane & !3, 4) } else { self.subgroup_members(lane) };
            let values: Vec<&[Bits]> = members.iter().map(|member| self.value(src, *member)).collect();
            let inputs: Vec<Bits> = values.iter().flat_map(|value| value.iter().copied()).collect();
            let bits = self.shader.bit_size(src);
            let equal = |op: AluOp| {
                let same = |(a, b): (&Bits, &Bits)| alu::scalar(op, [*a, *b], bits).value != 0;
                values.iter().all(|value| value.iter().zip(values[0]).all(same))
            };
            let result = match (vote, base) {
                (Op::GroupNonUniformAny, _) => inputs.iter().any(|input| input.value != 0),
                (Op::GroupNonUniformAll, _) => inputs.iter().all(|input| input.value != 0),
                (_, Base::Float) => equal(AluOp::feq),
                _ => equal(AluOp::ieq),
            };
            let result = alu::all_or_nothing(u64::from(result), self.shader.insts[inst].bit_size, &inputs);
            self.set(inst, lane, &[result]);
        }
    }

    /// Sets the result of `inst` to a mask that has a bit for each invocation of the subgroup, split into components.
    fn set_mask(&mut self, inst: Inst, lane: usize, bits: u128, inputs: &[Bits]) {
        let data = self.shader.insts[inst];
        let parts = (0..u32::from(data.num_components))
            .map(|c| bits.checked_shr(c * u32::from(data.bit_size)).unwrap_or(0) as u64)
            .map(|part| alu::all_or_nothing(part, data.bit_size, inputs));
        let parts: Vec<Bits> = parts.collect();
        self.set(inst, lane, &parts);
    }

    fn ballot(&mut self, inst: Inst, src: Def) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let (first, _) = self.subgroup_of(lane);
            let members = self.subgroup_members(lane);
            let inputs: Vec<Bits> = members.iter().map(|member| self.scalar(src, *member)).collect();
            let set = members.iter().zip(&inputs).filter(|(_, input)| input.value != 0);
            let bits = set.fold(0u128, |bits, (member, _)| bits | bit(member - first));
            self.set_mask(inst, lane, bits, &inputs);
        }
    }

    fn position(&mut self, inst: Inst, op: Intrinsic) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let members = self.subgroup_members(lane);
            let (first, last) = (members[0], members[members.len() - 1]);
            let (start, _) = self.subgroup_of(lane);
            let result = match op {
                Intrinsic::elect => usize::from(lane == first),
                Intrinsic::first_invocation => first - start,
                _ => last - start,
            };
            self.set(inst, lane, &[Bits::new(result as u64)]);
        }
    }

    fn lane_mask(&mut self, inst: Inst, mask: BuiltIn) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let (first, size) = self.subgroup_of(lane);
            let own = bit(lane - first);
            let below = own.wrapping_sub(1);
            let all = bit(size).wrapping_sub(1);
            let bits = match mask {
                BuiltIn::SubgroupEqMask => own,
                BuiltIn::SubgroupLtMask => below,
                BuiltIn::SubgroupLeMask => below | own,
                BuiltIn::SubgroupGtMask => all & !(below | own),
                _ => all & !below,
            };
            self.set_mask(inst, lane, bits, &[]);
        }
    }

    /// Runs a query of the result of a ballot.
    fn read_ballot(&mut self, inst: Inst, query: (Op, Option<GroupOperation>), srcs: &[Def]) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let (first, size) = self.subgroup_of(lane);
            let width = u32::from(self.shader.bit_size(srcs[0]));
            let mut inputs = self.value(srcs[0], lane).to_vec();
            let parts = inputs.iter().enumerate();
            let ballot = parts.fold(0u128, |bits, (c, part)| {
                bits | u128::from(part.value).checked_shl(c as u32 * width).unwrap_or(0)
            }) & bit(size).wrapping_sub(1);
            let own = bit(lane - first);
            let result = match query {
                (Op::GroupNonUniformInverseBallot, _) => u64::from(ballot & own != 0),
                (Op::GroupNonUniformBallotBitExtract, _) => {
                    let index = self.scalar(srcs[1], lane);
                    inputs.push(index);
                    u64::from(ballot & bit(index.value as usize) != 0)
                }
                (_, Some(GroupOperation::ExclusiveScan)) => (ballot & own.wrapping_sub(1)).count_ones().into(),
                (_, Some(GroupOperation::InclusiveScan)) => (ballot & (own.wrapping_sub(1) | own)).count_ones().into(),
                (_, Some(_)) => ballot.count_ones().into(),
                // The result is undefined if no bit is set.
                _ if ballot == 0 => {
                    self.set(inst, lane, &[]);
                    continue;
                }
                (Op::GroupNonUniformBallotFindLSB, _) => ballot.trailing_zeros().into(),
                _ => (127 - ballot.leading_zeros()).into(),
            };
            let result = alu::all_or_nothing(result, self.shader.insts[inst].bit_size, &inputs);
            self.set(inst, lane, &[result]);
        }
    }

    fn shuffle(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let mut results = Vec::with_capacity(self.active.len());
        for lane in &self.active {
            let from = self.shuffle_source(inst, op, srcs, *lane).filter(|from| self.active.contains(from));
            results.push(from.map_or(Vec::new(), |from| self.value(srcs[0], from).to_vec()));
        }
        for (i, result) in results.iter().enumerate() {
            self.set(inst, self.active[i], result);
        }
    }

    /// The invocation whose value `lane` reads; `None` if there is none or it is undefined.
    fn shuffle_source(&self, inst: Inst, op: Intrinsic, srcs: &[Def], lane: usize) -> Option<usize> {
        let (first, size) = self.subgroup_of(lane);
        let own = lane - first;
        let argument = match srcs.get(1) {
            Some(def) => Some(self.scalar(*def, lane)).filter(|bits| bits.is_defined())?.value as usize,
            None => 0,
        };
        let from = match op {
            Intrinsic::read_first_invocation => return self.subgroup_members(lane).first().copied(),
            Intrinsic::read_invocation | Intrinsic::shuffle => argument,
            Intrinsic::shuffle_xor => own ^ argument,
            Intrinsic::shuffle_up => own.checked_sub(argument)?,
            Intrinsic::shuffle_down => own.checked_add(argument)?,
            Intrinsic::rotate => {
                let cluster = match self.shader.index(inst, Index::cluster_size) as usize {
                    0 => size,
                    cluster => cluster.min(size),
                };
                own / cluster * cluster + (own + argument) % cluster
            }
            Intrinsic::quad_broadcast => own & !3 | argument & 3,
            Intrinsic::quad_swap_horizontal => own ^ 1,
            Intrinsic::quad_swap_vertical => own ^ 2,
            _ => own ^ 3,
        };
        (from < size).then_some(first + from)
    }

    fn reduce(&mut self, inst: Inst, operation: GroupOperation, src: Def) {
        let bits = self.shader.insts[inst].bit_size;
        let alu_op = AluOp::ALL.get(self.shader.index(inst, Index::reduction_op) as usize);
        let Some((alu_op, identity)) = IDENTITIES.iter().find(|row| Some(&row.0) == alu_op) else {
            return self.fault(FaultKind::Unsupported, inst, 0, "a reduction by this operation");
        };
        let mut results = Vec::with_capacity(self.active.len());
        for lane in &self.active {
            let (first, size) = self.subgroup_of(*lane);
            let (first, size) = match self.shader.index(inst, Index::cluster_size) as usize {
                0 => (first, size),
                cluster => (first + (lane - first) / cluster * cluster, cluster.min(size)),
            };
            let mut members = self.members(first, size);
            match operation {
                GroupOperation::Reduce => {}
                GroupOperation::InclusiveScan => members.retain(|member| member <= lane),
                _ => members.retain(|member| member < lane),
            }
            let start = Bits::new(identity(bits));
            let component = |c: usize| {
                let values = members.iter().map(|member| self.value(src, *member)[c]);
                values.reduce(|all, value| alu::scalar(*alu_op, [all, value], bits)).unwrap_or(start)
            };
            results.push((0..self.value(src, *lane).len()).map(component).collect::<Vec<Bits>>());
        }
        for (i, result) in results.iter().enumerate() {
            self.set(inst, self.active[i], result);
        }
    }
}

fn is_mask(builtin: BuiltIn) -> bool {
    use BuiltIn::{SubgroupEqMask, SubgroupGeMask, SubgroupGtMask, SubgroupLeMask, SubgroupLtMask};
    matches!(builtin, SubgroupEqMask | SubgroupGeMask | SubgroupGtMask | SubgroupLeMask | SubgroupLtMask)
}

/// The bit of invocation `index`; 0 from 128 on.
fn bit(index: usize) -> u128 {
    u32::try_from(index).ok().and_then(|index| 1u128.checked_shl(index)).unwrap_or(0)
}
