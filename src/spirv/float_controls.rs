// SPDX-License-Identifier: MIT

//! Float controls: execution modes for the header's requirements on denormals, signed zeros, infinities, NaNs and rounding.
//!
//! NIR's `float_controls_execution_mode` has a bit for each requirement and width. A requirement becomes a mode if the target has
//! the property for that width. A module is correct without these modes, so others are dropped. Without `*IndependenceAll` the
//! widths have to agree (Vulkan, VkPhysicalDeviceFloatControlsProperties): widths that do not agree get no mode.
//!
//! Instructions have requirements of their own ([`AluFlags::MATH`], NIR's `fp_math_ctrl`):
//!
//! ```text
//! 32 %3 = fadd %1, %2  // exact
//! 32 %4 = fmul %1, %2  // preserve:nan
//!
//! without SPV_KHR_float_controls2          with it
//! OpExecutionMode %main                    OpExecutionModeId %main FPFastMathDefault %float 0x7000f
//!     SignedZeroInfNanPreserve 32          OpDecorate %3 FPFastMathMode 0xf
//! OpDecorate %3 NoContraction              OpDecorate %4 FPFastMathMode 0x7000e
//! ```
//!
//! A module uses that extension only if an instruction requires other things than NoContraction, or the header requires that the
//! values of floats are kept.

use super::Emit;
use crate::ir::{AluFlags, InstKind, Shader};
use crate::op::Base;
use crate::target::Feature::{self, *};
use crate::target::Target;
use spirv::{Capability, Decoration, ExecutionMode as Mode, FPFastMathMode};

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
        self.fast_math();
        let (target, controls) = (self.target, self.shader.info.float_controls_execution_mode);
        if controls == 0 {
            return;
        }
        if self.state.fast_math.is_none() {
            let all = |width| PRESERVE.is_fulfilled(controls, target, width).then_some(&PRESERVE);
            self.float_modes([0, 1, 2].map(all));
        }
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

impl Emit<'_> {
    /// Decides whether the module uses SPV_KHR_float_controls2, and emits its defaults.
    fn fast_math(&mut self) {
        if !self.target.has(shaderFloatControls2) || self.target.spirv_version() < (1, 2) {
            return;
        }
        let required = Required::new(self.shader);
        if required.is_simple() {
            return;
        }
        let fast_math = FastMath::new(&required, self.target);
        self.m.capability(Capability::FloatControls2);
        for (width, default) in WIDTHS.into_iter().zip(fast_math.defaults).filter(|(_, default)| *default != 0) {
            let ty = self.m.numeric(Base::Float, width as u8, 1);
            let mask = self.m.uint(default);
            self.m.mode_id(Mode::FPFastMathDefault, &[ty, mask]);
        }
        self.state.fast_math = Some(fast_math);
    }

    /// Decorates a computation on floats of `bits` bits that has these flags.
    #[inline(never)]
    pub(super) fn control_math(&mut self, id: u32, flags: AluFlags, bits: u8, contracts: bool, is_math: bool) {
        match self.state.fast_math {
            None if contracts && flags.intersects(AluFlags::EXACT) => {
                self.m.decorate(id, Decoration::NoContraction, &[]);
            }
            Some(fast_math) if is_math => {
                if let Some(mask) = fast_math.mask(flags, bits) {
                    self.m.decorate(id, Decoration::FPFastMathMode, &[mask]);
                }
            }
            _ => {}
        }
    }
}

/// What the instructions and the header of a shader require of its computations with floats.
struct Required {
    /// The flags of all instructions of each width.
    flags: [AluFlags; 3],
    /// The flags of the header for each width that is used.
    header: [AluFlags; 3],
    /// Whether an instruction requires a part of what an exact one requires.
    is_partial: bool,
}

impl Required {
    fn new(shader: &Shader) -> Required {
        let (mut flags_of, mut is_used, mut is_partial) = ([AluFlags::empty(); 3], [false; 3], false);
        for inst in &shader.order {
            let InstKind::Alu { op, flags, srcs } = shader.insts[*inst].kind else { continue };
            if !op.row().is_math() {
                continue;
            }
            let bits = shader.bit_size(shader.alu_srcs[srcs][0].def);
            let Some(width) = width_index(bits) else { continue };
            is_used[width] = true;
            flags_of[width] |= flags & AluFlags::MATH;
            is_partial |= flags.intersects(AluFlags::EXACT) && !flags.contains(AluFlags::EXACT);
        }
        let header = [0, 1, 2].map(|width| match is_used[width] {
            true => shader.info.kept_values(WIDTHS[width] as u8),
            false => AluFlags::empty(),
        });
        Required { flags: flags_of, header, is_partial }
    }

