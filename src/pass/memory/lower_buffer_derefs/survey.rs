// SPDX-License-Identifier: MIT

//! The needs of the accesses of a shader to blocks, collected before any of them is lowered.

use super::vec4s::{DynamicVec4Key, Vec4Key, WantedVec4s};
use super::Views;
use crate::analysis::kinds::list_intrinsics;
use crate::analysis::offsets::Offsets;
use crate::ir::{ArrayIndex, Block, Changes, Def, DerefKind, Inst, InstKind, Shader, TypeData, Var, Variable};
use crate::op::{Access, Intrinsic, Modes};
use crate::pass::memory::blocks::pointed_block;
use crate::pass::memory::byte_access::{self, is_wide, uniform_granularity, Offset};
use crate::pass::Context;
use crate::target::{Feature, Target};

/// A deref of the array in a block of a variable, split into its parts.
#[derive(Clone, Copy)]
pub(super) struct ArrayPointer {
    pub(super) var: Var,
    pub(super) block: Option<ArrayIndex>,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub(super) bytes: u32,
    /// Elements of the array, `None` for a run-time array.
    len: Option<u32>,
    /// The derefs of the block and of the variable: the same if it is not an array of blocks.
    start: [Def; 2],
}

impl ArrayPointer {
    /// `None` unless `pointer` is var → \[block\] → member and the member is an array of scalars.
    fn new(shader: &Shader, pointer: Def) -> Option<ArrayPointer> {
        let array = shader.as_deref(pointer)?;
        let (element, len) = shader.types.as_array(array.ty)?;
        let TypeData::Scalar(scalar) = shader.types.get(element) else { return None };
        let DerefKind::Struct { parent: start, .. } = array.kind else { return None };
        let (var, block) = pointed_block(shader, start)?;
        let start = [start, shader.as_deref(start)?.kind.parent().unwrap_or(start)];
        Some(ArrayPointer { var, block, bytes: u32::from(scalar.bits) / 8, len, start })
    }

    /// The index of its narrow view, if it has one.
    pub(super) fn narrow_slot(&self) -> Option<usize> {
        match self.bytes {
            1 => Some(0),
            2 => Some(1),
            _ => None,
        }
    }

    /// The vec4 that contains element `index`, and the first byte of the element in it, if they are known.
    fn vec4(&self, extent: usize, index: ArrayIndex) -> Option<(Vec4Key, u32)> {
        let ArrayIndex::Imm(index) = index else { return None };
        let byte = (index as u32).checked_mul(self.bytes)?;
        let block = match self.block {
            None => 0,
            Some(ArrayIndex::Imm(block)) => u64::try_from(block).ok()?,
            Some(ArrayIndex::Def(_)) => return None,
        };
        Some((Vec4Key::new(extent, block, byte / 16)?, byte % 16))
    }

    /// Whether it certainly has an element `index`.
    fn has(&self, index: ArrayIndex) -> bool {
        matches!((index, self.len), (ArrayIndex::Imm(index), Some(len)) if index >= 0 && index < len.into())
    }
}

/// Whether [`element`] handles `op`.
fn is_access(op: Intrinsic) -> bool {
    use Intrinsic::{deref_atomic, deref_atomic_swap, load_deref, store_deref};
    matches!(op, load_deref | store_deref | deref_atomic | deref_atomic_swap)
}

/// The array and the index of the block element that `inst` accesses.
pub(super) fn element(shader: &Shader, inst: Inst) -> Option<(Intrinsic, ArrayPointer, ArrayIndex)> {
    let (op, srcs) = shader.as_intrinsic(inst).filter(|(op, _)| is_access(*op))?;
    let deref = shader.as_deref(srcs[0]).filter(|deref| is_buffer(deref.modes))?;
    let DerefKind::Array { parent, index } = deref.kind else { return None };
    Some((op, ArrayPointer::new(shader, parent)?, index))
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

/// The information about the blocks of a key.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// The first variable.
    pub(super) var: Var,
    pub(super) is_ubo: bool,
    /// Number of blocks, if the variable is an array.
    pub(super) count: Option<Option<u32>>,
    /// Bytes of a block, `None` if the array in it is a run-time array.
    pub(super) bytes: Option<u32>,
    /// Whether an access loads `uvec4`s or lanes of them, or may.
    pub(super) lanes: bool,
    /// Pairs of lanes of uniform blocks are loaded as 64 bits.
    pub(super) pairs: bool,
    /// Whether a 64-bit atomic needs a view of its own.
    pub(super) atomic64: bool,
    /// Whether loads and stores of 8 and 16 bits do, if the target has such views.
    pub(super) narrow: [bool; 2],
    /// Lanes of the other views that uniform blocks need: a bit for 2, one for 1.
    pub(super) seen: u32,
    /// One past the last byte of a uniform block that certainly exists, because bytes before it are loaded.
    pub(super) readable: u32,
    /// Reads of one block imply nothing about others.
    is_mixed: bool,
    /// Whether all accesses are to elements of widths that storage blocks can have.
    fits: bool,
    /// The widths of accessed elements in bytes: a bit for each.
    widths: u32,
    /// Whether the index of an access is unknown.
    pub(super) is_dynamic: bool,
    /// The accesses stay, and use arrays of elements of these widths.
    pub(super) stays: u32,
    pub(super) written: bool,
    /// The new variables, once they are declared.
    pub(super) views: Option<Views>,
}

