// SPDX-License-Identifier: MIT

//! Lowers loads of uniform blocks at constant indices, the common case, in place.
//!
//! Their derefs become derefs of the new variable. The first load from a vec4 becomes the load of all of it if more than one of
//! its lanes is used, and ALU instructions read their lane from it: moves, which would be removed later, are made only if other
//! instructions read the lane.

use super::redirect::Redirect;
use super::survey::{Extent, Load, Survey, Uniform};
use super::vec4s::WantedVec4;
use super::Views;
use crate::entity::SideTable;
use crate::ir::{
    AluFlags, AluSrc, ArrayIndex, Changes, Def, Deref, DerefKind, Inst, InstData, InstKind, LineNumber, Shader,
    Swizzle, Type,
};
use crate::op::{AluOp, Facts, Intrinsic, Modes};
use crate::pass::Context;

/// Information about the loads.
#[derive(Default)]
pub(super) struct Tables {
    values: SideTable<Def, Value>,
    /// The moves that replace loads with uses other than ALU sources.
    copies: Vec<(Inst, AluOp, AluSrc)>,
}

/// The information about a value.
#[derive(Clone, Copy, Default)]
struct Value {
    /// Whether instructions other than ALU instructions read it.
    read_elsewhere: bool,
    /// ALU instructions read this lane of a vec4 instead.
    lane: u8,
    vec4: Option<Def>,
}

/// Whether all of a vec4 may be read: the last one of a block may exceed the bound range.
fn may_read_whole(vec4: &WantedVec4, extent: &Extent, context: &Context) -> bool {
    context.target.uniform_ranges_in_vec4s || vec4.number() < extent.readable / 16
}

/// Whether a pair is packed from lanes of a vec4 that may not be read as a whole.
pub(super) fn needs_lanes(survey: &mut Survey, context: &Context) -> bool {
    let Survey { uniforms, arrays, extents, vec4s, .. } = survey;
    let mut packs = uniforms.iter().filter(|uniform| uniform.is_pack);
    packs.any(|pack| !may_read_whole(vec4s.get_mut(pack.vec4), &extents[arrays[pack.load.array].extent], context))
}

/// Lowers the loads.
pub(super) fn lower(shader: &mut Shader, survey: &mut Survey, tables: &mut Tables, context: &Context) {
    let Survey { uniforms, arrays, extents, vec4s, changes, .. } = survey;
    tables.reset(shader);
    // Other loads may have a view as pairs.
    let are_packed = uniforms.iter().any(|uniform| uniform.is_pack);
    for array in arrays.iter().filter(|array| array.in_place) {
        let Some(Views { vec4s, pairs, .. }) = extents[array.extent].views else { continue };
        let view = pairs.filter(|_| array.pointer.bytes == 8 && !are_packed).or(vec4s);
        view.into_iter().for_each(|view| Redirect { shader, changes }.set_variable(array.def, view));
    }
    let mut lower = Lower { shader, tables, changes };
    for uniform in uniforms.iter() {
        let (vec4, extent) = (vec4s.get_mut(uniform.vec4), &extents[arrays[uniform.load.array].extent]);
        let is_whole = may_read_whole(vec4, extent, context);
        lower.load(vec4, uniform, is_whole);
    }
    lower.read_lanes();
    if uniforms.iter().any(|uniform| uniform.is_pack) {
        // Packed values are usually unpacked again.
        shader.set_tidy(false);
    }
}

impl Tables {
    fn reset(&mut self, shader: &Shader) {
        self.copies.clear();
        self.values.reset(shader.num_defs());
        shader.srcs.values().iter().for_each(|def| self.is_read_elsewhere(*def));
        shader.phi_srcs.values().iter().for_each(|src| self.is_read_elsewhere(src.def));
        shader.texs.values().flat_map(|tex| &*tex.srcs).for_each(|(_, def)| self.is_read_elsewhere(*def));
        if shader.inventory().may_have(Facts::UNUSUAL_STEPS) {
            shader.derefs.values().filter_map(|deref| deref.kind.index()).for_each(|def| self.is_read_elsewhere(def));
        }
    }

    fn is_read_elsewhere(&mut self, def: Def) {
        self.values.entry(def).read_elsewhere = true;
    }
}

/// Lowers the loads.
struct Lower<'a> {
    shader: &'a mut Shader,
    tables: &'a mut Tables,
    changes: &'a mut Changes,
}

