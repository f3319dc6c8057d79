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
use crate::ir::{rewrite, ArrayIndex, Builder, Def, DerefKind, Edit, Inst, InstKind, Shader, TypeData, Var, Variable};
use crate::op::{Access, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Target};
use std::collections::BTreeMap;

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
    let survey = Survey::new(shader);
    let sized = Sized::new(shader);
    if survey.accesses.is_empty() && sized.is_none() {
        return false;
    }
    let blocks = survey.declare(shader, &context.target);
    let mut lower = Lower { context, lanes: &survey.lanes, bases: BasePointers::default(), vec4s: Vec4s::default() };
    let mut accesses = survey.accesses.iter().peekable();
    rewrite(shader, |b, inst| match b.shader.insts[inst].kind {
        InstKind::Deref(deref) if !survey.has_others && is_buffer(deref.modes) => Edit::Remove,
        InstKind::Intrinsic { op: Intrinsic::get_ssbo_size, srcs, .. } => match &sized {
            Some(sized) => Edit::Replace(sized.bytes(b, &context.target, b.shader.srcs[srcs][0])),
            None => Edit::Keep,
        },
        InstKind::Intrinsic { op, .. } => match accesses.next_if(|(access, _)| *access == inst) {
            Some((_, key)) => lower.access(b, (*key, &blocks[key]), (inst, op)),
            None => Edit::Keep,
        },
        _ => Edit::Keep,
    })
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
    /// Number of blocks, if the variable is an array.
    count: Option<Option<u32>>,
    /// Bytes of a block, `None` if the array in it is a run-time array.
    bytes: Option<u32>,
    /// A 64-bit atomic needs a view of its own.
    atomic64: bool,
    /// So do loads and stores of 8 and 16 bits, if the target has such.
    narrow: [bool; 2],
    written: bool,
}

/// What the accesses of a shader want, found before any of them is lowered.
#[derive(Default)]
struct Survey {
    /// In order, each with its block's key.
    accesses: Vec<(Inst, Key)>,
    blocks: BTreeMap<Key, Extent>,
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
                survey.add(shader, *inst, op, &element);
            } else {
                // No others than intrinsics read such pointers: `check` does not let them be values.
                survey.has_others |= shader.srcs[srcs].iter().any(|src| is_buffer_deref(shader, *src));
            }
        }
        survey.lanes.sort();
        survey
    }

    fn add(&mut self, shader: &Shader, inst: Inst, op: Intrinsic, element: &ElementPointer) {
        let key = Key::new(shader, element.var);
        let bytes = element.len.and_then(|len| len.checked_mul(element.bytes));
        self.accesses.push((inst, key));
        let extent = self.blocks.entry(key).or_insert_with(|| Extent {
            var: element.var,
            count: shader.types.as_array(shader.vars[element.var].ty).map(|(_, len)| len),
            bytes,
            atomic64: false,
            narrow: [false; 2],
            written: false,
        });
        extent.bytes = extent.bytes.zip(bytes).map(|(a, b)| a.max(b));
        extent.written |= op != Intrinsic::load_deref;
        if let (Some(slot), false) = (element.narrow_slot(), is_atomic(op)) {
            extent.narrow[slot] = true;
        }
        extent.atomic64 |= is_atomic(op) && shader.insts[inst].bit_size == 64;
        if key.is_ubo {
            self.lanes.add(key, element);
        }
    }

    /// Declares the new variables of each block.
    fn declare(&self, shader: &mut Shader, target: &Target) -> BTreeMap<Key, Block> {
        self.blocks
            .iter()
            .map(|(key, extent)| {
                let len = if key.is_ubo {
                    Some(vec4s(extent.bytes.unwrap_or(target.max_uniform_buffer_range)))
                } else {
                    None
                };
                let var = declare(shader, target, UVEC4, len, extent);
                let var64 = extent.atomic64.then(|| declare(shader, target, UINT64, None, extent));
                let narrow = [(0, 8), (1, 16)].map(|(slot, bits)| {
                    let has = extent.narrow[slot] && !key.is_ubo && lanes::has_elements(target, bits);
                    has.then(|| declare(shader, target, Element { bits, components: 1 }, None, extent))
                });
                (*key, Block { mode: shader.vars[var].mode, var, var64, narrow, len })
            })
            .collect()
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
        let count = shader.types.as_array(variable.ty).map(|(_, len)| len);
        let extent = Extent { var, count, bytes: None, atomic64: false, narrow: [false; 2], written: true };
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

impl ElementPointer {
    /// The block index, `Some(None)` for a variable that is no array; `None` if dynamic.
    fn static_block(&self) -> Option<Option<i64>> {
        match self.block {
            None => Some(None),
            Some(ArrayIndex::Imm(index)) => Some(Some(index)),
            Some(ArrayIndex::Def(_)) => None,
        }
    }
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

/// A vec4: block variable, block if it is an array of them, number.
type Vec4 = (Key, Option<i64>, u32);

impl WantedLanes {
    fn add(&mut self, key: Key, element: &ElementPointer) {
        let (Some(byte), Some(block)) = (element.byte(), element.static_block()) else { return };
        for dword in byte / 4..(byte + element.bytes).div_ceil(4) {
            let (vec4, lane) = ((key, block, dword / 4), 1 << (dword % 4));
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
    fn get(&self, key: Key, element: &ElementPointer, ahead: u32) -> u8 {
        let (Some(byte), Some(block)) = (element.byte(), element.static_block()) else { return 0 };
        let vec4 = (key, block, byte / 16 + ahead);
        self.0.binary_search_by_key(&vec4, |(vec4, _)| *vec4).map_or(0, |at| self.0[at].1)
    }
}

/// What the lowering of an access has to know.
struct Lower<'a> {
    context: &'a Context,
    lanes: &'a WantedLanes,
    bases: BasePointers,
    vec4s: Vec4s,
}

impl Lower<'_> {
    /// Lowers the access `inst` to an element of `block`.
    fn access(&mut self, b: &mut Builder<'_>, (key, block): (Key, &Block), (inst, op): (Inst, Intrinsic)) -> Edit {
        // Taken apart again: the values in it may have got other names by now.
        let Some((_, element)) = operation(b.shader, inst) else { return Edit::Keep };
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
                let lanes = |ahead| self.lanes.get(key, &element, ahead);
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
