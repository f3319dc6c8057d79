// SPDX-License-Identifier: MIT

//! The variables of shared memory, scratch, task payloads and push constants: one each, or one for each *part* of shared memory.
//!
//! Without `workgroupMemoryExplicitLayout`, no two variables of shared memory can be views of the same bytes, so that numbers of
//! different widths are assembled from words, or the other way round. If all accesses are at constant offsets, the memory is cut into
//! parts, which have elements of their own:
//!
//! ```text
//! 64 %3 = @shared_atomic (%0 (0x0), %1) (atomic_op=iadd)     bytes 0 to 7: uint64_t[1]
//! 32 %4 = @load_shared (%2 (0x8)) (align_mul=4)              bytes 8 to 15: uint[2]
//! ```
//!
//! The parts tile the memory in order, so that they need no more of it.

use super::blocks::{base_pointer, elements, new_block, vec4s, Element, UINT, UINT64, UVEC4};
use super::byte_access::{has_shared_elements, is_narrow, MemoryView, Offset, Whole};
use super::memory_inst::MemoryInst;
use crate::analysis::offsets::Offsets;
use crate::analysis::push_constants::LOWERED;
use crate::ir::{Builder, Def, Inst, Shader, Var};
use crate::op::meaning::{MemoryKind, OffsetUnit};
use crate::op::{zink, Index, Modes};
use crate::pass::{BufferAccess, Context};
use crate::target::Feature;
use std::ops::{Deref, Range};

/// The modes of these memories.
const MODES: [Modes; 4] = [Modes::SHARED, Modes::PUSH_CONST, Modes::SHADER_TEMP, Modes::TASK_PAYLOAD];

/// The variables of the memories, made at the first use; kept for the next shader.
#[derive(Default)]
pub(super) struct Memories {
    parts: Vec<Part>,
    /// The second views of shared memory, with elements of 8, 16 and 64 bits.
    views: [Option<Var>; 3],
    accesses: Vec<OffsetAccess>,
    /// The accesses to shared memory: first byte, one past the last, and kind.
    ranges: Vec<(u32, u32, u32)>,
}

/// A memory, or a part of shared memory.
pub(super) struct Part {
    mode: Modes,
    /// The first byte, and one past the last one; `None` if the size of shared memory is set with the pipeline.
    pub(super) start: u32,
    end: Option<u32>,
    /// Vectors of words; or numbers of 8 or 16 bits, if there are no others; or `uint64_t`, if there are atomics on those.
    pub(super) element: Element,
    uses: Uses,
    var: Option<Var>,
}

/// The accesses to a part.
#[derive(Default)]
struct Uses {
    /// The widths of their numbers, in bytes: a bit for each.
    widths: u32,
    has_atomics: bool,
    has_wide_atomics: bool,
    /// Some are at an unknown lane of a vec4.
    has_unknown_lanes: bool,
    /// Some are to other things than one word.
    has_vectors: bool,
    /// Some numbers of 8 and 16 bits are not at a multiple of their width.
    has_unaligned: bool,
}

/// An access by byte offset to one of the memories.
#[derive(Clone, Copy)]
pub(super) struct OffsetAccess {
    access: MemoryInst,
    mode: Modes,
    offset: Def,
    unit: OffsetUnit,
}

impl Deref for OffsetAccess {
    type Target = MemoryInst;

    fn deref(&self) -> &MemoryInst {
        &self.access
    }
}

impl OffsetAccess {
    pub(super) fn new(shader: &Shader, inst: Inst) -> Option<OffsetAccess> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        let info = op.info().memory?;
        let mode = match info.kind {
            MemoryKind::Shared => Modes::SHARED,
            MemoryKind::Scratch => Modes::SHADER_TEMP,
            MemoryKind::PushConstant => Modes::PUSH_CONST,
            MemoryKind::TaskPayload => Modes::TASK_PAYLOAD,
            _ => return None,
        };
        let offset = srcs[usize::from(info.offset?)];
        Some(OffsetAccess { access: MemoryInst::new(shader, inst, info)?, mode, offset, unit: info.unit })
    }

    /// Whether the offset is not constant.
    pub(super) fn is_dynamic(&self, shader: &Shader) -> bool {
        shader.as_const_scalar(self.offset).is_none()
    }

    /// The bytes that are accessed, if the offset is constant.
    fn constant_range(&self, shader: &Shader) -> Option<Range<u32>> {
        let first = (shader.as_const_scalar(self.offset)? as u32).wrapping_add(shader.index(self.inst, Index::base));
        Some(first..first.saturating_add(self.bytes()))
    }

    /// One past the last byte of push constants that it may read: `limit`, if its range is unknown. `None` if there is no such byte.
    fn end_of_push_constants(&self, shader: &Shader, limit: u32) -> Option<u32> {
        if self.unit == OffsetUnit::ZinkMembers {
            return Some(zink::SIZE);
        }
        let base = shader.index(self.inst, Index::base);
        match (shader.as_const_scalar(self.offset), shader.index(self.inst, Index::range)) {
            (Some(offset), _) => base.checked_add(offset as u32)?.checked_add(self.bytes()),
            (None, 0) => Some(limit),
            (None, range) => Some(base.saturating_add(range)),
        }
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

    /// Whether a second view of shared memory with elements of the width of the access is better, and the target has such a view.
    pub(super) fn is_narrow(&self, shader: &Shader, context: &Context, offset: Offset, part: &Part) -> bool {
        let has = self.mode == Modes::SHARED && has_shared_elements(&context.target, self.bits);
        has && self.mask(shader).is_some_and(|mask| is_narrow(offset, self.bits, mask, part.vec4s()))
    }
}

