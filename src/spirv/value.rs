//! Values: the id of a value at the type and with the components that its user wants.
//!
//! Every value has one id at the type that [`ValueTypes`](crate::analysis::value_types::ValueTypes) chose. A user that wants
//! another type or other components gets an OpBitcast, OpCompositeExtract, ... of it, which later users within the same
//! dominance region find again. Constants and undefined values are made as wanted and cost no instruction.

use super::{internal, unsupported, Emit, Result};
use crate::ir::{AluSrc, Def, InstKind, Swizzle};
use crate::op::Base;
use spirv::{GlslStd450Op, Op};

impl Emit<'_> {
    /// What `def` is, or for a constant what it is made as when no one asks for more.
    pub(super) fn base(&self, def: Def) -> Base {
        self.types.base(def)
    }

    /// The type of `def` seen as `base`.
    pub(super) fn type_as(&mut self, def: Def, base: Base) -> u32 {
        let data = self.shader.def(def);
        self.m.numeric(base, data.bit_size, data.num_components)
    }

    /// Remembers the id of a value that was just defined; its type is that of [`Emit::base`].
    pub(super) fn define(&mut self, def: Def, id: u32) {
        self.state.values.set(def, id);
    }

    /// True if `def` can be made at any type for free.
    pub(super) fn is_literal(&self, def: Def) -> bool {
        matches!(self.shader.def(def).kind, InstKind::Const(_) | InstKind::Undef)
    }

    /// The whole value of `def`, seen as `base`.
    pub(super) fn value(&mut self, def: Def, base: Base) -> Result<u32> {
        let data = self.shader.def(def);
        if data.num_components > 4 {
            return Err(unsupported("a vector of more than four components"));
        }
        match data.kind {
            InstKind::Const(values) => Ok(self.m.constant_vector(base, data.bit_size, &self.shader.consts[values])),
            InstKind::Undef => Ok(self.m.undef(base, data.bit_size, data.num_components)),
            _ => {
                let id = self.state.values[def];
                if id == 0 {
                    return Err(internal(format!("{def} has no value where it is used")));
                }
                self.cast(def, id, base)
            }
        }
    }

    /// `id`, which has the shape of `def` and its own base, seen as `base`.
    fn cast(&mut self, def: Def, id: u32, base: Base) -> Result<u32> {
        let own = self.base(def);
        if own == base {
            return Ok(id);
        }
        if own == Base::Bool || base == Base::Bool {
            return Err(internal(format!("{def} is used as boolean and as number")));
        }
        let ty = self.type_as(def, base);
        Ok(self.pure(Op::Bitcast, ty, &[id]))
    }

    /// The first `n` components of a swizzled source, seen as `base`.
    pub(super) fn src(&mut self, src: &AluSrc, n: u8, base: Base) -> Result<u32> {
        let data = self.shader.def(src.def);
        let usable = src.swizzle.components(usize::from(n)).all(|c| c < data.num_components);
        if !usable || n == 0 {
            return Err(internal(format!("{} has too few components", src.def)));
        }
        if n > 4 {
            return Err(unsupported("a vector of more than four components"));
        }
        match data.kind {
            InstKind::Const(values) => {
                let values = &self.shader.consts[values];
                let picked: [u64; 4] =
                    std::array::from_fn(|i| values.get(usize::from(src.swizzle.get(i))).copied().unwrap_or(0));
                Ok(self.m.constant_vector(base, data.bit_size, &picked[..usize::from(n)]))
            }
            InstKind::Undef => Ok(self.m.undef(base, data.bit_size, n)),
            _ => {
                let id = self.value(src.def, base)?;
                Ok(self.swizzled(id, base, data.bit_size, data.num_components, src.swizzle, n))
            }
        }
    }

    /// The first `n` components that `swizzle` picks of `id`, which has `size` components.
    pub(super) fn swizzled(&mut self, id: u32, base: Base, bits: u8, size: u8, swizzle: Swizzle, n: u8) -> u32 {
        if n == size && swizzle.is_identity(usize::from(n)) {
            return id;
        }
        let ty = self.m.numeric(base, bits, n);
        let picks: [u32; 4] = std::array::from_fn(|i| u32::from(swizzle.get(i)));
        match (size, n) {
            (1, _) => self.pure(Op::CompositeConstruct, ty, &[id; 4][..usize::from(n)]),
            (_, 1) => self.pure(Op::CompositeExtract, ty, &[id, picks[0]]),
            _ => {
                let operands = [id, id, picks[0], picks[1], picks[2], picks[3]];
                self.pure(Op::VectorShuffle, ty, &operands[..2 + usize::from(n)])
            }
        }
    }

    /// An instruction without effects, or the equal one that dominates.
    pub(super) fn pure(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        self.m.pure(&mut self.state.scope, op, ty, operands)
    }

    /// An instruction of GLSL.std.450.
    pub(super) fn ext(&mut self, op: GlslStd450Op, ty: u32, operands: &[u32]) -> u32 {
        let (id, set) = (self.m.id(), self.m.glsl());
        self.m.code.op2(Op::ExtInst, &[ty, id, set, op as u32], operands);
        id
    }
}
