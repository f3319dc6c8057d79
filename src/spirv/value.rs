// SPDX-License-Identifier: MIT

//! Values: the id of a value with the type and the components that its user needs.
//!
//! Every value has one id, with the type that [`ValueTypes`](crate::analysis::value_types::ValueTypes) chose. A user that needs
//! another type or other components gets an OpBitcast, OpCompositeExtract, ... of it, which later users within the same dominance
//! region reuse. Constants and undefined values are created with the needed type and cost no instruction.

use super::words::Dedup;
use super::{internal, unsupported, Emit, Result};
use crate::entity::SideTable;
use crate::ir::{AluSrc, Def, Inst, InstData, InstKind, Swizzle};
use crate::op::Base;
use crate::target::{Feature, Workaround};
use rustc_hash::FxHashMap;
use spirv::{GlslStd450Op, Op};
use std::ops::Index;

/// The module's value for a value of the IR.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// Its id; 0 before its definition, and for values that are created on use.
    pub(super) id: u32,
    /// The type that [`ValueTypes`](crate::analysis::value_types::ValueTypes) chose.
    pub(super) base: Base,
    pub(super) bits: u8,
    /// The number of components of the id; 0 before its definition, and for values that are created on use.
    pub(super) n: u8,
    /// 0 if the value is all of the id. Else it is some adjacent components of it, and this is one more than the first: see
    /// [`Emit::define_part`].
    pub(super) part: u8,
}

impl Default for Value {
    fn default() -> Value {
        Value { id: 0, base: Base::Uint, bits: 0, n: 0, part: 0 }
    }
}

impl Value {
    /// A value that is created on use.
    pub(super) fn unmade(data: &InstData) -> Value {
        Value { bits: data.bit_size, n: data.num_components, ..Value::default() }
    }

    /// The components of the id that `swizzle` reads.
    #[inline(always)]
    pub(super) fn swizzle(self, swizzle: Swizzle) -> Swizzle {
        match self.part {
            0 => swizzle,
            part => swizzle.moved_by(part - 1),
        }
    }
}

/// The components extracted from vectors, valid where the definitions dominate. The value loaded from a pointer to constant memory
/// is the first component of the pointer's id, and the one that keys may replace it by is the second.
#[derive(Debug, Default)]
struct Components {
    /// The ids of the four components of each id, 0 for those that are not extracted.
    ids: Vec<[u32; 4]>,
    /// The extracted components in order: an id and a component.
    taken: Vec<(u32, u8)>,
}

impl Components {
    /// The id of this component of `vector`, 0 if it is not extracted yet.
    #[inline(always)]
    fn get(&self, vector: u32, component: u8) -> u32 {
        self.ids.get(vector as usize).map_or(0, |ids| ids[usize::from(component & 3)])
    }

    /// Records that `id` is this component of `vector`.
    fn add(&mut self, vector: u32, component: u8, id: u32) {
        let at = vector as usize;
        if at >= self.ids.len() {
            self.grow(at);
        }
        self.ids[at][usize::from(component & 3)] = id;
        self.taken.push((vector, component & 3));
    }

    #[cold]
    fn grow(&mut self, at: usize) {
        // Grows in large steps, as ids count up.
        self.ids.resize((at + 1).next_multiple_of(64), [0; 4]);
    }

    /// The current state, for [`release`](Components::release).
    fn mark(&self) -> usize {
        self.taken.len()
    }

    /// Forgets the components extracted since `mark`.
    fn release(&mut self, mark: usize) {
        for (vector, component) in self.taken.drain(mark.min(self.taken.len())..) {
            self.ids[vector as usize][usize::from(component)] = 0;
        }
    }

    /// Clears the extracted entries, which are few, and not the whole table.
    fn clear(&mut self) {
        self.release(0);
    }
}

/// A component of a vector, or a number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Component {
    pub(super) id: u32,
    /// The number of components of the vector, and which one it is.
    pub(super) n: u8,
    pub(super) component: u8,
}

/// The values of the module, and what was computed of them.
#[derive(Debug, Default)]
pub(super) struct Values {
    of: SideTable<Def, Value>,
    /// The components of values that are not in one vector: they are joined where a use needs a vector.
    scattered: FxHashMap<Def, (Base, [Component; 4])>,
    /// Pure instructions whose results dominate the next instruction.
    scope: Dedup,
    /// Components extracted from vectors that dominate the next instruction.
    components: Components,
}

/// A state of the reusable computations.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScopeMark {
    scope: usize,
    components: usize,
}

impl Index<Def> for Values {
    type Output = Value;

