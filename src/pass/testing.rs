// SPDX-License-Identifier: MIT

//! Tests passes by the values that a shader computes: evaluates straight-line code, and makes random shaders as input.

use crate::ir::builder::evaluate_constants;
use crate::ir::{AluFlags, AluSrc, Builder, Def, Inst, InstKind, Shader, Swizzle};
use crate::op::fold::mask;
use crate::op::{AluOp, Base, Intrinsic};

/// The values that each `store_output` of a shader without control flow stores, in order. Undefined values are `inputs`.
pub(super) fn evaluate(shader: &Shader, inputs: &[(Inst, Vec<u64>)]) -> Vec<Vec<u64>> {
    let mut shader = shader.clone();
    for (inst, values) in inputs {
        let values = shader.consts.push(values);
        shader.set_kind(*inst, InstKind::Const(values));
    }
    let mut stored = Vec::new();
    for inst in shader.order.clone() {
        let data = shader.insts[inst];
        match data.kind {
            InstKind::Alu { op, srcs, .. } => {
                let srcs = shader.alu_srcs[srcs].to_vec();
                let (n, bits) = (data.num_components, data.bit_size);
                let folded = evaluate_constants(&shader, op, &srcs, n, bits).expect("known operands");
                let values = shader.consts.push(&folded[..usize::from(data.num_components)]);
                shader.set_kind(inst, InstKind::Const(values));
            }
            InstKind::Intrinsic { srcs, .. } => {
                let value = shader.srcs[srcs][0];
                stored.push(shader.as_const(value).expect("a known value").to_vec());
            }
            _ => {}
        }
    }
    stored
}

/// Stores `value` where [`evaluate`] finds it.
pub(super) fn store(b: &mut Builder<'_>, value: Def) -> Inst {
    let offset = b.imm32(0);
    b.intrinsic(Intrinsic::store_output, 0, 0, &[value, offset])
}

/// Numbers that look random and are the same every time.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 8) as usize % n
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// The operations of random shaders: all that a rule of a pass handles, and a few more.
const OPS: &[AluOp] = {
    use AluOp::*;
    &[
        mov,
        vec2,
        vec4,
        bcsel,
        iadd,
        isub,
        imul,
        iand,
        ior,
        ixor,
        ishl,
        ishr,
        ushr,
        inot,
        ineg,
        umin,
        umax,
        imin,
        imax,
        ieq,
        ine,
        ilt,
        ige,
        ult,
        uge,
        feq,
        fneu,
        flt,
        fneg,
        fabs,
        b2i32,
        b2i64,
        b2f32,
        u2u16,
        u2u32,
        u2u64,
        i2i16,
        i2i32,
        i2i64,
        pack_64_2x32,
        unpack_64_2x32,
        pack_32_2x16,
        unpack_32_2x16,
        usub_sat,
        fadd,
        fmul,
    ]
};

/// A shader of `len` random operations, all of which are stored, and the undefined values that it starts from.
pub(super) fn random_shader(random: &mut Random, len: usize) -> (Shader, Vec<Inst>) {
    let mut shader = Shader::default();
    shader.append_new_block();
    let mut b = Builder::new(&mut shader);
    let mut values = Vec::new();
    for bits in [1, 16, 32, 64] {
        values.extend([1, 2, 4].map(|components| b.undef(components, bits)));
    }
    let inputs = values.iter().map(|def| def.inst()).collect();
    for bits in [1, 16, 32, 64] {
        for value in [0, 1, 2, 4, 8, 0xfff0, u64::MAX, 0x3f80_0000] {
            let value = mask(value, bits);
            values.extend([1, 2].map(|components| b.constant(bits, &[value; 2][..components])));
        }
    }
    let first = values.len();
    while values.len() < first + len {
        values.extend(random_alu(&mut b, random, &values));
    }
    for value in &values[first..] {
        store(&mut b, *value);
    }
    (shader, inputs)
}

