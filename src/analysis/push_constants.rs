// SPDX-License-Identifier: MIT

//! Facts of a draw in the push constants: members of the shader's own struct, which options of a key read.

use crate::ir::{Field, Shader, TypeData, Var, Variable};
use crate::op::{AluType, Base, Modes};

/// The members with facts of a draw, in the struct of the variable of mode `push_const` that the driver adds to its shaders. Such a
/// member is a 32-bit number with an explicit offset, or an array of them whose first element counts. A shader without such a
/// member has no fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PushConstants {
    /// The float that alpha is compared with: see [`Key::alpha_test`](crate::Key::alpha_test).
    pub alpha_reference: Option<u32>,
    /// The point size, a float, for [`Key::POINT_SIZE`](crate::Key::POINT_SIZE).
    pub point_size: Option<u32>,
}

/// Byte offsets of the members of zink's `gfx_pushconst`, in its order: zink's `struct zink_gfx_push_constant`. zink's writer of wires
/// leaves its members out if the shader does not read them.
pub const ZINK_PUSH_CONSTANTS: [u32; 8] = [0, 4, 8, 12, 20, 36, 40, 48];

/// The name of the variable that passes make for push constants by byte offset (`lower_memory`).
pub const LOWERED: &str = "push_constants";

/// A number in the push constants that a shader declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushedMember {
    /// The variable of the shader.
    pub var: Var,
    /// The index of the member.
    pub member: u32,
    /// Whether it is an array.
    pub is_array: bool,
    /// The base of the number; `None` if the input gives no members of the struct.
    pub base: Option<Base>,
    /// Its offset in bytes.
    pub offset: u32,
}

impl PushedMember {
    /// Member `member` of the push constants that the shader declares, if it is a 32-bit number, or an array of them.
    pub fn find(shader: &Shader, member: u32) -> Option<PushedMember> {
        let is_declared = |var: &Var| shader.vars[*var].mode == Modes::PUSH_CONST && !is_lowered(shader, *var);
        let var = shader.vars.ids().find(is_declared)?;
        let types = &shader.types;
        let fields = &types.as_struct(shader.vars[var].ty)?.fields;
        if fields.is_empty() {
            let offset = *ZINK_PUSH_CONSTANTS.get(member as usize).filter(|_| is_zink(shader, var))?;
            return Some(PushedMember { var, member, is_array: false, base: None, offset });
        }
        let Field { ty, offset, .. } = *fields.get(member as usize)?;
        let array = types.as_array(ty);
        let (AluType { base, bits }, n) = types.as_vector(array.map_or(ty, |(elem, _)| elem))?;
        let fits = (bits, n) == (32, 1) && matches!(base, Base::Float | Base::Uint | Base::Int);
        let offset = offset.filter(|offset| fits && offset % 4 == 0)?;
        Some(PushedMember { var, member, is_array: array.is_some(), base: Some(base), offset })
    }

    /// The end of its first number, in bytes.
    pub fn end(&self) -> u32 {
        self.offset.saturating_add(4)
    }
}

/// Whether a variable is zink's push constants.
pub fn is_zink(shader: &Shader, var: Var) -> bool {
    shader.vars[var].mode == Modes::PUSH_CONST && &shader.strings[shader.vars[var].name] == "gfx_pushconst"
}

/// Whether passes made this variable for accesses by byte offset.
pub fn is_lowered(shader: &Shader, var: Var) -> bool {
    let Variable { name, ty, .. } = shader.vars[var];
    let data = shader.types.as_struct(ty);
    &shader.strings[name] == LOWERED && data.is_some_and(|data| &shader.strings[data.name] == "block")
}

/// The length of the array of words in a variable that passes made, and whether its elements are vectors of four words.
pub fn lowered_length(shader: &Shader, var: Var) -> Option<(u32, bool)> {
    let types = &shader.types;
    let field = types.as_struct(shader.vars[var].ty)?.fields.first()?;
    let TypeData::Array { elem, len, .. } = types.get(field.ty) else { return None };
    let (scalar, n) = types.as_vector(elem)?;
    (scalar.bits == 32 && matches!(n, 1 | 4)).then_some((len?, n == 4))
}
