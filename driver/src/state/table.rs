// SPDX-License-Identifier: MIT

//! The table of dirty bits, with one row for each bit.
//!
//! [`dirty_bits!`](crate::dirty_bits) generates the enum, the masks of commands, the handlers and the invalidation lists from the
//! rows. Handlers run in the order of the rows. A row has:
//!
//! | column | content |
//! |-|-|
//! | `setters` | the entry points that set the bit; for the documentation |
//! | `commands` | the commands that handle the bit; others leave it pending |
//! | `not_for` | the commands that do not use the bit: they may handle bits that invalidate it; optional |
//! | `phase` | the phase of the handler: a value of an enum in order of time |
//! | `handler` | the function that transfers the state to the device |
//! | `after` | the bits whose handlers must run before this one |
//! | `invalidates` | the bits that the handler may set |
//!
//! A table that breaks a rule does not compile, and the message names the rule and the rows:
//!
//! - `phase`: phases do not decrease along the table. So a handler that may end a render pass is before all handlers that record
//!   into it.
//! - `after`: the bits that a row names there are before it.
//! - `invalidates`: the bits that a row names there are after it, so that the same walk handles them.
//! - `commands`: a command that handles a bit also handles the bits that this bit invalidates, or is in their `not_for`.
//! - `not_for`: no command is in both lists of a row.
//!
//! ```
//! use ntv_driver::state::{bits, dirty_bits, walk, BitSet};
//!
//! bits! {
//!     /// The commands that use state.
//!     pub enum Command { /// Draws.
//!         Draw, /// Clears.
//!         Clear }
//! }
//!
//! /// The phase of a handler.
//! #[derive(Clone, Copy)]
//! pub enum Phase { /// Outside of a render pass.
//!     Outside, /// In one.
//!     Inside }
//!
//! fn begin(log: &mut Vec<&str>) -> Result<(), String> {
//!     log.push("vkCmdBeginRendering");
//!     Ok(())
//! }
//! fn viewport(log: &mut Vec<&str>) -> Result<(), String> {
//!     log.push("vkCmdSetViewport");
//!     Ok(())
//! }
//!
//! dirty_bits! {
//!     /// The state that the device does not have yet.
//!     pub enum Dirty, commands Command, phases Phase, handlers fn(&mut Vec<&str>) -> Result<(), String>;
//!
//!     /// The attachments.
//!     Framebuffer {
//!         setters: ["set_framebuffer_state"],
//!         commands: [Draw, Clear],
//!         phase: Outside,
//!         handler: begin,
//!         after: [],
//!         invalidates: [Viewport],
//!     }
//!     /// The viewport, whose direction depends on the attachments.
//!     Viewport {
//!         setters: ["set_viewport_states"],
//!         commands: [Draw],
//!         not_for: [Clear],
//!         phase: Inside,
//!         handler: viewport,
//!         after: [Framebuffer],
//!         invalidates: [],
//!     }
//! }
//!
//! let mut dirty: BitSet<Dirty> = BitSet::ALL;
//! let mut log = Vec::new();
//! walk(&mut dirty, Dirty::mask(Command::Clear), BitSet::ALL, |bit| bit.handler()(&mut log))?;
//! assert_eq!(log, ["vkCmdBeginRendering"]);
//! assert_eq!(dirty, bits![Dirty: Viewport]);
//! # Ok::<(), String>(())
//! ```

use super::bitset::{Bit, BitSet};

/// A row of the table.
pub struct DirtyRow<E: DirtyBit> {
    /// The bit.
    pub bit: E,
    /// The entry points that set it.
    pub setters: &'static [&'static str],
    /// The commands that handle it.
    pub commands: BitSet<E::Command>,
    /// The commands that do not use it.
    pub not_for: BitSet<E::Command>,
    /// The phase of the handler.
    pub phase: E::Phase,
    /// The function that transfers the state to the device.
    pub handler: E::Handler,
    /// The bits whose handlers must run before this one.
    pub after: BitSet<E>,
    /// The bits that the handler may set.
    pub invalidates: BitSet<E>,
}

/// The enum of a table that [`dirty_bits!`](crate::dirty_bits) declares.
pub trait DirtyBit: Bit {
    /// The commands that use state.
    type Command: Bit;
    /// The phase of a handler.
    type Phase: Copy + 'static;
    /// A function that transfers state to the device.
    type Handler: Copy + 'static;
    /// The rows, in the order of the bits.
    const TABLE: &'static [DirtyRow<Self>];
}

