// SPDX-License-Identifier: MIT

//! Turns typed derefs of uniform and storage blocks into accesses to the lanes of `uvec4 base[]`.
//!
//! **What.** zink turns byte offsets into derefs of blocks `struct { uintN base[]; }`, one variable per width. Their loads,
//! stores and atomics become accesses through one variable per binding whose element is `uvec4`; see `byte_access`. The
//! arithmetic that divided an offset is undone, and accesses to lanes of one vec4 are combined: see
//! [`lower_ubo`](super::lower_ubo), "Offsets". Loads of uniform blocks at constant indices, the most common accesses, are
//! lowered in place; see `uniforms`. Storage blocks whose elements all have a width that the target supports, with accesses at
//! unknown indices, stay arrays of these elements; see `staying`.
//!
//! **Why.** `uint base[]` has a stride of 4 bytes, which a uniform block may not have without `uniformBufferStandardLayout`
//! (Vulkan, "Offset and Stride Assignment"); and variables of several widths at one binding alias. A storage block may have it.
//! In a storage block, lanes are better if a whole `uvec4` is loaded for several of them, which requires that their positions
//! are known: if not, each access would only get an additional shift and mask. Elements of 8 and 16 bits of a storage block
//! keep a variable of their own if the target supports it.
//!
//! The old derefs are removed if no other instruction reads them: they are a large part of the instructions that zink makes. A
//! `get_ssbo_size` becomes the length of a `uint base[]` at the same binding, times 4, as in [`lower_ssbo`](super::lower_ssbo).
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

mod redirect;
mod staying;
mod survey;
mod uniforms;
mod vec4s;

use super::blocks::{
    block_pointer, block_type, elements, is_block, least_range, vec4s, vector_of, BasePointers, Element, U64VEC2, UINT,
    UINT64, UVEC2, UVEC4,
};
use super::byte_access::{self, is_wide, load_wide, uniform_granularity, Granularity, Offset, Others, Vec4s, Whole};
use crate::analysis::block_picks::zinks_array;
use crate::analysis::offsets::Offsets;
use crate::analysis::uniform_reads::has_64_bits;
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, InstKind, Shader, Var, Variable};
use crate::op::{Access, AluOp, AluSet, Facts, Index, Intrinsic, Modes};
use crate::pass::{BufferAccess, Context, Pass};
use crate::target::{Descriptor, Target};
use survey::{element, is_atomic, BlockAccess, Extent, InPlace, Survey};
use vec4s::WantedVec4s;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_buffer_derefs",
    about: "turns typed derefs of uniform and storage blocks into lane accesses",
    facts: Facts::derefs(Modes::UBO.union(Modes::SSBO)),
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    shader.with_spare(|shader, memory| lower(shader, context, memory))
}

/// Tables that are kept for the next shader.
#[derive(Default)]
struct BufferTables {
    survey: Survey,
    uniforms: uniforms::Tables,
    bases: BasePointers,
    vec4s: Vec4s,
}

fn lower(shader: &mut Shader, context: &Context, memory: &mut BufferTables) -> bool {
    let survey = &mut memory.survey;
    survey.collect(shader, context, in_place(shader, context));
    if !survey.uniforms.is_empty() && (survey.has_others || uniforms::needs_lanes(survey, context)) {
        // Their derefs may not change, or a pair has to be loaded by lanes.
        survey.collect(shader, context, InPlace::Nothing);
    }
    let mut sized = Sized::new(shader);
    if survey.accesses.is_empty() && survey.uniforms.is_empty() && survey.staying.is_empty() && sized.is_none() {
        return false;
    }
    survey.declare(shader, context);
    if let Some(sized) = &mut sized {
        sized.view = survey.views(shader, sized.extent.var).and_then(|views| views.words);
    }
    if !survey.accesses.is_empty() || sized.is_some() {
        lower_others(shader, context, memory, sized);
    }
    let BufferTables { survey, uniforms, .. } = memory;
    if !survey.has_others {
        if !survey.uniforms.is_empty() {
            uniforms::lower(shader, survey, uniforms, context);
        }
        if !survey.staying.is_empty() {
            staying::lower(shader, survey);
        }
        shader.change_order(&survey.changes);
    }
    debug_assert!(!shader.order.iter().any(|inst| is_typed_access(shader, *inst)));
    true
}

/// Lowers accesses that are not lowered in place. It is a function of its own because most shaders have only the others.
#[inline(never)]
fn lower_others(shader: &mut Shader, context: &Context, memory: &mut BufferTables, sized: Option<Sized>) {
    let BufferTables { survey, bases, vec4s, .. } = memory;
    let Survey { accesses, extents, vec4s: wanted, offsets, .. } = survey;
    bases.clear();
    vec4s.clear();
    let mut accesses = accesses.iter();
    let next = accesses.next();
    let mut lower = Lower { context, extents, offsets, wanted, next, accesses, sized, bases, vec4s };
    rewrite(shader, |b, inst| lower.visit(b, inst));
    offsets.forget(shader);
}

