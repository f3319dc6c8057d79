// SPDX-License-Identifier: MIT

//! Inputs and outputs: variables that are shared with other stages, the fixed function or a vertex buffer, with their decorations.
//!
//! If the module may be linked later (`EmitOptions::linkable`), a varying that the other stage may not have uses separate pointer
//! types. A link can remove it: its storage class is then patched to Private in all instructions, its decorations are removed, and
//! an input gets an initializer.

use super::builtin::is_linked;
use super::interface::{refuse_initializer, VariableAt, VariableState, View};
use super::late::{Redirect, Section};
use super::locations::Located;
use super::types::{Layout, Numbers};
use super::{unsupported, Emit, Result};
use crate::analysis::value_types;
use crate::ir::{Capture, Inst, Precision, Stage, Var, VarFlags, Variable};
use crate::module::{Condition, Key, PatchKind, Varying, ALWAYS, SETTLED};
use crate::op::names::{frag_result, varying, InterpMode};
use crate::op::{Base, Intrinsic, Modes};
use crate::target::Feature;
use spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass};

/// Slots that are opaque black if no stage writes them (GL's colours, by Gallium's convention); all others are zero.
pub(super) const COLOURS: [u32; 4] = [varying::COL0, varying::COL1, varying::BFC0, varying::BFC1];

