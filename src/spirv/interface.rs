// SPDX-License-Identifier: MIT

//! Variables of the IR as variables of the module: storage class, type, views, and the decorations of inputs, outputs and buffers.
//!
//! A variable is created at its first use, so unused variables are not emitted. A buffer can be created twice, as `uvec4[]` and as
//! `vec4[]`, two *views* of the same binding, so that loads have the types of their users.

use super::late::Section;
use super::types::{Layout, Numbers, Open};
use super::{internal, unsupported, Emit, Result};
use crate::analysis::block_table::descriptor_of;
use crate::analysis::value_types;
use crate::entity::SideTable;
use crate::ir::{Precision, Stage, TypeData, Var, Variable, NO_LOCATION};
use crate::module::{PatchKind, ALWAYS};
use crate::op::names::frag_result;
use crate::op::{Access, AluType, Base, Intrinsic, Modes};
use crate::target::{DescriptorSlot, Feature};
use spirv::{Capability, Decoration, Op, StorageClass};
use std::ops::Index;

/// Memory with views as integers and as floats, through two variables.
const VIEWED: Modes = Modes::UBO.union(Modes::SSBO);

/// The module's variables for a variable of the IR.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VariableState {
    /// Its ids: as declared, or by view (unsigned, float).
    pub(super) ids: [u32; 3],
    pub(super) read: bool,
    pub(super) written: bool,
    /// The qualifiers of its declaration and of all accesses.
    pub(super) access: Access,
    /// Its storage class, once it is created.
    pub(super) class: Option<StorageClass>,
    /// The built-in is an array of one element; NIR's variable is a scalar.
    pub(super) wrapped: bool,
    /// Only transform feedback reads it.
    pub(super) is_copy: bool,
}

/// The variables of the module.
#[derive(Debug, Default)]
pub(super) struct Variables {
    states: SideTable<Var, VariableState>,
    /// Buffers, images and shared memory, in order of creation.
    pub(super) memory: Vec<Var>,
    /// Outputs, in order of creation.
    pub(super) outputs: Vec<Var>,
    /// Shared memory has several variables.
    pub(super) are_shared_views: bool,
}

impl Index<Var> for Variables {
    type Output = VariableState;

    fn index(&self, var: Var) -> &VariableState {
        &self.states[var]
    }
}

impl Variables {
    /// Forgets the variables of the previous shader; this one has `num_vars`.
    pub(super) fn reset(&mut self, num_vars: usize) {
        self.states.reset(num_vars);
        self.memory.clear();
        self.outputs.clear();
        self.are_shared_views = false;
    }

    /// The state of `var`, to be changed.
    pub(super) fn entry(&mut self, var: Var) -> &mut VariableState {
        self.states.entry(var)
    }

    /// Records that `var` has an id with the type of the view.
    fn made(&mut self, var: Var, (view, access): (View, Access), class: StorageClass, id: u32) {
        let state = self.states.entry(var);
        if state.ids == [0; 3] {
            state.access = access;
            state.class = Some(class);
            if matches!(class, StorageClass::StorageBuffer | StorageClass::UniformConstant | StorageClass::Workgroup) {
                self.memory.push(var);
            }
        }
        state.ids[view as usize] = id;
    }
}

/// The view of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// The variable with its declared type.
    Whole = 0,
    /// A buffer of unsigned integers.
    Uint = 1,
    /// A buffer of floats.
    Float = 2,
}

/// A variable at the root of a chain of derefs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) var: Var,
    pub(super) id: u32,
    pub(super) class: StorageClass,
    pub(super) wrapped: bool,
}

/// A variable that is about to be created.
#[derive(Clone, Copy, Debug)]
pub(super) struct VariableAt {
    pub(super) class: StorageClass,
    pub(super) ty: u32,
}

/// The storage class of each mode.
const CLASSES: &[(Modes, StorageClass)] = &[
    (Modes::SHADER_IN, StorageClass::Input),
    (Modes::SHADER_OUT, StorageClass::Output),
    (Modes::UBO, StorageClass::Uniform),
    (Modes::SSBO, StorageClass::StorageBuffer),
    (Modes::PUSH_CONST, StorageClass::PushConstant),
    (Modes::SHARED, StorageClass::Workgroup),
    (Modes::TASK_PAYLOAD, StorageClass::TaskPayloadWorkgroupEXT),
    (Modes::UNIFORM, StorageClass::UniformConstant),
    (Modes::IMAGE, StorageClass::UniformConstant),
    (Modes::SHADER_TEMP, StorageClass::Private),
    (Modes::CONSTANT, StorageClass::Private),
    (Modes::FUNCTION_TEMP, StorageClass::Function),
];

