// SPDX-License-Identifier: MIT

//! Global memory: pointers made of 64-bit addresses.
//!
//! An address is a 64-bit integer or, if the target has none, its two halves. Both become a pointer in the PhysicalStorageBuffer
//! storage class (SPV_KHR_physical_storage_buffer). The user of the pointer determines its type.

use super::memory::{Origin, Pointer};
use super::{internal, Emit, Result};
use crate::ir::{Def, DerefKind};
use crate::op::Base;
use spirv::{Capability, Op, StorageClass};

impl Emit<'_> {
    /// The pointer for the deref `def` of the address `parent`. Its numbers have the base `wanted` if possible.
    pub(super) fn address_pointer(&mut self, def: Def, parent: Def, wanted: Base) -> Result<Pointer> {
        let deref = self.shader.as_deref(def).ok_or_else(|| internal("a pointer that is not a deref"))?;
        let vector = self.shader.types.as_vector(deref.ty);
        let (scalar, n) = vector.ok_or_else(|| internal("an address of an array or struct"))?;
        let base = if scalar.bits == 8 { Base::Uint } else { wanted };
        let class = StorageClass::PhysicalStorageBuffer;
        self.m.addresses = true;
        self.m.capability(Capability::PhysicalStorageBufferAddresses);
        match scalar.bits {
            8 => self.m.capability(Capability::StorageBuffer8BitAccess),
            16 => self.m.capability(Capability::StorageBuffer16BitAccess),
            _ => {}
        }
        let ty = self.m.numeric(base, scalar.bits, n);
        let pointer = self.m.pointer(class, ty);
        let address = self.value(parent, Base::Uint)?;
        let op = if self.shader.bit_size(parent) == 64 { Op::ConvertUToPtr } else { Op::Bitcast };
        let id = self.pure(op, pointer, &[address]);
        let align = match deref.kind {
            DerefKind::Cast { align_mul, align_offset, .. } => alignment(align_mul, align_offset),
            _ => 0,
        };
        // A pointer without an alignment has the natural alignment.
        let align = if align == 0 { u32::from(scalar.bits) / 8 } else { align };
        Ok(Pointer { id, class, origin: Origin::Address { align }, base, scalar, n, ty })
    }
}

/// The greatest power of two that divides addresses that are `offset` modulo `mul`; 0 if it is unknown.
fn alignment(mul: u32, offset: u32) -> u32 {
    match offset {
        0 => mul,
        offset => 1 << offset.trailing_zeros(),
    }
}
