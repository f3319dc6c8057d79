// SPDX-License-Identifier: MIT

//! Accesses by byte offset to shared memory, scratch, task payloads and push constants.

use super::byte_access::Offset;
use crate::analysis::offsets::Offsets;
use crate::ir::{Def, Inst, Shader};
use crate::op::meaning::{MemoryKind, MemoryOperation, OffsetUnit};
use crate::op::{zink, Index, Modes};
use std::ops::Range;

/// An access to one of the memories.
pub(super) struct Access {
    pub(super) inst: Inst,
    pub(super) mode: Modes,
    pub(super) operation: MemoryOperation,
    pub(super) offset: Def,
    /// The unit of the offset.
    pub(super) unit: OffsetUnit,
}

impl Access {
    pub(super) fn new(shader: &Shader, inst: Inst) -> Option<Access> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        let access = op.info().memory?;
        let mode = match access.kind {
            MemoryKind::Shared => Modes::SHARED,
            MemoryKind::Scratch => Modes::SHADER_TEMP,
            MemoryKind::PushConstant => Modes::PUSH_CONST,
            MemoryKind::TaskPayload => Modes::TASK_PAYLOAD,
            _ => return None,
        };
        let offset = srcs[usize::from(access.offset?)];
        Some(Access { inst, mode, operation: access.operation, offset, unit: access.unit })
    }

    /// The width of an accessed component, in bytes.
    pub(super) fn element_bytes(&self, shader: &Shader) -> u32 {
        let bits = match self.operation {
            MemoryOperation::Store => shader.bit_size(self.source(shader, 0)),
            _ => shader.insts[self.inst].bit_size,
        };
        u32::from(bits) / 8
    }

    /// The number of accessed bytes.
    pub(super) fn bytes(&self, shader: &Shader) -> u32 {
        let components = match self.operation {
            MemoryOperation::Store => shader.num_components(self.source(shader, 0)),
            _ => shader.insts[self.inst].num_components,
        };
        u32::from(components) * self.element_bytes(shader)
    }

    pub(super) fn source(&self, shader: &Shader, i: usize) -> Def {
        shader.as_intrinsic(self.inst).map(|(_, srcs)| srcs[i]).expect("an intrinsic")
    }

    /// Alignment of the offset: atomics are aligned to their width.
    fn alignment(&self, shader: &Shader) -> (u32, u32) {
        match self.operation {
            operation if operation.is_atomic() => (self.element_bytes(shader), 0),
            _ => (shader.index(self.inst, Index::align_mul), shader.index(self.inst, Index::align_offset)),
        }
    }

    /// The bytes that are accessed, if the offset is constant.
    pub(super) fn constant_range(&self, shader: &Shader) -> Option<Range<u32>> {
        let first = (shader.as_const_scalar(self.offset)? as u32).wrapping_add(shader.index(self.inst, Index::base));
        Some(first..first.saturating_add(self.bytes(shader)))
    }

    /// The offset in the part of its memory that begins at the byte `start`.
    pub(super) fn offset(&self, shader: &Shader, offsets: &Offsets, start: u32) -> Offset {
        if self.unit == OffsetUnit::ZinkMembers {
            let member = shader.as_const_scalar(self.offset).unwrap_or(0) as usize;
            let first = zink::offset(member).unwrap_or(0);
            return Offset::constant(self.offset, first + 4 * shader.index(self.inst, Index::component));
        }
        let plus = shader.index(self.inst, Index::base).wrapping_sub(start);
        Offset::new(shader, offsets, (self.offset, 0, plus), self.alignment(shader))
    }
}
