// SPDX-License-Identifier: MIT

//! The math control of instructions (NIR's `fp_math_ctrl`), as words of a target with SPV_KHR_float_controls2 and of one without.
//! Debian's `spirv-val` does not know the extension, so the tests read the words with rspirv.

use super::*;
use ntv::{Options, Translator};
use spirv::{Capability, Decoration, ExecutionMode};

const FLOATS: &[Feature] = &[
    Feature::shaderFloatControls2,
    Feature::shaderSignedZeroInfNanPreserveFloat16,
    Feature::shaderSignedZeroInfNanPreserveFloat32,
    Feature::shaderSignedZeroInfNanPreserveFloat64,
];

/// A dump of Mesa 26 or of Mesa 25 that computes `code` from `%1` and `%2`, of `bits` bits, and stores `%9`.
fn dump(dialect: &str, bits: u8, code: &str) -> String {
    let fields = if dialect.is_empty() { "max_subgroup_size: 128\nmin_subgroup_size: 1\n" } else { dialect };
    let load = |number: u8| {
        format!("    {bits}    %{number} = @load_ssbo (%0, %0) (access=none, align_mul=8, align_offset={})\n", 0)
    };
    let index = "    32    %7 = load_const (0x00000001)\n";
    let other = format!("    {bits}    %2 = @load_ssbo (%7, %0) (access=none, align_mul=8, align_offset=0)\n");
    format!(
        "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\n{fields}num_ssbos: 2\ndecl_function main () (entrypoint)\n\n\
         impl main {{\n    block b0:  // preds:\n    32    %0 = load_const (0x00000000)\n{index}{}{other}    {code}\n    \
         @store_ssbo (%9, %0, %0) (wrmask=x, access=none, align_mul=8, align_offset=0)\n    // succs: b1\n    block b1:\n}}\n",
        load(1)
    )
}

/// The instructions of a module. rspirv's modules have no place for OpExecutionModeId.
struct Instructions(Vec<Vec<u32>>);

fn translate(dump: &str, features: &[Feature]) -> Instructions {
    let mut target = Target::default();
    features.iter().for_each(|feature| target.set(*feature, true));
    let mut translator = Translator::new(Options::default().target(target));
    let words = translator.translate(&mut parse(dump), &EmitOptions::default()).expect("a module").words;
    let mut rest = &words[5..];
    let mut all = Vec::new();
    while let [first, ..] = *rest {
        let (inst, after) = rest.split_at(first as usize >> 16);
        (rest, all) = (after, [all, vec![inst.to_vec()]].concat());
    }
    Instructions(all)
}

impl Instructions {
    /// The operands of all instructions with this opcode.
    fn of(&self, op: Op) -> impl Iterator<Item = &[u32]> {
        self.0.iter().filter(move |inst| inst[0] & 0xffff == op as u32).map(|inst| &inst[1..])
    }

    fn constant(&self, id: u32) -> u32 {
        self.of(Op::Constant).find(|operands| operands[1] == id).expect("a constant")[2]
    }

    /// The masks of the fast math modes of instructions, and of the defaults.
    fn masks(&self) -> (Vec<u32>, Vec<u32>) {
        let modes = self.of(Op::Decorate).filter(|operands| operands[1] == Decoration::FPFastMathMode as u32);
        let defaults =
            self.of(Op::ExecutionModeId).filter(|operands| operands[1] == ExecutionMode::FPFastMathDefault as u32);
        (modes.map(|operands| operands[2]).collect(), defaults.map(|operands| self.constant(operands[3])).collect())
    }

    /// The numbers of NoContraction decorations and of SignedZeroInfNanPreserve modes.
    fn older(&self) -> (usize, usize) {
        let decorations = self.of(Op::Decorate).filter(|it| it[1] == Decoration::NoContraction as u32);
        let modes = self.of(Op::ExecutionMode).filter(|it| it[1] == ExecutionMode::SignedZeroInfNanPreserve as u32);
        (decorations.count(), modes.count())
    }
}

/// Each comment of 26, and its mask; without the extension, each part of `exact` is NoContraction.
#[test]
fn comments_of_26_are_fast_math_modes() {
    let cases = [
        ("exact", 0xf, (1, 0)),
        ("no-contract", 0x2_000f, (1, 0)),
        ("no-reassoc", 0x1_000f, (1, 0)),
        ("no-transform", 0x3_000f, (1, 0)),
        ("preserve:sz", 0x7_000b, (0, 1)),
        ("preserve:inf", 0x7_000d, (0, 1)),
        ("preserve:nan", 0x7_000e, (0, 1)),
        ("preserve:sz,inf,nan", 0x7_0008, (0, 1)),
        ("exact, preserve:sz,inf,nan", 0x8, (1, 1)),
    ];
    for (comment, mask, older) in cases {
        for bits in [16, 32, 64] {
            let text = dump("", bits, &format!("{bits}    %9 = fadd %1, %2  // {comment}"));
            let expected = match comment {
                // NoContraction says it in fewer words.
                "exact" => (vec![], vec![]),
                _ => (vec![mask], vec![0x7_000f]),
            };
            assert_eq!(translate(&text, FLOATS).masks(), expected, "{comment} of {bits} bits");
            assert_eq!(translate(&text, &FLOATS[1..]).older(), older, "{comment} of {bits} bits");
        }
    }
}

/// An exact instruction beside one that needs the extension has no NoContraction, which the extension forbids.
#[test]
fn a_module_has_one_kind_of_control() {
    let code =
        "32    %3 = fmul %1, %2  // exact\n    32    %4 = fmul %3, %2  // preserve:nan\n    32    %9 = fadd %4, %1";
    let module = translate(&dump("", 32, code), FLOATS);
    assert_eq!(module.masks(), (vec![0xf, 0x7_000e], vec![0x7_000f]));
    assert_eq!(module.older(), (0, 0));
    let name: Vec<u32> =
        b"SPV_KHR_float_controls2\0".chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    assert!(module.of(Op::Extension).any(|operands| operands == name));
    assert!(module.of(Op::Capability).any(|operands| operands == [Capability::FloatControls2 as u32]));
}

/// 25.0 says in the header what all instructions keep: it is the default.
#[test]
fn the_header_of_25_is_the_default() {
    // Signed zeros of 32 bits, and NaNs of 16 bits, which the shader does not have.
    let field = "float_controls_execution_mode: 0x00000042\n";
    let module = translate(&dump(field, 32, "32    %9 = fadd! %1, %2"), FLOATS);
    assert_eq!(module.masks(), (vec![0xb], vec![0x7_000b]));
}

/// A device that cannot keep NaNs of a width must not be told to (Vulkan, VUID-RuntimeSpirv-shaderFloatControls2-09559).
#[test]
fn a_target_keeps_what_it_can() {
    let text = dump("", 32, "32    %9 = fadd %1, %2  // no-contract, preserve:nan");
    assert_eq!(translate(&text, &FLOATS[..2]).masks(), (vec![0x2_000f], vec![0x7_000f]));
}

/// A comparison of a number with itself is a test for NaN, which must not be folded.
#[test]
fn tests_for_nan_keep_it() {
    let text = dump("", 32, "1     %3 = fneu %1, %1  // preserve:nan\n    32    %9 = b2i32 %3");
    let module = translate(&text, FLOATS);
    assert_eq!(module.masks(), (vec![0x7_000e], vec![0x7_000f]));
    assert_eq!(module.of(Op::IsNan).count(), 1);
}
