// SPDX-License-Identifier: MIT

//! Operations that move a value from one invocation to another.

use super::{narrow_int, Call, Lower};
use crate::ir::Def;
use crate::op::AluOp;
use crate::op::Intrinsic::*;
use crate::target::Feature;

impl Lower<'_, '_> {
    pub(super) fn moved(&mut self, call: &Call) -> Option<Def> {
        match (call.op, call.other) {
            (rotate, Some(distance)) if !self.rotates(call.cluster) => {
                let invocation = self.rotated(distance, call.cluster);
                return Some(self.call(&Call { op: shuffle, other: Some(invocation), cluster: 0, ..*call }));
            }
            (read_invocation, Some(invocation)) if !self.broadcasts_from(invocation) => {
                return Some(self.call(&Call { op: shuffle, ..*call }));
            }
            (quad_broadcast, Some(invocation)) if !self.broadcasts_from(invocation) => {
                return Some(self.pick_of_quad(call, invocation));
            }
            _ => {}
        }
        if self.is_old() && call.components > 1 {
            return Some(
                self.per_component(call.value, |l, part| l.call(&Call { components: 1, value: part, ..*call })),
            );
        }
        self.moved_as_words(call)
    }

    /// Moves a value of a width that the target does not take, as words of 32 bits.
    fn moved_as_words(&mut self, call: &Call) -> Option<Def> {
        match call.bits {
            1 if self.is_old() => {
                let number = self.builder.alu(AluOp::b2i32, &[call.value]);
                let moved = self.call(&Call { bits: 32, value: number, ..*call });
                let zero = self.builder.imm32(0);
                Some(self.builder.alu(AluOp::ine, &[moved, zero]))
            }
            bits if self.takes_width(bits) => None,
            64 => Some(self.per_component(call.value, |l, part| {
                l.by_halves(part, |l, half| l.call(&Call { components: 1, bits: 32, value: half, ..*call }))
            })),
            bits => {
                let wide = self.builder.alu(AluOp::u2u32, &[call.value]);
                let moved = self.call(&Call { bits: 32, value: wide, ..*call });
                Some(self.builder.alu(narrow_int(bits), &[moved]))
            }
        }
    }

    fn rotates(&self, cluster: u32) -> bool {
        !self.is_old()
            && self.target.has(Feature::shaderSubgroupRotate)
            && (cluster == 0 || self.target.has(Feature::shaderSubgroupRotateClustered))
    }

    /// Whether the target supports a broadcast from `invocation` (OpGroupNonUniformBroadcast, OpGroupNonUniformQuadBroadcast).
    fn broadcasts_from(&self, invocation: Def) -> bool {
        let dynamic = self.target.spirv_version() >= (1, 5) && self.target.has(Feature::subgroupBroadcastDynamicId);
        self.is_old() || dynamic || self.builder.shader.as_const(invocation).is_some()
    }

    /// The index of the invocation at `distance` from this one, within clusters of `cluster`, or in the subgroup if that is 0.
    fn rotated(&mut self, distance: Def, cluster: u32) -> Def {
        let own = self.system_value(load_subgroup_invocation);
        let sum = self.builder.iadd(own, distance);
        if cluster == 0 {
            // Subgroup sizes are powers of two.
            let minus_one = self.builder.imm32(u32::MAX);
            let size = self.system_value(load_subgroup_size);
            let mask = self.builder.iadd(size, minus_one);
            return self.builder.alu(AluOp::iand, &[sum, mask]);
        }
        let mask = cluster.wrapping_sub(1);
        let within = self.builder.iand_imm(sum, u64::from(mask));
        let base = self.builder.iand_imm(own, u64::from(!mask));
        self.builder.alu(AluOp::ior, &[base, within])
    }

    /// The value of the invocation of the quad with a dynamic index: the values of all four are broadcast, and one is selected.
    fn pick_of_quad(&mut self, call: &Call, invocation: Def) -> Def {
        let from = |l: &mut Self, index| {
            let other = Some(l.builder.imm32(index));
            l.call(&Call { other, ..*call })
        };
        let mut picked = from(self, 0);
        for index in 1..4 {
            let value = from(self, index);
            let index = self.builder.imm32(index);
            let is_it = self.builder.alu(AluOp::ieq, &[invocation, index]);
            let is_it = self.builder.swizzle(is_it, &[0; 4][..usize::from(call.components)]);
            picked = self.builder.alu(AluOp::bcsel, &[is_it, value, picked]);
        }
        picked
    }
}
