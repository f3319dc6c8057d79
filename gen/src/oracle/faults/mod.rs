// SPDX-License-Identifier: MIT

//! Known faults of drivers: [`FAULTS`]. Shaders whose results differ for such a reason are excluded, and counted.
//!
//! A fault excuses a shader only if the results become right with a [`Cure`]. Each fault has a shader that shows it, which a test
//! runs, so that the list has no fault that has been mended.

mod phis;

use ntv::ir::{rewrite, AluFlags, AluSrc, Builder, Def, Edit, Inst, InstKind, Swizzle};
use ntv::op::AluOp;
use ntv::Shader;
use ntv_interp::Buffer;

/// A fault of drivers.
#[derive(Debug)]
pub struct Fault {
    /// The fault.
    pub what: &'static str,
    /// The evidence that it is not a fault of ntv.
    pub evidence: &'static str,
    /// The drivers that were seen to have it, as [`Device::driver`](ntv_driver::headless::Device::driver) calls them.
    pub drivers: &'static [&'static str],
    /// The way to avoid the fault.
    pub cure: Cure,
    /// A shader whose results show the fault.
    pub example: &'static str,
}

/// A way to correct results in spite of a fault.
#[derive(Debug)]
pub enum Cure {
    /// Computes the same in another way; false if the shader has no such instruction.
    Rewrite(fn(&mut Shader) -> bool),
    /// Changes the driver's results to the interpreter's, where the fault explains the difference.
    Results(fn(&Buffer, &mut Buffer)),
}

const LAVAPIPE_22: &str = "llvmpipe Mesa 22.3.6";
const LAVAPIPE: &[&str] = &[LAVAPIPE_22, "llvmpipe Mesa 25.0.7"];

/// All known faults.
pub const FAULTS: &[Fault] = &[
    Fault {
        what: "imod is taken for irem",
        evidence: "gallivm translates nir_op_imod like nir_op_irem: the remainder has the dividend's sign",
        drivers: LAVAPIPE,
        cure: Cure::Rewrite(divide_by_irem),
        example: include_str!("imod.nir"),
    },
    Fault {
        what: "the last of the four numbers in a constant of 64 bits is lost",
        evidence: "NIR's fold of unpack_64_4x16 takes `w` from the operand's fourth component, which does not exist; \
                   Mesa folds code that ntv does not fold, such as code after a comparison that is never true",
        drivers: &[LAVAPIPE_22],
        cure: Cure::Rewrite(unpack_twice),
        example: include_str!("unpack_64_4x16.nir"),
    },
    Fault {
        what: "the upper half of a constant is unpacked to zero",
        evidence: "the fold of unpack_half_2x16 gives 0 for the second component of each constant; the first component of the \
                   shifted constant is right, and so are numbers that are loaded",
        drivers: &[LAVAPIPE_22],
        cure: Cure::Rewrite(unpack_shifted),
        example: include_str!("unpack_half_2x16.nir"),
    },
    Fault {
        what: "a vector in a loop takes another's new value for its last",
        evidence:
            "phis of a block have no order (SPIR-V, OpPhi), but one of vectors that takes a phi of the same loop has \
                   to be after that one. Numbers are right in any order",
        drivers: &[LAVAPIPE_22],
        cure: Cure::Rewrite(phis::order),
        example: include_str!("phi_order.nir"),
    },
    Fault {
        what: "a vector in a loop that takes its own components in another order mixes up old and new ones",
        evidence: "phis take their values all at once (SPIR-V, OpPhi). A phi for each number is right, \
                   and so is the vector in Mesa 25.0",
        drivers: &[LAVAPIPE_22],
        cure: Cure::Rewrite(phis::split),
        example: include_str!("phi_swap.nir"),
    },
    Fault {
        what: "a number widened to 64 bits is compared with a constant as if it had no sign",
        evidence:
            "ilt and ige of `i2i64` of 32 bits and constants from -2^31 to 2^31 are wrong for numbers with the top \
                   bit; those of the two halves are right, and so is i2i64 when it is stored",
        drivers: &[LAVAPIPE_22],
        cure: Cure::Rewrite(widen_by_halves),
        example: include_str!("widened_compare.nir"),
    },
    Fault {
        what: "the signs of pack_snorm_4x8 of constants spread",
        evidence:
            "nir_opt_algebraic makes `pack_uvec4_to_uint` of signed numbers, whose fold does not mask them to 8 bits",
        drivers: LAVAPIPE,
        cure: Cure::Rewrite(pack_bytes),
        example: include_str!("pack_snorm_4x8.nir"),
    },
    Fault {
        what: "-0.0 for 0.0 - 0.0",
        evidence: "gallivm has `0.0 - x` as `0.0 + -x`, and its lp_build_add gives the other operand where one is zero",
        drivers: LAVAPIPE,
        cure: Cure::Rewrite(subtract_from_zero),
        example: include_str!("subtract_from_zero.nir"),
    },
    Fault {
        what: "-0.0 for 0.0",
        evidence: "nir_opt_algebraic makes `fneg(b2f(x))` of a selection between -1.0 and -0.0. nir_search compares \
                   constants as numbers, so it finds one between -1.0 and 0.0 as well",
        drivers: LAVAPIPE,
        cure: Cure::Results(make_zeros_positive),
        example: include_str!("negative_zero.nir"),
    },
];

