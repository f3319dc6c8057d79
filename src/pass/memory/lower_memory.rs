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
//! **Why.** Logical SPIR-V has no byte addresses, and without `workgroupMemoryExplicitLayout` no two variables of shared memory
//! can alias: one view must serve all widths.
//!
//! The directive `// ntv: variable_shared_memory=true` says that the driver adds shared memory when it creates the pipeline, as
//! it does for arguments of kernels: then N is not a constant but a specialization constant, which the emitter makes.
//!
//! With that feature and those for narrow members, values that do not fill lanes use views of 8 and 16 bits. Without them, they
//! are written by clearing and setting bits of their lane atomically.
//!
//! With 64-bit atomics on shared memory that view is `uint64_t base[]`, and a 32-bit lane is half of an element; with the
//! feature, they have a second view of their own.
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

use super::blocks::{base_pointer, new_block, vec4s, Element, UINT, UINT64, UVEC4};
use super::byte_access::{self, Elements, Granularity, MemoryView, Offset, Whole};
use crate::analysis::offsets::Offsets;
use crate::analysis::push_constants::LOWERED;
use crate::ir::{rewrite, Builder, Def, Edit, Inst, Shader, Var};
use crate::op::meaning::{MemoryKind, MemoryOperation, OffsetUnit};
use crate::op::{zink, Facts, Index, Modes};
use crate::pass::{BufferAccess, Context, Pass};
use crate::target::Feature;

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

/// The modes of these memories.
const MODES: [Modes; 4] = [Modes::SHARED, Modes::PUSH_CONST, Modes::SHADER_TEMP, Modes::TASK_PAYLOAD];

fn run(shader: &mut Shader, context: &Context) -> bool {
    shader.with_spare(|shader, offsets| lower(shader, context, offsets))
}

fn lower(shader: &mut Shader, context: &Context, offsets: &mut Offsets) -> bool {
    let mut memories = Memories::new(shader, context);
    let is_dynamic = |access: Access| shader.as_const_scalar(access.offset).is_none();
    if shader.order.iter().any(|inst| Access::new(shader, *inst).is_some_and(is_dynamic)) {
        offsets.analyse(shader);
    }
    if context.buffer_access == BufferAccess::Auto {
        memories.find_words(shader, offsets);
    }
    let changed = rewrite(shader, |b, inst| match Access::new(b.shader, inst) {
        Some(access) => access.lower(b, &mut memories, offsets),
        None => Edit::Keep,
    });
    offsets.forget(shader);
    changed
}

/// An access to one of the memories.
struct Access {
    inst: Inst,
    mode: Modes,
    operation: MemoryOperation,
    offset: Def,
    /// The unit of the offset.
    unit: OffsetUnit,
}

