// SPDX-License-Identifier: MIT

//! Modules of C for devices without Vulkan's memory model: those of the corpus were made for a device that has it. Then C declares
//! another model, and has no operands of accesses that only Vulkan's model has.

use spirv::{Capability, ImageOperands, MemoryAccess, MemoryModel, Op};

/// Operands of accesses to memory.
const MEMORY: u32 = MemoryAccess::MAKE_POINTER_AVAILABLE.bits()
    | MemoryAccess::MAKE_POINTER_VISIBLE.bits()
    | MemoryAccess::NON_PRIVATE_POINTER.bits();
/// Operands of accesses to images.
const IMAGE: u32 = ImageOperands::MAKE_TEXEL_AVAILABLE.bits()
    | ImageOperands::MAKE_TEXEL_VISIBLE.bits()
    | ImageOperands::NON_PRIVATE_TEXEL.bits();

/// Whether a module has operands that only Vulkan's memory model has.
pub(crate) fn is_used(words: &[u32]) -> bool {
    instructions(words).any(|at| {
        let inst = &words[at..at + length(words[at])];
        let (operand, bits) = match Op::from_u32(inst[0] & 0xffff) {
            Some(Op::Load) => (4, MEMORY),
            Some(Op::Store) => (3, MEMORY),
            Some(Op::ImageRead) => (5, IMAGE),
            Some(Op::ImageWrite) => (4, IMAGE),
            _ => return false,
        };
        inst.get(operand).is_some_and(|operands| operands & bits != 0)
    })
}

/// Makes the memory model that of GLSL.
pub(crate) fn remove(words: &mut Vec<u32>) {
    let capabilities = [Capability::VulkanMemoryModel, Capability::VulkanMemoryModelDeviceScope].map(|it| it as u32);
    let mut kept = words[..5].to_vec();
    for at in instructions(words) {
        let inst = &words[at..at + length(words[at])];
        match Op::from_u32(inst[0] & 0xffff) {
            Some(Op::Capability) if capabilities.contains(&inst[1]) => {}
            Some(Op::MemoryModel) => kept.extend([inst[0], inst[1], MemoryModel::GLSL450 as u32]),
            _ => kept.extend(inst),
        }
    }
    *words = kept;
}

/// The places of the instructions.
fn instructions(words: &[u32]) -> impl Iterator<Item = usize> + '_ {
    let mut next = 5;
    std::iter::from_fn(move || {
        let at = next;
        next += length(*words.get(at)?);
        Some(at)
    })
}

/// The number of words of an instruction, by its first. It is not 0 in a valid module.
fn length(first: u32) -> usize {
    (first >> 16).max(1) as usize
}
