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

use super::blocks::{
    base_pointer, block_pointer, block_type, is_block, vec4s, BasePointers, Element, UINT, UINT64, UVEC4,
};
use super::lanes::{self, Address, Memory, Others, Vec4s, Whole};
use super::{BufferAccess, Context, Forms, Pass};
use crate::ir::{
    rewrite_cf, ArrayIndex, Builder, Def, DerefKind, Edit, Inst, InstKind, Rewriter, Shader, TypeData, Var, Variable,
};
use crate::op::{Access, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Target};

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

fn is_buffer(modes: Modes) -> bool {
    modes.intersects(Modes::UBO | Modes::SSBO)
}

fn is_buffer_deref(shader: &Shader, def: Def) -> bool {
    shader.as_deref(def).is_some_and(|deref| is_buffer(deref.modes))
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

/// A pointer to element `index` of the array in block `block` of a variable, taken apart.
#[derive(Clone, Copy)]
struct ElementPointer {
    var: Var,
    block: Option<ArrayIndex>,
    index: ArrayIndex,
    /// Bytes of an element: 1, 2, 4 or 8.
    bytes: u32,
    /// Elements of the array, `None` for a run-time array.
    len: Option<u32>,
}

impl ElementPointer {
    /// `None` unless `pointer` is var → \[block\] → member → \[index\] with a scalar element.
    fn new(shader: &Shader, pointer: Def) -> Option<ElementPointer> {
        let element = shader.as_deref(pointer)?;
        if !is_buffer(element.modes) {
            return None;
        }
        let DerefKind::Array { parent: array, index } = element.kind else { return None };
        let TypeData::Scalar(scalar) = shader.types.get(element.ty) else { return None };
        let (_, len) = shader.types.as_array(shader.as_deref(array)?.ty)?;
        let DerefKind::Struct { parent: block, .. } = shader.as_deref(array)?.kind else { return None };
        let (var, block) = match shader.as_deref(block)?.kind {
            DerefKind::Var(var) => (var, None),
            DerefKind::Array { parent, index } => match shader.as_deref(parent)?.kind {
                DerefKind::Var(var) => (var, Some(index)),
                _ => return None,
            },
            _ => return None,
        };
        Some(ElementPointer { var, block, index, bytes: u32::from(scalar.bits) / 8, len })
    }

    /// Which of the narrow views it has.
    fn narrow_slot(&self) -> Option<usize> {
        match self.bytes {
            1 => Some(0),
            2 => Some(1),
            _ => None,
        }
    }

    /// Whether it has no values in it.
    fn is_static(&self) -> bool {
        !matches!(self.index, ArrayIndex::Def(_)) && !matches!(self.block, Some(ArrayIndex::Def(_)))
    }

    fn byte(&self) -> Option<u32> {
        match self.index {
            ArrayIndex::Imm(index) => (index as u32).checked_mul(self.bytes),
            ArrayIndex::Def(_) => None,
        }
    }
}

/// The opcode of an access through an [`ElementPointer`].
fn operation(shader: &Shader, inst: Inst) -> Option<(Intrinsic, ElementPointer)> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    match op {
        Intrinsic::load_deref | Intrinsic::store_deref | Intrinsic::deref_atomic | Intrinsic::deref_atomic_swap => {
            Some((op, ElementPointer::new(shader, srcs[0])?))
        }
        _ => None,
    }
}

/// Variables with equal keys are views of the same blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    is_ubo: bool,
    driver_location: u32,
    binding: u32,
}

impl Key {
    fn new(shader: &Shader, var: Var) -> Key {
        let Variable { mode, driver_location, binding, .. } = shader.vars[var];
        Key { is_ubo: mode == Modes::UBO, driver_location, binding }
    }
}

/// What is known of the blocks behind a key.
#[derive(Clone, Copy)]
struct Extent {
    /// The first variable found.
    var: Var,
    is_ubo: bool,
    /// Number of blocks, if the variable is an array.
    count: Option<Option<u32>>,
    /// Bytes of a block, `None` if the array in it is a run-time array.
    bytes: Option<u32>,
    /// A 64-bit atomic needs a view of its own.
    atomic64: bool,
    /// So do loads and stores of 8 and 16 bits, if the target has such.
    narrow: [bool; 2],
    written: bool,
    /// The new variables, once they are declared.
    block: Option<Block>,
}

impl Extent {
    fn new(shader: &Shader, var: Var, bytes: Option<u32>) -> Extent {
        let Variable { mode, ty, .. } = shader.vars[var];
        let count = shader.types.as_array(ty).map(|(_, len)| len);
        let is_ubo = mode == Modes::UBO;
        Extent { var, is_ubo, count, bytes, atomic64: false, narrow: [false; 2], written: false, block: None }
    }
}

/// An access to lower.
struct Found {
    inst: Inst,
    op: Intrinsic,
    element: ElementPointer,
    /// Its place in [`Survey::extents`].
    block: usize,
}

