// SPDX-License-Identifier: MIT

//! Runs a shader on the CPU with the folds of the opcode table. Its results are the reference for tests.
//!
//! Any form of the IR runs: explicit inputs and outputs or variables, byte offsets or derefs, registers or phis. So tests run a
//! shader before and after a pass and compare the results.
//!
//! ```
//! use ntv_interp::{run, Buffer, Inputs, Limits, Resources};
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
//! let shader = ntv::text::parse(dump)?;
//! let mut resources = Resources { storage: vec![Buffer::zeroed(16)], ..Resources::default() };
//! let outcome = run(&shader, &mut resources, &Inputs::default(), Limits::default());
//! assert!(outcome.faults.is_empty());
//! assert_eq!(resources.storage[0].bytes[8..], [4, 0, 0, 0, 9, 0, 0, 0]);
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! **Invocations** of a workgroup, a patch or a quad run in lockstep: each has a position in the control flow list, and those
//! with the lowest position run the item there together. A `continue` waits at the end of the loop's body, so divergent
//! invocations reconverge where the structured control flow merges, before barriers, derivatives and subgroup operations.
//!
//! **Undefined bits** are tracked through every value and every byte of memory, see [`Bits`]. Results that depend on them are
//! undefined too; a branch, an address or an output that depends on them is a [`Fault`]. An undefined bit is 0 or 1 in a run
//! nevertheless, so a shader that keeps an undefined index within its array accesses an element of it. What is loaded from an
//! undefined address is undefined, and so is all memory that a store to such an address may have changed.
//!
//! **Faults** do not stop the run, except for an exhausted budget: a load that fails gives undefined bits, and a store that
//! fails writes nothing.
//!
//! The shader must be valid by [`check::validate`](ntv::check::validate).

#![forbid(unsafe_code)]

mod access;
mod alu;
mod atomic;
mod capture;
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
mod interlock;
mod io;
mod layout;
mod machine;
mod memory;
mod mesh;
mod meshlet;
mod names;
mod order;
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

pub use capture::Captured;
pub use descriptor::Descriptor;
pub use fault::{Fault, FaultKind};
pub use float::Floats;
pub use format::{Format, Numbers};
pub use image::{Compare, Filter, Image, Sampler, Texture, Wrap};
pub use inputs::{Inputs, Invocation};
pub use memory::Buffer;
pub use meshlet::{Launch, Meshlet};
pub use slot::{Outputs, Slot};

use memory::MemoryRegion;
use ntv::ir::{Inst, Shader, Swizzle};
use race::Races;
use std::collections::{BTreeMap, BTreeSet};

/// An operand: its components, its swizzle, and its width.
type Operand<'a> = (&'a [Bits], Swizzle, u8);

/// A component of a value: its bits, and which of them are undefined.
///
/// An undefined bit has a value nevertheless, with which the run continues, the same each time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits {
    /// The bits. Bits above the width are 0.
    pub value: u64,
    /// The mask of undefined bits.
    pub undef: u64,
}

impl Bits {
    /// A component without undefined bits.
    pub fn new(value: u64) -> Bits {
        Bits { value, undef: 0 }
    }

    /// A component of `bits` bits that are all undefined, for which `value` is chosen.
    fn some(value: u64, bits: u8) -> Bits {
        Bits { value: ntv::op::fold::mask(value, bits), undef: Bits::undef(bits).undef }
    }

    /// A component of `bits` bits, all of them undefined and chosen as 0.
    pub fn undef(bits: u8) -> Bits {
        Bits { value: 0, undef: ntv::op::fold::mask(u64::MAX, bits) }
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
    /// The first bytes of shared memory when a workgroup starts. The rest is undefined.
    pub shared: Vec<u8>,
    /// The first bytes of the variables of each invocation. The rest, and what a variable has no initial value for, is undefined.
    pub private: Vec<u8>,
    /// What a task shader gives to the workgroups of a mesh shader: see [`Launch`].
    pub payload: Buffer,
    /// Global memory: buffers with their first addresses.
    pub global: Vec<(u64, Buffer)>,
    /// Textures.
    pub textures: BTreeMap<Descriptor, Texture>,
    /// Samplers that are separate variables.
    pub samplers: BTreeMap<Descriptor, Sampler>,
    /// Storage images.
    pub images: BTreeMap<Descriptor, Image>,
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of instructions that may run, summed over the invocations.
    pub instructions: u64,
    /// The number of components of values, summed over the invocations.
    pub components: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { instructions: 1_000_000, components: 1 << 24 }
    }
}

/// The results of a run besides the contents of the buffers.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The outputs of each invocation at its end. The invocations of a patch share those of the first; mesh shaders have none here.
    pub outputs: Vec<Outputs>,
    /// The vertices that each invocation of a geometry shader emitted: stream and outputs. `None` ends a primitive.
    pub vertices: Vec<Vec<(u32, Option<Outputs>)>>,
    /// The outputs of each workgroup of a mesh shader.
    pub meshlets: Vec<Meshlet>,
    /// What each workgroup of a task shader starts, if it does.
    pub launches: Vec<Option<Launch>>,
    /// The variables of each invocation at its end.
    pub private: Vec<Buffer>,
    /// The shared memory of the last workgroup at its end.
    pub shared: Buffer,
    /// Whether each invocation was discarded, so that its outputs are ignored.
    pub discarded: Vec<bool>,
    /// The faults, each kind once per instruction.
    pub faults: Vec<Fault>,
    /// The ALU instructions that had an [open](ntv::op::open) result.
    pub open: BTreeSet<Inst>,
    /// The number of instructions that ran.
    pub instructions: u64,
    /// The end of the accessed bytes of each uniform block that was accessed.
    pub uniform_ends: BTreeMap<u32, u64>,
    /// The end of the accessed bytes of each storage block that was accessed.
    pub storage_ends: BTreeMap<u32, u64>,
}

impl Outcome {
    /// Records that a block is accessed up to the byte `end`.
    fn record_end(&mut self, memory: MemoryRegion, end: u64) {
        let known = match memory {
            MemoryRegion::Uniform(block) => self.uniform_ends.entry(block),
            MemoryRegion::Storage(block) => self.storage_ends.entry(block),
            _ => return,
        };
        let known = known.or_default();
        *known = end.max(*known);
    }
}

/// Runs `shader`: all workgroups of a compute, task or mesh shader, one after the other; for other stages the invocations of `inputs`.
pub fn run(shader: &Shader, resources: &mut Resources, inputs: &Inputs, limits: Limits) -> Outcome {
    let (mut outcome, mut races) = (Outcome::default(), Races::default());
    let [x, y, z] = if shader.stage().has_grid() { inputs.workgroups } else { [1; 3] };
    for group in 0..u64::from(x) * u64::from(y) * u64::from(z) {
        let (x, y) = (u64::from(x), u64::from(y));
        let id = [group % x, group / x % y, group / (x * y)].map(|id| id as u32);
        if !machine::run_group(shader, resources, (inputs, id), limits, (&mut outcome, &mut races)) {
            break;
        }
    }
    outcome
}
