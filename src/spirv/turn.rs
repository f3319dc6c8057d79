// SPDX-License-Identifier: MIT

//! Turned or flipped images: a fragment shader has to undo the turn in its view of the window.
//!
//! The vertex stage first swaps X and Y ([`Key::SWAP_XY`]), then negates X or Y ([`Key::FLIP_X`], [`Key::FLIP_Y`]): all eight
//! symmetries of a rectangle. The fragment shader undoes it:
//!
//! | value | change |
//! |-|-|
//! | `gl_FragCoord` | Y is `height - y`, X is `width - x` where flipped, then they are swapped where swapped |
//! | `gl_PointCoord`, `gl_SamplePosition` | the same in a square of side 1 |
//! | `gl_PointCoord` with [`Key::FLIP_POINT_COORD`] | Y is then also `1 - y`: with [`Key::FLIP_Y`] alone, it is that of the device |
//! | derivatives | the other one where swapped, negated where flipped |
//! | `interpolateAtOffset` | the offset is changed like the vertices |
//! | `gl_FrontFacing` | none: the driver changes the front face with the flip |
//!
//! The built-ins then become Private variables, which a function fills at the beginning of the shader, so the shader's uses of them
//! do not change. Swaps are patched literals of OpVectorShuffle, signs are patched constants: they are exact, without
//! multiplication by zero.

use super::late::{Redirect, Section};
use super::Emit;
use crate::ir::Stage;
use crate::module::{Condition, Key, PatchKind};
use crate::op::Base;
use spirv::{BuiltIn, FunctionControl, Op, StorageClass};

/// A built-in that depends on the turn.
struct Turned {
    builtin: BuiltIn,
    /// Whether it counts pixels of the window.
    in_pixels: bool,
    /// The bits of a key that change it.
    bits: u64,
}

const TURNED: [Turned; 3] = [
    Turned { builtin: BuiltIn::FragCoord, in_pixels: true, bits: Key::ORIENTATION },
    Turned { builtin: BuiltIn::PointCoord, in_pixels: false, bits: Key::ORIENTATION | Key::FLIP_POINT_COORD },
    Turned { builtin: BuiltIn::SamplePosition, in_pixels: false, bits: Key::ORIENTATION },
];

/// The bits of a key that change the input `builtin` of a fragment shader.
pub(super) fn turned_bits(builtin: BuiltIn) -> u64 {
    TURNED.iter().find(|row| row.builtin == builtin).map_or(0, |row| row.bits)
}

/// The values of a float constant under these conditions; otherwise it has the default value.
pub(super) type Choices<'a> = &'a [(Condition, PatchKind, f32)];

const MINUS_X: [(Condition, PatchKind, f32); 1] = [(has(Key::FLIP_X), PatchKind::Word, -1.0)];
const MINUS_Y: [(Condition, PatchKind, f32); 1] = [(has(Key::FLIP_Y), PatchKind::Word, -1.0)];

/// The condition that a key has this bit.
const fn has(bit: u64) -> Condition {
    is(bit, bit)
}

/// The condition that a key swaps or does not swap, and flips an axis.
const fn flips(swap: bool, axis: u64) -> Condition {
    let value = if swap { Key::SWAP_XY | axis } else { axis };
    is(Key::SWAP_XY | axis, value)
}

/// The condition that these bits of a key have this value.
const fn is(mask: u64, value: u64) -> Condition {
    Condition { word: 0, mask, value, equal: true, unless: 0 }
}

