// SPDX-License-Identifier: MIT

//! Arithmetic of every opcode and width.

use super::{Generator, Kind, Purpose};
use arbitrary::Result;
use ntv::ir::{AluFlags, AluSrc, Def, InstKind};
use ntv::op::fold::from_float;
use ntv::op::{AluInfo, AluOp, Base, Operand, Props};
use std::sync::OnceLock;

/// The opcodes to choose from: those of vectors of up to four components.
fn opcodes(purpose: Purpose) -> &'static [AluOp] {
    static OPCODES: OnceLock<[Vec<AluOp>; 3]> = OnceLock::new();
    let [all, portable, integer] = OPCODES.get_or_init(|| {
        let portable = drawn().filter(|op| !op.info().props.contains(Props::IMPRECISE));
        [drawn().collect(), portable.collect(), drawn().filter(|op| !has_floats(*op)).collect()]
    });
    match purpose {
        Purpose::Interpreter => all,
        Purpose::Driver => portable,
        Purpose::Offsets => integer,
    }
}

fn has_floats(op: AluOp) -> bool {
    let info = op.info();
    info.srcs.iter().chain([&info.dest]).any(|operand| operand.ty.base == Base::Float)
}

/// The opcodes that have SPIR-V for vectors of up to four components.
pub(super) fn drawn() -> impl Iterator<Item = AluOp> {
    AluOp::ALL.iter().copied().filter(|op| is_drawn(*op))
}

fn is_drawn(op: AluOp) -> bool {
    let info = op.info();
    let operands = || info.srcs.iter().chain([&info.dest]);
    // Numbers of one bit have no SPIR-V.
    operands().all(|operand| operand.size <= 4 && (operand.ty.bits != 1 || operand.ty.base == Base::Bool))
}

/// Functions whose 64-bit form is computed in 32 bits: their results differ from the constant fold.
const THROUGH_SINGLE: &[AluOp] = &[AluOp::fexp2, AluOp::flog2, AluOp::fpow, AluOp::fsin, AluOp::fcos];

pub(super) fn kind(operand: &Operand) -> Kind {
    match operand.ty.base {
        Base::Bool => Kind::Bool,
        Base::Int | Base::Uint => Kind::Int,
        Base::Float => Kind::Float,
    }
}

impl Generator<'_, '_, '_> {
    pub(super) fn arithmetic(&mut self) -> Result<()> {
        let op = self.choose(opcodes(self.purpose))?;
        let info = op.info();
        let is_typeless = info.props.contains(Props::TYPELESS);
        let bits = self.free_width(op)?;
        let components = match info.dest.size {
            0 => self.choose(&[1, 1, 2, 3, 4])?,
            size => size,
        };
        let mut srcs = Vec::with_capacity(4);
        let mut result = kind(&info.dest);
        for (i, operand) in info.srcs.iter().enumerate() {
            let moves = is_typeless && operand.ty.base != Base::Bool;
            let wanted = match (moves, i, srcs.len()) {
                // The operands of a vector or a selection have the same kind.
                (true, 0, _) => None,
                (true, 1, 1) if info.srcs[0].ty.base == Base::Bool => None,
                (true, ..) => Some(result),
                (false, ..) if bits == 1 && operand.ty.bits == 0 => Some(Kind::Bool),
                (false, ..) => Some(kind(operand)),
            };
            let width = operand.bits(bits);
            let read = operand.components(components);
            let (src, found) = self.source(wanted, width, read)?;
            srcs.push(self.tamed(op, i, src, read));
            if moves || bits == 1 && info.dest.ty.bits == 0 {
                result = found;
            }
        }
        let bits = info.dest.bits(bits);
        let is_exact = self.chance(6)? || self.purpose == Purpose::Driver;
        let flags = if is_exact { AluFlags::EXACT } else { AluFlags::empty() };
        let def = self.raw_alu(op, flags, &srcs, (components, bits));
        self.push(def, if bits == 1 { Kind::Bool } else { result });
        Ok(())
    }

    /// The width of operands that may have any width.
    pub(super) fn free_width(&mut self, op: AluOp) -> Result<u8> {
        let info: &AluInfo = op.info();
        let free = || info.srcs.iter().chain([&info.dest]).filter(|operand| operand.ty.bits == 0);
        let is_logical = matches!(op, AluOp::iand | AluOp::ior | AluOp::ixor | AluOp::inot | AluOp::ieq | AluOp::ine);
        if free().any(|operand| operand.ty.base == Base::Bool) {
            Ok(1)
        } else if THROUGH_SINGLE.contains(&op) {
            self.choose(&[32, 16])
        } else if free().any(|operand| operand.ty.base == Base::Float) {
            self.choose(&[32, 32, 16, 64])
        } else if is_logical || info.props.contains(Props::TYPELESS) {
            self.choose(&[32, 32, 8, 16, 64, 1])
        } else {
            self.choose(&[32, 32, 8, 16, 64])
        }
    }

    /// Operand `i` of `op`, without values for which NIR has no result: no division by 0, and no float that fits no integer.
    fn tamed(&mut self, op: AluOp, i: usize, src: AluSrc, read: u8) -> AluSrc {
        let bits = self.b.shader.bit_size(src.def);
        let divides = matches!(op, AluOp::idiv | AluOp::irem | AluOp::imod | AluOp::udiv | AluOp::umod) && i == 1;
        let info = op.info();
        let converts = info.props.contains(Props::CONVERSION)
            && info.srcs[0].ty.base == Base::Float
            && info.dest.ty.base != Base::Float;
        let is_field = matches!(op, AluOp::bitfield_insert | AluOp::ubitfield_extract | AluOp::ibitfield_extract)
            && i + 2 >= info.srcs.len();
        let (tame, number) = match () {
            () if divides => (AluOp::ior, 1),
            () if is_field => (AluOp::iand, 15),
            () if converts => (AluOp::fsat, from_float(1.0, bits)),
            () => return src,
        };
        let operand = self.b.constant(bits, &[number; 4][..usize::from(read)]);
        let srcs = [src, operand.into()];
        let def = self.raw_alu(tame, AluFlags::empty(), &srcs[..tame.info().srcs.len()], (read, bits));
        if divides && op.info().srcs[1].ty.base == Base::Int {
            // No division by -1 either, because the smallest number cannot be divided by it.
            let two = self.b.constant(bits, &[2; 4][..usize::from(read)]);
            let one = self.b.constant(32, &[1; 4][..usize::from(read)]);
            let positive = self.raw_alu(AluOp::ushr, AluFlags::empty(), &[def.into(), one.into()], (read, bits));
            return self.raw_alu(AluOp::ior, AluFlags::empty(), &[positive.into(), two.into()], (read, bits)).into();
        }
        def.into()
    }

    /// An ALU instruction, not folded even where its operands are constants.
    pub(super) fn raw_alu(&mut self, op: AluOp, flags: AluFlags, srcs: &[AluSrc], (n, bits): (u8, u8)) -> Def {
        let srcs = self.b.shader.push_alu_srcs(srcs);
        self.b.inst(n, bits, InstKind::Alu { op, flags, srcs }).def()
    }
}
