// SPDX-License-Identifier: MIT

//! Plans the storage class of each uniform block of a program, with the reasons.
//!
//! In NIR a load from a uniform block has a byte offset, so every block can be read through a storage buffer, with any type or
//! layout: the choice is a matter of policy. [`plan`] makes it once for all stages of a program, from the uses of blocks in each
//! stage ([`survey`]), the limits of the device ([`Limits`]) and the wishes of the driver ([`Wishes`]). The classes of a block are:
//!
//! | class | reason |
//! |-|-|
//! | [`Uniform`](Class::Uniform) | no reason against it |
//! | [`Storage`](Class::Storage) | it is too large for a uniform buffer, its size is only known when it is bound, there are too many uniform buffers, much of it is indexed dynamically, or the driver requests it |
//! | [`PushConstant`](Class::PushConstant) | it is small, its offsets are known, and the driver has its bytes on the CPU when it draws |
//!
//! A block keeps its descriptor set and its binding in the first two classes: only the type of the descriptor changes, so there are
//! no collisions. The class is chosen before a shader is translated, and is not patched later: it is part of the type of every
//! pointer into the block, and a link has all the facts for the choice. [`Placements`] pass it to the passes `place_blocks` and
//! `inline_blocks`.
//!
//! ```
//! use ntv::plan::{plan, Class, Limits, ProgramBlocks, Wishes};
//!
//! let dump = "\
//! shader: MESA_SHADER_COMPUTE
//! num_ubos: 2
//! decl_function main () (entrypoint)
//!
//! impl main {
//!     block b0:  // preds:
//!     32    %0 = load_const (0x00000001)
//!     32    %1 = load_const (0x00100000)
//!     32x4  %2 = @load_ubo (%0, %1) (access=none, align_mul=16, align_offset=0, range_base=1048576, range=16)
//!     // succs: b1
//!     block b1:
//! }
//! ";
//! let shader = ntv::text::parse(dump)?;
//! let mut program = ProgramBlocks::default();
//! program.add(&shader);
//! let plan = plan(&program, &Limits::default(), &Wishes::default()).expect("a plan");
//! assert_eq!(plan.blocks[0].class, Class::Storage);
//! assert_eq!(plan.blocks[0].reason.to_string(), "1048592 bytes are read, and a uniform buffer has at most 16384");
//! # Ok::<(), ntv::Errors>(())
//! ```

mod angle;
mod limits;
mod placement;
mod planner;
mod program;
mod reason;

pub use angle::{Element, Shape, ANGLE_LEAST_LENGTH, ANGLE_MOST_BUFFERS};
pub use limits::{LimitInfo, Limits, LIMITS};
pub use placement::{BlockPlacement, Class, Placement, Placements};
pub use planner::{plan, Plan, Planned};
pub use program::{refused_placement, survey, BlockProperties, BlockUse, ProgramBlocks, StageBlocks};
pub use reason::{Impossible, Move, Reason};

use crate::setters::setters;

/// The wishes of the driver for a plan.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The condition under which dynamically indexed blocks move to storage although they need not.
    pub threshold: Threshold,
    /// The alignment of offsets that the driver promised to applications for binding ranges of buffers to blocks (GL's
    /// `GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT`). A block whose class needs a larger alignment cannot be bound at such offsets. 0: the
    /// alignment of uniform buffers.
    pub offset_alignment: u32,
    /// The free bytes of push constants, start and end, for blocks whose bytes the driver has on the CPU.
    pub push_constants: (u32, u32),
    /// The number of other uniform buffers in each stage.
    pub other_uniform_buffers: u32,
    /// The number of other storage buffers in each stage, for example the program's own storage blocks.
    pub other_storage_buffers: u32,
    /// The classes that the driver requests, by the block's name. It is an error if one is impossible.
    pub asked: Vec<(String, Class)>,
    /// The class of all blocks that `asked` does not name, if possible: for tests.
    pub all: Option<Class>,
}

setters! {
    Wishes {
        threshold: Threshold,
        offset_alignment: u32,
        push_constants: (u32, u32),
        other_uniform_buffers: u32,
        other_storage_buffers: u32,
        asked: Vec<(String, Class)>,
        all: Option<Class>,
    }
}

/// The condition under which dynamically indexed blocks move to storage although they need not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threshold {
    /// Never. It is the default, as some devices lose by it and others gain: for divergent indices, lavapipe takes sixteen times as
    /// long with a storage buffer, and an NVIDIA GPU a hundredth of the time (`benches/results/storage.md`). A driver can set a
    /// threshold for its device.
    #[default]
    Never,
    /// If at least this number of bytes is indexed dynamically.
    Bytes(u32),
    /// If ANGLE's Direct3D 11 back end makes a structured buffer of the block: see [`Shape`].
    Angle,
}
