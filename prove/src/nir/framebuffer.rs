// SPDX-License-Identifier: MIT

//! Reads of the framebuffer: of the texel of an input attachment at the fragment.

use super::tex::narrowed;
use super::Nir;
use crate::flow::{Machine, Step};
use crate::term::Term;
use crate::world::{self, Texel};
use ntv::analysis::framebuffer::{is_multisample, FramebufferRead};
use ntv::ir::Inst;
use ntv::op::Base;
use ntv::target::{attachment_number, Descriptor, ATTACHMENT_BINDING};
use spirv::{BuiltIn, Dim};

impl Nir<'_> {
    /// Runs a load of what an output of the framebuffer has.
    pub(super) fn framebuffer(&self, machine: &mut Machine<'_>, inst: Inst) -> Step<()> {
        let Some(read) = FramebufferRead::new(self.shader, inst) else {
            return self.unsupported(inst, "a read of the framebuffer without an attachment");
        };
        let data = self.shader.insts[inst];
        let index = read.index.map(|index| self.scalar(machine, index));
        let lane = read.lane.map(|lane| self.scalar(machine, lane));
        let mut texel = self.attachment(machine, read.slot);
        for number in 1..read.count {
            let Some(index) = index else { continue };
            let other = self.attachment(machine, read.slot + number);
            let number = machine.arena.constant(machine.arena.width(index), number.into());
            let is_it = machine.arena.equal(index, number);
            texel = texel.iter().zip(other).map(|(texel, other)| machine.arena.ite(is_it, other, *texel)).collect();
        }
        let mut terms = Vec::new();
        for c in 0..data.num_components {
            let first = usize::from((read.component + c).min(3));
            let mut term = texel[first];
            for (number, other) in (1u64..).zip(&texel[first + 1..]) {
                let Some(lane) = lane else { continue };
                let number = machine.arena.constant(machine.arena.width(lane), number);
                let is_it = machine.arena.equal(lane, number);
                term = machine.arena.ite(is_it, *other, term);
            }
            let base = if read.base == Base::Float { Base::Float } else { Base::Uint };
            terms.push(narrowed(machine.arena, term, data.bit_size, base));
        }
        self.set(machine, inst, terms);
        Ok(())
    }

    /// The texel of the attachment of a slot.
    fn attachment(&self, machine: &mut Machine<'_>, slot: u32) -> Vec<Term> {
        let set = self.target.descriptor_set(Descriptor::DefaultUniforms);
        let binding = ATTACHMENT_BINDING + attachment_number(slot).unwrap_or(0);
        let zero = machine.arena.constant(32, 0);
        let mut operands = vec![("coord", vec![zero; 2])];
        let is_multisample = is_multisample(self.shader);
        if is_multisample {
            operands.push(("ms_index", vec![world::builtin(machine.arena, BuiltIn::SampleId, 32, None, zero)]));
        }
        let shape = world::shape(Dim::DimSubpassData, false, is_multisample);
        let texture = (set, binding, None);
        Texel { operation: "fetch".into(), shape, texture, sampler: None, operands }.components(
            machine.arena,
            &[32; 4],
            2,
        )
    }
}
