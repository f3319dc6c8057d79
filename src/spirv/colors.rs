// SPDX-License-Identifier: MIT

//! Colours at the end of a shader: their clamp, and the test of alpha.
//!
//! The function of `epilogue` loads an output, clamps it, and stores it. After that it tests alpha, as `glAlphaFunc` says:
//!
//! ```text
//! %a = OpLoad %v4float %color                  range: the key has `clamp_colors`
//! %b = OpExtInst %v4float NClamp %a %zeros %ones
//! OpStore %color %b
//! %c = OpLoad %v4float %color                  range: the key has an alpha test
//! %d = OpCompositeExtract %float %c 3
//! %e = OpFOrdLessThan %bool %d %reference      patch: another comparison
//! OpSelectionMerge %f None
//! OpBranchConditional %e %f %g
//! %g = OpLabel
//! OpKill
//! %f = OpLabel
//! ```
//!
//! The test is the last instruction that decides whether the invocation writes, so nothing after it needs a helper invocation, and
//! OpKill or OpTerminateInvocation is enough. These need no extension and no capability, which a key could not add.

use super::constants::one;
use super::interface::View;
use super::late::Section;
use super::pushed::Pushed;
use super::varying::COLOURS;
use super::Emit;
use crate::analysis::value_types;
use crate::ir::{Stage, Var, VarFlags, Variable};
use crate::module::{Condition, Key, PatchKind};
use crate::op::names::frag_result;
use crate::op::{Base, Modes};
use spirv::{GlslStd450Op, Op, SelectionControl};

/// The comparisons of alpha and the reference that pass, by their number in a key. The first never passes: alpha is compared with
/// itself.
const COMPARISONS: [Op; 7] = [
    Op::FOrdLessThan,
    Op::FOrdLessThan,
    Op::FOrdEqual,
    Op::FOrdLessThanEqual,
    Op::FOrdGreaterThan,
    Op::FUnordNotEqual,
    Op::FOrdGreaterThanEqual,
];

/// The vectors that a fragment shader may write to colour targets.
const TARGETS: u32 = 8;