/// The forms that loads of uniform blocks may take in place. Pairs of lanes stay lanes if the target lacks 64 bits, or if an
/// instruction may split them again.
fn in_place(shader: &Shader, context: &Context) -> InPlace {
    let inventory = shader.inventory();
    let takes_apart = || {
        inventory.has_any_alu(&UNPACKS) || inventory.may_have(Facts::derefs(Modes::SSBO)) || inventory.has_any(STORES)
    };
    match context.buffer_access {
        BufferAccess::Lane => InPlace::Nothing,
        BufferAccess::Auto if has_64_bits(&context.target) && !takes_apart() => InPlace::Pairs,
        BufferAccess::Auto => InPlace::Lanes,
    }
}

/// Opcodes that split 64 bits.
const UNPACKS: AluSet = AluSet::of(&[
    AluOp::unpack_64_2x32,
    AluOp::unpack_64_2x32_split_x,
    AluOp::unpack_64_2x32_split_y,
    AluOp::unpack_64_4x16,
]);

/// Stores of lanes, 64 bits among them.
const STORES: &[Intrinsic] = &[Intrinsic::store_ssbo, Intrinsic::store_global];

/// Whether `inst` accesses a block other than by lanes, which only accesses to elements of new variables and atomics that are
/// not on a lane do afterwards.
pub(in crate::pass) fn is_typed_access(shader: &Shader, inst: Inst) -> bool {
    let Some((op, array, _)) = element(shader, inst) else { return false };
    if is_block(shader, shader.vars[array.var].ty) {
        return false;
    }
    !((is_atomic(op) || is_atomic_access(shader.index(inst, Index::access))) && array.bytes != 4)
}

impl Extent {
    fn declare(&self, shader: &mut Shader, context: &Context) -> Views {
        let target = &context.target;
        let (first, count) = (shader.vars[self.var].driver_location, self.count.map_or(1, |count| count.unwrap_or(1)));
        let len = self.is_ubo.then(|| vec4s(self.bytes.unwrap_or_else(|| context.most_bytes(first, count))));
        let vec4s = self.lanes.then(|| declare(shader, target, UVEC4, len, self));
        let pairs = self.pairs.then(|| declare(shader, target, U64VEC2, len, self));
        let len_if_seen = |lanes: u32| (self.seen & lanes != 0).then(|| len.map(|len| elements(len, vector_of(lanes))));
        let halves = len_if_seen(2).map(|len| declare(shader, target, UVEC2, len, self));
        let words = len_if_seen(1).or((self.stays & 4 != 0).then_some(None));
        let words = words.map(|len| declare(shader, target, UINT, len, self));
        let has_64 = self.atomic64 || self.stays & 8 != 0;
        let var64 = has_64.then(|| declare(shader, target, UINT64, None, self));
        let narrow = [(0, 8), (1, 16)].map(|(slot, bits)| {
            let has = self.narrow[slot] && !self.is_ubo && byte_access::has_elements(target, bits);
            has.then(|| declare(shader, target, Element { bits, components: 1 }, None, self))
        });
        Views { vec4s, pairs, halves, words, var64, narrow, len }
    }
}

/// The storage blocks whose size is queried: zink's one array of them.
struct Sized {
    extent: Extent,
    /// The block index that the array starts at, which zink's own translator ignores.
    first: u32,
    /// The variable for queries of their lengths, once there is one.
    view: Option<Var>,
}

impl Sized {
    fn new(shader: &Shader) -> Option<Sized> {
        if !shader.inventory().has(Intrinsic::get_ssbo_size) {
            return None;
        }
        let (var, first) = zinks_array(shader)?;
        let mut extent = Extent::new(shader, var, None);
        extent.written = true;
        Some(Sized { extent, first, view: None })
    }

    fn bytes(&mut self, b: &mut Builder<'_>, target: &Target, inst: Inst, block: Def) -> Def {
        let var = *self.view.get_or_insert_with(|| declare(b.shader, target, UINT, None, &self.extent));
        let block = b.channel(block, 0);
        let index = b.iadd_imm(block, u64::from(self.first.wrapping_neg()));
        let pointer = block_pointer(b, var, self.extent.count.map(|_| ArrayIndex::Def(index)));
        let len = b.intrinsic(Intrinsic::deref_buffer_array_length, 1, 32, &[pointer]);
        let access = b.shader.index(inst, Index::access);
        b.shader.set_index(len, Index::access, access);
        b.ishl_imm(len.def(), 2)
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
    let is_known = extent.is_ubo && extent.count.flatten().map_or(true, |count| count == 1) && !extent.is_dynamic;
    let min_range = if is_known { least_range(target, extent.readable) } else { 0 };
    shader.vars.push(Variable { ty, access, min_range, descriptor_set: Some(set), ..old })
}

/// The new variables of a key.
#[derive(Clone, Copy)]
struct Views {
    vec4s: Option<Var>,
    /// The same as pairs of lanes.
    pairs: Option<Var>,
    /// The same as `uvec2`s,
    halves: Option<Var>,
    /// as words,
    words: Option<Var>,
    /// and as numbers of 64 bits.
    var64: Option<Var>,
    /// The variables with elements of 8 and 16 bits.
    narrow: [Option<Var>; 2],
    len: Option<u32>,
}

impl Views {
    /// The variable whose elements are vectors of this number of lanes.
    fn of_vectors(&self, lanes: u32) -> Option<Var> {
        match lanes {
            4 => self.vec4s,
            2 => self.halves,
            _ => self.words,
        }
    }

