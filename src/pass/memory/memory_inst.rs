// SPDX-License-Identifier: MIT

//! What an instruction does to numbers in memory, whichever memory it is, and the two ways to do it: through lanes of words, or
//! through elements of the numbers' width.

use super::byte_access::{self, Address, Elements, MemoryView};
use crate::ir::{Builder, Def, Edit, Inst, Shader};
use crate::op::meaning::{MemoryAccess, MemoryOperation};
use crate::op::Index;
use crate::target::Target;

/// An access to memory by byte offset, by address, or through a deref.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryInst {
    pub(super) inst: Inst,
    pub(super) operation: MemoryOperation,
    /// The stored value.
    value: Option<Def>,
    /// The source with the first operand of an atomic.
    data: usize,
    /// The number of components that are accessed, and their width; of a size, those of the result.
    pub(super) components: u8,
    pub(super) bits: u8,
}

impl MemoryInst {
    /// The access of `inst`, of which the table of intrinsics says this.
    pub(super) fn new(shader: &Shader, inst: Inst, info: MemoryAccess) -> Option<MemoryInst> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        let value = match info.operation {
            MemoryOperation::Store => Some(srcs[usize::from(op.info().value?)]),
            _ => None,
        };
        let numbers = value.unwrap_or(inst.def());
        let (components, bits) = (shader.num_components(numbers), shader.bit_size(numbers));
        Some(MemoryInst { inst, operation: info.operation, value, data: info.atomic_data(), components, bits })
    }

    /// The number of accessed bytes.
    pub(super) fn bytes(&self) -> u32 {
        u32::from(self.components) * u32::from(self.bits) / 8
    }

    /// What NIR says of the address: it is the second number modulo the first. Atomics are aligned to their width.
    pub(super) fn alignment(&self, shader: &Shader) -> (u32, u32) {
        match self.operation.is_atomic() {
            true => (u32::from(self.bits) / 8, 0),
            false => (shader.index(self.inst, Index::align_mul), shader.index(self.inst, Index::align_offset)),
        }
    }

    /// The components that are loaded or stored; `None` for atomics and sizes.
    pub(super) fn mask(&self, shader: &Shader) -> Option<u32> {
        match self.operation {
            MemoryOperation::Load => Some((1 << self.components) - 1),
            MemoryOperation::Store => Some(shader.index(self.inst, Index::write_mask)),
            _ => None,
        }
    }

    /// [`Access`](crate::op::Access) bits.
    pub(super) fn qualifiers(&self, shader: &Shader) -> u32 {
        shader.index(self.inst, Index::access)
    }

    /// The stored value, and the mask of its components that are stored.
    pub(super) fn stored(&self, shader: &Shader) -> Option<(Def, u32)> {
        Some((self.value?, shader.index(self.inst, Index::write_mask)))
    }

    /// Accesses lanes of `memory`.
    pub(super) fn lower_lanes(&self, b: &mut Builder<'_>, target: &Target, memory: &MemoryView, at: Address) -> Edit {
        if let Some((value, mask)) = self.stored(b.shader) {
            byte_access::store(b, memory, at, value, mask);
            return Edit::Remove;
        }
        let size = (self.components, self.bits);
        Edit::Replace(match self.operation.is_atomic() {
            true => byte_access::atomic(b, target, memory, at, (self.inst, self.data)),
            false => byte_access::load(b, memory, at, size),
        })
    }

    /// Accesses elements of the width of the numbers.
    pub(super) fn lower_elements(&self, b: &mut Builder<'_>, elements: Elements<'_>) -> Edit {
        if let Some(stored) = self.stored(b.shader) {
            elements.store(b, stored);
            return Edit::Remove;
        }
        let size = (self.components, self.bits);
        Edit::Replace(match self.operation.is_atomic() {
            true => {
                let pointer = elements.first(b, self.bits);
                self.lower_atomic(b, pointer)
            }
            false => elements.load(b, size),
        })
    }

    /// The atomic on what `pointer` points to.
    pub(super) fn lower_atomic(&self, b: &mut Builder<'_>, pointer: Def) -> Def {
        byte_access::atomic_at(b, self.inst, pointer, self.data)
    }
}
