// SPDX-License-Identifier: MIT

//! Changes the variables of derefs that stay where they are.

use crate::ir::{ArrayIndex, Changes, Def, DerefKind, Shader, Type, Var};

/// Changes derefs of blocks to derefs of other variables.
pub(super) struct Redirect<'a> {
    pub(super) shader: &'a mut Shader,
    /// Derefs of blocks are removed, except those that are changed.
    pub(super) changes: &'a mut Changes,
}

impl Redirect<'_> {
    /// Changes the deref `array` of the array in a block to one of the array in a block of `view`.
    pub(super) fn set_variable(&mut self, array: Def, view: Var) {
        let variable = self.shader.vars[view].ty;
        let block = self.shader.types.without_arrays(variable);
        let base = self.shader.types.as_struct(block).map_or(block, |block| block.fields[0].ty);
        let Some(mut parent) = self.change(array, |kind| {
            if let DerefKind::Struct { field, .. } = kind {
                *field = 0;
            }
            base
        }) else {
            return;
        };
        if variable != block {
            let Some(next) = self.change(parent, |_| block) else { return };
            parent = next;
        }
        self.change(parent, |kind| {
            *kind = DerefKind::Var(view);
            variable
        });
    }

    /// Changes a deref of an element of an array to one of an element of the array's new type: the element with this index, or
    /// with the old one. Returns the type of the element.
    pub(super) fn set_element(&mut self, pointer: Def, number: Option<ArrayIndex>) -> Option<Type> {
        let DerefKind::Array { parent, index } = self.shader.as_deref(pointer)?.kind else { return None };
        let array = self.shader.as_deref(parent)?.ty;
        let ty = self.shader.types.element(array)?;
        self.change(pointer, |kind| {
            *kind = DerefKind::Array { parent, index: number.unwrap_or(index) };
            ty
        });
        Some(ty)
    }

    /// Changes a deref, which stays, and its type. Returns its parent.
    fn change(&mut self, pointer: Def, change: impl FnOnce(&mut DerefKind) -> Type) -> Option<Def> {
        self.changes.keep(pointer.inst());
        self.shader.change_deref(pointer.inst(), |deref, _| deref.ty = change(&mut deref.kind));
        self.shader.as_deref(pointer)?.kind.parent()
    }
}
