// SPDX-License-Identifier: MIT

//! Intrinsics against their opcode's row, and the values of their indices.

use super::{deref, io, shape, stage, tex};
use crate::ir::{Def, Inst, InstData, InstKind, Shader};
use crate::op::intrinsic::Components;
use crate::op::meaning::{ImageOperation, IntrinsicForm, MemoryKind, MemoryOperation, Traits};
use crate::op::names::{DescriptorType, ImageDim, InterpMode, IoXfb, Scope, Semantics, FORMATS};
use crate::op::{Access, AluOp, AtomicOp, Base, Index, IndexKind, Intrinsic, Modes};
use crate::report::{plural, Report};

/// Reports operands, results and indices that the row of `op` or its meaning does not allow.
pub(super) fn check(
    report: &mut Report<'_>,
    inst: Inst,
    data: &InstData,
    op: Intrinsic,
    srcs: &[Def],
    indices: &[u32],
) {
    let info = op.info();
    if srcs.len() != info.srcs.len() {
        let (has, expected) = (plural(srcs.len(), "source"), info.srcs.len());
        return report.at(inst, format_args!("has {has}, not {expected}"));
    }
    if indices.len() != info.indices.len() {
        let has = indices.len();
        return report.at(inst, format_args!("has {has} index values for {}", info.indices.len()));
    }
    stage::check(report, inst, op);
    let n = instr_components(report.shader, data, op, srcs);
    check_srcs(report, inst, op, srcs, n);
    check_result(report, inst, data, op, srcs);
    for (index, value) in info.indices.iter().zip(indices) {
        check_index(report, inst, *index, *value, n);
    }
    let has = |index| info.has_index(index);
    if has(Index::align_mul) {
        check_alignment(report, inst, op);
    }
    check_meaning(report, inst, op, srcs);
    check_offset(report, inst, op, srcs);
    if has(Index::atomic_op) {
        check_atomic_data(report, inst, op, srcs);
    }
    if has(Index::image_dim) {
        tex::check_image(report, inst, op, srcs);
    }
    if info.pointers != 0 {
        deref::check_access(report, inst, op, srcs);
    }
    if has(Index::io_semantics) {
        io::check_intrinsic(report, inst, op, srcs);
    }
    if has(Index::align_mul) || has(Index::io_semantics) {
        check_width(report, inst);
    }
}

/// Reports each `decl_reg` that is not in the first block: a register exists in the whole function.
pub(super) fn check_decl_regs(report: &mut Report<'_>) {
    let shader = report.shader;
    let first_end = shader.block_order().next().map_or(0, |first| shader.blocks[first].end);
    for inst in &shader.order[first_end as usize..] {
        if matches!(shader.as_intrinsic(*inst), Some((Intrinsic::decl_reg, _))) {
            report.at(*inst, "is not in the first block");
        }
    }
}

/// The number `N` of the row: the components of the result, or of the source that has as many as the instruction.
fn instr_components(shader: &Shader, data: &InstData, op: Intrinsic, srcs: &[Def]) -> u8 {
    let info = op.info();
    match info.value {
        _ if info.dest == Components::Instr => data.num_components,
        Some(value) => shader.num_components(srcs[usize::from(value)]),
        None => 0,
    }
}

fn check_srcs(report: &mut Report<'_>, inst: Inst, op: Intrinsic, srcs: &[Def], n: u8) {
    for (i, (src, components)) in srcs.iter().zip(op.info().srcs).enumerate() {
        let has = report.shader.num_components(*src);
        let wanted = match *components {
            Components::Exactly(count) => count,
            Components::Instr => n,
            Components::Any | Components::None => has,
        };
        if has != wanted {
            let has = plural(has.into(), "component");
            report.at(inst, format_args!("source {i} has {has}, not {wanted}"));
        }
    }
}