    #[inline(always)]
    fn index(&self, def: Def) -> &Value {
        &self.of[def]
    }
}

impl Values {
    /// Forgets the values of the previous shader; this one has `num_defs`.
    pub(super) fn reset(&mut self, num_defs: usize) {
        self.of.reset(num_defs);
        self.scattered.clear();
        self.scope.clear();
        self.components.clear();
    }

    /// The current state of the reusable computations.
    pub(super) fn mark(&self) -> ScopeMark {
        ScopeMark { scope: self.scope.mark(), components: self.components.mark() }
    }

    /// Forgets the computations since `mark`.
    pub(super) fn release(&mut self, mark: ScopeMark) {
        self.scope.release(mark.scope);
        self.components.release(mark.components);
    }
}

impl Emit<'_> {
    /// The base of `def`; for a constant the base that it has by default.
    #[inline(always)]
    pub(super) fn base(&self, def: Def) -> Base {
        self.types.base(def)
    }

    /// The type of `def` with the base `base`.
    pub(super) fn type_as(&mut self, def: Def, base: Base) -> u32 {
        let data = self.shader.def(def);
        self.m.numeric(base, data.bit_size, data.num_components)
    }

    /// Records the id of a value that was just defined; its type is that of [`Emit::base`].
    #[inline(always)]
    pub(super) fn define(&mut self, inst: Inst, data: &InstData, id: u32) {
        self.define_as(inst, data, self.base(inst.def()), id);
    }

    /// Records the id of a value whose `base` is known.
    #[inline(always)]
    pub(super) fn define_as(&mut self, inst: Inst, data: &InstData, base: Base, id: u32) {
        let value = Value { id, base, bits: data.bit_size, n: data.num_components, part: 0 };
        self.state.values.of.set(inst.def(), value);
    }

    /// Records that a value is the components from `first` on of `id`, a vector of `n` numbers of base `base`. They are
    /// extracted where they are used, if the use does not take them from the vector.
    pub(super) fn define_part(&mut self, inst: Inst, data: &InstData, (id, base, n): (u32, Base, u8), first: u8) {
        let part = if n == data.num_components { 0 } else { first + 1 };
        self.state.values.of.set(inst.def(), Value { id, base, bits: data.bit_size, n, part });
    }

    /// Records that the components of a value are not in one vector.
    pub(super) fn define_scattered(&mut self, inst: Inst, data: &InstData, base: Base, components: [Component; 4]) {
        debug_assert!(data.num_components <= 4);
        self.state.values.scattered.insert(inst.def(), (base, components));
    }

    /// Records a copy of adjacent components of a defined value, which costs no instruction. False if it is another copy.
    pub(super) fn define_moved(&mut self, inst: Inst, data: &InstData, src: AluSrc) -> bool {
        let src = if data.num_components == 1 { self.shader.unpacked(src) } else { src };
        let value = self.state.values[src.def];
        let swizzle = value.swizzle(src.swizzle);
        let first = swizzle.get(0);
        let is_part = value.id != 0
            && swizzle.is_same(Swizzle::IDENTITY.moved_by(first), data.num_components.into())
            && first + data.num_components <= value.n;
        if is_part {
            self.define_part(inst, data, (value.id, value.base, value.n), first);
        }
        is_part
    }

    /// The state of `def`: complete if it is defined, its shape if it is created on use.
    #[inline]
    pub(super) fn known(&self, def: Def) -> Value {
        let value = self.state.values[def];
        if value.id != 0 {
            return value;
        }
        Value::unmade(self.shader.def(def))
    }

    /// True if `def` can be created with any type without cost.
    pub(super) fn is_literal(&self, def: Def) -> bool {
        matches!(self.shader.def(def).kind, InstKind::Const(_) | InstKind::Undef)
    }

    /// The whole value of `def` with the base `base`.
    pub(super) fn value(&mut self, def: Def, base: Base) -> Result<u32> {
        let value = self.state.values[def];
        if value.id == 0 {
            self.literal(def, Swizzle::IDENTITY, self.shader.num_components(def), base)
        } else if value.part != 0 {
            let (whole, n) = (AluSrc { def, swizzle: Swizzle::IDENTITY }, self.shader.num_components(def));
            self.other_src(&whole, value, n, base)
        } else {
            self.cast(def, value, base)
        }
    }

    /// The vector that `value` of `def` is all or a part of, with the base `base`.
    pub(super) fn cast(&mut self, def: Def, value: Value, base: Base) -> Result<u32> {
        if value.base == base {
            return Ok(value.id);
        }
        if value.base == Base::Bool || base == Base::Bool {
            return Err(internal(format!("{def} is used as boolean and as number")));
        }
        let ty = self.m.numeric(base, value.bits, value.n);
        Ok(self.pure(Op::Bitcast, ty, &[value.id]))
    }

    /// The `n` components that `swizzle` selects from `def`, a constant or undefined value, with the base `base`.
    fn literal(&mut self, def: Def, swizzle: Swizzle, n: u8, base: Base) -> Result<u32> {
        let data = self.shader.def(def);
        if n > 4 {
            return Err(unsupported("a vector of more than four components"));
        }
        match data.kind {
            InstKind::Const(values) => {
                let values = &self.shader.consts[values];
                if n == 1 {
                    let value = values.get(usize::from(swizzle.get(0))).copied().unwrap_or(0);
                    return Ok(self.nir_constant(base, data.bit_size, &[value]));
                }
                let picked: [u64; 4] =
                    std::array::from_fn(|i| values.get(usize::from(swizzle.get(i))).copied().unwrap_or(0));
                Ok(self.nir_constant(base, data.bit_size, &picked[..usize::from(n)]))
            }
            InstKind::Undef => Ok(self.m.undef(base, data.bit_size, n)),
            InstKind::Intrinsic { .. } => self.joined(def, swizzle, n, (base, data.bit_size)),
            InstKind::Alu { .. } => match self.shader.unpacked_sources(def) {
                Some(sources) => self.picked(sources, swizzle, n, (base, data.bit_size)),
                None => Err(internal(format!("{def} has no value where it is used"))),
            },
            _ => Err(internal(format!("{def} has no value where it is used"))),
        }
    }

    /// The vector of the `n` of `sources` that `swizzle` selects: of a vector that is made where it is used.
    fn picked(&mut self, sources: &[AluSrc], swizzle: Swizzle, n: u8, (base, bits): (Base, u8)) -> Result<u32> {
        let first = sources[0];
        let picked: [AluSrc; 4] =
            std::array::from_fn(|i| sources.get(usize::from(swizzle.get(i))).copied().unwrap_or(first));
        match n {
            1 => self.src(&picked[0], 1, base),
            n => self.construct(&picked[..usize::from(n)], base, bits),
        }
    }

    /// The `n` components that `swizzle` selects from `def`, whose components are not in one vector.
    fn joined(&mut self, def: Def, swizzle: Swizzle, n: u8, (base, bits): (Base, u8)) -> Result<u32> {
        let Some(&(own, components)) = self.state.values.scattered.get(&def) else {
            return Err(internal(format!("{def} has no value where it is used")));
        };
        let picked: [Component; 4] = std::array::from_fn(|i| components[usize::from(swizzle.get(i) & 3)]);
        let picked = &picked[..usize::from(n)];
        let ty = self.m.numeric(own, bits, n);
        let first = picked[0];
        let second = picked.iter().find(|it| it.id != first.id).copied().unwrap_or(first);
        let are_of_two = picked.iter().all(|it| it.n > 1 && [first.id, second.id].contains(&it.id));
        let mut operands = [first.id, second.id, 0, 0, 0, 0];
        let id = if are_of_two && n > 1 {
            for (operand, it) in operands[2..].iter_mut().zip(picked) {
                *operand = u32::from(it.component + if it.id == first.id { 0 } else { first.n });
            }
            self.pure(Op::VectorShuffle, ty, &operands[..2 + usize::from(n)])
        } else {
            let scalar = self.m.numeric(own, bits, 1);
            for (operand, it) in operands.iter_mut().zip(picked) {
                *operand = if it.n == 1 { it.id } else { self.extract(it.id, scalar, it.component) };
            }
            match n {
                1 => operands[0],
                _ => self.pure(Op::CompositeConstruct, ty, &operands[..usize::from(n)]),
            }
        };
        self.cast(def, Value { id, base: own, bits, n, part: 0 }, base)
    }

    /// A scalar or vector constant of NIR with the base `base`.
    pub(super) fn nir_constant(&mut self, base: Base, bits: u8, values: &[u64]) -> u32 {
        if !self.target.works_around(Workaround::broken_arbitary_type_const) || !self.is_remade(base, bits) {
            return self.m.constant_vector(base, bits, values);
        }
        let unsigned = self.m.constant_vector(Base::Uint, bits, values);
        let ty = self.m.numeric(base, bits, values.len() as u8);
        self.pure(Op::Bitcast, ty, &[unsigned])
    }

    /// Whether a constant of this type is created from an unsigned integer.
    fn is_remade(&self, base: Base, bits: u8) -> bool {
        let has_integers = match bits {
            8 => self.target.has(Feature::shaderInt8),
            16 => self.target.has(Feature::shaderInt16),
            64 => self.target.has(Feature::shaderInt64),
            _ => true,
        };
        matches!(base, Base::Float | Base::Int) && has_integers
    }

    /// The first `n` components of a swizzled source with the base `base`.
    pub(super) fn src(&mut self, src: &AluSrc, n: u8, base: Base) -> Result<u32> {
        self.src_of(src, self.known(src.def), n, base)
    }

    /// The first `n` components of a swizzled source, where `value` is the state of the source.
    #[inline(always)]
    pub(super) fn src_of(&mut self, src: &AluSrc, value: Value, n: u8, base: Base) -> Result<u32> {
        if value.id != 0 && u64::from(value.n ^ n | value.base as u8 ^ base as u8) | src.swizzle.moved(n) == 0 {
            return Ok(value.id);
        }
        self.other_src(src, value, n, base)
    }

    /// A source that needs a swizzle or a conversion.
    pub(super) fn other_src(&mut self, src: &AluSrc, value: Value, n: u8, base: Base) -> Result<u32> {
        if n == 0 || src.swizzle.reads_beyond(n, value.n) {
            return Err(internal(format!("{} has too few components", src.def)));
        }
        if value.id == 0 {
            return self.literal(src.def, src.swizzle, n, base);
        }
        if n > 4 {
            return Err(unsupported("a vector of more than four components"));
        }
        let id = self.cast(src.def, value, base)?;
        Ok(self.swizzled(id, base, value.bits, value.n, value.swizzle(src.swizzle), n))
    }

    /// The first `n` components that `swizzle` selects from `id`, which has `size` components.
    pub(super) fn swizzled(&mut self, id: u32, base: Base, bits: u8, size: u8, swizzle: Swizzle, n: u8) -> u32 {
        if n == size && swizzle.is_identity(usize::from(n)) {
            return id;
        }
        let ty = self.m.numeric(base, bits, n);
        match (size, n) {
            (1, _) => self.pure(Op::CompositeConstruct, ty, &[id; 4][..usize::from(n)]),
            (_, 1) => self.extract(id, ty, swizzle.get(0)),
            _ => {
                let picks: [u32; 4] = std::array::from_fn(|i| u32::from(swizzle.get(i)));
                let operands = [id, id, picks[0], picks[1], picks[2], picks[3]];
                self.pure(Op::VectorShuffle, ty, &operands[..2 + usize::from(n)])
            }
        }
    }

    /// A component of a vector, which has the type `ty`.
    pub(super) fn extract(&mut self, vector: u32, ty: u32, component: u8) -> u32 {
        match self.state.values.components.get(vector, component) {
            0 => {
                let id = self.m.value(Op::CompositeExtract, ty, &[vector, component.into()]);
                self.state.values.components.add(vector, component, id);
                id
            }
            known => known,
        }
    }

    /// The value of type `ty` at `pointer`, whose memory never changes: loaded once for all instructions that the load dominates.
    #[inline(always)]
    pub(super) fn load_once(&mut self, pointer: u32, ty: u32) -> u32 {
        match self.state.values.components.get(pointer, 0) {
            0 => self.new_load(pointer, ty),
            known => known,
        }
    }

    /// The value that a key may have instead of that which was loaded once from `pointer`: made once, too.
    pub(super) fn replaced_once(&mut self, pointer: u32, make: impl FnOnce(&mut Self) -> u32) -> u32 {
        match self.state.values.components.get(pointer, 1) {
            0 => {
                let id = make(self);
                self.state.values.components.add(pointer, 1, id);
                id
            }
            known => known,
        }
    }

    fn new_load(&mut self, pointer: u32, ty: u32) -> u32 {
        let id = self.m.value(Op::Load, ty, &[pointer]);
        self.state.values.components.add(pointer, 0, id);
        id
    }

    /// An instruction without effects; an equal one that dominates is reused.
    pub(super) fn pure(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        self.m.pure(&mut self.state.values.scope, op, ty, operands)
    }

    /// An instruction of GLSL.std.450.
    pub(super) fn ext(&mut self, op: GlslStd450Op, ty: u32, operands: &[u32]) -> u32 {
        let (id, set) = (self.m.id(), self.m.glsl());
        self.m.code.op2(Op::ExtInst, &[ty, id, set, op as u32], operands);
        id
    }
}