impl Extent {
    pub(super) fn new(shader: &Shader, var: Var, bytes: Option<u32>) -> Extent {
        let Variable { mode, ty, .. } = shader.vars[var];
        let count = shader.types.as_array(ty).map(|(_, len)| len);
        let is_ubo = mode == Modes::UBO;
        let no = false;
        Extent {
            var,
            is_ubo,
            count,
            bytes,
            lanes: no,
            pairs: no,
            atomic64: no,
            narrow: [no; 2],
            seen: 0,
            readable: 0,
            is_mixed: is_ubo && count.is_some_and(|len| len != Some(1)) && shader.info.has_picked_uniforms(),
            fits: true,
            widths: 0,
            is_dynamic: no,
            stays: 0,
            written: no,
            views: None,
        }
    }
}

impl Extent {
    /// Notes a load up to byte `end` of a vec4.
    fn reads(&mut self, vec4: Vec4Key, end: u32) {
        if self.is_mixed {
            return;
        }
        self.readable = self.readable.max((16 * vec4.number()).saturating_add(end));
    }
}

/// An array in a block that derefs go through.
#[derive(Clone, Copy)]
pub(super) struct Array {
    /// The deref of it.
    pub(super) def: Def,
    pub(super) pointer: ArrayPointer,
    /// The index in [`Survey::extents`] of its block.
    pub(super) extent: usize,
    /// Whether some of its elements are loaded in place.
    pub(super) in_place: bool,
}

/// An access to lower.
#[derive(Clone, Copy)]
pub(super) struct BlockAccess {
    pub(super) inst: Inst,
    /// The index in [`Survey::extents`] of its block.
    pub(super) extent: usize,
    /// The index in [`Survey::vec4s`] of the vec4 of a uniform block that it reads, if its lane is known.
    pub(super) vec4: Option<usize>,
}

/// A load of a uniform block that is lowered in place.
#[derive(Clone, Copy)]
pub(super) struct Uniform {
    pub(super) load: Load,
    /// The index in [`Survey::vec4s`] of the vec4.
    pub(super) vec4: usize,
    /// The lane of it, or pair.
    pub(super) lane: u8,
    /// Whether it packs this lane and the next to 64 bits.
    pub(super) is_pack: bool,
}

/// A load through a deref of an element of an array in a block.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) inst: Inst,
    pub(super) pointer: Def,
    /// The block of the IR that it is in.
    pub(super) block: Block,
    pub(super) access: u32,
    /// The index in [`Survey::arrays`] of the array.
    pub(super) array: usize,
}

/// The loads that are possible in place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InPlace {
    Nothing,
    /// 32-bit lanes of vec4s, packed where they are 64 bits.
    Lanes,
    /// Pairs of lanes as 64 bits, too.
    Pairs,
}

/// The needs of the accesses of a shader, collected before any of them is lowered.
#[derive(Default)]
pub(super) struct Survey {
    /// In order; without those in [`uniforms`](Survey::uniforms) and through [`staying`](Survey::staying).
    pub(super) accesses: Vec<BlockAccess>,
    /// The derefs of accesses that stay.
    pub(super) staying: Vec<Def>,
    /// Information about indices that are not constant.
    pub(super) offsets: Offsets,
    /// In order.
    pub(super) uniforms: Vec<Uniform>,
    /// The arrays of the derefs that accesses use.
    pub(super) arrays: Vec<Array>,
    pub(super) extents: Vec<Extent>,
    /// The index of each key's extent, in the order of keys.
    keys: Vec<(Key, usize)>,
    pub(super) vec4s: WantedVec4s,
    /// Whether other instructions than the accesses to lower read derefs of blocks.
    pub(super) has_others: bool,
    /// Removes derefs of blocks.
    pub(super) changes: Changes,
    /// The number of removed derefs.
    dropped: usize,
    /// The positions of intrinsics in the order; kept to avoid allocations.
    intrinsics: Vec<u32>,
}

