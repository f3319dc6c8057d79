// SPDX-License-Identifier: MIT

//! Runs the handlers of the dirty bits that a command needs.
//!
//! [`walk`] handles the bits that are dirty, in the mask of the command and relevant, in their order. All others stay pending: a
//! clear does not consume a change of a texture, and no handler runs for state that the bound shaders do not use.
//!
//! A handler may return later bits, which the same walk handles if the command needs them. If handlers call setters, which set
//! bits of the context, the driver returns these bits:
//!
//! ```
//! use ntv_driver::state::{bits, dirty_bits, walk, BitSet};
//! # bits! { /// The commands that use state.
//! # pub enum Command { /// Draws.
//! # Draw } }
//! # #[derive(Clone, Copy)] pub enum Phase { Inside }
//! # dirty_bits! {
//! #     /// The state that the device does not have yet.
//! #     pub enum Dirty, commands Command, phases Phase, handlers fn(&mut Context) -> Result<(), String>;
//! #     /// Program.
//! #     Program { setters: [], commands: [Draw], phase: Inside, handler: program, after: [], invalidates: [Layout] }
//! #     /// Layout.
//! #     Layout { setters: [], commands: [Draw], phase: Inside, handler: layout, after: [Program], invalidates: [] }
//! # }
//! # fn layout(_: &mut Context) -> Result<(), String> { Ok(()) }
//!
//! pub struct Context {
//!     dirty: BitSet<Dirty>,
//! }
//!
//! fn program(context: &mut Context) -> Result<(), String> {
//!     context.dirty.insert(Dirty::Layout);
//!     Ok(())
//! }
//!
//! fn draw(context: &mut Context) -> Result<(), String> {
//!     let mut dirty = context.dirty.take();
//!     let walked = walk(&mut dirty, Dirty::mask(Command::Draw), BitSet::ALL, |bit| {
//!         bit.handler()(context)?;
//!         Ok::<_, String>(context.dirty.take())
//!     });
//!     context.dirty |= dirty; // The pending bits, also after an error.
//!     assert_eq!(walked?.handlers, 2);
//!     Ok(())
//! }
//!
//! let mut context = Context { dirty: bits![Dirty: Program] };
//! draw(&mut context)?;
//! assert!(context.dirty.is_empty());
//! # Ok::<(), String>(())
//! ```

use super::bitset::BitSet;
use super::cursor::Cursor;
use super::table::DirtyBit;
use std::ops::AddAssign;

/// Counts of the work of walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The number of walks.
    pub walks: u64,
    /// The number of the command's bits that were dirty when its walk began.
    pub bits: u64,
    /// The number of handlers that ran: not those of irrelevant bits, but including those of bits that handlers have set.
    pub handlers: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.walks += other.walks;
        self.bits += other.bits;
        self.handlers += other.handlers;
    }
}

/// The result of a handler: the later bits that it has set, or `()` for none.
pub trait Later<E: DirtyBit> {
    /// The bits.
    fn bits(self) -> BitSet<E>;
}

impl<E: DirtyBit> Later<E> for () {
    fn bits(self) -> BitSet<E> {
        BitSet::EMPTY
    }
}

impl<E: DirtyBit> Later<E> for BitSet<E> {
    fn bits(self) -> BitSet<E> {
        self
    }
}

/// Calls `handle` for each bit of `dirty & mask & relevant`, lowest first. Removes the bit from `dirty` before the call, and adds
/// the bits that the call returns. Returns the counts.
///
/// `relevant` may leave out state that neither the bound shaders nor the handlers of the other bits use. `handle` may only return
/// bits that its
/// row names in `invalidates`; debug builds check this.
///
/// # Errors
///
/// The error of `handle`. Its bit and the rest are still dirty then, and the walk may be repeated.
pub fn walk<E: DirtyBit, L: Later<E>, X>(
    dirty: &mut BitSet<E>,
    mask: BitSet<E>,
    relevant: BitSet<E>,
    mut handle: impl FnMut(E) -> Result<L, X>,
) -> Result<Counters, X> {
    let mut counters = Counters { walks: 1, bits: (*dirty & mask).len() as u64, handlers: 0 };
    let wanted = mask & relevant;
    let mut cursor = Cursor::new();
    while let Some(bit) = cursor.take_of(dirty, &wanted) {
        counters.handlers += 1;
        match handle(bit) {
            Ok(later) => *dirty |= declared(bit, later.bits()),
            Err(error) => {
                dirty.insert(bit);
                return Err(error);
            }
        }
    }
    Ok(counters)
}

/// The bits that the handler of `bit` has set; checks that its row names them.
fn declared<E: DirtyBit>(bit: E, later: BitSet<E>) -> BitSet<E> {
    let undeclared = later - E::TABLE[bit.index()].invalidates;
    debug_assert!(
        undeclared.is_empty(),
        "{bit:?} has set {undeclared:?}, which its row does not name in `invalidates`"
    );
    later
}