/// What the accesses of a shader want, found before any of them is lowered.
#[derive(Default)]
struct Survey {
    /// In order.
    accesses: Vec<Found>,
    extents: Vec<Extent>,
    /// The place of each key's extent, in the order of keys.
    keys: Vec<(Key, usize)>,
    lanes: WantedLanes,
    /// Something else than the accesses to lower reads pointers into blocks.
    has_others: bool,
}

impl Survey {
    fn new(shader: &Shader) -> Survey {
        let mut survey = Survey::default();
        for inst in &shader.order {
            let InstKind::Intrinsic { srcs, .. } = shader.insts[*inst].kind else { continue };
            if let Some((op, element)) = operation(shader, *inst) {
                survey.add(shader, *inst, op, element);
            } else {
                // No others than intrinsics read such pointers: `check` does not let them be values.
                survey.has_others |= shader.srcs[srcs].iter().any(|src| is_buffer_deref(shader, *src));
            }
        }
        survey.lanes.sort();
        survey
    }

    /// The place of what is known of the blocks of the variable that `element` is in.
    fn block(&mut self, shader: &Shader, element: &ElementPointer) -> usize {
        // Accesses to a block mostly stand together.
        if let Some(last) = self.accesses.last().filter(|last| last.element.var == element.var) {
            return last.block;
        }
        let key = Key::new(shader, element.var);
        let at = match self.keys.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => return self.keys[at].1,
            Err(at) => at,
        };
        self.keys.insert(at, (key, self.extents.len()));
        let bytes = element.len.and_then(|len| len.checked_mul(element.bytes));
        self.extents.push(Extent::new(shader, element.var, bytes));
        self.extents.len() - 1
    }

    fn add(&mut self, shader: &Shader, inst: Inst, op: Intrinsic, element: ElementPointer) {
        let block = self.block(shader, &element);
        let extent = &mut self.extents[block];
        let bytes = element.len.and_then(|len| len.checked_mul(element.bytes));
        extent.bytes = extent.bytes.zip(bytes).map(|(a, b)| a.max(b));
        extent.written |= op != Intrinsic::load_deref;
        if let (Some(slot), false) = (element.narrow_slot(), is_atomic(op)) {
            extent.narrow[slot] = true;
        }
        extent.atomic64 |= is_atomic(op) && shader.insts[inst].bit_size == 64;
        if extent.is_ubo {
            self.lanes.add(block, &element);
        }
        if self.accesses.is_empty() {
            self.accesses.reserve(16);
        }
        self.accesses.push(Found { inst, op, element, block });
    }

    /// Declares the new variables of each block, in the order of keys.
    fn declare(&mut self, shader: &mut Shader, target: &Target) {
        for (_, at) in &self.keys {
            let extent = &mut self.extents[*at];
            extent.block = Some(extent.declare(shader, target));
        }
    }
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

fn is_atomic(op: Intrinsic) -> bool {
    matches!(op, Intrinsic::deref_atomic | Intrinsic::deref_atomic_swap)
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

/// Lanes wanted of the vec4s of uniform blocks at constant offsets.
#[derive(Default)]
struct WantedLanes(Vec<(Vec4, u8)>);

/// A vec4, as one number to compare: place of the extent, block if it is an array of them, number in the block.
type Vec4 = u128;

/// The vec4 at the start of `element` and the first byte of it, if they are known.
fn first_vec4(block: usize, element: &ElementPointer) -> Option<(Vec4, u32)> {
    let byte = element.byte()?;
    let index = match element.block {
        None => 0,
        Some(ArrayIndex::Imm(index)) => index,
        Some(ArrayIndex::Def(_)) => return None,
    };
    Some(((block as u128) << 96 | u128::from(index as u64) << 32 | u128::from(byte / 16), byte % 16))
}

impl WantedLanes {
    fn add(&mut self, block: usize, element: &ElementPointer) {
        let Some((first, byte)) = first_vec4(block, element) else { return };
        for dword in byte / 4..(byte + element.bytes).div_ceil(4) {
            let (vec4, lane) = (first + u128::from(dword / 4), 1 << (dword % 4));
            match self.0.last_mut() {
                // Scalars of a vector stand together.
                Some((last, lanes)) if *last == vec4 => *lanes |= lane,
                _ => self.0.push((vec4, lane)),
            }
        }
    }

    /// Has to be called before the first [`WantedLanes::get`].
    fn sort(&mut self) {
        self.0.sort_unstable_by_key(|(vec4, _)| *vec4);
        self.0.dedup_by(|(next, more), (vec4, lanes)| {
            *lanes |= if next == vec4 { *more } else { 0 };
            next == vec4
        });
    }

    /// The lanes that are wanted of the `ahead`-th vec4 from that of `element` on, none if it is not known which they are.
    fn get(&self, block: usize, element: &ElementPointer, ahead: u32) -> u8 {
        let Some((first, _)) = first_vec4(block, element) else { return 0 };
        let vec4 = first + u128::from(ahead);
        self.0.binary_search_by_key(&vec4, |(vec4, _)| *vec4).map_or(0, |at| self.0[at].1)
    }
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
            (InstKind::Deref(deref), _) if !self.survey.has_others && is_buffer(deref.modes) => Edit::Remove,
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