impl Survey {
    /// Forgets the previous shader, and collects the needs of this one.
    pub(super) fn collect(&mut self, shader: &Shader, context: &Context, in_place: InPlace) {
        self.accesses.clear();
        self.staying.clear();
        self.uniforms.clear();
        self.arrays.clear();
        self.extents.clear();
        self.keys.clear();
        self.vec4s.clear();
        self.has_others = false;
        self.changes.reset(shader);
        self.dropped = 0;
        let mut intrinsics = std::mem::take(&mut self.intrinsics);
        list_intrinsics(shader, &mut intrinsics);
        let mut blocks = shader.block_order().map(|block| (block, shader.blocks[block].end));
        let mut block = blocks.next();
        for at in &intrinsics {
            while block.is_some_and(|(_, end)| end <= *at) {
                block = blocks.next();
            }
            let Some((block, _)) = block else { break };
            self.collect_intrinsic(shader, context, shader.order[*at as usize], block, in_place);
        }
        self.intrinsics = intrinsics;
        // Derefs without uses count, too.
        let pointers = shader.derefs.values().filter(|deref| is_buffer(deref.modes)).count();
        self.has_others |= self.dropped != pointers;
        if in_place != InPlace::Nothing && !self.has_others {
            self.keep_dynamic(shader);
        }
        self.vec4s.unite();
    }

    /// Removes the accesses to storage blocks that stay as they are from the list.
    #[inline(never)]
    fn keep_dynamic(&mut self, shader: &Shader) {
        let Survey { accesses, staying, extents, .. } = self;
        let mut any = false;
        for extent in extents.iter_mut().filter(|extent| !extent.is_ubo && extent.fits && extent.is_dynamic) {
            (extent.stays, extent.lanes, any) = (extent.widths, false, true);
        }
        if !any {
            return;
        }
        accesses.retain(|found| {
            let stays = extents[found.extent].stays != 0;
            if stays {
                staying.extend(shader.as_intrinsic(found.inst).map(|(_, srcs)| srcs[0]));
            }
            !stays
        });
    }

    fn collect_intrinsic(&mut self, shader: &Shader, context: &Context, inst: Inst, block: Block, in_place: InPlace) {
        let InstKind::Intrinsic { op, srcs, indices } = shader.insts[inst].kind else { return };
        let srcs = &shader.srcs[srcs];
        if !is_access(op) {
            // Only intrinsics read such derefs: `check` does not allow them as other values.
            self.has_others |= srcs.iter().any(|src| is_buffer_deref(shader, *src));
            return;
        }
        let Some(deref) = shader.as_deref(srcs[0]).filter(|deref| is_buffer(deref.modes)) else { return };
        let DerefKind::Array { parent, index } = deref.kind else {
            self.has_others = true;
            return;
        };
        // Accesses to one array are usually next to each other.
        if self.arrays.last().map_or(true, |array| array.def != parent) {
            let Some(pointer) = ArrayPointer::new(shader, parent) else {
                self.has_others = true;
                return;
            };
            let extent = self.extent(shader, &pointer);
            let [block, var] = pointer.start;
            [parent, block, var].into_iter().for_each(|step| self.drop(step));
            self.arrays.push(Array { def: parent, pointer, extent, in_place: false });
        }
        self.drop(srcs[0]);
        let array = self.arrays.len() - 1;
        if op == Intrinsic::load_deref && in_place != InPlace::Nothing {
            let load = Load { inst, pointer: srcs[0], block, access: shader.indices[indices][0], array };
            if self.add_uniform(load, index, in_place) {
                return;
            }
        }
        self.add(shader, context, (inst, op, block), array, index);
    }

    fn drop(&mut self, pointer: Def) {
        self.dropped += usize::from(self.changes.remove(pointer.inst()));
    }