impl Fault {
    /// Whether `driver` is known to have it.
    pub fn is_of(&self, driver: &str) -> bool {
        self.drivers.iter().any(|known| driver.starts_with(known))
    }
}

/// Replaces each instruction with `op`.
fn replace(shader: &mut Shader, op: AluOp, with: impl Fn(&mut Builder<'_>, Inst, &[AluSrc]) -> Def) -> bool {
    replace_where(shader, op, |_, _| true, with)
}

/// Replaces each instruction with `op` whose sources are `wanted`.
fn replace_where(
    shader: &mut Shader,
    op: AluOp,
    wanted: impl Fn(&Shader, &[AluSrc]) -> bool,
    with: impl Fn(&mut Builder<'_>, Inst, &[AluSrc]) -> Def,
) -> bool {
    rewrite(shader, |b, inst| match b.shader.insts[inst].kind {
        InstKind::Alu { op: found, srcs, .. } if found == op => {
            let srcs: Vec<AluSrc> = b.shader.alu_srcs[srcs].to_vec();
            match wanted(b.shader, &srcs) {
                true => Edit::Replace(with(b, inst, &srcs)),
                false => Edit::Keep,
            }
        }
        _ => Edit::Keep,
    })
}

/// Whether `src` is a constant with a component `number`.
fn has_constant(shader: &Shader, src: &AluSrc, number: u64) -> bool {
    shader.as_const(src.def).is_some_and(|numbers| numbers.contains(&number))
}

/// Replaces `imod` by `irem`, with the divisor added if the remainder has the other sign.
fn divide_by_irem(shader: &mut Shader) -> bool {
    replace(shader, AluOp::imod, |b, inst, srcs| {
        let (n, bits) = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
        let alu = |b: &mut Builder<'_>, op, srcs: &[AluSrc], bits| {
            AluSrc::from(b.alu_with(op, AluFlags::empty(), srcs, Some((n, bits))))
        };
        let zero = AluSrc { def: b.constant(bits, &[0]), swizzle: Swizzle::splat(0) };
        let rem = alu(b, AluOp::irem, srcs, bits);
        let signs = alu(b, AluOp::ixor, &[rem, srcs[1]], bits);
        let differs = alu(b, AluOp::ilt, &[signs, zero], 1);
        let exists = alu(b, AluOp::ine, &[rem, zero], 1);
        let adds = alu(b, AluOp::iand, &[differs, exists], 1);
        let sum = alu(b, AluOp::iadd, &[rem, srcs[1]], bits);
        alu(b, AluOp::bcsel, &[adds, sum, rem], bits).def
    })
}

/// Replaces `unpack_64_4x16` by two steps through 32 bits.
fn unpack_twice(shader: &mut Shader) -> bool {
    replace(shader, AluOp::unpack_64_4x16, |b, _, srcs| {
        let words = b.alu_with(AluOp::unpack_64_2x32, AluFlags::empty(), srcs, None);
        let mut halves = Vec::with_capacity(4);
        for word in 0..2 {
            let word = b.channel(words, word);
            let pair = b.alu(AluOp::unpack_32_2x16, &[word]);
            halves.extend([b.channel(pair, 0), b.channel(pair, 1)]);
        }
        b.vec(&halves)
    })
}

/// Replaces `unpack_half_2x16_split_y` by the lower half of the shifted number.
fn unpack_shifted(shader: &mut Shader) -> bool {
    let upper = |b: &mut Builder<'_>, src: AluSrc, size: Option<(u8, u8)>| {
        let sixteen = AluSrc { def: b.imm32(16), swizzle: Swizzle::splat(0) };
        let upper = b.alu_with(AluOp::ushr, AluFlags::empty(), &[src, sixteen], size);
        b.alu_with(AluOp::unpack_half_2x16_split_x, AluFlags::empty(), &[upper.into()], size)
    };
    let splits = replace(shader, AluOp::unpack_half_2x16_split_y, |b, inst, srcs| {
        let size = Some((b.shader.insts[inst].num_components, 32));
        upper(b, srcs[0], size)
    });
    let wholes = replace(shader, AluOp::unpack_half_2x16, |b, _, srcs| {
        let lower = b.alu_with(AluOp::unpack_half_2x16_split_x, AluFlags::empty(), &[srcs[0]], Some((1, 32)));
        let upper = upper(b, srcs[0], Some((1, 32)));
        b.vec(&[lower, upper])
    });
    splits || wholes
}

