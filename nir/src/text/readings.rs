// SPDX-License-Identifier: MIT

//! Readings of the constants of a dump: as integers, as floats, or as both.
//!
//! NIR's values have no type. Mesa prints a constant with the type that its users have, which it finds through moves, selections
//! and phis. This module does the same, so that a printed dump is like Mesa's. The parser ignores the readings.

use crate::entity::SideTable;
use crate::ir::{Def, Inst, InstKind, Shader, TexData, TypeData};
use crate::op::meaning::OffsetUnit;
use crate::op::names::unpack_alu_type;
use crate::op::{Base, Index, Intrinsic, Props, TexOp, TexSrcKind};
use bitflags::bitflags;

/// The number of sweeps over the shader. Chains of moves that need more are rare, and affect only the printed readings.
const SWEEPS: usize = 4;

/// The source of an intrinsic that is an offset, an integer.
fn offset_source(op: Intrinsic) -> Option<usize> {
    let in_bytes = op.info().memory.filter(|memory| memory.unit == OffsetUnit::Bytes);
    let in_memory = in_bytes.and_then(|memory| memory.offset);
    in_memory.or(op.meaning().io.map(|io| io.offset)).map(usize::from)
}

bitflags! {
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    struct Kinds: u8 {
        const INT = 1 << 0;
        const FLOAT = 1 << 1;
    }
}

/// The readings of each value.
pub(super) struct Readings<'a> {
    shader: &'a Shader,
    kinds: SideTable<Def, Kinds>,
    changed: bool,
}

impl<'a> Readings<'a> {
    /// Collects the readings from all uses of values in `shader`.
    pub(super) fn of(shader: &'a Shader) -> Readings<'a> {
        let mut readings = Readings { shader, kinds: shader.def_table(Kinds::empty()), changed: true };
        for _ in 0..SWEEPS {
            if !std::mem::take(&mut readings.changed) {
                break;
            }
            shader.order.iter().for_each(|inst| readings.visit(*inst));
            shader.order.iter().rev().for_each(|inst| readings.visit(*inst));
        }
        readings
    }

    /// True if `def` is taken for an integer and never for a float.
    pub(super) fn is_int(&self, def: Def) -> bool {
        self.kinds[def] == Kinds::INT
    }

    /// True if `def` is taken for a float and never for an integer.
    pub(super) fn is_float(&self, def: Def) -> bool {
        self.kinds[def] == Kinds::FLOAT
    }

    fn visit(&mut self, inst: Inst) {
        let shader = self.shader;
        match shader.insts[inst].kind {
            InstKind::Alu { op, srcs, .. } => {
                let info = op.info();
                let is_move = info.props.contains(Props::TYPELESS);
                for (src, operand) in shader.alu_srcs[srcs].iter().zip(info.srcs) {
                    // The condition of a selection is not moved.
                    if is_move && operand.ty.base != Base::Bool {
                        self.copy(src.def, inst.def());
                    } else {
                        self.set(src.def, operand.ty.base);
                    }
                }
                if !is_move {
                    self.set(inst.def(), info.dest.ty.base);
                }
            }
            InstKind::Phi(srcs) => shader.phi_srcs[srcs].iter().for_each(|src| self.copy(src.def, inst.def())),
            InstKind::Tex(tex) => {
                let tex = &shader.texs[tex];
                for (kind, def) in &*tex.srcs {
                    self.set(*def, tex_src_base(tex, *kind));
                }
                self.set(inst.def(), tex.dest_type.base);
            }
            InstKind::Intrinsic { op, srcs, .. } => {
                let srcs = &shader.srcs[srcs];
                for (i, src) in srcs.iter().enumerate() {
                    if let Some(base) = intrinsic_src_base(shader, inst, op, srcs, i) {
                        self.set(*src, base);
                    }
                }
                if let Some(base) = intrinsic_dest_base(shader, inst, op, srcs) {
                    self.set(inst.def(), base);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, def: Def, kinds: Kinds) {
        let entry = self.kinds.entry(def);
        if !entry.contains(kinds) {
            *entry |= kinds;
            self.changed = true;
        }
    }

    fn set(&mut self, def: Def, base: Base) {
        self.add(def, if base == Base::Float { Kinds::FLOAT } else { Kinds::INT });
    }

    /// Records that `dest` is a copy of `src`. A constant has no effect on other values that are copied to the same destination.
    fn copy(&mut self, src: Def, dest: Def) {
        let source = self.kinds[src];
        self.add(src, self.kinds[dest]);
        if !matches!(self.shader.def(src).kind, InstKind::Const(_) | InstKind::Undef) {
            self.add(dest, source);
        }
    }
}

/// The base type of a source of a texture instruction.
pub(super) fn tex_src_base(tex: &TexData, kind: TexSrcKind) -> Base {
    use TexSrcKind as Kind;
    let is_fetch = matches!(tex.op, TexOp::txf | TexOp::txf_ms);
    match kind {
        Kind::coord if is_fetch || tex.op == TexOp::samples_identical => Base::Int,
        Kind::lod if is_fetch || tex.op == TexOp::txs => Base::Int,
        Kind::coord | Kind::lod | Kind::projector | Kind::comparator | Kind::bias | Kind::min_lod => Base::Float,
        Kind::ddx | Kind::ddy | Kind::backend1 | Kind::backend2 => Base::Float,
        _ => Base::Int,
    }
}

/// The base type of source `i` of an intrinsic, if it is known.
pub(super) fn intrinsic_src_base(shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def], i: usize) -> Option<Base> {
    match (op, i) {
        (Intrinsic::store_deref, 1) => pointee_base(shader, srcs[0]),
        (Intrinsic::store_output, 0) => Some(unpack_alu_type(shader.index(inst, Index::src_type)).base),
        _ => (offset_source(op) == Some(i)).then_some(Base::Int),
    }
}

fn intrinsic_dest_base(shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Option<Base> {
    match op {
        Intrinsic::load_deref => pointee_base(shader, srcs[0]),
        Intrinsic::load_input | Intrinsic::load_per_primitive_input | Intrinsic::load_uniform => {
            Some(unpack_alu_type(shader.index(inst, Index::dest_type)).base)
        }
        _ => None,
    }
}

/// The base of the number that `pointer` points to.
fn pointee_base(shader: &Shader, pointer: Def) -> Option<Base> {
    match shader.types.get(shader.as_deref(pointer)?.ty) {
        TypeData::Scalar(scalar) | TypeData::Vector(scalar, _) | TypeData::Matrix { scalar, .. } => Some(scalar.base),
        _ => None,
    }
}
