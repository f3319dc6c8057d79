// SPDX-License-Identifier: MIT

//! Declares the variables of explicit inputs and outputs.
//!
//! **What.** `load_input`, `load_interpolated_input` with its barycentrics, `store_output` and their per-vertex variants read and
//! write `shader_in` and `shader_out` variables that this pass declares. Emission does that for the usual accesses, which stay. If
//! one is unusual, all of the shader become loads and stores of derefs of the variables:
//!
//! - its input is interpolated at another place than the variable, or at one that the shader computes;
//! - it stores a distance, or a number of 8 or 16 bits;
//! - transform feedback captures outputs, or the stage is a mesh shader;
//! - the dump has a variable at the same slot.
//!
//! **Why.** SPIR-V's stage interface consists of Input and Output variables with a Location and a Component. Interpolation is a
//! decoration of the variable, or an extended instruction on a pointer to it (such as `InterpolateAtOffset`).
//!
//! Components of a slot with the same type, interpolation and stream share a variable. Slots that an indirect offset may reach
//! are one array. Clip and cull distances and tessellation levels are arrays of floats, as SPIR-V's built-ins are; an indirect
//! offset into one is the index of an element, see [`step`](crate::op::slots::step). The transform feedback information of the stores is noted for [`lower_captures`](crate::pass::capture::lower_captures).
//!
//! A slot that is not a built-in gets its Location by one rule, the same in every stage, so that stages that are compiled
//! separately match: `VARn` keeps its number, the fixed-function slots are after them, the patches last.
//!
//! Before:
//!
//! ```text
//! 32x2   %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
//! 32x2   %2 = @load_interpolated_input (%1, %0 (0x0)) (base=0, component=1, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
//! ```
//!
//! After:
//!
//! ```text
//! decl_var shader_in INTERP_MODE_SMOOTH none vec2 in_VAR0.y (VARYING_SLOT_VAR0.yz, 0, 0)
//! ...
//! 32x2  %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
//! 32x2  %2 = @load_interpolated_input (%1, %0 (0x0)) (base=0, component=1, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
//! ```

use super::io_vars::IoVars;
use crate::analysis::distances::array_of;
use crate::analysis::slot_access::{explicit_io, Interpolation, Io, Sampling};
use crate::analysis::slot_vars::{SlotPart, SlotVar, SlotVars};
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, Shader, Stage, VarFlags, Variable};
use crate::op::{AluOp, Base, Facts, Intrinsic, Modes};
use crate::pass::{Context, Pass};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_io",
    about: "turns explicit inputs and outputs into variables",
    facts: Facts::EXPLICIT_IO,
    is_tidy: true,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    shader.with_spare(|shader, tables: &mut IoTables| {
        if !tables.survey(shader) {
            return false;
        }
        let has_others = tables.have_others(shader);
        let IoTables { accesses, vars, declared, parts } = tables;
        let first = shader.vars.len();
        vars.declare(shader);
        let are_usual = !has_others
            && !vars.has_mixed_sampling
            && !shader.facts().intersects(CAPTURES)
            && shader.stage() != Stage::Mesh
            && accesses.iter().all(|io| is_usual(shader.stage(), io));
        if !are_usual {
            declared.collect(shader, first);
            rewrite(shader, |b, inst| lower(b, inst, declared, parts));
        }
        true
    })
}

/// Captures of transform feedback.
const CAPTURES: Facts = Facts::CAPTURED_SLOTS.union(Facts::CAPTURED_OUTPUTS);

/// The modes of inputs and outputs.
const IO: Modes = Modes::SHADER_IN.union(Modes::SHADER_OUT);

/// Tables that are kept for the next shader.
#[derive(Debug, Default)]
struct IoTables {
    accesses: Vec<Io>,
    vars: IoVars,
    declared: SlotVars,
    parts: Vec<SlotPart>,
}

/// Whether emission reads and writes the variables of an access by slot: see the [module](self).
fn is_usual(stage: Stage, io: &Io) -> bool {
    let is_in_place = match io.interpolation {
        Some(Interpolation { sampling, .. }) => !matches!(sampling, Sampling::AtSample(_) | Sampling::AtOffset(_)),
        None => io.vertex.is_none() || stage != Stage::Fragment,
    };
    let is_distance = io.is_output && array_of(io.kind(stage), io.slot).is_some();
    matches!(io.ty.bits, 32 | 64) && !is_distance && is_in_place
}

impl IoTables {
    /// Whether the shader has declared a variable at the slot of an access.
    fn have_others(&self, shader: &Shader) -> bool {
        shader.vars.iter().filter(|(_, variable)| variable.mode.intersects(IO)).any(|(var, variable)| {
            let first = variable.location.unwrap_or(u32::MAX);
            let end = first.saturating_add(shader.num_slots(var));
            let is_output = variable.mode == Modes::SHADER_OUT;
            self.accesses
                .iter()
                .any(|io| io.is_output == is_output && io.slot < end && first < io.slot.saturating_add(io.slots))
        })
    }

    /// Collects all accesses. Returns whether there is one.
    fn survey(&mut self, shader: &mut Shader) -> bool {
        let IoTables { accesses, vars, .. } = self;
        accesses.clear();
        vars.begin(shader);
        let mut any = false;
        // Information about the whole shader takes precedence.
        let notes_captures = shader.xfb_info.is_empty();
        for at in 0..shader.order.len() {
            let inst = shader.order[at];
            let Some(op) = explicit_io(shader, inst) else { continue };
            any = true;
            let Some(io) = Io::new(shader, op, inst) else { continue };
            vars.add(&io);
            accesses.push(io);
            if notes_captures && io.is_captured() {
                io.note_captures(&mut shader.xfb_info);
            }
        }
        if notes_captures && !shader.xfb_info.is_empty() {
            let strides = shader.info.xfb_stride;
            for (buffer, components) in shader.xfb_info.buffers.iter_mut().zip(strides) {
                buffer.stride = if buffer.is_used { components.saturating_mul(4) } else { 0 };
            }
        }
        any
    }
}

