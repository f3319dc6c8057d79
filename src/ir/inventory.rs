// SPDX-License-Identifier: MIT

//! The kinds of instructions in a shader: without a search, it shows which instructions a shader does not have, and which
//! passes it needs.
//!
//! Every instruction that is appended or changed is added, none is removed: an opcode that is not listed is nowhere in the
//! shader; a listed one may have been removed since. The same holds for inputs and outputs. Debug builds check after each pass
//! that the list is complete.

use super::{
    ArrayIndex, Capture, Cf, Deref, DerefKind, Inst, InstData, InstKind, Shader, Stage, Var, VarFlags, Variable,
};
use crate::entity::{Id, Slice};
use crate::op::names::{frag_result, varying, IoSemantics, SlotKind};
use crate::op::{slots, AluSet, Base, Index, Intrinsic, IntrinsicSet, Modes, Needs};

/// The opcodes, derefs and sizes that a shader has, or has had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Needs that do not follow from the other fields.
    needs: Needs,
    modes: Modes,
    /// The number of derefs that its intrinsics take, each counted again when it changes.
    num_pointers: u32,
    /// A bit for each width of a result: 1, 8, 16, 32 and 64 are powers of two.
    widths: u8,
    has_phis: bool,
    has_textures: bool,
    has_jumps: bool,
    has_unusual_steps: bool,
    has_wide_vectors: bool,
    alu: AluSet,
    intrinsics: IntrinsicSet,
    outputs: Outputs,
    /// A bit for each Location that is taken: of inputs, of outputs, and both again of patches.
    locations: [u64; 4],
}

/// Information about stores to outputs, while each output is stored to once, with a deref of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Outputs {
    /// A bit for each variable that has a deref.
    pointed_to: u64,
    /// A bit for the number of each deref that was stored to, modulo their count.
    stored_to: u64,
    /// The highest number of such a deref.
    last: u32,
}

/// The modes of private memory, which passes handle.
const OWN_MEMORY: Modes = Modes::FUNCTION_TEMP.union(Modes::SHADER_TEMP);
const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO);
const IO: Modes = Modes::SHADER_IN.union(Modes::SHADER_OUT);

impl Inventory {
    #[inline(always)]
    fn add_result(&mut self, data: &InstData) {
        self.widths |= data.bit_size;
        self.has_wide_vectors |= data.num_components > 4;
    }

    /// The needs that follow from the instructions.
    fn needs(&self) -> Needs {
        let mut needs = self.needs;
        needs.set(Needs::BUFFER_DEREFS, self.modes.intersects(BUFFERS));
        needs.set(Needs::PLACED_BLOCKS, self.modes.contains(Modes::UBO));
        needs.set(Needs::WIDE_VECTORS, self.has_wide_vectors);
        needs.set(Needs::DOUBLES | Needs::INT64, self.has_width(64));
        needs.set(Needs::NARROW, self.has_width(8 | 16));
        if self.has_unusual_steps && self.modes.intersects(BUFFERS) {
            needs |= Needs::BLOCK_INDICES;
        }
        if self.modes.contains(Modes::GLOBAL) {
            needs |= Needs::GLOBAL_MEMORY;
        }
        if !self.modes.contains(Modes::SHADER_OUT) {
            needs -= Needs::REPEATED_STORES;
        }
        needs
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
    pub fn has_any(&self, ops: &[Intrinsic]) -> bool {
        ops.iter().any(|op| self.has(*op))
    }

    /// True if all intrinsics are in this set.
    pub fn has_no_other(&self, ops: &IntrinsicSet) -> bool {
        ops.has_all(&self.intrinsics)
    }

    /// True if there may be one of the intrinsics of this set.
    pub fn has_some(&self, ops: &IntrinsicSet) -> bool {
        self.intrinsics.intersects(ops)
    }

    /// The intrinsics that may be in the shader.
    pub fn intrinsics(&self) -> impl Iterator<Item = Intrinsic> + '_ {
        self.intrinsics.iter()
    }

    /// True if there may be a deref of memory of one of these modes.
    pub fn has_derefs(&self, modes: Modes) -> bool {
        self.modes.intersects(modes)
    }

    /// True if there may be a result of this width.
    pub fn has_width(&self, bits: u8) -> bool {
        self.widths & bits != 0
    }

