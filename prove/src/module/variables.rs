// SPDX-License-Identifier: MIT

//! Variables, and the memory in which they are.

use super::types::{Type, Types};
use super::Module;
use crate::world::{Interpolation, Place, Space, ALL_ELEMENTS, MOST_ELEMENTS};
use rspirv::dr::{self, Instruction, Operand};
use spirv::{BuiltIn, Decoration, ExecutionModel, Op, StorageClass};

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// The type of what is in it.
    pub(super) ty: u32,
    pub(super) home: Home,
    /// Whether each vertex, or each primitive of a mesh, has an element.
    pub(super) per_vertex: bool,
    pub(super) initializer: Option<u32>,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Home {
    /// A space of the shader itself: a cell for each scalar.
    Local(u32),
    /// The memory of the workgroup, from this byte on. Variables with a layout start at byte 0; the others follow each other in the
    /// order in which they are declared, each at a multiple of 8 bytes, with their scalars tightly one after the other.
    Shared(u64),
    /// The memory that a task shader gives to mesh shaders, with the layout of that of the workgroup.
    Payload,
    /// An input: the cell of its location, how it is interpolated, whether it is per patch.
    Input(u64, Interpolation, bool),
    /// An output: the cell of its location, whether it is per patch or primitive, its index.
    Output(u64, bool, u32),
    /// A built-in; whether it is an output.
    BuiltIn(BuiltIn, bool),
    /// An input or output of which only the members have a place; whether it is an output.
    Members(bool),
    Uniform(u32, u32),
    Storage(u32, u32),
    PushConstant,
    /// A texture, sampler or image.
    Opaque(u32, u32),
    /// A variable without terms.
    Other,
}

/// The rule by which the parts of a type are placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// Each scalar has a cell.
    Scalars,
    /// Bytes, by decorations.
    Layout,
    /// Bytes, one after the other.
    Tight,
    /// Cells of 32 bits, four for each location.
    Locations,
}

impl Module {
    /// Finds the variables, with the memory that others see among them.
    pub(super) fn declare_variables(&mut self, blocks: &[dr::Block]) {
        let globals = self.globals.clone();
        let local = blocks.iter().flat_map(|block| &block.instructions);
        let (mut locals, mut shared) = (0, 0);
        for instruction in globals.iter().chain(local).filter(|it| it.class.opcode == Op::Variable) {
            let Some(id) = instruction.result_id else { continue };
            let Some(mut variable) = self.variable(instruction, id) else { continue };
            match &mut variable.home {
                Home::Local(number) => {
                    *number = locals;
                    locals += 1;
                }
                Home::Shared(base) if !self.has_layout(variable.ty) => {
                    *base = shared;
                    let size = self.types.tight(variable.ty);
                    shared = shared.saturating_add(size).div_ceil(8).saturating_mul(8);
                }
                _ => {}
            }
            self.make_visible(&variable);
            self.variables.insert(id, variable);
        }
        self.visible.sort_unstable();
        self.visible.dedup();
    }

    /// The number of elements of an output that is a built-in and an array, where it is one; 0 if that is not known.
    pub fn length_of_output(&self, space: Space) -> Option<u64> {
        let is_it =
            |it: &&Variable| matches!(it.home, Home::BuiltIn(builtin, true) if Space::BuiltIn(builtin as u32) == space);
        let variable = self.variables.values().find(is_it)?;
        match self.types.get(variable.ty) {
            Type::Array(_, length) => Some(length.unwrap_or(0)),
            _ => None,
        }
    }

    fn variable(&self, instruction: &Instruction, id: u32) -> Option<Variable> {
        let Type::Pointer(class, ty) = *self.types.get(instruction.result_type?) else { return None };
        let (types, set) = (&self.types, self.types.word(id, Decoration::DescriptorSet).unwrap_or(0));
        let binding = types.word(id, Decoration::Binding).unwrap_or(0);
        let element = match *types.get(ty) {
            Type::Array(element, _) => element,
            _ => ty,
        };
        let (is_input, is_output) = (class == StorageClass::Input, class == StorageClass::Output);
        let home = match class {
            StorageClass::Function | StorageClass::Private => Home::Local(0),
            StorageClass::Workgroup => Home::Shared(0),
            StorageClass::TaskPayloadWorkgroupEXT => Home::Payload,
            StorageClass::Uniform if types.has(element, Decoration::BufferBlock) => Home::Storage(set, binding),
            StorageClass::Uniform => Home::Uniform(set, binding),
            StorageClass::StorageBuffer => Home::Storage(set, binding),
            StorageClass::PushConstant => Home::PushConstant,
            StorageClass::UniformConstant => Home::Opaque(set, binding),
            StorageClass::Input | StorageClass::Output => self.interface(id, is_output),
            _ => Home::Other,
        };
        let is_patch = types.has(id, Decoration::Patch) || types.has(id, Decoration::PerTaskNV);
        let is_array = matches!(types.get(ty), Type::Array(..));
        let may = self.is_per_vertex(is_output) && (is_input || is_output) && !is_patch && is_array;
        let per_vertex = may
            && match home {
                Home::BuiltIn(builtin, _) => self.stage == ExecutionModel::MeshEXT || is_of_vertex(builtin),
                _ => true,
            };
        let initializer = match instruction.operands.get(1) {
            Some(Operand::IdRef(id)) => Some(*id),
            _ => None,
        };
        Some(Variable { ty, home, per_vertex, initializer })
    }

