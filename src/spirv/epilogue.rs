// SPDX-License-Identifier: MIT

//! Changes of variants after the shader: to the position before rasterization, and to colours before they are written.
//!
//! A function makes them. It is called where the shader returns and, in a geometry shader, before each EmitVertex. Each option is a
//! separate range of the function that loads an output, changes it and stores it:
//!
//! ```text
//! OpFunctionCall %void %finish           range: the key has one of the options
//! ...
//! %p = OpLoad %v4float %gl_Position      range: the key has `swap_xy`, `flip_x` or `flip_y`
//! %q = OpVectorShuffle ... 0 1 2 3       patch: 1 0
//! %r = OpFMul %v4float %q %signs
//! OpStore %gl_Position %r
//! ```
//!
//! `colors` has the options that change colours, except for their dithering.
//!
//! Transform feedback writes the shader's own values (OpenGL 4.6, 13.3). If an option changes a captured position, a new output
//! replaces `gl_Position` in the buffer, and the function first copies the position to it:
//!
//! ```text
//! OpDecorate %gl_Position XfbBuffer 0        range: the key has none of the options
//! OpDecorate %copy XfbBuffer 0               range: it has one of them, and captures
//! ```

use super::colors::Dithered;
use super::late::Section;
use super::pushed::Pushed;
use super::varying::is_copy;
use super::Emit;
use crate::ir::{Capture, DerefKind, InstKind, Stage, Var, Variable};
use crate::module::{Condition, Key, PatchKind, Varying};
use crate::op::{Base, Modes};
use crate::target::Feature;
use spirv::{BuiltIn, Decoration, FunctionControl, Op, StorageClass};

/// The function and its outputs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Epilogue {
    /// The bits of a key that have an effect here; 0 if there is no function.
    bits: u64,
    /// The id of the function.
    id: u32,
    /// The captured output that the function changes.
    captured: Option<Captured>,
    /// The number in the push constants that the function reads.
    pushed: Option<Pushed>,
}

/// A captured position.
#[derive(Clone, Copy, Debug)]
struct Captured {
    /// Its index in the list of varyings.
    varying: u32,
    capture: Capture,
    stream: u32,
}

/// The outputs that a shader writes, and the options of its colours.
#[derive(Default)]
struct Written {
    position: bool,
    size: bool,
    colors: u64,
}

/// Options that change the position itself.
const MOVES: u64 = Key::POSITION & !Key::POINT_SIZE;

