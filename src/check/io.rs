// SPDX-License-Identifier: MIT

//! Inputs and outputs: the stage has their slots, and their components fit the slots.

use crate::ir::{Def, Inst, Shader, ShaderInfo, Stage, VarFlags, Variable, XfbInfo, XfbOutput};
use crate::op::names::{frag_result, unpack_alu_type, varying, vert_attrib, IoFlags, IoSemantics, IoXfb, SlotKind};
use crate::op::{slots, Base, Index, Intrinsic, Modes};
use crate::report::{plural, Report};
use std::ops::Range;

/// One past the last slot.
fn slot_end(kind: SlotKind) -> u32 {
    match kind {
        SlotKind::VertAttrib => vert_attrib::GENERIC0 + 17,
        SlotKind::Varying | SlotKind::MeshOutput => varying::END,
        SlotKind::FragResult => frag_result::DATA0 + 8,
    }
}

/// Whether the inputs or outputs of `stage` are between tessellation shaders.
fn is_between_tess(stage: Stage, output: bool) -> bool {
    stage == if output { Stage::TessCtrl } else { Stage::TessEval }
}

/// Reports the slot of an input or output variable if the stage does not have it, and qualifiers that the stage does not allow.
pub(super) fn check_var(report: &mut Report<'_>, variable: &Variable) {
    let stage = report.shader.stage();
    check_qualifiers(report, variable);
    if !variable.mode.intersects(Modes::SHADER_IN | Modes::SHADER_OUT) {
        return;
    }
    if stage.is_compute() {
        return report.variable(variable, "compute shaders have no inputs and outputs");
    }
    if stage == Stage::Task {
        return report.variable(variable, "task shaders have no inputs and outputs");
    }
    if stage == Stage::Mesh && variable.mode == Modes::SHADER_IN {
        return report.variable(variable, "mesh shaders have no inputs");
    }
    let end = slot_end(stage.slot_kind(variable.mode == Modes::SHADER_OUT));
    if let Some(slot) = variable.location.filter(|slot| *slot >= end) {
        report.variable(variable, format_args!("there is no slot {slot}"));
    }
    if variable.location_frac > 3 {
        report.variable(variable, format_args!("there is no component {}", variable.location_frac));
    }
    if variable.location_frac % 2 != 0 && report.shader.types.scalar_of(variable.ty).is_some_and(|it| it.bits == 64) {
        report.variable(variable, format_args!("64 bits cannot start at component {}", variable.location_frac));
    }
}

/// Checks the qualifiers of a variable. Patches are between tessellation shaders. Outputs of geometry shaders may have a stream.
/// Inputs of fragment shaders and outputs of mesh shaders may be per primitive. Outputs of fragment shaders may be the second colour
/// of dual-source blending. Outputs of the last stage before rasterization can be captured.
fn check_qualifiers(report: &mut Report<'_>, variable: &Variable) {
    let (stage, output) = (report.shader.stage(), variable.mode == Modes::SHADER_OUT);
    let between_tess = (output || variable.mode == Modes::SHADER_IN) && is_between_tess(stage, output);
    if variable.flags.contains(VarFlags::PATCH) && !between_tess {
        report.variable(variable, "is of a patch, but not between tessellation shaders");
    }
    if variable.stream != 0 && !(stage == Stage::Geometry && output && variable.stream < 4) {
        report.variable(variable, format_args!("there is no stream {}", variable.stream));
    }
    let may_be_of_primitive = match stage {
        Stage::Fragment => variable.mode == Modes::SHADER_IN,
        Stage::Mesh => output,
        _ => false,
    };
    if variable.flags.contains(VarFlags::PER_PRIMITIVE) && !may_be_of_primitive {
        report.variable(
            variable,
            "is of a primitive, but neither an input of a fragment shader nor an output of a mesh shader",
        );
    }
    let is_target = stage == Stage::Fragment && output;
    if (output || variable.mode == Modes::SHADER_IN) && variable.index > u32::from(is_target) {
        report.variable(variable, format_args!("there is no index {}", variable.index));
    }
    let Some(capture) = variable.capture else { return };
    if !output || !is_captured(stage) {
        report.variable(variable, "cannot be captured");
    } else if capture.buffer as usize >= XfbInfo::BUFFERS {
        report.variable(variable, format_args!("transform feedback has no buffer {}", capture.buffer));
    }
}

