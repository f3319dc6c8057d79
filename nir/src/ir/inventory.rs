// SPDX-License-Identifier: MIT

//! The kinds of instructions in a shader: without a search, it shows which instructions a shader does not have, and which
//! [facts](Facts) decide about passes and checks.
//!
//! Every instruction that is appended or changed is added, none is removed: an opcode that is not listed is nowhere in the
//! shader; a listed one may have been removed since. The same holds for inputs and outputs. Debug builds check after each pass
//! that the list is complete.

use super::{
    ArrayIndex, Capture, Cf, Deref, DerefKind, Inst, InstData, InstKind, Shader, Stage, Tex, Var, VarFlags, Variable,
};
use crate::entity::{Id, Slice};
use crate::op::names::{frag_result, varying, IoFlags, IoSemantics, IoXfb, SlotKind};
use crate::op::{slots, AluSet, AtomicOp, Base, Facts, Index, Intrinsic, IntrinsicSet, Modes, TexSrcKind};

/// The opcodes and facts that a shader has, or has had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    facts: Facts,
    /// The number of derefs that its intrinsics take, each counted again when it changes.
    num_pointers: u32,
    alu: AluSet,
    intrinsics: IntrinsicSet,
    /// A bit for each Location that is taken: of inputs, of outputs, and both again of patches.
    locations: [u64; 4],
    /// A bit for each slot that is accessed by slot: of inputs, and of outputs.
    slots: [u64; 2],
}

/// The modes of private memory.
const OWN_MEMORY: Modes = Modes::FUNCTION_TEMP.union(Modes::SHADER_TEMP);
const IO: Modes = Modes::SHADER_IN.union(Modes::SHADER_OUT);

impl Inventory {
    #[inline(always)]
    fn add_result(&mut self, data: &InstData) {
        self.facts |= Facts::widths(data.bit_size);
        if data.num_components > 4 {
            self.facts |= Facts::WIDE_VECTORS;
        }
    }

    /// Adds an access by slot, and returns its facts.
    fn add_slot(&mut self, is_output: bool, index: impl Fn(Index) -> u32) -> Facts {
        let io = IoSemantics::unpack(index(Index::io_semantics));
        self.slots[usize::from(is_output)] |= 1u64.checked_shl(io.location).unwrap_or(0);
        let is_captured =
            [Index::io_xfb, Index::io_xfb2].into_iter().any(|pair| IoXfb::unpack(index(pair)).is_capture());
        let is_unusual =
            io.flags.intersects(IoFlags::HIGH_16BITS | IoFlags::PERVIEW) || io.gs_streams != 0 || is_captured;
        if is_unusual {
            Facts::UNUSUAL_SLOTS
        } else {
            Facts::empty()
        }
    }

    /// True if one of these facts may hold, of those that are recorded while instructions and variables are added:
    /// [`Shader::facts`] has the others, too.
    pub fn may_have(&self, facts: Facts) -> bool {
        self.facts.intersects(facts)
    }

    /// True if there may be one of these ALU operations.
    pub fn has_any_alu(&self, ops: &AluSet) -> bool {
        self.alu.intersects(ops)
    }

    /// True if there may be such an intrinsic.
    pub fn has(&self, op: Intrinsic) -> bool {
        self.intrinsics.contains(op)
    }

    /// True if there may be one of these intrinsics.
    #[inline]
    pub fn has_any(&self, ops: &[Intrinsic]) -> bool {
        ops.iter().any(|op| self.has(*op))
    }

    /// True if all intrinsics are in this set.
    #[inline]
    pub fn has_no_other(&self, ops: &IntrinsicSet) -> bool {
        ops.has_all(&self.intrinsics)
    }

    /// True if there may be one of the intrinsics of this set.
    #[inline]
    pub fn has_some(&self, ops: &IntrinsicSet) -> bool {
        self.intrinsics.intersects(ops)
    }

    /// The intrinsics that may be in the shader.
    pub fn intrinsics(&self) -> impl Iterator<Item = Intrinsic> + '_ {
        self.intrinsics.iter()
    }

    /// The slots of inputs and of outputs that may be accessed by slot: a bit for each of the first 64.
    pub fn slots(&self) -> [u64; 2] {
        self.slots
    }

    /// The number of derefs that its intrinsics take, if none has changed since it was made.
    pub fn num_pointers(&self) -> usize {
        self.num_pointers as usize
    }
}

