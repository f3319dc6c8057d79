// SPDX-License-Identifier: MIT

//! Push constants with members of 8 and 16 bits.
//!
//! They keep their declared types, and a struct has all its members in SPIR-V, used or not: the device must support numbers of these
//! widths, in push constants, too (Vulkan, `VkPhysicalDevice8BitStorageFeatures` and `VkPhysicalDevice16BitStorageFeatures`).

use super::feature_check::{FeatureCheck, Features};
use crate::ir::{DerefKind, InstKind, Shader, Var};
use crate::op::{AluType, Base, Modes};
use crate::target::Feature::{self, *};

/// The features that numbers of 8 and of 16 bits need in push constants.
const STORAGE: [Feature; 2] = [storagePushConstant8, storagePushConstant16];

/// All features that members may need.
pub(super) const MAY_NEED: Features = 1 << shaderInt8 as u8
    | 1 << shaderInt16 as u8
    | 1 << shaderFloat16 as u8
    | 1 << storagePushConstant8 as u8
    | 1 << storagePushConstant16 as u8;

impl FeatureCheck<'_> {
    /// Checks the features that members of push constants need.
    pub(super) fn check_push_constants(&mut self) {
        let shader = self.report.shader;
        if !shader.types.has_width(8 | 16) {
            return;
        }
        for (var, variable) in shader.vars.iter().filter(|(_, variable)| variable.mode == Modes::PUSH_CONST) {
            let mut small = Vec::new();
            shader.types.each_number(variable.ty, &mut |number| small.extend(is_small(number).then_some(number)));
            if small.is_empty() || !is_used(shader, var) {
                continue;
            }
            for AluType { base, bits } in small {
                self.need(None, STORAGE[usize::from(bits == 16)]);
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