/// Replaces `i2i64` by the number and its sign, and a widened product with 1, which Mesa takes for `i2i64`, by its halves.
fn widen_by_halves(shader: &mut Shader) -> bool {
    let scalar = |src: AluSrc, c: usize| AluSrc { def: src.def, swizzle: Swizzle::splat(src.swizzle.get(c)) };
    let wide = replace(shader, AluOp::i2i64, |b, inst, srcs| {
        let n = b.shader.insts[inst].num_components;
        let mut wide = |c: usize| {
            let word = b.alu_with(AluOp::i2i32, AluFlags::empty(), &[scalar(srcs[0], c)], Some((1, 32)));
            let top = b.imm32(31);
            let sign = b.alu(AluOp::ishr, &[word, top]);
            b.alu(AluOp::pack_64_2x32_split, &[word, sign])
        };
        let components: Vec<Def> = (0..usize::from(n)).map(&mut wide).collect();
        b.vec(&components)
    });
    let has_one = |shader: &Shader, srcs: &[AluSrc]| srcs.iter().any(|src| has_constant(shader, src, 1));
    let products = replace_where(shader, AluOp::imul_2x32_64, has_one, |b, inst, srcs| {
        let n = b.shader.insts[inst].num_components;
        let mut product = |c: usize| {
            let halves = [AluOp::imul, AluOp::imul_high]
                .map(|op| b.alu_with(op, AluFlags::empty(), &[scalar(srcs[0], c), scalar(srcs[1], c)], Some((1, 32))));
            b.alu(AluOp::pack_64_2x32_split, &halves)
        };
        let components: Vec<Def> = (0..usize::from(n)).map(&mut product).collect();
        b.vec(&components)
    });
    wide || products
}

/// Replaces `pack_snorm_4x8` by several steps.
fn pack_bytes(shader: &mut Shader) -> bool {
    replace(shader, AluOp::pack_snorm_4x8, |b, _, srcs| {
        let clamped = |b: &mut Builder<'_>, op, limit: f32, src| {
            let limit = AluSrc { def: b.imm32(limit.to_bits()), swizzle: Swizzle::splat(0) };
            AluSrc::from(b.alu_with(op, AluFlags::empty(), &[src, limit], Some((4, 32))))
        };
        let most = clamped(b, AluOp::fmin, 1.0, srcs[0]);
        let number = clamped(b, AluOp::fmax, -1.0, most);
        let mut number = clamped(b, AluOp::fmul, 127.0, number).def;
        for op in [AluOp::fround_even, AluOp::f2i32, AluOp::i2i8, AluOp::pack_32_4x8] {
            number = b.alu(op, &[number]);
        }
        number
    })
}

/// Subtracts from a constant with a zero only numbers that differ from it.
fn subtract_from_zero(shader: &mut Shader) -> bool {
    let from_zero = |shader: &Shader, srcs: &[AluSrc]| has_constant(shader, &srcs[0], 0);
    replace_where(shader, AluOp::fsub, from_zero, |b, inst, srcs| {
        let (n, bits) = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
        let alu = |b: &mut Builder<'_>, op, srcs: &[AluSrc], bits| {
            AluSrc::from(b.alu_with(op, AluFlags::EXACT, srcs, Some((n, bits))))
        };
        let zero = AluSrc { def: b.constant(bits, &[0]), swizzle: Swizzle::splat(0) };
        let are_equal = alu(b, AluOp::feq, srcs, 1);
        let negative = alu(b, AluOp::fneg, &srcs[1..], bits);
        let difference = alu(b, AluOp::fadd, &[srcs[0], negative], bits);
        alu(b, AluOp::bcsel, &[are_equal, zero, difference], bits).def
    })
}

/// Changes words of `found` from -0.0 to 0.0 where 0.0 was expected.
fn make_zeros_positive(expected: &Buffer, found: &mut Buffer) {
    const NEGATIVE_ZEROS: [[u8; 4]; 2] = [[0, 0, 0, 0x80], [0, 0x80, 0, 0]];
    for (expected, found) in expected.bytes.chunks_exact(4).zip(found.bytes.chunks_exact_mut(4)) {
        if expected == [0; 4] && NEGATIVE_ZEROS.iter().any(|zero| found == zero) {
            found.fill(0);
        }
    }
}
