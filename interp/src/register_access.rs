// SPDX-License-Identifier: MIT

//! Loads and stores of registers.

use crate::alu;
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::Bits;
use ntv::ir::{Def, Inst};
use ntv::op::fold::from_float;
use ntv::op::{AluOp, Index, Intrinsic};

impl Machine<'_> {
    /// `load_reg`, `store_reg` and their indirect forms.
    pub(crate) fn register_access(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let is_store = matches!(op, Intrinsic::store_reg | Intrinsic::store_reg_indirect);
        let register = srcs[usize::from(is_store)];
        let indirect = srcs.get(usize::from(is_store) + 1).copied();
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let is_uncertain = self.check_certain(inst, [indirect, None], lane);
            let Some(at) = self.register_element(inst, register, indirect, lane) else {
                self.set(inst, lane, &[]);
                continue;
            };
            if is_store {
                let mask = self.shader.index(inst, Index::write_mask);
                for (c, value) in self.stored(inst, srcs[0], lane).into_iter().enumerate() {
                    if mask >> c & 1 != 0 {
                        self.registers.values[at + c] = value;
                    }
                }
            } else {
                let loaded = self.loaded(inst, at);
                self.set(inst, lane, &loaded);
            }
            if is_uncertain {
                self.forget_result(inst, lane);
            }
            if is_uncertain && is_store {
                self.forget_register(register, lane);
            }
        }
    }

    /// Marks all elements of a register after a store to an undefined one.
    fn forget_register(&mut self, register: Def, lane: usize) {
        let (first, elements) = self.registers.places[register.inst()];
        let index = |index| self.shader.index(register.inst(), index);
        let start = lane * self.registers.components + first as usize;
        let all = start..start + (elements * index(Index::num_components)) as usize;
        let bits = index(Index::bit_size) as u8;
        self.registers.values[all].iter_mut().for_each(|value| *value = Bits::some(value.value, bits));
    }

    /// The first component of the element that an instruction accesses.
    fn register_element(&mut self, inst: Inst, register: Def, indirect: Option<Def>, lane: usize) -> Option<usize> {
        let decl = register.inst();
        let (first, elements) = self.registers.places[decl];
        let offset = indirect.map_or(Bits::new(0), |def| self.scalar(def, lane));
        let element = u64::from(self.shader.index(inst, Index::base)) + offset.value;
        if element >= u64::from(elements) {
            let message = format!("element {element} of a register of {elements}");
            self.fault(FaultKind::OutOfBounds, inst, lane, message);
            return None;
        }
        let components = u64::from(self.shader.index(decl, Index::num_components));
        Some(lane * self.registers.components + first as usize + (element * components) as usize)
    }

    /// The components of a register with the legacy modifiers of the load applied.
    fn loaded(&self, inst: Inst, at: usize) -> Vec<Bits> {
        let data = self.shader.insts[inst];
        let values = &self.registers.values[at..at + usize::from(data.num_components)];
        let modified = |mut value: Bits| {
            for (index, op) in [(Index::legacy_fabs, AluOp::fabs), (Index::legacy_fneg, AluOp::fneg)] {
                if self.shader.index(inst, index) != 0 {
                    value = alu::scalar(op, [value; 2], data.bit_size);
                }
            }
            value
        };
        values.iter().map(|value| modified(*value)).collect()
    }

    /// The components that a store writes, clamped if it has `legacy_fsat`.
    fn stored(&self, inst: Inst, def: Def, lane: usize) -> Vec<Bits> {
        let bits = self.shader.bit_size(def);
        let clamps = self.shader.index(inst, Index::legacy_fsat) != 0;
        let one = Bits::new(from_float(1.0, bits.max(16)));
        let values = self.value(def, lane).iter();
        values.map(|value| if clamps { alu::scalar(AluOp::fsat, [*value, one], bits) } else { *value }).collect()
    }
}
