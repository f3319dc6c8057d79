// SPDX-License-Identifier: MIT

//! The ALU opcodes: one row each, in the order of NIR's families.
//!
//! A row reads: name, operand types `->` result type, properties, SPIR-V form, fold. For example
//!
//! ```text
//! fadd  [F, F] -> F,  COMMUTATIVE|ASSOCIATIVE,  Op(FAdd),  |x| x.round(x.f(0) + x.f(1));
//! ```
//!
//! Operands are written `F`, `I`, `U`, `B` (base, width of the instruction), with a width (`F32`, `B1`), or with a fixed
//! number of components (`F.of(3)`). The fold computes one component of the result; see [`Fold`].
//!
//! The table has all opcodes of Mesa 25.0.7 but those made for one vendor's hardware (`*_amd`, `*_agx`, ...) and the byte
//! difference sums (`msad_4x8`, `mqsad_4x8`): frontends make them only for drivers that request them.

use super::by_name::ByName;
use super::fold::{self, Fold};
use super::lowered;
use super::{AluType, Base};
use bitflags::bitflags;
use spirv::{GlslStd450Op as GLOp, Op};

/// One source or the result of an ALU opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The type of its bits. A width of 0 bits means that the width is free, and equal among all free operands of the opcode.
    pub ty: AluType,
    /// Fixed number of components, or 0 for "as many as the result" (for the result: as many as the instruction).
    pub size: u8,
}

impl Operand {
    const fn new(base: Base, bits: u8) -> Operand {
        Operand { ty: AluType::new(base, bits), size: 0 }
    }

    /// This operand with exactly `size` components.
    const fn of(self, size: u8) -> Operand {
        Operand { size, ..self }
    }

    /// The number of components that it has in an instruction of `num_components`.
    pub fn components(&self, num_components: u8) -> u8 {
        match self.size {
            0 => num_components,
            size => size,
        }
    }

    /// Its width if operands without a width of their own have `width` bits.
    pub fn bits(&self, width: u8) -> u8 {
        match self.ty.bits {
            0 => width,
            bits => bits,
        }
    }
}

/// The form of an ALU opcode in SPIR-V.
///
/// The form is valid for the widths that SPIR-V for Vulkan supports; `pass::lower_alu` rewrites other widths before emission (bit
/// counts and searches are 32-bit, GLSL.std.450's transcendental functions 16- or 32-bit, conversions change the width, ...).
///
/// The special opcodes are
///
/// | opcode | instructions |
/// |-|-|
/// | fsign | FSign; if NaNs are kept, OpSelect of 0.0 where OpIsNan, because FSign leaves it open |
/// | frexp_sig, frexp_exp | member 0, member 1 of FrexpStruct, whose result is `struct { typeof(x), int }` |
/// | uadd_carry | member 1 of OpIAddCarry on unsigned operands |
/// | usub_borrow | member 1 of OpISubBorrow on unsigned operands |
/// | umul_high | member 1 (the high half) of OpUMulExtended on unsigned operands |
/// | imul_high | member 1 of OpSMulExtended |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One instruction on the operands as they are.
    Op(Op),
    /// The first on numbers, the second on 1-bit booleans.
    OpOrLogical(Op, Op),
    /// One instruction of GLSL.std.450.
    Ext(GLOp),
    /// A shift: NIR takes the count modulo the width, SPIR-V leaves larger counts undefined.
    Shift(Op),
    /// OpBitcast of the operand to the result type (pack and unpack between vectors and scalars).
    Bitcast,
    /// OpCompositeConstruct of the operands.
    Construct,
    /// No instruction: the result is the (swizzled) operand.
    Move,
    /// A conversion from boolean: OpSelect of one and zero.
    SelectOne,
    /// Needs more than one instruction; the emitter has a function of this opcode's name.
    Special,
    /// SPIR-V has no such instruction: `pass::lower_alu` rewrites it before emission.
    Lowered,
}

