// SPDX-License-Identifier: MIT

//! Built-in variables: their slots and system values, their types, and the capabilities that they need.

use super::interface::VariableAt;
use super::late::{Redirect, Section};
use super::turn::turned_bits;
use super::{unsupported, Emit, Result};
use crate::ir::{Stage, Variable};
use crate::module::{Condition, Key};
use crate::op::builtins::BuiltInInfo;
use crate::op::{slots, Base, Intrinsic, Modes};
use spirv::{BuiltIn, Capability, Decoration, StorageClass};

/// A built-in variable of the module. There is one for each built-in and direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltinVariable {
    pub(super) builtin: BuiltIn,
    pub(super) class: StorageClass,
    pub(super) ty: u32,
    pub(super) id: u32,
}

/// The type that the Vulkan specification gives a built-in (15.9, Built-In Variables).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A scalar or vector.
    Vector(Base, u8),
    /// An array of scalars of this length; 0 for the length that the shader declares.
    Array(Base, u32),
}

/// Whether another stage of the pipeline has the other side of `builtin`, so that a link can find it unused.
pub(super) fn is_linked(stage: Stage, builtin: BuiltIn, input: bool) -> bool {
    use BuiltIn::{ClipDistance, CullDistance, PointSize, Position};
    let between = match stage {
        Stage::Vertex | Stage::TessEval => !input,
        Stage::TessCtrl => true,
        Stage::Geometry => input,
        _ => false,
    };
    (between || stage == Stage::TessEval) && matches!(builtin, Position | PointSize | ClipDistance | CullDistance)
}

/// The type of `builtin`.
pub(super) fn shape(builtin: BuiltIn) -> Shape {
    use BuiltIn::*;
    match builtin {
        Position | FragCoord => Shape::Vector(Base::Float, 4),
        PointSize | FragDepth => Shape::Vector(Base::Float, 1),
        PointCoord | SamplePosition => Shape::Vector(Base::Float, 2),
        TessCoord => Shape::Vector(Base::Float, 3),
        FrontFacing | HelperInvocation | CullPrimitiveEXT => Shape::Vector(Base::Bool, 1),
        PrimitiveLineIndicesEXT => Shape::Vector(Base::Uint, 2),
        PrimitiveTriangleIndicesEXT => Shape::Vector(Base::Uint, 3),
        ClipDistance | CullDistance => Shape::Array(Base::Float, 0),
        TessLevelOuter => Shape::Array(Base::Float, 4),
        TessLevelInner => Shape::Array(Base::Float, 2),
        SampleMask => Shape::Array(Base::Uint, 1),
        WorkgroupId | NumWorkgroups | LocalInvocationId | GlobalInvocationId | WorkgroupSize => {
            Shape::Vector(Base::Uint, 3)
        }
        SubgroupEqMask | SubgroupGeMask | SubgroupGtMask | SubgroupLeMask | SubgroupLtMask => {
            Shape::Vector(Base::Uint, 4)
        }
        _ => Shape::Vector(Base::Uint, 1),
    }
}

