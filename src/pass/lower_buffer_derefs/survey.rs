//! What the accesses of a shader want of blocks, found before any of them is lowered.

use super::super::blocks::pointed_block;
use super::Views;
use crate::ir::{ArrayIndex, Block, Def, DerefKind, Inst, InstKind, Shader, TypeData, Var, Variable};
use crate::op::{Intrinsic, Modes};
use crate::target::Target;

/// A pointer to the array in a block of a variable, taken apart.
#[derive(Clone, Copy)]
pub(super) struct ArrayPointer {
    pub(super) var: Var,
    pub(super) block: Option<ArrayIndex>,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub(super) bytes: u32,
    /// Elements of the array, `None` for a run-time array.
    len: Option<u32>,
}

impl ArrayPointer {
    /// `None` unless `pointer` is var → \[block\] → member and leads to an array of scalars.
    fn new(shader: &Shader, pointer: Def) -> Option<ArrayPointer> {
        let array = shader.as_deref(pointer)?;
        let (element, len) = shader.types.as_array(array.ty)?;
        let TypeData::Scalar(scalar) = shader.types.get(element) else { return None };
        let DerefKind::Struct { parent: block, .. } = array.kind else { return None };
        let (var, block) = pointed_block(shader, block)?;
        Some(ArrayPointer { var, block, bytes: u32::from(scalar.bits) / 8, len })
    }

    /// Which of the narrow views it has.
    pub(super) fn narrow_slot(&self) -> Option<usize> {
        match self.bytes {
            1 => Some(0),
            2 => Some(1),
            _ => None,
        }
    }

    /// The vec4 that element `index` is in, and the first byte of it, if they are known.
    fn vec4(&self, extent: usize, index: ArrayIndex) -> Option<(Place, u32)> {
        let ArrayIndex::Imm(index) = index else { return None };
        let byte = (index as u32).checked_mul(self.bytes)?;
        let block = match self.block {
            None => 0,
            Some(ArrayIndex::Imm(block)) => block,
            Some(ArrayIndex::Def(_)) => return None,
        };
        Some(((extent as u128) << 96 | u128::from(block as u64) << 32 | u128::from(byte / 16), byte % 16))
    }
}

/// Whether `op` is what [`element`] is for.
fn is_access(op: Intrinsic) -> bool {
    use Intrinsic::{deref_atomic, deref_atomic_swap, load_deref, store_deref};
    matches!(op, load_deref | store_deref | deref_atomic | deref_atomic_swap)
}

/// The array and the index of the element of a block that the access `inst` is to.
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

/// What is known of the blocks behind a key.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// The first variable found.
    pub(super) var: Var,
    pub(super) is_ubo: bool,
    /// Number of blocks, if the variable is an array.
    pub(super) count: Option<Option<u32>>,
    /// Bytes of a block, `None` if the array in it is a run-time array.
    pub(super) bytes: Option<u32>,
    /// A 64-bit atomic needs a view of its own.
    pub(super) atomic64: bool,
    /// So do loads and stores of 8 and 16 bits, if the target has such.
    pub(super) narrow: [bool; 2],
    pub(super) written: bool,
    /// The new variables, once they are declared.
    pub(super) views: Option<Views>,
}

impl Extent {
    pub(super) fn new(shader: &Shader, var: Var, bytes: Option<u32>) -> Extent {
        let Variable { mode, ty, .. } = shader.vars[var];
        let count = shader.types.as_array(ty).map(|(_, len)| len);
        let is_ubo = mode == Modes::UBO;
        Extent { var, is_ubo, count, bytes, atomic64: false, narrow: [false; 2], written: false, views: None }
    }
}

/// An access to lower.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) inst: Inst,
    /// The place in [`Survey::extents`] of the blocks that it is to.
    pub(super) extent: usize,
    /// The place in [`Survey::vec4s`] of the vec4 of a uniform block that it is to, and its first byte there, if they are known.
    pub(super) vec4: Option<(usize, u32)>,
}

/// What the accesses of a shader want, found before any of them is lowered.
#[derive(Default)]
pub(super) struct Survey {
    /// In order.
    pub(super) accesses: Vec<Found>,
    pub(super) extents: Vec<Extent>,
    /// The place of each key's extent, in the order of keys.
    keys: Vec<(Key, usize)>,
    pub(super) vec4s: WantedVec4s,
    /// Something else than the accesses to lower reads pointers into blocks.
    pub(super) has_others: bool,
}