fn check_result(report: &mut Report<'_>, inst: Inst, data: &InstData, op: Intrinsic, srcs: &[Def]) {
    let info = op.info();
    if let Components::Exactly(count) = info.dest {
        if data.num_components != count {
            report.at(inst, format_args!("has {}, not {count}", plural(data.num_components.into(), "component")));
        }
    }
    if data.has_def() && info.dest_bits != 0 && info.dest_bits & data.bit_size == 0 {
        report.bits(inst, &"cannot have", data.bit_size, "");
    }
    // Derivatives, shuffles, reductions: the result has the width of the source.
    if let (Components::Instr, Some(value)) = (info.dest, info.value) {
        let has = report.shader.bit_size(srcs[usize::from(value)]);
        if has != data.bit_size {
            report.at(inst, format_args!("has {}, but its value {has}", plural(data.bit_size.into(), "bit")));
        }
    }
}

fn check_index(report: &mut Report<'_>, inst: Inst, index: Index, value: u32, n: u8) {
    let valid = match index.kind() {
        IndexKind::WriteMask => value >> n.min(31) == 0,
        IndexKind::Access => Access::from_bits(value).is_some(),
        IndexKind::AtomicOp => (value as usize) < AtomicOp::ALL.len(),
        IndexKind::Modes => Modes::from_bits(value).is_some(),
        IndexKind::Scope => (value as usize) < Scope::ALL.len(),
        IndexKind::Semantics => Semantics::from_bits(value).is_some(),
        IndexKind::InterpMode => (value as usize) < InterpMode::ALL.len(),
        IndexKind::AluOp => (value as usize) < AluOp::ALL.len(),
        IndexKind::AluType => value >> 8 < 4 && matches!(value as u8, 0 | 1 | 8 | 16 | 32 | 64),
        IndexKind::ImageDim => (value as usize) < ImageDim::ALL.len(),
        IndexKind::DescriptorType => (value as usize) < DescriptorType::ALL.len(),
        IndexKind::Format => (value as usize) < FORMATS.len(),
        IndexKind::Bool => value < 2,
        IndexKind::IoXfb => IoXfb::unpack(value).out.iter().all(|out| out.num_components <= 4 && out.buffer < 4),
        IndexKind::Int | IndexKind::IoSemantics => true,
    };
    if !valid {
        let name = index.printed();
        match index.kind() {
            IndexKind::WriteMask => {
                report.at(inst, format_args!("{name}: {value:#x} names components that the value does not have"));
            }
            _ => report.at(inst, format_args!("{name}: {value} is not a valid value")),
        }
    }
}

/// Checks the known alignment of the offset of an access to memory. Only where NIR does not require one, 0 is for an unknown
/// alignment.
fn check_alignment(report: &mut Report<'_>, inst: Inst, op: Intrinsic) {
    let (mul, offset) = (report.shader.index(inst, Index::align_mul), report.shader.index(inst, Index::align_offset));
    let optional = matches!(op, Intrinsic::load_push_constant | Intrinsic::load_kernel_input);
    if optional && (mul, offset) == (0, 0) {
        return;
    }
    if !mul.is_power_of_two() {
        let expected = "1 means that nothing is known of the offset";
        report.at(inst, format_args!("align_mul {mul} is not a power of two; {expected}"));
    } else if offset >= mul {
        let expected = "it is the rest of the offset divided by align_mul";
        report.at(inst, format_args!("align_offset {offset} is not below align_mul {mul}; {expected}"));
    }
}

/// Rules of single intrinsics.
fn check_meaning(report: &mut Report<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) {
    match op {
        Intrinsic::decl_reg => check_register(report, inst),
        Intrinsic::load_push_constant_zink if report.shader.index(inst, Index::component) > 3 => {
            let component = report.shader.index(inst, Index::component);
            report.at(inst, format_args!("there is no component {component}"));
        }
        Intrinsic::load_reg | Intrinsic::load_reg_indirect => check_register_use(report, inst, srcs, 0),
        Intrinsic::store_reg | Intrinsic::store_reg_indirect => check_register_use(report, inst, srcs, 1),
        Intrinsic::load_ubo_vec4 => check_vec4_load(report, inst),
        Intrinsic::is_sparse_texels_resident
        | Intrinsic::is_sparse_resident_zink
        | Intrinsic::sparse_residency_code_and => tex::check_codes(report, inst, srcs),
        Intrinsic::barrier => check_barrier(report, inst),
        _ if op.info().traits.contains(Traits::CONDITION) && report.shader.bit_size(srcs[0]) != 1 => {
            report.at(inst, "the condition has more than 1 bit");
        }
        _ if matches!(op.info().form, IntrinsicForm::Reduction(_)) => check_reduction(report, inst),
        Intrinsic::vote_feq if report.shader.bit_size(srcs[0]) < 16 => {
            report.bits(inst, &"there are no floats of", report.shader.bit_size(srcs[0]), "");
        }
        op if op.moves_between_invocations() => check_invocation(report, inst, srcs),
        op if op.reads_ballot() => check_ballot(report, inst, op, srcs[0]),
        _ => {}
    }
}

