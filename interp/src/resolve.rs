// SPDX-License-Identifier: MIT

//! The texture, image or sampler that an instruction uses.
//!
//! ```text
//! tex %3 (texture_deref), ...     the binding of the variable, and the element of its array
//! tex %2 (texture_offset), ...    the unit: that of its variable, or else the binding with this number
//! tex %5 (texture_handle), ...    the handle's low 32 bits
//! ```
//!
//! So a texture keeps its [`Descriptor`] when a pass changes the source that names it.

use crate::descriptor::Descriptor;
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::pointer::Pointer;
use crate::Bits;
use ntv::analysis::textures::{elements, variables_at, Name, Texture as Declared};
use ntv::ir::{Def, Type, TypeData, Var};
use ntv::op::Modes;
use ntv::target::BINDLESS_HANDLES;

/// The reason why a descriptor is missing or cannot be used.
pub(crate) type Problem = (FaultKind, String);

impl Machine<'_> {
    /// The first descriptor of `var`; `None` if it has none.
    pub(crate) fn first_descriptor(&self, var: Var) -> Option<Descriptor> {
        let (shader, variable) = (self.shader, &self.shader.vars[var]);
        let leaf = shader.types.get(shader.types.without_arrays(variable.ty));
        let is_opaque = matches!(leaf, TypeData::Texture { .. } | TypeData::Image { .. } | TypeData::Sampler { .. });
        if !is_opaque || !variable.mode.intersects(Modes::UNIFORM | Modes::IMAGE) {
            return None;
        }
        let is_bindless = shader.types.as_array(variable.ty).is_some_and(|(_, len)| len == Some(BINDLESS_HANDLES));
        Some(if is_bindless { Descriptor::Handle(0) } else { Descriptor::Binding(variable.binding) })
    }

    /// The descriptor of element `index` of the array type `ty`, whose first descriptor is `first`.
    pub(crate) fn descriptor_element(&self, first: Descriptor, ty: Type, index: i64) -> Option<Descriptor> {
        let (elem, len) = self.shader.types.as_array(ty)?;
        let index = u32::try_from(index).ok().filter(|index| len.is_none_or(|len| *index < len))?;
        Some(first.element(index.saturating_mul(elements(&self.shader.types, elem))))
    }

    /// The descriptor that `name` has in invocation `lane`.
    pub(crate) fn descriptor(&self, name: Name, storage: bool, lane: usize) -> Result<Descriptor, Problem> {
        let number = |def: Def| {
            let bits = self.scalar(def, lane);
            let undefined = || {
                let def = self.shader.shown(def);
                (FaultKind::UndefinedAddress, format!("{def}, which selects a texture or image, is undefined"))
            };
            bits.is_defined().then_some(bits.value as u32).ok_or_else(undefined)
        };
        match name {
            Name::Pointer(pointer) => match self.pointer(pointer, lane) {
                Pointer::Descriptor(descriptor) => Ok(descriptor),
                _ => Err((FaultKind::OutOfBounds, "the deref does not refer to a texture or image".to_string())),
            },
            Name::Handle(handle) => {
                let handle = number(handle)?;
                let problem = || (FaultKind::OutOfBounds, format!("there is no handle {handle}"));
                (handle < BINDLESS_HANDLES).then_some(Descriptor::Handle(handle)).ok_or_else(problem)
            }
            Name::Unit(unit, added) => {
                let added = added.map_or(Ok(0), number)?;
                self.unit(unit, added, |var| Declared::of_var(self.shader, var).is_some(), storage)
            }
        }
    }

    /// The descriptor of unit `unit` plus `added`: that of a variable for which `fits` holds, if there is one.
    pub(crate) fn unit(
        &self,
        unit: u32,
        added: u32,
        fits: impl Fn(Var) -> bool,
        storage: bool,
    ) -> Result<Descriptor, Problem> {
        let Some((var, element)) = variables_at(self.shader, storage, unit).find(|(var, _)| fits(*var)) else {
            return Ok(Descriptor::Binding(unit).element(added));
        };
        let element = element.saturating_add(added);
        let variable = &self.shader.vars[var];
        if element >= elements(&self.shader.types, variable.ty) {
            return Err((FaultKind::OutOfBounds, format!("there is no element {element}")));
        }
        Ok(Descriptor::Binding(variable.binding).element(element))
    }
}

/// `bits` as a signed integer; `None` if any bit is undefined.
pub(crate) fn integer(bits: Bits, width: u8) -> Option<i64> {
    bits.is_defined().then(|| ntv::op::fold::sign_extend(bits.value, width))
}
