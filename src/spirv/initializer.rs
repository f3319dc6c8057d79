// SPDX-License-Identifier: MIT

//! Initial values of variables: constants of the variable's type.

use super::types::Layout;
use super::{internal, unsupported, Emit, Result};
use crate::ir::{Type, TypeData};
use crate::op::{AluType, Base};

/// The deepest nesting of arrays and structs, as for types.
const MAX_DEPTH: u32 = 32;

impl Emit<'_> {
    /// The constant of type `ty` with the scalars `values`, in order.
    pub(super) fn constant_of(&mut self, ty: Type, layout: Layout, values: &[u64]) -> Result<u32> {
        let mut rest = values;
        let id = self.constant_part(ty, layout, &mut rest, 0)?;
        if rest.is_empty() {
            Ok(id)
        } else {
            Err(internal("a variable has more values than its type"))
        }
    }

    fn constant_part(&mut self, ty: Type, layout: Layout, values: &mut &[u64], depth: u32) -> Result<u32> {
        if depth > MAX_DEPTH {
            return Err(unsupported("a type with so many nested arrays and structs"));
        }
        let shader = self.shader;
        let start = self.state.ids.len();
        match shader.types.get(ty) {
            TypeData::Scalar(scalar) => return self.constant_numbers(scalar, 1, layout, values),
            TypeData::Vector(scalar, n) => return self.constant_numbers(scalar, n, layout, values),
            TypeData::Matrix { scalar, columns, rows } => {
                for _ in 0..columns {
                    let column = take(values, rows.into())?;
                    let column = self.m.constant_vector(Base::Float, scalar.bits, column);
                    self.state.ids.push(column);
                }
            }
            TypeData::Array { elem, len, .. } => {
                for _ in 0..len.unwrap_or(0) {
                    let part = self.constant_part(elem, layout, values, depth + 1)?;
                    self.state.ids.push(part);
                }
            }
            TypeData::Struct(_) => {
                for field in shader.types.as_struct(ty).map_or(&[][..], |data| &data.fields) {
                    let part = self.constant_part(field.ty, layout, values, depth + 1)?;
                    self.state.ids.push(part);
                }
            }
            _ => return Err(unsupported("a first value of this type")),
        }
        let ty = self.ir_type(ty, layout)?;
        let id = self.m.global(spirv::Op::ConstantComposite, ty, &self.state.ids[start..]);
        self.state.ids.truncate(start);
        Ok(id)
    }

    fn constant_numbers(&mut self, scalar: AluType, n: u8, layout: Layout, values: &mut &[u64]) -> Result<u32> {
        let base = layout.numbers.apply(scalar);
        Ok(self.m.constant_vector(base, scalar.bits, take(values, n.into())?))
    }
}

/// The next `count` of `values`.
fn take<'v>(values: &mut &'v [u64], count: usize) -> Result<&'v [u64]> {
    if values.len() < count {
        return Err(internal("a variable has fewer values than its type"));
    }
    let (first, rest) = values.split_at(count);
    *values = rest;
    Ok(first)
}