/// Reports a reduction of floats whose values are too narrow for floats.
fn check_reduction(report: &mut Report<'_>, inst: Inst) {
    let bits = report.shader.insts[inst].bit_size;
    let op = AluOp::ALL.get(report.shader.index(inst, Index::reduction_op) as usize);
    if bits < 16 && op.is_some_and(|op| op.info().dest.ty.base == Base::Float) {
        report.bits(inst, &"there are no floats of", bits, "");
    }
}

/// Reports a ballot whose words do not have 32 bits; only `inverse_ballot` accepts others.
fn check_ballot(report: &mut Report<'_>, inst: Inst, op: Intrinsic, ballot: Def) {
    let bits = report.shader.bit_size(ballot);
    if op.info().srcs[0] != Components::Instr && bits != 32 {
        report.bits(inst, &"the ballot has words of", bits, ", not of 32");
    }
}

/// Reports the number of an invocation, or the distance to it, that does not have 32 bits.
fn check_invocation(report: &mut Report<'_>, inst: Inst, srcs: &[Def]) {
    let bits = srcs.get(1).map_or(32, |from| report.shader.bit_size(*from));
    if bits != 32 {
        report.bits(inst, &"the invocation has", bits, ", not 32");
    }
}

/// Reports a value of 1 bit that is read from memory or written to it, including inputs and outputs.
fn check_width(report: &mut Report<'_>, inst: Inst) {
    if io::value(report.shader, inst).is_some_and(|value| report.shader.bit_size(value) < 8) {
        report.at(inst, "a value of 1 bit has no form in memory, only those of 8, 16, 32 and 64; a boolean is 32 bits there, 0 or all ones");
    }
}

/// Checks the block index, if there is one, and the offset of an access to a buffer or to the shader's own memory: both are
/// 32-bit numbers.
fn check_offset(report: &mut Report<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) {
    let Some(memory) = op.info().memory else { return };
    let [block, offset] = [memory.block, memory.offset].map(|src| src.map(usize::from));
    if let (MemoryKind::Global, Some(address)) = (memory.kind, offset) {
        return check_address(report, inst, srcs[address]);
    }
    for (what, src) in [("block index", block), ("offset", offset)] {
        let Some(bits) = src.map(|src| report.shader.bit_size(srcs[src])).filter(|bits| *bits != 32) else { continue };
        report.bits(inst, &format_args!("the {what} has"), bits, ", not 32");
    }
    // The row allows any number of components: Vulkan's resource indices are vectors.
    if let Some(components) = block.map(|src| report.shader.num_components(srcs[src])).filter(|n| *n != 1) {
        report.at(inst, format_args!("the block index has {}, not 1", plural(components.into(), "component")));
    }
}

fn check_address(report: &mut Report<'_>, inst: Inst, address: Def) {
    let bits = report.shader.bit_size(address);
    if !matches!(bits, 32 | 64) {
        report.bits(inst, &"the address has", bits, ", not 32 or 64");
    }
}

/// Checks the scopes of a barrier: only stages with workgroups can wait for a workgroup.
fn check_barrier(report: &mut Report<'_>, inst: Inst) {
    let shader = report.shader;
    let workgroup = Scope::ALL.iter().position(|scope| *scope == Scope::workgroup);
    let scopes = [Index::execution_scope, Index::memory_scope].map(|index| shader.index(inst, index) as usize);
    if !shader.stage().has_workgroups() && scopes.iter().any(|scope| Some(*scope) == workgroup) {
        report.at(inst, format_args!("there are no workgroups in {}", shader.stage().name()));
    }
    // Invocations of other scopes need not run at the same time (Vulkan, VUID-StandaloneSpirv-None-04636).
    let waits = Scope::ALL.get(scopes[0]);
    if let Some(scope) = waits.filter(|scope| !matches!(scope, Scope::none | Scope::subgroup | Scope::workgroup)) {
        report.at(inst, format_args!("execution_scope: no invocation can wait for a whole {}", scope.name()));
    }
}