    fn interface(&self, id: u32, is_output: bool) -> Home {
        if let Some(builtin) = self.types.builtin(id, None) {
            return Home::BuiltIn(builtin, is_output);
        }
        let Some(location) = self.types.word(id, Decoration::Location) else { return Home::Members(is_output) };
        let component = self.types.word(id, Decoration::Component).unwrap_or(0);
        let cell = 4 * u64::from(location) + u64::from(component);
        let has = |decoration| self.types.has(id, decoration);
        let is_patch = has(Decoration::Patch) || has(Decoration::PerPrimitiveEXT);
        match is_output {
            true => Home::Output(cell, is_patch, self.types.word(id, Decoration::Index).unwrap_or(0)),
            false => Home::Input(cell, self.interpolation(&has), is_patch),
        }
    }

    /// How an input with some decorations is interpolated: only fragment shaders do that.
    pub(super) fn interpolation(&self, has: &dyn Fn(Decoration) -> bool) -> Interpolation {
        if self.stage != ExecutionModel::Fragment {
            return Interpolation::default();
        }
        let flat = has(Decoration::Flat);
        let place = match () {
            _ if flat => Place::Pixel,
            _ if has(Decoration::Centroid) => Place::Centroid,
            _ if has(Decoration::Sample) => Place::Sample,
            _ => Place::Pixel,
        };
        Interpolation { flat, no_perspective: !flat && has(Decoration::NoPerspective), place }
    }

    /// Whether inputs or outputs of the stage have an element for each vertex.
    fn is_per_vertex(&self, is_output: bool) -> bool {
        match self.stage {
            ExecutionModel::Geometry | ExecutionModel::TessellationEvaluation => !is_output,
            ExecutionModel::TessellationControl => true,
            ExecutionModel::MeshEXT => is_output,
            _ => false,
        }
    }

    /// Whether variables of a type in the memory of the workgroup have decorations for their layout.
    fn has_layout(&self, ty: u32) -> bool {
        self.types.has(ty, Decoration::Block)
    }

    /// The rule for the parts of a variable.
    pub(super) fn rule(&self, variable: &Variable) -> Rule {
        match variable.home {
            Home::Local(_) | Home::BuiltIn(..) | Home::Other | Home::Opaque(..) => Rule::Scalars,
            Home::Shared(_) | Home::Payload if !self.has_layout(variable.ty) => Rule::Tight,
            Home::Input(..) | Home::Output(..) | Home::Members(_) => Rule::Locations,
            _ => Rule::Layout,
        }
    }

    fn make_visible(&mut self, variable: &Variable) {
        let (element, count) = match *self.types.get(variable.ty) {
            Type::Array(element, count) => (element, count.unwrap_or(1).min(MOST_ELEMENTS) as u32),
            _ => (variable.ty, 1),
        };
        let is_image = matches!(self.types.get(element), Type::Image(image) if image.storage);
        let spaces: Vec<Space> = match variable.home {
            Home::Shared(_) => vec![Space::Shared],
            Home::Payload => vec![Space::Payload],
            Home::Storage(set, binding) => (0..count).map(|i| Space::Storage(set, binding, i)).collect(),
            Home::Opaque(set, binding) if is_image => {
                (0..count).chain([ALL_ELEMENTS]).map(|i| Space::Image(set, binding, i)).collect()
            }
            Home::Output(_, is_patch, index) => vec![Space::Output(is_patch, index)],
            Home::BuiltIn(builtin, true) => vec![Space::BuiltIn(builtin as u32)],
            _ => vec![],
        };
        self.visible.extend(spaces);
    }
}

/// Whether each vertex has a value of the built-in.
pub(super) fn is_of_vertex(builtin: BuiltIn) -> bool {
    use BuiltIn::*;
    matches!(builtin, Position | PointSize | ClipDistance | CullDistance | ViewportIndex | Layer)
}

impl Types {
    /// The size of a type in bytes if its scalars follow each other. Booleans have 4 bytes.
    pub(super) fn tight(&self, ty: u32) -> u64 {
        match self.get(ty) {
            Type::Bool => 4,
            Type::Int(width) | Type::Float(width) => u64::from(*width / 8),
            Type::Vector(part, count) | Type::Matrix(part, count) => self.tight(*part).saturating_mul(*count),
            Type::Array(part, count) => self.tight(*part).saturating_mul(count.unwrap_or(0)),
            Type::Struct(members) => members.iter().fold(0, |sum, part| self.tight(*part).saturating_add(sum)),
            _ => 0,
        }
    }

    /// The number of locations of a type.
    pub(super) fn locations(&self, ty: u32) -> u64 {
        match self.get(ty) {
            Type::Vector(part, count) if self.scalar(*part) == Some(64) && *count > 2 => 2,
            Type::Matrix(part, count) => self.locations(*part).saturating_mul(*count),
            Type::Array(part, count) => self.locations(*part).saturating_mul(count.unwrap_or(0)),
            Type::Struct(members) => members.iter().fold(0, |sum, part| self.locations(*part).saturating_add(sum)),
            _ => 1,
        }
    }
}
