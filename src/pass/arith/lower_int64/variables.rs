// SPDX-License-Identifier: MIT

//! Private and shared variables of 64-bit numbers: each number becomes two words, a vector of them an array of words.
//!
//! ```text
//! decl_var  INTERP_MODE_NONE none u64vec3[2] own      becomes      decl_var  INTERP_MODE_NONE none uvec2[3][2] own
//! ```

use crate::entity::SideTable;
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Field, Inst, Shader, Type, TypeData, TypeTable};
use crate::op::AluOp::{pack_64_2x32, unpack_64_2x32};
use crate::op::{AluType, Base, Index, Intrinsic, Modes};
use rustc_hash::FxHashMap;

/// Modes of memory whose type is not visible outside of the shader.
const OWN: Modes = Modes::SHADER_TEMP.union(Modes::FUNCTION_TEMP).union(Modes::SHARED).union(Modes::CONSTANT);

/// Turns 64-bit numbers into words, but not doubles where the target has `doubles`. True if there were any.
pub(super) fn lower(shader: &mut Shader, doubles: bool) -> bool {
    let is_pair = |scalar: AluType| scalar.bits == 64 && !(doubles && scalar.base == Base::Float);
    let pointees = pointees(shader, is_pair);
    if !retype(shader, is_pair) {
        return false;
    }
    rewrite(shader, |b, inst| {
        let Some((op, srcs)) = b.shader.as_intrinsic(inst) else { return Edit::Keep };
        let pointer = srcs.first().copied().filter(|pointer| pointees[*pointer]);
        match (op, pointer, srcs.get(1).copied()) {
            (Intrinsic::load_deref, Some(pointer), _) => Edit::Replace(load(b, inst, pointer)),
            (Intrinsic::store_deref, Some(pointer), Some(value)) => {
                store(b, inst, pointer, value);
                Edit::Remove
            }
            _ => Edit::Keep,
        }
    });
    true
}

/// The derefs of scalars or vectors that become words.
fn pointees(shader: &Shader, is_pair: impl Fn(AluType) -> bool) -> SideTable<Def, bool> {
    let mut pointees = shader.def_table(false);
    for inst in &shader.order {
        let Some(deref) = shader.as_deref(inst.def()).filter(|deref| deref.modes.intersects(OWN)) else { continue };
        let vector = shader.types.as_vector(deref.ty);
        pointees.set(inst.def(), vector.is_some_and(|(scalar, _)| is_pair(scalar)));
    }
    pointees
}

/// Gives variables and derefs their new types. True if one changed.
fn retype(shader: &mut Shader, is_pair: impl Fn(AluType) -> bool) -> bool {
    let mut changed = false;
    let mut retyping = Retyping { is_pair: &is_pair, structs: FxHashMap::default() };
    for variable in shader.vars.values_mut().filter(|variable| variable.mode.intersects(OWN)) {
        let new = retyping.of(&mut shader.types, variable.ty);
        if new == variable.ty {
            continue;
        }
        if let Some(values) = variable.values {
            let mut split = Vec::new();
            split_values(&shader.types, variable.ty, &mut shader.consts[values].iter().copied(), &is_pair, &mut split);
            // The text is that of the old type.
            (variable.values, variable.initializer) = (Some(shader.consts.push(&split)), None);
        }
        variable.ty = new;
        changed = true;
    }
    shader.change_derefs(|deref, types| {
        if deref.modes.intersects(OWN) {
            deref.ty = retyping.of(types, deref.ty);
        }
    });
    changed
}

/// Makes types of words from types with 64-bit numbers.
struct Retyping<'a> {
    is_pair: &'a dyn Fn(AluType) -> bool,
    /// Structs, which variables of other modes may use too, and their replacements.
    structs: FxHashMap<Type, Type>,
}

impl Retyping<'_> {
    fn of(&mut self, types: &mut TypeTable, ty: Type) -> Type {
        match types.get(ty) {
            TypeData::Array { elem, len, stride } => {
                let elem = self.of(types, elem);
                types.array(elem, len, stride)
            }
            TypeData::Struct(_) => match self.structs.get(&ty) {
                Some(new) => *new,
                None => self.of_struct(types, ty),
            },
            _ => types.with_vectors(ty, &|types, scalar, components| {
                let pair = types.vector(AluType::new(Base::Uint, 32), 2);
                match components {
                    _ if !(self.is_pair)(scalar) => types.vector(scalar, components),
                    1 => pair,
                    _ => types.array(pair, Some(components.into()), 8),
                }
            }),
        }
    }

    fn of_struct(&mut self, types: &mut TypeTable, ty: Type) -> Type {
        let Some(data) = types.as_struct(ty).cloned() else { return ty };
        let fields: Vec<Field> =
            data.fields.iter().map(|field| Field { ty: self.of(types, field.ty), ..*field }).collect();
        let new = if fields == data.fields { ty } else { types.new_struct(data.name, &fields) };
        self.structs.insert(ty, new);
        new
    }
}

/// The initializer of a variable of type `ty`, scalar by scalar, with the halves of those that become words.
fn split_values(
    types: &TypeTable,
    ty: Type,
    values: &mut impl Iterator<Item = u64>,
    is_pair: &impl Fn(AluType) -> bool,
    split: &mut Vec<u64>,
) {
    let (scalar, count) = match types.get(ty) {
        TypeData::Scalar(scalar) => (scalar, 1),
        TypeData::Vector(scalar, components) => (scalar, components),
        TypeData::Matrix { scalar, columns, rows } => (scalar, columns * rows),
        TypeData::Array { elem, len, .. } => {
            (0..len.unwrap_or(0)).for_each(|_| split_values(types, elem, values, is_pair, split));
            return;
        }
        _ => {
            let fields = types.as_struct(ty).map_or(&[][..], |data| &data.fields);
            fields.iter().for_each(|field| split_values(types, field.ty, values, is_pair, split));
            return;
        }
    };
    for value in values.take(count.into()) {
        match is_pair(scalar) {
            true => split.extend([value & 0xffff_ffff, value >> 32]),
            false => split.push(value),
        }
    }
}

/// A deref of the words of component `c` of the vector at `pointer`.
fn component(b: &mut Builder<'_>, pointer: Def, components: u8, c: u8) -> Def {
    match components {
        1 => pointer,
        _ => b.deref_array(pointer, ArrayIndex::Imm(c.into())),
    }
}

fn load(b: &mut Builder<'_>, inst: Inst, pointer: Def) -> Def {
    let components = b.shader.insts[inst].num_components;
    let access = b.shader.index(inst, Index::access);
    let parts: Vec<Def> = (0..components)
        .map(|c| {
            let pointer = component(b, pointer, components, c);
            let words = b.load_deref(pointer, access);
            b.alu(pack_64_2x32, &[words])
        })
        .collect();
    b.vec(&parts)
}

fn store(b: &mut Builder<'_>, inst: Inst, pointer: Def, value: Def) {
    let components = b.shader.num_components(value);
    let (access, mask) = (b.shader.index(inst, Index::access), b.shader.index(inst, Index::write_mask));
    for c in (0..components).filter(|c| mask >> c & 1 != 0) {
        let pointer = component(b, pointer, components, c);
        let scalar = b.channel(value, c);
        let words = b.alu(unpack_64_2x32, &[scalar]);
        b.store_deref(pointer, words, 3, access);
    }
}