impl Survey {
    /// Forgets the last shader, and finds what there is to find in this one.
    pub(super) fn look_at(&mut self, shader: &Shader) {
        self.accesses.clear();
        self.extents.clear();
        self.keys.clear();
        self.vec4s.all.clear();
        self.has_others = false;
        // The array that was accessed last, and the place of its extent: accesses to one mostly stand together.
        let mut last: Option<(Def, ArrayPointer, usize)> = None;
        for inst in &shader.order {
            let InstKind::Intrinsic { op, srcs, .. } = &shader.insts[*inst].kind else { continue };
            let (op, srcs) = (*op, &shader.srcs[*srcs]);
            if !is_access(op) {
                // No others than intrinsics read such pointers: `check` does not let them be values.
                self.has_others |= srcs.iter().any(|src| is_buffer_deref(shader, *src));
                continue;
            }
            let Some(deref) = shader.as_deref(srcs[0]).filter(|deref| is_buffer(deref.modes)) else { continue };
            let DerefKind::Array { parent, index } = deref.kind else {
                self.has_others = true;
                continue;
            };
            if last.map_or(true, |(array, ..)| array != parent) {
                last = ArrayPointer::new(shader, parent).map(|array| (parent, array, self.extent(shader, &array)));
            }
            match &last {
                Some((_, array, extent)) => self.add(shader, (*inst, op), array, index, *extent),
                None => self.has_others = true,
            }
        }
        self.vec4s.unite();
    }

    /// The place of what is known of the blocks that `array` is in one of.
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

    fn add(
        &mut self,
        shader: &Shader,
        (inst, op): (Inst, Intrinsic),
        array: &ArrayPointer,
        index: ArrayIndex,
        place: usize,
    ) {
        let extent = &mut self.extents[place];
        extent.written |= op != Intrinsic::load_deref;
        if is_atomic(op) {
            extent.atomic64 |= shader.insts[inst].bit_size == 64;
        } else if let Some(slot) = array.narrow_slot() {
            extent.narrow[slot] = true;
        }
        let vec4 = if extent.is_ubo { array.vec4(place, index) } else { None };
        let vec4 = vec4.map(|(vec4, byte)| (self.vec4s.add(vec4, array, byte), byte));
        self.accesses.push(Found { inst, extent: place, vec4 });
    }

    /// Declares the new variables of each block, in the order of keys.
    pub(super) fn declare(&mut self, shader: &mut Shader, target: &Target) {
        for (_, at) in &self.keys {
            let extent = &mut self.extents[*at];
            extent.views = Some(extent.declare(shader, target));
        }
    }
}

/// The vec4s of uniform blocks at known places that accesses are to. Several may be at one place: one of them stands for all.
#[derive(Default)]
pub(super) struct WantedVec4s {
    /// In the order of accesses.
    all: Vec<WantedVec4>,
    /// Memory: the same in the order of places.
    sorted: Vec<usize>,
}

/// Where a vec4 is, as one number to compare: place of the extent, block if it is an array of them, number in the block.
type Place = u128;

/// A vec4 that accesses are to.
pub(super) struct WantedVec4 {
    place: Place,
    /// The block, if the variable is an array of them.
    pub(super) block: Option<ArrayIndex>,
    /// The one that stands for it.
    same: usize,
    /// A bit for each lane that is wanted.
    pub(super) lanes: u8,
    /// Where and how all of it was loaded last: in which block of the IR, with which access.
    pub(super) loaded: Option<(Block, u32, Def)>,
}

impl WantedVec4 {
    /// Its number in the block.
    pub(super) fn number(&self) -> u32 {
        self.place as u32
    }
}

impl WantedVec4s {
    /// Where the vec4 at `place` stands, of which an element of `array` from `byte` on is wanted.
    fn add(&mut self, place: Place, array: &ArrayPointer, byte: u32) -> usize {
        let lanes = ((1 << array.bytes.div_ceil(4)) - 1) << (byte / 4);
        match self.all.last_mut() {
            // Scalars of a vector stand together.
            Some(last) if last.place == place => last.lanes |= lanes,
            _ => self.all.push(WantedVec4 { place, block: array.block, same: self.all.len(), lanes, loaded: None }),
        }
        self.all.len() - 1
    }

    /// Lets the first of those at one place stand for all of them.
    fn unite(&mut self) {
        let WantedVec4s { all, sorted } = self;
        if all.windows(2).all(|pair| pair[0].place < pair[1].place) {
            return;
        }
        sorted.clear();
        sorted.extend(0..all.len());
        sorted.sort_unstable_by_key(|at| (all[*at].place, *at));
        let mut first = sorted[0];
        for at in sorted.iter().copied().skip(1) {
            if all[at].place == all[first].place {
                all[first].lanes |= all[at].lanes;
                all[at].same = first;
            } else {
                first = at;
            }
        }
    }

    /// The one that stands for that at `at`.
    pub(super) fn get_mut(&mut self, at: usize) -> &mut WantedVec4 {
        let same = self.all[at].same;
        &mut self.all[same]
    }
}

pub(super) fn is_buffer(modes: Modes) -> bool {
    modes.intersects(Modes::UBO | Modes::SSBO)
}

fn is_buffer_deref(shader: &Shader, def: Def) -> bool {
    shader.as_deref(def).is_some_and(|deref| is_buffer(deref.modes))
}

pub(super) fn is_atomic(op: Intrinsic) -> bool {
    matches!(op, Intrinsic::deref_atomic | Intrinsic::deref_atomic_swap)
}
