//! Which storage class each uniform block of a program gets, and why.
//!
//! In NIR a load from a uniform block is a byte offset, so every block can be read through a storage buffer, whatever its type or
//! layout: what is left to decide is policy. [`plan`] decides it once for all stages of a program, of what [`survey`] found in
//! each stage, what the device takes ([`Limits`]) and what the driver wants ([`Wishes`]). A block is read as
//!
//! | class | because |
//! |-|-|
//! | [`Uniform`](Class::Uniform) | nothing speaks against it |
//! | [`Storage`](Class::Storage) | it is too large for a uniform buffer, its size is only known when it is bound, there are too many uniform buffers, much of it is indexed dynamically, or the driver asks |
//! | [`PushConstant`](Class::PushConstant) | it is small, its offsets are known, and the driver has its bytes at hand when it draws |
//!
//! A block keeps its descriptor set and its binding in the first two: only the type of the descriptor changes, so nothing that
//! moves can collide. The class is chosen before a shader is translated, and not patched later: it is in the type of every pointer
//! into the block, and a link knows all that the choice depends on. [`Placements`] take it to the passes, `place_blocks` and
//! `inline_blocks`.
//!
//! ```
//! use ntv::plan::{plan, Class, Limits, Program, Wishes};
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
//! let shader = ntv::text::parse(dump).remove(0).shader?;
//! let mut program = Program::default();
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
pub use program::{survey, Block, BlockUse, Program, StageBlocks};
pub use reason::{Impossible, Move, Reason};

use crate::setters::setters;

/// What the driver wants of a plan.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// When dynamically indexed blocks go to storage although they need not.
    pub threshold: Threshold,
    /// The alignment of offsets that the driver promised to those who bind ranges of buffers to blocks (GL's
    /// `GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT`). A block whose class needs more cannot be bound where they say. 0: that of uniform
    /// buffers.
    pub offset_alignment: u32,
    /// Bytes of push constants that are free for blocks, from where to where: for blocks whose bytes the driver has at hand.
    pub push_constants: (u32, u32),
    /// Uniform buffers of each stage that are taken by something else.
    pub other_uniform_buffers: u32,
    /// Storage buffers of each stage that are taken by something else: the program's own storage blocks, for instance.
    pub other_storage_buffers: u32,
    /// Classes that the driver asks for, by the block's name. Those that cannot be are errors.
    pub asked: Vec<(String, Class)>,
    /// The class of all blocks that `asked` does not name, if it can be had: for tests.
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

/// When dynamically indexed blocks go to storage although they need not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threshold {
    /// Never. It is the default, as one device loses by it what another gains: where an index diverges, lavapipe takes sixteen
    /// times as long for a storage buffer, and an NVIDIA GPU a hundredth of the time (`benches/results/storage.md`). A driver that
    /// knows its device sets a threshold.
    #[default]
    Never,
    /// Where at least so many bytes are indexed dynamically.
    Bytes(u32),
    /// Where ANGLE's Direct3D 11 back end makes a structured buffer of a block: see [`Shape`].
    Angle,
}