impl Access {
    fn new(shader: &Shader, inst: Inst) -> Option<Access> {
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
    fn element_bytes(&self, shader: &Shader) -> u32 {
        let bits = match self.operation {
            MemoryOperation::Store => shader.bit_size(self.source(shader, 0)),
            _ => shader.insts[self.inst].bit_size,
        };
        u32::from(bits) / 8
    }

    /// The number of accessed bytes.
    fn bytes(&self, shader: &Shader) -> u32 {
        let components = match self.operation {
            MemoryOperation::Store => shader.num_components(self.source(shader, 0)),
            _ => shader.insts[self.inst].num_components,
        };
        u32::from(components) * self.element_bytes(shader)
    }

    fn source(&self, shader: &Shader, i: usize) -> Def {
        shader.as_intrinsic(self.inst).map(|(_, srcs)| srcs[i]).expect("an intrinsic")
    }

    /// Alignment of the offset: atomics are aligned to their width.
    fn alignment(&self, shader: &Shader) -> (u32, u32) {
        match self.operation {
            operation if operation.is_atomic() => (self.element_bytes(shader), 0),
            _ => (shader.index(self.inst, Index::align_mul), shader.index(self.inst, Index::align_offset)),
        }
    }

    /// The offset in its memory.
    fn offset(&self, shader: &Shader, offsets: &Offsets) -> Offset {
        if self.unit == OffsetUnit::ZinkMembers {
            let member = shader.as_const_scalar(self.offset).unwrap_or(0) as usize;
            let start = zink::offset(member).unwrap_or(0);
            return Offset::constant(self.offset, start + 4 * shader.index(self.inst, Index::component));
        }
        let base = shader.index(self.inst, Index::base);
        Offset::new(shader, offsets, (self.offset, 0, base), self.alignment(shader))
    }

    fn lower(&self, b: &mut Builder<'_>, memories: &mut Memories<'_>, offsets: &Offsets) -> Edit {
        let (num_components, bits) = (b.shader.insts[self.inst].num_components, b.shader.insts[self.inst].bit_size);
        let offset = self.offset(b.shader, offsets);
        if let Some(edit) = self.lower_narrow(b, memories, (offset, offsets)) {
            return edit;
        }
        let address = offset.address(b, offsets, memories.granularity(self.mode));
        let access = b.shader.index(self.inst, Index::access);
        let memory = MemoryView { access, ..memories.memory(b, self.mode) };
        match self.operation {
            MemoryOperation::Load => {
                Edit::Replace(byte_access::load(b, &memory, address, (num_components, bits), byte_access::NO_OTHERS))
            }
            MemoryOperation::Store => {
                let value = self.source(b.shader, 0);
                let mask = b.shader.index(self.inst, Index::write_mask);
                byte_access::store(b, &memory, address, value, mask);
                Edit::Remove
            }
            _ => {
                let memory = memories.atomic_view(b, memory, bits);
                Edit::Replace(byte_access::atomic(b, &memories.context.target, &memory, address, (self.inst, 1)))
            }
        }
    }
}

impl Access {
    /// Lowers accesses that use a view of shared memory with elements of their width, if there is such a view.
    fn lower_narrow(
        &self,
        b: &mut Builder<'_>,
        memories: &mut Memories<'_>,
        (offset, offsets): (Offset, &Offsets),
    ) -> Option<Edit> {
        let bits = (8 * self.element_bytes(b.shader)) as u8;
        let components = b.shader.insts[self.inst].num_components;
        let mask = match self.operation {
            MemoryOperation::Load => (1 << components) - 1,
            MemoryOperation::Store => b.shader.index(self.inst, Index::write_mask),
            _ => return None,
        };
        let has = self.mode == Modes::SHARED && byte_access::has_shared_elements(&memories.context.target, bits);
        if !has || !byte_access::is_narrow(offset, bits, mask, memories.vec4s(b.shader, self.mode)) {
            return None;
        }
        let access = b.shader.index(self.inst, Index::access);
        let elements = Elements { base: memories.narrow_view(b, bits), access, offset, offsets };
        Some(match self.operation {
            MemoryOperation::Load => Edit::Replace(elements.load(b, (components, bits))),
            _ => {
                elements.store(b, (self.source(b.shader, 0), mask));
                Edit::Remove
            }
        })
    }
}

/// The variables of the memories, made at the first use.
struct Memories<'c> {
    /// The variable and the number of vec4s, if that is known, of each of [`MODES`].
    vars: [Option<(Var, Option<u32>)>; MODES.len()],
    context: &'c Context,
    /// Memories that are arrays of words: payloads, and those with an access to an unknown lane, as there can only be one view.
    words: Modes,
    push_constants: u32,
    /// Whether shared memory has 64-bit atomics and no second view for them, so that its elements are `uint64_t`.
    shared_in_pairs: bool,
    /// The second view, if there is one.
    shared64: Option<Var>,
    /// The views with elements of 8 and 16 bits.
    shared_narrow: [Option<Var>; 2],
}

