//! Pointers that stay where they are and lead into other variables.

use crate::ir::{ArrayIndex, Changes, Def, DerefKind, Shader, Type, Var};

/// Changes their steps.
pub(super) struct Steps<'a> {
    pub(super) shader: &'a mut Shader,
    /// The pointers into blocks go, but for those that are changed.
    pub(super) changes: &'a mut Changes,
}

impl Steps<'_> {
    /// Lets the pointer `array` to the array in a block lead to that in the blocks of `view`.
    pub(super) fn lead_to(&mut self, array: Def, view: Var) {
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

    /// Lets a pointer to an element of an array lead to an element of what the array is now: the one with this number, or
    /// with the old one. Returns the type of that.
    pub(super) fn point_to(&mut self, pointer: Def, number: Option<ArrayIndex>) -> Option<Type> {
        let DerefKind::Array { parent, index } = self.shader.as_deref(pointer)?.kind else { return None };
        let array = self.shader.as_deref(parent)?.ty;
        let ty = self.shader.types.element(array)?;
        self.change(pointer, |kind| {
            *kind = DerefKind::Array { parent, index: number.unwrap_or(index) };
            ty
        });
        Some(ty)
    }

    /// Changes a step of a pointer, which stays, and its type. Returns the pointer that it starts from.
    fn change(&mut self, pointer: Def, change: impl FnOnce(&mut DerefKind) -> Type) -> Option<Def> {
        self.changes.keep(pointer.inst());
        self.shader.change_deref(pointer.inst(), |deref, _| deref.ty = change(&mut deref.kind));
        self.shader.as_deref(pointer)?.kind.parent()
    }
}
