// SPDX-License-Identifier: MIT

//! Facts of a draw in the push constants, which options of a key read.

use crate::ir::{Shader, TypeData, Var, Variable};
use crate::op::{AluType, Base};

/// The places of facts of a draw in the push constants: byte offsets of floats, multiples of 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PushConstants {
    /// The number that alpha is compared with: see [`Key::alpha_test`](crate::Key::alpha_test).
    pub alpha_reference: Option<u32>,
    /// The point size, for [`Key::POINT_SIZE`](crate::Key::POINT_SIZE).
    pub point_size: Option<u32>,
}

/// The name of the variable that passes make for push constants by byte offset (`lower_memory`).
pub const LOWERED: &str = "push_constants";

/// A 32-bit number in a struct of push constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushedMember {
    /// The index of the member.
    pub member: u32,
    /// Whether it is an array, whose first element is the number.
    pub is_array: bool,
    /// The base of the number.
    pub base: Base,
}

impl PushedMember {
    /// The member at this offset of a variable of push constants, if it is a 32-bit number or an array of them.
    pub fn find(shader: &Shader, var: Var, offset: u32) -> Option<PushedMember> {
        let types = &shader.types;
        let fields = &types.as_struct(shader.vars[var].ty)?.fields;
        let (member, field) = (0..).zip(fields).find(|(_, field)| field.offset == Some(offset))?;
        let array = types.as_array(field.ty);
        let (AluType { base, bits }, n) = types.as_vector(array.map_or(field.ty, |(elem, _)| elem))?;
        let fits = (bits, n) == (32, 1) && matches!(base, Base::Float | Base::Uint | Base::Int);
        fits.then_some(PushedMember { member, is_array: array.is_some(), base })
    }
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