impl<'c> Memories<'c> {
    fn new(shader: &mut Shader, context: &'c Context) -> Memories<'c> {
        let push_constants = push_constant_bytes(shader, context);
        let mut memories = Memories {
            vars: [None; MODES.len()],
            context,
            words: Modes::TASK_PAYLOAD,
            push_constants,
            shared_in_pairs: false,
            shared64: None,
            shared_narrow: [None; 2],
        };
        if has_wide_shared_atomics(shader) {
            if context.target.has(Feature::workgroupMemoryExplicitLayout) {
                let len = memories.vec4s(shader, Modes::SHARED).map(|len| 2 * len);
                memories.shared64 = Some(new_block(shader, "shared@64", Modes::SHARED, UINT64, len));
            } else {
                memories.shared_in_pairs = true;
            }
        }
        memories
    }

    /// Finds the memories that are arrays of words.
    fn find_words(&mut self, shader: &Shader, offsets: &Offsets) {
        let (mut lanes, mut vectors) = (Modes::empty(), Modes::empty());
        for access in shader.order.iter().filter_map(|inst| Access::new(shader, *inst)) {
            let mode = access.mode;
            // The driver adds memory in units of vec4s.
            let is_open = mode == Modes::SHARED && shader.info.has_variable_shared_memory();
            if is_open || self.in_pairs(mode) {
                continue;
            }
            let is_unknown = access.offset(shader, offsets).lanes() != Some(4);
            if is_unknown && access.element_bytes(shader) >= 4 {
                self.words |= mode;
            }
            match access.bytes(shader) {
                4 => lanes |= mode,
                _ => vectors |= mode,
            }
        }
        self.words |= lanes.difference(vectors) & Modes::SHARED;
    }

    fn granularity(&self, mode: Modes) -> Granularity {
        if self.words.contains(mode) {
            Granularity::Words
        } else {
            Granularity::Vec4s
        }
    }

    /// The view of `memory` for atomics of `bits` bits.
    fn atomic_view(&self, b: &mut Builder<'_>, memory: MemoryView, bits: u8) -> MemoryView {
        match self.shared64.filter(|_| bits == 64) {
            Some(var) => MemoryView { base: base_pointer(b, var, None), in_pairs: true, ..memory },
            None => memory,
        }
    }

    /// A deref of shared memory as an array of numbers of `bits` bits.
    fn narrow_view(&mut self, b: &mut Builder<'_>, bits: u8) -> Def {
        let len = self.vec4s(b.shader, Modes::SHARED).map(|len| 128 / u32::from(bits) * len);
        let var = self.shared_narrow[usize::from(bits == 16)].get_or_insert_with(|| {
            let element = Element { bits, components: 1 };
            new_block(b.shader, if bits == 16 { "shared@16" } else { "shared@8" }, Modes::SHARED, element, len)
        });
        base_pointer(b, *var, None)
    }

    fn memory(&mut self, b: &mut Builder<'_>, mode: Modes) -> MemoryView {
        let place = MODES.iter().position(|other| *other == mode).unwrap_or(0);
        let (var, len) = self.vars[place].unwrap_or_else(|| {
            let name = match mode {
                Modes::SHARED => "shared",
                Modes::PUSH_CONST => LOWERED,
                Modes::TASK_PAYLOAD => "payload",
                _ => "scratch",
            };
            let len = self.vec4s(b.shader, mode);
            let (element, count) = match self.granularity(mode) {
                _ if self.in_pairs(mode) => (UINT64, len.map(|len| 2 * len)),
                Granularity::Words => (UINT, len.map(|len| 4 * len)),
                _ => (UVEC4, len),
            };
            let var = new_block(b.shader, name, mode, element, count);
            (var, len)
        });
        self.vars[place] = Some((var, len));
        let in_pairs = self.in_pairs(mode);
        let whole = match self.context.buffer_access {
            BufferAccess::Auto if !in_pairs => Whole::Always,
            _ => Whole::Never,
        };
        let base = base_pointer(b, var, None);
        let lanes = if self.words.contains(mode) { 1 } else { 4 };
        let shared = matches!(mode, Modes::SHARED | Modes::TASK_PAYLOAD);
        MemoryView { base, access: 0, whole, lanes, len, shared, in_pairs, at_address: false }
    }

    /// The number of vec4s of a memory; `None` if the size of shared memory is set with the pipeline.
    fn vec4s(&self, shader: &Shader, mode: Modes) -> Option<u32> {
        match mode {
            Modes::SHARED if shader.info.has_variable_shared_memory() => None,
            Modes::SHARED => Some(vec4s(shader.info.shared_size)),
            Modes::PUSH_CONST => Some(vec4s(self.push_constants)),
            Modes::TASK_PAYLOAD => Some(vec4s(shader.info.task_payload_size)),
            _ => Some(vec4s(shader.info.scratch)),
        }
    }

    fn in_pairs(&self, mode: Modes) -> bool {
        self.shared_in_pairs && mode == Modes::SHARED
    }
}

/// Whether an atomic on shared memory is wider than a lane.
fn has_wide_shared_atomics(shader: &Shader) -> bool {
    let is_wide = |access: Access| access.operation.is_atomic() && access.element_bytes(shader) == 8;
    shader.order.iter().any(|inst| Access::new(shader, *inst).is_some_and(is_wide))
}

/// One past the last byte of push constants that the shader may read; all of them if a range is unknown.
fn push_constant_bytes(shader: &Shader, context: &Context) -> u32 {
    let limit = context.target.max_push_constants_size;
    let end = |inst: &Inst| {
        let access = Access::new(shader, *inst).filter(|access| access.mode == Modes::PUSH_CONST)?;
        if access.unit == OffsetUnit::ZinkMembers {
            return Some(zink::SIZE);
        }
        let base = shader.index(*inst, Index::base);
        let bytes = access.bytes(shader);
        match shader.as_const_scalar(access.offset) {
            Some(offset) => base.checked_add(offset as u32)?.checked_add(bytes),
            None => {
                let range = shader.index(*inst, Index::range);
                Some(if range == 0 { limit } else { base.saturating_add(range) })
            }
        }
    };
    let accessed = shader.order.iter().filter_map(end).map(|end| end.min(limit)).max().unwrap_or(0);
    context.pushed.map_or(accessed, |offset| accessed.max(offset.saturating_add(4)).min(limit))
}