impl Shader {
    /// Adds an instruction.
    #[inline(always)]
    pub(super) fn enter(&mut self, inst: Inst, data: InstData) {
        let has = &mut self.inventory;
        has.add_result(&data);
        match data.kind {
            InstKind::Alu { op, .. } => {
                has.alu.insert(op);
                if op.info().lowered.may_have(data.bit_size) {
                    self.enter_lowered_alu(inst);
                }
            }
            InstKind::Intrinsic { op, srcs, indices } => {
                let info = op.info();
                has.intrinsics.insert(op);
                has.num_pointers += u32::from(info.pointers);
                if !info.facts.is_empty() {
                    self.enter_intrinsic_facts(inst, data, op, (srcs, indices));
                }
            }
            InstKind::Deref(deref) => {
                let deref = self.derefs[deref];
                self.enter_step(data, deref, is_usual_step(deref.kind));
            }
            InstKind::Tex(tex) => self.enter_tex(data, tex),
            InstKind::Phi(_) => has.facts |= Facts::PHIS,
            InstKind::Jump(_) => has.facts |= Facts::JUMPS,
            InstKind::Const(_) | InstKind::Undef => {}
        }
    }

    /// Adds a deref. `is_usual` is true for those of which [`Facts::UNUSUAL_STEPS`] has none.
    #[inline(always)]
    pub(super) fn enter_step(&mut self, data: InstData, deref: Deref, is_usual: bool) {
        let has = &mut self.inventory;
        has.add_result(&data);
        has.facts |= Facts::derefs(deref.modes);
        if !is_usual {
            has.facts |= Facts::UNUSUAL_STEPS;
        }
    }

    /// Adds an ALU operation that may have to be lowered, if its first operand has the width for it.
    #[inline(never)]
    fn enter_lowered_alu(&mut self, inst: Inst) {
        if self.is_lowered(inst) {
            self.inventory.facts |= Facts::LOWERED_ALU;
        }
    }

    /// Adds a texture operation.
    #[inline(never)]
    fn enter_tex(&mut self, data: InstData, tex: Tex) {
        let (facts, tex) = (&mut self.inventory.facts, &self.texs[tex]);
        *facts |= Facts::TEXTURES;
        if tex.src(TexSrcKind::texture_deref).is_none() {
            *facts |= Facts::UNNAMED_TEXTURES;
        }
        if tex.joins_residency(data.num_components) {
            *facts |= Facts::JOINED_RESIDENCY;
        }
    }

    /// Whether `inst` stores a constant to private memory.
    fn stores_to_table(&self, inst: Inst) -> bool {
        let Some((Intrinsic::store_deref, &[pointer, value])) = self.as_intrinsic(inst) else { return false };
        matches!(self.def(value).kind, InstKind::Const(_))
            && self.as_deref(pointer).is_some_and(|pointer| pointer.modes.intersects(OWN_MEMORY))
    }

    /// Whether `inst` is an ALU operation that SPIR-V does not have.
    #[inline]
    pub fn is_lowered(&self, inst: Inst) -> bool {
        let InstData { num_components, bit_size, kind } = self.insts[inst];
        let InstKind::Alu { op, srcs, .. } = kind else { return false };
        let lowered = op.info().lowered;
        lowered.may_have(bit_size) && {
            let first = self.alu_srcs[srcs].first();
            first.is_some_and(|src| lowered.has(num_components, bit_size, self.bit_size(src.def)))
        }
    }

    /// Adds the facts of an intrinsic that has some.
    #[inline(never)]
    fn enter_intrinsic_facts(&mut self, inst: Inst, data: InstData, op: Intrinsic, (srcs, indices): (Slice, Slice)) {
        use Intrinsic::*;
        let index = |index| {
            let value = op.info().index_slot(index).and_then(|slot| self.indices[indices].get(slot));
            value.copied().unwrap_or_default()
        };
        let mut facts = op.info().facts;
        if let Some(io) = op.meaning().io {
            facts |= self.inventory.add_slot(io.is_output, index);
        }
        match op {
            store_deref => facts.set(Facts::PRIVATE_CONSTANTS, self.stores_to_table(inst)),
            load_front_face | load_helper_invocation => facts.set(Facts::SYSTEM_VALUES, data.bit_size != 1),
            load_global_invocation_id => facts.set(Facts::SYSTEM_VALUES, data.bit_size != 32),
            load_input => {
                let is_face = IoSemantics::unpack(index(Index::io_semantics)).location == varying::FACE;
                facts.set(Facts::SYSTEM_VALUES, is_face && self.stage() == Stage::Fragment);
            }
            deref_atomic | deref_atomic_swap => {
                let operation = AtomicOp::ALL.get(index(Index::atomic_op) as usize);
                facts.set(Facts::LOWERED_ATOMICS, operation.is_some_and(|operation| operation.is_lowered()));
            }
            image_deref_sparse_load | image_sparse_load | bindless_image_sparse_load => {
                facts.set(Facts::JOINED_RESIDENCY, data.num_components == 5);
            }
            _ if facts.contains(Facts::PICKED_BLOCKS) => {
                let block = op.info().memory.and_then(|access| access.block).unwrap_or_default();
                facts.set(Facts::PICKED_BLOCKS, !self.is_constant_source(srcs, block.into()));
            }
            _ => {}
        }
        self.inventory.facts |= facts;
    }

