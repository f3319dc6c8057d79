// SPDX-License-Identifier: MIT

//! Equality of shaders: equal in content, with any ids.
//!
//! Both are walked in program order. Variables correspond by their order among those of the shader or of the function, values and
//! blocks by their definition, struct types by their members. Lines of the dump are ignored, and so are instructions in no block
//! and information that passes note for the driver ([`Variable::min_range`]).

use super::{
    ArrayIndex, Block, Cf, Def, Deref, DerefKind, Inst, InstKind, PhiSrc, Shader, TexData, Type, TypeData, Var,
    Variable,
};
use crate::entity::{SideTable, Str};
use crate::op::Modes;
use rustc_hash::FxHashSet;

impl PartialEq for Shader {
    fn eq(&self, other: &Shader) -> bool {
        self.info == other.info
            && self.xfb_info == other.xfb_info
            && self.entry == other.entry
            && self.vars.len() == other.vars.len()
            && self.order.len() == other.order.len()
            && self.cf.len() == other.cf.len()
            && Pair::new(self, other).is_equal()
    }
}

/// The variables of the shader, then those of the function, as they are printed.
fn in_order(shader: &Shader) -> impl Iterator<Item = Var> + '_ {
    let is_local = |var: &Var| shader.vars[*var].mode == Modes::FUNCTION_TEMP;
    shader.vars.ids().filter(move |var| !is_local(var)).chain(shader.vars.ids().filter(is_local))
}

/// Two shaders and the correspondence of their items, from the left one to the right one.
struct Pair<'a> {
    a: &'a Shader,
    b: &'a Shader,
    vars: SideTable<Var, Option<Var>>,
    defs: SideTable<Def, Option<Def>>,
    blocks: SideTable<Block, Option<Block>>,
    /// Types that are equal, or whose comparison has failed.
    types: FxHashSet<(Type, Type)>,
}