impl Emit<'_> {
    /// The built-in of an input or output, if it is one.
    pub(super) fn io_builtin(&self, variable: &Variable) -> Option<BuiltIn> {
        let slots = self.builtin_slots[usize::from(variable.mode == Modes::SHADER_OUT)];
        let builtin = (*slots.get(variable.location? as usize)?)?;
        if builtin != BuiltIn::PrimitiveTriangleIndicesEXT {
            return Some(builtin);
        }
        slots::primitive_indices(&self.shader.info.primitive_type).map(|(_, builtin)| builtin)
    }

    /// The variable of `builtin`, created if there is none. `ty` is its type.
    pub(super) fn builtin_variable(&mut self, builtin: BuiltIn, class: StorageClass, ty: u32) -> u32 {
        if let Some(found) = self.find_builtin(builtin, class) {
            return found.id;
        }
        let redirect = self.redirection(builtin, class);
        let id = match redirect {
            Some(redirect) => self.m.redirected_variable(ty, class, redirect, 0),
            None => {
                let pointer = self.m.pointer(class, ty);
                self.m.global_variable(pointer, class)
            }
        };
        self.new_builtin(BuiltinVariable { builtin, class, ty, id }, redirect);
        id
    }

    /// The bits of a key with which a variable of `builtin` is Private: an input that depends on the turn, or an output that is
    /// ignored.
    pub(super) fn redirecting_bits(&self, builtin: BuiltIn, class: StorageClass) -> u64 {
        let bits = match (builtin, class) {
            _ if self.shader.stage() != Stage::Fragment => 0,
            (BuiltIn::SampleMask, StorageClass::Output) => Key::NO_SAMPLE_MASK,
            (_, StorageClass::Input) => turned_bits(builtin),
            _ => 0,
        };
        bits & self.options.offer
    }

    /// The redirection of a variable of `builtin`, if there are such bits.
    fn redirection(&mut self, builtin: BuiltIn, class: StorageClass) -> Option<Redirect> {
        let bits = self.redirecting_bits(builtin, class);
        if bits == 0 {
            return None;
        }
        let [away, stays] = [Condition::any, Condition::none].map(|it| self.m.condition(it(bits)));
        Some(Redirect { away, stays })
    }

    /// Whether the module has a variable of `builtin`.
    pub(super) fn has_builtin(&self, builtin: BuiltIn, class: StorageClass) -> bool {
        self.find_builtin(builtin, class).is_some()
    }

    /// The variable of `builtin`, if the module has one.
    pub(super) fn find_builtin(&self, builtin: BuiltIn, class: StorageClass) -> Option<BuiltinVariable> {
        self.state.builtins.iter().find(|it| it.builtin == builtin && it.class == class).copied()
    }

    /// Decorates and records a new variable.
    pub(super) fn new_builtin(&mut self, variable: BuiltinVariable, redirect: Option<Redirect>) {
        let BuiltinVariable { builtin, class, id, .. } = variable;
        let start = self.m.mark(Section::Annotations);
        self.decorate_builtin(builtin, class, id);
        if let Some(redirect) = redirect {
            self.m.end_range(Section::Annotations, start, redirect.stays);
            self.state.redirects.add(id, redirect);
        }
        self.builtin_capabilities(builtin, class);
        self.name_builtin(id, builtin);
        self.state.builtins.push(variable);
    }

    /// The decorations of a built-in variable.
    pub(super) fn decorate_builtin(&mut self, builtin: BuiltIn, class: StorageClass, id: u32) {
        self.m.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
        if class == StorageClass::Input && self.shader.stage() == Stage::Fragment {
            // Integer inputs of fragment shaders are flat (VUID-StandaloneSpirv-Flat-04744).
            if matches!(shape(builtin), Shape::Vector(Base::Uint, _) | Shape::Array(Base::Uint, _)) {
                self.m.decorate(id, Decoration::Flat, &[]);
            }
        }
        // VUID-Layer-Layer-07039, and the same of the others.
        let of_primitive = [BuiltIn::PrimitiveId, BuiltIn::Layer, BuiltIn::ViewportIndex, BuiltIn::CullPrimitiveEXT];
        if self.shader.stage() == Stage::Mesh && of_primitive.contains(&builtin) {
            self.m.decorate(id, Decoration::PerPrimitiveNV, &[]);
        }
        if matches!(builtin, BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner) {
            self.m.decorate(id, Decoration::Patch, &[]);
        }
        if builtin == BuiltIn::HelperInvocation && self.m.version >= (1, 6) && !self.vmm && self.may_be_demoted() {
            self.m.decorate(id, Decoration::Volatile, &[]);
        }
    }

    /// Whether HelperInvocation may change, so that reads have to be volatile (SPIR-V 1.6, HelperInvocation). If the shader has no
    /// demotion it is an ordinary input, which drivers without demotion accept.
    pub(super) fn may_be_demoted(&self) -> bool {
        self.shader.inventory().has(Intrinsic::demote)
    }

    /// The type of the variable of a system value.
    pub(super) fn builtin_type(&mut self, builtin: BuiltIn) -> u32 {
        match shape(builtin) {
            Shape::Vector(base, n) => {
                let bits = if base == Base::Bool { 1 } else { 32 };
                self.m.numeric(base, bits, n)
            }
            Shape::Array(base, len) => {
                let elem = self.m.numeric(base, 32, 1);
                self.m.array(elem, len.max(1))
            }
        }
    }

    /// The variable of an input or output that is a built-in. A link removes it as `removal` says, if it can.
    pub(super) fn io_builtin_variable(
        &mut self,
        variable: &Variable,
        builtin: BuiltIn,
        at: VariableAt,
        removal: Option<Redirect>,
    ) -> Result<u32> {
        let types = &self.shader.types;
        let (stage, is_output) = (self.shader.stage(), variable.mode == Modes::SHADER_OUT);
        let per_vertex = variable.location.is_some_and(|slot| stage.is_per_vertex(is_output, slot));
        let vertex = types.as_array(variable.ty).map(|(vertex, _)| vertex);
        let ty = if per_vertex { vertex } else { Some(variable.ty) };
        let array = ty.and_then(|ty| types.as_array(ty));
        let is_array = array.is_some();
        let numbers = array.map(|(elem, _)| elem).or(ty).and_then(|ty| types.as_vector(ty));
        let len = array.map_or(1, |(_, len)| len.unwrap_or(0));
        let alike = |a: Base, b: Base| a == b || [a, b].iter().all(|base| matches!(base, Base::Int | Base::Uint));
        let has_width = numbers.is_some_and(|(scalar, _)| scalar.bits == 32 || scalar.base == Base::Bool);
        let fits = match (shape(builtin), numbers) {
            (Shape::Vector(base, n), Some((scalar, m))) => n == m && !is_array && alike(base, scalar.base),
            (Shape::Array(base, 1), Some((scalar, 1))) => len == 1 && alike(base, scalar.base),
            (Shape::Array(base, 0), Some((scalar, 1))) => is_array && (1..=8).contains(&len) && base == scalar.base,
            (Shape::Array(base, n), Some((scalar, 1))) => is_array && len == n && base == scalar.base,
            _ => false,
        };
        if !fits || !has_width {
            return Err(unsupported(format_args!("a variable of this type for the built-in {builtin:?}")));
        }
        // gl_SampleMask is an array; NIR's variable is not.
        let ty = if builtin == BuiltIn::SampleMask && !is_array { self.m.array(at.ty, 1) } else { at.ty };
        if self.find_builtin(builtin, at.class).is_some_and(|known| known.ty != ty) {
            return Err(unsupported(format_args!("the built-in {builtin:?} as two types")));
        }
        let Some(removal) = removal else { return Ok(self.builtin_variable(builtin, at.class, ty)) };
        let id = self.redirected(VariableAt { ty, ..at }, removal, variable);
        self.new_builtin(BuiltinVariable { builtin, class: at.class, ty, id }, Some(removal));
        Ok(id)
    }

    pub(super) fn builtin_capabilities(&mut self, builtin: BuiltIn, class: StorageClass) {
        debug_assert!(class == StorageClass::Input || class == StorageClass::Output);
        if let Some(capability) = self.builtin_capability(builtin, class) {
            self.m.capability(capability);
        }
    }

    /// The capability that a built-in needs besides those of the stage.
    pub(super) fn builtin_capability(&mut self, builtin: BuiltIn, class: StorageClass) -> Option<Capability> {
        use BuiltIn::*;
        let subgroup = |old| if self.m.version >= (1, 3) { Capability::GroupNonUniform } else { old };
        match builtin {
            SubgroupSize | SubgroupLocalInvocationId => return Some(subgroup(Capability::SubgroupBallotKHR)),
            SubgroupId | NumSubgroups => return Some(Capability::GroupNonUniform),
            SubgroupEqMask | SubgroupGeMask | SubgroupGtMask | SubgroupLeMask | SubgroupLtMask => {
                if self.m.version < (1, 3) {
                    return Some(Capability::SubgroupBallotKHR);
                }
                self.m.capability(Capability::GroupNonUniform);
                return Some(Capability::GroupNonUniformBallot);
            }
            _ => {}
        }
        let any = BuiltInInfo::of(builtin).providers(self.shader.stage().set(), class == StorageClass::Output)?;
        let given = any.iter().find(|(feature, _)| self.target.can_declare(*feature));
        Some(match given.unwrap_or(&any[0]).1 {
            // SPIR-V 1.5 divides the capability of the extension in two.
            Capability::ShaderLayer | Capability::ShaderViewportIndex if self.m.version < (1, 5) => {
                Capability::ShaderViewportIndexLayerEXT
            }
            capability => capability,
        })
    }
}