/// Checks the data of an atomic, which is in the last sources: the operand, or the value to compare and the value to store.
fn check_atomic_data(report: &mut Report<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) {
    let of_memory = op.info().memory.map(|memory| memory.operation);
    let of_image = op.meaning().image.map(|image| image.operation);
    let swaps = of_memory == Some(MemoryOperation::AtomicSwap) || of_image == Some(ImageOperation::AtomicSwap);
    let count = if swaps { 2 } else { 1 };
    let bits = report.shader.insts[inst].bit_size;
    if let Some(kind) = AtomicOp::ALL.get(report.shader.index(inst, Index::atomic_op) as usize) {
        if matches!(kind, AtomicOp::cmpxchg | AtomicOp::fcmpxchg) != (count == 2) {
            report.at(inst, format_args!("does not take {}", kind.name()));
        }
        if (kind.is_float() || *kind == AtomicOp::fcmpxchg) && bits < 16 {
            report.bits(inst, &"there are no floats of", bits, "");
        }
    }
    for (i, data) in srcs.iter().enumerate().skip(srcs.len() - count) {
        let has = report.shader.bit_size(*data);
        if has != bits {
            report.at(inst, format_args!("source {i} has {}, but the result {bits}", plural(has.into(), "bit")));
        }
    }
}

fn check_register(report: &mut Report<'_>, inst: Inst) {
    let shader = report.shader;
    let (components, bits) = (shader.index(inst, Index::num_components), shader.index(inst, Index::bit_size));
    let legal = u8::try_from(components).is_ok_and(shape::is_legal_count)
        && u8::try_from(bits).is_ok_and(shape::is_legal_width);
    if !legal {
        report.at(inst, format_args!("a register cannot have {components} components of {bits} bits"));
    }
}

/// Checks a read or write of the register in source `at`; the value to store is the first source.
fn check_register_use(report: &mut Report<'_>, inst: Inst, srcs: &[Def], at: usize) {
    let shader = report.shader;
    let is_register = |def: Def| matches!(shader.as_intrinsic(def.inst()), Some((Intrinsic::decl_reg, _)));
    for (_, src) in srcs.iter().enumerate().filter(|(i, src)| *i != at && is_register(**src)) {
        report.at(inst, format_args!("{} is a register, not a value", shader.shown(*src)));
    }
    let (decl, value) = (srcs[at].inst(), if at == 0 { inst.def() } else { srcs[0] });
    let InstKind::Intrinsic { op: Intrinsic::decl_reg, indices, .. } = shader.insts[decl].kind else {
        return report.at(inst, format_args!("{} is not a decl_reg", shader.shown(srcs[at])));
    };
    if shader.indices[indices].len() != Intrinsic::decl_reg.info().indices.len() {
        return; // Reported at the decl_reg.
    }
    let (components, bits) = (shader.index(decl, Index::num_components), shader.index(decl, Index::bit_size));
    let (has, has_bits) = (shader.num_components(value), shader.bit_size(value));
    if (components, bits) != (has.into(), has_bits.into()) {
        let message = format!("the register is {bits}x{components}, but the value is {has_bits}x{has}");
        report.at(inst, message);
    }
    let legacy = [Index::legacy_fabs, Index::legacy_fneg, Index::legacy_fsat];
    if has_bits < 16 && legacy.iter().any(|index| shader.index(inst, *index) != 0) {
        report.bits(inst, &"there are no floats of", has_bits, "");
    }
    let len = shader.index(decl, Index::num_array_elems).max(1);
    let base = shader.index(inst, Index::base);
    if base >= len {
        report.at(inst, format_args!("base {base} is not below the length of the register, {len}"));
    }
}

fn check_vec4_load(report: &mut Report<'_>, inst: Inst) {
    let data = &report.shader.insts[inst];
    let (components, bytes) = (u64::from(data.num_components), u64::from(data.bit_size / 8));
    if (u64::from(report.shader.index(inst, Index::component)) + components) * bytes > 16 {
        report.at(inst, "reads beyond the vec4");
    }
}
