// SPDX-License-Identifier: MIT

//! Uniform and storage blocks with members of 8 and 16 bits.
//!
//! Passes read an array of numbers in a uniform or storage block, as zink makes them, as words. Other members keep their declared
//! types, and a struct has all its members in SPIR-V, used or not: the device must support numbers of these widths, in such
//! blocks, too (Vulkan, `VkPhysicalDevice8BitStorageFeatures` and `VkPhysicalDevice16BitStorageFeatures`).

use super::feature_check::{FeatureCheck, Features};
use crate::ir::{Def, DerefKind, Field, InstKind, Shader, Type, TypeData, Var, Variable};
use crate::op::{AluType, Base, Modes};
use crate::target::Feature::{self, *};

/// Whether a dump does not have the offsets of the members of a uniform or storage block: several arrays with a length, which may
/// be one after the other or, as zink's, the same bytes. Only one of zink's has a length.
pub(super) fn has_lost_layout(shader: &Shader, variable: &Variable) -> bool {
    let types = &shader.types;
    let is_block = variable.mode.intersects(Modes::UBO | Modes::SSBO);
    let block = types.as_struct(types.without_arrays(variable.ty)).filter(|_| is_block);
    let is_lost = |field: &&Field| field.offset.is_none() && matches!(types.as_array(field.ty), Some((_, Some(_))));
    block.is_some_and(|block| block.fields.iter().filter(is_lost).count() > 1)
}

/// The features that numbers of 8 and of 16 bits need in each kind of block.
const STORAGE: &[(Modes, [Feature; 2])] = &[
    (Modes::UBO, [uniformAndStorageBuffer8BitAccess, uniformAndStorageBuffer16BitAccess]),
    (Modes::SSBO, [storageBuffer8BitAccess, storageBuffer16BitAccess]),
    (Modes::PUSH_CONST, [storagePushConstant8, storagePushConstant16]),
];

/// All features that members may need.
pub(super) const MAY_NEED: Features = {
    let widths = 1 << shaderInt8 as u8 | 1 << shaderInt16 as u8 | 1 << shaderFloat16 as u8;
    let (mut needs, mut row) = (widths, 0);
    while row < STORAGE.len() {
        needs |= 1 << STORAGE[row].1[0] as u8 | 1 << STORAGE[row].1[1] as u8;
        row += 1;
    }
    needs
};

impl FeatureCheck<'_> {
    /// Checks the features that members of blocks need.
    pub(super) fn check_blocks(&mut self) {
        let shader = self.report.shader;
        if !shader.types.has_width(8 | 16) {
            return;
        }
        for (var, variable) in shader.vars.iter() {
            let Some((mode, storage)) = STORAGE.iter().find(|row| row.0 == variable.mode) else { continue };
            let small = small_numbers(shader, variable.ty, *mode != Modes::PUSH_CONST);
            if small.is_empty() || !is_used(shader, var) {
                continue;
            }
            for AluType { base, bits } in small {
                self.need(None, storage[usize::from(bits == 16)]);
                self.need(None, width(base, bits));
            }
        }
    }
}

/// The feature for values of a small type.
fn width(base: Base, bits: u8) -> Feature {
    match (base, bits) {
        (Base::Float, _) => shaderFloat16,
        (_, 8) => shaderInt8,
        _ => shaderInt16,
    }
}

/// The small numbers in the type of a block. With `has_words` arrays of numbers in it are skipped, because passes read them as
/// words.
fn small_numbers(shader: &Shader, block: Type, has_words: bool) -> Vec<AluType> {
    let types = &shader.types;
    let mut small = Vec::new();
    let mut visit = |number: AluType| small.extend(is_small(number).then_some(number));
    match types.as_struct(types.without_arrays(block)).filter(|_| has_words) {
        Some(data) => {
            let element = |ty: Type| types.as_array(ty).map(|(element, _)| types.get(element));
            let stays = |field: &&Field| !matches!(element(field.ty), Some(TypeData::Scalar(_)));
            data.fields.iter().filter(stays).for_each(|field| types.each_number(field.ty, &mut visit));
        }
        None => types.each_number(block, &mut visit),
    }
    small
}

fn is_small(number: AluType) -> bool {
    matches!(number.bits, 8 | 16) && number.base != Base::Bool
}

/// Whether the shader has a deref of a variable.
fn is_used(shader: &Shader, var: Var) -> bool {
    shader.order.iter().any(|inst| match shader.insts[*inst].kind {
        InstKind::Deref(deref) => matches!(shader.derefs[deref].kind, DerefKind::Var(of) if of == var),
        _ => false,
    })
}

/// Whether the block at `pointer` is one that passes make ([`lower_ssbo`](crate::pass::memory::lower_ssbo)), and its array has a length.
pub(super) fn has_sized_end(shader: &Shader, pointer: Def) -> bool {
    let data = shader.as_deref(pointer).and_then(|deref| shader.types.as_struct(deref.ty));
    data.is_some_and(|data| {
        let last = data.fields.last().map(|field| shader.types.get(field.ty));
        shader.strings[data.name] == *"block" && matches!(last, Some(TypeData::Array { len: Some(_), .. }))
    })
}
