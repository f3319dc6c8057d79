// SPDX-License-Identifier: MIT

//! Constants and undefined values, with exact bits, each once per type.

use super::module::ModuleBuilder;
use crate::op::Base;
use spirv::Op;

impl ModuleBuilder {
    /// A scalar constant with these bits.
    pub(super) fn constant(&mut self, base: Base, bits: u8, value: u64) -> u32 {
        let ty = self.numeric(base, bits, 1);
        if base == Base::Bool {
            let op = if value & 1 != 0 { Op::ConstantTrue } else { Op::ConstantFalse };
            return self.global(op, ty, &[]);
        }
        let words = literal(base, bits, value);
        self.global(Op::Constant, ty, &words[..1 + usize::from(bits == 64)])
    }

    /// A scalar or vector constant.
    pub(super) fn constant_vector(&mut self, base: Base, bits: u8, values: &[u64]) -> u32 {
        if let [value] = values {
            return self.constant(base, bits, *value);
        }
        let mut parts = [0; 4];
        let n = values.len().min(4);
        for (part, value) in parts.iter_mut().zip(values) {
            *part = self.constant(base, bits, *value);
        }
        self.composite(base, bits, &parts[..n])
    }

    /// The constant with all `n` components equal.
    pub(super) fn splat(&mut self, base: Base, bits: u8, n: u8, value: u64) -> u32 {
        let values = [value; 4];
        self.constant_vector(base, bits, &values[..usize::from(n.clamp(1, 4))])
    }

    /// A vector constant of scalar constants.
    fn composite(&mut self, base: Base, bits: u8, parts: &[u32]) -> u32 {
        let ty = self.numeric(base, bits, parts.len() as u8);
        self.global(Op::ConstantComposite, ty, parts)
    }

    /// An undefined value.
    pub(super) fn undef(&mut self, base: Base, bits: u8, n: u8) -> u32 {
        let ty = self.numeric(base, bits, n);
        self.global(Op::Undef, ty, &[])
    }
}

/// The low word is first. A narrow signed integer is sign-extended, other values are zero-extended (SPIR-V 2.2.1, Literal).
fn literal(base: Base, bits: u8, value: u64) -> [u32; 2] {
    let unused = 64 - u32::from(bits.clamp(1, 64));
    let value = match base {
        Base::Int if bits < 32 => ((value << unused) as i64 >> unused) as u64,
        _ => value << unused >> unused,
    };
    [value as u32, (value >> 32) as u32]
}

/// The bits of 1 in this type.
pub(super) fn one(base: Base, bits: u8) -> u64 {
    match (base, bits) {
        (Base::Float, 16) => 0x3c00,
        (Base::Float, 32) => u64::from(1.0f32.to_bits()),
        (Base::Float, 64) => 1.0f64.to_bits(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_literals_are_extended() {
        assert_eq!(literal(Base::Int, 16, 0x8001), [0xffff_8001, 0xffff_ffff]);
        assert_eq!(literal(Base::Uint, 16, 0xffff_8001), [0x8001, 0]);
        assert_eq!(literal(Base::Float, 64, 0x3ff0_0000_0000_0001), [1, 0x3ff0_0000]);
    }
}