/// The conditions under which X and Y of an input are mirrored. No two hold at once.
type Mirrored = [&'static [Condition]; 2];

const MIRRORED: Mirrored = [&[has(Key::FLIP_X)], &[has(Key::FLIP_Y)]];

/// The conditions for an input that may be `gl_PointCoord`, whose Y a key may flip, too. Its Y is X of the input if the key swaps.
/// Two flips cancel.
const MIRRORED_POINT: Mirrored = {
    const POINT: u64 = Key::FLIP_POINT_COORD;
    const X: u64 = Key::FLIP_X;
    const Y: u64 = Key::FLIP_Y;
    const SWAP: u64 = Key::SWAP_XY;
    [
        &[is(X | POINT, X), is(X | POINT | SWAP, X | POINT), is(X | POINT | SWAP, POINT | SWAP)],
        &[is(Y | POINT, Y), is(Y | POINT | SWAP, Y | POINT | SWAP), is(Y | POINT | SWAP, POINT)],
    ]
};

impl Emit<'_> {
    /// The conditions that the image is turned and that it is not.
    fn turn_conditions(&mut self) -> (u16, u16) {
        let [on, off] = [Condition::any, Condition::none].map(|it| self.m.condition(it(Key::ORIENTATION)));
        (on, off)
    }

    /// A new float constant whose value depends on the key. It is used in a range.
    pub(super) fn chosen_float(&mut self, default: f32, choices: Choices<'_>) -> u32 {
        let ty = self.m.numeric(Base::Float, 32, 1);
        let id = self.m.id();
        let at = self.m.globals.op(Op::Constant, &[ty, id, default.to_bits()]);
        for (when, kind, value) in choices {
            let when = self.m.condition(*when);
            self.m.patch(Section::Globals, at + 2, *kind, when, value.to_bits());
        }
        id
    }

    /// A new vector constant with these choices for X and Y, and `rest` for Z and W. It is used in a range.
    fn chosen_vector(&mut self, n: u8, default: f32, choices: [Choices<'_>; 2], rest: f32) -> u32 {
        let ty = self.m.numeric(Base::Float, 32, n);
        let [x, y] = choices.map(|choices| self.chosen_float(default, choices));
        let rest = if n > 2 { self.chosen_float(rest, &[]) } else { 0 };
        let id = self.m.id();
        self.m.globals.result(Op::ConstantComposite, [ty, id], &[x, y, rest, rest][..usize::from(n)]);
        id
    }

    /// The signs of X and Y as a vector of `n` components; the others are 1.
    pub(super) fn signs(&mut self, n: u8) -> u32 {
        self.chosen_vector(n, 1.0, [&MINUS_X, &MINUS_Y], 1.0)
    }

    /// `value`, a vector of `n` components, with X and Y swapped if the key requires it.
    pub(super) fn swapped(&mut self, section: Section, ty: u32, value: u32, n: u8) -> u32 {
        let id = self.m.id();
        let operands = [value, value, 0, 1, 2, 3];
        let at = self.m.section(section).op2(Op::VectorShuffle, &[ty, id], &operands[..2 + usize::from(n)]);
        let swap = self.m.condition(has(Key::SWAP_XY));
        for (component, word) in [1, 0].into_iter().enumerate() {
            self.m.patch(section, at + 4 + component, PatchKind::Word, swap, word);
        }
        id
    }

    /// A derivative of floats in the shader's coordinates: `op` along X or Y.
    pub(super) fn turned_derivative(&mut self, op: Op, ty: u32, n: u8, value: u32) -> u32 {
        if !self.offers(Key::ORIENTATION) || self.shader.stage() != Stage::Fragment {
            return self.m.value(op, ty, &[value]);
        }
        let (on, off) = self.turn_conditions();
        let start = self.m.mark(Section::Code);
        let id = self.m.value(op, ty, &[value]);
        self.m.end_range(Section::Code, start, off);

        let along_x = matches!(op, Op::DPdx | Op::DPdxFine | Op::DPdxCoarse);
        let other = match op {
            Op::DPdx => Op::DPdy,
            Op::DPdxFine => Op::DPdyFine,
            Op::DPdxCoarse => Op::DPdyCoarse,
            Op::DPdyFine => Op::DPdxFine,
            Op::DPdyCoarse => Op::DPdxCoarse,
            _ => Op::DPdx,
        };
        let (own, swapped) = if along_x { (Key::FLIP_X, Key::FLIP_Y) } else { (Key::FLIP_Y, Key::FLIP_X) };
        let start = self.m.mark(Section::Globals);
        let minus = [(flips(false, own), PatchKind::Word, -1.0), (flips(true, swapped), PatchKind::Word, -1.0)];
        let sign = self.chosen_float(1.0, &minus);
        self.m.end_range(Section::Globals, start, on);

        let start = self.m.mark(Section::Code);
        let turned = self.m.id();
        let at = self.m.code.op(op, &[ty, turned, value]);
        let swap = self.m.condition(has(Key::SWAP_XY));
        self.m.patch(Section::Code, at - 1, PatchKind::Word, swap, 4 << 16 | other as u32);
        let multiply = if n == 1 { Op::FMul } else { Op::VectorTimesScalar };
        self.m.code.op(multiply, &[ty, id, turned, sign]);
        self.m.end_range(Section::Code, start, on);
        id
    }

    /// The offset of `interpolateAtOffset` in the window, and the conditions under which it is used, if there are any.
    pub(super) fn turned_offset(&mut self, offset: u32) -> Option<(u32, Redirect)> {
        if !self.offers(Key::ORIENTATION) {
            return None;
        }
        let (on, off) = self.turn_conditions();
        let ty = self.m.numeric(Base::Float, 32, 2);
        let start = self.m.mark(Section::Globals);
        let signs = self.signs(2);
        self.m.end_range(Section::Globals, start, on);
        let start = self.m.mark(Section::Code);
        let swapped = self.swapped(Section::Code, ty, offset, 2);
        let id = self.m.value(Op::FMul, ty, &[swapped, signs]);
        self.m.end_range(Section::Code, start, on);
        Some((id, Redirect { away: on, stays: off }))
    }

    /// Emits the function that fills the built-ins of a turned image, and its call.
    pub(super) fn prologue(&mut self) {
        // The id and the bits of each built-in; no bits if the shader does not read it.
        let used = TURNED.map(|Turned { builtin, .. }| match self.find_builtin(builtin, StorageClass::Input) {
            Some(variable) => (variable.id, self.redirecting_bits(builtin, StorageClass::Input)),
            None => (0, 0),
        });
        let all = used.iter().fold(0, |all, (_, bits)| all | bits);
        if all == 0 {
            return;
        }
        let on = self.m.condition(Condition::any(all));
        let [void, function_type] = self.m.void_function();
        let (function, call, label) = (self.m.id(), self.m.id(), self.m.id());
        let start = self.m.mark(Section::Prologue);
        self.m.prologue.op(Op::FunctionCall, &[void, call, function]);
        self.m.end_range(Section::Prologue, start, on);

        let start = self.m.mark(Section::Code);
        self.m.code.op(Op::Function, &[void, function, FunctionControl::NONE.bits(), function_type]);
        self.m.code.op(Op::Label, &[label]);
        for ((id, bits), turned) in used.into_iter().zip(&TURNED).filter(|((_, bits), _)| *bits != 0) {
            let start = self.m.mark(Section::Code);
            let when = self.m.condition(Condition::any(bits));
            self.turn_back(turned, id, bits, when);
            if when != on {
                self.m.end_range(Section::Code, start, when);
            }
        }
        self.m.code.op(Op::Return, &[]);
        self.m.code.op(Op::FunctionEnd, &[]);
        self.m.end_range(Section::Code, start, on);
    }

    /// Reads a built-in, undoes the turn, and stores the result in `private`.
    fn turn_back(&mut self, turned: &Turned, private: u32, bits: u64, on: u16) {
        let Turned { builtin, in_pixels, .. } = *turned;
        let n = if builtin == BuiltIn::FragCoord { 4 } else { 2 };
        let ty = self.m.numeric(Base::Float, 32, n);
        let kinds = if in_pixels { [PatchKind::Width, PatchKind::Height] } else { [PatchKind::Word; 2] };
        let mirrored = if bits & Key::FLIP_POINT_COORD != 0 { MIRRORED_POINT } else { MIRRORED };
        let choices = |axis: usize, kind, value| mirrored[axis].iter().map(move |when| (*when, kind, value));
        let signs = [0, 1].map(|axis| choices(axis, PatchKind::Word, -1.0).collect::<Vec<_>>());
        let sides = [0, 1].map(|axis| choices(axis, kinds[axis], 1.0).collect::<Vec<_>>());
        let input = self.optional_input(builtin, ty, on);
        let start = self.m.mark(Section::Globals);
        let signs = self.chosen_vector(n, 1.0, [&signs[0], &signs[1]], 1.0);
        let sides = self.chosen_vector(n, 0.0, [&sides[0], &sides[1]], 0.0);
        self.m.end_range(Section::Globals, start, on);
        let value = self.m.value(Op::Load, ty, &[input]);
        let value = self.m.value(Op::FMul, ty, &[value, signs]);
        let value = self.m.value(Op::FAdd, ty, &[value, sides]);
        let value = self.swapped(Section::Code, ty, value, n);
        self.m.code.op(Op::Store, &[private, value]);
    }

    /// A built-in input of type `ty` that exists only under a condition.
    pub(super) fn optional_input(&mut self, builtin: BuiltIn, ty: u32, when: u16) -> u32 {
        self.optional_variable(builtin, StorageClass::Input, ty, when)
    }

    /// A built-in variable of type `ty` that exists only under a condition.
    pub(super) fn optional_variable(&mut self, builtin: BuiltIn, class: StorageClass, ty: u32, when: u16) -> u32 {
        let pointer = self.m.pointer(class, ty);
        let id = self.m.id();
        let start = self.m.mark(Section::Globals);
        self.m.globals.op(Op::Variable, &[pointer, id, class as u32]);
        self.m.end_range(Section::Globals, start, when);
        let start = self.m.mark(Section::Annotations);
        self.decorate_builtin(builtin, class, id);
        self.m.end_range(Section::Annotations, start, when);
        let start = self.m.mark(Section::Names);
        self.name_builtin(id, builtin);
        self.m.end_range(Section::Names, start, when);
        self.m.interface.push((id, when));
        id
    }
}