impl<'a> Pair<'a> {
    fn new(a: &'a Shader, b: &'a Shader) -> Pair<'a> {
        let mut vars = SideTable::with_len(None, a.vars.len());
        for (a, b) in in_order(a).zip(in_order(b)) {
            vars.set(a, Some(b));
        }
        let mut defs = a.def_table(None);
        for (a, b) in a.order.iter().zip(&b.order) {
            defs.set(a.def(), Some(b.def()));
        }
        let mut blocks = a.block_table(None);
        for (a, b) in a.block_order().zip(b.block_order()) {
            blocks.set(a, Some(b));
        }
        Pair { a, b, vars, defs, blocks, types: FxHashSet::default() }
    }

    fn is_equal(&mut self) -> bool {
        let (a, b) = (self.a, self.b);
        in_order(a).zip(in_order(b)).all(|(x, y)| self.variable(&a.vars[x], &b.vars[y]))
            && a.cf.iter().zip(&b.cf).all(|(a, b)| self.control(*a, *b))
            && a.order.iter().zip(&b.order).all(|(a, b)| self.inst(*a, *b))
    }

    fn control(&self, a: Cf, b: Cf) -> bool {
        match (a, b) {
            (Cf::Block(a), Cf::Block(b)) => self.a.block_insts(a).len() == self.b.block_insts(b).len(),
            (Cf::If { cond: a, hint }, Cf::If { cond: b, hint: other }) => self.def(a, b) && hint == other,
            (a, b) => a == b,
        }
    }

    fn def(&self, a: Def, b: Def) -> bool {
        self.defs[a] == Some(b)
    }

    fn defs(&self, a: &[Def], b: &[Def]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.def(*a, *b))
    }

    fn str(&self, a: Str, b: Str) -> bool {
        self.a.strings[a] == self.b.strings[b]
    }

    fn inst(&mut self, a: Inst, b: Inst) -> bool {
        let (shader_a, shader_b) = (self.a, self.b);
        let (a, b) = (&shader_a.insts[a], &shader_b.insts[b]);
        if (a.num_components, a.bit_size) != (b.num_components, b.bit_size) {
            return false;
        }
        match (a.kind, b.kind) {
            (InstKind::Alu { .. }, InstKind::Alu { .. }) => self.alu(a.kind, b.kind, a.num_components),
            (InstKind::Const(a), InstKind::Const(b)) => shader_a.consts[a] == shader_b.consts[b],
            (InstKind::Undef, InstKind::Undef) => true,
            (InstKind::Phi(a), InstKind::Phi(b)) => self.phi(&shader_a.phi_srcs[a], &shader_b.phi_srcs[b]),
            (InstKind::Deref(a), InstKind::Deref(b)) => self.deref(&shader_a.derefs[a], &shader_b.derefs[b]),
            (
                InstKind::Intrinsic { op, srcs, indices },
                InstKind::Intrinsic { op: b_op, srcs: b_srcs, indices: b_indices },
            ) => {
                op == b_op
                    && self.defs(&shader_a.srcs[srcs], &shader_b.srcs[b_srcs])
                    && shader_a.indices[indices] == shader_b.indices[b_indices]
            }
            (InstKind::Tex(a), InstKind::Tex(b)) => self.tex(&shader_a.texs[a], &shader_b.texs[b]),
            (InstKind::Jump(a), InstKind::Jump(b)) => a == b,
            _ => false,
        }
    }

    fn alu(&self, a: InstKind, b: InstKind, num_components: u8) -> bool {
        let InstKind::Alu { op, flags, srcs } = a else { return false };
        let InstKind::Alu { op: b_op, flags: b_flags, srcs: b_srcs } = b else { return false };
        let (srcs, b_srcs) = (&self.a.alu_srcs[srcs], &self.b.alu_srcs[b_srcs]);
        let operands = op.info().srcs;
        op == b_op
            && flags == b_flags
            && srcs.len() == b_srcs.len()
            && srcs.iter().zip(b_srcs).zip(operands).all(|((a, b), operand)| {
                // Components that are not read are ignored.
                let read = usize::from(operand.components(num_components));
                self.def(a.def, b.def) && a.swizzle.is_same(b.swizzle, read)
            })
    }

    fn phi(&self, a: &[PhiSrc], b: &[PhiSrc]) -> bool {
        let same = |a: &PhiSrc, b: &PhiSrc| self.blocks[a.pred] == Some(b.pred) && self.def(a.def, b.def);
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
    }

    fn tex(&self, a: &TexData, b: &TexData) -> bool {
        let same_srcs =
            a.srcs.len() == b.srcs.len() && a.srcs.iter().zip(&*b.srcs).all(|(a, b)| a.0 == b.0 && self.def(a.1, b.1));
        same_srcs && TexData { srcs: b.srcs, ..*a } == *b
    }

    fn deref(&mut self, a: &Deref, b: &Deref) -> bool {
        let index = |a: ArrayIndex, b: ArrayIndex| match (a, b) {
            (ArrayIndex::Def(a), ArrayIndex::Def(b)) => self.def(a, b),
            (a, b) => a == b,
        };
        let parents = match (a.kind.parent(), b.kind.parent()) {
            (Some(a), Some(b)) => self.def(a, b),
            (a, b) => a == b,
        };
        use DerefKind as Kind;
        let same_kind = match (a.kind, b.kind) {
            (Kind::Array { index: a, .. }, Kind::Array { index: b, .. })
            | (Kind::PtrAsArray { index: a, .. }, Kind::PtrAsArray { index: b, .. }) => index(a, b),
            (Kind::Var(a), Kind::Var(b)) => self.vars[a] == Some(b),
            (Kind::ArrayWildcard { .. }, Kind::ArrayWildcard { .. }) => true,
            (Kind::Struct { field: a, .. }, Kind::Struct { field: b, .. }) => a == b,
            (
                Kind::Cast { stride, align_mul, align_offset, .. },
                Kind::Cast { stride: b_stride, align_mul: b_mul, align_offset: b_offset, .. },
            ) => (stride, align_mul, align_offset) == (b_stride, b_mul, b_offset),
            (a, b) => a == b,
        };
        same_kind && parents && a.modes == b.modes && self.ty(a.ty, b.ty)
    }

    fn variable(&mut self, a: &Variable, b: &Variable) -> bool {
        // The text of values that are known does not matter.
        let initializers = match (a.initializer, b.initializer) {
            _ if a.values.is_some() && b.values.is_some() => true,
            (Some(a), Some(b)) => self.str(a, b),
            (a, b) => a == b,
        };
        let values = a.values.map(|values| &self.a.consts[values]) == b.values.map(|values| &self.b.consts[values]);
        self.str(a.name, b.name)
            && self.ty(a.ty, b.ty)
            && initializers
            && values
            && (a.mode, a.interp, a.access, a.precision, a.flags) == (b.mode, b.interp, b.access, b.precision, b.flags)
            && (a.location, a.location_frac, a.driver_location) == (b.location, b.location_frac, b.driver_location)
            && (a.binding, a.descriptor_set, a.index, a.image_format)
                == (b.binding, b.descriptor_set, b.index, b.image_format)
            && (a.capture, a.stream) == (b.capture, b.stream)
    }

    /// Types nest less deeply than the parser and the wire decoder allow, so this does not recurse far.
    fn ty(&mut self, a: Type, b: Type) -> bool {
        if !self.types.insert((a, b)) {
            return true;
        }
        match (self.a.types.get(a), self.b.types.get(b)) {
            (TypeData::Array { elem, len, stride }, TypeData::Array { elem: b_elem, len: b_len, stride: b_stride }) => {
                (len, stride) == (b_len, b_stride) && self.ty(elem, b_elem)
            }
            (TypeData::Struct(a), TypeData::Struct(b)) => {
                let (a, b) = (&self.a.types.structs[a], &self.b.types.structs[b]);
                self.str(a.name, b.name)
                    && a.fields.len() == b.fields.len()
                    && a.fields
                        .iter()
                        .zip(&b.fields)
                        .all(|(a, b)| self.str(a.name, b.name) && a.offset == b.offset && self.ty(a.ty, b.ty))
            }
            (a, b) => a == b,
        }
    }
}