impl Emit<'_> {
    /// Finds the options with an effect: the ones whose outputs the shader writes.
    pub(super) fn plan_epilogue(&mut self) {
        let shader = self.shader;
        let vertex = matches!(shader.stage(), Stage::Vertex | Stage::TessEval | Stage::Geometry);
        let wanted = match shader.stage() {
            Stage::Fragment => Key::DITHER | Key::CLAMP_COLORS | Key::ALPHA_TEST | Key::DUAL_SOURCE,
            _ if vertex => Key::POSITION | Key::CLAMP_COLORS,
            _ => 0,
        };
        if !self.offers(wanted) {
            return;
        }
        let mut written = Written::default();
        for inst in &shader.order {
            let InstKind::Deref(deref) = shader.insts[*inst].kind else { continue };
            if let DerefKind::Var(var) = shader.derefs[deref].kind {
                self.note_written(&mut written, var);
            }
        }
        for part in 0..self.state.slots.num_parts() {
            let var = self.state.slots.var_of(part);
            self.note_written(&mut written, var);
        }
        let Written { position, size, colors } = written;
        let pushed = self.find_pushed();
        let own = match vertex {
            true => self.position_bits(position, size, pushed.is_some()),
            // Whether no alpha passes does not depend on the alpha.
            false if colors & Key::ALPHA_TEST == 0 && !self.has_integer_color() => Key::ALPHA_TEST,
            false => 0,
        };
        if colors & Key::ALPHA_TEST != 0 && pushed.is_none() {
            self.m.withdraw(Key::ALPHA_TEST);
        }
        if vertex && colors & Key::CLAMP_COLORS != 0 && self.has_captured_parts() {
            self.m.withdraw(Key::CLAMP_COLORS);
        }
        let bits = self.options.offer & self.m.offered() & wanted & (colors | own);
        let id = if bits != 0 { self.m.id() } else { 0 };
        self.state.epilogue = Epilogue { bits, id, captured: None, pushed };
    }

    /// Notes that `var`, which the shader accesses, is a position, a size or a colour.
    fn note_written(&mut self, written: &mut Written, var: Var) {
        let variable = &self.shader.vars[var];
        if variable.mode != Modes::SHADER_OUT {
            return;
        }
        match self.io_builtin(variable) {
            Some(BuiltIn::Position) => written.position = true,
            Some(BuiltIn::PointSize) => written.size = true,
            _ => written.colors |= self.color_bits(var),
        }
    }

    /// The options that change the position or the size of points, if the shader writes a position or a size. An output without
    /// a position is still captured, and drawn as points.
    fn position_bits(&mut self, position: bool, size: bool, is_size_pushed: bool) -> u64 {
        let moved = if position { MOVES } else { Key::DISCARD };
        let is_size_wanted = self.options.push_constants.point_size.is_some();
        // Without this feature the size is 1 (Vulkan, "Points").
        let has_size =
            self.shader.stage() == Stage::Vertex || self.target.has(Feature::shaderTessellationAndGeometryPointSize);
        if !size && is_size_wanted && !(has_size && is_size_pushed) {
            self.m.withdraw(Key::POINT_SIZE);
        }
        moved | if has_size && !size { Key::POINT_SIZE } else { 0 }
    }

    /// The bits of a key with an effect at the end of the shader.
    pub(super) fn epilogue_bits(&self) -> u64 {
        self.state.epilogue.bits
    }

    /// Whether the shader copies parts of outputs to outputs that are only captured.
    fn has_captured_parts(&self) -> bool {
        self.shader.vars.values().any(|variable| is_copy(variable, self.io_builtin(variable), StorageClass::Output))
    }

    /// The condition under which transform feedback writes the output under construction itself: captures are on and no option
    /// changes it.
    pub(super) fn captured_in_place(&mut self, variable: &Variable, capture: Capture) -> u16 {
        let moves = self.state.epilogue.bits & MOVES;
        if moves == 0 || self.io_builtin(variable) != Some(BuiltIn::Position) {
            return self.captured();
        }
        let varying = self.m.varyings.len() as u32;
        self.state.epilogue.captured = Some(Captured { varying, capture, stream: variable.stream });
        self.m.condition(Condition::none(Key::NO_CAPTURE | moves))
    }

    /// Calls the function, where the shader ends or before a vertex is emitted.
    pub(super) fn call_epilogue(&mut self) {
        let Epilogue { bits, id, .. } = self.state.epilogue;
        if bits == 0 {
            return;
        }
        let when = self.m.condition(Condition::any(bits));
        let void = self.m.void();
        let start = self.m.mark(Section::Code);
        let call = self.m.id();
        self.m.code.op(Op::FunctionCall, &[void, call, id]);
        self.m.end_range(Section::Code, start, when);
    }

    /// Emits the function, after that of the shader.
    pub(super) fn epilogue(&mut self) {
        let Epilogue { bits, id, captured, pushed } = self.state.epilogue;
        if bits == 0 {
            return;
        }
        let [void, function_type] = self.m.void_function();
        let when = self.m.condition(Condition::any(bits));
        let label = self.m.id();
        let start = self.m.mark(Section::Code);
        self.m.code.op(Op::Function, &[void, id, FunctionControl::NONE.bits(), function_type]);
        self.m.code.op(Op::Label, &[label]);
        if let Some(position) = self.find_builtin(BuiltIn::Position, StorageClass::Output) {
            if let Some(captured) = captured {
                self.copy_captured(position.id, captured, bits & MOVES);
            }
            self.finish_position(position.id, bits);
        } else if bits & Key::DISCARD != 0 {
            let when = self.m.condition(Condition::any(Key::DISCARD));
            let v4 = self.m.numeric(Base::Float, 32, 4);
            let position = self.optional_variable(BuiltIn::Position, StorageClass::Output, v4, when);
            self.move_outside(position);
        }
        if bits & Key::POINT_SIZE != 0 {
            self.default_point_size();
        }
        if bits & Key::CLAMP_COLORS != 0 {
            self.clamp_colors();
        }
        if bits & Key::ALPHA_TEST != 0 {
            self.test_alpha(pushed);
        }
        if bits & Key::DITHER != 0 {
            self.dither(bits);
        }
        self.m.code.op(Op::Return, &[]);
        self.m.code.op(Op::FunctionEnd, &[]);
        self.m.end_range(Section::Code, start, when);
    }

    /// Copies the position to another output, which transform feedback writes instead.
    fn copy_captured(&mut self, position: u32, captured: Captured, moves: u64) {
        let Captured { varying, capture, stream } = captured;
        let when = self.m.condition(Condition::any(moves).unless(Key::NO_CAPTURE));
        let v4 = self.m.numeric(Base::Float, 32, 4);
        let pointer = self.m.pointer(StorageClass::Output, v4);
        let copy = self.m.id();
        let start = self.m.mark(Section::Globals);
        self.m.globals.op(Op::Variable, &[pointer, copy, StorageClass::Output as u32]);
        self.m.end_range(Section::Globals, start, when);
        self.m.interface.push((copy, when));
        let location = self.state.locations.first_free_output();
        let start = self.m.mark(Section::Annotations);
        self.decorate_with((copy, StorageClass::Output), Decoration::Location, location, PatchKind::Location);
        self.decorate_xfb(copy, capture, varying);
        if stream != 0 {
            self.m.decorate(copy, Decoration::Stream, &[stream]);
        }
        self.m.end_range(Section::Annotations, start, when);
        if self.options.names {
            let start = self.m.mark(Section::Names);
            self.name(copy, "gl_Position_captured");
            self.m.end_range(Section::Names, start, when);
        }
        let copied =
            Varying { is_output: true, is_copy: true, location, locations: 1, components: 4, ..Varying::default() };
        self.m.varyings.push(copied);
        let start = self.m.mark(Section::Code);
        let value = self.m.value(Op::Load, v4, &[position]);
        self.m.code.op(Op::Store, &[copy, value]);
        self.m.end_range(Section::Code, start, when);
    }

    fn finish_position(&mut self, position: u32, bits: u64) {
        let (v4, float) = (self.m.numeric(Base::Float, 32, 4), self.m.numeric(Base::Float, 32, 1));
        if bits & Key::ORIENTATION != 0 {
            let when = self.m.condition(Condition::any(Key::ORIENTATION));
            let start = self.m.mark(Section::Globals);
            let signs = self.signs(4);
            self.m.end_range(Section::Globals, start, when);
            let start = self.m.mark(Section::Code);
            let value = self.m.value(Op::Load, v4, &[position]);
            let value = self.swapped(Section::Code, v4, value, 4);
            let value = self.m.value(Op::FMul, v4, &[value, signs]);
            self.m.code.op(Op::Store, &[position, value]);
            self.m.end_range(Section::Code, start, when);
        }
        if bits & Key::GL_DEPTH != 0 {
            let when = self.m.condition(Condition::any(Key::GL_DEPTH));
            let half = self.m.constant(Base::Float, 32, 0.5f32.to_bits().into());
            let start = self.m.mark(Section::Code);
            let value = self.m.value(Op::Load, v4, &[position]);
            let [z, w] = [2, 3].map(|component| self.m.value(Op::CompositeExtract, float, &[value, component]));
            let sum = self.m.value(Op::FAdd, float, &[z, w]);
            let depth = self.m.value(Op::FMul, float, &[sum, half]);
            let value = self.m.value(Op::CompositeInsert, v4, &[depth, value, 2]);
            self.m.code.op(Op::Store, &[position, value]);
            self.m.end_range(Section::Code, start, when);
        }
        if bits & Key::DISCARD != 0 {
            self.move_outside(position);
        }
    }

    /// Stores a position outside of the clip volume.
    fn move_outside(&mut self, position: u32) {
        let when = self.m.condition(Condition::any(Key::DISCARD));
        // A point outside of each of the three slabs of the clip volume, for all devices and depth states.
        let outside = [-3f32, -3., -3., 1.].map(|component| u64::from(component.to_bits()));
        let outside = self.m.constant_vector(Base::Float, 32, &outside);
        let start = self.m.mark(Section::Code);
        self.m.code.op(Op::Store, &[position, outside]);
        self.m.end_range(Section::Code, start, when);
    }

    /// Sets the point size to that of the push constants, or to 1.
    fn default_point_size(&mut self) {
        let when = self.m.condition(Condition::any(Key::POINT_SIZE));
        let float = self.m.numeric(Base::Float, 32, 1);
        let pushed = self.state.epilogue.pushed.map(|pushed| self.pushed_place(pushed, when));
        let size = self.optional_variable(BuiltIn::PointSize, StorageClass::Output, float, when);
        if let Some(capability) = self.builtin_capability(BuiltIn::PointSize, StorageClass::Output) {
            self.m.capability_when(capability, when);
        }
        let start = self.m.mark(Section::Code);
        let value = match pushed {
            Some(place) => self.load_pushed(place),
            None => self.m.constant(Base::Float, 32, 1f32.to_bits().into()),
        };
        self.m.code.op(Op::Store, &[size, value]);
        self.m.end_range(Section::Code, start, when);
    }

    /// Adds a pattern of two by two pixels to the colours, whose height is one step of their format. `x` and `y` are the low bits
    /// of the pixel's coordinates:
    ///
    /// ```text
    /// step * (((x ^ y) * 2 + y) / 4 - 3 / 8)      0 2      -3  1
    ///                                             3 1       3 -1   eighths
    /// ```
    fn dither(&mut self, bits: u64) {
        let when = self.m.condition(Condition::any(bits & Key::DITHER));
        let pattern = self.dither_pattern(when);
        for index in 0..self.state.vars.outputs.len() {
            let var = self.state.vars.outputs[index];
            let Some(color) = self.dithered(var).filter(|color| bits & Key::dither(color.target, 3) != 0) else {
                continue;
            };
            self.dither_output(&color, pattern);
        }
    }

    /// The value of the pattern at this pixel, in steps.
    fn dither_pattern(&mut self, when: u16) -> u32 {
        let (v4, float) = (self.m.numeric(Base::Float, 32, 4), self.m.numeric(Base::Float, 32, 1));
        let (uint, one) = (self.m.numeric(Base::Uint, 32, 1), self.m.uint(1));
        let mut constant = |value: f32| self.m.constant(Base::Float, 32, value.to_bits().into());
        let (quarter, middle) = (constant(0.25), constant(-0.375));
        let place = match self.find_builtin(BuiltIn::FragCoord, StorageClass::Input) {
            Some(known) => known.id,
            None => self.optional_input(BuiltIn::FragCoord, v4, when),
        };
        let start = self.m.mark(Section::Code);
        let place = self.m.value(Op::Load, v4, &[place]);
        let [x, y] = [0, 1].map(|component| {
            let value = self.m.value(Op::CompositeExtract, float, &[place, component]);
            let value = self.m.value(Op::ConvertFToU, uint, &[value]);
            self.m.value(Op::BitwiseAnd, uint, &[value, one])
        });
        let differ = self.m.value(Op::BitwiseXor, uint, &[x, y]);
        let twice = self.m.value(Op::ShiftLeftLogical, uint, &[differ, one]);
        let rank = self.m.value(Op::BitwiseOr, uint, &[twice, y]);
        let rank = self.m.value(Op::ConvertUToF, float, &[rank]);
        let rank = self.m.value(Op::FMul, float, &[rank, quarter]);
        let pattern = self.m.value(Op::FAdd, float, &[rank, middle]);
        self.m.end_range(Section::Code, start, when);
        pattern
    }

    fn dither_output(&mut self, color: &Dithered, pattern: u32) {
        let Dithered { id, target, first, n, bits } = *color;
        let mask = Key::dither(target, 3);
        let when = self.m.condition(Condition::any(mask));
        let ty = self.m.numeric(Base::Float, 32, n);
        let start = self.m.mark(Section::Globals);
        let mut steps = [0; 4];
        for (component, step) in (usize::from(first)..).zip(steps.iter_mut().take(usize::from(n))) {
            let formats = (1..).zip(Key::DITHERED_FORMATS);
            let choices = formats.map(|(number, (_, widths))| {
                let size = if widths[component] == 0 { 0. } else { 1. / ((1u32 << widths[component]) - 1) as f32 };
                (Condition::is(mask, Key::dither(target, number)), PatchKind::Word, size)
            });
            *step = self.chosen_float(0., &choices.collect::<Vec<_>>());
        }
        if n > 1 {
            let composite = self.m.id();
            self.m.globals.result(Op::ConstantComposite, [ty, composite], &steps[..usize::from(n)]);
            steps[0] = composite;
        }
        self.m.end_range(Section::Globals, start, when);
        let start = self.m.mark(Section::Code);
        let colour = self.load_floats(id, bits, n);
        let multiply = if n == 1 { Op::FMul } else { Op::VectorTimesScalar };
        let added = self.m.value(multiply, ty, &[steps[0], pattern]);
        let colour = self.m.value(Op::FAdd, ty, &[colour, added]);
        self.store_floats(id, bits, n, colour);
        self.m.end_range(Section::Code, start, when);
    }
}