    /// Whether an instruction has flags of its own about the values that it keeps: then the header only summarizes them.
    fn is_by_instruction(&self) -> bool {
        self.flags.iter().any(|flags| flags.intersects(AluFlags::PRESERVE))
    }

    /// Whether NoContraction says all of it.
    fn is_simple(&self) -> bool {
        let keeps = self.flags.iter().chain(&self.header).any(|flags| flags.intersects(AluFlags::PRESERVE));
        !keeps && !self.is_partial
    }
}

fn width_index(bits: u8) -> Option<usize> {
    WIDTHS.iter().position(|width| *width == u32::from(bits))
}

/// The fast math modes of a module (SPIR-V, "FP Fast Math Mode").
#[derive(Clone, Copy, Debug)]
pub(super) struct FastMath {
    /// The mode of an instruction without flags, for each width; 0 for widths without requirements.
    defaults: [u32; 3],
    /// Modes that the target cannot remove.
    fixed: [u32; 3],
}

impl FastMath {
    /// All that a compiler may do.
    const ALL: FPFastMathMode = FPFastMathMode::NOT_NAN
        .union(FPFastMathMode::NOT_INF)
        .union(FPFastMathMode::NSZ)
        .union(FPFastMathMode::ALLOW_RECIP)
        .union(FPFastMathMode::ALLOW_CONTRACT)
        .union(FPFastMathMode::ALLOW_REASSOC)
        .union(FPFastMathMode::ALLOW_TRANSFORM);

    /// Flags, and the modes that they exclude. AllowTransform needs AllowContract and AllowReassoc.
    const EXCLUDED: [(AluFlags, FPFastMathMode); 6] = [
        (AluFlags::NO_CONTRACT, FPFastMathMode::ALLOW_CONTRACT.union(FPFastMathMode::ALLOW_TRANSFORM)),
        (AluFlags::NO_REASSOC, FPFastMathMode::ALLOW_REASSOC.union(FPFastMathMode::ALLOW_TRANSFORM)),
        (AluFlags::NO_TRANSFORM, FPFastMathMode::ALLOW_TRANSFORM),
        (AluFlags::PRESERVE_SIGNED_ZERO, FPFastMathMode::NSZ),
        (AluFlags::PRESERVE_INF, FPFastMathMode::NOT_INF),
        (AluFlags::PRESERVE_NAN, FPFastMathMode::NOT_NAN),
    ];

    fn new(required: &Required, target: &Target) -> FastMath {
        let keeps = PRESERVE.properties.map(|property| target.has(property));
        let values = FPFastMathMode::NSZ | FPFastMathMode::NOT_INF | FPFastMathMode::NOT_NAN;
        let fixed = keeps.map(|keeps| if keeps { 0 } else { values.bits() });
        let mut fast_math = FastMath { defaults: [FastMath::ALL.bits(); 3], fixed };
        let header = if required.is_by_instruction() { [AluFlags::empty(); 3] } else { required.header };
        fast_math.defaults = [0, 1, 2].map(|width| match required.flags[width] | required.header[width] {
            flags if flags.is_empty() => 0,
            _ => fast_math.without(header[width], width),
        });
        fast_math
    }

    /// The default of a width without what these flags exclude.
    fn without(&self, flags: AluFlags, width: usize) -> u32 {
        let excluded = FastMath::EXCLUDED.iter().filter(|(flag, _)| flags.contains(*flag));
        let excluded = excluded.fold(0, |all, (_, modes)| all | modes.bits());
        self.defaults[width] & !(excluded & !self.fixed[width])
    }

    /// The mode of an instruction with these flags, unless it is the default.
    fn mask(&self, flags: AluFlags, bits: u8) -> Option<u32> {
        let width = width_index(bits)?;
        Some(self.without(flags, width)).filter(|mask| *mask != self.defaults[width])
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