    /// Whether this source is a constant that was made before.
    #[inline(always)]
    fn is_constant_source(&self, srcs: Slice, at: usize) -> bool {
        let source = self.srcs[srcs].get(at).and_then(|source| self.insts.get(source.inst()));
        matches!(source, Some(InstData { kind: InstKind::Const(_), .. }))
    }

    /// Declares a variable.
    #[inline(always)]
    pub fn declare(&mut self, variable: Variable) -> Var {
        let var = self.vars.push(variable);
        if self.vars[var].mode.intersects(IO | OWN_MEMORY) {
            self.enter_variable(var);
        }
        var
    }

    /// Sets the buffer and offset to which transform feedback writes an output.
    pub fn set_capture(&mut self, var: Var, capture: Capture) {
        self.vars[var].capture = Some(capture);
        self.inventory.facts |= Facts::CAPTURED_OUTPUTS;
    }

    /// Adds an input, an output, or a private variable.
    #[inline(never)]
    fn enter_variable(&mut self, var: Var) {
        let mut locations = self.inventory.locations;
        self.inventory.facts |= self.facts_of_variable(var, &mut locations);
        self.inventory.locations = locations;
    }

    /// The facts of a variable if others have these Locations.
    fn facts_of_variable(&self, var: Var, locations: &mut [u64; 4]) -> Facts {
        let Variable { ty, mode, location, driver_location, flags, values, capture, .. } = self.vars[var];
        if mode.intersects(OWN_MEMORY) {
            return if values.is_some() { Facts::PRIVATE_CONSTANTS } else { Facts::empty() };
        }
        let (stage, is_output) = (self.stage(), mode == Modes::SHADER_OUT);
        let kind = stage.slot_kind(is_output);
        let builtins = slots::builtins(kind, stage == Stage::Fragment && !is_output);
        let is_builtin = location.is_some_and(|slot| matches!(builtins.get(slot as usize), Some(Some(_))));
        let vector = self.types.as_vector(ty).map(|(scalar, _)| scalar);
        let mut facts = Facts::empty();
        facts.set(Facts::CAPTURED_OUTPUTS, capture.is_some());
        if is_builtin && is_output && matches!(location, Some(varying::CLIP_DIST0..=varying::CULL_DIST1)) {
            facts |= Facts::DISTANCES;
        }
        if let Some(scalar) = vector.or_else(|| self.types.scalar_of(ty)) {
            if matches!(scalar.bits, 8 | 16) || is_builtin && scalar.base == Base::Int {
                facts |= Facts::ODD_IO_TYPES;
            }
        }
        if kind == SlotKind::FragResult {
            if location == Some(frag_result::COLOR) {
                facts |= Facts::FRAG_COLOR;
            }
            if flags.contains(VarFlags::FB_FETCH_OUTPUT) {
                facts |= Facts::FETCHED_OUTPUTS;
            }
        } else if location.is_some() && !is_builtin {
            let count = match vector {
                Some(scalar) if scalar.bits < 64 => 1,
                _ => self.num_slots(var),
            };
            // Patches have Locations of their own.
            let taken = &mut locations[usize::from(is_output) | usize::from(flags.contains(VarFlags::PATCH)) << 1];
            // There is one bit for each Location, but there may be more Locations.
            if driver_location >= 64 || count > 63 - driver_location {
                return facts | Facts::SHARED_LOCATIONS;
            }
            let own = ((1 << count) - 1) << driver_location;
            if *taken & own != 0 {
                facts |= Facts::SHARED_LOCATIONS;
            }
            *taken |= own;
        }
        facts
    }

