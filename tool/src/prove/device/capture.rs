// SPDX-License-Identifier: MIT

//! Modules with a decoration more: an output that transform feedback captures, and inputs that are not interpolated.

use super::interface::{Interface, Variable};
use rspirv::binary::Assemble as _;
use rspirv::dr::{Instruction, Operand};
use spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass, Word};

/// What captures, in the words of a module.
const OF_CAPTURES: [Decoration; 3] = [Decoration::XfbBuffer, Decoration::XfbStride, Decoration::Offset];

/// The words of a module that captures one output only, at the start of buffer 0, which has so many bytes for each vertex.
pub(super) fn captured(interface: &Interface, output: &Variable, bytes: u32) -> Vec<u32> {
    let mut module = interface.module.clone();
    let outputs = interface.variables(StorageClass::Output);
    let targets = outputs.iter().flat_map(|it| [Some(it.id), it.member.map(|member| member.0)]).flatten();
    let targets: Vec<Word> = targets.collect();
    module.annotations.retain(|it| match decoration(it) {
        Some((target, decoration)) => !(targets.contains(&target) && OF_CAPTURES.contains(&decoration)),
        None => true,
    });
    for (decoration, number) in OF_CAPTURES.into_iter().zip([0, bytes, 0]) {
        let (op, mut operands) = match output.member {
            Some((block, member)) => (Op::MemberDecorate, vec![Operand::IdRef(block), Operand::LiteralBit32(member)]),
            None => (Op::Decorate, vec![Operand::IdRef(output.id)]),
        };
        operands.extend([Operand::Decoration(decoration), Operand::LiteralBit32(number)]);
        module.annotations.push(Instruction::new(op, None, None, operands));
    }
    let feature =
        Instruction::new(Op::Capability, None, None, vec![Operand::Capability(Capability::TransformFeedback)]);
    if !module.capabilities.contains(&feature) {
        module.capabilities.push(feature);
    }
    if let Some(entry) = module.entry_points.first().and_then(|it| it.operands.get(1).cloned()) {
        let mode =
            Instruction::new(Op::ExecutionMode, None, None, vec![entry, Operand::ExecutionMode(ExecutionMode::Xfb)]);
        if !module.execution_modes.contains(&mode) {
            module.execution_modes.push(mode);
        }
    }
    module.assemble()
}

/// How an input is interpolated.
const OF_INTERPOLATION: [Decoration; 4] =
    [Decoration::Flat, Decoration::NoPerspective, Decoration::Centroid, Decoration::Sample];

/// The words of a fragment shader whose inputs have the numbers of one vertex: an interpolation of infinities would be a NaN.
pub(super) fn flat(interface: &Interface) -> Vec<u32> {
    let mut module = interface.module.clone();
    let inputs = interface.variables(StorageClass::Input);
    let inputs: Vec<Word> = inputs.iter().filter(|it| it.builtin.is_none()).map(|it| it.id).collect();
    module.annotations.retain(|it| match decoration(it) {
        Some((target, decoration)) => !(inputs.contains(&target) && OF_INTERPOLATION.contains(&decoration)),
        None => true,
    });
    for input in inputs {
        let operands = vec![Operand::IdRef(input), Operand::Decoration(Decoration::Flat)];
        module.annotations.push(Instruction::new(Op::Decorate, None, None, operands));
    }
    module.assemble()
}

/// The target of an annotation, and its decoration.
pub(super) fn decoration(inst: &Instruction) -> Option<(Word, Decoration)> {
    let target = inst.operands.first()?.id_ref_any()?;
    let decoration = inst.operands.iter().find_map(|it| match it {
        Operand::Decoration(decoration) => Some(*decoration),
        _ => None,
    });
    Some((target, decoration?))
}