    /// True if there may be a phi.
    pub fn has_phis(&self) -> bool {
        self.has_phis
    }

    /// True if there may be a texture operation.
    pub fn has_textures(&self) -> bool {
        self.has_textures
    }

    /// True if there may be a deref other than of a variable, a member, or an element with a constant index: if not, no element
    /// has a dynamic index.
    pub fn has_unusual_steps(&self) -> bool {
        self.has_unusual_steps
    }

    /// The number of derefs that its intrinsics take, if none has changed since it was made.
    pub fn num_pointers(&self) -> usize {
        self.num_pointers as usize
    }

    /// True if there may be a jump.
    pub fn has_jumps(&self) -> bool {
        self.has_jumps
    }

    /// True if there may be a vector of more than four components.
    pub fn has_wide_vectors(&self) -> bool {
        self.has_wide_vectors
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
                    self.enter_odd_alu(inst);
                }
            }
            InstKind::Intrinsic { op, srcs, indices } => {
                let info = op.info();
                has.intrinsics.insert(op);
                has.num_pointers += u32::from(info.pointers);
                if !info.needs.is_empty() {
                    self.enter_odd_intrinsic(inst, data, op, (srcs, indices));
                }
            }
            InstKind::Deref(deref) => {
                let deref = self.derefs[deref];
                self.enter_step(data, deref, is_usual_step(deref.kind));
            }
            InstKind::Tex(tex) => {
                has.has_textures = true;
                has.needs |= Needs::TEXTURES | Needs::TEXTURE_OPERANDS;
                has.needs.set(Needs::RESIDENCY, has.needs.contains(Needs::RESIDENCY) | self.texs[tex].is_sparse);
            }
            InstKind::Phi(_) => has.has_phis = true,
            InstKind::Jump(_) => has.has_jumps = true,
            InstKind::Const(_) | InstKind::Undef => {}
        }
    }

    /// Adds a deref. `is_usual` is true for those that [`Inventory::has_unusual_steps`] does not report.
    #[inline(always)]
    pub(super) fn enter_step(&mut self, data: InstData, deref: Deref, is_usual: bool) {
        let has = &mut self.inventory;
        has.add_result(&data);
        has.modes |= deref.modes;
        has.has_unusual_steps |= !is_usual;
        if deref.modes.intersects(Modes::SHADER_OUT) {
            self.enter_step_to_output(deref);
        }
    }

    /// Adds an ALU operation that may have to be lowered, if its first operand has the width for it.
    #[inline(never)]
    fn enter_odd_alu(&mut self, inst: Inst) {
        if self.is_lowered(inst) {
            self.inventory.needs |= Needs::LOWERED_ALU;
        }
    }

    /// Whether `inst` stores a constant to private memory.
    fn stores_to_table(&self, inst: Inst) -> bool {
        let Some((Intrinsic::store_deref, &[pointer, value])) = self.as_intrinsic(inst) else { return false };
        matches!(self.def(value).kind, InstKind::Const(_))
            && self.as_deref(pointer).is_some_and(|pointer| pointer.modes.intersects(OWN_MEMORY))
    }

    /// Whether `inst` is an ALU operation that SPIR-V does not have.
    pub fn is_lowered(&self, inst: Inst) -> bool {
        let InstData { num_components, bit_size, kind } = self.insts[inst];
        let InstKind::Alu { op, srcs, .. } = kind else { return false };
        let lowered = op.info().lowered;
        lowered.may_have(bit_size) && {
            let first = self.alu_srcs[srcs].first();
            first.is_some_and(|src| lowered.has(num_components, bit_size, self.bit_size(src.def)))
        }
    }

    /// Adds an intrinsic that a pass may have to handle.
    #[inline(never)]
    fn enter_odd_intrinsic(&mut self, inst: Inst, data: InstData, op: Intrinsic, (srcs, indices): (Slice, Slice)) {
        use Intrinsic::{load_front_face, load_global_invocation_id, load_helper_invocation, load_input, store_deref};
        let mut needs = op.info().needs;
        match op {
            store_deref => needs = self.needs_of_store(inst, srcs),
            load_front_face | load_helper_invocation => needs.set(Needs::SYSTEM_VALUES, data.bit_size != 1),
            load_global_invocation_id => needs.set(Needs::SYSTEM_VALUES, data.bit_size != 32),
            load_input => {
                let io = op.info().index_slot(Index::io_semantics).and_then(|slot| self.indices[indices].get(slot));
                let slot = IoSemantics::unpack(io.copied().unwrap_or_default()).location;
                needs.set(Needs::SYSTEM_VALUES, slot == varying::FACE);
            }
            _ if needs.contains(Needs::BLOCK_INDICES) => {
                let block = op.info().memory.and_then(|access| access.block).unwrap_or_default();
                needs.set(Needs::BLOCK_INDICES, !self.is_constant_source(srcs, block.into()));
            }
            _ => {}
        }
        self.inventory.needs |= needs;
    }

    /// Whether this source is a constant that was made before.
    #[inline(always)]
    fn is_constant_source(&self, srcs: Slice, at: usize) -> bool {
        let source = self.srcs[srcs].get(at).and_then(|source| self.insts.get(source.inst()));
        matches!(source, Some(InstData { kind: InstKind::Const(_), .. }))
    }

    /// Adds the deref and the value of a store.
    #[inline(always)]
    fn needs_of_store(&mut self, inst: Inst, srcs: Slice) -> Needs {
        let &[pointer, _] = &self.srcs[srcs] else { return Needs::empty() };
        let mut needs = Needs::empty();
        needs.set(Needs::OWN_MEMORY, self.stores_to_table(inst));
        let Outputs { stored_to, last, .. } = &mut self.inventory.outputs;
        let number = pointer.index() as u32;
        let bit = 1 << (number % u64::BITS);
        needs.set(Needs::REPEATED_STORES, *stored_to & bit != 0 && number <= *last);
        (*stored_to, *last) = (*stored_to | bit, number.max(*last));
        needs
    }

    /// Adds a deref of an output: most are the only deref of a variable. Stores to outputs that are not vectors are not
    /// combined.
    #[inline(never)]
    fn enter_step_to_output(&mut self, deref: Deref) {
        let vector = match deref.kind {
            DerefKind::Var(_) => deref.ty,
            kind => match kind.parent().and_then(|parent| self.as_deref(parent)) {
                Some(parent) => parent.ty,
                None => return,
            },
        };
        if self.types.as_vector(vector).is_none() {
            return;
        }
        let own = match deref.kind {
            DerefKind::Var(var) => 1u64.checked_shl(var.index() as u32).unwrap_or(0),
            _ => 0,
        };
        let has = &mut self.inventory;
        if own == 0 || has.outputs.pointed_to & own != 0 {
            has.needs |= Needs::REPEATED_STORES;
        }
        has.outputs.pointed_to |= own;
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
        self.inventory.needs |= Needs::CAPTURES;
    }

    /// Adds needs that do not follow from the contents of the shader.
    pub fn ask_for(&mut self, needs: Needs) {
        self.inventory.needs |= needs;
    }

    /// Adds an input, an output, or a private variable.
    #[inline(never)]
    fn enter_variable(&mut self, var: Var) {
        let mut locations = self.inventory.locations;
        self.inventory.needs |= self.needs_of_variable(var, &mut locations);
        self.inventory.locations = locations;
    }

    /// The needs of a variable if others have these Locations.
    fn needs_of_variable(&self, var: Var, locations: &mut [u64; 4]) -> Needs {
        let Variable { ty, mode, location, driver_location, flags, values, capture, .. } = self.vars[var];
        if mode.intersects(OWN_MEMORY) {
            return if values.is_some() { Needs::OWN_MEMORY } else { Needs::empty() };
        }
        let (stage, is_output) = (self.stage(), mode == Modes::SHADER_OUT);
        let kind = stage.slot_kind(is_output);
        let builtins = slots::builtins(kind, stage == Stage::Fragment && !is_output);
        let is_builtin = location.is_some_and(|slot| matches!(builtins.get(slot as usize), Some(Some(_))));
        let vector = self.types.as_vector(ty).map(|(scalar, _)| scalar);
        let mut needs = Needs::empty();
        needs.set(Needs::CAPTURES, capture.is_some());
        if is_builtin && is_output && matches!(location, Some(varying::CLIP_DIST0..=varying::CULL_DIST1)) {
            needs |= Needs::DISTANCES;
        }
        if let Some(scalar) = vector.or_else(|| self.types.scalar_of(ty)) {
            if matches!(scalar.bits, 8 | 16) || is_builtin && scalar.base == Base::Int {
                needs |= Needs::IO_TYPES;
            }
        }
        if kind == SlotKind::FragResult {
            if location == Some(frag_result::COLOR) {
                needs |= Needs::FRAG_COLOR;
            }
            if flags.contains(VarFlags::FB_FETCH_OUTPUT) {
                needs |= Needs::FRAMEBUFFER_READS;
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
                return needs | Needs::LOCATIONS;
            }
            let own = ((1 << count) - 1) << driver_location;
            if *taken & own != 0 {
                needs |= Needs::LOCATIONS;
            }
            *taken |= own;
        }
        needs
    }

    /// Adds the needs of the code after the last item of the control flow list, if the next instruction is at position `at`:
    /// constant ifs, and code after a jump, need a clean-up.
    #[inline(always)]
    pub(super) fn enter_cf(&mut self, cf: Cf, at: usize) {
        if let Cf::If { cond, .. } = cf {
            if matches!(self.insts.get(cond.inst()), Some(InstData { kind: InstKind::Const(_), .. })) {
                self.inventory.needs |= Needs::UNTIDY;
            }
        }
        if self.inventory.has_jumps {
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
                self.inventory.needs |= Needs::UNTIDY;
            }
        }
    }

    /// The needs of the shader: those of its instructions, inputs and outputs, and those of the header and the types.
    pub fn needs(&self) -> Needs {
        let mut needs = self.inventory.needs();
        if self.types.has_64_bits() {
            needs |= Needs::DOUBLES | Needs::INT64;
        }
        if !self.info.directives.is_empty() && self.info.directive("locations").is_some() {
            needs |= Needs::LOCATIONS;
        }
        if !self.xfb_info.is_empty() {
            needs |= Needs::CAPTURES;
        }
        if !self.is_tidy {
            needs |= Needs::UNTIDY;
            // The stored value may have become a constant.
            needs.set(Needs::OWN_MEMORY, self.inventory.modes.intersects(OWN_MEMORY));
        }
        match self.stage() {
            Stage::Fragment => {}
            Stage::Geometry if self.info.vertices_out == 0 => {
                needs = (needs - Needs::FRAMEBUFFER_READS) | Needs::VERTEX_COUNTERS;
            }
            // The counts are instructions of SPIR-V, too.
            Stage::Mesh => needs -= Needs::FRAMEBUFFER_READS | Needs::VERTEX_COUNTERS,
            _ => needs -= Needs::FRAMEBUFFER_READS,
        }
        needs
    }

    /// True if `inst` was added; for the check of debug builds.
    pub fn is_entered(&self, inst: Inst) -> bool {
        let data = self.insts[inst];
        let has = &self.inventory;
        let is_listed = match data.kind {
            InstKind::Alu { op, .. } => {
                has.alu.contains(op) && (!self.is_lowered(inst) || self.needs().contains(Needs::LOWERED_ALU))
            }
            InstKind::Intrinsic { op, .. } => has.intrinsics.contains(op),
            InstKind::Deref(deref) => {
                let Deref { kind, modes, .. } = self.derefs[deref];
                has.modes.contains(modes) && (has.has_unusual_steps || is_usual_step(kind))
            }
            InstKind::Tex(_) => has.has_textures,
            InstKind::Phi(_) => has.has_phis,
            InstKind::Jump(_) => has.has_jumps,
            InstKind::Const(_) | InstKind::Undef => true,
        };
        is_listed && has.widths & data.bit_size == data.bit_size && (has.has_wide_vectors || data.num_components <= 4)
    }

    /// True if all variables that must be added were; for debug builds, too.
    pub fn has_entered_variables(&self) -> bool {
        let mut locations = [0; 4];
        let vars = self.vars.iter().filter(|(_, variable)| variable.mode.intersects(IO | OWN_MEMORY));
        let needs = vars.fold(Needs::empty(), |needs, (var, _)| needs | self.needs_of_variable(var, &mut locations));
        // Locations that are assigned because of the header need not be found to be needed.
        self.needs().contains(needs)
    }

    /// The number of slots of an input or output, without the array over vertices.
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