fn lower(b: &mut Builder<'_>, inst: Inst, vars: &SlotVars, parts: &mut Vec<SlotPart>) -> Edit {
    let Some(op) = explicit_io(b.shader, inst) else { return Edit::Keep };
    // The other instruction is a barycentric, which the loads that use it have already handled.
    let Some(io) = Io::new(b.shader, op, inst) else { return Edit::Remove };
    parts.clear();
    vars.add_parts(b.shader.stage(), &io, parts);
    parts.sort_by_key(|part| part.source);
    if !io.is_store {
        return Edit::Replace(load(b, &io, vars, parts));
    }
    parts.iter().for_each(|part| store(b, &io, vars.of(*part), *part));
    Edit::Remove
}

/// A deref of `part`.
fn pointer(b: &mut Builder<'_>, io: &Io, of: SlotVar, part: SlotPart) -> Def {
    let mut pointer = b.deref_var(of.var);
    if let Some(vertex) = io.vertex {
        pointer = b.deref_array(pointer, ArrayIndex::Def(vertex));
    }
    match (part.element, io.offset) {
        (None, _) => pointer,
        (Some(element), None) => b.deref_array(pointer, ArrayIndex::Imm(i64::from(element))),
        (Some(element), Some(offset)) => {
            let elements = b.ushr_imm(offset, of.slots_per_element - 1);
            let index = b.iadd_imm(elements, u64::from(element));
            b.deref_array(pointer, ArrayIndex::Def(index))
        }
    }
}

/// Loads `parts` and combines their components.
fn load(b: &mut Builder<'_>, io: &Io, vars: &SlotVars, parts: &[SlotPart]) -> Def {
    if let [part] = parts {
        let whole = load_part(b, io, vars.of(*part), *part);
        return b.swizzle(whole, &run_of(part.first)[..usize::from(part.count)]);
    }
    let mut scalars = Vec::with_capacity(4);
    for part in parts {
        let whole = load_part(b, io, vars.of(*part), *part);
        scalars.extend((0..part.count).map(|i| b.channel(whole, part.first + i)));
    }
    b.vec(&scalars)
}

/// Loads the whole value that a part is in, with the interpolation of this access unless the variable has it already.
fn load_part(b: &mut Builder<'_>, io: &Io, of: SlotVar, part: SlotPart) -> Def {
    let pointer = pointer(b, io, of, part);
    let (scalar, components) = (of.scalar, of.n);
    let (op, argument) = match io.interpolation.map(|i| i.sampling) {
        Some(Sampling::AtSample(sample)) => (Intrinsic::interp_deref_at_sample, Some(sample)),
        Some(Sampling::AtOffset(offset)) => (Intrinsic::interp_deref_at_offset, Some(offset)),
        None if scalar.base == Base::Bool => {
            let flag = b.load_deref(pointer, 0);
            return b.alu(AluOp::b2b32, &[flag]);
        }
        Some(sampling) if sampling == sampling_of(&b.shader.vars[of.var]) => return b.load_deref(pointer, 0),
        Some(Sampling::Centroid) => (Intrinsic::interp_deref_at_centroid, None),
        Some(Sampling::Sample) => {
            let own = b.intrinsic(Intrinsic::load_sample_id, 1, 32, &[]).def();
            (Intrinsic::interp_deref_at_sample, Some(own))
        }
        _ => return b.load_deref(pointer, 0),
    };
    let srcs = [pointer, argument.unwrap_or(pointer)];
    b.intrinsic(op, components, scalar.bits, &srcs[..1 + usize::from(argument.is_some())]).def()
}

/// The position at which a variable is interpolated.
fn sampling_of(variable: &Variable) -> Sampling {
    match variable.flags {
        flags if flags.contains(VarFlags::SAMPLE) => Sampling::Sample,
        flags if flags.contains(VarFlags::CENTROID) => Sampling::Centroid,
        _ => Sampling::Pixel,
    }
}

/// The components from `first` on.
fn run_of(first: u8) -> [u8; 16] {
    std::array::from_fn(|i| first + i as u8)
}

fn store(b: &mut Builder<'_>, io: &Io, of: SlotVar, part: SlotPart) {
    let Some((mut value, write_mask)) = io.value else { return };
    let (scalar, components) = (of.scalar, of.n);
    let written = write_mask >> part.source & ((1 << part.count) - 1);
    if written == 0 {
        return;
    }
    if scalar.base == Base::Bool {
        let zero = b.imm32(0);
        value = b.alu(AluOp::ine, &[value, zero]);
    }
    let pointer = pointer(b, io, of, part);
    let all = (1 << components) - 1;
    if written << part.first == all {
        let whole = b.swizzle(value, &run_of(part.source)[..usize::from(components)]);
        b.store_deref(pointer, whole, all, 0);
        return;
    }
    for c in (0..part.count).filter(|c| written >> c & 1 != 0) {
        let component = b.channel(value, part.source + c);
        let lane =
            if components == 1 { pointer } else { b.deref_array(pointer, ArrayIndex::Imm(i64::from(part.first + c))) };
        b.store_deref(lane, component, 1, 0);
    }
}
