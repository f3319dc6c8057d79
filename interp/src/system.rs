// SPDX-License-Identifier: MIT

//! System values: those that are computed from the workgroup or from other values, and those of the inputs.

use crate::fault::FaultKind;
use crate::machine::{workgroup_size, Machine};
use crate::Bits;
use ntv::ir::Inst;
use ntv::op::fold::mask;
use ntv::op::meaning::IntrinsicForm;
use ntv::op::{AluOp, Base, Intrinsic};
use spirv::BuiltIn;

/// Whether a system value is a boolean: 0 or 1, or all ones for true if it has 32 bits.
fn is_boolean(op: Intrinsic) -> bool {
    let by_form = matches!(op.info().form, IntrinsicForm::BuiltIn(_, Base::Bool));
    by_form || matches!(op, Intrinsic::is_helper_invocation | Intrinsic::load_is_indexed_draw)
}

impl Machine<'_> {
    pub(crate) fn load_system_value(&mut self, inst: Inst, op: Intrinsic) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let value = self.system_value(inst, op, lane);
            self.set(inst, lane, &value);
        }
    }

    /// The components of a system value; none if the inputs lack it.
    pub(crate) fn system_value(&mut self, inst: Inst, op: Intrinsic, lane: usize) -> Vec<Bits> {
        let numbers =
            self.workgroup_value(op, lane).or_else(|| self.given(op, lane)).or_else(|| self.derived(op, lane));
        match numbers {
            Some(numbers) => {
                let bits = self.shader.insts[inst].bit_size;
                let is_bool = bits == 32 && is_boolean(op);
                let number = |number: u64| if is_bool { number.wrapping_neg() } else { number };
                numbers.into_iter().map(|value| Bits::new(mask(number(value), bits))).collect()
            }
            None => {
                let kind = if op.info().srcs.is_empty() { FaultKind::MissingInput } else { FaultKind::Unsupported };
                self.fault(kind, inst, lane, op.name());
                Vec::new()
            }
        }
    }

    fn given(&self, op: Intrinsic, lane: usize) -> Option<Vec<u64>> {
        self.inputs.invocations.get(lane)?.system.get(&op).cloned()
    }

    /// The value if it follows from the numbers of the invocation and the workgroup.
    fn workgroup_value(&self, op: Intrinsic, lane: usize) -> Option<Vec<u64>> {
        let index = lane as u64;
        let subgroup_size = u64::from(self.inputs.subgroup_size.max(1));
        match builtin(op) {
            Some(BuiltIn::HelperInvocation) => return Some(vec![u64::from(self.lanes[lane].is_helper)]),
            Some(BuiltIn::SubgroupSize) => return Some(vec![subgroup_size]),
            Some(BuiltIn::SubgroupLocalInvocationId) => return Some(vec![index % subgroup_size]),
            Some(BuiltIn::SubgroupId) => return Some(vec![index / subgroup_size]),
            Some(BuiltIn::NumSubgroups) => return Some(vec![(self.lanes.len() as u64).div_ceil(subgroup_size)]),
            None if op == Intrinsic::is_helper_invocation => return Some(vec![u64::from(self.lanes[lane].is_helper)]),
            _ => {}
        }
        if !self.shader.stage().has_grid() {
            return None;
        }
        let size = workgroup_size(self.shader, self.inputs).map(u64::from);
        let count = self.inputs.workgroups.map(u64::from);
        let group = self.workgroup.map(u64::from);
        let local = [index % size[0], index / size[0] % size[1], index / (size[0] * size[1])];
        let global: [u64; 3] = std::array::from_fn(|i| group[i] * size[i] + local[i]);
        match builtin(op) {
            Some(BuiltIn::WorkgroupId) => return Some(group.to_vec()),
            Some(BuiltIn::NumWorkgroups) => return Some(count.to_vec()),
            Some(BuiltIn::LocalInvocationId) => return Some(local.to_vec()),
            Some(BuiltIn::LocalInvocationIndex) => return Some(vec![index]),
            Some(BuiltIn::GlobalInvocationId) => return Some(global.to_vec()),
            _ => {}
        }
        match op {
            Intrinsic::load_workgroup_index => Some(vec![group[0] + count[0] * (group[1] + count[1] * group[2])]),
            Intrinsic::load_workgroup_size => Some(size.to_vec()),
            Intrinsic::load_global_invocation_index => {
                let (x, y) = (count[0] * size[0], count[1] * size[1]);
                Some(vec![global[0] + x * (global[1] + y * global[2])])
            }
            Intrinsic::load_base_workgroup_id | Intrinsic::load_base_global_invocation_id => Some(vec![0; 3]),
            Intrinsic::load_work_dim => Some(vec![3]),
            _ => None,
        }
    }

    /// The value if it follows from other values of the inputs.
    fn derived(&self, op: Intrinsic, lane: usize) -> Option<Vec<u64>> {
        let first = |op| self.given(op, lane).and_then(|value| value.first().copied());
        let combined = |op: AluOp, a, b| {
            let operands = [Bits::new(first(a)?), Bits::new(first(b)?)];
            Some(vec![crate::alu::scalar(op, operands, 32).value])
        };
        match op {
            Intrinsic::load_instance_index => {
                combined(AluOp::iadd, Intrinsic::load_instance_id, Intrinsic::load_base_instance)
            }
            Intrinsic::load_vertex_id_zero_base => {
                combined(AluOp::isub, Intrinsic::load_vertex_id, Intrinsic::load_first_vertex)
            }
            Intrinsic::load_front_face_fsign => {
                let sign = if first(Intrinsic::load_front_face)? != 0 { 1f32 } else { -1f32 };
                Some(vec![sign.to_bits().into()])
            }
            Intrinsic::load_base_vertex => {
                let is_indexed = first(Intrinsic::load_is_indexed_draw)? != 0;
                Some(vec![if is_indexed { first(Intrinsic::load_first_vertex)? } else { 0 }])
            }
            Intrinsic::load_pixel_coord => {
                let coordinates = self.given(Intrinsic::load_frag_coord, lane)?;
                let pixel = coordinates.iter().take(2).map(|c| f32::from_bits(*c as u32) as u64);
                Some(pixel.collect())
            }
            Intrinsic::load_sample_pos_or_center => {
                let coordinates = self.given(Intrinsic::load_frag_coord, lane)?;
                let place = coordinates
                    .iter()
                    .take(2)
                    .map(|c| crate::alu::scalar(AluOp::ffract, [Bits::new(*c), Bits::new(0)], 32).value);
                Some(place.collect())
            }
            // Tessellation control and geometry shaders number their invocations.
            _ if builtin(op) == Some(BuiltIn::InvocationId) => Some(vec![lane as u64]),
            _ => None,
        }
    }
}

/// The SPIR-V built-in of a system value, if there is one.
fn builtin(op: Intrinsic) -> Option<BuiltIn> {
    match op.info().form {
        IntrinsicForm::BuiltIn(builtin, _) => Some(builtin),
        _ => None,
    }
}
