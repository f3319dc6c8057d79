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
    base_pointer, block_pointer, block_type, is_block, vec4s, BasePointers, Element, MadeOnce, UINT, UINT64, UVEC4,
};
use super::lanes::{self, Address, Memory, Whole};
use super::{BufferAccess, Context, Forms, Pass};
use crate::ir::{rewrite, ArrayIndex, Builder, Def, DerefKind, Edit, Inst, Shader, TypeData, Var, Variable};
use crate::op::{Access, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Target};
use rustc_hash::FxHashMap;

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
    if survey.blocks.is_empty() && sized.is_none() {
        return false;
    }
    let blocks = survey.declare(shader, &context.target);
    let mut lower = Lower { context, survey: &survey, bases: BasePointers::default(), vec4s: MadeOnce::default() };
    rewrite(shader, |b, inst| {
        if let (Some((Intrinsic::get_ssbo_size, srcs)), Some(sized)) = (b.shader.as_intrinsic(inst), &sized) {
            let block = srcs[0];
            return Edit::Replace(sized.bytes(b, &context.target, block));
        }
        if !survey.has_others && is_buffer_deref(b.shader, inst.def()) {
            return Edit::Remove;
        }
        let Some((op, element)) = operation(b.shader, inst) else {
            return Edit::Keep;
        };
        let Some(block) = blocks.get(&Key::new(b.shader, element.var)) else {
            return Edit::Keep;
        };
        lower.access(b, block, (inst, op), &element)
    })
}

fn is_buffer_deref(shader: &Shader, def: Def) -> bool {
    shader.as_deref(def).is_some_and(|deref| deref.modes.intersects(Modes::UBO | Modes::SSBO))
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
        if !element.modes.intersects(Modes::UBO | Modes::SSBO) {
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
struct Survey {
    blocks: FxHashMap<Key, Extent>,
    /// Lanes wanted of each vec4 of uniform blocks at constant offsets.
    lanes: FxHashMap<(Key, Option<i64>, u32), u8>,
    /// Something else than the accesses to lower reads pointers into blocks.
    has_others: bool,
}

impl Survey {
    fn new(shader: &Shader) -> Survey {
        let mut survey = Survey { blocks: FxHashMap::default(), lanes: FxHashMap::default(), has_others: false };
        for inst in &shader.order {
            if let Some((op, element)) = operation(shader, *inst) {
                survey.add(shader, *inst, op, &element);
            } else if let Some((_, srcs)) = shader.as_intrinsic(*inst) {
                // No others than intrinsics read such pointers: `check` does not let them be values.
                survey.has_others |= srcs.iter().any(|src| is_buffer_deref(shader, *src));
            }
        }
        survey
    }

    fn add(&mut self, shader: &Shader, inst: Inst, op: Intrinsic, element: &ElementPointer) {
        let key = Key::new(shader, element.var);
        let bytes = element.len.and_then(|len| len.checked_mul(element.bytes));
        let extent = self.blocks.entry(key).or_insert(Extent {
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
        if let (Some(byte), Some(block)) = (element.byte(), element.static_block()) {
            for dword in byte / 4..(byte + element.bytes).div_ceil(4) {
                *self.lanes.entry((key, block, dword / 4)).or_default() |= 1 << (dword % 4);
            }
        }
    }

    /// The lanes that are wanted of the vec4s from that of `element` on, if it is known which they are.
    fn lanes_near<'a>(&'a self, key: Key, mode: Modes, element: &ElementPointer) -> impl Fn(u32) -> u8 + 'a {
        let place = match mode {
            Modes::UBO => element.static_block().zip(element.byte()),
            _ => None,
        };
        move |vec4| {
            let wanted = place.and_then(|(block, byte)| self.lanes.get(&(key, block, byte / 16 + vec4)));
            wanted.copied().unwrap_or(0)
        }
    }

    fn declare(&self, shader: &mut Shader, target: &Target) -> FxHashMap<Key, Block> {
        let mut keys: Vec<(Key, Extent)> = self.blocks.iter().map(|(key, extent)| (*key, *extent)).collect();
        keys.sort_unstable_by_key(|(key, _)| *key);
        keys.into_iter()
            .map(|(key, extent)| {
                let len = if key.is_ubo {
                    Some(vec4s(extent.bytes.unwrap_or(target.max_uniform_buffer_range)))
                } else {
                    None
                };
                let var = declare(shader, target, UVEC4, len, &extent);
                let var64 = extent.atomic64.then(|| declare(shader, target, UINT64, None, &extent));
                let narrow = [(0, 8), (1, 16)].map(|(slot, bits)| {
                    let has = extent.narrow[slot] && !key.is_ubo && lanes::has_elements(target, bits);
                    has.then(|| declare(shader, target, Element { bits, components: 1 }, None, &extent))
                });
                (key, Block { mode: shader.vars[var].mode, var, var64, narrow, len })
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
        let asks = |inst: &Inst| matches!(shader.as_intrinsic(*inst), Some((Intrinsic::get_ssbo_size, _)));
        shader.order.iter().find(|inst| asks(inst))?;
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

/// What the lowering of an access has to know.
struct Lower<'a> {
    context: &'a Context,
    survey: &'a Survey,
    bases: BasePointers,
    /// Vec4s of uniform blocks, by pointer to the block, number and access. zink takes loads apart into scalars; without
    /// this, each would load its vec4 again, for [`cse`](super::cse) to find.
    vec4s: MadeOnce<(Def, u32, u32)>,
}

impl Lower<'_> {
    /// Lowers the access `inst` to an element of `block`.
    fn access(
        &mut self,
        b: &mut Builder<'_>,
        block: &Block,
        (inst, op): (Inst, Intrinsic),
        element: &ElementPointer,
    ) -> Edit {
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
                let wanted = self.survey.lanes_near(Key::new(b.shader, element.var), block.mode, element);
                if let (Address::Static { byte }, (1, 32), Whole::Always) = (address, size, memory.whole) {
                    let is_inside = memory.len.is_some_and(|len| byte / 16 < len);
                    if is_inside && byte % 4 == 0 && wanted(0).count_ones() > 1 && !is_atomic_access(access) {
                        let number = byte / 16;
                        let vec4 = self.vec4s.get_or_make(b, (memory.base, number, access), |b| {
                            let pointer = b.deref_array(memory.base, ArrayIndex::Imm(i64::from(number)));
                            b.load_deref(pointer, access)
                        });
                        return Edit::Replace(b.channel(vec4, (byte / 4 % 4) as u8));
                    }
                }
                Edit::Replace(lanes::load(b, &memory, address, size, wanted))
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
