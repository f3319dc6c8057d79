//! Typed pointers into uniform and storage blocks become accesses to the lanes of `uvec4 base[]`.
//!
//! **What.** zink turns byte offsets into derefs of blocks `struct { uintN base[]; }`, one variable per width. Their
//! loads, stores and atomics become accesses through one variable per binding whose element is `uvec4`; see `lanes`. Loads of
//! uniform blocks at known places, which are most, are lowered where they stand; see `uniforms`. Storage blocks of which all
//! accesses are to words, some at places that are not known, stay arrays of words; see `words`.
//!
//! **Why.** `uint base[]` has a stride of 4 bytes, which a uniform block may not have without
//! `uniformBufferStandardLayout` (Vulkan, "Offset and Stride Assignment"); and variables of several widths at one
//! binding alias. A storage block may have it. Lanes pay there where a whole `uvec4` is loaded for several of them, for which
//! their places must be known: where they are not, each access would only get a shift and a mask more. Elements of 8 and 16
//! bits of a storage block keep a variable of their own if the target has such.
//!
//! The old derefs go if nothing else reads them: they are a good part of what zink makes. A `get_ssbo_size` becomes the length of a
//! `uint base[]` at the same binding, times 4, as in [`lower_ssbo`](super::lower_ssbo).
//!
//! Before:
//!
//! ```text
//! 32     %1 = deref_var &uniform_0@32 (ubo struct[1])
//! 32     %2 = deref_array &(*%1)[0] (ubo struct)  // &uniform_0@32[0]
//! 32     %3 = deref_struct &%2->base (ubo uint[8])  // &uniform_0@32[0].base
//! 32     %4 = deref_array &(*%3)[5] (ubo uint)  // &uniform_0@32[0].base[5]
//! 32     %5 = @load_deref (%4) (access=none)
//! 32     %6 = deref_var &ssbos@32 (ssbo struct[1])
//! 32     %7 = deref_array &(*%6)[0] (ssbo struct)  // &ssbos@32[0]
//! 32     %8 = deref_struct &%7->base (ssbo uint[])  // &ssbos@32[0].base
//! 32     %9 = deref_array &(*%8)[%5] (ssbo uint)  // &ssbos@32[0].base[%5]
//!             @store_deref (%9, %5) (wrmask=x, access=none)
//! ```
//!
//! After:
//!
//! ```text
//! 32     %1 = deref_var &uniform_0@32#1 (ubo block[1])
//! 32     %2 = deref_array &(*%1)[0] (ubo block)  // &uniform_0@32#1[0]
//! 32     %3 = deref_struct &%2->base (ubo uvec4[2])  // &uniform_0@32#1[0].base
//! 32     %4 = deref_array &(*%3)[1] (ubo uvec4)  // &uniform_0@32#1[0].base[1]
//! 32     %5 = deref_array &(*%4)[1] (ubo uint)  // &uniform_0@32#1[0].base[1][1]
//! 32     %6 = @load_deref (%5) (access=none)
//! 32     %7 = deref_var &ssbos@32#0 (ssbo block[1])
//! 32     %8 = deref_array &(*%7)[0] (ssbo block)  // &ssbos@32#0[0]
//! 32     %9 = deref_struct &%8->base (ssbo uint[])  // &ssbos@32#0[0].base
//! 32    %10 = deref_array &(*%9)[%6] (ssbo uint)  // &ssbos@32#0[0].base[%6]
//!             @store_deref (%10, %6) (wrmask=x, access=none)
//! ```

mod steps;
mod survey;
mod uniforms;
mod vec4s;
mod words;

use super::blocks::{
    base_pointer, block_pointer, block_type, is_block, vec4s, BasePointers, Element, U64VEC2, UINT, UINT64, UVEC4,
};
use super::lanes::{self, Address, Others, Vec4s, Whole};
use super::{BufferAccess, Context, Forms, Pass};
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, InstKind, Shader, Var, Variable};
use crate::op::{Access, AluOp, AluSet, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Feature, Target};
use survey::{element, is_atomic, Extent, Found, InPlace, Survey};
use vec4s::WantedVec4s;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_buffer_derefs",
    about: "typed pointers into uniform and storage blocks become lane accesses",
    removes: Forms::BUFFER_DEREFS,
    run,
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    if !shader.inventory().has_derefs(Modes::UBO | Modes::SSBO) {
        return false;
    }
    shader.with_spare(|shader, memory| lower(shader, context, memory))
}

/// What the pass allocates.
#[derive(Default)]
struct Memory {
    survey: Survey,
    uniforms: uniforms::Tables,
    bases: BasePointers,
    vec4s: Vec4s,
}

