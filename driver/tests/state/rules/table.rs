// SPDX-License-Identifier: MIT

//! This file compiles; the cases of `rules.rs` are edits of it that do not.

use ntv_driver::state::words::words_for;
use ntv_driver::state::{bits, derived, dirty_bits, BitSet, Inbox, Subject};
use std::sync::Arc;

bits! {
    /// The commands that use state.
    pub enum Command {
        /// Draws.
        Draw,
        /// Clears.
        Clear,
    }
}

bits! {
    /// The phase of a handler.
    pub enum Phase {
        /// Outside of a render pass.
        BeforeRendering,
        /// Within a render pass.
        Rendering,
    }
}

/// The target of the handlers' writes.
pub struct Emitter<'a>(pub &'a mut Vec<u32>);

fn barriers(_: &mut Emitter<'_>) -> Result<(), String> {
    Ok(())
}

fn framebuffer(_: &mut Emitter<'_>) -> Result<(), String> {
    Ok(())
}

fn viewport(_: &mut Emitter<'_>) -> Result<(), String> {
    Ok(())
}

dirty_bits! {
    /// The state that the device does not have yet.
    pub enum Dirty, commands Command, phases Phase, handlers fn(&mut Emitter<'_>) -> Result<(), String>;

    /// Barriers.
    Barriers {
        setters: [], commands: [Draw],
        phase: BeforeRendering, handler: barriers,
        after: [], invalidates: [],
    }
    /// The attachments.
    Framebuffer {
        setters: ["set_framebuffer_state"], commands: [Draw, Clear],
        phase: BeforeRendering, handler: framebuffer,
        after: [Barriers], invalidates: [Viewport],
    }
    /// The viewport.
    Viewport {
        setters: ["set_viewport_states"], commands: [Draw], not_for: [Clear],
        phase: Rendering, handler: viewport,
        after: [], invalidates: [],
    }
}

derived! {
    /// The values that a context computes.
    pub struct Cached, values Value, from Dirty;

    /// Whether the framebuffer is complete.
    IsComplete { field: is_complete, is: bool, from: [Framebuffer], uses: [] }
    /// Whether a draw may run.
    CanDraw { field: can_draw, is: bool, from: [Viewport], uses: [IsComplete] }
}

/// Bits of the enum of each set.
pub fn same_enum(inbox: Arc<Inbox<Dirty>>, subject: Subject<Dirty>) -> BitSet<Dirty> {
    let mut dirty = BitSet::<Dirty>::new();
    dirty.insert(Dirty::Viewport);
    dirty |= BitSet::of(&[Dirty::Framebuffer]);
    subject.observe(&inbox, Dirty::Framebuffer);
    dirty
}

/// A number of bits.
pub const WORDS: usize = words_for(4096);
