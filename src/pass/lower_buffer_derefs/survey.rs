//! What the accesses of a shader want of blocks, found before any of them is lowered.

use super::super::blocks::pointed_block;
use super::Block;
use crate::ir::{ArrayIndex, Def, DerefKind, Inst, InstKind, Shader, TypeData, Var, Variable};
use crate::op::{Intrinsic, Modes};
use crate::target::Target;

/// A pointer to element `index` of the array in block `block` of a variable, taken apart.
#[derive(Clone, Copy)]
pub(super) struct ElementPointer {
    pub(super) var: Var,
    pub(super) block: Option<ArrayIndex>,
    pub(super) index: ArrayIndex,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub(super) bytes: u32,
    /// Elements of the array, `None` for a run-time array.
    pub(super) len: Option<u32>,
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
        let (var, block) = pointed_block(shader, block)?;
        Some(ElementPointer { var, block, index, bytes: u32::from(scalar.bits) / 8, len })
    }

    /// Which of the narrow views it has.
    pub(super) fn narrow_slot(&self) -> Option<usize> {
        match self.bytes {
            1 => Some(0),
            2 => Some(1),
            _ => None,
        }
    }

    /// Whether it has no values in it.
    pub(super) fn is_static(&self) -> bool {
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
pub(super) fn operation(shader: &Shader, inst: Inst) -> Option<(Intrinsic, ElementPointer)> {
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
    pub(super) block: Option<Block>,
}

impl Extent {
    pub(super) fn new(shader: &Shader, var: Var, bytes: Option<u32>) -> Extent {
        let Variable { mode, ty, .. } = shader.vars[var];
        let count = shader.types.as_array(ty).map(|(_, len)| len);
        let is_ubo = mode == Modes::UBO;
        Extent { var, is_ubo, count, bytes, atomic64: false, narrow: [false; 2], written: false, block: None }
    }
}

/// An access to lower.
pub(super) struct Found {
    pub(super) inst: Inst,
    pub(super) op: Intrinsic,
    pub(super) element: ElementPointer,
    /// Its place in [`Survey::extents`].
    pub(super) block: usize,
}

/// What the accesses of a shader want, found before any of them is lowered.
#[derive(Default)]
pub(super) struct Survey {
    /// In order.
    pub(super) accesses: Vec<Found>,
    pub(super) extents: Vec<Extent>,
    /// The place of each key's extent, in the order of keys.
    keys: Vec<(Key, usize)>,
    pub(super) lanes: WantedLanes,
    /// Something else than the accesses to lower reads pointers into blocks.
    pub(super) has_others: bool,
}

impl Survey {
    pub(super) fn new(shader: &Shader) -> Survey {
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

    /// The place of what is known of the blocks of the variable that `element` is in; `bytes` are those of its array.
    fn block(&mut self, shader: &Shader, element: &ElementPointer, bytes: Option<u32>) -> usize {
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
        self.extents.push(Extent::new(shader, element.var, bytes));
        self.extents.len() - 1
    }

    fn add(&mut self, shader: &Shader, inst: Inst, op: Intrinsic, element: ElementPointer) {
        let bytes = element.len.and_then(|len| len.checked_mul(element.bytes));
        let block = self.block(shader, &element, bytes);
        let extent = &mut self.extents[block];
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
    pub(super) fn declare(&mut self, shader: &mut Shader, target: &Target) {
        for (_, at) in &self.keys {
            let extent = &mut self.extents[*at];
            extent.block = Some(extent.declare(shader, target));
        }
    }
}

/// Lanes wanted of the vec4s of uniform blocks at constant offsets.
#[derive(Default)]
pub(super) struct WantedLanes(Vec<(Vec4, u8)>);

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
    pub(super) fn get(&self, block: usize, element: &ElementPointer, ahead: u32) -> u8 {
        let Some((first, _)) = first_vec4(block, element) else { return 0 };
        let vec4 = first + u128::from(ahead);
        self.0.binary_search_by_key(&vec4, |(vec4, _)| *vec4).map_or(0, |at| self.0[at].1)
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
