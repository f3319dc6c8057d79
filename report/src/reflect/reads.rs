// SPDX-License-Identifier: MIT

//! What one invocation of a shader reads besides memory, by NIR's names: slots of inputs, and system values.

use ntv::ir::{InstKind, Shader, Stage, VarFlags, Variable};
use ntv::op::intrinsic::Components;
use ntv::op::meaning::IntrinsicForm;
use ntv::op::names::{unpack_alu_type, IoSemantics};
use ntv::op::{Base, Index, Intrinsic, Modes};

/// The most slots of a variable, or of an access with a dynamic offset.
const MOST_SLOTS: u32 = 32;

/// The number of components of a slot.
const COMPONENTS: u32 = 4;

/// What an invocation reads.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// The slots, in the order of their numbers.
    pub slots: Vec<SlotRead>,
    /// The system values.
    pub system_values: Vec<SystemRead>,
}

/// A system value.
#[derive(Clone, Debug)]
pub struct SystemRead {
    /// The intrinsic that loads it.
    pub name: &'static str,
    /// The number of components.
    pub components: u8,
    /// Whether it has floats.
    pub is_float: bool,
}

/// A slot of the inputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotRead {
    number: u32,
    /// 1 for the second half of an attribute of doubles, else 0.
    pub index: u32,
    /// NIR's name.
    pub name: String,
    /// Whether each vertex has a value.
    pub per_vertex: bool,
    /// Whether it has floats.
    pub is_float: bool,
}

/// What an invocation of `shader` reads.
pub(super) fn reads(shader: &Shader) -> Reads {
    let mut reads = Reads::default();
    let inputs = shader.vars.values().filter(|variable| variable.mode == Modes::SHADER_IN);
    inputs.for_each(|variable| reads.add_variable(shader, variable));
    for inst in &shader.order {
        let InstKind::Intrinsic { op, .. } = shader.insts[*inst].kind else { continue };
        let data = shader.insts[*inst];
        if op.meaning().io.is_some_and(|io| !io.is_output) {
            let io = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
            let is_float = unpack_alu_type(shader.index(*inst, Index::dest_type)).base == Base::Float;
            for number in (io.location..).take(io.num_slots.clamp(1, MOST_SLOTS) as usize) {
                reads.add_slot(shader.stage(), number, 0, is_float && data.bit_size <= 32);
                if shader.stage() == Stage::Vertex && data.bit_size == 64 && data.num_components > 2 {
                    reads.add_slot(shader.stage(), number, 1, false);
                }
            }
        } else if is_system_value(op) && reads.system_values.iter().all(|row| row.name != op.name()) {
            let is_float = matches!(op.info().form, IntrinsicForm::BuiltIn(_, Base::Float));
            reads.system_values.push(SystemRead { name: op.name(), components: data.num_components.max(1), is_float });
        }
    }
    reads.slots.sort();
    reads
}

/// Whether an intrinsic loads a system value that an invocation needs. Its number follows from its place.
fn is_system_value(op: Intrinsic) -> bool {
    let info = op.info();
    let loads = info.srcs.is_empty() && info.dest != Components::None && op.name().starts_with("load_");
    loads && !op.is_barycentric() && op != Intrinsic::load_invocation_id
}

impl Reads {
    fn add_variable(&mut self, shader: &Shader, variable: &Variable) {
        let (stage, first) = (shader.stage(), variable.location.unwrap_or(0));
        let per_vertex = stage.is_per_vertex(false, first);
        let ty = match shader.types.as_array(variable.ty) {
            Some((element, _)) if per_vertex => element,
            _ => variable.ty,
        };
        let count = shader.types.slots(ty).clamp(1, MOST_SLOTS);
        let count = if variable.flags.contains(VarFlags::COMPACT) { count.div_ceil(COMPONENTS) } else { count };
        let is_float = shader.types.scalar_of(ty).is_some_and(|scalar| scalar.base == Base::Float && scalar.bits <= 32);
        (first..).take(count as usize).for_each(|number| self.add_slot(stage, number, 0, is_float));
    }

    fn add_slot(&mut self, stage: Stage, number: u32, index: u32, is_float: bool) {
        if self.slots.iter().all(|slot| (slot.number, slot.index) != (number, index)) {
            let (name, per_vertex) = (stage.slot_kind(false).name(number), stage.is_per_vertex(false, number));
            self.slots.push(SlotRead { number, index, name, per_vertex, is_float });
        }
    }
}