impl Emit<'_> {
    /// The options of a key that change the colour `var`, if that is one. Those that it is of no type for are taken back.
    pub(super) fn color_bits(&mut self, var: Var) -> u64 {
        let shader = self.shader;
        let variable = &shader.vars[var];
        if !self.is_color(variable) {
            return 0;
        }
        let tested = if self.is_first_color(variable) { Key::ALPHA_TEST } else { 0 };
        match (value_types::leaf(&shader.types, variable.ty), self.color_vector(variable)) {
            (Some(scalar), _) if scalar.base != Base::Float => 0,
            (_, Some(_)) => Key::CLAMP_COLORS | if self.has_alpha(variable) { tested } else { 0 },
            _ => {
                self.m.withdraw(Key::CLAMP_COLORS | tested);
                0
            }
        }
    }

    /// Whether an output is one of GL's colours.
    fn is_color(&self, variable: &Variable) -> bool {
        let Some(slot) = variable.location.filter(|_| variable.mode == Modes::SHADER_OUT) else { return false };
        match self.shader.stage() {
            Stage::Fragment => {
                // A variable with framebuffer fetch is never written.
                let is_read = variable.flags.contains(VarFlags::FB_FETCH_OUTPUT);
                slot.checked_sub(frag_result::DATA0).is_some_and(|target| target < TARGETS) && !is_read
            }
            _ => COLOURS.contains(&slot),
        }
    }

    /// Whether an output is the colour whose alpha is tested.
    fn is_first_color(&self, variable: &Variable) -> bool {
        let place = (variable.location, variable.index);
        self.shader.stage() == Stage::Fragment && place == (Some(frag_result::DATA0), 0)
    }

    /// Whether a colour has the fourth component of its slot.
    fn has_alpha(&self, variable: &Variable) -> bool {
        let end = self.color_vector(variable).map_or(0, |(_, n)| variable.location_frac.saturating_add(n));
        variable.location_frac <= 3 && end > 3
    }

    /// The width and the number of components of an output that is a vector of floats.
    fn color_vector(&self, variable: &Variable) -> Option<(u8, u8)> {
        let (scalar, n) = self.shader.types.as_vector(variable.ty)?;
        (scalar.base == Base::Float && matches!(scalar.bits, 16 | 32) && n <= 4).then_some((scalar.bits, n))
    }

    /// Clamps all colours to 0..1, as `fsat` does.
    pub(super) fn clamp_colors(&mut self) {
        let when = self.m.condition(Condition::any(Key::CLAMP_COLORS));
        let glsl = self.m.glsl();
        for index in 0..self.state.outputs.len() {
            let var = self.state.outputs[index];
            let variable = &self.shader.vars[var];
            let Some((bits, n)) = self.color_vector(variable).filter(|_| self.is_color(variable)) else { continue };
            let id = self.state.vars[var].ids[View::Whole as usize];
            let ty = self.m.numeric(Base::Float, bits, n);
            let [zero, one] = [0, one(Base::Float, bits)].map(|value| self.m.splat(Base::Float, bits, n, value));
            let start = self.m.mark(Section::Code);
            let value = self.m.value(Op::Load, ty, &[id]);
            let value = self.m.value(Op::ExtInst, ty, &[glsl, GlslStd450Op::NClamp as u32, value, zero, one]);
            self.m.code.op(Op::Store, &[id, value]);
            self.m.end_range(Section::Code, start, when);
        }
    }

    /// Ends the invocation unless its alpha passes the test of the key.
    pub(super) fn test_alpha(&mut self, pushed: Pushed) {
        let tested = |var: &Var| {
            let variable = &self.shader.vars[*var];
            self.is_first_color(variable) && self.has_alpha(variable)
        };
        let Some(var) = self.state.outputs.iter().copied().find(tested) else { return };
        let when = self.m.condition(Condition::any(Key::ALPHA_TEST));
        let place = self.pushed_place(pushed, when);
        let [merge, kill] = [self.m.id(), self.m.id()];
        let start = self.m.mark(Section::Code);
        let reference = self.load_pushed(place);
        let alpha = self.load_alpha(var);
        let passes = self.compare_alpha(alpha, reference);
        self.m.code.op(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        self.m.code.op(Op::BranchConditional, &[passes, merge, kill]);
        self.m.code.op(Op::Label, &[kill]);
        self.m.code.op(if self.m.version >= (1, 6) { Op::TerminateInvocation } else { Op::Kill }, &[]);
        self.m.code.op(Op::Label, &[merge]);
        self.m.end_range(Section::Code, start, when);
    }

    /// Loads the fourth component of the colour `var` as a 32-bit float.
    fn load_alpha(&mut self, var: Var) -> u32 {
        let variable = &self.shader.vars[var];
        let (bits, n) = self.color_vector(variable).unwrap_or((32, 1));
        let component = 3 - u32::from(variable.location_frac);
        let [ty, scalar] = [n, 1].map(|n| self.m.numeric(Base::Float, bits, n));
        let id = self.state.vars[var].ids[View::Whole as usize];
        let mut alpha = self.m.value(Op::Load, ty, &[id]);
        if n > 1 {
            alpha = self.m.value(Op::CompositeExtract, scalar, &[alpha, component]);
        }
        if bits != 32 {
            let float = self.m.numeric(Base::Float, 32, 1);
            alpha = self.m.value(Op::FConvert, float, &[alpha]);
        }
        alpha
    }

    /// Whether `alpha` passes the test of the key.
    fn compare_alpha(&mut self, alpha: u32, reference: u32) -> u32 {
        let bool = self.m.numeric(Base::Bool, 1, 1);
        let passes = self.m.id();
        let at = self.m.code.op(COMPARISONS[0], &[bool, passes, alpha, reference]);
        for (op, number) in COMPARISONS.into_iter().zip(1..) {
            let when = self.m.condition(Condition::is(Key::ALPHA_TEST, Key::alpha_test(number)));
            match number {
                1 => self.m.patch(Section::Code, at + 3, PatchKind::Word, when, alpha),
                _ => self.m.patch(Section::Code, at - 1, PatchKind::Word, when, 5 << 16 | op as u32),
            }
        }
        passes
    }
}
