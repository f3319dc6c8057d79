// SPDX-License-Identifier: MIT

//! Bytes with their undefined bits.

use crate::descriptor::Descriptor;
use crate::Bits;
use ntv::op::fold::mask;

/// A run of bytes that a shader reads or writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The undefined bits of each byte. Has as many bytes as `bytes`.
    pub undef: Vec<u8>,
}

impl Buffer {
    /// A buffer with these bytes.
    pub fn new(bytes: Vec<u8>) -> Buffer {
        Buffer { undef: vec![0; bytes.len()], bytes }
    }

    /// A buffer of `len` zero bytes.
    pub fn zeroed(len: usize) -> Buffer {
        Buffer::new(vec![0; len])
    }

    /// A buffer of `len` undefined bytes.
    pub(crate) fn undefined(len: usize) -> Buffer {
        Buffer { bytes: vec![0; len], undef: vec![u8::MAX; len] }
    }

    /// A buffer of `len` bytes that starts with `bytes`; the rest is undefined.
    pub(crate) fn starting_with(bytes: &[u8], len: usize) -> Buffer {
        let mut buffer = Buffer::undefined(len);
        let given = bytes.len().min(len);
        buffer.bytes[..given].copy_from_slice(&bytes[..given]);
        buffer.undef[..given].fill(0);
        buffer
    }

    /// The `bits` bits at `byte`; `None` outside of the buffer.
    pub(crate) fn read(&self, byte: i64, bits: u8) -> Option<Bits> {
        let range = self.range(byte, bits)?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        Some(Bits { value: number(self.bytes.get(range.clone())?), undef: number(self.undef.get(range)?) })
    }

    /// Writes the low `bits` bits of `value` at `byte`; `None` outside of the buffer.
    pub(crate) fn write(&mut self, byte: i64, bits: u8, value: Bits) -> Option<()> {
        let range = self.range(byte, bits)?;
        let len = range.len();
        self.bytes[range.clone()].copy_from_slice(&mask(value.value, bits).to_le_bytes()[..len]);
        self.undef[range].copy_from_slice(&mask(value.undef, bits).to_le_bytes()[..len]);
        Some(())
    }

    /// Marks all bytes as undefined; they keep their values.
    pub(crate) fn forget(&mut self) {
        self.undef.fill(u8::MAX);
    }

    fn range(&self, byte: i64, bits: u8) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(byte).ok()?;
        let end = start.checked_add(usize::from(bits) / 8)?;
        (end <= self.bytes.len().min(self.undef.len())).then_some(start..end)
    }
}

/// The memory that an access refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MemoryRegion {
    /// The uniform block with this index.
    Uniform(u32),
    /// The storage block with this index.
    Storage(u32),
    /// Push constants.
    Push,
    /// The shared memory of the workgroup.
    Shared,
    /// The payload of a task shader.
    Payload,
    /// The variables of the invocation.
    Private,
    /// The scratch memory of the invocation.
    Scratch,
    /// Level 0 of a storage image.
    Image(Descriptor),
    /// All buffers of global memory.
    Global,
}

impl MemoryRegion {
    /// The block with this index, if the region is a block.
    pub(crate) fn numbered(self, block: u32) -> MemoryRegion {
        match self {
            MemoryRegion::Uniform(_) => MemoryRegion::Uniform(block),
            MemoryRegion::Storage(_) => MemoryRegion::Storage(block),
            memory => memory,
        }
    }
}

/// A byte of a region, and the range that may be accessed from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub memory: MemoryRegion,
    pub byte: i64,
    /// The first byte of the variable.
    pub start: i64,
    /// The end of the variable.
    pub end: i64,
}

impl Address {
    /// An address from which all of `memory` may be accessed.
    pub(crate) fn anywhere(memory: MemoryRegion, byte: i64) -> Address {
        Address { memory, byte, start: 0, end: i64::MAX }
    }

    /// The address `bytes` after this one.
    pub(crate) fn plus(self, bytes: i64) -> Address {
        Address { byte: self.byte.saturating_add(bytes), ..self }
    }
}