impl Memories {
    /// Finds the parts of the memories of `shader`, and the elements for its accesses.
    pub(super) fn collect(&mut self, shader: &mut Shader, context: &Context, offsets: &Offsets) {
        self.parts.clear();
        self.views = [None; 3];
        self.accesses.clear();
        self.accesses.extend(shader.order.iter().filter_map(|inst| OffsetAccess::new(shader, *inst)));
        for mode in MODES {
            let end = match mode {
                Modes::PUSH_CONST => Some(whole_vec4s(self.push_constant_bytes(shader, context))),
                _ => declared_bytes(shader, mode),
            };
            self.parts.push(Part { mode, start: 0, end, element: UVEC4, uses: Uses::default(), var: None });
            if mode == Modes::SHARED && !context.target.has(Feature::workgroupMemoryExplicitLayout) {
                self.cut(shader, context, end.unwrap_or(0));
            }
        }
        for at in 0..self.accesses.len() {
            let access = self.accesses[at];
            self.part(shader, &access).uses.add(shader, offsets, &access);
        }
        self.parts.iter_mut().for_each(|part| part.element = part.best_element(context));
        if self.parts.len() > MODES.len() {
            // In the order of their bytes.
            let shared = self.parts.iter_mut().filter(|part| part.mode == Modes::SHARED);
            shared.for_each(|part| _ = part.variable(shader));
        }
    }

    /// One past the last byte of push constants that the shader may read; all of them if a range is unknown.
    fn push_constant_bytes(&self, shader: &Shader, context: &Context) -> u32 {
        let limit = context.target.max_push_constants_size;
        let accesses = self.accesses.iter().filter(|access| access.mode == Modes::PUSH_CONST);
        let ends = accesses.filter_map(|access| access.end_of_push_constants(shader, limit));
        let accessed = ends.max().unwrap_or(0).min(limit);
        context.pushed.map_or(accessed, |offset| accessed.max(offset.saturating_add(4)).min(limit))
    }

    /// Cuts shared memory, of which `size` bytes are known, into parts with accesses of one kind, if all are at constant offsets.
    fn cut(&mut self, shader: &Shader, context: &Context, size: u32) {
        const UNIT: u32 = 8;
        self.ranges.clear();
        let accesses = self.accesses.iter().filter(|access| access.mode == Modes::SHARED);
        // Numbers of 64 bits are elements where there are atomics on those anyway.
        let has_wide = accesses.clone().any(|access| access.bits == 64 && access.operation.is_atomic());
        for access in accesses {
            let Some(range) = access.constant_range(shader).filter(|range| range.end <= size) else { return };
            let kind = match (u32::from(access.bits) / 8, access.operation.is_atomic()) {
                (bytes @ (1 | 2), false) if has_type(context, 8 * bytes as u8) => bytes,
                (8, _) if has_wide => 8,
                _ => 4,
            };
            self.ranges.push((range.start / UNIT * UNIT, range.end.next_multiple_of(UNIT), kind));
        }
        self.ranges.sort_unstable();
        let (mut end, mut kind) = (0, None);
        for (first, last, own) in &self.ranges {
            if *first >= end && kind.is_some_and(|kind| kind != own) {
                let rest = self.parts.last_mut().map(|part| part.split_off(*first));
                self.parts.extend(rest);
            }
            // Accesses that overlap are in one part.
            (end, kind) = (end.max(*last), Some(own));
        }
    }

    /// The number of the part that an access is in.
    fn part_of(&self, shader: &Shader, access: &OffsetAccess) -> usize {
        let first = access.constant_range(shader).map_or(0, |range| range.start);
        let is_it = |part: &Part| part.mode == access.mode && part.start <= first;
        self.parts.iter().rposition(is_it).expect("each mode has a part from byte 0 on")
    }

    /// The part that an access is in.
    pub(super) fn part(&mut self, shader: &Shader, access: &OffsetAccess) -> &mut Part {
        let at = self.part_of(shader, access);
        &mut self.parts[at]
    }

    /// A deref of shared memory as an array of numbers of `bits` bits, of a second variable.
    pub(super) fn view(&mut self, b: &mut Builder<'_>, bits: u8) -> Def {
        let (place, name) = match bits {
            8 => (0, "shared@8"),
            16 => (1, "shared@16"),
            _ => (2, "shared@64"),
        };
        let element = Element { bits, components: 1 };
        let len = declared_bytes(b.shader, Modes::SHARED).map(|bytes| elements(vec4s(bytes), element));
        let var =
            self.views[place].get_or_insert_with(|| new_block(b.shader, (name, Modes::SHARED), 0, (element, len)));
        base_pointer(b, *var, None)
    }
}

