// SPDX-License-Identifier: MIT

//! The text of operands, as `spirv-as` reads it.

use super::names::Names;
use rspirv::binary::Disassemble as _;
use rspirv::dr::{Instruction, Module, Operand};
use spirv::{GlslStd450Op, Op};

/// The name of the instructions of GLSL.
const GLSL: &str = "GLSL.std.450";

/// The text of an operand.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) is_id: bool,
}

/// The texts of the operands of an instruction, without its type.
pub(super) fn texts(inst: &Instruction, module: &Module, names: &Names) -> Vec<Text> {
    if matches!(inst.class.opcode, Op::Constant | Op::SpecConstant) {
        if let Some(text) = number(inst, module) {
            return vec![Text { text, is_id: false }];
        }
    }
    let set = match (inst.class.opcode, inst.operands.first()) {
        (Op::ExtInst, Some(Operand::IdRef(set))) => import(module, *set),
        _ => None,
    };
    inst.operands.iter().map(|operand| text(operand, set, names)).collect()
}

fn text(operand: &Operand, set: Option<&str>, names: &Names) -> Text {
    let text = match operand {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => {
            return Text { text: names.of(*id), is_id: true };
        }
        Operand::LiteralString(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        Operand::LiteralExtInstInteger(number) => match GlslStd450Op::from_u32(*number) {
            Some(op) if set == Some(GLSL) => format!("{op:?}"),
            _ => number.to_string(),
        },
        other => other.disassemble(),
    };
    Text { text, is_id: false }
}

/// The name of an imported set of instructions.
fn import(module: &Module, set: u32) -> Option<&str> {
    let found = module.ext_inst_imports.iter().find(|inst| inst.result_id == Some(set))?;
    match found.operands.first()? {
        Operand::LiteralString(name) => Some(name),
        _ => None,
    }
}

/// The value of a constant by its type, exactly.
pub(super) fn number(constant: &Instruction, module: &Module) -> Option<String> {
    let ty = module.types_global_values.iter().find(|inst| inst.result_id == constant.result_type)?;
    let Some(Operand::LiteralBit32(bits)) = ty.operands.first() else { return None };
    let is_signed = matches!(ty.operands.get(1), Some(Operand::LiteralBit32(1)));
    Some(match (ty.class.opcode, bits, constant.operands.first()?) {
        (Op::TypeFloat, 16, Operand::LiteralBit32(value)) => half(*value as u16),
        (Op::TypeFloat, 32, Operand::LiteralBit32(value)) => {
            let number = f32::from_bits(*value);
            match number.is_finite() {
                true => shortest(&format!("{number:?}")),
                // Exponents of 128 are infinities and NaNs.
                false => hexadecimal(value >> 31 == 1, u64::from(value & 0x7f_ffff) << 1, 6, 128),
            }
        }
        (Op::TypeFloat, 64, Operand::LiteralBit64(value)) => {
            let number = f64::from_bits(*value);
            match number.is_finite() {
                true => shortest(&format!("{number:?}")),
                false => hexadecimal(value >> 63 == 1, value & 0xf_ffff_ffff_ffff, 13, 1024),
            }
        }
        (Op::TypeInt, 8 | 16 | 32, Operand::LiteralBit32(value)) if is_signed => (*value as i32).to_string(),
        (Op::TypeInt, _, Operand::LiteralBit32(value)) => value.to_string(),
        (Op::TypeInt, _, Operand::LiteralBit64(value)) if is_signed => (*value as i64).to_string(),
        (Op::TypeInt, _, Operand::LiteralBit64(value)) => value.to_string(),
        _ => return None,
    })
}

/// `1.0` as `1`.
fn shortest(text: &str) -> String {
    text.strip_suffix(".0").unwrap_or(text).to_string()
}

/// A number with the exponent in binary.
fn hexadecimal(is_negative: bool, fraction: u64, digits: usize, exponent: i32) -> String {
    let sign = if is_negative { "-" } else { "" };
    let fraction = format!("{fraction:0digits$x}");
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}0x1{point}{fraction}p{exponent:+}")
}

/// A float of 16 bits, which the assembler takes exactly only as a hexadecimal number.
fn half(bits: u16) -> String {
    let (is_negative, exponent, fraction) = (bits >> 15 == 1, i32::from(bits >> 10 & 0x1f), u64::from(bits & 0x3ff));
    let sign = if is_negative { "-" } else { "" };
    match (exponent, fraction) {
        (0, 0) => format!("{sign}0x0p+0"),
        // A number without the hidden bit: it is shifted until it has one.
        (0, _) => {
            let shift = fraction.leading_zeros() as i32 - 53;
            hexadecimal(is_negative, (fraction << shift & 0x3ff) << 2, 3, -14 - shift)
        }
        _ => hexadecimal(is_negative, fraction << 2, 3, exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_hexadecimal() {
        let all = [0x3c00, 0xc100, 0x0000, 0x8000, 0x0001, 0x03ff, 0x7c00, 0x7e00].map(half);
        let expected = ["0x1p+0", "-0x1.4p+1", "0x0p+0", "-0x0p+0", "0x1p-24", "0x1.ff8p-15", "0x1p+16", "0x1.8p+16"];
        assert_eq!(all, expected);
    }
}
