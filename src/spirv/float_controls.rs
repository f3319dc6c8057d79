// SPDX-License-Identifier: MIT

//! Float controls: execution modes for the header's requirements on denormals, signed zeros, infinities, NaNs and rounding.
//!
//! NIR's `float_controls_execution_mode` has a bit for each requirement and width. A requirement becomes a mode if the target has
//! the property for that width. A module is correct without these modes, so others are dropped. Without `*IndependenceAll` the
//! widths have to agree (Vulkan, VkPhysicalDeviceFloatControlsProperties): widths that do not agree get no mode.

use super::Emit;
use crate::target::Feature::{self, *};
use crate::target::Target;
use spirv::{Capability, ExecutionMode as Mode};

/// Widths of floats, in the order of NIR's bits.
const WIDTHS: [u32; 3] = [16, 32, 64];

/// A requirement: its bit for 16-bit floats, the mode, its capability, and the property for each width. The bits for 32 and 64 bits
/// are the next two.
struct Wish {
    bits: u32,
    mode: Mode,
    capability: Capability,
    properties: [Feature; 3],
}

/// Preserves signed zeros, infinities and NaNs: three bits in NIR, one mode in SPIR-V.
const PRESERVE: Wish = Wish {
    bits: 1 << 0 | 1 << 3 | 1 << 6,
    mode: Mode::SignedZeroInfNanPreserve,
    capability: Capability::SignedZeroInfNanPreserve,
    properties: [
        shaderSignedZeroInfNanPreserveFloat16,
        shaderSignedZeroInfNanPreserveFloat32,
        shaderSignedZeroInfNanPreserveFloat64,
    ],
};

/// The treatment of denormals.
const DENORMALS: [Wish; 2] = [
    Wish {
        bits: 1 << 9,
        mode: Mode::DenormPreserve,
        capability: Capability::DenormPreserve,
        properties: [shaderDenormPreserveFloat16, shaderDenormPreserveFloat32, shaderDenormPreserveFloat64],
    },
    Wish {
        bits: 1 << 12,
        mode: Mode::DenormFlushToZero,
        capability: Capability::DenormFlushToZero,
        properties: [shaderDenormFlushToZeroFloat16, shaderDenormFlushToZeroFloat32, shaderDenormFlushToZeroFloat64],
    },
];

/// The rounding modes.
const ROUNDING: [Wish; 2] = [
    Wish {
        bits: 1 << 15,
        mode: Mode::RoundingModeRTE,
        capability: Capability::RoundingModeRTE,
        properties: [shaderRoundingModeRTEFloat16, shaderRoundingModeRTEFloat32, shaderRoundingModeRTEFloat64],
    },
    Wish {
        bits: 1 << 18,
        mode: Mode::RoundingModeRTZ,
        capability: Capability::RoundingModeRTZ,
        properties: [shaderRoundingModeRTZFloat16, shaderRoundingModeRTZFloat32, shaderRoundingModeRTZFloat64],
    },
];

impl Wish {
    /// Whether `controls` has this requirement for the width with index `width`, and `target` fulfils it.
    fn is_fulfilled(&self, controls: u32, target: &Target, width: usize) -> bool {
        controls >> width & self.bits != 0 && target.has(self.properties[width])
    }
}

impl Emit<'_> {
    /// Emits the modes of the float controls.
    pub(super) fn float_controls(&mut self) {
        let (target, controls) = (self.target, self.shader.info.float_controls_execution_mode);
        if controls == 0 {
            return;
        }
        let all = |width| PRESERVE.is_fulfilled(controls, target, width).then_some(&PRESERVE);
        self.float_modes([0, 1, 2].map(all));
        let denormals = [denormBehaviorIndependenceAll, denormBehaviorIndependence32BitOnly];
        let rounding = [roundingModeIndependenceAll, roundingModeIndependence32BitOnly];
        for (wishes, independence) in [(&DENORMALS, denormals), (&ROUNDING, rounding)] {
            let chosen = |width| wishes.iter().find(|wish: &&Wish| wish.is_fulfilled(controls, target, width));
            self.float_modes(agreed([0, 1, 2].map(chosen), independence.map(|feature| target.has(feature))));
        }
    }

    fn float_modes(&mut self, chosen: [Option<&Wish>; 3]) {
        for (wish, width) in chosen.into_iter().zip(WIDTHS) {
            if let Some(wish) = wish {
                self.m.capability(wish.capability);
                self.m.mode(wish.mode, &[width]);
            }
        }
    }
}

/// The choices for 16, 32 and 64 bits that the independence of the target allows: all of them, or only that for 32 bits.
fn agreed(chosen: [Option<&Wish>; 3], [all, only_32]: [bool; 2]) -> [Option<&Wish>; 3] {
    let [half, single, double] = chosen.map(|wish| wish.map(|wish| wish.mode));
    if all || half == double && (only_32 || half == single) {
        chosen
    } else if only_32 {
        [None, chosen[1], None]
    } else {
        [None; 3]
    }
}
