// SPDX-License-Identifier: MIT

//! Arithmetic: emits one instruction per opcode, in the form of the opcode's row.

use super::constants::one;
use super::value::Value;
use super::{internal, unsupported, Emit, Result};
use crate::ir::{AluFlags, AluSrc, Inst, InstData, InstKind};
use crate::op::{can_contract, AluInfo, AluOp, AluRow, Base, Emission, Form};
use spirv::{Capability, GlslStd450Op, Op};

/// The most operands of SPIR-V's instructions. Vectors have more, all of the same kind.
const MAX_OPERANDS: usize = 4;

/// An ALU instruction under emission.
struct Alu<'a> {
    op: AluOp,
    info: &'static AluInfo,
    srcs: &'a [AluSrc],
    /// The number of components of the result.
    n: u8,
    bits: u8,
    /// The base type of the result.
    base: Base,
    /// The type id of the result.
    ty: u32,
}

impl Emit<'_> {
    /// Emits an ALU instruction with a result of base `base`, and returns its id. Most opcodes are one instruction.
    #[inline(always)]
    pub(super) fn alu(
        &mut self,
        data: &InstData,
        base: Base,
        op: AluOp,
        flags: AluFlags,
        srcs: &[AluSrc],
    ) -> Result<u32> {
        let row = op.row();
        let InstData { num_components: n, bit_size: bits, .. } = *data;
        if srcs.len() != usize::from(row.operands) || n == 0 {
            return Err(internal(format!("{} has {} operands and {n} components", op.name(), srcs.len())));
        }
        if row.emission != Emission::One {
            return self.other_alu(data, base, op, flags, srcs);
        }
        let ty = self.m.numeric(base, bits, n);
        let mut ids = [self.operand(row, srcs, 0, base, n)?, 0, 0];
        // Not a loop: its end would be hard to predict.
        if srcs.len() > 1 {
            ids[1] = self.operand(row, srcs, 1, base, n)?;
            if srcs.len() > 2 {
                ids[2] = self.operand(row, srcs, 2, base, n)?;
            }
        }
        let op = u32::from(row.ops[usize::from(self.shader.bit_size(srcs[0].def) == 1)]);
        let id = self.m.id();
        let [a, b, c] = ids;
        match row.ext {
            0 => self.m.code.start_of([op, ty, id, a, b, c], 3 + srcs.len()),
            ext => {
                let set = self.m.glsl();
                self.m.code.start_of([op, ty, id, set, ext.into(), a, b, c], 5 + srcs.len());
            }
        }
        if flags.intersects(AluFlags::MATH) {
            self.control_math(id, flags, self.shader.bit_size(srcs[0].def), row.contracts(), row.is_math());
        }
        Ok(id)
    }

    /// Emits the forms that are not always one instruction.
    #[inline(never)]
    fn other_alu(&mut self, data: &InstData, base: Base, op: AluOp, flags: AluFlags, srcs: &[AluSrc]) -> Result<u32> {
        let InstData { num_components: n, bit_size: bits, .. } = *data;
        let info = op.info();
        let alu = Alu { op, info, srcs, n, bits, base, ty: self.m.numeric(base, bits, n) };
        match op.row().emission {
            Emission::Construct => return self.construct(alu.srcs, base, bits),
            Emission::Move => return self.src(&srcs[0], n, base),
            Emission::One | Emission::Other => {}
        }
        match info.form {
            Form::Op(op) => self.alu_op(&alu, op, flags),
            Form::Ext(GlslStd450Op::Fract) if flags.intersects(AluFlags::EXACT) => self.exact_fract(&alu, flags),
            Form::Ext(op) => {
                let operands = self.operands(&alu)?;
                let id = self.ext(op, alu.ty, &operands[..srcs.len()]);
                Ok(self.controlled(&alu, id, alu.op.row().contracts(), flags))
            }
            Form::Shift(op) => self.shift(&alu, op),
            Form::Bitcast => self.reinterpret(&alu),
            Form::SelectOne => self.select_one(&alu),
            Form::Special => self.special(&alu, flags),
            Form::OpOrLogical(..) | Form::Construct | Form::Move | Form::Lowered => {
                Err(internal(format!("{} is left to emission", info.name)))
            }
        }
    }

    /// The operands, each with the base type that the row requires.
    fn operands(&mut self, alu: &Alu<'_>) -> Result<[u32; MAX_OPERANDS]> {
        let mut ids = [0; MAX_OPERANDS];
        for (at, id) in ids.iter_mut().enumerate().take(alu.srcs.len()) {
            *id = self.operand_of(alu, at)?;
        }
        Ok(ids)
    }

    fn operand_of(&mut self, alu: &Alu<'_>, at: usize) -> Result<u32> {
        self.operand(alu.op.row(), alu.srcs, at, alu.base, alu.n)
    }

    /// The operand at `at` of an instruction whose result has `n` components of base `base`.
    #[inline(always)]
    fn operand(&mut self, row: &AluRow, srcs: &[AluSrc], at: usize, base: Base, n: u8) -> Result<u32> {
        let src = &srcs[at];
        let wanted = row.wanted(at);
        let (bases, n) = (wanted.bases(base), wanted.size(n));
        let value = self.state.values[src.def];
        // All reasons against the fast path are bits of one number: branches that are hard to predict are expensive.
        let refused = !bases >> value.base as u8 & 1;
        if u64::from(value.n ^ n | refused) | src.swizzle.moved(n) == 0 {
            return Ok(value.id);
        }
        self.other_operand(src, bases, n)
    }

    /// An operand that is not an id of its own: a constant, or a value that needs a swizzle or a conversion to one of `bases`.
    #[inline(never)]
    fn other_operand(&mut self, src: &AluSrc, bases: u8, n: u8) -> Result<u32> {
        let value = self.state.values[src.def];
        if value.id == 0 {
            return self.literal_operand(src, bases, n);
        }
        let (fits, component) = (bases >> value.base as u8 & 1 != 0, value.swizzle(src.swizzle).get(0));
        if fits & (n == 1) & (component < value.n) {
            let ty = self.m.numeric(value.base, value.bits, 1);
            return Ok(self.extract(value.id, ty, component));
        }
        // An integer operand of a logical opcode is a boolean in SPIR-V.
        let other = if value.bits == 1 { Base::Bool } else { first_of([Base::Float, Base::Uint, Base::Int], bases) };
        self.other_src(src, value, n, if fits { value.base } else { other })
    }

    /// A constant or undefined operand, mostly a single number.
    fn literal_operand(&mut self, src: &AluSrc, bases: u8, n: u8) -> Result<u32> {
        let data = self.shader.def(src.def);
        let bits = data.bit_size;
        let base = if bits == 1 { Base::Bool } else { first_of([Base::Uint, Base::Float, Base::Int], bases) };
        if let (InstKind::Const(values), 1) = (data.kind, n) {
            if let Some(value) = self.shader.consts[values].get(usize::from(src.swizzle.get(0))) {
                return Ok(self.nir_constant(base, bits, &[*value]));
            }
        }
        self.other_src(src, Value::unmade(data), n, base)
    }

    fn alu_op(&mut self, alu: &Alu<'_>, op: Op, flags: AluFlags) -> Result<u32> {
        // SPIR-V has no conversions to the same width (OpSConvert, OpUConvert, OpFConvert).
        if matches!(op, Op::SConvert | Op::UConvert | Op::FConvert) && self.shader.bit_size(alu.srcs[0].def) == alu.bits
        {
            return self.src(&alu.srcs[0], alu.n, alu.base);
        }
        let operands = self.operands(alu)?;
        let operands = &operands[..alu.srcs.len()];
        // NIR tests for NaN with `x != x`.
        let op = match op {
            Op::FUnordNotEqual if operands[0] == operands[1] => {
                return Ok(self.arithmetic(alu, Op::IsNan, &operands[..1], flags));
            }
            op => op,
        };
        Ok(self.arithmetic(alu, op, operands, flags))
    }

    /// The result of `op` with the math control of `flags`.
    fn arithmetic(&mut self, alu: &Alu<'_>, op: Op, operands: &[u32], flags: AluFlags) -> u32 {
        let id = self.m.value(op, alu.ty, operands);
        self.controlled(alu, id, can_contract(op), flags)
    }

    /// `id` with the math control of `flags`.
    fn controlled(&mut self, alu: &Alu<'_>, id: u32, contracts: bool, flags: AluFlags) -> u32 {
        if flags.intersects(AluFlags::MATH) {
            let bits = self.shader.bit_size(alu.srcs[0].def);
            self.control_math(id, flags, bits, contracts, alu.op.row().is_math());
        }
        id
    }

    /// A shift. NIR takes the count modulo the width; SPIR-V leaves larger counts undefined (OpShiftLeftLogical).
    fn shift(&mut self, alu: &Alu<'_>, op: Op) -> Result<u32> {
        let value = self.operand_of(alu, 0)?;
        let max = u64::from(alu.bits) - 1;
        let count = &alu.srcs[1];
        let count_bits = self.shader.bit_size(count.def);
        let count = match self.shader.as_const(count.def) {
            Some(values) => {
                let masked: [u64; 4] = std::array::from_fn(|i| {
                    values.get(usize::from(count.swizzle.get(i))).map_or(0, |value| value & max)
                });
                self.m.constant_vector(Base::Uint, count_bits, &masked[..usize::from(alu.n)])
            }
            None if self.is_at_most(count, alu.n, max) => self.operand_of(alu, 1)?,
            None => {
                let count = self.src(count, alu.n, Base::Uint)?;
                let mask = self.m.splat(Base::Uint, count_bits, alu.n, max);
                let ty = self.m.numeric(Base::Uint, count_bits, alu.n);
                self.pure(Op::BitwiseAnd, ty, &[count, mask])
            }
        };
        Ok(self.m.value(op, alu.ty, &[value, count]))
    }

    /// True if `src` is provably at most `max`: an `iand` with a constant.
    fn is_at_most(&self, src: &AluSrc, n: u8, max: u64) -> bool {
        let Some((AluOp::iand, srcs)) = self.shader.as_alu(src.def) else { return false };
        srcs.iter().any(|mask| {
            self.shader.as_const(mask.def).is_some_and(|values| {
                let used = src.swizzle.components(usize::from(n)).map(|c| mask.swizzle.get(usize::from(c)));
                used.map(|c| values.get(usize::from(c))).all(|value| value.is_some_and(|value| *value <= max))
            })
        })
    }

    /// Bitcasts to a vector or scalar with another component width.
    fn reinterpret(&mut self, alu: &Alu<'_>) -> Result<u32> {
        let operand = self.operand_of(alu, 0)?;
        Ok(self.m.value(Op::Bitcast, alu.ty, &[operand]))
    }

    /// Constructs a vector of numbers of this base and width from scalars. Adjacent components of other vectors are not extracted
    /// first.
    pub(super) fn construct(&mut self, srcs: &[AluSrc], base: Base, bits: u8) -> Result<u32> {
        let n = srcs.len();
        if n > 4 {
            return Err(unsupported("a vector of more than four components"));
        }
        let (mut literals, mut vectors) = (0, 0);
        for src in srcs {
            let value = self.state.values[src.def];
            literals += usize::from(value.id == 0);
            vectors += usize::from(value.n > 1);
        }
        let mut values = [0; 4];
        let constants = srcs.iter().map_while(|src| self.shader.as_const_src(*src));
        let num_constants = values.iter_mut().zip(constants).map(|(value, constant)| *value = constant).count();
        if literals == n && num_constants == n {
            return Ok(self.nir_constant(base, bits, &values[..n]));
        }
        let ty = self.m.numeric(base, bits, n as u8);
        if vectors == n {
            if let Some(id) = self.shuffle(srcs, base, ty)? {
                return Ok(id);
            }
        }
        let mut parts = [0; 4];
        for (part, src) in parts.iter_mut().zip(srcs) {
            *part = self.src(src, 1, base)?;
        }
        Ok(self.pure(Op::CompositeConstruct, ty, &parts[..n]))
    }

    /// One OpVectorShuffle or a whole vector, if all sources are components of at most two vectors.
    fn shuffle(&mut self, srcs: &[AluSrc], base: Base, ty: u32) -> Result<Option<u32>> {
        let first = self.state.values[srcs[0].def];
        let mut second = None;
        let mut picks = [0u32; 4];
        for (pick, src) in picks.iter_mut().zip(srcs) {
            let value = self.state.values[src.def];
            let component = value.swizzle(src.swizzle).get(0);
            if component >= value.n {
                return Err(internal(format!("{} has too few components", src.def)));
            }
            *pick = u32::from(component);
            if value.id != first.id {
                if second.get_or_insert((src.def, value)).1.id != value.id {
                    return Ok(None);
                }
                *pick += u32::from(first.n);
            }
        }
        let a = self.cast(srcs[0].def, first, base)?;
        let b = second.map_or(Ok(a), |(def, second)| self.cast(def, second, base))?;
        if srcs.len() == usize::from(first.n) && picks.iter().zip(0..first.n).all(|(pick, c)| *pick == u32::from(c)) {
            return Ok(Some(a));
        }
        let operands = [a, b, picks[0], picks[1], picks[2], picks[3]];
        Ok(Some(self.pure(Op::VectorShuffle, ty, &operands[..2 + srcs.len()])))
    }

    /// A conversion from boolean.
    fn select_one(&mut self, alu: &Alu<'_>) -> Result<u32> {
        let cond = self.operand_of(alu, 0)?;
        let one = self.m.splat(alu.base, alu.bits, alu.n, one(alu.base, alu.bits));
        let zero = self.m.splat(alu.base, alu.bits, alu.n, 0);
        Ok(self.m.value(Op::Select, alu.ty, &[cond, one, zero]))
    }

    /// Opcodes that need more than one instruction; [`Form`] lists them.
    fn special(&mut self, alu: &Alu<'_>, flags: AluFlags) -> Result<u32> {
        let member = |op, member| Some((op, member));
        let pair = match alu.op {
            AluOp::frcp => return self.reciprocal(alu, flags),
            AluOp::fsign => return self.fsign(alu, flags),
            AluOp::frexp_sig => return self.frexp(alu, 0),
            AluOp::frexp_exp => return self.frexp(alu, 1),
            AluOp::uadd_carry => member(Op::IAddCarry, 1),
            AluOp::usub_borrow => member(Op::ISubBorrow, 1),
            AluOp::umul_high => member(Op::UMulExtended, 1),
            AluOp::imul_high => member(Op::SMulExtended, 1),
            _ => None,
        };
        let (op, member) = pair.ok_or_else(|| internal(format!("{} has no special form", alu.info.name)))?;
        let operands = self.operands(alu)?;
        let both = self.m.global_type(Op::TypeStruct, &[alu.ty, alu.ty]);
        let id = self.pure(op, both, &operands[..2]);
        Ok(self.m.value(Op::CompositeExtract, alu.ty, &[id, member]))
    }

    fn reciprocal(&mut self, alu: &Alu<'_>, flags: AluFlags) -> Result<u32> {
        let x = self.operand_of(alu, 0)?;
        let one = self.m.splat(Base::Float, alu.bits, alu.n, one(Base::Float, alu.bits));
        Ok(self.arithmetic(alu, Op::FDiv, &[one, x], flags))
    }

    /// FSign does not define its result for NaN. NIR's `fsign` of NaN is 0, which matters only where NaNs are kept: see
    /// [`ShaderInfo::keeps_nan`](crate::ir::ShaderInfo::keeps_nan).
    fn fsign(&mut self, alu: &Alu<'_>, flags: AluFlags) -> Result<u32> {
        let x = self.operand_of(alu, 0)?;
        let sign = self.ext(GlslStd450Op::FSign, alu.ty, &[x]);
        if !self.shader.info.keeps_nan(flags, alu.bits) {
            return Ok(sign);
        }
        let booleans = self.m.numeric(Base::Bool, 1, alu.n);
        let is_nan = self.m.value(Op::IsNan, booleans, &[x]);
        let is_nan = self.controlled(alu, is_nan, false, flags);
        let zero = self.m.splat(Base::Float, alu.bits, alu.n, 0);
        Ok(self.m.value(Op::Select, alu.ty, &[is_nan, zero, sign]))
    }

    /// Drivers may lower Fract so that it returns a number for NaN, and no rule forbids this. So an exact `ffract` becomes its
    /// definition, `x - floor(x)`.
    fn exact_fract(&mut self, alu: &Alu<'_>, flags: AluFlags) -> Result<u32> {
        let x = self.operand_of(alu, 0)?;
        let whole = self.ext(GlslStd450Op::Floor, alu.ty, &[x]);
        Ok(self.arithmetic(alu, Op::FSub, &[x, whole], flags))
    }

    /// Significand (member 0) or exponent (member 1) of a float.
    fn frexp(&mut self, alu: &Alu<'_>, member: u32) -> Result<u32> {
        let x = self.operand_of(alu, 0)?;
        let bits = self.shader.bit_size(alu.srcs[0].def);
        let significand = self.m.numeric(Base::Float, bits, alu.n);
        let exponent = self.m.numeric(Base::Uint, 32, alu.n);
        let both = self.m.global_type(Op::TypeStruct, &[significand, exponent]);
        let id = self.ext(GlslStd450Op::FrexpStruct, both, &[x]);
        Ok(self.m.value(Op::CompositeExtract, alu.ty, &[id, member]))
    }

    /// A derivative.
    pub(super) fn derivative(&mut self, inst: Inst, op: Op, src: crate::ir::Def) -> Result<u32> {
        use crate::target::Feature;
        let fine = matches!(op, Op::DPdxFine | Op::DPdyFine | Op::DPdxCoarse | Op::DPdyCoarse);
        let op = match op {
            Op::DPdxFine | Op::DPdxCoarse if !self.target.has(Feature::derivativeControl) => Op::DPdx,
            Op::DPdyFine | Op::DPdyCoarse if !self.target.has(Feature::derivativeControl) => Op::DPdy,
            op => op,
        };
        if fine && self.target.has(Feature::derivativeControl) {
            self.m.capability(Capability::DerivativeControl);
        }
        let InstData { num_components: n, bit_size: bits, .. } = self.shader.insts[inst];
        let (own, wide) = (self.m.numeric(Base::Float, bits, n), self.m.numeric(Base::Float, 32, n));
        let value = self.value(src, Base::Float)?;
        // Derivatives have 32 bits (OpDPdx).
        if bits == 32 {
            return Ok(self.turned_derivative(op, wide, n, value));
        }
        let value = self.pure(Op::FConvert, wide, &[value]);
        let derivative = self.turned_derivative(op, wide, n, value);
        Ok(self.m.value(Op::FConvert, own, &[derivative]))
    }
}

/// The first base of `order` that is in `bases`; boolean if none is.
fn first_of(order: [Base; 3], bases: u8) -> Base {
    order.into_iter().find(|base| bases >> *base as u8 & 1 != 0).unwrap_or(Base::Bool)
}
