// SPDX-License-Identifier: MIT

//! Inlined uniforms: constants instead of loads, in a key with [`Key::INLINED_UNIFORMS`].
//!
//! NIR names up to four words of uniform block 0 that decide branches and loops (`nir_find_inlinable_uniforms`). A driver inlines
//! them so that the compiler below it removes what their values rule out. A load of such a word is copied, and the key patches the
//! operand of the copy:
//!
//! ```text
//! %value = OpConstant %uint 0            range: the key has `inlined_uniforms`; patch: the word of the key
//! %loaded = OpLoad %uint %pointer
//! %copy = OpCopyObject %uint %loaded     patch: %value
//! ```
//!
//! Blocks in push constants keep their loads.

use super::late::Section;
use super::memory::{Origin, Pointer};
use super::Emit;
use crate::ir::{ArrayIndex, Def, DerefKind, Shader, TypeData};
use crate::module::{Condition, Key, PatchKind};
use crate::op::Modes;
use spirv::Op;

impl Emit<'_> {
    /// The value `loaded` from the pointer of the deref `source`, with the words that the key inlines.
    pub(super) fn with_inlined_uniforms(&mut self, source: Def, pointer: &Pointer, loaded: u32) -> u32 {
        let info = &self.shader.info;
        let count = info.num_inlinable_uniforms as usize;
        let is_block = matches!(pointer.origin, Origin::Var(var) if self.shader.vars[var].mode == Modes::UBO);
        if count == 0 || !is_block || pointer.scalar.bits != 32 || !self.offers(Key::INLINED_UNIFORMS) {
            return loaded;
        }
        let Some(first) = offset_in_first_block(self.shader, source) else { return loaded };
        let words = info.inlinable_uniform_dw_offsets;
        let lane = |word: u32| word.checked_mul(4)?.checked_sub(first).map(|bytes| bytes / 4);
        let lanes = (0..).zip(words.into_iter().take(count)).filter_map(|(index, word)| Some((index, lane(word)?)));
        let lanes = lanes.filter(|(_, lane)| *lane < u32::from(pointer.n));
        lanes.fold(loaded, |value, (index, lane)| self.inlined_lane(pointer, value, index, lane))
    }

    /// `value`, with the inlined uniform `index` in this lane.
    fn inlined_lane(&mut self, pointer: &Pointer, value: u32, index: u32, lane: u32) -> u32 {
        let scalar = self.m.numeric(pointer.base, 32, 1);
        if pointer.n == 1 {
            return self.inlined_word(scalar, value, index);
        }
        let word = self.m.value(Op::CompositeExtract, scalar, &[value, lane]);
        let word = self.inlined_word(scalar, word, index);
        self.m.value(Op::CompositeInsert, pointer.ty, &[word, value, lane])
    }

    /// A copy of the word `loaded`, or of the inlined uniform `index`.
    fn inlined_word(&mut self, ty: u32, loaded: u32, index: u32) -> u32 {
        let when = self.m.condition(Condition::any(Key::INLINED_UNIFORMS));
        let (constant, copy) = (self.m.id(), self.m.id());
        let start = self.m.mark(Section::Globals);
        let at = self.m.globals.op(Op::Constant, &[ty, constant, 0]);
        self.m.patch(Section::Globals, at + 2, PatchKind::Uniform, when, index);
        self.m.end_range(Section::Globals, start, when);
        let at = self.m.code.op(Op::CopyObject, &[ty, copy, loaded]);
        self.m.patch(Section::Code, at + 2, PatchKind::Word, when, constant);
        copy
    }
}

/// The offset in bytes of a pointer into uniform block 0; `None` if it is in another block, or not constant.
fn offset_in_first_block(shader: &Shader, mut def: Def) -> Option<u32> {
    let mut bytes = 0u32;
    loop {
        let (parent, step) = match shader.as_deref(def)?.kind {
            DerefKind::Var(var) => return (shader.vars[var].driver_location == 0).then_some(bytes),
            DerefKind::Struct { parent, field } => {
                let fields = &shader.types.as_struct(shader.as_deref(parent)?.ty)?.fields;
                (parent, fields.get(field as usize)?.offset?)
            }
            DerefKind::Array { parent, index } => {
                let index = match index {
                    ArrayIndex::Imm(index) => u32::try_from(index).ok()?,
                    ArrayIndex::Def(index) => u32::try_from(shader.as_const_scalar(index)?).ok()?,
                };
                let stride = match shader.types.get(shader.as_deref(parent)?.ty) {
                    TypeData::Vector(scalar, _) => u32::from(scalar.bits) / 8,
                    TypeData::Array { stride, .. } => stride,
                    _ => return None,
                };
                // An array of blocks has no stride.
                if stride == 0 && index != 0 {
                    return None;
                }
                (parent, index.checked_mul(stride)?)
            }
            _ => return None,
        };
        (def, bytes) = (parent, bytes.checked_add(step)?);
    }
}