/// The storage class by the index of the mode's bit.
const CLASS_OF_BIT: [Option<StorageClass>; 32] = {
    let mut by_bit = [None; 32];
    let mut row = 0;
    while row < CLASSES.len() {
        by_bit[CLASSES[row].0.bits().trailing_zeros() as usize] = Some(CLASSES[row].1);
        row += 1;
    }
    by_bit
};

/// Capabilities for numbers in each storage class: of 16 bits, of 8 bits.
const SMALL_NUMBERS: &[(StorageClass, Capability, Option<Capability>)] = &[
    (StorageClass::Input, Capability::StorageInputOutput16, None),
    (StorageClass::Output, Capability::StorageInputOutput16, None),
    (StorageClass::StorageBuffer, Capability::StorageBuffer16BitAccess, Some(Capability::StorageBuffer8BitAccess)),
    (StorageClass::PushConstant, Capability::StoragePushConstant16, Some(Capability::StoragePushConstant8)),
    (
        StorageClass::Workgroup,
        Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        Some(Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR),
    ),
];

impl Emit<'_> {
    /// The view of `var` for a value of `scalar`'s width with the base `wanted`, and the base that it then has.
    #[inline(always)]
    pub(super) fn view(&self, var: Var, scalar: AluType, wanted: Base) -> (View, Base) {
        let mode = self.shader.vars[var].mode;
        match mode.intersects(Modes::SHADER_IN | Modes::SHADER_OUT) {
            true => (View::Whole, scalar.base),
            false => self.view_of_memory(var, mode, scalar, wanted),
        }
    }

    fn view_of_memory(&self, var: Var, mode: Modes, scalar: AluType, wanted: Base) -> (View, Base) {
        if !(mode.intersects(VIEWED) || self.state.vars.are_shared_views && mode == Modes::SHARED) {
            return (View::Whole, self.numbers(var, View::Whole).apply(scalar));
        }
        match wanted {
            Base::Float if scalar.bits != 8 => (View::Float, Numbers::As(Base::Float).apply(scalar)),
            _ => (View::Uint, Numbers::As(Base::Uint).apply(scalar)),
        }
    }

    /// The numbers of `var` in this view.
    #[inline]
    pub(super) fn numbers(&self, var: Var, view: View) -> Numbers {
        let variable = &self.shader.vars[var];
        match view {
            View::Uint => Numbers::As(Base::Uint),
            View::Float => Numbers::As(Base::Float),
            View::Whole if variable.mode.intersects(Modes::SHADER_IN | Modes::SHADER_OUT) => Numbers::Declared,
            View::Whole if value_types::has_own_base(&self.shader.types, variable) => {
                Numbers::As(self.types.var_base(var))
            }
            View::Whole => Numbers::Unsigned,
        }
    }

    /// The layout of a variable with these numbers.
    pub(super) fn layout(&self, var: Var, numbers: Numbers) -> Layout {
        let variable = &self.shader.vars[var];
        let is_block = variable.mode.intersects(Modes::UBO | Modes::SSBO | Modes::PUSH_CONST)
            || variable.mode == Modes::SHARED && self.state.vars.are_shared_views;
        let open = match variable.mode {
            Modes::SSBO => Open::Runtime,
            Modes::SHARED if self.shader.info.has_variable_shared_memory() => Open::Specialized,
            _ => Open::One,
        };
        match is_block {
            true => {
                let is_padded = variable.mode == Modes::UBO && !self.target.has_tight_uniform_arrays();
                Layout::of_block(is_padded, open, numbers)
            }
            false => Layout::of_memory(open, numbers),
        }
    }

    /// `var` in this view; the variable is created if there is none.
    #[inline(always)]
    pub(super) fn root(&mut self, var: Var, view: View) -> Result<Root> {
        let id = self.variable(var, view)?;
        match self.state.vars[var] {
            VariableState { class: Some(class), wrapped, .. } => Ok(Root { var, id, class, wrapped }),
            _ => Err(internal("a variable that is not made")),
        }
    }

    /// The id of `var` in this view; the variable is created if there is none.
    #[inline(always)]
    pub(super) fn variable(&mut self, var: Var, view: View) -> Result<u32> {
        match self.state.vars[var].ids[view as usize] {
            0 => self.new_variable(var, view),
            known => Ok(known),
        }
    }

    #[inline(never)]
    fn new_variable(&mut self, var: Var, view: View) -> Result<u32> {
        let variable = &self.shader.vars[var];
        let class = CLASS_OF_BIT.get(variable.mode.bits().trailing_zeros() as usize).copied().flatten();
        match class.ok_or_else(|| unsupported("a variable of this mode"))? {
            class @ (StorageClass::Input | StorageClass::Output) => self.io_variable(var, variable, class),
            class => self.memory_variable(var, variable, view, class),
        }
    }

    /// Creates a variable that is not an input or output, or an output that is not read.
    pub(super) fn memory_variable(
        &mut self,
        var: Var,
        variable: &Variable,
        view: View,
        class: StorageClass,
    ) -> Result<u32> {
        let shader = self.shader;
        let layout = self.layout(var, self.numbers(var, view));
        if layout.is_block() && shader.types.as_struct(shader.types.without_arrays(variable.ty)).is_none() {
            return Err(unsupported("a buffer that is not a struct"));
        }
        let ty = self.variable_type(var, class, layout)?;
        self.small_number_capability(variable, class);
        let first = self.first_value(variable, class, layout)?;
        let pointer = self.m.pointer(class, ty);
        let id = match class {
            StorageClass::Function => {
                let id = self.m.id();
                self.m.locals.op2(Op::Variable, &[pointer, id, class as u32], first.as_slice());
                id
            }
            _ => self.m.global_variable_with(pointer, class, first.as_slice()),
        };
        self.name_variable(id, variable);
        self.made(var, view, class, id);
        self.decorate_variable(id, variable, class)?;
        Ok(id)
    }

    /// Records `id` for this view of `var`.
    pub(super) fn made(&mut self, var: Var, view: View, class: StorageClass, id: u32) {
        let access = self.shader.vars[var].access;
        self.state.vars.made(var, (view, access), class, id);
    }

    /// The constant that initializes a variable, if there is one. The driver sets the initial values of uniforms.
    fn first_value(&mut self, variable: &Variable, class: StorageClass, layout: Layout) -> Result<Option<u32>> {
        match (class, variable.values) {
            (StorageClass::Private | StorageClass::Function, Some(values)) => {
                let shader = self.shader;
                self.constant_of(variable.ty, layout, &shader.consts[values]).map(Some)
            }
            _ => refuse_initializer(variable).map(|()| None),
        }
    }

    #[inline]
    pub(super) fn name_variable(&mut self, id: u32, variable: &Variable) {
        if self.options.names {
            let shader = self.shader;
            self.name(id, &shader.strings[variable.name]);
        }
    }

    fn decorate_variable(&mut self, id: u32, variable: &Variable, class: StorageClass) -> Result<()> {
        if matches!(variable.precision, Precision::Medium | Precision::Low) {
            self.m.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
        match class {
            StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant => {
                if class == StorageClass::StorageBuffer && self.m.version < (1, 3) {
                    self.m.extension("SPV_KHR_storage_buffer_storage_class");
                }
                let slot = self.descriptor_slot(variable);
                let at = [
                    self.m.decorate(id, Decoration::DescriptorSet, &[slot.set]),
                    self.m.decorate(id, Decoration::Binding, &[slot.binding]),
                ];
                if class == StorageClass::UniformConstant {
                    self.decorate_descriptor(id, variable);
                }
                if let Some(row) = self.note_binding(variable, slot) {
                    self.m.patch(Section::Annotations, at[0], PatchKind::DescriptorSet, ALWAYS, row);
                    self.m.patch(Section::Annotations, at[1], PatchKind::Binding, ALWAYS, row);
                }
                Ok(())
            }
            StorageClass::Workgroup if self.state.vars.are_shared_views => {
                self.m.capability(Capability::WorkgroupMemoryExplicitLayoutKHR);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The DescriptorSet and the Binding of a variable: its own, or those that the driver has for its number.
    pub(super) fn descriptor_slot(&self, variable: &Variable) -> DescriptorSlot {
        if let Some(set) = variable.descriptor_set {
            return DescriptorSlot { set, binding: variable.binding };
        }
        let descriptor = match variable.mode {
            Modes::UNIFORM | Modes::IMAGE => self.kind_of_texture(variable),
            _ => descriptor_of(variable),
        };
        self.target.descriptors.slot_of(descriptor, variable.binding)
    }

    /// The Location, if the variable has one.
    pub(super) fn location(&self, variable: &Variable) -> Option<u32> {
        if self.shader.stage() == Stage::Fragment && variable.mode == Modes::SHADER_OUT {
            return variable.location?.checked_sub(frag_result::DATA0);
        }
        Some(variable.driver_location).filter(|location| *location != NO_LOCATION)
    }

    pub(super) fn small_number_capability(&mut self, variable: &Variable, class: StorageClass) {
        if !self.m.numeric_types.small || class == StorageClass::Workgroup && !self.state.vars.are_shared_views {
            return;
        }
        let Some((_, bits16, bits8)) = SMALL_NUMBERS.iter().find(|row| row.0 == class) else { return };
        self.shader.types.each_number(variable.ty, &mut |number| match number.bits {
            16 => self.m.capability(*bits16),
            8 => bits8.iter().for_each(|capability| self.m.capability(*capability)),
            _ => {}
        });
    }

    /// Decorations of memory that depend on its uses in the code.
    pub(super) fn decorate_memory(&mut self) {
        for index in 0..self.state.vars.memory.len() {
            let var = self.state.vars.memory[index];
            match self.shader.vars[var].mode {
                Modes::SSBO => self.decorate_buffer(var),
                Modes::UNIFORM | Modes::IMAGE if self.is_storage_image(var) => self.decorate_image(var),
                // Workgroup variables with a layout share their memory (SPV_KHR_workgroup_memory_explicit_layout).
                Modes::SHARED if self.state.vars.are_shared_views => {
                    for id in self.state.vars[var].ids.into_iter().filter(|id| *id != 0) {
                        self.m.decorate(id, Decoration::Aliased, &[]);
                    }
                }
                _ => {}
            }
        }
    }

    fn decorate_buffer(&mut self, var: Var) {
        let state = self.state.vars[var];
        let (views, written) = self.views_of_binding(var);
        for id in state.ids.into_iter().filter(|id| *id != 0) {
            let mut decorate = |wanted: bool, decoration| {
                if wanted {
                    self.m.decorate(id, decoration, &[]);
                }
            };
            // Devices without fragmentStoresAndAtomics require NonWritable on memory that is not written. It is omitted if another
            // view is written: some drivers read NonWritable memory through a cache that is not coherent with writes.
            decorate(!written, Decoration::NonWritable);
            decorate(!state.read && state.written, Decoration::NonReadable);
            // Without Aliased, writes through one of two variables of a binding may be invisible to the other (SPIR-V 2.18.2).
            decorate(views > 1 && written, Decoration::Aliased);
            decorate(views == 1 && state.access.contains(Access::RESTRICT), Decoration::Restrict);
            // The Vulkan memory model has memory operands instead (SPIR-V 2.18.3).
            decorate(!self.vmm && state.access.contains(Access::COHERENT), Decoration::Coherent);
            decorate(!self.vmm && state.access.contains(Access::VOLATILE), Decoration::Volatile);
        }
    }

    /// The number of variables of the module at the binding of `var`, and whether one of them is written.
    fn views_of_binding(&self, var: Var) -> (usize, bool) {
        let place = |var: Var| {
            let variable = &self.shader.vars[var];
            (variable.mode, variable.descriptor_set, variable.binding)
        };
        let same = self.state.vars.memory.iter().filter(|other| place(**other) == place(var));
        same.fold((0, false), |(views, written), other| {
            let state = &self.state.vars[*other];
            (views + state.ids.iter().filter(|id| **id != 0).count(), written || state.written)
        })
    }

    /// Whether shared memory has several variables, which then need a layout: the passes created two, or atomics need integers and
    /// floats.
    pub(super) fn finds_shared_views(&self) -> bool {
        let shares = |variable: &Variable| variable.mode == Modes::SHARED;
        if !self.target.has(Feature::workgroupMemoryExplicitLayout) || !self.shader.vars.values().any(shares) {
            return false;
        }
        let mut vars = [None; 2];
        let mut bases = [false; 2];
        for inst in &self.shader.order {
            let Some((op, srcs)) = self.shader.as_intrinsic(*inst) else { continue };
            let Some(var) = srcs.first().and_then(|pointer| self.shader.deref_var(*pointer)) else { continue };
            if self.shader.vars[var].mode != Modes::SHARED {
                continue;
            }
            vars[usize::from(vars[0].is_some_and(|first| first != var))] = Some(var);
            if matches!(op, Intrinsic::deref_atomic | Intrinsic::deref_atomic_swap) {
                bases[usize::from(value_types::atomic_base(self.shader, *inst) == Base::Float)] = true;
            }
        }
        vars[1].is_some() || bases == [true; 2]
    }

    /// True if `var` is an array of blocks or textures, so that the first index into it selects a descriptor.
    pub(super) fn is_descriptor_array(&self, var: Var) -> bool {
        let variable = &self.shader.vars[var];
        let types = &self.shader.types;
        if matches!(variable.mode, Modes::UNIFORM | Modes::IMAGE) {
            return types.as_array(variable.ty).is_some();
        }
        matches!(variable.mode, Modes::UBO | Modes::SSBO)
            && matches!(types.get(variable.ty), TypeData::Array { elem, .. } if types.as_struct(types.without_arrays(elem)).is_some())
    }
}

/// Refuses initializers except on the shader's own memory and on uniforms, whose initial values the driver sets.
pub(super) fn refuse_initializer(variable: &Variable) -> Result<()> {
    match variable.initializer.is_some() && variable.mode != Modes::UNIFORM {
        true => Err(unsupported("a variable with an initializer")),
        false => Ok(()),
    }
}