impl Emit<'_> {
    /// Creates the variable of an input or output.
    pub(super) fn io_variable(&mut self, var: Var, variable: &Variable, class: StorageClass) -> Result<u32> {
        let builtin = self.io_builtin(variable);
        let location = self.location(variable);
        if builtin.is_none() && location.is_none() && class == StorageClass::Output {
            // An output that is not read has no Location and is not part of the interface.
            return self.memory_variable(var, variable, View::Whole, StorageClass::Private);
        }
        let ty = self.ir_type(variable.ty, Layout::plain(Numbers::Declared))?;
        self.small_number_capability(variable, class);
        refuse_initializer(variable)?;
        let at = VariableAt { class, ty };
        let is_copy = is_copy(variable, builtin, class);
        let redirect = if self.options.linkable && !is_copy { self.removal(var, builtin, class) } else { None };
        let id = match (builtin, redirect) {
            (Some(builtin), _) => self.io_builtin_variable(variable, builtin, at, redirect)?,
            (None, Some(redirect)) => self.redirected(at, redirect, variable),
            (None, None) if is_copy => self.captured_copy(at, variable),
            (None, None) => {
                let pointer = self.m.pointer(class, ty);
                self.m.global_variable(pointer, class)
            }
        };
        // gl_SampleMask is an array; NIR's variable is not.
        let wrapped = builtin == Some(BuiltIn::SampleMask) && self.shader.types.as_array(variable.ty).is_none();
        let state = VariableState {
            ids: [id, 0, 0],
            class: Some(class),
            access: variable.access,
            wrapped,
            is_copy,
            ..VariableState::default()
        };
        *self.state.vars.entry(var) = state;
        if builtin.is_none() && !is_copy {
            self.name_variable(id, variable);
        }
        self.relax(id, variable);
        let start = self.m.mark(Section::Annotations);
        let located = self.located(variable);
        if builtin.is_none() {
            let location = location.ok_or_else(|| unsupported("an input without a location"))?;
            self.take_locations(variable, class, location, located)?;
            self.decorate_location(id, variable, class, location)?;
        }
        self.decorate_io(id, variable, builtin, class)?;
        let by_key = || builtin.and_then(|_| self.state.redirects.get(id));
        if let Some(redirect) = redirect.or_else(by_key) {
            self.m.end_range(Section::Annotations, start, redirect.stays);
        } else if is_copy {
            let when = self.captured();
            self.m.end_range(Section::Annotations, start, when);
        }
        if class == StorageClass::Output {
            self.state.vars.outputs.push(var);
        }
        self.note_varying(variable, builtin, location, located, redirect.is_some());
        Ok(id)
    }

    /// Decorates an input or output with RelaxedPrecision, under the condition that both stages do.
    fn relax(&mut self, id: u32, variable: &Variable) {
        if matches!(variable.precision, Precision::Medium | Precision::Low) {
            let start = self.m.mark(Section::Annotations);
            self.m.decorate(id, Decoration::RelaxedPrecision, &[]);
            if self.options.linkable {
                let is_output = variable.mode == Modes::SHADER_OUT;
                let relaxed = self.m.new_condition(Condition::relaxed(self.m.varyings.len(), is_output));
                self.m.end_range(Section::Annotations, start, relaxed);
            }
        }
    }

    /// The redirection by which a link removes this variable, if it can.
    fn removal(&mut self, var: Var, builtin: Option<BuiltIn>, class: StorageClass) -> Option<Redirect> {
        let (stage, variable) = (self.shader.stage(), &self.shader.vars[var]);
        let input = class == StorageClass::Input;
        let linked = match builtin {
            Some(builtin) => is_linked(stage, builtin, input) && !self.has_builtin(builtin, class),
            None => (stage, input) != (Stage::Vertex, true) && (stage, input) != (Stage::Fragment, false),
        };
        // Outputs of other streams are only captured.
        let is_only_captured = variable.stream != 0;
        // An output that other invocations may read has to stay an output.
        let is_shared = matches!(stage, Stage::TessCtrl | Stage::Mesh) && !input;
        if !linked || is_only_captured || is_shared && self.is_read(var) {
            return None;
        }
        let index = self.m.varyings.len();
        let [away, stays] =
            [Condition::removed(index, !input), Condition::live(index, !input)].map(|it| self.m.new_condition(it));
        Some(Redirect { away, stays })
    }

    /// Whether the shader loads from `var`.
    fn is_read(&self, var: Var) -> bool {
        let shader = self.shader;
        let is_load = |inst: &Inst| match shader.as_intrinsic(*inst) {
            Some((Intrinsic::load_deref, [source])) => shader.deref_var(*source) == Some(var),
            _ => false,
        };
        shader.order.iter().any(is_load) || self.state.slots.vars(false).flatten().any(|read| read == var)
    }

    /// A variable that a link may remove.
    pub(super) fn redirected(&mut self, at: VariableAt, redirect: Redirect, variable: &Variable) -> u32 {
        let first = match at.class {
            StorageClass::Input => self.missing_value(at.ty, variable, redirect),
            _ => 0,
        };
        let id = self.m.redirected_variable(at.ty, at.class, redirect, first);
        self.state.redirects.add(id, redirect);
        id
    }

    /// An output that only transform feedback reads. Without captures it does not exist, and uses no location.
    fn captured_copy(&mut self, at: VariableAt, variable: &Variable) -> u32 {
        let when = self.captured();
        let pointer = self.m.pointer(at.class, at.ty);
        let id = self.m.id();
        let start = self.m.mark(Section::Globals);
        self.m.globals.op(Op::Variable, &[pointer, id, at.class as u32]);
        self.m.end_range(Section::Globals, start, when);
        self.m.interface.push((id, when));
        let start = self.m.mark(Section::Names);
        self.name_variable(id, variable);
        self.m.end_range(Section::Names, start, when);
        id
    }

    /// The condition that there are captures.
    pub(super) fn captured(&mut self) -> u16 {
        self.m.condition(Condition::none(Key::NO_CAPTURE))
    }

    /// The value of an input that no stage writes: a separate constant, so that it can be removed.
    fn missing_value(&mut self, ty: u32, variable: &Variable, redirect: Redirect) -> u32 {
        let colour =
            self.shader.stage() == Stage::Fragment && variable.location.is_some_and(|at| COLOURS.contains(&at));
        let vector = self.shader.types.as_vector(variable.ty);
        let black = colour && vector.is_some_and(|(scalar, n)| (scalar.base, scalar.bits, n) == (Base::Float, 32, 4));
        let float = self.m.numeric(Base::Float, 32, 1);
        let start = self.m.mark(Section::Globals);
        let first = self.m.id();
        if black {
            let (zero, one) = (self.m.id(), self.m.id());
            self.m.globals.op(Op::Constant, &[float, zero, 0]);
            self.m.globals.op(Op::Constant, &[float, one, 1f32.to_bits()]);
            self.m.globals.op(Op::ConstantComposite, &[ty, first, zero, zero, zero, one]);
        } else {
            self.m.globals.op(Op::ConstantNull, &[ty, first]);
        }
        self.m.end_range(Section::Globals, start, redirect.away);
        first
    }

    /// The type of pointers to `ty` within `variable`.
    pub(super) fn pointer_within(&mut self, variable: u32, class: StorageClass, ty: u32) -> u32 {
        self.state.redirects.pointer(self.m, variable, class, ty)
    }

    fn decorate_location(&mut self, id: u32, variable: &Variable, class: StorageClass, location: u32) -> Result<()> {
        let at = self.decorate_with((id, class), Decoration::Location, location, PatchKind::Location);
        if variable.location_frac != 0 {
            self.decorate_with((id, class), Decoration::Component, variable.location_frac.into(), PatchKind::Component);
        }
        match (self.shader.stage(), class) {
            (Stage::Fragment, StorageClass::Input) => self.decorate_interpolation(id, variable)?,
            (Stage::Fragment, _) if self.state.is_dual_source => {
                self.decorate_with((id, class), Decoration::Index, variable.index, PatchKind::Index);
            }
            (Stage::Fragment, _)
                if variable.location == Some(frag_result::DATA0 + 1) && self.offers(Key::DUAL_SOURCE) =>
            {
                self.be_second_source(id, at);
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes an output the second source of the first target, if the key requires it. `at` is the word with its location.
    fn be_second_source(&mut self, id: u32, at: usize) {
        let when = self.m.condition(Condition::any(Key::DUAL_SOURCE));
        self.m.patch(Section::Annotations, at, PatchKind::Word, when, 0);
        let start = self.m.mark(Section::Annotations);
        self.m.decorate(id, Decoration::Index, &[1]);
        self.m.end_range(Section::Annotations, start, when);
    }

    /// Adds the decorations besides the location or built-in, which few inputs and outputs have.
    fn decorate_io(
        &mut self,
        id: u32,
        variable: &Variable,
        builtin: Option<BuiltIn>,
        class: StorageClass,
    ) -> Result<()> {
        if self.shader.stage().is_compute() {
            return Err(unsupported("an input or output of a compute shader"));
        }
        let flags = VarFlags::PATCH.union(VarFlags::PER_PRIMITIVE).union(VarFlags::INVARIANT);
        if !variable.flags.intersects(flags) && variable.capture.is_none() && variable.stream == 0 {
            return Ok(());
        }
        if variable.flags.contains(VarFlags::PATCH) && builtin.is_none() {
            self.m.decorate(id, Decoration::Patch, &[]);
        }
        if variable.flags.contains(VarFlags::PER_PRIMITIVE) && builtin.is_none() {
            self.m.capability(Capability::MeshShadingEXT);
            self.m.decorate(id, Decoration::PerPrimitiveNV, &[]);
        }
        if class == StorageClass::Output {
            self.decorate_capture(id, variable);
            if variable.flags.contains(VarFlags::INVARIANT) {
                self.m.decorate(id, Decoration::Invariant, &[]);
            }
        }
        Ok(())
    }

    /// Decorates the varying under construction with a number that a link may change, unless options depend on it: they select the
    /// outputs of fragment shaders by their numbers. Returns the position of the number.
    pub(super) fn decorate_with(
        &mut self,
        (id, class): (u32, StorageClass),
        decoration: Decoration,
        number: u32,
        kind: PatchKind,
    ) -> usize {
        const BY_NUMBER: u64 = Key::DITHER | Key::ALPHA_TEST | Key::DUAL_SOURCE;
        let at = self.m.decorate(id, decoration, &[number]);
        let index = self.m.varyings.len() as u32;
        let selected =
            self.shader.stage() == Stage::Fragment && class == StorageClass::Output && self.offers(BY_NUMBER);
        let when = if selected { SETTLED } else { ALWAYS };
        self.m.patch(Section::Annotations, at, kind, when, index);
        at
    }

    /// Adds the decorations of transform feedback and streams (SPIR-V 2.16, "Validation Rules for Shader Capabilities").
    fn decorate_capture(&mut self, id: u32, variable: &Variable) {
        if let Some(capture) = variable.capture {
            let captured = self.captured();
            if !self.m.has_capability(Capability::TransformFeedback) {
                // Streams imply the capability, also without captures.
                self.m.capability_when(Capability::TransformFeedback, captured);
                let start = self.m.mark(Section::Modes);
                self.m.mode(ExecutionMode::Xfb, &[]);
                self.m.end_range(Section::Modes, start, captured);
            }
            let in_place = self.captured_in_place(variable, capture);
            let start = self.m.mark(Section::Annotations);
            self.decorate_xfb(id, capture, self.m.varyings.len() as u32);
            self.m.end_range(Section::Annotations, start, in_place);
        }
        if variable.stream != 0 {
            self.m.decorate(id, Decoration::Stream, &[variable.stream]);
        }
    }

    /// Decorates `id` with its place in transform feedback, for the varying `index`.
    pub(super) fn decorate_xfb(&mut self, id: u32, Capture { buffer, stride, offset }: Capture, index: u32) {
        for (decoration, number, kind) in [
            (Decoration::XfbBuffer, buffer, PatchKind::XfbBuffer),
            (Decoration::XfbStride, stride, PatchKind::XfbStride),
            (Decoration::Offset, offset, PatchKind::XfbOffset),
        ] {
            let at = self.m.decorate(id, decoration, &[number]);
            self.m.patch(Section::Annotations, at, kind, ALWAYS, index);
        }
    }

    fn decorate_interpolation(&mut self, id: u32, variable: &Variable) -> Result<()> {
        let types = &self.shader.types;
        let scalar = value_types::leaf(types, variable.ty);
        // Vulkan interpolates neither integers nor doubles (VUID-StandaloneSpirv-Flat-04744).
        if scalar.is_some_and(|scalar| scalar.base != Base::Float || scalar.bits == 64) {
            self.m.decorate(id, Decoration::Flat, &[]);
            return Ok(());
        }
        match variable.interp {
            InterpMode::none | InterpMode::smooth => {}
            InterpMode::flat => {
                self.m.decorate(id, Decoration::Flat, &[]);
                return Ok(());
            }
            InterpMode::noperspective => drop(self.m.decorate(id, Decoration::NoPerspective, &[])),
            InterpMode::explicit => return Err(unsupported("explicit interpolation")),
        }
        let flat = self.options.offer & Key::FLAT_SHADING;
        let flat = if flat != 0 && variable.interp == InterpMode::none { self.flat_bits(variable) } else { 0 };
        if flat == 0 {
            self.decorate_place(id, variable);
            return Ok(());
        }
        let [smooth, when] = [Condition::none, Condition::any].map(|it| self.m.condition(it(flat)));
        let start = self.m.mark(Section::Annotations);
        self.m.decorate(id, Decoration::Flat, &[]);
        self.m.end_range(Section::Annotations, start, when);
        let start = self.m.mark(Section::Annotations);
        self.decorate_place(id, variable);
        self.m.end_range(Section::Annotations, start, smooth);
        Ok(())
    }

    /// The option that makes an input without a qualifier flat, if that is a colour.
    fn flat_bits(&mut self, variable: &Variable) -> u64 {
        let first = variable.location.unwrap_or(varying::END);
        let slots = first..first.saturating_add(self.located(variable).count.min(varying::END));
        let is_color = |slot: &u32| COLOURS.contains(slot);
        match slots.clone().filter(is_color).count() {
            0 => 0,
            count if count == slots.len() => Key::FLAT_SHADING,
            _ => {
                self.m.withdraw(Key::FLAT_SHADING);
                0
            }
        }
    }

    /// Decorates an input that is interpolated with the place where that happens.
    fn decorate_place(&mut self, id: u32, variable: &Variable) {
        let centroid = variable.flags.contains(VarFlags::CENTROID);
        if !centroid && variable.flags.contains(VarFlags::SAMPLE) {
            self.m.capability(Capability::SampleRateShading);
            self.m.decorate(id, Decoration::Sample, &[]);
            return;
        }
        let start = self.m.mark(Section::Annotations);
        if centroid {
            self.m.decorate(id, Decoration::Centroid, &[]);
        }
        if !self.target.has(Feature::sampleRateShading) {
            self.m.withdraw(Key::SAMPLE_SHADING);
        } else if self.offers(Key::SAMPLE_SHADING) {
            let [off, on] = [Condition::none, Condition::any].map(|it| self.m.condition(it(Key::SAMPLE_SHADING)));
            self.m.end_range(Section::Annotations, start, off);
            let start = self.m.mark(Section::Annotations);
            self.m.decorate(id, Decoration::Sample, &[]);
            self.m.end_range(Section::Annotations, start, on);
            self.m.capability_when(Capability::SampleRateShading, on);
        }
    }

    /// Adds an input or output to the list of those that other stages share.
    fn note_varying(
        &mut self,
        variable: &Variable,
        builtin: Option<BuiltIn>,
        location: Option<u32>,
        located: Located,
        removable: bool,
    ) {
        if self.m.words_only {
            return;
        }
        let is_output = variable.mode == Modes::SHADER_OUT;
        let capture = variable.capture.filter(|_| is_output);
        self.m.varyings.push(Varying {
            is_output,
            patch: variable.flags.contains(VarFlags::PATCH),
            builtin: builtin.map(|builtin| builtin as u32),
            location: location.filter(|_| builtin.is_none()).unwrap_or(0),
            locations: located.count,
            component: variable.location_frac,
            components: located.words as u8,
            relaxed: matches!(variable.precision, Precision::Medium | Precision::Low),
            removable,
            removed: false,
            capture,
            is_copy: is_output && is_copy(variable, builtin, StorageClass::Output),
        });
    }
}

/// Whether only transform feedback reads this output: stages match by slots.
pub(super) fn is_copy(variable: &Variable, builtin: Option<BuiltIn>, class: StorageClass) -> bool {
    class == StorageClass::Output && variable.capture.is_some() && builtin.is_none() && variable.location.is_none()
}

#[cfg(test)]
mod tests {
    use crate::ir::{Builder, Shader, Stage, VarFlags, Variable};
    use crate::op::names::varying;
    use crate::op::{AluType, Base, Modes};
    use crate::spirv::{emit, EmitOptions};
    use crate::target::Target;
    use spirv::{Decoration, Op};

    /// The words of a vertex shader that writes 0 to outputs at these locations with these flags, or the reason why it is refused.
    fn writes(outputs: &[(u32, VarFlags)]) -> Result<Vec<u32>, String> {
        let mut shader = Shader::default();
        shader.info.stage = Stage::Vertex;
        shader.append_new_block();
        let ty = shader.types.vector(AluType::new(Base::Float, 32), 4);
        for (location, flags) in outputs {
            let name = shader.strings.add("out");
            let mut variable = Variable::new(name, ty, Modes::SHADER_OUT);
            (variable.location, variable.driver_location) = (Some(varying::VAR0 + location), *location);
            variable.flags = *flags;
            let var = shader.vars.push(variable);
            let mut b = Builder::new(&mut shader);
            let (target, value) = (b.deref_var(var), b.undef(4, 32));
            b.store_deref(target, value, 15, 0);
        }
        let module = emit(&shader, &Target::default(), &EmitOptions::default());
        module.map(|module| module.words).map_err(|errors| errors.to_string())
    }

    #[test]
    fn no_two_are_at_one_location() {
        let (usual, other) = (VarFlags::empty(), VarFlags::INVARIANT);
        for flags in [[usual, usual], [usual, other], [other, usual], [other, other]] {
            assert_eq!(
                writes(&[(3, flags[0]), (3, flags[1])]),
                Err("more than one variable at location 3 is not supported".to_string())
            );
            let words = writes(&[(3, flags[0]), (4, flags[1])]).expect("two outputs");
            let at = |location| [4 << 16 | Op::Decorate as u32, Decoration::Location as u32, location];
            let is_at = |location| move |inst: &&[u32]| [inst[0], inst[2], inst[3]] == at(location);
            let counts = [3, 4].map(|location| words.windows(4).filter(is_at(location)).count());
            assert_eq!(counts, [1, 1]);
        }
        let far = "a variable of 1 locations from 2147483647 on is not supported";
        assert_eq!(writes(&[(u32::MAX / 2, usual)]), Err(far.to_string()));
    }
}