impl Part {
    /// Removes what is from the byte `first` on.
    fn split_off(&mut self, first: u32) -> Part {
        let end = self.end.replace(first);
        Part { mode: self.mode, start: first, end, element: UVEC4, uses: Uses::default(), var: None }
    }

    /// The number of vec4s, rounded up, if it is known.
    pub(super) fn vec4s(&self) -> Option<u32> {
        self.end.map(|end| vec4s(end - self.start))
    }

    /// The elements that serve its accesses best.
    fn best_element(&self, context: &Context) -> Element {
        let Part { mode, start, end, uses, .. } = self;
        let is_shared = *mode == Modes::SHARED;
        if is_shared && !context.target.has(Feature::workgroupMemoryExplicitLayout) {
            if uses.has_wide_atomics {
                return UINT64;
            }
            let bits = 8 * uses.widths as u8;
            if has_type(context, bits) && !uses.has_atomics && !uses.has_unaligned && end.is_some() {
                return Element { bits, components: 1 };
            }
        }
        // Mesh shaders must have the type of a payload that task shaders have.
        if *mode == Modes::TASK_PAYLOAD {
            return UINT;
        }
        // The driver adds memory in units of vec4s.
        let Some(end) = end.filter(|_| context.buffer_access == BufferAccess::Auto) else { return UVEC4 };
        let has_lanes_only = is_shared && uses.widths != 0 && !uses.has_vectors;
        match uses.has_unknown_lanes || has_lanes_only || (end - start) % UVEC4.bytes() != 0 {
            true => UINT,
            false => UVEC4,
        }
    }

    /// The variable.
    fn variable(&mut self, shader: &mut Shader) -> Var {
        let Part { mode, start, end, element, .. } = *self;
        *self.var.get_or_insert_with(|| {
            let name = match mode {
                Modes::SHARED => "shared",
                Modes::PUSH_CONST => LOWERED,
                Modes::TASK_PAYLOAD => "payload",
                _ => "scratch",
            };
            let len = end.map(|end| (end - start) / element.bytes());
            new_block(shader, (name, mode), start, (element, len))
        })
    }

    /// The variable, as it is accessed by bytes or by numbers of 8 or 16 bits.
    pub(super) fn memory(&mut self, b: &mut Builder<'_>, buffer_access: BufferAccess) -> MemoryView {
        let Part { mode, element, .. } = *self;
        let var = self.variable(b.shader);
        let in_pairs = element == UINT64;
        let whole = match buffer_access {
            BufferAccess::Auto if !in_pairs => Whole::Always,
            _ => Whole::Never,
        };
        MemoryView {
            base: base_pointer(b, var, None),
            access: 0,
            whole,
            lanes: if element == UINT { 1 } else { 4 },
            len: self.vec4s(),
            shared: matches!(mode, Modes::SHARED | Modes::TASK_PAYLOAD),
            in_pairs,
            at_address: false,
        }
    }
}

impl Uses {
    fn add(&mut self, shader: &Shader, offsets: &Offsets, access: &OffsetAccess) {
        let offset = access.offset(shader, offsets, 0);
        let bytes = u32::from(access.bits) / 8;
        self.widths |= bytes;
        self.has_atomics |= access.operation.is_atomic();
        self.has_wide_atomics |= access.operation.is_atomic() && bytes == 8;
        self.has_unknown_lanes |= bytes >= 4 && offset.lanes() != Some(4);
        self.has_vectors |= access.bytes() != 4;
        self.has_unaligned |= bytes < 4 && !offset.is_multiple_of(bytes);
    }
}

/// Whether variables of shared memory can be integers of these 8 or 16 bits.
fn has_type(context: &Context, bits: u8) -> bool {
    match bits {
        8 => context.target.has(Feature::shaderInt8),
        16 => context.target.has(Feature::shaderInt16),
        _ => false,
    }
}

/// The size of a memory in bytes, in whole vec4s; `None` if that of shared memory is set with the pipeline.
fn declared_bytes(shader: &Shader, mode: Modes) -> Option<u32> {
    match mode {
        Modes::SHARED if shader.info.has_variable_shared_memory() => None,
        Modes::SHARED => Some(whole_vec4s(shader.info.shared_size)),
        Modes::TASK_PAYLOAD => Some(whole_vec4s(shader.info.task_payload_size)),
        _ => Some(whole_vec4s(shader.info.scratch)),
    }
}

/// The size of a memory of `bytes` bytes in whole vec4s: one at least.
fn whole_vec4s(bytes: u32) -> u32 {
    const MOST: u32 = u32::MAX - 15;
    bytes.clamp(1, MOST).next_multiple_of(UVEC4.bytes())
}