fn lower(shader: &mut Shader, context: &Context, Memory { survey, uniforms, bases, vec4s }: &mut Memory) -> bool {
    survey.look_at(shader, in_place(shader, context));
    if survey.has_others && !survey.uniforms.is_empty() {
        // The pointers in front of them may not change.
        survey.look_at(shader, InPlace::Nothing);
    }
    let mut sized = Sized::new(shader);
    if survey.accesses.is_empty() && survey.uniforms.is_empty() && survey.words.is_empty() && sized.is_none() {
        return false;
    }
    survey.declare(shader, &context.target);
    if let Some(sized) = &mut sized {
        sized.view = survey.views(shader, sized.extent.var).and_then(|views| views.words);
    }
    if !survey.accesses.is_empty() || sized.is_some() {
        let Survey { accesses, extents, vec4s: wanted, .. } = &mut *survey;
        bases.clear();
        vec4s.clear();
        let mut accesses = accesses.iter();
        let next = accesses.next();
        let mut lower = Lower { context, extents, wanted, next, accesses, sized, bases, vec4s };
        rewrite(shader, |b, inst| lower.visit(b, inst));
    }
    if !survey.has_others {
        if !survey.uniforms.is_empty() {
            uniforms::lower(shader, survey, uniforms);
        }
        if !survey.words.is_empty() {
            words::lower(shader, survey);
        }
        shader.change_order(&survey.changes);
    }
    true
}

/// What loads of uniform blocks may become in their places. Pairs of lanes stay lanes where the target lacks 64 bits, or where
/// something may take them apart again.
fn in_place(shader: &Shader, context: &Context) -> InPlace {
    let inventory = shader.inventory();
    let has_64_bits = context.target.has(Feature::shaderInt64) && context.target.has(Feature::shaderFloat64);
    let takes_apart =
        || inventory.has_any_alu(&UNPACKS) || inventory.has_derefs(Modes::SSBO) || inventory.has_any(STORES);
    match context.buffer_access {
        BufferAccess::Lane => InPlace::Nothing,
        BufferAccess::Auto if has_64_bits && !takes_apart() => InPlace::Pairs,
        BufferAccess::Auto => InPlace::Lanes,
    }
}

/// What takes 64 bits apart.
const UNPACKS: AluSet = AluSet::of(&[
    AluOp::unpack_64_2x32,
    AluOp::unpack_64_2x32_split_x,
    AluOp::unpack_64_2x32_split_y,
    AluOp::unpack_64_4x16,
]);

/// Stores of lanes, 64 bits among them.
const STORES: &[Intrinsic] = &[Intrinsic::store_ssbo, Intrinsic::store_global];

/// Whether `inst` accesses a block other than by lanes, as only accesses to elements of new variables do afterwards, and atomics
/// that are no lane; for [`Forms`](super::Forms).
pub(super) fn is_typed_access(shader: &Shader, inst: Inst) -> bool {
    let Some((op, array, _)) = element(shader, inst) else { return false };
    if array.bytes <= 4 && is_block(shader, shader.vars[array.var].ty) {
        return false;
    }
    !((is_atomic(op) || is_atomic_access(shader.index(inst, Index::access))) && array.bytes != 4)
}

impl Extent {
    fn declare(&self, shader: &mut Shader, target: &Target) -> Views {
        let len = self.is_ubo.then(|| vec4s(self.bytes.unwrap_or(target.max_uniform_buffer_range)));
        let vec4s = self.lanes.then(|| declare(shader, target, UVEC4, len, self));
        let pairs = self.pairs.then(|| declare(shader, target, U64VEC2, len, self));
        let words = self.words.then(|| declare(shader, target, UINT, None, self));
        let var64 = self.atomic64.then(|| declare(shader, target, UINT64, None, self));
        let narrow = [(0, 8), (1, 16)].map(|(slot, bits)| {
            let has = self.narrow[slot] && !self.is_ubo && lanes::has_elements(target, bits);
            has.then(|| declare(shader, target, Element { bits, components: 1 }, None, self))
        });
        Views { vec4s, pairs, words, var64, narrow, len }
    }
}

/// The storage blocks whose size is asked for: zink's one array of them.
struct Sized {
    extent: Extent,
    /// The block index that the array starts at, which zink's own translator forgets.
    first: u32,
    /// The variable that has their lengths, once there is one.
    view: Option<Var>,
}

impl Sized {
    fn new(shader: &Shader) -> Option<Sized> {
        if !shader.inventory().has(Intrinsic::get_ssbo_size) {
            return None;
        }
        let is_zinks = |v: &Variable| v.mode == Modes::SSBO && shader.strings[v.name].starts_with("ssbos@");
        let (var, variable) = shader.vars.iter().find(|(_, v)| is_zinks(v))?;
        let mut extent = Extent::new(shader, var, None);
        extent.written = true;
        Some(Sized { extent, first: variable.driver_location, view: None })
    }

    fn bytes(&mut self, b: &mut Builder<'_>, target: &Target, block: Def) -> Def {
        let var = *self.view.get_or_insert_with(|| declare(b.shader, target, UINT, None, &self.extent));
        let block = b.channel(block, 0);
        let index = b.iadd_imm(block, u64::from(self.first.wrapping_neg()));
        let pointer = block_pointer(b, var, self.extent.count.map(|_| ArrayIndex::Def(index)));
        let len = b.intrinsic(Intrinsic::deref_buffer_array_length, 1, 32, &[pointer]).def();
        b.ishl_imm(len, 2)
    }
}

