//! Typed pointers into uniform and storage blocks become accesses to the lanes of `uvec4 base[]`.
//!
//! **What.** zink turns byte offsets into derefs of blocks `struct { uintN base[]; }`, one variable per width. Their
//! loads, stores and atomics become accesses through one variable per binding whose element is `uvec4`; see `lanes`.
//!
//! **Why.** `uint base[]` has a stride of 4 bytes, which a uniform block may not have without
//! `uniformBufferStandardLayout` (Vulkan, "Offset and Stride Assignment"); and variables of several widths at one
//! binding alias. Elements of 8 and 16 bits of a storage block keep a variable of their own if the target has such.
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
//! ```
//!
//! After:
//!
//! ```text
//! 32    %1 = deref_var &uniform_0@32#0 (ubo block[1])
//! 32    %2 = deref_array &(*%1)[0] (ubo block)  // &uniform_0@32#0[0]
//! 32    %3 = deref_struct &%2->base (ubo uvec4[2])  // &uniform_0@32#0[0].base
//! 32    %4 = deref_array &(*%3)[1] (ubo uvec4)  // &uniform_0@32#0[0].base[1]
//! 32    %5 = deref_array &(*%4)[1] (ubo uint)  // &uniform_0@32#0[0].base[1][1]
//! 32    %6 = @load_deref (%5) (access=none)
//! ```

mod survey;

use super::blocks::{
    base_pointer, block_pointer, block_type, is_block, vec4s, BasePointers, Element, UINT, UINT64, UVEC4,
};
use super::lanes::{self, Address, Others, Vec4s, Whole};
use super::{BufferAccess, Context, Forms, Pass};
use crate::ir::{
    rewrite_cf, AluFlags, AluSrc, ArrayIndex, Builder, Def, Edit, Inst, InstData, InstKind, Rewriter, Shader, Swizzle,
    Var, Variable,
};
use crate::op::{Access, AluOp, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Target};
use survey::{element, is_atomic, is_buffer, Extent, Found, Survey, WantedVec4s};

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
    bases: BasePointers,
    vec4s: Vec4s,
}

fn lower(shader: &mut Shader, context: &Context, Memory { survey, bases, vec4s }: &mut Memory) -> bool {
    survey.look_at(shader);
    let sized = Sized::new(shader);
    if survey.accesses.is_empty() && sized.is_none() {
        return false;
    }
    survey.declare(shader, &context.target);
    let Survey { accesses, extents, vec4s: wanted, has_others, .. } = survey;
    let mut accesses = accesses.iter();
    let next = accesses.next();
    bases.clear();
    vec4s.clear();
    let drops_derefs = !*has_others;
    rewrite_cf(shader, &mut Lower { context, extents, wanted, next, accesses, drops_derefs, sized, bases, vec4s })
}

/// Whether `inst` accesses a block other than by lanes, as only atomics that are no lane do afterwards; for
/// [`Forms`](super::Forms).
pub(super) fn is_typed_access(shader: &Shader, inst: Inst) -> bool {
    let Some((op, array, _)) = element(shader, inst) else { return false };
    if array.narrow_slot().is_some() && is_block(shader, shader.vars[array.var].ty) {
        return false;
    }
    !((is_atomic(op) || is_atomic_access(shader.index(inst, Index::access))) && array.bytes != 4)
}

impl Extent {
    fn declare(&self, shader: &mut Shader, target: &Target) -> Views {
        let len = self.is_ubo.then(|| vec4s(self.bytes.unwrap_or(target.max_uniform_buffer_range)));
        let var = declare(shader, target, UVEC4, len, self);
        let var64 = self.atomic64.then(|| declare(shader, target, UINT64, None, self));
        let narrow = [(0, 8), (1, 16)].map(|(slot, bits)| {
            let has = self.narrow[slot] && !self.is_ubo && lanes::has_elements(target, bits);
            has.then(|| declare(shader, target, Element { bits, components: 1 }, None, self))
        });
        Views { var, var64, narrow, len }
    }
}

/// The storage blocks whose size is asked for: zink's one array of them.
struct Sized {
    extent: Extent,
    /// The block index that the array starts at, which zink's own translator forgets.
    first: u32,
}

impl Sized {
    fn new(shader: &Shader) -> Option<Sized> {
        if !shader.inventory().has(Intrinsic::get_ssbo_size) {
            return None;
        }
        let is_zinks = |v: &Variable| v.mode == Modes::SSBO && shader.strings[v.name].starts_with("ssbos@");
        let (var, variable) = shader.vars.iter().find(|(_, v)| is_zinks(v))?;
        let extent = Extent { written: true, ..Extent::new(shader, var, None) };
        Some(Sized { extent, first: variable.driver_location })
    }