/// Reports problems of the captures by slot of transform feedback.
pub(super) fn check_captures(report: &mut Report<'_>) {
    let info = &report.shader.xfb_info;
    if !info.is_empty() && !is_captured(report.shader.stage()) {
        return report.whole("this stage is not captured");
    }
    for row in info.rows() {
        let XfbOutput { buffer, offset, component, num_components, .. } = row.output;
        if buffer as usize >= XfbInfo::BUFFERS {
            report.whole(format_args!("capture {row}: transform feedback has no buffer {buffer}"));
        } else if num_components == 0 || u32::from(component) + u32::from(num_components) > 4 {
            report.whole(format_args!("capture {row}: a slot has four components"));
        } else if offset % 4 != 0 {
            report.whole(format_args!("capture {row}: the offset is not a multiple of 4"));
        } else if row.buffer.stream != 0 && (report.shader.stage() != Stage::Geometry || row.buffer.stream > 3) {
            report.whole(format_args!("capture {row}: there is no stream {}", row.buffer.stream));
        }
    }
}

/// Whether a stage can be the last before rasterization.
fn is_captured(stage: Stage) -> bool {
    matches!(stage, Stage::Vertex | Stage::TessEval | Stage::Geometry)
}

/// Reports problems of an intrinsic that reads an input, or reads or writes an output, by slot.
pub(super) fn check_intrinsic(report: &mut Report<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) {
    let shader = report.shader;
    let output = is_output(op);
    let io = IoSemantics::unpack(shader.index(inst, Index::io_semantics));
    let end = slot_end(shader.stage().slot_kind(output));
    if io.location >= end {
        report.at(inst, format_args!("there is no slot {}", io.location));
    } else if io.num_slots == 0 || io.location + io.num_slots > end {
        let slots = plural(io.num_slots as usize, "slot");
        report.at(inst, format_args!("{slots} from {} on do not exist", io.location));
    }
    let Some(value) = value(shader, inst) else { return };
    if shader.bit_size(value) == 64 && is_builtin(shader.stage().slot_kind(output), io.location) {
        report.at(inst, "a built-in does not have 64 bits");
    }
    let ty = if op.info().has_index(Index::src_type) { Index::src_type } else { Index::dest_type };
    if shader.bit_size(value) == 8 && unpack_alu_type(shader.index(inst, ty)).base == Base::Float {
        report.at(inst, "there are no floats of 8 bits");
    }
    // The last source is an offset in slots from the location.
    let offset = srcs.last().and_then(|offset| shader.as_const_scalar(*offset)).unwrap_or(0);
    if offset >= u64::from(io.num_slots.max(1)) {
        report.at(inst, format_args!("slot {offset} of {}", plural(io.num_slots as usize, "slot")));
    }
    // The sources with the vertex and the offset, and those with the coordinates of an interpolation.
    let places = &srcs[usize::from(output && !shader.insts[inst].has_def()).min(srcs.len())..];
    if let Some(bits) = places.iter().map(|place| shader.bit_size(*place)).find(|bits| *bits != 32) {
        report.bits(inst, &"the place has", bits, ", not 32");
    }
    check_vertex(report, inst, op, io, report.shader.num_components(value));
    check_flags(report, inst, op, io);
    check_components(report, inst, value);
}

/// The value that an intrinsic loads from memory or stores to it, including inputs and outputs.
pub(super) fn value(shader: &Shader, inst: Inst) -> Option<Def> {
    match shader.insts[inst].has_def() {
        true => Some(inst.def()),
        false => shader.as_intrinsic(inst)?.1.first().copied(),
    }
}

/// The first access to several slots of 64-bit values that overlaps another access by half: one begins at an even slot and the
/// other at an odd slot, so the two slots of four doubles in one access belong to two elements in the other, and no array has
/// elements for both. `None` if no access has a vector that takes two slots.
pub(super) fn split_access(shader: &Shader) -> Option<Inst> {
    // By direction and slot, one bit for accesses that begin at an even slot and one for those that begin at an odd slot.
    let mut begins = [[0u8; 256]; 2];
    let (mut split, mut has_wide) = (None, false);
    for inst in &shader.order {
        let Some((op, slots, is_wide)) = slots_of_64_bits(shader, *inst).filter(|(_, slots, _)| slots.len() > 1) else {
            continue;
        };
        has_wide |= is_wide;
        for slot in slots.clone() {
            let Some(seen) = begins[usize::from(is_output(op))].get_mut(slot as usize) else { continue };
            *seen |= 1 << (slots.start % 2);
            split = split.or((*seen == 0b11).then_some(*inst));
        }
    }
    split.filter(|_| has_wide)
}

