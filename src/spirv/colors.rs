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

/// A colour that is dithered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dithered {
    /// The id of the output.
    pub(super) id: u32,
    pub(super) target: u32,
    /// Its first component in the target, the number of its components, and their width.
    pub(super) first: u8,
    pub(super) n: u8,
    pub(super) bits: u8,
}

/// The vectors that a fragment shader may write to colour targets.
const TARGETS: u32 = 8;

impl Emit<'_> {
    /// The options of a key that change the colour `var`, if that is one. Those that cannot change its type are taken back.
    pub(super) fn color_bits(&mut self, var: Var) -> u64 {
        let shader = self.shader;
        let variable = &shader.vars[var];
        if !self.is_color(variable) {
            return 0;
        }
        let tested = if self.is_first_color(variable) { Key::ALPHA_TEST } else { 0 };
        if self.color_vector(variable).is_some() {
            let tested = if self.has_alpha(variable) { tested } else { 0 };
            return Key::CLAMP_COLORS | tested | self.dither_bits(variable);
        }
        let of_floats =
            if self.is_integer(variable) { 0 } else { Key::CLAMP_COLORS | tested | self.dither_bits(variable) };
        self.m.withdraw(of_floats | self.second_source_bits(variable));
        0
    }

    /// Whether an output consists of integers.
    fn is_integer(&self, variable: &Variable) -> bool {
        value_types::leaf(&self.shader.types, variable.ty).is_some_and(|scalar| scalar.base != Base::Float)
    }

    /// The bits that dither the colour targets of an output. The second source of blending is not dithered.
    fn dither_bits(&self, variable: &Variable) -> u64 {
        let targets = self.targets(variable).filter(|_| variable.index == 0);
        targets.fold(0, |bits, target| bits | Key::dither(target, 3))
    }

    /// The option that makes an output the second source of blending, if one of several targets of the output would be that.
    fn second_source_bits(&self, variable: &Variable) -> u64 {
        let is_second = self.targets(variable).skip(1).any(|target| target == 1);
        if is_second {
            Key::DUAL_SOURCE
        } else {
            0
        }
    }

    /// The colour targets of an output of a fragment shader.
    fn targets(&self, variable: &Variable) -> impl Iterator<Item = u32> {
        let is_fragment = self.shader.stage() == Stage::Fragment;
        let first = variable.location.and_then(|slot| slot.checked_sub(frag_result::DATA0)).filter(|_| is_fragment);
        let first = first.unwrap_or(TARGETS);
        first..first.saturating_add(self.shader.types.slots(variable.ty)).min(TARGETS)
    }

    /// The output `var` as a colour that is dithered, if it is one.
    pub(super) fn dithered(&self, var: Var) -> Option<Dithered> {
        let variable = &self.shader.vars[var];
        let target = self.targets(variable).next().filter(|_| self.is_color(variable) && variable.index == 0)?;
        let (bits, n) = self.color_vector(variable)?;
        let id = self.state.vars[var].ids[View::Whole as usize];
        Some(Dithered { id, target, first: variable.location_frac, n, bits })
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

    /// Whether the first colour is an integer, which is not tested.
    pub(super) fn has_integer_color(&self) -> bool {
        self.shader
            .vars
            .values()
            .any(|variable| self.is_color(variable) && self.is_first_color(variable) && self.is_integer(variable))
    }

    /// Whether a colour has the fourth component of its slot.
    fn has_alpha(&self, variable: &Variable) -> bool {
        self.color_vector(variable).is_some_and(|(_, n)| variable.location_frac + n > 3)
    }

    /// The width and the number of components of an output that is a vector of floats.
    fn color_vector(&self, variable: &Variable) -> Option<(u8, u8)> {
        let (scalar, n) = self.shader.types.as_vector(variable.ty)?;
        let fits = n <= 4u8.saturating_sub(variable.location_frac);
        (scalar.base == Base::Float && matches!(scalar.bits, 16 | 32) && fits).then_some((scalar.bits, n))
    }

    /// Clamps all colours to 0..1, as `fsat` does.
    pub(super) fn clamp_colors(&mut self) {
        let when = self.m.condition(Condition::any(Key::CLAMP_COLORS));
        let glsl = self.m.glsl();
        for index in 0..self.state.vars.outputs.len() {
            let var = self.state.vars.outputs[index];
            let variable = &self.shader.vars[var];
            let Some((bits, n)) = self.color_vector(variable).filter(|_| self.is_color(variable)) else { continue };
            let id = self.state.vars[var].ids[View::Whole as usize];
            let ty = self.m.numeric(Base::Float, 32, n);
            let [zero, one] = [0, one(Base::Float, 32)].map(|value| self.m.splat(Base::Float, 32, n, value));
            let start = self.m.mark(Section::Code);
            let value = self.load_floats(id, bits, n);
            let value = self.m.value(Op::ExtInst, ty, &[glsl, GlslStd450Op::NClamp as u32, value, zero, one]);
            self.store_floats(id, bits, n, value);
            self.m.end_range(Section::Code, start, when);
        }
    }

    /// Loads `n` floats of `bits` bits as 32-bit floats: a target may have outputs of 16 bits without operations on them.
    pub(super) fn load_floats(&mut self, id: u32, bits: u8, n: u8) -> u32 {
        let [own, ty] = [bits, 32].map(|bits| self.m.numeric(Base::Float, bits, n));
        let value = self.m.value(Op::Load, own, &[id]);
        if bits == 32 {
            value
        } else {
            self.m.value(Op::FConvert, ty, &[value])
        }
    }

    /// Stores 32-bit floats as `n` floats of `bits` bits.
    pub(super) fn store_floats(&mut self, id: u32, bits: u8, n: u8, mut value: u32) {
        if bits != 32 {
            let own = self.m.numeric(Base::Float, bits, n);
            value = self.m.value(Op::FConvert, own, &[value]);
        }
        self.m.code.op(Op::Store, &[id, value]);
    }

    /// Ends the invocation unless its alpha passes the test of the key. An alpha that the shader does not write is undefined, and
    /// passes all tests that may pass.
    pub(super) fn test_alpha(&mut self, pushed: Option<Pushed>) {
        let tested = |var: &Var| {
            let variable = &self.shader.vars[*var];
            self.is_first_color(variable) && self.has_alpha(variable)
        };
        let Some((var, pushed)) = self.state.vars.outputs.iter().copied().find(tested).zip(pushed) else {
            return self.pass_never();
        };
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
        self.kill(merge);
        self.m.end_range(Section::Code, start, when);
    }

    /// Ends the invocation if no alpha passes the test of the key.
    fn pass_never(&mut self) {
        let never = self.m.condition(Condition::is(Key::ALPHA_TEST, Key::alpha_test(1)));
        let next = self.m.id();
        let start = self.m.mark(Section::Code);
        self.kill(next);
        self.m.end_range(Section::Code, start, never);
    }

    /// Ends the invocation and begins the block `next`.
    fn kill(&mut self, next: u32) {
        self.m.code.op(if self.m.version >= (1, 6) { Op::TerminateInvocation } else { Op::Kill }, &[]);
        self.m.code.op(Op::Label, &[next]);
    }

    /// Loads the fourth component of the colour `var` as a 32-bit float.
    fn load_alpha(&mut self, var: Var) -> u32 {
        let variable = &self.shader.vars[var];
        let (bits, n) = self.color_vector(variable).unwrap_or((32, 1));
        let component = 3 - u32::from(variable.location_frac);
        let id = self.state.vars[var].ids[View::Whole as usize];
        let alpha = self.load_floats(id, bits, n);
        let float = self.m.numeric(Base::Float, 32, 1);
        if n == 1 {
            alpha
        } else {
            self.m.value(Op::CompositeExtract, float, &[alpha, component])
        }
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
