//! Where values are seen: from behind their definition to the end of its body.
//!
//! ```text
//! time                    seen
//! 0   32  %0 = ...        at all later times
//! 1   32  %1 = ...        at all later times
//!     if ... {
//! 4       32  %2 = ...    up to 5, the end of the body
//!     } else {
//! ```
//!
//! Instructions are numbered in order, and time goes on with each of them and with each item of the control flow list, so that
//! the end of a body is a time, too.

use crate::entity::Id;
use crate::ir::{BlockData, Def, Inst, InstData, InstKind, Shader};
use crate::op::{Intrinsic, IntrinsicSet};

/// The scopes of all values.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// When each instruction takes place.
    times: Vec<u32>,
    /// One more than the last time at which its result is seen.
    ends: Vec<u32>,
}

/// The end of a scope that is open.
const OPEN: u32 = HIDDEN - 1;

/// What makes no values of SPIR-V, besides derefs.
const NO_VALUES: IntrinsicSet = IntrinsicSet::BARYCENTRICS.union(IntrinsicSet::of(&[Intrinsic::decl_reg]));

/// Added to the end of the scope of what is no value for most instructions.
const HIDDEN: u32 = 1 << 31;

/// The place of an instruction, or of the end of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// How many instructions are in front of it.
    number: u32,
    time: u32,
}

impl Place {
    pub(super) fn is_in_first_block(self) -> bool {
        self.number == self.time
    }

    /// Whether it is the end of `block`, or further down.
    pub(super) fn is_behind(self, block: BlockData) -> bool {
        block.end <= self.number
    }
}

/// Components and width of a result, both 0 if there is none. One number, as it is moved as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape(u16);

impl Shape {
    #[inline(always)]
    pub(super) const fn new(num_components: u8, bits: u8) -> Shape {
        Shape(u16::from_ne_bytes([num_components, bits]))
    }

    #[inline(always)]
    pub(super) fn of(data: &InstData) -> Shape {
        Shape::new(data.num_components, data.bit_size)
    }

    #[inline(always)]
    pub(super) fn num_components(self) -> u8 {
        self.0.to_ne_bytes()[0]
    }

    #[inline(always)]
    pub(super) fn bits(self) -> u8 {
        self.0.to_ne_bytes()[1]
    }
}

impl Scopes {
    /// Opens the scope of every instruction. They have to stand in the order in which they were made.
    pub(super) fn open(&mut self, shader: &Shader) {
        self.times.clear();
        self.ends.clear();
        self.ends.resize(shader.order.len(), OPEN);
        if shader.inventory().has_some(&NO_VALUES) {
            let is_none = |inst: &Inst| shader.as_intrinsic(*inst).is_some_and(|(op, _)| NO_VALUES.contains(op));
            shader.order.iter().filter(|inst| is_none(inst)).for_each(|inst| self.ends[inst.index()] |= HIDDEN);
        }
    }

    /// For how many instructions there is room.
    pub(super) fn room(&self) -> usize {
        self.times.capacity().max(self.ends.capacity())
    }

    /// Passes the next block, which is so far down the control flow list, and returns the place of its end.
    pub(super) fn pass(&mut self, block: BlockData, at: u32) -> Place {
        self.times.extend((block.start..block.end).map(|number| number + at));
        Place { number: block.end, time: block.end + at }
    }

    /// Where `inst` stands.
    #[inline(always)]
    pub(super) fn place(&self, inst: Inst) -> Place {
        Place { number: inst.index() as u32, time: self.times[inst.index()] }
    }

    /// Closes the scopes of what the instructions of a block make.
    pub(super) fn close(&mut self, block: BlockData, end: Place) {
        let ends = &mut self.ends[block.start as usize..block.end as usize];
        ends.iter_mut().for_each(|is| *is = *is & HIDDEN | (end.time + 1));
    }

    /// Whether SPIR-V has no value for `def`, though it is no pointer.
    pub(super) fn is_hidden(&self, def: Def) -> bool {
        self.ends.get(def.index()).is_some_and(|end| end & HIDDEN != 0)
    }

    /// The shape of `def` if it is seen from `place`.
    #[inline(always)]
    pub(super) fn shape(&self, shader: &Shader, def: Def, place: Place) -> Shape {
        match self.ends.get(def.index()) {
            Some(end) if def.index() < place.number as usize && place.time < end & !HIDDEN => {
                Shape::of(shader.def(def))
            }
            _ => Shape::default(),
        }
    }

    /// The shape of `def` if it is seen from `place` and SPIR-V has a value for it.
    #[inline(always)]
    pub(super) fn value(&self, shader: &Shader, def: Def, place: Place) -> Shape {
        match self.ends.get(def.index()) {
            Some(end) if def.index() < place.number as usize && (place.time as i32) < *end as i32 => {
                let data = shader.def(def);
                if matches!(data.kind, InstKind::Deref(_)) {
                    Shape::default()
                } else {
                    Shape::of(data)
                }
            }
            _ => Shape::default(),
        }
    }
}
