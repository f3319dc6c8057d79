// SPDX-License-Identifier: MIT

//! NIR's registers, which `decl_reg` declares.

use crate::Bits;
use ntv::entity::SideTable;
use ntv::ir::{Inst, Shader};
use ntv::op::{Index, Intrinsic};

/// The most components that the registers of an invocation may have.
const MAX_COMPONENTS: u32 = 1 << 16;

/// The registers of all invocations.
pub(crate) struct Registers {
    /// The first component and the number of elements of each `decl_reg`.
    pub places: SideTable<Inst, (u32, u32)>,
    /// The number of components of one invocation.
    pub components: usize,
    pub values: Vec<Bits>,
}

impl Registers {
    pub(crate) fn new(shader: &Shader, invocations: usize) -> Registers {
        let mut places = SideTable::new((0, 0));
        let mut next = 0;
        let mut undefined = Vec::new();
        for inst in &shader.order {
            if !matches!(shader.as_intrinsic(*inst), Some((Intrinsic::decl_reg, _))) {
                continue;
            }
            let components = shader.index(*inst, Index::num_components);
            let elements = shader.index(*inst, Index::num_array_elems).max(1);
            let size = components.saturating_mul(elements);
            if size <= MAX_COMPONENTS - next {
                places.set(*inst, (next, elements));
                next += size;
                undefined.resize(next as usize, Bits::undef(shader.index(*inst, Index::bit_size) as u8));
            }
        }
        Registers { places, components: next as usize, values: undefined.repeat(invocations) }
    }
}