/// Declares dirty bits by their [`table`](crate::state::table).
#[macro_export]
macro_rules! dirty_bits {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident, commands $command:ident, phases $phases:ident, handlers $handler:ty;
        $(
            $(#[$row_meta:meta])*
            $row:ident {
                setters: [$($setter:literal),* $(,)?],
                commands: [$($on:ident),* $(,)?],
                $(not_for: [$($not_for:ident),* $(,)?],)?
                phase: $phase:ident,
                handler: $function:expr,
                after: [$($after:ident),* $(,)?],
                invalidates: [$($invalid:ident),* $(,)?] $(,)?
            }
        )+
    ) => {
        $crate::bits! {
            $(#[$meta])*
            $vis enum $name {
                $(
                    $(#[$row_meta])*
                    ///
                    /// | column | |
                    /// |-|-|
                    #[doc = concat!("| setters | ", $("`", $setter, "` ",)* "|")]
                    #[doc = concat!("| commands | ", $("`", stringify!($on), "` ",)* "|")]
                    #[doc = concat!("| not for | ", $($("`", stringify!($not_for), "` ",)*)? "|")]
                    #[doc = concat!("| phase | `", stringify!($phase), "` |")]
                    #[doc = concat!("| handler | `", stringify!($function), "` |")]
                    #[doc = concat!("| after | ", $("`", stringify!($after), "` ",)* "|")]
                    #[doc = concat!("| invalidates | ", $("`", stringify!($invalid), "` ",)* "|")]
                    $row,
                )+
            }
        }

        const _: () = $crate::state::rules::check(
            stringify!($name),
            <$command as $crate::state::Bit>::NAMES,
            &[$($crate::state::rules::RuleRow {
                name: stringify!($row),
                commands: &[$($command::$on as usize),*],
                not_for: &[$($($command::$not_for as usize),*)?],
                phase: $phases::$phase as usize,
                phase_name: stringify!($phase),
                after: &[$($name::$after as usize),*],
                invalidates: &[$($name::$invalid as usize),*],
            }),+],
        );

        impl $crate::state::DirtyBit for $name {
            type Command = $command;
            type Phase = $phases;
            type Handler = $handler;
            const TABLE: &'static [$crate::state::DirtyRow<$name>] = &[$($crate::state::DirtyRow {
                bit: $name::$row,
                setters: &[$($setter),*],
                commands: $command::bits(&[$($command::$on),*]),
                not_for: $command::bits(&[$($($command::$not_for),*)?]),
                phase: $phases::$phase,
                handler: $function,
                after: $name::bits(&[$($name::$after),*]),
                invalidates: $name::bits(&[$($name::$invalid),*]),
            }),+];
        }

        #[allow(dead_code, reason = "the same for every table")]
        impl $name {
            /// The rows, in the order of the bits.
            $vis const TABLE: &'static [$crate::state::DirtyRow<$name>] = <$name as $crate::state::DirtyBit>::TABLE;

            /// The bits that `command` handles.
            $vis fn mask(command: $command) -> $crate::state::BitSet<$name> {
                const COMMANDS: usize = <$command as $crate::state::Bit>::COUNT;
                static MASKS: [$crate::state::BitSet<$name>; COMMANDS] = {
                    let mut masks = [$crate::state::BitSet::<$name>::EMPTY; COMMANDS];
                    $($({
                        let words = masks[$command::$on as usize].words().with($name::$row as usize);
                        masks[$command::$on as usize] = $crate::state::BitSet::from_words(words);
                    })*)+
                    masks
                };
                MASKS[command as usize]
            }

            /// The row of this bit.
            $vis fn row(self) -> &'static $crate::state::DirtyRow<$name> {
                &$name::TABLE[self as usize]
            }

            /// The phase of the handler.
            $vis fn phase(self) -> $phases {
                self.row().phase
            }

            /// The function that transfers the state to the device.
            $vis fn handler(self) -> $handler {
                self.row().handler
            }

            /// The bits that the handler may set.
            $vis fn invalidates(self) -> $crate::state::BitSet<$name> {
                self.row().invalidates
            }
        }
    };
}