/// A random operation on some of `values`, not folded; `None` if there are no operands for the chosen operation.
fn random_alu(b: &mut Builder<'_>, random: &mut Random, values: &[Def]) -> Option<Def> {
    let op = random.pick(OPS);
    let info = op.info();
    let components = if info.dest.size == 0 { random.pick(&[1, 1, 2, 4]) } else { info.dest.size };
    let width = random.pick(if info.srcs[0].ty.base == Base::Bool { &[1] } else { &[1, 16, 32, 32, 32, 32, 64][..] });
    let is_float = info.srcs[0].ty.base == Base::Float;
    if width == 1
        && (is_float || !matches!(op, AluOp::mov | AluOp::bcsel | AluOp::iand | AluOp::ieq | AluOp::ine | AluOp::inot))
    {
        return None;
    }
    let mut srcs = Vec::new();
    for operand in info.srcs {
        let bits = operand.bits(width);
        let fits: Vec<_> = values.iter().copied().filter(|def| b.shader.bit_size(*def) == bits).collect();
        // Operations on the last values and on constants make chains, which the rules match.
        let recent = &fits[fits.len().saturating_sub(3)..];
        let numbers: Vec<_> = fits.iter().copied().filter(|def| b.shader.as_const(*def).is_some()).collect();
        let def = match random.below(3) {
            0 => random.pick(&fits),
            1 if !srcs.is_empty() => random.pick(&numbers),
            _ => random.pick(recent),
        };
        let lanes = usize::from(b.shader.num_components(def));
        let picks: Vec<u8> = (0..16).map(|_| random.below(lanes) as u8).collect();
        let swizzle = if random.below(2) == 0 && lanes >= usize::from(components.max(operand.size)) {
            Swizzle::IDENTITY
        } else {
            Swizzle::new(&picks)
        };
        srcs.push(AluSrc { def, swizzle });
    }
    let bits = info.dest.bits(width);
    let srcs = b.shader.push_alu_srcs(&srcs);
    Some(b.inst(components, bits, InstKind::Alu { op, flags: AluFlags::empty(), srcs }).def())
}

/// Random values for `inputs`, small and special ones among them.
pub(super) fn random_values(shader: &Shader, random: &mut Random, inputs: &[Inst]) -> Vec<(Inst, Vec<u64>)> {
    let value = |random: &mut Random, bits| {
        let number = random.next();
        mask(random.pick(&[number, number >> 40, number & 15, 0x3f80_0000, 0, u64::MAX]), bits)
    };
    let values = |random: &mut Random, inst: Inst| {
        let data = shader.insts[inst];
        (0..data.num_components).map(|_| value(random, data.bit_size)).collect()
    };
    inputs.iter().map(|inst| (*inst, values(random, *inst))).collect()
}

#[test]
fn optimizations_keep_results() {
    use crate::pass::arith::lower_alu;
    use crate::pass::opt::clean_up::{self, parts};
    use crate::pass::{Context, Pass};
    const PASSES: &[Pass] = &[
        parts::ALGEBRAIC,
        parts::COPY_PROP,
        parts::CSE,
        parts::CONSTANT_FOLD,
        parts::DCE,
        lower_alu::PASS,
        clean_up::PASS,
    ];
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..500 {
        let (original, inputs) = random_shader(&mut random, 40);
        let mut shader = original.clone();
        let mut ran = Vec::new();
        for _ in 0..12 {
            let pass = random.pick(PASSES);
            pass.apply(&mut shader, &Context::default());
            ran.push(pass.name);
        }
        for _ in 0..4 {
            let values = random_values(&original, &mut random, &inputs);
            let (want, got) = (evaluate(&original, &values), evaluate(&shader, &values));
            assert_eq!(want.len(), got.len());
            let wrong = want.iter().zip(&got).position(|(a, b)| a != b);
            assert_eq!(wrong, None, "after {ran:?} of {values:x?}: {want:x?} became {got:x?}");
        }
    }
}