    /// The index of the extent of the block that contains `array`.
    fn extent(&mut self, shader: &Shader, array: &ArrayPointer) -> usize {
        let key = Key::new(shader, array.var);
        let bytes = array.len.and_then(|len| len.checked_mul(array.bytes));
        match self.keys.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => {
                let place = self.keys[at].1;
                let extent = &mut self.extents[place];
                extent.bytes = extent.bytes.zip(bytes).map(|(a, b)| a.max(b));
                place
            }
            Err(at) => {
                self.keys.insert(at, (key, self.extents.len()));
                self.extents.push(Extent::new(shader, array.var, bytes));
                self.extents.len() - 1
            }
        }
    }

    /// Adds a load of an element of an array that is lowered in place; false if it cannot be.
    fn add_uniform(&mut self, load: Load, index: ArrayIndex, in_place: InPlace) -> bool {
        let array = &mut self.arrays[load.array];
        let extent = &mut self.extents[array.extent];
        let ArrayPointer { bytes, .. } = array.pointer;
        let is_plain = !Access::from_bits_retain(load.access).intersects(Access::ATOMIC | Access::VOLATILE);
        if !extent.is_ubo || !is_plain || bytes < 4 || !array.pointer.has(index) {
            return false;
        }
        let Some((key, byte)) = array.pointer.vec4(array.extent, index) else { return false };
        let is_pair = bytes == 8 && in_place == InPlace::Pairs;
        let is_pack = bytes == 8 && !is_pair;
        let lane = (if is_pair { byte / 8 } else { byte / 4 }) as u8;
        array.in_place = true;
        extent.reads(key, byte + bytes);
        extent.pairs |= is_pair;
        extent.lanes |= !is_pair;
        let lanes = if is_pack { 0b11 } else { 0b1 } << lane;
        let vec4 = self.vec4s.add(if is_pair { key.of_pairs() } else { key }, lanes);
        self.uniforms.push(Uniform { load, vec4, lane, is_pack });
        true
    }

    /// Adds an access to an element of an array, which is not lowered in place.
    #[inline(never)]
    fn add(
        &mut self,
        shader: &Shader,
        context: &Context,
        (inst, op, block): (Inst, Intrinsic, Block),
        array: usize,
        index: ArrayIndex,
    ) {
        let Array { pointer, extent: place, .. } = self.arrays[array];
        let extent = &mut self.extents[place];
        extent.written |= op != Intrinsic::load_deref;
        extent.is_dynamic |= matches!(index, ArrayIndex::Def(_));
        extent.widths |= pointer.bytes;
        extent.fits &= can_stay(&context.target, op, pointer.bytes);
        if is_atomic(op) {
            extent.atomic64 |= shader.insts[inst].bit_size == 64;
        } else if let Some(slot) = pointer.narrow_slot() {
            extent.narrow[slot] = true;
        }
        let vec4 = match extent.is_ubo {
            true => self.add_to_uniforms(shader, context, (place, pointer), index, block),
            false => {
                extent.lanes = true;
                None
            }
        };
        self.accesses.push(BlockAccess { inst, extent: place, vec4 });
    }

    /// Adds a load of a uniform block. Returns the index of its vec4, if its lane is known.
    fn add_to_uniforms(
        &mut self,
        shader: &Shader,
        context: &Context,
        (place, pointer): (usize, ArrayPointer),
        index: ArrayIndex,
        block: Block,
    ) -> Option<usize> {
        let lanes = |byte: u32| ((1 << pointer.bytes.div_ceil(4)) - 1) << (byte / 4);
        if let ArrayIndex::Def(index) = index {
            self.offsets.analyse(shader);
            let offset = Offset::of_element(shader, &self.offsets, index, pointer.bytes);
            let extent = &mut self.extents[place];
            match is_wide(context, offset, 8 * pointer.bytes) {
                true => extent.pairs = true,
                false => {
                    let view = offset.view(uniform_granularity(context));
                    extent.lanes |= view == 4;
                    extent.seen |= view & 3;
                }
            }
            let (number, lane) = offset.vec4(shader, &self.offsets, 0)?;
            let within = (!context.target.uniform_ranges_in_vec4s).then_some(block);
            let key = DynamicVec4Key { extent: place, block: pointer.block, number, within };
            return Some(self.vec4s.add_dynamic(key, lanes(4 * lane)));
        }
        let extent = &mut self.extents[place];
        extent.lanes = true;
        let (vec4, byte) = pointer.vec4(place, index)?;
        extent.reads(vec4, byte + pointer.bytes);
        Some(self.vec4s.add(vec4, lanes(byte)))
    }

    /// The new variables of the blocks that `var` is a view of.
    pub(super) fn views(&self, shader: &Shader, var: Var) -> Option<Views> {
        let at = self.keys.binary_search_by_key(&Key::new(shader, var), |(key, _)| *key).ok()?;
        self.extents[self.keys[at].1].views
    }

    /// Declares the new variables of each block, in the order of keys.
    pub(super) fn declare(&mut self, shader: &mut Shader, context: &Context) {
        for (_, at) in &self.keys {
            let extent = &mut self.extents[*at];
            extent.views = Some(extent.declare(shader, context));
        }
    }
}

/// Whether a storage block can have elements of this number of bytes, for an access by `op`.
fn can_stay(target: &Target, op: Intrinsic, bytes: u32) -> bool {
    match bytes {
        4 => true,
        8 => target.has(Feature::shaderInt64),
        _ => !is_atomic(op) && byte_access::has_elements(target, 8 * bytes as u8),
    }
}

pub(super) fn is_buffer(modes: Modes) -> bool {
    modes.intersects(Modes::UBO | Modes::SSBO)
}

fn is_buffer_deref(shader: &Shader, def: Def) -> bool {
    shader.as_deref(def).is_some_and(|deref| is_buffer(deref.modes))
}

pub(super) fn is_atomic(op: Intrinsic) -> bool {
    op.is_deref_atomic()
}
