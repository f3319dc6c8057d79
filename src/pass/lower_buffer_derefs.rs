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
use super::lanes::{self, Address, Memory, Others, Vec4s, Whole};
use super::{BufferAccess, Context, Forms, Pass};
use crate::ir::{rewrite_cf, ArrayIndex, Builder, Def, Edit, Inst, InstKind, Rewriter, Shader, Var, Variable};
use crate::op::{Access, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Target};
use survey::{is_atomic, is_buffer, operation, Extent, Found, Survey};

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
    let mut survey = Survey::new(shader);
    let sized = Sized::new(shader);
    if survey.accesses.is_empty() && sized.is_none() {
        return false;
    }
    survey.declare(shader, &context.target);
    let accesses = survey.accesses.iter();
    let (bases, vec4s) = (BasePointers::default(), Vec4s::default());
    rewrite_cf(shader, &mut Lower { context, survey: &survey, accesses, sized, bases, vec4s })
}

/// Whether `inst` accesses a block other than by lanes, as only atomics that are no lane do afterwards; for
/// [`Forms`](super::Forms).
pub(super) fn is_typed_access(shader: &Shader, inst: Inst) -> bool {
    let Some((op, element)) = operation(shader, inst) else { return false };
    if element.narrow_slot().is_some() && is_block(shader, shader.vars[element.var].ty) {
        return false;
    }
    !((is_atomic(op) || is_atomic_access(shader.index(inst, Index::access))) && element.bytes != 4)
}

impl Extent {
    fn declare(&self, shader: &mut Shader, target: &Target) -> Block {
        let len = self.is_ubo.then(|| vec4s(self.bytes.unwrap_or(target.max_uniform_buffer_range)));
        let var = declare(shader, target, UVEC4, len, self);
        let var64 = self.atomic64.then(|| declare(shader, target, UINT64, None, self));
        let narrow = [(0, 8), (1, 16)].map(|(slot, bits)| {
            let has = self.narrow[slot] && !self.is_ubo && lanes::has_elements(target, bits);
            has.then(|| declare(shader, target, Element { bits, components: 1 }, None, self))
        });
        Block { mode: shader.vars[var].mode, var, var64, narrow, len }
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
struct Block {
    mode: Modes,
    var: Var,
    /// Its view for 64-bit atomics.
    var64: Option<Var>,
    /// Those for elements of 8 and 16 bits.
    narrow: [Option<Var>; 2],
    len: Option<u32>,
}

/// The walk that lowers.
struct Lower<'a> {
    context: &'a Context,
    survey: &'a Survey,
    /// Those that the walk has not reached.
    accesses: std::slice::Iter<'a, Found>,
    sized: Option<Sized>,
    bases: BasePointers,
    vec4s: Vec4s,
}

impl Rewriter for Lower<'_> {
    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        if let Some(found) = self.accesses.as_slice().first().filter(|found| found.inst == inst) {
            self.accesses.next();
            return self.access(b, found);
        }
        match (b.shader.insts[inst].kind, &self.sized) {
            (InstKind::Deref(deref), _) if !self.survey.has_others && is_buffer(b.shader.derefs[deref].modes) => {
                Edit::Remove
            }
            (InstKind::Intrinsic { op: Intrinsic::get_ssbo_size, srcs, .. }, Some(sized)) => {
                Edit::Replace(sized.bytes(b, &self.context.target, b.shader.srcs[srcs][0]))
            }
            _ => Edit::Keep,
        }
    }
}

impl Lower<'_> {
    /// Lowers an access.
    fn access(&mut self, b: &mut Builder<'_>, found: &Found) -> Edit {
        let (inst, op) = (found.inst, found.op);
        let Some(block) = self.survey.extents[found.block].block else { return Edit::Keep };
        let mut element = found.element;
        if !element.is_static() {
            // Taken apart again: the values in it may have got other names by now.
            let Some((_, renamed)) = operation(b.shader, inst) else { return Edit::Keep };
            element = renamed;
        }
        let size = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
        if let (true, 64, Some(var64)) = (is_atomic(op), size.1, block.var64) {
            let base = base_pointer(b, var64, element.block);
            let pointer = b.deref_array(base, element.index);
            return Edit::Replace(lanes::atomic_at(b, inst, pointer, 1));
        }
        let access = b.shader.index(inst, Index::access);
        let narrow = element.narrow_slot().and_then(|slot| block.narrow[slot]);
        if let (Some(var), false) = (narrow, is_atomic(op)) {
            let base = self.bases.get(b, var, element.block);
            let pointer = b.deref_array(base, element.index);
            if op == Intrinsic::load_deref {
                return Edit::Replace(b.load_deref(pointer, access));
            }
            b.store_deref(pointer, stored(b.shader, inst), 1, access);
            return Edit::Remove;
        }
        let address = Address::element(b, element.index, element.bytes);
        let memory = Memory {
            base: self.bases.get(b, block.var, element.block),
            access,
            whole: self.whole(block.mode),
            len: block.len,
            shared: true,
            in_pairs: false,
            at_address: false,
        };
        match op {
            Intrinsic::load_deref => {
                let lanes = |ahead| self.survey.lanes.get(found.block, &element, ahead);
                let vec4s = (block.mode == Modes::UBO).then_some(&mut self.vec4s);
                Edit::Replace(lanes::load(b, &memory, address, size, Others { lanes, vec4s }))
            }
            Intrinsic::store_deref => {
                lanes::store(b, &memory, address, stored(b.shader, inst), 1);
                Edit::Remove
            }
            _ => Edit::Replace(lanes::atomic(b, &self.context.target, &memory, address, (inst, 1))),
        }
    }

    fn whole(&self, mode: Modes) -> Whole {
        match (self.context.buffer_access, mode) {
            (BufferAccess::Lane, _) => Whole::Never,
            (BufferAccess::Auto, Modes::UBO) => Whole::Always,
            (BufferAccess::Auto, _) => Whole::Covered,
        }
    }
}

/// The value that the store `inst` stores.
fn stored(shader: &Shader, inst: Inst) -> Def {
    shader.as_intrinsic(inst).map(|(_, srcs)| srcs[1]).expect("an intrinsic")
}
