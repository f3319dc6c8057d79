// SPDX-License-Identifier: MIT

//! Exact operations: the words of each ALU opcode with `!` have NoContraction on all arithmetic whose result is rounded, in every
//! width, and on targets for which passes compute the operation with others.

use super::*;
use ntv::op::AluOp;
use ntv::{Options, Translator};
use spirv::{Decoration, GlslStd450Op};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Core instructions on floats whose result is rounded.
const ARITHMETIC: &[Op] =
    &[Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FRem, Op::FMod, Op::Dot, Op::FConvert, Op::VectorTimesScalar];

/// Instructions of GLSL.std.450 on floats whose result is rounded.
const EXTENDED: &[GlslStd450Op] = {
    use GlslStd450Op::*;
    &[Fma, FMix, InverseSqrt, Sqrt, Exp2, Log2, Pow, Sin, Cos, Fract, Ldexp, PackHalf2x16, UnpackHalf2x16]
};

/// A compute shader that loads the operands of an exact `op`, whose numbers have `width` bits where the opcode has no width, and
/// stores its result.
fn program(op: AluOp, width: u8) -> String {
    let info = op.info();
    let shape = |bits: u8, n: u8| if n == 1 { bits.to_string() } else { format!("{bits}x{n}") };
    let mut body = "    block b0:  // preds:\n    32    %0 = load_const (0x00000000)\n".to_string();
    let mut operands = Vec::new();
    for (at, operand) in info.srcs.iter().enumerate() {
        let (n, bits, first) = (operand.components(1), operand.bits(width), 10 * (at + 1));
        let loaded = if bits == 1 { 32 } else { bits };
        let load = "@load_ssbo (%0, %0) (access=none, align_mul=16, align_offset=0)";
        writeln!(body, "    {}    %{first} = {load}", shape(loaded, n)).unwrap();
        let value = match bits {
            1 => {
                writeln!(body, "    {}    %{} = ine %{first}, %0", shape(1, n), first + 1).unwrap();
                first + 1
            }
            _ => first,
        };
        operands.push(format!("%{value}"));
    }
    let (n, bits) = (info.dest.components(1), info.dest.bits(width));
    writeln!(body, "    {}    %100 = {}! {}", shape(bits, n), op.name(), operands.join(", ")).unwrap();
    let result = if bits == 1 { writeln!(body, "    32    %101 = b2i32 %100").map(|()| 101) } else { Ok(100) }.unwrap();
    let mask = &"xyzw"[..usize::from(n)];
    format!(
        "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\nnum_ssbos: 2\ndecl_function main () (entrypoint)\n\nimpl main {{\n\
         {body}    @store_ssbo (%{result}, %0, %0) (wrmask={mask}, access=none, align_mul=16, align_offset=0)\n    // succs: b1\n    \
         block b1:\n}}\n"
    )
}

/// The rounded arithmetic of a module that may be contracted.
fn contractible(module: &dr::Module) -> Vec<String> {
    use rspirv::binary::Disassemble as _;
    let kept: BTreeSet<u32> = module
        .annotations
        .iter()
        .filter(|inst| inst.operands.contains(&dr::Operand::Decoration(Decoration::NoContraction)))
        .filter_map(|inst| inst.operands[0].id_ref_any())
        .collect();
    let is_rounded = |inst: &&dr::Instruction| match inst.class.opcode {
        Op::ExtInst => EXTENDED.iter().any(|op| inst.operands[1] == dr::Operand::LiteralExtInstInteger(*op as u32)),
        op => ARITHMETIC.contains(&op),
    };
    let code = module.functions.iter().flat_map(|function| function.all_inst_iter());
    let open = code.filter(is_rounded).filter(|inst| inst.result_id.is_some_and(|id| !kept.contains(&id)));
    open.map(|inst| inst.disassemble()).collect()
}

#[test]
fn exact_operations_are_not_contracted() {
    let mut targets = [Target::default(), Target::default(), Target::default()];
    use Feature::*;
    [shaderFloat16, shaderInt16, shaderInt8].into_iter().for_each(|feature| targets[1].set(feature, false));
    [shaderFloat64, shaderInt64].into_iter().for_each(|feature| targets[2].set(feature, false));
    let (mut checked, mut faults) = (BTreeSet::new(), Vec::new());
    for target in targets {
        let mut translator = Translator::new(Options::default().target(target));
        for (op, width) in AluOp::ALL.iter().flat_map(|op| [16, 32, 64].map(|width| (*op, width))) {
            let info = op.info();
            if info.srcs.iter().chain([&info.dest]).any(|operand| operand.components(1) > 4) {
                continue;
            }
            // Not all opcodes have a translation in each width.
            let Ok(mut shader) = text::parse(&program(op, width)) else { continue };
            let Ok(module) = translator.translate(&mut shader, &EmitOptions::default()) else { continue };
            let module = dr::load_words(&module.words).expect("a module that rspirv reads");
            checked.insert(op.name());
            faults
                .extend(contractible(&module).into_iter().map(|inst| format!("{} of {width} bits: {inst}", op.name())));
        }
    }
    assert!(checked.len() > 250, "only {} opcodes", checked.len());
    assert!(["ffma", "fpow", "fsin", "flrp"].iter().all(|name| checked.contains(name)));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