impl Lower<'_> {
    /// Lowers a load: with all of its vec4, if that saves loads and is allowed.
    fn load(&mut self, vec4: &mut WantedVec4, uniform: &Uniform, is_whole: bool) {
        let Uniform { load: Load { inst, pointer, block, access, .. }, lane, is_pack, .. } = *uniform;
        let is_copied = is_pack || self.tables.values[inst.def()].read_elsewhere;
        let value = match vec4.loaded {
            Some((there, how, value)) if (there, how) == (block, access) => value,
            _ => {
                let Some(vector) = self.point_to_vec4(pointer, vec4.number()) else { return };
                if vec4.lanes.count_ones() == 1 || !is_whole {
                    return self.load_lane(uniform, vector);
                }
                let value = self.load_all(uniform, vector, is_copied);
                vec4.loaded = Some((block, access, value));
                value
            }
        };
        if !is_pack {
            let known = self.tables.values.entry(inst.def());
            (known.vec4, known.lane) = (Some(value), lane);
        }
        if is_copied {
            let (op, swizzle) = match is_pack {
                true => (AluOp::pack_64_2x32, Swizzle::new(&[lane, lane + 1])),
                false => (AluOp::mov, Swizzle::splat(lane)),
            };
            self.tables.copies.push((inst, op, AluSrc { def: value, swizzle }));
        } else if value != inst.def() {
            self.changes.remove(inst);
        }
    }

    /// Changes a deref of an element of an array to one of a vec4 of the array's new type. Returns the type of the vec4.
    fn point_to_vec4(&mut self, pointer: Def, number: u32) -> Option<Type> {
        let number = Some(ArrayIndex::Imm(number.into()));
        Redirect { shader: self.shader, changes: self.changes }.set_element(pointer, number)
    }

    /// Makes a load whose deref is a vec4 load one lane of it.
    fn load_lane(&mut self, uniform: &Uniform, vector: Type) {
        let Uniform { load: Load { inst, pointer, .. }, lane, .. } = *uniform;
        let InstKind::Intrinsic { srcs, .. } = self.shader.insts[inst].kind else { return };
        let Some(ty) = self.shader.types.element(vector) else { return };
        let kind = DerefKind::Array { parent: pointer, index: ArrayIndex::Imm(lane.into()) };
        let step = self.shader.push_deref(Deref { kind, ty, modes: Modes::UBO });
        let bit_size = self.shader.bit_size(pointer);
        let data = InstData { num_components: 1, bit_size, kind: InstKind::Deref(step) };
        self.shader.srcs[srcs][0] = self.insert_before(inst, data);
    }

    /// Loads all of the vec4 at the deref of a load. The load itself is changed unless it is replaced by a copy of a lane.
    fn load_all(&mut self, uniform: &Uniform, vector: Type, is_copied: bool) -> Def {
        let Load { inst, pointer, access, .. } = uniform.load;
        let (scalar, num_components) = self.shader.types.as_vector(vector).expect("vec4s are vectors");
        if !is_copied {
            self.shader.set_num_components(inst, num_components);
            return inst.def();
        }
        let op = Intrinsic::load_deref;
        let (srcs, indices) = (self.shader.srcs.push(&[pointer]), self.shader.indices.push(&[access]));
        let kind = InstKind::Intrinsic { op, srcs, indices };
        self.insert_before(inst, InstData { num_components, bit_size: scalar.bits, kind })
    }

    fn insert_before(&mut self, inst: Inst, data: InstData) -> Def {
        let new = self.shader.make(data);
        if self.shader.lines[inst] != LineNumber(0) {
            self.shader.lines.set(new, self.shader.lines[inst]);
        }
        self.changes.insert_before(inst, new);
        new.def()
    }

    /// Makes ALU instructions read lanes of vec4s, and others copies of them.
    fn read_lanes(&mut self) {
        for src in self.shader.alu_srcs.values_mut() {
            let Value { vec4, lane, .. } = self.tables.values[src.def];
            // Selected without a branch, because operands that are uniforms are unpredictable.
            let choices = [*src, AluSrc { def: vec4.unwrap_or(src.def), swizzle: Swizzle::splat(lane) }];
            *src = choices[usize::from(vec4.is_some())];
        }
        for (inst, op, src) in &self.tables.copies {
            let srcs = self.shader.push_alu_srcs(&[*src]);
            self.shader.set_kind(*inst, InstKind::Alu { op: *op, flags: AluFlags::empty(), srcs });
        }
    }
}
