// SPDX-License-Identifier: MIT

//! Turns accesses to shared memory, scratch, task payloads and push constants by byte offset into accesses through access chains.
//!
//! **What.** `load_/store_shared`, `shared_atomic*`, `load_/store_scratch`, `load_push_constant` and zink's
//! `load_push_constant_zink` access one variable per memory, `struct { uvec4 base[N]; }`; see `byte_access`. N is the size in
//! the header, rounded up to 16 bytes; the pipeline layout's push constant range must be rounded up likewise. Shared memory is
//! in the Workgroup storage class, scratch in Private, push constants in PushConstant. If an access is to an unknown lane of a
//! vec4, the memory is `uint base[]`: no code is needed to find the lane. Shared memory is that, too, if all accesses are to single
//! lanes.
//!
//! The payload of a task shader, `load_/store_task_payload`, is always `uint base[]`, as mesh shaders must have the same type.
//!
//! The directive `// ntv: variable_shared_memory=true` says that the driver adds shared memory when it creates the pipeline, as
//! it does for arguments of kernels: then N is not a constant but a specialization constant, which the emitter makes.
//!
//! **Why.** Logical SPIR-V has no byte addresses.
//!
//! **Widths.** With `workgroupMemoryExplicitLayout`, shared memory has second views for atomics of 64 bits, and, with the features for
//! narrow members, for numbers of 8 and 16 bits that do not fill lanes. Without it, no two variables can alias. So shared memory is cut
//! into parts whose accesses have one width, if they can be told apart: see `memories`. Where the widths of a part differ, numbers of
//! 8 and 16 bits are written by clearing and setting bits of their lane atomically, and with atomics of 64 bits a word is half of a
//! `uint64_t`.
//!
//! Before:
//!
//! ```text
//! 32     %1 = load_const (0x00000014)
//! 32     %2 = @load_shared (%1 (0x14)) (base=0, align_mul=256, align_offset=20)
//! ```
//!
//! After:
//!
//! ```text
//! decl_var shared INTERP_MODE_NONE none block shared  // ntv: { uint[8] base offset=0 stride=4 }
//! ...
//! 32    %2 = deref_var &shared (shared block)
//! 32    %3 = deref_struct &%2->base (shared uint[8])  // &shared.base
//! 32    %4 = deref_array &(*%3)[5] (shared uint)  // &shared.base[5]
//! 32    %5 = @load_deref (%4) (access=none)
//! ```

use super::access::Access;
use super::blocks::UINT;
use super::byte_access::{self, Elements, Granularity, MemoryView, Offset};
use super::memories::Memories;
use crate::analysis::offsets::Offsets;
use crate::ir::{rewrite, Builder, Def, Edit, Shader};
use crate::op::meaning::MemoryOperation;
use crate::op::{Facts, Index, Modes};
use crate::pass::{Context, Pass};
use crate::target::Target;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_memory",
    about:
        "turns accesses to shared memory, scratch, task payloads and push constants by byte offset into access chains",
    facts: Facts::MEMORY_OFFSETS,
    removes: Facts::MEMORY_OFFSETS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    shader.with_spare(|shader, tables| lower(shader, context, tables))
}

/// Tables that are kept for the next shader.
#[derive(Default)]
struct Tables {
    offsets: Offsets,
    memories: Memories,
}

fn lower(shader: &mut Shader, context: &Context, Tables { offsets, memories }: &mut Tables) -> bool {
    let is_dynamic = |access: Access| shader.as_const_scalar(access.offset).is_none();
    if shader.order.iter().any(|inst| Access::new(shader, *inst).is_some_and(is_dynamic)) {
        offsets.analyse(shader);
    }
    memories.collect(shader, context, offsets);
    let changed = rewrite(shader, |b, inst| match Access::new(b.shader, inst) {
        Some(access) => access.lower(b, context, memories, offsets),
        None => Edit::Keep,
    });
    offsets.forget(shader);
    changed
}

impl Access {
    fn lower(&self, b: &mut Builder<'_>, context: &Context, memories: &mut Memories, offsets: &Offsets) -> Edit {
        let (buffer_access, target) = (context.buffer_access, &context.target);
        let part = memories.part(b.shader, self);
        let offset = self.offset(b.shader, offsets, part.start);
        let (element, vec4s) = (part.element, part.vec4s());
        let bits = (8 * self.element_bytes(b.shader)) as u8;
        if element.bits < 32 {
            let base = part.memory(b, buffer_access).base;
            return self.lower_elements(b, (base, bits), (offset, offsets));
        }
        if self.is_narrow(b.shader, target, offset, vec4s) {
            let base = memories.view(b, context, bits);
            return self.lower_elements(b, (base, bits), (offset, offsets));
        }
        let granularity = if element == UINT { Granularity::Words } else { Granularity::Vec4s };
        let address = offset.address(b, offsets, granularity);
        let access = b.shader.index(self.inst, Index::access);
        let memory = MemoryView { access, ..memories.part(b.shader, self).memory(b, buffer_access) };
        match self.operation {
            MemoryOperation::Load => {
                let size = (b.shader.insts[self.inst].num_components, bits);
                Edit::Replace(byte_access::load(b, &memory, address, size, byte_access::NO_OTHERS))
            }
            MemoryOperation::Store => {
                let value = self.source(b.shader, 0);
                let mask = b.shader.index(self.inst, Index::write_mask);
                byte_access::store(b, &memory, address, value, mask);
                Edit::Remove
            }
            // Atomics of 64 bits have a second view, or the elements have 64 bits.
            _ if bits == 64 && !memory.in_pairs => {
                let memory = MemoryView { base: memories.view(b, context, 64), in_pairs: true, ..memory };
                Edit::Replace(byte_access::atomic(b, target, &memory, address, (self.inst, 1)))
            }
            _ => Edit::Replace(byte_access::atomic(b, target, &memory, address, (self.inst, 1))),
        }
    }

    /// The components that are accessed; `None` for atomics.
    fn mask(&self, shader: &Shader) -> Option<u32> {
        match self.operation {
            MemoryOperation::Load => Some((1 << shader.insts[self.inst].num_components) - 1),
            MemoryOperation::Store => Some(shader.index(self.inst, Index::write_mask)),
            _ => None,
        }
    }

    /// Whether a second view of shared memory with elements of the width of the access is better, and the target has such a view.
    fn is_narrow(&self, shader: &Shader, target: &Target, offset: Offset, vec4s: Option<u32>) -> bool {
        let bits = (8 * self.element_bytes(shader)) as u8;
        let has = self.mode == Modes::SHARED && byte_access::has_shared_elements(target, bits);
        has && self.mask(shader).is_some_and(|mask| byte_access::is_narrow(offset, bits, mask, vec4s))
    }

    /// Accesses the numbers of `bits` bits at `base`.
    fn lower_elements(
        &self,
        b: &mut Builder<'_>,
        (base, bits): (Def, u8),
        (offset, offsets): (Offset, &Offsets),
    ) -> Edit {
        let access = b.shader.index(self.inst, Index::access);
        let elements = Elements { base, access, offset, offsets };
        match self.operation {
            MemoryOperation::Load => {
                let components = b.shader.insts[self.inst].num_components;
                Edit::Replace(elements.load(b, (components, bits)))
            }
            _ => {
                let mask = b.shader.index(self.inst, Index::write_mask);
                elements.store(b, (self.source(b.shader, 0), mask));
                Edit::Remove
            }
        }
    }
}