    /// The variable whose elements are numbers of this number of bytes.
    fn of_elements(&self, bytes: u32) -> Option<Var> {
        match bytes {
            1 => self.narrow[0],
            2 => self.narrow[1],
            4 => self.words,
            _ => self.var64,
        }
    }
}

/// The walk that lowers accesses that are not lowered in place.
struct Lower<'a> {
    context: &'a Context,
    extents: &'a [Extent],
    offsets: &'a Offsets,
    wanted: &'a mut WantedVec4s,
    /// The access that the walk reaches next, and those after it.
    next: Option<&'a BlockAccess>,
    accesses: std::slice::Iter<'a, BlockAccess>,
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
                Edit::Replace(sized.bytes(b, &self.context.target, inst, block))
            }
            _ => Edit::Keep,
        }
    }

    /// Lowers an access.
    fn access(&mut self, b: &mut Builder<'_>, found: &BlockAccess) -> Edit {
        let inst = found.inst;
        let extent = &self.extents[found.extent];
        let Extent { is_ubo, views: Some(views), .. } = *extent else { return Edit::Keep };
        // Read again, because values in it may have been replaced by now.
        let Some((op, array, index)) = element(b.shader, inst) else { return Edit::Keep };
        let size = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
        let access = b.shader.index(inst, Index::access);
        let own = match array.bytes {
            8 => views.var64,
            4 => None,
            bytes => views.of_elements(bytes).filter(|_| !is_atomic(op)),
        };
        if let Some(var) = own {
            let base = self.bases.get(b, var, array.block);
            let pointer = b.deref_array(base, index);
            match op {
                Intrinsic::load_deref => return Edit::Replace(b.load_deref(pointer, access)),
                Intrinsic::store_deref => b.store_deref(pointer, stored(b.shader, inst), 1, access),
                _ => return Edit::Replace(byte_access::atomic_at(b, inst, pointer, 1)),
            }
            return Edit::Remove;
        }
        let offset = match index {
            ArrayIndex::Imm(index) => Offset::constant(inst.def(), (index as u32).wrapping_mul(array.bytes)),
            ArrayIndex::Def(index) => Offset::of_element(b.shader, self.offsets, index, array.bytes),
        };
        if let (true, Some(pairs)) = (is_ubo && is_wide(self.context, offset, 8 * array.bytes), views.pairs) {
            let base = self.bases.get(b, pairs, array.block);
            return Edit::Replace(load_wide(b, (base, access), (offset, self.offsets), size.0));
        }
        let granularity = if is_ubo { uniform_granularity(self.context) } else { Granularity::Vec4s };
        let address = offset.address(b, self.offsets, granularity);
        let lanes = offset.view(granularity);
        let Some(var) = views.of_vectors(lanes) else { return Edit::Keep };
        let wanted = found.vec4.map_or(0, |at| self.wanted.get_mut(at).lanes);
        let memory = byte_access::MemoryView {
            base: self.bases.get(b, var, array.block),
            access,
            whole: self.whole(extent, offset, wanted),
            lanes,
            len: views.len,
            shared: true,
            in_pairs: false,
            at_address: false,
        };
        match op {
            Intrinsic::load_deref => {
                let vec4s = is_ubo.then_some(&mut *self.vec4s);
                Edit::Replace(byte_access::load(b, &memory, address, size, Others { lanes: |_| wanted, vec4s }))
            }
            Intrinsic::store_deref => {
                byte_access::store(b, &memory, address, stored(b.shader, inst), 1);
                Edit::Remove
            }
            _ => Edit::Replace(byte_access::atomic(b, &self.context.target, &memory, address, (inst, 1))),
        }
    }

    /// The condition for loading a whole vec4 of which these lanes are used.
    fn whole(&self, extent: &Extent, offset: Offset, wanted: u8) -> Whole {
        match (self.context.buffer_access, extent.is_ubo) {
            (BufferAccess::Lane, _) => Whole::Never,
            (BufferAccess::Auto, false) => Whole::Covered,
            (BufferAccess::Auto, true) if self.context.target.uniform_ranges_in_vec4s => Whole::Always,
            (BufferAccess::Auto, true) if offset.as_static().is_some() => Whole::Until(extent.readable),
            // The used lanes are loaded in the same block of the IR, so the last lane exists if it is among these.
            (BufferAccess::Auto, true) if wanted & 8 != 0 => Whole::Always,
            (BufferAccess::Auto, true) => Whole::Covered,
        }
    }
}

/// The value that the store `inst` stores.
fn stored(shader: &Shader, inst: Inst) -> Def {
    shader.as_intrinsic(inst).map(|(_, srcs)| srcs[1]).expect("an intrinsic")
}