    fn bytes(&self, b: &mut Builder<'_>, target: &Target, block: Def) -> Def {
        let var = declare(b.shader, target, UINT, None, &self.extent);
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
    var: Var,
    /// The one for 64-bit atomics.
    var64: Option<Var>,
    /// Those for elements of 8 and 16 bits.
    narrow: [Option<Var>; 2],
    len: Option<u32>,
}

/// The walk that lowers.
struct Lower<'a> {
    context: &'a Context,
    extents: &'a [Extent],
    wanted: &'a mut WantedVec4s,
    /// The access that the walk reaches next, and those behind it.
    next: Option<&'a Found>,
    accesses: std::slice::Iter<'a, Found>,
    /// Nothing reads pointers into blocks any more.
    drops_derefs: bool,
    sized: Option<Sized>,
    bases: &'a mut BasePointers,
    vec4s: &'a mut Vec4s,
}

impl Rewriter for Lower<'_> {
    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        if self.next.is_some_and(|found| found.inst == inst) {
            return self.reach(b);
        }
        match b.shader.insts[inst].kind {
            InstKind::Deref(deref) if self.drops_derefs && is_buffer(b.shader.derefs[deref].modes) => Edit::Remove,
            InstKind::Intrinsic { op: Intrinsic::get_ssbo_size, srcs, .. } => match &self.sized {
                Some(sized) => {
                    let block = b.shader.srcs[srcs][0];
                    Edit::Replace(sized.bytes(b, &self.context.target, block))
                }
                None => Edit::Keep,
            },
            _ => Edit::Keep,
        }
    }
}

impl Lower<'_> {
    /// Lowers the access that the walk has reached.
    fn reach(&mut self, b: &mut Builder<'_>) -> Edit {
        let Some(found) = std::mem::replace(&mut self.next, self.accesses.next()) else { return Edit::Keep };
        match found.vec4 {
            Some(vec4) if self.load_of_vec4(b, found, vec4) => Edit::Keep,
            _ => self.access(b, found),
        }
    }

    /// The frequent case in short: a load from byte `byte` of a vec4 of a uniform block at a known place. The load itself
    /// becomes what it gives, a lane of the vec4 or two, or loads its lane if no other is wanted. False if this is not the case.
    fn load_of_vec4(&mut self, b: &mut Builder<'_>, found: &Found, (at, byte): (usize, u32)) -> bool {
        let InstData { bit_size, kind: InstKind::Intrinsic { op: Intrinsic::load_deref, srcs, .. }, .. } =
            b.shader.insts[found.inst]
        else {
            return false;
        };
        let Some(Views { var, len: Some(len), .. }) = self.extents[found.extent].views else { return false };
        let access = b.shader.index(found.inst, Index::access);
        let vec4 = self.wanted.get_mut(at);
        let (number, lane) = (vec4.number(), (byte / 4) as u8);
        let whole = self.context.buffer_access == BufferAccess::Auto && vec4.lanes.count_ones() > 1;
        let is_plain = !Access::from_bits_retain(access).intersects(Access::ATOMIC | Access::VOLATILE);
        if !is_plain || number >= len || bit_size < 32 || bit_size > 32 && !whole {
            return false;
        }
        let block = b.current_block();
        let value = match vec4.loaded {
            Some((there, how, value)) if (there, how) == (block, access) => value,
            _ => {
                let base = self.bases.get(b, var, vec4.block);
                let pointer = b.deref_array(base, ArrayIndex::Imm(number.into()));
                if !whole {
                    b.shader.srcs[srcs][0] = b.deref_array(pointer, ArrayIndex::Imm(lane.into()));
                    return true;
                }
                let value = b.load_deref(pointer, access);
                vec4.loaded = Some((block, access, value));
                value
            }
        };
        let (op, swizzle) = match bit_size {
            32 => (AluOp::mov, Swizzle::splat(lane)),
            _ => (AluOp::pack_64_2x32, Swizzle::new(&[lane, lane + 1])),
        };
        let srcs = b.shader.push_alu_srcs(&[AluSrc { def: value, swizzle }]);
        b.shader.set_kind(found.inst, InstKind::Alu { op, flags: AluFlags::empty(), srcs });
        true
    }

    /// Lowers an access.
    fn access(&mut self, b: &mut Builder<'_>, found: &Found) -> Edit {
        let inst = found.inst;
        let Extent { is_ubo, views: Some(views), .. } = self.extents[found.extent] else { return Edit::Keep };
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
            base: self.bases.get(b, views.var, array.block),
            access,
            whole: self.whole(is_ubo),
            len: views.len,
            shared: true,
            in_pairs: false,
            at_address: false,
        };
        match op {
            Intrinsic::load_deref => {
                let wanted = found.vec4.map_or(0, |(at, _)| self.wanted.get_mut(at).lanes);
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