    /// Adds the facts of the code after the last item of the control flow list, if the next instruction is at position `at`:
    /// constant ifs, and code after a jump, need a clean-up.
    #[inline(always)]
    pub(super) fn enter_cf(&mut self, cf: Cf, at: usize) {
        if let Cf::If { cond, .. } = cf {
            if matches!(self.insts.get(cond.inst()), Some(InstData { kind: InstKind::Const(_), .. })) {
                self.inventory.facts |= Facts::UNTIDY;
            }
        }
        if self.inventory.may_have(Facts::JUMPS) {
            self.enter_cf_after_jump(cf, at);
        }
    }

    #[inline(never)]
    fn enter_cf_after_jump(&mut self, cf: Cf, at: usize) {
        let (Cf::If { .. } | Cf::Loop | Cf::EndLoop, Some(Cf::Block(block))) = (cf, self.cf.last()) else { return };
        if at > self.blocks[*block].start as usize {
            // The order is set when all items are present.
            let last = self.order.get(at - 1).copied().unwrap_or(Inst::from_index(at - 1));
            if matches!(self.insts[last].kind, InstKind::Jump(_)) {
                self.inventory.facts |= Facts::UNTIDY;
            }
        }
    }

    /// The facts about the shader: of its instructions and variables, and of the header and the types.
    #[inline]
    pub fn facts(&self) -> Facts {
        let mut facts = self.inventory.facts;
        if self.types.has_64_bits() {
            facts |= Facts::TYPES_64;
        }
        if self.info.says_locations() {
            facts |= Facts::SHARED_LOCATIONS;
        }
        if !self.xfb_info.is_empty() {
            facts |= Facts::CAPTURED_SLOTS;
        }
        if !self.is_tidy {
            facts |= Facts::UNTIDY;
            // The stored value may have become a constant.
            facts.set(Facts::PRIVATE_CONSTANTS, facts.intersects(Facts::derefs(OWN_MEMORY)));
        }
        match self.stage() {
            Stage::Fragment => return facts,
            Stage::Vertex => facts |= Facts::VERTEX_STAGE,
            Stage::Geometry if self.info.vertices_out == 0 => facts |= Facts::GEOMETRY_STAGE | Facts::NO_VERTICES,
            Stage::Geometry => facts |= Facts::GEOMETRY_STAGE,
            // The counts are instructions of SPIR-V, too.
            Stage::Mesh => facts = (facts - Facts::VERTEX_COUNTERS) | Facts::MESH_STAGE,
            Stage::Kernel => facts |= Facts::KERNEL_STAGE,
            _ => {}
        }
        facts - Facts::FRAMEBUFFER_READS
    }

    /// Forgets the facts of the instructions that were removed.
    pub fn record_again(&mut self) {
        // Control flow does not change.
        let of_control_flow = self.inventory.facts & Facts::UNTIDY;
        self.inventory = Inventory::default();
        self.inventory.facts = of_control_flow;
        let is_recorded = |var: &Var| self.vars[*var].mode.intersects(IO | OWN_MEMORY);
        let vars: Vec<Var> = self.vars.ids().filter(is_recorded).collect();
        vars.into_iter().for_each(|var| self.enter_variable(var));
        for at in 0..self.order.len() {
            let inst = self.order[at];
            self.enter(inst, self.insts[inst]);
        }
    }

    /// The facts of the instructions and variables that are there now, recorded again: those that passes have removed are gone.
    /// For the checks of debug builds. Fails with one that was never recorded.
    pub fn recorded_again(&self) -> Result<Facts, String> {
        let mut copy = self.clone();
        copy.record_again();
        let (old, new) = (&self.inventory, &copy.inventory);
        let facts = new.facts - old.facts - Facts::INEXACT;
        match facts.is_empty() && old.alu.has_all(&new.alu) && old.intrinsics.has_all(&new.intrinsics) {
            true => Ok(copy.facts()),
            false => Err(format!("not recorded: {facts:?}, or an opcode")),
        }
    }

    /// The number of slots of an input or output, without the array over vertices.
    #[inline]
    pub fn num_slots(&self, var: Var) -> u32 {
        let Variable { ty, mode, location, flags, .. } = self.vars[var];
        let is_arrayed = self.stage().is_per_vertex(mode == Modes::SHADER_OUT, location.unwrap_or(0));
        let ty = match self.types.as_array(ty) {
            Some((elem, _)) if is_arrayed && !flags.contains(VarFlags::PATCH) => elem,
            _ => ty,
        };
        self.types.slots(ty).max(1)
    }
}

#[inline(always)]
fn is_usual_step(kind: DerefKind) -> bool {
    matches!(kind, DerefKind::Var(_) | DerefKind::Struct { .. } | DerefKind::Array { index: ArrayIndex::Imm(_), .. })
}
