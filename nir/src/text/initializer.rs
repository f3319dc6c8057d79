// SPDX-License-Identifier: MIT

//! Initial values of variables: ` = { { 1.000000, 0.000000 }, { 0x00000001 } }`, ` = null`.
//!
//! NIR prints the members of an aggregate in braces, and numbers by their type: integers as hexadecimal bits, booleans as words,
//! floats with six digits after the point. So a float has the value of its digits, which may differ from the original: the dump
//! does not have the other digits. The parser also accepts the bits of a float, `0x3f800000`, which Mesa never prints. Only the
//! first component of a vector of 64-bit integers is printed, and the members of a struct are not in a dump. The values of these
//! are not known, and neither is the address of another variable (` = &name`).

use crate::ir::{Type, TypeData, TypeTable};
use crate::op::fold::{from_float, to_float};
use crate::op::{AluType, Base};

/// The most scalars of a variable with known values.
const MAX_SCALARS: u32 = 1 << 16;

/// The scalars of a variable of type `ty`, in order, from the text after its declaration; `None` if they are not known.
pub(super) fn parse(types: &TypeTable, ty: Type, text: &str) -> Option<Vec<u64>> {
    let count = types.num_scalars(ty).filter(|count| *count <= MAX_SCALARS)? as usize;
    let text = text.trim().strip_prefix('=')?.trim();
    if text == "null" {
        return Some(vec![0; count]);
    }
    // Members are in order and the types are known, so the braces have no information.
    let scalar = uniform_scalar(types, ty)?;
    let words = text.split(|c: char| matches!(c, '{' | '}' | ',') || c.is_whitespace()).filter(|word| !word.is_empty());
    let values: Option<Vec<u64>> = words.map(|word| number(scalar, word)).collect();
    values.filter(|values| values.len() == count)
}

/// The text for `values` that are not from a dump: numbers without inner braces, and floats with all necessary digits.
pub(super) fn print(types: &TypeTable, ty: Type, values: &[u64]) -> String {
    let scalar = uniform_scalar(types, ty).unwrap_or(AluType::new(Base::Uint, 32));
    let word = |value: &u64| match scalar.base {
        Base::Bool => (*value != 0).to_string(),
        Base::Float if !to_float(*value, scalar.bits).is_nan() => format!("{:?}", to_float(*value, scalar.bits)),
        Base::Float | Base::Int | Base::Uint => format!("{value:#0width$x}", width = 2 + usize::from(scalar.bits) / 4),
    };
    format!("= {{ {} }}", values.iter().map(word).collect::<Vec<_>>().join(", "))
}

/// The common type of all scalars of `ty`.
fn uniform_scalar(types: &TypeTable, ty: Type) -> Option<AluType> {
    match types.get(types.without_arrays(ty)) {
        TypeData::Scalar(scalar) | TypeData::Vector(scalar, _) | TypeData::Matrix { scalar, .. } => Some(scalar),
        _ => None,
    }
}

fn number(scalar: AluType, word: &str) -> Option<u64> {
    match scalar.base {
        Base::Bool => match word {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        },
        Base::Float if !word.starts_with("0x") => Some(from_float(word.parse().ok()?, scalar.bits)),
        Base::Float | Base::Int | Base::Uint => u64::from_str_radix(word.strip_prefix("0x")?, 16).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(ty: &str, text: &str) -> Option<Vec<u64>> {
        let mut types = TypeTable::default();
        let ty = types.from_name(ty).unwrap();
        parse(&types, ty, text)
    }

    #[test]
    fn numbers_are_read_by_their_type() {
        let one = u64::from(1.0f32.to_bits());
        assert_eq!(
            values("vec2[2]", "= { { 1.000000, 0.000000 }, { 0.000000, 1.000000 } }"),
            Some(vec![one, 0, 0, one])
        );
        assert_eq!(values("uvec2", "= { 0x00000007, 0xffffffff }"), Some(vec![7, 0xffff_ffff]));
        assert_eq!(values("bool", "= { true }"), Some(vec![1]));
        assert_eq!(values("float16_t[3]", "= null"), Some(vec![0; 3]));
        assert_eq!(values("float", "= { -inf }"), Some(vec![0xff80_0000]));
        assert_eq!(values("float", "= { 0x7f800001 }"), Some(vec![0x7f80_0001]));
    }

    #[test]
    fn values_are_printed_so_that_they_are_read_again() {
        let mut types = TypeTable::default();
        for (ty, given) in
            [("vec2", vec![0x3dcc_cccd, 0x7f80_0001]), ("uint16_t[2]", vec![7, 0xffff]), ("bool", vec![1])]
        {
            let ty = types.from_name(ty).unwrap();
            let printed = print(&types, ty, &given);
            assert_eq!(parse(&types, ty, &printed), Some(given), "{printed}");
        }
    }

    #[test]
    fn incomplete_values_are_unknown() {
        assert_eq!(values("i64vec2", "= { 0x00000001 }"), None);
        assert_eq!(values("float", "= &other"), None);
        assert_eq!(values("uint[4000000000]", "= null"), None);
        assert_eq!(values("float", "= { 1.0, 2.0 }"), None);
    }
}