bitflags! {
    /// Algebraic and structural properties of an ALU opcode.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Props: u16 {
        /// The first two operands can be exchanged.
        const COMMUTATIVE = 1 << 0;
        /// Can be regrouped (floats: unless `exact`).
        const ASSOCIATIVE = 1 << 1;
        /// Moves bits without reading them (mov, vec, bcsel's last two): operands have the type that the user of the result
        /// needs.
        const TYPELESS = 1 << 2;
        /// Changes the width or the base of a number.
        const CONVERSION = 1 << 3;
        /// SPIR-V accepts signed and unsigned operands alike, in any mix, so signedness requires no bitcast.
        const SIGN_AGNOSTIC = 1 << 4;
        /// Vulkan allows an error beyond rounding, or does not specify the order of its operations.
        const IMPRECISE = 1 << 5;
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct AluInfo {
    /// NIR's name.
    pub name: &'static str,
    /// The result.
    pub dest: Operand,
    /// The sources.
    pub srcs: &'static [Operand],
    /// Algebraic and structural properties.
    pub props: Props,
    /// Its form in SPIR-V.
    pub form: Form,
    /// SPIR-V requires this signedness: of results that must be unsigned (OpUConvert, OpConvertFToU), and of operands that must
    /// have the type of the result (OpUDiv, OpUMod, the bit field instructions).
    pub is_strict: bool,
    /// The operations that SPIR-V does not have.
    pub lowered: lowered::Lowered,
    /// Computes one component of the result from constant operands; the caller removes bits above the width of the result.
    pub fold: fn(&Fold<'_>) -> u64,
}

impl AluInfo {
    /// Whether the operation only moves bits, independent of their type.
    pub const fn moves_bits(&self) -> bool {
        self.props.contains(Props::TYPELESS) || matches!(self.form, Form::Bitcast)
    }
}

impl AluOp {
    /// The row of this opcode.
    pub fn info(self) -> &'static AluInfo {
        &TABLE[self as usize]
    }

    /// NIR's name of this opcode.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The opcode with NIR's name `name`.
    pub fn from_name(name: &str) -> Option<AluOp> {
        static BY_NAME: ByName<2048> = ByName::new(AluOp::NAMES);
        BY_NAME.find(AluOp::NAMES, name).map(|number| AluOp::ALL[number])
    }
}

/// The column `is_strict`.
const fn is_strict(form: &Form) -> bool {
    match form {
        Form::Op(op) => matches!(
            op,
            Op::UConvert
                | Op::ConvertFToU
                | Op::UDiv
                | Op::UMod
                | Op::BitFieldInsert
                | Op::BitFieldSExtract
                | Op::BitFieldUExtract
                | Op::BitReverse
        ),
        // Halves of products, carries and exponents are members of structs of unsigned integers.
        form => matches!(form, Form::Special),
    }
}

macro_rules! alu_ops {
    ($($(#[$doc:meta])* $name:ident [$($src:expr),*] -> $dest:expr, $($prop:ident)|*, $form:expr, $fold:expr;)*) => {
        /// An ALU opcode, by NIR's name.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum AluOp { $($(#[$doc])* $name,)* }

        impl AluOp {
            /// All opcodes, in table order.
            pub const ALL: &'static [AluOp] = &[$(AluOp::$name),*];

            /// Their names.
            const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];
        }

        /// The rows, in the order of the opcodes, for tables that are made from them at compile time.
        #[doc(hidden)]
        pub const ROWS: &[AluInfo] = &[$(AluInfo {
            name: stringify!($name),
            dest: $dest,
            srcs: &[$($src),*],
            props: Props::empty()$(.union(Props::$prop))*,
            form: $form,
            is_strict: is_strict(&$form),
            lowered: lowered::lowered(AluOp::$name, $form),
            fold: $fold,
        }),*];

        /// The rows as one static, so that the binary has them once.
        #[doc(hidden)]
        pub static TABLE: &[AluInfo] = ROWS;
    };
}

const F: Operand = Operand::new(Base::Float, 0);
const I: Operand = Operand::new(Base::Int, 0);
const U: Operand = Operand::new(Base::Uint, 0);
const B: Operand = Operand::new(Base::Bool, 0);
const B1: Operand = Operand::new(Base::Bool, 1);
const B8: Operand = Operand::new(Base::Bool, 8);
const B16: Operand = Operand::new(Base::Bool, 16);
const B32: Operand = Operand::new(Base::Bool, 32);
const I1: Operand = Operand::new(Base::Int, 1);
const F16: Operand = Operand::new(Base::Float, 16);
const F32: Operand = Operand::new(Base::Float, 32);
const F64: Operand = Operand::new(Base::Float, 64);
const I8: Operand = Operand::new(Base::Int, 8);
const I16: Operand = Operand::new(Base::Int, 16);
const I32: Operand = Operand::new(Base::Int, 32);
const I64: Operand = Operand::new(Base::Int, 64);
const U1: Operand = Operand::new(Base::Uint, 1);
const U8: Operand = Operand::new(Base::Uint, 8);
const U16: Operand = Operand::new(Base::Uint, 16);
const U32: Operand = Operand::new(Base::Uint, 32);
const U64: Operand = Operand::new(Base::Uint, 64);

use Form::{Bitcast, Construct, Ext, Lowered, Move, OpOrLogical, SelectOne, Shift, Special};
const fn op(op: Op) -> Form {
    Form::Op(op)
}

alu_ops! {
    // Moves and selections.
    mov     [U] -> U,         TYPELESS, Move,           |x| x.u(0);
    bcsel   [B1, U, U] -> U,  TYPELESS, op(Op::Select), fold::csel;
    b8csel  [B8, U, U] -> U,  TYPELESS, Lowered,        fold::csel;
    b16csel [B16, U, U] -> U, TYPELESS, Lowered,        fold::csel;
    b32csel [B32, U, U] -> U, TYPELESS, Lowered,        fold::csel;

    // Vectors. SPIR-V for Vulkan has at most four components; `check` refuses more.
    vec2 [U.of(1), U.of(1)] -> U.of(2), TYPELESS, Construct, fold::vec;
    vec3 [U.of(1), U.of(1), U.of(1)] -> U.of(3), TYPELESS, Construct, fold::vec;
    vec4 [U.of(1), U.of(1), U.of(1), U.of(1)] -> U.of(4), TYPELESS, Construct, fold::vec;
    vec5 [U.of(1), U.of(1), U.of(1), U.of(1), U.of(1)] -> U.of(5), TYPELESS, Construct, fold::vec;
    vec8 [U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1)] -> U.of(8), TYPELESS,
        Construct, fold::vec;
    vec16 [
        U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1),
        U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1), U.of(1)
    ] -> U.of(16), TYPELESS,
        Construct, fold::vec;

    // Float arithmetic.
    fneg        [F] -> F,               ,                        op(Op::FNegate), |x| x.u(0) ^ x.sign_bit();
    fabs        [F] -> F,               ,                        Ext(GLOp::FAbs), |x| x.u(0) & !x.sign_bit();
    fsign       [F] -> F,               ,                        Special,         fold::fsign;
    fsat        [F] -> F,               ,                        Lowered, |x| x.round(fold::clamp(x.f(0), 0.0, 1.0));
    fsat_signed [F] -> F,               ,                        Lowered, |x| x.round(fold::clamp(x.f(0), -1.0, 1.0));
    fclamp_pos  [F] -> F,               , Lowered, |x| x.round(fold::clamp(x.f(0), 0.0, f64::INFINITY));
    fadd        [F, F] -> F,            COMMUTATIVE|ASSOCIATIVE, op(Op::FAdd),    |x| x.round(x.f(0) + x.f(1));
    fsub        [F, F] -> F,            ,                        op(Op::FSub),    |x| x.round(x.f(0) - x.f(1));
    fmul        [F, F] -> F,            COMMUTATIVE|ASSOCIATIVE, op(Op::FMul),    |x| x.round(x.f(0) * x.f(1));
    fdiv        [F, F] -> F,            IMPRECISE,               op(Op::FDiv),    |x| x.round(x.f(0) / x.f(1));
    fmod        [F, F] -> F,            IMPRECISE,               op(Op::FMod),    |x| fold::remainder(x, f64::floor);
    frem        [F, F] -> F,            IMPRECISE,               op(Op::FRem),    |x| fold::remainder(x, f64::trunc);
    fmin        [F, F] -> F,            COMMUTATIVE|ASSOCIATIVE, Ext(GLOp::NMin), fold::fmin;
    fmax        [F, F] -> F,            COMMUTATIVE|ASSOCIATIVE, Ext(GLOp::NMax), fold::fmax;
    ffma        [F, F, F] -> F,         COMMUTATIVE|IMPRECISE,   Ext(GLOp::Fma),  fold::ffma;
    flrp        [F, F, F] -> F,         IMPRECISE,               Ext(GLOp::FMix), fold::flrp;
    fmulz       [F32, F32] -> F32,      COMMUTATIVE|ASSOCIATIVE, Lowered,
        |x| if fold::zero_factor(x) { 0 } else { x.round(x.f(0) * x.f(1)) };
    ffmaz       [F32, F32, F32] -> F32, COMMUTATIVE|IMPRECISE,   Lowered,
        |x| if fold::zero_factor(x) { x.round(0.0 + x.f(2)) } else { fold::ffma(x) };

    // Float functions.
    frcp          [F] -> F,      IMPRECISE, Special,                |x| x.round(1.0 / x.f(0));
    frsq          [F] -> F,      IMPRECISE, Ext(GLOp::InverseSqrt), |x| x.round(1.0 / x.f(0).sqrt());
    fsqrt         [F] -> F,      IMPRECISE, Ext(GLOp::Sqrt),        |x| x.round(x.f(0).sqrt());
    fexp2         [F] -> F,      IMPRECISE, Ext(GLOp::Exp2),        |x| x.round(x.f(0).exp2());
    flog2         [F] -> F,      IMPRECISE, Ext(GLOp::Log2),        |x| x.round(x.f(0).log2());
    fpow          [F, F] -> F,   IMPRECISE, Ext(GLOp::Pow),         |x| x.round(x.f(0).powf(x.f(1)));
    fsin          [F] -> F,      IMPRECISE, Ext(GLOp::Sin),         |x| x.round(x.f(0).sin());
    fcos          [F] -> F,      IMPRECISE, Ext(GLOp::Cos),         |x| x.round(x.f(0).cos());
    ftrunc        [F] -> F,      ,          Ext(GLOp::Trunc),       |x| x.round(x.f(0).trunc());
    fceil         [F] -> F,      ,          Ext(GLOp::Ceil),        |x| x.round(x.f(0).ceil());
    ffloor        [F] -> F,      ,          Ext(GLOp::Floor),       |x| x.round(x.f(0).floor());
    ffract        [F] -> F,      IMPRECISE, Ext(GLOp::Fract),       |x| x.round(x.f(0) - x.f(0).floor());
    fround_even   [F] -> F,      ,          Ext(GLOp::RoundEven),   |x| x.round(x.f(0).round_ties_even());
    fquantize2f16 [F] -> F,      ,          op(Op::QuantizeToF16),  fold::fquantize2f16;
    ldexp         [F, I32] -> F, ,          Ext(GLOp::Ldexp),       fold::ldexp;
    frexp_sig     [F] -> F,      ,          Special,                |x| x.round(fold::frexp(x.f(0)).0);
    frexp_exp     [F] -> I32,    ,          Special,                |x| fold::frexp(x.f(0)).1 as u64;

    // Integer arithmetic.
    ineg           [I] -> I,       SIGN_AGNOSTIC,                         op(Op::SNegate),  |x| x.u(0).wrapping_neg();
    iabs           [I] -> I,       SIGN_AGNOSTIC, Ext(GLOp::SAbs), |x| x.i(0).wrapping_abs() as u64;
    isign          [I] -> I,       SIGN_AGNOSTIC,                         Ext(GLOp::SSign), |x| x.i(0).signum() as u64;
    iadd           [I, I] -> I,    COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, op(Op::IAdd), |x| x.u(0).wrapping_add(x.u(1));
    isub           [I, I] -> I,    SIGN_AGNOSTIC,                         op(Op::ISub), |x| x.u(0).wrapping_sub(x.u(1));
    imul           [I, I] -> I,    COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, op(Op::IMul), |x| x.u(0).wrapping_mul(x.u(1));
    amul           [I, I] -> I,    COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, op(Op::IMul), |x| x.u(0).wrapping_mul(x.u(1));
    idiv           [I, I] -> I,    SIGN_AGNOSTIC, op(Op::SDiv), |x| fold::signed_division(x, i64::wrapping_div);
    irem           [I, I] -> I,    SIGN_AGNOSTIC, op(Op::SRem), |x| fold::signed_division(x, i64::wrapping_rem);
    imod           [I, I] -> I,    SIGN_AGNOSTIC, op(Op::SMod), |x| fold::signed_division(x, fold::floored_remainder);
    udiv           [U, U] -> U,    , op(Op::UDiv), |x| x.u(0).checked_div(x.u(1)).unwrap_or(0);
    umod           [U, U] -> U,    , op(Op::UMod), |x| x.u(0).checked_rem(x.u(1)).unwrap_or(0);
    imin           [I, I] -> I,    COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, Ext(GLOp::SMin),
        |x| x.i(0).min(x.i(1)) as u64;
    imax           [I, I] -> I,    COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, Ext(GLOp::SMax),
        |x| x.i(0).max(x.i(1)) as u64;
    umin           [U, U] -> U,    COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, Ext(GLOp::UMin),  |x| x.u(0).min(x.u(1));
    umax           [U, U] -> U,    COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, Ext(GLOp::UMax),  |x| x.u(0).max(x.u(1));
    iadd3          [I, I, I] -> I, COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, Lowered,
        |x| x.u(0).wrapping_add(x.u(1)).wrapping_add(x.u(2));
    imad           [I, I, I] -> I, COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, Lowered,
        |x| x.u(0).wrapping_mul(x.u(1)).wrapping_add(x.u(2));
    udiv_aligned_4 [U] -> U,       ,                                      Lowered,          |x| x.u(0) >> 2;
    iadd_sat       [I, I] -> I,    COMMUTATIVE, Lowered, |x| x.saturate_i(x.wide_i(0) + x.wide_i(1));
    isub_sat       [I, I] -> I,    , Lowered, |x| x.saturate_i(x.wide_i(0) - x.wide_i(1));
    uadd_sat       [U, U] -> U,    COMMUTATIVE, Lowered, |x| x.saturate_u(x.wide_u(0) + x.wide_u(1));
    usub_sat       [U, U] -> U,    ,                                      Lowered, |x| x.u(0).saturating_sub(x.u(1));
    uabs_isub      [I, I] -> U,    ,                                      Lowered,          |x| x.i(0).abs_diff(x.i(1));
    uabs_usub      [U, U] -> U,    ,                                      Lowered,          |x| x.u(0).abs_diff(x.u(1));
    ihadd          [I, I] -> I,    COMMUTATIVE, Lowered, |x| ((x.wide_i(0) + x.wide_i(1)) >> 1) as u64;
    irhadd         [I, I] -> I,    COMMUTATIVE, Lowered, |x| ((x.wide_i(0) + x.wide_i(1) + 1) >> 1) as u64;
    uhadd          [U, U] -> U,    COMMUTATIVE, Lowered, |x| ((x.wide_u(0) + x.wide_u(1)) >> 1) as u64;
    urhadd         [U, U] -> U,    COMMUTATIVE, Lowered, |x| ((x.wide_u(0) + x.wide_u(1) + 1) >> 1) as u64;

    // Parts of sums and products.
    uadd_carry     [U, U] -> U,            COMMUTATIVE,             Special,
        |x| u64::from(fold::mask(x.u(0).wrapping_add(x.u(1)), x.dest_bits) < x.u(0));
    usub_borrow    [U, U] -> U,            ,                        Special, |x| u64::from(x.u(0) < x.u(1));
    umul_high      [U, U] -> U,            COMMUTATIVE,             Special,
        |x| ((x.wide_u(0) * x.wide_u(1)) >> x.dest_bits) as u64;
    imul_high      [I, I] -> I,            COMMUTATIVE,             Special,
        |x| ((x.wide_i(0) * x.wide_i(1)) >> x.dest_bits) as u64;
    umul_low       [U32, U32] -> U32,      COMMUTATIVE, Lowered, |x| fold::mask(x.u(0), 16) * fold::mask(x.u(1), 16);
    umul_2x32_64   [U32, U32] -> U64,      COMMUTATIVE,             Lowered, |x| x.u(0) * x.u(1);
    imul_2x32_64   [I32, I32] -> I64,      COMMUTATIVE,             Lowered, |x| (x.i(0) * x.i(1)) as u64;
    umul_32x16     [U32, U32] -> U32,      ,                        Lowered, |x| x.u(0) * fold::mask(x.u(1), 16);
    imul_32x16     [I32, I32] -> I32,      , Lowered, |x| (x.i(0) * fold::sign_extend(x.u(1), 16)) as u64;
    umul24         [I32, I32] -> I32,      COMMUTATIVE|ASSOCIATIVE, Lowered,
        |x| fold::mask(x.u(0), 24) * fold::mask(x.u(1), 24);
    imul24         [I32, I32] -> I32,      COMMUTATIVE|ASSOCIATIVE, Lowered,
        |x| (fold::sign_extend(x.u(0), 24) * fold::sign_extend(x.u(1), 24)) as u64;
    umad24         [U32, U32, U32] -> U32, COMMUTATIVE,             Lowered,
        |x| fold::mask(x.u(0), 24) * fold::mask(x.u(1), 24) + x.u(2);
    umul24_relaxed [U32, U32] -> U32,      COMMUTATIVE|ASSOCIATIVE, Lowered, |x| x.u(0) * x.u(1);
    imul24_relaxed [I32, I32] -> I32,      COMMUTATIVE|ASSOCIATIVE, Lowered, |x| (x.i(0) * x.i(1)) as u64;
    umad24_relaxed [U32, U32, U32] -> U32, COMMUTATIVE, Lowered, |x| x.u(0).wrapping_mul(x.u(1)).wrapping_add(x.u(2));

    // Bits.
    inot             [I] -> I,               SIGN_AGNOSTIC, OpOrLogical(Op::Not, Op::LogicalNot), |x| !x.u(0);
    iand             [U, U] -> U,            COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, OpOrLogical(Op::BitwiseAnd, Op::LogicalAnd),
        |x| x.u(0) & x.u(1);
    ior              [U, U] -> U,            COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, OpOrLogical(Op::BitwiseOr, Op::LogicalOr),
        |x| x.u(0) | x.u(1);
    ixor             [U, U] -> U,            COMMUTATIVE|ASSOCIATIVE|SIGN_AGNOSTIC, OpOrLogical(Op::BitwiseXor, Op::LogicalNotEqual),
        |x| x.u(0) ^ x.u(1);
    ishl             [I, U32] -> I,          SIGN_AGNOSTIC, Shift(Op::ShiftLeftLogical), |x| x.u(0) << x.shift_count(1);
    ishr             [I, U32] -> I,          SIGN_AGNOSTIC,                         Shift(Op::ShiftRightArithmetic),
        |x| (x.i(0) >> x.shift_count(1)) as u64;
    ushr             [U, U32] -> U,          SIGN_AGNOSTIC,                         Shift(Op::ShiftRightLogical),
        |x| x.u(0) >> x.shift_count(1);
    urol             [U, U32] -> U,          , Lowered, |x| fold::rotate(x, x.u(1));
    uror             [U, U32] -> U,          , Lowered, |x| fold::rotate(x, x.u(1).wrapping_neg());
    shfr             [U32, U32, U32] -> U32, , Lowered, |x| (x.u(0) << 32 | x.u(1)) >> x.shift_count(2);
    bitfield_select  [U, U, U] -> U,         , Lowered, |x| x.u(0) & x.u(1) | !x.u(0) & x.u(2);
    bitfield_reverse [U32] -> U32,           SIGN_AGNOSTIC,                         op(Op::BitReverse),
        |x| u64::from((x.u(0) as u32).reverse_bits());
    bit_count        [U] -> U32,             SIGN_AGNOSTIC, op(Op::BitCount), |x| u64::from(x.u(0).count_ones());
    find_lsb         [I] -> I32,             SIGN_AGNOSTIC,                         Ext(GLOp::FindILsb),
        |x| if x.u(0) == 0 { u64::MAX } else { u64::from(x.u(0).trailing_zeros()) };
    ufind_msb        [U] -> I32,             SIGN_AGNOSTIC, Ext(GLOp::FindUMsb), |x| fold::find_msb(x.u(0));
    ifind_msb        [I32] -> I32,           SIGN_AGNOSTIC,                         Ext(GLOp::FindSMsb),
        |x| fold::find_msb((x.i(0) ^ x.i(0) >> 63) as u64);
    ufind_msb_rev    [U] -> I32,             , Lowered, |x| fold::from_top(x, fold::find_msb(x.u(0)));
    ifind_msb_rev    [I32] -> I32,           ,                                      Lowered,
        |x| fold::from_top(x, fold::find_msb((x.i(0) ^ x.i(0) >> 63) as u64));
    uclz             [U32] -> U32,           , Lowered, |x| 31u64.wrapping_sub(fold::find_msb(x.u(0)));

    // Bit fields.
    bitfield_insert   [U32, U32, I32, I32] -> U32, SIGN_AGNOSTIC, op(Op::BitFieldInsert),   fold::bitfield_insert;
    ubitfield_extract [U32, I32, I32] -> U32,      SIGN_AGNOSTIC, op(Op::BitFieldUExtract),
        |x| fold::bitfield_extract(x, fold::mask);
    ibitfield_extract [I32, I32, I32] -> I32,      SIGN_AGNOSTIC, op(Op::BitFieldSExtract),
        |x| fold::bitfield_extract(x, |v, n| fold::sign_extend(v, n) as u64);
    bfm               [I32, I32] -> U32,           ,              Lowered,
        |x| fold::mask(u64::MAX, x.u(0) as u8 & 31) << x.shift_count(1);
    bfi               [U32, U32, U32] -> U32,      ,              Lowered,                  fold::bfi;
    ubfe              [U32, U32, U32] -> U32,      ,              Lowered, |x| fold::bfe(x, fold::mask);
    ibfe              [I32, U32, U32] -> I32,      , Lowered, |x| fold::bfe(x, |v, n| fold::sign_extend(v, n) as u64);
    extract_u8        [U, U] -> U,                 ,              Lowered, |x| fold::mask(fold::part(x, 8), 8);
    extract_i8        [I, I] -> I,                 , Lowered, |x| fold::sign_extend(fold::part(x, 8), 8) as u64;
    extract_u16       [U, U] -> U,                 ,              Lowered, |x| fold::mask(fold::part(x, 16), 16);
    extract_i16       [I, I] -> I,                 , Lowered, |x| fold::sign_extend(fold::part(x, 16), 16) as u64;
    insert_u8         [U, U] -> U,                 , Lowered, |x| fold::mask(x.u(0), 8) << fold::part_shift(x, 8);
    insert_u16        [U, U] -> U,                 , Lowered, |x| fold::mask(x.u(0), 16) << fold::part_shift(x, 16);

    // Comparisons. SPIR-V's Ordered and Unordered are for kernels only, hence `ford` and `funord` are lowered.
    flt       [F, F] -> B1,   ,                          op(Op::FOrdLessThan), |x| x.bool(x.f(0) < x.f(1));
    fge       [F, F] -> B1,   ,                          op(Op::FOrdGreaterThanEqual), |x| x.bool(x.f(0) >= x.f(1));
    feq       [F, F] -> B1,   COMMUTATIVE,               op(Op::FOrdEqual), |x| x.bool(x.f(0) == x.f(1));
    fneu      [F, F] -> B1,   COMMUTATIVE,               op(Op::FUnordNotEqual), |x| x.bool(x.f(0) != x.f(1));
    fltu      [F, F] -> B1,   , op(Op::FUnordLessThan), |x| x.bool(fold::unordered(x) || x.f(0) < x.f(1));
    fgeu      [F, F] -> B1,   , op(Op::FUnordGreaterThanEqual), |x| x.bool(fold::unordered(x) || x.f(0) >= x.f(1));
    fequ      [F, F] -> B1,   COMMUTATIVE, op(Op::FUnordEqual), |x| x.bool(fold::unordered(x) || x.f(0) == x.f(1));
    fneo      [F, F] -> B1,   COMMUTATIVE, op(Op::FOrdNotEqual), |x| x.bool(!fold::unordered(x) && x.f(0) != x.f(1));
    funord    [F, F] -> B1,   COMMUTATIVE,               Lowered, |x| x.bool(fold::unordered(x));
    ford      [F, F] -> B1,   COMMUTATIVE,               Lowered, |x| x.bool(!fold::unordered(x));
    ilt       [I, I] -> B1,   SIGN_AGNOSTIC,             op(Op::SLessThan), |x| x.bool(x.i(0) < x.i(1));
    ige       [I, I] -> B1,   SIGN_AGNOSTIC,             op(Op::SGreaterThanEqual), |x| x.bool(x.i(0) >= x.i(1));
    ult       [U, U] -> B1,   SIGN_AGNOSTIC,             op(Op::ULessThan), |x| x.bool(x.u(0) < x.u(1));
    uge       [U, U] -> B1,   SIGN_AGNOSTIC,             op(Op::UGreaterThanEqual), |x| x.bool(x.u(0) >= x.u(1));
    ieq       [I, I] -> B1,   COMMUTATIVE|SIGN_AGNOSTIC, OpOrLogical(Op::IEqual, Op::LogicalEqual),
        |x| x.bool(x.u(0) == x.u(1));
    ine       [I, I] -> B1,   COMMUTATIVE|SIGN_AGNOSTIC, OpOrLogical(Op::INotEqual, Op::LogicalNotEqual),
        |x| x.bool(x.u(0) != x.u(1));
    bitnz     [U, U32] -> B1, ,                          Lowered, |x| x.bool(fold::bit(x));
    bitz      [U, U32] -> B1, ,                          Lowered, |x| x.bool(!fold::bit(x));
    fisfinite [F] -> B1,      ,                          Lowered, |x| x.bool(x.f(0).is_finite());
    fisnormal [F] -> B1,      ,                          Lowered, |x| x.bool(fold::is_normal(x.f(0), x.src_bits[0]));

    // Comparisons with 8-bit booleans, from drivers without 1-bit ones.
    flt8    [F, F] -> B8,   ,            Lowered, |x| x.bool(x.f(0) < x.f(1));
    fge8    [F, F] -> B8,   ,            Lowered, |x| x.bool(x.f(0) >= x.f(1));
    feq8    [F, F] -> B8,   COMMUTATIVE, Lowered, |x| x.bool(x.f(0) == x.f(1));
    fneu8   [F, F] -> B8,   COMMUTATIVE, Lowered, |x| x.bool(x.f(0) != x.f(1));
    fltu8   [F, F] -> B8,   ,            Lowered, |x| x.bool(fold::unordered(x) || x.f(0) < x.f(1));
    fgeu8   [F, F] -> B8,   ,            Lowered, |x| x.bool(fold::unordered(x) || x.f(0) >= x.f(1));
    fequ8   [F, F] -> B8,   COMMUTATIVE, Lowered, |x| x.bool(fold::unordered(x) || x.f(0) == x.f(1));
    fneo8   [F, F] -> B8,   COMMUTATIVE, Lowered, |x| x.bool(!fold::unordered(x) && x.f(0) != x.f(1));
    funord8 [F, F] -> B8,   COMMUTATIVE, Lowered, |x| x.bool(fold::unordered(x));
    ford8   [F, F] -> B8,   COMMUTATIVE, Lowered, |x| x.bool(!fold::unordered(x));
    ilt8    [I, I] -> B8,   ,            Lowered, |x| x.bool(x.i(0) < x.i(1));
    ige8    [I, I] -> B8,   ,            Lowered, |x| x.bool(x.i(0) >= x.i(1));
    ult8    [U, U] -> B8,   ,            Lowered, |x| x.bool(x.u(0) < x.u(1));
    uge8    [U, U] -> B8,   ,            Lowered, |x| x.bool(x.u(0) >= x.u(1));
    ieq8    [I, I] -> B8,   COMMUTATIVE, Lowered, |x| x.bool(x.u(0) == x.u(1));
    ine8    [I, I] -> B8,   COMMUTATIVE, Lowered, |x| x.bool(x.u(0) != x.u(1));
    bitnz8  [U, U32] -> B8, ,            Lowered, |x| x.bool(fold::bit(x));
    bitz8   [U, U32] -> B8, ,            Lowered, |x| x.bool(!fold::bit(x));

    // Comparisons with 16-bit booleans, from drivers without 1-bit ones.
    flt16    [F, F] -> B16,   ,            Lowered, |x| x.bool(x.f(0) < x.f(1));
    fge16    [F, F] -> B16,   ,            Lowered, |x| x.bool(x.f(0) >= x.f(1));
    feq16    [F, F] -> B16,   COMMUTATIVE, Lowered, |x| x.bool(x.f(0) == x.f(1));
    fneu16   [F, F] -> B16,   COMMUTATIVE, Lowered, |x| x.bool(x.f(0) != x.f(1));
    fltu16   [F, F] -> B16,   ,            Lowered, |x| x.bool(fold::unordered(x) || x.f(0) < x.f(1));
    fgeu16   [F, F] -> B16,   ,            Lowered, |x| x.bool(fold::unordered(x) || x.f(0) >= x.f(1));
    fequ16   [F, F] -> B16,   COMMUTATIVE, Lowered, |x| x.bool(fold::unordered(x) || x.f(0) == x.f(1));
    fneo16   [F, F] -> B16,   COMMUTATIVE, Lowered, |x| x.bool(!fold::unordered(x) && x.f(0) != x.f(1));
    funord16 [F, F] -> B16,   COMMUTATIVE, Lowered, |x| x.bool(fold::unordered(x));
    ford16   [F, F] -> B16,   COMMUTATIVE, Lowered, |x| x.bool(!fold::unordered(x));
    ilt16    [I, I] -> B16,   ,            Lowered, |x| x.bool(x.i(0) < x.i(1));
    ige16    [I, I] -> B16,   ,            Lowered, |x| x.bool(x.i(0) >= x.i(1));
    ult16    [U, U] -> B16,   ,            Lowered, |x| x.bool(x.u(0) < x.u(1));
    uge16    [U, U] -> B16,   ,            Lowered, |x| x.bool(x.u(0) >= x.u(1));
    ieq16    [I, I] -> B16,   COMMUTATIVE, Lowered, |x| x.bool(x.u(0) == x.u(1));
    ine16    [I, I] -> B16,   COMMUTATIVE, Lowered, |x| x.bool(x.u(0) != x.u(1));
    bitnz16  [U, U32] -> B16, ,            Lowered, |x| x.bool(fold::bit(x));
    bitz16   [U, U32] -> B16, ,            Lowered, |x| x.bool(!fold::bit(x));

    // Comparisons with 32-bit booleans, from drivers without 1-bit ones.
    flt32       [F, F] -> B32,   ,            Lowered, |x| x.bool(x.f(0) < x.f(1));
    fge32       [F, F] -> B32,   ,            Lowered, |x| x.bool(x.f(0) >= x.f(1));
    feq32       [F, F] -> B32,   COMMUTATIVE, Lowered, |x| x.bool(x.f(0) == x.f(1));
    fneu32      [F, F] -> B32,   COMMUTATIVE, Lowered, |x| x.bool(x.f(0) != x.f(1));
    fltu32      [F, F] -> B32,   ,            Lowered, |x| x.bool(fold::unordered(x) || x.f(0) < x.f(1));
    fgeu32      [F, F] -> B32,   ,            Lowered, |x| x.bool(fold::unordered(x) || x.f(0) >= x.f(1));
    fequ32      [F, F] -> B32,   COMMUTATIVE, Lowered, |x| x.bool(fold::unordered(x) || x.f(0) == x.f(1));
    fneo32      [F, F] -> B32,   COMMUTATIVE, Lowered, |x| x.bool(!fold::unordered(x) && x.f(0) != x.f(1));
    funord32    [F, F] -> B32,   COMMUTATIVE, Lowered, |x| x.bool(fold::unordered(x));
    ford32      [F, F] -> B32,   COMMUTATIVE, Lowered, |x| x.bool(!fold::unordered(x));
    ilt32       [I, I] -> B32,   ,            Lowered, |x| x.bool(x.i(0) < x.i(1));
    ige32       [I, I] -> B32,   ,            Lowered, |x| x.bool(x.i(0) >= x.i(1));
    ult32       [U, U] -> B32,   ,            Lowered, |x| x.bool(x.u(0) < x.u(1));
    uge32       [U, U] -> B32,   ,            Lowered, |x| x.bool(x.u(0) >= x.u(1));
    ieq32       [I, I] -> B32,   COMMUTATIVE, Lowered, |x| x.bool(x.u(0) == x.u(1));
    ine32       [I, I] -> B32,   COMMUTATIVE, Lowered, |x| x.bool(x.u(0) != x.u(1));
    bitnz32     [U, U32] -> B32, ,            Lowered, |x| x.bool(fold::bit(x));
    bitz32      [U, U32] -> B32, ,            Lowered, |x| x.bool(!fold::bit(x));
    fisfinite32 [F] -> B32,      ,            Lowered, |x| x.bool(x.f(0).is_finite());

    // Comparisons for hardware without booleans or integers.
    slt        [F, F] -> F,            ,            Lowered, |x| x.one_if(x.f(0) < x.f(1));
    sge        [F, F] -> F,            ,            Lowered, |x| x.one_if(x.f(0) >= x.f(1));
    seq        [F, F] -> F,            COMMUTATIVE, Lowered, |x| x.one_if(x.f(0) == x.f(1));
    sne        [F, F] -> F,            COMMUTATIVE, Lowered, |x| x.one_if(x.f(0) != x.f(1));
    fcsel      [F32, F32, F32] -> F32, ,            Lowered, |x| if x.f(0) != 0.0 { x.u(1) } else { x.u(2) };
    fcsel_gt   [F32, F32, F32] -> F32, ,            Lowered, |x| if x.f(0) > 0.0 { x.u(1) } else { x.u(2) };
    fcsel_ge   [F32, F32, F32] -> F32, ,            Lowered, |x| if x.f(0) >= 0.0 { x.u(1) } else { x.u(2) };
    icsel_eqz  [I, I, I] -> I,         ,            Lowered, |x| if x.u(0) == 0 { x.u(1) } else { x.u(2) };
    i32csel_gt [I32, I32, I32] -> I32, ,            Lowered, |x| if x.i(0) > 0 { x.u(1) } else { x.u(2) };
    i32csel_ge [I32, I32, I32] -> I32, ,            Lowered, |x| if x.i(0) >= 0 { x.u(1) } else { x.u(2) };

    // Dot products and sums of components.
    fdot2             [F.of(2), F.of(2)] -> F.of(1),   COMMUTATIVE|IMPRECISE, op(Op::Dot), fold::dot;
    fdot3             [F.of(3), F.of(3)] -> F.of(1),   COMMUTATIVE|IMPRECISE, op(Op::Dot), fold::dot;
    fdot4             [F.of(4), F.of(4)] -> F.of(1),   COMMUTATIVE|IMPRECISE, op(Op::Dot), fold::dot;
    fdot5             [F.of(5), F.of(5)] -> F.of(1),   COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdot8             [F.of(8), F.of(8)] -> F.of(1),   COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdot16            [F.of(16), F.of(16)] -> F.of(1), COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdot2_replicated  [F.of(2), F.of(2)] -> F,         COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdot3_replicated  [F.of(3), F.of(3)] -> F,         COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdot4_replicated  [F.of(4), F.of(4)] -> F,         COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdot5_replicated  [F.of(5), F.of(5)] -> F,         COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdot8_replicated  [F.of(8), F.of(8)] -> F,         COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdot16_replicated [F.of(16), F.of(16)] -> F,       COMMUTATIVE|IMPRECISE, Lowered,     fold::dot;
    fdph              [F.of(3), F.of(4)] -> F.of(1),   IMPRECISE,             Lowered,     fold::dph;
    fdph_replicated   [F.of(3), F.of(4)] -> F,         IMPRECISE,             Lowered,     fold::dph;
    fsum2             [F.of(2)] -> F.of(1),            IMPRECISE,             Lowered,     fold::sum;
    fsum3             [F.of(3)] -> F.of(1),            IMPRECISE,             Lowered,     fold::sum;
    fsum4             [F.of(4)] -> F.of(1),            IMPRECISE,             Lowered,     fold::sum;

    // Comparisons of whole vectors.
    ball_fequal2   [F.of(2), F.of(2)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    ball_fequal3   [F.of(3), F.of(3)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    ball_fequal4   [F.of(4), F.of(4)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    ball_fequal5   [F.of(5), F.of(5)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    ball_fequal8   [F.of(8), F.of(8)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    ball_fequal16  [F.of(16), F.of(16)] -> B1.of(1), COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    bany_fnequal2  [F.of(2), F.of(2)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    bany_fnequal3  [F.of(3), F.of(3)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    bany_fnequal4  [F.of(4), F.of(4)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    bany_fnequal5  [F.of(5), F.of(5)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    bany_fnequal8  [F.of(8), F.of(8)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    bany_fnequal16 [F.of(16), F.of(16)] -> B1.of(1), COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    ball_iequal2   [I.of(2), I.of(2)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    ball_iequal3   [I.of(3), I.of(3)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    ball_iequal4   [I.of(4), I.of(4)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    ball_iequal5   [I.of(5), I.of(5)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    ball_iequal8   [I.of(8), I.of(8)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    ball_iequal16  [I.of(16), I.of(16)] -> B1.of(1), COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    bany_inequal2  [I.of(2), I.of(2)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    bany_inequal3  [I.of(3), I.of(3)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    bany_inequal4  [I.of(4), I.of(4)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    bany_inequal5  [I.of(5), I.of(5)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    bany_inequal8  [I.of(8), I.of(8)] -> B1.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    bany_inequal16 [I.of(16), I.of(16)] -> B1.of(1), COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);

    // Comparisons of whole vectors with 8-bit booleans.
    b8all_fequal2   [F.of(2), F.of(2)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b8all_fequal3   [F.of(3), F.of(3)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b8all_fequal4   [F.of(4), F.of(4)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b8all_fequal5   [F.of(5), F.of(5)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b8all_fequal8   [F.of(8), F.of(8)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b8all_fequal16  [F.of(16), F.of(16)] -> B8.of(1), COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b8any_fnequal2  [F.of(2), F.of(2)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b8any_fnequal3  [F.of(3), F.of(3)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b8any_fnequal4  [F.of(4), F.of(4)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b8any_fnequal5  [F.of(5), F.of(5)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b8any_fnequal8  [F.of(8), F.of(8)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b8any_fnequal16 [F.of(16), F.of(16)] -> B8.of(1), COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b8all_iequal2   [I.of(2), I.of(2)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b8all_iequal3   [I.of(3), I.of(3)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b8all_iequal4   [I.of(4), I.of(4)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b8all_iequal5   [I.of(5), I.of(5)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b8all_iequal8   [I.of(8), I.of(8)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b8all_iequal16  [I.of(16), I.of(16)] -> B8.of(1), COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b8any_inequal2  [I.of(2), I.of(2)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b8any_inequal3  [I.of(3), I.of(3)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b8any_inequal4  [I.of(4), I.of(4)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b8any_inequal5  [I.of(5), I.of(5)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b8any_inequal8  [I.of(8), I.of(8)] -> B8.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b8any_inequal16 [I.of(16), I.of(16)] -> B8.of(1), COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);

    // Comparisons of whole vectors with 16-bit booleans.
    b16all_fequal2   [F.of(2), F.of(2)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b16all_fequal3   [F.of(3), F.of(3)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b16all_fequal4   [F.of(4), F.of(4)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b16all_fequal5   [F.of(5), F.of(5)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b16all_fequal8   [F.of(8), F.of(8)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b16all_fequal16  [F.of(16), F.of(16)] -> B16.of(1), COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b16any_fnequal2  [F.of(2), F.of(2)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b16any_fnequal3  [F.of(3), F.of(3)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b16any_fnequal4  [F.of(4), F.of(4)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b16any_fnequal5  [F.of(5), F.of(5)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b16any_fnequal8  [F.of(8), F.of(8)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b16any_fnequal16 [F.of(16), F.of(16)] -> B16.of(1), COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b16all_iequal2   [I.of(2), I.of(2)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b16all_iequal3   [I.of(3), I.of(3)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b16all_iequal4   [I.of(4), I.of(4)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b16all_iequal5   [I.of(5), I.of(5)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b16all_iequal8   [I.of(8), I.of(8)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b16all_iequal16  [I.of(16), I.of(16)] -> B16.of(1), COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b16any_inequal2  [I.of(2), I.of(2)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b16any_inequal3  [I.of(3), I.of(3)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b16any_inequal4  [I.of(4), I.of(4)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b16any_inequal5  [I.of(5), I.of(5)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b16any_inequal8  [I.of(8), I.of(8)] -> B16.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b16any_inequal16 [I.of(16), I.of(16)] -> B16.of(1), COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);

    // Comparisons of whole vectors with 32-bit booleans.
    b32all_fequal2   [F.of(2), F.of(2)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b32all_fequal3   [F.of(3), F.of(3)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b32all_fequal4   [F.of(4), F.of(4)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b32all_fequal5   [F.of(5), F.of(5)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b32all_fequal8   [F.of(8), F.of(8)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b32all_fequal16  [F.of(16), F.of(16)] -> B32.of(1), COMMUTATIVE, Lowered, |x| x.bool(fold::all_fequal(x));
    b32any_fnequal2  [F.of(2), F.of(2)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b32any_fnequal3  [F.of(3), F.of(3)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b32any_fnequal4  [F.of(4), F.of(4)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b32any_fnequal5  [F.of(5), F.of(5)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b32any_fnequal8  [F.of(8), F.of(8)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b32any_fnequal16 [F.of(16), F.of(16)] -> B32.of(1), COMMUTATIVE, Lowered, |x| x.bool(!fold::all_fequal(x));
    b32all_iequal2   [I.of(2), I.of(2)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b32all_iequal3   [I.of(3), I.of(3)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b32all_iequal4   [I.of(4), I.of(4)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b32all_iequal5   [I.of(5), I.of(5)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b32all_iequal8   [I.of(8), I.of(8)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b32all_iequal16  [I.of(16), I.of(16)] -> B32.of(1), COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] == x.srcs[1]);
    b32any_inequal2  [I.of(2), I.of(2)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b32any_inequal3  [I.of(3), I.of(3)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b32any_inequal4  [I.of(4), I.of(4)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b32any_inequal5  [I.of(5), I.of(5)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b32any_inequal8  [I.of(8), I.of(8)] -> B32.of(1),   COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);
    b32any_inequal16 [I.of(16), I.of(16)] -> B32.of(1), COMMUTATIVE, Lowered, |x| x.bool(x.srcs[0] != x.srcs[1]);

    // Comparisons of whole vectors for hardware without booleans.
    fall_equal2   [F32.of(2), F32.of(2)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(fold::all_fequal(x));
    fall_equal3   [F32.of(3), F32.of(3)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(fold::all_fequal(x));
    fall_equal4   [F32.of(4), F32.of(4)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(fold::all_fequal(x));
    fall_equal5   [F32.of(5), F32.of(5)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(fold::all_fequal(x));
    fall_equal8   [F32.of(8), F32.of(8)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(fold::all_fequal(x));
    fall_equal16  [F32.of(16), F32.of(16)] -> F32.of(1), COMMUTATIVE, Lowered, |x| x.one_if(fold::all_fequal(x));
    fany_nequal2  [F32.of(2), F32.of(2)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(!fold::all_fequal(x));
    fany_nequal3  [F32.of(3), F32.of(3)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(!fold::all_fequal(x));
    fany_nequal4  [F32.of(4), F32.of(4)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(!fold::all_fequal(x));
    fany_nequal5  [F32.of(5), F32.of(5)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(!fold::all_fequal(x));
    fany_nequal8  [F32.of(8), F32.of(8)] -> F32.of(1),   COMMUTATIVE, Lowered, |x| x.one_if(!fold::all_fequal(x));
    fany_nequal16 [F32.of(16), F32.of(16)] -> F32.of(1), COMMUTATIVE, Lowered, |x| x.one_if(!fold::all_fequal(x));

    // Conversions. A float out of an integer's range gives the nearest integer and NaN gives 0; NIR and SPIR-V
    // leave both undefined.
    f2f16      [F] -> F16, CONVERSION,               op(Op::FConvert),    fold::float_to_float;
    f2f32      [F] -> F32, CONVERSION,               op(Op::FConvert),    fold::float_to_float;
    f2f64      [F] -> F64, CONVERSION,               op(Op::FConvert),    fold::float_to_float;
    f2f16_rtne [F] -> F16, CONVERSION,               op(Op::FConvert),    fold::float_to_float;
    f2f16_rtz  [F] -> F16, CONVERSION,               Lowered,             |x| fold::to_half_rtz(x.f(0));
    f2i1       [F] -> I1,  CONVERSION,               Lowered,             fold::float_to_int;
    f2i8       [F] -> I8,  CONVERSION,               op(Op::ConvertFToS), fold::float_to_int;
    f2i16      [F] -> I16, CONVERSION,               op(Op::ConvertFToS), fold::float_to_int;
    f2i32      [F] -> I32, CONVERSION,               op(Op::ConvertFToS), fold::float_to_int;
    f2i64      [F] -> I64, CONVERSION,               op(Op::ConvertFToS), fold::float_to_int;
    f2u1       [F] -> U1,  CONVERSION,               Lowered,             fold::float_to_uint;
    f2u8       [F] -> U8,  CONVERSION,               op(Op::ConvertFToU), fold::float_to_uint;
    f2u16      [F] -> U16, CONVERSION,               op(Op::ConvertFToU), fold::float_to_uint;
    f2u32      [F] -> U32, CONVERSION,               op(Op::ConvertFToU), fold::float_to_uint;
    f2u64      [F] -> U64, CONVERSION,               op(Op::ConvertFToU), fold::float_to_uint;
    i2f16      [I] -> F16, CONVERSION|SIGN_AGNOSTIC, op(Op::ConvertSToF),
        |x| fold::int_to_float(x.wide_i(0), x.dest_bits);
    i2f32      [I] -> F32, CONVERSION|SIGN_AGNOSTIC, op(Op::ConvertSToF),
        |x| fold::int_to_float(x.wide_i(0), x.dest_bits);
    i2f64      [I] -> F64, CONVERSION|SIGN_AGNOSTIC, op(Op::ConvertSToF),
        |x| fold::int_to_float(x.wide_i(0), x.dest_bits);
    u2f16      [U] -> F16, CONVERSION|SIGN_AGNOSTIC, op(Op::ConvertUToF),
        |x| fold::int_to_float(x.wide_u(0) as i128, x.dest_bits);
    u2f32      [U] -> F32, CONVERSION|SIGN_AGNOSTIC, op(Op::ConvertUToF),
        |x| fold::int_to_float(x.wide_u(0) as i128, x.dest_bits);
    u2f64      [U] -> F64, CONVERSION|SIGN_AGNOSTIC, op(Op::ConvertUToF),
        |x| fold::int_to_float(x.wide_u(0) as i128, x.dest_bits);
    i2i1       [I] -> I1,  CONVERSION|SIGN_AGNOSTIC, Lowered,             |x| x.i(0) as u64;
    i2i8       [I] -> I8,  CONVERSION|SIGN_AGNOSTIC, op(Op::SConvert),    |x| x.i(0) as u64;
    i2i16      [I] -> I16, CONVERSION|SIGN_AGNOSTIC, op(Op::SConvert),    |x| x.i(0) as u64;
    i2i32      [I] -> I32, CONVERSION|SIGN_AGNOSTIC, op(Op::SConvert),    |x| x.i(0) as u64;
    i2i64      [I] -> I64, CONVERSION|SIGN_AGNOSTIC, op(Op::SConvert),    |x| x.i(0) as u64;
    u2u1       [U] -> U1,  CONVERSION|SIGN_AGNOSTIC, Lowered,             |x| x.u(0);
    u2u8       [U] -> U8,  CONVERSION|SIGN_AGNOSTIC, op(Op::UConvert),    |x| x.u(0);
    u2u16      [U] -> U16, CONVERSION|SIGN_AGNOSTIC, op(Op::UConvert),    |x| x.u(0);
    u2u32      [U] -> U32, CONVERSION|SIGN_AGNOSTIC, op(Op::UConvert),    |x| x.u(0);
    u2u64      [U] -> U64, CONVERSION|SIGN_AGNOSTIC, op(Op::UConvert),    |x| x.u(0);
    b2f16      [B] -> F16, CONVERSION,               SelectOne,           |x| x.one_if(x.u(0) != 0);
    b2f32      [B] -> F32, CONVERSION,               SelectOne,           |x| x.one_if(x.u(0) != 0);
    b2f64      [B] -> F64, CONVERSION,               SelectOne,           |x| x.one_if(x.u(0) != 0);
    b2i1       [B] -> I1,  CONVERSION,               Lowered,             |x| u64::from(x.u(0) != 0);
    b2i8       [B] -> I8,  CONVERSION,               SelectOne,           |x| u64::from(x.u(0) != 0);
    b2i16      [B] -> I16, CONVERSION,               SelectOne,           |x| u64::from(x.u(0) != 0);
    b2i32      [B] -> I32, CONVERSION,               SelectOne,           |x| u64::from(x.u(0) != 0);
    b2i64      [B] -> I64, CONVERSION,               SelectOne,           |x| u64::from(x.u(0) != 0);
    b2b1       [B] -> B1,  CONVERSION,               Lowered,             |x| x.bool(x.u(0) != 0);
    b2b8       [B] -> B8,  CONVERSION,               Lowered,             |x| x.bool(x.u(0) != 0);
    b2b16      [B] -> B16, CONVERSION,               Lowered,             |x| x.bool(x.u(0) != 0);
    b2b32      [B] -> B32, CONVERSION,               Lowered,             |x| x.bool(x.u(0) != 0);

    // Conversions of mediump values, which may be omitted if the result is converted directly back to 32 bits.
    f2fmp [F32] -> F16, CONVERSION, op(Op::FConvert),    |x| x.round(x.f(0));
    i2imp [I32] -> I16, CONVERSION, op(Op::SConvert),    |x| x.u(0);
    f2imp [F32] -> I16, CONVERSION, op(Op::ConvertFToS), fold::float_to_int;
    f2ump [F32] -> U16, CONVERSION, op(Op::ConvertFToU), fold::float_to_uint;
    i2fmp [I32] -> F16, CONVERSION, op(Op::ConvertSToF), |x| fold::int_to_float(x.wide_i(0), x.dest_bits);
    u2fmp [U32] -> F16, CONVERSION, op(Op::ConvertUToF), |x| fold::int_to_float(x.wide_u(0) as i128, x.dest_bits);

    // Vectors of narrow integers as one wide integer.
    pack_32_4x8            [U8.of(4)] -> U32.of(1),  , Bitcast, fold::pack_vector;
    pack_32_2x16           [U16.of(2)] -> U32.of(1), , Bitcast, fold::pack_vector;
    pack_64_2x32           [U32.of(2)] -> U64.of(1), , Bitcast, fold::pack_vector;
    pack_64_4x16           [U16.of(4)] -> U64.of(1), , Bitcast, fold::pack_vector;
    unpack_32_4x8          [U32.of(1)] -> U8.of(4),  , Bitcast, |x| fold::unpack(x, 8);
    unpack_32_2x16         [U32.of(1)] -> U16.of(2), , Bitcast, |x| fold::unpack(x, 16);
    unpack_64_2x32         [U64.of(1)] -> U32.of(2), , Bitcast, |x| fold::unpack(x, 32);
    unpack_64_4x16         [U64.of(1)] -> U16.of(4), , Bitcast, |x| fold::unpack(x, 16);
    pack_32_4x8_split      [U8, U8, U8, U8] -> U32,  , Lowered, fold::pack_split;
    pack_32_2x16_split     [U16, U16] -> U32,        , Lowered, fold::pack_split;
    pack_64_2x32_split     [U32, U32] -> U64,        , Lowered, fold::pack_split;
    unpack_32_2x16_split_x [U32] -> U16,             , Lowered, |x| x.u(0);
    unpack_32_2x16_split_y [U32] -> U16,             , Lowered, |x| x.u(0) >> 16;
    unpack_64_2x32_split_x [U64] -> U32,             , Lowered, |x| x.u(0);
    unpack_64_2x32_split_y [U64] -> U32,             , Lowered, |x| x.u(0) >> 32;

    // Vectors of numbers as one integer.
    pack_half_2x16           [F32.of(2)] -> U32.of(1),            IMPRECISE, Ext(GLOp::PackHalf2x16),
        |x| fold::pack_floats(x, 16, |v| fold::from_float(v, 16));
    pack_unorm_2x16          [F.of(2)] -> U32.of(1),              IMPRECISE, Ext(GLOp::PackUnorm2x16),
        |x| fold::pack_floats(x, 16, |v| fold::unorm(v, 65535.0));
    pack_snorm_2x16          [F.of(2)] -> U32.of(1),              IMPRECISE, Ext(GLOp::PackSnorm2x16),
        |x| fold::pack_floats(x, 16, |v| fold::snorm(v, 32767.0));
    pack_unorm_4x8           [F32.of(4)] -> U32.of(1),            IMPRECISE, Ext(GLOp::PackUnorm4x8),
        |x| fold::pack_floats(x, 8, |v| fold::unorm(v, 255.0));
    pack_snorm_4x8           [F32.of(4)] -> U32.of(1),            IMPRECISE, Ext(GLOp::PackSnorm4x8),
        |x| fold::pack_floats(x, 8, |v| fold::snorm(v, 127.0));
    unpack_half_2x16         [U32.of(1)] -> F32.of(2),            IMPRECISE, Ext(GLOp::UnpackHalf2x16),
        |x| x.round(fold::to_float(fold::unpack(x, 16), 16));
    unpack_unorm_2x16        [U32.of(1)] -> F32.of(2),            IMPRECISE, Ext(GLOp::UnpackUnorm2x16),
        |x| x.round(fold::unpack(x, 16) as f64 / 65535.0);
    unpack_snorm_2x16        [U32.of(1)] -> F32.of(2),            IMPRECISE, Ext(GLOp::UnpackSnorm2x16),
        |x| x.round(fold::unpack_snorm(x, 16, 32767.0));
    unpack_unorm_4x8         [U32.of(1)] -> F32.of(4),            IMPRECISE, Ext(GLOp::UnpackUnorm4x8),
        |x| x.round(fold::unpack(x, 8) as f64 / 255.0);
    unpack_snorm_4x8         [U32.of(1)] -> F32.of(4),            IMPRECISE, Ext(GLOp::UnpackSnorm4x8),
        |x| x.round(fold::unpack_snorm(x, 8, 127.0));
    pack_half_2x16_split     [F32.of(1), F32.of(1)] -> U32.of(1), IMPRECISE, Lowered,
        |x| fold::pack_split_floats(x, |v| fold::from_float(v, 16));
    pack_half_2x16_rtz_split [F32.of(1), F32.of(1)] -> U32.of(1), IMPRECISE, Lowered,
        |x| fold::pack_split_floats(x, fold::to_half_rtz);
    unpack_half_2x16_split_x [U32] -> F32,                        IMPRECISE, Lowered,
        |x| x.round(fold::to_float(fold::mask(x.u(0), 16), 16));
    unpack_half_2x16_split_y [U32] -> F32,                        IMPRECISE, Lowered,
        |x| x.round(fold::to_float(x.u(0) >> 16, 16));
    pack_uint_2x16           [U32.of(2)] -> U32.of(1),            ,          Lowered,
        |x| x.u_at(0, 0).min(0xffff) | x.u_at(0, 1).min(0xffff) << 16;
    pack_sint_2x16           [I32.of(2)] -> I32.of(1),            ,          Lowered,                    fold::pack_sint_2x16;
    pack_uvec2_to_uint       [U32.of(2)] -> U32.of(1),            ,          Lowered,
        |x| fold::mask(x.u_at(0, 0), 16) | x.u_at(0, 1) << 16;
    pack_uvec4_to_uint       [U32.of(4)] -> U32.of(1),            ,          Lowered,
        |x| (0..4).fold(0, |all, c| all | x.u_at(0, c) << (8 * c));

    // Dot products of integer vectors in 32 bits.
    sdot_4x8_iadd      [U32, U32, I32] -> I32, COMMUTATIVE, Lowered,
        |x| (fold::packed_dot(x, 8, true, true) + x.wide_i(2)) as u64;
    udot_4x8_uadd      [U32, U32, U32] -> U32, COMMUTATIVE, Lowered,
        |x| (fold::packed_dot(x, 8, false, false) + x.wide_i(2)) as u64;
    sudot_4x8_iadd     [U32, U32, I32] -> I32, ,            Lowered,
        |x| (fold::packed_dot(x, 8, true, false) + x.wide_i(2)) as u64;
    sdot_2x16_iadd     [U32, U32, I32] -> I32, COMMUTATIVE, Lowered,
        |x| (fold::packed_dot(x, 16, true, true) + x.wide_i(2)) as u64;
    udot_2x16_uadd     [U32, U32, U32] -> U32, COMMUTATIVE, Lowered,
        |x| (fold::packed_dot(x, 16, false, false) + x.wide_i(2)) as u64;
    sdot_4x8_iadd_sat  [U32, U32, I32] -> I32, COMMUTATIVE, Lowered,
        |x| x.saturate_i(fold::packed_dot(x, 8, true, true) + x.wide_i(2));
    udot_4x8_uadd_sat  [U32, U32, I32] -> I32, COMMUTATIVE, Lowered,
        |x| x.saturate_u(fold::packed_dot(x, 8, false, false) as u128 + x.wide_u(2));
    sudot_4x8_iadd_sat [U32, U32, I32] -> I32, ,            Lowered,
        |x| x.saturate_i(fold::packed_dot(x, 8, true, false) + x.wide_i(2));
    sdot_2x16_iadd_sat [U32, U32, I32] -> I32, COMMUTATIVE, Lowered,
        |x| x.saturate_i(fold::packed_dot(x, 16, true, true) + x.wide_i(2));
    udot_2x16_uadd_sat [U32, U32, I32] -> I32, COMMUTATIVE, Lowered,
        |x| x.saturate_u(fold::packed_dot(x, 16, false, false) as u128 + x.wide_u(2));
}
