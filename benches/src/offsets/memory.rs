// SPDX-License-Identifier: MIT

//! The memory that a shader accesses at addresses that are known only at run time.

use ntv::ir::{InstKind, Shader};
use ntv::op::{Intrinsic, Modes};
use std::ops::Range;

/// A kind of memory that has offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Uniform blocks.
    Uniform,
    /// Storage blocks.
    Storage,
    /// Push constants, shared memory, scratch.
    Other,
}

impl MemoryKind {
    /// All, in the order of tables.
    pub const ALL: [MemoryKind; 3] = [MemoryKind::Uniform, MemoryKind::Storage, MemoryKind::Other];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            MemoryKind::Uniform => "uniform",
            MemoryKind::Storage => "storage",
            MemoryKind::Other => "other",
        }
    }

    /// The memory of derefs of these modes. Variables of a function are not in a buffer.
    fn of(modes: Modes) -> Option<MemoryKind> {
        let table = [
            (Modes::UBO, MemoryKind::Uniform),
            (Modes::SSBO, MemoryKind::Storage),
            (Modes::PUSH_CONST.union(Modes::SHARED), MemoryKind::Other),
        ];
        table.iter().find(|(mode, _)| modes.intersects(*mode)).map(|(_, memory)| *memory)
    }
}

/// The kinds of memory that `shader` accesses at an offset, at an index or in a block that is not constant.
pub fn dynamic(shader: &Shader) -> Vec<MemoryKind> {
    let mut found = Vec::new();
    for inst in &shader.order {
        let InstKind::Intrinsic { op, srcs, .. } = shader.insts[*inst].kind else { continue };
        let srcs = &shader.srcs[srcs];
        if let Some((memory, address)) = address(op) {
            let is_dynamic = srcs[address].iter().any(|def| shader.as_const(*def).is_none());
            found.extend(is_dynamic.then_some(memory));
        }
        // The length of a block is not an access.
        if op != Intrinsic::deref_buffer_array_length {
            found.extend(srcs[..op.info().pointers.into()].iter().filter_map(|pointer| pointed(shader, *pointer)));
        }
    }
    MemoryKind::ALL.into_iter().filter(|memory| found.contains(memory)).collect()
}

/// The memory of an intrinsic without a deref, and the range of its sources with the address: the block, if there are several,
/// and the offset.
fn address(op: Intrinsic) -> Option<(MemoryKind, Range<usize>)> {
    use Intrinsic::*;
    Some(match op {
        load_ubo | load_ubo_vec4 => (MemoryKind::Uniform, 0..2),
        load_ssbo | ssbo_atomic | ssbo_atomic_swap => (MemoryKind::Storage, 0..2),
        store_ssbo => (MemoryKind::Storage, 1..3),
        load_push_constant
        | load_push_constant_zink
        | load_shared
        | shared_atomic
        | shared_atomic_swap
        | load_scratch => (MemoryKind::Other, 0..1),
        store_shared | store_scratch => (MemoryKind::Other, 1..2),
        _ => return None,
    })
}

/// The memory of a deref if one of the indices of its chain is not constant.
fn pointed(shader: &Shader, pointer: ntv::ir::Def) -> Option<MemoryKind> {
    let last = shader.as_deref(pointer)?;
    let steps = std::iter::successors(Some(last), |step| shader.as_deref(step.kind.parent()?));
    let mut indices = steps.filter_map(|step| step.kind.index());
    indices.any(|index| shader.as_const(index).is_none()).then(|| MemoryKind::of(last.modes)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A compute shader with this code.
    fn shader(code: &str) -> Shader {
        let dump = format!(
            "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\nshared_size: 64\n\
            decl_var ubo INTERP_MODE_NONE none vec4[4] blocks (0, 0, 0)\n\
            decl_var ssbo INTERP_MODE_NONE none uint[4] words (0, 0, 0)\n\
            decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n\
            32    %0 = load_const (0x00000000)\n32x3  %1 = @load_local_invocation_id\n32    %2 = mov %1.x\n\
            {code}// succs: b1\n    block b1:\n}}\n"
        );
        ntv::text::parse(&dump).unwrap()
    }

    #[test]
    fn offsets_are_dynamic_or_not() {
        let load = |block: &str, offset: &str| {
            format!(
                "32 %3 = @load_ubo ({block}, {offset}) (access=none, align_mul=4, align_offset=0, range_base=0, range=64)\n"
            )
        };
        assert_eq!(dynamic(&shader(&load("%0", "%0"))), []);
        assert_eq!(dynamic(&shader(&load("%0", "%2"))), [MemoryKind::Uniform]);
        assert_eq!(dynamic(&shader(&load("%2", "%0"))), [MemoryKind::Uniform]);
        let store = |value, offset| {
            format!("@store_shared ({value}, {offset}) (base=0, wrmask=x, align_mul=4, align_offset=0)\n")
        };
        assert_eq!(dynamic(&shader(&store("%2", "%0"))), []);
        assert_eq!(dynamic(&shader(&store("%0", "%2"))), [MemoryKind::Other]);
    }

    #[test]
    fn pointers_are_dynamic_or_not() {
        let add = |index| {
            format!(
                "32 %3 = deref_var &words (ssbo uint[4])\n32 %4 = deref_array &(*%3)[{index}] (ssbo uint)\n\
                32 %5 = @deref_atomic (%4, %2) (access=none, atomic_op=iadd)\n"
            )
        };
        assert_eq!(dynamic(&shader(&add("1"))), []);
        assert_eq!(dynamic(&shader(&add("%2"))), [MemoryKind::Storage]);
    }
}