fn is_atomic_access(access: u32) -> bool {
    Access::from_bits_retain(access).contains(Access::ATOMIC)
}

fn declare(shader: &mut Shader, target: &Target, element: Element, len: Option<u32>, extent: &Extent) -> Var {
    let mut ty = block_type(shader, element, len);
    if let Some(count) = extent.count {
        ty = shader.types.array(ty, count, 0);
    }
    let old = shader.vars[extent.var].clone();
    let descriptor = match (old.mode, old.driver_location) {
        (Modes::UBO, 0) => Descriptor::DefaultUniforms,
        (Modes::UBO, _) => Descriptor::UniformBuffer,
        _ => Descriptor::StorageBuffer,
    };
    let set = old.descriptor_set.unwrap_or(target.descriptor_set(descriptor));
    let access = if extent.written { old.access } else { old.access | Access::READONLY };
    shader.vars.push(Variable { ty, access, descriptor_set: Some(set), ..old })
}

/// The new variables behind a key.
#[derive(Clone, Copy)]
struct Views {
    vec4s: Option<Var>,
    /// The same as pairs of lanes.
    pairs: Option<Var>,
    /// The one whose words are accessed where they are.
    words: Option<Var>,
    /// The one for 64-bit atomics.
    var64: Option<Var>,
    /// Those for elements of 8 and 16 bits.
    narrow: [Option<Var>; 2],
    len: Option<u32>,
}

/// The walk that lowers what is not lowered in place.
struct Lower<'a> {
    context: &'a Context,
    extents: &'a [Extent],
    wanted: &'a mut WantedVec4s,
    /// The access that the walk reaches next, and those behind it.
    next: Option<&'a Found>,
    accesses: std::slice::Iter<'a, Found>,
    sized: Option<Sized>,
    bases: &'a mut BasePointers,
    vec4s: &'a mut Vec4s,
}

impl Lower<'_> {
    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        if let Some(found) = self.next.filter(|found| found.inst == inst) {
            self.next = self.accesses.next();
            return self.access(b, found);
        }
        match (b.shader.insts[inst].kind, &mut self.sized) {
            (InstKind::Intrinsic { op: Intrinsic::get_ssbo_size, srcs, .. }, Some(sized)) => {
                let block = b.shader.srcs[srcs][0];
                Edit::Replace(sized.bytes(b, &self.context.target, block))
            }
            _ => Edit::Keep,
        }
    }

    /// Lowers an access.
    fn access(&mut self, b: &mut Builder<'_>, found: &Found) -> Edit {
        let inst = found.inst;
        let Extent { is_ubo, views: Some(views), .. } = self.extents[found.extent] else { return Edit::Keep };
        let Some(vec4s) = views.vec4s else { return Edit::Keep };
        // Taken apart again: the values in it may have got other names by now.
        let Some((op, array, index)) = element(b.shader, inst) else { return Edit::Keep };
        let size = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
        if let (true, 64, Some(var64)) = (is_atomic(op), size.1, views.var64) {
            let base = base_pointer(b, var64, array.block);
            let pointer = b.deref_array(base, index);
            return Edit::Replace(lanes::atomic_at(b, inst, pointer, 1));
        }
        let access = b.shader.index(inst, Index::access);
        let narrow = array.narrow_slot().and_then(|slot| views.narrow[slot]);
        if let (Some(var), false) = (narrow, is_atomic(op)) {
            let base = self.bases.get(b, var, array.block);
            let pointer = b.deref_array(base, index);
            if op == Intrinsic::load_deref {
                return Edit::Replace(b.load_deref(pointer, access));
            }
            b.store_deref(pointer, stored(b.shader, inst), 1, access);
            return Edit::Remove;
        }
        let address = Address::element(b, index, array.bytes);
        let memory = lanes::Memory {
            base: self.bases.get(b, vec4s, array.block),
            access,
            whole: self.whole(is_ubo),
            len: views.len,
            shared: true,
            in_pairs: false,
            at_address: false,
        };
        match op {
            Intrinsic::load_deref => {
                let wanted = found.vec4.map_or(0, |at| self.wanted.get_mut(at).lanes);
                let vec4s = is_ubo.then_some(&mut *self.vec4s);
                Edit::Replace(lanes::load(b, &memory, address, size, Others { lanes: |_| wanted, vec4s }))
            }
            Intrinsic::store_deref => {
                lanes::store(b, &memory, address, stored(b.shader, inst), 1);
                Edit::Remove
            }
            _ => Edit::Replace(lanes::atomic(b, &self.context.target, &memory, address, (inst, 1))),
        }
    }

    fn whole(&self, is_ubo: bool) -> Whole {
        match (self.context.buffer_access, is_ubo) {
            (BufferAccess::Lane, _) => Whole::Never,
            (BufferAccess::Auto, true) => Whole::Always,
            (BufferAccess::Auto, false) => Whole::Covered,
        }
    }
}

/// The value that the store `inst` stores.
fn stored(shader: &Shader, inst: Inst) -> Def {
    shader.as_intrinsic(inst).map(|(_, srcs)| srcs[1]).expect("an intrinsic")
}