/// The slots that an access to inputs or outputs of 64 bits may reach, an even number if there are several, and whether its
/// vector takes two slots.
fn slots_of_64_bits(shader: &Shader, inst: Inst) -> Option<(Intrinsic, Range<u32>, bool)> {
    let (op, srcs) = shader.as_intrinsic(inst).filter(|(op, _)| op.info().has_index(Index::io_semantics))?;
    let value = value(shader, inst).filter(|value| shader.bit_size(*value) == 64)?;
    let io = IoSemantics::unpack(shader.index(inst, Index::io_semantics));
    let offset = shader.as_const_scalar(*srcs.last()?).map(|offset| offset as u32);
    let reached = if offset.is_some() { 1 } else { io.num_slots.max(1) };
    let is_wide = shader.index(inst, Index::component) + 2 * u32::from(shader.num_components(value)) > 4;
    let slots = if is_wide || reached > 1 { reached.next_multiple_of(2) } else { 1 };
    let first = io.location.saturating_add(offset.unwrap_or(0));
    Some((op, first..first.saturating_add(slots), is_wide))
}

fn is_output(op: Intrinsic) -> bool {
    op.meaning().io.is_some_and(|io| io.is_output)
}

/// Checks that exactly the slots with a value for each vertex are accessed with a vertex.
fn check_vertex(report: &mut Report<'_>, inst: Inst, op: Intrinsic, io: IoSemantics, num_components: u8) {
    let stage = report.shader.stage();
    let has_vertex = op.meaning().io.is_some_and(|io| io.vertex.is_some());
    if has_vertex != stage.is_per_vertex(is_output(op), io.location) {
        let what = if has_vertex { "no value" } else { "a value" };
        let of = if stage == Stage::Mesh { "vertex or primitive" } else { "vertex" };
        report.at(inst, format_args!("the slot has {what} for each {of}"));
    }
    let end = report.shader.index(inst, Index::component).saturating_add(num_components.into());
    let kind = stage.slot_kind(is_output(op));
    let is_varying = kind == SlotKind::Varying;
    match io.location {
        varying::PRIMITIVE_INDICES if kind == SlotKind::MeshOutput && end > corners(&report.shader.info) => {
            report.at(inst, "a primitive does not have so many vertices");
        }
        varying::TESS_LEVEL_INNER if is_varying && end > 2 => report.at(inst, "there are two inner levels"),
        varying::PNTC if stage == Stage::Fragment && is_varying && end > 2 => {
            report.at(inst, "a point coordinate has two components");
        }
        _ => {}
    }
}

/// The number of vertices of a primitive of a mesh shader.
fn corners(info: &ShaderInfo) -> u32 {
    slots::primitive_indices(&info.primitive_type).map_or(3, |(vertices, _)| vertices.into())
}

fn check_flags(report: &mut Report<'_>, inst: Inst, op: Intrinsic, io: IoSemantics) {
    let of_blending = IoFlags::DUALSRC | IoFlags::FBFETCH | IoFlags::COHERENT;
    if io.flags.intersects(of_blending) && !(report.shader.stage() == Stage::Fragment && is_output(op)) {
        report.at(inst, "only outputs of fragment shaders are blended");
    }
    if io.gs_streams != 0 && report.shader.stage() != Stage::Geometry {
        report.at(inst, "only geometry shaders have streams");
    }
    let captures = |index| IoXfb::unpack(report.shader.index(inst, index)).is_capture();
    if (captures(Index::io_xfb) || captures(Index::io_xfb2)) && !is_captured(report.shader.stage()) {
        report.at(inst, "this stage is not captured");
    }
}

/// Checks that the components fit the slot, which has four components of 32 bits; 64-bit vectors may continue in the next slot.
fn check_components(report: &mut Report<'_>, inst: Inst, value: Def) {
    let shader: &Shader = report.shader;
    let first = shader.index(inst, Index::component);
    let count = u32::from(shader.num_components(value));
    let (words, room) = if shader.bit_size(value) == 64 { (2 * count, 8) } else { (count, 4) };
    if first > 3 || first + words > room {
        let count = plural(count as usize, "component");
        report.at(inst, format_args!("{count} from {first} on do not fit the slot"));
    } else if shader.bit_size(value) == 64 && first % 2 != 0 {
        report.at(inst, format_args!("64 bits cannot start at component {first}"));
    }
}

/// Whether `slot` has a fixed meaning for the driver or the hardware, so that its type is fixed and never has 64 bits.
fn is_builtin(kind: SlotKind, slot: u32) -> bool {
    match kind {
        SlotKind::VertAttrib => false,
        SlotKind::Varying | SlotKind::MeshOutput => slot < varying::VAR0,
        SlotKind::FragResult => true,
    }
}
