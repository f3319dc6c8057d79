//! Runs a shader on the CPU from the fold column of the opcode table: the oracle that says what a shader means.
//!
//! Any form of the IR runs: explicit inputs and outputs or variables, byte offsets or pointers, registers or phis. So a
//! shader can be run before and after a pass, and what it computes compared.
//!
//! ```
//! use ntv::interp::{run, Buffer, Inputs, Limits, Resources};
//!
//! let dump = "\
//! shader: MESA_SHADER_COMPUTE
//! workgroup_size: 4, 1, 1
//! num_ssbos: 1
//! decl_function main () (entrypoint)
//!
//! impl main {
//!     block b0:  // preds:
//!     32     %0 = load_const (0x00000000)
//!     32     %1 = load_const (0x00000002)
//!     32     %2 = @load_local_invocation_index
//!     32     %3 = ishl %2, %1
//!     32     %4 = imul %2, %2
//!     @store_ssbo (%4, %0, %3) (wrmask=x, access=none, align_mul=4, align_offset=0)
//!     // succs: b1
//!     block b1:
//! }
//! ";
//! let shader = ntv::text::parse(dump).remove(0).shader?;
//! let mut resources = Resources { storage: vec![Buffer::zeroed(16)], ..Resources::default() };
//! let outcome = run(&shader, &mut resources, &Inputs::default(), Limits::default());
//! assert!(outcome.faults.is_empty());
//! assert_eq!(resources.storage[0].bytes[8..], [4, 0, 0, 0, 9, 0, 0, 0]);
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! **Invocations** of a workgroup, a patch or a quad run in lockstep: each has a place in the control flow list, and those
//! that are least far run one step together. A loop's `continue` waits at the end of the body, so control flow that parts
//! meets again where the structure says; barriers, derivatives and subgroup operations find everyone there.
//!
//! **Undefined bits** are followed through every value and every byte of memory, see [`Bits`]. What depends on them is
//! undefined too; a branch, an address or an output that does is a [`Fault`].
//!
//! **Faults** do not stop the run, but for an exhausted budget: what cannot be loaded is undefined, what cannot be stored
//! is dropped.
//!
//! The shader must be valid by [`check::validate`](crate::check::validate).

mod access;
mod alu;
mod atomic;
mod deref;
mod descriptor;
pub mod draw;
mod fault;
mod filter;
mod float;
mod flow;
mod format;
mod image;
mod inputs;
mod io;
mod layout;
mod machine;
mod memory;
mod names;
mod pointer;
mod race;
mod register_access;
mod registers;
mod resolve;
mod slot;
mod storage_image;
mod subgroup;
mod system;
#[cfg(test)]
mod tests;
mod texture;
mod words;

pub use descriptor::Descriptor;
pub use fault::{Fault, FaultKind};
pub use float::{is_imprecise, Floats};
pub use format::{Format, Numbers};
pub use image::{Compare, Filter, Image, Sampler, Texture, Wrap};
pub use inputs::{Inputs, Invocation};
pub use memory::Buffer;
pub use slot::{Outputs, Slot};

use crate::ir::{Shader, Swizzle};
use memory::Memory;
use std::collections::BTreeMap;

/// An operand: its components, which of them are read, and its width.
type Operand<'a> = (&'a [Bits], Swizzle, u8);

/// A component of a value: its bits, and which of them are undefined.
///
/// An undefined bit is 0 in `value`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits {
    /// The bits, those above the width 0.
    pub value: u64,
    /// Set where the bit could be anything.
    pub undef: u64,
}

impl Bits {
    /// A component without undefined bits.
    pub fn new(value: u64) -> Bits {
        Bits { value, undef: 0 }
    }

    /// A component of `bits` bits, all of them undefined.
    pub fn undef(bits: u8) -> Bits {
        Bits { value: 0, undef: crate::op::fold::mask(u64::MAX, bits) }
    }

    /// Whether no bit is undefined.
    pub fn is_defined(self) -> bool {
        self.undef == 0
    }
}

/// The memory outside the shader.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// Uniform blocks by block index.
    pub uniform: Vec<Buffer>,
    /// Storage blocks by block index.
    pub storage: Vec<Buffer>,
    /// Push constants.
    pub push_constants: Buffer,
    /// What shared memory holds when a workgroup starts; what it has beyond is undefined.
    pub shared: Vec<u8>,
    /// Global memory: buffers, and the address that each starts at.
    pub global: Vec<(u64, Buffer)>,
    /// Textures.
    pub textures: BTreeMap<Descriptor, Texture>,
    /// Samplers that are variables of their own.
    pub samplers: BTreeMap<Descriptor, Sampler>,
    /// Storage images.
    pub images: BTreeMap<Descriptor, Image>,
}

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions that may run, counted for each invocation.
    pub instructions: u64,
    /// Components of values that may exist, over all invocations.
    pub components: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { instructions: 1_000_000, components: 1 << 24 }
    }
}

/// What a run gave, besides the contents of the buffers.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Of each invocation, the outputs at its end. A patch has one set, in the first.
    pub outputs: Vec<Outputs>,
    /// Of each invocation, the vertices that a geometry shader emitted: stream and outputs; no outputs end a primitive.
    pub vertices: Vec<Vec<(u32, Option<Outputs>)>>,
    /// Of each invocation, whether it was discarded, so that its outputs count for nothing.
    pub discarded: Vec<bool>,
    /// What went wrong, each kind once per instruction.
    pub faults: Vec<Fault>,
    /// Instructions run.
    pub instructions: u64,
    /// Of each uniform block that was accessed, one past the last byte.
    pub uniform_ends: BTreeMap<u32, u64>,
    /// The same of storage blocks.
    pub storage_ends: BTreeMap<u32, u64>,
}

impl Outcome {
    /// Takes down that a block is accessed up to the byte `end`.
    fn reached(&mut self, memory: Memory, end: u64) {
        let known = match memory {
            Memory::Uniform(block) => self.uniform_ends.entry(block),
            Memory::Storage(block) => self.storage_ends.entry(block),
            _ => return,
        };
        let known = known.or_default();
        *known = end.max(*known);
    }
}

/// Runs `shader`: all workgroups of a compute shader one after the other, else the invocations that `inputs` has.
pub fn run(shader: &Shader, resources: &mut Resources, inputs: &Inputs, limits: Limits) -> Outcome {
    let mut outcome = Outcome::default();
    let [x, y, z] = if shader.stage().is_compute() { inputs.workgroups } else { [1; 3] };
    for group in 0..u64::from(x) * u64::from(y) * u64::from(z) {
        let (x, y) = (u64::from(x), u64::from(y));
        let id = [group % x, group / x % y, group / (x * y)].map(|id| id as u32);
        if !machine::run_group(shader, resources, (inputs, id), limits, &mut outcome) {
            break;
        }
    }
    outcome
}
