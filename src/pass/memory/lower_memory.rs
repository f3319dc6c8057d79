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

use super::blocks::UINT;
use super::byte_access::{Elements, Granularity};
use super::memories::{Memories, OffsetAccess};
use crate::analysis::offsets::Offsets;
use crate::ir::{rewrite, Builder, Edit, Shader};
use crate::op::Facts;
use crate::pass::{Context, Pass};

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
    let mut accesses = shader.order.iter().filter_map(|inst| OffsetAccess::new(shader, *inst));
    if accesses.any(|access| access.is_dynamic(shader)) {
        offsets.analyse(shader);
    }
    memories.collect(shader, context, offsets);
    let changed = rewrite(shader, |b, inst| match OffsetAccess::new(b.shader, inst) {
        Some(access) => lower_access(b, context, &access, memories, offsets),
        None => Edit::Keep,
    });
    offsets.forget(shader);
    changed
}

fn lower_access(
    b: &mut Builder<'_>,
    context: &Context,
    access: &OffsetAccess,
    memories: &mut Memories,
    offsets: &Offsets,
) -> Edit {
    let part = memories.part(b.shader, access);
    let (offset, element) = (access.offset(b.shader, offsets, part.start), part.element);
    let qualifiers = access.qualifiers(b.shader);
    let elements = |base| Elements { base, access: qualifiers, offset, offsets };
    if element.bits < 32 {
        let base = part.memory(b, context.buffer_access).base;
        return access.lower_elements(b, elements(base));
    }
    if access.is_narrow(b.shader, context, offset, part) {
        let base = memories.view(b, access.bits);
        return access.lower_elements(b, elements(base));
    }
    let granularity = if element == UINT { Granularity::Words } else { Granularity::Vec4s };
    let address = offset.address(b, offsets, granularity);
    let mut memory = memories.part(b.shader, access).memory(b, context.buffer_access);
    memory.access = qualifiers;
    // Atomics of 64 bits have a second view, or the elements have 64 bits.
    if access.bits == 64 && access.operation.is_atomic() && !memory.in_pairs {
        (memory.base, memory.in_pairs) = (memories.view(b, 64), true);
    }
    access.lower_lanes(b, &context.target, &memory, address)
}
